/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints leave records; asserts write which of them failed, and trap.
 */
#include "gpu/amdgcn/effects.h"

#include "gpu/amdgcn/state.h"
#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/shared.h"
#include "gpu/values.h"

/* A variable of the object, words of 32 bits, all zero; made on first use, for all kernels. */
static llv words_of(gen *g, const char *name, uint64_t n) {
  LLVMTypeRef type = LLVMArrayType2(g->e.i32, n);
  llv v = LLVMGetNamedGlobal(g->e.module, name);
  if (v) return v;
  v = LLVMAddGlobalInAddressSpace(g->e.module, type, name, SPACE_GLOBAL);
  LLVMSetInitializer(v, LLVMConstNull(type));
  LLVMSetAlignment(v, 16);
  return v;
}

static unsigned device_scope(gen *g) {
  return LLVMGetSyncScopeID(g->e.llvm, "agent", 5);
}

/* ---- prints --------------------------------------------------------------------------------- */

/* From 1 on; lines that are alike have one number. */
static uint32_t print_number(gen *g, const char *format, unsigned n) {
  amdgcn_result *out = amdgcn_own(g)->out;
  arena *keep = out->text.arena;
  for (uint32_t i = 0; i < out->prints.len; i++)
    if (strcmp(out->prints.data[i].format, format) == 0) return i + 1;
  amdgcn_print p = {.format = arena_strndup(keep, format, strlen(format)), .n = n};
  vec_push(keep, out->prints, p);
  return out->prints.len;
}

static void store_word(gen *g, llv prints, llv at, uint32_t offset, llv word) {
  LLVMBuilderRef b = g->e.b;
  llv index = add_const(g, to_i64(g, at), offset);
  llv p = LLVMBuildGEP2(b, g->e.i32, prints, &index, 1, "");
  LLVMSetAlignment(LLVMBuildStore(b, word, p), 4);
}

/* What does not fit is counted, and lost. */
void amdgcn_print_line(gen *g, const char *format, const llv *args, unsigned n) {
  LLVMBuilderRef b = g->e.b;
  uint32_t words = 1 + 2 * n, number = print_number(g, format, n);
  llv prints = words_of(g, AMDGCN_PRINTS, 1 + AMDGCN_PRINT_WORDS);
  llv at = LLVMBuildAtomicRMWSyncScope(b, LLVMAtomicRMWBinOpAdd, prints, k32(g, words),
                                       LLVMAtomicOrderingMonotonic, device_scope(g));
  llv fits = LLVMBuildICmp(b, LLVMIntULE, at, k32(g, AMDGCN_PRINT_WORDS - words), "");
  llblock done = gpu_begin_owner(g, fits);
  store_word(g, prints, at, 1, k32(g, number));
  for (unsigned i = 0; i < n; i++) {
    store_word(g, prints, at, 2 + 2 * i, LLVMBuildTrunc(b, args[i], g->e.i32, ""));
    llv high = LLVMBuildLShr(b, args[i], k64(g, 32), "");
    store_word(g, prints, at, 3 + 2 * i, LLVMBuildTrunc(b, high, g->e.i32, ""));
  }
  gpu_go(g, done);
}

/* ---- asserts -------------------------------------------------------------------------------- */

/* From 1 on. */
static uint32_t number_of(gen *g, const ir_op *op) {
  amdgcn_result *out = amdgcn_own(g)->out;
  str message = ir_get_attr(op, ATTR_message)->s;
  amdgcn_assert a = {.message = arena_strndup(out->text.arena, message.data, message.len),
                     .loc = op->loc};
  vec_push(out->text.arena, out->asserts, a);
  return out->asserts.len;
}

/* The first number stays. */
static void report(gen *g, uint32_t number) {
  LLVMBuildAtomicCmpXchgSyncScope(g->e.b, words_of(g, AMDGCN_REPORT, 1), k32(g, 0), k32(g, number),
                                  LLVMAtomicOrderingAcquireRelease, LLVMAtomicOrderingAcquire,
                                  device_scope(g));
  emit_intrinsic(&g->e, "llvm.trap", NULL, 0, NULL, 0);
}

/* An i1, the same in all lanes: it is true in one. A wave traps as a whole, so that none of its
 * lanes goes on as if nothing had happened. */
static llv any_lane(gen *g, llv x) {
  LLVMTypeRef type = LLVMIntTypeInContext(g->e.llvm, gpu_lanes(g->target));
  llv found = emit_intrinsic(&g->e, "llvm.amdgcn.ballot", &type, 1, &x, 1);
  return LLVMBuildICmp(g->e.b, LLVMIntNE, found, LLVMConstNull(type), "");
}

void amdgcn_check(gen *g, ir_op *op) {
  simt_dist d;
  llv *x = gpu_home(g, ir_operand(op, 0), &d), all = x[0];
  for (uint32_t i = 1; i < slots_of(&d); i++) all = LLVMBuildAnd(g->e.b, all, x[i], "");
  llv bad = fold_and(g, gpu_owner(g, &d), LLVMBuildNot(g->e.b, all, ""));
  llblock done = gpu_begin_owner(g, any_lane(g, bad));
  report(g, number_of(g, op));
  gpu_go(g, done);
}

static const char *why_not(const ir_op *op) {
  switch (op->opcode) {
  case OP_roles: return "groups of waves have no barriers of their own on AMD's GPUs";
  case OP_barrier_arrive:
  case OP_barrier_wait: return "AMD's GPUs have no named barriers";
  default: return NULL;
  }
}

void amdgcn_before_op(gen *g, const ir_op *op) {
  const char *why = why_not(op);
  if (why) gpu_unsupported(g, op, arena_printf(g->arena, "%s; the target interp runs it", why));
}
