/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/runs.h"

enum {
  MOST_BITS = 8,     /* of a run */
  MOST_VISITS = 512, /* values that are looked at to find a run */
  MOST_DEPTH = 48,   /* of expressions */
  MOST_CARRIED = 4,  /* loops whose iteration values are being looked at */
  MOST_ROUNDS = 4,   /* until what a loop carries is the same in every iteration */
};

static const uint64_t ANY = UINT64_C(1) << 62; /* divides 0 */

/* D + step * j, D a multiple of `divisor`, a power of two. */
typedef struct line {
  int64_t step;
  uint64_t divisor;
} line;

typedef struct search {
  const facts *facts;
  unsigned n; /* bits of a run */
  unsigned visits, depth;
  struct {
    const ir_value *v;
    line is;
  } carried[MOST_CARRIED]; /* presumed of iteration values */
  unsigned n_carried;
} search;

static bool line_of(search *s, const ir_value *v, const int8_t *bits, line *out);

/* ---- lines ---------------------------------------------------------------------------------- */

static uint64_t divisor_of(const search *s, const ir_value *v) {
  uint64_t d = facts_of(s->facts, v).divisor;
  return d && d < ANY ? d : ANY;
}

/* A power of two times at least `by`'s. */
static uint64_t times(uint64_t divisor, uint64_t by) {
  by &= 0 - by;
  if (by == 0) return ANY;
  return divisor >= ANY / by ? ANY : divisor * by;
}

/* Nowhere in a run is anything carried beyond the bits below D's, nor into the sign: so a number of
 * the type of `v` does not wrap around. */
static bool stays_below(const search *s, const ir_value *v, line l) {
  if (l.step == 0) return true;
  if (l.step < 0 || l.step > INT32_MAX) return false;
  uint64_t sign = UINT64_C(1) << (tsr_elem_bits((tsr_elem)v->type->elem) - 1);
  return (uint64_t)l.step << s->n <= MIN(l.divisor, sign);
}

static line sum(line a, line b) {
  return (line){a.step + b.step, MIN(a.divisor, b.divisor)};
}

/* The same in all of a run. */
static bool is_level(search *s, const ir_value *v, const int8_t *bits) {
  line l;
  return line_of(s, v, bits, &l) && l.step == 0;
}

/* ---- what makes lines ----------------------------------------------------------------------- */

static bool of_iota(const search *s, const int8_t *bits, line *out) {
  for (unsigned j = 1; j < s->n; j++)
    if (bits[j] != bits[0] + (int)j) return false;
  *out = (line){INT64_C(1) << bits[0], bits[0] ? 1 : UINT64_C(1) << s->n};
  return true;
}

/* The run's bits in the source of an index operation. */
static void source_bits(const search *s, const ir_op *op, const int8_t *bits, int8_t *from) {
  simt_map m = simt_map_of(op);
  for (unsigned j = 0; j < s->n; j++) {
    from[j] = SIMT_COPY;
    for (unsigned k = 0; k < m.from_n; k++)
      if (m.to[k] == bits[j]) from[j] = (int8_t)k;
  }
}

/* `every e along a`: elements count up along a dimension, from multiples of the divisor on. */
static bool of_assume(search *s, const ir_op *op, const int8_t *bits, line *out) {
  const ir_predicate *p = ir_get_attr(op, ATTR_predicate)->predicate;
  const ir_type *t = ir_result(op, 0)->type;
  int8_t first = 0;
  if (p->kind == IR_DIV_BY && p->has_every && p->every >> s->n > 0) {
    unsigned low, n;
    simt_dim_bits(t, (unsigned)p->along, &low, &n);
    first = (int8_t)low;
    bool along = s->n <= n && (p->every & (p->every - 1)) == 0;
    for (unsigned j = 0; j < s->n; j++) along &= bits[j] == first + (int)j;
    if (along) {
      bool pointer = t->elem == TSR_PTR;
      unsigned size = pointer ? MAX(tsr_elem_bits((tsr_elem)t->pointee) / 8, 1u) : 1;
      *out = (line){size, MIN(p->divisor, ANY)};
      return true;
    }
  }
  return line_of(s, ir_operand(op, 0), bits, out);
}

static bool scaled(search *s, const ir_op *op, const int8_t *bits, bool shift, line *out) {
  for (unsigned i = 0; i < (shift ? 1u : 2u); i++) {
    int64_t factor;
    if (!fact_is_number(facts_of(s->facts, ir_operand(op, 1 - i)), &factor)) continue;
    if (factor < 0 || factor > (shift ? 30 : INT32_MAX)) continue;
    if (!line_of(s, ir_operand(op, i), bits, out)) return false;
    if (shift) factor = INT64_C(1) << factor;
    if (out->step > INT32_MAX) return false;
    *out = (line){out->step * factor, times(out->divisor, (uint64_t)factor)};
    return true;
  }
  return false;
}

