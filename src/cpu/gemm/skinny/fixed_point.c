/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of few rows whose right operand are numbers of four bits (skinny.c), by the instruction
 * that multiplies bytes in groups of four along k and adds them up in i32 (vpdpbusd), or by those
 * that add up pairs of them in words first.
 *
 *   b[k, j] = (u[k, j] - bias) * step        u: what four bits stand for, a byte; see lookup.c
 *   a[i, k] = A[i, k] * unit[i]              A: a whole number of up to 22 bits and a sign
 *   A = d0 + d1 * 2^8 + d2 * 2^16            digits from -128 to 127
 *
 *   acc[i, j] += unit[i] * step * (sum over k of A[i, k] * u[k, j] - bias * sum over k of A[i, k])
 *
 * All of the sum is exact in i32: it is what docs/numerics.md asks for and better, with two
 * roundings for a tile's k. The unit is chosen for each row, and whether every element of a is a
 * multiple of it (numbers of 16 bits of which none is much smaller than the largest) is seen when
 * the kernel runs; where it is not so for one of the rows, the nest of skinny.c multiplies all in
 * f32. Most rows need two digits only; those are multiplied first (byte_dot.c), and rows of zeros,
 * as there are where the tile hangs over the edge of its matrix, not at all.
 */
#include <limits.h>
#include <math.h>

#include "num/num.h"
#include "opt/nans.h"
#include "llvm/lanes.h"

#include "cpu/gemm/skinny/fixed_point.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/map.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/group.h"
#include "cpu/nest/lookup.h"
#include "cpu/nest/nest.h"
#include "cpu/gemm/skinny/byte_dot.h"

enum {
  MOST_BITS = 22,      /* of A, so that the highest digit fits */
  LEAST_BITS = 16,     /* fewer are not worth trying */
  SHORT_BITS = 15,     /* of A in two digits, */
  MOST_SHORT = 32639,  /* which go as far as that */
  LEAST_EXPONENT = 64, /* biased, of a row's largest element: units are far from subnormal */
  MOST_EXPONENT = 230,
  MOST_K = 256,
};

/* ---- which products ------------------------------------------------------------------------- */

unsigned fixed_point_most_u(const lower *l) {
  return l->e.isa.vnni ? UINT8_MAX : INT8_MAX;
}

/* The numbers of the lookup as (u - bias) * step. */
static bool as_bytes(const lower *l, const lookup *t, fixed_point_table *out) {
  int least = 0, most = 0, q[16], lowest = INT_MAX;
  for (unsigned i = 0; i < 16; i++) {
    int exponent;
    double x = num_decode(num_format_of(TSR_F32), t->bits[i]);
    if (!isfinite(x)) return false;
    double significand = frexp(x, &exponent);
    if (x == 0) continue;
    while (significand != floor(significand)) significand *= 2, exponent--;
    lowest = MIN(lowest, exponent);
  }
  if (lowest < -20 || lowest > 20) return false; /* INT_MAX, too: all are zero */
  for (unsigned i = 0; i < 16; i++) {
    double x = ldexp(num_decode(num_format_of(TSR_F32), t->bits[i]), -lowest);
    if (fabs(x) > 127) return false;
    q[i] = (int)x;
    least = MIN(least, q[i]);
    most = MAX(most, MAX(q[i], -q[i]));
  }
  *out = (fixed_point_table){.step = ldexp(1, lowest), .bias = -least, .most = most, .flips = -1};
  unsigned largest = 0;
  for (unsigned i = 0; i < 16; i++) {
    out->u[i] = (uint8_t)(q[i] - least);
    largest = MAX(largest, (unsigned)out->u[i]);
  }
  return largest <= fixed_point_most_u(l);
}

/* Are they the four bits themselves, some of them flipped? */
static void find_flips(fixed_point_table *t) {
  for (unsigned flips = 0; flips < 16 && t->flips < 0; flips++) {
    bool same = true;
    for (unsigned i = 0; i < 16; i++) same &= t->u[i] == (i ^ flips);
    if (same) t->flips = (int)flips;
  }
}

