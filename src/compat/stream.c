/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams and events.
 */
#include <time.h>

#include "compat/driver.h"

/* ---- streams -------------------------------------------------------------------------------- */

drv_stream *stream_new(drv_context *owner, unsigned flags, int priority) {
  static atomic_ullong ids;
  drv_stream *s = object_new(OBJECT_STREAM, sizeof *s, owner);
  if (!s) return NULL;
  s->id = atomic_fetch_add(&ids, 1) + 1;
  s->flags = flags;
  s->priority = priority;
  pthread_mutex_init(&s->turn, NULL);
  return s;
}

void stream_destroy(drv_stream *s) {
  capture_forget_stream(s);
  pthread_mutex_destroy(&s->turn);
}

CUresult stream_get(drv_context *ctx, CUstream handle, drv_stream **out) {
  if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
    *out = handle == CU_STREAM_PER_THREAD ? ctx->per_thread : ctx->legacy;
    KEEP(*out);
    return CUDA_SUCCESS;
  }
  *out = GET(OBJECT_STREAM, handle);
  if (!*out) return CUDA_ERROR_INVALID_HANDLE;
  if ((*out)->base.owner == ctx) return CUDA_SUCCESS;
  PUT(*out);
  *out = NULL;
  return CUDA_ERROR_INVALID_HANDLE;
}

/* For questions: a stream of any context, or a default one of the current one. */
static CUresult stream_any(CUstream handle, drv_stream **out) {
  CUresult r = initialised();
  if (r) return r;
  if ((uintptr_t)handle > 2) {
    *out = GET(OBJECT_STREAM, handle);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  }
  drv_context *ctx;
  r = enter_anyway(&ctx);
  if (r) return r;
  r = stream_get(ctx, handle, out);
  PUT(ctx);
  return r;
}

CUresult cuStreamCreateWithPriority(CUstream *out, unsigned int flags, int priority) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  drv_stream *s = NULL;
  if (!out || flags > CU_STREAM_NON_BLOCKING)
    r = CUDA_ERROR_INVALID_VALUE;
  else if (!(s = stream_new(ctx, flags, priority < -5 ? -5 : priority > 0 ? 0 : priority)))
    r = CUDA_ERROR_OUT_OF_MEMORY;
  else
    *out = HANDLE(CUstream, s);
  PUT(ctx);
  return r;
}

