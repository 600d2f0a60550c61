/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The device "interp": the reference interpreter, one tile block after the other, in any order.
 */
#include <stdio.h>
#include <time.h>

#include "rt/rt.h"

static bool interp_open(tsr_device *dev, const tsr_device_options *options) {
  (void)dev;
  (void)options; /* the order is every device's */
  return true;
}

static void interp_close(tsr_device *dev) {
  (void)dev;
}

static size_t interp_describe(char *out, size_t size) {
  return (size_t)snprintf(out, size,
                          "reference interpreter, exact in every element type and "
                          "rounding mode, 1 thread");
}

/* Who looks at the instructions must be known when they are made. */
static bool is_watched(const tsr_device *dev) {
  return dev->sanitize.checks || dev->watcher;
}

static bool interp_prepare_kernel(tsr_kernel *k) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  k->interp = is_watched(k->program->device) ? interp_prepare_watched(k->program->module, k->entry)
                                             : interp_prepare(k->program->module, k->entry);
  clock_gettime(CLOCK_MONOTONIC, &end);
  k->compile_ms =
      (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) * 1e-6;
  return k->interp != NULL;
}

static void interp_release_kernel(tsr_kernel *k) {
  interp_destroy(k->interp);
}

/* Executes tile blocks until something says stop: the launch, or what looks at it. */
static void run_blocks(rt_launch_state *l, interp_watcher *watcher, const sanitizer *s) {
  interp_program *p = l->kernel->interp;
  rt_block block = rt_block_for(l, NULL);
  for (uint64_t i = 0; i < l->total; i++) {
    if (atomic_load_explicit(&l->stop, memory_order_relaxed)) return;
    if (s && sanitizer_stopped(s)) return;
    order_block(&l->device->order, l->grid, l->total, i, block.id);
    bool done = watcher ? interp_run_watched(p, &block, watcher) : interp_run_block(p, &block);
    if (done) continue;
    rt_fail(l, TSR_ERROR_MEMORY); /* it has said so, unless a trap made it give up */
    return;
  }
}

/* ---- the sanitizer -------------------------------------------------------------------------- */

static void run_sanitized(rt_launch_state *l) {
  tsr_device *dev = l->device;
  arena a;
  arena_init(&a, dev->ctx);
  TSR_GUARD(dev->ctx, {
    rt_fail(l, TSR_ERROR_MEMORY);
    arena_free(&a);
    return;
  });
  sanitizer *s = rt_sanitizer_create(&a, l, l->kernel->interp);
  run_blocks(l, sanitizer_watcher(s), s);
  if (sanitizer_finish(s)) rt_fail(l, TSR_ERROR_TRAP);
  TSR_UNGUARD(dev->ctx);
  arena_free(&a);
}

static void interp_launch(rt_launch_state *l) {
  tsr_device *dev = l->device;
  rt_lock(dev); /* the interpreter takes its memory from the context */
  if (dev->sanitize.checks)
    run_sanitized(l);
  else
    run_blocks(l, dev->watcher, NULL);
  rt_unlock(dev);
}

const rt_device_kind rt_interp = {
    .name = "interp",
    .checks = TSR_SANITIZE_ALL,
    .open = interp_open,
    .close = interp_close,
    .describe = interp_describe,
    .prepare = interp_prepare_kernel,
    .release = interp_release_kernel,
    .launch = interp_launch,
};
