/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One element of every element-wise operation, by the number module. Nothing here traps: where the
 * language leaves a result undefined, the number module's choice stands (docs/numerics.md).
 */
#include "exec/scalar.h"

#include <math.h>

#include "base/invariant.h"
#include "num/num.h"

exec_elementwise exec_elementwise_of(const ir_op *op) {
  INVARIANT(ir_row(op)->traits & TRAIT_ELEMENTWISE && op->n_operands <= 3);
  exec_elementwise w = {.opcode = op->opcode,
                        .n_operands = (uint8_t)op->n_operands,
                        .result = ir_result(op, 0)->type->elem};
  for (uint32_t i = 0; i < op->n_operands; i++) w.operands[i] = ir_operand(op, i)->type->elem;
  if (op->opcode == OP_offset) w.pointee = ir_operand(op, 0)->type->pointee;
  const op_row *row = ir_row(op);
  for (int i = 0; i < OP_MAX_ATTRS && row->attrs[i].id != ATTR_NONE; i++) {
    uint8_t value = (uint8_t)ir_int_attr(op, (attr_id)row->attrs[i].id);
    switch (row->attrs[i].id) {
    case ATTR_rounding: /* divi */
    case ATTR_rounding_mode: w.rounding = value; break;
    case ATTR_signedness: w.signedness = value; break;
    case ATTR_comparison_predicate: w.predicate = value; break;
    case ATTR_comparison_ordering: w.ordering = value; break;
    case ATTR_overflow: w.overflow = value; break;
    case ATTR_flush_to_zero: w.flush_to_zero = value; break;
    case ATTR_propagate_nan: w.propagate_nan = value; break;
    case ATTR_saturating: w.saturating = value; break;
    default: break;
    }
  }
  return w;
}

/* ---- functions of the C library ------------------------------------------------------------- */

/* f16, bf16 and f32 are computed in double and rounded once; f64 is what the C library gives. */
static double math_function(op_code opcode, double x, double y) {
  switch (opcode) {
  case OP_rsqrt: return 1.0 / sqrt(x);
  case OP_exp: return exp(x);
  case OP_exp2: return exp2(x);
  case OP_log: return log(x);
  case OP_log2: return log2(x);
  case OP_pow: return pow(x, y);
  case OP_sin: return sin(x);
  case OP_cos: return cos(x);
  case OP_tan: return tan(x);
  case OP_sinh: return sinh(x);
  case OP_cosh: return cosh(x);
  case OP_tanh: return tanh(x);
  case OP_atan2: return atan2(x, y);
  default: return NAN;
  }
}

static uint64_t math(const exec_elementwise *w, const num_format *f, const uint64_t *x) {
  uint64_t a = w->flush_to_zero ? num_flush(f, x[0]) : x[0];
  double second = w->n_operands > 1 ? num_decode(f, x[1]) : 0;
  double value = math_function((op_code)w->opcode, num_decode(f, a), second);
  uint64_t result = num_encode(f, value, NUM_NEAREST_EVEN);
  return w->flush_to_zero ? num_flush(f, result) : result;
}

/* ---- operations with choices ---------------------------------------------------------------- */

static uint64_t divide_integers(const exec_elementwise *w, uint64_t a, uint64_t b, unsigned width) {
  bool is_signed = w->signedness == SIGN_SIGNED;
  switch (w->rounding) {
  case ROUND_NEGATIVE_INF: return num_divi_floor(a, b, width, is_signed);
  case ROUND_POSITIVE_INF: return num_divi_ceil(a, b, width, is_signed);
  default: return num_divi(a, b, width, is_signed);
  }
}

/* The offset is signed and counts elements. An address names a byte, so that of a 4-bit element is
 * its pair's: odd offsets round down. */
static uint64_t offset_pointer(const exec_elementwise *w, uint64_t pointer, uint64_t offset) {
  uint64_t elements = (uint64_t)num_sext(offset, tsr_elem_bits(w->operands[1]));
  unsigned bits = tsr_elem_bits(w->pointee);
  if (bits == 4) return pointer + (uint64_t)((int64_t)elements >> 1);
  if (num_shares_bytes(bits)) return exec_bit_pointer(exec_bit_address(pointer) + elements * bits);
  return pointer + elements * tsr_elem_storage(w->pointee, 1);
}

