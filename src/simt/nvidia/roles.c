/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/roles.h"

#include "ir/block/layouts.h"
#include "simt/nvidia/bulk_store.h"
#include "simt/nvidia/cluster.h"

/* The stage of a ring that comes next, and the parity of how often all have been gone through. */
typedef struct ring_turn {
  ir_value *stage, *phase;
} ring_turn;

/* A loop of the plan. Loops of one ring share storage and barriers. */
typedef struct ring_loop {
  ir_value **storage;       /* by load: all stages */
  ir_value **full, **empty; /* by product */
  ir_value **there;         /* by product, then by peer: `empty` of the others */
  ir_value *early;          /* the sum of this iteration's early product (simt/nvidia/overlap.h) */
  ir_value *flying;         /* that of the next one */
  ring_turn next;           /* with these, of the next iteration */
  ring_turn at;             /* of the iteration that is being made */
} ring_loop;

/* emission.own */
typedef struct roles {
  const simt_bulk *bulk;
  ir_value **map;   /* by tensor map */
  ring_loop *loops; /* by loop */
  ring_turn *next;  /* by loop that begins a ring: as far as the role that is being made has come */
  ir_value *rank;   /* of the tile block in its cluster; NULL: there are none */
  uint32_t peers;   /* bit o: it shares loads with the tile block of rank ^ o */
  uint32_t room;    /* bytes of shared memory beside the stages, for tiles that are stored */
  bool multiplies;  /* the role that is being made */
  ir_op *roles;
  ir_block *around; /* the entry's body */
} roles;

/* ---- making operations ---------------------------------------------------------------------- */

static ir_value *number_i32(emission *x, int64_t n) {
  return emission_number(x, ir_scalar(x->m, TSR_I32), n);
}

/* An operation on one of several barriers; `parity` may be NULL. */
static ir_op *at_barrier(emission *x, op_code opcode, ir_value *barrier, ir_value *index,
                         ir_value *parity) {
  return emission_put(x, &(ir_op_spec){.opcode = opcode,
                                       .loc = x->loc,
                                       .n_operands = 2 + (parity != NULL),
                                       .operands = (ir_value *[]){barrier, index, parity},
                                       .segments = (uint32_t[]){1, 1, 1}});
}

static ir_op *put_region(emission *x, op_code opcode) {
  return emission_put(x, &(ir_op_spec){.opcode = opcode, .loc = x->loc, .n_regions = 1});
}

static ir_op *put_role(emission *x, const char *name, uint32_t first, uint32_t end,
                       unsigned registers) {
  ir_op *op = put_region(x, OP_role);
  ir_set_attr(op, ATTR_sym_name, (ir_attr){.s = str_of(name)});
  ir_set_int(op, ATTR_first, first);
  ir_set_int(op, ATTR_end, end);
  ir_set_int(op, ATTR_registers, registers);
  return op;
}

/* ---- in front of the roles ------------------------------------------------------------------ */

static bool is_shared_by_roles(const ir_op *op) {
  if (!ir_only_computes(op) || op->n_regions || ir_is_terminator(op)) return false;
  for (uint32_t i = 0; i < op->n_results; i++) {
    const ir_type *t = ir_result(op, i)->type;
    if (t->kind == IR_TOKEN || (t->kind == IR_TILE && t->rank)) return false;
  }
  return true;
}

static void put_in_front(emission *x, ir_op *op) {
  emission_op(x, op);
  *map_put(x->arena, &x->in_front, (uintptr_t)op) = 1;
}

/* Scalars and views of the entry's body that are computed from its arguments. */
static void compute_in_front(emission *x, ir_op *entry) {
  for (ir_op *op = ir_region(entry, 0)->first; op; op = op->next) {
    bool known = is_shared_by_roles(op);
    for (uint32_t i = 0; i < op->n_operands && known; i++)
      known = emission_only(x, ir_operand(op, i)) != NULL;
    if (known) put_in_front(x, op);
  }
}

/* Of a view that the launcher computes, wherever it stands. */
static void bring_in_front(emission *x, const ir_value *v) {
  if (emission_only(x, v)) return;
  ir_op *op = ir_defining_op(v);
  for (uint32_t i = 0; i < op->n_operands; i++) bring_in_front(x, ir_operand(op, i));
  put_in_front(x, op);
}

/* ---- tensor maps ---------------------------------------------------------------------------- */

/* The map's dimensions from the last on are these of the view. */
static bool find_order(const simt_tensor_map *m, int64_t order[SIMT_MAP_RANK]) {
  bool same = true;
  for (unsigned i = 0; i < m->rank; i++) {
    order[i] = m->dim[m->rank - 1 - i];
    same &= order[i] == i;
  }
  return same;
}

