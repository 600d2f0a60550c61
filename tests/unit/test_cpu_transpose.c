/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles that are transposed on the way: turned in registers, beside others that aren't.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu_engine.h"

static run_log report;

/* ---- narrow elements, transposed ------------------------------------------------------------- */

/* Y = X transposed, in tiles of `rows` x `columns` of X. */
static const char *narrow_text(const char *elem, unsigned rows, unsigned columns) {
  static char text[2048];
  char matrix[64], from[128], to[128], x[32], y[32];
  snprintf(matrix, sizeof matrix, "tensor_view<?x?x%s, strides=[?,1]>", elem);
  snprintf(x, sizeof x, "%ux%u", rows, columns);
  snprintf(y, sizeof y, "%ux%u", columns, rows);
  snprintf(from, sizeof from, "partition_view<tile=(%s), %s>", x, matrix);
  snprintf(to, sizeof to, "partition_view<tile=(%s), %s>", y, matrix);
  snprintf(text, sizeof text,
           "cuda_tile.module @m { entry @k(%%X: tile<ptr<%s>>, %%Y: tile<ptr<%s>>, %%m: tile<i32>, "
           "%%n: tile<i32>) {\n"
           "%%i, %%j, %%k = get_tile_block_id : tile<i32>\n"
           "%%xv = make_tensor_view %%X, shape = [%%m, %%n], strides = [%%n, 1] : tile<i32> -> "
           "%s\n"
           "%%yv = make_tensor_view %%Y, shape = [%%n, %%m], strides = [%%m, 1] : tile<i32> -> "
           "%s\n"
           "%%xt = make_partition_view %%xv : %s\n"
           "%%yt = make_partition_view %%yv : %s\n"
           "%%x, %%t = load_view_tko weak %%xt[%%i, %%j] : %s, tile<i32> -> tile<%sx%s>, token\n"
           "%%y = permute %%x [1, 0] : tile<%sx%s> -> tile<%sx%s>\n"
           "%%u = store_view_tko weak %%y, %%yt[%%j, %%i] : tile<%sx%s>, %s, tile<i32> -> token\n"
           "} }\n",
           elem, elem, matrix, matrix, from, to, from, x, elem, x, elem, y, elem, y, elem, to);
  return text;
}

/* More lanes than there are registers to transpose: a part of each register's does, and nobody
 * gathers single elements where all are inside. */
static void test_narrow_transposed(void **state) {
  (void)state;
  static const struct {
    const char *elem;
    unsigned bytes, rows, columns, at_least; /* shuffles */
  } cases[] = {{"i8", 1, 64, 64, 64}, {"i8", 1, 16, 64, 64},  {"i8", 1, 64, 16, 64},
               {"i8", 1, 8, 64, 0},   {"i16", 2, 64, 64, 64}, {"i16", 2, 32, 32, 64},
               {"i16", 2, 16, 16, 0}, {"f16", 2, 32, 64, 0},  {"i1", 1, 32, 32, 0}};
  static unsigned char x[150 * 150 * 2], y[sizeof x];
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    unsigned bytes = cases[c].bytes, rows = cases[c].rows, columns = cases[c].columns;
    const char *text = narrow_text(cases[c].elem, rows, columns);
    unsigned shuffles = code_count(" = shufflevector ", text);
    if (engine_level >= CPU_AVX2 && shuffles < cases[c].at_least)
      fail_msg("%s, %u x %u: %u shuffles", cases[c].elem, rows, columns, shuffles);
    bool is_bit = strcmp(cases[c].elem, "i1") == 0;
    for (size_t i = 0; i < sizeof x; i++)
      x[i] = (unsigned char)(is_bit ? i * 2654435761u >> 20 & 1 : i * 2654435761u >> 13 & 0x3f);
    for (unsigned m = 128; m <= 150; m += 11)
      for (unsigned n = 128; n <= 150; n += 11) {
        memset(y, 77, sizeof y);
        uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), m, n};
        run_grid grid = {(m + rows - 1) / rows, (n + columns - 1) / columns, 1};
        if (!run_compiled(text, "k", grid, args, &report)) fail_msg("%s", report.diagnostics);
        for (unsigned i = 0; i < m; i++)
          for (unsigned j = 0; j < n; j++)
            if (memcmp(y + (j * m + i) * bytes, x + (i * n + j) * bytes, bytes) != 0)
              fail_msg("%s, %u x %u of %u x %u: row %u, column %u differs", cases[c].elem, m, n,
                       rows, columns, i, j);
        for (size_t i = (size_t)m * n * bytes; i < sizeof y; i++) assert_int_equal(y[i], 77);
      }
  }
}

/* ---- some transposed, some not --------------------------------------------------------------- */

