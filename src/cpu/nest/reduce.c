/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * reduce. A reduction accumulates in lanes and in several unrolled copies at once, and
 * combines those behind the loop: which elements meet first is the implementation's choice.
 */
#include "exec/scalar.h"
#include "llvm/nans.h"

#include "cpu/nest/reduce.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/group.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/scalar.h"

/* ---- bodies --------------------------------------------------------------------------------- */

/* Accumulators at the end. */
static void settle_nans(lower *l, ir_op *op, llv *acc) {
  for (unsigned k = 0; k < op->n_operands; k++)
    if (reduce_takes_any_nan(op, k)) acc[k] = lanes_canonical(&l->e, lanes_any_nan(acc[k]));
}

/* ---- reductions in a nest ------------------------------------------------------------------- */

/* Are accumulators maxima of numbers and of NaNs with all bits set? See emit_max_with_ones. */
static bool has_ones(lower *l, const ir_op *op) {
  if (emit_has_extremes(&l->e) || !reduce_is_neutral(op) || !reduce_takes_any_nan(op, 0))
    return false;
  const ir_op *only = ir_region(op, 0)->first;
  if (only->opcode != OP_maxf) return false;
  exec_elementwise what = exec_elementwise_of(only);
  return !what.propagate_nan && !what.flush_to_zero;
}

/* The first element of every accumulator, in front of the loop. */
static void start_from_elements(reduction *x, unsigned copy) {
  nest *n = x->n;
  index_map m = nest_map(n, copy);
  if (x->level < n->n_levels)
    for (unsigned k = 0; k < n->levels[x->level].n; k++)
      m.bit[n->levels[x->level].first + k] = BIT_ZERO;
  for (unsigned k = 0; k < x->count; k++)
    x->acc[copy][k] = gen_lanes(n, ir_operand(x->r->op, k), &m).v;
}

/* What accumulators start from. */
static llv start_of(lower *l, const ir_op *op, unsigned k) {
  llv identity = reduce_identity(l, op, k);
  return has_ones(l, op) ? emit_nans_to_ones(&l->e, identity) : identity;
}

void reduce_starts(lower *l, const ir_op *op, unsigned lanes, llv *out) {
  for (unsigned k = 0; k < op->n_operands; k++)
    out[k] = emit_splat(&l->e, start_of(l, op, k), lanes);
}

/* Which element of a result belongs to a copy, as bits of the iteration. */
static index_map map_of_result(const nest *n, unsigned copy, const ir_op *op) {
  unsigned first, count;
  reduce_bits(op, &first, &count);
  index_map all = nest_map(n, copy), result_map = {.n = (uint8_t)(n->n - count)};
  for (unsigned k = 0; k < result_map.n; k++)
    result_map.bit[k] = all.bit[k < first ? k : k + count];
  return result_map;
}

static bool is_reduced(int bit, unsigned first, unsigned count) {
  return bit >= (int)first && bit < (int)(first + count);
}

void reduce_take_rows(nest *n, const ir_op *op, uint32_t shared) {
  enum { ROWS = 2 }; /* log2 */
  unsigned first, count, rows = 0;
  reduce_bits(op, &first, &count);
  unsigned behind = n->lane_n ? (unsigned)n->lane[0] + n->lane_n : 0;
  if (behind + 1 == first) n->unroll[n->unroll_n++] = (int8_t)behind;
  for (unsigned bit = first + count; bit < n->n && rows < ROWS; bit++)
    if (shared >> bit & 1 && n->lane_of[bit] < 0) n->unroll[n->unroll_n++] = (int8_t)bit, rows++;
}

bool reduce_has_rows(const nest *n, const ir_op *op) {
  unsigned first, count;
  if (!op || n->l->e.core.shallow_prefetch) return false;
  reduce_bits(op, &first, &count);
  for (unsigned j = 0; j < n->unroll_n; j++)
    if (n->unroll[j] >= (int)(first + count)) return true;
  return false;
}

