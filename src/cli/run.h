/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `tessera run` and `tessera debug` share: from a command line to a kernel that is ready to be
 * launched on its buffers. Then run launches it, and debug asks what to do.
 */
#ifndef TSR_CLI_RUN_H
#define TSR_CLI_RUN_H

#include "cli/args.h"
#include "interp/watch.h"

/* A launch that is ready. */
typedef struct run_job {
  tsr_module *module;
  const char *kernel_name;
  tsr_kernel *kernel;
  tsr_grid grid;
  argument_list *arguments;
  const tsr_arg *args;
} run_job;

/* A launch under somebody's eyes: on the interpreter, each instruction goes to `watcher`. */
typedef struct run_plan {
  interp_watcher *watcher;
  int (*launch)(void *user, const run_job *job); /* returns an exit status */
  void *user;
} run_plan;

/* Runs the call in `c` as `plan` says. Returns an exit status. */
int run_planned(cli *c, const run_plan *plan);

#endif
