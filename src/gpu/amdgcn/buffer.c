/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/amdgcn/buffer.h"

#include "gpu/code.h"
#include "gpu/shared.h"

/* The last word of a raw resource, by generation (LLVM, "User Guide for AMDGPU Backend"; the ISA
 * documents, "Buffer Resource Descriptor"): data format, and that offsets are compared as they are.
 */
enum {
  CDNA_FLAGS = 0x00020000,
  RDNA_FLAGS = 0x31004000,
};

enum { OUTSIDE = (int)0x80000000 }; /* an offset that no resource reaches, and its size */

llv amdgcn_resource(gen *g, const access *a, unsigned bound) {
  emit *e = &g->e;
  LLVMTypeRef types[] = {LLVMPointerTypeInContext(e->llvm, 8),
                         LLVMPointerTypeInContext(e->llvm, SPACE_GLOBAL)};
  llv records = bound == AMDGCN_NO_DIMENSION ? NULL : gpu_tile_bytes_along(g, a, bound);
  if (!records) records = k32(g, (uint32_t)OUTSIDE);
  bool is_cdna = gpu_can(g->target, GPU_MFMA);
  llv args[] = {as_ptr(g, gpu_tile_base(g, a), SPACE_GLOBAL),
                LLVMConstInt(LLVMInt16TypeInContext(e->llvm), 0, 0),
                LLVMBuildZExt(e->b, records, e->i64, ""),
                k32(g, is_cdna ? CDNA_FLAGS : RDNA_FLAGS)};
  return emit_intrinsic(e, "llvm.amdgcn.make.buffer.rsrc", types, 2, args, ARRAY_LEN(args));
}

llv amdgcn_buffer_load(gen *g, llv resource, unsigned bytes, llv offset, llv exists) {
  emit *e = &g->e;
  LLVMTypeRef type = bytes > 4 ? LLVMVectorType(e->i32, bytes / 4) : e->i32;
  if (exists) offset = LLVMBuildSelect(e->b, exists, offset, k32(g, (uint32_t)OUTSIDE), "");
  llv args[] = {resource, offset, k32(g, 0), k32(g, 0)};
  return emit_intrinsic(e, "llvm.amdgcn.raw.ptr.buffer.load", &type, 1, args, ARRAY_LEN(args));
}

/* ---- what must be so for it ------------------------------------------------------------------ */

static llv less(gen *g, llv a, llv b) {
  return LLVMBuildICmp(g->e.b, LLVMIntULE, a, b, "");
}

/* NULL for true, which a constant may be. */
static llv both(gen *g, llv a, llv b) {
  bool known = LLVMIsConstant(b) && !LLVMIsNull(b);
  return known ? a : fold_and(g, a, b);
}

llv amdgcn_buffer_test(gen *g, const ir_type *tiles, const view *v, unsigned bound) {
  enum { MOST_BITS = 30 };
  llv ok = NULL, sum = NULL;
  unsigned bytes = gpu_shared_bytes((tsr_elem)tiles->elem);
  llv most_extent = k64(g, INT64_C(1) << MOST_BITS);
  for (unsigned i = 0; i < tiles->rank; i++) {
    unsigned first, n, in_view = tiles->dim_map ? (unsigned)tiles->dim_map[i] : i;
    simt_dim_bits(tiles->tile, i, &first, &n);
    if (n == 0) continue;
    llv unit = fold_mul(g, v->stride[in_view], k64(g, bytes));
    int64_t most = (INT64_C(1) << MOST_BITS >> n) / tiles->rank;
    ok = both(g, ok, less(g, unit, k64(g, most)));
    if (i == bound || bound == AMDGCN_NO_DIMENSION) continue;
    ok = both(g, ok, less(g, v->shape[in_view], most_extent));
    llv part = fold_mul(g, v->shape[in_view], unit);
    sum = sum ? fold_add(g, sum, part) : part;
  }
  if (!sum) return ok;
  unsigned in_view = tiles->dim_map ? (unsigned)tiles->dim_map[bound] : bound;
  return both(g, ok, less(g, sum, fold_mul(g, v->stride[in_view], k64(g, bytes))));
}
