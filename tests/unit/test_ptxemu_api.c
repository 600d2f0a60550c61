/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The emulator as a library: launches that are checked, their findings, tensor maps.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <tessera/tessera.h>

enum { ROWS = 40, COLUMNS = 64 };

typedef struct setup {
  tsr_context *ctx;
  tsr_device *dev;
  tsr_buffer *in, *out, *map_in, *map_out;
} setup;

static char message[512];
static void note(void *user, const tsr_diagnostic *d) {
  (void)user;
  if (d->severity == TSR_ERROR) snprintf(message, sizeof message, "%s", d->message);
}

static tsr_ptx_tensor tensor(void) {
  return (tsr_ptx_tensor){.struct_size = sizeof(tsr_ptx_tensor),
                          .elem = TSR_F32,
                          .rank = 2,
                          .dims = {COLUMNS, ROWS},
                          .strides = {COLUMNS * 4},
                          .box = {32, 32}};
}

static void begin(setup *s) {
  tsr_context_options o = {.struct_size = sizeof o, .on_diagnostic = note};
  s->ctx = tsr_context_create(&o);
  s->dev = tsr_device_open(s->ctx, "emu:sm_90a", NULL);
  s->in = tsr_buffer_create(s->dev, ROWS * COLUMNS * 4);
  s->out = tsr_buffer_create(s->dev, ROWS * COLUMNS * 4);
  s->map_in = tsr_buffer_create(s->dev, TSR_PTX_TENSOR_MAP_BYTES);
  s->map_out = tsr_buffer_create(s->dev, TSR_PTX_TENSOR_MAP_BYTES);
  assert_non_null(s->map_out);
  tsr_ptx_tensor t = tensor();
  for (int i = 0; i < ROWS * COLUMNS; i++) ((float *)tsr_buffer_data(s->in))[i] = (float)i;
  assert_int_equal(tsr_ptx_tensor_map(s->in, 0, &t, tsr_buffer_data(s->map_in)), TSR_OK);
  assert_int_equal(tsr_ptx_tensor_map(s->out, 0, &t, tsr_buffer_data(s->map_out)), TSR_OK);
}

static void end(setup *s) {
  tsr_buffer_destroy(s->in);
  tsr_buffer_destroy(s->out);
  tsr_buffer_destroy(s->map_in);
  tsr_buffer_destroy(s->map_out);
  tsr_device_close(s->dev);
  tsr_context_destroy(s->ctx);
}

/* Runs tests/ptx/cuda/tma_store.ptx, or its faulty version. The findings, for tsr_string_free. */
static char *run(setup *s, const char *path, tsr_ptx_format format, size_t *count) {
  static char text[1 << 17];
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  size_t n = fread(text, 1, sizeof text, f);
  fclose(f);
  tsr_ptx *ptx = tsr_ptx_create(s->dev, path, text, n);
  assert_non_null(ptx);
  tsr_arg args[] = {tsr_arg_buffer(s->map_in), tsr_arg_buffer(s->map_out)};
  tsr_ptx_launch how = {.struct_size = sizeof how,
                        .grid = {2, 2, 1},
                        .block = {128, 1, 1},
                        .async = TSR_PTX_LATE,
                        .check = true};
  assert_int_equal(tsr_ptx_run(ptx, NULL, &how, args, 2), TSR_OK);
  char *found = tsr_ptx_findings(ptx, format, count);
  assert_non_null(found);
  tsr_ptx_destroy(ptx);
  return found;
}

static void test_findings(void **state) {
  (void)state;
  setup s;
  size_t count = 9;
  begin(&s);
  char *found = run(&s, "tests/ptx/cuda/tma_store.ptx", TSR_PTX_TEXT, &count);
  assert_int_equal(count, 0);
  assert_string_equal(found, "");
  tsr_string_free(s.ctx, found);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    assert_true(((float *)tsr_buffer_data(s.out))[i] == 2 * (float)i);
  found = run(&s, "tests/ptx/cuda/tma_store.fault.ptx", TSR_PTX_JSON, &count);
  assert_int_equal(count, 1);
  assert_non_null(strstr(found, "\"kind\": \"missing-fence\""));
  tsr_string_free(s.ctx, found);
  assert_null(tsr_ptx_findings(NULL, TSR_PTX_TEXT, &count));
  end(&s);
}

