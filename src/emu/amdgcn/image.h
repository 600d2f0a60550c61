/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A code object on a device: its image has an address, its functions are read into instructions.
 */
#ifndef TSR_EMU_AMDGCN_IMAGE_H
#define TSR_EMU_AMDGCN_IMAGE_H

#include "emu/amdgcn/insn.h"
#include "emu/machine.h"

/* Tells `line` of the instructions in code[from .. to) of a processor: the address of each in
 * `code`, its bytes, its text or NULL. False: it could not, and has said why, or `line` wants no
 * more. */
typedef bool (*gcn_line)(void *user, uint64_t at, uint32_t bytes, const char *text);
typedef bool (*gcn_disassemble)(tsr_context *ctx, const char *processor, const uint8_t *code,
                                uint64_t from, uint64_t to, gcn_line line, void *user);

typedef struct gcn_image {
  emu_program program; /* the first: what has it has the image */
  const hsa_object *object;
  source listing; /* the disassembled code, which messages quote */
  gcn_generation generation;
  uint64_t address; /* of the image in device memory */
  gcn_insn *insns;
  uint32_t n_insns;
  uint32_t *index;    /* by word of the image: 1 + the instruction there; 0: none begins there */
  emu_entry *entries; /* of the object's kernels */
  uint32_t longest_scratch; /* bytes of a lane, of all kernels */
} gcn_image;

static inline const gcn_image *gcn_image_of(const emu_grid *g) {
  return (const gcn_image *)(const void *)g->program;
}

/* Reads the functions of an object and places it on the device; what it needs comes from `a`, and
 * lives with the object. Reports and returns NULL. */
gcn_image *gcn_image_load(tsr_context *ctx, arena *a, emu_device *d, const hsa_object *o,
                          gcn_disassemble disassemble);
void gcn_image_unload(gcn_image *image);

/* emu_run of a kernel. emu_launch_options.params are the explicit arguments, as the metadata places
 * them; the hidden ones behind them are filled in. */
tsr_status gcn_image_run(const gcn_image *image, const hsa_kernel *k, const emu_launch_options *o,
                         emu_fault *fault);

#endif
