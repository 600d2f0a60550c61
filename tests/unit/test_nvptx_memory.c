/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs of test_interp_memory.c on the emulated GPU, with the results that they expect; a
 * GPU's addresses are aligned, so the test of odd elements has one of its own.
 */
#include "gpu_engine.h"

int interp_main(void);
#define main interp_main
#include "test_interp_memory.c"
#undef main

static void test_odd_aligned_elements(void **state) {
  (void)state;
  uint8_t r[32] = {0, 1, 2, 255, 0x5a, 0x34, 0x12};
  RUN(POINTERS("a", "i1", "4",
               "[0, 1, 2, 3]") "%x, %t0 = load_ptr_tko weak %a : tile<4xptr<i1>> -> tile<4xi1>, "
                               "token\n" POINTERS(
                                   "b", "i1", "4",
                                   "[8, 9, 10, 11]") "%t1 = store_ptr_tko relaxed device "
                                                     "%b, %x : tile<4xptr<i1>>, "
                                                     "tile<4xi1> -> token\n"
      /* Half a byte: the low one of the byte, whose other half stays. */
      POINTERS("n", "f4E2M1FN", "2",
               "[8, 4]") "%s, %t4 = load_ptr_tko weak %n : tile<2xptr<f4E2M1FN>> -> "
                         "tile<2xf4E2M1FN>, token\n"
                         "%f = ftof %s : tile<2xf4E2M1FN> -> tile<2xf32>\n" STORE(
                             "f", "2", "f32", "2",
                             "6") "%six = constant <f4E2M1FN: 6.0> : tile<2xf4E2M1FN>\n"
                                  "%t5 = store_ptr_tko weak %n, %six : tile<2xptr<f4E2M1FN>>, "
                                  "tile<2xf4E2M1FN> -> token\n",
      r);
  CHECK_ARRAY(uint8_t, r + 8, 0, 1, 1, 1);
  float f[2];
  memcpy(f, r + 24, 8);
  CHECK_ARRAY(float, f, -1, 1); /* 0xa; 0x2 */
  CHECK_ARRAY(uint8_t, r, 0, 1, 0x07, 255, 0x57);
}

/* Kernels of one module, of which one has several and its name begins another's: each piece of
 * memory has a name of its own. What nothing executes is no function's own for LLVM, so that a name
 * stands at the top of the text. */
static void test_names_of_allocas(void **state) {
  (void)state;
#define NEVER(name, count)                                                                         \
  "%" name " = alloca num_elem = " count ", alignment = 16 : tile<ptr<i32>>\n"                     \
  "%" name "_t = store_ptr_tko weak %" name ", %x : tile<ptr<i32>>, tile<i32> -> token\n"
#define ENTRY(name, number, never)                                                                 \
  "entry @" name "(%p: tile<ptr<i8>>) {\n" ADDRESS("q", "i32") INT("x", number)                    \
      PUT("q", "0", "x", "i32") "%yes = constant <i1: true> : tile<i1>\n"                          \
                                "if %yes {\n return\n}\n" never "}\n"
  static const char text[] =
      "cuda_tile.module @m {\n" ENTRY("k", "5", NEVER("a", "4") NEVER("b", "8"))
          ENTRY("k1", "7", NEVER("a", "16") NEVER("b", "32"))
              ENTRY("k11", "9", NEVER("a", "64")) "}\n";
#undef NEVER
#undef ENTRY
  static const char *const names[] = {"k", "k1", "k11"};
  for (int i = 0; i < 3; i++) {
    int32_t r[1] = {0};
    if (!run_program(text, names[i], (run_grid){1, 1, 1}, (uint64_t[]){ARG_ADDRESS(r)}, &report))
      fail_msg("%s", report.diagnostics);
    assert_int_equal(r[0], 5 + 2 * i);
  }
}

#ifndef GPU_TARGETS /* a test of other targets includes this file */
#define GPU_TARGETS(test) TARGET(test, "sm_80"), TARGET(test, "sm_90a")
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      GPU_TARGETS(test_gather_and_scatter),
      GPU_TARGETS(test_masked_address),
      GPU_TARGETS(test_odd_aligned_elements),
      GPU_TARGETS(test_atomic_integers),
      GPU_TARGETS(test_atomic_floats),
      GPU_TARGETS(test_compare_and_swap),
      GPU_TARGETS(test_atomic_view),
      GPU_TARGETS(test_globals),
      GPU_TARGETS(test_alloca),
      GPU_TARGETS(test_names_of_allocas),
      GPU_TARGETS(test_partition_view),
      GPU_TARGETS(test_view_far_outside),
      GPU_TARGETS(test_dim_map),
      GPU_TARGETS(test_strided_view),
      GPU_TARGETS(test_gather_scatter_view),
      GPU_TARGETS(test_gathered_rows),
      GPU_TARGETS(test_pointers_by_rows),
      GPU_TARGETS(test_view_of_small_elements),
      GPU_TARGETS(test_padding),
      GPU_TARGETS(test_padded_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
