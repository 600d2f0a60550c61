/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Since when what exists: which version of the language an operation, an attribute's value or a
 * type needs.
 */
#include "ir/version.h"

static const uint8_t elems_since[TSR_ELEM_COUNT] = {
#define TSR_ELEM_INT(id, name, bits, stored, since, ...) [TSR_##id] = since,
#define TSR_ELEM_FLOAT(id, name, exponent, mantissa, padding, bias, nan, is_signed, has_zero,      \
                       saturates, nan_to_max, since, ...)                                          \
  [TSR_##id] = since,
#define TSR_ELEM_POINTER(id, ...) [TSR_##id] = V13_1,
#include <tessera/elem.def>
};

unsigned ir_elem_since(tsr_elem elem) {
  return elems_since[elem] ? elems_since[elem] : IN_NO_VERSION;
}

unsigned ir_type_since(const ir_type *t) {
  unsigned since = V13_1;
  if (t->kind == IR_FUNCTION) {
    for (uint32_t i = 0; i < t->n_inputs + t->n_results; i++)
      since = MAX(since, ir_type_since(t->params[i]));
    return since;
  }
  if (t->kind == IR_TOKEN) return since;
  if (t->kind == IR_STRIDED_VIEW || t->kind == IR_GATHER_SCATTER_VIEW) since = V13_3;
  if (t->ptr_attr || (t->view && t->view->ptr_attr)) since = V13_4;
  return MAX(since, ir_elem_since((tsr_elem)(t->elem == TSR_PTR ? t->pointee : t->elem)));
}

bool ir_any_true(const ir_ints *list) {
  for (uint32_t i = 0; list && i < list->len; i++)
    if (list->data[i]) return true;
  return false;
}

static int32_t highest_exponent(const num_format *f) {
  bool only_nan = f->nan == NUM_NAN_ALL_ONES && f->mantissa_bits == 0; /* has the highest */
  return (1 << f->exponent_bits) - 1 - f->has_inf - only_nan - f->bias;
}

/* The exponent of the smallest subnormal number. */
static int32_t lowest_bit(const num_format *f) {
  return f->has_zero - f->bias - f->mantissa_bits;
}

bool ir_ftof_is_widening(tsr_elem from, tsr_elem to) {
  const num_format *f = num_format_of(from), *t = num_format_of(to);
  return from != to && (t->is_signed || !f->is_signed) && (t->has_inf || !f->has_inf) &&
         (f->nan == NUM_NAN_NONE || (t->nan != NUM_NAN_NONE && !t->nan_to_max)) &&
         (t->nan != NUM_NAN_NEG_ZERO || f->nan == NUM_NAN_NEG_ZERO || !f->is_signed) &&
         (t->has_zero || !f->has_zero) && t->mantissa_bits >= f->mantissa_bits &&
         highest_exponent(t) >= highest_exponent(f) && lowest_bit(t) <= lowest_bit(f);
}

/* Before 13.4 ftof rounded in one way, but to f8E8M0FNU. */
static unsigned ftof_mode_since(const ir_op *op, int64_t mode) {
  if (ir_result(op, 0)->type->elem == TSR_F8E8M0FNU) return 0;
  return mode == ROUND_NEAREST_EVEN ? 0 : V13_4;
}

unsigned ir_attr_since(const ir_op *op, unsigned slot) {
  const op_row *row = ir_row(op);
  const op_attr *a = &row->attrs[slot];
  const ir_attr *value = &op->attrs[slot];
  unsigned since = a->since ? a->since : row->since;
  if (a->kind == AK_BOOLS) return ir_any_true(value->ints) ? since : 0;
  if (op->opcode == OP_ftof && a->kind == AK_ROUNDING) return ftof_mode_since(op, value->i);
  switch (a->optional) {
  case AO_DEFAULT: return value->i == a->value ? 0 : since;
  case AO_OPTIONAL: return op->present >> slot & 1 && (a->kind != AK_UNIT || value->i) ? since : 0;
  default: return since;
  }
}

/* Whether a loop stands between a return and its kernel. */
static bool returns_from_loop(const ir_op *op) {
  for (const ir_op *o = op->block ? op->block->parent : NULL; o;
       o = o->block ? o->block->parent : NULL)
    if (o->opcode == OP_loop) return true;
  return false;
}

unsigned ir_op_since(const ir_op *op) {
  if (op->opcode == OP_return && returns_from_loop(op)) return V13_4;
  if (op->opcode == OP_atomic_cas_tko && ELEMS_SWAPPED_OWN >> ir_result(op, 0)->type->elem & 1)
    return IN_NO_VERSION;
  return ir_row(op)->since;
}
