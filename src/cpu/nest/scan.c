/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * scan. A loop goes along the scanned dimension with what came before in an accumulator; operands
 * that nobody else needs are evaluated in it, others lie in buffers. Lanes lie
 *
 *   along the dimensions inside of the scanned one, when there are any: each lane is a scan of its
 *   own;
 *   along the scanned one itself, when it is the last: a vector is scanned in log2(lanes) steps,
 *
 *       x0      x1      x2      x3
 *       x0    x0+x1   x1+x2   x2+x3          combined with the lane 1 before it
 *       x0    x0+x1  x0+…+x2 x0+…+x3         … 2 before it
 *
 *   and then combined with the last lane of the vector before. That counts the identity in wherever
 * a lane has none before it, so it is done only where the identity changes nothing.
 */
#include "num/num.h"
#include "exec/scalar.h"
#include "llvm/lanes.h"
#include "llvm/nans.h"

#include "cpu/nest/scan.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/map.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/reduce_body.h"

typedef struct scan {
  lower *l;
  ir_op *op;
  unsigned first, count; /* bits of the scanned dimension */
  bool across;           /* lanes lie along it */
  bool reverse;
  unsigned lanes; /* log2, at most */
  llv one;        /* NULL: additions are such; see find_one */
  buffer *to[MAX_REDUCED];
  nest n;
} scan;

/* Operands as roots of a group that stays with the scan's own nest; results in buffers. */
static void prepare(scan *s, group *g) {
  ir_op *op = s->op;
  unsigned width = 8;
  for (uint32_t k = 0; k < op->n_operands; k++) {
    ir_value *v = ir_operand(op, k);
    if (!ir_has_one_use(v)) materialise(s->l, v, FORMAT_LANES);
    s->to[k] = buffer_new(s->l, ir_result(op, k)->type->elem, FORMAT_LANES, tile_bits(v->type));
    s->to[k]->any_nan = reduce_takes_any_nan(op, k);
    width = MAX(width, 8 * buffer_elem_bytes(s->to[k]));
    g->roots[g->n_roots++] = (root){.kind = ROOT_MATERIALISE, .value = v, .to = s->to[k]};
  }
  group_flush(s->l);
  s->lanes = log2_of(s->l->e.vector_bits / width);
}

/* The lanes, and the loops around that along the scanned dimension. Returns the bits of the
 * latter's iterations, from *low on. */
static unsigned open_scan(scan *s, unsigned bits, bool exact, unsigned *low) {
  nest *n = &s->n;
  unsigned lane_n = s->lanes, end = s->first + s->count;
  nest_begin(n, s->l, bits, exact);
  nest_lanes(n, 0, MIN(s->across ? s->count : s->first, lane_n));
  if (bits > end) nest_open(n, end, bits - end);
  if (!s->across && s->first > n->lane_n) nest_open(n, n->lane_n, s->first - n->lane_n);
  *low = s->across ? n->lane_n : s->first;
  return end - *low;
}

/* Lane i of the result is lane i - by, or i + by in reverse; where there is none, one of
 * `identity`: as many lanes of the two in a row, which is one instruction. */
static llv shift_lanes(scan *s, llv v, llv identity, unsigned by) {
  emit *e = &s->l->e;
  llv pick[1 << LANE_BITS];
  unsigned count = emit_lanes(v);
  for (unsigned i = 0; i < count; i++) {
    unsigned at = s->reverse ? i + by : i - by; /* wraps around below 0 */
    pick[i] = LLVMConstInt(e->i32, at < count ? at : count + at % count, 0);
  }
  return LLVMBuildShuffleVector(e->b, v, identity, LLVMConstVector(pick, count), "");
}

/* Is the body, which is one operation, an addition that a multiply-add can do? */
static bool is_addition(scan *s) {
  const ir_op *only = ir_region(s->op, 0)->first;
  if (only->opcode != OP_addf || !reduce_takes_any_nan(s->op, 0)) return false;
  exec_elementwise what = exec_elementwise_of(only);
  return num_rounds_to_nearest((num_rounding)what.rounding) && !what.flush_to_zero;
}

/* Processors add and shuffle with the same units, and multiply with others: x * 1 + y is x + y,
 * with the same zeros. LLVM isn't told that it is 1. */
static void find_one(scan *s, nest *n) {
  emit *e = &s->l->e;
  s->one = NULL;
  if (!s->across || e->vector_bits < 512 || !is_addition(s)) return;
  llv zero = emit_splat(e, reduce_identity(s->l, s->op, 0), nest_lane_count(n));
  if (!emit_fills_register(e, zero)) return;
  nest_place_level(n, 0);
  s->one = emit_opaque(e, lanes_real(e, zero, 1), false);
}

static void accumulate(scan *s, llv *args, llv *out) {
  if (!s->one) {
    reduce_accumulate(s->l, s->op, args, out);
    return;
  }
  llv x = lanes_any_nan(args[0]), y = lanes_any_nan(args[1]);
  out[0] = l_call3(&s->l->e, "llvm.fma", x, s->one, y);
}

/* Scans the lanes of one vector. The first step sees elements as they were loaded, the others what
 * the body gave: the latter may be handed over as accumulators. LLVM isn't told what the identity
 * is: it would make vexpandps of shifting in zeros, which takes Zen 5 13 cycles. */
