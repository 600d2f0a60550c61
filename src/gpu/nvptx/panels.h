/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/panels.h: tiles in shared memory as bulk copies and wgmma want them: panels of rows
 * with a swizzle.
 */
#ifndef TSR_GPU_NVPTX_PANELS_H
#define TSR_GPU_NVPTX_PANELS_H

#include "gpu/gen.h"

/* Writes a tile to shared memory at `base` (i32), a multiple of SIMT_STAGE_ALIGN: each bit of the
 * index adds its `column` by exclusive or. Of threads with the same elements one writes. */
void nvptx_store_panels(gen *g, tsr_elem elem, const tile *from, llv base, const uint32_t *column);

#endif
