/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The state of what runs, and launches.
 *
 *   emu_device   memory, properties of the card (device.h)
 *   emu_program  a module on a device (program.h), with its instruction set (isa.h)
 *   emu_launch_options, emu_run: a grid
 *   emu_cluster ─ emu_block ─ emu_warp ─ emu_split (lanes of a warp at one place)
 *
 * Warps of a block, and blocks, take turns in slices; a program may not depend on how
 * (emu_schedule). A block is executed by one host thread at a time, a cluster's blocks by the same
 * one. Memory that a launch needs while it runs comes from malloc and is given back; when there is
 * none the launch fails with TSR_ERROR_MEMORY.
 */
#ifndef TSR_EMU_MACHINE_H
#define TSR_EMU_MACHINE_H

#include "emu/watch.h"

enum { EMU_MAX_BLOCK_THREADS = 1024, EMU_MAX_CLUSTER = 16 };
enum { EMU_BARRIERS = 16, EMU_BANKS = 4 };

/* ---- launches ------------------------------------------------------------------------------- */

/* When asynchronous operations complete; see async.h. */
typedef enum emu_async_mode { EMU_ASYNC_EAGER, EMU_ASYNC_LATE, EMU_ASYNC_RANDOM } emu_async_mode;

typedef enum emu_schedule { EMU_RR, EMU_RANDOM, EMU_ADVERSARIAL } emu_schedule;

typedef struct emu_launch_options {
  uint32_t grid[3], block[3];
  uint32_t cluster[3]; /* zeroes: what the entry says, else 1 */
  uint32_t dynamic_shared;
  bool cooperative;   /* all blocks are resident at once */
  const void *params; /* the entry's parameters, laid out as the instruction set says */
  emu_schedule schedule;
  emu_async_mode async;
  uint64_t seed;
  unsigned threads;           /* host threads; 0: one per core */
  uint64_t max_steps;         /* warp instructions after which the launch fails; 0: no limit */
  const emu_watcher *watcher; /* NULL: nobody looks */
  /* What the program prints; NULL: standard output. One call at a time. */
  void (*on_output)(void *user, const char *text, size_t length);
  void *output_user;
  /* Told now and then how many blocks have ended, one call at a time; NULL. */
  void (*on_progress)(void *user, uint64_t done, uint64_t total);
  void *progress_user;
  /* Runs `work` on up to `threads` threads at once, returns when all have ended; NULL: threads of
   * its own. */
  void (*parallel)(void *user, unsigned threads, void (*work)(void *), void *argument);
  void *parallel_user;
} emu_launch_options;

struct emu_grid {
  const emu_program *program;
  emu_device *device;
  const emu_entry *entry;
  emu_launch_options o;
  uint64_t id;        /* how many were launched before */
  uint8_t *params;    /* padded to 16 bytes */
  uint64_t workspace; /* device memory that the instruction set has for the launch; 0: none */
  uint64_t n_blocks, n_clusters;
  _Atomic uint64_t steps, thread_steps;
  _Atomic int stop; /* a fault: no more instructions are executed */
  pthread_mutex_t lock;
  emu_fault fault; /* the first */
  bool failed;
};

/* Runs a grid to its end. Reports what went wrong through the program's context.
 *   TSR_ERROR_USAGE  wrong dimensions, too much shared memory …: nothing has run
 *   TSR_ERROR_TRAP   a fault
 *   TSR_ERROR_MEMORY
 * `fault`, if not NULL, gets what happened; then a fault isn't reported. */
tsr_status emu_run(const emu_program *p, const emu_entry *entry, const emu_launch_options *o,
                   emu_fault *fault);

/* ---- warps ---------------------------------------------------------------------------------- */

typedef enum emu_wait_kind {
  EMU_READY,
  EMU_WAIT_LANES,   /* for other lanes of `mask` */
  EMU_WAIT_BARRIER, /* let through by whoever completes the barrier */
  EMU_WAIT_RETRY,   /* executes the instruction again at its next turn */
} emu_wait_kind;

