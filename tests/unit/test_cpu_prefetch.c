/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What nests fetch of what will be loaded later, and which versions they have.
 */
#include <stdio.h>

#include "cpu_engine.h"

/* Z = f(X), of matrices whose rows have 4096 elements. $e and $o: their types, $t: a tile. $f and
 * $l: in front of the load and after the store, $r and $c: the tile's row and column. */
static const char program[] =
    "!x = !cuda_tile.partition_view<tile=($t), tensor_view<4096x4096x$e, strides=[4096,1]>>\n"
    "!z = !cuda_tile.partition_view<tile=($t), tensor_view<4096x4096x$o, strides=[4096,1]>>\n"
    "cuda_tile.module @m { entry @k(%X: tile<ptr<$e>>, %Z: tile<ptr<$o>>) {\n"
    "%i, %j, %bz = get_tile_block_id : tile<i32>\n"
    "%zero = constant <i32: 0> : tile<i32>\n"
    "%three = constant <i32: 3> : tile<i32>\n"
    "%many = constant <i32: 63> : tile<i32>\n"
    "%xm = make_tensor_view %X, shape = [4096, 4096], strides = [4096, 1] : "
    "tensor_view<4096x4096x$e, strides=[4096,1]>\n"
    "%zm = make_tensor_view %Z, shape = [4096, 4096], strides = [4096, 1] : "
    "tensor_view<4096x4096x$o, strides=[4096,1]>\n"
    "%xv = make_partition_view %xm : !x\n"
    "%zv = make_partition_view %zm : !z\n"
    "$f"
    "%x, %t = load_view_tko weak %xv[%$r, %$c] : !x, tile<i32> -> tile<$tx$e>, token\n"
    "$b"
    "%u = store_view_tko weak %z, %zv[%$r, %$c] : tile<$tx$o>, !z, tile<i32> -> token\n"
    "$l} }\n";

#define SUM  "%z = addf %x, %x : tile<$tx$e>\n"
#define CAST "%z = ftof %x : tile<$tx$e> -> tile<$tx$o>\n"
#define FEW                                                                                        \
  "%p = constant <$e: 1.5> : tile<$tx$e>\n%q = maxf %x, %p : tile<$tx$e>\n"                        \
  "%r = addf %q, %x : tile<$tx$e>\n%z = subf %r, %p : tile<$tx$e>\n"
#define EXP  "%z = exp %x : tile<$tx$e>\n"
#define LOOP "for %k in (%zero to %many, step %three) : tile<i32> {\n"

typedef struct fetch_case {
  const char *elem, *to, *tile, *body;
  bool loop; /* along columns, three tiles at a time */
  const char *row, *column;
  unsigned bytes; /* to what is fetched; 0: nothing is */
  /* To where it continues after a row of the grid, from after that; after a loop from its end. */
  int64_t further;
} fetch_case;

static const char *text_of(const fetch_case *x) {
  static char text[4096];
  const run_blank blanks[] = {{'e', x->elem},
                              {'o', x->to},
                              {'t', x->tile},
                              {'b', x->body},
                              {'f', x->loop ? LOOP : ""},
                              {'l', x->loop ? "}\n" : ""},
                              {'r', x->row},
                              {'c', x->column},
                              {0}};
  run_fill(text, sizeof text, program, blanks);
  return text;
}

/* Not what lies 2 KB further, in versions with masks, nor the ends of rows that are put together to
 * lines, for which there are three blocks each. */
static unsigned fetches_steps(const char *text) {
  return code_count("call void @llvm.prefetch", text) - code_count(", i64 2048\n", text) -
         code_count("\npart", text) / 3;
}

/* Tiles of rows, where a vector is a part of a line or much is computed, and when what is loaded is
 * large: the next tile that is loaded, or of small tiles one further on. */
