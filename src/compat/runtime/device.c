/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The device, and each thread's context of it: the primary one, unless the program has made another
 * one current through the driver. Also libraries that a program loads itself.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/runtime/runtime.h"

/* ---- starting ------------------------------------------------------------------------------- */

static pthread_mutex_t context_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(CUcontext) primary; /* NULL: not retained, or reset */
static __thread CUcontext mine;    /* what this file made current */

static CUresult retain_primary(void) {
  CUresult r = CUDA_SUCCESS;
  pthread_mutex_lock(&context_lock);
  if (!atomic_load(&primary)) {
    CUcontext ctx;
    r = cuInit(0);
    if (!r) r = cuDevicePrimaryCtxRetain(&ctx, 0);
    if (!r) atomic_store(&primary, ctx);
  }
  pthread_mutex_unlock(&context_lock);
  return r;
}

CUresult rt_begin(void) {
  CUcontext ctx = atomic_load(&primary), current = NULL;
  CUresult r = ctx ? CUDA_SUCCESS : retain_primary();
  if (r) return r;
  ctx = atomic_load(&primary);
  r = cuCtxGetCurrent(&current);
  if (r || current == ctx) return r;
  if (current && current != mine) return CUDA_SUCCESS; /* the program's own */
  mine = ctx;
  return cuCtxSetCurrent(ctx);
}

cudaError_t cudaDeviceReset(void) {
  CUresult r = rt_begin();
  pthread_mutex_lock(&context_lock);
  if (!r) r = cuDevicePrimaryCtxReset(0);
  atomic_store(&primary, NULL);
  pthread_mutex_unlock(&context_lock);
  cudaGetLastError();
  return rt_end(r);
}

cudaError_t cudaDeviceSynchronize(void) {
  CALL(cuCtxSynchronize());
}

#if TSR_CUDART_VERSION < 13
cudaError_t cudaThreadExit(void) {
  return cudaDeviceReset();
}

cudaError_t cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}
#endif

/* ---- which device --------------------------------------------------------------------------- */

static CUresult known(int device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count) return rt_fail(cudaErrorInvalidValue);
  *count = 0;
  CUresult r = cuInit(0);
  return rt_end(r ? r : cuDeviceGetCount(count));
}

cudaError_t cudaGetDevice(int *device) {
  if (!device) return rt_fail(cudaErrorInvalidValue);
  *device = 0;
  return rt_end(cuInit(0));
}

cudaError_t cudaSetDevice(int device) {
  CALL(known(device));
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags) {
  (void)device_flags, (void)flags;
  CALL(known(device));
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
  if (count < 0 || (count && !devices)) return rt_fail(cudaErrorInvalidValue);
  for (int i = 0; i < count; i++)
    if (devices[i] != 0) return rt_fail(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *prop) {
  if (!prop) return rt_fail(cudaErrorInvalidValue);
  return cudaGetDevice(device);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  CALL(cuDevicePrimaryCtxSetFlags(0, flags));
}

static CUresult get_flags(unsigned *flags) {
  enum { MAP_HOST = 8 }; /* always so */
  int active;
  CUresult r = flags ? cuDevicePrimaryCtxGetState(0, flags, &active) : CUDA_ERROR_INVALID_VALUE;
  if (!r) *flags |= MAP_HOST;
  return r;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  CALL(get_flags(flags));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
  CALL(cuDeviceGetByPCIBusId(device, id));
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device) {
  CALL(cuDeviceGetPCIBusId(id, len, device));
}

/* ---- what it is ----------------------------------------------------------------------------- */

/* What kernels of PTX reach is what was allocated, unless they were let out; the driver's own
 * answers are for Tile IR, whose kernels reach all of the host's memory. */
static bool is_denied(int attribute) {
  const char *pageable = getenv("TESSERA_CUDA_PAGEABLE");
  if (pageable && *pageable && strcmp(pageable, "0") != 0) return false;
  return attribute == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS ||
         attribute == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES;
}

static int attribute_value(int attribute) {
  int value = 0;
  if (!is_denied(attribute)) cuDeviceGetAttribute(&value, (CUdevice_attribute)attribute, 0);
  return value;
}

static CUresult get_attribute(int *value, int attribute, int device) {
  CUresult r = cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device);
  if (!r && is_denied(attribute)) *value = 0;
  return r;
}

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device) {
  CALL(get_attribute(value, attribute, device));
}

