/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * target/gpu.h: what is known of each GPU architecture. The rows stand in gpu.def, with the sources
 * of their figures.
 *
 * Warps are NVIDIA's word for what AMD calls waves, multiprocessors that for compute units, shared
 * memory that for the LDS, and thread blocks that for workgroups.
 */
#ifndef TSR_TARGET_GPU_H
#define TSR_TARGET_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gpu_vendor { GPU_NVIDIA, GPU_AMD } gpu_vendor;

/* The lists that a row is in. A row in none of them has no backend yet. */
typedef enum gpu_list {
  GPU_COMPILED = 1, /* code is made for it */
  GPU_EMULATED = 2, /* there is a device "emu:…" */
  GPU_HINTED = 4,   /* optimisation hints of programs may name it */
} gpu_list;

/* What an architecture can do that others can't. Code asks for these, never for
 * the number of an architecture. */
typedef enum gpu_capability {
  GPU_ASYNC_COPY = 1 << 0,       /* memory to shared memory by threads, past their registers */
  GPU_BULK_COPY = 1 << 1,        /* tiles by tensor maps, on mbarriers (TMA) */
  GPU_CLUSTERS = 1 << 2,         /* thread blocks that reach each other's shared memory */
  GPU_STORE_MATRIX = 1 << 3,     /* 8 x 8 matrices of 16 bits to shared memory (stmatrix) */
  GPU_ADD_BF16 = 1 << 4,         /* atomic additions of bf16 */
  GPU_DEPENDENT_LAUNCH = 1 << 5, /* a grid waits for the one before it (griddepcontrol) */
  GPU_MOVE_REGISTERS = 1 << 6,   /* warpgroups hand registers to each other (setmaxnreg) */
  /* Matrix instructions (matrix.def): */
  GPU_MMA = 1 << 7,             /* mma.sync as of sm_80 */
  GPU_MMA_F8 = 1 << 8,          /* the same of 8-bit floats */
  GPU_WGMMA = 1 << 9,           /* wgmma */
  GPU_MFMA = 1 << 10,           /* CDNA's as of gfx90a */
  GPU_MFMA_FEW_BYTES = 1 << 11, /* those of bytes that only gfx90a has */
  GPU_MFMA_BYTES = 1 << 12,     /* those of gfx942: of bytes with twice the depth */
  GPU_MFMA_DEEP = 1 << 13,      /* those of gfx950: all with twice the depth; 8-bit floats of OCP */
  GPU_WMMA = 1 << 14,           /* RDNA3's: halves of a wave hold the same rows and columns */
  GPU_WMMA_SPLIT = 1 << 15,     /* RDNA4's: halves of a wave share them out */
  GPU_MARKED_STORES = 1 << 17,  /* AMD's: atomic stores are told from plain ones (sc1, scope) */
  GPU_LOAD_MATRIX = 1 << 16,    /* 8 x 8 matrices of 16 bits from shared memory, also transposed */
} gpu_capability;

typedef struct gpu_target {
  const char *name;     /* "sm_90a", as LLVM calls the processor, too */
  const char *hints;    /* by which name hints of programs mean it: "sm_90" */
  const char *features; /* LLVM's: "+ptx84", the version of PTX */
  const char *card;     /* whose multiprocessors are counted here */
  gpu_vendor vendor;
  unsigned elf_machine; /* AMD's: EF_AMDGPU_MACH, by which code objects name it */
  unsigned lists;       /* of gpu_list */
  unsigned can;         /* of gpu_capability */
  unsigned sm;          /* NVIDIA's: 90, 10 times the major compute capability and the minor */
  bool specific;        /* code for it runs on cards of this very compute capability alone */
  uint8_t lane_bits;    /* log2 of the lanes of a warp */
  /* Of one multiprocessor: */
  unsigned schedulers;      /* that give out instructions; AMD's SIMDs */
  unsigned banks;           /* of shared memory */
  unsigned bank_bytes;      /* that a bank gives in one clock */
  unsigned shared_bytes;    /* shared memory that one block may have at most */
  unsigned shared_sm;       /* shared memory of a multiprocessor, bytes */
  unsigned block_reserved;  /* of which each block takes so many besides its own */
  unsigned static_shared;   /* bytes of shared variables that a kernel may declare with their size;
                               more is dynamic: a launcher has to ask for it */
  unsigned registers;       /* of a multiprocessor, 32 bits each */
  unsigned max_warps;       /* of a multiprocessor */
  unsigned max_blocks;      /* of a multiprocessor */
  unsigned multiprocessors; /* of `card` */
  unsigned memory;          /* of `card`, GiB; given for those that are emulated */
  unsigned line_bytes;      /* of memory: a cache line */
  unsigned sector_bytes;    /* of memory: the least that is moved at once */
  /* Of a thread: registers that its instructions can name, how many of them are accumulators of
   * matrix instructions only; and of a warp, the registers of scalars. */
  unsigned thread_registers, accumulators, scalar_registers;
  /* In each clock of a multiprocessor: multiply-adds of f32, special functions, conversions;
   * multiply-adds of 16-bit floats by matrix instructions; bytes from the L2 cache that may be
   * wanted before blocks share them. */
  unsigned f32_rate, special_rate, conversion_rate, matrix_rate, l2_rate;
} gpu_target;

/* All rows, in the order of gpu.def; NULL past the last. */
const gpu_target *gpu_row_at(size_t index);
/* Those of a list. */
const gpu_target *gpu_listed_at(gpu_list list, size_t index);
/* By name among those of a list; NULL when there is none. */
const gpu_target *gpu_find(gpu_list list, const char *name);
/* Their names, each with `prefix`, and ", " between them, as far as there is room: terminated. */
void gpu_list_names(gpu_list list, const char *prefix, char *out, size_t size);

/* One that hints can name, by the `length` characters of its name; NULL when there is none. */
const gpu_target *gpu_find_hinted(const char *name, size_t length);

/* The architectures that code is made for, as gpu_find and gpu_listed_at have them. */
const gpu_target *gpu_find_target(const char *name);
const gpu_target *gpu_target_at(size_t index);
/* For a card of compute capability major.minor: its own, else the newest whose code runs there;
 * NULL for cards older than all. */
const gpu_target *gpu_target_for(unsigned major, unsigned minor);

static inline bool gpu_can(const gpu_target *t, gpu_capability what) {
  return (t->can & (unsigned)what) == (unsigned)what;
}
static inline unsigned gpu_lanes(const gpu_target *t) {
  return 1u << t->lane_bits;
}
/* Bytes that all banks of shared memory give in one clock. */
static inline unsigned gpu_bank_row(const gpu_target *t) {
  return t->banks * t->bank_bytes;
}

#endif
