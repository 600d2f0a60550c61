/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The runtime without memory: each allocation fails once, from the module to the launch.
 */
#include "rt_scene.h"

static const char saxpy_text[] =
    "cuda_tile.module @example {\n"
    "  global @unused <f32: [1.0, 2.0]> : tile<2xf32>\n"
    "  entry @saxpy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %a: tile<f32>, %n: tile<i32>) {\n"
    "    %i, %j, %k = get_tile_block_id : tile<i32>\n"
    "    %c128 = constant <i32: 128> : tile<i32>\n"
    "    %first = muli %i, %c128 : tile<i32>\n"
    "    %first1 = reshape %first : tile<i32> -> tile<1xi32>\n"
    "    %firsts = broadcast %first1 : tile<1xi32> -> tile<128xi32>\n"
    "    %lane = iota : tile<128xi32>\n"
    "    %index = addi %firsts, %lane : tile<128xi32>\n"
    "    %n1 = reshape %n : tile<i32> -> tile<1xi32>\n"
    "    %ns = broadcast %n1 : tile<1xi32> -> tile<128xi32>\n"
    "    %in = cmpi less_than %index, %ns, signed : tile<128xi32> -> tile<128xi1>\n"
    "    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<128xptr<f32>>\n"
    "    %xp = offset %xs, %index : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>\n"
    "    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<128xptr<f32>>\n"
    "    %yp = offset %ys, %index : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>\n"
    "    %xv, %t0 = load_ptr_tko weak %xp, %in : tile<128xptr<f32>>, tile<128xi1> -> "
    "tile<128xf32>, token\n"
    "    %yv, %t1 = load_ptr_tko weak %yp, %in : tile<128xptr<f32>>, tile<128xi1> -> "
    "tile<128xf32>, token\n"
    "    %a1 = reshape %a : tile<f32> -> tile<1xf32>\n"
    "    %as = broadcast %a1 : tile<1xf32> -> tile<128xf32>\n"
    "    %r = fma %as, %xv, %yv : tile<128xf32>\n"
    "    %t2 = store_ptr_tko weak %yp, %r, %in token=%t1 : tile<128xptr<f32>>, tile<128xf32>, "
    "tile<128xi1> -> token\n"
    "  }\n"
    "}\n";

static tsr_module *parse_saxpy(tsr_context *ctx) {
  return tsr_module_parse(ctx, saxpy_text, strlen(saxpy_text), "saxpy.mlir", 0);
}

/* Everything from a module to its result; false when something said no. */
static bool build_and_run(world *w, tsr_module *(*make)(tsr_context *), const char *device,
                          unsigned threads) {
  float x[1000], y[1000];
  for (int i = 0; i < 1000; i++) x[i] = (float)i, y[i] = 1;
  tsr_module *m = make(w->ctx);
  tsr_device_options options = {.struct_size = sizeof options, .threads = threads};
  tsr_device *dev = tsr_device_open(w->ctx, device, &options);
  tsr_program *p = m ? tsr_program_create(dev, m) : NULL;
  tsr_kernel *k = tsr_kernel_get(p, "saxpy");
  tsr_buffer *bx = tsr_buffer_create(dev, sizeof x), *by = tsr_buffer_wrap(dev, y, sizeof y);
  if (bx) memcpy(tsr_buffer_data(bx), x, sizeof x);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(2), tsr_arg_i32(1000)};
  bool good = tsr_launch(k, (tsr_grid){8, 1, 1}, args, 4) == TSR_OK;
  for (int i = 0; i < 1000 && good; i++) good = y[i] == 2 * x[i] + 1;
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  tsr_program_destroy(p);
  tsr_device_close(dev);
  ir_module_destroy(m);
  return good;
}

static void run_out_of_memory_everywhere(tsr_module *(*make)(tsr_context *), const char *device,
                                         unsigned threads) {
  use_plugin("good");
  for (long n = 1;; n++) {
    world w;
    world_open_failing(&w, n);
    bool good = w.ctx && build_and_run(&w, make, device, threads);
    bool failed = w.allocations >= n;
    assert_int_equal(good, !failed);
    if (w.ctx) assert_int_equal(w.errors > 0, failed);
    world_close(&w);
    if (!failed) return;
    assert_true(n < 10000);
  }
}

static void out_of_memory_interpreted(void **state) {
  (void)state;
  run_out_of_memory_everywhere(build_saxpy, "interp", 0);
}

static void out_of_memory_from_text(void **state) {
  (void)state;
  run_out_of_memory_everywhere(parse_saxpy, "interp", 0);
}

static void out_of_memory_compiled(void **state) {
  (void)state;
  run_out_of_memory_everywhere(build_saxpy, "cpu", 1);
}

/* Threads that get no scratch leave their work to the others; the caller's own says so. */
static void out_of_memory_in_a_launch(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 3; threads++) {
    scene s;
    scene_open(&s, "cpu", build_named, (tsr_device_options){.threads = threads});
    int wrong = 0;
    tsr_kernel *k = tsr_kernel_get(s.program, "scratch");
    assert_non_null(k);
    for (long n = 1; n < 8; n++) {
      s.w.fail_at = s.w.allocations + n;
      tsr_status status = launch(&s, "scratch", (tsr_grid){50, 1, 1}, &wrong);
      if (status != TSR_OK) {
        assert_int_equal(status, TSR_ERROR_MEMORY);
        expect_error(&s.w, "out of memory: 10000 bytes of scratch for 'scratch'");
      }
      expect_quiet(&s.w);
      assert_int_equal(wrong, 0);
    }
    s.w.fail_at = s.w.allocations + 1;
    assert_int_equal(launch(&s, "print", (tsr_grid){5, 1, 1}, &wrong), TSR_ERROR_MEMORY);
    expect_error(&s.w, "out of memory");
    scene_close(&s);
  }
}

int main(void) {
  setenv("TESSERA_CUDA_DRIVER", "none", 1); /* whatever this machine has */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(out_of_memory_interpreted),
      cmocka_unit_test(out_of_memory_from_text),
      cmocka_unit_test(out_of_memory_compiled),
      cmocka_unit_test(out_of_memory_in_a_launch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
