/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lexer: one token ahead, over the whole text, without allocating. Lines are counted while
 * blanks are skipped, so that the place of the current token costs nothing.
 */
#include <stdio.h>

#include "base/stack.h"
#include "text/internal.h"

#define ID0 (CH_ID0 | CH_ID | CH_SUFFIX | CH_TYPE)
const uint8_t char_class[256] = {
    [' '] = CH_SPACE | CH_TYPE,
    ['\t'] = CH_SPACE,
    ['\r'] = CH_SPACE,
    ['\n'] = CH_SPACE,
    ['a' ... 'f'] = ID0 | CH_HEX,
    ['g' ... 'z'] = ID0,
    ['A' ... 'F'] = ID0 | CH_HEX,
    ['G' ... 'Z'] = ID0,
    ['_'] = ID0,
    ['0' ... '9'] = CH_DIGIT | CH_HEX | CH_ID | CH_SUFFIX | CH_TYPE,
    ['$'] = CH_ID | CH_SUFFIX,
    ['.'] = CH_ID | CH_SUFFIX | CH_TYPE,
    ['-'] = CH_SUFFIX,
    ['?'] = CH_TYPE,
    [','] = CH_TYPE,
    ['='] = CH_TYPE,
    ['['] = CH_TYPE,
    [']'] = CH_TYPE,
    ['('] = CH_TYPE,
    [')'] = CH_TYPE,
    ['!'] = CH_TYPE,
};

/* ---- messages ------------------------------------------------------------------------------- */

place place_at(const parser *p, uint32_t offset, uint32_t length) {
  place at = {.src = p->m->source, .length = length ? length : 1};
  source_position(p->m->source, offset, &at.line, &at.column);
  return at;
}

/* Whether one more error may be reported; the first one too many is replaced by a note. */
static bool may_report(parser *p, uint32_t offset) {
  if (p->quiet || p->stopped) return false;
  if (p->ctx->errors < p->ctx->error_limit) return true;
  p->stopped = true;
  diag_note(p->ctx, place_at(p, offset, 1), "too many errors: reading stops after %u",
            p->ctx->error_limit);
  return false;
}

static bool report(parser *p, uint32_t offset, uint32_t length, const char *fmt, va_list args) {
  if (may_report(p, offset)) diag_v(p->ctx, TSR_ERROR, place_at(p, offset, length), fmt, args);
  return false;
}

bool fail_at(parser *p, uint32_t offset, uint32_t length, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report(p, offset, length, fmt, args);
  va_end(args);
  return false;
}

bool fail_tok(parser *p, const char *fmt, ...) {
  if (TOK(p) == TOK_ERROR) return false;
  va_list args;
  va_start(args, fmt);
  report(p, p->lx.tok.offset, p->lx.tok.length, fmt, args);
  va_end(args);
  return false;
}

void note_at(parser *p, uint32_t offset, uint32_t length, const char *fmt, ...) {
  if (p->quiet || p->stopped) return;
  va_list args;
  va_start(args, fmt);
  diag_v(p->ctx, TSR_NOTE, place_at(p, offset, length), fmt, args);
  va_end(args);
}

const char *describe_token(const parser *p, char *out, size_t size) {
  const token *t = &p->lx.tok;
  if (t->kind == TOK_EOF) return "the end of the file";
  const char *text = p->lx.begin + t->offset;
  if (t->length <= 40)
    snprintf(out, size, "'%.*s'", (int)t->length, text);
  else
    snprintf(out, size, "'%.36s…'", text);
  return out;
}

bool fail_expected(parser *p, const char *fmt, ...) {
  if (TOK(p) == TOK_ERROR) return false;
  char what[256], found[64];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  const token *t = &p->lx.tok;
  if (t->line > p->lx.prev_line && p->lx.prev_end && t->kind != TOK_EOF)
    return fail_at(p, p->lx.prev_end, 1, "expected %s, found the end of the line", what);
  return fail_tok(p, "expected %s, found %s", what, describe_token(p, found, sizeof found));
}

bool has_stack(parser *p, uint32_t offset) {
  if (stack_has(STACK_FOR_NESTING)) return true;
  return fail_at(p, offset, 1, "nested too deeply for the stack of this thread");
}

bool enter_nesting(parser *p, uint32_t offset) {
  if (p->nesting >= MAX_NESTING)
    return fail_at(p, offset, 1, "nested too deeply: at most %d levels are accepted", MAX_NESTING);
  if (!has_stack(p, offset)) return false;
  p->nesting++;
  return true;
}

/* ---- blanks and comments -------------------------------------------------------------------- */

static void keep_comment(parser *p, const char *start, const char *stop, bool own_line,
                         bool blank) {
  while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) stop--;
  comment c = {.offset = (uint32_t)(start - p->lx.begin),
               .length = (uint32_t)(stop - start),
               .line = p->lx.line,
               .own_line = own_line,
               .blank = blank};
  vec_push(&p->temp, p->comments, c);
}

