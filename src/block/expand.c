/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/expand.h"

#include "ir/block/layouts.h"
#include "num/philox.h"
#include "opt/rewrite.h"

typedef struct maker {
  ir_module *m;
  ir_op *at;
} maker;

static ir_value *make(const maker *k, op_code opcode, const ir_type *t, uint32_t n,
                      ir_value *const *operands) {
  return ir_result(rewrite_make(k->m, k->at, opcode, t, n, operands), 0);
}

static ir_value *make_two(const maker *k, op_code opcode, ir_value *a, ir_value *b) {
  return make(k, opcode, a->type, 2, (ir_value *[]){a, b});
}

static ir_value *extended(const maker *k, ir_value *v, ir_signedness sign) {
  if (v->type->elem == TSR_I64) return v;
  ir_value *wide = make(k, OP_exti, ir_tile_like(k->m, v->type, TSR_I64), 1, &v);
  ir_set_int(wide->owner.op, ATTR_signedness, sign);
  return wide;
}

static bool replace(ir_op *op, ir_value *v) {
  rewrite_replace_op(op, &v);
  return true;
}

/* ---- tiles of indices and pointers ---------------------------------------------------------- */

/* A tile whose elements lie with those of `like`, of which it has the dimensions in `dims` alone,
 * or, `keep`, the others with size 1. */
static const ir_type *part_type(const maker *k, const ir_type *t, const ir_type *like, uint32_t n,
                                const int32_t *gone, bool keep) {
  int64_t shape[IR_MAX_RANK] = {0};
  unsigned rank = 0;
  for (unsigned d = 0; d < like->rank; d++) {
    bool out = false;
    for (uint32_t i = 0; i < n; i++) out |= gone[i] == (int32_t)d;
    if (!out || keep) shape[rank++] = out ? 1 : like->shape[d];
  }
  const ir_type *made = ir_tile_reshaped(k->m, t, rank, shape);
  tsr_layout l;
  if (!rank || !like->layout || tsr_layout_reduce(&l, like->layout, n, gone, keep, NULL) != TSR_OK)
    return made;
  return ir_with_layout(k->m, made, &l);
}

/* The same shape and layout, with elements as those of `t`. */
static const ir_type *full_type(const maker *k, const ir_type *t, const ir_type *like) {
  return part_type(k, t, like, 0, NULL, true);
}

/* A scalar in every element. */
static ir_value *spread(const maker *k, ir_value *v, const ir_type *like) {
  int32_t all[IR_MAX_RANK];
  if (!like->rank) return v;
  for (unsigned d = 0; d < like->rank; d++) all[d] = (int32_t)d;
  const ir_type *t = v->type;
  v = make(k, OP_reshape, part_type(k, t, like, like->rank, all, true), 1, &v);
  return make(k, OP_broadcast, full_type(k, t, like), 1, &v);
}

/* The index along a dimension in every element, in i64. */
static ir_value *count_along(const maker *k, const ir_type *like, unsigned dim) {
  int32_t others[IR_MAX_RANK];
  uint32_t n = 0;
  for (unsigned d = 0; d < like->rank; d++)
    if (d != dim) others[n++] = (int32_t)d;
  const ir_type *t = ir_scalar(k->m, TSR_I64);
  ir_value *v = make(k, OP_iota, part_type(k, t, like, n, others, false), 0, NULL);
  v = make(k, OP_reshape, part_type(k, t, like, n, others, true), 1, &v);
  return make(k, OP_broadcast, full_type(k, t, like), 1, &v);
}

/* Views are not handed on by loops and branches, so each comes from a make_tensor_view. */
static const ir_op *view_of(const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  while (op->opcode == OP_assume) op = ir_defining_op(ir_operand(op, 0));
  return op;
}

/* An extent or, behind them, a stride of a view, in i64. */
static ir_value *size_of(const maker *k, const ir_op *view, unsigned which) {
  const ir_type *t = ir_result(view, 0)->type;
  uint32_t operand = 1;
  int64_t known = 0;
  for (unsigned d = 0; d <= which; d++) {
    known = d < t->rank ? t->shape[d] : t->strides[d - t->rank];
    operand += d < which && known == IR_DYNAMIC;
  }
  if (known == IR_DYNAMIC) return extended(k, ir_operand(view, operand), SIGN_UNSIGNED);
  return rewrite_splat(k->m, k->at, ir_scalar(k->m, TSR_I64), (uint64_t)known);
}

