/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/pingpong.h"

#include "simt/load_hoist.h"

enum { LEAST_STAGES = 3, MOST_PRODUCTS = 16 };

/* ---- clocks of a warpgroup ------------------------------------------------------------------ */

/* Whether the special function unit computes it. Those that it has no instruction for are many
 * instructions around one of it, and are not estimated: they count as one. */
static bool is_special(const ir_op *op) {
  const op_row *row = ir_row(op);
  switch (op->opcode) {
  case OP_remf:
  case OP_pow:
  case OP_fpowi:
  case OP_tan:
  case OP_sinh:
  case OP_cosh:
  case OP_atan2: return false;
  default:
    return row->group == GROUP_FLOAT && (row->cost == COST_MEDIUM || row->cost == COST_EXPENSIVE);
  }
}

static bool is_conversion(const ir_op *op) {
  return op->opcode == OP_ftof || op->opcode == OP_itof || op->opcode == OP_ftoi;
}

/* Each of its warps has a scheduler, which begins an instruction in a clock; special functions,
 * conversions and a reduction's exchanges take the units that do them longer. */
static uint64_t clocks_of(const simt_plan *p, const ir_op *op) {
  enum { REDUCTION = 2 };
  const gpu_target *gpu = p->target.gpu;
  unsigned each = 1;
  if (op->opcode == OP_reduce || op->opcode == OP_scan) {
    each = REDUCTION;
  } else if (!(ir_row(op)->traits & TRAIT_ELEMENTWISE)) {
    return 0;
  } else {
    if (is_special(op)) each = gpu->f32_rate / gpu->special_rate;
    if (is_conversion(op)) each = gpu->f32_rate / gpu->conversion_rate;
  }
  const ir_type *t = ir_operand_in(op, 0)->type;
  return t->kind == IR_TILE ? each * ((uint64_t)t->count >> (p->warps + p->lanes)) : 0;
}

/* Half of the product is the warpgroup's. */
static uint64_t product_clocks(const simt_plan *p, const ir_op *op) {
  simt_product s = simt_product_of(op);
  uint64_t bits = tsr_elem_bits((tsr_elem)ir_operand_in(op, 0)->type->elem);
  return (bits << (s.m + s.n + s.k)) / 16 / (2 * p->target.gpu->matrix_rate);
}

/* ---- the loop ------------------------------------------------------------------------------- */

static bool is_group_product(const simt_plan *p, const ir_op *op) {
  bool product = op->opcode == OP_mmaf || op->opcode == OP_mmai;
  return product && simt_op_of(p, op)->mma == SIMT_MMA_GROUP;
}

typedef struct sequence {
  unsigned n;
  const ir_op *product[MOST_PRODUCTS];
  uint64_t before[MOST_PRODUCTS]; /* clocks of what is computed since the product in front of it */
  uint64_t products;              /* clocks of all */
  bool meets;
} sequence;

/* What is computed after the last product belongs to the first one of the next iteration. */
static bool find_sequence(const simt_plan *p, const ir_block *body, sequence *s) {
  uint64_t since = 0;
  *s = (sequence){0};
  for (const ir_op *op = body->first; op; op = op->next) {
    if (!is_group_product(p, op)) {
      since += op->n_operands ? clocks_of(p, op) : 0;
      s->meets |= simt_crosses_warps(p, op);
      continue;
    }
    if (s->n == MOST_PRODUCTS) return false;
    s->product[s->n] = op;
    s->before[s->n++] = since;
    s->products += product_clocks(p, op);
    since = 0;
  }
  if (s->n) s->before[0] += since;
  return s->n > 0;
}

/* All warps meet where an operand is turned in its place, which two groups that take turns must
 * not.
 */
static bool turns_operands(const simt_pipeline *p) {
  for (uint32_t i = 0; i < p->n_loads; i++)
    if (p->loads[i].turned) return true;
  return false;
}

static int64_t hint_of(const simt_plan *p, const ir_op *loop) {
  const ir_op *up = loop;
  while (up->opcode != OP_entry) up = up->block->parent;
  return simt_hint_or(up, p->target.gpu, "ping_pong", -1);
}

void simt_plan_ping_pong(const simt_plan *p, simt_bulk_loop *l) {
  enum { TWO_GROUPS = 3 /* log2 of the consumers' warps */, WORTH = 4 };
  sequence s;
  int64_t hint = hint_of(p, l->pipeline->loop);
  if (p->warps != TWO_GROUPS || l->pipeline->stages < LEAST_STAGES || hint == 0) return;
  if (simt_effect_of(l->pipeline->loop) != SIMT_NO_EFFECT) return;
  if (turns_operands(l->pipeline)) return;
  if (!find_sequence(p, ir_region(l->pipeline->loop, 0), &s)) return;
  unsigned longest = 0;
  for (unsigned i = 1; i < s.n; i++)
    if (s.before[i] > s.before[longest]) longest = i;
  bool worth = WORTH * s.before[longest] >= s.products && !s.meets;
  if (hint < 0 && !worth) return;
  l->turn_begin = s.product[longest];
  l->turn_end = s.product[(longest + s.n - 1) % s.n];
}

bool simt_turn_wraps(const simt_bulk_loop *l) {
  if (l->turn_begin == l->turn_end) return false;
  for (const ir_op *op = l->turn_end; op; op = op->next)
    if (op == l->turn_begin) return true;
  return false;
}
