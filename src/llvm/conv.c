/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element formats to and from registers, by bit arithmetic on 32-bit lanes; by the half-precision
 * conversions of the processor where it has them. LLVM's own conversions are used only where they
 * become instructions: elsewhere it would call functions (__extendhfsf2, __truncsfbf2, …) that
 * compiled code isn't linked with.
 *
 * Values that are subnormal in a narrow format are ordinary in f32. They never pass through
 * subnormal f32 numbers here, which cost some processors a hundred cycles.
 */
#include "llvm/conv.h"

#include <math.h>

#include "num/num.h"
#include "llvm/arith.h"
#include "llvm/lanes.h"
#include "llvm/lookup.h"
#include "llvm/nans.h"

/* What the bit arithmetic needs to know of a format with fewer exponents than f32. */
typedef struct narrow {
  const num_format *f;
  unsigned drop;       /* mantissa bits of f32 that the format lacks */
  uint32_t rebias;     /* what its exponents lack to those of f32, in the exponent's place */
  uint32_t min_normal; /* as f32 bits */
  uint32_t max_finite; /* as f32 bits */
  double ulp;          /* distance of its subnormal numbers */
} narrow;

static narrow narrow_of(tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  narrow n = {.f = f, .drop = 23u - f->mantissa_bits, .rebias = (127u - (uint32_t)f->bias) << 23};
  n.min_normal = num_f32_bits((float)num_decode(f, num_min_normal(f)));
  n.max_finite = num_f32_bits((float)num_decode(f, num_max_finite(f, false)));
  n.ulp = num_decode(f, num_min_positive(f));
  return n;
}

static const uint32_t f32_sign = 0x80000000u, f32_inf = 0x7f800000u, f32_nan = 0x7fc00000u;

static lanes bits_of(emit *e, lanes x) {
  return l_bitcast(e, x, e->i32);
}
static lanes float_of(emit *e, lanes bits) {
  return l_bitcast(e, bits, e->f32);
}

/* ---- storage to registers -------------------------------------------------------------------- */

/* The bit of a format's sign; of one without sign, the bit above its highest. */
static uint32_t sign_of(const num_format *f) {
  return 1u << (f->bits - f->is_signed);
}

/* A format with subnormals and fewer exponents than f32. */
static lanes decode_narrow(emit *e, tsr_elem elem, lanes storage) {
  narrow n = narrow_of(elem);
  lanes x = l_zext(e, storage, e->i32);
  uint32_t sign = sign_of(n.f);
  lanes mag = n.f->is_signed ? i_andk(e, x, sign - 1) : x;
  lanes shifted = i_shlk(e, mag, n.drop), r;
  if (e->gpu) { /* subnormal f32 numbers cost nothing there: one product moves the exponent */
    r = bits_of(e, f_mulk(e, float_of(e, shifted), ldexp(1, 127 - n.f->bias)));
  } else {
    lanes normal = i_addk(e, shifted, n.rebias);
    lanes sub = bits_of(e, f_mulk(e, l_sitofp(e, mag, e->f32), n.ulp));
    lanes is_sub = i_cmpk(e, LLVMIntULT, mag, 1u << n.f->mantissa_bits);
    r = l_select(e, is_sub, sub, normal);
  }
  if (n.f->nan == NUM_NAN_IEEE) {
    uint32_t inf = (uint32_t)num_mask(n.f->exponent_bits) << n.f->mantissa_bits;
    r = l_select(e, i_cmpk(e, LLVMIntUGE, mag, inf), i_ork(e, shifted, f32_inf), r);
  } else if (n.f->nan == NUM_NAN_ALL_ONES) {
    r = l_select(e, i_cmpk(e, LLVMIntEQ, mag, sign - 1), lanes_int(e, r, f32_nan), r);
  } else if (n.f->nan == NUM_NAN_NEG_ZERO) {
    r = l_select(e, i_cmpk(e, LLVMIntEQ, x, sign), lanes_int(e, r, f32_nan), r);
  }
  if (!n.f->is_signed) return float_of(e, r);
  lanes s = i_shlk(e, i_andk(e, x, sign), 32u - n.f->bits);
  return float_of(e, i_or(e, r, s));
}

