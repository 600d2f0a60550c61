/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order in which one thread executes the tile blocks of a plane (cpu/plan/grid.c): along y
 * where that is how memory continues, else along x. Every tile block writes its x to the place x +
 * y, where several meet; what stays there says who came last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tessera/tessera.h>

#include "run_program.h"

enum { SIDE = 3, PLACES = 2 * SIDE - 1, MOST_SIDE = 4 };

static const int32_t along_x[PLACES] = {0, 0, 0, 1, 2}, along_y[PLACES] = {0, 1, 2, 2, 2};

static void say(void *user, const tsr_diagnostic *d) {
  (void)user;
  fail_msg("%s", d->message);
}

/* Copies a matrix of SIDE x SIDE tiles, tile block (x, y) the tile `index`, where the dimension
 * with a stride of 1 is as `strides` say; `more` is put after that. */
static const char *const program =
    "!matrix = !cuda_tile.tensor_view<24x24xf32, strides=[%s]>\n"
    "!tiles = !cuda_tile.partition_view<tile=(8x8), tensor_view<24x24xf32, strides=[%s]>>\n"
    "!places = !cuda_tile.partition_view<tile=(1), tensor_view<5xi32, strides=[1]>>\n"
    "cuda_tile.module @m {\n"
    "  entry @k(%%A: tile<ptr<f32>>, %%B: tile<ptr<f32>>, %%P: tile<ptr<i32>>) {\n"
    "    %%x, %%y, %%z = get_tile_block_id : tile<i32>\n"
    "    %%a = make_tensor_view %%A, shape = [24, 24], strides = [%s] : !matrix\n"
    "    %%b = make_tensor_view %%B, shape = [24, 24], strides = [%s] : !matrix\n"
    "    %%p = make_tensor_view %%P, shape = [5], strides = [1] : tensor_view<5xi32, "
    "strides=[1]>\n"
    "    %%from = make_partition_view %%a : !tiles\n"
    "    %%to = make_partition_view %%b : !tiles\n"
    "    %%places = make_partition_view %%p : !places\n"
    "    %%v, %%t0 = load_view_tko weak %%from[%s] : !tiles, tile<i32> -> tile<8x8xf32>, token\n"
    "    %%t1 = store_view_tko weak %%v, %%to[%s] : tile<8x8xf32>, !tiles, tile<i32> -> token\n"
    "    %%at = addi %%x, %%y : tile<i32>\n"
    "    %%me = reshape %%x : tile<i32> -> tile<1xi32>\n"
    "    %%t2 = store_view_tko weak %%me, %%places[%%at] : tile<1xi32>, !places, tile<i32> -> "
    "token\n"
    "%s  }\n}\n";

/* Launches side x side tile blocks with three arguments: two memories and the places. */
static void launch(const char *text, void *from, void *to, uint32_t side, unsigned group,
                   const int32_t *places) {
  int32_t last[2 * MOST_SIDE - 1] = {0};
  tsr_context *context = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options), .on_diagnostic = say});
  tsr_device_options options = {
      .struct_size = sizeof options, .threads = 1, .block_group = group, .cache_dir = ""};
  tsr_device *device = tsr_device_open(context, "cpu", &options);
  tsr_module *module = tsr_module_parse(context, text, strlen(text), "grid", TSR_PARSE_DEFAULT);
  tsr_module_set_level(module, 0); /* passes would drop an assert that holds */
  tsr_program *made = tsr_program_create(device, module);
  tsr_arg args[] = {tsr_arg_address(from), tsr_arg_address(to), tsr_arg_address(last)};
  tsr_status status = tsr_launch(tsr_kernel_get(made, "k"), (tsr_grid){side, side, 1}, args, 3);
  assert_int_equal(status, TSR_OK);
  assert_memory_equal(last, places, (2 * side - 1) * sizeof *last);
  tsr_program_destroy(made);
  tsr_module_destroy(module);
  tsr_device_close(device);
  tsr_context_destroy(context);
}

