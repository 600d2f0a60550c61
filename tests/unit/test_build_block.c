/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels of the block level that are built in C.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tessera/block.h>
#include <tessera/ops.h>
#include <tessera/runtime.h>

#include "ir/ir.h"

typedef struct fixture {
  tsr_context *ctx;
  tsr_builder *b;
  char said[2048];
} fixture;

static void hear(void *user, const tsr_diagnostic *d) {
  fixture *f = user;
  size_t n = strlen(f->said);
  snprintf(f->said + n, sizeof f->said - n, "%s\n", d->message);
}

static int set_up(void **state) {
  static fixture f;
  f = (fixture){.said = ""};
  tsr_context_options options = {
      .struct_size = sizeof options, .on_diagnostic = hear, .diagnostic_user = &f};
  f.ctx = tsr_context_create(&options);
  f.b = tsr_builder_create(f.ctx, "built");
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  tsr_builder_destroy(f->b);
  tsr_context_destroy(f->ctx);
  return 0;
}

static tsr_layout_value layout(fixture *f, const char *text) {
  tsr_layout_value v;
  assert_int_equal(tsr_layout_parse(f->ctx, NULL, text, strlen(text), &v), TSR_OK);
  return v;
}

/* A transposition of 32 by 32 through shared memory whose rows are 33 elements apart. */
static tsr_module *build_transposition(fixture *f) {
  tsr_builder *b = f->b;
  tsr_layout_value rows = layout(f, "local(8, 1).spatial(4, 32)");
  tsr_layout_value lines = layout(f, "(32,32):(33,1)");
  tsr_layout_value columns = layout(f, "(32,32):(1,33)");
  tsr_type pointer = tsr_type_pointer(b, TSR_F32);
  tsr_type tile = tsr_type_distributed(b, TSR_F32, &rows.layout);
  tsr_type memory = tsr_type_shared(b, TSR_F32, &lines.memory);
  tsr_type view = tsr_type_tensor_view(b, TSR_F32, TSR_INTS(32, 32), TSR_INTS(32, 1));
  tsr_build_threads(b, tsr_build_entry(b, "transpose", TSR_TYPES(pointer, pointer)), 128);
  tsr_value zero = tsr_build_int(b, tsr_type_scalar(b, TSR_I32), 0);
  tsr_value in = tsr_build_make_tensor_view(b, tsr_build_arg(b, 0), view);
  tsr_value out = tsr_build_make_tensor_view(b, tsr_build_arg(b, 1), view);
  tsr_value s = tsr_build_alloc_shared(b, memory);
  tsr_value t =
      tsr_build_permute_view(b, s, TSR_INTS(1, 0), tsr_type_shared(b, TSR_F32, &columns.memory));
  tsr_value x = tsr_build_load_global(b, in, TSR_VALUES(zero, zero), tile);
  tsr_build_store_shared(b, x, s);
  tsr_build_barrier(b);
  tsr_build_store_global(b, tsr_build_load_shared(b, t, tile), out, TSR_VALUES(zero, zero));
  tsr_build_end(b);
  tsr_module *m = tsr_builder_finish(b);
  f->b = NULL;
  return m;
}

static void run_on(fixture *f, tsr_module *m, const char *name, uint32_t blocks, float *from,
                   float *to) {
  tsr_device_options options = {.struct_size = sizeof options, .sanitize = TSR_SANITIZE_ALL};
  tsr_device *device = tsr_device_open(f->ctx, "interp", &options);
  tsr_program *program = tsr_program_create(device, m);
  tsr_kernel *kernel = tsr_kernel_get(program, name);
  assert_non_null(kernel);
  tsr_arg args[] = {tsr_arg_address(from), tsr_arg_address(to)};
  assert_int_equal(tsr_launch(kernel, (tsr_grid){blocks, 1, 1}, args, 2), TSR_OK);
  tsr_program_destroy(program);
  tsr_device_close(device);
}

static void run(fixture *f, tsr_module *m, const char *name, float *from, float *to) {
  run_on(f, m, name, 1, from, to);
}

static void test_transposition(void **state) {
  fixture *f = *state;
  static float from[1024], to[1024];
  for (int i = 0; i < 1024; i++) from[i] = (float)i;
  tsr_module *m = build_transposition(f);
  if (!m) fail_msg("%s", f->said);
  run(f, m, "transpose", from, to);
  for (int i = 0; i < 1024; i++) assert_true(to[i] == (float)(i % 32 * 32 + i / 32));
  tsr_module_destroy(m);
}

