/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of doubles that need more than doubles on the way: sin, cos and tan, whose arguments
 * are reduced with as many bits of 2/pi as it takes (Payne and Hanek, 1983), and pow, whose
 * logarithm has twice the precision. On the CPU these are the C library's. Straight code without
 * branches; each is a function of the module, once.
 *
 * Errors, in units of the last place: sin, cos 0.8, tan 1, pow 0.8 (docs/numerics.md).
 */
#include "gpu/math.h"

#include <math.h>

#include "gpu/code.h"
#include "llvm/nans.h"
#include "llvm/vmath.h"

/* ---- sums of two doubles -------------------------------------------------------------------- */

/* |a| >= |b|, or a is 0. */
static twofold join(emit *e, llv a, llv b) {
  twofold r = {.high = f_add(e, a, b)};
  r.low = f_sub(e, b, f_sub(e, r.high, a));
  return r;
}

/* Knuth's sum: exact, whatever the order. */
static twofold sum_of(emit *e, llv a, llv b) {
  llv s = f_add(e, a, b), from_b = f_sub(e, s, a), from_a = f_sub(e, s, from_b);
  return (twofold){s, f_add(e, f_sub(e, a, from_a), f_sub(e, b, from_b))};
}

static twofold add_twofold(emit *e, twofold a, twofold b) {
  twofold s = sum_of(e, a.high, b.high);
  return join(e, s.high, f_add(e, s.low, f_add(e, a.low, b.low)));
}

static twofold constant_of(emit *e, llv like, double high, double low) {
  return (twofold){lanes_real(e, like, high), lanes_real(e, like, low)};
}

twofold gpu_multiply_twofold(emit *e, twofold a, twofold b) {
  llv p = f_mul(e, a.high, b.high);
  llv error = l_call3(e, "llvm.fma", a.high, b.high, f_neg(e, p));
  error = f_add(e, error, l_call3(e, "llvm.fma", a.high, b.low, f_mul(e, a.low, b.high)));
  llv is_finite = f_cmpk(e, LLVMRealOLT, f_abs(e, error), (double)INFINITY);
  error = l_select(e, is_finite, error, lanes_real(e, p, 0));
  twofold r = {.high = f_add(e, p, error)};
  r.low = f_sub(e, error, f_sub(e, r.high, p));
  r.low = l_select(e, f_is_nan(e, r.low), lanes_real(e, p, 0), r.low);
  return r;
}

/* ---- arguments modulo pi/2 ------------------------------------------------------------------ */

/* 64 zeros, then 2/pi, the first bit after the point first. */
static const uint64_t two_over_pi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
                                       0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

static llv table_of(emit *e) {
  enum { N = ARRAY_LEN(two_over_pi) };
  static const char name[] = "tessera_two_over_pi";
  llv words[N], table = LLVMGetNamedGlobal(e->module, name);
  if (table) return table;
  for (unsigned i = 0; i < N; i++) words[i] = LLVMConstInt(e->i64, two_over_pi[i], 0);
  llv init = LLVMConstArray2(e->i64, words, N);
  table = LLVMAddGlobalInAddressSpace(e->module, LLVMTypeOf(init), name, SPACE_GLOBAL);
  LLVMSetInitializer(table, init);
  LLVMSetLinkage(table, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(table, 1);
  return table;
}

/* 64 bits of two words from bit `by` of the first on, 0 <= by < 64. */
static llv funnel(emit *e, llv first, llv second, llv by) {
  llv high = LLVMBuildShl(e->b, first, by, "");
  llv low = LLVMBuildLShr(e->b, i_lshrk(e, second, 1), i_sub(e, lanes_int(e, by, 63), by), "");
  return i_or(e, high, low);
}

/* The upper and lower half of a product. */
static llv multiply_high(emit *e, llv a, llv b, llv *low) {
  LLVMTypeRef wide = LLVMInt128TypeInContext(e->llvm);
  llv p =
      LLVMBuildMul(e->b, LLVMBuildZExt(e->b, a, wide, ""), LLVMBuildZExt(e->b, b, wide, ""), "");
  *low = LLVMBuildTrunc(e->b, p, e->i64, "");
  return LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, p, LLVMConstInt(wide, 64, 0), ""), e->i64, "");
}

