/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What launches have to do at the least, and candidates that are left out by that: nothing that
 * counts may be more than what is done.
 */
#include "rt_support.h"

#include "tune/tune.h"

/* ---- counting ------------------------------------------------------------------------------- */

static const char head[] =
    "cuda_tile.module @m {\n"
    "  entry @k(%a: tile<ptr<f32>>, %n: tile<i32>, %many: tile<i32>) {\n"
    "    %i, %j, %l = get_tile_block_id : tile<i32>\n"
    "    %zero = constant <i32: 0> : tile<i32>\n"
    "    %one = constant <i32: 1> : tile<i32>\n"
    "    %none = constant <f32: 0.0> : tile<8x8xf32>\n"
    "    %flag, %t = load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token\n"
    "    %unknown = ftoi %flag signed : tile<f32> -> tile<i32>\n"
    "    %perhaps = trunci %unknown : tile<i32> -> tile<i1>\n"
    "    %v = make_tensor_view %a, shape = [%n, 8], strides = [8, 1] : "
    "tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>\n"
    "    %p = make_partition_view %v : partition_view<tile=(8x8), "
    "tensor_view<?x8xf32, strides=[8,1]>>\n"
    "    %x, %t1 = load_view_tko weak %p[%i, %zero] : "
    "partition_view<tile=(8x8), tensor_view<?x8xf32, strides=[8,1]>>, "
    "tile<i32> -> tile<8x8xf32>, token\n";
static const char tail[] = "    %t2 = store_view_tko weak %r, %p[%i, %zero] : tile<8x8xf32>, "
                           "partition_view<tile=(8x8), tensor_view<?x8xf32, strides=[8,1]>>, "
                           "tile<i32> -> token\n"
                           "  }\n"
                           "}\n";

#define PRODUCT(result, sum)                                                                       \
  result " = mmaf %x, %x, " sum " : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n"
enum { EACH = 2 * 8 * 8 * 8 /* operations of such a product */ };

/* Of a grid of x tile blocks of 8 rows each, of which the view has n. */
static launch_work count(const char *body, uint32_t x, int32_t n, int32_t many, bool whole_tiles) {
  world w;
  world_open(&w);
  char text[8192];
  snprintf(text, sizeof text, "%s%s%s", head, body, tail);
  tsr_module *m = tsr_module_parse(w.ctx, text, strlen(text), "k.mlir", TSR_PARSE_DEFAULT);
  if (!m) fail_msg("%s", w.messages);
  tsr_arg args[] = {{.kind = TSR_ARG_BUFFER}, tsr_arg_i32(n), tsr_arg_i32(many)};
  work_options o = {.whole_tiles = whole_tiles, .args = args, .grid = {x, 1, 1}};
  launch_work found = work_of(m, ir_find_symbol(m, str_of("k")), &o, &m->arena);
  tsr_module_destroy(m);
  world_close(&w);
  return found;
}

static void expect_operations(const char *body, int32_t many, double in_all) {
  launch_work found = count(body, 2, 16, many, true);
  if (found.total.operations != in_all)
    fail_msg("%g operations, not %g, of\n%s", found.total.operations, in_all, body);
  assert_true(count(body, 2, 16, many, false).total.operations <= in_all);
}

static void test_straight(void **state) {
  (void)state;
  launch_work found = count(PRODUCT("%r", "%none"), 3, 24, 0, false);
  assert_int_equal(found.blocks, 3);
  assert_true(found.total.operations == 3 * EACH && found.total.words == 3 * EACH);
  assert_true(found.total.stored == 3 * 64 * 4);
  assert_true(found.least.operations == EACH && found.largest.operations == EACH);
}

/* The last tile block has four rows: all of it on cards, none of it where rows are left out. */
static void test_edges(void **state) {
  (void)state;
  const char *body = PRODUCT("%r", "%none");
  launch_work found = count(body, 3, 20, 0, false);
  assert_true(found.total.operations == 2 * EACH && found.least.operations == 0);
  assert_true(found.total.stored == 20 * 8 * 4);
  assert_true(count(body, 3, 20, 0, true).total.operations == 3 * EACH);
  assert_true(count(body, 9, 20, 0, false).total.stored == 20 * 8 * 4);
}

