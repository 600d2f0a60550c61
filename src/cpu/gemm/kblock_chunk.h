/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/kblock_chunk.h: the products along a loop, as the files that make them see them: what is
 * known of one, and where a chunk's parts lie.
 *
 *   kblock.c           which products; how their chunks are laid out, what counts, where the result
 *                      may go; what is called around the loop and in it
 *   kblock_slices.c    an iteration's slices: written to the chunk, found there, or left where they
 *                      lie
 *   kblock_multiply.c  a chunk: multiplied and added to the accumulator, or to the result at last
 *   kblock_prefetch.c  what the micro-kernel fetches while it multiplies
 *   kblock_chunk.c     where things lie that several of these ask for
 */
#ifndef TSR_CPU_GEMM_KBLOCK_CHUNK_H
#define TSR_CPU_GEMM_KBLOCK_CHUNK_H

#include "cpu/core/fold.h"
#include "cpu/gemm/kblock.h"
#include "cpu/gemm/rows.h"
#include "cpu/plan/product.h"

enum { ADDRESS = 8 }; /* bytes */

/* One operand. */
typedef struct side {
  ir_value *v;
  buffer layout;       /* format and strides of a slice */
  buffer *store;       /* all chunks */
  int64_t slice_bytes; /* from a slice to the next in its chunk */
  int64_t chunk_bytes;
  int64_t chunks;
  buffer *keys; /* NULL: slices are not reused */
  buffer *lows; /* b, in pairs: what is lowest in each slice, an i64; else NULL */
  /* b, where rows may lack slices: of each slice, i64, whether it is finite; else NULL */
  buffer *finite;
  llv last; /* i64 in memory: where the last slice came from; 0: nowhere, or it was there */
} side;

/* Where the chunk's part of an operand is; i64 in memory. */
typedef struct chunk_place {
  llv stays;      /* was it left where it lay? (b until the micro-kernel copies it) */
  llv first, row; /* address of the first slice; bytes from row to row */
} chunk_place;

/* Where first slices came from. */
typedef enum block_start {
  START_A,
  START_A_ROW, /* in the first tile block along x */
  START_B,
  START_B_STEP, /* from the one before, which was another */
  STARTS
} block_start;

typedef struct kblock {
  product p;
  ir_op *loop;
  int64_t slices;       /* of a chunk */
  int64_t panel;        /* columns */
  int64_t group;        /* elements along k that are multiplied at once: 1, 2 of bf16, or 4 bytes */
  bool flipped;         /* the top bits of b's bytes are: see emit_mma_dot */
  bool a_transposed;    /* a's chunk is transposed, as it lies in memory */
  int64_t k_step;       /* groups that the micro-kernel rounds up to */
  bool to_column;       /* the micro-kernel writes no column that doesn't count */
  int64_t a_row, a_col; /* elements between rows and columns of a's chunk */
  side a, b;
  bool deferred;
  llv m, n;          /* rows and columns of the result that count */
  llv filled, chunk; /* i64 in memory: slices in the chunk; the chunk's number in this loop */
  llv lowest;        /* i64 in memory: pairs: what is lowest in the chunk's part of b */
  llv tail;          /* i64 in memory: how much of the last slice counts along k */
  llv regions;       /* mma_region[MMA_REGIONS] in memory: for a, b and the result */
  bool may_stay;     /* a is not written to before the chunk is multiplied */
  bool copies;       /* nor is b, which the micro-kernel copies where it is a plain matrix */
  chunk_place a_place, b_place;
  bool by_rows;    /* a is a table of addresses of rows, slice by slice; a_place isn't used */
  buffer *table;   /* m addresses for each slice of the chunk */
  buffer *lengths; /* by rows: i64 for each slice of the chunk: groups along k that count */
  row_order order; /* by rows: which of them count */
  llv low, high;   /* by rows, i64 in memory: between which addresses they lie */
  buffer *targets; /* by rows: m addresses of what is written */
  /* by rows: i64 for each, how many slices it has nothing in; the rows in an order by that */
  buffer *zero_slices, *sorted;
  llv zero_rows;  /* by rows, i64 in memory: rows of the chunk may lack slices; NULL: that doesn't
                     matter */
  buffer *starts; /* i64 for each block_start, from block to block; zeros at first */
  llv next_start; /* i64 in memory: where it will probably come from in the next; 0: unknown */
  for_range range;
  buffer *to;            /* the accumulator */
  ir_value *start_value; /* of it, when that is zero and need not be written; else NULL */
  llv fresh;             /* i64 in memory: nothing has been added to the accumulator yet */
  ir_op *store;   /* what alone takes the result, as it is: the last chunk may write it; or NULL */
  access *result; /* where to */
  llv result_row; /* bytes between its rows */
  llv result_holds; /* i1: all of it exists (by rows: all of each row that does); NULL: it does */
  llv stored;       /* i1, after the loop: that was done */
  llv non_temporal; /* i1: the last chunk's stores are non-temporal; NULL: never */
} kblock;

/* ---- short names -------------------------------------------------------------------------- */

/* An i64 in memory, and whether it is other than 0, an i1. */
static inline llv load64(lower *l, llv at) {
  return LLVMBuildLoad2(l->e.b, l->e.i64, at, "");
}

static inline llv is_set(lower *l, llv at) {
  return LLVMBuildICmp(l->e.b, LLVMIntNE, load64(l, at), k64(l, 0), "");
}

/* Are the bytes of lhs (0) or rhs (1) signed? */
static inline bool side_is_signed(const ir_op *op, unsigned which) {
  return product_format(op, which) == FORMAT_SIGNED;
}

/* Is it multiplied in pairs of bf16? */
static inline bool in_pairs(const kblock *k) {
  return k->group == 2;
}

/* Bytes of a row of the accumulator. */
static inline int64_t sums_row(const kblock *k) {
  return k->p.n * (tsr_elem_bits(k->p.elem) / 8);
}

/* An i1: is this the loop's last iteration? */
static inline llv is_last_iteration(lower *l, const kblock *k) {
  llv rest = LLVMBuildSub(l->e.b, k->range.upper, k->range.index, "");
  return LLVMBuildICmp(l->e.b, LLVMIntULE, rest, k->range.step, "");
}

/* ---- places --------------------------------------------------------------------------------- */

/* How many elements along n bits of the index from `first` on are accessed, at least 1. */
llv kblock_extent(lower *l, const access *a, unsigned first, unsigned n);
/* How much of the slice along k may be other than zero on either side. */
llv kblock_slice_length(lower *l, const kblock *k);
/* Where the chunk that is being filled begins. */
llv kblock_chunk_address(lower *l, const kblock *k, const side *s);
/* The number of a slice of that chunk among all slices that there is room for. */
llv kblock_slice_number(lower *l, const kblock *k, const side *s, llv filled);
/* Where that slice goes, as a buffer. */
buffer *kblock_slice(lower *l, const kblock *k, const side *s, llv filled);
/* m addresses in a table, as a buffer. */
buffer *kblock_addresses(lower *l, const kblock *k, buffer *memory, llv at);

/* What is known about a slice of b: is all of it finite? */
enum { FINITE_UNKNOWN, FINITE_NOT, FINITE_ALL };
/* An i1: are the chunk's first `filled` slices of b, one at least, finite? */
llv kblock_chunk_is_finite(lower *l, const kblock *k, llv filled);

#endif
