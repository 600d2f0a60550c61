/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory. The device works on the host's, so "device" memory is allocated here and every address
 * is valid on both sides. What was allocated or registered is kept in a list sorted by address:
 * that is how a wrong pointer is told from a right one, and what answers questions about pointers.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat/driver.h"

enum { ALIGN = 512, HUGE_PAGE = 2 << 20, HUGE_FROM = 4 << 20 };

static struct {
  pthread_mutex_t lock;
  range *data; /* sorted by base; they do not overlap */
  size_t len, cap;
  uint64_t ids;
} ranges = {.lock = PTHREAD_MUTEX_INITIALIZER};

size_t memory_total(void) {
  return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t memory_available(void) {
  return (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- the list ------------------------------------------------------------------------------- */

/* How many ranges begin at or before the address. Under the lock, like the others here. */
static size_t ranges_upto(uintptr_t address) {
  size_t low = 0, high = ranges.len;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranges.data[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static range *range_of(uintptr_t address) {
  size_t n = ranges_upto(address);
  range *r = n ? &ranges.data[n - 1] : NULL;
  return r && address - r->base < r->size ? r : NULL;
}

/* CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED when it overlaps another. */
static CUresult range_add(range new) {
  size_t at = ranges_upto(new.base);
  bool before = at && new.base - ranges.data[at - 1].base < ranges.data[at - 1].size;
  bool behind = at < ranges.len && ranges.data[at].base - new.base < new.size;
  if (before || behind) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (ranges.len == ranges.cap) {
    size_t cap = ranges.cap ? ranges.cap * 2 : 64;
    range *data = realloc(ranges.data, cap * sizeof *data);
    if (!data) return CUDA_ERROR_OUT_OF_MEMORY;
    ranges.data = data;
    ranges.cap = cap;
  }
  memmove(&ranges.data[at + 1], &ranges.data[at], (ranges.len - at) * sizeof *ranges.data);
  new.id = ++ranges.ids;
  ranges.data[at] = new;
  ranges.len++;
  return CUDA_SUCCESS;
}

static void range_remove(range *r) {
  size_t at = (size_t)(r - ranges.data);
  ranges.len--;
  memmove(r, r + 1, (ranges.len - at) * sizeof *r);
}

bool memory_find(uintptr_t address, range *out) {
  pthread_mutex_lock(&ranges.lock);
  const range *r = range_of(address);
  if (r) *out = *r;
  pthread_mutex_unlock(&ranges.lock);
  return r != NULL;
}

bool memory_valid(uintptr_t address, size_t size, bool any) {
  range r;
  if (!size) return true;
  if (!address) return false;
  if (memory_find(address, &r)) return size <= r.size - (address - r.base);
  return any && size <= UINTPTR_MAX - address;
}

/* ---- allocating ----------------------------------------------------------------------------- */

static void *allocate(size_t size) {
  if (size > memory_total()) return NULL;
  size_t align = size >= HUGE_FROM ? HUGE_PAGE : ALIGN;
  size_t whole = (size + align - 1) & ~(align - 1);
  void *memory = aligned_alloc(align, whole);
#if defined(MADV_HUGEPAGE)
  /* Large operands are walked through with large strides; a wish. */
  if (memory && align == HUGE_PAGE) madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

CUresult memory_new(drv_context *owner, range_kind kind, size_t size, unsigned flags, uint64_t pool,
                    uintptr_t *out) {
  if (!size) return CUDA_ERROR_INVALID_VALUE;
  void *memory = allocate(size);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  range new = {.base = (uintptr_t)memory,
               .size = size,
               .kind = kind,
               .flags = flags,
               .owner = owner,
               .pool = pool};
  pthread_mutex_lock(&ranges.lock);
  CUresult r = range_add(new);
  pthread_mutex_unlock(&ranges.lock);
  if (r)
    free(memory);
  else
    emulator_map(new.base, size);
  *out = r ? 0 : new.base;
  return r;
}

CUresult memory_free(uintptr_t base, unsigned kinds) {
  pthread_mutex_lock(&ranges.lock);
  range *r = range_of(base);
  bool right = r && r->base == base && kinds & 1u << r->kind;
  bool own = right && r->kind != RANGE_REGISTERED;
  if (right) range_remove(r);
  pthread_mutex_unlock(&ranges.lock);
  if (right) emulator_unmap(base);
  if (own) free((void *)base);
  return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void memory_free_owned(drv_context *owner) {
  pthread_mutex_lock(&ranges.lock);
  for (size_t i = ranges.len; i-- > 0;) {
    range r = ranges.data[i];
    if (r.owner != owner) continue;
    range_remove(&ranges.data[i]);
    emulator_unmap(r.base);
    if (r.kind != RANGE_REGISTERED) free((void *)r.base);
  }
  pthread_mutex_unlock(&ranges.lock);
}

CUresult memory_add_variable(uintptr_t base, size_t size, uint64_t library) {
  pthread_mutex_lock(&ranges.lock);
  const range *known = range_of(base);
  CUresult r =
      known && known->base == base && known->pool == library
          ? CUDA_SUCCESS
          : range_add((range){.base = base, .size = size, .kind = RANGE_VARIABLE, .pool = library});
  pthread_mutex_unlock(&ranges.lock);
  return r;
}

void memory_forget_variables(uint64_t library) {
  pthread_mutex_lock(&ranges.lock);
  for (size_t i = ranges.len; i-- > 0;)
    if (ranges.data[i].kind == RANGE_VARIABLE && ranges.data[i].pool == library)
      range_remove(&ranges.data[i]);
  pthread_mutex_unlock(&ranges.lock);
}

void memory_walk(void (*each)(uintptr_t base, size_t size)) {
  pthread_mutex_lock(&ranges.lock);
  for (size_t i = 0; i < ranges.len; i++) each(ranges.data[i].base, ranges.data[i].size);
  pthread_mutex_unlock(&ranges.lock);
}

/* ---- entries: allocating -------------------------------------------------------------------- */

static CUresult alloc_entry(uintptr_t *out, range_kind kind, size_t bytes, unsigned flags) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  r = out ? memory_new(ctx, kind, bytes, flags, 0, out) : CUDA_ERROR_INVALID_VALUE;
  PUT(ctx);
  return r;
}

static CUresult free_entry(uintptr_t base, unsigned kinds) {
  drv_context *ctx;
  CUresult r = enter_anyway(&ctx); /* also after a fault, so that programs can clean up */
  if (r) return r;
  late_finish();
  r = base ? memory_free(base, kinds) : CUDA_SUCCESS;
  PUT(ctx);
  return r;
}

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytes) {
  return alloc_entry((uintptr_t *)dptr, RANGE_DEVICE, bytes, 0);
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytes, unsigned int flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  return alloc_entry((uintptr_t *)dptr, RANGE_MANAGED, bytes, flags);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pitch, size_t width, size_t height,
                            unsigned int element) {
  size_t row, bytes;
  if (!pitch || (element != 4 && element != 8 && element != 16)) return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_add_overflow(width, ALIGN - 1, &row)) return CUDA_ERROR_INVALID_VALUE;
  row &= ~(size_t)(ALIGN - 1);
  if (__builtin_mul_overflow(row, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = alloc_entry((uintptr_t *)dptr, RANGE_DEVICE, bytes, 0);
  if (!r) *pitch = row;
  return r;
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  return free_entry((uintptr_t)dptr, 1u << RANGE_DEVICE | 1u << RANGE_MANAGED);
}

CUresult cuMemHostAlloc(void **pp, size_t bytes, unsigned int flags) {
  if (flags > 7) return CUDA_ERROR_INVALID_VALUE;
  return alloc_entry((uintptr_t *)pp, RANGE_HOST, bytes, flags);
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytes) {
  return cuMemHostAlloc(pp, bytes, 0);
}

CUresult cuMemFreeHost(void *p) {
  return free_entry((uintptr_t)p, 1u << RANGE_HOST);
}

CUresult cuMemHostRegister_v2(void *p, size_t bytes, unsigned int flags) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  uintptr_t base = (uintptr_t)p;
  if (!p || !bytes || bytes > UINTPTR_MAX - base || flags > 15) {
    PUT(ctx);
    return CUDA_ERROR_INVALID_VALUE;
  }
  pthread_mutex_lock(&ranges.lock);
  r = range_add(
      (range){.base = base, .size = bytes, .kind = RANGE_REGISTERED, .flags = flags, .owner = ctx});
  pthread_mutex_unlock(&ranges.lock);
  if (!r) emulator_map(base, bytes);
  PUT(ctx);
  return r;
}

CUresult cuMemHostUnregister(void *p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = free_entry((uintptr_t)p, 1u << RANGE_REGISTERED);
  return r == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : r;
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  PUT(ctx);
  if (!available || !total) return CUDA_ERROR_INVALID_VALUE;
  *available = memory_available();
  *total = memory_total();
  return CUDA_SUCCESS;
}

/* ---- entries: allocating in a stream's order ------------------------------------------------ */

/* In a stream that captures, memory belongs to the graph. */
static CUresult alloc_captured(drv_context *ctx, drv_stream *s, size_t bytes, uintptr_t *out) {
  work w;
  CUresult r = alloc_work(bytes, &w);
  if (r) return r;
  r = submit(ctx, s, &w);
  if (!r) *out = w.memory->address;
  work_drop(&w);
  return r;
}

static CUresult alloc_async(CUdeviceptr *dptr, size_t bytes, drv_pool *p, CUstream handle) {
  drv_context *ctx;
  drv_stream *s = NULL;
  CUresult r = enter(&ctx);
  if (r) return r;
  uintptr_t address = 0;
  r = dptr ? stream_get(ctx, handle, &s) : CUDA_ERROR_INVALID_VALUE;
  if (!r)
    r = s->capture ? alloc_captured(ctx, s, bytes, &address)
                   : memory_new(ctx, RANGE_DEVICE, bytes, 0, p->base.handle, &address);
  if (!r) *dptr = address;
  PUT(s);
  PUT(ctx);
  return r;
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytes, CUstream stream) {
  drv_pool *p = pool_default();
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = alloc_async(dptr, bytes, p, stream);
  PUT(p);
  return r;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytes, CUmemoryPool handle,
                                 CUstream stream) {
  drv_pool *p = GET(OBJECT_POOL, handle);
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = alloc_async(dptr, bytes, p, stream);
  PUT(p);
  return r;
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream stream) {
  drv_context *ctx;
  drv_stream *s;
  CUresult r = enter(&ctx);
  if (r) return r;
  r = stream_get(ctx, stream, &s);
  if (!r) {
    work w = {.kind = WORK_FREE, .freed = dptr};
    if (s->capture) r = free_work(dptr, &w);
    if (!r) r = submit(ctx, s, &w);
    PUT(s);
  }
  PUT(ctx);
  return r;
}

/* ---- pools ---------------------------------------------------------------------------------- */

drv_pool *pool_default(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static drv_pool *only;
  pthread_mutex_lock(&lock);
  if (!only) only = object_new(OBJECT_POOL, sizeof *only, NULL);
  if (only) KEEP(only);
  pthread_mutex_unlock(&lock);
  return only;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice dev) {
  CUresult r = initialised();
  if (r) return r;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  drv_pool *p = pool_default();
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = HANDLE(CUmemoryPool, p);
  PUT(p);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *out, CUdevice dev) {
  return cuDeviceGetDefaultMemPool(out, dev);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool handle) {
  CUresult r = initialised();
  if (r) return r;
  if (!device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  drv_pool *p = GET(OBJECT_POOL, handle);
  PUT(p);
  return p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props) {
  CUresult r = initialised();
  if (r) return r;
  if (!out || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (props->handleTypes) return CUDA_ERROR_NOT_SUPPORTED;
  drv_pool *p = object_new(OBJECT_POOL, sizeof *p, NULL);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = HANDLE(CUmemoryPool, p);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  drv_pool *p = GET(OBJECT_POOL, handle), *only = pool_default();
  bool good = p && p != only && object_close(&p->base);
  PUT(p);
  PUT(only);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
  (void)keep; /* nothing is kept */
  drv_pool *p = GET(OBJECT_POOL, handle);
  PUT(p);
  return p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *map, size_t count) {
  for (size_t i = 0; map && i < count; i++)
    if (!device_exists(map[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
  return map || !count ? cuMemPoolTrimTo(handle, 0) : CUDA_ERROR_INVALID_VALUE;
}

static size_t pool_used(const drv_pool *p) {
  size_t used = 0;
  pthread_mutex_lock(&ranges.lock);
  for (size_t i = 0; i < ranges.len; i++)
    if (ranges.data[i].pool == p->base.handle) used += ranges.data[i].size;
  pthread_mutex_unlock(&ranges.lock);
  return used;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attr, void *value) {
  drv_pool *p = GET(OBJECT_POOL, handle);
  CUresult r = CUDA_SUCCESS;
  if (!p || !value)
    r = CUDA_ERROR_INVALID_VALUE;
  else if (attr >= 1 && attr <= 3)
    memcpy(&p->reuse[attr - 1], value, sizeof(int));
  else if (attr == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    memcpy(&p->threshold, value, sizeof p->threshold);
  else if (attr != CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH && attr != CU_MEMPOOL_ATTR_USED_MEM_HIGH)
    r = CUDA_ERROR_INVALID_VALUE;
  PUT(p);
  return r;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attr, void *value) {
  drv_pool *p = GET(OBJECT_POOL, handle);
  CUresult r = CUDA_SUCCESS;
  if (!p || !value || attr < 1 || attr > CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
    r = CUDA_ERROR_INVALID_VALUE;
  } else if (attr <= 3) {
    memcpy(value, &p->reuse[attr - 1], sizeof(int));
  } else {
    cuuint64_t number = attr == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? p->threshold : pool_used(p);
    memcpy(value, &number, sizeof number);
  }
  PUT(p);
  return r;
}

/* ---- entries: questions --------------------------------------------------------------------- */

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr dptr) {
  CUresult r = initialised();
  if (r) return r;
  range found;
  if (!memory_find((uintptr_t)dptr, &found)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = found.base;
  if (size) *size = found.size;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *dptr, void *p, unsigned int flags) {
  CUresult r = initialised();
  if (r) return r;
  range found;
  bool known = memory_find((uintptr_t)p, &found) && found.kind != RANGE_DEVICE &&
               found.kind != RANGE_VARIABLE;
  if (!dptr || flags || !known) return CUDA_ERROR_INVALID_VALUE;
  *dptr = (uintptr_t)p;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *p) {
  CUresult r = initialised();
  if (r) return r;
  range found;
  if (!flags || !memory_find((uintptr_t)p, &found) || found.kind != RANGE_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = found.flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

/* The handle of a context that may be gone. */
static CUcontext owner_handle(const range *r) {
  return r->owner ? HANDLE(CUcontext, r->owner) : NULL;
}

#define ANSWER(T, v) (*(T *)data = (T)(v), CUDA_SUCCESS)

static CUresult pointer_answer(void *data, CUpointer_attribute attribute, const range *r,
                               uintptr_t address) {
  bool device = r->kind == RANGE_DEVICE || r->kind == RANGE_VARIABLE;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: return ANSWER(CUcontext, owner_handle(r));
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return ANSWER(unsigned,
                  device || r->kind == RANGE_MANAGED ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return ANSWER(CUdeviceptr, address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (device) return CUDA_ERROR_INVALID_VALUE;
    *(void **)data = (void *)address;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return ANSWER(int, 1);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID: return ANSWER(unsigned long long, r->id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: return ANSWER(int, r->kind == RANGE_MANAGED);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return ANSWER(int, 0);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return ANSWER(int, 0);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return ANSWER(CUdeviceptr, r->base);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return ANSWER(size_t, r->size);
  case CU_POINTER_ATTRIBUTE_MAPPED: return ANSWER(int, 1);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return ANSWER(unsigned long long, 0);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return ANSWER(unsigned, 3);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return ANSWER(uintptr_t, r->pool);
  default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  CUresult r = initialised();
  if (r) return r;
  range found;
  if (!data) return CUDA_ERROR_INVALID_VALUE;
  if (memory_find((uintptr_t)ptr, &found))
    return pointer_answer(data, attribute, &found, (uintptr_t)ptr);
  /* Any memory of the host is as good as the device's own. A front end that asks whose an array
   * is continues in the primary context; one that asks for the device's address has it, when
   * kernels of PTX reach the memory, too. */
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER && ptr && device_reaches_process()) {
    *(CUdeviceptr *)data = ptr;
    return CUDA_SUCCESS;
  }
  if (attribute != CU_POINTER_ATTRIBUTE_CONTEXT || !ptr) return CUDA_ERROR_INVALID_VALUE;
  drv_context *ctx = context_primary();
  if (!ctx) return CUDA_ERROR_OUT_OF_MEMORY;
  *(CUcontext *)data = HANDLE(CUcontext, ctx);
  PUT(ctx);
  return CUDA_SUCCESS;
}

/* Unlike the call for one attribute this one gives zeros for what does not apply. */
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr ptr) {
  CUresult r = initialised();
  if (r) return r;
  if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  range found;
  bool known = memory_find((uintptr_t)ptr, &found);
  for (unsigned i = 0; i < count; i++) {
    if (!data[i]) return CUDA_ERROR_INVALID_VALUE;
    if (known && pointer_answer(data[i], attributes[i], &found, (uintptr_t)ptr) == CUDA_SUCCESS)
      continue;
    bool wide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                attributes[i] == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
                attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE ||
                attributes[i] == CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES ||
                attributes[i] == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    memset(data[i], 0, wide ? 8 : 4);
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) *(int *)data[i] = -2;
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  CUresult r = initialised();
  if (r) return r;
  range found;
  bool good =
      value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && memory_find((uintptr_t)ptr, &found);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- entries: advice; between processes ----------------------------------------------------- */

static CUresult advise(CUdeviceptr dptr, size_t bytes) {
  CUresult r = initialised();
  if (r) return r;
  return bytes && memory_valid((uintptr_t)dptr, bytes, true) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAdvise(CUdeviceptr dptr, size_t bytes, CUmem_advise advice, CUdevice dev) {
  (void)dev;
  return advice >= 1 && advice <= 6 ? advise(dptr, bytes) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAdvise_v2(CUdeviceptr dptr, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  return cuMemAdvise(dptr, bytes, advice, location.id);
}

CUresult cuMemPrefetchAsync(CUdeviceptr dptr, size_t bytes, CUdevice dev, CUstream stream) {
  (void)dev;
  CUresult r = advise(dptr, bytes);
  return r ? r : submit_to(stream, &(work){.kind = WORK_EMPTY});
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr dptr, size_t bytes, CUmemLocation location,
                               unsigned int flags, CUstream stream) {
  return flags ? CUDA_ERROR_INVALID_VALUE : cuMemPrefetchAsync(dptr, bytes, location.id, stream);
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr dptr) {
  (void)handle, (void)dptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *dptr, CUipcMemHandle handle, unsigned int flags) {
  (void)dptr, (void)handle, (void)flags;
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  (void)dptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
  (void)handle, (void)event;
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle) {
  (void)event, (void)handle;
  return CUDA_ERROR_NOT_SUPPORTED;
}