typedef struct property {
  unsigned short offset, size;
  int attribute;
} property;

#define PROPERTY(field, attribute)                                                                 \
  {                                                                                                \
    offsetof(cudaDeviceProp, field), sizeof(((cudaDeviceProp *)0)->field),                         \
        CU_DEVICE_ATTRIBUTE_##attribute                                                            \
  }

static const property properties[] = {
    PROPERTY(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK),
    PROPERTY(regsPerBlock, MAX_REGISTERS_PER_BLOCK),
    PROPERTY(warpSize, WARP_SIZE),
    PROPERTY(memPitch, MAX_PITCH),
    PROPERTY(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
    PROPERTY(maxThreadsDim[0], MAX_BLOCK_DIM_X),
    PROPERTY(maxThreadsDim[1], MAX_BLOCK_DIM_Y),
    PROPERTY(maxThreadsDim[2], MAX_BLOCK_DIM_Z),
    PROPERTY(maxGridSize[0], MAX_GRID_DIM_X),
    PROPERTY(maxGridSize[1], MAX_GRID_DIM_Y),
    PROPERTY(maxGridSize[2], MAX_GRID_DIM_Z),
    PROPERTY(totalConstMem, TOTAL_CONSTANT_MEMORY),
    PROPERTY(major, COMPUTE_CAPABILITY_MAJOR),
    PROPERTY(minor, COMPUTE_CAPABILITY_MINOR),
    PROPERTY(textureAlignment, TEXTURE_ALIGNMENT),
    PROPERTY(multiProcessorCount, MULTIPROCESSOR_COUNT),
    PROPERTY(integrated, INTEGRATED),
    PROPERTY(canMapHostMemory, CAN_MAP_HOST_MEMORY),
    PROPERTY(concurrentKernels, CONCURRENT_KERNELS),
    PROPERTY(asyncEngineCount, ASYNC_ENGINE_COUNT),
    PROPERTY(unifiedAddressing, UNIFIED_ADDRESSING),
    PROPERTY(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH),
    PROPERTY(l2CacheSize, L2_CACHE_SIZE),
    PROPERTY(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR),
    PROPERTY(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED),
    PROPERTY(globalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED),
    PROPERTY(localL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED),
    PROPERTY(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    PROPERTY(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR),
    PROPERTY(managedMemory, MANAGED_MEMORY),
    PROPERTY(hostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED),
    PROPERTY(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS),
    PROPERTY(canUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM),
    PROPERTY(cooperativeLaunch, COOPERATIVE_LAUNCH),
    PROPERTY(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    PROPERTY(directManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST),
    PROPERTY(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR),
    PROPERTY(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK),
    PROPERTY(hostRegisterSupported, HOST_REGISTER_SUPPORTED),
    PROPERTY(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED),
    PROPERTY(clusterLaunch, CLUSTER_LAUNCH),
#if TSR_CUDART_VERSION < 13
    PROPERTY(clockRate, CLOCK_RATE),
    PROPERTY(deviceOverlap, GPU_OVERLAP),
    PROPERTY(memoryClockRate, MEMORY_CLOCK_RATE),
    PROPERTY(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO),
#endif
};

static void set_property(cudaDeviceProp *prop, const property *p) {
  char *at = (char *)prop + p->offset;
  int value = attribute_value(p->attribute);
  if (p->size == sizeof(size_t))
    *(size_t *)(void *)at = (size_t)value;
  else
    *(int *)(void *)at = value;
}

static CUresult get_properties(cudaDeviceProp *prop, int device) {
  if (!prop) return CUDA_ERROR_INVALID_VALUE;
  memset(prop, 0, sizeof *prop);
  CUresult r = cuDeviceGetName(prop->name, sizeof prop->name, device);
  if (!r) r = cuDeviceGetUuid(&prop->uuid, device);
  if (!r) r = cuDeviceTotalMem(&prop->totalGlobalMem, device);
  for (size_t i = 0; !r && i < COUNT(properties); i++) set_property(prop, &properties[i]);
  return r;
}

#if TSR_CUDART_VERSION >= 13
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device) {
#else
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *prop, int device) {
#endif
  CALL(get_properties(prop, device));
}

/* ---- settings ------------------------------------------------------------------------------- */

cudaError_t cudaDeviceSetLimit(int limit, size_t value) {
  CALL(cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *value, int limit) {
  CALL(cuCtxGetLimit(value, (CUlimit)limit));
}

cudaError_t cudaDeviceGetCacheConfig(int *config) {
  CALL(cuCtxGetCacheConfig(config));
}

cudaError_t cudaDeviceSetCacheConfig(int config) {
  CALL(cuCtxSetCacheConfig(config));
}

cudaError_t cudaDeviceGetSharedMemConfig(int *config) {
  if (!config) return rt_fail(cudaErrorInvalidValue);
  *config = 1; /* banks of 4 bytes */
  CALL(CUDA_SUCCESS);
}

cudaError_t cudaDeviceSetSharedMemConfig(int config) {
  CALL(config >= 0 && config <= 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  CALL(cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  CALL(cuCtxResetPersistingL2Cache());
}

/* ---- there is no other device --------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  CALL(cuDeviceCanAccessPeer(can, device, peer));
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  (void)flags;
  CALL(known(peer) ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  CALL(known(peer) ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
  (void)attribute;
  if (!value) return rt_fail(cudaErrorInvalidValue);
  *value = 0;
  CALL(known(device) || known(peer) || device == peer ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS);
}

/* ---- versions and the driver ---------------------------------------------------------------- */

cudaError_t cudaDriverGetVersion(int *version) {
  return rt_end(cuDriverGetVersion(version));
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  if (!version) return rt_fail(cudaErrorInvalidValue);
  *version = TSR_CUDART_VERSION >= 13 ? 13000 : 12080;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) {
  CALL(cuProfilerStart());
}

cudaError_t cudaProfilerStop(void) {
  CALL(cuProfilerStop());
}

/* Unlike the driver's call it succeeds when there is no such entry, and says so in the status. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                             unsigned int version, unsigned long long flags,
                                             int *status) {
  CUdriverProcAddressQueryResult found;
  if (!symbol || !function) return rt_fail(cudaErrorInvalidValue);
  CUresult r = rt_begin();
  if (!r) r = cuGetProcAddress(symbol, function, (int)version, flags, &found);
  if (r == CUDA_ERROR_NOT_FOUND && status) r = CUDA_SUCCESS;
  if (!r && status) *status = (int)found;
  return rt_end(r);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    int *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDA_VERSION, flags, status);
}

cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id) {
  return rt_end(cuGetExportTable(table, id));
}

/* ---- libraries ------------------------------------------------------------------------------ */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, CUjit_option *jit,
                                void **jit_values, unsigned int n_jit, CUlibraryOption *options,
                                void **values, unsigned int count) {
  CALL(cuLibraryLoadData(library, code, jit, jit_values, n_jit, options, values, count));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, CUjit_option *jit,
                                    void **jit_values, unsigned int n_jit, CUlibraryOption *options,
                                    void **values, unsigned int count) {
  CALL(cuLibraryLoadFromFile(library, path, jit, jit_values, n_jit, options, values, count));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  CALL(cuLibraryUnload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  CALL(cuLibraryGetKernel(kernel, library, name));
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
  CALL(cuLibraryGetGlobal((CUdeviceptr *)address, bytes, library, name));
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
                                  const char *name) {
  CALL(cuLibraryGetGlobal((CUdeviceptr *)address, bytes, library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library) {
  CALL(cuLibraryGetKernelCount(count, library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int count,
                                        cudaLibrary_t library) {
  CALL(cuLibraryEnumerateKernels(kernels, count, library));
}
