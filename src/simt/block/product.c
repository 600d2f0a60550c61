/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products. By an instruction of a warp: operands with the layouts of its fragments. By
 * multiply-adds: both operands go to shared memory, with rows along k one after the other, and a
 * loop takes a few of them at a time.
 */
#include "ir/block/layouts.h"
#include "simt/block/internal.h"
#include "simt/vendor.h"

typedef struct product {
  emission *x;
  ir_op *op;
  const simt_op *info;
  simt_product s;
  simt_dist c; /* of the accumulator and the result */
} product;

/* ---- forms of an operand -------------------------------------------------------------------- */

/* An operation that moves bits of the index only; `d` follows. */
static ir_value *moved(emission *x, ir_op *op, simt_dist *d) {
  simt_map m = simt_map_of(op);
  *d = simt_dist_forward(d, &m);
  ir_value *v = ir_result(op, 0);
  v->type = emission_type(x, v->type, d);
  return v;
}

static ir_value *reshaped(emission *x, ir_value *v, unsigned rank, const int64_t *shape,
                          simt_dist *d) {
  const ir_type *t = ir_tile_reshaped(x->m, v->type, rank, shape);
  return moved(x, emission_make(x, OP_reshape, t, 1, &v)->owner.op, d);
}

ir_value *emission_flat(emission *x, ir_value *v, simt_dist *d) {
  return v->type->rank == 3 ? reshaped(x, v, 2, v->type->shape + 1, d) : v;
}

/* The two lowest of four dimensions change places. */
static ir_value *swapped(emission *x, ir_value *v, simt_dist *d) {
  const int64_t *s = v->type->shape, shape[] = {s[0], s[1], s[3], s[2]};
  ir_ints *order = arena_alloc(&x->m->arena, sizeof *order + 4 * sizeof *shape, _Alignof(ir_ints));
  order->len = 4;
  memcpy(order->data, (int64_t[]){0, 1, 3, 2}, 4 * sizeof *shape);
  ir_value *r = emission_make(x, OP_permute, ir_tile_reshaped(x->m, v->type, 4, shape), 1, &v);
  ir_set_attr(r->owner.op, ATTR_permutation, (ir_attr){.ints = order});
  return moved(x, r->owner.op, d);
}

/* A thread has several neighbours along n, which are columns of as many fragments (simt_op.column):
 * with those bits of n above a fragment's columns the tile is a grid of fragments. `back` is the
 * reverse. */
static ir_value *in_columns(const product *p, ir_value *v, bool back, simt_dist *d) {
  emission *x = p->x;
  unsigned few = p->info->column, columns = p->info->instruction->n;
  if (!few) return v;
  int64_t rows = v->type->shape[0], n = v->type->shape[1], each = INT64_C(1) << few;
  int64_t fragment = INT64_C(1) << columns, grid = n / each / fragment;
  int64_t apart[] = {rows, grid, back ? each : fragment, back ? fragment : each};
  v = swapped(x, reshaped(x, v, 4, apart, d), d);
  return reshaped(x, v, 2, (int64_t[]){rows, n}, d);
}

static ir_op *multiply(const product *p, ir_value *a, ir_value *b, ir_value *c) {
  ir_value *operands[] = {a, b, c};
  ir_op *op = emission_put(p->x, &(ir_op_spec){.opcode = (op_code)p->op->opcode,
                                               .loc = p->x->loc,
                                               .n_operands = 3,
                                               .operands = operands,
                                               .n_results = 1,
                                               .result_types = &c->type});
  rewrite_copy_attrs(op, p->op);
  return op;
}

static void finish(const product *p, ir_value *sum, simt_dist *d) {
  const ir_type *t = ir_result(p->op, 0)->type;
  if (t->rank == 3) sum = reshaped(p->x, sum, 3, t->shape, d);
  emission_set(p->x, ir_result(p->op, 0), sum);
}

/* ---- rows that there are too few of --------------------------------------------------------- */

/* Each row as often as fills a fragment (simt_op.repeat), in `full`, which is as `d` but for the
 * rows' copies. */
