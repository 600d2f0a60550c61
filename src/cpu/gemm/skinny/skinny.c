/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of few rows. The right operand of
 *
 *   acc[i, j] += sum over k of a[i, k] * b[k, j]      i < PRODUCT_FEW_ROWS
 *
 * is used once only for each row, so it is not worth writing down: a nest over (k, j) evaluates b's
 * expression (a load of packed weights, what widens and scales them) in registers and multiplies
 * it there with the rows' elements. It is a reduction over k that ends in an accumulator for each
 * row and column:
 *
 *   for each block of columns            copies of a vector
 *     sums[row][copy] = acc
 *     for k                              b for each copy; sums[row][copy] += a[row, k] * b
 *     acc = sums
 *
 * Products that follow each other and have as many rows of the same width share a nest, and so the
 * loads that both use: weights of 4 bits that a program takes out of one byte.
 */
#include "llvm/lanes.h"
#include "llvm/nans.h"

#include "cpu/gemm/skinny/skinny.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/product.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/gemm/skinny/fixed_point.h"

enum { ACCUMULATORS = 16, ACCUMULATORS_FEW = 8 }; /* vectors; with 32 and with 16 registers */

static unsigned most_accumulators(const emit *e) {
  return e->vector_bits >= 512 || e->arm ? ACCUMULATORS : ACCUMULATORS_FEW;
}

static int64_t rows_of(const ir_op *op) {
  const ir_type *a = ir_operand(op, 0)->type;
  return a->shape[a->rank - 2];
}

static int64_t columns_of(const ir_op *op) {
  const ir_type *b = ir_operand(op, 1)->type;
  return b->shape[b->rank - 1];
}

/* With digits, rows have sums of their own; those of all may go through memory in the rare case
 * that there are none. */
static bool has_room(lower *l, const product *p) {
  return p->m <= most_accumulators(&l->e) ||
         (p->m <= ACCUMULATORS && fixed_point_fits_alone(l, p->op));
}

bool skinny_fits(lower *l, const product *p) {
  const value *b = value_of(l, ir_operand(p->op, 1));
  unsigned bits = tsr_elem_bits(p->elem);
  tsr_elem sums = (tsr_elem)ir_operand(p->op, 2)->type->elem;
  return is_on(l, PATTERN_SKINNY) && b->kind == VALUE_LAZY && p->k > 1 &&
         tsr_elem_bits(sums) == bits && p->n * bits >= l->e.vector_bits && has_room(l, p);
}

/* Have sums of so many roots like `r` no room in the registers? */
static bool are_many(lower *l, const root *r, unsigned n_roots) {
  return rows_of(r->op) * n_roots > most_accumulators(&l->e);
}

bool skinny_shares(lower *l, const root *a, const root *b) {
  bool alike = rows_of(a->op) == rows_of(b->op) && columns_of(a->op) == columns_of(b->op) &&
               product_elem(a->op) == product_elem(b->op);
  return alike && (!are_many(l, a, 2) || fixed_point_shares(l, a, b));
}

bool skinny_splits(lower *l, const group *g) {
  return g->n_roots > 1 && are_many(l, &g->roots[0], g->n_roots);
}

unsigned skinny_copies(lower *l, const group *g, unsigned lane_count) {
  int64_t accumulators = rows_of(g->roots[0].op) * g->n_roots, copies = 1;
  while (accumulators * copies * 2 <= most_accumulators(&l->e) && copies < MAX_SQUARE / 2 &&
         lane_count * copies * 2 <= columns_of(g->roots[0].op))
    copies *= 2;
  return log2_of(copies);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The map of the accumulator's row `row`: the iteration has (batch, k, j), the result (batch, i,
 * j).
 */
static index_map map_of_sums(const skinny_product *x, const index_map *m, unsigned row) {
  const ir_op *op = x->r->op;
  unsigned columns = log2_of(columns_of(op)), rows = log2_of(rows_of(op)), first, k_bits;
  reduce_bits(op, &first, &k_bits);
  index_map r = {.n = (uint8_t)(m->n - k_bits + rows)};
  memcpy(r.bit, m->bit, columns);
  for (unsigned j = 0; j < rows; j++) r.bit[columns + j] = row >> j & 1 ? BIT_ONE : BIT_ZERO;
  memcpy(r.bit + columns + rows, m->bit + columns + k_bits, m->n - columns - k_bits);
  return r;
}

