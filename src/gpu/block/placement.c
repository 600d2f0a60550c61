/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the tiles of a kernel of the block level live: as their types have it. Distributions are
 * those of simt/dist.h, whose sizes are powers of two: other tiles are cut into pieces first.
 */
#include "base/invariant.h"
#include "block/expand.h"
#include "block/split.h"
#include "gpu/block/fused.h"
#include "gpu/block/groups.h"
#include "gpu/block/pad.h"
#include "gpu/block/pressure.h"
#include "gpu/block/product.h"
#include "gpu/block/stated.h"
#include "gpu/block/storage.h"
#include "gpu/block/window.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/reduce.h"
#include "gpu/shape.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "ir/block/clusters.h"
#include "ir/rules.h"

bool gpu_is_stated(const ir_op *entry) {
  return ir_has_attr(entry, ATTR_threads);
}

/* ---- distributions -------------------------------------------------------------------------- */

static simt_dist to_dist(const tsr_layout *l, simt_threads t) {
  tsr_linear m = {0};
  uint32_t slots = 0;
  tsr_status status = tsr_linear_from_layout(&m, &slots, l, NULL);
  INVARIANT(status == TSR_OK && m.in == slots + simt_thread_bits(t));
  simt_dist d = simt_dist_private(0, t);
  d.n = m.out;
  for (unsigned i = 0; i < m.in; i++) {
    int8_t bit = m.column[i] ? (int8_t)__builtin_ctzll(m.column[i]) : (int8_t)SIMT_COPY;
    if (i < slots)
      d.reg[d.regs++] = bit;
    else if (i < slots + t.lanes)
      d.lane[i - slots] = bit;
    else
      d.warp[i - slots - t.lanes] = bit;
  }
  INVARIANT(simt_dist_valid(&d));
  return d;
}

/* The threads that a layout is for. */
static simt_threads threads_of(const gen *g, const tsr_layout *l) {
  return gpu_thread_numbers(g, (uint32_t)tsr_layout_spatial_size(l));
}

simt_dist gpu_layout_dist(gen *g, const tsr_layout *layout) {
  simt_dist *known = map_ptr(&g->dists, layout);
  if (known) return *known;
  known = arena_new(g->arena, simt_dist);
  *known = to_dist(layout, threads_of(g, layout));
  *map_put(g->arena, &g->dists, (uintptr_t)layout) = (uintptr_t)known;
  return *known;
}

simt_dist gpu_type_dist(gen *g, const ir_type *t) {
  if (t->kind == IR_ASYNC) t = t->view;
  return t->layout && t->count > 1 ? gpu_layout_dist(g, t->layout)
                                   : simt_dist_private(simt_tile_bits(t), g->block);
}

static simt_dist home(gen *g, const ir_value *v) {
  return gpu_type_dist(g, v->type);
}

static bool is_expression(const gen *g, const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  if (g->private_ || v->type->count == 1 || !op) return false;
  switch (op->opcode) {
  case OP_constant:
  case OP_iota:
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: return true;
  default: return g->fused[v->number];
  }
}

/* What is loaded stays as it is in memory until it is wanted otherwise, and what is computed from
 * it may be an expression (fused.h). */
static bool is_fused(const gen *g, const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  if (g->fused[v->number]) return true;
  return op && gpu_begins_fused(op);
}

static simt_dist stored(gen *g, const ir_op *op, const ir_value *v) {
  (void)op;
  return gpu_type_dist(g, v->type);
}

static simt_dist operands(gen *g, const ir_op *op) {
  const ir_type *t = ir_operand(op, 0)->type;
  if (op->opcode != OP_scan) return gpu_type_dist(g, t);
  return simt_dist_scanned(t, (unsigned)ir_int_attr(op, ATTR_dim), g->block);
}

/* ---- what there is no code for -------------------------------------------------------------- */

/* A tensor map is one of the kernel's parameters, which nothing chooses among. */
static bool check_handed_on(gen *g, const ir_op *op, const ir_value *v) {
  bool wrong = v->type->kind == IR_TENSOR_MAP && op->opcode != OP_make_tensor_map;
  if (wrong)
    gpu_unsupported(g, op,
                    "a tensor map that a loop or a branch hands on has no code; use what "
                    "make_tensor_map gives, or the target interp");
  return !wrong;
}

/* What a product by groups of warps computes is not cut into pieces. */
static bool check_unit(gen *g, const ir_op *op, const ir_value *v) {
  tsr_linear m;
  uint32_t slots;
  const ir_type *t = v->type->kind == IR_ASYNC ? v->type->view : v->type;
  if (t->kind != IR_TILE || tsr_linear_from_layout(&m, &slots, t->layout, NULL) == TSR_OK)
    return true;
  gpu_unsupported(g, op,
                  arena_printf(g->arena,
                               "%s has sizes that are no powers of two, for which there is no code "
                               "yet; pad them, or use the target interp",
                               type_text(g->m, t)));
  return false;
}

