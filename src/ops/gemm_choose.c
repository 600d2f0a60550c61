/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "ops/gemm.h"

/* ---- support --------------------------------------------------------------------------------- */

static bool check_groups(const ops_problem *p, ops_why *why) {
  int64_t group = gemm_get(p, GEMM_group), group_n = gemm_get(p, GEMM_group_n);
  int64_t tile_k = gemm_get(p, GEMM_tile_k), tile_n = gemm_get(p, GEMM_tile_n);
  bool a = gemm_get(p, GEMM_scale_a) == GEMM_SCALE_GROUP;
  bool b = gemm_get(p, GEMM_scale_b) == GEMM_SCALE_GROUP;
  bool several = gemm_scales_elements(p) && tile_k % group == 0;
  if ((a || b) && group % tile_k != 0 && !several)
    return ops_refuse(why,
                      "group=%lld is no multiple of tile_k=%lld: a step along k must have one "
                      "scale; give a group that is a multiple of 16",
                      (long long)group, (long long)tile_k);
  if (b && group_n % tile_n != 0 && tile_n % group_n != 0)
    return ops_refuse(why,
                      "group_n=%lld neither divides tile_n=%lld nor is a multiple of it; give a "
                      "power of two",
                      (long long)group_n, (long long)tile_n);
  return true;
}

static bool check_grid(const ops_problem *p, ops_why *why) {
  double x = (double)ops_tiles_of(gemm_block_rows(p), gemm_get(p, GEMM_tile_m));
  double y = (double)ops_tiles_of(gemm_get(p, GEMM_n), gemm_get(p, GEMM_tile_n));
  double z = (double)gemm_block_batch(p) * (double)gemm_get(p, GEMM_split_k);
  double k = (double)ops_tiles_of(gemm_get(p, GEMM_k), gemm_get(p, GEMM_tile_k));
  if (x <= INT32_MAX && y <= INT32_MAX && z <= INT32_MAX && k <= INT32_MAX && x * y * z <= 0x1p40)
    return true;
  return ops_refuse(why,
                    "m=%lld, n=%lld, k=%lld, batch=%lld make %.0f x %.0f x %.0f tile blocks; at "
                    "most 2^31 - 1 along each axis and 2^40 altogether are possible",
                    (long long)gemm_get(p, GEMM_m), (long long)gemm_get(p, GEMM_n),
                    (long long)gemm_get(p, GEMM_k), (long long)gemm_get(p, GEMM_batch), x, y, z);
}

/* A tile of 4-bit integers has whole bytes. */
static bool check_packed(const ops_problem *p, ops_why *why) {
  bool a = ops_stride_unit(gemm_get(p, GEMM_type_a)) > 1,
       b = ops_stride_unit(gemm_get(p, GEMM_type_b)) > 1;
  bool m = a && gemm_get(p, GEMM_a) == 1, n = b && gemm_get(p, GEMM_b) == 0;
  bool k = (a && !m) || (b && !n);
  const bool packed[] = {m, n, k};
  static const unsigned tiles[] = {GEMM_tile_m, GEMM_tile_n, GEMM_tile_k};
  for (unsigned i = 0; i < 3; i++)
    if (packed[i] && gemm_get(p, tiles[i]) < 2)
      return ops_refuse(why, "%s=1: 4-bit integers lie two to a byte along it, so give 2 or more",
                        p->family->params[tiles[i]].name);
  return true;
}

enum { TILE_MAX = 1 << 16, STEP_MAX = 1 << 17 };

static bool check_tile(const ops_problem *p, ops_why *why) {
  int64_t m = gemm_get(p, GEMM_tile_m), n = gemm_get(p, GEMM_tile_n), k = gemm_get(p, GEMM_tile_k);
  if (gemm_gate(p) && gemm_get(p, GEMM_split_k) != 1)
    return ops_refuse(why, "split_k=%lld, but with a gate sums are not divided; give 1",
                      (long long)gemm_get(p, GEMM_split_k));
  if (gemm_is_sorted(p) && gemm_get(p, GEMM_unit) % m != 0)
    return ops_refuse(why,
                      "unit=%lld is no multiple of tile_m=%lld: a tile has one expert; give a "
                      "power of two of at least 16",
                      (long long)gemm_get(p, GEMM_unit), (long long)m);
  if (m * n <= TILE_MAX && m * k <= STEP_MAX && k * n <= STEP_MAX) return true;
  return ops_refuse(why,
                    "tiles of %lld x %lld x %lld are too large: tile_m * tile_n is at most "
                    "65536, and 131072 with tile_k",
                    (long long)m, (long long)n, (long long)k);
}

bool gemm_supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  if (!ops_check_power(p, GEMM_tile_m, why) || !ops_check_power(p, GEMM_tile_n, why) ||
      !ops_check_power(p, GEMM_tile_k, why) || !check_tile(p, why))
    return false;
  return check_packed(p, why) && check_groups(p, why) && check_grid(p, why) &&
         gemm_check_share(p, why);
}

