/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sums of products of bytes: the left operand in digits (fixed_point.c) times weights of four bits.
 *
 *   for each panel of columns               those of a cache line of weights
 *     for k, four at a time                 four lines to bytes, interleaved: into `bytes`,
 *     for each pair of rows                   which stays in the first-level cache
 *       for each part of the panel          64 columns: 4 vectors
 *         sums[row][vector][digit] = 0
 *         for k, four at a time             sums += digits of the row * bytes
 *         acc += sums
 *
 * So what it takes to read and decode weights is shared by the rows. The rows come in the order of
 * their digits: pairs with two each, then those with three, and rows of zeros never.
 *
 * A single row has nobody to share with: its sums, of two parts at most, are in registers while k
 * continues, and what is decoded is multiplied at once. Where tiles are wide, a few rows of b are
 * multiplied in all panels before the next few; the sums, whole numbers yet, are kept in between.
 *
 * Where both halves of the same bytes are weights, and need no lookup, a single row's digits are
 * multiplied with the low halves and with whole bytes, which need no mask; the difference is what
 * 16 times the high halves give.
 *
 * What leaves a panel interleaved are lanes in another order than columns. With several rows the
 * bytes are put in order, with one row its sums, which are fewer, if there are registers for them.
 *
 * Vectors have 64 bytes at AVX-512, and 32 at AVX2, where there are half as many registers: a panel
 * is half a cache line wide then, and has one row's and one part's sums at a time.
 */
#include "llvm/lanes.h"
#include "llvm/nans.h"

#include "cpu/gemm/skinny/byte_dot.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/nest.h"
#include "cpu/gemm/skinny/fixed_point.h"

enum {
  GROUP = BYTE_DOT_GROUP,
  MOST_BYTES = BYTE_DOT_MOST, /* in a vector */
  MOST_LANES = MOST_BYTES / 4,
  VECTORS = GROUP,   /* of a part: as many as rows are interleaved */
  MOST_ROWS = 2,     /* at a time, each with one part */
  PARTS_AT_ONCE = 2, /* of a single row */
  MOST_SUMS = MOST_ROWS * VECTORS * DIGITS_MOST,
  PIECE_ROWS = 16, /* of b: see in_pieces */
  PIECE_PANELS = 16,
};

typedef struct panel {
  fixed_point *d;
  unsigned line, lanes; /* bytes and i32 of a vector */
  nest n;
  unsigned piece_level, column_level, k_level; /* 0: there is one piece, one panel */
  unsigned parts;                              /* of a panel */
  bool ordered;                                /* lanes of bytes are columns */
  bool words;            /* sums are pairs of words until all of k has been added */
  bool whole;            /* a part of high halves is one of bytes, with the low halves' part */
  buffer *bytes;         /* part by part: k rows of GROUP by VECTORS vectors */
  struct block *at_once; /* instead: the sums to which bytes are added; NULL: later */
  struct block *first;   /* and as well: those of the first rows and the first part */
  buffer *kept;          /* in pieces: a panel's sums, and after all what they start from */
} panel;

/* A vector on its way to acc. */
typedef struct result {
  llv v, unit, at;
  bool canonical; /* a NaN at `at` is */
} result;

/* Sums that are in registers at the same time. */
typedef struct block {
  panel *p;
  unsigned rows, first_part, parts, n_digits;
  llv row[MOST_ROWS], at[MOST_ROWS]; /* their numbers and digits */
  llv a[MOST_ROWS][DIGITS_MOST];     /* of this step along k, in all lanes */
  llv sum[MOST_SUMS];
  llv with_kept[PARTS_AT_ONCE * VECTORS]; /* in pieces: of this piece and all before */
  unsigned n_results;
  result results[MOST_ROWS * VECTORS];
} block;

static llv shuffled(emit *e, llv a, llv b, unsigned count, const unsigned *from) {
  llv pick[MOST_BYTES];
  for (unsigned i = 0; i < count; i++) pick[i] = LLVMConstInt(e->i32, from[i], 0);
  return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(pick, count), "");
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Lanes are bytes of a row of b, copies four rows. */
static void open_nest(panel *p) {
  fixed_point *d = p->d;
  nest *n = &p->n;
  unsigned piece = log2_of(PIECE_ROWS);
  unsigned columns = log2_of(d->n), k_bits = log2_of(d->k), low = d->halves == 2 ? 1 : 0;
  nest_begin(n, d->l, columns + k_bits, true);
  nest_lanes(n, low, log2_of(p->line));
  if (low) n->unroll[n->unroll_n++] = 0;
  for (unsigned j = 0; j < 2; j++) n->unroll[n->unroll_n++] = (int8_t)(columns + j);
  unsigned inner = low + n->lane_n;
  n->prefetch = PREFETCH_LINE;
  n->line_again = d->m == 1;
  n->line_row = (uint8_t)columns;
  n->line_rows = (uint8_t)(p->kept ? piece : k_bits);
  if (p->kept) {
    n->line_pieces = (uint8_t)(k_bits - piece);
    p->piece_level = n->n_levels;
    nest_open(n, columns + piece, k_bits - piece);
  }
  if (columns > inner) {
    p->column_level = n->n_levels;
    n->line_level = (uint8_t)n->n_levels;
    nest_open(n, inner, columns - inner);
  }
  p->k_level = n->n_levels;
  nest_open(n, columns + 2, n->line_rows - 2u);
}

