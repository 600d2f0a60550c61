/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * expr: expressions of integers, words and names, as conditions, grids and texts have them. They
 * are short and evaluated once or a few thousand times, so they are read anew each time.
 *
 *   or: and ("||" and)*          and: comparison ("&&" comparison)*
 *   comparison: sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum)?
 *   sum: product (("+" | "-") product)*      product: unary (("*" | "/" | "%") unary)*
 *   unary: ("-" | "!") unary | NUMBER | 'WORD' | NAME | FUNCTION "(" or ("," or)* ")" | "(" or ")"
 */
#ifndef TSR_TUNE_EXPR_H
#define TSR_TUNE_EXPR_H

#include "base/base.h"

typedef struct expr_value {
  bool is_word;
  int64_t number;
  str word;
} expr_value;

typedef struct expr_names {
  bool (*find)(const void *user, str name, expr_value *out);
  const void *user;
} expr_names;

typedef struct expr_problem {
  char message[160]; /* the end of a sentence: "there is no 'BK'" */
  size_t at;         /* of the text */
} expr_problem;

/* The whole text is one expression. False when it is none, or has no value. */
bool expr_evaluate(str text, const expr_names *names, expr_value *out, expr_problem *problem);
/* Several, separated by commas: how many, at most `max`; 0 after a problem, also that there are
 * more, or that one is a word. */
unsigned expr_list(str text, const expr_names *names, int64_t *out, unsigned max,
                   expr_problem *problem);

/* Whether a text is a name: letters, digits and '_', and no digit first. */
bool expr_is_name(str text);

#endif
