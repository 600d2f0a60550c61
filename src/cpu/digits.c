/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of few rows whose right operand are numbers of four bits (thin.c), by the instruction
 * that multiplies bytes in groups of four along k and adds them up in i32 (vpdpbusd).
 *
 *   b[k, j] = (u[k, j] - bias) * step        u: what four bits stand for, a byte; see table.c
 *   a[i, k] = A[i, k] * unit[i]              A: a whole number of up to 22 bits and a sign
 *   A = d0 + d1 * 2^8 + d2 * 2^16            digits from -128 to 127
 *
 *   acc[i, j] += unit[i] * step * (sum over k of A[i, k] * u[k, j] - bias * sum over k of A[i, k])
 *
 * All of the sum is exact in i32: it is what docs/numerics.md asks for and better, with two
 * roundings for a tile's k. The unit is chosen for each row, and whether every element of a is a
 * multiple of it (numbers of 16 bits of which none is much smaller than the largest) is seen when
 * the kernel runs; where it is not so, the nest of thin.c multiplies in f32.
 *
 * Lanes of b are bytes, copies are rows; four of these are interleaved on their way. A cache line
 * of 128 weights takes 10 to 13 instructions for a row of a, where lookups and multiply-adds in f32
 * take 24.
 */
#include <limits.h>
#include <math.h>

#include "num/num.h"

#include "cpu/lanes.h"
#include "cpu/matrix.h"

enum {
  DIGITS = 3,
  GROUP = 4,           /* bytes of a lane */
  LANES = 16,          /* of i32 */
  MOST_SUMS = 24,      /* of 32 registers */
  MOST_BITS = 22,      /* of A, so that the highest digit fits */
  LEAST_BITS = 16,     /* fewer are not worth trying */
  LEAST_EXPONENT = 64, /* biased, of a row's largest element: units are far from subnormal */
  MOST_EXPONENT = 230,
  MOST_K = 256,
  LINE = 64,
  VECTORS = LINE / LANES, /* of i32 that a line of bytes gives */
};

/* ---- which products ------------------------------------------------------------------------- */

/* The numbers of the lookup as (u - bias) * step. */
static bool as_bytes(const lookup *t, digit_table *out) {
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
  *out = (digit_table){.step = ldexp(1, lowest), .bias = -least, .most = most, .flips = -1};
  for (unsigned i = 0; i < 16; i++) out->u[i] = (uint8_t)(q[i] - least);
  return true;
}

/* Are they the four bits themselves, some of them flipped? */
static void find_flips(digit_table *t) {
  for (unsigned flips = 0; flips < 16 && t->flips < 0; flips++) {
    bool same = true;
    for (unsigned i = 0; i < 16; i++) same &= t->u[i] == (i ^ flips);
    if (same) t->flips = (int)flips;
  }
}

