/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/block/fused.h"

#include "gpu/block/packed.h"
#include "gpu/block/stated.h"

/* Into another order of the same thread's registers. */
static bool is_near(gen *g, const ir_op *op) {
  simt_dist from = gpu_type_dist(g, ir_operand(op, 0)->type);
  simt_dist to = gpu_type_dist(g, ir_result(op, 0)->type);
  return simt_is_near(&from, &to);
}

static bool moves(gen *g, const ir_op *op) {
  if (op->opcode == OP_convert_layout) return is_near(g, op);
  return op->opcode == OP_reshape || op->opcode == OP_permute;
}

bool gpu_begins_fused(const ir_op *op) {
  if (op->opcode == OP_load_global || op->opcode == OP_load_shared) return true;
  if (op->opcode != OP_reinterpret) return false;
  unsigned bits = tsr_elem_bits((tsr_elem)ir_result(op, 0)->type->elem);
  return bits > 1 && bits < 8 && gpu_fills_words(bits);
}

/* A tile that a thread has to keep for the operation, as no constant is. */
static bool is_source(const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  bool small =
      op && (op->opcode == OP_constant || op->opcode == OP_iota || op->opcode == OP_broadcast);
  return v->type->kind == IR_TILE && v->type->count > 1 && !small;
}

static bool has_one_source(const ir_op *op) {
  unsigned n = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) n += is_source(ir_operand(op, i));
  return n <= 1;
}

static bool takes_elements(gen *g, const ir_use *u) {
  const ir_op *user = u->user;
  uint32_t i = (uint32_t)(u - user->operands);
  switch (user->opcode) {
  case OP_mmaf:
  case OP_mmai: return i < 2;
  case OP_store_shared: return i == 0 && tsr_elem_bits((tsr_elem)u->value->type->elem) >= 8;
  default: break;
  }
  bool passes = moves(g, user) || ir_row(user)->traits & TRAIT_ELEMENTWISE;
  return passes && g->fused[ir_result(user, 0)->number];
}

/* What is loaded may have several users, what is computed is computed once. */
static bool is_fused(gen *g, const ir_op *op) {
  const ir_value *v = ir_result(op, 0);
  bool computes = ir_row(op)->traits & TRAIT_ELEMENTWISE && has_one_source(op);
  if (v->type->kind != IR_TILE || v->type->count == 1 || !(moves(g, op) || computes)) return false;
  if (!ir_has_one_use(v)) return false;
  return v->uses->user->block == op->block && takes_elements(g, v->uses);
}

/* Whether a loaded tile is at the other end: a chain that begins with registers saves none. */
static bool begins_loaded(gen *g, const ir_op *op) {
  enum { DEPTH = 16 };
  for (unsigned depth = 0; op && depth < DEPTH; depth++) {
    const ir_value *next = NULL;
    if (gpu_begins_fused(op)) return true;
    if (!moves(g, op) && !(ir_row(op)->traits & TRAIT_ELEMENTWISE)) return false;
    for (uint32_t i = 0; i < op->n_operands && !next; i++)
      if (is_source(ir_operand(op, i))) next = ir_operand(op, i);
    op = next ? ir_defining_op(next) : NULL;
  }
  return false;
}

/* From a block's end to its begin, so that uses are known before what they use. */
static bool find_in(void *user, ir_op *parent) {
  gen *g = user;
  bool is_body = parent->opcode == OP_reduce || parent->opcode == OP_scan;
  for (unsigned r = 0; r < parent->n_regions && !is_body; r++) {
    ir_block *b = ir_region(parent, r);
    for (ir_op *op = b ? b->last : NULL; op; op = op->prev)
      if (op->n_results && is_fused(g, op) && begins_loaded(g, op))
        g->fused[ir_result(op, 0)->number] = 1;
  }
  return true;
}

void gpu_find_fused(gen *g) {
  g->fused = arena_array(g->arena, uint8_t, MAX(g->n_values, 1));
  memset(g->fused, 0, MAX(g->n_values, 1));
  ir_walk(g->entry, find_in, g);
}
