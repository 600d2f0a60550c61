/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers, windows and distributed tiles: CK Tile's programs (CK: their section), and random
 * windows against plain loops.
 */
#include <tessera/window.h>

#include "num/num.h"
#include "test_layout.h"

static uint64_t f32(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

/* CK 7.3.4 to 7.3.6. */
static void test_buffers(void **state) {
  (void)state;
  float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t v[2];
  tsr_buffer_view b = tsr_buffer_view_make(data, TSR_F32, 8, TSR_SPACE_GLOBAL);
  tsr_buffer_get(&b, 0, 1, true, 1, v);
  assert_int_equal(v[0], f32(2));
  tsr_buffer_get(&b, 0, 1, false, 1, v); /* "returns 0 [if] valid_flag is false" */
  assert_int_equal(v[0], f32(0));
  tsr_buffer_get(&b, 0, 0, true, 2, v);
  assert_int_equal(v[0], f32(1));
  assert_int_equal(v[1], f32(2));
  b.invalid = f32(13); /* the custom invalid value */
  tsr_buffer_get(&b, 0, 0, false, 1, v);
  assert_int_equal(v[0], f32(13));
  tsr_buffer_get(&b, 0, 100, true, 1, v);
  assert_int_equal(v[0], f32(13));
  tsr_buffer_get(&b, INT64_MAX, 1, true, 1, v);
  assert_int_equal(v[0], f32(13));
  tsr_buffer_get(&b, 0, 7, true, 2, v); /* half of the vector is outside */
  assert_int_equal(v[0], f32(8));
  assert_int_equal(v[1], f32(13));
  tsr_buffer_set(&b, 0, 2, true, 1, (uint64_t[]){f32(99)});
  tsr_buffer_set(&b, 0, 3, false, 1, (uint64_t[]){f32(777)});
  tsr_buffer_set(&b, 0, 100, true, 1, (uint64_t[]){f32(555)});
  tsr_buffer_set(&b, 0, 5, true, 2, (uint64_t[]){f32(100), f32(200)});
  const float want[8] = {1, 2, 99, 4, 5, 100, 200, 8};
  assert_memory_equal(data, want, sizeof data);
  float sum[2] = {0, 0};
  b = tsr_buffer_view_make(sum, TSR_F32, 2, TSR_SPACE_LDS);
  for (int t = 0; t < 256; t++) {
    tsr_buffer_update(&b, TSR_MEMORY_ATOMIC_ADD, 0, 0, true, 1, (uint64_t[]){f32((float)t)});
    tsr_buffer_update(&b, TSR_MEMORY_ATOMIC_MAX, 0, 1, true, 1, (uint64_t[]){f32((float)t)});
  }
  assert_float_equal(sum[0], 255 * 128, 0);
  assert_float_equal(sum[1], 255, 0);
  int8_t bytes[2] = {-100, -5};
  b = tsr_buffer_view_make(bytes, TSR_I8, 2, TSR_SPACE_GLOBAL);
  tsr_buffer_update(&b, TSR_MEMORY_ADD, 0, 0, true, 1, (uint64_t[]){0x9c}); /* -100: wraps */
  tsr_buffer_update(&b, TSR_MEMORY_ATOMIC_MAX, 1, 0, true, 1, (uint64_t[]){0xfe});
  assert_int_equal(bytes[0], 56);
  assert_int_equal(bytes[1], -2);
}

typedef struct collected {
  int32_t worker;
  int n;
  float values[16];
} collected;

static void collect(void *user, int32_t worker, const int32_t *y, const int32_t *x,
                    uint64_t *pattern) {
  (void)y, (void)x;
  collected *c = user;
  if (worker == c->worker) c->values[c->n++] = (float)num_decode(num_format_of(TSR_F32), *pattern);
}

/* CK 7.5.6, the whole program: 9 x 9 with value 100 i + j, a window at (1, 3). */
static void test_window_program(void **state) {
  (void)state;
  static const tsr_encoding c = {.x = 2,
                                 .p = 2,
                                 .y = 2,
                                 .h_count = {2, 2},
                                 .p_count = {1, 1},
                                 .hs = {2, 2, 2, 2},
                                 .ps = {{1, 0}, {2, 0}},
                                 .ys = {{1, 1}, {2, 1}}};
  static const float want[4][4] = {
      {103, 104, 203, 204}, {105, 106, 205, 206}, {303, 304, 403, 404}, {305, 306, 405, 406}};
  float data[81];
  for (int i = 0; i < 81; i++) data[i] = (float)(i / 9 * 100 + i % 9);
  tsr_descriptor d;
  OK(tsr_descriptor_packed(&d, 2, (int64_t[]){9, 9}, err));
  tsr_tensor_view view = {tsr_buffer_view_make(data, TSR_F32, 81, TSR_SPACE_GLOBAL), &d};
  tsr_tile_window w;
  OK(tsr_tile_window_make(&w, &view, (int64_t[]){1, 3}, &c, 0, err));
  assert_int_equal(w.vector_dim, 1);
  assert_int_equal(w.scalars_per_vector, 2);
  assert_int_equal(tsr_curve_accesses(&w.curve), 2);
  uint64_t values[16];
  tsr_tile t;
  assert_int_equal(tsr_tile_values(&c), 16);
  OK(tsr_tile_make(&t, &c, TSR_F32, values, 16, err));
  OK(tsr_tile_window_load(&w, &t, err));
  for (int32_t worker = 0; worker < 4; worker++) {
    collected got = {.worker = worker};
    tsr_tile_sweep(&t, collect, &got);
    assert_int_equal(got.n, 4);
    for (int i = 0; i < 4; i++) assert_float_equal(got.values[i], want[worker][i], 0);
  }
  tsr_tile_window_move(&w, (int64_t[]){0, 4}); /* columns 7..10: two of them outside */
  OK(tsr_tile_window_load(&w, &t, err));
  assert_int_equal(tsr_tile_get(&t, 0, (int32_t[]){1, 1}), f32(208));
  assert_int_equal(tsr_tile_get(&t, 1, (int32_t[]){0, 0}), f32(0));
  FAILS("room for 15 values", tsr_tile_make(&t, &c, TSR_F32, values, 15, err));
}

/* ---- random windows ------------------------------------------------------------------------- */

enum { MOST = 2048 };

static void test_random_windows(void **state) {
  (void)state;
  rng r = {51};
  int vectors = 0, outside = 0;
  for (int round = 0; round < 600; round++) {
    tsr_layout l = random_layout(&r, 2, 5, false, round % 2);
    tsr_encoding c;
    OK(tsr_encoding_from_layout(&c, &l, 0, NULL, err));
    if (tsr_tile_values(&c) > MOST) continue;
    /* A tensor somewhat larger than the tile, with gaps, padding or turned around. */
    int64_t rows = l.shape[0] + rng_below(&r, 4), columns = l.shape[1] + rng_below(&r, 4);
    int64_t strides[2] = {columns + rng_below(&r, 3), 1};
    if (rng_below(&r, 3) == 0) {
      strides[0] = 1;
      strides[1] = rows;
    }
    tsr_descriptor d;
    OK(tsr_descriptor_strided(&d, 2, (int64_t[]){rows, columns}, strides, 0, err));
    tsr_transform_step pad[] = {
        {.transform = tsr_transform_pad(rows, 1, 2), .from = {0}, .to = {0}},
        {.transform = tsr_transform_pass_through(columns), .from = {1}, .to = {1}}};
    if (rng_below(&r, 2)) OK(tsr_descriptor_transform(&d, &d, 2, pad, err));
    int32_t data[4096], copy[4096];
    assert_true(d.space < 4096);
    for (int i = 0; i < 4096; i++) data[i] = copy[i] = 1000000 + i;
    tsr_tensor_view view = {tsr_buffer_view_make(data, TSR_I32, d.space, TSR_SPACE_GLOBAL), &d};
    view.buffer.invalid = 77;
    int64_t origin[2] = {(int64_t)rng_below(&r, 5) - 2, (int64_t)rng_below(&r, 5) - 2};
    tsr_tile_window w;
    OK(tsr_tile_window_make(&w, &view, origin, &c, 0, err));
    vectors += w.scalars_per_vector > 1;
    assert_int_equal(tsr_curve_accesses(&w.curve) * w.scalars_per_vector,
                     tsr_layout_local_size(&l));
    static uint64_t values[MOST];
    tsr_tile t;
    OK(tsr_tile_make(&t, &c, TSR_I32, values, MOST, err));
    tsr_tile_fill(&t, 0xdead);
    OK(tsr_tile_window_load(&w, &t, err));
    bool complete = true;
    for (int32_t worker = 0; worker < t.workers; worker++)
      for (int32_t s = 0; s < t.slots; s++) {
        int32_t x[2];
        tsr_layout_get_global(&l, worker, s, x);
        bool valid;
        int64_t offset =
            tsr_descriptor_offset(&d, (int64_t[]){origin[0] + x[0], origin[1] + x[1]}, &valid);
        uint64_t have = values[worker * t.slots + s];
        assert_int_equal(have, valid ? (uint64_t)(1000000 + offset) : 77);
        complete &= valid;
        values[worker * t.slots + s] = have + 1;
      }
    outside += !complete;
    /* Storing changes what the window covers, once per element, and nothing else. */
    OK(tsr_tile_window_store(&w, &t, err));
    for (int64_t i = 0; i < l.shape[0]; i++)
      for (int64_t j = 0; j < l.shape[1]; j++) {
        bool valid;
        int64_t offset =
            tsr_descriptor_offset(&d, (int64_t[]){origin[0] + i, origin[1] + j}, &valid);
        if (valid) copy[offset]++;
      }
    assert_memory_equal(data, copy, sizeof data);
    /* An update adds once per worker that holds the element. */
    tsr_tile_fill(&t, 5);
    OK(tsr_tile_window_update(&w, TSR_MEMORY_ATOMIC_ADD, &t, err));
    for (int64_t i = 0; i < l.shape[0]; i++)
      for (int64_t j = 0; j < l.shape[1]; j++) {
        bool valid;
        int64_t offset =
            tsr_descriptor_offset(&d, (int64_t[]){origin[0] + i, origin[1] + j}, &valid);
        if (valid) copy[offset] += 5 * (int32_t)tsr_layout_copies(&l);
      }
    assert_memory_equal(data, copy, sizeof data);
  }
  assert_true(vectors > 50 && outside > 50);
}

static void test_gather_scatter(void **state) {
  (void)state;
  tsr_encoding c;
  OK(tsr_encoding_raked_2d(&c, TSR_RAKE_WARP, 64, 32, 16, 16, 4, err));
  static float data[40 * 16], out[40 * 16];
  for (int i = 0; i < 640; i++) data[i] = (float)i;
  tsr_descriptor d;
  OK(tsr_descriptor_packed(&d, 2, (int64_t[]){40, 16}, err));
  tsr_tensor_view in = {tsr_buffer_view_make(data, TSR_F32, 640, TSR_SPACE_GLOBAL), &d};
  tsr_tensor_view to = {tsr_buffer_view_make(out, TSR_F32, 640, TSR_SPACE_GLOBAL), &d};
  tsr_tile_window w, v;
  OK(tsr_tile_window_make(&w, &in, (int64_t[]){0, 0}, &c, 0, err));
  OK(tsr_tile_window_make(&v, &to, (int64_t[]){0, 0}, &c, 0, err));
  assert_int_equal(w.scalars_per_vector, 4);
  int64_t rows[16];
  for (int i = 0; i < 16; i++) rows[i] = i * 7 % 40;
  rows[3] = -1; /* nothing */
  static uint64_t values[256];
  tsr_tile t;
  OK(tsr_tile_make(&t, &c, TSR_F32, values, 256, err));
  OK(tsr_tile_window_gather(&w, rows, 16, &t, err));
  OK(tsr_tile_window_scatter(&v, TSR_MEMORY_SET, rows, 16, &t, err));
  for (int i = 0; i < 640; i++) {
    bool listed = false;
    for (int k = 0; k < 16; k++) listed |= rows[k] == i / 16;
    assert_float_equal(out[i], listed ? data[i] : 0, 0);
  }
  OK(tsr_tile_window_store(&v, &t, err)); /* packed rows */
  assert_float_equal(out[2 * 16 + 5], data[14 * 16 + 5], 0);
  assert_float_equal(out[3 * 16 + 5], 0, 0);
  FAILS("15 rows for a window of 16", tsr_tile_window_gather(&w, rows, 15, &t, err));
  tsr_tile other;
  OK(tsr_tile_make(&other, &c, TSR_I32, values, 256, err));
  FAILS("another element type", tsr_tile_window_load(&w, &other, err));
}

/* ---- tiles ---------------------------------------------------------------------------------- */

static uint64_t add(void *user, uint64_t a, uint64_t b) {
  (void)user;
  return a + b;
}

static void number(void *user, int32_t worker, const int32_t *y, const int32_t *x,
                   uint64_t *pattern) {
  (void)worker, (void)y;
  *pattern = (uint64_t)(x[0] * *(int32_t *)user + x[1]);
}

static void test_tiles(void **state) {
  (void)state;
  /* Two encodings that differ in the order of Y. */
  tsr_encoding a = {.x = 2,
                    .p = 1,
                    .y = 3,
                    .h_count = {2, 3},
                    .p_count = {2},
                    .hs = {4, 2, 2, 3, 2},
                    .ps = {{1, 0}, {2, 1}},
                    .ys = {{1, 1}, {2, 0}, {2, 2}}};
  tsr_encoding b = a, other = a;
  b.ys[0] = a.ys[2];
  b.ys[2] = a.ys[0];
  other.ps[0] = a.ps[1];
  other.ps[1] = a.ps[0];
  uint64_t va[96], vb[96], vc[96];
  tsr_tile ta, tb, tc;
  int32_t columns = 12;
  OK(tsr_tile_make(&ta, &a, TSR_I32, va, 96, err));
  OK(tsr_tile_make(&tb, &b, TSR_I32, vb, 96, err));
  OK(tsr_tile_make(&tc, &other, TSR_I32, vc, 96, err));
  tsr_tile_sweep(&ta, number, &columns);
  tsr_tile_fill(&tb, 0);
  OK(tsr_tile_shuffle(&tb, &ta, err));
  tsr_tile_sweep(&tc, number, &columns);
  uint64_t want[96];
  memcpy(want, vb, sizeof want);
  tsr_tile_sweep(&tb, number, &columns);
  assert_memory_equal(vb, want, sizeof want);
  FAILS("only reorders each worker's own", tsr_tile_shuffle(&tc, &ta, err));
  OK(tsr_tile_elementwise(&tb, &ta, &tb, add, NULL, err));
  for (int i = 0; i < 96; i++) assert_int_equal(vb[i], va[i] + want[i]);
  /* A slice of Y, out and in again elsewhere. */
  int32_t origin[3] = {0, 1, 0}, lengths[3] = {2, 1, 2};
  uint64_t part[4];
  tsr_tile_get_slice(&ta, 5, origin, lengths, part);
  for (int i = 0; i < 4; i++)
    assert_int_equal(part[i], tsr_tile_get(&ta, 5, (int32_t[]){i / 2, 1, i % 2}));
  tsr_tile_set_slice(&ta, 6, origin, lengths, part);
  assert_int_equal(tsr_tile_get(&ta, 6, (int32_t[]){1, 1, 0}), part[2]);
  /* Cast. */
  tsr_tile tf;
  OK(tsr_tile_make(&tf, &a, TSR_F16, vb, 96, err));
  tsr_tile_fill(&ta, 0xfffffffe); /* -2 */
  OK(tsr_tile_cast(&tf, &ta, err));
  assert_int_equal(vb[7], 0xc000);
  OK(tsr_tile_cast(&ta, &tf, err));
  assert_int_equal(va[7], 0xfffffffe);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_buffers),        cmocka_unit_test(test_window_program),
      cmocka_unit_test(test_random_windows), cmocka_unit_test(test_gather_scatter),
      cmocka_unit_test(test_tiles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
