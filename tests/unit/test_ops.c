/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Problems, plans and launches of operators: what is wrong is said and changes nothing; names mean
 * what they say; plans are made once, from any thread; records are recalled.
 */
#include <unistd.h>

#include "ops_run.h"

/* ---- wrong problems -------------------------------------------------------------------------- */

typedef struct wrong_problem {
  const char *text, *message;
} wrong_problem;

static const wrong_problem wrong_problems[] = {
    {"gem:m=1", "there is no family 'gem'; tessera op list shows them"},
    {"gemm:mm=1",
     "gemm has no parameter 'mm', did you mean 'm'?; tessera op explain gemm lists them"},
    {"gemm:m", "'m' is no parameter=value"},
    {"gemm:m=-1", "m takes an integer from 0 to 1099511627776, not '-1'"},
    {"gemm:m=1099511627777", "m takes an integer from 0 to 1099511627776"},
    {"gemm:m=1e3", "m takes an integer from 0 to 1099511627776, not '1e3'"},
    {"gemm:lda=none", "lda takes an integer from 0 to 1099511627776 or packed, not 'none'"},
    {"gemm:alpha=x", "alpha takes a number, not 'x'"},
    {"gemm:type=q8", "type takes an element type"},
    {"gemm:a=diagonal", "a is one of row, column, not 'diagonal'"},
    {"gemm:type=i32", "type_a=i32: products take f64 f32 tf32 f16 bf16"},
    {"gemm:type=f8E8M0FNU", "type_a=f8E8M0FNU: products take"},
    {"gemm:compute=i32", "compute=i32: there are products of f64 f32 tf32 f16 bf16"},
    {"gemm:compute=i8", "compute=i8: a (f32) and b (f32) are not both integers"},
    {"gemm:accumulate=f16", "accumulate=f16: products of f32 are summed in f32"},
    {"gemm:type=f16,accumulate=f64", "accumulate=f64: products of f16 are summed in f32 or f16"},
    {"gemm:type_c=f16,epilogue=cast:bf16", "type_c=f16, but epilogue=cast:bf16 makes c bf16"},
    {"gemm:type_c=f8E8M0FNU", "type_c=f8E8M0FNU has no sign"},
    {"gemm:type_c=i4", "type_c=i4: results of 4 bits are not stored; take i8"},
    {"gemm:type=f64,epilogue=gelu", "gelu is computed to 3e-7, not in f64"},
    {"gemm:type=f4E2M1FN,batch=2,m=3,n=5,k=3",
     "batch_a=9: matrices of f4E2M1FN, which lies two to a byte, begin at whole bytes, so give "
     "an even number"},
    {"gemm:type=bf16,type_b=i4,n=7", "ldb=7: i4 lies two to a byte, so give an even number"},
    {"gemm:type=bf16,type_b=i4,incb=2", "incb=2: elements of i4 lie together; give 1"},
    {"gemm:type=i4,b=column,k=7,lda=8,ldb=8",
     "k=7: 4-bit integers of both a and b lie two to a byte"},
    {"gemm:tile_m=48", "tile_m=48 is no power of two; give 16, 32, 64 or another"},
    {"gemm:total_m=9", "total_m=9 goes with rows=grouped and sorted; leave it out"},
    {"gemm:epilogue=quantise:row", "epilogue stage 'quantise:row' needs a type"},
    {"gemm:epilogue=quantise:row:f16",
     "epilogue stage 'quantise:row:f16' takes i8, u8 and floats of 8 bits"},
    {"gemm:rows=pointers,scale_a=row", "rows=pointers goes without scale_a, scale_b"},
    {"gemm:rows=pointers,combine=a*b", "combine_a, combine_b and combine go with rows=one"},
    {"gemm:combine_a=e", "combine_a=e: give an expression of the tensors a to d"},
    {"gemm:combine_a=a*b,types=x", "types=x: give an element type for each of a2, b2, d"},
    {"gemm:combine_a=a*b,types=f32+f32", "types=f32+f32 has more types than there are tensors"},
    {"gemm:combine_a=a*b,types=i4", "a2 holds i4: what is combined has elements of 8 bits"},
    {"gemm:combine_a=a*b,strides=d:1x1", "strides=d:1x1: name a tensor that is combined"},
    {"gemm:combine_a=a*b,strides=a2:1", "strides=a2:1: a2 has 2 dimensions; give as many strides"},
    {"gemm:combine_a=a*b,type=i8", "combine_a and combine_b take products of floats"},
    {"gemm:combine_b=a*b,gate=silu", "combine_b=a*b does not go with a gate"},
    {"gemm:combine=erf(a),type=f64", "combine=erf(a): erf and gelu are computed to 3e-7"},
    {"attention:pack=1,bias=yes", "pack=1 goes with lengths=fixed, without bias"},
    {"attention:pack=1,kv_heads=2,layout=bshd", "pack=1, but the queries of heads that share keys "
                                                "lie unevenly in q; give layout=bhsd or seq=1"},
    {"softmax_backward:type=i8", "type=i8: softmax_backward takes floats of 8 bits and more"},
    {"norm_backward:type=i8", "type=i8, type_w=i8: norm_backward takes floats of 8 bits and more"},
    {"norm_backward:weight_dims=2,shape=3x4", "weight_dims=2: give dimensions from 0 to 1"},
    {"norm_backward:kind=rms,dbias=yes", "dbias=yes: RMS normalisation has no bias"},
    {"cross_entropy_backward:type=i8", "type=i8: cross_entropy_backward takes floats of 8 bits"},
    {"cross_entropy_backward:type_class=i8", "type_class=i8: classes are i32 or i64"},
    {"cross_entropy_backward:smoothing=2", "smoothing=2: give a number from 0 to 1"},
    {"cross_entropy_backward:shape=4x5x6,dims=0+2", "dims=0+2: classes lie along one dimension"},
    {"gemm:gate=clamp", "gate=clamp: give a function of one number, as silu, gelu or sigmoid"},
    {"gemm:gate=gelu,type=f64", "gate=gelu is computed to 3e-7, not in f64"},
    {"gemm:gate=silu,split_k=2", "split_k=2, but with a gate sums are not divided; give 1"},
    {"gemm:type=bf16,type_b=i4,tile_n=1", "tile_n=1: 4-bit integers lie two to a byte along it"},
    {"gemm:tile_m=1024,tile_n=1024,tile_k=16", "tiles of 1024 x 1024 x 16 are too large"},
    {"gemm:scale_a=group,group=40,tile_k=32", "group=40 is no multiple of tile_k=32"},
    {"gemm:scale_b=group,group_n=24,tile_n=64", "group_n=24 neither divides tile_n=64"},
    {"gemm:ldc=3,n=8", "elements of c would lie in the same place"},
    {"gemm:batch=2,batch_c=0", "elements of c would lie in the same place"},
    {"gemm:m=1099511627776,k=1099511627776", "a would reach over 2^60 elements or more"},
    {"gemm:m=1,n=1,k=1,batch=1099511627776,batch_a=0,batch_b=0", "tile blocks; at most 2^31 - 1"},
    {"gemm:epilogue=blas", "epilogue stage 'blas' is none of bias, residual"},
    {"gemm:epilogue=bias:q",
     "epilogue stage 'bias:q' takes m, n, mn or tensor, and an element type"},
    {"gemm:epilogue=quantise:n", "epilogue stage 'quantise:n' needs a type, as in quantise:n:i8"},
    {"gemm:epilogue=cast", "epilogue stage 'cast' needs a type, as in cast:bf16"},
    {"gemm:epilogue=cast:bf16+relu",
     "epilogue stage 'relu' follows one that gives the result its type"},
    {"gemm:epilogue=clamp:1", "epilogue stage 'clamp:1' needs more numbers, as in clamp:0:6"},
    {"gemm:epilogue=elu:x", "epilogue stage 'elu:x' takes 1 number: x, or y (e^x - 1) where x < 0"},
    {"gemm:epilogue=relu+relu+relu+relu+relu+relu+relu+relu+relu+relu+relu+relu+relu",
     "epilogue stage 'relu' is one too many: 12 are possible"},
    {"elementwise:expression=a+", "expected a tensor, a number, a function or '(' at character 3"},
    {"elementwise:expression=(a", "expected ')' at character 3"},
    {"elementwise:expression=a b", "expected an operator or the end at character 3"},
    {"elementwise:expression=z", "expected a tensor from a to h, or a function at character 2"},
    {"elementwise:expression=foo(a)", "expected a function that tessera op explain lists"},
    {"elementwise:expression=relu(a,a)", "expected fewer arguments at character 8"},
    {"elementwise:expression=where(a)", "expected more arguments at character 9"},
    {"elementwise:expression=relu(a;", "expected ',' or ')' at character 7"},
    {"elementwise:expression=.", "expected a number at character 1"},
    {"elementwise:type=f64,expression=erf(a)", "erf and gelu are computed to 3e-7, not in f64"},
    {"elementwise:type=i4",
     "a holds i4: elementwise takes floats, and integers of 8 bits and more"},
    {"elementwise:types=f16+x",
     "types=f16+x: give an element type for each tensor, with + between"},
    {"elementwise:types=f16+f16+f16",
     "types=f16+f16+f16 has more types than the expression has tensors"},
    {"elementwise:tile_rows=256,tile_columns=1024",
     "tiles of 256 x 1024 are too large: at most 65536"},
    {"elementwise:shape=4x", "shape=4x: give one to 8 sizes from 0 to 2^40, as in 4x128x64"},
    {"elementwise:shape=1x2x3x4x5x6x7x8x9", "give one to 8 sizes"},
    {"elementwise:shape=4x4,strides=q:1x1", "strides=q:1x1: name a tensor, as in x:64x1"},
    {"elementwise:shape=4x4,strides=a:1", "strides=a:1: a has 2 dimensions; give as many strides"},
    {"elementwise:shape=4x4,strides=y:0x1", "elements of y would lie in the same place"},
    {"elementwise:shape=1099511627776x4096,strides=a:0x1+b:0x1,tile_rows=1,tile_columns=1",
     "makes more than 2^31 - 1 tile blocks along an axis; give larger tiles"},
    {"softmax:type=i4", "type=i4, type_y=i4: softmax takes elements of 8 bits and more"},
    {"softmax:shape=4,dims=1", "dims=1: give dimensions from 0 to 0 with + between, last, or all"},
    {"softmax:shape=4x70,whole=1,tile_columns=64",
     "whole=1: lines have 70 elements in 1 dimensions, but a tile has 64 columns; give whole=0"},
    {"softmax:shape=4x70,tile_rows=1024,tile_columns=1024", "tiles of 1024 x 1024 are too large"},
    {"softmax:shape=1099511627776x1,tile_rows=1,tile_columns=1",
     "makes more than 2^31 - 1 tiles along an axis; give larger ones"},
    {"reduce:operations=sum+sum", "operations=sum+sum: give some of sum product max min mean"},
    {"reduce:type=u32", "type=u32: reduce takes i32 and i64, not unsigned ones"},
    {"reduce:type=i4", "type=i4, type_y=i32: reduce takes elements of 8 bits and more"},
    {"norm:type_w=i4", "type_w=i4: norm takes elements of 8 bits and more"},
    {"norm:quantise=row,type_y=f16",
     "type_y=f16: quantised results hold i8, u8 or floats of 8 bits"},
    {"norm:epilogue=quantise:row:i8", "epilogue=quantise:row:i8: rows are quantised by quantise="},
    {"norm:type_y=f16,epilogue=cast:bf16", "type_y=f16, but epilogue=cast:bf16 makes y bf16"},
    {"norm:type=f64,epilogue=gelu", "epilogue=gelu: gelu is computed to 3e-7, not in f64"},
    {"norm:shape=2x2x2x2x2x2x2x2,dims=1+3+5+7,epilogue=residual+residual+residual+residual+residual"
     "+residual",
     "epilogue=residual+residual+residual+residual+residual+residual: 9 tensors of 8 dimensions "
     "that cannot be merged"},
    {"norm:kind=rms,bias=yes", "bias=yes: RMS normalisation has none; give bias=no or kind=layer"},
};

