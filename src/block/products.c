/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/products.h"

#include <tessera/layout.h>

#include "opt/rewrite.h"

/* What reshape, permute and reshape make of a tile. */
typedef struct reordering {
  ir_value *of;
  const ir_type *cut; /* the tile with its dimensions cut into digits */
  const ir_ints *permutation;
} reordering;

/* convert_layout is its operand by now. */
static ir_value *origin(ir_value *v) {
  for (ir_op *op; (op = ir_defining_op(v)) && op->opcode == OP_convert_layout;)
    v = ir_operand(op, 0);
  return v;
}

static ir_op *made_by(ir_value *v, op_code opcode) {
  ir_op *op = ir_defining_op(origin(v));
  return op && op->opcode == opcode ? op : NULL;
}

static bool find_reordering(ir_value *v, reordering *out) {
  const ir_op *outer = made_by(v, OP_reshape);
  const ir_op *permute = outer ? made_by(ir_operand(outer, 0), OP_permute) : NULL;
  const ir_op *inner = permute ? made_by(ir_operand(permute, 0), OP_reshape) : NULL;
  if (!inner) return false;
  *out = (reordering){.of = origin(ir_operand(inner, 0)),
                      .cut = ir_result(inner, 0)->type,
                      .permutation = ir_get_attr(permute, ATTR_permutation)->ints};
  return true;
}

static ir_value *make(const block_lowering *x, ir_op *at, op_code opcode, const ir_type *t,
                      ir_value *v) {
  return v->type == t ? v : ir_result(rewrite_make(x->m, at, opcode, t, 1, &v), 0);
}

/* ---- the order of columns ------------------------------------------------------------------- */

/* Whether rows stay rows, and columns columns in another order. */
static bool reorders_columns(const reordering *r, const ir_value *v) {
  return v->type->rank == 2 && ir_same_shape(r->of->type, v->type) && r->cut->rank > 1 &&
         r->cut->shape[0] == v->type->shape[0] && r->permutation->data[0] == 0;
}

static bool reorders_alike(const reordering *a, const reordering *b) {
  if (a->cut->rank != b->cut->rank) return false;
  for (unsigned d = 1; d < a->cut->rank; d++)
    if (a->cut->shape[d] != b->cut->shape[d] || a->permutation->data[d] != b->permutation->data[d])
      return false;
  return true;
}

static ir_value *reordered(const block_lowering *x, ir_op *at, ir_value *v, const reordering *r) {
  const ir_type *cut = ir_tile(x->m, (tsr_elem)v->type->elem, 0, r->cut->rank, r->cut->shape);
  int64_t shape[TSR_LAYOUT_MAX_RANK];
  for (unsigned d = 0; d < cut->rank; d++) shape[d] = cut->shape[r->permutation->data[d]];
  const ir_type *turned = ir_tile(x->m, (tsr_elem)v->type->elem, 0, cut->rank, shape);
  ir_value *digits = make(x, at, OP_reshape, cut, v);
  ir_op *permute = rewrite_make(x->m, at, OP_permute, turned, 1, &digits);
  ir_set_attr(permute, ATTR_permutation, (ir_attr){.ints = r->permutation});
  return ir_result(rewrite_make(x->m, at, OP_reshape, v->type, 1, (ir_value *[]){permute->results}),
                   0);
}

static ir_value *product_of(const block_lowering *x, ir_op *like, ir_value *lhs, ir_value *rhs,
                            ir_value *acc) {
  ir_op *made =
      rewrite_make(x->m, like, (op_code)like->opcode, acc->type, 3, (ir_value *[]){lhs, rhs, acc});
  rewrite_copy_attrs(made, like);
  return ir_result(made, 0);
}

