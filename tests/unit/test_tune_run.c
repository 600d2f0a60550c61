/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tuning of kernels: candidates are built, compared, timed and remembered; on the interpreter, and
 * where there is a compiler, on the CPU.
 */
#include "rt_support.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tune/tune.h"

enum { N = 1000 };

/* y = x * 2 + ADD in tiles of BM elements. */
static const char text[] =
    "cuda_tile.module @m {\n"
    "  entry @scale(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {\n"
    "    // ${UNUSED}\n"
    "    %i, %by, %bz = get_tile_block_id : tile<i32>\n"
    "    %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> "
    "tensor_view<?xf32, strides=[1]>\n"
    "    %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> "
    "tensor_view<?xf32, strides=[1]>\n"
    "    %xt = make_partition_view %xv : partition_view<tile=(${BM}), tensor_view<?xf32, "
    "strides=[1]>>\n"
    "    %yt = make_partition_view %yv : partition_view<tile=(${BM}), tensor_view<?xf32, "
    "strides=[1]>>\n"
    "    %a, %t0 = load_view_tko weak %xt[%i] : partition_view<tile=(${BM}), tensor_view<?xf32, "
    "strides=[1]>>, tile<i32> -> tile<${BM}xf32>, token\n"
    "    %two = constant <f32: 2.0> : tile<${BM}xf32>\n"
    "    %add = constant <f32: ${ADD}.0> : tile<${BM}xf32>\n"
    "    %holds = constant <i1: ${HOLDS}> : tile<i1>\n"
    "    assert %holds, \"it doesn't hold\" : tile<i1>\n"
    "    %r = fma %a, %two, %add : tile<${BM}xf32>\n"
    "    %t2 = store_view_tko weak %r, %yt[%i] : tile<${BM}xf32>, partition_view<tile=(${BM}), "
    "tensor_view<?xf32, strides=[1]>>, tile<i32> -> token\n"
    "  }\n"
    "}\n";

typedef struct bed {
  world w;
  tsr_device *device;
  tsr_tune_space *space;
  tsr_buffer *x, *y;
  tsr_arg args[3];
  tsr_tune_problem problem;
  tsr_tune_options options;
} bed;

static const char *engines[3];

static int find_engines(void **state) {
  (void)state;
  const char *plugin = getenv("TESSERA_LLVM_PLUGIN");
  engines[0] = "interp";
  engines[1] = plugin && *plugin ? "cpu" : NULL;
  return 0;
}

static void set_values(bed *b, const char *name, const int64_t *values, size_t n) {
  assert_int_equal(tsr_tune_space_add_ints(b->space, name, values, n), TSR_OK);
}

/* Buffers and a problem; the parameters are the test's. */
static void bed_open_failing(bed *b, const char *engine, long fail_at) {
  memset(b, 0, sizeof *b);
  world_open_failing(&b->w, fail_at);
  if (!b->w.ctx) return;
  tsr_device_options options = {.struct_size = sizeof options, .threads = 2, .cache_dir = ""};
  b->device = tsr_device_open(b->w.ctx, engine, &options);
  b->space = tsr_tune_space_create(b->w.ctx);
  b->x = tsr_buffer_create(b->device, N * sizeof(float));
  b->y = tsr_buffer_create(b->device, N * sizeof(float));
  for (int i = 0; i < N && b->x && b->y; i++) {
    ((float *)tsr_buffer_data(b->x))[i] = (float)i;
    ((float *)tsr_buffer_data(b->y))[i] = -1;
  }
  b->args[0] = tsr_arg_buffer(b->x);
  b->args[1] = tsr_arg_buffer(b->y);
  b->args[2] = tsr_arg_i32(N);
  if (b->space) tsr_tune_space_set_size(b->space, "n", N);
  b->problem = (tsr_tune_problem){.struct_size = sizeof b->problem,
                                  .device = b->device,
                                  .space = b->space,
                                  .name = "scale.mlir",
                                  .text = text,
                                  .length = sizeof text - 1,
                                  .grid = "cdiv(n, BM)",
                                  .args = b->args,
                                  .n_args = 3};
  b->options = (tsr_tune_options){.struct_size = sizeof b->options, .seconds = 0.05};
}

