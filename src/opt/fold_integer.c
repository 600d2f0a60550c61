/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Identities of integers, of masks, of select, and of conversions between integers and pointers.
 * Constants stand on the right where the operands may be exchanged.
 */
#include "num/num.h"
#include "opt/fold.h"

static unsigned width_of(const ir_value *v) {
  return tsr_elem_bits((tsr_elem)v->type->elem);
}
static bool is_signed(const ir_op *op) {
  return ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
}
static bool wraps(const ir_op *op) {
  return ir_int_attr(op, ATTR_overflow) == OVERFLOW_NONE;
}
static bool is_ones(const ir_value *v) {
  return is_splat_of(v, num_mask(width_of(v)));
}
static ir_value *operand(const ir_op *op, uint32_t i) {
  return ir_operand(op, i);
}

/* (x OP a) OP b with constants: x OP (a OP b). */
static ir_value *reassociate(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), (op_code)op->opcode);
  uint64_t a, b;
  if (!inner || !splat_of(operand(op, 1), &b) || !splat_of(operand(inner, 1), &a)) return NULL;
  bool has_flags = ir_attr_slot((op_code)op->opcode, ATTR_overflow) >= 0;
  if (has_flags && (!wraps(op) || !wraps(inner))) return NULL;
  unsigned width = width_of(operand(op, 1));
  switch (op->opcode) {
  case OP_addi: a = num_addi(a, b, width); break;
  case OP_muli: a = num_muli(a, b, width); break;
  case OP_andi: a &= b; break;
  case OP_ori: a |= b; break;
  default: a ^= b; break;
  }
  ir_value *constant = rewrite_splat(f->m, op, operand(op, 1)->type, a);
  fold_set_operand(f, op, 0, operand(inner, 0));
  fold_set_operand(f, op, 1, constant);
  return NULL;
}

static ir_value *fold_addi(folder *f, ir_op *op) {
  return is_splat_of(operand(op, 1), 0) ? operand(op, 0) : reassociate(f, op);
}

static ir_value *fold_subi(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  uint64_t by;
  if (is_splat_of(y, 0)) return x;
  if (x == y) return fold_splat(f, op, 0);
  if (!wraps(op) || !splat_of(y, &by)) return NULL;
  ir_value *minus = rewrite_splat(f->m, op, y->type, num_negi(by, width_of(y)));
  return fold_make(f, op, OP_addi, 2, (ir_value *[]){x, minus});
}

static ir_value *fold_muli(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  if (is_splat_of(y, 0)) return y;
  if (is_splat_of(y, 1)) return x;
  return reassociate(f, op);
}

static ir_value *fold_mulhii(folder *f, ir_op *op) {
  ir_value *y = operand(op, 1);
  if (is_splat_of(y, 0)) return y;
  return is_splat_of(y, 1) ? fold_splat(f, op, 0) : NULL;
}

/* By 1. (A signed i1 has no 1.) */
static ir_value *fold_division(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  if (!is_splat_of(y, 1) || (is_signed(op) && width_of(y) == 1)) return NULL;
  return op->opcode == OP_divi ? x : fold_splat(f, op, 0);
}

static ir_value *fold_extreme(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  unsigned width = width_of(x);
  uint64_t low = is_signed(op) ? UINT64_C(1) << (width - 1) : 0;
  uint64_t high = num_mask(width) ^ low, bound;
  (void)f;
  if (x == y) return x;
  if (!splat_of(y, &bound)) return NULL;
  if (op->opcode == OP_mini) { /* as a maximum with the ends exchanged */
    uint64_t t = low;
    low = high;
    high = t;
  }
  return bound == low ? x : bound == high ? y : NULL;
}

static ir_value *fold_andi(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  if (x == y || is_ones(y)) return x;
  return is_splat_of(y, 0) ? y : reassociate(f, op);
}

static ir_value *fold_ori(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  if (x == y || is_splat_of(y, 0)) return x;
  return is_ones(y) ? y : reassociate(f, op);
}

static ir_value *fold_xori(folder *f, ir_op *op) {
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  if (x == y) return fold_splat(f, op, 0);
  return is_splat_of(y, 0) ? x : reassociate(f, op);
}

static ir_value *fold_shift(folder *f, ir_op *op) {
  (void)f;
  return is_splat_of(operand(op, 1), 0) ? operand(op, 0) : NULL;
}

static ir_value *fold_negi(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), OP_negi);
  (void)f;
  return inner && wraps(op) && wraps(inner) ? operand(inner, 0) : NULL;
}

