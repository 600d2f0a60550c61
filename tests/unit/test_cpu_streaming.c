/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Non-temporal stores (cpu/memory/streaming.c): which kernels have them, and that what they write
 * is what others write. Whether a launch takes them is decided by the size of its grid; most tile
 * blocks of these lie outside of the data, so that little memory does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu_engine.h"

enum { ROWS = 37, COLUMNS = 224, ROOM = 64, BLOCKS = 2048 };

/* y = x + 1, of `elem`, in tiles of 16 x 64, in one step or (`longer`) in three; `more` stands in
 * front of the store. */
static const char *text_of(const char *elem, const char *one, bool longer, const char *more) {
  static char text[4096];
  char view[128], rest[512] = "";
  const char *plus = elem[0] == 'i' ? "addi" : "addf", *minus = elem[0] == 'i' ? "subi" : "subf";
  if (longer)
    snprintf(rest, sizeof rest,
             "  %%twice = %s %%one, %%one : tile<16x64x%s>\n"
             "  %%more = %s %%sum, %%twice : tile<16x64x%s>\n"
             "  %%less = %s %%more, %%twice : tile<16x64x%s>\n",
             plus, elem, plus, elem, minus, elem);
  snprintf(view, sizeof view, "partition_view<tile=(16x64), tensor_view<?x?x%s, strides=[?,1]>>",
           elem);
  snprintf(
      text, sizeof text,
      "cuda_tile.module @m { entry @k(%%X: tile<ptr<%s>>, %%Y: tile<ptr<%s>>, %%rows: tile<i32>, "
      "%%columns: tile<i32>, %%step: tile<i32>) {\n"
      "  %%i, %%j, %%z = get_tile_block_id : tile<i32>\n"
      "  %%xv = make_tensor_view %%X, shape = [%%rows, %%columns], strides = [%%step, 1] : "
      "tile<i32> -> tensor_view<?x?x%s, strides=[?,1]>\n"
      "  %%yv = make_tensor_view %%Y, shape = [%%rows, %%columns], strides = [%%step, 1] : "
      "tile<i32> -> tensor_view<?x?x%s, strides=[?,1]>\n"
      "  %%xt = make_partition_view %%xv : %s\n"
      "  %%yt = make_partition_view %%yv : %s\n"
      "  %%x, %%t0 = load_view_tko weak %%xt[%%i, %%j] : %s, tile<i32> -> tile<16x64x%s>, token\n"
      "  %%one = constant <%s: %s> : tile<16x64x%s>\n"
      "  %%sum = %s %%x, %%one : tile<16x64x%s>\n%s%s"
      "  %%t1 = store_view_tko weak %%%s, %%yt[%%i, %%j] : tile<16x64x%s>, %s, tile<i32> -> "
      "token\n} }\n",
      elem, elem, elem, elem, view, view, view, elem, elem, one, elem, plus, elem, rest, more,
      longer ? "less" : "sum", elem, view);
  return text;
}

/* ---- which kernels -------------------------------------------------------------------------- */

static unsigned streams_in(const char *text) {
  return code_count("!nontemporal", text);
}

static void expect_streams(const char *text, bool expected) {
  if ((streams_in(text) > 0) != expected)
    fail_msg("%s: %s", expected ? "no streams" : "streams", text);
}

static void kernels(void **state) {
  (void)state;
  expect_streams(text_of("f32", "1.0", false, ""), true);
  expect_streams(text_of("bf16", "1.0", false, ""), true);
  expect_streams(text_of("i8", "1", false, ""), true);
  /* Tile blocks that could wait for each other. */
  expect_streams(text_of("i32", "1", false,
                         "  %nothing = constant <i32: 0> : tile<i32>\n"
                         "  %old, %t3 = atomic_rmw_tko relaxed device %Y, add, %nothing : "
                         "tile<ptr<i32>>, tile<i32> -> tile<i32>, token\n"),
                 false);
}

/* Where there is more to do than one sum, both ways share it: only the store itself is there twice,
 * beside the version for edges. */
static void sums(void **state) {
  (void)state;
  const char *text = text_of("f32", "1.0", false, "");
  expect_streams(text, true);
  assert_int_equal(code_count(" = fadd ", text), 2 * streams_in(text) + 1);
  text = text_of("f32", "1.0", true, "");
  expect_streams(text, true);
  assert_int_equal(code_count(" = fsub ", text), streams_in(text) + 1);
}

