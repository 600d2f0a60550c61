/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams and events: what they would wait for has been done.
 */
#include <stdlib.h>
#include <time.h>

#include "compat/hip/hip.h"

struct hip_stream {
  int unused;
};
struct hip_event {
  struct timespec at;
};

static hipError_t create(void **out, size_t bytes) {
  if (!out) return hip_result(hipErrorInvalidValue);
  *out = calloc(1, bytes);
  return hip_result(*out ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipStreamCreate(hipStream_t *out) {
  return create((void **)out, sizeof **out);
}
hipError_t hipStreamCreateWithFlags(hipStream_t *out, unsigned flags) {
  (void)flags;
  return hipStreamCreate(out);
}
hipError_t hipStreamDestroy(hipStream_t s) {
  free(s);
  return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t s) {
  (void)s;
  return hipSuccess;
}
hipError_t hipStreamQuery(hipStream_t s) {
  (void)s;
  return hipSuccess;
}
hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned flags) {
  (void)s, (void)e, (void)flags;
  return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t *out) {
  return create((void **)out, sizeof **out);
}
hipError_t hipEventCreateWithFlags(hipEvent_t *out, unsigned flags) {
  (void)flags;
  return hipEventCreate(out);
}
hipError_t hipEventDestroy(hipEvent_t e) {
  free(e);
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) {
  (void)s;
  if (!e) return hip_result(hipErrorInvalidHandle);
  clock_gettime(CLOCK_MONOTONIC, &e->at);
  return hipSuccess;
}
hipError_t hipEventSynchronize(hipEvent_t e) {
  return hip_result(e ? hipSuccess : hipErrorInvalidHandle);
}
hipError_t hipEventQuery(hipEvent_t e) {
  return hipEventSynchronize(e);
}
hipError_t hipEventElapsedTime(float *ms, hipEvent_t begin, hipEvent_t end) {
  if (!ms || !begin || !end) return hip_result(hipErrorInvalidHandle);
  *ms = (float)(1e3 * (double)(end->at.tv_sec - begin->at.tv_sec) +
                1e-6 * (double)(end->at.tv_nsec - begin->at.tv_nsec));
  return hipSuccess;
}