/* What is computed from what is inside is inside; what is moved to other places is not known. */
static void test_origins(void **state) {
  (void)state;
  static const char computed[] =
      "    %y = mulf %x, %x : tile<8x8xf32>\n"
      "    %q = mmaf %y, %x, %none : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n"
      "    %r = mmaf %q, %y, %none : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n";
  static const char moved[] =
      "    %y = reshape %x : tile<8x8xf32> -> tile<8x8x1xf32>\n"
      "    %z = reshape %y : tile<8x8x1xf32> -> tile<8x8xf32>\n"
      "    %r = mmaf %z, %x, %none : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n";
  assert_true(count(computed, 1, 8, 0, false).total.operations == 2 * EACH);
  assert_true(count(moved, 1, 8, 0, false).total.operations == 0);
  assert_true(count(moved, 1, 8, 0, true).total.operations == EACH);
}

static const char twice[] =
    "    %r = for %k in (%zero to %many, step %one) : tile<i32> iter_values(%s = %none) -> "
    "(tile<8x8xf32>) {\n" PRODUCT("%u", "%s") PRODUCT("%w", "%u") "continue %w : tile<8x8xf32>\n"
                                                                  "    }\n";

static void test_loops(void **state) {
  (void)state;
  static const char until[] =
      "    %s:2 = loop iter_values(%k = %zero, %s = %none) : tile<i32>, tile<8x8xf32> -> "
      "tile<i32>, "
      "tile<8x8xf32> {\n" PRODUCT(
          "%u", "%s") "      %next = addi %k, %one : tile<i32>\n"
                      "      %ends = cmpi greater_than_or_equal %next, %many, signed : tile<i32> "
                      "-> tile<i1>\n"
                      "      if %ends { break %next, %u : tile<i32>, tile<8x8xf32> }\n"
                      "      continue %next, %u : tile<i32>, tile<8x8xf32>\n"
                      "    }\n"
                      "    %r = for %k in (%zero to %s#0, step %one) : tile<i32> iter_values(%y = "
                      "%s#1) -> "
                      "(tile<8x8xf32>) {\n" PRODUCT("%u",
                                                    "%y") "continue %u : tile<8x8xf32>\n    }\n";
  expect_operations(twice, 5, 2 * 2 * 5 * EACH);
  expect_operations(twice, 0, 0);
  expect_operations(twice, -7, 0);
  expect_operations(until, 3, 2 * (3 + 3) * EACH);
}

/* By the place in the grid, and by what is in memory. */
static void test_branches(void **state) {
  (void)state;
  static const char by_place[] =
      "    %is = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>\n"
      "    %r = if %is -> (tile<8x8xf32>) {\n" PRODUCT(
          "%u", "%none") "yield %u : tile<8x8xf32>\n } else { yield %none : tile<8x8xf32> }\n";
  static const char by_memory[] = "    %r = if %perhaps -> (tile<8x8xf32>) {\n" PRODUCT(
      "%u", "%none") "yield %u : tile<8x8xf32>\n } else { yield %none : tile<8x8xf32> "
                     "}\n" PRODUCT("    %z", "%r");
  expect_operations(by_place, 0, EACH);
  launch_work found = count(by_place, 2, 16, 0, true);
  assert_true(found.least.operations == 0 && found.largest.operations == EACH);
  expect_operations(by_memory, 0, 2 * EACH);
}

