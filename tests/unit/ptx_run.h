/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: a PTX file on an emulated device, with all checks on.
 */
#ifndef TESSERA_TESTS_PTX_RUN_H
#define TESSERA_TESTS_PTX_RUN_H

#include "ptxemu/checks.h"
#include "ptxemu/tensormap.h"

typedef struct ptx_run {
  tsr_context *ctx;
  ptx_module *module;
  emu_device *device;
  emu_image *image;
  const ptx_function *entry;
  findings found;
  checks *checks;
  emu_watcher watcher;
  emu_launch_options options;
  emu_fault fault;
  uint8_t params[8192];
  unsigned n_params;
} ptx_run;

/* Fails the test when the file can't be read. `checked` says whether the checks watch. */
void ptx_run_open(ptx_run *r, const char *path, bool checked);
void ptx_run_close(ptx_run *r);
/* The next parameter. */
void ptx_run_arg(ptx_run *r, const void *value, size_t size);
/* ... a buffer on the host's memory, which stays the caller's; the device's address of it. */
uint64_t ptx_run_buffer(ptx_run *r, void *host, size_t bytes);
/* ... an int; a tensor map. */
void ptx_run_int(ptx_run *r, int value);
void ptx_run_map(ptx_run *r, const tensormap *map);
tsr_status ptx_run_launch(ptx_run *r, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by);
/* The findings as text; freed with the run. */
const char *ptx_run_text(ptx_run *r);

#endif