/* Lanes of which the number's bits that are reduced are 0. */
static llv first_lanes(const nest *n, unsigned first, unsigned count) {
  llv is[1 << LANE_BITS];
  for (unsigned i = 0; i < nest_lane_count(n); i++) {
    bool zero = true;
    for (unsigned j = 0; j < n->lane_n; j++)
      zero &= !(i >> j & 1 && is_reduced(n->lane[j], first, count));
    is[i] = LLVMConstInt(n->l->e.i1, zero, 0);
  }
  return n->lane_n ? LLVMConstVector(is, nest_lane_count(n)) : is[0];
}

/* The result of the nest before in one of the lanes and copies that make it up, where there was
 * such a nest. */
static void go_on(reduction *x, unsigned copy) {
  nest *n = x->n;
  lower *l = n->l;
  unsigned first, count;
  reduce_bits(x->r->op, &first, &count);
  for (unsigned j = 0; j < n->unroll_n; j++)
    if (copy >> j & 1 && is_reduced(n->unroll[j], first, count)) return;
  if (!x->r->results[0]) {
    memcpy(x->acc[copy], x->r->scalars, x->count * sizeof *x->acc[copy]);
    return;
  }
  index_map m = map_of_result(n, copy, x->r->op);
  for (unsigned k = 0; k < x->count; k++) {
    llv was = gen_buffer_load(n, x->r->results[k], &m).v;
    nest_place_level(n, x->level - 1);
    if (emit_lanes(was) < nest_lane_count(n)) was = emit_splat(&l->e, was, nest_lane_count(n));
    if (has_ones(l, x->r->op)) was = emit_nans_to_ones(&l->e, was);
    llv counts = first_lanes(n, first, count);
    counts = LLVMBuildAnd(l->e.b, counts, emit_splat(&l->e, n->goes_on, nest_lane_count(n)), "");
    x->acc[copy][k] = LLVMBuildSelect(l->e.b, counts, was, x->acc[copy][k], "");
  }
}

void reduce_begin(reduction *x, nest *n, root *r, unsigned at) {
  lower *l = n->l;
  unsigned first, count;
  reduce_bits(r->op, &first, &count);
  x->n = n;
  x->r = r;
  x->count = r->op->n_operands;
  x->copies = 1u << n->unroll_n;
  x->level = at;
  x->neutral = reduce_is_neutral(r->op);
  for (unsigned u = 0; u < x->copies; u++) {
    if (!x->neutral) start_from_elements(x, u);
    if (x->neutral) reduce_starts(l, r->op, nest_lane_count(n), x->acc[u]);
    if (n->goes_on && is_reduced((int)n->part.top - 1, first, count)) go_on(x, u);
    for (unsigned k = 0; k < x->count && at < n->n_levels; k++) {
      level *v = &n->levels[at];
      LLVMPositionBuilderBefore(l->e.b, LLVMGetFirstInstruction(v->block));
      llv phi = LLVMBuildPhi(l->e.b, LLVMTypeOf(x->acc[u][k]), "acc");
      LLVMAddIncoming(phi, &x->acc[u][k], &n->levels[at - 1].block, 1);
      x->phi[u][k] = x->acc[u][k] = phi;
    }
  }
}

static void take(reduction *x, unsigned copy) {
  nest *n = x->n;
  llv args[2 * MAX_REDUCED];
  for (unsigned k = 0; k < x->count; k++) {
    args[2 * k] = x->taken[copy][k];
    args[2 * k + 1] = x->acc[copy][k];
  }
  nest_place_level(n, n->n_levels - 1);
  if (has_ones(n->l, x->r->op)) {
    llv *acc = &x->acc[copy][0];
    *acc = emit_max_with_ones(&n->l->e, emit_nans_to_ones(&n->l->e, lanes_any_nan(args[0])), *acc);
    return;
  }
  reduce_accumulate(n->l, x->r->op, args, x->acc[copy]);
}

void reduce_step(reduction *x, unsigned copy, const index_map *m) {
  nest *n = x->n;
  if (!x->neutral && x->level == n->n_levels) return; /* the first element is the only one */
  for (unsigned k = 0; k < x->count; k++)
    x->taken[copy][k] = gen_lanes(n, ir_operand(x->r->op, k), m).v;
  take(x, copy);
}

