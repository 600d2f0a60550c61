/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Floating-point instructions on patterns. Exact in every rounding mode through src/num; the modes
 * that compiled code uses all the time (.rn of f32 and f64) by the host's own operations.
 * Source: PTX ISA, "Floating Point Instructions", "Half Precision Floating Point Instructions".
 *
 * NaN results are the ones the cards give: 0x7fffffff, 0x7fff; doubles keep the payload of an
 * operand, and 0xfff8000000000000 is made where none was there.
 */
#include <math.h>

#include "num/num.h"
#include "emu/ptx/floats.h"
#include "emu/ptx/lanes.h"

/* ---- formats -------------------------------------------------------------------------------- */

const num_format *float_format(ptx_type t) {
  switch (t) {
  case PTX_F16:
  case PTX_F16X2: return num_format_of(TSR_F16);
  case PTX_BF16:
  case PTX_BF16X2: return num_format_of(TSR_BF16);
  case PTX_F64: return num_format_of(TSR_F64);
  default: return num_format_of(TSR_F32);
  }
}

num_rounding float_rounding(unsigned round) {
  switch (round) {
  case PTX_RZ:
  case PTX_RZI: return NUM_ZERO;
  case PTX_RM:
  case PTX_RMI: return NUM_NEGATIVE_INF;
  case PTX_RP:
  case PTX_RPI: return NUM_POSITIVE_INF;
  default: return NUM_NEAREST_EVEN;
  }
}

uint64_t float_nan(const num_format *f) {
  if (f->bits == 64) return UINT64_C(0xfff8000000000000);
  return num_mask(f->bits - 1u);
}

static uint64_t settle_nan(const num_format *f, uint64_t v) {
  return num_is_nan(f, v) ? float_nan(f) : v;
}

/* .sat: to [0, 1], NaN to +0. .relu: negative to +0, NaN stays. */
static uint64_t clamp_result(const num_format *f, uint64_t v, uint32_t flags) {
  if (flags & PTX_FLAG_SAT) {
    if (num_is_nan(f, v) || num_is_negative(f, v)) return 0;
    if (num_magnitude(f, v) > num_magnitude(f, num_one(f))) return num_one(f);
  }
  if ((flags & PTX_FLAG_RELU) && !num_is_nan(f, v) && num_is_negative(f, v)) return 0;
  return v;
}

/* ---- one element ---------------------------------------------------------------------------- */

typedef uint64_t (*element_op)(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                               uint64_t c);

static bool is_packed(ptx_type t) {
  return t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_F32X2;
}

/* Applies an operation of up to three operands to each lane, to each part of packed types. All
 * operands but the last may be of a second, narrower type. */
static void by_element(emu_warp *w, const ptx_insn *i, uint32_t lanes, element_op op) {
  ptx_type t = (ptx_type)i->type[0];
  const num_format *f = float_format(t);
  unsigned parts = is_packed(t) ? 2 : 1;
  uint64_t mask = num_mask(f->bits);
  PTX_FOR_LANES(l, lanes) {
    uint64_t v[3] = {0}, result = 0;
    for (unsigned k = 1; k < i->n_ops && k < 4; k++) v[k - 1] = ptx_get(w, &i->op_list[k], l);
    for (unsigned k = 0; i->n_types == 2 && k + 2 < i->n_ops; k++)
      v[k] = num_convert(f, float_format((ptx_type)i->type[1]), v[k], NUM_NEAREST_EVEN);
    for (unsigned p = 0; p < parts; p++) {
      unsigned s = p * f->bits;
      uint64_t r = op(f, i, v[0] >> s & mask, v[1] >> s & mask, v[2] >> s & mask);
      result |= clamp_result(f, r, i->flags) << s;
    }
    ptx_set(w, &i->op_list[0], l, result);
  }
}

static bool ftz(const ptx_insn *i) {
  return i->flags & PTX_FLAG_FTZ;
}

