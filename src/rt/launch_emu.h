/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What launches on emulated cards have in common, whatever the instruction set.
 */
#ifndef TSR_RT_LAUNCH_EMU_H
#define TSR_RT_LAUNCH_EMU_H

#include <tessera/ptx.h>

#include "emu/machine.h"
#include "rt/rt.h"

typedef struct rt_emu_parameter {
  const char *name;
  uint32_t offset, bytes; /* in the block of parameters */
  bool is_array;          /* a buffer of as many bytes stands for it */
} rt_emu_parameter;

/* A tsr_arg as the bytes of a parameter of `function`. Says what is wrong. */
bool rt_emu_put_argument(const tsr_device *dev, const char *function, const rt_emu_parameter *x,
                         const tsr_arg *arg, uint8_t *params);

/* The options of a launch but its parameters and watcher. A block that isn't given is what the
 * entry requires, `required` (zeroes: nothing). */
emu_launch_options rt_emu_options(const tsr_device *dev, const uint32_t required[3],
                                  const tsr_ptx_launch *how);

/* What ended a launch, in the words of those who launch. */
void rt_emu_tell_fault(const emu_fault *fault, tsr_ptx_fault *out);

#endif