CUresult cuStreamCreate(CUstream *out, unsigned int flags) {
  return cuStreamCreateWithPriority(out, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_stream *s = GET(OBJECT_STREAM, handle);
  if (!s) return CUDA_ERROR_INVALID_HANDLE;
  bool closed = object_close(&s->base);
  PUT(s);
  return closed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Waiting and asking: nothing is left to wait for but late works, and there is a fault to tell. */
static CUresult stream_settled(CUstream handle) {
  drv_context *ctx;
  drv_stream *s;
  CUresult r = enter(&ctx);
  if (r) return r;
  r = stream_get(ctx, handle, &s);
  if (!r) {
    r = capture_refuse(s);
    if (!r) r = late_finish_stream(ctx, s);
    PUT(s);
  }
  PUT(ctx);
  return r;
}

CUresult cuStreamQuery(CUstream stream) {
  return stream_settled(stream);
}

CUresult cuStreamSynchronize(CUstream stream) {
  return stream_settled(stream);
}

CUresult cuStreamGetFlags(CUstream handle, unsigned int *flags) {
  drv_stream *s;
  CUresult r = stream_any(handle, &s);
  if (r) return r;
  if (flags) *flags = s->flags;
  PUT(s);
  return flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  drv_stream *s;
  CUresult r = stream_any(handle, &s);
  if (r) return r;
  if (priority) *priority = s->priority;
  PUT(s);
  return priority ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetId(CUstream handle, unsigned long long *id) {
  drv_stream *s;
  CUresult r = stream_any(handle, &s);
  if (r) return r;
  if (id) *id = s->id;
  PUT(s);
  return id ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *out) {
  drv_stream *s;
  CUresult r = stream_any(handle, &s);
  if (r) return r;
  /* Its context lives: it would have closed the stream, whose handle was good just now. */
  if (out) *out = HANDLE(CUcontext, (drv_context *)s->base.owner);
  PUT(s);
  return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *out, CUgreenCtx *green) {
  CUresult r = cuStreamGetCtx(handle, out);
  if (!r && green) *green = NULL;
  return r;
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice *device) {
  drv_stream *s;
  CUresult r = stream_any(handle, &s);
  if (r) return r;
  PUT(s);
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  drv_stream *a, *b;
  CUresult r = stream_any(dst, &a);
  if (r) return r;
  r = stream_any(src, &b);
  if (!r) PUT(b);
  PUT(a);
  return r;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr dptr, size_t length,
                                unsigned int flags) {
  range found;
  bool known = memory_find((uintptr_t)dptr, &found) && found.kind == RANGE_MANAGED;
  if (!known || length > found.size || !flags || flags > 4) return CUDA_ERROR_INVALID_VALUE;
  return submit_to(stream, &(work){.kind = WORK_EMPTY});
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *user) {
  if (!fn) return CUDA_ERROR_INVALID_VALUE;
  return submit_to(stream, &(work){.kind = WORK_HOST, .host = {fn, user}});
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user,
                             unsigned int flags) {
  if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
  return submit_to(stream, &(work){.kind = WORK_CALLBACK, .callback = {callback, user, stream}});
}

/* ---- events --------------------------------------------------------------------------------- */

void event_destroy(drv_event *e) {
  capture_forget_event(e);
}

CUresult event_record_now(drv_event *e) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  atomic_store(&e->recorded_ns, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *out, unsigned int flags) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  drv_event *e = NULL;
  if (!out || flags > 7)
    r = CUDA_ERROR_INVALID_VALUE;
  else if (flags & CU_EVENT_INTERPROCESS)
    r = CUDA_ERROR_NOT_SUPPORTED;
  else if (!(e = object_new(OBJECT_EVENT, sizeof *e, ctx)))
    r = CUDA_ERROR_OUT_OF_MEMORY;
  if (e) {
    e->flags = flags;
    *out = HANDLE(CUevent, e);
  }
  PUT(ctx);
  return r;
}

CUresult cuEventDestroy_v2(CUevent handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_event *e = GET(OBJECT_EVENT, handle);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  bool closed = object_close(&e->base);
  PUT(e);
  return closed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult event_work(work_kind kind, CUevent handle, CUstream stream) {
  CUresult r = initialised();
  if (r) return r;
  drv_event *e = GET(OBJECT_EVENT, handle);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  r = submit_to(stream, &(work){.kind = kind, .event = e});
  PUT(e);
  return r;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return flags > 1 ? CUDA_ERROR_INVALID_VALUE : event_work(WORK_RECORD, event, stream);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return flags > 1 ? CUDA_ERROR_INVALID_VALUE : event_work(WORK_WAIT, event, stream);
}

/* An event that was never recorded counts as reached, as the API says. */
static CUresult event_settled(CUevent handle) {
  drv_context *ctx;
  CUresult r = initialised();
  if (r) return r;
  drv_event *e = GET(OBJECT_EVENT, handle);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  bool captured = e->capture != NULL;
  if (!captured) late_finish_event(e);
  PUT(e);
  if (captured) return CUDA_ERROR_CAPTURED_EVENT;
  r = enter(&ctx);
  if (!r) PUT(ctx);
  return r == CUDA_ERROR_INVALID_CONTEXT ? CUDA_SUCCESS : r;
}

CUresult cuEventQuery(CUevent event) {
  return event_settled(event);
}

CUresult cuEventSynchronize(CUevent event) {
  return event_settled(event);
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) {
  CUresult r = initialised();
  if (r) return r;
  drv_event *a = GET(OBJECT_EVENT, start), *b = GET(OBJECT_EVENT, end);
  int64_t from = a ? atomic_load(&a->recorded_ns) : 0, to = b ? atomic_load(&b->recorded_ns) : 0;
  bool timed = a && b && !((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING);
  bool reached = timed && late_is_reached(a) && late_is_reached(b);
  PUT(a);
  PUT(b);
  if (!ms) return CUDA_ERROR_INVALID_VALUE;
  if (!timed) return CUDA_ERROR_INVALID_HANDLE;
  if (!reached) return CUDA_ERROR_NOT_READY;
  if (!from || !to) return CUDA_ERROR_INVALID_HANDLE;
  *ms = (float)((double)(to - from) * 1e-6);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(ms, start, end);
}
