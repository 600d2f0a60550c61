/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * machine: a GPU that executes decoded PTX (ptx.h).
 *
 *   emu_device   memory, properties of the card
 *   emu_image    a module on a device: its variables have addresses, its constants values
 *   emu_launch   a grid: parameters, dimensions
 *   emu_cluster ─ emu_block ─ emu_warp ─ emu_split (lanes of a warp at one place) ─ emu_frame
 *
 * Execution. A warp executes one instruction for the lanes of one split at a time. Lanes that take
 * different ways become different splits and come together again where they reach the same
 * instruction of the same frame; the split that is furthest behind goes first, but none waits for
 * ever, so lanes that wait for each other get on (independent thread scheduling, sm_70). Warps of a
 * block, and blocks, take turns in slices; a program may not depend on how (emu_schedule).
 * A block is executed by one host thread at a time, a cluster's blocks by the same one.
 *
 * Handlers. Every form of ptx_forms.def names the function that executes it (emu_handlers.def). It
 * gets the warp, the instruction and the lanes that execute it (never none), does all its effects
 * and says how to go on (emu_step). All memory goes through emu_access (below), everything that
 * lanes wait for through emu_sync, so that whoever looks (emu_watcher) sees everything.
 *
 * Addresses. Device memory lies at addresses of the device's own, from EMU_GLOBAL_BASE on, never
 * used twice; or, on a device that is made so, where it lies on the host, so that both sides know
 * it by the same address. A generic address says in its top byte what it means (EMU_WINDOW_*):
 * device memory has 0 there; .shared, .local and .param the window plus the address within the
 * space. A .shared address has 24 bits of offset and above them, for .shared::cluster, 1 + the rank
 * of the block in its cluster (0: the block that executes).
 *
 * Threads. A device and its images may be used by several launches at once; alloc and free lock.
 * Memory that a launch needs while it runs comes from malloc and is given back; when there is none
 * the launch fails with TSR_ERROR_MEMORY.
 */
#ifndef TSR_EMU_MACHINE_H
#define TSR_EMU_MACHINE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

#include "emu/ptx/ptx.h"
#include "target/gpu.h"

enum { EMU_LANES = 32, EMU_MAX_BLOCK_THREADS = 1024, EMU_MAX_CLUSTER = 16 };
enum { EMU_BARRIERS = 16, EMU_MAX_FRAMES = 1024 /* calls under way in a thread */ };
enum { EMU_RESERVED_SHARED = 1024 }; /* bytes of a block's shared memory, of modules that ask */
#define EMU_ALL_LANES         0xffffffffu

#define EMU_WINDOW_SHARED     (UINT64_C(1) << 56)
#define EMU_WINDOW_LOCAL      (UINT64_C(2) << 56)
#define EMU_WINDOW_PARAM      (UINT64_C(3) << 56)
#define EMU_WINDOW_CODE       (UINT64_C(4) << 56) /* function n is at the window + 16 * (n + 1) */
#define EMU_WINDOW(a)         ((a)&UINT64_C(0xff) << 56)
#define EMU_GLOBAL_BASE       UINT64_C(0x700000000)
#define EMU_SHARED_RANK_SHIFT 24
#define EMU_SHARED_OFFSET(a)  ((uint32_t)(a)&0xffffff)
#define EMU_SHARED_RANK(a)    ((uint32_t)(a) >> EMU_SHARED_RANK_SHIFT & 0xff)

/* ---- the device ----------------------------------------------------------------------------- */

typedef struct emu_allocation {
  uint64_t base, bytes;
  uint8_t *host;
  bool owned;                  /* host memory is given back with it */
  _Atomic bool freed;          /* kept in the table so that a use after free can be named */
  bool constant;               /* .const: stores fault */
  const char *name;            /* of a variable; NULL for buffers */
  void *shadow;                /* of the checks, see shadow.h */
  struct emu_allocation *next; /* of the buried */
} emu_allocation;

typedef gpu_target emu_device_info;

/* As ptx_form says it: 900, 901 for sm_90a. */
static inline unsigned emu_sm_of(const emu_device_info *info) {
  return info->sm * 10 + info->specific;
}

