/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a page can't do, in place of the files that do it elsewhere: load machine code, start
 * programs, be one of several processes.
 */
#include <tessera/ranks.h>

#include "exec/code.h"
#include "rt/header.h"
#include "rt/ptxas.h"

const char *exec_code_load(const void *object, size_t size, const char *symbol, exec_code *out) {
  (void)object, (void)size, (void)symbol, (void)out;
  return "WebAssembly executes no machine code";
}

const char *exec_code_load_all(const void *object, size_t size, unsigned n,
                               const char *const *symbols, void **entries, exec_code *out) {
  (void)n, (void)symbols, (void)entries;
  return exec_code_load(object, size, NULL, out);
}

void exec_code_unload(exec_code *code) {
  (void)code;
}

bool ptxas_find(char *path, size_t size) {
  (void)path, (void)size;
  return false;
}

bool ptxas_run(tsr_context *ctx, arena *a, str ptx, const char *target, str *cubin, str *log) {
  (void)a, (void)ptx, (void)target, (void)cubin, (void)log;
  diag_error(ctx, NOWHERE, "a page can't start ptxas: use the command on a computer");
  return false;
}

bool rt_emit_header(const cpu_backend *backend, ir_module *m, const cpu_options *options,
                    sbuf *out) {
  (void)backend, (void)m, (void)options;
  diag_error(out->arena->ctx, NOWHERE, "a page compiles no object files, which the header is for");
  return false;
}

bool tsr_ranks_started(void) {
  return false;
}

tsr_ranks *tsr_ranks_join(tsr_context *ctx, const tsr_ranks_options *options) {
  (void)options;
  diag_error(ctx, NOWHERE, "a page is one process: use the command on a computer");
  return NULL;
}

void tsr_ranks_leave(tsr_ranks *ranks) {
  (void)ranks;
}

unsigned tsr_ranks_rank(const tsr_ranks *ranks) {
  (void)ranks;
  return 0;
}

unsigned tsr_ranks_size(const tsr_ranks *ranks) {
  (void)ranks;
  return 0;
}

tsr_status tsr_ranks_barrier(tsr_ranks *ranks) {
  (void)ranks;
  return TSR_ERROR_UNSUPPORTED;
}

tsr_symmetric *tsr_symmetric_create(tsr_ranks *ranks, tsr_device *device, size_t bytes) {
  (void)ranks, (void)device, (void)bytes;
  return NULL;
}

void tsr_symmetric_destroy(tsr_symmetric *memory) {
  (void)memory;
}

tsr_buffer *tsr_symmetric_buffer(tsr_symmetric *memory) {
  (void)memory;
  return NULL;
}

tsr_buffer *tsr_symmetric_peer(tsr_symmetric *memory, unsigned rank) {
  (void)memory, (void)rank;
  return NULL;
}

tsr_buffer *tsr_symmetric_table(tsr_symmetric *memory) {
  (void)memory;
  return NULL;
}
