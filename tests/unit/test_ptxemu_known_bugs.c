/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bugs of real CUDA programs, each as a small kernel as it was and as it was mended
 * (tests/ptx/cuda/known_bugs.cu): the wrong one is found and the mended one left alone, in every
 * schedule and whenever asynchronous operations complete.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "checked_run.h"
#include "ptx_run.h"

enum { MAX_ARGS = 3, MAX_ELEMENTS = 8192 };

typedef struct bug {
  const char *name;
  uint32_t threads, blocks, cluster;
  int args[MAX_ARGS];      /* > 0: a buffer of so many words; < 0: the number; 0: none */
  finding_kind expects[3]; /* any of them, as many as are not FINDING_KIND_COUNT */
} bug;

#define RACE FINDING_RACE
#define WAIT FINDING_MISSING_WAIT
#define NONE FINDING_KIND_COUNT
#define KINDS(...)                                                                                 \
  { __VA_ARGS__ }

static const bug bugs[] = {
    {"scratch", 128, 1, 1, {128, 128}, KINDS(RACE, NONE, NONE)},
    {"gemv", 128, 1, 1, {512, 4, -4}, KINDS(RACE, NONE, NONE)},
    {"syncw", 32, 1, 1, {32, 32}, KINDS(RACE, NONE, NONE)},
    {"quant", 32, 1, 1, {32, 32}, KINDS(RACE, NONE, NONE)},
    {"diverge", 128, 1, 1, {256}, KINDS(FINDING_BARRIER, NONE, NONE)},
    {"evenlane", 32, 1, 1, {32}, KINDS(RACE, NONE, NONE)},
    /* threads that have ended aren't waited for since sm_70 */
    {"early", 64, 1, 1, {64, 64, -40}, KINDS(NONE, NONE, NONE)},
    {"tmastore", 128, 1, 1, {128}, KINDS(FINDING_MISSING_FENCE, NONE, NONE)},
    {"tmareuse", 128, 1, 1, {256}, KINDS(WAIT, NONE, NONE)},
    {"parity", 128, 1, 1, {768, 768}, KINDS(WAIT, FINDING_BARRIER, RACE)},
    {"ring", 128, 1, 1, {256, 768}, KINDS(RACE, WAIT, FINDING_BARRIER)},
    {"commit", 32, 1, 1, {768, 192, -6}, KINDS(WAIT, NONE, NONE)},
    {"tail", 32, 1, 1, {512, 128, -4}, KINDS(WAIT, NONE, NONE)},
    {"floyd", 256, 1, 1, {256}, KINDS(RACE, NONE, NONE)},
    {"wmmast", 32, 1, 1, {128, 256}, KINDS(RACE, NONE, NONE)},
    {"idle", 128, 1, 1, {128, 128}, KINDS(RACE, NONE, NONE)},
    {"oscar", 128, 1, 1, {2, 128}, KINDS(RACE, NONE, NONE)},
    {"gather", 128, 1, 1, {8192, 128, -239674}, KINDS(FINDING_OUT_OF_BOUNDS, NONE, NONE)},
    {"lastblock", 32, 4, 1, {128, 4, 1}, KINDS(RACE, NONE, NONE)},
    {"lastacq", 32, 4, 1, {128, 4, 1}, KINDS(RACE, NONE, NONE)},
    {"shfl", 32, 1, 1, {32, 32, -20}, KINDS(FINDING_UNINITIALISED, NONE, NONE)},
    {"wgfree", 160, 1, 1, {8192, 512}, KINDS(WAIT, NONE, NONE)},
    {"wgshare", 256, 1, 1, {3072, 1024}, KINDS(WAIT, NONE, NONE)},
    {"uninit", 128, 1, 1, {128, 128, -100}, KINDS(FINDING_UNINITIALISED, NONE, NONE)},
    {"warpred", 64, 1, 1, {64, 1}, KINDS(RACE, NONE, NONE)},
    /* volatile accesses are strong, so they don't race */
    {"warpvol", 64, 1, 1, {64, 1}, KINDS(NONE, NONE, NONE)},
    {"dsmem", 32, 2, 2, {64, 64}, KINDS(FINDING_USE_AFTER_FREE, NONE, NONE)},
    {"mbinit", 32, 2, 2, {64}, KINDS(FINDING_ILLEGAL, FINDING_BARRIER, RACE)},
    /* a thread's copies see the mbarrier that it has initialised */
    {"mbfence", 128, 1, 1, {128, 128}, KINDS(NONE, NONE, NONE)},
    {"tmawar", 128, 1, 1, {384, 384}, KINDS(WAIT, FINDING_BARRIER, RACE)},
    {"expect", 256, 1, 1, {256, 256}, KINDS(WAIT, NONE, NONE)},
};

