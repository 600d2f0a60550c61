/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/erase.h"

#include "block/access.h"
#include "block/barriers.h"
#include "block/bits.h"
#include "block/cluster.h"
#include "block/engines.h"
#include "block/expand.h"
#include "block/forward.h"
#include "block/handles.h"
#include "block/order.h"
#include "block/parts.h"
#include "block/products.h"
#include "block/scratch.h"
#include "block/slices.h"
#include "block/split.h"
#include "block/unite.h"
#include "ir/block/clusters.h"
#include "opt/rewrite.h"

typedef struct eraser {
  block_lowering x;
  scratch scratch;
} eraser;

/* ---- what can be lowered -------------------------------------------------------------------- */

static bool check_storage(const eraser *e, const ir_op *op, const ir_value *v) {
  part unused;
  if (v->type->kind != IR_SHARED || part_of(v, &unused)) return true;
  ir_error(
      e->x.m, op,
      "shared memory that is a part of a part of more than %d is not compiled for CPUs yet; the "
      "target interp runs it",
      PART_MAX_DEPTH);
  return false;
}

static bool check_op(void *user, ir_op *op) {
  const eraser *e = user;
  if (op == e->x.entry) return true;
  if (!part_check(&e->x, op)) return false;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!check_storage(e, op, &op->results[i])) return false;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      if (!check_storage(e, op, &op->regions[r]->args[i])) return false;
  return true;
}

/* ---- layouts -------------------------------------------------------------------------------- */

static void erase_layout(const eraser *e, ir_value *v) {
  if (v->type->kind == IR_TILE && v->type->layout) v->type = ir_with_layout(e->x.m, v->type, NULL);
}

static void erase_constant_layout(const eraser *e, ir_op *op) {
  const ir_dense *from = ir_get_attr(op, ATTR_value)->dense;
  ir_dense *to = arena_new(&e->x.m->arena, ir_dense);
  *to = *from;
  to->type = ir_result(op, 0)->type;
  ir_set_attr(op, ATTR_value, (ir_attr){.dense = to});
}

static bool erase_layouts(void *user, ir_op *op) {
  const eraser *e = user;
  for (uint32_t i = 0; i < op->n_results; i++) erase_layout(e, &op->results[i]);
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      erase_layout(e, &op->regions[r]->args[i]);
  if (op->opcode == OP_constant) erase_constant_layout(e, op);
  return true;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* The window of load_global, store_global, tensor_reduce or cp_async. */
static window window_of(const eraser *e, ir_op *op, unsigned view_group, const ir_type *tile,
                        sum *offsets) {
  uint32_t n;
  const ir_use *u = ir_operand_group(op, view_group + 1, &n);
  for (uint32_t d = 0; d < n; d++)
    offsets[d] = sum_of(&e->x, u[d].value, sum_modulus_of(u[d].value->type));
  bool masked = op->opcode == OP_load_global || op->opcode == OP_store_global;
  return (window){.view = ir_operand_in(op, view_group),
                  .type = tile,
                  .offset_type = n ? u[0].value->type : ir_scalar(e->x.m, TSR_I32),
                  .offsets = offsets,
                  .mask = masked ? ir_operand_in(op, view_group + 2) : NULL,
                  .padding = op->opcode == OP_load_global ? (int)ir_int_attr(op, ATTR_padding_value)
                                                          : PADDING_ZERO};
}

static bool replace(ir_op *op, ir_value *v) {
  if (v) rewrite_replace_op(op, &v);
  return v != NULL;
}

static bool erase(ir_op *op) {
  ir_op_erase(op);
  return true;
}

static bool lower_copy(eraser *e, ir_op *op) {
  const ir_value *to = part_storage(op);
  const ir_type *tile =
      ir_tile(e->x.m, (tsr_elem)to->type->elem, 0, to->type->rank, to->type->shape);
  sum offsets[IR_MAX_RANK];
  window w = window_of(e, op, 0, tile, offsets);
  ir_value *v = window_load(&e->x, op, &w);
  return v && scratch_store(&e->scratch, op, v, to) && erase(op);
}

static bool lower_load_global(eraser *e, ir_op *op) {
  sum offsets[IR_MAX_RANK];
  window w = window_of(e, op, 0, ir_result(op, 0)->type, offsets);
  return replace(op, window_load(&e->x, op, &w));
}

static bool lower_store_global(eraser *e, ir_op *op) {
  sum offsets[IR_MAX_RANK];
  window w = window_of(e, op, 1, ir_operand(op, 0)->type, offsets);
  return window_store(&e->x, op, &w, ir_operand(op, 0)) && erase(op);
}

static bool lower_reduce(eraser *e, ir_op *op) {
  sum offsets[IR_MAX_RANK];
  window w = window_of(e, op, 1, ir_operand(op, 0)->type, offsets);
  window_update(&e->x, op, &w, (ir_rmw)ir_int_attr(op, ATTR_mode), ir_operand(op, 0));
  return erase(op);
}

static bool lower_worker(eraser *e, ir_op *op) {
  const ir_type *t = ir_result(op, 0)->type;
  return replace(op, ir_result(rewrite_make(e->x.m, op, OP_iota, t, 0, NULL), 0));
}

static bool lower_op(eraser *e, ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_convert_layout: return replace(op, ir_operand(op, 0));
  case OP_get_worker: return lower_worker(e, op);
  case OP_load_global: return lower_load_global(e, op);
  case OP_store_global: return lower_store_global(e, op);
  case OP_tensor_reduce: return lower_reduce(e, op);
  case OP_cp_async: return lower_copy(e, op);
  case OP_load_shared:
    return replace(op, scratch_load(&e->scratch, op, ir_operand(op, 0), ir_result(op, 0)->type));
  case OP_store_shared:
    return scratch_store(&e->scratch, op, ir_operand(op, 0), ir_operand(op, 1)) && erase(op);
  case OP_alloc_shared:
  case OP_subview:
  case OP_permute_view: return true; /* when their users are gone */
  case OP_free_shared:
  case OP_cp_async_commit:
  case OP_cp_async_wait:
  case OP_barrier:
  case OP_warp_barrier:
  case OP_fence_async: return erase(op);
  default:
    if (op->opcode < OP_COUNT) return true;
    ir_error(e->x.m, op, "%s is not compiled for CPUs yet; the target interp runs it",
             ir_row(op)->name);
    return false;
  }
}