static void test_steps(void **state) {
  (void)state;
  enum { ROW = 4096 };
  const fetch_case cases[] = {
      {"bf16", "bf16", "64x64", SUM, false, "i", "j", 64 * 2, 64 * ROW * 2},
      {"bf16", "bf16", "64x64", SUM, false, "j", "i", 64 * 2, 64 * ROW * 2},
      {"bf16", "bf16", "8x64", SUM, false, "i", "j", 8 * 64 * 2, 8 * ROW * 2},
      {"bf16", "bf16", "4x16", SUM, false, "i", "j", 16 * 16 * 2, 4 * ROW * 2},
      {"bf16", "f32", "64x64", CAST, false, "i", "j", 64 * 2, 64 * ROW * 2},
      {"f32", "bf16", "64x64", CAST, false, "i", "j", 64 * 4, 64 * ROW * 4},
      {"f32", "f32", "64x64", EXP, false, "i", "j", 64 * 4, 64 * ROW * 4},
      {"f32", "f32", "64x64", FEW, false, "i", "j", 64 * 4, 64 * ROW * 4},
      {"f32", "f32", "1x256", EXP, false, "i", "j", 256 * 4, ROW * 4},
      {"bf16", "bf16", "64x64", SUM, true, "i", "k", 3 * 64 * 2, 64 * ROW * 2 - 60 * 64 * 2},
      {"bf16", "bf16", "16x64", SUM, true, "i", "k", 4 * 3 * 64 * 2, 16 * ROW * 2 - 51 * 64 * 2},
      {"bf16", "bf16", "64x64", SUM, true, "k", "i", 3 * 64 * ROW * 2, 64 * 2 - 60 * 64 * ROW * 2},
      {"f32", "f32", "64x64", EXP, true, "i", "k", 3 * 64 * 4, 64 * ROW * 4 - 60 * 64 * 4},
      {"bf16", "bf16", "1x256", SUM, false, "i", "j", 0, 0}, /* the processor does */
      {"bf16", "bf16", "64x64", SUM, false, "zero", "zero", 0, 0},
  };
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    const fetch_case *x = &cases[c];
    const char *text = text_of(x);
    bool fetches = fetches_steps(text) > 0;
    if (fetches != (x->bytes > 0)) fail_msg("case %zu: %s", c, fetches ? "fetches" : "nothing");
    if (!fetches) continue;
    char by[32], further[32];
    snprintf(by, sizeof by, ", i64 %u\n", x->bytes);
    snprintf(further, sizeof further, x->loop ? "i64 %lld, " : "add i64 %lld, ",
             (long long)x->further);
    if (!code_count(by, text) || !code_count(further, text) || !code_count("%step = ", text) ||
        !code_count("icmp sge i64 %reached", text))
      fail_msg("case %zu: not by %u, or %lld at the end", c, x->bytes, (long long)x->further);
  }
}

/* Whole lines that are only loaded and stored by non-temporal stores, at AVX-512: some processors
 * fetch better by themselves. The version that stores into the cache fetches each line of its
 * body's copies, and that with masks, which continues where a whole one ends, the one that it loads
 * from. */
static void test_whole_lines(void **state) {
  (void)state;
  const fetch_case plain = {"f32", "f32", "64x64", SUM, false, "i", "j", 0, 0};
  const unsigned lines[] = {[CPU_BASELINE] = 1, [CPU_AVX2] = 2, [CPU_AVX512] = 4};
  for (unsigned slow = 0; slow < 2; slow++) {
    engine_shallow_prefetch = slow;
    const unsigned versions = engine_level == CPU_AVX512 && !slow ? 1 : 2;
    assert_int_equal(fetches_steps(text_of(&plain)), versions * lines[engine_level] + 1);
  }
  engine_shallow_prefetch = false;
}

/* What is summed up and loaded again after that is fetched once, by the nest that comes later. */
static void test_loaded_again(void **state) {
  (void)state;
  static const char sum[] =
      "%s = reduce %x dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>\n"
      "(%p: tile<f32>, %q: tile<f32>) {\n%r = addf %p, %q : tile<f32>\nyield %r : tile<f32>\n}\n"
      "%s1 = reshape %s : tile<64xf32> -> tile<64x1xf32>\n"
      "%s2 = broadcast %s1 : tile<64x1xf32> -> tile<64x64xf32>\n";
  static char both[1024], one[1024];
  snprintf(both, sizeof both, "%s%%z = subf %%x, %%s2 : tile<64x64xf32>\n", sum);
  snprintf(one, sizeof one, "%s%%z = negf %%s2 : tile<64x64xf32>\n", sum);
  const fetch_case again = {"f32", "f32", "64x64", both, false, "i", "j", 0, 0};
  const fetch_case alone = {"f32", "f32", "64x64", one, false, "i", "j", 0, 0};
  const unsigned lines[] = {[CPU_BASELINE] = 1, [CPU_AVX2] = 2, [CPU_AVX512] = 4};
  engine_shallow_prefetch = true;
  unsigned fetched = fetches_steps(text_of(&again)), by_sum = fetches_steps(text_of(&alone));
  engine_shallow_prefetch = false;
  assert_int_equal(fetched, lines[engine_level] + 1);
  /* There, sums have as many copies as without masks. */
  assert_int_equal(by_sum, lines[engine_level] + (engine_level == CPU_AVX512 ? 4 : 1));
}

