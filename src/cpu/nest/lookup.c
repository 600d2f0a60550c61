/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of four bits, by looking them up: a register holds what comes out for each of the 16
 * patterns, and one permutation picks a number for every lane. So a 4-bit float is decoded in one
 * instruction, and so is whatever a program does to half a byte (cut it out, extend its sign, make
 * it a float, take a zero point off, scale it by a constant), because a chain of element-wise
 * operations with constants is a function of the element that it begins with: gen_lookup evaluates
 * it for all elements that there are, by exec_scalar, and sees which bits it depends on.
 */
#include "num/num.h"
#include "exec/scalar.h"
#include "llvm/lanes.h"
#include "llvm/lookup.h"

#include "cpu/nest/lookup.h"

#include "cpu/core/notes.h"
#include "cpu/plan/plan.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/nest.h"

enum { CHAIN = 12, PATTERNS = 256, ENTRIES = 16 };

/* ---- chains --------------------------------------------------------------------------------- */

typedef struct chain_step {
  exec_elementwise what;
  unsigned at;          /* which operand comes from the step before */
  uint64_t operands[3]; /* the others */
} chain_step;

/* Of `op`: all operands but one are constants, which are put down. */
static bool take_step(const ir_op *op, chain_step *s, ir_value **from) {
  *from = NULL;
  s->what = exec_elementwise_of(op);
  if (s->what.n_operands > ARRAY_LEN(s->operands)) return false;
  for (unsigned i = 0; i < s->what.n_operands; i++) {
    ir_value *v = ir_operand(op, i), *constant = plan_uniform(v);
    const ir_op *by = constant ? ir_defining_op(constant) : NULL;
    if (by && by->opcode == OP_constant) {
      s->operands[i] = ir_dense_get(ir_get_attr(by, ATTR_value)->dense, 0);
    } else if (*from == NULL || *from == v) {
      if (*from == v) return false;
      *from = v;
      s->at = i;
    } else {
      return false;
    }
  }
  return *from != NULL;
}

/* The chain that ends in `op`, last step first. */
static unsigned follow(lower *l, const ir_op *op, chain_step *steps, ir_value **from) {
  unsigned n = 0;
  ir_value *v;
  while (n < CHAIN && take_step(op, &steps[n], &v)) {
    n++;
    *from = v;
    op = ir_defining_op(v);
    if (value_of(l, v)->kind != VALUE_LAZY || value_of(l, v)->pending || !op ||
        !(ir_row(op)->traits & TRAIT_ELEMENTWISE))
      break;
  }
  return n;
}

static uint64_t run_chain(const chain_step *steps, unsigned n, uint64_t pattern) {
  while (n-- > 0) {
    uint64_t operands[3];
    memcpy(operands, steps[n].operands, sizeof operands);
    operands[steps[n].at] = pattern;
    pattern = exec_scalar(&steps[n].what, operands);
  }
  return pattern;
}

/* Does results[i] depend on i's four bits from `shift` on only? */
static bool depends_on(const uint64_t *results, unsigned count, unsigned shift) {
  for (unsigned i = 0; i < count; i++)
    if (results[i] != results[(i >> shift & 15) << shift]) return false;
  return true;
}

/* From what a chain of n steps gives for each pattern of `from`; `to` is the type of that. */
static bool take_results(lookup *r, const chain_step *steps, unsigned n, ir_value *from,
                         tsr_elem to) {
  uint64_t results[PATTERNS];
  unsigned count = 1u << tsr_elem_bits((tsr_elem)from->type->elem);
  if (!tsr_elem_is_float(to) || tsr_elem_bits(to) > 32) return false;
  for (unsigned i = 0; i < count; i++) {
    results[i] = run_chain(steps, n, i);
    if (num_is_nan(num_format_of(to), results[i])) return false;
  }
  r->high = !depends_on(results, count, 0);
  if (r->high && !depends_on(results, count, 4)) return false;
  for (unsigned i = 0; i < ENTRIES; i++) {
    double number = num_decode(num_format_of(to), results[r->high ? i << 4 : i]);
    r->bits[i] = num_f32_bits((float)number);
  }
  r->from = from;
  return true;
}

bool lookup_of(lower *l, ir_value *v, lookup *out) {
  chain_step steps[CHAIN];
  ir_value *from = v;
  const ir_op *op = ir_defining_op(v);
  bool chained =
      op && (ir_row(op)->traits & TRAIT_ELEMENTWISE) && value_of(l, v)->kind == VALUE_LAZY;
  unsigned n = chained ? follow(l, op, steps, &from) : 0;
  *out = (lookup){0};
  if (from->type->kind != IR_TILE) return false;
  tsr_elem elem = (tsr_elem)from->type->elem;
  if (elem != TSR_I8 && tsr_elem_bits(elem) != 4) return false;
  return take_results(out, steps, n, from, (tsr_elem)v->type->elem);
}

/* Operations from which on a byte's half is looked up rather than computed with, one of which
 * widens it: without AVX-512 a lookup is two permutations and a choice. */
static unsigned least_chain(const emit *e) {
  return e->vector_bits >= 512 || e->arm ? 2 : 6;
}

/* The same of what gen_lookup can look up: by integers, and what takes long enough. */
static void find_lookup(lower *l, ir_op *op, lookup *r) {
  chain_step steps[CHAIN];
  ir_value *from;
  unsigned n = follow(l, op, steps, &from);
  if (n == 0 || from->type->kind != IR_TILE) return;
  tsr_elem elem = (tsr_elem)from->type->elem;
  if (elem != TSR_I4 && (elem != TSR_I8 || n < least_chain(&l->e))) return;
  take_results(r, steps, n, from, (tsr_elem)ir_result(op, 0)->type->elem);
}

bool gen_lookup(nest *n, ir_op *op, const index_map *m, lane_value *out) {
  lower *l = n->l;
  emit *e = &l->e;
  if (!is_on(l, PATTERN_LOOKUP) || !emit_has_lookup(e, nest_lane_count(n))) return false;
  uintptr_t *known = map_put(l->arena, &l->lookups, (uintptr_t)op);
  if (*known == 0) {
    lookup *new = arena_new(l->arena, lookup);
    *new = (lookup){0};
    find_lookup(l, op, new);
    *known = (uintptr_t) new;
  }
  const lookup *r = (const lookup *)*known;
  if (r->from == NULL) return false;
  lane_value from = gen(n, r->from, m);
  if (emit_lanes(from.v) == 1) return false;
  nest_place_level(n, from.level);
  lanes index = l_zext(e, from.v, e->i32);
  NOTE_MATCH(l, LOOKUP, .op = op, .n = {r->high});
  if (r->high) index = i_lshrk(e, index, 4);
  *out = (lane_value){.v = emit_lookup(e, r->bits, index), .level = from.level};
  return true;
}
