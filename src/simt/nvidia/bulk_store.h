/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/bulk_store.h: which stores of a kernel with tensor maps (simt/nvidia/bulk.h) are bulk
 * tensor copies: all threads put the tile into shared memory, as simt/nvidia/box.h says, and one of
 * them starts a copy of each panel.
 *
 *   threads   ─ registers to panels, fence ─ barrier ─ continue …
 *   one                                        └ copy panel 0, 1, …, commit ─ continue … wait
 *
 * What elements lie outside of the tensor the hardware finds out, whole sectors are written at
 * once, and nobody waits for memory. The next use of the shared memory waits until it has been
 * read; accesses to memory after the store wait until it is complete.
 *
 * A store is taken when it is weak, goes to a view that a map describes, is of SIMT_STORE_LEAST
 * bytes or more, with rows of at least SIMT_STORE_ROW, so that starting copies is little beside
 * what they move, and its hint `allow_tma` does not forbid it. Plain data without LLVM.
 */
#ifndef TSR_SIMT_NVIDIA_BULK_STORE_H
#define TSR_SIMT_NVIDIA_BULK_STORE_H

#include "simt/nvidia/box.h"
#include "simt/nvidia/bulk.h"

enum {
  SIMT_STORE_LEAST = 4096, /* bytes of a tile */
  SIMT_STORE_ROW = 64,     /* bytes of a box' row */
};

typedef struct simt_bulk_store {
  const ir_op *op; /* store_view_tko */
  uint32_t map;    /* of the plan's tensor maps */
  simt_box box;
} simt_bulk_store;

/* How many there can be at most. */
uint32_t simt_count_bulk_stores(ir_op *entry);
/* Sets the stores of the plan's producer; there is room for their maps. */
void simt_plan_bulk_stores(simt_plan *plan, ir_op *entry);
/* simt_vendor.store_bytes */
uint32_t simt_bulk_store_bytes(const simt_plan *p, const ir_op *op);
/* NULL: threads store it themselves. */
const simt_bulk_store *simt_bulk_store_of(const simt_plan *p, const ir_op *op);

void simt_bulk_stores_print(sbuf *out, const simt_bulk *b);

#endif
