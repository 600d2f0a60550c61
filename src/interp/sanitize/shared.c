/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations of the block level: the bytes of shared and global memory that each thread touches,
 * and in what order barriers and waits put them.
 *
 *   barrier          all threads see what each of them did
 *   cp_async         its bytes are on their way until a wait covers the set that they belong to;
 *                    then they count as written by the thread that copied them, at the wait
 *   free_shared      accesses afterwards are out of bounds; those before end with a barrier
 */
#include <stdio.h>

#include "interp/barriers.h"
#include "interp/cluster.h"
#include "interp/sanitize/internal.h"
#include "ir/block/layouts.h"

/* The elements of one operation with the same fault; the first is told. */
typedef struct fault {
  san_verdict verdict;
  int64_t element;
  int32_t thread, other;
  uint32_t site;
  uint64_t count;
  int64_t counted; /* the element that was counted last */
} fault;

static void add_fault(fault *f, san_verdict v, int64_t element, int32_t thread, int32_t other,
                      uint32_t site) {
  if (v == SAN_FINE) return;
  if (!f->count) *f = (fault){v, element, thread, other, site, 0, -1};
  f->count += f->counted != element;
  f->counted = element;
}

static san_storage *storage_at(san_group *g, uint64_t base) {
  for (uint32_t k = g->storage.len; k-- > 0;)
    if (g->storage.data[k].base == base) return &g->storage.data[k];
  return NULL;
}

/* ---- reporting ------------------------------------------------------------------------------ */

static const char *other_name(const sanitizer *s, uint32_t site) {
  return san_op_name(&s->program->code[site]);
}

/* What waits for an asynchronous operation. */
static const char *wait_name(const sanitizer *s, uint32_t site) {
  op_queue queue = (op_queue)ir_row(s->program->code[site].op)->queue;
  return queue == QUEUE_CP_ASYNC ? "cp_async_wait"
         : queue == QUEUE_NONE   ? "mbarrier_wait for its phase"
         : queue == QUEUE_BULK   ? "bulk_wait"
                                 : "wgmma_wait";
}

static void describe_fault(const sanitizer *s, const san_group *g, const frame *at, const inst *i,
                           const fault *f, const char *memory, bool writes, san_finding *found) {
  const char *name = san_op_name(i), *other = other_name(s, f->site);
  const char *verb = writes ? "writes" : "reads";
  char *out = found->message, who[64] = "others", whose[64] = "other threads";
  size_t size = sizeof found->message;
  if (f->other != SAN_MANY) {
    san_thread_text(s, g, at, f->other, who, sizeof who);
    san_thread_text(s, g, at, f->other, whose, sizeof whose);
  }
  switch (f->verdict) {
  case SAN_NEVER_WRITTEN:
    snprintf(out, size, "%s reads %s before anything was written there", name, memory);
    break;
  case SAN_STILL_COPIED:
    snprintf(out, size,
             "%s %s %s that a %s is still copying to; no %s since then "
             "covers it",
             name, verb, memory, other, wait_name(s, f->site));
    break;
  case SAN_STILL_ARRIVING:
    snprintf(out, size,
             "%s %s %s that a %s is still writing; no mbarrier_wait for its phase stands between",
             name, verb, memory, other);
    break;
  case SAN_STILL_READ:
    snprintf(out, size, "%s writes %s that a %s is still reading; no %s since then covers it", name,
             memory, other, wait_name(s, f->site));
    break;
  case SAN_NOT_SHOWN:
    snprintf(out, size, "%s %s %s that %s wrote with %s, and no fence_async stands between", name,
             verb, memory, who, other);
    break;
  case SAN_WRITTEN_BY_OTHER:
    snprintf(out, size, "%s %s %s that %s wrote with %s, and no barrier stands between", name, verb,
             memory, who, other);
    break;
  default:
    snprintf(out, size,
             "%s writes %s that %s may still be reading with %s, as no barrier stands "
             "between",
             name, memory, whose, other);
    break;
  }
}

