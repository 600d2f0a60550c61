/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cuda_driver: NVIDIA's driver library, opened when it is needed and found; nothing of CUDA is
 * needed to build or to start Tessera. Entries, types and numbers are those of the CUDA Driver API
 * Reference; `X(field, symbol, parameters)`: each entry returns a CUresult; those that HIP has too
 * stand in rt/card_library.h.
 *
 * The library is looked for as TESSERA_CUDA_DRIVER, else libcuda.so.1 where the dynamic linker
 * looks, else where container runtimes and WSL put it. It is opened once in a process and stays.
 */
#ifndef TSR_RT_CUDA_DRIVER_H
#define TSR_RT_CUDA_DRIVER_H

#include "rt/card_library.h"

typedef card_result cu_result;   /* CUresult */
typedef card_device cu_device;   /* CUdevice */
typedef card_object cu_object;   /* CUcontext, CUmodule, CUfunction, CUstream, CUevent, … */
typedef card_address cu_address; /* CUdeviceptr */

enum {
  CU_OK = CARD_OK,
  CU_INVALID_VALUE = CARD_INVALID_VALUE,
  CU_OUT_OF_MEMORY = CARD_OUT_OF_MEMORY,
  CU_NO_DEVICE = CARD_NO_DEVICE,
  CU_JIT_COMPILER_NOT_FOUND = 221,
  CU_UNSUPPORTED_PTX_VERSION = 222,
  CU_ILLEGAL_ADDRESS = CARD_ILLEGAL_ADDRESS,
  CU_OUT_OF_RESOURCES = CARD_OUT_OF_RESOURCES,
  CU_ASSERT = CARD_ASSERT,
  CU_HARDWARE_STACK_ERROR = CARD_HARDWARE_STACK_ERROR,
  CU_LAUNCH_FAILED = CARD_LAUNCH_FAILED,
};

enum {
  CU_ATTRIBUTE_MULTIPROCESSORS = 16,
  CU_ATTRIBUTE_MAJOR = 75,
  CU_ATTRIBUTE_MINOR = 76,
  CU_FUNCTION_DYNAMIC_SHARED = 8,
  CU_STREAM_CREATE_DEFAULT = CARD_STREAM_DEFAULT,
  CU_STREAM_CREATE_NON_BLOCKING = CARD_STREAM_NON_BLOCKING,
  CU_INPUT_PTX = 1, /* of the linker */
  CU_OPTION_ERROR_LOG = 5,
  CU_OPTION_ERROR_LOG_SIZE = 6,
};
/* Of tensor maps: unsigned integers of 1, 2, 4, 8 bytes; sectors that the L2 cache fetches. */
enum { CU_MAP_U8 = 0, CU_MAP_U16 = 1, CU_MAP_U32 = 2, CU_MAP_U64 = 4, CU_MAP_L2_256 = 3 };
/* For cuLaunchKernel's `extra`. */
#define CU_PARAM_END    ((void *)0)
#define CU_PARAM_BUFFER ((void *)1)
#define CU_PARAM_SIZE   ((void *)2)

#define CUDA_ENTRIES(X)                                                                            \
  X(primary_retain, cuDevicePrimaryCtxRetain, (cu_object * context, cu_device device))             \
  X(primary_release, cuDevicePrimaryCtxRelease_v2, (cu_device device))                             \
  X(context_current, cuCtxGetCurrent, (cu_object * context))                                       \
  X(context_push, cuCtxPushCurrent_v2, (cu_object context))                                        \
  X(context_pop, cuCtxPopCurrent_v2, (cu_object * context))                                        \
  X(module_load, cuModuleLoadDataEx,                                                               \
    (cu_object * module, const void *image, unsigned n, int *options, void **values))              \
  X(function_set, cuFuncSetAttribute, (cu_object function, int attribute, int value))

/* A launch, as the driver wants to know it. */
typedef struct cu_launch_config {
  unsigned grid[3], block[3], shared;
  cu_object stream;
  struct cu_launch_attribute {
    int id, padding;
    union {
      unsigned cluster[3];
      char room[64];
    } value;
  } * attributes;
  unsigned n_attributes;
} cu_launch_config;
enum { CU_ATTRIBUTE_CLUSTER = 4 };

/* Without a linker the driver is given PTX, and no machine code is kept on disk; without tensor
 * maps kernels that take them are not used. */
#define CUDA_OPTIONAL_ENTRIES(X)                                                                   \
  X(link_create, cuLinkCreate_v2, (unsigned n, int *options, void **values, cu_object *state))     \
  X(link_add, cuLinkAddData_v2,                                                                    \
    (cu_object state, int type, void *data, size_t size, const char *name, unsigned n,             \
     int *options, void **values))                                                                 \
  X(link_complete, cuLinkComplete, (cu_object state, void **cubin, size_t *size))                  \
  X(link_destroy, cuLinkDestroy, (cu_object state))                                                \
  X(encode_tiled, cuTensorMapEncodeTiled,                                                          \
    (void *map, int type, unsigned rank, void *address, const uint64_t *dims,                      \
     const uint64_t *strides, const unsigned *box, const unsigned *steps, int interleave,          \
     int swizzle, int promotion, int fill))                                                        \
  X(clusters_at_once, cuOccupancyMaxActiveClusters,                                                \
    (int *clusters, cu_object function, const cu_launch_config *config))

typedef struct cuda_driver {
  CARD_CALLS;
#define FIELD(field, symbol, parameters) cu_result(*field) parameters;
  CUDA_ENTRIES(FIELD)
  CUDA_OPTIONAL_ENTRIES(FIELD)
#undef FIELD
  int version; /* 12080: of CUDA 12.8 */
} cuda_driver;

/* The oldest driver that is used. */
enum { CUDA_OLDEST_DRIVER = 12000 };

/* The driver, started; NULL when there is none that can be used: then `*why` says so in a sentence
 * that also says what to do. Any thread. */
const cuda_driver *cuda_driver_get(const char **why);

/* "CUDA_ERROR_ASSERT (device-side assert triggered)", in the driver's words. Returns `out`. */
const char *cuda_words(const cuda_driver *d, cu_result result, char *out, size_t size);

#endif