/* Z, m x n, of X and W, which are n x m, and of Y. $e: the elements, $t and $u: tiles of Z and of
 * X, $c: what is computed, of %x, %w and their transposes %xt and %wt, and of %y. */
static const char mixed_template[] =
    "!mat = !cuda_tile.tensor_view<?x?x$e, strides=[?,1]>\n"
    "!vx = !cuda_tile.partition_view<tile=($u), padding_value = zero, tensor_view<?x?x$e, "
    "strides=[?,1]>>\n"
    "!vz = !cuda_tile.partition_view<tile=($t), padding_value = zero, tensor_view<?x?x$e, "
    "strides=[?,1]>>\n"
    "cuda_tile.module @m { entry @k(%X: tile<ptr<$e>>, %W: tile<ptr<$e>>, %Y: tile<ptr<$e>>, "
    "%Z: tile<ptr<$e>>, %m: tile<i32>, %n: tile<i32>) {\n"
    "%i, %j, %k = get_tile_block_id : tile<i32>\n"
    "%xm = make_tensor_view %X, shape = [%n, %m], strides = [%m, 1] : tile<i32> -> !mat\n"
    "%wm = make_tensor_view %W, shape = [%n, %m], strides = [%m, 1] : tile<i32> -> !mat\n"
    "%ym = make_tensor_view %Y, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !mat\n"
    "%zm = make_tensor_view %Z, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !mat\n"
    "%xv = make_partition_view %xm : !vx\n"
    "%wv = make_partition_view %wm : !vx\n"
    "%yv = make_partition_view %ym : !vz\n"
    "%zv = make_partition_view %zm : !vz\n"
    "%x, %t0 = load_view_tko weak %xv[%j, %i] : !vx, tile<i32> -> tile<$ux$e>, token\n"
    "%w, %t1 = load_view_tko weak %wv[%j, %i] : !vx, tile<i32> -> tile<$ux$e>, token\n"
    "%y, %t2 = load_view_tko weak %yv[%i, %j] : !vz, tile<i32> -> tile<$tx$e>, token\n"
    "%xt = permute %x [1, 0] : tile<$ux$e> -> tile<$tx$e>\n"
    "%wt = permute %w [1, 0] : tile<$ux$e> -> tile<$tx$e>\n"
    "$c"
    "%t3 = store_view_tko weak %z, %zv[%i, %j] : tile<$tx$e>, !vz, tile<i32> -> token\n} }\n";

typedef struct mixed_case {
  const char *elem, *tile, *transposed, *code;
  unsigned rows, columns;
  unsigned loads[2]; /* of vectors, at least, at AVX2 and AVX-512 */
} mixed_case;

static const char *mixed_text(const mixed_case *x) {
  static char text[8192];
  const run_blank blanks[] = {
      {'e', x->elem}, {'t', x->tile}, {'u', x->transposed}, {'c', x->code}, {0}};
  run_fill(text, sizeof text, mixed_template, blanks);
  return text;
}

/* What is transposed is turned in registers beside what isn't, as far as the expression consists of
 * nothing else, and nobody gathers single elements where all are inside: a body loads a square of
 * each tile that is loaded, or two where vectors are half a line. Sums take lanes wherever most of
 * what they add up has neighbours. */
