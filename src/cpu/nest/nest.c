/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loop nests. Every loop has a constant number of iterations, at least two, and is tested at its
 * end:
 *
 *   block 0 ─► block 1 ─► block 2 ─► latch 2 ─► after 2 ─► latch 1 ─► after 1 ─► end
 *                 ▲          ▲─────────┘                      │
 *                 └──────────────────────────────────────────┘
 *
 * All blocks have their terminators from the beginning, so code can be put into any of them at
 * any time: what an outer loop's index determines is emitted in the outer loop's block.
 */
#include "cpu/nest/nest.h"

#include "base/invariant.h"
#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/map.h"

void nest_begin(nest *n, lower *l, unsigned bits, bool exact) {
  memset(n, 0, sizeof *n);
  n->l = l;
  n->n = bits;
  n->exact = n->linear = exact;
  memset(n->lane_of, -1, sizeof n->lane_of);
  n->n_levels = 1;
  n->levels[0].block = LLVMGetInsertBlock(l->e.b);
  n->levels[0].after = lower_new_block(l, "nest.end");
  LLVMBuildBr(l->e.b, n->levels[0].after);
}

void nest_lanes(nest *n, unsigned first, unsigned count) {
  for (unsigned j = 0; j < count; j++) {
    n->lane[n->lane_n + j] = (int8_t)(first + j);
    n->lane_of[first + j] = (int8_t)(n->lane_n + j);
  }
  n->lane_n += count;
}

void nest_open(nest *n, unsigned first, unsigned count) {
  nest_open_from(n, first, count, 0);
}

void nest_open_from(nest *n, unsigned first, unsigned count, int64_t start) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  level *outer = &n->levels[n->n_levels - 1], *v = &n->levels[n->n_levels];
  llv jump = LLVMGetBasicBlockTerminator(outer->block);
  llblock next = LLVMGetSuccessor(jump, 0);
  v->first = (uint8_t)first;
  v->n = (uint8_t)count;
  v->block = lower_new_block(l, "loop");
  v->latch = lower_new_block(l, "latch");
  v->after = lower_new_block(l, "after");
  LLVMSetSuccessor(jump, 0, v->block);

  LLVMPositionBuilderAtEnd(b, v->block);
  v->index = LLVMBuildPhi(b, l->e.i64, "i");
  LLVMBuildBr(b, v->latch);
  LLVMPositionBuilderAtEnd(b, v->latch);
  /* LLVM's loop strength reduction would spend a third of the compile time on these loops to no
   * measurable effect. It leaves counters alone that it cannot see through. */
  llv more = emit_opaque(&l->e, LLVMBuildAdd(b, v->index, k64(l, 1), ""), false);
  bool in_part = n->part.top == first + count;
  if (in_part && n->part.hole_from) {
    llv into = LLVMBuildICmp(b, LLVMIntEQ, more, n->part.hole_from, "");
    more = LLVMBuildSelect(b, into, n->part.hole_to, more, "");
  }
  llv end = in_part && n->part.to ? n->part.to : k64(l, INT64_C(1) << count);
  llv begin = in_part && n->part.from ? n->part.from : k64(l, start);
  llv again = LLVMBuildICmp(b, LLVMIntNE, more, end, "");
  LLVMBuildCondBr(b, again, v->block, v->after);
  LLVMPositionBuilderAtEnd(b, v->after);
  LLVMBuildBr(b, next);
  LLVMAddIncoming(v->index, (llv[]){begin, more}, (llblock[]){outer->block, v->latch}, 2);

  for (unsigned k = 0; k < count; k++) n->level_of[first + k] = (uint8_t)n->n_levels;
  n->n_levels++;
}

/* Where code goes that needs all loops that are still to be closed: see nest_end. */
void nest_place_level(nest *n, unsigned at) {
  LLVMPositionBuilderBefore(n->l->e.b, LLVMGetBasicBlockTerminator(n->levels[at].block));
}

void nest_place_after(nest *n, unsigned at) {
  LLVMPositionBuilderBefore(n->l->e.b, LLVMGetBasicBlockTerminator(n->levels[at].after));
}

/* Ends the body so far, whose last branch is the caller's, and lets it go on in a new block. */
static llblock break_body(nest *n) {
  lower *l = n->l;
  level *v = &n->levels[n->n_levels - 1];
  llblock rest = lower_new_block(l, "rest");
  llv jump = LLVMGetBasicBlockTerminator(v->block);
  LLVMPositionBuilderAtEnd(l->e.b, rest);
  LLVMBuildBr(l->e.b, LLVMGetSuccessor(jump, 0));
  LLVMInstructionEraseFromParent(jump);
  LLVMPositionBuilderAtEnd(l->e.b, v->block);
  v->block = rest;
  return rest;
}

llblock nest_cut(nest *n, llv skips) {
  lower *l = n->l;
  llblock rare = lower_new_block(l, "rare"), rest = break_body(n);
  LLVMBuildCondBr(l->e.b, skips, rest, rare);
  LLVMPositionBuilderAtEnd(l->e.b, rare);
  emit_opaque(&l->e, LLVMConstNull(l->e.i32), true); /* or it would be executed always */
  LLVMBuildBr(l->e.b, rest);
  return rare;
}

