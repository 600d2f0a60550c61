/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels with a producer (simt/nvidia/bulk.h). Threads after the consumers' are the producer's
 * warpgroup: all of them hand registers back, then one walks the program's loops and starts copies.
 * What it needs of the program's scalars it computes itself; consumers' code is that of any other
 * kernel, but for where products wait for their operands, and that barriers are for consumers only.
 *
 * Which stage is next, and how often all of them have been gone through (that number's parity), is
 * kept in variables that LLVM turns into registers: a loop continues where it stopped when it is
 * executed again.
 */
#include "gpu/nvptx/bulk.h"

#include "gpu/code.h"
#include "gpu/control.h"
#include "gpu/kernel.h"
#include "gpu/nvptx/boxes.h"
#include "gpu/nvptx/cluster.h"
#include "gpu/nvptx/mbarrier.h"
#include "gpu/nvptx/persistent.h"
#include "gpu/nvptx/pipeline.h"
#include "gpu/nvptx/state.h"
#include "gpu/nvptx/threads.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "simt/nvidia/cluster.h"

/* ---- shared memory -------------------------------------------------------------------------- */

static llv shared_at(gen *g, uint32_t offset) {
  g->scratch_size = MAX(g->scratch_size, simt_bulk_of(g->plan)->bytes);
  g->scratch_align = MAX(g->scratch_align, (uint32_t)SIMT_STAGE_ALIGN);
  llv base = LLVMBuildPtrToInt(g->start, g->scratch, g->e.i32, "bulk");
  return add_const(g, base, offset);
}

/* A barrier for each stage, of which the first is at `offset`. */
static llv barrier_at(gen *g, uint32_t offset, llv stage) {
  return add_of(g, shared_at(g, offset), LLVMBuildShl(g->e.b, stage, k32(g, 3), ""));
}

/* ---- mbarriers ------------------------------------------------------------------------------ */

/* One lane for its warp, after what all of its lanes have read; in a cluster one for each block
 * that copies to this one. */
static void arrive_as_warp(gen *g, llv barrier, llv really) {
  llv all = k32(g, UINT32_MAX);
  emit_intrinsic(&g->e, "llvm.nvvm.bar.warp.sync", NULL, 0, &all, 1);
  if (nvptx_is_clustered(g)) {
    nvptx_cluster_arrive_as_warp(g, barrier, really);
    return;
  }
  llv first = LLVMBuildICmp(g->e.b, LLVMIntEQ, g->lane, k32(g, 0), "");
  nvptx_mbarrier_arrive(g, barrier, 1, fold_and(g, first, really), false);
}

/* ---- stages --------------------------------------------------------------------------------- */

static llv variable(gen *g) {
  llv v = LLVMBuildAlloca(g->start, g->e.i32, "");
  LLVMBuildStore(g->start, k32(g, 0), v);
  return v;
}

static bulk_state state_of(gen *g) {
  return (bulk_state){.stage = variable(g), .parity = variable(g)};
}

/* The stage of this iteration and its parity; the variables continue to the next. */
static void take_stage(gen *g, const bulk_state *s, uint32_t stages, llv *stage, llv *parity) {
  LLVMBuilderRef b = g->e.b;
  *stage = LLVMBuildLoad2(b, g->e.i32, s->stage, "stage");
  *parity = LLVMBuildLoad2(b, g->e.i32, s->parity, "parity");
  llv next = add_of(g, *stage, k32(g, 1));
  llv last = LLVMBuildICmp(b, LLVMIntEQ, next, k32(g, stages), "");
  llv turned = LLVMBuildXor(b, *parity, LLVMBuildZExt(b, last, g->e.i32, ""), "");
  LLVMBuildStore(b, LLVMBuildSelect(b, last, k32(g, 0), next, ""), s->stage);
  LLVMBuildStore(b, turned, s->parity);
}

/* ---- the producer --------------------------------------------------------------------------- */

static llv origin(gen *g, const ir_type *t, unsigned d, ir_value *index) {
  int64_t distance = t->kind == IR_STRIDED_VIEW ? t->strides[d] : t->shape[d];
  llv at = to_i64(g, gpu_scalar(g, index)), most = k64(g, SIMT_MAP_OUTSIDE / distance);
  at = umin64(g, at, most);
  return LLVMBuildTrunc(g->e.b, fold_mul(g, at, k64(g, distance)), g->e.i32, "");
}

void nvptx_map_origin(gen *g, const simt_tensor_map *m, const ir_type *tiles, const ir_use *index,
                      llv at[SIMT_MAP_RANK]) {
  for (unsigned i = 0; i < m->rank; i++)
    for (unsigned d = 0; d < tiles->rank; d++) {
      unsigned in_view = tiles->dim_map ? (unsigned)tiles->dim_map[d] : d;
      if (in_view == m->dim[i]) at[i] = origin(g, tiles, d, index[d].value);
    }
}

static uint32_t tile_bytes(const simt_staged *s) {
  return UINT32_C(1) << (s->layout.n + s->layout.elem_bytes);
}

/* The block's slice of a load that a cluster shares: panels from another one on, or a part of each.
 * Returns how many panels are left to be copied. */
static uint32_t take_slice(gen *g, const simt_staged *s, const simt_tensor_map *m,
                           const simt_shared_load *shared, uint32_t panels, nvptx_box *c) {
  uint32_t group = simt_cluster_group(simt_bulk_of(g->plan), shared->dims);
  uint32_t each = shared->cut ? 1 : panels / group; /* panels from a slice to the next */
  uint32_t bytes = shared->cut ? s->layout.panel_bytes / group : each * s->layout.panel_bytes;
  llv slice = nvptx_cluster_slice(g, shared->dims);
  llv mask = nvptx_cluster_mask(g, shared->dims);
  c->to_all = LLVMBuildTrunc(g->e.b, mask, LLVMInt16TypeInContext(g->e.llvm), "");
  llv step = fold_mul(g, slice, k32(g, each * m->box[shared->cut]));
  c->at[shared->cut] = add_of(g, c->at[shared->cut], step);
  c->place = add_of(g, c->place, fold_mul(g, slice, k32(g, bytes)));
  return shared->cut ? panels : each;
}

static void copy_panels(gen *g, const simt_staged *s, const simt_tensor_map *m, uint32_t panels,
                        const nvptx_box *first) {
  nvptx_box c = *first;
  for (uint32_t k = 0; k < panels; k++) {
    c.at[0] = add_const(g, first->at[0], (int64_t)k * m->box[0]);
    c.place = add_const(g, first->place, (int64_t)k * s->layout.panel_bytes);
    nvptx_load_box(g, &c);
  }
}

/* All slices of a load that its cluster might have shared. */
static void copy_alone(gen *g, const simt_staged *s, const simt_tensor_map *m,
                       const simt_shared_load *shared, uint32_t panels, const nvptx_box *whole) {
  uint32_t group = shared->cut ? simt_cluster_group(simt_bulk_of(g->plan), shared->dims) : 1;
  for (uint32_t i = 0; i < group; i++) {
    nvptx_box c = *whole;
    c.at[shared->cut] = add_const(g, c.at[shared->cut], (int64_t)i * m->box[shared->cut]);
    c.place = add_const(g, c.place, (int64_t)i * (s->layout.panel_bytes / group));
    copy_panels(g, s, m, panels, &c);
  }
}

static void copy_together(gen *g, const simt_staged *s, const simt_tensor_map *m,
                          const simt_shared_load *shared, uint32_t panels, const nvptx_box *whole) {
  nvptx_box c = *whole;
  panels = take_slice(g, s, m, shared, panels, &c);
  copy_panels(g, s, m, panels, &c);
}

/* An i1: the cluster's other block loads the same tile, which begins at `at`. */
static llv is_same_tile(gen *g, const simt_staged *s, const simt_tensor_map *m, const llv *at) {
  uint32_t n;
  ir_use *index = ir_operand_group(s->load, 1, &n);
  llv there[SIMT_MAP_RANK], same = NULL;
  nvptx_other_switch(g);
  nvptx_map_origin(g, m, ir_operand_in(s->load, 0)->type, index, there);
  nvptx_other_switch(g);
  for (unsigned i = 0; i < m->rank; i++)
    same = fold_and(g, same, LLVMBuildICmp(g->e.b, LLVMIntEQ, at[i], there[i], ""));
  return same;
}

static void copy_tile(gen *g, const simt_bulk_loop *l, uint32_t load, llv stage, llv barrier) {
  const simt_staged *s = &l->pipeline->loads[load];
  const simt_tensor_map *m = &simt_bulk_of(g->plan)->maps[l->map[load]];
  const simt_shared_load *shared = &l->shared[load];
  nvptx_box c = {.rank = m->rank, .map = own_of(g)->map_address[l->map[load]], .barrier = barrier};
  uint32_t n, panels = tile_bytes(s) / s->layout.panel_bytes;
  ir_use *index = ir_operand_group(s->load, 1, &n);
  nvptx_map_origin(g, m, ir_operand_in(s->load, 0)->type, index, c.at);
  c.place = LLVMBuildMul(g->e.b, stage, k32(g, l->pipeline->stage_bytes), "");
  c.place = add_of(g, shared_at(g, l->offset + s->offset), c.place);
  if (!shared->maybe) {
    if (shared->dims)
      copy_together(g, s, m, shared, panels, &c);
    else
      copy_panels(g, s, m, panels, &c);
    return;
  }
  llblock together = gpu_new_block(g, "together"), alone = gpu_new_block(g, "alone");
  llblock done = gpu_new_block(g, "copied");
  LLVMBuildCondBr(g->e.b, is_same_tile(g, s, m, c.at), together, alone);
  LLVMPositionBuilderAtEnd(g->e.b, together);
  copy_together(g, s, m, shared, panels, &c);
  LLVMBuildBr(g->e.b, done);
  LLVMPositionBuilderAtEnd(g->e.b, alone);
  copy_alone(g, s, m, shared, panels, &c);
  gpu_go(g, done);
}

static void produce_iteration(gen *g, const simt_bulk_loop *l, const bulk_state *s) {
  const simt_pipeline *p = l->pipeline;
  llv stage, parity;
  take_stage(g, s, p->stages, &stage, &parity);
  /* At first all stages are empty: the phase before the first counts as over. */
  llv before = LLVMBuildXor(g->e.b, parity, k32(g, 1), "");
  const char *scope = nvptx_is_clustered(g) ? ".acquire.cluster" : "";
  for (uint32_t k = 0; k < l->n_products; k++) {
    if (k < simt_empty_barriers(l))
      nvptx_mbarrier_wait(g, barrier_at(g, simt_empty_barrier(l, k), stage), before, scope);
    llv full = barrier_at(g, simt_full_barrier(l, k), stage);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < p->n_loads; i++)
      if (l->group[i] == k) bytes += tile_bytes(&p->loads[i]);
    nvptx_mbarrier_arrive_expect(g, full, bytes, false);
    for (uint32_t i = 0; i < p->n_loads; i++)
      if (l->group[i] == k) copy_tile(g, l, i, stage, full);
  }
}

