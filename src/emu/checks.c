/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The watcher of the checks: translates what the machine tells into what races.h knows.
 */
#include "emu/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "emu/async.h"
#include "emu/insn_table.h"
#include "emu/isa.h"
#include "emu/phases.h"

/* ---- state ---------------------------------------------------------------------------------- */

/* A phase of a barrier: what those that arrived left. Freed when nobody refers to it. */
typedef struct phase {
  race_sync sync;
  uint32_t refs, arrived;
  uint32_t thread, where; /* of the first that arrived, of a barrier for all */
  bool closed;
} phase;

typedef struct barrier {
  phase *open;
  phase **waiting; /* by thread of the domain: where it arrived last */
  uint32_t *met;   /* likewise, of a barrier for all: 1 + the instruction; MET_ENDED */
} barrier;

#define MET_ENDED (1u << 31) /* ... and the thread has ended since */

enum { CLUSTER_BARRIER = EMU_BARRIERS, BARRIERS };

/* A block's state. Those of a cluster share the domain and, for the cluster's barrier, that of rank
 * 0. */
typedef struct watched_block {
  race_domain *domain;
  shadow *shared;
  phases mbarriers;
  barrier barriers[BARRIERS];
} watched_block;

/* Where atomics leave what threads know, by address. */
typedef struct variable {
  uint64_t key, extra;
  race_sync sync;
  bool used;
} variable;

/* A race that was reported before: programs with one often have it in every step of a loop. */
typedef struct known_race {
  uint32_t first, second, index;
  uint8_t kind, flags; /* of the report; flags of both accesses */
  bool same_value, used;
} known_race;
enum { KNOWN_RACES = 64 };

struct checks {
  findings *out;
  known_race known[KNOWN_RACES];
  races races;
  struct emu_async_watch async;
  insn_table insns;
  /* the cluster of each domain, by number less that of the launch's first */
  uint64_t *clusters;
  uint32_t n_clusters, cap_clusters, first_domain;
  variable *variables;
  uint32_t n_variables, cap_variables;
  hash_secret secret;
  emu_grid *grid;
  /* of the access under way */
  emu_warp *warp;
  const uint8_t *host;
  uint8_t space;
  uint64_t address, base;
  uint32_t bytes;
  emu_allocation *allocation;
};

static void no_memory(checks *c) {
  c->races.out_of_memory = true;
}

/* The number of an instruction; 0 when memory ran out, when nothing is checked any more. */
static uint32_t number_of(checks *c, emu_insn i) {
  uint32_t n = insn_number(&c->insns, i);
  if (n != UINT32_MAX) return n;
  no_memory(c);
  return 0;
}

static watched_block *block_of(const emu_block *b) {
  return b->watched;
}

static const emu_isa *isa_of(const checks *c) {
  return c->grid->program->isa;
}

static uint32_t base_of(const emu_warp *w) {
  return w->block->rank * w->block->n_threads + w->first;
}

/* ---- sites
 * -------------------------------------------------------------------------------------------------
 */

/* Thread `number` of a cluster of the grid. */
static finding_site site_of(const checks *c, uint64_t cluster, uint32_t number, emu_insn i) {
  const emu_launch_options *o = &c->grid->o;
  uint32_t threads = o->block[0] * o->block[1] * o->block[2];
  uint32_t rank = number / threads, t = number % threads;
  const uint32_t *n = o->cluster;
  uint32_t lanes = c->grid->entry->lanes;
  uint32_t in[3] = {rank % n[0], rank / n[0] % n[1], rank / n[0] / n[1]};
  finding_site s = {.insn = i, .warp = (int)(t / lanes), .lane = (int)(t % lanes)};
  for (int k = 0; k < 3; k++) {
    uint32_t clusters = o->grid[k] / n[k];
    s.block[k] = (uint32_t)(cluster % clusters) * n[k] + in[k];
    cluster /= clusters;
  }
  s.thread[0] = t % o->block[0];
  s.thread[1] = t / o->block[0] % o->block[1];
  s.thread[2] = t / o->block[0] / o->block[1];
  return s;
}

static finding_site site_of_warp(const checks *c, const emu_warp *w, int lane, emu_insn i) {
  finding_site s =
      site_of(c, w->block->cluster->linear, base_of(w) + (uint32_t)(lane < 0 ? 0 : lane), i);
  s.lane = lane;
  return s;
}

static finding new_finding(const checks *c, finding_kind kind) {
  return (finding){.kind = kind,
                   .isa = isa_of(c),
                   .module = c->grid->program->module,
                   .kernel = c->grid->entry->name};
}

static void put_address(finding *x, uint8_t space, uint64_t address, uint32_t bytes,
                        const emu_allocation *a, const uint8_t *host) {
  x->has_address = true;
  x->space = space == EMU_SHARED ? "shared" : space == EMU_LOCAL ? "local" : "global";
  x->address = space == EMU_SHARED ? EMU_SHARED_OFFSET(address) : address;
  x->bytes = bytes;
  if (a && a->name) x->buffer = a->name, x->buffer_offset = address - a->base;
  if (!host) return;
  x->has_value = true;
  memcpy(&x->value, host, MIN(bytes, 8));
}

/* ---- reports of races ----------------------------------------------------------------------- */

static const char *verb(unsigned flags, bool async) {
  bool atomic = (flags & (RACE_WRITE | RACE_STRONG)) == (RACE_WRITE | RACE_STRONG);
  if (async) return flags & RACE_WRITE ? "fills" : "fetches";
  return atomic ? "updates" : flags & RACE_WRITE ? "writes" : "reads";
}

