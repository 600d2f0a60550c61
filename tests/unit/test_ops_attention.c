/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The family attention against its reference.
 */
#include "ops_run.h"

static const char *const examples[] = {
    "attention:seq=5,keys=7,head=32,heads=4",
    "attention:seq=64,keys=64,head=64,heads=2,type=bf16,causal=yes",
    "attention:seq=33,keys=70,head=96,heads=4,kv_heads=2,type=f16,batch=2,lse=yes",
    "attention:seq=33,keys=70,head=64,head_v=40,heads=2,layout=bshd,batch=3",
    "attention:seq=40,keys=29,head=32,heads=2,causal=yes,lse=yes",
    "attention:seq=40,keys=29,head=32,heads=2,causal=yes,corner=top,lse=yes",
    "attention:seq=70,keys=90,head=32,heads=2,left=10,right=3",
    "attention:seq=70,keys=90,head=32,heads=2,causal=yes,left=10,sink_keys=3,tile_m=16,tile_n=16",
    "attention:seq=70,keys=90,head=32,heads=2,left=0,corner=top,tile_m=16,tile_n=16",
    "attention:seq=20,keys=30,head=32,heads=3,bias=yes,batch=2",
    "attention:seq=20,keys=30,head=32,heads=3,bias=yes,batch=2,strides=bias:0x0x30x1",
    "attention:seq=20,keys=30,head=32,heads=3,alibi=yes,batch=2",
    "attention:seq=20,keys=30,head=32,heads=3,alibi=yes,batch=2,strides=slopes:3x1,corner=top",
    "attention:seq=20,keys=30,head=32,heads=3,sinks=yes,batch=2,lse=yes",
    "attention:seq=20,keys=30,head=32,heads=3,cap=0.5,scale=2",
    "attention:seq=20,keys=300,head=32,heads=3,dropout=0.25,seed=12345678901,offset=7876878876864,"
    "batch=2",
    "attention:seq=1,keys=500,head=128,heads=4,kv_heads=1,split=4,lse=yes,type=f16",
    "attention:seq=3,keys=500,head=80,heads=2,split=3,sinks=yes,causal=yes,dropout=0.5,batch=2",
    "attention:seq=30,keys=60,head=64,heads=2,type=f8E4M3FN",
    "attention:seq=30,keys=60,head=64,heads=2,type=f8E4M3FN,type_p=f8E4M3FN,type_o=f32,lse=yes",
    "attention:seq=30,keys=60,head=64,heads=2,type=f8E5M2,type_o=bf16,scale_o=0.5",
    "attention:seq=30,keys=60,head=64,heads=2,type=f8E4M3FNUZ",
    "attention:seq=30,keys=60,head=64,heads=2,v=column,type=f16,batch=2",
    "attention:seq=50,keys=60,head=32,heads=2,lengths=variable,batch=4,lse=yes",
    "attention:seq=50,keys=60,head=32,heads=2,lengths=variable,batch=3,layout=bshd,causal=yes,"
    "bias=yes,alibi=yes,type=bf16",
    "attention:seq=20,keys=60,head=32,heads=2,lengths=variable,batch=3,split=2,v=column,left=9",
    "attention:seq=5,keys=0,head=32,heads=2,lse=yes",
    "attention:seq=0,keys=5,head=32,heads=2",
    "attention:seq=5,keys=5,head=1,head_v=1,heads=1",
    "attention:seq=5,keys=9,head=256,heads=1",
    "attention:seq=5,keys=9,head=32,heads=0",
};

