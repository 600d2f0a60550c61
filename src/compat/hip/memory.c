/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory: the process's own, which the emulated card knows.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/hip/hip.h"

enum { ALIGNMENT = 256 };

static hipError_t allocate(void **out, size_t bytes) {
  size_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  *out = NULL;
  if (!hip_device()) return hipErrorInvalidDevice;
  if (!bytes) return hipSuccess;
  void *p = whole >= bytes ? aligned_alloc(ALIGNMENT, whole) : NULL;
  hip_lock();
  bool mapped = p && tsr_ptx_map(hip_device(), p, bytes) == TSR_OK;
  hip_unlock();
  if (!mapped) free(p);
  if (mapped) *out = p;
  return mapped ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t give_back(void *p) {
  if (!p) return hipSuccess;
  hip_lock();
  if (hip_device()) tsr_ptx_unmap(hip_device(), p);
  hip_unlock();
  free(p);
  return hipSuccess;
}

hipError_t hipMalloc(void **out, size_t bytes) {
  return hip_result(out ? allocate(out, bytes) : hipErrorInvalidValue);
}
hipError_t hipMallocManaged(void **out, size_t bytes, unsigned flags) {
  (void)flags;
  return hipMalloc(out, bytes);
}
hipError_t hipMallocAsync(void **out, size_t bytes, hipStream_t stream) {
  (void)stream;
  return hipMalloc(out, bytes);
}
hipError_t hipHostMalloc(void **out, size_t bytes, unsigned flags) {
  (void)flags;
  return hipMalloc(out, bytes);
}
hipError_t hipFree(void *p) {
  return give_back(p);
}
hipError_t hipFreeAsync(void *p, hipStream_t stream) {
  (void)stream;
  return give_back(p);
}
hipError_t hipHostFree(void *p) {
  return give_back(p);
}

/* ---- copies -----------------------------------------------------------------------------------
 */

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault || (bytes && (!to || !from)))
    return hip_result(hipErrorInvalidValue);
  if (bytes) memmove(to, from, bytes);
  return hipSuccess;
}
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  (void)stream;
  return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes) {
  return hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  return hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes,
                              hipStream_t stream) {
  (void)stream;
  return hipMemcpyHtoD(to, from, bytes);
}
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  (void)stream;
  return hipMemcpyDtoH(to, from, bytes);
}

hipError_t hipMemset(void *to, int value, size_t bytes) {
  if (bytes && !to) return hip_result(hipErrorInvalidValue);
  if (bytes) memset(to, value, bytes);
  return hipSuccess;
}
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  (void)stream;
  return hipMemset(to, value, bytes);
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return hipMemset(to, value, count);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream) {
  (void)stream;
  return hipMemset(to, value, count);
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  if (count && !to) return hip_result(hipErrorInvalidValue);
  for (size_t k = 0; k < count; k++) memcpy((char *)to + 4 * k, &value, 4);
  return hipSuccess;
}