static void explain_async(const checks *c, const race_report *r, const race_slot_info *slot,
                          finding *x) {
  bool writes = r->first.flags & RACE_WRITE;
  x->kind = FINDING_MISSING_WAIT;
  snprintf(x->message, sizeof x->message, "%s memory that an asynchronous operation %s",
           r->second.flags & RACE_WRITE ? "writes to" : "reads",
           writes ? "may not have written yet" : "may still be reading");
  snprintf(x->hint, sizeof x->hint,
           r->waited ? "who issued it has waited: between that %s and this access a barrier (or an "
                       "arrival after the wait) is missing"
                     : "before this access: %s, and a barrier when another thread issued it",
           isa_of(c)->words->waits[slot->kind]);
}

static void explain_threads(const checks *c, const race_report *r, bool same_domain, finding *x) {
  static const char *const does[] = {
      [RACE_READ_AFTER_WRITE] = "reads memory that another thread writes",
      [RACE_WRITE_AFTER_READ] = "writes to memory that another thread reads",
      [RACE_WRITE_AFTER_WRITE] = "writes to memory that another thread writes",
  };
  const emu_words *words = isa_of(c)->words;
  uint32_t lanes = c->grid->entry->lanes;
  uint32_t threads = c->grid->o.block[0] * c->grid->o.block[1] * c->grid->o.block[2];
  uint32_t lane = r->first.mask ? (uint32_t)__builtin_ctz(r->first.mask) : 0;
  uint32_t a = r->first.slot + lane, b = r->thread;
  bool same_block = same_domain && a / threads == b / threads;
  bool same_warp = same_block && a % threads / lanes == b % threads / lanes;
  snprintf(x->message, sizeof x->message, "%s, with nothing that orders the two", does[r->kind]);
  snprintf(x->hint, sizeof x->hint, "%s",
           same_warp && r->first.where == r->second.where && r->kind == RACE_WRITE_AFTER_WRITE
               ? "lanes of one store write different values to one address"
           : same_warp   ? words->order_warp
           : same_block  ? words->order_block
           : same_domain ? words->order_cluster
                         : words->order_grid);
}

static const char same_outcome[] = "writes to memory that another thread writes, with nothing that "
                                   "orders the two; both write the same value";

static const char either_store[] = "no race if the store is an atomic one, which this processor "
                                   "has the same instruction for";

/* Whether two plain stores of threads write the same, so that their order doesn't matter: what the
 * first wrote is what memory holds. */
static bool same_values(const checks *c, const race_report *r) {
  uint8_t stored[EMU_MAX_STORED];
  emu_insn i = c->insns.insns[r->second.where];
  uint64_t at = r->offset - (c->address - c->base);
  bool plain = r->kind == RACE_WRITE_AFTER_WRITE && r->first.mask && r->second.mask &&
               !((r->first.flags | r->second.flags) & RACE_STRONG);
  if (!plain || !c->host || !(isa_of(c)->traits(i) & EMU_IS_STORE)) return false;
  isa_of(c)->stored(c->warp, i, (r->thread - base_of(c->warp)) % c->grid->entry->lanes, stored);
  return at + r->bytes <= c->bytes && !memcmp(stored + at, c->host + at, r->bytes);
}

static void tell_race(checks *c, const race_report *r, known_race *known) {
  emu_insn first = c->insns.insns[r->first.where], second = c->insns.insns[r->second.where];
  bool same_value = same_values(c, r);
  bool same_domain = r->first.domain == race_domain_id(r->domain);
  race_slot_info *slot = same_domain ? race_slot_at(r->domain, r->first.slot) : NULL;
  race_slot_info *own = race_slot_at(r->domain, r->second.slot);
  finding x = new_finding(c, same_value    ? FINDING_SAME_VALUE
                             : r->possible ? FINDING_POSSIBLE_RACE
                                           : FINDING_RACE);
  uint64_t cluster = c->clusters[r->first.domain - c->first_domain];
  uint32_t thread = slot ? slot->thread : r->first.slot;
  if (r->first.mask) thread += (uint32_t)__builtin_ctz(r->first.mask);
  x.at = site_of(c, c->warp->block->cluster->linear, r->thread, second);
  x.at.does = verb(r->second.flags, own != NULL);
  x.other = site_of(c, cluster, slot || r->first.mask ? thread : 0, first);
  x.other.does = verb(r->first.flags, r->first.mask == 0);
  if (r->kind == RACE_PROXY) {
    x.kind = FINDING_MISSING_FENCE;
    snprintf(x.message, sizeof x.message, "%s", isa_of(c)->words->missing_proxy);
    snprintf(x.hint, sizeof x.hint, "%s", isa_of(c)->words->proxy_hint);
  } else if (slot) {
    explain_async(c, r, slot, &x);
  } else {
    explain_threads(c, r, same_domain, &x);
  }
  if (same_value) snprintf(x.message, sizeof x.message, "%s", same_outcome);
  if (r->possible) snprintf(x.hint, sizeof x.hint, "%s", either_store);
  uint64_t offset = r->offset - (c->address - c->base);
  put_address(&x, c->space, c->address + offset, MIN(c->bytes, 4u), c->allocation,
              c->host ? c->host + offset : NULL);
  *known = (known_race){.first = r->first.where,
                        .second = r->second.where,
                        .index = findings_add(c->out, &x),
                        .kind = (uint8_t)r->kind,
                        .same_value = same_value,
                        .flags = (uint8_t)(r->first.flags ^ r->second.flags << 1)};
  known->used = known->index != UINT32_MAX;
}

