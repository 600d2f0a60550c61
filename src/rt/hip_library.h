/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * hip_library: AMD's HIP, libamdhip64 of ROCm, opened when it is needed and found; nothing of ROCm
 * is needed to build or to start Tessera. Entries, types and numbers are those of HIP's API
 * reference; `X(field, symbol, parameters)`: each entry returns a hipError_t. Those that CUDA has
 * too stand in rt/card_library.h.
 *
 * The library is looked for as TESSERA_HIP_LIBRARY, else libamdhip64.so of ROCm 7 or 6 where the
 * dynamic linker looks, else in /opt/rocm/lib. It is opened once in a process and stays.
 */
#ifndef TSR_RT_HIP_LIBRARY_H
#define TSR_RT_HIP_LIBRARY_H

#include "rt/card_library.h"

/* hipDeviceProp_t of ROCm 6 and newer: what is read of it, where the published declaration has it.
 */
typedef struct hip_properties {
  char name[256];
  char unused_ids[32];
  size_t memory, shared_bytes;
  char unused[84];
  int multiprocessors;
  char unused_more[768];
  char arch[256]; /* "gfx942:sramecc+:xnack-" */
  char room[1024];
} hip_properties;
_Static_assert(sizeof(void *) < 8 || offsetof(hip_properties, memory) == 288, "HIP's layout");
_Static_assert(sizeof(void *) < 8 || offsetof(hip_properties, multiprocessors) == 388,
               "HIP's layout");
_Static_assert(sizeof(void *) < 8 || offsetof(hip_properties, arch) == 1160, "HIP's layout");

#define HIP_ENTRIES(X)                                                                             \
  X(properties, hipGetDevicePropertiesR0600, (hip_properties * out, int ordinal))                  \
  X(device_set, hipSetDevice, (int ordinal))                                                       \
  X(device_current, hipGetDevice, (int *ordinal))                                                  \
  X(error_peek, hipPeekAtLastError, (void))                                                        \
  X(error_take, hipGetLastError, (void))                                                           \
  X(module_load, hipModuleLoadData, (card_object * module, const void *image))                     \
  X(module_global, hipModuleGetGlobal,                                                             \
    (card_address * address, size_t * bytes, card_object module, const char *name))

/* For reports. */
#define HIP_OPTIONAL_ENTRIES(X)                                                                    \
  X(function_attribute, hipFuncGetAttribute, (int *value, int attribute, card_object function))    \
  X(blocks_at_once, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,                            \
    (int *blocks, card_object function, int threads, size_t shared))

/* For hipModuleLaunchKernel's `extra`. */
#define HIP_PARAM_BUFFER ((void *)1)
#define HIP_PARAM_SIZE   ((void *)2)
#define HIP_PARAM_END    ((void *)3)

typedef struct hip_library {
  CARD_CALLS;
#define FIELD(field, symbol, parameters) card_result(*field) parameters;
  HIP_ENTRIES(FIELD)
  HIP_OPTIONAL_ENTRIES(FIELD)
#undef FIELD
  int version; /* 60342131: of HIP 6.3 */
} hip_library;

/* The oldest HIP that is used: it loads code objects of version 6. */
enum { HIP_OLDEST = 60300000 };

/* HIP, started; NULL when there is none that can be used: then `*why` says so in a sentence that
 * also says what to do. Any thread. */
const hip_library *hip_library_get(const char **why);

#endif
