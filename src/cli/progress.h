/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line on the terminal that says that something is going on, shown when it takes longer than a
 * second and wiped off when it ends. Nothing happens when standard error is no terminal.
 */
#ifndef TSR_CLI_PROGRESS_H
#define TSR_CLI_PROGRESS_H

#include <pthread.h>

#include "cli/cli.h"
#include "rt/rt.h"

typedef struct progress {
  bool active; /* the thread runs */
  bool stop, paused, shown;
  unsigned done, total; /* launches; total 0: not counted */
  rt_progress blocks;   /* of the launch, where the device tells it */
  const char *what;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
} progress;

/* `what` must stay: "running @gemm". */
void progress_start(progress *p, const cli *c, const char *what);
/* Says how far it is, and continues after a pause. */
void progress_count(progress *p, unsigned done, unsigned total);
/* Wipes the line for a piece of other output; it comes back a moment later. */
void progress_wipe(progress *p);
/* Wipes the line until progress_count, for output that takes long. */
void progress_pause(progress *p);
void progress_stop(progress *p);

#endif
