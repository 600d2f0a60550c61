/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Live ranges of tiles over the operations in program order, a loop's from its begin to its end
 * where it uses what was made in front of it. Addresses and what operations need besides are not
 * counted.
 */
#include "gpu/block/pressure.h"

#include "gpu/placement.h"
#include "gpu/values.h"

/* An operation's number in program order, and that of the last one inside of it. */
typedef struct extent {
  const ir_op *op;
  uint32_t first, last;
} extent;

typedef struct pressure {
  gen *g;
  VEC(extent *) extents;
  map of;         /* ir_op * -> extent * */
  int32_t *delta; /* by number: registers that are in use after it, less those that no longer are */
} pressure;

static void number_block(pressure *p, const ir_block *b) {
  arena *a = p->g->arena;
  for (const ir_op *op = b->first; op; op = op->next) {
    extent *x = arena_new(a, extent);
    *x = (extent){.op = op, .first = p->extents.len};
    vec_push(a, p->extents, x);
    *map_put(a, &p->of, (uintptr_t)op) = (uintptr_t)x;
    bool is_body = op->opcode == OP_reduce || op->opcode == OP_scan;
    for (unsigned r = 0; !is_body && r < op->n_regions; r++)
      if (op->regions[r]) number_block(p, op->regions[r]);
    x->last = p->extents.len - 1;
  }
}

static const extent *extent_of(const pressure *p, const ir_op *op) {
  return map_ptr(&p->of, op);
}

/* Of 32 bits. What is loaded stays as it is in memory. */
static int32_t registers_of(gen *g, const ir_value *v) {
  const ir_type *t = v->type;
  if (t->kind != IR_TILE || t->count == 1 || t->elem == TSR_I1) return 0;
  if (g->placement->is_expression(g, v)) return 0;
  simt_dist d = gpu_dist(g, v);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem), slots = slots_of(&d);
  if (bits < 32 && !g->placement->is_fused(g, v)) bits = 32;
  return (int32_t)((slots * bits + 31) / 32);
}

/* The number after which a use no longer needs the value: the end of the outermost loop that the
 * value comes into from outside. */
static uint32_t end_of_use(const pressure *p, const ir_op *user, const ir_block *made) {
  const ir_op *at = user;
  uint32_t end = 0;
  for (; at->block && at->block != made; at = at->block->parent) {
    const ir_op *parent = at->block->parent;
    const extent *x = extent_of(p, parent);
    if (x && (parent->opcode == OP_for || parent->opcode == OP_loop)) end = x->last;
  }
  const extent *x = extent_of(p, user);
  return MAX(end, x ? x->first : 0);
}

static void add_value(pressure *p, const ir_value *v, const ir_block *made, uint32_t begin) {
  int32_t n = registers_of(p->g, v);
  uint32_t end = begin;
  for (const ir_use *u = v->uses; n && u; u = u->next) end = MAX(end, end_of_use(p, u->user, made));
  if (end == begin) return;
  p->delta[begin] += n;
  p->delta[end] -= n;
}

static void add_values(pressure *p, const extent *x) {
  const ir_op *op = x->op;
  for (uint32_t i = 0; i < op->n_results; i++) add_value(p, &op->results[i], op->block, x->last);
  bool is_body = op->opcode == OP_reduce || op->opcode == OP_scan;
  for (unsigned r = 0; !is_body && r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      add_value(p, &op->regions[r]->args[i], op->regions[r], x->first);
}

void gpu_check_pressure(gen *g) {
  pressure p = {.g = g};
  number_block(&p, ir_region(g->entry, 0));
  uint32_t n = p.extents.len, worst = 0;
  p.delta = arena_array(g->arena, int32_t, MAX(n, 1));
  memset(p.delta, 0, n * sizeof *p.delta);
  for (uint32_t i = 0; i < n; i++) add_values(&p, p.extents.data[i]);
  int32_t now = 0, most = 0;
  for (uint32_t i = 0; i < n; i++) {
    now += p.delta[i];
    if (now > most) worst = i;
    most = MAX(most, now);
  }
  if (most <= (int32_t)g->target->thread_registers) return;
  diag(g->ctx, TSR_WARNING, ir_place(g->m, p.extents.data[worst]->op->loc),
       "the tiles that are in use here take %d registers of each thread, which has %u on %s: some "
       "will be in memory; use more threads, or smaller tiles",
       most, g->target->thread_registers, g->target->name);
}
