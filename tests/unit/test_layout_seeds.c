/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The numeric examples of the Tilus guide (T: its section) and of CK Tile's manual (CK: its
 * section) that no other layout test has. Where an example does not hold, the test says why and
 * checks what does.
 */
#include <tessera/window.h>

#include "num/num.h"
#include "test_layout.h"

#define DIMS(...)                                                                                  \
  (int64_t[]) {                                                                                    \
    __VA_ARGS__                                                                                    \
  }

static uint64_t f32(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static void expect_dims(const char *where, uint32_t n, const int64_t *have, const int64_t *want) {
  for (uint32_t i = 0; i < n; i++)
    if (have[i] != want[i])
      fail_msg("%s: index %u is %lld, not %lld", where, i, (long long)have[i], (long long)want[i]);
}

static int64_t at2(const tsr_descriptor *d, int64_t i, int64_t j) {
  bool valid;
  int64_t offset = tsr_descriptor_offset(d, DIMS(i, j), &valid);
  assert_true(valid);
  return offset;
}

static int64_t at4(const tsr_descriptor *d, int64_t i, int64_t j, int64_t k, int64_t l) {
  bool valid;
  int64_t offset = tsr_descriptor_offset(d, DIMS(i, j, k, l), &valid);
  assert_true(valid);
  return offset;
}

/* ---- the Tilus guide ------------------------------------------------------------------------ */

/* T 2: [3, 4] in modes [3, 2, 2]. The split stays only where it is used: two neighbours that follow
 * each other in one list are one mode in the canonical form. */
static void test_tilus_split(void **state) {
  (void)state;
  tsr_layout l;
  OK(tsr_layout_make(&l, LIST(3, 4), LIST(3, 2, 2), LIST(1), LIST(0, 2), err));
  assert_int_equal(l.modes, 3);
  assert_int_equal(l.mode_shape[0], 3);
  assert_int_equal(l.mode_shape[1], 2);
  assert_int_equal(l.mode_shape[2], 2);
  OK(tsr_layout_make(&l, LIST(3, 4), LIST(3, 2, 2), 0, (int32_t[]){0}, LIST(0, 1, 2), err));
  assert_int_equal(l.modes, 2);
  assert_int_equal(l.mode_shape[1], 4);
  /* T 13: a mode belongs to one of the lists. */
  tsr_layout_error error;
  assert_int_not_equal(
      tsr_layout_make(&l, LIST(3, 4), LIST(3, 2, 2), LIST(0, 1), LIST(1, 2), &error), TSR_OK);
  assert_int_equal(error.mode, 1);
}

/* T 7 and T 8: the printed tables, "worker:slot" of every element. */
static void test_tilus_tables(void **state) {
  (void)state;
  static const struct {
    const char *where;
    tsr_status (*make)(tsr_layout *, uint32_t, const int32_t *, const int32_t *,
                       tsr_layout_error *);
    bool columns;
    int32_t rows, cols, worker[12], slot[12];
  } cases[] = {
      {"T 7 spatial(3, 4)",
       tsr_layout_spatial,
       false,
       3,
       4,
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
       {0}},
      {"T 8 local(2, 3)", tsr_layout_local, false, 2, 3, {0}, {0, 1, 2, 3, 4, 5}},
      {"T 8 column_local(2, 3)", tsr_layout_local, true, 2, 3, {0}, {0, 2, 4, 1, 3, 5}},
      {"T 8 spatial(2, 3)", tsr_layout_spatial, false, 2, 3, {0, 1, 2, 3, 4, 5}, {0}},
      {"T 8 column_spatial(2, 3)", tsr_layout_spatial, true, 2, 3, {0, 2, 4, 1, 3, 5}, {0}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int32_t shape[2] = {cases[k].rows, cases[k].cols}, ranks[2] = {1, 0};
    tsr_layout l;
    OK(cases[k].make(&l, 2, shape, cases[k].columns ? ranks : NULL, err));
    for (int32_t i = 0; i < shape[0] * shape[1]; i++) {
      int32_t index[2] = {i / shape[1], i % shape[1]}, worker = -1;
      assert_int_equal(tsr_layout_get_spatial(&l, index, &worker, 1), 1);
      int32_t slot = tsr_layout_get_local(&l, index);
      if (worker != cases[k].worker[i] || slot != cases[k].slot[i])
        fail_msg("%s: (%d, %d) is %d:%d", cases[k].where, index[0], index[1], worker, slot);
    }
  }
}

/* ---- CK: views and descriptors -------------------------------------------------------------- */

/* CK 7.4.4 to 7.4.7. */
static void test_views(void **state) {
  (void)state;
  float data[12];
  for (int i = 0; i < 12; i++) data[i] = (float)i;
  tsr_descriptor row, column, transposed;
  OK(tsr_descriptor_packed(&row, 2, DIMS(3, 4), err));
  tsr_descriptor strided;
  OK(tsr_descriptor_strided(&strided, 2, DIMS(3, 4), DIMS(4, 1), 0, err));
  for (int64_t i = 0; i < 12; i++)
    assert_int_equal(at2(&row, i / 4, i % 4), at2(&strided, i / 4, i % 4));
  tsr_tensor_view view = {tsr_buffer_view_make(data, TSR_F32, 12, TSR_SPACE_GLOBAL), &row};
  tsr_coordinate c;
  uint64_t v[4];
  tsr_coordinate_make(&c, &row, DIMS(1, 2)); /* 7.4.4: reads 6 */
  tsr_tensor_get(&view, &c, 1, v);
  assert_int_equal(v[0], f32(6));
  tsr_coordinate_make(&c, &row, DIMS(2, 1)); /* 7.4.4: 99 goes to element 9 */
  tsr_tensor_update(&view, TSR_MEMORY_SET, &c, 1, (uint64_t[]){f32(99)});
  assert_float_equal(data[9], 99, 0);
  /* 7.4.5 says that row_major(1, 2), col_major(2, 1) and transposed(2, 1) are the same element. The
   * first and the last are, number 6; the column-major view is of shape 3 x 4 with strides (1, 3),
   * so that its (2, 1) is number 5 and its number 6 is at (0, 2). */
  OK(tsr_descriptor_strided(&column, 2, DIMS(3, 4), DIMS(1, 3), 0, err));
  OK(tsr_descriptor_strided(&transposed, 2, DIMS(4, 3), DIMS(1, 4), 0, err));
  assert_int_equal(at2(&row, 1, 2), 6);
  assert_int_equal(at2(&transposed, 2, 1), 6);
  assert_int_equal(at2(&column, 2, 1), 5);
  assert_int_equal(at2(&column, 0, 2), 6);
  /* 7.4.6: rows 2..6 and columns 3..7 of 10 x 10. The manual passes the origin where the mapping of
   * dimensions belongs, to two pass-throughs; slices are what does it. */
  tsr_descriptor d;
  OK(tsr_descriptor_packed(&d, 2, DIMS(10, 10), err));
  tsr_transform_step slice[] = {
      {.transform = tsr_transform_slice(10, 2, 7), .from = {0}, .to = {0}},
      {.transform = tsr_transform_slice(10, 3, 8), .from = {1}, .to = {1}}};
  OK(tsr_descriptor_transform(&d, &d, 2, slice, err));
  assert_int_equal(tsr_descriptor_length(&d, 0), 5);
  assert_int_equal(tsr_descriptor_length(&d, 1), 5);
  for (int64_t i = 0; i < 25; i++)
    assert_int_equal(at2(&d, i / 5, i % 5), (i / 5 + 2) * 10 + i % 5 + 3);
  /* 7.4.6: a vector of 4 from (4, 0) of 16 x 16, doubled. */
  float square[256];
  for (int i = 0; i < 256; i++) square[i] = (float)i;
  OK(tsr_descriptor_packed(&d, 2, DIMS(16, 16), err));
  view = (tsr_tensor_view){tsr_buffer_view_make(square, TSR_F32, 256, TSR_SPACE_GLOBAL), &d};
  tsr_coordinate_make(&c, &d, DIMS(4, 0));
  tsr_tensor_get(&view, &c, 4, v);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(v[i], f32((float)(64 + i)));
    v[i] = f32((float)(2 * (64 + i)));
  }
  tsr_tensor_update(&view, TSR_MEMORY_SET, &c, 4, v);
  for (int i = 0; i < 256; i++) assert_float_equal(square[i], i >= 64 && i < 68 ? 2 * i : i, 0);
  OK(tsr_descriptor_strided(&d, 2, DIMS(256, 256), DIMS(256, 1), 0, err)); /* 7.4.7 */
  assert_int_equal(at2(&d, 5, 10), 1290);
}

/* CK 7.8.3, 7.8.7, 7.9.5, 7.16.3. */
static void test_adaptors(void **state) {
  (void)state;
  /* 7.8.3: dimensions [2, 0, 1]. The manual calls (0, 1, 2) a top index and (2, 0, 1) what becomes
   * of it; it is the other way round: (2, 0, 1) on top comes from (0, 1, 2) below. */
  tsr_descriptor a;
  int64_t x[3];
  OK(tsr_adaptor_identity(&a, 3, DIMS(3, 3, 3), err));
  tsr_transform_step turn[3];
  for (uint8_t i = 0; i < 3; i++)
    turn[i] = (tsr_transform_step){
        .transform = tsr_transform_pass_through(3), .from = {(uint8_t)((i + 2) % 3)}, .to = {i}};
  OK(tsr_descriptor_transform(&a, &a, 3, turn, err));
  assert_true(tsr_adaptor_top(&a, DIMS(0, 1, 2), x));
  expect_dims("CK 7.8.3", 3, x, DIMS(2, 0, 1));
  tsr_adaptor_bottom(&a, DIMS(0, 1, 2), x);
  expect_dims("CK 7.8.3", 3, x, DIMS(1, 2, 0));
  OK(tsr_adaptor_identity(&a, 2, DIMS(4, 4), err)); /* 7.16.3: (2, 3) <-> (3, 2) */
  tsr_transform_step swap[2] = {
      {.transform = tsr_transform_pass_through(4), .from = {0}, .to = {1}},
      {.transform = tsr_transform_pass_through(4), .from = {1}, .to = {0}}};
  OK(tsr_descriptor_transform(&a, &a, 2, swap, err));
  tsr_adaptor_bottom(&a, DIMS(2, 3), x);
  expect_dims("CK 7.16.3", 2, x, DIMS(3, 2));
  /* 7.8.7: 64 x 64 as 8 x 8 threads of 8 x 8 elements, [TM, TN, VM, VN]. */
  tsr_descriptor d;
  OK(tsr_descriptor_packed(&d, 2, DIMS(64, 64), err));
  tsr_transform_step block[] = {
      {.transform = tsr_transform_unmerge(2, DIMS(8, 8)), .from = {0}, .to = {0, 2}},
      {.transform = tsr_transform_unmerge(2, DIMS(8, 8)), .from = {1}, .to = {1, 3}}};
  OK(tsr_descriptor_transform(&d, &d, 2, block, err));
  for (int64_t i = 0; i < 4096; i++) {
    int64_t tm = i / 512, tn = i / 64 % 8, vm = i / 8 % 8, vn = i % 8;
    assert_int_equal(at4(&d, tm, tn, vm, vn), (tm * 8 + vm) * 64 + tn * 8 + vn);
  }
  /* 7.9.5: a scalar at each of the 12 positions of 3 x 4. */
  OK(tsr_descriptor_packed(&d, 1, DIMS(1), err));
  tsr_transform_step spread[] = {
      {.transform = tsr_transform_freeze(0), .from = {0}},
      {.transform = tsr_transform_replicate(2, DIMS(3, 4)), .to = {0, 1}}};
  OK(tsr_descriptor_transform(&d, &d, 2, spread, err));
  assert_int_equal(tsr_descriptor_length(&d, 0) * tsr_descriptor_length(&d, 1), 12);
  for (int64_t i = 0; i < 12; i++) assert_int_equal(at2(&d, i / 4, i % 4), 0);
}

/* CK 7.15.2: tiles and windows of a 6 x 6 matrix; 7.15.5: the windows as a 16 x 9 matrix. */
static void test_sliding_windows(void **state) {
  (void)state;
  tsr_descriptor d, columns;
  OK(tsr_descriptor_strided(&d, 4, DIMS(3, 3, 2, 2), DIMS(12, 2, 6, 1), 0, err));
  assert_int_equal(d.space, 36);
  for (int64_t i = 0; i < 36; i++) {
    int64_t row = i / 6, col = i % 6;
    assert_int_equal(at4(&d, row / 2, col / 2, row % 2, col % 2), i);
  }
  OK(tsr_descriptor_strided(&d, 4, DIMS(4, 4, 3, 3), DIMS(6, 1, 6, 1), 0, err));
  assert_int_equal(d.space, 36);
  assert_int_equal(at4(&d, 1, 0, 0, 0) - at4(&d, 0, 0, 0, 0), 6);
  assert_int_equal(at4(&d, 0, 1, 0, 0) - at4(&d, 0, 0, 0, 0), 1);
  for (int64_t i = 0; i < 144; i++) {
    int64_t oy = i / 36, ox = i / 9 % 4, ky = i / 3 % 3, kx = i % 3;
    assert_int_equal(at4(&d, oy, ox, ky, kx), (oy + ky) * 6 + ox + kx);
  }
  tsr_transform_step merge[] = {
      {.transform = tsr_transform_merge(2, DIMS(4, 4)), .from = {0, 1}, .to = {0}},
      {.transform = tsr_transform_merge(2, DIMS(3, 3)), .from = {2, 3}, .to = {1}}};
  OK(tsr_descriptor_transform(&d, &d, 2, merge, err));
  tsr_convolution c = {.height = 6,
                       .width = 6,
                       .channels = 1,
                       .kernel_height = 3,
                       .kernel_width = 3,
                       .stride_height = 1,
                       .stride_width = 1,
                       .dilation_height = 1,
                       .dilation_width = 1};
  int64_t height, width;
  OK(tsr_descriptor_im2col(&columns, &c, &height, &width, err));
  assert_int_equal(height, 4);
  assert_int_equal(width, 4);
  assert_int_equal(tsr_descriptor_length(&columns, 0), 16);
  assert_int_equal(tsr_descriptor_length(&columns, 1), 9);
  for (int64_t i = 0; i < 144; i++)
    assert_int_equal(at2(&columns, i / 9, i % 9), at2(&d, i / 9, i % 9));
}

/* Moves a coordinate and checks that it is where it should be, and that its offset follows. */
static void move_to(const char *where, const tsr_descriptor *d, tsr_coordinate *c,
                    const int64_t *step, const int64_t *want) {
  int64_t x[2];
  tsr_coordinate_move(c, d, step);
  tsr_coordinate_index(c, d, x);
  expect_dims(where, 2, x, want);
  assert_int_equal(tsr_coordinate_offset(c, d), tsr_descriptor_offset(d, want, NULL));
}

/* CK 7.16.2, 7.16.4, 7.16.5 and 7.19.7. */
static void test_movement(void **state) {
  (void)state;
  tsr_descriptor d;
  tsr_coordinate c;
  int64_t x[2];
  OK(tsr_descriptor_strided(&d, 2, DIMS(4, 3), DIMS(3, 1), 0, err));
  tsr_coordinate_make(&c, &d, DIMS(2, 1));
  tsr_coordinate_index(&c, &d, x);
  expect_dims("CK 7.16.2", 2, x, DIMS(2, 1));
  assert_int_equal(tsr_coordinate_offset(&c, &d), 7);
  /* 7.16.2 counts no hidden dimension. By 7.10.3's numbering, where memory is hidden dimension 0
   * and the logical ones follow, there are 3. */
  assert_int_equal(d.hidden, 3);
  /* 7.16.4: one element on, and at the end of a row by (1, -columns) to the next. */
  tsr_coordinate_make(&c, &d, DIMS(0, 0));
  for (int64_t i = 1; i < 12; i++) {
    tsr_coordinate_move(&c, &d, DIMS(0, 1));
    tsr_coordinate_index(&c, &d, x);
    if (x[1] >= 3) tsr_coordinate_move(&c, &d, DIMS(1, -3));
    assert_int_equal(tsr_coordinate_offset(&c, &d), i);
    assert_true(tsr_coordinate_valid(&c, &d));
  }
  /* 7.16.5: a 4 x 4 tile of 8 x 8, from the end of a row by (1, -(4 - 1)); then in a snake. */
  OK(tsr_descriptor_packed(&d, 2, DIMS(8, 8), err));
  tsr_coordinate_make(&c, &d, DIMS(2, 3));
  for (int64_t i = 1; i < 16; i++)
    move_to("CK 7.16.5 tile", &d, &c, i % 4 ? DIMS(0, 1) : DIMS(1, -3), DIMS(2 + i / 4, 3 + i % 4));
  tsr_coordinate_make(&c, &d, DIMS(0, 0));
  for (int64_t i = 1; i < 64; i++) {
    int64_t row = i / 8, col = row % 2 ? 7 - i % 8 : i % 8;
    move_to("CK 7.16.5 snake", &d, &c, i % 8 ? DIMS(0, row % 2 ? -1 : 1) : DIMS(1, 0),
            DIMS(row, col));
  }
  /* 7.19.7: the neighbours of the centre. */
  static const int64_t steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (int i = 0; i < 4; i++) {
    tsr_coordinate_make(&c, &d, DIMS(4, 4));
    move_to("CK 7.19.7", &d, &c, steps[i], DIMS(4 + steps[i][0], 4 + steps[i][1]));
  }
}

/* CK 7.18.2 (decoding), 7.18.3 and 7.18.4. */
static void test_morton_stages(void **state) {
  (void)state;
  tsr_descriptor d, morton;
  OK(tsr_descriptor_packed(&d, 2, DIMS(8, 8), err)); /* 7.18.3: 8 x 8 in tiles of 4 x 4 */
  tsr_transform_step tiles[] = {
      {.transform = tsr_transform_unmerge(2, DIMS(2, 4)), .from = {0}, .to = {0, 1}},
      {.transform = tsr_transform_unmerge(2, DIMS(2, 4)), .from = {1}, .to = {2, 3}}};
  OK(tsr_descriptor_transform(&d, &d, 2, tiles, err));
  for (int64_t i = 0; i < 64; i++)
    assert_int_equal(at4(&d, i / 8 / 4, i / 8 % 4, i % 8 / 4, i % 4), i);
  /* 7.18.4: y1 * 8 + x1 * 4 + y0 * 2 + x0. The manual's list of the merge, (y0, x0, y1, x1), has
   * the least significant pair first; a merge takes the most significant first. */
  OK(tsr_descriptor_strided(&d, 4, DIMS(2, 2, 2, 2), DIMS(8, 2, 4, 1), 0, err));
  tsr_transform_step bits[] = {
      {.transform = tsr_transform_merge(2, DIMS(2, 2)), .from = {0, 1}, .to = {0}},
      {.transform = tsr_transform_merge(2, DIMS(2, 2)), .from = {2, 3}, .to = {1}}};
  OK(tsr_descriptor_transform(&d, &d, 2, bits, err));
  OK(tsr_descriptor_morton(&morton, 4, 4, 4, err));
  for (int64_t i = 0; i < 16; i++) {
    int64_t x[2], y = (i >> 3 & 1) * 2 + (i >> 1 & 1), column = (i >> 2 & 1) * 2 + (i & 1);
    assert_int_equal(at2(&d, y, column), i);
    assert_int_equal(at2(&morton, y, column), i);
    assert_true(tsr_adaptor_top(&morton, &i, x)); /* 7.18.2: decoding */
    expect_dims("CK 7.18.2", 2, x, DIMS(y, column));
  }
}

/* ---- CK: distributions and windows ---------------------------------------------------------- */

/* What the examples of 7.11 to 7.14 mean: dimension d is H[d][0] threads of H[d][1] elements. */
static tsr_encoding threads_of(int32_t threads0, int32_t own0, int32_t threads1, int32_t own1) {
  return (tsr_encoding){.x = 2,
                        .p = 1,
                        .y = 2,
                        .h_count = {2, 2},
                        .p_count = {2},
                        .hs = {threads0, own0, threads1, own1},
                        .ps = {{1, 0}, {2, 0}},
                        .ys = {{1, 1}, {2, 1}}};
}

static float memory[256 * 256];

/* CK 7.12: the vector that load-store traits find. As printed, these encodings put the elements per
 * thread where the dimension that a Y maps to belongs, and leave lengths that neither P nor Y
 * names; `ys` is what is printed. */
static void test_load_store_traits(void **state) {
  (void)state;
  static const struct {
    const char *where;
    int32_t hs[4];
    uint8_t ys[2];
    bool columns; /* memory is column-major */
    tsr_elem elem;
    int32_t max_vector;
    uint32_t dim;
    int32_t scalars;
    int64_t accesses;
  } cases[] = {
      {"7.12.4 row-major", {2, 2, 4, 4}, {2, 4}, false, TSR_F32, 0, 1, 4, 2},
      {"7.12.4 column-major", {4, 4, 2, 2}, {4, 2}, false, TSR_F32, 0, 1, 2, 4},
      /* The same over memory that is column-major, not only tall: rows of 4 are contiguous. */
      {"7.12.4 column-major memory", {4, 4, 2, 2}, {4, 2}, true, TSR_F32, 0, 0, 4, 2},
      {"7.12.5", {2, 3, 2, 4}, {3, 4}, false, TSR_F32, 0, 1, 4, 3},
      {"7.12.6 simple", {2, 4, 2, 4}, {4, 4}, false, TSR_F32, 0, 1, 4, 4},
      /* 7.12.6 counts 8 floats an access, 50% of a line of 64 bytes; by 7.12.3 floats go by 4 at
       * most. Both: */
      {"7.12.6 optimized", {4, 2, 2, 8}, {2, 8}, false, TSR_F32, 8, 1, 8, 2},
      {"7.12.6 optimized, 16 bytes", {4, 2, 2, 8}, {2, 8}, false, TSR_F32, 0, 1, 4, 4},
      {"7.12.3 and 7.12.9, f16", {4, 2, 2, 8}, {2, 8}, false, TSR_F16, 0, 1, 8, 2},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int32_t *h = cases[k].hs;
    tsr_encoding c = threads_of(h[0], h[1], h[2], h[3]), printed = c;
    printed.p_count[0] = 1;
    printed.ys[0].major = cases[k].ys[0];
    printed.ys[1].major = cases[k].ys[1];
    FAILS("does not exist", tsr_encoding_validate(&printed, err));
    int64_t rows = tsr_encoding_x_length(&c, 0), cols = tsr_encoding_x_length(&c, 1);
    tsr_descriptor d;
    OK(tsr_descriptor_strided(&d, 2, DIMS(rows, cols),
                              cases[k].columns ? DIMS(1, rows) : DIMS(cols, 1), 0, err));
    tsr_tensor_view view = {
        tsr_buffer_view_make(memory, cases[k].elem, rows * cols, TSR_SPACE_GLOBAL), &d};
    tsr_tile_window w;
    OK(tsr_tile_window_make(&w, &view, DIMS(0, 0), &c, cases[k].max_vector, err));
    if (w.vector_dim != cases[k].dim || w.scalars_per_vector != cases[k].scalars ||
        tsr_curve_accesses(&w.curve) != cases[k].accesses)
      fail_msg("CK %s: %d scalars along Y%u in %lld accesses", cases[k].where, w.scalars_per_vector,
               w.vector_dim, (long long)tsr_curve_accesses(&w.curve));
    if (!strcmp(cases[k].where, "7.12.5"))
      for (int64_t i = 0; i < 3; i++) { /* the bases of the access sequence */
        int64_t y[2];
        assert_true(tsr_curve_index(&w.curve, i, y));
        expect_dims("CK 7.12.5", 2, y, DIMS(i, 0));
      }
    double line = 100.0 * w.scalars_per_vector * 4 / 64; /* 7.12.6: 25% and 50% */
    if (!strcmp(cases[k].where, "7.12.6 simple")) assert_float_equal(line, 25, 0);
    if (!strcmp(cases[k].where, "7.12.6 optimized")) assert_float_equal(line, 50, 0);
  }
}

/* CK 7.11.7: a window of 32 x 32 at (64, 64) of 256 x 256. The encoding printed with it has 8 x 8
 * elements and maps two Y dimensions to one length; 8 x 8 threads of 4 x 4 fill the window. */
static void test_window_32(void **state) {
  (void)state;
  tsr_encoding printed = threads_of(4, 2, 4, 2);
  printed.p_count[0] = 1;
  printed.ys[0] = printed.ys[1] = (tsr_rh){1, 1};
  FAILS("(1, 1) is mapped to twice", tsr_encoding_validate(&printed, err));
  tsr_encoding c = threads_of(8, 4, 8, 4);
  for (int32_t i = 0; i < 256 * 256; i++) memory[i] = (float)i;
  tsr_descriptor d;
  OK(tsr_descriptor_strided(&d, 2, DIMS(256, 256), DIMS(256, 1), 0, err));
  tsr_tensor_view view = {tsr_buffer_view_make(memory, TSR_F32, 256 * 256, TSR_SPACE_GLOBAL), &d};
  tsr_tile_window w;
  OK(tsr_tile_window_make(&w, &view, DIMS(64, 64), &c, 0, err));
  assert_int_equal(w.scalars_per_vector, 4);
  static uint64_t values[1024];
  tsr_tile t;
  OK(tsr_tile_make(&t, &c, TSR_F32, values, 1024, err));
  OK(tsr_tile_window_load(&w, &t, err));
  for (int32_t i = 0; i < 1024; i++) {
    int32_t thread = i / 16, row = 64 + thread / 8 * 4 + i % 16 / 4, col = 64 + thread % 8 * 4;
    assert_int_equal(values[i], f32((float)(row * 256 + col + i % 4)));
  }
  /* 7.11.15, 32 x 32: P names (2, 0) twice, and Y names all lengths that P names. */
  tsr_encoding best = {.x = 2,
                       .p = 2,
                       .y = 4,
                       .h_count = {2, 2},
                       .p_count = {2, 2},
                       .hs = {4, 8, 4, 8},
                       .ps = {{1, 0}, {2, 0}, {1, 1}, {2, 0}},
                       .ys = {{1, 0}, {1, 1}, {2, 0}, {2, 1}}};
  FAILS("is mapped to twice", tsr_encoding_validate(&best, err));
}

static void twice(void *user, int32_t worker, const int32_t *y, const int32_t *x,
                  uint64_t *pattern) {
  /* 7.14.3: thread (i, j) has rows 4 i .. 4 i + 3 and columns 4 j .. 4 j + 3. */
  int32_t *counts = user;
  assert_int_equal(x[0], worker / 16 * 4 + y[0]);
  assert_int_equal(x[1], worker % 16 * 4 + y[1]);
  counts[worker]++;
  *pattern = f32(2 * (float)num_decode(num_format_of(TSR_F32), *pattern));
}

/* CK 7.14.3 and 7.20.9: 64 x 64 on 16 x 16 threads; 7.20.8: every element doubled; 7.14.8. */
static void test_distributed(void **state) {
  (void)state;
  tsr_encoding c = threads_of(16, 4, 16, 4);
  static uint64_t values[4096];
  int32_t counts[256] = {0};
  tsr_tile t;
  assert_int_equal(tsr_tile_values(&c), 4096);
  OK(tsr_tile_make(&t, &c, TSR_F32, values, 4096, err));
  assert_int_equal(t.workers, 256);
  assert_int_equal(t.slots, 16);
  for (int32_t i = 0; i < 4096; i++) values[i] = f32((float)i);
  tsr_tile_sweep(&t, twice, counts);
  for (int32_t i = 0; i < 4096; i++) assert_int_equal(values[i], f32((float)(2 * i)));
  for (int32_t i = 0; i < 256; i++) assert_int_equal(counts[i], 16);
  /* 7.14.6: 32 elements on the 32 threads of a warp: one each. */
  tsr_layout l;
  OK(tsr_layout_auto_local_spatial(&l, 32, LIST(32), err));
  assert_int_equal(tsr_layout_local_size(&l), 1);
  /* 7.14.8: 128 x 32 on 32 x 8, 32 x 128 on 8 x 32, 128 x 128 on 32 x 32: 16 elements of a thread
   * each, but the last is on 1024 threads, where the block of the others has 256. With those it
   * holds 64. */
  const tsr_encoding tiles[3] = {threads_of(32, 4, 8, 4), threads_of(8, 4, 32, 4),
                                 threads_of(32, 4, 32, 4)};
  for (int i = 0; i < 3; i++) {
    OK(tsr_encoding_to_layout(&tiles[i], &l, err));
    assert_int_equal(l.shape[0], i == 1 ? 32 : 128);
    assert_int_equal(l.shape[1], i == 0 ? 32 : 128);
    assert_int_equal(tsr_layout_local_size(&l), 16);
    assert_int_equal(tsr_layout_spatial_size(&l), i == 2 ? 1024 : 256);
  }
  OK(tsr_layout_auto_local_spatial(&l, 256, LIST(128, 128), err));
  assert_int_equal(tsr_layout_local_size(&l), 64);
}

/* CK 7.6.4, 7.7.3, 7.21.3 and 7.21.5. */
static void test_encoding_parts(void **state) {
  (void)state;
  int32_t x[2];
  /* 7.21.3: Y to (1, 0), (1, 1), (2, 0), (2, 1). The manual calls it a view of 2 x 2; Y has four
   * dimensions, one for each of the pairs in its table. */
  tsr_encoding y = {.x = 2,
                    .y = 4,
                    .h_count = {2, 2},
                    .hs = {2, 2, 2, 2},
                    .ys = {{1, 0}, {1, 1}, {2, 0}, {2, 1}}};
  OK(tsr_encoding_validate(&y, err));
  static const int32_t moves[4][2] = {{2, 0}, {1, 0}, {0, 2}, {0, 1}};
  for (int i = 0; i < 4; i++) {
    int32_t index[4] = {0};
    index[i] = 1;
    tsr_encoding_x_index(&y, (int32_t[]){0}, index, x);
    assert_int_equal(x[0], moves[i][0]);
    assert_int_equal(x[1], moves[i][1]);
    /* 7.21.5: offsets in the thread's buffer are row-major over Y. */
    assert_int_equal(tsr_encoding_slot(&y, index), 8 >> i);
  }
  /* 7.6.4: Y of [4, 2, 8, 4] as it stands is all of one worker, 256 slots. */
  tsr_encoding all = {
      .x = 1, .y = 4, .h_count = {4}, .hs = {4, 2, 8, 4}, .ys = {{1, 0}, {1, 1}, {1, 2}, {1, 3}}};
  assert_int_equal(tsr_tile_values(&all), 256);
  assert_int_equal(tsr_encoding_slot(&all, (int32_t[]){3, 1, 7, 3}), 255);
  /* 7.21.3: P0 to (1, 1), the second length of the first dimension, P1 to (2, 2), the third of the
   * second. */
  tsr_encoding p = {.x = 2,
                    .p = 2,
                    .y = 3,
                    .h_count = {2, 3},
                    .p_count = {1, 1},
                    .hs = {3, 4, 5, 2, 8},
                    .ps = {{1, 1}, {2, 2}},
                    .ys = {{1, 0}, {2, 0}, {2, 1}}};
  OK(tsr_encoding_validate(&p, err));
  assert_int_equal(tsr_encoding_p_length(&p, 0), 4);
  assert_int_equal(tsr_encoding_p_length(&p, 1), 8);
  tsr_encoding_x_index(&p, (int32_t[]){3, 5}, (int32_t[]){0, 0, 0}, x);
  assert_int_equal(x[0], 3);
  assert_int_equal(x[1], 5);
  /* 7.7.3: lengths <2> of R are two workers with the same elements. */
  tsr_encoding r = {.x = 1,
                    .r = 1,
                    .p = 1,
                    .y = 1,
                    .h_count = {2},
                    .p_count = {2},
                    .rs = {2},
                    .hs = {4, 2},
                    .ps = {{0, 0}, {1, 0}},
                    .ys = {{1, 1}}};
  tsr_layout l;
  OK(tsr_encoding_to_layout(&r, &l, err));
  assert_int_equal(tsr_layout_copies(&l), 2);
  assert_int_equal(tsr_layout_spatial_size(&l), 8);
}

/* ---- CK: curves and sizes ------------------------------------------------------------------- */

static void test_curves(void **state) {
  (void)state;
  static const struct {
    const char *where;
    int64_t lengths[2], scalars[2];
    uint8_t order[2];
    int64_t accesses, first[4][2];
  } cases[] = {
      {"CK 7.13.4 rows", {4, 6}, {1, 1}, {0, 1}, 24, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
      {"CK 7.13.4 columns", {4, 6}, {1, 1}, {1, 0}, 24, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}},
      {"CK 7.13.4 vectors", {4, 8}, {1, 4}, {0, 1}, 8, {{0, 0}, {0, 4}, {1, 0}, {1, 4}}},
      {"CK 7.13.5 GEMM", {16, 32}, {1, 8}, {1, 0}, 64, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}},
      /* CK 7.23: 19 x 16 = 304 blocks of 256 x 256 cover 4864 x 4096, one per compute unit. The
       * text calls the tile 256 x 64, which is what is in LDS of A and B at a time. */
      {"CK 7.23 grid",
       {4864, 4096},
       {256, 256},
       {0, 1},
       304,
       {{0, 0}, {0, 256}, {0, 512}, {0, 768}}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    tsr_curve c;
    int64_t x[2];
    OK(tsr_curve_make(&c, 2, cases[k].lengths, cases[k].order, cases[k].scalars, false, err));
    if (tsr_curve_accesses(&c) != cases[k].accesses) fail_msg("%s", cases[k].where);
    for (int64_t i = 0; i < 4; i++) {
      assert_true(tsr_curve_index(&c, i, x));
      expect_dims(cases[k].where, 2, x, cases[k].first[i]);
    }
  }
  /* CK 7.23: 256 threads load 2 K elements each, 512 K; the unique ones are 16 K + 16 K; 16 times
   * fewer. In LDS, tiles of 16 x 16 bf16 take 512 bytes, two 1 KB; one of
   * 256 x 64 takes 32 KB. */
  const int64_t k = 64;
  double naive = 256 * tsr_gemm_loads_per_output(1, 1, k),
         tiled = 256 * tsr_gemm_loads_per_output(16, 16, k);
  assert_float_equal(naive, 512 * k, 0);
  assert_float_equal(tiled, 32 * k, 0);
  assert_float_equal(naive / tiled, 16, 0);
  tsr_descriptor d;
  OK(tsr_descriptor_packed(&d, 3, DIMS(2, 16, 16), err));
  assert_int_equal(d.space * 2, 1024);
  OK(tsr_descriptor_packed(&d, 2, DIMS(256, 64), err));
  assert_int_equal(d.space * 2, 32 * 1024);
}

/* ---- CK: programs that print what they find, without the manual saying what ----------------- */

static int64_t descriptor_offset(const void *user, const int32_t *index) {
  return tsr_descriptor_offset(user, DIMS(index[0], index[1]), NULL);
}

/* The bank conflicts of 4-byte elements in 32 banks, a lane each. */
static int32_t ways(const tsr_descriptor *d, uint32_t rank, const int32_t *lanes) {
  const tsr_cost_options o = {.struct_size = sizeof o,
                              .element_bits = 32,
                              .warp_size = 32,
                              .banks = 32,
                              .max_vector_bits = 32};
  tsr_layout l;
  tsr_layout_cost c;
  OK(tsr_layout_spatial(&l, rank, lanes, NULL, err));
  OK(tsr_layout_cost_by_offset(&c, &l, descriptor_offset, d, &o, err));
  return c.ways;
}

static void test_analyzers(void **state) {
  (void)state;
  tsr_descriptor d;
  /* CK 7.17.5: lane t at (t / 8, t % 8), of rows of 32. Four rows meet in 8 banks; with vectors of
   * 4 exchanged, rows 0 and 1 in the first 8 and rows 2 and 3 in the next. */
  OK(tsr_descriptor_packed(&d, 2, DIMS(32, 32), err));
  assert_int_equal(ways(&d, LIST(4, 8)), 4);
  OK(tsr_descriptor_xor_preshuffle(&d, 32, 32, 4, 1, err));
  assert_int_equal(ways(&d, LIST(4, 8)), 2);
  /* CK 7.18.7: a 4 x 4 tile has no conflicts in either order, since it lies in 16 banks. */
  OK(tsr_descriptor_packed(&d, 2, DIMS(4, 4), err));
  assert_int_equal(ways(&d, LIST(4, 4)), 1);
  OK(tsr_descriptor_morton(&d, 4, 4, 4, err));
  assert_int_equal(ways(&d, LIST(4, 4)), 1);
  /* CK 7.18.5: how far apart neighbours in Morton order are. */
  static const int64_t far[15] = {1, 2, 1, 2, 1, 2, 1, 4, 1, 2, 1, 2, 1, 2, 1};
  for (int64_t i = 0; i < 15; i++) {
    int64_t here[2], next[2], after = i + 1;
    assert_true(tsr_adaptor_top(&d, &i, here));
    assert_true(tsr_adaptor_top(&d, &after, next));
    assert_int_equal(llabs(next[0] - here[0]) + llabs(next[1] - here[1]), far[i]);
  }
}

/* CK 13: a tensor whose elements are numbered, the first dimension fastest, and rows 1 and 2. */
static void test_wrapper_slice(void **state) {
  (void)state;
  static const int32_t printed[2][8] = {{1, 5, 9, 13, 17, 21, 25, 29},
                                        {2, 6, 10, 14, 18, 22, 26, 30}};
  tsr_memory_layout m = {
      .rank = 2, .modes = 3, .dim_modes = {1, 2}, .size = {4, 4, 2}, .stride = {2, 8, 1}};
  int32_t data[32];
  OK(tsr_memory_validate(&m, err));
  for (int32_t w = 0; w < 32; w++) data[tsr_memory_offset(&m, (int32_t[]){w % 4, w / 4})] = w;
  tsr_memory_layout part, same;
  OK(tsr_memory_slice(&part, &m, (int32_t[]){1, 0}, (int32_t[]){3, 8}, err));
  OK(tsr_memory_slice_modes(&same, &m, (int32_t[]){1, 0, 0}, (int32_t[]){3, 4, 2}, err));
  for (int32_t h = 0; h < 2; h++)
    for (int32_t w = 0; w < 8; w++) {
      assert_int_equal(data[tsr_memory_offset(&part, (int32_t[]){h, w})], printed[h][w]);
      assert_int_equal(data[tsr_memory_offset(&same, (int32_t[]){h, w})], printed[h][w]);
    }
  assert_int_equal(tsr_memory_dim(&part, 0), 2);
  assert_int_equal(part.dim_modes[1], 2);
  assert_int_equal(part.stride[0], 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tilus_split),     cmocka_unit_test(test_tilus_tables),
      cmocka_unit_test(test_views),           cmocka_unit_test(test_adaptors),
      cmocka_unit_test(test_sliding_windows), cmocka_unit_test(test_movement),
      cmocka_unit_test(test_morton_stages),   cmocka_unit_test(test_load_store_traits),
      cmocka_unit_test(test_window_32),       cmocka_unit_test(test_distributed),
      cmocka_unit_test(test_encoding_parts),  cmocka_unit_test(test_curves),
      cmocka_unit_test(test_analyzers),       cmocka_unit_test(test_wrapper_slice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
