/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/persistent.h: persistent kernels. As many thread blocks as fit the card are launched,
 * and each executes one tile block after the other. The producer continues to the loads of the next
 * tile block while the consumers are still busy with the end of this one:
 *
 *   producer    loads of tile 0 ─────┐ loads of tile 1 ──────┐ …
 *   consumers     products of tile 0 ──── end ─ products of tile 1 ── end ─ …
 *
 * A thread block with the number b of n takes the tile blocks at positions b, b + n, b + 2n, … of
 * an order in which neighbours share operands: bands of SIMT_BAND rows of the grid's y, down a
 * band's column first, then along x (as rt/order.h's "grouped"), z last. What the program sees of
 * its number and of the grid stays the same.
 *
 * Which kernels. Tile blocks may be executed in any order and any number at a time unless they wait
 * for each other: a thread block that waits never gets to those after it, which might be what it
 * waits for. So a kernel with a `loop` that has atomic or ordered accesses in it is never
 * persistent; a `for` ends by itself, and atomics outside of loops wait for nobody. Nor is one with
 * assertions, of which the hardware says in which thread block they failed. Of the others
 * those are whose blocks have a multiprocessor for themselves (else another block fills the gaps),
 * and whose loops have the same bounds in all tile blocks (else the hardware, which gives the next
 * tile block to who is done first, shares out better); the entry's hint `persistent` overrides
 * both. What is after the loops must get along with the shared memory that stages leave, since
 * stages are being filled all the time.
 */
#ifndef TSR_SIMT_NVIDIA_PERSISTENT_H
#define TSR_SIMT_NVIDIA_PERSISTENT_H

#include "simt/nvidia/bulk.h"

enum { SIMT_BAND = 8 /* tile blocks */ };

/* Sets `persistent` of the plan's producer, which must be complete but for that. */
void simt_plan_persistent(simt_plan *plan, ir_op *entry);

#endif
