/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * shadow: what the sanitizer remembers about each piece of memory that a kernel touched: who wrote
 * it last, who has read it since, whether anybody has written it at all.
 *
 * Memory is counted in half bytes, so that a 4-bit element is a place of its own: address A's low
 * half is unit 2A, its high half 2A + 1. What is remembered is kept in cells. A cell covers as many
 * units as the accesses to that part of memory allow: 8 for an array of f32, 2 for one of i8; it is
 * split when a smaller or an unaligned access comes. Only what is touched takes memory.
 */
#ifndef TSR_INTERP_SANITIZE_SHADOW_H
#define TSR_INTERP_SANITIZE_SHADOW_H

#include "base/base.h"
#include "interp/sanitize/events.h"

enum {
  SHADOW_CHUNK = 128,    /* units: 64 bytes */
  SHADOW_READERS = 3,    /* that are remembered of a cell */
  SHADOW_MAX_ACCESS = 16 /* units of one access: 64 bits */
};

typedef struct shadow_cell {
  event write;
  event reads[SHADOW_READERS]; /* since then; the oldest makes room for a fourth */
} shadow_cell;

typedef struct shadow_chunk {
  uint64_t unwritten[SHADOW_CHUNK / 64]; /* bit u: nobody has written unit u */
  uint8_t shift;                         /* a cell covers 1 << shift units */
  shadow_cell *cells;                    /* NULL until one is asked for */
} shadow_chunk;

typedef struct shadow {
  arena *arena;
  map chunks; /* by the chunk's number: unit / SHADOW_CHUNK */
  shadow_chunk *last;
  uint64_t last_number;
  bool some_unwritten; /* shadow_forget was called: there is something to look for */
} shadow;

/* Some neighbouring cells. */
typedef struct shadow_span {
  shadow_cell *cells;
  unsigned n;
} shadow_span;

void shadow_init(shadow *s, arena *a);

/* The cells of an access to `units` units (a power of two, at most SHADOW_MAX_ACCESS), which
 * belong to it alone. They lie in one or, unaligned, two spans; returns how many. */
unsigned shadow_cells(shadow *s, uint64_t unit, unsigned units, shadow_span out[2]);

/* Fresh memory: nobody has touched it, nobody has written it. */
void shadow_forget(shadow *s, uint64_t unit, uint64_t units);
/* It is written now. */
void shadow_mark_written(shadow *s, uint64_t unit, unsigned units);
/* Is there a unit that nobody has written? Memory that was never forgotten counts as written. */
bool shadow_is_unwritten(const shadow *s, uint64_t unit, unsigned units);

#endif