/* Scales of what was quantised, and weights that are not a softmax. */
static const char *const scaled[] = {
    "attention:type=i8,heads=4,kv_heads=2,seq=3,keys=19,head=32,scale_q=head,scale_k=tensor,"
    "scale_v=head,type_v=f8E4M3FN,pack=1",
    "attention:type=i8,heads=2,kv_heads=1,seq=5,keys=19,head=32,scale_q=block,block_q=2,"
    "scale_k=head,scale_v=block,block_k=3,lse=yes",
    "attention:type=i8,heads=2,batch=2,seq=9,keys=19,head=40,type_v=bf16,scale_q=block,block_q=4,"
    "scale_k=block,block_k=8,causal=yes,bias=yes",
    "attention:type=f8E4M3FN,heads=4,kv_heads=2,batch=2,seq=3,keys=19,head=32,scale_q=block,"
    "block_q=2,scale_k=block,scale_v=block,block_k=5,pack=1,tile_n=16",
    "attention:type=f8E4M3FN,heads=2,batch=2,seq=17,keys=40,head=96,scale_q=group,scale_k=group,"
    "scale_v=group,type_scale=f8E8M0FNU,causal=yes,lse=yes,tile_n=16",
    "attention:type=f8E5M2,heads=2,batch=2,seq=9,keys=70,head=32,head_v=48,scale_q=group,"
    "scale_k=group,scale_v=group,group=64,split=3,tile_n=16,layout=bshd",
    "attention:type=f6E2M3FN,heads=4,kv_heads=2,batch=2,seq=3,keys=37,head=48,scale_q=group,"
    "scale_k=group,scale_v=group,type_scale=f8E8M0FNU,pack=1,tile_n=16",
    "attention:type=f8E4M3FN,heads=2,batch=2,seq=9,keys=40,head=32,scale_k=block,scale_v=block,"
    "block_k=7,cache=paged,page=24,causal=yes,tile_n=16",
    "attention:type=f8E4M3FN,heads=2,batch=2,seq=9,keys=40,head=32,scale_k=block,scale_v=block,"
    "block_k=16,cache=paged,page=16,tile_n=16",
    "attention:type=f8E4M3FN,heads=2,batch=2,seq=9,keys=40,head=32,scale_k=head,scale_v=block,"
    "cache=whole,append=yes,new=3,block_k=16,tile_n=16",
    "attention:type=f8E4M3FN,heads=2,batch=3,seq=9,keys=40,head=32,scale_q=block,block_q=4,"
    "scale_k=block,scale_v=block,block_k=7,lengths=variable,causal=yes,tile_n=16",
    "attention:type=f8E4M3FN,heads=2,batch=3,seq=9,keys=40,head=32,scale_q=group,scale_k=group,"
    "scale_v=head,lengths=variable,tile_n=16",
    "attention:type=f16,heads=2,seq=5,keys=19,head=32,scale_q=tensor,scale_k=tensor,"
    "scale_v=tensor,strides=bias:0x0x19x1,bias=yes,cap=2",
    "attention:type=bf16,heads=2,batch=3,seq=9,keys=40,head=32,weights=silu,causal=yes,"
    "lengths=variable,scale_o=0.025",
    "attention:type=f16,heads=2,batch=3,seq=9,keys=40,head=32,weights=silu,bias=yes,cap=2,"
    "dropout=0.2",
    "attention:type=f32,heads=4,kv_heads=2,seq=3,keys=0,head=32,weights=silu,pack=1",
    "attention:type=i8,heads=2,seq=0,keys=9,head=32,scale_q=block,scale_k=block",
};

static void run_all(const char *device, const char *const *problems, size_t count) {
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, device);
  for (size_t i = 0; i < count; i++) ops_run(&s, problems[i]);
  ops_close(&s);
  world_close(&w);
}

static void examples_are_right(void **state) {
  (void)state;
  run_all("interp", examples, ARRAY_LEN(examples));
  run_all("cpu", examples, ARRAY_LEN(examples));
}

static void scaled_ones_are_right(void **state) {
  (void)state;
  run_all("interp", scaled, ARRAY_LEN(scaled));
  run_all("cpu", scaled, ARRAY_LEN(scaled));
  run_all("emu:sm_80", scaled, ARRAY_LEN(scaled));
  run_all("emu:sm_90a", scaled, ARRAY_LEN(scaled));
}