/* One warp copies a row of 128 elements, four others double it. */
static tsr_module *build_roles(fixture *f) {
  tsr_builder *b = f->b;
  tsr_layout_value each = layout(f, "spatial(1, 128)"), dense = layout(f, "row_major(1, 128)");
  tsr_type pointer = tsr_type_pointer(b, TSR_F32), i32 = tsr_type_scalar(b, TSR_I32);
  tsr_type view = tsr_type_tensor_view(b, TSR_F32, TSR_INTS(4, 128), TSR_INTS(128, 1));
  tsr_type tile = tsr_type_distributed(b, TSR_F32, &each.layout);
  tsr_build_threads(b, tsr_build_entry(b, "twice", TSR_TYPES(pointer, pointer)), 160);
  tsr_value zero = tsr_build_int(b, i32, 0), row = tsr_build_int(b, i32, 2);
  tsr_value in = tsr_build_make_tensor_view(b, tsr_build_arg(b, 0), view);
  tsr_value out = tsr_build_make_tensor_view(b, tsr_build_arg(b, 1), view);
  tsr_value boxes =
      tsr_build_make_tensor_map(b, in, tsr_type_tensor_map(b, TSR_F32, &dense.memory));
  tsr_value s = tsr_build_alloc_shared(b, tsr_type_shared(b, TSR_F32, &dense.memory));
  tsr_value m = tsr_build_alloc_mbarrier(b, tsr_type_mbarrier(b, 1));
  tsr_build_elect(b);
  tsr_build_mbarrier_init(b, m, 1);
  tsr_build_fence_async(b);
  tsr_build_end(b);
  tsr_build_barrier(b);
  tsr_build_roles(b);
  tsr_build_role(b, "copy", 128, 160);
  tsr_build_elect(b);
  tsr_build_mbarrier_arrive_expect(b, m, 512);
  tsr_build_tensor_load(b, boxes, TSR_VALUES(row, zero), s, m);
  tsr_build_end(b);
  tsr_build_end(b);
  tsr_build_role(b, "twice", 0, 128, .registers = 64);
  tsr_build_mbarrier_wait(b, m, zero);
  tsr_value x = tsr_build_load_shared(b, s, tile);
  tsr_build_store_global(b, tsr_build_addf(b, x, x), out, TSR_VALUES(zero, zero));
  tsr_build_end(b);
  tsr_build_end(b);
  tsr_build_end(b);
  tsr_module *made = tsr_builder_finish(b);
  f->b = NULL;
  return made;
}

static void test_roles(void **state) {
  fixture *f = *state;
  static float from[512], to[512];
  for (int i = 0; i < 512; i++) from[i] = (float)i;
  tsr_module *m = build_roles(f);
  if (!m) fail_msg("%s", f->said);
  run(f, m, "twice", from, to);
  for (int i = 0; i < 512; i++) assert_true(to[i] == (float)(i < 128 ? 2 * (i + 256) : 0));
  tsr_module_destroy(m);
}

/* Two tile blocks send each other their row. */
static tsr_module *build_cluster(fixture *f) {
  tsr_builder *b = f->b;
  tsr_layout_value each = layout(f, "spatial(1, 32).local(1, 4)");
  tsr_layout_value dense = layout(f, "row_major(1, 128)");
  tsr_type pointer = tsr_type_pointer(b, TSR_F32), i32 = tsr_type_scalar(b, TSR_I32);
  tsr_type view = tsr_type_tensor_view(b, TSR_F32, TSR_INTS(2, 128), TSR_INTS(128, 1));
  tsr_type tile = tsr_type_distributed(b, TSR_F32, &each.layout);
  tsr_type memory = tsr_type_shared(b, TSR_F32, &dense.memory), bar = tsr_type_mbarrier(b, 1);
  tsr_op *entry = tsr_build_entry(b, "exchange", TSR_TYPES(pointer, pointer));
  tsr_build_threads(b, entry, 32);
  tsr_build_cluster(b, entry, 2, 1, 1);
  tsr_value zero = tsr_build_int(b, i32, 0), one = tsr_build_int(b, i32, 1);
  tsr_value in = tsr_build_make_tensor_view(b, tsr_build_arg(b, 0), view);
  tsr_value out = tsr_build_make_tensor_view(b, tsr_build_arg(b, 1), view);
  tsr_value s = tsr_build_alloc_shared(b, memory), m = tsr_build_alloc_mbarrier(b, bar);
  tsr_value rank = tsr_build_get_cluster_rank(b), other = tsr_build_xori(b, rank, one);
  tsr_build_elect(b);
  tsr_build_mbarrier_init(b, m, 1);
  tsr_build_mbarrier_arrive_expect(b, m, 512);
  tsr_build_end(b);
  tsr_build_cluster_barrier(b);
  tsr_value there = tsr_build_map_remote(b, s, other, tsr_type_remote(b, memory));
  tsr_value come = tsr_build_map_remote(b, m, other, tsr_type_remote(b, bar));
  tsr_value x = tsr_build_load_global(b, in, TSR_VALUES(rank, zero), tile);
  tsr_build_store_async(b, x, there, come);
  tsr_build_mbarrier_wait(b, m, zero);
  tsr_build_store_global(b, tsr_build_load_shared(b, s, tile), out, TSR_VALUES(rank, zero));
  tsr_build_end(b);
  tsr_module *made = tsr_builder_finish(b);
  f->b = NULL;
  return made;
}

