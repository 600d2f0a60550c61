/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops/ranks.h: operators over ranks (tessera/op_ranks.h).
 *
 *   ranks.c            making one, and what the ranks agree on; products
 *   ranks_launch.c     what launches share; products
 *   ranks_attention.c  attention
 *
 * Products: each rank's rows are some pieces; a piece is a launch of a plan of its own rows, on
 * tensors that begin at its first row.
 *
 *   all-gather       every rank tells when its rows are there; the others multiply them where they
 *                    lie or, of another machine, when they have come. Own rows first, then the next
 *                    rank's, so that no two ranks read the same memory at a time.
 *   reduce-scatter   products for the next rank first, own rows last: these begin when the others'
 *                    sums have come, and add them as `combine` of the family does, before the
 *                    epilogue.
 *   all-reduce       the same, then every rank writes its rows of c at the others.
 *
 * Symmetric memory has four words of each rank, then a place for what each rank sends. Words count
 * pieces of all launches up to now, so they are never reset.
 */
#ifndef TSR_OPS_RANKS_H
#define TSR_OPS_RANKS_H

#include <tessera/op_ranks.h>

#include "ops/library.h"

enum {
  OPS_RANKS_COMBINED = 3, /* tensors that `combine` takes besides the product */
  OPS_RANKS_ALIGN = 64,
  OPS_RANKS_WORKSPACE = 3, /* of the memory of one rank: that of plans; the others are results */
  OPS_RANKS_SCRATCH,
};

typedef enum ops_ranks_word {
  WORD_READY,       /* pieces of that rank that have come */
  WORD_FREE,        /* launches of this rank's pieces with which that rank is through */
  WORD_RESULT,      /* launches whose rows of c have come from that rank */
  WORD_RESULT_FREE, /* those of this rank that that one has taken */
  WORDS
} ops_ranks_word;

typedef struct ops_ranks_piece {
  int64_t first, rows;
  tsr_op_plan *plan; /* of the result; NULL: the piece is another rank's */
  tsr_op_plan *part; /* of what is sent; NULL: all-gather */
  tsr_op_plan *add;  /* of two parts; NULL: `plan` adds all of them */
  size_t place;      /* in a rank's place, in bytes */
  size_t bytes;
} ops_ranks_piece;

typedef struct ops_ranks_attention ops_ranks_attention;

struct tsr_op_ranks {
  tsr_ranks *ranks;
  tsr_op_library *library;
  tsr_op_ranks_form form;
  arena arena;
  unsigned rank, size, n_pieces; /* of each rank */
  unsigned places;               /* of symmetric memory, for what ranks send */
  int64_t m, keys;               /* rows that are divided; of attention also keys */
  uint64_t problem; /* a hash of what all ranks' problems have alike; 0: other checks see to that */
  ops_operands operands;   /* that the caller gives, with the rows that they have there */
  const char *sums;        /* the type of sums over ranks */
  ops_ranks_piece *pieces; /* by rank */
  ops_ranks_attention *attention;
  size_t place, result; /* bytes of what a rank sends, and of rows of c that go to all */
  size_t workspace;     /* of the plans */
  tsr_symmetric *memory;
  char *scratch[OPS_RANKS_SCRATCH];
  size_t scratch_bytes[OPS_RANKS_SCRATCH];
  uint64_t launches;
  bool shown; /* the caller may write this rank's place between launches */
};

static inline bool ops_ranks_is_attention(const tsr_op_ranks *op) {
  return op->form == TSR_OP_SPLIT_KEYS_ATTENTION || op->form == TSR_OP_RING_ATTENTION;
}

/* ---- ranks.c -------------------------------------------------------------------------------- */

/* The first of `n` rows in part `part` of `parts`; the first parts have one more where that leaves
 * a rest. */
int64_t ops_ranks_first_of(int64_t n, int64_t parts, int64_t part);
/* A parameter of a problem by its name, which the family has. */
const ops_value *ops_ranks_value(const ops_problem *p, const char *name);
void ops_ranks_set_number(ops_problem *p, const char *name, int64_t number);
void ops_ranks_set_text(ops_problem *p, const char *name, const char *text);
/* A plan of the library; the workspace becomes large enough for it. NULL after a message. */
tsr_op_plan *ops_ranks_plan_of_text(tsr_op_ranks *op, const char *text);
tsr_op_plan *ops_ranks_plan_of(tsr_op_ranks *op, const ops_problem *p);
/* Reports; returns false. */
bool ops_ranks_fail(const tsr_op_ranks *op, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Whether a tensor's first row is this rank's first, and not that of the problem. */
bool ops_ranks_is_own(const tsr_op_ranks *op, const char *name);
/* The tensor that a part is combined with, by its number: "d", "d2", "d3". */
const char *ops_ranks_combined(unsigned index);

static inline ops_ranks_piece *ops_ranks_piece_of(const tsr_op_ranks *op, unsigned rank,
                                                  unsigned index) {
  return &op->pieces[rank * op->n_pieces + index];
}

/* Places in a rank's symmetric memory: a word about a rank, what a rank sends, its rows of c. */
static inline size_t ops_ranks_word_at(const tsr_op_ranks *op, ops_ranks_word which,
                                       unsigned rank) {
  return (which * op->size + rank) * sizeof(uint64_t);
}
static inline size_t ops_ranks_aligned(size_t bytes) {
  return (bytes + OPS_RANKS_ALIGN - 1) & ~(size_t)(OPS_RANKS_ALIGN - 1);
}
static inline size_t ops_ranks_place_of(const tsr_op_ranks *op, unsigned from) {
  return ops_ranks_aligned(ops_ranks_word_at(op, WORDS, 0)) + from * op->place;
}
static inline size_t ops_ranks_result_of(const tsr_op_ranks *op, unsigned from) {
  return ops_ranks_place_of(op, op->places) + from * op->result;
}

/* ---- ranks_launch.c ------------------------------------------------------------------------- */

typedef struct ops_ranks_launch {
  tsr_op_ranks *op;
  const tsr_op_argument *args;
  size_t n_args;
  uint64_t number; /* from 1 on */
} ops_ranks_launch;

bool ops_ranks_is_near(const tsr_op_ranks *op, unsigned rank);
/* The symmetric memory of a rank of this machine. */
char *ops_ranks_memory_of(const tsr_op_ranks *op, unsigned rank);
/* Sets a word of another rank about this one; does nothing for this rank. */
tsr_status ops_ranks_tell(const tsr_op_ranks *op, unsigned rank, ops_ranks_word which,
                          uint64_t count);
/* Waits until a word about another rank counts so many, or those about all others. */
tsr_status ops_ranks_wait_for(const tsr_op_ranks *op, unsigned rank, ops_ranks_word which,
                              uint64_t count);
tsr_status ops_ranks_wait_for_all(const tsr_op_ranks *op, ops_ranks_word which, uint64_t count);
/* The rank `steps` after this one. */
unsigned ops_ranks_after(const tsr_op_ranks *op, unsigned steps);
const tsr_op_argument *ops_ranks_find_argument(const ops_ranks_launch *l, const char *name);
char *ops_ranks_address_of(const tsr_arg *arg);

/* ---- ranks_attention.c ---------------------------------------------------------------------- */

/* Under a guard of the context. */
bool ops_ranks_make_attention(tsr_op_ranks *op, ops_problem *p);
tsr_status ops_ranks_launch_attention(const ops_ranks_launch *l);

#endif
