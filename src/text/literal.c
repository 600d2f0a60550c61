/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Literals of numbers, exact in both directions: a decimal literal is rounded once, to the element
 * type; a value is written as MLIR writes it, with six digits when they give it back, else with
 * enough digits, else as its bit pattern.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "num/num.h"
#include "text/internal.h"

/* ---- reading integers ------------------------------------------------------------------------ */

/* The magnitude of an integer token; false when it does not fit 64 bits. */
static bool magnitude(str digits, uint64_t *out) {
  uint64_t v = 0;
  if (digits.len > 2 && digits.data[1] == 'x') {
    for (size_t i = 2; i < digits.len; i++) {
      char c = digits.data[i];
      unsigned d = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
      if (v >> 60) return false;
      v = v << 4 | d;
    }
  } else {
    for (size_t i = 0; i < digits.len; i++)
      if (__builtin_mul_overflow(v, 10, &v) ||
          __builtin_add_overflow(v, (uint64_t)(digits.data[i] - '0'), &v))
        return false;
  }
  *out = v;
  return true;
}

static bool fail_literal(parser *p, uint32_t offset, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool fail_literal(parser *p, uint32_t offset, const char *fmt, ...) {
  char text[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return fail_at(p, offset, p->lx.tok.offset + p->lx.tok.length - offset, "%s", text);
}

static bool int_pattern(parser *p, tsr_elem elem, bool negative, uint32_t offset, uint64_t *out) {
  unsigned width = tsr_elem_bits(elem);
  if (TOK(p) == TOK_BARE && width == 1 && (at_word(p, "true") || at_word(p, "false"))) {
    *out = at_word(p, "true");
    return true;
  }
  if (TOK(p) == TOK_FLOAT)
    return fail_literal(p, offset, "expected an integer for '%s', found a float literal",
                        tsr_elem_name(elem));
  if (TOK(p) != TOK_INT)
    return fail_expected(p, width == 1 ? "'true', 'false' or an integer" : "an integer");
  uint64_t v, mask = num_mask(width);
  bool fits = magnitude(p->lx.tok.name, &v);
  if (fits && negative)
    fits = v <= (width == 64 ? UINT64_C(1) << 63 : (mask >> 1) + 1);
  else if (fits)
    fits = v <= mask;
  if (!fits) return fail_literal(p, offset, "this integer does not fit '%s'", tsr_elem_name(elem));
  if (width == 1) v = v != 0;
  *out = (negative && width > 1 ? 0 - v : v) & mask;
  return true;
}

/* ---- reading floats -------------------------------------------------------------------------- */

/* The significant decimal digits of a literal without leading zeros, and its power of ten: the
 * value is 0.d1d2d3… * 10^scale. */
typedef struct decimal {
  const char *text;
  size_t len; /* digits and perhaps a '.' among them */
  int64_t scale;
} decimal;

static decimal take_apart(const char *s, size_t n) {
  decimal d = {0};
  size_t end = 0;
  while (end < n && s[end] != 'e' && s[end] != 'E') end++;
  int64_t exponent = 0;
  if (end < n) {
    bool minus = s[end + 1] == '-';
    for (size_t i = end + 1; i < n; i++)
      if (s[i] >= '0' && s[i] <= '9' && exponent < 100000000) exponent = 10 * exponent + s[i] - '0';
    if (minus) exponent = -exponent;
  }
  size_t point = 0;
  while (point < end && s[point] != '.') point++;
  size_t first = 0;
  while (first < end && (s[first] == '0' || s[first] == '.')) first++;
  d.text = s + first;
  d.len = end - first;
  d.scale = exponent + (first < point ? (int64_t)(point - first) : -(int64_t)(first - point - 1));
  if (first == end) d.scale = 0;
  return d;
}

/* The next digit of a decimal; zeros after its end. */
static char digit_at(const decimal *d, size_t *i) {
  if (*i < d->len && d->text[*i] == '.') ++*i;
  return *i < d->len ? d->text[(*i)++] : '0';
}

/* The order of two positive decimals. */
static int compare_decimals(decimal a, decimal b) {
  if (!a.len || !b.len) return (a.len > 0) - (b.len > 0);
  if (a.scale != b.scale) return a.scale < b.scale ? -1 : 1;
  for (size_t i = 0, j = 0; i < a.len || j < b.len;) {
    char x = digit_at(&a, &i), y = digit_at(&b, &j);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/* The literal rounded once. `d` is the double nearest to it. Where that could lie half-way between
 * two values of a narrower type although the literal does not, it is moved one step to the
 * literal's side first: then rounding it again rounds the literal. */
static uint64_t round_literal(const num_format *f, double d, str text) {
  uint64_t pattern = num_encode(f, d, NUM_NEAREST_EVEN);
  /* A half-way point of a type of at most 24 bits of precision ends in many zeros. */
  if (d == 0 || isinf(d) || f->mantissa_bits > 23 || num_f64_bits(d) & ((UINT64_C(1) << 24) - 1) ||
      num_decode(f, pattern) == d)
    return pattern;
  char exact[1200]; /* the longest expansion of a double has 767 digits */
  int n = snprintf(exact, sizeof exact, "%.1080e", d);
  int order = compare_decimals(take_apart(text.data, text.len), take_apart(exact, (size_t)n));
  if (order) d = nextafter(d, order > 0 ? INFINITY : 0);
  return num_encode(f, d, NUM_NEAREST_EVEN);
}

/* Powers of ten that a double has, and the largest integer up to which it has all. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { MOST_POWER = ARRAY_LEN(powers) - 1 };
static const uint64_t most_exact = UINT64_C(1) << 53;

/* The double nearest to a decimal that is an integer times or over a power of ten, when a double
 * has both exactly: then one operation rounds once. Nearly every literal is such a one. */
static bool short_decimal(str text, double *out) {
  uint64_t n = 0;
  int power = 0, exponent = 0;
  size_t i = 0;
  for (bool fraction = false; i < text.len && (text.data[i] | 0x20) != 'e'; i++) {
    if (text.data[i] == '.') {
      fraction = true;
      continue;
    }
    n = 10 * n + (uint64_t)(text.data[i] - '0');
    if (n > most_exact) return false;
    power -= fraction;
  }
  bool has_exponent = i < text.len, minus = has_exponent && text.data[i + 1] == '-';
  for (i++; i < text.len; i++) {
    if (text.data[i] == '+' || text.data[i] == '-') continue;
    exponent = 10 * exponent + text.data[i] - '0';
    if (exponent > 1000) return false;
  }
  power += minus ? -exponent : exponent;
  if (power < -MOST_POWER || power > MOST_POWER) return false;
  *out = power < 0 ? (double)n / powers[-power] : (double)n * powers[power];
  return true;
}

uint64_t text_decimal(const num_format *f, bool negative, str terminated) {
  double d;
  if (!short_decimal(terminated, &d)) d = strtod(terminated.data, NULL);
  uint64_t pattern = round_literal(f, d, terminated);
  return negative ? pattern | UINT64_C(1) << (f->bits - 1) : pattern;
}

/* Bits of a pattern as the text writes it: tf32 without the 13 that are always zero. */
static unsigned text_bits(const num_format *f) {
  return f->bits - (unsigned)f->shift;
}

static bool float_pattern(parser *p, tsr_elem elem, bool negative, uint32_t offset, uint64_t *out) {
  const num_format *f = num_format_of(elem);
  str text = p->lx.tok.name;
  if (TOK(p) == TOK_INT && text.len > 2 && text.data[1] == 'x') {
    uint64_t v;
    if (negative)
      return fail_literal(p, offset,
                          "a hexadecimal literal of a float type is its bit pattern "
                          "and has no sign");
    if (!magnitude(text, &v) || v & ~num_mask(text_bits(f)))
      return fail_literal(p, offset, "this bit pattern does not fit the %u bits of '%s'",
                          text_bits(f), tsr_elem_name(elem));
    *out = v << f->shift;
    return true;
  }
  if (TOK(p) == TOK_INT)
    return fail_literal(
        p, offset, "expected a float for '%s', found an integer; write '%s" STR_FMT ".0'",
        tsr_elem_name(elem), negative ? "-" : "", (int)MIN(text.len, 32), text.data);
  if (TOK(p) != TOK_FLOAT) return fail_expected(p, "a number");
  if (negative && !f->is_signed)
    return fail_literal(p, offset, "'%s' has no negative values", tsr_elem_name(elem));
  char copy[64];
  if (text.len < sizeof copy) {
    memcpy(copy, text.data, text.len);
    copy[text.len] = 0;
    text.data = copy;
  } else {
    text = arena_str(&p->temp, text);
  }
  *out = text_decimal(f, negative, text);
  return true;
}

bool literal_pattern(parser *p, tsr_elem elem, bool negative, uint32_t offset, uint64_t *out) {
  if (tsr_elem_is_int(elem)) return int_pattern(p, elem, negative, offset, out);
  return float_pattern(p, elem, negative, offset, out);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Whether 18 decimal digits are all that d > 0 has. */
static bool has_few_digits(double d) {
  int exponent;
  uint64_t m = (uint64_t)ldexp(frexp(d, &exponent), 53);
  exponent -= 53 - __builtin_ctzll(m);
  m >>= __builtin_ctzll(m);
  if (exponent >= 0) return exponent < 40 && m < UINT64_C(1) << (56 - MIN(exponent, 56));
  /* m / 2^k has the digits of m * 5^k. */
  for (int k = -exponent; k > 0; k--)
    if (k > 25 || __builtin_mul_overflow(m, 5, &m)) return false;
  return m < 100000000000000000u;
}

/* What decimal_digits gives, by one multiplication; 0 where its error might matter. */
static int quick_digits(double d, int n, char *digits, int *exponent) {
  enum { LARGEST = 12, SMALLEST = -5, MOST_DIGITS = 9 };
  if (n > MOST_DIGITS || d >= powers[LARGEST] || d < 1e-5) return 0;
  int e = SMALLEST;
  while (e < 0 ? d * powers[-e - 1] >= 1 : d >= powers[e + 1]) e++;
  int power = n - 1 - e;
  double scaled = power < 0 ? d / powers[-power] : d * powers[power];
  uint64_t whole = (uint64_t)scaled;
  double rest = scaled - (double)whole; /* off by less than 10^9 / 2^52 */
  if (fabs(rest - 0.5) < 1e-6) return 0;
  whole += rest > 0.5;
  if (whole == (uint64_t)powers[n]) {
    whole /= 10;
    e++;
  }
  if (whole < (uint64_t)powers[n - 1] || whole >= (uint64_t)powers[n]) return 0;
  *exponent = e;
  for (int i = n; i-- > 0; whole /= 10) digits[i] = (char)('0' + whole % 10);
  while (n > 1 && digits[n - 1] == '0') n--;
  return n;
}

/* The first `n` decimal digits of |d| > 0, the last one rounded half up, without trailing zeros;
 * |d| = d1.d2d3… * 10^exponent. Returns how many digits there are. */
static int decimal_digits(double d, int n, char *digits, int *exponent) {
  char text[1200]; /* d.ddd…e±xx */
  d = fabs(d);
  int quick = quick_digits(d, n, digits, exponent);
  if (quick) return quick;
  int len = snprintf(text, sizeof text, "%.17e", d);
  /* The digit after the n-th decides, unless rounding may have reached it. */
  bool sure = has_few_digits(d);
  for (char *q = text + 2 + n; q < text + len && *q != 'e'; q++) sure |= *q != '0' && *q != '9';
  if (!sure) snprintf(text, sizeof text, "%.1080e", d);
  char *e = strchr(text, 'e');
  *exponent = atoi(e + 1);
  digits[0] = text[0];
  memcpy(digits + 1, text + 2, (size_t)n - 1);
  bool up = text[n + 1] >= '5';
  for (int i = n - 1; up && i >= 0; i--) {
    up = digits[i] == '9';
    digits[i] = up ? '0' : (char)(digits[i] + 1);
  }
  if (up) {
    digits[0] = '1';
    ++*exponent;
  }
  while (n > 1 && digits[n - 1] == '0') n--;
  return n;
}

/* d.ddddd0e+xx: six digits and a zero. `out` has room for 16 characters. */
static int write_short(char *out, double d) {
  char digits[24] = "000000", *at = out;
  int exponent = 0;
  if (d != 0) {
    int n = decimal_digits(d, 6, digits, &exponent);
    memset(digits + n, '0', (size_t)(6 - n));
  }
  if (signbit(d)) *at++ = '-';
  *at++ = digits[0];
  *at++ = '.';
  memcpy(at, digits + 1, 5);
  at += 5;
  *at++ = '0';
  *at++ = 'e';
  *at++ = exponent < 0 ? '-' : '+';
  int size = abs(exponent);
  if (size >= 100) *at++ = (char)('0' + size / 100);
  *at++ = (char)('0' + size / 10 % 10);
  *at++ = (char)('0' + size % 10);
  *at = 0;
  return (int)(at - out);
}

/* All the digits that the format needs, without an exponent when it would be small. Returns 0 when
 * that would look like an integer. */
static int write_long(char *out, size_t size, double d, const num_format *f) {
  int precision = 2 + (f->mantissa_bits + 1) * 59 / 196, exponent;
  char digits[24];
  int n = decimal_digits(d, precision, digits, &exponent);
  const char *sign = signbit(d) ? "-" : "";
  int last = exponent - (n - 1); /* power of ten of the last digit */
  if (last >= 0) {
    if (last <= 3 && exponent + 1 <= precision) return 0;
  } else if (exponent >= 0) {
    return snprintf(out, size, "%s%.*s.%.*s", sign, exponent + 1, digits, n - exponent - 1,
                    digits + exponent + 1);
  } else if (-exponent <= 3) {
    return snprintf(out, size, "%s0.%.*s%.*s", sign, -exponent - 1, "000", n, digits);
  }
  if (n == 1)
    return snprintf(out, size, "%s%c.0E%c%d", sign, digits[0], exponent < 0 ? '-' : '+',
                    abs(exponent));
  return snprintf(out, size, "%s%c.%.*sE%c%d", sign, digits[0], n - 1, digits + 1,
                  exponent < 0 ? '-' : '+', abs(exponent));
}

/* Whether the text gives the pattern back. */
static bool reads_as(const char *text, const num_format *f, uint64_t pattern) {
  bool negative = text[0] == '-';
  return text_decimal(f, negative, str_of(text + negative)) == pattern;
}

static void print_float(sbuf *b, tsr_elem elem, uint64_t pattern) {
  const num_format *f = num_format_of(elem);
  if (num_is_finite(f, pattern)) {
    double d = num_decode(f, pattern);
    char text[64];
    int n = write_short(text, d);
    if (!reads_as(text, f, pattern)) {
      n = write_long(text, sizeof text, d, f);
      if (n && !reads_as(text, f, pattern)) n = 0;
    }
    if (n) {
      sbuf_add(b, text, (size_t)n);
      return;
    }
  }
  sbuf_printf(b, "0x%llX", (unsigned long long)(pattern >> f->shift));
}

void print_literal(sbuf *b, tsr_elem elem, uint64_t pattern) {
  if (elem == TSR_I1)
    sbuf_puts(b, pattern ? "true" : "false");
  else if (tsr_elem_is_int(elem))
    sbuf_i64(b, num_sext(pattern, tsr_elem_bits(elem)));
  else
    print_float(b, elem, pattern);
}
