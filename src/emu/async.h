/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * async: operations that go on while their thread does, and when they end.
 *
 * cp.async, the bulk copies and reductions, and wgmma complete at some time between the instruction
 * that issues them and the one that waits for them. A correct program cannot tell when; here the
 * time is chosen by a mode:
 *
 *   eager   at once
 *   late    at the last moment: when a thread waits for it (or tests an mbarrier that it
 * completes), and when nobody could go on otherwise random  one or the other, per operation
 *
 * so a program whose result differs between them lacks a wait. Whoever watches (emu_watcher.async)
 * is told what each operation accesses, under which *agent*, and who learns of its completion,
 * which finds such programs whatever the mode (races.h; the agents are its kinds of slots).
 *
 * Pending operations hang on their warp, or, when an mbarrier says that they are done, on the block
 * in whose memory it lies. Memory for them is malloc's, freed when they complete or the block ends.
 */
#ifndef TSR_EMU_ASYNC_H
#define TSR_EMU_ASYNC_H

#include "emu/machine.h"

typedef enum async_agent { /* the numbers of race_slot_kind */
                           ASYNC_CP =
                               1, /* cp.async of a thread; owner: the thread in its cluster */
                           ASYNC_BULK_READ,  /* reads of a thread's bulk groups */
                           ASYNC_BULK_WRITE, /* and their writes */
                           ASYNC_WGMMA,      /* of a warp; owner: its first thread */
                           ASYNC_MBARRIER, /* what completes on an mbarrier; owner: its address with
                                              the rank */
} async_agent;

/* An operation's access to memory, told when it is issued. */
typedef struct async_access {
  const ptx_insn *insn;
  unsigned lane; /* that issues it */
  async_agent agent;
  uint64_t owner;
  uint32_t time;             /* of the agent */
  bool write, reduce, proxy; /* proxy: by the asynchronous proxy */
  uint8_t space;             /* PTX_GLOBAL or PTX_SHARED */
  uint64_t address;          /* of shared memory with the rank + 1, as in emu_access */
  uint32_t bytes;
  emu_allocation *allocation; /* of PTX_GLOBAL */
  /* wgmma, for counting: lines of 128 bytes that the whole operand takes, told with its first
   * access; and that another warp of the warpgroup reads the same for this one, too. Of a
   * multicast: that memory was read for an earlier destination. */
  uint32_t lines;
  bool repeated;
} async_access;

/* What happens to an mbarrier, told before it has its effect. */
typedef enum async_event_kind {
  ASYNC_INIT,         /* mbarrier.init, whose first phase is `phase` */
  ASYNC_EXPECT,       /* expect_tx of `bytes` */
  ASYNC_ISSUE,        /* an operation of `bytes` that completes on it was issued */
  ASYNC_ARRIVE,       /* a lane arrives, and expects `bytes` */
  ASYNC_ARRIVE_AGAIN, /* a lane arrives when all have arrived, which is an error */
  ASYNC_ARRIVE_LATER, /* ... will, when its copies (cp.async) are done; ASYNC_ARRIVED: now */
  ASYNC_ARRIVED,
  ASYNC_WAITED, /* a wait for the phase before `phase` has succeeded */
} async_event_kind;
typedef struct async_event {
  async_event_kind kind;
  const ptx_insn *insn;
  unsigned lane;
  uint64_t mbarrier; /* its address with the rank */
  uint32_t phase;    /* that is under way */
  uint32_t bytes;
  bool relaxed;     /* orders no memory */
  bool all_arrived; /* no arrival is missing in the phase, with this one */
  uint32_t time;    /* ASYNC_ARRIVED: copies of the thread up to this time are done ... */
  uint32_t since;   /* ... and the phase of its ASYNC_ARRIVE_LATER */
} async_event;

/* Who looks at asynchronous operations. Members may be NULL. */
struct emu_async_watch {
  void (*access)(void *user, emu_warp *w, const async_access *a);
  /* A lane has waited: it knows that the agent's operations up to `time` have ended. */
  void (*learn)(void *user, emu_warp *w, unsigned lane, async_agent agent, uint64_t owner,
                uint32_t time);
  void (*mbarrier)(void *user, emu_warp *w, const async_event *e);
  /* fence.proxy.async and fence.mbarrier_init */
  void (*fence_proxy)(void *user, emu_warp *w, uint32_t lanes);
  /* Something that is wrong whatever else happens; `what` is a short name for it. */
  void (*misuse)(void *user, emu_warp *w, const ptx_insn *i, int lane, const char *what,
                 const char *message);
};

