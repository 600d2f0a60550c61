/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams and events (compat/hip/work.h).
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compat/hip/work.h"

typedef struct work {
  struct work *next;
  hip_step step;
  max_align_t data[]; /* its own */
} work;

struct hip_stream {
  work *first, *last;
  struct hip_stream *next; /* of those that were made */
  bool apart;              /* it is non-blocking */
};

struct hip_event {
  struct timespec at;
  hipStream_t stream;         /* on which it was recorded last */
  uint64_t recorded, reached; /* how often it was put on a stream; how far that has got */
  unsigned users;             /* steps that name it, and the program */
};

static struct hip_stream default_stream;
static hipStream_t streams; /* under the lock, as all of it */

static bool is_late(void) {
  const char *asked = getenv("TESSERA_HIP_LATE");
  return asked && *asked && strcmp(asked, "0") != 0;
}

/* ---- doing work ------------------------------------------------------------------------------ */

static hipError_t do_first(hipStream_t s) {
  work *w = s->first;
  s->first = w->next;
  if (!w->next) s->last = NULL;
  hipError_t r = w->step(w->data);
  free(w);
  return r;
}

/* The first failure stays. */
static hipError_t finish(hipStream_t s, hipError_t r) {
  while (s->first) {
    hipError_t now = do_first(s);
    if (r == hipSuccess) r = now;
  }
  return r;
}

/* What has to be done before something is put on the stream. */
static hipError_t finish_before(hipStream_t s) {
  hipError_t r = hipSuccess;
  if (s != &default_stream) return s->apart ? r : finish(&default_stream, r);
  for (hipStream_t other = streams; other; other = other->next)
    if (!other->apart) r = finish(other, r);
  return r;
}

hipError_t hip_put(hipStream_t stream, hip_step step, const void *data, size_t bytes) {
  hipStream_t s = stream ? stream : &default_stream;
  work *w = calloc(1, sizeof *w + bytes);
  if (!w) return hipErrorOutOfMemory;
  w->step = step;
  memcpy(w->data, data, bytes);
  hip_lock();
  hipError_t r = finish_before(s);
  if (s->last)
    s->last->next = w;
  else
    s->first = w;
  s->last = w;
  if (!is_late()) r = finish(s, r);
  hip_unlock();
  return r;
}

hipError_t hip_finish(hipStream_t stream) {
  hipStream_t s = stream ? stream : &default_stream;
  hip_lock();
  hipError_t r = s->apart ? hipSuccess : finish_before(s);
  r = finish(s, r);
  hip_unlock();
  return r;
}

hipError_t hip_finish_all(void) {
  hip_lock();
  hipError_t r = finish(&default_stream, hipSuccess);
  for (hipStream_t s = streams; s; s = s->next) r = finish(s, r);
  hip_unlock();
  return r;
}

/* ---- streams -------------------------------------------------------------------------------- */

hipError_t hipStreamCreateWithFlags(hipStream_t *out, unsigned flags) {
  if (!out || flags > 1) return hip_result(hipErrorInvalidValue);
  hipStream_t s = calloc(1, sizeof *s);
  if (!s) return hip_result(hipErrorOutOfMemory);
  s->apart = flags == 1;
  hip_lock();
  s->next = streams;
  streams = s;
  hip_unlock();
  *out = s;
  return hipSuccess;
}

hipError_t hipStreamCreate(hipStream_t *out) {
  return hipStreamCreateWithFlags(out, 0);
}

