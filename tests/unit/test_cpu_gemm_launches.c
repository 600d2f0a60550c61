/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products along a loop: products of bf16 in pairs where numbers are next to nothing, and
 * launches of one kernel with other contents or at the edge of memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include <tessera/tessera.h>

#include "gemm_scene.h"

/* ---- numbers of bf16 that are hardly there ----------------------------------------------------
 */

/* AVX-512 has an instruction for pairs of bf16 that takes subnormal numbers for zero. */
typedef enum low_kind {
  LOW_A, /* a has subnormal elements */
  LOW_B,
  LOW_PRODUCTS, /* all products are subnormal */
  LOW_SUMS,     /* normal products almost cancel out */
  LOW_ONE,      /* one element of a, with which products are subnormal */
  LOW_ONE_OF_B,
  NOT_LOW,      /* as low as is still enough */
  LOW_ZEROS,    /* most are zeros, of both signs */
  LOW_INFINITE, /* infinities times subnormal numbers; NaNs */
  LOW_KINDS
} low_kind;

static uint16_t bf16_of(bool negative, int exponent, unsigned mantissa) {
  return (uint16_t)(negative << 15 | (exponent + 127) << 7 | (mantissa & 127));
}

static uint16_t low_element(low_kind kind, int side, size_t i, uint32_t r) {
  bool negative = r >> 31, seldom = i % 61 == 7;
  unsigned mantissa = r >> 8;
  uint16_t usual = bf16_of(negative, (int)(r >> 16 & 7) - 4, mantissa);
  uint16_t subnormal = (uint16_t)(negative << 15 | (mantissa & 127));
  switch (kind) {
  case LOW_A: return side == 0 && seldom ? subnormal : usual;
  case LOW_B: return side == 1 && seldom ? subnormal : usual;
  case LOW_PRODUCTS: return bf16_of(negative, -67 + (int)(r >> 16 & 3), mantissa);
  case LOW_SUMS: return bf16_of(negative, side ? -60 : -66 + (int)(r >> 16 & 1), mantissa);
  case LOW_ONE: return side == 0 && i == 1234 ? bf16_of(false, -125, 1) : usual;
  case LOW_ONE_OF_B: return side == 1 && i == 1234 ? bf16_of(false, -125, 1) : usual;
  case NOT_LOW: return bf16_of(negative, -56 + (int)(r >> 16 & 3), mantissa);
  case LOW_ZEROS: return seldom ? subnormal : (uint16_t)(negative << 15);
  default:
    if (i % 997 == 3) return side ? subnormal : bf16_of(negative, 128, 0);
    return i % 1999 == 5 ? bf16_of(negative, 128, 3) : usual;
  }
}

static float f32_of(uint16_t bf16) {
  uint32_t bits = (uint32_t)bf16 << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

/* What the result may differ by from the exact one (docs/numerics.md); of numbers that are
 * subnormal in f32, half of the smallest for each step. */
static void check_low_sum(const scene *s, low_kind kind, const arrays *x, int i, int j,
                          double start) {
  const uint16_t *a = x->at[0], *b = x->at[1];
  long double sum = start, all = fabs(start);
  for (int k = 0; k < s->depth; k++) {
    long double term = (long double)f32_of(a[i * s->depth + k]) * f32_of(b[k * s->cols + j]);
    sum += term;
    all += fabsl(term);
  }
  float got;
  uint32_t bits;
  memcpy(&got, (float *)x->at[2] + i * s->cols + j, 4);
  memcpy(&bits, &got, 4);
  if (sum != sum) {
    assert_int_equal(bits, 0x7fc00000);
  } else if (isinf(sum)) {
    assert_true(got == sum);
  } else if (!(fabsl(got - sum) <= (s->depth + 1) * (0x1p-24L * all + 0x1p-150L))) {
    fail_msg("%s, kind %d, %d, %d: %a instead of %a", s->name, kind, i, j, got, (double)sum);
  }
}

static void check_low(const scene *s, low_kind kind, const char *start) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena memory;
  arena_init(&memory, ctx);
  arrays x = make_arrays(s);
  uint32_t r = 5;
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < ROOM; i++) {
      r = r * 1664525u + 1013904223u;
      ((uint16_t *)x.at[side])[i] = low_element(kind, side, i, r);
    }
  uint64_t args[6];
  arguments(s, &x, args);
  run_grid grid = {s->grid_x, s->grid_y, 1};
  if (!run_compiled(text_of(&memory, s, start), "k", grid, args, &report))
    fail_msg("%s: %s", s->name, report.diagnostics);
  for (int i = 0; i < s->rows; i++)
    for (int j = 0; j < s->cols; j++) check_low_sum(s, kind, &x, i, j, (float)atof(start));
  free_arrays(&x);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

