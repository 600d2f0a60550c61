/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/launch_emu.h"

#include <stdio.h>

#include "emu/fault.h"

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

/* What a fault is to those who launch. */
static tsr_ptx_fault_kind kind_of(const emu_fault *f) {
  switch ((emu_fault_kind)f->kind) {
  case EMU_FAULT_TRAP:
    return strncmp(f->message, "assertion '", 11) == 0 ? TSR_PTX_FAULT_ASSERT : TSR_PTX_FAULT_TRAP;
  case EMU_FAULT_BOUNDS:
  case EMU_FAULT_FREED:
  case EMU_FAULT_READ_ONLY: return TSR_PTX_FAULT_ADDRESS;
  case EMU_FAULT_ALIGN: return TSR_PTX_FAULT_ALIGN;
  default: return TSR_PTX_FAULT_OTHER;
  }
}

void rt_emu_tell_fault(const emu_fault *fault, tsr_ptx_fault *out) {
  out->kind = kind_of(fault);
  memcpy(out->block, fault->block, sizeof out->block);
  memcpy(out->thread, fault->thread, sizeof out->thread);
  snprintf(out->message, sizeof out->message, "%s", fault->message);
}
