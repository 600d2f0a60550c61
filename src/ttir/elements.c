/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Elements of a tile by their number. Tile IR has no operation that takes one: the tile goes
 * through memory that belongs to the block.
 */
#include "ttir/lower.h"

/* ---- memory of the block
 * -------------------------------------------------------------------------- */

typedef struct scratch {
  ir_value *base;
  const ir_type *pointer; /* to one element */
} scratch;

static scratch allocate(lowering *l, tsr_elem elem, int64_t count) {
  enum { ALIGNMENT = 16 };
  const ir_type *p = ir_tile(l->m, TSR_PTR, elem, 0, NULL);
  ir_value *v = tt_emit(l, OP_alloca, p, 0, NULL);
  tt_with(v, ATTR_num_elem, count);
  return (scratch){tt_with(v, ATTR_alignment, ALIGNMENT), p};
}

static ir_value *pointers(lowering *l, scratch s, ir_value *offsets) {
  ir_value *base = tt_splat(l, s.base, offsets->type->rank, offsets->type->shape);
  return tt_emit2(l, OP_offset, base->type, base, offsets);
}

/* After `after`; the token that follows the store. */
static ir_value *store(lowering *l, ir_value *to, ir_value *v, ir_value *after) {
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = OP_store_ptr_tko,
                                          .n_operands = after ? 3 : 2,
                                          .operands = (ir_value *[]){to, v, after},
                                          .segments = (uint32_t[]){1, 1, 0, after != NULL},
                                          .n_results = 1,
                                          .result_types = (const ir_type *[]){ir_token(l->m)}});
  ir_set_int(op, ATTR_memory_ordering_semantics, ORDER_WEAK);
  return ir_result(op, 0);
}

static ir_value *load(lowering *l, ir_value *from, tsr_elem elem, ir_value *after) {
  const ir_type *t = tt_like(l, from->type, elem);
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = OP_load_ptr_tko,
                                          .n_operands = 2,
                                          .operands = (ir_value *[]){from, after},
                                          .segments = (uint32_t[]){1, 0, 0, 1},
                                          .n_results = 2,
                                          .result_types = (const ir_type *[]){t, ir_token(l->m)}});
  ir_set_int(op, ATTR_memory_ordering_semantics, ORDER_WEAK);
  return ir_result(op, 0);
}

/* Where the elements of `shape` lie, the last dimension first, but along `axis` those of `index`.
 */
static ir_value *offsets_of(lowering *l, const ir_type *whole, const ir_type *shape, uint32_t axis,
                            ir_value *index) {
  ir_value *sum = NULL;
  int64_t stride = 1;
  for (uint32_t d = shape->rank; d-- > 0; stride *= whole->shape[d]) {
    ir_value *i = index && d == axis ? index
                                     : tt_along(l, tt_iota(l, TSR_I32, shape->shape[d]), d,
                                                shape->rank, shape->shape);
    ir_value *at = tt_emit2(l, OP_muli, i->type, i, tt_int(l, i->type, stride));
    sum = sum ? tt_emit2(l, OP_addi, at->type, sum, at) : at;
  }
  return sum;
}

/* ---- gather
 * --------------------------------------------------------------------------------------- */

static ir_value *through_memory(lowering *l, ir_value *v, ir_value *index, uint32_t axis) {
  tsr_elem elem = (tsr_elem)v->type->elem;
  scratch s = allocate(l, elem, v->type->count);
  ir_value *to = pointers(l, s, offsets_of(l, v->type, v->type, axis, NULL));
  ir_value *token = store(l, to, v, NULL);
  return load(l, pointers(l, s, offsets_of(l, v->type, index->type, axis, index)), elem, token);
}

bool tt_lower_gather(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0), *index = v ? tt_use(l, op, 1) : NULL;
  if (!index) return false;
  int64_t axis = tt_int_attr(op, "axis", -1);
  if (axis < 0 || axis >= v->type->rank || index->type->rank != v->type->rank ||
      !tsr_elem_is_int((tsr_elem)index->type->elem) || v->type->elem == TSR_PTR)
    return tt_refuse(l, "'tt.gather' of %s by %s along dimension %lld",
                     ir_type_text(l->temp, v->type), ir_type_text(l->temp, index->type),
                     (long long)axis);
  index = tt_convert_int(l, index, TSR_I32, true);
  return tt_set(l, op, 0, through_memory(l, v, index, (uint32_t)axis));
}

/* ---- a function of each element
 * ------------------------------------------------------------------- */

/* The function may branch and loop for each element, which operations on whole tiles can't. So a
 * loop goes through the elements, some of which one call of the function takes together. */
typedef struct mapping {
  const tt_op *op;
  uint32_t n_in, n_out, pack;
  scratch in[TT_MAX_VALUES], out[TT_MAX_VALUES];
  const ir_type *shape; /* of all tiles */
} mapping;

/* Of bits memory has bytes. */
static tsr_elem stored(const ir_type *t) {
  return t->elem == TSR_I1 ? TSR_I8 : (tsr_elem)t->elem;
}

static ir_value *converted(lowering *l, ir_value *v, tsr_elem elem) {
  return v->type->elem == elem ? v : tt_convert_int(l, v, elem, false);
}

static bool check_tile(lowering *l, const mapping *m, const ir_type *t) {
  bool same = t && t->rank == m->shape->rank && t->elem != TSR_PTR &&
              !memcmp(t->shape, m->shape->shape, t->rank * sizeof *t->shape);
  return same || tt_refuse(l, "'tt.map_elementwise' of %s and %s", ir_type_text(l->temp, m->shape),
                           t ? ir_type_text(l->temp, t) : "nothing");
}