/* Lanes of a warp that are at the same instruction of the same frame. */
typedef struct emu_split {
  emu_lanes lanes;
  emu_lanes mask;  /* that are waited for */
  emu_lanes carry; /* a flag of each lane, the instruction set's */
  void *frame;     /* the call under way, the instruction set's */
  uint32_t pc;     /* of the next instruction, the later the further behind in the text */
  uint32_t depth;  /* calls under way */
  uint8_t waits;   /* emu_wait_kind */
  uint8_t barrier; /* … at which barrier */
} emu_split;

struct emu_warp {
  emu_block *block;
  uint32_t index;                      /* in its block */
  uint32_t first;                      /* thread of the block */
  emu_lanes lanes;                     /* that exist and have not ended */
  emu_lanes existing;                  /* that exist: the last warp may be partial */
  uint8_t *bank[EMU_BANKS];            /* where registers lie, the instruction set's */
  void *own;                           /* what else it has of a warp */
  emu_split *split;                    /* that executes */
  emu_split splits[EMU_MAX_LANES + 1]; /* those without lanes are dropped when others are chosen */
  uint32_t n_splits;
  uint32_t turn;                         /* counts slices, for fairness among splits */
  uint64_t steps;                        /* instructions executed */
  uint32_t cluster_phase[EMU_MAX_LANES]; /* of the cluster's barrier when the lane arrived */
  emu_lanes cluster_arrived;             /* lanes that have arrived and not waited yet */
  emu_allocation *recent;                /* where the last access to device memory lay */
  void *watched;                         /* the watcher's */
  void *async;                           /* pending asynchronous operations (async.h) */
};

/* The number of a lane's thread in its block. */
static inline uint32_t emu_thread(const emu_warp *w, unsigned lane) {
  return w->first + lane;
}

/* ---- blocks --------------------------------------------------------------------------------- */

typedef struct emu_barrier {
  uint32_t arrived;        /* threads */
  uint32_t expected;       /* threads; 0: nobody has arrived yet */
  bool all;                /* expected is all threads of the block that have not ended */
  bool all_true, any_true; /* of the threads that have arrived */
  uint32_t count_true;
} emu_barrier;

struct emu_block {
  emu_cluster *cluster;
  emu_grid *grid;
  uint32_t id[3];
  uint32_t rank;                      /* in its cluster */
  uint64_t linear;                    /* in the grid */
  uint32_t n_warps, n_threads, ended; /* threads that have ended */
  uint8_t *shared;
  uint32_t shared_bytes; /* static and dynamic */
  uint32_t reserved_at;  /* where emu_entry.reserved_bytes more begin; 0: none */
  emu_barrier barriers[EMU_BARRIERS];
  emu_warp *warps;
  uint64_t random; /* state of the generator that says when operations complete */
  void *watched;   /* the watcher's */
  void *async;     /* asynchronous operations: mbarriers, bulk copies under way (async.h) */
};

struct emu_cluster {
  emu_grid *grid;
  emu_cluster *next; /* in the queue */
  uint32_t n_blocks;
  uint32_t arrived, ended, threads; /* of the cluster's barrier, in threads */
  uint32_t phase;                   /* how often all have arrived */
  uint64_t linear;                  /* in the grid */
  uint64_t slice;                   /* instructions of its next turn */
  uint64_t random;                  /* state of the schedule's generator */
  emu_block *blocks;
};

/* The bytes at emu_block.shared. */
static inline uint32_t emu_shared_size(const emu_block *b) {
  return b->reserved_at ? b->reserved_at + b->grid->entry->reserved_bytes : b->shared_bytes;
}
/* A block's shared memory as all blocks of its cluster know it: an address with its rank. */
static inline uint64_t emu_shared_address(const emu_block *b, uint32_t offset) {
  return (uint64_t)(b->rank + 1) << EMU_SHARED_RANK_SHIFT | offset;
}

#endif
