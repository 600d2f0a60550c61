/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * card_library: what NVIDIA's driver library and AMD's HIP have in common, and how either is
 * opened when it is needed. HIP was made after CUDA's driver interface: entries, their parameters
 * and the numbers of errors are the same, under other names.
 *
 * `X(field, symbol of CUDA, symbol of HIP, parameters)`: each entry returns a card_result. Fills
 * and copies are those that take a stream: without one they may still be under way when the call
 * returns, and a non-blocking stream does not wait for them.
 *
 * Nothing of this needs the rest of the runtime: programs that measure cards are linked with it.
 */
#ifndef TSR_RT_CARD_LIBRARY_H
#define TSR_RT_CARD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int card_result;                 /* CUresult, hipError_t */
typedef int card_device;                 /* CUdevice, hipDevice_t */
typedef void *card_object;               /* a module, a function, a stream, an event */
typedef unsigned long long card_address; /* CUdeviceptr, hipDeviceptr_t */

enum {
  CARD_OK = 0,
  CARD_INVALID_VALUE = 1,
  CARD_OUT_OF_MEMORY = 2,
  CARD_NO_DEVICE = 100,
  CARD_ILLEGAL_ADDRESS = 700,
  CARD_OUT_OF_RESOURCES = 701,
  CARD_ASSERT = 710,
  CARD_HARDWARE_STACK_ERROR = 714, /* … to 719: a launch failed in one way or another */
  CARD_LAUNCH_FAILED = 719,
};

enum {
  CARD_POINTER_MEMORY_TYPE = 2,
  CARD_MEMORY_DEVICE = 2,
  CARD_STREAM_DEFAULT = 0,
  CARD_STREAM_NON_BLOCKING = 1,
};

#define CARD_ENTRIES(X)                                                                            \
  X(init, cuInit, hipInit, (unsigned flags))                                                       \
  X(driver_version, cuDriverGetVersion, hipRuntimeGetVersion, (int *version))                      \
  X(error_name, cuGetErrorName, hipDrvGetErrorName, (card_result error, const char **text))        \
  X(error_text, cuGetErrorString, hipDrvGetErrorString, (card_result error, const char **text))    \
  X(device_count, cuDeviceGetCount, hipGetDeviceCount, (int *count))                               \
  X(device_get, cuDeviceGet, hipDeviceGet, (card_device * device, int ordinal))                    \
  X(device_name, cuDeviceGetName, hipDeviceGetName, (char *name, int size, card_device device))    \
  X(device_memory, cuDeviceTotalMem_v2, hipDeviceTotalMem, (size_t * bytes, card_device device))   \
  X(device_attribute, cuDeviceGetAttribute, hipDeviceGetAttribute,                                 \
    (int *value, int attribute, card_device device))                                               \
  X(module_unload, cuModuleUnload, hipModuleUnload, (card_object module))                          \
  X(module_function, cuModuleGetFunction, hipModuleGetFunction,                                    \
    (card_object * function, card_object module, const char *name))                                \
  X(launch, cuLaunchKernel, hipModuleLaunchKernel,                                                 \
    (card_object function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,    \
     unsigned block_y, unsigned block_z, unsigned shared, card_object stream, void **params,       \
     void **extra))                                                                                \
  X(alloc, cuMemAlloc_v2, hipMalloc, (card_address * address, size_t bytes))                       \
  X(free, cuMemFree_v2, hipFree, (card_address address))                                           \
  X(fill_on, cuMemsetD8Async, hipMemsetD8Async,                                                    \
    (card_address address, unsigned char value, size_t bytes, card_object stream))                 \
  X(to_device_on, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync,                                        \
    (card_address to, const void *from, size_t bytes, card_object stream))                         \
  X(to_host_on, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync,                                          \
    (void *to, card_address from, size_t bytes, card_object stream))                               \
  X(pointer_attribute, cuPointerGetAttribute, hipPointerGetAttribute,                              \
    (void *value, int attribute, card_address address))                                            \
  X(stream_create, cuStreamCreate, hipStreamCreateWithFlags,                                       \
    (card_object * stream, unsigned flags))                                                        \
  X(stream_destroy, cuStreamDestroy_v2, hipStreamDestroy, (card_object stream))                    \
  X(stream_synchronize, cuStreamSynchronize, hipStreamSynchronize, (card_object stream))           \
  X(stream_wait_event, cuStreamWaitEvent, hipStreamWaitEvent,                                      \
    (card_object stream, card_object event, unsigned flags))                                       \
  X(event_create, cuEventCreate, hipEventCreateWithFlags, (card_object * event, unsigned flags))   \
  X(event_destroy, cuEventDestroy_v2, hipEventDestroy, (card_object event))                        \
  X(event_record, cuEventRecord, hipEventRecord, (card_object event, card_object stream))          \
  X(event_synchronize, cuEventSynchronize, hipEventSynchronize, (card_object event))               \
  X(event_elapsed, cuEventElapsedTime, hipEventElapsedTime,                                        \
    (float *ms, card_object begin, card_object end))

#define CARD_FIELD(field, cuda, hip, parameters) card_result(*field) parameters;
typedef struct card_calls {
  CARD_ENTRIES(CARD_FIELD)
} card_calls;

/* Both ways to name the same fields, as the first member of a library's table: `calls`, and each
 * by itself. */
#define CARD_CALLS                                                                                 \
  union {                                                                                          \
    card_calls calls;                                                                              \
    struct {                                                                                       \
      CARD_ENTRIES(CARD_FIELD)                                                                     \
    };                                                                                             \
  }

/* An entry of a table of functions. */
typedef struct card_entry {
  size_t offset;
  const char *symbol;
  bool optional;
} card_entry;

/* Opens what the environment's `variable` names, else the first of `places` that there is; one that
 * the process has already is preferred, so that all of its parts share one. NULL, with the dynamic
 * linker's words about the first place in `problem`. */
void *card_library_open(const char *variable, const char *const *places, size_t n, char *problem,
                        size_t size);

/* Fills the table. The name of an entry that is missing; NULL. */
const char *card_library_find(void *library, const card_entry *entries, size_t n, void *table);

/* "CUDA_ERROR_ASSERT (device-side assert triggered)", in the library's words; else "CUDA error 7".
 * Returns `out`. */
const char *card_words(const card_calls *calls, const char *library, card_result result, char *out,
                       size_t size);

#endif
