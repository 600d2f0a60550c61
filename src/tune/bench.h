/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bench: how long launches take. On emulators it is an estimate: the least time that a card of that
 * kind needs for what the counters have counted (emu/counters.h). It is the same each time.
 */
#ifndef TSR_TUNE_BENCH_H
#define TSR_TUNE_BENCH_H

#include <tessera/tune.h>

#include "emu/counters.h"
#include "rt/rt.h"

/* A launch of a kernel, or with `call` whatever that does. */
typedef struct bench_launch {
  tsr_kernel *kernel;
  tsr_grid grid;
  const tsr_arg *args;
  size_t n_args;
  tsr_bench_call call;
  void *user;
} bench_launch;

/* Measures on one device, whose output it drops meanwhile. */
typedef struct stopwatch {
  tsr_device *device;
  tsr_stream *stream; /* NULL: by the clock of the host */
  tsr_event *begin, *end;
  unsigned char *other; /* memory to walk through before a launch; NULL: not cold */
  size_t other_bytes;
  tsr_buffer *other_buffer; /* on devices with memory of their own */
  unsigned char turn;
  /* On emulators: the card of the estimate, and what counts. */
  const card *card; /* NULL: launches are timed */
  counters counters;
  emu_watcher watcher, limiter;
  double most_ms; /* a launch whose estimate goes beyond that is given up; 0: none is */
  bool gave_up;   /* the last one */
  void (*on_output)(void *user, const char *text, size_t length); /* the device's own */
} stopwatch;

/* Reports and returns false; there is nothing to close then. */
bool stopwatch_open(stopwatch *w, tsr_device *dev, bool cold);
void stopwatch_close(stopwatch *w);

/* One measurement: what one of `launches` takes, which follow each other. */
tsr_status stopwatch_time(stopwatch *w, const bench_launch *l, unsigned launches, double *ms);
/* How many launches of `ms` a measurement needs, to be long for the clock. */
unsigned stopwatch_launches(const stopwatch *w, double ms);

/* The card of an emulator's estimates: one of the emulated card's generation. */
const card *bench_card(const tsr_device *dev);

double clock_ms(void);

#endif
