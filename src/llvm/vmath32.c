/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of float lanes. docs/numerics.md states bounds for their errors, from measurements over
 * all 2^32 arguments (over random ones for two operands), with and without fused multiply-add:
 * bench/emit_vmath.c.
 */
#include <math.h>

#include "llvm/elementwise.h"
#include "llvm/lanes.h"
#include "llvm/vmath.h"

/* ---- tables in registers --------------------------------------------------------------------- */

/* As many of an octave as a register has floats. */
enum { CELL_BITS = 4, CELLS = 1 << CELL_BITS };

static lanes look_up_register(emit *e, const void *user, lanes *cell) {
  const double *table = user;
  LLVMValueRef entries[CELLS];
  for (unsigned i = 0; i < CELLS; i++) entries[i] = LLVMConstReal(e->f32, table[i]);
  LLVMValueRef args[] = {LLVMConstVector(entries, CELLS), cell[0]};
  return emit_intrinsic(e, "llvm.x86.avx512.permvar.sf.512", NULL, 0, args, ARRAY_LEN(args));
}

/* The entry for the lowest four bits, the only ones that the instruction looks at. */
static lanes look_up(emit *e, const double *table, lanes cell) {
  return lanes_in_pieces(e, CELLS, 1, &cell, look_up_register, table);
}

/* ---- exponentials --------------------------------------------------------------------------- */

/* ln 2 in two parts; multiples of the first by up to 2^15 are exact. */
static const double ln2_high = 0x1.63p-1, ln2_low = -0x1.bd0105c610ca8p-13;
static const double log2e = 0x1.715476p0;

/* x - k ln 2 */
static lanes less_powers(emit *e, lanes x, lanes k) {
  x = f_mul_add(e, k, lanes_real(e, x, -ln2_high), x);
  return f_mul_add(e, k, lanes_real(e, x, -ln2_low), x);
}

/* x = k ln 2 + r, |r| <= ln 2 / 2. */
static lanes reduce_exp(emit *e, lanes x, lanes *shifted_k) {
  *shifted_k = vmath_shifted(e, x, log2e);
  return less_powers(e, x, vmath_unshifted(e, *shifted_k));
}

/* e^r; relative error 2^-27.8. */
static lanes exp_of_reduced(emit *e, lanes r) {
  return POLY(e, r, 1, 1, 0.5, 0x1.555466p-3, 0x1.555302p-5, 0x1.1257ap-7, 0x1.6fe43cp-10);
}

/* With AVX-512: b^x for x = k log_b 2 + r, k in sixteenths, |r| at most half of one; p is
 * (b^r - 1) / r. `shifted` is k plus what makes a float's last bit count sixteenths. Scaling goes
 * by the integer below k, and takes any, also that of an infinity or a NaN, as long as what it
 * scales is positive and not huge; the sixteenths are looked up. */
static lanes exp_by_cells(emit *e, lanes k, lanes shifted, lanes r, lanes p) {
  static const double power[CELLS] = {0x1p0,        0x1.0b5586p0, 0x1.172b84p0, 0x1.2387a6p0,
                                      0x1.306fe0p0, 0x1.3dea64p0, 0x1.4bfdaep0, 0x1.5ab07ep0,
                                      0x1.6a09e6p0, 0x1.7a1148p0, 0x1.8ace54p0, 0x1.9c4918p0,
                                      0x1.ae89fap0, 0x1.c199bep0, 0x1.d5818ep0, 0x1.ea4afap0};
  lanes c = look_up(e, power, l_bitcast(e, shifted, e->i32));
  return vmath_scale(e, f_mul_add(e, f_mul(e, c, r), p, c), k);
}

static const double cells_shift = 0x1.8p19;

static lanes exp32(emit *e, lanes *x) {
  if (!vmath_has_bounded(e)) {
    lanes k, r = reduce_exp(e, vmath_clamp(e, x[0], -104, 89), &k);
    return vmath_scale_shifted(e, exp_of_reduced(e, r), k);
  }
  lanes shifted = f_mul_add(e, x[0], lanes_real(e, x[0], log2e), lanes_real(e, x[0], cells_shift));
  lanes k = f_subk(e, shifted, cells_shift), r = vmath_bounded(e, less_powers(e, x[0], k), 1);
  /* relative error of e^r 2^-29.2 */
  return exp_by_cells(e, k, shifted, r, POLY(e, r, 1, 0x1.00022p-1, 0x1.555764p-3));
}

/* 2^r for |r| <= 1 / 2; relative error 2^-27.5. */
static lanes exp2_of_reduced(emit *e, lanes r) {
  return POLY(e, r, 1, 0x1.62e432p-1, 0x1.ebfbe6p-3, 0x1.c6ada6p-5, 0x1.3b21c8p-7, 0x1.5fc08ap-10,
              0x1.4bb93cp-13);
}

