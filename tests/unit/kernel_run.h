/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: runs a kernel of kernels/ on one engine after the other.
 *
 *   run r;
 *   start(&r, on, "vector", "add_f32");
 *   GIVE(&r, x);
 *   give_i32(&r, n);
 *   finish(&r, blocks, 1, 1);
 *
 * All functions are static: this header is the whole helper.
 */
#ifndef TSR_TESTS_KERNEL_RUN_H
#define TSR_TESTS_KERNEL_RUN_H

#include <math.h>

#include "cpu_extensions.h"
#include "real_card.h"
#include "rt_support.h"

enum { MAX_ARGS = 16 };

/* ---- running -------------------------------------------------------------------------------- */

typedef struct engine {
  const char *name, *target, *level;
} engine;

static engine engines[] = {{"interp", "interp", NULL},
                           {"cpu baseline", "cpu", "baseline"},
                           {"cpu avx2", "cpu", "avx2"},
                           {"cpu avx512", "cpu", "avx512"},
                           {NULL},
                           {NULL}};

/* The emulated cards that TESSERA_TEST_CARDS names take the place of the CPU. Returns how many
 * engines there are then; 0: it names none. */
__attribute__((unused)) static unsigned card_engines(void) {
  static const engine cards[] = {{"sm_80", "emu:sm_80", NULL},
                                 {"sm_90a", "emu:sm_90a", NULL},
                                 {"gfx90a", "emu:gfx90a", NULL},
                                 {"gfx942", "emu:gfx942", NULL},
                                 {"gfx950", "emu:gfx950", NULL}};
  const char *names = getenv("TESSERA_TEST_CARDS");
  unsigned n = 1;
  for (size_t i = 0; names && i < sizeof cards / sizeof *cards; i++)
    if (strstr(names, cards[i].name)) engines[n++] = cards[i];
  return n > 1 ? n : 0;
}

/* One kernel on one engine: arguments are given one by one, then it runs. */
typedef struct run {
  world w;
  const engine *on;
  tsr_module *module;
  tsr_device *device;
  tsr_program *program;
  tsr_kernel *kernel;
  tsr_buffer *buffers[MAX_ARGS];
  tsr_arg args[MAX_ARGS];
  unsigned n;
} run;

__attribute__((unused)) static unsigned n_engines(void) {
  const char *plugin = getenv("TESSERA_LLVM_PLUGIN");
  if (!plugin || !*plugin) return 1; /* built without LLVM */
  unsigned cards = card_engines();
  if (cards) return cards;
  return 2 + cpu_has_level(CPU_AVX2) + cpu_has_level(CPU_AVX512);
}

__attribute__((unused)) static void start(run *r, const engine *on, const char *file,
                                          const char *kernel) {
  memset(r, 0, sizeof *r);
  world_open(&r->w);
  r->on = on;
  char path[256];
  snprintf(path, sizeof path, "kernels/%s.mlir", file);
  r->module = tsr_module_load(r->w.ctx, path, TSR_PARSE_DEFAULT);
  tsr_device_options options = {.struct_size = sizeof options, .cpu = on->level, .cache_dir = ""};
  r->device = tsr_device_open(r->w.ctx, real_card_name(on->target), &options);
  r->program = tsr_program_create(r->device, r->module);
  r->kernel = tsr_kernel_get(r->program, kernel);
  if (!r->kernel) fail_msg("%s of %s on %s: %s", kernel, file, on->name, r->w.messages);
}

__attribute__((unused)) static void give(run *r, void *data, size_t bytes) {
  r->buffers[r->n] = tsr_buffer_wrap(r->device, data, bytes);
  r->args[r->n] = tsr_arg_buffer(r->buffers[r->n]);
  r->n++;
}
__attribute__((unused)) static void give_i32(run *r, int32_t value) {
  r->args[r->n++] = tsr_arg_i32(value);
}
__attribute__((unused)) static void give_i64(run *r, int64_t value) {
  r->args[r->n++] = tsr_arg_i64(value);
}
__attribute__((unused)) static void give_f32(run *r, float value) {
  r->args[r->n++] = tsr_arg_f32(value);
}
#define GIVE(r, array) give((r), (array), sizeof(array))

__attribute__((unused)) static void finish(run *r, uint32_t x, uint32_t y, uint32_t z) {
  if (tsr_launch(r->kernel, (tsr_grid){x, y, z}, r->args, r->n) != TSR_OK)
    fail_msg("%s on %s: %s", tsr_kernel_name(r->kernel), r->on->name, r->w.messages);
  for (unsigned i = 0; i < r->n; i++) tsr_buffer_destroy(r->buffers[i]);
  tsr_program_destroy(r->program);
  tsr_device_close(r->device);
  tsr_module_destroy(r->module);
  expect_quiet(&r->w);
  world_close(&r->w);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static uint32_t seed;

__attribute__((unused)) static float random_float(void) {
  seed = seed * 1664525 + 1013904223;
  return (float)(seed >> 8) / (float)(1 << 23) - 1; /* from -1 to 1 */
}

__attribute__((unused)) static void fill(float *x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = random_float();
}

__attribute__((unused)) static uint32_t up(uint32_t n, uint32_t each) {
  return (n + each - 1) / each;
}

__attribute__((unused)) static void compare(const run *r, const char *what, const float *got,
                                            const double *expected, size_t n, double tolerance) {
  for (size_t i = 0; i < n; i++) {
    double scale = 1 + fabs(expected[i]);
    if (fabs((double)got[i] - expected[i]) <= tolerance * scale) continue;
    fail_msg("%s on %s: element %zu of %zu is %.9g, not %.9g", what, r->on->name, i, n,
             (double)got[i], expected[i]);
  }
}

/* Runs `test` on each engine, with the same numbers. */
__attribute__((unused)) static void on_all(void (*test)(const engine *on)) {
  for (unsigned e = 0; e < n_engines(); e++) {
    seed = 12345;
    test(&engines[e]);
  }
}

__attribute__((unused)) static uint16_t to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__attribute__((unused)) static float from_bf16(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

#endif