static void report_race(void *user, const race_report *r) {
  checks *c = user;
  known_race *k = &c->known[(r->first.where * 31 + r->second.where) % KNOWN_RACES];
  bool same = k->used && k->first == r->first.where && k->second == r->second.where &&
              k->kind == r->kind && k->flags == (uint8_t)(r->first.flags ^ r->second.flags << 1) &&
              k->same_value == same_values(c, r);
  if (same)
    findings_again(c->out, k->index);
  else
    tell_race(c, r, k);
}

/* ---- reports of mbarriers' phases ----------------------------------------------------------- */

static const struct {
  finding_kind kind;
  const char *does;
} phase_problems[] = {
    [PHASES_UNEXPECTED_COPY] = {FINDING_MISSING_WAIT, "copies"},
    [PHASES_EARLY_ARRIVAL] = {FINDING_BARRIER, "arrives"},
    [PHASES_LATE_EXPECT] = {FINDING_BARRIER, "expects"},
};

static void report_phase(void *user, const phases_report *r) {
  checks *c = user;
  finding x = new_finding(c, phase_problems[r->problem].kind);
  uint64_t cluster = c->clusters[race_domain_id(r->domain) - c->first_domain];
  x.at = site_of(c, cluster, r->thread, c->insns.insns[r->where]);
  x.at.does = phase_problems[r->problem].does;
  snprintf(x.message, sizeof x.message, "%s", isa_of(c)->words->phases[r->problem].message);
  snprintf(x.hint, sizeof x.hint, "%s", isa_of(c)->words->phases[r->problem].hint);
  put_address(&x, EMU_SHARED, r->mbarrier, 8, NULL, NULL);
  findings_add(c->out, &x);
}

/* ---- launches and blocks -------------------------------------------------------------------- */

static void launch_begin(void *user, emu_grid *g) {
  checks *c = user;
  c->grid = g;
  c->races.next_domain =
      g->device->checked_clusters; /* memory may remember other checks' clusters */
  race_launch_boundary(&c->races);
  c->first_domain = c->races.first_domain;
  c->n_clusters = 0;
}

static void free_variables(checks *c) {
  for (uint32_t i = 0; i < c->cap_variables; i++) race_sync_free(&c->variables[i].sync);
  free(c->variables);
  c->variables = NULL;
  c->n_variables = c->cap_variables = 0;
}

static void launch_end(void *user, emu_grid *g) {
  (void)g;
  free_variables(user);
}

static void begin_cluster(checks *c, emu_cluster *cluster, watched_block *w) {
  w->domain = race_domain_create(&c->races, cluster->n_blocks * cluster->blocks[0].n_threads,
                                 cluster->blocks[0].n_threads);
  cluster->grid->device->checked_clusters = c->races.next_domain;
  if (c->n_clusters == c->cap_clusters) {
    uint32_t cap = MAX(64, 2 * c->cap_clusters);
    uint64_t *list = realloc(c->clusters, cap * sizeof *list);
    if (!list) {
      race_domain_destroy(w->domain);
      w->domain = NULL;
      return;
    }
    c->clusters = list, c->cap_clusters = cap;
  }
  if (w->domain) c->clusters[c->n_clusters++] = cluster->linear;
}

static void block_end(void *user, emu_block *b);

static void block_begin(void *user, emu_block *b) {
  checks *c = user;
  watched_block *w = calloc(1, sizeof *w);
  b->watched = w;
  if (w) {
    w->shared = shadow_create(emu_shared_size(b), false);
    if (w->shared && b->reserved_at) /* what the system has for itself begins as zeros */
      shadow_set_written(w->shared, b->reserved_at, b->grid->entry->reserved_bytes, true);
    if (b->rank == 0)
      begin_cluster(c, b->cluster, w);
    else if (block_of(&b->cluster->blocks[0]))
      w->domain = block_of(&b->cluster->blocks[0])->domain;
  }
  if (w) w->mbarriers = (phases){.domain = w->domain, .report = report_phase, .user = c};
  if (w && w->shared && w->domain) return;
  no_memory(c);
  block_end(c, b);
}

static void drop_phase(phase *p) {
  if (!p || --p->refs) return;
  race_sync_free(&p->sync);
  free(p);
}

static void free_barrier(barrier *b, uint32_t threads) {
  for (uint32_t t = 0; b->waiting && t < threads; t++) drop_phase(b->waiting[t]);
  free(b->waiting);
  free(b->met);
  drop_phase(b->open);
}

static void block_end(void *user, emu_block *b) {
  watched_block *w = block_of(b);
  (void)user;
  if (!w) return;
  uint32_t threads = b->cluster->n_blocks * b->n_threads;
  for (unsigned k = 0; k < BARRIERS; k++) free_barrier(&w->barriers[k], threads);
  phases_free(&w->mbarriers);
  shadow_destroy(w->shared);
  if (b->rank == 0) race_domain_destroy(w->domain);
  free(w);
  b->watched = NULL;
}

/* ---- synchronisation
 * ------------------------------------------------------------------------------------------------
 */

/* Who arrives without waiting may do so again when it knows that the phase in which it did is
 * complete: until then the barrier counts it once more in the place of another. */
