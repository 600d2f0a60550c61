/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * target/cpu.h: processors that code is made for: what it may use of one (its instruction set), and
 * what suits one (its core).
 */
#ifndef TSR_TARGET_CPU_H
#define TSR_TARGET_CPU_H

#include "base/base.h"

typedef enum cpu_level {
  CPU_BASELINE, /* x86-64 with SSE2; AArch64 with NEON */
  CPU_AVX2,     /* + AVX2, FMA, F16C, BMI */
  CPU_AVX512,   /* + AVX-512 F, BW, CD, DQ, VL */
  CPU_LEVEL_COUNT
} cpu_level;

typedef enum cpu_arch { CPU_HOST, CPU_X86_64, CPU_AARCH64 } cpu_arch;

/* What code may use. It runs on every processor that has all of it. */
typedef struct cpu_isa {
  cpu_arch arch;   /* CPU_HOST: what this library was compiled for */
  cpu_level level; /* CPU_BASELINE but on x86-64 */
  /* AVX-512 extensions, only with CPU_AVX512; bf16 where products gain by it. AArch64: bf16 */
  bool bf16, fp16;
  bool vbmi;          /* AVX-512: permutes bytes, of which the lowest six bits say which */
  bool vnni;          /* products of bytes: AVX512-VNNI with CPU_AVX512, AVX-VNNI with CPU_AVX2 */
  bool dotprod, i8mm; /* AArch64: products of bytes of equal signs, of any */
} cpu_isa;

/* What the core that code will run on is like. The code runs on any other core of its instruction
 * set as well. All zero: a core about which nothing is known, as for code in files. */
typedef struct cpu_core {
  uint32_t l2_kb;     /* of the second-level cache of a core; 0: see cpu_l2_bytes */
  bool fast_division; /* dividing a vector takes no longer than what could replace it */
  bool double_pumped; /* instructions on vectors of 64 bytes are executed as two of 32 bytes */
  /* The hardware prefetchers run too few lines ahead where a program reads several streams at a
   * time. */
  bool shallow_prefetch;
  /* Few lines that a program asks for can be on their way at a time, so that its own prefetches
   * hold up its loads; non-temporal stores leave room for them. */
  bool few_fill_buffers;
  /* Streams are prefetched into the second-level cache, so that lines at distances of a power of
   * two, which share few sets of the first-level cache, do not push each other out. */
  bool l2_prefetch;
} cpu_core;

/* A family of cores, as cpu.def has it. */
typedef struct cpu_range {
  uint32_t first, last;
} cpu_range;
typedef struct cpu_row {
  const char *name;  /* "Zen 4" */
  const char *maker; /* as processor_id has it */
  cpu_range families;
  cpu_range models[5]; /* up to the first that is {0, 0}; none: all models */
  bool fast_bf16;      /* products of pairs of bf16 are faster than those of f32 */
  cpu_core core;       /* but for l2_kb */
} cpu_row;

/* All rows, in the order of cpu.def; NULL past the last. */
const cpu_row *cpu_row_at(size_t index);
/* The row of a processor; one without a name when there is none. */
const cpu_row *cpu_row_for(const char *maker, uint32_t family, uint32_t model);

static inline bool cpu_is_aarch64(const cpu_isa *isa) {
#if defined(__aarch64__)
  return isa->arch != CPU_X86_64;
#else
  return isa->arch == CPU_AARCH64;
#endif
}

/* Bytes of the second-level cache of one core. Code for files doesn't know where it will run: 1 MB
 * is what most servers have at least. */
static inline int64_t cpu_l2_bytes(const cpu_core *core) {
  return (int64_t)(core->l2_kb ? core->l2_kb : 1024) << 10;
}

#endif
