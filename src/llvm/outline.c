/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First the region gets one edge in and one out, with blocks at both ends of them:
 *
 *   before: phis of what comes from outside ──► enter ──► head … ──► leave: phis ──► behind ──►
 * after
 *
 * `before` and `after` stay and become one. What is used inside and made outside goes in as
 * arguments; what is made inside and used outside comes back through memory of the caller's. As
 * long as blocks are where they were, memory may run out: then the module is thrown away, which
 * must not refer to another. So nothing is allocated while they move.
 */
#include "llvm/outline.h"

#include <llvm-c/Target.h>

typedef VEC(LLVMValueRef) value_list;

typedef struct outliner {
  emit *e;
  const outline_region *r;
  LLVMModuleRef to;
  const char *name;
  map inside;  /* blocks: those of the region, enter, leave */
  map instead; /* of values from outside: what is used inside from now on */
  value_list in, out;
  uint32_t most;   /* of both together */
  uint64_t *place; /* of those that go out, in the memory for them */
  uint64_t bytes;
  LLVMBasicBlockRef before, enter, leave, behind; /* the last two: NULL when it returns */
} outliner;

enum { RESULT_ALIGN = 64 };

static bool is_inside(const outliner *o, LLVMBasicBlockRef block) {
  return map_get(&o->inside, (uintptr_t)block) != NULL;
}

static bool is_made_inside(const outliner *o, LLVMValueRef v) {
  return LLVMGetValueKind(v) == LLVMInstructionValueKind &&
         is_inside(o, LLVMGetInstructionParent(v));
}

/* ---- edges ---------------------------------------------------------------------------------- */

static LLVMBasicBlockRef new_block(outliner *o, LLVMBasicBlockRef before, const char *name) {
  return LLVMInsertBasicBlockInContext(o->e->llvm, before, name);
}

/* What a phi gets over edges from inside (or outside) the region; as a phi in `merge` if that is
 * more than one value. */
static LLVMValueRef merged(outliner *o, LLVMValueRef phi, bool from_inside,
                           LLVMBasicBlockRef merge) {
  LLVMValueRef first = NULL, several = NULL;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef v = LLVMGetIncomingValue(phi, i);
    if (is_inside(o, LLVMGetIncomingBlock(phi, i)) != from_inside) continue;
    if (!first) first = v;
    if (v != first) several = v;
  }
  if (!several) return first;
  LLVMPositionBuilderAtEnd(o->e->b, merge);
  several = LLVMBuildPhi(o->e->b, LLVMTypeOf(phi), "");
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef v = LLVMGetIncomingValue(phi, i);
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    if (is_inside(o, from) == from_inside) LLVMAddIncoming(several, &v, &from, 1);
  }
  return several;
}

/* The same phi, but that those edges come from `via`. */
static void replace_phi(outliner *o, LLVMValueRef phi, bool from_inside, LLVMBasicBlockRef merge,
                        LLVMBasicBlockRef via) {
  LLVMValueRef together = merged(o, phi, from_inside, merge);
  LLVMPositionBuilderBefore(o->e->b, phi);
  LLVMValueRef made = LLVMBuildPhi(o->e->b, LLVMTypeOf(phi), "");
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef v = LLVMGetIncomingValue(phi, i);
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    if (is_inside(o, from) != from_inside) LLVMAddIncoming(made, &v, &from, 1);
  }
  if (together) LLVMAddIncoming(made, &together, &via, 1);
  LLVMReplaceAllUsesWith(phi, made);
  LLVMInstructionEraseFromParent(phi);
}

/* Lets all edges to a block that come from inside (or outside) go to `merge`, which leads there by
 * way of `via`. */
static void lead_by(outliner *o, LLVMBasicBlockRef block, bool from_inside, LLVMBasicBlockRef merge,
                    LLVMBasicBlockRef via) {
  value_list jumps = {0};
  LLVMValueRef label = LLVMBasicBlockAsValue(block);
  for (LLVMUseRef u = LLVMGetFirstUse(label); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (LLVMGetValueKind(user) == LLVMInstructionValueKind &&
        is_inside(o, LLVMGetInstructionParent(user)) == from_inside)
      vec_push(o->e->arena, jumps, user);
  }
  for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
    next = LLVMGetNextInstruction(inst);
    if (!LLVMIsAPHINode(inst)) break;
    replace_phi(o, inst, from_inside, merge, via);
  }
  for (uint32_t i = 0; i < jumps.len; i++)
    for (unsigned k = 0; k < LLVMGetNumSuccessors(jumps.data[i]); k++)
      if (LLVMGetSuccessor(jumps.data[i], k) == block) LLVMSetSuccessor(jumps.data[i], k, merge);
  LLVMPositionBuilderAtEnd(o->e->b, merge);
  LLVMBuildBr(o->e->b, via);
  LLVMPositionBuilderAtEnd(o->e->b, via);
  LLVMBuildBr(o->e->b, block);
}