/* The micro-kernel has stored a product as a rule, by non-temporal stores where a panel's rows make
 * lines. What stores it elsewise is one small version. */
static void products(void **state) {
  (void)state;
  static const char text[] =
      "cuda_tile.module @m { entry @k(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, "
      "%n: tile<i32>) {\n"
      "  %i, %j, %z = get_tile_block_id : tile<i32>\n"
      "  %av = make_tensor_view %A, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> "
      "tensor_view<?x?xf32, strides=[?,1]>\n"
      "  %bv = make_tensor_view %B, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> "
      "tensor_view<?x?xf32, strides=[?,1]>\n"
      "  %cv = make_tensor_view %C, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> "
      "tensor_view<?x?xf32, strides=[?,1]>\n"
      "  %at = make_partition_view %av : partition_view<tile=(64x64), tensor_view<?x?xf32, "
      "strides=[?,1]>>\n"
      "  %bt = make_partition_view %bv : partition_view<tile=(64x64), tensor_view<?x?xf32, "
      "strides=[?,1]>>\n"
      "  %ct = make_partition_view %cv : partition_view<tile=(64x64), tensor_view<?x?xf32, "
      "strides=[?,1]>>\n"
      "  %zero = constant <i32: 0> : tile<i32>\n"
      "  %one = constant <i32: 1> : tile<i32>\n"
      "  %init = constant <f32: 0.0> : tile<64x64xf32>\n"
      "  %sum = for %k in (%zero to %n, step %one) : tile<i32> "
      "iter_values(%acc = %init) -> (tile<64x64xf32>) {\n"
      "    %a, %t0 = load_view_tko weak %at[%i, %k] : partition_view<tile=(64x64), "
      "tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x64xf32>, token\n"
      "    %b, %t1 = load_view_tko weak %bt[%k, %j] : partition_view<tile=(64x64), "
      "tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x64xf32>, token\n"
      "    %next = mmaf %a, %b, %acc : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>\n"
      "    continue %next : tile<64x64xf32>\n"
      "  }\n"
      "  %t2 = store_view_tko weak %sum, %ct[%i, %j] : tile<64x64xf32>, "
      "partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token\n"
      "} }\n";
  expect_streams(text, engine_level > CPU_BASELINE);
}

/* ---- what they write ------------------------------------------------------------------------ */

static _Alignas(64) unsigned char from[(ROWS * (COLUMNS + 32) + 2 * ROOM) * 4], to[sizeof from],
    want[sizeof from];

/* In rows `step` elements apart that begin `shift` bytes after a cache line. */
static void check(const char *elem, const char *one, size_t size, size_t step, size_t shift,
                  bool longer, bool in_place) {
  for (size_t i = 0; i < sizeof from; i++) from[i] = to[i] = want[i] = 0;
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < COLUMNS; c++) {
      size_t at = ROOM + shift + (r * step + c) * size;
      float number = (float)(c % 100), next = number + 1;
      uint32_t bits = size == 4   ? run_f32_bits(number)
                      : size == 2 ? run_f32_bits(number) >> 16
                                  : c % 100;
      uint32_t sum = size == 4   ? run_f32_bits(next)
                     : size == 2 ? run_f32_bits(next) >> 16
                                 : c % 100 + 1;
      memcpy(from + at, &bits, size);
      memcpy(want + at, &sum, size);
    }
  unsigned char *out = in_place ? from : to;
  uint64_t args[] = {ARG_ADDRESS(from + ROOM + shift), ARG_ADDRESS(out + ROOM + shift), ROWS,
                     COLUMNS, step};
  run_log log;
  if (!run_compiled(text_of(elem, one, longer, ""), "k", (run_grid){BLOCKS * 4 / (int)size, 4, 1},
                    args, &log))
    fail_msg("%s", log.diagnostics);
  for (size_t i = 0; i < sizeof from; i++)
    if (out[i] != want[i])
      fail_msg("%s, step %zu, shift %zu: byte %zu differs", elem, step, shift, i);
}

