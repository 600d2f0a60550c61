/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What running code calls back, from any thread.
 */
#include <sched.h>
#include <stdio.h>

#include "exec/print.h"
#include "rt/rt.h"

static void write_output(tsr_device *dev, const char *text, size_t length) {
  if (dev->on_output)
    dev->on_output(dev->output_user, text, length);
  else
    fwrite(text, 1, length, stdout);
}

/* The text is made in a piece of memory of its own, since a kernel may print millions of lines. */
static void hook_print(rt_block *block, const char *format, size_t length, const rt_print_arg *args,
                       size_t count) {
  rt_launch_state *launch = block->launch;
  tsr_device *dev = launch->device;
  tsr_context *ctx = dev->ctx;
  rt_lock(dev);
  arena text;
  arena_init(&text, ctx);
  TSR_GUARD(ctx, {
    rt_fail(launch, TSR_ERROR_MEMORY);
    arena_free(&text);
    rt_unlock(dev);
    return;
  });
  sbuf out = SBUF(&text);
  exec_print_format(&out, (str){format, length}, args, count);
  TSR_UNGUARD(ctx);
  if (out.len) write_output(dev, out.data, out.len);
  arena_free(&text);
  rt_unlock(dev);
}

/* "[3, 5]": the index of the first false element. */
static void element_text(const rt_print_arg *condition, char *out, size_t size) {
  int64_t count = 1, stride = 1, at;
  size_t n = 0;
  *out = 0;
  if (!condition) return;
  for (unsigned d = 0; d < condition->rank; d++) count *= condition->shape[d];
  const char *first = memchr(condition->data, 0, (size_t)count);
  at = first ? first - (const char *)condition->data : 0;
  for (unsigned d = 0; d < condition->rank; d++) stride *= condition->shape[d];
  for (unsigned d = 0; d < condition->rank && n < size; d++) {
    stride /= condition->shape[d];
    n += (size_t)snprintf(out + n, size - n, "%s%lld%s", d ? ", " : "[",
                          (long long)(at / stride % condition->shape[d]),
                          d + 1 == condition->rank ? "]" : "");
  }
}

static void hook_assert_failed(rt_block *block, const char *message, const char *where,
                               const rt_print_arg *condition) {
  rt_launch_state *launch = block->launch;
  rt_lock(launch->device);
  rt_trap *trap = launch->trap;
  uint64_t position = order_position(launch->grid, block->id);
  if (trap->count++ == 0 || position < trap->position) {
    trap->position = position;
    memcpy(trap->id, block->id, sizeof trap->id);
    snprintf(trap->message, sizeof trap->message, "%s", message ? message : "");
    snprintf(trap->where, sizeof trap->where, "%s", where ? where : "");
    element_text(condition, trap->element, sizeof trap->element);
  }
  rt_fail(launch, TSR_ERROR_TRAP);
  rt_unlock(launch->device);
}

static void hook_elementwise(const exec_elementwise *what, void *result,
                             const void *const *operands, int64_t count) {
  exec_elementwise_run(what, result, operands, count);
}

/* The sanitizer may find no memory for what it has to say: then the launch ends. */
static uint8_t hook_check(rt_block *block, const void *op, const void *const *operands) {
  rt_launch_state *launch = block->launch;
  tsr_device *dev = launch->device;
  rt_lock(dev);
  TSR_GUARD(dev->ctx, {
    rt_fail(launch, TSR_ERROR_MEMORY);
    rt_unlock(dev);
    return 1;
  });
  bool wrong = sanitizer_check(launch->sanitizer, block, op, operands);
  TSR_UNGUARD(dev->ctx);
  if (sanitizer_stopped(launch->sanitizer)) atomic_store(&launch->stop, true);
  rt_unlock(dev);
  return wrong;
}

static void hook_wait(rt_block *block) {
  (void)block;
  sched_yield();
}

const rt_hooks rt_launch_hooks = {
    .print = hook_print,
    .elementwise = hook_elementwise,
    .assert_failed = hook_assert_failed,
    .check = hook_check,
    .wait = hook_wait,
};
