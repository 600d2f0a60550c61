/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products whose rows are normalised, and products of products: families that are made of two
 * others.
 */
#include "ops_run.h"

static const char *const examples[] = {
    "gemm_norm:m=20,n=40,k=70",
    "gemm_norm:m=20,n=40,k=70,type=f16,epilogue=bias+relu+residual,save=yes,kind=rms,beta=no",
    "gemm_norm:m=20,n=41,k=70,type=bf16,b=column,a=column,epilogue=bias+relu+residual,save=yes",
    "gemm_norm:m=20,n=1,k=1,type=bf16",
    "gemm_norm:m=1,n=40,k=9,gamma=no,type_y=f32,type_w=f16,epsilon=0.1",
    "gemm_norm:m=20,n=40,k=70,type=i8,quantise=row",
    "gemm_norm:m=0,n=40,k=70",
    "gemm_norm:m=5,n=0,k=70",
    "gemm_norm:m=5,n=9,k=0,epilogue=bias",
    "gemm_norm:m=5,n=300,k=90,split_k=2,whole=0,tile_rows=2,tile_columns=64",
    "gemm_gemm:m=20,n=40,k=70,o=30",
    "gemm_gemm:m=20,n=40,k=70,o=30,batch=3,type=f16,between=residual+residual+relu,"
    "epilogue=residual,alpha=0.5",
    "gemm_gemm:m=20,n=40,k=70,o=30,type=bf16,b0=column,b1=column,c=column,type_h=f32",
    "gemm_gemm:m=20,n=0,k=70,o=30,type=bf16",
    "gemm_gemm:m=20,n=9,k=0,o=30,type=f8E4M3FN",
    "gemm_gemm:m=0,n=9,k=9,o=30",
    "gemm_gemm:m=5,n=9,k=9,o=0",
    "gemm_gemm:m=5,n=9,k=9,o=3,batch=0",
    "gemm_gemm:m=20,n=9,k=16,o=30,type=i8,a=column",
    "gemm_gemm:m=20,n=200,k=160,o=30,split_k=2,split_n=3,between=gelu",
};

static void examples_are_right(void **state) {
  (void)state;
  ops_run_examples("interp", examples, ARRAY_LEN(examples));
  ops_run_examples("cpu", examples, ARRAY_LEN(examples));
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const types[] = {"f32", "f16", "bf16", "f8E4M3FN"};
static const char *const layouts[] = {"row", "column"};
static const char *const ends[] = {"none", "bias", "residual", "bias+relu+residual", "gelu"};
static const unsigned sizes[] = {0, 1, 3, 7, 16, 17, 31, 32, 37, 61, 64, 67};

static void put_norm(problem_text *g) {
  ops_put(g, "gemm_norm:type=%s,a=%s,b=%s,m=%u,n=%u,k=%u", OPS_PICK(g, types), OPS_PICK(g, layouts),
          OPS_PICK(g, layouts), OPS_PICK(g, sizes), OPS_PICK(g, sizes), OPS_PICK(g, sizes));
  ops_put(g, ",epilogue=%s,kind=%s,epsilon=0.1", OPS_PICK(g, ends),
          ops_pick(g, 2) ? "rms" : "layer");
  ops_put(g, ",gamma=%s,beta=%s,save=%s", ops_pick(g, 2) ? "yes" : "no",
          ops_pick(g, 2) ? "auto" : "no", ops_pick(g, 2) ? "yes" : "no");
}

static void put_products(problem_text *g) {
  ops_put(g, "gemm_gemm:type=%s,a=%s,b0=%s,b1=%s,c=%s", OPS_PICK(g, types), OPS_PICK(g, layouts),
          OPS_PICK(g, layouts), OPS_PICK(g, layouts), OPS_PICK(g, layouts));
  ops_put(g, ",m=%u,n=%u,k=%u,o=%u,batch=%u", OPS_PICK(g, sizes), OPS_PICK(g, sizes),
          OPS_PICK(g, sizes), OPS_PICK(g, sizes), 1 + ops_pick(g, 3));
  ops_put(g, ",between=%s,epilogue=%s", OPS_PICK(g, ends), OPS_PICK(g, ends));
}

static void random_problems_are_right(void **state) {
  (void)state;
  static const problem_maker make[] = {put_norm, put_products};
  ops_run_random("interp", 5, 200, make, ARRAY_LEN(make));
  ops_run_random("cpu", 6, 40, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_80", 7, 10, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_90a", 8, 10, make, ARRAY_LEN(make));
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"gemm_norm:epilogue=quantise:row:i8", "are quantised by quantise=row"},
      {"gemm_norm:epilogue=blas", "epilogue stage 'blas' is none of bias, residual"},
      {"gemm_norm:type=i32", "type_a=i32: products take f64 f32 tf32 f16 bf16"},
      {"gemm_norm:kind=rms,beta=yes", "beta=yes: RMS normalisation has none; give beta=no"},
      {"gemm_norm:tile_m=48", "tile_m=48 is no power of two"},
      {"gemm_gemm:between=quantise:row:i8", "the second product has no factor for each row"},
      {"gemm_gemm:type_h=i32", "type_a=i32: products take f64 f32 tf32 f16 bf16"},
      {"gemm_gemm:tile_k1=48", "tile_k=48 is no power of two"},
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
