/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "float.h"

#include <mpfr.h>
#include <stddef.h>

typedef struct format {
  unsigned bits, mantissa, bias;
} format;
static const format formats[] = {{16, 10, 15}, {16, 7, 127}, {32, 23, 127}, {64, 52, 1023}};

enum { EXACT = 2400 }; /* bits that hold any sum of products of f64 but the farthest apart */

/* ---- patterns ---------------------------------------------------------------------------------
 */

static uint64_t mask(unsigned bits) {
  return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}
static uint64_t sign_bit(const format *f) {
  return UINT64_C(1) << (f->bits - 1);
}
static uint64_t magnitude(const format *f, uint64_t v) {
  return v & (sign_bit(f) - 1);
}
uint64_t mp_infinity(float_type t, bool negative) {
  const format *f = &formats[t];
  uint64_t all = mask(f->bits - 1) & ~mask(f->mantissa);
  return negative ? all | sign_bit(f) : all;
}
uint64_t mp_nan(float_type t) {
  return mp_infinity(t, false) | UINT64_C(1) << (formats[t].mantissa - 1);
}
bool mp_is_nan(float_type t, uint64_t v) {
  return magnitude(&formats[t], v) > mp_infinity(t, false);
}
bool mp_is_infinite(float_type t, uint64_t v) {
  return magnitude(&formats[t], v) == mp_infinity(t, false);
}
bool mp_is_zero(float_type t, uint64_t v) {
  return magnitude(&formats[t], v) == 0;
}
bool mp_is_subnormal(float_type t, uint64_t v) {
  uint64_t m = magnitude(&formats[t], v);
  return m && m <= mask(formats[t].mantissa);
}
bool mp_sign(float_type t, uint64_t v) {
  return v & sign_bit(&formats[t]);
}
uint64_t mp_flush(float_type t, uint64_t v) {
  return mp_is_subnormal(t, v) ? v & sign_bit(&formats[t]) : v;
}

/* Patterns in the order of their numbers. */
static int64_t rank(float_type t, uint64_t v) {
  int64_t m = (int64_t)magnitude(&formats[t], v);
  return mp_sign(t, v) ? -m : m;
}
int mp_order(float_type t, uint64_t a, uint64_t b) {
  if (mp_is_nan(t, a) || mp_is_nan(t, b)) return 2;
  int64_t x = rank(t, a), y = rank(t, b);
  return (x > y) - (x < y);
}
uint64_t mp_distance(float_type t, uint64_t a, uint64_t b) {
  bool x = mp_is_nan(t, a), y = mp_is_nan(t, b);
  if (x || y) return x && y ? 0 : UINT64_MAX;
  if (a != b && mp_is_zero(t, a) && mp_is_zero(t, b)) return 1; /* of different sign */
  int64_t d = rank(t, a) - rank(t, b);
  return (uint64_t)(d < 0 ? -d : d);
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

static void set(mpfr_t x, float_type t, uint64_t v) {
  const format *f = &formats[t];
  uint64_t m = magnitude(f, v);
  if (mp_is_nan(t, v)) {
    mpfr_set_nan(x);
  } else if (mp_is_infinite(t, v)) {
    mpfr_set_inf(x, mp_sign(t, v) ? -1 : 1);
  } else {
    long e = (long)(m >> f->mantissa);
    m &= mask(f->mantissa);
    if (e) m |= UINT64_C(1) << f->mantissa;
    mpfr_set_ui_2exp(x, m, (e ? e : 1) - (long)f->bias - (long)f->mantissa, MPFR_RNDN);
    if (mp_sign(t, v)) mpfr_neg(x, x, MPFR_RNDN);
  }
}

static mpfr_rnd_t mode_of(float_rounding r) {
  static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};
  return modes[r];
}

