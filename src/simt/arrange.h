/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/arrange.h: where the elements of a tile lie in shared memory while threads exchange them.
 *
 * An arrangement gives each bit of the tile's index a weight in bytes; an element's offset is the
 * sum of the weights of its bits that are set. So all registers of a thread lie at constant
 * distances from one address, which an XOR of the offset's bits would not give, and bits can still
 * move along the banks as an XOR moves them: a weight need not be a power of two.
 *
 * The model of the memory is that of the CUDA C++ programming guide, by which the emulator counts
 * too: as many lanes are served at a time as all banks have bytes for (of 32 banks of four bytes: a
 * warp of 32 lanes for accesses of 4 bytes, a half and a quarter of it for those of 8 and 16);
 * lanes that want the same word share it; each further word of a bank takes one more wavefront.
 */
#ifndef TSR_SIMT_ARRANGE_H
#define TSR_SIMT_ARRANGE_H

#include "simt/dist.h"
#include "target/gpu.h"

/* With the registers' bits in ascending order of their weights, so that those which lie in a row
 * come first; those without a weight (0) come last. */
simt_dist simt_dist_by_weight(const simt_dist *d, const int32_t *weight);

/* How many registers, log2, of such a distribution lie in a row from a multiple of their size on:
 * what a thread accesses at once, up to 16 bytes. Elements have `bytes`. */
unsigned simt_access_run(const simt_dist *d, const int32_t *weight, unsigned bytes);

enum { SIMT_ANY_RUN = -1 };

/* Wavefronts that a warp's accesses to all of its elements take: of `run` registers each, log2, the
 * first of `d`; SIMT_ANY_RUN: as many as lie in a row, in any order. Which lanes are served
 * together is target/banks.h's. */
uint32_t simt_wavefronts(const gpu_target *gpu, const simt_dist *d, const int32_t *weight,
                         unsigned bytes, int run, bool writes);

/* Weights for a tile that is stored as it lies in `from` and loaded as in `to`, with as few
 * wavefronts, then instructions, as it finds. Loads take `run` registers at once, log2, the first
 * of `to`, which lie in a row then; SIMT_ANY_RUN: as many as turn out to. Bits of the index that
 * neither names get 0. Returns the size in bytes, which exceeds that of the elements by at most a
 * quarter. */
uint32_t simt_arrange(const gpu_target *gpu, const simt_dist *from, const simt_dist *to, int run,
                      unsigned bytes, int32_t weight[SIMT_BITS]);

#endif