static void report_again(checks *c, emu_warp *w, int lane, const emu_sync *s) {
  finding x = new_finding(c, FINDING_BARRIER);
  x.at = site_of_warp(c, w, lane, s->insn);
  x.at.does = "arrives";
  snprintf(x.message, sizeof x.message,
           "arrives at barrier %u again, perhaps before others have arrived there", s->id);
  snprintf(x.hint, sizeof x.hint, "%s", isa_of(c)->words->barrier_again);
  findings_add(c->out, &x);
}

/* A barrier for all threads of a block that they meet at different places, or not equally often:
 * thread `number` of the domain came to `where`, another one to `other_where`. */
static void report_place(checks *c, emu_warp *w, const char *message, uint32_t number,
                         uint32_t where, uint32_t other, uint32_t other_where) {
  uint64_t cluster = w->block->cluster->linear;
  finding x = new_finding(c, FINDING_BARRIER);
  x.at = site_of(c, cluster, number, c->insns.insns[where]);
  x.other = site_of(c, cluster, other, c->insns.insns[other_where]);
  x.at.does = x.other.does = "arrives";
  snprintf(x.message, sizeof x.message, "%s", message);
  snprintf(x.hint, sizeof x.hint, "%s", isa_of(c)->words->barrier_place);
  findings_add(c->out, &x);
}

static const char met_again[] =
    "arrives at a barrier again that threads of the block met here and have ended since";

/* A program that names a barrier of its own for all threads may let them come from everywhere, as
 * the teams of specialised warps do; barrier 0 is __syncthreads(). */
static bool meets_anywhere(const checks *c, const emu_sync *s) {
  const emu_isa *isa = isa_of(c);
  return s->id && isa->traits && isa->traits(s->insn) & EMU_MEETS_ANYWHERE;
}

/* All threads of a block arrive at the same place, and as often as each other. */
static void check_place(checks *c, emu_warp *w, barrier *b, uint32_t base, const emu_sync *s) {
  phase *p = b->open;
  uint32_t where = number_of(c, s->insn), threads = w->block->n_threads;
  uint32_t first = w->block->rank * threads, number = base + emu_first_lane(s->lanes);
  if (!b->met) b->met = calloc(w->block->cluster->n_blocks * threads, sizeof *b->met);
  if (!b->met) {
    no_memory(c);
    return;
  }
  if (!p->arrived) p->thread = number, p->where = where;
  if (p->where != where)
    report_place(c, w, "arrives at a barrier for all threads, of which others arrive elsewhere",
                 number, where, p->thread, p->where);
  for (uint32_t t = first; w->block->ended && t < first + threads; t++) {
    if (b->met[t] != (MET_ENDED | (where + 1))) continue;
    report_place(c, w, met_again, number, where, t, where);
    break;
  }
  EMU_FOR_LANES(l, s->lanes) b->met[base + l] = where + 1;
}

/* Lanes have ended: those that wait at a barrier where these were before go on without them. */
static void leave_barriers(checks *c, emu_warp *w, uint32_t base, const emu_sync *s) {
  for (unsigned k = 0; s->insn && k < EMU_BARRIERS; k++) {
    barrier *b = &block_of(w->block)->barriers[k];
    EMU_FOR_LANES(l, b->met ? s->lanes : 0) {
      uint32_t t = base + (uint32_t)l;
      bool others_wait = b->met[t] && b->open && !b->open->closed && b->open->arrived;
      if (others_wait && b->open->where + 1 == b->met[t])
        report_place(c, w, met_again, b->open->thread, b->open->where, t, b->open->where);
      if (b->met[t]) b->met[t] |= MET_ENDED;
    }
  }
}

static void arrive(checks *c, emu_warp *w, barrier *b, uint32_t threads, uint32_t base,
                   const emu_sync *s) {
  race_domain *d = block_of(w->block)->domain;
  bool again = false;
  if (!b->waiting) b->waiting = calloc(threads, sizeof *b->waiting);
  if (b->open && b->open->closed) {
    drop_phase(b->open);
    b->open = NULL;
  }
  if (!b->open) b->open = calloc(1, sizeof *b->open);
  if (!b->open || !b->waiting) {
    no_memory(c);
    return;
  }
  phase *p = b->open;
  if (!p->refs) p->refs = 1; /* the barrier's own */
  if (s->all && !meets_anywhere(c, s)) check_place(c, w, b, base, s);
  EMU_FOR_LANES(l, s->lanes) {
    const phase *before = b->waiting[base + l];
    if (before && !again && (before == p || !race_knows(d, base + (uint32_t)l, &before->sync))) {
      again = true;
      report_again(c, w, (int)l, s);
    }
    drop_phase(b->waiting[base + l]);
    b->waiting[base + l] = p;
    p->refs++;
    p->arrived++;
    if (!s->relaxed) race_release(d, base + (uint32_t)l, &p->sync);
  }
  if (s->count && p->arrived >= s->count) p->closed = true;
}

static void pass(race_domain *d, barrier *b, uint32_t base, emu_lanes lanes) {
  EMU_FOR_LANES(l, lanes) {
    phase *p = b->waiting ? b->waiting[base + l] : NULL;
    if (!p) continue;
    p->closed = true;
    race_acquire(d, base + (uint32_t)l, &p->sync);
    b->waiting[base + l] = NULL;
    drop_phase(p);
  }
}