/* Pieces of `bytes` bytes of a and b in turn, within each 16 bytes: their lower or upper halves. */
static llv in_turn(emit *e, llv a, llv b, unsigned bytes, bool upper) {
  unsigned from[MOST_BYTES], count = emit_lanes(a);
  for (unsigned i = 0; i < count; i++) {
    unsigned piece = i % 16 / bytes;
    from[i] = i / 16 * 16 + (upper ? 8 : 0) + piece / 2 * bytes + i % bytes;
    if (piece % 2) from[i] += count;
  }
  return shuffled(e, a, b, count, from);
}

/* Four rows of bytes to vectors of groups of four: lane i of vector v is byte 16 (i / 4) + 4 v +
 * i % 4 of a row. */
static void interleave(emit *e, const llv *row, llv *out) {
  for (unsigned upper = 0; upper < 2; upper++) {
    llv first = in_turn(e, row[0], row[1], 1, upper), second = in_turn(e, row[2], row[3], 1, upper);
    out[2 * upper] = in_turn(e, first, second, 2, false);
    out[2 * upper + 1] = in_turn(e, first, second, 2, true);
  }
}

/* A row with bytes so that interleave puts them in order into the lanes of vector after vector. */
static llv transposed(emit *e, llv row) {
  unsigned from[MOST_LANES], count = emit_lanes(row) / 4, quarters = count / 4;
  for (unsigned i = 0; i < count; i++) from[i] = i % 4 * quarters + i / 4;
  llv x = LLVMBuildBitCast(e->b, row, LLVMVectorType(e->i32, count), "");
  x = shuffled(e, x, x, count, from);
  return LLVMBuildBitCast(e->b, x, LLVMTypeOf(row), "");
}

/* Lanes of a and b in turn: the first half of each, or the second. */
static llv lanes_in_turn(emit *e, llv a, llv b, bool second) {
  unsigned from[MOST_LANES], count = emit_lanes(a);
  for (unsigned i = 0; i < count; i++)
    from[i] = i / 2 + (second ? count / 2 : 0) + (i % 2 ? count : 0);
  return shuffled(e, a, b, count, from);
}

static bool is_high(const fixed_point_root *r, unsigned half) {
  return r->halves == 2 ? half == 1 : r->high;
}

/* By how many bits the sums of bytes_of are more than those of u. */
static unsigned excess(const panel *p, const fixed_point_root *r, unsigned half) {
  bool mixed = p->ordered && r->halves == 2; /* lanes of both halves are in a vector */
  bool room = fixed_point_most_u(p->d->l) > UINT8_MAX / 2;
  return r->table.flips >= 0 && is_high(r, half) && !mixed && room ? 4 : 0;
}

static llv shifted_down(emit *e, llv x) {
  LLVMTypeRef bytes = LLVMTypeOf(x), words = LLVMVectorType(e->i16, emit_lanes(x) / 2);
  return LLVMBuildBitCast(e->b, i_lshrk(e, LLVMBuildBitCast(e->b, x, words, ""), 4), bytes, "");
}

/* Are the panel's two parts the halves of the same bytes? */
static bool can_be_whole(const panel *p) {
  const fixed_point *d = p->d;
  const fixed_point_root *r = &d->roots[0], *other = &d->roots[d->n_roots - 1];
  if (p->parts != 2 || r->from != other->from || excess(p, r, 0) == excess(p, other, d->halves - 1))
    return false;
  return r->table.flips >= 0 && r->table.flips == other->table.flips;
}

/* u of the low or high halves of bytes; of high ones, where no lookup is needed, 16 times it, or
 * with the low halves, which are flipped then. */
static llv bytes_of(panel *p, const fixed_point_root *r, llv x, unsigned half) {
  emit *e = &p->d->l->e;
  const fixed_point_table *t = &r->table;
  unsigned more = excess(p, r, half);
  if (p->whole) return is_high(r, half) ? x : i_andk(e, x, 0x0f);
  if (is_high(r, half) && !more) x = shifted_down(e, x);
  if (t->flips >= 0) return i_xork(e, i_andk(e, x, 0x0fu << more), (uint64_t)t->flips << more);
  llv table[MOST_BYTES];
  for (unsigned i = 0; i < p->line; i++) table[i] = LLVMConstInt(e->i8, t->u[i % 16], 0);
  llv args[] = {LLVMConstVector(table, p->line), x};
  if (e->isa.vbmi && p->line == MOST_BYTES) /* of 64 numbers: the bits above four may be any */
    return emit_intrinsic(e, "llvm.x86.avx512.permvar.qi.512", NULL, 0, args, 2);
  args[1] = i_andk(e, x, 0x0f);
  const char *name = p->line == 64 ? "llvm.x86.avx512.pshuf.b.512" : "llvm.x86.avx2.pshuf.b";
  return emit_intrinsic(e, name, NULL, 0, args, 2);
}

