/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles that reach over an end: the exact version makes what exists, and the guarded one continues
 * from there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_engine.h"

/* Z = f(X), of matrices of %m x %n. $t: a tile of $h x $w elements $e, $f: what is computed. */
static const char by_views[] =
    "!v = !cuda_tile.partition_view<tile=($t), padding_value = zero, tensor_view<?x?x$e, "
    "strides=[?,1]>>\n"
    "cuda_tile.module @m { entry @k(%X: tile<ptr<$e>>, %Z: tile<ptr<$e>>, %m: tile<i32>, "
    "%n: tile<i32>) {\n"
    "%i, %j, %k = get_tile_block_id : tile<i32>\n"
    "%xm = make_tensor_view %X, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "
    "tensor_view<?x?x$e, strides=[?,1]>\n"
    "%zm = make_tensor_view %Z, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "
    "tensor_view<?x?x$e, strides=[?,1]>\n"
    "%xv = make_partition_view %xm : !v\n"
    "%zv = make_partition_view %zm : !v\n"
    "%x, %t0 = load_view_tko weak %xv[%i, %j] : !v, tile<i32> -> tile<$tx$e>, token\n"
    "$f"
    "%t1 = store_view_tko weak %z, %zv[%i, %j] : tile<$tx$e>, !v, tile<i32> -> token\n} }\n";

/* A scalar in every element of a tile. */
#define SPREAD(name, e)                                                                            \
  "%" name "o = reshape %" name " : tile<" e "> -> tile<1x1x" e ">\n"                              \
  "%" name "t = broadcast %" name "o : tile<1x1x" e "> -> tile<$tx" e ">\n"

#define SPREADS                                                                                    \
  SPREAD("i0", "i32")                                                                              \
  SPREAD("j0", "i32")                                                                              \
  SPREAD("m", "i32") SPREAD("n", "i32") SPREAD("X", "ptr<$e>") SPREAD("Z", "ptr<$e>")

/* The same with pointers, of which those exist that a mask says: $c for the columns, and those that
 * are less than $l with $k added. */
static const char by_pointers[] =
    "cuda_tile.module @m { entry @k(%X: tile<ptr<$e>>, %Z: tile<ptr<$e>>, %m: tile<i32>, "
    "%n: tile<i32>) {\n"
    "%i, %j, %k = get_tile_block_id : tile<i32>\n"
    "%h = constant <i32: $h> : tile<i32>\n%w = constant <i32: $w> : tile<i32>\n"
    "%one = constant <i32: 1> : tile<$txi32>\n"
    "%i0 = muli %i, %h : tile<i32>\n%j0 = muli %j, %w : tile<i32>\n"
    "%i1 = iota : tile<$hxi32>\n%i2 = reshape %i1 : tile<$hxi32> -> tile<$hx1xi32>\n"
    "%i3 = broadcast %i2 : tile<$hx1xi32> -> tile<$txi32>\n"
    "%j1 = iota : tile<$wxi32>\n%j2 = reshape %j1 : tile<$wxi32> -> tile<1x$wxi32>\n"
    "%j3 = broadcast %j2 : tile<1x$wxi32> -> tile<$txi32>\n" SPREADS
    "%row = addi %i3, %i0t : tile<$txi32>\n%column = addi %j3, %j0t : tile<$txi32>\n"
    "%last = subi %nt, %one : tile<$txi32>\n"
    "%rows = cmpi less_than %row, %mt, signed : tile<$txi32> -> tile<$txi1>\n"
    "%columns = cmpi $c : tile<$txi32> -> tile<$txi1>\n"
    "%by = constant <i32: $k> : tile<$txi32>\n%end = constant <i32: $l> : tile<$txi32>\n"
    "%far = addi %column, %by : tile<$txi32>\n"
    "%near = cmpi less_than %far, %end, signed : tile<$txi32> -> tile<$txi1>\n"
    "%both = andi %near, %columns : tile<$txi1>\n"
    "%mask = andi %rows, %both : tile<$txi1>\n"
    "%before = muli %row, %nt : tile<$txi32>\n%at = addi %before, %column : tile<$txi32>\n"
    "%xp = offset %Xt, %at : tile<$txptr<$e>>, tile<$txi32> -> tile<$txptr<$e>>\n"
    "%zp = offset %Zt, %at : tile<$txptr<$e>>, tile<$txi32> -> tile<$txptr<$e>>\n"
    "%none = constant <$e: $p> : tile<$tx$e>\n"
    "%x, %t0 = load_ptr_tko weak %xp, %mask, %none : tile<$txptr<$e>>, tile<$txi1>, tile<$tx$e> -> "
    "tile<$tx$e>, token\n"
    "$f"
    "%t1 = store_ptr_tko weak %zp, %z, %mask : tile<$txptr<$e>>, tile<$tx$e>, tile<$txi1> -> "
    "token\n} }\n";