static void results(void **state) {
  (void)state;
  static const struct {
    size_t step, shift;
  } places[] = {
      {COLUMNS, 0}, {COLUMNS + 32, 0}, {COLUMNS + 1, 0}, {COLUMNS, 4}, {COLUMNS + 16, 32}};
  for (size_t i = 0; i < ARRAY_LEN(places); i++) {
    for (int longer = 0; longer < 2; longer++) {
      check("f32", "1.0", 4, places[i].step, places[i].shift, longer, false);
      check("bf16", "1.0", 2, places[i].step, places[i].shift, longer, false);
      check("i8", "1", 1, places[i].step, places[i].shift, longer, false);
    }
  }
  check("f32", "1.0", 4, COLUMNS, 0, false, true);
}

/* ---- stores through pointers ---------------------------------------------------------------- */

/* clang-format off */
#define EACH(name, from, e)                                                                        \
  "%" name "1 = reshape %" from " : tile<" e "> -> tile<1x" e ">\n"                                \
  "%" name " = broadcast %" name "1 : tile<1x" e "> -> tile<1024x" e ">\n"

/* y = x + 1, of n numbers; tile blocks are $s numbers apart. */
static const char through_pointers[] =
    "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %n: tile<i32>) {\n"
    "  %i, %j, %k = get_tile_block_id : tile<i32>\n"
    "  %step = constant <i32: $s> : tile<i32>\n"
    "  %first = muli %i, %step : tile<i32>\n"
    "  %count = iota : tile<1024xi32>\n"
    EACH("before", "first", "i32") EACH("all", "n", "i32") EACH("xs", "X", "ptr<f32>")
    EACH("ys", "Y", "ptr<f32>")
    "  %at = addi %before, %count : tile<1024xi32>\n"
    "  %exists = cmpi less_than %at, %all, signed : tile<1024xi32> -> tile<1024xi1>\n"
    "  %xp = offset %xs, %at : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>\n"
    "  %yp = offset %ys, %at : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>\n"
    "  %one = constant <f32: 1.0> : tile<1024xf32>\n"
    "  %x, %t0 = load_ptr_tko weak %xp, %exists, %one : tile<1024xptr<f32>>, tile<1024xi1>, "
    "tile<1024xf32> -> tile<1024xf32>, token\n"
    "  %y = addf %x, %one : tile<1024xf32>\n"
    "  %t1 = store_ptr_tko weak %yp, %y, %exists : tile<1024xptr<f32>>, tile<1024xf32>, "
    "tile<1024xi1> -> token\n} }\n";
/* clang-format on */

/* What a mask lets through is stored non-temporally as well, when this tile begins with a line and
 * the next one does. */
static void pointers(void **state) {
  (void)state;
  enum { NUMBERS = 5000, BEHIND = 64, TILE_BLOCKS = 32 << 20 >> 12 };
  static _Alignas(64) float x[NUMBERS + BEHIND], y[NUMBERS + BEHIND];
  static const char *const steps[] = {"1024", "1000", "1008"};
  for (size_t s = 0; s < ARRAY_LEN(steps); s++) {
    char text[4096];
    const run_blank blanks[] = {{'s', steps[s]}, {0}};
    run_fill(text, sizeof text, through_pointers, blanks);
    /* 4000 bytes apart, they don't all begin with a line: see test_cpu_write_combine.c. */
    expect_streams(text, s != 1 || engine_level >= CPU_AVX512);
    for (size_t shift = 0; shift < 2; shift++) {
      for (size_t i = 0; i < ARRAY_LEN(x); i++) {
        x[i] = (float)i;
        y[i] = -1;
      }
      uint64_t args[] = {ARG_ADDRESS(x + shift), ARG_ADDRESS(y + shift), NUMBERS};
      run_log log;
      if (!run_compiled(text, "k", (run_grid){TILE_BLOCKS, 1, 1}, args, &log))
        fail_msg("%s", log.diagnostics);
      for (size_t i = 0; i < ARRAY_LEN(x); i++) {
        bool stored = i >= shift && i < shift + NUMBERS;
        if (y[i] != (stored ? x[i] + 1 : -1))
          fail_msg("tile blocks %s apart, shift %zu: number %zu is %g", steps[s], shift, i,
                   (double)y[i]);
      }
    }
  }
}

/* ---- stores beside sums --------------------------------------------------------------------- */

#define VIEW(size) "partition_view<tile=(" size "), tensor_view<?xf32, strides=[1]>>"

