/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Devices, buffers, programs, kernels, launches.
 *
 *   tsr_device *dev = tsr_device_open(ctx, "cpu", NULL);
 *   tsr_program *prog = tsr_program_create(dev, module);      // globals are allocated here
 *   tsr_kernel *k = tsr_kernel_get(prog, "saxpy");            // compiled here, on first use
 *   tsr_buffer *x = tsr_buffer_create(dev, n * sizeof(float));
 *   tsr_arg args[] = {tsr_arg_buffer(x), tsr_arg_f32(2.0f), tsr_arg_i32(n)};
 *   tsr_status s = tsr_launch(k, (tsr_grid){blocks, 1, 1}, args, 3);
 *
 * tsr_launch returns when every tile block has finished; <tessera/stream.h> has launches that do
 * not wait.
 *
 * Lifetimes. A kernel belongs to its program; a program and a buffer belong to a device and are
 * destroyed before it; the device is closed before its context is destroyed.
 *
 * Threads. As everywhere, a context is used by one thread at a time; but kernels that have been
 * got may be launched from several threads at once, on one device or on several of one context.
 * Meanwhile callbacks (diagnostics, on_output, on_finding, the allocator) are called by one thread
 * at a time, though not always by a thread that launched. They may not call back into the library.
 *
 * Tile blocks that wait for each other. Tile blocks of a kernel with atomics or ordered accesses
 * are begun in the order of the grid, x first, then y, then z, and one that was begun is executed
 * until it ends. So it may wait for any that precedes it, and for whoever holds a lock, on every
 * device.
 *
 * One may wait for a later block too. On `cpu`, when a kernel has a `loop` with atomics or ordered
 * loads and none of its tile blocks has ended for 50 ms, more threads than the device has otherwise
 * begin further blocks, up to 1024 more; so a barrier across a grid of up to 1024 blocks, or a
 * chain from the last to the first, always ends. The interpreter executes one block at a time, but
 * one that waits (an ordered load or an atomic sees the same again and again) lets others continue:
 * there any number may wait. Both warn of what waits for what seems never to come.
 */
#ifndef TESSERA_RUNTIME_H
#define TESSERA_RUNTIME_H

#include <tessera/base.h>
#include <tessera/elem.h>
#include <tessera/module.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsr_device tsr_device;
typedef struct tsr_program tsr_program;
typedef struct tsr_kernel tsr_kernel;
typedef struct tsr_buffer tsr_buffer;

/* ---- devices -------------------------------------------------------------------------------- */

/* The order in which the interpreter executes tile blocks. A program whose result depends on it
 * has a race. */
typedef enum tsr_block_order {
  TSR_ORDER_FORWARD,
  TSR_ORDER_REVERSE,
  TSR_ORDER_SHUFFLED /* by `seed` */
} tsr_block_order;

/* What is looked for while a launch is executed: things that the language leaves undefined, so that
 * a compiled kernel may do anything. The interpreter looks for all of them, compiled code for
 * bounds and assume. Docs: docs/debugging.md. */
typedef enum tsr_sanitize {
  TSR_SANITIZE_BOUNDS = 1, /* memory outside of the launch's buffers, the globals and allocas;
                              indices outside of an index space. Such an access is left out. What
                              lies behind an address (TSR_ARG_ADDRESS, _NULLABLE) is taken to be
                              large enough. */
  TSR_SANITIZE_ASSUME = 2, /* an assume that does not hold */
  TSR_SANITIZE_INIT = 4, /* memory of an alloca read before it is written; buffers and globals count
                            as written */
  TSR_SANITIZE_RACE = 8, /* accesses to the same bytes, one of them a write and not both atomic,
                            that neither tokens nor release and acquire order nor, between threads
                            of a block-level kernel, a barrier. Of a byte the last writer and three
                            readers since then are remembered. */
  TSR_SANITIZE_ARITH = 16, /* division by zero, overflow that was ruled out, shifts by the width,
                              conversions out of range, addresses that wrap around or are no
                              multiple of the size of the elements there */
  TSR_SANITIZE_SYNC = 32,  /* block level: memory that a copy is still on its way to, copies that
                              nothing waits for */
  TSR_SANITIZE_ALL = 63
} tsr_sanitize;