static void find_edges(outliner *o) {
  arena *a = o->e->arena;
  const outline_region *r = o->r;
  o->before = new_block(o, r->head, "before");
  o->enter = new_block(o, r->head, "enter");
  lead_by(o, r->head, false, o->before, o->enter);
  if (r->after) {
    o->leave = new_block(o, r->after, "leave");
    o->behind = new_block(o, r->after, "behind");
    lead_by(o, r->after, true, o->leave, o->behind);
    *map_put(a, &o->inside, (uintptr_t)o->leave) = 1;
  }
  *map_put(a, &o->inside, (uintptr_t)o->enter) = 1;
}

/* ---- what belongs to the module ------------------------------------------------------------- */

static bool refers_to_globals(LLVMValueRef v) {
  if (LLVMIsAGlobalValue(v)) return true;
  for (int i = 0; LLVMIsAUser(v) && i < LLVMGetNumOperands(v); i++)
    if (refers_to_globals(LLVMGetOperand(v, (unsigned)i))) return true;
  return false;
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to) {
  enum { MOST = 16 };
  LLVMAttributeRef all[MOST];
  LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  unsigned n = LLVMGetAttributeCountAtIndex(from, whole);
  if (n > MOST) return; /* they are permissions */
  LLVMGetAttributesAtIndex(from, whole, all);
  for (unsigned i = 0; i < n; i++) LLVMAddAttributeAtIndex(to, whole, all[i]);
}

/* A function that both modules call is seen by both. */
static LLVMValueRef function_there(outliner *o, LLVMValueRef f) {
  size_t length;
  const char *name = LLVMGetValueName2(f, &length);
  LLVMValueRef there = LLVMGetNamedFunction(o->to, name);
  if (there) return there;
  there = LLVMAddFunction(o->to, name, LLVMGlobalGetValueType(f));
  if (LLVMGetIntrinsicID(f)) return there;
  copy_attributes(f, there);
  if (LLVMGetLinkage(f) == LLVMInternalLinkage) {
    LLVMSetLinkage(f, LLVMExternalLinkage);
    LLVMSetVisibility(f, LLVMHiddenVisibility);
  }
  LLVMSetVisibility(there, LLVMGetVisibility(f));
  return there;
}

/* Constants are written out in both. */
static LLVMValueRef constant_there(outliner *o, LLVMValueRef g) {
  LLVMValueRef bytes = LLVMGetInitializer(g);
  if (!LLVMIsGlobalConstant(g) || !bytes || refers_to_globals(bytes)) return NULL;
  size_t length;
  const char *name = LLVMGetValueName2(g, &length);
  LLVMValueRef there = LLVMGetNamedGlobal(o->to, name);
  if (there) return there;
  there = LLVMAddGlobal(o->to, LLVMGlobalGetValueType(g), name);
  LLVMSetInitializer(there, bytes);
  LLVMSetGlobalConstant(there, 1);
  LLVMSetLinkage(there, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(there, LLVMGetUnnamedAddress(g));
  LLVMSetAlignment(there, LLVMGetAlignment(g));
  return there;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Sees to a value that is used inside. False when it can't be had there. */
static bool take_in(outliner *o, LLVMValueRef v) {
  LLVMValueKind kind = LLVMGetValueKind(v);
  LLVMValueRef there = NULL;
  switch (kind) {
  case LLVMInstructionValueKind:
    if (is_made_inside(o, v)) return true;
    break;
  case LLVMArgumentValueKind: break;
  case LLVMFunctionValueKind: there = function_there(o, v); break;
  case LLVMGlobalVariableValueKind:
    there = constant_there(o, v);
    if (!there) return false;
    break;
  case LLVMBasicBlockValueKind:
  case LLVMInlineAsmValueKind:
  case LLVMMetadataAsValueValueKind:
  case LLVMConstantIntValueKind:
  case LLVMConstantFPValueKind: return true;
  default: return !refers_to_globals(v);
  }
  uint32_t had = o->instead.len;
  uintptr_t *instead = map_put(o->e->arena, &o->instead, (uintptr_t)v);
  if (o->instead.len == had) return true;
  *instead = (uintptr_t)there;
  if (!there) vec_push(o->e->arena, o->in, v);
  return true;
}

static bool is_used_outside(const outliner *o, LLVMValueRef v) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
    if (!is_made_inside(o, LLVMGetUser(u))) return true;
  return false;
}

static bool look_at(outliner *o, LLVMValueRef inst) {
  LLVMOpcode code = LLVMGetInstructionOpcode(inst);
  if (code == LLVMAlloca) return false; /* it would end with the call */
  if (code == LLVMRet && LLVMGetNumOperands(inst) > 0) return false;
  if (LLVMIsATerminatorInst(inst) && code != LLVMBr && code != LLVMSwitch && code != LLVMRet)
    return false;
  for (int i = 0; i < LLVMGetNumOperands(inst); i++)
    if (!take_in(o, LLVMGetOperand(inst, (unsigned)i))) return false;
  if (is_used_outside(o, inst)) vec_push(o->e->arena, o->out, inst);
  return o->in.len + o->out.len <= o->most;
}

static bool look_at_block(outliner *o, LLVMBasicBlockRef block) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    if (!look_at(o, i)) return false;
  return true;
}

