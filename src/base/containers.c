/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Hash maps with linear probing at a load of at most 3/4, and string building. Where a key lies
 * differs from context to context, so nothing walks over a map.
 */
#include <stdio.h>

#include "base/base.h"

static uint32_t map_find(const map *m, uint64_t key) {
  uint32_t mask = m->cap - 1, i = (uint32_t)hash_word(m->secret, key) & mask;
  while (m->slots[i].used && m->slots[i].key != key) i = (i + 1) & mask;
  return i;
}

uintptr_t *map_get(const map *m, uint64_t key) {
  if (!m->cap) return NULL;
  map_slot *s = &m->slots[map_find(m, key)];
  return s->used ? &s->value : NULL;
}

uintptr_t *map_put(arena *a, map *m, uint64_t key) {
  if (4 * (uint64_t)(m->len + 1) > 3 * (uint64_t)m->cap) {
    map grown = {.cap = m->cap ? 2 * m->cap : 16, .len = m->len};
    grown.secret = m->cap ? m->secret : a->ctx->secret;
    grown.slots = arena_array(a, map_slot, grown.cap);
    for (uint32_t i = 0; i < m->cap; i++)
      if (m->slots[i].used) grown.slots[map_find(&grown, m->slots[i].key)] = m->slots[i];
    *m = grown;
  }
  map_slot *s = &m->slots[map_find(m, key)];
  if (!s->used) {
    *s = (map_slot){.key = key, .used = true};
    m->len++;
  }
  return &s->value;
}

void map_remove(map *m, uint64_t key) {
  if (!m->cap) return;
  uint32_t mask = m->cap - 1, i = map_find(m, key);
  if (!m->slots[i].used) return;
  m->slots[i].used = false;
  m->len--;
  /* Close the gap: whatever probed past this slot is put in again. */
  for (uint32_t j = (i + 1) & mask; m->slots[j].used; j = (j + 1) & mask) {
    map_slot moved = m->slots[j];
    m->slots[j].used = false;
    m->slots[map_find(m, moved.key)] = moved;
  }
}

static uint32_t strmap_find(const strmap *m, str key, uint64_t hash) {
  uint32_t mask = m->cap - 1, i = (uint32_t)hash & mask;
  while (m->slots[i].key.data && !(m->slots[i].hash == hash && str_eq(m->slots[i].key, key)))
    i = (i + 1) & mask;
  return i;
}

uintptr_t *strmap_get(const strmap *m, str key) {
  if (!m->cap) return NULL;
  strmap_slot *s = &m->slots[strmap_find(m, key, hash_key(m->secret, 0, key.data, key.len))];
  return s->key.data ? &s->value : NULL;
}

uintptr_t *strmap_put(arena *a, strmap *m, str key, bool *added) {
  if (4 * (uint64_t)(m->len + 1) > 3 * (uint64_t)m->cap) {
    strmap grown = {.cap = m->cap ? 2 * m->cap : 16, .len = m->len};
    grown.secret = m->cap ? m->secret : a->ctx->secret;
    grown.slots = arena_array(a, strmap_slot, grown.cap);
    for (uint32_t i = 0; i < m->cap; i++) {
      strmap_slot *s = &m->slots[i];
      if (s->key.data) grown.slots[strmap_find(&grown, s->key, s->hash)] = *s;
    }
    *m = grown;
  }
  if (!key.data) key.data = "";
  uint64_t hash = hash_key(m->secret, 0, key.data, key.len);
  strmap_slot *s = &m->slots[strmap_find(m, key, hash)];
  if (added) *added = !s->key.data;
  if (!s->key.data) {
    *s = (strmap_slot){.key = key, .hash = hash};
    m->len++;
  }
  return &s->value;
}

void sbuf_grow(sbuf *b, size_t more) {
  size_t need = b->len + more + 1, cap = b->cap ? b->cap : 64;
  while (cap < need) cap *= 2;
  char *data = arena_alloc(b->arena, cap, 1);
  if (b->len) memcpy(data, b->data, b->len);
  data[b->len] = 0;
  b->data = data;
  b->cap = cap;
}

void sbuf_vprintf(sbuf *b, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(b->data ? b->data + b->len : NULL, b->cap - b->len, fmt, args);
  if (n > 0) {
    if ((size_t)n >= b->cap - b->len) {
      sbuf_grow(b, (size_t)n);
      vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
    }
    b->len += (size_t)n;
  }
  va_end(again);
}

void sbuf_printf(sbuf *b, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  sbuf_vprintf(b, fmt, args);
  va_end(args);
}

void sbuf_escape(sbuf *b, const char *text) {
  for (; *text; text++) switch (*text) {
    case '<': sbuf_puts(b, "&lt;"); break;
    case '>': sbuf_puts(b, "&gt;"); break;
    case '&': sbuf_puts(b, "&amp;"); break;
    case '"': sbuf_puts(b, "&quot;"); break;
    default: sbuf_putc(b, (unsigned char)*text < 32 ? ' ' : *text);
    }
}

void sbuf_i64(sbuf *b, int64_t v) {
  char digits[20];
  int n = 0;
  uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  do digits[n++] = (char)('0' + u % 10);
  while (u /= 10);
  if (v < 0) sbuf_putc(b, '-');
  while (n) sbuf_putc(b, digits[--n]);
}

/* ---- strings -------------------------------------------------------------------------------- */

unsigned str_distance(str a, str b) {
  if (a.len >= STR_DISTANCE_MAX || b.len >= STR_DISTANCE_MAX) return STR_DISTANCE_MAX;
  unsigned char d[STR_DISTANCE_MAX][STR_DISTANCE_MAX];
  for (size_t i = 0; i <= a.len; i++) d[i][0] = (unsigned char)i;
  for (size_t j = 0; j <= b.len; j++) d[0][j] = (unsigned char)j;
  for (size_t i = 1; i <= a.len; i++)
    for (size_t j = 1; j <= b.len; j++) {
      unsigned best = d[i - 1][j - 1] + (a.data[i - 1] != b.data[j - 1]);
      best = MIN(best, d[i - 1][j] + 1u);
      best = MIN(best, d[i][j - 1] + 1u);
      if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1])
        best = MIN(best, d[i - 2][j - 2] + 1u);
      d[i][j] = (unsigned char)best;
    }
  return d[a.len][b.len];
}

/* "load_view" is meant as "load_view_tko", "f8e5m2" as "f8E5M2": a missing tail and capital letters
 * count little. */
static unsigned near_score(str wanted, str name) {
  if (name.len > wanted.len && wanted.len >= 4 && memcmp(name.data, wanted.data, wanted.len) == 0)
    return 1;
  bool same = name.len == wanted.len && strncasecmp(name.data, wanted.data, name.len) == 0;
  return same ? 1 : str_distance(wanted, name);
}

void near_offer(near_names *n, const char *name) {
  unsigned limit = n->wanted.len <= 3 ? 1 : (unsigned)n->wanted.len / 3 + 1;
  unsigned score = near_score(n->wanted, str_of(name));
  if (score > limit) return;
  unsigned at = n->found < n->max ? n->found++ : n->max;
  for (; at > 0 && n->scores[at - 1] > score; at--) {
    if (at == n->max) continue;
    n->scores[at] = n->scores[at - 1];
    n->out[at] = n->out[at - 1];
  }
  if (at == n->max) return;
  n->scores[at] = score;
  n->out[at] = name;
}