static llv part_at(panel *p, unsigned part) {
  return emit_offsetk(&p->d->l->e, p->bytes->ptr, part * p->d->k * p->line);
}

static void multiply_bytes(struct block *x, unsigned v, llv u);

static void put_bytes(panel *p, unsigned part, unsigned vector, llv u) {
  lower *l = p->d->l;
  if (p->at_once) {
    multiply_bytes(p->at_once, part * VECTORS + vector, u);
    return;
  }
  llv at = lower_element(l, part_at(p, part), p->n.levels[p->k_level].index, GROUP * p->line);
  LLVMSetAlignment(LLVMBuildStore(l->e.b, u, emit_offsetk(&l->e, at, vector * p->line)), p->line);
  if (p->first && part == 0) multiply_bytes(p->first, vector, u);
}

/* The halves of bytes that are two columns each. */
static void put_mixed(panel *p, unsigned part, llv *low, llv *high) {
  emit *e = &p->d->l->e;
  LLVMTypeRef groups = LLVMVectorType(e->i32, p->lanes);
  for (unsigned v = 0; v < VECTORS; v++)
    for (unsigned second = 0; second < 2; second++) {
      llv a = LLVMBuildBitCast(e->b, low[v], groups, "");
      llv b = LLVMBuildBitCast(e->b, high[v], groups, "");
      unsigned to = 2 * v + second;
      llv u = LLVMBuildBitCast(e->b, lanes_in_turn(e, a, b, second), LLVMTypeOf(low[v]), "");
      put_bytes(p, part + to / VECTORS, to % VECTORS, u);
    }
}

/* Of four rows. */
static void decode(panel *p, unsigned which) {
  fixed_point *d = p->d;
  emit *e = &d->l->e;
  nest *n = &p->n;
  const fixed_point_root *r = &d->roots[which];
  unsigned first = which * d->halves;
  llv row[GROUP], x[VECTORS], u[2][VECTORS];
  for (unsigned k = 0; k < GROUP; k++) {
    index_map m = nest_map(n, k * d->halves);
    row[k] = (r->halves == 2 ? gen_load_bytes(n, value_of(d->l, r->from)->load, &m)
                             : gen_lanes(n, r->from, &m))
                 .v;
  }
  nest_place_level(n, n->n_levels - 1);
  for (unsigned k = 0; k < GROUP && p->whole; k++)
    row[k] = i_xork(e, row[k], (uint64_t)r->table.flips * 0x11);
  for (unsigned k = 0; k < GROUP && p->ordered; k++) row[k] = transposed(e, row[k]);
  interleave(e, row, x);
  for (unsigned half = 0; half < d->halves; half++)
    for (unsigned v = 0; v < VECTORS; v++) {
      u[half][v] = bytes_of(p, r, x[v], half);
      if (!p->ordered || d->halves == 1) put_bytes(p, first + half, v, u[half][v]);
    }
  if (p->ordered && d->halves == 2) put_mixed(p, first, u[0], u[1]);
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* From `from` up to `to`, which may be no more than `from`: then not at all. */
typedef struct loop {
  llblock before, body, after;
  llv index, to;
} loop;

static loop loop_begin(lower *l, llv from, llv to) {
  LLVMBuilderRef b = l->e.b;
  loop x = {.body = lower_new_block(l, "sums"), .after = lower_new_block(l, "summed"), .to = to};
  x.before = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, from, to, ""), x.body, x.after);
  LLVMPositionBuilderAtEnd(b, x.body);
  x.index = LLVMBuildPhi(b, l->e.i64, "");
  LLVMAddIncoming(x.index, &from, &x.before, 1);
  return x;
}

/* The block that goes back. */
static llblock loop_end(lower *l, loop *x) {
  LLVMBuilderRef b = l->e.b;
  llblock last = LLVMGetInsertBlock(b);
  llv next = emit_opaque(&l->e, LLVMBuildAdd(b, x->index, k64(l, 1), ""), false); /* see nest.c */
  LLVMAddIncoming(x->index, &next, &last, 1);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, next, x->to, ""), x->body, x->after);
  LLVMPositionBuilderAtEnd(b, x->after);
  return last;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static unsigned sum_at(const block *x, unsigned row, unsigned vector, unsigned digit) {
  return (row * x->parts * VECTORS + vector) * x->n_digits + digit;
}

static const fixed_point_root *root_of(const block *x, unsigned part) {
  const panel *p = x->p;
  return &p->d->roots[(x->first_part + part) / p->d->halves];
}

static unsigned half_of(const block *x, unsigned part) {
  return (x->first_part + part) % x->p->d->halves;
}

static unsigned excess_of(const block *x, unsigned part) {
  return excess(x->p, root_of(x, part), half_of(x, part));
}

/* bias * the sum of the row, which the sums are too large by: all that are in one register. */
static llv off_of(const block *x, unsigned row, unsigned part, unsigned shift) {
  emit *e = &x->p->d->l->e;
  llv at = emit_offsetk(&x->p->d->l->e, x->at[row], fixed_point_sum_at(x->p->d));
  llv sum = LLVMBuildLoad2(e->b, e->i32, at, "");
  int64_t bias = (int64_t)root_of(x, part)->table.bias << shift;
  return emit_splat(e, i_mul(e, sum, LLVMConstInt(e->i32, (uint64_t)bias, 0)), x->p->lanes);
}

