/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Integer arithmetic. What the language leaves undefined is undefined in LLVM too, and worse: a
 * division by zero traps, a shift by the width is poison. Here all of it has the results that
 * docs/numerics.md states, by selects that code generation often finds to be free.
 */
#include "exec/scalar.h"
#include "llvm/arith.h"
#include "llvm/lanes.h"

/* ---- division ------------------------------------------------------------------------------- */

typedef struct division {
  lanes quotient, remainder; /* truncated; of a / 1 where the division is undefined */
  lanes by_zero, overflows;  /* i1; overflows is the minimum by -1, NULL when unsigned */
} division;

/* Vectors of up to 32 bits divide as doubles (16 bits: as floats): processors divide those a
 * vector at a time, integers only one by one. Truncating the rounded quotient is exact: a / b is
 * an integer, or at least 1 / b away from the next, which is 1 / a of its size, more than the
 * rounding error. */
static lanes divide_as_float(emit *e, lanes a, lanes b, bool is_signed) {
  unsigned bits = lanes_bits(e, a);
  LLVMTypeRef type = lanes_type(a, bits > 16 ? e->f64 : e->f32);
  LLVMTypeRef whole = LLVMTypeOf(a), middle = lanes_type(a, e->i32);
  if (bits < 32) { /* 32-bit conversions are instructions, and fit either way as signed ones */
    a = is_signed ? LLVMBuildSExt(e->b, a, middle, "") : LLVMBuildZExt(e->b, a, middle, "");
    b = is_signed ? LLVMBuildSExt(e->b, b, middle, "") : LLVMBuildZExt(e->b, b, middle, "");
    lanes q = f_div(e, LLVMBuildSIToFP(e->b, a, type, ""), LLVMBuildSIToFP(e->b, b, type, ""));
    return LLVMBuildTrunc(e->b, LLVMBuildFPToSI(e->b, q, middle, ""), whole, "");
  }
  if (is_signed) {
    lanes q = f_div(e, LLVMBuildSIToFP(e->b, a, type, ""), LLVMBuildSIToFP(e->b, b, type, ""));
    return LLVMBuildFPToSI(e->b, q, whole, "");
  }
  lanes q = f_div(e, LLVMBuildUIToFP(e->b, a, type, ""), LLVMBuildUIToFP(e->b, b, type, ""));
  return LLVMBuildFPToUI(e->b, q, whole, "");
}

static division divide(emit *e, lanes a, lanes b, bool is_signed) {
  unsigned bits = lanes_bits(e, a);
  division d = {.by_zero = i_cmpk(e, LLVMIntEQ, b, 0)};
  lanes undefined = d.by_zero;
  if (is_signed) {
    lanes is_min = i_cmpk(e, LLVMIntEQ, a, UINT64_C(1) << (bits - 1));
    d.overflows = i_and(e, is_min, i_cmpk(e, LLVMIntEQ, b, UINT64_MAX));
    undefined = i_or(e, undefined, d.overflows);
  }
  lanes by = l_select(e, undefined, lanes_int(e, b, 1), b);
  /* By a constant, LLVM multiplies instead. */
  if (emit_lanes(a) > 1 && bits <= 32 && !LLVMIsConstant(by)) {
    d.quotient = divide_as_float(e, a, by, is_signed);
  } else if (is_signed) {
    d.quotient = LLVMBuildSDiv(e->b, a, by, "");
  } else {
    d.quotient = LLVMBuildUDiv(e->b, a, by, "");
  }
  d.remainder = i_sub(e, a, i_mul(e, d.quotient, by));
  return d;
}

static lanes divi(emit *e, const exec_elementwise *w, lanes a, lanes b) {
  bool is_signed = w->signedness == SIGN_SIGNED;
  division d = divide(e, a, b, is_signed);
  lanes q = d.quotient;
  if (w->rounding == ROUND_NEGATIVE_INF || w->rounding == ROUND_POSITIVE_INF) {
    bool down = w->rounding == ROUND_NEGATIVE_INF;
    lanes inexact = i_cmpk(e, LLVMIntNE, d.remainder, 0);
    if (is_signed) {
      /* The exact quotient is below the truncated one when the signs differ. */
      LLVMIntPredicate side = down ? LLVMIntSLT : LLVMIntSGE;
      lanes moves = i_and(e, inexact, i_cmpk(e, side, i_xor(e, a, b), 0));
      lanes by = l_zext(e, moves, lanes_elem(a));
      q = down ? i_sub(e, q, by) : i_add(e, q, by);
    } else if (!down) {
      q = i_add(e, q, l_zext(e, inexact, lanes_elem(a)));
    }
  }
  /* The minimum by -1 was divided by 1 and is right as it is. */
  return l_select(e, d.by_zero, lanes_int(e, a, UINT64_MAX), q);
}

static lanes remi(emit *e, const exec_elementwise *w, lanes a, lanes b) {
  division d = divide(e, a, b, w->signedness == SIGN_SIGNED);
  return l_select(e, d.by_zero, a, d.remainder); /* by 1 nothing remains, as by -1 */
}

/* ---- the rest ------------------------------------------------------------------------------- */

