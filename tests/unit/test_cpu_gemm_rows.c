/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products along a loop whose left operand's rows lie anywhere (cpu/gemm/rows.h), and whose
 * products are stored between others, against the interpreter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gemm_scene.h"

#define NUMBERS                                                                                    \
  "%two = constant <i32: 2> : tile<i32>\n"                                                         \
  "%five = constant <i32: 5> : tile<i32>\n"                                                        \
  "%seven = constant <i32: 7> : tile<i32>\n"                                                       \
  "%far = muli %K, %seven : tile<i32>\n"                                                           \
  "%i = addi %x, %zero : tile<i32>\n"                                                              \
  "%j = addi %y, %zero : tile<i32>\n"
static const char numbers[] = NUMBERS;

#define LOAD_B "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
#define CUBE   "tile<4x8x32x$E>"
/* 4 x 8 rows of %A: the strides of these dimensions are %far and %K, or two others. */
#define LOAD_CUBE(sizes, strides, open)                                                            \
  "%v3 = make_tensor_view %A, shape = [" sizes "], strides = [" strides                            \
  "] : tile<i32> -> tensor_view<?x?x?x$E, strides=[?,?," open "]>\n"                               \
  "%p3 = make_partition_view %v3 : partition_view<tile=(4x8x32), padding_value = zero, "           \
  "tensor_view<?x?x?x$E, strides=[?,?," open "]>>\n"                                               \
  "%a3, %ta = load_view_tko weak %p3[%i, %zero, %k] : partition_view<tile=(4x8x32), "              \
  "padding_value = zero, tensor_view<?x?x?x$E, strides=[?,?," open "]>>, tile<i32> -> " CUBE       \
  ", token\n"                                                                                      \
  "%a = reshape %a3 : " CUBE " -> $AT\n" LOAD_B

/* Windows of an image: row number r is at (2 r mod 64) * K, and missing where that is too far. */
#define LOAD_WINDOW(pad) LOAD_WINDOW_OF("%K", pad)
#define LOAD_WINDOW_OF(columns, pad)                                                               \
  "%lane = iota : tile<8xi32>\n"                                                                   \
  "%two1 = reshape %two : tile<i32> -> tile<1xi32>\n"                                              \
  "%two8 = broadcast %two1 : tile<1xi32> -> tile<8xi32>\n"                                         \
  "%at8 = muli %lane, %two8 : tile<8xi32>\n"                                                       \
  "%k1 = reshape %k : tile<i32> -> tile<1xi32>\n"                                                  \
  "%k8 = broadcast %k1 : tile<1xi32> -> tile<8xi32>\n"                                             \
  "%row8 = addi %at8, %k8 : tile<8xi32>\n"                                                         \
  "%limit1 = reshape %seven : tile<i32> -> tile<1xi32>\n"                                          \
  "%limit8 = broadcast %limit1 : tile<1xi32> -> tile<8xi32>\n"                                     \
  "%in8 = cmpi less_than %row8, %limit8, signed : tile<8xi32> -> tile<8xi1>\n"                     \
  "%in1 = reshape %in8 : tile<8xi1> -> tile<1x8x1xi1>\n"                                           \
  "%in3 = broadcast %in1 : tile<1x8x1xi1> -> tile<4x8x32xi1>\n"                                    \
  "%K1 = reshape %K : tile<i32> -> tile<1xi32>\n"                                                  \
  "%K8 = broadcast %K1 : tile<1xi32> -> tile<8xi32>\n"                                             \
  "%o8 = muli %row8, %K8 : tile<8xi32>\n"                                                          \
  "%o1 = reshape %o8 : tile<8xi32> -> tile<1x8x1xi32>\n"                                           \
  "%o3 = broadcast %o1 : tile<1x8x1xi32> -> tile<4x8x32xi32>\n"                                    \
  "%c32 = iota : tile<32xi32>\n"                                                                   \
  "%L1 = reshape " columns " : tile<i32> -> tile<1xi32>\n"                                         \
  "%K32 = broadcast %L1 : tile<1xi32> -> tile<32xi32>\n"                                           \
  "%cin = cmpi less_than %c32, %K32, signed : tile<32xi32> -> tile<32xi1>\n"                       \
  "%cin1 = reshape %cin : tile<32xi1> -> tile<1x1x32xi1>\n"                                        \
  "%cin3 = broadcast %cin1 : tile<1x1x32xi1> -> tile<4x8x32xi1>\n"                                 \
  "%all = andi %in3, %cin3 : tile<4x8x32xi1>\n"                                                    \
  "%c1 = reshape %c32 : tile<32xi32> -> tile<1x1x32xi32>\n"                                        \
  "%c3 = broadcast %c1 : tile<1x1x32xi32> -> tile<4x8x32xi32>\n"                                   \
  "%A1 = reshape %A : tile<ptr<$E>> -> tile<1x1x1xptr<$E>>\n"                                      \
  "%A3 = broadcast %A1 : tile<1x1x1xptr<$E>> -> tile<4x8x32xptr<$E>>\n"                            \
  "%q = offset %A3, %o3 : tile<4x8x32xptr<$E>>, tile<4x8x32xi32> -> tile<4x8x32xptr<$E>>\n"        \
  "%p = offset %q, %c3 : tile<4x8x32xptr<$E>>, tile<4x8x32xi32> -> tile<4x8x32xptr<$E>>\n"         \
  "%pad = constant <$E: " pad "> : " CUBE "\n"                                                     \
  "%a3, %ta = load_ptr_tko weak %p, %all, %pad : tile<4x8x32xptr<$E>>, tile<4x8x32xi1>, " CUBE     \
  " -> " CUBE ", token\n"                                                                          \
  "%a = reshape %a3 : " CUBE " -> $AT\n" LOAD_B