/* Ends the loop over the reduced dimension. */
static void close_loop(reduction *x) {
  for (unsigned u = 0; u < x->copies; u++)
    for (unsigned k = 0; k < x->count; k++)
      LLVMAddIncoming(x->phi[u][k], &x->acc[u][k], &x->n->levels[x->level].latch, 1);
}

/* Is any bit of an accumulator another one than before? */
static llv any_changes(reduction *x, llv any) {
  emit *e = &x->n->l->e;
  for (unsigned u = 0; u < x->copies; u++)
    for (unsigned k = 0; k < x->count; k++) {
      llv one = lanes_differ(e, x->phi[u][k], x->acc[u][k]);
      any = any ? LLVMBuildOr(e->b, any, one, "") : one;
    }
  return any;
}

llv reduce_repeat(reduction *x, llv changes) {
  nest *n = x->n;
  close_loop(x);
  x->level++;
  level *v = &n->levels[x->level];
  for (unsigned u = 0; u < x->copies; u++) {
    for (unsigned k = 0; k < x->count; k++) {
      LLVMPositionBuilderBefore(n->l->e.b, LLVMGetFirstInstruction(v->block));
      llv phi = LLVMBuildPhi(n->l->e.b, LLVMTypeOf(x->acc[u][k]), "acc");
      LLVMAddIncoming(phi, &x->acc[u][k], &n->levels[x->level - 1].block, 1);
      x->given[u][k] = x->acc[u][k];
      x->phi[u][k] = x->acc[u][k] = phi;
    }
    take(x, u);
  }
  return any_changes(x, changes);
}

/* What there is behind the loop that repeats, or if it has no iteration. */
static void join_repeated(reduction *x) {
  nest *n = x->n;
  level *v = &n->levels[x->level];
  for (unsigned u = 0; u < x->copies; u++)
    for (unsigned k = 0; k < x->count; k++) {
      LLVMPositionBuilderBefore(n->l->e.b, LLVMGetFirstInstruction(v->after));
      llv phi = LLVMBuildPhi(n->l->e.b, LLVMTypeOf(x->acc[u][k]), "");
      LLVMAddIncoming(phi, (llv[]){x->given[u][k], x->acc[u][k]},
                      (llblock[]){n->levels[x->level - 1].block, v->latch}, 2);
      x->acc[u][k] = phi;
    }
}

/* Both hold what the body gave, if they started from an identity. */
static void combine(lower *l, ir_op *op, llv *into, llv *other) {
  llv args[2 * MAX_REDUCED];
  bool neutral = reduce_is_neutral(op);
  if (has_ones(l, op)) {
    into[0] = emit_max_with_ones(&l->e, into[0], other[0]);
    return;
  }
  for (unsigned k = 0; k < op->n_operands; k++) {
    bool any_nan = neutral && reduce_takes_any_nan(op, k);
    args[2 * k] = any_nan ? lanes_canonical(&l->e, other[k]) : other[k];
    args[2 * k + 1] = into[k];
  }
  reduce_accumulate(l, op, args, into);
}

/* The lanes in which bit j of the lane's number is `set`. */
static llv half_of(lower *l, llv v, unsigned j, bool set) {
  unsigned lanes = emit_lanes(v), count = 0;
  llv pick[1 << LANE_BITS];
  for (unsigned i = 0; i < lanes; i++)
    if ((i >> j & 1) == set) pick[count++] = LLVMConstInt(l->e.i32, i, 0);
  if (count == 1) return LLVMBuildExtractElement(l->e.b, v, pick[0], "");
  return LLVMBuildShuffleVector(l->e.b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                LLVMConstVector(pick, count), "");
}

