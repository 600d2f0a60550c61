/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/nvptx/finish.h"

/* Registers are still coalesced, unlike with no optimisation for the whole target. */
static void forbid_optimisations(unit *u, LLVMValueRef f) {
  static const char *const names[] = {"noinline", "optnone"}; /* the second asks for the first */
  for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(u->e.llvm, kind, 0));
  }
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Each block is followed by the first of those that it jumps to, if that has no place yet; what
 * ends the function ends its text. */
static void lay_out(unit *u, LLVMValueRef f) {
  map placed = {0};
  VEC(LLVMBasicBlockRef) open = {0}, ends = {0};
  LLVMBasicBlockRef last = NULL;
  vec_push(&u->arena, open, LLVMGetEntryBasicBlock(f));
  while (open.len) {
    LLVMBasicBlockRef block = open.data[--open.len];
    uintptr_t *slot = map_put(&u->arena, &placed, (uintptr_t)block);
    if (*slot) continue;
    *slot = 1;
    if (last) LLVMMoveBasicBlockAfter(block, last);
    last = block;
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(block);
    unsigned n = LLVMGetNumSuccessors(jump);
    if (n == 0) vec_push(&u->arena, ends, block);
    for (unsigned i = n; i-- > 0;) vec_push(&u->arena, open, LLVMGetSuccessor(jump, i));
  }
  for (uint32_t i = 0; i < ends.len; i++) {
    if (ends.data[i] != last) LLVMMoveBasicBlockAfter(ends.data[i], last);
    last = ends.data[i];
  }
}

/* ---- branches ------------------------------------------------------------------------------- */

static LLVMIntPredicate opposite(LLVMIntPredicate p) {
  switch (p) {
  case LLVMIntEQ: return LLVMIntNE;
  case LLVMIntNE: return LLVMIntEQ;
  case LLVMIntUGT: return LLVMIntULE;
  case LLVMIntULE: return LLVMIntUGT;
  case LLVMIntUGE: return LLVMIntULT;
  case LLVMIntULT: return LLVMIntUGE;
  case LLVMIntSGT: return LLVMIntSLE;
  case LLVMIntSLE: return LLVMIntSGT;
  case LLVMIntSGE: return LLVMIntSLT;
  default: return LLVMIntSGE;
  }
}

typedef struct turning {
  unit *u;
  map known;                 /* opposites, by what they are the opposites of */
  map seen;                  /* what is pending */
  VEC(LLVMValueRef) pending; /* both, operands first */
} turning;

/* An opposite may be a constant, or one of those that it was to be made of. */
static void add_pending(turning *t, LLVMValueRef x) {
  if (!LLVMIsAInstruction(x)) return;
  uintptr_t *slot = map_put(&t->u->arena, &t->seen, (uintptr_t)x);
  if (*slot) return;
  *slot = 1;
  vec_push(&t->u->arena, t->pending, x);
}

/* The opposite of comparisons and what they are joined by, made beside them, once; NULL: of
 * something else. */
static LLVMValueRef inverse_of(turning *t, LLVMValueRef x) {
  LLVMBuilderRef to = t->u->e.b;
  LLVMValueRef made = map_ptr(&t->known, x), a = NULL, b = NULL;
  if (made || !LLVMIsAInstruction(x)) return made;
  LLVMOpcode code = LLVMGetInstructionOpcode(x);
  if (code != LLVMICmp && code != LLVMAnd && code != LLVMOr) return NULL;
  if (code != LLVMICmp) {
    a = inverse_of(t, LLVMGetOperand(x, 0));
    b = a ? inverse_of(t, LLVMGetOperand(x, 1)) : NULL;
    if (!b) return NULL;
  }
  LLVMPositionBuilderBefore(to, x);
  if (code == LLVMICmp)
    made = LLVMBuildICmp(to, opposite(LLVMGetICmpPredicate(x)), LLVMGetOperand(x, 0),
                         LLVMGetOperand(x, 1), "");
  else
    made = LLVMBuildBinOp(to, code == LLVMAnd ? LLVMOr : LLVMAnd, a, b, "");
  *map_put(&t->u->arena, &t->known, (uintptr_t)x) = (uintptr_t)made;
  add_pending(t, x);
  add_pending(t, made);
  return made;
}

/* Code generation leaves out what nobody uses, but not what that uses in other blocks. */
static void drop_unused(const turning *t) {
  for (uint32_t i = t->pending.len; i-- > 0;)
    if (!LLVMGetFirstUse(t->pending.data[i])) LLVMInstructionEraseFromParent(t->pending.data[i]);
}

