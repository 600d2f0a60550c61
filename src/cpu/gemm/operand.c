/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operands of products as matrices: in scratch memory, or where the program has them.
 */
#include "cpu/gemm/operand.h"

#include "cpu/core/fold.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/plan/scratch.h"

matrix operand_in_buffer(lower *l, buffer *b, int64_t rows, int64_t cols) {
  int64_t size = buffer_elem_bytes(b);
  return (matrix){.ptr = b->ptr,
                  .batch = k64(l, rows * cols * size),
                  .row = k64(l, cols * size),
                  .col = k64(l, size),
                  .buffer = b};
}

/* The stride of a dimension, in bytes; NULL when its bits do not double. */
static llv stride_along(lower *l, const access *a, const ir_type *t, unsigned d) {
  unsigned first, n;
  dim_bits(t, d, &first, &n);
  if (n == 0) return k64(l, 0);
  coef c = a->exact[first];
  for (unsigned j = 1; j < n; j++)
    if (a->exact[first + j].s != c.s || a->exact[first + j].m != (int64_t)((uint64_t)c.m << j))
      return NULL;
  return coef_value(l, c, 64);
}

ir_value *operand_loaded(lower *l, ir_value *v) {
  for (ir_op *op; value_of(l, v)->kind == VALUE_LAZY; v = ir_operand(op, 0)) {
    if (value_of(l, v)->load) return v;
    op = ir_defining_op(v);
    if (!op || op->opcode != OP_reshape) return NULL;
  }
  return NULL;
}

bool operand_in_place(lower *l, ir_value *v, tsr_elem elem, matrix *out, llv *holds) {
  const ir_value *loaded = operand_loaded(l, v);
  const access *a = loaded ? value_of(l, loaded)->load : NULL;
  const ir_type *t = v->type;
  int64_t unit = tsr_elem_bits(elem) / 8, col;
  if (!a || !a->linear || !a->checked || a->index || t->elem != elem) return false;
  *out = (matrix){.batch = k64(l, 0)};
  out->col = stride_along(l, a, t, t->rank - 1u);
  out->row = stride_along(l, a, t, t->rank - 2u);
  if (t->rank == 3) out->batch = stride_along(l, a, t, 0);
  if (!out->col || !out->row || !out->batch) return false;
  if (t->shape[t->rank - 1] > 1 && (!is_const(out->col, &col) || col != unit)) return false;
  out->col = k64(l, unit);
  out->ptr = as_ptr(l, a->base);
  out->step = a->step;
  out->in_place = true;
  *holds = fold_and(l, a->ok, a->full);
  return true;
}