/* Of sizes or strides, in another order; *n counts the operands. */
static void reorder(const ir_op *made, unsigned group, const int64_t *from, const int64_t *order,
                    unsigned rank, int64_t *numbers, emission *x, ir_value **operands,
                    uint32_t *n) {
  uint32_t count;
  const ir_use *dynamic = ir_operand_group(made, group, &count);
  for (unsigned i = 0; i < rank; i++) {
    numbers[i] = from[order[i]];
    if (numbers[i] != IR_DYNAMIC) continue;
    uint32_t at = 0;
    for (int64_t d = 0; d < order[i]; d++) at += from[d] == IR_DYNAMIC;
    operands[(*n)++] = emission_only(x, dynamic[at].value);
  }
}

/* The same memory with its dimensions in the map's order, whose last one is contiguous. */
static ir_value *view_of_map(emission *x, const simt_tensor_map *m) {
  const ir_op *made = m->view;
  const ir_type *t = ir_result(made, 0)->type;
  int64_t order[SIMT_MAP_RANK], shape[SIMT_MAP_RANK], strides[SIMT_MAP_RANK];
  bring_in_front(x, ir_result(made, 0));
  if (find_order(m, order)) return emission_only(x, ir_result(made, 0));
  ir_value *operands[1 + 2 * SIMT_MAP_RANK] = {emission_only(x, ir_operand_in(made, 0))};
  uint32_t n = 1, sizes;
  reorder(made, 1, t->shape, order, m->rank, shape, x, operands, &n);
  sizes = n - 1;
  reorder(made, 2, t->strides, order, m->rank, strides, x, operands, &n);
  const ir_type *view = ir_tensor_view(x->m, (tsr_elem)t->elem, m->rank, shape, strides);
  view = ir_with_ptr_attr(x->m, view, t->ptr_attr);
  return ir_result(emission_put(x, &(ir_op_spec){.opcode = OP_make_tensor_view,
                                                 .loc = made->loc,
                                                 .n_operands = n,
                                                 .operands = operands,
                                                 .segments = (uint32_t[]){1, sizes, n - 1 - sizes},
                                                 .n_results = 1,
                                                 .result_types = &view}),
                   0);
}

static const ir_type *type_of_map(emission *x, const simt_tensor_map *m) {
  tsr_memory_layout plain = {.rank = m->rank, .modes = m->rank}, box;
  int64_t stride = 1;
  for (unsigned i = m->rank; i-- > 0; stride *= plain.size[i]) {
    plain.dim_modes[i] = 1;
    plain.size[i] = m->box[m->rank - 1 - i];
    plain.stride[i] = stride;
  }
  int32_t bits = (int32_t)tsr_elem_bits((tsr_elem)m->elem);
  if (!m->swizzle || tsr_memory_tma_swizzled(&box, &plain, m->swizzle, bits, NULL) != TSR_OK)
    box = plain;
  return ir_tensor_map(x->m, (tsr_elem)m->elem, &box);
}

static void describe(emission *x, roles *r) {
  r->map = arena_array(x->arena, ir_value *, MAX(r->bulk->n_maps, 1));
  for (uint32_t i = 0; i < r->bulk->n_maps; i++) {
    const simt_tensor_map *m = &r->bulk->maps[i];
    ir_value *view = view_of_map(x, m);
    r->map[i] = emission_make(x, OP_make_tensor_map, type_of_map(x, m), 1, &view);
  }
}

/* ---- clusters ------------------------------------------------------------------------------- */

/* Sizes of clusters are powers of two: these bits of the rank are its coordinates in `dims`. */
static uint32_t rank_bits(const simt_bulk *b, unsigned dims) {
  uint32_t bits = 0;
  for (unsigned d = 0; d < 3; d++)
    if (dims >> d & 1) bits |= (b->cluster[d] - 1u) * simt_cluster_stride(b, d);
  return bits;
}

/* The ranks of the tile blocks that a load goes to, as bits. */
static ir_value *targets_of(emission *x, const simt_shared_load *shared) {
  const roles *r = x->own;
  uint32_t all = simt_cluster_blocks(r->bulk) - 1, own = all & ~rank_bits(r->bulk, shared->dims);
  ir_value *pattern = number_i32(x, simt_cluster_pattern(r->bulk, shared->dims));
  if (!own) return pattern;
  return emission_make_two(x, OP_shli, pattern,
                           emission_make_two(x, OP_andi, r->rank, number_i32(x, own)));
}

/* The number of this tile block's slice of a load. */
static ir_value *slice_of(emission *x, const simt_shared_load *shared) {
  const roles *r = x->own;
  uint32_t stride = 1;
  ir_value *sum = NULL;
  for (unsigned d = 0; d < 3; d++) {
    if (!(shared->dims >> d & 1) || r->bulk->cluster[d] == 1) continue;
    uint32_t step = simt_cluster_stride(r->bulk, d);
    ir_value *at = r->rank;
    if (step > 1) {
      at = emission_make_two(x, OP_shri, at, number_i32(x, simt_log2(step)));
      ir_set_int(at->owner.op, ATTR_signedness, SIGN_UNSIGNED);
    }
    if (step * r->bulk->cluster[d] < simt_cluster_blocks(r->bulk))
      at = emission_make_two(x, OP_andi, at, number_i32(x, r->bulk->cluster[d] - 1));
    if (stride > 1) at = emission_make_two(x, OP_muli, at, number_i32(x, stride));
    sum = sum ? emission_make_two(x, OP_addi, sum, at) : at;
    stride *= r->bulk->cluster[d];
  }
  return sum;
}

