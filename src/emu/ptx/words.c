/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How PTX calls what messages name.
 */
#include "emu/phases.h"
#include "emu/ptx/isa.h"

static const char *const waits[] = {
    [RACE_SLOT_COPY] = "cp.async.wait_group (or cp.async.wait_all)",
    [RACE_SLOT_BULK_READ] = "cp.async.bulk.wait_group.read",
    [RACE_SLOT_BULK_WRITE] = "cp.async.bulk.wait_group",
    [RACE_SLOT_PRODUCT] = "wgmma.wait_group",
    [RACE_SLOT_MBARRIER] = "a wait for the phase of the mbarrier that the copy completes",
};

static const emu_problem problems[] = {
    [PHASES_UNEXPECTED_COPY] =
        {"copies more than the phase of the mbarrier expects, which may be over before all has "
         "come",
         "mbarrier.expect_tx for the bytes of every copy, and before the copy a wait for the phase "
         "before"},
    [PHASES_EARLY_ARRIVAL] =
        {"arrives at an mbarrier, perhaps before the phase that it means has begun",
         "before this: a wait for the phase before, by this thread or by one that it waits for"},
    [PHASES_LATE_EXPECT] =
        {"expects bytes in a phase of an mbarrier, perhaps when that is over already",
         "mbarrier.expect_tx before the thread's own arrival in the phase, and behind a wait for "
         "the phase before"},
};

const emu_words ptx_words = {
    .language = "PTX",
    .line_key = "ptx_line",
    .required_block = ".reqntid",
    .max_block = ".maxntid",
    .required_cluster = ".reqnctapercluster",
    .no_clusters = "clusters need sm_90",
    .constant = ".const",
    .own_shared = ".shared::cta",
    .cluster_barrier = "barrier.cluster",
    .cluster_arrive = "barrier.cluster.arrive",
    .cluster_wait = "barrier.cluster.wait",
    .waits = waits,
    .missing_proxy = "an asynchronous operation reads what a thread wrote without a "
                     "fence.proxy.async between",
    .proxy_hint =
        "fence.proxy.async by the thread that writes, after the write and before the barrier",
    .order_warp = "both are lanes of one warp: __syncwarp() (bar.warp.sync) between them",
    .order_block = "__syncthreads() (bar.sync) between them, or an mbarrier",
    .order_cluster = "the blocks are of one cluster: barrier.cluster.arrive and .wait between them",
    .order_grid = "the blocks are not ordered: atomics with fences of scope gpu, a grid "
                  "barrier, or two launches",
    .barrier_again =
        "before this: bar.sync at a barrier where they arrive when they are through this one",
    .barrier_place =
        "__syncthreads() (bar.sync) where all threads of the block come by, as often as each other",
    .shuffle_hint = "a mask of the lanes that take part, and no value from others; or all lanes of "
                    "the warp must come here",
    .phases = problems,
};
