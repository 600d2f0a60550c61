/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of libdevice on integers.
 */
#include <float.h>

#include "ttir/compose.h"

static ir_value *with(lowering *l, op_code code, ir_value *v, uint64_t constant) {
  return tt_binary(l, code, v, tt_int(l, v->type, (int64_t)constant));
}

static ir_value *shift_right(lowering *l, ir_value *v, unsigned by, bool is_signed) {
  return tt_with(with(l, OP_shri, v, by), ATTR_signedness, is_signed ? SIGN_SIGNED : SIGN_UNSIGNED);
}

static unsigned bits_of(const ir_value *v) {
  return tsr_elem_bits((tsr_elem)v->type->elem);
}

/* ---- counting bits ------------------------------------------------------------------------------
 */

/* Sums of bits, of pairs, of nibbles, and of all bytes by a product. */
static ir_value *count_bits(lowering *l, ir_value *v) {
  const uint64_t ones = 0x5555555555555555, pairs = 0x3333333333333333,
                 nibbles = 0x0f0f0f0f0f0f0f0f, bytes = 0x0101010101010101;
  v = tt_binary(l, OP_subi, v, with(l, OP_andi, shift_right(l, v, 1, false), ones));
  ir_value *high = with(l, OP_andi, shift_right(l, v, 2, false), pairs);
  v = tt_binary(l, OP_addi, with(l, OP_andi, v, pairs), high);
  v = with(l, OP_andi, tt_binary(l, OP_addi, v, shift_right(l, v, 4, false)), nibbles);
  v = shift_right(l, with(l, OP_muli, v, bytes), bits_of(v) - 8, false);
  return tt_convert_int(l, v, TSR_I32, false);
}

ir_value *tt_popc(lowering *l, ir_value *const *v) {
  return count_bits(l, v[0]);
}

ir_value *tt_clz(lowering *l, ir_value *const *v) {
  ir_value *x = v[0];
  for (unsigned by = 1; by < bits_of(x); by *= 2)
    x = tt_binary(l, OP_ori, x, shift_right(l, x, by, false));
  return count_bits(l, with(l, OP_xori, x, UINT64_MAX));
}

/* The number of the lowest bit, from 1; 0 when there is none. */
ir_value *tt_ffs(lowering *l, ir_value *const *v) {
  ir_value *below = tt_binary(l, OP_xori, v[0], with(l, OP_subi, v[0], 1)),
           *n = count_bits(l, below);
  ir_value *zero = tt_compare(l, CMP_EQUAL, false, v[0], tt_int(l, v[0]->type, 0));
  return tt_select(l, zero, tt_int(l, n->type, 0), n);
}

ir_value *tt_brev(lowering *l, ir_value *const *v) {
  static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                   0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  ir_value *x = v[0];
  for (unsigned i = 0; 1u << i < bits_of(x); i++) {
    ir_value *high = with(l, OP_andi, shift_right(l, x, 1u << i, false), masks[i]);
    x = tt_binary(l, OP_ori, high, with(l, OP_shli, with(l, OP_andi, x, masks[i]), 1u << i));
  }
  return x;
}

/* Bytes of x and y, each chosen by four bits of s, of which the highest asks for its sign instead.
 */
ir_value *tt_byte_perm(lowering *l, ir_value *const *v) {
  enum { BYTES = 4, BYTE = 8 };
  ir_value *low = tt_convert_int(l, v[0], TSR_I64, false), *sum = NULL;
  ir_value *high = with(l, OP_shli, tt_convert_int(l, v[1], TSR_I64, false), 32);
  ir_value *both = tt_binary(l, OP_ori, low, high), *s = tt_convert_int(l, v[2], TSR_I64, false);
  for (unsigned i = 0; i < BYTES; i++) {
    ir_value *choice = shift_right(l, s, BYTES * i, false);
    ir_value *at = with(l, OP_muli, with(l, OP_andi, choice, 7), BYTE);
    ir_value *b = tt_with(tt_binary(l, OP_shri, both, at), ATTR_signedness, SIGN_UNSIGNED);
    ir_value *sign =
        with(l, OP_muli, with(l, OP_andi, shift_right(l, b, BYTE - 1, false), 1), 0xff);
    ir_value *asked = with(l, OP_andi, choice, 8);
    asked = tt_compare(l, CMP_NOT_EQUAL, false, asked, tt_int(l, asked->type, 0));
    b = with(l, OP_shli, tt_select(l, asked, sign, with(l, OP_andi, b, 0xff)), BYTE * i);
    sum = sum ? tt_binary(l, OP_ori, sum, b) : b;
  }
  return tt_convert_int(l, sum, TSR_I32, false);
}

