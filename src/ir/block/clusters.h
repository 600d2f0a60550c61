/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Clusters: tile blocks next to each other that reach each other's shared memory.
 */
#ifndef TSR_IR_BLOCK_CLUSTERS_H
#define TSR_IR_BLOCK_CLUSTERS_H

#include "ir/ir.h"

enum { IR_MOST_CLUSTER = 8 }; /* tile blocks that every GPU with clusters takes */

/* The tile blocks of a cluster along x, y and z; 1, 1, 1 where the entry states none. Returns how
 * many those are altogether. */
uint32_t ir_cluster_of(const ir_op *entry, uint32_t size[3]);
/* Whether the entry states a cluster, of one tile block, too. */
bool ir_has_cluster(const ir_op *entry);
/* The entry that `op` is in. */
const ir_op *ir_entry_around(const ir_op *op);
/* The masks of ranks that a copy goes to; NULL: to this tile block only. */
const ir_value *ir_multicast_of(const ir_op *op);
/* Of the entry, reported where it is wrong. */
bool check_cluster(const ir_module *m, const ir_op *entry);
/* Of a copy, likewise. */
bool check_multicast(const ir_module *m, const ir_op *op);

#endif
