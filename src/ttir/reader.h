/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the reader share: the lexer and the state of reading.
 */
#ifndef TSR_TTIR_READER_H
#define TSR_TTIR_READER_H

#include "ttir/tree.h"

enum {
  TT_MAX_NESTING = 256, /* regions and brackets in each other */
  TT_MAX_LIST = 65536,  /* operands, results, arguments */
};

/* A punctuation mark is its own character; the others lie above all characters. */
typedef enum tt_token_kind {
  TT_EOF = 256,
  TT_ERROR,  /* already reported */
  TT_BARE,   /* tt.load, f32, x */
  TT_VALUE,  /* %name */
  TT_SYMBOL, /* @name, @"name" */
  TT_HASH,   /* #name */
  TT_BANG,   /* !name */
  TT_CARET,  /* ^name */
  TT_NUMBER, /* 12, 0x1F, 1.5e-3 */
  TT_TEXT,   /* "string" */
  TT_ARROW,  /* -> */
} tt_token_kind;

typedef struct tt_token {
  uint16_t kind;
  bool first; /* on its line */
  uint32_t offset, length;
  str name; /* without the sigil or the quotes */
} tt_token;

typedef struct reader {
  tt_token tok; /* the next one */
  const char *pos, *end;
  tsr_context *ctx;
  ir_module *m;
  arena *temp;
  tt_tree *tree;
  uint32_t nesting;
  strmap *values; /* of the function: name -> value_range*; 0 for names whose region has ended */
  VEC(str) names; /* that are defined, in the order of their definitions */
  strmap locs;    /* #name -> 1 + ir_loc */
  strmap defined; /* #name: its definition was read */
  strmap files;   /* one copy of each string in locations */
  VEC(tt_value *) operands; /* stacks: operations nest */
  VEC(tt_type) types;
} reader;

#define RTOK(r) ((r)->tok.kind)

/* lexer.c */
void tt_lexer_init(reader *r, str text);
void tt_next(reader *r);
void tt_resume(reader *r, const char *pos); /* reads on at `pos` */
/* Messages; all return false. */
bool tt_fail(reader *r, uint32_t offset, uint32_t length, const char *fmt, ...) PRINTF_LIKE(4, 5);
bool tt_expected(reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool tt_at_word(const reader *r, const char *word);
bool tt_take_word(reader *r, const char *word);
bool tt_take(reader *r, int kind);
bool tt_expect(reader *r, int kind, const char *what);
bool tt_enter(reader *r); /* one level deeper; false after an error */
static inline void tt_leave(reader *r) {
  r->nesting--;
}
/* Whether the token begins on a new line, or ends the text: behind it an operation has ended. */
static inline bool tt_at_end_of_op(const reader *r) {
  return r->tok.first || RTOK(r) == TT_EOF || RTOK(r) == TT_ERROR;
}
str tt_unescape(reader *r, str raw);
/* An integer, with its sign. */
bool tt_parse_int(reader *r, int64_t *out);
/* Skips anything up to one of the characters, which is not inside of brackets. */
bool tt_skip(reader *r, const char *until);

/* types.c */
bool tt_parse_type(reader *r, tt_type *out);
/* A type that the reader makes: reports what is wrong with it. */
bool tt_check_type(reader *r, const ir_type *t, uint32_t offset);

/* attrs.c */
bool tt_parse_dict(reader *r, tt_attr **list); /* { … } or <{ … }>: appends */
bool tt_parse_attr_value(reader *r, tt_attr *out);
const tt_attr *tt_find_attr(const tt_attr *list, const char *name);
bool tt_parse_constant(reader *r, tt_op *op); /* what follows arith.constant */

/* locs.c */
bool tt_parse_loc(reader *r, ir_loc *out); /* loc(…) when there is one */
bool tt_parse_loc_alias(reader *r);        /* #loc1 = loc(…) */
bool tt_check_locs(reader *r);

/* parse.c */
bool tt_parse_module(reader *r);

#endif
