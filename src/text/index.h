/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the words of a text are: its tokens, where values are defined and used, and what the names
 * mean at a point. For editors, so it is made of texts with errors, too.
 *
 * A module that could not be read whole has the operations that were read; nothing but names and
 * types of its values may be asked of it.
 */
#ifndef TSR_TEXT_INDEX_H
#define TSR_TEXT_INDEX_H

#include "ir/ir.h"

typedef enum text_token_kind {
  TEXT_END,     /* after the last */
  TEXT_MARK,    /* punctuation */
  TEXT_WORD,    /* name, dialect.name */
  TEXT_VALUE,   /* %name */
  TEXT_SYMBOL,  /* @name */
  TEXT_ALIAS,   /* #name, !name */
  TEXT_LITERAL, /* numbers and strings */
} text_token_kind;

typedef struct text_token {
  uint8_t kind; /* text_token_kind */
  bool first;   /* on its line */
  uint32_t offset, length;
} text_token;

/* The name of a value (or of several: %a:2) where it is defined. */
typedef struct text_definition {
  uint32_t offset, length; /* with its % */
  uint32_t begin, end;     /* offsets between which the name is known */
  const ir_value *first;   /* of `count` */
  uint32_t count;
} text_definition;

typedef struct text_use {
  uint32_t offset, length;
  uint32_t definition; /* number */
  const ir_value *value;
} text_use;

typedef struct text_index {
  arena *arena; /* set by the caller; what is listed lies in it */
  ir_module *module;
  VEC(text_token) tokens;
  VEC(text_definition) definitions; /* those of a region before what defines its operation */
  VEC(text_use) uses;
  bool complete; /* no error was reported */
} text_index;

/* Reads and checks a text as tsr_module_parse does, reports its errors, and fills the index;
 * `index->module` is never NULL, and the caller destroys it. `flags` are tsr_parse_flags. */
void text_index_read(tsr_context *ctx, str text, const char *name, unsigned flags,
                     text_index *index);

/* The token that contains the byte at `offset`, or ends before it; NULL. */
const text_token *text_token_at(const text_index *index, uint32_t offset);
/* The definition that the name at `offset` is or means; NULL. `value`: the one that is meant. */
const text_definition *text_definition_at(const text_index *index, uint32_t offset,
                                          const ir_value **value);
/* Whether the names of the definition are known at `offset`. */
static inline bool text_is_visible(const text_definition *d, uint32_t offset) {
  return offset >= d->begin && offset < d->end;
}
/* Where an alias or a symbol is defined: "#x =", "!x =", "@x" of an entry or a global; NULL. */
const text_token *text_find_name(const text_index *index, const char *text, str name);

#endif
