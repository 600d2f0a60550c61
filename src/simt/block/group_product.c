/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products by instructions of several warps, which read the right operand in shared memory and the
 * left one there or in registers: from a stage of a pipeline, or from memory that it is stored to.
 * What a pipelined loop does not change is stored once, in front of it. What threads wrote passes
 * fence_async on its way to the unit.
 */
#include "ir/block/layouts.h"
#include "simt/block/internal.h"
#include "simt/vendor.h"

static void put(emission *x, op_code opcode) {
  emission_put(x, &(ir_op_spec){.opcode = opcode, .loc = x->loc});
}

/* ---- a stage as an operand ------------------------------------------------------------------ */

/* The dimension of the tile whose bits, at m->to, are those of the operand from `first` on; rank:
 * there is none. */
static unsigned dimension_at(const ir_type *tile, const simt_map *m, unsigned first,
                             unsigned count) {
  for (unsigned d = 0; d < tile->rank; d++) {
    unsigned from, n;
    simt_dim_bits(tile, d, &from, &n);
    bool same = n == count && n > 0;
    for (unsigned k = 0; same && k < n; k++) same = m->to[from + k] == (int8_t)(first + k);
    if (same) return d;
  }
  return tile->rank;
}

ir_value *emission_permuted_view(emission *x, ir_value *v, const int64_t *order) {
  unsigned rank = v->type->rank;
  tsr_memory_layout from = *v->type->memory, l = {.rank = (uint8_t)rank};
  bool same = true;
  l.swizzle_bits = from.swizzle_bits;
  l.swizzle_base = from.swizzle_base;
  l.swizzle_shift = from.swizzle_shift;
  for (unsigned d = 0; d < rank; d++) {
    uint32_t k = 0;
    same &= order[d] == d;
    for (int64_t e = 0; e < order[d]; e++) k += from.dim_modes[e];
    l.dim_modes[d] = from.dim_modes[order[d]];
    for (unsigned i = 0; i < l.dim_modes[d]; i++) {
      l.size[l.modes] = from.size[k + i];
      l.stride[l.modes++] = from.stride[k + i];
    }
  }
  if (same) return v;
  ir_ints *list = arena_alloc(&x->m->arena, sizeof *list + rank * sizeof *order, _Alignof(ir_ints));
  list->len = rank;
  memcpy(list->data, order, rank * sizeof *order);
  const ir_type *t = ir_shared(x->m, (tsr_elem)v->type->elem, &l);
  ir_value *r = emission_make(x, OP_permute_view, t, 1, &v);
  ir_set_attr(r->owner.op, ATTR_permutation, (ir_attr){.ints = list});
  return r;
}

/* Without the first dimensions, which are 1. */
static ir_value *last_two(emission *x, ir_value *v) {
  unsigned rank = v->type->rank;
  tsr_memory_layout part;
  ir_value *operands[1 + IR_MAX_RANK] = {v};
  if (rank == 2 || !ir_memory_part(v->type->memory, 2, v->type->shape + rank - 2, &part)) return v;
  for (unsigned d = 0; d + 2 < rank; d++)
    operands[1 + d] = emission_number(x, ir_scalar(x->m, TSR_I32), 0);
  const ir_type *t = ir_shared(x->m, (tsr_elem)v->type->elem, &part);
  return emission_make(x, OP_subview, t, rank - 1, operands);
}

/* The dimensions of a load's tile in the order in which the last two are the operand's; false: it
 * has others. */
static bool find_order(emission *x, const simt_staged *s, int64_t order[IR_MAX_RANK]) {
  block_window w;
  simt_product size = simt_product_of(s->product);
  simt_map m = emission_operand_map(x, s, &w);
  unsigned columns = s->is_lhs ? size.k : size.n, rows = s->is_lhs ? size.m : size.k, n = 0;
  unsigned row = dimension_at(w.tile, &m, columns, rows);
  unsigned column = dimension_at(w.tile, &m, 0, columns);
  if (row == w.tile->rank || column == w.tile->rank) return false;
  for (unsigned d = 0; d < w.tile->rank; d++)
    if (d != row && d != column) order[n++] = d;
  order[n++] = row;
  order[n] = column;
  return true;
}

