/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The family gemm against its reference.
 */
#include <math.h>

#include "ops_run.h"

static const char *const examples[] = {
    "gemm:m=5,n=7,k=9",
    "gemm:m=64,n=64,k=64,type=bf16",
    "gemm:m=33,n=65,k=17,a=column",
    "gemm:m=33,n=65,k=17,b=column",
    "gemm:m=33,n=65,k=17,c=column",
    "gemm:m=33,n=65,k=17,a=column,b=column,c=column",
    "gemm:m=20,n=30,k=40,batch=3,alpha=2,beta=-0.5",
    "gemm:m=20,n=30,k=40,inca=2,incb=3,incc=2",
    "gemm:m=20,n=30,k=200,split_k=4",
    "gemm:m=20,n=30,k=200,split_k=3,batch=2,epilogue=bias:n+gelu+residual",
    "gemm:type=i8,m=20,n=30,k=40",
    "gemm:type=u8,type_b=i8,m=20,n=30,k=40,type_c=i8",
    "gemm:type=f64,m=20,n=30,k=40",
    "gemm:type=tf32,m=20,n=30,k=40",
    "gemm:type=f32,compute=tf32,m=20,n=30,k=40",
    "gemm:type=f16,accumulate=f16,m=20,n=30,k=40",
    "gemm:type=f8E4M3FN,m=20,n=30,k=40,epilogue=scale:tensor+cast:bf16",
    "gemm:type_a=f8E4M3FN,type_b=f8E5M2,m=20,n=30,k=40",
    "gemm:type=f8E4M3FNUZ,type_b=f8E5M2FNUZ,m=20,n=30,k=40",
    "gemm:type=bf16,type_b=i4,m=20,n=32,k=40,scale_b=column",
    "gemm:type=bf16,type_b=i4,m=20,n=32,k=40,scale_b=group,group=32",
    "gemm:type=bf16,type_b=f4E2M1FN,m=20,n=32,k=40,scale_b=group,group=16",
    "gemm:type=f16,type_b=f6E2M3FN,m=20,n=32,k=40,scale_b=column",
    "gemm:type=f8E4M3FN,m=70,n=130,k=200,scale_a=group,scale_b=group,group_n=128",
    "gemm:type=i8,m=20,n=30,k=40,scale_a=row,scale_b=column,epilogue=bias:n:f32+cast:f16",
    "gemm:type=bf16,m=20,n=30,k=40,epilogue=relu+quantise:n:i8",
    "gemm:m=0,n=7,k=9",
    "gemm:m=5,n=7,k=0,epilogue=bias:n",
    "gemm:m=5,n=7,k=0,beta=2",
    "gemm:m=1,n=300,k=50,type=bf16",
    "gemm:rows=grouped,batch=5,m=30,n=20,k=40",
    "gemm:rows=grouped,batch=3,m=50,n=20,k=40,a=column,c=column,b=column,type=bf16",
    "gemm:rows=grouped,batch=3,m=50,total_m=170,n=20,k=90,split_k=3,beta=0.5,epilogue=bias:m+gelu",
    "gemm:rows=grouped,batch=4,m=50,n=20,k=160,type=f8E4M3FN,scale_a=group,scale_b=column,group=32",
    "gemm:rows=grouped,batch=2,m=50,n=20,k=60,type=i8,scale_a=row,epilogue=quantise:n:i8",
    "gemm:rows=grouped,batch=0,m=50,n=20,k=60",
    "gemm:gate=silu,m=30,n=20,k=40,type=bf16",
    "gemm:gate=gelu,m=30,n=21,k=40,b=column,batch=2,epilogue=bias:n+scale,scale_a=row",
    "gemm:gate=swish,m=30,n=21,k=40,incb=2,alpha=2,beta=1",
    "gemm:gate=relu,rows=grouped,batch=3,m=30,n=21,k=40,type=i8,type_c=f32",
    "gemm:m=1,n=37,k=100,b=column,tile_m=1,tile_n=8,tile_k=32",
    "gemm:m=1,n=37,k=1000,b=column,tile_m=1,tile_n=8,tile_k=256,epilogue=bias",
    "gemm:m=3,n=21,k=700,b=column,tile_m=2,tile_n=4,tile_k=64,type=f16,split_k=2",
    "gemm:m=7,n=37,k=100,b=column,tile_m=4,tile_n=4,tile_k=16,type=bf16,epilogue=bias:m",
    "gemm:m=7,n=37,k=100,b=column,tile_m=8,tile_n=4,tile_k=16,split_k=2,type=f8E4M3FN,batch=2",
    "gemm:m=20,n=30,k=40,epilogue=bias+quantise:row:i8",
    "gemm:m=20,n=300,k=40,type=bf16,batch=2,epilogue=smooth:f32+quantise:row:f8,c=column",
    "gemm:m=20,n=30,k=200,split_k=3,epilogue=gelu+quantise:row:u8,ldc=40",
    "gemm:rows=grouped,batch=3,m=20,n=70,k=40,type=f16,epilogue=quantise:row:f8E5M2,tile_n=16",
    "gemm:type=i8,m=20,n=30,k=0,epilogue=quantise:row:i8",
    "gemm:combine_a=a*b,m=20,n=30,k=41",
    "gemm:combine_a=a+b,types=i8,type=bf16,m=20,n=30,k=41,strides=a2:0x1",
    "gemm:combine_b=(a+1)*b*c,m=20,n=30,k=41,strides=b2:1x0+b3:0x1,b=column",
    "gemm:combine_a=exp(a)+b,combine_b=a-b,combine=a*b+c,batch=2,m=20,n=30,k=41,split_k=2",
    "gemm:combine=relu(a+b),types=f32,type=f16,c=column,m=20,n=30,k=41,epilogue=bias",
    "gemm:combine=a*b,type=i8,type_c=f32,m=20,n=30,k=41,strides=d:1x32,tile_k=16",
};

