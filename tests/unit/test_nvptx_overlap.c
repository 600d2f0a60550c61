/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products that are begun an iteration early, or waited for an iteration late
 * (simt/nvidia/overlap.h), on the emulated sm_90a beside the interpreter, with all checks on,
 * operations that complete at once and as late as they may, and an adversarial schedule: which
 * products are, that any number of iterations gives the right result, and that the checks would
 * find a wait, fence or arrival that is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_faults.h"

enum { K = 64, N = 32, TILES = 12, MOST_ROWS = 128 };

static _Alignas(128) uint16_t a[MOST_ROWS * K * TILES], b[K * TILES * N], v[N * TILES * K];
static float want[MOST_ROWS * K], got[MOST_ROWS * K];

/* ---- the kernel ----------------------------------------------------------------------------- */

/* In a loop: S = A B[i], P = max(S, 0), then O = O + P V[i], or O = -O + P V[i], or O = O + P; or
 * only O = O + A[i] B[i]. With A [rows, 64], B[i] [64, 32], V[i] [32, 64]. */
typedef struct text {
  unsigned rows;           /* 0: 64 */
  const char *from, *step; /* of the loop to %n; NULL: 0, 1 */
  const char *start;       /* the first product's accumulator; NULL: zero */
  bool only;               /* there is no second product */
  bool sums;               /* and the only one is added up by itself; with `a_changes` */
  bool a_changes;          /* A is loaded in the loop as well: A[i] */
  bool a_carried;          /* A depends on the iteration before: nothing is begun early */
  bool twice;              /* in a loop around, which adds up */
  bool turns;              /* O is negated before the second product is added */
  bool first_in;           /* and that is done in front of the first product */
  const char *ping_pong;   /* the entry's hint; NULL: none */
  bool kept;               /* the sum is negated after the second product */
  bool old;                /* the larger one of O and the sum is taken there */
} text;

static void view(sbuf *t, const char *name, unsigned rows, unsigned columns, const char *tile,
                 const char *elem) {
  sbuf_printf(t,
              "%%%s_v = make_tensor_view %%%s, shape = [%u, %u], strides = [%u, 1] : "
              "tensor_view<%ux%ux%s, strides=[%u,1]>\n"
              "%%%s_p = make_partition_view %%%s_v : partition_view<tile=(%s), "
              "tensor_view<%ux%ux%s, strides=[%u,1]>>\n",
              name, name, rows, columns, columns, rows, columns, elem, columns, name, name, tile,
              rows, columns, elem, columns);
}

static void load(sbuf *t, const char *name, const char *at, unsigned rows, unsigned columns,
                 const char *tile) {
  sbuf_printf(t,
              "%%%s_t, %%%s_token = load_view_tko weak %%%s_p[%s] : partition_view<tile=(%s), "
              "tensor_view<%ux%uxf16, strides=[%u,1]>>, tile<i32> -> tile<%sxf16>, token\n",
              name, name, name, at, tile, rows, columns, columns, tile);
}

static void loops(sbuf *t, const text *x, const char *o, const char *a_tile) {
  if (x->twice)
    sbuf_printf(t,
                "%%r = for %%again in (%%zero to %%two, step %%one) : tile<i32> "
                "iter_values(%%sum = %%none) -> (tile<%s>) {\n",
                o);
  sbuf_printf(t, "%%%s%s = for %%i in (%%from to %%n, step %%step) : tile<i32> iter_values(",
              x->twice ? "inner" : "r", x->a_carried ? ", %last" : "");
  sbuf_printf(t, "%%o = %%%s", x->twice ? "sum" : "none");
  if (x->a_carried)
    sbuf_printf(t, ", %%x = %%a_t) -> (tile<%s>, tile<%sxf16>) {\n", o, a_tile);
  else
    sbuf_printf(t, ") -> (tile<%s>) {\n", o);
}