/* An empty line before a token is kept as a comment of no length. */
static void keep_blank_line(parser *p, const char *at) {
  comment c = {
      .offset = (uint32_t)(at - p->lx.begin), .line = p->lx.line, .own_line = true, .blank = true};
  vec_push(&p->temp, p->comments, c);
}

const char *skip_blanks(parser *p, const char *q) {
  uint32_t newlines = 0;
  for (;;) {
    while (*q == ' ' || *q == '\t' || *q == '\r') q++;
    if (*q == '\n') {
      q++;
      newlines++;
      p->lx.line++;
      p->lx.line_start = q;
    } else if (q[0] == '/' && q[1] == '/') {
      const char *stop = memchr(q, '\n', (size_t)(p->lx.end - q));
      if (!stop) stop = p->lx.end;
      if (p->keep_comments) {
        /* Only blanks so far on this line: it is a comment of its own. */
        const char *b = p->lx.line_start;
        while (b < q && is_class(*b, CH_SPACE)) b++;
        keep_comment(p, q, stop, b == q, newlines > 1);
        newlines = 0;
      }
      q = stop;
    } else {
      break;
    }
  }
  if (p->keep_comments && newlines > 1) keep_blank_line(p, q);
  return q;
}

/* ---- tokens --------------------------------------------------------------------------------- */

void lexer_init(parser *p, str text, uint32_t first) {
  p->lx = (lexer){.begin = text.data, .end = text.data + text.len, .pos = text.data + first};
  uint32_t column;
  source_position(p->m->source, first, &p->lx.line, &column);
  p->lx.line_start = p->lx.pos - (column - 1);
  p->lx.prev_line = p->lx.tok.line = p->lx.line;
}

static const char *scan_number(const char *q, uint16_t *kind) {
  *kind = TOK_INT;
  if (q[0] == '0' && (q[1] == 'x') && is_class(q[2], CH_HEX)) {
    q += 2;
    while (is_class(*q, CH_HEX)) q++;
    return q;
  }
  while (is_class(*q, CH_DIGIT)) q++;
  if (*q != '.') return q;
  *kind = TOK_FLOAT;
  q++;
  while (is_class(*q, CH_DIGIT)) q++;
  if (*q == 'e' || *q == 'E') {
    const char *e = q + 1;
    if (*e == '+' || *e == '-') e++;
    if (is_class(*e, CH_DIGIT)) {
      while (is_class(*e, CH_DIGIT)) e++;
      q = e;
    }
  }
  return q;
}

/* After the closing quote; NULL when the string does not end on its line. */
static const char *scan_string(const parser *p, const char *q) {
  for (q++; q < p->lx.end; q++) {
    if (*q == '"') return q + 1;
    if (*q == '\n') return NULL;
    if (*q == '\\' && q + 1 < p->lx.end && q[1] != '\n') q++;
  }
  return NULL;
}

/* Digits, or a name that does not start with one. */
static const char *scan_suffix(const char *q) {
  if (is_class(*q, CH_DIGIT)) {
    while (is_class(*q, CH_DIGIT)) q++;
    return q;
  }
  while (is_class(*q, CH_SUFFIX) && !(q[0] == '-' && q[1] == '>')) q++;
  return q;
}

static const char *lex_error(parser *p, const char *start, const char *stop, const char *message) {
  p->lx.tok.kind = TOK_ERROR;
  fail_at(p, (uint32_t)(start - p->lx.begin), (uint32_t)(stop - start), "%s", message);
  return stop;
}

/* %name, #name, !name, ^name. Older documents put blanks after '%' and '!'. */
static const char *scan_sigil(parser *p, const char *q, token_kind kind) {
  const char *name = q + 1;
  if (*q == '%' || *q == '!')
    while (*name == ' ') name++;
  const char *stop = scan_suffix(name);
  if (stop == name) {
    char message[64];
    snprintf(message, sizeof message, "expected a name directly behind '%c'", *q);
    return lex_error(p, q, q + 1, message);
  }
  p->lx.tok.kind = (uint16_t)kind;
  p->lx.tok.name = (str){name, (size_t)(stop - name)};
  return stop;
}

static const char *scan_symbol(parser *p, const char *q) {
  token *t = &p->lx.tok;
  const char *name = q + 1, *stop;
  t->kind = TOK_SYMBOL;
  if (*name == '"') {
    stop = scan_string(p, name);
    if (!stop) return lex_error(p, q, q + 1, "this symbol name has no closing '\"' on its line");
    t->name = (str){name + 1, (size_t)(stop - name) - 2};
    return stop;
  }
  stop = name;
  if (is_class(*stop, CH_ID0))
    while (is_class(*stop, CH_ID)) stop++;
  if (stop == name) return lex_error(p, q, q + 1, "expected a name directly behind '@'");
  t->name = (str){name, (size_t)(stop - name)};
  return stop;
}

