/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products whose operands and results say in other ways where they are: by pointers and masks, or
 * by views that are made after the loop. What such products write by non-temporal stores, and that
 * the module is as it was when they have been compiled.
 */
#include <stdint.h>

#include "cpu_engine.h"
#include "text/text.h"

#define TO(shape, ones, name, from, e)                                                             \
  "%" name "_ = reshape %" from " -> tile<" ones "x" e ">\n"                                       \
  "%" name " = broadcast %" name "_ : tile<" ones "x" e "> -> tile<" shape "x" e ">\n"
#define SCALAR(shape, name, from, e)    TO(shape, "1x1", name, from " : tile<" e ">", e)
#define COLUMN(shape, n, name, from, e) TO(shape, n "x1", name, from " : tile<" n "x" e ">", e)
#define ROW(shape, n, name, from, e)    TO(shape, "1x" n, name, from " : tile<" n "x" e ">", e)
#define POINTERS(shape, m, n, name, base, rows, columns, pitch, e)                                 \
  COLUMN(shape, m, name "r", rows, "i32")                                                          \
  ROW(shape, n, name "c", columns, "i32")                                                          \
  SCALAR(shape, name "p", pitch, "i32")                                                            \
  SCALAR(shape, name "b", base, "ptr<" e ">")                                                      \
  "%" name "l = muli %" name "r, %" name "p : tile<" shape "xi32>\n"                               \
  "%" name "o = addi %" name "l, %" name "c : tile<" shape "xi32>\n"                               \
  "%" name " = offset %" name "b, %" name "o : tile<" shape "xptr<" e ">>, tile<" shape            \
  "xi32> -> tile<" shape "xptr<" e ">>\n"
/* %name: 32 numbers from %at * 32 on; $w: what becomes of them, of which there are %size. */
#define PLACES(name, at, size)                                                                     \
  "%" name "s = muli %" at ", %c32 : tile<i32>\n%" name "1 = reshape %" name                       \
  "s : tile<i32> -> tile<1xi32>\n%" name "2 = broadcast %" name "1 : tile<1xi32> -> "              \
  "tile<32xi32>\n%" name " = addi %" name "2, %count : tile<32xi32>\n"                             \
  "%" name "e1 = reshape %" size " : tile<i32> -> tile<1xi32>\n%" name "e = broadcast %" name      \
  "e1 : tile<1xi32> -> tile<32xi32>\n"
#define WRAPPED(name) "%" name "w = $w : tile<32xi32>\n"

/* C = A * B as tutorials for GPUs write it: pointers that move along k, masks for what is outside
 * of the matrices along k, and either of these along the others. */
static const char by_pointers[] =
    "cuda_tile.module @m { entry @k(%A: tile<ptr<$e>>, %B: tile<ptr<$e>>, %C: tile<ptr<f32>>, "
    "%M: tile<i32>, %N: tile<i32>, %K: tile<i32>, %steps: tile<i32>) {\n"
    "%i, %j, %k = get_tile_block_id : tile<i32>\n%c32 = constant <i32: 32> : tile<i32>\n"
    "%c0 = constant <i32: 0> : tile<i32>\n%c1 = constant <i32: 1> : tile<i32>\n"
    "%c16 = constant <i32: 16> : tile<i32>\n%count = iota : tile<32xi32>\n"
    "%along = iota : tile<16xi32>\n" PLACES("m", "i", "M") PLACES("n", "j", "N") "$m$n" POINTERS(
        "32x16", "32", "16", "a", "A", "mw", "along", "K",
        "$e") POINTERS("16x32", "16", "32", "b", "B", "along", "nw", "N", "$e")
        SCALAR("32x16", "astep", "c16", "i32") "%next = muli %c16, %N : tile<i32>\n" SCALAR(
            "16x32", "bstep", "next",
            "i32") "%za = constant <$e: 0.0> : tile<32x16x$e>\n%zb = constant <$e: 0.0> : "
                   "tile<16x32x$e>\n"
                   "%zc = constant <f32: 0.0> : tile<32x32xf32>\n"
                   "%c, %alast, %blast = for %s in (%c0 to %steps, step %c1) : tile<i32> "
                   "iter_values(%acc = %zc, "
                   "%apt = %a, %bpt = %b) -> (tile<32x32xf32>, tile<32x16xptr<$e>>, "
                   "tile<16x32xptr<$e>>) {\n"
                   "%done = muli %s, %c16 : tile<i32>\n%left = subi %K, %done : tile<i32>\n"
                   "%left1 = reshape %left : tile<i32> -> tile<1xi32>\n"
                   "%left2 = broadcast %left1 : tile<1xi32> -> tile<16xi32>\n"
                   "%in = cmpi less_than %along, %left2, signed : tile<16xi32> -> "
                   "tile<16xi1>\n" ROW("32x16", "16", "am", "in", "i1") COLUMN(
                       "16x32", "16", "bm", "in",
                       "i1") "%at, %t0 = load_ptr_tko weak %apt, %am, %za : tile<32x16xptr<$e>>, "
                             "tile<32x16xi1>, "
                             "tile<32x16x$e> -> tile<32x16x$e>, token\n"
                             "%bt, %t1 = load_ptr_tko weak %bpt, %bm, %zb : tile<16x32xptr<$e>>, "
                             "tile<16x32xi1>, "
                             "tile<16x32x$e> -> tile<16x32x$e>, token\n"
                             "%sum = mmaf %at, %bt, %acc : tile<32x16x$e>, tile<16x32x$e>, "
                             "tile<32x32xf32>\n"
                             "%an = offset %apt, %astep : tile<32x16xptr<$e>>, tile<32x16xi32> -> "
                             "tile<32x16xptr<$e>>\n"
                             "%bn = offset %bpt, %bstep : tile<16x32xptr<$e>>, tile<16x32xi32> -> "
                             "tile<16x32xptr<$e>>\n"
                             "continue %sum, %an, %bn : tile<32x32xf32>, tile<32x16xptr<$e>>, "
                             "tile<16x32xptr<$e>>\n}\n" POINTERS(
                                 "32x32", "32", "32", "d", "C", "m", "n", "N",
                                 "f32") "%mi = cmpi less_than %m, %me, signed : tile<32xi32> -> "
                                        "tile<32xi1>\n"
                                        "%ni = cmpi less_than %n, %ne, signed : tile<32xi32> -> "
                                        "tile<32xi1>\n" COLUMN("32x32", "32", "mm", "mi", "i1")
                                            ROW("32x32", "32", "nm", "ni",
                                                "i1") "%exists = andi %mm, %nm : tile<32x32xi1>\n"
                                                      "%t2 = store_ptr_tko weak %d, %c, %exists : "
                                                      "tile<32x32xptr<f32>>, tile<32x32xf32>, "
                                                      "tile<32x32xi1> -> token\n} }\n";

