/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Copying and filling. The direction that a copy is said to have is held against the memory.
 */
#include "compat/runtime/runtime.h"

/* ---- what a copy is to the driver ----------------------------------------------------------- */

static bool kind_known(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

static CUmemorytype source_type(cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyHostToDevice: return CU_MEMORYTYPE_HOST;
  case cudaMemcpyDefault: return CU_MEMORYTYPE_UNIFIED;
  default: return CU_MEMORYTYPE_DEVICE;
  }
}

static CUmemorytype target_type(cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyDeviceToHost: return CU_MEMORYTYPE_HOST;
  case cudaMemcpyDefault: return CU_MEMORYTYPE_UNIFIED;
  default: return CU_MEMORYTYPE_DEVICE;
  }
}

/* The address is where both kinds of memory are looked for. */
static void set_source(CUDA_MEMCPY3D *c, CUmemorytype type, const void *at) {
  c->srcMemoryType = type;
  c->srcHost = at;
  c->srcDevice = rt_ptr(at);
}

static void set_target(CUDA_MEMCPY3D *c, CUmemorytype type, void *at) {
  c->dstMemoryType = type;
  c->dstHost = at;
  c->dstDevice = rt_ptr(at);
}

CUresult rt_copy_1d(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                    CUDA_MEMCPY3D *out) {
  if (!kind_known(kind)) return (CUresult)cudaErrorInvalidMemcpyDirection;
  *out = (CUDA_MEMCPY3D){.srcPitch = bytes,
                         .srcHeight = 1,
                         .dstPitch = bytes,
                         .dstHeight = 1,
                         .WidthInBytes = bytes,
                         .Height = 1,
                         .Depth = 1};
  set_source(out, source_type(kind), src);
  set_target(out, target_type(kind), dst);
  return CUDA_SUCCESS;
}

static CUDA_MEMCPY3D plain_3d(cudaPitchedPtr dst, cudaPos dst_at, cudaPitchedPtr src,
                              cudaPos src_at, cudaExtent extent, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D c = {.srcXInBytes = src_at.x,
                     .srcY = src_at.y,
                     .srcZ = src_at.z,
                     .srcPitch = src.pitch,
                     .srcHeight = src.ysize,
                     .dstXInBytes = dst_at.x,
                     .dstY = dst_at.y,
                     .dstZ = dst_at.z,
                     .dstPitch = dst.pitch,
                     .dstHeight = dst.ysize,
                     .WidthInBytes = extent.width,
                     .Height = extent.height,
                     .Depth = extent.depth};
  set_source(&c, source_type(kind), src.ptr);
  set_target(&c, target_type(kind), dst.ptr);
  return c;
}

static CUresult refuse_arrays(void) {
  rt_say(
      "a copy has a CUDA array on one side: textures, surfaces and CUDA arrays are not emulated");
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult rt_copy_3d(const cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (p->srcArray || p->dstArray) return refuse_arrays();
  if (!kind_known(p->kind)) return (CUresult)cudaErrorInvalidMemcpyDirection;
  *out = plain_3d(p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, p->kind);
  return CUDA_SUCCESS;
}

/* ---- flat ----------------------------------------------------------------------------------- */

static CUresult copy_now(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToDevice: return cuMemcpyHtoD(rt_ptr(dst), src, bytes);
  case cudaMemcpyDeviceToHost: return cuMemcpyDtoH(dst, rt_ptr(src), bytes);
  case cudaMemcpyDeviceToDevice: return cuMemcpyDtoD(rt_ptr(dst), rt_ptr(src), bytes);
  case cudaMemcpyHostToHost:
  case cudaMemcpyDefault: return cuMemcpy(rt_ptr(dst), rt_ptr(src), bytes);
  default: return (CUresult)cudaErrorInvalidMemcpyDirection;
  }
}

static CUresult copy_in(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream) {
  switch (kind) {
  case cudaMemcpyHostToDevice: return cuMemcpyHtoDAsync(rt_ptr(dst), src, bytes, stream);
  case cudaMemcpyDeviceToHost: return cuMemcpyDtoHAsync(dst, rt_ptr(src), bytes, stream);
  case cudaMemcpyDeviceToDevice: return cuMemcpyDtoDAsync(rt_ptr(dst), rt_ptr(src), bytes, stream);
  case cudaMemcpyHostToHost:
  case cudaMemcpyDefault: return cuMemcpyAsync(rt_ptr(dst), rt_ptr(src), bytes, stream);
  default: return (CUresult)cudaErrorInvalidMemcpyDirection;
  }
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind) {
  CALL(bytes ? copy_now(dst, src, bytes, kind) : CUDA_SUCCESS);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  CALL(bytes ? copy_in(dst, src, bytes, kind, stream) : CUDA_SUCCESS);
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device,
                           size_t bytes) {
  if (dst_device || src_device) return rt_fail(cudaErrorInvalidDevice);
  return cudaMemcpy(dst, src, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t bytes, cudaStream_t stream) {
  if (dst_device || src_device) return rt_fail(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, stream);
}

/* ---- two and three dimensions --------------------------------------------------------------- */

static CUresult rows(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                     size_t height, cudaMemcpyKind kind, CUDA_MEMCPY3D *out) {
  if (!kind_known(kind)) return (CUresult)cudaErrorInvalidMemcpyDirection;
  if (width > dst_pitch || width > src_pitch) return (CUresult)cudaErrorInvalidPitchValue;
  *out = plain_3d((cudaPitchedPtr){dst, dst_pitch, width, height}, (cudaPos){0},
                  (cudaPitchedPtr){(void *)(uintptr_t)src, src_pitch, width, height}, (cudaPos){0},
                  (cudaExtent){width, height, 1}, kind);
  return CUDA_SUCCESS;
}

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D c;
  CUresult r = rows(dst, dst_pitch, src, src_pitch, width, height, kind, &c);
  CALL(r || !width || !height ? r : cuMemcpy3D(&c));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  CUDA_MEMCPY3D c;
  CUresult r = rows(dst, dst_pitch, src, src_pitch, width, height, kind, &c);
  CALL(r || !width || !height ? r : cuMemcpy3DAsync(&c, stream));
}