/* A row that three loops go through: its sum, then that of what is above it, and what is stored.
 * Processors that fetch late do so while they store, if that is by non-temporal stores, rows of any
 * length that the cache has room for, short ones for the first-level cache; and while they only
 * load short ones alone, then. */
static void test_last_loop(void **state) {
  (void)state;
  static const char loops[] =
      "!m = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>\n"
      "!v = !cuda_tile.partition_view<tile=(1x512), tensor_view<?x?xf32, strides=[?,1]>>\n"
      "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %n: tile<i32>) {\n"
      "%i, %j, %bz = get_tile_block_id : tile<i32>\n"
      "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
      "%none = constant <f32: 0.0> : tile<f32>\n"
      "%xm = make_tensor_view %X, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !m\n"
      "%ym = make_tensor_view %Y, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !m\n"
      "%xv = make_partition_view %xm : !v\n%yv = make_partition_view %ym : !v\n"
      "%sum = $f iter_values(%so_far = %none) -> (tile<f32>) {\n$x%d = negf %x : $t\n$s}\n"
      "%sum1 = reshape %sum : tile<f32> -> tile<1x1xf32>\n"
      "%sums = broadcast %sum1 : tile<1x1xf32> -> $t\n"
      "%above = $f iter_values(%so_far = %none) -> (tile<f32>) {\n$x%d = subf %x, %sums : $t\n$s}\n"
      "%above1 = reshape %above : tile<f32> -> tile<1x1xf32>\n"
      "%aboves = broadcast %above1 : tile<1x1xf32> -> $t\n"
      "$f {\n$x%y = mulf %x, %aboves : $t\n"
      "%u = store_view_tko weak %y, %yv[%i, %k] : $t, !v, tile<i32> -> token\n}\n} }\n";
  static const char load[] =
      "%x, %t = load_view_tko weak %xv[%i, %k] : !v, tile<i32> -> tile<1x512xf32>, token\n";
  static const char sum[] =
      "%p = reduce %d dim=1 identities=[0.0 : f32] : tile<1x512xf32> -> tile<1xf32>\n"
      "(%a: tile<f32>, %b: tile<f32>) {\n%c = addf %a, %b : tile<f32>\nyield %c : tile<f32>\n}\n"
      "%q = reshape %p : tile<1xf32> -> tile<f32>\n%r = addf %so_far, %q : tile<f32>\n"
      "continue %r : tile<f32>\n";
  const run_blank blanks[] = {{'f', "for %k in (%zero to %n, step %one) : tile<i32>"},
                              {'x', load},
                              {'s', sum},
                              {'t', "tile<1x512xf32>"},
                              {0}};
  char text[8192];
  run_fill(text, sizeof text, loops, blanks);
  static const char into_l2[] = ", i32 0, i32 2, i32 1)", into_l1[] = ", i32 0, i32 3, i32 1)";
  static const char distance[] = "\n  %next", short_rows[] = ", 8192\n", less[] = ", i64 8192, ";
  /* Each loop has two versions, of which one has non-temporal stores. */
  const unsigned early = code_count(into_l2, text);
  assert_true(early > 0);
  assert_int_equal(code_count(into_l1, text), 0);
  assert_int_equal(code_count(less, text), 0);
  assert_int_equal(code_count(distance, text), 2);
  const unsigned else_so = code_count(short_rows, text);
  engine_few_fill_buffers = true;
  const unsigned near = code_count(into_l1, text);
  assert_true(near > 0);
  assert_int_equal(code_count(into_l2, text), early + near);
  assert_int_equal(code_count(distance, text), 4);
  assert_int_equal(code_count(short_rows, text), else_so + 2);
  assert_int_equal(code_count(less, text), 2); /* where only something is loaded */
  engine_few_fill_buffers = false;
}

