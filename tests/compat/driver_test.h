/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What tests of the driver library share. They are clients: they see cuda_abi.h as a program sees
 * NVIDIA's header, and link with -lcuda.
 */
#ifndef TSR_TESTS_DRIVER_TEST_H
#define TSR_TESTS_DRIVER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tessera/tessera.h>

#include "compat/cuda_abi.h"

#define OK(call)            assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(result, call) assert_int_equal((call), (result))

/* c[i] = a[i] + b[i] for 128 elements per tile block, in a program of two kernels. */
#define ADD_TEXT                                                                                   \
  "cuda_tile.module @m {\n"                                                                        \
  "  entry @add(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {\n"                   \
  "    %x, %y, %z = get_tile_block_id : tile<i32>\n"                                               \
  "    %n = constant <i32: 128> : tile<i32>\n"                                                     \
  "    %o = muli %x, %n : tile<i32>\n"                                                             \
  "    %i0 = iota : tile<128xi32>\n"                                                               \
  "    %o1 = reshape %o : tile<i32> -> tile<1xi32>\n"                                              \
  "    %o2 = broadcast %o1 : tile<1xi32> -> tile<128xi32>\n"                                       \
  "    %i = addi %i0, %o2 : tile<128xi32>\n"                                                       \
  ADD_POINTER("a") ADD_POINTER("b") ADD_POINTER("c")                                               \
  "    %va, %t0 = load_ptr_tko weak %a3 : tile<128xptr<f32>> -> tile<128xf32>, token\n"            \
  "    %vb, %t1 = load_ptr_tko weak %b3 : tile<128xptr<f32>> -> tile<128xf32>, token\n"            \
  "    %s = addf %va, %vb : tile<128xf32>\n"                                                       \
  "    %t2 = store_ptr_tko weak %c3, %s : tile<128xptr<f32>>, tile<128xf32> -> token\n"            \
  "  }\n"                                                                                          \
  "  entry @scalars(%p: tile<ptr<i64>>, %flag: tile<i1>, %small: tile<i8>, %half: tile<i16>,\n"    \
  "                 %word: tile<i32>, %wide: tile<i64>) {\n"                                       \
  "    %e0 = exti %flag unsigned : tile<i1> -> tile<i64>\n"                                        \
  "    %e1 = exti %small signed : tile<i8> -> tile<i64>\n"                                         \
  "    %e2 = exti %half signed : tile<i16> -> tile<i64>\n"                                         \
  "    %e3 = exti %word signed : tile<i32> -> tile<i64>\n"                                         \
  "    %s0 = addi %e0, %e1 : tile<i64>\n"                                                          \
  "    %s1 = addi %s0, %e2 : tile<i64>\n"                                                          \
  "    %s2 = addi %s1, %e3 : tile<i64>\n"                                                          \
  "    %s3 = addi %s2, %wide : tile<i64>\n"                                                        \
  "    %t = store_ptr_tko weak %p, %s3 : tile<ptr<i64>>, tile<i64> -> token\n"                     \
  "  }\n"                                                                                          \
  "}\n"
#define ADD_POINTER(p)                                                                             \
  "    %" p "1 = reshape %" p " : tile<ptr<f32>> -> tile<1xptr<f32>>\n"                            \
  "    %" p "2 = broadcast %" p "1 : tile<1xptr<f32>> -> tile<128xptr<f32>>\n"                     \
  "    %" p "3 = offset %" p "2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>\n"

/* The text as bytecode, the caller's to free. */
static inline void *assemble(const char *text, size_t *length) {
  tsr_context *ctx = tsr_context_create(NULL);
  tsr_module *m = tsr_module_parse(ctx, text, strlen(text), NULL, 0);
  assert_non_null(m);
  char *bytes = tsr_module_write_bytecode(m, 0, length);
  assert_non_null(bytes);
  void *copy = malloc(*length);
  assert_non_null(copy);
  memcpy(copy, bytes, *length);
  tsr_string_free(ctx, bytes);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return copy;
}

static inline CUmodule load(const char *text) {
  size_t length;
  CUmodule module;
  void *bytes = assemble(text, &length);
  OK(cuModuleLoadData(&module, bytes));
  free(bytes);
  return module;
}

/* A current primary context for every test. */
static inline int begin(void **state) {
  CUcontext ctx;
  (void)state;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&ctx, 0));
  OK(cuCtxSetCurrent(ctx));
  return 0;
}

static inline int end(void **state) {
  (void)state;
  OK(cuCtxSetCurrent(NULL));
  OK(cuDevicePrimaryCtxRelease(0));
  return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

#endif
