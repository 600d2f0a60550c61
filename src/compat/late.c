/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Late execution, for programs that look for missing synchronisation (TESSERA_CUDA_LATE). What is
 * submitted is kept, and executed only when a call waits for it, after what the API orders before
 * it and after nothing else: the latest that a GPU may be. So a fill of the default stream comes
 * after the kernel of a non-blocking stream that was launched after it, unless the program waits.
 *
 * What returns early is as in "API synchronization behavior" of the CUDA Driver API: a copy from
 * pageable memory has been read when its call returns, but not written; one to pageable memory is
 * done; so is a fill of the host's memory without a stream. Asking (cuStreamQuery) is waiting.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"

typedef struct late_work {
  struct late_work *next;
  uint64_t number;    /* they count up in the order of submission */
  uint64_t after;     /* of a wait: the record that it is for; 0 */
  drv_context *ctx;   /* referenced */
  drv_stream *stream; /* referenced */
  void *staged;       /* what a copy from pageable memory has read; NULL */
  work work;
} late_work;

static struct {
  pthread_mutex_t lock; /* also held while one is executed: one at a time */
  late_work *first, **end;
  uint64_t numbers;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = &queue.first};

bool late_enabled(void) {
  static atomic_int known; /* 1: no, 2: yes */
  int now = atomic_load(&known);
  if (now) return now == 2;
  const char *value = getenv("TESSERA_CUDA_LATE");
  bool asked = value && *value && strcmp(value, "0") != 0;
  atomic_store(&known, asked ? 2 : 1);
  return asked;
}

/* ---- executing ------------------------------------------------------------------------------ */

static bool blocks(const drv_stream *s) {
  return !(s->flags & CU_STREAM_NON_BLOCKING);
}

/* Whether the API orders two, of which `a` was submitted first. */
static bool ordered(const late_work *a, const late_work *b) {
  const drv_stream *s = a->stream, *t = b->stream;
  if (s == t || a->number == b->after) return true;
  bool legacy = s->is_legacy || t->is_legacy;
  return a->ctx == b->ctx && legacy && blocks(s) && blocks(t);
}

static void drop(late_work *l) {
  work_drop(&l->work);
  free(l->staged);
  PUT(l->stream);
  PUT(l->ctx);
  free(l);
}

static void unlink_work(late_work *l) {
  late_work **at = &queue.first;
  while (*at != l) at = &(*at)->next;
  *at = l->next;
  if (!l->next) queue.end = at;
}

/* Executes it, after all that is ordered before it. After a fault nothing is. */
static void run(late_work *l) {
  int none = CUDA_SUCCESS;
  for (late_work *before = queue.first; before != l;) {
    bool first = ordered(before, l);
    if (first) run(before);
    before = first ? queue.first : before->next;
  }
  unlink_work(l);
  if (!atomic_load(&l->ctx->fault)) {
    CUresult r = work_run(l->ctx, &l->work);
    if (r) atomic_compare_exchange_strong(&l->ctx->fault, &none, (int)r);
  }
  drop(l);
}

/* ---- submitting ----------------------------------------------------------------------------- */

static bool is_pageable(uintptr_t address) {
  range found;
  return !memory_find(address, &found);
}

static bool is_device(uintptr_t address) {
  range found;
  return memory_find(address, &found) &&
         (found.kind == RANGE_DEVICE || found.kind == RANGE_VARIABLE);
}

/* Whether the call returns when all of it has been executed. */
static bool is_waited_for(const work *w) {
  if (w->kind != WORK_COPY) return false;
  bool rows = w->copy.height > 1 || w->copy.depth > 1;
  return is_pageable(w->copy.dst) || (rows && is_pageable(w->copy.src));
}

static bool stage(late_work *l) {
  copy_work *c = &l->work.copy;
  if (l->work.kind != WORK_COPY || !c->width || is_waited_for(&l->work) || !is_pageable(c->src))
    return true;
  l->staged = malloc(c->width);
  if (!l->staged) return false;
  memcpy(l->staged, (const void *)c->src, c->width);
  c->src = (uintptr_t)l->staged;
  return true;
}

static late_work *new_work(drv_context *ctx, drv_stream *s, const work *w) {
  late_work *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  if (work_copy(w, &l->work)) {
    free(l);
    return NULL;
  }
  KEEP(ctx);
  KEEP(s);
  l->ctx = ctx;
  l->stream = s;
  if (stage(l)) return l;
  drop(l);
  return NULL;
}

/* Under the lock. */
static void enqueue(late_work *l) {
  l->number = ++queue.numbers;
  if (l->work.kind == WORK_WAIT) l->after = l->work.event->late;
  if (l->work.kind == WORK_RECORD) l->work.event->late = l->number;
  *queue.end = l;
  queue.end = &l->next;
}

static CUresult submit_late(drv_context *ctx, drv_stream *s, const work *w, bool wait) {
  late_work *l = new_work(ctx, s, w);
  if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_lock(&queue.lock);
  enqueue(l);
  if (wait) run(l);
  pthread_mutex_unlock(&queue.lock);
  return (CUresult)atomic_load(&ctx->fault);
}

CUresult late_submit(drv_context *ctx, drv_stream *s, const work *w) {
  return submit_late(ctx, s, w, is_waited_for(w));
}

/* ---- waiting -------------------------------------------------------------------------------- */

CUresult late_finish_stream(drv_context *ctx, drv_stream *s) {
  if (!late_enabled()) return CUDA_SUCCESS;
  return submit_late(ctx, s, &(work){.kind = WORK_EMPTY}, true);
}

void late_finish_event(const drv_event *e) {
  if (!late_enabled()) return;
  pthread_mutex_lock(&queue.lock);
  late_work *l = queue.first;
  while (l && l->number != e->late) l = l->next;
  if (l) run(l);
  pthread_mutex_unlock(&queue.lock);
}

bool late_is_reached(const drv_event *e) {
  if (!late_enabled()) return true;
  pthread_mutex_lock(&queue.lock);
  const late_work *l = queue.first;
  while (l && l->number != e->late) l = l->next;
  pthread_mutex_unlock(&queue.lock);
  return !l;
}

void late_finish(void) {
  if (!late_enabled()) return;
  pthread_mutex_lock(&queue.lock);
  while (queue.first) run(queue.first);
  pthread_mutex_unlock(&queue.lock);
}

/* For calls without a stream, whose work lies on the default one. */
static CUresult finish_default(void) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  r = late_finish_stream(ctx, ctx->legacy);
  PUT(ctx);
  return r;
}

CUresult late_before_copy(uintptr_t dst, uintptr_t src) {
  bool asynchronous = !late_enabled() || (is_device(dst) && is_device(src));
  return asynchronous ? CUDA_SUCCESS : finish_default();
}

CUresult late_after_copy(uintptr_t dst, uintptr_t src) {
  bool early = is_device(dst) && (is_device(src) || is_pageable(src));
  return !late_enabled() || early ? CUDA_SUCCESS : finish_default();
}

CUresult late_after_fill(uintptr_t dst) {
  return !late_enabled() || is_device(dst) ? CUDA_SUCCESS : finish_default();
}
