/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The value of an expression for the lanes of one iteration of a nest. What does not differ
 * between lanes is a scalar; what an outer loop determines is emitted in that loop's block; what
 * was emitted once is not emitted again.
 */
#include "exec/scalar.h"
#include "llvm/divide.h"
#include "llvm/elementwise.h"
#include "llvm/nans.h"

#include "cpu/nest/gen.h"

#include "cpu/core/fold.h"
#include "cpu/plan/map.h"
#include "cpu/plan/mask.h"
#include "cpu/nest/elementwise.h"
#include "cpu/nest/exchange.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/lookup.h"
#include "cpu/nest/memo.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/shuffle.h"

/* ---- element-wise operations ---------------------------------------------------------------- */

/* A value that is right if an i1 is true; what is to be taken otherwise, which is rare, is for the
 * caller to emit in between. */
typedef struct rare_case {
  llblock before, rare;
  llv likely;
} rare_case;

/* Only the innermost level's block can be cut, and in versions that hardly ever run it isn't worth
 * the blocks. */
static bool may_have_rare_case(const nest *n, unsigned at, llv x) {
  const emit *e = &n->l->e;
  return n->exact && at > 0 && at + 1 == n->n_levels && emit_lanes(x) * 32 >= e->vector_bits;
}

static rare_case rare_begin(nest *n, unsigned at, llv likely, llv is_right) {
  rare_case c = {.before = n->levels[at].block, .likely = likely};
  c.rare = nest_cut(n, is_right);
  LLVMPositionBuilderBefore(n->l->e.b, LLVMGetBasicBlockTerminator(c.rare));
  return c;
}

static llv rare_end(nest *n, unsigned at, const rare_case *c, llv rare) {
  nest_place_level(n, at);
  llv phi = LLVMBuildPhi(n->l->e.b, LLVMTypeOf(rare), "");
  LLVMAddIncoming(phi, (llv[]){c->likely, rare}, (llblock[]){c->before, c->rare}, 2);
  return phi;
}

/* All lanes divided by one number; false when the processor had better divide. */
static bool divide_by_one(nest *n, const exec_elementwise *what, const lane_value *operands,
                          lane_value *out) {
  emit *e = &n->l->e;
  unsigned at = MAX(operands[0].level, operands[1].level);
  if (!emit_divides_by_one(e, what) || operands[1].level == at || emit_lanes(operands[1].v) > 1 ||
      !may_have_rare_case(n, at, operands[0].v))
    return false;
  nest_place_level(n, operands[1].level);
  emit_divisor d = emit_divisor_of(e, operands[1].v);
  nest_place_level(n, at);
  llv all_near, x = lanes_any_nan(operands[0].v), quotient = emit_divide_near(e, &d, x, &all_near);
  rare_case c = rare_begin(n, at, quotient, all_near);
  llv divided = LLVMBuildFDiv(e->b, x, emit_splat(e, d.s, emit_lanes(x)), "");
  *out = (lane_value){.v = lanes_canonical(e, rare_end(n, at, &c, divided)), .level = at};
  return true;
}

/* A function that is short for usual operands. */
static bool usual_function(nest *n, const exec_elementwise *what, const lane_value *x,
                           lane_value *out) {
  if (!may_have_rare_case(n, x->level, x->v)) return false;
  nest_place_level(n, x->level);
  llv v = x->v, all_usual, usual = emit_usual(&n->l->e, what, v, &all_usual);
  if (!usual) return false;
  rare_case c = rare_begin(n, x->level, usual, all_usual);
  llv rare = gen_elementwise(n->l, what, &v);
  *out = (lane_value){.v = rare_end(n, x->level, &c, rare), .level = x->level};
  return true;
}

static lane_value elementwise(nest *n, ir_op *op, const index_map *m) {
  lower *l = n->l;
  exec_elementwise what = exec_elementwise_of(op);
  lane_value r = {.level = 0};
  lane_value v[3] = {{0}};
  llv operands[3];
  bool per_lane = false;
  for (unsigned i = 0; i < what.n_operands; i++) {
    v[i] = gen(n, ir_operand(op, i), m);
    operands[i] = v[i].v;
    if (v[i].level > r.level) r.level = v[i].level;
    if (emit_lanes(operands[i]) > 1) per_lane = true;
  }
  if (divide_by_one(n, &what, v, &r) || usual_function(n, &what, v, &r)) return r;
  nest_place_level(n, r.level);
  for (unsigned i = 0; i < what.n_operands && per_lane; i++) {
    if (emit_lanes(operands[i]) > 1) continue;
    /* A splat hides from arithmetic that it may take any NaN. */
    if (ir_row(op)->group == GROUP_FLOAT) operands[i] = lanes_any_nan(operands[i]);
    operands[i] = emit_splat(&l->e, operands[i], nest_lane_count(n));
  }
  r.v = gen_elementwise(l, &what, operands);
  return r;
}

