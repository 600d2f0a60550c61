/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/bulk.h"

#include <stdlib.h>

#include "simt/load_hoist.h"
#include "simt/nvidia/bulk_store.h"
#include "simt/nvidia/cluster.h"
#include "simt/nvidia/overlap.h"
#include "simt/nvidia/persistent.h"
#include "simt/nvidia/pingpong.h"

typedef struct search {
  simt_plan *plan;
  ir_op *entry;
  simt_bulk *out;
} search;

/* ---- what may run ahead --------------------------------------------------------------------- */

/* Stores of a pipelined loop stand after its products: what these read has arrived then. */
static bool store_behind_products(const simt_pipeline *p) {
  bool behind = true;
  for (ir_op *op = ir_region(p->loop, 0)->last; op; op = op->prev) {
    if (simt_effect_of(op) == SIMT_STORES && !behind) return false;
    for (uint32_t i = 0; i < p->n_loads; i++) behind &= p->loads[i].product != op;
  }
  return true;
}

/* The loads of a loop may be executed before all that stands in front of it, and in what surrounds
 * it: before any of its iterations. */
static bool may_run_ahead(const search *s, const simt_pipeline *p) {
  ir_op *outermost = p->loop;
  while (outermost->block->parent != s->entry) outermost = outermost->block->parent;
  for (ir_op *op = ir_region(s->entry, 0)->first; op != outermost; op = op->next)
    if (simt_effect_of(op) != SIMT_NO_EFFECT) return false;
  simt_effect effect = simt_effect_of(outermost);
  if (effect != SIMT_STORES) return effect == SIMT_NO_EFFECT;
  for (uint32_t i = 0; i < p->n_loads; i++)
    if (!simt_may_pass(s->plan, p->loads[i].load, outermost)) return false;
  return store_behind_products(p);
}

/* Only `for` surrounds it: who knows their bounds knows how often it is executed. */
static bool is_in_loops_only(const search *s, const ir_op *loop) {
  for (const ir_op *up = loop->block->parent; up != s->entry; up = up->block->parent)
    if (up->opcode != OP_for) return false;
  return true;
}

/* Iterations end at their end, in it and in what surrounds it. */
static bool ends_at_end(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_continue || op->block->parent->opcode != OP_if;
}

/* The entry ends at its end: nobody leaves while copies are under way. */
static bool returns_at_end(void *user, ir_op *op) {
  return op->opcode != OP_return || op->block == ir_region(user, 0);
}

/* ---- what the producer must know ------------------------------------------------------------ */

/* Takes what a scalar, view or token is computed from; false when only the consumers know it. */
static bool need(search *s, const ir_value *v, unsigned depth) {
  enum { MOST_DEPTH = 200 };
  if (v->type->kind == IR_TOKEN) return true;
  if (v->is_arg) {
    const ir_op *owner = v->owner.block->parent;
    return owner == s->entry || (owner->opcode == OP_for && v->index == 0);
  }
  ir_op *op = v->owner.op;
  uintptr_t *slot = map_put(s->plan->arena, &s->out->needed, (uintptr_t)op);
  if (*slot) return true;
  if (depth == MOST_DEPTH || !ir_only_computes(op)) return false;
  for (uint32_t i = 0; i < op->n_results; i++) {
    const ir_type *t = ir_result(op, i)->type;
    if (t->kind == IR_TILE && t->count != 1) return false;
  }
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!need(s, ir_operand(op, i), depth + 1)) return false;
  *map_put(s->plan->arena, &s->out->needed, (uintptr_t)op) = 1;
  return true;
}

/* The bounds of the loop and of those around it, which it must go through as well. */
static bool need_loops(search *s, ir_op *loop) {
  for (ir_op *up = loop; up != s->entry; up = up->block->parent) {
    for (uint32_t i = 0; i < 3; i++)
      if (!need(s, ir_operand(up, i), 0)) return false;
    *map_put(s->plan->arena, &s->out->needed, (uintptr_t)up) = 1;
  }
  return true;
}

/* ---- tensor maps ---------------------------------------------------------------------------- */

static bool is_zero_padded(const ir_type *t) {
  return t->padding < 0 || t->padding == PADDING_ZERO;
}