/* After what may leave a loop or the kernel, nothing is certain but what is behind that. */
static void test_exits(void **state) {
  (void)state;
  static const char returns[] = "    if %perhaps { return }\n" PRODUCT("    %r", "%none");
  static const char breaks[] =
      "    %q = loop iter_values(%s = %none) : tile<8x8xf32> -> tile<8x8xf32> {\n"
      "      if %perhaps { break %s : tile<8x8xf32> }\n" PRODUCT(
          "%u", "%s") "      continue %u : tile<8x8xf32>\n    }\n" PRODUCT("    %r", "%q");
  static const char later[] =
      "    %q = loop iter_values(%s = %none) : tile<8x8xf32> -> tile<8x8xf32> {\n"
      "      if %perhaps { break %s : tile<8x8xf32> }\n"
      "      %is = cmpi equal %many, %zero, signed : tile<i32> -> tile<i1>\n"
      "      if %is { return }\n"
      "      continue %s : tile<8x8xf32>\n    }\n" PRODUCT("    %r", "%q");
  static const char unknown_times[] =
      "    %q = for %k in (%zero to %unknown, step %one) : tile<i32> iter_values(%s = %none) -> "
      "(tile<8x8xf32>) {\n" PRODUCT("%u", "%s") "continue %u : tile<8x8xf32>\n    }\n" PRODUCT(
          "    %r", "%q");
  expect_operations(returns, 0, 0);
  assert_true(count(returns, 2, 16, 0, true).total.stored == 0);
  expect_operations(breaks, 0, 2 * EACH);
  expect_operations(later, 0, 0);
  expect_operations(unknown_times, 0, 2 * EACH);
}

/* It gives up after a while, with less than there is. */
static void test_too_much(void **state) {
  (void)state;
  launch_work found = count(twice, 3, 24, 1 << 30, true);
  assert_true(found.total.operations > 1e6 * EACH && found.total.operations < 3e9 * EACH);
  assert_true(found.least.operations == 0);
  assert_true(count(twice, 3, 24, 1 << 30, false).total.operations == 0);
  assert_true(count(twice, 65535, 24, 100, true).total.stored > 0);
}

/* ---- leaving out ---------------------------------------------------------------------------- */

enum { BYTES = 256 * 64 * sizeof(float) };

/* r = x * x, added up MANY times. */
static const char text[] =
    "cuda_tile.module @m {\n"
    "  entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {\n"
    "    %i, %j, %l = get_tile_block_id : tile<i32>\n"
    "    %zero = constant <i32: 0> : tile<i32>\n"
    "    %one = constant <i32: 1> : tile<i32>\n"
    "    %many = constant <i32: ${MANY}> : tile<i32>\n"
    "    %none = constant <f32: 0.0> : tile<64x64xf32>\n"
    "    %v = make_tensor_view %a, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf32, "
    "strides=[64,1]>\n"
    "    %o = make_tensor_view %b, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf32, "
    "strides=[64,1]>\n"
    "    %p = make_partition_view %v : partition_view<tile=(64x64), tensor_view<256x64xf32, "
    "strides=[64,1]>>\n"
    "    %q = make_partition_view %o : partition_view<tile=(64x64), tensor_view<256x64xf32, "
    "strides=[64,1]>>\n"
    "    %r = for %k in (%zero to %many, step %one) : tile<i32> iter_values(%s = %none) -> "
    "(tile<64x64xf32>) {\n"
    "      %x, %t1 = load_view_tko weak %p[%i, %zero] : partition_view<tile=(64x64), "
    "tensor_view<256x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token\n"
    "      %u = mmaf %x, %x, %s : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>\n"
    "      continue %u : tile<64x64xf32>\n"
    "    }\n"
    "    %t2 = store_view_tko weak %r, %q[%i, %zero] : tile<64x64xf32>, "
    "partition_view<tile=(64x64), tensor_view<256x64xf32, strides=[64,1]>>, tile<i32> -> token\n"
    "  }\n"
    "}\n";

typedef struct bed {
  world w;
  tsr_device *device;
  tsr_tune_space *space;
  tsr_buffer *a, *b;
  tsr_arg args[2];
  size_t pruned; /* by what the progress said */
} bed;

static bool listen(void *user, const tsr_tune_progress *p) {
  bed *b = user;
  b->pruned = p->pruned;
  return true;
}

static void bed_open(bed *b, const char *device) {
  memset(b, 0, sizeof *b);
  world_open(&b->w);
  tsr_device_options options = {.struct_size = sizeof options, .threads = 2, .cache_dir = ""};
  b->device = tsr_device_open(b->w.ctx, device, &options);
  assert_non_null(b->device);
  b->space = tsr_tune_space_create(b->w.ctx);
  b->a = tsr_buffer_create(b->device, BYTES);
  b->b = tsr_buffer_create(b->device, BYTES);
  memset(tsr_buffer_data(b->a), 0, BYTES);
  memset(tsr_buffer_data(b->b), 0xff, BYTES);
  b->args[0] = tsr_arg_buffer(b->a);
  b->args[1] = tsr_arg_buffer(b->b);
}

