/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers: host memory, for the devices that there are so far.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "rt/rt.h"

enum { BUFFER_ALIGN = 64, HUGE_PAGES_FROM = 4 << 20 };

void *rt_aligned(tsr_context *ctx, size_t size, size_t align, void **raw, size_t *raw_size) {
  /* The allocator promises 16. */
  if (size > SIZE_MAX / 2 || align > SIZE_MAX / 4) return NULL;
  *raw_size = size + align - 16;
  *raw = ctx_try_alloc(ctx, *raw_size);
  if (!*raw) return NULL;
  return (void *)(((uintptr_t)*raw + (align - 1)) & ~(uintptr_t)(align - 1));
}

/* Large operands are walked through with large strides: pages of 2 MB spare the processor most of
 * its misses in translation. A wish; it does not matter if it is refused. */
static void wish_for_huge_pages(void *data, size_t size) {
#if defined(MADV_HUGEPAGE)
  if (size < HUGE_PAGES_FROM) return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)data + page - 1) & ~(page - 1);
  uintptr_t last = ((uintptr_t)data + size) & ~(page - 1);
  madvise((void *)first, last - first, MADV_HUGEPAGE);
#else
  (void)data;
  (void)size;
#endif
}

tsr_buffer *tsr_buffer_create(tsr_device *dev, size_t bytes) {
  if (!dev) return NULL;
  tsr_context *ctx = dev->ctx;
  tsr_buffer *buffer = ctx_try_alloc(ctx, sizeof *buffer);
  if (buffer) {
    *buffer = (tsr_buffer){.device = dev, .size = bytes};
    /* Whole cache lines, so that no other object shares the last one. */
    size_t whole = bytes <= SIZE_MAX - BUFFER_ALIGN ? (bytes + 63) & ~(size_t)63 : SIZE_MAX;
    buffer->data = rt_aligned(ctx, MAX(whole, (size_t)BUFFER_ALIGN), BUFFER_ALIGN, &buffer->raw,
                              &buffer->raw_size);
    if (buffer->data) {
      wish_for_huge_pages(buffer->data, whole);
      memset(buffer->data, 0, MAX(whole, (size_t)BUFFER_ALIGN));
      if (!dev->kind->map || dev->kind->map(buffer)) return buffer;
      ctx_free(ctx, buffer->raw, buffer->raw_size);
    }
    ctx_free(ctx, buffer, sizeof *buffer);
  }
  diag_error(ctx, NOWHERE, "out of memory: a buffer of %zu bytes", bytes);
  return NULL;
}

tsr_buffer *tsr_buffer_wrap(tsr_device *dev, void *memory, size_t bytes) {
  if (!dev) return NULL;
  tsr_context *ctx = dev->ctx;
  if (!memory && bytes) {
    diag_error(ctx, NOWHERE, "tsr_buffer_wrap: %zu bytes at address 0", bytes);
    return NULL;
  }
  tsr_buffer *buffer = ctx_try_alloc(ctx, sizeof *buffer);
  if (!buffer) {
    diag_error(ctx, NOWHERE, "out of memory");
    return NULL;
  }
  *buffer = (tsr_buffer){.device = dev, .data = memory, .size = bytes};
  if (!dev->kind->map || dev->kind->map(buffer)) return buffer;
  ctx_free(ctx, buffer, sizeof *buffer);
  diag_error(ctx, NOWHERE, "out of memory");
  return NULL;
}

void tsr_buffer_destroy(tsr_buffer *buffer) {
  if (!buffer) return;
  tsr_context *ctx = buffer->device->ctx;
  if (buffer->device->kind->unmap) buffer->device->kind->unmap(buffer);
  ctx_free(ctx, buffer->raw, buffer->raw_size);
  ctx_free(ctx, buffer, sizeof *buffer);
}

void *tsr_buffer_data(tsr_buffer *buffer) {
  return buffer ? buffer->data : NULL;
}
size_t tsr_buffer_size(const tsr_buffer *buffer) {
  return buffer ? buffer->size : 0;
}
