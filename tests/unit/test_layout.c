/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Distributions, encodings and multi-functions: the worked examples of Tilus' and CK Tile's manuals
 * (T: the Tilus guide's section, CK: the section of the CK Tile conceptual documentation), and
 * random layouts against brute force.
 */
#include "test_layout.h"

static tsr_layout spatial(uint32_t n, const int32_t *shape) {
  tsr_layout l;
  OK(tsr_layout_spatial(&l, n, shape, NULL, err));
  return l;
}
static tsr_layout local(uint32_t n, const int32_t *shape) {
  tsr_layout l;
  OK(tsr_layout_local(&l, n, shape, NULL, err));
  return l;
}
static tsr_layout then(tsr_layout outer, tsr_layout inner) {
  tsr_layout l;
  OK(tsr_layout_compose(&l, &outer, &inner, err));
  return l;
}

static void expect_list(uint32_t n, const int32_t *have, uint32_t m, const int32_t *want) {
  assert_int_equal(n, m);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(have[i], want[i]);
}
#define EXPECT(l, field, count, ...) expect_list((l).count, (l).field, LIST(__VA_ARGS__))
#define EXPECT_SHAPE(l, ...)         EXPECT(l, shape, rank, __VA_ARGS__)
#define EXPECT_MODES(l, ...)         EXPECT(l, mode_shape, modes, __VA_ARGS__)
#define EXPECT_SPATIAL(l, ...)       EXPECT(l, spatial_modes, spatial, __VA_ARGS__)
#define EXPECT_LOCAL(l, ...)         EXPECT(l, local_modes, local, __VA_ARGS__)

static void expect_at(const tsr_layout *l, int32_t i, int32_t j, int32_t worker, int32_t slot) {
  int32_t index[2] = {i, j}, found = -1;
  assert_int_equal(tsr_layout_get_spatial(l, index, &found, 1), 1);
  assert_int_equal(found, worker);
  assert_int_equal(tsr_layout_get_local(l, index), slot);
}

/* ---- the Tilus guide ------------------------------------------------------------------------ */

/* T 4: local(3, 4) and spatial(3, 2). */
static void test_tilus_trivial(void **state) {
  (void)state;
  tsr_layout l = local(LIST(3, 4)), s = spatial(LIST(3, 2));
  EXPECT_MODES(l, 3, 4);
  EXPECT_LOCAL(l, 0, 1);
  assert_int_equal(l.spatial, 0);
  EXPECT_SPATIAL(s, 0, 1);
  for (int32_t i = 0; i < 3; i++) {
    for (int32_t j = 0; j < 4; j++) expect_at(&l, i, j, 0, i * 4 + j);
    for (int32_t j = 0; j < 2; j++) expect_at(&s, i, j, i * 2 + j, 0);
  }
}

/* T 2: sizes 1 are pruned. */
static void test_tilus_pruning(void **state) {
  (void)state;
  tsr_layout l;
  OK(tsr_layout_make(&l, LIST(12, 1, 6), LIST(3, 4, 1, 2, 3), LIST(0, 3), LIST(1, 2, 4), err));
  EXPECT_MODES(l, 3, 4, 2, 3);
  EXPECT_SPATIAL(l, 0, 2);
  EXPECT_LOCAL(l, 1, 3);
}

/* T 5.1 and 5.2: composition in both orders. */
static void test_tilus_compose(void **state) {
  (void)state;
  tsr_layout a = then(local(LIST(3, 4)), spatial(LIST(2, 3)));
  EXPECT_SHAPE(a, 6, 12);
  EXPECT_MODES(a, 3, 2, 4, 3);
  EXPECT_SPATIAL(a, 1, 3);
  EXPECT_LOCAL(a, 0, 2);
  for (int32_t j = 0; j < 12; j++) {
    expect_at(&a, 0, j, j % 3, j / 3);
    expect_at(&a, 1, j, 3 + j % 3, j / 3);
  }
  tsr_layout b = then(spatial(LIST(2, 3)), local(LIST(3, 4)));
  EXPECT_SHAPE(b, 6, 12);
  EXPECT_MODES(b, 2, 3, 3, 4);
  EXPECT_SPATIAL(b, 0, 2);
  EXPECT_LOCAL(b, 1, 3);
  for (int32_t i = 0; i < 3; i++)
    for (int32_t j = 0; j < 8; j++) expect_at(&b, i, j, j / 4, i * 4 + j % 4);
}

/* T 6: the accumulator of mma.m16n8k8; rows 0..7 in registers 0 and 1, rows 8..15 in 2 and 3. */
static void test_tilus_mma(void **state) {
  (void)state;
  tsr_layout c = then(then(local(LIST(2, 1)), spatial(LIST(8, 4))), local(LIST(1, 2)));
  EXPECT_SHAPE(c, 16, 8);
  EXPECT_MODES(c, 2, 8, 4, 2);
  EXPECT_SPATIAL(c, 1, 2);
  EXPECT_LOCAL(c, 0, 3);
  for (int32_t i = 0; i < 16; i++)
    for (int32_t j = 0; j < 8; j++) expect_at(&c, i, j, i % 8 * 4 + j / 2, i / 8 * 2 + j % 2);
}

/* T 7: reduce(spatial(3, 4), dims=[0]). */
static void test_tilus_replication(void **state) {
  (void)state;
  tsr_layout s = spatial(LIST(3, 4)), r;
  OK(tsr_layout_reduce(&r, &s, LIST(0), false, err));
  EXPECT_SHAPE(r, 4);
  EXPECT_MODES(r, 4);
  EXPECT_SPATIAL(r, -3, 0);
  for (int32_t j = 0; j < 4; j++) {
    int32_t workers[3];
    assert_int_equal(tsr_layout_get_spatial(&r, &j, workers, 3), 3);
    expect_list(3, workers, LIST(j, 4 + j, 8 + j));
    assert_int_equal(tsr_layout_get_local(&r, &j), 0);
    for (int32_t w = 0; w < 13; w++)
      assert_int_equal(tsr_layout_locate_at(&r, &j, w), w < 12 && w % 4 == j);
  }
  /* T 9 sketches replication as a factor in front of the worker number ("lane * total + base") and
   * looks its size up in mode_shape. The size is the negative entry itself, and its place in the
   * list counts: reducing the last dimension instead makes neighbours hold the same element. */
  OK(tsr_layout_reduce(&r, &s, LIST(1), false, err));
  EXPECT_SPATIAL(r, 0, -4);
  int32_t workers[4];
  assert_int_equal(tsr_layout_get_spatial(&r, (int32_t[]){1}, workers, 4), 4);
  expect_list(4, workers, LIST(4, 5, 6, 7));
  OK(tsr_layout_reduce(&r, &s, LIST(0), true, err));
  EXPECT_SHAPE(r, 1, 4);
}

/* T 8: column-major orders. */
static void test_tilus_columns(void **state) {
  (void)state;
  tsr_layout l, s;
  OK(tsr_layout_column_local(&l, LIST(2, 3), err));
  OK(tsr_layout_column_spatial(&s, LIST(2, 3), err));
  EXPECT_LOCAL(l, 1, 0);
  EXPECT_SPATIAL(s, 1, 0);
  for (int32_t i = 0; i < 2; i++)
    for (int32_t j = 0; j < 3; j++) {
      expect_at(&l, i, j, 0, j * 2 + i);
      expect_at(&s, i, j, j * 2 + i, 0);
    }
  OK(tsr_layout_spatial(&l, 2, (int32_t[]){2, 3}, (int32_t[]){1, 0}, err));
  assert_true(tsr_layout_equal(&l, &s));
}

/* T 11 (and 3): shape [4, 6] in modes [2, 2, 3, 2]. */
static void test_tilus_worked(void **state) {
  (void)state;
  tsr_layout l;
  OK(tsr_layout_make(&l, LIST(4, 6), LIST(2, 2, 3, 2), LIST(0, 2), LIST(3, 1), err));
  for (int32_t i = 0; i < 4; i++)
    for (int32_t j = 0; j < 6; j++) {
      expect_at(&l, i, j, i / 2 * 3 + j / 2, j % 2 * 2 + i % 2);
      int32_t back[2];
      tsr_layout_get_global(&l, i / 2 * 3 + j / 2, j % 2 * 2 + i % 2, back);
      expect_list(2, back, LIST(i, j));
    }
}

/* T appendix: an outer 2 x 2 and an inner 2 x 3 make 4 x 6 with the inner tiles whole. */
static void test_tilus_replacement(void **state) {
  (void)state;
  static const char *const grid[] = {"AaAbAcBaBbBc", "AdAeAfBdBeBf", "CaCbCcDaDbDc",
                                     "CdCeCfDdDeDf"};
  tsr_layout l = then(local(LIST(2, 2)), spatial(LIST(2, 3)));
  for (int32_t i = 0; i < 4; i++)
    for (int32_t j = 0; j < 6; j++)
      expect_at(&l, i, j, grid[i][2 * j + 1] - 'a', grid[i][2 * j] - 'A');
}

/* ---- operations against their definitions --------------------------------------------------- */

static void test_queries(void **state) {
  (void)state;
  rng r = {1};
  for (int round = 0; round < 300; round++) {
    tsr_layout l = random_layout(&r, 1 + rng_below(&r, 3), 6, false, true);
    int64_t slots = tsr_layout_local_size(&l), workers = tsr_layout_spatial_size(&l);
    int64_t copies = tsr_layout_copies(&l);
    assert_int_equal(workers * slots, tsr_layout_size(&l) * copies);
    int64_t *t = map_table(&l);
    int32_t index[TSR_LAYOUT_MAX_RANK] = {0};
    do {
      int32_t held[4096];
      assert_true(copies <= 4096);
      assert_int_equal(tsr_layout_get_spatial(&l, index, held, 4096), copies);
      int32_t slot = tsr_layout_get_local(&l, index);
      for (int64_t c = 0; c < copies; c++) {
        assert_int_equal(t[held[c] * slots + slot], linear_index(&l, index));
        assert_true(tsr_layout_locate_at(&l, index, held[c]));
        if (c) assert_true(held[c] > held[c - 1]);
      }
    } while (next_index(l.shape, l.rank, index));
    free(t);
  }
}

/* compose: element (o * inner + i) has worker wo * workers(inner) + wi, and so the slots. */
static void test_compose_is_replacement(void **state) {
  (void)state;
  rng r = {2};
  for (int round = 0; round < 200; round++) {
    tsr_layout a = random_layout(&r, 2, 4, false, true), b = random_layout(&r, 2, 4, false, true);
    tsr_layout c = then(a, b);
    int64_t wb = tsr_layout_spatial_size(&b), sb = tsr_layout_local_size(&b);
    for (int64_t w = 0; w < tsr_layout_spatial_size(&c); w++)
      for (int64_t s = 0; s < tsr_layout_local_size(&c); s++) {
        int32_t x[2], o[2], i[2];
        tsr_layout_get_global(&c, (int32_t)w, (int32_t)s, x);
        tsr_layout_get_global(&a, (int32_t)(w / wb), (int32_t)(s / sb), o);
        tsr_layout_get_global(&b, (int32_t)(w % wb), (int32_t)(s % sb), i);
        for (int d = 0; d < 2; d++) assert_int_equal(x[d], o[d] * b.shape[d] + i[d]);
      }
  }
}

static void test_compose_laws(void **state) {
  (void)state;
  rng r = {3};
  for (int round = 0; round < 500; round++) {
    tsr_layout a = random_layout(&r, 2, 5, false, true), b = random_layout(&r, 2, 5, false, true);
    tsr_layout c = random_layout(&r, 2, 4, false, true), q;
    tsr_layout left = then(then(a, b), c), right = then(a, then(b, c));
    assert_true(tsr_layout_equal(&left, &right));
    tsr_layout ab = then(a, b);
    OK(tsr_layout_divide(&q, &ab, &b, err));
    assert_true(tsr_layout_equal(&q, &a));
    OK(tsr_layout_left_divide(&q, &ab, &a, err));
    assert_true(tsr_layout_equal(&q, &b));
    /* Whatever a division returns is a quotient. */
    if (tsr_layout_divide(&q, &a, &c, NULL) == TSR_OK) {
      tsr_layout again = then(q, c);
      assert_true(tsr_layout_same_map(&again, &a));
    }
  }
}

/* Tilus' own examples of division. */
static void test_divide_examples(void **state) {
  (void)state;
  tsr_layout q, a = spatial(LIST(2, 4)), b = spatial(LIST(1, 2)), want = spatial(LIST(2, 2));
  OK(tsr_layout_divide(&q, &a, &b, err));
  assert_true(tsr_layout_equal(&q, &want));
  tsr_layout c = then(a, local(LIST(2, 1))), d = local(LIST(2, 1)), e = then(b, d);
  OK(tsr_layout_divide(&q, &c, &d, err));
  assert_true(tsr_layout_equal(&q, &a));
  OK(tsr_layout_divide(&q, &c, &e, err));
  assert_true(tsr_layout_equal(&q, &want));
  FAILS("no composition with [2, 1]", tsr_layout_divide(&q, &a, &d, err));
}

static void test_reshapes(void **state) {
  (void)state;
  rng r = {4};
  for (int round = 0; round < 400; round++) {
    tsr_layout l = random_layout(&r, 3, 6, false, true), f, p, back;
    OK(tsr_layout_flatten(&f, &l, 0, -1, err));
    assert_int_equal(f.rank, 1);
    assert_true(same_table(&l, &f)); /* row-major order stays */
    OK(tsr_layout_reshape(&back, &f, l.rank, l.shape, err));
    assert_true(tsr_layout_equal(&back, &l));
    int32_t dims[3] = {0, 1, 2}, inverse[3];
    shuffle(&r, dims, 3);
    OK(tsr_layout_permute(&p, &l, 3, dims, err));
    for (int32_t d = 0; d < 3; d++) inverse[dims[d]] = d;
    int32_t x[3], y[3];
    for (int64_t w = 0; w < tsr_layout_spatial_size(&l); w++) {
      tsr_layout_get_global(&l, (int32_t)w, 0, x);
      tsr_layout_get_global(&p, (int32_t)w, 0, y);
      for (int d = 0; d < 3; d++) assert_int_equal(y[d], x[dims[d]]);
    }
    OK(tsr_layout_permute(&back, &p, 3, inverse, err));
    assert_true(tsr_layout_equal(&back, &l));
    OK(tsr_layout_unsqueeze(&f, &l, LIST(0, 2), err));
    assert_int_equal(f.rank, 5);
    OK(tsr_layout_squeeze(&back, &f, LIST(0, 2), err));
    assert_true(tsr_layout_equal(&back, &l));
    assert_true(same_table(&l, &f));
  }
  tsr_layout l = local(LIST(4)), m;
  OK(tsr_layout_reshape(&m, &l, LIST(2, 2), err));
  EXPECT_MODES(m, 2, 2);
  FAILS("mode 0, of size 4", tsr_layout_with_shape(&m, &l, LIST(2, 2), err));
  FAILS("numbers of elements", tsr_layout_reshape(&m, &l, LIST(2, 3), err));
  l = then(spatial(LIST(4)), local(LIST(3)));
  FAILS("[12] cannot become [6, 2]: mode 0, of size 4",
        tsr_layout_reshape(&m, &l, LIST(6, 2), err));
}

static void test_reduce(void **state) {
  (void)state;
  rng r = {5};
  for (int round = 0; round < 300; round++) {
    tsr_layout l = random_layout(&r, 3, 6, false, true), m;
    OK(tsr_layout_reduce(&m, &l, LIST(0, 2), false, err));
    assert_int_equal(m.rank, 1);
    assert_int_equal(tsr_layout_spatial_size(&m), tsr_layout_spatial_size(&l));
    /* A worker holds the result at j exactly when it held an element (., j, .). */
    for (int64_t w = 0; w < tsr_layout_spatial_size(&l); w++) {
      bool held[65536] = {false};
      for (int64_t s = 0; s < tsr_layout_local_size(&l); s++) {
        int32_t x[3];
        tsr_layout_get_global(&l, (int32_t)w, (int32_t)s, x);
        held[x[1]] = true;
      }
      for (int32_t j = 0; j < m.shape[0]; j++)
        assert_int_equal(tsr_layout_locate_at(&m, &j, (int32_t)w), held[j]);
    }
    tsr_layout n;
    OK(tsr_layout_reduce_to(&n, &l, LIST(l.shape[1], 1), err));
    OK(tsr_layout_squeeze(&n, &n, LIST(1), err));
    assert_true(tsr_layout_equal(&m, &n));
  }
  tsr_layout l = spatial(LIST(3, 4));
  FAILS("dimension 1 is 2, expected 4 or 1", tsr_layout_reduce_to(&l, &l, LIST(3, 2), err));
}

static void test_concat(void **state) {
  (void)state;
  tsr_layout a = then(local(LIST(3)), spatial(LIST(4))), b = spatial(LIST(2, 5)), c;
  OK(tsr_layout_concat(&c, &a, &b, err));
  EXPECT_SHAPE(c, 12, 2, 5);
  int32_t x[3];
  for (int32_t w = 0; w < 40; w++) {
    tsr_layout_get_global(&c, w, 2, x);
    expect_list(3, x, LIST(8 + w / 10, w % 10 / 5, w % 5));
  }
}

static void test_auto_local_spatial(void **state) {
  (void)state;
  tsr_layout l, want = then(local(LIST(16, 4)), spatial(LIST(4, 32)));
  OK(tsr_layout_auto_local_spatial(&l, 128, LIST(64, 128), err));
  want = then(local(LIST(64, 1)), spatial(LIST(1, 128)));
  assert_true(tsr_layout_equal(&l, &want));
  OK(tsr_layout_auto_local_spatial(&l, 128, LIST(64, 8), err));
  want = then(local(LIST(4, 1)), spatial(LIST(16, 8)));
  assert_true(tsr_layout_equal(&l, &want));
  OK(tsr_layout_auto_local_spatial(&l, 128, LIST(2, 16), err));
  EXPECT_SPATIAL(l, -4, 0, 1);
  FAILS("96 workers for the 64 elements", tsr_layout_auto_local_spatial(&l, 96, LIST(64), err));
  OK(tsr_layout_replicated(&l, LIST(2, 3), 5, err));
  EXPECT_SHAPE(l, 2, 3);
  EXPECT_SPATIAL(l, -5);
  EXPECT_LOCAL(l, 0, 1);
}

/* Two layouts are the same map exactly when their canonical forms agree. */
static void test_canonical_form_is_unique(void **state) {
  (void)state;
  rng r = {6};
  int same = 0;
  for (int round = 0; round < 20000; round++) {
    tsr_layout a = random_layout(&r, 1, 3, false, true), b = random_layout(&r, 1, 3, false, true);
    if (a.shape[0] != b.shape[0] || tsr_layout_local_size(&a) != tsr_layout_local_size(&b))
      continue;
    bool equal = same_table(&a, &b);
    same += equal;
    assert_int_equal(tsr_layout_same_map(&a, &b), equal);
  }
  assert_true(same > 100);
}

static void test_validate(void **state) {
  (void)state;
  tsr_layout l;
  FAILS("mode 1, of size 3, does not divide",
        tsr_layout_make(&l, LIST(4), LIST(2, 3), LIST(0), LIST(1), err));
  FAILS("do not multiply", tsr_layout_make(&l, LIST(8), LIST(2, 2), LIST(0), LIST(1), err));
  FAILS("named twice", tsr_layout_make(&l, LIST(4), LIST(2, 2), LIST(0, 1), LIST(1), err));
  FAILS("neither in spatial_modes",
        tsr_layout_make(&l, LIST(4), LIST(2, 2), LIST(0), 0, NULL, err));
  FAILS("names mode 2", tsr_layout_make(&l, LIST(4), LIST(2, 2), LIST(0, 2), LIST(1), err));
  FAILS("names mode -2", tsr_layout_make(&l, LIST(4), LIST(2, 2), LIST(0), LIST(-2, 1), err));
  FAILS("sizes are 1 or more", tsr_layout_spatial(&l, 2, (int32_t[]){0, 4}, NULL, err));
  FAILS("fewer than 2^31", tsr_layout_local(&l, 2, (int32_t[]){65536, 65536}, NULL, err));
  FAILS("makes 2^31 or more", tsr_layout_make(&l, 0, NULL, 0, NULL, LIST(INT32_MIN), 0, NULL, err));
  FAILS("at most 16 dimensions", tsr_layout_spatial(&l, 17, (int32_t[17]){0}, NULL, err));
  FAILS("not an order", tsr_layout_spatial(&l, 2, (int32_t[]){2, 2}, (int32_t[]){0, 0}, err));
  memset(&l, 0xff, sizeof l);
  FAILS("at most", tsr_layout_validate(&l, err));
  tsr_layout s = spatial(LIST(65536)), t = spatial(LIST(65536));
  FAILS("2^31 or more", tsr_layout_compose(&l, &s, &t, err));
}

/* ---- CK Tile encodings ---------------------------------------------------------------------- */

/* CK 7.5.8 (also 7.6.10 and 7.23): the GEMM encoding. */
static const tsr_encoding gemm = {
    .x = 2,
    .p = 2,
    .y = 4,
    .h_count = {4, 4},
    .p_count = {2, 2},
    .hs = {4, 2, 8, 4, 4, 2, 8, 4},
    .ps = {{1, 1}, {2, 1}, {1, 2}, {2, 2}},
    .ys = {{1, 0}, {1, 3}, {2, 0}, {2, 3}},
};

static void test_gemm_encoding(void **state) {
  (void)state;
  tsr_layout l;
  OK(tsr_encoding_to_layout(&gemm, &l, err));
  EXPECT_SHAPE(l, 256, 256);
  EXPECT_SPATIAL(l, 1, 5, 2, 6);
  EXPECT_LOCAL(l, 0, 3, 4, 7);
  assert_int_equal(tsr_encoding_p_length(&gemm, 0), 4);  /* 2 x 2 warps */
  assert_int_equal(tsr_encoding_p_length(&gemm, 1), 64); /* 8 x 8 lanes */
  assert_int_equal(tsr_layout_local_size(&l), 256);
  /* warp (1, 0), lane (2, 3); repeat (3, 1), vector (2, 0) */
  int32_t p[2] = {2, 2 * 8 + 3}, y[4] = {3, 2, 1, 0}, x[2], again[2], parts[2];
  tsr_encoding_x_index(&gemm, p, y, x);
  expect_list(2, x, LIST(3 * 64 + 1 * 32 + 2 * 4 + 2, 1 * 64 + 0 * 32 + 3 * 4 + 0));
  int32_t worker = tsr_encoding_worker(&gemm, p);
  assert_int_equal(worker, 2 * 64 + 19);
  tsr_encoding_partition_index(&gemm, worker, parts);
  expect_list(2, parts, LIST(2, 19));
  tsr_layout_get_global(&l, worker, tsr_encoding_slot(&gemm, y), again);
  expect_list(2, again, LIST(x[0], x[1]));
  uint32_t span[4];
  assert_int_equal(tsr_encoding_span(&gemm, 1, span, 4), 2);
  assert_int_equal(span[0], 2);
  assert_int_equal(span[1], 3);
}

/* CK 7.5.6: hs [[2, 2], [2, 2]], P -> outer halves, Y -> inner halves; a window at (1, 3) of a 9 x
 * 9 tensor with value 100 i + j. Threads (0, 0), (0, 1), (1, 0), (1, 1) collect: */
static void test_window_example(void **state) {
  (void)state;
  static const tsr_encoding c = {.x = 2,
                                 .p = 2,
                                 .y = 2,
                                 .h_count = {2, 2},
                                 .p_count = {1, 1},
                                 .hs = {2, 2, 2, 2},
                                 .ps = {{1, 0}, {2, 0}},
                                 .ys = {{1, 1}, {2, 1}}};
  static const int32_t want[4][4] = {
      {103, 104, 203, 204}, {105, 106, 205, 206}, {303, 304, 403, 404}, {305, 306, 405, 406}};
  for (int32_t w = 0; w < 4; w++)
    for (int32_t s = 0; s < 4; s++) {
      int32_t x[2];
      tsr_encoding_x_index(&c, (int32_t[]){w / 2, w % 2}, (int32_t[]){s / 2, s % 2}, x);
      assert_int_equal((x[0] + 1) * 100 + x[1] + 3, want[w][s]);
    }
}

/* CK 7.22.1: RMSNorm with repeat (4, 4), warps (2, 2), threads (8, 8), vector (4, 4). The section
 * counts 16 elements per thread and 4096 per block, which leaves the 4 x 4 repeats out; with them
 * it is 256 and 65536. Its first example of a region holds: threads (0, 0) and (0, 1) of warp 0
 * start at (0, 0) and (0, 4). */
static void test_thread_mapping(void **state) {
  (void)state;
  tsr_layout l;
  OK(tsr_encoding_to_layout(&gemm, &l, err));
  assert_int_equal(tsr_layout_spatial_size(&l), 256);
  assert_int_equal(tsr_layout_local_size(&l), 4 * 4 * 16);
  assert_int_equal(tsr_layout_size(&l), 65536);
  int32_t x[2];
  tsr_encoding_x_index(&gemm, (int32_t[]){0, 1}, (int32_t[]){0, 0, 0, 0}, x);
  expect_list(2, x, LIST(0, 4));
  tsr_encoding_x_index(&gemm, (int32_t[]){0, 1}, (int32_t[]){0, 3, 0, 3}, x);
  expect_list(2, x, LIST(3, 7));
}

/* Encodings of the manual that are none: they name a length twice. */
static void test_wrong_encodings(void **state) {
  (void)state;
  /* CK 7.22.5: both P and Y map to (1, 0) and (2, 0), and nothing to (1, 1) and (2, 1). */
  tsr_encoding c = {.x = 2,
                    .p = 2,
                    .y = 2,
                    .h_count = {2, 2},
                    .p_count = {1, 1},
                    .hs = {4, 2, 4, 2},
                    .ps = {{1, 0}, {2, 0}},
                    .ys = {{1, 0}, {2, 0}}};
  FAILS("(1, 0) is mapped to twice", tsr_encoding_validate(&c, err));
  c.ys[0].minor = c.ys[1].minor = 1; /* as 7.5.6 does it */
  OK(tsr_encoding_validate(&c, err));
  /* CK 7.21.6, example 2: P maps to (1, 1) and (2, 0), and so does Y. */
  tsr_encoding d = {.x = 2,
                    .p = 2,
                    .y = 4,
                    .h_count = {2, 2},
                    .p_count = {2, 0},
                    .hs = {2, 4, 2, 4},
                    .ps = {{1, 1}, {2, 0}},
                    .ys = {{1, 0}, {1, 1}, {2, 0}, {2, 1}}};
  FAILS("(1, 1) is mapped to twice", tsr_encoding_validate(&d, err));
  /* CK 7.21.6, example 1 is sound: one worker with four slots. */
  tsr_encoding f = {
      .x = 2, .p = 2, .y = 2, .h_count = {1, 1}, .hs = {2, 2}, .ys = {{1, 0}, {2, 0}}};
  tsr_layout l, want = local(LIST(2, 2));
  OK(tsr_encoding_to_layout(&f, &l, err));
  assert_true(tsr_layout_equal(&l, &want));
  f.ys[0].major = 0;
  FAILS("does not exist", tsr_encoding_validate(&f, err));
  f.ys[0] = (tsr_rh){1, 1};
  FAILS("does not exist", tsr_encoding_validate(&f, err));
  f.y = 1;
  f.ys[0] = (tsr_rh){1, 0};
  FAILS("(2, 0), of length 2 in Hs[1] [2], is mapped to by no P and no Y",
        tsr_encoding_validate(&f, err));
  f.r = 1;
  f.rs[0] = 3;
  FAILS("which workers are the copies", tsr_encoding_validate(&f, err));
}

static bool same_encoding(const tsr_encoding *a, const tsr_encoding *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static void test_encoding_round_trip(void **state) {
  (void)state;
  rng r = {7};
  for (int round = 0; round < 500; round++) {
    tsr_layout l = random_layout(&r, 1 + rng_below(&r, 3), 6, false, true), back;
    int32_t workers = (int32_t)tsr_layout_spatial_size(&l);
    tsr_encoding c, d;
    /* One axis, and two where some first spatial modes end. */
    OK(tsr_encoding_from_layout(&c, &l, 0, NULL, err));
    OK(tsr_encoding_to_layout(&c, &back, err));
    assert_memory_equal(&l, &back, offsetof(tsr_layout, shape));
    assert_true(tsr_layout_equal(&l, &back));
    uint32_t cut = l.spatial ? rng_below(&r, l.spatial) : 0;
    int32_t first = 1;
    for (uint32_t i = 0; i < cut; i++)
      first *= l.spatial_modes[i] < 0 ? -l.spatial_modes[i] : l.mode_shape[l.spatial_modes[i]];
    int32_t sizes[2] = {first, workers / first};
    OK(tsr_encoding_from_layout(&c, &l, 2, sizes, err));
    OK(tsr_encoding_to_layout(&c, &back, err));
    assert_true(tsr_layout_equal(&l, &back));
    OK(tsr_encoding_from_layout(&d, &back, 2, sizes, err));
    assert_true(same_encoding(&c, &d));
    /* Both say the same of every worker and slot. */
    int32_t w = (int32_t)rng_below(&r, (uint32_t)workers), p[4], y[64], x[16], want[16];
    tsr_encoding_partition_index(&c, w, p);
    assert_int_equal(tsr_encoding_worker(&c, p), w);
    int32_t slot = (int32_t)rng_below(&r, (uint32_t)tsr_layout_local_size(&l)), rest = slot;
    for (uint32_t i = c.y; i-- > 0;) {
      y[i] = rest % tsr_encoding_length(&c, c.ys[i]);
      rest /= tsr_encoding_length(&c, c.ys[i]);
    }
    assert_int_equal(tsr_encoding_slot(&c, y), slot);
    tsr_encoding_x_index(&c, p, y, x);
    tsr_layout_get_global(&l, w, slot, want);
    expect_list(l.rank, x, l.rank, want);
  }
  tsr_layout l = spatial(LIST(4, 6));
  tsr_encoding c;
  OK(tsr_encoding_from_layout(&c, &l, LIST(8, 3), err)); /* cuts the mode of size 6 */
  assert_int_equal(c.h_count[1], 2);
  FAILS("axis 0 of [3, 8] ends within spatial mode 0",
        tsr_encoding_from_layout(&c, &l, LIST(3, 8), err));
  FAILS("for the 24 workers", tsr_encoding_from_layout(&c, &l, LIST(2, 8), err));
}

/* embed is composition, reduce is reduction. */
static void test_encoding_operations(void **state) {
  (void)state;
  rng r = {8};
  for (int round = 0; round < 300; round++) {
    tsr_layout a = random_layout(&r, 2, 4, false, true), b = random_layout(&r, 2, 4, false, true);
    tsr_layout want, have;
    tsr_encoding ca, cb, cc;
    OK(tsr_encoding_from_layout(&ca, &a, 0, NULL, err));
    OK(tsr_encoding_from_layout(&cb, &b, 0, NULL, err));
    OK(tsr_encoding_embed(&cc, &ca, &cb, err));
    OK(tsr_encoding_to_layout(&cc, &have, err));
    want = then(a, b);
    assert_true(tsr_layout_equal(&have, &want));
    int32_t dim = (int32_t)rng_below(&r, 2);
    OK(tsr_encoding_reduce(&cc, &cc, 1, &dim, err));
    OK(tsr_encoding_validate(&cc, err));
    OK(tsr_encoding_to_layout(&cc, &have, err));
    OK(tsr_layout_reduce(&want, &want, 1, &dim, false, err));
    assert_true(tsr_layout_same_map(&have, &want));
  }
  /* Replication digits: the column of warps that shares a row's sum. */
  tsr_encoding rows;
  OK(tsr_encoding_reduce(&rows, &gemm, LIST(1), err));
  assert_int_equal(rows.r, 2);
  int32_t copy[2];
  tsr_encoding_r_index(&rows, (int32_t[]){3, 2 * 8 + 5}, copy);
  expect_list(2, copy, LIST(1, 5));
}

static void test_slice(void **state) {
  (void)state;
  tsr_encoding c;
  int32_t origins[4], lengths[4];
  OK(tsr_encoding_slice_x(&c, &gemm, (int32_t[]){64, 0}, (int32_t[]){192, 256}, origins, lengths,
                          err));
  assert_int_equal(tsr_encoding_x_length(&c, 0), 128);
  expect_list(4, origins, LIST(1, 0, 0, 0));
  expect_list(4, lengths, LIST(2, 4, 4, 4));
  /* Every worker's element of the slice is its element of the whole at the origin. */
  int32_t p[2] = {3, 21}, y[4] = {1, 2, 3, 1}, x[2], whole[2];
  tsr_encoding_x_index(&c, p, y, x);
  for (int i = 0; i < 4; i++) y[i] += origins[i];
  tsr_encoding_x_index(&gemm, p, y, whole);
  expect_list(2, whole, LIST(x[0] + 64, x[1]));
  FAILS("belongs to workers",
        tsr_encoding_slice_x(&c, &gemm, (int32_t[]){0, 0}, (int32_t[]){32, 256}, NULL, NULL, err));
  FAILS("is not made of whole lengths",
        tsr_encoding_slice_x(&c, &gemm, (int32_t[]){8, 0}, (int32_t[]){72, 256}, NULL, NULL, err));
  FAILS("whose length is 256",
        tsr_encoding_slice_x(&c, &gemm, (int32_t[]){0, 0}, (int32_t[]){64, 257}, NULL, NULL, err));
}

static void test_raked(void **state) {
  (void)state;
  /* 256 threads of 4 wavefronts read 64 x 64 in vectors of 8: 8 threads a row, 8 rows a wave. */
  static const int32_t hs[3][3] = {{4, 8, 2}, {4, 2, 8}, {2, 4, 8}};
  static const int32_t second[3] = {1, 8, 32}; /* the row of a thread's second vector */
  for (int rake = 0; rake < 3; rake++) {
    tsr_encoding c;
    OK(tsr_encoding_raked_2d(&c, (tsr_rake)rake, 256, 64, 64, 64, 8, err));
    OK(tsr_encoding_validate(&c, err));
    for (int k = 0; k < 3; k++) assert_int_equal(c.hs[k], hs[rake][k]);
    int32_t x[2];
    tsr_encoding_x_index(&c, (int32_t[]){0, 3}, (int32_t[]){1, 5}, x);
    expect_list(2, x, LIST(second[rake], 3 * 8 + 5));
  }
  tsr_encoding c;
  FAILS("must divide a warp", tsr_encoding_raked_2d(&c, TSR_RAKE_WARP, 256, 64, 64, 24, 1, err));
  FAILS("no multiple of the 32 rows",
        tsr_encoding_raked_2d(&c, TSR_RAKE_WARP, 256, 64, 48, 64, 8, err));
}

/* ---- multi-functions ------------------------------------------------------------------------ */

static void test_multi_examples(void **state) {
  (void)state;
  tsr_multi f, g;
  /* (4, 5, 6) in digits (2, 2, 5, 3, 2), image (0, -3, 2): {x0/2 * 15 + v * 5 + x1}. */
  OK(tsr_multi_make(&f, LIST(4, 5, 6), LIST(2, 2, 5, 3, 2), LIST(0, -3, 2), err));
  int32_t values[3];
  assert_int_equal(tsr_multi_call(&f, (int32_t[]){3, 4, 1}, values, 3), 3);
  expect_list(3, values, LIST(15 + 4, 15 + 5 + 4, 15 + 10 + 4));
  OK(tsr_multi_make(&f, LIST(2, 3, 4), LIST(2, 3, 4), LIST(0, 2, -3), err));
  OK(tsr_multi_make(&g, LIST(2, 3, 4), LIST(2, 3, 4), LIST(0, 2, 1), err));
  assert_true(tsr_multi_cover(&f, &g));
  assert_false(tsr_multi_cover(&g, &f));
  OK(tsr_multi_make(&f, LIST(2, 3), LIST(2, 3), LIST(0, -3), err));
  OK(tsr_multi_make(&g, LIST(2, 3), LIST(2, 3), LIST(0, 1), err));
  assert_true(tsr_multi_cover(&f, &g));
  FAILS("modes [0, 0]", tsr_multi_make(&f, LIST(4), LIST(2, 2), LIST(0, 0), err));
  FAILS("does not multiply", tsr_multi_make(&f, LIST(4), LIST(2, 3), LIST(0), err));
}

#define MULTI_MAX 512
typedef struct table {
  uint64_t bits[MULTI_MAX][MULTI_MAX / 64]; /* which values x maps to */
} table;

static void tabulate(const tsr_multi *f, table *t) {
  memset(t, 0, sizeof *t);
  int32_t index[16] = {0}, values[MULTI_MAX];
  int64_t x = 0;
  do {
    int64_t n = tsr_multi_call(f, index, values, MULTI_MAX);
    for (int64_t i = 0; i < n; i++) t->bits[x][values[i] / 64] |= 1ull << (values[i] % 64);
    x++;
  } while (next_index(f->shape, f->rank, index));
}

static bool random_multi(rng *r, tsr_multi *f) {
  tsr_layout l = random_layout(r, 1 + rng_below(r, 2), 4, false, true);
  tsr_layout_spatial_function(f, &l);
  return tsr_multi_size(f) < MULTI_MAX && tsr_multi_image_size(f) < MULTI_MAX;
}

static void test_multi_cover(void **state) {
  (void)state;
  rng r = {9};
  static table a, b;
  int covers = 0, compared = 0;
  for (int round = 0; round < 60000; round++) {
    tsr_multi f, g;
    if (!random_multi(&r, &f) || !random_multi(&r, &g)) continue;
    int64_t n = tsr_multi_size(&f);
    if (n != tsr_multi_size(&g) || tsr_multi_image_size(&f) != tsr_multi_image_size(&g)) continue;
    tabulate(&f, &a);
    tabulate(&g, &b);
    bool inside = true;
    for (int64_t x = 0; x < n; x++)
      for (int k = 0; k < MULTI_MAX / 64; k++) inside &= (b.bits[x][k] & ~a.bits[x][k]) == 0;
    covers += inside;
    compared++;
    assert_int_equal(tsr_multi_cover(&f, &g), inside);
  }
  assert_true(covers > 100 && compared > covers + 100);
}

static void test_multi_product(void **state) {
  (void)state;
  rng r = {10};
  static table a, b, c;
  int products = 0;
  for (int round = 0; round < 20000; round++) {
    tsr_multi f, g, h;
    if (!random_multi(&r, &f) || !random_multi(&r, &g)) continue;
    if (tsr_multi_product(&h, &f, &g, NULL) != TSR_OK) continue;
    products++;
    assert_int_equal(tsr_multi_image_size(&f), tsr_multi_size(&g));
    tabulate(&f, &a);
    tabulate(&g, &b);
    tabulate(&h, &c);
    for (int64_t x = 0; x < tsr_multi_size(&f); x++) {
      uint64_t want[MULTI_MAX / 64] = {0};
      for (int64_t y = 0; y < tsr_multi_size(&g); y++)
        if (a.bits[x][y / 64] >> (y % 64) & 1)
          for (int k = 0; k < MULTI_MAX / 64; k++) want[k] |= b.bits[y][k];
      assert_memory_equal(want, c.bits[x], sizeof want);
    }
  }
  assert_true(products > 200);
  tsr_multi f, id;
  OK(tsr_multi_make(&f, LIST(4, 6), LIST(2, 2, 3, 2), LIST(2, 0), err));
  OK(tsr_multi_identity(&id, LIST(4, 6), err));
  OK(tsr_multi_product(&id, &id, &f, err));
  assert_true(tsr_multi_cover(&id, &f) && tsr_multi_cover(&f, &id));
  OK(tsr_multi_collapse(&f, &f, LIST(1), err));
  assert_int_equal(f.modes, 1);
  assert_int_equal(tsr_multi_image_size(&f), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tilus_trivial),
      cmocka_unit_test(test_tilus_pruning),
      cmocka_unit_test(test_tilus_compose),
      cmocka_unit_test(test_tilus_mma),
      cmocka_unit_test(test_tilus_replication),
      cmocka_unit_test(test_tilus_columns),
      cmocka_unit_test(test_tilus_worked),
      cmocka_unit_test(test_tilus_replacement),
      cmocka_unit_test(test_queries),
      cmocka_unit_test(test_compose_is_replacement),
      cmocka_unit_test(test_compose_laws),
      cmocka_unit_test(test_divide_examples),
      cmocka_unit_test(test_reshapes),
      cmocka_unit_test(test_reduce),
      cmocka_unit_test(test_concat),
      cmocka_unit_test(test_auto_local_spatial),
      cmocka_unit_test(test_canonical_form_is_unique),
      cmocka_unit_test(test_validate),
      cmocka_unit_test(test_gemm_encoding),
      cmocka_unit_test(test_window_example),
      cmocka_unit_test(test_thread_mapping),
      cmocka_unit_test(test_wrong_encodings),
      cmocka_unit_test(test_encoding_round_trip),
      cmocka_unit_test(test_encoding_operations),
      cmocka_unit_test(test_slice),
      cmocka_unit_test(test_raked),
      cmocka_unit_test(test_multi_examples),
      cmocka_unit_test(test_multi_cover),
      cmocka_unit_test(test_multi_product),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
