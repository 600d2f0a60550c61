/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files that read layout expressions share: the text with the place that is read, its
 * tokens, and CuTe's notation of memory layouts.
 */
#ifndef TSR_LAYOUT_NOTATION_H
#define TSR_LAYOUT_NOTATION_H

#include "layout/layout.h"

/* The text that is read, and where. After the first error `failed` is set and nothing more is
 * reported. */
typedef struct reader {
  tsr_context *ctx;
  source src;          /* of the expression alone */
  const source *whole; /* what the expression is a piece of: messages point there; NULL: nothing */
  uint32_t line, column; /* where it begins there */
  const char *at, *end;
  int depth;
  bool failed;
  struct call *calls; /* those being read, outermost first */
  uint32_t n_calls;
} reader;

/* Reports an error about `length` bytes from `at` on; returns false. */
bool notation_fail(reader *r, const char *at, size_t length, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

void notation_skip(reader *r);
bool notation_peek(reader *r, char c);
bool notation_take(reader *r, char c);
/* `where` ends "expected 'c' ...". */
bool notation_expect(reader *r, char c, const char *where);
bool notation_digit(char c);
bool notation_letter(char c);
/* Letters, digits and underscores; empty where no letter stands. */
str notation_word(reader *r);
/* A number up to `limit`, with a sign when `negative`. */
bool notation_number(reader *r, bool negative, int64_t limit, int64_t *out);
/* One level of nesting more; the caller takes it back from r->depth. */
bool notation_deeper(reader *r);

/* An empty value of this kind. */
void notation_kind(tsr_layout_value *v, tsr_layout_kind kind);

/* Whether a '(' opens nothing but numbers: where it is closed, or NULL. */
const char *notation_numbers_ahead(const reader *r);
/* Whether it is a CuTe shape: a ':' follows. */
bool notation_cute_ahead(const reader *r);
/* Whether a number and 'o' follow: an offset in front of a memory layout. */
bool notation_offset_ahead(const reader *r);
/* shape:stride, or n o shape:stride */
bool notation_cute(reader *r, tsr_layout_value *v);
/* What stands in [] behind a layout; the '[' was taken, at `at`. */
bool notation_slice(reader *r, const char *at, tsr_layout_value *v);
/* Sw<B,M,S> o layout; `at` is where "Sw" stands. */
bool notation_swizzled(reader *r, const char *at, tsr_layout_value *v);

#endif
