/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Moving elements about, views, assumptions, tokens.
 */
#include "num/num.h"
#include "opt/fold.h"

static ir_value *operand(const ir_op *op, uint32_t i) {
  return ir_operand(op, i);
}

/* ---- one move of all elements --------------------------------------------------------------- */

/* Two reshapes, or two broadcasts, are one. */
static ir_value *fold_chain(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), (op_code)op->opcode);
  if (operand(op, 0)->type == ir_result(op, 0)->type) return operand(op, 0);
  if (inner) fold_set_operand(f, op, 0, operand(inner, 0));
  return NULL;
}

static const ir_ints *permutation_of(const ir_op *op) {
  return ir_get_attr(op, ATTR_permutation)->ints;
}

static ir_value *fold_permute(folder *f, ir_op *op) {
  const ir_ints *outer = permutation_of(op);
  ir_op *inner = made_by(operand(op, 0), OP_permute);
  bool identity = true;
  for (uint32_t d = 0; d < outer->len; d++) identity &= outer->data[d] == d;
  if (identity) return operand(op, 0);
  if (!inner) return NULL;
  ir_ints *both = arena_alloc(&f->m->arena, sizeof *both + outer->len * sizeof(int64_t), 8);
  both->len = outer->len;
  for (uint32_t d = 0; d < outer->len; d++)
    both->data[d] = permutation_of(inner)->data[outer->data[d]];
  ir_set_attr(op, ATTR_permutation, (ir_attr){.ints = both});
  fold_set_operand(f, op, 0, operand(inner, 0));
  return NULL;
}

static ir_value *fold_unpack(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), op->opcode == OP_pack ? OP_unpack : OP_pack);
  (void)f;
  if (!inner || operand(inner, 0)->type != ir_result(op, 0)->type) return NULL;
  return operand(inner, 0);
}

/* ---- extract -------------------------------------------------------------------------------- */

/* The slice of one half that a slice of two joined tiles is. */
static ir_value *extract_from_cat(folder *f, ir_op *op, ir_op *cat) {
  const ir_type *t = ir_result(op, 0)->type, *lhs = operand(cat, 0)->type,
                *rhs = operand(cat, 1)->type;
  int64_t dim = ir_int_attr(cat, ATTR_dim), index, size = t->shape[dim], first = lhs->shape[dim];
  if (!ir_constant_int(operand(op, 1 + (uint32_t)dim), &index)) return NULL;
  if (index < 0 || index >= operand(op, 0)->type->shape[dim] / size) return NULL;
  if ((index + 1) * size <= first) {
    if (first % size == 0) fold_set_operand(f, op, 0, operand(cat, 0));
    return NULL;
  }
  int64_t start = index * size - first;
  if (start < 0 || start % size || rhs->shape[dim] % size) return NULL;
  ir_value *moved =
      rewrite_splat(f->m, op, operand(op, 1 + (uint32_t)dim)->type, (uint64_t)(start / size));
  fold_set_operand(f, op, 0, operand(cat, 1));
  fold_set_operand(f, op, 1 + (uint32_t)dim, moved);
  return NULL;
}

/* The slice that has just been put there. */
static ir_value *extract_from_insert(const ir_op *op, const ir_op *insert) {
  if (operand(insert, 0)->type != ir_result(op, 0)->type) return NULL;
  for (uint32_t i = 1; i < op->n_operands; i++)
    if (operand(op, i) != operand(insert, i + 1)) return NULL;
  return operand(insert, 0);
}

static ir_value *fold_insert(folder *f, ir_op *op) {
  ir_op *inner = made_by(operand(op, 1), OP_insert);
  bool same = inner && operand(inner, 0)->type == operand(op, 0)->type;
  for (uint32_t i = 2; i < op->n_operands && same; i++) same = operand(op, i) == operand(inner, i);
  if (same) fold_set_operand(f, op, 1, operand(inner, 1)); /* what was there is replaced again */
  if (operand(op, 0)->type != ir_result(op, 0)->type) return NULL;
  for (uint32_t i = 2; i < op->n_operands; i++)
    if (!is_splat_of(operand(op, i), 0)) return NULL;
  return operand(op, 0); /* there is one slice */
}

static ir_value *fold_extract(folder *f, ir_op *op) {
  ir_op *cat = made_by(operand(op, 0), OP_cat), *insert = made_by(operand(op, 0), OP_insert);
  ir_value *put = insert ? extract_from_insert(op, insert) : NULL;
  if (put) return put;
  if (operand(op, 0)->type == ir_result(op, 0)->type) { /* there is one slice */
    for (uint32_t i = 1; i < op->n_operands; i++)
      if (!is_splat_of(operand(op, i), 0)) return NULL;
    return operand(op, 0);
  }
  return cat ? extract_from_cat(f, op, cat) : NULL;
}

ir_value *fold_shape(folder *f, ir_op *op) {
  switch (op->opcode) {
  case OP_reshape:
  case OP_broadcast: return fold_chain(f, op);
  case OP_permute: return fold_permute(f, op);
  case OP_extract: return fold_extract(f, op);
  case OP_insert: return fold_insert(f, op);
  case OP_pack:
  case OP_unpack: return fold_unpack(f, op);
  default: return NULL;
  }
}

/* ---- assumptions and tokens ----------------------------------------------------------------- */