/* Bytes that a module's variables, or one allocation, can have. */
static inline uint64_t emu_memory_of(const emu_device_info *info) {
  return (uint64_t)info->memory << 30;
}

/* The card that a target means ("sm_90a"); NULL when there is none. */
const emu_device_info *emu_device_info_for(const char *target);
const emu_device_info *emu_device_info_at(size_t index); /* NULL behind the last */

typedef struct emu_device emu_device;
struct emu_device {
  const emu_device_info *info;
  pthread_mutex_t lock;
  emu_allocation **allocations; /* by address, freed ones too */
  uint32_t n_allocations, cap_allocations;
  bool host_addresses;    /* memory has the addresses that it has on the host */
  emu_allocation *buried; /* whose address is in use again, until no launch can look at them */
  uint64_t next_address;
  uint64_t bytes;         /* allocated now */
  _Atomic uint64_t grids; /* launched so far */
  uint32_t running;       /* launches; memory freed meanwhile is given back after the last */
  bool have_dead;
  uint32_t checked_clusters; /* so far: the checks number them, and shadows remember the numbers */
};

emu_device *emu_device_create(const emu_device_info *info); /* NULL: no memory */
void emu_device_destroy(emu_device *d);

/* Device memory of `bytes`, 256-byte aligned (64 with host addresses), with zeroes, or `host` for
 * its bytes. 0: no memory, or with host addresses other memory lies there. */
uint64_t emu_alloc(emu_device *d, uint64_t bytes, void *host);
/* False when nothing is allocated at this address. */
bool emu_free(emu_device *d, uint64_t address);
/* The allocation that an address lies in or closest behind (also a freed one); NULL. */
emu_allocation *emu_find(emu_device *d, uint64_t address);

/* ---- images --------------------------------------------------------------------------------- */

typedef struct emu_image {
  emu_device *device;
  const ptx_module *module;
  uint64_t *addresses; /* of the module's variables: generic ones of .global and .const; offsets of
                          .shared */
  uint8_t *constants;  /* the constant bank */
} emu_image;

/* Whether the device can execute the module and has the memory for its variables; reports why not.
 * Takes no memory. */
bool emu_can_load(const emu_device *d, const ptx_module *m);
/* Reports and returns NULL when the device can't load the module. `m` must outlive it. */
emu_image *emu_load(emu_device *d, const ptx_module *m);
void emu_unload(emu_image *i);
/* The address and size of a variable by name; false when there is none. */
bool emu_symbol(const emu_image *i, const char *name, uint64_t *address, uint64_t *bytes);

/* ---- accesses, waiting, watchers ------------------------------------------------------------ */

typedef enum emu_access_kind {
  EMU_READ,
  EMU_WRITE,
  EMU_ATOMIC /* reads and writes at once: atom, red, and what mbarrier operations do */
} emu_access_kind;

/* What the lanes of a warp do to memory in one instruction. Lane l, if its bit is set in `lanes`,
 * accesses `bytes` bytes at address[l] of `space`, which lie at host[l]. */
typedef struct emu_access {
  const ptx_insn *insn;
  uint32_t lanes;
  uint32_t bytes;
  uint8_t kind;  /* emu_access_kind */
  uint8_t space; /* PTX_GLOBAL (and .const), PTX_SHARED, PTX_LOCAL, PTX_PARAM: resolved, never
                    generic */
  uint8_t order; /* ptx_order; PTX_WEAK unless the instruction says more (.volatile: PTX_RELAXED) */
  uint8_t scope; /* ptx_scope */
  bool async;    /* by the asynchronous proxy, when an operation completes */
  uint64_t
      address[EMU_LANES]; /* within the space; with the block's rank for shared (never 0 there) */
  uint8_t *host[EMU_LANES];
  emu_allocation *allocation[EMU_LANES]; /* of PTX_GLOBAL; NULL else */
} emu_access;