/* The barriers of those that copy to this tile block, too. */
static ir_value **find_there(emission *x, const roles *r, const simt_bulk_loop *l,
                             const ring_loop *q) {
  uint32_t blocks = simt_cluster_blocks(r->bulk);
  ir_value **there = arena_array(x->arena, ir_value *, l->n_products * blocks);
  for (uint32_t k = 0; k < simt_empty_barriers(l); k++)
    for (uint32_t o = 1; o < blocks; o++) {
      if (!(r->peers >> o & 1)) continue;
      const ir_type *t = ir_remote(x->m, q->empty[k]->type, true);
      ir_value *rank = emission_make_two(x, OP_xori, r->rank, number_i32(x, o));
      there[k * blocks + o] = emission_named(
          emission_make(x, OP_map_remote, t, 2, (ir_value *[]){q->empty[k], rank}), "empty_there");
    }
  return there;
}

static void join_cluster(emission *x, roles *r, ir_op *made) {
  const simt_bulk *b = r->bulk;
  if (simt_cluster_blocks(b) == 1) return;
  ir_ints *sizes =
      arena_alloc(&x->m->arena, sizeof *sizes + 3 * sizeof *sizes->data, _Alignof(ir_ints));
  sizes->len = b->cluster[2] > 1 ? 3 : b->cluster[1] > 1 ? 2 : 1;
  for (unsigned d = 0; d < sizes->len; d++) sizes->data[d] = b->cluster[d];
  ir_set_attr(made, ATTR_cluster, (ir_attr){.ints = sizes});
  r->rank = emission_make(x, OP_get_cluster_rank, ir_scalar(x->m, TSR_I32), 0, NULL);
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->loops[i].pipeline->n_loads; k++)
      r->peers |= simt_cluster_pattern(b, b->loops[i].shared[k].dims);
}

/* All threads of the tile block, and of those that it works with. */
static void meet(emission *x, const roles *r) {
  if (r->rank)
    emission_put(x, &(ir_op_spec){.opcode = OP_cluster_barrier, .loc = x->loc});
  else
    emission_barrier(x);
}

/* ---- stages and barriers -------------------------------------------------------------------- */

static ir_value *all_stages(emission *x, const simt_staged *s, unsigned stages) {
  block_window w;
  simt_map m = emission_operand_map(x, s, &w);
  const ir_type *t = emission_stage_type(x, w.tile, &s->layout, &m, stages);
  return emission_named(emission_make(x, OP_alloc_shared, t, 0, NULL),
                        emission_stage_name(x, s->load, "stages"));
}

static ir_value *barriers(emission *x, const char *name, unsigned n) {
  return emission_named(emission_make(x, OP_alloc_mbarrier, ir_mbarrier(x->m, n), 0, NULL), name);
}

static void allocate_ring(emission *x, const simt_bulk_loop *l, ring_loop *q) {
  const simt_pipeline *p = l->pipeline;
  q->storage = arena_array(x->arena, ir_value *, p->n_loads);
  q->full = arena_array(x->arena, ir_value *, l->n_products);
  q->empty = arena_array(x->arena, ir_value *, l->n_products);
  for (uint32_t i = 0; i < p->n_loads; i++) q->storage[i] = all_stages(x, &p->loads[i], p->stages);
  for (uint32_t i = 0; i < l->n_products; i++) q->full[i] = barriers(x, "full", p->stages);
  for (uint32_t i = 0; i < l->n_products; i++)
    q->empty[i] = i < simt_empty_barriers(l) ? barriers(x, "empty", p->stages) : q->empty[0];
}

static void allocate(emission *x, roles *r) {
  r->loops = arena_array(x->arena, ring_loop, r->bulk->n_loops);
  r->next = arena_array(x->arena, ring_turn, r->bulk->n_loops);
  for (uint32_t i = 0; i < r->bulk->n_loops; i++) {
    const simt_bulk_loop *l = &r->bulk->loops[i];
    if (!simt_begins_ring(r->bulk, i)) {
      r->loops[i] = r->loops[l->ring];
      continue;
    }
    allocate_ring(x, l, &r->loops[i]);
    r->loops[i].there = r->rank ? find_there(x, r, l, &r->loops[i]) : NULL;
  }
}

static void init_barrier(emission *x, ir_value *barrier, uint32_t count) {
  ir_op *op = emission_put(x, &(ir_op_spec){.opcode = OP_mbarrier_init,
                                            .loc = x->loc,
                                            .n_operands = 1,
                                            .operands = &barrier,
                                            .segments = (uint32_t[]){1, 0}});
  ir_set_int(op, ATTR_count, count);
}

