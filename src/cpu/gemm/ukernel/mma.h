/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/ukernel/mma.h: the micro-kernel of matrix products (see emit_mma), as its files see it.
 *
 *   mma.c              how a tile is cut; the function and its name
 *   mma_panels.c       panels of columns, and blocks of rows down each of them
 *   mma_block.c        a block: its sums, the loops along k, where they go
 *   mma_multiply.c     what one multiply-add is for each type of element
 *   mma_range_check.c  what is looked at: pairs of bf16, sums of bytes, numbers that are finite
 *   mma_prefetch.c     what to fetch while it multiplies
 *   mma_loop.c         counted loops
 *
 * A register block of the result stays in registers over the whole of k, while rows of b stream
 * through vector registers and elements of a are broadcast from memory.
 *
 *   for each panel of `cols` columns                       b's panel stays in the L1 cache
 *     for each block of rows
 *       c[rows][cols] = acc
 *       for k, `unroll` at a time
 *         for each of them: b's row as vectors; for each row: c[row] += broadcast(a) * b
 *       acc = c
 *
 * The instructions are final as they stand: no pass needs to improve them, and there are only
 * rows * (cols / lanes) * unroll multiplications however large the tile. Rows come in blocks of
 * the best size and then of a smaller one, so that both together make the power of two.
 *
 * Products in groups (emit_mma_dot) are the same loops over 32-bit groups of elements, with
 * another instruction in the middle. That for pairs of bf16 takes subnormal numbers for zero, so it
 * is used for a block of rows only where there can be none (mma_range_check.c).
 */
#ifndef TSR_CPU_GEMM_UKERNEL_MMA_H
#define TSR_CPU_GEMM_UKERNEL_MMA_H

#include "llvm/lanes.h"
#include "cpu/gemm/ukernel/ukernel.h"

enum {
  MAX_ROWS = 16,
  MAX_ACCUMULATORS = 32,
  MAX_LANES = 16,
  NARROW_ROWS = 8,   /* of a block of one vector */
  SEVERAL = 2,       /* two or more: see mma_shape */
  LONG_K = 32,       /* or more: k that it makes no difference to the code how long it is */
  SUM_BLOCK = 64,    /* of k, that is added up before it is added to acc, where that is asked for */
  LINES_AT_ONCE = 8, /* of a row that is fetched, one after the other with each iteration along k */
};

/* How a tile is cut: `blocks[i]` blocks of `rows[i]` rows, one size after the other, panels of
 * columns, and by rows slices along k. Of these there are 0, 1, or SEVERAL, which is all that is
 * more; and k is LONG_K where it is longer. So tiles of most sizes have the same code. */
typedef struct mma_shape {
  unsigned rows[2];
  unsigned blocks[2], panels, slices;
  unsigned vectors, vector_lanes, unroll;
  int64_t k;
} mma_shape;

typedef struct mma {
  emit *e;
  tsr_elem elem;
  mma_shape s;
  LLVMTypeRef scalar, vector; /* of a and of a row of b; a group of elements counts as one */
  LLVMTypeRef sums;           /* of a row of acc */
  bool grouped;               /* elements in groups of 32 bits */
  bool widens;                /* pairs of bf16 are multiplied as f32 */
  bool a_signed, b_signed;    /* of I8 */
  mma_use use;
  bool b_follows;        /* MMA_PREFETCH is the next b */
  bool first_prefetches; /* and the first block of rows asks for it, not the last */
  unsigned size;         /* bytes of an element or group, and of one of acc */
  unsigned a_align;      /* bytes of an element */
  LLVMValueRef function;
  int64_t slice_k;                                    /* by rows: k of a slice; else 0 */
  LLVMValueRef a, b, acc, out;                        /* addresses */
  LLVMValueRef a_row, a_col, b_row, b_panel, acc_row; /* strides in bytes */
  LLVMValueRef out_row;
  LLVMValueRef m, n, k;               /* how much of the tile counts */
  LLVMValueRef regions;               /* regions to fetch; NULL: none */
  LLVMValueRef next_b;                /* bytes from b to what is fetched, too; NULL: nothing */
  LLVMValueRef from, from_row;        /* MMA_FROM, of the panel; NULL: b is always in panels */
  LLVMValueRef order;                 /* by rows: their numbers */
  LLVMValueRef nothing;               /* by rows: the address of one that is zero; 0: none is */
  LLVMValueRef least;                 /* pairs: MMA_LEAST, in all lanes of what is looked at */
  LLVMValueRef row_number[MAX_ROWS];  /* in the block; of rows that don't count: of one that does */
  LLVMValueRef row_offsets[MAX_ROWS]; /* that times a_row */
  LLVMValueRef row_at[MAX_ROWS];      /* by rows: where the slice's rows of the block begin */
  LLVMValueRef how;                   /* MMA_HOW; NULL: as use.how says */
  LLVMValueRef row_sums;              /* bytes that come flipped: see mma_sum_rows; else NULL */
  LLVMValueRef columns; /* i1 in lanes: those of the only vector that count; NULL: all */
} mma;

/* ---- short names ----------------------------------------------------------------------------- */

static inline int64_t min64(int64_t x, int64_t y) {
  return x < y ? x : y;
}

