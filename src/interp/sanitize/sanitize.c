/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interp/sanitize/internal.h"

/* Tile blocks that wait take turns. */
static void look_at(sanitizer *s, frame *f) {
  const rt_block *b = f->block;
  s->frame = f;
  s->rank = b->rank;
  s->rank_blocks = (uint64_t)(uint32_t)b->grid[0] * (uint32_t)b->grid[1] * (uint32_t)b->grid[2];
  s->block = san_position(b, b->id);
}

/* What is not the beginning of an operation. */
static void check_rest(sanitizer *s, frame *f, const inst *i) {
  if (i->plain == run_parameters) {
    s->blocks++;
    if (s->program->module->block_level) san_begin_group(s, f);
    san_forget_undefined(s, f);
  }
  if (i->plain == run_for_step && san_checks(s, TSR_SANITIZE_ARITH)) san_check_step(s, f, i);
}

static void check_before(sanitizer *s, frame *f, const inst *i) {
  if (san_checks(s, TSR_SANITIZE_INIT)) san_check_undefined(s, f, i);
  switch (i->op->opcode) {
  case OP_extract:
  case OP_insert:
    if (san_checks(s, TSR_SANITIZE_BOUNDS)) san_check_slice(s, f, i);
    break;
  case OP_assume:
    if (san_checks(s, TSR_SANITIZE_ASSUME)) san_check_assume(s, f, i);
    break;
  default:
    if (i->plain == run_elementwise && san_checks(s, TSR_SANITIZE_ARITH)) san_check_arith(s, f, i);
    break;
  }
}

/* What control flow hands on may be a token, too, but goes where all values go. */
static bool makes_token(const ir_op *op) {
  const op_row *row = ir_row(op);
  unsigned n = op_n_results(row);
  return n && row->results[n - 1].constraint == TC_TOKEN;
}

/* Of operations that are no accesses. */
static void note_after(sanitizer *s, frame *f, const inst *i) {
  if (i->op->opcode == OP_alloca) san_note_alloca(s, f, i);
  if (makes_token(i->op) && san_checks(s, TSR_SANITIZE_RACE)) san_pass_token(s, f, i);
}

/* Elements without a value go where the others go. */
static void execute(sanitizer *s, frame *f, const inst *i) {
  bool init = san_checks(s, TSR_SANITIZE_INIT) && s->undefined.len;
  if (init) san_enter_undefined(s, f, i);
  interp_do(f, i);
  if (init) san_pass_undefined(s, f, i);
}

static void check_and_execute(sanitizer *s, frame *f, const inst *i) {
  if (!i->starts) {
    check_rest(s, f, i);
    if (!s->stopped) execute(s, f, i);
  } else if (i->op->opcode >= OP_COUNT) {
    san_run_block_level(s, f, i);
  } else if (san_is_access((op_code)i->op->opcode)) {
    san_run_access(s, f, i);
  } else {
    check_before(s, f, i);
    if (i->plain == run_stop && i->op->opcode == OP_return) san_check_return(s, f, i);
    if (s->stopped) return;
    execute(s, f, i);
    note_after(s, f, i);
  }
}

static void step(interp_watcher *w, frame *f, const inst *i) {
  sanitizer *s = (sanitizer *)w;
  look_at(s, f);
  check_and_execute(s, f, i);
  if (s->products && !s->stopped) san_note_registers(s, f, i);
}

sanitizer *sanitizer_create(arena *a, interp_program *p, const sanitizer_options *options,
                            const sanitizer_rank *ranks, uint32_t n_ranks) {
  sanitizer *s = arena_new(a, sanitizer);
  s->watcher.step = step;
  s->options = *options;
  if (!p->module->block_level) s->options.checks &= ~(unsigned)TSR_SANITIZE_SYNC;
  s->arena = a;
  s->program = p;
  s->products = san_has_products(p->entry);
  s->sites = arena_alloc_array(a, p->n_code, sizeof *s->sites, _Alignof(san_site));
  memset(s->sites, 0, p->n_code * sizeof *s->sites);
  shadow_init(&s->shadow, a);
  events_init(&s->events, a);
  san_find_memory(s, ranks, n_ranks);
  return s;
}

interp_watcher *sanitizer_watcher(sanitizer *s) {
  return &s->watcher;
}

void sanitizer_break_off(sanitizer *s) {
  s->broken_off = true;
}

bool sanitizer_stopped(const sanitizer *s) {
  return s->stopped;
}
