/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * PTX on a machine without a GPU: the devices "emu:sm_80", "emu:sm_90a", … execute it exactly.
 *
 *   tsr_device *dev = tsr_device_open(ctx, "emu:sm_90a", NULL);
 *   tsr_ptx *ptx = tsr_ptx_create(dev, "scale.ptx", text, length);
 *   tsr_buffer *x = tsr_buffer_create(dev, n * sizeof(float));
 *   tsr_arg args[] = {tsr_arg_buffer(x), tsr_arg_f32(2.0f), tsr_arg_i32(n)};
 *   tsr_ptx_launch how = {.struct_size = sizeof how, .grid = {n / 128, 1, 1}, .block = {128, 1,
 * 1}}; tsr_status s = tsr_ptx_run(ptx, "scale", &how, args, 3);
 *
 * What the emulator models and what it doesn't: docs/ptx-emulator.md. Lifetimes and threads are as
 * those of a tsr_program and its launches (runtime.h): a tsr_ptx is destroyed before its device.
 */
#ifndef TESSERA_PTX_H
#define TESSERA_PTX_H

#include <tessera/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsr_ptx tsr_ptx;

/* Reads a PTX module, checks all of it, and gives its variables memory on the device. The text is
 * copied; `name` is for messages. NULL after messages: each says where, what was expected and, for
 * instructions that are too new, what .version and .target they need. */
TSR_API tsr_ptx *tsr_ptx_create(tsr_device *device, const char *name, const char *text,
                                size_t length);
TSR_API void tsr_ptx_destroy(tsr_ptx *ptx); /* NULL is allowed */

/* The entries of the module. */
TSR_API size_t tsr_ptx_kernel_count(const tsr_ptx *ptx);
TSR_API const char *tsr_ptx_kernel_name(const tsr_ptx *ptx, size_t index); /* NULL past the last */

/* What an entry's declaration says; 0 where it says nothing. */
typedef struct tsr_ptx_kernel_info {
  size_t struct_size;           /* sizeof(tsr_ptx_kernel_info) */
  uint32_t param_count;         /* parameters */
  uint32_t param_bytes;         /* of all of them, laid out as tsr_ptx_kernel_parameter says */
  uint32_t required_threads[3]; /* .reqntid */
  uint32_t max_threads[3];      /* .maxntid */
  uint32_t cluster[3];          /* .reqnctapercluster */
  uint32_t max_registers;       /* .maxnreg */
  uint32_t static_shared;       /* bytes of shared memory of a block, without the dynamic */
  uint32_t local;               /* bytes of .local variables of a thread */
  uint32_t version;             /* of PTX: 83 for 8.3 */
} tsr_ptx_kernel_info;
/* False when there is no such entry (NULL: the only one) or struct_size is wrong. */
TSR_API bool tsr_ptx_kernel_describe(const tsr_ptx *ptx, const char *kernel,
                                     tsr_ptx_kernel_info *info);
/* Where a parameter lies among the parameters' bytes. False when there is none. */
TSR_API bool tsr_ptx_kernel_parameter(const tsr_ptx *ptx, const char *kernel, size_t index,
                                      uint32_t *offset, uint32_t *bytes);
/* The device's address of a variable (.global, .const), and its size. False when there is none. */
TSR_API bool tsr_ptx_variable(const tsr_ptx *ptx, const char *name, uint64_t *address,
                              uint64_t *bytes);

/* The order in which warps and blocks take turns. A program whose result depends on it has a race
 * or misses a barrier. */
typedef enum tsr_ptx_schedule {
  TSR_PTX_ROUND_ROBIN, /* long turns, clusters on all cores */
  TSR_PTX_RANDOM,      /* short turns in an order made from `seed`; one core, the same every time */
  TSR_PTX_ADVERSARIAL  /* the last warps and blocks first, turns of very different length */
} tsr_ptx_schedule;

/* When asynchronous operations (cp.async, bulk copies, wgmma) complete. A program whose result
 * depends on it misses a wait. */