static llv carry_of(emit *e, llv sum, llv part) {
  return LLVMBuildZExt(e->b, i_cmp(e, LLVMIntULT, sum, part), e->i64, "");
}

typedef struct reduced {
  twofold r;    /* |r| <= pi/4, relative error below 2^-70 */
  llv quadrant; /* i64, modulo 4 */
} reduced;

/* For a finite x >= pi/4: x = M 2^E; of 2/pi those 192 bits are taken that give the product with M
 * modulo 4 and 137 bits after the point, of which at most 62 are zeros. */
static reduced reduce_large(emit *e, llv x) {
  LLVMBuilderRef b = e->b;
  llv bits = l_bitcast(e, x, e->i64), exponent = i_lshrk(e, bits, 52), word[4], w[3];
  llv m = i_ork(e, i_andk(e, bits, (UINT64_C(1) << 52) - 1), UINT64_C(1) << 52);
  llv at = i_subk(e, exponent, 1075 - 62); /* the first bit in the table */
  /* Out of range only where the result is not used. */
  at = l_call2(e, "llvm.smax", at, lanes_int(e, at, 0));
  at = l_call2(e, "llvm.umin", at, lanes_int(e, at, 64 * (ARRAY_LEN(two_over_pi) - 4)));
  llv index = i_lshrk(e, at, 6), shift = i_andk(e, at, 63), table = table_of(e);
  for (unsigned i = 0; i < 4; i++) {
    llv k = i_addk(e, index, i), p = LLVMBuildGEP2(b, e->i64, table, &k, 1, "");
    word[i] = LLVMBuildLoad2(b, e->i64, p, "");
  }
  for (unsigned i = 0; i < 3; i++) w[i] = funnel(e, word[i], word[i + 1], shift);
  llv low, middle, top, high2 = multiply_high(e, m, w[2], &low);
  llv high1 = multiply_high(e, m, w[1], &middle);
  middle = i_add(e, middle, high2);
  top = i_add(e, i_add(e, LLVMBuildMul(b, m, w[0], ""), high1), carry_of(e, middle, high2));
  /* top:middle:low * 2^-190 is x * 2/pi modulo 4; the nearest quadrant leaves a signed rest. */
  reduced r = {.quadrant = i_lshrk(e, i_addk(e, top, UINT64_C(1) << 61), 62)};
  llv two = lanes_int(e, top, 2);
  llv high = funnel(e, top, middle, two), rest = funnel(e, middle, low, two);
  llv negative = i_ashrk(e, high, 63); /* all ones or none */
  high = i_xor(e, high, negative);     /* one less than the magnitude matters not */
  rest = i_xor(e, rest, negative);
  llv zeros =
      emit_intrinsic(e, "llvm.ctlz", &e->i64, 1, (llv[]){high, LLVMConstInt(e->i1, 0, 0)}, 2);
  zeros = l_call2(e, "llvm.umin", zeros, lanes_int(e, zeros, 63));
  high = funnel(e, high, rest, zeros);
  rest = LLVMBuildShl(b, rest, zeros, "");
  llv tail = i_or(e, i_shlk(e, high, 53), i_lshrk(e, rest, 11));
  llv scale = l_bitcast(e, i_shlk(e, i_sub(e, lanes_int(e, zeros, 1023 - 53), zeros), 52), e->f64);
  llv lead = LLVMBuildUIToFP(b, i_lshrk(e, high, 11), e->f64, "");
  llv behind = LLVMBuildUIToFP(b, tail, e->f64, "");
  twofold turn = {f_mul(e, lead, scale), f_mul(e, f_mulk(e, behind, 0x1p-64), scale)};
  r.r =
      gpu_multiply_twofold(e, turn, constant_of(e, x, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));
  llv sign = i_andk(e, negative, UINT64_C(1) << 63);
  r.r.high = l_bitcast(e, i_xor(e, l_bitcast(e, r.r.high, e->i64), sign), e->f64);
  r.r.low = l_bitcast(e, i_xor(e, l_bitcast(e, r.r.low, e->i64), sign), e->f64);
  return r;
}