/* Whether a box puts the tile where the operand wants it. */
static bool lies_as_wanted(const simt_staged *x, const simt_box *box) {
  for (unsigned k = 0; k < x->to_operand.from_n; k++)
    if (x->layout.column[x->to_operand.to[k]] != box->column[k]) return false;
  return true;
}

static bool make_map(const search *s, const simt_staged *x, simt_tensor_map *m) {
  const ir_value *tiles = ir_operand_in(x->load, 0);
  simt_box box;
  return simt_allows_tma(s->plan, x->load) && is_zero_padded(tiles->type) &&
         simt_box_of(tiles, &box, m) && lies_as_wanted(x, &box);
}

/* By member: what lies between members is anything. */
static bool same_map(const simt_tensor_map *a, const simt_tensor_map *b) {
  return a->view == b->view && a->elem == b->elem && a->rank == b->rank &&
         a->swizzle == b->swizzle && a->stored == b->stored &&
         memcmp(a->dim, b->dim, sizeof a->dim) == 0 && memcmp(a->box, b->box, sizeof a->box) == 0;
}

uint32_t simt_bulk_map(simt_bulk *b, const simt_tensor_map *m) {
  for (uint32_t i = 0; i < b->n_maps; i++)
    if (same_map(&b->maps[i], m)) return i;
  b->maps[b->n_maps] = *m;
  return b->n_maps++;
}

/* ---- loops ---------------------------------------------------------------------------------- */

static uint32_t group_of(simt_bulk_loop *l, const ir_op *product) {
  for (uint32_t i = 0; i < l->n_products; i++)
    if (l->products[i] == product) return i;
  l->products[l->n_products] = product;
  return l->n_products++;
}

static int by_place(const void *a, const void *b) {
  const ir_op *x = *(const ir_op *const *)a, *y = *(const ir_op *const *)b;
  if (x == y) return 0;
  for (const ir_op *op = x; op; op = op->next)
    if (op == y) return -1;
  return 1;
}

static bool take_loads(search *s, simt_bulk_loop *l) {
  const simt_pipeline *p = l->pipeline;
  for (uint32_t i = 0; i < p->n_loads; i++) {
    /* Others read their operands into registers, and need those that a producer takes. */
    if (simt_op_of(s->plan, p->loads[i].product)->mma != SIMT_MMA_GROUP) return false;
    simt_tensor_map m;
    if (!make_map(s, &p->loads[i], &m)) return false;
    uint32_t n;
    ir_use *index = ir_operand_group(p->loads[i].load, 1, &n);
    for (uint32_t k = 0; k < n; k++)
      if (!need(s, index[k].value, 0)) return false;
    l->map[i] = simt_bulk_map(s->out, &m);
    group_of(l, p->loads[i].product);
  }
  qsort(l->products, l->n_products, sizeof *l->products, by_place);
  for (uint32_t i = 0; i < p->n_loads; i++) l->group[i] = group_of(l, p->loads[i].product);
  return true;
}

static bool take_loop(search *s, ir_op *loop, simt_pipeline *p) {
  arena *a = s->plan->arena;
  simt_bulk_loop *l = &s->out->loops[s->out->n_loops];
  *l = (simt_bulk_loop){.pipeline = p};
  l->map = arena_array(a, uint32_t, p->n_loads);
  l->group = arena_array(a, uint32_t, p->n_loads);
  l->shared = arena_array(a, simt_shared_load, p->n_loads);
  memset(l->shared, 0, p->n_loads * sizeof *l->shared);
  l->products = arena_array(a, const ir_op *, p->n_loads);
  if (!is_in_loops_only(s, loop) || !may_run_ahead(s, p)) return false;
  if (!ir_walk(loop, ends_at_end, NULL)) return false;
  if (!take_loads(s, l) || !need_loops(s, loop)) return false;
  s->out->n_loops++;
  return true;
}

/* ---- memory and registers ------------------------------------------------------------------- */

static bool same_loads(const simt_bulk_loop *a, const simt_bulk_loop *b) {
  for (uint32_t i = 0; i < a->pipeline->n_loads; i++) {
    const simt_staged *x = &a->pipeline->loads[i], *y = &b->pipeline->loads[i];
    if (a->map[i] != b->map[i] || a->group[i] != b->group[i] || x->offset != y->offset)
      return false;
    if (x->layout.n != y->layout.n || x->layout.elem_bytes != y->layout.elem_bytes) return false;
  }
  return true;
}