static char *kernel_of(arena *memory, const text *x) {
  sbuf t = SBUF(memory);
  unsigned rows = x->rows ? x->rows : 64;
  const char *a_tile = arena_printf(memory, "%ux64", rows),
             *s = arena_printf(memory, "%ux32", rows);
  bool one = x->only || x->sums;
  const char *o = arena_printf(memory, "%sxf32", one ? s : a_tile);
  sbuf_puts(&t, "cuda_tile.module @m { entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, "
                "%v: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) ");
  if (x->ping_pong) sbuf_printf(&t, "optimization_hints=<sm_90 = {ping_pong = %s}> ", x->ping_pong);
  sbuf_puts(&t, "{\n");
  view(&t, "a", rows, K * TILES, a_tile, "f16");
  view(&t, "b", K * TILES, N, "64x32", "f16");
  view(&t, "v", N * TILES, K, "32x64", "f16");
  view(&t, "c", rows, one ? N : K, one ? s : a_tile, "f32");
  sbuf_puts(&t, "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
                "%two = constant <i32: 2> : tile<i32>\n");
  sbuf_printf(&t, "%%low = constant <f32: 0.0> : tile<%sxf32>\n", s);
  sbuf_printf(&t, "%%start = constant <f32: %s> : tile<%sxf32>\n", x->start ? x->start : "0.0", s);
  sbuf_printf(&t, "%%none = constant <f32: 0.0> : tile<%s>\n", o);
  sbuf_printf(&t, "%%from = constant <i32: %s> : tile<i32>\n", x->from ? x->from : "0");
  sbuf_printf(&t, "%%step = constant <i32: %s> : tile<i32>\n", x->step ? x->step : "1");
  if (!x->a_changes) load(&t, "a", "%zero, %zero", rows, K * TILES, a_tile);
  loops(&t, x, o, a_tile);
  if (x->a_changes) load(&t, "a", "%zero, %i", rows, K * TILES, a_tile);
  load(&t, "b", "%i, %zero", K * TILES, N, "64x32");
  if (x->turns && x->first_in) sbuf_printf(&t, "%%o_now = negf %%o : tile<%s>\n", o);
  sbuf_printf(&t, "%%%s = mmaf %%%s, %%b_t, %%%s : tile<%sxf16>, tile<64x32xf16>, tile<%sxf32>\n",
              x->sums ? "o_next" : "s", x->a_carried ? "x" : "a_t", x->sums ? "o" : "start", a_tile,
              s);
  if (x->turns && !x->first_in) sbuf_printf(&t, "%%o_now = negf %%o : tile<%s>\n", o);
  if (!x->sums) sbuf_printf(&t, "%%p = maxf %%s, %%low : tile<%sxf32>\n", s);
  if (x->only) {
    sbuf_printf(&t, "%%o_next = addf %%o, %%p : tile<%s>\n", o);
  } else if (!x->sums) {
    sbuf_printf(&t, "%%p_16 = ftof %%p : tile<%sxf32> -> tile<%sxf16>\n", s, s);
    load(&t, "v", "%i, %zero", N * TILES, K, "32x64");
    sbuf_printf(&t, "%%o_%s = mmaf %%p_16, %%v_t, %%%s : tile<%sxf16>, tile<32x64xf16>, tile<%s>\n",
                x->kept || x->old ? "more" : "next", x->turns ? "o_now" : "o", s, o);
    if (x->kept) sbuf_printf(&t, "%%o_next = negf %%o_more : tile<%s>\n", o);
    if (x->old) sbuf_printf(&t, "%%o_next = maxf %%o_more, %%o : tile<%s>\n", o);
  }
  if (x->a_carried)
    sbuf_printf(&t,
                "%%x_next = negf %%x : tile<%sxf16>\n"
                "continue %%o_next, %%x_next : tile<%s>, tile<%sxf16>\n}\n",
                a_tile, o, a_tile);
  else
    sbuf_printf(&t, "continue %%o_next : tile<%s>\n}\n", o);
  if (x->twice) sbuf_printf(&t, "continue %%inner : tile<%s>\n}\n", o);
  unsigned width = one ? N : K;
  sbuf_printf(&t,
              "%%end = store_view_tko weak %%r, %%c_p[%%zero, %%zero] : tile<%s>, "
              "partition_view<tile=(%s), tensor_view<%ux%uxf32, strides=[%u,1]>>, tile<i32> -> "
              "token\n}\n}\n",
              o, one ? s : a_tile, rows, width, width);
  return t.data;
}

