/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: a program on every engine that compiles it: for the CPU at each feature level that the
 * machine has, and for two GPUs, whose code runs on the emulator. Needs the plugin's objects.
 */
#ifndef TSR_TESTS_EVERY_ENGINE_H
#define TSR_TESTS_EVERY_ENGINE_H

#include "cpu_engine.h"
#include "gpu_engine.h"

typedef struct every_engine {
  const char *name;
  cpu_level level;
  const char *target; /* a GPU's; NULL: the CPU at the level */
} every_engine;

static const every_engine every_engines[] = {
    {"baseline", CPU_BASELINE, NULL},   {"avx2", CPU_AVX2, NULL},
    {"avx512", CPU_AVX512, NULL},       {"sm_80", CPU_BASELINE, "sm_80"},
    {"sm_90a", CPU_BASELINE, "sm_90a"},
};

static bool every_engine_here(const every_engine *e) {
  return e->target || engine_level_here(e->level);
}

/* Runs the program's kernel k; the test fails when the engine does. */
static void every_engine_run(const every_engine *e, const char *text, run_grid grid,
                             const uint64_t *args, run_log *log) {
  engine_level = e->level;
  if (e->target) engine_target = gpu_find_target(e->target);
  if (run_program_on(e->target ? run_gpu : run_cpu, text, "k", grid, args, log)) return;
  puts(text);
  fail_msg("%s: %s", e->name, log->diagnostics);
}

/* The same by the interpreter: what all others must leave. */
static void every_engine_expect(const char *text, run_grid grid, const uint64_t *args,
                                run_log *log) {
  if (run_program_on(run_interp, text, "k", grid, args, log)) return;
  puts(text);
  fail_msg("interp: %s", log->diagnostics);
}

#endif