/* What was put on it is done. */
hipError_t hipStreamDestroy(hipStream_t s) {
  if (!s) return hip_result(hipErrorInvalidHandle);
  hip_lock();
  hipError_t r = hip_finish(s);
  for (hipStream_t *at = &streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  hip_unlock();
  free(s);
  return hip_result(r);
}

hipError_t hipStreamSynchronize(hipStream_t s) {
  return hip_result(hip_finish(s));
}

hipError_t hipStreamQuery(hipStream_t stream) {
  hipStream_t s = stream ? stream : &default_stream;
  hip_lock();
  hipError_t r = s->first ? hipErrorNotReady : hipSuccess;
  hip_unlock();
  return r;
}

/* ---- events --------------------------------------------------------------------------------- */

typedef struct mark {
  hipEvent_t event;
  uint64_t number; /* of the recording */
} mark;

/* Under the lock. */
static void give_up(hipEvent_t e) {
  if (--e->users == 0) free(e);
}

static hipError_t reach(void *data) {
  const mark *m = data;
  clock_gettime(CLOCK_MONOTONIC, &m->event->at);
  m->event->reached = m->number;
  give_up(m->event);
  return hipSuccess;
}

/* Does what stands on the event's stream in front of a recording, and that. */
static hipError_t reach_mark(const mark *m) {
  hipError_t r = hipSuccess;
  hipStream_t s = m->event->stream;
  while (m->event->reached < m->number && s->first) {
    hipError_t now = do_first(s);
    if (r == hipSuccess) r = now;
  }
  return r;
}

static hipError_t wait(void *data) {
  const mark *m = data;
  hipError_t r = reach_mark(m);
  give_up(m->event);
  return r;
}

static hipError_t put_mark(hipStream_t s, hip_step step, hipEvent_t e) {
  const mark m = {e, e->recorded};
  e->users++;
  hipError_t r = hip_put(s, step, &m, sizeof m);
  if (r == hipErrorOutOfMemory) e->users--;
  return r;
}

hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned flags) {
  (void)flags;
  if (!e) return hip_result(hipErrorInvalidHandle);
  hip_lock();
  hipError_t r = e->reached < e->recorded ? put_mark(s, wait, e) : hipSuccess;
  hip_unlock();
  return hip_result(r);
}

hipError_t hipEventCreateWithFlags(hipEvent_t *out, unsigned flags) {
  (void)flags;
  if (!out) return hip_result(hipErrorInvalidValue);
  hipEvent_t e = calloc(1, sizeof *e);
  if (!e) return hip_result(hipErrorOutOfMemory);
  e->users = 1;
  *out = e;
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t *out) {
  return hipEventCreateWithFlags(out, 0);
}

hipError_t hipEventDestroy(hipEvent_t e) {
  if (!e) return hip_result(hipErrorInvalidHandle);
  hip_lock();
  give_up(e);
  hip_unlock();
  return hipSuccess;
}

hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) {
  if (!e) return hip_result(hipErrorInvalidHandle);
  hip_lock();
  e->stream = s ? s : &default_stream;
  e->recorded++;
  hipError_t r = put_mark(s, reach, e);
  hip_unlock();
  return hip_result(r);
}

hipError_t hipEventSynchronize(hipEvent_t e) {
  if (!e) return hip_result(hipErrorInvalidHandle);
  hip_lock();
  const mark m = {e, e->recorded};
  hipError_t r = reach_mark(&m);
  hip_unlock();
  return hip_result(r);
}

hipError_t hipEventQuery(hipEvent_t e) {
  if (!e) return hip_result(hipErrorInvalidHandle);
  hip_lock();
  hipError_t r = e->reached < e->recorded ? hipErrorNotReady : hipSuccess;
  hip_unlock();
  return r;
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t begin, hipEvent_t end) {
  if (!ms || !begin || !end || !begin->recorded || !end->recorded)
    return hip_result(hipErrorInvalidHandle);
  if (hipEventQuery(begin) != hipSuccess || hipEventQuery(end) != hipSuccess)
    return hip_result(hipErrorNotReady);
  *ms = (float)(1e3 * (double)(end->at.tv_sec - begin->at.tv_sec) +
                1e-6 * (double)(end->at.tv_nsec - begin->at.tv_nsec));
  return hipSuccess;
}