/* Copies that differ in reduced bits only become one; the others stay. */
static void combine_copies(reduction *x, unsigned first, unsigned count) {
  nest *n = x->n;
  for (unsigned j = 0; j < n->unroll_n; j++) {
    if (!is_reduced(n->unroll[j], first, count)) continue;
    for (unsigned u = 0; u < x->copies; u++)
      if (!(u >> j & 1)) combine(n->l, x->r->op, x->acc[u], x->acc[u | 1u << j]);
  }
}

/* Do a few lanes stay a vector until they are one? A body that chooses between numbers would
 * become a branch with single ones, and which of two is chosen nobody can know. */
static bool stays_vector(const ir_op *op) {
  for (unsigned k = 0; k < op->n_operands; k++) {
    tsr_elem elem = (tsr_elem)ir_operand(op, k)->type->elem;
    bool whole = tsr_elem_is_int(elem) || elem == TSR_F32 || elem == TSR_F64;
    if (!whole || tsr_elem_bits(elem) < 32) return false;
  }
  return !reduce_is_neutral(op);
}

/* Reduces over bit j of the lane's number, the highest; the first lane has the result, others
 * anything. */
static void combine_in_place(lower *l, ir_op *op, llv *acc, unsigned j) {
  unsigned lanes = emit_lanes(acc[0]);
  llv high[MAX_REDUCED], pick[1 << LANE_BITS];
  for (unsigned i = 0; i < lanes; i++) pick[i] = LLVMConstInt(l->e.i32, i | 1u << j, 0);
  for (unsigned k = 0; k < op->n_operands; k++)
    high[k] = LLVMBuildShuffleVector(l->e.b, acc[k], LLVMGetPoison(LLVMTypeOf(acc[k])),
                                     LLVMConstVector(pick, lanes), "");
  combine(l, op, acc, high);
}

/* Reduces over bit j of the lane's number. */
static void combine_halves(lower *l, ir_op *op, llv *acc, unsigned j) {
  llv high[MAX_REDUCED];
  for (unsigned k = 0; k < op->n_operands; k++) {
    high[k] = half_of(l, acc[k], j, true);
    acc[k] = half_of(l, acc[k], j, false);
  }
  combine(l, op, acc, high);
}

/* Once, at the end, when accumulators did not start from it. */
static void add_identity(lower *l, ir_op *op, llv *acc) {
  llv args[2 * MAX_REDUCED];
  for (unsigned k = 0; k < op->n_operands; k++) {
    args[2 * k] = acc[k];
    args[2 * k + 1] = emit_splat(&l->e, reduce_identity(l, op, k), emit_lanes(acc[k]));
  }
  body_emit(l, op, args, acc);
}

/* Reduces over all lanes, and the identity where that wasn't in them. */
static void combine_all(lower *l, ir_op *op, llv *acc) {
  enum { FEW = 4 };
  bool stays = stays_vector(op);
  for (unsigned j = log2_of(emit_lanes(acc[0])); j-- > 0;) {
    if (stays && emit_lanes(acc[0]) <= FEW)
      combine_in_place(l, op, acc, j);
    else
      combine_halves(l, op, acc, j);
  }
  if (!reduce_is_neutral(op)) add_identity(l, op, acc);
  for (unsigned k = 0; k < op->n_operands; k++)
    if (emit_lanes(acc[k]) > 1)
      acc[k] = LLVMBuildExtractElement(l->e.b, acc[k], LLVMConstInt(l->e.i32, 0, 0), "");
  settle_nans(l, op, acc);
}

/* Reduces over the lanes of reduced bits, and settles what is left; gives the bits of these lanes.
 */
static unsigned combine_lanes(reduction *x, unsigned copy, unsigned first, unsigned count,
                              int8_t left[LANE_BITS]) {
  nest *n = x->n;
  unsigned left_n = n->lane_n, reduced_n = 0;
  memcpy(left, n->lane, LANE_BITS);
  for (unsigned j = 0; j < left_n; j++) reduced_n += is_reduced(left[j], first, count);
  if (reduced_n == left_n) {
    combine_all(n->l, x->r->op, x->acc[copy]);
    return 0;
  }
  for (unsigned j = left_n; j-- > 0;) {
    if (!is_reduced(left[j], first, count)) continue;
    combine_halves(n->l, x->r->op, x->acc[copy], j);
    memmove(&left[j], &left[j + 1], left_n - j - 1);
    left_n--;
  }
  if (!x->neutral) add_identity(n->l, x->r->op, x->acc[copy]);
  settle_nans(n->l, x->r->op, x->acc[copy]);
  return left_n;
}

