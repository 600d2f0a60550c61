/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The devices "hip:N": with libraries that cannot be used, and with the libamdhip64 of
 * src/compat/hip, which executes code objects on the emulator of gfx942. So everything but the card
 * is as on a GPU. ctest runs this twice: unit.rt_hip_late is the same with a library that executes
 * everything as late as it may (TESSERA_HIP_LATE).
 */
#define CARD_DEVICE  "hip:0"
#define CARD_KIND    "hip"
#define CARD_LIBRARY "TESSERA_HIP_LIBRARY"
#include "card_tests.h"

#include <dlfcn.h>

#include "rt/amd.h"
#include "rt/card.h"
#include "rt/hip_library.h"

static void test_unusable_libraries(void **state) {
  (void)state;
  expect_unusable("/nonexistent/libamdhip64.so.6", "hip:0",
                  "AMD's HIP, libamdhip64, was not found (/nonexistent/libamdhip64.so.6:");
  expect_unusable("/nonexistent/libamdhip64.so.6", "hip", "install ROCm");
  expect_unusable(FAKE_DRIVERS "/hip_old.so", "hip:0",
                  "is of ROCm 6.0, and code is made for ROCm 6.3 or newer");
  expect_unusable(FAKE_DRIVERS "/hip_incomplete.so", "hip:0",
                  "lacks the entry 'hipModuleLaunchKernel'");
  expect_unusable(FAKE_DRIVERS "/hip_cardless.so", "hip:0",
                  "does not start: hipErrorNoDevice (no ROCm-capable device is detected)");
  expect_unusable(FAKE_DRIVERS "/hip_vega.so", "hip:0",
                  "a Vega with the processor gfx906: code is made for gfx90a, gfx942, gfx950, "
                  "gfx1100, gfx1200");
}

/* ---- other libraries of the process --------------------------------------------------------- */

static const hip_library *library(void) {
  const char *why;
  const hip_library *h = hip_library_get(&why);
  assert_non_null(h);
  return h;
}

/* What HIP says was the last error is other libraries' own. */
static void test_last_error(void **state) {
  (void)state;
  scene s;
  float x[N];
  scene_open(&s);
  assert_int_equal(library()->error_take(), CARD_OK);
  tsr_buffer *b = tsr_buffer_wrap(s.dev, x, sizeof x);
  assert_int_equal(library()->error_peek(), CARD_OK);
  tsr_buffer_destroy(b);
  assert_int_not_equal(library()->device_set(77), CARD_OK);
  card_result before = library()->error_peek();
  assert_int_not_equal(before, CARD_OK);
  b = tsr_buffer_wrap(s.dev, x, sizeof x);
  assert_int_not_equal(library()->error_take(), CARD_OK);
  tsr_buffer_destroy(b);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* Work on the second card of two: it is the thread's for the time of a call. */
static int use_second_card(void) {
  world w;
  float x[N], y[N];
  int now = -1;
  setenv("TESSERA_HIP_LIBRARY", FAKE_DRIVERS "/pair.so", 1);
  world_open(&w);
  tsr_device_options options = {.struct_size = sizeof options, .cache_dir = ""};
  tsr_device *dev = tsr_device_open(w.ctx, "hip:1", &options);
  tsr_module *m = build_saxpy(w.ctx);
  tsr_program *p = tsr_program_create(dev, m);
  tsr_kernel *k = tsr_kernel_get(p, NULL);
  fill(x, y);
  tsr_buffer *bx = tsr_buffer_wrap(dev, x, BYTES), *by = tsr_buffer_wrap(dev, y, BYTES);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(2), tsr_arg_i32(N)};
  assert_int_equal(tsr_launch(k, grid, args, 4), TSR_OK);
  check(y, 2);
  assert_int_equal(library()->device_current(&now), CARD_OK);
  assert_int_equal(now, 0);
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  assert_null(tsr_device_open(w.ctx, "hip:2", NULL));
  expect_error(&w, "there is no device 'hip:2': HIP knows hip:0 to hip:1");
  world_close(&w);
  void *pair = dlopen(FAKE_DRIVERS "/pair.so", RTLD_NOW);
  int (*strays)(void);
  void *found = dlsym(pair, "pair_strays");
  memcpy(&strays, &found, sizeof strays);
  return strays();
}

