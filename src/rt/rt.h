/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rt: devices, buffers, programs, kernels, launches (the public contract is in tessera/runtime.h).
 *
 * A *device kind* is a struct of functions, one file each (device_cpu.c, device_interp.c). What all
 * kinds share is done once and around them:
 *
 *   device.c   opening and closing, options, the list of kinds
 *   buffer.c   memory that kernels reach
 *   program.c  globals, finding and preparing kernels
 *   launch.c   arguments and grid, what a launch reports
 *   launch_ranks.c  several ranks as one launch of the interpreter
 *   hooks.c    what running code calls back: printing, asserts
 *   order.c    the order of tile blocks          pool.c     threads
 *   device_emu.c  the PTX emulator's devices (tessera/ptx.h)
 *   device_cuda.c GPUs, by NVIDIA's driver      cuda_driver.c  the driver, opened when needed
 *   device_hip.c  GPUs, by AMD's HIP            hip_library.c  HIP, opened when needed
 *   card.c        what both share               card_library.c … of their libraries
 *   stream.c      streams and events
 *   cpuinfo.c  what the processor can do         plugin.c   finding the compiler
 *   cache.c    compiled kernels on disk          cached.c   which kernel is which there
 *   object_cache.c  what kernels share, compiled once
 *   ready.c    kernels that another thread compiled
 *   gpu.c      modules compiled for GPUs         gpu_cached.c  … on disk
 *   amd.c      … of AMD's                        amd_cached.c  … on disk
 *
 * Locking. Kernels may be launched from several threads at once, but a context is one thread's:
 * its allocator, its diagnostics and its guard know nothing of threads. So whatever a launch does
 * with the context, it does under the lock that all devices of the context share (rt_lock). The
 * lock is recursive: the interpreter, which uses the context throughout, holds it for a whole
 * launch, and the hooks that it calls take it again.
 */
#ifndef TSR_RT_RT_H
#define TSR_RT_RT_H

#include <pthread.h>
#include <stdatomic.h>

#include <tessera/ptx.h>
#include <tessera/runtime.h>
#include <tessera/stream.h>

#include "base/base.h"
#include "cpu/cpu.h"
#include "exec/block.h"
#include "exec/code.h"
#include "interp/sanitize/sanitize.h"
#include "ir/ir.h"
#include "rt/cache.h"
#include "rt/order.h"
#include "rt/pool.h"

/* What the devices of a context share; lives while one is open. */
typedef struct rt_shared {
  pthread_mutex_t lock; /* recursive */
  unsigned users;
} rt_shared;

/* Streams and events of a device that executes later; see tessera/stream.h. All report. */
typedef struct rt_stream_kind {
  bool (*create)(tsr_stream *s);
  void (*destroy)(tsr_stream *s);
  tsr_status (*wait)(tsr_stream *s);
  bool (*event_create)(tsr_event *e);
  void (*event_destroy)(tsr_event *e);
  tsr_status (*event_record)(tsr_event *e, tsr_stream *s);
  tsr_status (*event_wait)(tsr_event *e);
  tsr_status (*wait_event)(tsr_stream *s, tsr_event *e);
  tsr_status (*elapsed)(tsr_event *begin, tsr_event *end, double *ms);
  /* Between host memory and the device's at `offset` of the buffer; `s` NULL: at once. */
  tsr_status (*copy)(tsr_stream *s, tsr_buffer *b, size_t offset, void *host, size_t bytes,
                     bool to_device);
} rt_stream_kind;

typedef struct rt_device_kind {
  const char *name;
  unsigned checks; /* of tsr_sanitize, that it can make */
  /* Fills what is the kind's own in a device; reports and returns false when it cannot. `options`
   * is complete and checked as far as it concerns all kinds. */
  bool (*open)(tsr_device *dev, const tsr_device_options *options);
  void (*close)(tsr_device *dev);
  /* As tsr_device_describe. */
  size_t (*describe)(const struct rt_device_kind *kind, char *out, size_t size);
  /* Makes a kernel ready to be launched. Reports and returns false, or jumps to the guard, when it
   * cannot; then nothing is left to release. */
  bool (*prepare)(tsr_kernel *kernel);
  void (*release)(tsr_kernel *kernel);
  /* Executes all tile blocks, or those until `stop`. Called by several threads. */
  void (*launch)(rt_launch_state *launch);
  /* Gives a buffer an address of the device, and takes it back; NULL where that is the host's. */
  bool (*map)(tsr_buffer *buffer);
  void (*unmap)(tsr_buffer *buffer);
  /* Devices with memory of their own, which execute later; NULL: everything is done at once. */
  const rt_stream_kind *streams;
} rt_device_kind;

extern const rt_device_kind rt_cpu, rt_interp, rt_cuda, rt_hip;

struct gpu_target;

/* device_cuda.c: how many GPUs there are, at least 1 for the one that is said to be missing; one
 * line about number `ordinal`. */
