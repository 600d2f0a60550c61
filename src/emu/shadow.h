/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * shadow: what the checks remember about every byte of a piece of memory: who wrote it last, who
 * has touched it since, and whether it was ever written.
 *
 * Bytes are remembered in words of four, which is how programs mostly touch them; a word is split
 * into its bytes when an access covers a part of it. Memory is taken page by page, when something
 * is touched for the first time: about 60 bytes for a word of 4.
 *
 * Not thread-safe: a shadow belongs to one host thread at a time.
 */
#ifndef TSR_EMU_SHADOW_H
#define TSR_EMU_SHADOW_H

#include "base/base.h"

enum { /* race_mark.flags */
       RACE_WRITE = 1 << 0,
       RACE_STRONG =
           1 << 1, /* atomic, volatile, relaxed and stronger: races with no other of its kind */
       RACE_CTA_ONLY = 1 << 2, /* strong within the block only */
       RACE_ASYNC = 1 << 3,    /* by the asynchronous proxy */
       RACE_MAYBE = 1 << 4,    /* strong or not: its instruction is the same for both */
       RACE_PRESENT = 1 << 7,  /* the mark is one */
};

enum { RACE_MARK_LANES = 32 };
/* An access: by the lanes of `mask` of the warp, or half of a warp of 64 lanes, whose first thread
 * is slot `slot` (or, of
 * asynchronous operations, by the slot itself) at its time `time`. */
typedef struct race_mark {
  uint32_t domain, slot, mask, time;
  uint32_t where; /* the instruction, as the caller numbers them */
  uint8_t flags;
} race_mark;

enum { SHADOW_MAX_MARKS = 64 }; /* accesses remembered of a word since its last plain write */

typedef struct shadow_cell {
  race_mark write; /* the last plain write */
  race_mark first; /* an access since, and room for more of them */
  race_mark *more;
  uint8_t n_more, cap_more;
  uint8_t written;  /* bits: these bytes were written */
  uint8_t full : 1; /* marks were dropped */
  uint8_t split : 1;
  struct shadow_cell *bytes; /* when split: four cells */
} shadow_cell;

typedef struct shadow shadow;

/* A shadow of `bytes` bytes. With `written` they count as written from the start. NULL: no memory.
 */
shadow *shadow_create(uint64_t bytes, bool written);
void shadow_destroy(shadow *s);
uint64_t shadow_bytes(const shadow *s);

/* Calls `visit` for the cells that cover `bytes` bytes at `offset`, with the bytes that each stands
 * for (mask: bits within the word). False when memory ran out; the rest isn't visited. */
typedef void shadow_visit_fn(void *user, shadow_cell *cell, uint64_t offset, unsigned bytes);
bool shadow_visit(shadow *s, uint64_t offset, uint64_t bytes, shadow_visit_fn *visit, void *user);

/* Adds a mark to those since the last write. False when it had to be dropped. */
bool shadow_add_mark(shadow_cell *c, const race_mark *m);
/* Forgets them. */
void shadow_clear_marks(shadow_cell *c);
static inline uint32_t shadow_marks(const shadow_cell *c) {
  return (c->first.flags & RACE_PRESENT ? 1u : 0u) + c->n_more;
}
static inline race_mark *shadow_mark(shadow_cell *c, uint32_t i) {
  return i == 0 ? &c->first : &c->more[i - 1];
}

/* Whether bytes were written before: the first that was not, or `bytes` when all were. */
uint64_t shadow_first_unwritten(shadow *s, uint64_t offset, uint64_t bytes);
/* Says so, without an access: copies from the host. */
bool shadow_set_written(shadow *s, uint64_t offset, uint64_t bytes, bool written);

#endif