static lanes exp2_32(emit *e, lanes *x) {
  if (vmath_has_bounded(e)) {
    lanes shifted = f_addk(e, x[0], cells_shift), k = f_subk(e, shifted, cells_shift);
    lanes r = vmath_bounded(e, f_sub(e, x[0], k), 1);
    /* relative error of 2^r 2^-29.2 */
    lanes p = POLY(e, r, 0x1.62e43p-1, 0x1.ecp-3, 0x1.c6a82cp-5);
    return exp_by_cells(e, k, shifted, r, p);
  }
  lanes y = vmath_clamp(e, x[0], -151, 129), shifted = vmath_shifted(e, y, 1);
  lanes r = f_sub(e, y, vmath_unshifted(e, shifted));
  return vmath_scale_shifted(e, exp2_of_reduced(e, r), shifted);
}

/* e^x - 1 for 0 <= x < 80, with a small relative error also near 0. */
static lanes expm1_positive(emit *e, lanes x) {
  lanes k, r = reduce_exp(e, x, &k);
  lanes q =
      POLY(e, r, 0.5, 0x1.555556p-3, 0x1.55550ap-5, 0x1.11101ep-7, 0x1.6d295ep-10, 0x1.a26d3ep-13);
  lanes p = f_mul_add(e, f_mul(e, r, r), q, r), power = vmath_power2(e, vmath_unshifted(e, k));
  return f_mul_add(e, power, p, f_subk(e, power, 1));
}

static lanes tanh32(emit *e, lanes *x) {
  /* From 10 on it is 1. */
  lanes y = vmath_clamp(e, f_abs(e, x[0]), 0, 10);
  lanes m = expm1_positive(e, f_add(e, y, y));
  return f_copysign(e, f_div(e, m, f_addk(e, m, 2)), x[0]);
}

/* e^|x| / 2, which is finite where sinh and cosh are. */
static lanes half_exp(emit *e, lanes x) {
  lanes k, r = reduce_exp(e, vmath_clamp(e, f_abs(e, x), 0, 91), &k);
  return vmath_scale_shifted(e, exp_of_reduced(e, r), f_subk(e, k, 1));
}

static lanes sinh32(emit *e, lanes *x) {
  lanes h = half_exp(e, x[0]);
  lanes large = f_sub(e, h, f_div(e, lanes_real(e, h, 0.25), h));
  large = f_copysign(e, large, x[0]);
  lanes z = f_mul(e, x[0], x[0]);
  lanes p = POLY(e, z, 0x1.555556p-3, 0x1.1110e2p-7, 0x1.a02136p-13, 0x1.75b1p-19);
  lanes small = f_mul_add(e, f_mul(e, x[0], z), p, x[0]);
  return l_select(e, f_cmpk(e, LLVMRealOLT, f_abs(e, x[0]), 1), small, large);
}

static lanes cosh32(emit *e, lanes *x) {
  lanes h = half_exp(e, x[0]);
  return f_add(e, h, f_div(e, lanes_real(e, h, 0.25), h));
}

/* ---- logarithms ----------------------------------------------------------------------------- */

static lanes exponent_register(emit *e, const void *user, lanes *x) {
  (void)user;
  LLVMValueRef args[] = {x[0], x[0], LLVMConstAllOnes(e->i16), LLVMConstInt(e->i32, 4, 0)};
  return emit_intrinsic(e, "llvm.x86.avx512.mask.getexp.ps.512", NULL, 0, args, ARRAY_LEN(args));
}

static lanes exponent_of(emit *e, lanes x) {
  return lanes_in_pieces(e, 16, 1, &x, exponent_register, NULL);
}

enum { FROM_1_TO_2 = 0, FROM_3_4_TO_3_2 = 3 }; /* as the instruction has them */

static lanes significand_register(emit *e, const void *user, lanes *x) {
  enum { NAN_IF_NEGATIVE = 2 << 2 };
  const unsigned *interval = user;
  LLVMValueRef args[] = {x[0], LLVMConstInt(e->i32, *interval | NAN_IF_NEGATIVE, 0), x[0],
                         LLVMConstAllOnes(e->i16), LLVMConstInt(e->i32, 4, 0)};
  return emit_intrinsic(e, "llvm.x86.avx512.mask.getmant.ps.512", NULL, 0, args, ARRAY_LEN(args));
}

/* In the half-open interval; of negative numbers NaN. */
static lanes significand_of(emit *e, lanes x, unsigned interval) {
  return lanes_in_pieces(e, 16, 1, &x, significand_register, &interval);
}

/* The first four bits of the mantissa. */
static lanes cell_of(emit *e, lanes m) {
  return i_lshrk(e, l_bitcast(e, m, e->i32), 23 - CELL_BITS);
}

/* With AVX-512, tables in registers: x = 2^k m and m = c (1 + r) with a c for each sixteenth of an
 * octave, so that a short polynomial does for r, which is from -1/32 to 1/16. What is looked up is
 * 1 / c, a float, and the logarithm of c. Next to where the function is zero c is a power of two
 * and r exact, so that nothing cancels. Each other 1 / c was chosen from around the middle of its
 * cell, so that the logarithm is within 2^-35 of a float, and in the cells where errors are largest
 * by trial: what counts there is to which power of two |r| goes, since r is rounded too.
 *
 * The processor's instructions take zero and infinity for 1 times 2 to minus and plus infinity: k
 * says by itself what the logarithm is. */
