/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "opt/one_device.h"

#include "ir/multimem.h"
#include "opt/rewrite.h"

enum { GROUPS = 4 };

typedef struct search {
  arena *arena;
  op_list found;
} search;

static bool is_on_several(const ir_op *op) {
  return ir_on_one_device((op_code)op->opcode) != op->opcode;
}

static bool find(void *user, ir_op *op) {
  search *s = user;
  if (is_on_several(op)) vec_push(s->arena, s->found, op);
  return true;
}

/* Which operand group of `from` each group of `to` is; the token is the last of both. */
static void pair_groups(op_code from, op_code to, unsigned order[GROUPS]) {
  for (unsigned g = 0; g < GROUPS; g++) order[g] = g;
  if (to == OP_load_view_tko) return;
  order[ir_view_group(to)] = ir_view_group(from);
  order[ir_index_group(to)] = ir_index_group(from);
  order[ir_stored_group(to)] = ir_stored_group(from);
}

static ir_op *access(ir_module *m, const ir_op *op, op_code to) {
  unsigned order[GROUPS], groups = op_n_operands(ir_row(op));
  uint32_t segments[GROUPS], n = 0, count;
  ir_value **operands = arena_array(&m->arena, ir_value *, op->n_operands);
  const ir_type *types[2] = {NULL};
  pair_groups((op_code)op->opcode, to, order);
  for (unsigned g = 0; g < groups; g++) {
    const ir_use *group = ir_operand_group(op, order[g], &count);
    segments[g] = count;
    for (uint32_t k = 0; k < count; k++) operands[n++] = group[k].value;
  }
  for (uint32_t k = 0; k < op->n_results; k++) types[k] = ir_result(op, k)->type;
  return ir_op_create(m, &(ir_op_spec){.opcode = to,
                                       .loc = op->loc,
                                       .n_operands = n,
                                       .operands = operands,
                                       .segments = segments,
                                       .n_results = op->n_results,
                                       .result_types = types});
}

/* The update of a view has no scope beyond the device, and needs none: no other has a copy. */
static void set_update(ir_op *made, const ir_op *op) {
  tsr_elem elem = (tsr_elem)ir_operand_in(op, ir_stored_group((op_code)op->opcode))->type->elem;
  ir_set_int(made, ATTR_mode, ir_update_mode(op, elem));
  if (ir_int_attr(op, ATTR_memory_scope) == SCOPE_SYS)
    ir_set_int(made, ATTR_memory_scope, SCOPE_DEVICE);
}

static void replace(ir_module *m, ir_op *op) {
  ir_value *results[2];
  ir_op *made = access(m, op, ir_on_one_device((op_code)op->opcode));
  rewrite_copy_attrs(made, op);
  if (made->opcode == OP_atomic_red_view_tko) set_update(made, op);
  ir_op_insert_before(op, made);
  for (uint32_t k = 0; k < made->n_results; k++) results[k] = ir_result(made, k);
  rewrite_replace_op(op, results);
}

void opt_on_one_device(ir_module *m) {
  search s = {.arena = &m->arena};
  ir_walk(m->op, find, &s);
  for (uint32_t i = 0; i < s.found.len; i++) replace(m, s.found.data[i]);
}

static bool is_on_one(void *user, ir_op *op) {
  ir_op **several = user;
  if (is_on_several(op)) *several = op;
  return !*several;
}

bool opt_check_one_device(const ir_module *m, ir_op *const *entries, unsigned n, const char *why) {
  ir_op *several = NULL;
  for (unsigned i = 0; i < n && !several; i++) ir_walk(entries[i], is_on_one, &several);
  if (several) ir_error(m, several, "%s %s", ir_row(several)->name, why);
  return !several;
}
