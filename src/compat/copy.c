/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Copying and filling: every entry becomes one description of rows, which is checked here and
 * executed in a stream's order.
 */
#include <string.h>

#include "compat/driver.h"

/* ---- copies --------------------------------------------------------------------------------- */

/* Which memory one side of a copy may name. */
typedef enum side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY } side;

/* The bytes from the first row's begin to the last row's end; false when they don't fit. */
static bool span(const copy_work *c, size_t pitch, size_t slice, size_t *out) {
  size_t rows, slices;
  *out = 0;
  if (!c->width || !c->height || !c->depth) return true;
  if (__builtin_mul_overflow(pitch, c->height - 1, &rows)) return false;
  if (__builtin_mul_overflow(slice, c->depth - 1, &slices)) return false;
  return !__builtin_add_overflow(rows, slices, out) && !__builtin_add_overflow(*out, c->width, out);
}

static bool side_valid(const copy_work *c, uintptr_t at, size_t pitch, size_t slice, side s) {
  size_t bytes;
  return span(c, pitch, slice, &bytes) && memory_valid(at, bytes, s != SIDE_DEVICE);
}

static CUresult copy_check(const copy_work *c, side dst, side src) {
  bool good = side_valid(c, c->dst, c->dst_pitch, c->dst_slice, dst) &&
              side_valid(c, c->src, c->src_pitch, c->src_slice, src);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void copy_run(const copy_work *c) {
  if (!c->width) return;
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++)
      memmove((char *)c->dst + z * c->dst_slice + y * c->dst_pitch,
              (const char *)c->src + z * c->src_slice + y * c->src_pitch, c->width);
}

