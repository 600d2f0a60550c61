/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plugin as tests see it that are built for AArch64 (images.h): a kernel is what was recorded.
 */
#include "images.h"

#include "exec/code.h"

enum { MAX_IMAGE = 1 << 24 };

static bool load(ir_module *m, ir_op *entry, const cpu_options *options, cpu_kernel *out) {
  char path[PATH_MAX];
  image_path(m, entry, options, path);
  FILE *f = fopen(path, "rb");
  char *object = aligned_alloc(64, MAX_IMAGE);
  exec_code *code = calloc(1, sizeof *code);
  const char *wrong = "was not recorded";
  *out = (cpu_kernel){0};
  if (f && object && code && fread(&out->sizes, sizeof out->sizes, 1, f) == 1) {
    size_t size = fread(object, 1, MAX_IMAGE, f);
    wrong = exec_code_load(object, size, CPU_SYMBOL, code);
  }
  if (f) fclose(f);
  free(object);
  if (wrong) {
    diag_error(m->ctx, NOWHERE, "%s %s", path, wrong);
    free(code);
    return false;
  }
  out->run = (rt_block_fn)(uintptr_t)code->entry;
  out->owner = code;
  return true;
}

static void release(cpu_kernel *kernel) {
  if (kernel->owner) exec_code_unload(kernel->owner);
  free(kernel->owner);
  *kernel = (cpu_kernel){0};
}

bool cpu_compile(tsr_context *ctx, ir_module *m, ir_op *const *entries, unsigned n,
                 const cpu_options *options, cpu_kernel *out) {
  (void)ctx;
  for (unsigned i = 0; i < n; i++) {
    if (load(m, entries[i], options, &out[i])) continue;
    while (i-- > 0) release(&out[i]);
    return false;
  }
  return true;
}

static bool compile_one(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                        cpu_kernel *out) {
  return cpu_compile(ctx, m, &entry, 1, options, out);
}

const cpu_backend cpu_llvm = {.compile = compile_one, .release = release};