static const char load_gathered[] =
    "%gv = make_gather_scatter_view %av : gather_scatter_view<tile=(32x32), padding_value = zero, "
    "$AV, sparse_dim=0>\n"
    "%lane = iota : tile<32xi32>\n"
    "%five1 = reshape %five : tile<i32> -> tile<1xi32>\n"
    "%five32 = broadcast %five1 : tile<1xi32> -> tile<32xi32>\n"
    "%index = muli %lane, %five32 : tile<32xi32>\n"
    "%step = constant <i32: 32> : tile<i32>\n"
    "%from = muli %k, %step : tile<i32>\n"
    "%a, %ta = load_view_tko weak %gv[%index, %from] : gather_scatter_view<tile=(32x32), "
    "padding_value = zero, $AV, sparse_dim=0>, tile<32xi32>, tile<i32> -> $AT, token\n" LOAD_B;

static const char load_permuted[] =
    "%v3 = make_tensor_view %A, shape = [%five, %K, %seven], strides = [%far, %seven, 1] : "
    "tile<i32> -> tensor_view<?x?x?x$E, strides=[?,?,1]>\n"
    "%p3 = make_partition_view %v3 : partition_view<tile=(4x32x8), padding_value = zero, "
    "tensor_view<?x?x?x$E, strides=[?,?,1]>>\n"
    "%a3, %ta = load_view_tko weak %p3[%i, %k, %zero] : partition_view<tile=(4x32x8), "
    "padding_value = zero, tensor_view<?x?x?x$E, strides=[?,?,1]>>, tile<i32> -> "
    "tile<4x32x8x$E>, token\n"
    "%a2 = permute %a3 [0, 2, 1] : tile<4x32x8x$E> -> " CUBE "\n"
    "%a = reshape %a2 : " CUBE " -> $AT\n" LOAD_B;

#define COLUMNS "tensor_view<?x?x$E, strides=[?,1]>"
static const char load_transposed[] =
    "%vt = make_tensor_view %A, shape = [%K, %M], strides = [%M, 1] : tile<i32> -> " COLUMNS "\n"
    "%pt = make_partition_view %vt : partition_view<tile=(32x32), padding_value = zero, " COLUMNS
    ">\n"
    "%a1, %ta = load_view_tko weak %pt[%k, %i] : partition_view<tile=(32x32), padding_value = "
    "zero, " COLUMNS ">, tile<i32> -> tile<32x32x$E>, token\n"
    "%a = permute %a1 [1, 0] : tile<32x32x$E> -> $AT\n" LOAD_B;