static void wrong_problems_are_refused(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "cpu");
  for (size_t i = 0; i < ARRAY_LEN(wrong_problems); i++)
    ops_refused(&s, wrong_problems[i].text, wrong_problems[i].message);
  assert_null(tsr_op_plan_get(s.library, NULL));
  expect_error(&w, "tsr_op_plan_get: the problem is NULL");
  tsr_op_problem empty = {0};
  assert_null(tsr_op_plan_get(s.library, &empty));
  expect_error(&w, "a problem needs its struct_size and its text");
  tsr_op_setting nameless = TSR_OP_INT(NULL, 1);
  tsr_op_problem p = {sizeof p, "gemm", &nameless, 1};
  assert_null(tsr_op_plan_get(s.library, &p));
  expect_error(&w, "a setting has no name");
  ops_close(&s);
  world_close(&w);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const named[] = {
    "gemm:m=5,n=7,k=9,batch=3,alpha=2,beta=1,inca=2,a=column,epilogue=bias:n+elu:0.5+residual",
    "gemm:type=f8E4M3FN,m=100,n=200,k=300,split_k=2,scale_b=group,warps=4,schedule=interwave",
    "gemm:m=70000,lda=3000000000,n=1,k=1",
    "elementwise:expression=where(a<b,max(a,1),b),shape=4x5x6,strides=a:1x4x20",
    "softmax:shape=100x50,dims=0,alpha=2",
    "norm:shape=100x50,strides=x:1x100,bias=yes,quantise=row",
    "reduce:shape=3x4x5,dims=0+2,operations=sum+max",
    "gemm:m=50,n=70,k=270,type=f8E4M3FN,scale_a=group,scale_b=group,group=32,scale_order=shuffled,"
    "b=shuffled,blocks=3,share=ordered",
    "attention:cache=paged,page=24,seq=5,keys=40,append=yes,new=3,rotary=16,causal=yes",
    "append:cache=paged,page=24,new=3,keys=40,rotary=16,queries=yes",
    "shuffle:n=40,k=70,kind=scales",
    "gemm_norm:m=20,n=40,k=70,epilogue=bias+relu,save=yes",
    "gemm_gemm:m=20,n=40,k=70,o=30,batch=3,between=relu,alpha=2",
    "gemm_gemm:m=20,n=40,k=70,o=30,fused=0",
    "gemm_gemm:m=20,n=40,k=70,o=30,softmax=causal,type=bf16",
    "gemm_norm:m=20,n=40,k=70,fused=1,quantise=row",
    "custom:m=9,n=9,k=40,type=f16,tile_m=8,tile_n=8,tile_k=32",
    "reduce:shape=5x30,operations=sum+argmax,alpha=2,beta=0.5",
};