/* The pattern of x, rounded: `ternary` says how x itself was rounded. */
static uint64_t get(mpfr_t x, float_type t, float_rounding r) {
  const format *f = &formats[t];
  uint64_t sign = mpfr_signbit(x) ? sign_bit(f) : 0;
  if (mpfr_nan_p(x)) return mp_nan(t);
  if (mpfr_zero_p(x)) return sign;
  if (mpfr_inf_p(x)) return sign | mp_infinity(t, false);
  long least = 1 - (long)f->bias, e = mpfr_get_exp(x) - 1;
  if (e < least) e = least;
  /* In units of the last place, a whole number. */
  mpfr_t y;
  mpfr_init2(y, mpfr_get_prec(x) + 2);
  mpfr_mul_2si(y, x, (long)f->mantissa - e, MPFR_RNDN);
  mpfr_rint(y, y, mode_of(r));
  mpfr_abs(y, y, MPFR_RNDN);
  uint64_t m = mpfr_get_uj(y, MPFR_RNDN);
  mpfr_clear(y);
  if (m >> (f->mantissa + 1)) m >>= 1, e++;
  if (m >> f->mantissa == 0) return sign | m;
  if (e > (long)f->bias + 1) e = (long)f->bias + 1; /* beyond all numbers */
  uint64_t biased = (uint64_t)(e + (long)f->bias);
  uint64_t v = biased << f->mantissa | (m & mask(f->mantissa));
  if (v < mp_infinity(t, false)) return sign | v;
  bool stays = r == ROUND_ZERO || (r == ROUND_UP && sign) || (r == ROUND_DOWN && !sign);
  return sign | (mp_infinity(t, false) - stays);
}

/* ---- operations -------------------------------------------------------------------------------
 */

static bool is_function(float_op op) {
  return op >= OP_RCP && op <= OP_COS;
}

/* Of so many turns, without those that are whole. */
static void of_turns(float_op op, mpfr_t x) {
  mpfr_t whole, pi;
  mpfr_inits2(400, whole, pi, (mpfr_ptr)0);
  mpfr_trunc(whole, x);
  mpfr_sub(x, x, whole, MPFR_RNDN);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_mul(x, x, pi, MPFR_RNDN);
  mpfr_mul_ui(x, x, 2, MPFR_RNDN);
  if (op == OP_SIN)
    mpfr_sin(x, x, MPFR_RNDN);
  else
    mpfr_cos(x, x, MPFR_RNDN);
  mpfr_clears(whole, pi, (mpfr_ptr)0);
}

static void apply(float_op op, mpfr_t x, mpfr_t y, mpfr_t z, uint64_t b) {
  switch (op) {
  case OP_ROUND: break;
  case OP_ADD: mpfr_add(x, x, y, MPFR_RNDN); break;
  case OP_SUB: mpfr_sub(x, x, y, MPFR_RNDN); break;
  case OP_MUL: mpfr_mul(x, x, y, MPFR_RNDN); break;
  case OP_FMA:
    mpfr_mul(x, x, y, MPFR_RNDN);
    mpfr_add(x, x, z, MPFR_RNDN);
    break;
  case OP_RCP: mpfr_ui_div(x, 1, x, MPFR_RNDN); break;
  case OP_SQRT: mpfr_sqrt(x, x, MPFR_RNDN); break;
  case OP_RSQ:
    mpfr_sqrt(x, x, MPFR_RNDN);
    mpfr_ui_div(x, 1, x, MPFR_RNDN);
    break;
  case OP_EXP2: mpfr_exp2(x, x, MPFR_RNDN); break;
  case OP_LOG2: mpfr_log2(x, x, MPFR_RNDN); break;
  case OP_SIN:
  case OP_COS:
    if (mpfr_number_p(x))
      of_turns(op, x);
    else
      mpfr_set_nan(x);
    break;
  case OP_TRUNC: mpfr_rint(x, x, MPFR_RNDZ); break;
  case OP_CEIL: mpfr_rint(x, x, MPFR_RNDU); break;
  case OP_FLOOR: mpfr_rint(x, x, MPFR_RNDD); break;
  case OP_EVEN: mpfr_roundeven(x, x); break;
  case OP_FRACT:
    if (mpfr_inf_p(x)) {
      mpfr_set_nan(x);
      break;
    }
    mpfr_floor(y, x);
    mpfr_sub(x, x, y, MPFR_RNDN);
    break;
  case OP_LDEXP: mpfr_mul_2si(x, x, (long)(int64_t)b, MPFR_RNDN); break;
  }
}

