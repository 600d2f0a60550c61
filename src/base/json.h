/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * JSON (RFC 8259) into a string buffer. The writer sets the commas and escapes what strings hold;
 * objects and arrays are opened and closed by the caller.
 *
 *   json j = JSON(&out);
 *   json_open(&j, NULL, '{');
 *   json_text(&j, "name", "x");
 *   json_open(&j, "list", '[');
 *   json_count(&j, NULL, 3);
 *   json_close(&j, ']');
 *   json_close(&j, '}');          {"name": "x", "list": [3]}
 *
 * The reader makes a tree of a text, of which it keeps no pointer: strings are decoded and copied.
 */
#ifndef TSR_BASE_JSON_H
#define TSR_BASE_JSON_H

#include "base/base.h"

/* A string with its quotes. Bytes that are no UTF-8 become U+FFFD, since JSON has only Unicode. */
void json_quote(sbuf *out, str s);

/* How many bytes the character at `text` has in UTF-8 as RFC 3629 admits it; 0: it is none. `n` is
 * at least 1. */
size_t json_character(const char *text, size_t n);

typedef struct json {
  sbuf *out;
  bool follows; /* a value of the open object or array was written before */
} json;

#define JSON(sb) ((json){.out = (sb)})

/* Everything below writes one value: a member named `key` in an object, with the key NULL an
 * element of an array or the whole document. */
void json_open(json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                 /* '}' or ']' */
void json_str(json *j, const char *key, str s);
void json_text(json *j, const char *key, const char *text); /* NULL: null */
void json_count(json *j, const char *key, uint64_t n);
void json_real(json *j, const char *key, double x); /* six digits; null unless it is finite */
void json_bool(json *j, const char *key, bool b);
/* JSON that somebody else wrote. */
void json_raw(json *j, const char *key, str value);

/* ---- reading (json_read.c) ------------------------------------------------------------------ */

typedef enum json_kind {
  JSON_NULL,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
} json_kind;

enum { JSON_MAX_DEPTH = 256 }; /* arrays and objects in each other */

typedef struct json_value json_value;
struct json_value {
  uint8_t kind;            /* json_kind */
  double number;           /* of a NUMBER; beyond what a double holds: an infinity */
  str text;                /* of a STRING, decoded to UTF-8; terminated after its end */
  str key;                 /* of a member of an object, likewise */
  const json_value *first; /* of an ARRAY or OBJECT */
  const json_value *next;  /* the next element or member */
};

/* Reads a text that is one JSON value. NULL: it is none; `*where` is then the offset of the byte at
 * which that shows. Halves of surrogate pairs and bytes that are no UTF-8 become U+FFFD. */
const json_value *json_read(arena *a, str text, size_t *where);

/* The member of an object, the last of its name; NULL when there is none, or `object` is NULL or
 * something else. The other functions take such a NULL, too. */
const json_value *json_member(const json_value *object, const char *key);
/* What a member holds if it is of that kind, else what is said here. */
str json_string_in(const json_value *object, const char *key); /* data NULL */
double json_number_in(const json_value *object, const char *key, double otherwise);

#endif
