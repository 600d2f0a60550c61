/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A code object of AMD's: an ELF file with machine code, kernel descriptors and metadata. Both
 * forms are read, what compilers write (ET_REL, which is linked with itself) and what linkers write
 * (ET_DYN).
 *
 * Source: LLVM, "User Guide for AMDGPU Backend", code objects of versions 3 to 6.
 */
#ifndef TSR_EMU_AMDGCN_OBJECT_H
#define TSR_EMU_AMDGCN_OBJECT_H

#include "emu/amdgcn/metadata.h"
#include "target/gpu.h"

enum { HSA_DESCRIPTOR_BYTES = 64 };

/* Registers that a wave begins with, in the order in which they are numbered. */
typedef enum hsa_user_register {
  HSA_SCRATCH_RESOURCE = 1 << 0, /* 4 registers: a buffer resource */
  HSA_DISPATCH_POINTER = 1 << 1, /* 2 each from here on */
  HSA_QUEUE_POINTER = 1 << 2,
  HSA_ARGUMENT_POINTER = 1 << 3,
  HSA_DISPATCH_ID = 1 << 4,
  HSA_FLAT_SCRATCH = 1 << 5,
  HSA_SCRATCH_SIZE = 1 << 6, /* 1 register */
} hsa_user_register;
enum { HSA_WAVE32 = 1 << 10 }; /* in the same word: waves have 32 lanes */

/* A kernel descriptor, whose fields the hardware reads. */
typedef struct hsa_descriptor {
  uint32_t shared_bytes, scratch_bytes, argument_bytes;
  uint64_t code;                  /* offset of the first instruction in the image */
  uint32_t rsrc1, rsrc2, rsrc3;   /* COMPUTE_PGM_RSRC1 to 3 */
  uint32_t properties;            /* its low bits are hsa_user_register */
  uint32_t preloaded, preload_at; /* arguments that begin in registers: their count and the first,
                                     in words */
} hsa_descriptor;

typedef struct hsa_kernel {
  const hsa_kernel_metadata *about;
  hsa_descriptor descriptor;
} hsa_kernel;

/* A variable or function. */
typedef struct hsa_symbol {
  str name;
  uint64_t offset, size; /* in the image */
  bool is_function;
} hsa_symbol;

/* A word of the image that becomes an address when it is known where the image lies. */
typedef struct hsa_fixup {
  uint64_t at;    /* offset of the word */
  uint64_t value; /* offset in the image that it names */
  uint8_t bytes;  /* 4 or 8 */
  uint8_t shift;  /* bits of the address that are left out: 32 for a high half */
} hsa_fixup;

typedef struct hsa_object {
  const char *name; /* for messages */
  const gpu_target *gpu;
  uint8_t *image; /* code and variables, from offset 0 on; `image_bytes` of them */
  uint64_t image_bytes;
  const hsa_kernel *kernels;
  uint32_t n_kernels;
  const hsa_symbol *symbols;
  uint32_t n_symbols;
  const hsa_fixup *fixups;
  uint32_t n_fixups;
} hsa_object;

/* Reads the object in `bytes`, all of whose memory comes from `a` or points into `bytes`. Reports
 * what is wrong with it and returns false. Any bytes are safe. */
bool hsa_object_read(tsr_context *ctx, arena *a, const char *name, str bytes, hsa_object *out);

/* The kernel of that name; NULL when there is none. */
const hsa_kernel *hsa_find_kernel(const hsa_object *o, const char *name);

/* Writes the addresses for an image that lies at `base` into `image`, a copy of the object's. */
void hsa_relocate(const hsa_object *o, uint64_t base, uint8_t *image);

#endif
