/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For the tests of the PTX emulator: runs PTX text and gives back memory, faults, messages.
 */
#ifndef TSR_TESTS_PTX_RUN_H
#define TSR_TESTS_PTX_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emu/ptx/image.h"
#include "real_card.h"

typedef struct ptx_world {
  tsr_context *ctx;
  char messages[8192]; /* "3:7: expected …\n" for each diagnostic */
  emu_device *device;
  ptx_module *module;
  ptx_image *image;
  emu_fault fault;
  char output[4096]; /* of vprintf */
} ptx_world;

static inline void ptx_note(void *user, const tsr_diagnostic *d) {
  ptx_world *w = user;
  size_t n = strlen(w->messages);
  snprintf(w->messages + n, sizeof w->messages - n, "%u:%u: %s\n", d->line, d->column, d->message);
}

static inline void ptx_print(void *user, const char *text, size_t length) {
  ptx_world *w = user;
  size_t n = strlen(w->output);
  snprintf(w->output + n, sizeof w->output - n, "%.*s", (int)length, text);
}

static inline void ptx_world_open(ptx_world *w) {
  *w = (ptx_world){0};
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = ptx_note, .diagnostic_user = w, .error_limit = 0};
  w->ctx = tsr_context_create(&o);
  assert_non_null(w->ctx);
}

static inline void ptx_world_close(ptx_world *w) {
  ptx_image_unload(w->image);
  ptx_module_destroy(w->module);
  emu_device_destroy(w->device);
  tsr_context_destroy(w->ctx);
}

/* Reads a whole module; the test fails when that fails. */
static inline void ptx_load(ptx_world *w, const char *text) {
  w->module = ptx_parse(w->ctx, "test.ptx", str_of(text));
  if (!w->module) fail_msg("%s\n%s", w->messages, text);
  w->device = real_card_device(emu_device_info_for(w->module->target));
  assert_non_null(w->device);
  w->image = ptx_image_load(w->device, w->module);
  if (!w->image) fail_msg("%s", w->messages);
}

/* Runs an entry whose parameters are addresses or numbers of 64 bits. */
static inline tsr_status ptx_launch(ptx_world *w, const char *entry, const uint64_t *params,
                                    emu_launch_options o) {
  const ptx_function *f = ptx_find_entry(w->module, entry);
  assert_non_null(f);
  for (int k = 0; k < 3; k++) {
    if (!o.grid[k]) o.grid[k] = 1;
    if (!o.block[k]) o.block[k] = 1;
  }
  o.params = params;
  o.on_output = ptx_print;
  o.output_user = w;
  return real_card_run(w->image, f, &o, &w->fault);
}

/* The host's view of device memory. */
static inline void *ptx_host(ptx_world *w, uint64_t address) {
  return emu_find(w->device, address)->host;
}

/* A file of tests/ptx; the caller frees it. */
static inline char *ptx_file(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/ptx/%s", TESSERA_SOURCE_DIR, name);
  FILE *f = fopen(path, "rb");
  if (!f) fail_msg("cannot open %s", path);
  char *text = calloc(1, 1 << 20);
  size_t n = fread(text, 1, (1 << 20) - 1, f);
  text[n] = 0;
  fclose(f);
  return text;
}

#endif
