/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/phases.h"

#include "block/barriers.h"
#include "block/cluster.h"
#include "block/sums.h"
#include "ir/block/clusters.h"
#include "num/int.h"
#include "opt/rewrite.h"

enum {
  MOST_STATES = 512,    /* at one place */
  MOST_STEPS = 1 << 18, /* operations times states */
  MAX_DEPTH = 8,
  MOST_BARRIERS = 256,
  MOST_PERIOD = 256,
  NAMED = 16 * IR_MOST_CLUSTER /* of all tile blocks of a cluster */
};

/* What is known of a scalar: nothing; its bits; or what it is modulo a number, and perhaps that it
 * is not negative. */
typedef enum knowledge { NOTHING, NUMBER, REST, POSITIVE_REST } knowledge;
typedef struct known {
  int64_t kind, number, modulus;
} known;

typedef struct phase_state {
  int64_t count, phase, arrivals, bytes; /* as in barriers.c; of the phase its parity */
} phase_state;

typedef struct state {
  known *values; /* by number */
  phase_state *barriers;
  int64_t come[NAMED];
  /* By rank: how often a tile block has arrived at the cluster's barrier, and waited there, beyond
   * what all have. */
  int64_t arrivals[IR_MOST_CLUSTER], waits[IR_MOST_CLUSTER];
} state;

typedef VEC(state *) states;

typedef struct executor {
  const block_lowering *x;
  const map *threads;
  uint32_t cluster; /* tile blocks */
  map first;        /* alloc_mbarrier -> the number of its first barrier */
  map counters;     /* of loops, that slots or parities are computed from */
  map kinds; /* for -> a number for each argument of its body, the same for those that were equal
                in all iterations so far */
  uint32_t n_values, n_barriers;
  int64_t period; /* counters of loops are known modulo it */
  unsigned steps;
  bool failed;
} executor;

/* ---- scalars -------------------------------------------------------------------------------- */

static bool is_integer(const ir_type *t) {
  return ir_is_scalar(t) && (t->elem == TSR_I1 || t->elem == TSR_I8 || t->elem == TSR_I16 ||
                             t->elem == TSR_I32 || t->elem == TSR_I64);
}

static unsigned bits_of(const ir_value *v) {
  return tsr_elem_bits((tsr_elem)v->type->elem);
}

static known number_of(int64_t n, unsigned bits) {
  return (known){NUMBER, (int64_t)num_wrap((uint64_t)n, bits), 0};
}

static known rest_of(int64_t n, int64_t modulus, bool positive) {
  if (modulus < 2) return (known){0};
  n %= modulus;
  return (known){positive ? POSITIVE_REST : REST, n < 0 ? n + modulus : n, modulus};
}

static known get(const state *s, const ir_value *v) {
  int64_t n;
  if (!is_integer(v->type)) return (known){0};
  if (ir_constant_int(v, &n)) return number_of(n, bits_of(v));
  return s->values[v->number];
}