/* The same by views, of which the result's is made where it is stored. */
static const char by_late_views[] =
    "cuda_tile.module @m { entry @k(%A: tile<ptr<$e>>, %B: tile<ptr<$e>>, %C: tile<ptr<f32>>, "
    "%M: tile<i32>, %N: tile<i32>, %K: tile<i32>, %steps: tile<i32>) {\n"
    "%i, %j, %k = get_tile_block_id : tile<i32>\n"
    "%c0 = constant <i32: 0> : tile<i32>\n%c1 = constant <i32: 1> : tile<i32>\n"
    "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> "
    "tensor_view<?x?x$e, strides=[?,1]>\n"
    "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> "
    "tensor_view<?x?x$e, strides=[?,1]>\n"
    "%a = make_partition_view %av : partition_view<tile=(32x16), padding_value = zero, "
    "tensor_view<?x?x$e, strides=[?,1]>>\n"
    "%b = make_partition_view %bv : partition_view<tile=(16x32), padding_value = zero, "
    "tensor_view<?x?x$e, strides=[?,1]>>\n"
    "%zc = constant <f32: 0.0> : tile<32x32xf32>\n"
    "%c = for %s in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zc) -> "
    "(tile<32x32xf32>) {\n"
    "%at, %t0 = load_view_tko weak %a[%i, %s] : partition_view<tile=(32x16), padding_value = zero, "
    "tensor_view<?x?x$e, strides=[?,1]>>, tile<i32> -> tile<32x16x$e>, token\n"
    "%bt, %t1 = load_view_tko weak %b[%s, %j] : partition_view<tile=(16x32), padding_value = zero, "
    "tensor_view<?x?x$e, strides=[?,1]>>, tile<i32> -> tile<16x32x$e>, token\n"
    "%sum = mmaf %at, %bt, %acc : tile<32x16x$e>, tile<16x32x$e>, tile<32x32xf32>\n"
    "continue %sum : tile<32x32xf32>\n}\n"
    "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
    "tensor_view<?x?xf32, strides=[?,1]>\n"
    "%ct = make_partition_view %cv : partition_view<tile=(32x32), tensor_view<?x?xf32, "
    "strides=[?,1]>>\n"
    "%t2 = store_view_tko weak %c, %ct[%i, %j] : tile<32x32xf32>, partition_view<tile=(32x32), "
    "tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token\n} }\n";

/* 0: pointers that nothing wraps; 1: that wrap around; 2: views. */
static const char *text_of(const char *elem, int way) {
  char m[256], n[256];
  static char text[16384];
  const run_blank rows[] = {{'w', way ? "remi %m, %me signed" : "addi %m, %m0"}, {0}};
  const run_blank columns[] = {{'w', way ? "remi %n, %ne signed" : "addi %n, %m0"}, {0}};
  run_fill(m, sizeof m, "%m0 = constant <i32: 0> : tile<32xi32>\n" WRAPPED("m"), rows);
  run_fill(n, sizeof n, WRAPPED("n"), columns);
  const run_blank blanks[] = {{'e', elem}, {'m', m}, {'n', n}, {0}};
  run_fill(text, sizeof text, way == 2 ? by_late_views : by_pointers, blanks);
  return text;
}

