/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels that clang compiled for gfx942 (tests/amdgcn/kernels), on the emulator: their results are
 * those of the same C on the host, the checks find nothing in them, and find every wait that is
 * left out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/scalar.h"
#include "emu/amdgcn/vector.h"
#include "emu/amdgcn/wave.h"

static void show_findings(const amdgcn_job *j) {
  sbuf out = SBUF(&j->o->arena);
  findings_text(&j->found, false, &out);
  print_message("%s\n", out.data ? out.data : "");
}

/* ---- tests -------------------------------------------------------------------------------------
 */

static void run_case(const amdgcn_target *t, const kernel_case *c, bool checked,
                     emu_schedule schedule) {
  amdgcn_object *o = case_open(t, c);
  amdgcn_job j;
  if (!o) return;
  case_begin(c, o, &j);
  j.options.schedule = schedule;
  if (job_run(&j, checked) != TSR_OK) fail_msg("%s%s: %s", t->folder, c->kernel, j.fault.message);
  case_compare(c, &j);
  if (findings_faults(&j.found)) show_findings(&j);
  assert_int_equal(findings_faults(&j.found), 0);
  job_end(&j);
}

static void run_cases(bool checked, emu_schedule schedule) {
  for (size_t t = 0; t < amdgcn_target_count; t++)
    for (size_t k = 0; k < kernel_case_count; k++)
      run_case(&amdgcn_targets[t], &kernel_cases[k], checked, schedule);
}
static void results_agree(void **unused) {
  (void)unused;
  run_cases(false, EMU_RR);
}
static void nothing_is_found(void **unused) {
  (void)unused;
  run_cases(true, EMU_RR);
}

/* Where a plain store and an atomic one are the same instruction, the flag that a store raises may
 * be a race, which is told and is no fault. */
static void flags_may_race(void **unused) {
  (void)unused;
  const kernel_case *c = kernel_cases;
  while (strcmp(c->kernel, "publish") != 0) c++;
  for (size_t t = 0; t < amdgcn_target_count; t++) {
    amdgcn_object *o = case_open(&amdgcn_targets[t], c);
    bool marked = gpu_can(o->object.gpu, GPU_MARKED_STORES);
    amdgcn_job j;
    case_begin(c, o, &j);
    assert_int_equal(job_run(&j, true), TSR_OK);
    assert_int_equal(findings_have(&j.found, FINDING_POSSIBLE_RACE), !marked);
    assert_int_equal(findings_faults(&j.found), 0);
    job_end(&j);
  }
}

/* Kernels whose results are computed in another way leave the same when the host executes them. */
static void the_host_agrees(void **unused) {
  (void)unused;
  unsigned n = 0;
  for (size_t k = 0; k < kernel_case_count; k++) {
    const kernel_case *c = &kernel_cases[k];
    amdgcn_object *o = case_open(&amdgcn_targets[0], c);
    amdgcn_job j;
    if (!c->expect || !o) continue;
    case_begin(c, o, &j);
    uint8_t *want[JOB_BUFFERS] = {0};
    for (uint32_t b = 0; b < j.n_buffers; b++) {
      want[b] = j.want[b];
      j.want[b] = memcpy(malloc(j.bytes[b]), j.data[b], j.bytes[b]);
    }
    bool runs = host_expect(c->kernel, &j);
    n += runs;
    for (uint32_t b = 0; b < j.n_buffers; b++) {
      if (runs) assert_memory_equal(want[b], j.want[b], j.bytes[b]);
      free(want[b]);
    }
    job_end(&j);
  }
  print_message("%u kernels\n", n);
  assert_true(n >= 9);
}
static void order_does_not_matter(void **unused) {
  (void)unused;
  run_cases(true, EMU_ADVERSARIAL);
}

static unsigned every = 10; /* of the changes that are tried: each, the tenth */
static bool is_turn(void) {
  static unsigned turn;
  return turn++ % every == 0;
}

/* In the LDS a wave's accesses happen in their order, so that it need not wait for its stores
 * unless other waves of its workgroup read them. */
static bool stores_to_lds(const gcn_operation *o) {
  return o->lds && o->result.kind == GCN_NO_OPERAND && !o->to;
}

/* Counters that counted something when a wait was executed, by instruction of the image: what a
 * fence waits for to be sure may never have been under way. */
static uint8_t *waited;
static void note_waits(void *user, emu_warp *w, emu_insn insn, emu_lanes lanes, emu_lanes active) {
  (void)user, (void)lanes, (void)active;
  const gcn_insn *i = insn;
  const gcn_pending *p = &gcn_wave_of(w)->pending;
  if (!i->row || i->row->run != gcn_run_wait) return;
  bool alone = w->block->n_threads <= gcn_lanes(w);
  for (uint32_t k = 0; k < p->n; k++)
    if (!alone || !stores_to_lds(&p->list[k]))
      waited[i - gcn_image_of(w->block->grid)->insns] |= p->list[k].counters;
}
static void find_waits(amdgcn_job *j) {
  waited = calloc(1, j->o->image->n_insns);
  j->executed = note_waits;
  assert_int_equal(job_run(j, true), TSR_OK);
  j->executed = NULL;
}

