/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NaNs of every kind, zeros of both signs and infinities through reductions, tiles that are kept,
 * stores, and loops: compiled code leaves the care for NaNs to the end of such chains, and must
 * give the interpreter's bits all the same. The other numbers are small integers, whose sums are
 * exact in any order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpu_engine.h"

enum { COUNT = 512 };

static uint32_t state_of_random;

static uint32_t random_word(void) {
  state_of_random = state_of_random * 1664525 + 1013904223;
  return state_of_random >> 8;
}

/* `specials` of 256 are no ordinary numbers. */
static void fill(uint32_t *x, unsigned specials) {
  static const uint32_t patterns[] = {0x7f800001, 0xff812345, 0x7fc00000, 0xffc00000,
                                      0x7fffffff, 0x7f800000, 0xff800000, 0x80000000,
                                      0x00000000, 0x80000000, 0x00000001, 0x807fffff};
  for (unsigned i = 0; i < COUNT; i++) {
    float v = (float)(random_word() % 9) - 4;
    memcpy(&x[i], &v, 4);
    if (random_word() % 256 < specials) x[i] = patterns[random_word() % ARRAY_LEN(patterns)];
  }
}

#define LOADS                                                                                      \
  "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {\n"      \
  "  %i = iota : tile<512xi32>\n"                                                                  \
  "  %pr = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n"                                      \
  "  %pb = broadcast %pr : tile<1xptr<f32>> -> tile<512xptr<f32>>\n"                               \
  "  %pa = offset %pb, %i : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>\n"             \
  "  %qr = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>\n"                                      \
  "  %qb = broadcast %qr : tile<1xptr<f32>> -> tile<512xptr<f32>>\n"                               \
  "  %qa = offset %qb, %i : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>\n"             \
  "  %x, %t0 = load_ptr_tko weak %pa : tile<512xptr<f32>> -> tile<512xf32>, token\n"

#define REDUCE(result, operand, op, identity)                                                      \
  "  %" result " = reduce %" operand " dim=0 identities=[" identity " : f32] : tile<512xf32> -> "  \
  "tile<f32> (%a: tile<f32>, %b: tile<f32>) { %r = " op " %a, %b : tile<f32> yield %r : "          \
  "tile<f32> }\n"

#define SCAN(operand, shape, dim, reverse, op, identity)                                           \
  "  %s = scan %" operand " dim=" dim " reverse=" reverse " identities=[" identity " : f32] : "    \
  "tile<" shape "xf32> -> tile<" shape "xf32> (%a: tile<f32>, %b: tile<f32>) { %r = " op           \
  " %a, %b : tile<f32> yield %r : tile<f32> }\n"

/* Every second element, and -infinity. */
#define CHOICE                                                                                     \
  "  %one = constant <i32: 1> : tile<512xi32>\n  %none = constant <i32: 0> : tile<512xi32>\n"      \
  "  %odd = andi %i, %one : tile<512xi32>\n"                                                       \
  "  %c = cmpi equal %odd, %none, signed : tile<512xi32> -> tile<512xi1>\n"                        \
  "  %low = constant <f32: 0xFF800000> : tile<512xf32>\n"

#define STORE_ONE(value, place)                                                                    \
  "  %at" place " = constant <i32: " place "> : tile<i32>\n"                                       \
  "  %to" place " = offset %q, %at" place " : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"       \
  "  %done" place " = store_ptr_tko weak %to" place ", %" value " : tile<ptr<f32>>, tile<f32> -> " \
  "token\n"

#define STORE_ALL(value)                                                                           \
  "  %all = store_ptr_tko weak %qa, %" value " : tile<512xptr<f32>>, tile<512xf32> -> token\n"

#define RESHAPED "  %f = reshape %s : tile<16x32xf32> -> tile<512xf32>\n" STORE_ALL("f") "} }"

/* A product of 8 x 64 and 64 x 8 elements, and its result eight times. */
#define FACTORS(a, b)                                                                              \
  "  %l = reshape %" a " : tile<512xf32> -> tile<8x64xf32>\n"                                      \
  "  %m = reshape %" b " : tile<512xf32> -> tile<64x8xf32>\n"
