/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/amdgcn.h: the interface of the AMD GPU backend, a part of the plugin
 * (backends/plugin.h). It turns a verified module into a code object, all kernels at once. Nothing
 * of LLVM shows here.
 *
 * How a kernel is called. A tile block is a workgroup, whose number is that of the tile block. An
 * entry has one argument of 64 bits for each of the kernel's, one after the other from offset 0 of
 * the argument block on, holding what a launch on the CPU hands over (rt_block.args): an address,
 * or a scalar's pattern zero-extended. The metadata says how many threads a workgroup has, all in
 * x, what else the argument block must hold behind the arguments, and all that the kernel takes.
 * Globals are variables of the code object: they live as long as it is loaded.
 *
 * Asserts. A failed assert writes its number, from 1 on, into the variable AMDGCN_REPORT, unless
 * another was there before, and ends the launch by a trap. Objects without asserts have no such
 * variable.
 *
 * Prints. A line that is printed is a record in the variable AMDGCN_PRINTS: words of 32 bits of
 * which the first counts those behind it that are taken, up to AMDGCN_PRINT_WORDS, or would be. A
 * record is the number of a format, from 1 on, and two words for each argument, the low one first:
 * integers, and the bits of f64. A launcher sets the first word to 0 and reads the records when the
 * launch is over. Objects that print nothing have no such variable.
 */
#ifndef TSR_GPU_AMDGCN_AMDGCN_H
#define TSR_GPU_AMDGCN_AMDGCN_H

#include "base/base.h"
#include "ir/ir.h"
#include "target/gpu.h"

#define AMDGCN_REPORT "tessera_report"
#define AMDGCN_PRINTS "tessera_prints"

enum { AMDGCN_PRINT_WORDS = 1 << 18 };

typedef enum amdgcn_emit {
  AMDGCN_OBJECT, /* linked: an ELF file that is loaded as it is */
  AMDGCN_ASSEMBLY,
  AMDGCN_LLVM,
  AMDGCN_LAYOUTS,
} amdgcn_emit;

/* What a launcher must know of an entry, besides what the object's metadata says. */
typedef struct amdgcn_entry {
  const ir_op *op;
  const char *symbol; /* the kernel's name in the object */
  uint32_t n_params;
  uint32_t threads;
} amdgcn_entry;

/* An assert, by its number less 1. */
typedef struct amdgcn_assert {
  const char *message;
  ir_loc loc; /* of the operation, in the caller's module */
} amdgcn_assert;

/* A line that is printed, by its number less 1: C's format, of which conversions of integers have
 * "ll", and how many arguments it takes. */
typedef struct amdgcn_print {
  const char *format;
  uint32_t n;
} amdgcn_print;

typedef struct amdgcn_options {
  const gpu_target *target;
  unsigned warps; /* of a workgroup, a power of two; 0: as the compiler thinks best */
} amdgcn_options;

typedef struct amdgcn_result {
  sbuf text;             /* text, or the object's bytes; the caller sets its arena */
  amdgcn_entry *entries; /* in text.arena, in the module's order, as is all that they point to */
  uint32_t n_entries;
  VEC(amdgcn_assert) asserts; /* the same */
  VEC(amdgcn_print) prints;   /* the same */
  double lower_ms, passes_ms, code_ms;
} amdgcn_result;

typedef struct amdgcn_backend {
  /* Reports and returns false on failure. */
  bool (*emit)(tsr_context *ctx, ir_module *m, amdgcn_emit kind, const amdgcn_options *options,
               amdgcn_result *out);
} amdgcn_backend;

extern const amdgcn_backend amdgcn_llvm; /* inside the plugin; others go through compiler_plugin */

#endif