/* ---- arithmetic ---------------------------------------------------------------------------------
 */

enum { OVER = 8 }; /* bits of 32 above 24 */

static ir_value *low_24(lowering *l, ir_value *v, bool is_signed) {
  return shift_right(l, with(l, OP_shli, v, OVER), OVER, is_signed);
}

ir_value *tt_mul24(lowering *l, ir_value *const *v) {
  return tt_binary(l, OP_muli, low_24(l, v[0], true), low_24(l, v[1], true));
}
ir_value *tt_umul24(lowering *l, ir_value *const *v) {
  return tt_binary(l, OP_muli, low_24(l, v[0], false), low_24(l, v[1], false));
}

/* Half of a sum that may have a bit more than its terms: what both have, and half of the rest. */
static ir_value *half_of_sum(lowering *l, ir_value *const *v, bool is_signed, bool up) {
  ir_value *rest = shift_right(l, tt_binary(l, OP_xori, v[0], v[1]), 1, is_signed);
  ir_value *both = tt_binary(l, up ? OP_ori : OP_andi, v[0], v[1]);
  return tt_binary(l, up ? OP_subi : OP_addi, both, rest);
}

ir_value *tt_hadd(lowering *l, ir_value *const *v) {
  return half_of_sum(l, v, true, false);
}
ir_value *tt_uhadd(lowering *l, ir_value *const *v) {
  return half_of_sum(l, v, false, false);
}
ir_value *tt_rhadd(lowering *l, ir_value *const *v) {
  return half_of_sum(l, v, true, true);
}
ir_value *tt_urhadd(lowering *l, ir_value *const *v) {
  return half_of_sum(l, v, false, true);
}

/* The distance of two numbers, and a third one. */
static ir_value *distance_and(lowering *l, ir_value *const *v, bool is_signed) {
  ir_value *above = tt_compare(l, CMP_GREATER, is_signed, v[0], v[1]);
  ir_value *down = tt_binary(l, OP_subi, v[0], v[1]), *up = tt_binary(l, OP_subi, v[1], v[0]);
  return tt_binary(l, OP_addi, tt_select(l, above, down, up), v[2]);
}

ir_value *tt_sad(lowering *l, ir_value *const *v) {
  return distance_and(l, v, true);
}
ir_value *tt_usad(lowering *l, ir_value *const *v) {
  return distance_and(l, v, false);
}

/* ---- halves of numbers of 64 bits ---------------------------------------------------------------
 */

ir_value *tt_double_high(lowering *l, ir_value *const *v) {
  return tt_convert_int(l, shift_right(l, tt_bits_of(l, v[0]), 32, false), TSR_I32, false);
}
ir_value *tt_double_low(lowering *l, ir_value *const *v) {
  return tt_convert_int(l, tt_bits_of(l, v[0]), TSR_I32, false);
}

static ir_value *high_half(lowering *l, ir_value *x) {
  ir_value *bits = tt_bits_of(l, x), *mask = tt_int(l, bits->type, -(INT64_C(1) << 32));
  ir_value *high = tt_of_bits(l, tt_binary(l, OP_andi, bits, mask), x);
  ir_value *zero = tt_copy_sign(l, tt_number(l, x, 0), x);
  return tt_select(l, tt_below(l, tt_unary(l, OP_absf, x), DBL_MIN), zero, high);
}

ir_value *tt_double_of_halves(lowering *l, ir_value *const *v) {
  ir_value *high = with(l, OP_shli, tt_convert_int(l, v[0], TSR_I64, false), 32);
  ir_value *bits = tt_binary(l, OP_ori, high, tt_convert_int(l, v[1], TSR_I64, false));
  return tt_emit1(l, OP_bitcast, tt_like(l, bits->type, TSR_F64), bits);
}

/* The reciprocal of the upper half of the bits, of which the upper half is kept. Numbers below the
 * normal ones are zeros. */
ir_value *tt_half_reciprocal(lowering *l, ir_value *const *v) {
  ir_value *x = high_half(l, v[0]), *one = tt_number(l, x, 1);
  return high_half(l, tt_binary(l, OP_divf, one, x));
}
