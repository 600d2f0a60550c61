/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which lanes the shared memory of a GPU serves together, as lists of lanes say it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base.h"
#include "target/banks.h"

/* The lanes of the first 32 that are served with lane 0, by quads: bit q: lanes 4 q to 4 q + 3. */
static const struct {
  const char *target;
  unsigned bytes;
  bool writes;
  unsigned banks, lanes, quads;
} cases[] = {
    {"gfx942", 4, false, 32, 32, 0xff},   {"gfx942", 8, false, 32, 16, 0x0f},
    {"gfx942", 16, false, 32, 8, 0x21},   {"gfx942", 16, true, 32, 8, 0x03},
    {"gfx90a", 16, false, 32, 8, 0x21},   {"gfx950", 8, false, 64, 32, 0xff},
    {"gfx950", 12, false, 32, 8, 0x21},   {"gfx950", 16, false, 64, 16, 0x69},
    {"gfx950", 8, true, 32, 16, 0x0f},    {"gfx950", 16, true, 32, 8, 0x03},
    {"gfx1100", 16, false, 64, 16, 0x0f}, {"sm_90a", 16, false, 32, 8, 0x03},
    {"sm_90a", 2, true, 32, 32, 0xff},
};

static void lanes_are_grouped(void **unused) {
  (void)unused;
  for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
    const gpu_target *t = gpu_find_target(cases[k].target);
    gpu_phases p = gpu_phases_of(t, cases[k].bytes, cases[k].writes);
    unsigned quads = 0;
    for (unsigned lane = 0; lane < 32; lane++)
      if (gpu_phase_of(&p, lane) == 0) quads |= 1u << lane / 4;
    if (quads != cases[k].quads || p.banks != cases[k].banks ||
        gpu_lanes(t) >> p.bits != cases[k].lanes)
      fail_msg("%s, %u bytes: quads 0x%x, %u banks, %u phases", t->name, cases[k].bytes, quads,
               p.banks, 1u << p.bits);
  }
}

/* Every phase is the first one, shifted by XOR; all have as many lanes. */
static void phases_are_alike(void **unused) {
  (void)unused;
  const gpu_target *t;
  for (size_t n = 0; (t = gpu_target_at(n)); n++)
    for (unsigned bytes = 1; bytes <= 16; bytes += bytes == 8 ? 4 : bytes == 12 ? 4 : bytes)
      for (int writes = 0; writes < 2; writes++) {
        gpu_phases p = gpu_phases_of(t, bytes, writes);
        unsigned basis[6], lanes = gpu_lanes(t), of[64] = {0};
        unsigned size = gpu_phase_basis(&p, lanes, basis);
        for (unsigned lane = 0; lane < lanes; lane++) {
          of[gpu_phase_of(&p, lane)]++;
          for (unsigned k = 0; k < size; k++)
            assert_int_equal(gpu_phase_of(&p, lane), gpu_phase_of(&p, lane ^ basis[k]));
        }
        for (unsigned k = 0; k < 1u << p.bits; k++) assert_int_equal(of[k], 1u << size);
        assert_int_equal(1u << (size + p.bits), lanes);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_are_grouped),
      cmocka_unit_test(phases_are_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
