/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CK Tile's vocabulary over the block level, in C: sweeps, reductions and casts of tiles whose
 * sizes are no powers of two, and what is said of mistakes. examples/c/ck_tile.c has the kernels of
 * CK Tile's manual.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tessera/block_tile.h>
#include <tessera/ops.h>
#include <tessera/runtime.h>

#include "num/philox.h"

typedef struct fixture {
  tsr_context *ctx;
  tsr_builder *b;
  tsr_value zero, one;
  char said[2048];
} fixture;

static void hear(void *user, const tsr_diagnostic *d) {
  fixture *f = user;
  size_t n = strlen(f->said);
  snprintf(f->said + n, sizeof f->said - n, "%s\n", d->message);
}

/* A kernel of two pointers is open. */
static int set_up(void **state) {
  static fixture f;
  f = (fixture){.said = ""};
  tsr_context_options options = {
      .struct_size = sizeof options, .on_diagnostic = hear, .diagnostic_user = &f};
  f.ctx = tsr_context_create(&options);
  f.b = tsr_builder_create(f.ctx, "built");
  tsr_type pointer = tsr_type_pointer(f.b, TSR_F32), i32 = tsr_type_scalar(f.b, TSR_I32);
  tsr_build_threads(f.b, tsr_build_entry(f.b, "k", TSR_TYPES(pointer, pointer)), 64);
  f.zero = tsr_build_int(f.b, i32, 0);
  f.one = tsr_build_int(f.b, i32, 1);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  tsr_builder_destroy(f->b);
  tsr_context_destroy(f->ctx);
  return 0;
}

static tsr_module *finish(fixture *f) {
  tsr_build_end(f->b);
  tsr_module *m = tsr_builder_finish(f->b);
  f->b = NULL;
  if (!m) fail_msg("%s", f->said);
  return m;
}

static void run_grid(fixture *f, tsr_module *m, uint32_t blocks, float *from, float *to) {
  tsr_device_options options = {.struct_size = sizeof options, .sanitize = TSR_SANITIZE_ALL};
  tsr_device *device = tsr_device_open(f->ctx, "interp", &options);
  tsr_program *program = tsr_program_create(device, m);
  tsr_kernel *kernel = tsr_kernel_get(program, NULL);
  assert_non_null(kernel);
  tsr_arg args[] = {tsr_arg_address(from), tsr_arg_address(to)};
  assert_int_equal(tsr_launch(kernel, (tsr_grid){blocks, 1, 1}, args, 2), TSR_OK);
  tsr_program_destroy(program);
  tsr_device_close(device);
  tsr_module_destroy(m);
}

static void run(fixture *f, tsr_module *m, float *from, float *to) {
  run_grid(f, m, 1, from, to);
}

static tsr_block_window window(fixture *f, size_t arg, int64_t rows, int64_t columns,
                               const tsr_layout *l) {
  tsr_type i32 = tsr_type_scalar(f->b, TSR_I32);
  tsr_value m = tsr_build_int(f->b, i32, rows), n = tsr_build_int(f->b, i32, columns);
  tsr_value view = tsr_block_tensor_view(f->b, tsr_build_arg(f->b, arg), TSR_VALUES(m, n),
                                         TSR_VALUES(n, f->one));
  return tsr_block_tile_window(f->b, view, TSR_VALUES(f->zero, f->zero), l);
}

/* 100 * row + column, where the element is not 3. */
static tsr_value place(tsr_builder *b, tsr_value element, tsr_values index, void *user) {
  int *calls = user;
  ++*calls;
  tsr_type i32 = tsr_value_type(index.data[0]), f32 = tsr_value_type(element);
  tsr_value row = tsr_build_muli(b, index.data[0], tsr_build_int(b, i32, 100));
  tsr_value at = tsr_build_itof(b, tsr_build_addi(b, row, index.data[1]), TSR_SIGNED, f32);
  tsr_value is =
      tsr_build_cmpf(b, element, tsr_build_real(b, f32, 3), TSR_CMP_EQUAL, TSR_CMP_ORDERED);
  return tsr_build_select(b, is, element, at);
}

static void test_sweep(void **state) {
  fixture *f = *state;
  static float from[24 * 8], to[24 * 8];
  int calls = 0;
  for (int i = 0; i < 24 * 8; i++) from[i] = (float)(i % 5);
  tsr_layout l = tsr_block_distribution(f->b, "local(3, 1).spatial(8, 8)");
  tsr_block_window in = window(f, 0, 24, 8, &l), out = window(f, 1, 24, 8, &l);
  tsr_value tile = tsr_block_load_tile(f->b, &in);
  tsr_block_store_tile(f->b, &out, tsr_block_sweep_tile(f->b, tile, place, &calls));
  run(f, finish(f), from, to);
  assert_int_equal(calls, 1);
  for (int i = 0; i < 24 * 8; i++)
    assert_true(to[i] == (i % 5 == 3 ? 3.0f : (float)(i / 8 * 100 + i % 8)));
}

