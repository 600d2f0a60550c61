/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: the GPU backend as an engine for run_program. A source that tests the interpreter is
 * included behind this, so that the same programs go through the backend:
 *
 *   #include "gpu_engine.h"
 *   #define main interp_main
 *   #include "test_interp.c"
 *   #undef main
 *
 * Code is made for the target that the test chooses, and must come out; where ptxas is installed
 * and TESSERA_TEST_PTXAS is set it must assemble. The results are the interpreter's.
 */
#ifndef TSR_TESTS_GPU_ENGINE_H
#define TSR_TESTS_GPU_ENGINE_H

#include <stdio.h>
#include <stdlib.h>

#include "cpu/plugin.h"
#include "nvptx/nvptx.h"
#include "rt/ptxas.h"
#include "run_program.h"

const cpu_plugin *tsr_llvm_plugin(void);

static const gpu_target *engine_target;

static bool engine_assembles(ir_module *m, arena *a, str ptx) {
  char path[4096];
  if (!getenv("TESSERA_TEST_PTXAS") || !ptxas_find(path, sizeof path)) return true;
  str cubin;
  if (ptxas_run(m->ctx, a, ptx, engine_target->name, &cubin, NULL)) return true;
  fwrite(ptx.data, 1, ptx.len, stderr);
  return false;
}

static bool make_code(ir_module *m) {
  arena a;
  arena_init(&a, m->ctx);
  nvptx_result code = {.text = SBUF(&a)};
  nvptx_options options = {.target = engine_target};
  bool ok = tsr_llvm_plugin()->nvptx->emit(m->ctx, m, NVPTX_PTX, &options, &code) &&
            engine_assembles(m, &a, (str){code.text.data, code.text.len});
  arena_free(&a);
  return ok;
}

static bool run_gpu(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  return make_code(m) && run_interp(m, entry, block, grid);
}

__attribute__((unused)) static bool run_compiled(const char *text, const char *kernel,
                                                 run_grid grid, const uint64_t *args,
                                                 run_log *log) {
  return run_program_on(run_gpu, text, kernel, grid, args, log);
}
#define run_program run_compiled

__attribute__((unused)) static int set_target(void **state) {
  engine_target = gpu_find_target(*state);
  return engine_target ? 0 : -1;
}
#define TARGET(test, name)                                                                         \
  { #test "/" name, test, set_target, NULL, (void *)(uintptr_t)name }

#endif
