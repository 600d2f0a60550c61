/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory that several tile blocks read, or that several tiles of one tile block share, against the
 * interpreter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu_engine.h"

/* ---- operands that tile blocks share ------------------------------------------------------------
 */

#define KEYS "partition_view<tile=(256x32), tensor_view<?x32xf32, strides=[32,1]>>"
#define ROWS "partition_view<tile=(32x32), tensor_view<?x32xf32, strides=[32,1]>>"
#define SUMS "partition_view<tile=(32x256), tensor_view<?x256xf32, strides=[256,1]>>"

/* Block x adds up the products of its rows with all tiles of keys, which every block transposes:
 * more of them than there are slots. What stands in %s comes before the loop. */
static const char sharing[] =
    "cuda_tile.module @m { entry @k(%%Q: tile<ptr<f32>>, %%K: tile<ptr<f32>>, %%O: tile<ptr<f32>>, "
    "%%tiles: tile<i32>) {\n"
    "%%x, %%y, %%z = get_tile_block_id : tile<i32>\n"
    "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
    "%%many = constant <i32: 100000> : tile<i32>\n"
    "%%qv = make_tensor_view %%Q, shape = [%%many, 32], strides = [32, 1] : tile<i32> -> "
    "tensor_view<?x32xf32, strides=[32,1]>\n"
    "%%kv = make_tensor_view %%K, shape = [%%many, 32], strides = [32, 1] : tile<i32> -> "
    "tensor_view<?x32xf32, strides=[32,1]>\n"
    "%%ov = make_tensor_view %%O, shape = [%%many, 256], strides = [256, 1] : tile<i32> -> "
    "tensor_view<?x256xf32, strides=[256,1]>\n"
    "%%qt = make_partition_view %%qv : " ROWS "\n%%kt = make_partition_view %%kv : " KEYS
    "\n%%ot = make_partition_view %%ov : " SUMS "\n%s"
    "%%q, %%t0 = load_view_tko weak %%qt[%%x, %%zero] : " ROWS
    ", tile<i32> -> tile<32x32xf32>, token\n"
    "%%none = constant <f32: 0.0> : tile<32x256xf32>\n"
    "%%sum = for %%j in (%%zero to %%tiles, step %%one) : tile<i32> iter_values(%%s = %%none) -> "
    "(tile<32x256xf32>) {\n"
    "  %%k, %%t1 = load_view_tko weak %%kt[%%j, %%zero] : " KEYS
    ", tile<i32> -> tile<256x32xf32>, token\n"
    "  %%turned = permute %%k [1, 0] : tile<256x32xf32> -> tile<32x256xf32>\n"
    "  %%p = mmaf %%q, %%turned, %%none : tile<32x32xf32>, tile<32x256xf32>, tile<32x256xf32>\n"
    "  %%added = addf %%s, %%p : tile<32x256xf32>\n"
    "  continue %%added : tile<32x256xf32>\n}\n"
    "%%t3 = store_view_tko weak %%sum, %%ot[%%x, %%zero] : tile<32x256xf32>, " SUMS
    ", tile<i32> -> token\n} }\n";

/* The first key is another one for each block. */
static const char changes_keys[] =
    "%c = itof %x signed : tile<i32> -> tile<f32>\n"
    "%t9 = store_ptr_tko weak %K, %c : tile<ptr<f32>>, tile<f32> -> token\n";

static void test_sharing(void **state) {
  (void)state;
  enum { TILES = 60, BLOCKS = 3, KEYS_SIZE = TILES * 256 * 32 };
  static float q[BLOCKS * 32 * 32], k[KEYS_SIZE], expected[BLOCKS * 32 * 256],
      result[BLOCKS * 32 * 256];
  const char *const before[] = {"", changes_keys};
  for (unsigned i = 0; i < 2; i++) {
    char text[4096];
    snprintf(text, sizeof text, sharing, before[i]);
    for (size_t n = 0; n < sizeof q / sizeof *q; n++) q[n] = (float)(n % 7) - 3;
    for (size_t n = 0; n < KEYS_SIZE; n++) k[n] = (float)(n * 13 % 31) - 15;
    uint64_t args[] = {ARG_ADDRESS(q), ARG_ADDRESS(k), ARG_ADDRESS(expected), TILES};
    uint64_t other[] = {ARG_ADDRESS(q), ARG_ADDRESS(k), ARG_ADDRESS(result), TILES};
    run_both(text, (run_grid){BLOCKS, 1, 1}, args, other);
    assert_memory_equal(expected, result, sizeof expected);
  }
}

/* ---- rows that move -------------------------------------------------------------------------- */

/* Y[to[i]][j] = 2 X[i][j] in rows of 32 elements, through pointers or a view of rows that indices
 * choose: X, Y and `to` are the same memory, some elements apart. */
enum { MOVED_ROWS = 16, MOVED_ROW = 32, MOVED_AT = 2048, MOVED_MEMORY = 8192 };

/* clang-format off */
#define MOVED_TILE "tile<16x32x"
#define ROWS_OF(i32) "tile<16x1x" i32 "> -> " MOVED_TILE i32 ">\n"
static const char moved_rows[] =
    "!from = !cuda_tile.partition_view<tile=(16x32), padding_value = zero, tensor_view<?x32xi32, strides=[32,1]>>\n"
    "!to = !cuda_tile.gather_scatter_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>, sparse_dim=0>\n"
    "!list = !cuda_tile.partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>\n"
    "cuda_tile.module @m {\n"
