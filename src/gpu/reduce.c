/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * reduce and scan. Elements are combined within a thread, then between lanes by shuffles, then
 * between warps through shared memory. The body is evaluated by every thread for elements of its
 * own.
 */
#include "gpu/reduce.h"

#include "gpu/code.h"
#include "gpu/convert.h"
#include "gpu/index.h"
#include "gpu/kernel.h"
#include "gpu/placement.h"
#include "gpu/values.h"
#include "ir/reduction.h"

enum { MAX_OPERANDS = 32 };

typedef struct reduction {
  gen *g;
  ir_op *op;
  uint32_t n;            /* operands */
  bool symmetric;        /* exchanging the arguments gives the same bits */
  unsigned first, count; /* the dimension's bits of the index */
  simt_dist d;
} reduction;

/* A body of one commutative operation on the two arguments of its only operand. */
static bool is_symmetric(const ir_op *op) {
  const ir_block *b = ir_region(op, 0);
  const ir_op *f = b->first, *end = b->last;
  if (op->n_operands != 1 || f == end || f->next != end || end->opcode != OP_yield) return false;
  if (!(ir_row(f)->traits & TRAIT_COMMUTATIVE) || f->n_operands != 2) return false;
  if (ir_operand(end, 0) != ir_result(f, 0)) return false;
  const ir_value *x = ir_operand(f, 0), *y = ir_operand(f, 1);
  return (x == &b->args[0] && y == &b->args[1]) || (x == &b->args[1] && y == &b->args[0]);
}

static bool begin(reduction *r, gen *g, ir_op *op) {
  *r = (reduction){.g = g, .op = op, .n = op->n_operands, .symmetric = is_symmetric(op)};
  if (r->n > MAX_OPERANDS) {
    gpu_unsupported(g, op, "it has more than 32 operands; split it");
    return false;
  }
  simt_dim_bits(ir_operand(op, 0)->type, (unsigned)ir_int_attr(op, ATTR_dim), &r->first, &r->count);
  r->d = g->placement->operands(g, op);
  if (g->private_) r->d = simt_dist_private(r->d.n, g->block);
  return true;
}

/* out = body(current, previous); out may be either. */
static void combine(reduction *r, llv *out, llv *current, llv *previous) {
  gen *g = r->g;
  ir_block *b = ir_region(r->op, 0);
  bool outer = g->private_;
  uint32_t mark = g->cache.made.len;
  for (uint32_t i = 0; i < r->n; i++) {
    gpu_set_scalar(g, &b->args[2 * i], current[i]);
    gpu_set_scalar(g, &b->args[2 * i + 1], previous[i]);
  }
  g->private_ = true;
  ir_op *op = b->first;
  for (; op != b->last && !g->failed; op = op->next) gpu_body_op(g, op);
  if (!g->failed)
    for (uint32_t i = 0; i < r->n; i++) out[i] = gpu_scalar(g, ir_operand(op, i));
  g->private_ = outer;
  gpu_forget(g, mark);
}

static void identities(reduction *r, llv *out) {
  for (uint32_t i = 0; i < r->n; i++)
    out[i] = emit_pattern(&r->g->e, (tsr_elem)ir_operand(r->op, i)->type->elem,
                          ir_reduction_start(r->op, i));
}

/* Combines `count` values, in their order, by halves; values[i] is an array of r->n. */
static void combine_row(reduction *r, llv (*values)[MAX_OPERANDS], uint32_t count) {
  for (; count > 1; count /= 2)
    for (uint32_t i = 0; i < count / 2; i++)
      combine(r, values[i], values[2 * i + 1], values[2 * i]);
  /* values[i] of the next round are those of [2i] and [2i + 1]: each was read before. */
}

/* ---- reduce --------------------------------------------------------------------------------- */

/* Between lanes that differ in bit j. All of them must get the same bits. */
static void combine_lanes(reduction *r, llv *x, unsigned j) {
  gen *g = r->g;
  llv other[MAX_OPERANDS], high[MAX_OPERANDS], low[MAX_OPERANDS];
  for (uint32_t i = 0; i < r->n; i++) {
    other[i] = gpu_shuffle_xor(g, x[i], 1u << j);
    high[i] = x[i];
    low[i] = other[i];
    if (r->symmetric) continue;
    llv is_high = gpu_lane_bit(g, j);
    high[i] = LLVMBuildSelect(g->e.b, is_high, x[i], other[i], "");
    low[i] = LLVMBuildSelect(g->e.b, is_high, other[i], x[i], "");
  }
  combine(r, x, high, low);
}

static bool in_dimension(const reduction *r, int8_t bit) {
  return bit != SIMT_COPY && (unsigned)bit >= r->first && (unsigned)bit < r->first + r->count;
}