/* ---- candidates ------------------------------------------------------------------------------ */

typedef struct gemm_tile {
  int16_t m, n, k;
} gemm_tile;

static const gemm_tile cpu_tiles[] = {
    {128, 128, 64}, {128, 256, 64}, {64, 64, 64},   {64, 128, 64}, {32, 64, 64}, {32, 32, 32},
    {16, 1024, 16}, {16, 256, 32},  {1, 1024, 32},  {1, 256, 32},  {8, 256, 32}, {16, 64, 64},
    {256, 16, 64},  {64, 16, 64},   {128, 128, 16}, {16, 16, 16},  {1, 8, 256},  {1, 8, 512},
    {8, 64, 64},    {8, 4, 16},     {4, 4, 16},     {2, 8, 16},    {4, 4, 8},    {1, 8, 128},
    {1, 4, 32},     {1, 16, 256},   {1, 8, 1024},   {1, 16, 1024}, {4, 2, 1024}, {4, 4, 512},
    {2, 8, 512},    {8, 4, 512},    {8, 2, 1024},   {8, 4, 128},
};
/* Of sums with scales of groups, which are added once a step: longer steps, so that it is seldom.
 */
static const gemm_tile cpu_group_tiles[] = {{256, 128, 128}, {128, 128, 128}, {64, 256, 128}};
static const gemm_tile gpu_tiles[] = {
    {128, 128, 64}, {128, 256, 64}, {64, 128, 64}, {128, 64, 64}, {64, 64, 64},
    {128, 128, 32}, {64, 64, 32},   {32, 64, 64},  {16, 64, 64},  {16, 128, 64},
    {128, 128, 16}, {32, 32, 32},   {16, 16, 16},
};
static const int16_t splits[] = {1, 2, 4, 8, 16};

/* Tiles of sorted rows divide a unit of them. */
static void add_splits(const gemm_tile *tile, int64_t blocks, ops_candidates *out) {
  int64_t unit = gemm_get(out->problem, GEMM_unit), m = tile->m;
  if (gemm_is_sorted(out->problem)) m = MIN(m, unit & -unit);
  for (size_t s = 0; s < ARRAY_LEN(splits); s++)
    if (!blocks || splits[s] == 1)
      ops_candidates_add(out, (int64_t[]){m, tile->n, tile->k, splits[s], blocks});
}

/* How many tiles of a size c has. */
static int64_t tiles_of(const ops_problem *problem, const gemm_tile *tile) {
  int64_t x = ops_tiles_of(gemm_block_rows(problem), tile->m);
  int64_t y = ops_tiles_of(gemm_get(problem, GEMM_n), tile->n);
  return x * MAX(y, 1) * gemm_block_batch(problem);
}

/* Every tile on its own, or blocks that go through several: on CPUs threads do so anyway. */
static void add_whole_tiles(const gemm_tile *tile, const ops_target *t, ops_candidates *out) {
  add_splits(tile, 0, out);
  if (t->kind == OPS_ON_GPU && tiles_of(out->problem, tile) > t->cores)
    add_splits(tile, t->cores, out);
}

/* Steps are shared by all cores, or by as many as get whole tiles, so that no sum waits. */
static void add_shared(const gemm_tile *tile, const ops_target *t, ops_candidates *out) {
  int64_t cores = MAX(t->cores, 1);
  int64_t tiles = tiles_of(out->problem, tile), turns = ops_tiles_of(tiles, cores);
  add_splits(tile, cores, out);
  if (tiles && tiles % turns == 0) add_splits(tile, tiles / turns, out);
}

static void add_tiles(const gemm_tile *tiles, size_t count, const ops_target *t,
                      ops_candidates *out) {
  int64_t blocks = gemm_get(out->problem, GEMM_blocks);
  for (size_t i = 0; i < count; i++) {
    if (blocks >= 0)
      add_splits(&tiles[i], blocks, out);
    else if (gemm_get(out->problem, GEMM_share))
      add_shared(&tiles[i], t, out);
    else
      add_whole_tiles(&tiles[i], t, out);
  }
}

