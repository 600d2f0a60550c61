/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where elements change their places in a tile. A thread that has the elements of the result has
 * them in the operands, too, so with layouts each register of the result is one of the operands':
 * one reinterpret of all pieces says which. Without threads, what no operation on pieces can do
 * goes through memory.
 */
#include "block/split_internal.h"

#include "block/memory.h"
#include "opt/rewrite.h"

/* ---- registers ------------------------------------------------------------------------------ */

static uint32_t slots_of_piece(const ir_type *t) {
  return t->layout ? (uint32_t)tsr_layout_local_size(t->layout) : 1;
}

static uint32_t registers_of(splitter *s, const ir_op *op, const ir_type *t) {
  const cut_tile *c = split_cut(s, op, t);
  uint32_t n = 0;
  for (uint32_t p = 0; p < c->n; p++) n += slots_of_piece(c->pieces[p]);
  return n;
}

/* Where a thread that has this element has it, counted through all pieces. */
static uint32_t register_in(const cut_tile *c, const int64_t *index) {
  unsigned spot[IR_MAX_RANK];
  int32_t inner[IR_MAX_RANK];
  for (unsigned d = 0; d < c->rank; d++) {
    int64_t rest;
    spot[d] = cut_locate(&c->dim[d], index[d], &rest);
    inner[d] = (int32_t)rest;
  }
  uint32_t piece = cut_number(c, spot), before = 0;
  for (uint32_t p = 0; p < piece; p++) before += slots_of_piece(c->pieces[p]);
  const tsr_layout *l = c->pieces[piece]->layout;
  return before + (l ? (uint32_t)tsr_layout_get_local(l, inner) : 0);
}

static uint32_t register_of(splitter *s, const ir_op *op, const ir_type *t, const int64_t *index) {
  return register_in(split_cut(s, op, t), index);
}

/* The index of the element that the first thread has in a register. */
static void index_of_register(const cut_tile *c, uint32_t number, int64_t *index) {
  uint32_t piece = 0;
  for (uint32_t n; number >= (n = slots_of_piece(c->pieces[piece])); piece++) number -= n;
  unsigned spot[IR_MAX_RANK];
  int32_t inner[IR_MAX_RANK] = {0};
  if (c->pieces[piece]->layout)
    tsr_layout_get_global(c->pieces[piece]->layout, 0, (int32_t)number, inner);
  cut_place(c, piece, spot);
  for (unsigned d = 0; d < c->rank; d++) index[d] = cut_coordinate(&c->dim[d], spot[d], inner[d]);
}

/* One reinterpret of all these pieces into those of `to`. */
static ir_value **regroup_pieces(splitter *s, ir_op *op, uint32_t n, ir_value *const *pieces,
                                 const cut_tile *to, const split_move *move) {
  ir_op *made = ir_op_create(s->m, &(ir_op_spec){.opcode = OP_reinterpret,
                                                 .loc = op->loc,
                                                 .n_operands = n,
                                                 .operands = pieces,
                                                 .segments = &n,
                                                 .n_results = to->n,
                                                 .result_types = to->pieces});
  ir_op_insert_before(op, made);
  *map_put(s->arena, &s->notes->moves, (uintptr_t)made) = (uintptr_t)move;
  ir_value **results = arena_array(s->arena, ir_value *, to->n);
  for (uint32_t p = 0; p < to->n; p++) results[p] = ir_result(made, p);
  return results;
}

/* The pieces of `operands` into those of the result. */
static void regroup(splitter *s, ir_op *op, uint32_t n_operands, const split_move *move) {
  VEC(ir_value *) pieces = {0};
  ir_value *v = ir_result(op, 0);
  for (uint32_t k = 0; k < n_operands; k++) {
    ir_value *x = ir_operand(op, k), **list = split_pieces(s, x);
    uint32_t n = split_cut(s, op, x->type)->n;
    for (uint32_t p = 0; p < n; p++) vec_push(s->arena, pieces, list[p]);
  }
  split_set(s, v, regroup_pieces(s, op, pieces.len, pieces.data, split_cut(s, op, v->type), move));
}