static reduced reduce(emit *e, llv x) {
  reduced r = reduce_large(e, x);
  llv small = f_cmpk(e, LLVMRealOLT, x, 0x1.921fb54442d18p-1);
  r.r.high = l_select(e, small, x, r.r.high);
  r.r.low = l_select(e, small, lanes_real(e, x, 0), r.r.low);
  r.quadrant = l_select(e, small, lanes_int(e, r.quadrant, 0), r.quadrant);
  return r;
}

/* ---- sine and cosine ------------------------------------------------------------------------ */

/* For |r| <= pi/4. The coefficients are fdlibm's; errors of the polynomials 2^-58. */
static twofold sine(emit *e, twofold r) {
  llv x = r.high, z = f_mul(e, x, x), cube = f_mul(e, z, x);
  llv p = POLY(e, z, 0x1.111111110f8a6p-7, -0x1.a01a019c161d5p-13, 0x1.71de357b1fe7dp-19,
               -0x1.ae5e68a2b9cebp-26, 0x1.5d93a5acfd57cp-33);
  /* x - x^3/6 + x^5 p + low (1 - x^2/2) */
  llv rest =
      f_mul_add(e, cube, f_mul_add(e, z, p, lanes_real(e, x, -0x1.5555555555549p-3)),
                f_mul_add(e, r.low, f_mul_add(e, z, lanes_real(e, x, -0.5), lanes_real(e, x, 1)),
                          lanes_real(e, x, 0)));
  return join(e, x, rest);
}

static twofold cosine(emit *e, twofold r) {
  llv x = r.high, z = f_mul(e, x, x), z_low = l_call3(e, "llvm.fma", x, x, f_neg(e, z));
  llv p = POLY(e, z, 0x1.555555555554cp-5, -0x1.6c16c16c15177p-10, 0x1.a01a019cb159p-16,
               -0x1.27e4f809c52adp-22, 0x1.1ee9ebdb4b1c4p-29, -0x1.8fae9be8838d4p-37);
  twofold lead = join(e, lanes_real(e, x, 1), f_mulk(e, z, -0.5));
  llv rest = f_mul_add(e, f_mul(e, z, z), p, f_mulk(e, z_low, -0.5));
  rest = f_sub(e, rest, f_mul(e, x, r.low));
  return join(e, lead.high, f_add(e, lead.low, rest));
}

static llv with_sign(emit *e, llv x, llv sign) {
  return l_bitcast(e, i_xor(e, l_bitcast(e, x, e->i64), sign), e->f64);
}

/* Infinity and NaN have no sine. */
static llv finite_only(emit *e, llv of, llv r) {
  llv is_finite = f_cmpk(e, LLVMRealOLT, f_abs(e, of), INFINITY);
  return l_select(e, is_finite, r, lanes_real(e, r, (double)NAN));
}

/* The sine of x + turns * pi/2, without x's sign. */
static llv wave(emit *e, llv x, unsigned turns, llv sign) {
  reduced a = reduce(e, f_abs(e, x));
  llv quadrant = i_addk(e, a.quadrant, turns);
  llv odd = i_cmpk(e, LLVMIntNE, i_andk(e, quadrant, 1), 0);
  llv r = l_select(e, odd, cosine(e, a.r).high, sine(e, a.r).high);
  sign = i_xor(e, sign, i_shlk(e, i_andk(e, quadrant, 2), 62));
  return finite_only(e, x, with_sign(e, r, sign));
}

static llv sign_of(emit *e, llv x) {
  return i_andk(e, l_bitcast(e, x, e->i64), UINT64_C(1) << 63);
}

static void begin(emit *e, llv f) {
  LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
}

static void sine_body(emit *e, llv f) {
  begin(e, f);
  llv x = LLVMGetParam(f, 0);
  LLVMBuildRet(e->b, wave(e, x, 0, sign_of(e, x)));
}

