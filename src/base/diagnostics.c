/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

#define TSR_STRING_(x) #x
#define TSR_STRING(x)  TSR_STRING_(x)

const char *tsr_version(void) {
  return TSR_STRING(TSR_VERSION_MAJOR) "." TSR_STRING(TSR_VERSION_MINOR) "." TSR_STRING(
      TSR_VERSION_PATCH);
}

const char *tsr_status_name(tsr_status status) {
  switch (status) {
  case TSR_OK: return "ok";
  case TSR_ERROR_INPUT: return "wrong input";
  case TSR_ERROR_USAGE: return "wrong call";
  case TSR_ERROR_IO: return "input/output error";
  case TSR_ERROR_MEMORY: return "out of memory";
  case TSR_ERROR_UNSUPPORTED: return "not supported here";
  case TSR_ERROR_TRAP: return "stopped by the kernel";
  }
  return "unknown status";
}

/* ---- lines of a source ---------------------------------------------------------------------- */

/* The index has the number of the line that each piece of the text begins in. */
enum { PIECE = 1024 };

uint32_t *source_index(arena *a, str text) {
  uint32_t *lines = arena_alloc(a, (text.len / PIECE + 1) * sizeof *lines, sizeof *lines);
  lines[0] = 0; /* not filled */
  return lines;
}

static void fill_index(const source *s) {
  const char *text = s->text.data, *end = text + s->text.len;
  uint32_t line = 1;
  size_t k = 1;
  for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p)));) {
    size_t begins = (size_t)(++p - text);
    for (; k * PIECE < begins; k++) s->lines[k] = line;
    line++;
  }
  for (; k <= s->text.len / PIECE; k++) s->lines[k] = line;
  s->lines[0] = 1;
}

