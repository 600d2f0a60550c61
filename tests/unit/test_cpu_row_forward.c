/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rows that are stored, loaded again and stored anew (cpu/memory/row_forward.c): which kernels park
 * them, and that the results are the reference's whether a launch does or doesn't. That depends on
 * the size of the grid; most tile blocks of the large ones lie outside of the data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu_engine.h"

#define MATRIX "tensor_view<?x?xf32, strides=[?,1]>"
#define TILES  "partition_view<tile=(1x1024), " MATRIX ">"
#define LOAD   "load_view_tko weak "
#define LOADED " : " TILES ", tile<i32> -> tile<1x1024xf32>, token\n"
#define STORED " : tile<1x1024xf32>, " TILES ", tile<i32> -> token\n"

/* What differs from  y = x + 1, a tile at a time;  y = 2 y, a tile at a time; `with_x`: y = y + x.
 */
typedef struct variant {
  const char *to;       /* where the second loop ends */
  const char *first;    /* at the first loop's end, */
  const char *between;  /* after it, */
  const char *second;   /* and at the second one's end */
  const char *row;      /* that the second loop stores */
  const char *ordering; /* of the second loop's load */
  bool with_x;
} variant;

static const variant plain = {"%tiles#1", "", "", "", "%i", "weak", false};
static const variant with_x = {"%tiles#1", "", "", "", "%i", "weak", true};
/* It also looks at the first element of x, by another view. */
static const variant with_first = {
    "%tiles#1", "",     "",  "    %e, %t9 = " LOAD "%first[%zero, %zero] token=%t3" LOADED,
    "%i",       "weak", true};

/* clang-format off */
static const char *text_of(const variant *v) {
  static char text[8192];
  snprintf(text, sizeof text,
    "cuda_tile.module @m { entry @k(%%X: tile<ptr<f32>>, %%Y: tile<ptr<f32>>, %%rows: tile<i32>, "
    "%%columns: tile<i32>) {\n"
    "  %%i, %%b, %%c = get_tile_block_id : tile<i32>\n"
    "  %%zero = constant <i32: 0> : tile<i32>\n"
    "  %%one = constant <i32: 1> : tile<i32>\n"
    "  %%two = constant <i32: 2> : tile<i32>\n"
    "  %%ones = constant <f32: 1.0> : tile<1x1024xf32>\n"
    "  %%xv = make_tensor_view %%X, shape = [%%rows, %%columns], strides = [%%columns, 1] : "
    "tile<i32> -> " MATRIX "\n"
    "  %%yv = make_tensor_view %%Y, shape = [%%rows, %%columns], strides = [%%columns, 1] : "
    "tile<i32> -> " MATRIX "\n"
    "  %%xt = make_partition_view %%xv : " TILES "\n"
    "  %%fv = make_tensor_view %%X, shape = [%%one, %%one], strides = [%%columns, 1] : "
    "tile<i32> -> " MATRIX "\n"
    "  %%first = make_partition_view %%fv : " TILES "\n"
    "  %%yt = make_partition_view %%yv : " TILES "\n"
    "  %%tiles:2 = get_index_space_shape %%xt : " TILES " -> tile<i32>\n"
    "  %%begin = make_token : token\n"
    "  %%all = for %%j in (%%zero to %%tiles#1, step %%one) : tile<i32> iter_values(%%t = %%begin) "
    "-> (token) {\n"
    "    %%x, %%t0 = " LOAD "%%xt[%%i, %%j] token=%%t" LOADED
    "    %%y = addf %%x, %%ones : tile<1x1024xf32>\n"
    "    %%t1 = store_view_tko weak %%y, %%yt[%%i, %%j] token=%%t0" STORED
    "%s"
    "    continue %%t1 : token\n"
    "  }\n"
    "%s"
    "  %%done = for %%j in (%%zero to %s, step %%one) : tile<i32> iter_values(%%t = %%all) "
    "-> (token) {\n"
    "    %%y, %%t2 = load_view_tko %s %%yt[%%i, %%j] token=%%t" LOADED
    "    %%x2, %%t4 = " LOAD "%%xt[%%i, %%j] token=%%t" LOADED
    "    %%z = addf %%y, %%%s : tile<1x1024xf32>\n"
    "    %%t3 = store_view_tko weak %%z, %%yt[%s, %%j] token=%%t2" STORED
    "%s"
    "    continue %%t3 : token\n"
    "  }\n"
    "} }\n", v->first, v->between, v->to, v->ordering,
    v->with_x ? "x2" : "y", v->row, v->second);
  return text;
}
/* clang-format on */

/* ---- which kernels -------------------------------------------------------------------------- */

static void expect(const variant *v, bool expected) {
  const char *text = text_of(v);
  if ((code_count("%forwards", text) > 0) != expected)
    fail_msg("%s: %s", expected ? "does not park" : "parks", text);
}

/* Looks at the row in between, in each loop, through a pointer; leaves; the second loop ends
 * elsewhere, stores elsewhere, waits for others. */
