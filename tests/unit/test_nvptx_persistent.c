/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Persistent kernels (simt/nvidia/persistent.h) on the emulated sm_90a beside the interpreter, with
 * all checks on: that every tile block of a grid is executed, once, by any number of thread blocks,
 * and sees its own number; which kernels are persistent; and what a launch makes of a grid.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "ir/verify.h"

enum { M = 128, N = 32, K = 64, MOST_TILES = 24 };

static _Alignas(128) uint16_t a[2 * M * K], b[K * N];
static _Alignas(128) float want[MOST_TILES * M * N], got[MOST_TILES * M * N];
static int32_t flags[64];

/* ---- the kernel ----------------------------------------------------------------------------- */

#define A_TILES                                                                                    \
  "partition_view<tile=(128x32), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>"
#define B_TILES                                                                                    \
  "partition_view<tile=(32x32), padding_value = zero, tensor_view<64x32xf16, strides=[32,1]>>"
#define C_TILES "partition_view<tile=(128x32), tensor_view<?x32xf32, strides=[32,1]>>"

/* Tile number n of C is A B, for an even or an odd x of another A, plus a number that says which of
 * the grid's tile blocks made it. */
typedef struct text {
  const char *hints; /* of the entry */
  const char *upper; /* of the loop */
  const char *behind;
} text;

static char *kernel_of(arena *memory, const text *x) {
  sbuf t = SBUF(memory);
  sbuf_printf(&t,
              "cuda_tile.module @m { entry @k(%%a: tile<ptr<f16>>, %%b: tile<ptr<f16>>, "
              "%%c: tile<ptr<f32>>, %%flags: tile<ptr<i32>>, %%rows: tile<i32>)%s {\n"
              "%%a_v = make_tensor_view %%a, shape = [256, 64], strides = [64, 1] : "
              "tensor_view<256x64xf16, strides=[64,1]>\n"
              "%%b_v = make_tensor_view %%b, shape = [64, 32], strides = [32, 1] : "
              "tensor_view<64x32xf16, strides=[32,1]>\n"
              "%%c_v = make_tensor_view %%c, shape = [%%rows, 32], strides = [32, 1] : tile<i32> "
              "-> tensor_view<?x32xf32, strides=[32,1]>\n"
              "%%a_p = make_partition_view %%a_v : " A_TILES "\n"
              "%%b_p = make_partition_view %%b_v : " B_TILES "\n"
              "%%c_p = make_partition_view %%c_v : " C_TILES "\n"
              "%%bx, %%by, %%bz = get_tile_block_id : tile<i32>\n"
              "%%gx, %%gy, %%gz = get_num_tile_blocks : tile<i32>\n"
              "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
              "%%two = constant <i32: 2> : tile<i32>\n"
              "%%none = constant <f32: 0.0> : tile<128x32xf32>\n"
              "%%odd = andi %%bx, %%one : tile<i32>\n%%some = addi %%odd, %%one : tile<i32>\n",
              x->hints ? x->hints : "");
  sbuf_printf(&t,
              "%%r = for %%k in (%%zero to %s, step %%one) : tile<i32> iter_values(%%acc = %%none) "
              "-> (tile<128x32xf32>) {\n"
              "%%l, %%t0 = load_view_tko weak %%a_p[%%odd, %%k] : " A_TILES ", tile<i32> -> "
              "tile<128x32xf16>, token\n"
              "%%q, %%t1 = load_view_tko weak %%b_p[%%k, %%zero] : " B_TILES ", tile<i32> -> "
              "tile<32x32xf16>, token\n"
              "%%s = mmaf %%l, %%q, %%acc : tile<128x32xf16>, tile<32x32xf16>, tile<128x32xf32>\n"
              "continue %%s : tile<128x32xf32>\n}\n",
              x->upper ? x->upper : "%two");
  sbuf_puts(&t, "%zy = muli %bz, %gy : tile<i32>\n%zy_y = addi %zy, %by : tile<i32>\n"
                "%zyx = muli %zy_y, %gx : tile<i32>\n%tile = addi %zyx, %bx : tile<i32>\n"
                "%mark = itof %tile signed : tile<i32> -> tile<f32>\n"
                "%mark_1 = reshape %mark : tile<f32> -> tile<1x1xf32>\n"
                "%marks = broadcast %mark_1 : tile<1x1xf32> -> tile<128x32xf32>\n"
                "%out = addf %r, %marks : tile<128x32xf32>\n"
                "%t9 = store_view_tko weak %out, %c_p[%tile, %zero] : tile<128x32xf32>, " C_TILES
                ", tile<i32> -> token\n");
  sbuf_puts(&t, x->behind ? x->behind : "");
  sbuf_puts(&t, "}\n}\n");
  return t.data;
}