typedef enum emu_sync_kind {
  EMU_SYNC_BARRIER_ARRIVE, /* bar/barrier: lanes arrive (`id`, `count` threads expected) */
  EMU_SYNC_BARRIER_PASS,   /* … were let through; arrive and pass come in this order */
  EMU_SYNC_CLUSTER_ARRIVE, /* barrier.cluster */
  EMU_SYNC_CLUSTER_PASS,
  EMU_SYNC_WARP,  /* bar.warp.sync, and every other .sync instruction: `mask` came together */
  EMU_SYNC_FENCE, /* membar, fence, fence.proxy: order and scope of the instruction */
  EMU_SYNC_EXIT,  /* lanes have ended */
} emu_sync_kind;

typedef struct emu_sync {
  const ptx_insn *insn; /* NULL for EXIT by a fault */
  uint8_t kind;         /* emu_sync_kind */
  uint32_t lanes;
  uint32_t id, count;
} emu_sync;

typedef struct emu_warp emu_warp;
typedef struct emu_block emu_block;
typedef struct emu_cluster emu_cluster;
typedef struct emu_grid emu_grid;

typedef enum emu_fault_kind {
  EMU_FAULT_TRAP,      /* trap, __assertfail */
  EMU_FAULT_BOUNDS,    /* outside of every allocation, of shared, local, param memory */
  EMU_FAULT_FREED,     /* in memory that was freed */
  EMU_FAULT_ALIGN,     /* not a multiple of the size */
  EMU_FAULT_READ_ONLY, /* a store to .const or to parameters */
  EMU_FAULT_BARRIER,   /* a barrier that cannot be passed, is misused, or diverges */
  EMU_FAULT_DEADLOCK,  /* nobody can go on */
  EMU_FAULT_CALL,      /* a call of what is no function, too deep */
  EMU_FAULT_ILLEGAL,   /* an operand that has no meaning (descriptors, sizes) */
  EMU_FAULT_MEMORY,    /* the host has no more memory */
} emu_fault_kind;

/* What made a launch end. `lane` is -1 when it is about the whole warp; `warp` NULL about no warp.
 */
typedef struct emu_fault {
  uint8_t kind; /* emu_fault_kind */
  const ptx_insn *insn;
  const ptx_function *function;
  uint32_t block[3], thread[3];
  int warp, lane;
  uint64_t address;
  bool has_address;
  char message[512];
} emu_fault;

/* Who looks at a launch. Any function may be NULL. They are called by the host thread that executes
 * the block; for different clusters at the same time unless `serial`. `user` is the watcher's; what
 * it keeps per block, warp it may hang on emu_block.watched, emu_warp.watched. */
typedef struct emu_watcher {
  void *user;
  bool serial; /* execute on one host thread */
  bool local;  /* keep account of which bytes of local memory were written (local.h) */
  void (*launch_begin)(void *user, emu_grid *g);
  void (*launch_end)(void *user, emu_grid *g);
  void (*block_begin)(void *user, emu_block *b);
  void (*block_end)(void *user, emu_block *b);
  /* Once per instruction executed, before its effects; `lanes` are those whose guard holds (it may
   * be 0), `active` those that came here. */
  void (*executed)(void *user, emu_warp *w, const ptx_insn *i, uint32_t lanes, uint32_t active);
  /* Before the effects, when all addresses have been found to be good. */
  void (*access)(void *user, emu_warp *w, const emu_access *a);
  void (*sync)(void *user, emu_warp *w, const emu_sync *s);
  /* A thread has got memory from malloc, whose bytes have no defined value yet. */
  void (*allocated)(void *user, emu_warp *w, uint64_t address, uint64_t bytes);
  /* An access or instruction that ends the launch. True: it was taken note of; then bad accesses
   * are left out (reads give 0) and the launch goes on. */
  bool (*fault)(void *user, emu_warp *w, const emu_fault *f);
  const struct emu_async_watch *async; /* asynchronous operations (async.h); NULL: nobody */
} emu_watcher;

/* ---- the state of what runs ----------------------------------------------------------------- */

/* How a handler wants its split to go on. */
typedef enum emu_step {
  EMU_NEXT,   /* with the next instruction */
  EMU_JUMPED, /* the handler has set split->pc, or made new splits */
  EMU_YIELD,  /* with the next, but let other warps have a turn first (a wait that gave up) */
  EMU_WAIT,   /* with this instruction again, when another warp or block has made progress */
  EMU_EXITED, /* no lanes of the split are left here (they ended, or wait in another split) */
} emu_step;

