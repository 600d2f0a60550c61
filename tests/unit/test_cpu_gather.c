/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores by an index for each element and a mask of bounds, as front ends make them of
 * gather and scatter: unsigned comparisons of 64 bits, which leave an interval of the lanes;
 * indices that go backwards, in steps, to and fro, or come from memory; sums that wrap; stores that
 * overlap what is loaded.
 */
#include <stdio.h>

#include "cpu_engine.h"

/* Z[zi] = X[xi] + X[i]. $w elements of type $e in a tile; $x, $z: what %xi and %zi are made of, of
 * %i, which is %s, %s + 1, …; %n: the extent of all. */
static const char template[] =
    "cuda_tile.module @m { entry @k(%X: tile<ptr<$e>>, %Z: tile<ptr<$e>>, %I: tile<ptr<i32>>, "
    "%n: tile<i32>, %s: tile<i32>) {\n"
    "%one = constant <i32: 1> : tile<$wxi32>\n%zero = constant <i32: 0> : tile<$wxi32>\n"
    "%i0 = iota : tile<$wxi32>\n"
    "%s1 = reshape %s : tile<i32> -> tile<1xi32>\n"
    "%st = broadcast %s1 : tile<1xi32> -> tile<$wxi32>\n"
    "%n1 = reshape %n : tile<i32> -> tile<1xi32>\n"
    "%nt = broadcast %n1 : tile<1xi32> -> tile<$wxi32>\n"
    "%last = subi %nt, %one : tile<$wxi32>\n"
    "%nw1 = exti %n1 signed : tile<1xi32> -> tile<1xi64>\n"
    "%nw = broadcast %nw1 : tile<1xi64> -> tile<$wxi64>\n"
    "%i = addi %st, %i0 : tile<$wxi32>\n"
    "%X1 = reshape %X : tile<ptr<$e>> -> tile<1xptr<$e>>\n"
    "%Xt = broadcast %X1 : tile<1xptr<$e>> -> tile<$wxptr<$e>>\n"
    "%Z1 = reshape %Z : tile<ptr<$e>> -> tile<1xptr<$e>>\n"
    "%Zt = broadcast %Z1 : tile<1xptr<$e>> -> tile<$wxptr<$e>>\n"
    "%I1 = reshape %I : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
    "%It = broadcast %I1 : tile<1xptr<i32>> -> tile<$wxptr<i32>>\n"
    "%pad = constant <$e: 7> : tile<$wx$e>\n"
    "%iw = exti %i signed : tile<$wxi32> -> tile<$wxi64>\n"
    "%im = cmpi less_than %iw, %nw, unsigned : tile<$wxi64> -> tile<$wxi1>\n"
    "$x"
    "%xw = exti %xi signed : tile<$wxi32> -> tile<$wxi64>\n"
    "%xm = cmpi less_than %xw, %nw, unsigned : tile<$wxi64> -> tile<$wxi1>\n"
    "%xp = offset %Xt, %xw : tile<$wxptr<$e>>, tile<$wxi64> -> tile<$wxptr<$e>>\n"
    "%x, %t0 = load_ptr_tko weak %xp, %xm, %pad : tile<$wxptr<$e>>, tile<$wxi1>, tile<$wx$e> -> "
    "tile<$wx$e>, token\n"
    "%yp = offset %Xt, %iw : tile<$wxptr<$e>>, tile<$wxi64> -> tile<$wxptr<$e>>\n"
    "%y, %t1 = load_ptr_tko weak %yp, %im, %pad : tile<$wxptr<$e>>, tile<$wxi1>, tile<$wx$e> -> "
    "tile<$wx$e>, token\n"
    "%sum = addi %x, %y : tile<$wx$e>\n"
    "%t2 = join_tokens %t0, %t1 : token\n"
    "$z"
    "%zw = exti %zi signed : tile<$wxi32> -> tile<$wxi64>\n"
    "%zm = cmpi less_than %zw, %nw, unsigned : tile<$wxi64> -> tile<$wxi1>\n"
    "%zp = offset %Zt, %zw : tile<$wxptr<$e>>, tile<$wxi64> -> tile<$wxptr<$e>>\n"
    "%t3 = store_ptr_tko weak %zp, %sum, %zm token=%t2 : tile<$wxptr<$e>>, tile<$wx$e>, "
    "tile<$wxi1> -> token\n} }\n";

#define PLUS(by) "%xk = constant <i32: " by "> : tile<$wxi32>\n%xi = addi %i, %xk : tile<$wxi32>\n"
#define TIMES(to, by, and_more)                                                                    \
  "%" to "a = constant <i32: " by "> : tile<$wxi32>\n%" to "b = constant <i32: " and_more          \
  "> : tile<$wxi32>\n%" to "c = muli %i, %" to "a : tile<$wxi32>\n%" to "i = addi %" to "c, %" to  \
  "b : tile<$wxi32>\n"
