/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changing a program.
 */
#include "opt/rewrite.h"

#include "base/invariant.h"
#include "num/num.h"
#include "opt/fold.h"

/* ---- making operations ---------------------------------------------------------------------- */

ir_op *rewrite_make(ir_module *m, ir_op *at, op_code opcode, const ir_type *result,
                    uint32_t n_operands, ir_value *const *operands) {
  ir_op *op = ir_op_create(m, &(ir_op_spec){.opcode = opcode,
                                            .loc = at->loc,
                                            .n_operands = n_operands,
                                            .operands = operands,
                                            .n_results = 1,
                                            .result_types = &result});
  ir_op_insert_before(at, op);
  return op;
}

ir_value *rewrite_constant(ir_module *m, ir_op *at, const ir_dense *value) {
  ir_op *op = rewrite_make(m, at, OP_constant, value->type, 0, NULL);
  ir_set_attr(op, ATTR_value, (ir_attr){.dense = value});
  return ir_result(op, 0);
}

ir_dense *rewrite_splat_dense(ir_module *m, const ir_type *type, uint64_t pattern) {
  uint64_t bytes = 0;
  num_store_array(&bytes, &pattern, (tsr_elem)type->elem, 0, 1);
  return ir_dense_create(m, type, true, &bytes,
                         (uint32_t)tsr_elem_storage((tsr_elem)type->elem, 1));
}

ir_value *rewrite_splat(ir_module *m, ir_op *at, const ir_type *type, uint64_t pattern) {
  return rewrite_constant(m, at, rewrite_splat_dense(m, type, pattern));
}

void rewrite_copy_attrs(ir_op *to, const ir_op *from) {
  const op_row *row = ir_row(from);
  for (unsigned i = 0, n = op_n_attrs(row); i < n; i++) {
    attr_id id = (attr_id)row->attrs[i].id;
    if (from->present >> i & 1 && ir_attr_slot((op_code)to->opcode, id) >= 0)
      ir_set_attr(to, id, from->attrs[i]);
  }
}

/* ---- asking --------------------------------------------------------------------------------- */

const ir_dense *constant_of(const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  return op && op->opcode == OP_constant ? ir_get_attr(op, ATTR_value)->dense : NULL;
}

bool splat_of(const ir_value *v, uint64_t *pattern) {
  const ir_dense *d = constant_of(v);
  if (!d || !(d->splat || d->type->count == 1)) return false;
  *pattern = ir_dense_get(d, 0);
  return true;
}

bool is_splat_of(const ir_value *v, uint64_t pattern) {
  uint64_t found;
  return splat_of(v, &found) && found == pattern;
}

ir_block *block_of(const ir_value *v) {
  return v->is_arg ? v->owner.block : v->owner.op->block;
}

bool is_inside(const ir_op *op, const ir_block *block) {
  for (; op && op->block; op = op->block->parent)
    if (op->block == block) return true;
  return false;
}

ir_op *jump_target(const ir_op *jump) {
  ir_op *p = jump->block->parent;
  while (p->opcode == OP_if && p->block) p = p->block->parent;
  return p;
}

static bool is_jump(const ir_op *op) {
  return op->opcode == OP_break || op->opcode == OP_continue || op->opcode == OP_return;
}

void collect_jumps(ir_block *b, arena *a, op_list *out) {
  for (ir_op *op = b->first; op; op = op->next) {
    if (is_jump(op)) vec_push(a, *out, op);
    for (unsigned r = 0; op->opcode == OP_if && r < op->n_regions; r++)
      if (op->regions[r]) collect_jumps(op->regions[r], a, out);
  }
}

bool has_early_exit(const ir_block *b) {
  for (const ir_op *op = b->first; op; op = op->next)
    if (op->opcode == OP_if && can_leave(op)) return true;
  return false;
}

bool can_leave(const ir_op *op) {
  for (unsigned r = 0; op->opcode == OP_if && r < op->n_regions; r++)
    if (op->regions[r] && (is_jump(op->regions[r]->last) || has_early_exit(op->regions[r])))
      return true;
  return false;
}