static ir_value *repeated(const product *p, ir_value *v, const simt_dist *full) {
  emission *x = p->x;
  const int64_t *s = v->type->shape, times = INT64_C(1) << p->info->repeat;
  if (!p->info->repeat) return v;
  const ir_type *one = ir_tile_reshaped(x->m, v->type, 3, (int64_t[]){1, s[0], s[1]});
  const ir_type *all = ir_tile_reshaped(x->m, v->type, 3, (int64_t[]){times, s[0], s[1]});
  const ir_type *rows = ir_tile_reshaped(x->m, v->type, 2, (int64_t[]){times * s[0], s[1]});
  simt_dist few = simt_dist_drop(full, full->n - p->info->repeat, p->info->repeat);
  v = emission_make(x, OP_reshape, emission_type(x, one, &few), 1, &v);
  v = emission_make(x, OP_broadcast, emission_type(x, all, full), 1, &v);
  return emission_make(x, OP_reshape, emission_type(x, rows, full), 1, &v);
}

/* The tile of which such a result consists: the registers that are other rows are left out, and of
 * lanes that have copies each reads its own as the tile's. */
static ir_value *first_rows(const product *p, ir_value *v, const simt_dist *full) {
  emission *x = p->x;
  unsigned top = full->n, gone = 0;
  simt_dist d = *full;
  if (!p->info->repeat) return v;
  for (; gone < p->info->repeat; gone++) { /* the highest bits of rows, as registers have them */
    bool found = false;
    for (unsigned j = 0; j < d.regs; j++) found |= d.reg[j] == (int8_t)(top - 1 - gone);
    if (!found) break;
  }
  int64_t rows = v->type->shape[0] >> gone, n = v->type->shape[1];
  d = simt_dist_drop(&d, top - gone, gone);
  const ir_type *t = ir_tile_reshaped(x->m, v->type, 2, (int64_t[]){rows, n});
  ir_value *zero = emission_number(x, ir_scalar(x->m, TSR_I32), 0);
  simt_dist whole = simt_dist_insert(&d, top - gone, gone); /* those registers are the highest */
  ir_value *operands[] = {emission_convert(x, v, emission_type(x, v->type, &whole)), zero, zero};
  if (gone) v = emission_make(x, OP_extract, emission_type(x, t, &d), 3, operands);
  unsigned left = p->info->repeat - gone;
  if (!left) return v;
  d = simt_dist_drop(&d, d.n - left, left);
  t = ir_tile_reshaped(x->m, v->type, 2, (int64_t[]){rows >> left, n});
  return emission_make(x, OP_reinterpret, emission_type(x, t, &d), 1, &v);
}

/* ---- by an instruction ---------------------------------------------------------------------- */

/* An operand on its way to fragments. */
typedef struct factor {
  bool is_lhs;
  const ir_value *v;
  simt_dist d;       /* the fragments' */
  ir_value *storage; /* shared memory that it goes through; NULL: none */
} factor;

static bool is_staged(const product *p, const factor *f) {
  const simt_staged *s = simt_staged_operand(p->x->p, p->op, f->is_lhs);
  return s && map_ptr(&p->x->staged, s->load);
}

/* Of 16 bits, whose rows ldmatrix takes, and not where the fragments want it. */
static bool goes_through_memory(const product *p, const factor *f, simt_stage_layout *l) {
  emission *x = p->x;
  const simt_value *planned = simt_value_of(x->p, f->v);
  unsigned columns = f->is_lhs ? p->s.k : p->s.n, rows = f->is_lhs ? p->s.m : p->s.k;
  simt_dist home = emission_dist(x, f->v);
  if (f->is_lhs && p->info->repeat) return false;
  if (planned->free || is_staged(p, f) || simt_is_near(&home, &f->d)) return false;
  if ((p->info->direct && !f->is_lhs) || tsr_elem_bits(p->info->instruction->elem) != 16)
    return false;
  int8_t first = home.regs ? home.reg[0] : 0; /* what a thread has neighbours along lies in a row */
  bool along_rows = rows >= 3 && first >= (int8_t)columns && first < (int8_t)(columns + rows);
  simt_staged s = {.product = p->op, .is_lhs = f->is_lhs};
  if (!x->p->target.vendor->lay_out(p->info, &s, f->is_lhs != along_rows, 1)) return false;
  *l = s.layout;
  return l->fast >= 3;
}

