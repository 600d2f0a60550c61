/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Families over a space (elementwise, softmax, norm, reduce) against their references.
 */
#include "ops_run.h"

static const char *const elementwise[] = {
    "elementwise:shape=1",
    "elementwise:shape=1000",
    "elementwise:shape=0",
    "elementwise:shape=3x0x5",
    "elementwise:shape=7x11x13,expression=relu(a*2-b)",
    "elementwise:shape=100x70,strides=a:1x100,expression=a",
    "elementwise:shape=5x33x67,strides=y:2211x1x33,expression=a,type=f16",
    "elementwise:shape=5x6x7,strides=a:0x1x0+b:0x0x0,expression=a*b+c",
    "elementwise:shape=333,type=f16,type_y=i8,expression=a*20",
    "elementwise:shape=333,type=i32,expression=a*b-max(a,3)",
    "elementwise:shape=50x7,types=bf16+i8+f32,expression=where(a<b,gelu(c),-a/4)",
    "elementwise:shape=33x65,type=f8E4M3FN,type_y=f32,expression=silu(a)",
    "elementwise:shape=3x5x7x9,strides=a:1000x200x20x2+y:1x3x15x105,expression=square(a)+0.5",
    "elementwise:shape=2x3x4x5x6,strides=a:1x2x6x24x120,expression=a,type=i16",
    "elementwise:shape=123,type=f64,expression=exp(a)-log(b*b+1)",
    "elementwise:shape=123,type=u8,expression=a+b",
};

static const char *const softmax[] = {
    "softmax:shape=1",
    "softmax:shape=5x100",
    "softmax:shape=5x0",
    "softmax:shape=0x5",
    "softmax:shape=33x1000,type=bf16,kind=log_softmax",
    "softmax:shape=5x1000,whole=0",
    "softmax:shape=2x13x17,dims=0",
    "softmax:shape=2x13x17,dims=1",
    "softmax:shape=2x13x17,dims=0+2,alpha=2,beta=0.5",
    "softmax:shape=2x13x17,dims=all,type=f16",
    "softmax:shape=20x100,strides=x:1x20+y:110x1",
    "softmax:shape=7x31,type=i8,type_y=f32",
    "softmax:shape=7x3001,type=f64,whole=0,tile_rows=2,tile_columns=64",
    "softmax:shape=7x31,type=f8E5M2,kind=log_softmax,type_y=f16",
};

static const char *const reduce[] = {
    "reduce:shape=1",
    "reduce:shape=5x100",
    "reduce:shape=5x100,alpha=2,beta=0.5,operations=sum+norm2+argmax,strides=sum:3",
    "reduce:shape=5x100,dims=0,alpha=0.5,type=i8,operations=sum+max",
    "reduce:shape=5x0,beta=2,type=bf16,operations=mean+sum,whole=0",
    "reduce:shape=5x0",
    "reduce:shape=0x5,operations=sum+max",
    "reduce:shape=5x1000,operations=sum+max+min+mean+amax+norm1+norm2+squares",
    "reduce:shape=5x7,operations=product",
    "reduce:shape=20x30x40,dims=0",
    "reduce:shape=20x30x40,dims=1,operations=max",
    "reduce:shape=2x3x4x5,dims=0+2,operations=sum+min,whole=0",
    "reduce:shape=2x3x4x5,dims=all",
    "reduce:shape=33x100,type=i8,operations=sum+max+min",
    "reduce:shape=33x100,type=i32,operations=mean,type_y=f32",
    "reduce:shape=33x100,type=i64,operations=sum+min+max",
    "reduce:shape=33x100,type=f16,strides=x:1x33",
    "reduce:shape=3x5000,type=bf16,whole=0,type_y=f32",
    "reduce:shape=7x31,type=f64,operations=norm2+mean",
    "reduce:shape=7x31,operations=argmax+argmin+max",
    "reduce:shape=3x0,operations=argmax",
    "reduce:shape=7x31,type=i8,operations=argmax+argmin",
    "reduce:shape=3x70x5x9,dims=1+3,operations=argmin+argmax,type=i32",
    "reduce:shape=5x3001,operations=argmax,whole=0,type=bf16",
};

