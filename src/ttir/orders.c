/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bessel functions of any order, which may be another for each element, by the recurrence of
 * neighbouring orders: b(k + 1) = 2 * k / x * b(k) - b(k - 1). It is stable upwards for Y and, up
 * to order x, for J. Beyond, J is found downwards: from an order so high that J is nothing there.
 */
#include "ttir/compose.h"

enum { MOST = 1 << 24 }; /* order that is told from higher ones: f32 has all integers up to it */

static ir_value *mul(lowering *l, ir_value *a, ir_value *b) {
  return tt_binary(l, OP_mulf, a, b);
}

static ir_value *floats_of(lowering *l, ir_value *n, tsr_elem elem) {
  ir_value *v = tt_emit1(l, OP_itof, tt_like(l, n->type, elem), n);
  return tt_with(v, ATTR_signedness, SIGN_SIGNED);
}

/* A scalar as floats of this type. */
static ir_value *real_of(lowering *l, ir_value *n, const ir_type *t) {
  return tt_splat(l, floats_of(l, n, (tsr_elem)t->elem), t->rank, t->shape);
}

static ir_value *equals(lowering *l, ir_value *a, double b) {
  return tt_compare_real(l, CMP_EQUAL, a, tt_number(l, a, b));
}

/* ---- loops --------------------------------------------------------------------------------------
 */

typedef struct turns {
  ir_op *op;
  ir_block *outer;
  ir_value *number; /* of the turn, from `first` on */
  ir_value *carried;
} turns;

/* Turns number first to end - 1, with values that go from turn to turn. What is emitted until
 * `end_turns` is the body. */
static turns begin_turns(lowering *l, ir_value *first, ir_value *end, uint32_t n,
                         ir_value *const *init) {
  enum { MAX_CARRIED = 8 };
  const ir_type *i32 = ir_scalar(l->m, TSR_I32), *types[1 + MAX_CARRIED] = {i32};
  ir_value *operands[3 + MAX_CARRIED] = {first, end, tt_int(l, i32, 1)};
  for (uint32_t i = 0; i < n; i++) operands[3 + i] = init[i], types[1 + i] = init[i]->type;
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = OP_for,
                                          .n_operands = 3 + n,
                                          .operands = operands,
                                          .n_results = n,
                                          .result_types = types + 1,
                                          .n_regions = 1});
  turns t = {.op = op, .outer = l->block};
  l->block = ir_region_create(l->m, op, 0, 1 + n, types);
  t.number = &l->block->args[0], t.carried = &l->block->args[1];
  return t;
}

static void end_turns(lowering *l, const turns *t, uint32_t n, ir_value *const *next) {
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_continue, .n_operands = n, .operands = next});
  l->block = t->outer;
}

/* ---- orders -------------------------------------------------------------------------------------
 */

typedef struct order {
  ir_value *n;       /* as floats */
  ir_value *highest; /* of all elements, a scalar */
} order;

static order order_of(lowering *l, ir_value *n, const ir_value *x) {
  ir_value *most =
      tt_with(tt_binary(l, OP_mini, n, tt_int(l, n->type, MOST)), ATTR_signedness, SIGN_SIGNED);
  order o = {.n = floats_of(l, most, (tsr_elem)x->type->elem)};
  for (uint32_t d = n->type->rank; d-- > 0;)
    most = tt_reduce(l, most, d, OP_maxi, UINT64_C(1) << 31);
  o.highest = most;
  return o;
}

static ir_value *more(lowering *l, ir_value *n, int64_t by) {
  return tt_binary(l, OP_addi, n, tt_int(l, n->type, by));
}

/* Upwards from orders 0 and 1: of order n where that is 1 or more. */
static ir_value *upwards(lowering *l, const order *o, ir_value *x, ir_value *zero, ir_value *one) {
  ir_value *first = tt_int(l, ir_scalar(l->m, TSR_I32), 1);
  turns t = begin_turns(l, first, o->highest, 2, (ir_value *[]){zero, one});
  ir_value *before = &t.carried[0], *now = &t.carried[1], *k = real_of(l, t.number, x->type);
  ir_value *factor = tt_binary(l, OP_divf, tt_binary(l, OP_addf, k, k), x);
  ir_value *next = tt_binary(l, OP_subf, mul(l, factor, now), before);
  ir_value *goes_on = tt_compare_real(l, CMP_LESS, k, o->n);
  /* An infinite one stays as it is: the difference of two would be none. */
  ir_value *finite =
      tt_compare_real(l, CMP_LESS, tt_unary(l, OP_absf, now), tt_number(l, x, INFINITY));
  next = tt_select(l, tt_binary(l, OP_andi, goes_on, finite), next, now);
  end_turns(l, &t, 2, (ir_value *[]){tt_select(l, goes_on, now, before), next});
  return ir_result(t.op, 1);
}

/* The leading terms of the series, for x so small that others are nothing: (x / 2)^n / n! and a
 * factor of 1 - (x / 2)^2 / (n + 1). */
static ir_value *of_small(lowering *l, const order *o, ir_value *x) {
  ir_value *half = mul(l, x, tt_number(l, x, 0.5));
  ir_value *first = tt_int(l, ir_scalar(l->m, TSR_I32), 1), *end = more(l, o->highest, 1);
  turns t = begin_turns(l, first, end, 1, (ir_value *[]){tt_number(l, x, 1)});
  ir_value *k = real_of(l, t.number, x->type), *now = &t.carried[0];
  ir_value *next = mul(l, now, tt_binary(l, OP_divf, half, k));
  ir_value *goes_on = tt_compare_real(l, CMP_LESS_EQUAL, k, o->n);
  ir_value *product[] = {tt_select(l, goes_on, next, now)};
  end_turns(l, &t, 1, product);
  ir_value *part =
      tt_binary(l, OP_divf, mul(l, half, half), tt_binary(l, OP_addf, o->n, tt_number(l, x, 1)));
  return mul(l, ir_result(t.op, 0), tt_binary(l, OP_subf, tt_number(l, x, 1), part));
}

