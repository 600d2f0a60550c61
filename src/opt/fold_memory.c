/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What tokens say about memory. An access that is ordered directly behind a weak store sees what it
 * stored, for nothing else may touch that memory in between: what no token orders against the store
 * would be a race, which is undefined.
 */
#include "opt/fold.h"

static bool is_weak(const ir_op *op) {
  return ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

/* The weak store of whole tiles through these pointers that made a token; NULL. */
static ir_op *store_behind(const ir_value *token, const ir_value *pointers) {
  ir_op *store = token ? made_by(token, OP_store_ptr_tko) : NULL;
  if (!store || !is_weak(store) || ir_operand_in(store, 2)) return NULL;
  return ir_operand_in(store, 0) == pointers ? store : NULL;
}

/* A load of what was just stored is that. (Where several elements go to one address they must be
 * equal: two values in one place are a race.) */
bool fold_forwarded_load(folder *f, ir_op *op) {
  if (!is_weak(op) || ir_operand_in(op, 1)) return false;
  ir_value *token = ir_operand_in(op, 3);
  ir_op *store = store_behind(token, ir_operand_in(op, 0));
  if (!store) return false;
  rewrite_replace_op(op, (ir_value *[]){ir_operand_in(store, 1), token});
  f->changes++;
  return true;
}

/* A store that nothing is ordered behind but another one to the same place stores nothing that
 * anybody sees. The other goes where its token came from. */
void fold_overwritten_store(folder *f, ir_op *op) {
  ir_value *token = ir_operand_in(op, 3);
  if (!is_weak(op) || ir_operand_in(op, 2)) return;
  ir_op *before = store_behind(token, ir_operand_in(op, 0));
  if (!before || before->block != op->block || !ir_has_one_use(token)) return;
  ir_value *first = ir_operand_in(before, 3);
  if (!first) first = fold_make(f, before, OP_make_token, 0, NULL);
  rewrite_replace_op(before, &first);
  f->changes++;
}

/* ---- join_tokens ---------------------------------------------------------------------------- */

enum { MAX_JOINED = 64 }; /* each is compared with every other */

/* Whether `later` is ordered behind `earlier` because its operation takes it. */
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