static llv scan_lanes(scan *s, llv v, llv identity) {
  emit *e = &s->l->e;
  identity = emit_splat(e, identity, emit_lanes(v));
  if (emit_fills_register(e, identity)) identity = emit_opaque(e, identity, false);
  for (unsigned by = 1; by < emit_lanes(v); by *= 2) {
    llv args[] = {v, shift_lanes(s, v, identity, by)};
    if (by == 1) {
      body_emit(s->l, s->op, args, &v);
      if (reduce_takes_any_nan(s->op, 0)) v = lanes_any_nan(v);
    } else if (2 * by < emit_lanes(v)) {
      reduce_accumulate(s->l, s->op, args, &v);
    } else {
      accumulate(s, args, &v);
    }
  }
  return v;
}

/* The last lane, in all lanes. Combined with what was before it gives what the last lane of the
 * result has and goes on to the next vector, which so waits for one operation and no shuffle. */
static llv last_lane(scan *s, llv v) {
  emit *e = &s->l->e;
  unsigned count = emit_lanes(v);
  llv pick[1 << LANE_BITS];
  for (unsigned i = 0; i < count; i++)
    pick[i] = LLVMConstInt(e->i32, s->reverse ? 0 : count - 1, 0);
  return LLVMBuildShuffleVector(e->b, v, v, LLVMConstVector(pick, count), "");
}

/* One iteration: from the accumulators to what they are next. */
static void step(scan *s, llv *acc, llv *next) {
  lower *l = s->l;
  llv args[2 * MAX_REDUCED];
  index_map m = map_identity(s->n.n);
  for (uint32_t k = 0; k < s->op->n_operands; k++) {
    args[2 * k] = gen_lanes(&s->n, ir_operand(s->op, k), &m).v;
    args[2 * k + 1] = acc[k];
  }
  nest_place_level(&s->n, s->n.n_levels - 1);
  if (s->across) args[0] = scan_lanes(s, args[0], reduce_identity(l, s->op, 0));
  llv last[] = {s->across ? last_lane(s, args[0]) : NULL, acc[0]};
  accumulate(s, args, next);
  for (uint32_t k = 0; k < s->op->n_operands; k++) gen_buffer_store(&s->n, s->to[k], &m, next[k]);
  if (!s->across) return;
  nest_place_level(&s->n, s->n.n_levels - 1);
  reduce_accumulate(l, s->op, last, next);
}

static void emit_loop(scan *s, unsigned low, unsigned bits) {
  lower *l = s->l;
  nest *n = &s->n;
  llv init[MAX_REDUCED], acc[MAX_REDUCED], next[MAX_REDUCED];
  find_one(s, n);
  for (uint32_t k = 0; k < s->op->n_operands; k++)
    acc[k] = init[k] = emit_splat(&l->e, reduce_identity(l, s->op, k), nest_lane_count(n));
  if (!bits) {
    step(s, acc, next);
    return;
  }
  llblock before = n->levels[n->n_levels - 1].block;
  nest_open(n, low, bits);
  level *v = &n->levels[n->n_levels - 1];
  for (uint32_t k = 0; k < s->op->n_operands; k++) {
    LLVMPositionBuilderBefore(l->e.b, LLVMGetFirstInstruction(v->block));
    acc[k] = LLVMBuildPhi(l->e.b, LLVMTypeOf(init[k]), "acc");
    LLVMAddIncoming(acc[k], &init[k], &before, 1);
  }
  if (s->reverse) { /* the same loop, its index seen from the end */
    LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(v->block));
    v->index = LLVMBuildSub(l->e.b, k64(l, (INT64_C(1) << bits) - 1), v->index, "");
  }
  step(s, acc, next);
  for (uint32_t k = 0; k < s->op->n_operands; k++) LLVMAddIncoming(acc[k], &next[k], &v->latch, 1);
}

static void emit_version(scan *s, bool exact) {
  unsigned low, bits = open_scan(s, tile_bits(ir_operand(s->op, 0)->type), exact, &low);
  emit_loop(s, low, bits);
  nest_end(&s->n);
}

/* As for groups: when all accesses are whole, without masks. */
static void emit_versions(scan *s, group *g) {
  lower *l = s->l;
  nest_analysis found = analyse_group(l, g);
  int64_t always;
  s->lanes = MIN(s->lanes, found.lane_n);
  if (!found.holds || (is_const(found.holds, &always) && always)) {
    emit_version(s, true);
    return;
  }
  llblock exact = lower_new_block(l, "exact"), guarded = lower_new_block(l, "guarded");
  llblock done = lower_new_block(l, "done");
  LLVMBuildCondBr(l->e.b, found.holds, exact, guarded);
  LLVMPositionBuilderAtEnd(l->e.b, exact);
  emit_version(s, true);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, guarded);
  emit_version(s, false);
  lower_go(l, done);
}

void lower_scan(lower *l, ir_op *op) {
  if (!body_check(l, op)) return;
  if (op->n_operands > MAX_REDUCED) {
    lower_unsupported(l, op, "a scan may have at most 16 operands");
    return;
  }
  scan *s = arena_new(l->arena, scan);
  group *g = arena_new(l->arena, group);
  g->shape = ir_operand(op, 0)->type;
  s->l = l;
  s->op = op;
  s->reverse = ir_int_attr(op, ATTR_reverse);
  reduce_bits(op, &s->first, &s->count);
  s->across = s->first == 0 && s->count > 0 && reduce_is_neutral(op);
  prepare(s, g);
  emit_versions(s, g);
  for (uint32_t k = 0; k < op->n_results; k++) {
    value *x = value_of(l, ir_result(op, k));
    x->kind = VALUE_BUFFER;
    x->buffer = s->to[k];
  }
}