static void init_barriers(emission *x, const roles *r) {
  ir_block *outer = emission_open(x, put_region(x, OP_elect), 0, 0, NULL);
  for (uint32_t i = 0; i < r->bulk->n_loops; i++) {
    const simt_bulk_loop *l = &r->bulk->loops[i];
    if (!simt_begins_ring(r->bulk, i)) continue;
    for (uint32_t k = 0; k < l->n_products; k++) init_barrier(x, r->loops[i].full[k], 1);
    for (uint32_t k = 0; k < simt_empty_barriers(l); k++)
      init_barrier(x, r->loops[i].empty[k], simt_cluster_peers(r->bulk) << x->p->warps);
  }
  emission_put(x, &(ir_op_spec){.opcode = OP_fence_async, .loc = x->loc});
  emission_end(x, OP_yield, outer);
  meet(x, r);
}

/* ---- rings ---------------------------------------------------------------------------------- */

static uint32_t loop_number(const roles *r, const simt_bulk_loop *l) {
  return (uint32_t)(l - r->bulk->loops);
}

/* Each role begins with the first stage. */
static void begin_rings(emission *x, roles *r) {
  for (uint32_t i = 0; i < r->bulk->n_loops; i++)
    if (simt_begins_ring(r->bulk, i)) r->next[i] = (ring_turn){number_i32(x, 0), number_i32(x, 0)};
}

/* Whether the loop, or one in it, goes on along a ring. */
static bool uses_ring(const simt_bulk *b, uint32_t ring, const ir_op *loop) {
  for (uint32_t i = 0; i < b->n_loops; i++) {
    const ir_op *of = b->loops[i].pipeline->loop;
    if (b->loops[i].ring == ring && (of == loop || is_inside(of, ir_region(loop, 0)))) return true;
  }
  return false;
}

/* The role that is being made multiplies. */
static bool multiplies(const emission *x) {
  return ((const roles *)x->own)->multiplies;
}

/* Of a loop with a product that is begun an iteration early, which has to know whether there is a
 * next one; NULL: it has none. */
static const simt_bulk_loop *early_loop(const emission *x, const ir_op *loop) {
  const simt_bulk_loop *l = multiplies(x) ? simt_bulk_loop_of(x->p, loop) : NULL;
  int64_t step;
  bool known = l && fact_is_number(facts_of(x->p->facts, ir_operand(loop, 2)), &step) && step > 0;
  return known && l->early ? l : NULL;
}

static uint32_t carried(const emission *x, const ir_op *loop, ir_value **out) {
  const roles *r = x->own;
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->bulk->n_loops; i++) {
    if (!simt_begins_ring(r->bulk, i) || !uses_ring(r->bulk, i, loop)) continue;
    if (out) out[n] = r->next[i].stage, out[n + 1] = r->next[i].phase;
    n += 2;
  }
  const simt_bulk_loop *l = early_loop(x, loop);
  if (l && out) out[n] = r->loops[loop_number(r, l)].early;
  return n + (l != NULL);
}

static void take(emission *x, const ir_op *loop, ir_value *values) {
  roles *r = x->own;
  for (uint32_t i = 0; i < r->bulk->n_loops; i++) {
    if (!simt_begins_ring(r->bulk, i) || !uses_ring(r->bulk, i, loop)) continue;
    r->next[i] = (ring_turn){emission_named(values, "stage"), emission_named(values + 1, "phase")};
    values += 2;
  }
  const simt_bulk_loop *l = early_loop(x, loop);
  if (l) r->loops[loop_number(r, l)].early = values;
}

/* Behind the last stage the phase turns. */
static ring_turn turn_after(emission *x, const ring_turn *t, unsigned stages) {
  ring_turn next = {.stage = emission_next_stage(x, t->stage, stages)};
  ir_value *again = emission_compare(x, CMP_EQUAL, SIGN_UNSIGNED, next.stage, number_i32(x, 0));
  ir_value *turned = emission_make_two(x, OP_xori, t->phase, number_i32(x, 1));
  next.phase =
      emission_make(x, OP_select, t->phase->type, 3, (ir_value *[]){again, turned, t->phase});
  return next;
}

/* ---- the producer --------------------------------------------------------------------------- */

static uint32_t tile_bytes(const simt_staged *s) {
  return UINT32_C(1) << (s->layout.n + s->layout.elem_bytes);
}

/* What is copied of a load in an iteration. */
typedef struct copied {
  ir_value *at[SIMT_MAP_RANK]; /* where it begins, in the dimensions of the map's view */
  ir_value *dest;
  ir_value *multicast; /* NULL: it is for this tile block alone */
} copied;