static lanes log_by_cells(emit *e, lanes x) {
  static const double reciprocal[CELLS] = {
      0x1p0,        0x1.dae26cp-1, 0x1.badefep-1, 0x1.a42dbp-1, 0x1.8f9708p-1, 0x1.7cf1b6p-1,
      0x1.6c138p-1, 0x1.5caeb8p-1, 0x1.4e5f7ep0,  0x1.41525ap0, 0x1.352496p0,  0x1.29e368p0,
      0x1.1f81eep0, 0x1.159aaep0,  0x1.0c5450p0,  0x1p0};
  static const double log_of_c[CELLS] = {0,
                                         0x1.343c96p-4,
                                         0x1.290ddap-3,
                                         0x1.94c6f2p-3,
                                         0x1.fbab7ep-3,
                                         0x1.2ec494p-2,
                                         0x1.5d2504p-2,
                                         0x1.8961fep-2,
                                         -0x1.117d5ap-2,
                                         -0x1.d1707ap-3,
                                         -0x1.824e78p-3,
                                         -0x1.365b36p-3,
                                         -0x1.db6deep-4,
                                         -0x1.4bda8ep-4,
                                         -0x1.81552cp-5,
                                         0};
  /* m from 3/4 to 3/2: for numbers just below a power of two, whose logarithm is near that of it,
   * nothing is taken off k then. */
  lanes m = significand_of(e, x, FROM_3_4_TO_3_2), cell = cell_of(e, m);
  lanes k = f_sub(e, exponent_of(e, x), exponent_of(e, m));
  lanes r = f_mul_add(e, m, look_up(e, reciprocal, cell), lanes_real(e, m, -1));
  lanes q = POLY(e, r, -0.5, 0x1.555844p-2, -0x1.00167p-2, 0x1.82afa2p-3);
  lanes low = f_add(e, look_up(e, log_of_c, cell), f_mul_add(e, f_mul(e, r, r), q, r));
  /* The float next to ln 2 is within 2^-28.4 of it. */
  return f_mul_add(e, k, lanes_real(e, k, 0x1.62e43p-1), low);
}

/* As log_by_cells, but for m from 1 to 2, and with k + log2(c) rounded once. The last cell has
 * c = 2: its sum with k = -1 is 0, and with others exact. So is that of cell 6 with k = -1, whose
 * logarithms may be of half its size. */
static lanes log2_by_cells(emit *e, lanes x) {
  static const double reciprocal[CELLS] = {
      0x1p0,         0x1.dd0b32p-1, 0x1.bab976p-1, 0x1.a418b6p-1, 0x1.8f9758p-1, 0x1.7d0532p-1,
      0x1.6c81aap-1, 0x1.5c8c4ap-1, 0x1.4e5cc8p-1, 0x1.4145d6p-1, 0x1.3538d4p-1, 0x1.29f878p-1,
      0x1.1f5cd8p-1, 0x1.15c3fcp-1, 0x1.0af2f6p-1, 0x1p-1};
  static const double log2_of_c[CELLS] = {0,
                                          0x1.a1e21ep-4,
                                          0x1.ad8968p-3,
                                          0x1.2445eap-2,
                                          0x1.6e33bp-2,
                                          0x1.b481bp-2,
                                          0x1.f5f6ccp-2,
                                          0x1.1c0cf8p-1,
                                          0x1.3abe08p-1,
                                          0x1.583d9ap-1,
                                          0x1.747bp-1,
                                          0x1.8fdbdp-1,
                                          0x1.aaa284p-1,
                                          0x1.c3b9bp-1,
                                          0x1.e1108ap-1,
                                          0x1p0};
  lanes m = significand_of(e, x, FROM_1_TO_2), cell = cell_of(e, m);
  lanes r = f_mul_add(e, m, look_up(e, reciprocal, cell), lanes_real(e, m, -1));
  lanes q = POLY(e, r, 0x1.715476p0, -0x1.715476p-1, 0x1.ec74e2p-2, -0x1.717a3ep-2, 0x1.17342cp-2);
  return f_mul_add(e, r, q, f_add(e, exponent_of(e, x), look_up(e, log2_of_c, cell)));
}

/* x = 2^k (1 + f), for 1 + f from sqrt(1/2) to sqrt(2). */
static lanes split_log(emit *e, lanes x, lanes *k) {
  return f_subk(e, vmath_split(e, x, k), 1);
}

/* square * f^2 + cubic * f^3 */
static lanes log_tail(emit *e, lanes f, double square, lanes cubic) {
  lanes z = f_mul(e, f, f);
  return f_mul_add(e, z, lanes_real(e, f, square), f_mul(e, f_mul(e, z, f), cubic));
}