static void test_places(void **state) {
  (void)state;
  enum { MOST = 100, READ = 128 * 128 }; /* way 0 also reads what its tiles have beyond both ends */
  static const unsigned sizes[] = {1, 31, 33, 64, 100};
  static const char *const elems[] = {"f32", "bf16"};
  static unsigned char a[READ * 4], b[READ * 4];
  static float want[MOST * MOST + 64], got[MOST * MOST + 64];
  for (size_t e = 0; e < ARRAY_LEN(elems); e++) {
    for (size_t x = 0; x < READ; x++) { /* whole numbers: sums are the same in any order */
      float left = (float)(x * 7 % 13) - 6, right = (float)(x * 5 % 11) - 5;
      uint32_t bits[2] = {run_f32_bits(left), run_f32_bits(right)};
      unsigned bytes = e ? 2 : 4;
      memcpy(a + x * bytes, (char *)&bits[0] + 4 - bytes, bytes);
      memcpy(b + x * bytes, (char *)&bits[1] + 4 - bytes, bytes);
    }
    for (int way = 0; way < 3; way++) {
      const char *text = text_of(elems[e], way);
      for (size_t s = 0; s < ARRAY_LEN(sizes) * ARRAY_LEN(sizes); s++) {
        unsigned rows_n = sizes[s % ARRAY_LEN(sizes)], columns_n = sizes[s / ARRAY_LEN(sizes)];
        unsigned k = sizes[(s * 3 + 1) % ARRAY_LEN(sizes)];
        run_grid grid = {(rows_n + 31) / 32, (columns_n + 31) / 32, 1};
        uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(want), rows_n, columns_n, k,
                           (k + 15) / 16};
        uint64_t same[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(got), rows_n, columns_n, k,
                           (k + 15) / 16};
        memset(want, 0x5a, sizeof want);
        memset(got, 0x5a, sizeof got);
        run_both(text, grid, args, same);
        if (memcmp(want, got, sizeof want) != 0)
          fail_msg("%s, way %d: %u x %u x %u", elems[e], way, rows_n, columns_n, k);
      }
    }
  }
}

/* Launches whose results together are larger than a cache write them past it, where their rows
 * begin with cache lines. Most tile blocks are outside of the matrices. */
static void test_past_cache(void **state) {
  (void)state;
  enum { ROWS = 65, COLUMNS = 112, K = 40, BLOCKS = 2732 };
  static float a[ROWS * K], b[K * COLUMNS];
  static _Alignas(64) float want[ROWS * COLUMNS + 64], got[ROWS * COLUMNS + 64];
  for (int x = 0; x < ROWS * K; x++) a[x] = (float)(x * 7 % 13 - 6);
  for (int x = 0; x < K * COLUMNS; x++) b[x] = (float)(x * 5 % 11 - 5);
  const char *text = text_of("f32", 2);
  assert_int_equal(code_count("!nontemporal", text) > 0, engine_level > CPU_BASELINE);
  const struct { unsigned columns, first; } cases[] = {{COLUMNS, 0}, {COLUMNS, 1}, {100, 0}};
  for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
    run_log log;
    uint64_t columns = cases[c].columns, first = cases[c].first;
    uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(want + first), ROWS, columns, K,
                       (K + 15) / 16};
    uint64_t same[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(got + first), ROWS, columns, K,
                       (K + 15) / 16};
    memset(want, 0x5a, sizeof want);
    memset(got, 0x5a, sizeof got);
    if (!run_program_on(run_interp, text, "k", (run_grid){3, 4, 1}, args, &log) ||
        !run_compiled(text, "k", (run_grid){3, BLOCKS, 1}, same, &log))
      fail_msg("%s", log.diagnostics);
    if (memcmp(want, got, sizeof want) != 0) fail_msg("case %zu", c);
  }
}

static str printed(ir_module *m, arena *a) {
  sbuf out = SBUF(a);
  text_print(&out, m);
  return (str){out.data, out.len};
}

/* An engine that compiles and wants the module as it was. */
static bool compile_and_compare(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  (void)entry, (void)block, (void)grid;
  arena a;
  arena_init(&a, m->ctx);
  str before = printed(m, &a);
  bool same = engine_code(m, engine_level, false, &a) && str_eq(before, printed(m, &a));
  arena_free(&a);
  return same;
}

/* What moves in front of loops is back when the kernel has been compiled. */
static void test_module(void **state) {
  (void)state;
  run_log log;
  for (int way = 0; way < 3; way++)
    if (!run_program_on(compile_and_compare, text_of("f32", way), "k", (run_grid){1, 1, 1},
                        (uint64_t[8]){0}, &log))
      fail_msg("way %d: %s", way, log.diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(test_places), LEVELS(test_past_cache),
                                     LEVELS(test_module)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