size_t rt_cuda_count(void);
size_t rt_cuda_describe(unsigned ordinal, char *out, size_t size);
/* device_hip.c: the same of AMD's. */
size_t rt_hip_count(void);
size_t rt_hip_describe(unsigned ordinal, char *out, size_t size);

/* device_emu.c: those of the emulated cards (target/gpu.def); NULL past the last. */
const rt_device_kind *rt_emu_kind_at(size_t index);
/* Likewise of any row of the table, whether programs in Tile IR or PTX can run there or not. */
const rt_device_kind *rt_emu_kind_of(const struct gpu_target *card);
/* tsr_device_open of a kind. */
tsr_device *rt_device_open(tsr_context *ctx, const rt_device_kind *kind, unsigned ordinal,
                           const tsr_device_options *options);

/* How far a launch is, for other threads to read: tile blocks that have ended, of all. */
typedef struct rt_progress {
  _Atomic uint64_t done, total;
} rt_progress;
static inline void rt_progress_begin(rt_progress *p, uint64_t total) {
  p->done = 0;
  p->total = total;
}

/* When tile blocks of a launch were executed, and by which thread, one for each position. */
typedef struct rt_traced_block {
  int32_t id[3];
  uint64_t begin, end; /* ns; end 0: it has not been executed */
  uint64_t thread;     /* differs from that of other threads */
} rt_traced_block;
typedef struct rt_trace {
  rt_traced_block *blocks;
  uint64_t room; /* further positions are not noted */
} rt_trace;

struct tsr_device {
  tsr_context *ctx;
  const rt_device_kind *kind;
  rt_shared *shared;
  void (*on_output)(void *user, const char *text, size_t length);
  void *output_user;
  rt_order order;             /* of tile blocks, when a kernel does not say better */
  sanitizer_options sanitize; /* no checks: none is made */
  tsr_async async;
  interp_watcher *watcher; /* interp only: who looks at every instruction; NULL */
  cpu_options cpu;         /* cpu only */
  pool *pool;              /* cpu only */
  cache *cache;            /* cpu, cuda, hip; NULL: none */
  atomic_bool few_threads_told;
  unsigned ordinal;                      /* cuda and hip: which one */
  struct rt_card *card;                  /* the same: what they share; see card.h */
  struct cuda_device *cuda;              /* cuda only */
  struct hip_device *hip;                /* hip only */
  struct emu_device *emu;                /* emulators only */
  const struct emu_watcher *emu_watcher; /* who looks at their launches; NULL */
  struct counters *emu_counters;         /* what launches of tile kernels ask of the card; NULL */
  struct findings *emu_findings;         /* what the checks of theirs find is kept here; NULL */
  unsigned threads;                      /* of the host that emulators may use; 0: one per core */
  rt_progress *progress;                 /* of its launches (interp, cpu, emulators); NULL */
  rt_trace *trace;                       /* of its launches (cpu); NULL */
};

struct tsr_buffer {
  tsr_device *device;
  void *data;
  size_t size;
  void *raw; /* as allocated; NULL for the caller's memory */
  size_t raw_size;
  uint64_t address; /* on a device with addresses of its own */
  bool mirrored;    /* device with own memory: `data` is a host copy, kept the same by launches */
  bool borrowed;    /* … the device's memory is the caller's */
};

struct tsr_stream {
  tsr_device *device;
  void *native;
  bool own;
};

struct tsr_event {
  tsr_device *device;
  void *native;
  _Atomic int64_t ns; /* devices that execute at once: when it was recorded; 0: not yet */
};

typedef struct rt_param {
  bool is_pointer;
  tsr_elem elem;    /* the scalar's type, or the pointee */
  const char *name; /* NULL when it has none */
} rt_param;

struct tsr_kernel {
  tsr_program *program;
  tsr_kernel *next; /* of the program */
  ir_op *entry;
  const char *name;
  const rt_param *params;
  uint32_t n_params;
  uint32_t cluster[3]; /* tile blocks that are executed together, along x, y, z */
  bool may_wait;       /* its tile blocks could wait for each other: they need the grid's order */
  bool may_spin; /* it has a loop that could wait for another tile block, also for a later one */
  double compile_ms;
  size_t scratch_bytes;
  _Atomic uint32_t block_ns; /* cpu: what a tile block takes, about; see pool.h */
  union {
    struct gpu_kernel {
      struct gpu_program *code;
      const struct nvptx_entry *entry;
      const void *function;           /* the device's */
      const void *bulk_function;      /* of entry->bulk; NULL: there is none */
      const void *clustered_function; /* of entry->bulk->clustered; likewise, or no room for it */
      unsigned clusters;              /* of that, which a card has room for at once; 0: not known */
    } gpu;                            /* see gpu.h */
    struct {
      struct amd_program *code;
      const struct amdgcn_entry *entry;
      const void *function; /* the device's */
    } amd;                  /* see amd.h */
    interp_program *interp;
    struct {
      cpu_kernel cpu;
      exec_code code;          /* of a kernel from the cache; else the plugin has it */
      interp_program *checker; /* with checks: what the sanitizer needs to know of the kernel */
    };
  };
};

