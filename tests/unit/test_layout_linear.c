/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linear maps, conversions, shuffles and swizzles against brute force.
 */
#include "test_layout.h"

static uint64_t below_bits(rng *r, uint32_t bits) {
  uint64_t v = (uint64_t)rng_next(r) << 32 | rng_next(r);
  return bits ? v >> (64 - bits) : 0;
}

static tsr_linear random_map(rng *r, uint32_t in, uint32_t out) {
  tsr_linear m = {.in = (uint8_t)in, .out = (uint8_t)out};
  for (uint32_t i = 0; i < in; i++) m.column[i] = below_bits(r, out);
  return m;
}

static uint64_t mask(uint32_t bits) {
  return bits ? ~0ull >> (64 - bits) : 0;
}

static void test_algebra(void **state) {
  (void)state;
  rng r = {11};
  int inverses = 0;
  for (int round = 0; round < 2000; round++) {
    uint32_t n = rng_below(&r, 9), k = rng_below(&r, 9), m = rng_below(&r, 9);
    tsr_linear a = random_map(&r, k, m), b = random_map(&r, n, k), c, x;
    OK(tsr_linear_product(&c, &a, &b, err));
    for (uint64_t v = 0; v <= mask(n); v++)
      assert_int_equal(tsr_linear_apply(&c, v), tsr_linear_apply(&a, tsr_linear_apply(&b, v)));
    /* Solutions exist exactly for the image, whose size is 2^rank; the kernel has the rest. */
    uint64_t reached[4] = {0}, basis[64], y;
    for (uint64_t v = 0; v <= mask(k); v++) {
      uint64_t w = tsr_linear_apply(&a, v);
      reached[w / 64] |= 1ull << (w % 64);
    }
    uint32_t count = 0, rank = tsr_linear_rank(&a);
    for (uint64_t w = 0; w <= mask(m); w++) {
      bool in = reached[w / 64] >> (w % 64) & 1;
      count += in;
      assert_int_equal(tsr_linear_solve(&a, w, &y), in);
      if (in) assert_int_equal(tsr_linear_apply(&a, y), w);
    }
    assert_int_equal(count, 1u << rank);
    assert_int_equal(tsr_linear_image(&a, basis), rank);
    assert_int_equal(tsr_linear_kernel(&a, basis), k - rank);
    tsr_linear kernel = {.in = (uint8_t)(k - rank), .out = (uint8_t)k};
    memcpy(kernel.column, basis, sizeof kernel.column);
    assert_int_equal(tsr_linear_rank(&kernel), k - rank);
    for (uint32_t i = 0; i < k - rank; i++) assert_int_equal(tsr_linear_apply(&a, basis[i]), 0);
    OK(tsr_linear_solve_map(&x, &a, &c, err)); /* a x == c = a b */
    OK(tsr_linear_product(&x, &a, &x, err));
    assert_true(tsr_linear_equal(&x, &c));
    tsr_linear sq = random_map(&r, n, n), id = tsr_linear_identity(n);
    if (tsr_linear_inverse(&x, &sq, NULL) == TSR_OK) {
      inverses++;
      OK(tsr_linear_product(&x, &x, &sq, err));
      assert_true(tsr_linear_equal(&x, &id));
    } else {
      assert_true(tsr_linear_rank(&sq) < n);
    }
  }
  assert_true(inverses > 300);
}

static void test_intersection(void **state) {
  (void)state;
  rng r = {12};
  for (int round = 0; round < 3000; round++) {
    tsr_linear a = random_map(&r, rng_below(&r, 6), 7), b = random_map(&r, rng_below(&r, 6), 7);
    uint64_t basis[64], y;
    tsr_linear common = {.out = 7};
    common.in = (uint8_t)tsr_linear_intersection(a.in, a.column, b.in, b.column, basis);
    memcpy(common.column, basis, common.in * sizeof *basis);
    assert_int_equal(tsr_linear_rank(&common), common.in);
    for (uint64_t v = 0; v < 128; v++)
      assert_int_equal(tsr_linear_solve(&common, v, &y),
                       tsr_linear_solve(&a, v, &y) && tsr_linear_solve(&b, v, &y));
  }
}

