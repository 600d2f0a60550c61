/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores through tiles of pointers on the emulated GPU, beside the interpreter: accesses
 * of 16 bytes where elements lie next to each other, as the program says or as turns out when it
 * runs, and single ones otherwise. Counters say which happened.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "emu/counters.h"

enum { N = 4096, TILE = 1024 };

/* y[i] += x[i] for i < n, in tiles of 1024. ASSUME says what is known; AT makes the offsets. */
#define KERNEL(assume, at, less)                                                                   \
  "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {\n"      \
  "%i, %j, %k = get_tile_block_id : tile<i32>\n"                                                   \
  "%size = constant <i32: 1024> : tile<i32>\n"                                                     \
  "%first = muli %i, %size : tile<i32>\n"                                                          \
  "%first1 = reshape %first : tile<i32> -> tile<1xi32>\n"                                          \
  "%firsts = broadcast %first1 : tile<1xi32> -> tile<1024xi32>\n"                                  \
  "%lane = iota : tile<1024xi32>\n" at assume "%n1 = reshape %na : tile<i32> -> tile<1xi32>\n"     \
  "%ns = broadcast %n1 : tile<1xi32> -> tile<1024xi32>\n"                                          \
  "%in = cmpi " less ", signed : tile<1024xi32> -> tile<1024xi1>\n"                                \
  "%x1 = reshape %xa : tile<ptr<f32>> -> tile<1xptr<f32>>\n"                                       \
  "%xs = broadcast %x1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>\n"                                \
  "%xp = offset %xs, %at : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>\n"           \
  "%y1 = reshape %ya : tile<ptr<f32>> -> tile<1xptr<f32>>\n"                                       \
  "%ys = broadcast %y1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>\n"                                \
  "%yp = offset %ys, %at : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>\n"           \
  "%seven = constant <f32: 7.0> : tile<1024xf32>\n"                                                \
  "%a, %t0 = load_ptr_tko weak %xp, %in, %seven : tile<1024xptr<f32>>, tile<1024xi1>, "            \
  "tile<1024xf32> -> tile<1024xf32>, token\n"                                                      \
  "%b, %t1 = load_ptr_tko weak %yp, %in : tile<1024xptr<f32>>, tile<1024xi1> -> "                  \
  "tile<1024xf32>, token\n"                                                                        \
  "%s = addf %a, %b : tile<1024xf32>\n"                                                            \
  "%t2 = store_ptr_tko weak %yp, %s, %in : tile<1024xptr<f32>>, tile<1024xf32>, "                  \
  "tile<1024xi1> -> token\n} }\n"
#define KNOWN                                                                                      \
  "%xa = assume div_by<16>, %x : tile<ptr<f32>>\n%ya = assume div_by<16>, %y : tile<ptr<f32>>\n"   \
  "%na = assume div_by<4>, %n : tile<i32>\n"
#define UNKNOWN                                                                                    \
  "%xa = assume div_by<4>, %x : tile<ptr<f32>>\n%ya = assume div_by<4>, %y : tile<ptr<f32>>\n"     \
  "%na = assume div_by<1>, %n : tile<i32>\n"
#define IN_ORDER "%at = addi %firsts, %lane : tile<1024xi32>\n"

static _Alignas(64) float x[N + 16], y[N + 16], want[N + 16];

typedef struct accesses {
  uint64_t wide, narrow; /* by lanes */
} accesses;

static accesses took;

static void count(const counters *c) {
  accesses r = {0};
  for (uint32_t i = 0; i < c->insns.n; i++) {
    char name[128];
    ptx_insn_name(c->insns.insns[i], name, sizeof name);
    if (strncmp(name, "ld.global", 9) && strncmp(name, "st.global", 9)) continue;
    *(strstr(name, ".v4") ? &r.wide : &r.narrow) += c->by_insn[i].lanes;
  }
  took = r;
}

/* `shift`: elements by which memory is not aligned. */
static accesses run_both(const char *text, const char *target, unsigned n, unsigned shift) {
  run_log log;
  run_grid grid = {N / TILE, 1, 1};
  for (unsigned i = 0; i < ARRAY_LEN(x); i++)
    x[i] = (float)i, y[i] = want[i] = (float)(3 * i % 101);
  uint64_t args[] = {ARG_ADDRESS(x + shift), ARG_ADDRESS(want + shift), n};
  if (!run_program_on(run_interp, text, "k", grid, args, &log)) fail_msg("%s", log.diagnostics);
  args[1] = ARG_ADDRESS(y + shift);
  engine_target = gpu_find_target(target);
  engine_count = count;
  bool ran = run_program_on(run_gpu, text, "k", grid, args, &log);
  if (!ran) fail_msg("%s: %s", target, log.diagnostics);
  assert_memory_equal(y, want, sizeof y);
  return took;
}

static const char *const cards[] = {"sm_80", "sm_90a"};

static void test_known(void **state) {
  (void)state;
  const char *less[] = {KERNEL(KNOWN, IN_ORDER, "less_than %at, %ns"),
                        KERNEL(KNOWN, IN_ORDER, "greater_than %ns, %at")};
  for (size_t i = 0; i < ARRAY_LEN(less); i++)
    for (size_t c = 0; c < ARRAY_LEN(cards); c++) {
      assert_int_equal(run_both(less[i], cards[c], 3000, 0).wide, 3 * 3000 / 4);
      assert_int_equal(run_both(less[i], cards[c], N, 0).narrow, 0);
      assert_null(strstr(engine_ptx, "ld.global.b32"));
    }
}