#define EIGHT_TIMES                                                                                \
  "  %d1 = reshape %d : tile<8x8xf32> -> tile<1x64xf32>\n"                                         \
  "  %d8 = broadcast %d1 : tile<1x64xf32> -> tile<8x64xf32>\n"                                     \
  "  %f = reshape %d8 : tile<8x64xf32> -> tile<512xf32>\n" STORE_ALL("f") "} }"
#define AS(type)                                                                                   \
  "  %ln = ftof %l rounding<nearest_even> : tile<8x64xf32> -> tile<8x64x" type ">\n"               \
  "  %mn = ftof %m rounding<nearest_even> : tile<64x8xf32> -> tile<64x8x" type ">\n"

/* A loop over the first elements, with two numbers that it carries. */
#define TWO_CARRIED                                                                                \
  "  %a, %m = for %j in (%from to %n, step %step) : tile<i32> iter_values(%s = %zero, %o = %w) "   \
  "-> (tile<f32>, tile<f32>) {\n"                                                                  \
  "    %at = offset %p, %j : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"

#define WITH_ALL(value)                                                                            \
  "  %" value "1 = reshape %" value " : tile<f32> -> tile<1xf32>\n"                                \
  "  %" value "a = broadcast %" value "1 : tile<1xf32> -> tile<512xf32>\n"

