/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Races: two accesses to the same memory, at least one of which writes and not both atomic, such
 * that nothing says which comes first.
 *
 * The interpreter executes one tile block after the other, so no access really meets another; what
 * counts is whether an order was asked for. Within a tile block that is a path of tokens. Between
 * tile blocks it is a release, what tokens lead to it, an acquire that reads what was released or a
 * later value of the same release sequence, and what tokens lead from it. Both must have a scope
 * that includes the other tile block.
 */
#include <stdio.h>

#include "interp/sanitize/internal.h"

enum {
  EVENT_ATOMIC = 1, /* every ordering but weak */
  EVENT_ACROSS = 2, /* with a scope larger than the tile block */
  EVENT_RELEASE = 4,
  EVENT_WRITES = 8,
  EVENT_READS = 16,
  EVENT_SYSTEM = 32, /* with the scope of the whole system: other ranks, too */
};

/* ---- tokens --------------------------------------------------------------------------------- */

static event token_in(const frame *f, const inst *i, uint32_t k) {
  event x;
  memcpy(&x, at(f, i->in[k]), sizeof x);
  return x;
}

/* The token is the last operand, if there is one, and the last result. */
static event last_token(const frame *f, const inst *i) {
  uint32_t n = i->op->n_operands;
  return n && in_type(i, n - 1)->kind == IR_TOKEN ? token_in(f, i, n - 1) : 0;
}

static void set_token(frame *f, const inst *i, event x) {
  uint32_t n = i->op->n_results;
  uint64_t number = x;
  if (n && out_type(i, n - 1)->kind == IR_TOKEN) memcpy(at(f, i->out[n - 1]), &number, 8);
}

static event new_event(sanitizer *s, const inst *i, event follows, uint32_t flags) {
  event x = events_add(&s->events, &(event_info){.follows = follows,
                                                 .site = san_site_of(s, i),
                                                 .flags = flags,
                                                 .block = s->block});
  if (!x) s->events_lost = true;
  return x;
}

event san_note_event(sanitizer *s, uint32_t site) {
  event x = events_add(&s->events, &(event_info){.site = site, .block = s->block});
  if (!x) s->events_lost = true;
  return x;
}

/* What comes behind both. */
static event join_two(sanitizer *s, const inst *i, event a, event b) {
  if (!a || a == b) return b;
  event joined = b ? new_event(s, i, a, 0) : 0;
  if (joined) events_follow(&s->events, joined, b);
  return joined ? joined : a;
}

void san_come_to(sanitizer *s, const frame *f, const inst *i, san_group *g, san_meeting *m) {
  if (g->ranks > 1 && san_checks(s, TSR_SANITIZE_RACE))
    m->came = join_two(s, i, m->came, g->last[f->rank]);
}

void san_leave(sanitizer *s, const frame *f, const inst *i, san_group *g, const san_meeting *m) {
  if (g->ranks > 1 && san_checks(s, TSR_SANITIZE_RACE))
    g->last[f->rank] = join_two(s, i, g->last[f->rank], m->seen);
}

static event join(sanitizer *s, frame *f, const inst *i) {
  event first = 0, joined = 0;
  for (uint32_t k = 0; k < i->op->n_operands; k++) {
    event x = token_in(f, i, k);
    if (!x || x == first) continue;
    if (!first) {
      first = x;
      continue;
    }
    if (!joined) joined = new_event(s, i, first, 0);
    if (!joined) return first;
    events_follow(&s->events, joined, x);
  }
  return joined ? joined : first;
}

void san_pass_token(sanitizer *s, frame *f, const inst *i) {
  switch (i->op->opcode) {
  case OP_make_token: set_token(f, i, 0); break;
  case OP_join_tokens: set_token(f, i, join(s, f, i)); break;
  default: set_token(f, i, last_token(f, i)); break; /* print_tko, gdc_*, fences */
  }
}

/* ---- release and acquire -------------------------------------------------------------------- */

