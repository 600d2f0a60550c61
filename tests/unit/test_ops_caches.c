/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Caches of keys and values: attention that reads them, in one piece or in pages, and the families
 * that make them grow.
 */
#include <math.h>

#include "ops_run.h"

static const char *const examples[] = {
    "attention:cache=whole,seq=5,keys=7,head=32,heads=4",
    "attention:cache=whole,seq=5,keys=70,head=32,heads=4,batch=3,lengths=variable,causal=yes,lse="
    "yes",
    "attention:cache=whole,seq=5,keys=70,head=32,heads=2,batch=2,v=column,layout=bshd",
    "attention:cache=paged,page=64,seq=9,keys=200,head=40,heads=4,kv_heads=2,batch=2,type=f16",
    "attention:cache=paged,page=64,tile_n=32,tile_m=16,seq=9,keys=200,head=40,heads=2,batch=2",
    "attention:cache=paged,page=7,tile_n=16,tile_m=16,seq=9,keys=50,head=40,heads=2,batch=2",
    "attention:cache=paged,page=1,seq=1,keys=50,head=64,heads=6,kv_heads=2,batch=2,pack=1",
    "attention:cache=paged,page=24,tile_n=16,tile_m=16,seq=9,keys=50,head=40,heads=2,layout=bshd",
    "attention:cache=paged,page=16,lengths=variable,batch=3,seq=9,keys=50,head=32,heads=2,left=5,"
    "sink_keys=2,lse=yes",
    "attention:cache=paged,page=16,split=3,seq=3,keys=300,head=32,heads=2,batch=2,bias=yes",
    "attention:cache=paged,page=16,seq=9,keys=50,head=32,heads=2,strides=k:9999x999x33x1",
    "attention:cache=paged,page=16,pages=40,seq=9,keys=50,head=32,heads=2,sinks=yes,alibi=yes",
    "attention:cache=paged,page=16,seq=9,keys=50,head=64,heads=2,type=f8E4M3FN,type_o=bf16",
    "attention:cache=paged,page=16,seq=9,keys=0,head=32,heads=2",
    "attention:cache=whole,append=yes,new=9,seq=9,keys=50,head=32,heads=2,batch=2,causal=yes",
    "attention:cache=paged,page=16,append=yes,new=9,seq=9,keys=50,head=40,heads=4,kv_heads=2,"
    "batch=2,causal=yes,rotary=24",
    "attention:cache=paged,page=7,append=yes,new=3,seq=9,keys=50,head=40,heads=4,batch=2,rotary=40,"
    "pairs=interleaved,places=same,layout=bshd,type=bf16,split=2",
    "attention:cache=whole,append=yes,rotary=8,pack=1,seq=1,keys=50,head=32,heads=4,kv_heads=2,"
    "tile_n=16",
    "attention:cache=whole,append=yes,new=5,seq=0,keys=9,head=32,heads=2",
    /* Tiles of keys from several pages, whose positions go from one warp to others. */
    "attention:cache=paged,page=1,tile_n=64,seq=3,keys=100,head=16,heads=1,type=f16",
    "attention:cache=paged,page=16,tile_m=64,tile_n=64,seq=3,keys=100,head=64,heads=2,type=bf16",
    "attention:cache=paged,page=24,tile_m=16,tile_n=128,seq=3,keys=150,head=64,heads=2,type=f16,"
    "causal=yes,dropout=0.3",
    "append:new=5,keys=20,head=40",
    "append:new=5,keys=20,head=40,head_v=24,batch=3,kv_heads=2,layout=bshd,type=f16",
    "append:new=9,keys=50,head=64,rotary=32,queries=yes,seq=9,heads=4,kv_heads=2,cache=paged,page="
    "7",
    "append:new=9,keys=50,head=64,rotary=64,pairs=interleaved,queries=yes,seq=3,places=same,"
    "type=bf16,type_angle=f32",
    "append:new=9,keys=50,cache=paged,page=16,pages=20,strides=k:26000x1300x65x1+new_k:0x999x65x1",
    "append:new=9,keys=9,head=3,rotary=2,tile=4,angles=5",
    "append:new=0,keys=20",
    "append:new=5,keys=0",
    "append:new=5,batch=0",
    "append:new=3,keys=20,type=f8E5M2,rotary=16",
};

