/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tensor_maps: what a launcher makes of a kernel's tensor maps (simt/nvidia/tensor_map.h) and a
 * launch's arguments, for whichever device: the numbers that cuTensorMapEncodeTiled takes. No
 * state, no allocation; any thread.
 */
#ifndef TSR_RT_TENSOR_MAPS_H
#define TSR_RT_TENSOR_MAPS_H

#include "gpu/nvptx/nvptx.h"

/* A tiled tensor map, dimension 0 contiguous. The element type is that of simt_tensor_map, as
 * cuda.h numbers CUtensorMapDataType: an unsigned integer of elem_bytes where copies move bits. No
 * interleave, element strides of 1, fill with zeros. */
typedef struct rt_tensor {
  uint64_t address;
  uint64_t dims[SIMT_MAP_RANK];        /* elements, 1 to SIMT_MAP_MOST_ELEMENTS */
  uint64_t strides[SIMT_MAP_RANK - 1]; /* bytes, of dimensions 1, 2, …; multiples of 16 */
  uint32_t box[SIMT_MAP_RANK];         /* elements */
  uint32_t elem_bytes;                 /* 1, 2, 4, 8 */
  uint32_t type;
  uint32_t rank;
  uint32_t swizzle; /* bytes: 0, 32, 64, 128 */
} rt_tensor;

/* `words`: of the launch's arguments, addresses being the device's. False when hardware cannot
 * describe this tensor: its address or strides are no multiples of 16 bytes, or a side is 0 or too
 * long. */
bool rt_tensor_of(const simt_tensor_map *m, const uint64_t *words, rt_tensor *out);

/* Which of a kernel's forms a launch with these arguments takes: its bulk one if all tensors can be
 * described (but for those that are optional: some others take their place), which are written to
 * `tensors` (n_maps of them), of that the clustered one if the grid of tile blocks is a multiple of
 * its clusters, and `clusters` says that the card has room for them; else the entry itself. So it
 * is where the grid is too large for a persistent one. The entry's own maps (block level) must be
 * made: NULL, with the number of the first that cannot in `*failed`, where it is taken. */
enum { RT_MOST_TENSORS = 32 };
const nvptx_entry *rt_choose_entry(const nvptx_entry *entry, const uint64_t *words,
                                   const uint32_t grid[3], bool clusters,
                                   rt_tensor tensors[RT_MOST_TENSORS], uint32_t *failed);

/* The thread blocks of a launch on a card of so many multiprocessors: the grid itself, or for a
 * persistent kernel as many as fit the card at once, whole clusters. `words` gets what such a
 * kernel takes after its arguments; returns how many that are, 0 or NVPTX_GRID_WORDS. */
unsigned rt_walk_of(const nvptx_entry *entry, const uint32_t grid[3], unsigned multiprocessors,
                    uint32_t blocks[3], uint64_t words[NVPTX_GRID_WORDS]);

#endif