/* y = x, and z has the sum of each tile. */
/* clang-format off */
static const char summing[] =
    "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %Z: tile<ptr<f32>>, "
    "%n: tile<i32>, %tiles: tile<i32>) {\n"
    "  %i, %j, %k = get_tile_block_id : tile<i32>\n"
    "  %xv = make_tensor_view %X, shape = [%n], strides = [1] : tile<i32> -> "
    "tensor_view<?xf32, strides=[1]>\n"
    "  %yv = make_tensor_view %Y, shape = [%n], strides = [1] : tile<i32> -> "
    "tensor_view<?xf32, strides=[1]>\n"
    "  %zv = make_tensor_view %Z, shape = [%tiles], strides = [1] : tile<i32> -> "
    "tensor_view<?xf32, strides=[1]>\n"
    "  %xt = make_partition_view %xv : " VIEW("1024") "\n"
    "  %yt = make_partition_view %yv : " VIEW("1024") "\n"
    "  %zt = make_partition_view %zv : " VIEW("1") "\n"
    "  %x, %t0 = load_view_tko weak %xt[%i] : " VIEW("1024") ", tile<i32> -> tile<1024xf32>, token\n"
    "  %t1 = store_view_tko weak %x, %yt[%i] : tile<1024xf32>, " VIEW("1024") ", tile<i32> -> token\n"
    "  %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32> "
    "(%a: tile<f32>, %b: tile<f32>) { %c = addf %a, %b : tile<f32> yield %c : tile<f32> }\n"
    "  %sum_1 = reshape %sum : tile<f32> -> tile<1xf32>\n"
    "  %t2 = store_view_tko weak %sum_1, %zt[%i] : tile<1xf32>, " VIEW("1") ", tile<i32> -> token\n"
    "} }\n";
/* clang-format on */

static void beside_sums(void **state) {
  (void)state;
  enum { TILES = 3, ALL = 8192 };
  static _Alignas(64) float x[TILES * 1024], y[TILES * 1024], z[TILES];
  expect_streams(summing, true);
  for (size_t i = 0; i < TILES * 1024; i++) x[i] = (float)(i % 100);
  for (uint32_t blocks = TILES; blocks <= ALL; blocks += ALL - TILES) {
    memset(y, 0, sizeof y), memset(z, 0, sizeof z);
    uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), ARG_ADDRESS(z), TILES * 1024, TILES};
    run_log log;
    if (!run_compiled(summing, "k", (run_grid){blocks, 1, 1}, args, &log))
      fail_msg("%s", log.diagnostics);
    for (size_t t = 0; t < TILES; t++) {
      float sum = 0;
      for (size_t i = t * 1024; i < (t + 1) * 1024; i++) {
        assert_true(y[i] == x[i]);
        sum += y[i];
      }
      if (z[t] != sum) fail_msg("tile %zu: %g, not %g", t, (double)z[t], (double)sum);
    }
  }
}

/* ---- transposed ----------------------------------------------------------------------------- */

#define MATRIX      "tensor_view<?x?xf32, strides=[?,1]>"
#define TILES(size) "partition_view<tile=(" size "), " MATRIX ">"

/* Y = X transposed, or (`longer`) x + 1 - 1 + 1 - 1 of its elements. */
static const char *turning(bool longer) {
  static char text[4096];
  snprintf(
      text, sizeof text,
      "cuda_tile.module @m { entry @k(%%X: tile<ptr<f32>>, %%Y: tile<ptr<f32>>, %%rows: "
      "tile<i32>, %%columns: tile<i32>, %%step: tile<i32>) {\n"
      "  %%i, %%j, %%k = get_tile_block_id : tile<i32>\n"
      "  %%xv = make_tensor_view %%X, shape = [%%rows, %%columns], strides = [%%columns, 1] : "
      "tile<i32> -> " MATRIX "\n"
      "  %%yv = make_tensor_view %%Y, shape = [%%columns, %%rows], strides = [%%step, 1] : "
      "tile<i32> -> " MATRIX "\n"
      "  %%xt = make_partition_view %%xv : " TILES(
          "32x64") "\n"
                   "  %%yt = make_partition_view %%yv : " TILES(
                       "64x32") "\n"
                                "  %%x, %%t0 = load_view_tko weak %%xt[%%i, %%j] : " TILES(
                                    "32x64") ", tile<i32> -> "
                                             "tile<32x64xf32>, token\n"
                                             "  %%one = constant <f32: 1.0> : tile<32x64xf32>\n"
                                             "  %%a = addf %%x, %%one : tile<32x64xf32>\n"
                                             "  %%b = subf %%a, %%one : tile<32x64xf32>\n"
                                             "  %%c = addf %%b, %%one : tile<32x64xf32>\n"
                                             "  %%d = subf %%c, %%one : tile<32x64xf32>\n"
                                             "  %%y = permute %%%s [1, 0] : tile<32x64xf32> -> "
                                             "tile<64x32xf32>\n"
                                             "  %%t1 = store_view_tko weak %%y, %%yt[%%j, %%i] : "
                                             "tile<64x32xf32>, " TILES(
                                                 "64x32") ", "
                                                          "tile<i32> -> token\n"
                                                          "} }\n",
      longer ? "d" : "x");
  return text;
}