static void watch_sync(void *user, emu_warp *w, const emu_sync *s) {
  checks *c = user;
  watched_block *b = block_of(w->block);
  if (!b || c->races.out_of_memory) return;
  uint32_t base = base_of(w), threads = w->block->cluster->n_blocks * w->block->n_threads;
  barrier *of_cluster = &block_of(&w->block->cluster->blocks[0])->barriers[CLUSTER_BARRIER];
  switch ((emu_sync_kind)s->kind) {
  case EMU_SYNC_BARRIER_ARRIVE:
    arrive(c, w, &b->barriers[s->id % EMU_BARRIERS], threads, base, s);
    break;
  case EMU_SYNC_BARRIER_PASS:
    pass(b->domain, &b->barriers[s->id % EMU_BARRIERS], base, s->lanes);
    break;
  case EMU_SYNC_CLUSTER_ARRIVE: arrive(c, w, of_cluster, threads, base, s); break;
  case EMU_SYNC_CLUSTER_PASS: pass(b->domain, of_cluster, base, s->lanes); break;
  case EMU_SYNC_WARP: race_warp_sync(b->domain, base, s->lanes); break;
  case EMU_SYNC_EXIT: leave_barriers(c, w, base, s); break;
  case EMU_SYNC_FENCE: EMU_FOR_LANES(l, s->lanes) race_fence(b->domain, base + (uint32_t)l); break;
  case EMU_SYNC_RELEASE:
    EMU_FOR_LANES(l, s->lanes) race_fence_release(b->domain, base + (uint32_t)l);
    break;
  case EMU_SYNC_ACQUIRE:
    EMU_FOR_LANES(l, s->lanes) race_fence_acquire(b->domain, base + (uint32_t)l);
    break;
  default: break;
  }
}

/* ---- variables that threads synchronise by -------------------------------------------------- */

static uint32_t hash_variable(const checks *c, uint64_t key, uint64_t extra) {
  const uint64_t both[] = {key, extra};
  return (uint32_t)hash_key(c->secret, 0, both, sizeof both);
}

static bool grow_variables(checks *c) {
  uint32_t cap = MAX(256, 2 * c->cap_variables);
  variable *list = calloc(cap, sizeof *list);
  if (!list) return false;
  for (uint32_t i = 0; i < c->cap_variables; i++) {
    if (!c->variables[i].used) continue;
    uint32_t at = hash_variable(c, c->variables[i].key, c->variables[i].extra) & (cap - 1);
    while (list[at].used) at = (at + 1) & (cap - 1);
    list[at] = c->variables[i];
  }
  free(c->variables);
  c->variables = list, c->cap_variables = cap;
  return true;
}

/* What was left at a key; made when `make`. */
static race_sync *variable_at(checks *c, uint64_t key, uint64_t extra, bool make) {
  if (2 * (c->n_variables + 1) > c->cap_variables && !grow_variables(c)) {
    no_memory(c);
    return NULL;
  }
  uint32_t at = hash_variable(c, key, extra) & (c->cap_variables - 1);
  for (; c->variables[at].used; at = (at + 1) & (c->cap_variables - 1))
    if (c->variables[at].key == key && c->variables[at].extra == extra)
      return &c->variables[at].sync;
  if (!make) return NULL;
  c->variables[at] = (variable){.key = key, .extra = extra, .used = true};
  c->n_variables++;
  return &c->variables[at].sync;
}

/* A key for an address: shared memory is told apart by its cluster. */
static uint64_t key_of(const emu_warp *w, uint8_t space, uint64_t address) {
  if (space != EMU_SHARED) return address;
  return UINT64_C(1) << 63 | w->block->cluster->linear << 32 | (address & 0xffffffff);
}

static bool acquires(unsigned order) {
  return order == EMU_ACQUIRE || order == EMU_ACQ_REL || order == EMU_SC;
}
static bool releases(unsigned order) {
  return order == EMU_RELEASE || order == EMU_ACQ_REL || order == EMU_SC;
}

/* A strong access also synchronises. What has scope cta is left apart, for the block alone. */
static void synchronise(checks *c, emu_warp *w, const emu_access *a, unsigned lane) {
  race_domain *d = block_of(w->block)->domain;
  uint64_t key = key_of(w, a->space, a->address[lane]), own = 1 + w->block->linear;
  uint32_t thread = base_of(w) + lane;
  if (a->kind != EMU_WRITE) {
    for (unsigned k = 0; k < 2; k++) {
      race_sync *s = variable_at(c, key, k ? own : 0, false);
      if (!s) continue;
      if (acquires(a->order))
        race_acquire(d, thread, s);
      else
        race_acquire_relaxed(d, thread, s);
    }
  }
  if (a->kind == EMU_READ) return;
  race_sync *s = variable_at(c, key, a->scope == EMU_SCOPE_BLOCK ? own : 0, true);
  if (!s) return;
  if (a->kind == EMU_WRITE) race_sync_free(s); /* a plain write ends what updates continue */
  if (releases(a->order))
    race_release(d, thread, s);
  else
    race_release_relaxed(d, thread, s);
}

/* ---- accesses
 * ------------------------------------------------------------------------------------------------------------
 */