/* What was found at an operation for the first time in a launch. All pointers are valid only during
 * the callback. */
typedef struct tsr_finding {
  tsr_sanitize check;
  const char *message;   /* "load_ptr_tko reads element 259 of %x, which has 256 of f32" */
  const char *detail;    /* more about it; NULL when there is no more */
  const char *operation; /* "load_ptr_tko" */
  const char *file;      /* where the operation was written; NULL when unknown */
  uint32_t line, column; /* 0 when unknown */
  int32_t block[3];      /* the tile block */
  int64_t element;    /* of the operation's tile, in row-major order; -1: it is about no element */
  uint64_t count;     /* elements of this tile with the same fault, this one included */
  uint64_t address;   /* 0: none */
  const char *buffer; /* the memory that was meant: "%x" for a parameter; NULL when unknown */
  int64_t offset;     /* of the address in it, in bytes; may lie outside */
  /* TSR_SANITIZE_RACE: the other access; NULL for two elements of one store. */
  const char *other_operation;
  uint32_t other_line, other_column;
  int32_t other_block[3];
  /* Kernels of the block level: the thread of the tile block, and that of the other access; -1:
   * none in particular. */
  int32_t thread, other_thread;
  /* Several ranks in one launch (tsr_launch_ranks): those of both tile blocks; -1: there is one. */
  int32_t rank, other_rank;
} tsr_finding;

/* When asynchronous copies of the block level, and what else an emulator has in flight, are over. A
 * kernel whose results depend on it misses a wait. */
typedef enum tsr_async {
  TSR_ASYNC_EAGER, /* at once */
  TSR_ASYNC_LATE,  /* when a thread waits for them */
  TSR_ASYNC_RANDOM /* interp: at any time between, by `seed` */
} tsr_async;

typedef struct tsr_device_options {
  size_t struct_size; /* sizeof(tsr_device_options) */
  unsigned threads;   /* cpu: threads that execute tile blocks, the launching one included, at most
                         1024; 0: TESSERA_THREADS, else one per core */
  const char *cpu;    /* cpu: feature level "baseline", "avx2", "avx512"; NULL: TESSERA_CPU, else
                         the best this machine has. Read by tsr_device_open only. */
  tsr_block_order order; /* interp */
  uint64_t seed;         /* interp */
  /* Where print_tko writes; NULL: standard output, which is also where a CUDA driver writes always.
   * Called with whole formatted strings, not terminated, by one thread at a time. */
  void (*on_output)(void *user, const char *text, size_t length);
  void *output_user;
  /* cpu: grids with two extents above 1 are executed in bands of this many rows (y), y first within
   * a band, so that tile blocks that share operands in either direction follow each other closely.
   * 0: TESSERA_BLOCK_GROUP, else no bands: x first, or y first in kernels whose tiles continue in
   * memory with the next tile block along y; those that transpose have bands of their own. Kernels
   * whose tile blocks could wait for each other (any memory ordering but `weak`) keep the order of
   * the grid. */
  unsigned block_group;
  /* A mask of tsr_sanitize; cpu: of BOUNDS and ASSUME; emulators: any, for all of their own checks
   * (docs/ptx-checks.md), told as diagnostics. A launch that finds something returns
   * TSR_ERROR_TRAP, after all tile blocks or, with sanitize_stop, after the first finding. Of each
   * operation and check the first finding is reported: as an error with notes, followed at the end
   * by how many more there were, or to on_finding if that is given; cpu calls that from any thread,
   * one at a time, and ends the tile blocks that have begun. Launches take 2 to 20 times as long on
   * interp, and several times as much memory as they touch; on cpu mostly less than 1.5 times as
   * long. */
  unsigned sanitize;
  bool sanitize_stop;
  void (*on_finding)(void *user, const tsr_finding *finding);
  void *finding_user;
  /* cpu, cuda, hip: the folder in which compiled kernels are kept from run to run; "": none. NULL:
   * TESSERA_CACHE_DIR, else XDG_CACHE_HOME/tessera, else ~/.cache/tessera; and none when
   * TESSERA_CACHE is "off". It holds at most TESSERA_CACHE_SIZE megabytes (256). A folder that
   * cannot be used, and whatever is wrong with its files, only makes kernels be compiled. */
  const char *cache_dir;
  /* cpu: threads that the device starts stay each on a processor of its own; those that launch are
   * the program's and go where they like. Also when TESSERA_PIN is 1. For machines that nobody else
   * uses: a thread whose processor is busy with something else waits for it. */
  bool pin_threads;
  /* Emulators: buffers and the variables of PTX modules lie at the addresses that they have on the
   * host, so that both sides know them by the same. Buffers may not overlap then. */
  bool host_addresses;
  /* interp, emulators */
  tsr_async async;
} tsr_device_options;