static bool root_fits(lower *l, const group *g, const root *r, digit_root *out) {
  const ir_type *a = ir_operand(r->op, 0)->type, *b = r->value->type;
  lookup t;
  if (r->op->opcode != OP_mmaf || ir_operand(r->op, 2)->type->elem != TSR_F32) return false;
  if (tsr_elem_bits((tsr_elem)a->elem) > 16 || b->count != g->shape->count) return false;
  if (!lookup_of(l, r->value, &t) || !as_bytes(&t, &out->table)) return false;
  find_flips(&out->table);
  out->r = r;
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
static unsigned bits_for(const digit_table *t, int64_t k) {
  int64_t most = t->most * k;
  unsigned bits = 31;
  while (bits > 0 && most << bits > INT32_MAX) bits--;
  return MIN(bits, (unsigned)MOST_BITS);
}

bool digits_fit(lower *l, const group *g, digits *d) {
  const ir_op *op = g->roots[0].op;
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type;
  *d = (digits){.l = l, .g = g, .n_roots = g->n_roots, .bits = MOST_BITS};
  d->m = a->shape[a->rank - 2];
  d->k = a->shape[a->rank - 1];
  d->n = b->shape[b->rank - 1];
  if (l->e.arm || l->e.options.level < CPU_AVX512 || !l->e.options.vnni) return false;
  if (d->k < 2 * GROUP || d->k > MOST_K || b->count != d->k * d->n) return false;
  if (g->n_roots > ARRAY_LEN(d->roots)) return false;
  for (unsigned i = 0; i < g->n_roots; i++) {
    digit_root *r = &d->roots[i];
    if (!root_fits(l, g, &g->roots[i], r) || r->halves != d->roots[0].halves) return false;
    if (ir_operand(r->r->op, 0) != ir_operand(op, 0)) return false;
    d->bits = MIN(d->bits, bits_for(&r->table, d->k));
  }
  d->halves = d->roots[0].halves;
  return d->bits >= LEAST_BITS && d->n >= LINE * d->halves &&
         d->m * d->halves * d->n_roots * VECTORS * DIGITS <= MOST_SUMS;
}

/* ---- digits --------------------------------------------------------------------------------- */

/* What is kept of a row: its digits, all d0 first; then the unit and the sum of A. */
static int64_t row_bytes(const digits *d) {
  return (DIGITS * d->k + 8 + 15) / 16 * 16;
}

static llv at_offset(lower *l, llv ptr, int64_t bytes) {
  llv offset = k64(l, bytes);
  return LLVMBuildGEP2(l->e.b, l->e.i8, ptr, &offset, 1, "");
}

static void put(lower *l, llv v, llv at) {
  LLVMSetAlignment(LLVMBuildStore(l->e.b, v, at), 4);
}

/* 2^x as an f32, `exponent` being x + 127. */
static llv power_of_two(emit *e, llv exponent) {
  return l_bitcast(e, i_shlk(e, exponent, 23), e->f32);
}

/* A row of floats into digits. Gives an i1: whether they are exact. */
static llv write_row(const digits *d, llv from, llv to) {
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
  x = f_mul(e, x, emit_splat(e, up, (unsigned)d->k));
  llv whole = l_fptosi(e, x, e->i32);
  llv same = f_cmp(e, LLVMRealOEQ, l_sitofp(e, whole, e->f32), x);
  LLVMTypeRef flags = LLVMTypeOf(same);
  same = emit_intrinsic(e, "llvm.vector.reduce.and", &flags, 1, &same, 1);
  put(l, unit, at_offset(l, to, DIGITS * d->k));
  put(l, emit_intrinsic(e, "llvm.vector.reduce.add", &ints, 1, &whole, 1),
      at_offset(l, to, DIGITS * d->k + 4));
  for (int64_t i = 0; i < DIGITS; i++) {
    llv digit = l_trunc(e, whole, e->i8);
    put(l, digit, at_offset(l, to, i * d->k));
    whole = i_ashrk(e, i_sub(e, whole, l_sext(e, digit, e->i32)), 8);
  }
  return l_select(e, in_range, same, LLVMConstNull(e->i1)); /* out of range, `same` may be poison */
}

llv digits_write(digits *d) {
  lower *l = d->l;
  buffer *a = keep(l, ir_operand(d->g->roots[0].op, 0), FORMAT_LANES);
  d->to = buffer_bytes(l, (uint64_t)(d->m * row_bytes(d)));
  buffer_touch(l, a);
  buffer_touch(l, d->to);
  llv exact = NULL;
  for (int64_t i = 0; i < d->m; i++) {
    llv row = at_offset(l, a->ptr, i * d->k * 4);
    exact = fold_and(l, exact, write_row(d, row, at_offset(l, d->to->ptr, i * row_bytes(d))));
  }
  return exact;
}

/* ---- a nest --------------------------------------------------------------------------------- */

typedef struct work {
  digits *d;
  nest n;
  unsigned column_level, k_level; /* 0: there is no such loop */
  llv sum[MOST_SUMS], phi[MOST_SUMS];
} work;

static unsigned sum_at(const work *p, unsigned which, unsigned half, int64_t row, unsigned vector,
                       unsigned digit) {
  unsigned at = (which * p->d->halves + half) * (unsigned)p->d->m + (unsigned)row;
  return (at * VECTORS + vector) * DIGITS + digit;
}

static unsigned count_of_sums(const work *p) {
  return sum_at(p, p->d->n_roots, 0, 0, 0, 0);
}

/* Lanes are bytes of a row of b, copies four rows. */
static void open_nest(work *p) {
  digits *d = p->d;
  nest *n = &p->n;
  unsigned columns = log2_of(d->n), k_bits = log2_of(d->k), low = d->halves == 2 ? 1 : 0;
  nest_begin(n, d->l, columns + k_bits, true);
  nest_lanes(n, low, log2_of(LINE));
  if (low) n->unroll[n->unroll_n++] = 0;
  for (unsigned j = 0; j < 2; j++) n->unroll[n->unroll_n++] = (int8_t)(columns + j);
  n->prefetch = PREFETCH_LINE;
  unsigned inner = low + n->lane_n;
  if (columns > inner) {
    p->column_level = n->n_levels;
    nest_open(n, inner, columns - inner);
  }
  p->k_level = n->n_levels;
  nest_open(n, columns + 2, k_bits - 2);
}

static void begin_sums(work *p) {
  emit *e = &p->d->l->e;
  level *v = &p->n.levels[p->k_level];
  llv zero = LLVMConstNull(LLVMVectorType(e->i32, LANES));
  for (unsigned i = 0; i < count_of_sums(p); i++) {
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(v->block));
    p->sum[i] = p->phi[i] = LLVMBuildPhi(e->b, LLVMTypeOf(zero), "sum");
    LLVMAddIncoming(p->phi[i], &zero, &p->n.levels[p->k_level - 1].block, 1);
  }
}