#define BACKWARDS(to) "%" to "i = subi %last, %i : tile<$wxi32>\n"
#define FROM_MEMORY                                                                                \
  "%Ip = offset %It, %iw : tile<$wxptr<i32>>, tile<$wxi64> -> tile<$wxptr<i32>>\n"                 \
  "%xi, %ti = load_ptr_tko weak %Ip, %im, %one : tile<$wxptr<i32>>, tile<$wxi1>, tile<$wxi32> -> " \
  "tile<$wxi32>, token\n"

static const char *const indices[] = {
    PLUS("0"),
    PLUS("-1"),
    PLUS("5"),
    TIMES("x", "2", "1"),
    TIMES("x", "3", "-4"),
    TIMES("x", "-2", "900"),
    TIMES("x", "4", "0"),
    BACKWARDS("x"),
    FROM_MEMORY,
    /* clamped, wrapped, and no interval at all */
    PLUS("-2") "%xd = maxi %xi, %zero signed : tile<$wxi32>\n"
               "%xe = mini %xd, %last signed : tile<$wxi32>\n",
    "%xk = constant <i32: 100> : tile<$wxi32>\n%xi = remi %i, %xk signed : tile<$wxi32>\n",
    "%xk = constant <i32: 85> : tile<$wxi32>\n%xi = xori %i, %xk : tile<$wxi32>\n",
    /* back from the other end of the type */
    ("%xk = constant <i32: 2147483647> : tile<$wxi32>\n%xj = addi %i, %xk : tile<$wxi32>\n"
     "%xi = subi %xj, %xk : tile<$wxi32>\n"),
};

static const char *const targets[] = {"%zj = addi %i, %zero : tile<$wxi32>\n"
                                      "%zi = addi %zj, %zero : tile<$wxi32>\n",
                                      BACKWARDS("z"), TIMES("z", "2", "1"), TIMES("z", "3", "-1")};

enum { ELEMENTS = 4096, PART = 1300 };

static void fill(uint32_t *to, int32_t *index) {
  for (uint32_t i = 0; i < 2 * ELEMENTS; i++) to[i] = i * 2654435761u;
  for (uint32_t i = 0; i < ELEMENTS; i++)
    index[i] = (int32_t)(i * 2654435761u >> 21) - (i % 7 == 3 ? 900 : 100);
}

typedef struct layout_case {
  int n, start, x, z; /* elements: x and z in one array */
} layout_case;

static void check(const char *text, const layout_case *p, unsigned bytes) {
  static uint32_t want[2 * ELEMENTS], got[2 * ELEMENTS];
  static int32_t index[ELEMENTS];
  fill(want, index);
  fill(got, index);
  const char *const sides[] = {(const char *)want, (const char *)got};
  uint64_t args[2][5];
  for (unsigned i = 0; i < 2; i++) {
    args[i][0] = ARG_ADDRESS(sides[i] + (size_t)p->x * bytes);
    args[i][1] = ARG_ADDRESS(sides[i] + (size_t)p->z * bytes);
    args[i][2] = ARG_ADDRESS(index);
    args[i][3] = (uint32_t)p->n;
    args[i][4] = (uint32_t)p->start;
  }
  run_both(text, (run_grid){1, 1, 1}, args[0], args[1]);
  if (memcmp(want, got, sizeof want) == 0) return;
  puts(text);
  fail_msg("extent %d, from %d on, at %d and %d", p->n, p->start, p->x, p->z);
}

static void check_all(const char *text, unsigned bytes) {
  static const int extents[] = {0, 1, 17, 1000, 1300}, starts[] = {-5, 0, 3, 700};
  static const int odd_starts[] = {INT32_MAX - 300, INT32_MIN + 3, INT32_MIN,
                                   INT32_MAX,       1290,          -1020};
  /* far apart; the same; one behind the other; some elements on */
  static const int places[][2] = {{0, 1400},  {1400, 0},  {100, 100},
                                  {100, 101}, {101, 100}, {40, 377}};
  for (size_t i = 0; i < ARRAY_LEN(extents); i++)
    for (size_t k = 0; k < ARRAY_LEN(starts); k++) {
      const int *at = places[(i + k) % ARRAY_LEN(places)];
      check(text, &(layout_case){extents[i], starts[k], at[0], at[1]}, bytes);
    }
  for (size_t k = 0; k < ARRAY_LEN(odd_starts); k++)
    check(text, &(layout_case){PART, odd_starts[k], 0, 1400}, bytes);
  for (size_t k = 0; k < ARRAY_LEN(places); k++)
    check(text, &(layout_case){1000, 2, places[k][0], places[k][1]}, bytes);
}