static void bed_open(bed *b, const char *engine) {
  bed_open_failing(b, engine, 0);
  assert_non_null(b->device);
}

/* The parameters that most tests have one value of. */
static void set_rest(bed *b, const char *tested) {
  static const char *const names[] = {"BM", "ADD", "UNUSED"};
  static const int64_t values[] = {64, 0, 0};
  for (size_t i = 0; i < ARRAY_LEN(names); i++)
    if (strcmp(names[i], tested) != 0) set_values(b, names[i], &values[i], 1);
  if (strcmp(tested, "HOLDS") != 0)
    tsr_tune_space_add_words(b->space, "HOLDS", (const char *const[]){"true"}, 1);
}

static void bed_close(bed *b) {
  tsr_buffer_destroy(b->x);
  tsr_buffer_destroy(b->y);
  tsr_tune_space_destroy(b->space);
  tsr_device_close(b->device);
  world_close(&b->w);
}

static tsr_tune_outcome outcome(const tsr_tuned *t, size_t i) {
  tsr_tune_outcome o;
  assert_true(tsr_tuned_outcome(t, i, &o));
  return o;
}

static void expect_untouched(bed *b) {
  for (int i = 0; i < N; i++) assert_true(((float *)tsr_buffer_data(b->y))[i] == -1);
}

static void expect_launch(bed *b, const tsr_tuned *t, float add) {
  assert_int_equal(tsr_launch(tsr_tuned_kernel(t), tsr_tuned_grid(t), b->args, 3), TSR_OK);
  for (int i = 0; i < N; i++)
    assert_true(((float *)tsr_buffer_data(b->y))[i] == 2 * (float)i + add);
}

#define ON_ALL_ENGINES(b)                                                                          \
  for (const char **engine = engines; *engine && (bed_open(b, *engine), true);                     \
       bed_close(b), engine++)

static void test_best(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "BM", (int64_t[]){16, 256, 1024}, 3);
    set_rest(&b, "BM");
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    expect_quiet(&b.w);
    assert_non_null(t);
    expect_untouched(&b);
    assert_int_equal(tsr_tuned_source(t), TSR_TUNE_MEASURED);
    assert_int_equal(tsr_tuned_count(t), 3);
    assert_true(tsr_tuned_ms(t) > 0);
    for (size_t i = 0; i < 3; i++) {
      tsr_tune_outcome o = outcome(t, i);
      assert_true(o.fate == TSR_TUNE_TIMED || o.fate == TSR_TUNE_TOO_SLOW);
      assert_true(o.median_ms > 0);
    }
    int64_t bm;
    assert_true(tsr_tune_choice_int(tsr_tuned_choice(t), "BM", &bm));
    assert_int_equal(tsr_tuned_grid(t).x, (N + bm - 1) / bm);
    expect_launch(&b, t, 0);
    tsr_tune_outcome o;
    assert_false(tsr_tuned_outcome(t, 3, &o));
    tsr_tuned_destroy(t);
  }
}

/* What makes no difference in the code is timed once; what makes one in a constant is not. */
static void test_same(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "UNUSED", (int64_t[]){1, 2, 3}, 3);
    set_rest(&b, "UNUSED");
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    assert_int_equal(outcome(t, 0).fate, TSR_TUNE_TIMED);
    for (size_t i = 1; i < 3; i++) {
      assert_int_equal(outcome(t, i).fate, TSR_TUNE_SAME);
      assert_int_equal(outcome(t, i).same_as, 0);
    }
    expect_quiet(&b.w);
    tsr_tuned_destroy(t);
  }
}

/* The same code on another grid, or with other arguments, is another candidate. */
static bool other_arguments(void *user, const tsr_tune_choice *c, tsr_arg *args) {
  int64_t n;
  ++*(int *)user;
  tsr_tune_choice_int(c, "UNUSED", &n);
  args[2] = tsr_arg_i32((int32_t)n);
  return true;
}