/* ---- epilogues ------------------------------------------------------------------------------- */

static const char *const epilogues[] = {
    "attention:seq=5,keys=7,head=32,heads=4,epilogue=relu",
    "attention:seq=5,keys=7,head=24,heads=3,batch=2,epilogue=bias:n+gelu+residual+scale:m",
    "attention:seq=17,keys=9,head=96,heads=2,layout=bshd,type=bf16,epilogue=residual:f32+cast:f32",
    "attention:seq=9,keys=70,head=40,heads=2,batch=2,split=3,epilogue=scale:n+quantise:row:i8,lse="
    "yes",
    "attention:seq=7,keys=9,head=24,heads=2,batch=3,lengths=variable,"
    "epilogue=bias:m+multiply+quantise:row:f8",
    "attention:seq=7,keys=9,head=32,heads=2,batch=3,lengths=variable,split=2,epilogue=residual",
    "attention:seq=7,keys=9,head=32,heads=2,type=f16,epilogue=quantise:i8",
    "attention:seq=7,keys=9,head=32,heads=2,type=f8E4M3FN,epilogue=scale+cast:f8E4M3FN",
    "attention:seq=1,keys=39,head=32,heads=6,kv_heads=2,batch=2,pack=1,split=2,"
    "epilogue=residual+quantise:row:u8",
    "attention:seq=3,keys=9,head=32,heads=4,kv_heads=2,pack=1,epilogue=scale+residual",
    "attention:seq=5,keys=7,head=40,heads=2,bias=yes,epilogue=residual+bias+residual,"
    "strides=epilogue_residual:999x240x48x1+epilogue_bias:64x1+epilogue_residual2:0x0x40x1",
    "attention:seq=5,keys=7,head=24,heads=2,epilogue=residual+cos+quantise:row:i8",
    "attention:seq=5,keys=0,head=32,heads=2,epilogue=bias+quantise:row:i8",
    "attention:seq=0,keys=5,head=32,heads=2,epilogue=bias+quantise:row:i8",
};

