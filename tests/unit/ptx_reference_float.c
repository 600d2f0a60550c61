/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Floats by MPFR: operands are taken apart into exact numbers, the operation is done by MPFR in the
 * precision and range of the result's format, and the outcome put together again.
 */
#include "ptx_reference_float.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

typedef struct format {
  const char *name;
  unsigned bits, precision, bias; /* precision with the hidden bit */
  bool infinite;                  /* has infinities and NaNs as IEEE does */
  uint64_t nan;                   /* the NaN that arithmetic gives; 0: there is none */
  uint64_t most;                  /* without the sign: the largest number */
  unsigned drop;                  /* bits below, which are zero (tf32) */
} format;

static const format formats[] = {
    {"f16", 16, 11, 15, true, 0x7fff, 0x7bff, 0},
    {"bf16", 16, 8, 127, true, 0x7fff, 0x7f7f, 0},
    {"tf32", 32, 11, 127, true, 0x7fffe000, 0x7f7fe000, 13},
    {"f32", 32, 24, 127, true, 0x7fffffff, 0x7f7fffff, 0},
    {"f64", 64, 53, 1023, true, UINT64_C(0x7fffffffffffffff), UINT64_C(0x7fefffffffffffff), 0},
    {"e4m3", 8, 4, 7, false, 0x7f, 0x7e, 0},
    {"e5m2", 8, 3, 15, true, 0x7f, 0x7b, 0},
    {"e2m1", 4, 2, 1, false, 0, 7, 0},
    {"e2m3", 6, 4, 1, false, 0, 0x1f, 0},
    {"e3m2", 6, 3, 3, false, 0, 0x1f, 0},
};

#define HAS(word)   ptx_name_has(i, word)
#define IS(opcode_) (strcmp(i->opcode, opcode_) == 0)

/* The format of a type; of f16x2 and e4m3x2 that of a part. */
static const format *format_of(const char *type) {
  for (unsigned k = 0; k < sizeof formats / sizeof *formats; k++) {
    const char *name = formats[k].name, *t = type;
    while (*name && *name == *t) name++, t++;
    if (!*name && (!*t || *t == 'x')) return &formats[k];
  }
  return NULL;
}

/* ---- bits and numbers ----------------------------------------------------------------------- */

static uint64_t sign_bit(const format *f) {
  return UINT64_C(1) << (f->bits - 1);
}
static uint64_t without_sign(const format *f, uint64_t v) {
  return v & (sign_bit(f) - 1);
}
static unsigned fraction_bits(const format *f) {
  return f->precision - 1 + f->drop;
}
static uint64_t infinity(const format *f) {
  uint64_t exponents = (sign_bit(f) >> fraction_bits(f)) - 1;
  return exponents << fraction_bits(f);
}
static bool is_nan(const format *f, uint64_t v) {
  if (f->infinite) return without_sign(f, v) > infinity(f);
  return f->nan && without_sign(f, v) == f->nan;
}
static bool is_infinite(const format *f, uint64_t v) {
  return f->infinite && without_sign(f, v) == infinity(f);
}
static bool is_subnormal(const format *f, uint64_t v) {
  v = without_sign(f, v);
  return v && v >> fraction_bits(f) == 0;
}
static uint64_t flush(const format *f, uint64_t v, bool ftz) {
  return ftz && is_subnormal(f, v) ? v & sign_bit(f) : v;
}

static double value_of(const format *f, uint64_t v) {
  double sign = v & sign_bit(f) ? -1 : 1;
  if (is_nan(f, v)) return NAN;
  if (is_infinite(f, v)) return sign * INFINITY;
  uint64_t m = without_sign(f, v), e = m >> fraction_bits(f);
  m &= (UINT64_C(1) << fraction_bits(f)) - 1;
  if (e) m |= UINT64_C(1) << fraction_bits(f);
  return sign * ldexp((double)m, (int)(e ? e : 1) - (int)f->bias - (int)fraction_bits(f));
}

double ptx_float_value(const char *type, uint64_t bits) {
  return value_of(format_of(type), bits);
}

