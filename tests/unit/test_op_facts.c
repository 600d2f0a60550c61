/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The columns of the operation table that passes and backends ask (FACTS and forwards of ops.def):
 * op_table_check holds them against the rest of their row, and here they are held against the
 * language's words and against the code that knows of one operation what a column says of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "opt/undefined.h"

/* ---- effects -------------------------------------------------------------------------------- */

static void test_effects(void **state) {
  (void)state;
  static const struct {
    op_code code;
    bool reads, writes, accesses;
  } known[] = {
      {OP_load_ptr_tko, true, false, true},
      {OP_load_view_tko, true, false, true},
      {OP_store_ptr_tko, false, true, true},
      {OP_store_view_tko, false, true, true},
      {OP_atomic_cas_tko, true, true, true},
      {OP_atomic_rmw_tko, true, true, true},
      {OP_atomic_red_view_tko, true, true, true},
      {OP_multimem_load_reduce_view_tko, true, false, true},
      {OP_multimem_reduce_view_tko, true, true, true},
      {OP_multimem_store_view_tko, false, true, true},
      {OP_gdc_wait_tko, true, true, false},
      {OP_memory_fence_alias_tko, true, true, false},
      {OP_print_tko, true, true, false},
      {OP_assert, true, true, false},
      {OP_alloca, false, true, false},
      {OP_make_token, false, false, false},
      {OP_for, false, false, false},
      {OP_addf, false, false, false},
      {OP_break, false, false, false},
  };
  for (unsigned i = 0; i < ARRAY_LEN(known); i++) {
    op_effect effect = (op_effect)op_table[known[i].code].effect;
    bool same = effect_reads(effect) == known[i].reads &&
                effect_writes(effect) == known[i].writes &&
                effect_accesses(effect) == known[i].accesses;
    if (!same) fail_msg("%s", op_table[known[i].code].name);
  }
}

/* Operations that only tests use could do anything. */
static void test_unknown(void **state) {
  (void)state;
  for (unsigned i = OP_BLOCK_END; i < OP_TABLE_SIZE; i++) {
    op_effect effect = (op_effect)op_table[i].effect;
    assert_true(effect_reads(effect) && effect_writes(effect));
    assert_int_equal(op_table[i].speculation, SPECULATE_NEVER);
  }
}

/* ---- speculation ---------------------------------------------------------------------------- */

static tsr_elem element_of(const op_operand *o) {
  return constraint_table[o->constraint].elems & BIT(I32) ? TSR_I32 : TSR_F32;
}

/* Whether one of a few pairs of operands is undefined for an operation that promises nothing. */
static bool may_be_undefined(op_code code) {
  enum { INFINITE = 0x7f800000 };
  static const uint64_t values[] = {0, 1, 7, 32, INFINITE, 0x80000000, 0xffffffff};
  exec_elementwise w = {.opcode = (uint16_t)code, .n_operands = 2, .result = TSR_I32};
  w.operands[0] = w.operands[1] = (uint8_t)element_of(&op_table[code].operands[0]);
  w.signedness = SIGN_SIGNED;
  for (unsigned i = 0; i < ARRAY_LEN(values); i++)
    for (unsigned k = 0; k < ARRAY_LEN(values); k++)
      if (!is_defined(&w, (uint64_t[]){values[i], values[k], 0})) return true;
  return false;
}

static void test_speculation(void **state) {
  (void)state;
  for (unsigned i = 1; i < OP_COUNT; i++) {
    if (!(op_table[i].traits & TRAIT_ELEMENTWISE)) continue;
    op_speculation s = may_be_undefined((op_code)i) ? SPECULATE_SOMETIMES : SPECULATE_ALWAYS;
    if (op_table[i].speculation != s) fail_msg("%s", op_table[i].name);
  }
}

/* ---- cost ----------------------------------------------------------------------------------- */

/* What only moves elements takes no instruction; the classes grow with what they stand for. */

static void test_cost(void **state) {
  (void)state;
  for (unsigned i = 1; i < OP_BLOCK_END; i++) {
    const op_row *row = &op_table[i];
    if (row->traits & (TRAIT_INDEX_MAP | TRAIT_CONSTANT)) assert_int_equal(row->cost, COST_FREE);
    if (row->group == GROUP_BITWISE) assert_int_equal(row->cost, COST_CHEAP);
    if (row->group == GROUP_ATOMIC) assert_int_equal(row->cost, COST_ACCESS);
  }
  assert_true(op_table[OP_addf].cost < op_table[OP_divf].cost);
  assert_true(op_table[OP_divf].cost < op_table[OP_exp].cost);
  assert_true(op_table[OP_exp].cost < op_table[OP_mmaf].cost);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_effects),
      cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_speculation),
      cmocka_unit_test(test_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
