/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tile blocks that load together (simt/nvidia/cluster.h) on the emulated sm_90a beside the
 * interpreter, with all checks on, operations that complete at once and as late as they may, and an
 * adversarial schedule: which clusters are chosen for which loads, that results are right, that
 * grids which are no multiple go without, and that the checks would find a wait, arrival or barrier
 * that is missing.
 *
 *   test_nvptx_cluster SEED COUNT   random kernels
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_faults.h"

enum { K = 32, TILES = 6, MOST = 1 << 17 };

static _Alignas(128) uint16_t a[MOST], b[MOST];
static float want[MOST], got[MOST];

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Block (x, y) makes C[x, y] = sum of A[x, i] B[i, y], of tiles of m x 32 and 32 x n. */
typedef struct text {
  unsigned x, y;    /* the grid */
  unsigned m, n;    /* 0: 64, 32 */
  int hint;         /* num_cta_in_cga; 0: none */
  const char *more; /* a block has as many iterations more; NULL: "%zero" */
  bool twice;       /* in a loop around, which adds up */
  bool early;       /* adds max(A[x, i] B[i, y], 0): products are begun an iteration early */
  unsigned raster;  /* as many columns: x and y come from the grid's x alone; 0: they don't */
} text;

/* A view of f16 or f32 in tiles: a line that makes it, and the type of its tiles. */
typedef struct view {
  const char *name, *elem;
  unsigned rows, columns, tile_rows, tile_columns;
} view;

static const char *tiles_of(arena *m, const view *v) {
  return arena_printf(m,
                      "partition_view<tile=(%ux%u), padding_value = zero, "
                      "tensor_view<%ux%ux%s, strides=[%u,1]>>",
                      v->tile_rows, v->tile_columns, v->rows, v->columns, v->elem, v->columns);
}

static void make(sbuf *t, const view *v) {
  sbuf_printf(t,
              "%%%s_v = make_tensor_view %%%s, shape = [%u, %u], strides = [%u, 1] : "
              "tensor_view<%ux%ux%s, strides=[%u,1]>\n%%%s_p = make_partition_view %%%s_v : %s\n",
              v->name, v->name, v->rows, v->columns, v->columns, v->rows, v->columns, v->elem,
              v->columns, v->name, v->name, tiles_of(t->arena, v));
}

static void load(sbuf *t, const view *v, const char *at) {
  sbuf_printf(t,
              "%%%s_t, %%%s_token = load_view_tko weak %%%s_p[%s] : %s, tile<i32> -> "
              "tile<%ux%u%s>, token\n",
              v->name, v->name, v->name, at, tiles_of(t->arena, v), v->tile_rows, v->tile_columns,
              "xf16");
}

static void begin(sbuf *t, const text *x) {
  sbuf_puts(t, "cuda_tile.module @m { entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, "
               "%c: tile<ptr<f32>>) ");
  if (x->hint) sbuf_printf(t, "optimization_hints=<sm_90 = {num_cta_in_cga = %d}> ", x->hint);
  sbuf_puts(t, "{\n%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
               "%two = constant <i32: 2> : tile<i32>\n%tiles = constant <i32: 5> : tile<i32>\n"
               "%gx, %gy, %gz = get_tile_block_id : tile<i32>\n");
  if (x->raster)
    sbuf_printf(t,
                "%%columns = constant <i32: %u> : tile<i32>\n"
                "%%bx = divi %%gx, %%columns signed : tile<i32>\n"
                "%%by = remi %%gx, %%columns signed : tile<i32>\n",
                x->raster);
  else
    sbuf_puts(t, "%bx = addi %gx, %zero : tile<i32>\n%by = addi %gy, %zero : tile<i32>\n");
  sbuf_printf(t, "%%to = addi %%tiles, %%%s : tile<i32>\n", x->more ? x->more : "zero");
}

