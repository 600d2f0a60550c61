/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/threads.h: threads among each other, and instructions on parts of a word, as gpu_hooks
 * has them.
 */
#ifndef TSR_GPU_NVPTX_THREADS_H
#define TSR_GPU_NVPTX_THREADS_H

#include "gpu/gen.h"

llv nvptx_special(gen *g, const char *name); /* a special register, by its intrinsic */
llv nvptx_thread(gen *g);
llv nvptx_uniform(gen *g, llv word);
void nvptx_barrier(gen *g);
void nvptx_warp_barrier(gen *g);
void nvptx_named_barrier(gen *g, unsigned id, uint32_t threads, bool waits);
/* setmaxnreg, by whole groups of four warps. */
void nvptx_set_registers(gen *g, unsigned from, unsigned to);
/* In front of a barrier: what this thread wrote to shared memory may be read by wgmma and bulk
 * copies after it. */
void nvptx_fence_async(gen *g);
llv nvptx_shuffle_xor(gen *g, llv word, llv mask);
llv nvptx_shuffle_from(gen *g, llv word, llv lane);
llv nvptx_select_bytes(gen *g, llv low, llv high, uint32_t selector);
llv nvptx_round_halves(gen *g, tsr_elem elem, llv low, llv high);
llv nvptx_fma_halves(gen *g, tsr_elem elem, llv x, llv y, llv z);

#endif
