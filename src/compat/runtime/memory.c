/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Allocating, pools, and questions about pointers.
 */
#include <string.h>

#include "compat/runtime/runtime.h"

/* ---- allocating ----------------------------------------------------------------------------- */

/* Nothing of memory is no memory, and no error; a program may ask for it. */
static bool asks_nothing(void **address, size_t bytes) {
  if (!address || bytes) return false;
  *address = NULL;
  return true;
}

cudaError_t cudaMalloc(void **address, size_t bytes) {
  CALL(asks_nothing(address, bytes) ? CUDA_SUCCESS : cuMemAlloc((CUdeviceptr *)address, bytes));
}

cudaError_t cudaMallocHost(void **address, size_t bytes) {
  CALL(asks_nothing(address, bytes) ? CUDA_SUCCESS : cuMemAllocHost(address, bytes));
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned int flags) {
  CALL(asks_nothing(address, bytes) ? CUDA_SUCCESS : cuMemHostAlloc(address, bytes, flags));
}

cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned int flags) {
  CALL(cuMemAllocManaged((CUdeviceptr *)address, bytes, flags));
}

static CUresult pitched(void **address, size_t *pitch, size_t width, size_t height) {
  if (!address || !pitch) return CUDA_ERROR_INVALID_VALUE;
  *pitch = 0;
  if (asks_nothing(address, width && height)) return CUDA_SUCCESS;
  return cuMemAllocPitch((CUdeviceptr *)address, pitch, width, height, 4);
}

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
  CALL(pitched(address, pitch, width, height));
}

static CUresult pitched_3d(cudaPitchedPtr *out, cudaExtent extent) {
  size_t rows;
  if (!out || __builtin_mul_overflow(extent.height, extent.depth, &rows))
    return CUDA_ERROR_INVALID_VALUE;
  *out = (cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
  return pitched(&out->ptr, &out->pitch, extent.width, rows);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent) {
  CALL(pitched_3d(out, extent));
}

cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
  CALL(asks_nothing(address, bytes) ? CUDA_SUCCESS
                                    : cuMemAllocAsync((CUdeviceptr *)address, bytes, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  CALL(cuMemAllocFromPoolAsync((CUdeviceptr *)address, bytes, pool, stream));
}

cudaError_t cudaFree(void *address) {
  CALL(cuMemFree(rt_ptr(address)));
}

cudaError_t cudaFreeHost(void *address) {
  CALL(cuMemFreeHost(address));
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
  CALL(address ? cuMemFreeAsync(rt_ptr(address), stream) : CUDA_SUCCESS);
}

cudaError_t cudaHostRegister(void *address, size_t bytes, unsigned int flags) {
  CALL(cuMemHostRegister(address, bytes, flags));
}

cudaError_t cudaHostUnregister(void *address) {
  CALL(cuMemHostUnregister(address));
}

/* ---- questions ------------------------------------------------------------------------------ */

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
  CALL(cuMemHostGetDevicePointer((CUdeviceptr *)device, host, flags));
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  CALL(cuMemHostGetFlags(flags, host));
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  CALL(cuMemGetInfo(available, total));
}

/* Memory that nobody allocated through the API is the host's, and no error. */
static CUresult get_attributes(cudaPointerAttributes *out, const void *address) {
  unsigned type = 0;
  int managed = 0;
  memset(out, 0, sizeof *out);
  out->device = -2; /* what the API says of memory that it does not know */
  out->hostPointer = (void *)(uintptr_t)address;
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, rt_ptr(address)))
    return CUDA_SUCCESS;
  cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, rt_ptr(address));
  out->device = 0;
  out->devicePointer = (void *)(uintptr_t)address;
  out->type = managed                        ? cudaMemoryTypeManaged
              : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                             : cudaMemoryTypeHost;
  if (out->type == cudaMemoryTypeDevice) out->hostPointer = NULL;
  return CUDA_SUCCESS;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address) {
  if (!attributes) return rt_fail(cudaErrorInvalidValue);
  CALL(get_attributes(attributes, address));
}

/* ---- advice --------------------------------------------------------------------------------- */

static CUresult advise(const void *address, size_t bytes, int advice) {
  return cuMemAdvise(rt_ptr(address), bytes, advice, (CUmemLocation){0});
}

static CUresult prefetch(const void *address, size_t bytes, unsigned flags, cudaStream_t stream) {
  return cuMemPrefetchAsync(rt_ptr(address), bytes, (CUmemLocation){0}, flags, stream);
}

#if TSR_CUDART_VERSION >= 13
cudaError_t cudaMemAdvise(const void *address, size_t bytes, int advice, cudaMemLocation location) {
  (void)location;
  CALL(advise(address, bytes, advice));
}

cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
  (void)location;
  CALL(prefetch(address, bytes, flags, stream));
}
#else
cudaError_t cudaMemAdvise(const void *address, size_t bytes, int advice, int device) {
  (void)device;
  CALL(advise(address, bytes, advice));
}

cudaError_t cudaMemAdvise_v2(const void *address, size_t bytes, int advice,
                             cudaMemLocation location) {
  (void)location;
  CALL(advise(address, bytes, advice));
}

cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device,
                                 cudaStream_t stream) {
  (void)device;
  CALL(prefetch(address, bytes, 0, stream));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *address, size_t bytes, cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream) {
  (void)location;
  CALL(prefetch(address, bytes, flags, stream));
}
#endif

/* ---- pools ---------------------------------------------------------------------------------- */

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  CALL(cuDeviceGetDefaultMemPool(pool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  CALL(cuDeviceGetMemPool(pool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  CALL(cuDeviceSetMemPool(device, pool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *props) {
  CALL(cuMemPoolCreate(pool, props));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  CALL(cuMemPoolDestroy(pool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  CALL(cuMemPoolTrimTo(pool, keep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value) {
  CALL(cuMemPoolSetAttribute(pool, attribute, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value) {
  CALL(cuMemPoolGetAttribute(pool, attribute, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *map, size_t count) {
  CALL(cuMemPoolSetAccess(pool, map, count));
}

cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *location) {
  enum { READ_AND_WRITE = 3 };
  if (!flags || !location) return rt_fail(cudaErrorInvalidValue);
  *flags = READ_AND_WRITE;
  CALL(cuMemPoolTrimTo(pool, SIZE_MAX)); /* which looks at the pool, and keeps all of it */
}