static char *kernel_of(arena *memory, const text *x) {
  sbuf t = SBUF(memory);
  unsigned m = x->m ? x->m : 64, n = x->n ? x->n : 32;
  unsigned rows = x->raster ? x->x / x->raster : x->x;
  unsigned columns = x->raster ? x->raster : x->y;
  view va = {"a", "f16", rows * m, K * TILES, m, K},
       vb = {"b", "f16", K * TILES, columns * n, K, n};
  view vc = {"c", "f32", rows * m, columns * n, m, n};
  const char *c = arena_printf(memory, "tile<%ux%uxf32>", m, n);
  begin(&t, x);
  make(&t, &va);
  make(&t, &vb);
  make(&t, &vc);
  sbuf_printf(&t, "%%none = constant <f32: 0.0> : %s\n", c);
  if (x->twice)
    sbuf_printf(&t,
                "%%r = for %%again in (%%zero to %%two, step %%one) : tile<i32> "
                "iter_values(%%sum = %%none) -> (%s) {\n",
                c);
  sbuf_printf(&t,
              "%%%s = for %%i in (%%zero to %%to, step %%one) : tile<i32> iter_values(%%o = %%%s) "
              "-> (%s) {\n",
              x->twice ? "inner" : "r", x->twice ? "sum" : "none", c);
  load(&t, &va, "%bx, %i");
  load(&t, &vb, "%i, %by");
  sbuf_printf(&t, "%%s = mmaf %%a_t, %%b_t, %%%s : tile<%ux%uxf16>, tile<%ux%uxf16>, %s\n",
              x->early ? "none" : "o", m, K, K, n, c);
  if (x->early)
    sbuf_printf(&t, "%%p = maxf %%s, %%none : %s\n%%o_next = addf %%o, %%p : %s\n", c, c);
  sbuf_printf(&t, "continue %%%s : %s\n}\n", x->early ? "o_next" : "s", c);
  if (x->twice) sbuf_printf(&t, "continue %%inner : %s\n}\n", c);
  sbuf_printf(&t,
              "%%end = store_view_tko weak %%r, %%c_p[%%bx, %%by] : %s, %s, tile<i32> -> token\n",
              c, tiles_of(memory, &vc));
  sbuf_puts(&t, "}\n}\n");
  return t.data;
}

/* Quarters, whose products and sums are exact. */
static void fill(uint16_t *x, uint32_t seed) {
  static const uint16_t values[] = {0x3c00, 0xb800, 0x0000, 0x3400, 0xbc00, 0x0000, 0x3800, 0xb400};
  for (uint32_t i = 0; i < MOST; i++)
    x[i] = values[((i + seed) * 2654435761u >> 7) % ARRAY_LEN(values)];
}

static bool run_kernel(const char *kernel, const text *x, bool compiled) {
  run_log log;
  float *result = compiled ? got : want;
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(result)};
  run_grid grid = {(int32_t)x->x, (int32_t)x->y, 1};
  memset(result, 0, sizeof want);
  bool ok = run_program_on(compiled ? run_gpu : run_interp, kernel, "k", grid, args, &log);
  return fault_outcome(ok, &log, kernel);
}

/* What the PTX says of clusters; NULL: there is no form with them. */
static const char *shape_of(void) {
  static char shape[32];
  const char *at = strstr(engine_ptx, ".reqnctapercluster ");
  return at && sscanf(at, ".reqnctapercluster %31[0-9, ]", shape) == 1 ? shape : NULL;
}

/* Runs it both ways; whether it was in clusters. */
static bool runs(const text *x) {
  arena memory;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *kernel = kernel_of(&memory, x);
  fill(a, 0);
  fill(b, 5);
  run_kernel(kernel, x, false);
  run_kernel(kernel, x, true);
  for (size_t i = 0; i < ARRAY_LEN(want); i++)
    if (memcmp(&want[i], &got[i], sizeof *want))
      fail_msg("element %zu is %g, expected %g\n%s", i, (double)got[i], (double)want[i], kernel);
  arena_free(&memory);
  tsr_context_destroy(ctx);
  return engine_took_clusters;
}

/* ---- tests ---------------------------------------------------------------------------------- */

typedef struct choice {
  text x;
  const char *shape; /* of the clusters; NULL: none */
} choice;

static void check_choices(const choice *c, size_t n) {
  static const emu_async_mode modes[] = {EMU_ASYNC_LATE, EMU_ASYNC_EAGER};
  for (size_t i = 0; i < n; i++) {
    engine_async = modes[i % 2];
    bool took = runs(&c[i].x);
    assert_true(engine_took_bulk);
    const char *shape = shape_of();
    if (took != (c[i].shape != NULL))
      fail_msg("case %zu: clusters are %staken", i, took ? "" : "not ");
    if (took && strcmp(shape, c[i].shape)) fail_msg("case %zu: clusters of %s", i, shape);
    if (!took && shape) fail_msg("case %zu: there are clusters of %s", i, shape);
  }
  engine_async = EMU_ASYNC_LATE;
}

