/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector clocks.
 */
#include "emu/clock.h"

#include <stdlib.h>

static bool reserve(race_clock *c, uint32_t len) {
  if (len > c->cap) {
    uint32_t cap = MAX(len, c->cap + c->cap / 2);
    race_time *at = realloc(c->at, cap * sizeof *at);
    if (!at) return false;
    c->at = at, c->cap = cap;
  }
  if (len > c->len) {
    memset(c->at + c->len, 0, (len - c->len) * sizeof *c->at);
    c->len = len;
  }
  return true;
}

race_clock *race_clock_new(uint32_t len) {
  race_clock *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->refs = 1;
  if (len && !reserve(c, len)) {
    free(c);
    return NULL;
  }
  return c;
}

race_clock *race_clock_ref(race_clock *c) {
  if (c) c->refs++;
  return c;
}

void race_clock_unref(race_clock *c) {
  if (!c || --c->refs) return;
  for (uint32_t i = 0; i < c->n_foreign; i++) race_clock_unref(c->foreign[i].clock);
  free(c->foreign);
  free(c->at);
  free(c);
}

static bool add_foreign(race_clock *c, uint32_t domain, race_clock *clock) {
  if (c->n_foreign == c->cap_foreign) {
    uint32_t cap = MAX(4, 2 * c->cap_foreign);
    race_foreign *f = realloc(c->foreign, cap * sizeof *f);
    if (!f) return false;
    c->foreign = f, c->cap_foreign = cap;
  }
  c->foreign[c->n_foreign++] = (race_foreign){domain, race_clock_ref(clock)};
  return true;
}

race_clock *race_clock_own(race_clock *c) {
  if (!c || c->refs == 1) return c;
  race_clock *copy = race_clock_new(c->len);
  bool good = copy != NULL;
  if (good && c->len) memcpy(copy->at, c->at, c->len * sizeof *c->at);
  for (uint32_t i = 0; good && i < c->n_foreign; i++)
    good = add_foreign(copy, c->foreign[i].domain, c->foreign[i].clock);
  if (!good) race_clock_unref(copy);
  race_clock_unref(c);
  return good ? copy : NULL;
}

bool race_clock_set(race_clock *c, uint32_t slot, uint32_t happened, uint32_t fenced) {
  if (!reserve(c, slot + 1)) return false;
  c->at[slot].happened = MAX(c->at[slot].happened, happened);
  c->at[slot].fenced = MAX(c->at[slot].fenced, fenced);
  return true;
}

static bool join_times(race_clock *c, const race_clock *other) {
  if (!other) return true;
  if (!reserve(c, other->len)) return false;
  for (uint32_t i = 0; i < other->len; i++) {
    c->at[i].happened = MAX(c->at[i].happened, other->at[i].happened);
    c->at[i].fenced = MAX(c->at[i].fenced, other->at[i].fenced);
  }
  return true;
}

static bool join_foreign(race_clock *c, uint32_t domain, race_clock *other) {
  for (uint32_t i = 0; i < c->n_foreign; i++) {
    if (c->foreign[i].domain != domain) continue;
    if (c->foreign[i].clock == other) return true;
    c->foreign[i].clock = race_clock_own(c->foreign[i].clock);
    return c->foreign[i].clock && join_times(c->foreign[i].clock, other);
  }
  return add_foreign(c, domain, other);
}

bool race_clock_join(race_clock *c, uint32_t domain, const race_clock *other,
                     uint32_t other_domain) {
  if (!other || other == c) return true;
  bool good = domain == other_domain ? join_times(c, other)
                                     : join_foreign(c, other_domain, (race_clock *)other);
  for (uint32_t i = 0; good && i < other->n_foreign; i++) {
    race_foreign *f = &other->foreign[i];
    good = f->domain == domain ? join_times(c, f->clock) : join_foreign(c, f->domain, f->clock);
  }
  return good;
}

bool race_clock_fence(race_clock *c) {
  for (uint32_t i = 0; i < c->len; i++) c->at[i].fenced = c->at[i].happened;
  for (uint32_t k = 0; k < c->n_foreign; k++) {
    race_clock *f = race_clock_own(c->foreign[k].clock);
    c->foreign[k].clock = f;
    if (!f) return false;
    for (uint32_t i = 0; i < f->len; i++) f->at[i].fenced = f->at[i].happened;
  }
  return true;
}

race_time race_clock_get_foreign(const race_clock *c, uint32_t domain, uint32_t slot) {
  for (uint32_t i = 0; c && i < c->n_foreign; i++)
    if (c->foreign[i].domain == domain) return race_clock_get(c->foreign[i].clock, slot);
  return (race_time){0, 0};
}
