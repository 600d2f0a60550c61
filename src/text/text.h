/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * text: Tile IR as text. The parser accepts today's custom syntax and the spellings of earlier
 * documents; the printer writes today's form only. Both follow the formats in the operation table;
 * what no format can say (for, loop, entry, module, make_tensor_view) is in text/custom.c.
 */
#ifndef TSR_TEXT_TEXT_H
#define TSR_TEXT_TEXT_H

#include "ir/ir.h"

struct num_format;

/* Parses a module; does not verify it. `src` is copied. Reports errors and continues with the next
 * operation, up to the context's limit; returns NULL when there was any. Limits: 2^30 bytes, 256
 * regions in each other, 256 brackets in each other, 64 dimensions, 2^28 elements of a constant.
 *
 * A constant or float literal is rounded once to its element type. With `keep_comments` comments
 * and empty lines go to m->comments; a comment inside an operation goes above it. In ir_comments an
 * empty line of `before` and `at_end` is an empty line of the text, and `trailing` may have further
 * lines, which stand below the operation. */
ir_module *text_parse(tsr_context *ctx, str src, const char *name, bool keep_comments);

/* Appends the module in the custom form, with comments where they were kept. Values keep their
 * names where these are free; numbers as names are given anew. Uses ir_value.number of all values.
 * Locations that the text gave (loc(…)) are written as aliases after the module; those of bytecode
 * are not written. */
void text_print(sbuf *out, ir_module *m);
/* A kernel alone, without a module around it and without locations, in time in proportion to it. */
void text_print_kernel(sbuf *out, ir_module *m, ir_op *entry);
/* The names, with their %, that text_print gives to the values, for names[value], an arena's
 * strings. Uses ir_value.number of all values. */
void text_name_values(arena *a, ir_module *m, map *names);
/* The pattern nearest to a decimal ("1.5e-3", terminated, without a sign), or to its negative. */
uint64_t text_decimal(const struct num_format *f, bool negative, str decimal);
/* One operation on a line, without its regions, for messages and dumps. Changes nothing in the
 * module; names of values may be used twice in its output. */
void text_print_op(sbuf *out, ir_module *m, const ir_op *op);

#endif