/* Two digits have room in i32 for 16 times u. */
static bool takes_excess(const block *x, unsigned part) {
  return x->n_digits < DIGITS_MOST || excess_of(x, part) == 0;
}

/* Are the low halves' products, those of the other part, among this part's? */
static bool with_low(const block *x, unsigned part) {
  return x->p->whole && excess_of(x, part);
}

/* Without an instruction for all of it products are added in pairs to words, and pairs of those to
 * sums: after each step along k, or after all of them where words hold that many. */
static bool fits_words(const fixed_point *d) {
  enum { MOST_DIGIT = 128 };
  int64_t most = 0;
  if (d->l->e.isa.vnni) return false;
  for (unsigned i = 0; i < d->n_roots; i++)
    for (unsigned k = 0; k < ARRAY_LEN(d->roots[i].table.u); k++)
      most = MAX(most, (int64_t)d->roots[i].table.u[k]);
  return 2 * most * MOST_DIGIT * (d->k / GROUP) <= INT16_MAX;
}

static llv start_of(const block *x, unsigned row, unsigned part, unsigned digit) {
  emit *e = &x->p->d->l->e;
  llv start = LLVMConstNull(LLVMVectorType(e->i32, x->p->lanes));
  if (digit > 0 || x->p->kept) return start;
  if (takes_excess(x, part)) start = i_sub(e, start, off_of(x, row, part, excess_of(x, part)));
  return with_low(x, part) ? i_sub(e, start, off_of(x, row, part ^ 1, 0)) : start;
}

/* Products in pairs in words, which hold them (fixed_point_most_u). */
static llv multiply_to_words(emit *e, llv u, llv a) {
  bool wide = emit_lanes(u) == 64;
  return emit_intrinsic(e, wide ? "llvm.x86.avx512.pmaddubs.w.512" : "llvm.x86.avx2.pmadd.ub.sw",
                        NULL, 0, (llv[]){u, a}, 2);
}

static llv pairs_of_words(emit *e, llv words) {
  bool wide = emit_lanes(words) == 32;
  llv ones = emit_const_int(e, LLVMTypeOf(words), 1);
  return emit_intrinsic(e, wide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd", NULL,
                        0, (llv[]){words, ones}, 2);
}

static llv multiply_add(const panel *p, llv sum, llv u, llv a) {
  emit *e = &p->d->l->e;
  a = LLVMBuildBitCast(e->b, a, LLVMTypeOf(u), "");
  if (p->words) return i_add(e, sum, multiply_to_words(e, u, a));
  if (!e->isa.vnni) return i_add(e, sum, pairs_of_words(e, multiply_to_words(e, u, a)));
  bool wide = emit_lanes(u) == 64;
  return emit_intrinsic(e, wide ? "llvm.x86.avx512.vpdpbusd.512" : "llvm.x86.avx512.vpdpbusd.256",
                        NULL, 0, (llv[]){sum, u, a}, 3);
}

/* A group of the row's digits in all lanes. */
static llv digits_at(block *x, unsigned row, unsigned digit, llv step) {
  lower *l = x->p->d->l;
  llv at = lower_element(l, emit_offsetk(&l->e, x->at[row], digit * x->p->d->k), step, GROUP);
  return emit_splat(&l->e, LLVMBuildLoad2(l->e.b, l->e.i32, at, ""), x->p->lanes);
}

static void load_digits(block *x, llv step) {
  for (unsigned row = 0; row < x->rows; row++)
    for (unsigned digit = 0; digit < x->n_digits; digit++)
      x->a[row][digit] = digits_at(x, row, digit, step);
}

static void multiply_bytes(block *x, unsigned v, llv u) {
  for (unsigned row = 0; row < x->rows; row++)
    for (unsigned digit = 0; digit < x->n_digits; digit++) {
      llv *sum = &x->sum[sum_at(x, row, v, digit)];
      *sum = multiply_add(x->p, *sum, u, x->a[row][digit]);
    }
}

static void multiply_step(block *x, llv step) {
  panel *p = x->p;
  lower *l = p->d->l;
  LLVMTypeRef bytes = LLVMVectorType(l->e.i8, p->line);
  load_digits(x, step);
  for (unsigned v = 0; v < x->parts * VECTORS; v++) {
    llv at = lower_element(l, part_at(p, x->first_part + v / VECTORS), step, GROUP * p->line);
    llv u = LLVMBuildLoad2(l->e.b, bytes, emit_offsetk(&l->e, at, v % VECTORS * p->line), "");
    LLVMSetAlignment(u, p->line);
    multiply_bytes(x, v, u);
  }
}

