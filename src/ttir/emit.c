/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations of Tile IR, made in short.
 */
#include "base/stack.h"
#include "num/num.h"
#include "ttir/lower.h"

bool tt_refuse(lowering *l, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  sbuf b = SBUF(l->temp);
  sbuf_vprintf(&b, fmt, args);
  const char *text = b.data;
  va_end(args);
  place at = ir_place(l->m, l->loc);
  uint32_t offset = l->op ? l->op->offset : 0, length = l->op ? (uint32_t)l->op->name.len : 1;
  if (!at.line) return tt_fail(l->r, offset, length, "%s", text);
  diag_error(l->m->ctx, at, "%s", text);
  place here = {.src = l->m->source, .length = length};
  source_position(l->m->source, offset, &here.line, &here.column);
  diag_note(l->m->ctx, here, "which became this operation");
  return false;
}

bool tt_has_stack(lowering *l) {
  return stack_has(STACK_FOR_NESTING) ||
         tt_refuse(l, "nested too deeply for the stack of this thread");
}

ir_op *tt_emit_op(lowering *l, const ir_op_spec *spec) {
  ir_op_spec s = *spec;
  s.loc = l->loc;
  ir_op *op = ir_op_create(l->m, &s);
  ir_op_append(l->block, op);
  return op;
}

ir_value *tt_emit(lowering *l, op_code opcode, const ir_type *type, uint32_t n,
                  ir_value *const *operands) {
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = opcode,
                                          .n_operands = n,
                                          .operands = operands,
                                          .n_results = 1,
                                          .result_types = &type});
  return ir_result(op, 0);
}

ir_value *tt_emit1(lowering *l, op_code opcode, const ir_type *type, ir_value *a) {
  return tt_emit(l, opcode, type, 1, &a);
}

ir_value *tt_emit2(lowering *l, op_code opcode, const ir_type *type, ir_value *a, ir_value *b) {
  return tt_emit(l, opcode, type, 2, (ir_value *[]){a, b});
}

/* ---- types and constants --------------------------------------------------------------------- */

const ir_type *tt_tile(lowering *l, tsr_elem elem, uint32_t rank, const int64_t *shape) {
  return ir_tile(l->m, elem, TSR_ELEM_COUNT, rank, shape);
}

const ir_type *tt_like(lowering *l, const ir_type *t, tsr_elem elem) {
  return tt_tile(l, elem, t->rank, t->shape);
}

ir_value *tt_constant(lowering *l, const ir_type *t, uint64_t pattern) {
  uint64_t data[2] = {0};
  num_store_array(data, &pattern, (tsr_elem)t->elem, 0, 1);
  uint32_t size = (uint32_t)tsr_elem_storage((tsr_elem)t->elem, 1);
  ir_value *v = tt_emit(l, OP_constant, t, 0, NULL);
  ir_set_attr(ir_defining_op(v), ATTR_value,
              (ir_attr){.dense = ir_dense_create(l->m, t, true, data, size)});
  return v;
}

ir_value *tt_int(lowering *l, const ir_type *t, int64_t value) {
  return tt_constant(l, t, (uint64_t)value & num_mask(tsr_elem_bits((tsr_elem)t->elem)));
}

ir_value *tt_real(lowering *l, const ir_type *t, double value) {
  return tt_constant(l, t, num_encode(num_format_of((tsr_elem)t->elem), value, NUM_NEAREST_EVEN));
}

/* ---- shapes -----------------------------------------------------------------------------------
 */

ir_value *tt_reshape(lowering *l, ir_value *v, uint32_t rank, const int64_t *shape) {
  const ir_type *t = ir_tile_reshaped(l->m, v->type, rank, shape);
  return t == v->type ? v : tt_emit1(l, OP_reshape, t, v);
}

