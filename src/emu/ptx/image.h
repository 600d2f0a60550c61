/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A PTX module on a device: its variables have addresses, its constants values. The machine
 * (emu/machine.h) executes its entries.
 */
#ifndef TSR_EMU_PTX_IMAGE_H
#define TSR_EMU_PTX_IMAGE_H

#include "emu/machine.h"
#include "emu/ptx/ptx.h"

enum { PTX_RESERVED_SHARED = 1024 }; /* bytes of a block's shared memory, of modules that ask */

typedef struct ptx_image {
  emu_program program;
  emu_device *device;
  const ptx_module *module;
  uint64_t *addresses; /* of the module's variables: generic ones of .global and .const; offsets of
                          .shared */
  uint8_t *constants;  /* the constant bank */
} ptx_image;

static inline const ptx_image *ptx_image_of(const emu_grid *g) {
  return (const ptx_image *)(const void *)g->program;
}

/* As ptx_form says it: 900, 901 for sm_90a. */
static inline unsigned ptx_sm_of(const emu_device_info *info) {
  return info->sm * 10 + info->specific;
}

/* Whether the device can execute the module and has the memory for its variables; reports why not.
 * Takes no memory. */
bool ptx_can_load(const emu_device *d, const ptx_module *m);
/* Reports and returns NULL when the device can't load the module. `m` must outlive it. */
ptx_image *ptx_image_load(emu_device *d, const ptx_module *m);
void ptx_image_unload(ptx_image *i);
/* The address and size of a variable by name; false when there is none. */
bool ptx_image_symbol(const ptx_image *i, const char *name, uint64_t *address, uint64_t *bytes);

/* emu_run and emu_report_fault for an entry; emu_launch_options.params are laid out as
 * ptx_param.offset says. */
tsr_status ptx_image_run(const ptx_image *image, const ptx_function *entry,
                         const emu_launch_options *o, emu_fault *fault);

#endif
