/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instructions that load and store lanes: scalars, vectors, vectors some of whose lanes exist,
 * and lane by lane.
 */
#include "cpu/nest/vectors.h"

#include "cpu/nest/nest.h"

/* Lanes first … first + count - 1 of a vector; a scalar when it is one. */
llv lanes_slice(lower *l, llv v, unsigned first, unsigned count) {
  LLVMBuilderRef b = l->e.b;
  if (emit_lanes(v) == count) return v;
  if (count == 1) return LLVMBuildExtractElement(b, v, LLVMConstInt(l->e.i32, first, 0), "");
  llv pick[1 << LANE_BITS];
  for (unsigned i = 0; i < count; i++) pick[i] = LLVMConstInt(l->e.i32, first + i, 0);
  return LLVMBuildShuffleVector(b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(pick, count),
                                "");
}

/* Pieces of equal length one behind the other; how many must be a power of two. */
llv lanes_join(lower *l, llv *pieces, unsigned count) {
  for (; count > 1; count /= 2) {
    unsigned length = emit_lanes(pieces[0]);
    llv pick[2 << LANE_BITS];
    for (unsigned i = 0; i < 2 * length; i++) pick[i] = LLVMConstInt(l->e.i32, i, 0);
    for (unsigned i = 0; i < count / 2; i++)
      pieces[i] = LLVMBuildShuffleVector(l->e.b, pieces[2 * i], pieces[2 * i + 1],
                                         LLVMConstVector(pick, 2 * length), "");
  }
  return pieces[0];
}

llv lanes_reverse(lower *l, llv v) {
  llv pick[1 << LANE_BITS];
  unsigned lanes = emit_lanes(v);
  for (unsigned i = 0; i < lanes; i++) pick[i] = LLVMConstInt(l->e.i32, lanes - 1 - i, 0);
  return LLVMBuildShuffleVector(l->e.b, v, v, LLVMConstVector(pick, lanes), "");
}

unsigned lanes_elem_bytes(LLVMTypeRef elem) {
  switch (LLVMGetTypeKind(elem)) {
  case LLVMDoubleTypeKind: return 8;
  case LLVMFloatTypeKind: return 4;
  default: return LLVMGetIntTypeWidth(elem) / 8;
  }
}

static llv pointers_of(lower *l, llv addresses) {
  LLVMTypeRef type = LLVMVectorType(l->e.ptr, emit_lanes(addresses));
  return LLVMBuildIntToPtr(l->e.b, addresses, type, "");
}

llv lanes_load(lower *l, LLVMTypeRef type, llv ptr, llv mask) {
  if (mask) ptr = LLVMBuildSelect(l->e.b, mask, ptr, l->dummy, "");
  llv v = LLVMBuildLoad2(l->e.b, type, ptr, "");
  LLVMSetAlignment(v, 1);
  return v;
}

/* v with as many zeros behind it. */
static llv lengthen(lower *l, llv v) {
  return lanes_join(l, (llv[]){v, LLVMConstNull(LLVMTypeOf(v))}, 2);
}

/* Has the processor loads of some of these lanes? LLVM makes of others a branch for each lane. */
bool lanes_have_masked_loads(const emit *e, LLVMTypeRef elem) {
  if (e->arm || e->isa.level == CPU_BASELINE) return false;
  return e->isa.level >= CPU_AVX512 || lanes_elem_bytes(elem) >= 4;
}

/* Lanes that aren't loaded are those of `other`. Where none is, there may be no memory at all: then
 * the instruction, which must not fault, takes hundreds of cycles.
 *
 * At AVX2, LLVM 22 would lengthen vectors of half a register itself, with undefined lanes, which it
 * may freeze later; then nothing selects the load any more. So we do it. */