/* An instance's name, given as a problem, means the same instance, whose kernels are the same. */
static void names_parse_back(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  for (size_t i = 0; i < ARRAY_LEN(named); i++) {
    tsr_op_problem p = {.struct_size = sizeof p, .text = named[i]};
    tsr_op_plan *plan = tsr_op_plan_get(s.library, &p);
    if (!plan) fail_msg("%s: %s", named[i], w.messages);
    uint32_t codes = s.library->codes.len;
    tsr_op_problem again = {.struct_size = sizeof again, .text = tsr_op_plan_instance(plan)};
    tsr_op_plan *other = tsr_op_plan_get(s.library, &again);
    if (!other) fail_msg("%s: %s", again.text, w.messages);
    assert_string_equal(tsr_op_plan_instance(other), tsr_op_plan_instance(plan));
    assert_int_equal(s.library->codes.len, codes);
    again.text = tsr_op_plan_problem(plan);
    other = tsr_op_plan_get(s.library, &again);
    assert_string_equal(tsr_op_plan_problem(other), tsr_op_plan_problem(plan));
  }
  ops_close(&s);
  world_close(&w);
}

static void plans_are_made_once(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  tsr_op_setting sizes[] = {TSR_OP_INT("m", 20), TSR_OP_INT("n", 30), TSR_OP_WORD("type", "f16"),
                            TSR_OP_NUMBER("alpha", 2.5)};
  tsr_op_problem p = {sizeof p, "gemm:tile_m=16,tile_n=16,tile_k=16", sizes, 4};
  tsr_op_plan *plan = tsr_op_plan_get(s.library, &p);
  assert_non_null(plan);
  assert_ptr_equal(tsr_op_plan_get(s.library, &p), plan);
  sizes[0].integer = 21;
  assert_ptr_not_equal(tsr_op_plan_get(s.library, &p), plan);
  assert_int_equal(s.library->codes.len, 1);
  assert_true(tsr_op_plan_flops(plan) == 2.0 * 20 * 30 * 1024);
  assert_true(tsr_op_plan_bytes(plan) == 2.0 * (20 * 1024 + 1024 * 30 + 20 * 30));
  ops_close(&s);
  world_close(&w);
}

