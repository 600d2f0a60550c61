/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm: c = epilogue(alpha * scales * (a b) + beta * c), for a batch of matrices.
 *
 *   gemm.c            parameters, tensors, launches
 *   gemm_build.c      the loop over k    gemm_end.c        scales, epilogue, sums of parts of k
 *   gemm_groups.c     groups of rows, and groups by pointers
 *   gemm_shuffle.c    orders of weights and scales for matrix instructions
 *   gemm_share.c      a fixed number of tile blocks: persistent, stream-K
 *   gemm_combine.c    operands that are expressions of several tensors
 *   gemm_choose.c     what is supported, candidates, costs
 *   gemm_reference.c  in plain C
 *
 * With split_k the first kernel leaves partial sums of a part of k each in the workspace, and the
 * second adds them and applies the epilogue, always in the same order.
 */
#ifndef TSR_OPS_GEMM_H
#define TSR_OPS_GEMM_H

#include "ops/epilogue.h"
#include "ops/expression.h"
#include "ops/gemm_shuffle.h"

#define GEMM_PARAMS(P)                                                                             \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what a and b hold")                                      \
  P(type_a, TYPE, FORM, 0, 0, "auto", "auto", "what a holds, if not the type")                     \
  P(type_b, TYPE, FORM, 0, 0, "auto", "auto", "what b holds, if not the type")                     \
  P(type_c, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what c holds; auto: i32 for integers, f16 for floats of 8 bits and less, else as a and b")    \
  P(compute, TYPE, FORM, 0, 0, "auto", "auto",                                                     \
    "what a and b are converted to for the product: f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 i8")     \
  P(accumulate, TYPE, FORM, 0, 0, "auto", "auto", "what sums are made in: f64, f32, i32, or f16")  \
  P(a, CHOSEN, FORM, 0, 0, "row column", "row", "rows of a are contiguous, or its columns")        \
  P(b, CHOSEN, FORM, 0, 0, "row column shuffled", "row",                                           \
    "rows of b are contiguous, or its columns; shuffled: weights in the order of matrix "          \
    "instructions, which the family shuffle makes")                                                \
  P(shuffle, CHOSEN, FORM, 0, 0, "n16 n32", "n16", "shuffled: columns of a matrix instruction")    \
  P(c, CHOSEN, FORM, 0, 0, "row column", "row", "rows of c are contiguous, or its columns")        \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none", "what becomes of elements: bias:n+gelu+cast:bf16")   \
  P(gate, TEXT, FORM, 0, 0, NULL, "none",                                                          \
    "a function, as silu: c is silu(a b1) * (a b2), where b has the columns of b1, then of b2")    \
  P(scale_a, CHOSEN, FORM, 0, 0, "none tensor row group", "none",                                  \
    "a is multiplied by one number, one for each row, or one for each group along k of each row")  \
  P(scale_b, CHOSEN, FORM, 0, 0, "none tensor column group", "none",                               \
    "b is multiplied by one number, one for each column, or one for each group along k")           \
  P(type_scale, TYPE, FORM, 0, 0, NULL, "f32", "what scale_a and scale_b hold")                    \
  P(group, INTEGER, FORM, 16, 1 << 20, NULL, "128", "elements along k that share a scale")         \
  P(scale_order, CHOSEN, FORM, 0, 0, "plain shuffled", "plain",                                    \
    "scales of groups lie as a's rows and b's rows, or in the order of matrix instructions")       \
  P(group_n, INTEGER, FORM, 1, 1 << 20, NULL, "1", "columns of b that share a scale of a group")   \
  P(rows, CHOSEN, FORM, 0, 0, "one grouped pointers sorted", "one",                                \
    "grouped: rows of a and c belong to one of `batch` groups, each with a b, by offsets; "        \
    "pointers: each group has sizes and addresses of its own; sorted: rows come from where "       \
    "moe_sort says, each `unit` of them with the b of an expert")                                  \
  P(order, CHOSEN, FORM, 0, 0, "none a c both", "none",                                            \
    "sorted: which of a and c have their rows in the sorted order")                                \
  P(unit, INTEGER, FORM, 1, 1024, NULL, "32", "sorted: rows that have one expert")                 \
  P(combine_a, TEXT, FORM, 0, 0, NULL, "none",                                                     \
    "what a is of the tensors a, a2, ...: an expression of a, b, ..., as a*b")                     \
  P(combine_b, TEXT, FORM, 0, 0, NULL, "none", "what b is of the tensors b, b2, ...")              \
  P(combine, TEXT, FORM, 0, 0, NULL, "none",                                                       \
    "what c is of the product (a) and the tensors d, d2, ... (b, c, ...), before the epilogue")    \
  P(types, TEXT, FORM, 0, 0, NULL, "same",                                                         \
    "what a2, ..., b2, ..., d, ... hold, if not what a, b and c do: f16+i8")                       \
  P(m, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "rows of a and c, of the largest group")      \
  P(total_m, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed",                                      \
    "rows of all groups; sorted: rows that are sorted, with padding")                              \
  P(top, INTEGER, SIZE, 1, INT32_MAX, NULL, "1",                                                   \
    "sorted: how many rows of c belong to one of a: experts of a token")                           \
  P(n, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "columns of b and c")                         \
  P(k, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "columns of a, rows of b")                    \
  P(batch, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1", "how many products")                         \
  P(alpha, REAL, SIZE, 0, 0, NULL, "1", "factor of the product")                                   \
  P(beta, REAL, SIZE, 0, 0, NULL, "0", "factor of what c held; with 0 c is not read")              \
  P(lda, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from row to row of a (or column)")   \
  P(ldb, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from row to row of b (or column)")   \
  P(ldc, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from row to row of c (or column)")   \
  P(ldd, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed",                                       \
    "the same of tensors of the epilogue that have all elements, which lie as c does")             \
  P(inca, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1", "between elements of a row of a (or column)") \
  P(incb, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1", "between elements of a row of b (or column)") \
  P(incc, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1", "between elements of a row of c (or column)") \
  P(batch_a, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from one a to the next")         \
  P(batch_b, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from one b to the next")         \
  P(batch_c, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "from one c to the next")         \
  P(batch_d, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "the same of the epilogue's")     \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of a2, b2, d and others that do not lie as a, b and c do: a2:0x1+d:64x1; 0 repeats")          \
  P(tile_m, INTEGER, CHOICE, 1, 1024, "auto", "auto", "rows of a tile of c, a power of two")       \
  P(tile_n, INTEGER, CHOICE, 1, 4096, "auto", "auto", "columns of a tile of c, a power of two")    \
  P(tile_k, INTEGER, CHOICE, 1, 1024, "auto", "auto", "length of a step along k, a power of two")  \
  P(split_k, INTEGER, CHOICE, 1, 256, "auto", "auto", "parts of k that are summed up apart")       \
  P(blocks, INTEGER, CHOICE, 0, 65536, "auto", "auto",                                             \
    "tile blocks that share all tiles of c; 0: each tile has its own; auto: by the cost model, 0 " \
    "or as many as there are cores; with `share` also as many as get whole tiles")                 \
  P(share, CHOSEN, CHOICE, 0, 0, "tiles ordered atomic", "tiles",                                  \
    "what each of `blocks` takes: whole tiles (persistent), or as many steps along k as others "   \
    "(stream-K), whose sums are added in order, or by atomic additions")                           \
  OPS_HINT_PARAMS(P)                                                                               \
  P(batched, CHOSEN, DERIVED, 0, 0, "no yes", "no", "there are several products")                  \
  P(scaled, CHOSEN, DERIVED, 0, 0, "no yes", "no", "alpha is not 1")                               \
  P(added, CHOSEN, DERIVED, 0, 0, "no yes", "no", "beta is not 0")                                 \
  P(free_a, CHOSEN, DERIVED, 0, 0, "no yes", "no", "inca is not 1")                                \
  P(free_b, CHOSEN, DERIVED, 0, 0, "no yes", "no", "incb is not 1")                                \
  P(free_c, CHOSEN, DERIVED, 0, 0, "no yes", "no", "incc is not 1")                                \
  P(units, TEXT, DERIVED, 0, 0, NULL, "auto",                                                      \
    "which dimension of a2, b2, d, ... has the stride 1")                                          \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) GEMM_##id,
  GEMM_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
      GEMM_COUNT
};