/* What logarithms are where the argument isn't positive and finite. */
static lanes log_specials(emit *e, lanes x, lanes r) {
  r = l_select(e, f_cmpk(e, LLVMRealOEQ, x, INFINITY), x, r);
  r = l_select(e, f_cmpk(e, LLVMRealULT, x, 0), lanes_real(e, x, (double)NAN), r);
  return l_select(e, f_cmpk(e, LLVMRealOEQ, x, 0), lanes_real(e, x, -INFINITY), r);
}

static lanes log32(emit *e, lanes *x) {
  if (vmath_has_bounded(e)) return log_by_cells(e, x[0]);
  const double high = 0x1.62ep-1, rest = 0x1.0bfbe8e7bcd5ep-15; /* multiples of `high` are exact */
  lanes k, f = split_log(e, x[0], &k);
  /* (ln(1 + f) - f + f^2 / 2) / f^3; relative error of ln(1 + f) 2^-27 */
  lanes p = POLY(e, f, 0x1.55554ap-2, -0x1.000212p-2, 0x1.99a5c0p-3, -0x1.547bdcp-3, 0x1.226b48p-3,
                 -0x1.0cbfccp-3, 0x1.07db08p-3, -0x1.42aab0p-4);
  lanes low = f_mul_add(e, k, lanes_real(e, f, rest), log_tail(e, f, -0.5, p));
  lanes r = f_mul_add(e, k, lanes_real(e, f, high), f_add(e, f, low));
  return log_specials(e, x[0], r);
}

static lanes log2_32(emit *e, lanes *x) {
  if (vmath_has_bounded(e)) return log2_by_cells(e, x[0]);
  /* log2 e = 1 + this, so that the largest part of the product is exact. */
  const double log2e_rest = 0x1.c551dap-2, half_log2e = 0x1.715476p-1;
  lanes k, f = split_log(e, x[0], &k);
  /* (log2(1 + f) - log2(e) (f - f^2 / 2)) / f^3 */
  lanes p = POLY(e, f, 0x1.ec709cp-2, -0x1.71579p-2, 0x1.277b6ep-2, -0x1.eb2952p-3, 0x1.a39c3cp-3,
                 -0x1.84d3bep-3, 0x1.790d26p-3, -0x1.c32818p-4);
  lanes low = log_tail(e, f, -half_log2e, p);
  low = f_mul_add(e, f, lanes_real(e, f, log2e_rest), low);
  /* k and f may nearly cancel, when their sum is exact. */
  return log_specials(e, x[0], f_add(e, f_add(e, k, f), low));
}

/* ---- roots ---------------------------------------------------------------------------------- */

static lanes rsqrt_register(emit *e, const void *user, lanes *x) {
  (void)user;
  LLVMValueRef args[] = {x[0], x[0], LLVMConstAllOnes(e->i16)};
  return emit_intrinsic(e, "llvm.x86.avx512.rsqrt14.ps.512", NULL, 0, args, ARRAY_LEN(args));
}

static lanes rsqrt32(emit *e, lanes *x) {
  if (e->isa.level < CPU_AVX512) {
    return f_div(e, lanes_real(e, x[0], 1), l_call1(e, "llvm.sqrt", x[0]));
  }
  lanes y = lanes_in_pieces(e, 16, 1, x, rsqrt_register, NULL);
  /* One step of Newton's: 14 bits become 27. It makes NaN of 0 and infinity, where the
   * approximation is exact. */
  lanes error = l_call3(e, "llvm.fma", f_neg(e, f_mul(e, x[0], y)), y, lanes_real(e, y, 1));
  lanes better = l_call3(e, "llvm.fma", f_mulk(e, y, 0.5), error, y);
  return l_select(e, f_is_nan(e, error), y, better);
}

/* ---- trigonometry --------------------------------------------------------------------------- */

/* |x| = n pi/2 + r with |r| <= pi/4 and some; the quadrant is n modulo 4, in i32 lanes with any
 * bits above. */
typedef struct angle {
  lanes r; /* double as a rule */
  lanes quadrant;
} angle;

/* Up to here pi/2 in three parts is enough: n has 20 bits, two parts have 33. */
static const double reduce_limit = 0x1p20;

static angle reduce_small(emit *e, lanes x) {
  lanes y = l_fpext(e, x, e->f64);
  lanes shifted = vmath_shifted(e, y, 0x1.45f306dc9c883p-1);
  lanes n = vmath_unshifted(e, shifted);
  lanes r = f_mul_add(e, n, lanes_real(e, y, -0x1.921fb544p0), y);
  r = f_mul_add(e, n, lanes_real(e, y, -0x1.0b4611a6p-34), r);
  r = f_mul_add(e, n, lanes_real(e, y, -0x1.3198a2e037073p-69), r);
  return (angle){r, l_trunc(e, l_bitcast(e, shifted, e->i64), e->i32)};
}

/* Bits `first` to `first + count - 1` of 2/pi after the point, from 1; zeros before. */
static uint64_t two_over_pi_bits(int first, int count) {
  static const uint32_t words[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                   0xdb629599, 0x3c439041, 0xfe5163ab};
  uint64_t bits = 0;
  for (int i = first; i < first + count; i++) {
    unsigned bit = i < 1 ? 0 : words[(i - 1) / 32] >> (31 - (i - 1) % 32) & 1;
    bits = bits << 1 | bit;
  }
  return bits;
}