static ir_value *fold_absi(folder *f, ir_op *op) {
  (void)f;
  return made_by(operand(op, 0), OP_absi) ? operand(op, 0) : NULL;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

static ir_value *fold_cmpi(folder *f, ir_op *op) {
  static const uint8_t exchanged[] = {CMP_EQUAL,         CMP_NOT_EQUAL, CMP_GREATER,
                                      CMP_GREATER_EQUAL, CMP_LESS,      CMP_LESS_EQUAL};
  ir_value *x = operand(op, 0), *y = operand(op, 1);
  int64_t predicate = ir_int_attr(op, ATTR_comparison_predicate);
  if (x == y)
    return fold_splat(f, op,
                      predicate == CMP_EQUAL || predicate == CMP_LESS_EQUAL ||
                          predicate == CMP_GREATER_EQUAL);
  if (constant_of(x) && !constant_of(y)) {
    ir_set_operand(op, 0, y);
    ir_set_operand(op, 1, x);
    ir_set_int(op, ATTR_comparison_predicate, exchanged[predicate]);
    f->changes++;
    return NULL;
  }
  if (!is_signed(op) && is_splat_of(y, 0)) { /* nothing is less than 0 */
    if (predicate == CMP_LESS) return fold_splat(f, op, 0);
    if (predicate == CMP_GREATER_EQUAL) return fold_splat(f, op, 1);
  }
  if (width_of(x) > 1) return NULL;
  bool same = (predicate == CMP_EQUAL && is_splat_of(y, 1)) ||
              (predicate == CMP_NOT_EQUAL && is_splat_of(y, 0));
  return same ? x : NULL;
}

/* ---- select --------------------------------------------------------------------------------- */

/* x of `x xor true`. */
static ir_value *negated(const ir_value *v) {
  ir_op *op = made_by(v, OP_xori);
  return op && width_of(v) == 1 && is_splat_of(operand(op, 1), 1) ? operand(op, 0) : NULL;
}

static ir_value *make_not(folder *f, ir_op *op, ir_value *c) {
  ir_value *yes = rewrite_splat(f->m, op, c->type, 1);
  return ir_result(rewrite_make(f->m, op, OP_xori, c->type, 2, (ir_value *[]){c, yes}), 0);
}

static ir_value *extend_mask(folder *f, ir_op *op, ir_value *mask) {
  ir_value *v = fold_make(f, op, OP_exti, 1, &mask);
  ir_set_int(v->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return v;
}

/* A select between 0 and 1: the mask itself, its opposite, or one of them widened. */
static ir_value *select_bits(folder *f, ir_op *op) {
  ir_value *c = operand(op, 0), *t = operand(op, 1), *e = operand(op, 2);
  if (!tsr_elem_is_int((tsr_elem)t->type->elem)) return NULL;
  bool opposite = is_splat_of(t, 0) && is_splat_of(e, 1);
  if (!opposite && !(is_splat_of(t, 1) && is_splat_of(e, 0))) return NULL;
  ir_value *mask = opposite ? make_not(f, op, c) : c;
  return width_of(t) == 1 ? mask : extend_mask(f, op, mask);
}

/* What an equality decides between is equal when it holds. */
static ir_value *select_equal(const ir_op *op) {
  const ir_op *cmp = made_by(operand(op, 0), OP_cmpi);
  ir_value *t = operand(op, 1), *e = operand(op, 2);
  if (!cmp) return NULL;
  ir_value *x = operand(cmp, 0), *y = operand(cmp, 1);
  if (!((x == t && y == e) || (x == e && y == t))) return NULL;
  int64_t predicate = ir_int_attr(cmp, ATTR_comparison_predicate);
  return predicate == CMP_EQUAL ? e : predicate == CMP_NOT_EQUAL ? t : NULL;
}

static ir_value *fold_select(folder *f, ir_op *op) {
  ir_value *c = operand(op, 0), *t = operand(op, 1), *e = operand(op, 2), *opposite = negated(c);
  uint64_t known;
  if (t == e) return t;
  if (splat_of(c, &known)) return known ? t : e;
  if (opposite) {
    fold_set_operand(f, op, 0, opposite);
    fold_set_operand(f, op, 1, e);
    fold_set_operand(f, op, 2, t);
    return NULL;
  }
  ir_op *inner = made_by(t, OP_select);
  if (inner && operand(inner, 0) == c) {
    fold_set_operand(f, op, 1, operand(inner, 1));
    return NULL;
  }
  inner = made_by(e, OP_select);
  if (inner && operand(inner, 0) == c) {
    fold_set_operand(f, op, 2, operand(inner, 2));
    return NULL;
  }
  ir_value *v = select_equal(op);
  return v ? v : select_bits(f, op);
}

/* ---- conversions ---------------------------------------------------------------------------- */

static ir_value *fold_exti(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), OP_exti);
  if (!inner || (is_signed(inner) && !is_signed(op))) return NULL;
  /* What was widened without sign has a zero where its sign is. */
  ir_set_int(op, ATTR_signedness, ir_int_attr(inner, ATTR_signedness));
  fold_set_operand(f, op, 0, operand(inner, 0));
  return NULL;
}

