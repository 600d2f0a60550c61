/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams and events: launches and copies that return before they are done.
 *
 *   tsr_stream *s = tsr_stream_create(dev);
 *   tsr_stream_write(s, x, 0, numbers, bytes);
 *   tsr_launch_on(s, kernel, (tsr_grid){blocks, 1, 1}, args, 3);
 *   tsr_stream_read(s, x, 0, numbers, bytes);
 *   tsr_status status = tsr_stream_wait(s);          // now `numbers` are there, or why not
 *
 * What is put on a stream is executed in its order; streams are not ordered with each other, except
 * by events. On "cuda:N" a stream is a stream of CUDA, on "hip:N" one of HIP, and none of the calls
 * that put work on one waits for the device or allocates memory there, so that they may be captured
 * into a graph; but on "hip:N" launches of modules that print wait. On the other devices everything
 * has been executed when its call returns.
 *
 * Calls without a stream (tsr_launch, tsr_buffer_create, _read, _write) are done on the device when
 * they return, so what is put on a stream afterwards finds what they left. They do not wait for
 * what is on a stream already: tsr_stream_wait and tsr_event_wait do.
 *
 * Errors. A call reports what can be seen at once (TSR_ERROR_USAGE: wrong arguments; nothing was
 * put on the stream). What goes wrong on the device is reported by the first call that waits for
 * it: TSR_ERROR_TRAP. After that a GPU is lost, as for every user of it in the process; all later
 * calls fail.
 *
 * Lifetimes and threads. Streams and events belong to a device and are destroyed before it; what
 * was put on a stream keeps no reference to kernels, buffers and host memory, which must stay until
 * it was executed. They may be used by several threads, like launches (runtime.h).
 */
#ifndef TESSERA_STREAM_H
#define TESSERA_STREAM_H

#include <tessera/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsr_stream tsr_stream;
typedef struct tsr_event tsr_event;

/* NULL after a message. */
TSR_API tsr_stream *tsr_stream_create(tsr_device *device);
/* A stream that the program has: on "cuda:N" a CUstream or cudaStream_t of the device's primary
 * context, on "hip:N" a hipStream_t, NULL being the default stream. It stays the program's. Other
 * devices: `native` is NULL.
 */
TSR_API tsr_stream *tsr_stream_wrap(tsr_device *device, void *native);
/* Waits for what is on it, unless it was wrapped. NULL is allowed. */
TSR_API void tsr_stream_destroy(tsr_stream *stream);
/* Until all that was put on it has been executed. */
TSR_API tsr_status tsr_stream_wait(tsr_stream *stream);

/* As tsr_launch, without waiting. Buffers whose host address was asked for (tsr_buffer_data,
 * tsr_buffer_wrap) are refused on devices with memory of their own: tsr_launch keeps both copies
 * the same, this does not. */
TSR_API tsr_status tsr_launch_on(tsr_stream *stream, tsr_kernel *kernel, tsr_grid grid,
                                 const tsr_arg *args, size_t arg_count);

/* Copies `bytes` bytes from or to host memory, which is left alone until they are executed. */
TSR_API tsr_status tsr_stream_write(tsr_stream *stream, tsr_buffer *buffer, size_t offset,
                                    const void *from, size_t bytes);
TSR_API tsr_status tsr_stream_read(tsr_stream *stream, tsr_buffer *buffer, size_t offset, void *to,
                                   size_t bytes);

/* A place in a stream, to wait for and to take times. */
TSR_API tsr_event *tsr_event_create(tsr_device *device);
TSR_API void tsr_event_destroy(tsr_event *event); /* NULL is allowed */
/* The place after all that is on the stream now. */
TSR_API tsr_status tsr_event_record(tsr_event *event, tsr_stream *stream);
TSR_API tsr_status tsr_event_wait(tsr_event *event);
/* What is put on the stream later is executed after what the event stands for. */
TSR_API tsr_status tsr_stream_wait_event(tsr_stream *stream, tsr_event *event);
/* Milliseconds from one event to another, when both have been reached. */
TSR_API tsr_status tsr_event_elapsed(tsr_event *begin, tsr_event *end, double *ms);

#ifdef __cplusplus
}
#endif
#endif