static bool check_op(void *user, ir_op *op) {
  gen *g = user;
  bool ok = true, unit = ir_row(op)->group == GROUP_UNIT;
  for (uint32_t i = 0; ok && i < op->n_results; i++)
    ok = check_handed_on(g, op, ir_result(op, i)) && (!unit || check_unit(g, op, ir_result(op, i)));
  for (uint32_t i = 0; ok && unit && i < op->n_operands; i++)
    ok = check_unit(g, op, ir_operand(op, i));
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; ok && op->regions[r] && i < op->regions[r]->n_args; i++)
      ok = check_handed_on(g, op, &op->regions[r]->args[i]);
  return ok;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* Gives the tile the distribution of its type here, so that it isn't converted in a loop. */
static void settle(gen *g, ir_value *v) {
  value *x = value_of(g, v);
  simt_dist d = gpu_dist(g, v);
  if (g->failed || x->kind != VALUE_TILE || simt_is_near(&x->t.d, &d)) return;
  llv *registers = gpu_get(g, v, &d);
  gpu_set(g, v, &d, registers);
}

static void convert_layout(gen *g, ir_op *op) {
  if (g->fused[ir_result(op, 0)->number]) {
    value_of(g, ir_result(op, 0))->kind = VALUE_LAZY;
    return;
  }
  simt_dist d = gpu_dist(g, ir_result(op, 0));
  gpu_set(g, ir_result(op, 0), &d, gpu_get(g, ir_operand(op, 0), &d));
}

/* The registers of all operands, or of all results, one tile behind the other. */
static llv *gather(gen *g, ir_op *op) {
  uint32_t n = 0, at = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    simt_dist d = gpu_dist(g, ir_operand(op, i));
    n += slots_of(&d);
  }
  llv *all = arena_array(g->arena, llv, n);
  for (uint32_t i = 0; i < op->n_operands; i++) {
    simt_dist d = gpu_dist(g, ir_operand(op, i));
    memcpy(all + at, gpu_get(g, ir_operand(op, i), &d), slots_of(&d) * sizeof *all);
    at += slots_of(&d);
  }
  return all;
}

/* Between the pieces of two tiles. */
static void regroup(gen *g, ir_op *op, const split_move *move) {
  tsr_elem from = (tsr_elem)ir_operand(op, 0)->type->elem,
           to = (tsr_elem)ir_result(op, 0)->type->elem;
  llv *all = gather(g, op), *x = arena_array(g->arena, llv, move->n_from);
  llv *y = arena_array(g->arena, llv, move->n_to), *r = arena_array(g->arena, llv, move->n_to);
  for (uint32_t i = 0; i < move->n_from; i++) x[i] = all[move->from[i]];
  if (from == to)
    y = x;
  else
    gpu_regroup(g, from, x, move->n_from, to, y);
  for (uint32_t i = 0; i < move->n_to; i++) r[move->to[i]] = y[i];
  for (uint32_t i = 0; i < op->n_results; i++) {
    simt_dist d = gpu_dist(g, ir_result(op, i));
    gpu_set(g, ir_result(op, i), &d, r);
    r += slots_of(&d);
  }
}

/* The words that a tile of bytes, halves or words is. */
static llv *words_of(gen *g, const ir_value *v, const tile *t, uint32_t n) {
  tsr_elem elem = (tsr_elem)v->type->elem;
  unsigned each = 32 / tsr_elem_bits(elem);
  llv *words = arena_array(g->arena, llv, n);
  for (uint32_t i = 0; i < n; i++)
    words[i] = each > 1 ? gpu_element_word(g, elem, t, i * each)
                        : gpu_to_memory(g, elem, gpu_element(g, t, i));
  return words;
}

/* Elements of a few bits stay in the words that they are cut from. */
static bool cut_words(gen *g, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, from), to = gpu_dist(g, v);
  unsigned bits = tsr_elem_bits((tsr_elem)from->type->elem);
  uint32_t n = slots_of(&d) * bits / 32;
  bool whole = (bits == 8 || bits == 16 || bits == 32) && slots_of(&d) * bits % 32 == 0;
  if (g->private_ || !gpu_begins_fused(op) || !whole) return false;
  tile t = gpu_elements_at(g, from, &d);
  gpu_set_words(g, v, &to, words_of(g, from, &t, n), 32 / tsr_elem_bits((tsr_elem)v->type->elem));
  return true;
}

static void reinterpret(gen *g, ir_op *op) {
  const split_move *move = map_ptr(&g->notes->moves, op);
  if (move) {
    regroup(g, op, move);
    return;
  }
  if (cut_words(g, op)) return;
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, from), to = gpu_dist(g, v);
  llv *r = gpu_registers(g, &to);
  gpu_regroup(g, (tsr_elem)from->type->elem, gpu_get(g, from, &d), slots_of(&d),
              (tsr_elem)v->type->elem, r);
  gpu_set(g, v, &to, r);
}