static shadow *shadow_of(checks *c, const emu_warp *w, uint8_t space, uint64_t address,
                         emu_allocation *a, uint64_t *offset) {
  if (space == EMU_SHARED) {
    emu_block *b = emu_shared_block(w->block, address);
    *offset = EMU_SHARED_OFFSET(address);
    return b && block_of(b) ? block_of(b)->shared : NULL;
  }
  if (!a || a->constant) return NULL;
  if (!a->shadow) {
    a->shadow = shadow_create(a->bytes, true);
    if (!a->shadow) no_memory(c);
  }
  *offset = address - a->base;
  return a->shadow;
}

static void report_unwritten(checks *c, emu_warp *w, emu_insn i, unsigned lane, uint8_t space,
                             uint64_t address, uint32_t bytes, emu_allocation *a,
                             const uint8_t *host) {
  finding x = new_finding(c, FINDING_UNINITIALISED);
  x.at = site_of_warp(c, w, (int)lane, i);
  x.at.does = "reads";
  snprintf(x.message, sizeof x.message, "reads %s memory that nothing was written to",
           space == EMU_SHARED  ? "shared"
           : space == EMU_LOCAL ? "local"
                                : "global");
  snprintf(x.hint, sizeof x.hint, "%s",
           space == EMU_SHARED ? "shared memory has no defined contents when a block begins"
           : space == EMU_LOCAL
               ? "a variable or an element of an array of the thread's own is read before it is set"
               : "the buffer was allocated, but neither copied to nor written here");
  put_address(&x, space, address, bytes, a, host);
  findings_add(c->out, &x);
}

/* Lanes whose store repeats a lower lane's: the same value to the same address is no race. */
static emu_lanes repeated_stores(const emu_warp *w, const emu_access *a, unsigned traits) {
  const emu_isa *isa = w->block->grid->program->isa;
  uint8_t mine[EMU_MAX_STORED], other[EMU_MAX_STORED];
  emu_lanes repeated = 0;
  if (a->kind != EMU_WRITE || !(traits & EMU_IS_STORE)) return 0;
  EMU_FOR_LANES(l, a->lanes) {
    EMU_FOR_LANES(k, a->lanes & (emu_lane_bit((unsigned)l) - 1)) {
      if (a->address[k] != a->address[l] || repeated >> k & 1) continue;
      isa->stored(w, a->insn, (unsigned)l, mine);
      isa->stored(w, a->insn, (unsigned)k, other);
      if (!memcmp(mine, other, a->bytes)) repeated |= emu_lane_bit((unsigned)l);
      break;
    }
  }
  return repeated;
}

static bool strictly_ascending(const emu_access *a) {
  uint64_t last = 0;
  bool first = true;
  EMU_FOR_LANES(l, a->lanes) {
    if (!first && a->address[l] <= last) return false;
    last = a->address[l], first = false;
  }
  return true;
}

static unsigned flags_of(const emu_access *a, unsigned traits) {
  bool mbar = traits & EMU_IS_MBARRIER;
  bool strong = a->kind == EMU_ATOMIC || a->order != EMU_WEAK;
  unsigned flags = a->kind == EMU_READ ? 0 : RACE_WRITE;
  if (strong) flags |= RACE_STRONG;
  if (a->maybe && a->space == EMU_GLOBAL) flags |= RACE_MAYBE;
  if (strong && !mbar && a->scope == EMU_SCOPE_BLOCK) flags |= RACE_CTA_ONLY;
  return flags;
}

static void remember_access(checks *c, emu_warp *w, uint8_t space, uint64_t address, uint32_t bytes,
                            emu_allocation *a, const uint8_t *host, uint64_t offset) {
  c->warp = w;
  c->space = space;
  c->address = address;
  c->base = address - offset;
  c->bytes = bytes;
  c->allocation = a;
  c->host = host;
}

static bool track_local(const checks *c, emu_warp *w, const emu_access *a, unsigned lane,
                        uint8_t *written) {
  const emu_isa *isa = isa_of(c);
  return isa->track_local && isa->track_local(w, a, lane, written);
}

/* Local memory is the thread's own, so nothing races; but it has no value before it is written. */
static void check_local(checks *c, emu_warp *w, const emu_access *a) {
  EMU_FOR_LANES(l, a->lanes) {
    uint8_t *written = isa_of(c)->local_written(w, (unsigned)l, a->address[l], a->bytes);
    if (!written) continue;
    if (a->kind != EMU_WRITE && memchr(written, 0, a->bytes) &&
        !track_local(c, w, a, (unsigned)l, written))
      report_unwritten(c, w, a->insn, (unsigned)l, EMU_LOCAL, a->address[l], a->bytes, NULL,
                       a->host[l]);
    if (a->kind == EMU_READ) continue;
    memset(written, 1, a->bytes);
    track_local(c, w, a, (unsigned)l, written);
  }
}

