/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the widths are powers of two, an element of one tile is a part of one of the other, or the
 * other way round; else it consists of parts of several. Elements are handled as integers; those
 * below 8 bits lie in bytes.
 */
#include "block/bits.h"

#include <tessera/layout.h>

#include "block/memory.h"
#include "block/planes.h"
#include "num/num.h"
#include "opt/rewrite.h"

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

/* The integers that have exactly so many bits. */
static tsr_elem exact_integer(unsigned width) {
  static const tsr_elem below_bytes[] = {TSR_I8, TSR_I1, TSR_I2, TSR_I3, TSR_I4,
                                         TSR_I5, TSR_I6, TSR_I7, TSR_I8};
  return width < ARRAY_LEN(below_bytes) ? below_bytes[width] : integer_of(width);
}

/* Of an element that several threads hold, the first one's bits count. */
static bit_place *find_places(const bits *b) {
  bit_place *places = arena_array(b->x->arena, bit_place, (size_t)b->to->count);
  int32_t index[TSR_LAYOUT_MAX_RANK];
  int32_t slots = (int32_t)tsr_layout_local_size(b->to->layout);
  for (int32_t t = (int32_t)tsr_layout_spatial_size(b->to->layout); t-- > 0;)
    for (int32_t s = 0; s < slots; s++) {
      tsr_layout_get_global(b->to->layout, t, s, index);
      places[planes_number(b->to, index)] = (bit_place){t, s};
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

/* Integers as wider ones, zero-extended, or as narrower ones. */
static ir_value *resized(const bits *b, ir_value *v, tsr_elem elem) {
  if (v->type->elem == elem) return v;
  bool wider = tsr_elem_bits(elem) > tsr_elem_bits((tsr_elem)v->type->elem);
  ir_value *to = make(b, wider ? OP_exti : OP_trunci, tile_of(b, v->type, elem), 1, &v);
  if (wider) ir_set_int(to->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return to;
}

/* The same bits as another type of the same width. To and from tf32 and i4 that is an extension of
 * the language. */
static ir_value *recast(const bits *b, ir_value *v, tsr_elem elem) {
  if (v->type->elem == elem) return v;
  b->x->m->extensions |= elem == TSR_TF32 || v->type->elem == TSR_TF32 || tsr_elem_bits(elem) == 4;
  return make(b, OP_bitcast, tile_of(b, v->type, elem), 1, &v);
}

/* The operand's elements as the integers that they lie as in memory. */
static ir_value *as_integers(const bits *b) {
  ir_value *v = ir_operand(b->op, 0);
  if (tsr_elem_is_float((tsr_elem)v->type->elem)) v = recast(b, v, exact_integer(b->from_bits));
  return resized(b, v, integer_of(b->from_bits));
}

/* A pointer to the operand in memory. */
static ir_value *stored_operand(const bits *b) {
  ir_module *m = b->x->m;
  ir_value *base =
      memory_alloca(m, b->x->entry, b->op->loc, integer_of(b->from_bits), b->from->count, 0);
  ir_value *v = as_integers(b);
  memory_store(m, b->op, v, memory_view(m, b->op, b->op->loc, base, b->from->rank, b->from->shape));
  return base;
}

/* A constant of the result's shape. */
static ir_value *constants(const bits *b, const uint64_t *numbers, tsr_elem elem) {
  size_t n = (size_t)b->to->count, size = tsr_elem_storage(elem, n);
  void *data = arena_alloc(b->x->arena, size, 8);
  memset(data, 0, size);
  num_store_array(data, numbers, elem, 0, n);
  return rewrite_constant(
      b->x->m, b->op,
      ir_dense_create(b->x->m, tile_of(b, b->to, elem), false, data, (uint32_t)size));
}

/* Of the bits from `skip` on in an element of the result: the operand's element that they are of,
 * `further` elements on, and where in it they begin. */
static uint64_t source_of(const bits *b, size_t element, unsigned skip, unsigned further,
                          unsigned *begin) {
  int32_t index[TSR_LAYOUT_MAX_RANK];
  const bit_place *p = &b->places[element];
  int64_t bit = (int64_t)p->slot * b->to_bits + skip, slot = bit / b->from_bits + further;
  *begin = (unsigned)(bit % b->from_bits);
  if (slot >= tsr_layout_local_size(b->from->layout)) slot--; /* nothing is taken of it */
  tsr_layout_get_global(b->from->layout, p->thread, (int32_t)slot, index);
  return (uint64_t)planes_number(b->from, index);
}

/* The operand's elements with these numbers. */
static ir_value *gathered(const bits *b, const uint64_t *numbers) {
  ir_module *m = b->x->m;
  int64_t ones[TSR_LAYOUT_MAX_RANK];
  const ir_type *t = b->base->type, *token = ir_token(m);
  for (unsigned d = 0; d < b->to->rank; d++) ones[d] = 1;
  ir_value *p =
      make(b, OP_reshape, ir_tile_reshaped(m, t, b->to->rank, ones), 1, (ir_value *[]){b->base});
  p = make(b, OP_broadcast, ir_tile_reshaped(m, t, b->to->rank, b->to->shape), 1, &p);
  ir_value *where = constants(b, numbers, TSR_I32);
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

static uint64_t *numbers_of(const bits *b) {
  return arena_array(b->x->arena, uint64_t, (size_t)b->to->count);
}

static ir_value *shifted(const bits *b, op_code opcode, ir_value *v, ir_value *by) {
  v = make_two(b, opcode, v, by);
  if (opcode == OP_shri) ir_set_int(v->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return v;
}

/* Parts of elements: what is below them is shifted out, what is above is cut off. */
static ir_value *cut_out(const bits *b) {
  uint64_t *where = numbers_of(b), *by = numbers_of(b);
  bool all_zero = true;
  for (size_t k = 0; k < (size_t)b->to->count; k++) {
    unsigned begin;
    where[k] = source_of(b, k, 0, 0, &begin);
    by[k] = begin;
    all_zero &= begin == 0;
  }
  ir_value *v = gathered(b, where);
  return all_zero ? v : shifted(b, OP_shri, v, constants(b, by, (tsr_elem)v->type->elem));
}

static ir_value *put_together(const bits *b) {
  tsr_elem elem = integer_of(b->to_bits);
  ir_value *all = NULL;
  for (unsigned skip = 0; skip < b->to_bits; skip += b->from_bits) {
    uint64_t *where = numbers_of(b);
    unsigned unused;
    for (size_t k = 0; k < (size_t)b->to->count; k++) where[k] = source_of(b, k, skip, 0, &unused);
    ir_value *v = resized(b, gathered(b, where), elem);
    if (skip) v = shifted(b, OP_shli, v, rewrite_splat(b->x->m, b->op, v->type, skip));
    all = all ? make_two(b, OP_ori, all, v) : v;
  }
  return all;
}

/* What the operand's element that lies `further` elements behind the first has of each element of
 * the result, at its place there; NULL: nothing. */
static ir_value *part_of_elements(const bits *b, unsigned further, tsr_elem elem) {
  uint64_t *where = numbers_of(b), *down = numbers_of(b), *up = numbers_of(b),
           *mask = numbers_of(b);
  bool any = false;
  for (size_t k = 0; k < (size_t)b->to->count; k++) {
    unsigned begin;
    where[k] = source_of(b, k, 0, further, &begin);
    unsigned at = further * b->from_bits; /* of the element, from the first one's bit 0 on */
    bool has = at < begin + b->to_bits;
    down[k] = has && begin > at ? begin - at : 0;
    up[k] = has && at > begin ? at - begin : 0;
    mask[k] = has ? num_mask(tsr_elem_bits(elem)) : 0;
    any |= has;
  }
  if (!any) return NULL;
  ir_value *v = resized(b, gathered(b, where), elem);
  if (!further) return shifted(b, OP_shri, v, constants(b, down, elem));
  v = make_two(b, OP_andi, v, constants(b, mask, elem));
  return shifted(b, OP_shli, v, constants(b, up, elem));
}

static ir_value *joined_parts(const bits *b) {
  tsr_elem elem = integer_of(MAX(b->from_bits, b->to_bits));
  ir_value *all = part_of_elements(b, 0, elem), *more;
  for (unsigned further = 1; (more = part_of_elements(b, further, elem)); further++)
    all = make_two(b, OP_ori, all, more);
  return all;
}

/* From the integers that hold them, by way of those of their own width. */
static ir_value *narrowed(const bits *b, ir_value *v) {
  return recast(b, resized(b, v, exact_integer(b->to_bits)), (tsr_elem)b->to->elem);
}

static ir_value *from_elements(bits *b) {
  b->base = stored_operand(b);
  unsigned widest = MAX(b->from_bits, b->to_bits), other = MIN(b->from_bits, b->to_bits);
  return widest % other              ? joined_parts(b)
         : b->to_bits > b->from_bits ? put_together(b)
                                     : cut_out(b);
}

/* Through memory once more, in the result's order, so that users of the result load neighbours.
 */
static ir_value *from_planes(const bits *b, const planes *p) {
  ir_module *m = b->x->m;
  tsr_elem as = integer_of(b->to_bits);
  ir_value *v = planes_are_one(p) ? planes_take(m, b->op, p, as_integers(b), as)
                                  : planes_load(m, b->op, p, stored_operand(b), as);
  ir_value *memory = memory_alloca(m, b->x->entry, b->op->loc, as, b->to->count, 0);
  ir_value *view = memory_view(m, b->op, b->op->loc, memory, b->to->rank, b->to->shape);
  memory_store(m, b->op, v, view);
  return memory_load(m, b->op, view);
}

/* Whether the result's elements are the operand's first ones, in their order: rows of it, or all of
 * it in another shape. */
static bool is_beginning(const bits *b) {
  const ir_type *from = b->from, *to = b->to;
  if (from->elem != to->elem || from->rank < 1 || to->rank < 1) return false;
  bool rows = from->rank == to->rank && from->shape[0] % to->shape[0] == 0;
  for (unsigned d = 1; d < from->rank && rows; d++) rows = from->shape[d] == to->shape[d];
  if (!rows && from->count != to->count) return false;
  unsigned begin;
  for (size_t k = 0; k < (size_t)to->count; k++)
    if (source_of(b, k, 0, 0, &begin) != k) return false;
  return true;
}

static ir_value *beginning(const bits *b) {
  const ir_type *t = tile_of(b, b->to, (tsr_elem)b->to->elem);
  ir_value *operands[1 + TSR_LAYOUT_MAX_RANK] = {ir_operand(b->op, 0)};
  if (b->from->count == b->to->count) return make(b, OP_reshape, t, 1, operands);
  for (unsigned d = 0; d < t->rank; d++)
    operands[1 + d] = rewrite_splat(b->x->m, b->op, ir_scalar(b->x->m, TSR_I32), 0);
  return make(b, OP_extract, t, 1 + t->rank, operands);
}

void bits_lower(const block_lowering *x, ir_op *op) {
  bits b = {.x = x, .op = op, .from = ir_operand(op, 0)->type, .to = ir_result(op, 0)->type};
  b.from_bits = tsr_elem_bits((tsr_elem)b.from->elem);
  b.to_bits = tsr_elem_bits((tsr_elem)b.to->elem);
  b.places = find_places(&b);
  planes p = {.from = b.from,
              .to = b.to,
              .from_bits = b.from_bits,
              .to_bits = b.to_bits,
              .places = b.places};
  ir_value *v;
  if (is_beginning(&b))
    v = beginning(&b);
  else
    v = narrowed(&b, planes_find(&p) ? from_planes(&b, &p) : from_elements(&b));
  v->type = b.to; /* for the next one that asks for it */
  rewrite_replace_op(op, &v);
}