ir_value *tt_broadcast(lowering *l, ir_value *v, uint32_t rank, const int64_t *shape) {
  const ir_type *t = ir_tile_reshaped(l->m, v->type, rank, shape);
  return t == v->type ? v : tt_emit1(l, OP_broadcast, t, v);
}

ir_value *tt_splat(lowering *l, ir_value *v, uint32_t rank, const int64_t *shape) {
  int64_t ones[IR_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) ones[i] = 1;
  return tt_broadcast(l, tt_reshape(l, v, rank, ones), rank, shape);
}

ir_value *tt_along(lowering *l, ir_value *v, uint32_t dim, uint32_t rank, const int64_t *shape) {
  int64_t line[IR_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) line[i] = i == dim ? shape[i] : 1;
  return tt_broadcast(l, tt_reshape(l, v, rank, line), rank, shape);
}

ir_value *tt_iota(lowering *l, tsr_elem elem, int64_t count) {
  return tt_emit(l, OP_iota, tt_tile(l, elem, 1, &count), 0, NULL);
}

/* ---- elements ---------------------------------------------------------------------------------
 */

ir_value *tt_compare(lowering *l, ir_cmp_predicate p, bool is_signed, ir_value *a, ir_value *b) {
  ir_value *v = tt_emit2(l, OP_cmpi, tt_like(l, a->type, TSR_I1), a, b);
  tt_with(v, ATTR_comparison_predicate, p);
  return tt_with(v, ATTR_signedness, is_signed ? SIGN_SIGNED : SIGN_UNSIGNED);
}

ir_value *tt_convert_int(lowering *l, ir_value *v, tsr_elem elem, bool is_signed) {
  unsigned from = tsr_elem_bits((tsr_elem)v->type->elem), to = tsr_elem_bits(elem);
  const ir_type *t = tt_like(l, v->type, elem);
  if (from == to) return v;
  if (from > to) return tt_emit1(l, OP_trunci, t, v);
  return tt_with(tt_emit1(l, OP_exti, t, v), ATTR_signedness,
                 is_signed ? SIGN_SIGNED : SIGN_UNSIGNED);
}

ir_value *tt_is_nan(lowering *l, ir_value *v) {
  ir_value *unequal = tt_emit2(l, OP_cmpf, tt_like(l, v->type, TSR_I1), v, v);
  tt_with(unequal, ATTR_comparison_predicate, CMP_NOT_EQUAL);
  return tt_with(unequal, ATTR_comparison_ordering, CMP_UNORDERED);
}

/* NaN stays NaN, as in Triton; Tile IR's conversion to f8E4M3FN makes it the largest number. */
ir_value *tt_round_float(lowering *l, ir_value *v, tsr_elem elem, ir_rounding mode) {
  enum { NAN_E4M3 = 0x7f };
  ir_value *result = tt_emit1(l, OP_ftof, tt_like(l, v->type, elem), v);
  if (mode != ROUND_NEAREST_EVEN) tt_with(result, ATTR_rounding_mode, mode);
  if (elem != TSR_F8E4M3FN) return result;
  return tt_select(l, tt_is_nan(l, v), tt_constant(l, result->type, NAN_E4M3), result);
}

ir_value *tt_float(lowering *l, ir_value *v, tsr_elem elem) {
  return v->type->elem == elem ? v : tt_round_float(l, v, elem, ROUND_NEAREST_EVEN);
}

ir_value *tt_select(lowering *l, ir_value *c, ir_value *a, ir_value *b) {
  return tt_emit(l, OP_select, a->type, 3, (ir_value *[]){c, a, b});
}

/* ---- reductions -------------------------------------------------------------------------------
 */

static const ir_type *without(lowering *l, const ir_type *t, uint32_t dim) {
  int64_t shape[IR_MAX_RANK];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < t->rank; i++)
    if (i != dim) shape[rank++] = t->shape[i];
  return ir_tile_reshaped(l->m, t, rank, shape);
}