static bool is_power(int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

/* Sums and products: modulo a power of two whatever wraps around. */
static known combine_rest(op_code opcode, known a, known b) {
  int64_t m = a.kind == NUMBER ? b.modulus : a.modulus;
  if (a.kind != NUMBER && b.kind != NUMBER && a.modulus != b.modulus) return (known){0};
  if (!is_power(m)) return (known){0};
  uint64_t x = (uint64_t)a.number, y = (uint64_t)b.number;
  uint64_t r = opcode == OP_addi ? x + y : opcode == OP_subi ? x - y : x * y;
  return rest_of((int64_t)(r & (uint64_t)(m - 1)), m, false);
}

/* What is known modulo m, divided by a divisor of m, or its rest. */
static known divide_rest(const ir_op *op, known a, int64_t by, bool quotient) {
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  bool plain = a.kind == POSITIVE_REST || (is_power(a.modulus) && !is_signed);
  if (by < 1 || a.modulus % by || !plain) return (known){0};
  if (quotient) return rest_of(a.number / by, a.modulus / by, a.kind == POSITIVE_REST);
  return (known){NUMBER, a.number % by, 0};
}

static known combine_numbers(const ir_op *op, known a, known b) {
  unsigned bits = bits_of(ir_operand(op, 0));
  int64_t x = a.number, y = b.number;
  bool divides = op->opcode == OP_divi || op->opcode == OP_remi || op->opcode == OP_cmpi ||
                 op->opcode == OP_shri || op->opcode == OP_maxi || op->opcode == OP_mini;
  if (divides && ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED) {
    x = num_sext((uint64_t)x, bits);
    if (op->opcode != OP_shri) y = num_sext((uint64_t)y, bits);
  } else if (divides && bits == 64 && (x < 0 || y < 0)) {
    return (known){0};
  }
  int64_t r;
  switch ((op_code)op->opcode) {
  case OP_addi: r = (int64_t)((uint64_t)x + (uint64_t)y); break;
  case OP_subi: r = (int64_t)((uint64_t)x - (uint64_t)y); break;
  case OP_muli: r = (int64_t)((uint64_t)x * (uint64_t)y); break;
  case OP_andi: r = x & y; break;
  case OP_ori: r = x | y; break;
  case OP_xori: r = x ^ y; break;
  case OP_shri:
    if (y < 0 || y >= (int64_t)bits) return (known){0};
    r = x >> y;
    break;
  case OP_maxi: r = MAX(x, y); break;
  case OP_mini: r = MIN(x, y); break;
  case OP_divi:
    if (y < 1 || x < 0 || ir_int_attr(op, ATTR_rounding) != ROUND_ZERO) return (known){0};
    r = x / y;
    break;
  case OP_remi:
    if (y < 1 || x < 0) return (known){0};
    r = x % y;
    break;
  case OP_cmpi:
    switch (ir_int_attr(op, ATTR_comparison_predicate)) {
    case CMP_EQUAL: r = x == y; break;
    case CMP_NOT_EQUAL: r = x != y; break;
    case CMP_LESS: r = x < y; break;
    case CMP_LESS_EQUAL: r = x <= y; break;
    case CMP_GREATER: r = x > y; break;
    default: r = x >= y;
    }
    break;
  default: return (known){0};
  }
  return number_of(r, bits_of(ir_result(op, 0)));
}

static known combine(const ir_op *op, known a, known b) {
  if (!a.kind || !b.kind) return (known){0};
  if (a.kind == NUMBER && b.kind == NUMBER) return combine_numbers(op, a, b);
  switch ((op_code)op->opcode) {
  case OP_addi:
  case OP_subi:
  case OP_muli: return combine_rest((op_code)op->opcode, a, b);
  case OP_andi:
    if (a.kind == NUMBER) return combine(op, b, a);
    if (b.kind != NUMBER || !is_power(b.number + 1) || a.modulus % (b.number + 1))
      return (known){0};
    return (known){NUMBER, a.number & b.number, 0};
  case OP_shri:
    if (b.kind != NUMBER || b.number > 30 || a.modulus % (INT64_C(1) << b.number))
      return (known){0};
    return divide_rest(op, a, INT64_C(1) << b.number, true);
  case OP_divi:
    if (ir_int_attr(op, ATTR_rounding) != ROUND_ZERO) return (known){0};
    return b.kind == NUMBER ? divide_rest(op, a, b.number, true) : (known){0};
  case OP_remi: return b.kind == NUMBER ? divide_rest(op, a, b.number, false) : (known){0};
  default: return (known){0};
  }
}

static known widen(const ir_op *op, known a) {
  unsigned from = bits_of(ir_operand(op, 0)), to = bits_of(ir_result(op, 0));
  if (a.kind != NUMBER) return a.kind == POSITIVE_REST && to >= from ? a : (known){0};
  if (op->opcode == OP_exti && ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED)
    return number_of(num_sext((uint64_t)a.number, from), to);
  return number_of(a.number, to);
}

static known evaluate(const state *s, const ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_exti:
  case OP_trunci: return widen(op, get(s, ir_operand(op, 0)));
  case OP_select: {
    known c = get(s, ir_operand(op, 0));
    if (c.kind != NUMBER) return (known){0};
    return get(s, ir_operand(op, c.number ? 1 : 2));
  }
  case OP_assume: return get(s, ir_operand(op, 0));
  default:
    if (op->n_operands != 2 || !ir_only_computes(op)) return (known){0};
    return combine(op, get(s, ir_operand(op, 0)), get(s, ir_operand(op, 1)));
  }
}