/* Is a NaN among the sums canonical before anything is added? Whole numbers leave it as it is. */
static bool sums_are_canonical(const root *r) {
  const ir_value *acc = ir_operand(r->op, 2);
  if (r->to && r->to->any_nan) return true; /* nobody expects it */
  if (!acc->is_arg) return opt_nans_are_canonical(acc, true);
  const ir_op *loop = acc->owner.block->parent;
  uint32_t n;
  if (loop->opcode != OP_for) return false;
  ir_use *first = ir_operand_group(loop, 3, &n);
  for (uint32_t i = 0; i < n; i++)
    if (acc == &ir_region(loop, 0)->args[1 + i])
      return opt_loop_nans_are_canonical(loop, i, first[i].value, true);
  return false;
}

static bool root_fits(lower *l, const group *g, const root *r, fixed_point_root *out) {
  const ir_type *a = ir_operand(r->op, 0)->type, *b = r->value->type;
  lookup t;
  if (r->op->opcode != OP_mmaf || ir_operand(r->op, 2)->type->elem != TSR_F32) return false;
  if (tsr_elem_bits((tsr_elem)a->elem) > 16 || b->count != g->shape->count) return false;
  if (!lookup_of(l, r->value, &t) || !as_bytes(l, &t, &out->table)) return false;
  find_flips(&out->table);
  out->r = r;
  out->canonical = sums_are_canonical(r);
  out->from = t.from;
  out->high = t.high;
  out->halves = 1;
  if (t.from->type->elem == TSR_I8) return true;
  const access *load = value_of(l, t.from)->load;
  index_map m = map_identity(tile_bits(t.from->type));
  out->halves = 2;
  return value_of(l, t.from)->kind == VALUE_LAZY && load && access_takes_nibbles(load, &m);
}

/* Bits of A with which no sum overflows. */
static unsigned bits_for(const fixed_point_table *t, int64_t k) {
  int64_t most = t->most * k;
  unsigned bits = 31;
  while (bits > 0 && most << bits > INT32_MAX) bits--;
  return MIN(bits, (unsigned)MOST_BITS);
}

bool fixed_point_fits(lower *l, const group *g, fixed_point *d) {
  const ir_op *op = g->roots[0].op;
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type;
  *d = (fixed_point){.l = l, .g = g, .n_roots = g->n_roots, .bits = MOST_BITS};
  d->m = a->shape[a->rank - 2];
  d->k = a->shape[a->rank - 1];
  d->n = b->shape[b->rank - 1];
  if (!is_on(l, PATTERN_FIXED_POINT) || l->e.arm || l->e.isa.level < CPU_AVX2) return false;
  d->line = l->e.vector_bits / 8;
  d->team = d->line == BYTE_DOT_MOST ? 2 : 1;
  if (d->k < 2 * BYTE_DOT_GROUP || d->k > MOST_K || b->count != d->k * d->n) return false;
  if (g->n_roots > ARRAY_LEN(d->roots)) return false;
  for (unsigned i = 0; i < g->n_roots; i++) {
    fixed_point_root *r = &d->roots[i];
    if (!root_fits(l, g, &g->roots[i], r) || r->halves != d->roots[0].halves) return false;
    if (ir_operand(r->r->op, 0) != ir_operand(op, 0)) return false;
    d->bits = MIN(d->bits, bits_for(&r->table, d->k));
  }
  d->halves = d->roots[0].halves;
  return d->bits >= LEAST_BITS && d->n >= d->line * d->halves;
}

bool fixed_point_fits_alone(lower *l, ir_op *op) {
  ir_value *b = ir_operand(op, 1);
  root r = {.kind = ROOT_PRODUCT, .op = op, .value = b};
  group g = {.shape = b->type, .reduce = op, .n_roots = 1, .roots = {r}};
  fixed_point d;
  return fixed_point_fits(l, &g, &d);
}

bool fixed_point_shares(lower *l, const root *a, const root *b) {
  group g = {.shape = a->value->type, .reduce = a->op, .n_roots = 2, .roots = {*a, *b}};
  fixed_point d;
  return fixed_point_fits(l, &g, &d);
}

/* ---- digits --------------------------------------------------------------------------------- */

/* How many digits a row needs, or one of these. Rows are counted by that. */
enum { ROW_ZERO, ROW_INEXACT, ROW_SHORT, ROW_LONG, ROW_KINDS };

static void put(lower *l, llv v, llv at) {
  LLVMSetAlignment(LLVMBuildStore(l->e.b, v, at), 4);
}

/* 2^x as an f32, `exponent` being x + 127. */
static llv power_of_two(emit *e, llv exponent) {
  return l_bitcast(e, i_shlk(e, exponent, 23), e->f32);
}

