/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a thread of a tile block may see of what the others did.
 *
 * All threads of the block stand at one operation, so time is how many barriers they have passed.
 * What a thread wrote is visible to itself, to all once a barrier came since, and to its warp once
 * a barrier of the warps came since. A byte remembers its last writer, and who has read it since
 * the last barrier: one thread, one warp, or many.
 */
#include "interp/sanitize/internal.h"

enum { WARP = 32 };

/* ---- groups --------------------------------------------------------------------------------- */

san_group *san_group_of(sanitizer *s, const frame *f) {
  for (uint32_t k = 0; k < s->groups.len; k++)
    if (s->groups.data[k]->memory == f->memory) return s->groups.data[k];
  san_group *g = arena_new(s->arena, san_group);
  g->memory = f->memory;
  vec_push(s->arena, s->groups, g);
  return g;
}

void san_begin_group(sanitizer *s, const frame *f) {
  san_group *g = san_group_of(s, f);
  g->time = g->warp_time = 1;
  g->closed = 0;
  g->last = 0;
  for (uint32_t k = 0; k < g->storage.len; k++) g->storage.data[k].freed = true;
  for (uint32_t k = 0; k < g->global.cap; k++)
    if (g->global.slots[k].value)
      memset((void *)g->global.slots[k].value, 0, SAN_CHUNK * sizeof(san_byte));
}

/* ---- owners --------------------------------------------------------------------------------- */

const san_owners *san_owners_of(sanitizer *s, const tsr_layout *layout) {
  uintptr_t *found = map_put(s->arena, &s->owners, (uintptr_t)layout);
  if (*found) return (const san_owners *)*found;
  int64_t n = tsr_layout_size(layout), copies = tsr_layout_copies(layout);
  int32_t *threads = arena_array(s->arena, int32_t, (size_t)(n * copies));
  int32_t index[TSR_LAYOUT_MAX_RANK] = {0};
  for (int64_t k = 0; k < n; k++) {
    tsr_layout_get_spatial(layout, index, threads + k * copies, copies);
    for (unsigned d = layout->rank; d-- > 0;) {
      if (++index[d] < layout->shape[d]) break;
      index[d] = 0;
    }
  }
  san_owners *o = arena_new(s->arena, san_owners);
  *o = (san_owners){copies, threads};
  *found = (uintptr_t)o;
  return o;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Whether `thread` comes after what thread `who` of `warp` did at that time. */
static bool follows(const san_group *g, uint16_t who, uint16_t warp, uint32_t time,
                    uint32_t warp_time, int32_t thread) {
  if (who == SAN_NOBODY || who == thread || time < g->time) return true;
  return warp == thread / WARP && warp_time < g->warp_time;
}

static bool follows_writer(const san_group *g, const san_byte *b, int32_t thread) {
  uint16_t warp = (uint16_t)(b->writer / WARP);
  return !b->write_time || follows(g, b->writer, warp, b->write_time, b->write_warp_time, thread);
}

static void note_reader(const san_group *g, san_byte *b, int32_t thread, uint32_t site) {
  uint16_t me = (uint16_t)thread, warp = (uint16_t)(thread / WARP);
  bool others = b->read_time == g->time;
  b->reader = others && b->reader != me ? SAN_MANY : me;
  b->reader_warp = others && b->reader_warp != warp ? SAN_MANY : warp;
  b->read_time = g->time;
  b->read_warp_time = g->warp_time;
  b->read_site = site;
}

san_verdict san_read_byte(const san_group *g, san_byte *b, int32_t thread, uint32_t site) {
  san_verdict v = SAN_FINE;
  if (b->state == SAN_UNWRITTEN)
    v = SAN_NEVER_WRITTEN;
  else if (b->state == SAN_ARRIVING)
    v = SAN_STILL_COPIED;
  else if (!follows_writer(g, b, thread))
    v = SAN_WRITTEN_BY_OTHER;
  note_reader(g, b, thread, site);
  return v;
}

san_verdict san_write_byte(const san_group *g, san_byte *b, int32_t thread, uint32_t site) {
  san_verdict v = SAN_FINE;
  bool read = b->read_time != 0;
  if (b->state == SAN_ARRIVING)
    v = SAN_STILL_COPIED;
  else if (!follows_writer(g, b, thread))
    v = SAN_WRITTEN_BY_OTHER;
  else if (read && !follows(g, b->reader, b->reader_warp, b->read_time, b->read_warp_time, thread))
    v = SAN_READ_BY_OTHER;
  b->state = SAN_VALID;
  b->writer = (uint16_t)thread;
  b->write_time = g->time;
  b->write_warp_time = g->warp_time;
  b->write_site = site;
  return v;
}

san_byte *san_global_byte(sanitizer *s, san_group *g, uint64_t address) {
  uintptr_t *found = map_put(s->arena, &g->global, address / SAN_CHUNK);
  if (!*found) *found = (uintptr_t)arena_array(s->arena, san_byte, SAN_CHUNK);
  san_byte *b = (san_byte *)*found + address % SAN_CHUNK;
  if (b->state == SAN_UNWRITTEN) b->state = SAN_VALID; /* by somebody before the launch */
  return b;
}