/* A buffer that nothing was written to yet, read too early; then only after what was written. */
static void test_unwritten(void **state) {
  (void)state;
  static const char text[] =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n"
      ".reg .b64 %d; .reg .b32 %r;\nld.param.u64 %d, [x];\nmov.u32 %r, 7;\n"
      "st.global.u32 [%d], %r;\nld.global.u32 %r, [%d];\nld.global.u32 %r, [%d+4];\nret;\n}\n";
  setup s;
  begin(&s);
  tsr_ptx *ptx = tsr_ptx_create(s.dev, "k.ptx", text, sizeof text - 1);
  assert_non_null(ptx);
  tsr_ptx_launch how = {.struct_size = sizeof how, .check = true};
  tsr_arg arg = tsr_arg_buffer(s.out);
  size_t count;
  for (unsigned marked = 0; marked < 2; marked++) {
    if (marked) assert_int_equal(tsr_ptx_set_unwritten(ptx, s.out, 0, 64), TSR_OK);
    assert_int_equal(tsr_ptx_run(ptx, NULL, &how, &arg, 1), TSR_OK);
    char *found = tsr_ptx_findings(ptx, TSR_PTX_TEXT, &count);
    assert_int_equal(count, marked);
    if (marked) assert_non_null(strstr(found, "reads global memory that nothing was written to"));
    if (marked) assert_non_null(strstr(found, "k.ptx:11"));
    tsr_string_free(s.ctx, found);
  }
  assert_int_equal(tsr_ptx_set_unwritten(ptx, s.out, ROWS * COLUMNS * 4, 1), TSR_ERROR_USAGE);
  assert_non_null(strstr(message, "bytes of a buffer"));
  assert_int_equal(tsr_ptx_set_unwritten(NULL, s.out, 0, 1), TSR_ERROR_USAGE);
  tsr_ptx_destroy(ptx);
  end(&s);
}

/* ---- launches of several blocks -------------------------------------------------------------- */

enum { STORES = 6 };

