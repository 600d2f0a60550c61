/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The types with the layouts that were found, and what stands where two layouts meet: a
 * convert_layout behind the value, once for all uses, or the operations that compute the value from
 * constants and indices once more.
 */
#include <string.h>

#include "ir/block/infer.h"
#include "ir/block/product.h"
#include "ir/rules.h"

/* ---- types ---------------------------------------------------------------------------------- */

static const char *value_text(infer *x, const ir_value *v) {
  return v->name ? arena_printf(&x->scratch, "%%%s", v->name) : "this tile";
}

static void set_constant_type(infer *x, ir_op *op) {
  const ir_dense *old = ir_get_attr(op, ATTR_value)->dense;
  if (old->type == result_type(op, 0)) return;
  ir_dense *d = arena_new(&x->m->arena, ir_dense);
  *d = *old;
  d->type = result_type(op, 0);
  ir_set_attr(op, ATTR_value, (ir_attr){.dense = d});
}

static bool set_type(infer *x, const infer_value *row) {
  ir_value *v = row->value;
  const tsr_layout *l = infer_layout(x, v);
  if (!infer_needs(v->type)) return true;
  const ir_op *home = v->is_arg ? v->owner.block->parent : v->owner.op;
  if (!l)
    return rule_fail(x->m, home, "no layout is found for %s; state it: tile<…, layout>",
                     value_text(x, v));
  if (v->type->layout != l) v->type = ir_with_layout(x->m, v->type, l);
  return true;
}

void infer_set_constants(infer *x) {
  for (uint32_t i = 0; i < x->ops.len; i++)
    if (x->ops.data[i].op->opcode == OP_constant) set_constant_type(x, x->ops.data[i].op);
}

static bool set_types(infer *x) {
  bool ok = true;
  for (uint32_t i = 0; i < x->values.len; i++) ok &= set_type(x, &x->values.data[i]);
  infer_set_constants(x);
  return ok;
}

/* ---- one value in another layout ------------------------------------------------------------ */

/* Where what computes with the value may stand. */
static ir_op *behind(const ir_value *v) {
  return v->is_arg ? v->owner.block->first : v->owner.op->next;
}

static ir_value *made(infer *x, ir_op *where, ir_op *op) {
  ir_op_insert_before(where, op);
  infer_add_value(x, ir_result(op, 0));
  return ir_result(op, 0);
}

static ir_value *converted(infer *x, ir_value *v, const tsr_layout *l, ir_op *where) {
  const ir_type *type = ir_with_layout(x->m, v->type, l);
  ir_op_spec spec = {.opcode = OP_convert_layout,
                     .loc = v->is_arg ? where->loc : v->owner.op->loc,
                     .n_operands = 1,
                     .operands = &v,
                     .n_results = 1,
                     .result_types = &type};
  return made(x, where, ir_op_create(x->m, &spec));
}

/* The same operation in another layout. */
static ir_value *repeated(infer *x, const ir_op *op, const tsr_layout *l, ir_value **operands) {
  const ir_type *type = ir_with_layout(x->m, result_type(op, 0), l);
  ir_op_spec spec = {.opcode = (op_code)op->opcode,
                     .loc = op->loc,
                     .n_operands = op->n_operands,
                     .operands = operands,
                     .segments = op->segments,
                     .n_results = 1,
                     .result_types = &type};
  ir_op *copy = ir_op_create(x->m, &spec);
  memcpy(copy->attrs, op->attrs, op_n_attrs(ir_row(op)) * sizeof *op->attrs);
  copy->present = op->present;
  if (op->opcode == OP_constant) set_constant_type(x, copy);
  return made(x, op->next, copy);
}

/* By value and layout. */
static uintptr_t *remembered(infer *x, const ir_value *v, const tsr_layout *l) {
  uintptr_t *id = map_put(&x->scratch, &x->layout_ids, (uintptr_t)l);
  if (!*id) *id = ++x->n_layouts;
  return map_put(&x->scratch, &x->changed, (uint64_t)v->number << 32 | *id);
}

