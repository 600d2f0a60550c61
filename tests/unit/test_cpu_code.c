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

static unsigned char *object;
static size_t object_size;

/* An engine that keeps the object and runs it through its own copy. */
static bool run_loaded(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  (void)grid;
  cpu_options options = {.level = CPU_BASELINE, .opt_level = 3};
  cpu_kernel kernel;
  if (!tsr_llvm_plugin()->compile(m->ctx, m, entry, &options, &kernel)) return false;
  object_size = kernel.object.len;
  object = aligned_alloc(64, (object_size + 63) / 64 * 64);
  memcpy(object, kernel.object.data, object_size);
  size_t scratch = (kernel.sizes.scratch_bytes + 63) / 64 * 64;
  size_t keys = kernel.sizes.keys_bytes;
  tsr_llvm_plugin()->release(&kernel);
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

static int drop_object(void **state) {
  (void)state;
  free(object);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_run),
      cmocka_unit_test(other_symbols_are_refused),
      cmocka_unit_test(damaged_objects_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, drop_object);
}