static void examples_are_right(void **state) {
  (void)state;
  ops_run_examples("interp", examples, ARRAY_LEN(examples));
  ops_run_examples("cpu", examples, ARRAY_LEN(examples));
  ops_run_examples("emu:sm_80", examples, ARRAY_LEN(examples));
  ops_run_examples("emu:sm_90a", examples, ARRAY_LEN(examples));
}

/* ---- what caches hold besides ---------------------------------------------------------------- */

static void put_word(void *data, int64_t at, int32_t value) {
  ((int32_t *)data)[at] = value;
}

/* Behind the keys of a sequence lies what was never written; lengths and pages may be anything. */
static void spoil(const ops_operand *o, void *data) {
  static const int32_t lengths[] = {-7, 5, 1 << 30}, pages[] = {-1, 3, 1 << 20, 0};
  int64_t span = ops_operand_span(o);
  for (int64_t i = 0; strcmp(o->name, "key_lengths") == 0 && i < span; i++)
    put_word(data, i, lengths[i % (int64_t)ARRAY_LEN(lengths)]);
  for (int64_t i = 0; strcmp(o->name, "table") == 0 && i < span; i += 3)
    put_word(data, i, pages[i / 3 % (int64_t)ARRAY_LEN(pages)]);
}

/* Values of keys from 5 on, that of the second sequence. */
static void spoil_values(const ops_operand *o, void *data) {
  if (strcmp(o->name, "key_lengths") == 0)
    for (int64_t i = 0; i < ops_operand_span(o); i++) put_word(data, i, 5);
  if (strcmp(o->name, "k") != 0 && strcmp(o->name, "v") != 0) return;
  for (int64_t i = 0, span = ops_operand_span(o); i < span; i++)
    if (i / o->strides[2] % o->shape[2] >= 5) ((float *)data)[i] = NAN;
}

static void caches_may_hold_anything(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu", "emu:sm_80"};
  static const char *const any[] = {
      "attention:cache=whole,seq=3,keys=40,head=32,heads=2,batch=3,lse=yes",
      "attention:cache=paged,page=16,seq=3,keys=40,head=32,heads=2,batch=3,tile_n=16,tile_m=16",
      "attention:cache=paged,page=5,seq=3,keys=40,head=32,heads=2,batch=3,causal=yes",
  };
  static const char *const stale[] = {
      "attention:cache=whole,seq=3,keys=40,head=32,heads=2,batch=3,causal=yes,lse=yes",
      "attention:cache=paged,page=16,seq=3,keys=16,head=32,heads=2,batch=3,tile_n=8,tile_m=16",
      "attention:cache=paged,page=10,seq=3,keys=10,head=32,heads=2,batch=3",
  };
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    world w;
    ops_scene s;
    world_open(&w);
    ops_open(&s, &w, devices[d]);
    s.prepare = spoil;
    for (size_t i = 0; i < ARRAY_LEN(any); i++) ops_run(&s, any[i]);
    s.prepare = spoil_values;
    for (size_t i = 0; i < ARRAY_LEN(stale); i++) ops_run(&s, stale[i]);
    ops_close(&s);
    world_close(&w);
  }
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const types[] = {"f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"};
static const unsigned sizes[] = {0, 1, 2, 3, 5, 7, 8, 13, 17, 31, 64, 67};
static const unsigned heads_of[] = {8, 16, 24, 32, 40, 64, 96};
static const unsigned pages[] = {1, 2, 7, 8, 16, 24, 32, 64};
static const char *const masks[] = {"causal=yes", "left=5", "right=3,left=9", "left=4,sink_keys=2",
                                    "causal=yes,corner=top"};
static const char *const extras[] = {"bias=yes",    "alibi=yes", "sinks=yes", "cap=0.7",
                                     "dropout=0.3", "split=3",   "lse=yes"};

static void put_cache(problem_text *g) {
  if (ops_pick(g, 3) == 0)
    ops_put(g, ",cache=whole");
  else
    ops_put(g, ",cache=paged,page=%u", OPS_PICK(g, pages));
  if (ops_pick(g, 2)) ops_put(g, ",layout=bshd");
}

static void put_rotary(problem_text *g, unsigned head) {
  ops_put(g, ",rotary=%u", 2 * ops_pick(g, head / 2) + 2);
  if (ops_pick(g, 2)) ops_put(g, ",pairs=interleaved");
  if (ops_pick(g, 2)) ops_put(g, ",places=same");
}