/* `name` is "cpu", "interp", an emulator ("emu:sm_90a"), or a GPU of this machine: "cuda:0" …
 * (docs/gpu-backend.md), by NVIDIA's driver, in their primary contexts, and "hip:0" …
 * (docs/amd-backend.md), by AMD's HIP. `options` may be NULL.
 * Opening a device doesn't load the compiler: the first tsr_kernel_get does, and it is what fails
 * when the compiler or LLVM isn't there. */
TSR_API tsr_device *tsr_device_open(tsr_context *context, const char *name,
                                    const tsr_device_options *options);
TSR_API void tsr_device_close(tsr_device *device); /* NULL is allowed */

/* The devices that this build knows, and the GPUs that NVIDIA's driver and AMD's HIP know: "cuda:0"
 * and "hip:0" alone where there are none. Asking for their number starts these if there are any. */
TSR_API size_t tsr_device_count(void);
TSR_API const char *tsr_device_name(size_t index); /* NULL past the last */
/* One line about a device of this machine, into `out` like snprintf: "Intel Xeon, 2 threads, avx512
 * (bf16, vnni, fp16, vbmi)"; for a device that cannot be used, why not. Loads nothing but
 * NVIDIA's driver and HIP for their devices. Returns the length needed. */
TSR_API size_t tsr_device_describe(const char *name, char *out, size_t size);

/* ---- buffers -------------------------------------------------------------------------------- */

/* Memory a kernel can reach, 64-byte aligned, zeroed. `bytes` may be 0.
 *
 * Devices with memory of their own ("cuda:N", "hip:N"): the buffer lies in the device's memory, and
 * is read and written by tsr_buffer_read and _write. Asking for its host address makes a copy on
 * the host, which from then on tsr_launch copies to the device before, and back after every launch
 * that has the buffer as an argument. So programs written for other devices work; they are faster
 * without.
 */
TSR_API tsr_buffer *tsr_buffer_create(tsr_device *device, size_t bytes);
/* The caller's memory, which must outlive the buffer. Kernels want it aligned to the element. On
 * "cuda:N" and "hip:N" it may be memory of the device; host memory is copied for each launch, as
 * above. */
TSR_API tsr_buffer *tsr_buffer_wrap(tsr_device *device, void *memory, size_t bytes);
TSR_API void tsr_buffer_destroy(tsr_buffer *buffer); /* NULL is allowed */
TSR_API void *tsr_buffer_data(tsr_buffer *buffer);   /* host address; NULL after a message */
TSR_API size_t tsr_buffer_size(const tsr_buffer *buffer);
/* The address that kernels know it by. */
TSR_API uint64_t tsr_buffer_address(const tsr_buffer *buffer);
/* Copies, done when the call returns. */
TSR_API tsr_status tsr_buffer_write(tsr_buffer *buffer, size_t offset, const void *from,
                                    size_t bytes);
TSR_API tsr_status tsr_buffer_read(tsr_buffer *buffer, size_t offset, void *to, size_t bytes);

/* ---- programs and kernels ------------------------------------------------------------------- */

/* A module made ready for a device: verified unless it was already, its globals allocated and
 * initialised. The module must outlive it and must not be changed. */
TSR_API tsr_program *tsr_program_create(tsr_device *device, tsr_module *module);
TSR_API void tsr_program_destroy(tsr_program *program); /* and its kernels; NULL is allowed */

/* Compiles on first use; gives the same kernel afterwards. `name` NULL: the only kernel of the
 * module. Belongs to the program. */