#define REDUCE_OF(v, dim, start, op, left, kept)                                                   \
  "%s = reduce %" v " dim=" dim " identities=[" start " : $e] : tile<$tx$e> -> tile<" left         \
  "x$e> (%a: tile<$e>, %b: tile<$e>) {\n%q = " op " %a, %b : tile<$e>\nyield %q : tile<$e> }\n"    \
  "%r = reshape %s : tile<" left "x$e> -> tile<" kept "x$e>\n"                                     \
  "%l = broadcast %r : tile<" kept "x$e> -> tile<$tx$e>\n"
#define REDUCE(dim, start, op, left, kept) REDUCE_OF("x", dim, start, op, left, kept)
#define ROWS(start, op)                    REDUCE("1", start, op, "$h", "$hx1")
#define COLUMNS(start, op)                 REDUCE("0", start, op, "$w", "1x$w")
#define SUM_OF(v, op)                      REDUCE_OF(v, "1", "0", op, "$h", "$hx1")
#define CONSTANT(name, value, e)           "%" name " = constant <" e ": " value "> : tile<$tx" e ">\n"
/* %c: the column in the tile. $k is what it is compared with. */
#define COLUMN                                                                                     \
  "%c1 = iota : tile<$wxi32>\n%c2 = reshape %c1 : tile<$wxi32> -> tile<1x$wxi32>\n"                \
  "%c = broadcast %c2 : tile<1x$wxi32> -> tile<$txi32>\n"
#define SELECTED(comparison)                                                                       \
  COLUMN CONSTANT("k9", "700", "i32") CONSTANT("kf", "2147483000",                                 \
                                               "i32") CONSTANT("ke", "2147483500", "i32")          \
      CONSTANT("k5", "5",                                                                          \
               "$e") "%cf = addi %c, %kf : tile<$txi32>\n"                                         \
                     "%if = cmpi " comparison ", signed : tile<$txi32> -> tile<$txi1>\n"           \
                     "%y = select %if, %x, %k5 : tile<$txi1>, tile<$tx$e>\n" SUM_OF("y", "addi")
/* The same up to a column that is known when it runs, $n and `by` more, where there are more than
 * five rows. */
#define SELECTED_UNTIL(by)                                                                         \
  COLUMN CONSTANT("kb", by, "i32") CONSTANT(                                                       \
      "k5", "5",                                                                                   \
      "$e") "%n1 = reshape %n : tile<i32> -> tile<1x1xi32>\n"                                      \
            "%n2 = broadcast %n1 : tile<1x1xi32> -> tile<$txi32>\n"                                \
            "%until = addi %n2, %kb : tile<$txi32>\n%few = constant <i32: 5> : tile<i32>\n"        \
            "%many = cmpi greater_than %m, %few, signed : tile<i32> -> tile<i1>\n"                 \
            "%many1 = reshape %many : tile<i1> -> tile<1x1xi1>\n"                                  \
            "%many2 = broadcast %many1 : tile<1x1xi1> -> tile<$txi1>\n"                            \
            "%if1 = cmpi less_than %c, %until, signed : tile<$txi32> -> tile<$txi1>\n"             \
            "%if = andi %if1, %many2 : tile<$txi1>\n"                                              \
            "%y = select %if, %x, %k5 : tile<$txi1>, tile<$tx$e>\n" SUM_OF("y", "addi")
/* What is kept, because it takes long; and a sum of what was kept, with that of before in it. */
#define DIVIDED                                                                                    \
  CONSTANT("k9", "1000003", "i32")                                                                 \
  CONSTANT("k1", "1", "i32")                                                                       \
  "%sq = muli %x, %x : tile<$tx$e>\n%den = addi %sq, %k1 : tile<$tx$e>\n"                          \
  "%y = divi %k9, %den signed : tile<$tx$e>\n"
#define SUM2_OF(v)                                                                                 \
  "%y2 = muli %" v ", %l : tile<$tx$e>\n"                                                          \
  "%s2 = reduce %y2 dim=1 identities=[0 : $e] : tile<$tx$e> -> tile<$hx$e> (%a2: tile<$e>, "       \
  "%b2: tile<$e>) {\n%q2 = addi %a2, %b2 : tile<$e>\nyield %q2 : tile<$e> }\n"                     \
  "%r2 = reshape %s2 : tile<$hx$e> -> tile<$hx1x$e>\n"                                             \
  "%l2 = broadcast %r2 : tile<$hx1x$e> -> tile<$tx$e>\n"
#define SUBF "%z = subf %x, %l : tile<$tx$e>\n"
#define SUBI "%z = subi %x, %l : tile<$tx$e>\n"

typedef struct part_case {
  const char *elem, *height, *width, *code;
  bool divided; /* at every level */
} part_case;

