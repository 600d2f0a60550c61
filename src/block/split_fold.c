/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arithmetic on pieces that is not element by element, and constants.
 */
#include "block/split_internal.h"

#include "num/num.h"
#include "opt/rewrite.h"

/* ---- constants ------------------------------------------------------------------------------ */

/* The row-major number in the tile of a piece's row-major number. */
static int64_t number_in_tile(const cut_tile *c, const unsigned *spot, const ir_type *piece,
                              int64_t number) {
  int64_t flat = 0, scale = 1;
  for (unsigned d = c->rank; d-- > 0; number /= piece->shape[d]) {
    flat += scale * cut_coordinate(&c->dim[d], spot[d], number % piece->shape[d]);
    scale *= c->dim[d].size;
  }
  return flat;
}

static ir_value *constant_piece(splitter *s, ir_op *op, const ir_dense *d, const cut_tile *c,
                                uint32_t p) {
  const ir_type *t = c->pieces[p];
  unsigned spot[IR_MAX_RANK];
  size_t n = (size_t)t->count, size = tsr_elem_storage((tsr_elem)t->elem, n);
  uint64_t *patterns = arena_array(s->arena, uint64_t, n);
  uint8_t *data = arena_array(s->arena, uint8_t, size);
  cut_place(c, p, spot);
  for (size_t i = 0; i < n; i++)
    patterns[i] = ir_dense_get(d, number_in_tile(c, spot, t, (int64_t)i));
  memset(data, 0, size);
  num_store_array(data, patterns, (tsr_elem)t->elem, 0, n);
  return rewrite_constant(s->m, op, ir_dense_create(s->m, t, false, data, (uint32_t)size));
}

void split_constant(splitter *s, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  const cut_tile *c = split_cut(s, op, v->type);
  ir_value **pieces = arena_array(s->arena, ir_value *, c->n);
  for (uint32_t p = 0; p < c->n; p++)
    pieces[p] = d->splat ? rewrite_splat(s->m, op, c->pieces[p], ir_dense_get(d, 0))
                         : constant_piece(s, op, d, c, p);
  split_set(s, v, pieces);
  split_done(s, op);
}

static ir_value *with_number(splitter *s, ir_op *op, op_code opcode, ir_value *v, int64_t n) {
  return split_make(s, op, opcode, v->type, 2, (ir_value *[]){v, split_number(s, op, v->type, n)});
}

/* How far the index of a tile is behind that of a piece at each bit of it; those that are alike
 * make one term. */
static ir_value *iota_piece(splitter *s, ir_op *op, const cut_dim *d, unsigned piece,
                            const ir_type *t) {
  ir_value *index = split_make(s, op, OP_iota, t, 0, NULL), *sum = NULL;
  int64_t begin = cut_coordinate(d, piece, 0), size = t->shape[0];
  for (int64_t low = 1, high; low < size; low = high) {
    int64_t factor = (cut_coordinate(d, piece, low) - begin) / low;
    for (high = low; high < size && cut_coordinate(d, piece, high) - begin == factor * high;)
      high *= 2;
    ir_value *v = index;
    if (low > 1 || high < size) v = with_number(s, op, OP_andi, v, high - low);
    if (factor != 1) v = with_number(s, op, OP_muli, v, factor);
    sum = sum ? split_make(s, op, OP_addi, t, 2, (ir_value *[]){sum, v}) : v;
  }
  if (!sum) sum = index;
  return begin ? with_number(s, op, OP_addi, sum, begin) : sum;
}

void split_iota(splitter *s, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  const cut_tile *c = split_cut(s, op, v->type);
  ir_value **pieces = arena_array(s->arena, ir_value *, c->n);
  for (uint32_t p = 0; p < c->n && !s->failed; p++)
    pieces[p] = iota_piece(s, op, &c->dim[0], p, c->pieces[p]);
  if (!s->failed) split_set(s, v, pieces);
  split_done(s, op);
}

/* ---- products ------------------------------------------------------------------------------- */

static ir_value *product_piece(splitter *s, ir_op *op, const cut_tile *const c[3], unsigned m,
                               unsigned n, ir_value *sum) {
  ir_value **a = split_pieces(s, ir_operand(op, 0)), **b = split_pieces(s, ir_operand(op, 1));
  for (unsigned k = 0; k < c[0]->dim[1].n; k++) {
    ir_value *operands[] = {a[m * c[0]->dim[1].n + k], b[k * c[1]->dim[1].n + n], sum};
    sum = ir_result(split_copy(s, op, operands, &sum->type), 0);
  }
  return sum;
}