/* ---- wrong arguments ------------------------------------------------------------------------- */

typedef struct launch_scene {
  world w;
  ops_scene s;
  tsr_op_plan *plan;
  tsr_buffer *a, *b, *c, *workspace;
  tsr_op_argument args[5];
} launch_scene;

static void launch_open(launch_scene *l) {
  tsr_op_problem p = {.struct_size = sizeof p, .text = "gemm:m=8,n=8,k=8,split_k=2"};
  world_open(&l->w);
  ops_open(&l->s, &l->w, "interp");
  l->plan = tsr_op_plan_get(l->s.library, &p);
  l->a = tsr_buffer_create(l->s.device, 256);
  l->b = tsr_buffer_create(l->s.device, 256);
  l->c = tsr_buffer_create(l->s.device, 256);
  l->workspace = tsr_buffer_create(l->s.device, tsr_op_plan_workspace(l->plan));
  memset(tsr_buffer_data(l->c), 0x5a, 256);
}

static void launch_close(launch_scene *l) {
  tsr_buffer_destroy(l->a);
  tsr_buffer_destroy(l->b);
  tsr_buffer_destroy(l->c);
  tsr_buffer_destroy(l->workspace);
  ops_close(&l->s);
  world_close(&l->w);
}

static void right_arguments(launch_scene *l) {
  l->args[0] = (tsr_op_argument){"a", tsr_arg_buffer(l->a)};
  l->args[1] = (tsr_op_argument){"b", tsr_arg_buffer(l->b)};
  l->args[2] = (tsr_op_argument){"c", tsr_arg_buffer(l->c)};
  l->args[3] = (tsr_op_argument){"workspace", tsr_arg_buffer(l->workspace)};
}