enum { GEMM_NO_SCALE, GEMM_SCALE_TENSOR, GEMM_SCALE_LINE, GEMM_SCALE_GROUP };

static inline bool gemm_has_group_scales(const ops_problem *p) {
  return p->values[GEMM_scale_a].i == GEMM_SCALE_GROUP ||
         p->values[GEMM_scale_b].i == GEMM_SCALE_GROUP;
}

/* A tensor that is combined with others: rows x columns, in batches. */
typedef struct gemm_tensor {
  const char *name; /* "a2" */
  ops_type type;
  int64_t strides[3]; /* from batch to batch, row to row, column to column */
  int8_t unit;        /* 0: rows have the stride 1, 1: columns, -1: neither */
} gemm_tensor;

/* What a, b or c is an expression of: the operand or product itself, and up to three more. */
enum { GEMM_SIDE_A, GEMM_SIDE_B, GEMM_SIDE_C, GEMM_SIDES, GEMM_MAX_MORE = 3 };
typedef struct gemm_side {
  const expression *expression; /* NULL: there is one tensor */
  gemm_tensor more[GEMM_MAX_MORE];
  unsigned count;
} gemm_side;

typedef struct gemm_parts {
  ops_epilogue epilogue;
  const ops_function *gate; /* NULL: none */
  gemm_side sides[GEMM_SIDES];
} gemm_parts;

