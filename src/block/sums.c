/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modulo a power of two, sums and products are what the wrapping operations compute. Modulo another
 * number they are so only where nothing wraps, which facts have to say.
 */
#include "block/sums.h"

#include "opt/rewrite.h"

enum {
  MAX_DEPTH = 16,
  MAX_READ = 64, /* operations behind a value; what is further away is a value of its own */
};

/* What is being looked at: a loop's value that stands for itself while its update is read. */
typedef struct reader {
  const block_lowering *x;
  uint64_t modulus;
  const ir_value *open[MAX_DEPTH];
  unsigned n_open, left;
} reader;

int64_t sum_common_multiple(int64_t a, int64_t b) {
  int64_t x = a, y = b;
  while (y) {
    int64_t rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}

uint64_t sum_modulus_of(const ir_type *t) {
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  return bits >= 64 ? 0 : UINT64_C(1) << bits;
}

static bool is_power(uint64_t modulus) {
  return (modulus & (modulus - 1)) == 0;
}

static uint64_t reduced(uint64_t modulus, num_i128 x) {
  if (!modulus) return (uint64_t)x;
  num_i128 rest = x % (num_i128)modulus;
  return (uint64_t)(rest < 0 ? rest + (num_i128)modulus : rest);
}

/* Of a number below the modulus: the signed one that is nearest to 0. */
static int64_t as_signed(uint64_t modulus, uint64_t x) {
  return modulus && x > (modulus - 1) / 2 ? (int64_t)(x - modulus) : (int64_t)x;
}

sum sum_number(uint64_t modulus, int64_t number) {
  return (sum){.modulus = modulus, .number = reduced(modulus, number)};
}

static void add_term(sum *s, ir_value *v, uint64_t factor) {
  for (unsigned i = 0; i < s->n; i++) {
    if (s->terms[i].v != v) continue;
    s->terms[i].factor = reduced(s->modulus, (num_i128)s->terms[i].factor + factor);
    if (!s->terms[i].factor) s->terms[i] = s->terms[--s->n];
    return;
  }
  factor = reduced(s->modulus, factor);
  if (!factor) return;
  if (s->n == SUM_MAX_TERMS)
    s->failed = true;
  else
    s->terms[s->n++] = (struct sum_term){v, factor};
}

void sum_add(sum *a, const sum *b, int64_t factor) {
  a->failed |= b->failed;
  uint64_t m = a->modulus;
  a->number = reduced(m, (num_i128)as_signed(m, b->number) * factor + (num_i128)a->number);
  for (unsigned i = 0; i < b->n; i++)
    add_term(a, b->terms[i].v, reduced(m, (num_i128)as_signed(m, b->terms[i].factor) * factor));
}

sum sum_value(uint64_t modulus, ir_value *v) {
  sum s = {.modulus = modulus};
  add_term(&s, v, 1);
  return s;
}

uint64_t sum_factor(const sum *s, const ir_value *v) {
  for (unsigned i = 0; i < s->n; i++)
    if (s->terms[i].v == v) return s->terms[i].factor;
  return 0;
}

void sum_replace(sum *s, const ir_value *v, const sum *by) {
  for (unsigned i = 0; i < s->n; i++) {
    if (s->terms[i].v != v) continue;
    int64_t factor = as_signed(s->modulus, s->terms[i].factor);
    s->terms[i] = s->terms[--s->n];
    sum_add(s, by, factor);
    return;
  }
}

bool sum_difference(const sum *a, const sum *b, uint64_t *out) {
  sum d = *a;
  sum_add(&d, b, -1);
  *out = d.number;
  return !d.failed && d.n == 0;
}

static bool is_below(const ir_value *v, const ir_block *b) {
  const ir_block *at = block_of(v);
  return at == b || (at->parent && is_inside(at->parent, b));
}

/* The number of an iteration is an argument like the counter: both have index 0. */
bool sum_is_outside(const sum *s, const ir_op *loop, bool counted) {
  const ir_block *b = loop->regions[0];
  for (unsigned i = 0; i < s->n; i++) {
    const ir_value *v = s->terms[i].v;
    bool counts = counted && v->is_arg && v->owner.block == b && v->index == 0;
    if (!counts && is_below(v, b)) return false;
  }
  return !s->failed;
}

ir_value *sum_iteration(const block_lowering *x, ir_op *loop) {
  uintptr_t *slot = map_put(x->arena, x->numbers, (uintptr_t)loop);
  if (*slot) return (ir_value *)*slot;
  ir_value *v = arena_new(x->arena, ir_value);
  *v = (ir_value){.type = ir_counter(loop)->type, .is_arg = true};
  v->owner.block = loop->regions[0];
  *slot = (uintptr_t)v;
  return v;
}

/* ---- reading -------------------------------------------------------------------------------- */

static sum read(reader *r, ir_value *v);

/* The number that a select turns to 0 in s + 1 == n ? 0 : s + 1, s being what a loop hands on; 0:
 * it is something else. */
static int64_t wheel_of(const ir_value *v) {
  int64_t n, zero, start, one;
  const ir_op *loop = v->is_arg ? v->owner.block->parent : NULL;
  if (!loop || loop->opcode != OP_for || v->index == 0) return 0;
  const ir_op *end = loop->regions[0]->last;
  const ir_op *turn = end->opcode == OP_continue && !has_early_exit(loop->regions[0])
                          ? ir_defining_op(ir_operand(end, v->index - 1))
                          : NULL;
  if (!turn || turn->opcode != OP_select) return 0;
  const ir_op *cmp = ir_defining_op(ir_operand(turn, 0)), *next;
  if (!cmp || cmp->opcode != OP_cmpi || ir_operand(cmp, 0) != ir_operand(turn, 2)) return 0;
  int64_t p = ir_int_attr(cmp, ATTR_comparison_predicate);
  next = ir_defining_op(ir_operand(cmp, 0));
  if ((p != CMP_EQUAL && p != CMP_GREATER_EQUAL) || !next || next->opcode != OP_addi) return 0;
  if (ir_operand(next, 0) != v || !ir_constant_int(ir_operand(next, 1), &one) || one != 1) return 0;
  if (!ir_constant_int(ir_operand(cmp, 1), &n) || n < 1) return 0;
  if (!ir_constant_int(ir_operand(turn, 1), &zero) || zero != 0) return 0;
  if (!ir_constant_int(ir_operand(loop, 2 + v->index), &start)) return 0;
  return start >= 0 && start < n ? n : 0;
}

/* The range of a scalar; of a wheel, and of what is the next place on it, from its numbers. */
static fact range_of(const reader *r, const ir_value *v) {
  fact f = facts_of(r->x->known, v);
  const ir_op *op = ir_defining_op(v);
  int64_t n = wheel_of(v), one;
  if (n) f.min = 0, f.max = n - 1;
  if (op && op->opcode == OP_addi && ir_constant_int(ir_operand(op, 1), &one) && one == 1) {
    n = wheel_of(ir_operand(op, 0));
    if (n) f.min = 1, f.max = n;
  }
  return f;
}

/* Whether an addition, subtraction or product of scalars stays within its type. */
static bool never_wraps(const reader *r, const ir_op *op) {
  if (r->modulus == 0 || is_power(r->modulus)) return true;
  unsigned bits = tsr_elem_bits((tsr_elem)ir_result(op, 0)->type->elem);
  fact a = range_of(r, ir_operand(op, 0)), b = range_of(r, ir_operand(op, 1));
  num_i128 low, high;
  switch (op->opcode) {
  case OP_addi: low = (num_i128)a.min + b.min, high = (num_i128)a.max + b.max; break;
  case OP_subi: low = (num_i128)a.min - b.max, high = (num_i128)a.max - b.min; break;
  default: {
    num_i128 p[] = {(num_i128)a.min * b.min, (num_i128)a.min * b.max, (num_i128)a.max * b.min,
                    (num_i128)a.max * b.max};
    low = high = p[0];
    for (unsigned i = 1; i < 4; i++) low = MIN(low, p[i]), high = MAX(high, p[i]);
  }
  }
  return num_int_fits(low, bits, true) && num_int_fits(high, bits, true);
}

static sum read_product(reader *r, ir_value *v, ir_value *a, ir_value *b) {
  int64_t k;
  if (ir_constant_int(a, &k))
    a = b;
  else if (!ir_constant_int(b, &k))
    return sum_value(r->modulus, v);
  sum s = sum_number(r->modulus, 0), x = read(r, a);
  sum_add(&s, &x, k);
  return s;
}

static sum read_sum(reader *r, const ir_op *op, int64_t sign) {
  sum s = read(r, ir_operand(op, 0)), x = read(r, ir_operand(op, 1));
  sum_add(&s, &x, sign);
  return s;
}

/* x & (m - 1) and x % m are x modulo m, and so modulo what divides m. */
static bool keeps_modulus(const reader *r, const ir_op *op) {
  int64_t k;
  if (!r->modulus || !ir_constant_int(ir_operand(op, 1), &k)) return false;
  if (op->opcode == OP_andi)
    return is_power(r->modulus) && k >= 0 && ((uint64_t)k + 1) % r->modulus == 0 &&
           is_power((uint64_t)k + 1);
  if (k <= 0 || (uint64_t)k % r->modulus) return false;
  return range_of(r, ir_operand(op, 0)).min >= 0;
}

static bool same(const sum *a, const sum *b) {
  uint64_t d;
  return sum_difference(a, b, &d) && d == 0;
}

/* Whether the values that the condition chooses between agree where it holds: of x == n ? 0 : x the
 * first is taken where x is n, which is 0 modulo n. */
static bool agrees(reader *r, const ir_op *choice, const sum *a, const sum *b) {
  const ir_op *cmp = ir_defining_op(ir_operand(choice, 0));
  if (!cmp || cmp->opcode != OP_cmpi) return false;
  int64_t p = ir_int_attr(cmp, ATTR_comparison_predicate);
  int64_t n;
  ir_value *x = ir_operand(cmp, 0);
  if (!ir_constant_int(ir_operand(cmp, 1), &n)) return false;
  fact f = range_of(r, x);
  bool ordered = f.min >= 0 || ir_int_attr(cmp, ATTR_signedness) == SIGN_SIGNED;
  if (p != CMP_EQUAL && !(p == CMP_GREATER_EQUAL && ordered && f.max <= n)) return false;
  sum at = read(r, x), there = sum_number(r->modulus, n), d = *b;
  sum_add(&d, &at, -1); /* what the second is beyond x, and so where x is n */
  sum_add(&d, &there, 1);
  return same(&d, a);
}

static sum read_select(reader *r, ir_value *v, const ir_op *op) {
  sum a = read(r, ir_operand(op, 1)), b = read(r, ir_operand(op, 2));
  return same(&a, &b) || agrees(r, op, &a, &b) ? b : sum_value(r->modulus, v);
}

/* Whether the counter, read as a signed number, tells the value modulo the modulus. */
static bool counts_alike(const reader *r, const ir_op *loop, const ir_value *v) {
  uint64_t counter = sum_modulus_of(ir_counter(loop)->type), own = sum_modulus_of(v->type);
  if (r->modulus && !is_power(r->modulus)) return !ir_int_attr(loop, ATTR_unsignedCmp);
  return counter == own || (r->modulus && (!counter || r->modulus <= counter));
}

static bool is_small(const reader *r) {
  return r->modulus && r->modulus <= SUM_SMALL;
}

/* The step of a for, when it is a number and every iteration ends at the end of the body; else 0.
 */
static int64_t step_of(const ir_op *loop) {
  int64_t step;
  const ir_block *body = loop->regions[0];
  bool plain = !has_early_exit(body) && body->last->opcode == OP_continue;
  return plain && ir_constant_int(ir_operand(loop, 2), &step) && step > 0 ? step : 0;
}

/* start + by * number of the iteration */
static sum read_counted(reader *r, ir_op *loop, ir_value *start, int64_t by) {
  sum s = read(r, start), n = sum_value(r->modulus, sum_iteration(r->x, loop));
  sum_add(&s, &n, by);
  return s;
}

static sum read_counter(reader *r, ir_value *v, ir_op *loop) {
  int64_t step = step_of(loop);
  if (!is_small(r) || !step || !counts_alike(r, loop, v)) return sum_value(r->modulus, v);
  return read_counted(r, loop, ir_operand(loop, 0), step);
}

/* What a for hands on grows by a number in each iteration. */
/* What another carried value was in the iteration before, if what it starts with fits. */
static sum read_late(reader *r, ir_value *v, ir_op *loop, ir_value *other, ir_value *start) {
  sum now = read(r, other), before = now, self = sum_value(r->modulus, v);
  sum counter = sum_value(r->modulus, ir_counter(loop)), low = read(r, ir_operand(loop, 0));
  sum step = sum_number(r->modulus, step_of(loop)), first = read(r, start);
  sum one = sum_number(r->modulus, 1), n = sum_value(r->modulus, sum_iteration(r->x, loop));
  sum none = sum_number(r->modulus, -1);
  uint64_t apart;
  sum_add(&counter, &step, -1);
  sum_add(&low, &step, -1);
  sum_add(&n, &one, -1);
  sum_replace(&now, ir_counter(loop), &low);
  sum_replace(&now, sum_iteration(r->x, loop), &none);
  sum_replace(&before, ir_counter(loop), &counter);
  sum_replace(&before, sum_iteration(r->x, loop), &n);
  bool fits = !before.failed && !now.failed && sum_is_outside(&now, loop, false) &&
              sum_is_outside(&before, loop, true) && sum_difference(&now, &first, &apart) && !apart;
  return fits ? before : self;
}

static sum read_carried(reader *r, ir_value *v) {
  ir_op *loop = v->owner.block->parent;
  if (loop->opcode != OP_for) return sum_value(r->modulus, v);
  if (v->index == 0) return read_counter(r, v, loop);
  int64_t step = step_of(loop);
  uint64_t growth;
  if (!step || r->n_open == MAX_DEPTH) return sum_value(r->modulus, v);
  ir_value *next = ir_operand(loop->regions[0]->last, v->index - 1);
  if (next->is_arg && next->owner.block == loop->regions[0] && next->index && next != v)
    return read_late(r, v, loop, next, ir_operand(loop, 2 + v->index));
  r->open[r->n_open++] = v;
  sum update = read(r, next);
  sum self = sum_value(r->modulus, v);
  r->n_open--;
  if (!sum_difference(&update, &self, &growth)) return sum_value(r->modulus, v);
  int64_t by = as_signed(r->modulus, growth);
  ir_value *start = ir_operand(loop, 2 + v->index);
  if (is_small(r)) return read_counted(r, loop, start, by);
  if (by % step || !counts_alike(r, loop, v)) return sum_value(r->modulus, v);
  sum s = read(r, start), low = read(r, ir_operand(loop, 0));
  sum i = sum_value(r->modulus, ir_counter(loop));
  sum_add(&s, &i, by / step);
  sum_add(&s, &low, -(by / step));
  return s;
}

/* The quotient of a counter, or of one plus a number, where all that it counts are multiples. */
static sum read_quotient(reader *r, ir_value *v, ir_value *of, int64_t by) {
  int64_t low, plus = 0;
  const ir_op *op = ir_defining_op(of);
  if (op && op->opcode == OP_addi && ir_constant_int(ir_operand(op, 1), &plus)) {
    fact f = facts_of(r->x->known, ir_operand(op, 0));
    if (plus < 0 || f.max > num_int_max(tsr_elem_bits((tsr_elem)of->type->elem)) - plus) plus = 1;
    of = ir_operand(op, 0);
  }
  ir_op *loop = of->is_arg && of->index == 0 ? of->owner.block->parent : NULL;
  if (!is_small(r) || !loop || loop->opcode != OP_for || facts_of(r->x->known, of).min < 0)
    return sum_value(r->modulus, v);
  int64_t step = step_of(loop);
  if (!step || step % by || plus % by || !ir_constant_int(ir_operand(loop, 0), &low) || low % by)
    return sum_value(r->modulus, v);
  sum s = sum_number(r->modulus, (low + plus) / by);
  sum n = sum_value(r->modulus, sum_iteration(r->x, loop));
  sum_add(&s, &n, step / by);
  return s;
}

static bool is_open(const reader *r, const ir_value *v) {
  for (unsigned i = 0; i < r->n_open; i++)
    if (r->open[i] == v) return true;
  return false;
}

static sum read_op(reader *r, ir_value *v, const ir_op *op) {
  int64_t k;
  switch (op->opcode) {
  case OP_constant:
    if (ir_constant_int(v, &k)) return sum_number(r->modulus, k);
    break;
  case OP_assume: return read(r, ir_operand(op, 0));
  case OP_addi:
    if (never_wraps(r, op)) return read_sum(r, op, 1);
    break;
  case OP_subi:
    if (never_wraps(r, op)) return read_sum(r, op, -1);
    break;
  case OP_muli:
    if (never_wraps(r, op)) return read_product(r, v, ir_operand(op, 0), ir_operand(op, 1));
    break;
  case OP_shli:
    if (is_power(r->modulus) && ir_constant_int(ir_operand(op, 1), &k) && k >= 0 && k < 62) {
      sum s = sum_number(r->modulus, 0), x = read(r, ir_operand(op, 0));
      sum_add(&s, &x, INT64_C(1) << k);
      return s;
    }
    break;
  case OP_andi:
  case OP_remi:
    if (keeps_modulus(r, op)) return read(r, ir_operand(op, 0));
    break;
  case OP_xori: /* the other one of two */
    if (r->modulus == 2 && ir_constant_int(ir_operand(op, 1), &k)) {
      sum s = read(r, ir_operand(op, 0)), x = sum_number(2, k);
      sum_add(&s, &x, 1);
      return s;
    }
    break;
  case OP_divi:
    if (ir_constant_int(ir_operand(op, 1), &k) && k > 0)
      return read_quotient(r, v, ir_operand(op, 0), k);
    break;
  case OP_shri:
    if (ir_constant_int(ir_operand(op, 1), &k) && k >= 0 && k < 31)
      return read_quotient(r, v, ir_operand(op, 0), INT64_C(1) << k);
    break;
  case OP_select: return read_select(r, v, op);
  default: break;
  }
  return sum_value(r->modulus, v);
}

static sum read(reader *r, ir_value *v) {
  if (is_open(r, v) || r->n_open + 1 >= MAX_DEPTH || !r->left) return sum_value(r->modulus, v);
  r->left--;
  if (v->is_arg) return read_carried(r, v);
  r->open[r->n_open++] = NULL;
  sum s = read_op(r, v, ir_defining_op(v));
  r->n_open--;
  return s.failed ? sum_value(r->modulus, v) : s;
}

sum sum_of(const block_lowering *x, ir_value *v, uint64_t modulus) {
  reader r = {.x = x, .modulus = modulus, .left = MAX_READ};
  return read(&r, v);
}

/* ---- numbers -------------------------------------------------------------------------------- */

void sum_range(const facts *known, const sum *s, num_i128 *low, num_i128 *high) {
  const num_i128 limit = (num_i128)1 << 100;
  *low = *high = as_signed(s->modulus, s->number);
  for (unsigned i = 0; i < s->n; i++) {
    fact f = facts_of(known, s->terms[i].v);
    num_i128 factor = as_signed(s->modulus, s->terms[i].factor);
    num_i128 a = f.min * factor, b = f.max * factor;
    *low = MAX(*low + MAX(MIN(a, b), -limit), -limit);
    *high = MIN(*high + MIN(MAX(a, b), limit), limit);
  }
}

bool sum_is_multiple(const sum *s, uint64_t of) {
  uint64_t all = s->number;
  for (unsigned i = 0; i < s->n; i++) all |= s->terms[i].factor;
  return !s->failed && (all & (of - 1)) == 0;
}

bool sum_is_known_multiple(const facts *known, const sum *s, uint64_t of) {
  if (s->failed || s->number & (of - 1)) return false;
  for (unsigned i = 0; i < s->n; i++)
    if (s->terms[i].factor * facts_of(known, s->terms[i].v).divisor & (of - 1)) return false;
  return true;
}

sum sum_divided(const sum *s, uint64_t by) {
  sum q = {.modulus = s->modulus, .failed = s->failed};
  q.number = reduced(s->modulus, as_signed(s->modulus, s->number) / (int64_t)by);
  for (unsigned i = 0; i < s->n; i++) {
    int64_t factor = as_signed(s->modulus, s->terms[i].factor) / (int64_t)by;
    add_term(&q, s->terms[i].v, reduced(s->modulus, factor));
  }
  return q;
}

ir_value *sum_make(ir_module *m, ir_op *at, const sum *s, const ir_type *t) {
  ir_value *total = NULL;
  for (unsigned i = 0; i < s->n; i++) {
    ir_value *v = s->terms[i].v;
    if (s->terms[i].factor != 1) {
      ir_value *k = rewrite_splat(m, at, t, s->terms[i].factor);
      v = ir_result(rewrite_make(m, at, OP_muli, t, 2, (ir_value *[]){v, k}), 0);
    }
    total = total ? ir_result(rewrite_make(m, at, OP_addi, t, 2, (ir_value *[]){total, v}), 0) : v;
  }
  if (total && !s->number) return total;
  ir_value *k = rewrite_splat(m, at, t, s->number);
  if (!total) return k;
  return ir_result(rewrite_make(m, at, OP_addi, t, 2, (ir_value *[]){total, k}), 0);
}
