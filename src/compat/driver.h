/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compat: a CUDA driver library and a `tileiras` command for machines without an NVIDIA GPU.
 *
 *   tileiras.c   bytecode ─► checked, optimised ─► image (image.h)
 *   libcuda.so.1 over libtessera's device "cpu":
 *     entries.def, cuda_abi.h   what clients see
 *     driver.c     starting, results, cuGetProcAddress
 *     objects.c    handles: each call's are looked up, so a wrong one is an error, not a crash
 *     device.c     one device, with believable attributes
 *     context.c    contexts and each thread's stack of them
 *     library.c    modules, libraries, kernels
 *     memory.c     what was allocated or registered; pools
 *     copy.c       copying and filling
 *     launch.c     kernel launches, occupancy
 *     stream.c     streams, events
 *     capture.c    what a stream records instead of executing
 *     graph.c      graphs: nodes, dependencies, instances
 *     graph_params.c   … what their nodes do, asked and changed
 *     work.c       one operation of a stream or graph: executed, copied, dropped
 *     late.c       … executed as late as the API allows, for programs that look for mistakes
 *     fatbin.c     fat binaries: the PTX in them, decompressed by lz4.c and zstd.c
 *     engine.c     libtessera, of which there is one context and one device per process
 *     linker.c     PTX linked to what is loaded: itself
 *     report.c     what kernels of PTX did, told at the process's end
 *     emulator.c   … and a second device for modules of PTX: the PTX emulator
 *
 *   redirect.c   leads the runtime library inside of a program to runtime/
 *   runtime/     libcudart.so over libcuda.so.1, of which it is a client (runtime/runtime.h)
 *
 * Streams. An operation is executed before the call that submits it returns: then everything
 * before it in its stream has been too, so all orders that events and synchronisation ask for hold.
 * (What a client passes may be freed right after the call; CUDA clients on GPUs rely on stream
 * order for that, this library needs nothing.) Threads that use one stream at once take turns.
 * With TESSERA_CUDA_LATE it is kept instead, and executed when a call waits for it: see late.c.
 *
 * Errors. A failed assert is a fault of the context, as on a GPU: the launch succeeds, later calls
 * in the context fail with CUDA_ERROR_ASSERT until it is destroyed or reset. What went wrong is
 * written to standard error, since the API has numbers only.
 *
 * Threads. Any entry may be called by any thread. The locks, in the order in which they are taken:
 * a stream's turn or the late works', the engine's, and then one of: objects, memory, graphs,
 * contexts.
 */
#ifndef TSR_COMPAT_DRIVER_H
#define TSR_COMPAT_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <tessera/tessera.h>

#define CUDA_ABI_SYMBOLS_ONLY
#include "compat/cuda_abi.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- objects -------------------------------------------------------------------------------- */

typedef enum object_kind {
  OBJECT_CONTEXT = 1,
  OBJECT_LIBRARY, /* a CUmodule is one too */
  OBJECT_KERNEL,  /* a CUfunction is one too */
  OBJECT_STREAM,
  OBJECT_EVENT,
  OBJECT_GRAPH,
  OBJECT_NODE,
  OBJECT_EXEC,
  OBJECT_POOL,
  OBJECT_LINKER
} object_kind;

typedef struct drv_context drv_context;

typedef struct object {
  object_kind kind;
  unsigned refs;      /* under the table's lock; the table's own counts while the handle is valid */
  uint64_t handle;    /* 0 when no longer valid */
  drv_context *owner; /* ends with this context; NULL */
} object;

/* Zeroed memory with a valid handle and the table's reference; NULL when memory runs out. */
void *object_new(object_kind kind, size_t size, drv_context *owner);
/* The object of a handle, referenced; NULL when the handle is none of this kind. */
void *object_get(object_kind kind, const void *handle);
void object_keep(object *o);
void object_put(object *o); /* NULL is allowed; destroys with the last reference */
/* Makes the handle invalid. False when another call has done so before. */
bool object_close(object *o);
/* Closes every object that ends with the context. */
void object_close_owned(drv_context *owner);

#define HANDLE(T, o) ((T)(uintptr_t)((o)->base.handle))
#define GET(kind, h) object_get((kind), (const void *)(h))
#define PUT(o)       object_put((object *)(o)) /* `base` comes first in all of them */
#define KEEP(o)      object_keep(&(o)->base)

/* ---- contexts ------------------------------------------------------------------------------- */

typedef struct drv_stream drv_stream;

struct drv_context {
  object base;
  unsigned long long id;
  unsigned flags;
  bool primary;
  drv_stream *legacy, *per_thread; /* the default streams */
  pthread_rwlock_t
      default_turn;  /* the legacy stream waits for all blocking ones, and they for it */
  _Atomic int fault; /* CUresult: of all later calls */
  size_t limits[CU_LIMIT_MAX];
};

