/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a code object says of its kernels and their arguments: a note in MessagePack.
 * Source: LLVM, "User Guide for AMDGPU Backend", code object metadata of versions 3 to 6.
 */
#ifndef TSR_EMU_AMDGCN_METADATA_H
#define TSR_EMU_AMDGCN_METADATA_H

#include "base/base.h"

typedef struct hsa_argument {
  str name;              /* empty: it has none */
  str type;              /* as in the source, "float*"; empty: nobody says */
  str kind;              /* "by_value", "global_buffer", "hidden_block_count_x", ... */
  uint32_t offset, size; /* in the argument block, bytes */
} hsa_argument;

typedef struct hsa_kernel_metadata {
  str name;   /* "saxpy" */
  str symbol; /* of its descriptor, "saxpy.kd" */
  const hsa_argument *arguments;
  uint32_t n_arguments;
  uint32_t argument_bytes;                                   /* of all of them */
  uint32_t shared_bytes;                                     /* static LDS of a workgroup */
  uint32_t scratch_bytes;                                    /* of a lane */
  uint32_t max_threads;                                      /* of a workgroup */
  uint32_t required_threads[3];                              /* 0: any */
  uint32_t lanes;                                            /* of a wave */
  uint32_t scalar_registers, vector_registers, accumulators; /* in use */
  uint32_t scalar_spills, vector_spills;
  bool dynamic_stack;
} hsa_kernel_metadata;

typedef struct hsa_metadata {
  str target; /* "amdgcn-amd-amdhsa--gfx942" */
  const hsa_kernel_metadata *kernels;
  uint32_t n_kernels;
} hsa_metadata;

/* Reads the note's contents, `bytes`, which outlive `out`. NULL, or what is wrong with them. Any
 * bytes are safe: nesting, counts and lengths are checked before they are used. */
const char *hsa_metadata_read(arena *a, str bytes, hsa_metadata *out);

#endif
