/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shapes: what moves elements and computes nothing.
 */
#include "ttir/lower.h"

bool tt_lower_range(lowering *l, tt_op *op) {
  const ir_type *t = tt_result_tile(op, 0);
  int64_t start = tt_int_attr(op, "start", 0);
  if (!t) return true;
  if (t->rank != 1 || !tsr_elem_is_int((tsr_elem)t->elem))
    return tt_refuse(l, "'tt.make_range' gives %s", ir_type_text(l->temp, t));
  ir_value *v = tt_iota(l, (tsr_elem)t->elem, t->count);
  if (start) v = tt_emit2(l, OP_addi, t, v, tt_int(l, t, start));
  return tt_set(l, op, 0, v);
}

bool tt_lower_splat(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0);
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || !t) return v != NULL;
  if (v->type->count != 1) return tt_refuse(l, "'tt.splat' of more than one element");
  return tt_set(l, op, 0, tt_splat(l, v, t->rank, t->shape));
}

/* The operand in the shape of the result, itself where that is its own. */
static bool shape_anew(lowering *l, tt_op *op,
                       ir_value *(*shaped)(lowering *l, ir_value *v, uint32_t rank,
                                           const int64_t *shape)) {
  ir_value *v = tt_use(l, op, 0);
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || !t) return v != NULL;
  if (v->type != t) return tt_set(l, op, 0, shaped(l, v, t->rank, t->shape));
  op->results[0].now = v;
  return true;
}

bool tt_lower_reshape(lowering *l, tt_op *op) {
  return shape_anew(l, op, tt_reshape);
}
bool tt_lower_broadcast(lowering *l, tt_op *op) {
  return shape_anew(l, op, tt_broadcast);
}

static ir_value *permute(lowering *l, ir_value *v, const ir_type *t, const int64_t *order) {
  ir_ints *list = arena_alloc_zero(&l->m->arena, sizeof *list + t->rank * sizeof(int64_t), 8);
  list->len = t->rank;
  memcpy(list->data, order, t->rank * sizeof(int64_t));
  ir_value *out = tt_emit1(l, OP_permute, t, v);
  ir_set_attr(ir_defining_op(out), ATTR_permutation, (ir_attr){.ints = list});
  return out;
}

bool tt_lower_trans(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0);
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || !t) return v != NULL;
  const tt_attr *order = tt_find_attr(op->attrs, "order");
  if (!order || order->kind != TT_INTS || order->n_ints != t->rank || t->rank != v->type->rank)
    return tt_refuse(l, "'tt.trans' needs an order of all dimensions");
  return tt_set(l, op, 0, permute(l, v, t, order->ints));
}

/* ---- joining and splitting
 * ----------------------------------------------------------------------- */

static ir_value *cat(lowering *l, ir_value *a, ir_value *b, uint32_t dim, const ir_type *t) {
  return tt_with(tt_emit2(l, OP_cat, t, a, b), ATTR_dim, dim);
}

bool tt_lower_cat(lowering *l, tt_op *op) {
  ir_value *a = tt_use(l, op, 0), *b = a ? tt_use(l, op, 1) : NULL;
  const ir_type *t = tt_result_tile(op, 0);
  if (!b || !t) return b != NULL;
  uint32_t dim = 0;
  while (dim + 1 < t->rank && a->type->rank == t->rank && a->type->shape[dim] == t->shape[dim])
    dim++;
  return tt_set(l, op, 0, cat(l, a, b, dim, t));
}

/* A new last dimension of size 2. */
bool tt_lower_join(lowering *l, tt_op *op) {
  ir_value *a = tt_use(l, op, 0), *b = a ? tt_use(l, op, 1) : NULL;
  const ir_type *t = tt_result_tile(op, 0);
  if (!b || !t) return b != NULL;
  if (t->rank != a->type->rank + 1 || t->count != 2 * a->type->count || a->type != b->type)
    return tt_refuse(l, "'tt.join' of %s gives no %s", ir_type_text(l->temp, a->type),
                     ir_type_text(l->temp, t));
  int64_t shape[IR_MAX_RANK];
  memcpy(shape, t->shape, t->rank * sizeof *shape);
  shape[t->rank - 1] = 1;
  return tt_set(
      l, op, 0,
      cat(l, tt_reshape(l, a, t->rank, shape), tt_reshape(l, b, t->rank, shape), t->rank - 1u, t));
}

static ir_value *slice(lowering *l, ir_value *v, uint32_t index) {
  const ir_type *t = v->type;
  ir_value *operands[IR_MAX_RANK + 1] = {v};
  const ir_type *i32 = ir_scalar(l->m, TSR_I32);
  int64_t shape[IR_MAX_RANK];
  memcpy(shape, t->shape, t->rank * sizeof *shape);
  shape[t->rank - 1] = 1;
  for (uint32_t i = 0; i < t->rank; i++)
    operands[1 + i] = tt_int(l, i32, i + 1u == t->rank ? index : 0);
  return tt_emit(l, OP_extract, ir_tile_reshaped(l->m, t, t->rank, shape), t->rank + 1u, operands);
}

bool tt_lower_split(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0);
  if (!v) return false;
  const ir_type *t = v->type;
  if (!t->rank || t->rank == IR_MAX_RANK || t->shape[t->rank - 1] != 2)
    return tt_refuse(l, "'tt.split' of %s: its last dimension is not 2", ir_type_text(l->temp, t));
  for (uint32_t i = 0; i < MIN(op->n_results, 2u); i++)
    if (!tt_set(l, op, i, tt_reshape(l, slice(l, v, i), t->rank - 1u, t->shape))) return false;
  return true;
}
