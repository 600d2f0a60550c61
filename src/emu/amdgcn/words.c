/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How AMD's instruction sets call what messages name.
 */
#include "emu/amdgcn/isa.h"
#include "emu/phases.h"

static const char *const waits[RACE_SLOT_PHASE + 1];
static const emu_problem problems[PHASES_LATE_EXPECT + 1];

const emu_words gcn_words = {
    .language = "code",
    .line_key = "instruction",
    .required_block = "the kernel's required workgroup size",
    .max_block = "the kernel's largest workgroup size",
    .required_cluster = "",
    .no_clusters = "AMD's GPUs have no clusters",
    .constant = "the kernel's arguments",
    .own_shared = "LDS",
    .cluster_barrier = "s_barrier_signal and s_barrier_wait",
    .cluster_arrive = "s_barrier_signal",
    .cluster_wait = "s_barrier_wait",
    .waits = waits,
    .order_warp = "both are lanes of one wave",
    .order_block = "s_barrier between them, each wave's accesses before it being waited for",
    .order_cluster =
        "s_barrier_signal and s_barrier_wait between them, each wave's accesses before "
        "them being waited for",
    .order_grid = "the workgroups are not ordered: atomics with fences, or two launches",
    .barrier_again = "before this: s_barrier where they arrive when they are through this one",
    .barrier_place = "s_barrier where all waves of the workgroup come by, as often as each other",
    .phases = problems,
};
