/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "opt/nans.h"

#include "num/num.h"

enum { DEPTH = 64 };

static bool constant_has_nan(const ir_op *op) {
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  if (!d->splat) return true; /* not looked at */
  double v = num_decode(num_format_of((tsr_elem)d->type->elem), ir_dense_get(d, 0));
  return v != v;
}

/* Arithmetic or a constant made the tile, perhaps with its elements elsewhere. */
static bool made_canonical(const ir_value *v, bool products) {
  for (unsigned i = 0; i < DEPTH; i++) {
    const ir_op *op = v->is_arg ? NULL : v->owner.op;
    if (!op) return false;
    switch (op->opcode) {
    case OP_broadcast:
    case OP_reshape:
    case OP_permute: v = ir_operand(op, 0); break;
    case OP_constant: return !constant_has_nan(op);
    case OP_mmaf:
    case OP_wgmma_wait: return products;
    default: return ir_row(op)->traits & TRAIT_ELEMENTWISE && ir_row(op)->group == GROUP_FLOAT;
    }
  }
  return false;
}

bool opt_nans_are_canonical(const ir_value *v, bool products) {
  if (v->type->kind != IR_TILE) return false;
  tsr_elem elem = (tsr_elem)v->type->elem;
  return (elem == TSR_F32 || elem == TSR_F64) && made_canonical(v, products);
}

bool opt_widened_nans_are_canonical(const ir_value *v) {
  if (v->type->kind != IR_TILE) return false;
  tsr_elem elem = (tsr_elem)v->type->elem;
  bool widened = elem == TSR_F16 || elem == TSR_BF16;
  return (widened || elem == TSR_F32 || elem == TSR_F64) && made_canonical(v, false);
}

typedef struct nan_check {
  const ir_op *loop;
  unsigned index;
  bool products;
} nan_check;

static bool is_of(const ir_op *jump, const ir_op *loop) {
  const ir_op *up = jump->block->parent;
  while (up->opcode == OP_if) up = up->block->parent;
  return up == loop;
}

static bool check_next(void *user, ir_op *op) {
  const nan_check *c = user;
  if (op->opcode != OP_continue || !is_of(op, c->loop)) return true;
  return opt_nans_are_canonical(ir_operand(op, c->index), c->products);
}

bool opt_next_nans_are_canonical(const ir_op *loop, unsigned index, bool products) {
  nan_check c = {.loop = loop, .index = index, .products = products};
  return ir_walk((ir_op *)loop, check_next, &c);
}

bool opt_loop_nans_are_canonical(const ir_op *loop, unsigned index, const ir_value *first,
                                 bool products) {
  return opt_nans_are_canonical(first, products) &&
         opt_next_nans_are_canonical(loop, index, products);
}

static bool are_alike(const ir_value *v, unsigned depth);

static bool takes_any_nan(const ir_use *u, const ir_value *v, unsigned depth) {
  const ir_op *op = u->user;
  const op_row *row = ir_row(op);
  switch (op->opcode) {
  case OP_ftof:
  case OP_ftoi: return true;
  case OP_mmaf:
  case OP_mmaf_scaled: return ir_operand(op, 2) != v;
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_extract: return depth && are_alike(ir_result(op, 0), depth - 1);
  default: return row->traits & TRAIT_ELEMENTWISE && row->group == GROUP_FLOAT;
  }
}

static bool are_alike(const ir_value *v, unsigned depth) {
  for (const ir_use *u = v->uses; u; u = u->next)
    if (!takes_any_nan(u, v, depth)) return false;
  return true;
}

bool opt_nans_are_alike(const ir_value *v) {
  enum { MOST_MOVES = 4 };
  return are_alike(v, MOST_MOVES);
}
