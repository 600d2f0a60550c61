/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inside the sanitizer:
 *
 *   sanitize.c   what is looked at before and after each operation
 *   memory.c     what memory there is, and to which a pointer belongs
 *   access.c     loads, stores, atomics: bounds, init
 *   race.c       their order
 *   clocks.c     block level: what each thread has seen of what the others did
 *   threads.c    block level: bytes that threads share, who touched them last
 *   sync.c       block level: barriers, phases of mbarriers
 *   cluster.c    block level: tile blocks that reach each other's shared memory
 *   shared.c     block level: shared memory, copies, barriers
 *   registers.c  block level: registers of asynchronous products
 *   values.c     assume, arith, the indices of slices
 *   undefined.c  elements that a load left out: init
 *   report.c     findings
 *   compiled.c   the checks of compiled code
 */
#ifndef TSR_INTERP_SANITIZE_INTERNAL_H
#define TSR_INTERP_SANITIZE_INTERNAL_H

#include <tessera/layout.h>

#include "interp/internal.h"
#include "interp/sanitize/clocks.h"
#include "interp/sanitize/events.h"
#include "interp/sanitize/sanitize.h"
#include "interp/sanitize/shadow.h"
#include "ir/roots.h"

enum { SAN_KINDS = 6 }; /* of tsr_sanitize, by the number of their bit */
enum { SAN_PAGE = 4096 };

/* Memory that a kernel may use. */
typedef struct san_memory {
  const char *name;    /* "%x", "argument 2", "global @lock" */
  uint64_t start, end; /* units */
  tsr_elem elem;       /* as it was declared */
  bool bounded;        /* `end` is known */
  bool constant;       /* must not be written */
  size_t elements;     /* of an alloca */
} san_memory;

/* What was found at an instruction. */
typedef struct san_site {
  struct {
    uint64_t count;
    int32_t last[3]; /* tile block */
    uint32_t last_rank;
  } found[SAN_KINDS];
} san_site;

struct sanitizer {
  interp_watcher watcher; /* first */
  sanitizer_options options;
  arena *arena;
  interp_program *program;
  frame *frame;
  uint64_t block; /* its position in the grid; of several ranks one after the other */
  uint64_t rank_blocks;
  uint32_t rank, n_ranks;
  uint64_t blocks; /* that were begun */
  bool stopped;
  bool broken_off;  /* the launch failed: that nothing was found says nothing */
  bool events_lost; /* there were too many */
  bool compiled;    /* its code checks by itself: compiled.c */
  bool products;    /* the kernel has asynchronous ones */
  map starts;       /* for compiled code: ir_op * -> its first instruction */
  char *room;       /* likewise: a frame; NULL until it is needed */

  san_memory *memory; /* what the first rank has, what the second has, … */
  uint32_t n_memory, rank_memory;
  ir_roots roots;
  san_site *sites; /* by the instruction's index */

  shadow shadow;
  events events;
  map releases; /* unit -> 1 + index into `released` */
  VEC(struct san_release) released;
  VEC(struct san_undefined *) undefined; /* of tile blocks that have elements without a value */
  VEC(struct san_group *) groups;        /* of tile blocks of the block level */
  map owners;                            /* tsr_layout * -> san_owners * */
  event asked; /* the last question: is it ordered before the event under way? */
  bool answer;

  uint64_t mapped[256]; /* pages that are known to be mapped; see access.c */

  /* Of the access under way, reused by the next. */
  uint64_t *units, *saved;
  size_t units_room, saved_room;
};

/* Who released a place in memory, so that an acquire there follows them. */
typedef struct san_release {
  uint64_t unit;
  VEC(event) by;
} san_release;

/* ---- memory.c ------------------------------------------------------------------------------- */

void san_find_memory(sanitizer *s, const sanitizer_rank *ranks, uint32_t n_ranks);
/* A tile block of the rank that `b` is of. */
static inline uint64_t san_position(const rt_block *b, const int32_t id[3]) {
  uint64_t x = (uint32_t)b->grid[0], y = (uint32_t)b->grid[1], z = (uint32_t)b->grid[2];
  return ((b->rank * z + (uint32_t)id[2]) * y + (uint32_t)id[1]) * x + (uint32_t)id[0];
}
/* What a root stands for in the tile block under way. */
static inline san_memory *san_root_memory(sanitizer *s, ir_root root) {
  return &s->memory[s->rank * s->rank_memory + (root - IR_ROOT_FIRST)];
}
/* A fresh allocation by an alloca that was just executed. */
void san_note_alloca(sanitizer *s, frame *f, const inst *i);
/* The memory that has all of these units; NULL. */
san_memory *san_memory_at(sanitizer *s, uint64_t unit, unsigned units);
/* "element 259 of %x, which has 256 of f32" */
void san_place_text(const san_memory *m, uint64_t unit, unsigned units, char *out, size_t size);