static void expect_refused(launch_scene *l, size_t count, const char *message) {
  assert_int_equal(tsr_op_launch(l->plan, NULL, l->args, count), TSR_ERROR_USAGE);
  expect_error(&l->w, message);
  const uint8_t *c = tsr_buffer_data(l->c);
  for (int i = 0; i < 256; i++) assert_int_equal(c[i], 0x5a);
  right_arguments(l);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  launch_scene l;
  launch_open(&l);
  right_arguments(&l);
  tsr_buffer *small = tsr_buffer_create(l.s.device, 16);
  uint8_t *inside = tsr_buffer_data(l.a);
  expect_refused(&l, 2, "'c' is not given; gemm needs a, b, c, workspace");
  l.args[0].name = "A";
  expect_refused(&l, 4, "there is no tensor 'A'; gemm has a, b, c, workspace");
  l.args[0].name = NULL;
  expect_refused(&l, 4, "there is no tensor ''");
  l.args[0].name = "b";
  expect_refused(&l, 4, "'b' is given twice");
  l.args[0].arg = tsr_arg_i32(1);
  expect_refused(&l, 4, "'a' takes a buffer or an address, not a number");
  l.args[0].arg = tsr_arg_buffer(small);
  expect_refused(&l, 4, "the buffer of 'a' has 16 bytes; it needs 256");
  l.args[3].arg = tsr_arg_buffer(small);
  expect_refused(&l, 4, "the buffer of 'workspace' has 16 bytes; it needs 512");
  l.args[0].arg = tsr_arg_address(NULL);
  expect_refused(&l, 4, "the address of 'a' is NULL; it needs 256 bytes");
  l.args[0].arg = tsr_arg_buffer(NULL);
  expect_refused(&l, 4, "the buffer of 'a' is NULL; it needs 256 bytes");
  l.args[0].arg = tsr_arg_address(inside + 2);
  expect_refused(&l, 4, "not at a multiple of 4 bytes");
  l.args[2].arg = tsr_arg_address(inside + 252);
  expect_refused(&l, 4, "'a' and 'c' overlap, and one of them is written");
  l.args[0].arg = l.args[3].arg;
  expect_refused(&l, 4, "'a' and 'workspace' overlap");
  assert_int_equal(tsr_op_launch(l.plan, NULL, NULL, 4), TSR_ERROR_USAGE);
  expect_error(&l.w, "the arguments are NULL");
  l.args[1].arg = tsr_arg_buffer(l.a);
  assert_int_equal(tsr_op_launch(l.plan, NULL, l.args, 4), TSR_OK); /* what is read may overlap */
  tsr_buffer_destroy(small);
  launch_close(&l);
}

