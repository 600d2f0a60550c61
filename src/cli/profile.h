/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `tessera run --profile`: how long each part of a kernel takes, beside its roofline.
 *
 * The kernel is compiled to measure itself (cpu/nest/profile.c). What this machine can do is
 * measured as well, right after it and with the same threads (roofs.h). A part's roofline is the
 * larger of the time that its bytes and the time that its operations would take at those rates.
 */
#ifndef TSR_CLI_PROFILE_H
#define TSR_CLI_PROFILE_H

#include "cli/run.h"

typedef struct profile_count {
  uint64_t ticks, runs, absent_bytes, absent_flops;
} profile_count;

/* A launch of a kernel that measures itself. */
typedef struct profile_job {
  tsr_device *device;
  const tsr_kernel *kernel;
  tsr_grid grid;
  unsigned threads;
  double seconds;        /* it took so long, */
  uint64_t ticks;        /* which was so many of cpu_ticks, */
  profile_count *counts; /* and each group so many, in the kernel's order */
} profile_job;

/* Before a launch: sets the kernel's counters to zero. */
void profile_reset(const profile_job *job);
/* After it: keeps what they say. */
void profile_keep(cli *c, profile_job *job, double seconds, uint64_t ticks);

/* Prints the table (--json: an object) and, with a path that isn't empty, draws the picture.
 * Returns an exit status. */
int profile_show(cli *c, const profile_job *job, const char *svg_path);

#endif
