/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a thread of a tile block may see of what the others did to a byte.
 *
 * A byte remembers who wrote it last and who has read it since, with the times; clocks.h says which
 * of that a thread has seen. The readers of one group are one record: their first and last, and the
 * time of the last one.
 */
#include "interp/cluster.h"
#include "interp/sanitize/internal.h"

/* ---- groups --------------------------------------------------------------------------------- */

static bool count_mbarriers(void *user, ir_op *op) {
  int32_t *n = user;
  if (op->opcode == OP_alloc_mbarrier) *n += (int32_t)ir_result(op, 0)->type->count;
  return true;
}

san_group *san_group_of(sanitizer *s, const frame *f) {
  const char *memory = f->memory - f->rank * cluster_stride(f->program);
  for (uint32_t k = 0; k < s->groups.len; k++)
    if (s->groups.data[k]->memory == memory) return s->groups.data[k];
  san_group *g = arena_new(s->arena, san_group);
  int32_t n = (int32_t)s->program->cluster, mbarriers = 0;
  int32_t threads = n * (int32_t)ir_int_attr(s->program->entry, ATTR_threads);
  g->memory = memory;
  g->ranks = s->program->cluster;
  g->of_block = threads / n;
  ir_walk(s->program->entry, count_mbarriers, &mbarriers);
  g->first_start = threads + n * mbarriers;
  clocks_init(&g->clocks, s->arena, threads, n * (mbarriers + 1));
  for (unsigned q = 0; q < SAN_QUEUES; q++)
    g->closed[q] = arena_array(s->arena, uint32_t, (size_t)threads);
  g->registers_shown = arena_array(s->arena, bool, (size_t)threads);
  g->fences = arena_array(s->arena, uint32_t, (size_t)threads);
  vec_push(s->arena, s->groups, g);
  return g;
}

static void forget_meeting(san_group *g, san_meeting *m) {
  clocks_drop(&g->clocks, &m->arrived);
  clocks_drop(&g->clocks, &m->done);
  m->came = m->seen = 0;
}

static void begin_cluster(san_group *g) {
  for (uint32_t k = 0; k < g->mbarriers.len; k++) forget_meeting(g, &g->mbarriers.data[k].phase);
  for (uint32_t r = 0; r < g->ranks; r++)
    for (unsigned k = 0; k < ARRAY_LEN(g->named[r]); k++) forget_meeting(g, &g->named[r][k]);
  forget_meeting(g, &g->cluster);
  clocks_reset(&g->clocks);
  g->mbarriers.len = 0;
  for (unsigned q = 0; q < SAN_QUEUES; q++)
    memset(g->closed[q], 0, (size_t)g->clocks.threads * sizeof *g->closed[q]);
  memset(g->registers_shown, 0, (size_t)g->clocks.threads * sizeof *g->registers_shown);
  memset(g->fences, 0, (size_t)g->clocks.threads * sizeof *g->fences);
  memset(g->last, 0, sizeof g->last);
  memset(g->gathered, 0, sizeof g->gathered);
  memset(g->ended, 0, sizeof g->ended);
  memset(g->arrivals, 0, sizeof g->arrivals);
  memset(g->waits, 0, sizeof g->waits);
  g->come = 0;
  g->reads.len = 0;
  g->unused_reads = 0;
  for (uint32_t k = 0; k < g->storage.len; k++) g->storage.data[k].freed = true;
  for (uint32_t k = 0; k < g->global.cap; k++)
    if (g->global.slots[k].value)
      memset((void *)g->global.slots[k].value, 0, SAN_CHUNK * sizeof(san_byte));
}

