/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/bench.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tune/search.h"

double clock_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- caches --------------------------------------------------------------------------------- */

enum { LINE = 64, GPU_BYTES = 256 << 20, MOST_BYTES = 1 << 30 };

static size_t bytes_to_walk(const tsr_device *dev) {
  if (dev->kind->streams) return GPU_BYTES;
  long largest = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  largest = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  if (largest < 1 << 20) largest = 32 << 20; /* unknown */
  return (size_t)MIN(2 * largest, (long)MOST_BYTES);
}

/* Unit `first` of 64, on whichever thread. */
static bool walk(void *user, void *scratch, uint64_t first, uint64_t last) {
  stopwatch *w = user;
  (void)scratch;
  size_t piece = w->other_bytes / 64;
  for (size_t at = first * piece; at < last * piece; at += LINE) w->other[at] = w->turn;
  return true;
}

static tsr_status cool(stopwatch *w) {
  w->turn++;
  if (w->other_buffer) return tsr_buffer_write(w->other_buffer, 0, w->other, w->other_bytes);
  if (w->device->pool)
    pool_run(w->device->pool, &(pool_job){.run = walk, .user = w, .total = 64});
  else
    walk(w, NULL, 0, 64);
  return TSR_OK;
}

/* ---- the stopwatch -------------------------------------------------------------------------- */

static void drop(void *user, const char *text, size_t length) {
  (void)user, (void)text, (void)length;
}

static bool open_events(stopwatch *w) {
  if (!w->device->kind->streams) return true;
  w->stream = tsr_stream_create(w->device);
  w->begin = tsr_event_create(w->device);
  w->end = tsr_event_create(w->device);
  return w->stream && w->begin && w->end;
}

static bool open_other(stopwatch *w, bool cold) {
  if (!cold) return true;
  w->other_bytes = bytes_to_walk(w->device);
  w->other = calloc(1, w->other_bytes);
  if (!w->other) rt_error(w->device, "out of memory: %zu bytes to walk through", w->other_bytes);
  if (w->other && w->device->kind->streams)
    w->other_buffer = tsr_buffer_create(w->device, w->other_bytes);
  return w->other && (w->other_buffer || !w->device->kind->streams);
}

const card *bench_card(const tsr_device *dev) {
  return card_named(strstr(dev->kind->name, "sm_9") ? "h100" : "a100");
}

bool stopwatch_open(stopwatch *w, tsr_device *dev, bool cold) {
  *w = (stopwatch){.device = dev, .on_output = dev->on_output};
  dev->on_output = drop;
  if (dev->emu) w->card = bench_card(dev);
  if (w->card) cold = false; /* the estimate knows no caches */
  if (open_events(w) && open_other(w, cold)) return true;
  stopwatch_close(w);
  return false;
}

void stopwatch_close(stopwatch *w) {
  tsr_buffer_destroy(w->other_buffer);
  tsr_event_destroy(w->begin);
  tsr_event_destroy(w->end);
  tsr_stream_destroy(w->stream);
  free(w->other);
  w->device->on_output = w->on_output;
}

static tsr_status launch_once(const stopwatch *w, const bench_launch *l) {
  if (l->call) return l->call(l->user, w->stream);
  return w->stream ? tsr_launch_on(w->stream, l->kernel, l->grid, l->args, l->n_args)
                   : tsr_launch(l->kernel, l->grid, l->args, l->n_args);
}

static tsr_status launch_many(const stopwatch *w, const bench_launch *l, unsigned launches) {
  tsr_status status = TSR_OK;
  for (unsigned i = 0; i < launches && status == TSR_OK; i++) status = launch_once(w, l);
  return status;
}

static tsr_status time_on_device(stopwatch *w, const bench_launch *l, unsigned launches,
                                 double *ms) {
  tsr_status status = tsr_event_record(w->begin, w->stream);
  if (status == TSR_OK) status = launch_many(w, l, launches);
  if (status == TSR_OK) status = tsr_event_record(w->end, w->stream);
  if (status == TSR_OK) status = tsr_event_wait(w->end);
  return status == TSR_OK ? tsr_event_elapsed(w->begin, w->end, ms) : status;
}