TSR_API tsr_kernel *tsr_kernel_get(tsr_program *program, const char *name);

TSR_API const char *tsr_kernel_name(const tsr_kernel *kernel);
/* How long compiling (or loading from the cache) took, in milliseconds, all passes and LLVM
 * included; whether the kernel came from the cache; and the bytes of scratch memory that one thread
 * needs while it executes a tile block. */
TSR_API double tsr_kernel_compile_ms(const tsr_kernel *kernel);
TSR_API bool tsr_kernel_is_cached(const tsr_kernel *kernel);
TSR_API size_t tsr_kernel_scratch_bytes(const tsr_kernel *kernel);

/* ---- launching ------------------------------------------------------------------------------ */

typedef struct tsr_grid {
  uint32_t x, y, z; /* tile blocks: each from 1 to 2^31 - 1, and at most 2^40 altogether */
} tsr_grid;

typedef enum tsr_arg_kind {
  TSR_ARG_SCALAR,
  TSR_ARG_BUFFER,
  TSR_ARG_ADDRESS,
  TSR_ARG_NULLABLE, /* an address that may be NULL */
} tsr_arg_kind;

/* One kernel argument, made by the functions below. Its kind and element type are checked against
 * the parameter. */
typedef struct tsr_arg {
  uint8_t kind;  /* tsr_arg_kind */
  uint8_t elem;  /* tsr_elem of a scalar */
  uint64_t bits; /* pattern of a scalar, or an address */
  tsr_buffer *buffer;
} tsr_arg;

TSR_API tsr_arg tsr_arg_buffer(tsr_buffer *buffer);
TSR_API tsr_arg tsr_arg_address(void *address); /* memory that is known to be large enough; on
                                                   GPUs the device's, as of another library;
                                                   a launch refuses NULL */
/* The same for a kernel that is known not to touch the memory where it is NULL: an array without
 * elements, an operand that is left out. */
TSR_API tsr_arg tsr_arg_nullable(void *address);
TSR_API tsr_arg tsr_arg_scalar(tsr_elem elem, uint64_t pattern);
TSR_API tsr_arg tsr_arg_i32(int32_t value);
TSR_API tsr_arg tsr_arg_i64(int64_t value);
TSR_API tsr_arg tsr_arg_f32(float value);
TSR_API tsr_arg tsr_arg_f64(double value);

/* Runs the kernel on every tile block of the grid. `args` has one element per parameter. Reports
 * and returns
 *   TSR_ERROR_USAGE   for wrong arguments or grid; nothing has run,
 *   TSR_ERROR_TRAP    when an assert failed, or all threads of a tile block wait for each other:
 *                     tile blocks not begun by then were left out; or when the sanitizer found
 *                     something,
 *   TSR_ERROR_MEMORY  when memory ran out, before or during the run. */
TSR_API tsr_status tsr_launch(tsr_kernel *kernel, tsr_grid grid, const tsr_arg *args,
                              size_t arg_count);

/* From now on an access by a kernel on "cpu" or "interp" to memory that isn't there is said on
 * standard error, with the kernel, the tile block and the address, before it ends the process as it
 * would have. Only where the process has no handler for SIGSEGV or SIGBUS. */
TSR_API void tsr_tell_crashes(void);

/* ---- ahead of time -------------------------------------------------------------------------- */

typedef enum tsr_emit {
  TSR_EMIT_LLVM,
  TSR_EMIT_ASM,
  TSR_EMIT_OBJECT,
  TSR_EMIT_NESTS, /* what was decided on the way: loop nests, lanes, patterns; a text for people */
  TSR_EMIT_TILE,  /* Tile IR: what is compiled, without threads and after the passes of its level */
  TSR_EMIT_HEADER /* the C header of the object: declarations and launchers (docs/objects.md) */
} tsr_emit;

/* Code for the kernels of a module. `cpu` NULL: for what this machine has (or TESSERA_CPU says).
 * Else a level of x86-64, for all processors that have it: "baseline", "avx2", "avx512"; with
 * extensions after it "avx2+vnni", "avx512+vnni+bf16+fp16+vbmi" or some of these; or "aarch64",
 * "aarch64+bf16", "aarch64+i8mm", "aarch64+bf16+i8mm" for 64-bit Arm processors, from any host. The
 * result belongs to the caller: tsr_string_free. NULL on failure. */
