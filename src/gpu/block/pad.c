/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All types of a kernel or none: an operation that has a padded tile must know what to do with it.
 */
#include "gpu/block/pad.h"

#include "gpu/code.h"
#include "ir/block/layouts.h"

typedef struct padder {
  ir_module *m;
  arena *arena;
  map types; /* a type -> the padded one */
  bool any;
  const ir_op *wrong; /* has no way for such a tile; NULL: all have */
} padder;

/* ---- types ---------------------------------------------------------------------------------- */

static int32_t next_power(int32_t n) {
  int32_t p = 1;
  while (p < n) p *= 2;
  return p;
}

static bool is_power(int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

/* The highest digit of the threads' numbers becomes a power of two. Of elements it must be the
 * highest one, too, so that the others keep their indices. */
static bool pad_layout(const tsr_layout *l, tsr_layout *out) {
  *out = *l;
  if (!l->spatial) return false;
  int32_t highest = l->spatial_modes[0];
  if (highest < 0) {
    out->spatial_modes[0] = -next_power(-highest);
    return true;
  }
  unsigned d = 0, first = 0;
  while (first + l->dim_modes[d] <= (unsigned)highest) first += l->dim_modes[d++];
  if ((unsigned)highest != first) return false;
  int32_t size = l->mode_shape[highest], padded = next_power(size);
  out->mode_shape[highest] = padded;
  out->shape[d] = l->shape[d] / size * padded;
  return true;
}

/* The type itself where threads are a power of two; NULL: there is no way. */
static const ir_type *padded_type(padder *p, const ir_type *t) {
  if (t->kind == IR_ASYNC) {
    const ir_type *held = padded_type(p, t->view);
    return held ? held == t->view ? t : ir_async(p->m, held) : NULL;
  }
  if (t->kind != IR_TILE || !t->layout || is_power(tsr_layout_spatial_size(t->layout))) return t;
  uintptr_t *slot = map_put(p->arena, &p->types, (uintptr_t)t);
  if (*slot) return (const ir_type *)*slot;
  tsr_layout l;
  int64_t shape[IR_MAX_RANK];
  if (!pad_layout(t->layout, &l) || !is_power(tsr_layout_spatial_size(&l))) return NULL;
  for (unsigned d = 0; d < t->rank; d++) shape[d] = l.shape[d];
  const ir_type *plain = ir_tile_reshaped(p->m, t, t->rank, shape);
  const ir_type *made = ir_with_layout(p->m, plain, &l);
  *slot = (uintptr_t)made;
  return made;
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool same_padding(padder *p, const ir_op *op) {
  const ir_type *a = padded_type(p, ir_operand(op, 0)->type);
  const ir_type *b = padded_type(p, ir_result(op, 0)->type);
  return a && b && ir_same_shape(a, b);
}

/* Whether offsets go on as they do, at the end of each dimension. */
static bool goes_on(const ir_type *shared) {
  const tsr_memory_layout *l = shared->memory;
  for (unsigned d = 0, first = 0; d < l->rank; first += l->dim_modes[d++])
    for (unsigned k = 1; k < l->dim_modes[d]; k++)
      if (!is_power(l->size[first + k])) return false;
  return true;
}

static bool reduces_whole(padder *p, const ir_op *op) {
  unsigned d = (unsigned)ir_int_attr(op, ATTR_dim);
  const ir_type *t = ir_operand(op, 0)->type, *to = padded_type(p, t);
  return to && t->shape[d] == to->shape[d];
}

/* Whether the operation does the same to a longer tile. */
static bool takes_padding(padder *p, const ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_constant: return ir_get_attr(op, ATTR_value)->dense->splat;
  case OP_iota:
  case OP_broadcast:
  case OP_load_global:
  case OP_store_global:
  case OP_get_worker:
  case OP_assume:
  case OP_mmaf:
  case OP_mmai:
  case OP_wgmma:
  case OP_wgmma_wait:
  case OP_reinterpret:
  case OP_for:
  case OP_loop:
  case OP_if:
  case OP_group: return true;
  case OP_convert_layout: return same_padding(p, op);
  case OP_load_shared: return goes_on(ir_operand(op, 0)->type);
  case OP_store_shared: return goes_on(ir_operand(op, 1)->type);
  case OP_reduce: return reduces_whole(p, op);
  default: return ir_is_terminator(op) || ir_row(op)->traits & TRAIT_ELEMENTWISE;
  }
}

static bool check_type(padder *p, const ir_type *t, bool *any) {
  const ir_type *to = padded_type(p, t);
  *any |= to != t;
  return to != NULL;
}

static bool check_op(void *user, ir_op *op) {
  padder *p = user;
  bool ok = true, any = false;
  for (uint32_t i = 0; ok && i < op->n_results; i++) ok = check_type(p, op->results[i].type, &any);
  for (uint32_t i = 0; ok && i < op->n_operands; i++)
    ok = check_type(p, ir_operand(op, i)->type, &any);
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; ok && op->regions[r] && i < op->regions[r]->n_args; i++)
      ok = check_type(p, op->regions[r]->args[i].type, &any);
  p->any |= any;
  if (ok && any && !takes_padding(p, op)) p->wrong = op;
  return ok && !p->wrong;
}

