/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products and attention over several ranks (tessera/ranks.h), which compute while parts are
 * on their way.
 * Link with libtessera-ops.
 *
 *   tsr_op_ranks *op = tsr_op_ranks_create(all, ops, TSR_OP_ALL_GATHER_GEMM,
 *       &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem),
 *                         .text = "gemm:type=bf16,epilogue=bias:n,m=4096,n=1024,k=4096"}, NULL);
 *   tsr_op_argument args[] = {{"a", tsr_arg_address(my_rows)}, {"b", tsr_arg_address(b)},
 *                             {"bias", tsr_arg_address(bias)}, {"c", tsr_arg_address(c)}};
 *   tsr_status s = tsr_op_ranks_launch(op, args, 4);
 *
 * The rows of the problem, m of them, are divided among the ranks: each has m / size, the last ones
 * one less where that leaves a rest (tsr_op_ranks_rows). What the problem says of a, b and c:
 *
 *   TSR_OP_ALL_GATHER_GEMM       `a` is this rank's rows; c = (the rows of all ranks) b, m x n.
 *                                Ranks have a `b` each, as the columns of a layer that is divided.
 *   TSR_OP_GEMM_REDUCE_SCATTER   `a` is m x k, `b` is k x n, and both are other columns and rows of
 *                                the whole on each rank; c is this rank's rows of the sum of all
 *                                ranks' products.
 *   TSR_OP_GEMM_ALL_REDUCE       the same, but c is all of the sum, m x n, on every rank.
 *
 * Epilogues and scales are those of the family `gemm`; an epilogue is applied once, to the sum. Its
 * tensors have the rows that c has. Sums over ranks are made in the type that the product
 * accumulates in, in an order that hangs on the number of ranks alone, so that all ranks, and all
 * runs, get the same bits. A result is as far from that of one rank as another order of the k-loop
 * is: within the tolerance of the family (docs/numerics.md, docs/operators.md).
 *
 * Ranks of one machine read each other's rows and write their sums where they lie; to others they
 * travel in pieces, while those that are there are multiplied.
 *
 * Attention has problems of the family `attention`, whose keys are divided among the ranks as rows
 * are (tsr_op_ranks_keys). What a problem says of sizes and masks is meant of the whole.
 *
 *   TSR_OP_SPLIT_KEYS_ATTENTION  `k` and `v` are this rank's keys; `q` is the same on all ranks,
 *                                which all get o of all queries, with the same bits. For few
 * queries and many keys. A `bias` has this rank's keys. With a cache each rank has one, with
 * `key_lengths` and a `table` of its own. TSR_OP_RING_ATTENTION        queries are divided as well
 * (tsr_op_ranks_rows): q and o, lse and a bias, which has all keys, are those of this rank's
 * queries. Ranks of one machine read each other's keys; over several machines keys and values go
 * round from rank to rank, and no rank has more than those of three ranks at a time.
 *
 * Parts are combined in f32 by the logarithms of their sums, within the tolerance of the family.
 * Variable lengths, appending to caches, alibi, dropout, sink_keys and epilogues do not go with
 * ranks. Strides, where they are given, are the same on all ranks.
 *
 * Errors and threads: as in tessera/ranks.h. _create, _launch and _destroy are collective.
 */
#ifndef TESSERA_OP_RANKS_H
#define TESSERA_OP_RANKS_H

#include <tessera/op.h>
#include <tessera/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsr_op_ranks tsr_op_ranks;

typedef enum tsr_op_ranks_form {
  TSR_OP_ALL_GATHER_GEMM,
  TSR_OP_GEMM_REDUCE_SCATTER,
  TSR_OP_GEMM_ALL_REDUCE,
  TSR_OP_SPLIT_KEYS_ATTENTION,
  TSR_OP_RING_ATTENTION,
} tsr_op_ranks_form;

typedef struct tsr_op_ranks_options {
  size_t struct_size; /* sizeof(tsr_op_ranks_options) */
  /* Of products: in how many pieces a rank's rows travel and are multiplied; the same on all ranks.
   * 0: one where all ranks are on one machine, else 4. */
  unsigned pieces;
} tsr_op_ranks_options;

/* Collective. The library is one of a "cpu" or "interp" device and stays until after it, as the
 * communicator does. The problem of a product is one of the family `gemm`, of one product (batch=1,
 * rows=one) without `combine` and `beta`. `options` may be NULL. NULL after a message, or without
 * one when `ranks` or the library is NULL. */
TSR_API tsr_op_ranks *tsr_op_ranks_create(tsr_ranks *ranks, tsr_op_library *library,
                                          tsr_op_ranks_form form, const tsr_op_problem *problem,
                                          const tsr_op_ranks_options *options);
/* Collective, as tsr_symmetric_destroy. NULL is allowed. */
TSR_API void tsr_op_ranks_destroy(tsr_op_ranks *op);

/* How many rows a rank has, and into *first, which may be NULL, the first of them: of a product's a
 * or c, or of attention's queries. */
TSR_API int64_t tsr_op_ranks_rows(const tsr_op_ranks *op, unsigned rank, int64_t *first);
/* The same of attention's keys; 0 of products. */
TSR_API int64_t tsr_op_ranks_keys(const tsr_op_ranks *op, unsigned rank, int64_t *first);
/* A tensor that this rank gives; TSR_ERROR_USAGE past the last, without a message. */
TSR_API tsr_status tsr_op_ranks_operand(const tsr_op_ranks *op, size_t index, tsr_op_operand *out);
/* Of TSR_OP_ALL_GATHER_GEMM: memory for this rank's rows which the others read. Given as `a`, no
 * copy of them is made. They may be written between launches. NULL: another form, or no rows; or,
 * after a message, another rank has failed. */
TSR_API void *tsr_op_ranks_place(tsr_op_ranks *op);

/* Collective: computes it. Arguments as tsr_op_launch takes them, on memory of the host. When it
 * returns, c is complete, and all arguments may be changed. */
TSR_API tsr_status tsr_op_ranks_launch(tsr_op_ranks *op, const tsr_op_argument *args,
                                       size_t n_args);

#ifdef __cplusplus
}
#endif
#endif
