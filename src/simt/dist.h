/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/dist.h: which thread of a block holds which elements of a tile.
 *
 * Every tile size is a power of two, so the row-major index of an element is a string of bits, and
 * so is the place of a register: its number in the thread, the lane in the warp, the warp in the
 * block. A *distribution* says for each bit of a place which bit of the index it is, or that it is
 * none (SIMT_COPY): threads that differ in such a bit only hold the same elements. Every bit of the
 * index is named exactly once. This is the layout algebra's linear map (tessera/layout.h) in the
 * form in which all of its columns are single bits; swizzles appear in shared memory only.
 *
 * Index operations (reshape, permute, broadcast) move bits of the index about, so what they do to a
 * distribution is a renaming, and they cost nothing.
 */
#ifndef TSR_SIMT_DIST_H
#define TSR_SIMT_DIST_H

#include <tessera/layout.h>

#include "ir/ir.h"

enum {
  SIMT_BITS = 24,        /* log2(IR_MAX_TILE) */
  SIMT_THREAD_BITS = 10, /* at most: a block has up to 1,024 threads */
  SIMT_MOST_LANE_BITS = 6,
  SIMT_MOST_WARP_BITS = 5, /* of warps of 32 lanes */
  SIMT_ACCESS_BYTES = 16,  /* of a thread's widest access, on all GPUs */
  SIMT_COPY = -1,
};

/* The threads of a block: bits of a lane's number in the warp (5 or 6, by the target) and of a
 * warp's in the block. */
typedef struct simt_threads {
  uint8_t lanes, warps;
} simt_threads;

typedef struct simt_dist {
  uint8_t n;             /* bits of the tile's index */
  uint8_t regs;          /* bits of a register's number; a thread holds 2^regs elements */
  uint8_t lanes, warps;  /* as simt_threads */
  int8_t reg[SIMT_BITS]; /* a bit of the index, never SIMT_COPY; unused entries are SIMT_COPY */
  /* A bit of the index or SIMT_COPY, as unused entries are. */
  int8_t lane[SIMT_MOST_LANE_BITS], warp[SIMT_MOST_WARP_BITS];
} simt_dist;

static inline simt_threads simt_threads_of(const simt_dist *d) {
  return (simt_threads){d->lanes, d->warps};
}
static inline unsigned simt_thread_bits(simt_threads t) {
  return t.lanes + t.warps;
}

static inline unsigned simt_log2(int64_t n) {
  return 63 - (unsigned)__builtin_clzll((uint64_t)n);
}
static inline unsigned simt_tile_bits(const ir_type *t) {
  return simt_log2(t->count);
}
/* The bits of dimension d in the index of a tile: the lowest, and how many. */
void simt_dim_bits(const ir_type *t, unsigned d, unsigned *first, unsigned *n);

/* Gives out the bits of an index, `order` (fastest first, n of them): the first `vector` to
 * registers, the next to lanes, then to warps, the rest to registers. */
simt_dist simt_dist_ordered(unsigned n, const uint8_t *order, unsigned vector, simt_threads t);
/* Row-major. */
simt_dist simt_dist_blocked(unsigned n, unsigned vector, simt_threads t);
/* Every thread holds all. */
simt_dist simt_dist_private(unsigned n, simt_threads t);

/* For scans along a dimension: a thread holds a run along it, lanes follow each other, and what is
 * left is taken run by run. Warps and what else there is of lanes lie along the other dimensions.
 */
simt_dist simt_dist_scanned(const ir_type *t, unsigned dim, simt_threads threads);

/* With the registers' bits in ascending order. */
simt_dist simt_dist_sorted(const simt_dist *d);

bool simt_dist_equal(const simt_dist *a, const simt_dist *b);
/* Every bit named once; for tests and assertions. */
bool simt_dist_valid(const simt_dist *d);

/* The bits of the index that a register's number stands for, and the register for an index. */
uint32_t simt_index_of_slot(const simt_dist *d, uint32_t slot);
uint32_t simt_slot_of_index(const simt_dist *d, uint32_t index);
/* The index of the element in a register of a thread. */
uint32_t simt_index_at(const simt_dist *d, uint32_t slot, uint32_t lane, uint32_t warp);

/* ---- through index operations --------------------------------------------------------------- */

/* Bit k of the source's index is bit to[k] of the result's. Bits of the result that none maps to
 * are those along which the result repeats. */
typedef struct simt_map {
  uint8_t from_n, to_n;
  int8_t to[SIMT_BITS];
} simt_map;

/* Of reshape, permute, broadcast and assume. */
simt_map simt_map_of(const ir_op *op);
bool simt_map_is_bijective(const simt_map *m);
/* The distribution of the source in which each thread has what it needs for the result. */
simt_dist simt_dist_back(const simt_dist *result, const simt_map *m);
/* A distribution of the result that needs no data moved; bits that are new go to copies first,
 * then to registers. */
simt_dist simt_dist_forward(const simt_dist *from, const simt_map *m);
/* The part of the source's index in a part of the result's. */
uint32_t simt_map_index(const simt_map *m, uint32_t result_index);

/* Without `count` bits of the index from `first` on, and with that many new ones there, which
 * become the highest registers' bits. */
simt_dist simt_dist_drop(const simt_dist *d, unsigned first, unsigned count);
simt_dist simt_dist_insert(const simt_dist *d, unsigned first, unsigned count);

/* ---- conversions ---------------------------------------------------------------------------- */

/* How far elements travel from one distribution of a tile to another. Differs from
 * tsr_layout_conversion in that a thread which holds an element need not hold it in the same
 * register in all lanes: selecting one of a few registers by the lane is no movement. */
tsr_conversion simt_conversion(const simt_dist *from, const simt_dist *to);
/* How many bits of the source's register number depend on the thread (`lanes` only: on the lane).
 */
unsigned simt_varying_bits(const simt_dist *from, const simt_dist *to);

/* Every thread has its elements of `to` in its own registers already, but for their order. */
bool simt_is_near(const simt_dist *from, const simt_dist *to);

/* ---- the algebra's forms -------------------------------------------------------------------- */

/* As a matrix: registers' bits are the low inputs, then lanes, then warps. */
tsr_linear simt_dist_linear(const simt_dist *d);
/* As a distribution of a tile of this shape; false when the shape has too many dimensions. */
bool simt_dist_layout(tsr_layout *out, const simt_dist *d, const ir_type *t);
/* From a fragment of one warp (tsr_fragment): bits[k] is the bit of the whole index that the
 * fragment's bit k is, warp[j] the one that bit j of the warp's number is, or SIMT_COPY. What is
 * left of the index goes to registers, above the fragment's. False where there is no such fragment,
 * or it is one of warps of another size. */
bool simt_dist_fragment(simt_dist *out, const char *name, unsigned n, const uint8_t *bits,
                        unsigned n_bits, const int8_t *warp, simt_threads t);

/* "reg [1.1 1.2] lane [1.4 1.8 0.1 - -] warp [0.2]": d.w is the bit of weight w of the coordinate
 * in dimension d, '-' a copy. */
void simt_dist_print(sbuf *out, const simt_dist *d, const ir_type *t);

#endif
