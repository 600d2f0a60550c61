/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The machine, the checks and the counters with an instruction set of their own, of eight
 * instructions, and with warps of 64 lanes and of 32.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/barrier.h"
#include "emu/checks.h"
#include "emu/counters.h"
#include "emu/fault.h"
#include "emu/isa.h"
#include "emu/phases.h"

/* ---- the instruction set -------------------------------------------------------------------- */

/* Registers hold 64 bits for each lane. */
typedef enum op {
  THREAD,  /* d = the number of the thread in its block */
  SET,     /* d = n */
  ADD,     /* d = a + b */
  TIMES,   /* d = a * n */
  LOAD,    /* d = 4 bytes at [a] of `space` */
  STORE,   /* 4 bytes at [a] of `space` = b */
  BARRIER, /* number n, for b threads (0: all) */
  LESS,    /* lanes with a < n go to instruction b */
  END
} op;

typedef struct insn {
  op op;
  unsigned d, a, b;
  uint64_t n;
  emu_space space;
} insn;

enum { REGISTERS = 8, MAX_PROGRAM = 32 };

static const char *const names[] = {"thread", "set",     "add",  "times", "load",
                                    "store",  "barrier", "less", "end"};

static uint64_t *row(const emu_warp *w, unsigned r) {
  return (uint64_t *)(void *)w->bank[0] + (size_t)r * EMU_MAX_LANES;
}

static emu_step access_memory(emu_warp *w, const insn *i, emu_lanes lanes) {
  bool reads = i->op == LOAD;
  emu_access a = {.insn = i, .lanes = lanes, .bytes = 4, .kind = reads ? EMU_READ : EMU_WRITE};
  EMU_FOR_LANES(l, lanes) a.address[l] = row(w, i->a)[l];
  if (!emu_access_begin(w, i->space, 4, &a)) return EMU_EXITED;
  EMU_FOR_LANES(l, lanes) {
    uint32_t v = 0;
    if (reads && a.lanes >> l & 1) memcpy(&v, a.host[l], 4);
    if (reads) row(w, i->d)[l] = v;
    v = (uint32_t)row(w, i->b)[l];
    if (!reads && a.lanes >> l & 1) memcpy(a.host[l], &v, 4);
  }
  return EMU_NEXT;
}

static emu_step branch(emu_warp *w, const insn *i, emu_lanes lanes) {
  emu_lanes taken = 0;
  EMU_FOR_LANES(l, lanes) if (row(w, i->a)[l] < i->n) taken |= emu_lane_bit((unsigned)l);
  if (!taken) return EMU_NEXT;
  if (taken == lanes) {
    w->split->pc = i->b;
    return EMU_JUMPED;
  }
  emu_divide(w, taken, i->b);
  w->split->pc++;
  return EMU_JUMPED;
}

static emu_step step(emu_warp *w, const insn *i, emu_lanes lanes) {
  uint64_t *d = row(w, i->d), *a = row(w, i->a), *b = row(w, i->b);
  switch (i->op) {
  case THREAD: EMU_FOR_LANES(l, lanes) d[l] = emu_thread(w, (unsigned)l); return EMU_NEXT;
  case SET: EMU_FOR_LANES(l, lanes) d[l] = i->n; return EMU_NEXT;
  case ADD: EMU_FOR_LANES(l, lanes) d[l] = a[l] + b[l]; return EMU_NEXT;
  case TIMES: EMU_FOR_LANES(l, lanes) d[l] = a[l] * i->n; return EMU_NEXT;
  case LOAD:
  case STORE: return access_memory(w, i, lanes);
  case BARRIER:
    if (!emu_barrier_arrive(w, i, lanes, (uint32_t)i->n, i->b, 0)) return EMU_NEXT;
    return emu_barrier_wait(w, lanes, (uint32_t)i->n);
  case LESS: return branch(w, i, lanes);
  default: emu_end_lanes(w, lanes, i); return emu_none_left(w);
  }
}

static emu_insn at(const emu_split *s) {
  return (const insn *)s->frame + s->pc;
}

