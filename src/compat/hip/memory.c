/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory: the process's own, which the emulated card knows.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/hip/work.h"
#include "emu/device.h"

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

/* Whoever frees memory waits for all that may use it. */
static hipError_t give_back(void *p) {
  if (!p) return hipSuccess;
  hipError_t r = hip_finish_all();
  hip_lock();
  if (hip_device()) tsr_ptx_unmap(hip_device(), p);
  hip_unlock();
  free(p);
  return hip_result(r);
}

static hipError_t free_step(void *data) {
  void *p;
  memcpy(&p, data, sizeof p);
  if (hip_device()) tsr_ptx_unmap(hip_device(), p);
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
  return p ? hip_result(hip_put(stream, free_step, &p, sizeof p)) : hipSuccess;
}
hipError_t hipHostFree(void *p) {
  return give_back(p);
}

/* ---- copies -----------------------------------------------------------------------------------
 */

typedef struct copying {
  void *to;
  const void *from;
  size_t bytes;
} copying;

static hipError_t copy_step(void *data) {
  const copying *c = data;
  memmove(c->to, c->from, c->bytes);
  return hipSuccess;
}

static hipError_t put_copy(void *to, const void *from, size_t bytes, hipStream_t stream) {
  const copying c = {to, from, bytes};
  if (!bytes) return hipSuccess;
  if (!to || !from) return hip_result(hipErrorInvalidValue);
  return hip_result(hip_put(stream, copy_step, &c, sizeof c));
}

/* One that is done when the call returns. */
static hipError_t copy(void *to, const void *from, size_t bytes) {
  hipError_t r = put_copy(to, from, bytes, NULL);
  return r == hipSuccess ? hip_result(hip_finish(NULL)) : r;
}

static bool is_kind(hipMemcpyKind kind) {
  return kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault;
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  return is_kind(kind) ? copy(to, from, bytes) : hip_result(hipErrorInvalidValue);
}
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return is_kind(kind) ? put_copy(to, from, bytes, stream) : hip_result(hipErrorInvalidValue);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes) {
  return copy(to, from, bytes);
}
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  return copy(to, from, bytes);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return put_copy(to, from, bytes, NULL);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t stream) {
  return put_copy(to, from, bytes, stream);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes,
                              hipStream_t stream) {
  return put_copy(to, from, bytes, stream);
}
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return put_copy(to, from, bytes, stream);
}

/* ---- fills ------------------------------------------------------------------------------------
 */

typedef struct filling {
  void *to;
  int value;
  size_t count, width; /* values of so many bytes */
} filling;

static hipError_t fill_step(void *data) {
  const filling *f = data;
  if (f->width == 1)
    memset(f->to, f->value, f->count);
  else
    for (size_t k = 0; k < f->count; k++) memcpy((char *)f->to + 4 * k, &f->value, 4);
  return hipSuccess;
}

static hipError_t put_fill(const filling *f, hipStream_t stream) {
  if (!f->count) return hipSuccess;
  if (!f->to) return hip_result(hipErrorInvalidValue);
  return hip_result(hip_put(stream, fill_step, f, sizeof *f));
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  return put_fill(&(filling){to, value, bytes, 1}, stream);
}
hipError_t hipMemset(void *to, int value, size_t bytes) {
  return hipMemsetAsync(to, value, bytes, NULL);
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return hipMemsetAsync(to, value, count, NULL);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream) {
  return hipMemsetAsync(to, value, count, stream);
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return put_fill(&(filling){to, value, count, 4}, NULL);
}

/* ---- whose memory it is ------------------------------------------------------------------------
 */

static bool is_device_memory(const void *p) {
  hip_lock();
  const emu_allocation *a = hip_device() ? emu_find(hip_device()->emu, (uintptr_t)p) : NULL;
  bool is = a && !a->freed && (uintptr_t)p - a->base < MAX(a->bytes, (uint64_t)1);
  hip_unlock();
  return is;
}

hipError_t hipPointerGetAttribute(void *value, int attribute, hipDeviceptr_t p) {
  if (!value || !is_device_memory(p)) return hip_result(hipErrorInvalidValue);
  if (attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE)
    memcpy(value, &(unsigned){hipMemoryTypeDevice}, sizeof(unsigned));
  else if (attribute == HIP_POINTER_ATTRIBUTE_DEVICE_POINTER)
    memcpy(value, &p, sizeof p);
  else if (attribute == HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    memcpy(value, &(int){0}, sizeof(int));
  else
    return hip_result(hipErrorInvalidValue);
  return hipSuccess;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *out, const void *p) {
  if (!out) return hip_result(hipErrorInvalidValue);
  bool is = is_device_memory(p);
  *out = (hipPointerAttribute_t){.type = is ? hipMemoryTypeDevice : hipMemoryTypeUnregistered,
                                 .devicePointer = is ? (void *)(uintptr_t)p : NULL};
  return hipSuccess;
}
