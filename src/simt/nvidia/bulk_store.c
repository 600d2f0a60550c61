/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/bulk_store.h"

static bool count(void *user, ir_op *op) {
  *(uint32_t *)user += op->opcode == OP_store_view_tko;
  return true;
}

uint32_t simt_count_bulk_stores(ir_op *entry) {
  uint32_t n = 0;
  ir_walk(entry, count, &n);
  return n;
}

/* Copies start at multiples of a swizzle's pattern. */
static bool has_whole_panels(const simt_box *box, uint32_t bytes) {
  return bytes == box->panel_bytes || box->panel_bytes % SIMT_STAGE_ALIGN == 0;
}

static bool try_store(void *user, ir_op *op) {
  simt_plan *plan = user;
  simt_bulk *b = simt_bulk_of(plan);
  if (op->opcode != OP_store_view_tko || !simt_allows_tma(plan, op)) return true;
  if (ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK) return true;
  const ir_type *t = ir_operand_in(op, 0)->type;
  simt_bulk_store s = {.op = op};
  simt_tensor_map m;
  if (!simt_box_of(ir_operand_in(op, 1), &s.box, &m)) return true;
  uint64_t bytes = (uint64_t)t->count << s.box.elem_bytes;
  if (bytes < SIMT_STORE_LEAST || s.box.panel_bytes > plan->target.gpu->shared_bytes) return true;
  if (s.box.row_bytes < SIMT_STORE_ROW || !has_whole_panels(&s.box, (uint32_t)bytes)) return true;
  m.stored = true;
  s.map = simt_bulk_map(b, &m);
  b->stores[b->n_stores++] = s;
  return true;
}

const simt_bulk_store *simt_bulk_store_of(const simt_plan *p, const ir_op *op) {
  for (uint32_t i = 0; simt_bulk_of(p) && i < simt_bulk_of(p)->n_stores; i++)
    if (simt_bulk_of(p)->stores[i].op == op) return &simt_bulk_of(p)->stores[i];
  return NULL;
}

uint32_t simt_bulk_store_bytes(const simt_plan *p, const ir_op *op) {
  const simt_bulk_store *s = simt_bulk_store_of(p, op);
  return s ? s->box.panel_bytes : 0;
}

/* Accesses that are no bulk copies. */
static bool has_no_other(void *user, ir_op *op) {
  const simt_plan *plan = user;
  if (!effect_reads(ir_effect(op)) && !effect_writes(ir_effect(op))) return true;
  return simt_staged_load(plan, op) || simt_bulk_store_of(plan, op);
}

void simt_plan_bulk_stores(simt_plan *plan, ir_op *entry) {
  uint32_t n = simt_count_bulk_stores(entry);
  simt_bulk_of(plan)->stores = arena_array(plan->arena, simt_bulk_store, MAX(n, 1));
  ir_walk(entry, try_store, plan);
  /* Where a launch has no map for one of several, threads store it themselves. */
  simt_bulk_of(plan)->meets =
      simt_bulk_of(plan)->n_stores > 1 || !ir_walk(entry, has_no_other, plan);
}

void simt_bulk_stores_print(sbuf *out, const simt_bulk *b) {
  for (uint32_t i = 0; i < b->n_stores; i++) {
    const simt_bulk_store *s = &b->stores[i];
    sbuf_printf(out, "    a tile stored by tensor map %u: boxes of ", s->map);
    simt_map_print(out, &b->maps[s->map]);
    sbuf_putc(out, '\n');
  }
}