static void test_other_launches(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "UNUSED", (int64_t[]){N, N - 1}, 2);
    set_rest(&b, "UNUSED");
    int calls = 0;
    b.problem.args_of = other_arguments;
    b.problem.user = &calls;
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    assert_true(calls >= 2);
    assert_int_equal(outcome(t, 1).fate, TSR_TUNE_WRONG); /* the last element is missing */
    assert_non_null(strstr(outcome(t, 1).problem, "element 999 of %y is -1 where 1998 was"));
    tsr_tuned_destroy(t);
  }
}

static void test_broken_candidates(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "BM", (int64_t[]){24, 64}, 2);
    set_rest(&b, "BM");
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    expect_quiet(&b.w);
    assert_int_equal(outcome(t, 0).fate, TSR_TUNE_NOT_BUILT);
    assert_non_null(strstr(outcome(t, 0).problem, "scale.mlir:"));
    assert_int_equal(outcome(t, 1).fate, TSR_TUNE_TIMED);
    tsr_tuned_destroy(t);
  }
}

static void test_wrong_results(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "ADD", (int64_t[]){0, 5}, 2);
    set_rest(&b, "ADD");
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_int_equal(outcome(t, 1).fate, TSR_TUNE_WRONG);
    expect_untouched(&b);
    tsr_tuned_destroy(t);
    float expected[N];
    for (int i = 0; i < N; i++) expected[i] = 2 * (float)i + 5;
    b.problem.expected = (const void *const[]){NULL, expected, NULL};
    t = tsr_tune(&b.problem, &b.options);
    assert_int_equal(outcome(t, 0).fate, TSR_TUNE_WRONG);
    assert_non_null(strstr(outcome(t, 0).problem, "element 0 of %y is 0 where 5 was expected"));
    expect_launch(&b, t, 5);
    tsr_tuned_destroy(t);
    b.options.tolerance = -1;
    t = tsr_tune(&b.problem, &b.options);
    assert_int_not_equal(outcome(t, 0).fate, TSR_TUNE_WRONG);
    tsr_tuned_destroy(t);
  }
}

/* Bytes that are used as floats are compared as these, unless they are used as another type, too.
 */
static const char bytes_text[] =
    "cuda_tile.module @m {\n"
    "  entry @add(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>, %n: tile<i32>) {\n"
    "    %i, %by, %bz = get_tile_block_id : tile<i32>\n"
    "    %xf = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f32>>\n"
    "    %yf = ptr_to_ptr %y : tile<ptr<i8>> -> tile<ptr<f32>>\n"
    "    %yo = ptr_to_ptr %y : tile<ptr<i8>> -> tile<ptr<${OTHER}>>\n"
    "    %xi = offset %xf, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
    "    %yi = offset %yf, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
    "    %yj = offset %yo, %i : tile<ptr<${OTHER}>>, tile<i32> -> tile<ptr<${OTHER}>>\n"
    "    %a, %t0 = load_ptr_tko weak %xi : tile<ptr<f32>> -> tile<f32>, token\n"
    "    %b = constant <f32: ${ADD}> : tile<f32>\n"
    "    %r = addf %a, %b : tile<f32>\n"
    "    %t1 = store_ptr_tko weak %yi, %r : tile<ptr<f32>>, tile<f32> -> token\n"
    "    %c, %t2 = load_ptr_tko weak %yj token=%t1 : tile<ptr<${OTHER}>> -> tile<${OTHER}>, token\n"
    "    %t3 = store_ptr_tko weak %yj, %c token=%t2 : tile<ptr<${OTHER}>>, tile<${OTHER}> -> "
    "token\n"
    "  }\n"
    "}\n";