static _Alignas(256) uint32_t memory[MAX_ARGS][MAX_ELEMENTS];
static char *text;

static void pass(checked_run *r, const bug *b, bool mended) {
  bool far = mended && strcmp(b->name, "gather") == 0; /* 8.6 GB, of which 512 bytes are used */
  for (unsigned k = 0; k < MAX_ARGS && b->args[k]; k++) {
    size_t bytes = (size_t)MAX(b->args[k], 0) * 4;
    uint64_t address;
    for (int e = 0; e < b->args[k]; e++)
      memory[k][e] = (uint32_t)((int32_t)((uint32_t)e * 2654435761u) >> 22);
    if (b->args[k] < 0) {
      checked_run_int(r, -b->args[k]);
    } else if (far && k == 0) {
      address = emu_alloc(r->device, (uint64_t)239675 * 8960 * 4, NULL);
      assert_true(address != 0);
      checked_run_arg(r, &address, sizeof address);
    } else {
      checked_run_buffer(r, memory[k], bytes);
    }
  }
}

static tsr_status run(checked_run *r, const bug *b, bool mended, unsigned how) {
  char name[64];
  snprintf(name, sizeof name, "k_%s_%s", b->name, mended ? "ok" : "bad");
  checked_run_open_text_entry(r, text, name, true);
  pass(r, b, mended);
  r->options.schedule = (emu_schedule)(how / 3);
  r->options.async = (emu_async_mode)(how % 3);
  r->options.seed = 7 + how;
  r->options.cluster[0] = b->cluster;
  r->options.cluster[1] = r->options.cluster[2] = 1;
  return checked_run_launch(r, b->blocks, 1, b->threads, 1);
}

static bool is_found(const checked_run *r, const bug *b) {
  if (b->expects[0] == NONE) return r->found.n == 0;
  for (unsigned k = 0; k < ARRAY_LEN(b->expects) && b->expects[k] != NONE; k++)
    if (findings_have(&r->found, b->expects[k])) return true;
  return false;
}

static void wrong_kernels_are_found(void **state) {
  (void)state;
  unsigned failed = 0;
  for (unsigned k = 0; k < ARRAY_LEN(bugs); k++)
    for (unsigned how = 0; how < 9; how++) {
      checked_run r;
      run(&r, &bugs[k], false, how);
      if (!is_found(&r, &bugs[k])) {
        print_error("%s, schedule %u, mode %u:\n%s\n", bugs[k].name, how / 3, how % 3,
                    checked_run_text(&r));
        failed++;
      }
      checked_run_close(&r);
    }
  assert_int_equal(failed, 0);
}

static void mended_kernels_are_left_alone(void **state) {
  (void)state;
  unsigned failed = 0;
  for (unsigned k = 0; k < ARRAY_LEN(bugs); k++)
    for (unsigned how = 0; how < 9; how++) {
      checked_run r;
      tsr_status s = run(&r, &bugs[k], true, how);
      if (s != TSR_OK || r.found.n) {
        print_error("%s, schedule %u, mode %u: status %d\n%s\n", bugs[k].name, how / 3, how % 3, s,
                    checked_run_text(&r));
        failed++;
      }
      checked_run_close(&r);
    }
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_kernels_are_found),
      cmocka_unit_test(mended_kernels_are_left_alone),
  };
  text = ptx_file("cuda/known_bugs.ptx");
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(text);
  return failed;
}
