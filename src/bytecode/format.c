/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bytecode/format.h"

const char bytecode_magic[MAGIC_SIZE] = {0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0};

bool bytecode_is(str data) {
  return data.len >= MAGIC_SIZE && memcmp(data.data, bytecode_magic, MAGIC_SIZE) == 0;
}

static const struct {
  const char *name;
  unsigned alignment;
} sections[SECTION_COUNT] = {
    [SECTION_END] = {"end", 1},
    [SECTION_STRINGS] = {"strings", 4},
    [SECTION_FUNCTIONS] = {"functions", 8},
    [SECTION_DEBUG] = {"debug", 8},
    [SECTION_CONSTANTS] = {"constants", 8},
    [SECTION_TYPES] = {"types", 4},
    [SECTION_GLOBALS] = {"globals", 1},
    [SECTION_PRODUCER] = {"producer", 1},
};

const char *section_name(unsigned id) {
  return id < SECTION_COUNT ? sections[id].name : "?";
}

unsigned section_alignment(unsigned id) {
  return id < SECTION_COUNT ? sections[id].alignment : 1;
}

/* A tf32 is the 19 bits that mean something; ours keeps them at the top of 32. */
const elem_code elem_codes[TSR_ELEM_COUNT] = {
    [TSR_I1] = {0, 1, 1, 0},        [TSR_I4] = {22, 1, 4, 0},
    [TSR_I8] = {1, 1, 8, 0},        [TSR_I16] = {2, 2, 16, 0},
    [TSR_I32] = {3, 4, 32, 0},      [TSR_I64] = {4, 8, 64, 0},
    [TSR_F16] = {5, 2, 16, 0},      [TSR_BF16] = {6, 2, 16, 0},
    [TSR_F32] = {7, 4, 32, 0},      [TSR_TF32] = {8, 3, 19, 13},
    [TSR_F64] = {9, 8, 64, 0},      [TSR_F8E4M3FN] = {10, 1, 8, 0},
    [TSR_F8E5M2] = {11, 1, 8, 0},   [TSR_F8E8M0FNU] = {18, 1, 8, 0},
    [TSR_F4E2M1FN] = {19, 1, 4, 0}, [TSR_F8E5M3FNU] = {130, 1, 8, 0},
};

int elem_by_tag(uint64_t tag) {
  for (unsigned i = 0; i < ARRAY_LEN(elem_codes); i++)
    if (elem_codes[i].bytes && elem_codes[i].tag == tag) return (int)i;
  return -1;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Flags go to what is optional, oldest first, in each version attributes before operands. So a
 * part that a later version adds leaves the other flags where they are. */
static void assign_flags(const op_row *row, op_layout *l) {
  uint8_t next = 0;
  for (unsigned version = V13_1; version <= V13_NEWEST; version++) {
    uint8_t before = next;
    for (unsigned i = 0; i < l->n_attrs; i++)
      if (row->attrs[i].optional == AO_OPTIONAL && part_since(row, row->attrs[i].since) == version)
        l->attr_bit[i] = next++;
    for (unsigned i = 0; i < l->n_operands && row->traits & TRAIT_SEGMENTS; i++)
      if (row->operands[i].arity == OPT && part_since(row, row->operands[i].since) == version)
        l->operand_bit[i] = next++;
    if (next > before && !l->flags_since) l->flags_since = (uint8_t)version;
  }
}

static void describe(const op_row *row, op_layout *l) {
  memset(l, 0, sizeof *l);
  memset(l->attr_bit, NO_BIT, sizeof l->attr_bit);
  memset(l->operand_bit, NO_BIT, sizeof l->operand_bit);
  l->n_attrs = (uint8_t)op_n_attrs(row);
  l->n_operands = (uint8_t)op_n_operands(row);
  l->n_results = (uint8_t)op_n_results(row);
  l->n_regions = (uint8_t)op_n_regions(row);
  bool open = false;
  for (unsigned i = 0; i < l->n_operands; i++) {
    open |= row->operands[i].arity != ONE;
    l->counts_results |= row->operands[i].arity == MANY;
  }
  for (unsigned i = 0; i < l->n_results; i++) l->counts_results |= row->results[i].arity == MANY;
  l->counts_operands = open && !(row->traits & TRAIT_SEGMENTS);
  assign_flags(row, l);
}

void op_layouts_init(op_layouts *out) {
  memset(out->codes, OP_NONE, sizeof out->codes);
  for (unsigned code = 1; code < OP_COUNT; code++) {
    describe(&op_table[code], &out->ops[code]);
    if (op_table[code].bytecode < ARRAY_LEN(out->codes))
      out->codes[op_table[code].bytecode] = (uint8_t)code;
  }
}
