/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Offsets are signed, indices of views are not. Where an offset may be negative, extents are cut to
 * those that signed numbers reach: read as an unsigned number, a negative offset is then behind
 * them, as is the tile whose number is a negative one, read so.
 *
 * An offset that is a sum of multiples of the tile's size is divided term by term, so that the
 * index of a loop over tiles is the loop's counter. That is the same only where the offset never
 * wraps around; else the offset itself is shifted.
 */
#include "block/access.h"

#include "opt/rewrite.h"

typedef struct maker {
  const block_lowering *x;
  ir_op *at;
} maker;

static ir_value *make(const maker *k, op_code opcode, const ir_type *t, uint32_t n,
                      ir_value *const *operands) {
  return ir_result(rewrite_make(k->x->m, k->at, opcode, t, n, operands), 0);
}

static ir_value *make_two(const maker *k, op_code opcode, ir_value *a, ir_value *b) {
  return make(k, opcode, a->type, 2, (ir_value *[]){a, b});
}

static ir_value *widened(const maker *k, ir_value *v, ir_signedness sign) {
  if (v->type->elem == TSR_I64) return v;
  ir_value *wide = make(k, OP_exti, ir_tile_like(k->x->m, v->type, TSR_I64), 1, &v);
  ir_set_int(wide->owner.op, ATTR_signedness, sign);
  return wide;
}

/* ---- indices of views ----------------------------------------------------------------------- */

/* How an offset becomes an index. */
typedef struct index_form {
  bool fails;   /* it does not: no multiple of the tile's size, and perhaps negative */
  bool element; /* tiles begin at every element */
  bool shifted; /* the offset is shifted, not divided term by term */
  bool cut;     /* the extent is cut */
  bool widened; /* instead of that, as it is in the type, the index is extended to 64 bits */
} index_form;

/* Views are not handed on by loops and branches, so each comes from a make_tensor_view. */
static const ir_op *view_of(const window *w) {
  const ir_op *op = ir_defining_op(w->view);
  while (op->opcode == OP_assume) op = ir_defining_op(ir_operand(op, 0));
  return op;
}

/* The value of a dynamic extent or stride; NULL: it is in the type. Strides follow extents. */
static ir_value *dynamic_of(const ir_op *view, unsigned which) {
  const ir_type *t = ir_result(view, 0)->type;
  uint32_t operand = 1;
  for (unsigned d = 0; d < which; d++)
    operand += (d < t->rank ? t->shape[d] : t->strides[d - t->rank]) == IR_DYNAMIC;
  bool dynamic = (which < t->rank ? t->shape[which] : t->strides[which - t->rank]) == IR_DYNAMIC;
  return dynamic ? ir_operand(view, operand) : NULL;
}

/* Whether an extent in the type needs no cutting. */
static bool static_fits(const window *w, unsigned d) {
  unsigned bits = tsr_elem_bits((tsr_elem)w->offset_type->elem);
  int64_t extent = w->view->type->shape[d];
  return extent == IR_DYNAMIC || bits == 64 || extent <= INT64_C(1) << (bits - 1);
}

static index_form form_of(const block_lowering *x, const window *w, unsigned d) {
  const sum *s = &w->offsets[d];
  uint64_t size = (uint64_t)w->type->shape[d];
  unsigned bits = tsr_elem_bits((tsr_elem)w->offset_type->elem);
  num_i128 low, high;
  sum_range(x->known, s, &low, &high);
  bool exact = num_int_fits(low, bits, true) && num_int_fits(high, bits, true);
  bool positive = exact && low >= 0, divides = sum_is_multiple(s, size);
  if (!divides && !sum_is_known_multiple(x->known, s, size))
    return (index_form){.fails = !positive, .element = true};
  bool wraps = !exact && !(low >= 0 && num_int_fits(high, bits, false));
  bool fits = static_fits(w, d);
  return (index_form){.shifted = !divides || wraps || (!positive && (bits == 64 || !fits)),
                      .cut = !positive && fits,
                      .widened = !positive && !fits};
}

static ir_value *shifted(const maker *k, ir_value *v, uint64_t by, ir_signedness sign) {
  ir_value *amount =
      rewrite_splat(k->x->m, k->at, v->type, (uint64_t)__builtin_ctzll((unsigned long long)by));
  ir_value *q = make_two(k, OP_shri, v, amount);
  ir_set_int(q->owner.op, ATTR_signedness, sign);
  return q;
}