static san_release *released_at(const sanitizer *s, uint64_t unit) {
  uintptr_t *index = map_get(&s->releases, unit);
  return index && *index ? &s->released.data[*index - 1] : NULL;
}

/* Whether both have a scope that includes the other's tile block. */
static bool reach_each_other(const sanitizer *s, const event_info *a, const event_info *b) {
  uint32_t both = a->flags & b->flags;
  if (a->block == b->block) return true;
  if (a->block / s->rank_blocks != b->block / s->rank_blocks) return both & EVENT_SYSTEM;
  return both & EVENT_ACROSS;
}

static void acquire(sanitizer *s, event now, uint64_t unit) {
  const san_release *r = released_at(s, unit);
  for (uint32_t k = 0; r && k < r->by.len; k++) {
    const event_info *by = events_get(&s->events, r->by.data[k]);
    const event_info *mine = events_get(&s->events, now);
    if (reach_each_other(s, by, mine)) events_follow(&s->events, now, r->by.data[k]);
  }
}

/* Those that `now` follows need no mention of their own. */
static void drop_ordered(sanitizer *s, san_release *r, event now) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < r->by.len; k++)
    if (!events_ordered(&s->events, r->by.data[k], now)) r->by.data[kept++] = r->by.data[k];
  r->by.len = kept;
}

/* A write to a place, by an update of what was there or not. An update continues with the release
 * sequence, any other write ends it. */
static void write_release(sanitizer *s, event now, uint64_t unit, bool updates) {
  bool releases = events_get(&s->events, now)->flags & EVENT_RELEASE;
  san_release *r = released_at(s, unit);
  if (!r && !releases) return;
  if (!r) {
    vec_push(s->arena, s->released, (san_release){.unit = unit});
    *map_put(s->arena, &s->releases, unit) = s->released.len;
    r = &vec_last(s->released);
  }
  if (!updates) r->by.len = 0;
  if (!releases) return;
  drop_ordered(s, r, now);
  vec_push(s->arena, r->by, now);
}

void san_forget_releases(sanitizer *s, uint64_t unit, uint64_t units) {
  for (uint32_t k = 0; k < s->released.len; k++) {
    san_release *r = &s->released.data[k];
    if (r->unit >= unit && r->unit - unit < units) r->by.len = 0;
  }
}

/* ---- conflicts ------------------------------------------------------------------------------ */

static bool are_atomic(const sanitizer *s, const event_info *a, const event_info *b) {
  return a->flags & b->flags & EVENT_ATOMIC && reach_each_other(s, a, b);
}

static bool is_race(sanitizer *s, event before, event now) {
  if (!before || before == now) return false;
  if (s->asked == before) return s->answer;
  s->asked = before;
  s->answer = !are_atomic(s, events_get(&s->events, before), events_get(&s->events, now)) &&
              !events_ordered(&s->events, before, now);
  return s->answer;
}

static event race_in_cell(sanitizer *s, const shadow_cell *c, event now, bool writes) {
  if (is_race(s, c->write, now)) return c->write;
  for (unsigned k = 0; writes && k < SHADOW_READERS; k++)
    if (is_race(s, c->reads[k], now)) return c->reads[k];
  return 0;
}

/* A reader takes a free place, that of the same operation's last execution in this tile block, or
 * the oldest one's. */
static void note_read(sanitizer *s, shadow_cell *c, event now) {
  const event_info *mine = events_get(&s->events, now);
  unsigned to = 0;
  for (unsigned k = 0; k < SHADOW_READERS; k++) {
    const event_info *other = events_get(&s->events, c->reads[k]);
    bool same = c->reads[k] && other->block == mine->block && other->site == mine->site;
    if (!c->reads[k] || same) {
      to = k;
      break;
    }
    if (c->reads[k] < c->reads[to]) to = k;
  }
  c->reads[to] = now;
}

