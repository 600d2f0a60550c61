/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/ukernel/ukernel.h: the micro-kernel of matrix products, as those see it that call it.
 */
#ifndef TSR_CPU_GEMM_UKERNEL_UKERNEL_H
#define TSR_CPU_GEMM_UKERNEL_UKERNEL_H

#include "llvm/emit.h"

/* A micro-kernel for tiles of up to m x k times k x n, as an internal function of the module:
 *
 *   void f(ptr a, i64 a_row, i64 a_col, ptr b, i64 b_row, i64 b_panel, ptr acc, i64 acc_row,
 *          i64 m, i64 n, i64 k, ptr prefetch, ptr from, i64 from_row, ptr out, i64 out_row, ptr
 * order, i64 least, i64 nothing, i64 how)
 *
 * out[i, j] = acc[i, j] + sum over k of a[i, k] * b[k, j]. out may be acc; acc may be one row of
 * zeros with acc_row 0. Strides count bytes; acc and out are contiguous along j.
 * b lies in panels of emit_mma_panel columns (a power of two), one b_panel one after the other,
 * each contiguous along j: for a row-major b, b_panel is the size of a panel's row. The arguments
 * m, n and k (at least 1) say how much of the tile counts. k and n are rounded up to
 * emit_mma_k_step and to panels, m to blocks; what lies there must exist, and be zero along k in
 * one operand and finite in the other. `elem` is what a, b and acc hold: TSR_F32, TSR_F64 or
 * TSR_I32. Tile sizes are powers of two. Returns the function; the same one for the same arguments.
 */
typedef enum mma_arg {
  MMA_A,
  MMA_A_ROW,
  MMA_A_COL,
  MMA_B,
  MMA_B_ROW,
  MMA_B_PANEL,
  MMA_ACC,
  MMA_ACC_ROW,
  MMA_M,
  MMA_N,
  MMA_K,
  MMA_PREFETCH,
  MMA_FROM, /* with `copies`; else unused */
  MMA_FROM_ROW,
  MMA_OUT,
  MMA_OUT_ROW,
  MMA_ORDER,   /* by rows; else unused */
  MMA_LEAST,   /* of emit_mma_dot for bf16; else unused */
  MMA_NOTHING, /* by rows; else unused */
  MMA_HOW,     /* an mma_how, with MMA_HOW_ASKED; else unused */
  MMA_ARGS
} mma_arg;

/* How out is written. In place of a NaN, sums that only the next call reads may have any. */
typedef enum mma_how {
  MMA_HOW_STORE,  /* by stores into the cache */
  MMA_HOW_STREAM, /* by non-temporal ones, of rows that begin with cache lines (not by rows, and
                   * where it is asked) */
  MMA_HOW_AGAIN,  /* out is acc of the next call, or NaNs are made canonical when it is read */
  MMA_HOW_ASKED,  /* as the argument MMA_HOW says */
} mma_how;

/* Memory that will be needed soon. The micro-kernel asks for it while it multiplies, a few lines at
 * a time, for the second-level cache, region by region. MMA_PREFETCH points to MMA_REGIONS of
 * these, or is NULL. */
typedef struct mma_region {
  int64_t base, row;   /* address; bytes from a row to the next */
  int64_t line_bits;   /* log2 of the cache lines of a row */
  int64_t next, count; /* lines already asked for; all lines */
} mma_region;
enum { MMA_FIRST_REGION, MMA_SECOND_REGION, MMA_LAST_REGION, MMA_REGIONS, MMA_LINE = 64 };
/* With what out may end: where m and n are rounded to; the last row that counts, to which acc need
 * not continue either; or the last column that counts, too (where emit_mma_ends_anywhere): what is
 * left behind the last whole panel takes time by the vector then. */
typedef enum mma_end { MMA_END_ROUNDED, MMA_END_ROW, MMA_END_COLUMN } mma_end;
/* What a micro-kernel is for. */
typedef struct mma_use {
  mma_end end;
  mma_how how;
  /* Some 64 products are added up before they are added to acc, which takes 1 to 2% longer and
   * makes the error of long sums about half as large. acc must be out then, and have all rows up to
   * where m is rounded. */
  bool in_sum_blocks;
  /* If MMA_FROM is not NULL, b's panels are written first, from row-major rows there, MMA_FROM_ROW
   * bytes apart: as much of them as the product reads. The first rows of the result are computed on
   * the way, which takes little longer than what is in the cache anyway. Where emit_mma_copies. */
  bool copies;
  bool empty; /* what acc has is zero, and is not read */
} mma_use;
/* How the function of that name cuts a tile: into blocks of `rows` rows and then some of `rest` (0:
 * there are none), and panels of vectors of lanes. */