enum { LARGE_FIRST = 147, LARGE_COUNT = 109, LARGE_PARTS = 3 };

/* For float exponents from LARGE_FIRST up (that of infinity too): 2^(exponent - 150) * 2/pi modulo
 * 4 in three doubles, two of 26 bits and one of 53. Made once for the module. */
static LLVMValueRef large_table(emit *e) {
  static const char name[] = "vmath.two_over_pi";
  LLVMValueRef table = LLVMGetNamedGlobal(e->module, name);
  if (table != NULL) return table;
  LLVMValueRef values[LARGE_COUNT * LARGE_PARTS];
  for (int i = 0; i < LARGE_COUNT; i++) {
    int integer = i + LARGE_FIRST - 150; /* the bit of 2/pi whose weight is 1 now */
    const double parts[LARGE_PARTS] = {
        ldexp((double)two_over_pi_bits(integer - 1, 26), -24),
        ldexp((double)two_over_pi_bits(integer + 25, 26), -50),
        ldexp((double)two_over_pi_bits(integer + 51, 53), -103),
    };
    for (int k = 0; k < LARGE_PARTS; k++) {
      values[i * LARGE_PARTS + k] = LLVMConstReal(e->f64, parts[k]);
    }
  }
  LLVMValueRef all = LLVMConstArray2(e->f64, values, ARRAY_LEN(values));
  table = LLVMAddGlobal(e->module, LLVMTypeOf(all), name);
  LLVMSetInitializer(table, all);
  LLVMSetLinkage(table, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(table, 1);
  return table;
}

/* One part of the table for the lanes that `mask` has, 0 for the others. */
static lanes gather_part(emit *e, lanes index, unsigned part, lanes mask) {
  lanes entry = i_addk(e, i_mul(e, index, lanes_int(e, index, LARGE_PARTS)), part);
  LLVMValueRef base = large_table(e);
  if (emit_lanes(index) == 1) {
    entry = l_select(e, mask, entry, lanes_int(e, entry, 0));
    LLVMValueRef at = LLVMBuildGEP2(e->b, e->f64, base, &entry, 1, "");
    return LLVMBuildLoad2(e->b, e->f64, at, "");
  }
  LLVMValueRef at = LLVMBuildGEP2(e->b, e->f64, base, &entry, 1, "");
  LLVMTypeRef types[] = {lanes_type(index, e->f64), LLVMTypeOf(at)};
  LLVMValueRef args[] = {at, mask, LLVMConstNull(types[0])};
  return emit_intrinsic(e, "llvm.masked.gather", types, 2, args, ARRAY_LEN(args));
}

/* Payne and Hanek's: x = M 2^(exponent - 150) with an integer M of 24 bits, so M times the
 * fraction above, modulo 4. The first two products are exact, and what is left of them after
 * taking out integers is small enough for the third to add all the bits that a double can hold. */
static angle reduce_large(emit *e, lanes x, lanes mask) {
  lanes bits = l_bitcast(e, x, e->i32);
  lanes index = l_sext(e, i_subk(e, i_lshrk(e, bits, 23), LARGE_FIRST), e->i64);
  lanes m = l_sitofp(e, i_ork(e, i_andk(e, bits, 0x7fffff), 0x800000), e->f64);
  lanes first = f_mul(e, m, gather_part(e, index, 0, mask));
  lanes shifted1 = vmath_shifted(e, first, 1);
  lanes rest = f_sub(e, first, vmath_unshifted(e, shifted1));
  rest = f_add(e, rest, f_mul(e, m, gather_part(e, index, 1, mask)));
  lanes shifted2 = vmath_shifted(e, rest, 1);
  rest = f_sub(e, rest, vmath_unshifted(e, shifted2));
  rest = f_add(e, rest, f_mul(e, m, gather_part(e, index, 2, mask)));
  lanes n = i_add(e, l_bitcast(e, shifted1, e->i64), l_bitcast(e, shifted2, e->i64));
  return (angle){f_mulk(e, rest, 0x1.921fb54442d18p0), l_trunc(e, n, e->i32)};
}

/* A way around for vectors of which a lane is in `mask`. Needs to be the first thing in an outlined
 * function: it branches. */
typedef struct detour {
  LLVMBasicBlockRef from, then, rare_end;
} detour;

static detour detour_begin(emit *e, lanes mask) {
  detour d = {.from = LLVMGetInsertBlock(e->b)};
  LLVMValueRef function = LLVMGetBasicBlockParent(d.from);
  LLVMBasicBlockRef rare = LLVMAppendBasicBlockInContext(e->llvm, function, "");
  d.then = LLVMAppendBasicBlockInContext(e->llvm, function, "");
  LLVMBuildCondBr(e->b, emit_any_lane(e, mask), rare, d.then);
  LLVMPositionBuilderAtEnd(e->b, rare);
  return d;
}

static void detour_end(emit *e, detour *d) {
  d->rare_end = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, d->then);
  LLVMPositionBuilderAtEnd(e->b, d->then);
}

