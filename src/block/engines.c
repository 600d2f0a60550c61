/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/engines.h"

#include "opt/rewrite.h"

/* ---- making --------------------------------------------------------------------------------- */

static ir_op *make(const block_lowering *x, ir_op *at, op_code opcode, uint32_t n,
                   ir_value *const *operands, const uint32_t *segments) {
  ir_op *op = ir_op_create(x->m, &(ir_op_spec){.opcode = opcode,
                                               .loc = at->loc,
                                               .n_operands = n,
                                               .operands = operands,
                                               .segments = segments});
  ir_op_insert_before(at, op);
  return op;
}

static ir_value *load_all(const block_lowering *x, ir_op *at, ir_value *storage) {
  const ir_type *s = storage->type;
  const ir_type *t = ir_tile(x->m, (tsr_elem)s->elem, 0, s->rank, s->shape);
  return ir_result(rewrite_make(x->m, at, OP_load_shared, t, 1, &storage), 0);
}

/* ---- copies --------------------------------------------------------------------------------- */

/* What a map describes, and a view as it is. */
static ir_value *view_of(ir_value *v) {
  return v->type->kind == IR_TENSOR_MAP ? ir_operand(ir_defining_op(v), 0) : v;
}

/* The bytes have come: fewer are missing. */
static void count_bytes(const block_lowering *x, ir_op *op) {
  const ir_type *t = ir_operand_in(op, 2)->type;
  ir_value *operands[] = {ir_operand_in(op, 3), ir_operand_in(op, 4)};
  bool indexed = operands[1] != NULL;
  ir_op *made = make(x, op, OP_mbarrier_expect, 1 + indexed, operands, (uint32_t[]){1, indexed});
  ir_set_int(made, ATTR_bytes, -(int64_t)tsr_elem_storage((tsr_elem)t->elem, (size_t)t->count));
}

static void lower_load(const block_lowering *x, ir_op *op) {
  ir_value *operands[2 + IR_MAX_RANK] = {view_of(ir_operand(op, 0))};
  uint32_t n;
  const ir_use *offsets = ir_operand_group(op, 1, &n);
  for (uint32_t d = 0; d < n; d++) operands[1 + d] = offsets[d].value;
  operands[1 + n] = ir_operand_in(op, 2);
  ir_op *copy = make(x, op, OP_cp_async, n + 2, operands, (uint32_t[]){1, n, 1});
  ir_set_attr(copy, ATTR_layout, (ir_attr){0}); /* nobody asks which thread copies what */
  count_bytes(x, op);
  ir_op_erase(op);
}

static void lower_store(const block_lowering *x, ir_op *op) {
  ir_value *operands[2 + IR_MAX_RANK] = {load_all(x, op, ir_operand(op, 0)),
                                         view_of(ir_operand(op, 1))};
  uint32_t n;
  const ir_use *offsets = ir_operand_group(op, 2, &n);
  for (uint32_t d = 0; d < n; d++) operands[2 + d] = offsets[d].value;
  make(x, op, OP_store_global, n + 2, operands, (uint32_t[]){1, 1, n, 0});
  ir_op_erase(op);
}

static void lower_reduce(const block_lowering *x, ir_op *op) {
  ir_set_operand(op, 0, load_all(x, op, ir_operand(op, 0)));
  ir_set_operand(op, 1, view_of(ir_operand(op, 1)));
}

/* ---- products ------------------------------------------------------------------------------- */

/* Tiles in flight are tiles, in the types of all values. */
static void settle(ir_value *v) {
  if (v->type->kind == IR_ASYNC) v->type = v->type->view;
}

static void lower_product(const block_lowering *x, ir_op *op) {
  ir_value *operands[3];
  for (unsigned i = 0; i < 3; i++) {
    ir_value *v = ir_operand(op, i);
    operands[i] = v->type->kind == IR_SHARED ? load_all(x, op, v) : v;
  }
  ir_value *v = ir_result(rewrite_make(x->m, op, OP_mmaf, operands[2]->type, 3, operands), 0);
  rewrite_replace_op(op, &v);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void lower_op(const block_lowering *x, ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++) settle(&op->results[i]);
  switch ((op_code)op->opcode) {
  case OP_tensor_load:
  case OP_bulk_load: lower_load(x, op); return;
  case OP_tensor_store:
  case OP_bulk_store: lower_store(x, op); return;
  case OP_tensor_reduce: lower_reduce(x, op); return;
  case OP_wgmma: lower_product(x, op); return;
  case OP_wgmma_wait: {
    ir_value *v = ir_operand(op, 0);
    rewrite_replace_op(op, &v);
    return;
  }
  case OP_wgmma_fence:
  case OP_wgmma_commit:
  case OP_bulk_commit:
  case OP_bulk_wait:
  case OP_fence_async: ir_op_erase(op); return;
  default: return;
  }
}

static void lower_block(const block_lowering *x, ir_block *b) {
  for (uint32_t i = 0; i < b->n_args; i++) settle(&b->args[i]);
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) lower_block(x, op->regions[r]);
    lower_op(x, op);
  }
}

static void erase_maps(ir_block *b) {
  for (ir_op *op = b->last, *prev; op; op = prev) {
    prev = op->prev;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) erase_maps(op->regions[r]);
    if (op->opcode == OP_make_tensor_map) ir_op_erase(op);
  }
}

void engines_lower(const block_lowering *x) {
  lower_block(x, x->entry->regions[0]);
  erase_maps(x->entry->regions[0]);
}
