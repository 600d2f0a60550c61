/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Neighbours that change places: picked in registers from whole vectors.
 */
#include <stdio.h>

#include "cpu_engine.h"

/* Z of X and Y. $e: the elements, $t and $o: a tile of X and of Y, and of Z, $b: what is computed.
 * $x and $z: the matrices' types, $m and $n: their sizes and strides. */
static const char program[] =
    "!vx = !cuda_tile.partition_view<tile=($t), padding_value = zero, tensor_view<$x>>\n"
    "!vz = !cuda_tile.partition_view<tile=($o), padding_value = zero, tensor_view<$z>>\n"
    "cuda_tile.module @m { entry @k(%X: tile<ptr<$e>>, %Y: tile<ptr<$e>>, %Z: tile<ptr<$e>>, "
    "%m: tile<i32>, %n: tile<i32>, %w: tile<i32>) {\n"
    "%c0 = constant <i32: 0> : tile<i32>\n"
    "%c1 = constant <i32: 1> : tile<i32>\n"
    "%c3 = constant <i32: 3> : tile<i32>\n"
    "%xm = make_tensor_view %X, $m tensor_view<$x>\n"
    "%ym = make_tensor_view %Y, $m tensor_view<$x>\n"
    "%zm = make_tensor_view %Z, $n tensor_view<$z>\n"
    "%xv = make_partition_view %xm : !vx\n"
    "%yv = make_partition_view %ym : !vx\n"
    "%zv = make_partition_view %zm : !vz\n"
    "%x, %t0 = load_view_tko weak %xv[%c0, %c0] : !vx, tile<i32> -> tile<$tx$e>, token\n"
    "%y, %t1 = load_view_tko weak %yv[%c0, %c0] : !vx, tile<i32> -> tile<$tx$e>, token\n"
    "$b"
    "%t2 = store_view_tko weak %z, %zv[%c0, %c0] : tile<$ox$e>, !vz, tile<i32> -> token\n} }\n";

/* %z: the pairs of neighbours of %of, swapped. */
#define SWAP(of, z)                                                                                \
  "%r = reshape " of " : tile<$tx$e> -> tile<64x32x2x$e>\n"                                        \
  "%a = extract %r[%c0, %c0, %c0] : tile<64x32x2x$e> -> tile<64x32x1x$e>\n"                        \
  "%b = extract %r[%c0, %c0, %c1] : tile<64x32x2x$e> -> tile<64x32x1x$e>\n"                        \
  "%s = cat %b, %a dim = 2 : tile<64x32x1x$e>, tile<64x32x1x$e> -> tile<64x32x2x$e>\n" z           \
  " = reshape %s : tile<64x32x2x$e> -> tile<$tx$e>\n"
#define INTERLEAVE                                                                                 \
  "%a = reshape %x : tile<$tx$e> -> tile<64x64x1x$e>\n"                                            \
  "%b = reshape %y : tile<$tx$e> -> tile<64x64x1x$e>\n"                                            \
  "%s = cat %a, %b dim = 2 : tile<64x64x1x$e>, tile<64x64x1x$e> -> tile<64x64x2x$e>\n"             \
  "%z = reshape %s : tile<64x64x2x$e> -> tile<$ox$e>\n"
#define EVERY(stride, which)                                                                       \
  "%r = reshape %x : tile<$tx$e> -> tile<4096x$e>\n"                                               \
  "%q = reshape %r : tile<4096x$e> -> tile<" stride "x$e>\n"                                       \
  "%a = extract %q[%c0, " which "] : tile<" stride "x$e> -> tile<$ix$e>\n"                         \
  "%z = reshape %a : tile<$ix$e> -> tile<$ox$e>\n"
#define PERMUTE(groups, order, permuted)                                                           \
  "%r = reshape %x : tile<$tx$e> -> tile<" groups "x$e>\n"                                         \
  "%p = permute %r [" order "] : tile<" groups "x$e> -> tile<" permuted "x$e>\n"                   \
  "%z = reshape %p : tile<" permuted "x$e> -> tile<$tx$e>\n"
