/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir/roots.h"

typedef struct root_walk {
  const ir_module *m;
  ir_roots *roots;
  uint32_t allocas; /* that were met */
  bool changed;
} root_walk;

static ir_root root_of(const root_walk *w, const ir_value *v) {
  return w->roots->of[v->number];
}

static void flow(root_walk *w, const ir_value *to, ir_root from) {
  ir_root *old = &w->roots->of[to->number];
  ir_root new = *old == IR_ROOT_NONE                   ? from
                : from == IR_ROOT_NONE || from == *old ? *old
                                                       : IR_ROOT_UNKNOWN;
  w->changed |= new != *old;
  *old = new;
}

static void flow_all(root_walk *w, const ir_value *to, const ir_use *from, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) flow(w, &to[k], root_of(w, from[k].value));
}

static const ir_op *loop_around(const ir_op *op, bool for_too) {
  do op = op->block->parent;
  while (op->opcode != OP_loop && !(for_too && op->opcode == OP_for));
  return op;
}

/* What a region's end hands over. */
static void flow_terminator(root_walk *w, const ir_op *op) {
  const ir_op *to = op->block->parent;
  if (op->opcode == OP_break) {
    to = loop_around(op, false);
    flow_all(w, to->results, op->operands, to->n_results);
  } else if (op->opcode == OP_continue) {
    to = loop_around(op, true);
    const ir_block *body = ir_region(to, 0);
    uint32_t first = to->opcode == OP_for; /* after the induction variable */
    flow_all(w, body->args + first, op->operands, body->n_args - first);
    if (to->opcode == OP_for) flow_all(w, to->results, op->operands, to->n_results);
  } else if (op->opcode == OP_yield && (to->opcode == OP_if || to->opcode == OP_group)) {
    flow_all(w, to->results, op->operands, to->n_results);
  }
}

static ir_root global_root(const root_walk *w, const ir_op *op) {
  uint32_t number = ir_global_number(w->m, ir_get_attr(op, ATTR_name)->s);
  return IR_ROOT_FIRST + w->roots->n_params + number;
}

/* What the table says of operations that hand pointers on. */
static void flow_forwarded(root_walk *w, const ir_op *op) {
  unsigned from = ir_row(op)->forwards;
  for (unsigned k = 0; from >> k; k++)
    if (from & M_IN(k)) flow(w, ir_result(op, 0), root_of(w, ir_operand(op, k)));
  for (uint32_t k = 0; !from && k < op->n_results; k++) flow(w, ir_result(op, k), IR_ROOT_UNKNOWN);
}

/* From what an operation gets to what it gives. */
static bool flow_root(void *user, ir_op *op) {
  root_walk *w = user;
  switch (op->opcode) {
  case OP_alloca:
    flow(w, ir_result(op, 0),
         IR_ROOT_FIRST + w->roots->n_params + w->roots->n_globals + w->allocas++);
    break;
  case OP_get_global: flow(w, ir_result(op, 0), global_root(w, op)); break;
  case OP_for:
    flow_all(w, ir_region(op, 0)->args + 1, op->operands + 3, op->n_results);
    flow_all(w, op->results, op->operands + 3, op->n_results);
    break;
  case OP_loop: flow_all(w, ir_region(op, 0)->args, op->operands, op->n_operands); break;
  case OP_break:
  case OP_continue:
  case OP_yield: flow_terminator(w, op); break;
  case OP_group:
  case OP_if: break;
  default: flow_forwarded(w, op); break;
  }
  return true;
}

static bool count_alloca(void *user, ir_op *op) {
  ir_roots *r = user;
  r->n_allocas += op->opcode == OP_alloca;
  return true;
}

/* Until nothing changes: what a loop carries is known only after its body. */
ir_roots ir_find_roots(const ir_module *m, ir_op *entry, arena *a) {
  const ir_block *body = ir_region(entry, 0);
  uint32_t n = ir_number_values(entry);
  ir_roots r = {.of = arena_array(a, ir_root, MAX(n, 1u)),
                .n_params = body->n_args,
                .n_globals = m->globals.len};
  memset(r.of, 0, n * sizeof *r.of); /* IR_ROOT_NONE */
  ir_walk(entry, count_alloca, &r);
  for (uint32_t k = 0; k < body->n_args; k++) r.of[body->args[k].number] = IR_ROOT_FIRST + k;
  root_walk w = {.m = m, .roots = &r, .changed = true};
  while (w.changed) {
    w.changed = false;
    w.allocas = 0;
    ir_walk(entry, flow_root, &w);
  }
  return r;
}