/* As the instruction takes it: floats of 8 bits may have to be widened, which loses nothing. */
static ir_value *as_taken(const product *p, ir_value *v) {
  tsr_elem elem = (tsr_elem)p->info->instruction->elem;
  bool same = v->type->elem == elem || !tsr_elem_is_float(elem);
  return same ? v : emission_make(p->x, OP_ftof, ir_tile_like(p->x->m, v->type, elem), 1, &v);
}

/* Where it is needed, but for rows that are copies. */
static simt_dist few_rows(const product *p, const factor *f) {
  unsigned repeat = f->is_lhs ? p->info->repeat : 0;
  return simt_dist_drop(&f->d, f->d.n - repeat, repeat);
}

static factor factor_of(const product *p, bool is_lhs) {
  emission *x = p->x;
  factor f = {.is_lhs = is_lhs, .v = ir_operand(p->op, is_lhs ? 0 : 1)};
  f.d = is_lhs ? p->info->a : p->info->b;
  simt_stage_layout l;
  if (!goes_through_memory(p, &f, &l)) return f;
  simt_map m = {.from_n = f.d.n, .to_n = f.d.n};
  for (unsigned k = 0; k < m.from_n; k++) m.to[k] = (int8_t)k;
  simt_dist home;
  ir_value *now = emission_home(x, f.v, &home);
  now = as_taken(p, emission_flat(x, now, &home));
  f.storage =
      emission_make(x, OP_alloc_shared, emission_stage_type(x, now->type, &l, &m, 0), 0, NULL);
  emission_store_shared(x, now, f.storage);
  return f;
}

static ir_value *take(const product *p, factor *f) {
  emission *x = p->x;
  simt_dist d = few_rows(p, f);
  if (!f->storage) {
    ir_value *now = as_taken(p, emission_flat(x, emission_get(x, f->v, &d), &d));
    return f->is_lhs ? repeated(p, now, &f->d) : now;
  }
  const ir_type *s = f->storage->type, *t = ir_tile(x->m, (tsr_elem)s->elem, TSR_I1, 2, s->shape);
  return emission_make(x, OP_load_shared, emission_type(x, t, &f->d), 1, &f->storage);
}

static void by_instruction(const product *p) {
  emission *x = p->x;
  simt_dist c = p->c;
  factor a = factor_of(p, true), b = factor_of(p, false);
  bool waits = a.storage || b.storage;
  if (waits) emission_barrier(x);
  ir_value *lhs = take(p, &a), *rhs = in_columns(p, take(p, &b), false, &b.d);
  if (waits) emission_barrier(x);
  if (a.storage) emission_free_shared(x, a.storage);
  if (b.storage) emission_free_shared(x, b.storage);
  ir_value *acc = emission_flat(x, emission_get(x, ir_operand(p->op, 2), &c), &c);
  acc = repeated(p, acc, &p->info->sum);
  simt_dist full = p->info->sum;
  acc = in_columns(p, acc, false, &full);
  ir_value *sum = in_columns(p, ir_result(multiply(p, lhs, rhs, acc), 0), true, &full);
  finish(p, first_rows(p, sum, &full), &c);
}

/* ---- by multiply-adds ----------------------------------------------------------------------- */

enum { MOST_AT_ONCE = 2 /* log2 */ };

/* The lowest bits of k that a thread has in registers: it stores those rows one after the other. */
static unsigned rows_of_thread(const simt_dist *d, unsigned k_first, unsigned k_bits) {
  unsigned n = 0;
  for (bool found = true; found && n < MIN(k_bits, (unsigned)MOST_AT_ONCE); n += found) {
    found = false;
    for (unsigned j = 0; j < d->regs; j++) found |= d->reg[j] == (int8_t)(k_first + n);
  }
  return n;
}

/* Rows along k, in each the elements along m (n) after each other. Threads that store rows next to
 * each other, of as many a thread, find those 16 bytes further. */
static const ir_type *rows_type(emission *x, const ir_type *t, bool is_lhs, unsigned own) {
  unsigned wide = is_lhs ? 0 : 1;
  int64_t gap = SIMT_ACCESS_BYTES * 8 / MAX(tsr_elem_bits((tsr_elem)t->elem), 8);
  int64_t row = t->shape[wide], each = INT64_C(1) << own;
  tsr_memory_layout l = {.rank = 2};
  for (unsigned d = 0; d < 2; d++) {
    if (d == wide) {
      l.size[l.modes] = (int32_t)row;
      l.stride[l.modes++] = 1;
      l.dim_modes[d] = 1;
      continue;
    }
    l.size[l.modes] = (int32_t)(t->shape[d] / each);
    l.stride[l.modes++] = row * each + gap;
    l.size[l.modes] = (int32_t)each;
    l.stride[l.modes++] = row;
    l.dim_modes[d] = 2;
  }
  return ir_shared(x->m, (tsr_elem)t->elem, &l);
}