llv lanes_load_some(lower *l, llv ptr, llv mask, llv other) {
  unsigned count = emit_lanes(other);
  bool half = l->e.isa.level == CPU_AVX2 && !l->e.arm && count == 2 &&
              lanes_elem_bytes(LLVMGetElementType(LLVMTypeOf(other))) == 4;
  if (half) mask = lengthen(l, mask), other = lengthen(l, other);
  if (lanes_have_masked_loads(&l->e, LLVMGetElementType(LLVMTypeOf(other))))
    ptr = LLVMBuildSelect(l->e.b, emit_any_lane(&l->e, mask), ptr, l->dummy, "");
  LLVMTypeRef types[] = {LLVMTypeOf(other), l->e.ptr};
  llv v = emit_intrinsic(&l->e, "llvm.masked.load", types, 2, (llv[]){ptr, mask, other}, 3);
  return half ? lanes_slice(l, v, 0, count) : v;
}

llv lanes_load_vector(lower *l, LLVMTypeRef elem, unsigned count, llv ptr, llv mask) {
  LLVMTypeRef type = LLVMVectorType(elem, count);
  return mask ? lanes_load_some(l, ptr, mask, LLVMConstNull(type)) : lanes_load(l, type, ptr, NULL);
}

llv lanes_gather(lower *l, LLVMTypeRef elem, llv addresses, llv mask) {
  unsigned count = emit_lanes(addresses);
  LLVMTypeRef type = LLVMVectorType(elem, count);
  LLVMTypeRef types[] = {type, LLVMVectorType(l->e.ptr, count)};
  llv pointers = pointers_of(l, addresses);
  /* What selects no gather makes a branch for each lane: better to load something else. */
  if (mask && l->e.isa.level < CPU_AVX512) {
    pointers = LLVMBuildSelect(l->e.b, mask, pointers, emit_splat(&l->e, l->dummy, count), "");
    mask = NULL;
  }
  if (!mask) mask = LLVMConstAllOnes(LLVMVectorType(l->e.i1, count));
  llv args[] = {pointers, mask, LLVMConstNull(type)};
  return emit_intrinsic(&l->e, "llvm.masked.gather", types, 2, args, 3);
}

void lanes_store(lower *l, llv v, llv ptr, llv mask) {
  if (mask) ptr = LLVMBuildSelect(l->e.b, mask, ptr, l->dummy, "");
  LLVMSetAlignment(LLVMBuildStore(l->e.b, v, ptr), 1);
}

/* Are all lanes set? */
llv lanes_all(lower *l, llv mask) {
  LLVMTypeRef type = LLVMTypeOf(mask);
  return emit_intrinsic(&l->e, "llvm.vector.reduce.and", &type, 1, &mask, 1);
}

void lanes_store_vector(lower *l, llv v, llv ptr, llv mask) {
  if (!mask) {
    lanes_store(l, v, ptr, NULL);
    return;
  }
  LLVMTypeRef types[] = {LLVMTypeOf(v), l->e.ptr};
  emit_intrinsic(&l->e, "llvm.masked.store", types, 2, (llv[]){v, ptr, mask}, 3);
}

void lanes_scatter(lower *l, llv v, llv addresses, llv mask) {
  unsigned count = emit_lanes(v);
  LLVMTypeRef types[] = {LLVMTypeOf(v), LLVMVectorType(l->e.ptr, count)};
  if (!mask) mask = LLVMConstAllOnes(LLVMVectorType(l->e.i1, count));
  llv args[] = {v, pointers_of(l, addresses), mask};
  emit_intrinsic(&l->e, "llvm.masked.scatter", types, 2, args, 3);
}

void lanes_store_nontemporal(lower *l, llv v, llv ptr) {
  emit *e = &l->e;
  LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(v));
  /* Or LLVM takes the instruction that narrows integers and stores them, into the cache. */
  if ((elem == e->i8 || elem == e->i16) && emit_fills_register(e, v)) v = emit_opaque(e, v, false);
  llv store = LLVMBuildStore(e->b, v, ptr);
  unsigned bytes = emit_lanes(v) * lanes_elem_bytes(elem);
  LLVMSetAlignment(store, MIN(bytes, (unsigned)CACHE_LINE));
  emit_mark_nontemporal(e, store);
}