static void cosine_body(emit *e, llv f) {
  begin(e, f);
  llv x = LLVMGetParam(f, 0);
  LLVMBuildRet(e->b, wave(e, x, 1, lanes_int(e, sign_of(e, x), 0)));
}

/* The quotient of the two, corrected by what its product leaves. */
static void tangent_body(emit *e, llv f) {
  begin(e, f);
  llv x = LLVMGetParam(f, 0);
  reduced a = reduce(e, f_abs(e, x));
  twofold s = sine(e, a.r), c = cosine(e, a.r);
  llv odd = i_cmpk(e, LLVMIntNE, i_andk(e, a.quadrant, 1), 0);
  twofold num = {l_select(e, odd, c.high, s.high), l_select(e, odd, c.low, s.low)};
  twofold den = {l_select(e, odd, s.high, c.high), l_select(e, odd, s.low, c.low)};
  llv q = f_div(e, num.high, den.high);
  llv rest = l_call3(e, "llvm.fma", f_neg(e, q), den.high, num.high);
  rest = f_sub(e, f_add(e, rest, num.low), f_mul(e, q, den.low));
  llv r = f_add(e, q, f_div(e, rest, den.high));
  /* Odd quadrants: -1 / tan. */
  llv sign = i_xor(e, sign_of(e, x), i_shlk(e, a.quadrant, 63));
  LLVMBuildRet(e->b, finite_only(e, x, with_sign(e, r, sign)));
}

/* ---- powers --------------------------------------------------------------------------------- */

/* log(x) for finite x > 0: x = 2^k m, log(m) = 2 atanh(s) with s = (m - 1) / (m + 1), |s| < 0.172;
 * the first terms of its series in twice the precision. Relative error 2^-66. */
static twofold log_twofold(emit *e, llv x) {
  llv k, m = vmath_split(e, x, &k), top = f_subk(e, m, 1);
  twofold below = sum_of(e, m, lanes_real(e, m, 1));
  llv q = f_div(e, top, below.high);
  llv rest = l_call3(e, "llvm.fma", f_neg(e, q), below.high, top);
  rest = f_sub(e, rest, f_mul(e, q, below.low));
  twofold s = join(e, q, f_div(e, rest, below.high)), z = gpu_multiply_twofold(e, s, s);
  llv tail = POLY(e, z.high, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
                  1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29);
  twofold p = {tail, lanes_real(e, x, 0)};
  p = add_twofold(e, constant_of(e, x, 0x1.2492492492492p-3, 0x1.2492492492492p-57),
                  gpu_multiply_twofold(e, z, p));
  p = add_twofold(e, constant_of(e, x, 0x1.999999999999ap-3, -0x1.999999999999ap-57),
                  gpu_multiply_twofold(e, z, p));
  p = add_twofold(e, constant_of(e, x, 0x1.5555555555555p-2, 0x1.5555555555555p-56),
                  gpu_multiply_twofold(e, z, p));
  p = add_twofold(e, constant_of(e, x, 1, 0), gpu_multiply_twofold(e, z, p));
  twofold twice = {f_mulk(e, s.high, 2), f_mulk(e, s.low, 2)};
  /* k times the first part of ln 2 is exact. */
  twofold of_k =
      gpu_multiply_twofold(e, (twofold){k, lanes_real(e, k, 0)},
                           constant_of(e, x, 0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87));
  of_k = add_twofold(e, (twofold){f_mulk(e, k, 0x1.62e42feep-1), lanes_real(e, k, 0)}, of_k);
  return add_twofold(e, of_k, gpu_multiply_twofold(e, twice, p));
}