/* ---- access.c, race.c, values.c ------------------------------------------------------------- */

typedef struct san_access {
  const inst *i;
  const char *verb; /* "reads" */
  const ir_type *tile;
  unsigned bits, units; /* of an element */
  int64_t n;            /* elements */
  bool reads, writes, is_view;
  bool is_window; /* block level: a tile at an offset of a tensor view */
  int64_t ordering, scope;
  uint64_t *at; /* where each element lies; UNIT_NONE: it is not accessed */
} san_access;

/* Checks and executes a load, a store or an atomic. */
void san_run_access(sanitizer *s, frame *f, const inst *i);
/* Only checks its bounds. Says whether there is something wrong. */
bool san_check_access(sanitizer *s, frame *f, const inst *i);

bool san_is_access(op_code opcode);
/* After its execution. */
void san_check_race(sanitizer *s, frame *f, const san_access *a);
/* An access of no tile in particular, as the other side of a finding; 0 when there are too many. */
event san_note_event(sanitizer *s, uint32_t site);
/* These units are fresh memory: what was released there counts no more. */
void san_forget_releases(sanitizer *s, uint64_t unit, uint64_t units);
/* Gives the tokens that an operation makes what they stand for. */
void san_pass_token(sanitizer *s, frame *f, const inst *i);

bool san_check_slice(sanitizer *s, frame *f, const inst *i); /* extract, insert */
bool san_check_assume(sanitizer *s, frame *f, const inst *i);
void san_check_arith(sanitizer *s, frame *f, const inst *i);
void san_check_step(sanitizer *s, frame *f, const inst *i);

/* ---- block level: threads.c, shared.c ---------------------------------------------------------
 */

/* What is known of a byte that threads of a block share. Times are those of the block's clocks. */
typedef struct san_byte {
  uint8_t state;  /* san_byte_state */
  bool by_engine; /* a copy engine wrote it last */
  bool atomic;    /* the last writes were atomic updates */
  /* Who did: a thread; behind the threads an mbarrier, at which the copy completes; SAN_NOBODY. */
  uint16_t writer;
  uint16_t issuer; /* the thread that wrote it or began the copy */
  uint32_t write_time, write_site;
  /* Another thread that has updated it as atomically, which the last one had not seen;
   * SAN_NOBODY. */
  uint16_t also;
  uint32_t also_time, also_site;
  /* Before the atomic updates: what all of them must have seen. */
  uint16_t plain;
  uint32_t plain_time, plain_site;
  uint8_t queue;  /* arriving: the op_queue and … */
  uint32_t set;   /* … the set of copies of its writer that it belongs to */
  uint32_t reads; /* since it was written: 1 + index into san_group.reads; 0: none */
} san_byte;
typedef enum san_byte_state { SAN_UNWRITTEN, SAN_VALID, SAN_ARRIVING } san_byte_state;
enum { SAN_NOBODY = 0xffff, SAN_MANY = 0xfffe };

/* Some threads of a group that have read a byte, the last of them at that time; or an engine that
 * still reads it, for the first of them. */
typedef struct san_read {
  uint32_t next; /* as san_byte.reads */
  uint32_t time, site;
  uint16_t first, last;
  uint8_t queue; /* op_queue of the engine */
  uint32_t set;  /* likewise: of what this waits for */
  uint32_t by;   /* which group: its first thread and their number */
} san_read;

typedef struct san_storage {
  uint64_t base;
  size_t n_cells; /* of an element of fewer than 8 bits one, of others one for each byte */
  san_byte *cells;
  const inst *made;
  bool freed;
} san_storage;

/* What those release who arrive for the phase under way, and what those have who did for the last.
 */
typedef struct san_meeting {
  san_clock *arrived, *done;
  event came, seen; /* the same of their accesses, between the tile blocks of a cluster */
} san_meeting;

enum { SAN_CLUSTER = 8 };

/* What a thread did. */
typedef struct san_use {
  int32_t thread;
  uint32_t time; /* 0: nothing */
  uint32_t site;
} san_use;

/* A barrier in shared memory. */
typedef struct san_mbarrier {
  uint64_t address;
  int32_t doer; /* its entry in clocks */
  bool initialised;
  int32_t init_thread;
  uint32_t init_time, init_site;
  san_use remote[SAN_CLUSTER]; /* the last ones by other tile blocks, by their ranks */
  san_meeting phase;
} san_mbarrier;

