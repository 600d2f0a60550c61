/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The block level in C: kernels that say which thread holds which element of a tile, what lies in
 * shared memory and who waits for whom (docs/block-level.md). They are built as others are
 * (tessera/build.h); this adds types with layouts, and tessera/block_ops.h a function for each
 * operation:
 *
 *   tsr_op *k = tsr_build_entry(b, "copy", TSR_TYPES(ptr, ptr));
 *   tsr_build_threads(b, k, 128);
 *   tsr_layout rows;
 *   tsr_layout_value v;
 *   tsr_layout_parse(ctx, NULL, "local(8, 1).spatial(4, 32)", 26, &v);
 *   tsr_type tile = tsr_type_distributed(b, TSR_F32, &v.layout);
 *   …
 *   tsr_value x = tsr_build_load_global(b, view, TSR_VALUES(i, j), tile);
 *   tsr_value s = tsr_build_alloc_shared(b, tsr_type_shared(b, TSR_F32, &memory));
 *   tsr_build_store_shared(b, x, s);
 *   tsr_build_barrier(b);
 *
 * Errors, ownership and threads are as in tessera/build.h. Layouts are copied.
 */
#ifndef TESSERA_BLOCK_H
#define TESSERA_BLOCK_H

#include <tessera/build.h>
#include <tessera/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* tile<32x32xf32, local(8, 1).spatial(4, 32)>: a tile of the layout's shape, whose sizes may be
 * any, and held as it says. Not of rank 0: that is tsr_type_scalar. TSR_PTR isn't an element here.
 */
TSR_API tsr_type tsr_type_distributed(tsr_builder *b, tsr_elem elem, const tsr_layout *layout);
/* shared<64x32xf16, (64,32):(40,1)>: shared memory of the layout's shape; offsets count elements.
 */
TSR_API tsr_type tsr_type_shared(tsr_builder *b, tsr_elem elem, const tsr_memory_layout *memory);
/* tensor_map<64x64xf16, Sw<3,3,3> o (64,64):(64,1)>: boxes of the layout's shape, which lie in
 * shared memory as it says. */
TSR_API tsr_type tsr_type_tensor_map(tsr_builder *b, tsr_elem elem,
                                     const tsr_memory_layout *memory);
/* mbarrier<4>: `count` barriers in shared memory, from 1 to 1024. */
TSR_API tsr_type tsr_type_mbarrier(tsr_builder *b, int64_t count);
/* remote<shared<64x32xf16>>: the type of shared memory or of barriers, as another tile block of the
 * cluster has them. */
TSR_API tsr_type tsr_type_remote(tsr_builder *b, tsr_type type);
/* async<tile<…>>: a tile that a product still computes. */
TSR_API tsr_type tsr_type_async(tsr_builder *b, tsr_type tile);
/* The layout of a tile type, and of shared memory and tensor maps; NULL when it has none. They live
 * as long as the module. Equal maps are the same pointer. */
TSR_API const tsr_layout *tsr_type_layout(tsr_type type);
TSR_API const tsr_memory_layout *tsr_type_memory_layout(tsr_type type);

/* Makes an entry that was just begun a kernel of the block level with so many threads in a tile
 * block: a multiple of 32 from 32 to 1024. */
TSR_API void tsr_build_threads(tsr_builder *b, tsr_op *entry, int64_t threads);
/* Puts tile blocks together in clusters of x times y times z, at most 8; the grid of a launch must
 * be a multiple of that in each dimension. */
TSR_API void tsr_build_cluster(tsr_builder *b, tsr_op *entry, int64_t x, int64_t y, int64_t z);

#ifdef __cplusplus
}
#endif

#include <tessera/block_ops.h>

#endif
