/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * async: operations that go on while their thread does, and when they end.
 *
 * Asynchronous copies and products complete at some time between the instruction that issues them
 * and the one that waits for them. A correct program cannot tell when; here the time is chosen by a
 * mode:
 *
 *   eager   at once
 *   late    at the last moment: when a thread waits for it (or tests an mbarrier that it
 *           completes), and when nobody could go on otherwise
 *   random  one or the other, per operation
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

typedef enum async_agent {                   /* the numbers of race_slot_kind */
                           ASYNC_COPY = 1,   /* copies of a thread, by itself; owner: the thread in
                                                its cluster */
                           ASYNC_BULK_READ,  /* reads of a thread's bulk groups */
                           ASYNC_BULK_WRITE, /* and their writes */
                           ASYNC_PRODUCT,  /* matrix instructions of a warp; owner: its first thread
                                            */
                           ASYNC_MBARRIER, /* what completes on an mbarrier; owner: its address with
                                              the rank */
} async_agent;

/* An operation's access to memory, told when it is issued. */
typedef struct async_access {
  emu_insn insn;
  unsigned lane; /* that issues it */
  async_agent agent;
  uint64_t owner;
  uint32_t time;             /* of the agent */
  bool write, reduce, proxy; /* proxy: by the asynchronous proxy */
  uint8_t space;             /* EMU_GLOBAL or EMU_SHARED */
  uint64_t address;          /* of shared memory with the rank + 1, as in emu_access */
  uint32_t bytes;
  emu_allocation *allocation; /* of EMU_GLOBAL */
  /* Of a product, for counting: lines of 128 bytes that the whole operand takes, told with its
   * first access; and that another warp of the warpgroup reads the same for this one, too. Of a
   * multicast: that memory was read for an earlier destination. */
  uint32_t lines;
  bool repeated;
} async_access;

/* What happens to an mbarrier, told before it has its effect. */
typedef enum async_event_kind {
  ASYNC_INIT,         /* the mbarrier begins, with phase `phase` */
  ASYNC_EXPECT,       /* expect_tx of `bytes` */
  ASYNC_ISSUE,        /* an operation of `bytes` that completes on it was issued */
  ASYNC_ARRIVE,       /* a lane arrives, and expects `bytes` */
  ASYNC_ARRIVE_AGAIN, /* a lane arrives when all have arrived, which is an error */
  ASYNC_ARRIVE_LATER, /* ... will, when its copies are done; ASYNC_ARRIVED: now */
  ASYNC_ARRIVED,
  ASYNC_WAITED, /* a wait for the phase before `phase` has succeeded */
} async_event_kind;
typedef struct async_event {
  async_event_kind kind;
  emu_insn insn;
  unsigned lane;
  uint64_t mbarrier; /* its address with the rank */
  uint32_t phase;    /* that is under way */
  uint32_t bytes;
  bool relaxed;     /* orders no memory */
  bool all_arrived; /* no arrival is missing in the phase, with this one */
  uint32_t time;    /* ASYNC_ARRIVED: copies of the thread up to this time are done ... */
  uint32_t since;   /* ... and the phase of its ASYNC_ARRIVE_LATER */
} async_event;

typedef struct async_misuse {
  emu_insn insn;
  int lane;   /* -1: the whole warp */
  bool fence; /* what is missing is a fence, else a wait */
  const char *message, *hint;
  const char *does; /* "reads"; may be NULL */
  emu_insn other;   /* that the warp has issued before; may be NULL */
  const char *other_does;
} async_misuse;

/* Who looks at asynchronous operations. Members may be NULL. */
struct emu_async_watch {
  void (*access)(void *user, emu_warp *w, const async_access *a);
  /* A lane has waited: it knows that the agent's operations up to `time` have ended. */
  void (*learn)(void *user, emu_warp *w, unsigned lane, async_agent agent, uint64_t owner,
                uint32_t time);
  void (*mbarrier)(void *user, emu_warp *w, const async_event *e);
  /* What the lanes have written before is there for the asynchronous proxy, too. */
  void (*fence_proxy)(void *user, emu_warp *w, emu_lanes lanes);
  /* Something that is wrong whatever else happens. */
  void (*misuse)(void *user, emu_warp *w, const async_misuse *m);
};

/* ---- pending operations --------------------------------------------------------------------- */

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
  emu_insn insn;
  unsigned lane;
  uint32_t time;
  uint64_t mbarrier; /* address with rank, when one says that it is done */
};

/* Whether an operation that is issued now is done at once. */
bool async_is_eager(emu_warp *w);
/* Runs op now or appends it to the list. Takes it (malloc's). */
void async_issue(emu_warp *w, async_op **list, async_op *op);
/* Appends it. */
void async_defer(async_op **list, async_op *op);
/* Runs and frees the operations of the list that lanes (bits) issued up to a time (UINT32_MAX:
 * all). */
bool async_run(async_op **list, emu_lanes lanes, uint32_t time);

/* The number of a lane's thread in its cluster. */
uint64_t async_thread(const emu_warp *w, unsigned lane);

const struct emu_async_watch *async_watch(const emu_warp *w);
void async_tell_access(emu_warp *w, const async_access *a);
void async_tell_misuse(emu_warp *w, const async_misuse *m);

#endif