static void test_second_card(void **state) {
  (void)state;
  int status;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(use_second_card());
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- prints --------------------------------------------------------------------------------- */

/* Each tile block prints its number, and twice that. */
static tsr_module *build_printing(tsr_context *ctx) {
  tsr_builder *b = tsr_builder_create(ctx, "printing");
  tsr_build_entry(b, "speak", (tsr_types){0});
  tsr_value x = tsr_build_get_tile_block_id(b);
  tsr_build_print_tko(b, "block %i of %i\n", TSR_VALUES(x, tsr_build_addi(b, x, x)));
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

typedef struct output {
  char text[1 << 16];
  size_t used;
} output;

static void take_output(void *user, const char *text, size_t length) {
  output *o = user;
  assert_true(o->used + length < sizeof o->text);
  memcpy(o->text + o->used, text, length);
  o->used += length;
}

static unsigned count_lines(const output *o) {
  unsigned n = 0;
  for (size_t i = 0; i < o->used; i++) n += o->text[i] == '\n';
  return n;
}

typedef struct speaker {
  scene s;
  output out;
} speaker;

static void speaker_open(speaker *x) {
  memset(x, 0, sizeof *x);
  world_open(&x->s.w);
  tsr_device_options options = {.struct_size = sizeof options,
                                .cache_dir = cache_folder,
                                .on_output = take_output,
                                .output_user = &x->out};
  x->s.dev = tsr_device_open(x->s.w.ctx, "hip:0", &options);
  x->s.module = build_printing(x->s.w.ctx);
  x->s.program = tsr_program_create(x->s.dev, x->s.module);
  x->s.kernel = tsr_kernel_get(x->s.program, "speak");
  expect_quiet(&x->s.w);
  assert_non_null(x->s.kernel);
}

static void test_prints(void **state) {
  (void)state;
  static speaker x;
  for (int again = 0; again <= 1; again++) {
    speaker_open(&x);
    assert_true(tsr_kernel_is_cached(x.s.kernel) == (again == 1));
    assert_int_equal(tsr_launch(x.s.kernel, (tsr_grid){3, 1, 1}, NULL, 0), TSR_OK);
    assert_int_equal(count_lines(&x.out), 3);
    assert_non_null(strstr(x.out.text, "block 2 of 4\n"));
    tsr_stream *stream = tsr_stream_create(x.s.dev);
    assert_int_equal(tsr_launch_on(stream, x.s.kernel, (tsr_grid){2, 1, 1}, NULL, 0), TSR_OK);
    assert_int_equal(tsr_stream_wait(stream), TSR_OK);
    assert_int_equal(count_lines(&x.out), 5);
    tsr_stream_destroy(stream);
    expect_quiet(&x.s.w);
    scene_close(&x.s);
  }
}

static void *speak(void *user) {
  speaker *x = user;
  tsr_stream *stream = tsr_stream_create(x->s.dev);
  bool good = stream != NULL;
  for (int i = 0; i < 5 && good; i++)
    good = tsr_launch(x->s.kernel, (tsr_grid){7, 1, 1}, NULL, 0) == TSR_OK &&
           tsr_launch_on(stream, x->s.kernel, (tsr_grid){3, 1, 1}, NULL, 0) == TSR_OK;
  tsr_stream_destroy(stream);
  return good ? x : NULL;
}

/* Launches of several threads, each with all of its lines. */
static void test_prints_of_threads(void **state) {
  (void)state;
  static speaker x;
  pthread_t threads[4];
  speaker_open(&x);
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, speak, &x), 0);
  for (int i = 0; i < 4; i++) {
    void *good;
    pthread_join(threads[i], &good);
    assert_non_null(good);
  }
  assert_int_equal(count_lines(&x.out), 4 * 5 * 10);
  expect_quiet(&x.s.w);
  scene_close(&x.s);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* With code that was compiled, and with that from the cache. */
static void test_asserts(void **state) {
  (void)state;
  for (int again = 0; again <= 1; again++) {
    scene s;
    scene_open_with(&s, build_failing, "fail");
    assert_true(tsr_kernel_is_cached(s.kernel) == (again == 1));
    tsr_arg args[] = {tsr_arg_nullable(NULL)};
    assert_int_equal(tsr_launch(s.kernel, (tsr_grid){3, 1, 1}, args, 1), TSR_OK);
    assert_int_equal(tsr_launch(s.kernel, (tsr_grid){4, 1, 1}, args, 1), TSR_ERROR_TRAP);
    expect_error(&s.w, "'fail' on hip:0: assertion 'three is too many' failed in fail");
    tsr_stream *stream = tsr_stream_create(s.dev);
    card_result r = tsr_launch_on(stream, s.kernel, (tsr_grid){4, 1, 1}, args, 1);
    if (r == TSR_OK) r = tsr_stream_wait(stream);
    assert_int_equal(r, TSR_ERROR_TRAP);
    world_forget(&s.w);
    tsr_stream_destroy(stream);
    scene_close(&s);
  }
}

static void test_bad_calls(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  tsr_arg args[] = {tsr_arg_nullable(NULL), tsr_arg_nullable(NULL), tsr_arg_f32(6), tsr_arg_i32(0)};
  assert_int_equal(tsr_launch(s.kernel, (tsr_grid){INT32_MAX, 1, 1}, args, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "threads in x: a GPU takes at most");
  args[1] = tsr_arg_address((void *)(uintptr_t)3);
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "not aligned");
  args[1] = tsr_arg_address((void *)(uintptr_t)4096);
  args[0] = args[1];
  args[3] = tsr_arg_i32(N);
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_ERROR_TRAP);
  expect_error(&s.w, "'saxpy' on hip:0: hipErrorIllegalAddress (an illegal memory access");
  scene_close(&s);
  world w;
  world_open(&w);
  assert_null(tsr_device_open(w.ctx, "hip:1", NULL));
  expect_error(&w, "there is no device 'hip:1': HIP knows hip:0 to hip:0");
  tsr_device_options options = {.struct_size = sizeof options, .sanitize = TSR_SANITIZE_BOUNDS};
  assert_null(tsr_device_open(w.ctx, "hip:0", &options));
  expect_error(&w, "the device 'hip:0' checks nothing");
  world_close(&w);
}