/* The elements of a tile at an offset of a view: pointers, and which are inside and not masked. */
static ir_value *pointers_to(const maker *k, const ir_value *view_value, const ir_use *offsets,
                             ir_value *mask, const ir_type *like, ir_value **inside) {
  const ir_op *view = view_of(view_value);
  ir_value *far = NULL;
  *inside = mask;
  for (unsigned d = 0; d < like->rank; d++) {
    ir_value *start = spread(k, extended(k, offsets[d].value, SIGN_SIGNED), like);
    ir_value *c = make_two(k, OP_addi, start, count_along(k, like, d));
    ir_value *extent = spread(k, size_of(k, view, d), like);
    ir_value *below =
        make(k, OP_cmpi, ir_tile_like(k->m, c->type, TSR_I1), 2, (ir_value *[]){c, extent});
    ir_set_int(below->owner.op, ATTR_comparison_predicate, CMP_LESS);
    ir_set_int(below->owner.op, ATTR_signedness, SIGN_UNSIGNED); /* negative ones are large */
    *inside = *inside ? make_two(k, OP_andi, *inside, below) : below;
    ir_value *stride = spread(k, size_of(k, view, like->rank + d), like);
    ir_value *part = make_two(k, OP_muli, c, stride);
    far = far ? make_two(k, OP_addi, far, part) : part;
  }
  ir_value *base = spread(k, ir_operand(view, 0), like);
  return far ? make_two(k, OP_offset, base, far) : base;
}

/* ---- global memory -------------------------------------------------------------------------- */

static bool expand_global(ir_module *m, ir_op *op) {
  maker k = {m, op};
  bool swap = op->opcode == OP_atomic_cas_global;
  unsigned group = swap ? 2 : 1;
  uint32_t n_offsets, n = 0, segments[5] = {1, 1, 0, 0};
  const ir_type *types[] = {ir_result(op, 0)->type, ir_token(m)};
  ir_value *inside, *operands[4];
  operands[n++] =
      pointers_to(&k, ir_operand_in(op, group), ir_operand_group(op, group + 1, &n_offsets),
                  ir_operand_in(op, group + 2), types[0], &inside);
  for (unsigned i = 0; i < group; i++) operands[n++] = ir_operand(op, i);
  if (inside) operands[n++] = inside;
  if (swap) segments[2] = 1;
  segments[group + 1] = inside != NULL;
  ir_op *made =
      ir_op_create(m, &(ir_op_spec){.opcode = swap ? OP_atomic_cas_tko : OP_atomic_rmw_tko,
                                    .loc = op->loc,
                                    .n_operands = n,
                                    .operands = operands,
                                    .segments = segments,
                                    .n_results = 2,
                                    .result_types = types});
  ir_set_int(made, ATTR_memory_ordering_semantics, ORDER_RELAXED);
  ir_set_int(made, ATTR_memory_scope, SCOPE_DEVICE);
  if (!swap) ir_set_int(made, ATTR_mode, ir_int_attr(op, ATTR_mode));
  ir_op_insert_before(op, made);
  return replace(op, ir_result(made, 0));
}

/* ---- shared memory without threads ---------------------------------------------------------- */

static ir_value *with_sign(ir_value *v, ir_signedness sign) {
  ir_set_int(v->owner.op, ATTR_signedness, sign);
  return v;
}

static ir_value *combined(const maker *k, ir_rmw mode, ir_value *old, ir_value *x) {
  switch (mode) {
  case RMW_AND: return make_two(k, OP_andi, old, x);
  case RMW_OR: return make_two(k, OP_ori, old, x);
  case RMW_XOR: return make_two(k, OP_xori, old, x);
  case RMW_ADD: return make_two(k, OP_addi, old, x);
  case RMW_ADDF: return make_two(k, OP_addf, old, x);
  case RMW_MAX: return with_sign(make_two(k, OP_maxi, old, x), SIGN_SIGNED);
  case RMW_MIN: return with_sign(make_two(k, OP_mini, old, x), SIGN_SIGNED);
  case RMW_UMAX: return with_sign(make_two(k, OP_maxi, old, x), SIGN_UNSIGNED);
  case RMW_UMIN: return with_sign(make_two(k, OP_mini, old, x), SIGN_UNSIGNED);
  case RMW_XCHG: break;
  }
  return x;
}

static ir_value *select(const maker *k, ir_value *condition, ir_value *yes, ir_value *no) {
  return make(k, OP_select, yes->type, 3, (ir_value *[]){condition, yes, no});
}

/* The same bits as an integer. */
static ir_value *bits_of(const maker *k, ir_value *v) {
  tsr_elem elem = (tsr_elem)v->type->elem;
  if (tsr_elem_is_int(elem)) return v;
  tsr_elem whole = tsr_elem_bits(elem) == 64 ? TSR_I64 : TSR_I32;
  return make(k, OP_bitcast, ir_tile_like(k->m, v->type, whole), 1, &v);
}

