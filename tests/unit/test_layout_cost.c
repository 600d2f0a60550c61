/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Costs against a simulated warp, and against what CK Tile's manual says (CK: its section).
 */
#include "test_layout.h"

static tsr_context *ctx;

static int setup(void **state) {
  (void)state;
  ctx = tsr_context_create(NULL);
  return ctx == NULL;
}
static int teardown(void **state) {
  (void)state;
  tsr_context_destroy(ctx);
  return 0;
}

static tsr_layout_value parse(const char *text) {
  tsr_layout_value v;
  if (tsr_layout_parse(ctx, NULL, text, strlen(text), &v) != TSR_OK) fail_msg("%s", text);
  return v;
}

static tsr_cost_options options(int32_t bits, int32_t warp, int32_t banks, tsr_lane_groups groups) {
  return (tsr_cost_options){.struct_size = sizeof(tsr_cost_options),
                            .element_bits = bits,
                            .warp_size = warp,
                            .banks = banks,
                            .groups = groups};
}

static tsr_layout_cost cost(const char *layout, const char *memory, tsr_cost_options o) {
  tsr_layout_value l = parse(layout), m = parse(memory);
  tsr_layout_cost c;
  OK(tsr_layout_cost_of(&c, &l.layout, &m.memory, &o, err));
  return c;
}

/* CK 7.23, "Understanding AMD GPU LDS and Bank Conflicts". 64 lanes write 8 fp16 each. */
static void test_lds_write(void **state) {
  (void)state;
  tsr_layout_cost c = cost("spatial(8, 8).local(1, 8)", "row_major(8, 64)",
                           options(16, 64, 32, TSR_LANES_CONSECUTIVE));
  assert_int_equal(c.vector_elements, 8);
  assert_int_equal(c.ideal_wavefronts, 8); /* "8 phases for 64 lane wavefront" */
  assert_int_equal(c.ways, 1);
}

/* The same section: reading vertically, in rows of 64 fp16, as MFMA needs it, conflicts 4 ways in
 * every phase; XOR preshuffle (x' = (y mod 8) ^ x on vectors of 8) removes it without storage. */
static void test_lds_read(void **state) {
  (void)state;
  const char *mfma = "local(1, 2) * mfma.16x16x32.f16.A";
  tsr_cost_options o = options(16, 64, 32, TSR_LANES_LDS_READ);
  tsr_layout_cost c = cost(mfma, "row_major(16, 64)", o);
  assert_int_equal(c.vector_elements, 8);
  assert_int_equal(c.ways, 4);
  assert_int_equal(c.wavefronts, 4 * c.ideal_wavefronts);
  assert_int_equal(c.ideal_wavefronts, 2 * 8);
  char text[1000];
  tsr_layout_cost_explain(&c, &o, text, sizeof text);
  assert_non_null(strstr(text, "4-way conflict: lanes 0, 1, 2, 3 hit bank 0"));
  c = cost(mfma, "row_major(16, 64).swizzle(3, 3, 3)", o);
  assert_int_equal(c.ways, 1);
  assert_int_equal(c.wavefronts, c.ideal_wavefronts);
  tsr_layout_cost_explain(&c, &o, text, sizeof text);
  assert_non_null(strstr(text, "no bank conflicts"));
  /* Padding does it too, "12.5-25% more storage": a vector per row (12.5%) leaves 2 ways, since
   * lanes 0 and 23 of a group meet in bank 0; two vectors (25%) leave none. */
  c = cost(mfma, "(16,64):(72,1)", o);
  assert_int_equal(c.ways, 2);
  c = cost(mfma, "(16,64):(80,1)", o);
  assert_int_equal(c.ways, 1);
  tsr_memory_layout m;
  tsr_layout_value l = parse(mfma), rows = parse("row_major(16, 64)");
  tsr_layout_value writer = parse("local(2, 1).spatial(8, 8).local(1, 8)");
  OK(tsr_memory_propose_swizzle(&m, &rows.memory, &writer.layout, &l.layout, &o, err));
  OK(tsr_layout_cost_of(&c, &l.layout, &m, &o, err));
  assert_int_equal(c.ways, 1);
  o.groups = TSR_LANES_CONSECUTIVE;
  OK(tsr_layout_cost_of(&c, &writer.layout, &m, &o, err));
  assert_int_equal(c.ways, 1);
}

