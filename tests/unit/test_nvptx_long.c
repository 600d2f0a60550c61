/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Long kernels, whose code LLVM is given in another way (gpu/nvptx/finish.c, gpu/nvptx/module.c),
 * on the emulated sm_90a beside the interpreter: one pointer and one value that thousands of
 * accesses read, and more blocks than simplifycfg is run on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"

enum { ACCESSES = 1300, BRANCHES = 600, BYTES = 64 };

static run_log report;

static void check(const char *text, uint64_t n) {
  static _Alignas(16) uint8_t want[BYTES], got[BYTES];
  for (unsigned i = 0; i < BYTES; i++) want[i] = got[i] = (uint8_t)(i * 37 + 5);
  if (!run_program_on(run_interp, text, "k", (run_grid){1, 1, 1},
                      (uint64_t[]){ARG_ADDRESS(want), n}, &report))
    fail_msg("%s", report.diagnostics);
  if (!run_program_on(run_gpu, text, "k", (run_grid){1, 1, 1}, (uint64_t[]){ARG_ADDRESS(got), n},
                      &report))
    fail_msg("%s", report.diagnostics);
  assert_memory_equal(want, got, BYTES);
}

static unsigned count(const char *what) {
  unsigned n = 0;
  for (const char *at = engine_ptx; (at = strstr(at, what)); at++) n++;
  return n;
}

/* What the pointer leads to is loaded once and stored often, by instructions of which each reads
 * both and a predicate: all three get other registers now and then. */
static void test_accesses(void **state) {
  (void)state;
  static const struct {
    const char *elem, *move;
  } cases[] = {{"i8", "mov.b16"},  {"i16", "mov.b16"}, {"i32", "mov.b32"},
               {"f32", "mov.b32"}, {"i64", "mov.b64"}, {"f64", "mov.b64"}};
  tsr_context *ctx = tsr_context_create(NULL);
  for (unsigned c = 0; c < ARRAY_LEN(cases); c++) {
    arena a;
    arena_init(&a, ctx);
    sbuf out = SBUF(&a);
    const char *e = cases[c].elem;
    sbuf_printf(&out,
                "cuda_tile.module @m { entry @k(%%p: tile<ptr<%s>>, %%n: tile<i32>) {\n"
                "%%q = offset %%p, %%n : tile<ptr<%s>>, tile<i32> -> tile<ptr<%s>>\n"
                "%%x, %%t0 = load_ptr_tko weak %%p : tile<ptr<%s>> -> tile<%s>, token\n",
                e, e, e, e, e);
    for (unsigned i = 0; i < ACCESSES; i++)
      sbuf_printf(&out,
                  "%%t%u = store_ptr_tko weak %%q, %%x token=%%t%u : tile<ptr<%s>>, tile<%s> -> "
                  "token\n",
                  i + 1, i, e, e);
    sbuf_puts(&out, "} }\n");
    check(out.data, 3);
    assert_int_equal(count(" st.global"), ACCESSES);
    assert_true(count("mov.pred") >= 2 && count(cases[c].move) >= 2);
    arena_free(&a);
  }
  tsr_context_destroy(ctx);
}

/* Each branch adds its number if it is above n, and every second one stores. */
static void test_branches(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  sbuf out = SBUF(&a);
  sbuf_puts(&out, "cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {\n"
                  "%s0 = constant <i32: 0> : tile<i32>\n");
  for (unsigned i = 0; i < BRANCHES; i++) {
    sbuf_printf(&out,
                "%%k%u = constant <i32: %u> : tile<i32>\n"
                "%%c%u = cmpi greater_than %%k%u, %%n, signed : tile<i32> -> tile<i1>\n"
                "%%s%u = if %%c%u -> (tile<i32>) {\n"
                "  %%a = addi %%s%u, %%k%u : tile<i32>\n  yield %%a : tile<i32>\n"
                "} else {\n  yield %%s%u : tile<i32>\n}\n",
                i, i, i, i, i + 1, i, i, i, i);
    if (i % 2)
      sbuf_printf(&out,
                  "if %%c%u {\n"
                  "  %%t = store_ptr_tko weak %%p, %%s%u : tile<ptr<i32>>, tile<i32> -> token\n}\n",
                  i, i + 1);
  }
  sbuf_puts(&out, "} }\n");
  check(out.data, BRANCHES / 2);
  check(out.data, BRANCHES);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TARGET(test_accesses, "sm_90a"),
      TARGET(test_branches, "sm_90a"),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
