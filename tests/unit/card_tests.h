/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tests of the devices "cuda:N" and "hip:N" share. Whoever includes it has defined
 * CARD_DEVICE ("cuda:0"), CARD_KIND ("cuda") and CARD_LIBRARY, the variable that names the vendor's
 * library.
 */
#ifndef TSR_TESTS_CARD_TESTS_H
#define TSR_TESTS_CARD_TESTS_H

#include "rt_support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "rt/rt.h"

/* ---- libraries that cannot be used ---------------------------------------------------------- */

/* A process opens the driver once, so each is tried in one of its own. 0 when the message is as
 * expected. */
static int try_driver(const char *path, const char *device, const char *message) {
  world w;
  char text[1024];
  setenv(CARD_LIBRARY, path, 1);
  world_open(&w);
  tsr_device_describe(device, text, sizeof text);
  bool said = strstr(text, message) != NULL;
  tsr_device *dev = tsr_device_open(w.ctx, device, NULL);
  bool good = !dev && w.errors == 1 && strstr(w.messages, message);
  if (!good) fprintf(stderr, "expected: %s\nfound: %s\n", message, w.messages);
  good = good && (said || strstr(message, "code is made for"));
  world_close(&w);
  return good ? 0 : 1;
}

static void expect_unusable(const char *path, const char *device, const char *message) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(try_driver(path, device, message));
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- a scene -------------------------------------------------------------------------------- */

enum { N = 1000, BYTES = N * sizeof(float), BLOCKS = (N + 127) / 128 };

typedef struct scene {
  world w;
  tsr_device *dev;
  tsr_module *module;
  tsr_program *program;
  tsr_kernel *kernel;
} scene;

static char cache_folder[] = "/tmp/tessera-card-XXXXXX";

static void scene_open_with(scene *s, tsr_module *(*make)(tsr_context *), const char *kernel) {
  memset(s, 0, sizeof *s);
  world_open(&s->w);
  tsr_device_options options = {.struct_size = sizeof options, .cache_dir = cache_folder};
  s->dev = tsr_device_open(s->w.ctx, CARD_DEVICE, &options);
  expect_quiet(&s->w);
  assert_non_null(s->dev);
  s->module = make(s->w.ctx);
  s->program = tsr_program_create(s->dev, s->module);
  s->kernel = tsr_kernel_get(s->program, kernel);
  expect_quiet(&s->w);
  assert_non_null(s->kernel);
}

static void scene_open(scene *s) {
  scene_open_with(s, build_saxpy, "saxpy");
}

static void scene_close(scene *s) {
  tsr_program_destroy(s->program);
  tsr_module_destroy(s->module);
  tsr_device_close(s->dev);
  world_close(&s->w);
}

static const tsr_grid grid = {BLOCKS, 1, 1};

static void fill(float *x, float *y) {
  for (int i = 0; i < N; i++) {
    x[i] = (float)i;
    y[i] = 0.25f;
  }
}

static void check(const float *y, float a) {
  for (int i = 0; i < N; i++) assert_true(y[i] == a * (float)i + 0.25f);
}

/* ---- buffers -------------------------------------------------------------------------------- */

