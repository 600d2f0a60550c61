/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the writer share. Tables number their entries in the order in which the module
 * first needs them, as the reference's writer does, so that equal modules give equal bytes there
 * and here. An error does not stop the writer at once: it continues, to report the next one too.
 */
#ifndef TSR_BYTECODE_WRITE_H
#define TSR_BYTECODE_WRITE_H

#include "bytecode/format.h"

/* An entry of the table of types: a type of the module, or what elements consist of. */
typedef struct type_entry {
  const ir_type *type; /* NULL: a number, or a pointer to one */
  uint8_t elem;        /* tsr_elem */
  bool pointer;
  uint8_t ptr_attr; /* of the pointer, as in ir_type */
} type_entry;

/* Locations of one function and its operations, as numbers of debug entries. */
typedef VEC(uint32_t) location_list;

typedef struct writer {
  tsr_context *ctx;
  ir_module *m;
  arena temp;
  unsigned version; /* minor */
  op_layouts layouts;
  const ir_op *op; /* at work, for messages */
  bool failed;

  sbuf scratch; /* keys */
  unsigned depth;

  strmap strings;
  VEC(str) string_list;
  uint32_t *type_numbers; /* by the type's id: 1 + its number */
  uint32_t elem_numbers[TSR_ELEM_COUNT];
  uint32_t pointer_numbers[2 + PTR_ATTR_NONE][TSR_ELEM_COUNT]; /* by ptr_attr */
  VEC(type_entry) types;
  strmap constants;
  VEC(str) constant_list; /* the type's address, then the bytes */

  strmap debug; /* an entry's content -> its number */
  VEC(struct debug_item *) debug_list;
  uint32_t *loc_numbers, *scope_numbers; /* 1 + the entry's number, once it has one */
  uint8_t *checked_locs;                 /* whether bytecode could hold them has been looked at */
  VEC(location_list) locations;
  location_list *function; /* of the function at work; NULL: it has no debug information */
} writer;

/* ---- bytes ----------------------------------------------------------------------------------- */

static inline void put_byte(sbuf *b, uint8_t byte) {
  if (b->cap - b->len < 2) sbuf_grow(b, 1);
  b->data[b->len++] = (char)byte;
}
static inline void put_varint(sbuf *b, uint64_t v) {
  if (b->cap - b->len < 12) sbuf_grow(b, 11);
  char *p = b->data + b->len;
  for (; v >= 0x80; v >>= 7) *p++ = (char)(v | 0x80);
  *p++ = (char)v;
  b->len = (size_t)(p - b->data);
}
static inline void put_signed(sbuf *b, int64_t v) {
  put_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}
/* The low `width` bytes, lowest first. */
void put_int(sbuf *b, uint64_t v, unsigned width);
void put_padding(sbuf *b, unsigned alignment);

/* ---- write.c --------------------------------------------------------------------------------- */

/* Reports an error at the operation at work. */
void write_fail(writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "WHAT needs bytecode version 13.x; 13.y was asked for". */
void write_refuse(writer *w, const char *what, unsigned since);
static inline bool write_stopped(const writer *w) {
  return w->failed && w->ctx->errors >= w->ctx->error_limit;
}

/* ---- write_pool.c: strings, types, constants ------------------------------------------------- */

uint32_t string_number(writer *w, str s);
uint32_t elem_number(writer *w, tsr_elem elem);
uint32_t type_number(writer *w, const ir_type *t);
uint32_t constant_number(writer *w, const ir_dense *d);
void put_string_section(writer *w, sbuf *b);
void put_type_section(writer *w, sbuf *b);
void put_constant_section(writer *w, sbuf *b);

/* ---- write_debug.c --------------------------------------------------------------------------- */

void debug_begin(writer *w);
/* The number of a function's list of locations, 0 when it has no debug information; begins it. */
uint32_t debug_function(writer *w, const ir_op *op);
/* Adds the location of an operation to a list (NULL: checks that it could be written). */
void debug_operation(writer *w, location_list *list, const ir_op *op);
bool debug_is_empty(const writer *w);
void put_debug_section(writer *w, sbuf *b);

/* ---- write_op.c ------------------------------------------------------------------------------ */

void put_hints(writer *w, sbuf *b, const ir_hints *h);
/* The operations of a kernel, its arguments numbered first. */
void put_body(writer *w, sbuf *b, const ir_block *body);

#endif