/* The calling thread's context, referenced. What the API says when there is none, or when the
 * context has a fault. Each successful `enter` needs a PUT. */
CUresult enter(drv_context **ctx);
CUresult enter_anyway(drv_context **ctx); /* a fault is no reason */
/* CUDA_SUCCESS when cuInit was called, in this process. */
CUresult initialised(void);
/* The primary context as an answer to "whose is this memory?"; referenced; NULL without memory. */
drv_context *context_primary(void);
void context_destroy(drv_context *ctx);

/* ---- streams and events --------------------------------------------------------------------- */

typedef struct drv_capture drv_capture;
typedef struct drv_graph drv_graph;
typedef struct drv_node drv_node;

typedef struct node_list {
  drv_node **data; /* referenced */
  size_t len, cap;
} node_list;

struct drv_stream {
  object base;
  unsigned long long id;
  unsigned flags;
  int priority;
  bool is_legacy;
  pthread_mutex_t turn;
  /* Under the graphs' lock: */
  _Atomic(drv_capture *) capture; /* referenced; NULL: operations are executed */
  node_list frontier;             /* what the next captured operation depends on */
};

typedef struct drv_event {
  object base;
  unsigned flags;
  _Atomic int64_t recorded_ns; /* 0: never */
  uint64_t late;               /* under the late works' lock: the number of its last record */
  /* Under the graphs' lock: */
  drv_capture *capture; /* referenced; last recorded in a capturing stream */
  node_list frontier;
} drv_event;

/* The stream of a handle in a context, referenced; NULL, 1 and 2 are the default ones. */
CUresult stream_get(drv_context *ctx, CUstream handle, drv_stream **out);
drv_stream *stream_new(drv_context *owner, unsigned flags, int priority);
void stream_destroy(drv_stream *s);
void event_destroy(drv_event *e);
CUresult event_record_now(drv_event *e);

/* ---- kernels -------------------------------------------------------------------------------- */

typedef struct drv_library {
  object base;
  tsr_module *module; /* Tile IR: with its program, */
  tsr_program *program;
  tsr_ptx *ptx;                /* or PTX */
  struct drv_kernel **kernels; /* one per kernel of the module, referenced until it is closed */
  size_t n_kernels;
} drv_library;

typedef struct drv_kernel {
  object base;
  drv_library *library; /* referenced: code stays while somebody launches it */
  const char *name;
  tsr_kernel *compiled;  /* Tile IR; NULL: on first use */
  tsr_parameter *params; /* Tile IR */
  tsr_ptx_kernel_info ptx;
  size_t *offsets, *sizes; /* of the parameters in a buffer */
  size_t n_params;
  int attributes[CU_FUNC_ATTRIBUTE_MAX];
} drv_kernel;

void library_close(
    drv_library *l); /* ends the handles of it and its kernels; the caller has a reference */
void library_destroy(drv_library *l);
void kernel_destroy(drv_kernel *k);
CUresult kernel_get_attribute(const drv_kernel *k, CUfunction_attribute attrib, int *value);

/* ---- memory --------------------------------------------------------------------------------- */

typedef enum range_kind {
  RANGE_DEVICE,
  RANGE_HOST,
  RANGE_MANAGED,
  RANGE_REGISTERED,
  RANGE_VARIABLE /* of a module, which frees it */
} range_kind;

typedef struct range {
  uintptr_t base;
  size_t size;
  range_kind kind;
  unsigned flags;
  uint64_t id;
  drv_context *owner; /* not referenced */
  uint64_t pool;      /* its handle, or the library's of a variable; 0 */
} range;

CUresult memory_new(drv_context *owner, range_kind kind, size_t size, unsigned flags, uint64_t pool,
                    uintptr_t *out);
/* Frees what begins at the address, when it is of one of the kinds (a mask of 1 << kind). */
CUresult memory_free(uintptr_t base, unsigned kinds);
void memory_free_owned(drv_context *owner);
/* Makes a variable of a library known, until all of that library are forgotten. */
CUresult memory_add_variable(uintptr_t base, size_t size, uint64_t library);
void memory_forget_variables(uint64_t library);
/* Calls `each` for all ranges, under the lock. */
void memory_walk(void (*each)(uintptr_t base, size_t size));
bool memory_find(uintptr_t address, range *out); /* the range that holds the address */
/* Whether a device may touch these bytes; `any` allows memory that only the host knows. */
bool memory_valid(uintptr_t address, size_t size, bool any);
size_t memory_total(void); /* of the machine */
size_t memory_available(void);

typedef struct drv_pool {
  object base;
  cuuint64_t threshold;
  int reuse[3];
} drv_pool;
drv_pool *pool_default(void); /* referenced; NULL without memory */