/* A branch that falls through where its condition holds takes a negation, its opposite none. */
static void turn_branches(unit *u, LLVMValueRef f) {
  turning t = {.u = u};
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
  for (; block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsABranchInst(jump) || !LLVMIsConditional(jump)) continue;
    LLVMBasicBlockRef to = LLVMGetSuccessor(jump, 0), other = LLVMGetSuccessor(jump, 1);
    if (to != LLVMGetNextBasicBlock(block)) continue;
    LLVMValueRef inverse = inverse_of(&t, LLVMGetCondition(jump));
    if (!inverse) continue;
    LLVMSetCondition(jump, inverse);
    LLVMSetSuccessor(jump, 0, other);
    LLVMSetSuccessor(jump, 1, to);
  }
  drop_unused(&t);
}

/* ---- registers that many instructions read --------------------------------------------------
 *
 * Each operand of inline assembly is a copy for LLVM, and when a copy is joined with its source all
 * uses of the register are visited. So after this many in a block a value gets another register, by
 * an instruction that LLVM does not know to be a copy. */
enum { MOST_USES = 512 };

/* What a value is read from in the block that is walked. */
typedef struct reading {
  LLVMValueRef from;
  unsigned uses;
} reading;

static LLVMValueRef copy_of(unit *u, LLVMValueRef x) {
  emit *e = &u->e;
  LLVMTypeRef type = LLVMTypeOf(x);
  const char *text = "mov.b32 $0, $1;", *constraints = "=r,r";
  if (type == e->i1) text = "mov.pred $0, $1;", constraints = "=b,b";
  if (type == e->i64) text = "mov.b64 $0, $1;", constraints = "=l,l";
  if (type == e->i16) text = "mov.b16 $0, $1;", constraints = "=h,h";
  if (type == e->f32) constraints = "=f,f";
  if (type == e->f64) text = "mov.b64 $0, $1;", constraints = "=d,d";
  LLVMTypeRef function = LLVMFunctionType(type, &type, 1, 0);
  LLVMValueRef code =
      LLVMGetInlineAsm(function, text, strlen(text), constraints, strlen(constraints), true, false,
                       LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(e->b, function, code, &x, 1, "");
}

static bool has_register(const emit *e, LLVMValueRef x) {
  LLVMTypeRef t = LLVMTypeOf(x);
  return (LLVMIsAInstruction(x) || LLVMIsAArgument(x)) &&
         (t == e->i1 || t == e->i16 || t == e->i32 || t == e->i64 || t == e->f32 || t == e->f64);
}

static bool is_assembly(LLVMValueRef x) {
  return LLVMIsACallInst(x) && LLVMIsAInlineAsm(LLVMGetCalledValue(x));
}

/* The first of the block's values that is the same cast of the same value: LLVM makes one of them.
 */
static LLVMValueRef first_like(unit *u, map *seen, LLVMValueRef x) {
  if (!LLVMIsACastInst(x)) return x;
  uintptr_t *slot = map_put(&u->arena, seen, (uintptr_t)LLVMGetOperand(x, 0) + 1);
  if (!*slot) *slot = (uintptr_t)x;
  LLVMValueRef first = (LLVMValueRef)*slot;
  bool same = LLVMTypeOf(first) == LLVMTypeOf(x) &&
              LLVMGetInstructionOpcode(first) == LLVMGetInstructionOpcode(x);
  return same ? first : x;
}

static void share_out_uses(unit *u, map *seen, LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef x = LLVMGetOperand(call, i);
    if (!has_register(&u->e, x)) continue;
    x = first_like(u, seen, x);
    uintptr_t *slot = map_put(&u->arena, seen, (uintptr_t)x);
    if (!*slot) {
      reading *fresh = arena_new(&u->arena, reading);
      fresh->from = x;
      *slot = (uintptr_t)fresh;
    }
    reading *r = (reading *)*slot;
    if (r->uses == MOST_USES) {
      LLVMPositionBuilderBefore(u->e.b, call);
      *r = (reading){.from = copy_of(u, r->from)};
    }
    r->uses++;
    if (r->from != x) LLVMSetOperand(call, i, r->from);
  }
}

