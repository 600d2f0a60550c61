/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/launch_emu.h"

static bool put_buffer(const tsr_device *dev, const char *function, const rt_emu_parameter *x,
                       const tsr_buffer *b, uint8_t *params) {
  tsr_context *ctx = dev->ctx;
  if (!b || b->device != dev) {
    diag_error(ctx, NOWHERE, "%s: got a buffer %s for '%s'", function,
               b ? "of another device" : "that is NULL", x->name);
    return false;
  }
  if (x->is_array && b->size == x->bytes) {
    memcpy(params + x->offset, b->data, x->bytes);
    return true;
  }
  if (!x->is_array && x->bytes == 8) {
    memcpy(params + x->offset, &b->address, 8);
    return true;
  }
  diag_error(ctx, NOWHERE,
             x->is_array ? "%s: '%s' has %u bytes, and the buffer for it %zu"
                         : "%s: '%s' has %u bytes, which can't hold a buffer's address",
             function, x->name, x->bytes, b->size);
  return false;
}

bool rt_emu_put_argument(const tsr_device *dev, const char *function, const rt_emu_parameter *x,
                         const tsr_arg *arg, uint8_t *params) {
  if (arg->kind == TSR_ARG_BUFFER) return put_buffer(dev, function, x, arg->buffer, params);
  bool address = arg->kind == TSR_ARG_ADDRESS || arg->kind == TSR_ARG_NULLABLE;
  unsigned given = address ? 8 : (tsr_elem_bits((tsr_elem)arg->elem) + 7) / 8;
  if (x->is_array || given != x->bytes) {
    diag_error(dev->ctx, NOWHERE, "%s: '%s' has %u bytes, and the argument for it %u", function,
               x->name, x->bytes, given);
    return false;
  }
  memcpy(params + x->offset, &arg->bits, x->bytes);
  return true;
}

emu_launch_options rt_emu_options(const tsr_device *dev, const uint32_t required[3],
                                  const tsr_ptx_launch *how) {
  emu_launch_options o = {.dynamic_shared = how->dynamic_shared,
                          .cooperative = how->cooperative,
                          .schedule = (emu_schedule)how->schedule,
                          .async = (emu_async_mode)how->async,
                          .seed = how->seed,
                          .threads = dev->threads,
                          .max_steps = how->max_instructions,
                          .on_progress = how->on_progress,
                          .progress_user = how->progress_user,
                          .on_output = dev->on_output,
                          .output_user = dev->output_user};
  bool no_block = !how->block[0] && !how->block[1] && !how->block[2];
  for (int k = 0; k < 3; k++) {
    o.grid[k] = MAX(how->grid[k], 1u);
    o.block[k] = no_block && required[0] ? required[k] : MAX(how->block[k], 1u);
    o.cluster[k] = how->cluster[k];
  }
  return o;
}
