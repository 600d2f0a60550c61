/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What reader and writer share: the numbers of the format, and how the operation table becomes a
 * sequence of bytes.
 */
#ifndef TSR_BYTECODE_FORMAT_H
#define TSR_BYTECODE_FORMAT_H

#include "bytecode/bytecode.h"
#include "ir/version.h"

enum { MAGIC_SIZE = 8, HEADER_SIZE = 12, VERSION_MAJOR = 13, PADDING_BYTE = 0xcb };
extern const char bytecode_magic[MAGIC_SIZE];

typedef enum section_id {
  SECTION_END,
  SECTION_STRINGS,
  SECTION_FUNCTIONS,
  SECTION_DEBUG,
  SECTION_CONSTANTS,
  SECTION_TYPES,
  SECTION_GLOBALS,
  SECTION_PRODUCER, /* since 13.3 */
  SECTION_COUNT
} section_id;
enum { SECTION_ALIGNED = 0x80 }; /* beside the id: an alignment follows the length */

const char *section_name(unsigned id);
/* What the start of the section must be aligned to; 1: nothing. */
unsigned section_alignment(unsigned id);

typedef enum type_tag {
  TAG_POINTER = 12,
  TAG_TILE = 13,
  TAG_TENSOR_VIEW = 14,
  TAG_PARTITION_VIEW = 15,
  TAG_FUNCTION = 16,
  TAG_TOKEN = 17,
  TAG_GATHER_SCATTER_VIEW = 20,
  TAG_STRIDED_VIEW = 21
} type_tag;

typedef struct elem_code {
  uint8_t tag;   /* of the type */
  uint8_t bytes; /* of an element in a constant */
  uint8_t bits;  /* of a scalar attribute */
  uint8_t shift; /* of the scalar's bits in our patterns: 13 for tf32 */
} elem_code;
extern const elem_code elem_codes[TSR_ELEM_COUNT]; /* of types that bytecode has */
int elem_by_tag(uint64_t tag);                     /* tsr_elem; -1: none */

typedef enum attribute_tag {
  ATTRIBUTE_INTEGER = 1,
  ATTRIBUTE_FLOAT = 2,
  ATTRIBUTE_BOOL = 3,
  ATTRIBUTE_ARRAY = 6,
  ATTRIBUTE_DIV_BY = 8,
  ATTRIBUTE_SAME_ELEMENTS = 9,
  ATTRIBUTE_DICTIONARY = 10,
  ATTRIBUTE_HINTS = 11,
  ATTRIBUTE_BOUNDED = 12
} attribute_tag;

typedef enum debug_tag {
  DEBUG_UNKNOWN,
  DEBUG_COMPILE_UNIT,
  DEBUG_FILE,
  DEBUG_LEXICAL_BLOCK,
  DEBUG_LOCATION,
  DEBUG_SUBPROGRAM,
  DEBUG_CALL_SITE
} debug_tag;

/* Since 13.5 hints are always there, and have no flag. */
enum { FUNCTION_PRIVATE = 1, FUNCTION_KERNEL = 2, FUNCTION_HINTS = 4 };

/* ---- operations ------------------------------------------------------------------------------
 *
 * An operation is: its number; how many results, when `counts_results`; their types; a word of
 * flags, since version `flags_since`; the attributes that are there, units excepted; operands;
 * regions. */

enum { NO_BIT = 0xff };
enum { MAX_REGION_DEPTH = 256 }; /* regions in regions, as in text */

typedef struct op_layout {
  uint8_t n_attrs, n_operands, n_results, n_regions; /* of the row */
  bool counts_results;                  /* an operand or result group may be any number */
  bool counts_operands;                 /* all operands are one list with its length in front */
  uint8_t flags_since;                  /* ir_version; 0: it has no flags */
  uint8_t attr_bit[OP_MAX_ATTRS];       /* its flag; NO_BIT: it is always there */
  uint8_t operand_bit[OP_MAX_OPERANDS]; /* its flag; NO_BIT: no optional operand */
} op_layout;

typedef struct op_layouts {
  op_layout ops[OP_COUNT];
  uint8_t codes[256]; /* op_code by number; OP_NONE */
} op_layouts;

void op_layouts_init(op_layouts *out);

/* Since when a part of a row exists, `since` being its own entry. */
static inline unsigned part_since(const op_row *row, unsigned since) {
  return since ? since : row->since;
}

#endif