/* Unswizzled rows of 128, 64 and 32 bytes conflict 8, 4 and 2 ways under ldmatrix, where eight
 * lanes fetch a row of 16 bytes each; TMA's swizzles make it 1. */
static void test_ldmatrix(void **state) {
  (void)state;
  for (int b = 1; b <= 3; b++) {
    char rows[64], memory[64], swizzled[64];
    snprintf(rows, sizeof rows, "local(1, %d).column_spatial(32, 1).local(1, 8)", 1 << b);
    snprintf(memory, sizeof memory, "row_major(32, %d)", 8 << b);
    snprintf(swizzled, sizeof swizzled, "row_major(32, %d).tma_swizzle(%d, 16)", 8 << b, 16 << b);
    tsr_cost_options o = options(16, 32, 32, TSR_LANES_CONSECUTIVE);
    assert_int_equal(cost(rows, memory, o).ways, 1 << b);
    assert_int_equal(cost(rows, swizzled, o).ways, 1);
  }
}

/* The Tilus accumulator written to 16 columns of f32, and one column read by all: known by hand. */
static void test_small_cases(void **state) {
  (void)state;
  tsr_cost_options o = options(32, 32, 32, TSR_LANES_CONSECUTIVE);
  tsr_layout_cost c = cost("spatial(32, 1)", "row_major(32, 32)", o);
  (void)c;
  c = cost("local(1, 32).spatial(32, 1)", "row_major(32, 32)", o);
  assert_int_equal(c.vector_elements, 4); /* 4 lanes a phase... */
  assert_int_equal(c.ways, 8);            /* 8 lanes a phase, all in the same 4 banks */
  o.max_vector_bits = 32;
  c = cost("local(1, 32).spatial(32, 1)", "row_major(32, 32)", o);
  assert_int_equal(c.vector_elements, 1);
  assert_int_equal(c.ways, 32);
  assert_int_equal(c.sectors, 32 * 32);
  char text[1000];
  tsr_layout_cost_explain(&c, &o, text, sizeof text);
  assert_non_null(strstr(text, "32-way conflict: lanes 0, 1, 2"));
  /* Broadcast is no conflict. */
  c = cost("replicated(1, 1, num_workers=32)", "row_major(1, 1)", o);
  assert_int_equal(c.ways, 1);
  assert_int_equal(c.sectors, 1);
  /* Coalesced: 32 lanes x 4 bytes are 4 sectors. */
  c = cost("local(4, 1).spatial(1, 32)", "row_major(4, 32)", o);
  assert_int_equal(c.sectors, 4 * 4);
  assert_int_equal(c.ideal_sectors, 4 * 4);
  assert_int_equal(c.registers, 4);
  /* Every second element: half of each sector is wasted. */
  c = cost("local(4, 1).spatial(1, 32)", "(4,32):(64,2)", o);
  assert_int_equal(c.sectors, 4 * 8);
  assert_int_equal(c.ideal_sectors, 4 * 4);
  assert_int_equal(c.ways, 2);
  assert_float_equal(tsr_gemm_loads_per_output(16, 16, 1024), 1024.0 / 8, 0); /* CK 7.23: K / 8 */
  assert_float_equal(tsr_gemm_loads_per_output(1, 1, 1024), 2048.0, 0);       /* naive: 2 K */
  /* CK 7.23 says 256 times fewer for the 256 x 256 block. */
  assert_float_equal(2048.0 / tsr_gemm_loads_per_output(256, 256, 1024), 256.0, 0);
  tsr_layout_value l = parse("spatial(4, 4)"), m = parse("row_major(4, 2)");
  FAILS("does not fit", tsr_layout_cost_of(&c, &l.layout, &m.memory, &o, err));
  o.banks = 48;
  FAILS("48 banks", tsr_layout_cost_of(&c, &l.layout, &l.memory, &o, err));
}