static void get_worker(gen *g, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, v);
  llv *r = gpu_registers(g, &d);
  r[0] = LLVMBuildOr(g->e.b, LLVMBuildShl(g->e.b, g->warp, k32(g, g->block.lanes), ""), g->lane,
                     "worker");
  gpu_set(g, v, &d, r);
}

static bool lower_memory(gen *g, ir_op *op) {
  switch (op->opcode) {
  case OP_alloc_shared: gpu_alloc_shared(g, op); return true;
  case OP_free_shared: return true; /* gpu_place_storage has seen it */
  case OP_subview: gpu_subview(g, op); return true;
  case OP_permute_view: gpu_permute_view(g, op); return true;
  case OP_load_shared: gpu_load_shared(g, op); return true;
  case OP_store_shared: gpu_store_shared(g, op); return true;
  case OP_load_global: gpu_load_global(g, op); return true;
  case OP_store_global: gpu_store_global(g, op); return true;
  case OP_atomic_shared:
  case OP_atomic_cas_shared: gpu_atomic_shared(g, op); return true;
  case OP_cp_async: gpu_cp_async(g, op); return true;
  case OP_cp_async_commit: g->vendor->copy_commit(g); return true;
  case OP_cp_async_wait:
    g->vendor->copy_wait(g, (unsigned)MIN(ir_int_attr(op, ATTR_pending), 1 << 20));
    return true;
  case OP_barrier: gpu_barrier(g); return true;
  case OP_warp_barrier: g->vendor->warp_barrier(g); return true;
  case OP_alloc_mbarrier: gpu_alloc_shared(g, op); return true;
  default: return false;
  }
}

/* Groups, and what engines beside the threads do for them. */
static bool lower_group(gen *g, ir_op *op) {
  op_group group = (op_group)ir_row(op)->group;
  switch (op->opcode) {
  case OP_group:
  case OP_role:
  case OP_elect: gpu_group(g, op); return true;
  case OP_roles: gpu_roles(g, op); return true;
  case OP_barrier_arrive:
  case OP_barrier_wait: gpu_named_barrier(g, op); return true;
  case OP_yield:
    if (op->block->parent->opcode == OP_role) gpu_end_role(g, op->block->parent);
    return false;
  default: break;
  }
  bool apart = group == GROUP_MBARRIER || group == GROUP_ENGINE || group == GROUP_UNIT ||
               group == GROUP_CLUSTER;
  if (!apart && op->opcode != OP_fence_async) return false;
  if (!g->vendor->engine(g, op))
    gpu_unsupported(g, op, "the target has no such instruction; sm_90a has it, and interp");
  return true;
}

static bool lower(gen *g, ir_op *op) {
  switch (op->opcode) {
  case OP_convert_layout: convert_layout(g, op); return true;
  case OP_reinterpret: reinterpret(g, op); return true;
  case OP_get_worker: get_worker(g, op); return true;
  case OP_mmaf:
  case OP_mmai:
    if (g->private_) return false;
    gpu_stated_product(g, op);
    return true;
  case OP_scan: gpu_scan(g, op); break;
  case OP_extract: gpu_extract(g, op); break;
  default: return lower_memory(g, op) || lower_group(g, op);
  }
  for (uint32_t i = 0; i < op->n_results; i++) settle(g, ir_result(op, i));
  return true;
}

static const gpu_placement by_types = {.home = home,
                                       .wanted = home,
                                       .is_expression = is_expression,
                                       .is_fused = is_fused,
                                       .operands = operands,
                                       .stored = stored,
                                       .lower = lower};

/* ---- kernels -------------------------------------------------------------------------------- */

static bool check_clusters(gen *g) {
  if (!ir_has_cluster(g->entry) || gpu_can(g->target, GPU_CLUSTERS)) return true;
  gpu_unsupported(
      g, g->entry,
      "the target has no clusters; sm_90a has them, and interp; for others let each tile "
      "block load what it needs itself, without cluster(…)");
  return false;
}

bool gpu_follow_types(gen *g) {
  g->threads = (uint32_t)ir_int_attr(g->entry, ATTR_threads);
  g->block = gpu_thread_numbers(g, g->threads);
  g->placement = &by_types;
  block_expand(g->m, g->entry, false);
  if (!check_clusters(g) || !gpu_pad_threads(g) || !ir_walk(g->entry, check_op, g)) return false;
  split_notes *notes = arena_new(g->arena, split_notes);
  g->notes = notes;
  if (!split_tiles(g->m, g->entry, g->arena, CUT_BY_LAYOUT, notes)) return false;
  g->n_values = ir_number_values(g->entry);
  g->facts = facts_compute(g->entry, g->arena);
  gpu_find_fused(g);
  if (!gpu_plan_groups(g) || !gpu_place_storage(g)) return false;
  gpu_check_pressure(g);
  return true;
}
