/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `tessera run --ranks`: several ranks of one kernel. Started by mpirun, this process is one of
 * them, and its buffers are symmetric memory; otherwise all are executed in this process, by the
 * interpreter, in one launch.
 */
#ifndef TSR_CLI_RUN_RANKS_H
#define TSR_CLI_RUN_RANKS_H

#include <tessera/ranks.h>

#include "cli/outputs.h"

/* What one rank has in this process. */
typedef struct rank_part {
  argument_list arguments;
  outputs outputs;
  tsr_program *program;
  tsr_kernel *kernel;
  const tsr_arg *args;
} rank_part;

typedef struct rank_run {
  cli *c;
  unsigned ranks, rank; /* 0: no ranks; the rank of the first part */
  tsr_ranks *all;       /* by mpirun; NULL: in this process */
  rank_part *parts;
  unsigned n_parts;
  tsr_symmetric **memory; /* by mpirun: of each argument; NULL: it has none */
} rank_run;

/* Reads --ranks, and joins the others. Returns an exit status; leaves `ranks` 0 without the option.
 */
int rank_run_begin(cli *c, rank_run *r, const char *target);
/* The other ranks' arguments and outputs, after those of the first have been matched. */
int rank_run_match(rank_run *r, const argument_list *first);
/* Their kernels; `first` is the first rank's. */
int rank_run_compile(rank_run *r, tsr_device *device, tsr_module *module, tsr_kernel *first);
/* Their buffers, after those of the first have been loaded; then what ranks have of each other. */
int rank_run_load(rank_run *r, argument_list *first, tsr_device *device, uint64_t seed);
tsr_status rank_run_launch(rank_run *r, tsr_kernel *first, tsr_grid grid, const tsr_arg *args,
                           size_t count);
/* Saves and prints what the ranks have, one rank after the other. False after a message. */
bool rank_run_show(rank_run *r, const outputs *first);
/* Before the device is closed. */
void rank_run_end(rank_run *r, argument_list *first);

#endif