static llv all_of(emit *e, llv flags) {
  LLVMTypeRef type = LLVMTypeOf(flags);
  return emit_intrinsic(e, "llvm.vector.reduce.and", &type, 1, &flags, 1);
}

/* Do two digits do, when `bits` bits have room for all? Leaves out what is zero in all then. */
static llv shorten(emit *e, unsigned bits, llv *whole, llv *unit) {
  unsigned by = bits - SHORT_BITS;
  llv less = i_ashrk(e, *whole, by);
  llv same = i_cmp(e, LLVMIntEQ, i_shlk(e, less, by), *whole);
  llv fits = i_cmpk(e, LLVMIntSLE, less, MOST_SHORT);
  llv is_short = all_of(e, l_select(e, same, fits, LLVMConstNull(LLVMTypeOf(fits))));
  *whole = l_select(e, is_short, less, *whole);
  *unit = l_select(e, is_short, f_mulk(e, *unit, ldexp(1, (int)by)), *unit);
  return is_short;
}

/* A row of floats into digits. Gives its kind, an i64. */
static llv write_row(const fixed_point *d, llv from, llv to) {
  lower *l = d->l;
  emit *e = &l->e;
  LLVMTypeRef floats = LLVMVectorType(e->f32, (unsigned)d->k),
              ints = LLVMVectorType(e->i32, (unsigned)d->k);
  llv x = LLVMBuildLoad2(e->b, floats, from, "");
  LLVMSetAlignment(x, 4);
  llv magnitude = i_andk(e, l_bitcast(e, x, e->i32), 0x7fffffff);
  llv largest = emit_intrinsic(e, "llvm.vector.reduce.umax", &ints, 1, &magnitude, 1);
  llv none = i_cmpk(e, LLVMIntEQ, largest, 0);
  llv exponent = l_select(e, none, LLVMConstInt(e->i32, 127, 0), i_lshrk(e, largest, 23));
  llv in_range =
      i_cmpk(e, LLVMIntULE, i_subk(e, exponent, LEAST_EXPONENT), MOST_EXPONENT - LEAST_EXPONENT);
  /* The largest element gets d->bits bits. */
  llv up = power_of_two(e, i_sub(e, LLVMConstInt(e->i32, 253 + d->bits, 0), exponent));
  llv unit = power_of_two(e, i_subk(e, exponent, d->bits - 1));
  llv whole = l_fptosi(e, f_mul(e, x, emit_splat(e, up, (unsigned)d->k)), e->i32);
  llv back = f_mul(e, l_sitofp(e, whole, e->f32), emit_splat(e, unit, (unsigned)d->k));
  llv same = all_of(e, f_cmp(e, LLVMRealOEQ, back, x));
  llv is_short = shorten(e, d->bits, &whole, &unit);
  put(l, unit, emit_offsetk(&l->e, to, fixed_point_unit_at(d)));
  put(l, emit_intrinsic(e, "llvm.vector.reduce.add", &ints, 1, &whole, 1),
      emit_offsetk(&l->e, to, fixed_point_sum_at(d)));
  for (int64_t i = 0; i < DIGITS_MOST; i++) {
    llv digit = l_trunc(e, whole, e->i8);
    put(l, digit, emit_offsetk(&l->e, to, i * d->k));
    whole = i_ashrk(e, i_sub(e, whole, l_sext(e, digit, e->i32)), 8);
  }
  /* Out of range, `same` and `is_short` may be poison. */
  llv kind = l_select(e, is_short, k64(l, ROW_SHORT), k64(l, ROW_LONG));
  kind = l_select(e, same, kind, k64(l, ROW_INEXACT));
  kind = l_select(e, in_range, kind, k64(l, ROW_INEXACT));
  return l_select(e, none, k64(l, ROW_ZERO), kind);
}

/* After the rows in d->to: the kind of each row, how many there are of each kind, which becomes
 * where the next of that kind goes in d->order. */
static llv kinds_at(const fixed_point *d) {
  return emit_offsetk(&d->l->e, d->to->ptr, d->m * fixed_point_row_bytes(d));
}
static llv counts_at(const fixed_point *d) {
  return emit_offsetk(&d->l->e, kinds_at(d), d->m * 8);
}