static const char *bad_character(parser *p, const char *q) {
  unsigned char c = (unsigned char)*q;
  const char *stop = q + 1;
  while (c >= 0xc0 && stop < p->lx.end && ((unsigned char)*stop & 0xc0) == 0x80) stop++;
  char message[80];
  if (c < 0x20 || c == 0x7f || c >= 0x80)
    snprintf(message, sizeof message,
             "unexpected byte 0x%02x; only strings and comments may hold it", c);
  else
    snprintf(message, sizeof message, "unexpected character '%c'", c);
  return lex_error(p, q, stop, message);
}

static const char *scan_token(parser *p, const char *q) {
  token *t = &p->lx.tok;
  unsigned char c = (unsigned char)*q;
  if (char_class[c] & CH_ID0) {
    const char *stop = q + 1;
    while (is_class(*stop, CH_ID)) stop++;
    t->kind = TOK_BARE;
    t->name = (str){q, (size_t)(stop - q)};
    return stop;
  }
  switch (c) {
  case '%': return scan_sigil(p, q, TOK_VALUE);
  case '#': return scan_sigil(p, q, TOK_HASH);
  case '!': return scan_sigil(p, q, TOK_BANG);
  case '^': return scan_sigil(p, q, TOK_CARET);
  case '@': return scan_symbol(p, q);
  case '"': {
    const char *stop = scan_string(p, q);
    if (!stop) return lex_error(p, q, q + 1, "this string has no closing '\"' on its line");
    t->kind = TOK_STRING;
    t->name = (str){q + 1, (size_t)(stop - q) - 2};
    return stop;
  }
  case '-':
    if (q[1] == '>') {
      t->kind = TOK_ARROW;
      return q + 2;
    }
    t->kind = '-';
    return q + 1;
  case '(':
  case ')':
  case '{':
  case '}':
  case '[':
  case ']':
  case '<':
  case '>':
  case ',':
  case ':':
  case '=':
  case '?':
  case '+':
  case '*':
  case '/':
  case '|': t->kind = c; return q + 1;
  default: break;
  }
  if (char_class[c] & CH_DIGIT) {
    const char *stop = scan_number(q, &t->kind);
    t->name = (str){q, (size_t)(stop - q)};
    return stop;
  }
  return bad_character(p, q);
}

void next(parser *p) {
  lexer *lx = &p->lx;
  lx->prev_end = (uint32_t)(lx->pos - lx->begin);
  lx->prev_line = lx->tok.line ? lx->tok.line : 1;
  uint32_t line = lx->line;
  const char *q = skip_blanks(p, lx->pos);
  lx->tok.line = lx->line;
  lx->tok.first = lx->line != line || lx->prev_end == 0;
  lx->tok.column = (uint32_t)(q - lx->line_start) + 1;
  lx->tok.offset = (uint32_t)(q - lx->begin);
  if (q == lx->end) {
    lx->tok.kind = TOK_EOF;
    lx->tok.length = 0;
    lx->pos = q;
    return;
  }
  lx->pos = scan_token(p, q);
  lx->tok.length = (uint32_t)(lx->pos - q);
}

void resume_at(parser *p, const char *pos) {
  p->lx.pos = pos;
  p->lx.tok.line = p->lx.line;
  next(p);
}

/* ---- strings -------------------------------------------------------------------------------- */

/* \n \t \r \" \\ and two hexadecimal digits; anything else is reported and kept as it is. */
str unescape(parser *p, arena *a, token t) {
  char *out = arena_alloc(a, t.name.len + 1, 1), *o = out;
  const char *q = t.name.data, *end = q + t.name.len;
  while (q < end) {
    if (*q != '\\') {
      *o++ = *q++;
      continue;
    }
    char c = q + 1 < end ? q[1] : 0;
    int hi = hex_digit(c), lo = q + 2 < end ? hex_digit(q[2]) : -1;
    if (c == '"' || c == '\\')
      *o++ = c;
    else if (c == 'n')
      *o++ = '\n';
    else if (c == 't')
      *o++ = '\t';
    else if (c == 'r')
      *o++ = '\r';
    else if (hi >= 0 && lo >= 0) {
      *o++ = (char)(hi << 4 | lo);
      q++;
    } else {
      fail_at(p, (uint32_t)(q - p->lx.begin), 2,
              "unknown escape; known are \\n \\t \\r \\\" \\\\ and two hexadecimal digits (\\0A)");
    }
    q = q + 2 < end ? q + 2 : end;
  }
  *o = 0;
  return (str){out, (size_t)(o - out)};
}

/* ---- expectations ---------------------------------------------------------------------------- */

bool expect_punct(parser *p, char c, const char *after) {
  if (take_punct(p, c)) return true;
  return after ? fail_expected(p, "'%c' after %s", c, after) : fail_expected(p, "'%c'", c);
}

bool expect_word(parser *p, const char *word, const char *after) {
  if (take_word(p, word)) return true;
  return after ? fail_expected(p, "'%s' after %s", word, after) : fail_expected(p, "'%s'", word);
}

bool expect_arrow(parser *p, const char *after) {
  if (TOK(p) == TOK_ARROW) {
    next(p);
    return true;
  }
  return after ? fail_expected(p, "'->' after %s", after) : fail_expected(p, "'->'");
}
