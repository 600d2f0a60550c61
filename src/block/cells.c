/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/cells.h"

#include "block/memory.h"
#include "opt/rewrite.h"

ir_value *cells_alloca(ir_module *m, ir_op *entry, ir_loc loc, int64_t count) {
  return memory_alloca(m, entry, loc, TSR_I32, count, 0);
}

static ir_value *make(const cell_maker *k, op_code opcode, const ir_type *t, uint32_t n,
                      ir_value *const *operands) {
  return ir_result(rewrite_make(k->m, k->at, opcode, t, n, operands), 0);
}

ir_value *cell_number(const cell_maker *k, int64_t n) {
  return rewrite_splat(k->m, k->at, ir_scalar(k->m, TSR_I32), (uint32_t)n);
}

ir_value *cell_binary(const cell_maker *k, op_code opcode, ir_value *a, ir_value *b) {
  return make(k, opcode, a->type, 2, (ir_value *[]){a, b});
}

ir_value *cell_compare(const cell_maker *k, int64_t predicate, ir_value *a, ir_value *b) {
  ir_value *bit = make(k, OP_cmpi, ir_scalar(k->m, TSR_I1), 2, (ir_value *[]){a, b});
  ir_set_int(bit->owner.op, ATTR_comparison_predicate, predicate);
  ir_set_int(bit->owner.op, ATTR_signedness, SIGN_SIGNED);
  return bit;
}

ir_value *cell_select(const cell_maker *k, ir_value *condition, ir_value *a, ir_value *b) {
  return make(k, OP_select, a->type, 3, (ir_value *[]){condition, a, b});
}

ir_value *cell_of_bit(const cell_maker *k, ir_value *bit) {
  ir_value *wide = make(k, OP_exti, ir_scalar(k->m, TSR_I32), 1, &bit);
  ir_set_int(wide->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return wide;
}

void cell_assert(const cell_maker *k, ir_value *condition, str message) {
  ir_op *op = ir_op_create(
      k->m, &(ir_op_spec){
                .opcode = OP_assert, .loc = k->at->loc, .n_operands = 1, .operands = &condition});
  ir_set_attr(op, ATTR_message, (ir_attr){.s = message});
  ir_op_insert_before(k->at, op);
}

ir_value *cell_pointer(const cell_maker *k, ir_value *base, int64_t number, ir_value *index) {
  ir_value *by = index;
  if (number && by) by = cell_binary(k, OP_addi, by, cell_number(k, number));
  if (number && !by) by = cell_number(k, number);
  return by ? make(k, OP_offset, base->type, 2, (ir_value *[]){base, by}) : base;
}

static ir_op *access(const cell_maker *k, op_code opcode, uint32_t n, ir_value *const *operands,
                     const uint32_t *segments, const ir_type *loaded) {
  const ir_type *results[] = {loaded, ir_token(k->m)};
  ir_op *op = ir_op_create(k->m, &(ir_op_spec){.opcode = opcode,
                                               .loc = k->at->loc,
                                               .n_operands = n,
                                               .operands = operands,
                                               .segments = segments,
                                               .n_results = loaded ? 2 : 1,
                                               .result_types = results + !loaded});
  ir_set_int(op, ATTR_memory_ordering_semantics, ORDER_WEAK);
  ir_op_insert_before(k->at, op);
  return op;
}

ir_value *cell_load(const cell_maker *k, ir_value *pointer) {
  const ir_type *t = ir_scalar(k->m, (tsr_elem)pointer->type->pointee);
  return ir_result(access(k, OP_load_ptr_tko, 1, &pointer, (uint32_t[]){1, 0, 0, 0}, t), 0);
}

void cell_store(const cell_maker *k, ir_value *pointer, ir_value *v) {
  (void)access(k, OP_store_ptr_tko, 2, (ir_value *[]){pointer, v}, (uint32_t[]){1, 1, 0, 0}, NULL);
}

ir_block *cell_branch(const cell_maker *k, ir_value *condition) {
  ir_op *branch = ir_op_create(k->m, &(ir_op_spec){.opcode = OP_if,
                                                   .loc = k->at->loc,
                                                   .n_operands = 1,
                                                   .operands = &condition,
                                                   .n_regions = 2});
  ir_op_insert_before(k->at, branch);
  ir_block *body = ir_region_create(k->m, branch, 0, 0, NULL);
  ir_op_append(body, ir_op_create(k->m, &(ir_op_spec){.opcode = OP_yield, .loc = k->at->loc}));
  return body;
}