static double estimate_of(const stopwatch *w) {
  return MAX(roofline_of(&w->counters.total, w->card).time * 1e3, 1e-6);
}

/* Counts only grow, and with them the estimate. */
static void stop_when_slower(void *user, emu_warp *warp, emu_insn i, emu_lanes lanes,
                             emu_lanes active) {
  enum { OFTEN = 4096 };
  stopwatch *w = user;
  (void)i, (void)lanes, (void)active;
  if (w->counters.total.warps % OFTEN || w->gave_up) return;
  w->gave_up = estimate_of(w) > w->most_ms;
  if (w->gave_up) warp->block->grid->stop = 1;
}

static tsr_status estimate(stopwatch *w, const bench_launch *l, double *ms) {
  tsr_device *dev = w->device;
  const emu_watcher *before = dev->emu_watcher;
  w->counters = (counters){0};
  w->gave_up = false;
  w->limiter = (emu_watcher){.user = w, .executed = stop_when_slower};
  counters_watch(&w->counters, w->most_ms > 0 ? &w->limiter : NULL, &w->watcher);
  dev->emu_watcher = &w->watcher;
  tsr_status status = launch_once(w, l);
  dev->emu_watcher = before;
  *ms = estimate_of(w);
  counters_free(&w->counters);
  return status;
}

tsr_status stopwatch_time(stopwatch *w, const bench_launch *l, unsigned launches, double *ms) {
  if (w->card) return estimate(w, l, ms);
  tsr_status status = w->other ? cool(w) : TSR_OK;
  if (status != TSR_OK) return status;
  double start = clock_ms();
  if (w->stream) {
    status = time_on_device(w, l, launches, ms);
  } else {
    status = launch_many(w, l, launches);
    *ms = clock_ms() - start;
  }
  *ms = MAX(*ms, 1e-6) / launches;
  return status;
}

unsigned stopwatch_launches(const stopwatch *w, double ms) {
  const double enough = 0.2;
  if (w->card || w->other || ms >= enough) return 1;
  return (unsigned)MIN(enough / MAX(ms, 1e-4) + 1, 1000.0);
}

/* ---- tsr_bench ------------------------------------------------------------------------------ */

enum { MOST_SAMPLES = 100000 };

static bool read_options(tsr_context *ctx, const tsr_bench_options *given, tsr_bench_options *out) {
  *out = (tsr_bench_options){.struct_size = sizeof *out};
  if (given && !struct_take(out, sizeof *out, given, offsetof(tsr_bench_options, cold))) {
    diag_error(ctx, NOWHERE,
               "tsr_bench_options.struct_size is %zu: set it to sizeof(tsr_bench_options)",
               given->struct_size);
    return false;
  }
  if (!(out->warm_up_ms > 0)) out->warm_up_ms = 25;
  if (!(out->measure_ms > 0)) out->measure_ms = 100;
  if (!out->min_launches) out->min_launches = 5;
  if (!out->max_launches) out->max_launches = 1000;
  out->max_launches = MIN(out->max_launches, (unsigned)MOST_SAMPLES);
  out->min_launches = MIN(out->min_launches, out->max_launches);
  return true;
}

/* Launches for a while; the last says about how long one takes. */
static tsr_status warm_up(stopwatch *w, const bench_launch *l, const tsr_bench_options *o,
                          double *ms) {
  double start = clock_ms();
  tsr_status status;
  do status = stopwatch_time(w, l, 1, ms);
  while (status == TSR_OK && clock_ms() - start < o->warm_up_ms);
  return status;
}

static void summarise(double *samples, unsigned n, tsr_bench_result *r) {
  search_sort(samples, n);
  double sum = 0;
  for (unsigned i = 0; i < n; i++) sum += samples[i];
  *r = (tsr_bench_result){.median_ms = search_quantile(samples, n, 0.5),
                          .mean_ms = sum / n,
                          .min_ms = samples[0],
                          .max_ms = samples[n - 1],
                          .p20_ms = search_quantile(samples, n, 0.2),
                          .p80_ms = search_quantile(samples, n, 0.8),
                          .samples = n};
}