ir_value *tt_reduce(lowering *l, ir_value *v, uint32_t dim, op_code code, uint64_t identity) {
  const ir_type *t = without(l, v->type, dim), *one = ir_scalar(l->m, (tsr_elem)t->elem);
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = OP_reduce,
                                          .n_operands = 1,
                                          .operands = &v,
                                          .n_results = 1,
                                          .result_types = &t,
                                          .n_regions = 1});
  ir_scalars *first =
      arena_alloc_zero(&l->m->arena, sizeof *first + sizeof(struct ir_scalar_const), 8);
  first->len = 1;
  first->data[0] = (struct ir_scalar_const){.elem = t->elem, .bits = identity};
  ir_set_int(op, ATTR_dim, dim);
  ir_set_attr(op, ATTR_identities, (ir_attr){.scalars = first});
  ir_block *outer = l->block;
  l->block = ir_region_create(l->m, op, 0, 2, (const ir_type *[]){one, one});
  ir_value *both = tt_emit2(l, code, one, &l->block->args[0], &l->block->args[1]);
  if (code == OP_maxi || code == OP_mini) tt_with(both, ATTR_signedness, SIGN_SIGNED);
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_yield, .n_operands = 1, .operands = &both});
  l->block = outer;
  return ir_result(op, 0);
}

/* ---- operands and results ----------------------------------------------------------------------
 */

ir_value *tt_use(lowering *l, const tt_op *op, uint32_t i) {
  ir_value *v = i < op->n_operands ? op->operands[i]->now : NULL;
  if (v) return v;
  if (i >= op->n_operands)
    tt_refuse(l, "'" STR_FMT "' lacks an operand", STR_ARG(op->name));
  else if (op->operands[i]->type.is_descriptor)
    tt_refuse(l, "'" STR_FMT "' with a tensor descriptor", STR_ARG(op->name));
  else
    tt_refuse(l, "'%%" STR_FMT "' has no value here: it is made on another path",
              STR_ARG(op->operands[i]->name));
  return NULL;
}

const ir_type *tt_result_tile(const tt_op *op, uint32_t i) {
  return i < op->n_results && !op->results[i].type.is_descriptor ? op->results[i].type.tile : NULL;
}

/* Names of TTIR are those of Tile IR's text. */
static void keep_name(lowering *l, ir_value *v, str name) {
  bool number = name.len && name.data[0] >= '0' && name.data[0] <= '9';
  if (!v->name && !number) ir_set_name(l->m, v, name);
}

bool tt_set(lowering *l, tt_op *op, uint32_t i, ir_value *v) {
  if (!v || i >= op->n_results) return v != NULL;
  tt_value *result = &op->results[i];
  if (v->type != result->type.tile || result->type.is_descriptor)
    return tt_refuse(l, "'" STR_FMT "' gives %s, but its result is written as %s",
                     STR_ARG(op->name), ir_type_text(l->temp, v->type),
                     ir_type_text(l->temp, result->type.tile));
  keep_name(l, v, result->name);
  result->now = v;
  return true;
}

int64_t tt_int_attr(const tt_op *op, const char *name, int64_t otherwise) {
  const tt_attr *a = tt_find_attr(op->attrs, name);
  return a && a->kind == TT_INT ? a->i : otherwise;
}

int tt_enum(lowering *l, const tt_op *op, const char *attr, unsigned word, const char *const *names,
            unsigned n) {
  const tt_attr *a = tt_find_attr(op->attrs, attr);
  if (a && a->kind == TT_INT && a->i >= 0 && a->i < n) return (int)a->i;
  str text = a && a->kind == TT_WORD ? a->text : (str){0};
  if (!a && word < op->n_words) text = op->words[word].text;
  for (unsigned i = 0; i < n; i++)
    if (text.data && str_is(text, names[i])) return (int)i;
  tt_refuse(l, "'" STR_FMT "': its '%s' is not known", STR_ARG(op->name), attr);
  return -1;
}