/* Bodies that decide at their end where they store; elsewhere it is asked whether vectors are
 * whole. */
static unsigned late_stores(const char *text) {
  return code_count("\nyes", text) - code_count("call i1 @llvm.vector.reduce.and", text);
}

/* A body with blocks for angles that take the long way has a version without a test of whether it
 * non-temporal stores; one with an exponential has that test. */
static void test_versions(void **state) {
  (void)state;
  fetch_case x = {"f32", "f32", "64x64", "%z = sin %x : tile<$tx$e>\n", false, "i", "j", 0, 0};
  const char *text = text_of(&x);
  assert_true(code_count("!nontemporal", text) > 0);
  assert_int_equal(late_stores(text), engine_level >= CPU_AVX2 ? 0 : 1);
  x.body = EXP;
  text = text_of(&x);
  assert_true(code_count("!nontemporal", text) > 0);
  assert_int_equal(late_stores(text), 1);
}

/* Tiles of which a part exists. Whole vectors are stored as such, and loaded where the processor
 * can't load some of their lanes; what follows is fetched where it can; what doesn't exist isn't
 * loaded from where it would lie, and left out where it would be stored. */
static void test_partial(void **state) {
  (void)state;
  const struct {
    const char *elem;
    unsigned loads; /* AVX-512: 1, AVX2: 2, baseline: 4 */
  } cases[] = {{"f32", 3}, {"i32", 3}, {"bf16", 1}, {"i8", 1}};
  const unsigned level = engine_level == CPU_AVX512 ? 1 : engine_level == CPU_AVX2 ? 2 : 4;
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    char sum[96];
    snprintf(sum, sizeof sum, "%%z = add%c %%x, %%x : tile<$tx$e>\n",
             cases[c].elem[0] == 'i' ? 'i' : 'f');
    fetch_case x = {cases[c].elem, cases[c].elem, "64x64", sum, false, "i", "j", 0, 0};
    const char *text = text_of(&x);
    bool masked = cases[c].loads & level;
    /* A load stands twice: once more for a tile that lies where it is stored. */
    assert_int_equal(code_count(", i64 2048\n", text), masked ? 2 : 0);
    assert_int_equal(code_count("call i1 @llvm.vector.reduce.and", text), masked ? 1 : 3);
    assert_int_equal(code_count("call i1 @llvm.vector.reduce.or", text), masked ? 3 : 1);
  }
}

/* Rows of %n numbers that begin 4096 apart, through pointers with a mask: in each tile block one,
 * or in a loop every third. */
#define EACH(name, from, e)                                                                        \
  "%" name "1 = reshape %" from " : tile<" e "> -> tile<1x" e ">\n"                                \
  "%" name " = broadcast %" name "1 : tile<1x" e "> -> tile<1024x" e ">\n"
#define POINTED_ROW                                                                                \
  "%before = muli %row, %pitch : tile<i32>\n" EACH(                                                \
      "start", "before",                                                                           \
      "i32") "%at = addi %column, %start : tile<1024xi32>\n"                                       \
             "%xp = offset %xs, %at : tile<1024xptr<f32>>, tile<1024xi32> -> "                     \
             "tile<1024xptr<f32>>\n"                                                               \
             "%x, %t0 = load_ptr_tko weak %xp, %exists, %zeros : tile<1024xptr<f32>>, "            \
             "tile<1024xi1>, "                                                                     \
             "tile<1024xf32> -> tile<1024xf32>, token\n"                                           \
             "%y = exp %x : tile<1024xf32>\n"                                                      \
             "%yp = offset %ys, %at : tile<1024xptr<f32>>, tile<1024xi32> -> "                     \
             "tile<1024xptr<f32>>\n"                                                               \
             "%t1 = store_ptr_tko weak %yp, %y, %exists : tile<1024xptr<f32>>, tile<1024xf32>, "   \
             "tile<1024xi1> -> token\n"