enum { SAN_QUEUES = QUEUE_WGMMA + 1 };

/* The threads of a running tile block, or of all of its cluster: those of rank r are the threads
 * from r times those of a tile block on. */
typedef struct san_group {
  const char *memory; /* of its frame, that of rank 0 */
  uint32_t ranks;
  int32_t of_block;    /* threads */
  int32_t first_start; /* of rank 0: the entry of its beginning in clocks */
  bool ended[SAN_CLUSTER];
  san_meeting cluster;                                      /* the barrier of the cluster … */
  uint32_t come, waits[SAN_CLUSTER], arrivals[SAN_CLUSTER]; /* … and who is there */
  san_clocks clocks;
  uint32_t *closed[SAN_QUEUES]; /* sets of each thread; the open one has this number */
  bool *registers_shown;        /* of each thread: a wgmma_fence came since its last wait … */
  uint32_t *fences;             /* … and how many it has passed */
  map fences_before;            /* rank and slot of a tile -> how many when it was computed */
  /* By rank: accesses of the block level follow each other in program order; and those that the
   * threads have seen of each other, at a barrier or a wait. */
  event last[SAN_CLUSTER], gathered[SAN_CLUSTER];
  VEC(san_storage) storage;
  VEC(san_mbarrier) mbarriers;
  san_meeting named[SAN_CLUSTER][16]; /* named barriers */
  VEC(san_read) reads;
  uint32_t unused_reads;
  map global; /* address / SAN_CHUNK -> san_byte[SAN_CHUNK] */
} san_group;
enum { SAN_CHUNK = 64 };

/* Which threads hold each element of a tile: `copies` for each, the first of which stores it. */
typedef struct san_owners {
  int64_t copies;
  const int32_t *thread;
} san_owners;

/* What is wrong with an access to a byte. */
typedef enum san_verdict {
  SAN_FINE,
  SAN_NEVER_WRITTEN,
  SAN_STILL_COPIED,   /* by a cp_async that was not waited for */
  SAN_STILL_ARRIVING, /* by a copy whose mbarrier was not waited for */
  SAN_STILL_READ,     /* by an engine that was not waited for */
  SAN_NOT_SHOWN,      /* to the async proxy, by which the access is */
  SAN_WRITTEN_BY_OTHER,
  SAN_READ_BY_OTHER
} san_verdict;

/* An access of a thread to a byte. */
typedef struct san_touch {
  int32_t thread;
  uint32_t by; /* its group, as in san_read */
  uint32_t site;
  bool writes;
  bool by_engine; /* which the thread asked to do it: by the async proxy */
  bool deferred;  /* it completes at an mbarrier … */
  int32_t doer;   /* … which is this */
  uint8_t queue;  /* likewise: the op_queue whose wait it completes before */
  bool atomic;    /* a write that also reads, in one step; among others like it in any order */
} san_touch;

san_group *san_group_of(sanitizer *s, const frame *f);
void san_begin_group(sanitizer *s, const frame *f);
const san_owners *san_owners_of(sanitizer *s, const tsr_layout *layout);
/* Notes the access. Where it is at fault, the thread of the other one (SAN_MANY) and its place. */
san_verdict san_touch_byte(sanitizer *s, san_group *g, san_byte *b, const san_touch *t,
                           int32_t *other, uint32_t *other_site);
/* Somebody who has touched it, and whose access the thread has not seen; false: nobody. */
bool san_unseen(const san_group *g, const san_byte *b, int32_t thread, bool *read, int32_t *other,
                uint32_t *site);
/* What is known of a byte of global memory. */
san_byte *san_global_byte(sanitizer *s, san_group *g, uint64_t address);
/* Of the frame's first thread, in the group. */
static inline int32_t san_first(const san_group *g, const frame *f) {
  return (int32_t)f->rank * g->of_block + f->first;
}
static inline uint32_t san_group_id(const san_group *g, const frame *f) {
  return (uint32_t)san_first(g, f) << 16 | (uint32_t)f->count;
}

/* Checks and executes an operation of the block level. */
void san_run_block_level(sanitizer *s, frame *f, const inst *i);
/* The kernel returns: no copy may be on its way. */
void san_check_return(sanitizer *s, frame *f, const inst *i);

/* ---- block level: registers.c ---------------------------------------------------------------- */

bool san_has_products(ir_op *entry);
/* The frame's threads execute wgmma_fence. */
void san_pass_fence(sanitizer *s, const frame *f);
/* An instruction was executed: its results are registers that no fence has come behind. */
void san_note_registers(sanitizer *s, const frame *f, const inst *i);
/* Whether an operand is no tile, or one with a fence behind what computed it. */
bool san_has_passed_fence(sanitizer *s, const frame *f, const inst *i, uint32_t operand);