/* Lanes may meet anywhere, so a split of several looks for others after each instruction. */
static bool run(emu_warp *w, emu_slice *p) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  for (bool over, entered = true;; entered = false) {
    emu_split *s = w->split;
    const insn *i = at(s);
    if (w->n_splits > 1 && !entered) return false;
    if (emu_turn_over(w, p, &over)) return over;
    if (watcher && watcher->executed) watcher->executed(watcher->user, w, i, s->lanes, s->lanes);
    emu_count_step(p, emu_count_lanes(s->lanes));
    switch (step(w, i, s->lanes)) {
    case EMU_NEXT: w->split->pc++; break;
    case EMU_EXITED: return emu_stopped(w->block->grid);
    default: break;
    }
    if (emu_stopped(w->block->grid)) return true;
  }
}

static bool create_warp(emu_warp *w) {
  w->bank[0] = calloc(REGISTERS * EMU_MAX_LANES, sizeof(uint64_t));
  return w->bank[0];
}
static void destroy_warp(emu_warp *w) {
  free(w->bank[0]);
}
static bool begin_warp(emu_warp *w, emu_split *first) {
  first->frame = (void *)(uintptr_t)w->block->grid->entry->code;
  return true;
}

static uint8_t *reach_own(const emu_reached *x, emu_space space, uint64_t address) {
  (void)space, (void)address;
  emu_outside(x, "of which there is none");
  return NULL;
}
static uint8_t *local_written(const emu_warp *w, unsigned lane, uint64_t address, uint32_t bytes) {
  (void)w, (void)lane, (void)address, (void)bytes;
  return NULL;
}

static place place_of(const void *module, emu_insn i) {
  return (place){.file = "tiny",
                 .line = i ? (uint32_t)((const insn *)i - (const insn *)module) : 0};
}
static bool source_of(const void *module, emu_insn i, emu_source *out) {
  *out = (emu_source){.file = "tiny", .line = place_of(module, i).line};
  return true;
}
static void line_of(const void *module, emu_insn i, uint64_t out[3]) {
  (void)module;
  out[0] = (uintptr_t)i;
  out[1] = out[2] = 0;
}
static str text_of(const void *module, emu_insn i) {
  (void)module;
  return str_of(names[((const insn *)i)->op]);
}
static void name_of(emu_insn i, char *out, size_t size) {
  snprintf(out, size, "%s", names[((const insn *)i)->op]);
}

static unsigned traits(emu_insn i) {
  return ((const insn *)i)->op == STORE ? EMU_IS_STORE : 0;
}
static emu_work work(emu_insn i) {
  return (emu_work){.flops = ((const insn *)i)->op == ADD};
}
static void describe(const emu_warp *w, emu_insn insn_, int lane, emu_described *out) {
  const insn *i = insn_;
  *out = (emu_described){.space = (uint8_t)i->space, .bytes = 4, .has_value = i->op == STORE};
  if (lane >= 0) out->value = row(w, i->b)[lane];
}
static void stored(const emu_warp *w, emu_insn i, unsigned lane, uint8_t out[EMU_MAX_STORED]) {
  memcpy(out, &row(w, ((const insn *)i)->b)[lane], 4);
}

static const char *const waits[RACE_SLOT_PHASE + 1];
static const emu_problem phase_words[PHASES_LATE_EXPECT + 1];
static const emu_words words = {.language = "tiny",
                                .line_key = "tiny_line",
                                .required_block = "threads",
                                .max_block = "most threads",
                                .required_cluster = "cluster",
                                .no_clusters = "there are no clusters",
                                .waits = waits,
                                .order_warp = "in one warp",
                                .order_block = "in one block",
                                .order_cluster = "in one cluster",
                                .order_grid = "in the grid",
                                .phases = phase_words};

static const emu_isa tiny = {.words = &words,
                             .max_grid = {65535, 1, 1},
                             .max_block = {1024, 1, 1},
                             .create_warp = create_warp,
                             .destroy_warp = destroy_warp,
                             .begin_warp = begin_warp,
                             .run = run,
                             .at = at,
                             .reach_own = reach_own,
                             .local_written = local_written,
                             .place_of = place_of,
                             .source_of = source_of,
                             .line_of = line_of,
                             .text_of = text_of,
                             .name_of = name_of,
                             .traits = traits,
                             .work = work,
                             .describe = describe,
                             .stored = stored};

/* ---- launches ------------------------------------------------------------------------------- */

enum { WORDS = 512 };