/* The largest of each row, the least of each column, as whole numbers and back. */
static void test_reductions(void **state) {
  fixture *f = *state;
  static float from[24 * 8], to[24 * 8];
  for (int i = 0; i < 24 * 8; i++) from[i] = (float)(i * 29 % 97 - 48);
  tsr_layout l = tsr_block_distribution(f->b, "local(3, 1).spatial(8, 8)");
  tsr_block_window in = window(f, 0, 24, 8, &l), out = window(f, 1, 24, 8, &l);
  tsr_value tile = tsr_block_load_tile(f->b, &in);
  tsr_value whole = tsr_block_cast_tile(f->b, tile, TSR_I16);
  tsr_value high = tsr_block_reduce_tile(f->b, whole, 1, TSR_BLOCK_MAX);
  tsr_value low = tsr_block_reduce_tile(f->b, tile, 0, TSR_BLOCK_MIN);
  tsr_value wide = tsr_block_cast_tile(f->b, tsr_block_spread_tile(f->b, high, 1, tile), TSR_I32);
  tsr_value sum = tsr_build_addf(f->b, tsr_block_cast_tile(f->b, wide, TSR_F32),
                                 tsr_block_spread_tile(f->b, low, 0, tile));
  tsr_block_store_tile(f->b, &out, sum);
  run(f, finish(f), from, to);
  for (int i = 0; i < 24 * 8; i++) {
    float row = -99, column = 99;
    for (int k = 0; k < 8; k++) row = row > from[i / 8 * 8 + k] ? row : from[i / 8 * 8 + k];
    for (int k = 0; k < 24; k++)
      column = column < from[k * 8 + i % 8] ? column : from[k * 8 + i % 8];
    assert_true(to[i] == row + column);
  }
}

/* Slots of a preshuffled tile begin at multiples of what its XOR permutes. */
static void test_slots(void **state) {
  fixture *f = *state;
  tsr_descriptor d;
  assert_int_equal(tsr_descriptor_xor_preshuffle(&d, 8, 32, 8, 1, NULL), TSR_OK);
  tsr_value lds = tsr_block_lds_view(f->b, TSR_F16, 3, &d);
  tsr_block_window w = tsr_block_lds_window(f->b, lds, f->one, NULL);
  const tsr_memory_layout *whole = tsr_type_memory_layout(tsr_value_type(lds));
  const tsr_memory_layout *part = tsr_type_memory_layout(tsr_value_type(w.storage));
  assert_int_equal(part->rank, 2);
  for (int32_t i = 0; i < 8 * 32; i++) {
    int64_t at = tsr_descriptor_offset(&d, (int64_t[]){i / 32, i % 32}, NULL);
    assert_int_equal(tsr_memory_offset(part, (int32_t[]){i / 32, i % 32}), at);
    assert_int_equal(tsr_memory_offset(whole, (int32_t[]){2, i / 32, i % 32}), 512 + at);
  }
  assert_false(tsr_builder_failed(f->b));
}

static tsr_value random_at(fixture *f, tsr_value tile) {
  tsr_type i64 = tsr_type_with_elem(f->b, tsr_value_type(tile), TSR_I64);
  tsr_value seed = tsr_build_int(f->b, tsr_type_scalar(f->b, TSR_I64), 7);
  return tsr_build_philox(f->b, seed, tsr_build_int(f->b, i64, 3));
}

/* Three tile blocks take turns at a word; each adds random words to what the last one left. */
static void test_semaphore(void **state) {
  fixture *f = *state;
  static float turn[1];
  static float sums[64];
  tsr_builder *b = f->b;
  tsr_layout l = tsr_block_distribution(b, "spatial(1, 64)");
  tsr_value word = tsr_build_ptr_to_ptr(b, tsr_build_arg(b, 0), tsr_type_pointer(b, TSR_I32));
  tsr_value block = tsr_build_get_tile_block_id(b);
  tsr_block_window w = window(f, 1, 1, 64, &l);
  tsr_block_semaphore_wait(b, word, block);
  tsr_value tile = tsr_block_load_tile(b, &w), words = random_at(f, tile);
  tsr_value few =
      tsr_build_andi(b, tsr_result_of(words, 3), tsr_build_int(b, tsr_value_type(words), 0xff));
  tile = tsr_build_addf(b, tile, tsr_block_cast_tile(b, few, TSR_F32));
  tsr_block_store_tile(b, &w, tile);
  tsr_block_semaphore_release(b, word, tsr_build_addi(b, block, f->one));
  run_grid(f, finish(f), 3, turn, sums);
  uint32_t counter[4] = {3};
  num_philox(counter, 7, PHILOX_ROUNDS);
  for (int i = 0; i < 64; i++) assert_true(sums[i] == (float)(3 * (counter[3] & 0xff)));
}

