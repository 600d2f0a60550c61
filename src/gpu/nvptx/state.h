/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/state.h: what a kernel on its way to PTX has besides what all GPUs' kernels have
 * (gen.own).
 */
#ifndef TSR_GPU_NVPTX_STATE_H
#define TSR_GPU_NVPTX_STATE_H

#include "gpu/nvptx/bulk.h"
#include "gpu/nvptx/cluster.h"
#include "gpu/nvptx/persistent.h"
#include "gpu/nvptx/wgmma.h"

typedef struct nvptx_state {
  llv *map_address;                 /* of tensor maps, i64 */
  VEC(simt_tensor_map) maps;        /* of a kernel of the block level */
  VEC(struct fenced_tile *) fenced; /* the same: registers that wgmma may use (unit.c) */
  bulk_state *bulk_states;          /* of the consumers, by ring (simt_bulk_loop) */
  bulk_state *producer_states;      /* the same of the producer */
  bool bulk_busy;                   /* copies may be under way */
  llv cluster_peers;                /* i32: see nvptx_cluster_peers; of a clustered kernel */
  other_block other;
  VEC(kept_operand) kept;
  uint32_t kept_bytes; /* of shared memory */
  tile_walk walk;
} nvptx_state;

static inline nvptx_state *own_of(const gen *g) {
  return g->own;
}

#endif
