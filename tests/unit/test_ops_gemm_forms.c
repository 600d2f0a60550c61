/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Forms of the family gemm: persistent and stream-K; microscaled types; weights and scales in the
 * order of matrix instructions, and the family that makes it.
 */
#include "ops/gemm_shuffle.h"
#include "ops_run.h"

#define MX    "gemm:scale_a=group,scale_b=group,group=32,type_scale=f8E8M0FNU"
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
    MX ",m=50,n=70,k=270,type=f8E4M3FN",
    MX ",m=50,n=70,k=270,type=f8E4M3FN,type_b=f4E2M1FN,type_c=f32",
    MX ",m=50,n=70,k=270,type=f8E4M3FN,scale_order=shuffled,batch=2",
    MX
    ",m=50,n=70,k=270,type=f4E2M1FN,b=shuffled,scale_order=shuffled,tile_m=64,tile_n=8,tile_k=32",
    MX ",m=5,n=7,k=300,type=f8E5M2,scale_order=shuffled,tile_m=8,tile_n=64,tile_k=32,split_k=2",
    MX ",m=50,n=70,k=270,type=f8E4M3FN,scale_order=shuffled,blocks=3,share=ordered",
    "gemm:m=20,n=40,k=70,b=shuffled,type=bf16",
    "gemm:m=20,n=40,k=70,b=shuffled,shuffle=n32,type=i8,batch=2,tile_m=16,tile_n=8,tile_k=16",
    "gemm:m=20,n=40,k=70,b=shuffled,type=bf16,type_b=f8E4M3FN,scale_b=column,epilogue=bias+gelu",
    "gemm:m=9,n=40,k=70,b=shuffled,type=f16,rows=grouped,batch=3",
    "gemm:m=20,n=40,k=70,b=shuffled,batch=2,batch_b=0,a=column,c=column",
    "gemm:m=20,n=0,k=70,b=shuffled",
    "gemm:m=20,n=30,k=0,b=shuffled",
    "shuffle:n=40,k=70",
    "shuffle:n=40,k=70,shuffle=n32,type=i8,x=column,batch=2",
    "shuffle:n=40,k=70,type=f4E2M1FN",
    "shuffle:kind=scales,type=f8E8M0FNU,n=70,k=9,x=column",
    "shuffle:kind=scales,type=f32,n=70,k=9,batch=3",
    "shuffle:n=0,k=9",
};

