/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Walks over the expressions of a group, with the index map of each value on the way.
 */
#include "cpu/nest/visit.h"

#include "cpu/plan/map.h"

typedef struct visitor {
  lower *l;
  visit_fn fn;
  void *user;
  map seen;
  bool from_top; /* see visit_from_top */
  bool halves;   /* see visit_halves */
} visitor;

static bool visit(visitor *x, ir_value *v, const index_map *m);

static bool visit_below(visitor *x, ir_value *v, const index_map *m) {
  value *y = value_of(x->l, v);
  if (y->origin) return visit(x, y->origin, m);
  ir_op *op = ir_defining_op(v);
  if (y->load) {
    const access *a = y->load;
    if (a->pointers && !visit(x, a->pointers, m)) return false;
    if (a->mask && !visit(x, a->mask, m)) return false;
    if (a->padding && !visit(x, a->padding, m)) return false;
    if (!a->index) return true;
    index_map p = {.n = a->index_n, .conservative = m->conservative};
    memcpy(p.bit, m->bit + a->index_first, a->index_n);
    return visit(x, a->index, &p);
  }
  switch (op->opcode) {
  case OP_constant:
  case OP_iota: return true;
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_extract:
  case OP_assume: {
    index_map p = map_through(op, m);
    p.conservative = m->conservative;
    return visit(x, ir_operand(op, 0), &p);
  }
  case OP_insert: {
    index_map low = map_slice(ir_result(op, 0)->type, ir_operand(op, 0)->type, m), none = {0};
    if (low.n < m->n && low.n) low.bit[0] = BIT_ZERO; /* some slice: no identity */
    low.conservative = true;
    for (uint32_t i = 2; i < op->n_operands; i++)
      if (!visit(x, ir_operand(op, i), &none)) return false;
    return visit(x, ir_operand(op, 0), &low) && visit(x, ir_operand(op, 1), m);
  }
  case OP_cat: {
    /* Either half; which bits it sees matters to no visitor beyond being no identity. */
    index_map p = x->halves ? map_of_half(op, m) : *m;
    p.conservative = true;
    if (!x->halves) p.n--;
    if (!x->halves && p.n) p.bit[0] = BIT_ZERO;
    return visit(x, ir_operand(op, 0), &p) && visit(x, ir_operand(op, 1), &p);
  }
  default:
    for (uint32_t i = 0; i < op->n_operands; i++)
      if (!visit(x, ir_operand(op, i), m)) return false;
    return true;
  }
}

static bool visit(visitor *x, ir_value *v, const index_map *m) {
  value *y = value_of(x->l, v);
  uintptr_t *seen =
      map_put(x->l->arena, &x->seen, hash_mix(map_hash(m) + m->conservative, v->number));
  if (*seen) return true;
  *seen = 1;
  if (!x->fn(x->user, v, m)) return x->from_top;
  if ((y->kind == VALUE_BUFFER || y->kind == VALUE_SCALAR) && !y->pending) return true;
  if (y->kind != VALUE_LAZY && y->kind != VALUE_SHIFTED && !(y->kind == VALUE_BUFFER && y->lazy))
    return true; /* the result of a pending reduction */
  return visit_below(x, v, m);
}

bool visit_expression(lower *l, ir_value *v, const index_map *m, visit_fn fn, void *user) {
  visitor x = {.l = l, .fn = fn, .user = user};
  return visit(&x, v, m);
}

static bool visit_one(visitor *x, const root *r) {
  if (r->kind == ROOT_REDUCE) {
    for (uint32_t i = 0; i < r->op->n_operands; i++) {
      index_map m = map_identity(tile_bits(ir_operand(r->op, i)->type));
      if (!visit(x, ir_operand(r->op, i), &m)) return false;
    }
    return true;
  }
  index_map m = map_identity(tile_bits(r->value->type));
  if (!visit(x, r->value, &m)) return false;
  if (r->kind != ROOT_STORE) return true;
  const access *a = r->access;
  if (a->pointers && !visit(x, a->pointers, &m)) return false;
  if (a->mask && !visit(x, a->mask, &m)) return false;
  if (!a->index) return true;
  index_map p = {.n = a->index_n};
  memcpy(p.bit, m.bit + a->index_first, a->index_n);
  return visit(x, a->index, &p);
}

bool visit_root(lower *l, const root *r, visit_fn fn, void *user) {
  visitor x = {.l = l, .fn = fn, .user = user};
  return visit_one(&x, r);
}

bool visit_group(lower *l, const group *g, visit_fn fn, void *user) {
  visitor x = {.l = l, .fn = fn, .user = user};
  for (unsigned i = 0; i < g->n_roots; i++)
    if (!visit_one(&x, &g->roots[i])) return false;
  return true;
}

void visit_halves(lower *l, const group *g, visit_fn fn, void *user) {
  visitor x = {.l = l, .fn = fn, .user = user, .halves = true};
  for (unsigned i = 0; i < g->n_roots; i++)
    if (!visit_one(&x, &g->roots[i])) return;
}

void visit_from_top(lower *l, ir_value *v, const index_map *m, visit_fn fn, void *user) {
  visitor x = {.l = l, .fn = fn, .user = user, .from_top = true};
  visit(&x, v, m);
}