static void examples_are_right(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu"};
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    world w;
    ops_scene s;
    world_open(&w);
    ops_open(&s, &w, devices[d]);
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) ops_run(&s, examples[i]);
    ops_close(&s);
    world_close(&w);
  }
}

/* Few rows, of which a warp holds all and more than a cache line of each. */
static void few_rows_are_right(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "emu:sm_80");
  ops_run(&s, "gemm:m=2,n=2,k=64,tile_m=2,tile_n=2,tile_k=64");
  ops_run(&s, "gemm:m=1,n=4,k=128,tile_m=1,tile_n=4,tile_k=128");
  ops_close(&s);
  world_close(&w);
}

/* Weights of a few bits, with a sign and without, are widened two at a time on GPUs. */
static void small_integers_are_right(void **state) {
  (void)state;
  static const char *const devices[] = {"cpu", "emu:sm_80", "emu:sm_90a"};
  static const char *const problems[] = {
      "gemm:type=f16,type_b=i4,m=20,n=32,k=48,scale_b=column",
      "gemm:type=f16,type_b=i6,m=20,n=32,k=64,scale_b=group,group=32,b=column",
      "gemm:type=f16,type_b=i3,m=20,n=32,k=48",
      "gemm:type=f16,type_b=u2,m=17,n=24,k=40",
      "gemm:type=bf16,type_a=i5,m=24,n=32,k=48,a=column",
      "gemm:type=f16,type_b=i7,m=20,n=32,k=48,b=column",
      "gemm:type=i2,m=9,n=24,k=40",
  };
  for (size_t d = 0; d < ARRAY_LEN(devices); d++)
    ops_run_examples(devices[d], problems, ARRAY_LEN(problems));
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const types[] = {
    "type=f32",
    "type=bf16",
    "type=f16",
    "type=f64",
    "type=tf32",
    "type=f8E4M3FN",
    "type=f8E5M2",
    "type=f8E4M3FNUZ",
    "type=f8E5M2FNUZ",
    "type=i8",
    "type=u8",
    "type=i8,type_b=u8",
    "type=f16,type_b=bf16",
    "type=f16,type_b=i8",
    "type=f8E4M3FN,type_b=f8E5M2",
    "type=f32,compute=tf32",
    "type=f32,compute=bf16",
    "type=f16,accumulate=f16",
    "type=f6E2M3FN",
    "type=f6E3M2FN",
    "type=bf16,type_b=f6E3M2FN",
    "type=i8,type_c=f16",
    "type=bf16,type_c=f32",
};
static const char *const packed_types[] = {
    "type=i4",           "type=bf16,type_b=i4", "type=f16,type_b=u4",
    "type=i8,type_b=i4", "type=f4E2M1FN",       "type=bf16,type_b=f4E2M1FN"};
static const char *const epilogues[] = {"none",
                                        "bias",
                                        "bias:m+relu",
                                        "residual+gelu_tanh",
                                        "scale:tensor+bias:n:f32",
                                        "multiply",
                                        "silu+scale:m",
                                        "clamp:-1:0.5",
                                        "bias+bias:m+residual+residual",
                                        "tanh",
                                        "hardswish",
                                        "leaky_relu",
                                        "scale:n+cast:bf16",
                                        "scale+quantise:n:i8",
                                        "sigmoid",
                                        "elu:0.5",
                                        "multiply:n",
                                        "quantise:f8E4M3FN",
                                        "relu+quantise:row:i8",
                                        "smooth+quantise:row:f8",
                                        "cast:f32"};
static const char *const scales[] = {"scale_a=tensor,scale_b=tensor",
                                     "scale_a=row,scale_b=column",
                                     "scale_b=group,group=32",
                                     "scale_a=group,group=64",
                                     "scale_a=group,scale_b=group,group=16,group_n=16",
                                     "scale_b=group,group=48,group_n=128"};
static const int sizes[] = {1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 37, 61, 64, 67, 97, 128, 131};
static const int small_sizes[] = {0, 1, 1, 2, 3, 5, 7, 8, 13, 16, 17, 19};

static void put_layouts(problem_text *g) {
  for (const char *m = "abc"; *m; m++)
    if (ops_pick(g, 2)) ops_put(g, ",%c=column", *m);
}

static int put_size(problem_text *g, const char *name, bool small) {
  int v = small || ops_pick(g, 3) == 0 ? OPS_PICK(g, small_sizes) : OPS_PICK(g, sizes);
  ops_put(g, ",%s=%d", name, v);
  return v;
}

/* Strides with gaps; some elements a distance apart. */
static void put_strides(problem_text *g) {
  static const char *const names[] = {"lda", "ldb", "ldc", "ldd"};
  for (size_t i = 0; i < ARRAY_LEN(names); i++)
    if (ops_pick(g, 3) == 0) ops_put(g, ",%s=%u", names[i], 600 + ops_pick(g, 7));
  for (const char *m = "abc"; *m; m++)
    if (ops_pick(g, 6) == 0) ops_put(g, ",inc%c=%u", *m, 2 + ops_pick(g, 2));
}

/* Tiles of `least` rows and columns at least. */
static void put_tiles(problem_text *g, bool groups, int least) {
  static const int tiles[] = {1, 2, 4, 8, 16, 32, 64}, depths[] = {16, 16, 32, 64};
  if (ops_pick(g, 3) == 0) return;
  int m = OPS_PICK(g, tiles), n = OPS_PICK(g, tiles);
  ops_put(g, ",tile_m=%d,tile_n=%d", MAX(m, least), MAX(n, least));
  if (!groups) ops_put(g, ",tile_k=%d", OPS_PICK(g, depths));
  ops_put(g, ",split_k=%u", 1 + ops_pick(g, 3));
}

/* Operands of several tensors. */
static void put_combined(problem_text *g) {
  static const char *const texts[] = {"a*b", "a+b*c", "a-b", "max(a,b)"};
  if (strstr(g->text, "grouped") || strstr(g->text, "i8") || strstr(g->text, "u8") ||
      strstr(g->text, "i4") || strstr(g->text, "u4"))
    return;
  if (strstr(g->text, "f4E")) return;
  if (ops_pick(g, 2)) ops_put(g, ",combine_a=%s", OPS_PICK(g, texts));
  if (ops_pick(g, 2)) ops_put(g, ",combine_b=%s", OPS_PICK(g, texts));
  if (ops_pick(g, 2)) ops_put(g, ",combine=%s", OPS_PICK(g, texts));
}

static void random_problem(problem_text *g, bool is_small) {
  bool packed = ops_pick(g, 6) == 0, groups = false;
  ops_put(g, "gemm:%s", packed ? OPS_PICK(g, packed_types) : OPS_PICK(g, types));
  put_layouts(g);
  if (packed) {
    ops_put(g, ",m=%u,n=%u,k=%u", 2 * ops_pick(g, 20), 2 * ops_pick(g, 40), 2 * ops_pick(g, 50));
  } else {
    put_size(g, "m", is_small);
    put_size(g, "n", is_small);
    put_size(g, "k", is_small);
    put_strides(g);
  }
  if (ops_pick(g, 4) == 0) ops_put(g, ",batch=%u", ops_pick(g, 4));
  if (ops_pick(g, 6) == 0) ops_put(g, ",rows=grouped");
  if (ops_pick(g, 4) == 0) ops_put(g, ",alpha=%g", 0.25 * (1 + ops_pick(g, 8)));
  if (ops_pick(g, 4) == 0) ops_put(g, ",beta=%g", 0.5 * (double)ops_pick(g, 3) - 1);
  if (ops_pick(g, 4) == 0) ops_put(g, ",%s", OPS_PICK(g, scales)), groups = true;
  if (ops_pick(g, 2)) ops_put(g, ",epilogue=%s", OPS_PICK(g, epilogues));
  if (ops_pick(g, 8) == 0) put_combined(g);
  /* Tiles of 4-bit integers have whole bytes. */
  put_tiles(g, groups, packed ? 2 : 1);
}

/* What a random problem may rightly be refused for. */
static bool may_be_refused(const char *text) {
  bool two_types = strstr(text, "type_c=") && (strstr(text, "cast:") || strstr(text, "quantise"));
  bool tight = (strstr(text, "inc") != NULL) || (strstr(text, "combine") && strstr(text, "f6E"));
  return two_types || tight;
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
  ops_try_random("interp", 12, 300, any, 1, may_be_refused);
}

static void random_problems_are_right_cpu(void **state) {
  (void)state;
  ops_try_random("cpu", 12, 200, any, 1, may_be_refused);
}

static void random_problems_are_right_emulated(void **state) {
  (void)state;
  ops_try_random("emu:sm_80", 12, 60, small, 1, may_be_refused);
  ops_try_random("emu:sm_90a", 12, 60, small, 1, may_be_refused);
}

/* ---- groups by pointers ---------------------------------------------------------------------- */

enum { GROUPS = 3, MOST = 40, COLUMNS = 12 };

/* A group's memory on the device, and on the host what it should become. */
typedef struct group_memory {
  tsr_buffer *buffers[5];
  float *expected[5];
} group_memory;

static const char *const group_names[5] = {"a", "b", "c", "bias", "residual"};

/* Sizes of a group: rows and columns of each of its tensors, and their leading dimensions. */
static void make_group(ops_scene *s, unsigned which, group_memory *memory, int64_t *device,
                       int64_t *host) {
  static const int64_t extents[GROUPS][3] = {{7, 40, 33}, {0, 5, 9}, {40, 17, 0}};
  int64_t m = extents[which][0], n = extents[which][1], k = extents[which][2];
  const int64_t elements[5] = {m * (k + 1), (k + 2) * n, m * (n + 3), n, m * n};
  for (unsigned i = 0; i < 5; i++) {
    size_t count = (size_t)elements[i] + 16;
    ops_operand o = {.name = group_names[i], .type = TSR_F32};
    ops_operand_dim(&o, (int64_t)count, 1);
    memory->expected[i] = calloc(count, sizeof(float));
    ops_fill(&o, memory->expected[i], which * 10 + i);
    memory->buffers[i] = tsr_buffer_create(s->device, count * sizeof(float));
    tsr_buffer_write(memory->buffers[i], 0, memory->expected[i], count * sizeof(float));
  }
  static const unsigned at[5] = {0, 1, 2, 10, 11};
  const int64_t numbers[] = {m, n, k, k + 1, k + 2, n + 3, n};
  for (unsigned i = 0; i < 5; i++) {
    device[at[i]] = (int64_t)tsr_buffer_address(memory->buffers[i]);
    host[at[i]] = (int64_t)(uintptr_t)memory->expected[i];
  }
  for (unsigned i = 0; i < ARRAY_LEN(numbers); i++) host[3 + i] = device[3 + i] = numbers[i];
}

static void check_group(group_memory *memory) {
  size_t bytes = tsr_buffer_size(memory->buffers[2]);
  float *found = malloc(bytes);
  tsr_buffer_read(memory->buffers[2], 0, found, bytes);
  for (size_t i = 0; i < bytes / sizeof(float); i++)
    if (fabsf(found[i] - memory->expected[2][i]) > 1e-4f)
      fail_msg("element %zu is %g, not %g", i, found[i], memory->expected[2][i]);
  free(found);
  for (unsigned i = 0; i < 5; i++) {
    tsr_buffer_destroy(memory->buffers[i]);
    free(memory->expected[i]);
  }
}

static void run_pointers(const char *device, const char *problem) {
  world w;
  ops_scene s;
  group_memory memory[GROUPS];
  int64_t on_device[GROUPS][COLUMNS], on_host[GROUPS][COLUMNS];
  world_open(&w);
  ops_open(&s, &w, device);
  tsr_op_problem p = {.struct_size = sizeof p, .text = problem};
  tsr_op_plan *plan = tsr_op_plan_get(s.library, &p);
  if (!plan) fail_msg("%s: %s", problem, w.messages);
  for (unsigned i = 0; i < GROUPS; i++) make_group(&s, i, &memory[i], on_device[i], on_host[i]);
  tsr_buffer *table = tsr_buffer_create(s.device, sizeof on_device);
  tsr_buffer *workspace = tsr_buffer_create(s.device, tsr_op_plan_workspace(plan));
  tsr_buffer_write(table, 0, on_device, sizeof on_device);
  tsr_op_argument args[] = {{"groups", tsr_arg_buffer(table)},
                            {"workspace", tsr_arg_buffer(workspace)}};
  tsr_op_argument host[] = {{"groups", tsr_arg_address(on_host)}};
  if (tsr_op_launch(plan, NULL, args, 2) != TSR_OK) fail_msg("%s: %s", device, w.messages);
  assert_int_equal(tsr_op_reference(plan, host, 1), TSR_OK);
  for (unsigned i = 0; i < GROUPS; i++) check_group(&memory[i]);
  tsr_buffer_destroy(table);
  tsr_buffer_destroy(workspace);
  ops_close(&s);
  world_close(&w);
}

/* Each group with sizes, strides and memory of its own; some are empty. */
static void groups_by_pointers_are_right(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu", "emu:sm_80"};
  for (size_t i = 0; i < ARRAY_LEN(devices); i++) {
    run_pointers(devices[i],
                 "gemm:rows=pointers,batch=3,m=40,n=40,k=40,b=column,epilogue=bias+relu+residual");
    run_pointers(devices[i], "gemm:rows=pointers,batch=3,m=40,n=40,k=40,b=column,tile_m=16,"
                             "tile_n=16,split_k=2,epilogue=bias+residual");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_by_pointers_are_right),
      cmocka_unit_test(examples_are_right),
      cmocka_unit_test(few_rows_are_right),
      cmocka_unit_test(small_integers_are_right),
      cmocka_unit_test(random_problems_are_right_interp),
      cmocka_unit_test(random_problems_are_right_cpu),
      cmocka_unit_test(random_problems_are_right_emulated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