static const variant others[] = {
    {"%tiles#1", "", "  %y0, %t9 = " LOAD "%yt[%i, %zero] token=%all" LOADED, "", "%i", "weak",
     false},
    {"%tiles#1", "    %y0, %t9 = " LOAD "%yt[%i, %j] token=%t1" LOADED, "", "", "%i", "weak",
     false},
    {"%tiles#1", "", "", "    %y0, %t9 = " LOAD "%yt[%two, %j] token=%t3" LOADED, "%i", "weak",
     false},
    {"%tiles#1", "", "  %n, %t9 = load_ptr_tko weak %Y : tile<ptr<f32>> -> tile<f32>, token\n", "",
     "%i", "weak", false},
    {"%tiles#1", "",
     "  %is = cmpi greater_than %i, %two, signed : tile<i32> -> tile<i1>\n  if %is { return }\n",
     "", "%i", "weak", false},
    {"%two", "", "", "", "%i", "weak", false},
    {"%tiles#1", "", "", "", "%one", "weak", false},
    {"%tiles#1", "", "", "", "%i", "relaxed device", false},
};

static void kernels(void **state) {
  (void)state;
  expect(&plain, true);
  expect(&with_x, true);
  expect(&with_first, true);
  for (size_t i = 0; i < ARRAY_LEN(others); i++) expect(&others[i], false);
}

/* ---- results -------------------------------------------------------------------------------- */

enum { MOST = 90 * 1024 };

static float ours[MOST], reference[MOST];

/* Tile blocks that together store more than a cache holds. */
static uint32_t enough(int columns) {
  return 8192 / (uint32_t)((columns + 1023) / 1024) + 1;
}

/* Matrices x and y at these places of one memory, after a launch of so many tile blocks. */
static void check(const variant *v, size_t x, size_t y, int rows, int columns, uint32_t blocks) {
  float *const memory[] = {ours, reference};
  for (int i = 0; i < 2; i++) {
    for (size_t k = 0; k < MOST; k++) memory[i][k] = (float)(k * 7 % 1009);
    uint64_t args[] = {ARG_ADDRESS(memory[i] + x), ARG_ADDRESS(memory[i] + y), (uint64_t)rows,
                       (uint64_t)columns};
    run_log log;
    uint32_t n = i == 0 ? blocks : (uint32_t)rows; /* the others would do nothing */
    if (!run_program_on(i == 0 ? run_cpu : run_interp, text_of(v), "k", (run_grid){n, 1, 1}, args,
                        &log))
      fail_msg("%s", log.diagnostics);
  }
  for (size_t k = 0; k < MOST; k++)
    if (ours[k] != reference[k])
      fail_msg("%d x %d, x at %zu, y at %zu, %u blocks: element %zu is %g, not %g", rows, columns,
               x, y, blocks, k, (double)ours[k], (double)reference[k]);
}

static void results(void **state) {
  (void)state;
  static const int widths[] = {1, 1023, 1024, 1500, 4096, 5000};
  for (size_t w = 0; w < ARRAY_LEN(widths); w++)
    for (int large = 0; large < 2; large++) {
      uint32_t blocks = large ? enough(widths[w]) : 3;
      size_t count = 3 * (size_t)widths[w];
      check(&plain, 0, (count + 15) / 16 * 16, 3, widths[w], blocks);
      check(&plain, count, 0, 3, widths[w], blocks);
      check(&plain, 7, count + 7, 3, widths[w], blocks);
    }
  for (size_t i = 0; i < ARRAY_LEN(others); i++) check(&others[i], 0, 12288, 3, 4096, 3);
  check(&plain, 0, 0, 1, 0, 8192);
}

/* What is stored early is then loaded late as something else: no row may be parked. */
static void overlapping(void **state) {
  (void)state;
  static const size_t apart[] = {0, 1, 1024, 2048, 3 * 4096 - 1};
  for (size_t i = 0; i < ARRAY_LEN(apart); i++) {
    check(&plain, 0, apart[i], 3, 4096, enough(4096));
    check(&with_first, 0, apart[i], 3, 4096, enough(4096));
    check(&plain, apart[i], 0, 3, 4096, enough(4096));
    check(&with_x, apart[i], 0, 3, 4096, enough(4096));
  }
}

/* Longer than the room that there is: a quarter of 1 MB. */
static void long_rows(void **state) {
  (void)state;
  for (int columns = 40 * 1024; columns <= 45 * 1024; columns += 5 * 1024 - 1)
    check(&plain, 0, 45 * 1024, 1, columns, enough(columns));
  static float x[80 * 1024], y[80 * 1024];
  for (size_t i = 0; i < ARRAY_LEN(x); i++) x[i] = (float)i;
  for (uint64_t columns = 64 * 1024; columns <= 80 * 1024; columns += 8 * 1024) {
    uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), 1, columns};
    run_log log;
    memset(y, 0, sizeof y);
    if (!run_compiled(text_of(&plain), "k", (run_grid){enough((int)columns), 1, 1}, args, &log))
      fail_msg("%s", log.diagnostics);
    for (size_t i = 0; i < ARRAY_LEN(y); i++)
      if (y[i] != (i < columns ? 2 * (x[i] + 1) : 0))
        fail_msg("element %zu of %d", i, (int)columns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(kernels), LEVELS(results), LEVELS(overlapping),
                                     LEVELS(long_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