/* This tile block's slice of a load that its cluster shares: panels, or a part of each. */
static void take_slice(emission *x, const simt_bulk_loop *l, uint32_t load, copied *c) {
  const roles *r = x->own;
  const simt_shared_load *shared = &l->shared[load];
  const simt_tensor_map *m = &r->bulk->maps[l->map[load]];
  unsigned d = m->rank - 1u - shared->cut;
  const ir_type *whole = c->dest->type;
  int64_t shape[SIMT_MAP_RANK];
  tsr_memory_layout part;
  memcpy(shape, whole->shape, m->rank * sizeof *shape);
  shape[d] /= simt_cluster_group(r->bulk, shared->dims);
  if (!ir_memory_part(whole->memory, m->rank, shape, &part)) return;
  ir_value *step = emission_make_two(x, OP_muli, slice_of(x, shared), number_i32(x, shape[d]));
  ir_value *operands[1 + SIMT_MAP_RANK] = {c->dest};
  for (unsigned k = 0; k < d; k++) operands[1 + k] = number_i32(x, 0);
  operands[1 + d] = step;
  const ir_type *t = ir_shared(x->m, (tsr_elem)whole->elem, &part);
  c->dest = emission_named(emission_make(x, OP_subview, t, 2 + d, operands), "slice");
  c->at[d] = emission_make_two(x, OP_addi, c->at[d], step);
  c->multicast = targets_of(x, shared);
}

static void copy_tile(emission *x, const simt_bulk_loop *l, uint32_t load, ir_value *full) {
  const roles *r = x->own;
  const ring_loop *q = &r->loops[loop_number(r, l)];
  const simt_staged *s = &l->pipeline->loads[load];
  const simt_tensor_map *m = &r->bulk->maps[l->map[load]];
  uint32_t n;
  int64_t order[SIMT_MAP_RANK];
  copied c = {.multicast = NULL};
  ir_value *at[IR_MAX_RANK], *operands[5 + SIMT_MAP_RANK] = {r->map[l->map[load]]};
  find_order(m, order);
  emission_coordinates(x, ir_operand_in(s->load, 0), ir_operand_group(s->load, 1, &n),
                       SIMT_MAP_OUTSIDE, at);
  for (unsigned i = 0; i < m->rank; i++) c.at[i] = at[order[i]];
  ir_value *stage =
      emission_stage(x, q->storage[load], q->at.stage, emission_stage_name(x, s->load, "stage"));
  c.dest = emission_permuted_view(x, stage, order);
  if (l->shared[load].dims) take_slice(x, l, load, &c);
  memcpy(operands + 1, c.at, m->rank * sizeof *operands);
  operands[1 + m->rank] = c.dest;
  operands[2 + m->rank] = full;
  operands[3 + m->rank] = q->at.stage;
  operands[4 + m->rank] = c.multicast;
  emission_put(x,
               &(ir_op_spec){.opcode = OP_tensor_load,
                             .loc = s->load->loc,
                             .n_operands = 4u + m->rank + (c.multicast != NULL),
                             .operands = operands,
                             .segments = (uint32_t[]){1, m->rank, 1, 1, 1, c.multicast != NULL}});
}

/* The operands of a product, which its `full` waits for. */
static void copy_for(emission *x, const simt_bulk_loop *l, uint32_t product) {
  const roles *r = x->own;
  const ring_loop *q = &r->loops[loop_number(r, l)];
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < l->pipeline->n_loads; i++)
    if (l->group[i] == product) bytes += tile_bytes(&l->pipeline->loads[i]);
  ir_op *op = at_barrier(x, OP_mbarrier_arrive_expect, q->full[product], q->at.stage, NULL);
  ir_set_int(op, ATTR_bytes, bytes);
  for (uint32_t i = 0; i < l->pipeline->n_loads; i++)
    if (l->group[i] == product) copy_tile(x, l, i, q->full[product]);
}

static void begin_turn(roles *r, const simt_bulk_loop *l) {
  r->loops[loop_number(r, l)].at = r->next[l->ring];
}

static void end_turn(emission *x, roles *r, const simt_bulk_loop *l) {
  const ring_loop *q = &r->loops[loop_number(r, l)];
  r->next[l->ring] = turn_after(x, &q->at, l->pipeline->stages);
}

/* At first all stages are empty: the phase before the first counts as over. */
static void produce_iteration(emission *x, const simt_bulk_loop *l) {
  roles *r = x->own;
  begin_turn(r, l);
  const ring_loop *q = &r->loops[loop_number(r, l)];
  ir_value *before = emission_make_two(x, OP_xori, q->at.phase, number_i32(x, 1));
  for (uint32_t k = 0; k < l->n_products; k++) {
    if (k < simt_empty_barriers(l))
      at_barrier(x, OP_mbarrier_wait, q->empty[k], q->at.stage, before);
    copy_for(x, l, k);
  }
  end_turn(x, r, l);
}

static void produce_block(emission *x, ir_block *from);