static uint64_t add_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  (void)c;
  return settle_nan(f, num_add(f, a, b, float_rounding(i->round), ftz(i)));
}
static uint64_t sub_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  (void)c;
  return settle_nan(f, num_sub(f, a, b, float_rounding(i->round), ftz(i)));
}
static uint64_t mul_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  (void)c;
  return settle_nan(f, num_mul(f, a, b, float_rounding(i->round), ftz(i)));
}
/* .oob: a or b being the "out of bounds" NaN makes the result zero. */
static uint64_t fma_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  uint64_t out_of_bounds = num_mask(f->bits);
  if ((i->flags & PTX_FLAG_OOB) && (a == out_of_bounds || b == out_of_bounds)) return 0;
  return settle_nan(f, num_fma(f, a, b, c, float_rounding(i->round), ftz(i)));
}

/* div.approx: for 2^126 < |b| < 2^128 the result is a * 0. */
static uint64_t div_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  (void)c;
  if (i->round == PTX_APPROX && f->bits == 32) {
    uint32_t magnitude = (uint32_t)b & 0x7fffffff;
    if (magnitude > 0x7e800000 && magnitude < 0x7f800000) {
      if (num_is_inf(f, a) || num_is_nan(f, a)) return float_nan(f);
      return (a ^ b) & 0x80000000;
    }
  }
  return settle_nan(f, num_div(f, a, b, float_rounding(i->round), ftz(i)));
}

/* ---- the frequent ones ---------------------------------------------------------------------- */

static inline uint32_t flush32(uint32_t v) {
  return (v & 0x7f800000) ? v : v & 0x80000000;
}
static inline uint32_t result32(float r) {
  uint32_t v = num_f32_bits(r);
  return r != r ? 0x7fffffff : v;
}
static bool is_plain(const ptx_insn *i, ptx_type t) {
  return i->type[0] == t && i->n_types == 1 && (i->round == PTX_RN || i->round == PTX_NO_ROUND) &&
         !(i->flags & (PTX_FLAG_SAT | PTX_FLAG_RELU | PTX_FLAG_OOB));
}

#define F32(p)  num_f32_from_bits(p[l])
#define F32Z(p) num_f32_from_bits(flush32(p[l]))
#define F64(p)  num_f64_from_bits(p[l])

/* A binary operation: by the host for plain f32 and f64, else element by element. */
#define FLOAT_BINARY(name, op)                                                                     \
  emu_step ptx_op_float_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes) {                   \
    if (is_plain(i, PTX_F32)) {                                                                    \
      uint32_t *d = ROW(0);                                                                        \
      const uint32_t *pa = ROW(1), *pb = ROW(2);                                                   \
      if (ftz(i))                                                                                  \
        LANES_DO(d[l] = flush32(result32(F32Z(pa) op F32Z(pb))));                                  \
      else                                                                                         \
        LANES_DO(d[l] = result32(F32(pa) op F32(pb)));                                             \
    } else if (is_plain(i, PTX_F64)) {                                                             \
      uint64_t *d = ROW(0);                                                                        \
      const uint64_t *pa = ROW(1), *pb = ROW(2);                                                   \
      LANES_DO(d[l] = num_f64_bits(F64(pa) op F64(pb)));                                           \
    } else {                                                                                       \
      by_element(w, i, lanes, name##_one);                                                         \
    }                                                                                              \
    return EMU_NEXT;                                                                               \
  }
FLOAT_BINARY(add, +)
FLOAT_BINARY(sub, -)
FLOAT_BINARY(mul, *)
FLOAT_BINARY(div, /)
#undef FLOAT_BINARY

emu_step ptx_op_float_fma(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (is_plain(i, PTX_F32)) {
    uint32_t *d = ROW(0);
    const uint32_t *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);
    if (ftz(i))
      LANES_DO(d[l] = flush32(result32(fmaf(F32Z(pa), F32Z(pb), F32Z(pc)))));
    else
      LANES_DO(d[l] = result32(fmaf(F32(pa), F32(pb), F32(pc))));
  } else if (is_plain(i, PTX_F64)) {
    uint64_t *d = ROW(0);
    const uint64_t *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);
    LANES_DO(d[l] = num_f64_bits(fma(F64(pa), F64(pb), F64(pc))));
  } else {
    by_element(w, i, lanes, fma_one);
  }
  return EMU_NEXT;
}

