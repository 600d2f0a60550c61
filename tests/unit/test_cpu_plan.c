/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plans of kernels for the CPU: that of a kernel is right, and what contradicts it is seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/verify.h"
#include "text/text.h"

#include "cpu/plan/plan.h"
#include "cpu/plan/plan_check.h"

static const char text[] = "cuda_tile.module @m {\n"
                           "  entry @k(%p: tile<ptr<f32>>) {\n"
                           "    %i = iota : tile<64xi32>\n"
                           "    %x = itof %i signed : tile<64xi32> -> tile<64xf32>\n"
                           "    %e = exp %x : tile<64xf32>\n"
                           "    %f = mulf %e, %e rounding<nearest_even> : tile<64xf32>\n"
                           "    %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
                           "    %b = broadcast %q : tile<1xptr<f32>> -> tile<64xptr<f32>>\n"
                           "    %o = offset %b, %i : tile<64xptr<f32>>, tile<64xi32>\n"
                           "        -> tile<64xptr<f32>>\n"
                           "    %t = store_ptr_tko weak %o, %f : tile<64xptr<f32>>, tile<64xf32>\n"
                           "        -> token\n"
                           "    %s = reduce %e dim=0 identities=[0.0 : f32] : tile<64xf32> "
                           "-> tile<f32>\n"
                           "    (%a: tile<f32>, %c: tile<f32>) {\n"
                           "      %d = addf %a, %c : tile<f32>\n"
                           "      yield %d : tile<f32>\n"
                           "    }\n"
                           "    %u = store_ptr_tko weak %p, %s : tile<ptr<f32>>, tile<f32>\n"
                           "        -> token\n"
                           "    return\n"
                           "  }\n"
                           "}\n";

typedef struct test {
  tsr_context *ctx;
  ir_module *m;
  arena arena;
  cpu_options options;
  lower l;
  ir_value *e; /* which two roots need */
} test;

static int open_test(void **state) {
  static test t;
  t.ctx = tsr_context_create(NULL);
  arena_init(&t.arena, t.ctx);
  t.m = text_parse(t.ctx, STR(text), "test.mlir", false);
  if (!t.m || !ir_verify(t.m)) return -1;
  t.l = (lower){.options = &t.options, .ctx = t.ctx, .m = t.m, .arena = &t.arena};
  t.l.entry = ir_find_symbol(t.m, STR("k"));
  t.l.n_values = ir_number_values(t.l.entry);
  t.l.values = arena_array(&t.arena, value, t.l.n_values);
  memset(t.l.values, 0, t.l.n_values * sizeof *t.l.values);
  plan_kernel(&t.l);
  for (ir_op *op = ir_region(t.l.entry, 0)->first; op; op = op->next)
    if (op->opcode == OP_exp) t.e = ir_result(op, 0);
  *state = &t;
  return 0;
}

static int close_test(void **state) {
  test *t = *state;
  arena_free(&t->arena);
  ir_module_destroy(t->m);
  tsr_context_destroy(t->ctx);
  return 0;
}

static void check(test *t, value wrong, const char *words) {
  value *x = value_of(&t->l, t->e), right = *x;
  *x = wrong;
  const char *problem = plan_problem(&t->l);
  *x = right;
  assert_non_null(problem);
  assert_non_null(strstr(problem, words));
  assert_null(plan_problem(&t->l));
}

static void test_problems(void **state) {
  test *t = *state;
  assert_null(plan_problem(&t->l));
  value x = *value_of(&t->l, t->e), y = x;
  assert_true(x.materialise);
  y.last = x.order + 1;
  check(t, y, "behind the last root");
  y = x, y.last = x.order;
  check(t, y, "in front of its definition");
  y = x, y.order++;
  check(t, y, "not where its operation is");
  y = x, y.depth = 5;
  check(t, y, "a deep expression");
}

/* Nothing has been renumbered since, and no operation moved. */
static void test_other_kernel(void **state) {
  test *t = *state;
  t->e->number += t->l.n_values;
  assert_non_null(strstr(plan_problem(&t->l), "no number"));
  t->e->number -= t->l.n_values;
  ir_op *op = ir_defining_op(t->e), *next = op->next;
  ir_op_unlink(op);
  ir_op_insert_before(next->next, op);
  assert_non_null(strstr(plan_problem(&t->l), "not where the plan says"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_problems, open_test, close_test),
      cmocka_unit_test_setup_teardown(test_other_kernel, open_test, close_test),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
