/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops/ranks.h: products over ranks (tessera/op_ranks.h). Each rank's rows are some pieces; a piece
 * is a launch of a plan of its own rows, on tensors that begin at its first row.
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

struct tsr_op_ranks {
  tsr_ranks *ranks;
  tsr_op_library *library;
  tsr_op_ranks_form form;
  arena arena;
  unsigned rank, size, n_pieces; /* of each rank */
  int64_t m;
  ops_operands operands;   /* that the caller gives, with the rows that they have there */
  const char *sums;        /* the type of sums over ranks */
  ops_ranks_piece *pieces; /* by rank */
  size_t place, result;    /* bytes of what a rank sends, and of rows of c that go to all */
  size_t workspace;        /* of the plans */
  tsr_symmetric *memory;
  char *scratch[3]; /* two parts and a workspace */
  uint64_t launches;
  bool shown; /* the caller may write this rank's place between launches */
};

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
  return ops_ranks_place_of(op, op->size) + from * op->result;
}

#endif
