/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of accesses to memory. Triton's is that of the program; Tile IR's is what tokens say.
 */
#include "base/stack.h"
#include "ttir/lower.h"

ir_value *tt_join(lowering *l, ir_value *a, ir_value *b) {
  if (!a || !b || a == b) return a ? a : b;
  return tt_emit2(l, OP_join_tokens, ir_token(l->m), a, b);
}

ir_value *tt_before_write(lowering *l) {
  return tt_join(l, l->order.write, l->order.reads);
}

void tt_after_write(lowering *l, ir_value *token) {
  l->order = (tt_order){.write = token};
}

void tt_after_read(lowering *l, ir_value *token) {
  l->order.reads = tt_join(l, l->order.reads, token);
}

/* ---- what regions do ----------------------------------------------------------------------------
 */

static unsigned function_effects(lowering *l, str name);

static unsigned op_effects(lowering *l, const tt_op *op) {
  unsigned e = op->row->effects;
  if (str_is(op->name, "tt.call")) e |= function_effects(l, op->symbol);
  for (uint32_t i = 0; i < op->n_regions; i++) e |= tt_effects_of(l, op->regions[i]);
  return e;
}

/* Functions may call each other deeper than the stack lasts. They are refused where they are
 * called; here any answer will do. */
unsigned tt_effects_of(lowering *l, const tt_region *region) {
  unsigned e = TT_PURE;
  if (!stack_has(STACK_FOR_NESTING)) return TT_READS | TT_WRITES;
  for (const tt_block *b = region->first; b; b = b->next)
    for (const tt_op *op = b->first; op; op = op->next) e |= op_effects(l, op);
  return e;
}

/* Functions that call each other in a circle are refused where they are called; here the circle
 * only has to end. */
static unsigned function_effects(lowering *l, str name) {
  uintptr_t *slot = strmap_get(&l->r->tree->functions, name);
  tt_function *f = slot ? (tt_function *)*slot : NULL;
  if (!f || !f->body) return TT_PURE;
  if (!f->effects) {
    f->effects = 1;
    f->effects = (uint8_t)(1 + tt_effects_of(l, f->body));
  }
  return f->effects - 1u;
}

/* ---- tokens through regions
 * ---------------------------------------------------------------------- */

static ir_value *some(lowering *l, ir_value *token) {
  return token ? token : tt_emit(l, OP_make_token, ir_token(l->m), 0, NULL);
}

ir_value *tt_order_in(lowering *l, unsigned effects) {
  if (effects & TT_WRITES) return some(l, tt_before_write(l));
  return effects & TT_READS ? some(l, l->order.reads) : NULL;
}

void tt_order_begin(lowering *l, unsigned effects, ir_value *token) {
  if (effects & TT_WRITES)
    l->order = (tt_order){.write = token};
  else if (effects & TT_READS)
    l->order.reads = token;
}

ir_value *tt_order_end(lowering *l, unsigned effects) {
  return tt_order_in(l, effects);
}

void tt_order_out(lowering *l, unsigned effects, tt_order before, ir_value *token) {
  l->order = before;
  tt_order_begin(l, effects, token);
}