/* One allocation that is freed with its program. */
typedef struct rt_memory {
  struct rt_memory *next;
  void *raw;
  size_t size;
} rt_memory;

struct tsr_program {
  tsr_device *device;
  ir_module *module;
  arena arena;
  tsr_kernel *kernels;
  strmap entries; /* of the module, by their names */
  map prepared;   /* an entry's kernel */
  void **globals; /* their addresses, in the module's order */
  rt_memory *memory;
  struct gpu_program *gpu;      /* devices that execute PTX; see gpu.h */
  struct amd_program *amd;      /* AMD's cards, emulated and real; see amd.h */
  const struct rt_ready *ready; /* cpu: code for the next kernel; NULL: it is compiled */
};

/* The first failed assert of a launch, by the order of the grid among those that failed. */
typedef struct rt_trap {
  uint64_t count; /* the rest is set when it is not 0 */
  uint64_t position;
  int32_t id[3];
  char message[1024];
  char where[4096];  /* as ir_where says; "" when unknown */
  char element[512]; /* "[3, 5]": the first that is false; "" of a scalar */
} rt_trap;

struct rt_launch_state {
  tsr_kernel *kernel;
  tsr_device *device;
  tsr_grid grid;
  uint64_t total;         /* tile blocks */
  const uint64_t *args;   /* one word per parameter */
  const tsr_arg *given;   /* what they come from */
  tsr_stream *stream;     /* where it is put; NULL: until it has been executed */
  atomic_bool stop;       /* begin no further tile block */
  const uint64_t *bounds; /* as rt_block.bounds; NULL: no checks */
  /* Several ranks in one launch (launch_ranks.c): the launch of each, of which the first is the one
   * that the device gets. NULL: one. */
  struct rt_launch_state *const *ranks;
  uint32_t n_ranks, rank;
  _Atomic uint64_t begun; /* with checks: tile blocks */
  /* Under the lock: */
  sanitizer *sanitizer; /* cpu: of the checks */
  tsr_status status;    /* the first failure; its message has been given unless it is a trap */
  rt_trap *trap;
};

extern const rt_hooks rt_launch_hooks;

/* The device's address of a buffer. */
static inline uint64_t rt_address(const tsr_buffer *b) {
  return b->device->kind->streams ? b->address : (uintptr_t)b->data;
}

/* Whether a copy from or to the host stays inside of the buffer; reports. */
bool rt_copy_fits(const tsr_buffer *b, size_t offset, const void *host, size_t bytes);

void rt_lock(tsr_device *dev);
void rt_unlock(tsr_device *dev);
/* Reports an error of a launch; takes the lock. */
void rt_error(tsr_device *dev, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Notes a failure whose message has been given, and begins no further tile block. */
void rt_fail(rt_launch_state *launch, tsr_status status);

/* launch.c: checks arguments and grid; report a trap. */
bool rt_read_args(tsr_kernel *k, const tsr_arg *args, size_t count, uint64_t *words);
bool rt_read_grid(tsr_kernel *k, tsr_grid grid, uint64_t *total);
void rt_report_trap(rt_launch_state *launch);

/* The sanitizer of a launch, for a kernel that was prepared to be watched. Lives in `a`. */
bool rt_can_sanitize(const tsr_kernel *k); /* whether it follows the kernel's types; reports */
sanitizer *rt_sanitizer_create(arena *a, const rt_launch_state *l, interp_program *p);

/* A block with everything but its position. */
rt_block rt_block_for(rt_launch_state *launch, void *scratch);

/* As tsr_ptx_create, without memory for the variables: the result can be asked, not run. */
tsr_ptx *rt_ptx_check(tsr_device *dev, const char *name, const char *text, size_t length);

/* The decoded module of a tsr_ptx. */
const struct ptx_module *rt_ptx_module(const tsr_ptx *ptx);

/* Memory aligned to `align`, a power of two of at least 16; `raw` and `raw_size` get what is to be
 * given back by ctx_free. NULL when there is none, not reported. */
void *rt_aligned(tsr_context *ctx, size_t size, size_t align, void **raw, size_t *raw_size);

/* Large operands are walked through with large strides: pages of 2 MB spare the processor most of
 * its misses in translation, and conflicts in the second-level cache, which lines of one such page
 * fill evenly. A wish; it does not matter if it is refused. */
void rt_wish_for_huge_pages(void *data, size_t size);

/* A number from the environment: false when the variable is not set; reports and sets `wrong` when
 * it is not a number from `low` to `high`. */
bool rt_env_number(tsr_context *ctx, const char *name, unsigned low, unsigned high, unsigned *out,
                   bool *wrong);

#endif