/* Columns of the table of groups by pointers, i64: addresses, sizes and leading dimensions of each
 * group, then the addresses of the epilogue's tensors in their order. */
typedef enum gemm_column {
  GEMM_AT_A,
  GEMM_AT_B,
  GEMM_AT_C,
  GEMM_AT_M,
  GEMM_AT_N,
  GEMM_AT_K,
  GEMM_AT_LDA,
  GEMM_AT_LDB,
  GEMM_AT_LDC,
  GEMM_AT_LDD,
  GEMM_COLUMNS
} gemm_column;

static inline int64_t gemm_get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}
static inline const ops_epilogue *gemm_epilogue(const ops_problem *p) {
  return &((const gemm_parts *)p->parts)->epilogue;
}
static inline bool gemm_is_grouped(const ops_problem *p) {
  return gemm_get(p, GEMM_rows) == 1;
}
static inline bool gemm_has_pointers(const ops_problem *p) {
  return gemm_get(p, GEMM_rows) == 2;
}
static inline bool gemm_is_sorted(const ops_problem *p) {
  return gemm_get(p, GEMM_rows) == 3;
}
/* Whether rows of a, or of c, lie elsewhere than their tiles: sorted rows say where. */
static inline bool gemm_gathers(const ops_problem *p) {
  return gemm_is_sorted(p) && !(gemm_get(p, GEMM_order) & 1);
}
static inline bool gemm_scatters(const ops_problem *p) {
  return gemm_is_sorted(p) && !(gemm_get(p, GEMM_order) & 2);
}
static inline bool gemm_is_shuffled(const ops_problem *p) {
  return gemm_get(p, GEMM_b) == 2;
}
static inline gemm_order gemm_order_of_b(const ops_problem *p) {
  return gemm_order_of_weights(gemm_get(p, GEMM_type_b), gemm_get(p, GEMM_shuffle) ? 32 : 16);
}
static inline bool gemm_has_shuffled_scales(const ops_problem *p) {
  return gemm_get(p, GEMM_scale_order) == 1;
}
/* Tile blocks that share all tiles; 0: each tile has its own. */
static inline int64_t gemm_blocks(const ops_problem *p) {
  return MAX(gemm_get(p, GEMM_blocks), 0);
}
static inline bool gemm_is_stream(const ops_problem *p) {
  return gemm_blocks(p) && gemm_get(p, GEMM_share) != 0;
}
static inline bool gemm_is_atomic(const ops_problem *p) {
  return gemm_is_stream(p) && gemm_get(p, GEMM_share) == 2;
}
static inline const gemm_side *gemm_side_of(const ops_problem *p, unsigned side) {
  return &((const gemm_parts *)p->parts)->sides[side];
}
/* Columns of the table of groups; the product of one group, whose row of the table is `row`, as a
 * problem of its own; the column with the address of a tensor of that. */
