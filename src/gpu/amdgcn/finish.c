/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Accumulators are vectors that a loop carries, 16 registers each, as many as half of a thread's
 * registers in all. LLVM breaks a phi with a constant into phis of single registers, and copies a
 * vector whose elements are wanted behind the loop to other registers where it is made: inside.
 * Both take as many registers again. So a vector goes through an empty piece of assembly code that
 * no pass looks into, where it enters the loop, and again in front of the first block behind it
 * that wants an element, which is where it is copied then, one vector after the other.
 */
#include "gpu/amdgcn/finish.h"

#include "base/base.h"

typedef LLVMValueRef llv;
typedef LLVMBasicBlockRef llblock;

/* ---- dominators ------------------------------------------------------------------------------ */

typedef struct node {
  llblock block;
  uint32_t dominator, seen; /* numbers in reverse postorder, from 1 on; 0: none */
  VEC(uint32_t) before;     /* blocks that jump here */
} node;

typedef struct graph {
  arena *a;
  map numbers;     /* block -> its number */
  VEC(node) nodes; /* by number - 1 */
} graph;

static uint32_t number_of(const graph *g, llblock b) {
  const uintptr_t *n = map_get(&g->numbers, (uintptr_t)b);
  return n ? (uint32_t)*n : 0;
}

/* Blocks in reverse postorder. */
static void number_blocks(graph *g, llv f) {
  typedef struct open {
    llblock block;
    unsigned next;
  } open;
  VEC(open) stack = {0};
  VEC(llblock) order = {0};
  map seen = {0};
  *map_put(g->a, &seen, (uintptr_t)LLVMGetEntryBasicBlock(f)) = 1;
  vec_push(g->a, stack, (open){LLVMGetEntryBasicBlock(f), 0});
  while (stack.len) {
    open *o = &stack.data[stack.len - 1];
    llv jump = LLVMGetBasicBlockTerminator(o->block);
    if (o->next == LLVMGetNumSuccessors(jump)) {
      vec_push(g->a, order, o->block);
      stack.len--;
      continue;
    }
    llblock to = LLVMGetSuccessor(jump, o->next++);
    uintptr_t *slot = map_put(g->a, &seen, (uintptr_t)to);
    if (*slot) continue;
    *slot = 1;
    vec_push(g->a, stack, (open){to, 0});
  }
  for (uint32_t i = order.len; i-- > 0;) {
    vec_push(g->a, g->nodes, (node){.block = order.data[i]});
    *map_put(g->a, &g->numbers, (uintptr_t)order.data[i]) = g->nodes.len;
  }
}

static uint32_t common(const graph *g, uint32_t a, uint32_t b) {
  while (a != b) {
    while (a > b) a = g->nodes.data[a - 1].dominator;
    while (b > a) b = g->nodes.data[b - 1].dominator;
  }
  return a;
}

/* Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm". */
static void find_dominators(graph *g) {
  for (uint32_t i = 1; i <= g->nodes.len; i++) {
    llv jump = LLVMGetBasicBlockTerminator(g->nodes.data[i - 1].block);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(jump); k++) {
      node *to = &g->nodes.data[number_of(g, LLVMGetSuccessor(jump, k)) - 1];
      vec_push(g->a, to->before, i);
    }
  }
  g->nodes.data[0].dominator = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 2; i <= g->nodes.len; i++) {
      node *n = &g->nodes.data[i - 1];
      uint32_t found = 0;
      for (uint32_t k = 0; k < n->before.len; k++) {
        uint32_t from = n->before.data[k];
        if (!g->nodes.data[from - 1].dominator) continue;
        found = found ? common(g, found, from) : from;
      }
      changed |= found != n->dominator;
      n->dominator = found;
    }
  }
}

/* ---- accumulators ---------------------------------------------------------------------------- */

static bool is_matrix_call(llv x) {
  if (!LLVMIsACallInst(x)) return false;
  llv f = LLVMGetCalledValue(x);
  size_t n;
  const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &n) : "";
  return strncmp(name, "llvm.amdgcn.mfma.", 17) == 0 || strncmp(name, "llvm.amdgcn.wmma.", 17) == 0;
}