static bool cut_alike(const cut_tile *a, const cut_tile *b) {
  for (unsigned d = 0; d < a->rank; d++)
    if (!cut_same(&a->dim[d], &b->dim[d])) return false;
  return true;
}

ir_value **split_recut(splitter *s, ir_op *op, const cut_tile *from, ir_value **pieces,
                       const ir_type *t) {
  const cut_tile *to = split_cut(s, op, t);
  if (s->failed || s->how == CUT_BY_SIZE || cut_alike(from, to)) return pieces;
  uint32_t n = registers_of(s, op, t), *order = arena_array(s->arena, uint32_t, n);
  uint32_t *registers = arena_array(s->arena, uint32_t, n);
  split_move *move = arena_new(s->arena, split_move);
  for (uint32_t k = 0; k < n; k++) {
    int64_t index[IR_MAX_RANK];
    index_of_register(to, k, index);
    order[k] = k;
    registers[k] = register_in(from, index);
  }
  *move = (split_move){.n_from = n, .n_to = n, .from = registers, .to = order};
  return regroup_pieces(s, op, from->n, pieces, to, move);
}

/* The registers of a tile in the order of a thread's slots. */
static uint32_t *slot_order(splitter *s, const ir_op *op, const ir_type *t, uint32_t *n) {
  *n = (uint32_t)tsr_layout_local_size(t->layout);
  uint32_t *order = arena_array(s->arena, uint32_t, *n);
  for (uint32_t slot = 0; slot < *n; slot++) {
    int32_t at[TSR_LAYOUT_MAX_RANK];
    int64_t index[TSR_LAYOUT_MAX_RANK];
    tsr_layout_get_global(t->layout, 0, (int32_t)slot, at);
    for (unsigned d = 0; d < t->rank; d++) index[d] = at[d];
    order[slot] = register_of(s, op, t, index);
  }
  return order;
}

void split_reinterpret(splitter *s, ir_op *op) {
  split_move *move = arena_new(s->arena, split_move);
  move->from = slot_order(s, op, ir_operand(op, 0)->type, &move->n_from);
  move->to = slot_order(s, op, ir_result(op, 0)->type, &move->n_to);
  if (!s->failed) regroup(s, op, 1, move);
  split_done(s, op);
}

/* ---- which element is which ----------------------------------------------------------------- */

static void flat_to_index(const ir_type *t, int64_t flat, int64_t *index) {
  for (unsigned d = t->rank; d-- > 0; flat /= t->shape[d]) index[d] = flat % t->shape[d];
}

/* Whether an index lies in the slice of a tile of this shape that operands from `first` on name,
 * and where in it. */
static bool in_slice(const ir_op *op, uint32_t first, const ir_type *slice, const int64_t *index,
                     int64_t *inner) {
  bool inside = true;
  for (unsigned d = 0; d < slice->rank; d++) {
    int64_t number = 0;
    ir_constant_int(ir_operand(op, first + d), &number);
    inner[d] = index[d] - number * slice->shape[d];
    inside &= inner[d] >= 0 && inner[d] < slice->shape[d];
  }
  return inside;
}

