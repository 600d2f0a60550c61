/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Epilogues: what becomes of the elements of a result before they are stored.
 *
 *   bias:n+gelu+residual+scale:m+quantise:n:i8        stages, from the left to the right
 *
 *   STAGE                  y =
 *   bias[:SPAN][:TYPE]     x + bias
 *   residual[:TYPE]        x + residual
 *   multiply[:SPAN][:TYPE] x * multiply
 *   scale[:SPAN][:TYPE]    x * scale
 *   quantise[:SPAN]:TYPE   x / quantise, rounded and saturated to TYPE, which the result then has
 *   cast:TYPE              x as TYPE, which the result then has; only as the last stage
 *   FUNCTION[:NUMBER...]   the function of x (function.h): relu, gelu, clamp:0:6
 *
 * SPAN says which tensor there is: `m` a number for each row, `n` for each column, `tensor` one
 * number, `mn` one for each element. TYPE is what it holds. A stage that has a tensor gives it its
 * name, with a number from the second of this name on: bias, bias2.
 */
#ifndef TSR_OPS_EPILOGUE_H
#define TSR_OPS_EPILOGUE_H

#include "ops/function.h"
#include "ops/host.h"

typedef enum op_span { OP_SPAN_MN, OP_SPAN_M, OP_SPAN_N, OP_SPAN_TENSOR } op_span;
typedef enum op_stage_kind {
  OP_STAGE_ADD,
  OP_STAGE_MULTIPLY,
  OP_STAGE_QUANTISE,
  OP_STAGE_FUNCTION
} op_stage_kind;

typedef struct op_stage {
  uint8_t kind; /* op_stage_kind */
  uint8_t span; /* op_span */
  const op_function *function;
  double numbers[OP_FUNCTION_ARGS];
  const char *operand; /* NULL: none */
  op_type type;        /* the operand's */
} op_stage;

enum { OP_MAX_STAGES = 12 };

typedef struct op_epilogue {
  op_stage stages[OP_MAX_STAGES];
  unsigned count;
  op_type result; /* below 0: the specification does not say */
} op_epilogue;

/* Reads a specification; tensors of elements hold `type` where it does not say. */
bool op_epilogue_parse(op_epilogue *e, arena *a, str text, op_type type, op_why *why);

/* How the tensors of elements lie: with `rows` x `columns` and their strides, in `batch` pieces. */
typedef struct op_epilogue_shape {
  int64_t batch, rows, columns;
  int64_t batch_stride, row_stride, column_stride; /* of OP_SPAN_MN */
} op_epilogue_shape;
/* Adds the tensors. Vectors and numbers serve all pieces. */
void op_epilogue_operands(const op_epilogue *e, const op_epilogue_shape *shape, op_operands *out);
/* Passes them to a step, as well as "ld_epilogue" and "batch_stride_epilogue" where tensors of
 * elements need them. */
void op_epilogue_pass(const op_epilogue *e, const op_epilogue_shape *shape, op_steps *steps,
                      op_step *s);

/* Where a tile of a result lies: tile (i, j) of the piece that `batch` (NULL: the only one)
 * says. */
typedef struct op_place {
  tsr_value rows, columns; /* of the result, in the index type */
  tsr_value i, j;
  tsr_value batch;
  int64_t tile_rows, tile_columns;
  bool column_major; /* tensors of elements */
} op_place;
/* Applies the stages to a tile of rank 2 of f32 or f64. */
tsr_value op_epilogue_emit(op_build *b, const op_epilogue *e, tsr_value x, const op_place *at);
/* Applies them to one element on the host. */
double op_epilogue_value(const op_host *h, const op_epilogue *e, double x, int64_t batch, int64_t i,
                         int64_t j);

#endif