static const char load_one_row[] =
    "%p1 = make_partition_view %av : partition_view<tile=(1x32), padding_value = zero, $AV>\n"
    "%a1, %ta = load_view_tko weak %p1[%i, %k] : partition_view<tile=(1x32), padding_value = zero, "
    "$AV>, tile<i32> -> tile<1x32x$E>, token\n"
    "%a = broadcast %a1 : tile<1x32x$E> -> $AT\n" LOAD_B;

static const char load_slice[] =
    "%p1 = make_partition_view %av : partition_view<tile=(64x32), padding_value = zero, $AV>\n"
    "%a1, %ta = load_view_tko weak %p1[%i, %k] : partition_view<tile=(64x32), padding_value = "
    "zero, $AV>, tile<i32> -> tile<64x32x$E>, token\n"
    "%a = extract %a1[%one, %zero] : tile<64x32x$E> -> $AT\n" LOAD_B;

#define CUBES "partition_view<tile=(4x8x32), tensor_view<?x?x?x$S, strides=[?,?,1]>>"
/* 4 x 8 rows of %C, of which 5 x 7 exist, and %kept to there. */
#define CUBE_OF_C                                                                                  \
  "%far_c = muli %N, %seven : tile<i32>\n"                                                         \
  "%cube_c = make_tensor_view %C, shape = [%five, %seven, %N], strides = [%far_c, %N, 1] : "       \
  "tile<i32> "                                                                                     \
  "-> tensor_view<?x?x?x$S, strides=[?,?,1]>\n"                                                    \
  "%ct3 = make_partition_view %cube_c : " CUBES "\n"
#define TO_CUBE(kept)                                                                              \
  "%r3 = reshape %kept : " kept " -> tile<4x8x32x$S>\n"                                            \
  "%t = store_view_tko weak %r3, %ct3[%i, %zero, %j] : tile<4x8x32x$S>, " CUBES                    \
  ", tile<i32> -> token\n"
#define STORE_CUBE(kept) CUBE_OF_C TO_CUBE(kept)

/* The product knows which rows count when the view stands in front of it. */
static const char numbers_and_cube[] = NUMBERS CUBE_OF_C;
static const char to_cube[] =
    "%kept = reshape %result : $CT -> tile<8x4x32x$S>\n" TO_CUBE("tile<8x4x32x$S>");
static const char store_cube[] =
    "%kept = reshape %result : $CT -> tile<8x4x32x$S>\n" STORE_CUBE("tile<8x4x32x$S>");
static const char store_twice[] = "%kept = addf %result, %result : $CT\n" STORE_CUBE("$CT");