/* A tile that is swapped in each round lies in scratch memory. */
#define ROUNDS                                                                                     \
  "%z = for %k in (%c0 to %c3, step %c1) : tile<i32> iter_values(%v = %x) -> (tile<$tx$e>) {\n"    \
  "" SWAP("%v", "%g") "%h = addi %g, %y : tile<$tx$e>\n"                                           \
                      "continue %h : tile<$tx$e>\n}\n"

typedef struct pick_case {
  const char *elem, *body;
  unsigned width;    /* of Z */
  const char *inner; /* $i */
} pick_case;

static const char *text_of(const pick_case *c, bool fixed) {
  static char text[8192];
  char width[16], out[32], wide[128], wide_at[96];
  snprintf(width, sizeof width, "%u", c->width);
  snprintf(out, sizeof out, "64x%s", width);
  snprintf(wide, sizeof wide, "64x%sx$e, strides=[%s,1]", width, width);
  snprintf(wide_at, sizeof wide_at, "shape = [64, %s], strides = [%s, 1] :", width, width);
  const run_blank blanks[] = {
      {'e', c->elem},
      {'t', "64x64"},
      {'o', out},
      {'i', c->inner},
      {'b', c->body},
      {'x', fixed ? "64x64x$e, strides=[64,1]" : "?x?x$e, strides=[?,1]"},
      {'z', fixed ? wide : "?x?x$e, strides=[?,1]"},
      {'m', fixed ? "shape = [64, 64], strides = [64, 1] :"
                  : "shape = [%m, %n], strides = [%n, 1] : tile<i32> ->"},
      {'n', fixed ? wide_at : "shape = [%m, %w], strides = [%w, 1] : tile<i32> ->"},
      {0}};
  run_fill(text, sizeof text, program, blanks);
  return text;
}

/* Nobody gathers single elements where all are inside, and the results are the interpreter's, also
 * where some are not. */