/* The bits of a number that the format has. */
static uint64_t bits_of(const format *f, double d) {
  int e;
  if (isnan(d)) return f->nan;
  uint64_t sign = signbit(d) ? sign_bit(f) : 0;
  d = fabs(d);
  if (isinf(d)) return sign | infinity(f);
  if (d == 0) return sign;
  frexp(d, &e);
  int least = 1 - (int)f->bias, exponent = e - 1 < least ? least : e - 1;
  uint64_t m = (uint64_t)ldexp(d, (int)f->precision - 1 - exponent) << f->drop;
  uint64_t biased = (uint64_t)(exponent + (int)f->bias);
  bool normal = m >> fraction_bits(f);
  return sign | (normal ? m + ((biased - 1) << fraction_bits(f)) : m);
}

static mpfr_rnd_t rounding(const ptx_name *i) {
  if (HAS("rz") || HAS("rzi")) return MPFR_RNDZ;
  if (HAS("rm") || HAS("rmi")) return MPFR_RNDD;
  if (HAS("rp") || HAS("rpi")) return MPFR_RNDU;
  return MPFR_RNDN;
}

/* What MPFR rounded to the format's precision, in its range: the bits. `inexact` as MPFR gave. */
static uint64_t settle(const format *f, mpfr_t r, int inexact, mpfr_rnd_t round) {
  mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  unsigned exponents = (unsigned)(infinity(f) >> fraction_bits(f));
  mpfr_set_emin(3 - (mpfr_exp_t)f->bias - (mpfr_exp_t)f->precision);
  mpfr_set_emax((mpfr_exp_t)(f->infinite ? exponents - 1 : exponents) - (mpfr_exp_t)f->bias + 1);
  inexact = mpfr_check_range(r, inexact, round);
  mpfr_subnormalize(r, inexact, round);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  if (mpfr_inf_p(r) && !f->infinite) return f->most | (mpfr_signbit(r) ? sign_bit(f) : 0);
  return bits_of(f, mpfr_get_d(r, MPFR_RNDZ));
}

/* Numbers that are used again and again, for there are millions of results. */
typedef struct workspace {
  bool ready;
  mpfr_t x, y, z, r;
} workspace;

