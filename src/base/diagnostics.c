/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "base/base.h"

#define TSR_STRING_(x) #x
#define TSR_STRING(x) TSR_STRING_(x)

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

/* The line of `at` as a terminated copy in `line`, cut to its size. */
static bool quote_line(place at, char *line, size_t size) {
  if (!at.src || !at.src->text.data || at.line == 0) return false;
  const char *p = at.src->text.data, *end = p + at.src->text.len;
  for (uint32_t n = 1; n < at.line; n++) {
    p = memchr(p, '\n', (size_t)(end - p));
    if (!p) return false;
    p++;
  }
  const char *stop = memchr(p, '\n', (size_t)(end - p));
  size_t len = (size_t)((stop ? stop : end) - p);
  if (len && p[len - 1] == '\r') len--;
  len = MIN(len, size - 1);
  memcpy(line, p, len);
  line[len] = 0;
  return true;
}

void diag_v(tsr_context *ctx, tsr_severity severity, place at, const char *fmt, va_list args) {
  if (severity == TSR_ERROR) ctx->errors++;
  if (!ctx->on_diagnostic) return;
  char message[2048], line[1024];
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

/* A cursor over a caller's buffer that keeps counting past its end, as snprintf does. */
typedef struct out_buffer {
  char *data;
  size_t size, len;
} out_buffer;

static void put(out_buffer *o, const char *s, size_t n) {
  if (o->len + 1 < o->size) memcpy(o->data + o->len, s, MIN(n, o->size - 1 - o->len));
  o->len += n;
}

static void puts_(out_buffer *o, const char *s) { put(o, s, strlen(s)); }

static void put_caret(out_buffer *o, const tsr_diagnostic *d) {
  size_t width = strlen(d->source_line), column = d->column;
  puts_(o, "  ");
  /* Tabs are kept so that the caret stands under its character whatever their width. */
  for (size_t i = 0; i + 1 < column; i++)
    puts_(o, i < width && d->source_line[i] == '\t' ? "\t" : " ");
  size_t room = column <= width ? width - column + 1 : 1;
  size_t length = d->length < 1 ? 1 : MIN((size_t)d->length, room);
  puts_(o, "^");
  for (size_t i = 1; i < length; i++) puts_(o, "~");
}

size_t tsr_diagnostic_format(const tsr_diagnostic *d, bool color, char *out, size_t size) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;34m"};
  out_buffer o = {out, size, 0};
  char number[32];
  if (color) puts_(&o, "\033[1m");
  if (d->file) {
    puts_(&o, d->file);
    if (d->line) {
      if (d->column) snprintf(number, sizeof number, ":%u:%u", d->line, d->column);
      else snprintf(number, sizeof number, ":%u", d->line);
      puts_(&o, number);
    }
    puts_(&o, ": ");
  }
  if (color) puts_(&o, colors[d->severity]);
  puts_(&o, names[d->severity]);
  puts_(&o, ": ");
  if (color) puts_(&o, "\033[0m\033[1m");
  puts_(&o, d->message);
  if (color) puts_(&o, "\033[0m");
  if (d->source_line && d->column) {
    puts_(&o, "\n  ");
    puts_(&o, d->source_line);
    puts_(&o, "\n");
    if (color) puts_(&o, "\033[1;32m");
    put_caret(&o, d);
    if (color) puts_(&o, "\033[0m");
  }
  if (size) out[MIN(o.len, size - 1)] = 0;
  return o.len;
}