/* e^(high + low), infinite and 0 where that is so. */
static llv exp_twofold(emit *e, twofold w) {
  llv high = vmath_clamp(e, w.high, -746, 710);
  llv is_inside = f_cmp(e, LLVMRealOEQ, high, w.high);
  llv low = l_select(e, is_inside, w.low, lanes_real(e, w.low, 0));
  llv k = vmath_nearest(e, f_mulk(e, high, 0x1.71547652b82fep0));
  llv r = f_mul_add(e, k, lanes_real(e, k, -0x1.62e42feep-1), high); /* exact */
  twofold t = sum_of(e, r, f_mulk(e, k, -0x1.a39ef35793c76p-33));
  low = f_add(e, low, t.low);
  llv x = t.high;
  llv p = POLY(e, x, 0.5, 0x1.5555555555558p-3, 0x1.5555555555555p-5, 0x1.111111110fd16p-7,
               0x1.6c16c16c178adp-10, 0x1.a01a01ad15f35p-13, 0x1.a01a019b7cc10p-16,
               0x1.71ddffb7d7eb6p-19, 0x1.27e50922e8235p-22, 0x1.af51b09ba29cbp-26,
               0x1.1efb7b96753d1p-29);
  /* 1 + (x + (x^2 p + low e^x)) */
  twofold lead = join(e, lanes_real(e, x, 1), x);
  llv curve = f_mul(e, f_mul(e, x, x), p);
  llv rest = f_mul_add(e, low, f_add(e, lead.high, curve), curve);
  llv sum = f_add(e, lead.high, f_add(e, lead.low, rest));
  return vmath_scale(e, sum, k);
}

static void pow_body(emit *e, llv f) {
  begin(e, f);
  llv x = LLVMGetParam(f, 0), y = LLVMGetParam(f, 1), a = f_abs(e, x);
  llv inf = lanes_real(e, a, INFINITY), nan = lanes_real(e, a, (double)NAN);
  llv one = lanes_real(e, a, 1), zero = lanes_real(e, a, 0);
  llv is_zero = f_cmpk(e, LLVMRealOEQ, a, 0), is_number = f_cmp(e, LLVMRealOLT, a, inf);
  llv plain = i_and(e, is_number, l_not(e, is_zero));
  twofold l = log_twofold(e, l_select(e, plain, a, one));
  llv limit = l_select(e, is_zero, f_neg(e, inf), a); /* infinity and NaN */
  l.high = l_select(e, plain, l.high, limit);
  l.low = l_select(e, plain, l.low, zero);
  /* Beyond what counts the factors need no second part. */
  twofold w = gpu_multiply_twofold(e, (twofold){y, zero}, l);
  llv r = exp_twofold(e, w);
  /* A negative base needs an integer; an odd one keeps the sign, that of zero too. */
  llv is_integer = f_cmp(e, LLVMRealOEQ, l_call1(e, "llvm.trunc", y), y);
  llv half = f_mulk(e, y, 0.5);
  llv is_odd = i_and(e, is_integer, f_cmp(e, LLVMRealONE, l_call1(e, "llvm.trunc", half), half));
  llv no_power = i_and(e, i_and(e, f_cmpk(e, LLVMRealOLT, x, 0), l_not(e, is_integer)), is_number);
  r = l_select(e, no_power, nan, r);
  r = l_select(e, is_odd, f_copysign(e, r, x), r);
  /* 1 to any power, any base to 0, and -1 to infinity, though 0 * inf above was NaN. */
  llv y_is_inf = f_cmp(e, LLVMRealOEQ, f_abs(e, y), inf);
  llv is_one = i_or(e, f_cmp(e, LLVMRealOEQ, x, one), f_cmpk(e, LLVMRealOEQ, y, 0));
  is_one = i_or(e, is_one, i_and(e, f_cmp(e, LLVMRealOEQ, a, one), y_is_inf));
  LLVMBuildRet(e->b, l_select(e, is_one, one, r));
}

llv gpu_math64(gen *g, op_code opcode, llv *x) {
  LLVMTypeRef type = g->e.f64;
  llv args[] = {lanes_any_nan(x[0]), opcode == OP_pow ? lanes_any_nan(x[1]) : NULL};
  switch (opcode) {
  case OP_sin: return gpu_call_function(g, "tessera_sin64", type, 1, args, sine_body);
  case OP_cos: return gpu_call_function(g, "tessera_cos64", type, 1, args, cosine_body);
  case OP_tan: return gpu_call_function(g, "tessera_tan64", type, 1, args, tangent_body);
  case OP_pow: return gpu_call_function(g, "tessera_pow64", type, 2, args, pow_body);
  default: return NULL;
  }
}