/* ---- other expressions ---------------------------------------------------------------------- */

/* Widens all to the lanes of the widest. */
static void even_out(lower *l, llv *v, unsigned count) {
  unsigned lanes = 1;
  for (unsigned i = 0; i < count; i++) lanes = MAX(lanes, emit_lanes(v[i]));
  for (unsigned i = 0; i < count; i++)
    if (emit_lanes(v[i]) < lanes) v[i] = emit_splat(&l->e, v[i], lanes);
}

/* The first half of a dimension comes from one tile, the second from the other. */
static lane_value concatenation(nest *n, ir_op *op, const index_map *m) {
  lower *l = n->l;
  const ir_type *t = ir_result(op, 0)->type;
  unsigned top = map_half_bit(op);
  index_map half = map_of_half(op, m);
  if (m->bit[top] < 0) return gen(n, ir_operand(op, m->bit[top] == BIT_ONE), &half);
  lane_value a = gen(n, ir_operand(op, 0), &half), b = gen(n, ir_operand(op, 1), &half);
  coef one[MAP_BITS] = {{.m = 1}};
  index_map bit = {.n = 1, .bit = {m->bit[top]}};
  lane_value which = gen_linear(n, op, k_int(l, 32, 0), one, 32, &bit);
  unsigned at = MAX(which.level, MAX(a.level, b.level));
  nest_place_level(n, at);
  llv v[3] = {which.v, a.v, b.v};
  even_out(l, v, 3);
  llv zero = LLVMConstNull(LLVMTypeOf(v[0]));
  llv first_half = LLVMBuildICmp(l->e.b, LLVMIntEQ, v[0], zero, "");
  return (lane_value){.v = emit_choose(&l->e, t->elem, first_half, v[1], v[2]), .level = at};
}

/* Whether an element lies, in one dimension of several slices, in the slice that is replaced: the
 * high bits of its index are the slice's number. Past the last slice is undefined; it wraps around,
 * as for extract. */
static lane_value in_slice(nest *n, ir_op *op, const index_map *m, unsigned d) {
  lower *l = n->l;
  unsigned first, count, slice_first, slice_count;
  dim_bits(ir_result(op, 0)->type, d, &first, &count);
  dim_bits(ir_operand(op, 0)->type, d, &slice_first, &slice_count);
  index_map high = {.n = (uint8_t)(count - slice_count)}, none = {0};
  coef one[MAP_BITS] = {{0}};
  for (unsigned k = 0; k < high.n; k++) {
    high.bit[k] = m->bit[first + slice_count + k];
    one[k] = (coef){.m = INT64_C(1) << k};
  }
  lane_value mine = gen_linear(n, &op->operands[2 + d], k_int(l, 32, 0), one, 32, &high);
  lane_value index = gen(n, ir_operand(op, 2 + d), &none);
  unsigned at = MAX(mine.level, index.level);
  nest_place_level(n, at);
  llv mask = k_int(l, 32, (INT64_C(1) << high.n) - 1);
  llv v[2] = {mine.v, LLVMBuildAnd(l->e.b, index.v, mask, "")};
  even_out(l, v, 2);
  return (lane_value){.v = LLVMBuildICmp(l->e.b, LLVMIntEQ, v[0], v[1], ""), .level = at};
}

/* Both tiles are read, of the source the element that would lie there. */
static lane_value insertion(nest *n, ir_op *op, const index_map *m) {
  lower *l = n->l;
  const ir_type *t = ir_result(op, 0)->type, *s = ir_operand(op, 0)->type;
  index_map low = map_slice(t, s, m);
  lane_value inside = {0};
  for (unsigned d = 0; d < t->rank; d++) {
    if (s->shape[d] == t->shape[d]) continue;
    lane_value here = in_slice(n, op, m, d);
    if (inside.v) {
      here.level = MAX(here.level, inside.level);
      nest_place_level(n, here.level);
      llv v[2] = {inside.v, here.v};
      even_out(l, v, 2);
      here.v = LLVMBuildAnd(l->e.b, v[0], v[1], "");
    }
    inside = here;
  }
  lane_value a = gen(n, ir_operand(op, 0), &low);
  if (!inside.v) return a; /* all of it is replaced */
  lane_value b = gen(n, ir_operand(op, 1), m);
  unsigned at = MAX(inside.level, MAX(a.level, b.level));
  nest_place_level(n, at);
  llv v[3] = {inside.v, a.v, b.v};
  even_out(l, v, 3);
  return (lane_value){.v = emit_choose(&l->e, t->elem, v[0], v[1], v[2]), .level = at};
}