static void buffers_of_other_devices_are_refused(void **state) {
  (void)state;
  launch_scene l;
  launch_open(&l);
  right_arguments(&l);
  tsr_device *other = tsr_device_open(l.w.ctx, "interp", NULL);
  tsr_buffer *foreign = tsr_buffer_create(other, 256);
  l.args[0].arg = tsr_arg_buffer(foreign);
  expect_refused(&l, 4, "the buffer of 'a' belongs to another device than the plan");
  tsr_buffer_destroy(foreign);
  tsr_device_close(other);
  tsr_op_argument none[] = {{"a", tsr_arg_buffer(l.a)}};
  assert_int_equal(tsr_op_reference(l.plan, none, 1), TSR_ERROR_USAGE);
  expect_error(&l.w, "the reference needs the address of 'a' on the host");
  launch_close(&l);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *use_library(void *user) {
  ops_scene *s = user;
  static const char *const texts[] = {"gemm:m=9,n=9,k=9", "softmax:shape=3x9", "gemm:m=5,n=5,k=5"};
  for (int i = 0; i < 12; i++) {
    tsr_op_problem p = {.struct_size = sizeof p, .text = texts[i % 3]};
    tsr_op_plan *plan = tsr_op_plan_get(s->library, &p);
    float a[81] = {0}, b[81] = {0}, c[81];
    tsr_op_argument gemm[] = {
        {"a", tsr_arg_address(a)}, {"b", tsr_arg_address(b)}, {"c", tsr_arg_address(c)}};
    tsr_op_argument softmax[] = {{"x", tsr_arg_address(a)}, {"y", tsr_arg_address(c)}};
    bool is_gemm = i % 3 != 1;
    if (!plan || tsr_op_launch(plan, NULL, is_gemm ? gemm : softmax, is_gemm ? 3 : 2) != TSR_OK)
      return s;
  }
  return NULL;
}

static void threads_share_a_library(void **state) {
  (void)state;
  world w;
  ops_scene s;
  pthread_t threads[4];
  world_open(&w);
  ops_open(&s, &w, "cpu");
  for (size_t i = 0; i < ARRAY_LEN(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, use_library, &s), 0);
  for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  ops_close(&s);
  world_close(&w);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Whichever allocation fails, nothing is lost, and the next try works. */
static void run_out_of_memory(const char *problem) {
  world w;
  long last = 0;
  for (long fail_at = 1; !last; fail_at += fail_at < 40 ? 1 : 7) {
    tsr_op_problem p = {.struct_size = sizeof p, .text = problem};
    world_open_failing(&w, fail_at);
    if (!w.ctx) continue;
    tsr_device *dev = tsr_device_open(w.ctx, "interp", NULL);
    tsr_op_library *ops = dev ? tsr_op_library_create(dev, NULL) : NULL;
    tsr_op_plan *plan = ops ? tsr_op_plan_get(ops, &p) : NULL;
    if (ops && !plan) assert_non_null(tsr_op_plan_get(ops, &p));
    if (plan && w.allocations < fail_at) last = fail_at;
    tsr_op_library_destroy(ops);
    tsr_device_close(dev);
    world_close(&w);
  }
}

static void memory_may_run_out(void **state) {
  (void)state;
  static const char *const texts[] = {"gemm:m=3,n=3,k=3,epilogue=bias+relu",
                                      "gemm_gemm:m=3,n=3,k=3,o=3,softmax=row,between=residual",
                                      "gemm_norm:m=3,n=3,k=3,fused=1,epilogue=bias",
                                      "custom:m=3,n=3,k=3,tile_m=4,tile_n=4,tile_k=4"};
  for (size_t i = 0; i < ARRAY_LEN(texts); i++) run_out_of_memory(texts[i]);
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct tune_scene {
  unsigned timed, refused;
  bool wrong;
} tune_scene;

static bool count_measurement(void *user, const tsr_op_measurement *m) {
  tune_scene *t = user;
  if (m->refused)
    t->refused++;
  else
    t->timed++;
  return t->timed + t->refused < 6;
}

static const char *judge(void *user) {
  tune_scene *t = user;
  return t->wrong ? "it is wrong" : NULL;
}

static void the_fastest_is_recalled(void **state) {
  (void)state;
  launch_scene l;
  tune_scene t = {0};
  char path[] = "/tmp/tessera-ops-XXXXXX";
  close(mkstemp(path));
  unlink(path);
  launch_open(&l);
  tsr_tuning_store *store = tsr_tuning_store_open(l.w.ctx, path);
  tsr_op_library_options options = {sizeof options, store};
  tsr_op_library *ops = tsr_op_library_create(l.s.device, &options);
  tsr_op_problem p = {.struct_size = sizeof p, .text = "gemm:m=8,n=8,k=8"};
  tsr_op_tune_options how = {sizeof how, 1, judge, count_measurement, &t};
  right_arguments(&l);
  assert_int_equal(tsr_op_tune(ops, &p, l.args, 3, &how), TSR_OK);
  assert_true(t.timed > 0);
  if (tsr_tuning_store_path(store)) {
    tsr_tuning_record best = {.kernel = "gemm", .program = NULL, .parameters = NULL};
    size_t removed;
    assert_int_equal(tsr_tuning_store_clear(store, &best, &removed), TSR_OK);
    assert_true(removed > 0);
  }
  t = (tune_scene){.wrong = true};
  assert_int_equal(tsr_op_tune(ops, &p, l.args, 3, &how), TSR_OK);
  assert_int_equal(t.timed, 0);
  assert_int_equal(tsr_op_tune(ops, NULL, l.args, 3, &how), TSR_ERROR_USAGE);
  expect_error(&l.w, "tsr_op_tune: the problem or the arguments are NULL");
  tsr_op_library_destroy(ops);
  tsr_tuning_store_close(store);
  unlink(path);
  launch_close(&l);
}

/* Instances of a small problem, of which the work is counted before they are launched. */
static void tuning_may_run_out_of_memory(void **state) {
  (void)state;
  float x[9] = {0}, y[9];
  tsr_op_argument args[] = {
      {"a", tsr_arg_address(x)}, {"b", tsr_arg_address(x)}, {"c", tsr_arg_address(y)}};
  bool all = false;
  for (long fail_at = 60; !all; fail_at += 40) {
    world w;
    tune_scene t = {0};
    tsr_op_problem p = {.struct_size = sizeof p, .text = "gemm:m=3,n=3,k=3"};
    tsr_op_tune_options how = {sizeof how, 0.01, NULL, count_measurement, &t};
    world_open_failing(&w, fail_at);
    if (!w.ctx) continue;
    tsr_device *dev = tsr_device_open(w.ctx, "interp", NULL);
    tsr_op_library *ops = dev ? tsr_op_library_create(dev, NULL) : NULL;
    if (ops) tsr_op_tune(ops, &p, args, 3, &how);
    all = ops && w.allocations < fail_at;
    tsr_op_library_destroy(ops);
    tsr_device_close(dev);
    world_close(&w);
  }
}

/* A record of the store decides, when it can be used. */
static void records_decide(void **state) {
  (void)state;
  world w;
  ops_scene s;
  tune_scene t = {0};
  char path[] = "/tmp/tessera-ops-XXXXXX";
  close(mkstemp(path));
  unlink(path);
  world_open(&w);
  ops_open(&s, &w, "interp");
  tsr_tuning_store *store = tsr_tuning_store_open(w.ctx, path);
  tsr_op_library_options options = {sizeof options, store};
  tsr_op_library *ops = tsr_op_library_create(s.device, &options);
  tsr_op_problem odd = {.struct_size = sizeof odd,
                        .text = "softmax:shape=6x6,tile_rows=2,tile_columns=8,whole=0"};
  tsr_op_problem open = {.struct_size = sizeof open, .text = "softmax:shape=6x6"};
  float x[36] = {0}, y[36];
  tsr_op_argument args[] = {{"x", tsr_arg_address(x)}, {"y", tsr_arg_address(y)}};
  tsr_op_tune_options how = {sizeof how, 1, NULL, count_measurement, &t};
  assert_int_equal(tsr_op_tune(ops, &odd, args, 2, &how), TSR_OK);
  tsr_op_plan *plan = tsr_op_plan_get(ops, &open);
  assert_non_null(plan);
  if (tsr_tuning_store_path(store))
    assert_non_null(strstr(tsr_op_plan_instance(plan), "tile_rows=2,tile_columns=8,whole=0"));
  tsr_op_library_destroy(ops);
  tsr_tuning_store_close(store);
  unlink(path);
  ops_close(&s);
  world_close(&w);
}

/* Without a store the library itself remembers, and says how sure it is. */
static void tuned_without_a_store(void **state) {
  (void)state;
  world w;
  ops_scene s;
  tune_scene t = {0};
  world_open(&w);
  ops_open(&s, &w, "interp");
  tsr_op_library *ops = tsr_op_library_create(s.device, NULL);
  tsr_op_problem odd = {.struct_size = sizeof odd,
                        .text = "softmax:shape=6x6,tile_rows=2,tile_columns=8,whole=0"};
  tsr_op_problem open = {.struct_size = sizeof open, .text = "softmax:shape=6x6"};
  tsr_op_problem other = {.struct_size = sizeof other, .text = "softmax:shape=6x7"};
  float x[42] = {0}, y[42];
  tsr_op_argument args[] = {{"x", tsr_arg_address(x)}, {"y", tsr_arg_address(y)}};
  tsr_op_tuning found;
  tsr_op_tune_options how = {sizeof how, 0.2, NULL, count_measurement, &t, &found};
  assert_int_equal(tsr_op_tune(ops, &odd, args, 2, &how), TSR_OK);
  assert_int_equal(found.measured, 1);
  assert_int_equal(found.in_doubt, 0);
  const char *chosen = "tile_rows=2,tile_columns=8,whole=0";
  assert_non_null(strstr(tsr_op_plan_instance(tsr_op_plan_get(ops, &open)), chosen));
  assert_null(strstr(tsr_op_plan_instance(tsr_op_plan_get(ops, &other)), chosen));
  t = (tune_scene){0};
  assert_int_equal(tsr_op_tune(ops, &open, args, 2, &how), TSR_OK);
  assert_int_equal(found.measured, t.timed);
  assert_true(found.in_doubt != 1 && found.in_doubt <= found.measured && found.noise >= 0);
  tsr_op_library_destroy(ops);
  ops_close(&s);
  world_close(&w);
}

/* ---- modules and tables ---------------------------------------------------------------------- */

static void hints_reach_the_kernel(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_op_problem p = {.struct_size = sizeof p, .text = "gemm:warps=8,schedule=interwave,cluster=2"};
  tsr_module *m = tsr_op_build(w.ctx, &p);
  assert_non_null(m);
  char *text = tsr_module_print(m, NULL);
  assert_non_null(strstr(text, "num_worker_warps_per_cta = 8"));
  assert_non_null(strstr(text, "ping_pong = true"));
  tsr_string_free(w.ctx, text);
  tsr_module_destroy(m);
  assert_null(tsr_op_build(w.ctx, NULL));
  expect_error(&w, "tsr_op_build: the problem is NULL");
  world_close(&w);
}

static void tables_are_whole(void **state) {
  (void)state;
  for (size_t f = 0; f < tsr_op_family_count(); f++) {
    const char *family = tsr_op_family_name(f);
    assert_non_null(tsr_op_family_about(family));
    assert_true(tsr_op_parameter_count(family) > 5);
    for (size_t i = 0; i < tsr_op_parameter_count(family); i++) {
      tsr_op_parameter p = {.struct_size = sizeof p};
      assert_int_equal(tsr_op_parameter_get(family, i, &p), TSR_OK);
      assert_true(p.name && p.about && p.default_value);
    }
  }
  assert_null(tsr_op_family_name(tsr_op_family_count()));
  assert_null(tsr_op_family_about("none"));
}

static bool count_instances(void *user, const tsr_op_candidate *c) {
  unsigned *n = user;
  n[c->refused != NULL]++;
  return true;
}

static void instances_say_why_not(void **state) {
  (void)state;
  world w;
  ops_scene s;
  unsigned n[2] = {0};
  world_open(&w);
  ops_open(&s, &w, "cpu");
  tsr_op_problem p = {.struct_size = sizeof p, .text = "gemm:scale_b=group,group=16"};
  assert_int_equal(tsr_op_instances(s.library, &p, count_instances, n), TSR_OK);
  assert_true(n[0] > 0 && n[1] > 0);
  assert_int_equal(tsr_op_instances(s.library, &p, NULL, n), TSR_ERROR_USAGE);
  expect_error(&w, "tsr_op_instances: the problem or the function is NULL");
  ops_close(&s);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_problems_are_refused),
      cmocka_unit_test(names_parse_back),
      cmocka_unit_test(plans_are_made_once),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(buffers_of_other_devices_are_refused),
      cmocka_unit_test(threads_share_a_library),
      cmocka_unit_test(memory_may_run_out),
      cmocka_unit_test(tuning_may_run_out_of_memory),
      cmocka_unit_test(the_fastest_is_recalled),
      cmocka_unit_test(records_decide),
      cmocka_unit_test(tuned_without_a_store),
      cmocka_unit_test(hints_reach_the_kernel),
      cmocka_unit_test(tables_are_whole),
      cmocka_unit_test(instances_say_why_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