static void produce_for(emission *x, ir_op *op) {
  const simt_bulk_loop *l = simt_bulk_loop_of(x->p, op);
  uint32_t n = carried(x, op, NULL);
  ir_value **operands = arena_array(x->arena, ir_value *, 3 + n);
  const ir_type **types = arena_array(x->arena, const ir_type *, 1 + n);
  for (uint32_t i = 0; i < 3; i++) operands[i] = emission_only(x, ir_operand(op, i));
  carried(x, op, operands + 3);
  types[0] = operands[0]->type;
  for (uint32_t i = 0; i < n; i++) types[1 + i] = operands[3 + i]->type;
  ir_op *loop = emission_put(x, &(ir_op_spec){.opcode = OP_for,
                                              .loc = op->loc,
                                              .n_operands = 3 + n,
                                              .operands = operands,
                                              .segments = (uint32_t[]){1, 1, 1, n},
                                              .n_results = n,
                                              .result_types = types + 1,
                                              .n_regions = 1});
  rewrite_copy_attrs(loop, op);
  ir_block *outer = emission_open(x, loop, 0, 1 + n, types);
  uint32_t mark = x->made.len;
  emission_set(x, &ir_region(op, 0)->args[0], &x->at->args[0]);
  take(x, op, x->at->args + 1);
  produce_block(x, ir_region(op, 0));
  if (l) produce_iteration(x, l);
  carried(x, op, operands);
  emission_put(
      x,
      &(ir_op_spec){.opcode = OP_continue, .loc = op->loc, .n_operands = n, .operands = operands});
  emission_forget(x, mark);
  x->at = outer;
  take(x, op, loop->results);
}

static bool is_scalar_work(const ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (ir_result(op, i)->type->kind == IR_TILE && ir_result(op, i)->type->rank) return false;
  return true;
}

static void produce_block(emission *x, ir_block *from) {
  for (ir_op *op = from->first; op && !x->failed; op = op->next) {
    if (!map_ptr(&simt_bulk_of(x->p)->needed, op)) continue;
    if (op->opcode == OP_for)
      produce_for(x, op);
    else if (is_scalar_work(op))
      emission_op(x, op);
    else
      emission_refuse(x, op, "the role that loads would compute it, which is one thread");
  }
}

static void make_producer(emission *x, ir_op *entry, const roles *r) {
  uint32_t consumers = 32u << x->p->warps;
  ir_op *role = put_role(x, "load", consumers, consumers + SIMT_PRODUCER_THREADS,
                         r->bulk->producer_registers);
  ir_block *outer = emission_open(x, role, 0, 0, NULL);
  ir_block *group = emission_open(x, put_region(x, OP_elect), 0, 0, NULL);
  begin_rings(x, x->own);
  produce_block(x, ir_region(entry, 0));
  emission_end(x, OP_yield, group);
  emission_end(x, OP_yield, outer);
}

/* ---- the program ---------------------------------------------------------------------------- */

static uint32_t threads(const emission *x) {
  return (32u << x->p->warps) + SIMT_PRODUCER_THREADS;
}

static void begin(emission *x, ir_op *entry) {
  roles *r = arena_new(x->arena, roles);
  *r = (roles){.bulk = simt_bulk_of(x->p)};
  r->room = x->p->target.gpu->shared_bytes - r->bulk->bytes - r->bulk->scratch;
  x->own = r;
  compute_in_front(x, entry);
  join_cluster(x, r, x->at->parent);
  describe(x, r);
  allocate(x, r);
  init_barriers(x, r);
  r->roles = put_region(x, OP_roles);
  r->around = emission_open(x, r->roles, 0, 0, NULL);
  make_producer(x, entry, r);
  ir_op *role = put_role(x, "multiply", 0, 32u << x->p->warps, r->bulk->consumer_registers);
  emission_open(x, role, 0, 0, NULL);
  begin_rings(x, r);
  r->multiplies = true;
  x->now = (block_hazards){0};
}

static void end(emission *x) {
  const roles *r = x->own;
  emission_end(x, OP_yield, ir_region(r->roles, 0));
  emission_end(x, OP_yield, r->around);
  /* Others still arrive at this one's barriers. */
  if (r->rank) meet(x, r);
}

static void enter(emission *x, const ir_op *loop) {
  roles *r = x->own;
  const simt_bulk_loop *l = simt_bulk_loop_of(x->p, loop);
  if (!l) return;
  begin_turn(r, l);
  const ring_loop *q = &r->loops[loop_number(r, l)];
  for (uint32_t i = 0; i < l->pipeline->n_loads; i++) {
    const ir_op *load = l->pipeline->loads[i].load;
    ir_value *slot =
        emission_stage(x, q->storage[i], q->at.stage, emission_stage_name(x, load, "stage"));
    *map_put(x->arena, &x->staged, (uintptr_t)load) = (uintptr_t)slot;
  }
}

/* ---- stores --------------------------------------------------------------------------------- */

/* A tile as a grid of the map's boxes, one behind the other along the contiguous dimension; its
 * dimensions are in the map's order. */
static const ir_type *type_of_panels(emission *x, const simt_bulk_store *s) {
  const simt_tensor_map *m = &simt_bulk_of(x->p)->maps[s->map];
  const ir_type *box = type_of_map(x, m);
  const ir_type *tiles = ir_operand_in(s->op, 1)->type;
  tsr_memory_layout l = *box->memory;
  unsigned last = m->rank - 1u;
  int64_t columns = 0;
  for (unsigned d = 0; d < m->rank; d++)
    if ((tiles->dim_map ? (unsigned)tiles->dim_map[d] : d) == m->dim[0]) columns = tiles->shape[d];
  if (columns == m->box[0]) return ir_shared(x->m, (tsr_elem)m->elem, &l);
  l.size[l.modes] = l.size[l.modes - 1];
  l.stride[l.modes] = 1;
  l.size[l.modes - 1] = (int32_t)(columns / m->box[0]);
  l.stride[l.modes - 1] = s->box.panel_bytes >> s->box.elem_bytes;
  l.dim_modes[last] = 2;
  l.modes++;
  return ir_shared(x->m, (tsr_elem)m->elem, &l);
}

