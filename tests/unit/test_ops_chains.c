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
    "gemm_gemm:m=20,n=40,k=70,o=30,fused=1",
    "gemm_gemm:m=70,n=140,k=70,o=150,fused=1,batch=3,type=f16,between=residual+sigmoid,"
    "epilogue=residual,alpha=0.5,tile_m=16,tile_n=32,tile_k=16,tile_m1=16,tile_k1=32,tile_n1=64",
    "gemm_gemm:m=20,n=41,k=70,o=30,fused=1,type=bf16,b0=column,b1=column,c=column,between=bias+rcp",
    "gemm_gemm:m=20,n=9,k=16,o=30,type=i8,a=column,fused=1",
    "gemm_gemm:m=20,n=0,k=70,o=30,type=bf16,fused=1,epilogue=bias",
    "gemm_gemm:m=20,n=9,k=0,o=30,fused=1",
    "gemm_gemm:m=20,n=9,k=9,o=3,batch=0,fused=1",
    "gemm_gemm:m=1,n=1,k=1,o=1,fused=1,type=f64",
    "gemm_gemm:m=20,n=140,k=70,o=30,softmax=row,alpha=0.2",
    "gemm_gemm:m=33,n=140,k=64,o=80,softmax=causal,batch=2,type=bf16,b0=column,between=residual",
    "gemm_gemm:m=70,n=20,k=64,o=80,softmax=causal,type=f16,epilogue=scale+residual",
    "gemm_gemm:m=20,n=0,k=64,o=80,softmax=row",
    "gemm_gemm:m=9,n=40,k=8,o=8,softmax=row,type=f64,batch=2",
    "gemm_norm:m=20,n=40,k=70,fused=1",
    "gemm_norm:m=20,n=41,k=70,fused=1,type=bf16,b=column,epilogue=bias+sigmoid+residual,save=yes",
    "gemm_norm:m=20,n=40,k=70,fused=1,type=f16,kind=rms,save=yes,type_h=f16,epilogue=gelu",
    "gemm_norm:m=20,n=70,k=70,fused=1,type=i8,quantise=row,tile_m=8,tile_n=128,tile_rows=8,"
    "tile_columns=128",
    "gemm_norm:m=2,n=2,k=0,fused=1,epilogue=bias",
    "gemm_norm:m=3,n=20000,k=5,type=bf16",
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
  if (ops_pick(g, 2)) ops_put(g, ",fused=1");
}

static void put_products(problem_text *g) {
  ops_put(g, "gemm_gemm:type=%s,a=%s,b0=%s,b1=%s,c=%s", OPS_PICK(g, types), OPS_PICK(g, layouts),
          OPS_PICK(g, layouts), OPS_PICK(g, layouts), OPS_PICK(g, layouts));
  ops_put(g, ",m=%u,n=%u,k=%u,o=%u,batch=%u", OPS_PICK(g, sizes), OPS_PICK(g, sizes),
          OPS_PICK(g, sizes), OPS_PICK(g, sizes), 1 + ops_pick(g, 3));
  ops_put(g, ",between=%s,epilogue=%s", OPS_PICK(g, ends), OPS_PICK(g, ends));
  if (ops_pick(g, 2))
    ops_put(g, ",fused=1");
  else if (ops_pick(g, 2))
    ops_put(g, ",softmax=%s", ops_pick(g, 2) ? "row" : "causal");
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
      {"gemm_gemm:tile_k1=48,fused=0", "tile_k=48 is no power of two"},
      {"gemm_gemm:softmax=row,fused=0", "fused=0, but probabilities do not wait in memory"},
      {"gemm_gemm:softmax=row,type=i8", "softmax=row takes floats, not type=i8 and type_h=i8"},
      {"gemm_gemm:fused=1,tile_m=64,tile_m1=32", "tile_m1=32, but with fused=1 it is tile_m=64"},
      {"gemm_gemm:fused=1,split_n=2", "split_n=2, but with fused=1 sums are not divided; give 1"},
      {"gemm_gemm:fused=1,epilogue=quantise:row:i8", "with fused=1 no rows are quantised"},
      {"gemm_norm:fused=1,n=40,whole=0", "split_k=1, whole=0: with fused=1 both are 1"},
      {"gemm_norm:fused=1,n=40,tile_m=8,tile_rows=4",
       "tile_rows=4, but with fused=1 it is tile_m=8"},

      {"gemm_norm:fused=1,m=9,n=140000", "are too large"},
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