static void fill(uint16_t *x, size_t n) {
  static const uint16_t values[] = {0x3c00, 0xc000, 0x0000, 0x4000, 0xbc00, 0x3c00, 0x4200, 0xb800};
  for (size_t i = 0; i < n; i++) x[i] = values[(i * 2654435761u >> 9) % ARRAY_LEN(values)];
}

/* Runs it both ways. False: the checks have findings. */
static bool run(const text *x, run_grid grid, unsigned multiprocessors) {
  arena memory;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *kernel = kernel_of(&memory, x);
  int32_t tiles = grid.x * grid.y * grid.z;
  assert_true(tiles <= MOST_TILES);
  fill(a, ARRAY_LEN(a));
  fill(b, ARRAY_LEN(b));
  memset(want, 0, sizeof want);
  memset(got, 0, sizeof got);
  memset(flags, 0, sizeof flags);
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(want), ARG_ADDRESS(flags),
                     (uint32_t)(tiles * M)};
  engine_target = gpu_find_target("sm_90a");
  engine_schedule = EMU_ADVERSARIAL;
  engine_multiprocessors = multiprocessors;
  if (!run_program_on(run_interp, kernel, "k", grid, args, &log))
    fail_msg("interp: %s\n%s", log.diagnostics, kernel);
  args[2] = ARG_ADDRESS(got);
  memset(flags, 0, sizeof flags);
  bool good = run_program_on(run_gpu, kernel, "k", grid, args, &log);
  if (!good && !engine_plant) fail_msg("sm_90a: %s\n%s", log.diagnostics, kernel);
  for (size_t i = 0; i < ARRAY_LEN(want) && good; i++)
    if (memcmp(&want[i], &got[i], sizeof *want))
      fail_msg("element %zu of tile %zu is %g, expected %g", i % (M * N), i / (M * N),
               (double)got[i], (double)want[i]);
  arena_free(&memory);
  tsr_context_destroy(ctx);
  return good;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Fewer tile blocks than thread blocks, more, several bands, the last of them narrow. */
static void test_grids(void **state) {
  (void)state;
  static const struct {
    run_grid grid;
    unsigned multiprocessors;
  } cases[] = {{{1, 1, 1}, 4}, {{3, 1, 1}, 2},  {{1, 9, 2}, 3},
               {{2, 2, 3}, 5}, {{1, 11, 1}, 1}, {{2, 11, 1}, 7}};
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    run(&(text){0}, cases[i].grid, cases[i].multiprocessors);
    if (!engine_walked) fail_msg("launch %zu is not persistent", i);
  }
}

/* Clusters go through the grid together; where it is no multiple of them, blocks do alone. */
static void test_clusters(void **state) {
  (void)state;
  static const struct {
    run_grid grid;
    unsigned multiprocessors;
    bool in_clusters;
  } cases[] = {{{2, 1, 1}, 4, true},
               {{6, 2, 1}, 3, true},
               {{2, 10, 1}, 6, true},
               {{2, 3, 2}, 1, true},
               {{3, 3, 1}, 4, false}};
  text x = {.hints = " optimization_hints = <sm_90 = {num_cta_in_cga = 2}>"};
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    run(&x, cases[i].grid, cases[i].multiprocessors);
    if (!engine_walked || engine_took_clusters != cases[i].in_clusters)
      fail_msg("launch %zu is %sin clusters", i, engine_took_clusters ? "" : "not ");
  }
}

#define ACCESS_TYPES "tile<ptr<i32>> -> tile<i32>, token\n"
/* Waits until its own flag is set, which it has set itself. */
static const char waits[] =
    "%f = offset %flags, %tile : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
    "%t10 = store_ptr_tko release device %f, %one token = %t9 : tile<ptr<i32>>, tile<i32> -> "
    "token\n"
    "loop {\n"
    "%seen, %t11 = load_ptr_tko acquire device %f : " ACCESS_TYPES
    "%is_set = cmpi equal %seen, %one, signed : tile<i32> -> tile<i1>\n"
    "if %is_set {\nbreak\n}\ncontinue\n}\n";