/* ---- barriers ------------------------------------------------------------------------------- */

static int64_t threads_of(const executor *e, const ir_op *op) {
  const uintptr_t *n = map_get(e->threads, (uintptr_t)op);
  return n ? (int64_t)*n : 0;
}

/* The barriers that an operation is on; none: it is not known. */
static phase_state *barriers_of(const executor *e, const state *s, const ir_op *op, int64_t *n) {
  const ir_value *v = ir_operand(op, 0), *index = ir_operand_in(op, 1);
  const uintptr_t *first = map_get(&e->first, (uintptr_t)ir_defining_op(v));
  if (!first) return NULL;
  phase_state *all = s->barriers + *first;
  *n = v->type->count;
  if (!index) return all;
  known k = get(s, index);
  if (k.kind != NUMBER || k.number >= *n) return NULL;
  *n = 1;
  return all + k.number;
}

static void arrive(phase_state *b, int64_t arrivals, int64_t bytes) {
  b->arrivals -= arrivals;
  b->bytes += bytes;
  if (!b->count || b->arrivals > 0 || b->bytes) return;
  b->phase ^= 1;
  b->arrivals = b->count;
}

static bool passes(const state *s, const ir_op *wait, const phase_state *b) {
  known parity = get(s, ir_operand_in(wait, 2));
  return parity.kind == NUMBER && b->count && (parity.number & 1) != b->phase;
}

/* False: it waits, or nobody knows. */
static bool meet(const executor *e, state *s, const ir_op *op) {
  int64_t *come = &s->come[ir_int_attr(op, ATTR_id) % NAMED];
  *come += threads_of(e, op);
  bool all = *come >= ir_int_attr(op, ATTR_count);
  if (all) *come = 0;
  return all || op->opcode == OP_barrier_arrive;
}

/* Only differences count, so that states repeat. */
static void forget_common(const executor *e, state *s) {
  int64_t common = s->waits[0];
  for (uint32_t r = 1; r < e->cluster; r++) common = MIN(common, s->waits[r]);
  for (uint32_t r = 0; r < e->cluster; r++) {
    s->arrivals[r] -= common;
    s->waits[r] -= common;
  }
}

static bool meet_cluster(const executor *e, state *s, const ir_op *op) {
  uint32_t rank = cluster_rank_of(op);
  if (op->opcode == OP_cluster_arrive) {
    s->arrivals[rank]++;
    return true;
  }
  for (uint32_t r = 0; r < e->cluster; r++)
    if (s->arrivals[r] <= s->waits[rank]) return false;
  s->waits[rank]++;
  forget_common(e, s);
  return true;
}

static bool execute_barrier(const executor *e, state *s, const ir_op *op) {
  if (op->opcode == OP_cluster_arrive || op->opcode == OP_cluster_wait)
    return meet_cluster(e, s, op);
  if (op->opcode == OP_barrier_wait || op->opcode == OP_barrier_arrive) return meet(e, s, op);
  int64_t n, count = op->opcode == OP_mbarrier_init ? ir_int_attr(op, ATTR_count) : 0;
  phase_state *b;
  if (op->opcode == OP_alloc_mbarrier) {
    memset(s->barriers + *map_get(&e->first, (uintptr_t)op), 0,
           (size_t)ir_result(op, 0)->type->count * sizeof *b);
    return true;
  }
  if (!(b = barriers_of(e, s, op, &n))) return false;
  if (op->opcode == OP_mbarrier_wait) return passes(s, op, b);
  for (int64_t k = 0; k < n && count; k++) b[k] = (phase_state){.count = count, .arrivals = count};
  if (!count)
    arrive(b, barrier_arrivals(op, threads_of(e, op)), barrier_bytes(op, threads_of(e, op)));
  return true;
}

