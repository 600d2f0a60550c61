/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loading objects: those that the compiler makes run, whatever else is refused without harm.
 * (Code that was tampered with is loaded here, but never run.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpu_engine.h"
#include "exec/code.h"

/* Loads, stores, constants, a call of memset (for the alloca) and text: all kinds of references. */
static const char program[] =
    "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {\n"
    "  %x = constant <f32: [1.0, 2.5, -3.0, 4.0]> : tile<4xf32>\n"
    "  %y = exp2 %x : tile<4xf32>\n"
    "  %i = iota : tile<4xi32>\n"
    "  %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "  %b = broadcast %q : tile<1xptr<f32>> -> tile<4xptr<f32>>\n"
    "  %a = offset %b, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>\n"
    "  %t = store_ptr_tko weak %a, %y : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "  print_tko \"%f\\n\", %y : tile<4xf32> -> token\n"
    "} }\n";

/* A product whose micro-kernel is long enough for an object of its own, and one more. */
static const char products[] =
    "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {\n"
    "  %one = constant <f32: 1.0> : tile<32x32xf32>\n"
    "  %half = constant <f32: 0.5> : tile<32x64xf32>\n"
    "  %none = constant <f32: 0.0> : tile<32x64xf32>\n"
    "  %x = mmaf %one, %half, %none : tile<32x32xf32>, tile<32x64xf32>, tile<32x64xf32>\n"
    "  %b = constant <f32: 2.0> : tile<64x32xf32>\n"
    "  %start = constant <f32: 3.0> : tile<32x32xf32>\n"
    "  %y = mmaf %x, %b, %start : tile<32x64xf32>, tile<64x32xf32>, tile<32x32xf32>\n"
    "  %v = make_tensor_view %p, shape = [32, 32], strides = [32, 1] : "
    "tensor_view<32x32xf32, strides=[32,1]>\n"
    "  %w = make_partition_view %v : partition_view<tile=(32x32), "
    "tensor_view<32x32xf32, strides=[32,1]>>\n"
    "  %i = constant <i32: 0> : tile<i32>\n"
    "  %t = store_view_tko weak %y, %w[%i, %i] : tile<32x32xf32>, partition_view<tile=(32x32), "
    "tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> token\n"
    "} }\n";

static unsigned char *object;
static size_t object_size;
static uint8_t compilers = 1;

/* An engine that keeps the object and runs it through its own copy. */
static bool run_loaded(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  (void)grid;
  cpu_options options = {.isa.level = CPU_BASELINE, .opt_level = 3, .compilers = compilers};
  cpu_kernel kernel;
  m->level = 0;
  if (!cpu_llvm.compile(m->ctx, m, entry, &options, &kernel)) return false;
  free(object);
  object_size = kernel.object.len;
  object = aligned_alloc(64, (object_size + 63) / 64 * 64);
  memcpy(object, kernel.object.data, object_size);
  size_t scratch = (kernel.sizes.scratch_bytes + 63) / 64 * 64;
  size_t keys = kernel.sizes.keys_bytes;
  cpu_llvm.release(&kernel);
  exec_code code;
  const char *wrong = exec_code_load(object, object_size, CPU_SYMBOL, &code);
  if (wrong) fail_msg("the object %s", wrong);
  block->scratch = aligned_alloc(64, scratch + 64);
  memset(block->scratch, 0, keys);
  block->id[0] = block->id[1] = block->id[2] = 0;
  ((rt_block_fn)(uintptr_t)code.entry)(block);
  free(block->scratch);
  exec_code_unload(&code);
  return true;
}

static void objects_run(void **state) {
  (void)state;
  float out[4] = {0};
  run_log log;
  if (!run_program_on(run_loaded, program, "k", (run_grid){1, 1, 1}, (uint64_t[]){ARG_ADDRESS(out)},
                      &log))
    fail_msg("%s", log.diagnostics);
  assert_true(out[0] == 2 && out[2] == 0.125f && out[3] == 16);
  assert_non_null(strstr(log.printed, "0.125"));
}

static void other_symbols_are_refused(void **state) {
  (void)state;
  exec_code code;
  assert_non_null(exec_code_load(object, object_size, "another", &code));
  assert_null(code.memory);
  assert_non_null(exec_code_load(object, object_size, "", &code));
  assert_non_null(exec_code_load("", 0, CPU_SYMBOL, &code));
  exec_code_unload(&code);
}

/* Loading is safe whatever the bytes say: run under the address sanitizer, with the object at the
 * end of its allocation. */
static void damaged_objects_do_no_harm(void **state) {
  (void)state;
  unsigned loaded = 0, refused = 0;
  unsigned char *copy = malloc(object_size);
  static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < object_size; i++) {
    for (size_t k = 0; k < ARRAY_LEN(values); k++) {
      memcpy(copy, object, object_size);
      copy[i] = values[k];
      exec_code code;
      if (exec_code_load(copy, object_size, CPU_SYMBOL, &code))
        refused++;
      else
        loaded++;
      exec_code_unload(&code);
    }
  }
  assert_true(loaded > 0 && refused > 0);
  free(copy);
  for (size_t size = 0; size < object_size; size++) {
    copy = malloc(size ? size : 1);
    memcpy(copy, object, size);
    exec_code code;
    assert_non_null(exec_code_load(copy, size, CPU_SYMBOL, &code));
    free(copy);
  }
}

