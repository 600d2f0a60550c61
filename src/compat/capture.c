/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stream capture: operations become nodes of a graph. Each capturing stream has a frontier: the
 * nodes that its next operation depends on. An event recorded in a capturing stream remembers the
 * frontier; a stream that waits for the event joins the capture with that frontier beside its own.
 */
#include <stdlib.h>

#include "compat/driver.h"

pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- captures, under the lock --------------------------------------------------------------- */

static void capture_put(drv_capture *c) {
  if (!c || atomic_fetch_sub(&c->refs, 1) > 1) return;
  PUT(c->graph);
  free(c->streams);
  free(c);
}

static bool capture_join(drv_capture *c, drv_stream *s) {
  drv_stream **streams = realloc(c->streams, (c->n_streams + 1) * sizeof *streams);
  if (!streams) return false;
  c->streams = streams;
  c->streams[c->n_streams++] = s;
  atomic_fetch_add(&c->refs, 1);
  atomic_store(&s->capture, c);
  return true;
}

/* What is to be dropped once the lock is given back, because dropping takes it. */
typedef struct leftovers {
  drv_capture *capture;
  node_list frontier;
} leftovers;

static leftovers stream_leave(drv_stream *s) {
  leftovers left = {atomic_load(&s->capture), s->frontier};
  atomic_store(&s->capture, NULL);
  s->frontier = (node_list){0};
  for (size_t i = 0; left.capture && i < left.capture->n_streams; i++)
    if (left.capture->streams[i] == s)
      left.capture->streams[i--] = left.capture->streams[--left.capture->n_streams];
  return left;
}

static void leftovers_drop(leftovers *left) {
  list_clear(&left->frontier);
  capture_put(left->capture);
}

void capture_forget_stream(drv_stream *s) {
  pthread_mutex_lock(&graph_lock);
  drv_capture *c = atomic_load(&s->capture);
  if (c) c->invalid = true; /* a stream destroyed in the middle of it */
  leftovers left = stream_leave(s);
  pthread_mutex_unlock(&graph_lock);
  leftovers_drop(&left);
}

void capture_forget_event(drv_event *e) {
  list_clear(&e->frontier);
  capture_put(e->capture);
}

/* ---- recording ------------------------------------------------------------------------------ */

/* The stream's next operation depends on `n` alone; what it depended on is to be dropped. */
static CUresult advance(drv_stream *s, drv_node *n, node_list *dropped) {
  node_list only = {0};
  if (!list_add(&only, n)) return CUDA_ERROR_OUT_OF_MEMORY;
  *dropped = s->frontier;
  s->frontier = only;
  return CUDA_SUCCESS;
}

static CUresult event_capture(drv_stream *s, drv_event *e, leftovers *dropped) {
  node_list copy = {0};
  for (size_t i = 0; i < s->frontier.len; i++)
    if (!list_add(&copy, s->frontier.data[i])) {
      dropped->frontier = copy;
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
  *dropped = (leftovers){e->capture, e->frontier};
  e->capture = atomic_load(&s->capture);
  atomic_fetch_add(&e->capture->refs, 1);
  e->frontier = copy;
  return CUDA_SUCCESS;
}

static CUresult wait_captured(drv_stream *s, const drv_event *e) {
  drv_capture *c = atomic_load(&s->capture);
  if (c && c != e->capture) return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  if (!c && !capture_join(e->capture, s)) return CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; i < e->frontier.len; i++)
    if (!list_has(&s->frontier, e->frontier.data[i]) &&
        !list_add(&s->frontier, e->frontier.data[i]))
      return CUDA_ERROR_OUT_OF_MEMORY;
  return CUDA_SUCCESS;
}

static CUresult record(drv_stream *s, const work *w, leftovers *dropped) {
  drv_capture *c = atomic_load(&s->capture);
  if (c->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (w->kind == WORK_RECORD) return event_capture(s, w->event, dropped);
  if (w->kind == WORK_FREE) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (w->kind == WORK_WAIT) return CUDA_SUCCESS; /* of an event outside: it was reached long ago */
  drv_node *n;
  CUresult r = graph_add(c->graph, &s->frontier, w, &n);
  return r ? r : advance(s, n, &dropped->frontier);
}

CUresult capture_work(drv_stream *s, const work *w, bool *captured) {
  bool joins = w->kind == WORK_WAIT && w->event->capture;
  *captured = false;
  if (!atomic_load(&s->capture) && !joins) {
    if (w->kind == WORK_RECORD && w->event->capture) {
      pthread_mutex_lock(&graph_lock);
      leftovers left = {w->event->capture, w->event->frontier};
      w->event->capture = NULL;
      w->event->frontier = (node_list){0};
      pthread_mutex_unlock(&graph_lock);
      leftovers_drop(&left);
    }
    return CUDA_SUCCESS;
  }
  leftovers dropped = {0};
  CUresult r;
  pthread_mutex_lock(&graph_lock);
  if (w->kind == WORK_WAIT && w->event->capture)
    r = wait_captured(s, w->event);
  else
    r = record(s, w, &dropped);
  drv_capture *c = atomic_load(&s->capture);
  if (r && c) c->invalid = true;
  pthread_mutex_unlock(&graph_lock);
  leftovers_drop(&dropped);
  *captured = true;
  return r;
}

CUresult capture_refuse(drv_stream *s) {
  if (!atomic_load(&s->capture)) return CUDA_SUCCESS;
  pthread_mutex_lock(&graph_lock);
  drv_capture *c = atomic_load(&s->capture);
  if (c) c->invalid = true;
  pthread_mutex_unlock(&graph_lock);
  return c ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

/* ---- begin and end -------------------------------------------------------------------------- */

static CUresult with_stream(CUstream handle, drv_context **ctx, drv_stream **s) {
  CUresult r = enter(ctx);
  if (r) return r;
  r = stream_get(*ctx, handle, s);
  if (r) PUT(*ctx);
  return r;
}

static CUresult capture_begin(drv_stream *s) {
  static unsigned long long ids;
  if (atomic_load(&s->capture)) return CUDA_ERROR_ILLEGAL_STATE;
  drv_capture *c = calloc(1, sizeof *c);
  drv_graph *g = object_new(OBJECT_GRAPH, sizeof *g, NULL);
  if (!c || !g || !capture_join(c, s)) {
    if (g) object_close(&g->base);
    free(c);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  KEEP(g);
  c->graph = g;
  c->origin = s;
  c->id = ++ids;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  drv_context *ctx;
  drv_stream *s;
  CUresult r = with_stream(handle, &ctx, &s);
  if (r) return r;
  if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
    r = CUDA_ERROR_INVALID_VALUE;
  } else if (s->is_legacy) {
    r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  } else {
    pthread_mutex_lock(&graph_lock);
    r = capture_begin(s);
    pthread_mutex_unlock(&graph_lock);
  }
  PUT(s);
  PUT(ctx);
  return r;
}

/* Marks everything that marked nodes depend on. Nodes mostly depend on older ones, so that one
 * round from the youngest does it, and another sees that it has. */
static void mark_upwards(const node_list *nodes) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = nodes->len; i-- > 0;) {
      const drv_node *n = nodes->data[i];
      for (size_t k = 0; n->mark && k < n->dependencies.len; k++) {
        if (n->dependencies.data[k]->mark) continue;
        n->dependencies.data[k]->mark = 1;
        changed = true;
      }
    }
  }
}

