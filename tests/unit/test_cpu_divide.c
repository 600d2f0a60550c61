/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles divided by one number, which compiled code does by multiply-adds (emit_divide_near) unless
 * the processor divides fast: every quotient is the rounded one, whatever the numbers, and NaNs are
 * canonical. And products whose columns are divided by a number each, which is loaded outside of
 * the loop over the rows: vectors are divided as everywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu_engine.h"

#define DIVIDED_BLOCKS 1500
#define RUN_DIVISIONS  run_compiled
#include "divide_cases.h"

enum { SIDE = 32 };

static const char columns_program[] =
    "!matrix = !cuda_tile.tensor_view<32x32xf32, strides=[32,1]>\n"
    "!vector = !cuda_tile.tensor_view<32xf32, strides=[1]>\n"
    "!tile = !cuda_tile.partition_view<tile=(32x32), !matrix>\n"
    "!line = !cuda_tile.partition_view<tile=(32), !vector>\n"
    "cuda_tile.module @m { entry @k(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %S: tile<ptr<f32>>, "
    "%Y: tile<ptr<f32>>) {\n"
    "  %none = constant <i32: 0> : tile<i32>\n"
    "  %zeros = constant <f32: 0.0> : tile<32x32xf32>\n"
    "  %av = make_tensor_view %A, shape = [32, 32], strides = [32, 1] : !matrix\n"
    "  %bv = make_tensor_view %B, shape = [32, 32], strides = [32, 1] : !matrix\n"
    "  %yv = make_tensor_view %Y, shape = [32, 32], strides = [32, 1] : !matrix\n"
    "  %sv = make_tensor_view %S, shape = [32], strides = [1] : !vector\n"
    "  %at = make_partition_view %av : !tile\n"
    "  %bt = make_partition_view %bv : !tile\n"
    "  %yt = make_partition_view %yv : !tile\n"
    "  %st = make_partition_view %sv : !line\n"
    "  %a, %t0 = load_view_tko weak %at[%none, %none] : !tile, tile<i32> -> tile<32x32xf32>, "
    "token\n"
    "  %b, %t1 = load_view_tko weak %bt[%none, %none] : !tile, tile<i32> -> tile<32x32xf32>, "
    "token\n"
    "  %c = mmaf %a, %b, %zeros : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>\n"
    "  %s, %t2 = load_view_tko weak %st[%none] : !line, tile<i32> -> tile<32xf32>, token\n"
    "  %row = reshape %s : tile<32xf32> -> tile<1x32xf32>\n"
    "  %all = broadcast %row : tile<1x32xf32> -> tile<32x32xf32>\n"
    "  %q = divf %c, %all : tile<32x32xf32>\n"
    "  %t3 = store_view_tko weak %q, %yt[%none, %none] : tile<32x32xf32>, !tile, tile<i32> -> "
    "token\n"
    "} }\n";

static void by_column(void **state) {
  (void)state;
  static float a[SIDE * SIDE], one[SIDE * SIDE], by[SIDE], y[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; i++) a[i] = draw_near(40), one[i] = i % (SIDE + 1) == 0;
  for (int i = 0; i < SIDE; i++) by[i] = draw_near(40);
  run_log log;
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(one), ARG_ADDRESS(by), ARG_ADDRESS(y)};
  if (!run_compiled(columns_program, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  for (int i = 0; i < SIDE * SIDE; i++)
    if (y[i] != a[i] / by[i % SIDE])
      fail_msg("%a / %a is not %a", (double)a[i], (double)by[i % SIDE], (double)y[i]);
}

static int set_fast_division(void **state) {
  (void)state;
  static uintptr_t level = CPU_AVX512;
  engine_fast_division = true;
  return set_level((void **)&level);
}

static int reset_fast_division(void **state) {
  (void)state;
  engine_fast_division = false;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(near_one),
      LEVELS(anything),
      LEVELS(tiny_and_huge),
      LEVELS(by_column),
      {"anything/fast division", anything, set_fast_division, reset_fast_division, NULL},
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
