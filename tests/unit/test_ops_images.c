/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Families of windows over images against their references.
 */
#include "ops_run.h"

static const char *const examples[] = {
    "convolution:size=9x11,kernel=3,padding=1,channels=5,filters=7",
    "convolution:size=9x11,kernel=3x2,stride=2x1,channels=20,filters=33,batch=2,layout=first",
    "convolution:size=30,kernel=5,stride=3,dilation=2,padding=3,channels=8,filters=6,type=bf16",
    "convolution:size=4x5x6,kernel=2x3x1,padding=1x0x1,padding_end=0x2x0,channels=3,filters=4",
    "convolution:size=7x8,kernel=3,groups=3,channels=6,filters=9,epilogue=bias+relu",
    "convolution:size=17x40,kernel=7,stride=2,padding=3,channels=3,filters=33,batch=2",
    "convolution:size=3x2,kernel=5x6,padding=4,channels=6,filters=5,type=bf16",
    "convolution:size=30x32,kernel=4x8,stride=4x8,channels=3,filters=40,type=f16",
    "convolution:pass=weights,size=17x20,kernel=7,stride=2,padding=3,channels=3,filters=33,batch=2",
    "convolution:size=7x8,kernel=3,groups=20,channels=20,filters=20,padding=1,type=f16",
    "convolution:size=7x8,kernel=3,groups=5,channels=5,filters=5,layout=first,stride=2",
    "convolution:size=7x8,channels=16,filters=16,epilogue=bias+residual+scale:n+silu",
    "convolution:size=7x8,kernel=3,type=i8,channels=6,filters=9",
    "convolution:size=7x8,kernel=3,type=i8,channels=6,filters=6,groups=6,type_y=i8",
    "convolution:size=7x8,kernel=3,type=f8E4M3FN,channels=6,filters=9,epilogue=scale+cast:bf16",
    "convolution:size=7x8,kernel=3,type=f64,channels=6,filters=9,strides=x:999x1x100x7",
    "convolution:size=0x8,channels=6,filters=9",
    "convolution:size=7x8,channels=0,filters=9,epilogue=bias",
    "convolution:size=7x8,kernel=3,channels=6,filters=9,batch=0",
    "convolution:pass=data,size=9x11,kernel=3,padding=1,channels=5,filters=7",
    "convolution:pass=data,size=9x11,kernel=3x2,stride=2x3,channels=20,filters=33,layout=first",
    "convolution:pass=data,size=30,kernel=5,stride=3,dilation=2,padding=3,channels=8,filters=6",
    "convolution:pass=data,size=7x8,kernel=3,groups=3,channels=6,filters=9,type=f16",
    "convolution:pass=data,size=7x8,kernel=3,groups=20,channels=20,filters=20,stride=2,type=f64",
    "convolution:pass=weights,size=9x11,kernel=3,padding=1,channels=5,filters=7",
    "convolution:pass=weights,size=9x11,kernel=3x2,stride=2x3,channels=20,filters=33,batch=3",
    "convolution:pass=weights,size=30,kernel=5,stride=3,dilation=2,padding=3,channels=8,filters=6",
    "convolution:pass=weights,size=7x8,kernel=3,groups=3,channels=6,filters=9,type=bf16",
    "convolution:pass=weights,size=7x8,kernel=3,groups=20,channels=20,filters=20,layout=first",
    "convolution:pass=weights,size=4x5x6,kernel=2,channels=3,filters=4,batch=2,type_y=f32",
    "pool:size=9x11,kernel=3,stride=2,padding=1,channels=20,where=yes",
    "pool:size=9x11,kernel=3x2,channels=5,layout=first,type=i8",
    "pool:size=9x11,kernel=3,padding=1,channels=20,kind=average,type=f16",
    "pool:size=9x11,kernel=3,padding=1,stride=2,channels=5,kind=average,count=all,batch=2",
    "pool:size=4x5x6,kernel=2x3x2,channels=3,kind=average,layout=first,pass=backward,padding=1",
    "pool:size=9x11,kernel=3,stride=2,padding=1,channels=20,pass=backward",
    "pool:size=9x0,channels=20",
    "unfold:size=9x11,kernel=3,stride=2,padding=1,channels=20",
    "unfold:size=9x11,kernel=3x2,dilation=2,channels=5,layout=first,type=bf16,batch=2",
    "unfold:size=9x11,kernel=3,stride=2,padding=1,channels=20,pass=backward",
    "unfold:size=4x5x6,kernel=2,channels=3,pass=backward,type=i32,layout=first",
};

