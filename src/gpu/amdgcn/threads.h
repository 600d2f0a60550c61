/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/threads.h: numbers of threads, barriers, values of other lanes, parts of words: as
 * gpu_hooks has them.
 */
#ifndef TSR_GPU_AMDGCN_THREADS_H
#define TSR_GPU_AMDGCN_THREADS_H

#include "gpu/gen.h"

llv amdgcn_thread(gen *g);
llv amdgcn_uniform(gen *g, llv x);
void amdgcn_barrier(gen *g);
void amdgcn_warp_barrier(gen *g);
llv amdgcn_shuffle_xor(gen *g, llv word, llv mask);
llv amdgcn_shuffle_from(gen *g, llv word, llv lane);
llv amdgcn_select_bytes(gen *g, llv low, llv high, uint32_t selector);
llv amdgcn_round_halves(gen *g, tsr_elem elem, llv low, llv high);
llv amdgcn_fma_halves(gen *g, tsr_elem elem, llv x, llv y, llv z);

#endif
