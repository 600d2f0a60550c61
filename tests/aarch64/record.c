/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plugin as tests see it that are built for recording (images.h): it compiles for this machine,
 * and leaves the same kernels for AArch64 behind.
 */
#include "images.h"

extern const cpu_backend recording_llvm;
bool recording_compile(tsr_context *ctx, ir_module *m, ir_op *const *entries, unsigned n,
                       const cpu_options *options, cpu_kernel *out);

static bool write_image(const char *path, const cpu_sizes *sizes, const sbuf *code) {
  FILE *f = fopen(path, "wb");
  if (!f) return false;
  bool ok = fwrite(sizes, sizeof *sizes, 1, f) == 1 && fwrite(code->data, code->len, 1, f) == 1;
  return fclose(f) == 0 && ok;
}

static bool record(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *here) {
  char path[PATH_MAX];
  const char *target = getenv("TESSERA_TEST_TARGET");
  cpu_options there = {.isa = {.arch = CPU_AARCH64}, .opt_level = here->opt_level};
  there.isa.bf16 = target && strstr(target, "+bf16");
  there.isa.dotprod = there.isa.i8mm = target && strstr(target, "+i8mm");
  image_path(m, entry, here, path);
  arena a;
  arena_init(&a, ctx);
  sbuf code = SBUF(&a);
  cpu_sizes sizes;
  bool ok = cpu_llvm.object(ctx, m, entry, &there, &sizes, &code) &&
            write_image(path, &sizes, &code);
  if (!ok) fprintf(stderr, "%s: cannot be recorded\n", path);
  arena_free(&a);
  return ok;
}

bool recording_compile(tsr_context *ctx, ir_module *m, ir_op *const *entries, unsigned n,
                       const cpu_options *options, cpu_kernel *out) {
  for (unsigned i = 0; i < n; i++)
    if (!record(ctx, m, entries[i], options)) return false;
  return cpu_compile(ctx, m, entries, n, options, out);
}

static bool compile_one(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                        cpu_kernel *out) {
  return recording_compile(ctx, m, &entry, 1, options, out);
}

static void release_kernel(cpu_kernel *kernel) {
  cpu_llvm.release(kernel);
}

static bool emit_module(tsr_context *ctx, ir_module *m, tsr_emit kind, const cpu_options *options,
                        sbuf *out) {
  return cpu_llvm.emit(ctx, m, kind, options, out);
}

const cpu_backend recording_llvm = {
    .compile = compile_one, .release = release_kernel, .emit = emit_module};
