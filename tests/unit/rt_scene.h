/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests of the runtime: one program on one device, and the plugin that knows a few kernels by
 * name (plugin/fake.c).
 */
#ifndef TSR_TESTS_RT_SCENE_H
#define TSR_TESTS_RT_SCENE_H

#include "ir/ir.h"
#include "rt_support.h"

/* One program on one device. */
typedef struct scene {
  world w;
  char output[4096];
  size_t used;
  tsr_module *module;
  tsr_device *dev;
  tsr_program *program;
} scene;

static void collect_output(void *user, const char *text, size_t length) {
  scene *s = user;
  size_t n = length < sizeof s->output - 1 - s->used ? length : sizeof s->output - 1 - s->used;
  memcpy(s->output + s->used, text, n);
  s->used += n;
  s->output[s->used] = 0;
}

static void use_plugin(const char *kind) {
  char path[4096];
  snprintf(path, sizeof path, FAKE_PLUGINS "/%s.so", kind);
  setenv("TESSERA_LLVM_PLUGIN", path, 1);
}

/* Takes over the module. */
static void scene_open(scene *s, const char *device, tsr_module *(*make)(tsr_context *),
                       tsr_device_options options) {
  memset(s, 0, sizeof *s);
  world_open(&s->w);
  use_plugin("good");
  setenv("TESSERA_CACHE", "off", 1); /* its kernels are no objects */
  s->module = make(s->w.ctx);
  assert_non_null(s->module);
  options.struct_size = sizeof options;
  options.on_output = collect_output;
  options.output_user = s;
  s->dev = tsr_device_open(s->w.ctx, device, &options);
  assert_non_null(s->dev);
  s->program = tsr_program_create(s->dev, s->module);
  assert_non_null(s->program);
}

static void scene_close(scene *s) {
  tsr_program_destroy(s->program);
  tsr_device_close(s->dev);
  ir_module_destroy(s->module);
  world_close(&s->w);
}

/* Kernels of the fake plugin that take one pointer; they do nothing when interpreted. */
static tsr_module *build_named(tsr_context *ctx) {
  static const char *const names[] = {"count", "scratch", "print",   "fail",
                                      "third", "global",  "nothing", "unknown"};
  tsr_builder *b = tsr_builder_create(ctx, "named");
  static const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  tsr_build_global(b, "table", tsr_type_tile(b, TSR_I8, TSR_INTS(8)), bytes, sizeof bytes, 4096);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    tsr_build_entry(b, names[i], TSR_TYPES(tsr_type_pointer(b, TSR_I32)));
    tsr_build_end(b);
  }
  return tsr_builder_finish(b);
}

static tsr_status launch(scene *s, const char *kernel, tsr_grid grid, void *pointer) {
  tsr_kernel *k = tsr_kernel_get(s->program, kernel);
  assert_non_null(k);
  tsr_arg args[] = {tsr_arg_address(pointer)};
  return tsr_launch(k, grid, args, 1);
}

#endif
