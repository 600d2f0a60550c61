/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products along a loop (cpu/gemm/kblock.h) against the interpreter: slices that stay where
 * they lie, slices that are copied, chunks that end early, slices that neighbouring blocks share or
 * must not share, few rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gemm_scene.h"

static void test_sizes(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "whole", F32, TILE(32, 32, 32), SIZE(96, 64, 320), GRID(3, 2)},
      {.name = "one slice", F32, TILE(32, 64, 32), SIZE(64, 64, 32), GRID(2, 1)},
      {.name = "odd", F32, TILE(32, 32, 16), SIZE(45, 71, 301), GRID(2, 3)},
      {.name = "thin", F32, TILE(64, 16, 64), SIZE(3, 5, 130), GRID(1, 1)},
      {.name = "a row", F32, TILE(1, 256, 32), SIZE(3, 600, 104), GRID(3, 3)},
      {.name = "a row, short of the tile", F32, TILE(1, 256, 32), SIZE(1, 300, 101), GRID(1, 2)},
      {.name = "two rows", F32, TILE(2, 128, 64), SIZE(5, 300, 192), GRID(3, 3)},
      {.name = "a row of f64",
       .elem = "f64",
       .sum = "f64",
       TILE(1, 256, 32),
       SIZE(2, 512, 96),
       GRID(2, 2)},
      {.name = "nothing to add", F32, TILE(32, 32, 32), SIZE(40, 40, 0), GRID(2, 2)},
      {.name = "no rows", F32, TILE(32, 32, 32), SIZE(0, 40, 64), GRID(1, 2)},
      {.name = "beyond the edge", F32, TILE(32, 32, 32), SIZE(20, 40, 64), GRID(3, 3)},
      {.name = "long slices", F32, TILE(32, 32, 512), SIZE(64, 64, 1100), GRID(2, 2)},
      {.name = "misaligned", F32, TILE(32, 32, 32), SIZE(64, 33, 100), GRID(2, 2), .misalign = 3},
      {.name = "f64", .elem = "f64", .sum = "f64", TILE(32, 32, 32), SIZE(70, 64, 300), GRID(3, 2)},
      {.name = "bf16",
       .elem = "bf16",
       .sum = "f32",
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2)},
      {.name = "i8", .elem = "i8", .sum = "i32", TILE(32, 32, 32), SIZE(70, 64, 300), GRID(3, 2)},
      {.name = "columns first",
       F32,
       TILE(32, 32, 32),
       SIZE(64, 96, 320),
       GRID(3, 2),
       .block = "%i = addi %y, %zero : tile<i32>\n%j = addi %x, %zero : tile<i32>\n"},
      {.name = "shuffled blocks",
       F32,
       TILE(32, 32, 32),
       SIZE(96, 64, 320),
       GRID(6, 1),
       .block = "%three = constant <i32: 3> : tile<i32>\n"
                "%i = remi %x, %three signed : tile<i32>\n"
                "%j = divi %x, %three signed : tile<i32>\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* Products of bytes: in groups of four where the processor has them. */
static void test_bytes(void **state) {
  (void)state;
#define I8 .elem = "i8", .sum = "i32"
  static const scene scenes[] = {
      {.name = "u8s8",
       I8,
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2),
       .signs = "unsigned signed"},
      {.name = "s8u8",
       I8,
       TILE(32, 64, 16),
       SIZE(64, 64, 320),
       GRID(2, 1),
       .signs = "signed unsigned"},
      {.name = "u8u8",
       I8,
       TILE(32, 16, 64),
       SIZE(40, 33, 90),
       GRID(2, 3),
       .signs = "unsigned unsigned"},
      {.name = "s8s8, short", I8, TILE(32, 8, 8), SIZE(40, 20, 37), GRID(2, 3)},
      {.name = "s8s8, shorter than a group", I8, TILE(32, 16, 4), SIZE(40, 20, 37), GRID(2, 2)},
      {.name = "s8s8, few columns", I8, TILE(32, 2, 16), SIZE(40, 5, 37), GRID(2, 3)},
      {.name = "s8s8, wide", I8, TILE(64, 128, 64), SIZE(64, 250, 600), GRID(1, 2)},
      {.name = "one step at a time", F32, TILE(32, 16, 1), SIZE(40, 20, 7), GRID(2, 2)},
  };
#undef I8
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* A lies K x M, and its partition's tiles are transposed. */
#define TRANSPOSED_A                                                                               \
  .views = "%av = make_tensor_view %A, shape = [%K, %M], strides = [%M, 1] : tile<i32> -> $AV\n"   \
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"   \
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n",  \
  .dim_maps = {"[1, 0]", NULL}

static void test_views(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "a transposed",
       F32,
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [1, %M] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
           "$CV\n",
       .a_view = "?x?x$E, strides=[1,?]>"},
      {.name = "a transposed by its partition",
       F32,
       TILE(64, 64, 32),
       SIZE(101, 90, 301),
       GRID(2, 2),
       TRANSPOSED_A},
      {.name = "a transposed, f64",
       .elem = "f64",
       .sum = "f64",
       TILE(32, 32, 64),
       SIZE(70, 64, 300),
       GRID(3, 2),
       TRANSPOSED_A},
      {.name = "a transposed, of bytes",
       .elem = "i8",
       .sum = "i32",
       TILE(64, 32, 32),
       SIZE(64, 64, 300),
       GRID(1, 2),
       TRANSPOSED_A},
      {.name = "b transposed",
       F32,
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%N, %K], strides = [%K, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
           "$CV\n",
       .dim_maps = {NULL, "[1, 0]"}},
      {.name = "open strides",
       F32,
       TILE(32, 32, 32),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .views = "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, %one] : tile<i32> -> "
                "$AV\n"
                "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, %one] : tile<i32> -> "
                "$BV\n"
                "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
                "$CV\n",
       .a_view = "?x?x$E, strides=[?,?]>",
       .b_view = "?x?x$E, strides=[?,?]>"},
      {.name = "stride 0",
       F32,
       TILE(32, 32, 32),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .views = "%av = make_tensor_view %A, shape = [%M, %K], strides = [%zero, 1] : tile<i32> -> "
                "$AV\n"
                "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%zero, 1] : tile<i32> -> "
                "$BV\n"
                "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
                "$CV\n"},
      {.name = "another row stride in each slice",
       F32,
       TILE(32, 32, 16),
       SIZE(32, 32, 160),
       GRID(1, 1),
       .body = "%stride = addi %K, %k : tile<i32>\n"
               "%lv = make_tensor_view %A, shape = [%M, %K], strides = [%stride, 1] : tile<i32> -> "
               "$AV\n"
               "%lt = make_partition_view %lv : $AP\n"
               "%a, %ta = load_view_tko weak %lt[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

static void test_loops(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "every second slice",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .steps = "%one to %tiles#1, step %two",
       .block = "%two = constant <i32: 2> : tile<i32>\n%i = addi %x, %zero : tile<i32>\n"
                "%j = addi %y, %zero : tile<i32>\n"},
      {.name = "the same slice again and again",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .body = "%four = constant <i32: 4> : tile<i32>\n%kk = divi %k, %four signed : tile<i32>\n"
               "%a, %ta = load_view_tko weak %at[%i, %kk] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
      {.name = "an operand that is computed",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .body = "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%l, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
               "%i1 = itof %i signed : tile<i32> -> tile<$E>\n"
               "%i2 = reshape %i1 : tile<$E> -> tile<1x1x$E>\n"
               "%i3 = broadcast %i2 : tile<1x1x$E> -> $BT\n"
               "%b = addf %l, %i3 : $BT\n"},
      {.name = "a store in the loop",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(1, 1),
       .body = "%a, %ta = load_view_tko weak %at[%i, %zero] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
               "%d = addf %a, %a : $AT\n"
               "%tc = store_view_tko weak %d, %at[%i, %zero] : $AT, $AP, tile<i32> -> token\n"
               "%m = constant <$E: 0.5> : $AT\n"
               "%e, %te = load_view_tko weak %at[%i, %zero] : $AP, tile<i32> -> $AT, token\n"
               "%f = mulf %e, %m : $AT\n"
               "%g = addf %f, %m : $AT\n"
               "%tg = store_view_tko weak %g, %at[%i, %zero] : $AT, $AP, tile<i32> -> token\n"},
      {.name = "a way around the product",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .body = "%three = constant <i32: 3> : tile<i32>\n"
               "%third = cmpi equal %k, %three, signed : tile<i32> -> tile<i1>\n"
               "if %third {\ncontinue %start : $CT\n}\n"
               "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
      {.name = "an epilogue",
       F32,
       TILE(32, 32, 16),
       SIZE(50, 64, 320),
       GRID(2, 2),
       .behind = "%old, %to = load_view_tko weak %ct[%i, %j] : $CP, tile<i32> -> $CT, token\n"
                 "%zeros = constant <f32: 0.0> : $CT\n"
                 "%twice = addf %result, %result : $CT\n"
                 "%sum = maxf %twice, %zeros : $CT\n"
                 "%t = store_view_tko weak %sum, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* Results on top of what is still to be read, and results that are no longer where they were. */
static void test_overlaps(void **state) {
  (void)state;
  static const char scaled[] =
      "%two = constant <f32: 2.0> : $CT\n"
      "%twice = mulf %result, %two : $CT\n"
      "%t = store_view_tko weak %result, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"
      "%t2 = store_view_tko weak %twice, %ct[%j, %i] : $CT, $CP, tile<i32> -> token\n";
  static const scene scenes[] = {
      {.name = "over the left operand",
       F32,
       .only = true,
       TILE(32, 64, 32),
       SIZE(32, 64, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %A, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "over the right operand",
       F32,
       .only = true,
       TILE(32, 64, 32),
       SIZE(32, 64, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %B, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "two stores", F32, TILE(32, 32, 32), SIZE(64, 64, 64), GRID(1, 1), .behind = scaled},
      {.name = "a load before the loop that is used behind it",
       F32,
       .only = true,
       TILE(32, 32, 32),
       SIZE(32, 32, 64),
       GRID(1, 1),
       .block = "%i = addi %x, %zero : tile<i32>\n%j = addi %y, %zero : tile<i32>\n"
                "%early, %te = load_view_tko weak %ct[%zero, %zero] : $CP, tile<i32> -> $CT, "
                "token\n",
       .behind = "%t = store_view_tko weak %result, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"
                 "%t2 = store_view_tko weak %early, %ct[%one, %j] : $CT, $CP, tile<i32> -> token\n"
                 "%at2 = make_partition_view %av : $AP\n"
                 "%sum = addf %early, %early : $CT\n"
                 "%t3 = store_view_tko weak %sum, %at2[%one, %zero] : $CT, $AP, tile<i32> -> "
                 "token\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* What the micro-kernel copies of the right operand is what the tile block's own product needs; the
 * next block, which finds it there, may need more. */
static void test_copied(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "over the next columns of the right operand",
       F32,
       .only = true,
       TILE(32, 128, 32),
       SIZE(32, 128, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%half = constant <i32: 64> : tile<i32>\n"
           "%Bh = offset %B, %half : tile<ptr<$E>>, tile<i32> -> tile<ptr<$E>>\n"
           "%cv = make_tensor_view %Bh, shape = [%M, %half], strides = [%N, 1] : tile<i32> -> "
           "$CV\n"},
      {.name = "over the first columns of the right operand, all stored",
       F32,
       .only = true,
       TILE(32, 128, 32),
       SIZE(32, 128, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%half = constant <i32: 64> : tile<i32>\n"
           "%Bh = offset %B, %half : tile<ptr<$E>>, tile<i32> -> tile<ptr<$E>>\n"
           "%cv = make_tensor_view %Bh, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "more columns in the next block",
       F32,
       TILE(32, 128, 32),
       SIZE(64, 128, 320),
       GRID(2, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%half = constant <i32: 64> : tile<i32>\n"
           "%more = muli %x, %half : tile<i32>\n"
           "%cols = addi %half, %more : tile<i32>\n"
           "%cv = make_tensor_view %C, shape = [%M, %cols], strides = [%N, 1] : tile<i32> -> "
           "$CV\n"},
      {.name = "more elements in the next block",
       F32,
       TILE(32, 64, 32),
       SIZE(64, 128, 320),
       GRID(2, 2),
       .views =
           "%less = constant <i32: 20> : tile<i32>\n"
           "%lessb = muli %y, %less : tile<i32>\n"
           "%Kb = subi %K, %lessb : tile<i32>\n"
           "%morea = muli %x, %lessb : tile<i32>\n"
           "%Ka = addi %Kb, %morea : tile<i32>\n"
           "%av = make_tensor_view %A, shape = [%M, %Ka], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%Kb, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "an odd end", F32, TILE(32, 64, 32), SIZE(96, 128, 301), GRID(3, 2)},
      {.name = "one slice and part of one", F32, TILE(32, 64, 64), SIZE(96, 128, 83), GRID(3, 2)},
      {.name = "part of one", F32, TILE(32, 64, 64), SIZE(96, 128, 37), GRID(3, 2)},
      {.name = "rows that are not",
       F32,
       TILE(32, 64, 32),
       SIZE(96, 128, 320),
       GRID(3, 2),
       .body = "%two = constant <i32: 2> : tile<i32>\n%kk = divi %k, %two signed : tile<i32>\n"
               "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%kk, %j] : $BP, tile<i32> -> $BT, token\n"},
      {.name = "f64", .elem = "f64", .sum = "f64", TILE(32, 32, 32), SIZE(70, 64, 301), GRID(3, 2)},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* ---- few rows ------------------------------------------------------------------------------- */

/* Of few rows, whose right operand stays where it is. */
static const scene few_rows[] = {
    {.name = "one row", F32, TILE(1, 256, 32), SIZE(2, 600, 104), GRID(2, 3)},
    {.name = "two rows", F32, TILE(2, 128, 64), SIZE(5, 300, 192), GRID(3, 3)},
    {.name = "one block", F32, TILE(4, 64, 16), SIZE(4, 128, 64), GRID(1, 2)},
    {.name = "four of sixteen", F32, TILE(16, 64, 16), SIZE(4, 130, 70), GRID(1, 3)},
    {.name = "one of sixteen", F32, TILE(16, 128, 32), SIZE(1, 130, 70), GRID(1, 2)},
    {.name = "five of sixteen", F32, TILE(16, 64, 16), SIZE(5, 130, 70), GRID(1, 3)},
    {.name = "six, two of eight", F32, TILE(8, 64, 32), SIZE(10, 130, 70), GRID(2, 3)},
    {.name = "sixteen, and three", F32, TILE(16, 128, 32), SIZE(19, 256, 96), GRID(2, 2)},
};

static void test_few_rows(void **state) {
  (void)state;
  for (unsigned slow = 0; slow < 2; slow++) {
    engine_shallow_prefetch = slow;
    for (unsigned i = 0; i < ARRAY_LEN(few_rows); i++) check(&few_rows[i]);
  }
  engine_shallow_prefetch = false;
}

/* Where streams are slow the first block of rows asks for what comes next. */
__attribute__((unused)) static void test_fetches(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (unsigned i = 0; i < ARRAY_LEN(few_rows); i++) {
    const char *text = text_of(&a, &few_rows[i], "0");
    unsigned fetches[2];
    for (unsigned slow = 0; slow < 2; slow++) {
      engine_shallow_prefetch = slow;
      fetches[slow] = code_count("call void @llvm.prefetch", text);
    }
    engine_shallow_prefetch = false;
    assert_true(fetches[1] > (few_rows[i].m <= 4 ? fetches[0] : 0)); /* else the last block did */
    if (few_rows[i].m == 16) assert_true(fetches[1] >= fetches[0]);  /* so does that of four rows */
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    LEVELS(test_few_rows),
#if !defined(TSR_TEST_IMAGES) /* there is no code to look at */
    LEVELS(test_fetches),
#endif
    LEVELS(test_sizes),
    LEVELS(test_bytes),
    LEVELS(test_views),
    LEVELS(test_loops),
    LEVELS(test_overlaps),
    LEVELS(test_copied),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
