/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of libdevice that look at the exponent or the bits of a number.
 */
#include "num/num.h"
#include "ttir/compose.h"

static const num_format *format_of(const ir_value *v) {
  return num_format_of((tsr_elem)v->type->elem);
}

static ir_value *truth(lowering *l, ir_value *v) {
  return tt_convert_int(l, v, TSR_I32, false);
}

/* 2 to the power of an integer that lies in the range of normal exponents. */
static ir_value *power_of_two(lowering *l, ir_value *n, const ir_value *like) {
  const num_format *f = format_of(like);
  tsr_elem bits = like->type->elem == TSR_F64 ? TSR_I64 : TSR_I32;
  n = tt_convert_int(l, n, bits, true);
  n = tt_binary(l, OP_addi, n, tt_int(l, n->type, f->bias));
  return tt_of_bits(l, tt_binary(l, OP_shli, n, tt_int(l, n->type, f->mantissa_bits)), like);
}

static ir_value *within(lowering *l, ir_value *n, int64_t least, int64_t most) {
  n = tt_with(tt_binary(l, OP_maxi, n, tt_int(l, n->type, least)), ATTR_signedness, SIGN_SIGNED);
  return tt_with(tt_binary(l, OP_mini, n, tt_int(l, n->type, most)), ATTR_signedness, SIGN_SIGNED);
}

/* x times 2 to the power of n, rounded once: the steps before the last one are exact, as those down
 * leave room for a whole mantissa. */
ir_value *tt_ldexp(lowering *l, ir_value *const *v) {
  enum { STEPS = 2 };
  const num_format *f = format_of(v[0]);
  int64_t most = f->bias, least = 1 - f->bias, down = least + f->mantissa_bits + 1;
  ir_value *x = v[0], *n = within(l, v[1], 3 * down, 3 * most);
  for (unsigned i = 0; i < STEPS; i++) {
    ir_value *step = within(l, n, down, most);
    ir_value *far = tt_compare(l, CMP_LESS, true, n, tt_int(l, n->type, least));
    ir_value *high = tt_compare(l, CMP_GREATER, true, n, tt_int(l, n->type, most));
    step = tt_select(l, tt_binary(l, OP_ori, far, high), step, tt_int(l, n->type, 0));
    x = tt_binary(l, OP_mulf, x, power_of_two(l, step, x));
    n = tt_binary(l, OP_subi, n, step);
  }
  return tt_binary(l, OP_mulf, x, power_of_two(l, within(l, n, least, most), x));
}

/* The exponent of a finite number that is not zero, as i32: subnormal ones are scaled first. */
static ir_value *exponent_of(lowering *l, ir_value *x) {
  const num_format *f = format_of(x);
  ir_value *a = tt_unary(l, OP_absf, x), *small = tt_below(l, a, ldexp(1, 1 - f->bias));
  ir_value *scaled = tt_binary(l, OP_mulf, a, tt_number(l, a, ldexp(1, f->mantissa_bits)));
  ir_value *bits = tt_bits_of(l, tt_select(l, small, scaled, a));
  bits = tt_binary(l, OP_shri, bits, tt_int(l, bits->type, f->mantissa_bits));
  tt_with(bits, ATTR_signedness, SIGN_UNSIGNED);
  ir_value *n = tt_convert_int(l, bits, TSR_I32, true);
  ir_value *less = tt_select(l, small, tt_int(l, n->type, f->bias + f->mantissa_bits),
                             tt_int(l, n->type, f->bias));
  return tt_binary(l, OP_subi, n, less);
}

static ir_value *is_infinite(lowering *l, ir_value *x) {
  return tt_compare_real(l, CMP_EQUAL, tt_unary(l, OP_absf, x), tt_number(l, x, INFINITY));
}

static ir_value *is_zero(lowering *l, ir_value *x) {
  return tt_compare_real(l, CMP_EQUAL, x, tt_number(l, x, 0));
}

ir_value *tt_ilogb(lowering *l, ir_value *const *v) {
  ir_value *n = exponent_of(l, v[0]);
  ir_value *least = tt_int(l, n->type, INT32_MIN), *most = tt_int(l, n->type, INT32_MAX);
  n = tt_select(l, is_infinite(l, v[0]), most, n);
  return tt_select(l, tt_binary(l, OP_ori, is_zero(l, v[0]), tt_is_nan(l, v[0])), least, n);
}