/* The registers that wgmma instructions of the warp have under way: whether `row` is one of their
 * accumulators, or (when writes) one of A's registers. NULL when not; else the wgmma. */
const ptx_insn *async_register_in_use(const emu_warp *w, ptx_row row, bool writes);
bool async_has_registers_in_use(const emu_warp *w);
/* A register of an accumulator was written by something else: wgmma.fence is due. */
void async_register_written(emu_warp *w, ptx_row row);

/* Completes what waits for nothing but the last moment, in a whole cluster, when no thread can go
 * on. True when there was something. */
bool async_progress(emu_cluster *c);
/* A cluster has ended: completes what is left and frees everything. */
void async_cluster_end(emu_cluster *c);

/* ---- between the files that execute asynchronous instructions ------------------------------- */

/* Groups of a thread's (or warp's) operations: the time that those issued now have, and the times
 * at which the last groups were committed. Starts at time 1. */
enum { ASYNC_GROUPS = 64 };
typedef struct async_groups {
  uint32_t time, committed;
  uint32_t issued, waited; /* the time of the last operation; up to which was waited */
  uint32_t end[ASYNC_GROUPS];
} async_groups;
void async_commit(async_groups *g);
/* The time up to which a wait that leaves `n` groups pending waits; 0: nothing. */
uint32_t async_wait_time(const async_groups *g, uint32_t n);

typedef struct async_op async_op;
struct async_op {
  async_op *next;
  void (*run)(async_op *op); /* does it, and frees what it has (not the op) */
  emu_warp *warp;
  const ptx_insn *insn;
  unsigned lane;
  uint32_t time;
  uint64_t mbarrier; /* address with rank, when one says that it is done */
};

typedef struct async_lane {
  async_groups copies, bulk;
  const ptx_insn *last_bulk; /* that a bulk group has */
} async_lane;
typedef struct async_mbarrier {
  uint64_t address;
  uint32_t phase; /* phases begun since the block began: never the same for two phases */
} async_mbarrier;
typedef struct async_warp {
  async_lane lane[EMU_LANES];
  async_groups products;
  async_op *copies, *bulk, *wgmma; /* pending, in the order they were issued */
  void *registers;                 /* exec_wgmma.c */
} async_warp;
typedef struct async_block {
  async_op *bulk; /* pending on mbarriers of this block */
  async_mbarrier *mbarriers;
  uint32_t n_mbarriers, cap_mbarriers;
  uint64_t *changed_maps; /* addresses of tensor maps that were changed without a fence since */
  uint32_t n_changed_maps, cap_changed_maps;
  uint64_t random;
} async_block;

/* The state of a warp and a block; NULL after EMU_FAULT_MEMORY. */
async_warp *async_of_warp(emu_warp *w, const ptx_insn *i);
async_block *async_of_block(emu_block *b);

/* Whether an operation that is issued now is done at once. */
bool async_is_eager(emu_warp *w);
/* Runs op now or appends it to the list. Takes it (malloc's). */
void async_issue(emu_warp *w, async_op **list, async_op *op);
/* Appends it. */
void async_defer(async_op **list, async_op *op);
/* Runs and frees the operations of the list that lanes (bits) issued up to a time (UINT32_MAX:
 * all). */
bool async_run(async_op **list, uint32_t lanes, uint32_t time);

/* The number of a lane's thread in its cluster; an address with its rank. */
uint64_t async_thread(const emu_warp *w, unsigned lane);
static inline uint64_t async_shared(const emu_block *b, uint32_t offset) {
  return (uint64_t)(b->rank + 1) << EMU_SHARED_RANK_SHIFT | offset;
}

/* The mbarrier at an address that has a rank: its block, its 8 bytes, its phase's number. False
 * after a fault. */
typedef struct mbarrier_place {
  emu_block *block;
  uint64_t address;
  uint8_t *host;
  async_mbarrier *record;
} mbarrier_place;
bool mbarrier_at(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address,
                 mbarrier_place *out);
/* Tells that the lane has issued an operation that will complete `bytes` there. */
void mbarrier_tell_issue(emu_warp *w, const ptx_insn *i, unsigned lane, const mbarrier_place *p,
                         uint32_t bytes);
/* complete_tx by an operation. */
void mbarrier_op_done(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address,
                      uint32_t bytes);
/* Runs what is pending on this mbarrier; false when there was nothing. */
bool mbarrier_flush(emu_block *b, uint64_t address);

/* A copy reads the tensor map at this address: tells who watches when a fence is missing. */
void changed_map_used(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address);

const struct emu_async_watch *async_watch(const emu_warp *w);
void async_tell_access(emu_warp *w, const async_access *a);

#endif