static lanes half_to_float(emit *e, lanes bits16) {
  return l_fpext(e, l_bitcast(e, bits16, e->f16), e->f32);
}

/* What a half's magnitude is at least, where it is an infinity or a NaN. */
static const uint32_t half_inf = 0x7c00;

/* The conversion makes signalling NaNs quiet, and a GPU's all NaNs alike. So infinities and NaNs
 * are put together from their bits, which arithmetic, to which NaNs are alike, takes back off
 * (emit_plain_half). */
static lanes decode_half(emit *e, lanes bits16) {
  lanes x = l_zext(e, bits16, e->i32), mag = i_andk(e, x, 0x7fff);
  lanes sign = i_shlk(e, i_andk(e, x, 0x8000), 16);
  lanes special = i_or(e, i_ork(e, i_shlk(e, mag, 13), f32_inf), sign);
  lanes is_special = i_cmpk(e, LLVMIntUGE, mag, half_inf);
  return float_of(e, l_select(e, is_special, special, bits_of(e, half_to_float(e, bits16))));
}

/* e4m3 has the exponents of half minus 2^8, so half conversions do most of the work. */
static lanes decode_e4m3_by_half(emit *e, lanes storage) {
  lanes x = l_zext(e, storage, e->i16);
  lanes mag = i_andk(e, x, 0x7f);
  lanes sign = i_shlk(e, i_andk(e, x, 0x80), 8);
  lanes half = i_or(e, i_shlk(e, mag, 7), sign);
  lanes value = f_mulk(e, half_to_float(e, half), 256);
  lanes is_nan = i_cmpk(e, LLVMIntEQ, mag, 0x7f);
  lanes nan = f_copysign(e, float_of(e, lanes_i32(e, x, f32_nan)), value);
  return l_select(e, is_nan, nan, value);
}

/* The byte that decode_e4m3_by_half made x from; NULL: it didn't. */
static LLVMValueRef e4m3_behind(lanes x) {
  LLVMValueRef half = lanes_operand(lanes_operand(x, LLVMSelect, 2), LLVMFMul, 0);
  LLVMValueRef mag = lanes_operand(lanes_operand(x, LLVMSelect, 0), LLVMICmp, 0);
  LLVMValueRef byte = lanes_operand(lanes_operand(mag, LLVMAnd, 0), LLVMZExt, 0);
  return lanes_operand(half, LLVMFPExt, 0) ? byte : NULL;
}

/* A format that is a half's but for the bias and the lengths of its fields: the half conversion
 * takes its subnormal numbers as they come. */
static bool fits_half(const num_format *f) {
  bool plain = f->nan == NUM_NAN_NONE || f->nan == NUM_NAN_NEG_ZERO;
  return f->is_signed && plain && f->exponent_bits < 5 && f->bits <= 8;
}

static lanes decode_by_half(emit *e, const num_format *f, lanes storage) {
  lanes x = l_zext(e, storage, e->i16);
  lanes mag = i_shlk(e, i_andk(e, x, sign_of(f) - 1), 10u - f->mantissa_bits);
  lanes sign = i_shlk(e, i_andk(e, x, sign_of(f)), 16u - f->bits);
  lanes value = f_mulk(e, half_to_float(e, i_or(e, mag, sign)), ldexp(1, 15 - f->bias));
  if (f->nan == NUM_NAN_NONE) return value;
  lanes is_nan = i_cmpk(e, LLVMIntEQ, storage, num_sign_bit(f));
  return l_select(e, is_nan, lanes_real(e, value, (double)NAN), value);
}