static void epilogues_are_right(void **state) {
  (void)state;
  run_all("interp", epilogues, ARRAY_LEN(epilogues));
  run_all("cpu", epilogues, ARRAY_LEN(epilogues));
  run_all("emu:sm_80", epilogues, ARRAY_LEN(epilogues));
  run_all("emu:sm_90a", epilogues, ARRAY_LEN(epilogues));
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const types[] = {"f32",
                                    "f16",
                                    "bf16",
                                    "f8E4M3FN",
                                    "f8E5M2",
                                    "f8E5M2FNUZ",
                                    "f16,type_o=f32",
                                    "bf16,type_p=f16",
                                    "f8E4M3FN,type_p=f8E4M3FN,type_o=f32",
                                    "f8E5M2,type_p=f8E5M2,type_o=bf16",
                                    "i8,scale_q=block,block_q=3,scale_k=block,block_k=5",
                                    "i8,type_v=f8E4M3FN,scale_q=tensor,scale_k=head,"
                                    "scale_v=block,block_k=16",
                                    "f8E4M3FN,scale_q=head,scale_k=tensor,scale_v=head",
                                    "f6E3M2FN,scale_q=group,scale_k=group,type_scale=f8E8M0FNU",
                                    "f8E4M3FN,scale_k=group,scale_v=block,group=16,block_k=9"};
static const char *const masks[] = {"causal=yes",
                                    "causal=yes,corner=top",
                                    "left=5",
                                    "left=13,right=0",
                                    "right=7",
                                    "left=3,right=4,corner=top",
                                    "left=4,sink_keys=2,causal=yes",
                                    "left=0",
                                    "left=20,sink_keys=17,right=1"};
static const char *const extras[] = {"bias=yes",
                                     "alibi=yes",
                                     "sinks=yes",
                                     "cap=0.7",
                                     "dropout=0.3,seed=99999999999",
                                     "bias=yes,cap=2,sinks=yes",
                                     "alibi=yes,dropout=0.9,scale_o=0.1",
                                     "bias=yes,type_bias=f32,strides=bias:0x0x100x1",
                                     "scale=0.3"};
static const char *const ends[] = {"relu",
                                   "residual",
                                   "bias:n+gelu+residual+scale:m",
                                   "residual:f32+quantise:row:i8",
                                   "scale+quantise:n:f8E5M2",
                                   "multiply+cast:f32"};
static const int head_sizes[] = {1, 8, 16, 24, 32, 40, 48, 64, 72, 80, 96};
static const int sizes[] = {0, 1, 1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 37, 61, 67, 97};

static void random_problem(problem_text *g, bool is_small) {
  unsigned count = is_small ? 8 : ARRAY_LEN(sizes), groups = 1 + ops_pick(g, 3);
  bool variable = ops_pick(g, 4) == 0;
  ops_put(g, "attention:type=%s,seq=%d,keys=%d,head=%d", OPS_PICK(g, types),
          sizes[ops_pick(g, count)], sizes[ops_pick(g, count)], OPS_PICK(g, head_sizes));
  if (ops_pick(g, 3) == 0) ops_put(g, ",head_v=%d", OPS_PICK(g, head_sizes));
  ops_put(g, ",kv_heads=%u,heads=%u", groups, groups * (1 + ops_pick(g, 2)));
  ops_put(g, ",batch=%u", ops_pick(g, 20) ? 1 + ops_pick(g, 3) : 0);
  if (ops_pick(g, 2)) ops_put(g, ",layout=bshd");
  if (ops_pick(g, 3) == 0) ops_put(g, ",v=column");
  if (ops_pick(g, 2)) ops_put(g, ",lse=yes");
  if (ops_pick(g, 2)) ops_put(g, ",%s", OPS_PICK(g, masks));
  if (variable) ops_put(g, ",lengths=variable");
  const char *extra = OPS_PICK(g, extras);
  if (ops_pick(g, 2) && !(variable && strstr(extra, "strides")))
    ops_put(g, ",%s", extra);
  else if (!variable && !strstr(g->text, "bshd") && ops_pick(g, 2))
    ops_put(g, ",pack=1");
  if (ops_pick(g, 2))
    ops_put(g, ",tile_m=%u,tile_n=%u", 1u << ops_pick(g, 6), 4u << ops_pick(g, 5));
  if (ops_pick(g, 3) == 0) ops_put(g, ",split=%u", 2 + ops_pick(g, 3));
  if (ops_pick(g, 4) == 0 && !strstr(g->text, "pack") && !strstr(g->text, "type_o"))
    ops_put(g, ",epilogue=%s", OPS_PICK(g, ends));
}

static void any_problem(problem_text *g) {
  random_problem(g, false);
}
static void small_problem(problem_text *g) {
  random_problem(g, true);
}
static const problem_maker any[] = {any_problem}, small[] = {small_problem};

static void random_problems_are_right_interp(void **state) {
  (void)state;
  ops_run_random("interp", 31, 300, any, 1);
}

static void random_problems_are_right_cpu(void **state) {
  (void)state;
  ops_run_random("cpu", 31, 100, any, 1);
}

static void random_problems_are_right_emulated(void **state) {
  (void)state;
  ops_run_random("emu:sm_80", 31, 25, small, 1);
  ops_run_random("emu:sm_90a", 31, 25, small, 1);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  ops_refused(&s, "attention:type=i16", "type=i16: attention takes f32 f16 bf16 f8E4M3FN");
  ops_refused(&s, "attention:type_v=i8", "type_v=i8: attention takes f32 f16 bf16 f8E4M3FN");
  ops_refused(&s, "attention:scale_q=head,type_scale=f16",
              "type_scale=f16: scales are f32 or f8E8");
  ops_refused(&s, "attention:type=f8E4M3FN,scale_k=group,group=48",
              "group=48: give a power of two");
  ops_refused(&s, "attention:scale_q=group", "scale_q=group goes with floats of 8 and 6 bits");
  ops_refused(&s, "attention:type=f8E4M3FN,scale_k=group,cache=paged",
              "scale_k=group goes with cache=none or cache=whole");
  ops_refused(&s, "attention:type=f8E4M3FN,scale_v=group,lengths=variable",
              "scale_v=group goes with lengths=fixed or cache=whole");
  ops_refused(&s, "attention:type=f8E4M3FN,scale_v=group,type_p=f16",
              "type_p=f16: scale_v=group goes with bf16 and f32");
  ops_refused(&s, "attention:type=i8,cache=whole,append=yes", "append=yes goes with type_v=auto");
  ops_refused(&s, "attention:type=f8E4M3FN,scale_q=group,cache=whole,append=yes",
              "scale_q=group goes with append=no");
  ops_refused(&s, "attention:weights=silu,lse=yes", "weights=silu goes with lse=no and sinks=no");
  ops_refused(&s, "attention:weights=silu,split=2", "split=2: weights=silu goes with split=1");
  ops_refused(&s, "attention:scale_q=block,block_q=1,seq=536870912,heads=1024,batch=1,tile_m=256",
              "at most 2^31 - 1 are possible");
  ops_refused(&s, "attention:type=f16,type_p=f8E4M3FNUZ", "type_p=f8E4M3FNUZ: there are products");
  ops_refused(&s, "attention:heads=6,kv_heads=4", "kv_heads=4 does not divide heads=6");
  ops_refused(&s, "attention:scale=-1", "scale=-1: give a number from 0");
  ops_refused(&s, "attention:dropout=1", "dropout=1: give a number from 0 to less than 1");
  ops_refused(&s, "attention:cap=-2", "cap=-2: give a number from 0");
  ops_refused(&s, "attention:causal=yes,right=3", "right=3, but causal=yes means right=0");
  ops_refused(&s, "attention:total_q=9", "total_q=9 goes with lengths=variable");
  ops_refused(&s, "attention:strides=x:1x2", "name a tensor, as in q:8192x64x512x1");
  ops_refused(&s, "attention:strides=q:1x2", "q has 4 dimensions; give as many strides");
  ops_refused(&s, "attention:strides=k:1x2x3x4", "dimension 3 of k must have the stride 1");
  ops_refused(&s, "attention:strides=v:1x2x3x1,v=column",
              "dimension 2 of v must have the stride 1");
  ops_refused(&s, "attention:tile_m=48", "tile_m=48 is no power of two");
  ops_refused(&s, "attention:tile_m=256,tile_n=256", "tiles of 256 x 256 with 64 elements");
  ops_refused(&s, "attention:batch=100000000,split=256", "at most 2^31 - 1 along each axis");
  ops_refused(&s, "attention:head=513", "513");
  ops_refused(&s, "attention:type_o=i16", "type_o=i16: attention takes f32 f16 bf16");
  ops_refused(&s, "attention:epilogue=none+relu", "epilogue stage 'none' is none of bias");
  ops_refused(&s, "attention:type_o=f32,epilogue=cast:f16", "but epilogue=cast:f16 makes o f16");
  ops_refused(&s, "attention:epilogue=bias,strides=bias:1x2", "name a tensor, as in q:");
  ops_refused(&s, "attention:kv_heads=2,pack=1,seq=1,epilogue=bias",
              "without tensors of the epilogue that have spans of m or n");
  ops_refused(&s, "attention:kv_heads=2,pack=1,layout=bshd,seq=3,epilogue=residual",
              "the queries of heads that share keys lie unevenly in q");
  ops_close(&s);
  world_close(&w);
}

/* ---- gradients ------------------------------------------------------------------------------- */

static const char *const gradients[] = {
    "attention_backward:heads=2,head=16,seq=7,tile_m=16,tile_n=16",
    "attention_backward:heads=6,kv_heads=2,head=24,head_v=40,seq=19,keys=37,causal=yes,batch=2",
    "attention_backward:heads=2,head=32,seq=37,keys=19,causal=yes,corner=top,layout=bshd",
    "attention_backward:heads=2,head=64,seq=33,left=5,right=2,type=bf16,tile_m=16,tile_n=32",
    "attention_backward:heads=4,kv_heads=1,head=8,seq=5,keys=70,type=f16,scale=0.3,tile_n=16",
    "attention_backward:heads=2,head=16,seq=7,strides=q:999x200x20x1+dk:999x16x32x1",
    "attention_backward:heads=4,head=20,seq=13,keys=19,bias=yes,dbias=yes,tile_m=16,tile_n=16",
    "attention_backward:heads=4,head=20,seq=13,keys=19,bias=yes,dbias=yes,cap=1.5,type=f16",
    "attention_backward:heads=4,head=20,seq=13,keys=19,alibi=yes,left=5,right=2,corner=top,batch=2",
    "attention_backward:heads=4,kv_heads=2,head=20,seq=13,keys=19,cap=2,sink_keys=2,left=3",
    "attention_backward:heads=4,head=20,seq=13,keys=19,dropout=0.3,seed=7,offset=5,bias=yes",
    "attention_backward:heads=4,kv_heads=2,head=20,seq=13,keys=19,lengths=variable,batch=3,causal="
    "yes",
    "attention_backward:heads=2,head=20,seq=13,keys=19,lengths=variable,batch=3,bias=yes,dbias=yes,"
    "alibi=yes,dropout=0.2,type=bf16,type_bias=f32,layout=bshd",
    "attention_backward:heads=2,head=20,seq=13,keys=19,bias=yes,strides=bias:0x0x19x1",
    "attention_backward:heads=2,head=16,seq=7,tile_m=4,tile_n=8,joined=1",
    "attention_backward:heads=6,kv_heads=2,head=24,head_v=40,seq=19,keys=37,causal=yes,batch=2,"
    "tile_m=16,tile_n=16,joined=1",
    "attention_backward:heads=4,kv_heads=2,head=20,seq=13,keys=19,lengths=variable,batch=3,causal="
    "yes,tile_m=8,tile_n=8,joined=1",
    "attention_backward:heads=2,head=32,seq=37,keys=19,left=5,right=2,corner=top,layout=bshd,"
    "joined=1",
    "attention_backward:heads=4,head=20,seq=33,keys=19,dropout=0.3,seed=7,offset=5,bias=yes,"
    "strides=dq:9999x2499x24x1,tile_m=16,joined=1",
    "attention_backward:heads=2,head=16,seq=0,keys=5,joined=1",
    "attention_backward:heads=2,head=16,seq=5,keys=0,joined=1",
    "attention_backward:heads=2,head=16,seq=0,keys=5",
    "attention_backward:heads=2,head=16,seq=5,keys=0",
    "attention_backward:heads=2,head=16,seq=5,batch=0",
};

static void gradients_are_right(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu", "emu:sm_80"};
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    world w;
    ops_scene s;
    world_open(&w);
    ops_open(&s, &w, devices[d]);
    for (size_t i = d == 2; i < ARRAY_LEN(gradients); i += 1 + (d == 2)) ops_run(&s, gradients[i]);
    ops_close(&s);
    world_close(&w);
  }
}