static void test_pointers(void **state) {
  (void)state;
  static const char frame[] =
      "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %n: tile<i32>) {\n"
      "%i, %j, %k = get_tile_block_id : tile<i32>\n"
      "%pitch = constant <i32: 4096> : tile<i32>\n"
      "%zeros = constant <f32: 0.0> : tile<1024xf32>\n"
      "%column = iota : tile<1024xi32>\n" EACH("all", "n", "i32") EACH("xs", "X", "ptr<f32>")
          EACH("ys", "Y", "ptr<f32>") "%exists = cmpi less_than %column, %all, signed : "
                                      "tile<1024xi32> -> tile<1024xi1>\n"
                                      "$r} }\n";
  static const char loop[] =
      "%zero = constant <i32: 0> : tile<i32>\n%three = constant <i32: 3> : tile<i32>\n"
      "%rows = constant <i32: 99> : tile<i32>\n"
      "for %row in (%zero to %rows, step %three) : tile<i32> {\n" POINTED_ROW "continue\n}\n";
  static const char block[] = "%none = constant <i32: 0> : tile<i32>\n"
                              "%row = addi %i, %none : tile<i32>\n" POINTED_ROW;
  for (int in_loop = 0; in_loop < 2; in_loop++) {
    char text[8192], by[32];
    const run_blank blanks[] = {{'r', in_loop ? loop : block}, {0}};
    run_fill(text, sizeof text, frame, blanks);
    snprintf(by, sizeof by, "i64 %d\n", 4096 * 4 * (in_loop ? 3 : 1));
    if (!fetches_steps(text) || !code_count("%step = ", text)) fail_msg("nothing: %s", text);
    if (!in_loop && !code_count("icmp sge i64 %reached", text)) fail_msg("not by blocks: %s", text);
    if (in_loop && !code_count(by, text)) fail_msg("not by %s: %s", by, text);
    assert_true(code_count("!nontemporal", text) > 0);
  }
}

/* Rows through pointers that two loops go through, as Triton's norms do: the second one fetches
 * the row of the next tile block. $y: how the second one finds its pointers. */
static void test_pointed_again(void **state) {
  (void)state;
  static const char frame[] =
      "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %n: tile<i32>) {\n"
      "%i, %j, %k = get_tile_block_id : tile<i32>\n"
      "%pitch = constant <i32: 4096> : tile<i32>\n%zero = constant <i32: 0> : tile<i32>\n"
      "%step = constant <i32: 1024> : tile<i32>\n"
      "%column = iota : tile<1024xi32>\n%before = muli %i, %pitch : tile<i32>\n"
      "%xr = offset %X, %before : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
      "%yr = offset %Y, %before : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n" EACH("xs", "xr",
                                                                                      "ptr<f32>")
          EACH("ys", "yr",
               "ptr<f32>") "%nothing = constant <f32: 0.0> : tile<1024xf32>\n"
                           "%sum = for %a in (%zero to %n, step %step) : tile<i32> iter_values(%s "
                           "= %nothing) -> "
                           "(tile<1024xf32>) {\n" EACH(
                               "as", "a",
                               "i32") "%at = addi %column, %as : tile<1024xi32>\n"
                                      "%xp = offset %xs, %at : tile<1024xptr<f32>>, tile<1024xi32> "
                                      "-> tile<1024xptr<f32>>\n"
                                      "%x, %t0 = load_ptr_tko weak %xp : tile<1024xptr<f32>> -> "
                                      "tile<1024xf32>, token\n"
                                      "%s1 = addf %s, %x : tile<1024xf32>\ncontinue %s1 : "
                                      "tile<1024xf32>\n}\n"
                                      "for %b in (%zero to %n, step %step) : tile<i32> {\n" EACH(
                                          "bs", "b",
                                          "i32") "%bt = $y %column, %bs : tile<1024xi32>\n"
                                                 "%bp = offset %xs, %bt : tile<1024xptr<f32>>, "
                                                 "tile<1024xi32> -> tile<1024xptr<f32>>\n"
                                                 "%z, %t1 = load_ptr_tko weak %bp : "
                                                 "tile<1024xptr<f32>> -> tile<1024xf32>, token\n"
                                                 "%e = exp %z : tile<1024xf32>\n%d = addf %e, %sum "
                                                 ": tile<1024xf32>\n"
                                                 "%dp = offset %ys, %bt : tile<1024xptr<f32>>, "
                                                 "tile<1024xi32> -> tile<1024xptr<f32>>\n"
                                                 "%t2 = store_ptr_tko weak %dp, %d : "
                                                 "tile<1024xptr<f32>>, tile<1024xf32> -> token\n"
                                                 "continue\n}\n} }\n";
  const char *const steps[] = {"addi", "subi"};
  unsigned again[2];
  for (unsigned i = 0; i < 2; i++) {
    char text[8192];
    const run_blank blanks[] = {{'y', steps[i]}, {0}};
    run_fill(text, sizeof text, frame, blanks);
    engine_few_fill_buffers = true;
    again[i] = code_count("\n  %next", text);
    engine_few_fill_buffers = false;
  }
  assert_true(again[0] > 0);
  assert_int_equal(again[1], 0);
}