typedef struct machine {
  tsr_context *ctx;
  gpu_target card;
  emu_device *device;
  uint64_t buffer; /* of WORDS words */
  uint32_t *host;
  insn program[MAX_PROGRAM];
  emu_launch_options options;
  uint32_t lanes; /* of a warp; 0: as the card has them */
  findings found;
  checks *checks;
  counters counts;
  emu_watcher checker, counter;
  emu_fault fault;
  char messages[2000];
} machine;

static void note(void *user, const tsr_diagnostic *d) {
  machine *m = user;
  size_t n = strlen(m->messages);
  snprintf(m->messages + n, sizeof m->messages - n, "%s\n", d->message);
}

static void open_machine(machine *m, const char *name, bool checked) {
  memset(m, 0, sizeof *m);
  tsr_context_options o = {.struct_size = sizeof o, .on_diagnostic = note, .diagnostic_user = m};
  m->ctx = tsr_context_create(&o);
  for (size_t k = 0; gpu_row_at(k); k++)
    if (strcmp(gpu_row_at(k)->name, name) == 0) m->card = *gpu_row_at(k);
  assert_non_null(m->card.name);
  m->card.memory = 1;
  m->device = emu_device_create(&m->card);
  m->buffer = emu_alloc(m->device, WORDS * 4, NULL);
  m->host = (uint32_t *)(void *)emu_find(m->device, m->buffer)->host;
  m->options = (emu_launch_options){.grid = {1, 1, 1}, .block = {64, 1, 1}, .threads = 1};
  m->checks = checks_create(&m->found);
  checks_watch(m->checks, &m->checker);
  counters_watch(&m->counts, &m->checker, &m->counter);
  if (checked) m->options.watcher = &m->counter;
}

static void close_machine(machine *m) {
  checks_destroy(m->checks);
  findings_free(&m->found);
  counters_free(&m->counts);
  emu_device_destroy(m->device);
  tsr_context_destroy(m->ctx);
}

static tsr_status launch(machine *m, const insn *program, size_t n) {
  assert_true(n <= MAX_PROGRAM);
  memcpy(m->program, program, n * sizeof *program);
  emu_program p = {.isa = &tiny, .device = m->device, .ctx = m->ctx, .module = m->program};
  emu_entry e = {.name = "k",
                 .code = m->program,
                 .lanes = m->lanes ? m->lanes : gpu_lanes(&m->card),
                 .shared_bytes = 16384};
  tsr_status status = emu_run(&p, &e, &m->options, &m->fault);
  if (status == TSR_ERROR_TRAP) emu_report_fault(&p, e.name, &m->fault);
  return status;
}
#define LAUNCH(m, ...)                                                                             \
  launch((m), (const insn[]){__VA_ARGS__}, sizeof((const insn[]){__VA_ARGS__}) / sizeof(insn))

/* r0 = the thread, r1 = where its word of the buffer lies, or of shared memory. */
#define WORD_OF(address)                                                                           \
  {THREAD, .d = 0}, {TIMES, .d = 1, .a = 0, .n = 4}, {SET, .d = 2, .n = (address)}, {              \
    ADD, .d = 1, .a = 1, .b = 2                                                                    \
  }
#define GLOBAL .space = EMU_GLOBAL
#define SHARED .space = EMU_SHARED

static const finding *only_finding(const machine *m, finding_kind kind) {
  for (uint32_t k = 0; k < m->found.n; k++)
    if (m->found.list[k].kind != kind)
      fail_msg("%s: %s", finding_kind_name(m->found.list[k].kind), m->found.list[k].message);
  assert_int_equal(m->found.n, 1);
  return &m->found.list[0];
}

/* ---- programs that are right ---------------------------------------------------------------- */

/* Threads below 40 of each block store 3 times their number, the others 5 times; the blocks have a
 * warp of few lanes at their end. */
static void part_and_meet(machine *m) {
  m->options.block[0] = 100;
  assert_int_equal(LAUNCH(m, WORD_OF(m->buffer), {LESS, .a = 0, .n = 40, .b = 7},
                          {TIMES, .d = 3, .a = 0, .n = 5}, {LESS, .a = 0, .n = 1000, .b = 8},
                          {TIMES, .d = 3, .a = 0, .n = 3}, {STORE, .a = 1, .b = 3, GLOBAL}, {END}),
                   TSR_OK);
  for (uint32_t t = 0; t < 100; t++) assert_int_equal(m->host[t], t * (t < 40 ? 3 : 5));
  assert_int_equal(m->host[100], 0);
}