typedef enum tsr_ptx_async {
  TSR_PTX_EAGER, /* at once */
  TSR_PTX_LATE,  /* when a thread waits for them */
  TSR_PTX_RANDOM_TIMES
} tsr_ptx_async;

/* What ended a launch. */
typedef enum tsr_ptx_fault_kind {
  TSR_PTX_NO_FAULT,
  TSR_PTX_FAULT_ASSERT,  /* __assertfail */
  TSR_PTX_FAULT_TRAP,    /* trap */
  TSR_PTX_FAULT_ADDRESS, /* an access to what is not allocated, was freed, may not be written */
  TSR_PTX_FAULT_ALIGN,   /* an address that is no multiple of the access's size */
  TSR_PTX_FAULT_OTHER    /* a deadlock, a misused barrier, an operand without meaning ... */
} tsr_ptx_fault_kind;
typedef struct tsr_ptx_fault {
  tsr_ptx_fault_kind kind;
  uint32_t block[3], thread[3];
  char message[512];
} tsr_ptx_fault;

typedef struct tsr_ptx_launch {
  size_t struct_size;      /* sizeof(tsr_ptx_launch) */
  uint32_t grid[3];        /* blocks; 0 means 1 */
  uint32_t block[3];       /* threads of a block; 0 means 1, all three 0: what .reqntid says */
  uint32_t cluster[3];     /* blocks of a cluster; 0: what the entry says, else 1 */
  uint32_t dynamic_shared; /* bytes */
  bool cooperative;        /* all blocks are resident at once, as grid-wide barriers need */
  tsr_ptx_schedule schedule;
  tsr_ptx_async async;
  uint64_t seed;
  uint64_t max_instructions; /* of warps; a launch that executes more is ended. 0: no limit */
  bool check; /* look for what is wrong with the program; see tsr_ptx_findings. One core, and one
                 launch at a time on a device */
  /* The parameters' bytes (tsr_ptx_kernel_parameter), in place of arguments; NULL: the arguments.
   */
  const void *params;
  size_t param_bytes;
  tsr_ptx_fault *fault; /* gets what ended the launch, beside the message; NULL */
  bool count; /* what the kernel asks of the card; see tsr_ptx_counters. One core, and one launch at
                 a time on a device */
  /* Called now and then with how many blocks have ended, by any thread, one call at a time; NULL.
   */
  void (*on_progress)(void *user, uint64_t done, uint64_t total);
  void *progress_user;
} tsr_ptx_launch;

/* Runs an entry on a grid, and returns when every block has ended. `args` has one element per
 * parameter: a buffer for a pointer (.u64, .b64), a scalar of the parameter's size, or, for an
 * array parameter (.b8 p[24]: a struct), a buffer of exactly its bytes, which are copied.
 *   TSR_ERROR_USAGE   no such entry, wrong arguments or dimensions; nothing has run,
 *   TSR_ERROR_TRAP    a fault: trap, an access out of bounds, a deadlock …; the message says at
 *                     which instruction, by which thread, where in the source (.loc),
 *   TSR_ERROR_MEMORY  memory ran out.
 * `kernel` NULL: the only entry. With how->params there are no `args`. */
TSR_API tsr_status tsr_ptx_run(tsr_ptx *ptx, const char *kernel, const tsr_ptx_launch *launch,
                               const tsr_arg *args, size_t arg_count);

/* What launches with `check` have found so far: races, missing waits and fences, reads of memory
 * that nobody wrote, accesses out of bounds ..., each once, with both instructions that take part
 * (docs/ptx-checks.md). `*count`, if not NULL, gets how many; races of stores that write
 * the same value are told behind the others and not counted. A string for tsr_string_free; NULL
 * when memory ran out. Not during a launch. */
typedef enum tsr_ptx_format { TSR_PTX_TEXT, TSR_PTX_COLORED_TEXT, TSR_PTX_JSON } tsr_ptx_format;
TSR_API char *tsr_ptx_findings(const tsr_ptx *ptx, tsr_ptx_format format, size_t *count);