static ir_value *in_order(const block_lowering *x, ir_op *op) {
  reordering rhs, acc;
  if (!find_reordering(ir_operand(op, 1), &rhs) || !reorders_columns(&rhs, ir_operand(op, 1)) ||
      !find_reordering(ir_operand(op, 2), &acc) || !reorders_columns(&acc, ir_operand(op, 2)) ||
      !reorders_alike(&rhs, &acc))
    return NULL;
  return reordered(x, op, product_of(x, op, ir_operand(op, 0), rhs.of, acc.of), &acc);
}

/* What was put in another order and back. */
static ir_value *put_back(ir_op *op) {
  reordering outer, inner;
  if (!find_reordering(ir_result(op, 0), &outer) || !find_reordering(outer.of, &inner)) return NULL;
  unsigned rank = inner.cut->rank;
  if (outer.cut->rank != rank || inner.of->type != ir_result(op, 0)->type) return NULL;
  for (unsigned d = 0; d < rank; d++) {
    int64_t by = outer.permutation->data[d];
    if (inner.permutation->data[by] != d || outer.cut->shape[by] != inner.cut->shape[d])
      return NULL;
  }
  return inner.of;
}

/* ---- rows that are repeated ----------------------------------------------------------------- */

/* The row that a tile repeats, as a tile of one row; NULL. */
static ir_value *row_of(const block_lowering *x, ir_op *at, ir_value *v) {
  const ir_op *outer = made_by(v, OP_reshape);
  const ir_op *repeat = made_by(outer ? ir_operand(outer, 0) : v, OP_broadcast);
  if (!repeat || v->type->rank != 2) return NULL;
  ir_value *row = origin(ir_operand(repeat, 0));
  const ir_type *all = ir_result(repeat, 0)->type;
  if (all->shape[0] != v->type->shape[0] || row->type->shape[0] != 1) return NULL;
  for (unsigned d = 1; d < all->rank; d++)
    if (row->type->shape[d] != all->shape[d]) return NULL;
  int64_t shape[] = {1, v->type->shape[1]};
  const ir_type *t = ir_tile(x->m, (tsr_elem)v->type->elem, 0, 2, shape);
  const ir_op *made = made_by(row, OP_reshape);
  if (made && origin(ir_operand(made, 0))->type == t) return origin(ir_operand(made, 0));
  return make(x, at, OP_reshape, t, row);
}

static ir_value *of_one_row(const block_lowering *x, ir_op *op) {
  ir_value *lhs = ir_operand(op, 0), *acc = ir_operand(op, 2);
  if (acc->type->rank != 2 || acc->type->shape[0] == 1) return NULL;
  lhs = row_of(x, op, lhs);
  acc = lhs ? row_of(x, op, acc) : NULL;
  if (!acc) return NULL;
  return make(x, op, OP_broadcast, ir_result(op, 0)->type,
              product_of(x, op, lhs, ir_operand(op, 1), acc));
}

/* Some rows of a tile that repeats one, with all their columns. */
static ir_value *rows_of(const block_lowering *x, ir_op *op) {
  ir_value *v = origin(ir_operand(op, 0));
  const ir_type *t = ir_result(op, 0)->type;
  if (t->rank != 2 || t->shape[1] != v->type->shape[1]) return NULL;
  ir_value *row = row_of(x, op, v);
  return row ? make(x, op, OP_broadcast, t, row) : NULL;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static ir_value *simplified(const block_lowering *x, ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_mmaf:
  case OP_mmai: {
    ir_value *ordered = in_order(x, op);
    return ordered ? ordered : of_one_row(x, op);
  }
  case OP_reshape: return put_back(op);
  case OP_extract: return rows_of(x, op);
  default: return NULL;
  }
}

static void simplify_block(const block_lowering *x, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) simplify_block(x, op->regions[r]);
    ir_op *before = op->prev;
    ir_value *v = simplified(x, op);
    if (v) rewrite_replace_op(op, &v);
    /* What was made is looked at, too. */
    next = !v ? op->next : before ? before->next : b->first;
  }
}

void products_simplify(const block_lowering *x) {
  simplify_block(x, x->entry->regions[0]);
}