/* ---- work ----------------------------------------------------------------------------------- */

typedef enum work_kind {
  WORK_EMPTY,
  WORK_KERNEL,
  WORK_COPY,
  WORK_FILL,
  WORK_HOST,
  WORK_CALLBACK,
  WORK_RECORD,
  WORK_WAIT,
  WORK_ALLOC,
  WORK_FREE,
  WORK_GRAPH
} work_kind;

typedef struct kernel_work {
  drv_kernel *kernel; /* a borrowed reference, unless the work was copied */
  tsr_grid grid;
  void *args; /* likewise: n_params tsr_arg, or the parameters' bytes of an entry of PTX */
  unsigned block[3], shared;
  unsigned cluster[3]; /* 0: as the kernel says */
  bool cooperative;
} kernel_work;

/* Room for the arguments of most kernels, so that a launch allocates nothing. */
typedef struct few_args {
  _Alignas(16) char bytes[64 * sizeof(tsr_arg)];
} few_args;

/* depth x height rows of `width` bytes. */
typedef struct copy_work {
  uintptr_t dst, src;
  size_t width, height, depth;
  size_t dst_pitch, dst_slice, src_pitch, src_slice;
  CUDA_MEMCPY3D asked; /* of a graph's node */
} copy_work;

/* Memory of a graph: made with its node, freed with the last graph or instance that has it. */
typedef struct graph_memory {
  atomic_uint refs;
  uintptr_t address;
  size_t size;
} graph_memory;

typedef struct work {
  work_kind kind;
  union {
    kernel_work kernel;
    copy_work copy;
    CUDA_MEMSET_NODE_PARAMS fill;
    struct {
      CUhostFn fn;
      void *user;
    } host;
    struct {
      CUstreamCallback fn;
      void *user;
      CUstream stream;
    } callback;
    drv_event *event;
    graph_memory *memory;
    CUdeviceptr freed;
    drv_graph *graph; /* a graph of its own, which nobody else has */
  };
} work;

/* Executes it. The caller holds the stream's turn, or is alone. */
CUresult work_run(drv_context *ctx, const work *w);
/* A copy that has its own references and memory. */
CUresult work_copy(const work *w, work *out);
void work_drop(work *w); /* of a copy */
/* Memory of a graph, which is there with the work; dropped by work_drop. Its being freed, or other
 * memory's. */
CUresult alloc_work(size_t bytes, work *out);
CUresult free_work(CUdeviceptr dptr, work *out);
/* In the stream's order, or into the graph that the stream records. */
CUresult submit(drv_context *ctx, drv_stream *s, const work *w);
/* The same for a handle, entering and leaving the thread's context. */
CUresult submit_to(CUstream handle, const work *w);

/* copy.c */
CUresult copy_from_3d(const CUDA_MEMCPY3D *asked, copy_work *out);
CUresult fill_check(const CUDA_MEMSET_NODE_PARAMS *fill);
void copy_run(const copy_work *c);
void fill_run(const CUDA_MEMSET_NODE_PARAMS *f);
/* launch.c */
size_t launch_args_size(const drv_kernel *k); /* bytes of kernel_work.args */
CUresult launch_work(const CUDA_KERNEL_NODE_PARAMS *params, kernel_work *out, few_args *few);

/* ---- late execution ------------------------------------------------------------------------- */

bool late_enabled(void); /* TESSERA_CUDA_LATE is set; else the rest has nothing to do */
/* Keeps the operation until it is waited for, or executes it when the API says that the call does.
 * A fault of the context, of this one or another. */
CUresult late_submit(drv_context *ctx, drv_stream *s, const work *w);
CUresult late_finish_stream(drv_context *ctx, drv_stream *s);
void late_finish_event(const drv_event *e);
bool late_is_reached(const drv_event *e); /* its last record has been executed */
void late_finish(void);                   /* all */
/* Around a copy without a stream, and after such a fill: they finish what the API says. */
CUresult late_before_copy(uintptr_t dst, uintptr_t src);
CUresult late_after_copy(uintptr_t dst, uintptr_t src);
CUresult late_after_fill(uintptr_t dst);

/* ---- graphs --------------------------------------------------------------------------------- */

extern pthread_mutex_t graph_lock;

struct drv_node {
  object base;
  drv_graph *graph; /* not referenced: a graph closes its nodes; NULL once it has */
  work work;
  node_list dependencies;
  size_t mark; /* of the thread that holds the lock */
};

struct drv_graph {
  object base;
  node_list nodes; /* in the order in which they were added */
};

typedef struct drv_exec {
  object base;
  work *works;     /* in an order that the dependencies allow */
  uint64_t *nodes; /* the handle of each one's node */
  size_t count;
} drv_exec;