/* A loop over the rows; gives the number of the row. */
static llv open_rows(const fixed_point *d, nest *n) {
  nest_begin(n, d->l, log2_of(d->m), true);
  nest_open(n, 0, log2_of(d->m));
  nest_place_level(n, 1);
  return n->levels[1].index;
}

/* The number at `at`, which becomes one more. */
static llv count_up(lower *l, llv at) {
  llv n = LLVMBuildLoad2(l->e.b, l->e.i64, at, "");
  LLVMBuildStore(l->e.b, LLVMBuildAdd(l->e.b, n, k64(l, 1), ""), at);
  return n;
}

static void write_rows(fixed_point *d, llv a) {
  lower *l = d->l;
  nest n;
  llv counts = counts_at(d), kinds = kinds_at(d);
  for (unsigned i = 0; i < ROW_KINDS; i++)
    LLVMBuildStore(l->e.b, k64(l, 0), emit_offsetk(&l->e, counts, i * 8));
  llv row = open_rows(d, &n);
  llv kind = write_row(d, lower_element(l, a, row, d->k * 4),
                       lower_element(l, d->to->ptr, row, fixed_point_row_bytes(d)));
  LLVMBuildStore(l->e.b, kind, lower_element(l, kinds, row, 8));
  count_up(l, lower_element(l, counts, kind, 8));
  nest_end(&n);
}

/* The numbers of rows in d->order: with two digits, with three, zeros. */
static void order_rows(fixed_point *d) {
  lower *l = d->l;
  LLVMBuilderRef b = l->e.b;
  nest n;
  llv counts = counts_at(d), kinds = kinds_at(d);
  llv shorts = LLVMBuildLoad2(b, l->e.i64, emit_offsetk(&l->e, counts, ROW_SHORT * 8), "");
  llv longs = LLVMBuildLoad2(b, l->e.i64, emit_offsetk(&l->e, counts, ROW_LONG * 8), "");
  llv all = LLVMBuildAdd(b, shorts, longs, "");
  LLVMBuildStore(b, k64(l, 0), emit_offsetk(&l->e, counts, ROW_SHORT * 8));
  LLVMBuildStore(b, shorts, emit_offsetk(&l->e, counts, ROW_LONG * 8));
  LLVMBuildStore(b, all, emit_offsetk(&l->e, counts, ROW_ZERO * 8));
  d->short_teams = shorts;
  d->teams = all;
  if (d->team == 2) {
    /* One short row too many goes with a row of zeros if no long one is left. */
    llv with_zeros = i_cmpk(&l->e, LLVMIntEQ, longs, 0);
    llv odd = LLVMBuildZExt(b, with_zeros, l->e.i64, "");
    d->short_teams = LLVMBuildLShr(b, LLVMBuildAdd(b, shorts, odd, ""), k64(l, 1), "");
    d->teams = LLVMBuildLShr(b, LLVMBuildAdd(b, all, k64(l, 1), ""), k64(l, 1), "");
  }
  llv row = open_rows(d, &n);
  llv kind = LLVMBuildLoad2(b, l->e.i64, lower_element(l, kinds, row, 8), "");
  llv to = count_up(l, lower_element(l, counts, kind, 8));
  LLVMBuildStore(b, row, lower_element(l, d->order, to, 8));
  nest_end(&n);
}

llv fixed_point_write(fixed_point *d) {
  lower *l = d->l;
  buffer *a = materialise(l, ir_operand(d->g->roots[0].op, 0), FORMAT_LANES);
  int64_t lists = d->m > 1 ? 8 * (2 * d->m + ROW_KINDS) : 0;
  d->to = buffer_bytes(l, (uint64_t)(d->m * fixed_point_row_bytes(d) + lists));
  buffer_touch(l, a);
  buffer_touch(l, d->to);
  if (d->m == 1) {
    llv kind = write_row(d, a->ptr, d->to->ptr);
    d->is_long = i_cmpk(&l->e, LLVMIntEQ, kind, ROW_LONG);
    return i_cmpk(&l->e, LLVMIntNE, kind, ROW_INEXACT);
  }
  d->order = emit_offsetk(&l->e, counts_at(d), ROW_KINDS * 8);
  write_rows(d, a->ptr);
  llv at = emit_offsetk(&l->e, counts_at(d), ROW_INEXACT * 8);
  llv exact = i_cmpk(&l->e, LLVMIntEQ, LLVMBuildLoad2(l->e.b, l->e.i64, at, ""), 0);
  order_rows(d);
  return exact;
}