/* What the sums start from. Gives how many there are. */
static unsigned start_sums(const block *x, llv *start) {
  emit *e = &x->p->d->l->e;
  llv none = LLVMConstNull(LLVMVectorType(e->i16, 2 * x->p->lanes));
  for (unsigned row = 0; row < x->rows; row++)
    for (unsigned v = 0; v < x->parts * VECTORS; v++)
      for (unsigned digit = 0; digit < x->n_digits; digit++)
        start[sum_at(x, row, v, digit)] = x->p->words ? none : start_of(x, row, v / VECTORS, digit);
  return sum_at(x, x->rows, 0, 0);
}

/* At the begin of a loop. */
static void carry_sums(block *x, unsigned count, llv *phi, llv *start, llblock before) {
  for (unsigned i = 0; i < count; i++) {
    x->sum[i] = phi[i] = LLVMBuildPhi(x->p->d->l->e.b, LLVMTypeOf(start[i]), "sum");
    LLVMAddIncoming(phi[i], &start[i], &before, 1);
  }
}

/* All of k. */
static void multiply(block *x) {
  lower *l = x->p->d->l;
  llv phi[MOST_SUMS], start[MOST_SUMS];
  unsigned count = start_sums(x, start);
  llblock before = LLVMGetInsertBlock(l->e.b), body = lower_new_block(l, "products");
  lower_go(l, body);
  llv step = LLVMBuildPhi(l->e.b, l->e.i64, "");
  carry_sums(x, count, phi, start, before);
  multiply_step(x, step);
  llv next = emit_opaque(&l->e, LLVMBuildAdd(l->e.b, step, k64(l, 1), ""), false);
  LLVMAddIncoming(step, (llv[]){k64(l, 0), next}, (llblock[]){before, body}, 2);
  for (unsigned i = 0; i < count; i++) LLVMAddIncoming(phi[i], &x->sum[i], &body, 1);
  llblock done = lower_new_block(l, "added");
  LLVMBuildCondBr(l->e.b, i_cmpk(&l->e, LLVMIntSLT, next, (uint64_t)(x->p->d->k / GROUP)), body,
                  done);
  LLVMPositionBuilderAtEnd(l->e.b, done);
}

/* Of a vector's products, but those of low halves with high ones. */
static llv sum_of(const block *x, unsigned row, unsigned v, unsigned digit) {
  llv sum = x->sum[sum_at(x, row, v, digit)];
  if (x->p->words) {
    llv start = start_of(x, row, v / VECTORS, digit);
    return i_add(&x->p->d->l->e, start, pairs_of_words(&x->p->d->l->e, sum));
  }
  if (!with_low(x, v / VECTORS)) return sum;
  return i_sub(&x->p->d->l->e, sum, x->sum[sum_at(x, row, v ^ VECTORS, digit)]);
}

/* What the sums of a vector's digits make together. */
static llv combined(const block *x, unsigned row, unsigned v) {
  emit *e = &x->p->d->l->e;
  unsigned part = v / VECTORS, more = takes_excess(x, part) ? 0 : excess_of(x, part);
  llv all = sum_of(x, row, v, 0);
  if (more) all = i_ashrk(e, all, more);
  for (unsigned digit = 1; digit < x->n_digits; digit++)
    all = i_add(e, all, i_shlk(e, sum_of(x, row, v, digit), 8 * digit - more));
  return all;
}

/* The sum of A * (u - bias), or 16 times it, of lanes as they are in the registers. */
static llv total(const block *x, unsigned row, unsigned v) {
  emit *e = &x->p->d->l->e;
  unsigned part = v / VECTORS;
  llv all = x->p->kept ? x->with_kept[v] : combined(x, row, v);
  if (!takes_excess(x, part) && !x->p->kept) all = i_sub(e, all, off_of(x, row, part, 0));
  return l_sitofp(e, all, e->f32);
}

/* Of two quarters: vectors 0 and 1 begin with those of columns 0 to 7 and end with those of 16 to
 * 23, vectors 2 and 3 are the other halves of both. */
static void in_order_of_two(emit *e, llv *v) {
  static const unsigned low[] = {0, 1, 2, 3, 8, 9, 10, 11}, high[] = {4, 5, 6, 7, 12, 13, 14, 15};
  llv a = shuffled(e, v[0], v[1], 8, low), b = shuffled(e, v[2], v[3], 8, low);
  llv c = shuffled(e, v[0], v[1], 8, high), d = shuffled(e, v[2], v[3], 8, high);
  v[0] = a, v[1] = b, v[2] = c, v[3] = d;
}

/* Quarter i of vector v and quarter v of vector i trade places: see interleave. */
static void in_order(emit *e, llv *v) {
  enum { LANES = 16 };
  if (emit_lanes(v[0]) < LANES) {
    in_order_of_two(e, v);
    return;
  }
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
      llv a = shuffled(e, v[i], v[j], LANES, low);
      v[j] = shuffled(e, v[i], v[j], LANES, high);
      v[i] = a;
    }
}

/* The address of acc's element in the first column of the part. */
static llv place_of_part(const block *x, unsigned row, unsigned part) {
  panel *p = x->p;
  fixed_point *d = p->d;
  lower *l = d->l;
  llv at = lower_element(l, root_of(x, part)->r->to->ptr, x->row[row], d->n * 4);
  if (p->column_level)
    at = lower_element(l, at, p->n.levels[p->column_level].index, (int64_t)p->line * d->halves * 4);
  return emit_offsetk(&l->e, at, (int64_t)p->line * half_of(x, part) * 4);
}