static void examples_are_right(void **state) {
  (void)state;
  ops_run_examples("interp", examples, ARRAY_LEN(examples));
  ops_run_examples("cpu", examples, ARRAY_LEN(examples));
  ops_run_examples("emu:sm_80", examples, ARRAY_LEN(examples));
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const forms[] = {
    "convolution:pass=forward",
    "convolution:pass=forward,epilogue=bias+relu",
    "convolution:pass=data",
    "convolution:pass=weights",
    "pool:kind=max,where=yes",
    "pool:kind=average",
    "pool:kind=average,pass=backward",
    "pool:kind=max,pass=backward",
    "unfold:pass=forward",
    "unfold:pass=backward",
};
static const char *const types[] = {"f32", "f16", "bf16", "f64", "f8E5M2", "tf32", "i8"};

static void put_dims(problem_text *g, const char *name, unsigned rank, unsigned least,
                     unsigned below) {
  ops_put(g, ",%s=", name);
  for (unsigned d = 0; d < rank; d++)
    ops_put(g, "%s%u", d ? "x" : "", least + ops_pick(g, below - least));
}

static void random_problem(problem_text *g) {
  unsigned rank = 1 + ops_pick(g, 3), groups = 1 + ops_pick(g, 3), each = 1 + ops_pick(g, 3);
  bool deep = ops_pick(g, 4) == 0;
  const char *form = OPS_PICK(g, forms);
  bool is_convolution = strncmp(form, "convolution", 11) == 0;
  /* Gradients of integers are none. */
  unsigned n_types = ARRAY_LEN(types) - (is_convolution ? 0 : 2);
  g->n = 0;
  ops_put(g, "%s,type=%s", form, types[ops_pick(g, n_types)]);
  put_dims(g, "size", rank, 5, rank == 3 ? 7 : 12);
  put_dims(g, "kernel", rank, 1, 4);
  put_dims(g, "stride", rank, 1, 4);
  put_dims(g, "dilation", rank, 1, 3);
  put_dims(g, "padding", rank, 0, 3);
  if (!is_convolution)
    ops_put(g, ",channels=%u", 1 + ops_pick(g, 9));
  else if (deep)
    ops_put(g, ",channels=%u,filters=%u,groups=%u", 5 * groups, 5 * groups, 5 * groups);
  else
    ops_put(g, ",channels=%u,filters=%u,groups=%u", groups * each, groups * (1 + ops_pick(g, 5)),
            groups);
  ops_put(g, ",batch=%u", 1 + ops_pick(g, 2));
  if (ops_pick(g, 2)) ops_put(g, ",layout=first");
  if (ops_pick(g, 2))
    ops_put(g, ",tile_h=%u,tile_w=%u,tile_c=%u", 1u << ops_pick(g, 3), 1u << ops_pick(g, 4),
            1u << ops_pick(g, 4));
  if (is_convolution && ops_pick(g, 2)) ops_put(g, ",tile_f=%u", 1u << ops_pick(g, 4));
}

static void run_random(const char *device, unsigned count) {
  static const problem_maker make[] = {random_problem};
  ops_run_random(device, 77, count, make, ARRAY_LEN(make));
}

static void random_problems_are_right(void **state) {
  (void)state;
  run_random("interp", 150);
  run_random("cpu", 60);
  run_random("emu:sm_90a", 10);
}

static void wrong_problems_are_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"convolution:size=4x4x4x4", "size=4x4x4x4: give one to three numbers from 0 to 2^30"},
      {"convolution:size=4x4,kernel=0", "kernel=0: give one number from 1 to 2^30, or 2 with x"},
      {"convolution:size=4x4,stride=1x1x1", "stride=1x1x1: give one number from 1 to 2^30, or 2"},
      {"convolution:size=4x4,kernel=5",
       "kernel=5 reaches over 5 elements, but size=4x4 with its padding has 4"},
      {"convolution:groups=3,channels=6,filters=7",
       "groups=3 divides not both channels=6 and filters=7"},
      {"convolution:type=i32", "type=i32: convolutions take f64 f32 tf32 f16 bf16"},
      {"convolution:type_y=i4", "type_y=i4: results have elements of 8 bits and more"},
      {"convolution:type_y=f16,epilogue=cast:bf16", "but epilogue=cast:bf16 makes y bf16"},
      {"convolution:epilogue=bias,pass=data", "epilogue=bias goes with pass=forward"},
      {"convolution:epilogue=bias:m",
       "bias has a number for each filter (n), one (tensor), or all"},
      {"convolution:epilogue=gelu,type=f64", "gelu is computed to 3e-7, not in f64"},
      {"convolution:epilogue=quantise:row:i8", "quantise:row goes with matrices"},
      {"convolution:strides=q:1", "strides=q:1: name a tensor, as in x:3136x1x56x1"},
      {"convolution:strides=x:1", "strides=x:1: x has 4 dimensions; give as many strides"},
      {"convolution:tile_h=64,tile_w=1024,tile_c=2", "channels are too large: two of them make at"},
      {"pool:type=i4", "type=i4: pool takes elements of 8 bits and more, and gradients floats"},
      {"pool:type=i8,pass=backward", "type=i8: pool takes elements of 8 bits and more"},
      {"pool:kind=average,where=yes", "where=yes goes with kind=max and pass=forward"},
      {"pool:tile_h=64,tile_w=1024,tile_c=2", "tiles of 131072 elements are too large: at most"},
      {"unfold:type=i4", "type=i4: unfold takes elements of 8 bits and more"},
      {"convolution:size=65536x65536,channels=1", "an image of x reaches over 2^31 elements"},
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples_are_right),
                                     cmocka_unit_test(random_problems_are_right),
                                     cmocka_unit_test(wrong_problems_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
