/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Findings: each operation tells its first of a kind in full; of the others it is said at the end
 * how many there were.
 */
#include <inttypes.h>
#include <stdio.h>

#include "interp/sanitize/internal.h"

static const char *const check_names[SAN_KINDS] = {"bounds", "assume", "init",
                                                   "race",   "arith",  "sync"};

static unsigned kind_of(tsr_sanitize check) {
  return (unsigned)__builtin_ctz(check);
}

bool san_count(sanitizer *s, const inst *i, tsr_sanitize check, uint64_t count) {
  san_site *site = &s->sites[san_site_of(s, i)];
  uint64_t *found = &site->found[kind_of(check)].count;
  memcpy(site->found[kind_of(check)].last, s->frame->block->id,
         sizeof site->found[kind_of(check)].last);
  site->found[kind_of(check)].last_rank = s->rank;
  bool first = *found == 0;
  *found += count;
  return first;
}

/* ---- texts ---------------------------------------------------------------------------------- */

void san_index_text(const ir_type *t, int64_t element, char *out, size_t size) {
  int64_t below = t->count;
  size_t n = (size_t)snprintf(out, size, "[");
  for (unsigned d = 0; d < t->rank && n < size; d++) {
    below /= t->shape[d];
    n += (size_t)snprintf(out + n, size - n, "%s%" PRId64, d ? ", " : "",
                          element / below % t->shape[d]);
  }
  if (n < size) snprintf(out + n, size - n, "]");
}

void san_value_text(tsr_elem elem, uint64_t pattern, char *out, size_t size) {
  if (elem == TSR_PTR)
    snprintf(out, size, "0x%" PRIx64, pattern);
  else if (num_format_of(elem))
    snprintf(out, size, "%.9g", num_decode(num_format_of(elem), pattern));
  else if (elem == TSR_I1)
    snprintf(out, size, "%s", pattern ? "true" : "false");
  else
    snprintf(out, size, "%" PRId64, num_sext(pattern, tsr_elem_bits(elem)));
}

/* ---- one finding ---------------------------------------------------------------------------- */

/* The function that the debug information puts a location in; NULL. */
static const char *function_of(const ir_module *m, ir_loc loc) {
  for (int depth = 0; depth < 16 && loc && loc < m->locs.len; depth++) {
    const ir_loc_info *l = &m->locs.data[loc];
    uint32_t scope = l->kind == IR_LOC_DEBUG ? l->scope : 0;
    for (int up = 0; up < 16 && scope && scope <= m->scopes.len; up++) {
      const ir_scope *s = &m->scopes.data[scope - 1];
      if (s->kind == IR_SCOPE_SUBPROGRAM) return s->name;
      scope = s->parent;
    }
    loc = l->inner;
  }
  return NULL;
}

/* The call site that a location is or names; 0. */
static ir_loc call_site(const ir_module *m, ir_loc loc) {
  for (int depth = 0; depth < 16 && loc && loc < m->locs.len; depth++) {
    if (m->locs.data[loc].kind == IR_LOC_CALLSITE) return loc;
    loc = m->locs.data[loc].inner;
  }
  return 0;
}

/* Through which calls a front end got from the kernel to the operation, the innermost first. */
static void note_calls(const ir_module *m, const ir_op *op) {
  ir_loc loc = call_site(m, op->loc);
  for (int depth = 0; depth < 16 && loc; depth++) {
    const ir_loc_info *l = &m->locs.data[loc];
    const char *name = function_of(m, l->inner);
    if (name)
      diag_note(m->ctx, ir_place(m, l->outer), "that is in '%s', called from here", name);
    else
      diag_note(m->ctx, ir_place(m, l->outer), "called from here");
    loc = call_site(m, l->outer);
  }
}

/* ", thread 256 (role @load)" */
static void thread_text(const ir_op *op, int32_t thread, char *out, size_t size) {
  while (op->opcode != OP_role && op->opcode != OP_entry) op = op->block->parent;
  int n = snprintf(out, size, ", thread %d", thread);
  if (op->opcode == OP_role && (size_t)n < size)
    snprintf(out + n, size - (size_t)n, " (role @" STR_FMT ")", STR_ARG(ir_symbol_name(op)));
}