static void test_picked(void **state) {
  (void)state;
  const pick_case cases[] = {
      {"f32", SWAP("%x", "%z"), 64, NULL},
      {"bf16", SWAP("%x", "%z"), 64, NULL},
      {"f16", SWAP("%x", "%z"), 64, NULL},
      {"f64", SWAP("%x", "%z"), 64, NULL},
      {"i8", SWAP("%x", "%z"), 64, NULL},
      {"i16", SWAP("%x", "%z"), 64, NULL},
      {"i32", SWAP("%x", "%z"), 64, NULL},
      {"i64", SWAP("%x", "%z"), 64, NULL},
      {"i32", ROUNDS, 64, NULL},
      {"i8", ROUNDS, 64, NULL},
      {"f32", INTERLEAVE, 128, NULL},
      {"f64", INTERLEAVE, 128, NULL},
      {"i16", INTERLEAVE, 128, NULL},
      {"i8", INTERLEAVE, 128, NULL},
      {"f32", EVERY("2048x2", "%c0"), 32, "2048x1"},
      {"f32", EVERY("2048x2", "%c1"), 32, "2048x1"},
      {"i64", EVERY("2048x2", "%c1"), 32, "2048x1"},
      {"i8", EVERY("2048x2", "%c1"), 32, "2048x1"},
      {"i32", EVERY("1024x4", "%c3"), 16, "1024x1"},
      {"i16", EVERY("1024x4", "%c0"), 16, "1024x1"},
      {"i32", EVERY("1024x4", "%c1"), 32, "1024x2"}, /* the second two of four */
      {"f32", PERMUTE("64x8x8", "0, 2, 1", "64x8x8"), 64, NULL},
      {"bf16", PERMUTE("64x8x8", "0, 2, 1", "64x8x8"), 64, NULL},
      {"i8", PERMUTE("64x8x8", "0, 2, 1", "64x8x8"), 64, NULL},
      {"i64", PERMUTE("64x4x16", "0, 2, 1", "64x16x4"), 64, NULL},
      {"i32", PERMUTE("64x16x4", "0, 2, 1", "64x4x16"), 64, NULL},
      {"i32", PERMUTE("64x2x32", "0, 2, 1", "64x32x2"), 64, NULL},
      {"i16", PERMUTE("512x2x2x2", "1, 0, 2, 3", "2x512x2x2"), 64, NULL},
      {"i8", PERMUTE("64x8x8", "1, 0, 2", "8x64x8"), 64, NULL}, /* pieces of 8 */
      {"i8", PERMUTE("64x32x2", "1, 0, 2", "32x64x2"), 64, NULL},
      {"f32", PERMUTE("64x32x2", "1, 0, 2", "32x64x2"), 64, NULL},
      {"i32", PERMUTE("16x8x32", "0, 2, 1", "16x32x8"), 64, NULL},
      {"i64", PERMUTE("16x32x8", "0, 2, 1", "16x8x32"), 64, NULL},
      {"f32", PERMUTE("8x512", "1, 0", "512x8"), 64, NULL},
      {"f64", PERMUTE("512x8", "1, 0", "8x512"), 64, NULL},
      {"i32", PERMUTE("512x2x2x2", "0, 3, 2, 1", "512x2x2x2"), 64, NULL},
  };
  static unsigned char x[64 * 64 * 8], y[sizeof x], want[64 * 128 * 8], got[sizeof want];
  for (size_t i = 0; i < sizeof x; i++) {
    x[i] = (unsigned char)(i * 2654435761u >> 11 & (i % 8 % 2 ? 0x3f : 0x7f));
    y[i] = (unsigned char)((i + 7) * 2246822519u >> 9 & 0x3f);
  }
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    const char *fixed = text_of(&cases[c], true);
    unsigned single = code_count("x ptr> %", fixed) + code_count(", i32 1\n", fixed);
    if (single && engine_level >= CPU_AVX2) fail_msg("case %zu: %u single elements", c, single);
    for (unsigned part = 0; part < 2; part++) {
      unsigned n = part ? 59 : 64, w = cases[c].width - (part ? 3 : 0);
      uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), ARG_ADDRESS(want), part ? 61 : 64, n, w};
      uint64_t same[] = {args[0], args[1], ARG_ADDRESS(got), args[3], n, w};
      for (unsigned f = 0; f < 2u - part; f++) {
        memset(want, 7, sizeof want);
        memset(got, 7, sizeof got);
        run_both(text_of(&cases[c], f == 1), (run_grid){1, 1, 1}, args, same);
        if (memcmp(want, got, sizeof want) != 0) fail_msg("case %zu, %u columns", c, n);
      }
    }
  }
}

/* Where it is stored into the tile that it is loaded from, nothing is stored before it is loaded.
 */
static void test_in_place(void **state) {
  (void)state;
  const pick_case cases[] = {
      {"f32", SWAP("%x", "%z"), 64, NULL},
      {"i8", SWAP("%x", "%z"), 64, NULL},
      {"f32", PERMUTE("64x8x8", "0, 2, 1", "64x8x8"), 64, NULL},
      {"i32", PERMUTE("16x8x32", "0, 2, 1", "16x32x8"), 64, NULL},
  };
  static unsigned char want[64 * 64 * 4], got[sizeof want];
  for (size_t c = 0; c < ARRAY_LEN(cases); c++)
    for (unsigned n = 59; n <= 64; n += 5) {
      for (size_t i = 0; i < sizeof want; i++)
        want[i] = got[i] = (unsigned char)(i * 2654435761u >> 11 & 0x3f);
      uint64_t args[] = {ARG_ADDRESS(want), ARG_ADDRESS(want), ARG_ADDRESS(want), 64, n, n};
      uint64_t same[] = {ARG_ADDRESS(got), ARG_ADDRESS(got), ARG_ADDRESS(got), 64, n, n};
      run_both(text_of(&cases[c], false), (run_grid){1, 1, 1}, args, same);
      if (memcmp(want, got, sizeof want) != 0) fail_msg("case %zu, %u columns", c, n);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(test_picked), LEVELS(test_in_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
