/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads, stores and copies of pieces: at the tile's place, further on by where the piece begins.
 * Without threads a piece is a window like any other. By layouts its elements may lie apart from
 * each other: of shared memory it is then a part with further strides, and of a view the backend
 * learns the distances (split_notes.steps).
 */
#include "block/split_internal.h"

#include "ir/block/layouts.h"
#include "opt/facts.h"
#include "opt/rewrite.h"

static int64_t begin_of(const cut_dim *d, unsigned piece) {
  return cut_coordinate(d, piece, 0);
}

static unsigned log2_of(int64_t n) {
  return 63u - (unsigned)__builtin_clzll((uint64_t)n);
}

/* ---- parts of shared memory ----------------------------------------------------------------- */

/* What an index along a dimension adds to the offset; `first` is its first mode. */
static int64_t offset_along(const tsr_memory_layout *m, unsigned d, unsigned first, int64_t index) {
  int64_t offset = 0;
  for (unsigned k = first + m->dim_modes[d]; k-- > first; index /= m->size[k])
    offset += index % m->size[k] * m->stride[k];
  return offset;
}

/* What each bit of a piece's index along a dimension adds. False: it depends on other bits. */
static bool bit_strides(const tsr_memory_layout *m, unsigned d, unsigned first, const cut_dim *c,
                        unsigned piece, int64_t *stride) {
  int64_t begin = offset_along(m, d, first, begin_of(c, piece)), size = cut_size(c, piece);
  unsigned n = log2_of(size);
  for (unsigned k = 0; k < n; k++) {
    stride[k] = offset_along(m, d, first, cut_coordinate(c, piece, INT64_C(1) << k)) - begin;
    if (stride[k] < 0) return false;
  }
  for (int64_t i = 0; i < size; i++) {
    int64_t sum = begin;
    for (unsigned k = 0; k < n; k++) sum += i >> k & 1 ? stride[k] : 0;
    if (offset_along(m, d, first, cut_coordinate(c, piece, i)) != sum) return false;
  }
  return true;
}

static bool add_mode(tsr_memory_layout *out, int32_t size, int64_t stride) {
  if (out->modes == TSR_LAYOUT_MAX_MODES) return false;
  out->size[out->modes] = size;
  out->stride[out->modes++] = stride;
  return true;
}

/* Modes of the piece along a dimension, bits whose strides double in one. */
static bool add_piece_modes(tsr_memory_layout *out, const int64_t *stride, unsigned n) {
  bool ok = n > 0 || add_mode(out, 1, 0);
  for (unsigned k = n, run; ok && k > 0; k -= run) {
    run = 1;
    while (run < k && stride[k - run] == 2 * stride[k - run - 1]) run++;
    ok = add_mode(out, INT32_C(1) << run, stride[k - run]);
  }
  return ok;
}

static bool piece_memory(const tsr_memory_layout *m, const cut_tile *c, const unsigned *at,
                         tsr_memory_layout *out) {
  unsigned first = 0;
  *out = *m;
  out->modes = 0;
  for (unsigned d = 0; d < m->rank; first += m->dim_modes[d++]) {
    unsigned before = out->modes;
    int64_t stride[64];
    bool ok = true;
    for (unsigned k = 0; c->dim[d].n == 1 && ok && k < m->dim_modes[d]; k++)
      ok = add_mode(out, m->size[first + k], m->stride[first + k]);
    if (c->dim[d].n > 1)
      ok = bit_strides(m, d, first, &c->dim[d], at[d], stride) &&
           add_piece_modes(out, stride, log2_of(cut_size(&c->dim[d], at[d])));
    if (!ok) return false;
    out->dim_modes[d] = (uint8_t)(out->modes - before);
  }
  return true;
}

/* Without threads nobody asks how the memory lies. */
static void plain_memory(const cut_tile *c, const unsigned *at, tsr_memory_layout *out) {
  int32_t shape[TSR_LAYOUT_MAX_RANK];
  for (unsigned d = 0; d < c->rank; d++) shape[d] = (int32_t)cut_size(&c->dim[d], at[d]);
  tsr_memory_row_major(out, c->rank, shape, NULL);
}

/* The part of the storage of a tile that a piece of the tile is. */
static ir_value *part_of_piece(splitter *s, ir_op *at, const cut_tile *c, uint32_t piece,
                               ir_value *storage) {
  unsigned spot[IR_MAX_RANK];
  ir_value *operands[1 + IR_MAX_RANK] = {storage};
  tsr_memory_layout memory;
  const ir_type *t = storage->type;
  if (c->n == 1) return storage;
  cut_place(c, piece, spot);
  if (s->how == CUT_BY_SIZE) {
    plain_memory(c, spot, &memory);
  } else if (!piece_memory(t->memory, c, spot, &memory)) {
    split_fail(s, at, c->type,
               "has no parts for its threads in memory of this layout, whose digits end elsewhere; "
               "use one stride for the dimension, or the target interp");
    return storage;
  }
  for (unsigned d = 0; d < c->rank; d++)
    operands[1 + d] = split_number(s, at, ir_scalar(s->m, TSR_I32), begin_of(&c->dim[d], spot[d]));
  return split_make(s, at, OP_subview,
                    ir_remote(s->m, ir_shared(s->m, (tsr_elem)t->elem, &memory), t->remote),
                    1 + c->rank, operands);
}

