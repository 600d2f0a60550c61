/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * reduce and scan whose steps are one, or all alike: along a dimension of one element, of a tile
 * that was broadcast along it, of a splat. What is left of them is their body, once, on whole
 * tiles.
 */
#include "ir/reduction.h"
#include "num/num.h"
#include "opt/fold.h"

enum { MAX_BODY = 64, MAX_OPERANDS = 8 };

/* ---- the body on tiles ----------------------------------------------------------------------- */

/* Whether all of the body is element-wise, on nothing from outside. */
static bool is_liftable(const ir_op *op) {
  const ir_block *body = op->regions[0];
  unsigned n = 0;
  if (op->n_operands > MAX_OPERANDS) return false;
  for (const ir_op *o = body->first; o != body->last; o = o->next) {
    bool constant = o->opcode == OP_constant;
    if (++n > MAX_BODY || (!constant && !(ir_row(o)->traits & TRAIT_ELEMENTWISE))) return false;
    if (o->n_results != 1 || o->n_regions || o->extra) return false;
    if (!fold_can_be_constant(ir_result(o, 0)->type)) return false;
    for (uint32_t i = 0; i < o->n_operands; i++)
      if (block_of(ir_operand(o, i)) != body) return false;
  }
  for (uint32_t i = 0; i < body->last->n_operands; i++)
    if (block_of(ir_operand(body->last, i)) != body) return false;
  return true;
}

/* What the body yields for these arguments, tiles of one shape, made before `at`. */
static void lift(folder *f, ir_op *at, ir_value *const *args, ir_value **out) {
  const ir_block *body = at->regions[0];
  const ir_type *shape = args[0]->type;
  value_map vm = {.arena = f->temp};
  for (uint32_t i = 0; i < body->n_args; i++) value_map_set(&vm, &body->args[i], args[i]);
  for (const ir_op *o = body->first; o != body->last; o = o->next) {
    const ir_type *t = ir_tile_like(f->m, shape, (tsr_elem)ir_result(o, 0)->type->elem);
    ir_value *v, *operands[4];
    if (o->opcode == OP_constant) {
      v = rewrite_splat(f->m, at, t, ir_dense_get(constant_of(ir_result(o, 0)), 0));
    } else {
      for (uint32_t i = 0; i < o->n_operands; i++)
        operands[i] = value_map_get(&vm, ir_operand(o, i));
      ir_op *made = rewrite_make(f->m, at, (op_code)o->opcode, t, o->n_operands, operands);
      rewrite_copy_attrs(made, o);
      v = ir_result(made, 0);
    }
    value_map_set(&vm, ir_result(o, 0), v);
  }
  for (uint32_t i = 0; i < body->last->n_operands; i++)
    out[i] = value_map_get(&vm, ir_operand(body->last, i));
}

static ir_value *identity_of(folder *f, ir_op *op, uint32_t k, const ir_type *t) {
  return rewrite_splat(f->m, op, t, ir_reduction_start(op, k));
}

/* One step on tiles that have one element along the dimension, shaped as the results are then. */
static void one_step(folder *f, ir_op *op, ir_value *const *tiles, ir_value **out) {
  ir_value *args[2 * MAX_OPERANDS];
  for (uint32_t k = 0; k < op->n_operands; k++) {
    args[2 * k] = tiles[k];
    args[2 * k + 1] = identity_of(f, op, k, tiles[k]->type);
  }
  lift(f, op, args, out);
}

/* ---- one element ----------------------------------------------------------------------------- */

static ir_value *moved(folder *f, ir_op *op, op_code move, ir_value *v, const ir_type *t) {
  return v->type == t ? v : ir_result(rewrite_make(f->m, op, move, t, 1, &v), 0);
}

static bool fold_one_element(folder *f, ir_op *op) {
  ir_value *tiles[MAX_OPERANDS], *out[MAX_OPERANDS];
  for (uint32_t k = 0; k < op->n_operands; k++) {
    const ir_type *t = ir_operand(op, k)->type;
    const ir_type *r = ir_result(op, k)->type;
    tiles[k] =
        moved(f, op, OP_reshape, ir_operand(op, k), ir_tile_like(f->m, r, (tsr_elem)t->elem));
  }
  one_step(f, op, tiles, out);
  rewrite_replace_op(op, out);
  return true;
}