bool emission_reads_stage(emission *x, const simt_staged *s) {
  int64_t unused[IR_MAX_RANK];
  return simt_op_of(x->p, s->product)->mma != SIMT_MMA_GROUP || find_order(x, s, unused);
}

/* The stage of a load as rows and columns of the operand. */
static ir_value *stage_operand(emission *x, const simt_staged *s) {
  int64_t order[IR_MAX_RANK];
  ir_value *slot = map_ptr(&x->staged, s->load);
  return find_order(x, s, order) ? last_two(x, emission_permuted_view(x, slot, order)) : slot;
}

/* ---- operands ------------------------------------------------------------------------------- */

typedef struct group_operand {
  ir_value *now; /* shared memory or a tile */
  bool is_own;   /* memory for this product alone */
} group_operand;

/* As the unit reads it: along the dimension whose neighbours a thread has where it can be so, else
 * along k. */
static simt_stage_layout find_layout(emission *x, const ir_op *op, bool is_lhs) {
  simt_product s = simt_product_of(op);
  const ir_value *v = ir_operand(op, is_lhs ? 0 : 1);
  const simt_op *info = simt_op_of(x->p, op);
  simt_dist home = emission_dist(x, v);
  unsigned first = is_lhs ? s.k : 0, across = is_lhs ? s.m : s.n;
  unsigned elem_bytes = simt_log2(tsr_elem_bits((tsr_elem)v->type->elem) / 8);
  int8_t low = home.regs ? home.reg[0] : (int8_t)SIMT_COPY;
  bool along_k = low < (int8_t)first || low >= (int8_t)(first + across);
  simt_staged staged = {.product = (ir_op *)(uintptr_t)op, .is_lhs = is_lhs};
  if (!x->p->target.vendor->lay_out(info, &staged, along_k, elem_bytes) || staged.turned)
    x->p->target.vendor->lay_out(info, &staged, true, elem_bytes);
  return staged.layout;
}

/* Shared memory that holds an operand now. */
static ir_value *stored(emission *x, const ir_op *op, bool is_lhs) {
  simt_stage_layout l = find_layout(x, op, is_lhs);
  const ir_value *v = ir_operand(op, is_lhs ? 0 : 1);
  simt_dist home;
  ir_value *now = emission_flat(x, emission_home(x, v, &home), &home);
  simt_map m = {.from_n = home.n, .to_n = home.n};
  for (unsigned k = 0; k < m.from_n; k++) m.to[k] = (int8_t)k;
  const ir_type *t = emission_stage_type(x, now->type, &l, &m, 0);
  ir_value *storage = emission_make(x, OP_alloc_shared, t, 0, NULL);
  emission_store_shared(x, now, storage);
  return storage;
}

static bool is_in_registers(emission *x, const ir_op *op, bool is_lhs) {
  const ir_value *v = ir_operand(op, is_lhs ? 0 : 1);
  simt_dist home = emission_dist(x, v);
  return is_lhs && simt_is_near(&home, &simt_op_of(x->p, op)->a);
}

static const block_kept *find_kept(const emission *x, const ir_value *v, bool is_lhs) {
  for (uint32_t i = 0; i < x->kept.len; i++)
    if (x->kept.data[i].v == v && x->kept.data[i].is_lhs == is_lhs) return &x->kept.data[i];
  return NULL;
}

static group_operand operand_of(emission *x, const ir_op *op, bool is_lhs) {
  const ir_value *v = ir_operand(op, is_lhs ? 0 : 1);
  const simt_staged *staged = simt_staged_operand(x->p, op, is_lhs);
  const block_kept *kept = find_kept(x, v, is_lhs);
  if (staged && !staged->turned && map_ptr(&x->staged, staged->load))
    return (group_operand){.now = stage_operand(x, staged)};
  if (kept) return (group_operand){.now = kept->storage};
  if (is_in_registers(x, op, is_lhs)) {
    simt_dist d = simt_op_of(x->p, op)->a;
    return (group_operand){.now = emission_flat(x, emission_get(x, v, &d), &d)};
  }
  return (group_operand){.now = stored(x, op, is_lhs), .is_own = true};
}

