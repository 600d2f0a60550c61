/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Times by events of the device. Before each launch memory larger than the L2 cache is written, so
 * that the operands come from where they would in a program.
 */
#include "gpu/gpu_check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 200 };

typedef bool (*work_fn)(gpu *g, const test_case *c);

static int compare_floats(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* One run, in microseconds; negative after a message. */
static float time_once(gpu *g, const test_case *c, work_fn work) {
  float ms = 0;
  const card_calls *d = g->d;
  if (!gpu_ok(g, d->fill_on(g->flush, 1, g->flush_bytes, g->stream), "flushing the cache") ||
      !gpu_ok(g, d->event_record(g->begin, g->stream), "an event"))
    return -1;
  if (!work(g, c)) return -1;
  if (!gpu_ok(g, d->event_record(g->end, g->stream), "an event") ||
      !gpu_ok(g, d->event_synchronize(g->end), "running") ||
      !gpu_ok(g, d->event_elapsed(&ms, g->begin, g->end), "the time"))
    return -1;
  return ms * 1e3f;
}

/* The median of about half a second of runs, after some that are not counted. 0 after a message. */
static double time_runs(gpu *g, const test_case *c, work_fn work, bool quick) {
  enum { WARM = 3 };
  static float us[MOST_RUNS];
  float first = 0;
  for (unsigned i = 0; i < (quick ? 1 : WARM); i++)
    if ((first = time_once(g, c, work)) < 0) return 0;
  double wanted = 0.5e6 / ((double)first + 100);
  unsigned n = quick ? 2 : wanted > MOST_RUNS ? MOST_RUNS : wanted < 10 ? 10 : (unsigned)wanted;
  for (unsigned i = 0; i < n; i++)
    if ((us[i] = time_once(g, c, work)) < 0) return 0;
  qsort(us, n, sizeof *us, compare_floats);
  double median = (double)(us[n / 2] + us[(n - 1) / 2]) / 2;
  return median > 0 ? median : 1e-3;
}

static bool run_case(gpu *g, const test_case *c) {
  return case_launch(g, c);
}

static bool run_cublas(gpu *g, const test_case *c) {
  const param *a = &c->params[c->shape[3]], *b = &c->params[c->shape[4]];
  return cublas_multiply(g, c->cublas, c->shape[0], c->shape[1], c->shape[2], a->address,
                         b->address, c->params[c->n_params].address);
}

/* Beside cuBLAS on operands of its own when the kernel's have another type (weights of 4 bits). */
static double time_cublas(gpu *g, const test_case *given, bool quick) {
  test_case c = *given;
  size_t m = (size_t)c.shape[0], n = (size_t)c.shape[1], k = (size_t)c.shape[2];
  const char *elem = strcmp(c.cublas, "fp8") == 0 ? "f8E4M3FN" : c.cublas;
  size_t size = elem_bytes(elem);
  param *a = &c.params[c.shape[3]], *b = &c.params[c.shape[4]], *out = &c.params[c.n_params];
  cu_address own = 0;
  double us = 0;
  if (c.n_params == MAX_PARAMS || !size || a->bytes < m * k * size) return 0;
  if (!gpu_ok(g, g->d->alloc(&out->address, m * n * 4), "memory")) return 0;
  bool good = true;
  if (b->bytes < k * n * size) {
    void *host = malloc(k * n * size);
    good = host && gpu_ok(g, g->d->alloc(&own, k * n * size), "memory");
    if (good) elem_random(elem, host, k * n, 1, 9);
    good = good && gpu_ok(g, g->d->to_device_on(own, host, k * n * size, g->stream), "contents") &&
           gpu_ok(g, g->d->stream_synchronize(g->stream), "contents");
    free(host);
    b->address = own;
  }
  if (good && run_cublas(g, &c)) us = time_runs(g, &c, run_cublas, quick);
  if (own) g->d->free(own);
  g->d->free(out->address);
  return us;
}

bool measure(gpu *g, const test_case *c, bool quick, timing *out) {
  *out = (timing){.us = time_runs(g, c, run_case, quick)};
  if (out->us > 0 && c->cublas[0]) out->cublas_us = time_cublas(g, c, quick);
  return out->us > 0;
}

static bool run_copy(gpu *g, const test_case *c) {
  return gpu_ok(
      g, g->copy_on(c->params[0].address, c->params[1].address, c->params[0].bytes, g->stream),
      "copying");
}

double measure_copy(gpu *g, bool quick) {
  static test_case c;
  double us = 0;
  size_t bytes = quick ? 1 << 20 : (size_t)1 << 30;
  c.params[0].bytes = bytes;
  if (gpu_ok(g, g->d->alloc(&c.params[0].address, bytes), "memory") &&
      gpu_ok(g, g->d->alloc(&c.params[1].address, bytes), "memory"))
    us = time_runs(g, &c, run_copy, quick);
  g->d->free(c.params[0].address);
  g->d->free(c.params[1].address);
  return us > 0 ? 2 * (double)bytes / us * 1e6 : 0;
}