/* Downwards from an order where any numbers will do, as what they have of Y is nothing below. Their
 * sum over even orders says what they are multiples of: J0 + 2 * (J2 + J4 + ...) = 1. */
static ir_value *downwards(lowering *l, const order *o, ir_value *x) {
  enum { BEFORE, NOW, SUM, FOUND, COUNT };
  const ir_type *i32 = o->highest->type;
  ir_value *zero = tt_number(l, x, 0), *one = tt_number(l, x, 1), *large = tt_number(l, x, 0x1p33);
  /* 2 * ((n + sqrt(160 * n) + 20) / 2): even. */
  ir_value *n =
      tt_with(tt_binary(l, OP_maxi, o->highest, tt_int(l, i32, 1)), ATTR_signedness, SIGN_SIGNED);
  ir_value *far = real_of(l, n, ir_scalar(l->m, TSR_F64));
  far = tt_unary(l, OP_sqrt, mul(l, far, tt_number(l, far, 160)));
  far = tt_with(tt_emit1(l, OP_ftoi, i32, far), ATTR_signedness, SIGN_SIGNED);
  ir_value *top = more(l, tt_binary(l, OP_addi, n, far), 20);
  top = tt_binary(l, OP_andi, top, tt_int(l, i32, ~INT64_C(1)));
  turns t = begin_turns(l, tt_int(l, i32, 0), top, COUNT, (ir_value *[]){zero, one, zero, zero});
  ir_value *c = t.carried, *at = tt_binary(l, OP_subi, top, t.number); /* top, top - 1, ..., 1 */
  ir_value *k = real_of(l, at, x->type), *below = real_of(l, more(l, at, -1), x->type);
  ir_value *factor = tt_binary(l, OP_divf, tt_binary(l, OP_addf, k, k), x);
  ir_value *v = tt_binary(l, OP_subf, mul(l, factor, &c[NOW]), &c[BEFORE]);
  ir_value *here = tt_compare_real(l, CMP_EQUAL, below, o->n);
  ir_value *found = tt_select(l, here, v, &c[FOUND]);
  ir_value *even = tt_binary(l, OP_andi, more(l, at, -1), tt_int(l, i32, 1));
  even = tt_binary(l, OP_subf, one, real_of(l, even, x->type));
  ir_value *sum = tt_multiply_add(l, even, v, &c[SUM]);
  ir_value *exceeds = tt_compare_real(l, CMP_GREATER, tt_unary(l, OP_absf, v), large);
  ir_value *scale = tt_select(l, exceeds, tt_number(l, x, 0x1p-60), one);
  end_turns(l, &t, COUNT,
            (ir_value *[]){mul(l, &c[NOW], scale), mul(l, v, scale), mul(l, sum, scale),
                           mul(l, found, scale)});
  /* The last one, of order 0, is in the sum once, all others twice. */
  ir_value *whole = ir_result(t.op, SUM);
  whole = tt_binary(l, OP_subf, tt_binary(l, OP_addf, whole, whole), ir_result(t.op, NOW));
  return tt_binary(l, OP_divf, ir_result(t.op, FOUND), whole);
}

static ir_value *of_order(lowering *l, const order *o, ir_value *zero, ir_value *one,
                          ir_value *higher) {
  ir_value *v = tt_select(l, equals(l, o->n, 1), one, higher);
  v = tt_select(l, equals(l, o->n, 0), zero, v);
  return tt_select(l, tt_below(l, o->n, 0), tt_number(l, zero, NAN), v);
}

static bool may_loop(lowering *l) {
  return !l->in_fold || tt_refuse(l, "a Bessel function of any order inside a reduction or scan");
}

ir_value *tt_jn(lowering *l, ir_value *const *v) {
  if (!may_loop(l)) return NULL;
  ir_value *x = v[1], *a = tt_unary(l, OP_absf, x), *zero = tt_j0(l, &a), *one = tt_j1(l, &a);
  order o = order_of(l, v[0], x);
  ir_value *higher = tt_select(l, tt_compare_real(l, CMP_GREATER, a, o.n),
                               upwards(l, &o, a, zero, one), downwards(l, &o, a));
  double small = x->type->elem == TSR_F64 ? 0x1p-13 : 0x1p-6;
  higher = tt_select(l, tt_below(l, a, small), of_small(l, &o, a), higher);
  higher = tt_select(l, equals(l, a, INFINITY), tt_number(l, x, 0), higher);
  ir_value *value = of_order(l, &o, zero, one, higher);
  ir_value *odd = tt_binary(l, OP_andi, v[0], tt_int(l, v[0]->type, 1));
  odd = tt_compare(l, CMP_EQUAL, true, odd, tt_int(l, odd->type, 1));
  odd = tt_binary(l, OP_andi, odd, tt_below(l, x, 0));
  return tt_select(l, odd, tt_unary(l, OP_negf, value), value);
}

ir_value *tt_yn(lowering *l, ir_value *const *v) {
  if (!may_loop(l)) return NULL;
  ir_value *x = v[1], *zero = tt_y0(l, &x), *one = tt_y1(l, &x);
  order o = order_of(l, v[0], x);
  ir_value *higher = upwards(l, &o, x, zero, one);
  higher = tt_select(l, equals(l, x, INFINITY), tt_number(l, x, 0), higher);
  return of_order(l, &o, zero, one, higher);
}
