/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of ir/explain*.c share.
 */
#ifndef TSR_IR_EXPLAIN_PARTS_H
#define TSR_IR_EXPLAIN_PARTS_H

#include "ir/ops.h"
#include "ir/page.h"

/* The syntax of an operation, one line or several. */
const char *explain_syntax(arena *a, const op_row *row);
/* What values an attribute takes, in words. */
const char *explain_attr_kind(const op_attr *a);

/* Pages about types and about attributes with named values. */
bool explain_type_topic(page *p, const char *name);
bool explain_enum_topic(page *p, const char *name);
/* All of them, under headings of level 2 (Markdown). */
void explain_types(page *p);
void explain_enums(page *p);
/* Their names, NULL past the last; and all in a sentence: "types: tile, ptr, …". */
const char *explain_topic_name(unsigned index);
void explain_topic_names(sbuf *out);

#endif
