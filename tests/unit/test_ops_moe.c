/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Mixtures of experts against references: sorting of pairs, products of sorted rows, whole layers.
 */
#include "ops_run.h"

static const char *const problems[] = {
    "moe_sort:tokens=5,top=3,experts=6,unit=4",
    "moe_sort:tokens=80,top=4,experts=17,weights=yes,tile_pairs=16,tile_experts=32",
    "moe_sort:tokens=11,top=5,experts=256,weights=yes,type_weight=bf16",
    "moe_sort:tokens=300,top=1,experts=2,unit=7",
    "moe_sort:tokens=0,top=3,weights=yes",
    "moe_sort:tokens=9,experts=0",
    "moe_sort:tokens=1,top=1,experts=1,unit=1",
    "gemm:rows=sorted,m=14,n=20,k=40,batch=3,top=2,unit=16",
    "gemm:rows=sorted,order=c,m=14,n=20,k=40,batch=3,top=2,unit=16,type=bf16",
    "gemm:rows=sorted,order=a,m=14,n=20,k=40,batch=3,unit=16,epilogue=scale:m",
    "gemm:rows=sorted,order=both,m=14,n=20,k=40,batch=3,unit=16,type=f16,beta=2,alpha=3",
    "gemm:rows=sorted,m=40,n=37,k=90,batch=5,type=bf16,a=column,b=column,c=column,"
    "epilogue=bias:n+gelu+residual+scale:m",
    "gemm:rows=sorted,order=c,m=40,n=20,k=160,batch=5,type=f8E4M3FN,scale_a=group,scale_b=group,"
    "group=32,group_n=4",
    "gemm:rows=sorted,m=40,n=20,k=160,batch=5,type=i8,scale_a=row,scale_b=column,top=4,gate=silu,"
    "type_c=f16",
    "gemm:rows=sorted,order=c,m=40,n=20,k=160,batch=5,type=bf16,type_b=i4,scale_b=group,group=32,"
    "gate=silu,top=2",
    "gemm:rows=sorted,order=c,m=40,n=20,k=160,batch=5,type=bf16,type_b=u4,scale_b=tensor,"
    "gate=gelu,b=column",
    "gemm:rows=sorted,order=c,m=40,n=20,k=60,batch=5,type=bf16,epilogue=bias+quantise:row:i8",
    "gemm:rows=sorted,m=40,n=20,k=260,batch=5,split_k=3,beta=0.5,epilogue=bias:m+silu",
    "gemm:rows=sorted,m=8,n=20,k=60,batch=4,type=i4,type_b=i8,unit=4,tile_m=4,tile_n=16,tile_k=16",
    "gemm:rows=sorted,m=20,n=20,k=60,batch=0",
    "gemm:rows=sorted,m=0,n=20,k=60,batch=4",
    "gemm:rows=sorted,m=20,n=20,k=0,batch=4,epilogue=bias",
    "gemm:gate=silu,scale_b=column,m=20,n=22,k=40,type=i8,type_c=f32",
    "gemm:gate=relu,scale_b=group,group=32,group_n=2,m=20,n=22,k=70,type=bf16,type_b=i4,b=column",
    "moe:tokens=7,experts=3,hidden=20,inter=24",
    "moe:tokens=33,experts=5,hidden=37,inter=50,type=bf16,w=column,activation=gelu",
    "moe:tokens=33,experts=5,hidden=37,inter=50,type=f16,gated=no,epilogue=bias:n+residual",
    "moe:tokens=33,experts=5,hidden=64,inter=48,type=i8,scale_x=row,scale_w=column,quantise=row,"
    "smooth=yes",
    "moe:tokens=33,top=3,experts=5,hidden=64,inter=48,type=f8E4M3FN,scale_x=group,scale_w=group,"
    "group=32,group_n=16,quantise=no,type_y=bf16",
    "moe:tokens=20,top=3,experts=5,hidden=64,inter=48,type=bf16,type_w=i4,scale_w=group,group=16,"
    "w=column",
    "moe:tokens=20,experts=4,hidden=64,inter=48,type=bf16,type_w=f4E2M1FN,scale_w=group,group=32,"
    "type_scale=f8E8M0FNU,unit=8",
    "moe:tokens=0",
    "moe:tokens=5,top=1,experts=4,hidden=33,inter=0",
    "moe:tokens=5,top=1,experts=0,hidden=33,inter=9",
    "moe:tokens=5,top=1,type=f64,experts=2,hidden=33,inter=9",
};

static void run_each(const char *device, size_t step) {
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, device);
  for (size_t i = 0; i < ARRAY_LEN(problems); i += step) ops_run(&s, problems[i]);
  ops_close(&s);
  world_close(&w);
}

static void problems_are_right(void **state) {
  (void)state;
  run_each("interp", 1);
  run_each("cpu", 2);
  run_each("emu:sm_80", 3);
}

/* ---- random problems ------------------------------------------------------------------------- */