void gemm_candidates(const ops_target *t, ops_candidates *out) {
  if (t->kind == OPS_ON_GPU) {
    add_tiles(gpu_tiles, ARRAY_LEN(gpu_tiles), t, out);
    return;
  }
  add_tiles(cpu_tiles, ARRAY_LEN(cpu_tiles), t, out);
  if (gemm_has_groups(out->problem)) add_tiles(cpu_group_tiles, ARRAY_LEN(cpu_group_tiles), t, out);
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* How much of a core's multiply-adds tiles of a size reach: operands are packed or moved once for
 * each tile, so that long steps and wide tiles are better. */
static double efficiency(int64_t m, int64_t n, int64_t k) {
  double moved = 1.0 / (double)m + 1.0 / (double)n + 0.25 / (double)k;
  return 1 / (1 + 8 * moved);
}

/* Products of 16 and 8 bits go faster where the target has them, and f64 half as fast. */
static double type_speed(ops_type compute, const ops_target *t) {
  unsigned bits = ops_type_bits(compute);
  if (bits == 64) return 0.5;
  if (t->kind == OPS_ON_GPU) return bits == 32 ? 1 : 256.0 / bits;
  return t->bf16 && compute == TSR_BF16 ? 2 : 1;
}

/* Cycles that go to sums beside the multiplications: short steps add to all of a tile's, which wait
 * in memory where registers do not hold them; long ones to lines of GEMM_DOT_SUMS. */
static double sum_cycles(const ops_problem *p, double products, const ops_target *t) {
  enum { SHORT_STEP = 2, LONG_STEP = 12 };
  double steps = (double)gemm_get(p, GEMM_tile_k) / GEMM_DOT_SUMS;
  double registers = t->vector_bytes == 64 ? 32 : 16;
  if (steps <= 1) return SHORT_STEP + (products > registers ? products * 0.7 : 0);
  return LONG_STEP + 1.5 * products / steps;
}

/* Milliseconds of a step that multiplies element by element: multiply-adds and loads of vectors,
 * two a cycle, sums, and lines that are gone to. */
static double dot_step(const ops_problem *p, const ops_target *t) {
  double m = (double)gemm_get(p, GEMM_tile_m), n = (double)gemm_get(p, GEMM_tile_n);
  double lanes = fmax(t->vector_bytes, 4) / ops_type_bytes(gemm_get(p, GEMM_accumulate));
  double vectors = ceil((double)gemm_get(p, GEMM_tile_k) / lanes), products = m * n * vectors;
  double cycles = products / 2 + (m + n) * vectors + sum_cycles(p, products, t) + n * 0.4;
  return cycles * 4 * lanes / (t->gflops * 1e6);
}

/* Milliseconds of a step. On CPUs operands are packed, which takes about a cycle for three
 * elements, and rows beyond the matrix are not computed; tiles of few rows are computed by code
 * that does not pack, at a quarter of the rate. */
static double product_step(const ops_problem *p, const ops_target *t) {
  enum { PACKED_ROWS = 32 };
  int64_t m = gemm_get(p, GEMM_tile_m), n = gemm_get(p, GEMM_tile_n);
  int64_t k = gemm_get(p, GEMM_tile_k), all = MAX(gemm_block_rows(p), 1);
  double rate = t->gflops * 1e6 * type_speed(gemm_get(p, GEMM_compute), t);
  if (t->kind != OPS_ON_CPU || m < PACKED_ROWS)
    return 2.0 * (double)(m * n * k) / (rate * efficiency(m, n, k)) *
           (t->kind == OPS_ON_CPU ? 4 : 1);
  double rows = (double)all / (double)ops_tiles_of(all, m);
  double packed = (double)k * ((double)n * (1 + (double)n / 512) + rows / 2);
  double each = 7e-8 * 64 / fmax(t->vector_bytes, 16); /* milliseconds for an element */
  double scaled = gemm_has_groups(p) ? each * rows * (double)n : 0;
  return 2 * rows * (double)(n * k) / rate + each * packed + scaled + 1e-5;
}

double gemm_cost(const ops_problem *p, const ops_target *t) {
  int64_t tm = gemm_get(p, GEMM_tile_m), tn = gemm_get(p, GEMM_tile_n);
  int64_t tk = gemm_get(p, GEMM_tile_k), split = gemm_get(p, GEMM_split_k);
  double rows = (double)ops_tiles_of(gemm_block_rows(p), tm);
  double columns = (double)ops_tiles_of(gemm_get(p, GEMM_n), tn);
  double steps = ceil((double)ops_tiles_of(gemm_get(p, GEMM_k), tk) / (double)split);
  double blocks = rows * columns * (double)gemm_block_batch(p) * (double)split;
  bool dots = gemm_is_dot(p) && t->kind == OPS_ON_CPU;
  double step_ms = dots ? dot_step(p, t) : product_step(p, t);
  double turns = ceil(blocks / t->cores);
  bool stream = gemm_is_stream(p);
  /* Stream-K has no last turn in which cores wait, but adds up the tiles that blocks divide. */
  if (stream) turns = blocks / fmin(t->cores, (double)gemm_blocks(p));
  double a = ops_type_bytes(gemm_get(p, GEMM_type_a)), b = ops_type_bytes(gemm_get(p, GEMM_type_b));
  /* Each tile block reads its rows and columns; most of it comes from a cache. */
  double bytes = blocks * steps * ((double)(tm * tk) * a + (double)(tk * tn) * b) * 0.1;
  double waiting = stream ? gemm_waiting_sums(p) : split > 1 ? blocks : 0;
  double sums = 8.0 * waiting * (double)(tm * tn);
  double each = t->kind == OPS_ON_CPU ? 0.0001 : 0.0005; /* to begin a tile block */
  double launch_ms = 0.004 * (split > 1 || stream ? 2 : 1) + each * turns;
  double memory_ms = (bytes + sums) / (t->gbytes * 1e6);
  return turns * steps * step_ms + memory_ms + launch_ms;
}
