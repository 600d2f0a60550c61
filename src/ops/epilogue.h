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
 *   quantise:row:TYPE      x / row_scale, a number for each row that is found and written: it makes
 *                          the largest element of the row the largest of TYPE
 *   smooth[:TYPE]          x * smooth, a number for each column: for smooth quantisation
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

typedef enum ops_span { OPS_SPAN_MN, OPS_SPAN_M, OPS_SPAN_N, OPS_SPAN_TENSOR } ops_span;
typedef enum ops_stage_kind {
  OPS_STAGE_ADD,
  OPS_STAGE_MULTIPLY,
  OPS_STAGE_QUANTISE,
  OPS_STAGE_FUNCTION
} ops_stage_kind;

typedef struct ops_stage {
  uint8_t kind; /* ops_stage_kind */
  uint8_t span; /* ops_span */
  const ops_function *function;
  double numbers[OPS_FUNCTION_ARGS];
  const char *operand; /* NULL: none */
  ops_type type;       /* the operand's */
} ops_stage;

enum { OPS_MAX_STAGES = 12 };

typedef struct ops_epilogue {
  ops_stage stages[OPS_MAX_STAGES];
  unsigned count;
  ops_type result; /* below 0: the specification does not say */
  bool by_row;     /* the last stage is quantise:row: see ops_quantise_emit */
} ops_epilogue;

/* Reads a specification; tensors of elements hold `type` where it does not say. */
bool ops_epilogue_parse(ops_epilogue *e, arena *a, str text, ops_type type, ops_why *why);

/* How the tensors of elements lie: with `rows` x `columns` and their strides, in `batch` pieces. */
typedef struct ops_epilogue_shape {
  int64_t batch, rows, columns;
  int64_t batch_stride, row_stride, column_stride; /* of OPS_SPAN_MN */
  bool stays;                                      /* not all rows are written */
  bool has_groups; /* vectors of columns have a row for each of `groups` */
  int64_t groups;
} ops_epilogue_shape;
/* Adds the tensors. Vectors and numbers serve all pieces. */
void ops_epilogue_operands(const ops_epilogue *e, const ops_epilogue_shape *shape,
                           ops_operands *out);
/* The result of quantise:row that is no element: what each row is to be multiplied by. */
#define OPS_ROW_SCALE "row_scale"
/* Passes them to a step, as well as "ld_epilogue" and "batch_stride_epilogue" where tensors of
 * elements need them. */
void ops_epilogue_pass(const ops_epilogue *e, const ops_epilogue_shape *shape, ops_steps *steps,
                       ops_step *s);

/* Where a tile of a result lies: tile (i, j) of the piece that `batch` (NULL: the only one)
 * says. */
typedef struct ops_place {
  tsr_value rows, columns; /* of the result, in the index type */
  tsr_value i, j;
  tsr_value batch;
  tsr_value start; /* the row of the tensors that row 0 of the piece is; NULL: 0 */
  tsr_value lines; /* where each row of the tile lies, i32; NULL: in their order */
  tsr_value group; /* which row of vectors of columns; NULL: there is one */
  int64_t tile_rows, tile_columns;
  bool column_major;               /* tensors of elements */
  tsr_value ld;                    /* of tensors of elements; NULL: the argument */
  tsr_value bases[OPS_MAX_STAGES]; /* of the stages' tensors; NULL: the arguments */
} ops_place;
/* One stage of a tile, or of an element; y is what the stage's tensor has there. */
tsr_value ops_stage_emit(ops_build *b, const ops_stage *s, tsr_value x, tsr_value y);
double ops_stage_value(const ops_stage *s, double x, double y);
/* Applies the stages to a tile of rank 2 of f32 or f64. */
tsr_value ops_epilogue_emit(ops_build *b, const ops_epilogue *e, tsr_value x, const ops_place *at);
/* A step that quantises rows: goes twice through the tiles of a row of tiles, which `load` gives as
 * `from`, f32 or f64, with 0 for what lies outside, gives each tile as `type` to `store`, and
 * stores the row scales of rows from `first` on in the tensor of all of them. */
typedef struct ops_quantise {
  ops_type type;
  int64_t tile_rows, tile_columns;
  tsr_value turns;  /* tiles of a row, i32 */
  tsr_value i;      /* which row of tiles */
  tsr_value rows;   /* in the piece, of the index type */
  tsr_value scales; /* address of the first row's scale */
  tsr_value (*load)(void *user, tsr_value j);
  void (*store)(void *user, tsr_value tile, tsr_value j);
  void *user;
} ops_quantise;
void ops_quantise_emit(ops_build *b, const ops_quantise *q, ops_type from);
/* What elements of rows are divided by, given the largest of each; 1 for rows of zeros. */
tsr_value ops_quantise_divisor(ops_build *b, ops_type type, tsr_value largest);
double ops_quantise_scale(ops_type type, double largest);
/* Applies them to one element on the host. */
double ops_epilogue_value(const ops_host *h, const ops_epilogue *e, double x, int64_t batch,
                          int64_t i, int64_t j);

#endif
