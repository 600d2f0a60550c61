/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a micro-kernel asks for while it multiplies: see mma_region.
 */
#include "cpu/gemm/prefetch_regions.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/gemm/ukernel/ukernel.h"

static llv field(lower *l, llv regions, unsigned which, size_t offset) {
  return emit_offsetk(&l->e, regions, (int64_t)(which * sizeof(mma_region) + offset));
}

static void set(lower *l, llv regions, unsigned which, size_t offset, llv v) {
  LLVMBuildStore(l->e.b, v, field(l, regions, which, offset));
}

void region_set(lower *l, llv regions, unsigned which, llv base, llv row, llv rows, int64_t bytes) {
  unsigned line_bits = log2_of(MAX(bytes / MMA_LINE, 1));
  set(l, regions, which, offsetof(mma_region, base), base);
  set(l, regions, which, offsetof(mma_region, row), row);
  set(l, regions, which, offsetof(mma_region, line_bits), k64(l, line_bits));
  set(l, regions, which, offsetof(mma_region, next), k64(l, 0));
  set(l, regions, which, offsetof(mma_region, count),
      fold_mul(l, rows, k64(l, INT64_C(1) << line_bits)));
}

void region_clear(lower *l, llv regions, unsigned which) {
  set(l, regions, which, offsetof(mma_region, next), k64(l, 0));
  set(l, regions, which, offsetof(mma_region, count), k64(l, 0));
}

llv regions_new(lower *l) {
  llv regions = lower_alloca(l, LLVMArrayType2(l->e.i8, sizeof(mma_region) * MMA_REGIONS), 8);
  for (unsigned i = 0; i < MMA_REGIONS; i++) region_clear(l, regions, i);
  return regions;
}