static tsr_tuned *tune_bytes(bed *b, const char *other) {
  tsr_tune_space_add_words(b->space, "ADD", (const char *const[]){"0.0", "0.0001", "5.0"}, 3);
  tsr_tune_space_add_words(b->space, "OTHER", (const char *const[]){other}, 1);
  b->problem.text = bytes_text;
  b->problem.length = sizeof bytes_text - 1;
  b->problem.grid = "n";
  tsr_tuned *t = tsr_tune(&b->problem, &b->options);
  assert_non_null(t);
  return t;
}

static void test_bytes_that_are_floats(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    tsr_tuned *t = tune_bytes(&b, "f32");
    assert_int_not_equal(outcome(t, 1).fate, TSR_TUNE_WRONG);
    assert_int_equal(outcome(t, 2).fate, TSR_TUNE_WRONG);
    assert_non_null(strstr(outcome(t, 2).problem, "element 0 of %y is 5 where 0 was expected"));
    tsr_tuned_destroy(t);
  }
  ON_ALL_ENGINES(&b) {
    tsr_tuned *t = tune_bytes(&b, "i32");
    assert_int_equal(outcome(t, 1).fate, TSR_TUNE_WRONG);
    assert_non_null(strstr(outcome(t, 1).problem, "byte 0 of %y is 0x"));
    tsr_tuned_destroy(t);
  }
}

static void test_trap(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    tsr_tune_space_add_words(b.space, "HOLDS", (const char *const[]){"false", "true"}, 2);
    set_rest(&b, "HOLDS");
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    expect_quiet(&b.w);
    assert_int_equal(outcome(t, 0).fate, TSR_TUNE_FAILED);
    assert_non_null(strstr(outcome(t, 0).problem, "it doesn't hold"));
    assert_string_equal(tsr_tune_choice_word(tsr_tuned_choice(t), "HOLDS"), "true");
    tsr_tuned_destroy(t);
  }
}

static void test_none(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "BM", (int64_t[]){24, 48}, 2);
    set_rest(&b, "BM");
    assert_null(tsr_tune(&b.problem, &b.options));
    expect_error(&b.w, "none of the 2 candidates works; the first, BM=24 ");
    tsr_tune_space_add_condition(b.space, "BM > 100");
    assert_null(tsr_tune(&b.problem, &b.options));
    expect_error(&b.w, "no candidate meets the conditions");
  }
}

static void test_wrong_calls(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "interp");
  set_rest(&b, "");
  assert_null(tsr_tune(NULL, NULL));
  b.problem.grid = "cdiv(k, BM)";
  assert_null(tsr_tune(&b.problem, &b.options));
  expect_error(&b.w, "the grid 'cdiv(k, BM)', at character 6: there is no parameter or size 'k'");
  b.problem.grid = NULL;
  assert_null(tsr_tune(&b.problem, &b.options));
  expect_error(&b.w, "a grid or a function");
  b.problem.grid = "n - n";
  assert_null(tsr_tune(&b.problem, &b.options));
  expect_error(&b.w, "the grid 'n - n' has 0 tile blocks along x");
  b.problem.grid = "1";
  b.problem.text = NULL;
  assert_null(tsr_tune(&b.problem, &b.options));
  expect_error(&b.w, "a text or a function");
  b.problem.text = text;
  b.problem.kernel = "nothing";
  assert_null(tsr_tune(&b.problem, &b.options));
  expect_error(&b.w, "there is no kernel 'nothing'");
  b.problem.kernel = NULL;
  b.problem.n_args = 2;
  assert_null(tsr_tune(&b.problem, &b.options));
  expect_error(&b.w, "takes 3 arguments, not 2");
  b.problem.space = NULL;
  assert_null(tsr_tune(&b.problem, &b.options));
  expect_error(&b.w, "no space of the device's context");
  bed_close(&b);
}

/* ---- building -------------------------------------------------------------------------------- */

static tsr_module *build(void *user, const tsr_tune_choice *c) {
  bed *b = user;
  size_t n;
  char *out = tsr_tune_choice_substitute(c, text, sizeof text - 1, NULL, &n);
  tsr_module *m = tsr_module_parse(b->w.ctx, out, n, NULL, TSR_PARSE_DEFAULT);
  tsr_string_free(b->w.ctx, out);
  return m;
}