static bool is_barrier(const ir_op *op) {
  return op->opcode == OP_barrier_wait || op->opcode == OP_barrier_arrive ||
         op->opcode == OP_cluster_wait || op->opcode == OP_cluster_arrive ||
         ir_row(op)->group == GROUP_MBARRIER;
}

static bool note_barrier(void *user, ir_op *op) {
  *(bool *)user |= is_barrier(op);
  return !*(bool *)user;
}

static bool has_barriers(const ir_op *op) {
  bool found = false;
  ir_walk((ir_op *)(uintptr_t)op, note_barrier, &found);
  return found;
}

/* ---- states --------------------------------------------------------------------------------- */

static state *copy_state(const executor *e, const state *s) {
  state *c = arena_new(e->x->arena, state);
  *c = *s;
  c->values = arena_array(e->x->arena, known, MAX(e->n_values, 1));
  c->barriers = arena_array(e->x->arena, phase_state, MAX(e->n_barriers, 1));
  memcpy(c->values, s->values, e->n_values * sizeof *c->values);
  memcpy(c->barriers, s->barriers, e->n_barriers * sizeof *c->barriers);
  return c;
}

static bool same_state(const executor *e, const state *a, const state *b) {
  return memcmp(a->values, b->values, e->n_values * sizeof *a->values) == 0 &&
         memcmp(a->barriers, b->barriers, e->n_barriers * sizeof *a->barriers) == 0 &&
         memcmp(a->come, b->come, sizeof a->come) == 0 &&
         memcmp(a->arrivals, b->arrivals, sizeof a->arrivals) == 0 &&
         memcmp(a->waits, b->waits, sizeof a->waits) == 0;
}

/* Adds it where it is not there yet. */
static void add_state(executor *e, states *list, state *s) {
  for (uint32_t i = 0; i < list->len; i++)
    if (same_state(e, list->data[i], s)) return;
  if (list->len >= MOST_STATES) e->failed = true;
  vec_push(e->x->arena, *list, s);
}