/* Quarters, whose products and sums are exact. */
static void fill(uint16_t *x, size_t n, uint32_t seed) {
  static const uint16_t values[] = {0x3c00, 0xb800, 0x0000, 0x3400, 0xbc00, 0x0000, 0x3800, 0xb400};
  for (size_t i = 0; i < n; i++) x[i] = values[((i + seed) * 2654435761u >> 7) % ARRAY_LEN(values)];
}

static bool run_kernel(const char *kernel, bool compiled, float *result, int32_t tiles) {
  run_log log;
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(v), ARG_ADDRESS(result),
                     (uint32_t)tiles};
  memset(result, 0, sizeof want);
  bool ok =
      run_program_on(compiled ? run_gpu : run_interp, kernel, "k", (run_grid){1, 1, 1}, args, &log);
  return fault_outcome(ok, &log, kernel);
}

/* What runs beside the rest. */
typedef enum overlap { NOTHING, EARLY, LATE, BOTH } overlap;

/* Where a product is begun early there is one more than the program has, and nobody waits for it at
 * once; nor for one that is waited for late, but for the one before. */
static overlap overlap_of(const text *x) {
  static const char commit[] = "wgmma.commit_group.sync.aligned;\n\t", wait[] = "wgmma.wait_group";
  unsigned n = 0, begun = 0;
  if (x->sums)
    return strstr(engine_ptx, "wgmma.wait_group.sync.aligned 1;") != NULL ? LATE : NOTHING;
  const char *at = strstr(engine_ptx, "entry k$tma");
  while (at && (at = strstr(at + 1, commit))) {
    n++;
    begun += strncmp(at + strlen(commit), wait, strlen(wait)) != 0;
  }
  bool early = n == (x->only ? 2 : 3);
  return (early ? EARLY : 0) | (begun > early ? LATE : 0);
}

static overlap runs(const text *x, int32_t tiles) {
  arena memory;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *kernel = kernel_of(&memory, x);
  fill(a, ARRAY_LEN(a), 0);
  fill(b, ARRAY_LEN(b), 5);
  fill(v, ARRAY_LEN(v), 11);
  run_kernel(kernel, false, want, tiles);
  run_kernel(kernel, true, got, tiles);
  for (size_t i = 0; i < ARRAY_LEN(want); i++)
    if (memcmp(&want[i], &got[i], sizeof *want))
      fail_msg("%d tiles: element %zu is %g, expected %g\n%s", tiles, i, (double)got[i],
               (double)want[i], kernel);
  assert_true(engine_took_bulk);
  arena_free(&memory);
  tsr_context_destroy(ctx);
  return overlap_of(x);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static const emu_async_mode modes[] = {EMU_ASYNC_LATE, EMU_ASYNC_EAGER, EMU_ASYNC_RANDOM};

/* None, one, fewer than there are stages, and more; by both orders of completion. */
static void test_iterations(void **state) {
  (void)state;
  static const int32_t tiles[] = {0, 1, 2, 3, 11};
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++) {
    engine_async = modes[i % ARRAY_LEN(modes)];
    assert_int_equal(runs(&(text){0}, tiles[i]), BOTH);
    assert_int_equal(runs(&(text){.turns = true}, tiles[i]), BOTH);
    assert_int_equal(runs(&(text){.only = true}, tiles[i]), EARLY);
    assert_int_equal(runs(&(text){.sums = true, .a_changes = true}, tiles[i]), LATE);
  }
  engine_async = EMU_ASYNC_LATE;
}

