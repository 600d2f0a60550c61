/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/convert.h: a tile from one distribution to another: by a choice among the thread's own
 * registers, by shuffles within a warp, or through shared memory, whatever the two distributions
 * need.
 */
#ifndef TSR_GPU_CONVERT_H
#define TSR_GPU_CONVERT_H

#include "gpu/gen.h"

llv *gpu_convert(gen *g, tsr_elem elem, const tile *from, const simt_dist *to);
llv gpu_shuffle_xor(gen *g, llv x, unsigned mask);
llv gpu_shuffle_from(gen *g, llv x, llv lane);
/* The registers of `to` from those of `from` where that is but a choice among the thread's own. */
llv *gpu_select_registers(gen *g, const tile *from, const simt_dist *to);
/* Without the registers' bits that `mask` has; places of threads count as given. */
simt_dist gpu_dist_without(const simt_dist *d, uint32_t mask);

#endif