static void test_rows(void **state) {
  (void)state;
  static const struct {
    const char *name;
    unsigned bytes;
  } elems[] = {{"i32", 4}, {"i8", 1}, {"i16", 2}, {"i64", 8}};
  static const char *const widths[] = {"1024", "256", "16"};
  char text[8192], x[1024], z[1024];
  for (size_t i = 0; i < ARRAY_LEN(indices); i++)
    for (size_t k = 0; k < ARRAY_LEN(targets); k++) {
      size_t e = (i + k) % ARRAY_LEN(elems);
      const run_blank width = {'w', widths[(i + 2 * k) % ARRAY_LEN(widths)]};
      const run_blank inner[] = {width, {0}};
      run_fill(x, sizeof x, indices[i], inner);
      run_fill(z, sizeof z, targets[k], inner);
      const run_blank blanks[] = {width, {'e', elems[e].name}, {'x', x}, {'z', z}, {0}};
      run_fill(text, sizeof text, template, blanks);
      check_all(text, elems[e].bytes);
    }
}

/* Z[first + step * i] = X[i], where that is in [low, high), for indices that are known when this is
 * compiled: comparisons that hold for all elements or for none, beside one that nobody knows. */
static const char known[] =
    "cuda_tile.module @m { entry @k(%X: tile<ptr<i32>>, %Z: tile<ptr<i32>>, %n: tile<i32>) {\n"
    "%i = iota : tile<1024xi32>\n"
    "%step = constant <i32: $s> : tile<1024xi32>\n%first = constant <i32: $f> : tile<1024xi32>\n"
    "%low = constant <i32: $l> : tile<1024xi32>\n%high = constant <i32: $h> : tile<1024xi32>\n"
    "%n1 = reshape %n : tile<i32> -> tile<1xi32>\n"
    "%nt = broadcast %n1 : tile<1xi32> -> tile<1024xi32>\n"
    "%X1 = reshape %X : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
    "%Xt = broadcast %X1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>\n"
    "%Z1 = reshape %Z : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
    "%Zt = broadcast %Z1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>\n"
    "%pad = constant <i32: 7> : tile<1024xi32>\n"
    "%xm = cmpi less_than %i, %nt, signed : tile<1024xi32> -> tile<1024xi1>\n"
    "%xp = offset %Xt, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>\n"
    "%x, %t0 = load_ptr_tko weak %xp, %xm, %pad : tile<1024xptr<i32>>, tile<1024xi1>, "
    "tile<1024xi32> -> tile<1024xi32>, token\n"
    "%a = muli %i, %step : tile<1024xi32>\n%z = addi %a, %first : tile<1024xi32>\n"
    "%above = cmpi greater_than_or_equal %z, %low, signed : tile<1024xi32> -> tile<1024xi1>\n"
    "%below = cmpi less_than %z, %high, signed : tile<1024xi32> -> tile<1024xi1>\n"
    "%zm = andi %above, %below : tile<1024xi1>\n"
    "%zp = offset %Zt, %z : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>\n"
    "%t1 = store_ptr_tko weak %zp, %x, %zm : tile<1024xptr<i32>>, tile<1024xi32>, tile<1024xi1> -> "
    "token\n} }\n";

static void test_known_masks(void **state) {
  (void)state;
  static const struct {
    const char *step, *first, *low, *high;
  } cases[] = {{"-1", "-7", "0", "86"},      {"-1", "85", "0", "86"},   {"-1", "1100", "0", "1200"},
               {"1", "100", "0", "86"},      {"1", "100", "0", "2000"}, {"1", "-7", "0", "86"},
               {"2", "-5", "-10", "700"},    {"-2", "60", "0", "100"},  {"3", "0", "100", "100"},
               {"-1", "-2000", "0", "4000"}, {"1", "5", "4000", "10"}};
  static const int extents[] = {0, 5, 100, 1024};
  char text[4096];
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    const run_blank blanks[] = {{'s', cases[i].step},
                                {'f', cases[i].first},
                                {'l', cases[i].low},
                                {'h', cases[i].high},
                                {0}};
    run_fill(text, sizeof text, known, blanks);
    for (size_t k = 0; k < ARRAY_LEN(extents); k++) {
      static uint32_t want[2 * ELEMENTS], got[2 * ELEMENTS];
      static int32_t index[ELEMENTS];
      fill(want, index);
      fill(got, index);
      uint64_t args[2][3] = {
          {ARG_ADDRESS(want + ELEMENTS), ARG_ADDRESS(want + 16), (uint32_t)extents[k]},
          {ARG_ADDRESS(got + ELEMENTS), ARG_ADDRESS(got + 16), (uint32_t)extents[k]}};
      run_both(text, (run_grid){1, 1, 1}, args[0], args[1]);
      if (memcmp(want, got, sizeof want) == 0) continue;
      puts(text);
      fail_msg("extent %d", extents[k]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(test_rows), LEVELS(test_known_masks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
