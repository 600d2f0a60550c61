/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/matrix.h: what the files about matrix products share.
 */
#ifndef TSR_CPU_GEMM_MATRIX_H
#define TSR_CPU_GEMM_MATRIX_H

#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/lower/lower.h"

/* Rows of lhs up to which rhs is not worth copying: it is read where it lies. */
enum { PRODUCT_FEW_ROWS = 16 };

typedef struct product {
  ir_op *op;
  int64_t batches, m, n, k;
  tsr_elem elem;     /* that is multiplied and added */
  bool in_stretches; /* see emit_mma */
  llv rows, cols;    /* how many of m and n count; NULL: all */
} product;

/* Of mmaf or mmai. */
product product_of_op(ir_op *op, tsr_elem elem);
tsr_elem product_elem(const ir_op *op);
/* How lhs (0) or rhs (1) is kept for the micro-kernel. */
buffer_format product_format(const ir_op *op, unsigned side);

/* Is this a product of bf16 that the processor adds up in pairs along k (see emit_mma_dot)? */
bool pairs_fit(lower *l, const product *p);
/* Is the value left operand of such products, and nothing else? */
bool pairs_only(lower *l, const ir_value *v);
/* The format and strides of a right operand of pairs, a tile of this type. */
void pairs_lay_out(buffer *b, const ir_type *t);

/* A matrix in memory: strides count bytes. */
typedef struct matrix {
  llv ptr, batch, row, col;
  llv step; /* bytes from here to what will be read next, 0 where that is near; NULL: unknown */
  buffer *buffer; /* NULL: not in scratch memory */
  bool in_place;  /* where the program has it, unless that turns out not to do */
} matrix;

/* A plain load of rows of neighbours, as it lies in memory, and the i1 that says whether all of it
 * is there and is what it is taken for (NULL: it is). False when it is no such load. */
bool operand_in_place(lower *l, ir_value *v, tsr_elem elem, matrix *out, llv *holds);

/* skinny.c. Is this a product of few rows whose right operand is best evaluated in registers? */
bool thin_fits(lower *l, const product *p);

/* rows.c. Rows of a left operand that need no copy, wherever they lie. Is that to be expected of
 * this value? (Where it is a plain load of a matrix, operand_in_place says more.) */
bool rows_expected(const ir_value *v, tsr_elem elem);
/* Do its elements lie next to each other in memory along its rows' numbers, as the program has it?
 */
bool rows_transposed(const ir_value *v);
/* Do those of each row? Is it a load of a view with elements of that type? */
bool columns_adjoin(const ir_value *v, tsr_elem elem);
/* So many bytes that are zero. */
enum { ROW_OF_ZEROS = 4096 };
llv rows_zeros(lower *l);
/* Can the micro-kernel take that row for what it adds to, since the accumulator is zero? */
bool product_starts_empty(const product *p, const ir_value *acc);
/* An i1 that says whether the address of each row of `v` says all; NULL when it can't. rows_write
 * puts these addresses (i64, of the row's first element) into a buffer and gives the load that they
 * are of, rows_write_copies those of rows row_bytes apart. */
llv rows_find(lower *l, ir_value *v, buffer *to);
const access *rows_write(lower *l, ir_value *v, buffer *to);
void rows_write_copies(lower *l, llv first, int64_t row_bytes, buffer *to);
/* The same for the rows of 2^n_bits elements that a store of a view writes. Where the condition
 * does not hold, and for rows that don't exist: those of a buffer, row_bytes apart from `others`
 * on. */
llv rows_of_store(lower *l, const access *a, unsigned n_bits);
void rows_write_result(lower *l, const access *a, llv condition, llv others, int64_t row_bytes,
                       buffer *to);
/* All numbers of rows (i64) of a tile of 2^m_bits rows of 2^n_bits elements, the ones that the
 * store `a` keeps first (NULL: it keeps all), and how many these are, at least 1. */
typedef struct row_order {
  llv list, count;
  buffer *buffer; /* where the list may lie; NULL: it is constant */
} row_order;
row_order rows_order(lower *l, const access *a, unsigned n_bits, unsigned m_bits);

/* zero_rows.c. Can so many rows have gaps that are left out? How many of a chunk's first `filled`
 * slices each row has nothing in: the table has the address of zeros for it. How many rows lack how
 * many, in a word; an i1: does any that counts? Then their order with those that lack as much
 * behind each other, and those that don't count behind all. */
bool gaps_fit(const lower *l, int64_t m);
void gaps_count(lower *l, buffer *table, int64_t slices, llv filled, buffer *lacking);
llv gaps_sizes(lower *l, const row_order *order, const buffer *lacking);
llv gaps_any(lower *l, const row_order *order, llv sizes);
void gaps_sort(lower *l, const row_order *order, const buffer *lacking, llv sizes,
               const buffer *sorted);

/* prefetch_regions.c. What a micro-kernel fetches while it multiplies: mma_region[MMA_REGIONS] in
 * memory, which fetch nothing at first. */
llv regions_new(lower *l);
/* `rows` rows of `bytes` bytes, `row` apart, from `base` on. No rows: nothing. */
void region_set(lower *l, llv regions, unsigned which, llv base, llv row, llv rows, int64_t bytes);
void region_clear(lower *l, llv regions, unsigned which);

/* reuse.c. What is kept from tile block to tile block of a thread has a key: all numbers that
 * decide what is in it, in memory behind a 1. Bytes that may be kept, and those of a key. */
enum { REUSE_BYTES = 7 << 18 /* 1.75 MB */, MAX_KEY = 12, KEY_BYTES = (MAX_KEY + 1) * 8 };
typedef struct key {
  lower *l;
  unsigned n;
  llv part[MAX_KEY]; /* i64 */
} key;
/* The key of an operand; false when what decides cannot be told. */
bool key_find(lower *l, ir_value *v, key *x);
/* Is the key there what it was? An i1. */
llv key_holds(lower *l, const key *x, llv at);
void key_write(lower *l, const key *x, llv at);
/* Does the same address hold the same whenever a block of this launch enters the loop? */
bool reads_are_stable(lower *l, ir_op *loop);

/* operand_cache.c. Right operands of products in a loop that every tile block computes again:
 * before the loop, room for them; then the operand of this iteration, NULL where there is none. Of
 * pairs it tells what is lowest (see emit_pairs_lowest). `step`: as that of a matrix. */
void kept_begin(lower *l, ir_op *loop);
buffer *kept_operand(lower *l, ir_op *op, llv *lowest, llv *step);

/* kblock.c. Around a for: kblock_begin before it, kblock_end where it has ended. kblock_add stands
 * for the product of one iteration, to be added to `acc`; false when this product isn't put off. */
typedef struct for_range {
  llv index, upper, step; /* of this iteration; the loop's */
} for_range;
void kblock_begin(lower *l, ir_op *loop, const for_range *range);
bool kblock_add(lower *l, ir_op *op, buffer *acc);
void kblock_end(lower *l, ir_op *loop);
/* Need the buffer of the loop's iteration value not hold what it starts from? */
bool kblock_starts_empty(lower *l, ir_op *loop, uint32_t index);
/* An i1 that says whether what the store stores is there already; NULL: it isn't. */
llv kblock_stored(lower *l, const ir_op *store);
/* Is this product put off? */
bool kblock_defers(const lower *l, const ir_op *op);
/* Sets the product's rows and cols where it is known that the others never reach memory. */
void kblock_extents(lower *l, product *p);

#endif