/* ---- a simulated warp ----------------------------------------------------------------------- */

/* Byte-by-byte: which sectors, which words of which banks, in which phase. Lanes are grouped as
 * AMD's list of groups says, written out. */
static int phase(const tsr_cost_options *o, int lane, int bytes) {
  static const int lists[8][8] = {
      {0, 1, 2, 3, 20, 21, 22, 23},     {4, 5, 6, 7, 16, 17, 18, 19},
      {8, 9, 10, 11, 28, 29, 30, 31},   {12, 13, 14, 15, 24, 25, 26, 27},
      {32, 33, 34, 35, 52, 53, 54, 55}, {36, 37, 38, 39, 48, 49, 50, 51},
      {40, 41, 42, 43, 60, 61, 62, 63}, {44, 45, 46, 47, 56, 57, 58, 59}};
  if (o->groups == TSR_LANES_LDS_READ && bytes == 16 && o->banks == 32)
    for (int g = 0; g < 8; g++)
      for (int i = 0; i < 8; i++)
        if (lists[g][i] == lane) return g;
  return bytes <= 4 ? lane / o->banks : lane * bytes / (4 * o->banks);
}

static void simulate(const tsr_layout *l, const tsr_memory_layout *m, const tsr_cost_options *o,
                     int vector, int64_t *sectors, int64_t *wavefronts, int *ways) {
  int64_t workers = tsr_layout_spatial_size(l), slots = tsr_layout_local_size(l);
  int bytes = vector * o->element_bits / 8;
  int64_t reach = tsr_memory_extent(m) * o->element_bits / 8 + 64;
  uint8_t *sector = malloc((size_t)reach), *word = malloc((size_t)reach);
  *sectors = *wavefronts = *ways = 0;
  for (int64_t first = 0; first < workers; first += o->warp_size)
    for (int64_t s = 0; s < slots; s++) {
      int32_t x[16];
      int64_t base[64];
      bool starts = true;
      int lanes = (int)(workers - first < o->warp_size ? workers - first : o->warp_size);
      for (int k = 0; k < lanes; k++) {
        tsr_layout_get_global(l, (int32_t)(first + k), (int32_t)s, x);
        base[k] = tsr_memory_offset(m, x);
        starts &= base[k] % vector == 0;
        base[k] = base[k] * o->element_bits / 8;
      }
      if (!starts) continue; /* in the middle of another slot's vector */
      memset(sector, 0, (size_t)reach);
      for (int k = 0; k < lanes; k++)
        for (int b = 0; b < bytes; b++) {
          int64_t at = (base[k] + b) / 32;
          *sectors += !sector[at];
          sector[at] = 1;
        }
      for (int p = 0; p < 64; p++) {
        int bank[64] = {0}, most = 0;
        memset(word, 0, (size_t)reach);
        for (int k = 0; k < lanes; k++) {
          if (phase(o, k, bytes) != p) continue;
          for (int b = 0; b < bytes; b++) {
            int64_t at = (base[k] + b) / 4;
            if (word[at]) continue;
            word[at] = 1;
            if (++bank[at % o->banks] > most) most = bank[at % o->banks];
          }
        }
        *wavefronts += most;
        if (most > *ways) *ways = most;
      }
    }
  free(sector);
  free(word);
}

static int64_t by_memory(const void *user, const int32_t *index) {
  return tsr_memory_offset(user, index);
}

