/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads, stores and atomics under a condition. A load whose element does not exist reads a place
 * that always does, and what it gives is dropped: that takes no branch. What writes is in a block
 * of its own.
 */
#include "gpu/amdgcn/access.h"

#include "gpu/amdgcn/waits.h"
#include "gpu/atomic.h"
#include "gpu/code.h"
#include "gpu/shared.h"

static LLVMTypeRef integer(gen *g, unsigned bits) {
  return LLVMIntTypeInContext(g->e.llvm, bits);
}

/* ---- weak accesses -------------------------------------------------------------------------- */

/* Zeros in the module, as an address (i64). */
static llv harmless_place(gen *g) {
  static const char zeros[16];
  return gpu_text(g, zeros, sizeof zeros);
}

llv amdgcn_masked_load(gen *g, unsigned bits, llv address, uint32_t offset, llv exists, llv pad) {
  LLVMBuilderRef b = g->e.b;
  llv at = add_const(g, address, offset);
  bool always = LLVMIsConstant(exists) && !LLVMIsNull(exists);
  if (!always) at = LLVMBuildSelect(b, exists, at, harmless_place(g), "");
  llv x = LLVMBuildLoad2(b, integer(g, bits), as_ptr(g, at, g->space), "");
  LLVMSetAlignment(x, bits / 8);
  if (bits == 8) x = LLVMBuildZExt(b, x, g->e.i32, "");
  return always ? x : LLVMBuildSelect(b, exists, x, pad, "");
}

llv amdgcn_load_words(gen *g, unsigned bytes, llv address, llv exists, llv pad) {
  LLVMBuilderRef b = g->e.b;
  if (exists) address = LLVMBuildSelect(b, exists, address, harmless_place(g), "");
  llv x = LLVMBuildLoad2(b, LLVMTypeOf(pad), as_ptr(g, address, g->space), "");
  LLVMSetAlignment(x, bytes);
  return exists ? LLVMBuildSelect(b, exists, x, pad, "") : x;
}

/* A jump to a block for what happens if `exists`; NULL: it always does. */
static llblock begin_if(gen *g, llv exists) {
  bool always = LLVMIsConstant(exists) && !LLVMIsNull(exists);
  return gpu_begin_owner(g, always ? NULL : exists);
}

static void end_if(gen *g, llblock done) {
  if (done) gpu_go(g, done);
}

/* The same where it makes a value, in place of which `other` stands else. */
static llv end_if_with(gen *g, llblock before, llblock done, llv made, llv other) {
  if (!done) return made;
  llblock inside = LLVMGetInsertBlock(g->e.b);
  gpu_go(g, done);
  llv phi = LLVMBuildPhi(g->e.b, LLVMTypeOf(made), "");
  LLVMAddIncoming(phi, (llv[]){other, made}, (llblock[]){before, inside}, 2);
  return phi;
}

void amdgcn_masked_store(gen *g, unsigned bits, llv address, uint32_t offset, llv exists,
                         const llv *x, unsigned n) {
  LLVMBuilderRef b = g->e.b;
  LLVMTypeRef type = n > 1 ? LLVMVectorType(integer(g, bits), n) : integer(g, bits);
  llv all = n > 1 ? LLVMGetPoison(type) : x[0];
  for (unsigned k = 0; k < n && n > 1; k++)
    all = LLVMBuildInsertElement(b, all, x[k], k32(g, k), "");
  llblock done = begin_if(g, exists);
  llv at = as_ptr(g, add_const(g, address, offset), g->space);
  LLVMSetAlignment(LLVMBuildStore(b, all, at), bits / 8 * n);
  end_if(g, done);
}

/* ---- orders and scopes ---------------------------------------------------------------------- */

static LLVMAtomicOrdering order_of(const ir_op *op) {
  switch (gpu_order_of(op)) {
  case ORDER_ACQUIRE: return LLVMAtomicOrderingAcquire;
  case ORDER_RELEASE: return LLVMAtomicOrderingRelease;
  case ORDER_ACQ_REL: return LLVMAtomicOrderingAcquireRelease;
  default: return LLVMAtomicOrderingMonotonic;
  }
}