static void test_turned(void **state) {
  (void)state;
#define FLOATS(one, other, after)                                                                  \
  "%s = addf " one ", " other " : tile<$tx$e>\n%z = mulf %s, " after " : tile<$tx$e>\n"
#define INTEGERS(one, other, after)                                                                \
  "%s = addi " one ", " other " : tile<$tx$e>\n%z = muli %s, " after " : tile<$tx$e>\n"
#define SUM(of, dim, start, kept)                                                                  \
  "%s = reduce " of " dim=" dim " identities=[" start                                              \
  " : i32] : tile<32x32xi32> -> tile<32xi32> (%a: tile<i32>, %b: tile<i32>) {\n"                   \
  "%q = addi %a, %b : tile<i32> yield %q : tile<i32> }\n"                                          \
  "%r = reshape %s : tile<32xi32> -> tile<" kept "xi32>\n"                                         \
  "%z = broadcast %r : tile<" kept "xi32> -> tile<32x32xi32>\n"
#define ALL(of)                                                                                    \
  "%f = reshape " of " : tile<32x32xi32> -> tile<1024xi32>\n"                                      \
  "%s = reduce %f dim=0 identities=[0 : i32] : tile<1024xi32> -> tile<i32> "                       \
  "(%a: tile<i32>, %b: tile<i32>) {\n%q = addi %a, %b : tile<i32> yield %q : tile<i32> }\n"        \
  "%r = reshape %s : tile<i32> -> tile<1x1xi32>\n"                                                 \
  "%z = broadcast %r : tile<1x1xi32> -> tile<32x32xi32>\n"
#define PRODUCT(one, other) "%p = muli " one ", " other " : tile<32x32xi32>\n"
  static const mixed_case cases[] = {
      {"i32", "32x32", "32x32", SUM("%xt", "0", "0", "1x32"), 32, 32, {13, 9}},
      {"i32", "32x32", "32x32", SUM("%xt", "1", "0", "32x1"), 32, 32, {4, 4}},
      {"i32", "32x32", "32x32", PRODUCT("%xt", "%y") SUM("%p", "0", "0", "1x32"), 32, 32, {16, 32}},
      {"i32", "32x32", "32x32", PRODUCT("%y", "%xt") SUM("%p", "1", "0", "32x1"), 32, 32, {16, 32}},
      {"i32", "32x32", "32x32", PRODUCT("%xt", "%y") SUM("%p", "0", "5", "1x32"), 32, 32, {16, 32}},
      {"i32", "32x32", "32x32", PRODUCT("%xt", "%y") SUM("%p", "1", "5", "32x1"), 32, 32, {16, 32}},
      /* all elements: what is left of the dimension would be two loops */
      {"i32", "32x32", "32x32", ALL("%xt"), 32, 32, {0, 0}},
      {"i32", "32x32", "32x32", PRODUCT("%xt", "%y") ALL("%p"), 32, 32, {0, 0}},
      {"i32",
       "32x32",
       "32x32",
       "%g = reshape %x : tile<32x32xi32> -> tile<4x8x32xi32>\n"
       "%h = permute %g [0, 2, 1] : tile<4x8x32xi32> -> tile<4x32x8xi32>\n"
       "%p = reshape %h : tile<4x32x8xi32> -> tile<32x32xi32>\n" ALL("%p"),
       32,
       32,
       {0, 0}},
      {"i32", "32x32", "32x32", SUM("%xt", "1", "5", "32x1"), 32, 32, {8, 8}},
      {"f32", "32x64", "64x32", FLOATS("%xt", "%y", "%y"), 32, 64, {32, 32}},
      {"f32", "64x32", "32x64", FLOATS("%y", "%xt", "%xt"), 64, 32, {32, 32}},
      {"f32", "64x64", "64x64", FLOATS("%xt", "%y", "%wt"), 64, 64, {48, 48}},
      {"f32", "32x32", "32x32", FLOATS("%xt", "%wt", "%y"), 32, 32, {48, 48}},
      {"f32",
       "32x32",
       "32x32",
       "%p = cmpf less_than ordered %x, %w : tile<$ux$e> -> tile<$uxi1>\n"
       "%q = permute %p [1, 0] : tile<$uxi1> -> tile<$txi1>\n"
       "%z = select %q, %y, %xt : tile<$txi1>, tile<$tx$e>\n",
       32,
       32,
       {48, 48}},
      {"f32",
       "32x32",
       "32x32", /* a function that cuts the body */
       "%two = constant <f32: 2.0> : tile<$uxf32>\n"
       "%s = sin %x : tile<$ux$e>\n"
       "%p = cmpf greater_than ordered %s, %two : tile<$ux$e> -> tile<$uxi1>\n"
       "%q = permute %p [1, 0] : tile<$uxi1> -> tile<$txi1>\n"
       "%z = select %q, %xt, %y : tile<$txi1>, tile<$tx$e>\n",
       32,
       32,
       {32, 32}},
      {"f64", "16x32", "32x16", FLOATS("%xt", "%y", "%wt"), 16, 32, {24, 24}},
      {"i32", "64x16", "16x64", INTEGERS("%y", "%xt", "%wt"), 64, 16, {48, 48}},
      {"bf16", "32x64", "64x32", FLOATS("%xt", "%y", "%y"), 32, 64, {16, 64}},
      {"f16", "32x32", "32x32", FLOATS("%xt", "%wt", "%y"), 32, 32, {24, 96}},
      {"i16", "32x64", "64x32", INTEGERS("%xt", "%y", "%y"), 32, 64, {64, 64}},
      {"i8", "64x64", "64x64", INTEGERS("%xt", "%y", "%wt"), 64, 64, {48, 48}},
      {"f32", "4x8", "8x4", FLOATS("%xt", "%y", "%wt"), 4, 8, {0, 0}}, /* no squares */
  };
  static unsigned char in[3][70 * 140 * 8], want[70 * 140 * 8], got[sizeof want];
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    const mixed_case *x = &cases[c];
    const char *text = mixed_text(x);
    unsigned loads = code_count(" = load <", text);
    if (engine_level >= CPU_AVX2 && loads < x->loads[engine_level == CPU_AVX512])
      fail_msg("case %zu: %u loads of vectors", c, loads);
    for (unsigned k = 0; k < 3; k++)
      for (size_t i = 0; i < sizeof in[k]; i++)
        in[k][i] = (unsigned char)((i + k) * 2654435761u >> 11 & (i % 8 % 2 ? 0x3f : 0x7f));
    for (unsigned m = 64; m <= 70; m += 3)
      for (unsigned n = 128; n <= 140; n += 12) {
        run_grid grid = {(m + x->rows - 1) / x->rows, (n + x->columns - 1) / x->columns, 1};
        uint64_t args[] = {
            ARG_ADDRESS(in[0]), ARG_ADDRESS(in[1]), ARG_ADDRESS(in[2]), ARG_ADDRESS(want), m, n};
        uint64_t same[] = {args[0], args[1], args[2], ARG_ADDRESS(got), m, n};
        memset(want, 7, sizeof want);
        memset(got, 7, sizeof got);
        run_both(text, grid, args, same);
        if (memcmp(want, got, sizeof want) != 0) fail_msg("case %zu, %u x %u", c, m, n);
      }
  }
}