static void test_random(void **state) {
  (void)state;
  rng r = {31};
  int wide = 0, conflicts = 0, odd = 0;
  for (int round = 0; round < 1500; round++) {
    bool pow2 = round % 3;
    tsr_layout l = random_layout(&r, 2, 6, pow2, true);
    if (tsr_layout_spatial_size(&l) * tsr_layout_local_size(&l) > 8192) continue;
    tsr_memory_layout m;
    uint32_t kind = rng_below(&r, 4);
    if (kind == 0)
      OK(tsr_memory_column_major(&m, 2, l.shape, err));
    else if (kind == 1)
      OK(tsr_memory_strided(&m, 2, l.shape, (int64_t[]){l.shape[1] + (int32_t)rng_below(&r, 9), 1},
                            err));
    else
      OK(tsr_memory_row_major(&m, 2, l.shape, err));
    if (kind == 3) OK(tsr_memory_swizzled(&m, &m, 2, rng_below(&r, 4), 2 + rng_below(&r, 3), err));
    tsr_cost_options o =
        options(8 << rng_below(&r, 4), rng_below(&r, 2) ? 64 : 32, rng_below(&r, 2) ? 64 : 32,
                rng_below(&r, 2) ? TSR_LANES_LDS_READ : TSR_LANES_CONSECUTIVE);
    tsr_layout_cost c, d;
    OK(tsr_layout_cost_of(&c, &l, &m, &o, err));
    int64_t sectors, wavefronts;
    int ways;
    simulate(&l, &m, &o, c.vector_elements, &sectors, &wavefronts, &ways);
    assert_int_equal(c.sectors, sectors);
    assert_int_equal(c.wavefronts, wavefronts);
    assert_int_equal(c.ways, ways);
    assert_true(c.wavefronts >= c.ideal_wavefronts && c.sectors >= c.ideal_sectors);
    wide += c.vector_elements > 1;
    conflicts += c.ways > 1;
    /* Counting every request, or one that stands for all, is the same where vectors agree. */
    OK(tsr_layout_cost_by_offset(&d, &l, by_memory, &m, &o, err));
    assert_true(d.vector_elements <= c.vector_elements || !pow2);
    if (d.vector_elements == c.vector_elements) {
      assert_int_equal(c.sectors, d.sectors);
      assert_int_equal(c.wavefronts, d.wavefronts);
      assert_int_equal(c.ideal_sectors, d.ideal_sectors);
      assert_int_equal(c.ways, d.ways);
      odd++;
    }
  }
  assert_true(wide > 50 && conflicts > 50 && odd > 200);
}

static void test_proposals(void **state) {
  (void)state;
  tsr_cost_options o = options(32, 32, 32, TSR_LANES_CONSECUTIVE);
  o.max_vector_bits = 32;
  tsr_layout_value store = parse("local(32, 1).spatial(1, 32)");
  tsr_layout_value load = parse("local(1, 32).spatial(32, 1)");
  tsr_layout_value m = parse("row_major(32, 32)");
  tsr_memory_layout best;
  tsr_layout_cost c;
  OK(tsr_memory_propose_swizzle(&best, &m.memory, &store.layout, &load.layout, &o, err));
  assert_int_equal(best.swizzle_bits, 5);
  assert_int_equal(best.swizzle_base, 0);
  assert_int_equal(best.swizzle_shift, 5);
  OK(tsr_layout_cost_of(&c, &load.layout, &best, &o, err));
  assert_int_equal(c.ways, 1);
  OK(tsr_memory_propose_swizzle(&best, &m.memory, &store.layout, NULL, &o, err));
  assert_int_equal(best.swizzle_bits, 0); /* nothing to gain */
  FAILS("serves a store or a load",
        tsr_memory_propose_swizzle(&best, &m.memory, NULL, NULL, &o, err));
}

/* Wavefronts and the narrower vector of a store and a load, either of which may be NULL. */
static int64_t both_ways(const tsr_layout *store, const tsr_layout *load,
                         const tsr_memory_layout *m, tsr_cost_options o, int64_t *ideal,
                         int32_t *vector) {
  tsr_layout_cost c;
  int64_t sum = *ideal = 0;
  *vector = 128;
  for (int side = 0; side < 2; side++) {
    const tsr_layout *l = side ? load : store;
    tsr_cost_options as = o;
    if (!side) as.groups = TSR_LANES_CONSECUTIVE;
    if (!l) continue;
    OK(tsr_layout_cost_of(&c, l, m, &as, err));
    sum += c.wavefronts;
    *ideal += c.ideal_wavefronts;
    *vector = c.vector_elements < *vector ? c.vector_elements : *vector;
  }
  return sum;
}

static int log2_of(int64_t n) {
  int bits = 0;
  while (1ll << bits < n) bits++;
  return bits;
}