static const char *const gradient_types[] = {"f32", "f16", "bf16"};
static const char *const gradient_extras[] = {"alibi=yes",
                                              "cap=0.7",
                                              "dropout=0.3,seed=7",
                                              "bias=yes",
                                              "scale=0.3",
                                              "bias=yes,dbias=yes",
                                              "bias=yes,dbias=yes,cap=2,alibi=yes"};

static void random_gradient(problem_text *g) {
  enum { SMALL = 12 }; /* sizes, the first ones */
  unsigned groups = 1 + ops_pick(g, 3);
  bool joined = ops_pick(g, 3) == 0;
  ops_put(g, "attention_backward:type=%s,seq=%d,keys=%d,head=%d",
          joined ? "f32" : OPS_PICK(g, gradient_types), sizes[ops_pick(g, SMALL)],
          sizes[ops_pick(g, SMALL)], OPS_PICK(g, head_sizes));
  if (ops_pick(g, 3) == 0) ops_put(g, ",head_v=%d", OPS_PICK(g, head_sizes));
  ops_put(g, ",kv_heads=%u,heads=%u", groups, groups * (1 + ops_pick(g, 2)));
  ops_put(g, ",batch=%u", ops_pick(g, 20) ? 1 + ops_pick(g, 3) : 0);
  if (ops_pick(g, 2)) ops_put(g, ",layout=bshd");
  if (ops_pick(g, 2)) ops_put(g, ",%s", OPS_PICK(g, masks));
  if (ops_pick(g, 3) == 0) ops_put(g, ",lengths=variable");
  if (ops_pick(g, 2)) {
    const char *extra = OPS_PICK(g, gradient_extras);
    joined = joined && !strstr(extra, "dbias");
    ops_put(g, ",%s", extra);
  }
  if (joined) ops_put(g, ",joined=1");
  if (ops_pick(g, 2))
    ops_put(g, ",tile_m=%u,tile_n=%u", 1u << ops_pick(g, 6), 4u << ops_pick(g, 4));
}

