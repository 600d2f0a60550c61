/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interp/sanitize/shadow.h"

void shadow_init(shadow *s, arena *a) {
  *s = (shadow){.arena = a};
}

static shadow_chunk *find_chunk(const shadow *s, uint64_t number) {
  if (s->last && s->last_number == number) return s->last;
  uintptr_t *found = map_get(&s->chunks, number);
  return found ? (shadow_chunk *)*found : NULL;
}

static shadow_chunk *chunk_at(shadow *s, uint64_t number) {
  shadow_chunk *c = find_chunk(s, number);
  if (!c) {
    uintptr_t *value = map_put(s->arena, &s->chunks, number);
    c = arena_new(s->arena, shadow_chunk);
    *value = (uintptr_t)c;
  }
  s->last = c;
  s->last_number = number;
  return c;
}

static unsigned log2_of(uint64_t power) {
  return (unsigned)__builtin_ctzll(power);
}

/* Gives the chunk cells of 1 << shift units or fewer. */
static void refine(shadow *s, shadow_chunk *c, unsigned shift) {
  if (c->cells && c->shift <= shift) return;
  unsigned n = SHADOW_CHUNK >> shift;
  shadow_cell *cells = arena_array(s->arena, shadow_cell, n);
  if (!c->cells)
    memset(cells, 0, n * sizeof *cells);
  else
    for (unsigned k = 0; k < n; k++) cells[k] = c->cells[k >> (c->shift - shift)];
  c->cells = cells;
  c->shift = (uint8_t)shift;
}

/* Of an access that lies in one chunk. */
static shadow_span cells_in_chunk(shadow *s, uint64_t unit, unsigned units, unsigned shift) {
  shadow_chunk *c = chunk_at(s, unit / SHADOW_CHUNK);
  refine(s, c, shift);
  return (shadow_span){c->cells + (unit % SHADOW_CHUNK >> c->shift), units >> c->shift};
}

unsigned shadow_cells(shadow *s, uint64_t unit, unsigned units, shadow_span out[2]) {
  /* As large as the access's start is aligned, at most the access itself. */
  unsigned shift = log2_of(unit | units);
  unsigned room = SHADOW_CHUNK - (unsigned)(unit % SHADOW_CHUNK);
  if (units <= room) {
    out[0] = cells_in_chunk(s, unit, units, shift);
    return 1;
  }
  out[0] = cells_in_chunk(s, unit, room, shift);
  out[1] = cells_in_chunk(s, unit + room, units - room, shift);
  return 2;
}

/* ---- written or not ------------------------------------------------------------------------- */

/* The bits of units [first, first + n) of a word of 64. */
static uint64_t bits_of(unsigned first, unsigned n) {
  return (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << first;
}

/* Units [first, first + n) of a chunk: nobody has touched them. */
static void clear_cells(shadow *s, shadow_chunk *c, unsigned first, unsigned n) {
  if (!c->cells) return;
  unsigned size = 1u << c->shift;
  if (first % size || n % size) refine(s, c, 0); /* an edge lies within a cell */
  memset(&c->cells[first >> c->shift], 0, (n >> c->shift) * sizeof *c->cells);
}

void shadow_forget(shadow *s, uint64_t unit, uint64_t units) {
  s->some_unwritten = true;
  while (units) {
    shadow_chunk *c = chunk_at(s, unit / SHADOW_CHUNK);
    unsigned in_word = (unsigned)(unit % 64), n = (unsigned)MIN(units, (uint64_t)64 - in_word);
    c->unwritten[unit % SHADOW_CHUNK / 64] |= bits_of(in_word, n);
    clear_cells(s, c, (unsigned)(unit % SHADOW_CHUNK), n);
    unit += n;
    units -= n;
  }
}

void shadow_mark_written(shadow *s, uint64_t unit, unsigned units) {
  if (!s->some_unwritten) return;
  for (unsigned k = 0; k < units; k++, unit++) {
    shadow_chunk *c = find_chunk(s, unit / SHADOW_CHUNK);
    if (c) c->unwritten[unit % SHADOW_CHUNK / 64] &= ~(UINT64_C(1) << unit % 64);
  }
}

bool shadow_is_unwritten(const shadow *s, uint64_t unit, unsigned units) {
  if (!s->some_unwritten) return false;
  for (unsigned k = 0; k < units; k++, unit++) {
    const shadow_chunk *c = find_chunk(s, unit / SHADOW_CHUNK);
    if (c && c->unwritten[unit % SHADOW_CHUNK / 64] >> unit % 64 & 1) return true;
  }
  return false;
}
