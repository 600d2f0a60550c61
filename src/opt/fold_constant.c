/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations on constants. What one element becomes is exec_scalar's to say, so that a folded
 * program and an interpreted one cannot disagree.
 */
#include "num/num.h"
#include "opt/fold.h"
#include "opt/undefined.h"

bool fold_can_be_constant(const ir_type *t) {
  uint64_t elems = constraint_table[op_table[OP_constant].results[0].constraint].elems;
  return t->kind == IR_TILE && elems >> t->elem & 1;
}

/* ---- element-wise --------------------------------------------------------------------------- */

/* Functions that the C library computes: in double for the narrow types, which hides what one
 * library does differently from another, but not for f64. */
static bool depends_on_library(const ir_op *op) {
  switch (op->opcode) {
  case OP_rsqrt:
  case OP_exp:
  case OP_exp2:
  case OP_log:
  case OP_log2:
  case OP_pow:
  case OP_sin:
  case OP_cos:
  case OP_tan:
  case OP_sinh:
  case OP_cosh:
  case OP_tanh:
  case OP_atan2: return ir_result(op, 0)->type->elem == TSR_F64;
  default: return false;
  }
}

/* A constant of packed elements, a splat if all are equal. */
static ir_value *packed(folder *f, ir_op *op, const ir_type *t, const uint64_t *patterns) {
  bool same = true;
  for (int64_t i = 1; same && i < t->count; i++) same = patterns[i] == patterns[0];
  if (same) return rewrite_splat(f->m, op, t, patterns[0]);
  size_t bytes = tsr_elem_storage((tsr_elem)t->elem, (size_t)t->count);
  void *data = memset(arena_alloc(f->temp, bytes, 8), 0, bytes);
  num_store_array(data, patterns, (tsr_elem)t->elem, 0, (size_t)t->count);
  return rewrite_constant(f->m, op, ir_dense_create(f->m, t, false, data, (uint32_t)bytes));
}

static ir_value *fold_elementwise(folder *f, ir_op *op) {
  const ir_type *t = ir_result(op, 0)->type;
  const ir_dense *in[3];
  uint64_t out[FOLD_MAX_ELEMENTS];
  int64_t n = 1;
  if (depends_on_library(op) || op->n_operands > 3) return NULL;
  for (uint32_t k = 0; k < op->n_operands; k++) {
    if (!(in[k] = constant_of(ir_operand(op, k)))) return NULL;
    if (!in[k]->splat) n = t->count;
  }
  if (n > FOLD_MAX_ELEMENTS) return NULL;
  exec_elementwise w = exec_elementwise_of(op);
  for (int64_t i = 0; i < n; i++) {
    uint64_t x[3];
    for (uint32_t k = 0; k < op->n_operands; k++) x[k] = ir_dense_get(in[k], i);
    if (!is_defined(&w, x)) return NULL;
    out[i] = exec_scalar(&w, x);
  }
  return n == 1 ? rewrite_splat(f->m, op, t, out[0]) : packed(f, op, t, out);
}

/* ---- the same elements elsewhere ------------------------------------------------------------ */

/* The constant with another type and the same elements in the same order. */
static ir_value *retyped(folder *f, ir_op *op, const ir_dense *d, const ir_type *t) {
  ir_dense *copy = arena_new(&f->m->arena, ir_dense);
  *copy = *d;
  copy->type = t;
  return rewrite_constant(f->m, op, copy);
}

static void row_major(const ir_type *t, int64_t *strides) {
  int64_t stride = 1;
  for (unsigned d = t->rank; d-- > 0; stride *= t->shape[d]) strides[d] = stride;
}

/* Element by element: result[i] = from[base + i . steps]. */
static ir_value *gathered(folder *f, ir_op *op, const ir_dense *from, int64_t base,
                          const int64_t *steps) {
  const ir_type *t = ir_result(op, 0)->type;
  uint64_t out[FOLD_MAX_ELEMENTS];
  int64_t strides[IR_MAX_RANK];
  if (t->count > FOLD_MAX_ELEMENTS) return NULL;
  row_major(t, strides);
  for (int64_t i = 0; i < t->count; i++) {
    int64_t at = base;
    for (unsigned d = 0; d < t->rank; d++) at += i / strides[d] % t->shape[d] * steps[d];
    out[i] = ir_dense_get(from, at);
  }
  return packed(f, op, t, out);
}

static ir_value *fold_broadcast(folder *f, ir_op *op, const ir_dense *from) {
  int64_t steps[IR_MAX_RANK];
  row_major(from->type, steps);
  for (unsigned d = 0; d < from->type->rank; d++)
    if (from->type->shape[d] == 1) steps[d] = 0;
  return gathered(f, op, from, 0, steps);
}

static ir_value *fold_permute(folder *f, ir_op *op, const ir_dense *from) {
  const int64_t *permutation = ir_get_attr(op, ATTR_permutation)->ints->data;
  int64_t strides[IR_MAX_RANK], steps[IR_MAX_RANK];
  row_major(from->type, strides);
  for (unsigned d = 0; d < from->type->rank; d++) steps[d] = strides[permutation[d]];
  return gathered(f, op, from, 0, steps);
}

static ir_value *fold_extract(folder *f, ir_op *op, const ir_dense *from) {
  const ir_type *t = ir_result(op, 0)->type;
  int64_t steps[IR_MAX_RANK], base = 0;
  row_major(from->type, steps);
  for (unsigned d = 0; d < t->rank; d++) {
    int64_t index;
    if (!ir_constant_int(ir_operand(op, 1 + d), &index)) return NULL;
    if (index < 0 || index >= from->type->shape[d] / t->shape[d]) return NULL; /* undefined */
    base += index * t->shape[d] * steps[d];
  }
  if (from->splat) return retyped(f, op, from, t);
  return gathered(f, op, from, base, steps);
}