static void test_left_divide(void **state) {
  (void)state;
  rng r = {13};
  for (int round = 0; round < 500; round++) {
    tsr_linear t = random_map(&r, rng_below(&r, 5), 4), q = random_map(&r, rng_below(&r, 5), 5), x;
    tsr_linear a = {.in = (uint8_t)(t.in + q.in), .out = 9};
    memcpy(a.column, t.column, t.in * sizeof(uint64_t));
    for (uint32_t i = 0; i < q.in; i++) a.column[t.in + i] = q.column[i] << 4;
    OK(tsr_linear_left_divide(&x, &a, &t, err));
    assert_true(tsr_linear_equal(&x, &q));
    if (!q.in) continue;
    a.column[t.in] |= 1;
    assert_int_not_equal(tsr_linear_left_divide(&x, &a, &t, NULL), TSR_OK);
  }
}

static void test_of_layouts(void **state) {
  (void)state;
  rng r = {14};
  for (int round = 0; round < 500; round++) {
    tsr_layout l = random_layout(&r, 1 + rng_below(&r, 3), 6, true, true), back;
    tsr_linear m;
    uint32_t slots;
    OK(tsr_linear_from_layout(&m, &slots, &l, err));
    assert_int_equal(1ll << slots, tsr_layout_local_size(&l));
    int64_t *t = map_table(&l), ns = 1ll << slots;
    for (int64_t w = 0; w < tsr_layout_spatial_size(&l); w++)
      for (int64_t s = 0; s < ns; s++)
        assert_int_equal(tsr_linear_apply(&m, (uint64_t)(w << slots | s)), t[w * ns + s]);
    free(t);
    OK(tsr_linear_to_layout(&back, &m, slots, l.rank, l.shape, err));
    assert_true(tsr_layout_same_map(&l, &back));
  }
  tsr_layout l;
  tsr_linear m;
  OK(tsr_layout_spatial(&l, LIST(3, 4), NULL, err));
  FAILS("powers of two: shape [3, 4]", tsr_linear_from_layout(&m, NULL, &l, err));
  m = (tsr_linear){.in = 2, .out = 2, .column = {1, 3}};
  FAILS("input bit 1 maps to 0x3", tsr_linear_to_layout(&l, &m, 2, LIST(4), err));
}

/* ---- conversions ---------------------------------------------------------------------------- */

static tsr_conversion brute_conversion(const tsr_layout *from, const tsr_layout *to, int32_t warp) {
  bool same = same_table(from, to), own = true;
  for (int32_t w = 0; w < tsr_layout_spatial_size(to); w++)
    for (int32_t s = 0; s < tsr_layout_local_size(to); s++) {
      int32_t x[16];
      tsr_layout_get_global(to, w, s, x);
      if (tsr_layout_locate_at(from, x, w)) continue;
      own = false;
      bool near = false;
      for (int32_t k = w / warp * warp; k < (w / warp + 1) * warp; k++)
        near |= tsr_layout_locate_at(from, x, k);
      if (!near) return TSR_CONVERSION_SHARED;
    }
  return same ? TSR_CONVERSION_NONE : own ? TSR_CONVERSION_REGISTERS : TSR_CONVERSION_SHUFFLE;
}