/* What asks for the layouts that are about to go. */
static void lower_bits(eraser *e, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) lower_bits(e, op->regions[r]);
    if (op->opcode == OP_reinterpret) bits_lower(&e->x, op);
  }
}

static bool lower_block(eraser *e, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r] && !lower_block(e, op->regions[r])) return false;
    if (!lower_op(e, op)) return false;
  }
  return true;
}

/* Handles of shared memory, from the end, so that parts go before what they are parts of. */
static void erase_handles(ir_block *b) {
  for (ir_op *op = b->last, *prev; op; op = prev) {
    prev = op->prev;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) erase_handles(op->regions[r]);
    if (op->opcode == OP_alloc_shared || op->opcode == OP_subview || op->opcode == OP_permute_view)
      ir_op_erase(op);
  }
}

static void erase_attr(ir_op *entry, attr_id attr) {
  int slot = ir_attr_slot(OP_entry, attr);
  entry->present &= ~(1u << slot);
  entry->attrs[slot] = (ir_attr){0};
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Up to where groups become one program; false after a message. */
static bool lower_groups(eraser *e, arena *a) {
  block_lowering *x = &e->x;
  block_expand(x->m, x->entry, true);
  x->known = facts_compute(x->entry, a);
  if (!handles_resolve(x)) return false;
  x->known = facts_compute(x->entry, a);
  if (!ir_walk(x->entry, check_op, e)) return false;
  engines_lower(x);
  return true;
}

static void take_body(ir_op *entry, const ir_op *from) {
  entry->regions[0] = from->regions[0];
  entry->regions[0]->parent = entry;
}

/* A cluster's tile blocks in step if none ever waits, else as groups. */
static bool unite_cluster(eraser *e, arena *a) {
  if (!cluster_prepare(&e->x)) return false;
  value_map copies = {.arena = a};
  const ir_op *whole = rewrite_clone(e->x.m, e->x.entry, &copies);
  if (cluster_unite(&e->x, CLUSTER_IN_STEP)) {
    if (!lower_groups(e, a)) return false;
    if (unite_in_step(&e->x)) return true;
    take_body(e->x.entry, whole);
  }
  cluster_unite(&e->x, CLUSTER_AS_GROUPS);
  if (!lower_groups(e, a)) return false;
  unite_in_turns(&e->x);
  return true;
}

static bool erase_entry(ir_module *m, ir_op *entry, arena *a) {
  map before = {0}, numbers = {0};
  eraser e = {.x = {.m = m, .entry = entry, .arena = a, .numbers = &before}};
  e.scratch.x = &e.x;
  if (ir_has_cluster(entry)) {
    if (!unite_cluster(&e, a)) return false;
  } else {
    if (!lower_groups(&e, a)) return false;
    if (!unite_in_step(&e.x)) unite_in_turns(&e.x);
  }
  lower_bits(&e, entry->regions[0]);
  ir_walk(entry, erase_layouts, &e);
  if (!split_tiles(m, entry, a, CUT_BY_SIZE, NULL)) return false;
  slices_join(&e.x);
  products_simplify(&e.x);
  e.x.known = facts_compute(entry, a);
  e.x.numbers = &numbers;
  forward_shared(&e.x);
  e.x.known = facts_compute(entry, a); /* offsets of loads that were copies are new */
  if (!lower_block(&e, entry->regions[0])) return false;
  erase_handles(entry->regions[0]);
  order_accesses(&e.x);
  if (ir_has_cluster(entry)) cluster_skip_others(&e.x);
  erase_attr(entry, ATTR_threads);
  erase_attr(entry, ATTR_cluster);
  return true;
}

static bool erase_entries(ir_module *m, arena *a) {
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry && ir_has_attr(op, ATTR_threads) && !erase_entry(m, op, a))
      return false;
  m->layout_names.len = 0;
  m->block_level = false;
  m->extensions = true; /* casts of i4, which modules of the block level may have */
  return true;
}

bool block_erase_threads(ir_module *m) {
  arena a;
  arena_init(&a, m->ctx);
  TSR_GUARD(m->ctx, {
    arena_free(&a);
    ctx_unwind(m->ctx);
  });
  bool ok = erase_entries(m, &a);
  TSR_UNGUARD(m->ctx);
  arena_free(&a);
  return ok;
}