/* The operand, and the place in it, that an element of the result is. */
static uint32_t source_of(const ir_op *op, const int64_t *index, int64_t *from) {
  const ir_type *t = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  memcpy(from, index, to->rank * sizeof *from);
  switch (op->opcode) {
  case OP_reshape: {
    int64_t flat = 0;
    for (unsigned d = 0; d < to->rank; d++) flat = flat * to->shape[d] + index[d];
    flat_to_index(t, flat, from);
    return 0;
  }
  case OP_permute: {
    const ir_ints *order = ir_get_attr(op, ATTR_permutation)->ints;
    for (unsigned d = 0; d < to->rank; d++) from[order->data[d]] = index[d];
    return 0;
  }
  case OP_broadcast:
    for (unsigned d = 0; d < to->rank; d++) from[d] = t->shape[d] == 1 ? 0 : index[d];
    return 0;
  case OP_extract:
    for (unsigned d = 0; d < to->rank; d++) {
      int64_t number = 0;
      ir_constant_int(ir_operand(op, 1 + d), &number);
      from[d] = index[d] + number * to->shape[d];
    }
    return 0;
  case OP_insert: {
    int64_t inner[IR_MAX_RANK];
    if (!in_slice(op, 2, t, index, inner)) return 1;
    memcpy(from, inner, t->rank * sizeof *from);
    return 0;
  }
  default: {
    unsigned d = (unsigned)ir_int_attr(op, ATTR_dim);
    if (index[d] < t->shape[d]) return 0;
    from[d] -= t->shape[d];
    return 1;
  }
  }
}

static uint32_t tiles_of(const ir_op *op) {
  return op->opcode == OP_insert || op->opcode == OP_cat ? 2 : 1;
}

/* Whether the indices of a slice are known, and are those of one. */
static bool has_known_slice(const ir_op *op) {
  const ir_type *whole = ir_operand(op, op->opcode == OP_insert)->type;
  const ir_type *part = op->opcode == OP_insert ? ir_operand(op, 0)->type : ir_result(op, 0)->type;
  int64_t n;
  for (uint32_t i = tiles_of(op); i < op->n_operands; i++) {
    unsigned d = i - tiles_of(op);
    if (!ir_constant_int(ir_operand(op, i), &n) || n < 0 || n >= whole->shape[d] / part->shape[d])
      return false;
  }
  return true;
}

static void by_registers(splitter *s, ir_op *op) {
  const ir_type *to = ir_result(op, 0)->type;
  const cut_tile *c = split_cut(s, op, to);
  split_move *move = arena_new(s->arena, split_move);
  uint32_t n = registers_of(s, op, to), *from = arena_array(s->arena, uint32_t, n);
  uint32_t *order = arena_array(s->arena, uint32_t, n);
  uint32_t behind = registers_of(s, op, ir_operand(op, 0)->type); /* of the first operand */
  for (uint32_t k = 0; k < n && !s->failed; k++) {
    int64_t index[IR_MAX_RANK], at[IR_MAX_RANK];
    index_of_register(c, k, index);
    uint32_t operand = source_of(op, index, at);
    order[k] = k;
    from[k] = register_of(s, op, ir_operand(op, operand)->type, at) + (operand ? behind : 0);
  }
  *move = (split_move){.n_from = n, .n_to = n, .from = from, .to = order};
  if (!s->failed) regroup(s, op, tiles_of(op), move);
}

/* ---- without threads ------------------------------------------------------------------------ */

static ir_op *make_access(splitter *s, ir_op *at, op_code opcode, ir_value *value, ir_value *view,
                          ir_value *const *offsets, const ir_type *result) {
  ir_value *operands[2 + IR_MAX_RANK];
  uint32_t n = 0, rank = view->type->rank;
  if (value) operands[n++] = value;
  operands[n++] = view;
  for (uint32_t d = 0; d < rank; d++) operands[n++] = offsets[d];
  uint32_t segments[] = {1, value ? 1 : rank, value ? rank : 0, 0};
  ir_op *op = ir_op_create(s->m, &(ir_op_spec){.opcode = opcode,
                                               .loc = at->loc,
                                               .n_operands = n,
                                               .operands = operands,
                                               .segments = segments,
                                               .n_results = value ? 0 : 1,
                                               .result_types = &result});
  ir_op_insert_before(at, op);
  return op;
}

static void store_at(splitter *s, ir_op *at, ir_value *v, ir_value *view,
                     ir_value *const *offsets) {
  ir_op *op = make_access(s, at, OP_store_global, v, view, offsets, NULL);
  if (cut_is_needed(v->type)) split_store_global(s, op);
}