/* Returns what races with the access to this element; 0. */
static event check_element(sanitizer *s, const san_access *a, event now, uint64_t unit,
                           bool writes) {
  shadow_span spans[2];
  unsigned n = shadow_cells(&s->shadow, unit, a->units, spans);
  event other = 0;
  for (unsigned p = 0; p < n; p++) {
    for (unsigned k = 0; k < spans[p].n; k++) {
      shadow_cell *c = &spans[p].cells[k];
      if (!other) other = race_in_cell(s, c, now, writes);
      if (writes)
        *c = (shadow_cell){.write = now};
      else
        note_read(s, c, now);
    }
  }
  return other;
}

static bool is_written_by(sanitizer *s, const san_access *a, uint64_t unit, event now) {
  shadow_span spans[2];
  shadow_cells(&s->shadow, unit, a->units, spans);
  return spans[0].cells[0].write == now;
}

/* ---- reporting ------------------------------------------------------------------------------ */

static const char *verb_of(uint32_t flags) {
  if (!(flags & EVENT_WRITES)) return "reads";
  return flags & EVENT_READS ? "updates" : "writes";
}

static void report_race(sanitizer *s, const san_access *a, event other, uint64_t unit,
                        int64_t element, uint64_t count) {
  if (!san_count(s, a->i, TSR_SANITIZE_RACE, count)) return;
  san_finding found = {.check = TSR_SANITIZE_RACE,
                       .i = a->i,
                       .tile = a->tile,
                       .element = element,
                       .more = count - 1,
                       .memory = san_memory_at(s, unit, a->units),
                       .unit = unit,
                       .other = other};
  const event_info *o = events_get(&s->events, other);
  char where[160] = "memory";
  if (found.memory) san_place_text(found.memory, unit, a->units, where, sizeof where);
  snprintf(found.message, sizeof found.message, "%s %s %s, unordered with %s, which %s it",
           san_op_name(a->i), a->verb, where, san_op_name(&s->program->code[o->site]),
           verb_of(o->flags));
  const char *why = "nothing orders the tile blocks: no acquire in one sees a release of the other";
  if (o->block / s->rank_blocks != s->rank)
    why = "nothing orders the ranks: no acquire in one sees a release of the other, both of scope "
          "sys";
  if (o->block == s->block) why = "no token leads from one to the other";
  snprintf(found.detail, sizeof found.detail, "%s", why);
  san_report(s, &found);
}

/* Two elements of one store at the same place, with different values: either may stay. */
static void report_overlap(sanitizer *s, const san_access *a, int64_t element, uint64_t count) {
  if (!san_count(s, a->i, TSR_SANITIZE_RACE, count)) return;
  san_finding found = {.check = TSR_SANITIZE_RACE,
                       .i = a->i,
                       .tile = a->tile,
                       .element = element,
                       .more = count - 1,
                       .memory = san_memory_at(s, a->at[element], a->units),
                       .unit = a->at[element]};
  char where[160] = "memory";
  if (found.memory) san_place_text(found.memory, found.unit, a->units, where, sizeof where);
  snprintf(found.message, sizeof found.message,
           "%s writes different values to %s, from several elements of one tile", san_op_name(a->i),
           where);
  san_report(s, &found);
}

/* ---- one access ----------------------------------------------------------------------------- */

/* What an access comes after. At the block level accesses happen in the order of the program; but
 * of what several threads did a release has what they gathered at a barrier. */
static event before(const frame *f, const san_access *a, const san_group *g, bool releases) {
  if (!g) return last_token(f, a->i);
  return releases && f->count > 1 ? g->gathered[f->rank] : g->last[f->rank];
}

/* Accesses that follow come after this one and after all before it. */
static void follow_on(sanitizer *s, const inst *i, event *last, event now, event follows) {
  event next = now;
  if (*last && *last != follows) {
    next = new_event(s, i, *last, 0);
    if (next) events_follow(&s->events, next, now);
  }
  if (next) *last = next;
}

