/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Exact arithmetic with integers: any format, any mode. Each operation works out the special
 * values, computes a 64-bit significand whose lowest bit is sticky, and lets num_round_pack round.
 * The rules for special values and signs of zero are those of IEEE 754-2019, 6.1 to 6.3 and 7.2.
 */
#include "num/internal.h"

static num_unpacked unpack_flushed(const num_format *f, uint64_t pattern, bool ftz) {
  return num_unpack(f, ftz ? num_flush(f, pattern) : pattern);
}

static uint64_t flush_if(const num_format *f, uint64_t pattern, bool ftz) {
  return ftz ? num_flush(f, pattern) : pattern;
}

/* wide * 2^exponent, whose lowest bit may be sticky, rounded and packed; wide != 0. */
static uint64_t pack_wide(const num_format *f, bool negative, int32_t exponent, num_u128 wide,
                          num_rounding r) {
  uint64_t high = (uint64_t)(wide >> 64);
  int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)wide);
  wide <<= zeros;
  uint64_t significand = (uint64_t)(wide >> 64) | ((uint64_t)wide != 0);
  return num_round_pack(f, negative, exponent + 127 - zeros, significand, r);
}

/* A zero from x + y = 0 exactly. */
static uint64_t zero_sum(const num_format *f, bool x_negative, bool y_negative, num_rounding r) {
  if (x_negative == y_negative) return num_zero(f, x_negative);
  return num_zero(f, r == NUM_NEGATIVE_INF);
}

static uint64_t add_finite(const num_format *f, num_unpacked x, num_unpacked y, num_rounding r) {
  if (x.exponent < y.exponent) {
    num_unpacked t = x;
    x = y;
    y = t;
  }
  /* One bit of room for the carry and 63 below: what is shifted out beyond those is only sticky,
   * and then the exponents differ by so much that at most one leading bit can cancel. */
  num_u128 wide = (num_u128)x.significand << 63;
  num_u128 other =
      num_shift_sticky128((num_u128)y.significand << 63, (unsigned)(x.exponent - y.exponent));
  bool negative = x.negative;
  if (x.negative == y.negative) {
    wide += other;
  } else if (wide == other) {
    return zero_sum(f, x.negative, y.negative, r);
  } else if (wide > other) {
    wide -= other;
  } else {
    wide = other - wide;
    negative = y.negative;
  }
  return pack_wide(f, negative, x.exponent - 126, wide, r);
}

static uint64_t add_unpacked(const num_format *f, num_unpacked x, num_unpacked y, num_rounding r) {
  if (x.kind == NUM_CLASS_NAN || y.kind == NUM_CLASS_NAN) return num_nan(f);
  if (x.kind == NUM_CLASS_INF) {
    if (y.kind == NUM_CLASS_INF && x.negative != y.negative) return num_nan(f);
    return num_inf(f, x.negative);
  }
  if (y.kind == NUM_CLASS_INF) return num_inf(f, y.negative);
  if (x.kind == NUM_CLASS_ZERO && y.kind == NUM_CLASS_ZERO) {
    return zero_sum(f, x.negative, y.negative, r);
  }
  if (x.kind == NUM_CLASS_ZERO) return num_round_pack(f, y.negative, y.exponent, y.significand, r);
  if (y.kind == NUM_CLASS_ZERO) return num_round_pack(f, x.negative, x.exponent, x.significand, r);
  return add_finite(f, x, y, r);
}

uint64_t num_soft_add(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  num_unpacked x = unpack_flushed(f, a, ftz), y = unpack_flushed(f, b, ftz);
  return flush_if(f, add_unpacked(f, x, y, r), ftz);
}

uint64_t num_soft_sub(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  num_unpacked x = unpack_flushed(f, a, ftz), y = unpack_flushed(f, b, ftz);
  y.negative = !y.negative;
  return flush_if(f, add_unpacked(f, x, y, r), ftz);
}