static void store_boxes(emission *x, const simt_bulk_store *s, ir_value *storage) {
  const roles *r = x->own;
  const simt_tensor_map *m = &r->bulk->maps[s->map];
  uint32_t n;
  int64_t order[SIMT_MAP_RANK];
  ir_value *at[IR_MAX_RANK], *operands[2 + SIMT_MAP_RANK] = {storage, r->map[s->map]};
  find_order(m, order);
  emission_coordinates(x, ir_operand_in(s->op, 1),
                       ir_operand_group((ir_op *)(uintptr_t)s->op, 2, &n), SIMT_MAP_OUTSIDE, at);
  for (unsigned i = 0; i < m->rank; i++) operands[2 + i] = at[order[i]];
  emission_put(x, &(ir_op_spec){.opcode = OP_tensor_store,
                                .loc = s->op->loc,
                                .n_operands = 2u + m->rank,
                                .operands = operands,
                                .segments = (uint32_t[]){1, 1, m->rank}});
  emission_put(x, &(ir_op_spec){.opcode = OP_bulk_commit, .loc = x->loc});
  ir_op *wait = emission_put(x, &(ir_op_spec){.opcode = OP_bulk_wait, .loc = x->loc});
  ir_set_int(wait, ATTR_pending, 0);
}

/* All threads write the tile to shared memory, one has the engine copy it. */
static bool store(emission *x, ir_op *op) {
  const roles *r = x->own;
  const simt_bulk_store *s = simt_bulk_store_of(x->p, op);
  const ir_value *v = ir_operand_in(op, 0);
  block_window w;
  int64_t order[SIMT_MAP_RANK], of_tile[SIMT_MAP_RANK];
  if (!s || (uint64_t)v->type->count << s->box.elem_bytes > r->room) return false;
  const simt_tensor_map *m = &r->bulk->maps[s->map];
  find_order(m, order);
  emission_order_window(x, ir_operand_in(op, 1)->type, &w);
  for (unsigned d = 0; d < m->rank; d++)
    for (unsigned k = 0; k < m->rank; k++)
      if (order[k] == w.order[d]) of_tile[d] = k;
  ir_value *now = emission_home(x, v, NULL);
  ir_value *storage = emission_make(x, OP_alloc_shared, type_of_panels(x, s), 0, NULL);
  emission_store_shared(x, now, emission_permuted_view(x, storage, of_tile));
  emission_put(x, &(ir_op_spec){.opcode = OP_fence_async, .loc = x->loc});
  emission_barrier(x);
  ir_block *outer = emission_open(x, put_region(x, OP_elect), 0, 0, NULL);
  store_boxes(x, s, storage);
  emission_end(x, OP_yield, outer);
  emission_barrier(x);
  emission_free_shared(x, storage);
  return true;
}

/* ---- products ------------------------------------------------------------------------------- */

/* The loop whose stages a product reads, and its number there; NULL: it reads none. */
static const simt_bulk_loop *find_product(const roles *r, const ir_op *product, uint32_t *number) {
  for (uint32_t i = 0; i < r->bulk->n_loops; i++)
    for (*number = 0; *number < r->bulk->loops[i].n_products; ++*number)
      if (r->bulk->loops[i].products[*number] == product) return &r->bulk->loops[i];
  return NULL;
}

static void ready(emission *x, const ir_op *product) {
  const roles *r = x->own;
  uint32_t number;
  const simt_bulk_loop *l = find_product(r, product, &number);
  if (!l) return;
  const ring_loop *q = &r->loops[loop_number(r, l)];
  at_barrier(x, OP_mbarrier_wait, q->full[number], q->at.stage, q->at.phase);
}

static void arrive(emission *x, ir_value *barrier, ir_value *stage) {
  ir_set_int(at_barrier(x, OP_mbarrier_arrive, barrier, stage, NULL), ATTR_each, EACH_WARP);
}

static void done(emission *x, const ir_op *product) {
  const roles *r = x->own;
  uint32_t number;
  const simt_bulk_loop *l = find_product(r, product, &number);
  if (!l || (!l->apart && number != l->n_products - 1)) return;
  if (!l->apart) number = 0;
  const ring_loop *q = &r->loops[loop_number(r, l)];
  arrive(x, q->empty[number], q->at.stage);
  for (uint32_t o = 1; r->rank && o < simt_cluster_blocks(r->bulk); o++)
    if (r->peers >> o & 1)
      arrive(x, q->there[number * simt_cluster_blocks(r->bulk) + o], q->at.stage);
}