/* ---- block level: sync.c --------------------------------------------------------------------- */

/* The barrier at which a copy of tensors completes; checks its use. */
san_mbarrier *san_mbarrier_of(sanitizer *s, frame *f, const inst *i);
/* The copy has brought its bytes; `phase` was under way before. */
void san_end_copy(sanitizer *s, frame *f, const inst *i, uint32_t phase);
/* Checks and executes barriers and waits; false for another operation. */
bool san_run_sync(sanitizer *s, frame *f, const inst *i);
void san_check_phases(sanitizer *s, frame *f);
/* All have come to a barrier. */
void san_end_meeting(san_group *g, san_meeting *m);
/* Accesses of the tile block so far come before what those do who have waited for the meeting. */
void san_come_to(sanitizer *s, const frame *f, const inst *i, san_group *g, san_meeting *m);
void san_leave(sanitizer *s, const frame *f, const inst *i, san_group *g, const san_meeting *m);

/* ---- block level: cluster.c ------------------------------------------------------------------ */

/* The tile block that a thread is of. */
static inline uint32_t san_rank_of(const san_group *g, int32_t thread) {
  return (uint32_t)(thread / g->of_block);
}
/* "thread 5", and of another tile block than the frame's "thread 5 of tile block (1, 0, 0)" */
void san_thread_text(const sanitizer *s, const san_group *g, const frame *f, int32_t thread,
                     char *out, size_t size);
/* An access of a thread, as the other side of a finding. */
event san_note_thread(sanitizer *s, const san_group *g, const frame *f, int32_t thread,
                      uint32_t site);
/* Whether the tile block whose memory is at `address` is there: it has begun, as these threads
 * know, and not ended. Else it is reported. */
bool san_check_there(sanitizer *s, frame *f, const inst *i, uint64_t address);
/* Checks and executes operations of clusters; false for another. */
bool san_run_cluster(sanitizer *s, frame *f, const inst *i);
/* A tile block begins, and ends. */
void san_begin_block(san_group *g, const frame *f);
void san_end_block(sanitizer *s, frame *f, const inst *i);

/* ---- undefined.c ---------------------------------------------------------------------------- */

/* Before and after an instruction that is no access; of accesses with where the elements lie. */
void san_check_undefined(sanitizer *s, frame *f, const inst *i);
void san_enter_undefined(sanitizer *s, frame *f, const inst *i);
void san_pass_undefined(sanitizer *s, frame *f, const inst *i);
void san_check_undefined_access(sanitizer *s, frame *f, const inst *i, const uint64_t *at);
void san_note_undefined_load(sanitizer *s, frame *f, const inst *i, const uint64_t *at);
/* A tile block begins in this frame. */
void san_forget_undefined(sanitizer *s, const frame *f);

/* ---- report.c ------------------------------------------------------------------------------- */

typedef struct san_finding {
  tsr_sanitize check;
  const inst *i;
  const ir_type *tile; /* that `element` counts in; NULL: it is about no element */
  int64_t element;
  uint64_t more;            /* elements of the same tile with the same fault */
  const san_memory *memory; /* NULL */
  uint64_t unit;            /* 0: none */
  event other;              /* race: the other access; 0 */
  bool by_thread;           /* block level: the thread at fault, and that of the other access */
  int32_t thread, other_thread;
  char message[320], detail[320];
} san_finding;

/* Counts `count` findings; true when they are the first at this instruction, and so to be
 * reported by san_report. */
bool san_count(sanitizer *s, const inst *i, tsr_sanitize check, uint64_t count);
void san_report(sanitizer *s, const san_finding *finding);
/* Reports what the first of the frame's threads does against the rules of synchronisation. */
void san_report_sync(sanitizer *s, const frame *f, const inst *i, const char *message);
/* "[3, 0]" */
void san_index_text(const ir_type *t, int64_t element, char *out, size_t size);
/* A number as its type reads it: integers signed. */
void san_value_text(tsr_elem elem, uint64_t pattern, char *out, size_t size);

static inline bool san_checks(const sanitizer *s, tsr_sanitize check) {
  return s->options.checks & check;
}
static inline const char *san_op_name(const inst *i) {
  return ir_row(i->op)->name;
}
static inline uint32_t san_site_of(const sanitizer *s, const inst *i) {
  return (uint32_t)(i - s->program->code);
}
/* Half bytes of an element in memory. */
static inline unsigned san_units(tsr_elem elem) {
  unsigned bits = tsr_elem_bits(elem);
  return bits == 4 ? 1 : MAX(bits, 8u) / 4;
}

#endif
