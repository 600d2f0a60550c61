/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The devices "cuda:N": with drivers that cannot be used, and with the driver library of
 * src/compat, which executes PTX on the emulator, as a card of capability 9.0. So everything but
 * the card is as on a GPU. ctest runs this twice: unit.rt_cuda_late is the same with a driver that
 * executes everything as late as it may (TESSERA_CUDA_LATE).
 */
#define CARD_DEVICE  "cuda:0"
#define CARD_KIND    "cuda"
#define CARD_LIBRARY "TESSERA_CUDA_DRIVER"
#include "card_tests.h"

#include <dlfcn.h>

#include "rt/cuda_driver.h"
#include "rt/gpu.h"

/* ---- drivers that cannot be used ------------------------------------------------------------ */

static void test_unusable_drivers(void **state) {
  (void)state;
  expect_unusable("/nonexistent/libcuda.so.1", "cuda:0",
                  "NVIDIA's driver library was not found (/nonexistent/libcuda.so.1:");
  expect_unusable("/nonexistent/libcuda.so.1", "cuda", "install the driver");
  expect_unusable(FAKE_DRIVERS "/old.so", "cuda:0",
                  "is of CUDA 11.4, and code is made for drivers of CUDA 12.0 or newer");
  expect_unusable(FAKE_DRIVERS "/incomplete.so", "cuda:0", "lacks the entry 'cuLaunchKernel'");
  expect_unusable(FAKE_DRIVERS "/cardless.so", "cuda:0",
                  "does not start: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
  expect_unusable(FAKE_DRIVERS "/turing.so", "cuda:0", "compute capability 7.5");
}

/* After a fault the driver's context is lost for the whole process. */
static void reset_context(void) {
  cu_result (*reset)(cu_device);
  void *library = dlopen(DRIVER, RTLD_NOW), *symbol = dlsym(library, "cuDevicePrimaryCtxReset_v2");
  memcpy(&reset, &symbol, sizeof reset);
  assert_int_equal(reset(0), CU_OK);
  dlclose(library);
}

#define ENTRY_OF(library, name, ...)                                                               \
  cu_result (*name)(__VA_ARGS__);                                                                  \
  do {                                                                                             \
    void *found = dlsym(library, #name);                                                           \
    assert_non_null(found);                                                                        \
    memcpy(&name, &found, sizeof found);                                                           \
  } while (0)

/* A launch on a stream that records a graph is recorded: it neither waits nor allocates. */
static void test_capture(void **state) {
  (void)state;
  scene s;
  float x[N], y[N];
  void *library = dlopen(DRIVER, RTLD_NOW);
  assert_non_null(library);
  ENTRY_OF(library, cuDevicePrimaryCtxRetain, cu_object *, cu_device);
  ENTRY_OF(library, cuDevicePrimaryCtxRelease_v2, cu_device);
  ENTRY_OF(library, cuCtxSetCurrent, cu_object);
  ENTRY_OF(library, cuStreamBeginCapture_v2, cu_object, int);
  ENTRY_OF(library, cuStreamEndCapture, cu_object, cu_object *);
  ENTRY_OF(library, cuGraphInstantiateWithFlags, cu_object *, cu_object, unsigned long long);
  ENTRY_OF(library, cuGraphLaunch, cu_object, cu_object);
  ENTRY_OF(library, cuGraphExecDestroy, cu_object);
  ENTRY_OF(library, cuGraphDestroy, cu_object);
  scene_open(&s);
  fill(x, y);
  tsr_buffer *bx = tsr_buffer_create(s.dev, BYTES), *by = tsr_buffer_create(s.dev, BYTES);
  tsr_buffer_write(bx, 0, x, BYTES);
  tsr_buffer_write(by, 0, y, BYTES);
  tsr_stream *own = tsr_stream_create(s.dev), *wrapped = tsr_stream_wrap(s.dev, own->native);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(1), tsr_arg_i32(N)};
  cu_object graph, exec, context;
  enum { RELAXED = 2 };
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), CU_OK);
  assert_int_equal(cuCtxSetCurrent(context), CU_OK);
  assert_int_equal(cuStreamBeginCapture_v2(own->native, RELAXED), CU_OK);
  for (int i = 0; i < 3; i++)
    assert_int_equal(tsr_launch_on(wrapped, s.kernel, grid, args, 4), TSR_OK);
  assert_int_equal(cuStreamEndCapture(own->native, &graph), CU_OK);
  tsr_buffer_read(by, 0, y, BYTES);
  check(y, 0);
  assert_int_equal(cuGraphInstantiateWithFlags(&exec, graph, 0), CU_OK);
  assert_int_equal(cuGraphLaunch(exec, own->native), CU_OK);
  assert_int_equal(tsr_stream_wait(wrapped), TSR_OK);
  tsr_buffer_read(by, 0, y, BYTES);
  check(y, 3);
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
  cuCtxSetCurrent(NULL);
  cuDevicePrimaryCtxRelease_v2(0);
  tsr_stream_destroy(wrapped);
  tsr_stream_destroy(own);
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  expect_quiet(&s.w);
  scene_close(&s);
  dlclose(library);
}