/* " of rank 2", where there are several. */
static const char *rank_text(const sanitizer *s, uint32_t rank, char out[24]) {
  *out = 0;
  if (s->n_ranks > 1) snprintf(out, 24, " of rank %u", rank);
  return out;
}

static void note_block(const sanitizer *s, const san_finding *found) {
  const int32_t *id = s->frame->block->id;
  char where[160] = "", index[200] = "";
  char rank[24];
  int n = snprintf(where, sizeof where, "in tile block (%d, %d, %d)%s", id[0], id[1], id[2],
                   rank_text(s, s->rank, rank));
  if (found->by_thread)
    thread_text(found->i->op, found->thread, where + n, sizeof where - (size_t)n);
  if (found->tile && found->tile->rank) {
    memcpy(index, ", element ", 11);
    san_index_text(found->tile, found->element, index + 10, sizeof index - 10);
  }
  char more[64] = "";
  if (found->more) snprintf(more, sizeof more, "; so are %" PRIu64 " more elements", found->more);
  if (found->more == 1) snprintf(more, sizeof more, "; so is another element");
  diag_note(s->program->ctx, NOWHERE, "%s%s%s%s%s", where, index, *found->detail ? ": " : "",
            found->detail, more);
}

static void position_to_id(const sanitizer *s, uint64_t position, int32_t id[3]) {
  const rt_block *b = s->frame->block;
  position %= s->rank_blocks;
  id[0] = (int32_t)(position % (uint32_t)b->grid[0]);
  position /= (uint32_t)b->grid[0];
  id[1] = (int32_t)(position % (uint32_t)b->grid[1]);
  id[2] = (int32_t)(position / (uint32_t)b->grid[1]);
}

static void note_other(const sanitizer *s, const san_finding *found) {
  const event_info *o = events_get(&s->events, found->other);
  const inst *i = &s->program->code[o->site];
  int32_t id[3];
  position_to_id(s, o->block, id);
  char thread[96] = "", rank[24];
  if (found->by_thread && found->other_thread >= 0)
    thread_text(i->op, found->other_thread, thread, sizeof thread);
  diag_note(s->program->ctx, ir_place(s->program->module, i->op->loc),
            "the other access, in tile block (%d, %d, %d)%s%s", id[0], id[1], id[2],
            rank_text(s, (uint32_t)(o->block / s->rank_blocks), rank), thread);
}

static void tell(const sanitizer *s, const san_finding *found) {
  const ir_module *m = s->program->module;
  ir_error(m, found->i->op, "[%s] %s", check_names[kind_of(found->check)], found->message);
  note_block(s, found);
  note_calls(m, found->i->op);
  if (found->other) note_other(s, found);
}

static void call_back(const sanitizer *s, const san_finding *found) {
  const ir_module *m = s->program->module;
  place here = ir_place(m, found->i->op->loc);
  tsr_finding out = {.check = found->check,
                     .message = found->message,
                     .detail = *found->detail ? found->detail : NULL,
                     .operation = san_op_name(found->i),
                     .file = here.src ? here.src->name : here.file,
                     .line = here.line,
                     .column = here.column,
                     .element = found->tile ? found->element : -1,
                     .count = found->more + 1,
                     .address = found->unit ? found->unit / 2 : 0,
                     .rank = s->n_ranks > 1 ? (int32_t)s->rank : -1,
                     .other_rank = -1,
                     .thread = found->by_thread ? found->thread : -1,
                     .other_thread = found->by_thread ? found->other_thread : -1};
  memcpy(out.block, s->frame->block->id, sizeof out.block);
  if (found->memory) {
    out.buffer = found->memory->name;
    int64_t units = (int64_t)(found->unit - found->memory->start);
    if (found->unit) out.offset = units / 2;
  }
  if (found->other) {
    const event_info *o = events_get(&s->events, found->other);
    const inst *i = &s->program->code[o->site];
    place there = ir_place(m, i->op->loc);
    out.other_operation = san_op_name(i);
    out.other_line = there.line;
    out.other_column = there.column;
    position_to_id(s, o->block, out.other_block);
    if (s->n_ranks > 1) out.other_rank = (int32_t)(o->block / s->rank_blocks);
  }
  s->options.on_finding(s->options.user, &out);
}