static const struct {
  const char *name, *text;
  unsigned specials;
} programs[] = {
    {"extremes of loads",
     LOADS REDUCE("m", "x", "maxf", "0xFF800000") REDUCE("l", "x", "minf", "0x7F800000")
         STORE_ONE("m", "0") STORE_ONE("l", "1") "} }",
     40},
    {"extremes, mostly special",
     LOADS REDUCE("m", "x", "maxf", "0xFF800000") REDUCE("l", "x", "minf", "0x7F800000")
         STORE_ONE("m", "0") STORE_ONE("l", "1") "} }",
     256},
    {"extremes that start from elements",
     LOADS REDUCE("m", "x", "maxf", "1.0") REDUCE("l", "x", "minf", "-1.0") STORE_ONE("m", "0")
         STORE_ONE("l", "1") "} }",
     200},
    {"extremes with NaN",
     LOADS
     "  %m = reduce %x dim=0 identities=[0xFF800000 : f32] : tile<512xf32> -> tile<f32> (%a: "
     "tile<f32>, %b: tile<f32>) { %r = maxf %a, %b propagate_nan : tile<f32> yield %r : tile<f32> "
     "}\n" STORE_ONE("m", "0") "} }",
     1},
    {"sums",
     LOADS REDUCE("s", "x", "addf", "0.0") REDUCE("d", "x", "mulf", "1.0") STORE_ONE("s", "0")
         STORE_ONE("d", "1") "} }",
     1},
    {"sums of squares of kept tiles",
     LOADS "  %y = mulf %x, %x : tile<512xf32>\n  %e = exp2 %y : tile<512xf32>\n" REDUCE(
         "s", "e", "maxf", "0xFF800000") STORE_ALL("e") STORE_ONE("s", "0") "} }",
     60},
    {"extremes of two tiles",
     LOADS "  %y = reshape %x : tile<512xf32> -> tile<2x256xf32>\n"
           "  %z = constant <i32: 0> : tile<i32>\n  %o = constant <i32: 1> : tile<i32>\n"
           "  %u = extract %y[%z, %z] : tile<2x256xf32> -> tile<1x256xf32>\n"
           "  %v = extract %y[%o, %z] : tile<2x256xf32> -> tile<1x256xf32>\n"
           "  %m = maxf %u, %v : tile<1x256xf32>\n  %l = minf %u, %v : tile<1x256xf32>\n"
           "  %c = cat %m, %l dim = 0 : tile<1x256xf32>, tile<1x256xf32> -> tile<2x256xf32>\n"
           "  %f = reshape %c : tile<2x256xf32> -> tile<512xf32>\n" STORE_ALL("f") "} }",
     200},
    {"a loop that adds",
     LOADS
     "  %zero = constant <f32: 0.0> : tile<512xf32>\n  %from = constant <i32: 0> : tile<i32>\n"
     "  %step = constant <i32: 1> : tile<i32>\n"
     "  %s = for %j in (%from to %n, step %step) : tile<i32> iter_values(%acc = %zero) -> "
     "(tile<512xf32>) {\n    %next = addf %acc, %x : tile<512xf32>\n"
     "    continue %next : tile<512xf32>\n  }\n" STORE_ALL("s") "} }",
     60},
    {"a loop that moves",
     LOADS
     "  %from = constant <i32: 0> : tile<i32>\n  %step = constant <i32: 1> : tile<i32>\n"
     "  %s, %o = for %j in (%from to %n, step %step) : tile<i32> iter_values(%a = %x, %b = %x) -> "
     "(tile<512xf32>, tile<512xf32>) {\n    %next = negf %a : tile<512xf32>\n"
     "    continue %b, %next : tile<512xf32>, tile<512xf32>\n  }\n" STORE_ALL("s") "} }",
     60},
    {"running sums", LOADS SCAN("x", "512", "0", "false", "addf", "0.0") STORE_ALL("s") "} }", 2},
    {"running sums, backwards",
     LOADS SCAN("x", "512", "0", "true", "addf", "-0.0") STORE_ALL("s") "} }", 2},
    {"running maxima of rows, backwards",
     LOADS "  %y = reshape %x : tile<512xf32> -> tile<16x32xf32>\n" SCAN(
         "y", "16x32", "1", "true", "maxf", "0xFF800000") RESHAPED,
     100},
    {"running minima of short rows",
     LOADS "  %y = reshape %x : tile<512xf32> -> tile<128x4xf32>\n" SCAN(
         "y", "128x4", "1", "false", "minf", "0x7F800000") "  %f = reshape %s : tile<128x4xf32> -> "
                                                           "tile<512xf32>\n" STORE_ALL("f") "} }",
     100},
    {"running maxima of columns",
     LOADS "  %y = reshape %x : tile<512xf32> -> tile<16x32xf32>\n" SCAN(
         "y", "16x32", "0", "false", "maxf", "0xFF800000") RESHAPED,
     100},
    {"running maxima from a number",
     LOADS SCAN("x", "512", "0", "false", "maxf", "1.0") STORE_ALL("s") "} }", 100},
    {"a product",
     LOADS FACTORS("x", "x") "  %z = constant <f32: 0.0> : tile<8x8xf32>\n"
                             "  %d = mmaf %l, %m, %z : tile<8x64xf32>, tile<64x8xf32>, "
                             "tile<8x8xf32>\n" EIGHT_TIMES,
     4},
    {"a product on top of a tile",
     LOADS FACTORS(
         "x", "x") "  %y = reshape %x : tile<512xf32> -> tile<8x8x8xf32>\n"
                   "  %i1 = constant <i32: 1> : tile<i32>\n  %i0 = constant <i32: 0> : tile<i32>\n"
                   "  %e = extract %y[%i1, %i0, %i0] : tile<8x8x8xf32> -> tile<1x8x8xf32>\n"
                   "  %z = reshape %e : tile<1x8x8xf32> -> tile<8x8xf32>\n"
                   "  %d = mmaf %l, %m, %z : tile<8x64xf32>, tile<64x8xf32>, "
                   "tile<8x8xf32>\n" EIGHT_TIMES,
     2},
    {"products in a loop",
     LOADS FACTORS("x", "x") "  %z = constant <f32: 0.0> : tile<8x8xf32>\n"
                             "  %from = constant <i32: 0> : tile<i32>\n"
                             "  %step = constant <i32: 1> : tile<i32>\n"
                             "  %d = for %j in (%from to %n, step %step) : tile<i32> "
                             "iter_values(%s = %z) -> (tile<8x8xf32>) {\n"
                             "    %o = mmaf %l, %m, %s : tile<8x64xf32>, tile<64x8xf32>, "
                             "tile<8x8xf32>\n    continue %o : tile<8x8xf32>\n  }\n" EIGHT_TIMES,
     4},
    {"a product of one row",
     LOADS "  %l = reshape %x : tile<512xf32> -> tile<1x512xf32>\n"
           "  %m = reshape %x : tile<512xf32> -> tile<512x1xf32>\n"
           "  %z = constant <f32: 0.0> : tile<1x1xf32>\n"
           "  %d = mmaf %l, %m, %z : tile<1x512xf32>, tile<512x1xf32>, tile<1x1xf32>\n"
           "  %d1 = reshape %d : tile<1x1xf32> -> tile<1xf32>\n"
           "  %f = broadcast %d1 : tile<1xf32> -> tile<512xf32>\n" STORE_ALL("f") "} }",
     1},
    {"a product of bf16",
     LOADS FACTORS("x", "x") AS("bf16") "  %z = constant <f32: 0.0> : tile<8x8xf32>\n"
                                        "  %d = mmaf %ln, %mn, %z : tile<8x64xbf16>, "
                                        "tile<64x8xbf16>, tile<8x8xf32>\n" EIGHT_TIMES,
     4},
    {"bits of sums before the next product",
     LOADS FACTORS("x", "x")
         AS("bf16") "  %z = constant <f32: 0.0> : tile<8x8xf32>\n"
                    "  %none = constant <i32: 0> : tile<8x8xi32>\n"
                    "  %from = constant <i32: 0> : tile<i32>\n"
                    "  %to = constant <i32: 2> : tile<i32>\n"
                    "  %step = constant <i32: 1> : tile<i32>\n"
                    "  %last, %w = for %j in (%from to %to, step %step) : "
                    "tile<i32> iter_values(%s = %z, %v = %none) -> "
                    "(tile<8x8xf32>, tile<8x8xi32>) {\n"
                    "    %b = bitcast %s : tile<8x8xf32> -> tile<8x8xi32>\n"
                    "    %next = xori %v, %b : tile<8x8xi32>\n"
                    "    %o = mmaf %ln, %mn, %s : tile<8x64xbf16>, "
                    "tile<64x8xbf16>, tile<8x8xf32>\n"
                    "    continue %o, %next : tile<8x8xf32>, tile<8x8xi32>\n"
                    "  }\n"
                    "  %d = bitcast %w : tile<8x8xi32> -> tile<8x8xf32>\n" EIGHT_TIMES,
     4},
    {"a product of f16",
     LOADS FACTORS("x", "x") AS("f16") "  %z = constant <f32: 0.0> : tile<8x8xf32>\n"
                                       "  %d = mmaf %ln, %mn, %z : tile<8x64xf16>, "
                                       "tile<64x8xf16>, tile<8x8xf32>\n" EIGHT_TIMES,
     4},
    {"a product of f64",
     LOADS FACTORS("x", "x")
         AS("f64") "  %z = constant <f64: 0.0> : tile<8x8xf64>\n"
                   "  %w = mmaf %ln, %mn, %z : tile<8x64xf64>, "
                   "tile<64x8xf64>, tile<8x8xf64>\n"
                   "  %b = bitcast %w : tile<8x8xf64> -> tile<8x8xi64>\n"
                   "  %c = constant <i64: 32> : tile<8x8xi64>\n"
                   "  %h = shri %b, %c unsigned : tile<8x8xi64>\n"
                   "  %k = trunci %h : tile<8x8xi64> -> tile<8x8xi32>\n"
                   "  %d = bitcast %k : tile<8x8xi32> -> tile<8x8xf32>\n" EIGHT_TIMES,
     4},
    {"a number that a loop adds to, one that it moves",
     LOADS "  %zero = constant <f32: 0.0> : tile<f32>\n  %from = constant <i32: 0> : tile<i32>\n"
           "  %step = constant <i32: 1> : tile<i32>\n"
           "  %w, %t1 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token\n" TWO_CARRIED
           "    %v, %t2 = load_ptr_tko weak %at : tile<ptr<f32>> -> tile<f32>, token\n"
           "    %next = addf %s, %v : tile<f32>\n"
           "    continue %next, %v : tile<f32>, tile<f32>\n  }\n" WITH_ALL("a") WITH_ALL(
               "m") "  %u = mulf %aa, %x : tile<512xf32>\n  %c = maxf %ma, %x : tile<512xf32>\n"
                    "  %y = minf %u, %c propagate_nan : tile<512xf32>\n" STORE_ALL("y")
                        STORE_ONE("a", "0") STORE_ONE("m", "1") "} }",
     128},
    {"a number of a loop in all elements",
     LOADS CHOICE
     "  %zero = constant <f32: 0.0> : tile<f32>\n  %from = constant <i32: 0> : tile<i32>\n"
     "  %step = constant <i32: 1> : tile<i32>\n"
     "  %w, %t1 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token\n" TWO_CARRIED
     "    %v, %t2 = load_ptr_tko weak %at : tile<ptr<f32>> -> tile<f32>, token\n"
     "    %next = mulf %v, %v : tile<f32>\n"
     "    continue %next, %next : tile<f32>, tile<f32>\n  }\n" WITH_ALL(
         "a") "  %y = select %c, %aa, %x : tile<512xi1>, tile<512xf32>\n" STORE_ALL("y") "} }",
     256},
    {"two sums, and what is made of the first between them",
     LOADS REDUCE("s", "x", "addf",
                  "0.0") "  %z = addf %s, %s : tile<f32>\n  %y = mulf %x, %x : "
                         "tile<512xf32>\n" REDUCE("d", "y", "addf",
                                                  "0.0") "  %e = divf %z, %d : "
                                                         "tile<f32>\n" STORE_ONE("s", "0")
                                                             STORE_ONE("z", "1") STORE_ONE("d", "2")
                                                                 STORE_ONE("e", "3") "} }",
     1},
    {"choices of sums",
     LOADS CHOICE "  %y = addf %x, %x : tile<512xf32>\n"
                  "  %s = select %c, %y, %low : tile<512xi1>, tile<512xf32>\n" STORE_ALL("s") "} }",
     100},
    {"choices of sums and loads",
     LOADS CHOICE "  %y = addf %x, %x : tile<512xf32>\n"
                  "  %s = select %c, %y, %x : tile<512xi1>, tile<512xf32>\n" STORE_ALL("s") "} }",
     100},
    {"extremes of choices",
     LOADS CHOICE "  %y = mulf %x, %x : tile<512xf32>\n"
                  "  %s = select %c, %y, %low : tile<512xi1>, tile<512xf32>\n"
                  "  %v = select %c, %x, %low : tile<512xi1>, tile<512xf32>\n" REDUCE(
                      "m", "s", "maxf", "0xFF800000") REDUCE("l", "v", "maxf", "0xFF800000")
                      STORE_ONE("m", "0") STORE_ONE("l", "1") "} }",
     200},
    {"a number beside a NaN chosen",
     LOADS CHOICE "  %nan = constant <f32: 0xFF812345> : tile<512xf32>\n"
                  "  %y = mulf %x, %x : tile<512xf32>\n"
                  "  %s = select %c, %y, %nan : tile<512xi1>, tile<512xf32>\n" STORE_ALL("s") "} }",
     60},
    {"extremes of few, flushed",
     LOADS "  %y = reshape %x : tile<512xf32> -> tile<256x2xf32>\n"
           "  %z = reduce %y dim=1 identities=[0xFF800000 : f32] : tile<256x2xf32> -> "
           "tile<256xf32> (%a: tile<f32>, %b: tile<f32>) {\n"
           "    %r = maxf %a, %b flush_to_zero : tile<f32>\n    yield %r : tile<f32>\n  }\n"
           "  %u = cat %z, %z dim = 0 : tile<256xf32>, tile<256xf32> -> tile<512xf32>\n" STORE_ALL(
               "u") "} }",
     200},
    {"maxima of few, in rows and in columns",
     LOADS "  %y = reshape %x : tile<512xf32> -> tile<256x2xf32>\n"
           "  %z = reduce %y dim=1 identities=[0xFF800000 : f32] : tile<256x2xf32> -> "
           "tile<256xf32> (%a: tile<f32>, %b: tile<f32>) {\n"
           "    %r = maxf %a, %b : tile<f32>\n    yield %r : tile<f32>\n  }\n"
           "  %v = reshape %x : tile<512xf32> -> tile<2x256xf32>\n"
           "  %w = reduce %v dim=0 identities=[0xFF800000 : f32] : tile<2x256xf32> -> "
           "tile<256xf32> (%a: tile<f32>, %b: tile<f32>) {\n"
           "    %r = maxf %a, %b : tile<f32>\n    yield %r : tile<f32>\n  }\n"
           "  %u = cat %z, %w dim = 0 : tile<256xf32>, tile<256xf32> -> tile<512xf32>\n" STORE_ALL(
               "u") "} }",
     256},
    {"bits of a kept tile",
     LOADS "  %y = mulf %x, %x : tile<512xf32>\n  %e = exp2 %y : tile<512xf32>\n" REDUCE(
         "s", "e", "maxf", "0xFF800000")
         STORE_ONE("s",
                   "0") "  print_tko \"%f\\n\", %e : tile<512xf32> -> token\n"
                        "  %w = pack %e : tile<512xf32> -> tile<2048xi8>\n"
                        "  %v = unpack %w : tile<2048xi8> -> tile<512xf32>\n" STORE_ALL("v") "} }",
     60},
    {"extremes of numbers whose sign was changed",
     LOADS "  %m = absf %x : tile<512xf32>\n  %n2 = negf %x : tile<512xf32>\n"
           "  %m2 = negf %m : tile<512xf32>\n  %four = constant <f32: 4.0> : tile<512xf32>\n"
           "  %r1 = minf %m, %four : tile<512xf32>\n  %r2 = maxf %four, %n2 : tile<512xf32>\n"
           "  %r3 = minf %m2, %four flush_to_zero : tile<512xf32>\n"
           "  %y = addf %r1, %r2 : tile<512xf32>\n"
           "  %z = subf %y, %r3 : tile<512xf32>\n" STORE_ALL("z") "} }",
     200},
    {"stores of products, few of them NaNs",
     LOADS "  %y = mulf %x, %x : tile<512xf32>\n" STORE_ALL("y") "} }", 1},
    {"stores of products, some of them NaNs",
     LOADS "  %y = mulf %x, %x : tile<512xf32>\n" STORE_ALL("y") "} }", 30},
    {"stores of exponentials, few of them NaNs",
     LOADS "  %e = exp2 %x : tile<512xf32>\n" STORE_ALL("e") REDUCE("s", "e", "maxf", "0xFF800000")
         STORE_ONE("s", "0") "} }",
     1},
    {"stores beside sums, few of them NaNs",
     LOADS "  %y = addf %x, %x : tile<512xf32>\n  %z = mulf %x, %y : tile<512xf32>\n" STORE_ALL("z")
         REDUCE("s", "y", "addf", "0.0") STORE_ONE("s", "0") "} }",
     1},
    {"stores of doubles, few of them NaNs",
     LOADS
     "  %w = ftof %x rounding<nearest_even> : tile<512xf32> -> tile<512xf64>\n"
     "  %y = mulf %w, %w : tile<512xf64>\n  %u = reshape %y : tile<512xf64> -> tile<2x256xf64>\n"
     "  %z = constant <i32: 0> : tile<i32>\n"
     "  %h = extract %u[%z, %z] : tile<2x256xf64> -> tile<1x256xf64>\n"
     "  %g = reshape %h : tile<1x256xf64> -> tile<256xf64>\n"
     "  %d = mulf %g, %g : tile<256xf64>\n  %j = iota : tile<256xi32>\n"
     "  %qd = ptr_to_ptr %q : tile<ptr<f32>> -> tile<ptr<f64>>\n"
     "  %dr = reshape %qd : tile<ptr<f64>> -> tile<1xptr<f64>>\n"
     "  %db = broadcast %dr : tile<1xptr<f64>> -> tile<256xptr<f64>>\n"
     "  %da = offset %db, %j : tile<256xptr<f64>>, tile<256xi32> -> tile<256xptr<f64>>\n"
     "  %all = store_ptr_tko weak %da, %d : tile<256xptr<f64>>, tile<256xf64> -> token\n} }",
     2},
};

static void same_bits(void **state) {
  set_level(state);
  for (unsigned p = 0; p < ARRAY_LEN(programs); p++)
    for (unsigned round = 0; round < 8; round++) {
      static uint32_t x[COUNT], expected[COUNT], got[COUNT];
      static run_log log;
      state_of_random = 77 + round;
      fill(x, programs[p].specials);
      memset(expected, 0, sizeof expected);
      memset(got, 0, sizeof got);
      uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(expected), 3};
      if (!run_program_on(run_interp, programs[p].text, "k", (run_grid){1, 1, 1}, args, &log))
        fail_msg("%s: %s", programs[p].name, log.diagnostics);
      args[1] = ARG_ADDRESS(got);
      if (!run_program_on(run_cpu, programs[p].text, "k", (run_grid){1, 1, 1}, args, &log))
        fail_msg("%s: %s", programs[p].name, log.diagnostics);
      for (unsigned i = 0; i < COUNT; i++)
        if (got[i] != expected[i])
          fail_msg("%s, round %u: element %u is 0x%08x, not 0x%08x", programs[p].name, round, i,
                   got[i], expected[i]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