static void expect(const char *strides, const char *index, const char *more, unsigned group,
                   const int32_t *places) {
  enum { ELEMENTS = SIDE * SIDE * 64 };
  static float from[ELEMENTS], to[ELEMENTS];
  char text[4096];
  snprintf(text, sizeof text, program, strides, strides, strides, strides, index, index, more);
  for (int i = 0; i < ELEMENTS; i++) from[i] = (float)i, to[i] = -1;
  launch(text, from, to, SIDE, group, places);
  assert_memory_equal(from, to, sizeof from);
}

static void memory_goes_on_along_x(void **state) {
  (void)state;
  expect("24,1", "%y, %x", "", 0, along_x);
  expect("1,24", "%x, %y", "", 0, along_x);
}

static void memory_goes_on_along_y(void **state) {
  (void)state;
  expect("24,1", "%x, %y", "", 0, along_y);
  expect("1,24", "%y, %x", "", 0, along_y);
}

/* Whoever asks for bands gets bands: of one row, the order of the grid. */
static void bands_go_before(void **state) {
  (void)state;
  expect("24,1", "%x, %y", "", 1, along_x);
  expect("24,1", "%y, %x", "", SIDE, along_y);
}

/* Y = X transposed, in 4 x 4 tiles; what is stored has rows of 1 KB, of which a tile has $w and the
 * matrix $n. */
static const char *const turning =
    "!from = !cuda_tile.partition_view<tile=(128x$w), tensor_view<512x$nxf64, strides=[$n,1]>>\n"
    "!to = !cuda_tile.partition_view<tile=($wx128), tensor_view<$nx512xf64, strides=[512,1]>>\n"
    "!places = !cuda_tile.partition_view<tile=(1), tensor_view<7xi32, strides=[1]>>\n"
    "cuda_tile.module @m {\n"
    "  entry @k(%A: tile<ptr<f64>>, %B: tile<ptr<f64>>, %P: tile<ptr<i32>>) {\n"
    "    %x, %y, %z = get_tile_block_id : tile<i32>\n"
    "    %a = make_tensor_view %A, shape = [512, $n], strides = [$n, 1] : "
    "tensor_view<512x$nxf64, strides=[$n,1]>\n"
    "    %b = make_tensor_view %B, shape = [$n, 512], strides = [512, 1] : "
    "tensor_view<$nx512xf64, strides=[512,1]>\n"
    "    %p = make_tensor_view %P, shape = [7], strides = [1] : "
    "tensor_view<7xi32, strides=[1]>\n"
    "    %from = make_partition_view %a : !from\n"
    "    %to = make_partition_view %b : !to\n"
    "    %places = make_partition_view %p : !places\n"
    "    %v, %t0 = load_view_tko weak %from[%$r, %$c] : !from, tile<i32> -> "
    "tile<128x$wxf64>, token\n"
    "    %w = permute %v [1, 0] : tile<128x$wxf64> -> tile<$wx128xf64>\n"
    "    %t1 = store_view_tko weak %w, %to[%$c, %$r] : tile<$wx128xf64>, !to, tile<i32> -> "
    "token\n"
    "    %at = addi %x, %y : tile<i32>\n"
    "    %me = reshape %x : tile<i32> -> tile<1xi32>\n"
    "    %t2 = store_view_tko weak %me, %places[%at] : tile<1xi32>, !places, tile<i32> -> "
    "token\n  }\n}\n";

static void expect_turned(const char *row, const char *column, int width, unsigned group,
                          const int32_t *places) {
  enum { MOST = 4 * 128 };
  static double from[512 * MOST], to[512 * MOST];
  char text[4096];
  char of_tile[16], of_matrix[16];
  int columns = 4 * width;
  snprintf(of_tile, sizeof of_tile, "%d", width);
  snprintf(of_matrix, sizeof of_matrix, "%d", columns);
  const run_blank blanks[] = {{'r', row}, {'c', column}, {'w', of_tile}, {'n', of_matrix}, {0}};
  run_fill(text, sizeof text, turning, blanks);
  for (int i = 0; i < 512 * columns; i++) from[i] = i, to[i] = -1;
  launch(text, from, to, 4, group, places);
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < columns; j++) assert_true(to[j * 512 + i] == from[i * columns + j]);
}

/* Two tile blocks along the rows that are written, then the next two along those that are read; of
 * large tiles only one. */
