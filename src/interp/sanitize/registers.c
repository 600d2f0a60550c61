/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Registers that asynchronous products use: an operand must not have been computed behind the last
 * wgmma_fence of its threads. Each value remembers how many fences there were before it.
 */
#include "interp/sanitize/internal.h"

static bool note_product(void *user, ir_op *op) {
  *(bool *)user |= op->opcode == OP_wgmma;
  return true;
}

bool san_has_products(ir_op *entry) {
  bool found = false;
  ir_walk(entry, note_product, &found);
  return found;
}

static uintptr_t *fences_before(sanitizer *s, const frame *f, slot value) {
  return map_put(s->arena, &san_group_of(s, f)->fences_before, (uint64_t)f->rank << 56 | value);
}

static uint32_t fences_so_far(sanitizer *s, const frame *f) {
  san_group *g = san_group_of(s, f);
  return g->fences[san_first(g, f)];
}

void san_pass_fence(sanitizer *s, const frame *f) {
  san_group *g = san_group_of(s, f);
  for (int32_t k = 0; k < f->count; k++) g->fences[san_first(g, f) + k]++;
}

/* A loop or branch hands on values where they are, unless some take the places of each other. */
static void note_moves(sanitizer *s, const frame *f, const inst *i) {
  for (uint32_t k = 0; k < i->jump.n_moves; k++) {
    const move *m = &i->jump.moves[k];
    uintptr_t before = i->jump.staged ? fences_so_far(s, f) : *fences_before(s, f, m->from);
    *fences_before(s, f, m->to) = before;
  }
}

void san_note_registers(sanitizer *s, const frame *f, const inst *i) {
  if (i->plain == run_jump) {
    note_moves(s, f, i);
    return;
  }
  if (!i->starts || !i->out) return; /* groups with code of their own give their results by moves */
  for (uint32_t k = 0; k < i->op->n_results; k++)
    if (out_type(i, k)->kind == IR_TILE) *fences_before(s, f, i->out[k]) = fences_so_far(s, f);
}

bool san_has_passed_fence(sanitizer *s, const frame *f, const inst *i, uint32_t operand) {
  return in_type(i, operand)->kind != IR_TILE ||
         *fences_before(s, f, i->in[operand]) < fences_so_far(s, f);
}
