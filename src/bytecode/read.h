/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the reader share.
 *
 * The file is hostile until shown otherwise. So: a cursor never leaves its section; a count is
 * believed only as far as bytes follow it; what a file can refer to again and again (a string, a
 * type, a constant) is made once and kept; depth is limited. Every function here returns false
 * after reporting an error, and its caller returns false, too.
 */
#ifndef TSR_BYTECODE_READ_H
#define TSR_BYTECODE_READ_H

#include "bytecode/format.h"

enum {
  MAX_HINTS = 4096, /* of one operation, as in text */
};

/* What is left of a section. */
typedef struct cursor {
  const uint8_t *p, *end;
  uint8_t section; /* section_id; SECTION_COUNT: the file itself */
} cursor;

/* An array of offsets into the bytes after it. */
typedef struct offset_table {
  cursor data;
  const uint8_t *offsets;
  uint32_t n;
  uint8_t width; /* bytes of an offset: 4 or 8 */
} offset_table;

/* A constant's elements as ir_dense wants them, for one size of element. */
typedef struct constant_form {
  uint32_t key;
  bool splat;
  uint32_t size;
  const void *data;
  struct constant_form *next;
} constant_form;

typedef struct debug_entry {
  uint8_t tag;      /* debug_tag */
  uint8_t state;    /* while looking for circles */
  uint32_t at;      /* a scope: 1 + its index in the module; a location: its ir_loc */
  uint32_t kids[2]; /* 1 + index of entries that it refers to; 0: none */
} debug_entry;

typedef struct reader {
  tsr_context *ctx;
  ir_module *m;
  arena temp;
  const char *name; /* of the file */
  const uint8_t *file;
  size_t size;
  unsigned version; /* minor */
  cursor sections[SECTION_COUNT];
  bool present[SECTION_COUNT];
  op_layouts layouts;

  offset_table strings, types, constants, debug;
  str *string_cache;          /* data NULL: not asked for yet */
  const ir_type **type_cache; /* NULL: not read yet */
  constant_form **forms;      /* of each constant */
  debug_entry *debug_entries;
  const uint8_t *function_offsets, *locations; /* of the debug section */
  uint64_t n_debug_functions, n_locations;

  /* The function at work. */
  VEC(ir_value *) values;               /* visible, by number */
  VEC(ir_value *) operands;             /* of the operation at work */
  VEC(const ir_type *) results;         /* or the arguments of a block */
  uint64_t next_location, end_location; /* equal: none are left */
  bool has_locations;
  unsigned depth;
} reader;

/* ---- read.c ---------------------------------------------------------------------------------- */

bool read_fail(reader *r, const cursor *c, const char *fmt, ...) PRINTF_LIKE(3, 4);

bool read_varint_slow(reader *r, cursor *c, uint64_t *out);
static inline bool read_varint(reader *r, cursor *c, uint64_t *out) {
  if (c->p < c->end && *c->p < 0x80) {
    *out = *c->p++;
    return true;
  }
  return read_varint_slow(r, c, out);
}
bool read_signed(reader *r, cursor *c, int64_t *out);
bool read_byte(reader *r, cursor *c, uint8_t *out);
/* A varint that must be below `limit`: an index into what `what` says, "string". */
bool read_index(reader *r, cursor *c, uint64_t limit, const char *what, uint32_t *out);
/* A list with its length in front: each `width` bytes, sign-extended into an array in r->temp. At
 * most `max`. */
bool read_int_list(reader *r, cursor *c, unsigned width, uint32_t max, const char *what,
                   int64_t **out, uint32_t *n);
bool skip_padding(reader *r, cursor *c, unsigned alignment);
/* Reads a count (unless `n` says it), padding, and as many offsets; the data takes the rest. */
bool read_offset_table(reader *r, cursor c, unsigned width, const char *what, offset_table *out);
bool offset_table_item(reader *r, const offset_table *t, uint32_t index, const char *what,
                       cursor *out);

bool read_string(reader *r, cursor *c, str *out); /* an index; the string is terminated */
bool read_name(reader *r, cursor *c, str *out);   /* the same, not empty */

/* ---- the other files ------------------------------------------------------------------------- */

bool type_at(reader *r, const cursor *c, uint32_t index, const ir_type **out);
bool read_type(reader *r, cursor *c, const ir_type **out); /* an index */

/* Constant `index` as a value of a tile type. */
bool constant_at(reader *r, const cursor *c, uint32_t index, const ir_type *type,
                 const ir_dense **out);

bool read_debug_section(reader *r);
/* The list of locations that function `index` (0: none) of the debug section has; takes the first,
 * the function's own. */
bool begin_locations(reader *r, cursor *c, uint64_t index, ir_loc *out);
bool next_location(reader *r, const cursor *c, ir_loc *out);

/* The value of an attribute of the row; `result` is the first result's type or NULL. */
bool read_attribute(reader *r, cursor *c, const op_attr *a, const ir_type *result, ir_attr *out);
bool read_tagged_hints(reader *r, cursor *c, ir_attr *out);

/* A kernel's operations: all that is left of the cursor. */
bool read_body(reader *r, cursor *c, ir_op *entry);

#endif
