/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program as the machine knows it: its instructions, entries and variables are the instruction
 * set's own, whose functions (isa.h) execute and name them.
 */
#ifndef TSR_EMU_PROGRAM_H
#define TSR_EMU_PROGRAM_H

#include "base/base.h"
#include "emu/device.h"

/* An instruction. What it points to only the functions of the program's instruction set know; one
 * instruction of a module has one address. NULL: none. */
typedef const void *emu_insn;

struct emu_isa;

/* A module on a device. */
typedef struct emu_program {
  const struct emu_isa *isa;
  emu_device *device;
  tsr_context *ctx;   /* for messages */
  const void *module; /* the instruction set's; outlives everything that refers to instructions */
} emu_program;

/* What a launch needs to know of the function that it begins at. */
typedef struct emu_entry {
  const char *name;
  const void *code;        /* the instruction set's */
  uint32_t lanes;          /* of a warp: 32 or 64 */
  uint32_t param_bytes;    /* of its parameters */
  uint32_t shared_bytes;   /* static shared memory of a block */
  uint32_t reserved_bytes; /* that a block has besides, behind a gap, for the system's own use */
  /* What the program says of its launches; 0: nothing. */
  uint32_t max_threads[3], required_threads[3], cluster[3];
} emu_entry;

#endif
