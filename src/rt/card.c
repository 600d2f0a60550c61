/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/card.h"

#include <stdio.h>

/* ---- calls ---------------------------------------------------------------------------------- */

static card_result enter(const rt_card *c, int *before) {
  return c->vendor->enter(c, before);
}

static void leave(const rt_card *c, int before) {
  c->vendor->leave(c, before);
}

tsr_status card_status(card_result r) {
  if (r == CARD_OK) return TSR_OK;
  if (r == CARD_OUT_OF_MEMORY) return TSR_ERROR_MEMORY;
  if (r == CARD_INVALID_VALUE) return TSR_ERROR_USAGE;
  bool fault = r == CARD_ILLEGAL_ADDRESS || r == CARD_ASSERT ||
               (r >= CARD_HARDWARE_STACK_ERROR && r <= CARD_LAUNCH_FAILED);
  return fault ? TSR_ERROR_TRAP : TSR_ERROR_UNSUPPORTED;
}

tsr_status card_report(tsr_device *dev, card_result r, const char *what) {
  char words[256];
  card_words(dev->card->calls, dev->card->vendor->library, r, words, sizeof words);
  if (r == CARD_ASSERT)
    rt_error(dev, "%s: an assertion failed; the driver has written which to standard error: %s",
             what, words);
  else
    rt_error(dev, "%s: %s", what, words);
  if (dev->card->vendor->forget) dev->card->vendor->forget(dev->card);
  return card_status(r);
}

bool card_open_stream(tsr_device *dev, const char *what) {
  rt_card *c = dev->card;
  c->stream = (tsr_stream){.device = dev, .own = true};
  return CARD_CALL(dev, what, stream_create(&c->stream.native, CARD_STREAM_DEFAULT)) == TSR_OK;
}

void card_close_stream(tsr_device *dev) {
  const rt_card *c = dev->card;
  int before = 0;
  if (!c->stream.native) return;
  if (enter(c, &before) == CARD_OK) c->calls->stream_destroy(c->stream.native);
  leave(c, before);
}

/* ---- memory --------------------------------------------------------------------------------- */

card_result card_finish(const rt_card *c, card_result before) {
  card_result r = c->calls->stream_synchronize(c->stream.native);
  return before == CARD_OK ? r : before;
}

bool card_is_device_memory(const rt_card *c, const void *memory) {
  unsigned kind = 0;
  card_result r = c->calls->pointer_attribute(&kind, CARD_POINTER_MEMORY_TYPE, (uintptr_t)memory);
  return r == CARD_OK && kind == CARD_MEMORY_DEVICE;
}

static card_result give_memory(const rt_card *c, tsr_buffer *b) {
  card_address address;
  if (b->data && c->vendor->is_device_memory(c, b->data)) {
    b->address = (uintptr_t)b->data;
    b->data = NULL;
    b->borrowed = true;
    return CARD_OK;
  }
  card_result r = c->calls->alloc(&address, MAX(b->size, (size_t)1));
  if (r != CARD_OK) return r;
  b->address = address;
  b->mirrored = b->data != NULL;
  if (!b->size) return CARD_OK;
  return card_finish(c, c->calls->fill_on(address, 0, b->size, c->stream.native));
}

void card_unmap(tsr_buffer *b) {
  const rt_card *c = b->device->card;
  int before = 0;
  if (!b->address || b->borrowed) return;
  if (enter(c, &before) == CARD_OK) c->calls->free(b->address);
  leave(c, before);
}

bool card_map(tsr_buffer *b) {
  const rt_card *c = b->device->card;
  int before = 0;
  card_result r = enter(c, &before);
  if (r == CARD_OK) r = give_memory(c, b);
  leave(c, before);
  if (r == CARD_OK) return true;
  card_report(b->device, r, "memory of the device");
  card_unmap(b);
  return false;
}

card_result card_copy(const rt_card *c, card_address at, void *host, size_t bytes, bool to_device,
                      const tsr_stream *s) {
  const tsr_stream *on = s ? s : &c->stream;
  card_result r = to_device ? c->calls->to_device_on(at, host, bytes, on->native)
                            : c->calls->to_host_on(host, at, bytes, on->native);
  return s ? r : card_finish(c, r);
}

static tsr_status copy(tsr_stream *s, tsr_buffer *b, size_t offset, void *host, size_t bytes,
                       bool to_device) {
  const rt_card *c = b->device->card;
  int before = 0;
  if (!bytes) return TSR_OK;
  card_result r = enter(c, &before);
  if (r == CARD_OK) r = card_copy(c, b->address + offset, host, bytes, to_device, s);
  leave(c, before);
  if (r == CARD_OK) return TSR_OK;
  return card_report(b->device, r, to_device ? "copying to the device" : "copying from the device");
}

