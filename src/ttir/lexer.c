/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lexer: one token ahead, without allocating.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/stack.h"
#include "ttir/reader.h"

/* ---- messages ------------------------------------------------------------------------------- */

bool tt_fail(reader *r, uint32_t offset, uint32_t length, const char *fmt, ...) {
  place at = {.src = r->m->source, .length = length ? length : 1};
  source_position(r->m->source, offset, &at.line, &at.column);
  va_list args;
  va_start(args, fmt);
  diag_v(r->ctx, TSR_ERROR, at, fmt, args);
  va_end(args);
  return false;
}

static const char *describe(const reader *r, char *out, size_t size) {
  if (RTOK(r) == TT_EOF) return "the end of the file";
  unsigned shown = MIN(r->tok.length, 40);
  snprintf(out, size, "'%.*s'", (int)shown, r->m->source->text.data + r->tok.offset);
  return out;
}

bool tt_expected(reader *r, const char *fmt, ...) {
  if (RTOK(r) == TT_ERROR) return false;
  char what[256], found[64];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  return tt_fail(r, r->tok.offset, r->tok.length, "expected %s, found %s", what,
                 describe(r, found, sizeof found));
}

/* ---- tokens --------------------------------------------------------------------------------- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '$' || c == '.';
}
static bool is_suffix(char c) {
  return is_word(c) || c == '-';
}

static void skip_blanks(reader *r) {
  for (;;) {
    while (*r->pos == ' ' || *r->pos == '\t' || *r->pos == '\r' || *r->pos == '\n')
      if (*r->pos++ == '\n') r->tok.first = true;
    if (r->pos[0] != '/' || r->pos[1] != '/') return;
    while (r->pos < r->end && *r->pos != '\n') r->pos++;
  }
}

static void finish(reader *r, tt_token_kind kind, const char *start, const char *name,
                   const char *stop) {
  r->tok.kind = (uint16_t)kind;
  r->tok.length = (uint32_t)(r->pos - start);
  r->tok.name = (str){name, (size_t)(stop - name)};
}

/* A string, of which `start` is what stood before it: '@' or nothing. */
static void lex_string(reader *r, const char *start, tt_token_kind kind) {
  const char *begin = ++r->pos;
  while (r->pos < r->end && *r->pos != '"' && *r->pos != '\n')
    r->pos += r->pos[0] == '\\' && r->pos + 1 < r->end ? 2 : 1;
  if (r->pos >= r->end || *r->pos != '"') {
    r->tok.kind = TT_ERROR;
    tt_fail(r, r->tok.offset, 1, "this string does not end on its line");
    r->pos = r->end;
    return;
  }
  const char *stop = r->pos++;
  finish(r, kind, start, begin, stop);
}

static void lex_sigil(reader *r, tt_token_kind kind) {
  const char *start = r->pos++;
  if (kind == TT_SYMBOL && *r->pos == '"') {
    lex_string(r, start, kind);
    return;
  }
  while (kind == TT_BANG ? is_word(*r->pos) : is_suffix(*r->pos)) r->pos++;
  finish(r, kind, start, start + 1, r->pos);
}

static void lex_number(reader *r) {
  const char *start = r->pos;
  if (r->pos[0] == '0' && r->pos[1] == 'x') {
    r->pos += 2;
    while (is_digit(*r->pos) || (*r->pos >= 'a' && *r->pos <= 'f') ||
           (*r->pos >= 'A' && *r->pos <= 'F'))
      r->pos++;
  } else {
    while (is_digit(*r->pos)) r->pos++;
    if (*r->pos == '.') r->pos++;
    while (is_digit(*r->pos)) r->pos++;
    bool exponent = *r->pos == 'e' || *r->pos == 'E';
    unsigned sign = exponent && (r->pos[1] == '+' || r->pos[1] == '-');
    if (exponent && is_digit(r->pos[1 + sign])) {
      r->pos += 1 + sign;
      while (is_digit(*r->pos)) r->pos++;
    }
  }
  finish(r, TT_NUMBER, start, start, r->pos);
}