/* acc += v * unit * step: v and unit * step now, the sum later. */
static void put_later(block *x, unsigned row, unsigned part, llv v, llv at) {
  emit *e = &x->p->d->l->e;
  const fixed_point_root *r = root_of(x, part);
  double step = r->table.step;
  if (takes_excess(x, part)) step /= 1u << excess_of(x, part);
  llv from = emit_offsetk(&x->p->d->l->e, x->at[row], fixed_point_unit_at(x->p->d));
  llv unit = f_mulk(e, LLVMBuildLoad2(e->b, e->f32, from, ""), step);
  x->results[x->n_results++] = (result){
      .v = v, .unit = emit_splat(e, unit, x->p->lanes), .at = at, .canonical = r->canonical};
}

/* Rows of acc are often a multiple of 4 KB apart. A processor takes such addresses for the same at
 * first, and a load after a store would wait for it, so all loads come first. */
static void put_results(block *x) {
  emit *e = &x->p->d->l->e;
  for (unsigned i = 0; i < x->n_results; i++) {
    result *r = &x->results[i];
    llv acc = LLVMBuildLoad2(e->b, LLVMTypeOf(r->v), r->at, "");
    LLVMSetAlignment(acc, 4);
    r->v = f_mul_add(e, r->v, r->unit, acc);
  }
  for (unsigned i = 0; i < x->n_results; i++) {
    const result *r = &x->results[i];
    llv v = r->canonical ? r->v : lanes_canonical(e, r->v);
    LLVMSetAlignment(LLVMBuildStore(e->b, v, r->at), 4);
  }
  x->n_results = 0;
}

/* Adds a row's sums of a part to acc. */
static void add_part(block *x, unsigned row, unsigned part) {
  panel *p = x->p;
  lower *l = p->d->l;
  llv v[VECTORS], at = place_of_part(x, row, part);
  for (unsigned i = 0; i < VECTORS; i++) v[i] = total(x, row, part * VECTORS + i);
  if (!p->ordered) in_order(&l->e, v);
  for (unsigned i = 0; i < VECTORS; i++)
    put_later(x, row, part, v[i], emit_offsetk(&l->e, at, (int64_t)i * p->lanes * 4));
}

/* And of two parts that are the halves of bytes, whose columns alternate: theirs have a step of
 * their own each. */
static void add_halves(block *x, unsigned row) {
  lower *l = x->p->d->l;
  llv v[2][VECTORS], at = place_of_part(x, row, 0);
  for (unsigned half = 0; half < 2; half++) {
    for (unsigned i = 0; i < VECTORS; i++) {
      llv all = total(x, row, half * VECTORS + i);
      bool larger = takes_excess(x, half) && excess_of(x, half);
      v[half][i] = larger ? f_mulk(&l->e, all, 1.0 / (1u << excess_of(x, half))) : all;
    }
    in_order(&l->e, v[half]);
  }
  for (unsigned i = 0; i < 2 * VECTORS; i++) {
    llv next = lanes_in_turn(&l->e, v[0][i / 2], v[1][i / 2], i % 2);
    put_later(x, row, 0, next, emit_offsetk(&l->e, at, (int64_t)i * x->p->lanes * 4));
  }
}

/* Of all rows to acc. */
static void add_sums(block *x) {
  bool interleaved = !x->p->ordered && x->p->d->halves == 2;
  for (unsigned row = 0; row < x->rows; row++) {
    if (interleaved)
      add_halves(x, row);
    else
      for (unsigned part = 0; part < x->parts; part++) add_part(x, row, part);
  }
  put_results(x);
}