/* An activation of a function, by the lanes that called it together. */
typedef struct emu_frame {
  struct emu_frame *parent, *next_free;
  const ptx_function *function;
  uint32_t return_pc; /* index in the parent's function */
  uint32_t lanes;     /* that have not returned yet */
  uint32_t depth;
  uint32_t local_base;  /* address of its .local variables in every thread's local space */
  const ptx_insn *call; /* NULL for the entry */
  uint8_t *registers;   /* rows */
  uint8_t *local;       /* [lane][local_bytes] */
  uint8_t *written;     /* likewise, 1 for bytes that were written; NULL: nobody wants to know */
  uint32_t local_bytes;
  uint32_t stack_top[EMU_LANES]; /* of the threads' stacks when it was entered */
  uint8_t *call_area;            /* [lane][function->call_bytes] */
  size_t bytes;                  /* of this allocation */
} emu_frame;

/* Lanes of a warp that are at the same instruction of the same frame. */
typedef struct emu_split {
  uint32_t lanes;
  uint32_t pc; /* of the next instruction, index in frame->function */
  emu_frame *frame;
  uint8_t waits;   /* emu_wait_kind */
  uint8_t barrier; /* … at which barrier */
  uint32_t mask;   /* … for which lanes, of .sync */
  uint32_t carry;  /* condition code CC.CF by lane */
} emu_split;

typedef enum emu_wait_kind {
  EMU_READY,
  EMU_WAIT_LANES,   /* a .sync instruction: for other lanes of `mask` */
  EMU_WAIT_BARRIER, /* let through by whoever completes the barrier */
  EMU_WAIT_RETRY,   /* executes the instruction again at its next turn */
} emu_wait_kind;

/* The stacks of alloca; see local.h. */
typedef struct emu_stack {
  uint8_t *host, *written; /* [lane][bytes]; `written` NULL: nobody wants to know */
  uint32_t bytes;          /* for each thread */
  uint32_t top[EMU_LANES]; /* in use */
} emu_stack;

struct emu_warp {
  emu_block *block;
  uint32_t index;           /* in its block */
  uint32_t lanes;           /* that exist and have not ended */
  uint32_t existing;        /* that exist: the last warp may be partial */
  uint8_t *bank[PTX_BANKS]; /* by PTX_BANK_*: FRAME is that of the split that executes */
  uint8_t *specials;
  emu_split *split;                /* that executes */
  emu_split splits[EMU_LANES + 1]; /* those without lanes are dropped when others are chosen */
  uint32_t n_splits;
  const ptx_insn *meeting; /* that lanes execute together at different places (meet.c); or NULL */
  uint64_t steps;          /* instructions executed */
  uint64_t clock;          /* how often a clock was read */
  uint32_t turn;           /* counts slices, for fairness among splits */
  uint32_t cluster_phase[EMU_LANES]; /* of barrier.cluster when the lane arrived */
  uint32_t cluster_arrived;          /* lanes that have arrived and not waited yet */
  emu_allocation *recent;            /* where the last access to device memory lay */
  emu_frame *free_frames;
  emu_stack stack;
  void *watched; /* the watcher's */
  void *async;   /* pending asynchronous operations (async.h) */
};

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
  uint32_t reserved_at;  /* where EMU_RESERVED_SHARED more begin, for cooperative groups; 0: none */
  emu_barrier barriers[EMU_BARRIERS];
  emu_warp *warps;
  void *watched; /* the watcher's */
  void *async;   /* asynchronous operations: mbarriers, bulk copies under way (async.h) */
};

struct emu_cluster {
  emu_grid *grid;
  emu_cluster *next; /* in the queue */
  uint32_t n_blocks;
  uint32_t arrived, ended, threads; /* of barrier.cluster, in threads */
  uint32_t phase;                   /* how often all have arrived */
  uint64_t linear;                  /* in the grid */
  uint64_t slice;                   /* instructions of its next turn */
  uint64_t random;                  /* state of the schedule's generator */
  emu_block *blocks;
};