/* By the hint, by what is fetched, and cut in panels (n is 128) or along rows. */
static void test_shapes(void **state) {
  (void)state;
  static const choice choices[] = {
      {{.x = 4, .y = 2}, "1, 2, 1"},
      {{.x = 2, .y = 2, .n = 128}, "2, 1, 1"},
      {{.x = 2, .y = 2, .hint = 1}, NULL},
      {{.x = 2, .y = 2, .hint = 2}, "1, 2, 1"},
      {{.x = 4, .y = 4, .hint = 4}, "2, 2, 1"},
      {{.x = 4, .y = 2, .n = 128, .hint = 8}, "4, 2, 1"},
  };
  check_choices(choices, ARRAY_LEN(choices));
}

/* Blocks of a cluster must execute the same iterations, and loads must have something in common. */
static void test_dependences(void **state) {
  (void)state;
  static const choice choices[] = {
      {{.x = 2, .y = 2, .more = "by"}, "2, 1, 1"},
      {{.x = 2, .y = 2, .more = "bx"}, "1, 2, 1"},
      {{.x = 2, .y = 2, .n = 128, .more = "bx"}, "1, 2, 1"},
      {{.x = 4, .y = 1, .raster = 2}, "2, 1, 1"},
      {{.x = 6, .y = 1, .raster = 3, .twice = true}, "2, 1, 1"},
      {{.x = 6, .y = 1, .raster = 3, .early = true, .n = 128}, "2, 1, 1"},
      {{.x = 4, .y = 1, .raster = 2, .more = "by"}, NULL},
      {{.x = 2, .y = 2, .twice = true}, "1, 2, 1"},
      {{.x = 2, .y = 2, .n = 128, .early = true}, "2, 1, 1"},
      {{.x = 4, .y = 2, .hint = 4, .early = true, .twice = true}, "2, 2, 1"},
  };
  check_choices(choices, ARRAY_LEN(choices));
}

/* ---- random kernels ------------------------------------------------------------------------- */

static uint32_t random_state;

static uint32_t pick(uint32_t n) {
  random_state = random_state * 1664525 + 1013904223;
  return random_state / 65536 % n;
}

static text random_text(uint32_t seed) {
  static const char *const more[] = {NULL, NULL, "bx", "by"};
  static const int hints[] = {0, 0, 1, 2, 4, 8, 16};
  static const unsigned sides[] = {1, 2, 2, 3, 4, 4};
  random_state = seed * 2654435761u + 1;
  text x = {.x = sides[pick(6)], .y = sides[pick(6)], .m = 64u << pick(2), .n = 8u << pick(5)};
  x.hint = hints[pick(ARRAY_LEN(hints))];
  x.more = more[pick(ARRAY_LEN(more))];
  x.twice = pick(4) == 0;
  x.early = pick(3) == 0;
  while (x.x * x.m * x.y * x.n > MOST) x.n /= 2;
  return x;
}

/* How many were in clusters. */
static uint32_t check_random(uint32_t from, uint32_t count) {
  uint32_t clustered = 0;
  for (uint32_t seed = from; seed < from + count; seed++) {
    text x = random_text(seed);
    engine_async = seed % 3 ? EMU_ASYNC_LATE : EMU_ASYNC_RANDOM;
    engine_schedule = seed % 2 ? EMU_ADVERSARIAL : EMU_RR;
    clustered += runs(&x);
  }
  engine_async = EMU_ASYNC_LATE;
  engine_schedule = EMU_ADVERSARIAL;
  return clustered;
}

static void test_random(void **state) {
  (void)state;
  assert_true(check_random(11, 10) > 2);
}

/* ---- what is saved -------------------------------------------------------------------------- */

static uint64_t sectors;

static void count_sectors(const counters *counted) {
  sectors = counted->total.sectors;
}

static uint64_t sectors_of(const text *x, bool clusters) {
  engine_clusters = clusters;
  assert_true(runs(x) == clusters);
  engine_clusters = true;
  return sectors;
}