/* A few of them. */
static const ir_type *piece_type(emission *x, const ir_type *rows, bool is_lhs, unsigned at_once) {
  tsr_memory_layout l = *rows->memory;
  int64_t shape[] = {rows->shape[0], rows->shape[1]};
  shape[is_lhs] = INT64_C(1) << at_once;
  if (!ir_memory_part(rows->memory, 2, shape, &l)) return rows;
  return ir_shared(x->m, (tsr_elem)rows->elem, &l);
}

/* The accumulator's bit as one of an operand with 2^k_bits along k; SIMT_COPY: it has none. */
static int8_t operand_bit(const product *p, bool is_lhs, unsigned k_bits, int8_t bit) {
  bool of_n = bit < (int8_t)p->s.n;
  if (bit == SIMT_COPY || of_n == is_lhs) return SIMT_COPY;
  return (int8_t)(is_lhs ? bit - (int8_t)p->s.n + (int8_t)k_bits : bit);
}

/* What a thread needs of a piece: all of k. */
static simt_dist piece_dist(const product *p, bool is_lhs, unsigned k_bits) {
  simt_dist d = simt_dist_private(0, simt_threads_of(&p->c));
  d.n = (uint8_t)(k_bits + (is_lhs ? p->s.m : p->s.n));
  for (unsigned j = 0; j < d.lanes; j++) d.lane[j] = operand_bit(p, is_lhs, k_bits, p->c.lane[j]);
  for (unsigned j = 0; j < d.warps; j++) d.warp[j] = operand_bit(p, is_lhs, k_bits, p->c.warp[j]);
  for (unsigned j = 0; j < p->c.regs; j++) {
    int8_t bit = operand_bit(p, is_lhs, k_bits, p->c.reg[j]);
    if (bit != SIMT_COPY) d.reg[d.regs++] = bit;
  }
  for (unsigned k = 0; k < k_bits; k++) d.reg[d.regs++] = (int8_t)((is_lhs ? 0 : p->s.n) + k);
  return d;
}

static ir_value *load_piece(const product *p, ir_value *rows, ir_value *at, bool is_lhs,
                            unsigned k_bits) {
  emission *x = p->x;
  ir_value *zero = emission_number(x, ir_scalar(x->m, TSR_I32), 0);
  ir_value *operands[] = {rows, is_lhs ? zero : at, at};
  const ir_type *part = piece_type(x, rows->type, is_lhs, k_bits);
  ir_value *piece = emission_make(x, OP_subview, part, is_lhs ? 3 : 2, operands);
  simt_dist d = piece_dist(p, is_lhs, k_bits);
  const ir_type *t = ir_tile(x->m, (tsr_elem)part->elem, TSR_I1, 2, part->shape);
  return emission_make(x, OP_load_shared, emission_type(x, t, &d), 1, &piece);
}

/* Floats of fewer bits than the arithmetic has are widened once, which loses nothing. */
static ir_value *widened(emission *x, ir_value *v) {
  const ir_type *t = v->type;
  bool few = tsr_elem_is_float((tsr_elem)t->elem) && tsr_elem_bits((tsr_elem)t->elem) < 32;
  return few ? emission_make(x, OP_ftof, ir_tile_like(x->m, t, TSR_F32), 1, &v) : v;
}

static ir_value *store_rows(const product *p, bool is_lhs) {
  emission *x = p->x;
  simt_dist d;
  ir_value *now = emission_home(x, ir_operand(p->op, is_lhs ? 0 : 1), &d);
  now = widened(x, emission_flat(x, now, &d));
  unsigned own = rows_of_thread(&d, is_lhs ? 0 : p->s.n, p->s.k);
  const ir_type *t = rows_type(x, now->type, is_lhs, own);
  ir_value *rows = emission_make(x, OP_alloc_shared, t, 0, NULL);
  emission_store_shared(x, now, rows);
  return rows;
}