/* A format of 8 bits or less that no processor knows. */
static lanes decode_small(emit *e, tsr_elem elem, lanes storage) {
  const num_format *f = num_format_of(elem);
  if (f->bits == 4 && emit_has_lookup(e, emit_lanes(storage)))
    return emit_lookup_elem(e, elem, l_zext(e, storage, e->i32));
  if (fits_half(f) && emit_has_half(e) && !e->gpu && f->bits != 4)
    return decode_by_half(e, f, storage);
  return decode_narrow(e, elem, storage);
}

/* 2^(x - 127): the exponent of f32 as it is, but for the lowest and NaN. */
static lanes decode_e8m0(emit *e, lanes storage) {
  lanes x = l_zext(e, storage, e->i32);
  lanes r = i_shlk(e, x, 23);
  r = l_select(e, i_cmpk(e, LLVMIntEQ, x, 0), lanes_int(e, r, 0x00400000u), r);
  r = l_select(e, i_cmpk(e, LLVMIntEQ, x, 255), lanes_int(e, r, f32_nan), r);
  return float_of(e, r);
}

LLVMValueRef emit_decode(emit *e, tsr_elem elem, LLVMValueRef storage) {
  switch (elem) {
  case TSR_I1: return i_cmpk(e, LLVMIntNE, storage, 0);
  case TSR_BF16: return float_of(e, i_shlk(e, l_zext(e, storage, e->i32), 16));
  case TSR_TF32: return float_of(e, i_andk(e, storage, 0xffffe000u));
  case TSR_F16: return emit_has_half(e) ? decode_half(e, storage) : decode_narrow(e, elem, storage);
  case TSR_F8E5M2: /* the high byte of a half */
    if (!emit_has_half(e)) return decode_narrow(e, elem, storage);
    return decode_half(e, i_shlk(e, l_zext(e, storage, e->i16), 8));
  case TSR_F8E4M3FN:
    return emit_has_half(e) ? decode_e4m3_by_half(e, storage) : decode_narrow(e, elem, storage);
  case TSR_F8E8M0FNU: return decode_e8m0(e, storage);
  default:
    return tsr_elem_is_float(elem) && tsr_elem_bits(elem) <= 8 ? decode_small(e, elem, storage)
                                                               : storage;
  }
}

/* ---- registers to storage -------------------------------------------------------------------- */

/* The inverse of decode_narrow, for values that the format has. */
static lanes encode_narrow(emit *e, tsr_elem elem, lanes value) {
  narrow n = narrow_of(elem);
  lanes x = bits_of(e, value);
  lanes mag = i_andk(e, x, ~f32_sign);
  lanes normal = i_lshrk(e, i_subk(e, mag, n.rebias), n.drop);
  /* Exact: a whole number of ulps. Lanes out of range are not chosen. */
  lanes sub = l_fptosi(e, f_mulk(e, float_of(e, mag), 1 / n.ulp), e->i32);
  lanes r = l_select(e, i_cmpk(e, LLVMIntULT, mag, n.min_normal), sub, normal);
  uint32_t sign = sign_of(n.f);
  if (n.f->nan == NUM_NAN_IEEE) {
    uint32_t inf = (uint32_t)num_mask(n.f->exponent_bits) << n.f->mantissa_bits;
    lanes top = i_addk(e, i_lshrk(e, i_subk(e, mag, f32_inf), n.drop), inf);
    r = l_select(e, i_cmpk(e, LLVMIntUGE, mag, f32_inf), top, r);
  } else if (n.f->nan == NUM_NAN_ALL_ONES) {
    r = l_select(e, i_cmpk(e, LLVMIntUGT, mag, f32_inf), lanes_int(e, r, sign - 1), r);
  } else if (n.f->nan == NUM_NAN_NEG_ZERO) {
    lanes is_nan = i_cmpk(e, LLVMIntUGT, mag, f32_inf);
    r = l_select(e, is_nan, lanes_int(e, r, 0), r);
    x = l_select(e, is_nan, lanes_int(e, x, f32_sign), x);
  }
  if (n.f->is_signed) r = i_or(e, r, i_andk(e, i_lshrk(e, x, 32u - n.f->bits), sign));
  return l_trunc(e, r, n.f->bits <= 8 ? e->i8 : e->i16);
}

