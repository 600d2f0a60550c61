/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: the interpreter after passes as an engine for run_program. A source that tests the
 * interpreter is included after this, so that its programs and results hold after every pass:
 *
 *   #include "opt_engine.h"
 *   #define main interp_main
 *   #include "test_interp.c"
 *   #undef main
 */
#ifndef TSR_TESTS_OPT_ENGINE_H
#define TSR_TESTS_OPT_ENGINE_H

#include <stdlib.h>

#include "opt/opt.h"
#include "run_program.h"

static const char *passes;

static bool run_passes(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  tsr_optimize_options o = {.struct_size = sizeof o, .verify_each = true};
  return tsr_module_optimize(m, passes, &o) == TSR_OK && run_interp(m, entry, block, grid);
}

static bool run_optimized(const char *text, const char *kernel, run_grid grid, const uint64_t *args,
                          run_log *log) {
  return run_program_on(run_passes, text, kernel, grid, args, log);
}

#define run_program run_optimized
static int set_passes(void **state) {
  passes = *state;
  return 0;
}

#define BEHIND(test, list)                                                                         \
  { #test " behind " list, test, set_passes, NULL, (void *)(uintptr_t)list }
#define PASSES(test)                                                                               \
  BEHIND(test, "canonicalize"), BEHIND(test, "cse"), BEHIND(test, "dce"), BEHIND(test, "licm"),    \
      BEHIND(test, "propagate"), BEHIND(test, "memory"), BEHIND(test, "loop-split"),               \
      BEHIND(test, "split-masks"), BEHIND(test, "join-steps"), BEHIND(test, "loop-unroll"),        \
      BEHIND(test, "narrow"), BEHIND(test, "O3")

#endif
