/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arrangements of a tile in shared memory that keep stores and loads free of bank conflicts: the
 * algorithm of "Linear Layouts" (arXiv 2505.23819), section 5.4.
 *
 * Offset bits are, from the lowest, a vector (one access of a lane), banks, and segments (rows of
 * all banks). Lanes of one phase collide when they differ only in segment bits. So segments are
 * made of index bits that no phase's lanes move, on either side; where these run out, of sums of a
 * bit that only the store's lanes move and one that only the load's do, which each side sees as a
 * bank moving along: that sum is the XOR of the swizzle.
 */
#include "layout/linear.h"

enum { BANK_BITS = 32, ALL_BANKS_BITS = 1024, MAX_VECTOR_BITS = 128 };

/* The index bits that a run of input bits moves. */
static uint64_t moved(const tsr_linear *m, uint32_t first, uint32_t count) {
  uint64_t bits = 0;
  for (uint32_t i = first; i < MIN(first + count, (uint32_t)m->in); i++) bits |= m->column[i];
  return bits;
}

/* Of the lanes of a warp, those that the hardware serves at once when each takes `bits` bits. */
static uint32_t phase_lanes(uint32_t lane_bits, int64_t bits) {
  uint32_t dropped = bits > BANK_BITS ? (uint32_t)layout_log2(bits / BANK_BITS) : 0;
  return lane_bits > dropped ? lane_bits - dropped : 0;
}

static uint64_t lowest_bits(uint64_t set, uint32_t count) {
  uint64_t out = 0;
  for (; set && count; count--, set &= set - 1) out |= set & -set;
  return out;
}

static uint32_t take_highest(uint64_t *set, uint64_t *basis, uint32_t n, uint32_t want) {
  while (n < want && *set) {
    basis[n] = 1ull << (63 - __builtin_clzll(*set));
    *set ^= basis[n++];
  }
  return n;
}

/* Segment vectors, best first: untouched bits, sums over both sides, then what conflicts. */
static void choose_segments(uint64_t all, uint64_t store, uint64_t load, uint32_t want,
                            uint64_t *basis) {
  uint64_t only_store = store & ~load, only_load = load & ~store;
  uint64_t both = store & load, neither = all & ~(store | load);
  uint32_t n = take_highest(&neither, basis, 0, want);
  while (n < want && only_store && only_load) {
    uint64_t a = only_store & -only_store, b = only_load & -only_load;
    basis[n++] = a | b;
    only_store ^= a;
    only_load ^= b;
  }
  n = take_highest(&both, basis, n, want);
  uint64_t rest = only_store | only_load;
  take_highest(&rest, basis, n, want);
}

/* The most distinct 4-byte words in one bank over the lanes of the first phase. Maps are linear, so
 * every other phase and register only XORs all addresses with a constant, which renames banks. */
static int32_t conflict_ways(const tsr_linear *held, uint32_t slots, const tsr_linear *to_offset,
                             uint32_t lane_bits, int64_t vector_elements, int32_t element_bits) {
  uint32_t lanes = 1u << phase_lanes(lane_bits, vector_elements * element_bits);
  uint64_t words[256];
  uint32_t n = 0;
  int32_t per_bank[32] = {0}, worst = 1;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    uint64_t offset = tsr_linear_apply(to_offset, tsr_linear_apply(held, (uint64_t)lane << slots));
    uint64_t first = offset * (uint64_t)element_bits / BANK_BITS;
    uint64_t count = (uint64_t)MAX(vector_elements * element_bits / BANK_BITS, 1);
    for (uint64_t word = first; word < first + count; word++) {
      bool seen = false;
      for (uint32_t i = 0; i < n && !seen; i++) seen = words[i] == word;
      if (seen || n == ARRAY_LEN(words)) continue;
      words[n++] = word;
      per_bank[word % 32]++;
      worst = MAX(worst, per_bank[word % 32]);
    }
  }
  return worst;
}

static tsr_status check(const tsr_layout *store, const tsr_layout *load, int32_t element_bits,
                        int32_t warp_size, tsr_layout_error *e) {
  if (store->rank != load->rank ||
      memcmp(store->shape, load->shape, store->rank * sizeof(int32_t)) != 0)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "a tile stored as %s cannot be loaded as %s: the shapes must be the same",
                       SHAPE_TEXT(store), SHAPE_TEXT(load));
  if (layout_log2(element_bits) < 0 || element_bits > MAX_VECTOR_BITS ||
      layout_log2(warp_size) < 0 || warp_size > 64)
    return layout_fail(
        e, TSR_ERROR_UNSUPPORTED, -1, -1,
        "elements of %d bits and warps of %d: expected powers of two up to 128 and 64",
        element_bits, warp_size);
  return TSR_OK;
}

tsr_status tsr_swizzle_optimal(tsr_swizzle *out, const tsr_layout *store_layout,
                               const tsr_layout *load_layout, int32_t element_bits,
                               int32_t warp_size, tsr_layout_error *e) {
  if (!out || !store_layout || !load_layout) return layout_null(e);
  tsr_linear store, load;
  uint32_t store_slots, load_slots;
  tsr_status s = check(store_layout, load_layout, element_bits, warp_size, e);
  if (s == TSR_OK) s = tsr_linear_from_layout(&store, &store_slots, store_layout, e);
  if (s == TSR_OK) s = tsr_linear_from_layout(&load, &load_slots, load_layout, e);
  if (s != TSR_OK) return s;
  uint32_t bits = store.out, lane_bits = (uint32_t)layout_log2(warp_size);
  uint64_t all = bits ? ~0ull >> (64 - bits) : 0;
  uint64_t vector = lowest_bits(moved(&store, 0, store_slots) & moved(&load, 0, load_slots),
                                (uint32_t)layout_log2(MAX_VECTOR_BITS / element_bits));
  uint32_t v = (uint32_t)__builtin_popcountll(vector);
  int64_t vector_width = (int64_t)element_bits << v;
  uint32_t lanes = phase_lanes(lane_bits, vector_width);
  uint32_t banks = MIN((uint32_t)layout_log2(MAX(ALL_BANKS_BITS / vector_width, 1)), bits - v);
  uint32_t segments = bits - v - banks;

  uint64_t segment[64];
  choose_segments(all & ~vector, moved(&store, store_slots, lanes) & ~vector,
                  moved(&load, load_slots, lanes) & ~vector, segments, segment);
  tsr_swizzle z = {.offset_to_index = {.in = (uint8_t)bits, .out = (uint8_t)bits},
                   .vector_bits = (uint8_t)v,
                   .bank_bits = (uint8_t)banks};
  uint64_t *column = z.offset_to_index.column;
  span taken = {0};
  uint32_t n = 0;
  for (uint64_t rest = vector; rest; rest &= rest - 1) column[n++] = rest & -rest;
  for (uint32_t i = 0; i < n; i++) span_add(&taken, column[i]);
  for (uint32_t i = 0; i < segments; i++) {
    column[v + banks + i] = segment[segments - 1 - i];
    span_add(&taken, segment[i]);
  }
  for (uint32_t b = 0; b < bits; b++)
    if (!taken.row[b]) column[n++] = 1ull << b; /* at no pivot: completes the basis */
  if ((s = tsr_linear_inverse(&z.index_to_offset, &z.offset_to_index, e)) != TSR_OK) return s;
  z.store_ways =
      conflict_ways(&store, store_slots, &z.index_to_offset, lane_bits, 1LL << v, element_bits);
  z.load_ways =
      conflict_ways(&load, load_slots, &z.index_to_offset, lane_bits, 1LL << v, element_bits);
  *out = z;
  return TSR_OK;
}