typedef struct effect_search {
  const ir_op *root;
  bool found;
} effect_search;

/* A load whose results nobody wants has no effect, if nothing is ordered by it. */
static bool is_plain_load(const ir_op *op) {
  return ir_is_load(op) && ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

/* Whether a jump ends something within `root`, itself included. */
static bool stays_inside(const ir_op *jump, const ir_op *root) {
  const ir_op *target = jump_target(jump), *p = jump;
  while (p != root && p != target) p = p->block->parent;
  return p == target;
}

static bool find_effect(void *user, ir_op *op) {
  effect_search *s = user;
  if (op->opcode == OP_loop)
    s->found = true; /* it may never end */
  else if (ir_is_terminator(op))
    s->found = op == s->root || (op->opcode != OP_yield && !stays_inside(op, s->root));
  else if (ir_effect(op) != EFFECT_REGIONS)
    s->found = !ir_only_computes(op) && !is_plain_load(op);
  return !s->found;
}

bool has_effect(const ir_op *op) {
  effect_search s = {.root = op};
  ir_walk((ir_op *)(uintptr_t)op, find_effect, &s);
  return s.found;
}

static bool same_attr(attr_kind kind, const ir_attr *a, const ir_attr *b) {
  switch (kind) {
  case AK_STRING:
  case AK_SYMBOL: return str_eq(a->s, b->s);
  case AK_INTS:
    return a->ints->len == b->ints->len &&
           memcmp(a->ints->data, b->ints->data, a->ints->len * sizeof(int64_t)) == 0;
  case AK_DENSE:
    return a->dense->type == b->dense->type && a->dense->splat == b->dense->splat &&
           a->dense->size == b->dense->size &&
           memcmp(a->dense->data, b->dense->data, a->dense->size) == 0;
  case AK_PREDICATE: return same_predicate(a->predicate, b->predicate);
  case AK_TYPE: return a->type == b->type;
  case AK_BOOLS:
    return a->ints == b->ints ||
           (a->ints && b->ints && a->ints->len == b->ints->len &&
            memcmp(a->ints->data, b->ints->data, a->ints->len * sizeof(int64_t)) == 0);
  case AK_SCALARS:
  case AK_HINTS:
  case AK_DICTS: return false; /* no operation without effect and regions has them */
  default: return a->i == b->i;
  }
}

bool has_same_attrs(const ir_op *a, const ir_op *b) {
  const op_row *row = ir_row(a);
  for (unsigned i = 0, n = op_n_attrs(row); i < n; i++) {
    attr_id id = (attr_id)row->attrs[i].id;
    if (row->attrs[i].kind == AK_HINTS) continue; /* they don't change what is computed */
    if (ir_has_attr(a, id) != ir_has_attr(b, id)) return false;
    if (ir_has_attr(a, id) && !same_attr((attr_kind)row->attrs[i].kind, &a->attrs[i], &b->attrs[i]))
      return false;
  }
  return true;
}

bool has_uses(const ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (op->results[i].uses) return true;
  return false;
}

/* ---- replacing ------------------------------------------------------------------------------ */

void rewrite_replace_value(ir_value *v, ir_value *by) {
  if (v == by) return;
  if (!by->name) by->name = v->name;
  ir_replace_uses(v, by);
}

void rewrite_replace_op(ir_op *op, ir_value *const *by) {
  for (uint32_t i = 0; i < op->n_results; i++) rewrite_replace_value(&op->results[i], by[i]);
  ir_op_erase(op);
}

void rewrite_move_before(ir_op *where, ir_op *op) {
  ir_op_unlink(op);
  ir_op_insert_before(where, op);
}

void rewrite_splice(ir_block *from, ir_op *where) {
  while (from->first != from->last) rewrite_move_before(where, from->first);
}

/* From the end, so that users go before what they use. */
void rewrite_erase_behind(ir_op *op) {
  while (op->block->last != op) ir_op_erase(op->block->last);
}

void rewrite_keep_operands(ir_op *op, uint32_t first, uint32_t n, const bool *keep,
                           unsigned group) {
  uint32_t to = first, total = op->n_operands;
  for (uint32_t i = first; i < total; i++) {
    if (i < first + n && !keep[i - first]) continue;
    ir_value *v = op->operands[i].value;
    if (to != i) ir_set_operand(op, to, v);
    to++;
  }
  for (uint32_t i = to; i < total; i++) ir_set_operand(op, i, NULL);
  op->n_operands = to;
  op->segments[group] -= total - to;
}

/* Gives `to` all that `from` is, but for its place. */
static void move_value(ir_value *to, ir_value *from) {
  if (to == from) return;
  INVARIANT(!to->uses);
  to->type = from->type;
  to->name = from->name;
  ir_replace_uses(from, to);
}

void rewrite_keep_results(ir_op *op, const bool *keep) {
  uint32_t to = 0;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (keep[i]) move_value(&op->results[to++], &op->results[i]);
  op->n_results = to;
}

void rewrite_keep_args(ir_block *b, uint32_t first, const bool *keep) {
  uint32_t to = first;
  for (uint32_t i = first; i < b->n_args; i++)
    if (keep[i - first]) move_value(&b->args[to++], &b->args[i]);
  b->n_args = to;
}

/* ---- cloning -------------------------------------------------------------------------------- */

void value_map_set(value_map *vm, const ir_value *from, ir_value *to) {
  *map_put(vm->arena, &vm->values, (uintptr_t)from) = (uintptr_t)to;
}

ir_value *value_map_get(const value_map *vm, ir_value *from) {
  ir_value *to = map_ptr(&vm->values, from);
  return to ? to : from;
}

static void clone_values(value_map *vm, const ir_value *from, ir_value *to, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    to[i].name = from[i].name;
    value_map_set(vm, &from[i], &to[i]);
  }
}