static const char *const norm[] = {
    "norm:shape=5x13,epilogue=residual+gelu+scale+bias:m",
    "norm:shape=5x13,type=bf16,kind=rms,residual=store,epilogue=multiply+bias:n:f32+cast:f16",
    "norm:shape=3x4x33,quantise=row,epilogue=relu+residual:f16",
    "norm:shape=5x300,epilogue=silu+quantise:n:i8,whole=0,tile_columns=64,tile_rows=4",
    "norm:shape=3x100",
    "norm:shape=3x1,bias=yes",
    "norm:shape=0x7",
    "norm:shape=7x0",
    "norm:shape=5x1000,kind=rms,whole=0",
    "norm:shape=5x1000,bias=yes,whole=0,tile_rows=2,tile_columns=64",
    "norm:shape=39x777,type=f16,residual=add,bias=yes,save=yes",
    "norm:shape=13x200,type=bf16,residual=store,kind=rms,save=yes,type_w=f32",
    "norm:shape=13x200,type=bf16,kind=rms,quantise=row",
    "norm:shape=13x200,type=f16,quantise=smooth,bias=yes,residual=store",
    "norm:shape=13x200,type=f16,quantise=row,type_y=f8E4M3FN,kind=rms",
    "norm:shape=4x5x6x7,dims=2+3,weight=yes,type=f64,save=yes",
    "norm:shape=4x60,strides=x:1x4+y:70x1,weight=no",
    "norm:shape=2x3x5x28,dims=2+3,weights=all,bias=yes,strides=weight:0x5x1x0+bias:0x5x1x0",
    ("norm:shape=4x6x35,dims=0+2,weights=all,bias=yes,save=yes,type=f16,type_w=f32,"
     "strides=weight:0x1x0+bias:0x1x0"),
    "norm:shape=4x6x35,dims=1+2,kind=rms,weights=all",
};

static const char *const backward[] = {
    "softmax_backward:shape=5x100",
    "softmax_backward:shape=5x0",
    "softmax_backward:shape=33x1000,type=bf16,kind=log_softmax",
    "softmax_backward:shape=5x3000,whole=0,tile_rows=2,tile_columns=64,type=f64",
    "softmax_backward:shape=2x13x17,dims=0+2,strides=dx:1x34x2",
    "norm_backward:shape=0x7,dweight=yes",
    "norm_backward:shape=5x7,dweight=yes",
    "norm_backward:shape=3x100",
    "norm_backward:shape=2x3x5x14,dims=2+3,weight_dims=1+2,dweight=yes,dbias=yes",
    "norm_backward:shape=4x6x9,dims=0+2,weight_dims=1,dweight=yes,dbias=yes,type=bf16,type_w=f32",
    "norm_backward:shape=3x6x9,dims=2,weight_dims=1,kind=rms,dweight=yes,strides=weight:0x2x0",
    "norm_backward:shape=3x100,dweight=yes,dbias=yes",
    "norm_backward:shape=7x0,dweight=yes",
    "norm_backward:shape=70x1000,kind=rms,dweight=yes,whole=0,type=bf16,type_w=f32",
    "norm_backward:shape=4x5x6x7,dims=1+3,dweight=yes,dbias=yes,type=f64",
    "norm_backward:shape=4x5x6,dims=all,dweight=yes,residual=add",
    "norm_backward:shape=33x65,strides=x:1x33+dy:70x1,residual=add,type=f16,weight=no,dbias=yes",
    "cross_entropy_backward:shape=5x100",
    "cross_entropy_backward:shape=5x1000,smoothing=0.1,type=bf16,type_class=i64,whole=0",
    "cross_entropy_backward:shape=5x7x9,dims=1,type=f64,strides=dx:70x10x1",
};

static void run_all(const char *const *problems, size_t count) {
  static const char *const devices[] = {"interp", "cpu", "emu:sm_80"};
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    world w;
    ops_scene s;
    world_open(&w);
    ops_open(&s, &w, devices[d]);
    for (size_t i = 0; i < count; i++) ops_run(&s, problems[i]);
    ops_close(&s);
    world_close(&w);
  }
}

static void elementwise_is_right(void **state) {
  (void)state;
  run_all(elementwise, ARRAY_LEN(elementwise));
}

static void softmax_is_right(void **state) {
  (void)state;
  run_all(softmax, ARRAY_LEN(softmax));
}

