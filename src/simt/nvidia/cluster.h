/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/cluster.h: tile blocks that load together. Neighbours along a dimension of the grid
 * that a load's coordinates do not depend on load the same tile. Blocks of a cluster (sm_90) run at
 * the same time, and a bulk tensor copy can write to the same place in the shared memory of several
 * of them: each fetches a slice of the tile from memory, for all.
 *
 *   C = A B, block (x, y) multiplies rows x by columns y; a cluster of 2 x 1
 *
 *               block (0, y)                 block (1, y)
 *   A           tile of rows 0               tile of rows 1
 *   B           its first half ──────┬─────► both
 *               both ◄───────────────┴────── its second half
 *
 * A stage may be written again when the consumers of all blocks that get this one's slices have
 * read it: they arrive at the empty barriers of all blocks that they get slices from, which are the
 * same. The full barriers count the bytes of whole tiles, wherever these come from.
 *
 * Where a coordinate is computed from the number of the block by a division, as in kernels that
 * order their tiles themselves, neighbours load the same tile as a rule. The producers of a cluster
 * of two then compute the other one's coordinates, too, and share the load if they are the same.
 *
 * Blocks of a cluster must execute the same iterations, so the bounds of the loops must not depend
 * on where in the cluster a block is either. The grid must be a multiple of the cluster: the kernel
 * exists once more without clusters, for others. Plain data without LLVM.
 */
#ifndef TSR_SIMT_NVIDIA_CLUSTER_H
#define TSR_SIMT_NVIDIA_CLUSTER_H

#include "simt/nvidia/bulk.h"

enum { SIMT_MOST_CLUSTER = 8 }; /* tile blocks; what every card with clusters has */

/* Chooses a cluster and what its blocks share: fills in `b`, whose loops are complete, and changes
 * its tensor maps to boxes of a slice. As many tile blocks as the entry's hint num_cta_in_cga says
 * (1: no cluster); else two, where loads of one block alone would keep the tensor cores waiting.
 * False, and nothing is changed, where there is nothing to share. */
bool simt_plan_cluster(const simt_plan *p, ir_op *entry, simt_bulk *b);

/* The dimensions of the grid (bits) on which it depends how often the loops are executed. */
unsigned simt_bounds_depend(const simt_plan *p, ir_op *entry, simt_bulk *b);

/* Some load is shared only if both blocks of the cluster turn out to load the same tile. */
bool simt_compares_blocks(const simt_bulk *b);

/* The tile blocks of a cluster; 1: there is none. */
uint32_t simt_cluster_blocks(const simt_bulk *b);
/* How many differ in the dimensions in `dims` (bit d: dimension d of the grid) only. */
uint32_t simt_cluster_group(const simt_bulk *b, unsigned dims);
/* Those of them whose other coordinates are 0: bit r stands for the block of rank r in its cluster.
 * Ranks count along x first. */
uint32_t simt_cluster_pattern(const simt_bulk *b, unsigned dims);
/* What a step in dimension d adds to the rank. */
uint32_t simt_cluster_stride(const simt_bulk *b, unsigned d);
/* How many blocks, with itself, a block shares any load with. */
uint32_t simt_cluster_peers(const simt_bulk *b);

#endif