static void report(sanitizer *s, const frame *at, const inst *i, const ir_type *tile,
                   const fault *f, const char *memory, bool writes) {
  static const tsr_sanitize checks[] = {
      [SAN_NEVER_WRITTEN] = TSR_SANITIZE_INIT,  [SAN_STILL_COPIED] = TSR_SANITIZE_SYNC,
      [SAN_STILL_ARRIVING] = TSR_SANITIZE_SYNC, [SAN_STILL_READ] = TSR_SANITIZE_SYNC,
      [SAN_NOT_SHOWN] = TSR_SANITIZE_SYNC,      [SAN_WRITTEN_BY_OTHER] = TSR_SANITIZE_RACE,
      [SAN_READ_BY_OTHER] = TSR_SANITIZE_RACE};
  if (!f->count || !san_checks(s, checks[f->verdict])) return;
  if (!san_count(s, i, checks[f->verdict], f->count)) return;
  san_finding found = {.check = checks[f->verdict],
                       .i = i,
                       .tile = tile,
                       .element = f->element,
                       .more = f->count - 1,
                       .by_thread = true,
                       .thread = f->thread,
                       .other_thread = f->other >= SAN_MANY ? -1 : f->other};
  san_group *g = san_group_of(s, at);
  if (f->verdict != SAN_NEVER_WRITTEN) found.other = san_note_thread(s, g, at, f->other, f->site);
  describe_fault(s, g, at, i, f, memory, writes, &found);
  san_report(s, &found);
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* How many cells an element of shared memory has: one for each byte. Those of fewer than 8 bits
 * have one each, since threads that use different ones do not meet. */
static int64_t cells_of(const ir_type *t) {
  return MAX(tsr_elem_bits((tsr_elem)t->elem), 8u) / 8;
}

/* Who does what an operation does to memory. */
typedef struct deed {
  san_touch touch;
  const san_owners *owners; /* NULL: an engine, for the threads of `step` one after the other */
  int32_t step;
} deed;

static deed deed_of(sanitizer *s, const frame *f, const inst *i, const tsr_layout *layout,
                    bool writes) {
  uint32_t by = san_group_id(san_group_of(s, f), f);
  return (deed){.touch = {.by = by, .site = san_site_of(s, i), .writes = writes},
                .owners = san_owners_of(s, layout)};
}

static void touch_by(sanitizer *s, san_group *g, san_byte *b, san_touch t, int32_t thread,
                     int64_t k, fault *found) {
  int32_t other;
  uint32_t other_site;
  t.thread = thread;
  san_verdict v = san_touch_byte(s, g, b, &t, &other, &other_site);
  add_fault(found, v, k, thread, other, other_site);
}

/* All threads that hold an element read it; the first of them writes it. */
static void touch_element(sanitizer *s, san_group *g, const frame *f, san_byte *b, const deed *d,
                          int64_t k, fault *found) {
  const san_owners *o = d->owners;
  if (!o) {
    for (int32_t t = 0; t < f->count; t += d->step)
      touch_by(s, g, b, d->touch, san_first(g, f) + t, k, found);
    return;
  }
  int64_t n = d->touch.writes ? 1 : o->copies;
  for (int64_t c = 0; c < n; c++)
    touch_by(s, g, b, d->touch, san_first(g, f) + o->thread[k * o->copies + c], k, found);
}

static bool report_freed(sanitizer *s, const inst *i, const san_storage *st) {
  if (st && !st->freed) return false;
  if (san_checks(s, TSR_SANITIZE_BOUNDS) && san_count(s, i, TSR_SANITIZE_BOUNDS, 1)) {
    san_finding found = {.check = TSR_SANITIZE_BOUNDS, .i = i};
    snprintf(found.message, sizeof found.message,
             "%s uses shared memory whose life has ended (free_shared)", san_op_name(i));
    san_report(s, &found);
  }
  return true;
}

/* Where the elements of the operation's shared memory lie. */
static int64_t *offsets_of(sanitizer *s, frame *f, const inst *i, unsigned group,
                           const ir_type *t) {
  if ((size_t)t->count > s->units_room) {
    s->units = arena_array(s->arena, uint64_t, (size_t)t->count);
    s->units_room = (size_t)t->count;
  }
  shared_offsets(f, i, group, (int64_t *)s->units);
  return (int64_t *)s->units;
}

/* The shared side of an access; the memory is operand group `group`. */
static void check_shared(sanitizer *s, frame *f, const inst *i, unsigned group, const deed *d) {
  uint32_t operand = in_group(i, group);
  const ir_type *t = in_type(i, operand);
  san_group *g = san_group_of(s, f);
  uint64_t base = ((const shared_part *)at(f, i->in[operand]))->base;
  base = cluster_address(f, base, f->to);
  if (!san_check_there(s, f, i, base)) return;
  san_storage *st = storage_at(g, base);
  if (!st && cluster_rank_at(f, base) != f->rank) return; /* not allocated there yet */
  if (report_freed(s, i, st)) return;
  const int64_t *offsets = offsets_of(s, f, i, group, t);
  int64_t cells = cells_of(t);
  const uint8_t *mask = d->touch.atomic ? in_optional(f, i, group + 1) : NULL;
  fault found = {.count = 0};
  for (int64_t k = 0; k < t->count; k++) {
    if (mask && !mask[k]) continue;
    int64_t b = offsets[k] * cells, end = b + cells;
    for (; b < end && (size_t)b < st->n_cells; b++)
      touch_element(s, g, f, &st->cells[b], d, k, &found);
  }
  report(s, f, i, t, &found, "shared memory", d->touch.writes);
}

/* Rows that are copied without a map lie inside of the view. */
static void check_rows(sanitizer *s, const frame *f, const inst *i, const ir_type *t) {
  uint64_t count = 0;
  int64_t first = -1;
  for (int64_t k = 0; k < t->count; k++) {
    if (s->units[k] != UNIT_NONE) continue;
    if (first < 0) first = k;
    count++;
  }
  if (!count || !san_checks(s, TSR_SANITIZE_BOUNDS)) return;
  if (!san_count(s, i, TSR_SANITIZE_BOUNDS, count)) return;
  san_finding found = {.check = TSR_SANITIZE_BOUNDS,
                       .i = i,
                       .tile = t,
                       .element = first,
                       .more = count - 1,
                       .by_thread = true,
                       .thread = f->first,
                       .other_thread = -1};
  snprintf(found.message, sizeof found.message,
           "%s goes beyond the view; tensor_load and tensor_store leave out what is outside",
           san_op_name(i));
  san_report(s, &found);
}

/* Elements of 4 bits have cells of their own, beyond those of all bytes, as those of shared memory
 * have: who uses the same memory as bytes is not held against them within a tile block. */
static const uint64_t NIBBLES = UINT64_C(1) << 63;

/* The global side, within the tile block; what other tile blocks do is race.c's. */
static void check_global(sanitizer *s, frame *f, const inst *i, const ir_type *t, const deed *d) {
  san_group *g = san_group_of(s, f);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  fault found = {.count = 0};
  if ((size_t)t->count > s->units_room) {
    s->units = arena_array(s->arena, uint64_t, (size_t)t->count);
    s->units_room = (size_t)t->count;
  }
  global_units(f, i, s->units);
  if (i->op->opcode == OP_bulk_load || i->op->opcode == OP_bulk_store) check_rows(s, f, i, t);
  for (int64_t k = 0; k < t->count; k++) {
    if (s->units[k] == UNIT_NONE || s->units[k] == UNIT_WILD) continue;
    uint64_t first = bits == 4 ? s->units[k] | NIBBLES : s->units[k] / 2, n = MAX(bits, 8u) / 8;
    for (uint64_t b = first; b < first + n; b++)
      touch_element(s, g, f, san_global_byte(s, g, b), d, k, &found);
  }
  report(s, f, i, t, &found, "global memory", d->touch.writes);
}

/* ---- subviews ------------------------------------------------------------------------------- */

static bool check_subview(sanitizer *s, frame *f, const inst *i) {
  const ir_type *whole = in_type(i, 0), *part = out_type(i, 0);
  unsigned gone = whole->rank - part->rank;
  for (uint32_t k = 1; k < i->op->n_operands; k++) {
    int64_t at = (int32_t)get_scalar(f, i, k), size = k - 1 < gone ? 1 : part->shape[k - 1 - gone];
    if (at >= 0 && at <= whole->shape[k - 1] - size) continue;
    if (!san_count(s, i, TSR_SANITIZE_BOUNDS, 1)) return false;
    san_finding found = {.check = TSR_SANITIZE_BOUNDS, .i = i};
    snprintf(found.message, sizeof found.message,
             "subview: offset %lld along dimension %u, for a part of %lld, is outside of the "
             "storage, which has %lld",
             (long long)at, k - 1, (long long)size, (long long)whole->shape[k - 1]);
    san_report(s, &found);
    return false;
  }
  return true;
}

static void run_subview_inside(sanitizer *s, frame *f, const inst *i) {
  bool inside = !san_checks(s, TSR_SANITIZE_BOUNDS) || check_subview(s, f, i);
  if (s->stopped) return;
  interp_do(f, i);
  if (inside) return;
  shared_part *part = at(f, i->out[0]); /* the first part instead */
  part->offset = ((const shared_part *)at(f, i->in[0]))->offset;
}

/* ---- allocations, sets of copies ------------------------------------------------------------- */

static void note_allocation(sanitizer *s, frame *f, const inst *i) {
  const ir_type *t = out_type(i, 0);
  san_group *g = san_group_of(s, f);
  uint64_t base = ((const shared_part *)at(f, i->out[0]))->base;
  size_t n = (size_t)(ir_memory_extent(t->memory) * cells_of(t));
  san_storage *st = storage_at(g, base);
  if (!st) {
    vec_push(s->arena, g->storage, (san_storage){.base = base, .freed = true});
    st = &vec_last(g->storage);
  }
  if (st->n_cells < n) st->cells = arena_array(s->arena, san_byte, n);
  if (st->freed) memset(st->cells, 0, n * sizeof *st->cells);
  st->n_cells = n;
  st->made = i;
  st->freed = false;
  /* In a loop it is the same memory again: who used it before may still do. */
  for (size_t b = 0; b < n; b++) st->cells[b].state = SAN_UNWRITTEN;
}

/* The first byte that is on its way; NULL. */
static san_byte *first_arriving(const san_storage *st) {
  for (size_t k = 0; k < st->n_cells && !st->freed; k++)
    if (st->cells[k].state == SAN_ARRIVING) return &st->cells[k];
  return NULL;
}

/* What is freed may be given to others at once, so a barrier stands behind its last use. */
static void check_last_use(sanitizer *s, const frame *f, const san_group *g, const san_storage *st,
                           const inst *i) {
  if (!san_checks(s, TSR_SANITIZE_RACE)) return;
  for (size_t k = 0; k < st->n_cells; k++) {
    const san_byte *b = &st->cells[k];
    bool read;
    int32_t by;
    uint32_t site;
    if (!san_unseen(g, b, san_first(g, f), &read, &by, &site) &&
        !san_unseen(g, b, san_first(g, f) + f->count - 1, &read, &by, &site))
      continue;
    if (!san_count(s, i, TSR_SANITIZE_RACE, 1)) return;
    san_finding found = {.check = TSR_SANITIZE_RACE,
                         .i = i,
                         .by_thread = true,
                         .thread = f->first,
                         .other_thread = by >= SAN_MANY ? -1 : by,
                         .other = san_note_event(s, site)};
    snprintf(found.message, sizeof found.message,
             "free_shared ends the life of shared memory that threads may still be %s with %s, as "
             "no barrier stands between",
             read ? "reading" : "writing", other_name(s, site));
    san_report(s, &found);
    return;
  }
}

static void free_storage(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  san_storage *st = storage_at(g, ((const shared_part *)at(f, i->in[0]))->base);
  if (report_freed(s, i, st)) return;
  const san_byte *b = first_arriving(st);
  st->freed = true;
  if (!b) check_last_use(s, f, g, st, i);
  if (!b || !san_checks(s, TSR_SANITIZE_SYNC) || !san_count(s, i, TSR_SANITIZE_SYNC, 1)) return;
  san_finding found = {.check = TSR_SANITIZE_SYNC,
                       .i = i,
                       .by_thread = true,
                       .thread = b->writer,
                       .other_thread = b->writer,
                       .other = san_note_event(s, b->write_site)};
  snprintf(found.message, sizeof found.message,
           "free_shared ends the life of shared memory that a cp_async is still copying to");
  san_report(s, &found);
}

/* Whether a set of a thread has been waited for. */
static bool is_over(const san_group *g, const frame *f, op_queue queue, int32_t thread,
                    uint32_t set, int64_t pending) {
  int32_t first = san_first(g, f);
  bool own = thread >= first && thread < first + f->count;
  return own && set + pending < g->closed[queue][thread];
}

/* What these threads copied counts as written by them now, and what engines read for them as read
 * by them, but for their last few sets. */
static void complete_byte(san_group *g, const frame *f, san_byte *b, op_queue queue,
                          int64_t pending, bool writes) {
  bool arriving = b->state == SAN_ARRIVING && b->queue == queue;
  if (writes && arriving && is_over(g, f, queue, b->writer, b->set, pending)) {
    b->state = SAN_VALID;
    b->write_time = g->clocks.now;
  }
  for (uint32_t k = b->reads; k; k = g->reads.data[k - 1].next) {
    san_read *r = &g->reads.data[k - 1];
    if (r->queue != queue || !is_over(g, f, queue, r->first, r->set, pending)) continue;
    r->queue = QUEUE_NONE;
    r->time = g->clocks.now;
  }
}

static void wait_for_sets(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  op_queue queue = (op_queue)ir_row(i->op)->queue;
  int64_t pending = ir_int_attr(i->op, ATTR_pending);
  bool writes = queue != QUEUE_BULK || !ir_has_attr(i->op, ATTR_read);
  for (uint32_t k = 0; k < g->storage.len; k++) {
    san_storage *st = &g->storage.data[k];
    for (size_t b = 0; b < st->n_cells && !st->freed; b++)
      complete_byte(g, f, &st->cells[b], queue, pending, writes);
  }
  for (uint32_t k = 0; queue == QUEUE_BULK && writes && k < g->global.cap; k++) {
    san_byte *bytes = (san_byte *)g->global.slots[k].value;
    for (unsigned b = 0; bytes && b < SAN_CHUNK; b++)
      complete_byte(g, f, &bytes[b], queue, pending, true);
  }
}

static void close_sets(san_group *g, const frame *f, op_queue queue) {
  int32_t first = san_first(g, f);
  for (int32_t t = first; t < first + f->count; t++) g->closed[queue][t]++;
}

static bool some_thread_sees(const san_group *g, const san_byte *b) {
  for (int32_t t = 0; t < g->clocks.threads; t++)
    if (clocks_sees(&g->clocks, t, b->writer, b->write_time)) return true;
  return false;
}

/* What is not over at the end, and the instruction that began it; NULL. */
static const char *pending_text(const san_group *g, const san_byte *b, uint32_t *site) {
  *site = b->write_site;
  if (b->state == SAN_ARRIVING)
    return b->queue == QUEUE_CP_ASYNC ? "is still copying when the kernel ends; no cp_async_wait "
                                        "covers it"
                                      : NULL;
  if (b->state == SAN_VALID && b->by_engine && b->writer >= g->clocks.threads &&
      !some_thread_sees(g, b))
    return "is still copying when the kernel ends; nobody waits at its mbarrier";
  for (uint32_t k = b->reads; k; k = g->reads.data[k - 1].next) {
    *site = g->reads.data[k - 1].site;
    if (g->reads.data[k - 1].queue == QUEUE_BULK)
      return "still reads shared memory when the kernel ends; no bulk_wait covers it";
  }
  return NULL;
}

static bool report_pending(sanitizer *s, const san_group *g, const san_byte *b) {
  uint32_t site;
  const char *text = pending_text(g, b, &site);
  if (!text) return false;
  const inst *copy = &s->program->code[site];
  if (!san_count(s, copy, TSR_SANITIZE_SYNC, 1)) return true;
  san_finding found = {.check = TSR_SANITIZE_SYNC,
                       .i = copy,
                       .by_thread = true,
                       .thread = b->issuer,
                       .other_thread = -1};
  snprintf(found.message, sizeof found.message, "%s %s", san_op_name(copy), text);
  san_report(s, &found);
  return true;
}

void san_check_return(sanitizer *s, frame *f, const inst *i) {
  if (!s->program->module->block_level) return;
  san_end_block(s, f, i);
  if (!san_checks(s, TSR_SANITIZE_SYNC) || s->stopped) return;
  san_group *g = san_group_of(s, f);
  san_check_phases(s, f);
  for (uint32_t k = 0; k < g->storage.len && !s->stopped; k++) {
    const san_storage *st = &g->storage.data[k];
    if (cluster_rank_at(f, st->base) != f->rank) continue;
    for (size_t b = 0; b < st->n_cells && !st->freed; b++)
      if (report_pending(s, g, &st->cells[b])) return;
  }
  (void)i;
}

/* ---- copies -----------------------------------------------------------------------------------
 */

/* Of what a thread's bits are read as, elements that several threads hold must be alike. */
static void check_copies(sanitizer *s, frame *f, const inst *i) {
  int32_t thread, other;
  int64_t element = reinterpret_differs(f, i, &thread, &other);
  if (element < 0 || !san_count(s, i, TSR_SANITIZE_ASSUME, 1)) return;
  san_finding found = {.check = TSR_SANITIZE_ASSUME,
                       .i = i,
                       .tile = out_type(i, 0),
                       .element = element,
                       .by_thread = true,
                       .thread = thread,
                       .other_thread = other};
  snprintf(found.message, sizeof found.message,
           "reinterpret gives thread %d another value than thread %d, though the result's layout "
           "has one element for both",
           thread, other);
  san_report(s, &found);
}

/* ---- operations -------------------------------------------------------------------------------
 */

static void run_access(sanitizer *s, frame *f, const inst *i) {
  bool writes = i->op->opcode == OP_store_global;
  const ir_type *t = writes ? in_type(i, 0) : out_type(i, 0);
  deed d = deed_of(s, f, i, t->layout, writes);
  san_run_access(s, f, i);
  if (!s->stopped) check_global(s, f, i, t, &d);
}

/* An atomic update of the tile `out`, in global memory or in the shared memory of a group. */
static deed deed_of_update(sanitizer *s, const frame *f, const inst *i) {
  deed d = deed_of(s, f, i, out_type(i, 0)->layout, true);
  d.touch.atomic = true;
  return d;
}

static void run_update_global(sanitizer *s, frame *f, const inst *i) {
  deed d = deed_of_update(s, f, i);
  san_run_access(s, f, i);
  if (!s->stopped) check_global(s, f, i, out_type(i, 0), &d);
}

static void check_update_shared(sanitizer *s, frame *f, const inst *i, unsigned group) {
  deed d = deed_of_update(s, f, i);
  if (san_checks(s, TSR_SANITIZE_INIT)) san_check_undefined_access(s, f, i, NULL);
  check_shared(s, f, i, group, &d);
}

static void run_copy_async(sanitizer *s, frame *f, const inst *i) {
  const tsr_layout *layout = ir_get_attr(i->op, ATTR_layout)->layout;
  const ir_type *t = in_type(i, in_group(i, 2));
  deed reads = deed_of(s, f, i, layout, false), writes = deed_of(s, f, i, layout, true);
  writes.touch.queue = QUEUE_CP_ASYNC;
  san_run_access(s, f, i);
  if (!s->stopped) check_global(s, f, i, t, &reads);
  if (!s->stopped) check_shared(s, f, i, 2, &writes);
}

/* ---- copies of tensors, asynchronous products ------------------------------------------------ */

static deed deed_of_engine(sanitizer *s, const frame *f, const inst *i, bool writes, op_queue queue,
                           int32_t step) {
  return (deed){.touch = {.by = san_group_id(san_group_of(s, f), f),
                          .site = san_site_of(s, i),
                          .writes = writes,
                          .by_engine = true,
                          .queue = (uint8_t)queue},
                .step = step};
}

/* The barrier that counts a copy's bytes in a tile block, and the phase that was under way. */
typedef struct completion {
  int32_t doer;
  uint32_t phase;
} completion;

static completion begin_completion(sanitizer *s, frame *f, const inst *i) {
  const san_mbarrier *m = san_mbarrier_of(s, f, i);
  return (completion){m->doer, ((const interp_mbarrier *)(uintptr_t)m->address)->phase};
}

/* In each tile block that gets them the bytes complete at a barrier. The read of global memory is
 * over when the bytes are there, so who waits for them has seen it. */
static void run_tensor_copy(sanitizer *s, frame *f, const inst *i) {
  const ir_type *t = in_type(i, in_group(i, 2));
  uint32_t targets = cluster_targets(f, i);
  completion at[SAN_CLUSTER];
  for (f->to = 0; targets >> f->to && !s->stopped; f->to++)
    if (targets >> f->to & 1) at[f->to] = begin_completion(s, f, i);
  f->to = f->rank;
  if (s->stopped) return;
  deed reads = deed_of_engine(s, f, i, false, QUEUE_NONE, 1);
  deed writes = deed_of_engine(s, f, i, true, QUEUE_NONE, 1);
  san_run_access(s, f, i);
  if (!s->stopped) check_global(s, f, i, t, &reads);
  for (f->to = 0; targets >> f->to && !s->stopped; f->to++) {
    if (!(targets >> f->to & 1)) continue;
    writes.touch.deferred = true;
    writes.touch.doer = at[f->to].doer;
    check_shared(s, f, i, 2, &writes);
    if (!s->stopped) san_end_copy(s, f, i, at[f->to].phase);
  }
  f->to = f->rank;
}

/* From threads' registers or from shared memory to another tile block. */
static void run_remote_copy(sanitizer *s, frame *f, const inst *i) {
  bool stores = i->op->opcode == OP_store_async;
  completion at = begin_completion(s, f, i);
  if (s->stopped) return;
  deed reads = deed_of_engine(s, f, i, false, QUEUE_NONE, 1);
  deed writes = stores ? deed_of(s, f, i, in_type(i, 0)->layout, true)
                       : deed_of_engine(s, f, i, true, QUEUE_NONE, 1);
  writes.touch.deferred = reads.touch.deferred = true;
  writes.touch.doer = reads.touch.doer = at.doer;
  if (stores && san_checks(s, TSR_SANITIZE_INIT)) san_check_undefined_access(s, f, i, NULL);
  if (!stores) check_shared(s, f, i, 0, &reads);
  if (!s->stopped) check_shared(s, f, i, 1, &writes);
  if (s->stopped) return;
  interp_do(f, i);
  san_end_copy(s, f, i, at.phase);
}

static void run_tensor_out(sanitizer *s, frame *f, const inst *i) {
  deed reads = deed_of_engine(s, f, i, false, QUEUE_BULK, 1);
  deed writes = deed_of_engine(s, f, i, true, QUEUE_BULK, 1);
  san_run_access(s, f, i);
  if (!s->stopped) check_shared(s, f, i, 0, &reads);
  if (!s->stopped) check_global(s, f, i, in_type(i, 0), &writes);
}

/* Every warp reads for itself: the four of a warpgroup do not wait for each other. */
static void run_product(sanitizer *s, frame *f, const inst *i) {
  enum { WARP = 32 };
  san_group *g = san_group_of(s, f);
  deed reads = deed_of_engine(s, f, i, false, QUEUE_WGMMA, WARP);
  bool registers = in_type(i, 0)->kind == IR_TILE || in_type(i, 2)->kind == IR_TILE;
  if (registers && !(g->registers_shown[san_first(g, f)] && san_has_passed_fence(s, f, i, 0) &&
                     san_has_passed_fence(s, f, i, 2)))
    san_report_sync(
        s, f, i,
        "wgmma uses registers that were written before, and no wgmma_fence stands between");
  if (!s->stopped && in_type(i, 0)->kind == IR_SHARED) check_shared(s, f, i, 0, &reads);
  if (!s->stopped) check_shared(s, f, i, 1, &reads);
  if (s->stopped) return;
  interp_do(f, i);
  uint64_t set = g->closed[QUEUE_WGMMA][san_first(g, f)] + 1;
  memcpy((char *)at(f, i->out[0]) + async_set(out_type(i, 0)), &set, sizeof set);
}

static void check_product_wait(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  uint64_t set;
  memcpy(&set, (char *)at(f, i->in[0]) + async_set(in_type(i, 0)), sizeof set);
  memset(g->registers_shown + san_first(g, f), 0, (size_t)f->count * sizeof *g->registers_shown);
  uint64_t closed = g->closed[QUEUE_WGMMA][san_first(g, f)];
  if (set > closed)
    san_report_sync(s, f, i, "wgmma_wait gives a product of a set that no wgmma_commit has closed");
  else if (set && set - 1 + (uint64_t)ir_int_attr(i->op, ATTR_pending) >= closed)
    san_report_sync(s, f, i,
                    "wgmma_wait leaves the set pending whose product it gives; lower its number");
}

void san_run_block_level(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  deed d;
  switch ((op_code)i->op->opcode) {
  case OP_load_global:
  case OP_store_global: run_access(s, f, i); return;
  case OP_cp_async: run_copy_async(s, f, i); return;
  case OP_subview: run_subview_inside(s, f, i); return;
  case OP_tensor_load:
  case OP_bulk_load: run_tensor_copy(s, f, i); return;
  case OP_tensor_store:
  case OP_tensor_reduce:
  case OP_bulk_store: run_tensor_out(s, f, i); return;
  case OP_wgmma: run_product(s, f, i); return;
  case OP_store_async:
  case OP_bulk_copy: run_remote_copy(s, f, i); return;
  case OP_load_shared:
    d = deed_of(s, f, i, out_type(i, 0)->layout, false);
    check_shared(s, f, i, 0, &d);
    break;
  case OP_store_shared:
    if (san_checks(s, TSR_SANITIZE_INIT)) san_check_undefined_access(s, f, i, NULL);
    d = deed_of(s, f, i, in_type(i, 0)->layout, true);
    check_shared(s, f, i, 1, &d);
    break;
  case OP_atomic_global:
  case OP_atomic_cas_global: run_update_global(s, f, i); return;
  case OP_atomic_shared: check_update_shared(s, f, i, 1); break;
  case OP_atomic_cas_shared: check_update_shared(s, f, i, 2); break;
  case OP_free_shared: free_storage(s, f, i); break;
  case OP_cp_async_commit:
  case OP_bulk_commit:
  case OP_wgmma_commit: close_sets(g, f, (op_queue)ir_row(i->op)->queue); break;
  case OP_wgmma_wait:
    check_product_wait(s, f, i);
    wait_for_sets(s, f, i);
    break;
  case OP_bulk_wait:
  case OP_cp_async_wait: wait_for_sets(s, f, i); break;
  case OP_wgmma_fence:
    memset(g->registers_shown + san_first(g, f), 1, (size_t)f->count * sizeof *g->registers_shown);
    san_pass_fence(s, f);
    break;
  default:
    if (san_run_sync(s, f, i) || san_run_cluster(s, f, i)) return;
    break;
  }
  if (s->stopped) return;
  interp_do(f, i);
  if (i->op->opcode == OP_alloc_shared) note_allocation(s, f, i);
  if (i->op->opcode == OP_reinterpret && san_checks(s, TSR_SANITIZE_ASSUME)) check_copies(s, f, i);
}