/* ---- several objects ------------------------------------------------------------------------ */

static size_t parts_of(const unsigned char *bytes, size_t size, size_t *at, size_t most) {
  size_t n = 0;
  for (size_t i = 0; i + 4 <= size; i += EXEC_CODE_ALIGN)
    if (memcmp(bytes + i, "\177ELF", 4) == 0 && n < most) at[n++] = i;
  return n;
}

static void run_products(void) {
  static float out[32 * 32];
  run_log log;
  memset(out, 0, sizeof out);
  if (!run_program_on(run_loaded, products, "k", (run_grid){1, 1, 1},
                      (uint64_t[]){ARG_ADDRESS(out)}, &log))
    fail_msg("%s", log.diagnostics);
  for (size_t i = 0; i < ARRAY_LEN(out); i++) assert_true(out[i] == 32 * 0.5f * 2 * 64 + 3);
}

/* The micro-kernels' objects are called from the first, whoever compiled what. */
static void objects_call_each_other(void **state) {
  (void)state;
  size_t at[4], size;
  compilers = 1;
  run_products();
  assert_int_equal(parts_of(object, object_size, at, ARRAY_LEN(at)), 3);
  unsigned char *first = malloc(size = object_size);
  memcpy(first, object, size);
  compilers = 3;
  run_products();
  assert_int_equal(size, object_size);
  assert_memory_equal(first, object, size);
  free(first);
}

static void expect_refusal(const unsigned char *bytes, size_t size, const char *reason) {
  exec_code code;
  const char *wrong = exec_code_load(bytes, size, CPU_SYMBOL, &code);
  assert_non_null(wrong);
  assert_string_equal(wrong, reason);
  assert_null(code.memory);
}

static void missing_objects_are_noticed(void **state) {
  (void)state;
  size_t at[4];
  assert_int_equal(parts_of(object, object_size, at, ARRAY_LEN(at)), 3);
  unsigned char *copy = aligned_alloc(64, (10 * object_size + 63) / 64 * 64);
  memcpy(copy, object, object_size);
  expect_refusal(copy, at[1], "refers to something outside that no kernel needs");
  expect_refusal(copy, at[2], "refers to something outside that no kernel needs");
  memmove(copy, object + at[1], object_size - at[1]);
  expect_refusal(copy, object_size - at[1], "does not define the kernel's function");
  memcpy(copy, object, object_size);
  memset(copy + at[1], 0, 8);
  expect_refusal(copy, object_size, "is no 64-bit ELF object");
  for (size_t i = 0; i <= EXEC_CODE_OBJECTS; i++) memcpy(copy + i * at[1], object, at[1]);
  expect_refusal(copy, (EXEC_CODE_OBJECTS + 1) * at[1], "has too many parts");
  free(copy);
}

/* Loaded or refused, but never read or written outside. */
static void damaged_objects_do_no_harm_together(void **state) {
  (void)state;
  size_t at[4], n = parts_of(object, object_size, at, ARRAY_LEN(at));
  unsigned char *copy = aligned_alloc(64, (object_size + 63) / 64 * 64);
  static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t i = at[n - 1]; i < object_size; i++) {
    memcpy(copy, object, object_size);
    copy[i] = values[i % ARRAY_LEN(values)];
    exec_code code;
    exec_code_load(copy, object_size, CPU_SYMBOL, &code);
    exec_code_unload(&code);
  }
  free(copy);
}

static int drop_object(void **state) {
  (void)state;
  free(object);
  return 0;
}

int main(void) {
  unsetenv("TESSERA_SPLIT"); /* objects are counted */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_run),
      cmocka_unit_test(other_symbols_are_refused),
      cmocka_unit_test(damaged_objects_do_no_harm),
      cmocka_unit_test(objects_call_each_other),
      cmocka_unit_test(missing_objects_are_noticed),
      cmocka_unit_test(damaged_objects_do_no_harm_together),
  };
  return cmocka_run_group_tests(tests, NULL, drop_object);
}