static ir_value *fold_cat(folder *f, ir_op *op, const ir_dense *lhs) {
  const ir_dense *rhs = constant_of(ir_operand(op, 1));
  const ir_type *t = ir_result(op, 0)->type;
  int64_t dim = ir_int_attr(op, ATTR_dim), strides[IR_MAX_RANK], left[IR_MAX_RANK],
          right[IR_MAX_RANK], first = lhs->type->shape[dim];
  uint64_t out[FOLD_MAX_ELEMENTS];
  if (!rhs) return NULL;
  if (lhs->splat && rhs->splat && ir_dense_get(lhs, 0) == ir_dense_get(rhs, 0))
    return retyped(f, op, lhs, t);
  if (t->count > FOLD_MAX_ELEMENTS) return NULL;
  row_major(t, strides);
  row_major(lhs->type, left);
  row_major(rhs->type, right);
  for (int64_t i = 0; i < t->count; i++) {
    bool is_left = i / strides[dim] % t->shape[dim] < first;
    int64_t at = is_left ? 0 : -first * right[dim];
    for (unsigned d = 0; d < t->rank; d++)
      at += i / strides[d] % t->shape[d] * (is_left ? left[d] : right[d]);
    out[i] = ir_dense_get(is_left ? lhs : rhs, at);
  }
  return packed(f, op, t, out);
}

static ir_value *fold_insert(folder *f, ir_op *op, const ir_dense *slice) {
  const ir_dense *whole = constant_of(ir_operand(op, 1));
  const ir_type *t = ir_result(op, 0)->type, *s = slice->type;
  int64_t strides[IR_MAX_RANK], steps[IR_MAX_RANK], base = 0;
  uint64_t out[FOLD_MAX_ELEMENTS];
  if (!whole || t->count > FOLD_MAX_ELEMENTS) return NULL;
  row_major(t, strides);
  row_major(s, steps);
  for (unsigned d = 0; d < t->rank; d++) {
    int64_t index;
    if (!ir_constant_int(ir_operand(op, 2 + d), &index)) return NULL;
    if (index < 0 || index >= t->shape[d] / s->shape[d]) return NULL; /* undefined */
    base += index * s->shape[d] * strides[d];
  }
  for (int64_t i = 0; i < t->count; i++) out[i] = ir_dense_get(whole, i);
  for (int64_t i = 0; i < s->count; i++) {
    int64_t at = base;
    for (unsigned d = 0; d < s->rank; d++) at += i / steps[d] % s->shape[d] * strides[d];
    out[at] = ir_dense_get(slice, i);
  }
  return packed(f, op, t, out);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Elements lie in the bytes as in memory, but for i1, of which eight share a byte. */
static ir_value *fold_pack(folder *f, ir_op *op, const ir_dense *d) {
  const ir_type *t = ir_result(op, 0)->type, *s = d->type;
  unsigned width = tsr_elem_bits((tsr_elem)s->elem);
  uint64_t out[FOLD_MAX_ELEMENTS];
  unsigned char bytes[FOLD_MAX_ELEMENTS] = {0};
  if (t->count > FOLD_MAX_ELEMENTS) return NULL;
  for (int64_t i = 0; i < s->count; i++) num_bits_set(bytes, (size_t)i, width, ir_dense_get(d, i));
  for (int64_t i = 0; i < t->count; i++) out[i] = bytes[i];
  return packed(f, op, t, out);
}

static ir_value *fold_unpack(folder *f, ir_op *op, const ir_dense *d) {
  const ir_type *t = ir_result(op, 0)->type, *s = d->type;
  unsigned width = tsr_elem_bits((tsr_elem)t->elem);
  uint64_t out[FOLD_MAX_ELEMENTS];
  unsigned char bytes[FOLD_MAX_ELEMENTS];
  if (t->count > FOLD_MAX_ELEMENTS || s->count > FOLD_MAX_ELEMENTS) return NULL;
  for (int64_t i = 0; i < s->count; i++) bytes[i] = (unsigned char)ir_dense_get(d, i);
  for (int64_t i = 0; i < t->count; i++) out[i] = num_bits_get(bytes, (size_t)i, width);
  return packed(f, op, t, out);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static ir_value *fold_movement(folder *f, ir_op *op) {
  const ir_dense *d = constant_of(ir_operand(op, 0));
  const ir_type *t = ir_result(op, 0)->type;
  if (!d) return NULL;
  switch (op->opcode) {
  case OP_reshape: return retyped(f, op, d, t);
  case OP_broadcast: return d->splat ? retyped(f, op, d, t) : fold_broadcast(f, op, d);
  case OP_permute: return d->splat ? retyped(f, op, d, t) : fold_permute(f, op, d);
  case OP_extract: return fold_extract(f, op, d);
  case OP_cat: return fold_cat(f, op, d);
  case OP_insert: return fold_insert(f, op, d);
  case OP_pack: return fold_pack(f, op, d);
  case OP_unpack: return fold_unpack(f, op, d);
  default: return NULL;
  }
}

ir_value *fold_constants(folder *f, ir_op *op) {
  if (op->n_results != 1 || !fold_can_be_constant(ir_result(op, 0)->type)) return NULL;
  if (op->opcode == OP_iota)
    return ir_result(op, 0)->type->count == 1 ? fold_splat(f, op, 0) : NULL;
  if (!op->n_operands || !constant_of(ir_operand(op, 0))) return NULL;
  if (ir_row(op)->traits & TRAIT_ELEMENTWISE) return fold_elementwise(f, op);
  return fold_movement(f, op);
}