static bool grid_of(void *user, const tsr_tune_choice *c, tsr_grid *out) {
  int64_t bm;
  (void)user;
  tsr_tune_choice_int(c, "BM", &bm);
  *out = (tsr_grid){(uint32_t)((N + bm - 1) / bm), 1, 1};
  return true;
}

static void test_built_modules(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "BM", (int64_t[]){24, 128, 512}, 3);
    set_rest(&b, "BM");
    b.problem.text = NULL;
    b.problem.build = build;
    b.problem.grid = NULL;
    b.problem.grid_of = grid_of;
    b.problem.user = &b;
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    expect_quiet(&b.w);
    assert_int_equal(outcome(t, 0).fate, TSR_TUNE_NOT_BUILT);
    expect_launch(&b, t, 0);
    tsr_tuned_destroy(t);
  }
}

/* ---- records --------------------------------------------------------------------------------- */

static tsr_tune_source source_of(bed *b, tsr_tuned **out) {
  tsr_tuned *t = tsr_tune(&b->problem, &b->options);
  assert_non_null(t);
  tsr_tune_source from = tsr_tuned_source(t);
  if (out)
    *out = t;
  else
    tsr_tuned_destroy(t);
  return from;
}

static void set_n(bed *b, int64_t n) {
  tsr_tune_space_set_size(b->space, "n", n);
  b->args[2] = tsr_arg_i32((int32_t)n);
}

static void test_records(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    char folder[] = "/tmp/tessera-tuning-XXXXXX", path[64], command[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    set_values(&b, "BM", (int64_t[]){64, 512}, 2);
    set_rest(&b, "BM");
    b.options.store = tsr_tuning_store_open(b.w.ctx, path);
    b.options.look_up_only = true;
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_DEFAULT);
    b.options.look_up_only = false;
    tsr_tuned *t, *again;
    assert_int_equal(source_of(&b, &t), TSR_TUNE_MEASURED);
    assert_int_equal(source_of(&b, &again), TSR_TUNE_RECORD);
    assert_true(tsr_tuned_choice(t) == tsr_tuned_choice(again));
    assert_true(tsr_tuned_ms(t) == tsr_tuned_ms(again));
    expect_launch(&b, again, 0);
    tsr_tuned_destroy(t);
    tsr_tuned_destroy(again);
    set_n(&b, 900); /* both are rounded up to 1024 */
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_RECORD);
    b.options.exact = true;
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_MEASURED);
    b.options.exact = false;
    set_n(&b, 300);
    b.options.look_up_only = true;
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_NEAREST);
    b.options.look_up_only = false;
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_MEASURED);
    b.options.again = true;
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_MEASURED);
    b.options.again = false;
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_RECORD);
    b.options.cold = true; /* which is another question */
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_MEASURED);
    b.options.cold = false;
    tsr_tune_space_add_condition(b.space, "BM == 64"); /* there are other candidates */
    assert_int_equal(source_of(&b, NULL), TSR_TUNE_MEASURED);
    expect_quiet(&b.w);
    tsr_tuning_store_close(b.options.store);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
  }
}

/* ---- progress -------------------------------------------------------------------------------- */

typedef struct listener {
  tsr_tune_stage stop_in;
  unsigned calls[3];
  bool stops;
} listener;

static bool listen(void *user, const tsr_tune_progress *p) {
  listener *l = user;
  l->calls[p->stage]++;
  assert_true(p->done <= p->total && p->total == 3);
  assert_true(p->seconds >= 0);
  if (p->best) assert_true(p->best_ms > 0);
  /* Not the very first call, so that something is known. */
  return !l->stops || p->stage != l->stop_in || l->calls[p->stage] < 3;
}

