/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of bf16 that the processor adds up in pairs, and those that start from zero.
 */
#include "cpu/gemm/product.h"

#include "cpu/core/notes.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/product.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/rows.h"

/* Is it computed from two tiles at least? What one load alone says, as a 4-bit float does, costs
 * little wherever it is decoded. */
static bool is_computed(const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  while (op && ir_row(op)->traits & TRAIT_ELEMENTWISE) {
    ir_value *from = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      ir_value *x = ir_operand(op, i);
      if (x == from || plan_uniform(x)) continue;
      if (from) return true;
      from = x;
    }
    op = from ? ir_defining_op(from) : NULL;
  }
  return false;
}

/* Of more rows than are multiplied where b lies; or of half as many, where b takes so long that
 * writing it down is little more. */
bool product_in_pairs(lower *l, const product *p) {
  bool many = p->m > PRODUCT_FEW_ROWS;
  bool some = 2 * p->m >= PRODUCT_FEW_ROWS && is_computed(ir_operand(p->op, 1));
  return (many || some) && pairs_fit(l, p);
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
