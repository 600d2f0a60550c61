/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/boxes.h: the copy engine: boxes of tensors by tensor maps, and bytes in a row. Each
 * function is an instruction that every thread executes which comes there.
 */
#ifndef TSR_GPU_NVPTX_BOXES_H
#define TSR_GPU_NVPTX_BOXES_H

#include "gpu/gen.h"
#include "simt/nvidia/tensor_map.h"

/* The kernel's parameters for tensor maps, from number `first` on; and, where the body begins,
 * their addresses: nvptx_state.map_address. */
void nvptx_map_parameters(gen *g, uint32_t first, uint32_t n);
void nvptx_take_maps(gen *g, uint32_t first, uint32_t n);

/* A box of a tensor and its place in this block's shared memory or, with `to_all` (i16), the same
 * place in those of all blocks of the cluster with these ranks. */
typedef struct nvptx_box {
  unsigned rank;
  llv place, map, at[SIMT_MAP_RANK]; /* i32, i64, i32 by the map's dimension */
  llv barrier, to_all;               /* of loads: where the bytes count; NULL `to_all`: here */
} nvptx_box;

void nvptx_load_box(gen *g, const nvptx_box *c);
/* `reduction`: how elements are combined, "add"; NULL: they are replaced. */
void nvptx_store_box(gen *g, const nvptx_box *c, const char *reduction);
/* `bytes` from or to global memory (i64), a multiple of 16 as the addresses are. */
void nvptx_load_bytes(gen *g, llv shared, llv from, uint32_t bytes, llv barrier, llv to_all);
void nvptx_store_bytes(gen *g, llv shared, llv to, uint32_t bytes);

/* Closes the thread's set of stores; waits until at most so many are on their way, or, `read`, have
 * not read their shared memory. */
void nvptx_box_commit(gen *g);
void nvptx_box_wait(gen *g, unsigned pending, bool read);

#endif