static void test_progress(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_values(&b, "BM", (int64_t[]){64, 256, 512}, 3);
    set_rest(&b, "BM");
    listener l = {0};
    b.options.progress = listen;
    b.options.progress_user = &l;
    tsr_tuned_destroy(tsr_tune(&b.problem, &b.options));
    for (int i = 0; i < 3; i++) assert_true(l.calls[i] > 0);
    l = (listener){.stops = true, .stop_in = TSR_TUNE_BUILDING};
    assert_null(tsr_tune(&b.problem, &b.options));
    expect_error(&b.w, "tuning was stopped before anything was known");
    l = (listener){.stops = true, .stop_in = TSR_TUNE_CHECKING};
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    expect_launch(&b, t, 0);
    tsr_tuned_destroy(t);
    l = (listener){.stops = true, .stop_in = TSR_TUNE_TIMING};
    t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    assert_int_equal(l.calls[TSR_TUNE_TIMING], 3);
    tsr_tuned_destroy(t);
    expect_quiet(&b.w);
  }
}

/* ---- tsr_bench ------------------------------------------------------------------------------- */

static void test_bench(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_rest(&b, "");
    b.options.look_up_only = true;
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    tsr_kernel *k = tsr_tuned_kernel(t);
    tsr_grid grid = tsr_tuned_grid(t);
    double samples[4] = {0};
    tsr_bench_options o = {.struct_size = sizeof o,
                           .warm_up_ms = 1,
                           .measure_ms = 2,
                           .samples = samples,
                           .capacity = 4};
    for (int cold = 0; cold < 2; cold++) {
      tsr_bench_result r;
      o.cold = cold;
      assert_int_equal(tsr_bench(k, grid, b.args, 3, &o, &r), TSR_OK);
      assert_true(r.samples >= 5 && r.launches >= r.samples);
      if (cold) assert_int_equal(r.launches, r.samples);
      assert_true(0 < r.min_ms && r.min_ms <= r.p20_ms && r.p20_ms <= r.median_ms);
      assert_true(r.median_ms <= r.p80_ms && r.p80_ms <= r.max_ms);
      assert_true(r.min_ms <= r.mean_ms && r.mean_ms <= r.max_ms);
      assert_true(samples[0] == r.min_ms && samples[0] <= samples[1]);
    }
    expect_quiet(&b.w);
    tsr_bench_result r;
    assert_int_equal(tsr_bench(k, grid, b.args, 2, NULL, &r), TSR_ERROR_USAGE);
    expect_error(&b.w, "takes 3 arguments, not 2");
    assert_int_equal(tsr_bench(k, grid, b.args, 3, NULL, NULL), TSR_ERROR_USAGE);
    expect_error(&b.w, "no place for the result");
    o.struct_size = 8;
    assert_int_equal(tsr_bench(k, grid, b.args, 3, &o, &r), TSR_ERROR_USAGE);
    expect_error(&b.w, "struct_size is 8");
    assert_int_equal(tsr_bench(NULL, grid, b.args, 3, NULL, &r), TSR_ERROR_USAGE);
    tsr_tuned_destroy(t);
  }
}

typedef struct call_scene {
  bed *b;
  const tsr_tuned *t;
  unsigned calls, fails_at;
} call_scene;

static tsr_status launch_twice(void *user, tsr_stream *stream) {
  call_scene *s = user;
  assert_null(stream); /* none of these devices has one */
  if (++s->calls == s->fails_at) return TSR_ERROR_TRAP;
  for (int i = 0; i < 2; i++)
    tsr_launch(tsr_tuned_kernel(s->t), tsr_tuned_grid(s->t), s->b->args, 3);
  return TSR_OK;
}

