/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the cost model chooses for targets that are given by their figures; what a launch takes at
 * the least, and what tuning leaves out by that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops_run.h"

static const ops_target avx512 = {
    .kind = OPS_ON_CPU, .cores = 1, .vector_bytes = 64, .gflops = 256, .gbytes = 20};
static const ops_target avx2 = {
    .kind = OPS_ON_CPU, .cores = 1, .vector_bytes = 32, .gflops = 128, .gbytes = 20};
static const ops_target gpu = {.kind = OPS_ON_GPU, .cores = 108, .gflops = 1536, .gbytes = 2000};

/* The problem as it was chosen. */
static ops_problem choose(const char *text, const ops_target *target, arena *a) {
  ops_problem p;
  ops_why why = {""};
  ops_operands *operands = arena_new(a, ops_operands);
  tsr_op_problem given = {.struct_size = sizeof given, .text = text};
  if (!ops_problem_parse(&p, a, &given, &why) || !ops_problem_settle(&p, operands, &why) ||
      !ops_problem_choose(&p, target, &why))
    fail_msg("%s: %s", text, why.text);
  return p;
}

static void expect_choice(const char *text, const ops_target *target, const char *param,
                          int64_t least, int64_t most) {
  world w;
  arena a;
  world_open(&w);
  arena_init(&a, w.ctx);
  ops_problem p = choose(text, target, &a);
  int64_t found = p.values[ops_param_find(p.family, str_of(param))].i;
  if (found < least || found > most)
    fail_msg("%s: %s=%lld is chosen, not %lld to %lld", text, param, (long long)found,
             (long long)least, (long long)most);
  arena_free(&a);
  world_close(&w);
}

/* Tiles of whole lines that a core's first cache holds, of several lines where these are short. To
 * begin a tile block costs little. */
static void lines(void **state) {
  (void)state;
  expect_choice("norm:kind=layer,bias=yes,shape=384x1024", &avx512, "tile_rows", 1, 4);
  expect_choice("norm:kind=layer,bias=yes,shape=197x768", &avx512, "tile_rows", 1, 4);
  expect_choice("softmax_backward:shape=512x512", &avx512, "tile_rows", 1, 2);
  expect_choice("norm:kind=layer,bias=yes,shape=4096x8", &avx512, "tile_rows", 16, 64);
  expect_choice("norm:kind=rms,shape=512x4096", &avx2, "tile_rows", 1, 1);
  expect_choice("softmax:shape=4096x128", &avx2, "whole", 1, 1);
  expect_choice("cross_entropy:shape=512x50257", &avx512, "whole", 0, 0);
}

/* One row: long steps along the rows of b, few of which are read at a time. */
static void one_row(void **state) {
  (void)state;
  static const ops_target *const targets[] = {&avx512, &avx2};
  for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
    expect_choice("gemm:m=1,n=768,k=3072,b=column", targets[i], "tile_k", 256, 1024);
    expect_choice("gemm:m=1,n=896,k=4864,b=column", targets[i], "tile_n", 8, 16);
    expect_choice("gemm:m=1,n=896,k=4864,b=column", targets[i], "tile_m", 1, 1);
    expect_choice("gemm:m=512,n=2304,k=768,b=column", targets[i], "tile_m", 64, 1024);
  }
  /* Few rows: to pack b costs vectors of 32 bytes twice as many instructions. */
  expect_choice("gemm:m=4,n=1000,k=2048,b=column", &avx2, "tile_m", 4, 4);
}

/* Pairs of bf16 are worth packing for fewer rows than elements of f32 are. */
static void pairs(void **state) {
  (void)state;
  ops_target with_pairs = avx512;
  with_pairs.bf16 = true;
  expect_choice("gemm:type=bf16,m=8,n=6144,k=4096,b=column", &with_pairs, "tile_m", 32, 128);
}

/* Steps of a convolution: a row of the window with few channels; of the gradient of filters, pixels
 * that make whole tiles. */
static void steps(void **state) {
  (void)state;
  static const char *const first =
      "convolution:batch=4,size=224x224,kernel=7,stride=2,padding=3,channels=3,filters=64";
  static const char *const gradient =
      "convolution:pass=weights,batch=4,size=28x28,kernel=3,padding=1,channels=128,filters=128";
  expect_choice(first, &avx512, "joined", 1, 1);
  expect_choice(first, &avx512, "tile_c", 32, 32);
  expect_choice(gradient, &avx512, "joined", 0, 0);
  expect_choice(gradient, &avx512, "tile_h", 2, 4);
  expect_choice(gradient, &avx512, "tile_w", 4, 4);
}

/* Blocks that are left open: each tile has its own, or steps are shared by as many as the sums that
 * wait allow. */