static void store_result(reduction *x, unsigned copy, const int8_t *left, unsigned left_n) {
  nest *n = x->n;
  lower *l = n->l;
  index_map result_map = map_of_result(n, copy, x->r->op);
  llblock here = LLVMGetInsertBlock(l->e.b);
  llv before = LLVMGetBasicBlockTerminator(here);
  for (unsigned k = 0; k < x->count; k++) {
    buffer *b = x->r->results[k];
    coef c[MAP_BITS], lane[LANE_BITS] = {{0}};
    for (unsigned i = 0; i < b->n; i++) c[i] = (coef){.m = b->stride[i] * buffer_elem_bytes(b)};
    lane_value at = linear_scalar(n, b, k64(l, 0), c, 64, &result_map);
    for (unsigned j = 0; j < left_n; j++)
      for (unsigned i = 0; i < result_map.n; i++)
        if (result_map.bit[i] == left[j]) lane[j] = c[i];
    LLVMPositionBuilderBefore(l->e.b, before);
    gen_buffer_store_lanes(n, b, at.v, lane, left_n, x->acc[copy][k]);
  }
}

void reduce_end(reduction *x) {
  nest *n = x->n;
  unsigned first, count;
  reduce_bits(x->r->op, &first, &count);
  if (x->level < n->n_levels) {
    close_loop(x);
    if (x->given[0][0]) join_repeated(x);
    nest_place_after(n, x->level);
  } else {
    nest_place_level(n, n->n_levels - 1);
  }
  combine_copies(x, first, count);
  if (!x->r->results[0]) {
    memcpy(x->r->scalars, x->acc[0], x->count * sizeof *x->acc[0]);
    return;
  }
  for (unsigned u = 0; u < x->copies; u++) {
    bool merged = false;
    for (unsigned j = 0; j < n->unroll_n; j++)
      merged |= is_reduced(n->unroll[j], first, count) && u >> j & 1;
    if (merged) continue;
    int8_t left[LANE_BITS];
    unsigned left_n = combine_lanes(x, u, first, count, left);
    store_result(x, u, left, left_n);
  }
}

void reduce_finish(lower *l, root *r) {
  combine_all(l, r->op, r->scalars);
}

/* ---- operations ----------------------------------------------------------------------------- */

void lower_reduce(lower *l, ir_op *op) {
  if (!body_check(l, op)) return;
  if (op->n_operands > MAX_REDUCED) {
    lower_unsupported(l, op, "a reduce may have at most 16 operands");
    return;
  }
  const ir_type *shape = ir_operand(op, 0)->type;
  root r = {.kind = ROOT_REDUCE, .op = op};
  bool one = ir_result(op, 0)->type->count == 1;
  /* What the body takes from outside must be there before the nest. */
  for (ir_op *o = ir_region(op, 0)->first; o; o = o->next)
    for (uint32_t i = 0; i < o->n_operands; i++) {
      ir_value *v = ir_operand(o, i);
      bool inside =
          v->is_arg ? v->owner.block == ir_region(op, 0) : v->owner.op->block == ir_region(op, 0);
      if (!inside) scalar_of(l, v);
    }
  for (uint32_t k = 0; k < op->n_results && !one; k++)
    r.results[k] = buffer_new(l, ir_result(op, k)->type->elem, FORMAT_LANES,
                              tile_bits(ir_result(op, k)->type));
  group_add(l, shape, &r);
  for (uint32_t k = 0; k < op->n_results; k++) {
    value *x = value_of(l, ir_result(op, k));
    x->kind = one ? VALUE_SCALAR : VALUE_BUFFER;
    x->buffer = r.results[k];
    x->pending = true;
  }
}