/* ---- the next step of a band ----------------------------------------------------------------- */

/* Z = X transposed + Y, or without Y. X's rows have 16 KB, Y's 32 KB. */
static const char bands[] =
    "!x = !cuda_tile.partition_view<tile=(64x64), tensor_view<8192x4096xf32, strides=[4096,1]>>\n"
    "!y = !cuda_tile.partition_view<tile=(64x64), tensor_view<4096x8192xf32, strides=[8192,1]>>\n"
    "cuda_tile.module @m { entry @k(%%X: tile<ptr<f32>>, %%Y: tile<ptr<f32>>, %%Z: tile<ptr<f32>>) "
    "{\n"
    "%%i, %%j, %%k = get_tile_block_id : tile<i32>\n"
    "%%xm = make_tensor_view %%X, shape = [8192, 4096], strides = [4096, 1] : "
    "tensor_view<8192x4096xf32, strides=[4096,1]>\n"
    "%%ym = make_tensor_view %%Y, shape = [4096, 8192], strides = [8192, 1] : "
    "tensor_view<4096x8192xf32, strides=[8192,1]>\n"
    "%%zm = make_tensor_view %%Z, shape = [4096, 8192], strides = [8192, 1] : "
    "tensor_view<4096x8192xf32, strides=[8192,1]>\n"
    "%%xv = make_partition_view %%xm : !x\n"
    "%%yv = make_partition_view %%ym : !y\n"
    "%%zv = make_partition_view %%zm : !y\n"
    "%%x, %%t0 = load_view_tko weak %%xv[%%j, %%i] : !x, tile<i32> -> tile<64x64xf32>, token\n"
    "%%xt = permute %%x [1, 0] : tile<64x64xf32> -> tile<64x64xf32>\n"
    "%s"
    "%%t2 = store_view_tko weak %%%s, %%zv[%%i, %%j] : tile<64x64xf32>, !y, tile<i32> -> token\n"
    "} }\n";

/* A line of each row of a square is fetched from where the next step of the band will load it:
 * along X's rows and across Y's (in the version with masks one more), and at the band's end from
 * where the next band, of four tile blocks, begins. Turning whole lines and nothing else does
 * without. */
static void test_bands(void **state) {
  (void)state;
  static const char fetch[] = "call void @llvm.prefetch";
  char text[4096];
  snprintf(text, sizeof text, bands,
           "%y, %t1 = load_view_tko weak %yv[%i, %j] : !y, tile<i32> -> tile<64x64xf32>, token\n"
           "%z = addf %xt, %y : tile<64x64xf32>\n",
           "z");
  static const unsigned fetched[] = {[CPU_BASELINE] = 21, [CPU_AVX2] = 25, [CPU_AVX512] = 33};
  unsigned masked = code_count(", i64 2048\n", text);
  assert_int_equal(code_count(fetch, text) - masked, fetched[engine_level]);
  assert_int_equal(code_count(", i64 256\n", text), 1);
  assert_int_equal(code_count(", i64 2097152\n", text), 1);
  assert_int_equal(code_count("add i64 4194304, ", text), 1);
  assert_int_equal(code_count("add i64 1024, ", text), 1);
  snprintf(text, sizeof text, bands, "", "xt");
  for (unsigned slow = 0; slow < 2; slow++) {
    engine_shallow_prefetch = slow;
    unsigned alone = code_count(fetch, text) - code_count(", i64 2048\n", text);
    assert_true(engine_level == CPU_AVX512 && !slow ? alone == 0 : alone > 0);
  }
  engine_shallow_prefetch = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_narrow_transposed),
      LEVELS(test_turned),
      LEVELS(test_bands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
