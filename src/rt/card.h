/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * card: what the devices "cuda:N" and "hip:N" share: memory, streams and events of a GPU, copies
 * around a launch, messages about what the vendor's library says. What they do not share are
 * contexts, code and how it is launched (device_cuda.c, device_hip.c).
 *
 * Order. All that a call without a stream does lies on the device's own stream, and the call waits
 * for that stream: so it comes after what other libraries put on the default stream, and before
 * whatever the program puts on any stream afterwards.
 */
#ifndef TSR_RT_CARD_H
#define TSR_RT_CARD_H

#include "rt/card_library.h"
#include "rt/rt.h"
#include "target/gpu.h"

typedef struct card_vendor {
  const char *name;    /* of the device: "cuda" */
  const char *library; /* "CUDA" */
  /* Makes the device the thread's. `before` says what it was, for `leave`. */
  card_result (*enter)(const struct rt_card *c, int *before);
  void (*leave)(const struct rt_card *c, int before);
  /* Whether the caller's memory is the device's already. */
  bool (*is_device_memory)(const struct rt_card *c, const void *memory);
  /* After a failure that was reported: the library is not to tell others of it. NULL: it doesn't.
   */
  void (*forget)(const struct rt_card *c);
} card_vendor;

/* The first member of a vendor's device. */
typedef struct rt_card {
  const card_vendor *vendor;
  const card_calls *calls;
  const gpu_target *target;
  tsr_stream stream; /* of launches and copies that are waited for */
} rt_card;

tsr_status card_status(card_result r);
/* Reports what the library said of `what`. */
tsr_status card_report(tsr_device *dev, card_result r, const char *what);

/* CARD_CALL(dev, "copying", copy(...)): on the device, reported; its tsr_status. */
#define CARD_CALL(dev, what, call)                                                                 \
  ({                                                                                               \
    int call_before = 0;                                                                           \
    card_result call_result = (dev)->card->vendor->enter((dev)->card, &call_before);               \
    if (call_result == CARD_OK) call_result = (dev)->card->calls->call;                            \
    (dev)->card->vendor->leave((dev)->card, call_before);                                          \
    call_result == CARD_OK ? TSR_OK : card_report((dev), call_result, (what));                     \
  })

/* The device's own stream, in order with the default stream, on which other libraries make the
 * arguments. Reports and returns false. */
bool card_open_stream(tsr_device *dev, const char *what);
void card_close_stream(tsr_device *dev);

/* What the library says, for card_vendor.is_device_memory. */
bool card_is_device_memory(const rt_card *c, const void *memory);

/* On the device, all of these: a copy on a stream, or at once where `s` is NULL. */
card_result card_copy(const rt_card *c, card_address at, void *host, size_t bytes, bool to_device,
                      const tsr_stream *s);
/* Waits for the device's own stream, also after a call that failed: memory of the host may still
 * be read. */
card_result card_finish(const rt_card *c, card_result before);

/* Puts a launch on its stream, or between copies of the buffers that have a host copy on the
 * device's own, which is waited for. `put` puts the kernel there. What fails is returned, or
 * reported and noted in the launch. */
card_result card_launch(rt_launch_state *l, card_result (*put)(rt_launch_state *l, card_object s));

/* For the vendors' rt_device_kind. */
bool card_map(tsr_buffer *b);
void card_unmap(tsr_buffer *b);
extern const rt_stream_kind card_streams;

#endif