/* In place of the result of `at`. */
static void load_at(splitter *s, ir_op *at, ir_value *view, ir_value *const *offsets) {
  ir_value *v = ir_result(at, 0);
  ir_op *op = make_access(s, at, OP_load_global, NULL, view, offsets, v->type);
  if (cut_is_needed(v->type)) split_load_global(s, op);
  split_set(s, v, split_pieces(s, ir_result(op, 0)));
}

/* Where the slice begins that operands from `first` on name. */
static void slice_offsets(splitter *s, ir_op *op, uint32_t first, const ir_type *slice,
                          ir_value **out) {
  for (unsigned d = 0; d < slice->rank; d++) {
    ir_value *number = ir_operand(op, first + d);
    ir_value *operands[] = {number, split_number(s, op, number->type, slice->shape[d])};
    out[d] = split_make(s, op, OP_muli, number->type, 2, operands);
  }
}

static void store_operands(splitter *s, ir_op *op, ir_value *view, ir_value *const *zeros) {
  ir_value *first = ir_operand(op, 0), *at[IR_MAX_RANK];
  memcpy(at, zeros, sizeof at);
  switch (op->opcode) {
  case OP_insert:
    store_at(s, op, ir_operand(op, 1), view, zeros);
    slice_offsets(s, op, 2, first->type, at);
    store_at(s, op, first, view, at);
    return;
  case OP_cat: {
    unsigned d = (unsigned)ir_int_attr(op, ATTR_dim);
    at[d] = split_number(s, op, zeros[d]->type, first->type->shape[d]);
    store_at(s, op, first, view, zeros);
    store_at(s, op, ir_operand(op, 1), view, at);
    return;
  }
  default: store_at(s, op, first, view, zeros);
  }
}

static void through_memory(splitter *s, ir_op *op) {
  const ir_type *to = ir_result(op, 0)->type, *from = ir_operand(op, 0)->type;
  const ir_type *stored = tiles_of(op) > 1 ? to : from,
                *loaded = op->opcode == OP_reshape ? to : stored;
  tsr_elem elem = (tsr_elem)from->elem;
  if (elem == TSR_PTR || (elem != TSR_I1 && tsr_elem_bits(elem) < 8)) {
    split_fail(s, op, cut_is_needed(to) ? to : from,
               "is not compiled for these elements yet; the target interp runs it");
    return;
  }
  ir_value *base = memory_alloca(s->m, s->entry, op->loc, elem, stored->count, 0);
  ir_value *zeros[IR_MAX_RANK], *at[IR_MAX_RANK];
  for (unsigned d = 0; d < IR_MAX_RANK; d++)
    zeros[d] = d ? zeros[0] : split_number(s, op, ir_scalar(s->m, TSR_I32), 0);
  store_operands(s, op, memory_view(s->m, op, op->loc, base, stored->rank, stored->shape), zeros);
  memcpy(at, zeros, sizeof at);
  if (op->opcode == OP_extract) slice_offsets(s, op, 1, to, at);
  load_at(s, op, memory_view(s->m, op, op->loc, base, loaded->rank, loaded->shape), at);
}

/* Whether sizes other than 1 stay what they are, in their order: then pieces stay pieces. */
static bool keeps_sizes(const ir_type *a, const ir_type *b) {
  unsigned i = 0, j = 0;
  for (;; i++, j++) {
    while (i < a->rank && a->shape[i] == 1) i++;
    while (j < b->rank && b->shape[j] == 1) j++;
    if (i == a->rank || j == b->rank) return i == a->rank && j == b->rank;
    if (a->shape[i] != b->shape[j]) return false;
  }
}

/* The piece of the operand that a piece of the result is made of. */
static uint32_t source_piece(const ir_op *op, const cut_tile *from, const cut_tile *to,
                             uint32_t piece) {
  unsigned at[IR_MAX_RANK], spot[IR_MAX_RANK];
  if (op->opcode == OP_reshape) return piece;
  cut_place(to, piece, at);
  for (unsigned d = 0; d < to->rank; d++)
    if (op->opcode == OP_permute)
      spot[ir_get_attr(op, ATTR_permutation)->ints->data[d]] = at[d];
    else
      spot[d] = from->dim[d].n == 1 ? 0 : at[d];
  return cut_number(from, spot);
}

