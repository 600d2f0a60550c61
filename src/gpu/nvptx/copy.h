/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/copy.h: cp.async, copies from global to shared memory that threads begin and wait for.
 */
#ifndef TSR_GPU_NVPTX_COPY_H
#define TSR_GPU_NVPTX_COPY_H

#include "gpu/gen.h"

/* As gpu_hooks has them. */
void nvptx_copy_async(gen *g, unsigned bytes, llv to, uint32_t to_offset, llv from,
                      uint32_t from_offset, llv who, llv size);
void nvptx_copy_commit(gen *g);
void nvptx_copy_wait(gen *g, unsigned pending);

#endif
