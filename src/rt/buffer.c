/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers: host memory, or the device's where it has its own. Then a host copy is made when
 * somebody asks for the host's address, and launches keep both the same.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "rt/rt.h"

enum { BUFFER_ALIGN = 64, HUGE_PAGES_FROM = 3 << 20 };

void *rt_aligned(tsr_context *ctx, size_t size, size_t align, void **raw, size_t *raw_size) {
  /* The allocator promises 16. */
  if (size > SIZE_MAX / 2 || align > SIZE_MAX / 4) return NULL;
  *raw_size = size + align - 16;
  *raw = ctx_try_alloc(ctx, *raw_size);
  if (!*raw) return NULL;
  return (void *)(((uintptr_t)*raw + (align - 1)) & ~(uintptr_t)(align - 1));
}

void rt_wish_for_huge_pages(void *data, size_t size) {
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

/* Zeroed memory of the host for the buffer. */
static bool give_host_memory(tsr_buffer *b) {
  /* Whole cache lines, so that no other object shares the last one. */
  size_t whole = b->size <= SIZE_MAX - BUFFER_ALIGN ? (b->size + 63) & ~(size_t)63 : SIZE_MAX;
  whole = MAX(whole, (size_t)BUFFER_ALIGN);
  b->data = rt_aligned(b->device->ctx, whole, BUFFER_ALIGN, &b->raw, &b->raw_size);
  if (!b->data) return false;
  rt_wish_for_huge_pages(b->data, whole);
  memset(b->data, 0, whole);
  return true;
}

tsr_buffer *tsr_buffer_create(tsr_device *dev, size_t bytes) {
  if (!dev) return NULL;
  tsr_context *ctx = dev->ctx;
  tsr_buffer *buffer = ctx_try_alloc(ctx, sizeof *buffer);
  if (buffer) {
    *buffer = (tsr_buffer){.device = dev, .size = bytes};
    bool good = dev->kind->streams || give_host_memory(buffer);
    if (good && (!dev->kind->map || dev->kind->map(buffer))) return buffer;
    ctx_free(ctx, buffer->raw, buffer->raw_size);
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

size_t tsr_buffer_size(const tsr_buffer *buffer) {
  return buffer ? buffer->size : 0;
}
uint64_t tsr_buffer_address(const tsr_buffer *buffer) {
  return buffer ? buffer->address ? buffer->address : (uintptr_t)buffer->data : 0;
}

/* ---- the host's copy ------------------------------------------------------------------------ */

void *tsr_buffer_data(tsr_buffer *b) {
  if (!b || b->data || !b->device->kind->streams) return b ? b->data : NULL;
  if (!give_host_memory(b)) {
    diag_error(b->device->ctx, NOWHERE, "out of memory: a host copy of %zu bytes", b->size);
    return NULL;
  }
  b->mirrored = b->device->kind->streams->copy(NULL, b, 0, b->data, b->size, false) == TSR_OK;
  if (b->mirrored) return b->data;
  ctx_free(b->device->ctx, b->raw, b->raw_size);
  b->raw = b->data = NULL;
  b->raw_size = 0;
  return NULL;
}

static tsr_status copy(tsr_buffer *b, size_t offset, void *host, size_t bytes, bool write) {
  if (!b) return TSR_ERROR_USAGE;
  if (!rt_copy_fits(b, offset, host, bytes)) return TSR_ERROR_USAGE;
  if (!b->data) return b->device->kind->streams->copy(NULL, b, offset, host, bytes, write);
  char *own = (char *)b->data + offset;
  if (bytes && write) memcpy(own, host, bytes);
  if (bytes && !write) memcpy(host, own, bytes);
  return TSR_OK;
}

tsr_status tsr_buffer_write(tsr_buffer *b, size_t offset, const void *from, size_t bytes) {
  return copy(b, offset, (void *)(uintptr_t)from, bytes, true);
}
tsr_status tsr_buffer_read(tsr_buffer *b, size_t offset, void *to, size_t bytes) {
  return copy(b, offset, to, bytes, false);
}

bool rt_copy_fits(const tsr_buffer *b, size_t offset, const void *host, size_t bytes) {
  bool fits = offset <= b->size && bytes <= b->size - offset;
  if (fits && (host || !bytes)) return true;
  if (fits) {
    rt_error(b->device, "a copy of %zu bytes: the host's address is NULL", bytes);
    return false;
  }
  rt_error(b->device, "a copy of %zu bytes at offset %zu of a buffer of %zu bytes", bytes, offset,
           b->size);
  return false;
}