static bool is_extension(lanes value, LLVMTypeRef from) {
  return LLVMIsAFPExtInst(value) && lanes_elem(LLVMGetOperand(value, 0)) == from;
}

/* Narrows numbers; of what is NaN in it the processor's conversion makes some NaN. A GPU's makes
 * NaNs of its own kind. */
static lanes round_to_half(emit *e, lanes value) {
  lanes bits = l_bitcast(e, l_fptrunc(e, value, e->f16), e->i16);
  if (!e->gpu) return bits;
  return l_select(e, f_is_nan(e, value), lanes_int(e, bits, 0x7e00), bits);
}

/* Undoes an extension from half instead of narrowing again what it gave. NaNs of arithmetic are
 * canonical, which the conversion leaves as they are, and as halves those of f8E4M3FN are only
 * multiplied; others have bits that count. */
static lanes encode_half(emit *e, lanes value) {
  LLVMValueRef half = emit_loaded_half(value);
  if (half) return half;
  if (is_extension(value, e->f16)) return l_bitcast(e, LLVMGetOperand(value, 0), e->i16);
  if (lanes_before_canonical(value) || e4m3_behind(value)) return round_to_half(e, value);
  lanes bits = bits_of(e, value), number = l_bitcast(e, l_fptrunc(e, value, e->f16), e->i16);
  lanes sign = i_andk(e, i_lshrk(e, bits, 16), 0x8000);
  lanes mag = i_ork(e, i_andk(e, i_lshrk(e, bits, 13), 0x3ff), half_inf);
  lanes nan = l_trunc(e, i_or(e, mag, sign), e->i16);
  return l_select(e, f_is_nan(e, value), nan, number);
}

/* A GPU's product drops a NaN's sign. */
static lanes encode_e4m3_by_half(emit *e, lanes value) {
  LLVMValueRef byte = e4m3_behind(value);
  if (byte) return byte;
  lanes half = round_to_half(e, f_mulk(e, value, 0x1p-8));
  lanes mag = i_andk(e, half, 0x7fff);
  lanes r = i_lshrk(e, mag, 7);
  r = l_select(e, i_cmpk(e, LLVMIntUGT, mag, half_inf), lanes_int(e, r, 0x7f), r);
  lanes top = e->gpu ? l_trunc(e, i_lshrk(e, bits_of(e, value), 24), e->i16) : i_lshrk(e, half, 8);
  return l_trunc(e, i_or(e, r, i_andk(e, top, 0x80)), e->i8);
}

LLVMValueRef emit_encode(emit *e, tsr_elem elem, LLVMValueRef value) {
  switch (elem) {
  case TSR_I1: return l_zext(e, value, e->i8);
  case TSR_BF16:
    if (is_extension(value, e->bf16)) return l_bitcast(e, LLVMGetOperand(value, 0), e->i16);
    return l_trunc(e, i_lshrk(e, bits_of(e, value), 16), e->i16);
  case TSR_TF32: return bits_of(e, value);
  case TSR_F16: return emit_has_half(e) ? encode_half(e, value) : encode_narrow(e, elem, value);
  case TSR_F8E5M2:
    if (!emit_has_half(e)) return encode_narrow(e, elem, value);
    return l_trunc(e, i_lshrk(e, encode_half(e, value), 8), e->i8);
  case TSR_F8E4M3FN:
    return emit_has_half(e) ? encode_e4m3_by_half(e, value) : encode_narrow(e, elem, value);
  case TSR_F8E8M0FNU: return l_trunc(e, i_lshrk(e, bits_of(e, value), 23), e->i8);
  default:
    return tsr_elem_is_float(elem) && tsr_elem_bits(elem) <= 8 ? encode_narrow(e, elem, value)
                                                               : value;
  }
}

/* ---- nibbles --------------------------------------------------------------------------------- */

