/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All widths are powers of two, so an element of one tile is a part of one of the other, or the
 * other way round. Elements are handled as integers; those below 8 bits lie in bytes.
 */
#include "block/bits.h"

#include <tessera/layout.h>

#include "block/access.h"
#include "opt/rewrite.h"

enum { ALIGNMENT = 64 };

/* Where the bits of an element of the result begin. */
typedef struct bit_place {
  int32_t thread, slot;
} bit_place;

typedef struct bits {
  const block_lowering *x;
  ir_op *op;
  const ir_type *from, *to; /* with layouts */
  unsigned from_bits, to_bits;
  const bit_place *places; /* of each element of the result */
  ir_value *base;          /* of the operand's elements in memory */
} bits;

static tsr_elem integer_of(unsigned width) {
  switch (width) {
  case 16: return TSR_I16;
  case 32: return TSR_I32;
  case 64: return TSR_I64;
  default: return TSR_I8;
  }
}

static int64_t flat_index(const ir_type *t, const int32_t *index) {
  int64_t n = 0;
  for (unsigned d = 0; d < t->rank; d++) n = n * t->shape[d] + index[d];
  return n;
}

/* Of an element that several threads hold, the first one's bits count. */
static bit_place *find_places(const bits *b) {
  bit_place *places = arena_array(b->x->arena, bit_place, (size_t)b->to->count);
  int32_t index[TSR_LAYOUT_MAX_RANK];
  int32_t slots = (int32_t)tsr_layout_local_size(b->to->layout);
  for (int32_t t = (int32_t)tsr_layout_spatial_size(b->to->layout); t-- > 0;)
    for (int32_t s = 0; s < slots; s++) {
      tsr_layout_get_global(b->to->layout, t, s, index);
      places[flat_index(b->to, index)] = (bit_place){t, s};
    }
  return places;
}

static ir_value *make(const bits *b, op_code opcode, const ir_type *t, uint32_t n,
                      ir_value *const *operands) {
  return ir_result(rewrite_make(b->x->m, b->op, opcode, t, n, operands), 0);
}

static ir_value *make_two(const bits *b, op_code opcode, ir_value *v, ir_value *w) {
  return make(b, opcode, v->type, 2, (ir_value *[]){v, w});
}

static const ir_type *tile_of(const bits *b, const ir_type *like, tsr_elem elem) {
  return ir_tile(b->x->m, elem, 0, like->rank, like->shape);
}

