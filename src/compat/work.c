/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations: executing one, copying it into a graph, and the order of streams.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"

CUresult work_run(drv_context *ctx, const work *w) {
  switch (w->kind) {
  case WORK_EMPTY:
  case WORK_WAIT: /* whatever the event stands for has been executed */
  case WORK_ALLOC: /* a graph's memory lives as long as the graph */ return CUDA_SUCCESS;
  case WORK_KERNEL: return engine_launch(ctx, &w->kernel);
  case WORK_COPY: copy_run(&w->copy); return CUDA_SUCCESS;
  case WORK_FILL: fill_run(&w->fill); return CUDA_SUCCESS;
  case WORK_HOST: w->host.fn(w->host.user); return CUDA_SUCCESS;
  case WORK_CALLBACK:
    w->callback.fn(w->callback.stream, CUDA_SUCCESS, w->callback.user);
    return CUDA_SUCCESS;
  case WORK_RECORD: return event_record_now(w->event);
  case WORK_FREE: return memory_free((uintptr_t)w->freed, 1u << RANGE_DEVICE | 1u << RANGE_MANAGED);
  case WORK_GRAPH: return graph_run(ctx, w->graph);
  }
  return CUDA_ERROR_UNKNOWN;
}

CUresult alloc_work(size_t bytes, work *out) {
  graph_memory *memory = calloc(1, sizeof *memory);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = memory_new(NULL, RANGE_DEVICE, bytes, 0, 0, &memory->address);
  if (r) {
    free(memory);
    return r;
  }
  memory->refs = 1;
  memory->size = bytes;
  *out = (work){.kind = WORK_ALLOC, .memory = memory};
  return CUDA_SUCCESS;
}

/* A graph's own memory is not freed before the graph. */
CUresult free_work(CUdeviceptr dptr, work *out) {
  range found;
  if (!memory_find((uintptr_t)dptr, &found) || found.base != dptr) return CUDA_ERROR_INVALID_VALUE;
  *out = (work){.kind = found.owner ? WORK_FREE : WORK_EMPTY, .freed = dptr};
  return CUDA_SUCCESS;
}

static CUresult kernel_copy(const kernel_work *k, kernel_work *out) {
  size_t bytes = launch_args_size(k->kernel);
  *out = *k;
  out->args = malloc(bytes ? bytes : 1);
  if (!out->args) return CUDA_ERROR_OUT_OF_MEMORY;
  if (bytes) memcpy(out->args, k->args, bytes);
  KEEP(k->kernel);
  return CUDA_SUCCESS;
}

CUresult work_copy(const work *w, work *out) {
  *out = *w;
  switch (w->kind) {
  case WORK_KERNEL: return kernel_copy(&w->kernel, &out->kernel);
  case WORK_RECORD:
  case WORK_WAIT: KEEP(w->event); return CUDA_SUCCESS;
  case WORK_ALLOC: atomic_fetch_add(&w->memory->refs, 1); return CUDA_SUCCESS;
  case WORK_GRAPH: KEEP(w->graph); return CUDA_SUCCESS;
  default: return CUDA_SUCCESS;
  }
}

void work_drop(work *w) {
  switch (w->kind) {
  case WORK_KERNEL:
    free(w->kernel.args);
    PUT(w->kernel.kernel);
    break;
  case WORK_RECORD:
  case WORK_WAIT: PUT(w->event); break;
  case WORK_ALLOC:
    if (atomic_fetch_sub(&w->memory->refs, 1) > 1) break;
    memory_free(w->memory->address, 1u << RANGE_DEVICE); /* unless the client has done so */
    free(w->memory);
    break;
  case WORK_GRAPH: PUT(w->graph); break;
  default: break;
  }
}

/* ---- the order of streams ------------------------------------------------------------------- */

/* Threads that use one stream take turns; the legacy stream takes turns with all blocking ones. */
static void turn_begin(drv_context *ctx, drv_stream *s) {
  if (s->is_legacy)
    pthread_rwlock_wrlock(&ctx->default_turn);
  else if (!(s->flags & CU_STREAM_NON_BLOCKING))
    pthread_rwlock_rdlock(&ctx->default_turn);
  pthread_mutex_lock(&s->turn);
}

static void turn_end(drv_context *ctx, drv_stream *s) {
  pthread_mutex_unlock(&s->turn);
  if (s->is_legacy || !(s->flags & CU_STREAM_NON_BLOCKING))
    pthread_rwlock_unlock(&ctx->default_turn);
}

CUresult submit(drv_context *ctx, drv_stream *s, const work *w) {
  bool captured;
  CUresult r = capture_work(s, w, &captured);
  if (r || captured) return r;
  if (late_enabled()) return late_submit(ctx, s, w);
  turn_begin(ctx, s);
  r = work_run(ctx, w);
  turn_end(ctx, s);
  return r;
}

CUresult submit_to(CUstream handle, const work *w) {
  drv_context *ctx;
  drv_stream *s;
  CUresult r = enter(&ctx);
  if (r) return r;
  r = stream_get(ctx, handle, &s);
  if (!r) {
    r = submit(ctx, s, w);
    PUT(s);
  }
  PUT(ctx);
  return r;
}