/* A shuffle of x and y by the given formula for element i. */
static lanes shuffle_by(emit *e, lanes x, lanes y, unsigned count,
                        unsigned (*from)(unsigned i, unsigned count)) {
  LLVMValueRef *order = arena_array(e->arena, LLVMValueRef, count);
  for (unsigned i = 0; i < count; i++) order[i] = LLVMConstInt(e->i32, from(i, count), 0);
  return LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(order, count), "");
}

static unsigned interleaved(unsigned i, unsigned count) {
  return i / 2 + i % 2 * (count / 2);
}
static unsigned even(unsigned i, unsigned count) {
  (void)count;
  return 2 * i;
}
static unsigned odd(unsigned i, unsigned count) {
  (void)count;
  return 2 * i + 1;
}

/* A scalar as a vector of one lane, which shuffles need. */
static lanes as_vector(emit *e, lanes x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) return x;
  return LLVMBuildBitCast(e->b, x, LLVMVectorType(type, 1), "");
}

LLVMValueRef emit_unpack4(emit *e, LLVMValueRef bytes) {
  unsigned count = 2 * emit_lanes(bytes);
  lanes low = as_vector(e, i_andk(e, bytes, 15)), high = as_vector(e, i_lshrk(e, bytes, 4));
  return shuffle_by(e, low, high, count, interleaved);
}