/* Between warps: what each has becomes a row in registers. `x[slot]` in the result's distribution;
 * all lanes of a group hold the same by now. */
static void combine_warps(reduction *r, const simt_dist *to, llv (*x)[MAX_OPERANDS]) {
  gen *g = r->g;
  simt_dist from = *to;
  unsigned bits = 0;
  for (unsigned j = 0; j < r->d.warps; j++)
    if (in_dimension(r, r->d.warp[j])) from.warp[j] = (int8_t)(to->n + bits++);
  if (!bits) return;
  from.n = (uint8_t)(to->n + bits);
  simt_dist all = simt_dist_insert(to, to->n, bits);
  llv *rows[MAX_OPERANDS];
  for (uint32_t i = 0; i < r->n; i++) {
    tile t = {.d = from, .v = gpu_registers(g, &from)};
    for (uint32_t k = 0; k < slots_of(&from); k++) t.v[k] = x[k][i];
    rows[i] = gpu_convert(g, (tsr_elem)ir_operand(r->op, i)->type->elem, &t, &all);
  }
  llv(*row)[MAX_OPERANDS] = arena_alloc(g->arena, sizeof *row << bits, _Alignof(llv));
  for (uint32_t k = 0; k < slots_of(to); k++) {
    for (uint32_t w = 0; w < 1u << bits; w++)
      for (uint32_t i = 0; i < r->n; i++) row[w][i] = rows[i][k | w << to->regs];
    combine_row(r, row, 1u << bits);
    memcpy(x[k], row[0], sizeof row[0]);
  }
}

void gpu_reduce(gen *g, ir_op *op) {
  reduction r;
  if (!begin(&r, g, op)) return;
  simt_dist to = simt_dist_drop(&r.d, r.first, r.count);
  llv *x[MAX_OPERANDS], none[MAX_OPERANDS];
  for (uint32_t i = 0; i < r.n; i++) x[i] = gpu_get(g, ir_operand(op, i), &r.d);
  uint32_t each = slots_of(&r.d) / slots_of(&to), at = 0;
  llv(*row)[MAX_OPERANDS] = arena_alloc(g->arena, sizeof *row * each, _Alignof(llv));
  llv(*sum)[MAX_OPERANDS] = arena_alloc(g->arena, sizeof *sum * slots_of(&to), _Alignof(llv));
  for (uint32_t k = 0; k < slots_of(&to); k++) {
    at = 0;
    for (uint32_t s = 0; s < slots_of(&r.d); s++) { /* those of the same place in the result */
      uint32_t index = simt_index_of_slot(&r.d, s), low = (1u << r.first) - 1;
      uint32_t rest = (index & low) | (index >> r.count & ~low);
      if (simt_slot_of_index(&to, rest) != k) continue;
      for (uint32_t i = 0; i < r.n; i++) row[at][i] = x[i][s];
      at++;
    }
    combine_row(&r, row, each);
    for (unsigned j = 0; j < r.d.lanes; j++)
      if (in_dimension(&r, r.d.lane[j])) combine_lanes(&r, row[0], j);
    memcpy(sum[k], row[0], sizeof row[0]);
  }
  combine_warps(&r, &to, sum);
  identities(&r, none);
  for (uint32_t k = 0; k < slots_of(&to) && !g->failed; k++) combine(&r, sum[k], sum[k], none);
  for (uint32_t i = 0; i < r.n; i++) {
    llv *result = gpu_registers(g, &to);
    for (uint32_t k = 0; k < slots_of(&to); k++) result[k] = sum[k][i];
    gpu_set(g, ir_result(op, i), &to, result);
  }
}

/* ---- scan ----------------------------------------------------------------------------------- */

/* The plan's distribution: registers `run` bits, lanes `lanes` bits, then registers again along the
 * dimension; other registers and lanes are rows of their own. */
typedef struct scan {
  reduction r;
  bool reverse;
  unsigned run, lanes;
  llv place; /* i32: of the lane in its row, from where the scan starts */
  llv *x[MAX_OPERANDS], *result[MAX_OPERANDS];
} scan;

static uint32_t slot_at(const scan *s, uint32_t row_index, uint32_t position) {
  /* `position` along the dimension without the lanes' bits. */
  uint32_t low = position & ((1u << s->run) - 1);
  uint32_t along = low | (position >> s->run) << (s->run + s->lanes);
  return simt_slot_of_index(&s->r.d, row_index | along << s->r.first);
}

static void shuffle_all(scan *s, llv *out, llv *x, llv lane) {
  for (uint32_t i = 0; i < s->r.n; i++) out[i] = gpu_shuffle_from(s->r.g, x[i], lane);
}

static void select_all(scan *s, llv *out, llv is, llv *x, llv *y) {
  for (uint32_t i = 0; i < s->r.n; i++) out[i] = LLVMBuildSelect(s->r.g->e.b, is, x[i], y[i], "");
}