void nest_leave(nest *n, llv leaves) {
  llv jump = LLVMGetBasicBlockTerminator(n->levels[n->n_levels - 1].block);
  llblock next = LLVMGetSuccessor(jump, 0), rest = break_body(n);
  LLVMBuildCondBr(n->l->e.b, leaves, next, rest);
}

void nest_repeat(nest *n, llv from) {
  level *was = &n->levels[n->n_levels - 1];
  llblock before = was->after;
  was->block = before;
  n->part = (nest_part){.top = n->part.top, .from = from};
  memset(&n->memo, 0, sizeof n->memo);
  nest_open(n, was->first, was->n);
  level *again = &n->levels[n->n_levels - 1];
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
  LLVMPositionBuilderAtEnd(n->l->e.b, before);
  llv all = k64(n->l, INT64_C(1) << again->n);
  llv none = LLVMBuildICmp(n->l->e.b, LLVMIntEQ, n->part.from, all, "none");
  LLVMBuildCondBr(n->l->e.b, none, again->after, again->block);
}

void nest_repeat_while(nest *n, llv changes) {
  llv jump = LLVMGetBasicBlockTerminator(n->levels[n->n_levels - 1].latch);
  LLVMPositionBuilderBefore(n->l->e.b, jump);
  LLVMSetCondition(jump, LLVMBuildAnd(n->l->e.b, LLVMGetCondition(jump), changes, ""));
}

void nest_fork(nest *n, llv condition, llblock *yes, llblock *no) {
  lower *l = n->l;
  *yes = lower_new_block(l, "yes");
  *no = lower_new_block(l, "no");
  llblock rest = break_body(n);
  LLVMBuildCondBr(l->e.b, condition, *yes, *no);
  for (unsigned i = 0; i < 2; i++) {
    LLVMPositionBuilderAtEnd(l->e.b, i ? *no : *yes);
    LLVMBuildBr(l->e.b, rest);
  }
}

void nest_end(nest *n) {
  bool in_part = n->part.top == 0;
  for (unsigned i = 1; i < n->n_levels; i++)
    in_part |= (unsigned)n->levels[i].first + n->levels[i].n == n->part.top;
  INVARIANT(in_part);
  (void)in_part;
  LLVMPositionBuilderAtEnd(n->l->e.b, n->levels[0].after);
}

index_map nest_map(const nest *n, unsigned copy) {
  index_map m = map_identity(n->n);
  for (unsigned j = 0; j < n->unroll_n; j++)
    m.bit[n->unroll[j]] = copy >> j & 1 ? BIT_ONE : BIT_ZERO;
  return m;
}

index_map nest_map_of(const nest *n, unsigned copy, const index_map *m) {
  index_map fixed = nest_map(n, copy), of = *m;
  for (unsigned k = 0; k < m->n; k++)
    if (m->bit[k] >= 0) of.bit[k] = fixed.bit[m->bit[k]];
  return of;
}

unsigned nest_lane_count(const nest *n) {
  return 1u << n->lane_n;
}

/* ---- interleaving --------------------------------------------------------------------------- */

void nest_mark(nest *n, nest_marks *x) {
  llblock block = n->levels[n->n_levels - 1].block;
  if (x->n && x->block != block) x->broken = true;
  x->block = block;
  x->last[x->n++] = LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(block));
}

/* What a copy has put into the body, in order; `at`: how much of it has its place. */
typedef struct strand {
  VEC(llv) inst;
  uint32_t at;
} strand;

enum { PENDING = 1, PLACED = 2 };

static bool is_ready(const map *state, llv inst) {
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++) {
    const uintptr_t *x = map_get(state, (uintptr_t)LLVMGetOperand(inst, i));
    if (x && *x == PENDING) return false;
  }
  return true;
}

void nest_interleave(nest *n, const nest_marks *x) {
  lower *l = n->l;
  if (x->broken || x->n < 3) return;
  unsigned copies = x->n - 1;
  strand strands[MAX_UNROLL] = {0};
  map state = {0};
  uint32_t left = 0;
  for (unsigned k = 0; k < copies; k++) {
    llv inst = x->last[k] ? LLVMGetNextInstruction(x->last[k]) : LLVMGetFirstInstruction(x->block);
    llv end = x->last[k + 1] ? LLVMGetNextInstruction(x->last[k + 1]) : inst;
    for (; inst != end; inst = LLVMGetNextInstruction(inst), left++) {
      vec_push(l->arena, strands[k].inst, inst);
      *map_put(l->arena, &state, (uintptr_t)inst) = PENDING;
    }
  }
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(x->block));
  while (left > 0)
    for (unsigned k = 0; k < copies; k++) {
      strand *s = &strands[k];
      if (s->at == s->inst.len || !is_ready(&state, s->inst.data[s->at])) continue;
      llv inst = s->inst.data[s->at++];
      LLVMInstructionRemoveFromParent(inst);
      LLVMInsertIntoBuilder(l->e.b, inst);
      *map_get(&state, (uintptr_t)inst) = PLACED;
      left--;
    }
}