LLVMValueRef emit_pack4(emit *e, LLVMValueRef nibbles) {
  unsigned count = emit_lanes(nibbles) / 2;
  lanes low = shuffle_by(e, nibbles, nibbles, count, even);
  lanes high = shuffle_by(e, nibbles, nibbles, count, odd);
  lanes bytes = i_or(e, low, i_shlk(e, high, 4));
  return count == 1 ? LLVMBuildBitCast(e->b, bytes, e->i8, "") : bytes;
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* f32 bits with `drop` low mantissa bits rounded off, to nearest even. Overflow carries into the
 * exponent and so gives infinity by itself. Not for NaN. */
static lanes round_bits(emit *e, lanes bits, unsigned drop) {
  const uint32_t half = 1u << (drop - 1);
  lanes bumped;
  if (emit_has_avx512(e) && emit_fills_register(e, bits)) {
    lanes odd = i_cmpk(e, LLVMIntNE, i_andk(e, bits, 1u << drop), 0);
    bumped = l_select(e, odd, i_addk(e, bits, half), i_addk(e, bits, half - 1));
  } else {
    bumped = i_add(e, bits, i_addk(e, i_andk(e, i_lshrk(e, bits, drop), 1), half - 1));
  }
  return i_andk(e, bumped, ~((1u << drop) - 1));
}

/* bf16 and tf32: f32 with a shorter mantissa. The canonical NaN has none of what is rounded off. */
static lanes round_wide(emit *e, lanes x, unsigned drop) {
  return float_of(e, round_bits(e, bits_of(e, lanes_canonical(e, x)), drop));
}

static lanes round_narrow(emit *e, tsr_elem elem, lanes x) {
  narrow n = narrow_of(elem);
  lanes bits = bits_of(e, x);
  lanes mag = i_andk(e, bits, ~f32_sign);
  lanes normal = round_bits(e, mag, n.drop);
  /* Adding a power of two whose ulp is that of the format's subnormals rounds to them. */
  double magic = n.ulp * 0x1p23;
  lanes sub = f_subk(e, f_addk(e, float_of(e, mag), magic), magic);
  lanes r = l_select(e, i_cmpk(e, LLVMIntULT, mag, n.min_normal), bits_of(e, sub), normal);
  uint32_t over = n.f->saturates ? n.max_finite : f32_inf;
  r = l_select(e, i_cmpk(e, LLVMIntUGT, r, n.max_finite), lanes_int(e, r, over), r);
  lanes sign = i_andk(e, bits, f32_sign);
  if (n.f->nan == NUM_NAN_NEG_ZERO) /* which is no number */
    sign = l_select(e, i_cmpk(e, LLVMIntEQ, r, 0), lanes_int(e, sign, 0), sign);
  if (n.f->is_signed) r = i_or(e, r, sign);
  uint32_t nan = num_f32_bits((float)num_decode(n.f, num_nan(n.f)));
  return float_of(e, l_select(e, f_is_nan(e, x), lanes_int(e, r, nan), r));
}

/* To a power of two, clamped to what the type has; the sign is dropped. Halfway cases go up in
 * nearest mode. Adding part of the weight of the leading one carries into the exponent when the
 * mantissa is that far from the power below. The last power, 2^-127, is a subnormal of f32:
 * from `turn` on numbers go up from there to the next. */
static lanes round_e8m0(emit *e, lanes x, num_rounding rounding) {
  const uint32_t lowest = 0x00400000u, normal = 0x00800000u;
  uint32_t bump = 0, turn = normal;
  bool nearest = num_rounds_to_nearest(rounding) || rounding == NUM_NEAREST_AWAY;
  if (nearest) bump = 0x00400000u, turn = 0x00600000u;
  if (rounding == NUM_POSITIVE_INF) bump = 0x007fffffu, turn = lowest + 1;
  lanes mag = i_andk(e, bits_of(e, x), ~f32_sign);
  lanes r = i_andk(e, i_addk(e, mag, bump), f32_inf);
  lanes low = l_select(e, i_cmpk(e, LLVMIntULT, mag, turn), lanes_int(e, r, lowest),
                       lanes_int(e, r, normal));
  r = l_select(e, i_cmpk(e, LLVMIntULT, mag, normal), low, r);
  r = l_select(e, i_cmpk(e, LLVMIntUGE, r, f32_inf), lanes_int(e, r, 0x7f000000u), r);
  return float_of(e, l_select(e, f_is_nan(e, x), lanes_int(e, r, f32_nan), r));
}

/* A double as float "rounded to odd": towards zero, with the last bit set when anything was cut
 * off. Rounding that again to at most 22 bits in any way gives what rounding the double once gives
 * (Boldo and Melquiond, 2008), because the last bit keeps the memory of the rest. */
static lanes double_to_odd(emit *e, lanes x) {
  lanes f = l_fptrunc(e, x, e->f32);
  lanes back = l_fpext(e, f, e->f64);
  lanes bits = bits_of(e, f);
  lanes away = f_cmp(e, LLVMRealOGT, f_abs(e, back), f_abs(e, x));
  lanes toward_zero = i_sub(e, bits, l_zext(e, away, e->i32));
  lanes inexact = f_cmp(e, LLVMRealONE, back, x);
  return float_of(e, i_or(e, toward_zero, l_zext(e, inexact, e->i32)));
}

/* By the processor's conversions. */
static lanes round_by_type(emit *e, lanes x, LLVMTypeRef type) {
  return l_fpext(e, l_fptrunc(e, x, type), e->f32);
}

LLVMValueRef emit_round(emit *e, tsr_elem elem, LLVMValueRef value) {
  if (elem == TSR_F64 || !tsr_elem_is_float(elem)) return value;
  bool is_double = lanes_elem(value) == e->f64;
  if (elem == TSR_F32) return is_double ? l_fptrunc(e, value, e->f32) : value;
  if (is_double) value = double_to_odd(e, value);
  switch (elem) {
  case TSR_BF16: return e->gpu ? round_by_type(e, value, e->bf16) : round_wide(e, value, 16);
  case TSR_TF32: return round_wide(e, value, 13);
  case TSR_F16:
    return emit_has_half(e) ? round_by_type(e, value, e->f16) : round_narrow(e, elem, value);
  case TSR_F8E8M0FNU: return round_e8m0(e, value, NUM_NEAREST_EVEN);
  default: return round_narrow(e, elem, value);
  }
}

/* ---- pairs of bf16 --------------------------------------------------------------------------- */

bool emit_has_bf16_pairs(const emit *e, unsigned lane_count) {
  return emit_has_avx512(e) && e->isa.bf16 && lane_count == 16;
}

LLVMValueRef emit_bf16_pairs(emit *e, LLVMValueRef first, LLVMValueRef second) {
  LLVMValueRef halves[] = {second, first}, pick[32];
  LLVMValueRef all = emit_intrinsic(e, "llvm.x86.avx512bf16.cvtne2ps2bf16.512", NULL, 0, halves, 2);
  for (unsigned i = 0; i < 32; i++) pick[i] = LLVMConstInt(e->i32, i / 2 + (i & 1) * 16, 0);
  all = LLVMBuildBitCast(e->b, all, LLVMVectorType(e->i16, 32), "");
  all = LLVMBuildShuffleVector(e->b, all, all, LLVMConstVector(pick, 32), "");
  return LLVMBuildBitCast(e->b, all, LLVMVectorType(e->i32, 16), "");
}

LLVMValueRef emit_lower_pairs(emit *e, LLVMValueRef lowest, LLVMValueRef pairs) {
  lanes x = LLVMBuildBitCast(e->b, pairs, LLVMTypeOf(lowest), "");
  return l_call2(e, "llvm.umin", lowest, i_subk(e, i_add(e, x, x), 1));
}

LLVMValueRef emit_none_subnormal(emit *e, const LLVMValueRef *v, unsigned count) {
  enum { SUBNORMAL = 0x20 };
  LLVMValueRef some = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef args[] = {v[i], LLVMConstInt(e->i32, SUBNORMAL, 0)};
    LLVMValueRef found = emit_intrinsic(e, "llvm.x86.avx512.fpclass.ps.512", NULL, 0, args, 2);
    some = some ? i_or(e, some, found) : found;
  }
  LLVMTypeRef mask = LLVMIntTypeInContext(e->llvm, emit_lanes(some));
  return i_cmpk(e, LLVMIntEQ, LLVMBuildBitCast(e->b, some, mask, ""), 0);
}

