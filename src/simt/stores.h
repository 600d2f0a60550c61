/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/stores.h: where a tile lies when its elements are stored.
 */
#ifndef TSR_SIMT_STORES_H
#define TSR_SIMT_STORES_H

#include "simt/plan.h"

/* Of store_view_tko or store_ptr_tko with this value: where the value lies, unless few of the bytes
 * that a warp touches at once would be next to each other; then as memory lies. */
simt_dist simt_store_dist(const simt_plan *p, const ir_op *op, const ir_value *v);

#endif