/* A loop's phi that gets what a matrix instruction makes. */
static bool is_accumulator(llv phi) {
  if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMVectorTypeKind) return false;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (is_matrix_call(LLVMGetIncomingValue(phi, i))) return true;
  return false;
}

typedef struct finishing {
  unit *u;
  graph g;
  VEC(llv) phis, calls;
  bool apart; /* accumulators are in registers of their own */
} finishing;

static void find_all(finishing *x) {
  for (uint32_t i = 0; i < x->g.nodes.len; i++) {
    llv at = LLVMGetFirstInstruction(x->g.nodes.data[i].block);
    for (; at; at = LLVMGetNextInstruction(at)) {
      if (LLVMIsAPHINode(at) && is_accumulator(at)) vec_push(x->g.a, x->phis, at);
      if (is_matrix_call(at)) vec_push(x->g.a, x->calls, at);
    }
  }
}

static bool is_extract(llv x) {
  return LLVMIsAExtractElementInst(x) != NULL;
}

/* It is wanted in other blocks alone, and by no phi. */
static bool is_for_later(llv x) {
  LLVMUseRef use = LLVMGetFirstUse(x);
  for (; use; use = LLVMGetNextUse(use)) {
    llv user = LLVMGetUser(use);
    if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) == LLVMGetInstructionParent(x))
      return false;
  }
  return true;
}

/* Only matrix instructions use it where it is made, so that it need not be in registers of vectors
 * there; or it is a phi that none uses, behind a loop. */
static bool stays_with_products(llv x) {
  bool used = !LLVMIsAPHINode(x);
  LLVMUseRef use = LLVMGetFirstUse(x);
  for (; use && !used; use = LLVMGetNextUse(use)) used = is_matrix_call(LLVMGetUser(use));
  if (!used) return true;
  use = LLVMGetFirstUse(x);
  for (; use; use = LLVMGetNextUse(use)) {
    llv user = LLVMGetUser(use);
    bool here = LLVMGetInstructionParent(user) == LLVMGetInstructionParent(x);
    bool is_late = is_extract(user) && is_for_later(user);
    if (here && !is_late && !is_matrix_call(user) && !LLVMIsAPHINode(user)) return false;
  }
  return true;
}

/* ---- pieces of assembly code ------------------------------------------------------------------
 */

/* The same vector, of which nothing is known, made in front of an instruction. */
static llv pass_through(finishing *x, llv vector, llv before) {
  emit *e = &x->u->e;
  LLVMTypeRef type = LLVMTypeOf(vector), of = LLVMFunctionType(type, &type, 1, 0);
  const char *where = x->apart ? "=a,0" : "=v,0";
  llv code = LLVMGetInlineAsm(of, "", 0, where, strlen(where), 0, 0, LLVMInlineAsmDialectATT, 0);
  LLVMPositionBuilderBefore(e->b, before);
  return LLVMBuildCall2(e->b, of, code, &vector, 1, "");
}

/* What has been made for another phi of the same accumulator, from the same block: where the loop
 * may be left out, that in front of it and that behind it. */
static llv hidden_before(const finishing *x, llv phi, unsigned at) {
  for (uint32_t k = 0; k < x->phis.len && x->phis.data[k] != phi; k++) {
    llv other = x->phis.data[k], found = NULL;
    bool same = false;
    for (unsigned i = 0; i < LLVMCountIncoming(other); i++) {
      llv value = LLVMGetIncomingValue(other, i);
      if (LLVMGetIncomingBlock(other, i) == LLVMGetIncomingBlock(phi, at)) found = value;
      for (unsigned j = 0; j < LLVMCountIncoming(phi); j++)
        same |= j != at && LLVMGetIncomingValue(phi, j) == value;
    }
    if (same && found) return found;
  }
  return NULL;
}

static void hide_constants(finishing *x, llv phi) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    if (!LLVMIsConstant(LLVMGetIncomingValue(phi, i))) continue;
    llv jump = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i));
    llv hidden = hidden_before(x, phi, i);
    if (!hidden) hidden = pass_through(x, LLVMGetIncomingValue(phi, i), jump);
    LLVMSetOperand(phi, i, hidden);
  }
}