/* Between an element type and the integers that hold it. */
static ir_value *converted(const bits *b, ir_value *v, tsr_elem elem) {
  unsigned has = tsr_elem_bits((tsr_elem)v->type->elem), wants = tsr_elem_bits(elem);
  if (v->type->elem == elem) return v;
  op_code opcode = has == wants ? OP_bitcast : has < wants ? OP_exti : OP_trunci;
  ir_value *to = make(b, opcode, tile_of(b, v->type, elem), 1, &v);
  if (opcode == OP_exti) ir_set_int(to->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return to;
}

/* The operand in memory, at the beginning of which `base` points. */
static bool store_operand(bits *b) {
  ir_module *m = b->x->m;
  ir_op *first = b->x->entry->regions[0]->first;
  tsr_elem elem = integer_of(b->from_bits);
  int64_t strides[TSR_LAYOUT_MAX_RANK], count = 1;
  for (unsigned d = b->from->rank; d-- > 0; count *= b->from->shape[d]) strides[d] = count;
  ir_op *memory = rewrite_make(m, first, OP_alloca, ir_tile(m, TSR_PTR, elem, 0, NULL), 0, NULL);
  memory->loc = b->op->loc;
  ir_set_int(memory, ATTR_num_elem, count);
  ir_set_int(memory, ATTR_alignment, ALIGNMENT);
  b->base = ir_result(memory, 0);
  const ir_type *view = ir_tensor_view(m, elem, b->from->rank, b->from->shape, strides);
  ir_op *made = ir_op_create(m, &(ir_op_spec){.opcode = OP_make_tensor_view,
                                              .loc = b->op->loc,
                                              .n_operands = 1,
                                              .operands = &b->base,
                                              .segments = (uint32_t[]){1, 0, 0},
                                              .n_results = 1,
                                              .result_types = &view});
  ir_op_insert_before(first, made);
  sum zeros[TSR_LAYOUT_MAX_RANK];
  for (unsigned d = 0; d < b->from->rank; d++) zeros[d] = sum_number(UINT64_C(1) << 32, 0);
  window w = {.view = ir_result(made, 0),
              .type = tile_of(b, b->from, elem),
              .offset_type = ir_scalar(m, TSR_I32),
              .offsets = zeros};
  return window_store(b->x, b->op, &w, converted(b, ir_operand(b->op, 0), elem));
}

/* A constant of the result's shape: of the bits from `skip` on in each element of the result,
 * where the operand's element lies that they are of, or, if `shifts`, where in it they are. */
static ir_value *constants(const bits *b, unsigned skip, bool shifts, tsr_elem elem,
                           bool *all_zero) {
  size_t n = (size_t)b->to->count;
  uint64_t *numbers = arena_array(b->x->arena, uint64_t, n);
  int32_t index[TSR_LAYOUT_MAX_RANK];
  *all_zero = true;
  for (size_t k = 0; k < n; k++) {
    int64_t bit = (int64_t)b->places[k].slot * b->to_bits + skip;
    tsr_layout_get_global(b->from->layout, b->places[k].thread, (int32_t)(bit / b->from_bits),
                          index);
    numbers[k] = (uint64_t)(shifts ? bit % b->from_bits : flat_index(b->from, index));
    *all_zero &= numbers[k] == 0;
  }
  size_t size = tsr_elem_storage(elem, n);
  void *data = arena_alloc(b->x->arena, size, 8);
  memset(data, 0, size);
  num_store_array(data, numbers, elem, 0, n);
  return rewrite_constant(
      b->x->m, b->op,
      ir_dense_create(b->x->m, tile_of(b, b->to, elem), false, data, (uint32_t)size));
}

/* The operand's elements that hold these bits. */
static ir_value *gathered(const bits *b, unsigned skip) {
  ir_module *m = b->x->m;
  bool unused;
  int64_t ones[TSR_LAYOUT_MAX_RANK];
  const ir_type *t = b->base->type, *token = ir_token(m);
  for (unsigned d = 0; d < b->to->rank; d++) ones[d] = 1;
  ir_value *p = make(b, OP_reshape, ir_tile_reshaped(m, t, b->to->rank, ones), 1, &b->base);
  p = make(b, OP_broadcast, ir_tile_reshaped(m, t, b->to->rank, b->to->shape), 1, &p);
  ir_value *where = constants(b, skip, false, TSR_I32, &unused);
  p = make(b, OP_offset, p->type, 2, (ir_value *[]){p, where});
  const ir_type *results[] = {tile_of(b, b->to, (tsr_elem)t->pointee), token};
  ir_op *load = ir_op_create(m, &(ir_op_spec){.opcode = OP_load_ptr_tko,
                                              .loc = b->op->loc,
                                              .n_operands = 1,
                                              .operands = &p,
                                              .segments = (uint32_t[]){1, 0, 0, 0},
                                              .n_results = 2,
                                              .result_types = results});
  ir_set_int(load, ATTR_memory_ordering_semantics, ORDER_WEAK);
  ir_op_insert_before(b->op, load);
  return ir_result(load, 0);
}

/* Parts of elements: what is below them is shifted out, what is above is cut off. */
static ir_value *cut_out(const bits *b) {
  ir_value *v = gathered(b, 0);
  bool all_zero;
  ir_value *by = constants(b, 0, true, (tsr_elem)v->type->elem, &all_zero);
  if (all_zero) return v;
  v = make_two(b, OP_shri, v, by);
  ir_set_int(v->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return v;
}

static ir_value *put_together(const bits *b) {
  tsr_elem elem = integer_of(b->to_bits);
  ir_value *all = NULL;
  for (unsigned skip = 0; skip < b->to_bits; skip += b->from_bits) {
    ir_value *v = converted(b, gathered(b, skip), elem);
    if (skip) v = make_two(b, OP_shli, v, rewrite_splat(b->x->m, b->op, v->type, skip));
    all = all ? make_two(b, OP_ori, all, v) : v;
  }
  return all;
}

/* From the integers that hold them, by way of those of their own width. */
static ir_value *narrowed(const bits *b, ir_value *v) {
  tsr_elem elem = (tsr_elem)b->to->elem;
  bool is_float = tsr_elem_is_float(elem);
  return converted(b, converted(b, v, is_float ? integer_of(b->to_bits) : elem), elem);
}

bool bits_lower(const block_lowering *x, ir_op *op) {
  bits b = {.x = x, .op = op, .from = ir_operand(op, 0)->type, .to = ir_result(op, 0)->type};
  b.from_bits = tsr_elem_bits((tsr_elem)b.from->elem);
  b.to_bits = tsr_elem_bits((tsr_elem)b.to->elem);
  for (unsigned i = 0; i < 2; i++) {
    const ir_type *t = i ? b.to : b.from;
    if (t->elem != TSR_F4E2M1FN && t->elem != TSR_TF32) continue;
    ir_error(x->m, op, "the bits of %s are not compiled for CPUs yet; the target interp runs it",
             ir_type_text(x->arena, t));
    return false;
  }
  b.places = find_places(&b);
  if (!store_operand(&b)) return false;
  ir_value *v = narrowed(&b, b.to_bits > b.from_bits ? put_together(&b) : cut_out(&b));
  v->type = b.to; /* for the next one that asks for it */
  rewrite_replace_op(op, &v);
  return true;
}