static ir_value *swapped(const maker *k, ir_value *old, ir_value *expected, ir_value *x) {
  ir_value *a = bits_of(k, old), *b = bits_of(k, expected);
  ir_value *same = make(k, OP_cmpi, ir_tile_like(k->m, a->type, TSR_I1), 2, (ir_value *[]){a, b});
  ir_set_int(same->owner.op, ATTR_comparison_predicate, CMP_EQUAL);
  ir_set_int(same->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return select(k, same, x, old);
}

static bool expand_shared(ir_module *m, ir_op *op) {
  maker k = {m, op};
  bool swap = op->opcode == OP_atomic_cas_shared;
  ir_value *first = ir_operand(op, 0), *dest = ir_operand_in(op, swap ? 2 : 1);
  ir_value *mask = ir_operand_in(op, swap ? 3 : 2);
  ir_value *old = make(&k, OP_load_shared, first->type, 1, &dest);
  ir_value *x = swap ? swapped(&k, old, first, ir_operand(op, 1))
                     : combined(&k, (ir_rmw)ir_int_attr(op, ATTR_mode), old, first);
  if (mask) x = select(&k, mask, x, old);
  ir_op_insert_before(op, ir_op_create(m, &(ir_op_spec){.opcode = OP_store_shared,
                                                        .loc = op->loc,
                                                        .n_operands = 2,
                                                        .operands = (ir_value *[]){x, dest}}));
  ir_value *idle = swap ? first : rewrite_splat(m, op, first->type, 0);
  return replace(op, mask ? select(&k, mask, old, idle) : old);
}

/* ---- random numbers ------------------------------------------------------------------------- */

static ir_value *word_of(const maker *k, ir_value *v, bool high) {
  if (high) {
    ir_value *by = rewrite_splat(k->m, k->at, v->type, 32);
    v = with_sign(make_two(k, OP_shri, v, by), SIGN_UNSIGNED);
  }
  return make(k, OP_trunci, ir_tile_like(k->m, v->type, TSR_I32), 1, &v);
}

static void philox_round(const maker *k, ir_value *words[4], ir_value *const key[2]) {
  static const uint32_t by[2] = PHILOX_MULTIPLIERS;
  ir_value *low[2], *high[2];
  for (unsigned i = 0; i < 2; i++) {
    ir_value *factor = rewrite_splat(k->m, k->at, words[0]->type, by[i]);
    low[i] = make_two(k, OP_muli, words[2 * i], factor);
    high[i] = make_two(k, OP_mulhii, words[2 * i], factor);
  }
  for (unsigned i = 0; i < 2; i++) {
    ir_value *mixed = make_two(k, OP_xori, high[1 - i], words[2 * i + 1]);
    words[2 * i] = make_two(k, OP_xori, mixed, spread(k, key[i], words[0]->type));
    words[2 * i + 1] = low[1 - i];
  }
}

static bool expand_philox(ir_module *m, ir_op *op) {
  static const uint32_t steps[2] = PHILOX_STEPS;
  maker k = {m, op};
  ir_value *seed = ir_operand(op, 0), *offset = ir_operand(op, 1), *words[4], *key[2];
  for (unsigned i = 0; i < 2; i++) {
    key[i] = word_of(&k, seed, i);
    words[i] = word_of(&k, offset, i);
    words[2 + i] = rewrite_splat(m, op, words[i]->type, 0);
  }
  for (int64_t r = 0; r < ir_int_attr(op, ATTR_rounds); r++) {
    philox_round(&k, words, key);
    for (unsigned i = 0; i < 2; i++)
      key[i] = make_two(&k, OP_addi, key[i], rewrite_splat(m, op, key[i]->type, steps[i]));
  }
  rewrite_replace_op(op, words);
  return true;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static bool expand_op(ir_module *m, ir_op *op, bool alone) {
  switch ((op_code)op->opcode) {
  case OP_atomic_global:
  case OP_atomic_cas_global: return expand_global(m, op);
  case OP_atomic_shared:
  case OP_atomic_cas_shared: return alone && expand_shared(m, op);
  case OP_philox: return expand_philox(m, op);
  default: return false;
  }
}

static void expand_block(ir_module *m, ir_block *b, bool alone) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) expand_block(m, op->regions[r], alone);
    expand_op(m, op, alone);
  }
}

void block_expand(ir_module *m, ir_op *entry, bool alone) {
  expand_block(m, entry->regions[0], alone);
}