/* And of the left operand's: it has (batch, i, k). */
static index_map map_of_left(const skinny_product *x, const index_map *m, unsigned row) {
  const ir_op *op = x->r->op;
  unsigned columns = log2_of(columns_of(op)), rows = log2_of(rows_of(op)), first, k_bits;
  reduce_bits(op, &first, &k_bits);
  index_map r = {.n = (uint8_t)(m->n - columns + rows)};
  memcpy(r.bit, m->bit + columns, k_bits);
  for (unsigned j = 0; j < rows; j++) r.bit[k_bits + j] = row >> j & 1 ? BIT_ONE : BIT_ZERO;
  memcpy(r.bit + k_bits + rows, m->bit + columns + k_bits, m->n - columns - k_bits);
  return r;
}

/* The address of lane 0 of a copy's sums. Code goes where the nest stands. */
static llv place_of_sums(skinny_product *x, unsigned copy, unsigned row) {
  nest *n = x->n;
  lower *l = n->l;
  buffer *b = x->r->to;
  index_map all = nest_map(n, copy), m = map_of_sums(x, &all, row);
  coef c[MAP_BITS];
  for (unsigned i = 0; i < b->n; i++) c[i] = (coef){.m = b->stride[i] * buffer_elem_bytes(b)};
  llblock here = LLVMGetInsertBlock(l->e.b);
  llv before = LLVMGetBasicBlockTerminator(here);
  lane_value at = linear_scalar(n, b, k64(l, 0), c, 64, &m);
  LLVMPositionBuilderBefore(l->e.b, before);
  return emit_offset(&l->e, b->ptr, at.v);
}

static LLVMTypeRef vector_of(const skinny_product *x) {
  return emit_lane_type(&x->n->l->e, product_elem(x->r->op), nest_lane_count(x->n));
}

static llv vector_at(skinny_product *x, llv at) {
  llv v = LLVMBuildLoad2(x->n->l->e.b, vector_of(x), at, "");
  LLVMSetAlignment(v, buffer_elem_bytes(x->r->to));
  return v;
}

/* Multiply-adds leave the processor's NaN. */
static void put_vector(skinny_product *x, llv v, llv at) {
  if (x->r->op->opcode != OP_mmai) v = lanes_canonical(&x->n->l->e, v);
  LLVMSetAlignment(LLVMBuildStore(x->n->l->e.b, v, at), buffer_elem_bytes(x->r->to));
}

/* Lanes of x and y numbered through: count of them from `first` on, `step` apart. */
static llv every(skinny_product *x, llv a, llv b, unsigned first, unsigned step) {
  lower *l = x->n->l;
  unsigned count = nest_lane_count(x->n);
  llv pick[1 << LANE_BITS];
  for (unsigned i = 0; i < count; i++) pick[i] = LLVMConstInt(l->e.i32, first + i * step, 0);
  return LLVMBuildShuffleVector(l->e.b, a, b, LLVMConstVector(pick, count), "");
}

/* Lanes of two vectors in turn, from lane `first` of each on. */
static llv in_turn(skinny_product *x, llv a, llv b, unsigned first) {
  lower *l = x->n->l;
  unsigned count = nest_lane_count(x->n);
  llv pick[1 << LANE_BITS];
  for (unsigned i = 0; i < count; i++)
    pick[i] = LLVMConstInt(l->e.i32, first + i / 2 + (i % 2 ? count : 0), 0);
  return LLVMBuildShuffleVector(l->e.b, a, b, LLVMConstVector(pick, count), "");
}

/* Do lanes take every other element, and the next copy those between? */
static bool is_paired(const nest *n) {
  return n->lane_n && n->lane[0] == 1;
}