/* A second layout of the same shape: the modes of `l` dealt anew, now and then only its slots. */
static bool sibling(rng *r, const tsr_layout *l, tsr_layout *out) {
  int32_t spatial[64], local[64], order[64];
  uint32_t ns = 0, nl = 0, kind = rng_below(r, 4);
  tsr_layout m = *l;
  if (kind == 0) {
    shuffle(r, m.local_modes, m.local);
  } else if (kind == 1 && m.spatial && m.local) { /* one mode changes places */
    uint32_t a = rng_below(r, m.spatial), b = rng_below(r, m.local);
    int32_t t = m.spatial_modes[a];
    if (t < 0) return false;
    m.spatial_modes[a] = m.local_modes[b];
    m.local_modes[b] = t;
  } else {
    for (uint32_t i = 0; i < m.modes; i++) order[i] = (int32_t)i;
    shuffle(r, order, m.modes);
    for (uint32_t i = 0; i < m.modes; i++) {
      if (rng_below(r, 8) == 0) spatial[ns++] = -2;
      if (rng_below(r, 2))
        spatial[ns++] = order[i];
      else
        local[nl++] = order[i];
    }
    return tsr_layout_make(out, m.rank, m.shape, m.modes, m.mode_shape, ns, spatial, nl, local,
                           NULL) == TSR_OK;
  }
  tsr_layout_canonicalize(&m);
  *out = m;
  return true;
}

static void test_conversion(void **state) {
  (void)state;
  rng r = {15};
  int seen[2][4] = {{0}};
  for (int round = 0; round < 20000; round++) {
    bool pow2 = round % 2;
    tsr_layout a = random_layout(&r, 2, 6, pow2, true), b;
    if (tsr_layout_spatial_size(&a) * tsr_layout_local_size(&a) > 4096) continue;
    if (!sibling(&r, &a, &b) || tsr_layout_spatial_size(&a) != tsr_layout_spatial_size(&b))
      continue;
    int32_t warp = pow2 ? 4 : tsr_layout_spatial_size(&a) % 6 ? 1 : 6;
    if (tsr_layout_spatial_size(&a) % warp) warp = (int32_t)tsr_layout_spatial_size(&a);
    tsr_conversion kind;
    OK(tsr_layout_conversion(&kind, &a, &b, warp, err));
    assert_int_equal(kind, brute_conversion(&a, &b, warp));
    seen[pow2][kind]++;
  }
  for (int k = 0; k < 4; k++) assert_true(seen[0][k] > 20 && seen[1][k] > 20);
  tsr_layout a, b;
  tsr_conversion kind;
  OK(tsr_layout_spatial(&a, LIST(4, 4), NULL, err));
  OK(tsr_layout_spatial(&b, LIST(2, 8), NULL, err));
  FAILS("[4, 4] cannot be converted to shape [2, 8]",
        tsr_layout_conversion(&kind, &a, &b, 32, err));
  OK(tsr_layout_local(&b, LIST(4, 4), NULL, err));
  FAILS("has 16 before and 1 after", tsr_layout_conversion(&kind, &a, &b, 32, err));
  assert_string_equal(tsr_conversion_name(TSR_CONVERSION_SHARED), "shared memory");
}

/* Runs a factored shuffle on a simulated block and compares with the layout wanted. Returns the
 * number of rounds. */
static uint32_t run_shuffle(const tsr_shuffle *f, const tsr_layout *from, const tsr_layout *to,
                            int32_t warp) {
  int64_t *have = map_table(from), *want = map_table(to);
  int64_t ns = tsr_layout_local_size(from), nt = tsr_layout_local_size(to);
  uint32_t workers = 1u << f->lane_bits;
  int64_t *got = malloc((size_t)(workers * nt) * sizeof *got);
  for (int64_t i = 0; i < workers * nt; i++) got[i] = -1;
  for (uint64_t t = 0; t < 1ull << f->round_bits; t++)
    for (uint64_t w = 0; w < workers; w++) {
      uint64_t in = t | w << f->round_bits;
      uint64_t v = tsr_linear_apply(&f->from, in);
      assert_true(v / (uint64_t)warp == w / (uint64_t)warp);
      uint64_t slot = tsr_linear_apply(&f->send, t | v << f->round_bits);
      assert_true(slot < (uint64_t)ns);
      if (tsr_linear_apply(&f->keep_if, in) == 0)
        got[w * (uint64_t)nt + tsr_linear_apply(&f->keep, in)] = have[v * (uint64_t)ns + slot];
    }
  assert_memory_equal(got, want, (size_t)(workers * nt) * sizeof *got);
  free(have);
  free(want);
  free(got);
  return f->round_bits;
}