static void lex(reader *r) {
  const char *start = r->pos;
  switch (*start) {
  case '%': lex_sigil(r, TT_VALUE); return;
  case '@': lex_sigil(r, TT_SYMBOL); return;
  case '#': lex_sigil(r, TT_HASH); return;
  case '!': lex_sigil(r, TT_BANG); return;
  case '^': lex_sigil(r, TT_CARET); return;
  case '"': lex_string(r, start, TT_TEXT); return;
  default: break;
  }
  if (start >= r->end) {
    finish(r, TT_EOF, start, start, start);
  } else if (is_letter(*start)) {
    while (is_word(*r->pos)) r->pos++;
    finish(r, TT_BARE, start, start, r->pos);
  } else if (is_digit(*start)) {
    lex_number(r);
  } else {
    bool arrow = start[0] == '-' && start[1] == '>';
    r->pos += arrow ? 2 : 1;
    finish(r, arrow ? TT_ARROW : (tt_token_kind)(uint8_t)*start, start, start, r->pos);
  }
}

void tt_next(reader *r) {
  if (RTOK(r) == TT_ERROR) return;
  r->tok.first = false;
  skip_blanks(r);
  r->tok.offset = (uint32_t)(r->pos - r->m->source->text.data);
  lex(r);
}

void tt_resume(reader *r, const char *pos) {
  r->pos = pos;
  tt_next(r);
}

void tt_lexer_init(reader *r, str text) {
  r->pos = text.data;
  r->end = text.data + text.len;
  r->tok = (tt_token){.kind = 0};
  tt_next(r);
}

/* ---- small steps ---------------------------------------------------------------------------- */

bool tt_at_word(const reader *r, const char *word) {
  return RTOK(r) == TT_BARE && str_is(r->tok.name, word);
}

bool tt_take_word(reader *r, const char *word) {
  if (!tt_at_word(r, word)) return false;
  tt_next(r);
  return true;
}

bool tt_take(reader *r, int kind) {
  if (RTOK(r) != kind) return false;
  tt_next(r);
  return true;
}

bool tt_expect(reader *r, int kind, const char *what) {
  return tt_take(r, kind) || tt_expected(r, "%s", what);
}

static bool too_deep(reader *r) {
  return tt_fail(r, r->tok.offset, 1, "nested too deeply: at most %d levels are accepted",
                 TT_MAX_NESTING);
}

bool tt_enter(reader *r) {
  if (r->nesting >= TT_MAX_NESTING) return too_deep(r);
  if (!stack_has(STACK_FOR_NESTING))
    return tt_fail(r, r->tok.offset, 1, "nested too deeply for the stack of this thread");
  r->nesting++;
  return true;
}

/* MLIR writes what isn't printable as two hexadecimal digits behind a backslash. */
str tt_unescape(reader *r, str raw) {
  char *out = arena_alloc(&r->m->arena, raw.len + 1, 1);
  size_t n = 0;
  for (size_t i = 0; i < raw.len; i++) {
    char c = raw.data[i];
    if (c == '\\' && i + 1 < raw.len) {
      int high = hex_digit(raw.data[i + 1]),
          low = i + 2 < raw.len ? hex_digit(raw.data[i + 2]) : -1;
      bool hex = high >= 0 && low >= 0;
      c = hex ? (char)(high * 16 + low) : raw.data[i + 1];
      if (!hex && c == 'n') c = '\n';
      if (!hex && c == 't') c = '\t';
      i += hex ? 2 : 1;
    }
    if (c) out[n++] = c;
  }
  out[n] = 0;
  return (str){out, n};
}

bool tt_parse_int(reader *r, int64_t *out) {
  bool negative = tt_take(r, '-');
  if (RTOK(r) != TT_NUMBER) return tt_expected(r, "an integer");
  char digits[40], *stop;
  size_t n = MIN(r->tok.name.len, sizeof digits - 1);
  memcpy(digits, r->tok.name.data, n);
  digits[n] = 0;
  uint64_t value = strtoull(digits, &stop, 0);
  bool fits = *stop == 0 && n == r->tok.name.len && n <= 20;
  if (!fits) return tt_expected(r, "an integer of 64 bits");
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  tt_next(r);
  return true;
}

bool tt_skip(reader *r, const char *until) {
  char open[TT_MAX_NESTING];
  unsigned depth = 0;
  for (; RTOK(r) != TT_EOF && RTOK(r) != TT_ERROR; tt_next(r)) {
    char c = RTOK(r) < 256 ? (char)RTOK(r) : 0;
    if (!depth && c && strchr(until, c)) return true;
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (depth >= sizeof open) return too_deep(r);
      open[depth++] = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
    } else if (depth && c == open[depth - 1]) {
      depth--;
    }
  }
  return tt_expected(r, "one of '%s'", until);
}