/* ---- what a loop does not change ------------------------------------------------------------ */

static bool is_group_product(const emission *x, const ir_op *op) {
  bool product = op->opcode == OP_mmaf || op->opcode == OP_mmai;
  return product && simt_op_of(x->p, op)->mma == SIMT_MMA_GROUP;
}

static void keep(emission *x, const ir_op *op, bool is_lhs) {
  const ir_value *v = ir_operand(op, is_lhs ? 0 : 1);
  if (find_kept(x, v, is_lhs) || is_in_registers(x, op, is_lhs)) return;
  ir_value *storage = stored(x, op, is_lhs);
  vec_push(x->arena, x->kept, (block_kept){.v = v, .is_lhs = is_lhs, .storage = storage});
}

uint32_t emission_keep(emission *x, const ir_op *loop) {
  uint32_t mark = x->kept.len;
  ir_block *body = ir_region(loop, 0);
  for (const ir_op *op = body->first; op && !x->failed; op = op->next) {
    if (!is_group_product(x, op) || op->opcode != OP_mmaf || simt_product_of(op).batch) continue;
    for (unsigned i = 0; i < 2; i++)
      if (simt_is_outside(ir_operand(op, i), body)) keep(x, op, i == 0);
  }
  if (x->kept.len == mark) return mark;
  put(x, OP_fence_async);
  emission_barrier(x);
  return mark;
}

void emission_forget_kept(emission *x, uint32_t mark) {
  while (x->kept.len > mark) emission_free_shared(x, x->kept.data[--x->kept.len].storage);
}

bool emission_feeds_group(const emission *x, const simt_pipeline *plan) {
  for (uint32_t i = 0; i < plan->n_loads; i++)
    if (is_group_product(x, plan->loads[i].product)) return true;
  return false;
}

/* ---- the product ---------------------------------------------------------------------------- */

static ir_value *begin(emission *x, ir_value *a, ir_value *b, ir_value *acc) {
  put(x, OP_wgmma_fence);
  ir_value *flying =
      emission_make(x, OP_wgmma, ir_async(x->m, acc->type), 3, (ir_value *[]){a, b, acc});
  put(x, OP_wgmma_commit);
  return flying;
}

ir_value *emission_begin_product(emission *x, const ir_op *op, ir_value *acc) {
  group_operand a = operand_of(x, op, true), b = operand_of(x, op, false);
  if (a.is_own || b.is_own)
    emission_refuse(x, op, "it is begun early, and an operand of it is stored by threads");
  return begin(x, a.now, b.now, acc);
}

ir_value *emission_wait_for_product(emission *x, ir_value *flying) {
  ir_value *r = emission_make(x, OP_wgmma_wait, flying->type->view, 1, &flying);
  ir_set_int(r->owner.op, ATTR_pending, 0);
  return r;
}

ir_value *emission_group_product(emission *x, const ir_op *op, ir_value *acc) {
  if (op->opcode == OP_mmai) {
    emission_refuse(x, op, "it is done by wgmma on integers");
    return NULL;
  }
  ir_value *early = x->form ? x->form->early(x, op, acc) : NULL;
  if (early) return early;
  if (x->form) x->form->ready(x, op);
  group_operand a = operand_of(x, op, true), b = operand_of(x, op, false);
  if (x->failed) return NULL;
  bool own = a.is_own || b.is_own;
  if (own) put(x, OP_fence_async);
  if (own) emission_barrier(x);
  ir_value *sum = emission_wait_for_product(x, begin(x, a.now, b.now, acc));
  if (own) emission_barrier(x);
  if (a.is_own) emission_free_shared(x, a.now);
  if (b.is_own) emission_free_shared(x, b.now);
  if (x->form) x->form->done(x, op);
  return sum;
}