static void random_gradients_are_right(void **state) {
  (void)state;
  static const problem_maker make[] = {random_gradient};
  ops_run_random("interp", 17, 100, make, 1);
  ops_run_random("cpu", 18, 30, make, 1);
  ops_run_random("emu:sm_80", 19, 6, make, 1);
  ops_run_random("emu:sm_90a", 20, 6, make, 1);
}

static void wrong_gradients_are_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"attention_backward:type=f64", "type=f64: attention_backward takes f32 f16 bf16"},
      {"attention_backward:type_bias=f64", "type_bias=f64: attention_backward takes f32 f16 bf16"},
      {"attention_backward:dbias=yes", "dbias=yes goes with bias=yes"},
      {"attention_backward:dropout=0.5,tile_n=2", "tile_n=2: with dropout four keys are decided"},
      {"attention_backward:joined=1,type=bf16", "joined=1 goes with type=f32 and dbias=no"},
      {"attention_backward:joined=1,bias=yes,dbias=yes",
       "joined=1 goes with type=f32 and dbias=no"},
      {"attention_backward:cap=-1", "cap=-1: give a number from 0"},
      {"attention_backward:kv_heads=3", "kv_heads=3 does not divide heads=8"},
      {"attention_backward:strides=lse:1", "strides=lse:1: name a tensor, as in q:8192x64x512x1"},
      {"attention_backward:strides=q:1", "strides=q:1: q has 4 dimensions; give as many strides"},
      {"attention_backward:strides=q:1x1x1x2", "dimension 3 of q must have the stride 1"},
      {"attention_backward:tile_m=256,tile_n=256", "tiles of 256 x 256 with 64 elements are too"},
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
      cmocka_unit_test(gradients_are_right),
      cmocka_unit_test(random_gradients_are_right),
      cmocka_unit_test(wrong_gradients_are_refused),
      cmocka_unit_test(examples_are_right),
      cmocka_unit_test(scaled_ones_are_right),
      cmocka_unit_test(epilogues_are_right),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(random_problems_are_right_interp),
      cmocka_unit_test(random_problems_are_right_cpu),
      cmocka_unit_test(random_problems_are_right_emulated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
