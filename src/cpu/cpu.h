/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/cpu.h: the interface of the CPU backend, which compiles kernels of Tile IR through LLVM. It
 * is a part of the plugin (backends/plugin.h); nothing of LLVM shows here.
 */
#ifndef TSR_CPU_CPU_H
#define TSR_CPU_CPU_H

#include <tessera/runtime.h>

#include "base/base.h"
#include "ir/ir.h"
#include "exec/block.h"
#include "target/cpu.h"

/* A cache of objects that kernels of the same options share: the micro-kernels of products, which
 * do not depend on the size of tiles and take a third to a half of the time that a product takes to
 * compile. Only a compile's own thread calls these functions. */
typedef struct cpu_object_cache {
  void *user;
  /* The object of that name, at a multiple of 8 bytes, for as long as the cache is open; empty:
   * there is none. */
  str (*find)(void *user, const char *name);
  void (*store)(void *user, const char *name, str object); /* a copy */
} cpu_object_cache;

typedef struct cpu_options {
  cpu_isa isa;
  cpu_core core;
  uint8_t opt_level; /* 0..3; 3 unless debugging */
  bool profile;      /* the code measures itself: see cpu_profile_group */
  uint8_t checks; /* of tsr_sanitize: BOUNDS and ASSUME. Code with checks refers to the module. */
  /* Threads that compile, at most; 0: one. How code is divided into functions depends on it, what
   * it computes doesn't. */
  uint8_t compilers;
  const cpu_object_cache *object_cache; /* for code in memory; NULL: everything is compiled anew */
} cpu_options;

/* A part of a kernel that was compiled to measure itself, and what all threads together have spent
 * in it so far. */
typedef struct cpu_profile_group {
  struct cpu_profile_group *next;
  uint32_t line;         /* in the program; 0: unknown */
  char label[100];       /* the operations in it */
  uint64_t flops, bytes; /* of an execution: operations, bytes from and to global memory */
  /* Counters: times in units of cpu_ticks, without what groups inside of this one took. */
  uint64_t ticks, runs;
  /* What all executions were less than that: elements beyond the end of a view do not exist. */
  uint64_t absent_flops, absent_bytes;
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
  uint64_t hooks;         /* which of rt_hooks the code may call: bit i is the function of word i */
  uint64_t streams;       /* 1: some stores are non-temporal and come in any order until a fence */
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

/* The backend's functions. */
typedef struct cpu_backend {
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
} cpu_backend;

/* Inside the plugin; others go through plugin.cpu. */
extern const cpu_backend cpu_llvm;

/* Inside the plugin: `compile` for several kernels of one module at once, which takes less time
 * than one after the other. `out` has n elements; each is released by itself. */
bool cpu_compile(tsr_context *ctx, ir_module *m, ir_op *const *entries, unsigned n,
                 const cpu_options *options, cpu_kernel *out);

#endif
