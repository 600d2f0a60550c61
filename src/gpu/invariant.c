/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arithmetic that gives the same in every iteration is moved in front of the loop. LLVM is not
 * asked to, since it takes long, and takes out of loops what then fills registers until their end:
 * the conditions of single elements, say. Who makes an access knows what of it is worth a register.
 */
#include "gpu/invariant.h"

#include "gpu/code.h"

void gpu_loop_open(gen *g, llblock before, llblock header) {
  open_loop l = {.before = before, .first = gpu_block_number(g, header)};
  vec_push(g->arena, g->loops, l);
}

void gpu_loop_close(gen *g) {
  g->loops.len--;
}

/* What is made in a loop is in blocks that are as new as its header, as is the one in front of it
 * where what enters the loop took branches. Of other functions' blocks, and of such as somebody
 * else made, nothing is known. */
static bool is_before(gen *g, const open_loop *l, llv x) {
  if (!LLVMIsAInstruction(x)) return true;
  llblock block = LLVMGetInstructionParent(x);
  uint32_t number = gpu_block_number(g, block);
  return block == l->before || (number && number < l->first);
}

bool gpu_is_invariant(gen *g, llv x) {
  return g->loops.len == 0 || is_before(g, &g->loops.data[g->loops.len - 1], x);
}

static bool needs_nothing_of(gen *g, const open_loop *l, llv x) {
  for (int i = 0; i < LLVMGetNumOperands(x); i++)
    if (!is_before(g, l, LLVMGetOperand(x, (unsigned)i))) return false;
  return true;
}

/* It can be executed where the program would not. */
static bool is_harmless(llv x) {
  switch (LLVMGetInstructionOpcode(x)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMICmp:
  case LLVMSelect:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMTrunc: return true;
  case LLVMCall: { /* minima, subtraction that stops at 0 */
    llv f = LLVMGetCalledValue(x);
    unsigned id = LLVMIsAFunction(f) ? LLVMGetIntrinsicID(f) : 0;
    static const char *const harmless[] = {"llvm.umin", "llvm.smax", "llvm.usub.sat",
                                           "llvm.uadd.sat"};
    for (unsigned i = 0; id && i < ARRAY_LEN(harmless); i++)
      if (id == LLVMLookupIntrinsicID(harmless[i], strlen(harmless[i]))) return true;
    return false;
  }
  default: return false;
  }
}

static void move_out(gen *g, llv x) {
  if (!is_harmless(x)) return;
  uint32_t i = g->loops.len;
  while (i > 0 && needs_nothing_of(g, &g->loops.data[i - 1], x)) i--;
  if (i == g->loops.len) return;
  LLVMInstructionRemoveFromParent(x);
  LLVMPositionBuilderBefore(g->e.b, LLVMGetBasicBlockTerminator(g->loops.data[i].before));
  LLVMInsertIntoBuilder(g->e.b, x);
}

gpu_place gpu_here(gen *g) {
  llblock block = LLVMGetInsertBlock(g->e.b);
  return (gpu_place){.block = block, .last = LLVMGetLastInstruction(block)};
}

void gpu_move_invariants(gen *g, gpu_place since) {
  llblock here = LLVMGetInsertBlock(g->e.b);
  if (g->loops.len == 0 || here != since.block) return;
  llv x = since.last ? LLVMGetNextInstruction(since.last) : LLVMGetFirstInstruction(here);
  while (x) {
    llv next = LLVMGetNextInstruction(x);
    move_out(g, x);
    x = next;
  }
  LLVMPositionBuilderAtEnd(g->e.b, here);
}
