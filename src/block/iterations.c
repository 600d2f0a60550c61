/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A term of a sum that an operation in the loop's body computes moves with the loop: in another
 * iteration it is the same operation of its operands in that iteration.
 */
#include "block/iterations.h"

#include "opt/rewrite.h"

enum { MAX_DEPTH = 6 }; /* operations of operations that are compared and repeated */

sum iteration_sum(const block_lowering *x, sum s, iteration it) {
  if (!it.loop) return s;
  int64_t step = 1;
  ir_constant_int(ir_operand(it.loop, 2), &step);
  ir_value *counter = ir_counter(it.loop), *number = sum_iteration(x, it.loop);
  sum base =
      it.from_start ? sum_of(x, ir_operand(it.loop, 0), s.modulus) : sum_value(s.modulus, counter);
  sum first = it.from_start ? sum_number(s.modulus, 0) : sum_value(s.modulus, number);
  sum steps = sum_number(s.modulus, it.steps * step), n = sum_number(s.modulus, it.steps);
  sum_add(&base, &steps, 1);
  sum_add(&first, &n, 1);
  sum_replace(&s, counter, &base);
  sum_replace(&s, number, &first);
  return s;
}

/* ---- terms that move ------------------------------------------------------------------------ */

/* Takes the terms that move out of a sum. They all have factors. */
static unsigned take_moving(sum *s, iteration it, struct sum_term *out) {
  unsigned n = 0;
  for (unsigned i = s->n; it.loop && i-- > 0;) {
    sum one = sum_value(s->modulus, s->terms[i].v);
    if (sum_is_outside(&one, it.loop, true)) continue;
    out[n++] = s->terms[i];
    s->terms[i] = s->terms[--s->n];
  }
  return n;
}

static bool is_scalar_operation(const ir_op *op) {
  return op && op->n_regions == 0 && op->n_results == 1 && !has_effect(op) &&
         op->results[0].type->kind == IR_TILE && op->results[0].type->rank == 0;
}

static bool has(const block_lowering *x, ir_value *v, iteration it, unsigned depth) {
  struct sum_term moving[SUM_MAX_TERMS];
  sum s = iteration_sum(x, sum_of(x, v, sum_modulus_of(v->type)), it);
  if (s.failed) return false;
  for (unsigned i = take_moving(&s, it, moving); i-- > 0;) {
    const ir_op *op = ir_defining_op(moving[i].v);
    if (depth == 0 || !is_scalar_operation(op)) return false;
    for (uint32_t k = 0; k < op->n_operands; k++)
      if (!has(x, ir_operand(op, k), it, depth - 1)) return false;
  }
  return !it.from_start || sum_is_outside(&s, it.loop, false);
}

bool iteration_has(const block_lowering *x, ir_value *v, iteration it) {
  return !it.loop || has(x, v, it, MAX_DEPTH);
}

/* ---- comparing ------------------------------------------------------------------------------ */

typedef struct pair {
  const block_lowering *x;
  iteration a, b;
} pair;

static bool same(const pair *p, ir_value *a, ir_value *b, unsigned depth);

static bool same_operation(const pair *p, ir_value *a, ir_value *b, unsigned depth) {
  const ir_op *v = ir_defining_op(a), *w = ir_defining_op(b);
  if (depth == 0 || !is_scalar_operation(v) || !is_scalar_operation(w)) return false;
  if (v->opcode != w->opcode || v->n_operands != w->n_operands || !has_same_attrs(v, w))
    return false;
  for (uint32_t k = 0; k < v->n_operands; k++)
    if (!same(p, ir_operand(v, k), ir_operand(w, k), depth - 1)) return false;
  return true;
}

/* Whether the terms of one sum are those of the other, in any order. */
static bool same_terms(const pair *p, const struct sum_term *a, unsigned n,
                       const struct sum_term *b, unsigned depth) {
  uint32_t taken = 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned k = 0;
    while (k < n && (taken & 1u << k || a[i].factor != b[k].factor ||
                     !same_operation(p, a[i].v, b[k].v, depth)))
      k++;
    if (k == n) return false;
    taken |= 1u << k;
  }
  return true;
}

static bool same(const pair *p, ir_value *a, ir_value *b, unsigned depth) {
  struct sum_term of_a[SUM_MAX_TERMS], of_b[SUM_MAX_TERMS];
  if (a->type != b->type) return false;
  uint64_t modulus = sum_modulus_of(a->type), difference;
  sum u = iteration_sum(p->x, sum_of(p->x, a, modulus), p->a);
  sum v = iteration_sum(p->x, sum_of(p->x, b, modulus), p->b);
  unsigned n = take_moving(&u, p->a, of_a), n_b = take_moving(&v, p->b, of_b);
  if (!sum_difference(&u, &v, &difference) || difference || n != n_b) return false;
  return same_terms(p, of_a, n, of_b, depth);
}

bool iteration_same(const block_lowering *x, ir_value *a, iteration of_a, ir_value *b,
                    iteration of_b) {
  return same(&(pair){x, of_a, of_b}, a, b, MAX_DEPTH);
}

/* ---- making --------------------------------------------------------------------------------- */

static ir_value *operation_again(const block_lowering *x, ir_op *at, const ir_op *op,
                                 iteration it) {
  value_map values = {.arena = x->arena};
  for (uint32_t k = 0; k < op->n_operands; k++) {
    ir_value *v = ir_operand(op, k);
    value_map_set(&values, v, iteration_value(x, at, v, it));
  }
  ir_op *copy = rewrite_clone(x->m, op, &values);
  ir_op_insert_before(at, copy);
  return ir_result(copy, 0);
}

ir_value *iteration_value(const block_lowering *x, ir_op *at, ir_value *v, iteration it) {
  struct sum_term moving[SUM_MAX_TERMS];
  if (!it.loop) return v;
  sum s = iteration_sum(x, sum_of(x, v, sum_modulus_of(v->type)), it);
  for (unsigned i = take_moving(&s, it, moving); i-- > 0;) {
    ir_value *made = operation_again(x, at, ir_defining_op(moving[i].v), it);
    sum term = sum_value(s.modulus, made);
    sum_add(&s, &term, (int64_t)moving[i].factor);
  }
  return sum_make(x->m, at, &s, v->type);
}