static workspace *numbers(mpfr_prec_t operands, mpfr_prec_t result) {
  static workspace w;
  if (!w.ready) mpfr_inits2(64, w.x, w.y, w.z, w.r, (mpfr_ptr)0);
  w.ready = true;
  mpfr_set_prec(w.x, operands);
  mpfr_set_prec(w.y, operands);
  mpfr_set_prec(w.z, operands);
  mpfr_set_prec(w.r, result);
  return &w;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

typedef enum operation {
  ADD,
  SUB,
  MUL,
  FMA,
  DIV,
  RCP,
  SQRT,
  RSQRT,
  SIN,
  COS,
  LG2,
  EX2,
  TANH,
  NONE
} operation;

static operation operation_of(const ptx_name *i) {
  static const struct {
    const char *opcode;
    operation op;
  } known[] = {{"add", ADD}, {"sub", SUB}, {"mul", MUL},   {"fma", FMA},     {"mad", FMA},
               {"div", DIV}, {"rcp", RCP}, {"sqrt", SQRT}, {"rsqrt", RSQRT}, {"sin", SIN},
               {"cos", COS}, {"lg2", LG2}, {"ex2", EX2},   {"tanh", TANH}};
  for (unsigned k = 0; k < sizeof known / sizeof *known; k++)
    if (IS(known[k].opcode)) return known[k].op;
  return NONE;
}

static uint64_t arithmetic(const ptx_name *i, const format *f, uint64_t a, uint64_t b, uint64_t c) {
  workspace *w = numbers(53, (mpfr_prec_t)f->precision);
  mpfr_ptr x = w->x, y = w->y, z = w->z, r = w->r;
  mpfr_rnd_t round = rounding(i);
  mpfr_set_d(x, value_of(f, a), MPFR_RNDN);
  mpfr_set_d(y, value_of(f, b), MPFR_RNDN);
  mpfr_set_d(z, value_of(f, c), MPFR_RNDN);
  int t = 0;
  switch (operation_of(i)) {
  case ADD: t = mpfr_add(r, x, y, round); break;
  case SUB: t = mpfr_sub(r, x, y, round); break;
  case MUL: t = mpfr_mul(r, x, y, round); break;
  case FMA: t = mpfr_fma(r, x, y, z, round); break;
  case DIV: t = mpfr_div(r, x, y, round); break;
  case RCP: t = mpfr_ui_div(r, 1, x, round); break;
  case SQRT: t = mpfr_sqrt(r, x, round); break;
  case RSQRT: /* of -0 it is -infinity, which MPFR sees otherwise */
    t = mpfr_rec_sqrt(r, x, round);
    if (mpfr_zero_p(x) && mpfr_signbit(x)) mpfr_set_inf(r, -1);
    break;
  case SIN: t = mpfr_sin(r, x, round); break;
  case COS: t = mpfr_cos(r, x, round); break;
  case LG2: t = mpfr_log2(r, x, round); break;
  case EX2: t = mpfr_exp2(r, x, round); break;
  case TANH: t = mpfr_tanh(r, x, round); break;
  case NONE: mpfr_set_nan(r);
  }
  return settle(f, r, t, round);
}

int float_order(const char *type, uint64_t a, uint64_t b, bool ftz) {
  const format *f = format_of(type);
  double x = value_of(f, flush(f, a, ftz)), y = value_of(f, flush(f, b, ftz));
  return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
}

static uint64_t lesser(const ptx_name *i, const format *f, uint64_t a, uint64_t b) {
  bool max = IS("max"), xorsign = HAS("xorsign"), nan = HAS("NaN");
  uint64_t sign = xorsign ? (a ^ b) & sign_bit(f) : 0;
  if (HAS("abs")) a = without_sign(f, a), b = without_sign(f, b);
  uint64_t r;
  if (is_nan(f, a) || is_nan(f, b)) {
    if (nan || (is_nan(f, a) && is_nan(f, b))) return f->nan;
    r = is_nan(f, a) ? b : a;
  } else {
    double x = value_of(f, a), y = value_of(f, b);
    bool a_first = x < y || (x == y && (a & sign_bit(f)));
    r = a_first != max ? a : b;
  }
  return xorsign ? without_sign(f, r) | sign : r;
}

/* .ftz of conversions is about f32 only. */
static uint64_t finish(const ptx_name *i, const format *f, uint64_t r) {
  r = flush(f, r, HAS("ftz") && (!IS("cvt") || strcmp(f->name, "f32") == 0));
  if (HAS("sat")) {
    uint64_t one = bits_of(f, 1);
    if (is_nan(f, r) || r & sign_bit(f)) return 0;
    return r > one ? one : r;
  }
  if (HAS("relu") && !is_nan(f, r) && r & sign_bit(f)) return 0;
  return r;
}

/* All but the last of the operands are of the second type: as numbers of the first. */
static uint64_t mixed(const ptx_name *i, const format *f, const uint64_t o[4]) {
  const format *from = format_of(i->types[1]);
  bool three = IS("fma");
  uint64_t a = bits_of(f, value_of(from, o[0])),
           b = three ? bits_of(f, value_of(from, o[1])) : o[1];
  return finish(i, f, arithmetic(i, f, a, b, three ? o[2] : 0));
}

/* One part (or all) of the operands. `three`: min and max have a third operand. */
static uint64_t one(const ptx_name *i, const format *f, const uint64_t o[4]) {
  bool ftz = HAS("ftz");
  uint64_t a = flush(f, o[0], ftz), b = flush(f, o[1], ftz), c = flush(f, o[2], ftz);
  if (IS("abs")) return without_sign(f, a);
  if (IS("neg")) return a ^ sign_bit(f);
  if (IS("copysign")) return without_sign(f, o[1]) | (o[0] & sign_bit(f));
  if (IS("min") || IS("max")) {
    uint64_t r = lesser(i, f, a, b);
    if (HAS("three")) r = lesser(i, f, r, c);
    return finish(i, f, r);
  }
  uint64_t out_of_bounds = (sign_bit(f) << 1) - 1; /* all bits set: what tensor copies fill in */
  if (HAS("oob") && (a == out_of_bounds || b == out_of_bounds)) return 0;
  return finish(i, f, arithmetic(i, f, a, b, c));
}

bool float_reference(const ptx_name *i, const uint64_t o[4], uint64_t *r) {
  const char *t = i->types[0];
  const format *f = format_of(t);
  bool known =
      operation_of(i) != NONE || IS("abs") || IS("neg") || IS("copysign") || IS("min") || IS("max");
  if (!f || !known) return false;
  if (i->n_types == 2) {
    *r = mixed(i, f, o);
    return true;
  }
  uint64_t mask = f->bits == 64 ? UINT64_MAX : (UINT64_C(1) << f->bits) - 1;
  *r = 0;
  for (unsigned k = 0; k < (strstr(t, "x2") ? 2 : 1); k++) {
    uint64_t part[4];
    for (unsigned n = 0; n < 4; n++) part[n] = o[n] >> k * f->bits % 64 & mask;
    *r |= one(i, f, part) << k * f->bits % 64;
  }
  return true;
}

bool float_test(const ptx_name *i, uint64_t a) {
  const format *f = format_of(i->types[0]);
  bool nan = is_nan(f, a), inf = is_infinite(f, a);
  if (HAS("finite")) return !nan && !inf;
  if (HAS("infinite")) return inf;
  if (HAS("number")) return !nan;
  if (HAS("notanumber")) return nan;
  if (HAS("subnormal")) return is_subnormal(f, a);
  return !nan && !inf && !is_subnormal(f, a);
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* Values as MPFR numbers, wide enough for all: f64 or 64-bit integers. */
static void set_from(mpfr_t x, const char *type, uint64_t v) {
  unsigned bits = ptx_type_bits(type);
  if (format_of(type)) {
    mpfr_set_d(x, value_of(format_of(type), v), MPFR_RNDN);
  } else if (type[0] == 's') {
    mpfr_set_si(x, (int64_t)(v << (64 - bits)) >> (64 - bits), MPFR_RNDN);
  } else {
    mpfr_set_ui(x, bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1), MPFR_RNDN);
  }
}

static uint64_t to_integer(const char *to, mpfr_t x, mpfr_rnd_t round, unsigned from_bits) {
  unsigned bits = ptx_type_bits(to);
  bool s = to[0] == 's';
  if (mpfr_nan_p(x)) { /* the manual: 0, but of 64 bits on either side */
    uint64_t least = s ? -(UINT64_C(1) << (bits - 1)) : UINT64_C(1) << (bits - 1);
    return bits == 64 || from_bits == 64 ? least : 0;
  }
  mpfr_rint(x, x, round);
  /* Out of range means the nearest integer there is. */
  if (s) {
    long most = (long)((UINT64_C(1) << (bits - 1)) - 1);
    if (mpfr_cmp_si(x, most) > 0) return (uint64_t)most;
    if (mpfr_cmp_si(x, -most - 1) < 0) return (uint64_t)(-most - 1);
    return (uint64_t)mpfr_get_si(x, MPFR_RNDN);
  }
  unsigned long most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  if (mpfr_sgn(x) <= 0) return 0;
  if (mpfr_cmp_ui(x, most) > 0) return most;
  return mpfr_get_ui(x, MPFR_RNDN);
}

/* To nearest, ties away from zero, on the bits: MPFR has no such rounding. */
static uint64_t to_tf32_away(uint64_t v) {
  uint64_t m = v & 0x7fffffff;
  if (m >= 0x7f800000) return m > 0x7f800000 ? 0x7fffe000 : v;
  return (v & 0x80000000) | ((m + 0x1000) & 0xffffe000);
}

static uint64_t to_exponent(const ptx_name *i, mpfr_t x) {
  if (mpfr_nan_p(x)) return 0xff;
  mpfr_ptr r = numbers(64, 1)->r;
  mpfr_abs(x, x, MPFR_RNDN);
  mpfr_set(r, x, HAS("rp") ? MPFR_RNDU : MPFR_RNDZ);
  long e = mpfr_zero_p(r) ? -127 : mpfr_inf_p(r) ? 200 : mpfr_get_exp(r) - 1;
  if (e < -127) e = -127;
  return e > 127 ? (HAS("satfinite") ? 0xfe : 0xff) : (uint64_t)(e + 127);
}

static uint64_t to_float(const ptx_name *i, const char *to, mpfr_t x) {
  const format *f = format_of(to);
  mpfr_rnd_t round = rounding(i);
  mpfr_ptr r = numbers(64, (mpfr_prec_t)f->precision)->r;
  bool narrow = f->bits <= 8;
  uint64_t bits;
  int t = mpfr_set(r, x, round);
  if (narrow && (mpfr_nan_p(x) || mpfr_inf_p(x))) {
    /* Formats without a NaN give their largest number. */
    bits = mpfr_inf_p(x) || !f->nan ? f->most | (mpfr_inf_p(x) && mpfr_signbit(x) ? sign_bit(f) : 0)
                                    : f->nan;
  } else {
    bits = settle(f, r, t, round);
    bool over = HAS("satfinite") && !is_nan(f, bits) && without_sign(f, bits) > f->most;
    bool nan_pattern =
        HAS("satfinite") && !f->infinite && !mpfr_nan_p(x) && without_sign(f, bits) > f->most;
    if (over || nan_pattern) bits = (bits & sign_bit(f)) | f->most;
  }
  return finish(i, f, bits);
}

/* One value; `v` with the type's bits. */
static uint64_t convert_one(const ptx_name *i, const char *to, const char *from, uint64_t v) {
  const format *ff = format_of(from), *ft = format_of(to);
  bool ftz = HAS("ftz");
  if (ff && strcmp(from, "f32") == 0) v = flush(ff, v, ftz);
  if (HAS("rna")) {
    uint64_t r = to_tf32_away(v);
    return HAS("satfinite") && (r & 0x7fffffff) == 0x7f800000 ? (r & 0x80000000) | 0x7f7fe000 : r;
  }
  MPFR_DECL_INIT(x, 64);
  uint64_t r;
  if (strncmp(from, "ue8m0", 5) == 0) {
    if (v == 0xff)
      mpfr_set_nan(x);
    else
      mpfr_set_ui_2exp(x, 1, (long)v - 127, MPFR_RNDN);
  } else {
    set_from(x, from, v);
  }
  bool whole = HAS("rni") || HAS("rzi") || HAS("rmi") || HAS("rpi");
  if (strncmp(to, "ue8m0", 5) == 0) {
    r = to_exponent(i, x);
  } else if (!ft) {
    r = to_integer(to, x, rounding(i), ff->bits);
  } else {
    bool negative = mpfr_signbit(x);
    if (whole && !mpfr_nan_p(x)) mpfr_rint(x, x, rounding(i));
    if (mpfr_zero_p(x)) mpfr_setsign(x, x, ff && negative, MPFR_RNDN);
    r = to_float(i, to, x);
  }
  return r;
}

static unsigned part_bits(const char *type) {
  return ptx_type_bits(type) / 2;
}

bool float_convert(const ptx_name *i, const uint64_t o[4], uint64_t *r) {
  const char *to = i->types[0], *from = i->types[1];
  bool two_to = strstr(to, "x2"), two_from = strstr(from, "x2");
  char part_to[8] = "", part_from[8] = "";
  snprintf(part_to, sizeof part_to, "%.*s", (int)strlen(to) - 2 * two_to, to);
  snprintf(part_from, sizeof part_from, "%.*s", (int)strlen(from) - 2 * two_from, from);
  if (!two_to) {
    uint64_t v = convert_one(i, to, from, o[0]);
    unsigned bits = ptx_type_bits(to);
    *r = bits < 64 && to[0] != 's' ? v & ((UINT64_C(1) << bits) - 1) : v;
    return true;
  }
  uint64_t high = o[0], low = o[1];
  if (two_from) {
    unsigned n = part_bits(from), real = n;
    uint64_t mask = (UINT64_C(1) << n) - 1;
    if (strncmp(from, "e2m3", 4) == 0 || strncmp(from, "e3m2", 4) == 0) real = 6;
    high = o[0] >> n & mask & ((UINT64_C(1) << real) - 1);
    low = o[0] & mask & ((UINT64_C(1) << real) - 1);
  }
  *r = convert_one(i, part_to, part_from, high) << part_bits(to) |
       convert_one(i, part_to, part_from, low);
  return true;
}

/* ---- tolerances ----------------------------------------------------------------------------- */

void ptx_tolerance(const ptx_name *i, double *relative, double *absolute) {
  const char *t = i->types[0];
  *relative = *absolute = 0;
  bool full = IS("div") && HAS("full");
  if (!HAS("approx") && !full) return;
  *absolute = 0x1p-125; /* subnormal results may be zero */
  *relative = IS("div") ? 0x1p-22 : IS("tanh") ? 0x1p-11 : 0x1p-22;
  if (IS("sin") || IS("cos")) *relative = 0, *absolute = 0x1p-20;
  if (IS("lg2")) *absolute = 0x1p-22;
  if (strncmp(t, "f16", 3) == 0) *relative = 0x1p-9, *absolute = 0x1p-10;
  if (strncmp(t, "bf16", 4) == 0) *relative = 0x1p-7, *absolute = 0x1p-8;
  if (strcmp(t, "f64") == 0) *relative = 0x1p-19, *absolute = 0x1p-1000;
}