/* The kind of x * y. */
static num_class product_kind(num_unpacked x, num_unpacked y) {
  if (x.kind == NUM_CLASS_NAN || y.kind == NUM_CLASS_NAN) return NUM_CLASS_NAN;
  bool inf = x.kind == NUM_CLASS_INF || y.kind == NUM_CLASS_INF;
  bool zero = x.kind == NUM_CLASS_ZERO || y.kind == NUM_CLASS_ZERO;
  if (inf) return zero ? NUM_CLASS_NAN : NUM_CLASS_INF;
  return zero ? NUM_CLASS_ZERO : NUM_CLASS_FINITE;
}

uint64_t num_soft_mul(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  num_unpacked x = unpack_flushed(f, a, ftz), y = unpack_flushed(f, b, ftz);
  bool negative = x.negative != y.negative;
  switch (product_kind(x, y)) {
  case NUM_CLASS_NAN: return num_nan(f);
  case NUM_CLASS_INF: return num_inf(f, negative);
  case NUM_CLASS_ZERO: return num_zero(f, negative);
  case NUM_CLASS_FINITE: break;
  }
  num_u128 product = (num_u128)x.significand * y.significand;
  return flush_if(f, pack_wide(f, negative, x.exponent + y.exponent - 126, product, r), ftz);
}

uint64_t num_soft_div(const num_format *f, uint64_t a, uint64_t b, num_rounding r, bool ftz) {
  num_unpacked x = unpack_flushed(f, a, ftz), y = unpack_flushed(f, b, ftz);
  bool negative = x.negative != y.negative;
  if (x.kind == NUM_CLASS_NAN || y.kind == NUM_CLASS_NAN) return num_nan(f);
  if (x.kind == y.kind && x.kind != NUM_CLASS_FINITE) return num_nan(f); /* 0/0, inf/inf */
  if (x.kind == NUM_CLASS_INF || y.kind == NUM_CLASS_ZERO) return num_inf(f, negative);
  if (x.kind == NUM_CLASS_ZERO || y.kind == NUM_CLASS_INF) return num_zero(f, negative);
  /* Scale so that the quotient has exactly 64 bits. */
  bool less = x.significand < y.significand;
  num_u128 dividend = (num_u128)x.significand << (63 + less);
  uint64_t quotient = (uint64_t)(dividend / y.significand);
  if (dividend % y.significand != 0) quotient |= 1;
  return flush_if(f, num_round_pack(f, negative, x.exponent - y.exponent - less, quotient, r), ftz);
}

/* The 64-bit integer square root of a number of 127 or 128 bits, lowest bit sticky; one bit of the
 * root at a time, by long division's sibling. */