static void fill_elements(const part_case *x, void *to, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t random = (uint32_t)i * 2654435761u >> 20;
    if (x->elem[0] == 'i')
      ((int32_t *)to)[i] = (int32_t)random - 2048;
    else /* whole numbers: sums are the same in any order */
      ((float *)to)[i] = i % 977 == 5 ? NAN : (float)((int)(random & 255) - 128);
  }
}

/* column: the comparison of columns; NULL: by views. wraps: of some, 32 bits don't hold the sum. */
static void check_case(const part_case *x, const char *column, bool wraps, size_t c) {
  static uint32_t in[40 * 1100], want[40 * 1100], got[40 * 1100];
  static const unsigned heights[] = {1, 7, 33}, widths[] = {1, 15, 63, 64, 200, 256, 1000, 1087};
  char text[8192], tile[32];
  snprintf(tile, sizeof tile, "%sx%s", x->height, x->width);
  const run_blank inner[] = {{'e', x->elem}, {'t', tile}, {'h', x->height}, {'w', x->width}, {0}};
  char code[2048];
  run_fill(code, sizeof code, x->code, inner);
  const run_blank blanks[] = {{'e', x->elem},
                              {'t', tile},
                              {'h', x->height},
                              {'w', x->width},
                              {'c', column},
                              {'k', wraps ? "2147482748" : "0"},
                              {'l', wraps ? "2147483448" : "2147483647"},
                              {'p', x->elem[0] == 'i' ? "0" : "0.0"},
                              {'f', code},
                              {0}};
  run_fill(text, sizeof text, column ? by_pointers : by_views, blanks);
  assert_int_equal(code_count("\nrest", text) > 0, x->divided);
  /* Vectors of which nothing exists are not loaded from where they would lie. */
  if (engine_level > CPU_BASELINE && c < 4 && code_count("@llvm.masked.load.", text) > 0)
    assert_true(code_count(", ptr %nowhere\n", text) > 0);
  fill_elements(x, in, ARRAY_LEN(in));
  unsigned h = (unsigned)atoi(x->height), w = (unsigned)atoi(x->width);
  for (size_t i = 0; i < ARRAY_LEN(heights); i++)
    for (size_t j = 0; j < ARRAY_LEN(widths); j++) {
      unsigned m = heights[i], n = widths[j];
      run_grid grid = {(m + h - 1) / h, (n + w - 1) / w, 1};
      uint64_t args[] = {ARG_ADDRESS(in), ARG_ADDRESS(want), m, n};
      uint64_t same[] = {ARG_ADDRESS(in), ARG_ADDRESS(got), m, n};
      memset(want, 0x5a, sizeof want);
      memset(got, 0x5a, sizeof got);
      run_both(text, grid, args, same);
      if (memcmp(want, got, sizeof want) != 0)
        fail_msg("case %zu (%s of %s), %s, %u x %u", c, tile, x->elem, column ? column : "views", m,
                 n);
    }
}

/* Rows and columns that are partly there, with reductions along either, which continue from what
 * the exact version gave; those that start from elements don't. */