/* One loop behind the other, which fill a stage alike. */
static bool may_share_ring(const search *s, const simt_bulk_loop *a, const simt_bulk_loop *b) {
  const simt_pipeline *p = a->pipeline, *q = b->pipeline;
  return p->loop->block->parent == s->entry && q->loop->block->parent == s->entry &&
         p->n_loads == q->n_loads && p->stage_bytes == q->stage_bytes && p->asked == q->asked &&
         (!p->asked || p->stages == q->stages) && a->n_products == b->n_products &&
         same_loads(a, b);
}

/* Loops that split-masks (opt/mask_split.c) makes of one go through one ring of stages, which the
 * producer fills for the second while the first is still at work. */
static void share_rings(search *s) {
  simt_bulk *b = s->out;
  for (uint32_t i = 0; i < b->n_loops; i++) {
    simt_bulk_loop *l = &b->loops[i];
    l->ring = i;
    if (i == 0 || !may_share_ring(s, &b->loops[i - 1], l)) continue;
    simt_bulk_loop *first = &b->loops[b->loops[i - 1].ring];
    l->ring = first->ring;
    first->pipeline->stages = MIN(first->pipeline->stages, l->pipeline->stages);
    for (uint32_t k = first->ring; k <= i; k++)
      b->loops[k].pipeline->stages = first->pipeline->stages;
  }
}

static void set_stages(simt_bulk *b, uint32_t ring, unsigned stages) {
  for (uint32_t i = 0; i < b->n_loops; i++)
    if (b->loops[i].ring == ring) b->loops[i].pipeline->stages = stages;
}

/* Barriers, in front, then the loops' stages. */
static bool place_stages(search *s) {
  simt_bulk *b = s->out;
  uint32_t at = 0;
  b->scratch = 0;
  for (uint32_t i = 0; i < b->n_loops; i++) {
    simt_bulk_loop *l = &b->loops[i];
    l->barriers = simt_begins_ring(b, i) ? at : b->loops[l->ring].barriers;
    if (simt_begins_ring(b, i)) /* if each has an `empty` of its own */
      at += 8 * 2 * l->n_products * l->pipeline->stages;
    b->scratch = MAX(b->scratch, l->pipeline->scratch);
    /* While a loop around it continues, so does the producer. */
    bool nested = l->pipeline->loop->block->parent != s->entry;
    if (nested) b->scratch = MAX(b->scratch, simt_scratch_of(s->plan, s->entry));
  }
  /* Nor do operands in front of loops make room for conversions. */
  if (s->plan->target.printed) b->scratch += simt_scratch_of(s->plan, s->entry);
  if (at > SIMT_STAGE_ALIGN) return false;
  at = SIMT_STAGE_ALIGN;
  for (uint32_t i = 0; i < b->n_loops; i++) {
    b->loops[i].offset = simt_begins_ring(b, i) ? at : b->loops[b->loops[i].ring].offset;
    if (simt_begins_ring(b, i))
      at += b->loops[i].pipeline->stages * b->loops[i].pipeline->stage_bytes;
  }
  b->bytes = at;
  return at + b->scratch <= s->plan->target.gpu->shared_bytes;
}

/* The most registers of a thread that a product's accumulator takes. */
static unsigned most_accumulators(const simt_plan *p, const simt_bulk *b) {
  unsigned most = 0;
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->loops[i].n_products; k++) {
      const ir_value *sum = ir_result(b->loops[i].products[k], 0);
      most = MAX(most, 1u << simt_value_of(p, sum)->dist.regs);
    }
  return most;
}

/* A multiprocessor's registers are given out to warps in eights for each thread. With two
 * warpgroups of consumers a block takes all of them; with one, half, unless its accumulators are so
 * large that ptxas wants more from the kernel's start on. */
static bool share_registers(simt_plan *p, simt_bulk *b) {
  enum { LARGE = 128 };
  bool two = p->warps == 3, all = two || most_accumulators(p, b) >= LARGE;
  if (p->warps != 2 && !two) return false;
  b->registers = all ? 168 : 128;
  b->producer_registers = 24;
  b->consumer_registers = all ? 240 : 232;
  return true;
}