bool same_predicate(const ir_predicate *a, const ir_predicate *b) {
  if (a->kind != b->kind || a->has_every != b->has_every || a->has_lower != b->has_lower ||
      a->has_upper != b->has_upper)
    return false;
  switch ((ir_predicate_kind)a->kind) {
  case IR_DIV_BY:
    return a->divisor == b->divisor &&
           (!a->has_every || (a->every == b->every && a->along == b->along));
  case IR_BOUNDED:
    return (!a->has_lower || a->lower == b->lower) && (!a->has_upper || a->upper == b->upper);
  default:
    return a->values->len == b->values->len &&
           memcmp(a->values->data, b->values->data, a->values->len * sizeof(int64_t)) == 0;
  }
}

static ir_value *fold_assume(ir_op *op) {
  ir_op *inner = made_by(operand(op, 0), OP_assume);
  if (!inner) return NULL;
  bool same = same_predicate(ir_get_attr(op, ATTR_predicate)->predicate,
                             ir_get_attr(inner, ATTR_predicate)->predicate);
  return same ? operand(op, 0) : NULL;
}

ir_value *fold_misc(folder *f, ir_op *op) {
  if (op->opcode == OP_assume) return fold_assume(op);
  return op->opcode == OP_join_tokens ? fold_join(f, op) : NULL;
}

/* ---- shapes of views ------------------------------------------------------------------------ */

/* Replaces one of several results. */
static void settle(folder *f, ir_op *op, uint32_t i, ir_value *v) {
  rewrite_replace_value(ir_result(op, i), v);
  f->changes++;
}

static void settle_number(folder *f, ir_op *op, uint32_t i, uint64_t number) {
  ir_value *r = ir_result(op, i);
  unsigned width = tsr_elem_bits((tsr_elem)r->type->elem);
  if (r->uses) settle(f, op, i, rewrite_splat(f->m, op, r->type, num_wrap(number, width)));
}

/* Extents that the type says; the others are operands of make_tensor_view. */
static void fold_tensor_shape(folder *f, ir_op *op) {
  const ir_type *t = operand(op, 0)->type;
  ir_op *view = made_by(operand(op, 0), OP_make_tensor_view);
  uint32_t dynamic = 1;
  for (unsigned d = 0; d < t->rank; d++) {
    ir_value *r = ir_result(op, d);
    if (t->shape[d] != IR_DYNAMIC)
      settle_number(f, op, d, (uint64_t)t->shape[d]);
    else if (view && operand(view, dynamic)->type == r->type && r->uses)
      settle(f, op, d, operand(view, dynamic));
    dynamic += t->shape[d] == IR_DYNAMIC;
  }
}

static void fold_index_space(folder *f, ir_op *op) {
  const ir_type *t = operand(op, 0)->type;
  for (unsigned d = 0; d < t->rank; d++) {
    unsigned dim = t->kind == IR_GATHER_SCATTER_VIEW ? d : (unsigned)t->dim_map[d];
    int64_t extent = t->view->shape[dim], step = 1;
    if (t->kind == IR_PARTITION_VIEW) step = t->shape[d];
    if (t->kind == IR_STRIDED_VIEW) step = t->strides[d];
    if (extent == IR_DYNAMIC || extent < 0 || step <= 0) continue;
    settle_number(f, op, d, (uint64_t)extent / (uint64_t)step + (extent % step != 0));
  }
}

/* ---- masks ---------------------------------------------------------------------------------- */

static void drop_group(ir_op *op, unsigned group) {
  uint32_t n, first = 0;
  for (unsigned g = 0; g < group; g++) first += op->segments[g];
  n = op->segments[group];
  if (n == 1) rewrite_keep_operands(op, first, 1, (bool[]){false}, group);
}

static void drop_true_mask(folder *f, ir_op *op, unsigned mask) {
  ir_value *v = ir_operand_in(op, mask);
  if (!v || !is_splat_of(v, 1)) return;
  if (op->opcode == OP_load_ptr_tko) drop_group(op, 2); /* padding that nothing takes */
  drop_group(op, mask);
  f->changes++;
}

/* A weak store that stores nothing. */
static bool drop_false_store(folder *f, ir_op *op) {
  ir_value *mask = ir_operand_in(op, 2), *token = ir_operand_in(op, 3);
  if (!mask || !is_splat_of(mask, 0)) return false;
  if (ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK) return false;
  if (!token) token = fold_make(f, op, OP_make_token, 0, NULL);
  rewrite_replace_op(op, &token);
  f->changes++;
  return true;
}

bool fold_effect(folder *f, ir_op *op) {
  switch (op->opcode) {
  case OP_get_tensor_shape: fold_tensor_shape(f, op); return false;
  case OP_get_index_space_shape: fold_index_space(f, op); return false;
  case OP_load_ptr_tko: drop_true_mask(f, op, 1); return false;
  case OP_store_ptr_tko: drop_true_mask(f, op, 2); return drop_false_store(f, op);
  case OP_atomic_cas_tko: drop_true_mask(f, op, 3); return false;
  case OP_atomic_rmw_tko: drop_true_mask(f, op, 2); return false;
  case OP_assert:
    if (!is_splat_of(operand(op, 0), 1)) return false;
    ir_op_erase(op);
    f->changes++;
    return true;
  default: return false;
  }
}
