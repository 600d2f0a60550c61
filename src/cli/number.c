/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "cli/number.h"
#include "num/num.h"

static bool is_hex(const char *digits) {
  return digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
}

/* Digits up to the end of the text, without a sign. False when there is anything else, or more
 * than 64 bits. */
static bool parse_digits(const char *text, uint64_t *value) {
  bool hex = is_hex(text);
  const char *digits = hex ? text + 2 : text;
  if (hex ? !isxdigit((unsigned char)*digits) : !isdigit((unsigned char)*digits)) return false;
  char *end;
  errno = 0;
  *value = strtoull(digits, &end, hex ? 16 : 10);
  return *end == 0 && errno == 0;
}

static bool looks_like_digits(const char *text) {
  bool hex = is_hex(text);
  if (hex) text += 2;
  size_t n = strspn(text, hex ? "0123456789abcdefABCDEF" : "0123456789");
  return n > 0 && text[n] == 0;
}

static const char *out_of_int_range(arena *a, tsr_elem elem) {
  unsigned width = tsr_elem_bits(elem);
  return arena_printf(a, "doesn't fit %s, which goes from %lld to %llu", tsr_elem_name(elem),
                      (long long)num_int_min(width), (unsigned long long)num_mask(width));
}

static const char *parse_int(arena *a, tsr_elem elem, const char *text, uint64_t *pattern) {
  unsigned width = tsr_elem_bits(elem);
  if (elem == TSR_I1) {
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) return *pattern = 1, NULL;
    if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0) return *pattern = 0, NULL;
    return "is none of true, false, 1, 0";
  }
  bool negative = *text == '-';
  const char *digits = text + (*text == '-' || *text == '+');
  uint64_t magnitude;
  if (!parse_digits(digits, &magnitude)) {
    if (looks_like_digits(digits)) return out_of_int_range(a, elem);
    return arena_printf(a, "is no whole number, as %s needs", tsr_elem_name(elem));
  }
  uint64_t limit = negative ? UINT64_C(1) << (width - 1) : num_mask(width);
  if (magnitude > limit) return out_of_int_range(a, elem);
  *pattern = num_wrap(negative ? 0 - magnitude : magnitude, width);
  return NULL;
}

/* The number rounded to odd: exact, or with a last bit that remembers that it is not, so that
 * rounding it again to a narrower type gives what rounding the text itself would. */
static double parse_to_odd(const char *text, char **end) {
  int saved = fegetround();
  fesetround(FE_TOWARDZERO);
  double inner = strtod(text, end);
  fesetround(signbit(inner) ? FE_DOWNWARD : FE_UPWARD);
  double outer = strtod(text, NULL);
  fesetround(saved);
  if (inner == outer || isnan(inner)) return inner;
  return num_f64_from_bits(num_f64_bits(inner) | 1);
}

static const char *parse_bits(arena *a, tsr_elem elem, const char *text, uint64_t *pattern) {
  unsigned width = tsr_elem_bits(elem);
  if (!parse_digits(text, pattern) || *pattern > num_mask(width))
    return arena_printf(a, "is no bit pattern of %s, which has %u bits", tsr_elem_name(elem),
                        width);
  return NULL;
}

static const char *encode_special(arena *a, tsr_elem elem, double value, uint64_t *pattern) {
  num_format format = num_format_keep_nan(num_format_of(elem));
  format.saturates = false; /* who writes inf wants it */
  bool has = isnan(value) ? format.nan != NUM_NAN_NONE : format.has_inf;
  if (!has)
    return arena_printf(a, "doesn't exist in %s, which has no %s", tsr_elem_name(elem),
                        isnan(value) ? "NaN" : "infinity");
  *pattern = isnan(value) ? num_nan(&format) : num_inf(&format, signbit(value));
  return NULL;
}

static const char *parse_float(arena *a, tsr_elem elem, const char *text, uint64_t *pattern) {
  const num_format *format = num_format_of(elem);
  if (is_hex(text) && !strpbrk(text, "pP.")) return parse_bits(a, elem, text, pattern);
  const char *digits = text + (*text == '-' || *text == '+');
  char *end;
  double value = parse_to_odd(text, &end);
  if (elem == TSR_F64) value = strtod(text, &end);
  /* strtod also skips white space and takes nan(...). */
  if (end == text || *end || !isalnum((unsigned char)digits[*digits == '.']) || strchr(text, '('))
    return arena_printf(a, "is no number, as %s needs", tsr_elem_name(elem));
  bool spelled = strncasecmp(digits, "inf", 3) == 0 || strncasecmp(digits, "nan", 3) == 0;
  if (spelled) return encode_special(a, elem, value, pattern);
  if (!format->is_signed && (value < 0 || (value == 0 && !format->has_zero)))
    return arena_printf(a, "isn't greater than zero, as %s needs", tsr_elem_name(elem));
  double largest = num_decode(format, num_max_finite(format, false));
  *pattern = num_encode(format, value, NUM_NEAREST_EVEN);
  bool too_large =
      format->has_inf && !format->saturates ? num_is_inf(format, *pattern) : fabs(value) > largest;
  if (too_large)
    return arena_printf(a, "doesn't fit %s, whose largest value is %.6g", tsr_elem_name(elem),
                        largest);
  return NULL;
}

const char *number_parse(arena *a, tsr_elem elem, const char *text, uint64_t *pattern) {
  return tsr_elem_is_float(elem) ? parse_float(a, elem, text, pattern)
                                 : parse_int(a, elem, text, pattern);
}

/* ---- quantities ----------------------------------------------------------------------------- */

/* k, M, G, T and their binary forms after a number. */
static double parse_unit(const char **p) {
  static const char letters[] = "kMGT";
  const char *letter = **p ? strchr(letters, **p == 'K' ? 'k' : **p) : NULL;
  if (!letter) return 1;
  (*p)++;
  double base = 1000;
  if (**p == 'i') {
    (*p)++;
    base = 1024;
  }
  return pow(base, (double)(letter - letters + 1));
}

static bool parse_factor(const char **p, double *value) {
  if (!isdigit((unsigned char)**p) && **p != '.') return false;
  char *end;
  *value = strtod(*p, &end);
  if (end == *p) return false;
  *p = end;
  *value *= parse_unit(p);
  if (**p != '^') return true;
  (*p)++;
  if (!isdigit((unsigned char)**p)) return false;
  *value = pow(*value, (double)strtoul(*p, &end, 10));
  *p = end;
  return true;
}

bool quantity_parse(const char *text, double *value) {
  *value = 1;
  for (;;) {
    double factor;
    if (!parse_factor(&text, &factor)) return false;
    *value *= factor;
    if (*text == 0) return isfinite(*value) && *value > 0;
    if (*text++ != '*') return false;
  }
}
