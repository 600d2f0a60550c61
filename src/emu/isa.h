/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * emu/isa.h: an instruction set, as functions that the machine, the checks and the counters call.
 * The folders below emu/ fill the table and hand it in with each program (emu_program.isa), so that
 * what is neutral includes nothing of theirs. All functions are there; those of which it is said
 * that they may be NULL do nothing then.
 */
#ifndef TSR_EMU_ISA_H
#define TSR_EMU_ISA_H

#include "emu/memory.h"
#include "emu/schedule.h"

enum { EMU_MAX_STORED = 64 /* bytes of a lane in one store */ };

/* What watchers must know of an instruction's accesses. */
typedef enum emu_trait {
  EMU_IS_STORE = 1 << 0,    /* of one value for each lane, which emu_isa.stored gives */
  EMU_IS_ASYNC = 1 << 1,    /* its accesses are also told as those of an asynchronous operation */
  EMU_IS_BULK = 1 << 2,     /* ... and are counted there */
  EMU_IS_MBARRIER = 1 << 3, /* atomic, but what it orders is told as an event of an mbarrier */
  EMU_IS_LOOK = 1 << 4,     /* atomic, but lanes that want the same word are served at once */
  EMU_MEETS_ANYWHERE = 1 << 5, /* a barrier that threads may meet at different instructions */
} emu_trait;

/* Arithmetic: floating-point operations of a lane, and of the matrix unit for all of the warp. */
typedef struct emu_work {
  uint64_t flops, matrix;
} emu_work;

/* What an instruction that accesses memory says of it. */
typedef struct emu_described {
  uint8_t space;  /* emu_space */
  uint32_t bytes; /* of a lane; 0: unknown */
  bool has_value;
  uint64_t value; /* that a store would have written */
} emu_described;

/* Where an instruction comes from, in the source that it was compiled from. */
typedef struct emu_source {
  const char *file;
  uint32_t line, column;
  const char *outer_file; /* of the kernel, where it was inlined from another function; or NULL */
  uint32_t outer_line;
} emu_source;

/* What is wrong, and what would mend it. */
typedef struct emu_problem {
  const char *message, *hint;
} emu_problem;

/* Names of the instruction set's own in messages. */
typedef struct emu_words {
  const char *language; /* "PTX": of lines of the program's text */
  const char *line_key; /* "ptx_line": the same in JSON */
  const char *required_block, *max_block, *required_cluster; /* directives of an entry */
  const char *no_clusters;                                   /* "clusters need sm_90" */
  const char *constant, *own_shared; /* spaces: constants; the block's own shared memory */
  const char *cluster_barrier, *cluster_arrive, *cluster_wait;
  const char *const *waits;               /* by agent (async.h): what waits for such an operation */
  const char *missing_proxy, *proxy_hint; /* a write that the asynchronous proxy may not see yet */
  /* What would order two lanes of a warp, threads of a block, blocks of a cluster, any blocks. */
  const char *order_warp, *order_block, *order_cluster, *order_grid;
  const char *barrier_again; /* what must come before a second arrival at a barrier */
  const char *barrier_place; /* where a barrier for all threads of a block belongs */
  const char *shuffle_hint;  /* how no value is taken from a lane that isn't there */
  const emu_problem *phases; /* by phases_problem */
} emu_words;

typedef struct emu_isa {
  const emu_words *words;
  uint32_t max_grid[3], max_block[3]; /* blocks of a grid, threads of a block, by dimension */

  /* ---- launches */
  /* Before the first block of a launch; false: no memory. After the last. May be NULL. */
  bool (*begin_grid)(emu_grid *g);
  void (*end_grid)(emu_grid *g);

  /* ---- warps */
  /* Memory of a warp (emu_warp.bank, emu_warp.own) for the blocks that it executes one after the
   * other; false: none. It is destroyed also when creating failed. */
  bool (*create_warp)(emu_warp *w);
  void (*destroy_warp)(emu_warp *w);
  /* A block begins: gives the first split, of all lanes, its place (pc, frame). False after a
   * fault. */
  bool (*begin_warp)(emu_warp *w, emu_split *first);
  /* Executes the split emu_warp.split until it ends, waits, parts or meets others, or the slice is
   * over; true: it is. */
  bool (*run)(emu_warp *w, emu_slice *p);
  emu_insn (*at)(const emu_split *s); /* where it stands */
  /* The split has been let through a barrier at which it stood, and stands behind it now; `i` is
   * the barrier's instruction. May be NULL. */
  void (*released)(emu_warp *w, emu_split *s, emu_insn i, const emu_barrier *bar);
  /* Lanes of the split that executes have ended. May be NULL. */
  void (*ended)(emu_warp *w, emu_lanes lanes);

  /* ---- memory of the instruction set's own */
  /* Where local memory or parameters lie; NULL after a fault. */
  uint8_t *(*reach_own)(const emu_reached *x, emu_space space, uint64_t address);
  /* For each of the bytes, which are there, whether it was written; NULL: nobody knows. */
  uint8_t *(*local_written)(const emu_warp *w, unsigned lane, uint64_t address, uint32_t bytes);
  /* A lane reads local memory that was not written: true when uses of the value are reported
   * (emu_watcher.undefined). Or it has written there: takes the marks back from bytes whose value
   * is undefined. `written` is what local_written gives. May be NULL. */
  bool (*track_local)(emu_warp *w, const emu_access *a, unsigned lane, uint8_t *written);

  /* ---- asynchronous operations; may be NULL */
  /* Completes what waits for nothing but the last moment, when no thread of the cluster can go on.
   * True when there was something. */
  bool (*progress)(emu_cluster *c);
  /* A cluster has ended: completes what is left and frees everything. */
  void (*end_cluster)(emu_cluster *c);

  /* ---- for messages */
  place (*place_of)(const void *module, emu_insn i);                  /* in the program's text */
  bool (*source_of)(const void *module, emu_insn i, emu_source *out); /* false: it isn't known */
  /* Numbers that are the same for instructions of the same line of the source, else of each alone.
   */
  void (*line_of)(const void *module, emu_insn i, uint64_t out[3]);
  str (*text_of)(const void *module, emu_insn i); /* as written, on one line */
  void (*name_of)(emu_insn i, char *out, size_t size);

  /* ---- for checks and counters */
  unsigned (*traits)(emu_insn i); /* of emu_trait */
  emu_work (*work)(emu_insn i);
  void (*describe)(const emu_warp *w, emu_insn i, int lane, emu_described *out);
  /* The bytes that a lane of an EMU_IS_STORE stores. */
  void (*stored)(const emu_warp *w, emu_insn i, unsigned lane, uint8_t out[EMU_MAX_STORED]);
} emu_isa;

#endif