/* When asynchronous operations complete; see async.h. */
typedef enum emu_async_mode { EMU_ASYNC_EAGER, EMU_ASYNC_LATE, EMU_ASYNC_RANDOM } emu_async_mode;

typedef enum emu_schedule { EMU_RR, EMU_RANDOM, EMU_ADVERSARIAL } emu_schedule;

typedef struct emu_launch_options {
  uint32_t grid[3], block[3];
  uint32_t cluster[3]; /* zeroes: what the entry says, else 1 */
  uint32_t dynamic_shared;
  bool cooperative;   /* all blocks are resident at once */
  const void *params; /* the entry's parameters, laid out as ptx_param.offset says */
  emu_schedule schedule;
  emu_async_mode async;
  uint64_t seed;
  unsigned threads;           /* host threads; 0: one per core */
  uint64_t max_steps;         /* warp instructions after which the launch fails; 0: no limit */
  const emu_watcher *watcher; /* NULL: nobody looks */
  /* What vprintf writes; NULL: standard output. One call at a time. */
  void (*on_output)(void *user, const char *text, size_t length);
  void *output_user;
  /* Runs `work` on up to `threads` threads at once, returns when all have ended; NULL: threads of
   * its own. */
  void (*parallel)(void *user, unsigned threads, void (*work)(void *), void *argument);
  void *parallel_user;
} emu_launch_options;

struct emu_grid {
  const emu_image *image;
  emu_device *device;
  const ptx_function *entry;
  emu_launch_options o;
  uint64_t id;        /* %gridid */
  uint8_t *params;    /* padded to 16 bytes */
  uint64_t workspace; /* device memory for the grid's barrier, of cooperative launches; else 0 */
  uint64_t n_blocks, n_clusters;
  _Atomic uint64_t steps, thread_steps;
  _Atomic int stop; /* a fault: no more instructions are executed */
  pthread_mutex_t lock;
  emu_fault fault; /* the first */
  bool failed;
  void *watched; /* the watcher's */
};

/* Runs a grid to its end. Reports what went wrong through the module's context.
 *   TSR_ERROR_USAGE  wrong dimensions, too much shared memory …: nothing has run
 *   TSR_ERROR_TRAP   a fault
 *   TSR_ERROR_MEMORY
 * `fault`, if not NULL, gets what happened; then a fault isn't reported. */
tsr_status emu_run(const emu_image *image, const ptx_function *entry, const emu_launch_options *o,
                   emu_fault *fault);

/* ---- for handlers --------------------------------------------------------------------------- */

typedef emu_step (*emu_handler)(emu_warp *w, const ptx_insn *i, uint32_t lanes);
typedef enum emu_handler_id {
  EMU_H_NONE,
#define H(name) EMU_H_##name,
#include "emu/ptx/emu_handlers.def"
#undef H
  EMU_HANDLER_COUNT
} emu_handler_id;
#define H(name) emu_step emu_op_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes);
#include "emu/ptx/emu_handlers.def"
#undef H
extern const emu_handler emu_handlers[EMU_HANDLER_COUNT];