/* ---- signs, minimum, maximum ---------------------------------------------------------------- */

/* Sign operations on f32 and f64 only change the sign, also of NaNs; on the small formats a NaN
 * gives the usual one. */
static uint64_t sign_op(const num_format *f, const ptx_insn *i, uint64_t a, bool negate) {
  if (ftz(i)) a = num_flush(f, a);
  if (f->bits < 32 && num_is_nan(f, a)) return float_nan(f);
  uint64_t sign = num_sign_bit(f);
  return negate ? a ^ sign : a & ~sign;
}
static uint64_t abs_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  (void)b, (void)c;
  return sign_op(f, i, a, false);
}
static uint64_t neg_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  (void)b, (void)c;
  return sign_op(f, i, a, true);
}

static uint64_t extreme(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b, bool max) {
  uint64_t sign = num_sign_bit(f), sign_of_result = 0;
  if (i->flags & PTX_FLAG_ABS) {
    if (i->flags & PTX_FLAG_XORSIGN) sign_of_result = (a ^ b) & sign;
    a &= ~sign;
    b &= ~sign;
  }
  bool nan = i->flags & PTX_FLAG_NAN;
  uint64_t r = max ? num_max(f, a, b, nan, ftz(i)) : num_min(f, a, b, nan, ftz(i));
  if (num_is_nan(f, r)) return f->bits == 64 ? UINT64_C(0x7ff8000000000000) : float_nan(f);
  return r | sign_of_result;
}
static uint64_t min_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  uint64_t r = extreme(f, i, a, b, false);
  return i->n_ops > 3 ? extreme(f, i, r, c, false) : r;
}
static uint64_t max_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  uint64_t r = extreme(f, i, a, b, true);
  return i->n_ops > 3 ? extreme(f, i, r, c, true) : r;
}

static uint64_t copysign_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                             uint64_t c) {
  (void)i, (void)c;
  uint64_t sign = num_sign_bit(f);
  return (b & ~sign) | (a & sign);
}

/* ---- roots, reciprocals, functions ---------------------------------------------------------- */

static uint64_t rcp_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                        uint64_t c) {
  (void)b, (void)c;
  return settle_nan(f, num_div(f, num_one(f), a, float_rounding(i->round), ftz(i)));
}

/* rcp.approx.ftz.f64 looks at the upper 32 bits only and gives 20 bits or so; the lower are zero.
 */
static uint64_t rcp64_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                          uint64_t c) {
  (void)b, (void)c, (void)i;
  a = num_flush(f, a & UINT64_C(0xffffffff00000000));
  if (num_is_nan(f, a)) return float_nan(f);
  return num_flush(f, num_div(f, num_one(f), a, NUM_NEAREST_EVEN, true)) &
         UINT64_C(0xffffffff00000000);
}

static uint64_t sqrt_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,
                         uint64_t c) {
  (void)b, (void)c;
  return settle_nan(f, num_sqrt(f, a, float_rounding(i->round), ftz(i)));
}

/* A function of one number, by the host's double (or long double) and rounded once to the format:
 * closer than any of the documented bounds. */
static uint64_t through_double(const num_format *f, const ptx_insn *i, uint64_t a,
                               double (*function)(double)) {
  if (ftz(i)) a = num_flush(f, a);
  if (num_is_nan(f, a)) return float_nan(f);
  double r = function(num_decode(f, a));
  if (r != r) return float_nan(f);
  uint64_t v = num_encode(f, r, NUM_NEAREST_EVEN);
  return ftz(i) ? num_flush(f, v) : v;
}
static double inverse_sqrt(double x) {
  return x == 0 ? (signbit(x) ? -INFINITY : INFINITY) : (double)(1.0L / sqrtl(x));
}

#define FUNCTION(name, function)                                                                   \
  static uint64_t name##_one(const num_format *f, const ptx_insn *i, uint64_t a, uint64_t b,       \
                             uint64_t c) {                                                         \
    (void)b, (void)c;                                                                              \
    return through_double(f, i, a, function);                                                      \
  }