static event begin_event(sanitizer *s, frame *f, const san_access *a) {
  bool releases = a->ordering == ORDER_RELEASE || a->ordering == ORDER_ACQ_REL;
  uint32_t flags = (a->reads ? EVENT_READS : 0) | (a->writes ? EVENT_WRITES : 0);
  if (a->ordering != ORDER_WEAK) flags |= EVENT_ATOMIC;
  if (a->scope != SCOPE_TL_BLK) flags |= EVENT_ACROSS;
  if (a->scope == SCOPE_SYS) flags |= EVENT_SYSTEM;
  if (releases) flags |= EVENT_RELEASE;
  bool stated = ir_has_attr(s->program->entry, ATTR_threads);
  san_group *g = stated ? san_group_of(s, f) : NULL;
  event follows = before(f, a, g, releases), now = new_event(s, a->i, follows, flags);
  if (!now) return 0;
  if (g) follow_on(s, a->i, &g->last[f->rank], now, follows);
  bool acquires = a->ordering == ORDER_ACQUIRE || a->ordering == ORDER_ACQ_REL;
  for (int64_t k = 0; acquires && k < a->n; k++)
    if (a->at[k] != UNIT_NONE) acquire(s, now, a->at[k]);
  return now;
}

/* An atomic_cas that found something else has not written. */
static bool has_written(const frame *f, const san_access *a, int64_t k) {
  op_code opcode = (op_code)a->i->op->opcode;
  if (opcode != OP_atomic_cas_tko && opcode != OP_atomic_cas_global) return a->writes;
  const void *expected = at(f, a->i->in[opcode == OP_atomic_cas_tko ? 1 : 0]);
  return get_element(at(f, a->i->out[0]), a->bits, k) == get_element(expected, a->bits, k);
}

/* Does the memory hold another value than this element stored? Then a later element of the same
 * store did, too. */
static bool was_overwritten(const frame *f, const san_access *a, int64_t k) {
  op_code opcode = (op_code)a->i->op->opcode;
  if (!ir_is_store(a->i->op)) return false;
  bool of_shared = stores_window(opcode) && opcode != OP_store_global;
  if (copies_window(opcode) || of_shared) return false; /* its value is no tile */
  const void *values = at(f, a->i->in[opcode == OP_store_ptr_tko ? 1 : 0]);
  const uint8_t *address = (const uint8_t *)(uintptr_t)(a->at[k] / 2);
  uint64_t there = a->bits == 4 ? (uint64_t)(*address >> 4 * (a->at[k] % 2) & 0xf)
                                : get_element(address, a->bits, 0);
  return there != get_element(values, a->bits, k);
}

static void check_overlap(sanitizer *s, frame *f, const san_access *a) {
  uint64_t count = 0;
  int64_t first = -1;
  for (int64_t k = 0; k < a->n; k++) {
    if (a->at[k] == UNIT_NONE || !was_overwritten(f, a, k)) continue;
    if (!count++) first = k;
  }
  if (count) report_overlap(s, a, first, count);
}

void san_check_race(sanitizer *s, frame *f, const san_access *a) {
  event now = begin_event(s, f, a), other = 0;
  set_token(f, a->i, now ? now : last_token(f, a->i));
  if (!now) return;
  s->asked = 0;
  uint64_t count = 0;
  int64_t first = -1;
  bool overlaps = false;
  for (int64_t k = 0; k < a->n; k++) {
    if (a->at[k] == UNIT_NONE) continue;
    bool writes = has_written(f, a, k);
    if (writes && a->ordering == ORDER_WEAK) overlaps |= is_written_by(s, a, a->at[k], now);
    event with = check_element(s, a, now, a->at[k], writes);
    if (writes) write_release(s, now, a->at[k], a->reads);
    if (!with || count++) continue;
    first = k;
    other = with;
  }
  if (count) report_race(s, a, other, a->at[first], first, count);
  if (overlaps) check_overlap(s, f, a);
}