/* The last piece that begins before a line does; the first for the first line. */
static size_t piece_before(const source *s, uint32_t line) {
  size_t low = 0, high = s->text.len / PIECE + 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (s->lines[middle] < line)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static bool has_index(const source *s) {
  if (s->lines && !s->lines[0]) fill_index(s);
  return s->lines != NULL;
}

const char *source_line(const source *s, uint32_t line) {
  const char *p = s->text.data, *end = p + s->text.len;
  uint32_t n = 1;
  if (has_index(s)) {
    size_t piece = piece_before(s, line);
    p += piece * PIECE;
    n = s->lines[piece];
  }
  for (; n < line; n++) {
    p = memchr(p, '\n', (size_t)(end - p));
    if (!p) return NULL;
    p++;
  }
  return p;
}

void source_position(const source *s, size_t offset, uint32_t *line, uint32_t *column) {
  const char *text = s->text.data, *at = text + offset, *start = NULL;
  size_t piece = offset >= PIECE && has_index(s) ? offset / PIECE : 0;
  uint32_t n = piece ? s->lines[piece] : 1;
  for (const char *q = text + piece * PIECE; (q = memchr(q, '\n', (size_t)(at - q))); n++)
    start = ++q;
  if (!start) start = piece ? source_line(s, n) : text;
  *line = n;
  *column = (uint32_t)(at - start) + 1;
}

/* The line of `at` as a terminated copy in `line`, cut to its size. A place that the cut would lose
 * isn't quoted. */
static bool quote_line(place at, char *line, size_t size) {
  if (!at.src || !at.src->text.data || at.line == 0 || at.column >= size) return false;
  const char *p = source_line(at.src, at.line), *end = at.src->text.data + at.src->text.len;
  if (!p) return false;
  size_t len = MIN((size_t)(end - p), size);
  const char *stop = memchr(p, '\n', len);
  if (stop) len = (size_t)(stop - p);
  if (len && p[len - 1] == '\r') len--;
  len = MIN(len, size - 1);
  memcpy(line, p, len);
  line[len] = 0;
  return true;
}

void diag_v(tsr_context *ctx, tsr_severity severity, place at, const char *fmt, va_list args) {
  if (severity == TSR_ERROR) ctx->errors++;
  if (!ctx->on_diagnostic) return;
  char message[2048], line[4096];
  vsnprintf(message, sizeof message, fmt, args);
  bool quoted = quote_line(at, line, sizeof line);
  tsr_diagnostic d = {
      .severity = severity,
      .message = message,
      .file = at.src ? at.src->name : at.file,
      .line = at.line,
      .column = at.column,
      .source_line = quoted ? line : NULL,
      .length = at.length ? at.length : 1,
  };
  ctx->on_diagnostic(ctx->diagnostic_user, &d);
}

void diag(tsr_context *ctx, tsr_severity severity, place at, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diag_v(ctx, severity, at, fmt, args);
  va_end(args);
}

/* ---- a diagnostic as text ------------------------------------------------------------------- */

/* A cursor over a caller's buffer that keeps counting past its end, as snprintf does. */
typedef struct out_buffer {
  char *data;
  size_t size, len;
} out_buffer;

static void put(out_buffer *o, const char *s, size_t n) {
  if (o->len + 1 < o->size) memcpy(o->data + o->len, s, MIN(n, o->size - 1 - o->len));
  o->len += n;
}

static void puts_(out_buffer *o, const char *s) {
  put(o, s, strlen(s));
}

static bool is_control(char c) {
  return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

/* Not the first byte of a character in UTF-8. */
static bool is_continuation(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* Text from elsewhere: its control characters must not reach a terminal. */
static void put_clean(out_buffer *o, const char *s, size_t n) {
  for (size_t i = 0; i < n; i++) put(o, is_control(s[i]) ? "?" : s + i, 1);
}

/* The part of a source line that is shown: all of it, or what lies around the column. */
typedef struct excerpt {
  const char *line;
  size_t first, end; /* bytes of the line */
  bool cut_front, cut_end;
} excerpt;

enum { LONGEST_EXCERPT = 160, BEFORE_COLUMN = 60 };

static excerpt choose_excerpt(const tsr_diagnostic *d) {
  excerpt e = {.line = d->source_line, .end = strlen(d->source_line)};
  if (e.end <= LONGEST_EXCERPT) return e;
  size_t at = MIN((size_t)d->column - 1, e.end), end = e.end;
  if (at > BEFORE_COLUMN + LONGEST_EXCERPT / 2) e.first = at - BEFORE_COLUMN;
  while (e.first > 0 && is_continuation(e.line[e.first])) e.first--;
  e.end = MIN(e.first + LONGEST_EXCERPT, e.end);
  while (e.end < end && is_continuation(e.line[e.end])) e.end++;
  e.cut_front = e.first > 0;
  e.cut_end = e.end < end;
  return e;
}

static void put_caret(out_buffer *o, const tsr_diagnostic *d, const excerpt *e) {
  size_t column = (size_t)d->column - 1;
  puts_(o, e->cut_front ? "     " : "  ");
  /* Tabs are kept so that the caret stands under its character whatever their width; a character
   * of several bytes takes one place. */
  for (size_t i = e->first; i < column; i++)
    if (i >= e->end || !is_continuation(e->line[i]))
      puts_(o, i < e->end && e->line[i] == '\t' ? "\t" : " ");
  puts_(o, "^");
  for (size_t i = column + 1; i < e->end && i - column < d->length; i++)
    if (!is_continuation(e->line[i])) puts_(o, "~");
}

static void put_quote(out_buffer *o, const tsr_diagnostic *d, bool color) {
  excerpt e = choose_excerpt(d);
  puts_(o, e.cut_front ? "\n  ..." : "\n  ");
  put_clean(o, e.line + e.first, e.end - e.first);
  puts_(o, e.cut_end ? "...\n" : "\n");
  if (color) puts_(o, "\033[1;32m");
  put_caret(o, d, &e);
  if (color) puts_(o, "\033[0m");
}

size_t tsr_diagnostic_format(const tsr_diagnostic *d, bool color, char *out, size_t size) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;34m"};
  if (!out) size = 0; /* how long it would be */
  out_buffer o = {out, size, 0};
  char number[32];
  if (!d || !d->message) {
    if (out && size) *out = 0;
    return 0;
  }
  if (color) puts_(&o, "\033[1m");
  if (d->file) {
    put_clean(&o, d->file, strlen(d->file));
    if (d->line) {
      if (d->column)
        snprintf(number, sizeof number, ":%u:%u", d->line, d->column);
      else
        snprintf(number, sizeof number, ":%u", d->line);
      puts_(&o, number);
    }
    puts_(&o, ": ");
  }
  if (color) puts_(&o, colors[d->severity]);
  puts_(&o, names[d->severity]);
  puts_(&o, ": ");
  if (color) puts_(&o, "\033[0m\033[1m");
  put_clean(&o, d->message, strlen(d->message));
  if (color) puts_(&o, "\033[0m");
  if (d->source_line && *d->source_line && d->column) put_quote(&o, d, color);
  if (size) out[MIN(o.len, size - 1)] = 0;
  return o.len;
}

/* As the command does (https://no-color.org). */
static bool shows_colour(FILE *out) {
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  return !(no_color && *no_color) && term && strcmp(term, "dumb") != 0 && isatty(fileno(out));
}

void tsr_diagnostic_print(void *user, const tsr_diagnostic *d) {
  char text[8192];
  if (!d || !d->message) return;
  FILE *out = user ? user : stderr;
  tsr_diagnostic_format(d, shows_colour(out), text, sizeof text);
  fprintf(out, "%s\n", text);
}