uint64_t mp_do(float_op op, float_type in, float_type out, float_rounding r, uint64_t a, uint64_t b,
               uint64_t c) {
  static mpfr_t x, y, z;
  static bool ready;
  if (!ready) mpfr_inits2(64, x, y, z, (mpfr_ptr)0);
  ready = true;
  mpfr_prec_t p = is_function(op) ? 400 : in == T_F64 ? EXACT * 2 : 700;
  mpfr_set_prec(x, p);
  mpfr_set_prec(y, p);
  mpfr_set_prec(z, p);
  set(x, in, a);
  set(y, in, op == OP_LDEXP ? 0 : b);
  set(z, in, c);
  apply(op, x, y, z, b);
  return get(x, out, r);
}

uint64_t mp_scaled_fma(float_type t, uint64_t a, uint64_t b, uint64_t c, int by) {
  mpfr_t x, y, z;
  mpfr_inits2(t == T_F64 ? EXACT * 2 : 700, x, y, z, (mpfr_ptr)0);
  set(x, t, a);
  set(y, t, b);
  set(z, t, c);
  apply(OP_FMA, x, y, z, 0);
  mpfr_mul_2si(x, x, by, MPFR_RNDN);
  uint64_t r = get(x, t, ROUND_EVEN);
  mpfr_clears(x, y, z, (mpfr_ptr)0);
  return r;
}

uint64_t mp_dot(float_type in, const uint64_t *a, const uint64_t *b, unsigned n, uint64_t c) {
  mpfr_t sum, x, y;
  mpfr_inits2(700, sum, x, y, (mpfr_ptr)0);
  set(sum, T_F32, c);
  for (unsigned k = 0; k < n; k++) {
    set(x, in, a[k]);
    set(y, in, b[k]);
    mpfr_mul(x, x, y, MPFR_RNDN);
    mpfr_add(sum, sum, x, MPFR_RNDN);
  }
  uint64_t r = get(sum, T_F32, ROUND_EVEN);
  mpfr_clears(sum, x, y, (mpfr_ptr)0);
  return r;
}

uint64_t mp_take_apart(float_type t, uint64_t v, int *exponent) {
  *exponent = 0;
  if (mp_is_nan(t, v) || mp_is_infinite(t, v) || mp_is_zero(t, v)) return v;
  mpfr_t x;
  mpfr_init2(x, 64);
  set(x, t, v);
  *exponent = (int)mpfr_get_exp(x);
  mpfr_set_exp(x, 0);
  uint64_t r = get(x, t, ROUND_EVEN);
  mpfr_clear(x);
  return r;
}

int64_t mp_to_integer(float_type t, uint64_t v, int64_t least, int64_t most) {
  if (mp_is_nan(t, v)) return 0;
  mpfr_t x;
  mpfr_init2(x, 64);
  set(x, t, v);
  mpfr_trunc(x, x);
  int64_t r = mpfr_cmp_si(x, least) < 0  ? least
              : mpfr_cmp_si(x, most) > 0 ? most
                                         : (int64_t)mpfr_get_sj(x, MPFR_RNDZ);
  mpfr_clear(x);
  return r;
}

uint64_t mp_of_integer(float_type t, int64_t v) {
  mpfr_t x;
  mpfr_init2(x, 64);
  mpfr_set_sj(x, v, MPFR_RNDN);
  uint64_t r = get(x, t, ROUND_EVEN);
  mpfr_clear(x);
  return r;
}
