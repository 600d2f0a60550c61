/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/gpu_check.h"

#include <math.h>
#include <string.h>

/* ---- elements ------------------------------------------------------------------------------- */

typedef struct elem_format {
  const char *name;
  unsigned bytes, exponent, mantissa; /* bits of a float; 0: an integer */
  bool no_infinity;                   /* the largest exponent has numbers, all ones are NaN */
} elem_format;

/* The last ones are compared by their bits. */
static const elem_format formats[] = {
    {"i1", 1, 0, 0, false},         {"i8", 1, 0, 0, false},         {"i16", 2, 0, 0, false},
    {"i32", 4, 0, 0, false},        {"i64", 8, 0, 0, false},        {"f16", 2, 5, 10, false},
    {"bf16", 2, 8, 7, false},       {"f32", 4, 8, 23, false},       {"tf32", 4, 8, 23, false},
    {"f64", 8, 11, 52, false},      {"f8E5M2", 1, 5, 2, false},     {"f8E4M3FN", 1, 4, 3, true},
    {"f8E5M2FNUZ", 1, 0, 0, false}, {"f8E4M3FNUZ", 1, 0, 0, false},
};

static const elem_format *format_of(const char *elem) {
  for (size_t i = 0; i < COUNT_OF(formats); i++)
    if (strcmp(formats[i].name, elem) == 0) return &formats[i];
  return NULL;
}

unsigned elem_bytes(const char *elem) {
  const elem_format *f = format_of(elem);
  return f ? f->bytes : 0;
}

static double value_of(const elem_format *f, uint64_t bits) {
  if (!f->exponent) {
    unsigned unused = 64 - 8 * f->bytes;
    return (double)((int64_t)(bits << unused) >> unused);
  }
  uint64_t ones = ((uint64_t)1 << f->exponent) - 1;
  uint64_t mantissa = bits & (((uint64_t)1 << f->mantissa) - 1),
           exponent = bits >> f->mantissa & ones;
  double sign = bits >> (f->exponent + f->mantissa) & 1 ? -1 : 1;
  int bias = (int)(ones >> 1);
  bool nan = f->no_infinity ? exponent == ones && mantissa == ((uint64_t)1 << f->mantissa) - 1
                            : exponent == ones && mantissa;
  if (nan) return (double)NAN;
  if (exponent == ones && !f->no_infinity) return sign * (double)INFINITY;
  if (!exponent) return sign * ldexp((double)mantissa, 1 - bias - (int)f->mantissa);
  return sign * ldexp((double)(mantissa | (uint64_t)1 << f->mantissa),
                      (int)exponent - bias - (int)f->mantissa);
}

static uint64_t bits_at(const elem_format *f, const void *data, size_t index) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + index * f->bytes, f->bytes);
  return bits;
}

double elem_value(const char *elem, const void *data, size_t index) {
  const elem_format *f = format_of(elem);
  return f ? value_of(f, bits_at(f, data, index)) : 0;
}

/* ---- comparing ------------------------------------------------------------------------------ */

size_t compare_arrays(const char *elem, const void *got, const void *expected, size_t count,
                      double rtol, double atol, char *what, size_t size) {
  const elem_format *f = format_of(elem);
  size_t wrong = 0;
  double worst = -1;
  what[0] = 0;
  if (!f) {
    snprintf(what, size, "no such element type: %s", elem);
    return count ? count : 1;
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t a_bits = bits_at(f, got, i), b_bits = bits_at(f, expected, i);
    if (a_bits == b_bits) continue;
    double a = value_of(f, a_bits), b = value_of(f, b_bits);
    if (isnan(a) && isnan(b)) continue;
    double distance = fabs(a - b);
    bool fine = (rtol > 0 || atol > 0) && isfinite(distance) && distance <= atol + rtol * fabs(b);
    if (fine) continue;
    wrong++;
    double badness = isfinite(distance) ? distance / (fabs(b) + 1e-30) : (double)INFINITY;
    if (badness <= worst) continue;
    worst = badness;
    snprintf(what, size, "element %zu is %.9g, expected %.9g (0x%llx, 0x%llx)", i, a, b,
             (unsigned long long)a_bits, (unsigned long long)b_bits);
  }
  return wrong;
}

/* ---- random numbers ------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* The bits of the number of a format that is nearest to x, towards zero. */
static uint64_t bits_of(const elem_format *f, double x) {
  if (!f->exponent) return (uint64_t)(int64_t)x;
  uint64_t sign = (uint64_t)(signbit(x) != 0) << (f->exponent + f->mantissa);
  int exponent, bias = (1 << (f->exponent - 1)) - 1, most = (1 << f->exponent) - 2;
  double fraction = frexp(fabs(x), &exponent); /* 0.5 to 1 */
  int biased = exponent - 1 + bias;
  if (fraction == 0 || biased < 1) return sign;
  if (biased > most) return sign | (uint64_t)most << f->mantissa;
  uint64_t mantissa = (uint64_t)ldexp(fraction * 2 - 1, (int)f->mantissa);
  return sign | (uint64_t)biased << f->mantissa | mantissa;
}

enum { TABLE = 1 << 12 };

/* A table of numbers from the distribution, of which each element takes one at random. */
static void make_table(const elem_format *f, double scale, uint64_t seed, uint64_t *table) {
  const double turn = 6.283185307179586;
  for (unsigned i = 0; i < TABLE; i++) {
    double u = ((double)(next_random(&seed) >> 11) + 0.5) * 0x1p-53;
    double v = (double)(next_random(&seed) >> 11) * 0x1p-53;
    table[i] = bits_of(f, scale * sqrt(-2 * log(u)) * cos(turn * v));
  }
}

void elem_random(const char *elem, void *data, size_t count, double scale, uint64_t seed) {
  static uint64_t table[TABLE];
  const elem_format *f = format_of(elem);
  if (!f) return;
  uint8_t *out = data;
  if (f->exponent) make_table(f, scale, seed, table);
  for (size_t i = 0; i < count;) {
    uint64_t r = next_random(&seed);
    for (unsigned k = 0; k < 4 && i < count; k++, i++, r >>= 16) {
      uint64_t bits = f->exponent ? table[r % TABLE] : r;
      memcpy(out + i * f->bytes, &bits, f->bytes);
    }
  }
}
