/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Forms of the family gemm besides one tile block for each tile: persistent and stream-K.
 */
#include "ops_run.h"

#define SMALL "tile_m=16,tile_n=16,tile_k=16"

static const char *const examples[] = {
    "gemm:m=70,n=50,k=200,type=f16,blocks=3," SMALL,
    "gemm:m=70,n=50,k=200,type=f16,blocks=7,share=ordered," SMALL,
    "gemm:m=70,n=50,k=200,type=f16,blocks=5,share=atomic," SMALL,
    "gemm:m=70,n=50,k=200,blocks=40,share=ordered,batch=2,epilogue=bias+gelu+quantise:row:"
    "i8," SMALL,
    "gemm:m=70,n=50,k=200,type=i8,type_c=f32,alpha=2,blocks=4,share=atomic,epilogue="
    "residual," SMALL,
    "gemm:m=70,n=50,k=200,type=i8,blocks=9,share=atomic,a=column," SMALL,
    "gemm:m=70,n=50,k=200,type=f64,blocks=9,share=atomic,c=column," SMALL,
    "gemm:m=70,n=50,k=200,share=ordered",
    "gemm:m=70,n=50,k=200,blocks=2,rows=grouped,batch=3," SMALL,
    "gemm:m=70,n=50,k=0,blocks=3,share=ordered,epilogue=bias," SMALL,
    "gemm:m=7,n=5,k=1000,blocks=13,share=ordered,beta=1,scale_a=group,scale_b=group,group="
    "32," SMALL,
    "gemm:m=70,n=50,k=100,blocks=3,gate=silu," SMALL,
    "gemm:m=70,n=50,k=20,blocks=900,share=ordered," SMALL,
    "gemm:m=70,n=50,k=20,blocks=900,share=atomic," SMALL,
    "gemm:m=70,n=0,k=20,blocks=4,epilogue=quantise:row:i8," SMALL,
    "gemm:m=9,n=9,k=70,batch=3,batch_b=0,combine=a+b,combine_a=a*b,blocks=4,share=ordered," SMALL,
    "gemm:m=3,n=37,k=100,b=column,tile_m=1,tile_n=8,tile_k=16,blocks=3,share=ordered",
};

static void run_all(const char *device) {
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, device);
  for (size_t i = 0; i < ARRAY_LEN(examples); i++) ops_run(&s, examples[i]);
  ops_close(&s);
  world_close(&w);
}

static void examples_are_right(void **state) {
  (void)state;
  run_all("interp");
  run_all("cpu");
  run_all("emu:sm_80");
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const types[] = {"f32", "f16", "bf16", "i8", "f8E4M3FN", "f64"};
static const char *const shares[] = {"tiles", "ordered", "atomic"};
static const char *const ends[] = {"none",    "bias",      "residual",       "bias+relu+residual",
                                   "scale:m", "cast:bf16", "quantise:row:i8"};
static const unsigned sizes[] = {0, 1, 3, 7, 16, 17, 31, 32, 37, 61, 64, 67};

static void put_sizes(problem_text *g) {
  ops_put(g, ",m=%u,n=%u,k=%u", OPS_PICK(g, sizes), OPS_PICK(g, sizes), 3 * OPS_PICK(g, sizes));
  ops_put(g, ",tile_m=%u,tile_n=%u,tile_k=%u", 1u << ops_pick(g, 6), 1u << ops_pick(g, 6),
          8u << ops_pick(g, 3));
}

static void put_shared(problem_text *g) {
  static const char *const layouts[] = {"row", "column"};
  ops_put(g, "gemm:type=%s,a=%s,b=%s,c=%s", OPS_PICK(g, types), OPS_PICK(g, layouts),
          OPS_PICK(g, layouts), OPS_PICK(g, layouts));
  put_sizes(g);
  ops_put(g, ",blocks=%u,share=%s,batch=%u", 1 + ops_pick(g, 40), OPS_PICK(g, shares),
          1 + ops_pick(g, 3));
  ops_put(g, ",epilogue=%s", OPS_PICK(g, ends));
  if (ops_pick(g, 4) == 0) ops_put(g, ",beta=0.5");
}

static void random_problems_are_right(void **state) {
  (void)state;
  static const problem_maker make[] = {put_shared};
  ops_run_random("interp", 5, 200, make, ARRAY_LEN(make));
  ops_run_random("cpu", 6, 60, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_80", 7, 16, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_90a", 8, 16, make, ARRAY_LEN(make));
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"gemm:share=ordered,blocks=0", "share=ordered goes with blocks of at least 1"},
      {"gemm:blocks=4,split_k=2", "split_k=2, but blocks=4 share all steps; give split_k=1"},
      {"gemm:blocks=4,share=atomic,rows=grouped", "share=atomic goes with rows=one"},
      {"gemm:blocks=4,share=ordered,gate=silu", "share=ordered goes with rows=one and without"},
      {"gemm:blocks=4,share=atomic,type=f16,accumulate=f16", "sums of f16 are not added to memory"},
      {"gemm:blocks=4,m=100000000,n=100000,tile_m=16,tile_n=16", "at most 2^31 - 1 are possible"},
  };
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) ops_refused(&s, wrong[i][0], wrong[i][1]);
  ops_close(&s);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_are_right),
      cmocka_unit_test(random_problems_are_right),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