static void test_cluster(void **state) {
  fixture *f = *state;
  static float from[256], to[256];
  for (int i = 0; i < 256; i++) from[i] = (float)i;
  tsr_module *m = build_cluster(f);
  if (!m) fail_msg("%s", f->said);
  run_on(f, m, "exchange", 2, from, to);
  for (int i = 0; i < 256; i++) assert_true(to[i] == (float)((i + 128) % 256));
  tsr_module_destroy(m);
}

static void test_types(void **state) {
  fixture *f = *state;
  tsr_layout_value a = layout(f, "spatial(8, 4).local(1, 2)");
  tsr_layout_value c = layout(f, "left_divide(mma.m16n8k16.C, local(2, 1))");
  tsr_type x = tsr_type_distributed(f->b, TSR_F16, &a.layout);
  assert_ptr_equal(x, tsr_type_distributed(f->b, TSR_F16, &c.layout));
  assert_true(tsr_layout_same_map(tsr_type_layout(x), &a.layout));
  assert_int_equal(tsr_type_shape(x).data[1], 8);
  tsr_type y = tsr_type_with_elem(f->b, x, TSR_F32);
  assert_ptr_equal(tsr_type_layout(y), tsr_type_layout(x));
  tsr_layout_value odd = layout(f, "local(3, 1).spatial(32, 1).local(1, 8)");
  assert_non_null(tsr_type_distributed(f->b, TSR_I8, &odd.layout));
  assert_null(tsr_type_layout(tsr_type_scalar(f->b, TSR_F32)));
  assert_false(tsr_builder_failed(f->b));
}

/* What no parser makes. */
static void test_other_shape(void **state) {
  fixture *f = *state;
  tsr_layout_value v = layout(f, "spatial(8, 4)");
  ir_module *m = ir_module_create(f->ctx, STR("m"));
  const ir_type *t = ir_tile(m, TSR_F32, TSR_I1, 2, (int64_t[]){8, 8});
  const char *problem = ir_type_problem(&m->arena, ir_with_layout(m, t, &v.layout));
  assert_non_null(problem);
  assert_non_null(strstr(problem, "is of another shape than the tile"));
  ir_module_destroy(m);
}

static void expect(fixture *f, const char *message) {
  if (!strstr(f->said, message)) fail_msg("expected '%s', but heard '%s'", message, f->said);
}

static void test_mistakes(void **state) {
  fixture *f = *state;
  tsr_layout wrong = {.rank = 1, .dim_modes = {1}, .modes = 1, .shape = {4}, .mode_shape = {2}};
  assert_null(tsr_type_distributed(f->b, TSR_F32, &wrong));
  expect(f, "tsr_type_distributed: ");
  assert_null(tsr_type_distributed(NULL, TSR_F32, &wrong));
  tsr_layout_value part = layout(f, "row_major(8, 8)[2:4, :]");
  assert_null(tsr_type_shared(f->b, TSR_F32, &part.memory));
  expect(f, "tsr_type_shared: the layout begins at offset 16");
  assert_null(tsr_type_tensor_map(f->b, TSR_F32, &part.memory));
  expect(f, "tsr_type_tensor_map: the layout begins at offset 16");
  tsr_build_threads(f->b, NULL, 32);
  expect(f, "tsr_build_threads: expected what tsr_build_entry gives");
  tsr_build_cluster(f->b, NULL, 2, 1, 1);
  expect(f, "tsr_build_cluster: expected what tsr_build_entry gives");
  assert_null(tsr_type_remote(f->b, tsr_type_scalar(f->b, TSR_I32)));
  expect(f, "tsr_type_remote: expected the type of shared memory or of an mbarrier");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_transposition, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_roles, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_cluster, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_types, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_other_shape, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_mistakes, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