/* Streams of devices that execute at once. */
static void test_streams_of_the_host(void **state) {
  (void)state;
  world w;
  float x[N], y[N];
  double ms = -1;
  world_open(&w);
  tsr_device *dev = tsr_device_open(w.ctx, "interp", NULL);
  tsr_module *m = build_saxpy(w.ctx);
  tsr_program *p = tsr_program_create(dev, m);
  tsr_kernel *k = tsr_kernel_get(p, NULL);
  tsr_buffer *bx = tsr_buffer_create(dev, BYTES), *by = tsr_buffer_create(dev, BYTES);
  tsr_stream *stream = tsr_stream_create(dev);
  tsr_event *before = tsr_event_create(dev), *behind = tsr_event_create(dev);
  fill(x, y);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(4), tsr_arg_i32(N)};
  assert_int_equal(tsr_event_record(before, stream), TSR_OK);
  assert_int_equal(tsr_stream_write(stream, bx, 0, x, BYTES), TSR_OK);
  assert_int_equal(tsr_stream_write(stream, by, 0, y, BYTES), TSR_OK);
  assert_int_equal(tsr_launch_on(stream, k, grid, args, 4), TSR_OK);
  assert_int_equal(tsr_event_record(behind, stream), TSR_OK);
  assert_int_equal(tsr_stream_read(stream, by, 0, y, BYTES), TSR_OK);
  assert_int_equal(tsr_stream_wait_event(stream, behind), TSR_OK);
  assert_int_equal(tsr_stream_wait(stream), TSR_OK);
  check(y, 4);
  assert_int_equal(tsr_event_elapsed(before, behind, &ms), TSR_OK);
  assert_true(ms >= 0);
  assert_null(tsr_stream_wrap(dev, &ms));
  expect_error(&w, "has no streams of its own");
  tsr_event_destroy(before);
  tsr_event_destroy(behind);
  tsr_stream_destroy(stream);
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  expect_quiet(&w);
  world_close(&w);
}

/* ---- tensor maps ---------------------------------------------------------------------------- */

enum { MOST = 136 };

/* Its kernel asks for clusters of two. */
static tsr_module *load_gemm(tsr_context *ctx) {
  static const char entry[] = "entry @gemm_bf16_128x128x64(";
  static const char hint[] = "optimization_hints = <sm_90 = {num_cta_in_cga = 2}> ";
  arena a;
  str text;
  arena_init(&a, ctx);
  assert_true(file_read(ctx, &a, "kernels/gemm.mlir", 1 << 20, &text));
  const char *body = strchr(strstr(text.data, entry), '{');
  char *hinted = arena_printf(&a, "%.*s%s%s", (int)(body - text.data), text.data, hint, body);
  tsr_module *m = tsr_module_parse(ctx, hinted, strlen(hinted), "gemm.mlir", TSR_PARSE_DEFAULT);
  arena_free(&a);
  return m;
}

static uint16_t bf16(int x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return (uint16_t)(bits >> 16);
}