/* The block that dominates all of these blocks and those of an extract's, or of its users. */
static uint32_t dominator_of(const graph *g, uint32_t so_far, llv extract, llblock own) {
  LLVMUseRef use = LLVMGetFirstUse(extract);
  if (LLVMGetInstructionParent(extract) != own) {
    uint32_t number = number_of(g, LLVMGetInstructionParent(extract));
    return so_far && number ? common(g, so_far, number) : number;
  }
  for (; use; use = LLVMGetNextUse(use)) {
    uint32_t number = number_of(g, LLVMGetInstructionParent(LLVMGetUser(use)));
    if (number) so_far = so_far ? common(g, so_far, number) : number;
  }
  return so_far;
}

/* In front of what wants its elements in other blocks than its own. */
static void copy_late(finishing *x, llv vector) {
  graph *g = &x->g;
  llblock own = LLVMGetInstructionParent(vector);
  VEC(llv) wanted = {0};
  uint32_t found = 0;
  LLVMUseRef use = LLVMGetFirstUse(vector);
  for (; use; use = LLVMGetNextUse(use)) {
    llv user = LLVMGetUser(use);
    bool here = LLVMGetInstructionParent(user) == own;
    if (!is_extract(user) || (here && !is_for_later(user))) continue;
    if (!number_of(g, LLVMGetInstructionParent(user)) || !LLVMGetFirstUse(user)) continue;
    vec_push(g->a, wanted, user);
    found = dominator_of(g, found, user, own);
  }
  if (!found || g->nodes.data[found - 1].block == own) return;
  llblock block = g->nodes.data[found - 1].block;
  llv before = LLVMGetBasicBlockTerminator(block);
  for (llv at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
    bool is_wanted = false; /* or wants one that is to be moved here */
    for (uint32_t i = 0; i < wanted.len && !LLVMIsAPHINode(at); i++) {
      is_wanted |= wanted.data[i] == at;
      for (int k = 0; k < LLVMGetNumOperands(at); k++)
        is_wanted |= LLVMGetOperand(at, (unsigned)k) == wanted.data[i];
    }
    if (!is_wanted) continue;
    before = at;
    break;
  }
  llv copy = pass_through(x, vector, before);
  for (uint32_t i = 0; i < wanted.len; i++) {
    llv extract = wanted.data[i];
    LLVMSetOperand(extract, 0, copy);
    if (LLVMGetInstructionParent(extract) != own) continue;
    LLVMInstructionRemoveFromParent(extract);
    LLVMPositionBuilderBefore(x->u->e.b, before);
    LLVMInsertIntoBuilder(x->u->e.b, extract);
  }
}

/* Registers of 32 bits that accumulators take, counted where loops carry them. */
static unsigned registers_of(const finishing *x) {
  unsigned most = 0;
  for (uint32_t i = 0; i < x->phis.len; i++) {
    unsigned sum = 0;
    for (uint32_t k = 0; k < x->phis.len; k++) {
      LLVMTypeRef t = LLVMTypeOf(x->phis.data[k]);
      bool here =
          LLVMGetInstructionParent(x->phis.data[k]) == LLVMGetInstructionParent(x->phis.data[i]);
      bool wide = LLVMGetElementType(t) == x->u->e.f64;
      if (here) sum += LLVMGetVectorSize(t) << wide;
    }
    most = MAX(most, sum);
  }
  return most;
}

void amdgcn_finish(unit *u, llv f, const gpu_target *t) {
  finishing x = {.u = u, .g = {.a = &u->arena}};
  number_blocks(&x.g, f);
  find_dominators(&x.g);
  find_all(&x);
  if (!x.phis.len) return;
  enum { FEW = 64 /* that need not be apart, where vector instructions reach them */ };
  x.apart = t->accumulators > 0 && registers_of(&x) > FEW;
  for (uint32_t i = 0; i < x.phis.len; i++) x.apart &= stays_with_products(x.phis.data[i]);
  for (uint32_t i = 0; i < x.calls.len; i++) x.apart &= stays_with_products(x.calls.data[i]);
  for (uint32_t i = 0; i < x.phis.len; i++) hide_constants(&x, x.phis.data[i]);
  for (uint32_t i = 0; i < x.phis.len; i++) copy_late(&x, x.phis.data[i]);
  for (uint32_t i = 0; i < x.calls.len; i++) copy_late(&x, x.calls.data[i]);
}