static unsigned scope_named(gen *g, const char *name) {
  return LLVMGetSyncScopeID(g->e.llvm, name, strlen(name));
}

static unsigned scope_of(gen *g, const ir_op *op) {
  if (g->space == SPACE_SHARED) return scope_named(g, "workgroup");
  if (!ir_has_attr(op, ATTR_memory_scope)) return scope_named(g, "agent");
  switch (ir_int_attr(op, ATTR_memory_scope)) {
  case SCOPE_TL_BLK: return scope_named(g, "workgroup");
  case SCOPE_SYS: return scope_named(g, "");
  default: return scope_named(g, "agent");
  }
}

/* In front of what releases memory. */
static void wait_before(gen *g, const ir_op *op) {
  LLVMAtomicOrdering order = order_of(op);
  if (order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingAcquireRelease)
    amdgcn_wait_memory(g);
}

static void make_atomic(gen *g, llv access, const ir_op *op, unsigned bits) {
  LLVMSetAlignment(access, bits / 8);
  LLVMSetOrdering(access, order_of(op));
  LLVMSetAtomicSyncScopeID(access, scope_of(g, op));
}

llv amdgcn_ordered_load(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv pad) {
  llblock before = LLVMGetInsertBlock(g->e.b), done = begin_if(g, exists);
  llv x = LLVMBuildLoad2(g->e.b, integer(g, bits), as_ptr(g, address, g->space), "");
  make_atomic(g, x, op, bits);
  return end_if_with(g, before, done, x, pad);
}

void amdgcn_ordered_store(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv x) {
  wait_before(g, op);
  llblock done = begin_if(g, exists);
  make_atomic(g, LLVMBuildStore(g->e.b, x, as_ptr(g, address, g->space)), op, bits);
  end_if(g, done);
}

/* ---- atomics -------------------------------------------------------------------------------- */

void amdgcn_replace_bits(gen *g, llv word_address, llv exists, llv keep, llv put) {
  unsigned scope = scope_named(g, "agent");
  llblock done = begin_if(g, exists);
  llv at = as_ptr(g, word_address, g->space);
  LLVMBuildAtomicRMWSyncScope(g->e.b, LLVMAtomicRMWBinOpAnd, at, keep, LLVMAtomicOrderingMonotonic,
                              scope);
  LLVMBuildAtomicRMWSyncScope(g->e.b, LLVMAtomicRMWBinOpOr, at, put, LLVMAtomicOrderingMonotonic,
                              scope);
  end_if(g, done);
}

llv amdgcn_compare_and_swap(gen *g, const ir_op *op, unsigned bits, llv address, llv exists,
                            llv expected, llv desired) {
  LLVMAtomicOrdering order = order_of(op), failed = order;
  if (order == LLVMAtomicOrderingRelease) failed = LLVMAtomicOrderingMonotonic;
  if (order == LLVMAtomicOrderingAcquireRelease) failed = LLVMAtomicOrderingAcquire;
  wait_before(g, op);
  llblock before = LLVMGetInsertBlock(g->e.b), done = begin_if(g, exists);
  llv r = LLVMBuildAtomicCmpXchgSyncScope(g->e.b, as_ptr(g, address, g->space), expected, desired,
                                          order, failed, scope_of(g, op));
  LLVMSetAlignment(r, bits / 8);
  r = LLVMBuildExtractValue(g->e.b, r, 0, "");
  return end_if_with(g, before, done, r, expected);
}

/* Float additions are loops of compare-and-swap, which round as the language does and keep
 * subnormal numbers and NaNs as it says. */
