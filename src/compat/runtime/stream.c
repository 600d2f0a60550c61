/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams and events.
 */
#include <string.h>

#include "compat/runtime/runtime.h"

/* ---- streams -------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  CALL(cuStreamCreate(stream, CU_STREAM_DEFAULT));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  CALL(cuStreamCreate(stream, flags));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  CALL(cuStreamCreateWithPriority(stream, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  CALL(cuStreamDestroy(stream));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  CALL(cuStreamGetPriority(stream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  CALL(cuStreamGetFlags(stream, flags));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  CALL(cuStreamGetId(stream, id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  CALL(cuStreamGetDevice(stream, device));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  CALL(cuStreamCopyAttributes(dst, src));
}

/* Attributes say how a GPU goes about its work, such as what its cache keeps; none is kept here. */
static CUresult attribute(cudaStream_t stream, const void *value) {
  unsigned flags;
  return value ? cuStreamGetFlags(stream, &flags) : CUDA_ERROR_INVALID_VALUE;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int id,
                                   const cudaLaunchAttributeValue *value) {
  (void)id;
  CALL(attribute(stream, value));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int id, cudaLaunchAttributeValue *value) {
  (void)id;
  if (value) memset(value, 0, sizeof *value);
  CALL(attribute(stream, value));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  CALL(cuStreamWaitEvent(stream, event, flags));
}

typedef void (*stream_callback)(cudaStream_t stream, cudaError_t status, void *user);

/* A result of the driver's is an error of the runtime's, so the function may be called as it is. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, stream_callback callback, void *user,
                                  unsigned int flags) {
  CUstreamCallback same;
  memcpy(&same, &callback, sizeof same);
  CALL(cuStreamAddCallback(stream, same, user, flags));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  CALL(cuStreamSynchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CALL(cuStreamQuery(stream));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t length,
                                     unsigned int flags) {
  CALL(cuStreamAttachMemAsync(stream, rt_ptr(address), length, flags));
}

/* ---- capture -------------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode) {
  CALL(cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  CALL(cuStreamEndCapture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status) {
  CALL(cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)status));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) {
  CALL(cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

static CUresult capture_info(cudaStream_t stream, int *status, unsigned long long *id,
                             cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                             const cudaGraphEdgeData **edges, size_t *count) {
  cuuint64_t number = 0;
  CUresult r = cuStreamGetCaptureInfo(stream, (CUstreamCaptureStatus *)status, &number, graph,
                                      dependencies, edges, count);
  if (!r && id) *id = number;
  return r;
}

#if TSR_CUDART_VERSION >= 13
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count) {
  CALL(capture_info(stream, status, id, graph, dependencies, edges, count));
}
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                                        cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                        size_t *count) {
  CALL(capture_info(stream, status, id, graph, dependencies, NULL, count));
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, int *status, unsigned long long *id,
                                        cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                        const cudaGraphEdgeData **edges, size_t *count) {
  CALL(capture_info(stream, status, id, graph, dependencies, edges, count));
}
#endif

/* ---- events --------------------------------------------------------------------------------- */

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  CALL(cuEventCreate(event, CU_EVENT_DEFAULT));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  CALL(cuEventCreate(event, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  CALL(cuEventDestroy(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CALL(cuEventRecord(event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  CALL(cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  CALL(cuEventQuery(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  CALL(cuEventSynchronize(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  CALL(cuEventElapsedTime(ms, start, end));
}

#if TSR_CUDART_VERSION < 13
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end) {
  CALL(cuEventElapsedTime(ms, start, end));
}
#endif
