/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/buffer.h: loads through buffer resources, whose bounds the hardware checks: what lies
 * behind them comes as zeros, without a branch. A resource begins at a base that all lanes have in
 * common; a lane has an offset of less than 2^31.
 */
#ifndef TSR_GPU_AMDGCN_BUFFER_H
#define TSR_GPU_AMDGCN_BUFFER_H

#include "gpu/memory.h"

/* Of a dimension that no bound is for. */
enum { AMDGCN_NO_DIMENSION = 255 };

/* A resource for the tile of an access that has a base (gpu_has_tile_base). `bound`: rows along
 * this dimension that do not exist lie behind its end. */
llv amdgcn_resource(gen *g, const access *a, unsigned bound);
/* 4, 8 or 16 bytes as words, at an offset (i32) if `exists` (i1; NULL: it does), else zeros. */
llv amdgcn_buffer_load(gen *g, llv resource, unsigned bytes, llv offset, llv exists);

/* An i1: offsets in tiles of this type of a view are less than 2^30, and rows along `bound` do not
 * overlap in memory, so that it can be a bound. NULL: that is known. */
llv amdgcn_buffer_test(gen *g, const ir_type *tiles, const view *v, unsigned bound);

#endif