/* After it: `usual`, or `rare` from the way around. */
static lanes detour_value(emit *e, const detour *d, lanes usual, lanes rare) {
  lanes value = LLVMBuildPhi(e->b, LLVMTypeOf(usual), "");
  LLVMAddIncoming(value, (LLVMValueRef[]){usual, rare}, (LLVMBasicBlockRef[]){d->from, d->rare_end},
                  2);
  return value;
}

/* Not finite gives NaN. */
static angle reduce_angle(emit *e, lanes x) {
  x = f_abs(e, x);
  angle small = reduce_small(e, x);
  lanes mask = f_cmpk(e, LLVMRealOGE, x, reduce_limit);
  detour d = detour_begin(e, mask);
  angle large = reduce_large(e, x, mask);
  large.r = l_select(e, mask, large.r, small.r);
  large.quadrant = l_select(e, mask, large.quadrant, small.quadrant);
  detour_end(e, &d);
  angle a = {detour_value(e, &d, small.r, large.r),
             detour_value(e, &d, small.quadrant, large.quadrant)};
  lanes is_finite = f_cmpk(e, LLVMRealOLT, x, INFINITY);
  a.r = l_select(e, is_finite, a.r, lanes_real(e, a.r, (double)NAN));
  return a;
}

/* The sign bit of x. */
static lanes sign_of(emit *e, lanes x) {
  return i_andk(e, l_bitcast(e, x, e->i32), 0x80000000u);
}
static lanes flip_sign(emit *e, lanes x, lanes sign) {
  return l_bitcast(e, i_xor(e, l_bitcast(e, x, e->i32), sign), e->f32);
}

/* sin(|x|), or the cosine with a quadrant more; any x. */
static lanes sine_by_quarters(emit *e, lanes x, unsigned quadrants) {
  angle a = reduce_angle(e, x);
  lanes r = l_fptrunc(e, a.r, e->f32), z = f_mul(e, r, r);
  lanes s = POLY(e, z, -0x1.555546p-3, 0x1.110772p-7, -0x1.995034p-13);
  s = f_mul_add(e, f_mul(e, r, z), s, r);
  lanes c = POLY(e, z, 1, -0.5, 0x1.55554ap-5, -0x1.6c0c24p-10, 0x1.99e614p-16);
  lanes quadrant = i_addk(e, a.quadrant, quadrants);
  lanes is_odd = i_cmpk(e, LLVMIntNE, i_andk(e, quadrant, 1), 0);
  lanes sign = i_shlk(e, i_andk(e, quadrant, 2), 30);
  return flip_sign(e, l_select(e, is_odd, c, s), sign);
}

/* With fused multiply-adds three floats are enough up to here to take half turns out: their number
 * has 12 bits, the first difference is exact, and the second one is what r is rounded to. */
static const double half_turns_limit = 0x1p13;

/* (-1)^n sin(r) for |r| up to pi/2 and some; bits of n above the lowest don't matter. */
static lanes sine_of_half_turn(emit *e, lanes r, lanes n) {
  lanes z = f_mul(e, r, r);
  lanes s = POLY(e, z, -0x1.55553p-5, 0x1.110edap-7, -0x1.9f70ecp-13, 0x1.5dc88ep-19);
  s = f_mul_add(e, z, s, f_mulk(e, z, -0.125));
  return flip_sign(e, f_mul_add(e, r, s, r), i_shlk(e, n, 31));
}

/* sin(x) = (-1)^n sin(x - n pi) for x >= 0. */
static lanes sine_by_halves(emit *e, lanes x) {
  lanes shifted = vmath_shifted(e, x, 0x1.45f306p-2), n = vmath_unshifted(e, shifted);
  lanes r = f_mul_add(e, n, lanes_real(e, x, -0x1.921fb4p1), x);
  r = f_mul_add(e, n, lanes_real(e, x, -0x1.4442dp-23), r);
  r = f_mul_add(e, n, lanes_real(e, x, -0x1.84698ap-47), r);
  return sine_of_half_turn(e, r, l_bitcast(e, shifted, e->i32));
}

/* cos(x) = (-1)^n sin((2n + 1) pi/2 - x) for x >= 0. Floats from 2^24 to 2^25 are even: added to
 * 2^24 - 1, the quarter turns are rounded to 2n + 1 there. */
static lanes cosine_by_halves(emit *e, lanes x) {
  lanes shift = lanes_real(e, x, 0x1p24 - 1), least = lanes_real(e, x, 0x1p24);
  lanes shifted = f_mul_add(e, x, lanes_real(e, x, 0x1.45f306p-1), shift);
  shifted = l_select(e, f_cmp(e, LLVMRealOGT, shifted, least), shifted, least);
  lanes odd = f_sub(e, shifted, shift);
  lanes r = f_mul_add(e, odd, lanes_real(e, x, 0x1.921fb6p0), f_neg(e, x));
  r = f_mul_add(e, odd, lanes_real(e, x, -0x1.777a5cp-25), r);
  r = f_mul_add(e, odd, lanes_real(e, x, -0x1.ee59dap-50), r);
  return sine_of_half_turn(e, r, l_bitcast(e, shifted, e->i32));
}

