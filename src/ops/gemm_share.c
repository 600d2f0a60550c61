/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm by a fixed number of tile blocks: each goes through several tiles (share=tiles, which is
 * called persistent), or takes an equal run of the steps along k of all tiles, one tile after the
 * other (stream-K).
 *
 * A tile whose steps are all one block's is finished by that block. Of others, each block leaves
 * its sum of a tile in the workspace: in one of two places of its own, for the first tile of its
 * run and for a later one, or (share=atomic) in the tile's place, to which all blocks add. Then
 * "combine" finishes these tiles.
 *
 * Tiles are numbered along the rows first, then the columns, then the products.
 */
#include "ops/gemm.h"

/* ---- launches -------------------------------------------------------------------------------- */

/* Steps along k of all tiles, and how they are divided: the first `extra` blocks have one more. */
typedef struct share_counts {
  int64_t x, y, tiles, steps, each, extra;
} share_counts;

static share_counts counts_of(const ops_problem *p) {
  share_counts c = {.x = ops_tiles_of(gemm_block_rows(p), gemm_get(p, GEMM_tile_m)),
                    .y = MAX(ops_tiles_of(gemm_get(p, GEMM_n), gemm_get(p, GEMM_tile_n)), 1),
                    .steps = MAX(ops_tiles_of(gemm_get(p, GEMM_k), gemm_get(p, GEMM_tile_k)), 1)};
  c.tiles = c.x * c.y * gemm_block_batch(p);
  c.each = c.tiles * c.steps / gemm_blocks(p);
  c.extra = c.tiles * c.steps % gemm_blocks(p);
  return c;
}

void gemm_pass_share(const ops_problem *p, ops_step *s) {
  share_counts c = counts_of(p);
  ops_pass_word(s, "tiles_x", c.x);
  ops_pass_word(s, "tiles_y", c.y);
  ops_pass_word(s, "tiles", c.tiles);
  if (!gemm_is_stream(p)) return;
  ops_pass_word(s, "steps", c.steps);
  ops_pass_word(s, "each", c.each);
  ops_pass_word(s, "extra", c.extra);
}

int64_t gemm_share_tiles(const ops_problem *p) {
  return counts_of(p).tiles;
}

double gemm_waiting_sums(const ops_problem *p) {
  share_counts c = counts_of(p);
  bool whole = c.extra == 0 && c.each % c.steps == 0;
  return whole ? 0 : 2.0 * (double)gemm_blocks(p);
}

/* Sums of tiles that wait: one for each tile, or two for each block. */
void gemm_pass_sums(const ops_problem *p, ops_steps *steps, ops_step *s) {
  int64_t places = gemm_is_atomic(p) ? counts_of(p).tiles : 2 * gemm_blocks(p);
  int64_t size = gemm_get(p, GEMM_tile_m) * gemm_get(p, GEMM_tile_n);
  ops_pass_workspace(steps, s, "sums", ops_type_elem(gemm_partial_type(p)), places * size);
}

