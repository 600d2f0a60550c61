/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers of threads, barriers, values of other lanes, parts of words.
 *
 * Values of other lanes. Those whose number differs in few low bits a vector instruction reads by
 * itself (DPP), others come through the permutation unit of the LDS, which takes no memory.
 */
#include "gpu/amdgcn/threads.h"

#include "gpu/amdgcn/waits.h"
#include "gpu/code.h"

llv amdgcn_thread(gen *g) {
  return emit_intrinsic(&g->e, "llvm.amdgcn.workitem.id.x", NULL, 0, NULL, 0);
}

llv amdgcn_uniform(gen *g, llv x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return emit_intrinsic(&g->e, "llvm.amdgcn.readfirstlane", &type, 1, &x, 1);
}

/* ---- barriers ------------------------------------------------------------------------------- */

static void fence(gen *g, LLVMAtomicOrdering order, const char *scope) {
  unsigned id = LLVMGetSyncScopeID(g->e.llvm, scope, strlen(scope));
  LLVMBuildFenceSyncScope(g->e.b, order, id, "");
}

/* The lanes of a wave execute together, and its accesses to the LDS in their order. */
void amdgcn_warp_barrier(gen *g) {
  fence(g, LLVMAtomicOrderingRelease, "wavefront");
  emit_intrinsic(&g->e, "llvm.amdgcn.wave.barrier", NULL, 0, NULL, 0);
  fence(g, LLVMAtomicOrderingAcquire, "wavefront");
}

void amdgcn_barrier(gen *g) {
  if (gpu_threads(g) == 1) return;
  fence(g, LLVMAtomicOrderingRelease, "workgroup");
  amdgcn_wait_workgroup(g);
  emit_intrinsic(&g->e, "llvm.amdgcn.s.barrier", NULL, 0, NULL, 0);
  fence(g, LLVMAtomicOrderingAcquire, "workgroup");
}

/* ---- lanes ---------------------------------------------------------------------------------- */

/* Numbers of DPP's controls (LLVM, "User Guide for AMDGPU Backend", DPP_CTRL). */
enum {
  DPP_ROTATE_ROW = 0x120, /* by so many of 16 lanes */
  DPP_MIRROR_ROW = 0x140, /* of 16 lanes */
  DPP_MIRROR_HALF = 0x141,
  DPP_XOR_ROW = 0x160, /* RDNA */
};

/* Of four lanes each reads that whose number differs in `mask`, up to 3. */
static unsigned quad_control(unsigned mask) {
  unsigned control = 0;
  for (unsigned k = 0; k < 4; k++) control |= (k ^ mask) << 2 * k;
  return control;
}

static llv move_lanes(gen *g, llv word, unsigned control) {
  emit *e = &g->e;
  enum { ALL = 15 };
  llv args[] = {LLVMGetPoison(e->i32), word,        k32(g, control),
                k32(g, ALL),           k32(g, ALL), LLVMConstInt(e->i1, 1, 0)};
  return emit_intrinsic(e, "llvm.amdgcn.update.dpp", &e->i32, 1, args, ARRAY_LEN(args));
}

/* Within 16 lanes; NULL: it takes more than one instruction. */
static llv xor_in_row(gen *g, llv word, unsigned mask) {
  enum { ROW_OF_16 = 15, HALF = 7, OTHER_HALF = 8 };
  bool is_rdna = g->target->lane_bits == 5;
  if (mask < 4) return move_lanes(g, word, quad_control(mask));
  if (is_rdna && mask <= ROW_OF_16) return move_lanes(g, word, DPP_XOR_ROW + mask);
  if (mask == HALF) return move_lanes(g, word, DPP_MIRROR_HALF);
  if (mask == OTHER_HALF) return move_lanes(g, word, DPP_ROTATE_ROW + OTHER_HALF);
  if (mask == ROW_OF_16) return move_lanes(g, word, DPP_MIRROR_ROW);
  return NULL;
}

llv amdgcn_shuffle_from(gen *g, llv word, llv lane) {
  llv args[] = {LLVMBuildShl(g->e.b, lane, k32(g, 2), ""), word}; /* a lane has 4 bytes there */
  return emit_intrinsic(&g->e, "llvm.amdgcn.ds.bpermute", NULL, 0, args, 2);
}

/* The permutation within 32 lanes is encoded in the instruction: lane & AND | OR ^ XOR. */
static llv xor_by_swizzle(gen *g, llv word, unsigned mask) {
  enum { AND_ALL = 0x1f, XOR_AT = 10 };
  llv args[] = {word, k32(g, AND_ALL | mask << XOR_AT)};
  return emit_intrinsic(&g->e, "llvm.amdgcn.ds.swizzle", NULL, 0, args, 2);
}

llv amdgcn_shuffle_xor(gen *g, llv word, llv mask) {
  enum { SWIZZLED = 32 };
  int64_t known;
  if (is_const(mask, &known) && known > 0 && known < SWIZZLED) {
    llv r = xor_in_row(g, word, (unsigned)known);
    return r ? r : xor_by_swizzle(g, word, (unsigned)known);
  }
  return amdgcn_shuffle_from(g, word, LLVMBuildXor(g->e.b, g->lane, mask, ""));
}

/* ---- parts of words ------------------------------------------------------------------------- */

llv amdgcn_select_bytes(gen *g, llv low, llv high, uint32_t selector) {
  uint32_t bytes = 0;
  for (unsigned k = 0; k < 4; k++) bytes |= (selector >> 4 * k & 7) << 8 * k;
  llv args[] = {high, low, k32(g, bytes)};
  return emit_intrinsic(&g->e, "llvm.amdgcn.perm", NULL, 0, args, 3);
}

/* The processor's instruction for two rounds toward zero, so each is rounded by itself. */
llv amdgcn_round_halves(gen *g, tsr_elem elem, llv low, llv high) {
  emit *e = &g->e;
  LLVMTypeRef half = elem == TSR_F16 ? e->f16 : e->bf16, type = LLVMVectorType(half, 2);
  llv x = LLVMBuildFPTrunc(e->b, low, half, ""), y = LLVMBuildFPTrunc(e->b, high, half, "");
  llv pair = LLVMBuildInsertElement(e->b, LLVMGetPoison(type), x, k32(g, 0), "");
  pair = LLVMBuildInsertElement(e->b, pair, y, k32(g, 1), "");
  return LLVMBuildBitCast(e->b, pair, e->i32, "");
}

llv amdgcn_fma_halves(gen *g, tsr_elem elem, llv x, llv y, llv z) {
  emit *e = &g->e;
  LLVMTypeRef type = LLVMVectorType(elem == TSR_F16 ? e->f16 : e->bf16, 2);
  llv args[] = {x, y, z};
  for (unsigned i = 0; i < 3; i++) args[i] = LLVMBuildBitCast(e->b, args[i], type, "");
  llv r = emit_intrinsic(e, "llvm.fma", &type, 1, args, 3);
  return LLVMBuildBitCast(e->b, r, e->i32, "");
}