static void read_sums(skinny_product *x, unsigned row) {
  unsigned count = nest_lane_count(x->n);
  for (unsigned u = 0; u < x->copies; u += is_paired(x->n) ? 2 : 1) {
    llv at = place_of_sums(x, u, row), first = vector_at(x, at);
    x->sum[u][row] = first;
    if (!is_paired(x->n)) continue;
    int64_t bytes = (int64_t)count * buffer_elem_bytes(x->r->to);
    llv second = vector_at(x, emit_offsetk(&x->n->l->e, at, bytes));
    x->sum[u][row] = every(x, first, second, 0, 2);
    x->sum[u + 1][row] = every(x, first, second, 1, 2);
  }
}

static void write_sums(skinny_product *x, unsigned row) {
  unsigned count = nest_lane_count(x->n);
  for (unsigned u = 0; u < x->copies; u += is_paired(x->n) ? 2 : 1) {
    llv at = place_of_sums(x, u, row);
    if (!is_paired(x->n)) {
      put_vector(x, x->sum[u][row], at);
      continue;
    }
    int64_t bytes = (int64_t)count * buffer_elem_bytes(x->r->to);
    put_vector(x, in_turn(x, x->sum[u][row], x->sum[u + 1][row], 0), at);
    put_vector(x, in_turn(x, x->sum[u][row], x->sum[u + 1][row], count / 2),
               emit_offsetk(&x->n->l->e, at, bytes));
  }
}

/* ---- the nest -------------------------------------------------------------------------------- */

void skinny_begin(skinny_product *x, nest *n, root *r, unsigned at) {
  lower *l = n->l;
  *x = (skinny_product){.n = n, .r = r, .level = at, .copies = 1u << n->unroll_n};
  x->rows = (unsigned)rows_of(r->op);
  buffer_touch(l, r->to);
  nest_place_level(n, at - 1);
  for (unsigned i = 0; i < x->rows; i++) read_sums(x, i);
  if (at == n->n_levels) return;
  level *v = &n->levels[at];
  for (unsigned i = 0; i < x->rows; i++)
    for (unsigned u = 0; u < x->copies; u++) {
      LLVMPositionBuilderBefore(l->e.b, LLVMGetFirstInstruction(v->block));
      llv phi = LLVMBuildPhi(l->e.b, vector_of(x), "sum");
      LLVMAddIncoming(phi, &x->sum[u][i], &n->levels[at - 1].block, 1);
      x->phi[u][i] = x->sum[u][i] = phi;
    }
}

/* What is multiplied: integers are widened as the operation says, and one NaN is like another. */
static llv widened(lower *l, ir_op *op, unsigned side, llv v) {
  if (op->opcode != OP_mmai) return emit_plain_half(v);
  if (lanes_bits(&l->e, v) == 32) return v;
  return product_format(op, side) == FORMAT_SIGNED ? l_sext(&l->e, v, l->e.i32)
                                                   : l_zext(&l->e, v, l->e.i32);
}

void skinny_step(skinny_product *x, unsigned copy, const index_map *m) {
  nest *n = x->n;
  lower *l = n->l;
  ir_op *op = x->r->op;
  llv b = gen_lanes(n, x->r->value, m).v;
  nest_place_level(n, n->n_levels - 1);
  b = widened(l, op, 1, b);
  for (unsigned i = 0; i < x->rows; i++) {
    index_map left = map_of_left(x, m, i);
    llv a = gen(n, ir_operand(op, 0), &left).v;
    nest_place_level(n, n->n_levels - 1);
    a = emit_splat(&l->e, widened(l, op, 0, a), nest_lane_count(n));
    llv *sum = &x->sum[copy][i];
    *sum = op->opcode == OP_mmai ? i_add(&l->e, i_mul(&l->e, a, b), *sum)
                                 : f_mul_add(&l->e, a, b, *sum);
  }
}

void skinny_end(skinny_product *x) {
  nest *n = x->n;
  bool loops = x->level < n->n_levels;
  for (unsigned i = 0; i < x->rows && loops; i++)
    for (unsigned u = 0; u < x->copies; u++)
      LLVMAddIncoming(x->phi[u][i], &x->sum[u][i], &n->levels[x->level].latch, 1);
  for (unsigned i = 0; i < x->rows; i++) {
    if (loops)
      nest_place_after(n, x->level);
    else
      nest_place_level(n, n->n_levels - 1);
    write_sums(x, i);
  }
}