bool gemm_check_share(const ops_problem *p, ops_why *why) {
  static const char *const words[] = {"tiles", "ordered", "atomic"};
  const char *share = words[gemm_get(p, GEMM_share)];
  ops_type sum = gemm_partial_type(p);
  if (!gemm_blocks(p))
    return !gemm_get(p, GEMM_share) ||
           ops_refuse(why, "share=%s goes with blocks of at least 1", share);
  if (gemm_get(p, GEMM_split_k) != 1)
    return ops_refuse(why, "split_k=%lld, but blocks=%lld share all steps; give split_k=1",
                      (long long)gemm_get(p, GEMM_split_k), (long long)gemm_blocks(p));
  share_counts c = counts_of(p);
  if ((double)c.tiles * (double)c.steps > INT32_MAX)
    return ops_refuse(why, "blocks=%lld would share %.0f steps; at most 2^31 - 1 are possible",
                      (long long)gemm_blocks(p), (double)c.tiles * (double)c.steps);
  if (!gemm_is_stream(p)) return true;
  if (gemm_get(p, GEMM_rows) || gemm_gate(p))
    return ops_refuse(why, "share=%s goes with rows=one and without a gate; give share=tiles",
                      share);
  if (!gemm_is_atomic(p) || ops_type_bits(sum) >= 32) return true;
  return ops_refuse(why, "share=atomic: sums of %s are not added to memory; give share=ordered",
                    ops_type_name(sum));
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static tsr_value word(gemm_kernel *g, const char *name) {
  return ops_arg(g->b, name);
}

static tsr_value least(gemm_kernel *g, tsr_value x, tsr_value y) {
  return tsr_build_mini(g->b->b, x, y, TSR_SIGNED);
}

static tsr_value most(gemm_kernel *g, tsr_value x, tsr_value y) {
  return tsr_build_maxi(g->b->b, x, y, TSR_SIGNED);
}

static tsr_value times(gemm_kernel *g, tsr_value x, tsr_value y) {
  return tsr_build_muli(g->b->b, x, y);
}

static tsr_value over(gemm_kernel *g, tsr_value x, tsr_value y) {
  return tsr_build_divi(g->b->b, x, y, TSR_SIGNED);
}

static tsr_value plus(gemm_kernel *g, tsr_value x, tsr_value y) {
  return tsr_build_addi(g->b->b, x, y);
}

static tsr_value minus(gemm_kernel *g, tsr_value x, tsr_value y) {
  return tsr_build_subi(g->b->b, x, y);
}

static tsr_value is_same(gemm_kernel *g, tsr_value x, tsr_value y) {
  return tsr_build_cmpi(g->b->b, x, y, TSR_CMP_EQUAL, TSR_SIGNED);
}

/* The first step of a block's run. */
static tsr_value begin_of(gemm_kernel *g, tsr_value block) {
  return plus(g, times(g, block, word(g, "each")), least(g, block, word(g, "extra")));
}

/* The block that has a step. */
static tsr_value block_of(gemm_kernel *g, tsr_value step) {
  ops_build *b = g->b;
  tsr_value each = word(g, "each"), extra = word(g, "extra"), one = ops_i32(b, 1);
  tsr_value more = plus(g, each, one), long_steps = times(g, extra, more);
  tsr_value early = tsr_build_cmpi(b->b, step, long_steps, TSR_CMP_LESS_THAN, TSR_SIGNED);
  tsr_value late = over(g, minus(g, step, long_steps), most(g, each, one));
  return tsr_build_select(b->b, early, over(g, step, more), plus(g, extra, late));
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* From here on the kernel's tile block is that of a tile. */
static void go_to_tile(ops_build *b, tsr_value tile) {
  tsr_value sizes[3] = {ops_arg(b, "tiles"), ops_arg(b, "tiles_y"), ops_arg(b, "tiles_x")};
  tsr_value at[3];
  ops_take_apart(b, tile, sizes, 3, at);
  b->block[2] = at[0], b->block[1] = at[1], b->block[0] = at[2];
}

/* Place `at` of the sums. */
static ops_tiles sums_view(gemm_kernel *g) {
  int64_t size = g->tile_m * g->tile_n;
  return ops_view(g->b,
                  &(ops_view_spec){.base = ops_arg(g->b, "sums"),
                                   .elem = ops_type_elem(gemm_partial_type(g->p)),
                                   .rank = 3,
                                   .sizes = {ops_index(g->b, INT32_MAX / 2)},
                                   .strides = {ops_index(g->b, size), ops_index(g->b, g->tile_n)},
                                   .known = {0, g->tile_m, g->tile_n},
                                   .tile = {1, g->tile_m, g->tile_n},
                                   .padding = TSR_PADDING_NONE});
}

static tsr_value load_sum(gemm_kernel *g, tsr_value at) {
  ops_tiles t = sums_view(g);
  tsr_value zero = ops_i32(g->b, 0);
  return ops_reshape(g->b, ops_load(g->b, &t, TSR_VALUES(at, zero, zero)),
                     TSR_INTS(g->tile_m, g->tile_n));
}

static void store_sum(gemm_kernel *g, tsr_value sum, tsr_value at) {
  ops_tiles t = sums_view(g);
  tsr_value zero = ops_i32(g->b, 0);
  sum = ops_reshape(g->b, sum, TSR_INTS(1, g->tile_m, g->tile_n));
  ops_store(g->b, sum, &t, TSR_VALUES(at, zero, zero));
}

static void add_sum(gemm_kernel *g, tsr_value sum, tsr_value at) {
  ops_tiles t = sums_view(g);
  tsr_value zero = ops_i32(g->b, 0);
  sum = ops_reshape(g->b, sum, TSR_INTS(1, g->tile_m, g->tile_n));
  tsr_build_atomic_red_view_tko(
      g->b->b, t.view, TSR_VALUES(at, zero, zero), sum, TSR_MEMORY_RELAXED, TSR_SCOPE_DEVICE,
      ops_type_is_int(gemm_partial_type(g->p)) ? TSR_RMW_ADD : TSR_RMW_ADDF);
}

/* ---- kernels --------------------------------------------------------------------------------- */

void gemm_build_tiles(ops_build *b, void (*one)(ops_build *b)) {
  tsr_value own[3] = {b->block[0], b->block[1], b->block[2]};
  tsr_value blocks = ops_i32(b, gemm_blocks(b->p));
  tsr_value rest = tsr_build_subi(b->b, ops_arg(b, "tiles"), own[0]);
  tsr_value turns = ops_ceil_div(b, rest, gemm_blocks(b->p));
  ops_loop(b, ops_i32(b, 0), turns, TSR_VALUES());
  tsr_value turn = tsr_build_arg(b->b, 0);
  go_to_tile(b, tsr_build_addi(b->b, own[0], tsr_build_muli(b->b, turn, blocks)));
  one(b);
  ops_loop_end(b, TSR_VALUES());
  memcpy(b->block, own, sizeof own);
}

/* What becomes of a block's sum of a tile: c where it has all steps, else it waits. */
static void end_tile(gemm_kernel *g, const tsr_value *sums, tsr_value tile, tsr_value own,
                     tsr_value first_tile) {
  ops_build *b = g->b;
  tsr_value all = word(g, "steps"), zero = ops_i32(b, 0);
  tsr_value whole = tsr_build_andi(b->b, is_same(g, g->first, zero), is_same(g, g->end, all));
  tsr_build_if(b->b, whole);
  gemm_end(g, sums);
  tsr_build_else(b->b);
  if (gemm_is_atomic(g->p)) {
    add_sum(g, sums[0], tile);
  } else {
    tsr_value later = tsr_build_select(b->b, is_same(g, tile, first_tile), zero, ops_i32(b, 1));
    store_sum(g, sums[0], plus(g, times(g, own, ops_i32(b, 2)), later));
  }
  tsr_build_end(b->b);
}

void gemm_build_stream(ops_build *b, gemm_kernel (*begin)(ops_build *b),
                       void (*sum)(gemm_kernel *g, tsr_value sums[2])) {
  gemm_kernel s = {.b = b, .p = b->p};
  tsr_value own = b->block[0], steps = ops_arg(b, "steps"), sums[2];
  tsr_value first = begin_of(&s, own), end = begin_of(&s, plus(&s, own, ops_i32(b, 1)));
  tsr_value first_tile = over(&s, first, steps);
  tsr_value last = plus(&s, end, minus(&s, steps, ops_i32(b, 1)));
  tsr_value is_some = tsr_build_cmpi(b->b, first, end, TSR_CMP_LESS_THAN, TSR_SIGNED);
  tsr_value end_of_tiles = tsr_build_select(b->b, is_some, over(&s, last, steps), first_tile);
  ops_loop(b, first_tile, end_of_tiles, TSR_VALUES());
  tsr_value tile = tsr_build_arg(b->b, 0), begin_step = times(&s, tile, steps);
  go_to_tile(b, tile);
  gemm_kernel g = begin(b);
  g.first = most(&g, minus(&g, first, begin_step), ops_i32(b, 0));
  g.end = least(&g, minus(&g, end, begin_step), steps);
  sum(&g, sums);
  end_tile(&g, sums, tile, own, first_tile);
  ops_loop_end(b, TSR_VALUES());
}

void gemm_build_clear(gemm_kernel *g) {
  tsr_elem elem = ops_type_elem(gemm_partial_type(g->p));
  store_sum(g, ops_full(g->b, elem, TSR_INTS(g->tile_m, g->tile_n), 0), g->b->block[0]);
}

/* The sums of a tile from the first to the last block that has some of its steps. */
static tsr_value ordered_sum(gemm_kernel *g, tsr_value tile, tsr_value first, tsr_value last) {
  ops_build *b = g->b;
  tsr_elem elem = ops_type_elem(gemm_partial_type(g->p));
  tsr_value zero = ops_full(b, elem, TSR_INTS(g->tile_m, g->tile_n), 0);
  tsr_op *loop = ops_loop(b, first, plus(g, last, ops_i32(b, 1)), TSR_VALUES(zero));
  tsr_value block = tsr_build_arg(b->b, 0), so_far = tsr_build_arg(b->b, 1);
  tsr_value its_first = over(g, begin_of(g, block), word(g, "steps"));
  tsr_value later =
      tsr_build_select(b->b, is_same(g, tile, its_first), ops_i32(b, 0), ops_i32(b, 1));
  tsr_value at = plus(g, times(g, block, ops_i32(b, 2)), later);
  ops_loop_end(b, TSR_VALUES(ops_add(b, so_far, load_sum(g, at))));
  return tsr_op_result(loop, 0);
}

void gemm_build_stream_end(ops_build *b, gemm_kernel (*begin)(ops_build *b)) {
  gemm_kernel s = {.b = b, .p = b->p};
  tsr_value tile = b->block[0], steps = ops_arg(b, "steps"), one = ops_i32(b, 1);
  tsr_value step = times(&s, tile, steps);
  tsr_value first = block_of(&s, step);
  tsr_value last = block_of(&s, plus(&s, step, minus(&s, steps, one)));
  tsr_build_if(b->b, tsr_build_cmpi(b->b, first, last, TSR_CMP_LESS_THAN, TSR_SIGNED));
  go_to_tile(b, tile);
  gemm_kernel g = begin(b);
  tsr_value sum = gemm_is_atomic(g.p) ? load_sum(&g, tile) : ordered_sum(&g, tile, first, last);
  gemm_end(&g, &sum);
  tsr_build_end(b->b);
}
