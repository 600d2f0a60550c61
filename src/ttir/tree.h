/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A module of Triton's as it was read: functions, blocks, operations, values. The reader makes this
 * tree, the lowering walks over it, once for each call of a function.
 */
#ifndef TSR_TTIR_TREE_H
#define TSR_TTIR_TREE_H

#include "ir/ir.h"

typedef struct tt_op tt_op;
typedef struct tt_block tt_block;
typedef struct tt_region tt_region;
typedef struct tt_row tt_row;

/* A type: a tile of Tile IR (scalars have rank 0), or a descriptor of memory whose blocks are such
 * tiles. NULL in `tile`: no type. */
typedef struct tt_type {
  const ir_type *tile;
  bool is_descriptor;
} tt_type;

/* What a descriptor stands for: a tensor in memory. */
typedef struct tt_descriptor {
  ir_value *base;
  uint32_t rank;
  ir_value *shape[IR_MAX_RANK];   /* scalars of i64 */
  ir_value *strides[IR_MAX_RANK]; /* likewise, in elements */
  bool pads_nan;
} tt_descriptor;

typedef struct tt_value {
  str name; /* without '%' */
  tt_type type;
  const tt_op *op; /* NULL: an argument */
  /* While it is lowered: what has taken its place, in the function's current copy. */
  ir_value *now;
  const tt_descriptor *descriptor;
} tt_value;

typedef enum tt_attr_kind {
  TT_OTHER, /* something that nobody asks for; `text` */
  TT_UNIT,
  TT_INT, /* also true and false */
  TT_WORD,
  TT_STRING,
  TT_INTS, /* array<i32: 1, 0>, dense<16>, dense<[1, 2]> */
} tt_attr_kind;

typedef struct tt_attr {
  str name;
  uint8_t kind; /* tt_attr_kind */
  int64_t i;
  str text;
  const int64_t *ints;
  uint32_t n_ints;
  struct tt_attr *next;
} tt_attr;

/* A bare word of the custom form, and how many operands stood before it. */
typedef struct tt_word {
  str text;
  uint32_t at;
} tt_word;

typedef struct tt_successor {
  tt_block *block;
  tt_value **args;
  uint32_t n_args;
} tt_successor;

enum { TT_MAX_WORDS = 8, TT_MAX_SUCCESSORS = 2, TT_MAX_REGIONS = 2 };

struct tt_op {
  str name; /* "tt.load" */
  const tt_row *row;
  uint32_t offset; /* in the text */
  ir_loc loc;
  bool generic; /* written in the generic form */
  tt_value **operands;
  uint8_t *brackets; /* of each operand: how many square brackets stood before it */
  uint32_t n_operands;
  tt_value *results;
  uint32_t n_results;
  tt_attr *attrs;
  tt_word words[TT_MAX_WORDS];
  uint32_t n_words;
  str string, symbol; /* the first of each */
  const ir_dense *constant;
  tt_successor successors[TT_MAX_SUCCESSORS];
  uint32_t n_successors;
  tt_region *regions[TT_MAX_REGIONS];
  uint32_t n_regions;
  tt_op *next;
};

struct tt_block {
  str name; /* without '^' */
  uint32_t offset;
  bool defined;
  tt_value *args;
  uint32_t n_args;
  tt_op *first, *last;
  tt_block *next;
  /* In the walk over branches. */
  uint32_t visit;
};

struct tt_region {
  tt_block *first, *last;
};

typedef struct tt_function {
  str name;
  uint32_t offset;
  ir_loc loc;
  bool is_public;
  tt_value *args;
  tt_attr **arg_attrs;
  ir_loc *arg_locs;
  uint32_t n_args;
  tt_region *body; /* NULL: declared only */
  bool open;       /* it is being put in place of a call */
  uint8_t effects; /* 1 + tt_effects once known */
  struct tt_function *next;
} tt_function;

/* How the type of the results follows. */
typedef enum tt_result {
  TT_NO_RESULT,
  TT_FIRST,   /* the types behind the arrow, else the first type */
  TT_LAST,    /* the last type that is spelled out */
  TT_BOOL,    /* i1 in the shape of the first */
  TT_POINTEE, /* what the first points to */
  TT_ELEMENT, /* an element of the first */
  TT_WRITTEN, /* as many as the names on the left, spelled out behind the arrow */
} tt_result;

typedef struct lowering lowering;
typedef bool (*tt_lower_fn)(lowering *l, tt_op *op);

/* What an operation does to memory. */
typedef enum tt_effects { TT_PURE = 0, TT_READS = 1, TT_WRITES = 2 } tt_effects;

/* An operation that the reader knows. */
struct tt_row {
  const char *name;
  uint8_t least, most; /* operands */
  uint8_t result;      /* tt_result */
  uint8_t effects;     /* tt_effects */
  tt_lower_fn lower;
  op_code opcode; /* for rows of one function */
  int64_t arg;
};

typedef struct tt_tree {
  tt_function *first, *last;
  strmap functions; /* name -> tt_function* */
} tt_tree;

const tt_row *tt_row_find(str name);

#endif
