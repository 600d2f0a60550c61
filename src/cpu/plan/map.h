/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/map.h: index maps.
 *
 * Every tile size is a power of two, so the row-major index of an element is a string of bits. An
 * iteration of a nest is another string of bits. An *index map* says for each bit of a tile's
 * index which bit of the iteration supplies it. reshape keeps the map, permute permutes it,
 * broadcast drops bits of it; lanes and unrolling pick bits of the iteration.
 *
 * Whatever evaluates an element says by an index map which one, so most files include this header.
 */
#ifndef TSR_CPU_PLAN_MAP_H
#define TSR_CPU_PLAN_MAP_H

#include "base/base.h"
#include "ir/ir.h"

enum {
  MAP_BITS = 24, /* log2(IR_MAX_TILE) */
  BIT_ZERO = -1, /* in an index map: the bit is always 0 or 1 */
  BIT_ONE = -2,
};

/* bit[k]: the bit of the iteration that is bit k of the tile's index, or BIT_ZERO, BIT_ONE. */
typedef struct index_map {
  uint8_t n;
  bool conservative; /* not all bits are what they say: see visit_expression */
  int8_t bit[MAP_BITS];
} index_map;

index_map map_identity(unsigned n);
/* `n` bits from `first` on. */
index_map map_part(const index_map *m, unsigned first, unsigned n);
/* Where in a slice of a tile an element lies, wherever the slice is. */
index_map map_slice(const ir_type *whole, const ir_type *slice, const index_map *m);
/* The map of an index map operation's source, given its result's. */
index_map map_through(const ir_op *op, const index_map *m);
/* The map of either operand of a concatenation: without the bit that tells them apart, which is
 * bit `map_half_bit` of the index. */
unsigned map_half_bit(const ir_op *cat);
index_map map_of_half(const ir_op *cat, const index_map *m);
/* Does the operation only move elements, from places that are known before anything runs? */
bool map_applies(const ir_op *op);
bool map_equal(const index_map *a, const index_map *b);
uint64_t map_hash(const index_map *m);
bool map_is_identity(const index_map *m);
/* Does a dimension of the tile begin at this bit of its index, or end? */
bool map_is_boundary(const ir_type *t, unsigned bit);
/* Position of dimension d's lowest bit in the index of a tile, and how many bits it has. */
void dim_bits(const ir_type *t, unsigned d, unsigned *first, unsigned *n);

#endif
