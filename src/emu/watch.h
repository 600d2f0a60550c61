/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the machine tells whoever looks at a launch: accesses, synchronisation, faults.
 */
#ifndef TSR_EMU_WATCH_H
#define TSR_EMU_WATCH_H

#include "emu/lanes.h"
#include "emu/program.h"
#include "emu/spaces.h"

typedef struct emu_warp emu_warp;
typedef struct emu_block emu_block;
typedef struct emu_cluster emu_cluster;
typedef struct emu_grid emu_grid;

typedef enum emu_access_kind {
  EMU_READ,
  EMU_WRITE,
  EMU_ATOMIC /* reads and writes at once: atomics, and what operations on mbarriers do */
} emu_access_kind;

/* What the lanes of a warp do to memory in one instruction. Lane l, if its bit is set in `lanes`,
 * accesses `bytes` bytes at address[l] of `space`, which lie at host[l]. */
typedef struct emu_access {
  emu_insn insn;
  emu_lanes lanes;
  uint32_t bytes;
  uint8_t kind;  /* emu_access_kind */
  uint8_t space; /* EMU_GLOBAL (and constant), EMU_SHARED, EMU_LOCAL, EMU_PARAM: resolved, never
                    generic */
  uint8_t order; /* emu_order; EMU_WEAK unless the instruction says more */
  uint8_t scope; /* emu_scope */
  bool maybe;    /* weak, or relaxed at scope device: the instruction is the same for both */
  uint64_t address[EMU_MAX_LANES]; /* within the space; with the block's rank for shared (never 0
                                      there) */
  uint8_t *host[EMU_MAX_LANES];
  emu_allocation *allocation[EMU_MAX_LANES]; /* of EMU_GLOBAL; NULL else */
} emu_access;

typedef enum emu_sync_kind {
  EMU_SYNC_BARRIER_ARRIVE, /* a block's barrier: lanes arrive (`id`, `count` threads expected) */
  EMU_SYNC_BARRIER_PASS,   /* … were let through; arrive and pass come in this order */
  EMU_SYNC_CLUSTER_ARRIVE, /* the cluster's barrier */
  EMU_SYNC_CLUSTER_PASS,
  EMU_SYNC_WARP,    /* lanes came together, and see what the others have written before */
  EMU_SYNC_LANES,   /* … and see nothing of memory for it */
  EMU_SYNC_FENCE,   /* a fence of memory */
  EMU_SYNC_RELEASE, /* half of one: what is stored next hands on all before it */
  EMU_SYNC_ACQUIRE, /* ... all behind it knows what the loads before it were handed */
  EMU_SYNC_EXIT,    /* lanes have ended */
} emu_sync_kind;

typedef struct emu_sync {
  emu_insn insn; /* NULL for EXIT by a fault */
  uint8_t kind;  /* emu_sync_kind */
  bool relaxed;  /* an arrival that hands over nothing of memory */
  bool all;      /* of a block's barrier: for all threads of the block */
  emu_lanes lanes;
  uint32_t id, count;
} emu_sync;

typedef enum emu_fault_kind {
  EMU_FAULT_TRAP,      /* the program gives up */
  EMU_FAULT_BOUNDS,    /* outside of every allocation, of shared, local, parameter memory */
  EMU_FAULT_FREED,     /* in memory that was freed */
  EMU_FAULT_ALIGN,     /* not a multiple of the size */
  EMU_FAULT_READ_ONLY, /* a store to constants or to parameters */
  EMU_FAULT_BARRIER,   /* a barrier that cannot be passed, is misused, or diverges */
  EMU_FAULT_DEADLOCK,  /* nobody can go on */
  EMU_FAULT_CALL,      /* a call of what is no function, too deep */
  EMU_FAULT_ILLEGAL,   /* an operand that has no meaning (descriptors, sizes) */
  EMU_FAULT_MEMORY,    /* the host has no more memory */
} emu_fault_kind;

/* What made a launch end. `lane` is -1 when it is about the whole warp; `warp` -1 about no warp. */
typedef struct emu_fault {
  uint8_t kind; /* emu_fault_kind */
  emu_insn insn;
  uint32_t block[3], thread[3];
  int warp, lane;
  uint64_t address;
  bool has_address;
  char message[512];
} emu_fault;

/* A value that nobody defined is used: read from local memory that was not written, or taken from a
 * lane that did not take part. */
typedef struct emu_undefined {
  emu_insn from, insn; /* that gave it to the lane; that uses it */
  unsigned lane;
  bool local;              /* read from local memory ... */
  uint64_t address, value; /* ... at this address; the first 8 of its bytes */
  uint32_t bytes;
} emu_undefined;

/* Who looks at a launch. Any function may be NULL. They are called by the host thread that executes
 * the block; for different clusters at the same time unless `serial`. `user` is the watcher's; what
 * it keeps per block, warp it may hang on emu_block.watched, emu_warp.watched. */
typedef struct emu_watcher {
  void *user;
  bool serial; /* execute on one host thread */
  bool local;  /* keep account of which bytes of local memory were written */
  void (*launch_begin)(void *user, emu_grid *g);
  void (*launch_end)(void *user, emu_grid *g);
  void (*block_begin)(void *user, emu_block *b);
  void (*block_end)(void *user, emu_block *b);
  /* Once per instruction executed, before its effects; `lanes` are those that execute it (there may
   * be none), `active` those that came here. */
  void (*executed)(void *user, emu_warp *w, emu_insn i, emu_lanes lanes, emu_lanes active);
  /* Before the effects, when all addresses have been found to be good. */
  void (*access)(void *user, emu_warp *w, const emu_access *a);
  void (*sync)(void *user, emu_warp *w, const emu_sync *s);
  /* A thread has got memory of the device's, whose bytes have no defined value yet. */
  void (*allocated)(void *user, emu_warp *w, uint64_t address, uint64_t bytes);
  /* Once for each undefined value, before the instruction that uses it. */
  void (*undefined)(void *user, emu_warp *w, const emu_undefined *u);
  /* An access or instruction that ends the launch. True: it was taken note of; then bad accesses
   * are left out (reads give 0) and the launch goes on. */
  bool (*fault)(void *user, emu_warp *w, const emu_fault *f);
  const struct emu_async_watch *async; /* asynchronous operations (async.h); NULL: nobody */
} emu_watcher;

/* Tells whoever looks (barrier.c). */
void emu_tell_sync(emu_warp *w, const emu_sync *s);

#endif