#define MOVED_BEGIN(name)                                                                          \
    "entry @" name "(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %to: tile<ptr<i32>>, %rows: tile<i32>, %columns: tile<i32>) {\n" \
    "%zero = constant <i32: 0> : tile<i32>\n"                                                      \
    "%l = make_tensor_view %to, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>\n"   \
    "%lp = make_partition_view %l : !list\n"                                                       \
    "%i, %t0 = load_view_tko weak %lp[%zero] : !list, tile<i32> -> tile<16xi32>, token\n"          \
    "%xt = make_tensor_view %x, shape = [%rows, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xi32, strides=[32,1]>\n" \
    "%xp = make_partition_view %xt : !from\n"                                                      \
    "%v, %t1 = load_view_tko weak %xp[%zero, %zero] : !from, tile<i32> -> " MOVED_TILE "i32>, token\n" \
    "%w = addi %v, %v : " MOVED_TILE "i32>\n"
    MOVED_BEGIN("pointers")
    "%i2 = reshape %i : tile<16xi32> -> tile<16x1xi32>\n"
    "%r1 = reshape %rows : tile<i32> -> tile<1x1xi32>\n"
    "%r16 = broadcast %r1 : tile<1x1xi32> -> tile<16x1xi32>\n"
    "%there = cmpi less_than %i2, %r16, unsigned : tile<16x1xi32> -> tile<16x1xi1>\n"
    "%all_there = broadcast %there : " ROWS_OF("i1")
    "%lane = iota : tile<32xi32>\n"
    "%lane2 = reshape %lane : tile<32xi32> -> tile<1x32xi32>\n"
    "%column = broadcast %lane2 : tile<1x32xi32> -> " MOVED_TILE "i32>\n"
    "%c1 = reshape %columns : tile<i32> -> tile<1x1xi32>\n"
    "%c = broadcast %c1 : tile<1x1xi32> -> " MOVED_TILE "i32>\n"
    "%inside = cmpi less_than %column, %c, signed : " MOVED_TILE "i32> -> " MOVED_TILE "i1>\n"
    "%both = andi %all_there, %inside : " MOVED_TILE "i1>\n"
    "%length = constant <i32: 32> : tile<16x1xi32>\n"
    "%at = muli %i2, %length : tile<16x1xi32>\n"
    "%all_at = broadcast %at : " ROWS_OF("i32")
    "%y1 = reshape %y : tile<ptr<i32>> -> tile<1x1xptr<i32>>\n"
    "%ys = broadcast %y1 : tile<1x1xptr<i32>> -> " MOVED_TILE "ptr<i32>>\n"
    "%yr = offset %ys, %all_at : " MOVED_TILE "ptr<i32>>, " MOVED_TILE "i32> -> " MOVED_TILE "ptr<i32>>\n"
    "%yc = offset %yr, %column : " MOVED_TILE "ptr<i32>>, " MOVED_TILE "i32> -> " MOVED_TILE "ptr<i32>>\n"
    "%t2 = store_ptr_tko weak %yc, %w, %both : " MOVED_TILE "ptr<i32>>, " MOVED_TILE "i32>, " MOVED_TILE "i1> -> token\n}\n"
    MOVED_BEGIN("view")
    "%length = constant <i32: 32> : tile<i32>\n"
    "%yt = make_tensor_view %y, shape = [%rows, %columns], strides = [%length, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>\n"
    "%yp = make_gather_scatter_view %yt : !to\n"
    "%t2 = store_view_tko weak %w, %yp[%i, %zero] : " MOVED_TILE "i32>, !to, tile<16xi32>, tile<i32> -> token\n}\n"
    "}\n";
/* clang-format on */

/* Rows 16 places apart in some order; one is outside of Y, and rows - 16 are next to each other. */
static void fill_moved(int32_t *memory, int64_t list, unsigned order) {
  for (int32_t i = 0; i < MOVED_MEMORY; i++) memory[i] = i * 3 + 1;
  for (int32_t i = 0; i < MOVED_ROWS; i++) memory[list + i] = (i * 5 + 3) % MOVED_ROWS;
  if (order == 1) memory[list + 4] = INT32_MAX / MOVED_ROW, memory[list + 9] = -1;
  for (int32_t i = 0; i < MOVED_ROWS && order == 2; i++) memory[list + i] = -1 - i;
}

static void test_moved_rows(void **state) {
  (void)state;
  static const int64_t xs[] = {0, 1, 32, 96, 512, -1, -32, -490}, lists[] = {-900, 104, 420, 484};
  static int32_t expected[MOVED_MEMORY], memory[MOVED_MEMORY];
  static const char *const names[] = {"pointers", "view"};
  for (unsigned form = 0; form < 2; form++)
    for (size_t x = 0; x < ARRAY_LEN(xs); x++)
      for (size_t list = 0; list < ARRAY_LEN(lists); list++)
        for (unsigned order = 0; order < 3; order++) {
          int64_t to = MOVED_AT + lists[list], rows = order ? 16 : 14,
                  columns = order == 2 ? 32 : 27;
          fill_moved(expected, to, order);
          fill_moved(memory, to, order);
          uint64_t args[] = {ARG_ADDRESS(expected + MOVED_AT + xs[x]),
                             ARG_ADDRESS(expected + MOVED_AT), ARG_ADDRESS(expected + to),
                             (uint64_t)rows, (uint64_t)columns};
          uint64_t other[] = {ARG_ADDRESS(memory + MOVED_AT + xs[x]),
                              ARG_ADDRESS(memory + MOVED_AT), ARG_ADDRESS(memory + to),
                              (uint64_t)rows, (uint64_t)columns};
          run_both_named(moved_rows, names[form], (run_grid){1, 1, 1}, args, other);
          if (memcmp(expected, memory, sizeof memory))
            fail_msg("through %s: from %d on, list at %d, order %u", names[form], (int)xs[x],
                     (int)lists[list], order);
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_moved_rows),
      LEVELS(test_sharing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
