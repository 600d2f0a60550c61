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

static bool interp_prepare_kernel(tsr_kernel *k) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  k->interp = interp_prepare(k->program->module, k->entry);
  clock_gettime(CLOCK_MONOTONIC, &end);
  k->compile_ms =
      (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) * 1e-6;
  return k->interp != NULL;
}

static void interp_release_kernel(tsr_kernel *k) {
  interp_destroy(k->interp);
}

static void interp_launch(rt_launch_state *l) {
  tsr_device *dev = l->device;
  rt_block block = rt_block_for(l, NULL);
  rt_lock(dev); /* the interpreter takes its memory from the context */
  for (uint64_t i = 0; i < l->total; i++) {
    if (atomic_load_explicit(&l->stop, memory_order_relaxed)) break;
    order_block(&dev->order, l->grid, l->total, i, block.id);
    if (!interp_run_block(l->kernel->interp, &block)) {
      rt_fail(l, TSR_ERROR_MEMORY); /* it has said so, unless a trap made it give up */
      break;
    }
  }
  rt_unlock(dev);
}

const rt_device_kind rt_interp = {
    .name = "interp",
    .open = interp_open,
    .close = interp_close,
    .describe = interp_describe,
    .prepare = interp_prepare_kernel,
    .release = interp_release_kernel,
    .launch = interp_launch,
};