static void watch_access(void *user, emu_warp *w, const emu_access *a) {
  checks *c = user;
  watched_block *b = block_of(w->block);
  if (a->space == EMU_LOCAL) {
    check_local(c, w, a);
    return;
  }
  unsigned traits = isa_of(c)->traits(a->insn);
  if (!b || c->races.out_of_memory || traits & EMU_IS_ASYNC) return;
  if (a->space != EMU_SHARED && a->space != EMU_GLOBAL) return;
  uint32_t where = number_of(c, a->insn), base = base_of(w);
  emu_lanes skip = strictly_ascending(a) ? 0 : repeated_stores(w, a, traits);
  unsigned flags = flags_of(a, traits);
  bool synchronises = flags & RACE_STRONG && !(traits & EMU_IS_MBARRIER);
  /* What may be a flag hands on what its thread knew; rows of data are no flags. */
  synchronises |= flags == (RACE_MAYBE | RACE_WRITE) && emu_count_lanes(a->lanes) == 1;
  EMU_FOR_LANES(l, a->lanes & ~skip) {
    uint64_t offset = 0;
    shadow *s = shadow_of(c, w, a->space, a->address[l], a->allocation[l], &offset);
    if (!s) continue;
    if (a->kind != EMU_WRITE && shadow_first_unwritten(s, offset, a->bytes) < a->bytes)
      report_unwritten(c, w, a->insn, (unsigned)l, a->space, a->address[l], a->bytes,
                       a->allocation[l], a->host[l]);
    remember_access(c, w, a->space, a->address[l], a->bytes, a->allocation[l], a->host[l], offset);
    if (synchronises) synchronise(c, w, a, (unsigned)l);
    race_access(b->domain, base, (uint32_t)l, where, flags, s, offset, a->bytes);
  }
}

static void watch_undefined(void *user, emu_warp *w, const emu_undefined *u) {
  checks *c = user;
  finding x = new_finding(c, FINDING_UNINITIALISED);
  x.at = site_of_warp(c, w, (int)u->lane, u->from);
  x.at.does = u->local ? "reads" : "shuffles";
  x.other = site_of_warp(c, w, (int)u->lane, u->insn);
  x.other.does = "uses";
  snprintf(x.message, sizeof x.message, "%s",
           u->local ? "reads local memory that nothing was written to"
                    : "takes a value from a lane that does not take part");
  snprintf(x.hint, sizeof x.hint, "%s",
           u->local ? "a variable or an element of an array of the thread's own is read before it "
                      "is set"
                    : isa_of(c)->words->shuffle_hint);
  if (u->local) put_address(&x, EMU_LOCAL, u->address, u->bytes, NULL, (const uint8_t *)&u->value);
  findings_add(c->out, &x);
}

static void watch_allocated(void *user, emu_warp *w, uint64_t address, uint64_t bytes) {
  emu_allocation *a = emu_find(w->block->grid->device, address);
  if (a) checks_set_written(user, a, 0, bytes, false);
}

/* ---- asynchronous operations ---------------------------------------------------------------- */

static void async_access_told(void *user, emu_warp *w, const async_access *a) {
  checks *c = user;
  watched_block *b = block_of(w->block);
  uint64_t offset = 0;
  if (!b || c->races.out_of_memory) return;
  shadow *s = shadow_of(c, w, a->space, a->address, a->allocation, &offset);
  uint32_t slot = race_slot(b->domain, (race_slot_kind)a->agent, a->owner);
  if (!s || slot == UINT32_MAX) return;
  uint32_t thread = base_of(w) + a->lane;
  race_slot_at(b->domain, slot)->thread = thread;
  unsigned flags =
      (a->write ? RACE_WRITE : 0u) | (a->reduce ? RACE_STRONG : 0u) | (a->proxy ? RACE_ASYNC : 0u);
  uint8_t *host = a->allocation ? a->allocation->host + offset : NULL;
  if (a->space == EMU_SHARED) host = emu_shared_block(w->block, a->address)->shared + offset;
  if (!a->write && shadow_first_unwritten(s, offset, a->bytes) < a->bytes)
    report_unwritten(c, w, a->insn, a->lane, a->space, a->address, a->bytes, a->allocation, host);
  remember_access(c, w, a->space, a->address, a->bytes, a->allocation, host, offset);
  race_access_async(b->domain, thread, slot, a->time, number_of(c, a->insn), flags, s, offset,
                    a->bytes);
}

static void async_learn(void *user, emu_warp *w, unsigned lane, async_agent agent, uint64_t owner,
                        uint32_t time) {
  checks *c = user;
  watched_block *b = block_of(w->block);
  if (!b || c->races.out_of_memory) return;
  uint32_t slot = race_slot(b->domain, (race_slot_kind)agent, owner);
  if (slot != UINT32_MAX) race_learn(b->domain, base_of(w) + lane, slot, time);
}

static void async_mbarrier_told(void *user, emu_warp *w, const async_event *e) {
  checks *c = user;
  const emu_block *owner = emu_shared_block(w->block, e->mbarrier);
  watched_block *b = owner ? block_of(owner) : NULL;
  if (!b || c->races.out_of_memory) return;
  uint32_t thread = base_of(w) + e->lane;
  const phases_op op = {.mbarrier = e->mbarrier,
                        .phase = e->phase,
                        .thread = thread,
                        .where = number_of(c, e->insn),
                        .bytes = e->bytes,
                        .relaxed = e->relaxed,
                        .all_arrived = e->all_arrived};
  switch (e->kind) {
  case ASYNC_INIT: phases_init(&b->mbarriers, &op); break;
  case ASYNC_EXPECT: phases_expect(&b->mbarriers, &op); break;
  case ASYNC_ISSUE: phases_copy(&b->mbarriers, &op); break;
  case ASYNC_ARRIVE: phases_arrive(&b->mbarriers, &op); break;
  case ASYNC_ARRIVE_AGAIN: phases_arrive_again(&b->mbarriers, &op); break;
  case ASYNC_ARRIVE_LATER: phases_arrive_later(&b->mbarriers, &op); break;
  case ASYNC_ARRIVED:
    phases_arrived(&b->mbarriers, &op, race_slot(b->domain, RACE_SLOT_COPY, thread), e->time,
                   e->since);
    break;
  case ASYNC_WAITED: phases_wait(&b->mbarriers, &op); break;
  }
}