typedef struct mma_blocking {
  unsigned rows, rest, vectors, lanes;
} mma_blocking;
mma_blocking emit_mma_blocking(const char *name);
LLVMValueRef emit_mma(emit *e, tsr_elem elem, mma_use use, int64_t m, int64_t n, int64_t k);
bool emit_mma_copies(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);
/* What k is rounded up to: 1 or 2. (By emit_mma_dot for bf16: 2.) */
int64_t emit_mma_k_step(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);
bool emit_mma_ends_anywhere(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);
LLVMTypeRef emit_mma_type(emit *e);
int64_t emit_mma_panel(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);

/* The same for few rows, which take so little time that memory must not wait for the next call:
 * MMA_PREFETCH is where that will find its b, with the same strides (any address, if it isn't
 * known). It is fetched while the last block of rows, where that is not the only one, reads b once
 * more; the first one does nothing but read, and fetching would be in its way. */
LLVMValueRef emit_mma_prefetching(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);

/* The same, with rows of a that lie anywhere, and of which any may count. MMA_A is a table: for
 * each slice of slice_k along k (a power of two, at most k) MMA_A_ROW bytes further, for each row
 * of the tile the address of its elements in that slice, which are MMA_A_COL bytes apart. MMA_ORDER
 * names all rows of the tile (m numbers, i64): the first MMA_M of them count, in a, acc and out.
 * MMA_FROM has an i64 for each slice: how much of it along k counts, two groups at least; MMA_K
 * counts slices as if they were whole. MMA_OUT is a table, too: of the addresses of out's rows. The
 * rows up to where MMA_M is rounded are written as well. MMA_NOTHING may be an address where a
 * slice's elements are zeros, if all of b is finite, else it is 0: where all rows of a block have
 * it, nothing is multiplied. */
LLVMValueRef emit_mma_rows(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k,
                           int64_t slice_k);
/* An i64, 1 or 0: is all finite in rows of floats that are `row` bytes apart, each of `bytes`
 * bytes, a multiple of a cache line? */
LLVMValueRef emit_mma_finite(emit *e, tsr_elem elem, LLVMValueRef at, int64_t rows, int64_t row,
                             int64_t bytes);

/* Types that are multiplied in groups of 32 bits along k: bf16 in pairs, added up in f32, and i8 in
 * fours, added up in i32. emit_dot_group gives the elements of a group, 1 when there is no such
 * instruction for the sizes; bytes have one everywhere on x86-64, if only for words. The function
 * is as above (slice_k 0), or by rows, with groups for elements of a and b: a[i, q] are the
 * elements of row i from q * group on, b[q, j] those of column j, so b's rows are interleaved by
 * group; the argument k counts groups. a need not be aligned to groups. i8, where emit_dot_flips
 * says so: b must come with the top bit of each byte flipped. bf16: the instruction takes subnormal
 * numbers for zero, so blocks of rows that could have any are multiplied in another way. MMA_LEAST
 * says which: it is emit_pairs_least of what is lowest in b (an i64; PAIRS_HIGH: all that are not
 * zero). For both, a's groups must be neighbours: MMA_A_COL is 4. */
unsigned emit_dot_group(const emit *e, tsr_elem elem, int64_t n, int64_t k);
/* Must b's bytes come flipped? (Processors that multiply unsigned by signed bytes only.) */
bool emit_dot_flips(const emit *e, bool a_signed, bool b_signed);
LLVMValueRef emit_mma_dot(emit *e, tsr_elem elem, bool a_signed, bool b_signed, mma_use use,
                          int64_t m, int64_t n, int64_t k, int64_t slice_k);
/* What is lowest (an i64, at most PAIRS_HIGH) in rows of bf16 that are `row` bytes apart, each of
 * `bytes` bytes, a multiple of 64; and, of the lower one of all that b consists of, MMA_LEAST. */
enum { PAIRS_HIGH = 0xffff };
LLVMValueRef emit_pairs_lowest(emit *e, LLVMValueRef at, int64_t rows, int64_t row, int64_t bytes);
LLVMValueRef emit_pairs_least(emit *e, LLVMValueRef lowest_of_b);
/* The same where it is found while they are written: a vector that begins as `nothing` becomes the
 * lower of itself and of every vector of pairs (emit_lower_pairs); of that one in memory. */
LLVMValueRef emit_lowest_nothing(emit *e);
LLVMValueRef emit_lowest_in(emit *e, LLVMValueRef at);

#endif
