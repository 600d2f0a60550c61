/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops that store while what later iterations read is copied ahead (simt/load_hoist.h): on the
 * emulated cards beside the interpreter, with all checks on, asynchronous operations completing
 * early and late. That loads pass stores that they may pass, and no others: also where two
 * parameters are one memory, and tokens say what comes first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"

enum { TILE = 64, STEP = 32, DEPTH = 128, TILES = 3 };

static _Alignas(128) uint16_t b[DEPTH * TILE];
static _Alignas(128) uint16_t want[2][TILES * TILE * DEPTH], got[2][TILES * TILE * DEPTH];

/* ---- the kernel ----------------------------------------------------------------------------- */

#define VIEW    "tensor_view<?x128xf16, strides=[128,1]>"
#define A_TILES "partition_view<tile=(64x32), padding_value = zero, " VIEW ">"
#define B_TILES                                                                                    \
  "partition_view<tile=(32x64), padding_value = zero, tensor_view<128x64xf16, "                    \
  "strides=[64,1]>>"
#define C_TILES "partition_view<tile=(64x64), " VIEW ">"

/* For each of three tiles t: C[t] = A[t] B, summed up over tiles. */
typedef struct text {
  const char *token;   /* of the loads of A */
  const char *in_body; /* in the inner loop, after the product %s; NULL: nothing */
  const char *first;   /* in the inner loop, in front of the product */
  const char *behind;  /* of the inner loop, in place of the store to C */
} text;

#define STORE(name, value, to, at)                                                                 \
  "%" name " = store_view_tko weak %" value ", %" to "[" at "] : tile<64x64xf16>, " C_TILES        \
  ", tile<i32> -> token\n"

static char *kernel_of(arena *memory, const text *x) {
  sbuf t = SBUF(memory);
  sbuf_puts(&t, "cuda_tile.module @m { entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, "
                "%c: tile<ptr<f16>>, %n: tile<i32>, %k: tile<i32>, %rows: tile<i32>) {\n"
                "%a_v = make_tensor_view %a, shape = [%rows, 128], strides = [128, 1] : tile<i32> "
                "-> " VIEW "\n"
                "%b_v = make_tensor_view %b, shape = [128, 64], strides = [64, 1] : "
                "tensor_view<128x64xf16, strides=[64,1]>\n"
                "%c_v = make_tensor_view %c, shape = [%rows, 128], strides = [128, 1] : tile<i32> "
                "-> " VIEW "\n"
                "%a_p = make_partition_view %a_v : " A_TILES "\n"
                "%b_p = make_partition_view %b_v : " B_TILES "\n"
                "%c_p = make_partition_view %c_v : " C_TILES "\n"
                "%a_out = make_partition_view %a_v : " C_TILES "\n"
                "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
                "%none = constant <f32: 0.0> : tile<64x64xf32>\n%begin = make_token : token\n");
  sbuf_puts(&t, "%r, %last = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%sum = "
                "%none, %order = %begin) -> (tile<64x64xf32>, token) {\n"
                "%next = addi %t, %one : tile<i32>\n"
                "%inner = for %i in (%zero to %k, step %one) : tile<i32> iter_values(%acc = %sum) "
                "-> (tile<64x64xf32>) {\n");
  sbuf_printf(&t,
              "%%l, %%t0 = load_view_tko weak %%a_p[%%t, %%i] %s : " A_TILES ", tile<i32> -> "
              "tile<64x32xf16>, token\n%%q, %%t1 = load_view_tko weak %%b_p[%%i, %%zero] : " B_TILES
              ", tile<i32> -> tile<32x64xf16>, token\n%s",
              x->token ? x->token : "", x->first ? x->first : "");
  sbuf_printf(&t,
              "%%s = mmaf %%l, %%q, %%acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>\n"
              "%scontinue %%s : tile<64x64xf32>\n}\n"
              "%%e = ftof %%inner : tile<64x64xf32> -> tile<64x64xf16>\n"
              "%scontinue %%inner, %%t9 : tile<64x64xf32>, token\n}\n}\n}\n",
              x->in_body ? x->in_body : "",
              x->behind ? x->behind : STORE("t9", "e", "c_p", "%t, %zero"));
  return t.data;
}