static void async_fence(void *user, emu_warp *w, emu_lanes lanes) {
  checks *c = user;
  watched_block *b = block_of(w->block);
  if (!b || c->races.out_of_memory) return;
  EMU_FOR_LANES(l, lanes) race_fence_async(b->domain, base_of(w) + (uint32_t)l);
}

static void async_misused(void *user, emu_warp *w, const async_misuse *m) {
  checks *c = user;
  finding x = new_finding(c, m->fence ? FINDING_MISSING_FENCE : FINDING_MISSING_WAIT);
  x.at = site_of_warp(c, w, m->lane, m->insn);
  x.at.does = m->does;
  if (m->other) {
    x.other = site_of_warp(c, w, -1, m->other);
    x.other.does = m->other_does;
  }
  snprintf(x.message, sizeof x.message, "%s", m->message);
  snprintf(x.hint, sizeof x.hint, "%s", m->hint);
  findings_add(c->out, &x);
}

/* ---- faults
 * --------------------------------------------------------------------------------------------------------------------
 */

/* The space that an address which is none was meant for. */
static const char *space_meant(const emu_fault *f, uint8_t space) {
  uint64_t window = EMU_WINDOW(f->address);
  if (space == EMU_LOCAL || (space == EMU_GENERIC && window == EMU_WINDOW_LOCAL)) return "local";
  if (space == EMU_PARAM || (space == EMU_GENERIC && window == EMU_WINDOW_PARAM))
    return "parameter";
  if (space == EMU_GLOBAL || space == EMU_CONST || (space == EMU_GENERIC && window == 0))
    return "global";
  return "shared";
}

static void add_fault_address(const checks *c, const emu_warp *w, const emu_fault *f, finding *x) {
  emu_described d = {.space = EMU_GENERIC};
  if (f->insn) isa_of(c)->describe(w, f->insn, f->lane, &d);
  x->has_address = true;
  x->space = space_meant(f, d.space);
  x->address = strcmp(x->space, "global") ? f->address & ~(UINT64_C(0xff) << 56) : f->address;
  if (d.bytes) x->bytes = d.bytes;
  if (!d.has_value) return;
  size_t n = strlen(x->message);
  snprintf(x->message + n, sizeof x->message - n, "; the value is 0x%llx",
           (unsigned long long)d.value);
}

static bool watch_fault(void *user, emu_warp *w, const emu_fault *f) {
  static const uint8_t kinds[] = {
      [EMU_FAULT_TRAP] = FINDING_TRAP,
      [EMU_FAULT_BOUNDS] = FINDING_OUT_OF_BOUNDS,
      [EMU_FAULT_FREED] = FINDING_USE_AFTER_FREE,
      [EMU_FAULT_ALIGN] = FINDING_MISALIGNED,
      [EMU_FAULT_READ_ONLY] = FINDING_READ_ONLY,
      [EMU_FAULT_BARRIER] = FINDING_BARRIER,
      [EMU_FAULT_DEADLOCK] = FINDING_DEADLOCK,
      [EMU_FAULT_ILLEGAL] = FINDING_ILLEGAL,
      [EMU_FAULT_CALL] = FINDING_OTHER,
      [EMU_FAULT_MEMORY] = FINDING_OTHER,
  };
  checks *c = user;
  finding x = new_finding(c, (finding_kind)kinds[f->kind]);
  x.at = site_of_warp(c, w, f->lane, f->insn);
  memcpy(x.at.block, f->block, sizeof x.at.block);
  snprintf(x.message, sizeof x.message, "%.*s", (int)sizeof x.message - 1, f->message);
  if (f->has_address) add_fault_address(c, w, f, &x);
  findings_add(c->out, &x);
  return true;
}

/* ---- the watcher
 * ------------------------------------------------------------------------------------------------------------------
 */

checks *checks_create(findings *out) {
  checks *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->out = out;
  c->secret = hash_secret_new();
  c->races = (races){.report = report_race, .user = c};
  c->async = (struct emu_async_watch){.access = async_access_told,
                                      .learn = async_learn,
                                      .mbarrier = async_mbarrier_told,
                                      .fence_proxy = async_fence,
                                      .misuse = async_misused};
  return c;
}

void checks_destroy(checks *c) {
  if (!c) return;
  free_variables(c);
  insn_table_free(&c->insns);
  free(c->clusters);
  free(c);
}

void checks_watch(checks *c, emu_watcher *out) {
  *out = (emu_watcher){.user = c,
                       .serial = true,
                       .local = true,
                       .launch_begin = launch_begin,
                       .launch_end = launch_end,
                       .block_begin = block_begin,
                       .block_end = block_end,
                       .access = watch_access,
                       .sync = watch_sync,
                       .allocated = watch_allocated,
                       .undefined = watch_undefined,
                       .fault = watch_fault,
                       .async = &c->async};
}

void checks_set_written(checks *c, emu_allocation *a, uint64_t offset, uint64_t bytes,
                        bool written) {
  if (!a->shadow) a->shadow = shadow_create(a->bytes, true);
  if (!a->shadow || !shadow_set_written(a->shadow, offset, bytes, written)) no_memory(c);
}

uint64_t checks_dropped(const checks *c) {
  return c->races.dropped;
}
bool checks_out_of_memory(const checks *c) {
  return c->races.out_of_memory;
}