static void test_shuffles(void **state) {
  (void)state;
  rng r = {16};
  int factored = 0, one_each = 0;
  for (int round = 0; round < 20000; round++) {
    tsr_layout a = random_layout(&r, 2, 6, true, true), b;
    if (tsr_layout_spatial_size(&a) * tsr_layout_local_size(&a) > 4096) continue;
    if (!sibling(&r, &a, &b) || tsr_layout_spatial_size(&a) != tsr_layout_spatial_size(&b))
      continue;
    int32_t warp = 8;
    tsr_conversion kind;
    OK(tsr_layout_conversion(&kind, &a, &b, warp, err));
    tsr_shuffle f;
    tsr_status s = tsr_shuffle_factor(&f, &a, &b, warp, NULL);
    assert_int_equal(s == TSR_OK, kind != TSR_CONVERSION_SHARED);
    if (s != TSR_OK) continue;
    run_shuffle(&f, &a, &b, warp);
    factored++;
    one_each += f.round_bits == f.to_slot_bits;
    /* Without copies on either side, one round per register is enough. */
    if (tsr_layout_copies(&a) == 1 && tsr_layout_copies(&b) == 1)
      assert_int_equal(f.round_bits, f.to_slot_bits);
  }
  assert_true(factored > 500 && one_each > factored / 2);
}

/* ---- swizzles ------------------------------------------------------------------------------- */

/* Conflicts of every request of every warp, counted word by word. */
static int32_t brute_ways(const tsr_layout *l, const tsr_swizzle *z, int32_t element_bits) {
  uint32_t vector = 1u << z->vector_bits;
  int32_t bytes = (int32_t)vector * element_bits / 8, worst = 0;
  int32_t lanes = bytes <= 4 ? 32 : 32 / (bytes / 4);
  int64_t *t = map_table(l), slots = tsr_layout_local_size(l);
  bool *done = calloc((size_t)slots, sizeof *done);
  for (int64_t s = 0; s < slots; s++) {
    /* One request: the slots that share a vector with slot s. */
    if (tsr_linear_apply(&z->index_to_offset, (uint64_t)t[s]) % vector) continue;
    for (int64_t first = 0; first < tsr_layout_spatial_size(l); first += lanes) {
      uint64_t words[256];
      int n = 0;
      int32_t bank[32] = {0};
      for (int64_t w = first; w < first + lanes && w < tsr_layout_spatial_size(l); w++) {
        uint64_t base = tsr_linear_apply(&z->index_to_offset, (uint64_t)t[w * slots + s]);
        assert_int_equal(base % vector, 0); /* aligned in every lane */
        for (uint32_t b = 0; b < vector; b++) {
          uint64_t word = (base + b) * (uint64_t)element_bits / 32;
          bool seen = false;
          for (int i = 0; i < n; i++) seen |= words[i] == word;
          if (seen) continue;
          words[n++] = word;
          bank[word % 32]++;
        }
      }
      for (int b = 0; b < 32; b++)
        if (bank[b] > worst) worst = bank[b];
    }
  }
  free(done);
  free(t);
  return worst;
}

static tsr_layout chain(uint32_t n, const int32_t (*parts)[3]) {
  tsr_layout l, p;
  OK(tsr_layout_local(&l, LIST(1, 1), NULL, err));
  for (uint32_t i = 0; i < n; i++) {
    if (parts[i][0] == 0) OK(tsr_layout_local(&p, 2, parts[i] + 1, NULL, err));
    if (parts[i][0] == 1) OK(tsr_layout_spatial(&p, 2, parts[i] + 1, NULL, err));
    if (parts[i][0] == 2) OK(tsr_layout_column_spatial(&p, 2, parts[i] + 1, err));
    OK(tsr_layout_compose(&l, &l, &p, err));
  }
  return l;
}
#define CHAIN(...)                                                                                 \
  chain(sizeof((int32_t[][3]){__VA_ARGS__}) / sizeof(int32_t[3]), (int32_t[][3]){__VA_ARGS__})