static bool find_values(outliner *o) {
  for (uint32_t i = 0; i < o->r->n; i++)
    if (!look_at_block(o, o->r->blocks[i])) return false;
  return !o->leave || look_at_block(o, o->leave);
}

static void place_results(outliner *o) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(o->e->module);
  o->place = arena_array(o->e->arena, uint64_t, MAX(o->out.len, 1u));
  for (uint32_t i = 0; i < o->out.len; i++) {
    uint64_t size = LLVMABISizeOfType(layout, LLVMTypeOf(o->out.data[i]));
    uint64_t align = LLVMABIAlignmentOfType(layout, LLVMTypeOf(o->out.data[i]));
    align = MIN(align, (uint64_t)RESULT_ALIGN);
    o->place[i] = (o->bytes + align - 1) / align * align;
    o->bytes = o->place[i] + size;
  }
}

/* Can it be done? Asked before anything changes, so phis have not been merged yet. */
static bool fits(outliner *o) {
  const outline_region *r = o->r;
  for (uint32_t i = 0; i < r->n; i++)
    *map_put(o->e->arena, &o->inside, (uintptr_t)r->blocks[i]) = 1;
  if (!find_values(o)) return false;
  LLVMValueRef phi = r->after ? LLVMGetFirstInstruction(r->after) : NULL;
  for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
      if (is_inside(o, LLVMGetIncomingBlock(phi, i)) && !take_in(o, LLVMGetIncomingValue(phi, i)))
        return false;
  if (o->in.len + o->out.len > o->most) return false;
  o->most = UINT32_MAX; /* from here on it must be done */
  o->in.len = o->out.len = 0;
  o->instead = (map){0};
  return true;
}

/* ---- moving --------------------------------------------------------------------------------- */

static LLVMValueRef memory_for_results(outliner *o) {
  LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(o->before));
  LLVMPositionBuilderBefore(o->e->b, LLVMGetFirstInstruction(start));
  LLVMValueRef m = LLVMBuildAlloca(o->e->b, LLVMArrayType2(o->e->i8, o->bytes), "results");
  LLVMSetAlignment(m, RESULT_ALIGN);
  return m;
}

static unsigned align_at(uint64_t offset) {
  return (unsigned)MIN(offset & -offset, (uint64_t)RESULT_ALIGN);
}

static LLVMValueRef place_of(outliner *o, LLVMValueRef results, uint32_t i) {
  return emit_offsetk(o->e, results, (int64_t)o->place[i]);
}

static void store_results(outliner *o, LLVMValueRef results) {
  LLVMValueRef jump = LLVMGetBasicBlockTerminator(o->leave);
  LLVMPositionBuilderBefore(o->e->b, jump);
  for (uint32_t i = 0; i < o->out.len; i++) {
    LLVMValueRef store = LLVMBuildStore(o->e->b, o->out.data[i], place_of(o, results, i));
    LLVMSetAlignment(store, align_at(o->place[i] + RESULT_ALIGN));
  }
  LLVMBuildRetVoid(o->e->b);
  LLVMInstructionEraseFromParent(jump);
}

