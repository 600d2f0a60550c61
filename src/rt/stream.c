/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams and events: what a device's kind does, or for devices that execute at once nothing, since
 * everything before has been done.
 */
#include <time.h>

#include "rt/rt.h"

/* NULL: the device executes at once. */
static const rt_stream_kind *kind_of(const tsr_device *dev) {
  return dev->kind->streams;
}

static void *allocate(tsr_device *dev, size_t size) {
  rt_lock(dev);
  void *memory = ctx_try_alloc(dev->ctx, size);
  rt_unlock(dev);
  if (!memory) rt_error(dev, "out of memory");
  return memory;
}

static void release(tsr_device *dev, void *memory, size_t size) {
  rt_lock(dev);
  ctx_free(dev->ctx, memory, size);
  rt_unlock(dev);
}

static bool same_device(const tsr_device *dev, const tsr_device *other) {
  if (dev == other) return true;
  rt_error((tsr_device *)dev, "the stream is of the device '%s', the rest of '%s'", dev->kind->name,
           other->kind->name);
  return false;
}

/* ---- streams -------------------------------------------------------------------------------- */

tsr_stream *tsr_stream_create(tsr_device *dev) {
  tsr_stream *s = dev ? allocate(dev, sizeof *s) : NULL;
  if (!s) return NULL;
  *s = (tsr_stream){.device = dev, .own = true};
  if (!kind_of(dev) || kind_of(dev)->create(s)) return s;
  release(dev, s, sizeof *s);
  return NULL;
}

tsr_stream *tsr_stream_wrap(tsr_device *dev, void *native) {
  if (!dev) return NULL;
  if (native && !kind_of(dev)) {
    rt_error(dev, "tsr_stream_wrap: the device '%s' has no streams of its own", dev->kind->name);
    return NULL;
  }
  tsr_stream *s = allocate(dev, sizeof *s);
  if (s) *s = (tsr_stream){.device = dev, .native = native};
  return s;
}

void tsr_stream_destroy(tsr_stream *s) {
  if (!s) return;
  if (s->own && kind_of(s->device)) kind_of(s->device)->destroy(s);
  release(s->device, s, sizeof *s);
}

tsr_status tsr_stream_wait(tsr_stream *s) {
  if (!s) return TSR_ERROR_USAGE;
  return kind_of(s->device) ? kind_of(s->device)->wait(s) : TSR_OK;
}

/* ---- copies --------------------------------------------------------------------------------- */

static tsr_status copy(tsr_stream *s, tsr_buffer *b, size_t offset, void *host, size_t bytes,
                       bool write) {
  if (!s || !b || !same_device(s->device, b->device)) return TSR_ERROR_USAGE;
  if (!kind_of(s->device))
    return write ? tsr_buffer_write(b, offset, host, bytes)
                 : tsr_buffer_read(b, offset, host, bytes);
  if (!rt_copy_fits(b, offset, host, bytes)) return TSR_ERROR_USAGE;
  if (b->mirrored) {
    rt_error(s->device, "a buffer with a host copy (tsr_buffer_data, tsr_buffer_wrap) cannot be "
                        "copied on a stream: use tsr_buffer_create and no host address");
    return TSR_ERROR_USAGE;
  }
  return kind_of(s->device)->copy(s, b, offset, host, bytes, write);
}

tsr_status tsr_stream_write(tsr_stream *s, tsr_buffer *b, size_t offset, const void *from,
                            size_t bytes) {
  return copy(s, b, offset, (void *)(uintptr_t)from, bytes, true);
}

tsr_status tsr_stream_read(tsr_stream *s, tsr_buffer *b, size_t offset, void *to, size_t bytes) {
  return copy(s, b, offset, to, bytes, false);
}

/* ---- events --------------------------------------------------------------------------------- */

tsr_event *tsr_event_create(tsr_device *dev) {
  tsr_event *e = dev ? allocate(dev, sizeof *e) : NULL;
  if (!e) return NULL;
  *e = (tsr_event){.device = dev};
  if (!kind_of(dev) || kind_of(dev)->event_create(e)) return e;
  release(dev, e, sizeof *e);
  return NULL;
}

void tsr_event_destroy(tsr_event *e) {
  if (!e) return;
  if (kind_of(e->device)) kind_of(e->device)->event_destroy(e);
  release(e->device, e, sizeof *e);
}

tsr_status tsr_event_record(tsr_event *e, tsr_stream *s) {
  if (!e || !s || !same_device(s->device, e->device)) return TSR_ERROR_USAGE;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  atomic_store(&e->ns, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
  return kind_of(e->device) ? kind_of(e->device)->event_record(e, s) : TSR_OK;
}

tsr_status tsr_event_wait(tsr_event *e) {
  if (!e) return TSR_ERROR_USAGE;
  return kind_of(e->device) ? kind_of(e->device)->event_wait(e) : TSR_OK;
}

tsr_status tsr_stream_wait_event(tsr_stream *s, tsr_event *e) {
  if (!s || !e || !same_device(s->device, e->device)) return TSR_ERROR_USAGE;
  return kind_of(s->device) ? kind_of(s->device)->wait_event(s, e) : TSR_OK;
}

tsr_status tsr_event_elapsed(tsr_event *begin, tsr_event *end, double *ms) {
  if (!begin || !end || !ms || !same_device(begin->device, end->device)) return TSR_ERROR_USAGE;
  int64_t from = atomic_load(&begin->ns), to = atomic_load(&end->ns);
  if (!from || !to) {
    rt_error(begin->device, "tsr_event_elapsed: an event was never recorded");
    return TSR_ERROR_USAGE;
  }
  *ms = (double)(to - from) * 1e-6;
  return kind_of(begin->device) ? kind_of(begin->device)->elapsed(begin, end, ms) : TSR_OK;
}