void split_load_shared(splitter *s, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  const cut_tile *c = split_cut(s, op, v->type);
  ir_value **pieces = arena_array(s->arena, ir_value *, c->n);
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    ir_value *part = part_of_piece(s, op, c, p, ir_operand(op, 0));
    pieces[p] = ir_result(split_copy(s, op, &part, &c->pieces[p]), 0);
  }
  if (!s->failed) split_set(s, v, pieces);
  split_done(s, op);
}

void split_store_shared(splitter *s, ir_op *op) {
  ir_value *v = ir_operand(op, 0), **pieces = split_pieces(s, v);
  const cut_tile *c = split_cut(s, op, v->type);
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    ir_value *operands[] = {pieces[p], part_of_piece(s, op, c, p, ir_operand(op, 1))};
    split_copy(s, op, operands, NULL);
  }
  split_done(s, op);
}

/* The bytes of all pieces count at the barrier. */
void split_store_async(splitter *s, ir_op *op) {
  ir_value **pieces = split_pieces(s, ir_operand(op, 0)), *operands[4];
  const cut_tile *c = split_cut(s, op, ir_operand(op, 0)->type);
  for (uint32_t k = 2; k < op->n_operands; k++) operands[k] = ir_operand(op, k);
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    operands[0] = pieces[p];
    operands[1] = part_of_piece(s, op, c, p, ir_operand(op, 1));
    split_copy(s, op, operands, NULL);
  }
  split_done(s, op);
}

void split_atomic_shared(splitter *s, ir_op *op) {
  unsigned group = op->opcode == OP_atomic_cas_shared ? 2 : 1;
  ir_value *v = ir_result(op, 0), *mask = ir_operand_in(op, group + 1), *operands[4];
  const cut_tile *c = split_cut(s, op, v->type);
  ir_value **pieces = arena_array(s->arena, ir_value *, c->n);
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    for (unsigned i = 0; i < group; i++) operands[i] = split_pieces(s, ir_operand(op, i))[p];
    operands[group] = part_of_piece(s, op, c, p, ir_operand(op, group));
    if (mask) operands[group + 1] = split_pieces(s, mask)[p];
    pieces[p] = ir_result(split_copy(s, op, operands, &c->pieces[p]), 0);
  }
  if (!s->failed) split_set(s, v, pieces);
  split_done(s, op);
}

void split_put(splitter *s, ir_op *at, const ir_type *t, ir_value *const *pieces, ir_value *dest) {
  const cut_tile *c = split_cut(s, at, t);
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    ir_op *store = ir_op_create(
        s->m,
        &(ir_op_spec){.opcode = OP_store_shared,
                      .loc = at->loc,
                      .n_operands = 2,
                      .operands = (ir_value *[]){pieces[p], part_of_piece(s, at, c, p, dest)}});
    ir_op_insert_before(at, store);
  }
}

ir_value **split_take(splitter *s, ir_op *at, const ir_type *t, ir_value *storage) {
  const cut_tile *c = split_cut(s, at, t);
  ir_value **pieces = arena_array(s->arena, ir_value *, c->n);
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    ir_value *part = part_of_piece(s, at, c, p, storage);
    pieces[p] = split_make(s, at, OP_load_shared, c->pieces[p], 1, &part);
  }
  return pieces;
}

/* ---- windows of views ----------------------------------------------------------------------- */

static unsigned view_group(const ir_op *op) {
  return op->opcode == OP_store_global;
}

static const int64_t *window_shape(const ir_op *op) {
  switch (op->opcode) {
  case OP_load_global: return ir_result(op, 0)->type->shape;
  case OP_store_global: return ir_operand(op, 0)->type->shape;
  default: return ir_operand_in(op, 2)->type->shape;
  }
}

typedef struct noting {
  splitter *s;
  const facts *known;
} noting;

/* Where an offset and a size in the tile might go beyond the largest number of the offsets' type,
 * and so to where the view has elements. */
static bool note_offsets(void *user, ir_op *op) {
  noting *x = user;
  if (op->opcode != OP_load_global && op->opcode != OP_store_global && op->opcode != OP_cp_async)
    return true;
  uint32_t n;
  const ir_use *u = ir_operand_group(op, view_group(op) + 1, &n);
  const int64_t *shape = window_shape(op);
  bool wide = false;
  for (uint32_t d = 0; d < n; d++) {
    unsigned bits = tsr_elem_bits((tsr_elem)u[d].value->type->elem);
    int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    wide |= bits < 64 && facts_of(x->known, u[d].value).max > most - shape[d];
  }
  if (wide) *map_put(x->s->arena, &x->s->wide, (uintptr_t)op) = 1;
  return true;
}