/* ---- products that are begun an iteration early ------------------------------------------------
 */

static ir_value *begin_at(emission *x, const simt_bulk_loop *l, uint32_t number, const ring_turn *t,
                          ir_value *acc) {
  const roles *r = x->own;
  const ring_loop *q = &r->loops[loop_number(r, l)];
  uintptr_t *before = arena_array(x->arena, uintptr_t, l->pipeline->n_loads);
  at_barrier(x, OP_mbarrier_wait, q->full[number], t->stage, t->phase);
  for (uint32_t i = 0; i < l->pipeline->n_loads; i++) {
    const ir_op *load = l->pipeline->loads[i].load;
    uintptr_t *slot = map_put(x->arena, &x->staged, (uintptr_t)load);
    before[i] = *slot;
    if (l->group[i] == number)
      *slot = (uintptr_t)emission_stage(x, q->storage[i], t->stage,
                                        emission_stage_name(x, load, "stage"));
  }
  ir_value *flying = emission_begin_product(x, l->products[number], acc);
  for (uint32_t i = 0; i < l->pipeline->n_loads; i++)
    *map_put(x->arena, &x->staged, (uintptr_t)l->pipeline->loads[i].load) = before[i];
  return flying;
}

static void yield(emission *x, ir_value *v, ir_block *outer) {
  emission_put(x,
               &(ir_op_spec){.opcode = OP_yield, .loc = x->loc, .n_operands = 1, .operands = &v});
  x->at = outer;
}

/* The first iteration's, where there is one. */
static void before(emission *x, const ir_op *loop) {
  roles *r = x->own;
  const simt_bulk_loop *l = early_loop(x, loop);
  uint32_t number = 0, mark = x->made.len;
  if (!l) return;
  find_product(r, l->early, &number);
  ir_signedness sign = ir_int_attr(loop, ATTR_unsignedCmp) ? SIGN_UNSIGNED : SIGN_SIGNED;
  ir_value *any = emission_compare(x, CMP_LESS, sign, emission_only(x, ir_operand(loop, 0)),
                                   emission_only(x, ir_operand(loop, 1)));
  ir_value *acc = emission_accumulator(x, l->early);
  ir_op *branch = emission_put(x, &(ir_op_spec){.opcode = OP_if,
                                                .loc = x->loc,
                                                .n_operands = 1,
                                                .operands = &any,
                                                .n_results = 1,
                                                .result_types = &acc->type,
                                                .n_regions = 2});
  ir_block *outer = emission_open(x, branch, 0, 0, NULL);
  ir_value *flying = begin_at(x, l, number, &r->next[l->ring], acc);
  yield(x, emission_wait_for_product(x, flying), outer);
  emission_forget(x, mark);
  outer = emission_open(x, branch, 1, 0, NULL);
  yield(x, acc, outer);
  r->loops[loop_number(r, l)].early = ir_result(branch, 0);
}

/* Where there is no next iteration this one's is computed once more, for nothing. */
static ir_value *early(emission *x, const ir_op *product, ir_value *acc) {
  roles *r = x->own;
  uint32_t number;
  const simt_bulk_loop *l = find_product(r, product, &number);
  if (!l || product != l->early || !early_loop(x, l->pipeline->loop)) return NULL;
  ring_loop *q = &r->loops[loop_number(r, l)];
  const ir_op *loop = l->pipeline->loop;
  ir_value *left = emission_make_two(x, OP_subi, emission_only(x, ir_operand(loop, 1)),
                                     emission_only(x, ir_counter(loop)));
  ir_value *more =
      emission_compare(x, CMP_GREATER, SIGN_UNSIGNED, left, emission_only(x, ir_operand(loop, 2)));
  q->next = turn_after(x, &q->at, l->pipeline->stages);
  ring_turn t = {.stage = emission_make(x, OP_select, q->at.stage->type, 3,
                                        (ir_value *[]){more, q->next.stage, q->at.stage}),
                 .phase = emission_make(x, OP_select, q->at.phase->type, 3,
                                        (ir_value *[]){more, q->next.phase, q->at.phase})};
  q->flying = begin_at(x, l, number, &t, acc);
  return q->early;
}

static void end_early(emission *x, const simt_bulk_loop *l) {
  roles *r = x->own;
  ring_loop *q = &r->loops[loop_number(r, l)];
  q->early = emission_wait_for_product(x, q->flying);
  done(x, l->early);
  r->next[l->ring] = q->next;
}

static void leave(emission *x, const ir_op *loop) {
  const simt_bulk_loop *l = simt_bulk_loop_of(x->p, loop);
  if (!l) return;
  if (early_loop(x, loop))
    end_early(x, l);
  else
    end_turn(x, x->own, l);
}

const block_form simt_roles = {.threads = threads,
                               .begin = begin,
                               .end = end,
                               .carried = carried,
                               .take = take,
                               .before = before,
                               .enter = enter,
                               .leave = leave,
                               .store = store,
                               .early = early,
                               .ready = ready,
                               .done = done};