static void limit_uses(unit *u, LLVMBasicBlockRef block) {
  unsigned n = 0;
  LLVMValueRef i = LLVMGetFirstInstruction(block);
  for (; i && n <= MOST_USES; i = LLVMGetNextInstruction(i)) n += is_assembly(i);
  if (n <= MOST_USES) return;
  map seen = {0};
  for (i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    if (is_assembly(i)) share_out_uses(u, &seen, i);
}

static void limit_uses_of_all(unit *u, LLVMValueRef f) {
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
  for (; block; block = LLVMGetNextBasicBlock(block)) limit_uses(u, block);
}

/* ---- registers that go through many loops ---------------------------------------------------
 *
 * A phi and what comes into it become one register, and so do all phis that hand a value on from
 * loop to loop. Each of these joins visits all uses of the register as well, so one that has many
 * is handed on by an instruction that LLVM does not know to be a copy. */

/* Values that become one register: a tree, whose root has the number of uses. */
typedef struct joined {
  struct joined *up;
  unsigned uses;
} joined;

typedef struct joining {
  unit *u;
  map of;     /* values -> joined * */
  map behind; /* blocks that have been walked */
} joining;

static joined *root_of(joined *j) {
  while (j->up) {
    if (j->up->up) j->up = j->up->up;
    j = j->up;
  }
  return j;
}

static joined *joined_of(joining *w, LLVMValueRef x) {
  uintptr_t *slot = map_put(&w->u->arena, &w->of, (uintptr_t)x);
  if (!*slot) {
    joined *fresh = arena_new(&w->u->arena, joined);
    *fresh = (joined){0};
    for (LLVMUseRef use = LLVMGetFirstUse(x); use; use = LLVMGetNextUse(use)) fresh->uses++;
    *slot = (uintptr_t)fresh;
  }
  return root_of((joined *)*slot);
}

static void join(joined *a, joined *b) {
  if (a == b) return;
  b->up = a;
  a->uses += b->uses;
}

/* What comes in over an edge that goes forward is handed on so where there would be too many. */
static void join_incoming(joining *w, LLVMValueRef phi, unsigned i) {
  LLVMValueRef x = LLVMGetIncomingValue(phi, i);
  LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
  if (!has_register(&w->u->e, x)) return;
  joined *a = joined_of(w, phi), *b = joined_of(w, x);
  if (a == b || a->uses + b->uses <= MOST_USES || !map_get(&w->behind, (uintptr_t)from)) {
    join(a, b);
    return;
  }
  LLVMPositionBuilderBefore(w->u->e.b, LLVMGetBasicBlockTerminator(from));
  LLVMSetOperand(phi, i, copy_of(w->u, x));
}

static LLVMValueRef next_phi(LLVMValueRef x) {
  return x && LLVMIsAPHINode(x) ? x : NULL;
}

static void limit_joins(unit *u, LLVMValueRef f) {
  joining w = {.u = u};
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
  for (; block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef phi = next_phi(LLVMGetFirstInstruction(block));
    for (; phi; phi = next_phi(LLVMGetNextInstruction(phi)))
      for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) join_incoming(&w, phi, i);
    *map_put(&u->arena, &w.behind, (uintptr_t)block) = 1;
  }
}

void nvptx_finish(unit *u) {
  LLVMValueRef f = LLVMGetFirstFunction(u->e.module);
  for (; f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) continue;
    forbid_optimisations(u, f);
    lay_out(u, f);
    turn_branches(u, f);
    limit_uses_of_all(u, f);
    limit_joins(u, f);
  }
}

/* ---- text ----------------------------------------------------------------------------------- */

/* One of the labels that the text begins with is this one. */
static bool begins_with_label(const char *text, const char *end, const char *label, size_t n) {
  while ((size_t)(end - text) > n && *text == '$') {
    if (memcmp(text, label, n) == 0 && text[n] == ':') return true;
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    text = line_end ? line_end + 1 : end;
  }
  return false;
}

void nvptx_drop_idle_jumps(sbuf *text, size_t start) {
  static const char jump[] = "\tbra.uni \t";
  size_t n = sizeof jump - 1;
  char *to = text->data + start, *from = to, *end = text->data + text->len;
  while (from < end) {
    char *line_end = memchr(from, '\n', (size_t)(end - from));
    char *next = line_end ? line_end + 1 : end;
    size_t length = (size_t)(next - from), label = length - MIN(length, n + 2); /* without ";\n" */
    bool idle =
        label && memcmp(from, jump, n) == 0 && begins_with_label(next, end, from + n, label);
    if (!idle) {
      memmove(to, from, length);
      to += length;
    }
    from = next;
  }
  *to = '\0';
  text->len = (size_t)(to - text->data);
}
