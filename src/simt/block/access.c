/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores of views. A tile of a view begins at its index times the distance of tiles, as a
 * number without sign; load_global and store_global take offsets in elements, with a sign. Where
 * facts don't say that the product stays below 2^31, it is computed in 64 bits, in which it cannot
 * wrap around.
 */
#include "simt/block/internal.h"
#include "simt/stores.h"

/* ---- order ---------------------------------------------------------------------------------- */

void emission_barrier(emission *x) {
  x->now = (block_hazards){0};
  emission_put(x, &(ir_op_spec){.opcode = OP_barrier, .loc = x->loc});
}

void emission_before_load(emission *x) {
  if (x->now.stored) emission_barrier(x);
  x->now.loaded = true;
}

void emission_before_store(emission *x) {
  if (x->now.stored || x->now.loaded) emission_barrier(x);
  x->now.stored = true;
}

static bool what_happens(void *user, ir_op *op) {
  block_hazards *seen = user;
  seen->loaded |= effect_reads(ir_effect(op));
  seen->stored |= effect_writes(ir_effect(op));
  return true;
}

void emission_enter(emission *x, ir_op *loop) {
  ir_walk(loop, what_happens, &x->now);
}

void emission_store_shared(emission *x, ir_value *v, ir_value *storage) {
  emission_put(x, &(ir_op_spec){.opcode = OP_store_shared,
                                .loc = x->loc,
                                .n_operands = 2,
                                .operands = (ir_value *[]){v, storage}});
}

void emission_free_shared(emission *x, ir_value *storage) {
  emission_put(x,
               &(ir_op_spec){
                   .opcode = OP_free_shared, .loc = x->loc, .n_operands = 1, .operands = &storage});
}

/* ---- offsets -------------------------------------------------------------------------------- */

/* Where operations stand that use a value and nothing else: right behind it. */
typedef struct block_place {
  ir_block *block;
  ir_op *before; /* NULL: at the end */
} block_place;

static block_place place_behind(const ir_value *v) {
  if (v->is_arg) return (block_place){v->owner.block, v->owner.block->first};
  return (block_place){v->owner.op->block, v->owner.op->next};
}

/* What operations are appended to ends where they belong; then they are moved there. */
static void move_to(block_place at, ir_block *from, ir_op *last) {
  if (!at.before && at.block == from) return;
  for (ir_op *op = last ? last->next : from->first, *next; op; op = next) {
    next = op->next;
    ir_op_unlink(op);
    if (at.before)
      ir_op_insert_before(at.before, op);
    else
      ir_op_append(at.block, op);
  }
}