/* Every swizzle that may be proposed, costed by looking at the lanes: the first of the best. */
static tsr_memory_layout best_swizzle(const tsr_layout *store, const tsr_layout *load,
                                      const tsr_memory_layout *plain, tsr_cost_options o) {
  tsr_memory_layout best = *plain, m;
  int64_t ideal, extent = tsr_memory_extent(plain);
  int32_t vector, other;
  int64_t least = both_ways(store, load, plain, o, &ideal, &vector);
  if (least == ideal) return best;
  int base = log2_of(vector), free_bits = log2_of(o.banks) + 5 - log2_of(o.element_bits) - base;
  for (int bits = 1; bits <= free_bits; bits++)
    for (int shift = bits; shift < 16 && 1ll << (base + shift) < extent; shift++) {
      if (tsr_memory_swizzled(&m, plain, (uint32_t)bits, (uint32_t)base, (uint32_t)shift, NULL) !=
              TSR_OK ||
          tsr_memory_extent(&m) > extent)
        continue;
      int64_t now = both_ways(store, load, &m, o, &ideal, &other);
      if (now >= least) continue;
      least = now;
      best = m;
      if (now == ideal) return best;
    }
  return best;
}

/* The search computes wavefronts from ranks where maps are linear; here lanes are looked at. */
static void test_proposals_against_all(void **state) {
  (void)state;
  rng r = {35};
  int swizzled = 0, reads = 0;
  for (int round = 0; round < 1500; round++) {
    tsr_layout store = random_layout(&r, 2, 6, round % 5 > 0, true), load;
    if (tsr_layout_spatial_size(&store) * tsr_layout_local_size(&store) > 4096) continue;
    tsr_memory_layout m, best;
    uint32_t kind = rng_below(&r, 3);
    if (kind == 0)
      OK(tsr_memory_column_major(&m, 2, store.shape, err));
    else
      OK(tsr_memory_row_major(&m, 2, store.shape, err));
    /* The load reads the same tile in another manner. */
    OK(tsr_layout_auto_local_spatial(&load, 32 << rng_below(&r, 3), 2, store.shape, NULL) == TSR_OK
           ? TSR_OK
           : tsr_layout_local(&load, 2, store.shape, NULL, err));
    if (kind == 2) load = store;
    tsr_cost_options o =
        options(8 << rng_below(&r, 5), rng_below(&r, 2) ? 64 : 32, rng_below(&r, 2) ? 64 : 32,
                rng_below(&r, 2) ? TSR_LANES_LDS_READ : TSR_LANES_CONSECUTIVE);
    const tsr_layout *s = rng_below(&r, 3) ? &store : NULL, *l = !s || rng_below(&r, 3) ? &load : 0;
    OK(tsr_memory_propose_swizzle(&best, &m, s, l, &o, err));
    tsr_memory_layout want = best_swizzle(s, l, &m, o);
    assert_int_equal(best.swizzle_bits, want.swizzle_bits);
    assert_int_equal(best.swizzle_base, want.swizzle_base);
    assert_int_equal(best.swizzle_shift, want.swizzle_shift);
    swizzled += want.swizzle_bits > 0;
    reads += want.swizzle_bits > 0 && l && o.groups == TSR_LANES_LDS_READ && o.banks == 32;
  }
  assert_true(swizzled > 100 && reads > 20);
}

/* The map's worst element is the worst phase, and every element is in some phase. */
static void test_conflict_map(void **state) {
  (void)state;
  rng r = {32};
  static int32_t ways[8192];
  for (int round = 0; round < 300; round++) {
    tsr_layout l = random_layout(&r, 2, 6, round % 2, true);
    tsr_memory_layout m;
    tsr_layout_cost c;
    int64_t n = tsr_layout_size(&l);
    if (tsr_layout_spatial_size(&l) * tsr_layout_local_size(&l) > 8192) continue;
    tsr_cost_options o = options(8 << rng_below(&r, 3), 32, 32, TSR_LANES_CONSECUTIVE);
    OK(tsr_memory_row_major(&m, 2, l.shape, err));
    OK(tsr_layout_cost_of(&c, &l, &m, &o, err));
    OK(tsr_layout_conflict_map(ways, (size_t)n, &l, &m, &o, err));
    int32_t most = 0;
    for (int64_t i = 0; i < n; i++) {
      assert_true(ways[i] >= 1);
      most = ways[i] > most ? ways[i] : most;
    }
    assert_int_equal(most, c.ways);
    FAILS("room for", tsr_layout_conflict_map(ways, (size_t)n + 1, &l, &m, &o, err));
  }
}

