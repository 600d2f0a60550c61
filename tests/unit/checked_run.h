/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: a PTX file on an emulated device, with all checks on.
 */
#ifndef TESSERA_TESTS_CHECKED_RUN_H
#define TESSERA_TESTS_CHECKED_RUN_H

#include "emu/checks.h"
#include "emu/ptx/image.h"
#include "emu/ptx/tensormap.h"

typedef struct checked_run {
  tsr_context *ctx;
  ptx_module *module;
  emu_device *device;
  ptx_image *image;
  const ptx_function *entry;
  findings found;
  checks *checks;
  emu_watcher watcher;
  emu_launch_options options;
  emu_fault fault;
  uint8_t params[8192];
  unsigned n_params;
} checked_run;

/* Fails the test when the file can't be read. `checked` says whether the checks watch. */
void checked_run_open(checked_run *r, const char *path, bool checked);
/* The same for text. */
void checked_run_open_text(checked_run *r, const char *text, bool checked);
/* ... and an entry of it. */
void checked_run_open_text_entry(checked_run *r, const char *text, const char *entry, bool checked);
void checked_run_close(checked_run *r);
/* The next parameter. */
void checked_run_arg(checked_run *r, const void *value, size_t size);
/* ... a buffer on the host's memory, which stays the caller's; the device's address of it. */
uint64_t checked_run_buffer(checked_run *r, void *host, size_t bytes);
/* ... an int; a tensor map. */
void checked_run_int(checked_run *r, int value);
void checked_run_map(checked_run *r, const tensormap *map);
tsr_status checked_run_launch(checked_run *r, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by);
/* The findings as text; freed with the run. */
const char *checked_run_text(checked_run *r);

#endif