static void add_block(block *x) {
  multiply(x);
  add_sums(x);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Lines of a column that are a power of two apart share few sets of the first-level cache, so what
 * the processor brings on its own is gone again where a panel of a single row is high. Then all
 * panels of the first rows are multiplied, then those of the next. Pieces are to have more lines
 * than are fetched ahead, and so narrower tiles are faster whole. Where a vector takes two
 * operations, putting sums together between pieces costs more than that; other processors lose
 * nothing of high panels. */
static bool in_pieces(const fixed_point *d) {
  const emit *e = &d->l->e;
  return !emit_in_halves(e) && !e->core.l2_prefetch && d->n >= PIECE_PANELS * d->line * d->halves &&
         d->k > PIECE_ROWS;
}

static block single_row(panel *p, unsigned first_part, unsigned parts, unsigned n_digits) {
  block x = {.p = p, .rows = 1, .first_part = first_part, .parts = parts, .n_digits = n_digits};
  x.row[0] = k64(p->d->l, 0);
  x.at[0] = p->d->to->ptr;
  return x;
}

/* 16 registers have room for one part's sums, 32 for those of two. */
static unsigned parts_at_once(const panel *p) {
  return p->line == 64 ? PARTS_AT_ONCE : 1;
}

/* The one row there is, of panels that are decoded. */
static void add_decoded(panel *p, unsigned n_digits) {
  unsigned at_once = MIN(p->parts, parts_at_once(p));
  for (unsigned part = 0; part < p->parts; part += at_once) {
    block x = single_row(p, part, at_once, n_digits);
    add_block(&x);
  }
}

/* Bytes of the sums that are kept of a panel; vectors lie in the order of their numbers. */
static int64_t kept_bytes(const panel *p) {
  return (int64_t)p->parts * VECTORS * p->line;
}

static llv kept_start(const panel *p) {
  int64_t panels = p->d->n / (p->line * p->d->halves);
  return emit_offsetk(&p->d->l->e, p->kept->ptr, panels * kept_bytes(p));
}

/* What the first piece of each panel starts from: that the weights have no bias. */
static void write_kept_start(const block *x) {
  lower *l = x->p->d->l;
  llv to = kept_start(x->p), zero = LLVMConstNull(LLVMVectorType(l->e.i32, x->p->lanes));
  for (unsigned v = 0; v < x->parts * VECTORS; v++) {
    unsigned part = v / VECTORS, shift = takes_excess(x, part) ? excess_of(x, part) : 0;
    llv start = i_sub(&l->e, zero, off_of(x, 0, part, shift));
    llv at = emit_offsetk(&l->e, to, v * x->p->line);
    LLVMSetAlignment(LLVMBuildStore(l->e.b, start, at), x->p->line);
  }
}

/* After the loop over a piece's k: the last piece's sums go to acc, the others' are kept. */
static void add_piece(block *x) {
  panel *p = x->p;
  lower *l = p->d->l;
  LLVMBuilderRef b = l->e.b;
  LLVMTypeRef vector = LLVMVectorType(l->e.i32, p->lanes);
  const level *piece = &p->n.levels[p->piece_level];
  llv at = lower_element(l, p->kept->ptr, p->n.levels[p->column_level].index, kept_bytes(p));
  llv from = LLVMBuildSelect(b, i_cmpk(&l->e, LLVMIntEQ, piece->index, 0), kept_start(p), at, "");
  for (unsigned v = 0; v < x->parts * VECTORS; v++) {
    llv before = LLVMBuildLoad2(b, vector, emit_offsetk(&l->e, from, v * p->line), "");
    LLVMSetAlignment(before, p->line);
    x->with_kept[v] = i_add(&l->e, before, combined(x, 0, v));
  }
  llblock after = LLVMGetInsertBlock(b);
  llv jump = LLVMGetBasicBlockTerminator(after);
  llblock next = LLVMGetSuccessor(jump, 0);
  llblock last = lower_new_block(l, "added"), others = lower_new_block(l, "kept");
  LLVMInstructionEraseFromParent(jump);
  LLVMPositionBuilderAtEnd(b, after);
  uint64_t last_piece = (uint64_t)(p->d->k / PIECE_ROWS - 1);
  LLVMBuildCondBr(b, i_cmpk(&l->e, LLVMIntEQ, piece->index, last_piece), last, others);
  LLVMPositionBuilderAtEnd(b, others);
  for (unsigned v = 0; v < x->parts * VECTORS; v++) {
    llv to = emit_offsetk(&l->e, at, v * p->line);
    LLVMSetAlignment(LLVMBuildStore(b, x->with_kept[v], to), p->line);
  }
  LLVMBuildBr(b, next);
  LLVMPositionBuilderAtEnd(b, last);
  add_sums(x);
  LLVMBuildBr(b, next);
}

/* Decodes in the loop over k, and multiplies x's rows with what `to` sees to be added there. */
static void decode_and_add(panel *p, block *x, struct block **to) {
  lower *l = p->d->l;
  nest *n = &p->n;
  llv phi[MOST_SUMS], start[MOST_SUMS];
  nest_place_level(n, p->k_level - 1);
  unsigned count = start_sums(x, start);
  level *v = &n->levels[p->k_level];
  LLVMPositionBuilderBefore(l->e.b, LLVMGetFirstInstruction(v->block));
  carry_sums(x, count, phi, start, n->levels[p->k_level - 1].block);
  nest_place_level(n, p->k_level);
  llv step = v->index;
  if (p->piece_level) {
    llv before = i_shlk(&l->e, n->levels[p->piece_level].index, log2_of(PIECE_ROWS / GROUP));
    step = i_add(&l->e, before, step);
  }
  load_digits(x, step);
  *to = x;
  for (unsigned i = 0; i < p->d->n_roots; i++) decode(p, i);
  *to = NULL;
  for (unsigned i = 0; i < count; i++) LLVMAddIncoming(phi[i], &x->sum[i], &v->latch, 1);
}

/* The one row there is, while panels are decoded. */
static void add_at_once(panel *p, unsigned n_digits) {
  nest *n = &p->n;
  block x = single_row(p, 0, p->parts, n_digits);
  if (p->kept) write_kept_start(&x);
  open_nest(p);
  decode_and_add(p, &x, &p->at_once);
  nest_place_after(n, p->k_level);
  if (p->kept)
    add_piece(&x);
  else
    add_sums(&x);
  nest_end(n);
}

/* By how many digits that row has, which is known when it runs. */
static void choose_digits(panel *p, void (*add)(panel *p, unsigned n_digits)) {
  lower *l = p->d->l;
  llblock two = lower_new_block(l, "short"), three = lower_new_block(l, "long");
  llblock done = lower_new_block(l, "done");
  LLVMBuildCondBr(l->e.b, p->d->is_long, three, two);
  LLVMPositionBuilderAtEnd(l->e.b, two);
  add(p, DIGITS_MOST - 1);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, three);
  add(p, DIGITS_MOST);
  lower_go(l, done);
}

