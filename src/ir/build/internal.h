/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The builder behind tessera/build.h.
 *
 *   fields.c    what the arguments of tsr_build_<op> are: one rule, from which the header
 *               tessera/ops.h is made and by which its structs are read
 *   infer.c     result types from operands
 *   builder.c   builders, regions, what goes where
 *   ops.c       operations
 *   types.c     types and constants
 */
#ifndef TSR_IR_BUILD_INTERNAL_H
#define TSR_IR_BUILD_INTERNAL_H

#include <tessera/build.h>

#include "ir/ir.h"

/* ---- fields --------------------------------------------------------------------------------- */

/* Every field of a struct tsr_<op>_args is one 8-byte word, or two for a list, so its layout is
 * the list of its fields. */
typedef enum build_field_kind {
  FIELD_VALUE,     /* tsr_value */
  FIELD_VALUES,    /* tsr_values */
  FIELD_INT,       /* int64_t: integers, and enums as one more than their value */
  FIELD_STRING,    /* const char * */
  FIELD_INTS,      /* tsr_ints */
  FIELD_SCALARS,   /* tsr_scalars */
  FIELD_PREDICATE, /* const tsr_predicate * */
  FIELD_LAYOUT,    /* const tsr_layout * */
  FIELD_TYPE,      /* tsr_type: of the first result */
  FIELD_TYPES,     /* tsr_types: of all results */
} build_field_kind;

typedef struct build_field {
  build_field_kind kind;
  const char *name;
  uint8_t index; /* operand group or attribute slot */
  bool is_attr;
  bool required;
} build_field;

enum { BUILD_MAX_FIELDS = OP_MAX_OPERANDS + OP_MAX_ATTRS + 1 };

/* The operation is built by a function of its own, not by fields: module, entry, global, constant.
 */
bool build_is_special(op_code opcode);

/* Fields in order: what is required (operands and lists of operands, attributes, a type), then
 * what is not. Returns their number. */
unsigned build_fields(op_code opcode, build_field out[BUILD_MAX_FIELDS]);

/* Whether its first result is always there, so that building gives a value. */
bool build_gives_value(op_code opcode);

/* ---- result types --------------------------------------------------------------------------- */

typedef enum build_rule {
  RULE_GIVEN, /* nothing says; the caller must */
  RULE_TOKEN,
  RULE_I32,       /* tile<i32> */
  RULE_OPERAND,   /* the type of an operand group */
  RULE_SHAPE,     /* an operand's shape, of the one element type that it may have: a mask */
  RULE_POINTEE,   /* load_ptr_tko: what the pointers point to */
  RULE_VIEW_TILE, /* load_view_tko */
  RULE_REDUCED,   /* reduce: without the dimension */
  RULE_EXTENTS,   /* get_tensor_shape, get_index_space_shape: a tile<i32>, or as given, each */
  RULE_CARRIED,   /* for, loop: the initial values' */
  RULE_OPTIONAL,  /* if: given, or none */
} build_rule;

/* How the type of result group `index` follows; `from` gets the operand group of RULE_OPERAND and
 * RULE_SHAPE. */
build_rule build_rule_of(op_code opcode, unsigned index, unsigned *from);

/* ---- the builder ---------------------------------------------------------------------------- */

typedef struct build_frame {
  ir_block *block;
  unsigned region;
} build_frame;

struct tsr_builder {
  tsr_context *ctx;
  ir_module *module;
  bool failed;
  const char *file; /* of the call under way, in the module's arena */
  uint32_t line, column;
  VEC(build_frame) frames; /* open regions; [0] is the module's body */
};

/* What to build, with operand groups flattened. */
typedef struct build_request {
  op_code opcode;
  const op_row *row;
  uint32_t segments[OP_MAX_OPERANDS];
  VEC(ir_value *) operands;
  ir_attr attrs[OP_MAX_ATTRS];
  uint32_t given; /* mask of attrs */
  tsr_types types;
} build_request;

void build_at(tsr_builder *b, const char *file, unsigned line);
/* Reports at the C code that called and marks the builder as failed. */
void build_error(tsr_builder *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Something that the caller got from a failed call: silent when there was one, else reported. */
void build_missing(tsr_builder *b, const char *op, const char *what);
ir_block *build_block(tsr_builder *b);
bool build_open(tsr_builder *b, ir_op *op, unsigned region);
/* A tile type, checked. */
tsr_type build_tile(tsr_builder *b, tsr_elem elem, tsr_elem pointee, tsr_ints shape);
tsr_type build_tile_like(tsr_builder *b, tsr_type t, tsr_ints shape); /* of the same elements */
/* A tile from packed elements, checked; `what` names the operation in messages. */
const ir_dense *build_dense(tsr_builder *b, const char *what, tsr_type type, const void *data,
                            size_t bytes);
/* Adds an operation without operands: a constant. */
ir_value *build_constant(tsr_builder *b, const ir_dense *value);
const char *build_type_text(tsr_builder *b, const ir_type *t); /* "nothing" of NULL */

/* The request's operation with its results' types; NULL when it is wrong, after reporting. */
ir_op *build_request_run(tsr_builder *b, build_request *r);
/* Result types in the module's arena, `n` of them; NULL when they do not follow, after reporting.
 */
const ir_type **build_infer(tsr_builder *b, const build_request *r, uint32_t *n);
ir_value *build_request_operand(const build_request *r, unsigned group); /* first of it, or NULL */

#endif