static ir_value *walk_along_k(const product *p, ir_value *a, ir_value *b, ir_value *acc) {
  emission *x = p->x;
  unsigned at_once = MIN(p->s.k, (unsigned)MOST_AT_ONCE);
  const ir_type *number = ir_scalar(x->m, TSR_I32), *types[] = {number, acc->type};
  ir_value *operands[] = {emission_number(x, number, 0),
                          emission_number(x, number, INT64_C(1) << p->s.k),
                          emission_number(x, number, INT64_C(1) << at_once), acc};
  ir_op *loop = emission_put(x, &(ir_op_spec){.opcode = OP_for,
                                              .loc = x->loc,
                                              .n_operands = 4,
                                              .operands = operands,
                                              .segments = (uint32_t[]){1, 1, 1, 1},
                                              .n_results = 1,
                                              .result_types = &acc->type,
                                              .n_regions = 1});
  ir_block *outer = emission_open(x, loop, 0, 2, types);
  ir_value *lhs = load_piece(p, a, &x->at->args[0], true, at_once);
  ir_value *rhs = load_piece(p, b, &x->at->args[0], false, at_once);
  ir_value *sum = ir_result(multiply(p, lhs, rhs, &x->at->args[1]), 0);
  emission_put(
      x, &(ir_op_spec){.opcode = OP_continue, .loc = x->loc, .n_operands = 1, .operands = &sum});
  x->at = outer;
  return ir_result(loop, 0);
}

static uint64_t bytes_of(const ir_type *shared) {
  return (uint64_t)ir_memory_extent(shared->memory) * tsr_elem_bits((tsr_elem)shared->elem) / 8;
}

/* A sum of fewer bits is rounded once, at the end. */
static void by_threads(const product *p) {
  emission *x = p->x;
  simt_dist c = p->c;
  ir_value *acc = emission_flat(x, emission_get(x, ir_operand(p->op, 2), &c), &c);
  const ir_type *t = acc->type;
  acc = widened(x, acc);
  ir_value *a = store_rows(p, true), *b = store_rows(p, false);
  if (bytes_of(a->type) + bytes_of(b->type) > x->p->target.gpu->shared_bytes) {
    emission_refuse(x, p->op, "its operands do not fit shared memory at once");
    return;
  }
  emission_barrier(x);
  ir_value *sum = walk_along_k(p, a, b, acc);
  emission_barrier(x);
  emission_free_shared(x, a);
  emission_free_shared(x, b);
  if (sum->type != t) sum = emission_make(x, OP_ftof, t, 1, &sum);
  finish(p, sum, &c);
}

/* ---- by several warps ----------------------------------------------------------------------- */

static ir_value *flat_accumulator(emission *x, const ir_op *op, simt_dist *c) {
  *c = emission_dist(x, ir_result(op, 0));
  simt_dist whole = *c;
  return emission_flat(x, emission_get(x, ir_operand(op, 2), &whole), c);
}

ir_value *emission_accumulator(emission *x, const ir_op *op) {
  simt_dist c;
  return widened(x, flat_accumulator(x, op, &c));
}

static void by_group(const product *p) {
  emission *x = p->x;
  simt_dist c;
  ir_value *acc = flat_accumulator(x, p->op, &c);
  const ir_type *t = acc->type;
  ir_value *sum = emission_group_product(x, p->op, widened(x, acc));
  if (!sum) return;
  if (sum->type != t) sum = emission_make(x, OP_ftof, t, 1, &sum);
  finish(p, sum, &c);
}

/* ---- the product ---------------------------------------------------------------------------- */

void emission_product(emission *x, ir_op *op) {
  product p = {.x = x,
               .op = op,
               .info = simt_op_of(x->p, op),
               .s = simt_product_of(op),
               .c = emission_dist(x, ir_result(op, 0))};
  if (op->opcode == OP_mmaf_scaled)
    emission_refuse(x, op, "its operands have scales");
  else if (p.s.batch)
    emission_refuse(x, op, "it is a batch of products");
  else if (p.info->mma == SIMT_MMA_GROUP)
    by_group(&p);
  else if (p.info->mma == SIMT_MMA_WARP)
    by_instruction(&p);
  else
    by_threads(&p);
}
