/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tile blocks of a cluster, which are executed together: crew.h gives them turns.
 */
#ifndef TSR_INTERP_CLUSTER_H
#define TSR_INTERP_CLUSTER_H

#include "interp/internal.h"
#include "ir/block/clusters.h"

/* Bytes from the frame of a tile block to that of the next in its cluster. */
size_t cluster_stride(const interp_program *p);
/* What is at `address` in this tile block's memory, in that of the one with rank `to`. */
static inline uint64_t cluster_address(const frame *f, uint64_t address, uint32_t to) {
  if (to == f->rank) return address;
  return address + (uint64_t)((int64_t)to - (int64_t)f->rank) * cluster_stride(f->program);
}
/* Whether memory is another tile block's: its rank, else that of the frame. */
uint32_t cluster_rank_at(const frame *f, uint64_t address);
/* The tile block with this rank, in the cluster whose first one is `first`. */
void cluster_block_id(const interp_program *p, const int32_t first[3], uint32_t rank,
                      int32_t id[3]);
/* The ranks (bits) that a copy of tensors goes to. */
uint32_t cluster_targets(const frame *f, const inst *i);

/* How often a tile block has come to the cluster's barrier, and waited there. */
typedef struct cluster_member {
  uint32_t arrivals, waits;
} cluster_member;
/* ", where tile block (1, 0, 0) has not arrived" */
void tell_cluster(const frame *f, char *out, size_t size);

#endif