static bool forget(void *user, ir_op *op) {
  state *s = user;
  for (uint32_t i = 0; i < op->n_results; i++) s->values[op->results[i].number] = (known){0};
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      s->values[op->regions[r]->args[i].number] = (known){0};
  return true;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void execute_block(executor *e, ir_block *b, states *now);

static void begin_loop(const executor *e, const ir_op *loop, state *s) {
  const ir_block *body = loop->regions[0];
  known low = get(s, ir_operand(loop, 0));
  bool counts = low.kind == NUMBER && map_get(&e->counters, (uintptr_t)&body->args[0]) &&
                num_sext((uint64_t)low.number, bits_of(&body->args[0])) >= 0;
  known first = counts ? rest_of(low.number, e->period, true) : (known){0};
  VEC(known) inits = {0};
  for (uint32_t i = 1; i < body->n_args; i++)
    vec_push(e->x->arena, inits, get(s, ir_operand(loop, 2 + i)));
  s->values[body->args[0].number] = first;
  for (uint32_t i = 1; i < body->n_args; i++) s->values[body->args[i].number] = inits.data[i - 1];
}

/* At the end of the body. */
static void next_iteration(const executor *e, const ir_op *loop, state *s) {
  const ir_block *body = loop->regions[0];
  const ir_op *end = body->last;
  VEC(known) next = {0};
  int64_t step;
  known counter = s->values[body->args[0].number];
  if (counter.kind != NOTHING && ir_constant_int(ir_operand(loop, 2), &step) && step > 0)
    counter = rest_of(counter.number + step % e->period, e->period, true);
  else
    counter = (known){0};
  for (uint32_t i = 0; i < end->n_operands; i++)
    vec_push(e->x->arena, next, get(s, ir_operand(end, i)));
  for (ir_op *op = body->first; op; op = op->next) ir_walk(op, forget, s);
  s->values[body->args[0].number] = counter;
  for (uint32_t i = 0; i < end->n_operands; i++) s->values[body->args[1 + i].number] = next.data[i];
}

static void leave_loop(executor *e, ir_op *loop, const state *head, states *out) {
  state *s = copy_state(e, head);
  const ir_block *body = loop->regions[0];
  VEC(known) results = {0};
  for (uint32_t i = 0; i < loop->n_results; i++)
    vec_push(e->x->arena, results, s->values[body->args[1 + i].number]);
  ir_walk(loop, forget, s);
  for (uint32_t i = 0; i < loop->n_results; i++)
    s->values[loop->results[i].number] = results.data[i];
  add_state(e, out, s);
}

/* Arguments of one kind that differ in a state are of different kinds from now on. */
static void tell_apart(executor *e, const ir_op *loop, const state *s) {
  const ir_block *body = loop->regions[0];
  uint32_t n = body->n_args;
  uintptr_t *slot = map_put(e->x->arena, &e->kinds, (uintptr_t)loop);
  uint32_t *old = (uint32_t *)*slot, *kinds = arena_array(e->x->arena, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    known a = get(s, &body->args[i]);
    kinds[i] = i;
    for (uint32_t k = i; k-- > 0 && a.kind == NUMBER;) {
      known b = get(s, &body->args[k]);
      bool alike = body->args[k].type == body->args[i].type && b.kind == NUMBER &&
                   b.number == a.number && (!old || old[k] == old[i]);
      if (alike) kinds[i] = kinds[k];
    }
  }
  *slot = (uintptr_t)kinds;
}

/* The loop may end before any iteration. */
static void execute_for(executor *e, ir_op *loop, states *now) {
  states heads = {0}, out = {0};
  for (uint32_t i = 0; i < now->len; i++) {
    begin_loop(e, loop, now->data[i]);
    add_state(e, &heads, now->data[i]);
  }
  for (uint32_t i = 0; i < heads.len && !e->failed; i++) {
    states body = {0};
    tell_apart(e, loop, heads.data[i]);
    leave_loop(e, loop, heads.data[i], &out);
    vec_push(e->x->arena, body, copy_state(e, heads.data[i]));
    execute_block(e, loop->regions[0], &body);
    for (uint32_t k = 0; k < body.len && !e->failed; k++) {
      next_iteration(e, loop, body.data[k]);
      add_state(e, &heads, body.data[k]);
    }
  }
  *now = out;
}

static void execute_if(executor *e, ir_op *op, states *now) {
  states out = {0};
  for (uint32_t i = 0; i < now->len && !e->failed; i++) {
    state *s = now->data[i];
    known c = get(s, ir_operand(op, 0));
    if (c.kind != NUMBER || can_leave(op)) {
      e->failed = true;
      return;
    }
    ir_block *taken = op->regions[c.number ? 0 : 1];
    states one = {0};
    vec_push(e->x->arena, one, s);
    if (taken) execute_block(e, taken, &one);
    for (uint32_t k = 0; k < one.len; k++) {
      for (uint32_t r = 0; taken && r < op->n_results; r++)
        one.data[k]->values[op->results[r].number] = get(one.data[k], ir_operand(taken->last, r));
      add_state(e, &out, one.data[k]);
    }
  }
  *now = out;
}

static void execute_op(executor *e, ir_op *op, states *now) {
  if (op->n_regions && has_barriers(op)) {
    if (op->opcode == OP_for && !has_early_exit(op->regions[0]))
      execute_for(e, op, now);
    else if (op->opcode == OP_if)
      execute_if(e, op, now);
    else
      e->failed = true;
    return;
  }
  for (uint32_t i = 0; i < now->len && !e->failed; i++) {
    state *s = now->data[i];
    e->failed |= ++e->steps > MOST_STEPS || (is_barrier(op) && !execute_barrier(e, s, op));
    if (op->n_results == 1 && is_integer(op->results[0].type))
      s->values[op->results[0].number] = op->n_regions ? (known){0} : evaluate(s, op);
  }
}

static void execute_block(executor *e, ir_block *b, states *now) {
  for (ir_op *op = b->first; op && !e->failed; op = op->next)
    if (!ir_is_terminator(op)) execute_op(e, op, now);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* The values that a sum or product is computed from. */
static void note_counters(executor *e, const ir_value *v, unsigned depth) {
  const ir_op *made = ir_defining_op(v);
  if (!made) *map_put(e->x->arena, &e->counters, (uintptr_t)v) = 1;
  if (!made || !ir_only_computes(made) || depth == MAX_DEPTH) return;
  for (uint32_t i = 0; i < made->n_operands; i++) note_counters(e, ir_operand(made, i), depth + 1);
}

/* Numbers that scalars are divided by make the period of slots, and with their parities. */
static bool note_divisor(void *user, ir_op *op) {
  executor *e = user;
  int64_t n;
  if (op->opcode == OP_alloc_mbarrier) {
    *map_put(e->x->arena, &e->first, (uintptr_t)op) = e->n_barriers;
    e->n_barriers += (uint32_t)ir_result(op, 0)->type->count;
  }
  bool divides = op->opcode == OP_divi || op->opcode == OP_remi || op->opcode == OP_andi ||
                 op->opcode == OP_shri;
  if (!divides || !is_integer(ir_result(op, 0)->type) || !ir_constant_int(ir_operand(op, 1), &n))
    return true;
  note_counters(e, ir_operand(op, 0), 0);
  if (op->opcode == OP_andi) n++;
  if (op->opcode == OP_shri) n = n >= 0 && n < 6 ? INT64_C(1) << n : 0;
  if (n > 1 && n <= 64 && sum_common_multiple(e->period, n) <= MOST_PERIOD / 2)
    e->period = sum_common_multiple(e->period, n);
  return true;
}

/* Values that loops hand on and that are always equal become one: a slot as its producer and as its
 * consumers count it. */
static bool unite_equals(void *user, ir_op *op) {
  const executor *e = user;
  const uint32_t *kinds = map_ptr(&e->kinds, op);
  for (uint32_t i = 0; kinds && i < op->regions[0]->n_args; i++) {
    ir_value *args = op->regions[0]->args;
    if (kinds[i] != i) rewrite_replace_value(&args[i], &args[kinds[i]]);
  }
  return true;
}

bool phases_hold(const block_lowering *x, const map *threads) {
  executor e = {.x = x, .threads = threads, .period = 1};
  e.cluster = ir_cluster_of(x->entry, (uint32_t[3]){0});
  ir_walk(x->entry, note_divisor, &e);
  if (e.n_barriers > MOST_BARRIERS) return false;
  e.period *= e.period * e.period <= MOST_PERIOD ? e.period : 2;
  e.n_values = ir_number_values(x->entry);
  state *first = arena_new(x->arena, state);
  *first = (state){.values = arena_array(x->arena, known, MAX(e.n_values, 1)),
                   .barriers = arena_array(x->arena, phase_state, MAX(e.n_barriers, 1))};
  memset(first->values, 0, e.n_values * sizeof *first->values);
  memset(first->barriers, 0, e.n_barriers * sizeof *first->barriers);
  states now = {0};
  vec_push(x->arena, now, first);
  execute_block(&e, x->entry->regions[0], &now);
  if (!e.failed) ir_walk(x->entry, unite_equals, &e);
  return !e.failed;
}

static void erase_barriers(ir_block *b) {
  for (ir_op *op = b->last, *prev; op; op = prev) {
    prev = op->prev;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) erase_barriers(op->regions[r]);
    if (is_barrier(op)) ir_op_erase(op);
  }
}

void phases_erase(const block_lowering *x) {
  erase_barriers(x->entry->regions[0]);
}