/* Threads are counted in their tile block, and those of clusters one tile block after the other. */
static void count_in_block(const sanitizer *s, san_finding *found) {
  int32_t threads = (int32_t)ir_int_attr(s->program->entry, ATTR_threads);
  if (s->program->cluster == 1 || !found->by_thread) return;
  if (found->thread >= 0) found->thread %= threads;
  if (found->other_thread >= 0) found->other_thread %= threads;
}

void san_report(sanitizer *s, const san_finding *given) {
  san_finding in_block = *given;
  const san_finding *found = &in_block;
  if (s->stopped) return;
  count_in_block(s, &in_block);
  if (s->options.on_finding)
    call_back(s, found);
  else
    tell(s, found);
  if (!s->options.stop) return;
  s->stopped = true;
  interp_halt(s->frame);
}

void san_report_sync(sanitizer *s, const frame *f, const inst *i, const char *message) {
  if (!san_checks(s, TSR_SANITIZE_SYNC) || !san_count(s, i, TSR_SANITIZE_SYNC, 1)) return;
  san_finding found = {.check = TSR_SANITIZE_SYNC,
                       .i = i,
                       .by_thread = true,
                       .thread = f->first,
                       .other_thread = -1};
  snprintf(found.message, sizeof found.message, "%s", message);
  san_report(s, &found);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* What else was found where something was reported. */
static void tell_repeats(const sanitizer *s, uint32_t site, unsigned kind) {
  uint64_t more = s->sites[site].found[kind].count - 1;
  const int32_t *id = s->sites[site].found[kind].last;
  const inst *i = &s->program->code[site];
  if (!more) return;
  place here = ir_place(s->program->module, i->op->loc);
  if (here.src) here.file = here.src->name;
  here.src = NULL; /* the line was quoted already */
  char rank[24];
  diag_note(s->program->ctx, here,
            "[%s] %s: %" PRIu64 " more finding%s, the last in tile block (%d, %d, %d)%s",
            check_names[kind], san_op_name(i), more, more == 1 ? "" : "s", id[0], id[1], id[2],
            rank_text(s, s->sites[site].found[kind].last_rank, rank));
}

/* "bounds 3, race 1" or, when nothing was found, the names of the checks. */
static void sums_text(const sanitizer *s, const uint64_t *sums, bool any, char *out, size_t size) {
  size_t n = 0;
  *out = 0;
  for (unsigned k = 0; k < SAN_KINDS && n < size; k++) {
    if (any ? !sums[k] : !(s->options.checks >> k & 1)) continue;
    n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", check_names[k]);
    if (any && n < size) n += (size_t)snprintf(out + n, size - n, " %" PRIu64, sums[k]);
  }
}

uint64_t sanitizer_finish(sanitizer *s) {
  uint64_t sums[SAN_KINDS] = {0}, all = 0, operations = 0;
  for (uint32_t site = 0; site < s->program->n_code; site++) {
    bool here = false;
    for (unsigned k = 0; k < SAN_KINDS; k++) {
      uint64_t count = s->sites[site].found[k].count;
      sums[k] += count;
      here |= count > 0;
      if (count && !s->options.on_finding && !s->stopped) tell_repeats(s, site, k);
    }
    operations += here;
  }
  for (unsigned k = 0; k < SAN_KINDS; k++) all += sums[k];
  tsr_context *ctx = s->program->ctx;
  if (s->events_lost)
    diag(ctx, TSR_WARNING, s->program->at,
         "the race check saw the first %d accesses only; launch a smaller grid", EVENTS_MAX);
  if (s->options.on_finding) return all;
  char text[128];
  sums_text(s, sums, all > 0, text, sizeof text);
  if (all)
    diag_note(ctx, NOWHERE,
              "sanitizer: %" PRIu64 " finding%s at %" PRIu64 " operation%s (%s) in %" PRIu64
              " tile block%s",
              all, all == 1 ? "" : "s", operations, operations == 1 ? "" : "s", text, s->blocks,
              s->blocks == 1 ? "" : "s");
  else if (!s->broken_off)
    diag(ctx, TSR_REMARK, NOWHERE, "sanitizer: nothing found (%s) in %" PRIu64 " tile block%s",
         text, s->blocks, s->blocks == 1 ? "" : "s");
  return all;
}