static void test_bench_calls(void **state) {
  (void)state;
  bed b;
  ON_ALL_ENGINES(&b) {
    set_rest(&b, "");
    b.options.look_up_only = true;
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    call_scene s = {&b, t, 0, 0};
    double found[3], wanted[] = {0, 0.5, 1};
    tsr_bench_result r;
    tsr_bench_options o = {.struct_size = sizeof o,
                           .warm_up_ms = 1,
                           .measure_ms = 2,
                           .quantiles = wanted,
                           .n_quantiles = 3,
                           .quantile_ms = found};
    for (int cold = 0; cold < 2; cold++) {
      o.cold = cold;
      assert_int_equal(tsr_bench_calls(b.device, launch_twice, &s, &o, &r), TSR_OK);
      assert_true(s.calls > r.launches && r.samples >= 5);
      assert_true(found[0] == r.min_ms && found[1] == r.median_ms && found[2] == r.max_ms);
    }
    s.fails_at = s.calls + 3;
    assert_int_equal(tsr_bench_calls(b.device, launch_twice, &s, &o, &r), TSR_ERROR_TRAP);
    expect_quiet(&b.w);
    wanted[1] = 1.5;
    assert_int_equal(tsr_bench_calls(b.device, launch_twice, &s, &o, &r), TSR_ERROR_USAGE);
    expect_error(&b.w, "tsr_bench_calls: quantiles are numbers from 0 to 1, with a place for each");
    assert_int_equal(tsr_bench_calls(b.device, NULL, &s, NULL, &r), TSR_ERROR_USAGE);
    expect_error(&b.w, "tsr_bench_calls: no function");
    assert_int_equal(tsr_bench_calls(NULL, launch_twice, &s, NULL, &r), TSR_ERROR_USAGE);
    tsr_tuned_destroy(t);
  }
}

/* ---- emulators ------------------------------------------------------------------------------- */

/* Estimates by counters: the same each time, and one launch is enough. */
static void expect_estimates(const char *device) {
  bed b;
  bed_open(&b, device);
  tsr_buffer_write(b.x, 0, tsr_buffer_data(b.x), N * sizeof(float));
  set_values(&b, "BM", (int64_t[]){64, 256}, 2);
  set_rest(&b, "BM");
  double ms = 0;
  for (int round = 0; round < 2; round++) {
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    for (size_t i = 0; i < 2; i++) {
      assert_int_equal(outcome(t, i).fate, TSR_TUNE_TIMED);
      assert_int_equal(outcome(t, i).samples, 1);
    }
    if (round) assert_true(tsr_tuned_ms(t) == ms);
    ms = tsr_tuned_ms(t);
    tsr_bench_result r;
    tsr_bench_options o = {.struct_size = sizeof o, .warm_up_ms = 1, .measure_ms = 1};
    assert_int_equal(tsr_bench(tsr_tuned_kernel(t), tsr_tuned_grid(t), b.args, 3, &o, &r), TSR_OK);
    assert_true(r.min_ms == ms && r.max_ms == ms && r.launches == 1);
    call_scene s = {&b, t, 0, 0};
    assert_int_equal(tsr_bench_calls(b.device, launch_twice, &s, &o, &r), TSR_OK);
    assert_true(s.calls == 1 && r.median_ms > 1.9 * ms && r.median_ms < 2.1 * ms);
    tsr_tuned_destroy(t);
  }
  expect_quiet(&b.w);
  bed_close(&b);
}

static void test_estimates(void **state) {
  (void)state;
  static const char *const cards[] = {"emu:sm_80", "emu:gfx942", "emu:gfx1200"};
  if (!engines[1]) skip(); /* it takes the compiler */
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) expect_estimates(cards[i]);
}

/* A program that takes ptxas' place and reports what the test wants of the constants 7 and 5. */
static void make_ptxas(char *path) {
  static const char script[] =
      "#!/bin/sh\n"
      "echo \"ptxas info    : Compiling entry function 'scale' for 'sm_80'\"\n"
      "spill=0 registers=24\n"
      "grep -qi 0f40e00000 $5 && spill=400\n"
      "grep -qi 0f40a00000 $5 && registers=30000\n"
      "echo \"    0 bytes stack frame, $spill bytes spill stores, 0 bytes spill loads\"\n"
      "echo \"ptxas info    : Used $registers registers\"\n"
      ": >$4\n";
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, script, sizeof script - 1) == sizeof script - 1);
  assert_int_equal(fchmod(file, 0700), 0);
  close(file);
}