static void reduce_is_right(void **state) {
  (void)state;
  run_all(reduce, ARRAY_LEN(reduce));
}

static void norm_is_right(void **state) {
  (void)state;
  run_all(norm, ARRAY_LEN(norm));
}

static void backward_is_right(void **state) {
  (void)state;
  run_all(backward, ARRAY_LEN(backward));
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const types[] = {"f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2", "i8"};
static const char *const forms[] = {
    "softmax:kind=softmax",
    "softmax:kind=log_softmax",
    "softmax:alpha=2,beta=-1",
    "softmax_backward:kind=softmax",
    "softmax_backward:kind=log_softmax",
    "norm_backward:dweight=yes,dbias=yes",
    "norm_backward:kind=rms,dweight=yes,residual=add",
    "cross_entropy_backward:smoothing=0.25",
    "norm:kind=rms",
    "norm:bias=yes,save=yes",
    "norm:residual=store,type_w=f32",
    "norm:quantise=smooth",
    "reduce:operations=sum+max",
    "reduce:operations=mean+norm2+min",
    "reduce:operations=amax+product",
    "reduce:operations=argmax+argmin",
    "elementwise:expression=a*b-c",
    "elementwise:expression=where(a<b,tanh(a),b)",
    "elementwise:expression=a",
};
static const int sizes[] = {1, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 64, 67, 100};

/* Strides of a permutation of the dimensions, with a gap after the innermost. */
static void put_strides(problem_text *g, const char *name, const int *shape, unsigned rank) {
  unsigned order[4], strides[4], run = 1;
  for (unsigned d = 0; d < rank; d++) order[d] = d;
  for (unsigned d = 0; d < rank; d++) {
    unsigned other = ops_pick(g, rank), kept = order[d];
    order[d] = order[other];
    order[other] = kept;
  }
  for (unsigned d = 0; d < rank; d++) {
    strides[order[d]] = run;
    run = run * (unsigned)shape[order[d]] + ops_pick(g, 2);
  }
  ops_put(g, "%s:", name);
  for (unsigned d = 0; d < rank; d++) ops_put(g, "%s%u", d ? "x" : "", strides[d]);
}

static void random_problem(problem_text *g) {
  int shape[4];
  unsigned rank = 1 + ops_pick(g, 4);
  const char *form = OPS_PICK(g, forms);
  bool is_elementwise = strncmp(form, "elementwise", 11) == 0;
  g->n = 0;
  /* Gradients of integers are none. */
  unsigned n_types = ARRAY_LEN(types) - (strstr(form, "backward") != NULL);
  ops_put(g, "%s,type=%s,shape=", form, types[ops_pick(g, n_types)]);
  for (unsigned d = 0; d < rank; d++) {
    shape[d] = rank > 2 ? sizes[ops_pick(g, 8)] : OPS_PICK(g, sizes);
    if (ops_pick(g, 30) == 0) shape[d] = 0;
    ops_put(g, "%s%d", d ? "x" : "", shape[d]);
  }
  if (ops_pick(g, 2)) {
    ops_put(g, ",strides=");
    bool has_x = !is_elementwise && !strstr(form, "softmax_backward");
    put_strides(g, is_elementwise ? "a" : has_x ? "x" : "dy", shape, rank);
  }
  if (is_elementwise) return;
  if (ops_pick(g, 2)) ops_put(g, ",dims=%u", ops_pick(g, rank));
  if (ops_pick(g, 3) == 0)
    ops_put(g, ",whole=0,tile_rows=%u,tile_columns=%u", 1u << ops_pick(g, 4), 8u << ops_pick(g, 4));
}

static void run_random(const char *device, unsigned count) {
  static const problem_maker make[] = {random_problem};
  ops_run_random(device, 5, count, make, ARRAY_LEN(make));
}

static void random_problems_are_right(void **state) {
  (void)state;
  run_random("interp", 300);
  run_random("cpu", 150);
  run_random("emu:sm_90a", 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementwise_is_right), cmocka_unit_test(softmax_is_right),
      cmocka_unit_test(reduce_is_right),      cmocka_unit_test(norm_is_right),
      cmocka_unit_test(backward_is_right),    cmocka_unit_test(random_problems_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