static simt_bulk_loop *longest_loop(simt_bulk *b, unsigned least) {
  simt_bulk_loop *found = NULL;
  for (uint32_t i = 0; i < b->n_loops; i++) {
    simt_bulk_loop *l = &b->loops[i];
    if (l->pipeline->asked || l->pipeline->stages <= least) continue;
    if (!found || l->pipeline->stages > found->pipeline->stages) found = l;
  }
  return found;
}

/* Two blocks on a multiprocessor have twice the threads for what tensor cores don't do, which is
 * worth more than a stage: gives stages up where that makes room for two. */
static void make_room_for_two(search *s) {
  const gpu_target *gpu = s->plan->target.gpu;
  simt_bulk *b = s->out;
  uint32_t room = gpu->shared_sm / 2 - gpu->block_reserved;
  uint64_t threads = (1u << (s->plan->lanes + s->plan->warps)) + SIMT_PRODUCER_THREADS;
  if (2 * threads * b->registers > gpu->registers) return;
  unsigned *before = arena_array(s->plan->arena, unsigned, b->n_loops);
  for (uint32_t i = 0; i < b->n_loops; i++) before[i] = b->loops[i].pipeline->stages;
  simt_bulk_loop *l;
  while (b->bytes + b->scratch > room && (l = longest_loop(b, SIMT_LEAST_BULK_STAGES))) {
    set_stages(b, l->ring, l->pipeline->stages - 1);
    place_stages(s);
  }
  if (b->bytes + b->scratch <= room) return;
  for (uint32_t i = 0; i < b->n_loops; i++) b->loops[i].pipeline->stages = before[i];
  place_stages(s);
}

typedef struct loops {
  search *s;
  uint32_t n;
  bool good;
} loops;

static bool count_loop(void *user, ir_op *op) {
  loops *x = user;
  const simt_pipeline *p = simt_pipeline_of(x->s->plan, op);
  x->n += p ? p->n_loads : 0;
  return true;
}

static bool try_loop(void *user, ir_op *op) {
  loops *x = user;
  simt_pipeline *p = map_ptr(&x->s->plan->pipelines, op);
  if (p) x->good &= take_loop(x->s, op, p);
  return true;
}

/* Where stages are not given back behind the loops, there are fewer where that makes room for what
 * follows. */
static bool make_room(search *s) {
  simt_bulk_loop *l;
  bool good = place_stages(s);
  while (!good && s->plan->target.printed && (l = longest_loop(s->out, 2))) {
    set_stages(s->out, l->ring, l->pipeline->stages - 1);
    good = place_stages(s);
  }
  return good;
}

/* Sets simt_bulk_of(plan) if shared memory and registers do, and clusters where they are asked for.
 */
static bool share_out(search *s) {
  simt_plan *p = s->plan;
  p->own = s->out;
  share_rings(s);
  simt_plan_bulk_stores(p, s->entry);
  bool good = make_room(s) && share_registers(p, s->out);
  if (good) make_room_for_two(s);
  good = good && (p->target.form != SIMT_CLUSTERED || simt_plan_cluster(p, s->entry, s->out));
  if (!good) p->own = NULL;
  return good;
}

/* Maps that loads use must be made. */
static uint32_t find_optional(const simt_bulk *b) {
  uint64_t optional = (UINT64_C(1) << MIN(b->n_maps, 32u)) - 1;
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->loops[i].pipeline->n_loads; k++)
      if (b->loops[i].map[k] < 32) optional &= ~(UINT64_C(1) << b->loops[i].map[k]);
  return (uint32_t)optional;
}

static void plan_overlap(const simt_plan *p, simt_bulk_loop *l, unsigned registers) {
  l->early = simt_early_product(p, l, registers);
  l->late = simt_late_product(p, l, registers, &l->late_use);
  l->apart = l->n_products > 1 && (l->early || l->late);
  simt_plan_ping_pong(p, l);
}

/* A stage is given back in one way in all loops of a ring. */
static void agree_on_rings(simt_bulk *b) {
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->n_loops; k++)
      if (b->loops[i].ring == b->loops[k].ring) b->loops[i].apart |= b->loops[k].apart;
}

