/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whole kernels of the kinds that the lowering has its own ways for, against the interpreter.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu_engine.h"

static run_log report;

static void fill(float *x, size_t n, uint32_t seed) {
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (float)(int32_t)seed * 0x1p-31f;
  }
}

/* ---- attention ------------------------------------------------------------------------------ */

/* An accumulator that is rescaled by row in every iteration, carried row vectors, a transposed
 * operand, a product whose left side is an expression, tiles partly outside. */
static const char attention[] =
    "cuda_tile.module @attn {\n"
    "entry @k(%Q: tile<ptr<f32>>, %K: tile<ptr<f32>>, %V: tile<ptr<f32>>, %O: tile<ptr<f32>>, %n: "
    "tile<i32>) {\n"
    "%bi, %by, %bz = get_tile_block_id : tile<i32>\n"
    "%zero = constant <i32: 0> : tile<i32>\n"
    "%one = constant <i32: 1> : tile<i32>\n"
    "%qv = make_tensor_view %Q, shape = [%n, 64], strides = [64, 1] : tile<i32> -> "
    "tensor_view<?x64xf32, strides=[64,1]>\n"
    "%kv = make_tensor_view %K, shape = [%n, 64], strides = [64, 1] : tile<i32> -> "
    "tensor_view<?x64xf32, strides=[64,1]>\n"
    "%vv = make_tensor_view %V, shape = [%n, 64], strides = [64, 1] : tile<i32> -> "
    "tensor_view<?x64xf32, strides=[64,1]>\n"
    "%ov = make_tensor_view %O, shape = [%n, 64], strides = [64, 1] : tile<i32> -> "
    "tensor_view<?x64xf32, strides=[64,1]>\n"
    "%qt = make_partition_view %qv : partition_view<tile=(32x64), padding_value = zero, "
    "tensor_view<?x64xf32, strides=[64,1]>>\n"
    "%kt = make_partition_view %kv : partition_view<tile=(64x64), padding_value = zero, "
    "tensor_view<?x64xf32, strides=[64,1]>, dim_map = [1, 0]>\n"
    "%vt = make_partition_view %vv : partition_view<tile=(64x64), padding_value = zero, "
    "tensor_view<?x64xf32, strides=[64,1]>>\n"
    "%ot = make_partition_view %ov : partition_view<tile=(32x64), tensor_view<?x64xf32, "
    "strides=[64,1]>>\n"
    "%q, %t0 = load_view_tko weak %qt[%bi, %zero] : partition_view<tile=(32x64), padding_value = "
    "zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x64xf32>, token\n"
    "%tiles:2 = get_index_space_shape %vt : partition_view<tile=(64x64), padding_value = zero, "
    "tensor_view<?x64xf32, strides=[64,1]>> -> tile<i32>\n"
    "%acc0 = constant <f32: 0.0> : tile<32x64xf32>\n"
    "%m0 = constant <f32: 0xff800000> : tile<32xf32>\n"
    "%l0 = constant <f32: 0.0> : tile<32xf32>\n"
    "%scale = constant <f32: 0.125> : tile<32x64xf32>\n"
    "%s0 = constant <f32: 0.0> : tile<32x64xf32>\n"
    "%io = iota : tile<64xi32>\n"
    "%io1 = reshape %io : tile<64xi32> -> tile<1x64xi32>\n"
    "%io2 = broadcast %io1 : tile<1x64xi32> -> tile<32x64xi32>\n"
    "%n1 = reshape %n : tile<i32> -> tile<1x1xi32>\n"
    "%n2 = broadcast %n1 : tile<1x1xi32> -> tile<32x64xi32>\n"
    "%ninf = constant <f32: 0xff800000> : tile<32x64xf32>\n"
    "%c64 = constant <i32: 64> : tile<i32>\n"
    "%acc, %m, %l = for %j in (%zero to %tiles#0, step %one) : tile<i32> iter_values(%a = %acc0, "
    "%mp = %m0, %lp = %l0) -> (tile<32x64xf32>, tile<32xf32>, tile<32xf32>) {\n"
    "%k, %t1 = load_view_tko weak %kt[%zero, %j] : partition_view<tile=(64x64), padding_value = "
    "zero, tensor_view<?x64xf32, strides=[64,1]>, dim_map = [1, 0]>, tile<i32> -> tile<64x64xf32>, "
    "token\n"
    "%v, %t2 = load_view_tko weak %vt[%j, %zero] : partition_view<tile=(64x64), padding_value = "
    "zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token\n"
    "%s = mmaf %q, %k, %s0 : tile<32x64xf32>, tile<64x64xf32>, tile<32x64xf32>\n"
    "%ss = mulf %s, %scale : tile<32x64xf32>\n"
    "%j64 = muli %j, %c64 : tile<i32>\n"
    "%j1 = reshape %j64 : tile<i32> -> tile<1x1xi32>\n"
    "%j2 = broadcast %j1 : tile<1x1xi32> -> tile<32x64xi32>\n"
    "%idx = addi %io2, %j2 : tile<32x64xi32>\n"
    "%in = cmpi less_than %idx, %n2, signed : tile<32x64xi32> -> tile<32x64xi1>\n"
    "%sm = select %in, %ss, %ninf : tile<32x64xi1>, tile<32x64xf32>\n"
    "%mx = reduce %sm dim=1 identities=[0xff800000 : f32] : tile<32x64xf32> -> tile<32xf32> (%x: "
    "tile<f32>, %y: tile<f32>) { %z = maxf %x, %y : tile<f32> yield %z : tile<f32> }\n"
    "%mn = maxf %mx, %mp : tile<32xf32>\n"
    "%d = subf %mp, %mn : tile<32xf32>\n"
    "%alpha = exp %d : tile<32xf32>\n"
    "%mn1 = reshape %mn : tile<32xf32> -> tile<32x1xf32>\n"
    "%mnb = broadcast %mn1 : tile<32x1xf32> -> tile<32x64xf32>\n"
    "%sd = subf %sm, %mnb : tile<32x64xf32>\n"
    "%p = exp %sd : tile<32x64xf32>\n"
    "%ps = reduce %p dim=1 identities=[0.0 : f32] : tile<32x64xf32> -> tile<32xf32> (%x: "
    "tile<f32>, %y: tile<f32>) { %z = addf %x, %y : tile<f32> yield %z : tile<f32> }\n"
    "%la = mulf %lp, %alpha : tile<32xf32>\n"
    "%ln = addf %la, %ps : tile<32xf32>\n"
    "%al1 = reshape %alpha : tile<32xf32> -> tile<32x1xf32>\n"
    "%alb = broadcast %al1 : tile<32x1xf32> -> tile<32x64xf32>\n"
    "%as = mulf %a, %alb : tile<32x64xf32>\n"
    "%an = mmaf %p, %v, %as : tile<32x64xf32>, tile<64x64xf32>, tile<32x64xf32>\n"
    "continue %an, %mn, %ln : tile<32x64xf32>, tile<32xf32>, tile<32xf32>\n"
    "}\n"
    "%l1 = reshape %l : tile<32xf32> -> tile<32x1xf32>\n"
    "%lb = broadcast %l1 : tile<32x1xf32> -> tile<32x64xf32>\n"
    "%o = divf %acc, %lb : tile<32x64xf32>\n"
    "%t3 = store_view_tko weak %o, %ot[%bi, %zero] : tile<32x64xf32>, partition_view<tile=(32x64), "
    "tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token\n"
    "}\n"
    "}\n";