static void bed_close(bed *b) {
  tsr_buffer_destroy(b->a);
  tsr_buffer_destroy(b->b);
  tsr_tune_space_destroy(b->space);
  tsr_device_close(b->device);
  world_close(&b->w);
}

static tsr_tuned *tune(bed *b, const int64_t *many, size_t n) {
  tsr_tune_space_add_ints(b->space, "MANY", many, n);
  tsr_tuned *t = tsr_tune(&(tsr_tune_problem){.struct_size = sizeof(tsr_tune_problem),
                                              .device = b->device,
                                              .space = b->space,
                                              .text = text,
                                              .length = sizeof text - 1,
                                              .grid = "4",
                                              .args = b->args,
                                              .n_args = 2},
                          &(tsr_tune_options){.struct_size = sizeof(tsr_tune_options),
                                              .seconds = 0.01,
                                              .progress = listen,
                                              .progress_user = b});
  if (!t) fail_msg("%s", b->w.messages);
  return t;
}

static void expect_pruned(const tsr_tuned *t, size_t i, const char *why) {
  tsr_tune_outcome o;
  assert_true(tsr_tuned_outcome(t, i, &o));
  assert_int_equal(o.fate, TSR_TUNE_PRUNED);
  assert_true(o.median_ms == 0 && o.samples == 0);
  if (!strstr(o.problem, why)) fail_msg("'%s' is not in '%s'", why, o.problem);
}

static void expect_untouched(const bed *b) {
  const unsigned char *bytes = tsr_buffer_data(b->b);
  for (size_t i = 0; i < BYTES; i++) assert_int_equal(bytes[i], 0xff);
}

static bool has_compiler(void) {
  const char *plugin = getenv("TESSERA_LLVM_PLUGIN");
  return plugin && *plugin;
}

/* The second one would take a second. */
static void test_on_cpu(void **state) {
  (void)state;
  bed b;
  if (!has_compiler()) skip();
  bed_open(&b, "cpu");
  tsr_tuned *t = tune(&b, (int64_t[]){1, 160000, 2}, 3);
  expect_pruned(t, 1, "its work takes at least ");
  expect_pruned(t, 1, " ms, and MANY=1 takes ");
  assert_int_equal(b.pruned, 1);
  expect_untouched(&b);
  tsr_tuned_destroy(t);
  bed_close(&b);
}

/* By its work before it is launched; by what was counted when it is. */
static void test_on_cards(void **state) {
  (void)state;
  static const char *const cards[] = {"emu:sm_80", "emu:sm_90a", "emu:gfx942", "emu:gfx1100"};
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
    bed b;
    if (!has_compiler()) skip();
    bed_open(&b, cards[i]);
    tsr_tuned *t = tune(&b, (int64_t[]){1, INT32_MAX, 8}, 3);
    expect_pruned(t, 1, "its work takes at least ");
    expect_pruned(t, 2, "given up when it had come to ");
    assert_int_equal(b.pruned, 2);
    expect_untouched(&b);
    tsr_tuned_destroy(t);
    bed_close(&b);
  }
}

/* No bound may be above what is estimated for the launch. */
static void test_bounds_hold(void **state) {
  (void)state;
  bed b;
  if (!has_compiler()) skip();
  for (int64_t many = 1; many <= 64; many *= 8) {
    bed_open(&b, "emu:sm_90a");
    tsr_tuned *t = tune(&b, &many, 1);
    assert_true(t->candidates[0].bound_ms > 0);
    assert_true(t->candidates[0].bound_ms <= t->ms);
    tsr_tuned_destroy(t);
    bed_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight), cmocka_unit_test(test_edges),
      cmocka_unit_test(test_origins),  cmocka_unit_test(test_loops),
      cmocka_unit_test(test_branches), cmocka_unit_test(test_exits),
      cmocka_unit_test(test_too_much), cmocka_unit_test(test_on_cpu),
      cmocka_unit_test(test_on_cards), cmocka_unit_test(test_bounds_hold),
  };
  return cmocka_run_group_tests_name("tune_bound", tests, NULL, NULL);
}
