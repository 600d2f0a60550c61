/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of bf16 that the processor adds up in pairs, and those that start from zero.
 */
#include "cpu/gemm/product.h"

#include "cpu/core/notes.h"
#include "cpu/plan/product.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/rows.h"

/* Of more rows than are multiplied where b lies. */
bool product_in_pairs(lower *l, const product *p) {
  return p->m > PRODUCT_FEW_ROWS && pairs_fit(l, p);
}

bool pairs_fit(lower *l, const product *p) {
  if (p->op->opcode != OP_mmaf || p->elem != TSR_F32 || !is_on(l, PATTERN_BF16_PAIRS)) return false;
  bool pairs =
      ir_operand(p->op, 0)->type->elem == TSR_BF16 && ir_operand(p->op, 1)->type->elem == TSR_BF16;
  return pairs && !l->e.arm && p->n * 32 >= l->e.vector_bits && p->k >= 4 &&
         emit_dot_group(&l->e, TSR_BF16, p->n, p->k) == 2;
}

bool pairs_only(lower *l, const ir_value *v) {
  if (v->type->elem != TSR_BF16 || !v->uses) return false;
  for (const ir_use *u = v->uses; u; u = u->next) {
    if (u->user->opcode != OP_mmaf || ir_operand(u->user, 0) != v || ir_operand(u->user, 1) == v)
      return false;
    product p = product_of_op(u->user, product_elem(u->user));
    if (!product_in_pairs(l, &p)) return false;
  }
  return true;
}

void pairs_lay_out(buffer *b, const ir_type *t) {
  unsigned columns = log2_of(t->shape[t->rank - 1]);
  b->format = FORMAT_PAIRS;
  for (unsigned j = 0; j < b->n; j++)
    b->stride[j] = j < columns ? 2 << j : j == columns ? 1 : 1 << j;
}

bool product_starts_empty(lower *l, const product *p, const ir_value *acc) {
  const ir_op *op = ir_defining_op(acc);
  if (!is_on(l, PATTERN_EMPTY_SUMS)) return false;
  if (!op || op->opcode != OP_constant || p->in_sum_blocks) return false;
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  return d->splat && ir_dense_get(d, 0) == 0 && p->n * (tsr_elem_bits(p->elem) / 8) <= ROW_OF_ZEROS;
}