static void lanes_part_and_meet(void **state) {
  (void)state;
  static const char *const cards[] = {"gfx942", "gfx1100", "sm_90a"};
  for (size_t c = 0; c < ARRAY_LEN(cards); c++)
    for (int schedule = EMU_RR; schedule <= EMU_ADVERSARIAL; schedule++) {
      machine m;
      open_machine(&m, cards[c], true);
      m.options.schedule = (emu_schedule)schedule;
      m.options.seed = 7;
      part_and_meet(&m);
      assert_int_equal(m.found.n, 0);
      assert_int_equal(m.counts.warp_lanes, gpu_lanes(&m.card));
      assert_true(m.counts.total.divergent > 0);
      close_machine(&m);
    }
}

/* All 128 threads store a word, meet if there is a barrier, and load their neighbour's, which may
 * be another warp's. */
static void run_exchange(machine *m, bool barrier) {
  m->options.block[0] = 128;
  assert_int_equal(LAUNCH(m, WORD_OF(0), {STORE, .a = 1, .b = 0, SHARED},
                          {barrier ? BARRIER : THREAD, .d = 7}, {SET, .d = 3, .n = 4},
                          {ADD, .d = 4, .a = 1, .b = 3}, {LOAD, .d = 5, .a = 4, SHARED},
                          {SET, .d = 3, .n = m->buffer}, {ADD, .d = 1, .a = 1, .b = 3},
                          {STORE, .a = 1, .b = 5, GLOBAL}, {END}),
                   TSR_OK);
}

static void barriers_order(void **state) {
  (void)state;
  for (uint32_t lanes = 32; lanes <= 64; lanes *= 2) {
    machine m;
    open_machine(&m, "gfx942", true);
    m.lanes = lanes;
    run_exchange(&m, true);
    only_finding(&m, FINDING_UNINITIALISED); /* behind the last thread's word */
    for (uint32_t t = 0; t < 127; t++) assert_int_equal(m.host[t], t + 1);
    assert_int_equal(m.counts.total.barriers, 128 / lanes);
    close_machine(&m);
  }
}

/* ---- what checks find ----------------------------------------------------------------------- */

/* Lane 63 stores a word that lanes from 40 on load, without a barrier: in a warp of 64 lanes, and
 * in the second of 32. */
static void races_are_found(void **state) {
  (void)state;
  for (uint32_t lanes = 32; lanes <= 64; lanes *= 2) {
    machine m;
    open_machine(&m, "gfx942", true);
    m.lanes = lanes;
    assert_int_equal(LAUNCH(&m, WORD_OF(0), {LESS, .a = 0, .n = 40, .b = 9},
                            {STORE, .a = 1, .b = 0, SHARED}, {SET, .d = 3, .n = 4 * 63},
                            {LOAD, .d = 5, .a = 3, SHARED}, {END}, {END}),
                     TSR_OK);
    const finding *f = only_finding(&m, FINDING_RACE);
    assert_int_equal(f->other.thread[0], 63);
    assert_int_equal(f->at.thread[0], 40);
    assert_int_equal(f->at.lane, 40 % lanes);
    assert_int_equal(f->at.warp, 40 / lanes);
    assert_string_equal(f->hint, "in one warp");
    close_machine(&m);
  }
}

static void races_between_warps(void **state) {
  (void)state;
  machine m;
  open_machine(&m, "gfx942", true);
  run_exchange(&m, false);
  bool between = false, within = false;
  for (uint32_t k = 0; k < m.found.n; k++) {
    const finding *f = &m.found.list[k];
    if (f->kind != FINDING_RACE) continue;
    between |= strcmp(f->hint, "in one block") == 0;
    within |= strcmp(f->hint, "in one warp") == 0;
  }
  assert_true(between && within);
  close_machine(&m);
}

