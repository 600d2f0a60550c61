/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The fields of struct tsr_<op>_args. The generator of tessera/ops.h writes them down, ops.c reads
 * them: both ask here, so they cannot differ.
 */
#include "ir/build/internal.h"

bool build_is_special(op_code opcode) {
  return opcode == OP_NONE || opcode == OP_module || opcode == OP_entry || opcode == OP_global ||
         opcode == OP_constant;
}

bool build_gives_value(op_code opcode) {
  const op_row *row = &op_table[opcode];
  return op_n_results(row) > 0 && row->results[0].arity == ONE;
}

/* A list of operands that is often empty is not asked for. */
static bool may_be_empty(op_code opcode) {
  return opcode == OP_print_tko || opcode == OP_make_tensor_view;
}

static bool is_required_operand(op_code opcode, const op_operand *g) {
  return g->arity == ONE || (g->arity == MANY && !may_be_empty(opcode));
}

static build_field_kind attr_field(attr_kind kind) {
  switch (kind) {
  case AK_STRING:
  case AK_SYMBOL: return FIELD_STRING;
  case AK_BOOLS:
  case AK_INTS: return FIELD_INTS;
  case AK_SCALARS: return FIELD_SCALARS;
  case AK_PREDICATE: return FIELD_PREDICATE;
  case AK_LAYOUT: return FIELD_LAYOUT;
  default: return FIELD_INT;
  }
}

/* Hints are added to an operation that is there: tsr_build_hint_int. */
static bool is_field(const op_attr *a) {
  return a->kind != AK_HINTS && a->kind != AK_DICTS;
}

static unsigned add_operands(op_code opcode, bool required, build_field *out, unsigned n) {
  const op_row *row = &op_table[opcode];
  for (unsigned g = 0; g < op_n_operands(row); g++)
    if (is_required_operand(opcode, &row->operands[g]) == required)
      out[n++] = (build_field){.kind = row->operands[g].arity == MANY ? FIELD_VALUES : FIELD_VALUE,
                               .name = row->operands[g].name,
                               .index = (uint8_t)g,
                               .required = required};
  return n;
}

static unsigned add_attrs(op_code opcode, bool required, build_field *out, unsigned n) {
  const op_row *row = &op_table[opcode];
  for (unsigned i = 0; i < op_n_attrs(row); i++)
    if (is_field(&row->attrs[i]) && (row->attrs[i].optional == AO_REQUIRED) == required)
      out[n++] = (build_field){.kind = attr_field(row->attrs[i].kind),
                               .name = attr_name(row->attrs[i].id),
                               .index = (uint8_t)i,
                               .is_attr = true,
                               .required = required};
  return n;
}

unsigned build_fields(op_code opcode, build_field out[BUILD_MAX_FIELDS]) {
  unsigned from;
  build_rule rule = RULE_TOKEN; /* of no result: nothing to say */
  if (op_n_results(&op_table[opcode])) rule = build_rule_of(opcode, 0, &from);
  unsigned n = add_operands(opcode, true, out, 0);
  n = add_attrs(opcode, true, out, n);
  if (rule == RULE_GIVEN)
    out[n++] = (build_field){.kind = FIELD_TYPE, .name = "type", .required = true};
  n = add_operands(opcode, false, out, n);
  n = add_attrs(opcode, false, out, n);
  if (rule == RULE_EXTENTS) out[n++] = (build_field){.kind = FIELD_TYPE, .name = "type"};
  if (rule == RULE_OPTIONAL || opcode == OP_loop)
    out[n++] = (build_field){.kind = FIELD_TYPES, .name = "types"};
  return n;
}