/* ---- rounding in one direction --------------------------------------------------------------- */

/* An i1 for lanes that are rounded away from zero when they are inexact. */
static lanes goes_away(emit *e, lanes bits, num_rounding rounding) {
  LLVMIntPredicate side = rounding == NUM_POSITIVE_INF ? LLVMIntSGE : LLVMIntSLT;
  if (rounding == NUM_ZERO) return LLVMConstNull(lanes_type(bits, e->i1));
  return i_cmpk(e, side, bits, 0);
}

/* One more unit where the number was inexact and goes away from zero. */
static lanes step_away(emit *e, lanes truncated, lanes inexact, lanes away, uint32_t unit) {
  lanes step = l_zext(e, i_and(e, inexact, away), lanes_elem(truncated));
  return i_add(e, truncated, i_mul(e, step, lanes_int(e, truncated, unit)));
}

static lanes direct_wide(emit *e, lanes x, unsigned drop, num_rounding rounding) {
  lanes bits = bits_of(e, x), inexact = i_cmpk(e, LLVMIntNE, i_andk(e, bits, (1u << drop) - 1), 0);
  lanes away = goes_away(e, bits, rounding);
  if (rounding == NUM_NEAREST_AWAY)
    away = i_cmpk(e, LLVMIntNE, i_andk(e, bits, 1u << (drop - 1)), 0);
  lanes r = step_away(e, i_andk(e, bits, ~((1u << drop) - 1)), inexact, away, 1u << drop);
  return float_of(e, l_select(e, f_is_nan(e, x), lanes_int(e, r, f32_nan), r));
}