/* Hides how a value came about. Loop strength reduction would rewrite the addresses of one k into
 * a chain of additions, as long as the multiplications take, and spend more time on that than the
 * rest of code generation; after a freeze it sees unrelated values and leaves base + offset. */
static inline LLVMValueRef opaque(mma *g, LLVMValueRef value) {
  return LLVMBuildFreeze(g->e->b, value, "");
}
static inline LLVMValueRef i64_of(mma *g, int64_t value) {
  return LLVMConstInt(g->e->i64, (uint64_t)value, 0);
}
static inline LLVMValueRef times(mma *g, LLVMValueRef x, int64_t factor) {
  return LLVMBuildMul(g->e->b, x, i64_of(g, factor), "");
}

/* value / divisor, rounded up. */
static inline LLVMValueRef over(mma *g, LLVMValueRef value, unsigned divisor) {
  LLVMValueRef more = LLVMBuildAdd(g->e->b, value, i64_of(g, divisor - 1), "");
  return LLVMBuildUDiv(g->e->b, more, i64_of(g, divisor), "");
}

static inline LLVMValueRef parameter(mma *g, mma_arg which) {
  return LLVMGetParam(g->function, which);
}
static inline LLVMBasicBlockRef new_block(mma *g) {
  return LLVMAppendBasicBlockInContext(g->e->llvm, g->function, "");
}

/* ---- loops (mma_loop.c) ---------------------------------------------------------------------- */

/* A counted loop that carries addresses and accumulators; none at all for one iteration. */
typedef struct loop {
  bool once;            /* it is none */
  LLVMValueRef ends_at; /* the count */
  LLVMBasicBlockRef before, body;
  LLVMValueRef index;
} loop;

/* `most`: iterations at most, if that is one; `ends_at`: how many there are, at least one. */
loop mma_loop_begin(mma *g, int64_t most, LLVMValueRef ends_at);
/* A value carried around: `start` first; see mma_loop_next. Call before anything else in the body.
 */
LLVMValueRef mma_loop_carry(mma *g, loop *l, LLVMValueRef start);
/* Sets what a carried value is in the next iteration. */
void mma_loop_next(mma *g, loop *l, LLVMValueRef phi, LLVMValueRef value);
/* What follows stands after the loop. */
void mma_loop_end(mma *g, loop *l);

/* ---- multiply-adds (mma_multiply.c) ---------------------------------------------------------- */

/* What a multiply-add takes of a or b: a vector, or the two vectors of words. */
typedef struct operand {
  LLVMValueRef parts[2];
} operand;

/* Are bytes widened to words? */
bool mma_as_words(const mma *g);
/* A vector of a's or b's elements or groups as multiply-adds take it. */
operand mma_operand_of(mma *g, LLVMValueRef x, bool is_signed);
/* a * b + z */
LLVMValueRef mma_multiply_add(mma *g, operand a, operand b, LLVMValueRef z);

/* ---- prefetching (mma_prefetch.c) ------------------------------------------------------------ */

/* What to fetch during a few steps along k, from one region after the other; `nothing` when there
 * is no more. Where rows are shorter than what is fetched at once, their neighbours come along. */
LLVMValueRef mma_next_prefetch(mma *g, LLVMValueRef nothing);

/* ---- range checks (mma_range_check.c) -------------------------------------------------------- */

enum { RANGE_PAIRS = 16 };                    /* pairs that are looked at together */
enum { STEPS_PER_CHECK = 2 * LINES_AT_ONCE }; /* along k, between two checks */
_Static_assert(RANGE_PAIRS >= 2 * LINES_AT_ONCE, "a look sees all pairs up to the next");

/* Is what is lowest in a's pairs looked for? Not where they are widened. */
static inline bool checks_range(const mma *g) {
  return g->elem == TSR_BF16 && !g->widens;
}
/* What is lowest in no pairs at all. */
LLVMValueRef mma_nothing_low(emit *e);
/* Is there anything lower in the next `length` pairs of the block's rows? */
LLVMValueRef mma_check_range(mma *g, unsigned rows, LLVMValueRef a_at, LLVMValueRef length,
                             LLVMValueRef lowest);
/* An i1: was there anything too low? */
LLVMValueRef mma_is_too_low(mma *g, LLVMValueRef lowest);

/* Sums of a's rows, for bytes of equal signedness: of nothing yet. */
void mma_clear_row_sums(mma *g, unsigned rows);
/* And of the next `length` groups. */
void mma_sum_rows(mma *g, unsigned rows, LLVMValueRef a_at, LLVMValueRef length);
/* c -= what it is too large by. */
void mma_take_row_sums_off(mma *g, unsigned rows, LLVMValueRef *c);

/* ---- blocks (mma_block.c) and panels (mma_panels.c) ------------------------------------------ */

/* Where one block of rows and columns is: in a (by rows: in `order`), in acc, and in what is
 * written (by rows: bytes from the beginning of its rows). */
typedef struct block_at {
  LLVMValueRef a, acc, out;
} block_at;

/* Where the block's row i is: `a_at` is the element of a in its first row; by rows its offset in
 * every row. */
LLVMValueRef mma_in_row(mma *g, LLVMValueRef a_at, unsigned i);
/* out's block = acc's + rows of a times the panel of b at `b_at`. */
void mma_block(mma *g, unsigned rows, const block_at *at, LLVMValueRef b_at);
/* All that counts of the tile. */
void mma_all_panels(mma *g);

#endif
