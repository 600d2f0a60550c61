/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

/* ---- strings -------------------------------------------------------------------------------- */

size_t json_character(const char *text, size_t n) {
  const unsigned char *p = (const unsigned char *)text;
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t bytes = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf8 ? 4 : 0;
  if (bytes <= 1) return bytes;
  if (bytes > n) return 0;
  uint32_t code = *p & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (p[i] & 0x3fu);
  }
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[bytes] || code > 0x10ffff || surrogate ? 0 : bytes;
}

static void quote_ascii(sbuf *out, unsigned char c) {
  switch (c) {
  case '"': sbuf_puts(out, "\\\""); return;
  case '\\': sbuf_puts(out, "\\\\"); return;
  case '\n': sbuf_puts(out, "\\n"); return;
  case '\t': sbuf_puts(out, "\\t"); return;
  default: break;
  }
  if (c < ' ' || c == 0x7f)
    sbuf_printf(out, "\\u%04x", c);
  else
    sbuf_putc(out, (char)c);
}

void json_quote(sbuf *out, str s) {
  const unsigned char *p = (const unsigned char *)s.data;
  sbuf_putc(out, '"');
  for (size_t i = 0; i < s.len;) {
    size_t bytes = json_character(s.data + i, s.len - i);
    if (bytes == 0)
      sbuf_puts(out, "\\ufffd");
    else if (bytes == 1)
      quote_ascii(out, p[i]);
    else
      sbuf_add(out, s.data + i, bytes);
    i += bytes ? bytes : 1;
  }
  sbuf_putc(out, '"');
}

/* ---- values --------------------------------------------------------------------------------- */

static void begin(json *j, const char *key) {
  if (j->follows) sbuf_puts(j->out, ", ");
  j->follows = true;
  if (!key) return;
  json_quote(j->out, str_of(key));
  sbuf_puts(j->out, ": ");
}

void json_open(json *j, const char *key, char bracket) {
  begin(j, key);
  sbuf_putc(j->out, bracket);
  j->follows = false;
}

void json_close(json *j, char bracket) {
  sbuf_putc(j->out, bracket);
  j->follows = true;
}

void json_str(json *j, const char *key, str s) {
  begin(j, key);
  json_quote(j->out, s);
}

void json_text(json *j, const char *key, const char *text) {
  if (text)
    json_str(j, key, str_of(text));
  else
    json_raw(j, key, STR("null"));
}

void json_count(json *j, const char *key, uint64_t n) {
  begin(j, key);
  sbuf_printf(j->out, "%" PRIu64, n);
}

void json_real(json *j, const char *key, double x) {
  begin(j, key);
  if (isfinite(x))
    sbuf_printf(j->out, "%.6g", x);
  else
    sbuf_puts(j->out, "null");
}

void json_bool(json *j, const char *key, bool b) {
  json_raw(j, key, b ? STR("true") : STR("false"));
}

void json_raw(json *j, const char *key, str value) {
  begin(j, key);
  sbuf_str(j->out, value);
}
