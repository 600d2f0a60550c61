/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: the CPU backend as an engine for run_program, at a feature level that the test
 * chooses. A source that tests the interpreter is included after this, so that the same programs
 * with the same expected results hold for compiled code:
 *
 *   #include "cpu_engine.h"
 *   #define main interp_main
 *   #include "test_interp.c"
 *   #undef main
 */
#ifndef TSR_TESTS_CPU_ENGINE_H
#define TSR_TESTS_CPU_ENGINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <tessera/opt.h>

#include "cpu/cpu.h"
#include "cpu_extensions.h"
#include "run_program.h"

static cpu_level engine_level;
static bool engine_fast_division, engine_double_pumped, engine_shallow_prefetch,
    engine_few_fill_buffers;
static bool engine_l2_prefetch;
static bool engine_words;     /* multiplies bytes as words, whatever the processor has */
static bool engine_less_vbmi; /* and permutes none */

__attribute__((unused)) static bool engine_level_here(cpu_level level) {
#if defined(TSR_TEST_IMAGES) /* tests/aarch64: the same there as here */
  return level == CPU_BASELINE;
#else
  return cpu_has_level(level);
#endif
}

/* The kernel that was compiled last, while its module is kept (run_program_kept). */
static struct engine_kernel {
  const ir_op *entry; /* NULL: none */
  cpu_options options;
  cpu_kernel kernel;
} engine_last;

static void engine_forget(void) {
  if (engine_last.entry) cpu_llvm.release(&engine_last.kernel);
  engine_last.entry = NULL;
}

/* Compiles it, unless that was done just now. */
static bool engine_compile(ir_module *m, ir_op *entry, const cpu_options *options) {
  struct engine_kernel *last = &engine_last;
  if (run_is_kept(m, engine_forget) && last->entry == entry &&
      memcmp(&last->options, options, sizeof *options) == 0)
    return true;
  engine_forget();
  if (!cpu_llvm.compile(m->ctx, m, entry, options, &last->kernel)) return false;
  last->entry = entry;
  last->options = *options;
  return true;
}

/* Scratch memory with a guard after it, so that code which asks for too little is seen. */
static bool run_cpu(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  enum { GUARD = 4096 };
  cpu_options options = {.isa.level = engine_level,
                         .opt_level = 3,
                         .isa.bf16 = cpu_has_bf16(engine_level),
                         .isa.vnni = cpu_has_vnni(engine_level) && !engine_words,
                         .isa.vbmi = cpu_has_vbmi(engine_level) && !engine_less_vbmi,
                         .core.fast_division = engine_fast_division,
                         .core.double_pumped = engine_double_pumped,
                         .core.shallow_prefetch = engine_shallow_prefetch,
                         .core.few_fill_buffers = engine_few_fill_buffers,
                         .core.l2_prefetch = engine_l2_prefetch};
  tsr_module_disable(m, getenv("TESSERA_TEST_DISABLE"));
  m->level = 0; /* what is tested is how the program that is given is lowered */
  if (!engine_compile(m, entry, &options)) return false;
  cpu_kernel kernel = engine_last.kernel;
  size_t size = (kernel.sizes.scratch_bytes + 63) / 64 * 64;
  unsigned char *scratch = aligned_alloc(64, size + GUARD);
  memset(scratch, 0xa5, size + GUARD); /* nothing may rely on zeros */
  memset(scratch, 0, kernel.sizes.keys_bytes);
  block->scratch = (char *)scratch;
  int64_t total = (int64_t)grid.x * grid.y * grid.z;
  for (int64_t n = 0; n < total; n++) {
    block->id[0] = (int32_t)(n % grid.x);
    block->id[1] = (int32_t)(n / grid.x % grid.y);
    block->id[2] = (int32_t)(n / grid.x / grid.y);
    kernel.run(block);
  }
  bool clean = true;
  for (size_t i = size; i < size + GUARD; i++) clean &= scratch[i] == 0xa5;
  free(scratch);
  if (!run_is_kept(m, engine_forget)) engine_forget();
  return clean;
}

__attribute__((unused)) static bool run_compiled(const char *text, const char *kernel,
                                                 run_grid grid, const uint64_t *args,
                                                 run_log *log) {
  return run_program_kept(run_cpu, text, kernel, grid, args, log);
}
#define run_program run_compiled

/* By the interpreter and compiled, with other arguments: results for the test to compare. */
__attribute__((unused)) static void run_both_named(const char *text, const char *name,
                                                   run_grid grid, const uint64_t *args,
                                                   const uint64_t *compiled_args) {
  run_log log;
  if (!run_program_kept(run_interp, text, name, grid, args, &log)) fail_msg("%s", log.diagnostics);
  if (!run_compiled(text, name, grid, compiled_args, &log)) fail_msg("%s", log.diagnostics);
}

__attribute__((unused)) static void run_both(const char *text, run_grid grid, const uint64_t *args,
                                             const uint64_t *compiled_args) {
  run_both_named(text, "k", grid, args, compiled_args);
}

/* The module's code for x86-64, as LLVM writes it, in the arena; NULL: there is none. */
__attribute__((unused)) static char *engine_code(ir_module *m, cpu_level level, bool vnni,
                                                 arena *a) {
  cpu_options options = {.isa.arch = CPU_X86_64,
                         .isa.level = level,
                         .opt_level = 3,
                         .isa.vnni = vnni,
                         .isa.vbmi = level == CPU_AVX512 && !engine_less_vbmi,
                         .core.shallow_prefetch = engine_shallow_prefetch,
                         .core.few_fill_buffers = engine_few_fill_buffers,
                         .core.l2_prefetch = engine_l2_prefetch};
  sbuf out = SBUF(a);
  m->level = 0;
  if (!cpu_llvm.emit(m->ctx, m, TSR_EMIT_LLVM, &options, &out)) return NULL;
  sbuf_putc(&out, 0);
  return out.data;
}

static const char *code_counted;
static unsigned code_found;

/* An engine that only looks at the code. */
static bool code_look(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  (void)entry, (void)block, (void)grid;
  arena a;
  arena_init(&a, m->ctx);
  const char *code = engine_code(m, engine_level, false, &a), *at = code ? code : "";
  for (code_found = 0; (at = strstr(at, code_counted)) != NULL; at++) code_found++;
  arena_free(&a);
  return code != NULL;
}

/* How often it says so in the code of the program's entry k. */
__attribute__((unused)) static unsigned code_count(const char *what, const char *text) {
  run_log log;
  code_counted = what;
  if (!run_program_on(code_look, text, "k", (run_grid){1, 1, 1}, (uint64_t[8]){0}, &log))
    fail_msg("%s", log.diagnostics);
  return code_found;
}

#define LEVELS(test)                                                                               \
  {#test "/baseline", test, set_level, NULL, (void *)(uintptr_t)CPU_BASELINE},                     \
      {#test "/avx2", test, set_level, NULL, (void *)(uintptr_t)CPU_AVX2}, {                       \
#test "/avx512", test, set_level, NULL, (void *)(uintptr_t)CPU_AVX512                          \
  }

/* Levels that this machine lacks run at the baseline again. */
__attribute__((unused)) static int set_level(void **state) {
  engine_level = (cpu_level)(uintptr_t)*state;
  if (!engine_level_here(engine_level)) engine_level = CPU_BASELINE;
  return 0;
}

#endif