static void use_instead(LLVMValueRef v, LLVMValueRef instead, const outliner *o) {
  for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
    LLVMValueRef user = LLVMGetUser(u);
    next = LLVMGetNextUse(u);
    if (is_made_inside(o, user)) continue;
    while (next && LLVMGetUser(next) == user) next = LLVMGetNextUse(next);
    for (int i = 0; i < LLVMGetNumOperands(user); i++)
      if (LLVMGetOperand(user, (unsigned)i) == v) LLVMSetOperand(user, (unsigned)i, instead);
  }
}

static void load_results(outliner *o, LLVMValueRef results) {
  LLVMValueRef jump = LLVMGetBasicBlockTerminator(o->behind);
  for (uint32_t i = 0; i < o->out.len; i++) {
    LLVMValueRef v = o->out.data[i];
    LLVMPositionBuilderBefore(o->e->b, jump);
    LLVMValueRef load = LLVMBuildLoad2(o->e->b, LLVMTypeOf(v), place_of(o, results, i), "");
    LLVMSetAlignment(load, align_at(o->place[i] + RESULT_ALIGN));
    use_instead(v, load, o);
  }
}

/* What was used from outside. */
static void use_arguments(outliner *o, LLVMBasicBlockRef block) {
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x; x = LLVMGetNextInstruction(x))
    for (int i = 0; i < LLVMGetNumOperands(x); i++) {
      const uintptr_t *v = map_get(&o->instead, (uintptr_t)LLVMGetOperand(x, (unsigned)i));
      if (v) LLVMSetOperand(x, (unsigned)i, (LLVMValueRef)*v);
    }
}

static void move_block(LLVMBasicBlockRef block, LLVMValueRef to) {
  LLVMRemoveBasicBlockFromParent(block);
  LLVMAppendExistingBasicBlock(to, block);
}

static void call_there(outliner *o, LLVMValueRef f, LLVMTypeRef type, LLVMValueRef results) {
  LLVMBuilderRef b = o->e->b;
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(o->before));
  LLVMPositionBuilderAtEnd(b, o->before);
  unsigned n = o->in.len;
  if (results) o->in.data[n++] = results;
  LLVMBuildCall2(b, type, f, o->in.data, n, "");
  if (o->behind)
    LLVMBuildBr(b, o->behind);
  else
    LLVMBuildRetVoid(b);
}

static void move(outliner *o, LLVMTypeRef type) {
  const outline_region *r = o->r;
  LLVMValueRef there = LLVMAddFunction(o->to, o->name, type);
  LLVMValueRef here = LLVMAddFunction(o->e->module, o->name, type);
  LLVMSetVisibility(there, LLVMHiddenVisibility);
  LLVMSetVisibility(here, LLVMHiddenVisibility);
  for (unsigned i = 0; i < o->in.len; i++)
    *map_get(&o->instead, (uintptr_t)o->in.data[i]) = (uintptr_t)LLVMGetParam(there, i);
  for (uint32_t i = 0; i < r->n; i++) use_arguments(o, r->blocks[i]);
  if (o->leave) use_arguments(o, o->leave);
  LLVMValueRef results = o->out.len ? memory_for_results(o) : NULL;
  if (o->leave) store_results(o, results ? LLVMGetParam(there, o->in.len) : NULL);
  if (results) load_results(o, results);
  call_there(o, here, type, results);
  move_block(o->enter, there);
  for (uint32_t i = 0; i < r->n; i++) move_block(r->blocks[i], there);
  if (o->leave) move_block(o->leave, there);
}

LLVMBasicBlockRef outline(emit *e, const outline_region *r, LLVMModuleRef to, const char *name) {
  outliner o = {.e = e, .r = r, .to = to, .name = name, .most = r->most_values};
  if (!fits(&o)) return NULL;
  find_edges(&o);
  find_values(&o);
  place_results(&o);
  LLVMTypeRef *types = arena_array(e->arena, LLVMTypeRef, o.in.len + 1u);
  for (uint32_t i = 0; i < o.in.len; i++) types[i] = LLVMTypeOf(o.in.data[i]);
  types[o.in.len] = e->ptr;
  vec_reserve(e->arena, o.in, o.in.len + 1);
  move(&o, LLVMFunctionType(e->void_, types, o.in.len + (o.out.len > 0), 0));
  return o.before;
}