#define BF16 .elem = "bf16", .sum = "f32"
static void test_low(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "one block", BF16, TILE(32, 32, 32), SIZE(32, 32, 64), GRID(1, 1)},
      {.name = "edges", BF16, TILE(32, 32, 32), SIZE(70, 60, 303), GRID(3, 2)},
      {.name = "chunks", BF16, TILE(64, 128, 64), SIZE(64, 128, 1100), GRID(1, 1)},
      {.name = "short", BF16, TILE(32, 16, 2), SIZE(40, 20, 7), GRID(2, 2)},
      {.name = "rows",
       BF16,
       TILE(32, 32, 32),
       SIZE(32, 32, 320),
       GRID(1, 1),
       .body = "%a1, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%a2 = reshape %a1 : $AT -> tile<4x8x32x$E>\n"
               "%a = reshape %a2 : tile<4x8x32x$E> -> $AT\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
  };
  static const char *const starts[] = {"0.0", "3.0", "1.0e-40"};
  unsigned count = cpu_has_bf16(engine_level) ? ARRAY_LEN(scenes) : 2;
  for (unsigned i = 0; i < count; i++)
    for (unsigned kind = 0; kind < LOW_KINDS; kind++)
      check_low(&scenes[i], kind, starts[(i + kind) % ARRAY_LEN(starts)]);
}

/* Which instruction it was can be told by the order in which it adds: 1, then 2^-25, which is lost,
 * and then -1; or -1 first. */