static const unsigned sizes[] = {0, 1, 2, 3, 5, 8, 13, 31, 64};
static const unsigned widths[] = {1, 2, 8, 17, 32, 40, 66};
static const char *const words[] = {"row", "column"};
static const char *const types[] = {"f32",
                                    "f16",
                                    "bf16",
                                    "f16,type_w=i8,scale_w=column",
                                    "bf16,type_w=f8E4M3FN,scale_w=tensor",
                                    "f8E4M3FN,scale_x=row,scale_w=column,quantise=row",
                                    "f8E5M2,scale_x=tensor,scale_w=group,group=32",
                                    "i8,scale_x=row,scale_w=column,quantise=row,smooth=yes"};

static void put_sort(problem_text *g) {
  ops_put(g, "moe_sort:tokens=%u,top=%u", OPS_PICK(g, sizes), ops_pick(g, 6));
  ops_put(g, ",experts=%u,unit=%u", OPS_PICK(g, sizes), 1 + ops_pick(g, 20));
  if (ops_pick(g, 2)) ops_put(g, ",weights=yes,type_weight=%s", ops_pick(g, 2) ? "f32" : "f16");
}

static void put_rows(problem_text *g) {
  static const char *const orders[] = {"none", "a", "c", "both"};
  static const char *const ends[] = {"none", "bias+relu", "scale:m+residual", "bias:m+silu"};
  unsigned top = 1 + ops_pick(g, 3);
  ops_put(g, "gemm:rows=sorted,order=%s,a=%s,b=%s,c=%s", OPS_PICK(g, orders), OPS_PICK(g, words),
          OPS_PICK(g, words), OPS_PICK(g, words));
  ops_put(g, ",top=%u,m=%u,n=%u,k=%u", top, top * OPS_PICK(g, sizes), OPS_PICK(g, widths),
          OPS_PICK(g, widths));
  ops_put(g, ",batch=%u,unit=%u,epilogue=%s", ops_pick(g, 6), 8u << ops_pick(g, 3),
          OPS_PICK(g, ends));
  if (ops_pick(g, 3) == 0) ops_put(g, ",lda=600,ldb=601,ldc=602");
  if (ops_pick(g, 3) == 0) ops_put(g, ",split_k=%u", 1 + ops_pick(g, 3));
}

static void put_layer(problem_text *g) {
  ops_put(g, "moe:type=%s,w=%s", OPS_PICK(g, types), OPS_PICK(g, words));
  ops_put(g, ",tokens=%u,top=%u,experts=%u", OPS_PICK(g, sizes), 1 + ops_pick(g, 3),
          1 + ops_pick(g, 7));
  ops_put(g, ",hidden=%u,inter=%u,gated=%s", OPS_PICK(g, widths), OPS_PICK(g, widths),
          ops_pick(g, 2) ? "yes" : "no");
}

static void run_random(const char *device, unsigned count) {
  static const problem_maker make[] = {put_sort, put_rows, put_layer};
  ops_run_random(device, 5, count, make, ARRAY_LEN(make));
}

static void random_problems_are_right(void **state) {
  (void)state;
  run_random("interp", 90);
  run_random("cpu", 24);
  run_random("emu:sm_90a", 15);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static const char *const refusals[][2] = {
    {"moe_sort:type_weight=i8", "type_weight=i8: weights are floats of 8 bits and more"},
    {"moe_sort:tokens=2000000000", "tokens=2000000000, top=2: at most 2^30 rows can be sorted"},
    {"moe_sort:experts=9,tile_experts=8", "tile_experts=8, but a tile holds all experts=9"},
    {"moe_sort:tile_experts=4096,tile_pairs=8", "tiles of 8 x 4096 are too large"},
    {"gemm:rows=sorted,m=9,top=2", "m=9 is no multiple of top=2"},
    {"gemm:rows=sorted,m=2000000000", "m=2000000000: at most 2^30 rows can be sorted"},
    {"gemm:rows=sorted,m=9,unit=16,total_m=40", "total_m=40: give a multiple of unit=16"},
    {"gemm:rows=sorted,m=9,unit=16,tile_m=32", "unit=16 is no multiple of tile_m=32"},
    {"gemm:rows=sorted,m=9,epilogue=quantise:row:i8", "quantise:row takes sorted rows of c"},
    {"gemm:order=a", "order and top go with rows=sorted"},
    {"gemm:gate=silu,type=bf16,type_b=i4,n=9,ldb=18", "n=9: with a gate the second half"},
    {"gemm:gate=silu,n=9,scale_b=group,group_n=2", "n=9 is no multiple of group_n=2"},
    {"moe:tokens=2000000000", "tokens=2000000000, top=2: at most 2^30 pairs can be sorted"},
    {"moe:quantise=row,type_h=f16", "type_h=f16: rows are quantised to i8, u8 and floats"},
    {"moe:type_h=i8", "type_h=i8: integers take quantise=row"},
    {"moe:type_y=i4", "type_y=i4: results have 8 bits and more"},
    {"moe:activation=clamp", "gate=clamp: give a function of one number"},
    {"moe:epilogue=quantise:row:i8", "epilogue=quantise:row:i8: y has type_y=f32"},
    {"moe:unit=16,tile_m=32", "unit=16 is no multiple of tile_m=32"},
};

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  for (size_t i = 0; i < ARRAY_LEN(refusals); i++) ops_refused(&s, refusals[i][0], refusals[i][1]);
  ops_close(&s);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(problems_are_right),
      cmocka_unit_test(random_problems_are_right),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