static void test_device_memory(void **state) {
  (void)state;
  scene s;
  float x[N], y[N], part[3];
  scene_open(&s);
  fill(x, y);
  tsr_buffer *bx = tsr_buffer_create(s.dev, BYTES), *by = tsr_buffer_create(s.dev, BYTES);
  assert_int_equal(tsr_buffer_read(by, 0, part, sizeof part), TSR_OK);
  assert_true(part[0] == 0 && part[2] == 0); /* zeroed */
  assert_int_equal(tsr_buffer_write(bx, 0, x, BYTES), TSR_OK);
  assert_int_equal(tsr_buffer_write(by, 0, y, BYTES), TSR_OK);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(3), tsr_arg_i32(N)};
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_OK);
  assert_int_equal(tsr_buffer_read(by, 0, y, BYTES), TSR_OK);
  check(y, 3);
  assert_int_equal(tsr_buffer_read(by, 8, part, sizeof part), TSR_OK);
  assert_true(part[0] == 6.25f && part[2] == 12.25f);
  assert_null(bx->data); /* nobody asked for a host copy */
  args[0] = tsr_arg_address((void *)(uintptr_t)tsr_buffer_address(bx));
  assert_int_equal(tsr_buffer_write(by, 0, (float[N]){0}, BYTES), TSR_OK);
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_OK);
  assert_int_equal(tsr_buffer_read(by, 4 * 10, part, 4), TSR_OK);
  assert_true(part[0] == 30);
  assert_int_equal(tsr_buffer_read(by, BYTES, part, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "a copy of 4 bytes at offset 4000 of a buffer of 4000 bytes");
  assert_int_equal(tsr_buffer_write(by, SIZE_MAX, part, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "a copy of 4 bytes at offset");
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  assert_null(tsr_buffer_create(s.dev, SIZE_MAX / 2));
  assert_int_equal(s.w.errors, 2); /* the driver's words, and how much */
  world_forget(&s.w);
  scene_close(&s);
}

/* Programs written for devices that share the host's memory. */
static void test_host_copies(void **state) {
  (void)state;
  scene s;
  float y[N];
  scene_open(&s);
  tsr_buffer *bx = tsr_buffer_create(s.dev, BYTES), *by = tsr_buffer_wrap(s.dev, y, BYTES);
  float *x = tsr_buffer_data(bx);
  assert_ptr_equal(tsr_buffer_data(by), y);
  fill(x, y);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(2), tsr_arg_i32(N)};
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_OK);
  check(y, 2);
  for (int i = 0; i < N; i++) y[i] = 0.25f; /* what the host writes reaches the device */
  x[7] = 70;
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_OK);
  assert_true(y[7] == 140.25f && y[8] == 16.25f);
  float part;
  assert_int_equal(tsr_buffer_read(by, 28, &part, 4), TSR_OK);
  assert_true(part == 140.25f);
  /* The device's own memory is not copied. */
  tsr_buffer *wrapped = tsr_buffer_wrap(s.dev, (void *)(uintptr_t)tsr_buffer_address(bx), BYTES);
  assert_false(wrapped->mirrored);
  assert_true(tsr_buffer_address(wrapped) == tsr_buffer_address(bx));
  tsr_stream *stream = tsr_stream_create(s.dev);
  assert_int_equal(tsr_launch_on(stream, s.kernel, grid, args, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "a buffer with a host copy");
  assert_int_equal(tsr_stream_write(stream, bx, 0, y, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "a buffer with a host copy");
  tsr_stream_destroy(stream);
  tsr_buffer_destroy(wrapped);
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  tsr_buffer *empty = tsr_buffer_create(s.dev, 0);
  assert_non_null(tsr_buffer_data(empty));
  tsr_buffer_destroy(empty);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* ---- streams and events --------------------------------------------------------------------- */

static void test_streams(void **state) {
  (void)state;
  scene s;
  float x[N], y[N];
  double ms = -1;
  scene_open(&s);
  fill(x, y);
  tsr_buffer *bx = tsr_buffer_create(s.dev, BYTES), *by = tsr_buffer_create(s.dev, BYTES);
  tsr_stream *one = tsr_stream_create(s.dev), *two = tsr_stream_create(s.dev);
  tsr_event *before = tsr_event_create(s.dev), *behind = tsr_event_create(s.dev);
  assert_int_equal(tsr_event_elapsed(before, behind, &ms), TSR_ERROR_USAGE);
  expect_error(&s.w, "never recorded");
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(5), tsr_arg_i32(N)};
  assert_int_equal(tsr_event_record(before, one), TSR_OK);
  assert_int_equal(tsr_stream_write(one, bx, 0, x, BYTES), TSR_OK);
  assert_int_equal(tsr_stream_write(one, by, 0, y, BYTES), TSR_OK);
  assert_int_equal(tsr_launch_on(one, s.kernel, grid, args, 4), TSR_OK);
  assert_int_equal(tsr_event_record(behind, one), TSR_OK);
  assert_int_equal(tsr_stream_wait_event(two, behind), TSR_OK);
  assert_int_equal(tsr_stream_read(two, by, 0, y, BYTES), TSR_OK);
  assert_int_equal(tsr_stream_wait(two), TSR_OK);
  check(y, 5);
  assert_int_equal(tsr_event_wait(behind), TSR_OK);
  assert_int_equal(tsr_event_elapsed(before, behind, &ms), TSR_OK);
  assert_true(ms >= 0);
  tsr_device *cpu = tsr_device_open(s.w.ctx, "interp", NULL);
  tsr_stream *other = tsr_stream_create(cpu);
  assert_int_equal(tsr_launch_on(other, s.kernel, grid, args, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "the stream is another device's");
  assert_int_equal(tsr_stream_write(other, bx, 0, x, 4), TSR_ERROR_USAGE);
  expect_error(&s.w, "the stream is of the device 'interp', the rest of '" CARD_KIND "'");
  tsr_stream_destroy(other);
  tsr_device_close(cpu);
  tsr_event_destroy(before);
  tsr_event_destroy(behind);
  tsr_stream_destroy(one);
  tsr_stream_destroy(two);
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* What a call without a stream has returned from is there for every stream, though CUDA does not
 * let its non-blocking streams wait for the default one: zeros, what was written, host copies. */
static void test_streams_behind_calls(void **state) {
  (void)state;
  scene s;
  float x[N], y[N];
  scene_open(&s);
  fill(x, y);
  tsr_stream *stream = tsr_stream_create(s.dev);
  tsr_buffer *bx = tsr_buffer_create(s.dev, BYTES), *by = tsr_buffer_create(s.dev, BYTES);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(5), tsr_arg_i32(N)};
  assert_int_equal(tsr_stream_write(stream, bx, 0, x, BYTES), TSR_OK); /* over the zeros */
  assert_int_equal(tsr_stream_write(stream, by, 0, y, BYTES), TSR_OK);
  assert_int_equal(tsr_launch_on(stream, s.kernel, grid, args, 4), TSR_OK);
  assert_int_equal(tsr_stream_wait(stream), TSR_OK);
  assert_int_equal(tsr_buffer_read(by, 0, y, BYTES), TSR_OK);
  check(y, 5);
  fill(x, y);
  assert_int_equal(tsr_buffer_write(by, 0, y, BYTES), TSR_OK); /* over the results */
  assert_int_equal(tsr_launch_on(stream, s.kernel, grid, args, 4), TSR_OK);
  assert_int_equal(tsr_stream_read(stream, by, 0, y, BYTES), TSR_OK);
  assert_int_equal(tsr_stream_wait(stream), TSR_OK);
  check(y, 5);
  tsr_buffer_destroy(by);
  by = tsr_buffer_create(s.dev, BYTES);
  args[1] = tsr_arg_buffer(by);
  assert_int_equal(tsr_launch_on(stream, s.kernel, grid, args, 4), TSR_OK); /* adds to zeros */
  assert_int_equal(tsr_stream_read(stream, by, 0, y, BYTES), TSR_OK);
  tsr_stream_destroy(stream); /* waits */
  for (int i = 0; i < N; i++) assert_true(y[i] == 5 * (float)i);
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct worker {
  pthread_t thread;
  scene *s;
  bool good;
} worker;

static void *work(void *user) {
  worker *me = user;
  tsr_stream *stream = tsr_stream_create(me->s->dev);
  me->good = stream != NULL;
  for (int i = 0; i < 5 && me->good; i++) {
    tsr_arg args[] = {tsr_arg_nullable(NULL), tsr_arg_nullable(NULL), tsr_arg_f32(1),
                      tsr_arg_i32(0)};
    me->good = tsr_launch_on(stream, me->s->kernel, grid, args, 4) == TSR_OK &&
               tsr_launch(me->s->kernel, grid, args, 4) == TSR_OK;
  }
  me->good = me->good && tsr_stream_wait(stream) == TSR_OK;
  tsr_stream_destroy(stream);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  scene s;
  worker workers[4];
  scene_open(&s);
  for (int i = 0; i < 4; i++) {
    workers[i] = (worker){.s = &s};
    assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(workers[i].thread, NULL);
    assert_true(workers[i].good);
  }
  expect_quiet(&s.w);
  scene_close(&s);
}

/* ---- the cache ------------------------------------------------------------------------------ */

static void test_cache(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  scene_close(&s);
  scene_open(&s);
  assert_true(tsr_kernel_is_cached(s.kernel));
  float x[N], y[N];
  fill(x, y);
  tsr_buffer *bx = tsr_buffer_wrap(s.dev, x, BYTES), *by = tsr_buffer_wrap(s.dev, y, BYTES);
  tsr_arg args[] = {tsr_arg_buffer(bx), tsr_arg_buffer(by), tsr_arg_f32(6), tsr_arg_i32(N)};
  assert_int_equal(tsr_launch(s.kernel, grid, args, 4), TSR_OK);
  check(y, 6);
  tsr_buffer_destroy(bx);
  tsr_buffer_destroy(by);
  scene_close(&s);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* Fails an assert in block 3. */
static tsr_module *build_failing(tsr_context *ctx) {
  tsr_builder *b = tsr_builder_create(ctx, "failing");
  tsr_type i32 = tsr_type_scalar(b, TSR_I32);
  tsr_build_entry(b, "fail", TSR_TYPES(tsr_type_pointer(b, TSR_I32)));
  tsr_value x = tsr_build_get_tile_block_id(b);
  tsr_value fine = tsr_build_cmpi(b, x, tsr_build_int(b, i32, 3), TSR_CMP_NOT_EQUAL, TSR_SIGNED);
  tsr_build_assert(b, fine, "three is too many");
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

/* From opening the device to a result, with code from the cache or not. Whether all of it went
 * well.
 */
static bool do_all(world *w, const char *folder) {
  float x[N], y[N];
  tsr_device_options options = {.struct_size = sizeof options, .cache_dir = folder};
  fill(x, y);
  tsr_device *dev = tsr_device_open(w->ctx, CARD_DEVICE, &options);
  tsr_module *m = dev ? build_saxpy(w->ctx) : NULL;
  tsr_program *p = m ? tsr_program_create(dev, m) : NULL;
  tsr_buffer *b = p ? tsr_buffer_create(dev, BYTES) : NULL;
  float *data = b ? tsr_buffer_data(b) : NULL;
  tsr_stream *stream = data ? tsr_stream_create(dev) : NULL;
  tsr_event *event = stream ? tsr_event_create(dev) : NULL;
  tsr_buffer *by = event ? tsr_buffer_wrap(dev, y, BYTES) : NULL;
  tsr_kernel *k = by ? tsr_kernel_get(p, NULL) : NULL;
  if (data) memcpy(data, x, BYTES);
  tsr_arg args[] = {tsr_arg_buffer(b), tsr_arg_buffer(by), tsr_arg_f32(3), tsr_arg_i32(N)};
  bool good = k && tsr_launch(k, grid, args, 4) == TSR_OK;
  if (good) check(y, 3);
  tsr_event_destroy(event);
  tsr_stream_destroy(stream);
  tsr_buffer_destroy(by);
  tsr_buffer_destroy(b);
  tsr_program_destroy(p);
  if (m) tsr_module_destroy(m);
  tsr_device_close(dev);
  return good;
}

/* Whatever allocation fails, nothing is lost, and the next attempt succeeds. */
static void fail_each(const char *folder, long step) {
  for (long n = 1;; n += step) {
    world w;
    world_open_failing(&w, n);
    if (!w.ctx) continue;
    bool good = do_all(&w, folder);
    world_close(&w);
    if (good && w.allocations < n) break;
    assert_true(n < 100000);
  }
  world w;
  world_open(&w);
  assert_true(do_all(&w, folder));
  world_close(&w);
}

static void test_out_of_memory(void **state) {
  (void)state;
  fail_each(cache_folder, 1);
  fail_each("", 7); /* compiling takes many */
}

#endif
