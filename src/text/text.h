/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * text: Tile IR as text. The parser accepts today's custom syntax and the spellings of earlier
 * documents; the printer writes today's form only. Both follow the formats in the operation table;
 * what no format can say (for, loop, entry, module, make_tensor_view) is in text/custom.c.
 */
#ifndef TSR_TEXT_TEXT_H
#define TSR_TEXT_TEXT_H

#include "ir/ir.h"

/* Parses a module; does not verify it. `src` is copied. Reports errors and goes on with the next
 * operation, up to the context's limit; returns NULL when there was any. */
ir_module *text_parse(tsr_context *ctx, str src, const char *name, bool keep_comments);

/* Appends the module in the custom form. */
void text_print(sbuf *out, ir_module *m);
/* One operation without its regions, for messages and dumps. */
void text_print_op(sbuf *out, ir_module *m, const ir_op *op);

#endif
