/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels that measure themselves: which groups there are, what is counted of them, how often they
 * ran; and that they compute what they would compute otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpu_engine.h"

enum { SIZE = 64, MAX_GROUPS = 16 };

/* y = exp(x - max(x)) of 64 elements, and c = a * a of 8 x 8 in a loop of three. */
static const char program[] =
    "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {\n"
    "  %i = iota : tile<64xi32>\n"
    "  %pr = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "  %pb = broadcast %pr : tile<1xptr<f32>> -> tile<64xptr<f32>>\n"
    "  %pa = offset %pb, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n"
    "  %qr = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "  %qb = broadcast %qr : tile<1xptr<f32>> -> tile<64xptr<f32>>\n"
    "  %qa = offset %qb, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n"
    "  %x, %t0 = load_ptr_tko weak %pa : tile<64xptr<f32>> -> tile<64xf32>, token\n"
    "  %m = reduce %x dim=0 identities=[0xFF800000 : f32] : tile<64xf32> -> tile<f32>\n"
    "    (%a: tile<f32>, %b: tile<f32>) { %r = maxf %a, %b : tile<f32> yield %r : tile<f32> }\n"
    "  %m1 = reshape %m : tile<f32> -> tile<1xf32>\n"
    "  %mb = broadcast %m1 : tile<1xf32> -> tile<64xf32>\n"
    "  %d = subf %x, %mb : tile<64xf32>\n"
    "  %e = exp %d : tile<64xf32>\n"
    "  %t1 = store_ptr_tko weak %qa, %e : tile<64xptr<f32>>, tile<64xf32> -> token\n"
    "  %s = reshape %e : tile<64xf32> -> tile<8x8xf32>\n"
    "  %z = constant <f32: 0.0> : tile<8x8xf32>\n"
    "  %from = constant <i32: 0> : tile<i32>\n"
    "  %to = constant <i32: 3> : tile<i32>\n"
    "  %by = constant <i32: 1> : tile<i32>\n"
    "  %c = for %k in (%from to %to, step %by) : tile<i32> iter_values(%acc = %z) -> "
    "(tile<8x8xf32>) {\n"
    "    %n = mmaf %s, %s, %acc : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n"
    "    continue %n : tile<8x8xf32>\n"
    "  }\n"
    "  %f = reshape %c : tile<8x8xf32> -> tile<64xf32>\n"
    "  %sixty_four = constant <i32: 64> : tile<64xi32>\n"
    "  %qc = offset %qa, %sixty_four : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n"
    "  %t2 = store_ptr_tko weak %qc, %f : tile<64xptr<f32>>, tile<64xf32> -> token\n"
    "} }\n";

static cpu_profile_group groups[MAX_GROUPS];
static unsigned n_groups;

static bool run_profiled(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  cpu_options options = {.isa.level = CPU_BASELINE, .opt_level = 3, .profile = true};
  cpu_kernel kernel;
  m->level = 0;
  if (!cpu_llvm.compile(m->ctx, m, entry, &options, &kernel)) return false;
  block->scratch = aligned_alloc(64, kernel.sizes.scratch_bytes / 64 * 64 + 64);
  for (block->id[0] = 0; block->id[0] < grid.x; block->id[0]++) kernel.run(block);
  free(block->scratch);
  n_groups = 0;
  for (cpu_profile_group *g = kernel.profile; g && n_groups < MAX_GROUPS; g = g->next)
    groups[n_groups++] = *g;
  cpu_llvm.release(&kernel);
  return true;
}

static const cpu_profile_group *with(const char *operation) {
  const cpu_profile_group *found = NULL;
  for (unsigned i = 0; i < n_groups; i++)
    if (strstr(groups[i].label, operation)) {
      assert_null(found);
      found = &groups[i];
    }
  assert_non_null(found);
  return found;
}

static void counts_are_right(void **state) {
  (void)state;
  static float x[SIZE], y[2 * SIZE], expected[2 * SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = (float)(i % 7) / 4;
  run_log log;
  uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y)};
  if (!run_program_on(run_profiled, program, "k", (run_grid){5, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  args[1] = ARG_ADDRESS(expected);
  engine_level = CPU_BASELINE;
  assert_true(run_program_on(run_cpu, program, "k", (run_grid){1, 1, 1}, args, &log));
  assert_memory_equal(y, expected, sizeof y);

  const cpu_profile_group *block = &groups[0];
  assert_string_equal(block->label, "between groups");
  assert_int_equal(block->runs, 5);
  const cpu_profile_group *max = with("maxf");
  assert_int_equal(max->runs, 5);
  assert_int_equal(max->bytes, 4 * SIZE);
  assert_int_equal(max->flops, SIZE);
  assert_int_equal(max->line, 10);
  const cpu_profile_group *exp = with("exp");
  assert_int_equal(exp->flops, (1 + 16) * SIZE);
  assert_true(exp->bytes >= 4 * SIZE); /* what it loads; the store may be a group of its own */
  const cpu_profile_group *product = with("mmaf");
  assert_int_equal(product->runs, 3 * 5);
  assert_int_equal(product->flops, 2 * 8 * 8 * 8);
  assert_int_equal(product->bytes, 0);
  uint64_t bytes = 0;
  for (unsigned i = 0; i < n_groups; i++) {
    bytes += groups[i].bytes * groups[i].runs;
    assert_true(groups[i].ticks < UINT64_C(1) << 60); /* no time is negative */
  }
  assert_true(bytes >= 5 * 4 * 3 * SIZE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