/* What launches of the kernel with `count` have asked of the card so far, per source line, with an
 * estimate of the time on `card` ("h100"; NULL: one of the device's generation): instructions,
 * sectors of device memory, bank conflicts, operations. `*launches`, if not NULL, gets how many
 * there were; after none, for an unknown kernel or card, and when memory ran out the result is
 * NULL. A string for tsr_string_free. Not during a launch. */
TSR_API char *tsr_ptx_counters(const tsr_ptx *ptx, const char *kernel, const char *card,
                               tsr_ptx_format format, uint64_t *launches);

/* ---- memory of others ----------------------------------------------------------------------- */

/* On an emulator that was opened with host_addresses: kernels may reach `bytes` bytes of the
 * caller's memory, which are not given to it as a buffer. TSR_OK also when that is so already;
 * TSR_ERROR_USAGE when other memory is known to lie there; TSR_ERROR_MEMORY. Both functions may be
 * called by any thread at any time, also during launches, and report nothing. */
TSR_API tsr_status tsr_ptx_map(tsr_device *device, void *memory, size_t bytes);
TSR_API void tsr_ptx_unmap(tsr_device *device, void *memory);

/* On such an emulator: kernels may from now on reach all memory of the process that is not mapped,
 * too, as on a GPU that shares the processor's page tables. They are stopped where the process has
 * nothing, but not at the ends of what lies there. No memory of the process may be given back while
 * a launch is under way. TSR_ERROR_USAGE on another device. Not during a launch. */
TSR_API tsr_status tsr_ptx_map_process(tsr_device *device);

/* Says that nothing has been written to bytes of a buffer yet: launches with `check` then find
 * kernels that read them before they are written (buffers count as written otherwise). Not during a
 * launch. TSR_ERROR_USAGE after a message when the bytes don't lie in the buffer, or it is of
 * another device. */
TSR_API tsr_status tsr_ptx_set_unwritten(tsr_ptx *ptx, const tsr_buffer *buffer, size_t offset,
                                         size_t bytes);

/* ---- tensor maps ---------------------------------------------------------------------------- */

/* What cuTensorMapEncodeTiled takes; dimension 0 is the contiguous one. Zero element strides
 * mean 1. Elements are I8, I16, I32, I64, F16, BF16, F32, F64 and TF32. */
typedef struct tsr_ptx_tensor {
  size_t struct_size; /* sizeof(tsr_ptx_tensor) */
  tsr_elem elem;
  uint32_t rank;       /* 1 to 5 */
  uint64_t dims[5];    /* elements */
  uint64_t strides[4]; /* bytes, of dimensions 1, 2, ... */
  uint32_t box[5];     /* elements */
  uint32_t element_strides[5];
  uint32_t swizzle;    /* bytes: 0, 32, 64, 128 */
  uint32_t interleave; /* bytes: 0, 16, 32 */
  bool fill_nan;       /* out of bounds, instead of zeros */
} tsr_ptx_tensor;

enum { TSR_PTX_TENSOR_MAP_BYTES = 128 };
/* Makes the object that a kernel's parameter of 128 bytes (__grid_constant__ CUtensorMap) takes,
 * for the tensor that begins `offset` bytes into the buffer. Its format is our own: a GPU can't use
 * it. TSR_ERROR_USAGE after a message when a parameter breaks one of the driver's limits. */
TSR_API tsr_status tsr_ptx_tensor_map(const tsr_buffer *buffer, size_t offset,
                                      const tsr_ptx_tensor *tensor, void *object);
/* The same with an address of the device and the driver's numbers, as cuTensorMapEncodeTiled has
 * them: `type` a CUtensorMapDataType, `interleave` 0 to 2, `swizzle` 0 to 3, `fill` 0 or 1. NULL on
 * success, else a sentence saying which parameter breaks which limit. */
TSR_API const char *tsr_ptx_encode_tiled(void *object, int type, uint32_t rank, uint64_t address,
                                         const uint64_t *dims, const uint64_t *strides,
                                         const uint32_t *box, const uint32_t *element_strides,
                                         int interleave, int swizzle, int fill);

#ifdef __cplusplus
}
#endif
#endif