/* ---- streams -------------------------------------------------------------------------------- */

static bool stream_create(tsr_stream *s) {
  return CARD_CALL(s->device, "making a stream",
                   stream_create(&s->native, CARD_STREAM_NON_BLOCKING)) == TSR_OK;
}

static tsr_status stream_wait(tsr_stream *s) {
  fflush(stdout); /* as launch_and_wait does */
  return CARD_CALL(s->device, "waiting for a stream", stream_synchronize(s->native));
}

/* The library lets work on the stream end by itself; what it uses is the caller's, who expects it
 * unused. */
static void stream_destroy(tsr_stream *s) {
  const rt_card *c = s->device->card;
  int before = 0;
  if (enter(c, &before) == CARD_OK) {
    c->calls->stream_synchronize(s->native);
    c->calls->stream_destroy(s->native);
  }
  leave(c, before);
}

static bool event_create(tsr_event *e) {
  return CARD_CALL(e->device, "making an event", event_create(&e->native, 0)) == TSR_OK;
}

static void event_destroy(tsr_event *e) {
  const rt_card *c = e->device->card;
  int before = 0;
  if (enter(c, &before) == CARD_OK) c->calls->event_destroy(e->native);
  leave(c, before);
}

static tsr_status event_record(tsr_event *e, tsr_stream *s) {
  return CARD_CALL(e->device, "recording an event", event_record(e->native, s->native));
}

static tsr_status event_wait(tsr_event *e) {
  return CARD_CALL(e->device, "waiting for an event", event_synchronize(e->native));
}

static tsr_status wait_event(tsr_stream *s, tsr_event *e) {
  return CARD_CALL(s->device, "letting a stream wait", stream_wait_event(s->native, e->native, 0));
}

static tsr_status elapsed(tsr_event *begin, tsr_event *end, double *ms) {
  float value = 0;
  tsr_status status = CARD_CALL(begin->device, "the time between events",
                                event_elapsed(&value, begin->native, end->native));
  *ms = (double)value;
  return status;
}

const rt_stream_kind card_streams = {
    .create = stream_create,
    .destroy = stream_destroy,
    .wait = stream_wait,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_wait = event_wait,
    .wait_event = wait_event,
    .elapsed = elapsed,
    .copy = copy,
};

/* ---- launches ------------------------------------------------------------------------------- */

/* Puts copies of all buffers that have a host copy, in one direction. */
static card_result copy_mirrors(const rt_launch_state *l, bool to_device) {
  const rt_card *c = l->device->card;
  card_result r = CARD_OK;
  for (uint32_t i = 0; i < l->kernel->n_params && r == CARD_OK; i++) {
    const tsr_buffer *b = l->given[i].kind == TSR_ARG_BUFFER ? l->given[i].buffer : NULL;
    if (b && b->mirrored && b->size)
      r = card_copy(c, b->address, b->data, b->size, to_device, &c->stream);
  }
  return r;
}

static bool has_mirror(const rt_launch_state *l) {
  for (uint32_t i = 0; i < l->kernel->n_params; i++)
    if (l->given[i].kind == TSR_ARG_BUFFER && l->given[i].buffer->mirrored) return true;
  return false;
}

typedef card_result (*put_fn)(rt_launch_state *l, card_object stream);

/* Launches, waits, and brings the results to the host's copies. */
static card_result launch_and_wait(rt_launch_state *l, put_fn put) {
  const rt_card *c = l->device->card;
  card_result r = copy_mirrors(l, true);
  fflush(stdout); /* so that what was written before is read before what kernels print */
  if (r == CARD_OK) r = put(l, c->stream.native);
  if (r == CARD_OK) r = copy_mirrors(l, false);
  return card_finish(c, r);
}

card_result card_launch(rt_launch_state *l, put_fn put) {
  const rt_card *c = l->device->card;
  int before = 0;
  if (l->stream && has_mirror(l)) {
    rt_error(l->device,
             "'%s': a buffer with a host copy (tsr_buffer_data, tsr_buffer_wrap) cannot be used on "
             "a stream: use tsr_launch, or tsr_buffer_create and tsr_stream_write",
             l->kernel->name);
    rt_fail(l, TSR_ERROR_USAGE);
    return CARD_OK;
  }
  card_result r = enter(c, &before);
  if (r == CARD_OK) r = l->stream ? put(l, l->stream->native) : launch_and_wait(l, put);
  leave(c, before);
  return r;
}
