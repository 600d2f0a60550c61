/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Result types. Most follow from a row: a token, the same type as an operand, a mask of its shape.
 */
#include <tessera/layout.h>

#include "ir/build/internal.h"

static build_rule special_rule(op_code opcode, unsigned index, unsigned *from) {
  *from = 0;
  switch (opcode) {
  case OP_load_ptr_tko: return index == 0 ? RULE_POINTEE : RULE_TOKEN;
  case OP_load_view_tko: return index == 0 ? RULE_VIEW_TILE : RULE_TOKEN;
  case OP_reduce: return RULE_REDUCED;
  case OP_scan:
  case OP_loop: return RULE_CARRIED;
  case OP_for: *from = 3; return RULE_CARRIED;
  case OP_group:
  case OP_if: return RULE_OPTIONAL;
  case OP_get_tensor_shape:
  case OP_get_index_space_shape: return RULE_EXTENTS;
  default: return RULE_GIVEN;
  }
}

/* The first operand group in a 'same' mask that always has one operand; -1. */
static int single_operand_in(const op_row *row, unsigned mask) {
  for (unsigned g = 0; g < op_n_operands(row); g++)
    if (mask & M_IN(g) && row->operands[g].arity == ONE) return (int)g;
  return -1;
}

/* Of a result that is always of one element type; TSR_ELEM_COUNT. */
static tsr_elem element_of(const op_row *row, unsigned index) {
  switch (row->results[index].constraint) {
  case TC_I1: return TSR_I1;
  case TC_I32: return TSR_I32;
  default: return TSR_ELEM_COUNT;
  }
}

build_rule build_rule_of(op_code opcode, unsigned index, unsigned *from) {
  const op_row *row = &op_table[opcode];
  build_rule special = special_rule(opcode, index, from);
  if (special != RULE_GIVEN) return special;
  if (row->results[index].constraint == TC_TOKEN) return RULE_TOKEN;
  if (row->results[index].constraint == TC_SCALAR_I32) return RULE_I32;
  for (unsigned i = 0; i < 2; i++) {
    if (!(row->same_type[i] & M_OUT(index))) continue;
    int group = single_operand_in(row, row->same_type[i]);
    if (group < 0) continue;
    *from = (unsigned)group;
    return RULE_OPERAND;
  }
  if (element_of(row, index) != TSR_ELEM_COUNT && row->same_shape & M_OUT(index)) {
    int group = single_operand_in(row, row->same_shape);
    if (group >= 0) {
      *from = (unsigned)group;
      return RULE_SHAPE;
    }
  }
  return RULE_GIVEN;
}

ir_value *build_request_operand(const build_request *r, unsigned group) {
  uint32_t first = 0;
  for (unsigned g = 0; g < group; g++) first += r->segments[g];
  return r->segments[group] ? r->operands.data[first] : NULL;
}

/* Threads that had a part of what is combined have copies of the result. */
static const ir_type *with_reduced_layout(tsr_builder *b, const ir_type *made, const ir_type *t,
                                          int64_t dim) {
  tsr_layout l;
  int32_t along = (int32_t)dim;
  if (!t->layout || !made->rank ||
      tsr_layout_reduce(&l, t->layout, 1, &along, false, NULL) != TSR_OK)
    return made;
  return ir_with_layout(b->module, made, &l);
}

static const ir_type *reduced(tsr_builder *b, const build_request *r, const ir_type *t) {
  int64_t dim = r->attrs[ir_attr_slot(r->opcode, ATTR_dim)].i, shape[IR_MAX_RANK];
  if (dim < 0 || dim >= t->rank) {
    build_error(b, "%s: dimension %lld of %s, which has rank %u", r->row->name, (long long)dim,
                build_type_text(b, t), t->rank);
    return NULL;
  }
  unsigned n = 0;
  for (unsigned i = 0; i < t->rank; i++)
    if (i != dim) shape[n++] = t->shape[i];
  return with_reduced_layout(b, ir_tile_reshaped(b->module, t, n, shape), t, dim);
}

/* A result that is always there. */
static const ir_type *infer_one(tsr_builder *b, const build_request *r, unsigned index) {
  ir_module *m = b->module;
  unsigned from;
  switch (build_rule_of(r->opcode, index, &from)) {
  case RULE_TOKEN: return ir_token(m);
  case RULE_I32: return ir_scalar(m, TSR_I32);
  case RULE_OPERAND: return build_request_operand(r, from)->type;
  case RULE_SHAPE:
    return ir_tile_like(m, build_request_operand(r, from)->type, element_of(r->row, index));
  case RULE_POINTEE: {
    const ir_type *t = build_request_operand(r, 0)->type;
    return ir_tile_like(m, t, (tsr_elem)t->pointee);
  }
  case RULE_VIEW_TILE: return build_request_operand(r, 0)->type->tile;
  default: build_missing(b, r->row->name, "the type of the result"); return NULL;
  }
}

/* The results of an operation that has any number of them. */
static const ir_type **infer_many(tsr_builder *b, const build_request *r, build_rule rule,
                                  unsigned from, uint32_t *n) {
  uint32_t first = 0, count = rule == RULE_EXTENTS || rule == RULE_OPTIONAL ? 0 : r->segments[from];
  for (unsigned g = 0; g < from; g++) first += r->segments[g];
  ir_value **operands = r->operands.len ? &r->operands.data[first] : NULL;
  if (rule == RULE_EXTENTS) count = operands[0]->type->rank;
  const ir_type **types = arena_array(&b->module->arena, const ir_type *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    if (rule == RULE_EXTENTS)
      types[i] = r->types.len ? r->types.data[0] : ir_scalar(b->module, TSR_I32);
    else
      types[i] = rule == RULE_REDUCED ? reduced(b, r, operands[i]->type) : operands[i]->type;
    if (!types[i]) return NULL;
  }
  *n = count;
  return types;
}

static const ir_type **given_types(tsr_builder *b, const build_request *r, uint32_t *n) {
  const ir_type **types = arena_array(&b->module->arena, const ir_type *, r->types.len + 1);
  for (size_t i = 0; i < r->types.len; i++) {
    types[i] = r->types.data[i];
    if (types[i]) continue;
    build_missing(b, r->row->name, "the type of a result");
    return NULL;
  }
  *n = (uint32_t)r->types.len;
  return types;
}

const ir_type **build_infer(tsr_builder *b, const build_request *r, uint32_t *n) {
  unsigned results = op_n_results(r->row), from;
  if (results && r->row->results[0].arity == MANY) {
    build_rule rule = build_rule_of(r->opcode, 0, &from);
    bool each = rule == RULE_EXTENTS && r->types.len == 1; /* one type for all */
    return r->types.len && !each ? given_types(b, r, n) : infer_many(b, r, rule, from, n);
  }
  if (r->types.len > results) {
    build_error(b, "%s: %zu result types are given, it has %u result%s", r->row->name, r->types.len,
                results, results == 1 ? "" : "s");
    return NULL;
  }
  const ir_type **types = arena_array(&b->module->arena, const ir_type *, results + 1);
  for (unsigned i = 0; i < results; i++) {
    bool given = i < r->types.len && r->types.data[i];
    types[i] = given ? r->types.data[i] : infer_one(b, r, i);
    if (!types[i]) return NULL;
  }
  *n = results;
  return types;
}