static void fill(uint16_t *x, size_t n) {
  static const uint16_t values[] = {0x3c00, 0xbc00, 0x0000, 0x3800, 0xb800, 0x0000, 0x3c00, 0x0000};
  for (size_t i = 0; i < n; i++) x[i] = values[(i * 2654435761u >> 9) % ARRAY_LEN(values)];
}

static void run_on(run_engine engine, const char *kernel, uint16_t (*memory)[TILES * TILE * DEPTH],
                   bool one_memory) {
  run_log log;
  fill(memory[0], ARRAY_LEN(memory[0]));
  memset(memory[1], 0, sizeof memory[1]);
  uint64_t args[] = {
      ARG_ADDRESS(memory[0]), ARG_ADDRESS(b), ARG_ADDRESS(memory[!one_memory]), TILES,
      DEPTH / STEP,           TILES * TILE};
  if (!run_program_on(engine, kernel, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s: %s\n%s", engine == run_gpu ? engine_target->name : "interp", log.diagnostics,
             kernel);
}

/* What came of A's loads. */
typedef enum outcome { PLAIN, CP_ASYNC, PRODUCER } outcome;

static outcome run(const text *x, const char *target, bool one_memory) {
  arena memory;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *kernel = kernel_of(&memory, x);
  fill(b, ARRAY_LEN(b));
  engine_target = gpu_find_target(target);
  engine_schedule = EMU_ADVERSARIAL;
  run_on(run_interp, kernel, want, one_memory);
  static const emu_async_mode modes[] = {EMU_ASYNC_LATE, EMU_ASYNC_EAGER};
  for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
    engine_async = modes[i];
    run_on(run_gpu, kernel, got, one_memory);
    if (memcmp(want, got, sizeof want)) fail_msg("%s: results differ\n%s", target, kernel);
  }
  arena_free(&memory);
  tsr_context_destroy(ctx);
  if (engine_took_bulk) return PRODUCER;
  return strstr(engine_ptx, "cp.async.cg") ? CP_ASYNC : PLAIN;
}

static void check(const text *x, outcome ampere, outcome hopper) {
  assert_int_equal(run(x, "sm_80", false), ampere);
  assert_int_equal(run(x, "sm_90a", false), hopper);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Stores to other memory, of tiles and of what an iteration leaves, from one panel to many. */
static void test_passed(void **state) {
  (void)state;
  static const char each[] =
      "%p = ftof %s : tile<64x64xf32> -> tile<64x64xf16>\n" STORE("t8", "p", "c_p", "%t, %one");
  check(&(text){0}, CP_ASYNC, PRODUCER);
  assert_non_null(strstr(engine_ptx, ".global.shared::cta.tile.bulk_group"));
  check(&(text){.in_body = each}, CP_ASYNC, PRODUCER);
  assert_non_null(strstr(engine_ptx, ".global.shared::cta.tile.bulk_group"));
}

/* In front of the product, whose operands have not arrived in the form with a producer. */
static void test_in_front(void **state) {
  (void)state;
  static const char early[] =
      "%p = ftof %acc : tile<64x64xf32> -> tile<64x64xf16>\n" STORE("t8", "p", "c_p", "%t, %one");
  check(&(text){.first = early}, CP_ASYNC, CP_ASYNC);
}

/* Where tokens say that a load sees what was stored before it, it does: C may be A. The tile that
 * is stored is the next one's A. */
static void test_ordered(void **state) {
  (void)state;
  text x = {.token = "token = %order", .behind = STORE("t9", "e", "c_p", "%next, %zero")};
  check(&x, CP_ASYNC, CP_ASYNC); /* B's loads have no token */
  assert_int_equal(run(&x, "sm_80", true), CP_ASYNC);
  assert_int_equal(run(&x, "sm_90a", true), CP_ASYNC);
}

/* In one memory the order of the program holds without tokens, too. */
static void test_same_memory(void **state) {
  (void)state;
  text x = {.behind = STORE("t9", "e", "a_out", "%next, %zero")};
  check(&x, CP_ASYNC, CP_ASYNC);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_passed),
      cmocka_unit_test(test_in_front),
      cmocka_unit_test(test_ordered),
      cmocka_unit_test(test_same_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