static void by_pieces(splitter *s, ir_op *op) {
  ir_value *v = ir_result(op, 0), **operands = split_pieces(s, ir_operand(op, 0));
  const cut_tile *from = split_cut(s, op, ir_operand(op, 0)->type);
  const cut_tile *to = split_cut(s, op, v->type);
  ir_value **pieces = arena_array(s->arena, ir_value *, to->n);
  for (uint32_t p = 0; p < to->n; p++) {
    ir_value *x = operands[source_piece(op, from, to, p)];
    pieces[p] = ir_result(split_copy(s, op, &x, &to->pieces[p]), 0);
  }
  split_set(s, v, pieces);
}

static void without_threads(splitter *s, ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  bool direct = op->opcode == OP_permute || op->opcode == OP_broadcast ||
                (op->opcode == OP_reshape && keeps_sizes(from, to));
  if (direct)
    by_pieces(s, op);
  else
    through_memory(s, op);
}

void split_shape(splitter *s, ir_op *op) {
  if (s->how == CUT_BY_SIZE)
    without_threads(s, op);
  else if (has_known_slice(op))
    by_registers(s, op);
  else
    split_fail(s, op, ir_operand(op, 0)->type,
               "is compiled for slices whose numbers are constants only; the target interp runs "
               "it");
  split_done(s, op);
}

/* ---- from thread to thread ------------------------------------------------------------------ */

static ir_op *add_op(splitter *s, ir_op *at, op_code opcode, uint32_t n,
                     ir_value *const *operands) {
  ir_op *op = ir_op_create(
      s->m, &(ir_op_spec){.opcode = opcode, .loc = at->loc, .n_operands = n, .operands = operands});
  ir_op_insert_before(at, op);
  return op;
}

/* All threads store, and load when all have stored. */
static ir_value **through_shared(splitter *s, ir_op *op, const ir_type *from, const ir_type *to) {
  int32_t shape[TSR_LAYOUT_MAX_RANK];
  tsr_memory_layout memory;
  for (unsigned d = 0; d < from->rank; d++) shape[d] = (int32_t)from->shape[d];
  tsr_memory_row_major(&memory, from->rank, shape, NULL);
  const ir_type *t = ir_shared(s->m, (tsr_elem)from->elem, &memory);
  ir_value *storage = split_make(s, op, OP_alloc_shared, t, 0, NULL);
  split_put(s, op, from, split_pieces(s, ir_operand(op, 0)), storage);
  add_op(s, op, OP_barrier, 0, NULL);
  ir_value **pieces = split_take(s, op, to, storage);
  add_op(s, op, OP_barrier, 0, NULL);
  add_op(s, op, OP_free_shared, 1, &storage);
  return pieces;
}

void split_convert(splitter *s, ir_op *op) {
  ir_value *v = ir_result(op, 0), **operands = split_pieces(s, ir_operand(op, 0));
  const ir_type *t = ir_operand(op, 0)->type;
  const cut_tile *from = split_cut(s, op, t), *to = split_cut(s, op, v->type);
  ir_value **pieces = operands;
  if (s->failed) return;
  if (s->how == CUT_BY_LAYOUT && cut_alike(from, to)) {
    pieces = arena_array(s->arena, ir_value *, to->n);
    for (uint32_t p = 0; p < to->n; p++)
      pieces[p] = ir_result(split_copy(s, op, &operands[p], &to->pieces[p]), 0);
  } else if (s->how == CUT_BY_LAYOUT && t->elem == TSR_PTR) {
    split_fail(s, op, t, "is not compiled for pointers yet; the target interp runs it");
  } else if (s->how == CUT_BY_LAYOUT) {
    pieces = through_shared(s, op, t, v->type);
  }
  if (!s->failed) split_set(s, v, pieces);
  split_done(s, op);
}