int64_t gemm_table_columns(const ops_problem *p);
ops_problem gemm_group_problem(const ops_problem *p, const int64_t *row);
int64_t gemm_group_column(const ops_problem *p, const char *name);
static inline const ops_function *gemm_gate(const ops_problem *p) {
  return ((const gemm_parts *)p->parts)->gate;
}
/* Rows of a and of c, of all groups. */
int64_t gemm_rows_a(const ops_problem *p);
int64_t gemm_rows_c(const ops_problem *p);
/* Rows and products that tile blocks go through: of sorted rows all are one product. */
int64_t gemm_block_rows(const ops_problem *p);
int64_t gemm_block_batch(const ops_problem *p);
/* Columns of b: with a gate those of both products. */
int64_t gemm_columns_b(const ops_problem *p);
/* Whether everything stays an integer: sums are stored as they are. */
bool gemm_is_whole(const ops_problem *p);
/* What alpha, scales and epilogue are computed in. */
ops_type gemm_late_type(const ops_problem *p);
/* Whether steps along k have scales of their own; their sums are then of the late type. */
bool gemm_has_groups(const ops_problem *p);
/* Whether scales of groups multiply elements before the product instead: powers of two, which
 * change no digit of what the product is computed in. Steps may then have several groups. */
bool gemm_scales_elements(const ops_problem *p);
/* How many groups a step along k has. */
int64_t gemm_step_groups(const ops_problem *p);
ops_type gemm_partial_type(const ops_problem *p);
/* Whether products of few rows and columns of a tile are summed element by element, which reads a
 * and b as they lie: lines along k. */
enum { GEMM_MAX_DOTS = 32 };
/* Such products of a step along k are added up to lines of at most so many sums, which registers
 * hold; these are added to each other after the last step. */
enum { GEMM_DOT_SUMS = 16 };
bool gemm_is_dot(const ops_problem *p);
ops_epilogue_shape gemm_epilogue_shape(const ops_problem *p);

/* gemm_choose.c */
bool gemm_supported(const ops_problem *p, const ops_target *t, ops_why *why);
void gemm_candidates(const ops_target *t, ops_candidates *out);
double gemm_cost(const ops_problem *p, const ops_target *t);
/* gemm_groups.c */
void gemm_pointees(const ops_problem *p, uint64_t seed, int64_t *table, ops_pointed_list *out);
/* gemm_build.c, gemm_reference.c */
void gemm_build(ops_build *b);
void gemm_reference(ops_host *h);

/* ---- expressions of several tensors (gemm_combine.c) ------------------------------------------
 */

/* Reads expressions, types and strides; the types of a, b and c are known. */
bool gemm_combine_settle(ops_problem *p, ops_why *why);
void gemm_combine_operands(const ops_problem *p, ops_operands *out);
void gemm_combine_pass(const ops_problem *p, unsigned side, ops_steps *steps, ops_step *s);
/* The expression's value on the host; x is the element of the first tensor, or the product. */
double gemm_combine_value(const ops_host *h, unsigned side, double x, int64_t batch, int64_t i,
                          int64_t j);

/* ---- kernels ----------------------------------------------------------------------------------
 */