static uint64_t sqrt_sticky(num_u128 a) {
  num_u128 rest = 0;
  uint64_t root = 0;
  for (int i = 0; i < 64; i++) {
    /* Bring down two bits, then try root*2 + 1 in the next place. rest <= 2*root always, so the
     * left side stays below 2^67. */
    rest = rest << 2 | (uint64_t)(a >> 126);
    a <<= 2;
    num_u128 trial = (num_u128)root << 2 | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  return root | (rest != 0);
}

uint64_t num_soft_sqrt(const num_format *f, uint64_t a, num_rounding r, bool ftz) {
  num_unpacked x = unpack_flushed(f, a, ftz);
  if (x.kind == NUM_CLASS_NAN) return num_nan(f);
  if (x.kind == NUM_CLASS_ZERO) return num_zero(f, x.negative); /* sqrt(-0) = -0 */
  if (x.negative) return num_nan(f);
  if (x.kind == NUM_CLASS_INF) return num_inf(f, false);
  bool odd = x.exponent & 1;
  uint64_t root = sqrt_sticky((num_u128)x.significand << (63 + odd));
  return flush_if(f, num_round_pack(f, false, (x.exponent - odd) / 2, root, r), ftz);
}

/* ---- fma: 256 bits hold the exact product beside the addend --------------------------------- */

typedef struct u256 {
  num_u128 high, low;
} u256;

static bool less256(u256 a, u256 b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

static u256 add256(u256 a, u256 b) {
  num_u128 low = a.low + b.low;
  return (u256){a.high + b.high + (low < a.low), low};
}

static u256 sub256(u256 a, u256 b) {
  return (u256){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static u256 shift_sticky256(u256 a, unsigned count) {
  if (count == 0) return a;
  if (count >= 128) {
    num_u128 low = num_shift_sticky128(a.high, count - 128);
    return (u256){0, low | (a.low != 0)};
  }
  num_u128 lost = a.low << (128 - count);
  return (u256){a.high >> count, a.low >> count | a.high << (128 - count) | (lost != 0)};
}

/* wide * 2^exponent, rounded and packed; wide != 0. */
static uint64_t pack256(const num_format *f, bool negative, int32_t exponent, u256 wide,
                        num_rounding r) {
  if (wide.high == 0) return pack_wide(f, negative, exponent, wide.low, r);
  int zeros = wide.high >> 64 ? __builtin_clzll((uint64_t)(wide.high >> 64))
                              : 64 + __builtin_clzll((uint64_t)wide.high);
  num_u128 top = zeros ? wide.high << zeros | wide.low >> (128 - zeros) : wide.high;
  bool rest = (wide.low << zeros) != 0;
  return pack_wide(f, negative, exponent + 128 - zeros, top | rest, r);
}

/* x * y + z, all finite and not zero. */
static uint64_t fma_finite(const num_format *f, num_unpacked x, num_unpacked y, num_unpacked z,
                           num_rounding r) {
  bool product_negative = x.negative != y.negative;
  /* Product and addend as 127 or 128 bits below one bit of room, with the same meaning of the top:
   * bit 254 weighs 2^top. */
  num_u128 product = (num_u128)x.significand * y.significand;
  int32_t product_top = x.exponent + y.exponent + 1;
  u256 p = {product >> 1, product << 127};
  u256 q = {(num_u128)z.significand << 63, 0};
  int32_t top = product_top > z.exponent ? product_top : z.exponent;
  /* Bits are lost only when the exponents differ by more than 127, when nothing can cancel but the
   * top two bits. */
  p = shift_sticky256(p, (unsigned)(top - product_top));
  q = shift_sticky256(q, (unsigned)(top - z.exponent));
  bool negative = product_negative;
  if (product_negative == z.negative) {
    p = add256(p, q);
  } else if (less256(p, q)) {
    p = sub256(q, p);
    negative = z.negative;
  } else {
    p = sub256(p, q);
    if (p.high == 0 && p.low == 0) return zero_sum(f, product_negative, z.negative, r);
  }
  return pack256(f, negative, top - 254, p, r);
}

uint64_t num_soft_fma(const num_format *f, uint64_t a, uint64_t b, uint64_t c, num_rounding r,
                      bool ftz) {
  num_unpacked x = unpack_flushed(f, a, ftz), y = unpack_flushed(f, b, ftz);
  num_unpacked z = unpack_flushed(f, c, ftz);
  num_class kind = product_kind(x, y);
  if (kind != NUM_CLASS_FINITE || z.kind != NUM_CLASS_FINITE) {
    /* With a special value the product need not be known: its kind and sign, or, beside a zero
     * addend, its own rounding, are enough. */
    if (kind == NUM_CLASS_FINITE && z.kind == NUM_CLASS_ZERO) {
      num_u128 product = (num_u128)x.significand * y.significand;
      bool negative = x.negative != y.negative;
      return flush_if(f, pack_wide(f, negative, x.exponent + y.exponent - 126, product, r), ftz);
    }
    num_unpacked product = {kind, x.negative != y.negative, 0, UINT64_C(1) << 63};
    return flush_if(f, add_unpacked(f, product, z, r), ftz);
  }
  return flush_if(f, fma_finite(f, x, y, z, r), ftz);
}