/* The lane `by` places before this one, or this one's number again modulo their number. */
static llv lane_before(scan *s, uint32_t by) {
  gen *g = s->r.g;
  llv step = k32(g, by);
  llv lane = s->reverse ? add_of(g, g->lane, step) : LLVMBuildSub(g->e.b, g->lane, step, "");
  return LLVMBuildAnd(g->e.b, lane, k32(g, (1u << g->block.lanes) - 1), "");
}

/* One piece of a row: a run in each of its lanes. `carry`: what comes before it, then it included.
 */
static void scan_piece(scan *s, uint32_t row_index, uint32_t piece, llv *carry) {
  gen *g = s->r.g;
  uint32_t length = 1u << s->run;
  llv(*sum)[MAX_OPERANDS] = arena_alloc(g->arena, sizeof *sum * length, _Alignof(llv));
  uint32_t slots[16];
  for (uint32_t k = 0; k < length; k++) {
    uint32_t position = piece << s->run | (s->reverse ? length - 1 - k : k);
    slots[k] = slot_at(s, row_index, position);
    for (uint32_t i = 0; i < s->r.n; i++) sum[k][i] = s->x[i][slots[k]];
    if (k) combine(&s->r, sum[k], sum[k], sum[k - 1]);
  }
  llv total[MAX_OPERANDS], other[MAX_OPERANDS], both[MAX_OPERANDS], before[MAX_OPERANDS];
  memcpy(total, sum[length - 1], sizeof total);
  for (unsigned j = 0; j < s->lanes; j++) {
    shuffle_all(s, other, total, lane_before(s, 1u << j));
    combine(&s->r, both, total, other);
    llv has = LLVMBuildICmp(g->e.b, LLVMIntUGE, s->place, k32(g, 1u << j), "");
    select_all(s, total, has, both, total);
  }
  memcpy(before, carry, sizeof before);
  if (s->lanes) {
    shuffle_all(s, other, total, lane_before(s, 1));
    combine(&s->r, both, other, carry);
    llv has = LLVMBuildICmp(g->e.b, LLVMIntNE, s->place, k32(g, 0), "");
    select_all(s, before, has, both, carry);
    /* The row's last lane has the piece's total. */
    uint32_t mask = (1u << s->lanes) - 1;
    llv last = s->reverse ? LLVMBuildAnd(g->e.b, g->lane, k32(g, ~mask), "")
                          : LLVMBuildOr(g->e.b, g->lane, k32(g, mask), "");
    shuffle_all(s, total, total, last);
  }
  for (uint32_t k = 0; k < length; k++) {
    combine(&s->r, sum[k], sum[k], before);
    for (uint32_t i = 0; i < s->r.n; i++) s->result[i][slots[k]] = sum[k][i];
  }
  combine(&s->r, carry, total, carry);
}

static void scan_private(scan *s) {
  s->run = 0;
  s->lanes = 0;
}

void gpu_scan(gen *g, ir_op *op) {
  scan s = {.reverse = ir_int_attr(op, ATTR_reverse)};
  if (!begin(&s.r, g, op)) return;
  const simt_dist *d = &s.r.d;
  while (s.run < s.r.count && s.run < d->regs && s.run < 4 &&
         d->reg[s.run] == (int8_t)(s.r.first + s.run))
    s.run++;
  while (s.lanes < d->lanes && s.run + s.lanes < s.r.count &&
         d->lane[s.lanes] == (int8_t)(s.r.first + s.run + s.lanes))
    s.lanes++;
  if (g->private_) scan_private(&s);
  llv at = LLVMBuildAnd(g->e.b, g->lane, k32(g, (1u << s.lanes) - 1), "");
  s.place = s.reverse ? LLVMBuildXor(g->e.b, at, k32(g, (1u << s.lanes) - 1), "") : at;
  for (uint32_t i = 0; i < s.r.n; i++) {
    s.x[i] = gpu_get(g, ir_operand(op, i), d);
    s.result[i] = gpu_registers(g, d);
  }
  uint32_t along = ((1u << s.r.count) - 1) << s.r.first;
  uint32_t pieces = 1u << (s.r.count - s.run - s.lanes);
  for (uint32_t k = 0; k < slots_of(d) && !g->failed; k++) {
    uint32_t index = simt_index_of_slot(d, k);
    if (index & along) continue; /* a row begins where nothing along the dimension is set */
    llv carry[MAX_OPERANDS];
    identities(&s.r, carry);
    for (uint32_t piece = 0; piece < pieces && !g->failed; piece++)
      scan_piece(&s, index, s.reverse ? pieces - 1 - piece : piece, carry);
  }
  for (uint32_t i = 0; i < s.r.n; i++) gpu_set(g, ir_result(op, i), d, s.result[i]);
}
