/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * JSON into a tree, by recursive descent over its grammar (RFC 8259).
 */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/stack.h"

typedef struct reader {
  arena *arena;
  const char *begin, *at, *end;
  unsigned depth;
} reader;

static const json_value *read_value(reader *r);

static void skip_blanks(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    r->at++;
}

static char here(const reader *r) {
  return r->at < r->end ? *r->at : 0;
}

static bool take(reader *r, char c) {
  if (r->at >= r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static json_value *new_value(reader *r, json_kind kind) {
  json_value *v = arena_new(r->arena, json_value);
  v->kind = (uint8_t)kind;
  return v;
}

static const json_value *read_word(reader *r, const char *word, json_kind kind) {
  for (const char *c = word; *c; c++)
    if (!take(r, *c)) return NULL;
  return new_value(r, kind);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool skip_digits(reader *r) {
  const char *start = r->at;
  while (here(r) >= '0' && here(r) <= '9') r->at++;
  return r->at > start;
}

static bool skip_number(reader *r) {
  take(r, '-');
  if (!take(r, '0') && !skip_digits(r)) return false;
  if (take(r, '.') && !skip_digits(r)) return false;
  if (!take(r, 'e') && !take(r, 'E')) return true;
  if (!take(r, '+')) take(r, '-');
  return skip_digits(r);
}

static const json_value *read_number(reader *r) {
  const char *start = r->at;
  if (!skip_number(r)) return NULL;
  json_value *v = new_value(r, JSON_NUMBER);
  v->number = strtod(arena_strndup(r->arena, start, (size_t)(r->at - start)), NULL);
  return v;
}

/* ---- strings -------------------------------------------------------------------------------- */

enum { REPLACEMENT = 0xfffd };

static void put_code(sbuf *out, uint32_t c) {
  if (c < 0x80) {
    sbuf_putc(out, (char)c);
    return;
  }
  unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  sbuf_putc(out, (char)(lead[more] | c >> 6 * more));
  while (more-- > 0) sbuf_putc(out, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

static bool read_hex(reader *r, uint32_t *out) {
  *out = 0;
  for (int i = 0; i < 4; i++, r->at++) {
    int digit = hex_digit(here(r));
    if (digit < 0) return false;
    *out = *out << 4 | (uint32_t)digit;
  }
  return true;
}

/* After "\u": one code point, of which a pair of surrogates has two escapes. */
static bool read_unicode(reader *r, sbuf *out) {
  uint32_t code, low;
  if (!read_hex(r, &code)) return false;
  bool high = code >= 0xd800 && code < 0xdc00;
  const char *after = r->at;
  if (high && take(r, '\\') && take(r, 'u')) {
    if (!read_hex(r, &low)) return false;
    if (low >= 0xdc00 && low < 0xe000) {
      put_code(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
      return true;
    }
  }
  r->at = after;
  put_code(out, code >= 0xd800 && code < 0xe000 ? REPLACEMENT : code);
  return true;
}

static bool read_escape(reader *r, sbuf *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (take(r, 'u')) return read_unicode(r, out);
  const char *known = here(r) ? strchr(from, here(r)) : NULL;
  if (!known) return false;
  r->at++;
  sbuf_putc(out, to[known - from]);
  return true;
}

static void copy_character(reader *r, sbuf *out) {
  size_t bytes = json_character(r->at, (size_t)(r->end - r->at));
  if (bytes)
    sbuf_add(out, r->at, bytes);
  else
    put_code(out, REPLACEMENT);
  r->at += bytes ? bytes : 1;
}

/* After the opening quote. */
static bool read_string(reader *r, str *text) {
  sbuf out = SBUF(r->arena);
  sbuf_puts(&out, "");
  while (!take(r, '"')) {
    if (r->at == r->end || (unsigned char)*r->at < ' ') return false;
    if (!take(r, '\\'))
      copy_character(r, &out);
    else if (!read_escape(r, &out))
      return false;
  }
  *text = (str){out.data, out.len};
  return true;
}

static const json_value *read_text(reader *r) {
  json_value *v = new_value(r, JSON_STRING);
  return read_string(r, &v->text) ? v : NULL;
}

/* ---- arrays and objects --------------------------------------------------------------------- */

static bool read_key(reader *r, str *key) {
  skip_blanks(r);
  if (!take(r, '"') || !read_string(r, key)) return false;
  skip_blanks(r);
  return take(r, ':');
}

/* After the opening bracket: elements, or with `keys` members. */
static const json_value *read_list(reader *r, json_kind kind, char close) {
  json_value *list = new_value(r, kind);
  const json_value **tail = &list->first;
  skip_blanks(r);
  if (take(r, close)) return list;
  do {
    str key = {0};
    if (kind == JSON_OBJECT && !read_key(r, &key)) return NULL;
    json_value *v = (json_value *)read_value(r);
    if (!v) return NULL;
    v->key = key;
    *tail = v;
    tail = &v->next;
    skip_blanks(r);
  } while (take(r, ','));
  return take(r, close) ? list : NULL;
}

static const json_value *read_nested(reader *r) {
  if (r->depth == JSON_MAX_DEPTH || !stack_has(STACK_FOR_NESTING)) return NULL;
  r->depth++;
  bool array = *r->at++ == '[';
  const json_value *v = read_list(r, array ? JSON_ARRAY : JSON_OBJECT, array ? ']' : '}');
  r->depth--;
  return v;
}

static const json_value *read_value(reader *r) {
  skip_blanks(r);
  switch (here(r)) {
  case 'n': return read_word(r, "null", JSON_NULL);
  case 't': return read_word(r, "true", JSON_TRUE);
  case 'f': return read_word(r, "false", JSON_FALSE);
  case '"': return take(r, '"') ? read_text(r) : NULL;
  case '[':
  case '{': return read_nested(r);
  default: return read_number(r);
  }
}

const json_value *json_read(arena *a, str text, size_t *where) {
  reader r = {.arena = a, .begin = text.data, .at = text.data, .end = text.data + text.len};
  const json_value *v = read_value(&r);
  if (v) skip_blanks(&r);
  *where = (size_t)(r.at - r.begin);
  return v && r.at == r.end ? v : NULL;
}

/* ---- members -------------------------------------------------------------------------------- */

const json_value *json_member(const json_value *object, const char *key) {
  const json_value *found = NULL;
  if (!object || object->kind != JSON_OBJECT) return NULL;
  for (const json_value *v = object->first; v; v = v->next)
    if (str_is(v->key, key)) found = v;
  return found;
}

str json_string_in(const json_value *object, const char *key) {
  const json_value *v = json_member(object, key);
  return v && v->kind == JSON_STRING ? v->text : (str){0};
}

double json_number_in(const json_value *object, const char *key, double otherwise) {
  const json_value *v = json_member(object, key);
  return v && v->kind == JSON_NUMBER ? v->number : otherwise;
}
