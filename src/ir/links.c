/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir/links.h"

typedef struct links {
  const char *problem;
  uint64_t operands, uses; /* seen so far: as many of each, since all users are in the module */
} links;

static bool broken(links *x, const char *problem) {
  x->problem = problem;
  return false;
}

static bool check_uses(links *x, const ir_value *v) {
  ir_use *const *from = &v->uses;
  for (const ir_use *u = v->uses; u; from = &u->next, u = u->next) {
    if (u->value != v) return broken(x, "a use of another value is in a value's list of uses");
    if (u->prev != from) return broken(x, "a use does not know what points at it");
    x->uses++;
  }
  return true;
}

static bool check_operands(links *x, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (!op->operands[i].value) return broken(x, "an operand is missing");
    if (op->operands[i].user != op) return broken(x, "an operand belongs to another operation");
  }
  x->operands += op->n_operands;
  return true;
}

static bool check_results(links *x, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++) {
    const ir_value *r = ir_result(op, i);
    if (r->is_arg || r->owner.op != op || r->index != i)
      return broken(x, "a result does not know whose it is");
    if (!check_uses(x, r)) return false;
  }
  return true;
}

static bool check_args(links *x, const ir_block *b) {
  for (uint32_t i = 0; i < b->n_args; i++) {
    const ir_value *v = &b->args[i];
    if (!v->is_arg || v->owner.block != b || v->index != i)
      return broken(x, "an argument does not know whose it is");
    if (!check_uses(x, v)) return false;
  }
  return true;
}

/* Its operations in a row; what is in them, ir_walk comes to. */
static bool check_block(links *x, const ir_op *parent, const ir_block *b) {
  const ir_op *last = NULL;
  if (b->parent != parent) return broken(x, "a block does not know whose region it is");
  for (const ir_op *op = b->first; op; last = op, op = op->next) {
    if (op->block != b) return broken(x, "an operation does not know its block");
    if (op->prev != last) return broken(x, "an operation does not know the one in front of it");
  }
  if (b->last != last) return broken(x, "a block does not know its last operation");
  return check_args(x, b);
}

static bool check_op(void *user, ir_op *op) {
  links *x = user;
  if (!check_operands(x, op) || !check_results(x, op)) return false;
  for (unsigned i = 0; i < op->n_regions; i++)
    if (op->regions[i] && !check_block(x, op, op->regions[i])) return false;
  return true;
}

const char *ir_links_problem(const ir_module *m) {
  links x = {0};
  if (ir_walk(m->op, check_op, &x) && x.uses != x.operands)
    broken(&x, "an operation outside of the module uses a value in it");
  return x.problem;
}
