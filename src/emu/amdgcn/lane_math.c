/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Divisions: the numerator and the denominator are scaled so that no step over- or underflows, and
 * the last step puts in what the steps between get wrong.
 */
#include "emu/amdgcn/lane_math.h"

/* What differs between f32 and f64. */
typedef struct format {
  int bias, far, scale, small;
  double least; /* that is normal */
} format;
static const format single = {127, 96, 64, 23, 0x1p-126};
static const format wide = {1023, 768, 128, 53, 0x1p-1022};

/* The exponent as it stands in the pattern; 0 for subnormals. */
static int stored_exponent(double x, const format *f) {
  if (x == 0 || fabs(x) < f->least) return 0;
  return isfinite(x) ? ilogb(x) + f->bias : 2 * f->bias + 1;
}

static bool is_subnormal(double x, const format *f) {
  return x != 0 && fabs(x) < f->least;
}

/* Whether c / b, before it is rounded, is less than the least normal number, and not 0. */
static bool vanishes(double c, double b, const format *f) {
  int ec, eb;
  if (c == 0 || b == 0 || !isfinite(c) || !isfinite(b)) return false;
  double mc = fabs(frexp(c, &ec)), mb = fabs(frexp(b, &eb));
  int e = ec - eb - (1 - f->bias);
  return e < 0 || (e == 0 && mc < mb);
}

/* a is one of b, the denominator, and c, the numerator. */
static double scale(double a, double b, double c, const format *f, bool *scaled) {
  int distance = stored_exponent(c, f) - stored_exponent(b, f);
  bool quotient = vanishes(c, b, f);
  /* In the format itself: the documents say "in f64", but a gfx1100 leaves 1 / 2^127 as it is, says
   * a test of tinygrad's that runs on one, and would have scaled the numerator. */
  bool inverse = vanishes(1, b, f);
  *scaled = false;
  if (b == 0 || c == 0) return NAN;
  if (distance >= f->far) {
    *scaled = true;
    return a == b ? ldexp(a, f->scale) : a;
  }
  if (is_subnormal(b, f)) return ldexp(a, f->scale);
  if (inverse && quotient) {
    /* The document has the denominator grow here, beyond all numbers; it must shrink for the steps
     * that follow, of which the last makes the quotient smaller. */
    *scaled = true;
    return a == b ? ldexp(a, -f->scale) : a;
  }
  if (inverse) return ldexp(a, -f->scale);
  if (quotient) {
    *scaled = true;
    return a == c ? ldexp(a, f->scale) : a;
  }
  return stored_exponent(c, f) <= f->small ? ldexp(a, f->scale) : a;
}

uint64_t gcn_div_scale_f32(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x) {
  return RF((float)scale(F(a), F(b), F(c), &single, &x->carry));
}
uint64_t gcn_div_scale_f64(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x) {
  return RD(scale(D(a), D(b), D(c), &wide, &x->carry));
}

/* The error of x + y, exact. */
static double sum_error(double x, double y, double sum) {
  double part = sum - x;
  return (x - (sum - part)) + (y - part);
}

/* The sign of a * b + c - r, where r is a * b + c rounded; 0: it is exact. */
static double sign_of_error(double a, double b, double c, double r) {
  double product = a * b, low = fma(a, b, -product), sum = product + c;
  double rest = sum_error(product, c, sum), first = (sum - r) + rest;
  double first_error = sum_error(sum - r, rest, first), all = first + low;
  return all + (sum_error(first, low, all) + first_error);
}

/* r * 2^by for r = a * b + c rounded, as if it had not been: that matters where a subnormal result
 * is a tie. */
static double scaled_once(double r, int by, double error) {
  double scaled = ldexp(r, by), rest = r - ldexp(scaled, -by);
  if (rest == 0 || error == 0 || !isfinite(scaled)) return scaled;
  double other = ldexp(r + rest, by), tie = ldexp(other, -by) - r;
  bool is_tie = tie == rest;
  return is_tie && signbit(rest) == signbit(error) ? other : scaled;
}

static int unscaled_by(double quotient, int by) {
  return fabs(quotient) >= 2 ? by : -by;
}

uint64_t gcn_div_fmas_f32(uint64_t a, uint64_t b, uint64_t c, const gcn_lane *x) {
  if (!x->vcc) return RF(fmaf(F(a), F(b), F(c)));
  double product = (double)F(a) * (double)F(b), sum = product + (double)F(c);
  double error = isfinite(sum) ? sum_error(product, (double)F(c), sum) : 0;
  uint64_t bits = num_f64_bits(sum);
  /* Rounded to odd, it may be rounded once more. */
  if (error != 0 && !(bits & 1)) sum = nextafter(sum, error > 0 ? INFINITY : -INFINITY);
  if (isinf((float)sum)) return RF((float)sum);
  return RF((float)ldexp(sum, unscaled_by((double)F(c), 64)));
}

uint64_t gcn_div_fmas_f64(uint64_t a, uint64_t b, uint64_t c, const gcn_lane *x) {
  double r = fma(D(a), D(b), D(c));
  if (!x->vcc) return RD(r);
  return RD(scaled_once(r, unscaled_by(D(c), 128), sign_of_error(D(a), D(b), D(c), r)));
}

/* a is about c / b. */
static double fix(double a, double b, double c, int lowest, const format *f) {
  double sign = signbit(b) != signbit(c) ? -1.0 : 1.0;
  if (isnan(b) || isnan(c)) return NAN;
  if ((b == 0 && c == 0) || (isinf(b) && isinf(c))) return NAN;
  if (b == 0 || isinf(c)) return sign * INFINITY;
  if (isinf(b) || c == 0) return sign * 0.0;
  if (stored_exponent(c, f) - stored_exponent(b, f) < lowest) return sign * 0.0;
  /* Steps of a quotient that is too large have made a NaN of infinities. */
  return sign * (isnan(a) ? INFINITY : fabs(a));
}

uint64_t gcn_div_fixup_f32(uint64_t a, uint64_t b, uint64_t c) {
  return RF((float)fix(F(a), F(b), F(c), -150, &single));
}
uint64_t gcn_div_fixup_f64(uint64_t a, uint64_t b, uint64_t c) {
  return RD(fix(D(a), D(b), D(c), -1075, &wide));
}
uint64_t gcn_div_fixup_f16(uint64_t a, uint64_t b, uint64_t c) {
  static const format half = {15, 0, 0, 0, 0x1p-14};
  return RH(fix(H(a), H(b), H(c), -1000, &half));
}

bool gcn_in_class(double x, bool signals, bool subnormal, uint64_t mask) {
  bool minus = signbit(x);
  unsigned bit;
  if (isnan(x))
    bit = signals ? 0 : 1;
  else if (isinf(x))
    bit = minus ? 2 : 9;
  else if (x == 0)
    bit = minus ? 5 : 6;
  else if (subnormal)
    bit = minus ? 4 : 7;
  else
    bit = minus ? 3 : 8;
  return mask >> bit & 1;
}