/* The tile block with rank 0 begins before the others of its cluster do anything. */
void san_begin_group(sanitizer *s, const frame *f) {
  san_group *g = san_group_of(s, f);
  if (f->rank == 0) begin_cluster(g);
  san_begin_block(g, f);
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

/* ---- readers -------------------------------------------------------------------------------- */

static san_read *read_at(const san_group *g, uint32_t number) {
  return &g->reads.data[number - 1];
}

static uint32_t take_read(sanitizer *s, san_group *g) {
  uint32_t number = g->unused_reads;
  if (number) {
    g->unused_reads = read_at(g, number)->next;
    return number;
  }
  vec_push(s->arena, g->reads, (san_read){0});
  return g->reads.len;
}

static void forget_readers(san_group *g, san_byte *b) {
  while (b->reads) {
    uint32_t number = b->reads;
    san_read *r = read_at(g, number);
    b->reads = r->next;
    r->next = g->unused_reads;
    g->unused_reads = number;
  }
}

static uint32_t open_set(const san_group *g, const san_touch *t) {
  return t->queue ? g->closed[t->queue][t->thread] : 0;
}

static void note_reader(sanitizer *s, san_group *g, san_byte *b, const san_touch *t) {
  uint16_t me = (uint16_t)(t->deferred ? t->doer : t->thread);
  uint32_t set = open_set(g, t);
  for (uint32_t k = b->reads; k; k = read_at(g, k)->next) {
    san_read *r = read_at(g, k);
    if (r->by != t->by || r->queue != t->queue || r->set != set) continue;
    r->first = MIN(r->first, me);
    r->last = MAX(r->last, me);
    r->time = g->clocks.now;
    r->site = t->site;
    return;
  }
  uint32_t number = take_read(s, g);
  *read_at(g, number) = (san_read){.next = b->reads,
                                   .time = g->clocks.now,
                                   .site = t->site,
                                   .first = me,
                                   .last = me,
                                   .queue = t->queue,
                                   .set = set,
                                   .by = t->by};
  b->reads = number;
}

static bool sees_readers(const san_group *g, const san_read *r, int32_t thread) {
  for (int32_t u = r->first; u <= r->last; u++)
    if (!clocks_sees(&g->clocks, thread, u, r->time)) return false;
  return true;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static bool sees_writer(const san_group *g, const san_byte *b, int32_t thread) {
  return !b->write_time || b->writer == SAN_NOBODY ||
         clocks_sees(&g->clocks, thread, b->writer, b->write_time);
}

/* Among atomic updates there may be one that the last writer had not seen. */
static bool sees_also(const san_group *g, const san_byte *b, int32_t thread) {
  return !b->atomic || b->also == SAN_NOBODY ||
         clocks_sees(&g->clocks, thread, b->also, b->also_time);
}

/* What was written before the updates among which this one is. */
static san_verdict check_plain(const san_group *g, const san_byte *b, int32_t thread,
                               int32_t *other, uint32_t *site) {
  if (!b->plain_time || b->plain == SAN_NOBODY ||
      clocks_sees(&g->clocks, thread, b->plain, b->plain_time))
    return SAN_FINE;
  *other = b->plain;
  *site = b->plain_site;
  return b->plain >= g->clocks.threads ? SAN_STILL_ARRIVING : SAN_WRITTEN_BY_OTHER;
}

static san_verdict check_writer(const san_group *g, const san_byte *b, const san_touch *t,
                                int32_t *other, uint32_t *site) {
  if (b->state == SAN_UNWRITTEN && (!t->writes || t->atomic)) return SAN_NEVER_WRITTEN;
  if (b->state == SAN_ARRIVING) return SAN_STILL_COPIED;
  if (t->atomic && b->atomic) return check_plain(g, b, t->thread, other, site);
  if (!sees_also(g, b, t->thread)) {
    *other = b->also;
    *site = b->also_site;
    return SAN_WRITTEN_BY_OTHER;
  }
  if (sees_writer(g, b, t->thread)) {
    bool shown = !t->by_engine || b->by_engine || !b->write_time ||
                 clocks_shown(&g->clocks, t->thread, b->writer, b->write_time);
    return shown ? SAN_FINE : SAN_NOT_SHOWN;
  }
  return b->writer >= g->clocks.threads ? SAN_STILL_ARRIVING : SAN_WRITTEN_BY_OTHER;
}

static int32_t one_or_many(const san_read *r) {
  return r->first == r->last ? r->first : SAN_MANY;
}

static san_verdict check_readers(const san_group *g, const san_byte *b, const san_touch *t,
                                 int32_t *other, uint32_t *site) {
  for (uint32_t k = b->reads; k; k = read_at(g, k)->next) {
    const san_read *r = read_at(g, k);
    if (!r->queue && sees_readers(g, r, t->thread)) continue;
    *other = one_or_many(r);
    *site = r->site;
    return r->queue || r->first >= g->clocks.threads ? SAN_STILL_READ : SAN_READ_BY_OTHER;
  }
  return SAN_FINE;
}

/* Keeps one of the other threads' updates that this one has not seen. */
static void note_also(const san_group *g, san_byte *b, const san_touch *t) {
  bool among = t->atomic && b->atomic;
  if (among && b->writer != t->thread && !sees_writer(g, b, t->thread)) {
    b->also = b->writer;
    b->also_time = b->write_time;
    b->also_site = b->write_site;
  } else if (!among || sees_also(g, b, t->thread)) {
    b->also = SAN_NOBODY;
  }
  if (t->atomic && !b->atomic) {
    b->plain = b->writer;
    b->plain_time = b->write_time;
    b->plain_site = b->write_site;
  }
  b->atomic = t->atomic;
}

static void note_writer(san_group *g, san_byte *b, const san_touch *t) {
  note_also(g, b, t);
  b->state = t->queue ? SAN_ARRIVING : SAN_VALID;
  b->by_engine = t->by_engine;
  b->writer = b->issuer = (uint16_t)t->thread;
  if (t->deferred) b->writer = (uint16_t)t->doer;
  b->queue = t->queue;
  b->set = open_set(g, t);
  b->write_time = g->clocks.now;
  b->write_site = t->site;
  forget_readers(g, b);
}

san_verdict san_touch_byte(sanitizer *s, san_group *g, san_byte *b, const san_touch *t,
                           int32_t *other, uint32_t *other_site) {
  *other = b->issuer;
  *other_site = b->write_site;
  san_verdict v = check_writer(g, b, t, other, other_site);
  if (t->writes) {
    if (v == SAN_FINE) v = check_readers(g, b, t, other, other_site);
    note_writer(g, b, t);
  } else {
    note_reader(s, g, b, t);
  }
  return v;
}

bool san_unseen(const san_group *g, const san_byte *b, int32_t thread, bool *read, int32_t *other,
                uint32_t *site) {
  *read = check_readers(g, b, &(san_touch){.thread = thread}, other, site) != SAN_FINE;
  if (*read) return true;
  bool also = !sees_also(g, b, thread);
  *other = also ? b->also : b->issuer;
  *site = also ? b->also_site : b->write_site;
  return also || !sees_writer(g, b, thread);
}

san_byte *san_global_byte(sanitizer *s, san_group *g, uint64_t address) {
  uintptr_t *found = map_put(s->arena, &g->global, address / SAN_CHUNK);
  if (!*found) *found = (uintptr_t)arena_array(s->arena, san_byte, SAN_CHUNK);
  san_byte *b = (san_byte *)*found + address % SAN_CHUNK;
  if (b->state == SAN_UNWRITTEN) b->state = SAN_VALID; /* by somebody before the launch */
  return b;
}