void split_note_offsets(splitter *s) {
  noting x = {.s = s, .known = facts_compute(s->entry, s->arena)};
  ir_walk(s->entry, note_offsets, &x);
}

static ir_value *widened(splitter *s, ir_op *at, ir_value *v) {
  if (v->type->elem == TSR_I64) return v;
  ir_value *wide = split_make(s, at, OP_exti, ir_scalar(s->m, TSR_I64), 1, &v);
  ir_set_int(wide->owner.op, ATTR_signedness, SIGN_SIGNED);
  return wide;
}

static ir_value *shifted(splitter *s, ir_op *at, ir_value *offset, int64_t by) {
  int64_t known;
  if (!by) return offset;
  if (ir_constant_int(offset, &known)) return split_number(s, at, offset->type, known + by);
  ir_value *operands[] = {offset, split_number(s, at, offset->type, by)};
  return split_make(s, at, OP_addi, offset->type, 2, operands);
}

static const int32_t *steps_of(splitter *s, const cut_tile *c, const unsigned *spot) {
  bool runs = true;
  int32_t *steps = arena_array(s->arena, int32_t, 64);
  unsigned bit = 0;
  for (unsigned d = c->rank; d-- > 0;) {
    runs &= c->dim[d].n == 1 || cut_is_run(&c->dim[d]);
    for (unsigned k = 0; k < log2_of(cut_size(&c->dim[d], spot[d])); k++)
      steps[bit++] = (int32_t)(cut_coordinate(&c->dim[d], spot[d], INT64_C(1) << k) -
                               begin_of(&c->dim[d], spot[d]));
  }
  return runs ? NULL : steps;
}

/* Copies the operation for each piece, whose operands are in `operands` but for the offsets. */
static ir_op *window_of_piece(splitter *s, ir_op *op, const cut_tile *c, uint32_t piece,
                              ir_value **operands, const ir_type *const *types) {
  uint32_t n, first = op->segments[0] + (view_group(op) ? op->segments[1] : 0);
  const ir_use *u = ir_operand_group(op, view_group(op) + 1, &n);
  unsigned spot[IR_MAX_RANK];
  cut_place(c, piece, spot);
  for (uint32_t d = 0; d < n; d++) {
    ir_value *v = map_get(&s->wide, (uintptr_t)op) ? widened(s, op, u[d].value) : u[d].value;
    operands[first + d] = shifted(s, op, v, begin_of(&c->dim[d], spot[d]));
  }
  ir_op *copy = split_copy(s, op, operands, types);
  const int32_t *steps = s->notes ? steps_of(s, c, spot) : NULL;
  if (steps) *map_put(s->arena, &s->notes->steps, (uintptr_t)copy) = (uintptr_t)steps;
  return copy;
}

/* The operands as they are, with the piece of a mask. */
static ir_value **operands_of(splitter *s, const ir_op *op, uint32_t piece) {
  ir_value **operands = arena_array(s->arena, ir_value *, op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++) {
    ir_value *v = ir_operand(op, i);
    operands[i] = cut_is_needed(v->type) ? split_pieces(s, v)[piece] : v;
  }
  return operands;
}

void split_load_global(splitter *s, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  const cut_tile *c = split_cut(s, op, v->type);
  ir_value **pieces = arena_array(s->arena, ir_value *, c->n);
  for (uint32_t p = 0; p < c->n && !s->failed; p++)
    pieces[p] = ir_result(window_of_piece(s, op, c, p, operands_of(s, op, p), &c->pieces[p]), 0);
  if (!s->failed) split_set(s, v, pieces);
  split_done(s, op);
}

void split_store_global(splitter *s, ir_op *op) {
  const cut_tile *c = split_cut(s, op, ir_operand(op, 0)->type);
  for (uint32_t p = 0; p < c->n && !s->failed; p++)
    window_of_piece(s, op, c, p, operands_of(s, op, p), NULL);
  split_done(s, op);
}

/* ---- copies --------------------------------------------------------------------------------- */

static const ir_type *copied_tile(const splitter *s, const ir_op *op) {
  const ir_type *dest = ir_operand_in(op, 2)->type;
  const ir_type *t = ir_tile(s->m, (tsr_elem)dest->elem, 0, dest->rank, dest->shape);
  if (s->how == CUT_BY_SIZE) return t;
  return ir_with_layout(s->m, t, ir_get_attr(op, ATTR_layout)->layout);
}

bool split_copies(const splitter *s, const ir_op *op) {
  return op->opcode == OP_cp_async && cut_is_needed(copied_tile(s, op));
}

void split_cp_async(splitter *s, ir_op *op) {
  const cut_tile *c = split_cut(s, op, copied_tile(s, op));
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    ir_value **operands = operands_of(s, op, p);
    operands[op->n_operands - 1] = part_of_piece(s, op, c, p, ir_operand_in(op, 2));
    ir_op *copy = window_of_piece(s, op, c, p, operands, NULL);
    if (s->how == CUT_BY_LAYOUT)
      ir_set_attr(copy, ATTR_layout, (ir_attr){.layout = c->pieces[p]->layout});
  }
  split_done(s, op);
}