/* Where a vector is a whole line, or those of a few squares beside each other are. */
static void transposed(void **state) {
  (void)state;
  enum {
    STEP = 112
  }; /* elements between rows of Y; rows of 96 and 97 have whole tiles and rests */
  static _Alignas(64) float x[97 * 130], y[130 * STEP];
  for (size_t i = 0; i < ARRAY_LEN(x); i++) x[i] = (float)i;
  for (int longer = 0; longer < 2; longer++) {
    const char *text = turning(longer);
    expect_streams(text, true);
    for (size_t rows = 96; rows <= 97; rows++)
      for (size_t columns = 128; columns <= 130; columns++)
        for (uint32_t blocks = 4; blocks <= 4096; blocks *= 1024) {
          memset(y, 0, sizeof y);
          uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), rows, columns, STEP};
          run_log log;
          if (!run_compiled(text, "k", (run_grid){blocks, 3, 1}, args, &log))
            fail_msg("%s", log.diagnostics);
          for (size_t c = 0; c < 130; c++)
            for (size_t r = 0; r < STEP; r++) {
              float want_there = r < rows && c < columns ? x[r * columns + c] : 0;
              if (y[c * STEP + r] != want_there)
                fail_msg("%zu x %zu, %u blocks: row %zu, column %zu differs", rows, columns, blocks,
                         r, c);
            }
        }
  }
}

/* ---- in loops ------------------------------------------------------------------------------- */

/* Each tile block goes through a row in tiles of 1024, twice: y = x - (the sum of x). With `again`
 * it reads y once more and stores it as it is. */