static void blocks(void **state) {
  (void)state;
  expect_choice("gemm:m=4096,n=4096,k=4096", &avx512, "blocks", 0, 0);
  /* 9 x 12 tiles of 128 x 128: all cores have one each, and no sum waits. */
  expect_choice("gemm:m=1152,n=1536,k=4096,share=ordered,tile_m=128,tile_n=128,tile_k=64", &gpu,
                "blocks", 108, 108);
  /* 120: two for each of 60 take as long as the second turn, so that steps are divided. */
  expect_choice("gemm:m=1280,n=1536,k=4096,share=ordered,tile_m=128,tile_n=128,tile_k=64", &gpu,
                "blocks", 108, 108);
  /* 212 = 2 x 106: nearly all cores, with nothing to add up. */
  expect_choice("gemm:m=128,n=27136,k=64,share=ordered,tile_m=128,tile_n=128,tile_k=64", &gpu,
                "blocks", 106, 106);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* What a launch of a problem's only kernel takes at the least. */
static double bound_of(tsr_device *device, tsr_context *ctx, const char *text, tsr_grid grid,
                       const tsr_arg *args, size_t n_args) {
  tsr_op_problem p = {.struct_size = sizeof p, .text = text};
  tsr_module *m = tsr_op_build(ctx, &p);
  assert_non_null(m);
  double ms = tsr_bound(device, m, tsr_module_kernel_name(m, 0), grid, args, n_args);
  tsr_module_destroy(m);
  return ms;
}

static void bounds(void **state) {
  (void)state;
  static const char *const devices[] = {"cpu", "emu:sm_80", "interp"};
  world w;
  world_open(&w);
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    const char *text = "gemm:tile_m=64,tile_n=64,tile_k=64,split_k=1,blocks=0";
    tsr_device *device = tsr_device_open(w.ctx, devices[d], NULL);
    tsr_arg args[] = {tsr_arg_i32(256),       tsr_arg_i32(128),       tsr_arg_i32(640),
                      tsr_arg_nullable(NULL), tsr_arg_nullable(NULL), tsr_arg_i32(640),
                      tsr_arg_i32(128),       tsr_arg_nullable(NULL), tsr_arg_i32(128)};
    const size_t n = ARRAY_LEN(args);
    double ms = bound_of(device, w.ctx, text, (tsr_grid){4, 2, 1}, args, n);
    args[2] = tsr_arg_i32(1280);
    double more = bound_of(device, w.ctx, text, (tsr_grid){4, 2, 1}, args, n);
    if (strcmp(devices[d], "interp") == 0)
      assert_true(ms == 0 && more == 0);
    else
      assert_true(ms > 0 && more > 1.9 * ms && more < 2.1 * ms);
    assert_true(bound_of(device, w.ctx, text, (tsr_grid){4, 2, 1}, args, n - 1) == 0);
    assert_true(tsr_bound(device, NULL, "x", (tsr_grid){1, 1, 1}, NULL, 0) == 0);
    assert_true(tsr_bound(NULL, NULL, NULL, (tsr_grid){1, 1, 1}, NULL, 0) == 0);
    tsr_device_close(device);
  }
  world_close(&w);
}

/* How many instances there are, and how many were left out by their work. */
static bool count_pruned(void *user, const tsr_op_measurement *m) {
  unsigned *n = user;
  assert_true(!m->pruned || strstr(m->refused, "its work takes at least"));
  n[m->pruned]++;
  return true;
}

/* One element: large tiles multiply many times what the smallest does. */
static void large_tiles_are_left_out(void **state) {
  (void)state;
  world w;
  ops_scene s;
  unsigned n[2] = {0};
  uint16_t a[512] = {0}, b[512] = {0}, c[1] = {0};
  world_open(&w);
  ops_open(&s, &w, "emu:sm_80");
  tsr_buffer *buffers[] = {tsr_buffer_create(s.device, sizeof a),
                           tsr_buffer_create(s.device, sizeof b),
                           tsr_buffer_create(s.device, sizeof c)};
  tsr_buffer_write(buffers[0], 0, a, sizeof a);
  tsr_buffer_write(buffers[1], 0, b, sizeof b);
  tsr_op_argument args[] = {{"a", tsr_arg_buffer(buffers[0])},
                            {"b", tsr_arg_buffer(buffers[1])},
                            {"c", tsr_arg_buffer(buffers[2])}};
  tsr_op_problem p = {.struct_size = sizeof p, .text = "gemm:m=1,n=1,k=512,type=f16"};
  tsr_op_tune_options how = {
      .struct_size = sizeof how, .seconds = 60, .each = count_pruned, .user = n};
  assert_int_equal(tsr_op_tune(s.library, &p, args, 3, &how), TSR_OK);
  assert_true(n[0] > 0 && n[1] > 10);
  tsr_op_plan *best = tsr_op_plan_get(s.library, &p);
  assert_non_null(strstr(tsr_op_plan_instance(best), "tile_m=16,tile_n=16"));
  for (size_t i = 0; i < ARRAY_LEN(buffers); i++) tsr_buffer_destroy(buffers[i]);
  ops_close(&s);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines),
      cmocka_unit_test(one_row),
      cmocka_unit_test(pairs),
      cmocka_unit_test(steps),
      cmocka_unit_test(blocks),
      cmocka_unit_test(bounds),
      cmocka_unit_test(large_tiles_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