static CUresult flat(uintptr_t dst, uintptr_t src, size_t bytes, side dst_side, side src_side,
                     CUstream stream) {
  work w = {.kind = WORK_COPY,
            .copy = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1}};
  w.copy.asked = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                                 .srcDevice = src,
                                 .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                                 .dstDevice = dst,
                                 .WidthInBytes = bytes,
                                 .Height = 1,
                                 .Depth = 1};
  CUresult r = copy_check(&w.copy, dst_side, src_side);
  return r ? r : submit_to(stream, &w);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return flat((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_ANY, SIDE_ANY, stream);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream) {
  return flat((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_DEVICE, SIDE_HOST, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return flat((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_HOST, SIDE_DEVICE, stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return flat((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_DEVICE, SIDE_DEVICE, stream);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx,
                           size_t bytes, CUstream stream) {
  (void)dst_ctx, (void)src_ctx; /* all contexts share one memory */
  return cuMemcpyDtoDAsync_v2(dst, src, bytes, stream);
}

/* Without a stream: on the default one, waited for as far as the API says. */
static CUresult flat_now(uintptr_t dst, uintptr_t src, size_t bytes, side dst_side, side src_side) {
  CUresult r = late_before_copy(dst, src);
  if (!r) r = flat(dst, src, bytes, dst_side, src_side, NULL);
  return r ? r : late_after_copy(dst, src);
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return flat_now((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_ANY, SIDE_ANY);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes) {
  return flat_now((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_DEVICE, SIDE_HOST);
}
CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes) {
  return flat_now((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_HOST, SIDE_DEVICE);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return flat_now((uintptr_t)dst, (uintptr_t)src, bytes, SIDE_DEVICE, SIDE_DEVICE);
}
CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx,
                      size_t bytes) {
  (void)dst_ctx, (void)src_ctx;
  return cuMemcpyDtoD_v2(dst, src, bytes);
}

/* ---- copies of rows ------------------------------------------------------------------------- */

/* One side of a described copy: where its first byte lies and how far rows and slices are apart. */
typedef struct place3d {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  size_t x, y, z, pitch, height;
} place3d;

static CUresult place_side(const place3d *p, size_t width, size_t height, size_t depth,
                           uintptr_t *at, size_t *pitch, size_t *slice, side *s) {
  size_t rows, offset, part;
  switch (p->type) {
  case CU_MEMORYTYPE_HOST:
    *s = SIDE_HOST;
    *at = (uintptr_t)p->host;
    break;
  case CU_MEMORYTYPE_DEVICE:
    *s = SIDE_DEVICE;
    *at = (uintptr_t)p->device;
    break;
  case CU_MEMORYTYPE_UNIFIED:
    *s = SIDE_ANY;
    *at = (uintptr_t)p->device;
    break;
  default: return CUDA_ERROR_NOT_SUPPORTED; /* there are no arrays */
  }
  *pitch = p->pitch ? p->pitch : width;
  if (height * depth > 1 && *pitch < width) return CUDA_ERROR_INVALID_VALUE;
  rows = p->height ? p->height : height;
  if (depth > 1 && rows < height) return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(*pitch, rows, slice)) return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(*slice, p->z, &offset) ||
      __builtin_mul_overflow(*pitch, p->y, &part) ||
      __builtin_add_overflow(offset, part, &offset) ||
      __builtin_add_overflow(offset, p->x, &offset) || __builtin_add_overflow(*at, offset, at))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult copy_from_3d(const CUDA_MEMCPY3D *a, copy_work *out) {
  if (!a || a->srcLOD || a->dstLOD) return CUDA_ERROR_INVALID_VALUE;
  size_t all;
  if (__builtin_mul_overflow(a->Height, a->Depth, &all)) return CUDA_ERROR_INVALID_VALUE;
  *out = (copy_work){.width = a->WidthInBytes, .height = a->Height, .depth = a->Depth, .asked = *a};
  place3d src = {a->srcMemoryType, a->srcHost, a->srcDevice, a->srcXInBytes,
                 a->srcY,          a->srcZ,    a->srcPitch,  a->srcHeight};
  place3d dst = {a->dstMemoryType, a->dstHost, a->dstDevice, a->dstXInBytes,
                 a->dstY,          a->dstZ,    a->dstPitch,  a->dstHeight};
  side s, d;
  CUresult r = place_side(&src, a->WidthInBytes, a->Height, a->Depth, &out->src, &out->src_pitch,
                          &out->src_slice, &s);
  if (!r)
    r = place_side(&dst, a->WidthInBytes, a->Height, a->Depth, &out->dst, &out->dst_pitch,
                   &out->dst_slice, &d);
  return r ? r : copy_check(out, d, s);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  work w = {.kind = WORK_COPY};
  CUresult r = copy_from_3d(copy, &w.copy);
  return r ? r : submit_to(stream, &w);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  work w = {.kind = WORK_COPY};
  CUresult r = copy_from_3d(copy, &w.copy);
  if (!r) r = late_before_copy(w.copy.dst, w.copy.src);
  if (!r) r = submit_to(NULL, &w);
  return r ? r : late_after_copy(w.copy.dst, w.copy.src);
}

static CUDA_MEMCPY3D one_slice(const CUDA_MEMCPY2D *c) {
  return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                         .srcY = c->srcY,
                         .srcMemoryType = c->srcMemoryType,
                         .srcHost = c->srcHost,
                         .srcDevice = c->srcDevice,
                         .srcPitch = c->srcPitch,
                         .dstXInBytes = c->dstXInBytes,
                         .dstY = c->dstY,
                         .dstMemoryType = c->dstMemoryType,
                         .dstHost = c->dstHost,
                         .dstDevice = c->dstDevice,
                         .dstPitch = c->dstPitch,
                         .WidthInBytes = c->WidthInBytes,
                         .Height = c->Height,
                         .Depth = 1};
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D all = one_slice(copy);
  return cuMemcpy3DAsync_v2(&all, stream);
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D all = one_slice(copy);
  return cuMemcpy3D_v2(&all);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2D_v2(copy);
}

/* ---- filling -------------------------------------------------------------------------------- */

CUresult fill_check(const CUDA_MEMSET_NODE_PARAMS *f) {
  if (!f || (f->elementSize != 1 && f->elementSize != 2 && f->elementSize != 4))
    return CUDA_ERROR_INVALID_VALUE;
  size_t row, rows, bytes;
  if (!f->width || !f->height) return CUDA_SUCCESS;
  if (f->dst % f->elementSize || __builtin_mul_overflow(f->width, f->elementSize, &row))
    return CUDA_ERROR_INVALID_VALUE;
  if (f->height > 1 && (f->pitch < row || f->pitch % f->elementSize))
    return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(f->pitch, f->height - 1, &rows) ||
      __builtin_add_overflow(rows, row, &bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return memory_valid((uintptr_t)f->dst, bytes, false) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void fill_row(char *row, const CUDA_MEMSET_NODE_PARAMS *f) {
  switch (f->elementSize) {
  case 1: memset(row, (int)(f->value & 0xff), f->width); break;
  case 2:
    for (size_t i = 0; i < f->width; i++) ((uint16_t *)row)[i] = (uint16_t)f->value;
    break;
  default:
    for (size_t i = 0; i < f->width; i++) ((uint32_t *)row)[i] = f->value;
  }
}

void fill_run(const CUDA_MEMSET_NODE_PARAMS *f) {
  for (size_t y = 0; y < f->height; y++) fill_row((char *)(uintptr_t)f->dst + y * f->pitch, f);
}

static CUresult fill(CUdeviceptr dst, size_t pitch, unsigned value, unsigned element, size_t width,
                     size_t height, CUstream stream) {
  work w = {.kind = WORK_FILL, .fill = {dst, pitch, value, element, width, height}};
  CUresult r = fill_check(&w.fill);
  return r ? r : submit_to(stream, &w);
}

/* Without a stream. */
static CUresult fill_now(CUdeviceptr dst, size_t pitch, unsigned value, unsigned element,
                         size_t width, size_t height) {
  CUresult r = fill(dst, pitch, value, element, width, height, NULL);
  return r ? r : late_after_fill((uintptr_t)dst);
}

CUresult cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t n) {
  return fill_now(dst, 0, value, 1, n, 1);
}
CUresult cuMemsetD16_v2(CUdeviceptr dst, unsigned short value, size_t n) {
  return fill_now(dst, 0, value, 2, n, 1);
}
CUresult cuMemsetD32_v2(CUdeviceptr dst, unsigned int value, size_t n) {
  return fill_now(dst, 0, value, 4, n, 1);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                         size_t height) {
  return fill_now(dst, pitch, value, 1, width, height);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                          size_t height) {
  return fill_now(dst, pitch, value, 2, width, height);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width,
                          size_t height) {
  return fill_now(dst, pitch, value, 4, width, height);
}
CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t n, CUstream stream) {
  return fill(dst, 0, value, 1, n, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t n, CUstream stream) {
  return fill(dst, 0, value, 2, n, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t n, CUstream stream) {
  return fill(dst, 0, value, 4, n, 1, stream);
}
CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return fill(dst, pitch, value, 1, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return fill(dst, pitch, value, 2, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width,
                            size_t height, CUstream stream) {
  return fill(dst, pitch, value, 4, width, height, stream);
}
