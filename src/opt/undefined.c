/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the language leaves undefined.
 */
#include "opt/undefined.h"

#include "num/num.h"
#include "opt/rewrite.h"

static bool divides(const exec_elementwise *w, const uint64_t *x, unsigned width) {
  bool too_large = w->signedness == SIGN_SIGNED && num_sext(x[0], width) == num_int_min(width) &&
                   num_sext(x[1], width) == -1;
  return x[1] != 0 && !too_large;
}

static bool overflows(const exec_elementwise *w, const uint64_t *x, unsigned width,
                      bool is_signed) {
  switch (w->opcode) {
  case OP_addi: return num_addi_overflows(x[0], x[1], width, is_signed);
  case OP_subi: return num_subi_overflows(x[0], x[1], width, is_signed);
  case OP_muli: return num_muli_overflows(x[0], x[1], width, is_signed);
  case OP_shli: return num_shli_overflows(x[0], x[1], width, is_signed);
  case OP_negi: return num_subi_overflows(0, x[0], width, is_signed);
  default: /* trunci */
    return !num_int_fits(num_int_value(x[0], width, is_signed), tsr_elem_bits((tsr_elem)w->result),
                         is_signed);
  }
}

static bool keeps_promise(const exec_elementwise *w, const uint64_t *x, unsigned width) {
  return !(w->overflow & OVERFLOW_NSW && overflows(w, x, width, true)) &&
         !(w->overflow & OVERFLOW_NUW && overflows(w, x, width, false));
}

bool is_defined(const exec_elementwise *w, const uint64_t *x) {
  unsigned width = tsr_elem_bits((tsr_elem)w->operands[0]);
  bool in_range;
  switch (w->opcode) {
  case OP_divi:
  case OP_remi: return divides(w, x, width);
  case OP_shli: return x[1] < width && keeps_promise(w, x, width);
  case OP_shri: return x[1] < width;
  case OP_addi:
  case OP_subi:
  case OP_muli:
  case OP_negi:
  case OP_trunci: return keeps_promise(w, x, width);
  case OP_ftoi:
    if (w->saturating || exec_is_truth(w)) return true;
    num_to_int(num_format_of((tsr_elem)w->operands[0]), x[0], tsr_elem_bits((tsr_elem)w->result),
               w->signedness == SIGN_SIGNED, NUM_NEAREST_INT_TO_ZERO, &in_range);
    return in_range;
  default: return true;
  }
}

/* A constant divisor of which no element is 0, nor -1 where that matters. */
static bool divides_by_constant(const ir_op *op, unsigned width) {
  const ir_dense *d = constant_of(ir_operand(op, 1));
  if (!d || !d->splat) return false;
  uint64_t by = ir_dense_get(d, 0);
  return by != 0 && (ir_int_attr(op, ATTR_signedness) == SIGN_UNSIGNED || by != num_mask(width));
}

/* extract, insert: whether the slice is known to be there. */
static bool has_slice(const ir_op *op, const ir_type *whole, const ir_type *slice, uint32_t first) {
  for (unsigned d = 0; d < whole->rank; d++) {
    int64_t index;
    if (!ir_constant_int(ir_operand(op, first + d), &index)) return false;
    if (index < 0 || index >= whole->shape[d] / slice->shape[d]) return false;
  }
  return true;
}

/* Of operations that may be speculated sometimes. */
static bool is_always_defined(const ir_op *op) {
  unsigned width = tsr_elem_bits((tsr_elem)ir_operand(op, 0)->type->elem);
  uint64_t by;
  switch (op->opcode) {
  case OP_divi:
  case OP_remi: return divides_by_constant(op, width);
  case OP_shli:
  case OP_shri: return splat_of(ir_operand(op, 1), &by) && by < width;
  case OP_ftoi: return ir_int_attr(op, ATTR_saturating);
  case OP_extract: return has_slice(op, ir_operand(op, 0)->type, ir_result(op, 0)->type, 1);
  case OP_insert: return has_slice(op, ir_operand(op, 1)->type, ir_operand(op, 0)->type, 2);
  default: return false;
  }
}

bool is_speculatable(const ir_op *op) {
  switch ((op_speculation)ir_row(op)->speculation) {
  case SPECULATE_ALWAYS: return true;
  case SPECULATE_SOMETIMES: return is_always_defined(op);
  default: return false;
  }
}