static void transposing_goes_in_bands(void **state) {
  (void)state;
  static const int32_t of_columns[7] = {0, 0, 2, 2, 2, 2, 3}, of_rows[7] = {0, 1, 0, 1, 2, 3, 3},
                       forward[7] = {0, 0, 0, 0, 1, 2, 3}, backward[7] = {0, 1, 2, 3, 3, 3, 3};
  expect_turned("x", "y", 2, 0, of_columns);
  expect_turned("y", "x", 2, 0, of_rows);
  expect_turned("x", "y", 64, 0, of_columns);
  expect_turned("y", "x", 128, 0, forward);
  expect_turned("x", "y", 128, 0, backward);
  expect_turned("x", "y", 2, 1, forward);
}

/* Each row of B is one number of A: so little is read across that it doesn't count. */
static void little_is_read_across(void **state) {
  (void)state;
  static const char text[] =
      "!from = !cuda_tile.partition_view<tile=(16), tensor_view<64xf64, strides=[1]>>\n"
      "!to = !cuda_tile.partition_view<tile=(16x128), tensor_view<64x512xf64, strides=[512,1]>>\n"
      "!places = !cuda_tile.partition_view<tile=(1), tensor_view<7xi32, strides=[1]>>\n"
      "cuda_tile.module @m {\n"
      "  entry @k(%A: tile<ptr<f64>>, %B: tile<ptr<f64>>, %P: tile<ptr<i32>>) {\n"
      "    %x, %y, %z = get_tile_block_id : tile<i32>\n"
      "    %a = make_tensor_view %A, shape = [64], strides = [1] : "
      "tensor_view<64xf64, strides=[1]>\n"
      "    %b = make_tensor_view %B, shape = [64, 512], strides = [512, 1] : "
      "tensor_view<64x512xf64, strides=[512,1]>\n"
      "    %p = make_tensor_view %P, shape = [7], strides = [1] : "
      "tensor_view<7xi32, strides=[1]>\n"
      "    %from = make_partition_view %a : !from\n"
      "    %to = make_partition_view %b : !to\n"
      "    %places = make_partition_view %p : !places\n"
      "    %v, %t0 = load_view_tko weak %from[%x] : !from, tile<i32> -> tile<16xf64>, token\n"
      "    %r = reshape %v : tile<16xf64> -> tile<16x1xf64>\n"
      "    %w = broadcast %r : tile<16x1xf64> -> tile<16x128xf64>\n"
      "    %t1 = store_view_tko weak %w, %to[%x, %y] : tile<16x128xf64>, !to, tile<i32> -> token\n"
      "    %at = addi %x, %y : tile<i32>\n"
      "    %me = reshape %x : tile<i32> -> tile<1xi32>\n"
      "    %t2 = store_view_tko weak %me, %places[%at] : tile<1xi32>, !places, tile<i32> -> "
      "token\n  }\n}\n";
  static const int32_t along_y_of_4[7] = {0, 1, 2, 3, 3, 3, 3};
  static double from[64], to[64 * 512];
  for (int i = 0; i < 64; i++) from[i] = i;
  launch(text, from, to, 4, 0, along_y_of_4);
  for (int i = 0; i < 64 * 512; i++) assert_true(to[i] == from[i / 512]);
}

/* Tile blocks that could wait for each other, and failed asserts, have the order of the grid. */
static void effects_keep_the_order(void **state) {
  (void)state;
  expect("24,1", "%x, %y",
         "    %one = constant <i32: 0> : tile<i32>\n"
         "    %old, %t3 = atomic_rmw_tko relaxed device %P, add, %one : tile<ptr<i32>>, "
         "tile<i32> -> tile<i32>, token\n",
         0, along_x);
  expect("24,1", "%x, %y",
         "    %yes = constant <i1: true> : tile<i1>\n"
         "    assert %yes, \"never\" : tile<i1>\n",
         0, along_x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_goes_on_along_x), cmocka_unit_test(memory_goes_on_along_y),
      cmocka_unit_test(bands_go_before),        cmocka_unit_test(transposing_goes_in_bands),
      cmocka_unit_test(little_is_read_across),  cmocka_unit_test(effects_keep_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
