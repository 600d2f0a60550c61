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
 */
#ifndef TSR_BASE_JSON_H
#define TSR_BASE_JSON_H

#include "base/base.h"

/* A string with its quotes. Bytes that are no UTF-8 become U+FFFD, since JSON has only Unicode. */
void json_quote(sbuf *out, str s);

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

#endif
