/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What language models do with tokens besides products and norms (cross_entropy, topk, rotary),
 * against references.
 */
#include "ops_run.h"

static const char *const problems[] = {
    "cross_entropy:shape=7x100",
    "cross_entropy:shape=7x100,lse=yes,smoothing=0.1,type=bf16",
    "cross_entropy:shape=7x1,type_class=i64",
    "cross_entropy:shape=0x9",
    "cross_entropy:shape=9x0,lse=yes",
    "cross_entropy:shape=3x5x70,dims=1,lse=yes",
    "cross_entropy:shape=5x3001,whole=0,tile_rows=2,tile_columns=64,smoothing=1",
    "cross_entropy:shape=5x301,type=f16,strides=x:1x5",
    "cross_entropy:shape=5x301,type=f64,smoothing=0.5",
    "topk:rows=9,columns=13,k=1",
    "topk:rows=9,columns=64,k=8,softmax=row",
    "topk:rows=9,columns=67,k=5,softmax=chosen,type=bf16",
    "topk:rows=3,columns=3,k=3,ldx=7,ldy=5",
    "topk:rows=0,columns=3,k=3",
    "topk:rows=20,columns=40,k=11,type=f8E4M3FN",
    "topk:rows=5,columns=40,k=2,type=f64,softmax=row",
    "rotary:seq=9,heads=3,batch=2",
    "rotary:seq=9,heads=3,batch=2,layout=bshd,pairs=interleaved,type=bf16",
    "rotary:seq=17,heads=2,head=80,size=24,type=f16,type_angle=f16",
    "rotary:seq=17,heads=2,head=7,size=6,pairs=interleaved",
    "rotary:seq=0,heads=2",
    "rotary:seq=5,heads=1,type=f64,type_angle=f64,tile=4",
    "rotary:seq=5,heads=1,type=f8E5M2",
};

static void run_all(const char *device) {
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, device);
  for (size_t i = 0; i < ARRAY_LEN(problems); i++) ops_run(&s, problems[i]);
  ops_close(&s);
  world_close(&w);
}

static void problems_are_right(void **state) {
  (void)state;
  run_all("interp");
  run_all("cpu");
  run_all("emu:sm_80");
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const types[] = {"f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2"};
static const unsigned sizes[] = {0, 1, 2, 3, 5, 7, 8, 13, 17, 31, 64, 67};

static void put_cross_entropy(problem_text *g) {
  ops_put(g, "cross_entropy:type=%s,type_class=i%d", OPS_PICK(g, types), ops_pick(g, 2) ? 32 : 64);
  ops_put(g, ",shape=%ux%ux%u,dims=%u", OPS_PICK(g, sizes), 1 + ops_pick(g, 5),
          1 + ops_pick(g, 100), ops_pick(g, 3));
  ops_put(g, ",lse=%s,smoothing=%g", ops_pick(g, 2) ? "yes" : "no", 0.25 * ops_pick(g, 3));
}

static void put_topk(problem_text *g) {
  static const char *const forms[] = {"no", "row", "chosen"};
  unsigned columns = 1 + ops_pick(g, 90);
  ops_put(g, "topk:type=%s,softmax=%s", OPS_PICK(g, types), OPS_PICK(g, forms));
  ops_put(g, ",rows=%u,columns=%u,k=%u", OPS_PICK(g, sizes), columns,
          1 + ops_pick(g, columns < 9 ? columns : 9));
  if (ops_pick(g, 3) == 0) ops_put(g, ",ldx=%u,ldy=%u", 95 + ops_pick(g, 5), 10 + ops_pick(g, 5));
}

static void put_rotary(problem_text *g) {
  unsigned half = 1 + ops_pick(g, 40);
  ops_put(g, "rotary:type=%s,type_angle=%s", OPS_PICK(g, types), OPS_PICK(g, types));
  ops_put(g, ",head=%u,size=%u,seq=%u", 2 * half + ops_pick(g, 3), 2 * half, OPS_PICK(g, sizes));
  ops_put(g, ",batch=%u,heads=%u,layout=%s,pairs=%s", 1 + ops_pick(g, 2), 1 + ops_pick(g, 3),
          ops_pick(g, 2) ? "bhsd" : "bshd", ops_pick(g, 2) ? "halves" : "interleaved");
}

static void run_random(const char *device, unsigned count) {
  static const problem_maker make[] = {put_cross_entropy, put_topk, put_rotary};
  ops_run_random(device, 77, count, make, ARRAY_LEN(make));
}

static void random_problems_are_right(void **state) {
  (void)state;
  run_random("interp", 150);
  run_random("cpu", 60);
  run_random("emu:sm_90a", 30);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  ops_refused(&s, "cross_entropy:type=i8", "type=i8: cross_entropy takes floats of 8 bits");
  ops_refused(&s, "cross_entropy:type_class=i8", "type_class=i8: classes are i32 or i64");
  ops_refused(&s, "cross_entropy:smoothing=2", "smoothing=2: give a number from 0 to 1");
  ops_refused(&s, "cross_entropy:shape=2x3x4,dims=0+2",
              "dims=0+2: classes lie along one dimension");
  ops_refused(&s, "topk:type=i8", "type=i8: topk takes floats of 8 bits and more");
  ops_refused(&s, "topk:columns=20000", "columns=20000: a tile holds a row of at most 16384");
  ops_refused(&s, "topk:k=4,columns=3", "k=4, but a row has columns=3");
  ops_refused(&s, "topk:columns=9,tile_columns=8", "tile_columns=8, but a tile holds rows");
  ops_refused(&s, "topk:columns=64,tile_rows=4096", "at most 65536 elements");
  ops_refused(&s, "rotary:type=i8", "type=i8: rotary takes floats of 8 bits and more");
  ops_refused(&s, "rotary:size=7", "size=7: give an even number of at most head=64");
  ops_refused(&s, "rotary:batch=1000000,heads=1000,seq=2000,head=2", "2^40 tokens together");
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