/* In clusters of two each block fetches half of what they share: of B's five tiles of 2 KiB, or of
 * A's of 4 KiB, a sector being 32 bytes. */
static void test_savings(void **state) {
  (void)state;
  engine_count = count_sectors;
  text x = {.x = 2, .y = 2, .more = "by"}, y = {.x = 2, .y = 2};
  assert_int_equal(sectors_of(&x, false) - sectors_of(&x, true), (5 + 6) * 2048 / 32);
  assert_int_equal(sectors_of(&y, false) - sectors_of(&y, true), 2 * 5 * 4096 / 32);
  /* Of the pairs of six blocks in rows of three the first and the last share a tile of A. */
  text raster = {.x = 6, .y = 1, .raster = 3};
  assert_int_equal(sectors_of(&raster, false) - sectors_of(&raster, true), 2 * 5 * 4096 / 32);
  engine_count = NULL;
}

/* No block ends while others arrive at its barriers: the last thing that consumers do is to meet.
 * (The emulator does not miss the memory of blocks that have ended.) */
static void test_end(void **state) {
  (void)state;
  assert_true(runs(&(text){.x = 2, .y = 2}));
  const char *arrive = NULL, *from = strstr(engine_ptx, "entry k$cluster");
  const char *meet = NULL, *end = strstr(from, "\n}\n");
  for (const char *at = from; (at = strstr(at + 1, "mapa.")) && at < end;) arrive = at;
  for (const char *at = from; (at = strstr(at + 1, "barrier.cluster.arrive.release")) && at < end;)
    meet = at;
  assert_true(arrive && meet && arrive < meet);
  const char *wait = strstr(meet, "barrier.cluster.wait.acquire"), *ret = strstr(meet, "ret;");
  assert_true(wait && ret && wait < ret && ret < end);
}

/* Grids that are no multiple. */
static void test_grids(void **state) {
  (void)state;
  assert_false(runs(&(text){.x = 3, .y = 3}));
  assert_string_equal(shape_of(), "1, 2, 1");
  assert_false(runs(&(text){.x = 2, .y = 3, .hint = 4}));
  assert_string_equal(shape_of(), "2, 2, 1");
}

/* ---- planted faults ------------------------------------------------------------------------- */

/* A kernel of four blocks. */
static bool run_planted(const void *kernel) {
  return run_kernel(kernel, &(text){.x = 2, .y = 2}, true);
}

static void test_planted(void **state) {
  (void)state;
  static const gpu_fault faults[] = {
      /* copies to blocks that have no barriers yet */
      {"barrier.cluster.arrive", 0, NULL, "mbarrier.init comes first"},
      /* copies into a stage that is still read; multiplies what has not arrived, and hands stages
         back so early that whole phases are missed */
      {"mbarrier.try_wait", 0, NULL, "more arrivals than"},
      {"mbarrier.try_wait", 1, NULL, "waits for what nobody does"},
      {"mapa.", 0, NULL, "waits for what nobody does"},
      {"mbarrier.arrive.expect_tx", 0, NULL, "waits for what nobody does"},
      /* other blocks do not learn that this one has read; it does not learn it of others */
      {".release.cta.shared::cluster.b64", 0, ".relaxed.cta.shared::cluster.b64",
       "missing-wait: writes"},
      {".acquire.cluster.shared::cta.b64", 0, ".relaxed.cluster.shared::cta.b64",
       "missing-wait: writes"},
  };
  arena memory;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  const char *kernel = kernel_of(&memory, &(text){.x = 2, .y = 2});
  for (size_t i = 0; i < ARRAY_LEN(faults); i++)
    fault_check(&faults[i], "k$cluster", i, run_planted, kernel);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

int main(int n, char **arguments) {
  engine_target = gpu_find_target("sm_90a");
  engine_schedule = EMU_ADVERSARIAL;
  if (n > 2) {
    uint32_t count = (uint32_t)atoi(arguments[2]);
    printf("%u of %u in clusters\n", check_random((uint32_t)atoi(arguments[1]), count), count);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),  cmocka_unit_test(test_dependences),
      cmocka_unit_test(test_grids),   cmocka_unit_test(test_savings),
      cmocka_unit_test(test_end),     cmocka_unit_test(test_random),
      cmocka_unit_test(test_planted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