static bool is_empty(cudaExtent e) {
  return !e.width || !e.height || !e.depth;
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy) {
  CUDA_MEMCPY3D c;
  CUresult r = rt_copy_3d(copy, &c);
  CALL(r || is_empty(copy->extent) ? r : cuMemcpy3D(&c));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, cudaStream_t stream) {
  CUDA_MEMCPY3D c;
  CUresult r = rt_copy_3d(copy, &c);
  CALL(r || is_empty(copy->extent) ? r : cuMemcpy3DAsync(&c, stream));
}

static CUresult between_devices(const cudaMemcpy3DPeerParms *p, cudaMemcpy3DParms *out) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (p->srcDevice || p->dstDevice) return CUDA_ERROR_INVALID_DEVICE;
  *out = (cudaMemcpy3DParms){.srcArray = p->srcArray,
                             .srcPos = p->srcPos,
                             .srcPtr = p->srcPtr,
                             .dstArray = p->dstArray,
                             .dstPos = p->dstPos,
                             .dstPtr = p->dstPtr,
                             .extent = p->extent,
                             .kind = cudaMemcpyDeviceToDevice};
  return CUDA_SUCCESS;
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *copy) {
  cudaMemcpy3DParms p;
  CUresult r = between_devices(copy, &p);
  return r ? rt_end(r) : cudaMemcpy3D(&p);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *copy, cudaStream_t stream) {
  cudaMemcpy3DParms p;
  CUresult r = between_devices(copy, &p);
  return r ? rt_end(r) : cudaMemcpy3DAsync(&p, stream);
}

/* ---- variables ------------------------------------------------------------------------------ */

CUresult rt_symbol_part(const void *symbol, size_t bytes, size_t offset, void **out) {
  CUdeviceptr address;
  size_t size;
  CUresult r = rt_variable(symbol, &address, &size);
  if (r) return r;
  if (offset > size || bytes > size - offset) return CUDA_ERROR_INVALID_VALUE;
  *out = (void *)(uintptr_t)(address + offset);
  return CUDA_SUCCESS;
}

static bool into_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
         kind == cudaMemcpyDefault;
}

static bool out_of_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
         kind == cudaMemcpyDefault;
}

static CUresult symbol_part(const void *symbol, size_t bytes, size_t offset, bool direction,
                            void **out) {
  if (!direction) return (CUresult)cudaErrorInvalidMemcpyDirection;
  CUresult r = rt_begin();
  return r ? r : rt_symbol_part(symbol, bytes, offset, out);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  void *at;
  CUresult r = symbol_part(symbol, bytes, offset, into_device(kind), &at);
  return r ? rt_end(r) : cudaMemcpy(at, src, bytes, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  void *at;
  CUresult r = symbol_part(symbol, bytes, offset, into_device(kind), &at);
  return r ? rt_end(r) : cudaMemcpyAsync(at, src, bytes, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  void *at;
  CUresult r = symbol_part(symbol, bytes, offset, out_of_device(kind), &at);
  return r ? rt_end(r) : cudaMemcpy(dst, at, bytes, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  void *at;
  CUresult r = symbol_part(symbol, bytes, offset, out_of_device(kind), &at);
  return r ? rt_end(r) : cudaMemcpyAsync(dst, at, bytes, kind, stream);
}

/* ---- filling -------------------------------------------------------------------------------- */

cudaError_t cudaMemset(void *dst, int value, size_t bytes) {
  CALL(bytes ? cuMemsetD8(rt_ptr(dst), (unsigned char)value, bytes) : CUDA_SUCCESS);
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream) {
  CALL(bytes ? cuMemsetD8Async(rt_ptr(dst), (unsigned char)value, bytes, stream) : CUDA_SUCCESS);
}

cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
  CALL(width && height ? cuMemsetD2D8(rt_ptr(dst), pitch, (unsigned char)value, width, height)
                       : CUDA_SUCCESS);
}

cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  CALL(width && height
           ? cuMemsetD2D8Async(rt_ptr(dst), pitch, (unsigned char)value, width, height, stream)
           : CUDA_SUCCESS);
}

static CUresult fill_slices(cudaPitchedPtr dst, int value, cudaExtent e, bool async,
                            cudaStream_t stream) {
  size_t slice = dst.pitch * dst.ysize;
  CUresult r = CUDA_SUCCESS;
  for (size_t z = 0; !r && !is_empty(e) && z < e.depth; z++) {
    CUdeviceptr at = rt_ptr(dst.ptr) + z * slice;
    r = async ? cuMemsetD2D8Async(at, dst.pitch, (unsigned char)value, e.width, e.height, stream)
              : cuMemsetD2D8(at, dst.pitch, (unsigned char)value, e.width, e.height);
  }
  return r;
}

cudaError_t cudaMemset3D(cudaPitchedPtr dst, int value, cudaExtent extent) {
  CALL(fill_slices(dst, value, extent, false, NULL));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr dst, int value, cudaExtent extent,
                              cudaStream_t stream) {
  CALL(fill_slices(dst, value, extent, true, stream));
}

/* Describes a texture's elements; also templates that never make a texture use it. */
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return (cudaChannelFormatDesc){x, y, z, w, kind};
}