static void test_forms(void **state) {
  (void)state;
  static const struct {
    text x;
    overlap expect;
  } forms[] = {
      {{.twice = true}, BOTH},
      {{.from = "1", .step = "3"}, BOTH},
      {{.from = "2"}, BOTH},
      {{.start = "0.5"}, BOTH},
      {{.a_changes = true}, BOTH},
      {{.rows = 128}, BOTH},
      {{.rows = 128, .a_changes = true}, BOTH},
      {{.turns = true, .twice = true}, EARLY}, /* some NaN may come from outside */
      {{.turns = true, .rows = 128, .from = "1", .step = "3"}, BOTH},
      {{.only = true, .twice = true, .start = "-0.25"}, EARLY},
      {{.sums = true, .a_changes = true, .twice = true}, LATE},
      {{.sums = true, .a_changes = true, .from = "1", .step = "3", .rows = 128}, LATE},
      /* O is looked at too soon, after its product, or when the next one is there already */
      {{.turns = true, .first_in = true}, EARLY},
      {{.kept = true}, EARLY},
      {{.old = true}, EARLY},
  };
  for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
    engine_async = modes[i % ARRAY_LEN(modes)];
    overlap is = runs(&forms[i].x, i % 2 ? 5 : 7);
    if (is != forms[i].expect) fail_msg("form %zu: %d runs beside the rest", i, is);
  }
  engine_async = EMU_ASYNC_LATE;
}

/* A product whose operands the iteration before makes; one with an operand that is stored to
 * scratch memory. */
static void test_not_overlapped(void **state) {
  (void)state;
  assert_int_equal(runs(&(text){.a_carried = true}, 3), NOTHING);
  assert_int_equal(runs(&(text){.sums = true, .a_carried = true}, 3), NOTHING);
}

/* Two warpgroups take turns where it is worth it, or asked for; with one there is nobody to take
 * them with. */
static void test_turns(void **state) {
  (void)state;
  static const struct {
    text x;
    bool expect;
  } forms[] = {
      {{.rows = 128}, true},
      {{.rows = 128, .twice = true}, true},
      {{.rows = 128, .turns = true, .from = "1", .step = "3"}, true},
      {{.rows = 128, .only = true}, true},
      {{.rows = 128, .only = true, .twice = true}, true},
      {{.rows = 128, .kept = true}, true},
      {{.rows = 128, .a_carried = true}, true},
      {{.rows = 128, .a_carried = true, .ping_pong = "true"}, true},
      {{.rows = 128, .ping_pong = "false"}, false},
      {{.rows = 128, .sums = true, .a_changes = true}, false},
      {{.rows = 128, .sums = true, .a_changes = true, .ping_pong = "true"}, true},
      {{.rows = 64, .ping_pong = "true"}, false},
  };
  static const int32_t tiles[] = {0, 1, 2, 7};
  for (size_t i = 0; i < ARRAY_LEN(forms) * ARRAY_LEN(tiles); i++) {
    const text *x = &forms[i / ARRAY_LEN(tiles)].x;
    engine_async = modes[i % ARRAY_LEN(modes)];
    runs(x, tiles[i % ARRAY_LEN(tiles)]);
    bool is = strstr(engine_ptx, "bar.arrive") != NULL;
    if (is != forms[i / ARRAY_LEN(tiles)].expect) fail_msg("form %zu: turns %d", i, is);
  }
  engine_async = EMU_ASYNC_LATE;
}

/* ---- planted faults ------------------------------------------------------------------------- */

#define WAIT "mbarrier.try_wait"

static bool run_planted(const void *kernel) {
  return run_kernel(kernel, true, got, 6);
}

/* In the order of the text: with an early product the first iteration's; then, in the loop, the
 * early one, and the other one. With a late one that of the loop, and what follows it. */