/* ---- elements that are all alike ------------------------------------------------------------- */

/* The operation of a body that does one thing to its two arguments; OP_yield: it is another. */
static op_code only_operation(const ir_op *op) {
  const ir_block *body = op->regions[0];
  const ir_op *o = body->first;
  if (op->n_operands != 1 || o->next != body->last || o->n_operands != 2) return OP_yield;
  const ir_value *x = ir_operand(o, 0), *y = ir_operand(o, 1);
  const ir_value *a = &body->args[0], *b = &body->args[1];
  bool both = (x == a && y == b) || (x == b && y == a);
  return both && ir_operand(body->last, 0) == ir_result(o, 0) ? (op_code)o->opcode : OP_yield;
}

/* The tile with one element along the dimension of which the operand is made; NULL. */
static ir_value *repeated(folder *f, ir_op *op, unsigned dim) {
  ir_value *x = ir_operand(op, 0);
  const ir_type *t = x->type;
  int64_t shape[IR_MAX_RANK];
  memcpy(shape, t->shape, t->rank * sizeof *shape);
  shape[dim] = 1;
  const ir_type *thin = ir_tile_reshaped(f->m, t, t->rank, shape);
  uint64_t pattern;
  if (splat_of(x, &pattern) && fold_can_be_constant(t))
    return rewrite_splat(f->m, op, thin, pattern);
  ir_op *from = made_by(x, OP_broadcast);
  if (!from || ir_operand(from, 0)->type->shape[dim] != 1) return NULL;
  return moved(f, op, OP_broadcast, ir_operand(from, 0), thin);
}

static ir_value *binary(folder *f, ir_op *op, op_code opcode, ir_value *a, ir_value *b) {
  return ir_result(rewrite_make(f->m, op, opcode, a->type, 2, (ir_value *[]){a, b}), 0);
}

/* identity + x + … + x and the like. */
static ir_value *combined(folder *f, ir_op *op, op_code what, ir_value *x, uint64_t times) {
  ir_value *out;
  switch (what) {
  case OP_maxi:
  case OP_mini:
  case OP_maxf:
  case OP_minf:
  case OP_andi:
  case OP_ori: one_step(f, op, &x, &out); return out; /* a second time changes nothing */
  case OP_addi:
    out = rewrite_splat(f->m, op, x->type, num_wrap(times, tsr_elem_bits((tsr_elem)x->type->elem)));
    return binary(f, op, OP_addi, binary(f, op, OP_muli, x, out), identity_of(f, op, 0, x->type));
  default: /* xori: extents are even */ return identity_of(f, op, 0, x->type);
  }
}

static bool keeps_overflow(const ir_op *op) {
  const ir_op *o = op->regions[0]->first;
  return o->opcode != OP_addi || ir_int_attr(o, ATTR_overflow) == OVERFLOW_NONE;
}

static bool fold_repeated(folder *f, ir_op *op, unsigned dim) {
  op_code what = only_operation(op);
  bool scan = op->opcode == OP_scan;
  bool idempotent = what == OP_maxi || what == OP_mini || what == OP_maxf || what == OP_minf ||
                    what == OP_andi || what == OP_ori;
  if (!idempotent && (scan || (what != OP_addi && what != OP_xori))) return false;
  if (!keeps_overflow(op)) return false;
  const ir_type *r = ir_result(op, 0)->type;
  ir_value *x = repeated(f, op, dim);
  if (!x) return false;
  if (!scan) x = moved(f, op, OP_reshape, x, r);
  ir_value *v = combined(f, op, what, x, (uint64_t)ir_operand(op, 0)->type->shape[dim]);
  v = moved(f, op, OP_broadcast, v, r);
  rewrite_replace_op(op, &v);
  return true;
}

bool fold_reduction(folder *f, ir_op *op) {
  unsigned dim = (unsigned)ir_int_attr(op, ATTR_dim);
  if (!op->n_operands || !is_liftable(op)) return false;
  bool done = ir_operand(op, 0)->type->shape[dim] == 1 ? fold_one_element(f, op)
                                                       : fold_repeated(f, op, dim);
  f->changes += done;
  return done;
}