/* Whether the origin has waited for all that other streams have recorded. */
static bool all_joined(const drv_capture *c) {
  for (size_t i = 0; i < c->graph->nodes.len; i++) c->graph->nodes.data[i]->mark = 0;
  for (size_t i = 0; i < c->origin->frontier.len; i++) c->origin->frontier.data[i]->mark = 1;
  mark_upwards(&c->graph->nodes);
  for (size_t i = 0; i < c->n_streams; i++)
    for (size_t k = 0; k < c->streams[i]->frontier.len; k++)
      if (!c->streams[i]->frontier.data[k]->mark) return false;
  return true;
}

static CUresult capture_end(drv_stream *s, CUgraph *out, leftovers **left, size_t *n_left) {
  drv_capture *c = atomic_load(&s->capture);
  if (!c) return CUDA_ERROR_ILLEGAL_STATE;
  if (c->origin != s) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  CUresult r = c->invalid       ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
               : !all_joined(c) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                : CUDA_SUCCESS;
  *left = calloc(c->n_streams, sizeof **left);
  if (!*left) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = r ? NULL : HANDLE(CUgraph, c->graph);
  c->invalid = true; /* for events that still know of it */
  while (c->n_streams) (*left)[(*n_left)++] = stream_leave(c->streams[0]);
  return r;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *out) {
  drv_context *ctx;
  drv_stream *s;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = with_stream(handle, &ctx, &s);
  if (r) return r;
  leftovers *left = NULL;
  size_t n_left = 0;
  pthread_mutex_lock(&graph_lock);
  r = capture_end(s, out, &left, &n_left);
  drv_graph *unwanted = r && n_left ? left[0].capture->graph : NULL;
  pthread_mutex_unlock(&graph_lock);
  if (unwanted) object_close(&unwanted->base);
  for (size_t i = 0; i < n_left; i++) leftovers_drop(&left[i]);
  free(left);
  PUT(s);
  PUT(ctx);
  return r;
}

/* ---- questions ------------------------------------------------------------------------------ */

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  return status ? cuStreamGetCaptureInfo_v3(handle, status, NULL, NULL, NULL, NULL, NULL)
                : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph_out, const CUgraphNode **dependencies,
                                   const CUgraphEdgeData **edges, size_t *count) {
  /* The API lends the list until the stream's next call; each thread has one. */
  static __thread CUgraphNode lent[64];
  drv_context *ctx;
  drv_stream *s;
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = with_stream(handle, &ctx, &s);
  if (r) return r;
  pthread_mutex_lock(&graph_lock);
  const drv_capture *c = atomic_load(&s->capture);
  *status = !c           ? CU_STREAM_CAPTURE_STATUS_NONE
            : c->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                         : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (c && !c->invalid) {
    if (id) *id = c->id;
    if (graph_out) *graph_out = HANDLE(CUgraph, c->graph);
    if (dependencies && s->frontier.len > COUNT(lent)) r = CUDA_ERROR_NOT_SUPPORTED;
    for (size_t i = 0; !r && dependencies && i < s->frontier.len; i++)
      lent[i] = HANDLE(CUgraphNode, s->frontier.data[i]);
    if (dependencies) *dependencies = lent;
    if (count) *count = s->frontier.len;
  }
  if (edges) *edges = NULL;
  pthread_mutex_unlock(&graph_lock);
  PUT(s);
  PUT(ctx);
  return r;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph_out, const CUgraphNode **dependencies,
                                   size_t *count) {
  return cuStreamGetCaptureInfo_v3(handle, status, id, graph_out, dependencies, NULL, count);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  static __thread CUstreamCaptureMode current;
  if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  CUstreamCaptureMode old = current;
  current = *mode;
  *mode = old;
  return CUDA_SUCCESS;
}