/* ---- options of other versions -------------------------------------------------------------- */

/* The options of an older caller end behind `banks`; what lies behind them is not read. */
static void test_sizes_of_cost_options(void **state) {
  (void)state;
  tsr_layout_value v = parse("spatial(32,1).local(1,8)"), in = parse("row_major(32, 64)");
  tsr_cost_options o = options(16, 32, 32, TSR_LANES_CONSECUTIVE);
  tsr_layout_cost now = cost("spatial(32,1).local(1,8)", "row_major(32, 64)", o), older, newer;
  struct {
    tsr_cost_options o;
    int more;
  } large = {o, 99};
  large.o.struct_size = sizeof large;
  OK(tsr_layout_cost_of(&newer, &v.layout, &in.memory, &large.o, err));
  assert_memory_equal(&newer, &now, sizeof now);
  o.struct_size = offsetof(tsr_cost_options, max_vector_bits);
  o.max_vector_bits = -1;
  OK(tsr_layout_cost_of(&older, &v.layout, &in.memory, &o, err));
  assert_memory_equal(&older, &now, sizeof now);
  int32_t ways[256];
  tsr_memory_layout better;
  OK(tsr_layout_conflict_map(ways, 256, &v.layout, &in.memory, &o, err));
  OK(tsr_memory_propose_swizzle(&better, &in.memory, &v.layout, NULL, &o, err));
  char text[600];
  assert_true(tsr_layout_cost_explain(&now, &o, text, sizeof text) > 0);
  o.struct_size--;
  const char *want = "tsr_cost_options.struct_size is 19: set it to sizeof(tsr_cost_options)";
  FAILS(want, tsr_layout_cost_of(&older, &v.layout, &in.memory, &o, err));
  FAILS(want, tsr_layout_cost_by_offset(&older, &v.layout, by_memory, &in.memory, &o, err));
  FAILS(want, tsr_layout_conflict_map(ways, 256, &v.layout, &in.memory, &o, err));
  FAILS(want, tsr_memory_propose_swizzle(&better, &in.memory, &v.layout, NULL, &o, err));
  assert_int_equal(tsr_layout_cost_explain(&now, &o, text, sizeof text), 0);
  assert_string_equal(text, "");
}

static void test_sizes_of_picture_options(void **state) {
  (void)state;
  static char now[1 << 16], other[1 << 16];
  tsr_layout_value v = parse("spatial(2, 3).local(3, 4)");
  tsr_svg_options o = {.struct_size = sizeof o, .arrows_of = 3};
  struct {
    tsr_svg_options o;
    int more;
  } large = {{.struct_size = sizeof large, .arrows_of = 3}, 99};
  size_t n = tsr_layout_svg(&v, &o, now, sizeof now);
  assert_in_range(n, 1000, sizeof now - 1);
  tsr_layout_svg(&v, &large.o, other, sizeof other);
  assert_string_equal(other, now);
  o.struct_size = offsetof(tsr_svg_options, heat);
  o.title = "read by nobody";
  tsr_layout_svg(&v, &o, other, sizeof other);
  assert_string_equal(other, now);
  assert_true(tsr_layout_png(&v, &o, NULL, 0) > 0);
  o.struct_size--;
  assert_int_equal(tsr_layout_svg(&v, &o, other, sizeof other), 0);
  assert_string_equal(other, "");
  assert_int_equal(tsr_layout_png(&v, &o, NULL, 0), 0);
}