/* Pieces of `bytes` bytes of a and b in turn, within each 16 bytes: their lower or upper halves. */
static llv in_turn(emit *e, llv a, llv b, unsigned bytes, bool upper) {
  llv pick[LINE];
  for (unsigned i = 0; i < LINE; i++) {
    unsigned piece = i % 16 / bytes,
             at = i / 16 * 16 + (upper ? 8 : 0) + piece / 2 * bytes + i % bytes;
    pick[i] = LLVMConstInt(e->i32, at + (piece % 2 ? LINE : 0), 0);
  }
  return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(pick, LINE), "");
}

/* Four rows of 64 bytes to vectors of groups of four: lane i of vector v is column 16 (i / 4) + 4 v
 * + i % 4. */
static void interleave(emit *e, const llv *row, llv *out) {
  for (unsigned upper = 0; upper < 2; upper++) {
    llv first = in_turn(e, row[0], row[1], 1, upper), second = in_turn(e, row[2], row[3], 1, upper);
    out[2 * upper] = in_turn(e, first, second, 2, false);
    out[2 * upper + 1] = in_turn(e, first, second, 2, true);
  }
}

/* u of the low or high halves of bytes; of high ones, where no lookup is needed, 16 times it. */
static llv bytes_of(emit *e, const digit_table *t, llv x, bool high) {
  if (t->flips >= 0) {
    uint64_t flips = (uint64_t)t->flips << (high ? 4 : 0);
    return i_xork(e, i_andk(e, x, high ? 0xf0 : 0x0f), flips);
  }
  if (high) {
    LLVMTypeRef bytes = LLVMTypeOf(x), words = LLVMVectorType(e->i16, LINE / 2);
    x = i_lshrk(e, LLVMBuildBitCast(e->b, x, words, ""), 4);
    x = LLVMBuildBitCast(e->b, x, bytes, "");
  }
  llv table[LINE];
  for (unsigned i = 0; i < LINE; i++) table[i] = LLVMConstInt(e->i8, t->u[i % 16], 0);
  llv args[] = {LLVMConstVector(table, LINE), i_andk(e, x, 0x0f)};
  return emit_intrinsic(e, "llvm.x86.avx512.pshuf.b.512", NULL, 0, args, 2);
}

static bool is_high(const digit_root *r, unsigned half) {
  return r->halves == 2 ? half == 1 : r->high;
}

static llv at_row(work *p, int64_t row, int64_t bytes) {
  return at_offset(p->d->l, p->d->to->ptr, row * row_bytes(p->d) + bytes);
}

static void multiply_rows(work *p, unsigned which, unsigned half, unsigned vector, llv u) {
  digits *d = p->d;
  emit *e = &d->l->e;
  llv at = i_shlk(e, p->n.levels[p->k_level].index, 2);
  LLVMTypeRef bytes = LLVMVectorType(e->i8, LINE);
  for (int64_t i = 0; i < d->m; i++)
    for (unsigned digit = 0; digit < DIGITS; digit++) {
      llv from = LLVMBuildGEP2(e->b, e->i8, at_row(p, i, digit * d->k), &at, 1, "");
      llv four = LLVMBuildLoad2(e->b, e->i32, from, "");
      llv *sum = &p->sum[sum_at(p, which, half, i, vector, digit)];
      llv args[] = {*sum, u, LLVMBuildBitCast(e->b, emit_splat(e, four, LANES), bytes, "")};
      *sum = emit_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", NULL, 0, args, 3);
    }
}

static void step(work *p) {
  digits *d = p->d;
  emit *e = &d->l->e;
  nest *n = &p->n;
  for (unsigned i = 0; i < d->n_roots; i++) {
    const digit_root *r = &d->roots[i];
    llv row[GROUP], x[VECTORS];
    for (unsigned k = 0; k < GROUP; k++) {
      index_map m = nest_map(n, d->halves == 2 ? 2 * k : k);
      row[k] = (r->halves == 2 ? gen_load_bytes(n, value_of(d->l, r->from)->load, &m)
                               : gen_lanes(n, r->from, &m))
                   .v;
    }
    nest_place_level(n, n->n_levels - 1);
    interleave(e, row, x);
    for (unsigned v = 0; v < VECTORS; v++)
      for (unsigned half = 0; half < d->halves; half++)
        multiply_rows(p, i, half, v, bytes_of(e, &r->table, x[v], is_high(r, half)));
  }
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* The sum of A * (u - bias), of 16 lanes as they are in the registers. */
static llv total(work *p, unsigned which, unsigned half, int64_t row, unsigned vector) {
  digits *d = p->d;
  lower *l = d->l;
  emit *e = &l->e;
  const digit_root *r = &d->roots[which];
  const llv *sum = &p->sum[sum_at(p, which, half, row, vector, 0)];
  unsigned more = r->table.flips >= 0 && is_high(r, half) ? 4 : 0;
  llv a = LLVMBuildLoad2(e->b, e->i32, at_row(p, row, DIGITS * d->k + 4), "");
  llv off = emit_splat(e, i_mul(e, a, LLVMConstInt(e->i32, (uint64_t)r->table.bias, 0)), LANES);
  llv all = more ? i_ashrk(e, sum[0], more) : sum[0];
  for (unsigned digit = 1; digit < DIGITS; digit++)
    all = i_add(e, all, i_shlk(e, sum[digit], 8 * digit - more));
  return l_sitofp(e, i_sub(e, all, off), e->f32);
}

static llv shuffled(emit *e, llv a, llv b, const unsigned *from) {
  llv pick[LANES];
  for (unsigned i = 0; i < LANES; i++) pick[i] = LLVMConstInt(e->i32, from[i], 0);
  return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(pick, LANES), "");
}