static void test_attention(void **state) {
  (void)state;
  enum { TOKENS = 200, HEAD = 64, SIZE = TOKENS * HEAD };
  static float q[SIZE], k[SIZE], v[SIZE], expected[SIZE], result[SIZE];
  fill(q, SIZE, 1);
  fill(k, SIZE, 2);
  fill(v, SIZE, 3);
  memset(result, 0, sizeof result);
  uint64_t args[] = {ARG_ADDRESS(q), ARG_ADDRESS(k), ARG_ADDRESS(v), ARG_ADDRESS(expected), TOKENS};
  uint64_t other[] = {ARG_ADDRESS(q), ARG_ADDRESS(k), ARG_ADDRESS(v), ARG_ADDRESS(result), TOKENS};
  run_both(attention, (run_grid){(TOKENS + 31) / 32, 1, 1}, args, other);
  for (int i = 0; i < SIZE; i++)
    if (!(fabsf(result[i] - expected[i]) < 1e-5f))
      fail_msg("element %d is %g, not %g", i, (double)result[i], (double)expected[i]);
}

/* ---- overlap -------------------------------------------------------------------------------- */

#define VECTOR(name, pointer, size, step)                                                          \
  "%" name "_t = make_tensor_view %" pointer ", shape = [%n], strides = [" step                    \
  "] : tile<i32> -> "                                                                              \
  "tensor_view<?xf32, strides=[" step "]>\n"                                                       \
  "%" name " = make_partition_view %" name "_t : partition_view<tile=(" size                       \
  "), tensor_view<?xf32, strides=[" step "]>>\n"

#define VECTOR_TYPE(size, step)                                                                    \
  "partition_view<tile=(" size "), tensor_view<?xf32, strides=[" step "]>>, tile<i32>"