/* Whoever has the lock adds 1. */
static void test_lock(void **state) {
  fixture *f = *state;
  static float word[1], sums[64];
  tsr_layout l = tsr_block_distribution(f->b, "spatial(1, 64)");
  tsr_value lock =
      tsr_build_ptr_to_ptr(f->b, tsr_build_arg(f->b, 0), tsr_type_pointer(f->b, TSR_I32));
  tsr_block_window w = window(f, 1, 1, 64, &l);
  tsr_block_semaphore_lock(f->b, lock);
  tsr_value one = tsr_block_filled_tile(f->b, TSR_F32, &l, 1);
  tsr_block_store_tile(f->b, &w, tsr_build_addf(f->b, tsr_block_load_tile(f->b, &w), one));
  tsr_block_semaphore_release(f->b, lock, f->zero);
  run_grid(f, finish(f), 5, word, sums);
  for (int i = 0; i < 64; i++) assert_true(sums[i] == 5);
}

/* The words of the generator's authors. */
static void test_random_words(void **state) {
  (void)state;
  uint32_t zeros[4] = {0}, ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  uint32_t pi[4] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  num_philox(zeros, 0, PHILOX_ROUNDS);
  num_philox(ones, UINT64_MAX, PHILOX_ROUNDS);
  num_philox(pi, UINT64_C(0x299f31d0a4093822), PHILOX_ROUNDS);
  assert_int_equal(zeros[0], 0x6627e8d5);
  assert_int_equal(zeros[3], 0x9b00dbd8);
  assert_int_equal(ones[0], 0x408f276d);
  assert_int_equal(ones[3], 0x6d5451fd);
  assert_int_equal(pi[0], 0xd16cfe09);
  assert_int_equal(pi[3], 0x24126ea1);
}

#define SAYS(call, message)                                                                        \
  do {                                                                                             \
    fixture *f = *state;                                                                           \
    f->said[0] = 0;                                                                                \
    (void)(call);                                                                                  \
    if (!strstr(f->said, message)) fail_msg("expected '%s', but heard '%s'", message, f->said);    \
    tear_down(state);                                                                              \
    set_up(state);                                                                                 \
  } while (0)
#define B (((fixture *)*state)->b)
#define Z (((fixture *)*state)->zero)

static void test_mistakes(void **state) {
  tsr_layout l;
  tsr_descriptor d;
  tsr_layout_spatial(&l, 2, (int32_t[]){8, 8}, NULL, NULL);
  tsr_descriptor_strided(&d, 1, (int64_t[]){8}, (int64_t[]){1}, 3, NULL);
  tsr_block_window none = {.storage = NULL};
  SAYS(tsr_block_distribution(B, "row_major(2, 2)"), "expected a distribution, found 'row_major");
  SAYS(tsr_block_distribution(B, "spatial(2"), "tsr_block_distribution: expected a distribution");
  SAYS(tsr_block_tensor_view(B, Z, TSR_VALUES(Z), TSR_VALUES(Z)),
       "expected a pointer and a length");
  SAYS(tsr_block_tensor_view(B, tsr_build_arg(B, 0), TSR_VALUES(Z, Z), TSR_VALUES(Z)),
       "found 2 lengths and 1 strides");
  SAYS(tsr_block_tile_window(B, Z, TSR_VALUES(Z), &l), "tsr_block_tile_window: expected a tensor");
  SAYS(tsr_block_lds_view(B, TSR_F32, 0, &d), "the descriptor is no memory layout");
  SAYS(tsr_block_lds_window(B, Z, NULL, NULL), "tsr_block_lds_window: expected shared memory");
  SAYS((tsr_block_semaphore_lock(B, Z), 0),
       "tsr_block_semaphore_lock: expected a pointer to an i32");
  SAYS(tsr_block_load_tile(B, &none), "tsr_block_load_tile: the window is missing");
  SAYS((tsr_block_move_tile_window(B, &none, TSR_VALUES(Z)), 0),
       "expected a window of global memory");
  SAYS(tsr_block_reduce_tile(B, Z, 0, TSR_BLOCK_SUM), "expected a tile with a distribution");
  SAYS(tsr_block_reduce_tile(B, tsr_block_filled_tile(B, TSR_F32, &l, 0), 2, TSR_BLOCK_SUM),
       "tsr_block_reduce_tile: dimension 2 of a tile of rank 2");
  SAYS(tsr_block_gemm_distribution(B, "mma.m1n1k1", 16, 8, 1, 1), "no fragment 'mma.m1n1k1.C'");
  SAYS(tsr_block_gemm_distribution(B, "mma.m16n8k16", 48, 8, 2, 1),
       "48 is no multiple of 2 warps times 16");
}

/* What is built behind a mistake is left out without a word. */
static void test_silence(void **state) {
  fixture *f = *state;
  tsr_layout l = tsr_block_distribution(f->b, "nothing");
  size_t said = strlen(f->said);
  tsr_block_window w = window(f, 0, 8, 8, &l);
  assert_null(w.storage);
  assert_null(tsr_block_load_tile(f->b, &w));
  assert_null(tsr_block_gemm(f->b, &w, &w, NULL));
  tsr_block_move_tile_window(f->b, &w, TSR_VALUES(f->one, f->one));
  assert_null(tsr_block_epilogue_store(f->b, &w, NULL));
  assert_int_equal(strlen(f->said), said);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_sweep, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_reductions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_slots, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_semaphore, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_lock, set_up, tear_down),
      cmocka_unit_test(test_random_words),
      cmocka_unit_test_setup_teardown(test_mistakes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_silence, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