ir_value *tt_logb(lowering *l, ir_value *const *v) {
  ir_value *x = v[0], *n = tt_emit1(l, OP_itof, x->type, exponent_of(l, x));
  tt_with(n, ATTR_signedness, SIGN_SIGNED);
  n = tt_select(l, is_infinite(l, x), tt_number(l, x, INFINITY), n);
  n = tt_select(l, is_zero(l, x), tt_number(l, x, -INFINITY), n);
  return tt_select(l, tt_is_nan(l, x), x, n);
}

ir_value *tt_signbit(lowering *l, ir_value *const *v) {
  ir_value *bits = tt_bits_of(l, v[0]);
  return truth(l, tt_compare(l, CMP_LESS, true, bits, tt_int(l, bits->type, 0)));
}

static ir_value *sign_of(lowering *l, ir_value *v) {
  return tt_copy_sign(l, tt_number(l, v, 1), v);
}

/* By bits: away from zero is up by one, from zero it is to the smallest number. */
ir_value *tt_nextafter(lowering *l, ir_value *const *v) {
  ir_value *x = v[0], *to = v[1], *bits = tt_bits_of(l, x), *one = tt_int(l, bits->type, 1);
  ir_value *smaller =
      tt_compare_real(l, CMP_GREATER, tt_unary(l, OP_absf, x), tt_unary(l, OP_absf, to));
  ir_value *across = tt_compare_real(l, CMP_NOT_EQUAL, sign_of(l, x), sign_of(l, to));
  ir_value *down = tt_binary(l, OP_subi, bits, one), *up = tt_binary(l, OP_addi, bits, one);
  ir_value *next = tt_select(l, tt_binary(l, OP_ori, smaller, across), down, up);
  ir_value *least = tt_copy_sign(l, tt_of_bits(l, one, x), to);
  ir_value *y = tt_select(l, is_zero(l, x), least, tt_of_bits(l, next, x));
  y = tt_select(l, tt_compare_real(l, CMP_EQUAL, x, to), to, y);
  ir_value *nan = tt_binary(l, OP_ori, tt_is_nan(l, x), tt_is_nan(l, to));
  return tt_select(l, nan, tt_number(l, x, NAN), y);
}

/* What is left of x / y where the quotient is rounded to nearest, ties to even; exact. The
 * remainder by 2 * y tells whether the quotient is even. */
ir_value *tt_remainder(lowering *l, ir_value *const *v) {
  ir_value *y = tt_unary(l, OP_absf, v[1]), *a = tt_unary(l, OP_absf, v[0]);
  ir_value *rest = tt_binary(l, OP_remf, a, tt_binary(l, OP_addf, y, y));
  ir_value *once = tt_compare_real(l, CMP_GREATER, rest, tt_binary(l, OP_subf, y, rest));
  rest = tt_select(l, once, tt_binary(l, OP_subf, rest, y), rest);
  ir_value *twice = tt_compare_real(l, CMP_GREATER_EQUAL, rest, tt_binary(l, OP_subf, y, rest));
  twice = tt_binary(l, OP_andi, once, twice);
  rest = tt_select(l, twice, tt_binary(l, OP_subf, rest, y), rest);
  ir_value *bad = tt_binary(l, OP_ori, is_infinite(l, a), tt_is_nan(l, y));
  rest = tt_select(l, bad, tt_number(l, a, NAN), rest);
  return tt_select(l, tt_below(l, sign_of(l, v[0]), 0), tt_unary(l, OP_negf, rest), rest);
}

/* The positive difference. */
ir_value *tt_fdim(lowering *l, ir_value *const *v) {
  ir_value *d = tt_binary(l, OP_subf, v[0], v[1]);
  ir_value *not_above = tt_compare_real(l, CMP_LESS_EQUAL, v[0], v[1]);
  return tt_select(l, not_above, tt_number(l, d, 0), d);
}

/* Between 0 and 1; NaN becomes 0. */
ir_value *tt_saturate(lowering *l, ir_value *const *v) {
  ir_value *x = tt_binary(l, OP_maxf, v[0], tt_number(l, v[0], 0));
  return tt_binary(l, OP_minf, x, tt_number(l, x, 1));
}