lanes vmath32_usual(emit *e, op_code opcode, lanes x, lanes *is_rare) {
  if (!emit_has_usual(e, opcode)) return NULL;
  lanes size = f_abs(e, x);
  *is_rare = f_cmpk(e, LLVMRealUGE, size, half_turns_limit);
  if (opcode == OP_cos) return cosine_by_halves(e, size);
  return flip_sign(e, sine_by_halves(e, size), sign_of(e, x));
}

static lanes sin_any(emit *e, lanes x) {
  return flip_sign(e, sine_by_quarters(e, x, 0), sign_of(e, x));
}
static lanes cos_any(emit *e, lanes x) {
  return sine_by_quarters(e, x, 1);
}

static lanes usual_or_any(emit *e, op_code opcode, lanes x, lanes (*any)(emit *, lanes)) {
  lanes is_rare, usual = vmath32_usual(e, opcode, x, &is_rare);
  if (usual == NULL) return any(e, x);
  detour d = detour_begin(e, is_rare);
  lanes rare = any(e, x);
  detour_end(e, &d);
  return detour_value(e, &d, usual, rare);
}

static lanes sin_body(emit *e, lanes *x) {
  return usual_or_any(e, OP_sin, x[0], sin_any);
}
static lanes cos_body(emit *e, lanes *x) {
  return usual_or_any(e, OP_cos, x[0], cos_any);
}

/* In double, so that the quotient needs one rounding. */
static lanes tan_body(emit *e, lanes *x) {
  angle a = reduce_angle(e, x[0]);
  lanes z = f_mul(e, a.r, a.r);
  lanes s = POLY(e, z, 1, -0x1.5555554d81b22p-3, 0x1.111108ff9e3a9p-7, -0x1.a00fe07f4230fp-13,
                 0x1.6ce588b580d7dp-19);
  s = f_mul(e, a.r, s);
  lanes c = POLY(e, z, 1, -0x1.ffffffffec8c6p-2, 0x1.55555546f8078p-5, -0x1.6c16b3ec2b256p-10,
                 0x1.a00f00fe119eep-16, -0x1.23d47a8d301a5p-22);
  lanes is_odd = i_cmpk(e, LLVMIntNE, i_andk(e, a.quadrant, 1), 0);
  lanes t = f_div(e, l_select(e, is_odd, c, s), l_select(e, is_odd, s, c));
  lanes sign = i_shlk(e, a.quadrant, 31); /* odd quadrants: -1 / tan */
  return flip_sign(e, l_fptrunc(e, t, e->f32), i_xor(e, sign, sign_of(e, x[0])));
}

static lanes sin32(emit *e, lanes *x) {
  return vmath_call(e, "sin.f32", sin_body, 1, x);
}
static lanes cos32(emit *e, lanes *x) {
  return vmath_call(e, "cos.f32", cos_body, 1, x);
}
static lanes tan32(emit *e, lanes *x) {
  return vmath_call(e, "tan.f32", tan_body, 1, x);
}

/* The angle of the point (x[1], x[0]). In double: quotient, polynomial and the angles added stay
 * far more exact than the float that is wanted. */
static lanes atan2_body(emit *e, lanes *x) {
  lanes y = l_fpext(e, f_abs(e, x[0]), e->f64), d = l_fpext(e, f_abs(e, x[1]), e->f64);
  lanes is_steep = f_cmp(e, LLVMRealOGT, y, d);
  lanes num = l_select(e, is_steep, d, y), den = l_select(e, is_steep, y, d);
  /* 0 / 0 is the angle 0 and inf / inf that of (1, 1). */
  lanes both_inf = f_cmpk(e, LLVMRealOEQ, num, INFINITY);
  num = l_select(e, both_inf, lanes_real(e, num, 1), num);
  lanes plain = i_or(e, both_inf, f_cmpk(e, LLVMRealOEQ, den, 0));
  den = l_select(e, plain, lanes_real(e, den, 1), den);
  lanes t = f_div(e, num, den), z = f_mul(e, t, t);
  lanes p = POLY(e, z, 1, -0x1.555554e63a866p-2, 0x1.999956cfc6910p-3, -0x1.248c01aa1f507p-3,
                 0x1.c68aae99c9098p-4, -0x1.708bc045824a4p-4, 0x1.2ac5676032361p-4,
                 -0x1.c3cd65201141fp-5, 0x1.208f3a30179c1p-5, -0x1.140b0b49d504ep-6,
                 0x1.51c9c432ebbe2p-8, -0x1.836321028d680p-11);
  lanes r = f_mul(e, t, p);
  r = l_select(e, is_steep, f_sub(e, lanes_real(e, r, 0x1.921fb54442d18p0), r), r);
  lanes is_left = i_cmpk(e, LLVMIntNE, sign_of(e, x[1]), 0);
  r = l_select(e, is_left, f_sub(e, lanes_real(e, r, 0x1.921fb54442d18p1), r), r);
  lanes narrow = f_copysign(e, l_fptrunc(e, r, e->f32), x[0]);
  lanes is_nan = f_cmp(e, LLVMRealUNO, x[0], x[1]);
  return l_select(e, is_nan, lanes_real(e, narrow, (double)NAN), narrow);
}
static lanes atan2_32(emit *e, lanes *x) {
  return vmath_call(e, "atan2.f32", atan2_body, 2, x);
}