/* Quarter i of vector v and quarter v of vector i trade places: see interleave. */
static void in_order(emit *e, llv *v) {
  for (unsigned bit = 0; bit < 2; bit++)
    for (unsigned i = 0; i < 4; i++) {
      if (i >> bit & 1) continue;
      unsigned j = i | 1u << bit, low[LANES], high[LANES];
      for (unsigned lane = 0; lane < LANES; lane++) {
        bool set = lane / 4 >> bit & 1;
        unsigned other = lane ^ 4u << bit;
        low[lane] = set ? LANES + other : lane;
        high[lane] = set ? LANES + lane : other;
      }
      llv a = shuffled(e, v[i], v[j], low);
      v[j] = shuffled(e, v[i], v[j], high);
      v[i] = a;
    }
}

/* The address of acc's element in the first column of this iteration. */
static llv place_of_row(work *p, unsigned which, int64_t row) {
  digits *d = p->d;
  lower *l = d->l;
  buffer *to = d->roots[which].r->to;
  llv at = at_offset(l, to->ptr, row * d->n * 4);
  if (!p->column_level) return at;
  llv column =
      fold_mul(l, p->n.levels[p->column_level].index, k64(l, (int64_t)LINE * d->halves * 4));
  return LLVMBuildGEP2(l->e.b, l->e.i8, at, &column, 1, "");
}

/* acc += v * unit * step */
static void add_vector(work *p, unsigned which, int64_t row, llv v, llv at) {
  digits *d = p->d;
  emit *e = &d->l->e;
  llv unit = LLVMBuildLoad2(e->b, e->f32, at_row(p, row, DIGITS * d->k), "");
  unit = f_mulk(e, unit, d->roots[which].table.step);
  llv acc = LLVMBuildLoad2(e->b, LLVMTypeOf(v), at, "");
  LLVMSetAlignment(acc, 4);
  put(d->l, lanes_canonical(e, f_mul_add(e, v, emit_splat(e, unit, LANES), acc)), at);
}

/* Adds a row's sums to acc. Where bytes have two columns, those of their halves take turns. */
static void add_row(work *p, unsigned which, int64_t row) {
  static const unsigned turns[2][LANES] = {
      {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
      {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31}};
  digits *d = p->d;
  emit *e = &d->l->e;
  llv v[2][VECTORS], at = place_of_row(p, which, row);
  for (unsigned half = 0; half < d->halves; half++) {
    for (unsigned i = 0; i < VECTORS; i++) v[half][i] = total(p, which, half, row, i);
    in_order(e, v[half]);
  }
  for (unsigned i = 0; i < VECTORS * d->halves; i++) {
    llv x = v[0][i / d->halves];
    if (d->halves == 2) x = shuffled(e, x, v[1][i / 2], turns[i % 2]);
    add_vector(p, which, row, x, at_offset(d->l, at, (int64_t)i * LANES * 4));
  }
}

void digits_multiply(digits *d) {
  lower *l = d->l;
  work *p = arena_new(l->arena, work);
  *p = (work){.d = d};
  for (unsigned i = 0; i < d->n_roots; i++) buffer_touch(l, d->roots[i].r->to);
  buffer_touch(l, d->to);
  open_nest(p);
  begin_sums(p);
  step(p);
  for (unsigned i = 0; i < count_of_sums(p); i++)
    LLVMAddIncoming(p->phi[i], &p->sum[i], &p->n.levels[p->k_level].latch, 1);
  nest_place_after(&p->n, p->k_level);
  for (unsigned i = 0; i < d->n_roots; i++)
    for (int64_t row = 0; row < d->m; row++) add_row(p, i, row);
  nest_end(&p->n);
}