/* An iteration ends early only when none of its stores stores anything. */
static void test_two_stores(void **state) {
  (void)state;
  static const char text[] =
      "!v = !cuda_tile.partition_view<tile=(4x64), tensor_view<?x?xf32, strides=[64,1]>>\n"
      "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %Z: tile<ptr<f32>>, "
      "%a: tile<i32>, %b: tile<i32>, %c: tile<i32>, %d: tile<i32>) {\n"
      "%zero = constant <i32: 0> : tile<i32>\n"
      "%four = constant <i32: 4> : tile<i32>\n"
      "%all = constant <i32: 64> : tile<i32>\n"
      "%xm = make_tensor_view %X, shape = [%four, %all], strides = [64, 1] : tile<i32> -> "
      "tensor_view<?x?xf32, strides=[64,1]>\n"
      "%ym = make_tensor_view %Y, shape = [%a, %b], strides = [64, 1] : tile<i32> -> "
      "tensor_view<?x?xf32, strides=[64,1]>\n"
      "%zm = make_tensor_view %Z, shape = [%c, %d], strides = [64, 1] : tile<i32> -> "
      "tensor_view<?x?xf32, strides=[64,1]>\n"
      "%xv = make_partition_view %xm : !v\n"
      "%yv = make_partition_view %ym : !v\n"
      "%zv = make_partition_view %zm : !v\n"
      "%x, %t0 = load_view_tko weak %xv[%zero, %zero] : !v, tile<i32> -> tile<4x64xf32>, token\n"
      "%y = addf %x, %x : tile<4x64xf32>\n"
      "%t1 = store_view_tko weak %x, %yv[%zero, %zero] : tile<4x64xf32>, !v, tile<i32> -> token\n"
      "%t2 = store_view_tko weak %y, %zv[%zero, %zero] : tile<4x64xf32>, !v, tile<i32> -> token\n"
      "} }\n";
  static const uint64_t sizes[][4] = {{4, 17, 4, 64}, {4, 64, 4, 17}, {1, 64, 4, 3},
                                      {3, 5, 2, 40},  {0, 64, 4, 33}, {4, 0, 2, 64}};
  float x[4 * 64], want[2][4 * 64], got[2][4 * 64];
  for (unsigned i = 0; i < ARRAY_LEN(x); i++) x[i] = (float)i + 1;
  for (size_t c = 0; c < ARRAY_LEN(sizes); c++) {
    const uint64_t *s = sizes[c];
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    uint64_t args[] = {
        ARG_ADDRESS(x), ARG_ADDRESS(want[0]), ARG_ADDRESS(want[1]), s[0], s[1], s[2], s[3]};
    uint64_t same[] = {
        ARG_ADDRESS(x), ARG_ADDRESS(got[0]), ARG_ADDRESS(got[1]), s[0], s[1], s[2], s[3]};
    run_both(text, (run_grid){1, 1, 1}, args, same);
    if (memcmp(want, got, sizeof want) != 0) fail_msg("case %zu", c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_steps),     LEVELS(test_whole_lines),   LEVELS(test_loaded_again),
      LEVELS(test_last_loop), LEVELS(test_versions),      LEVELS(test_partial),
      LEVELS(test_pointers),  LEVELS(test_pointed_again), LEVELS(test_two_stores),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