static void give_result(const tsr_bench_options *o, double *samples, unsigned n, unsigned launches,
                        tsr_bench_result *result) {
  summarise(samples, n, result);
  result->launches = launches;
  if (o->samples) memcpy(o->samples, samples, MIN(o->capacity, (size_t)n) * sizeof *samples);
  for (size_t i = 0; i < o->n_quantiles; i++)
    o->quantile_ms[i] = search_quantile(samples, n, o->quantiles[i]);
}

/* It is the same each time. */
static tsr_status measure_estimate(stopwatch *w, const bench_launch *l, const tsr_bench_options *o,
                                   double *samples, tsr_bench_result *result) {
  tsr_status status = stopwatch_time(w, l, 1, samples);
  if (status == TSR_OK) give_result(o, samples, 1, 1, result);
  return status;
}

static tsr_status measure(stopwatch *w, const bench_launch *l, const tsr_bench_options *o,
                          double *samples, tsr_bench_result *result) {
  double ms;
  if (w->card) return measure_estimate(w, l, o, samples, result);
  tsr_status status = warm_up(w, l, o, &ms);
  unsigned each = stopwatch_launches(w, ms), n = 0;
  unsigned most = MAX(o->max_launches / each, o->min_launches);
  double start = clock_ms();
  while (status == TSR_OK && n < most &&
         (n < o->min_launches || clock_ms() - start < o->measure_ms))
    status = stopwatch_time(w, l, each, &samples[n++]);
  if (status != TSR_OK) return status;
  give_result(o, samples, n, n * each, result);
  return TSR_OK;
}

static bool check_quantiles(const tsr_bench_options *o) {
  bool good = !o->n_quantiles || (o->quantiles && o->quantile_ms);
  for (size_t i = 0; good && i < o->n_quantiles; i++)
    good = o->quantiles[i] >= 0 && o->quantiles[i] <= 1;
  return good;
}

static tsr_status bench(tsr_device *dev, const char *caller, const bench_launch *l,
                        const tsr_bench_options *options, tsr_bench_result *result) {
  tsr_bench_options complete;
  if (!result) {
    rt_error(dev, "%s: no place for the result", caller);
    return TSR_ERROR_USAGE;
  }
  if (!read_options(dev->ctx, options, &complete)) return TSR_ERROR_USAGE;
  if (!check_quantiles(&complete)) {
    rt_error(dev, "%s: quantiles are numbers from 0 to 1, with a place for each", caller);
    return TSR_ERROR_USAGE;
  }
  stopwatch w;
  if (!stopwatch_open(&w, dev, complete.cold)) return TSR_ERROR_MEMORY;
  double *samples = malloc(complete.max_launches * sizeof *samples);
  tsr_status status = TSR_ERROR_MEMORY;
  if (samples)
    status = measure(&w, l, &complete, samples, result);
  else
    rt_error(dev, "out of memory");
  free(samples);
  stopwatch_close(&w);
  return status;
}

tsr_status tsr_bench(tsr_kernel *k, tsr_grid grid, const tsr_arg *args, size_t n_args,
                     const tsr_bench_options *options, tsr_bench_result *result) {
  if (!k) return TSR_ERROR_USAGE;
  const bench_launch l = {.kernel = k, .grid = grid, .args = args, .n_args = n_args};
  return bench(k->program->device, "tsr_bench", &l, options, result);
}

tsr_status tsr_bench_calls(tsr_device *dev, tsr_bench_call call, void *user,
                           const tsr_bench_options *options, tsr_bench_result *result) {
  if (!dev) return TSR_ERROR_USAGE;
  if (!call) {
    rt_error(dev, "tsr_bench_calls: no function");
    return TSR_ERROR_USAGE;
  }
  return bench(dev, "tsr_bench_calls", &(bench_launch){.call = call, .user = user}, options,
               result);
}