FUNCTION(rsqrt, inverse_sqrt)
FUNCTION(sin, sin)
FUNCTION(cos, cos)
FUNCTION(lg2, log2)
FUNCTION(ex2, exp2)
FUNCTION(tanh, tanh)
#undef FUNCTION

/* Without modifiers: what most code uses. */
static inline uint32_t extreme32(uint32_t a, uint32_t b, bool max) {
  float x = num_f32_from_bits(a), y = num_f32_from_bits(b);
  if (x != x) return y != y ? 0x7fffffff : b;
  if (y != y) return a;
  if (x == y) return max ? a & b : a | b; /* differ in the sign of a zero at most */
  return (x < y) != max ? a : b;
}

static bool is_plain_extreme(const ptx_insn *i) {
  uint32_t modified = PTX_FLAG_NAN | PTX_FLAG_XORSIGN | PTX_FLAG_ABS | PTX_FLAG_FTZ;
  return i->type[0] == PTX_F32 && i->n_ops == 3 && !(i->flags & modified);
}

#define EXTREME(name, is_max)                                                                      \
  emu_step ptx_op_float_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes) {                   \
    if (is_plain_extreme(i))                                                                       \
      BINARY(uint32_t, uint32_t, uint32_t, extreme32(a, b, is_max));                               \
    else                                                                                           \
      by_element(w, i, lanes, name##_one);                                                         \
    return EMU_NEXT;                                                                               \
  }
EXTREME(min, false)
EXTREME(max, true)
#undef EXTREME

#define SIGN(name, expr)                                                                           \
  emu_step ptx_op_float_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes) {                   \
    if (i->type[0] == PTX_F32 && !ftz(i))                                                          \
      UNARY(uint32_t, uint32_t, uint32_t, expr);                                                   \
    else                                                                                           \
      by_element(w, i, lanes, name##_one);                                                         \
    return EMU_NEXT;                                                                               \
  }
SIGN(abs, a & 0x7fffffff)
SIGN(neg, a ^ 0x80000000)
#undef SIGN

#define ELEMENTWISE(name)                                                                          \
  emu_step ptx_op_float_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes) {                   \
    by_element(w, i, lanes, name##_one);                                                           \
    return EMU_NEXT;                                                                               \
  }
ELEMENTWISE(copysign)
ELEMENTWISE(rcp)
ELEMENTWISE(rcp64)
ELEMENTWISE(sqrt)
ELEMENTWISE(rsqrt)
ELEMENTWISE(sin)
ELEMENTWISE(cos)
ELEMENTWISE(lg2)
ELEMENTWISE(ex2)
ELEMENTWISE(tanh)
#undef ELEMENTWISE

/* ---- tests and comparisons ------------------------------------------------------------------ */

static bool test(const num_format *f, unsigned op, uint64_t a) {
  switch (op) {
  case PTX_OP_FINITE: return num_is_finite(f, a);
  case PTX_OP_INFINITE: return num_is_inf(f, a);
  case PTX_OP_NUMBER: return !num_is_nan(f, a);
  case PTX_OP_NOTANUMBER: return num_is_nan(f, a);
  case PTX_OP_NORMAL: return num_is_finite(f, a) && !num_is_subnormal(f, a); /* zero, too */
  default: return num_is_subnormal(f, a);
  }
}

emu_step ptx_op_float_testp(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const num_format *f = float_format((ptx_type)i->type[0]);
  uint32_t bits = 0;
  PTX_FOR_LANES(l, lanes) bits |= (uint32_t)test(f, i->op, ptx_get(w, &i->op_list[1], l)) << l;
  ptx_set_pred(w, &i->op_list[0], lanes, bits);
  return EMU_NEXT;
}

bool float_compare(const num_format *f, unsigned compare, uint64_t a, uint64_t b, bool flush) {
  if (flush) a = num_flush(f, a), b = num_flush(f, b);
  if (f->bits == 32)
    return float_compare_numbers(compare, num_f32_from_bits((uint32_t)a),
                                 num_f32_from_bits((uint32_t)b));
  return float_compare_numbers(compare, num_decode(f, a), num_decode(f, b));
}
