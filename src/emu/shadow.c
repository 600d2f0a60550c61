/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pages of shadow cells.
 */
#include "emu/shadow.h"

#include <stdlib.h>

#include "emu/zeroed.h"

enum { WORD = 4, PAGE_WORDS = 256 };

typedef struct page {
  struct page *next; /* of the shadow's pages */
  shadow_cell cell[PAGE_WORDS];
} page;

struct shadow {
  uint64_t bytes;
  uint64_t pages;
  bool written;
  page **page; /* by number: memory for all, which costs what is used of it */
  struct page *used;
};

shadow *shadow_create(uint64_t bytes, bool written) {
  shadow *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->bytes = bytes;
  s->written = written;
  s->pages = bytes / (WORD * PAGE_WORDS) + 1;
  s->page = zeroed_alloc(s->pages * sizeof *s->page);
  if (s->page) return s;
  free(s);
  return NULL;
}

static void cell_free(shadow_cell *c) {
  free(c->more);
  for (unsigned i = 0; c->split && i < WORD; i++) free(c->bytes[i].more);
  free(c->bytes);
}

void shadow_destroy(shadow *s) {
  if (!s) return;
  for (page *p = s->used, *next; p; p = next) {
    next = p->next;
    for (unsigned i = 0; i < PAGE_WORDS; i++) cell_free(&p->cell[i]);
    free(p);
  }
  zeroed_free(s->page, s->pages * sizeof *s->page);
  free(s);
}

uint64_t shadow_bytes(const shadow *s) {
  return s->bytes;
}

static page *page_at(shadow *s, uint64_t index) {
  page *p = s->page[index];
  if (p) return p;
  p = calloc(1, sizeof *p);
  if (!p) return NULL;
  for (unsigned i = 0; s->written && i < PAGE_WORDS; i++) p->cell[i].written = (1 << WORD) - 1;
  p->next = s->used;
  s->used = p;
  return s->page[index] = p;
}

/* Parts a word into its bytes, each of which has the word's history. */
static bool split(shadow_cell *c) {
  shadow_cell *bytes = calloc(WORD, sizeof *bytes);
  if (!bytes) return false;
  for (unsigned i = 0; i < WORD; i++) {
    bytes[i].write = c->write;
    bytes[i].full = c->full;
    bytes[i].written = c->written >> i & 1;
    for (uint32_t k = 0; k < shadow_marks(c); k++)
      if (!shadow_add_mark(&bytes[i], shadow_mark(c, k))) bytes[i].full = true;
  }
  shadow_clear_marks(c);
  free(c->more);
  c->more = NULL, c->cap_more = 0;
  c->bytes = bytes;
  c->split = true;
  return true;
}

bool shadow_visit(shadow *s, uint64_t offset, uint64_t bytes, shadow_visit_fn *visit, void *user) {
  if (offset >= s->bytes || bytes > s->bytes - offset)
    return true; /* a fault, reported elsewhere */
  while (bytes) {
    uint64_t word = offset / WORD;
    unsigned at = offset % WORD, n = (unsigned)MIN(bytes, WORD - at);
    page *p = page_at(s, word / PAGE_WORDS);
    if (!p) return false;
    shadow_cell *c = &p->cell[word % PAGE_WORDS];
    if (n < WORD && !c->split && !split(c)) return false;
    if (!c->split)
      visit(user, c, offset, WORD);
    else
      for (unsigned i = 0; i < n; i++) visit(user, &c->bytes[at + i], offset + i, 1);
    offset += n, bytes -= n;
  }
  return true;
}

bool shadow_add_mark(shadow_cell *c, const race_mark *m) {
  if (!(c->first.flags & RACE_PRESENT)) {
    c->first = *m;
    c->first.flags |= RACE_PRESENT;
    return true;
  }
  if (c->n_more == c->cap_more) {
    unsigned cap = MIN(MAX(4, 2 * c->cap_more), SHADOW_MAX_MARKS - 1);
    race_mark *more = cap > c->cap_more ? realloc(c->more, cap * sizeof *more) : NULL;
    if (!more) {
      c->full = true;
      return false;
    }
    c->more = more, c->cap_more = (uint8_t)cap;
  }
  c->more[c->n_more] = *m;
  c->more[c->n_more++].flags |= RACE_PRESENT;
  return true;
}

void shadow_clear_marks(shadow_cell *c) {
  c->first.flags = 0;
  c->n_more = 0;
}

static const shadow_cell *peek(const shadow *s, uint64_t offset) {
  const page *p = s->page[offset / WORD / PAGE_WORDS];
  return p ? &p->cell[offset / WORD % PAGE_WORDS] : NULL;
}

static bool is_written(const shadow *s, uint64_t offset) {
  const shadow_cell *c = peek(s, offset);
  if (!c) return s->written;
  return c->split ? c->bytes[offset % WORD].written : c->written >> offset % WORD & 1;
}

uint64_t shadow_first_unwritten(shadow *s, uint64_t offset, uint64_t bytes) {
  if (offset >= s->bytes || bytes > s->bytes - offset) return bytes;
  for (uint64_t i = 0; i < bytes;) {
    const shadow_cell *c = peek(s, offset + i);
    if ((offset + i) % WORD == 0 && bytes - i >= WORD && c && !c->split &&
        c->written == (1 << WORD) - 1) {
      i += WORD;
      continue;
    }
    if (!is_written(s, offset + i)) return i;
    i++;
  }
  return bytes;
}

bool shadow_set_written(shadow *s, uint64_t offset, uint64_t bytes, bool written) {
  if (offset >= s->bytes || bytes > s->bytes - offset) return true;
  if (offset == 0 && bytes == s->bytes) s->written = written; /* also of pages to come */
  for (uint64_t i = 0; i < bytes; i++) {
    uint64_t at = offset + i;
    page *p = s->page[at / WORD / PAGE_WORDS];
    if (!p && s->written == written) continue;
    if (!p && !(p = page_at(s, at / WORD / PAGE_WORDS))) return false;
    shadow_cell *c = &p->cell[at / WORD % PAGE_WORDS];
    if (c->split)
      c->bytes[at % WORD].written = written;
    else
      c->written = (uint8_t)((c->written & ~(1u << at % WORD)) | (unsigned)written << at % WORD);
  }
  return true;
}