static bool begin_map(lowering *l, tt_op *op, mapping *m, ir_value **in) {
  int64_t pack = tt_int_attr(op, "pack", 1);
  *m = (mapping){.op = op, .n_in = op->n_operands, .n_out = op->n_results};
  if (!op->n_regions || !op->regions[0]->first || m->n_in > TT_MAX_VALUES ||
      m->n_out > TT_MAX_VALUES)
    return tt_refuse(l, "'tt.map_elementwise' needs a body");
  for (uint32_t i = 0; i < m->n_in; i++) {
    if (!(in[i] = tt_use(l, op, i))) return false;
    if (!i) m->shape = in[0]->type;
    if (!check_tile(l, m, in[i]->type)) return false;
  }
  for (uint32_t i = 0; i < m->n_out; i++)
    if (!check_tile(l, m, tt_result_tile(op, i))) return false;
  if (pack < 1 || pack > TT_MAX_VALUES || m->shape->count % pack)
    return tt_refuse(l, "'tt.map_elementwise' by %lld of %s", (long long)pack,
                     ir_type_text(l->temp, m->shape));
  m->pack = (uint32_t)pack;
  if (op->regions[0]->first->n_args != m->n_in * pack)
    return tt_refuse(l, "the body takes %u values, not %u", op->regions[0]->first->n_args,
                     m->n_in * m->pack);
  if (tt_effects_of(l, op->regions[0]) != TT_PURE)
    return tt_refuse(l, "'tt.map_elementwise' whose body accesses memory");
  return true;
}

/* All tiles into memory; the token behind that. */
static ir_value *store_all(lowering *l, mapping *m, ir_value *const *in) {
  ir_value *all = NULL;
  for (uint32_t i = 0; i < m->n_in; i++) {
    const ir_type *t = in[i]->type;
    m->in[i] = allocate(l, stored(t), t->count);
    ir_value *to = pointers(l, m->in[i], offsets_of(l, t, t, 0, NULL));
    all = tt_join(l, all, store(l, to, converted(l, in[i], stored(t)), NULL));
  }
  for (uint32_t i = 0; i < m->n_out; i++)
    m->out[i] = allocate(l, stored(tt_result_tile(m->op, i)), m->shape->count);
  return all;
}

/* A turn of the loop: the elements from number `first` on. */
static bool map_turn(lowering *l, const mapping *m, ir_value *first, ir_value *token) {
  tt_block *body = m->op->regions[0]->first;
  ir_value *values[TT_MAX_VALUES], *at[TT_MAX_VALUES];
  uint32_t n = 0;
  for (uint32_t k = 0; k < m->pack; k++)
    at[k] = k ? tt_emit2(l, OP_addi, first->type, first, tt_int(l, first->type, k)) : first;
  for (uint32_t i = 0; i < body->n_args; i++) {
    const scratch *s = &m->in[i / m->pack];
    tsr_elem elem = (tsr_elem)m->op->operands[i / m->pack]->type.tile->elem;
    if (body->args[i].type.tile != ir_scalar(l->m, elem))
      return tt_refuse(l, "the body takes other types");
    ir_value *v = load(l, pointers(l, *s, at[i % m->pack]), (tsr_elem)s->pointer->pointee, token);
    body->args[i].now = converted(l, v, elem);
  }
  if (!tt_lower_blocks(l, m->op, m->op->regions[0], values, &n)) return false;
  if (n != m->n_out * m->pack) return tt_refuse(l, "the body gives %u values", n);
  for (uint32_t i = 0; i < n; i++) {
    const scratch *s = &m->out[i / m->pack];
    if (values[i]->type != ir_scalar(l->m, (tsr_elem)tt_result_tile(m->op, i / m->pack)->elem))
      return tt_refuse(l, "the body gives values of other types");
    ir_value *v = converted(l, values[i], (tsr_elem)s->pointer->pointee);
    token = store(l, pointers(l, *s, at[i % m->pack]), v, token);
  }
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_continue, .n_operands = 1, .operands = &token});
  return true;
}

bool tt_lower_map_elementwise(lowering *l, tt_op *op) {
  ir_value *in[TT_MAX_VALUES];
  mapping *m = arena_new(l->temp, mapping);
  if (!begin_map(l, op, m, in)) return false;
  const ir_type *i32 = ir_scalar(l->m, TSR_I32), *token = ir_token(l->m);
  ir_value *before = store_all(l, m, in);
  ir_op *loop =
      tt_emit_op(l, &(ir_op_spec){.opcode = OP_for,
                                  .n_operands = 4,
                                  .operands = (ir_value *[]){tt_int(l, i32, 0),
                                                             tt_int(l, i32, m->shape->count),
                                                             tt_int(l, i32, m->pack), before},
                                  .n_results = 1,
                                  .result_types = &token,
                                  .n_regions = 1});
  ir_block *outer = l->block;
  l->block = ir_region_create(l->m, loop, 0, 2, (const ir_type *[]){i32, token});
  bool good = map_turn(l, m, &l->block->args[0], &l->block->args[1]);
  l->block = outer;
  l->op = op;
  for (uint32_t i = 0; good && i < m->n_out; i++) {
    const ir_type *t = tt_result_tile(op, i);
    ir_value *from = pointers(l, m->out[i], offsets_of(l, t, t, 0, NULL));
    ir_value *v = load(l, from, stored(t), ir_result(loop, 0));
    good = tt_set(l, op, i, converted(l, v, (tsr_elem)t->elem));
  }
  return good;
}