static const char adds[] =
    "%old, %t10 = atomic_rmw_tko acq_rel device %flags, add, %one token = %t9 : tile<ptr<i32>>, "
    "tile<i32> -> tile<i32>, token\n";

static const char asserts[] = "%ok = cmpi less_than %bx, %gx, signed : tile<i32> -> "
                              "tile<i1>\nassert %ok, \"far\" : tile<i1>\n";

/* Kernels that wait for others, whose work differs, that are told not to be; and those told to. */
static void test_choice(void **state) {
  (void)state;
  static const struct {
    text x;
    bool walks;
  } cases[] = {
      {{.behind = waits}, false},
      {{.behind = waits, .hints = " optimization_hints = <default = {persistent = true}>"}, false},
      {{.behind = adds}, true},
      {{.behind = asserts}, false},
      {{.upper = "%some"}, false},
      {{.upper = "%some", .hints = " optimization_hints = <sm_90 = {persistent = true}>"}, true},
      {{.hints = " optimization_hints = <sm_90 = {persistent = false}>"}, false},
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    run(&cases[i].x, (run_grid){3, 2, 1}, 2);
    assert_true(engine_took_bulk);
    if (engine_walked != cases[i].walks)
      fail_msg("case %zu is %spersistent", i, engine_walked ? "" : "not ");
  }
}

/* A tile block's panels are read before the next one's are written, and complete at the end. */
static void test_planted_faults(void **state) {
  (void)state;
  static const char *const faults[] = {"cp.async.bulk.wait_group.read 0;",
                                       "cp.async.bulk.wait_group 0;",
                                       "fence.proxy.async.shared::cta;"};
  assert_true(run(&(text){0}, (run_grid){3, 1, 1}, 1));
  for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
    engine_without = faults[i];
    engine_plant = engine_leave_out;
    bool good = run(&(text){0}, (run_grid){3, 1, 1}, 1);
    engine_plant = NULL;
    if (good) fail_msg("nothing is found without %s", faults[i]);
  }
}

static void check_walk(const nvptx_entry *e, const uint32_t *grid, const uint32_t *expected) {
  uint32_t blocks[3];
  uint64_t words[NVPTX_GRID_WORDS];
  assert_int_equal(rt_walk_of(e, grid, 132, blocks, words), e->blocks_per_sm ? 2 : 0);
  for (unsigned d = 0; d < 3; d++) assert_int_equal(blocks[d], expected[d]);
  if (e->blocks_per_sm)
    assert_true(words[0] == ((uint64_t)grid[1] << 32 | grid[0]) && words[1] == grid[2]);
}

static void test_launches(void **state) {
  (void)state;
  nvptx_entry pairs = {.blocks_per_sm = 1, .cluster = {1, 2, 1}};
  nvptx_entry bulk = {.blocks_per_sm = 2}, e = {.bulk = &bulk};
  rt_tensor tensors[RT_MOST_TENSORS];
  const uint32_t largest[3] = {1 << 15, 1 << 15, 1}, larger[3] = {1 << 16, 1 << 15, 1};
  assert_ptr_equal(rt_choose_entry(&e, NULL, largest, true, tensors, &(uint32_t){0}), &bulk);
  assert_ptr_equal(rt_choose_entry(&e, NULL, larger, true, tensors, &(uint32_t){0}), &e);
  check_walk(&bulk, (uint32_t[]){50, 20, 3}, (uint32_t[]){264, 1, 1});
  check_walk(&bulk, (uint32_t[]){5, 20, 1}, (uint32_t[]){100, 1, 1});
  check_walk(&e, (uint32_t[]){50, 20, 3}, (uint32_t[]){50, 20, 3});
  check_walk(&pairs, (uint32_t[]){50, 20, 3}, (uint32_t[]){66, 2, 1});
  check_walk(&pairs, (uint32_t[]){5, 20, 1}, (uint32_t[]){50, 2, 1});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grids),    cmocka_unit_test(test_clusters),
      cmocka_unit_test(test_choice),   cmocka_unit_test(test_planted_faults),
      cmocka_unit_test(test_launches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