static void test_parts(void **state) {
  (void)state;
  static const part_case cases[] = {
      {"f32", "1", "1024", "%z = addf %x, %x : tile<$tx$e>\n", true},
      {"f32", "4", "256", "%z = addf %x, %x : tile<$tx$e>\n", true},
      {"f32", "16", "16", "%z = addf %x, %x : tile<$tx$e>\n", true},
      {"f32", "1", "1024", ROWS("0.0", "addf") SUBF, true},
      {"f32", "1", "1024", ROWS("0xFF800000", "maxf") SUBF, true},
      {"f32", "4", "256", ROWS("0.0", "addf") SUBF, true},
      {"f32", "4", "256", ROWS("0xFF800000", "maxf") SUBF, true},
      {"f32", "16", "64", COLUMNS("0.0", "addf") SUBF, true},
      {"f32", "16", "64", COLUMNS("0x7F800000", "minf") SUBF, true},
      {"i32", "1", "1024", ROWS("0", "addi") SUBI, true},
      {"i32", "8", "128", ROWS("0", "xori") SUBI, true},
      {"i32", "16", "64", COLUMNS("0", "ori") SUBI, true},
      {"i32", "1", "1024", ROWS("5", "addi") SUBI, true}, /* the nest that stores */
      {"i32", "16", "64", COLUMNS("3", "addi") SUBI, true},
      /* What doesn't exist counts in sums; or a comparison changes after it, in a sum that wraps,
       * too; or every element of it is another one. */
      {"i32", "1", "1024",
       CONSTANT("k9", "3", "i32") "%y = addi %x, %k9 : tile<$tx$e>\n" SUM_OF("y", "addi") SUBI,
       true},
      {"i32", "4", "256",
       CONSTANT("k9", "3", "i32") "%y = addi %x, %k9 : tile<$tx$e>\n" SUM_OF("y", "xori") SUBI,
       true},
      {"i32", "1", "1024", DIVIDED SUM_OF("y", "addi") "%z = subi %y, %l : tile<$tx$e>\n", true},
      {"i32", "4", "256", DIVIDED SUM_OF("y", "addi") "%z = subi %y, %l : tile<$tx$e>\n", true},
      {"i32", "1", "1024",
       DIVIDED SUM_OF("y", "addi") SUM2_OF("y") "%z = subi %y, %l2 : tile<$tx$e>\n", true},
      {"i32", "1", "1024", SELECTED("less_than %c, %k9") SUBI, true},
      {"i32", "1", "1024", SELECTED("less_than %k9, %c") SUBI, true},
      {"i32", "1", "1024", SELECTED("greater_than_or_equal %c, %k9") SUBI, true},
      {"i32", "4", "256", SELECTED("less_than_or_equal %c, %k9") SUBI, true},
      {"i32", "1", "1024", SELECTED("less_than %cf, %ke") SUBI, true},
      {"i32", "1", "1024", SELECTED_UNTIL("0") SUBI, true},
      {"i32", "1", "1024", SELECTED_UNTIL("-150") SUBI, true},
      {"i32", "4", "256", SELECTED_UNTIL("70") SUBI, true},
      {"i32", "1", "1024", COLUMN "%y = addi %x, %c : tile<$tx$e>\n" SUM_OF("y", "addi") SUBI,
       true},
      {"f32", "1", "1", "%z = addf %x, %x : tile<$tx$e>\n", false},
  };
  static const char *const columns[] = {
      "less_than %column, %nt, signed", "greater_than %nt, %column, unsigned",
      "less_than_or_equal %column, %last, signed", "greater_than_or_equal %last, %column, signed"};
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    check_case(&cases[c], NULL, false, c);
    check_case(&cases[c], columns[c % ARRAY_LEN(columns)], false, c);
    if (c % 6 == 0) check_case(&cases[c], columns[0], true, c);
  }
}

/* Of a concatenation both halves must be whole: their rows aren't where the whole one's are. Here
 * X has one row less than Z. */
static void test_halves(void **state) {
  (void)state;
  static const char text[] =
      "!mat = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>\n"
      "!vx = !cuda_tile.partition_view<tile=(2x128), padding_value = zero, tensor_view<?x?xf32, "
      "strides=[?,1]>>\n"
      "!vz = !cuda_tile.partition_view<tile=(2x256), tensor_view<?x?xf32, strides=[?,1]>>\n"
      "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Z: tile<ptr<f32>>, %m: tile<i32>, "
      "%n: tile<i32>) {\n"
      "%i, %j, %k = get_tile_block_id : tile<i32>\n"
      "%one = constant <i32: 1> : tile<i32>\n"
      "%more = addi %m, %one : tile<i32>\n"
      "%left = addi %j, %j : tile<i32>\n"
      "%right = addi %left, %one : tile<i32>\n"
      "%xm = make_tensor_view %X, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !mat\n"
      "%zm = make_tensor_view %Z, shape = [%more, %n], strides = [%n, 1] : tile<i32> -> !mat\n"
      "%xv = make_partition_view %xm : !vx\n"
      "%zv = make_partition_view %zm : !vz\n"
      "%x, %t0 = load_view_tko weak %xv[%i, %left] : !vx, tile<i32> -> tile<2x128xf32>, token\n"
      "%y, %t1 = load_view_tko weak %xv[%i, %right] : !vx, tile<i32> -> tile<2x128xf32>, token\n"
      "%z = cat %y, %x dim = 1 : tile<2x128xf32>, tile<2x128xf32> -> tile<2x256xf32>\n"
      "%t2 = store_view_tko weak %z, %zv[%i, %j] : tile<2x256xf32>, !vz, tile<i32> -> token\n"
      "} }\n";
  float x[4 * 512], want[4 * 512], got[4 * 512];
  for (size_t i = 0; i < ARRAY_LEN(x); i++) x[i] = (float)i + 1;
  for (unsigned m = 1; m < 4; m++)
    for (unsigned n = 256; n <= 512; n += 64) {
      run_grid grid = {(m + 2) / 2, (n + 255) / 256, 1};
      uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(want), m, n};
      uint64_t same[] = {ARG_ADDRESS(x), ARG_ADDRESS(got), m, n};
      memset(want, 0, sizeof want);
      memset(got, 0, sizeof got);
      run_both(text, grid, args, same);
      if (memcmp(want, got, sizeof want) != 0) fail_msg("%u x %u", m, n);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(test_parts), LEVELS(test_halves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
