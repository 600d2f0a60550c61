/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * explain: the manual, made from the operation table and the rules beside it. Pages are for people,
 * and nothing parses them; programs take the JSON.
 *
 * All functions append to `out` and cannot fail. Terminal pages are 80 columns wide; `color` adds
 * ANSI colours.
 */
#ifndef TSR_IR_EXPLAIN_H
#define TSR_IR_EXPLAIN_H

#include "base/base.h"
#include "ir/ops.h"

/* One operation: what it does, its syntax, its parts, its rules, an example. */
void ir_explain(sbuf *out, op_code op, bool color);

/* The page of this name, which is an operation ("addf"), a kind of type ("tile", "tensor_view"),
 * an element type ("f8E4M3FN") or an attribute with named values ("rounding_mode"). Returns false
 * and appends nothing when there is none. */
bool ir_explain_topic(sbuf *out, const char *name, bool color);

/* The same page as Markdown. */
bool ir_explain_topic_markdown(sbuf *out, const char *name);

/* The page as a JSON object with the parts of an operation; of NULL all pages, an array. Returns
 * false and appends nothing when there is none of this name. */
bool ir_explain_json(sbuf *out, const char *name);

/* The names that have pages, the operations' first; NULL past the last. */
const char *ir_explain_name(unsigned index);

/* All operations by group, a line each, then the names of the other pages. */
void ir_explain_index(sbuf *out, bool color);

/* Everything of Tile IR as one Markdown document with a table of contents: docs/ops.md. */
void ir_explain_markdown(sbuf *out);
/* The operations of the block level as another: docs/block-ops.md. */
void ir_explain_block_markdown(sbuf *out);

#endif
