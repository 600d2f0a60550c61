/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plugin.h: the door to the CPU backend, which lives in a library of its own
 * (libtessera-llvm.so) so that libLLVM is loaded only when something must be compiled. The runtime
 * opens that library and calls `tsr_llvm_plugin`, its only exported symbol.
 *
 * The plugin carries its own copy of the modules that it uses (base, num, layout, ir, opt); no
 * state is shared but the structures passed here, so both sides must be of the same build:
 * `build_id` is compared.
 */
#ifndef TSR_CPU_PLUGIN_H
#define TSR_CPU_PLUGIN_H

#include <tessera/runtime.h>

#include "base/base.h"
#include "ir/ir.h"
#include "exec/block.h"

/* What the code may use of the processor. */
typedef enum cpu_level {
  CPU_BASELINE, /* x86-64 with SSE2; AArch64 with NEON */
  CPU_AVX2,     /* + AVX2, FMA, F16C, BMI */
  CPU_AVX512,   /* + AVX-512 F, BW, CD, DQ, VL */
  CPU_LEVEL_COUNT
} cpu_level;

typedef enum cpu_arch { CPU_HOST, CPU_X86_64, CPU_AARCH64 } cpu_arch;

/* Where objects lie that kernels of the same options share: the micro-kernels of products, which do
 * not depend on the size of tiles and take a third to a half of the time that a product takes to
 * compile. Only a compile's own thread calls these functions. */
typedef struct cpu_shelf {
  void *user;
  /* The object of that name, at a multiple of 8 bytes, for as long as the shelf is there; empty:
   * there is none. */
  str (*find)(void *user, const char *name);
  void (*keep)(void *user, const char *name, str object); /* a copy */
} cpu_shelf;

typedef struct cpu_options {
  cpu_arch arch;   /* CPU_HOST: what this library was compiled for */
  cpu_level level; /* CPU_BASELINE but on x86-64 */
  /* AVX-512 extensions, only with CPU_AVX512; bf16 where products gain by it. AArch64: bf16 */
  bool bf16, fp16;
  bool vbmi;          /* AVX-512: permutes bytes, of which the lowest six bits say which */
  bool vnni;          /* products of bytes: AVX512-VNNI with CPU_AVX512, AVX-VNNI with CPU_AVX2 */
  bool dotprod, i8mm; /* AArch64: products of bytes of equal signs, of any */
  uint8_t opt_level;  /* 0..3; 3 unless debugging */
  /* What code had better look like for the processor that it is to run on (cpuinfo_tune); it runs
   * on any other of the level as well, and 0 is what code for files has. */
  uint32_t l2_kb;     /* of the second-level cache of a processor; 0: see cpu_l2_bytes */
  bool fast_division; /* dividing a vector takes no longer than what could replace it */
  bool half_units;    /* vectors of 64 bytes go through units of 32 bytes: two operations each */
  bool slow_streams;  /* where several are read at a time, it pays to ask for all of their lines */
  bool late_fetches; /* storing past the cache leaves room to fetch the next row, loading doesn't */
  bool whole_panels; /* one row of digits is multiplied down each panel in one go */
  bool profile;      /* the code measures itself: see cpu_profile_group */
  uint8_t checks; /* of tsr_sanitize: BOUNDS and ASSUME. Code with checks refers to the module. */
  /* Threads that compile, at most; 0: one. How code is divided into functions depends on it, what
   * it computes doesn't. */
  uint8_t compilers;
  const cpu_shelf *shelf; /* for code in memory; NULL: all is compiled anew */
} cpu_options;

static inline bool cpu_is_aarch64(const cpu_options *o) {
#if defined(__aarch64__)
  return o->arch != CPU_X86_64;
#else
  return o->arch == CPU_AARCH64;
#endif
}

/* What the second-level cache of one processor has room for. Code for files doesn't know where it
 * will run: 1 MB is what most servers have at least. */
static inline int64_t cpu_l2_bytes(const cpu_options *o) {
  return (int64_t)(o->l2_kb ? o->l2_kb : 1024) << 10;
}

/* A part of a kernel that was compiled to measure itself, and what all threads together have spent
 * in it so far. */
typedef struct cpu_profile_group {
  struct cpu_profile_group *next;
  uint32_t line;         /* in the program; 0: unknown */
  char label[100];       /* the operations in it */
  uint64_t flops, bytes; /* of an execution: operations, bytes from and to global memory */
  /* Counters: times in units of cpu_ticks, without what groups inside of this one took. */
  uint64_t ticks, runs;
} cpu_profile_group;

/* The clock that profiled code reads; of unknown, constant speed. */
static inline uint64_t cpu_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return 0;
#endif
}

/* What the kernel's function is called in an object that is to be loaded, where the kernel's own
 * name could clash with others. */
#define CPU_SYMBOL "tessera_kernel"

/* What a launch must know of the code. All of it is kept with the code in the cache on disk, as it
 * lies in memory: whatever belongs to the code belongs in here, as numbers. */
typedef struct cpu_sizes {
  uint64_t scratch_bytes; /* per thread */
  uint64_t keys_bytes;    /* of these, the first ones, which must be zero when a launch begins */
  uint64_t along_y;       /* 1: tile blocks are best executed with y running fastest, not x */
  uint64_t band;          /* and so many of them before the other takes a step; 0: all there are */
  uint64_t streams;       /* 1: some stores go past the cache and come in any order until a fence */
} cpu_sizes;

typedef struct cpu_kernel {
  rt_block_fn run;
  cpu_sizes sizes;
  double compile_ms;
  str object; /* what was loaded, for exec_code_load: until the release; empty: there is none, or it
                 has other kernels too */
  cpu_profile_group *profile; /* with cpu_options.profile: the first of a list, the block itself */
  void *owner;                /* the plugin's */
} cpu_kernel;

typedef struct cpu_plugin {
  const char *build_id;
  /* Compiles one kernel of a verified module to memory. Reports on failure. */
  bool (*compile)(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                  cpu_kernel *out);
  void (*release)(cpu_kernel *kernel);
  /* One kernel as an object for exec_code_load, for any architecture: `out` gets the sizes and no
   * code. */
  bool (*object)(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                 cpu_sizes *sizes, sbuf *out);
  /* All kernels of the module as LLVM IR, assembly or an object file. */
  bool (*emit)(tsr_context *ctx, ir_module *m, tsr_emit kind, const cpu_options *options,
               sbuf *out);
  const struct nvptx_plugin *nvptx; /* the GPU backend: nvptx/nvptx.h */
} cpu_plugin;

typedef const cpu_plugin *(*cpu_plugin_fn)(void);

/* Inside the plugin: `compile` for several kernels of one module at once, which takes less time
 * than one after the other. `out` has n elements; each is released by itself. */
bool cpu_compile(tsr_context *ctx, ir_module *m, ir_op *const *entries, unsigned n,
                 const cpu_options *options, cpu_kernel *out);

#ifndef TSR_BUILD_ID
#define TSR_BUILD_ID "unversioned"
#endif

#endif