static uint64_t convert(const exec_elementwise *w, uint64_t a) {
  unsigned from = tsr_elem_bits(w->operands[0]), to = tsr_elem_bits(w->result);
  bool is_signed = w->signedness == SIGN_SIGNED;
  num_rounding rounding = (num_rounding)w->rounding;
  switch (w->opcode) {
  case OP_exti: return num_int_resize(a, from, to, is_signed);
  case OP_trunci: return num_wrap(a, to);
  case OP_ftof:
    return num_convert(num_format_of(w->result), num_format_of(w->operands[0]), a, rounding);
  case OP_ftoi:
    if (exec_is_truth(w)) return !num_is_zero(num_format_of(w->operands[0]), a);
    return num_to_int(num_format_of(w->operands[0]), a, to, is_signed, NUM_NEAREST_INT_TO_ZERO,
                      NULL);
  case OP_itof: return num_from_int(num_format_of(w->result), a, from, is_signed, rounding);
  case OP_bitcast: return w->result == TSR_TF32 ? a & ~UINT64_C(0x1fff) : a;
  default: return a; /* int_to_ptr, ptr_to_int, ptr_to_ptr */
  }
}

/* C's pow of an integer is pown: 1 for the exponent 0, the sign by the exponent's parity. An
 * exponent of 32 bits is exact as double. */
static uint64_t integer_power(const exec_elementwise *w, const num_format *f, uint64_t x,
                              uint64_t n) {
  int64_t exponent = num_sext(n, tsr_elem_bits((tsr_elem)w->operands[1]));
  return num_encode(f, pow(num_decode(f, x), (double)exponent), NUM_NEAREST_EVEN);
}

static uint64_t float_operation(const exec_elementwise *w, const num_format *f, const uint64_t *x) {
  num_rounding r = (num_rounding)w->rounding;
  bool ftz = w->flush_to_zero;
  switch (w->opcode) {
  case OP_absf: return num_abs(f, x[0]);
  case OP_negf: return num_neg(f, x[0]);
  case OP_ceil: return num_ceil(f, x[0]);
  case OP_floor: return num_floor(f, x[0]);
  case OP_sqrt: return num_sqrt(f, x[0], r, ftz);
  case OP_addf: return num_add(f, x[0], x[1], r, ftz);
  case OP_subf: return num_sub(f, x[0], x[1], r, ftz);
  case OP_mulf: return num_mul(f, x[0], x[1], r, ftz);
  case OP_divf: return num_div(f, x[0], x[1], r, ftz);
  case OP_remf: return num_rem(f, x[0], x[1]);
  case OP_fma: return num_fma(f, x[0], x[1], x[2], r, ftz);
  case OP_fpowi: return integer_power(w, f, x[0], x[1]);
  case OP_maxf: return num_max(f, x[0], x[1], w->propagate_nan, ftz);
  case OP_minf: return num_min(f, x[0], x[1], w->propagate_nan, ftz);
  case OP_cmpf:
    return num_compare(f, (num_predicate)w->predicate, w->ordering == CMP_ORDERED, x[0], x[1]);
  default: return math(w, f, x);
  }
}

static uint64_t integer_operation(const exec_elementwise *w, const uint64_t *x) {
  unsigned width = tsr_elem_bits(w->operands[0]);
  bool is_signed = w->signedness == SIGN_SIGNED;
  switch (w->opcode) {
  case OP_absi: return num_absi(x[0], width);
  case OP_negi: return num_negi(x[0], width);
  case OP_addi: return num_addi(x[0], x[1], width);
  case OP_subi: return num_subi(x[0], x[1], width);
  case OP_muli: return num_muli(x[0], x[1], width);
  case OP_mulhii: return num_mulhi_u(x[0], x[1], width);
  case OP_divi: return divide_integers(w, x[0], x[1], width);
  case OP_remi: return num_remi(x[0], x[1], width, is_signed);
  case OP_maxi: return num_maxi(x[0], x[1], width, is_signed);
  case OP_mini: return num_mini(x[0], x[1], width, is_signed);
  case OP_cmpi: return num_comparei((num_predicate)w->predicate, x[0], x[1], width, is_signed);
  case OP_shli: return num_shli(x[0], x[1], width);
  case OP_shri: return num_shri(x[0], x[1], width, is_signed);
  case OP_andi: return x[0] & x[1];
  case OP_ori: return x[0] | x[1];
  case OP_xori: return x[0] ^ x[1];
  default: INVARIANT(!"an operation without a meaning for one element"); return 0;
  }
}

uint64_t exec_scalar(const exec_elementwise *w, const uint64_t *x) {
  switch (op_table[w->opcode].group) {
  case GROUP_FLOAT: return float_operation(w, num_format_of(w->operands[0]), x);
  case GROUP_CONVERSION: return convert(w, x[0]);
  case GROUP_CORE:
    if (w->opcode == OP_select) return x[0] ? x[1] : x[2];
    return offset_pointer(w, x[0], x[1]);
  default: return integer_operation(w, x);
  }
}
