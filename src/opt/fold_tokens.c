/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What join_tokens says and what it need not say. (Loads and stores are memory.c's.)
 */
#include "opt/fold.h"

enum { MAX_JOINED = 64 }; /* each is compared with every other */

/* Whether `later` is ordered after `earlier` because its operation takes it. */
static bool follows(const ir_value *later, const ir_value *earlier) {
  const ir_op *op = ir_defining_op(later);
  if (!op || op->n_regions) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (ir_operand(op, i) == earlier) return true;
  return false;
}

static bool says_nothing(const ir_op *op, uint32_t i, const bool *keep) {
  const ir_value *t = ir_operand(op, i);
  if (made_by(t, OP_make_token)) return true;
  for (uint32_t k = 0; k < op->n_operands; k++) {
    if (k < i && keep[k] && ir_operand(op, k) == t) return true;
    if (k != i && ir_operand(op, k) != t && follows(ir_operand(op, k), t)) return true;
  }
  return false;
}

/* Tokens that say nothing, twice the same, or what another one says. */
ir_value *fold_join(folder *f, ir_op *op) {
  uint32_t n = op->n_operands, kept = 0;
  if (n > MAX_JOINED) return NULL;
  bool keep[MAX_JOINED];
  for (uint32_t i = 0; i < n; i++) kept += keep[i] = !says_nothing(op, i, keep);
  if (kept == n) return NULL;
  if (kept == 0) return ir_operand(op, 0);
  if (kept == 1)
    for (uint32_t i = 0; i < n; i++)
      if (keep[i]) return ir_operand(op, i);
  rewrite_keep_operands(op, 0, n, keep, 0);
  f->changes++;
  return NULL;
}
