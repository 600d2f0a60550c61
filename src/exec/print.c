/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * print_tko's formatting. The type of the argument decides how its bits are read; the conversion
 * decides how the number is written, as far as it fits that type. A length modifier says nothing
 * that the type does not, and is skipped. No conversion writes through an argument or reads a
 * string at one: %n, %s and what else does not fit print the number as a bare '%' would.
 */
#include "exec/print.h"

#include <locale.h>
#include <stdio.h>

#include "num/num.h"

enum { MAX_FIELD = 512 }; /* of width and precision, so that a format cannot ask for gigabytes */

/* A parsed conversion. */
typedef struct conversion {
  char flags[6];        /* each of "-+ #0" at most once, terminated */
  int width, precision; /* -1: none */
  char letter;          /* 0: a bare '%' */
} conversion;

/* ---- parsing -------------------------------------------------------------------------------- */

static bool is_one_of(char c, const char *set) {
  return c != 0 && strchr(set, c) != NULL;
}

static const char *parse_flags(const char *p, const char *end, conversion *c) {
  size_t n = 0;
  for (; p < end && is_one_of(*p, "-+ #0"); p++)
    if (!memchr(c->flags, *p, n)) c->flags[n++] = *p;
  return p;
}

static const char *parse_number(const char *p, const char *end, int *value) {
  *value = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++) *value = MIN(*value * 10 + (*p - '0'), MAX_FIELD);
  return p;
}

/* The conversion at the '%' at p. Returns its end, NULL when it breaks off: "%5" with no letter. */
static const char *parse_conversion(const char *p, const char *end, conversion *c) {
  *c = (conversion){.width = -1, .precision = -1};
  const char *start = ++p;
  p = parse_flags(p, end, c);
  const char *digits = p;
  p = parse_number(p, end, &c->width);
  if (p == digits) c->width = -1;
  if (p < end && *p == '.') p = parse_number(p + 1, end, &c->precision);
  while (p < end && is_one_of(*p, "hljztLq")) p++;
  if (p < end && is_one_of(*p, "diuoxXeEfFgGaAcsSpn")) {
    c->letter = *p;
    return p + 1;
  }
  if (start < end && *start == '%') {
    c->letter = '%';
    return start + 1;
  }
  /* Flags alone start nothing: "<% >" has a bare '%' and then a blank. */
  if (digits == p) {
    *c = (conversion){.width = -1, .precision = -1};
    return start;
  }
  return NULL;
}

size_t exec_print_conversion(const char *p, const char *end) {
  conversion c;
  const char *behind = parse_conversion(p, end, &c);
  return behind ? (size_t)(behind - p) : 0;
}

/* ---- formatting one element ----------------------------------------------------------------- */

/* Builds "%-8.3" + tail. */
static void build_spec(char spec[32], const conversion *c, const char *tail) {
  int n = snprintf(spec, 32, "%%%s", c->flags);
  if (c->width >= 0) n += snprintf(spec + n, 32 - (size_t)n, "%d", c->width);
  if (c->precision >= 0) n += snprintf(spec + n, 32 - (size_t)n, ".%d", c->precision);
  snprintf(spec + n, 32 - (size_t)n, "%s", tail);
}

static void format_int(sbuf *out, const conversion *c, uint64_t pattern, tsr_elem elem) {
  char spec[32];
  bool is_signed = elem != TSR_I1 && elem != TSR_PTR; /* an i1 is 0 or 1 */
  if (c->letter == 'c') {
    build_spec(spec, c, "c");
    sbuf_printf(out, spec, (int)(pattern & 0xff));
  } else if (c->letter == 'p' || (elem == TSR_PTR && !is_one_of(c->letter, "diuoxX"))) {
    build_spec(spec, c, "s");
    char digits[24];
    snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)pattern);
    sbuf_printf(out, spec, digits);
  } else if (is_one_of(c->letter, "uoxX")) {
    build_spec(spec, c, (char[]){'l', 'l', c->letter, 0});
    sbuf_printf(out, spec, (unsigned long long)pattern);
  } else {
    build_spec(spec, c, "lld");
    sbuf_printf(out, spec,
                is_signed ? (long long)num_sext(pattern, tsr_elem_bits(elem)) : (long long)pattern);
  }
}

static void format_float(sbuf *out, const conversion *c, uint64_t pattern, tsr_elem elem) {
  char spec[32], text[2 * MAX_FIELD + 400]; /* 309 digits before the point, and a precision */
  char letter = is_one_of(c->letter, "eEfFgGaA") ? c->letter : 'g';
  build_spec(spec, c, (char[]){letter, 0});
  /* The decimal point must not depend on the program around us. */
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(plain);
  snprintf(text, sizeof text, spec, num_decode(num_format_of(elem), pattern));
  uselocale(before);
  if (plain) freelocale(plain);
  sbuf_puts(out, text);
}

/* ---- formatting tiles ----------------------------------------------------------------------- */

static void format_element(sbuf *out, const conversion *c, const rt_print_arg *arg, int64_t i) {
  uint64_t pattern;
  num_load_array(&pattern, arg->data, (tsr_elem)arg->elem, (size_t)i, 1);
  if (num_format_of((tsr_elem)arg->elem))
    format_float(out, c, pattern, (tsr_elem)arg->elem);
  else
    format_int(out, c, pattern, (tsr_elem)arg->elem);
}

/* [[1, 2], [3, 4]]: before element i as many '[' open, and after it close, as dimensions start or
 * end there. */
static void format_tile(sbuf *out, const conversion *c, const rt_print_arg *arg) {
  int64_t count = 1;
  for (unsigned d = 0; d < arg->rank; d++) count *= arg->shape[d];
  for (int64_t i = 0; i < count; i++) {
    unsigned starting = 0, ending = 0;
    int64_t size = 1; /* of the innermost dimensions together */
    for (unsigned d = arg->rank; d-- > 0;) {
      size *= arg->shape[d];
      starting += i % size == 0;
      ending += (i + 1) % size == 0;
    }
    if (i) sbuf_puts(out, ", ");
    while (starting--) sbuf_putc(out, '[');
    format_element(out, c, arg, i);
    while (ending--) sbuf_putc(out, ']');
  }
}

void exec_print_format(sbuf *out, str format, const rt_print_arg *args, size_t count) {
  const char *p = format.data, *end = p + format.len;
  size_t used = 0;
  while (p < end) {
    const char *percent = memchr(p, '%', (size_t)(end - p));
    sbuf_add(out, p, (size_t)((percent ? percent : end) - p));
    if (!percent) return;
    conversion c;
    const char *behind = parse_conversion(percent, end, &c);
    if (behind && c.letter == '%') {
      sbuf_putc(out, '%');
    } else if (behind && used < count) {
      format_tile(out, &c, &args[used++]);
    } else { /* nothing to print there: the text as it stands */
      if (!behind) behind = percent + 1;
      sbuf_add(out, percent, (size_t)(behind - percent));
    }
    p = behind;
  }
}
