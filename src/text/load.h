/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TSR_TEXT_LOAD_H
#define TSR_TEXT_LOAD_H

#include "text/index.h"
#include "text/text.h"

/* Reads text into a fresh module. `text` (terminated) and `name` live as long as it, so that a file
 * is not held twice. Reading begins at offset `first`, and messages count lines from the text's
 * beginning. `flags` are tsr_parse_flags. False after an error. */
bool text_parse_into(ir_module *m, str text, size_t first, const char *name, unsigned flags);

/* The same, from the text's beginning, and fills the index. */
bool text_parse_indexed(ir_module *m, str text, const char *name, unsigned flags,
                        text_index *index);

/* Texts and files beyond this are refused: places in them have 32 bits. */
#define TEXT_MAX_SIZE ((size_t)1 << 30)

/* Reports a wrong call of a public function; false. */
bool text_usage(tsr_context *ctx, const char *function, const char *what);

/* Whether `flags` are tsr_parse_flags that go together; reports for the public function. */
bool text_check_flags(tsr_context *ctx, const char *function, unsigned flags);
ir_hint_policy text_hint_policy(unsigned flags);
/* The version of the language that the flags ask for, as in ir_module; 0: none. */
unsigned text_language(unsigned flags);

/* One part of a text, from offset `first` to its end (where it is terminated), read and checked as
 * tsr_module_parse does. The text must outlive the module. NULL after an error. */
ir_module *text_load_part(tsr_context *ctx, str text, size_t first, const char *name,
                          unsigned flags);

#endif