/* y[i] = x[i] + y[i] where x and y are the same memory, some elements apart. */
static const char overlapping[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {\n"
    "%zero = constant <i32: 0> : tile<i32>\n" VECTOR("a", "x", "256", "1")
        VECTOR("b", "y", "256", "1") "%p, %t0 = load_view_tko weak %a[%zero] : " VECTOR_TYPE(
            "256",
            "1") " -> tile<256xf32>, token\n"
                 "%q, %t1 = load_view_tko weak %b[%zero] : " VECTOR_TYPE(
                     "256",
                     "1") " -> tile<256xf32>, token\n"
                          "%s = addf %p, %q : tile<256xf32>\n"
                          "%t2 = store_view_tko weak %s, %b[%zero] : tile<256xf32>, " VECTOR_TYPE(
                              "256", "1") " -> token\n} }\n";

static void test_overlap(void **state) {
  (void)state;
  static const int distances[] = {0, 1, 3, 16, 17, 255, 256, -1, -16, -40, -256};
  for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
    for (uint64_t n = 250; n <= 256; n += 3) {
      static float expected[1024], memory[1024];
      fill(expected, 1024, 7);
      fill(memory, 1024, 7);
      uint64_t args[] = {ARG_ADDRESS(expected + 400 + distances[d]), ARG_ADDRESS(expected + 400),
                         n};
      uint64_t other[] = {ARG_ADDRESS(memory + 400 + distances[d]), ARG_ADDRESS(memory + 400), n};
      run_both(overlapping, (run_grid){1, 1, 1}, args, other);
      if (memcmp(expected, memory, sizeof memory))
        fail_msg("%d elements apart, %d of them", distances[d], (int)n);
    }
}

/* y[i] = x[i] + y[i] as above; then the sum of what was loaded and stored, which shares the store's
 * nest, and that of how x differs after the store, which must not. */
#define TILE_OF_A " : " VECTOR_TYPE("256", "1") " -> tile<256xf32>, token\n"
#define SUM_OF                                                                                     \
  " dim=0 identities=[0.0 : f32] : tile<256xf32> -> tile<f32> (%a1: tile<f32>, %b1: tile<f32>) { " \
  "%c1 = addf %a1, %b1 : tile<f32> yield %c1 : tile<f32> }\n"

/* clang-format off */
static const char adding_up[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %z: "
    "tile<ptr<f32>>) {\n"
    "%zero = constant <i32: 0> : tile<i32>\n"
    "%one = constant <i32: 1> : tile<i32>\n"
    VECTOR("a", "x", "256", "1")
    VECTOR("b", "y", "256", "1")
    "%p, %t0 = load_view_tko weak %a[%zero]" TILE_OF_A
    "%q, %t1 = load_view_tko weak %b[%zero]" TILE_OF_A
    "%s = addf %p, %q : tile<256xf32>\n"
    "%t2 = store_view_tko weak %s, %b[%zero] : tile<256xf32>, " VECTOR_TYPE("256", "1") " -> token\n"
    "%three = constant <f32: 3.0> : tile<256xf32>\n"
    "%p3 = mulf %p, %three : tile<256xf32>\n"
    "%r = subf %p3, %s : tile<256xf32>\n"
    "%before = reduce %r" SUM_OF
    "%c, %t3 = load_view_tko weak %a[%zero] token = %t2" TILE_OF_A
    "%change = subf %p3, %c : tile<256xf32>\n"
    "%behind = reduce %change" SUM_OF
    "%t4 = store_ptr_tko weak %z, %before : tile<ptr<f32>>, tile<f32> -> token\n"
    "%z1 = offset %z, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
    "%t5 = store_ptr_tko weak %z1, %behind : tile<ptr<f32>>, tile<f32> -> token\n} }\n";
/* clang-format on */

static void whole_numbers(float *x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = (float)(i * 7919 % 61) - 30;
}

static void test_sums_of_stored(void **state) {
  (void)state;
  static const int distances[] = {0, 1, 3, 16, 17, 255, 256, -1, -16, -40, -256};
  for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
    for (uint64_t n = 250; n <= 256; n += 3) {
      static float expected[1024], memory[1024];
      whole_numbers(expected, 1024);
      whole_numbers(memory, 1024);
      float *x = expected + 400, *y = memory + 400;
      uint64_t args[] = {ARG_ADDRESS(x + distances[d]), ARG_ADDRESS(x), n, ARG_ADDRESS(expected)};
      uint64_t other[] = {ARG_ADDRESS(y + distances[d]), ARG_ADDRESS(y), n, ARG_ADDRESS(memory)};
      run_both(adding_up, (run_grid){1, 1, 1}, args, other);
      if (memcmp(expected, memory, sizeof memory))
        fail_msg("%d elements apart, %d of them: %g and %g, not %g and %g", distances[d], (int)n,
                 (double)memory[0], (double)memory[1], (double)expected[0], (double)expected[1]);
    }
}

/* ---- long chains ---------------------------------------------------------------------------- */

/* y[i] = 7 x[i] + y[i], added up one by one: copies of such a body take turns. */
static const char *chain_text(void) {
  enum { STEPS = 6 };
  static char text[8192];
  size_t at = (size_t)snprintf(text, sizeof text, "%s", overlapping);
  char *store = strstr(text, "%t2 = store");
  char rest[1024];
  snprintf(rest, sizeof rest, "%s", store);
  at = (size_t)(store - text);
  for (int i = 0; i < STEPS; i++) {
    char before[16] = "s";
    if (i) snprintf(before, sizeof before, "s%d", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "%%s%d = addf %%%s, %%p : tile<256xf32>\n",
                           i + 1, before);
  }
  char *stored = strstr(rest, "%s,");
  snprintf(text + at, sizeof text - at, "%.*s%%s%d%s", (int)(stored - rest), rest, STEPS,
           stored + 2);
  return text;
}

static void test_chains(void **state) {
  (void)state;
  static const int distances[] = {0, 1, 16, 17, 64, 255, -1, -16, -64};
  for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
    for (uint64_t n = 250; n <= 256; n += 3) {
      static float expected[1024], memory[1024];
      whole_numbers(expected, 1024);
      whole_numbers(memory, 1024);
      uint64_t args[] = {ARG_ADDRESS(expected + 400 + distances[d]), ARG_ADDRESS(expected + 400),
                         n};
      uint64_t other[] = {ARG_ADDRESS(memory + 400 + distances[d]), ARG_ADDRESS(memory + 400), n};
      run_both(chain_text(), (run_grid){1, 1, 1}, args, other);
      if (memcmp(expected, memory, sizeof memory))
        fail_msg("%d elements apart, %d of them", distances[d], (int)n);
    }
}

/* Running sums in which one addition rounds, in any order: of the first element and each that is a
 * power of two after it. As few bits are left of it whichever way the additions are made. */
static void test_rounded_scan(void **state) {
  (void)state;
  static const char text[] =
      "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {\n"
      "%i = iota : tile<64xi32>\n"
      "%xr = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
      "%xb = broadcast %xr : tile<1xptr<f32>> -> tile<64xptr<f32>>\n"
      "%xa = offset %xb, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n"
      "%yr = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
      "%yb = broadcast %yr : tile<1xptr<f32>> -> tile<64xptr<f32>>\n"
      "%ya = offset %yb, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n"
      "%v, %t0 = load_ptr_tko weak %xa : tile<64xptr<f32>> -> tile<64xf32>, token\n"
      "%s = scan %v dim=0 reverse=false identities=[0.0 : f32] : tile<64xf32> -> tile<64xf32>\n"
      "(%a: tile<f32>, %b: tile<f32>) { %r = addf %a, %b$m : tile<f32> yield %r : tile<f32> }\n"
      "%t1 = store_ptr_tko weak %ya, %s : tile<64xptr<f32>>, tile<64xf32> -> token\n} }\n";
  static const char *const modes[] = {"", " rounding<positive_inf>", " rounding<zero>",
                                      " flush_to_zero"};
  float x[64], want[64], got[64];
  for (size_t m = 0; m < ARRAY_LEN(modes); m++)
    for (unsigned at = 1; at < 64; at *= 2)
      for (unsigned tiny = 0; tiny < 2; tiny++) {
        char code[2048];
        run_fill(code, sizeof code, text, (run_blank[]){{'m', modes[m]}, {0}});
        memset(x, 0, sizeof x);
        x[0] = tiny ? 0x1p-130f : 1;
        x[at] = tiny ? 0x1p-131f : 0x1p-30f;
        uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(want)};
        uint64_t same[] = {ARG_ADDRESS(x), ARG_ADDRESS(got)};
        run_both(code, (run_grid){1, 1, 1}, args, same);
        if (memcmp(want, got, sizeof want)) fail_msg("%s: element %u, %u", modes[m], at, tiny);
      }
}

/* Tiles that a loop carries and that start as one number, in any number of rounds: two that trade
 * places, with what is loaded added; one that another loop carries on; one of integers, of which
 * the last round is stored as well. $w: elements of a tile. */
static void test_carried_numbers(void **state) {
  (void)state;
  static const char text[] =
      "!v = !cuda_tile.partition_view<tile=($w), padding_value = zero, tensor_view<?xf32, "
      "strides=[1]>>\n"
      "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, "
      "%rounds: tile<i32>) {\n"
      "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
      "%many = constant <i32: 64> : tile<i32>\n"
      "%room = constant <i64: 8192> : tile<i64>\n%length = exti %n signed : tile<i32> -> "
      "tile<i64>\n"
      "%xm = make_tensor_view %x, shape = [%length], strides = [1] : tile<i64> -> "
      "tensor_view<?xf32, strides=[1]>\n"
      "%ym = make_tensor_view %y, shape = [%room], strides = [1] : tile<i64> -> "
      "tensor_view<?xf32, strides=[1]>\n"
      "%xv = make_partition_view %xm : !v\n%yv = make_partition_view %ym : !v\n"
      "%two = constant <f32: 2.0> : tile<$wxf32>\n%less = constant <f32: -7.0> : tile<$wxf32>\n"
      "%five = constant <i64: 5> : tile<$wxi64>\n%three = constant <i64: 3> : tile<$wxi64>\n"
      "%a, %b, %c = for %i in (%zero to %rounds, step %one) : tile<i32> iter_values(%p = %two, "
      "%q = %less, %r = %five) -> (tile<$wxf32>, tile<$wxf32>, tile<$wxi64>) {\n"
      "  %v, %t0 = load_view_tko weak %xv[%i] : !v, tile<i32> -> tile<$wxf32>, token\n"
      "  %p1 = addf %q, %v : tile<$wxf32>\n  %q1 = maxf %p, %v : tile<$wxf32>\n"
      "  %r1 = muli %r, %three : tile<$wxi64>\n"
      "  %s = for %j in (%zero to %i, step %one) : tile<i32> iter_values(%o = %two) -> "
      "(tile<$wxf32>) {\n    %o1 = addf %o, %v : tile<$wxf32>\n    continue %o1 : tile<$wxf32>\n"
      "  }\n"
      "  %at = addi %i, %many : tile<i32>\n"
      "  %t1 = store_view_tko weak %s, %yv[%at] : tile<$wxf32>, !v, tile<i32> -> token\n"
      "  continue %p1, %q1, %r1 : tile<$wxf32>, tile<$wxf32>, tile<$wxi64>\n}\n"
      "%d = itof %c signed rounding<nearest_even> : tile<$wxi64> -> tile<$wxf32>\n"
      "%t2 = store_view_tko weak %a, %yv[%zero] : tile<$wxf32>, !v, tile<i32> -> token\n"
      "%t3 = store_view_tko weak %b, %yv[%one] : tile<$wxf32>, !v, tile<i32> -> token\n"
      "%next = addi %one, %one : tile<i32>\n"
      "%t4 = store_view_tko weak %d, %yv[%next] : tile<$wxf32>, !v, tile<i32> -> token\n} }\n";
  static const char *const widths[] = {"4", "16", "64"};
  static float x[8192], want[8192], got[8192];
  for (size_t i = 0; i < ARRAY_LEN(x); i++) x[i] = (float)(i % 19) - 9;
  for (size_t w = 0; w < ARRAY_LEN(widths); w++)
    for (unsigned rounds = 0; rounds < 4; rounds++)
      for (unsigned n = 0; n < 200; n += 66) {
        char code[4096];
        run_fill(code, sizeof code, text, (run_blank[]){{'w', widths[w]}, {0}});
        memset(want, 0, sizeof want);
        memset(got, 0, sizeof got);
        uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(want), n, rounds};
        uint64_t same[] = {ARG_ADDRESS(x), ARG_ADDRESS(got), n, rounds};
        run_both(code, (run_grid){1, 1, 1}, args, same);
        if (memcmp(want, got, sizeof want)) fail_msg("%s, %u rounds, %u", widths[w], rounds, n);
      }
}

/* How many additions of vectors stand after one whose result they don't take. */
static unsigned additions_in_turn;

static bool count_turns(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  (void)entry, (void)block, (void)grid;
  arena a;
  arena_init(&a, m->ctx);
  char *code = engine_code(m, engine_level, false, &a);
  additions_in_turn = 0;
  char last[40] = "";
  for (char *line = code ? strtok(code, "\n") : NULL; line; line = strtok(NULL, "\n")) {
    char name[32] = "";
    bool addition = sscanf(line, " %30s = fadd <", name) == 1 && strstr(line, "fadd <");
    if (addition && *last && !strstr(line, last)) additions_in_turn++;
    snprintf(last, sizeof last, "%s%s", addition ? name : "", addition ? "," : "");
  }
  arena_free(&a);
  return code != NULL;
}

/* Two sums, and arithmetic between them that needs the first: one loop for both. */
static const char sums[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {\n"
    "%i = iota : tile<512xi32>\n"
    "%xr = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "%xb = broadcast %xr : tile<1xptr<f32>> -> tile<512xptr<f32>>\n"
    "%xa = offset %xb, %i : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>\n"
    "%v, %t0 = load_ptr_tko weak %xa : tile<512xptr<f32>> -> tile<512xf32>, token\n"
    "%two = constant <f32: 2.0> : tile<f32>\n"
    "%s = reduce %v dim=0 identities=[0.0 : f32] : tile<512xf32> -> tile<f32>\n"
    "(%a: tile<f32>, %b: tile<f32>) { %r = addf %a, %b : tile<f32> yield %r : tile<f32> }\n"
    "%twice = mulf %s, %two : tile<f32>\n"
    "%w = mulf %v, %v : tile<512xf32>\n"
    "%d = reduce %w dim=0 identities=[0.0 : f32] : tile<512xf32> -> tile<f32>\n"
    "(%c: tile<f32>, %e: tile<f32>) { %q = addf %c, %e : tile<f32> yield %q : tile<f32> }\n"
    "%both = addf %twice, %d : tile<f32>\n"
    "%t1 = store_ptr_tko weak %y, %both : tile<ptr<f32>>, tile<f32> -> token\n} }\n";

/* An engine that only counts how often something stands in the code. */
static void test_sums_together(void **state) {
  (void)state;
  float x[512], expected, got;
  whole_numbers(x, 512);
  assert_int_equal(code_count("\nloop", sums), 1);
  run_both(sums, (run_grid){1, 1, 1}, (uint64_t[]){ARG_ADDRESS(x), ARG_ADDRESS(&expected)},
           (uint64_t[]){ARG_ADDRESS(x), ARG_ADDRESS(&got)});
  assert_true(expected == got);
}

static void test_turns(void **state) {
  (void)state;
  if (!run_program_on(count_turns, chain_text(), "k", (run_grid){1, 1, 1}, (uint64_t[3]){0},
                      &report))
    fail_msg("%s", report.diagnostics);
  if (engine_level == CPU_AVX512)
    assert_true(additions_in_turn > 20); /* four copies of 7 */
  else
    assert_true(additions_in_turn < 8); /* too few registers */
}

/* y[i] = x[places[i]], where y may be x or the places themselves. */
#define ADDRESSES(name, pointer)                                                                   \
  "%" name "1 = reshape %" pointer " : tile<ptr<i32>> -> tile<1xptr<i32>>\n"                       \
  "%" name "a = broadcast %" name "1 : tile<1xptr<i32>> -> tile<256xptr<i32>>\n"

static const char taking[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<i32>>, %p: tile<ptr<i32>>, %y: tile<ptr<i32>>, "
    "%n: tile<i32>) {\n"
    "%i = iota : tile<256xi32>\n"
    "%n1 = reshape %n : tile<i32> -> tile<1xi32>\n"
    "%na = broadcast %n1 : tile<1xi32> -> tile<256xi32>\n"
    "%in = cmpi less_than %i, %na, signed : tile<256xi32> -> tile<256xi1>\n"
    "%none = constant <i32: 0> : tile<256xi32>\n" ADDRESSES("x", "x") ADDRESSES("p", "p") ADDRESSES(
        "y",
        "y") "%pi = offset %pa, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>\n"
             "%places, %t0 = load_ptr_tko weak %pi, %in, %none : tile<256xptr<i32>>, tile<256xi1>, "
             "tile<256xi32> -> tile<256xi32>, token\n"
             "%xi = offset %xa, %places : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>\n"
             "%v, %t1 = load_ptr_tko weak %xi : tile<256xptr<i32>> -> tile<256xi32>, token\n"
             "%s = addi %v, %places : tile<256xi32>\n"
             "%yi = offset %ya, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>\n"
             "%t2 = store_ptr_tko weak %yi, %s, %in : tile<256xptr<i32>>, tile<256xi32>, "
             "tile<256xi1> -> "
             "token\n} }\n";

static void test_taking(void **state) {
  (void)state;
  enum { SIZE = 1024, X = 0, PLACES = 400 };
  static const int targets[] = {X, X + 1, PLACES, PLACES - 3, PLACES + 16, 700};
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
    for (uint64_t n = 251; n <= 256; n += 5) {
      static int32_t expected[SIZE], memory[SIZE];
      for (int i = 0; i < SIZE; i++) memory[i] = i >= PLACES && i < 700 ? i * 37 % 256 : i * i;
      memcpy(expected, memory, sizeof memory);
      uint64_t args[] = {ARG_ADDRESS(expected + X), ARG_ADDRESS(expected + PLACES),
                         ARG_ADDRESS(expected + targets[t]), n};
      uint64_t other[] = {ARG_ADDRESS(memory + X), ARG_ADDRESS(memory + PLACES),
                          ARG_ADDRESS(memory + targets[t]), n};
      run_both(taking, (run_grid){1, 1, 1}, args, other);
      if (memcmp(expected, memory, sizeof memory))
        fail_msg("stored to %d, %d of them", targets[t], (int)n);
    }
}

/* A stride known at run time only. When it is 0, all elements of y are one, which ends up as the
 * last. */
#define STEPS(size) "partition_view<tile=(" size "), tensor_view<?xf32, strides=[?]>>"
#define STEPPED(name, pointer, size)                                                               \
  "%" name "_t = make_tensor_view %" pointer ", shape = [%n], strides = [%step] : tile<i32> -> "   \
  "tensor_view<?xf32, strides=[?]>\n"                                                              \
  "%" name " = make_partition_view %" name "_t : " STEPS(size) "\n"

static const char stepping[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, "
    "%step: tile<i32>) {\n"
    "%zero = constant <i32: 0> : tile<i32>\n" VECTOR("a", "x", "64", "1")
        STEPPED("b", "y", "64") "%p, %t0 = load_view_tko weak %a[%zero] : " VECTOR_TYPE(
            "64", "1") " -> tile<64xf32>, token\n"
                       "%q, %t1 = load_view_tko weak %b[%zero] : " STEPS(
                           "64") ", tile<i32> -> tile<64xf32>, token\n"
                                 "%s = addf %p, %q : tile<64xf32>\n"
                                 "%t2 = store_view_tko weak %s, %b[%zero] : tile<64xf32>, " STEPS(
                                     "64") ", tile<i32> -> token\n} }\n";

static void test_steps(void **state) {
  (void)state;
  float x[64], expected[256], result[256];
  for (int i = 0; i < 64; i++) x[i] = (float)i;
  for (uint64_t step = 0; step < 4; step++)
    for (uint64_t n = 50; n <= 64; n += 7) {
      fill(expected, 256, 5);
      fill(result, 256, 5);
      uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(expected), n, step};
      uint64_t other[] = {ARG_ADDRESS(x), ARG_ADDRESS(result), n, step};
      run_both(stepping, (run_grid){1, 1, 1}, args, other);
      assert_memory_equal(expected, result, sizeof result);
    }
}

/* ---- indices that wrap around --------------------------------------------------------------- */

/* 32-bit indices beyond 2^31 - 1 are negative, and so are offsets by them. */
static const char wrapping[] =
    "cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %at: tile<i32>, %out: tile<ptr<i32>>) {\n"
    "%i = iota : tile<16xi32>\n"
    "%a = reshape %at : tile<i32> -> tile<1xi32>\n"
    "%b = broadcast %a : tile<1xi32> -> tile<16xi32>\n"
    "%j = addi %i, %b : tile<16xi32>\n"
    "%k = constant <i32: 3> : tile<16xi32>\n"
    "%sign = constant <i32: 31> : tile<16xi32>\n"
    "%s = shri %j, %sign unsigned : tile<16xi32>\n"
    "%w = exti %j signed : tile<16xi32> -> tile<16xi64>\n"
    "%c = constant <i64: 60> : tile<16xi64>\n"
    "%h = shri %w, %c unsigned : tile<16xi64>\n"
    "%n = trunci %h : tile<16xi64> -> tile<16xi32>\n"
    "%m = addi %n, %s : tile<16xi32>\n"
    "%r = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
    "%q = broadcast %r : tile<1xptr<i32>> -> tile<16xptr<i32>>\n"
    "%o = offset %q, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>\n"
    "%t = store_ptr_tko weak %o, %m : tile<16xptr<i32>>, tile<16xi32> -> token\n} }\n";

static void test_wrap_around(void **state) {
  (void)state;
  static const int32_t starts[] = {0, -8, 0x7ffffff8, 0x7fffffff, 0x7ffffff0, 0x7ffffff1};
  for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
    int32_t expected[16] = {0}, result[16] = {0};
    uint64_t args[] = {0, (uint32_t)starts[s], ARG_ADDRESS(expected)};
    uint64_t other[] = {0, (uint32_t)starts[s], ARG_ADDRESS(result)};
    run_both(wrapping, (run_grid){1, 1, 1}, args, other);
    assert_memory_equal(expected, result, sizeof result);
    assert_int_equal(result[15], (uint32_t)starts[s] + 15u >= 0x80000000u ? 16 : 0);
  }
}

/* ---- long programs -------------------------------------------------------------------------- */

/* Quotients and remainders of neighbours by one number: as a rule one quotient for the whole tile,
 * and remainders that follow each other. What they are of may be negative, or wrap in $e. */
static void test_periods(void **state) {
  (void)state;
  static const char program[] =
      "cuda_tile.module @m { entry @k(%X: tile<ptr<i32>>, %Q: tile<ptr<$e>>, %R: tile<ptr<$e>>, "
      "%Z: tile<ptr<i32>>, %from: tile<$e>, %by: tile<$e>) {\n"
      "%i = iota : tile<64x$e>\n%at = iota : tile<64xi32>\n"
      "%f1 = reshape %from : tile<$e> -> tile<1x$e>\n"
      "%f = broadcast %f1 : tile<1x$e> -> tile<64x$e>\n"
      "%b1 = reshape %by : tile<$e> -> tile<1x$e>\n"
      "%b = broadcast %b1 : tile<1x$e> -> tile<64x$e>\n"
      "%n = addi %f, %i : tile<64x$e>\n"
      "%q = divi %n, %b $s$r : tile<64x$e>\n"
      "%r = remi %n, %b $s : tile<64x$e>\n"
      "%q1 = reshape %Q : tile<ptr<$e>> -> tile<1xptr<$e>>\n"
      "%q2 = broadcast %q1 : tile<1xptr<$e>> -> tile<64xptr<$e>>\n"
      "%qp = offset %q2, %at : tile<64xptr<$e>>, tile<64xi32> -> tile<64xptr<$e>>\n"
      "%t0 = store_ptr_tko weak %qp, %q : tile<64xptr<$e>>, tile<64x$e> -> token\n"
      "%r1 = reshape %R : tile<ptr<$e>> -> tile<1xptr<$e>>\n"
      "%r2 = broadcast %r1 : tile<1xptr<$e>> -> tile<64xptr<$e>>\n"
      "%rp = offset %r2, %at : tile<64xptr<$e>>, tile<64xi32> -> tile<64xptr<$e>>\n"
      "%t1 = store_ptr_tko weak %rp, %r : tile<64xptr<$e>>, tile<64x$e> -> token\n"
      "%x1 = reshape %X : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
      "%x2 = broadcast %x1 : tile<1xptr<i32>> -> tile<64xptr<i32>>\n"
      "%xp = offset %x2, %r : tile<64xptr<i32>>, tile<64x$e> -> tile<64xptr<i32>>\n"
      "%x, %t2 = load_ptr_tko weak %xp : tile<64xptr<i32>> -> tile<64xi32>, token\n"
      "%z1 = reshape %Z : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
      "%z2 = broadcast %z1 : tile<1xptr<i32>> -> tile<64xptr<i32>>\n"
      "%zp = offset %z2, %at : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>\n"
      "%t3 = store_ptr_tko weak %zp, %x : tile<64xptr<i32>>, tile<64xi32> -> token\n} }\n";
  static const struct {
    const char *elem, *sign, *rounding;
    int64_t from, by;
  } cases[] = {
      {"i32", "signed", "", 0, 64},
      {"i32", "signed", "", 0, 63},
      {"i32", "signed", "", 640, 64},
      {"i32", "signed", "", 641, 64},
      {"i32", "signed", "", 1000, 300},
      {"i32", "signed", "", -64, 100},
      {"i32", "signed", "", -63, 100},
      {"i32", "signed", "", 5, -100},
      {"i32", "signed", "", 200, -100},
      {"i32", "signed", "", 7, 1},
      {"i32", "unsigned", "", -64, 100},
      {"i32", "unsigned", "", 5, -100},
      {"i32", "unsigned", "", -10, 300},
      {"i32", "signed", "", INT32_MAX - 63, 500},
      {"i64", "signed", "", 1000, 300},
      {"i64", "signed", "", -5, 300},
      {"i64", "unsigned", "", 1000, 300},
      {"i64", "unsigned", "", -5, 300},
      {"i16", "signed", "", 32760, 100},
      {"i16", "unsigned", "", 32760, 300},
      {"i8", "signed", "", 100, 120},
      {"i8", "unsigned", "", 100, 120},
      {"i32", "signed", " rounding<negative_inf>", 1000, 300},
      {"i32", "signed", " rounding<negative_inf>", -20, 300},
      {"i32", "signed", " rounding<positive_inf>", 1000, 300},
  };
  static int32_t x[1 << 10];
  for (size_t i = 0; i < ARRAY_LEN(x); i++) x[i] = (int32_t)i * 7;
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    char text[8192];
    const run_blank blanks[] = {
        {'e', cases[c].elem}, {'s', cases[c].sign}, {'r', cases[c].rounding}, {0}};
    run_fill(text, sizeof text, program, blanks);
    uint64_t want[3][64] = {0}, got[3][64] = {0};
    int32_t *middle = x + ARRAY_LEN(x) / 2;
    uint64_t from = (uint64_t)cases[c].from, by = (uint64_t)cases[c].by;
    uint64_t args[] = {ARG_ADDRESS(middle),
                       ARG_ADDRESS(want[0]),
                       ARG_ADDRESS(want[1]),
                       ARG_ADDRESS(want[2]),
                       from,
                       by};
    uint64_t same[] = {ARG_ADDRESS(middle),
                       ARG_ADDRESS(got[0]),
                       ARG_ADDRESS(got[1]),
                       ARG_ADDRESS(got[2]),
                       from,
                       by};
    run_both(text, (run_grid){1, 1, 1}, args, same);
    if (memcmp(want, got, sizeof want) != 0)
      fail_msg("%s %s, %lld … by %lld%s", cases[c].elem, cases[c].sign, (long long)cases[c].from,
               (long long)cases[c].by, cases[c].rounding);
  }
}

/* Many times the operations after which basic blocks are cut, in a loop that carries a value. */
static void test_long(void **state) {
  (void)state;
  enum { OPERATIONS = 700, LINE = 64 };
  static char text[OPERATIONS * LINE + 2048];
  int at = sprintf(text, "cuda_tile.module @m { entry @k(%%p: tile<ptr<i32>>) {\n"
                         "%%zero = constant <i32: 0> : tile<i32>\n"
                         "%%one = constant <i32: 1> : tile<i32>\n"
                         "%%five = constant <i32: 5> : tile<i32>\n"
                         "%%r = for %%v0 in (%%zero to %%five, step %%one) : tile<i32> "
                         "iter_values(%%v1 = %%one) -> (tile<i32>) {\n");
  for (int i = 2; i < OPERATIONS; i++)
    at += sprintf(text + at, "%%v%d = %s %%v%d, %%v%d : tile<i32>\n", i, i % 3 ? "addi" : "muli",
                  i - 1, i - 2);
  sprintf(text + at,
          "continue %%v%d : tile<i32>\n}\n"
          "%%t = store_ptr_tko weak %%p, %%r : tile<ptr<i32>>, tile<i32> -> token\n} }\n",
          OPERATIONS - 1);
  uint32_t expected = 0, result = 0, sum = 1;
  uint64_t args[] = {ARG_ADDRESS(&expected)}, other[] = {ARG_ADDRESS(&result)};
  run_both(text, (run_grid){1, 1, 1}, args, other);
  for (uint32_t k = 0; k < 5; k++) {
    uint32_t before = k, last = sum;
    for (int i = 2; i < OPERATIONS; i++) {
      uint32_t next = i % 3 ? last + before : last * before;
      before = last;
      last = next;
    }
    sum = last;
  }
  assert_int_equal(expected, sum);
  assert_int_equal(result, sum);
}

/* ---- choices that may be the same everywhere ---------------------------------------------------
 */

/* A mask that compares a sum along one dimension with the minimum, the maximum or a choice of
 * others along the other: where it is true of all elements, the nest makes no mask. */
#define NUMBER(name, place)                                                                        \
  "%%" name "3 = constant <i32: 3> : tile<i32>\n"                                                  \
  "%%" name "m = muli %%x, %%" name "3 : tile<i32>\n"                                              \
  "%%" name "k = constant <i32: " place "> : tile<i32>\n"                                          \
  "%%" name "s = addi %%" name "m, %%" name "k : tile<i32>\n"                                      \
  "%%" name "p = offset %%in, %%" name "s : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"         \
  "%%" name ", %%" name "t = load_ptr_tko weak %%" name "p : tile<ptr<i32>> -> tile<i32>, token\n"

static const char choosing[] =
    "cuda_tile.module @m { entry @k(%%q: tile<ptr<i32>>, %%in: tile<ptr<i32>>) {\n"
    "%%x, %%y, %%z = get_tile_block_id : tile<i32>\n%%all = constant <i32: 256> : tile<i32>\n"
    "%%first = muli %%x, %%all : tile<i32>\n"
    "%%p = offset %%q, %%first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n" NUMBER("a", "0")
        NUMBER("b", "1") NUMBER(
            "c",
            "2") "%%i = iota : tile<16xi32>\n%%zero = constant <i32: 0> : tile<i32>\n"
                 "%%a1 = reshape %%a : tile<i32> -> tile<1xi32>\n"
                 "%%aa = broadcast %%a1 : tile<1xi32> -> tile<16xi32>\n"
                 "%%b1 = reshape %%b : tile<i32> -> tile<1xi32>\n"
                 "%%bb = broadcast %%b1 : tile<1xi32> -> tile<16xi32>\n"
                 "%%c1 = reshape %%c : tile<i32> -> tile<1xi32>\n"
                 "%%cc = broadcast %%c1 : tile<1xi32> -> tile<16xi32>\n"
                 "%%row = addi %%aa, %%i : tile<16xi32>\n%%other = addi %%bb, %%i : tile<16xi32>\n"
                 "%%m = %s %%other, %%cc %s : tile<16xi32>\n"
                 "%%f = cmpi less_than %%a, %%zero, signed : tile<i32> -> tile<i1>\n"
                 "%%f1 = reshape %%f : tile<i1> -> tile<1xi1>\n"
                 "%%ff = broadcast %%f1 : tile<1xi1> -> tile<16xi1>\n"
                 "%%l = select %%ff, %%m, %%cc : tile<16xi1>, tile<16xi32>\n"
                 "%%l1 = reshape %%l : tile<16xi32> -> tile<16x1xi32>\n"
                 "%%ll = broadcast %%l1 : tile<16x1xi32> -> tile<16x16xi32>\n"
                 "%%r1 = reshape %%row : tile<16xi32> -> tile<1x16xi32>\n"
                 "%%rr = broadcast %%r1 : tile<1x16xi32> -> tile<16x16xi32>\n"
                 "%%v = cmpi %s %%rr, %%ll, %s : tile<16x16xi32> -> tile<16x16xi1>\n"
                 "%%n = constant <i32: -7> : tile<16x16xi32>\n"
                 "%%s = select %%v, %%rr, %%n : tile<16x16xi1>, tile<16x16xi32>\n"
                 "%%w = make_tensor_view %%p, shape = [16, 16], strides = [16, 1] : "
                 "tensor_view<16x16xi32, strides=[16,1]>\n"
                 "%%t = make_partition_view %%w : partition_view<tile=(16x16), "
                 "tensor_view<16x16xi32, "
                 "strides=[16,1]>>\n"
                 "%%t0 = store_view_tko weak %%s, %%t[%%zero, %%zero] : tile<16x16xi32>, "
                 "partition_view<tile=(16x16), tensor_view<16x16xi32, strides=[16,1]>>, tile<i32> "
                 "-> token\n"
                 "} }\n";

static void test_choices(void **state) {
  (void)state;
  static const char *const bounds[] = {"mini", "maxi"}, *const signs[] = {"signed", "unsigned"};
  static const char *const predicates[] = {"less_than", "less_than_or_equal", "greater_than",
                                           "greater_than_or_equal"};
  static const uint32_t numbers[] = {0,          1,          15,         16,         31,
                                     0x7ffffff8, 0x80000000, 0xfffffff0, 0xfffffff8, 0xffffffff};
  enum { COUNT = sizeof numbers / sizeof *numbers, ALL = COUNT * COUNT * COUNT };
  static int32_t in[ALL][3], expected[ALL][256], result[ALL][256];
  for (unsigned i = 0; i < ALL; i++) {
    in[i][0] = (int32_t)numbers[i % COUNT];
    in[i][1] = (int32_t)numbers[i / COUNT % COUNT];
    in[i][2] = (int32_t)numbers[i / COUNT / COUNT];
  }
  for (unsigned form = 0; form < 16; form++) {
    char text[8192];
    const char *sign = signs[form >> 1 & 1];
    snprintf(text, sizeof text, choosing, bounds[form & 1], sign, predicates[form >> 2], sign);
    run_both(text, (run_grid){ALL, 1, 1}, (uint64_t[]){ARG_ADDRESS(expected), ARG_ADDRESS(in)},
             (uint64_t[]){ARG_ADDRESS(result), ARG_ADDRESS(in)});
    for (unsigned i = 0; i < ALL; i++)
      if (memcmp(expected[i], result[i], sizeof expected[i]))
        fail_msg("form %u with %x, %x, %x", form, (unsigned)in[i][0], (unsigned)in[i][1],
                 (unsigned)in[i][2]);
  }
}

/* The lower triangle of X, 64 x 64, in tiles of 16 x 16; or with a tile's own indices that of each
 * tile; or ones. $i and $j: what indices begin from, $v: what is selected from. */
static const char triangle[] =
    "!x = !cuda_tile.partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>\n"
    "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Z: tile<ptr<f32>>) {\n"
    "%i, %j, %k = get_tile_block_id : tile<i32>\n"
    "%none = constant <i32: 0> : tile<i32>\n%side = constant <i32: 16> : tile<i32>\n"
    "%x = make_tensor_view %X, shape = [64, 64], strides = [64, 1] : "
    "tensor_view<64x64xf32, strides=[64,1]>\n"
    "%z = make_tensor_view %Z, shape = [64, 64], strides = [64, 1] : "
    "tensor_view<64x64xf32, strides=[64,1]>\n"
    "%xv = make_partition_view %x : !x\n%zv = make_partition_view %z : !x\n"
    "%v, %t = load_view_tko weak %xv[%i, %j] : !x, tile<i32> -> tile<16x16xf32>, token\n"
    "%n = iota : tile<16xi32>\n%fi = muli $i, %side : tile<i32>\n"
    "%fj = muli $j, %side : tile<i32>\n"
    "%fi1 = reshape %fi : tile<i32> -> tile<1xi32>\n%fj1 = reshape %fj : tile<i32> -> "
    "tile<1xi32>\n"
    "%fib = broadcast %fi1 : tile<1xi32> -> tile<16xi32>\n"
    "%fjb = broadcast %fj1 : tile<1xi32> -> tile<16xi32>\n"
    "%ni = addi %fib, %n : tile<16xi32>\n%nj = addi %fjb, %n : tile<16xi32>\n"
    "%ni1 = reshape %ni : tile<16xi32> -> tile<16x1xi32>\n"
    "%nj1 = reshape %nj : tile<16xi32> -> tile<1x16xi32>\n"
    "%row = broadcast %ni1 : tile<16x1xi32> -> tile<16x16xi32>\n"
    "%column = broadcast %nj1 : tile<1x16xi32> -> tile<16x16xi32>\n"
    "%m = cmpi greater_than_or_equal %row, %column, signed : tile<16x16xi32> -> tile<16x16xi1>\n"
    "%zero = constant <f32: 0.0> : tile<16x16xf32>\n"
    "%one = constant <f32: 1.0> : tile<16x16xf32>\n"
    "%s = select %m, $v, %zero : tile<16x16xi1>, tile<16x16xf32>\n"
    "%u = store_view_tko weak %s, %zv[%i, %j] : tile<16x16xf32>, !x, tile<i32> -> token\n} }\n";

/* Where all of a tile lies inside it is loaded and stored in whole vectors, whatever the mask. */
static void test_triangles(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) {
    bool own = form > 0, ones = form == 2;
    char text[4096];
    const run_blank blanks[] = {
        {'i', own ? "%none" : "%i"}, {'j', own ? "%none" : "%j"}, {'v', ones ? "%one" : "%v"}, {0}};
    run_fill(text, sizeof text, triangle, blanks);
    float x[64 * 64], want[64 * 64], got[64 * 64];
    fill(x, ARRAY_LEN(x), 7);
    run_both(text, (run_grid){4, 4, 1}, (uint64_t[]){ARG_ADDRESS(x), ARG_ADDRESS(want)},
             (uint64_t[]){ARG_ADDRESS(x), ARG_ADDRESS(got)});
    assert_memory_equal(got, want, sizeof got);
    for (unsigned i = 0; i < 64; i++)
      for (unsigned j = 0; j < 64; j++) {
        bool below = own ? i % 16 >= j % 16 : i >= j;
        assert_true(got[i * 64 + j] == (!below ? 0 : ones ? 1 : x[i * 64 + j]));
      }
    assert_int_equal(code_count("\nexact", text), 1);
    assert_true(ones || code_count(" = select <", text) > 1); /* not in the guarded version alone */
  }
}

/* ---- what cannot be compiled ---------------------------------------------------------------- */

static void test_refusal(void **state) {
  (void)state;
  const char *text = "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {\n"
                     "%i = iota : tile<8xi32>\n"
                     "%s = reduce %i dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>"
                     " (%x: tile<i32>, %y: tile<i32>) {\n"
                     "  %v = iota : tile<4xi32>\n"
                     "  %z = addi %x, %y : tile<i32>\n"
                     "  yield %z : tile<i32>\n"
                     "}\n} }\n";
  assert_false(run_compiled(text, "k", (run_grid){1, 1, 1}, (uint64_t[]){0}, &report));
  assert_string_equal(report.diagnostics,
                      "4:8: the cpu target cannot compile 'iota': the body of a reduce or scan may "
                      "hold arithmetic on scalars only\n");
}

/* ---- usual arguments and others -------------------------------------------------------------- */

static const char angles[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {\n"
    "%i = iota : tile<256xi32>\n"
    "%xr = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "%xb = broadcast %xr : tile<1xptr<f32>> -> tile<256xptr<f32>>\n"
    "%xa = offset %xb, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>\n"
    "%yr = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "%yb = broadcast %yr : tile<1xptr<f32>> -> tile<256xptr<f32>>\n"
    "%ya = offset %yb, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>\n"
    "%zr = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "%zb = broadcast %zr : tile<1xptr<f32>> -> tile<256xptr<f32>>\n"
    "%za = offset %zb, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>\n"
    "%v, %t0 = load_ptr_tko weak %xa : tile<256xptr<f32>> -> tile<256xf32>, token\n"
    "%s = sin %v : tile<256xf32>\n"
    "%c = cos %v : tile<256xf32>\n"
    "%t1 = store_ptr_tko weak %ya, %s : tile<256xptr<f32>>, tile<256xf32> -> token\n"
    "%t2 = store_ptr_tko weak %za, %c : tile<256xptr<f32>>, tile<256xf32> -> token\n} }\n";

/* Within two units of the last place of what the interpreter says, signs and NaNs too. */
static void assert_near(const float *got, const float *want, unsigned n, float unusual) {
  for (unsigned i = 0; i < n; i++) {
    uint32_t a = run_f32_bits(got[i]), b = run_f32_bits(want[i]);
    if (a - b + 2 > 4)
      fail_msg("with %a: element %u is %a instead of %a", unusual, i, got[i], want[i]);
  }
}

/* Angles of any size in every register of a body: most vectors have none that takes the long way,
 * and those that have one must not lose their others. */
static void test_angles(void **state) {
  (void)state;
  static const float unusual[] = {0x1.fffffep12f, 8192,      -8193, 1e10f,  -3e38f,
                                  INFINITY,       -INFINITY, NAN,   1e-40f, -0.0f};
  for (unsigned k = 0; k < ARRAY_LEN(unusual) * 8; k++) {
    float x[256], want[512], got[512];
    for (unsigned i = 0; i < 256; i++) x[i] = (float)((int)i - 100) * 0.37f * (float)(1 + k);
    x[k * 5 % 256] = unusual[k / 8];
    x[3] = 0;
    x[4] = -0.0f;
    run_both(angles, (run_grid){1, 1, 1},
             (uint64_t[]){ARG_ADDRESS(x), ARG_ADDRESS(want), ARG_ADDRESS(want + 256)},
             (uint64_t[]){ARG_ADDRESS(x), ARG_ADDRESS(got), ARG_ADDRESS(got + 256)});
    assert_near(got, want, 512, unusual[k / 8]);
    assert_true(got[3] == 0 && !signbit(got[3]) && got[256 + 3] == 1);
    assert_true(got[4] == 0 && signbit(got[4]) && got[256 + 4] == 1);
    for (unsigned i = 0; i < 512; i++) assert_false(fabsf(got[i]) > 1);
  }
  /* Each function once in the loop of whole vectors, where it is called in rare blocks only. */
  if (engine_level >= CPU_AVX2) assert_true(code_count("\nrare", angles) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_attention),
      LEVELS(test_overlap),
      LEVELS(test_sums_of_stored),
      LEVELS(test_chains),
      LEVELS(test_turns),
      LEVELS(test_sums_together),
      LEVELS(test_angles),
      LEVELS(test_steps),
      LEVELS(test_wrap_around),
      LEVELS(test_refusal),
      LEVELS(test_long),
      LEVELS(test_choices),
      LEVELS(test_triangles),
      LEVELS(test_taking),
      LEVELS(test_periods),
      LEVELS(test_rounded_scan),
      LEVELS(test_carried_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