static void examples_are_right(void **state) {
  (void)state;
  ops_run_examples("interp", examples, ARRAY_LEN(examples));
  ops_run_examples("cpu", examples, ARRAY_LEN(examples));
  ops_run_examples("emu:sm_80", examples, ARRAY_LEN(examples));
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

static void put_microscaled(problem_text *g) {
  static const char *const small[] = {"f8E4M3FN", "f8E5M2", "f4E2M1FN"};
  ops_put(g, MX ",type_a=%s,type_b=%s", OPS_PICK(g, small), OPS_PICK(g, small));
  ops_put(g, ",m=%u,n=%u,k=%u", OPS_PICK(g, sizes), OPS_PICK(g, sizes), 5 * OPS_PICK(g, sizes));
  ops_put(g, ",tile_m=%u,tile_n=%u,tile_k=%u", 1u << ops_pick(g, 7), 1u << ops_pick(g, 7),
          16u << ops_pick(g, 2));
  if (ops_pick(g, 3)) ops_put(g, ",scale_order=shuffled");
  if (ops_pick(g, 2)) ops_put(g, ",b=shuffled,shuffle=%s", ops_pick(g, 2) ? "n16" : "n32");
}

static void put_shuffled(problem_text *g) {
  static const char *const weights[] = {
      "f16", "bf16", "f32", "i8", "f8E4M3FN", "bf16,type_b=f8E5M2", "bf16,type_b=f4E2M1FN"};
  ops_put(g, "gemm:type=%s,b=shuffled,shuffle=%s", OPS_PICK(g, weights),
          ops_pick(g, 2) ? "n16" : "n32");
  put_sizes(g);
  ops_put(g, ",batch=%u,epilogue=%s", 1 + ops_pick(g, 3), OPS_PICK(g, ends));
  if (ops_pick(g, 3) == 0) ops_put(g, ",rows=grouped");
}

static void put_order(problem_text *g) {
  static const char *const all[] = {"f16", "f32", "i8", "f8E4M3FN", "f4E2M1FN", "f8E8M0FNU"};
  ops_put(g, "shuffle:type=%s,kind=%s,shuffle=%s,x=%s", OPS_PICK(g, all),
          ops_pick(g, 2) ? "weights" : "scales", ops_pick(g, 2) ? "n16" : "n32",
          ops_pick(g, 2) ? "row" : "column");
  ops_put(g, ",n=%u,k=%u,batch=%u", OPS_PICK(g, sizes), OPS_PICK(g, sizes), ops_pick(g, 3));
}

static void random_problems_are_right(void **state) {
  (void)state;
  static const problem_maker make[] = {put_shared, put_microscaled, put_shuffled, put_order};
  ops_run_random("interp", 5, 400, make, ARRAY_LEN(make));
  ops_run_random("cpu", 6, 80, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_80", 7, 24, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_90a", 8, 24, make, ARRAY_LEN(make));
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* As Composable Kernel's host code goes through them: a view of the transposed weights of
 * [n / lines, lines, k / (lanes V), lanes, V], of which the second dimension becomes the fourth. */
static int64_t place_of_weight(int64_t lines, int64_t vector, int64_t all_k, int64_t n, int64_t k) {
  int64_t lanes = 64 / lines, depth = lanes * vector;
  int64_t at = n / lines;
  at = at * (all_k / depth) + k / depth;
  at = at * lanes + k % depth / vector;
  at = at * lines + n % lines;
  return at * vector + k % vector;
}

/* Blocks of 32 lines and 8 groups, in which a word has two groups of two lines. */
static int64_t place_of_scale(int64_t groups, int64_t line, int64_t k) {
  int64_t block = line / 32 * (groups / 8) + k / 8, in_block = k % 8 % 4 * 64;
  return block * 256 + in_block + line % 32 % 16 * 4 + k % 8 / 4 * 2 + line % 32 / 16;
}

static void orders_are_those_of_matrix_instructions(void **state) {
  (void)state;
  gemm_order half = gemm_order_of_weights(TSR_F16, 32), byte = gemm_order_of_weights(TSR_I8, 16);
  gemm_order scales = gemm_order_of_scales();
  for (int64_t n = 0; n < 96; n++)
    for (int64_t k = 0; k < 128; k++) {
      assert_int_equal(gemm_order_at(&half, 128, n, k), place_of_weight(32, 8, 128, n, k));
      assert_int_equal(gemm_order_at(&byte, 128, n, k), place_of_weight(16, 16, 128, n, k));
      assert_int_equal(gemm_order_at(&scales, 128, n, k), place_of_scale(128, n, k));
    }
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
      {"gemm:b=shuffled,type=bf16,type_b=f6E2M3FN", "type_b=f6E2M3FN: elements of 8, 16 and 32"},
      {"gemm:b=shuffled,type=f64", "type_b=f64: elements of 8, 16 and 32 bits and f4E2M1FN are"},
      {"gemm:b=shuffled,gate=silu", "b=shuffled goes without gate, combine_b and rows=sorted"},
      {"gemm:b=shuffled,incb=2", "incb=2: elements that are shuffled lie together; give 1"},
      {"gemm:scale_order=shuffled",
       "scale_order=shuffled goes with scale_a=group or scale_b=group"},
      {MX ",scale_order=shuffled,group_n=8", "scale_order=shuffled goes with rows=one, group_n=1"},
      {"shuffle:type=i4", "type=i4: elements of 8, 16 and 32 bits and f4E2M1FN are shuffled"},
      {"shuffle:n=1099511627776,k=1000000", "make more than 2^31 - 1 blocks"},
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
      cmocka_unit_test(orders_are_those_of_matrix_instructions),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
