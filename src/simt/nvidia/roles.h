/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/roles.h: a kernel with a producer (simt/nvidia/bulk.h) as one of the block level.
 *
 *   in front    what scalars and views are computed from, tensor maps; alloc_shared with all
 *               stages, alloc_mbarrier and their mbarrier_init
 *   @load       the loops that copy; in each iteration mbarrier_wait at `empty`,
 *               mbarrier_arrive_expect at `full`, a tensor_load for each load
 *   @multiply   the program; in front of a product mbarrier_wait at its `full`, behind it
 *               mbarrier_arrive at `empty`
 *
 * Loops hand on the stage and the phase of each ring of stages that is used in them.
 */
#ifndef TSR_SIMT_NVIDIA_ROLES_H
#define TSR_SIMT_NVIDIA_ROLES_H

#include "simt/block/internal.h"

/* simt_vendor.roles */
extern const block_form simt_roles;

#endif