/* ---- powers --------------------------------------------------------------------------------- */

/* log2(x) in double for x > 0; relative error 2^-44, also near 1. */
static lanes log2_exact(emit *e, lanes x) {
  lanes k, m = vmath_split(e, x, &k);
  lanes s = f_div(e, f_subk(e, m, 1), f_addk(e, m, 1)), z = f_mul(e, s, s);
  lanes p = POLY(e, z, 0x1.71547652b82fep1, 0x1.ec709dc4bbebdp-1, 0x1.2776c2f5b22cap-1,
                 0x1.a619f2b304ab3p-2, 0x1.479d4611b03a5p-2, 0x1.214fe14018693p-2);
  return f_mul_add(e, s, p, k);
}

/* 2^w in double, |w| <= 200; relative error 2^-33. */
static lanes exp2_exact(emit *e, lanes w) {
  lanes k = vmath_nearest(e, w), r = f_sub(e, w, k);
  lanes p = POLY(e, r, 1, 0x1.62e42fef81003p-1, 0x1.ebfbe07e5cfe9p-3, 0x1.c6b08dea1e147p-5,
                 0x1.3b29f951da0ebp-7, 0x1.5d870d8e3dd92p-10, 0x1.4454c94d2df8ep-13,
                 0x1.0110a2e1f381dp-16);
  return f_mul(e, p, vmath_power2(e, k));
}

static lanes pow_body(emit *e, lanes *x) {
  lanes base = l_fpext(e, x[0], e->f64), y = l_fpext(e, x[1], e->f64), a = f_abs(e, base);
  lanes inf = lanes_real(e, a, INFINITY), nan = lanes_real(e, a, (double)NAN);
  lanes one = lanes_real(e, a, 1);
  lanes l = log2_exact(e, a);
  l = l_select(e, f_cmpk(e, LLVMRealOEQ, a, 0), f_neg(e, inf), l);
  l = l_select(e, f_cmp(e, LLVMRealULT, a, inf), l, a); /* infinity and, below, NaN */
  l = l_select(e, f_is_nan(e, a), nan, l);
  lanes r = exp2_exact(e, vmath_clamp(e, f_mul(e, y, l), -200, 200));

  /* A negative base needs an integer; an odd one keeps the sign, that of zero too. */
  lanes n = vmath_clamp(e, y, -0x1p26, 0x1p26); /* from 2^25 on all floats are even */
  lanes is_integer = f_cmp(e, LLVMRealOEQ, vmath_nearest(e, n), n);
  lanes half = f_mulk(e, n, 0.5);
  lanes is_odd = i_and(e, is_integer, f_cmp(e, LLVMRealONE, vmath_nearest(e, half), half));
  lanes is_negative = f_cmpk(e, LLVMRealOLT, base, 0);
  lanes no_power =
      i_and(e, i_and(e, is_negative, l_not(e, is_integer)), f_cmp(e, LLVMRealOLT, a, inf));
  r = l_select(e, no_power, nan, r);
  r = l_select(e, is_odd, f_copysign(e, r, base), r);

  /* 1 to any power, any base to 0, and -1 to infinity, though 0 * inf above was NaN. */
  lanes y_is_inf = f_cmp(e, LLVMRealOEQ, f_abs(e, y), inf);
  lanes is_one = i_or(e, f_cmp(e, LLVMRealOEQ, base, one), f_cmpk(e, LLVMRealOEQ, y, 0));
  is_one = i_or(e, is_one, i_and(e, f_cmp(e, LLVMRealOEQ, a, one), y_is_inf));
  return l_fptrunc(e, l_select(e, is_one, one, r), e->f32);
}
static lanes pow32(emit *e, lanes *x) {
  return vmath_call(e, "pow.f32", pow_body, 2, x);
}

vmath_fn vmath32_function(op_code opcode) {
  switch (opcode) {
  case OP_exp: return exp32;
  case OP_exp2: return exp2_32;
  case OP_log: return log32;
  case OP_log2: return log2_32;
  case OP_tanh: return tanh32;
  case OP_sinh: return sinh32;
  case OP_cosh: return cosh32;
  case OP_rsqrt: return rsqrt32;
  case OP_sin: return sin32;
  case OP_cos: return cos32;
  case OP_tan: return tan32;
  case OP_atan2: return atan2_32;
  case OP_pow: return pow32;
  default: return NULL;
  }
}