static lanes direct_narrow(emit *e, tsr_elem elem, lanes x, num_rounding rounding) {
  narrow n = narrow_of(elem);
  lanes bits = bits_of(e, x), mag = i_andk(e, bits, ~f32_sign);
  bool nearest = rounding == NUM_NEAREST_AWAY;
  lanes away = goes_away(e, bits, rounding);
  lanes low = i_andk(e, mag, (1u << n.drop) - 1);
  if (nearest) away = i_cmpk(e, LLVMIntNE, i_andk(e, mag, 1u << (n.drop - 1)), 0);
  lanes normal = step_away(e, i_andk(e, mag, ~((1u << n.drop) - 1)), i_cmpk(e, LLVMIntNE, low, 0),
                           away, 1u << n.drop);
  /* Below the normal numbers, in units of the smallest; other lanes are not chosen. */
  lanes is_sub = i_cmpk(e, LLVMIntULT, mag, n.min_normal);
  lanes units = f_mulk(e, float_of(e, l_select(e, is_sub, mag, lanes_int(e, mag, 0))), 1 / n.ulp);
  lanes whole = l_fptosi(e, units, e->i32);
  lanes inexact = f_cmp(e, LLVMRealONE, l_sitofp(e, whole, e->f32), units);
  lanes up = away;
  if (nearest) up = f_cmpk(e, LLVMRealOGE, f_sub(e, units, l_sitofp(e, whole, e->f32)), 0.5);
  lanes sub = f_mulk(e, l_sitofp(e, step_away(e, whole, inexact, up, 1), e->f32), n.ulp);
  lanes r = l_select(e, is_sub, bits_of(e, sub), normal);
  lanes most = lanes_int(e, r, n.max_finite), over = most;
  if (!n.f->saturates) {
    lanes is_inf = i_or(e, away, i_cmpk(e, LLVMIntEQ, mag, f32_inf));
    if (nearest) is_inf = LLVMConstAllOnes(LLVMTypeOf(is_inf));
    over = l_select(e, is_inf, lanes_int(e, r, f32_inf), most);
  }
  r = l_select(e, i_cmpk(e, LLVMIntUGT, r, n.max_finite), over, r);
  r = i_or(e, r, i_andk(e, bits, f32_sign));
  uint32_t nan = num_f32_bits((float)num_decode(n.f, num_nan(n.f)));
  return float_of(e, l_select(e, f_is_nan(e, x), lanes_int(e, r, nan), r));
}

/* Rounding twice in one direction is rounding once, so a double may become a float first. (Ties
 * away from zero are no conversion of doubles.) */
lanes conv_round(emit *e, tsr_elem elem, lanes x, num_rounding rounding) {
  static const char *const names[] = {[NUM_ZERO] = "llvm.nvvm.d2f.rz",
                                      [NUM_NEGATIVE_INF] = "llvm.nvvm.d2f.rm",
                                      [NUM_POSITIVE_INF] = "llvm.nvvm.d2f.rp"};
  if (num_rounds_to_nearest(rounding)) return emit_round(e, elem, x);
  if (elem == TSR_F64 || !tsr_elem_is_float(elem)) return x;
  if (lanes_elem(x) == e->f64 && e->amd)
    x = amd_in_mode(e, "v_cvt_f32_f64", rounding, &x, 1, e->f32);
  else if (lanes_elem(x) == e->f64)
    x = emit_intrinsic(e, names[rounding], NULL, 0, &x, 1);
  switch (elem) {
  case TSR_F32: return x;
  case TSR_BF16: return direct_wide(e, x, 16, rounding);
  case TSR_TF32: return direct_wide(e, x, 13, rounding);
  case TSR_F8E8M0FNU: return round_e8m0(e, x, rounding);
  default: return direct_narrow(e, elem, x, rounding);
  }
}

/* Arithmetic hands on NaNs of its operands, whose last 16 bits are zero, or gives the processor's,
 * whose are, too. So nothing carries into their exponents. */
lanes conv_round_result(emit *e, lanes x) {
  return float_of(e, round_bits(e, bits_of(e, x), 16));
}

lanes conv_to_e8m0(emit *e, lanes x, num_rounding rounding) {
  return round_e8m0(e, lanes_elem(x) == e->f64 ? double_to_odd(e, x) : x, rounding);
}