ir_op *rewrite_clone_shell(ir_module *m, const ir_op *op, value_map *vm) {
  ir_value **operands = arena_array(vm->arena, ir_value *, op->n_operands + 1);
  const ir_type **types = arena_array(vm->arena, const ir_type *, op->n_results + 1);
  for (uint32_t i = 0; i < op->n_operands; i++)
    operands[i] = value_map_get(vm, op->operands[i].value);
  for (uint32_t i = 0; i < op->n_results; i++) types[i] = op->results[i].type;
  ir_op *copy = ir_op_create(m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                              .loc = op->loc,
                                              .n_operands = op->n_operands,
                                              .operands = operands,
                                              .segments = op->segments,
                                              .n_results = op->n_results,
                                              .result_types = types,
                                              .n_regions = op->n_regions});
  for (unsigned i = 0, n = op_n_attrs(ir_row(op)); i < n; i++) copy->attrs[i] = op->attrs[i];
  copy->present = op->present;
  copy->implicit = op->implicit;
  copy->extra = op->extra;
  clone_values(vm, op->results, copy->results, op->n_results);
  return copy;
}

/* Regions nest at most 256 deep here. */
ir_op *rewrite_clone(ir_module *m, const ir_op *op, value_map *vm) {
  ir_op *copy = rewrite_clone_shell(m, op, vm);
  for (unsigned r = 0; r < op->n_regions; r++) {
    const ir_block *from = op->regions[r];
    if (!from) continue;
    const ir_type **types = arena_array(vm->arena, const ir_type *, from->n_args + 1);
    for (uint32_t i = 0; i < from->n_args; i++) types[i] = from->args[i].type;
    ir_block *to = ir_region_create(m, copy, r, from->n_args, types);
    clone_values(vm, from->args, to->args, from->n_args);
    for (const ir_op *inner = from->first; inner; inner = inner->next)
      ir_op_append(to, rewrite_clone(m, inner, vm));
  }
  return copy;
}