/* Small whole numbers: exact in every order. */
static void multiply(scene *s, int m, int n, int k) {
  static uint16_t a[MOST * MOST], b[MOST * MOST];
  static float c[MOST * MOST];
  for (int i = 0; i < m * k; i++) a[i] = bf16((i * 7 + i / k) % 5 - 2);
  for (int i = 0; i < k * n; i++) b[i] = bf16((i * 3 + i / n) % 7 - 3);
  tsr_buffer *buffers[] = {tsr_buffer_wrap(s->dev, a, sizeof a),
                           tsr_buffer_wrap(s->dev, b, sizeof b),
                           tsr_buffer_wrap(s->dev, c, sizeof c)};
  tsr_arg args[] = {tsr_arg_buffer(buffers[0]),
                    tsr_arg_buffer(buffers[1]),
                    tsr_arg_buffer(buffers[2]),
                    tsr_arg_i32(m),
                    tsr_arg_i32(n),
                    tsr_arg_i32(k)};
  tsr_grid tiles = {((uint32_t)m + 127) / 128, ((uint32_t)n + 127) / 128, 1};
  assert_int_equal(tsr_launch(s->kernel, tiles, args, 6), TSR_OK);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int l = 0; l < k; l++)
        sum += (((i * k + l) * 7 + i) % 5 - 2) * (((l * n + j) * 3 + l) % 7 - 3);
      assert_true(c[i * n + j] == (float)sum);
    }
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) tsr_buffer_destroy(buffers[i]);
}

/* A kernel's forms with tensor maps, compiled and from the cache: in clusters of two tile blocks,
 * for a grid that is no multiple, and for rows that no map describes. */
static void test_tensor_maps(void **state) {
  (void)state;
  for (int again = 0; again <= 1; again++) {
    scene s;
    scene_open_with(&s, load_gemm, "gemm_bf16_128x128x64");
    assert_true(tsr_kernel_is_cached(s.kernel) == (again == 1));
    assert_non_null(s.kernel->gpu.entry->bulk);
    assert_non_null(s.kernel->gpu.bulk_function);
    const nvptx_entry *clustered = s.kernel->gpu.entry->bulk->clustered;
    assert_non_null(clustered);
    assert_non_null(s.kernel->gpu.clustered_function);
    assert_int_equal(clustered->cluster[0] * clustered->cluster[1] * clustered->cluster[2], 2);
    multiply(&s, 130, 136, 72);
    multiply(&s, 100, 136, 72);
    multiply(&s, 10, 9, 70);
    expect_quiet(&s.w);
    scene_close(&s);
  }
}

/* A driver that has no room for clusters: the form without them is taken. In a process of its own,
 * as a process opens the driver once. */