/* Arriving at a barrier and waiting there; where these are two instructions, `i` is the first. */
static bool is_barrier(const gcn_insn *i) {
  return i->row && (i->row->run == gcn_run_barrier || i->row->run == gcn_run_signal);
}

/* Waits that belong to the fence before a barrier, for what nobody relies on: loads of the next
 * tile, whose registers are waited for again where they are used, and an addition to the counter,
 * which other workgroups see by an atomic load. */
static bool is_harmless_fence(const char *kernel, const gcn_insn *wait, int counter) {
  if (!is_barrier(wait + 1)) return false;
  if (strcmp(kernel, "pipeline") == 0) return counter == GCN_COUNT_VECTOR;
  return strcmp(kernel, "grid_barrier") == 0 && counter == GCN_COUNT_STORE;
}

/* LLVM waits before it loads the other half of a register that a load is to write, though loads end
 * in their order and each writes a half: such waits are harmless. */
static bool waits_for_other_half(const gcn_insn *wait) {
  const gcn_insn *next = wait + 1;
  return next->row && next->row->run == gcn_run_global_load && next->row->more >= GCN_HIGH;
}

static const hsa_symbol *function_of(const amdgcn_object *o, const char *name) {
  for (uint32_t k = 0; k < o->object.n_symbols; k++)
    if (o->object.symbols[k].is_function && str_eq(o->object.symbols[k].name, str_of(name)))
      return &o->object.symbols[k];
  fail();
  return NULL;
}

/* Whether a launch with that limit of one wait is found to be wrong. */
static bool is_found(amdgcn_job *j, uint8_t *limit, uint8_t value) {
  uint8_t was = *limit;
  *limit = value;
  tsr_status status = job_run(j, true);
  *limit = was;
  return status != TSR_OK || findings_faults(&j->found) > 0;
}

/* Each limit is taken away, and raised by one. */
static void mutate_case(const amdgcn_target *t, const kernel_case *c, unsigned *found,
                        unsigned *harmless) {
  amdgcn_object *o = case_open(t, c);
  amdgcn_job j;
  if (!o) return;
  case_begin(c, o, &j);
  const hsa_symbol *f = function_of(o, c->kernel);
  unsigned kept = 0;
  find_waits(&j);
  for (uint32_t k = 0; k < o->image->n_insns; k++) {
    gcn_insn *i = &o->image->insns[k];
    if (!i->row || i->row->run != gcn_run_wait || i->at - f->offset >= f->size) continue;
    for (int n = 0; n < GCN_COUNTERS; n++) {
      uint8_t *limit = &i->limit[n];
      if (*limit == GCN_NO_LIMIT) continue;
      if (!(waited[k] >> n & 1) || (n == GCN_COUNT_VECTOR && waits_for_other_half(i))) {
        ++*harmless;
        continue;
      }
      if (!is_turn()) continue;
      uint8_t changed[] = {GCN_NO_LIMIT, (uint8_t)(*limit + 1)};
      for (int m = 0; m < 2; m++) {
        bool seen = is_found(&j, limit, changed[m]);
        *found += seen;
        if (!seen && is_harmless_fence(c->kernel, i, n)) {
          ++*harmless;
          continue;
        }
        kept += !seen;
        if (!seen)
          print_message("%s%s, line %u, %s: limit %u instead of %u\n", t->folder, c->kernel,
                        i->line, i->text, changed[m], *limit);
      }
    }
  }
  if (kept) fail_msg("%s: %u changed waits are not found", c->kernel, kept);
  free(waited);
  job_end(&j);
}

static void missing_waits_are_found(void **unused) {
  (void)unused;
  unsigned found = 0, harmless = 0;
  for (size_t t = 0; t < amdgcn_target_count; t++)
    for (size_t k = 0; k < kernel_case_count; k++)
      mutate_case(&amdgcn_targets[t], &kernel_cases[k], &found, &harmless);
  print_message("%u changed waits found, %u that change nothing\n", found, harmless);
  assert_true(found > 100);
}

/* ---- barriers ----------------------------------------------------------------------------------
 */

/* Barriers of kernels without which they are as right, where clang has unrolled all loops: threads
 * that are that close are of one wave, whose accesses happen in their order; behind the last
 * barrier a thread reads what it has written itself. */
static unsigned harmless_barriers(const char *kernel, unsigned lanes) {
  unsigned far_steps = 0, steps = 0;
  for (unsigned size = 2; size <= 256; size *= 2)
    for (unsigned far = size / 2; far; far /= 2, steps++) far_steps += far >= lanes;
  if (strcmp(kernel, "sort_block") == 0) return 2 * steps + 1 - 2 * far_steps;
  if (strcmp(kernel, "sum_blocks") == 0) return (unsigned)__builtin_ctz(lanes);
  return strcmp(kernel, "scan_block") == 0 || strcmp(kernel, "compact") == 0;
}