/* Every thread stores its number; blocks of 64 threads. */
static tsr_ptx *store_kernel(const setup *s) {
  static const char text[] =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry put(.param .u64 x)\n{\n"
      ".reg .b64 %d<3>; .reg .b32 %r<3>;\nld.param.u64 %d0, [x];\nmov.u32 %r0, %ctaid.x;\n"
      "mov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r0, 64, %r1;\nmul.wide.u32 %d1, %r2, 4;\n"
      "add.u64 %d2, %d0, %d1;\nst.global.u32 [%d2], %r2;\nret;\n}\n";
  tsr_ptx *ptx = tsr_ptx_create(s->dev, "put.ptx", text, sizeof text - 1);
  assert_non_null(ptx);
  return ptx;
}

typedef struct progress {
  unsigned calls;
  uint64_t done, total;
} progress;

static void follow(void *user, uint64_t done, uint64_t total) {
  progress *p = user;
  assert_true(done > p->done && done <= total);
  *p = (progress){p->calls + 1, done, total};
}

static void run_stores(const setup *s, tsr_ptx *ptx, tsr_ptx_launch how) {
  tsr_arg arg = tsr_arg_buffer(s->out);
  how.struct_size = sizeof how;
  how.grid[0] = STORES, how.block[0] = 64;
  assert_int_equal(tsr_ptx_run(ptx, NULL, &how, &arg, 1), TSR_OK);
  for (uint32_t i = 0; i < STORES * 64; i++)
    assert_int_equal(((uint32_t *)tsr_buffer_data(s->out))[i], i);
}

/* Blocks are counted as they end, those of a cluster together. */
static void test_progress(void **state) {
  (void)state;
  setup s;
  begin(&s);
  tsr_ptx *ptx = store_kernel(&s);
  for (uint32_t cluster = 1; cluster <= 3; cluster++) {
    progress p = {0};
    run_stores(
        &s, ptx,
        (tsr_ptx_launch){.cluster = {cluster, 1, 1}, .on_progress = follow, .progress_user = &p});
    assert_int_equal(p.calls, STORES / cluster);
    assert_int_equal(p.done, STORES);
    assert_int_equal(p.total, STORES);
  }
  tsr_ptx_destroy(ptx);
  end(&s);
}

static void says(const setup *s, char *text, const char *what) {
  assert_non_null(text);
  if (!strstr(text, what)) fail_msg("'%s' does not say '%s'", text, what);
  tsr_string_free(s->ctx, text);
}

static void test_counters(void **state) {
  (void)state;
  setup s;
  uint64_t launches = 9;
  begin(&s);
  tsr_ptx *ptx = store_kernel(&s);
  run_stores(&s, ptx, (tsr_ptx_launch){0}); /* not asked to count */
  assert_null(tsr_ptx_counters(ptx, "put", NULL, TSR_PTX_TEXT, &launches));
  assert_int_equal(launches, 0);
  for (unsigned i = 0; i < 2; i++) run_stores(&s, ptx, (tsr_ptx_launch){.count = true});
  says(&s, tsr_ptx_counters(ptx, "put", NULL, TSR_PTX_TEXT, &launches), "put.ptx:13");
  assert_int_equal(launches, 2);
  /* Two launches of 6 blocks of two warps, eight instructions each. */
  says(&s, tsr_ptx_counters(ptx, "put", "a100", TSR_PTX_JSON, NULL),
       "\"warps\": 192, \"lanes\": 6144,");
  assert_null(tsr_ptx_counters(ptx, "get", NULL, TSR_PTX_TEXT, &launches));
  assert_int_equal(launches, 0);
  assert_null(tsr_ptx_counters(ptx, "put", "abacus", TSR_PTX_TEXT, NULL));
  assert_null(tsr_ptx_counters(NULL, "put", NULL, TSR_PTX_TEXT, &launches));
  tsr_ptx_destroy(ptx);
  end(&s);
}

/* ---- tensor maps ----------------------------------------------------------------------------- */

static void refuses(const setup *s, tsr_ptx_tensor t, size_t offset, const char *says) {
  uint8_t object[TSR_PTX_TENSOR_MAP_BYTES];
  message[0] = 0;
  assert_int_equal(tsr_ptx_tensor_map(s->in, offset, &t, object), TSR_ERROR_USAGE);
  if (!strstr(message, says)) fail_msg("'%s' does not say '%s'", message, says);
}

static void test_maps(void **state) {
  (void)state;
  setup s;
  begin(&s);
  tsr_ptx_tensor t = tensor();
  t.struct_size = 3, refuses(&s, t, 0, "struct_size");
  t = tensor(), t.elem = TSR_I1, refuses(&s, t, 0, "element type");
  t = tensor(), t.rank = 6, refuses(&s, t, 0, "1 to 5");
  t = tensor(), t.box[0] = 300, refuses(&s, t, 0, "1 to 256");
  t = tensor(), t.swizzle = 48, refuses(&s, t, 0, "swizzle");
  t = tensor(), refuses(&s, t, 4, "multiple of 16");
  t = tensor(), refuses(&s, t, (size_t)1 << 30, "behind the buffer's end");
  t = tensor(), t.fill_nan = true, t.elem = TSR_I32, refuses(&s, t, 0, "NaN");
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_findings),
                                     cmocka_unit_test(test_unwritten),
                                     cmocka_unit_test(test_progress),
                                     cmocka_unit_test(test_counters), cmocka_unit_test(test_maps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