ir_value *emission_widened(emission *x, ir_value *v, tsr_elem elem) {
  if (tsr_elem_bits((tsr_elem)v->type->elem) >= tsr_elem_bits(elem)) return v;
  ir_value *wide = emission_make(x, OP_exti, ir_tile_like(x->m, v->type, elem), 1, &v);
  ir_set_int(wide->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return wide;
}

/* As a number without sign. */
static ir_value *at_most(emission *x, ir_value *v, int64_t most) {
  ir_value *least = emission_make_two(x, OP_mini, v, emission_number(x, v->type, most));
  ir_set_int(least->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return least;
}

/* What lies beyond this index lies outside of every view, and so do its multiples. */
static ir_value *limited(emission *x, ir_value *v, int64_t distance) {
  return at_most(x, v, (INT64_C(1) << 62) / distance);
}

static ir_value *multiplied(emission *x, ir_value *v, int64_t distance, bool limit, bool wide) {
  ir_value *r = emission_widened(x, v, wide ? TSR_I64 : TSR_I32);
  if (limit) r = limited(x, r, distance);
  if (distance == 1) return r;
  return emission_make_two(x, OP_muli, r, emission_number(x, r->type, distance));
}

/* An index of the new program times the distance. */
static ir_value *offset_of(emission *x, ir_value *v, int64_t distance, bool limit, bool wide) {
  for (uint32_t i = 0; i < x->offsets.len; i++) {
    const block_offset *o = &x->offsets.data[i];
    if (o->index == v && o->distance == distance && o->wide == wide) return o->now;
  }
  block_place at = place_behind(v);
  ir_block *here = x->at;
  ir_op *last = here->last;
  ir_value *now = multiplied(x, v, distance, limit, wide);
  move_to(at, here, last);
  vec_push(x->arena, x->offsets, (block_offset){v, distance, wide, now});
  return now;
}

int64_t emission_distance(const ir_type *tiles, unsigned d) {
  if (tiles->kind == IR_STRIDED_VIEW) return tiles->strides[d];
  return tiles->kind == IR_PARTITION_VIEW ? tiles->shape[d] : 1;
}

ir_value *emission_wide_offset(emission *x, const ir_value *index, int64_t distance) {
  bool limit = tsr_elem_bits((tsr_elem)index->type->elem) == 64;
  return offset_of(x, emission_only(x, index), distance, limit, true);
}

/* Whether the offset, and where the tile ends, are numbers of 32 bits with a sign. */
static bool fits(const emission *x, const ir_value *index, const ir_type *tiles, unsigned d) {
  fact f = facts_of(x->p->facts, index);
  int64_t distance = emission_distance(tiles, d);
  return f.min >= 0 && f.max <= INT32_MAX && distance <= INT32_MAX &&
         f.max * distance <= INT32_MAX - tiles->shape[d];
}

static void find_offsets(emission *x, const ir_type *tiles, const ir_use *index, block_window *w) {
  bool wide = false;
  for (unsigned d = 0; d < w->rank; d++) wide |= !fits(x, index[d].value, tiles, d);
  for (unsigned d = 0; d < w->rank; d++) {
    const ir_value *v = index[d].value;
    int64_t number, distance = emission_distance(tiles, d);
    unsigned in_view = tiles->dim_map ? (unsigned)tiles->dim_map[d] : d;
    bool small = fits(x, v, tiles, d);
    const ir_type *t = ir_scalar(x->m, wide ? TSR_I64 : TSR_I32);
    bool limit = tsr_elem_bits((tsr_elem)v->type->elem) == 64 && !small;
    if (small && fact_is_number(facts_of(x->p->facts, v), &number))
      w->offsets[in_view] = emission_number(x, t, number * distance);
    else
      w->offsets[in_view] = offset_of(x, emission_only(x, v), distance, limit, wide);
  }
  /* An index of 64 bits that is small. */
  for (unsigned d = 0; d < w->rank; d++)
    if (!wide && w->offsets[d]->type->elem == TSR_I64)
      w->offsets[d] = emission_make(x, OP_trunci, ir_scalar(x->m, TSR_I32), 1, &w->offsets[d]);
}

void emission_coordinates(emission *x, const ir_value *tiles, const ir_use *index, int64_t most,
                          ir_value *out[IR_MAX_RANK]) {
  const ir_type *t = tiles->type, *number = ir_scalar(x->m, TSR_I32);
  for (unsigned d = 0; d < t->rank; d++) {
    int64_t distance = emission_distance(t, d);
    ir_value *v = emission_widened(x, emission_only(x, index[d].value), TSR_I32);
    if (!fits(x, index[d].value, t, d)) v = at_most(x, v, most / distance);
    if (v->type != number) v = emission_make(x, OP_trunci, number, 1, &v);
    if (distance != 1) v = emission_make_two(x, OP_muli, v, emission_number(x, number, distance));
    out[t->dim_map ? (unsigned)t->dim_map[d] : d] = v;
  }
}

/* ---- windows -------------------------------------------------------------------------------- */

const ir_value *emission_tensor_view(const ir_value *tiles) {
  const ir_op *op = ir_defining_op(tiles); /* nothing hands views on */
  while (op->opcode == OP_assume) op = ir_defining_op(ir_operand(op, 0));
  return ir_operand(op, 0);
}

void emission_order_window(emission *x, const ir_type *tiles, block_window *w) {
  int64_t shape[IR_MAX_RANK];
  *w = (block_window){.rank = tiles->rank};
  for (unsigned d = 0; d < tiles->rank; d++) {
    unsigned in_view = tiles->dim_map ? (unsigned)tiles->dim_map[d] : d;
    w->turned |= in_view != d;
    w->order[d] = in_view;
    shape[in_view] = tiles->shape[d];
  }
  w->tile = ir_tile(x->m, (tsr_elem)tiles->elem, TSR_I1, tiles->rank, shape);
}

void emission_open_window(emission *x, const ir_value *tiles, const ir_use *index,
                          block_window *w) {
  emission_order_window(x, tiles->type, w);
  w->view = emission_only(x, emission_tensor_view(tiles));
  find_offsets(x, tiles->type, index, w);
}

simt_map emission_window_map(const block_window *w, const ir_type *tile) {
  unsigned n_bits = simt_tile_bits(tile);
  simt_map m = {.from_n = (uint8_t)n_bits, .to_n = (uint8_t)n_bits};
  memset(m.to, SIMT_COPY, sizeof m.to);
  for (unsigned d = 0; d < w->rank; d++) {
    unsigned first, to, n;
    simt_dim_bits(w->tile, (unsigned)w->order[d], &first, &n);
    simt_dim_bits(tile, d, &to, &n);
    for (unsigned k = 0; k < n; k++) m.to[first + k] = (int8_t)(to + k);
  }
  return m;
}

static ir_value *permuted(emission *x, ir_value *v, const ir_type *t, const int64_t *order,
                          unsigned n) {
  size_t size = sizeof(ir_ints) + n * sizeof *order;
  ir_ints *list = arena_alloc(&x->m->arena, size, _Alignof(ir_ints));
  list->len = n;
  memcpy(list->data, order, n * sizeof *order);
  ir_value *r = emission_make(x, OP_permute, t, 1, &v);
  ir_set_attr(r->owner.op, ATTR_permutation, (ir_attr){.ints = list});
  return r;
}

ir_value *emission_turned(emission *x, ir_value *v, const ir_type *t, const block_window *w) {
  return w->turned ? permuted(x, v, t, w->order, w->rank) : v;
}

static bool is_weak(const ir_op *op) {
  return ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

static ir_op *put_access(emission *x, op_code opcode, uint32_t n, ir_value *const *operands,
                         const uint32_t *segments, const ir_type *result) {
  return emission_put(x, &(ir_op_spec){.opcode = opcode,
                                       .loc = x->loc,
                                       .n_operands = n,
                                       .operands = operands,
                                       .segments = segments,
                                       .n_results = result != NULL,
                                       .result_types = &result});
}

/* ---- loads ---------------------------------------------------------------------------------- */

static ir_value *load_window(emission *x, const block_window *w, const simt_dist *d, int padding) {
  ir_value *operands[1 + IR_MAX_RANK] = {w->view};
  memcpy(operands + 1, w->offsets, w->rank * sizeof *operands);
  ir_op *op = put_access(x, OP_load_global, 1 + w->rank, operands, (uint32_t[]){1, w->rank, 0},
                         emission_type(x, w->tile, d));
  if (padding > 0) ir_set_int(op, ATTR_padding_value, padding);
  return ir_result(op, 0);
}

/* What there are no offsets for, or has a memory order. */
static bool needs_pointers(const ir_op *op, const ir_value *tiles) {
  return tiles->type->kind == IR_GATHER_SCATTER_VIEW || !is_weak(op);
}

/* A tile of a view through pointers, with the same memory order. */
static void gather(emission *x, ir_op *op) {
  uint32_t n;
  const ir_value *tiles = ir_operand_in(op, 0), *v = ir_result(op, 0);
  simt_dist d = emission_dist(x, v);
  block_pointers p = emission_pointers(x, tiles, ir_operand_group(op, 1, &n), &d);
  const ir_type *types[] = {emission_type(x, v->type, &d), ir_token(x->m)};
  ir_value *operands[] = {p.at, p.inside, emission_padding(x, tiles->type, types[0])};
  uint32_t count = p.inside ? 3 : 1;
  emission_before_load(x);
  ir_op *made = emission_put(
      x, &(ir_op_spec){.opcode = OP_load_ptr_tko,
                       .loc = x->loc,
                       .n_operands = count,
                       .operands = operands,
                       .segments = (uint32_t[]){1, p.inside != NULL, p.inside != NULL, 0},
                       .n_results = 2,
                       .result_types = types});
  rewrite_copy_attrs(made, op);
  emission_set(x, v, ir_result(made, 0));
}

static void load_view(emission *x, ir_op *op) {
  uint32_t n;
  block_window w;
  const ir_value *tiles = ir_operand_in(op, 0), *v = ir_result(op, 0);
  if (needs_pointers(op, tiles)) {
    gather(x, op);
    return;
  }
  emission_open_window(x, tiles, ir_operand_group(op, 1, &n), &w);
  emission_before_load(x);
  simt_dist d = emission_dist(x, v), from = d;
  simt_map m = emission_window_map(&w, v->type);
  if (w.turned) from = simt_dist_back(&d, &m);
  ir_value *now = load_window(x, &w, &from, tiles->type->padding);
  emission_set(x, v, emission_turned(x, now, emission_type(x, v->type, &d), &w));
}

/* Through pointers: as it is, where the elements are to lie. */
static void load_pointers(emission *x, ir_op *op) {
  const ir_value *v = ir_result(op, 0);
  simt_dist d = emission_dist(x, v);
  ir_op *made = emission_clone(x, op, &d, &d);
  emission_before_load(x);
  ir_op_unlink(made); /* behind the barrier */
  ir_op_append(x->at, made);
  emission_set(x, v, ir_result(made, 0));
}

void emission_load(emission *x, ir_op *op) {
  if (op->opcode == OP_load_view_tko)
    load_view(x, op);
  else
    load_pointers(x, op);
}

/* ---- stores --------------------------------------------------------------------------------- */

/* Where a tile lies when it is stored: registers keep their order, which a store doesn't mind. */
static simt_dist stored_dist(emission *x, const ir_op *op, const ir_value *v) {
  simt_dist d = simt_store_dist(x->p, op, v);
  const simt_value *planned = simt_value_of(x->p, v);
  return planned->home == SIMT_HELD && simt_is_near(&planned->dist, &d) ? planned->dist : d;
}

static void scatter(emission *x, ir_op *op) {
  uint32_t n;
  const ir_value *v = ir_operand_in(op, 0);
  const ir_type *token = ir_token(x->m);
  simt_dist d = is_weak(op) ? stored_dist(x, op, v) : emission_dist(x, v);
  ir_value *now = emission_get(x, v, &d);
  block_pointers p = emission_pointers(x, ir_operand_in(op, 1), ir_operand_group(op, 2, &n), &d);
  emission_before_store(x);
  ir_op *made = emission_put(x, &(ir_op_spec){.opcode = OP_store_ptr_tko,
                                              .loc = x->loc,
                                              .n_operands = 2 + (p.inside != NULL),
                                              .operands = (ir_value *[]){p.at, now, p.inside},
                                              .segments = (uint32_t[]){1, 1, p.inside != NULL, 0},
                                              .n_results = 1,
                                              .result_types = &token});
  rewrite_copy_attrs(made, op);
}

static void store_view(emission *x, ir_op *op) {
  uint32_t n;
  block_window w;
  const ir_value *v = ir_operand_in(op, 0);
  if (needs_pointers(op, ir_operand_in(op, 1))) {
    scatter(x, op);
    return;
  }
  if (x->form && x->form->store(x, op)) return;
  emission_open_window(x, ir_operand_in(op, 1), ir_operand_group(op, 2, &n), &w);
  simt_dist d = stored_dist(x, op, v);
  ir_value *now = emission_get(x, v, &d), *operands[2 + IR_MAX_RANK];
  if (w.turned) {
    int64_t order[IR_MAX_RANK];
    simt_map m = emission_window_map(&w, v->type);
    for (unsigned k = 0; k < w.rank; k++) order[w.order[k]] = k;
    d = simt_dist_back(&d, &m);
    now = permuted(x, now, emission_type(x, w.tile, &d), order, w.rank);
  }
  operands[0] = now;
  operands[1] = w.view;
  memcpy(operands + 2, w.offsets, w.rank * sizeof *operands);
  emission_before_store(x);
  put_access(x, OP_store_global, 2 + w.rank, operands, (uint32_t[]){1, 1, w.rank, 0}, NULL);
}

static void store_pointers(emission *x, ir_op *op) {
  const ir_value *v = ir_operand_in(op, 1);
  simt_dist d = is_weak(op) ? stored_dist(x, op, v) : emission_dist(x, v);
  ir_op *made = emission_clone(x, op, &d, NULL);
  emission_before_store(x);
  ir_op_unlink(made);
  ir_op_append(x->at, made);
}

void emission_store(emission *x, ir_op *op) {
  if (op->opcode == OP_store_view_tko)
    store_view(x, op);
  else
    store_pointers(x, op);
}

/* ---- atomics -------------------------------------------------------------------------------- */

/* A tile of a view is combined through pointers, and nobody has the result. */
static void combine(emission *x, ir_op *op) {
  uint32_t n;
  const ir_value *v = ir_operand_in(op, 2);
  simt_dist d = emission_dist(x, v);
  ir_value *now = emission_get(x, v, &d);
  block_pointers p = emission_pointers(x, ir_operand_in(op, 0), ir_operand_group(op, 1, &n), &d);
  const ir_type *types[] = {now->type, ir_token(x->m)};
  emission_before_store(x);
  ir_op *made = emission_put(x, &(ir_op_spec){.opcode = OP_atomic_rmw_tko,
                                              .loc = x->loc,
                                              .n_operands = 2 + (p.inside != NULL),
                                              .operands = (ir_value *[]){p.at, now, p.inside},
                                              .segments = (uint32_t[]){1, 1, p.inside != NULL, 0},
                                              .n_results = 2,
                                              .result_types = types});
  rewrite_copy_attrs(made, op);
}

/* Through pointers, where their result is to lie. */
void emission_atomic(emission *x, ir_op *op) {
  if (op->opcode == OP_atomic_red_view_tko) {
    combine(x, op);
    return;
  }
  simt_dist d = emission_dist(x, ir_result(op, 0));
  ir_op *made = emission_clone(x, op, &d, &d);
  emission_before_store(x);
  x->now.loaded = true;
  ir_op_unlink(made); /* behind the barrier */
  ir_op_append(x->at, made);
  emission_set(x, ir_result(op, 0), ir_result(made, 0));
}

/* Memory of the tile block, which its threads clear. */
void emission_alloca(emission *x, ir_op *op) {
  emission_before_store(x);
  ir_op *made = emission_clone(x, op, NULL, NULL);
  emission_set(x, ir_result(op, 0), ir_result(made, 0));
}
