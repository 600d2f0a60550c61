/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Layouts that a kernel of the block level leaves out. They are found in the order in which they
 * are certain: what is stated and what matrix products ask for, then what memory asks for, then the
 * default. From there they spread through the operations, forward first, then backward to values
 * that are computed from constants and indices. Where two meet, convert_layout stands on the edge,
 * or what is cheap is computed once more. docs/block-level.md has the rules.
 *
 *   infer.c         the program as a table, and how layouts spread in it
 *   infer_rules.c   what one operation's layouts say about each other
 *   infer_choose.c  the layouts that memory and matrix products ask for
 *   infer_edges.c   the types, and what stands where two layouts meet
 */
#ifndef TSR_IR_BLOCK_INFER_H
#define TSR_IR_BLOCK_INFER_H

#include "ir/block/layouts.h"

/* Fills in the layouts of all kernels of the block level; kernels that state all of them stay as
 * they are, and so do those that are not well-formed, of which the verifier says why. Reports and
 * returns false where a layout cannot be found. Takes time in proportion to the program. */
bool ir_infer_layouts(ir_module *m);

/* ---- what the files share ------------------------------------------------------------------- */

/* How certain a layout is. */
typedef enum infer_rank { INFER_STATED, INFER_MEMORY, INFER_DEFAULT, INFER_NONE } infer_rank;

typedef struct infer_value {
  ir_value *value;
  const tsr_layout *layout; /* of the first of its class */
  uint32_t same_as; /* the first of the values that must have one layout: what a for hands on
                       and its result */
  int32_t threads;  /* of the group that has it */
  uint8_t rank;     /* infer_rank */
  uint8_t cost;     /* operations that compute it from constants and indices alone; 0: more
                       than can be repeated */
  bool movable;     /* it may be computed in any layout */
  bool stated;      /* in the program */
} infer_value;

typedef struct infer_op {
  ir_op *op;
  uint32_t jumps;  /* of a loop, branch or group: 1 + the first operation that ends it; 0: none */
  uint32_t others; /* of such a one: 1 + the next */
  int32_t threads;
  bool waits[2]; /* to be looked at, forward and backward */
} infer_op;

typedef VEC(uint32_t) infer_heap;

typedef struct infer {
  ir_module *m;
  arena scratch;
  VEC(infer_op) ops;
  VEC(infer_value) values; /* by ir_value.number */
  map numbers;             /* ir_op* -> 1 + its place in `ops` */
  infer_heap heaps[2];
  map changed;    /* number of a value and of a layout -> the value in that layout */
  map layout_ids; /* layouts' numbers in it */
  uint32_t n_layouts;
} infer;

/* Only a tile of rank 1 and more has a layout. */
static inline bool infer_needs(const ir_type *t) {
  return t->kind == IR_TILE && t->rank;
}

/* The value's row, that of the first of its class. */
infer_value *infer_row(infer *x, const ir_value *v);
static inline const tsr_layout *infer_layout(infer *x, const ir_value *v) {
  return infer_row(x, v)->layout;
}
const infer_op *infer_op_row(infer *x, const ir_op *op);
/* A value that was made later. */
void infer_add_value(infer *x, ir_value *v);

/* ---- infer_rules.c */

/* Whether the rows of the table hold, as far as the following relies on them. */
bool infer_is_sound(const ir_op *op);
/* Whether operands and results of the operation all have one layout. */
bool infer_is_alike(const ir_op *op);
/* The value that an operand becomes at the end of a region or at the start of a loop; NULL. */
ir_value *infer_target(const ir_op *op, uint32_t operand);
/* What the operands' layouts say of result `i`; NULL when they say nothing yet. */
const tsr_layout *infer_forward(infer *x, const ir_op *op, uint32_t i, infer_rank *rank);
/* The layout in which the operation needs its operand; NULL when any will do, or when it is not
 * known yet. `failed` (may be NULL) is set where there is none. */
const tsr_layout *infer_need(infer *x, const ir_op *op, uint32_t operand, bool *failed);
/* The layout of the operand of an operation that can be computed in any layout, here in `l`. */
const tsr_layout *infer_backward(infer *x, const ir_op *op, uint32_t operand, const tsr_layout *l);

/* ---- infer_choose.c */

/* For a tile of which nothing is known: 16 bytes along the last dimension to a thread, the next
 * ones to the next thread. NULL: there is none. */
const tsr_layout *infer_default(infer *x, const ir_type *tile, int32_t threads);
/* The same in the order of the view or the shared memory that an operation accesses. */
const tsr_layout *infer_of_memory(infer *x, const ir_type *tile, const ir_type *memory,
                                  int32_t threads);
/* Of the accumulator of a product that nothing says anything of. */
const tsr_layout *infer_accumulator(infer *x, const ir_op *op, int32_t threads);
/* Of lhs (0) or rhs (1) of a product with that accumulator; NULL: there is none. */
const tsr_layout *infer_factor(infer *x, const ir_op *op, unsigned operand, const tsr_layout *acc);

/* ---- infer_edges.c */

/* Gives the values their types, and converts at the edges where layouts meet. */
bool infer_apply(infer *x);
/* Gives what constants hold the types of their results. */
void infer_set_constants(infer *x);

#endif