/* The value in that layout, for uses by `user` and, where it is placed right after the value,
 * others. No deeper than a value that is cheap has operations. */
static ir_value *in_layout(infer *x, ir_value *v, const tsr_layout *l, ir_op *user) {
  if (v->type->layout == l) return v;
  const ir_op *op = ir_defining_op(v);
  if (op && op->opcode == OP_group) return converted(x, v, l, user);
  uintptr_t known = *remembered(x, v, l);
  if (known) return (ir_value *)known;
  ir_value *out = NULL;
  if (x->values.data[v->number].cost) {
    ir_value **operands = arena_array(&x->scratch, ir_value *, op->n_operands + 1);
    bool ok = true;
    for (uint32_t i = 0; ok && i < op->n_operands; i++) {
      operands[i] = ir_operand(op, i);
      if (!infer_needs(operands[i]->type)) continue;
      const tsr_layout *need = infer_backward(x, op, i, l);
      ok = need;
      if (ok) operands[i] = in_layout(x, operands[i], need, user);
    }
    if (ok) out = repeated(x, op, l, operands);
  }
  if (!out) out = converted(x, v, l, behind(v));
  *remembered(x, v, l) = (uintptr_t)out;
  return out;
}

/* ---- edges ---------------------------------------------------------------------------------- */

static bool is_stated(infer *x, const ir_value *v) {
  return !infer_needs(v->type) || x->values.data[v->number].stated;
}

/* Whether both ends of the edge are the program's, which is right or an error, but converted by
 * nobody. */
static bool is_settled(infer *x, const ir_op *op, uint32_t operand) {
  const ir_value *target = infer_target(op, operand);
  bool all = is_stated(x, ir_operand(op, operand));
  if (target) return all && is_stated(x, target);
  for (uint32_t i = 0; all && i < op->n_results; i++) all = is_stated(x, ir_result(op, i));
  for (uint32_t i = 0; all && !op->n_results && i < op->n_operands; i++)
    all = is_stated(x, ir_operand(op, i));
  return all;
}

/* A reduction gives what its operand says; where the program states another layout, that is what
 * the others get. */
static void after_reduce(infer *x, ir_op *op) {
  for (uint32_t i = 0; i < op->n_results && !is_settled(x, op, 0); i++) {
    infer_rank rank;
    ir_value *v = ir_result(op, i);
    const tsr_layout *stated = v->type->layout, *natural = infer_forward(x, op, i, &rank);
    if (!stated || !natural || stated == natural) continue;
    v->type = ir_with_layout(x->m, v->type, natural);
    x->values.data[v->number].layout = natural;
    ir_value *out = converted(x, v, stated, op->next);
    ir_op *conversion = out->owner.op;
    ir_replace_uses(v, out);
    ir_set_operand(conversion, 0, v);
  }
}

static bool has_operand_fragments(const ir_op *op) {
  return (op->opcode == OP_mmaf || op->opcode == OP_mmai) && operand_type(op, 0)->rank == 2 &&
         operand_type(op, 1)->rank == 2 && operand_type(op, 2)->rank == 2 &&
         ir_product_instruction(op);
}

static bool join(infer *x, ir_op *op) {
  if (has_operand_fragments(op) && operand_type(op, 2) == result_type(op, 0)) return true;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    bool failed = false;
    ir_value *v = ir_operand(op, i);
    if (!infer_needs(v->type) || is_settled(x, op, i)) continue;
    const tsr_layout *need = infer_need(x, op, i, &failed);
    if (failed)
      return rule_fail_operand(x->m, op, i,
                               "no layout is found for %s that fits the result's; state the "
                               "layouts of both, or convert_layout one of them",
                               value_text(x, v));
    if (need && need != v->type->layout) ir_set_operand(op, i, in_layout(x, v, need, op));
  }
  if (op->opcode == OP_reduce) after_reduce(x, op);
  return true;
}

bool infer_apply(infer *x) {
  bool ok = set_types(x);
  for (uint32_t i = 0; ok && i < x->ops.len; i++) ok = join(x, x->ops.data[i].op);
  return ok;
}