bool list_add(node_list *list, drv_node *n); /* references; false when memory runs out */
bool list_has(const node_list *list, const drv_node *n);
void list_clear(node_list *list);
/* Under the lock. `w` is copied. */
CUresult graph_add(drv_graph *g, const node_list *dependencies, const work *w, drv_node **out);
CUresult graph_copy(drv_graph *g, drv_graph **out); /* takes the lock */
CUresult graph_run(drv_context *ctx, const drv_graph *g);
/* The graph or node of a handle, referenced, with the lock held until the other call. */
CUresult graph_enter(CUgraph handle, drv_graph **g);
void graph_leave(drv_graph *g);
CUresult node_enter(CUgraphNode handle, drv_node **n);
void node_leave(drv_node *n);
/* Makes an instance of the graph's operations. Under the lock. */
CUresult exec_fill(drv_exec *e, const drv_graph *g);
void graph_destroy(drv_graph *g);
void node_destroy(drv_node *n);
void exec_destroy(drv_exec *e);

/* What streams that capture together share. */
struct drv_capture {
  atomic_uint refs;
  drv_graph *graph; /* referenced */
  drv_stream *origin;
  unsigned long long id;
  bool invalid;
  drv_stream **streams; /* which have joined; not referenced */
  size_t n_streams;
};

/* Adds the operation to the graph that the stream records. `*captured` is false when it records
 * none: then nothing was done. */
CUresult capture_work(drv_stream *s, const work *w, bool *captured);
CUresult capture_refuse(drv_stream *s); /* for calls that a capturing stream does not allow */
void capture_forget_stream(drv_stream *s);
void capture_forget_event(drv_event *e);

/* ---- libtessera ----------------------------------------------------------------------------- */

/* Opens context and device when it is called first. False: why has been written to stderr. */
bool engine_start(void);
/* Where messages of a load go beside standard error: terminated texts of at most `size` bytes. */
typedef struct engine_text {
  char *text;
  size_t size, used;
} engine_text;
typedef struct engine_log {
  engine_text error, info; /* errors, and what else is said */
} engine_log;
/* Bytecode, text or an image; `size` 0: not known, it must say so itself. */
CUresult engine_load(const void *image, size_t size, engine_log *log, drv_library *out);
void engine_unload(drv_library *l);
CUresult engine_compile(drv_kernel *k);
CUresult engine_launch(drv_context *ctx, const kernel_work *w);
/* Where kernels print to. */
void engine_output(void *user, const char *text, size_t length);
bool engine_sanitizes(void); /* TESSERA_SANITIZE is set */
/* A string that libtessera made; NULL is allowed. */
void engine_free_string(char *text);
/* Writes "tessera: …" to standard error. */
/* "what: why", to standard error and to the log of errors (may be NULL); gives the result back. */
CUresult engine_refuse(engine_log *log, CUresult result, const char *what, const char *why);
void engine_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- PTX ------------------------------------------------------------------------------------ */

/* The engine's lock is held: by the caller alone to load and unload. */
CUresult emulator_load(tsr_context *ctx, const char *text, size_t length, drv_library *out);
void emulator_unload(drv_library *l);
CUresult emulator_launch(drv_context *ctx, const kernel_work *w);
/* Tells the emulator, if there is one, of memory that its kernels may reach. */
void emulator_map(uintptr_t base, size_t size);
void emulator_unmap(uintptr_t base);

/* What kernels of PTX have asked of the card and the checks have found is told when the process
 * ends: report.c. The library's text, from when it is loaded until before it is unloaded. */
bool report_counts(void); /* TESSERA_CUDA_COUNTERS is set */
void report_open(const tsr_ptx *ptx);
void report_close(const tsr_ptx *ptx);

/* What the options of a load say about its log, and back. */
void read_log_options(unsigned count, const CUjit_option *options, void **values, engine_log *log);
void write_log_options(unsigned count, const CUjit_option *options, void **values,
                       const engine_log *log);

typedef struct drv_linker {
  object base;
  pthread_mutex_t lock;
  unsigned n_options;
  CUjit_option *options; /* the log's; the client's memory stays until the linker is destroyed */
  void **values;
  engine_log log;
  char **texts; /* terminated */
  size_t count;
  char *ptx; /* what was made of them */
} drv_linker;
void linker_destroy(drv_linker *l);

/* ---- the device ----------------------------------------------------------------------------- */

bool device_exists(CUdevice dev); /* 0 is the only one */
int device_attribute(CUdevice_attribute attrib);
/* 10, 0 for 10.0 */
void device_capability(int *major, int *minor);
bool device_reaches_process(void); /* kernels of PTX, as well: TESSERA_CUDA_PAGEABLE is set */

#endif