void simt_plan_bulk(simt_plan *plan, ir_op *entry) {
  simt_bulk *b = arena_new(plan->arena, simt_bulk);
  search s = {.plan = plan, .entry = entry, .out = b};
  loops x = {.s = &s, .good = true};
  *b = (simt_bulk){.cluster = {1, 1, 1}};
  if (plan->target.form == SIMT_PLAIN) return;
  ir_walk(entry, count_loop, &x);
  if (x.n == 0 || !ir_walk(entry, returns_at_end, entry)) return;
  b->loops = arena_array(plan->arena, simt_bulk_loop, x.n);
  b->maps = arena_array(plan->arena, simt_tensor_map, x.n + simt_count_bulk_stores(entry));
  ir_walk(entry, try_loop, &x);
  if (!x.good || !share_out(&s)) return;
  for (uint32_t i = 0; i < b->n_loops; i++) plan_overlap(plan, &b->loops[i], b->consumer_registers);
  agree_on_rings(b);
  b->optional = find_optional(b);
  simt_plan_persistent(plan, entry);
}

const simt_bulk_loop *simt_bulk_loop_of(const simt_plan *p, const ir_op *loop) {
  for (uint32_t i = 0; simt_bulk_of(p) && i < simt_bulk_of(p)->n_loops; i++)
    if (simt_bulk_of(p)->loops[i].pipeline->loop == loop) return &simt_bulk_of(p)->loops[i];
  return NULL;
}

/* ---- text ----------------------------------------------------------------------------------- */

void simt_map_print(sbuf *out, const simt_tensor_map *m) {
  for (unsigned d = 0; d < m->rank; d++) sbuf_printf(out, "%s%u", d ? "x" : "", m->box[d]);
  sbuf_printf(out, " %s, swizzled %u bytes wide", tsr_elem_name((tsr_elem)m->elem), m->swizzle);
}

static void print_shared(sbuf *out, const simt_bulk *b, const simt_shared_load *x) {
  if (!x->dims) return;
  sbuf_printf(out, ", a slice of %u for all along ", simt_cluster_group(b, x->dims));
  for (unsigned d = 0; d < 3; d++)
    if (x->dims >> d & 1) sbuf_putc(out, "xyz"[d]);
  if (x->maybe) sbuf_puts(out, " where it is the same tile");
}

void simt_bulk_print(sbuf *out, const simt_bulk *b) {
  sbuf_printf(out,
              "  once more with a producer of %u threads, %u registers for each, %u for consumers",
              SIMT_PRODUCER_THREADS, b->producer_registers, b->consumer_registers);
  if (simt_cluster_blocks(b) > 1)
    sbuf_printf(out, ", in clusters of %ux%ux%u tile blocks", b->cluster[0], b->cluster[1],
                b->cluster[2]);
  sbuf_putc(out, '\n');
  for (uint32_t i = 0; i < b->n_loops; i++) {
    const simt_bulk_loop *l = &b->loops[i];
    sbuf_printf(out, "    %u stages of %u bytes at %u%s, filled for %u product%s\n",
                l->pipeline->stages, l->pipeline->stage_bytes, l->offset,
                simt_begins_ring(b, i) ? "" : ", those of the loop before", l->n_products,
                l->n_products == 1 ? "" : "s");
    for (uint32_t k = 0; k < l->n_products; k++) {
      if (l->products[k] == l->early)
        sbuf_printf(out, "      product %u is begun an iteration early\n", k);
      if (l->products[k] == l->late)
        sbuf_printf(out, "      product %u is waited for an iteration late\n", k);
    }
    if (l->turn_begin) sbuf_puts(out, "      two warpgroups take turns\n");
    for (uint32_t k = 0; k < l->pipeline->n_loads; k++) {
      sbuf_printf(out, "      %s by tensor map %u: boxes of ",
                  l->pipeline->loads[k].is_lhs ? "lhs" : "rhs", l->map[k]);
      simt_map_print(out, &b->maps[l->map[k]]);
      print_shared(out, b, &l->shared[k]);
      sbuf_putc(out, '\n');
    }
  }
  simt_bulk_stores_print(out, b);
  if (b->persistent)
    sbuf_printf(out, "    persistent, tile blocks in bands of %u\n", (unsigned)SIMT_BAND);
}
