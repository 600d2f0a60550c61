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

static void describe_fault(const sanitizer *s, const inst *i, const fault *f, const char *memory,
                           bool writes, san_finding *found) {
  const char *name = san_op_name(i), *other = other_name(s, f->site);
  const char *verb = writes ? "writes" : "reads";
  char *out = found->message, who[32] = "others", whose[32] = "other threads";
  size_t size = sizeof found->message;
  if (f->other != SAN_MANY) {
    snprintf(who, sizeof who, "thread %d", f->other);
    snprintf(whose, sizeof whose, "thread %d", f->other);
  }
  switch (f->verdict) {
  case SAN_NEVER_WRITTEN:
    snprintf(out, size, "%s reads %s before anything was written there", name, memory);
    break;
  case SAN_STILL_COPIED:
    snprintf(out, size,
             "%s %s %s that a cp_async is still copying to; no cp_async_wait since then "
             "covers it",
             name, verb, memory);
    break;
  case SAN_STILL_ARRIVING:
    snprintf(out, size,
             "%s %s %s that a %s is still writing; no mbarrier_wait for its phase stands between",
             name, verb, memory, other);
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

static void report(sanitizer *s, const inst *i, const ir_type *tile, const fault *f,
                   const char *memory, bool writes) {
  static const tsr_sanitize checks[] = {[SAN_NEVER_WRITTEN] = TSR_SANITIZE_INIT,
                                        [SAN_STILL_COPIED] = TSR_SANITIZE_SYNC,
                                        [SAN_STILL_ARRIVING] = TSR_SANITIZE_SYNC,
                                        [SAN_WRITTEN_BY_OTHER] = TSR_SANITIZE_RACE,
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
  if (f->verdict != SAN_NEVER_WRITTEN) found.other = san_note_event(s, f->site);
  describe_fault(s, i, f, memory, writes, &found);
  san_report(s, &found);
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* The bytes of element `at` of memory that is packed in `bits`. */
static void bytes_of(int64_t at, unsigned bits, int64_t *first, int64_t *last) {
  if (bits == 1) bits = 8;
  *first = at * bits / 8;
  *last = (at * bits + bits - 1) / 8;
}

/* All threads that hold an element read it; the first of them writes it. */
static void touch_element(sanitizer *s, san_group *g, const frame *f, san_byte *b,
                          const san_owners *o, int64_t k, uint32_t site, bool writes,
                          fault *found) {
  int64_t n = writes ? 1 : o->copies;
  san_touch t = {.by = san_group_id(f), .site = site, .writes = writes};
  for (int64_t c = 0; c < n; c++) {
    int32_t other;
    uint32_t other_site;
    t.thread = f->first + o->thread[k * o->copies + c];
    san_verdict v = san_touch_byte(s, g, b, &t, &other, &other_site);
    add_fault(found, v, k, t.thread, other, other_site);
  }
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
static void check_shared(sanitizer *s, frame *f, const inst *i, unsigned group,
                         const tsr_layout *layout, bool writes) {
  uint32_t operand = in_group(i, group), site = san_site_of(s, i);
  const ir_type *t = in_type(i, operand);
  san_group *g = san_group_of(s, f);
  san_storage *st = storage_at(g, ((const shared_part *)at(f, i->in[operand]))->base);
  if (report_freed(s, i, st)) return;
  const san_owners *o = san_owners_of(s, layout);
  const int64_t *offsets = offsets_of(s, f, i, group, t);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  bool copies = i->op->opcode == OP_cp_async;
  fault found = {.count = 0};
  for (int64_t k = 0; k < t->count; k++) {
    int64_t b, last;
    bytes_of(offsets[k], bits, &b, &last);
    for (; b <= last && (size_t)b < st->bytes; b++) {
      touch_element(s, g, f, &st->cells[b], o, k, site, writes, &found);
      if (!copies) continue;
      st->cells[b].state = SAN_ARRIVING;
      st->cells[b].set = g->closed[QUEUE_CP_ASYNC][st->cells[b].writer];
    }
  }
  report(s, i, t, &found, "shared memory", writes);
}

/* The global side, within the tile block; what other tile blocks do is race.c's. */
static void check_global(sanitizer *s, frame *f, const inst *i, const ir_type *t,
                         const tsr_layout *layout, bool writes) {
  uint32_t site = san_site_of(s, i);
  san_group *g = san_group_of(s, f);
  const san_owners *o = san_owners_of(s, layout);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  fault found = {.count = 0};
  if ((size_t)t->count > s->units_room) {
    s->units = arena_array(s->arena, uint64_t, (size_t)t->count);
    s->units_room = (size_t)t->count;
  }
  global_units(f, i, s->units);
  for (int64_t k = 0; k < t->count; k++) {
    if (s->units[k] == UNIT_NONE || s->units[k] == UNIT_WILD) continue;
    uint64_t first = s->units[k] / 2, n = MAX(bits, 8u) / 8;
    for (uint64_t b = first; b < first + n; b++)
      touch_element(s, g, f, san_global_byte(s, g, b), o, k, site, writes, &found);
  }
  report(s, i, t, &found, "global memory", writes);
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
  size_t bytes = tsr_elem_storage((tsr_elem)t->elem, (size_t)ir_memory_extent(t->memory));
  san_storage *st = storage_at(g, base);
  if (!st) {
    vec_push(s->arena, g->storage, (san_storage){.base = base, .freed = true});
    st = &vec_last(g->storage);
  }
  if (st->bytes < bytes) st->cells = arena_array(s->arena, san_byte, bytes);
  if (st->freed) memset(st->cells, 0, bytes * sizeof *st->cells);
  st->bytes = bytes;
  st->made = i;
  st->freed = false;
  /* In a loop it is the same memory again: who used it before may still do. */
  for (size_t b = 0; b < bytes; b++) st->cells[b].state = SAN_UNWRITTEN;
}

/* The first byte that is on its way; NULL. */
static san_byte *first_arriving(const san_storage *st) {
  for (size_t k = 0; k < st->bytes && !st->freed; k++)
    if (st->cells[k].state == SAN_ARRIVING) return &st->cells[k];
  return NULL;
}

/* What is freed may be given to others at once, so a barrier stands behind its last use. */
static void check_last_use(sanitizer *s, const frame *f, const san_group *g,
                           const san_storage *st, const inst *i) {
  if (!san_checks(s, TSR_SANITIZE_RACE)) return;
  for (size_t k = 0; k < st->bytes; k++) {
    const san_byte *b = &st->cells[k];
    bool read;
    int32_t by;
    uint32_t site;
    if (!san_unseen(g, b, f->first, &read, &by, &site) &&
        !san_unseen(g, b, f->first + f->count - 1, &read, &by, &site))
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

/* What these threads copied counts as written by them now, but for their last few sets. */
static void wait_for_sets(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  int64_t pending = ir_int_attr(i->op, ATTR_pending);
  for (uint32_t k = 0; k < g->storage.len; k++) {
    san_storage *st = &g->storage.data[k];
    for (size_t b = 0; b < st->bytes && !st->freed; b++) {
      san_byte *cell = &st->cells[b];
      bool own = cell->writer >= f->first && cell->writer < f->first + f->count;
      if (cell->state != SAN_ARRIVING || !own) continue;
      if (cell->set + pending >= g->closed[QUEUE_CP_ASYNC][cell->writer]) continue;
      cell->state = SAN_VALID;
      cell->write_time = g->clocks.now;
    }
  }
}

static void close_sets(san_group *g, const frame *f, op_queue queue) {
  for (int32_t t = f->first; t < f->first + f->count; t++) g->closed[queue][t]++;
}

void san_check_return(sanitizer *s, frame *f, const inst *i) {
  if (!s->program->module->block_level || !san_checks(s, TSR_SANITIZE_SYNC)) return;
  san_group *g = san_group_of(s, f);
  san_check_phases(s, f);
  for (uint32_t k = 0; k < g->storage.len; k++) {
    const san_byte *b = first_arriving(&g->storage.data[k]);
    if (!b) continue;
    const inst *copy = &s->program->code[b->write_site];
    if (!san_count(s, copy, TSR_SANITIZE_SYNC, 1)) return;
    san_finding found = {.check = TSR_SANITIZE_SYNC,
                         .i = copy,
                         .by_thread = true,
                         .thread = b->writer,
                         .other_thread = -1};
    snprintf(found.message, sizeof found.message,
             "cp_async is still copying when the kernel ends; no cp_async_wait covers it");
    san_report(s, &found);
    return;
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
  san_run_access(s, f, i);
  if (!s->stopped) check_global(s, f, i, t, t->layout, writes);
}

static void run_copy_async(sanitizer *s, frame *f, const inst *i) {
  const tsr_layout *layout = ir_get_attr(i->op, ATTR_layout)->layout;
  const ir_type *t = in_type(i, in_group(i, 2));
  san_run_access(s, f, i);
  if (!s->stopped) check_global(s, f, i, t, layout, false);
  if (!s->stopped) check_shared(s, f, i, 2, layout, true);
}

void san_run_block_level(sanitizer *s, frame *f, const inst *i) {
  san_group *g = san_group_of(s, f);
  switch ((op_code)i->op->opcode) {
  case OP_load_global:
  case OP_store_global: run_access(s, f, i); return;
  case OP_cp_async: run_copy_async(s, f, i); return;
  case OP_subview: run_subview_inside(s, f, i); return;
  case OP_load_shared: check_shared(s, f, i, 0, out_type(i, 0)->layout, false); break;
  case OP_store_shared:
    if (san_checks(s, TSR_SANITIZE_INIT)) san_check_undefined_access(s, f, i, NULL);
    check_shared(s, f, i, 1, in_type(i, 0)->layout, true);
    break;
  case OP_free_shared: free_storage(s, f, i); break;
  case OP_cp_async_commit: close_sets(g, f, QUEUE_CP_ASYNC); break;
  case OP_cp_async_wait: wait_for_sets(s, f, i); break;
  default:
    if (san_run_sync(s, f, i)) return;
    break;
  }
  if (s->stopped) return;
  interp_do(f, i);
  if (i->op->opcode == OP_alloc_shared) note_allocation(s, f, i);
  if (i->op->opcode == OP_reinterpret && san_checks(s, TSR_SANITIZE_ASSUME)) check_copies(s, f, i);
}
