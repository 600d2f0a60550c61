/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A code object of tests/amdgcn/kernels on the emulator: its buffers, its launch, its findings.
 */
#ifndef TSR_TESTS_AMDGCN_JOB_H
#define TSR_TESTS_AMDGCN_JOB_H

#include "emu/amdgcn/image.h"
#include "emu/checks.h"

enum { JOB_BUFFERS = 6, JOB_PARAMS = 256 };

/* An object that is loaded on a device of its own. */
typedef struct amdgcn_object {
  tsr_context *ctx;
  arena arena;
  emu_device *device;
  hsa_object object;
  gcn_image *image;
  char messages[4096]; /* that were reported */
} amdgcn_object;

/* Loads the object of a file of kernels ("elements"), which CMake has assembled, for executing;
 * fails the test when that can't be done. */
void object_open(amdgcn_object *o, const char *name);
/* The same of bytes; false after a message. */
bool object_read(amdgcn_object *o, const char *name, str bytes);
void object_close(amdgcn_object *o);
/* The bytes of such a file, in the object's arena. */
str object_bytes(amdgcn_object *o, const char *name);

/* A launch: arguments in their order, and what buffers must hold after it. */
typedef struct amdgcn_job {
  amdgcn_object *o;
  const hsa_kernel *kernel;
  emu_launch_options options;
  uint32_t n_buffers, n_args;
  uint8_t *data[JOB_BUFFERS], *want[JOB_BUFFERS];
  size_t bytes[JOB_BUFFERS];
  uint64_t address[JOB_BUFFERS];
  uint8_t params[JOB_PARAMS];
  findings found; /* of the last checked launch */
  emu_fault fault;
  /* Told of each instruction of checked launches; or NULL (emu_watcher.executed). */
  void (*executed)(void *user, emu_warp *w, emu_insn i, emu_lanes lanes, emu_lanes active);
} amdgcn_job;

void job_begin(amdgcn_job *j, amdgcn_object *o, const char *kernel, uint32_t grid, uint32_t block);
void job_end(amdgcn_job *j);
/* The next argument: a buffer of zeroes; its memory. Or a number. */
void *job_buffer(amdgcn_job *j, size_t bytes);
void job_number(amdgcn_job *j, const void *value, size_t bytes);
/* What the buffer holds is what it must hold unless told otherwise: to be called when all is
 * filled. */
void job_filled(amdgcn_job *j);
/* Runs it on what the buffers held when job_filled was called. */
tsr_status job_run(amdgcn_job *j, bool checked);
/* What a buffer holds on the device. */
uint8_t *job_result(const amdgcn_job *j, uint32_t buffer);

#endif