static void produce_block(gen *g, ir_block *b);

/* What the producer needs, of its own block and of the other one if it must know that. */
static void produce_op(gen *g, ir_op *op) {
  gpu_body_op(g, op);
  if (!own_of(g)->other.values || g->failed) return;
  nvptx_other_switch(g);
  gpu_body_op(g, op);
  nvptx_other_switch(g);
}

/* Blocks of a cluster execute the same iterations. */
static void set_index(gen *g, ir_value *v, llv index) {
  gpu_set_scalar(g, v, index);
  if (!own_of(g)->other.values) return;
  nvptx_other_switch(g);
  gpu_set_scalar(g, v, index);
  nvptx_other_switch(g);
}

/* As gpu_for goes through it, with nothing carried. */
static void produce_for(gen *g, ir_op *op) {
  LLVMBuilderRef b = g->e.b;
  ir_block *body = ir_region(op, 0);
  const simt_bulk_loop *l = simt_bulk_loop_of(g->plan, op);
  bulk_state s = l ? own_of(g)->producer_states[l->ring] : (bulk_state){0};
  bool is_unsigned = ir_int_attr(op, ATTR_unsignedCmp);
  llv lower = gpu_scalar(g, ir_operand(op, 0)), upper = gpu_scalar(g, ir_operand(op, 1));
  llv step = gpu_scalar(g, ir_operand(op, 2)), zero = LLVMConstNull(LLVMTypeOf(upper));
  llv forward = LLVMBuildICmp(b, is_unsigned ? LLVMIntUGT : LLVMIntSGT, step, zero, "");
  llv any = LLVMBuildICmp(b, is_unsigned ? LLVMIntULT : LLVMIntSLT, lower, upper, "");
  llblock before = LLVMGetInsertBlock(b), inside = gpu_new_block(g, "produce");
  llblock done = gpu_new_block(g, "produce.end");
  LLVMBuildCondBr(b, any, inside, done);
  LLVMPositionBuilderAtEnd(b, inside);
  llv index = LLVMBuildPhi(b, LLVMTypeOf(upper), "");
  set_index(g, &body->args[0], index);
  produce_block(g, body);
  if (l) produce_iteration(g, l, &s);
  llv more = gpu_has_next(g, index, upper, step, forward);
  llv next = add_of(g, index, step);
  llblock here = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, more, inside, done);
  LLVMAddIncoming(index, (llv[]){lower, next}, (llblock[]){before, here}, 2);
  LLVMPositionBuilderAtEnd(b, done);
}

