/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Float arithmetic. f32 and f64 to nearest even are the processor's own operations.
 *
 * f16 and bf16 compute in f32 and round again. For +, -, *, / and sqrt that gives what rounding
 * once gives: f32 has 24 >= 2 p + 2 bits for their p of 11 and 8 (Figueroa, "When is double
 * rounding innocuous?", 1995). Results that are subnormal in f16 keep fewer bits, which widens the
 * margin. Those of bf16 are subnormal in f32 as well, with 16 bits more: products have at most 16
 * bits in all, so one that reaches a halfway point of bf16 is exact in f32; quotients of 8-bit
 * numbers stay 2^-9 ulp away from halfway points or hit them.
 *
 * The multiply-add of f16 and bf16, and of f32 where the processor has none, adds an exact product
 * "rounded to odd", which survives a second rounding (Boldo and Melquiond, 2008): see add_to_odd.
 */
#include "num/num.h"
#include "llvm/arith.h"
#include "llvm/lanes.h"
#include "llvm/nans.h"

/* ---- rounding modes ------------------------------------------------------------------------- */

static bool is_nearest(const exec_elementwise *w) {
  return num_rounds_to_nearest((num_rounding)w->rounding);
}

static bool has_directed(emit *e, const exec_elementwise *w) {
  return e->gpu || (emit_has_avx512(e) && (w->result == TSR_F32 || w->result == TSR_F64));
}

/* An AVX-512 operation with its rounding mode embedded, on a whole register. */
static lanes directed_register(emit *e, const void *user, lanes *x) {
  static const uint8_t modes[] = {
      [ROUND_ZERO] = 11, [ROUND_NEGATIVE_INF] = 9, [ROUND_POSITIVE_INF] = 10};
  const exec_elementwise *w = user;
  const char *op = w->opcode == OP_addf   ? "add"
                   : w->opcode == OP_subf ? "sub"
                   : w->opcode == OP_mulf ? "mul"
                   : w->opcode == OP_divf ? "div"
                   : w->opcode == OP_sqrt ? "sqrt"
                                          : "vfmadd";
  const char *type = w->result == TSR_F64 ? "pd" : "ps";
  char *name = arena_printf(e->arena, "llvm.x86.avx512.%s.%s.512", op, type);
  LLVMValueRef args[4];
  for (unsigned i = 0; i < w->n_operands; i++) args[i] = x[i];
  args[w->n_operands] = LLVMConstInt(e->i32, modes[w->rounding], 0);
  return emit_intrinsic(e, name, NULL, 0, args, w->n_operands + 1u);
}

/* A GPU's instruction with its rounding mode; a difference is the sum with the negative. Narrow
 * types compute in f32: rounding that again in the same direction is rounding once. */
static lanes directed_gpu(emit *e, const exec_elementwise *w, lanes *x) {
  static const char *const modes[] = {
      [ROUND_ZERO] = "rz", [ROUND_NEGATIVE_INF] = "rm", [ROUND_POSITIVE_INF] = "rp"};
  const char *op = w->opcode == OP_mulf   ? "mul"
                   : w->opcode == OP_divf ? "div"
                   : w->opcode == OP_sqrt ? "sqrt"
                   : w->opcode == OP_fma  ? "fma"
                                          : "add";
  lanes args[3] = {x[0], x[1], x[2]};
  if (w->opcode == OP_subf) args[1] = f_neg(e, x[1]);
  char *name = arena_printf(e->arena, "llvm.nvvm.%s.%s.%s", op, modes[w->rounding],
                            w->result == TSR_F64 ? "d" : "f");
  return emit_intrinsic(e, name, NULL, 0, args, w->n_operands);
}

static lanes directed(emit *e, const exec_elementwise *w, lanes *x) {
  if (e->amd) return amd_directed(e, w, x);
  if (e->gpu) return directed_gpu(e, w, x);
  return lanes_in_pieces(e, w->result == TSR_F64 ? 8 : 16, w->n_operands, x, directed_register, w);
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* x + y, and when that is inexact and its last bit even, the neighbour on the side of the exact
 * sum. Rounding it to two bits less, or fewer, gives what rounding the exact sum would. The error
 * is Knuth's two-sum; it is NaN, and nothing moves, where the sum isn't finite. */
static lanes add_to_odd(emit *e, lanes x, lanes y) {
  lanes sum = f_add(e, x, y);
  lanes y_part = f_sub(e, sum, x);
  lanes error = f_add(e, f_sub(e, x, f_sub(e, sum, y_part)), f_sub(e, y, y_part));
  LLVMTypeRef type = lanes_bits(e, sum) == 64 ? e->i64 : e->i32;
  lanes bits = l_bitcast(e, sum, type);
  lanes is_even = i_cmpk(e, LLVMIntEQ, i_andk(e, bits, 1), 0);
  lanes moves = i_and(e, is_even, f_cmpk(e, LLVMRealONE, error, 0));
  lanes outwards =
      i_cmp(e, LLVMIntEQ, f_cmpk(e, LLVMRealOLT, error, 0), f_cmpk(e, LLVMRealOLT, sum, 0));
  lanes by = l_select(e, outwards, lanes_int(e, bits, 1), lanes_int(e, bits, UINT64_MAX));
  bits = l_select(e, moves, i_add(e, bits, by), bits);
  return l_bitcast(e, bits, lanes_elem(sum));
}

/* Gives a value that still is to be rounded to the result's type. */
static lanes multiply_add(emit *e, const exec_elementwise *w, lanes *x) {
  if (w->result == TSR_F64 || (w->result == TSR_F32 && emit_has_fma(e))) {
    return l_call3(e, "llvm.fma", x[0], x[1], x[2]);
  }
  /* Products of f16 are exact in f32, those of bf16 and f32 in f64. */
  if (w->result == TSR_F16) return add_to_odd(e, f_mul(e, x[0], x[1]), x[2]);
  lanes wide[3];
  for (unsigned i = 0; i < 3; i++) wide[i] = l_fpext(e, x[i], e->f64);
  return add_to_odd(e, f_mul(e, wide[0], wide[1]), wide[2]);
}

/* The integer on one side. Adding and subtracting 2^23 (2^52) rounds to some neighbouring integer
 * where there is no instruction; numbers from there on are integers. */
static lanes to_integer(emit *e, lanes x, bool up) {
  if (emit_has_fma(e)) return l_call1(e, up ? "llvm.ceil" : "llvm.floor", x);
  double magic = lanes_bits(e, x) == 64 ? 0x1p52 : 0x1p23;
  lanes mag = f_abs(e, x);
  lanes near = f_copysign(e, f_subk(e, f_addk(e, mag, magic), magic), x);
  lanes past = f_cmp(e, up ? LLVMRealOLT : LLVMRealOGT, near, x);
  near = l_select(e, past, f_addk(e, near, up ? 1 : -1), near);
  lanes has_fraction = f_cmpk(e, LLVMRealOLT, mag, magic);
  return l_select(e, has_fraction, f_copysign(e, near, x), x);
}

/* AVX-512's range instruction on whole registers: takes the number beside a quiet NaN, and -0 for
 * less than +0. */
static lanes range_register(emit *e, const void *user, lanes *x) {
  const exec_elementwise *w = user;
  bool is_double = lanes_elem(x[0]) == e->f64;
  unsigned count = emit_lanes(x[0]), bits = count * (is_double ? 64 : 32);
  LLVMTypeRef mask = LLVMIntTypeInContext(e->llvm, MAX(count, 8));
  enum { MAX_WITH_ITS_SIGN = 5, MIN_WITH_ITS_SIGN = 4 };
  uint64_t which = w->opcode == OP_maxf ? MAX_WITH_ITS_SIGN : MIN_WITH_ITS_SIGN;
  LLVMValueRef args[] = {x[0],
                         x[1],
                         LLVMConstInt(e->i32, which, 0),
                         x[0],
                         LLVMConstAllOnes(mask),
                         LLVMConstInt(e->i32, ROUND_AS_SET, 0)};
  const char *name =
      arena_printf(e->arena, "llvm.x86.avx512.mask.range.%s.%u", is_double ? "pd" : "ps", bits);
  return emit_intrinsic(e, name, NULL, 0, args, bits == 512 ? 6 : 5);
}

/* The first `count` of v's lanes; more than it has are any. */
static lanes first_lanes(emit *e, lanes v, unsigned count) {
  LLVMValueRef at[4], zero = LLVMConstInt(e->i32, 0, 0);
  unsigned has = emit_lanes(v);
  if (count == 1) return LLVMBuildExtractElement(e->b, v, zero, "");
  LLVMValueRef none = LLVMGetPoison(LLVMVectorType(lanes_elem(v), has > 1 ? has : count));
  if (has == 1) return LLVMBuildInsertElement(e->b, none, v, zero, "");
  for (unsigned i = 0; i < count; i++)
    at[i] = i < has ? LLVMConstInt(e->i32, i, 0) : LLVMGetPoison(e->i32);
  return LLVMBuildShuffleVector(e->b, v, none, LLVMConstVector(at, count), "");
}

/* At least a vector register's worth of lanes: LLVM makes quiet NaNs in such only. */
static lanes range(emit *e, const exec_elementwise *w, lanes *x, const bool *may_signal) {
  unsigned lane = lanes_bits(e, x[0]), count = emit_lanes(x[0]);
  unsigned wide = MAX(count, 128 / lane), register_lanes = MIN(wide, 512 / lane);
  for (unsigned i = 0; i < 2; i++) {
    if (count < wide) x[i] = first_lanes(e, x[i], wide);
    if (may_signal[i]) x[i] = l_call1(e, "llvm.canonicalize", x[i]);
  }
  lanes r = lanes_in_pieces(e, register_lanes, 2, x, range_register, w);
  return count < wide ? first_lanes(e, r, count) : r;
}

/* LLVM's operations of IEEE 754-2019. */
static lanes extreme_amd(emit *e, const exec_elementwise *w, lanes x, lanes y) {
  bool max = w->opcode == OP_maxf;
  if (w->propagate_nan) return l_call2(e, max ? "llvm.maximum" : "llvm.minimum", x, y);
  return l_call2(e, max ? "llvm.maximumnum" : "llvm.minimumnum", x, y);
}

/* A GPU's instructions do all of it, but there is none of doubles that hands on a NaN. */
static lanes extreme_gpu(emit *e, const exec_elementwise *w, lanes x, lanes y) {
  bool is_double = lanes_elem(x) == e->f64;
  char *name = arena_printf(e->arena, "llvm.nvvm.f%s%s.%c", w->opcode == OP_maxf ? "max" : "min",
                            w->propagate_nan && !is_double ? ".nan" : "", is_double ? 'd' : 'f');
  lanes args[] = {x, y}, r = emit_intrinsic(e, name, NULL, 0, args, 2);
  if (!w->propagate_nan || !is_double) return r;
  return l_select(e, f_cmp(e, LLVMRealUNO, x, y), lanes_real(e, x, (double)NAN), r);
}

static LLVMTypeRef bits_of(emit *e, lanes x) {
  return lanes_bits(e, x) == 64 ? e->i64 : e->i32;
}

/* The larger or smaller as the processor's own instruction has it, which gives y where they are
 * equal or one is a NaN. */
static lanes chosen(emit *e, bool max, lanes x, lanes y) {
  return l_select(e, f_cmp(e, max ? LLVMRealOGT : LLVMRealOLT, x, y), x, y);
}

static lanes extreme(emit *e, const exec_elementwise *w, lanes x, lanes y) {
  if (e->amd) return extreme_amd(e, w, x, y);
  if (e->gpu) return extreme_gpu(e, w, x, y);
  bool max = w->opcode == OP_maxf;
  lanes r = chosen(e, max, x, y);
  /* Equal numbers have equal bits, or are zeros: -0 is the smaller. */
  lanes a = l_bitcast(e, x, bits_of(e, x)), b = l_bitcast(e, y, bits_of(e, x));
  lanes zero = l_bitcast(e, max ? i_and(e, a, b) : i_or(e, a, b), lanes_elem(x));
  r = l_select(e, f_cmp(e, LLVMRealOEQ, x, y), zero, r);
  if (w->propagate_nan) {
    return l_select(e, f_cmp(e, LLVMRealUNO, x, y), lanes_real(e, x, (double)NAN), r);
  }
  /* With a NaN the comparison was false and chose y. */
  return l_select(e, f_is_nan(e, y), x, r);
}

/* ---- extremes with numbers ------------------------------------------------------------------- */

static bool fits_all(lanes x, bool (*fits)(double)) {
  if (!LLVMIsConstant(x)) return false;
  unsigned count = emit_lanes(x);
  for (unsigned i = 0; i < count; i++) {
    lanes one = count > 1 ? LLVMGetAggregateElement(x, i) : x;
    LLVMBool loses;
    if (!one || !LLVMIsAConstantFP(one) || !fits(LLVMConstRealGetDouble(one, &loses))) return false;
  }
  return true;
}

static bool is_no_negative_zero(double v) {
  return v == v && !(v == 0 && signbit(v));
}

static bool is_no_positive_zero(double v) {
  return v == v && !(v == 0 && !signbit(v));
}

static bool is_not_below_zero(double v) {
  return v == v && !signbit(v);
}

/* +0 or more, and no NaN: a constant, or the larger one of anything and of such a number. */
static bool is_from_zero(lanes x) {
  enum { MOST = 64 };
  for (unsigned i = 0; i < MOST && LLVMIsASelectInst(x); i++) {
    lanes larger = LLVMGetOperand(x, 0);
    if (!LLVMIsAFCmpInst(larger) || LLVMGetFCmpPredicate(larger) != LLVMRealOGT) return false;
    if (LLVMGetOperand(larger, 0) != LLVMGetOperand(x, 1)) return false;
    if (LLVMGetOperand(larger, 1) != LLVMGetOperand(x, 2)) return false;
    x = LLVMGetOperand(x, 2);
  }
  return fits_all(x, is_not_below_zero);
}

/* A number that the processor's own instruction may give where it is equal to the other, or where
 * that is a NaN. */
static bool settles(bool max, lanes y) {
  return max ? is_from_zero(y) || fits_all(y, is_no_negative_zero)
             : fits_all(y, is_no_positive_zero);
}

/* The larger or smaller where one is such a number; NULL: neither is. */
static lanes extreme_of_number(emit *e, const exec_elementwise *w, lanes x, lanes y) {
  bool max = w->opcode == OP_maxf, extreme = max || w->opcode == OP_minf;
  if (!extreme || e->gpu || w->propagate_nan || w->flush_to_zero) return NULL;
  return settles(max, y) ? chosen(e, max, x, y) : settles(max, x) ? chosen(e, max, y, x) : NULL;
}

bool emit_has_extremes(const emit *e) {
  return e->gpu || emit_has_avx512(e);
}

lanes emit_nans_to_ones(emit *e, lanes x) {
  lanes is_nan = l_sext(e, f_is_nan(e, x), bits_of(e, x));
  return l_bitcast(e, i_or(e, l_bitcast(e, x, bits_of(e, x)), is_nan), lanes_elem(x));
}

lanes emit_max_with_ones(emit *e, lanes x, lanes y) {
  lanes a = l_bitcast(e, chosen(e, true, x, y), bits_of(e, x));
  lanes b = l_bitcast(e, chosen(e, true, y, x), bits_of(e, x));
  return l_bitcast(e, i_and(e, a, b), lanes_elem(x));
}

static lanes compare(emit *e, const exec_elementwise *w, lanes x, lanes y) {
  static const LLVMRealPredicate ordered[] = {LLVMRealOEQ, LLVMRealONE, LLVMRealOLT,
                                              LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
  static const LLVMRealPredicate unordered[] = {LLVMRealUEQ, LLVMRealUNE, LLVMRealULT,
                                                LLVMRealULE, LLVMRealUGT, LLVMRealUGE};
  bool is_ordered = w->ordering == CMP_ORDERED;
  return f_cmp(e, is_ordered ? ordered[w->predicate] : unordered[w->predicate], x, y);
}

/* The NaN is put in first: LLVM knows which numbers have no root, and takes a NaN chosen for them
 * afterwards to be the one that the root gives anyway. */
static lanes square_root(emit *e, lanes x) {
  lanes has_none = f_cmpk(e, LLVMRealULT, x, 0);
  return l_call1(e, "llvm.sqrt", l_select(e, has_none, lanes_real(e, x, (double)NAN), x));
}

static lanes compute(emit *e, const exec_elementwise *w, lanes *x) {
  if (!is_nearest(w)) return directed(e, w, x);
  switch (w->opcode) {
  case OP_addf: return f_add(e, x[0], x[1]);
  case OP_subf: return f_sub(e, x[0], x[1]);
  case OP_mulf: return f_mul(e, x[0], x[1]);
  case OP_divf: return f_div(e, x[0], x[1]);
  case OP_sqrt: return square_root(e, x[0]);
  case OP_fma: return multiply_add(e, w, x);
  case OP_absf: return f_abs(e, x[0]);
  case OP_negf: return f_neg(e, x[0]);
  case OP_floor: return to_integer(e, x[0], false);
  case OP_ceil: return to_integer(e, x[0], true);
  default: return extreme(e, w, x[0], x[1]);
  }
}

/* Whether what compute gives may not be a value of the type yet. */
static bool is_rounded(const exec_elementwise *w) {
  switch (w->opcode) {
  case OP_addf:
  case OP_subf:
  case OP_mulf:
  case OP_divf:
  case OP_sqrt:
  case OP_fma: return true;
  default: return false;
  }
}

/* Multiply-adds round to odd before, and may change a NaN's bits by that. */
static lanes round_result(emit *e, const exec_elementwise *w, lanes r) {
  tsr_elem elem = (tsr_elem)w->result;
  if (elem == TSR_BF16 && w->opcode != OP_fma && is_nearest(w) && !e->gpu)
    return conv_round_result(e, r);
  return conv_round(e, elem, r, (num_rounding)w->rounding);
}

bool float_supported(emit *e, const exec_elementwise *w) {
  tsr_elem elem = (tsr_elem)w->operands[0];
  bool narrow = elem == TSR_F16 || elem == TSR_BF16;
  if (!narrow && elem != TSR_F32 && elem != TSR_F64) return false;
  if (w->flush_to_zero && narrow) return false;
  switch (w->opcode) {
  case OP_absf:
  case OP_negf:
  case OP_ceil:
  case OP_floor:
  case OP_maxf:
  case OP_minf:
  case OP_cmpf: return true;
  case OP_addf:
  case OP_subf:
  case OP_mulf:
  case OP_divf:
  case OP_sqrt: return is_nearest(w) || has_directed(e, w);
  case OP_fma:
    if (!is_nearest(w)) return has_directed(e, w);
    return elem != TSR_F64 || emit_has_fma(e);
  default: return false; /* remf is a loop of its own */
  }
}

/* Is x something whose sign was changed, and no arithmetic on it? */
static bool is_sign_change(lanes x) {
  size_t length;
  if (LLVMIsAUnaryOperator(x)) return true; /* fneg is the only one */
  if (!LLVMIsACallInst(x)) return false;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(x), &length);
  return strncmp(name, "llvm.fabs", 9) == 0;
}

/* May a NaN in x be a signalling one? Arithmetic, which is what lies behind lanes_canonical, gives
 * quiet ones, but absf and negf hand on what they get. */
static bool may_be_signalling(lanes x, lanes given) {
  return x == given || is_sign_change(x);
}

lanes float_emit(emit *e, const exec_elementwise *w, lanes *operands) {
  lanes x[3];
  bool may_signal[3];
  for (unsigned i = 0; i < w->n_operands; i++) {
    x[i] = lanes_any_nan(operands[i]);
    may_signal[i] = may_be_signalling(x[i], operands[i]);
    if (w->flush_to_zero) x[i] = lanes_flush(e, x[i]);
  }
  if (w->opcode == OP_cmpf) return compare(e, w, x[0], x[1]);
  lanes number = extreme_of_number(e, w, x[0], x[1]);
  if (number) return number;
  bool by_range =
      (w->opcode == OP_maxf || w->opcode == OP_minf) && !w->propagate_nan && emit_has_avx512(e);
  lanes r = by_range ? range(e, w, x, may_signal) : compute(e, w, x);
  if (is_rounded(w)) r = round_result(e, w, r);
  return lanes_canonical(e, w->flush_to_zero ? lanes_flush(e, r) : r);
}