static void put_attention(problem_text *g) {
  unsigned kv = 1 + ops_pick(g, 3), head = OPS_PICK(g, heads_of);
  ops_put(g, "attention:type=%s,seq=%u,keys=%u,head=%u", OPS_PICK(g, types), OPS_PICK(g, sizes),
          OPS_PICK(g, sizes), head);
  ops_put(g, ",kv_heads=%u,heads=%u,batch=%u", kv, kv * (1 + ops_pick(g, 2)), 1 + ops_pick(g, 3));
  put_cache(g);
  if (ops_pick(g, 2)) ops_put(g, ",%s", OPS_PICK(g, masks));
  if (ops_pick(g, 2)) ops_put(g, ",%s", OPS_PICK(g, extras));
  if (ops_pick(g, 2))
    ops_put(g, ",tile_m=%u,tile_n=%u", 1u << ops_pick(g, 5), 4u << ops_pick(g, 5));
  if (ops_pick(g, 3) == 0) {
    ops_put(g, ",lengths=variable");
  } else if (ops_pick(g, 2)) {
    ops_put(g, ",append=yes,new=%u", ops_pick(g, 9));
    if (ops_pick(g, 2)) put_rotary(g, head);
  }
}

static void put_append(problem_text *g) {
  unsigned head = OPS_PICK(g, heads_of);
  ops_put(g, "append:type=%s,new=%u,keys=%u,head=%u,batch=%u", OPS_PICK(g, types),
          OPS_PICK(g, sizes), OPS_PICK(g, sizes), head, 1 + ops_pick(g, 3));
  ops_put(g, ",kv_heads=%u,heads=%u", 1 + ops_pick(g, 3), 1 + ops_pick(g, 4));
  if (ops_pick(g, 3) == 0) ops_put(g, ",head_v=%u", OPS_PICK(g, heads_of));
  put_cache(g);
  if (ops_pick(g, 3) == 0) return;
  put_rotary(g, head);
  if (ops_pick(g, 2)) ops_put(g, ",queries=yes,seq=%u", OPS_PICK(g, sizes));
}

static void random_problems_are_right(void **state) {
  (void)state;
  static const problem_maker make[] = {put_attention, put_append};
  ops_run_random("interp", 5, 300, make, ARRAY_LEN(make));
  ops_run_random("cpu", 6, 100, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_80", 7, 24, make, ARRAY_LEN(make));
  ops_run_random("emu:sm_90a", 8, 24, make, ARRAY_LEN(make));
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"attention:cache=paged,v=column", "v=column: the values of pages lie in rows"},
      {"attention:pages=9", "pages=9 goes with cache=paged"},
      {"attention:cache=whole,pages=9", "pages=9 goes with cache=paged"},
      {"attention:cache=whole,lengths=variable,total_k=9", "total_k=9: a cache has no offsets"},
      {"attention:cache=paged,page=7,strides=k:999x99x50x1,head=32,tile_n=16,tile_m=16",
       "tile_n=16 does not divide page=7, and the pages of k (999 apart)"},
      {"attention:cache=paged,strides=table:1x2", "name a tensor, as in q:8192x64x512x1"},
      {"attention:append=yes", "append=yes goes with a cache; give cache=whole"},
      {"attention:append=yes,cache=whole,lengths=variable", "append=yes goes with lengths=fixed"},
      {"attention:append=yes,cache=whole,v=column", "append=yes goes with v=row"},
      {"attention:cache=whole,new=3", "new=3 and rotary=0 go with append=yes"},
      {"attention:cache=whole,rotary=4", "new=1 and rotary=4 go with append=yes"},
      {"attention:cache=whole,append=yes,rotary=66", "rotary=66: give an even number of at most"},
      {"append:rotary=3", "rotary=3: give an even number of at most head=64"},
      {"append:queries=yes", "queries=yes, but rotary=0 turns nothing"},
      {"append:pages=9", "pages=9 goes with cache=paged"},
      {"append:type=i8", "type=i8: append takes floats of 8 to 32 bits"},
      {"append:type_angle=f64", "type_angle=f64: append takes floats of 8 to 32 bits"},
      {"append:strides=table:1x2", "name a tensor of tokens, as in k:8192x64x512x1"},
      {"append:strides=k:1x2x3x4", "dimension 3 of k must have the stride 1"},
      {"append:cache=paged,page=7,strides=v:9999x999x64x1", "pages of v (9999 apart) do not make"},
      {"append:tile=3", "tile=3 is no power of two"},
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
      cmocka_unit_test(caches_may_hold_anything),
      cmocka_unit_test(random_problems_are_right),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