/* Takes the barrier at i away for a launch. False: the launch is right without it. */
static bool barrier_is_missed(amdgcn_job *j, gcn_insn *i) {
  const gcn_row *row = i->row, *nothing = gcn_find_row(str_of("s_sleep"));
  gcn_insn *wait = i;
  while (row->run == gcn_run_signal && wait->row->run != gcn_run_barrier_wait) wait++;
  const gcn_row *wait_row = wait->row;
  i->row = wait->row = nothing;
  tsr_status status = job_run(j, true);
  wait->row = wait_row;
  i->row = row;
  return status != TSR_OK || findings_faults(&j->found) > 0;
}

static void remove_barriers(const amdgcn_target *t, const kernel_case *c, unsigned *found) {
  amdgcn_object *o = case_open(t, c);
  amdgcn_job j;
  if (!o) return;
  case_begin(c, o, &j);
  const hsa_symbol *f = function_of(o, c->kernel);
  unsigned harmless = 0;
  for (uint32_t k = 0; k < o->image->n_insns; k++) {
    gcn_insn *i = &o->image->insns[k];
    if (!is_barrier(i) || i->at - f->offset >= f->size) continue;
    bool seen = barrier_is_missed(&j, i);
    *found += seen;
    harmless += !seen;
  }
  if (harmless != harmless_barriers(c->kernel, t->lanes))
    fail_msg("%s%s: nothing is found without %u of its barriers, not %u", t->folder, c->kernel,
             harmless, harmless_barriers(c->kernel, t->lanes));
  job_end(&j);
}

static void missing_barriers_are_found(void **unused) {
  (void)unused;
  unsigned found = 0;
  for (size_t t = 0; t < amdgcn_target_count; t++)
    for (size_t k = 0; k < kernel_case_count; k++) {
      bool many = strcmp(kernel_cases[k].kernel, "sort_block") == 0;
      if (many && every > 1) continue;
      remove_barriers(&amdgcn_targets[t], &kernel_cases[k], &found);
    }
  print_message("%u removed barriers found\n", found);
  assert_true(found > 10);
}

/* ---- wait states -------------------------------------------------------------------------------
 */

static bool is_nop(const gcn_insn *i) {
  return i->row && strcmp(i->row->name, "s_nop") == 0;
}

/* Between accesses to memory it lets a page fault repeat them, of which there are none here. */
static bool is_between_accesses(const gcn_insn *nop) {
  return nop[1].row && gcn_is_memory(&nop[1]) && nop[-1].row && gcn_is_memory(&nop[-1]);
}

/* LLVM takes the bit that says which half of its first source a packed instruction reads for one
 * that says where its result goes. */
static bool is_after_packed(const gcn_insn *nop) {
  return nop->offset == 0 && nop[-1].row && nop[-1].row->run == gcn_run_packed;
}

/* Each s_nop gives one wait state less than LLVM found to be needed. */
static void shorten_nops(const amdgcn_target *t, const kernel_case *c, unsigned *found) {
  amdgcn_object *o = case_open(t, c);
  amdgcn_job j;
  if (!o) return;
  case_begin(c, o, &j);
  const hsa_symbol *f = function_of(o, c->kernel);
  for (uint32_t k = 0; t->lanes == 64 && k < o->image->n_insns; k++) {
    gcn_insn *i = &o->image->insns[k];
    if (!is_nop(i) || is_between_accesses(i) || is_after_packed(i)) continue;
    if (i->at - f->offset >= f->size || !is_turn()) continue;
    i->offset--;
    bool seen = job_run(&j, true) != TSR_OK || findings_have(&j.found, FINDING_MISSING_WAIT);
    i->offset++;
    *found += seen;
    if (!seen)
      fail_msg("%s%s, line %u: a shorter %s is not found", t->folder, c->kernel, i->line, i->text);
  }
  job_end(&j);
}

static void missing_wait_states_are_found(void **unused) {
  (void)unused;
  unsigned found = 0;
  for (size_t t = 0; t < amdgcn_target_count; t++)
    for (size_t k = 0; k < kernel_case_count; k++)
      shorten_nops(&amdgcn_targets[t], &kernel_cases[k], &found);
  print_message("%u shortened s_nop found\n", found);
  assert_true(found > 10);
}

static int close_all(void **unused) {
  (void)unused;
  cases_close();
  return 0;
}

/* test_amdgcn_kernels [1]: tries every change, not a sample of them. */
int main(int argc, char **argv) {
  if (argc > 1) every = (unsigned)MAX(strtoul(argv[1], NULL, 0), 1ul);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_agree),
      cmocka_unit_test(nothing_is_found),
      cmocka_unit_test(flags_may_race),
      cmocka_unit_test(the_host_agrees),
      cmocka_unit_test(order_does_not_matter),
      cmocka_unit_test(missing_waits_are_found),
      cmocka_unit_test(missing_barriers_are_found),
      cmocka_unit_test(missing_wait_states_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, close_all);
}
