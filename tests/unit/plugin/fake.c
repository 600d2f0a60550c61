/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A compiler plugin for the tests of the runtime: it knows a few kernels by name and gives C
 * functions for them. FAKE_BUILD_ID is what it says it was built with; FAKE_NEEDS_LLVM makes it
 * need a library that isn't there.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "backends/plugin.h"
#include "build_id.h"

#if defined(FAKE_NEEDS_LLVM)
int fake_llvm(void);
#endif

/* args: float *x, float *y, float a, int n, as in the tests' saxpy; 128 elements a block. */
static void saxpy(rt_block *b) {
  float *x = (float *)(uintptr_t)b->args[0], *y = (float *)(uintptr_t)b->args[1], a;
  uint32_t bits = (uint32_t)b->args[2];
  memcpy(&a, &bits, sizeof a);
  int32_t n = (int32_t)b->args[3];
  for (int32_t i = b->id[0] * 128; i < b->id[0] * 128 + 128 && i < n; i++) y[i] = a * x[i] + y[i];
}

/* args: a counter for each block of the grid. */
static void count(rt_block *b) {
  uint64_t position =
      ((uint64_t)b->id[2] * (uint64_t)b->grid[1] + (uint64_t)b->id[1]) * (uint64_t)b->grid[0] +
      (uint64_t)b->id[0];
  atomic_fetch_add((atomic_int *)(uintptr_t)b->args[0] + position, 1);
}

/* Fills its scratch, and counts the blocks in which it was not its own. */
enum { SCRATCH = 10000 };
static void scratch(rt_block *b) {
  bool wrong = (uintptr_t)b->scratch % 64 != 0;
  memset(b->scratch, b->id[0] & 0xff, SCRATCH);
  for (int i = 0; i < SCRATCH; i++) wrong |= (unsigned char)b->scratch[i] != (b->id[0] & 0xff);
  if (wrong) atomic_fetch_add((atomic_int *)(uintptr_t)b->args[0], 1);
}

static void print(rt_block *b) {
  rt_print_arg arg = {.data = &b->id[0], .elem = TSR_I32};
  b->hooks->print(b, "block %i\n", 9, &arg, 1);
}

static void position(rt_block *b) {
  rt_print_arg args[] = {{.data = &b->id[0], .elem = TSR_I32},
                         {.data = &b->id[1], .elem = TSR_I32},
                         {.data = &b->id[2], .elem = TSR_I32}};
  b->hooks->print(b, "%i%i%i ", 7, args, 3);
}

/* Every block from 3 on fails. */
static void fail(rt_block *b) {
  atomic_fetch_add((atomic_int *)(uintptr_t)b->args[0], 1);
  if (b->id[0] >= 3) b->hooks->assert_failed(b, "three is too many", "some:where.mlir:12:34", NULL);
}

/* The bits of 1/3, which depend on the rounding mode. */
static void third(rt_block *b) {
  volatile float one = 1, three = 3;
  ((float *)(uintptr_t)b->args[0])[b->id[0]] = one / three;
}

/* The value of the first global. */
static void global(rt_block *b) {
  memcpy((void *)(uintptr_t)b->args[0], b->globals[0], 8);
}

static void nothing(rt_block *b) {
  (void)b;
}

static const struct {
  const char *name;
  rt_block_fn run;
  size_t scratch;
} kernels[] = {{"saxpy", saxpy, 0},     {"count", count, 0},     {"scratch", scratch, SCRATCH},
               {"print", print, 0},     {"fail", fail, 0},       {"third", third, 0},
               {"global", global, 0},   {"nothing", nothing, 0}, {"position", position, 0},
               {"careful", position, 0}};

static bool compile(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                    cpu_kernel *out) {
  (void)ctx;
  (void)options;
  str name = ir_symbol_name(entry);
  for (size_t i = 0; i < ARRAY_LEN(kernels); i++)
    if (str_is(name, kernels[i].name)) {
      *out = (cpu_kernel){.run = kernels[i].run,
                          .sizes = {.scratch_bytes = kernels[i].scratch},
                          .compile_ms = 1.5,
                          .owner = malloc(1)}; /* to see that it is released */
      return true;
    }
  ir_error(m, entry, "cannot compile '" STR_FMT "'", STR_ARG(name));
  return false;
}

static void release(cpu_kernel *kernel) {
  free(kernel->owner);
}

static bool emit(tsr_context *ctx, ir_module *m, tsr_emit kind, const cpu_options *options,
                 sbuf *out) {
  (void)options;
  if (kind == TSR_EMIT_OBJECT) {
    diag_error(ctx, ir_place(m, m->op->loc), "no objects today");
    return false;
  }
  sbuf_add(out, "code\0with a zero", 16);
  return true;
}

__attribute__((visibility("default"))) const compiler_plugin *tsr_llvm_plugin(void);
const compiler_plugin *tsr_llvm_plugin(void) {
  static const cpu_backend cpu = {.compile = compile, .release = release, .emit = emit};
  static const compiler_plugin plugin = {.build_id = FAKE_BUILD_ID, .cpu = &cpu};
#if defined(FAKE_NEEDS_LLVM)
  fake_llvm();
#endif
  return &plugin;
}