/* A kernel that is being built: which tile of c, and of which product. */
typedef struct gemm_kernel {
  ops_build *b;
  const ops_problem *p;
  tsr_value m, n, k;
  tsr_value i, j;
  tsr_value row_a, row_c; /* i, or where each row lies */
  tsr_value batch;        /* NULL: there is one product */
  tsr_value start;        /* the first row of a group, i32; NULL: rows are not grouped */
  tsr_value most, most_n; /* rows and columns of the largest group, m and n of others */
  bool is_second;         /* the second product of a gate: columns of b behind the first n */
  tsr_value part;         /* of k; NULL: it is not divided */
  tsr_value first, end;   /* steps along k; NULL: those of the part */
  tsr_value group;        /* row of the table of groups, an address; NULL: there is none */
  int64_t tile_m, tile_n, tile_k;
} gemm_kernel;

/* The tensor `name` ("a", "b", "c") of the product as tiles. */
ops_tiles gemm_matrix(gemm_kernel *g, const char *name, ops_type type, tsr_value rows,
                      tsr_value columns, int64_t tile_rows, int64_t tile_columns,
                      tsr_padding padding);
/* gemm_groups.c: sizes and first row of the tile block's group; rows and expert of sorted ones. */
void gemm_find_group(gemm_kernel *g);
void gemm_find_sorted(gemm_kernel *g);
/* An entry of the group's row as a pointer, and as a number of the index type. */
tsr_value gemm_group_pointer(gemm_kernel *g, unsigned column, ops_type type);
tsr_value gemm_group_number(gemm_kernel *g, unsigned column);
/* The expression of a side on tile (i, j) of `rows` x `columns`, whose first tensor's is x, in
 * `type`. */
tsr_value gemm_combine_tile(gemm_kernel *g, unsigned side, tsr_value x, ops_type type, tsr_value i,
                            tsr_value j);
/* gemm_share.c. What kernels get; whether there can be as many blocks. */
bool gemm_check_share(const ops_problem *p, ops_why *why);
void gemm_pass_share(const ops_problem *p, ops_step *s);
void gemm_pass_sums(const ops_problem *p, ops_steps *steps, ops_step *s);
int64_t gemm_share_tiles(const ops_problem *p);
/* Sums of parts of tiles that blocks leave; 0 where all have whole tiles. */
double gemm_waiting_sums(const ops_problem *p);
/* Builds `one` for each tile of a block's; the runs of steps; what clears and what ends sums. */
void gemm_build_tiles(ops_build *b, void (*one)(ops_build *b));
void gemm_build_stream(ops_build *b, gemm_kernel (*begin)(ops_build *b),
                       void (*sum)(gemm_kernel *g, tsr_value sums[2]));
void gemm_build_clear(gemm_kernel *g);
void gemm_build_stream_end(ops_build *b, gemm_kernel (*begin)(ops_build *b));

/* For kernels that have a product among others (chain.h). What a launch of it gets; the tile that
 * the tile block's number says; the sums of that, in the type of sums; what b is as tiles, and a
 * product with a tile of a that is at hand. */
void gemm_pass(const ops_problem *p, ops_steps *steps, ops_step *s);
gemm_kernel gemm_begin(ops_build *b);
void gemm_sum_tile(gemm_kernel *g, tsr_value sums[2]);
ops_tiles gemm_b_view(gemm_kernel *g);
tsr_value gemm_multiply(gemm_kernel *g, tsr_value a, tsr_value b, tsr_value sum);

/* gemm_end.c: all that becomes of the sums of a tile, of one or (with a gate) two products, in the
 * late type; without beta c is not needed and may be NULL. Then it is stored, too. */
tsr_value gemm_finish(gemm_kernel *g, const tsr_value *sums, const ops_tiles *c);
void gemm_end(gemm_kernel *g, const tsr_value *sums);
void gemm_build_combine(gemm_kernel *g);
void gemm_build_quantise(gemm_kernel *g);

#endif