static void test_rows(void **state) {
  (void)state;
#define ROWS(depth) F32, TILE(32, 32, 32), SIZE(64, 40, depth), GRID(2, 2), .block = numbers
#define COUNTED(depth)                                                                             \
  F32, TILE(32, 32, 32), SIZE(64, 40, depth), GRID(2, 2), .block = numbers_and_cube
  static const char cube[] = LOAD_CUBE("%five, %seven, %K", "%far, %K, 1", "1");
  static const scene scenes[] = {
      {.name = "three dimensions", ROWS(320), .body = cube},
      {.name = "three dimensions, rows that end early", ROWS(301), .body = cube},
      {.name = "rows of the result that don't count",
       ROWS(320),
       .body = cube,
       .behind = store_cube},
      {.name = "rows of a computed result that don't count",
       ROWS(320),
       .body = cube,
       .behind = store_twice},
      {.name = "rows over the left operand",
       .only = true,
       F32,
       TILE(32, 32, 32),
       SIZE(64, 40, 320),
       GRID(1, 1),
       .block = numbers,
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %A, shape = [%M, %N], strides = [%K, 1] : tile<i32> -> $CV\n",
       .body = cube},
      {.name = "open strides",
       ROWS(320),
       .body = LOAD_CUBE("%five, %seven, %K", "%far, %K, %one", "?")},
      {.name = "every other element",
       ROWS(320),
       .body = LOAD_CUBE("%five, %seven, %K", "%far, %K, %two", "?")},
      {.name = "windows", ROWS(160), .body = LOAD_WINDOW("0.0"), .behind = store_cube},
      {.name = "windows, rows that end early", ROWS(31), .body = LOAD_WINDOW("0.0")},
      {.name = "windows, rows that end before those of the right operand",
       ROWS(31),
       .body = LOAD_WINDOW_OF("%seven", "0.0")},
      {.name = "windows, rows of one element", ROWS(31), .body = LOAD_WINDOW_OF("%one", "0.0")},
      {.name = "windows, rows that end behind those of the right operand",
       ROWS(19),
       .body = LOAD_WINDOW_OF("%M", "0.0")},
      {.name = "windows that leave the image", ROWS(384), .body = LOAD_WINDOW("0.0")},
      {.name = "windows, and an infinity behind them",
       ROWS(160),
       .infinite = 40 * 150,
       .body = LOAD_WINDOW("0.0"),
       .behind = store_cube},
      {.name = "rows that are known not to count", COUNTED(320), .body = cube, .behind = to_cube},
      {.name = "windows that leave the image, rows that don't count",
       COUNTED(384),
       .body = LOAD_WINDOW("0.0"),
       .behind = to_cube},
      {.name = "windows, and an infinity in later columns",
       ROWS(160),
       .infinite = 40 * 150 + 33,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows, and an infinity in the first slice",
       ROWS(384),
       .infinite = 40 * 20 + 13,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows, and an infinity in the last chunk",
       ROWS(384),
       .infinite = 40 * 380 + 5,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows of doubles",
       .elem = "f64",
       .sum = "f64",
       TILE(32, 32, 32),
       SIZE(64, 40, 160),
       GRID(2, 2),
       .block = numbers,
       .infinite = 40 * 70,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows in a frame", ROWS(160), .body = LOAD_WINDOW("2.0")},
      {.name = "gathered", ROWS(320), .body = load_gathered},
      {.name = "gathered, rows that end early", ROWS(330), .body = load_gathered},
      {.name = "permuted", ROWS(160), .body = load_permuted},
      {.name = "transposed", ROWS(301), .body = load_transposed},
      {.name = "one row for all", ROWS(330), .body = load_one_row},
      {.name = "a slice", ROWS(330), .body = load_slice},
  };
#undef ROWS
#undef COUNTED
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* The result of the first lies where the left operand of the second is still to be read. */
static void test_pairs(void **state) {
  (void)state;
  static const scene s = {
      .name = "two products in a loop",
      F32,
      .only = true,
      TILE(32, 32, 32),
      SIZE(64, 32, 96),
      GRID(1, 1),
      .behind = "%both:2 = for %k in (%zero to %tiles#1, step %one) : tile<i32> iter_values(%acc = "
                "%start, %acc2 = %result) -> ($CT, $CT) {\n"
                "%a, %ta = load_view_tko weak %at[%one, %k] : $AP, tile<i32> -> $AT, token\n"
                "%d, %td = load_view_tko weak %at[%zero, %k] : $AP, tile<i32> -> $AT, token\n"
                "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
                "%sum = $MMA %sum2 = mmaf %d, %b, %acc2 : $AT, $BT, $CT\n"
                "continue %sum, %sum2 : $CT, $CT\n}\n"
                "%t = store_view_tko weak %both#0, %at[%i, %zero] : $CT, $AP, tile<i32> -> token\n"
                "%t2 = store_view_tko weak %both#1, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"};
  check(&s);
}

/* The second product's left side is what the block stored after the first. */
static void test_stores_between(void **state) {
  (void)state;
  static const scene s = {
      .name = "two products",
      F32,
      .only = true,
      TILE(32, 32, 32),
      SIZE(32, 32, 96),
      GRID(1, 1),
      .behind = "%t = store_view_tko weak %result, %at[%i, %j] : $CT, $AP, tile<i32> -> token\n"
                "%again = for %k in (%zero to %tiles#1, step %one) : tile<i32> iter_values(%acc = "
                "%start) -> ($CT) {\n"
                "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
                "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
                "%sum = $MMA continue %sum : $CT\n}\n"
                "%t2 = store_view_tko weak %again, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"};
  check(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_rows),
      LEVELS(test_pairs),
      LEVELS(test_stores_between),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
