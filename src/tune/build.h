/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * build: candidates made from their texts by several threads, each of which has a context of its
 * own. For "cpu" that gives their machine code, for GPUs their PTX and what they need of a
 * multiprocessor; for other devices they are only read and checked. Candidates with the same hash
 * do the same in the same way. What a launch of each has to do is counted (work.h).
 */
#ifndef TSR_TUNE_BUILD_H
#define TSR_TUNE_BUILD_H

#include "rt/ready.h"
#include "tune/work.h"

enum { BUILD_PROBLEM = 320 };

typedef struct build_item {
  str text; /* of the module; empty: there is nothing to build */
  const char *name;
  const tsr_arg *args; /* that it is launched with; NULL: unknown */
  size_t n_args;
  tsr_grid grid;
  bool built;
  uint64_t hash;
  rt_ready ready;            /* without code: the device that launches makes it */
  ready_resources resources; /* on GPUs */
  launch_work work;          /* all 0: unknown */
  char problem[BUILD_PROBLEM];
} build_item;

typedef struct build_worker build_worker;

typedef struct build_job {
  const tsr_device *device;
  const char *kernel; /* NULL: the only one */
  unsigned flags;     /* of tsr_parse_flags */
  unsigned level;
  build_item *items;
  size_t count;
  unsigned threads;
  /* Called by the thread that called build_run, now and then; false: no more is begun. */
  bool (*go_on)(void *user, size_t done);
  void *user;
  build_worker *workers; /* who have the code */
} build_job;

/* Reports when not one thread can be started. */
bool build_run(build_job *job);
/* The code of the items goes with it. */
void build_close(build_job *job);

/* Keeps the first error of a context; what tsr_context_options.on_diagnostic is. */
void build_keep_problem(void *problem, const tsr_diagnostic *d);

#endif