void split_product(splitter *s, ir_op *op) {
  const cut_tile *c[3];
  ir_value *v = ir_result(op, 0), **sums = split_pieces(s, ir_operand(op, 2));
  for (unsigned i = 0; i < 3; i++) c[i] = split_cut(s, op, ir_operand(op, i)->type);
  if (v->type->rank != 2 || !cut_same(&c[0]->dim[0], &c[2]->dim[0]) ||
      !cut_same(&c[1]->dim[1], &c[2]->dim[1]) || !cut_same(&c[0]->dim[1], &c[1]->dim[0]))
    split_fail(s, op, v->type,
               "is compiled only where a dimension has the same share of each thread in both tiles "
               "that have it; use one layout for the grid, or the target interp");
  ir_value **pieces = arena_array(s->arena, ir_value *, c[2]->n);
  for (uint32_t p = 0; p < c[2]->n && !s->failed; p++)
    pieces[p] = product_piece(s, op, c, p / c[2]->dim[1].n, p % c[2]->dim[1].n, sums[p]);
  if (!s->failed) split_set(s, v, pieces);
  split_done(s, op);
}

/* ---- reductions ----------------------------------------------------------------------------- */

/* A type of the body for all elements of a tile. */
static const ir_type *lifted_type(splitter *s, const ir_type *t, const ir_type *like) {
  return t->kind == IR_TILE && t->elem != TSR_PTR ? ir_tile_like(s->m, like, (tsr_elem)t->elem)
                                                  : NULL;
}

/* The body for all elements of tiles at once: false where it has more than arithmetic. */
static bool lift_body(splitter *s, ir_op *op, value_map *vm, const ir_type *like) {
  const ir_block *body = op->regions[0];
  for (const ir_op *inner = body->first; inner != body->last; inner = inner->next) {
    bool is_constant = inner->opcode == OP_constant;
    const ir_type *t = inner->n_results == 1 ? lifted_type(s, inner->results[0].type, like) : NULL;
    if (!t || !(is_constant || ir_row(inner)->traits & TRAIT_ELEMENTWISE)) return false;
    for (uint32_t i = 0; i < inner->n_operands; i++)
      if (value_map_get(vm, ir_operand(inner, i)) == ir_operand(inner, i)) return false;
    if (is_constant) {
      uint64_t pattern = ir_dense_get(ir_get_attr(inner, ATTR_value)->dense, 0);
      value_map_set(vm, ir_result(inner, 0), rewrite_splat(s->m, op, t, pattern));
      continue;
    }
    ir_op *copy = rewrite_clone_shell(s->m, inner, vm);
    copy->results[0].type = t;
    ir_op_insert_before(op, copy);
  }
  return true;
}

/* sums = body(next, sums), element by element. */
static bool combine(splitter *s, ir_op *op, ir_value *const *next, ir_value **sums) {
  const ir_block *body = op->regions[0];
  value_map vm = {.arena = s->arena};
  for (uint32_t i = 0; i < op->n_operands; i++) {
    value_map_set(&vm, &body->args[2 * i], next[i]);
    value_map_set(&vm, &body->args[2 * i + 1], sums[i]);
  }
  if (!lift_body(s, op, &vm, sums[0]->type)) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    sums[i] = value_map_get(&vm, ir_operand(body->last, i));
  return true;
}

/* What a reduction of a piece gives. */
static const ir_type *reduced_type(splitter *s, const ir_type *t, unsigned dim) {
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  tsr_layout l;
  for (unsigned d = 0; d < t->rank; d++)
    if (d != dim) shape[rank++] = t->shape[d];
  const ir_type *plain = ir_tile_reshaped(s->m, t, rank, shape);
  if (!t->layout || !rank) return plain;
  tsr_layout_reduce(&l, t->layout, 1, (int32_t[]){(int32_t)dim}, false, NULL);
  return ir_with_layout(s->m, plain, &l);
}

/* One of the reductions: with a body of its own, of one piece of each operand. */
static void reduce_piece(splitter *s, ir_op *op, uint32_t piece, unsigned dim, ir_value **results) {
  value_map vm = {.arena = s->arena};
  for (uint32_t i = 0; i < op->n_operands; i++)
    value_map_set(&vm, ir_operand(op, i), split_pieces(s, ir_operand(op, i))[piece]);
  ir_op *copy = rewrite_clone(s->m, op, &vm);
  ir_op_insert_before(op, copy);
  for (uint32_t i = 0; i < op->n_results; i++) {
    copy->results[i].type = reduced_type(s, ir_operand(copy, i)->type, dim);
    results[i] = ir_result(copy, i);
  }
}