static bool find_update(int64_t mode, LLVMAtomicRMWBinOp *out) {
  switch (mode) {
  case RMW_AND: *out = LLVMAtomicRMWBinOpAnd; return true;
  case RMW_OR: *out = LLVMAtomicRMWBinOpOr; return true;
  case RMW_XOR: *out = LLVMAtomicRMWBinOpXor; return true;
  case RMW_ADD: *out = LLVMAtomicRMWBinOpAdd; return true;
  case RMW_MAX: *out = LLVMAtomicRMWBinOpMax; return true;
  case RMW_MIN: *out = LLVMAtomicRMWBinOpMin; return true;
  case RMW_UMAX: *out = LLVMAtomicRMWBinOpUMax; return true;
  case RMW_UMIN: *out = LLVMAtomicRMWBinOpUMin; return true;
  case RMW_XCHG: *out = LLVMAtomicRMWBinOpXchg; return true;
  default: return false;
  }
}

llv amdgcn_update(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x) {
  LLVMAtomicRMWBinOp how;
  if (!find_update(ir_int_attr(op, ATTR_mode), &how)) return NULL;
  llv operand = gpu_to_memory(g, elem, x), none = LLVMConstNull(LLVMTypeOf(operand));
  wait_before(g, op);
  llblock before = LLVMGetInsertBlock(g->e.b), done = begin_if(g, exists);
  llv r = LLVMBuildAtomicRMWSyncScope(g->e.b, how, as_ptr(g, address, g->space), operand,
                                      order_of(op), scope_of(g, op));
  return end_if_with(g, before, done, r, none);
}

/* ---- copies --------------------------------------------------------------------------------- */

/* The first `size` bytes (i32) of a chunk, one by one; zeros behind them. */
static llv load_part(gen *g, llv from, unsigned bytes, llv size, LLVMTypeRef type) {
  LLVMBuilderRef b = g->e.b;
  llv all = LLVMGetPoison(type), word = NULL;
  for (unsigned k = 0; k < bytes; k++) {
    llv exists = LLVMBuildICmp(b, LLVMIntUGT, size, k32(g, k), "");
    llv byte = amdgcn_masked_load(g, 8, from, k, exists, k32(g, 0));
    byte = LLVMBuildShl(b, byte, k32(g, 8 * (k % 4)), "");
    word = k % 4 ? LLVMBuildOr(b, word, byte, "") : byte;
    if (k % 4 < 3) continue;
    all = bytes > 4 ? LLVMBuildInsertElement(b, all, word, k32(g, k / 4), "") : word;
  }
  return all;
}

static llv load_chunk(gen *g, llv from, unsigned bytes, LLVMTypeRef type) {
  llv x = LLVMBuildLoad2(g->e.b, type, as_ptr(g, from, g->space), "");
  LLVMSetAlignment(x, bytes);
  return x;
}

/* Of a chunk at the end of a row only what exists is read. */
static llv load_up_to(gen *g, llv from, unsigned bytes, llv size, LLVMTypeRef type) {
  LLVMBuilderRef b = g->e.b;
  llblock whole = gpu_new_block(g, "copy"), part = gpu_new_block(g, "copy.part");
  llblock done = gpu_new_block(g, "copy.loaded");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, size, k32(g, bytes), ""), whole, part);
  LLVMPositionBuilderAtEnd(b, part);
  llv x = load_part(g, from, bytes, size, type);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, whole);
  llv y = load_chunk(g, from, bytes, type);
  gpu_go(g, done);
  llv phi = LLVMBuildPhi(b, type, "");
  LLVMAddIncoming(phi, (llv[]){x, y}, (llblock[]){part, whole}, 2);
  return phi;
}

/* Sooner than the program asks for, which it cannot tell. */
void amdgcn_copy_async(gen *g, unsigned bytes, llv to, uint32_t to_offset, llv from,
                       uint32_t from_offset, llv who, llv size) {
  LLVMTypeRef type = bytes > 4 ? LLVMVectorType(g->e.i32, bytes / 4) : g->e.i32;
  llblock done = gpu_begin_owner(g, who);
  from = add_const(g, from, from_offset);
  llv x = size ? load_up_to(g, from, bytes, size, type) : load_chunk(g, from, bytes, type);
  llv at = as_ptr(g, add_const(g, to, to_offset), SPACE_SHARED);
  LLVMSetAlignment(LLVMBuildStore(g->e.b, x, at), bytes);
  end_if(g, done);
}