static void test_planted(void **state) {
  (void)state;
  static const struct {
    text x;
    gpu_fault fault;
  } faults[] = {
      /* the first iteration's product */
      {{0}, {"wgmma.wait_group", 0, NULL, "register of a wgmma that was not waited for"}},
      /* the early one: without a second product there is one wait only */
      {{.only = true},
       {"wgmma.wait_group", 1, NULL, "register of a wgmma that was not waited for"}},
      {{.only = true},
       {"wgmma.commit_group", 1, NULL, "register of a wgmma that was not waited for"}},
      /* A, which threads have stored in front of the loop */
      {{0}, {"fence.proxy.async", 0, NULL, "missing-fence"}},
      /* continues before the operands of the next iteration, or of the second product, are there */
      {{0}, {WAIT, 3, NULL, "more arrivals"}},
      {{0}, {WAIT, 4, NULL, "more arrivals"}},
      /* the producer waits for ever */
      {{0}, {"mbarrier.arrive.shared", 0, NULL, "waits for what nobody does"}},
      {{.only = true}, {"mbarrier.arrive.shared", 0, NULL, "waits for what nobody does"}},
      /* the stage before is given back while it is read */
      {{.sums = true, .a_changes = true}, {"wgmma.wait_group", 0, NULL, "may still be reading"}},
      {{.sums = true, .a_changes = true}, {"wgmma.commit_group", 0, NULL, "may still be reading"}},
      /* O of the iteration before, and of the last one */
      {{.turns = true},
       {"wgmma.wait_group", 1, NULL, "register of a wgmma that was not waited for"}},
      {{.turns = true},
       {"wgmma.commit_group", 2, NULL, "register of a wgmma that was not waited for"}},
      {{.turns = true},
       {"wgmma.wait_group", 2, NULL, "register of a wgmma that was not waited for"}},
      /* the producer waits for V, or for B, for ever */
      {{.turns = true}, {"mbarrier.arrive.shared", 0, NULL, "waits for what nobody does"}},
      {{.turns = true}, {"mbarrier.arrive.shared", 1, NULL, "waits for what nobody does"}},
      {{.twice = true}, {"mbarrier.arrive.shared", 2, NULL, "waits for what nobody does"}},
      /* nobody says whose turn it is: in front of the loop, in it, after it; or waits in front */
      {{.rows = 128}, {"bar.arrive 2", 0, NULL, "not all reach"}},
      {{.rows = 128}, {"bar.arrive %r", 0, NULL, "not all reach"}},
      {{.rows = 128, .only = true}, {"bar.arrive %r", 0, NULL, "not all reach"}},
      {{.rows = 128, .twice = true}, {"bar.arrive 3", 0, NULL, "not all reach"}},
      {{.rows = 128}, {"bar.sync %r", 0, NULL, "not all reach"}},
      /* nobody waits for the turn in the loop, whose iterations are even in number */
      {{.rows = 128}, {"bar.sync %r", 1, NULL, "again"}},
      {{.rows = 128, .only = true}, {"bar.sync %r", 1, NULL, "again"}},
      {{.rows = 128, .twice = true}, {"bar.sync %r", 1, NULL, "again"}},
      {{.rows = 128, .turns = true}, {"bar.sync %r", 1, NULL, "again"}},
      {{.rows = 128, .kept = true}, {"bar.sync %r", 1, NULL, "again"}},
      {{.rows = 128, .sums = true, .a_changes = true, .ping_pong = "true"},
       {"bar.sync %r", 0, NULL, "again"}},
      /* after the loop */
      {{.sums = true, .a_changes = true}, {"wgmma.wait_group", 1, NULL, "that was not waited for"}},
      {{.sums = true, .a_changes = true, .twice = true},
       {"mbarrier.arrive.shared", 1, NULL, "waits for what nobody does"}},
  };
  arena memory;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  for (size_t i = 0; i < ARRAY_LEN(faults); i++)
    fault_check(&faults[i].fault, "k$tma", i, run_planted, kernel_of(&memory, &faults[i].x));
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

int main(void) {
  engine_target = gpu_find_target("sm_90a");
  engine_schedule = EMU_ADVERSARIAL;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iterations),     cmocka_unit_test(test_forms),
      cmocka_unit_test(test_not_overlapped), cmocka_unit_test(test_turns),
      cmocka_unit_test(test_planted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