static const char *looping(bool again) {
  static char text[8192];
  static const char third[] =
      "  for %j in (%zero to %tiles#1, step %one) : tile<i32> {\n"
      "    %y, %t2 = load_view_tko weak %yt[%i, %j] token=%all : " TILES(
          "1x1024") ", tile<i32> -> "
                    "tile<1x1024xf32>, token\n"
                    "    %t3 = store_view_tko weak %y, %yt[%i, %j] token=%t2 : tile<1x1024xf32>, "
                    "" TILES("1x1024") ", tile<i32> -> token\n"
                                       "  }\n";
  snprintf(
      text, sizeof text,
      "cuda_tile.module @m { entry @k(%%X: tile<ptr<f32>>, %%Y: tile<ptr<f32>>, %%rows: "
      "tile<i32>, %%columns: tile<i32>) {\n"
      "  %%i, %%b, %%c = get_tile_block_id : tile<i32>\n"
      "  %%zero = constant <i32: 0> : tile<i32>\n"
      "  %%one = constant <i32: 1> : tile<i32>\n"
      "  %%nothing = constant <f32: 0.0> : tile<f32>\n"
      "  %%xv = make_tensor_view %%X, shape = [%%rows, %%columns], strides = [%%columns, 1] : "
      "tile<i32> -> " MATRIX "\n"
      "  %%yv = make_tensor_view %%Y, shape = [%%rows, %%columns], strides = [%%columns, 1] : "
      "tile<i32> -> " MATRIX "\n"
      "  %%xt = make_partition_view %%xv : " TILES(
          "1x1024") "\n"
                    "  %%yt = make_partition_view %%yv : " TILES(
                        "1x1024") "\n"
                                  "  %%tiles:2 = get_index_space_shape %%xt : " TILES(
                                      "1x1024") " -> tile<i32>\n"
                                                "  %%sum = for %%j in (%%zero to %%tiles#1, step "
                                                "%%one) : tile<i32> iter_values(%%s = "
                                                "%%nothing) -> (tile<f32>) {\n"
                                                "    %%x, %%t0 = load_view_tko weak %%xt[%%i, %%j] "
                                                ": " TILES(
                                                    "1x1024") ", tile<i32> -> "
                                                              "tile<1x1024xf32>, token\n"
                                                              "    %%part = reduce %%x dim=1 "
                                                              "identities=[0.0 : f32] : "
                                                              "tile<1x1024xf32> -> tile<1xf32> "
                                                              "(%%a: tile<f32>, %%d: tile<f32>) { "
                                                              "%%e = addf %%a, %%d : tile<f32> "
                                                              "yield %%e : "
                                                              "tile<f32> }\n"
                                                              "    %%scalar = reshape %%part : "
                                                              "tile<1xf32> -> tile<f32>\n"
                                                              "    %%next = addf %%s, %%scalar : "
                                                              "tile<f32>\n"
                                                              "    continue %%next : tile<f32>\n"
                                                              "  }\n"
                                                              "  %%sum_1 = reshape %%sum : "
                                                              "tile<f32> -> tile<1x1xf32>\n"
                                                              "  %%sums = broadcast %%sum_1 : "
                                                              "tile<1x1xf32> -> tile<1x1024xf32>\n"
                                                              "  %%begin = make_token : token\n"
                                                              "  %%all = for %%j in (%%zero to "
                                                              "%%tiles#1, step %%one) : tile<i32> "
                                                              "iter_values(%%t = "
                                                              "%%begin) -> (token) {\n"
                                                              "    %%x, %%t0 = load_view_tko weak "
                                                              "%%xt[%%i, %%j] : " TILES(
                                                                  "1x1024") ", tile<i32> -> "
                                                                            "tile<1x1024xf32>, "
                                                                            "token\n"
                                                                            "    %%y = subf %%x, "
                                                                            "%%sums : "
                                                                            "tile<1x1024xf32>\n"
                                                                            "    %%t1 = "
                                                                            "store_view_tko weak "
                                                                            "%%y, %%yt[%%i, %%j] "
                                                                            "token=%%t : "
                                                                            "tile<1x1024xf32>, "
                                                                            "" TILES(
                                                                                "1x1024") ", "
                                                                                          "tile<"
                                                                                          "i32> -> "
                                                                                          "token\n"
                                                                                          "    "
                                                                                          "continue"
                                                                                          " %%t1 : "
                                                                                          "token\n"
                                                                                          "  }\n"
                                                                                          "%s} }\n",
      again ? third : "");
  return text;
}

/* How much a tile block stores is known when it runs: from the rounds of the loop, unless it reads
 * again what it has stored. The results are the same. */
static void loops(void **state) {
  (void)state;
  enum { ROUNDS = 4, WIDTH = ROUNDS * 1024, LINES = 3 };
  static _Alignas(64) float x[LINES * WIDTH], y[LINES * WIDTH];
  for (size_t i = 0; i < ARRAY_LEN(x); i++) x[i] = (float)(i * 7 % 13);
  for (int again = 0; again < 2; again++) {
    const char *text = looping(again);
    expect_streams(text, true);
    bool counts = code_count("%stored = mul", text) > 0 && code_count("%forwards", text) == 0;
    if (counts == again) fail_msg("rounds are %s", again ? "counted" : "not counted");
    for (uint32_t blocks = LINES; blocks <= 3000; blocks += 2997) {
      memset(y, 0, sizeof y);
      uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), LINES, WIDTH};
      run_log log;
      if (!run_compiled(text, "k", (run_grid){blocks, 1, 1}, args, &log))
        fail_msg("%s", log.diagnostics);
      for (size_t r = 0; r < LINES; r++) {
        float sum = 0; /* whole numbers: exact in any order */
        for (size_t c = 0; c < WIDTH; c++) sum += x[r * WIDTH + c];
        for (size_t c = 0; c < WIDTH; c++)
          if (y[r * WIDTH + c] != x[r * WIDTH + c] - sum)
            fail_msg("%u blocks: row %zu, column %zu: %g", blocks, r, c, (double)y[r * WIDTH + c]);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(kernels),     LEVELS(sums),       LEVELS(products), LEVELS(results),
      LEVELS(beside_sums), LEVELS(transposed), LEVELS(loops),    LEVELS(pointers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