static bool of_offset(search *s, const ir_op *op, const int8_t *bits, line *out) {
  line from, by;
  unsigned size = tsr_elem_bits((tsr_elem)ir_result(op, 0)->type->pointee) / 8;
  if (size == 0 || !line_of(s, ir_operand(op, 0), bits, &from)) return false;
  if (!line_of(s, ir_operand(op, 1), bits, &by) || by.step > INT32_MAX) return false;
  bool narrow = tsr_elem_bits((tsr_elem)ir_operand(op, 1)->type->elem) < 64;
  if (narrow && !stays_below(s, ir_operand(op, 1), by)) return false;
  by = (line){by.step * size, times(by.divisor, size)};
  *out = sum(from, by);
  return true;
}

static bool all_level(search *s, const ir_op *op, const int8_t *bits) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!is_level(s, ir_operand(op, i), bits)) return false;
  return true;
}

static bool of_sum(search *s, const ir_op *op, const int8_t *bits, line *out) {
  line b;
  if (!line_of(s, ir_operand(op, 0), bits, out) || !line_of(s, ir_operand(op, 1), bits, &b))
    return false;
  if (op->opcode == OP_subi) b.step = -b.step;
  *out = sum(*out, b);
  return out->step >= 0;
}

/* ---- what loops carry ----------------------------------------------------------------------- */

static bool is_other_continue(void *user, ir_op *op) {
  return op->opcode != OP_continue || op == (ir_op *)user || op->block->parent->opcode != OP_if;
}

/* An iteration value is the line that it begins as if every iteration hands on such a line. */
static bool of_carried(search *s, const ir_value *v, const int8_t *bits, line *out) {
  ir_op *loop = v->owner.block->parent;
  ir_op *last = ir_terminator(v->owner.block);
  if (loop->opcode != OP_for || v->index == 0 || s->n_carried == MOST_CARRIED) return false;
  if (!last || last->opcode != OP_continue || !ir_walk(loop, is_other_continue, last)) return false;
  uint32_t n;
  const ir_use *init = ir_operand_group(loop, 3, &n);
  line is, next;
  if (!line_of(s, init[v->index - 1].value, bits, &is)) return false;
  for (unsigned round = 0; round < MOST_ROUNDS; round++) {
    s->carried[s->n_carried].v = v;
    s->carried[s->n_carried++].is = is;
    bool known = line_of(s, ir_operand(last, v->index - 1), bits, &next);
    s->n_carried--;
    if (!known || next.step != is.step) return false;
    *out = is;
    if (next.divisor >= is.divisor) return true;
    is.divisor = next.divisor;
  }
  return false;
}

static bool of_argument(search *s, const ir_value *v, const int8_t *bits, line *out) {
  for (unsigned i = 0; i < s->n_carried; i++)
    if (s->carried[i].v == v) {
      *out = s->carried[i].is;
      return true;
    }
  return of_carried(s, v, bits, out);
}

/* ---- values --------------------------------------------------------------------------------- */

static bool of_operation(search *s, const ir_op *op, const int8_t *bits, line *out) {
  int8_t from[MOST_BITS];
  switch (op->opcode) {
  case OP_iota: return of_iota(s, bits, out);
  case OP_reshape:
  case OP_permute:
  case OP_broadcast:
    source_bits(s, op, bits, from);
    return line_of(s, ir_operand(op, 0), from, out);
  case OP_assume: return of_assume(s, op, bits, out);
  case OP_addi:
  case OP_subi: return of_sum(s, op, bits, out);
  case OP_muli:
    if (scaled(s, op, bits, false, out)) return true;
    break;
  case OP_shli:
    if (scaled(s, op, bits, true, out)) return true;
    break;
  case OP_exti:
    return line_of(s, ir_operand(op, 0), bits, out) && stays_below(s, ir_operand(op, 0), *out);
  case OP_offset: return of_offset(s, op, bits, out);
  case OP_trunci:
  case OP_ptr_to_int:
  case OP_int_to_ptr:
  case OP_ptr_to_ptr: return line_of(s, ir_operand(op, 0), bits, out);
  case OP_constant:
    if (ir_get_attr(op, ATTR_value)->dense->splat) break;
    return false;
  default: break;
  }
  if (op->opcode != OP_constant && !(ir_row(op)->traits & TRAIT_ELEMENTWISE)) return false;
  *out = (line){0, divisor_of(s, ir_result(op, 0))};
  return all_level(s, op, bits);
}