/* A library that says it has another card than code can be loaded for. */
static int load_refused(void) {
  world w;
  setenv("TESSERA_HIP_LIBRARY", FAKE_DRIVERS "/liar.so", 1);
  world_open(&w);
  tsr_device *dev = tsr_device_open(w.ctx, "hip:0", NULL);
  tsr_module *m = build_saxpy(w.ctx);
  tsr_program *p = tsr_program_create(dev, m);
  assert_null(tsr_kernel_get(p, "saxpy"));
  expect_error(&w,
               "HIP does not take the code for gfx950: hipErrorNoBinaryForGpu (no kernel image");
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  world_close(&w);
  return 0;
}

static void test_refused_code(void **state) {
  (void)state;
  int status;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(load_refused());
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unusable_libraries), /* first: a process opens the library once */
      cmocka_unit_test(test_second_card),
      cmocka_unit_test(test_refused_code),
      cmocka_unit_test(test_device_memory),
      cmocka_unit_test(test_host_copies),
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_streams_behind_calls),
      cmocka_unit_test(test_last_error),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_cache),
      cmocka_unit_test(test_prints),
      cmocka_unit_test(test_prints_of_threads),
      cmocka_unit_test(test_asserts),
      cmocka_unit_test(test_bad_calls),
      cmocka_unit_test(test_out_of_memory),
  };
  unsetenv("TESSERA_CACHE"); /* the test has a cache folder of its own */
  unsetenv("TESSERA_HIP_DEVICE");
  if (!mkdtemp(cache_folder)) return 1;
  setenv("TESSERA_HIP_LIBRARY", LIBRARY, 1);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", cache_folder);
  return system(command) || failed;
}