static ir_value *fold_trunci(folder *f, ir_op *op) {
  ir_op *wide = made_by(operand(op, 0), OP_exti), *trunc = made_by(operand(op, 0), OP_trunci);
  if (trunc && wraps(op) && wraps(trunc)) {
    fold_set_operand(f, op, 0, operand(trunc, 0));
    return NULL;
  }
  if (!wide) return NULL;
  ir_value *x = operand(wide, 0);
  unsigned to = width_of(ir_result(op, 0)), from = width_of(x);
  if (to == from) return x;
  if (to < from) { /* its promise, if any, is about the same bits */
    if (wraps(op)) fold_set_operand(f, op, 0, x);
    return NULL;
  }
  ir_value *v = fold_make(f, op, OP_exti, 1, &x);
  rewrite_copy_attrs(v->owner.op, wide);
  return v;
}

static ir_value *fold_bitcast(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), (op_code)op->opcode); /* bitcast or ptr_to_ptr */
  if (operand(op, 0)->type == ir_result(op, 0)->type) return operand(op, 0);
  bool keeps = operand(op, 0)->type->elem != TSR_TF32; /* tf32 drops bits */
  if (inner && keeps) fold_set_operand(f, op, 0, operand(inner, 0));
  return NULL;
}

static ir_value *fold_int_to_ptr(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), OP_ptr_to_int);
  if (!inner) return NULL;
  ir_value *p = operand(inner, 0);
  return p->type == ir_result(op, 0)->type ? p : fold_make(f, op, OP_ptr_to_ptr, 1, &p);
}

static ir_value *fold_ptr_to_int(folder *f, ir_op *op) {
  ir_op *cast = made_by(operand(op, 0), OP_ptr_to_ptr),
        *inner = made_by(operand(op, 0), OP_int_to_ptr);
  if (inner) return operand(inner, 0);
  if (cast) fold_set_operand(f, op, 0, operand(cast, 0));
  return NULL;
}

/* By nothing, or twice by constants whose sum has no other meaning. (Two 4-bit elements share an
 * address, so that there two odd offsets are less than their sum.) */
static ir_value *fold_offset(folder *f, ir_op *op) {
  ir_value *p = operand(op, 0), *by = operand(op, 1);
  ir_op *inner = made_by(p, OP_offset);
  uint64_t a, b;
  if (is_splat_of(by, 0)) return p;
  if (!inner || operand(inner, 1)->type != by->type ||
      tsr_elem_bits((tsr_elem)p->type->pointee) == 4)
    return NULL;
  if (!splat_of(by, &b) || !splat_of(operand(inner, 1), &a)) return NULL;
  unsigned width = width_of(by);
  if (num_addi_overflows(a, b, width, true)) return NULL;
  ir_value *sum = rewrite_splat(f->m, op, by->type, num_addi(a, b, width));
  fold_set_operand(f, op, 0, operand(inner, 0));
  fold_set_operand(f, op, 1, sum);
  return NULL;
}

/* ---- all of them ---------------------------------------------------------------------------- */

ir_value *fold_integer(folder *f, ir_op *op) {
  switch (op->opcode) {
  case OP_addi: return fold_addi(f, op);
  case OP_subi: return fold_subi(f, op);
  case OP_muli: return fold_muli(f, op);
  case OP_mulhii: return fold_mulhii(f, op);
  case OP_divi:
  case OP_remi: return fold_division(f, op);
  case OP_maxi:
  case OP_mini: return fold_extreme(f, op);
  case OP_andi: return fold_andi(f, op);
  case OP_ori: return fold_ori(f, op);
  case OP_xori: return fold_xori(f, op);
  case OP_shli:
  case OP_shri: return fold_shift(f, op);
  case OP_negi: return fold_negi(f, op);
  case OP_absi: return fold_absi(f, op);
  case OP_cmpi: return fold_cmpi(f, op);
  case OP_select: return fold_select(f, op);
  case OP_exti: return fold_exti(f, op);
  case OP_trunci: return fold_trunci(f, op);
  case OP_bitcast:
  case OP_ptr_to_ptr: return fold_bitcast(f, op);
  case OP_int_to_ptr: return fold_int_to_ptr(f, op);
  case OP_ptr_to_int: return fold_ptr_to_int(f, op);
  case OP_offset: return fold_offset(f, op);
  default: return NULL;
  }
}