static bool line_of(search *s, const ir_value *v, const int8_t *bits, line *out) {
  unsigned copies = 0;
  if (v->type->kind != IR_TILE || ++s->visits > MOST_VISITS || s->depth == MOST_DEPTH) return false;
  for (unsigned j = 0; j < s->n; j++) copies += bits[j] == SIMT_COPY;
  if (copies == s->n || v->type->count == 1) {
    *out = (line){0, divisor_of(s, v)};
    return true;
  }
  if (copies) return false;
  s->depth++;
  const ir_op *op = ir_defining_op(v);
  bool known = op ? of_operation(s, op, bits, out) : of_argument(s, v, bits, out);
  s->depth--;
  return known;
}

/* ---- masks ---------------------------------------------------------------------------------- */

/* x < limit, for a line x: a run lies below as a whole when both begin at multiples of it. */
static bool is_cut_between_runs(search *s, const ir_value *x, const ir_value *limit,
                                const int8_t *bits) {
  line of_x, of_limit;
  if (!line_of(s, x, bits, &of_x) || !line_of(s, limit, bits, &of_limit)) return false;
  if (of_limit.step != 0) return false;
  return of_x.step == 0 ||
         (stays_below(s, x, of_x) && of_limit.divisor >= (uint64_t)of_x.step << s->n);
}

static bool is_whole(search *s, const ir_value *mask, const int8_t *bits) {
  int8_t from[MOST_BITS];
  const ir_op *op = ir_defining_op(mask);
  if (mask->type->count == 1) return true;
  if (!op || ++s->visits > MOST_VISITS || s->depth == MOST_DEPTH) return false;
  if (is_level(s, mask, bits)) return true;
  s->depth++;
  bool whole = false;
  int64_t how = op->opcode == OP_cmpi ? ir_int_attr(op, ATTR_comparison_predicate) : -1;
  switch (op->opcode) {
  case OP_reshape:
  case OP_permute:
  case OP_broadcast:
    source_bits(s, op, bits, from);
    whole = is_whole(s, ir_operand(op, 0), from);
    break;
  case OP_andi:
  case OP_ori:
  case OP_xori:
    whole = is_whole(s, ir_operand(op, 0), bits) && is_whole(s, ir_operand(op, 1), bits);
    break;
  case OP_cmpi:
    if (how == CMP_LESS || how == CMP_GREATER_EQUAL)
      whole = is_cut_between_runs(s, ir_operand(op, 0), ir_operand(op, 1), bits);
    if (how == CMP_GREATER || how == CMP_LESS_EQUAL)
      whole = is_cut_between_runs(s, ir_operand(op, 1), ir_operand(op, 0), bits);
    break;
  default: break;
  }
  s->depth--;
  return whole;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* A run of 2^n elements, of which at least the addresses follow each other. */
static bool find_run(const facts *known, const ir_value *pointers, const ir_value *mask,
                     const int8_t *bits, unsigned n, simt_run *out) {
  unsigned size = tsr_elem_bits((tsr_elem)pointers->type->pointee) / 8;
  search s = {.facts = known, .n = n};
  line l;
  if (!line_of(&s, pointers, bits, &l) || l.step != size) return false;
  s.visits = 0;
  *out = (simt_run){.bits = (uint8_t)n,
                    .test_alignment = l.divisor < (uint64_t)size << n,
                    .test_mask = mask && !is_whole(&s, mask, bits)};
  return true;
}

simt_run simt_pointer_run(const facts *known, const ir_value *pointers, const ir_value *mask,
                          const int8_t *bits, unsigned most) {
  simt_run tested = {0}, r;
  if (tsr_elem_bits((tsr_elem)pointers->type->pointee) < 8) return tested;
  for (unsigned n = MIN(most, (unsigned)MOST_BITS); n; n--) {
    if (!find_run(known, pointers, mask, bits, n, &r)) continue;
    if (!r.test_alignment && !r.test_mask) return r;
    if (!tested.bits) tested = r;
  }
  return tested;
}

unsigned simt_pointer_order(const facts *known, const ir_value *pointers,
                            uint8_t order[SIMT_BITS]) {
  const ir_type *t = pointers->type;
  unsigned packed = t->rank, at = 0, run = 0;
  for (unsigned d = t->rank; d-- > 0 && packed == t->rank;) {
    unsigned first, n;
    int8_t bits[MOST_BITS];
    simt_dim_bits(t, d, &first, &n);
    for (unsigned j = 0; j < MIN(n, (unsigned)MOST_BITS); j++) bits[j] = (int8_t)(first + j);
    run = simt_pointer_run(known, pointers, NULL, bits, MIN(n, 4u)).bits;
    if (run) packed = d;
  }
  for (unsigned turn = 0; turn < 2; turn++)
    for (unsigned d = t->rank; d-- > 0;) {
      unsigned first, n;
      if ((d == packed) != (turn == 0)) continue;
      simt_dim_bits(t, d, &first, &n);
      for (unsigned k = 0; k < n; k++) order[at++] = (uint8_t)(first + k);
    }
  return run;
}