/* Of the pieces of the operands that one piece of the results is made of. */
static bool reduce_row(splitter *s, ir_op *op, const cut_tile *c, unsigned dim, unsigned *spot,
                       ir_value **sums) {
  ir_value **next = arena_array(s->arena, ir_value *, op->n_operands);
  for (spot[dim] = 0; spot[dim] < c->dim[dim].n; spot[dim]++) {
    bool is_first = spot[dim] == 0;
    reduce_piece(s, op, cut_number(c, spot), dim, is_first ? sums : next);
    if (!is_first && !combine(s, op, next, sums)) return false;
  }
  return true;
}

/* How the pieces lie that those of the operand are reduced to. A layout joins what stood apart with
 * the dimension between, so the result may be cut elsewhere. */
static cut_tile reduced_cut(splitter *s, const cut_tile *c, unsigned dim, const ir_type *t,
                            ir_value *const *pieces) {
  cut_tile r = {.type = t, .rank = t->rank, .n = c->n / c->dim[dim].n};
  const ir_type **types = arena_array(s->arena, const ir_type *, r.n);
  r.dim = arena_array(s->arena, cut_dim, MAX(r.rank, 1));
  for (unsigned d = 0, k = 0; d < c->rank; d++)
    if (d != dim) r.dim[k++] = c->dim[d];
  for (uint32_t p = 0; p < r.n; p++) types[p] = pieces[p]->type;
  r.pieces = types;
  return r;
}

void split_reduce(splitter *s, ir_op *op) {
  unsigned dim = (unsigned)ir_int_attr(op, ATTR_dim), spot[IR_MAX_RANK];
  const cut_tile *c = split_cut(s, op, ir_operand(op, 0)->type);
  uint32_t n = c->n / c->dim[dim].n, results = op->n_results;
  ir_value **all = arena_array(s->arena, ir_value *, (size_t)n * results);
  ir_value **sums = arena_array(s->arena, ir_value *, results);
  for (uint32_t p = 0; p < n && !s->failed; p++) {
    uint32_t rest = p;
    for (unsigned d = c->rank; d-- > 0;) {
      if (d == dim) continue;
      spot[d] = rest % c->dim[d].n;
      rest /= c->dim[d].n;
    }
    if (!reduce_row(s, op, c, dim, spot, sums))
      split_fail(s, op, c->type,
                 "is compiled for bodies of arithmetic on their arguments only; the target interp "
                 "runs it");
    for (uint32_t i = 0; i < results; i++) all[i * n + p] = sums[i];
  }
  for (uint32_t i = 0; i < results && !s->failed; i++) {
    ir_value *v = ir_result(op, i);
    cut_tile have = reduced_cut(s, c, dim, v->type, all + (size_t)i * n);
    split_set(s, v, split_recut(s, op, &have, all + (size_t)i * n, v->type));
  }
  split_done(s, op);
}

/* ---- scans ---------------------------------------------------------------------------------- */

void split_scan(splitter *s, ir_op *op) {
  unsigned dim = (unsigned)ir_int_attr(op, ATTR_dim);
  const cut_tile *c = split_cut(s, op, ir_operand(op, 0)->type);
  ir_value **pieces = arena_array(s->arena, ir_value *, (size_t)c->n * op->n_results);
  if (c->dim[dim].n > 1)
    split_fail(s, op, c->type,
               "is not compiled along such a dimension yet; the target interp runs it");
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    value_map vm = {.arena = s->arena};
    for (uint32_t i = 0; i < op->n_operands; i++)
      value_map_set(&vm, ir_operand(op, i), split_pieces(s, ir_operand(op, i))[p]);
    ir_op *copy = rewrite_clone(s->m, op, &vm);
    ir_op_insert_before(op, copy);
    for (uint32_t i = 0; i < op->n_results; i++) {
      copy->results[i].type = ir_operand(copy, i)->type;
      pieces[(size_t)i * c->n + p] = ir_result(copy, i);
    }
  }
  for (uint32_t i = 0; i < op->n_results && !s->failed; i++)
    split_set(s, ir_result(op, i), pieces + (size_t)i * c->n);
  split_done(s, op);
}