/* Where nothing is known whole runs are found when the kernel runs: four elements of a thread, or
 * eight, if all of them exist. */
static void test_found(void **state) {
  (void)state;
  const char *text = KERNEL(UNKNOWN, IN_ORDER, "less_than %at, %ns");
  for (size_t c = 0; c < ARRAY_LEN(cards); c++) {
    accesses all = run_both(text, cards[c], N, 0), some = run_both(text, cards[c], 3001, 0);
    assert_true(all.wide == 3 * N / 4 && all.narrow == 0);
    assert_true(some.wide > 3 * 2900 / 4 && some.narrow > 0);
    assert_int_equal(some.wide * 4 + some.narrow, 3 * 3001);
    assert_int_equal(run_both(text, cards[c], 3001, 1).wide, 0);
    assert_int_equal(run_both(text, cards[c], N, 3).narrow, 3 * N);
  }
}

/* Offsets that go down, or by two, or that may wrap around, are no runs. */
static void test_none(void **state) {
  (void)state;
  const char *texts[] = {
      KERNEL(KNOWN,
             "%last = constant <i32: 1023> : tile<1024xi32>\n%down = subi %last, %lane : "
             "tile<1024xi32>\n%at = addi %firsts, %down : tile<1024xi32>\n",
             "less_than %at, %ns"),
      KERNEL(KNOWN,
             "%two = constant <i32: 2> : tile<1024xi32>\n%up = muli %lane, %two : "
             "tile<1024xi32>\n%most = constant <i32: 1023> : tile<1024xi32>\n%bits = andi "
             "%up, %most : tile<1024xi32>\n%one = constant <i32: 9> : tile<1024xi32>\n%odd = "
             "shri %lane, %one signed : tile<1024xi32>\n%step = ori %bits, %odd : "
             "tile<1024xi32>\n%at = addi %firsts, %step : tile<1024xi32>\n",
             "less_than %at, %ns"),
      KERNEL(KNOWN,
             "%five = constant <i32: 5> : tile<1024xi32>\n%more = addi %lane, %five : "
             "tile<1024xi32>\n%most = constant <i32: 1023> : tile<1024xi32>\n%turn = andi "
             "%more, %most : tile<1024xi32>\n%at = addi %firsts, %turn : tile<1024xi32>\n",
             "less_than %at, %ns"),
  };
  for (size_t i = 0; i < ARRAY_LEN(texts); i++)
    for (size_t c = 0; c < ARRAY_LEN(cards); c++)
      assert_int_equal(run_both(texts[i], cards[c], 3000, 0).wide, 0);
}

/* What is known of a mask is not enough: it ends inside of a run. */
static void test_mask(void **state) {
  (void)state;
  const char *text = KERNEL(KNOWN, IN_ORDER, "less_than_or_equal %at, %ns");
  for (size_t c = 0; c < ARRAY_LEN(cards); c++) {
    accesses a = run_both(text, cards[c], 3000, 0);
    assert_int_equal(a.wide * 4 + a.narrow, 3 * 3001);
    assert_true(a.narrow > 0 && a.wide > 0);
  }
}

/* Pointers that a loop carries, and moves on. */
static void test_carried(void **state) {
  (void)state;
  static const char text[] =
      "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {\n"
      "%xa = assume div_by<16>, %x : tile<ptr<f32>>\n%ya = assume div_by<16>, %y : "
      "tile<ptr<f32>>\n%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : "
      "tile<i32>\n%tiles = constant <i32: 4> : tile<i32>\n%lane = iota : tile<1024xi32>\n"
      "%i, %j, %k = get_tile_block_id : tile<i32>\n"
      "%x1 = reshape %xa : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
      "%xs = broadcast %x1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>\n"
      "%xp = offset %xs, %lane : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>\n"
      "%y1 = reshape %ya : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
      "%ys = broadcast %y1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>\n"
      "%yp = offset %ys, %lane : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>\n"
      "%step = constant <i32: 1024> : tile<1024xi32>\n"
      "%none = constant <f32: 0.0> : tile<1024xf32>\n"
      "%sum, %last = for %t in (%zero to %tiles, step %one) : tile<i32> iter_values(%acc = %none, "
      "%at = %xp) -> (tile<1024xf32>, tile<1024xptr<f32>>) {\n"
      "%a, %t0 = load_ptr_tko weak %at : tile<1024xptr<f32>> -> tile<1024xf32>, token\n"
      "%s = addf %acc, %a : tile<1024xf32>\n"
      "%next = offset %at, %step : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>\n"
      "continue %s, %next : tile<1024xf32>, tile<1024xptr<f32>>\n}\n"
      "%is = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>\nif %is {\n"
      "%t2 = store_ptr_tko weak %yp, %sum : tile<1024xptr<f32>>, tile<1024xf32> -> token\n}\n} }\n";
  for (size_t c = 0; c < ARRAY_LEN(cards); c++)
    assert_int_equal(run_both(text, cards[c], N, 0).narrow, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known), cmocka_unit_test(test_found),   cmocka_unit_test(test_none),
      cmocka_unit_test(test_mask),  cmocka_unit_test(test_carried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