static lanes shift(emit *e, const exec_elementwise *w, lanes a, lanes by) {
  unsigned bits = lanes_bits(e, a);
  if (w->opcode == OP_shri && w->signedness == SIGN_SIGNED) {
    return i_ashr(e, a, l_call2(e, "llvm.umin", by, lanes_int(e, by, bits - 1)));
  }
  /* LLVM takes the selection out for a GPU, whose shifts by 64 bits and more give zero, and looks
   * at an amount's low 32 bits alone. */
  lanes amount = e->gpu && bits == 64 ? i_andk(e, by, 63) : by;
  /* Where it is poison it isn't selected. */
  lanes r = w->opcode == OP_shli ? i_shl(e, a, amount) : i_lshr(e, a, amount);
  return l_select(e, i_cmpk(e, LLVMIntULT, by, bits), r, lanes_int(e, a, 0));
}

/* 64 x 64 bits from products of halves, which vectors have; scalars have the whole one. */
static lanes multiply_high64(emit *e, lanes a, lanes b) {
  const uint64_t low = UINT32_MAX;
  lanes al = i_andk(e, a, low), ah = i_lshrk(e, a, 32);
  lanes bl = i_andk(e, b, low), bh = i_lshrk(e, b, 32);
  lanes ll = i_mul(e, al, bl), lh = i_mul(e, al, bh), hl = i_mul(e, ah, bl);
  lanes carry = i_add(e, i_lshrk(e, ll, 32), i_andk(e, lh, low));
  carry = i_lshrk(e, i_add(e, carry, i_andk(e, hl, low)), 32);
  lanes high = i_add(e, i_mul(e, ah, bh), carry);
  return i_add(e, high, i_add(e, i_lshrk(e, lh, 32), i_lshrk(e, hl, 32)));
}

static lanes multiply_high(emit *e, lanes a, lanes b) {
  unsigned bits = lanes_bits(e, a);
  if (bits == 64 && emit_lanes(a) > 1) return multiply_high64(e, a, b);
  LLVMTypeRef wide = LLVMIntTypeInContext(e->llvm, 2 * bits);
  lanes product = i_mul(e, l_zext(e, a, wide), l_zext(e, b, wide));
  return l_trunc(e, i_lshr(e, product, emit_const_int(e, LLVMTypeOf(product), bits)),
                 lanes_elem(a));
}

static lanes extreme(emit *e, const exec_elementwise *w, lanes a, lanes b) {
  bool is_signed = w->signedness == SIGN_SIGNED;
  if (w->opcode == OP_maxi) return l_call2(e, is_signed ? "llvm.smax" : "llvm.umax", a, b);
  return l_call2(e, is_signed ? "llvm.smin" : "llvm.umin", a, b);
}

static lanes compare(emit *e, const exec_elementwise *w, lanes a, lanes b) {
  static const LLVMIntPredicate predicates[2][6] = {
      [SIGN_UNSIGNED] = {LLVMIntEQ, LLVMIntNE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE},
      [SIGN_SIGNED] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE}};
  return i_cmp(e, predicates[w->signedness][w->predicate], a, b);
}

/* An operation on single bits is a table of four; as a polynomial over {and, xor} it needs neither
 * multiplication nor division by such numbers. */
static lanes bit_operation(emit *e, const exec_elementwise *w, lanes *x) {
  bool t[2][2];
  for (unsigned a = 0; a < 2; a++)
    for (unsigned b = 0; b < 2; b++) t[a][b] = exec_scalar(w, (uint64_t[]){a, b}) & 1;
  lanes zero = lanes_int(e, x[0], 0), r = t[0][0] ? lanes_int(e, x[0], 1) : zero;
  if (t[0][0] != t[1][0]) r = i_xor(e, r, x[0]);
  if (w->n_operands == 1) return r;
  if (t[0][0] != t[0][1]) r = i_xor(e, r, x[1]);
  if (t[0][0] ^ t[0][1] ^ t[1][0] ^ t[1][1]) r = i_xor(e, r, i_and(e, x[0], x[1]));
  return r;
}

lanes integer_emit(emit *e, const exec_elementwise *w, lanes *x) {
  if (w->operands[0] == TSR_I1) return bit_operation(e, w, x);
  switch (w->opcode) {
  case OP_absi: {
    lanes negative = i_cmpk(e, LLVMIntSLT, x[0], 0);
    return l_select(e, negative, LLVMBuildNeg(e->b, x[0], ""), x[0]);
  }
  case OP_negi: return LLVMBuildNeg(e->b, x[0], "");
  case OP_addi: return i_add(e, x[0], x[1]);
  case OP_subi: return i_sub(e, x[0], x[1]);
  case OP_muli: return i_mul(e, x[0], x[1]);
  case OP_mulhii: return multiply_high(e, x[0], x[1]);
  case OP_divi: return divi(e, w, x[0], x[1]);
  case OP_remi: return remi(e, w, x[0], x[1]);
  case OP_maxi:
  case OP_mini: return extreme(e, w, x[0], x[1]);
  case OP_cmpi: return compare(e, w, x[0], x[1]);
  case OP_shli:
  case OP_shri: return shift(e, w, x[0], x[1]);
  case OP_andi: return i_and(e, x[0], x[1]);
  case OP_ori: return i_or(e, x[0], x[1]);
  default: return i_xor(e, x[0], x[1]);
  }
}
