/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm: c = epilogue(alpha * scales * (a b) + beta * c), for a batch of matrices.
 *
 *   gemm.c            parameters, tensors, launches
 *   gemm_build.c      the kernels        gemm_choose.c     what is supported, candidates, costs
 *   gemm_reference.c  in plain C
 *
 * With split_k the first kernel leaves partial sums of a part of k each in the workspace, and the
 * second adds them and applies the epilogue, always in the same order.
 */
#ifndef TSR_OPS_GEMM_H
#define TSR_OPS_GEMM_H

#include "ops/epilogue.h"
#include "ops/ops.h"

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
  P(b, CHOSEN, FORM, 0, 0, "row column", "row", "rows of b are contiguous, or its columns")        \
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
  P(group_n, INTEGER, FORM, 1, 1 << 20, NULL, "1", "columns of b that share a scale of a group")   \
  P(rows, CHOSEN, FORM, 0, 0, "one grouped", "one",                                                \
    "grouped: rows of a and c belong to one of `batch` groups, each with a b, by offsets")         \
  P(m, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "rows of a and c, of the largest group")      \
  P(total_m, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed", "rows of all groups")                \
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
  P(tile_m, INTEGER, CHOICE, 1, 1024, "auto", "auto", "rows of a tile of c, a power of two")       \
  P(tile_n, INTEGER, CHOICE, 1, 4096, "auto", "auto", "columns of a tile of c, a power of two")    \
  P(tile_k, INTEGER, CHOICE, 1, 1024, "auto", "auto", "length of a step along k, a power of two")  \
  P(split_k, INTEGER, CHOICE, 1, 256, "auto", "auto", "parts of k that are summed up apart")       \
  OPS_HINT_PARAMS(P)                                                                               \
  P(batched, CHOSEN, DERIVED, 0, 0, "no yes", "no", "there are several products")                  \
  P(scaled, CHOSEN, DERIVED, 0, 0, "no yes", "no", "alpha is not 1")                               \
  P(added, CHOSEN, DERIVED, 0, 0, "no yes", "no", "beta is not 0")                                 \
  P(free_a, CHOSEN, DERIVED, 0, 0, "no yes", "no", "inca is not 1")                                \
  P(free_b, CHOSEN, DERIVED, 0, 0, "no yes", "no", "incb is not 1")                                \
  P(free_c, CHOSEN, DERIVED, 0, 0, "no yes", "no", "incc is not 1")                                \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) GEMM_##id,
  GEMM_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
      GEMM_COUNT
};

enum { GEMM_NO_SCALE, GEMM_SCALE_TENSOR, GEMM_SCALE_LINE, GEMM_SCALE_GROUP };

typedef struct gemm_parts {
  ops_epilogue epilogue;
  const ops_function *gate; /* NULL: none */
} gemm_parts;

static inline int64_t gemm_get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}
static inline const ops_epilogue *gemm_epilogue(const ops_problem *p) {
  return &((const gemm_parts *)p->parts)->epilogue;
}
static inline bool gemm_is_grouped(const ops_problem *p) {
  return gemm_get(p, GEMM_rows) == 1;
}
static inline const ops_function *gemm_gate(const ops_problem *p) {
  return ((const gemm_parts *)p->parts)->gate;
}
/* Rows of a and c, of all groups. */
int64_t gemm_all_rows(const ops_problem *p);
/* Whether everything stays an integer: sums are stored as they are. */
bool gemm_is_whole(const ops_problem *p);
/* What alpha, scales and epilogue are computed in. */
ops_type gemm_late_type(const ops_problem *p);
/* Whether steps along k have scales of their own; their sums are then of the late type. */
bool gemm_has_groups(const ops_problem *p);
ops_type gemm_partial_type(const ops_problem *p);
ops_epilogue_shape gemm_epilogue_shape(const ops_problem *p);

/* gemm_choose.c */
bool gemm_supported(const ops_problem *p, const ops_target *t, ops_why *why);
void gemm_candidates(const ops_target *t, ops_candidates *out);
double gemm_cost(const ops_problem *p, const ops_target *t);
/* gemm_build.c, gemm_reference.c */
void gemm_build(ops_build *b);
void gemm_reference(ops_host *h);

#endif
