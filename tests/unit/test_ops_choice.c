/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the cost model chooses for targets that are given by their figures: no device is needed.
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

/* Tiles of whole lines that a core's first cache holds, of several lines where these are short. */
static void lines(void **state) {
  (void)state;
  expect_choice("norm:kind=layer,bias=yes,shape=384x1024", &avx512, "tile_rows", 2, 4);
  expect_choice("norm:kind=layer,bias=yes,shape=197x768", &avx512, "tile_rows", 2, 4);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines),
      cmocka_unit_test(one_row),
      cmocka_unit_test(blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