/* Lanes below 40 go to one barrier, the others to another. */
static void diverged_barriers(void **state) {
  (void)state;
  machine m;
  open_machine(&m, "gfx942", true);
  assert_int_equal(LAUNCH(&m, {THREAD, .d = 0}, {LESS, .a = 0, .n = 40, .b = 4}, {BARRIER, .n = 1},
                          {END}, {BARRIER, .n = 2}, {END}),
                   TSR_ERROR_TRAP);
  assert_int_equal(m.fault.kind, EMU_FAULT_DEADLOCK);
  assert_non_null(strstr(m.fault.message, "a barrier that not all reach"));
  only_finding(&m, FINDING_DEADLOCK);
  close_machine(&m);
  open_machine(&m, "gfx942", true);
  assert_int_equal(LAUNCH(&m, {BARRIER, .n = 1, .b = 96}, {END}), TSR_ERROR_TRAP);
  assert_string_equal(m.fault.message, "a barrier's number of threads is a multiple of 64, not 96");
  close_machine(&m);
}

/* Lane 40 accesses what is behind the buffer. */
static void out_of_bounds(void **state) {
  (void)state;
  const insn far = {TIMES, .d = 1, .a = 1, .n = 64};
  for (int checked = 0; checked < 2; checked++) {
    machine m;
    open_machine(&m, "gfx942", checked);
    tsr_status status = LAUNCH(&m, WORD_OF(m.buffer), {LESS, .a = 0, .n = 40, .b = 8},
                               {LESS, .a = 0, .n = 41, .b = 7}, {LESS, .a = 0, .n = 64, .b = 8},
                               far, {STORE, .a = 1, .b = 0, GLOBAL}, {END});
    assert_int_equal(status, checked ? TSR_OK : TSR_ERROR_TRAP);
    if (checked) {
      const finding *f = only_finding(&m, FINDING_OUT_OF_BOUNDS);
      assert_int_equal(f->at.lane, 40);
      assert_int_equal(f->at.thread[0], 40);
      assert_int_equal(f->bytes, 4);
      assert_non_null(strstr(f->message, "the value is 0x28"));
      for (uint32_t t = 0; t < 64; t++) assert_int_equal(m.host[t], t == 40 ? 0 : t);
      sbuf out = SBUF(&m.ctx->arena);
      findings_text(&m.found, false, &out);
      assert_non_null(strstr(out.data, "warp 0 lane 40 at tiny:8"));
    } else {
      assert_int_equal(m.fault.lane, 40);
      assert_non_null(strstr(m.messages, "by thread (40,0,0) of block (0,0,0): warp 0, lane 40"));
    }
    close_machine(&m);
  }
}

/* ---- what counters count -------------------------------------------------------------------- */

typedef struct wavefronts {
  const char *card;
  uint32_t lanes, stride, taken, ideal;
} wavefronts;

/* Words `stride` apart, of banks of 4 bytes: gfx942 has 32 of them, gfx950 has 64. */
static void bank_conflicts(void **state) {
  (void)state;
  static const wavefronts expected[] = {{"gfx942", 64, 1, 2, 2},   {"gfx942", 64, 2, 4, 2},
                                        {"gfx942", 64, 32, 64, 2}, {"gfx942", 64, 0, 2, 2},
                                        {"gfx942", 32, 1, 1, 1},   {"gfx950", 64, 1, 1, 1},
                                        {"gfx950", 64, 2, 2, 1},   {"gfx950", 64, 64, 64, 1},
                                        {"sm_90a", 32, 1, 1, 1},   {"sm_90a", 32, 32, 32, 1}};
  for (size_t k = 0; k < ARRAY_LEN(expected); k++) {
    const wavefronts *x = &expected[k];
    machine m;
    open_machine(&m, x->card, true);
    m.lanes = x->lanes;
    m.options.block[0] = x->lanes;
    assert_int_equal(LAUNCH(&m, {THREAD, .d = 0}, {TIMES, .d = 1, .a = 0, .n = 4 * x->stride},
                            {LOAD, .d = 2, .a = 1, SHARED}, {END}),
                     TSR_OK);
    assert_int_equal(m.counts.total.wavefronts, x->taken);
    assert_int_equal(m.counts.total.ideal_wavefronts, x->ideal);
    assert_int_equal(m.counts.total.shared_read, 4 * x->lanes);
    close_machine(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_part_and_meet), cmocka_unit_test(barriers_order),
      cmocka_unit_test(races_are_found),     cmocka_unit_test(races_between_warps),
      cmocka_unit_test(diverged_barriers),   cmocka_unit_test(out_of_bounds),
      cmocka_unit_test(bank_conflicts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