/* The row of an operand: 32 elements of operand.bytes, or one word of bits for a predicate. */
static inline void *emu_row(const emu_warp *w, ptx_row row) {
  return w->bank[PTX_ROW_BANK(row)] + PTX_ROW_OFFSET(row);
}
/* One lane's value of a ROW operand, zero-extended from the register's bytes. */
static inline uint64_t emu_get(const emu_warp *w, const ptx_operand *o, unsigned lane) {
  const uint8_t *row = emu_row(w, o->row);
  if (o->bytes == 4) return ((const uint32_t *)row)[lane];
  if (o->bytes == 8) return ((const uint64_t *)row)[lane];
  if (o->bytes == 16) return ((const uint64_t *)row)[2 * lane];
  return (*(const uint32_t *)row >> lane & 1) ^ o->negated;
}
/* The bits of a predicate operand, negated if it says so. */
static inline uint32_t emu_get_pred(const emu_warp *w, const ptx_operand *o) {
  uint32_t bits = *(const uint32_t *)emu_row(w, o->row);
  return o->negated ? ~bits : bits;
}
/* Sets one lane of a destination (ROW or SINK). `value` must be zero above the type's bits. */
static inline void emu_set(emu_warp *w, const ptx_operand *o, unsigned lane, uint64_t value) {
  if (o->kind != PTX_OPERAND_ROW) return;
  uint8_t *row = emu_row(w, o->row);
  if (o->bytes == 4)
    ((uint32_t *)row)[lane] = (uint32_t)value;
  else if (o->bytes == 8)
    ((uint64_t *)row)[lane] = value;
  else if (o->bytes == 16)
    ((uint64_t *)row)[2 * lane] = value, ((uint64_t *)row)[2 * lane + 1] = 0;
  else
    *(uint32_t *)row = (*(uint32_t *)row & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
}
static inline void emu_set_pred(emu_warp *w, const ptx_operand *o, uint32_t lanes, uint32_t bits) {
  if (o->kind != PTX_OPERAND_ROW) return;
  uint32_t *row = emu_row(w, o->row);
  *row = (*row & ~lanes) | (bits & lanes);
}
#define EMU_FOR_LANES(l, lanes)                                                                    \
  for (uint32_t rest_##l = (lanes), l; rest_##l && (l = (uint32_t)__builtin_ctz(rest_##l), true);  \
       rest_##l &= rest_##l - 1)

/* The one way to memory. Fills `a` for the lanes' addresses given by an ADDRESS operand in `space`
 * (possibly PTX_GENERIC), finds where they lie, checks bounds, alignment (to `align`) and rights,
 * and tells the watcher. False after a fault: then no lane's effect may happen. Lanes whose fault
 * the watcher took note of are no longer in a->lanes, so handlers loop over those. The operand `o`
 * may be NULL when a->address is filled already (generic or of `space`). Generic addresses of one
 * instruction may lie in several spaces: then the watcher is told once for each. */
bool emu_access_begin(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *o,
                      ptx_space space, uint32_t bytes, uint32_t align, emu_access_kind kind,
                      emu_access *a);
/* Reads or writes `bytes` of device, shared … memory for one agent that is no warp (asynchronous
 * operations): where they lie, or NULL after a fault. */
uint8_t *emu_reach(emu_block *b, ptx_space space, uint64_t address, uint64_t bytes, bool write);

/* Ends the launch because of what lane `lane` (-1: all) did; false, so that handlers can return it.
 * True when the watcher took note of it and wants to go on. */
bool emu_fail(emu_warp *w, const ptx_insn *i, int lane, emu_fault_kind kind, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
bool emu_fail_address(emu_warp *w, const ptx_insn *i, int lane, emu_fault_kind kind,
                      uint64_t address, const char *fmt, ...) PRINTF_LIKE(6, 7);

/* For .sync instructions: brings together the lanes of each mask (`mask` is an operand with each
 * lane's; NULL: `value` for all). Returns the lanes that may execute now: those whose mask's lanes
 * are all here (or have ended). They may be more than `lanes`, because lanes that waited here have
 * joined the split; those that are still missed by others wait in a split of their own. When it
 * returns 0 the handler returns emu_none_left(w). A lane that is not in its own mask is a fault.
 * Lanes of a mask that stand at different instructions of the same words execute theirs together
 * (meet.c); they are none of those returned. */
uint32_t emu_sync_lanes(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *mask,
                        uint32_t value);
static inline emu_step emu_none_left(const emu_warp *w) {
  return w->split->lanes ? EMU_NEXT : EMU_EXITED;
}

/* Tells whoever looks. */
void emu_tell_sync(emu_warp *w, const ptx_insn *i, emu_sync_kind kind, uint32_t lanes, uint32_t id,
                   uint32_t count);

/* Threads of a warp: its linear number in the block; its %tid. */
static inline uint32_t emu_thread(const emu_warp *w, unsigned lane) {
  return w->index * EMU_LANES + lane;
}

/* The bytes at emu_block.shared. */
static inline uint32_t emu_shared_size(const emu_block *b) {
  return b->reserved_at ? b->reserved_at + EMU_RESERVED_SHARED : b->shared_bytes;
}

/* The block of the cluster that a .shared address means, NULL when there is no such block. */
emu_block *emu_shared_block(emu_block *b, uint64_t address);

#endif