static ir_value *make_index(const maker *k, const window *w, unsigned d, index_form f) {
  ir_module *m = k->x->m;
  uint64_t size = (uint64_t)w->type->shape[d];
  sum q = f.element || f.shifted ? w->offsets[d] : sum_divided(&w->offsets[d], size);
  ir_value *v = sum_make(m, k->at, &q, w->offset_type);
  if (f.element || !f.shifted || size == 1) return v;
  return shifted(k, v, size, f.widened ? SIGN_SIGNED : SIGN_UNSIGNED);
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Before what comes behind the operation: what depends only on it is made there once. */
static ir_op *place_behind(const ir_value *v, ir_op *at) {
  return v->is_arg ? at : v->owner.op->next;
}

/* The view with the extents of these dimensions at most 2^(bits - 1). */
static ir_value *cut_view(const maker *k, const window *w, const bool *cut) {
  const ir_op *made = view_of(w);
  maker here = {k->x, place_behind(w->view, k->at)};
  ir_value *operands[1 + 2 * IR_MAX_RANK];
  for (uint32_t i = 0; i < made->n_operands; i++) operands[i] = ir_operand(made, i);
  bool any = false;
  uint32_t operand = 1;
  uint64_t most = UINT64_C(1) << (tsr_elem_bits((tsr_elem)w->offset_type->elem) - 1);
  for (unsigned d = 0; d < w->view->type->rank; d++) {
    if (w->view->type->shape[d] != IR_DYNAMIC) continue;
    ir_value *v = operands[operand++];
    unsigned bits = tsr_elem_bits((tsr_elem)v->type->elem);
    fact f = facts_of(k->x->known, v);
    bool fits = bits < 64 && most >> bits; /* no number of the type is beyond it */
    if (!cut[d] || fits || (f.min >= 0 && (uint64_t)f.max <= most)) continue;
    ir_value *limit = rewrite_splat(k->x->m, here.at, v->type, most);
    v = operands[operand - 1] = make_two(&here, OP_mini, v, limit);
    ir_set_int(v->owner.op, ATTR_signedness, SIGN_UNSIGNED);
    any = true;
  }
  if (!any) return w->view;
  ir_op *op = ir_op_create(k->x->m, &(ir_op_spec){.opcode = OP_make_tensor_view,
                                                  .loc = made->loc,
                                                  .n_operands = made->n_operands,
                                                  .operands = operands,
                                                  .segments = made->segments,
                                                  .n_results = 1,
                                                  .result_types = &w->view->type});
  ir_op_insert_before(here.at, op);
  return ir_result(op, 0);
}

static bool is_tile_view_of(const ir_op *op, const ir_value *view) {
  return (op->opcode == OP_make_partition_view || op->opcode == OP_make_strided_view) &&
         ir_operand(op, 0) == view;
}

/* Tiles at multiples of their size along the dimensions of multiples, at each element along the
 * others. */
static ir_value *tile_view(const maker *k, const window *w, ir_value *view, const index_form *forms,
                           int padding) {
  ir_module *m = k->x->m;
  unsigned rank = w->type->rank;
  int64_t steps[IR_MAX_RANK];
  bool strided = false;
  for (unsigned d = 0; d < rank; d++) {
    steps[d] = forms[d].element ? 1 : w->type->shape[d];
    strided |= steps[d] != w->type->shape[d];
  }
  const ir_type *t =
      strided ? ir_strided_view(m, rank, w->type->shape, steps, view->type, NULL, padding)
              : ir_partition_view(m, rank, w->type->shape, view->type, NULL, padding);
  ir_op *behind = place_behind(view, k->at);
  for (; !view->is_arg && is_tile_view_of(behind, view); behind = behind->next)
    if (ir_result(behind, 0)->type == t) return ir_result(behind, 0);
  maker here = {k->x, behind};
  return make(&here, strided ? OP_make_strided_view : OP_make_partition_view, t, 1, &view);
}

/* The tile view and the indices of an access; NULL: it needs pointers. */
static ir_value *open_view(const maker *k, const window *w, int padding, ir_value **index) {
  index_form forms[IR_MAX_RANK];
  bool cut[IR_MAX_RANK] = {false}, wide = false;
  unsigned rank = w->type->rank;
  if (w->mask) return NULL;
  for (unsigned d = 0; d < rank; d++) {
    forms[d] = form_of(k->x, w, d);
    if (forms[d].fails) return NULL;
    cut[d] = forms[d].cut;
    wide |= forms[d].widened;
  }
  for (unsigned d = 0; d < rank; d++) {
    index[d] = make_index(k, w, d, forms[d]);
    if (wide) index[d] = widened(k, index[d], forms[d].widened ? SIGN_SIGNED : SIGN_UNSIGNED);
  }
  return tile_view(k, w, cut_view(k, w, cut), forms, padding);
}

/* ---- pointers ------------------------------------------------------------------------------- */

typedef struct pointers {
  ir_value *at, *inside; /* tiles of pointers and of i1 */
} pointers;

/* A scalar in every element. */
static ir_value *spread(const maker *k, ir_value *v, const ir_type *like) {
  ir_module *m = k->x->m;
  const ir_type *t = v->type;
  int64_t ones[IR_MAX_RANK];
  if (!like->rank) return v;
  for (unsigned d = 0; d < like->rank; d++) ones[d] = 1;
  v = make(k, OP_reshape, ir_tile_reshaped(m, t, like->rank, ones), 1, &v);
  return make(k, OP_broadcast, ir_tile_reshaped(m, t, like->rank, like->shape), 1, &v);
}

/* The index along a dimension in every element, in i64. */
static ir_value *count_along(const maker *k, const ir_type *like, unsigned d) {
  ir_module *m = k->x->m;
  int64_t shape[IR_MAX_RANK];
  const ir_type *t = ir_tile(m, TSR_I64, 0, 1, &like->shape[d]);
  ir_value *v = make(k, OP_iota, t, 0, NULL);
  for (unsigned i = 0; i < like->rank; i++) shape[i] = i == d ? like->shape[d] : 1;
  v = make(k, OP_reshape, ir_tile(m, TSR_I64, 0, like->rank, shape), 1, &v);
  return make(k, OP_broadcast, ir_tile(m, TSR_I64, 0, like->rank, like->shape), 1, &v);
}

/* An extent or a stride, in i64. */
static ir_value *size_of(const maker *k, const ir_op *view, unsigned which) {
  const ir_type *t = ir_result(view, 0)->type;
  ir_value *v = dynamic_of(view, which);
  if (v) return widened(k, v, SIGN_UNSIGNED);
  int64_t number = which < t->rank ? t->shape[which] : t->strides[which - t->rank];
  return rewrite_splat(k->x->m, k->at, ir_scalar(k->x->m, TSR_I64), (uint64_t)number);
}

/* Coordinates below 0 are large as unsigned numbers, and so beyond every extent. */
static pointers make_pointers(const maker *k, const window *w) {
  ir_module *m = k->x->m;
  const ir_op *view = view_of(w);
  const ir_type *t = w->type;
  const ir_type *i1 = ir_tile_like(m, t, TSR_I1);
  ir_value *total = NULL, *inside = w->mask;
  for (unsigned d = 0; d < t->rank; d++) {
    ir_value *start = widened(k, sum_make(m, k->at, &w->offsets[d], w->offset_type), SIGN_SIGNED);
    ir_value *c = make_two(k, OP_addi, spread(k, start, t), count_along(k, t, d));
    ir_value *extent = spread(k, size_of(k, view, d), t);
    ir_value *below = make(k, OP_cmpi, i1, 2, (ir_value *[]){c, extent});
    ir_set_int(below->owner.op, ATTR_comparison_predicate, CMP_LESS);
    ir_set_int(below->owner.op, ATTR_signedness, SIGN_UNSIGNED);
    inside = inside ? make_two(k, OP_andi, inside, below) : below;
    ir_value *far = make_two(k, OP_muli, c, spread(k, size_of(k, view, t->rank + d), t));
    total = total ? make_two(k, OP_addi, total, far) : far;
  }
  ir_value *base = spread(k, ir_operand(view, 0), t);
  if (total) base = make(k, OP_offset, base->type, 2, (ir_value *[]){base, total});
  return (pointers){base, inside};
}

static bool can_point(const block_lowering *x, const ir_op *at, const window *w) {
  if (tsr_elem_bits((tsr_elem)w->type->elem) != 4) return true;
  ir_error(x->m, at,
           "elements of 4 bits with a mask, or at offsets that may be negative and are no "
           "multiples of the tile's size, are not compiled for CPUs yet; the target interp runs "
           "them");
  return false;
}

/* ---- loads and stores ----------------------------------------------------------------------- */

static ir_op *make_access(const maker *k, op_code opcode, uint32_t n, ir_value *const *operands,
                          const uint32_t *segments, const ir_type *loaded) {
  const ir_type *results[] = {loaded, ir_token(k->x->m)};
  ir_op *op = ir_op_create(k->x->m, &(ir_op_spec){.opcode = opcode,
                                                  .loc = k->at->loc,
                                                  .n_operands = n,
                                                  .operands = operands,
                                                  .segments = segments,
                                                  .n_results = loaded ? 2 : 1,
                                                  .result_types = results + !loaded});
  ir_set_int(op, ATTR_memory_ordering_semantics, ORDER_WEAK);
  ir_op_insert_before(k->at, op);
  return op;
}

static uint64_t padding_pattern(int padding, tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  if (!f) return 0;
  num_format plain = *f;
  plain.saturates = plain.nan_to_max = false;
  switch (padding) {
  case PADDING_NAN: return num_nan(&plain);
  case PADDING_POS_INF: return num_inf(&plain, false);
  case PADDING_NEG_INF: return num_inf(&plain, true);
  default: return num_zero(f, padding == PADDING_NEG_ZERO);
  }
}

ir_value *window_load(const block_lowering *x, ir_op *at, const window *w) {
  maker k = {x, at};
  uint32_t rank = w->type->rank;
  ir_value *operands[1 + IR_MAX_RANK];
  operands[0] = open_view(&k, w, w->padding, operands + 1);
  if (operands[0])
    return ir_result(
        make_access(&k, OP_load_view_tko, 1 + rank, operands, (uint32_t[]){1, rank, 0}, w->type),
        0);
  if (!can_point(x, at, w)) return NULL;
  pointers p = make_pointers(&k, w);
  uint64_t pattern = padding_pattern(w->padding, (tsr_elem)w->type->elem);
  ir_value *list[] = {p.at, p.inside, rewrite_splat(x->m, at, w->type, pattern)};
  uint32_t n = p.inside ? 3 : 1;
  return ir_result(
      make_access(&k, OP_load_ptr_tko, n, list, (uint32_t[]){1, n > 1, n > 1, 0}, w->type), 0);
}

bool window_store(const block_lowering *x, ir_op *at, const window *w, ir_value *value) {
  maker k = {x, at};
  uint32_t rank = w->type->rank;
  ir_value *operands[2 + IR_MAX_RANK] = {value};
  operands[1] = open_view(&k, w, -1, operands + 2);
  if (operands[1]) {
    make_access(&k, OP_store_view_tko, 2 + rank, operands, (uint32_t[]){1, 1, rank, 0}, NULL);
    return true;
  }
  if (!can_point(x, at, w)) return false;
  pointers p = make_pointers(&k, w);
  ir_value *list[] = {p.at, value, p.inside};
  make_access(&k, OP_store_ptr_tko, 2 + !!p.inside, list, (uint32_t[]){1, 1, !!p.inside, 0}, NULL);
  return true;
}

void window_update(const block_lowering *x, ir_op *at, const window *w, ir_rmw mode,
                   ir_value *value) {
  pointers p = make_pointers(&(maker){x, at}, w);
  ir_value *operands[] = {p.at, value, p.inside};
  ir_op *op = ir_op_create(
      x->m, &(ir_op_spec){.opcode = OP_atomic_rmw_tko,
                          .loc = at->loc,
                          .n_operands = 2 + !!p.inside,
                          .operands = operands,
                          .segments = (uint32_t[]){1, 1, !!p.inside, 0},
                          .n_results = 2,
                          .result_types = (const ir_type *[]){value->type, ir_token(x->m)}});
  ir_set_int(op, ATTR_memory_ordering_semantics, ORDER_RELAXED);
  ir_set_int(op, ATTR_memory_scope, SCOPE_DEVICE);
  ir_set_int(op, ATTR_mode, mode);
  ir_op_insert_before(at, op);
}