TSR_API char *tsr_module_emit(tsr_module *module, tsr_emit kind, const char *cpu, size_t *length);

/* Compiles all kernels of a module into a folder, which is made, for machines without a compiler:
 * given to them as cache (tsr_device_options.cache_dir, TESSERA_CACHE_DIR), the device "cpu" of the
 * same version of Tessera finds the kernels there, for its processor or for less than it has. A
 * folder may hold kernels of many modules and processors. `cpu` as above. Returns how many kernels;
 * 0 after a message: also when a kernel has more than a megabyte of constants, or the folder is
 * not the user's alone. */
TSR_API size_t tsr_module_emit_kernels(tsr_module *module, const char *cpu, const char *folder);

/* Code for GPUs. How a launcher calls it: docs/gpu-backend.md of NVIDIA's, docs/amd-backend.md of
 * AMD's. Of the forms PTX and cubin are for NVIDIA's, assembly and code objects for AMD's. */
typedef enum tsr_gpu_emit {
  TSR_GPU_PTX,          /* text for the driver or ptxas */
  TSR_GPU_LLVM,         /* what LLVM made it from */
  TSR_GPU_CUBIN,        /* machine code, by NVIDIA's ptxas, which must be installed: the file that
                           TESSERA_PTXAS names, or one in PATH or below /usr/local/cuda */
  TSR_GPU_LAYOUTS,      /* text: where the elements of each tile live */
  TSR_GPU_RESOURCES,    /* text: registers, shared memory, spills and occupancy of each kernel: of
                           NVIDIA's GPUs by ptxas */
  TSR_GPU_LAUNCH,       /* text: what a launcher of the PTX must know, a line for each kernel:
                           NAME SYMBOL PARAMETERS THREADS DYNAMIC_SHARED STATIC_SHARED */
  TSR_GPU_ASM,          /* text: assembly */
  TSR_GPU_HSACO,        /* a code object, linked */
  TSR_GPU_BLOCK,        /* text: a module in which each kernel is one of the block level, as the
                           compiler lays it out for the target (docs/block-bridge.md), in the form that
                           every launch can take */
  TSR_GPU_BLOCK_TMA,    /* the same in the form with copies of tensors and a role of threads that
                           begins them, of kernels that have it */
  TSR_GPU_BLOCK_CLUSTER /* the same for tile blocks together, of kernels that load for each other */
} tsr_gpu_emit;

typedef struct tsr_gpu_options {
  size_t struct_size; /* sizeof(tsr_gpu_options) */
  unsigned warps;     /* of a thread block, a power of two up to 32; 0: by the size of the tiles, or
                         what the kernel's hints say */
  /* TSR_GPU_LAUNCH: the arguments of a launch, a word for each as in docs/gpu-backend.md. Of
   * kernels that take as many and have a form with tensor maps which fits them, it is printed
   * after the kernel's line; of those that have it in clusters, too, this one if `grid` is a
   * multiple of the cluster (which the PTX says):
   *   + SYMBOL THREADS DYNAMIC_SHARED STATIC_SHARED
   *   map ADDRESS TYPE RANK dims... strides... box... SWIZZLE     as cuTensorMapEncodeTiled takes
   * them, dimension 0 contiguous */
  const uint64_t *words;
  size_t n_words;
  tsr_grid grid; /* tile blocks of that launch; zeros: not known, so none are in clusters */
  bool lines;    /* TSR_GPU_PTX, TSR_GPU_CUBIN: .file and .loc say where instructions come from */
} tsr_gpu_options;

/* `target` is one of tsr_gpu_target_name, `options` may be NULL. Otherwise as tsr_module_emit. */
TSR_API char *tsr_module_emit_gpu(tsr_module *module, tsr_gpu_emit kind, const char *target,
                                  const tsr_gpu_options *options, size_t *length);
/* "sm_80", …; NULL past the last. */
TSR_API const char *tsr_gpu_target_name(size_t index);

#ifdef __cplusplus
}
#endif
#endif