static block team_of_rows(panel *p, llv number, unsigned n_digits) {
  lower *l = p->d->l;
  block x = {.p = p, .rows = p->d->team, .parts = 1, .n_digits = n_digits};
  llv first = lower_element(l, p->d->order, number, p->d->team * 8);
  for (unsigned i = 0; i < p->d->team; i++) {
    x.row[i] = LLVMBuildLoad2(l->e.b, l->e.i64, emit_offsetk(&l->e, first, i * 8), "");
    x.at[i] = lower_element(l, p->d->to->ptr, x.row[i], fixed_point_row_bytes(p->d));
  }
  return x;
}

static void add_teams(panel *p, llv from, llv to, unsigned n_digits, unsigned first_part,
                      unsigned parts) {
  if (parts == 0) return;
  lower *l = p->d->l;
  loop teams = loop_begin(l, from, to);
  block x = team_of_rows(p, teams.index, n_digits);
  for (unsigned i = 0; i < parts; i++) {
    x.first_part = first_part + i;
    add_block(&x);
  }
  loop_end(l, &teams);
}

/* The first pair's part that was multiplied while bytes were decoded, if the pair has two digits;
 * then what is left of these pairs. */
static void add_shorts(panel *p, block *first) {
  lower *l = p->d->l;
  llv pairs = p->d->short_teams, none = k64(l, 0);
  if (!first) {
    add_teams(p, none, pairs, DIGITS_MOST - 1, 0, p->parts);
    return;
  }
  llblock add = lower_new_block(l, "first"), added = lower_new_block(l, "added");
  LLVMBuildCondBr(l->e.b, LLVMBuildICmp(l->e.b, LLVMIntSGT, pairs, none, ""), add, added);
  LLVMPositionBuilderAtEnd(l->e.b, add);
  add_sums(first);
  lower_go(l, added);
  add_teams(p, none, pairs, DIGITS_MOST - 1, 1, p->parts - 1);
  add_teams(p, k64(l, 1), pairs, DIGITS_MOST - 1, 0, 1);
}

/* Code goes after the loop over k, whose panel is decoded. */
static void add_rows(panel *p, block *first) {
  fixed_point *d = p->d;
  LLVMBuilderRef b = d->l->e.b;
  llblock after = p->n.levels[p->k_level].after;
  llv jump = LLVMGetBasicBlockTerminator(after);
  llblock next = LLVMGetSuccessor(jump, 0);
  LLVMInstructionEraseFromParent(jump);
  LLVMPositionBuilderAtEnd(b, after);
  if (d->m == 1) {
    choose_digits(p, add_decoded);
  } else {
    add_shorts(p, first);
    add_teams(p, d->short_teams, d->teams, DIGITS_MOST, 0, p->parts);
  }
  LLVMBuildBr(b, next);
}

void byte_dot_multiply(fixed_point *d) {
  lower *l = d->l;
  panel *p = arena_new(l->arena, panel);
  *p = (panel){.d = d, .line = d->line, .lanes = d->line / 4};
  p->parts = d->n_roots * d->halves;
  /* Halves of bytes, whose columns alternate, are put in order together. */
  p->ordered = d->m > 1 || d->halves > parts_at_once(p);
  p->words = fits_words(d);
  for (unsigned i = 0; i < d->n_roots; i++) buffer_touch(l, d->roots[i].r->to);
  buffer_touch(l, d->to);
  if (d->m == 1 && p->parts <= parts_at_once(p)) {
    p->whole = can_be_whole(p);
    if (p->whole || in_pieces(d)) p->words = false;
    if (in_pieces(d)) p->kept = buffer_bytes(l, (uint64_t)(d->n * d->n_roots * 4 + kept_bytes(p)));
    choose_digits(p, add_at_once);
    if (p->kept) buffer_touch(l, p->kept);
  } else {
    p->bytes = buffer_bytes(l, (uint64_t)(p->parts * d->k * p->line));
    block x, *first = d->m > 1 && p->line == MOST_BYTES ? &x : NULL;
    if (first) x = team_of_rows(p, k64(l, 0), DIGITS_MOST - 1);
    open_nest(p);
    if (first)
      decode_and_add(p, first, &p->first);
    else
      for (unsigned i = 0; i < d->n_roots; i++) decode(p, i);
    add_rows(p, first);
    nest_end(&p->n);
    buffer_touch(l, p->bytes);
  }
  for (unsigned i = 0; i < d->n_roots; i++) buffer_touch(l, d->roots[i].r->to);
  buffer_touch(l, d->to);
}
