/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir/format.h"

#include <stdbool.h>
#include <string.h>

static bool is_one_of(char c, const char *set) {
  return c && strchr(set, c) != NULL;
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skip(const char *p, const char *end, const char *set) {
  while (p < end && is_one_of(*p, set)) p++;
  return p;
}

size_t ir_format_conversion(const char *p, const char *end, char *letter) {
  const char *start = p++;
  *letter = 0;
  if (p == end) return 0;
  if (*p == '%') {
    *letter = '%';
    return 2;
  }
  const char *flags = skip(p, end, "-+ #0");
  const char *q = skip(flags, end, "0123456789");
  if (q < end && *q == '.') q = skip(q + 1, end, "0123456789");
  q = skip(q, end, "hljztLq");
  if (q < end && is_one_of(*q, "diuoxXceEfFgGaApsSn")) {
    *letter = *q;
    return (size_t)(q + 1 - start);
  }
  bool started = q != flags || is_letter(*p) || is_digit(*p) || is_one_of(*p, "-+#");
  return started ? 0 : 1;
}