static void test_no_room_for_clusters(void **state) {
  (void)state;
  int status;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    scene s;
    setenv("TESSERA_CUDA_DRIVER", FAKE_DRIVERS "/crowded.so", 1);
    setenv("TESSERA_CACHE", "0", 1); /* what it leaves there would be found by other tests */
    scene_open_with(&s, load_gemm, "gemm_bf16_128x128x64");
    const gpu_kernel *k = &s.kernel->gpu;
    bool good = k->bulk_function && k->entry->bulk->clustered && !k->clustered_function;
    multiply(&s, 130, 136, 72);
    expect_quiet(&s.w);
    scene_close(&s);
    _exit(good ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* A driver that puts shared memory at 0x410: kernels that rely on multiples of 1,024 are not
 * launched; the form without tensor maps is, where that needs less. */
static void test_shared_memory_elsewhere(void **state) {
  (void)state;
  int status;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    scene s;
    setenv("TESSERA_CUDA_DRIVER", FAKE_DRIVERS "/crooked.so", 1);
    setenv("TESSERA_CACHE", "0", 1);
    scene_open_with(&s, load_gemm, "gemm_bf16_128x128x64");
    const gpu_kernel *k = &s.kernel->gpu;
    bool good = !k->bulk_function && k->entry->bulk->shared_align == 1024;
    multiply(&s, 130, 136, 72);
    expect_quiet(&s.w);
    tsr_module *m = tsr_module_load(s.w.ctx, "tests/block/specialised.mlir", TSR_PARSE_EXTENSIONS);
    tsr_program *p = tsr_program_create(s.dev, m);
    good = good && !tsr_kernel_get(p, "gemm");
    expect_error(&s.w,
                 "'gemm': shared memory begins at 0x410 on this card with this driver, but the "
                 "kernel's matrix descriptors need a multiple of 1024");
    tsr_program_destroy(p);
    tsr_module_destroy(m);
    scene_close(&s);
    _exit(good ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void test_asserts(void **state) {
  (void)state;
  scene s;
  scene_open_with(&s, build_failing, "fail");
  tsr_arg args[] = {tsr_arg_nullable(NULL)};
  assert_int_equal(tsr_launch(s.kernel, (tsr_grid){3, 1, 1}, args, 1), TSR_OK);
  assert_int_equal(tsr_launch(s.kernel, (tsr_grid){4, 1, 1}, args, 1), TSR_ERROR_TRAP);
  expect_error(&s.w, "'fail' on cuda:0: an assertion failed; the driver has written which to "
                     "standard error: CUDA_ERROR_ASSERT (device-side assert triggered)");
  assert_int_equal(tsr_launch(s.kernel, (tsr_grid){3, 1, 1}, args, 1), TSR_ERROR_TRAP);
  expect_error(&s.w, "CUDA_ERROR_ASSERT");
  assert_null(tsr_buffer_create(s.dev, 64));
  world_forget(&s.w);
  scene_close(&s);
  reset_context();
  scene_open_with(&s, build_failing, "fail"); /* the process can continue */
  tsr_stream *stream = tsr_stream_create(s.dev);
  assert_int_equal(tsr_launch_on(stream, s.kernel, (tsr_grid){4, 1, 1}, args, 1), TSR_OK);
  assert_int_equal(tsr_stream_wait(stream), TSR_ERROR_TRAP);
  expect_error(&s.w, "waiting for a stream: an assertion failed");
  tsr_stream_destroy(stream);
  scene_close(&s);
  reset_context();
}

static void test_bad_calls(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  tsr_arg args[] = {tsr_arg_nullable(NULL), tsr_arg_nullable(NULL), tsr_arg_f32(6), tsr_arg_i32(0)};
  assert_int_equal(tsr_launch(s.kernel, (tsr_grid){1, 65536, 1}, args, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "a GPU takes at most 65535 in y and z");
  args[1] = tsr_arg_address((void *)(uintptr_t)3);
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "not aligned");
  args[1] = tsr_arg_address((void *)(uintptr_t)4096);
  args[0] = args[1];
  args[3] = tsr_arg_i32(N);
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_ERROR_TRAP);
  expect_error(&s.w, "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
  scene_close(&s);
  reset_context();
  world w;
  world_open(&w);
  assert_null(tsr_device_open(w.ctx, "cuda:1", NULL));
  expect_error(&w, "there is no device 'cuda:1': the driver knows cuda:0 to cuda:0");
  tsr_device_options options = {.struct_size = sizeof options, .sanitize = TSR_SANITIZE_BOUNDS};
  assert_null(tsr_device_open(w.ctx, "cuda:0", &options));
  expect_error(&w, "the device 'cuda:0' checks nothing");
  world_close(&w);
}

/* The driver takes no code for the card that it says it has. */
static void test_refused_code(void **state) {
  (void)state;
  scene s = {0};
  setenv("TESSERA_CUDA_CAPABILITY", "12.0", 1);
  world_open(&s.w);
  s.dev = tsr_device_open(s.w.ctx, "cuda:0", NULL);
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  s.module = build_saxpy(s.w.ctx);
  s.program = tsr_program_create(s.dev, s.module);
  assert_null(tsr_kernel_get(s.program, "saxpy"));
  expect_error(&s.w, "the driver does not take the code for sm_120a: CUDA_ERROR_INVALID_PTX (a PTX "
                     "JIT compilation failed): ");
  scene_close(&s);
}

int main(void) {
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unusable_drivers), /* first: a process opens the driver once */
      cmocka_unit_test(test_no_room_for_clusters),
      cmocka_unit_test(test_shared_memory_elsewhere),
      cmocka_unit_test(test_device_memory),
      cmocka_unit_test(test_host_copies),
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_streams_behind_calls),
      cmocka_unit_test(test_capture),
      cmocka_unit_test(test_streams_of_the_host),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_cache),
      cmocka_unit_test(test_tensor_maps),
      cmocka_unit_test(test_asserts),
      cmocka_unit_test(test_bad_calls),
      cmocka_unit_test(test_refused_code),
      cmocka_unit_test(test_out_of_memory),
  };
  unsetenv("TESSERA_CACHE"); /* the test has a cache folder of its own */
  if (!mkdtemp(cache_folder)) return 1;
  setenv("TESSERA_CUDA_DRIVER", DRIVER, 1);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", cache_folder);
  return system(command) || failed;
}