static void test_sizes_of_print_options(void **state) {
  (void)state;
  char now[200], other[200];
  tsr_layout_value v = parse("spatial(16, 16)");
  tsr_layout_print_options o = {.struct_size = sizeof o, .format = TSR_FORMAT_CK};
  assert_true(tsr_layout_print(&v, &o, now, sizeof now) < sizeof now);
  o.warp_size = 64;
  o.struct_size = offsetof(tsr_layout_print_options, warp_size);
  tsr_layout_print(&v, &o, other, sizeof other);
  assert_string_equal(other, now);
  o.struct_size = sizeof o + 8;
  tsr_layout_print(&v, &o, other, sizeof other);
  assert_non_null(strstr(other, "(1, 0)], ["));
  o.struct_size = 8;
  assert_int_equal(tsr_layout_print(&v, &o, other, sizeof other), 0);
  assert_string_equal(other, "");
}

static int count(const char *text, const char *what) {
  int n = 0;
  for (const char *p = text; (p = strstr(p, what)) != NULL; p++) n++;
  return n;
}

static void test_svg(void **state) {
  (void)state;
  static char text[1 << 20];
  tsr_svg_options o = {.struct_size = sizeof o, .arrows_of = 3};
  tsr_layout_value v = parse("mma.m16n8k16.C");
  size_t n = tsr_layout_svg(&v, &o, text, sizeof text);
  assert_int_equal(n, strlen(text));
  assert_int_equal(tsr_layout_svg(&v, &o, NULL, 0), n);
  assert_int_equal(count(text, "<rect x="), 128);
  assert_int_equal(count(text, "<line"), 3);
  assert_int_equal(count(text, "<g "), count(text, "</g>"));
  assert_int_equal(count(text, "<text"), count(text, "</text>"));
  assert_int_equal(count(text, ">31:3</text>"), 1);
  assert_int_equal(count(text, "a colour for each worker"), 1);
  /* Nothing in it is said of other pictures of a page. */
  assert_int_equal(count(text, "<style>.tsr-layout "), 1);
  assert_int_equal(count(text, "}text{") + count(text, "}rect{"), 0);
  v = parse("Sw<1,0,3> o (4,2,8):(16,8,1)");
  o.title = "<a & b>";
  tsr_layout_svg(&v, &o, text, sizeof text);
  assert_int_equal(count(text, "<rect x="), 64);
  assert_int_equal(count(text, "&lt;a &amp; b&gt;"), 1);
  v = parse("local(1024, 1024)");
  tsr_layout_svg(&v, &o, text, sizeof text);
  assert_int_equal(count(text, "are not drawn"), 1);
}

/* Cut anywhere, it writes no further and says the same length. tests/cli/pictures.test looks at
 * what is drawn. */
static void test_png(void **state) {
  (void)state;
  static uint8_t whole[1 << 18], part[1 << 18];
  tsr_layout_value v = parse("local(2, 4).spatial(4, 8)");
  tsr_svg_options o = {.struct_size = sizeof o, .arrows_of = 3, .title = "\xc3\xa9t\xc3\xa9 <1>"};
  size_t n = tsr_layout_png(&v, &o, whole, sizeof whole);
  assert_true(n > 1000 && n < sizeof whole);
  assert_int_equal(tsr_layout_png(&v, &o, NULL, 0), n);
  for (size_t cut = 1; cut < n; cut = cut * 3 + 1) {
    memset(part, 0xa5, sizeof part);
    assert_int_equal(tsr_layout_png(&v, &o, part, cut), n);
    assert_memory_equal(part, whole, cut);
    assert_int_equal(part[cut], 0xa5);
  }
  assert_memory_equal(whole + n - 8, "IEND\xae\x42\x60\x82", 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lds_write),
      cmocka_unit_test(test_lds_read),
      cmocka_unit_test(test_ldmatrix),
      cmocka_unit_test(test_small_cases),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_proposals),
      cmocka_unit_test(test_proposals_against_all),
      cmocka_unit_test(test_conflict_map),
      cmocka_unit_test(test_svg),
      cmocka_unit_test(test_png),
      cmocka_unit_test(test_sizes_of_cost_options),
      cmocka_unit_test(test_sizes_of_picture_options),
      cmocka_unit_test(test_sizes_of_print_options),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
