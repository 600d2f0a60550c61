/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TSR_TEXT_LOAD_H
#define TSR_TEXT_LOAD_H

#include "text/text.h"

/* Reads text into a fresh module in whose arena `text` (terminated) and `name` lie already, so
 * that a file is not held twice. False after an error. */
bool text_parse_into(ir_module *m, str text, const char *name, bool keep_comments);

#endif