static void produce_block(gen *g, ir_block *b) {
  uint32_t mark = g->cache.made.len, other = own_of(g)->other.cache.made.len;
  for (ir_op *op = b->first; op && !g->failed; op = op->next) {
    if (!map_ptr(&simt_bulk_of(g->plan)->needed, op)) continue;
    if (op->opcode == OP_for)
      produce_for(g, op);
    else
      produce_op(g, op);
  }
  gpu_forget(g, mark);
  gpu_cache_cut(&own_of(g)->other.cache, other);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static void init_barriers(gen *g) {
  const simt_bulk *b = simt_bulk_of(g->plan);
  llv thread = LLVMBuildOr(g->e.b, LLVMBuildShl(g->e.b, g->warp, k32(g, 5), ""), g->lane, "");
  llv first = LLVMBuildICmp(g->e.b, LLVMIntEQ, thread, k32(g, 0), "");
  llblock done = gpu_begin_owner(g, first);
  for (uint32_t i = 0; i < b->n_loops; i++) {
    const simt_bulk_loop *l = &b->loops[i];
    if (!simt_begins_ring(b, i)) continue;
    for (uint32_t k = 0; k < l->n_products * l->pipeline->stages; k++)
      nvptx_mbarrier_init(g, shared_at(g, simt_full_barrier(l, 0) + 8 * k), 1);
    for (uint32_t k = 0; k < simt_empty_barriers(l) * l->pipeline->stages; k++)
      nvptx_mbarrier_init(g, shared_at(g, simt_empty_barrier(l, 0) + 8 * k),
                          simt_cluster_peers(b) << g->plan->warps);
  }
  gpu_asm(g, g->e.void_, "fence.mbarrier_init.release.cluster;", "~{memory}", NULL, 0, true);
  gpu_go(g, done);
  if (nvptx_is_clustered(g)) {
    nvptx_cluster_meet(g);
    return;
  }
  llv zero = k32(g, 0);
  emit_intrinsic(&g->e, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, 0, &zero, 1);
}

static void produce(gen *g) {
  value *consumers = g->values;
  size_t bytes = g->plan->n_values * sizeof *consumers;
  g->values = arena_array(g->arena, value, MAX(g->plan->n_values, 1));
  memcpy(g->values, consumers, bytes);
  if (simt_compares_blocks(simt_bulk_of(g->plan))) nvptx_other_begin(g);
  if (simt_bulk_of(g->plan)->persistent) nvptx_walk_begin(g);
  produce_block(g, ir_region(g->entry, 0));
  if (simt_bulk_of(g->plan)->persistent) {
    LLVMBuildBr(g->e.b, own_of(g)->walk.next);
    nvptx_walk_end(g);
  }
  g->values = consumers;
  own_of(g)->other.values = NULL;
}

void nvptx_bulk_begin(gen *g) {
  const simt_bulk *bulk = simt_bulk_of(g->plan);
  LLVMBuilderRef b = g->e.b;
  uint32_t consumers = 1u << g->plan->warps, first_map = nvptx_words(g);
  own_of(g)->bulk_states = arena_array(g->arena, bulk_state, bulk->n_loops);
  own_of(g)->producer_states = arena_array(g->arena, bulk_state, bulk->n_loops);
  nvptx_take_maps(g, first_map, bulk->n_maps);
  init_barriers(g);
  llblock producer = gpu_new_block(g, "producer"), one = gpu_new_block(g, "one");
  llblock consume = gpu_new_block(g, "consume"), end = gpu_new_block(g, "producer.end");
  llv is_producer = LLVMBuildICmp(b, LLVMIntUGE, g->warp, k32(g, consumers), "");
  LLVMBuildCondBr(b, is_producer, producer, consume);
  LLVMPositionBuilderAtEnd(b, producer);
  nvptx_set_registers(g, bulk->registers, bulk->producer_registers);
  llv is_first = LLVMBuildICmp(b, LLVMIntEQ, g->warp, k32(g, consumers), "");
  is_first = LLVMBuildAnd(b, is_first, LLVMBuildICmp(b, LLVMIntEQ, g->lane, k32(g, 0), ""), "");
  LLVMBuildCondBr(b, is_first, one, end);
  LLVMPositionBuilderAtEnd(b, one);
  for (uint32_t i = 0; i < bulk->n_loops; i++) own_of(g)->producer_states[i] = state_of(g);
  produce(g);
  gpu_go(g, end);
  LLVMBuildRetVoid(b);
  LLVMPositionBuilderAtEnd(b, consume);
  nvptx_set_registers(g, bulk->registers, bulk->consumer_registers);
  for (uint32_t i = 0; i < bulk->n_loops; i++) own_of(g)->bulk_states[i] = state_of(g);
  own_of(g)->bulk_busy = true;
  if (nvptx_is_clustered(g)) own_of(g)->cluster_peers = nvptx_cluster_peers(g);
}

/* ---- consumers ------------------------------------------------------------------------------ */

static const bulk_state *consumer_state(gen *g, const simt_bulk_loop *l) {
  return &own_of(g)->bulk_states[l->ring];
}

void nvptx_bulk_turn(gen *g, pipeline *p) {
  const simt_bulk_loop *l = p->bulk;
  llv stage, parity;
  take_stage(g, consumer_state(g, l), l->pipeline->stages, &stage, &parity);
  nvptx_bulk_select(g, p, stage, parity);
}

void nvptx_bulk_next(gen *g, const pipeline *p, llv *stage, llv *parity) {
  const bulk_state *s = consumer_state(g, p->bulk);
  *stage = LLVMBuildLoad2(g->e.b, g->e.i32, s->stage, "");
  *parity = LLVMBuildLoad2(g->e.b, g->e.i32, s->parity, "");
}

void nvptx_bulk_select(gen *g, pipeline *p, llv stage, llv parity) {
  p->stage = stage;
  p->parity = parity;
  p->read = LLVMBuildMul(g->e.b, stage, k32(g, p->plan->stage_bytes), "");
}

llv nvptx_bulk_before(gen *g, const pipeline *p, llv stage) {
  llv is_first = LLVMBuildICmp(g->e.b, LLVMIntEQ, stage, k32(g, 0), "");
  llv last = k32(g, p->plan->stages - 1), before = LLVMBuildSub(g->e.b, stage, k32(g, 1), "");
  return LLVMBuildSelect(g->e.b, is_first, last, before, "");
}

static int group_of(const simt_bulk_loop *l, const ir_op *product) {
  for (uint32_t i = 0; i < l->n_products; i++)
    if (l->products[i] == product) return (int)i;
  return -1;
}

void nvptx_bulk_release(gen *g, const pipeline *p, const ir_op *product, llv stage, llv really) {
  const simt_bulk_loop *l = p->bulk;
  int group = l ? group_of(l, product) : -1;
  if (group < 0 || (!l->apart && (uint32_t)group != l->n_products - 1)) return;
  arrive_as_warp(g, barrier_at(g, simt_empty_barrier(l, (uint32_t)group), stage), really);
}

void nvptx_stage_ready(gen *g, const ir_op *product) {
  const pipeline *p = g->pipeline;
  int group = p && p->bulk ? group_of(p->bulk, product) : -1;
  if (group < 0) return;
  uint32_t full = simt_full_barrier(p->bulk, (uint32_t)group);
  nvptx_mbarrier_wait(g, barrier_at(g, full, p->stage), p->parity, "");
}

void nvptx_stage_done(gen *g, const ir_op *product) {
  const pipeline *p = g->pipeline;
  if (p) nvptx_bulk_release(g, p, product, p->stage, NULL);
}

/* After the last loop of the block nothing is copied any more, and stages may be scratch memory.
 */
void nvptx_bulk_end(gen *g, const ir_op *loop) {
  const simt_bulk *b = simt_bulk_of(g->plan);
  if (b->persistent) return; /* those of the next tile block are */
  bool is_last = b->loops[b->n_loops - 1].pipeline->loop == loop;
  if (!is_last || loop->block->parent != g->entry) return;
  own_of(g)->bulk_busy = false;
  g->now.shared_read = true;
}