/* The iota of a type that is too narrow for linear values: the lowest bits of the index. */
static lane_value numbering(nest *n, ir_op *op, const index_map *m) {
  unsigned width = tsr_elem_bits((tsr_elem)ir_result(op, 0)->type->elem);
  coef c[MAP_BITS] = {{0}};
  for (unsigned k = 0; k < MIN(m->n, width); k++) c[k].m = INT64_C(1) << k;
  return gen_linear(n, op, k_int(n->l, width, 0), c, width, m);
}

static lane_value shifted(nest *n, value *x, const index_map *m) {
  lower *l = n->l;
  lane_value v = gen(n, x->origin, m);
  nest_place_level(n, v.level);
  llv by = emit_splat(&l->e, x->scalar, emit_lanes(v.v));
  v.v = LLVMBuildAdd(l->e.b, v.v, by, "");
  return v;
}

/* Is the comparison one whose interval is known? Then lanes are compared with its ends, in 32 bits
 * whatever it compares. */
static bool within_interval(nest *n, ir_op *op, const index_map *m, lane_value *out) {
  lower *l = n->l;
  const uintptr_t *known = n->intervals ? map_get(n->intervals, (uintptr_t)op) : NULL;
  if (!known) return false;
  const bound_use *u = (const bound_use *)*known;
  coef c[MAP_BITS];
  for (unsigned j = 0; j < u->n; j++) c[j] = (coef){.m = INT64_C(1) << j};
  nest_place_level(n, 0);
  llv lo = LLVMBuildTrunc(l->e.b, u->lo ? u->lo : k64(l, 0), l->e.i32, "");
  llv length = LLVMBuildTrunc(l->e.b, u->hi, l->e.i32, "");
  if (u->lo) length = LLVMBuildSub(l->e.b, length, lo, "");
  index_map p = map_part(m, (unsigned)u->first, u->n);
  *out = gen_linear(n, u, LLVMBuildNeg(l->e.b, lo, ""), c, 32, &p);
  nest_place_level(n, 0);
  length = emit_splat(&l->e, length, emit_lanes(out->v));
  nest_place_level(n, out->level);
  out->v = LLVMBuildICmp(l->e.b, LLVMIntULT, out->v, length, "");
  return true;
}

static lane_value expression(nest *n, ir_value *v, const index_map *m) {
  lower *l = n->l;
  value *x = value_of(l, v);
  ir_op *op = ir_defining_op(v);
  if (x->linear && (n->linear || !x->linear->ok))
    return gen_linear(n, x->linear, x->linear->base, x->linear->c, x->linear->width, m);
  if (n->clamps && x->clamped)
    return gen_linear(n, x->clamped, x->clamped->base, x->clamped->c, x->clamped->width, m);
  if (x->origin) return shifted(n, x, m);
  if (x->load) return gen_load(n, x->load, m);
  if (x->chosen && n->chooses) return gen(n, ir_operand(op, 1), m);
  switch (op->opcode) {
  case OP_constant: {
    const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
    return (lane_value){.v = emit_pattern(&l->e, v->type->elem, ir_dense_get(d, 0))};
  }
  case OP_iota: return numbering(n, op, m);
  case OP_cat: return concatenation(n, op, m);
  case OP_insert: return insertion(n, op, m);
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_extract:
  case OP_assume: {
    index_map p = map_through(op, m);
    return gen(n, ir_operand(op, 0), &p);
  }
  default: {
    lane_value r;
    if (op->opcode == OP_cmpi && within_interval(n, op, m, &r)) return r;
    return gen_lookup(n, op, m, &r) ? r : elementwise(n, op, m);
  }
  }
}

lane_value gen(nest *n, ir_value *v, const index_map *m) {
  value *x = value_of(n->l, v);
  if (x->kind == VALUE_SCALAR && !x->pending) return (lane_value){.v = x->scalar};
  lane_value *old = memo_find(n, v, m);
  if (old) return *old;
  bool stored = x->kind == VALUE_BUFFER && !x->pending;
  lane_value r;
  if (!gen_exchanged(n, v, m, &r) && !gen_shuffled(n, v, m, &r))
    r = stored ? gen_buffer_load(n, x->buffer, m) : expression(n, v, m);
  return memo_put(n, v, m, r);
}

lane_value gen_lanes(nest *n, ir_value *v, const index_map *m) {
  lane_value r = gen(n, v, m);
  if (emit_lanes(r.v) == nest_lane_count(n)) return r;
  nest_place_level(n, r.level);
  r.v = emit_splat(&n->l->e, r.v, nest_lane_count(n));
  return r;
}

void gen_remember(nest *n, ir_value *v, const index_map *m, lane_value is) {
  memo_put(n, v, m, is);
}