static void check_order(size_t at, uint16_t low, int row, bool in_pairs) {
  static const scene s = {.name = "order", BF16, TILE(64, 32, 32), SIZE(64, 32, 96), GRID(1, 1)};
  tsr_context *ctx = tsr_context_create(NULL);
  arena memory;
  arena_init(&memory, ctx);
  arrays x = make_arrays(&s);
  uint16_t *a = x.at[0], *b = x.at[1];
  memset(a, 0, x.bytes[0]);
  for (int i = 0; i < ROOM; i++) b[i] = bf16_of(false, 0, 0);
  for (int i = 0; i < s.rows; i++) {
    a[i * s.depth] = bf16_of(false, 0, 0);
    a[i * s.depth + 2] = bf16_of(true, 0, 0);
    a[i * s.depth + 3] = bf16_of(false, -25, 0);
  }
  if (at < ROOM) a[at] = low, a[at + 1] = low ^ 0x8000;
  if (at > ROOM) b[at - ROOM] = low;
  uint64_t args[6];
  arguments(&s, &x, args);
  assert_true(run_compiled(text_of(&memory, &s, "0.0"), "k", (run_grid){1, 1, 1}, args, &report));
  float sum;
  memcpy(&sum, (float *)x.at[2] + row * s.cols + 5, 4);
  if (sum != (in_pairs ? 0 : 0x1p-25f)) fail_msg("%d, %x in row %d: %a", (int)at, low, row, sum);
  free_arrays(&x);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

static void test_order(void **state) {
  (void)state;
  enum { DEPTH = 96, COLS = 32 };
  bool pairs = cpu_has_bf16(engine_level);
  uint16_t least = bf16_of(false, -112, 0), subnormal = 1;
  check_order(ROOM, 0, 7, pairs);
  check_order(20 * DEPTH + 50, least, 20, pairs);
  check_order(20 * DEPTH + 50, (uint16_t)(least - 1), 20, false);
  check_order(20 * DEPTH + 50, (uint16_t)(least - 1), 40, pairs); /* another block of rows */
  check_order(20 * DEPTH + 50, subnormal, 20, false);
  check_order(ROOM + 50 * COLS + 20, bf16_of(false, -112 + 25, 0), 20, pairs);
  check_order(ROOM + 50 * COLS + 20, bf16_of(false, -112 + 24, 127), 20, false);
  check_order(ROOM + 50 * COLS + 20, subnormal, 20, false);
}
#undef BF16

/* ---- launches ------------------------------------------------------------------------------- */

/* A scene's kernel on a device of its own. */
typedef struct session {
  tsr_context *ctx;
  arena a;
  tsr_module *module;
  tsr_device *device;
  tsr_program *program;
} session;

static tsr_kernel *begin_session(session *x, const scene *s, uint32_t threads) {
  x->ctx = tsr_context_create(NULL);
  arena_init(&x->a, x->ctx);
  const char *text = text_of(&x->a, s, "3");
  x->module = tsr_module_parse(x->ctx, text, strlen(text), "gemm", 0);
  x->device = tsr_device_open(
      x->ctx, "cpu",
      &(tsr_device_options){.struct_size = sizeof(tsr_device_options), .threads = threads});
  x->program = tsr_program_create(x->device, x->module);
  tsr_kernel *kernel = x->program ? tsr_kernel_get(x->program, "k") : NULL;
  assert_non_null(kernel);
  return kernel;
}

static void end_session(session *x) {
  tsr_program_destroy(x->program);
  tsr_device_close(x->device);
  tsr_module_destroy(x->module);
  arena_free(&x->a);
  tsr_context_destroy(x->ctx);
}

/* The same addresses with other contents in the next launch, on several threads. */
static void test_launches(void **state) {
  (void)state;
  static const scene s = {
      .name = "launches", F32, TILE(32, 32, 32), SIZE(256, 128, 256), GRID(8, 4)};
  session x;
  tsr_kernel *kernel = begin_session(&x, &s, 3);
  assert_in_range(tsr_kernel_scratch_bytes(kernel), 1, 2 << 20);
  arrays got = make_arrays(&s);
  for (uint32_t round = 0; round < 4; round++) {
    float *a = got.at[0], *b = got.at[1], *c = got.at[2];
    fill(a, "f32", ROOM, round * 2 + 1);
    fill(b, "f32", ROOM, round * 2 + 2);
    tsr_arg args[] = {tsr_arg_address(a),  tsr_arg_address(b),  tsr_arg_address(c),
                      tsr_arg_i32(s.rows), tsr_arg_i32(s.cols), tsr_arg_i32(s.depth)};
    assert_int_equal(tsr_launch(kernel, (tsr_grid){8, 4, 1}, args, 6), TSR_OK);
    for (int i = 0; i < s.rows; i++)
      for (int j = 0; j < s.cols; j++) {
        float sum = 3;
        for (int k = 0; k < s.depth; k++) sum += a[i * s.depth + k] * b[k * s.cols + j];
        assert_true(c[i * s.cols + j] == sum);
      }
  }
  free_arrays(&got);
  end_session(&x);
}

/* Floats with nothing after them that could be read. */
typedef struct fenced {
  void *pages;
  size_t size;
  void *at;
  bool narrow; /* of bf16 */
} fenced;

static fenced make_fenced(const char *elem, size_t count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = count * size_of(elem);
  size_t room = (bytes + page - 1) / page * page;
  fenced f = {.size = room + page, .narrow = size_of(elem) == 2};
  f.pages = mmap(NULL, f.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(f.pages != MAP_FAILED);
  assert_int_equal(mprotect((char *)f.pages + room, page, PROT_NONE), 0);
  f.at = (char *)f.pages + room - bytes;
  fill(f.at, elem, count, 5);
  return f;
}

static float fenced_float(const fenced *f, int i) {
  return f->narrow ? f32_of(((const uint16_t *)f->at)[i]) : ((const float *)f->at)[i];
}

static void check_edge(tsr_kernel *kernel, const char *elem, int rows, int depth) {
  enum { COLS = 64 };
  fenced x = make_fenced(elem, (size_t)(rows * depth));
  fenced y = make_fenced(elem, (size_t)(depth * COLS));
  fenced z = make_fenced("f32", (size_t)(rows * COLS));
  tsr_arg args[] = {tsr_arg_address(x.at), tsr_arg_address(y.at), tsr_arg_address(z.at),
                    tsr_arg_i32(rows),     tsr_arg_i32(COLS),     tsr_arg_i32(depth)};
  assert_int_equal(tsr_launch(kernel, (tsr_grid){3, 2, 1}, args, 6), TSR_OK);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < COLS; j++) {
      float sum = 3;
      for (int k = 0; k < depth; k++)
        sum += fenced_float(&x, i * depth + k) * fenced_float(&y, k * COLS + j);
      assert_true(fenced_float(&z, i * COLS + j) == sum);
    }
  munmap(x.pages, x.size);
  munmap(y.pages, y.size);
  munmap(z.pages, z.size);
}

/* Tiles over the edge are read where they lie, as far as they exist: the last of the left side's
 * rows, with an even or an odd number of elements, ends where memory does. */
static void test_edge_of_memory(void **state) {
  (void)state;
  static const char *const elems[] = {"f32", "bf16"};
  for (unsigned i = 0; i < ARRAY_LEN(elems); i++) {
    scene s = {.name = "edge", F32, TILE(32, 32, 32), SIZE(74, 64, 102), GRID(3, 2)};
    s.elem = elems[i];
    session x;
    tsr_kernel *kernel = begin_session(&x, &s, 2);
    for (int depth = 95; depth <= 102; depth++)
      for (int rows = 65; rows <= 74; rows++) check_edge(kernel, elems[i], rows, depth);
    end_session(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_low),
      LEVELS(test_order),
      cmocka_unit_test(test_launches),
      cmocka_unit_test(test_edge_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