/* What spills much, or does not fit a multiprocessor at all, is not launched. */
static void test_pruned(void **state) {
  (void)state;
  bed b;
  char path[] = "/tmp/tessera-ptxas-XXXXXX";
  if (!engines[1]) skip(); /* it takes the compiler */
  make_ptxas(path);
  setenv("TESSERA_PTXAS", path, 1);
  for (int all_spill = 0; all_spill < 2; all_spill++) {
    bed_open(&b, "emu:sm_80");
    b.options.tolerance = -1;
    set_values(&b, "ADD", (int64_t[]){7, 5, 0}, all_spill ? 2 : 3);
    set_values(&b, "UNUSED", (int64_t[]){1, 2}, 2);
    set_values(&b, "BM", (int64_t[]){64}, 1);
    tsr_tune_space_add_words(b.space, "HOLDS", (const char *const[]){"true"}, 1);
    tsr_tuned *t = tsr_tune(&b.problem, &b.options);
    assert_non_null(t);
    tsr_tune_outcome spills = outcome(t, 0), large = outcome(t, 2);
    assert_int_equal(large.fate, TSR_TUNE_PRUNED);
    assert_non_null(strstr(large.problem, "no block fits a multiprocessor: "));
    assert_non_null(strstr(large.problem, "30000 registers of a thread"));
    if (all_spill) {
      assert_int_equal(spills.fate, TSR_TUNE_TIMED);
    } else {
      assert_int_equal(spills.fate, TSR_TUNE_PRUNED);
      assert_string_equal(spills.problem, "a thread spills 400 bytes, where others spill none");
      assert_int_equal(outcome(t, 4).fate, TSR_TUNE_TIMED);
      assert_int_equal(outcome(t, 5).fate, TSR_TUNE_SAME);
      assert_int_equal(outcome(t, 5).same_as, 4);
    }
    expect_quiet(&b.w);
    tsr_tuned_destroy(t);
    bed_close(&b);
  }
  unsetenv("TESSERA_PTXAS");
  unlink(path);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void tune_two(bed *b) {
  tsr_tune_space_add_ints(b->space, "BM", (int64_t[]){256, 512}, 2);
  tsr_tune_space_add_ints(b->space, "ADD", (int64_t[]){0}, 1);
  tsr_tune_space_add_ints(b->space, "UNUSED", (int64_t[]){0}, 1);
  tsr_tune_space_add_words(b->space, "HOLDS", (const char *const[]){"true"}, 1);
  b->options.seconds = 1e-9;
  b->options.threads = 1;
  tsr_tuned_destroy(tsr_tune(&b->problem, &b->options));
}

static void test_without_memory(void **state) {
  (void)state;
  for (long fail_at = 1;; fail_at++) {
    bed b;
    bed_open_failing(&b, "interp", fail_at);
    if (!b.w.ctx) continue;
    if (b.device && b.space && b.x && b.y) tune_two(&b);
    bool reached = b.w.allocations >= fail_at;
    bed_close(&b);
    if (!reached) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_best),           cmocka_unit_test(test_same),
      cmocka_unit_test(test_other_launches), cmocka_unit_test(test_broken_candidates),
      cmocka_unit_test(test_wrong_results),  cmocka_unit_test(test_bytes_that_are_floats),
      cmocka_unit_test(test_trap),           cmocka_unit_test(test_none),
      cmocka_unit_test(test_wrong_calls),    cmocka_unit_test(test_built_modules),
      cmocka_unit_test(test_records),        cmocka_unit_test(test_progress),
      cmocka_unit_test(test_bench),          cmocka_unit_test(test_estimates),
      cmocka_unit_test(test_pruned),         cmocka_unit_test(test_bench_calls),
      cmocka_unit_test(test_without_memory),
  };
  return cmocka_run_group_tests_name("tune_run", tests, find_engines, NULL);
}