/* Shared memory whose dimensions are as long as a tile's: what is behind its end nobody reaches. */
static void pad_storage(padder *p, ir_op *op, uint32_t operand, const ir_type *longest) {
  ir_value *storage = ir_operand(op, operand);
  const ir_type *t = storage->type;
  tsr_memory_layout l = *t->memory;
  bool longer = false;
  for (unsigned d = 0, first = 0; d < l.rank; first += l.dim_modes[d++]) {
    if (longest->shape[d] == t->shape[d]) continue;
    l.size[first] = (int32_t)(l.size[first] * longest->shape[d] / t->shape[d]);
    longer = true;
  }
  if (!longer) return;
  const ir_type *type = ir_remote(p->m, ir_shared(p->m, (tsr_elem)t->elem, &l), t->remote);
  ir_op *part = ir_op_create(p->m, &(ir_op_spec){.opcode = OP_subview,
                                                 .loc = op->loc,
                                                 .n_operands = 1,
                                                 .operands = &storage,
                                                 .n_results = 1,
                                                 .result_types = &type});
  ir_op_insert_before(op, part);
  ir_set_operand(op, operand, ir_result(part, 0));
}

static bool pad_op(void *user, ir_op *op) {
  padder *p = user;
  for (uint32_t i = 0; i < op->n_results; i++)
    op->results[i].type = padded_type(p, op->results[i].type);
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      op->regions[r]->args[i].type = padded_type(p, op->regions[r]->args[i].type);
  if (op->opcode == OP_load_shared) pad_storage(p, op, 0, ir_result(op, 0)->type);
  if (op->opcode == OP_store_shared) pad_storage(p, op, 1, ir_operand(op, 0)->type);
  if (op->opcode != OP_constant) return true;
  ir_dense *to = arena_new(&p->m->arena, ir_dense);
  *to = *ir_get_attr(op, ATTR_value)->dense;
  to->type = ir_result(op, 0)->type;
  ir_set_attr(op, ATTR_value, (ir_attr){.dense = to});
  return true;
}

bool gpu_pad_threads(gen *g) {
  padder p = {.m = g->m, .arena = g->arena};
  bool ok = ir_walk(g->entry, check_op, &p);
  if (p.wrong)
    gpu_unsupported(g, p.wrong,
                    "it has no code for tiles that are held by a number of threads which is no "
                    "power of two; use another layout, or the target interp");
  else if (ok && p.any)
    ir_walk(g->entry, pad_op, &p);
  return !p.wrong;
}