static void test_swizzle_cases(void **state) {
  (void)state;
  tsr_swizzle z;
  /* f16 64 x 64: global rows of 8 lanes x 16 bytes into mma A fragments. */
  tsr_layout rows = CHAIN({0, 4, 1}, {1, 16, 8}, {0, 1, 8});
  tsr_layout frag = CHAIN({0, 1, 4}, {1, 4, 1}, {0, 1, 2}, {0, 2, 1}, {1, 8, 4}, {0, 1, 2});
  OK(tsr_swizzle_optimal(&z, &rows, &frag, 16, 32, err));
  assert_int_equal(z.vector_bits, 1); /* two neighbouring elements are all that both share */
  assert_int_equal(z.store_ways, 1);
  assert_int_equal(z.load_ways, 1);
  /* f32 transpose: rows stored, columns loaded; 32 x 32 over one warp. */
  tsr_layout by_row = CHAIN({0, 32, 1}, {1, 1, 32}), by_column = CHAIN({0, 1, 32}, {1, 32, 1});
  OK(tsr_swizzle_optimal(&z, &by_row, &by_column, 32, 32, err));
  assert_int_equal(z.store_ways, 1);
  assert_int_equal(z.load_ways, 1);
  assert_int_equal(brute_ways(&by_row, &z, 32), 1);
  assert_int_equal(brute_ways(&by_column, &z, 32), 1);
  /* 16-byte vectors on both sides: f16 64 x 64, columns of 8-element vectors read down the rows. */
  tsr_layout down = CHAIN({0, 2, 8}, {1, 32, 1}, {0, 1, 8});
  tsr_layout across = CHAIN({0, 16, 1}, {1, 4, 8}, {0, 1, 8});
  OK(tsr_swizzle_optimal(&z, &across, &down, 16, 32, err));
  assert_int_equal(z.vector_bits, 3);
  assert_int_equal(z.store_ways, 1);
  assert_int_equal(z.load_ways, 1);
  assert_int_equal(brute_ways(&across, &z, 16), 1);
  assert_int_equal(brute_ways(&down, &z, 16), 1);
}

static void test_swizzle_random(void **state) {
  (void)state;
  rng r = {17};
  int free_of_conflicts = 0, total = 0;
  for (int round = 0; round < 4000; round++) {
    tsr_layout a = random_layout(&r, 2, 10, true, false), b;
    if (!sibling(&r, &a, &b) || tsr_layout_size(&a) > 16384) continue;
    int32_t bits = 8 << rng_below(&r, 3);
    tsr_swizzle z;
    tsr_linear id,
        want = tsr_linear_identity((uint32_t)__builtin_ctzll((uint64_t)tsr_layout_size(&a)));
    OK(tsr_swizzle_optimal(&z, &a, &b, bits, 32, err));
    OK(tsr_linear_product(&id, &z.index_to_offset, &z.offset_to_index, err));
    assert_true(tsr_linear_equal(&id, &want));
    assert_int_equal(z.store_ways, brute_ways(&a, &z, bits));
    assert_int_equal(z.load_ways, brute_ways(&b, &z, bits));
    free_of_conflicts += z.store_ways == 1 && z.load_ways == 1;
    total++;
  }
  assert_true(total > 500 && free_of_conflicts > total * 9 / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_algebra),       cmocka_unit_test(test_intersection),
      cmocka_unit_test(test_left_divide),   cmocka_unit_test(test_of_layouts),
      cmocka_unit_test(test_conversion),    cmocka_unit_test(test_shuffles),
      cmocka_unit_test(test_swizzle_cases), cmocka_unit_test(test_swizzle_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
