/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/cluster.h: clusters of tile blocks (simt/nvidia/cluster.h): where a block is in its
 * own, which blocks it loads with, and barriers across them.
 */
#ifndef TSR_GPU_NVPTX_CLUSTER_H
#define TSR_GPU_NVPTX_CLUSTER_H

#include "gpu/gen.h"

/* What the producer of a cluster of two knows of the other block: the program's values there. */
typedef struct other_block {
  value *values; /* NULL: it need not know */
  tile_cache cache;
  bool is_swapped_in; /* gen has these now, and its own are here */
} other_block;

/* The kernel is launched in clusters. Only then may the others be called. */
bool nvptx_is_clustered(const gen *g);
/* The block's coordinate in its cluster, i32; 0 where there is none. */
llv nvptx_cluster_coordinate(gen *g, unsigned d);
/* Of the blocks that differ from this one in these dimensions of the grid only (bits) and this one:
 * their ranks (i32, bits), and which of them this one is. */
llv nvptx_cluster_mask(gen *g, unsigned dims);
llv nvptx_cluster_slice(gen *g, unsigned dims);
/* The ranks of all blocks that this one shares loads with, and its own. */
llv nvptx_cluster_peers(gen *g);
/* A lane for each of the peers arrives there, at the barrier in this place (i32), if `really` (i1;
 * NULL: true). */
void nvptx_cluster_arrive_as_warp(gen *g, llv barrier, llv really);
/* The producer keeps the other block's values, too, from here on, beginning with its own. */
void nvptx_other_begin(gen *g);
/* Exchanges the block's own values for the other one's, and back. */
void nvptx_other_switch(gen *g);
/* All threads of the cluster that have not ended. */
void nvptx_cluster_meet(gen *g);

#endif
