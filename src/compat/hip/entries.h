/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The entries of libamdhip64 that the stand-in has, as HIP's API reference says what they do.
 */
#ifndef TSR_COMPAT_HIP_ENTRIES_H
#define TSR_COMPAT_HIP_ENTRIES_H

#include "compat/hip/hip_abi.h"

/* ---- device.c ----------------------------------------------------------------------------------
 */

hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);
hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipInit(unsigned flags);
hipError_t hipRuntimeGetVersion(int *version);
hipError_t hipDriverGetVersion(int *version);
hipError_t hipGetDeviceCount(int *count);
hipError_t hipSetDevice(int number);
hipError_t hipGetDevice(int *number);
hipError_t hipDeviceGet(hipDevice_t *out, int number);
hipError_t hipDeviceGetName(char *name, int size, hipDevice_t d);
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t d);
hipError_t hipMemGetInfo(size_t *unused, size_t *all);
hipError_t hipDeviceGetAttribute(int *value, int attribute, int d);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *p, int number);
hipError_t hipDeviceSynchronize(void);

/* ---- memory.c ----------------------------------------------------------------------------------
 */

hipError_t hipMalloc(void **out, size_t bytes);
hipError_t hipMallocManaged(void **out, size_t bytes, unsigned flags);
hipError_t hipMallocAsync(void **out, size_t bytes, hipStream_t stream);
hipError_t hipHostMalloc(void **out, size_t bytes, unsigned flags);
hipError_t hipFree(void *p);
hipError_t hipFreeAsync(void *p, hipStream_t stream);
hipError_t hipHostFree(void *p);
hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream);
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes);
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream);
hipError_t hipMemset(void *to, int value, size_t bytes);
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream);
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream);
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count);
hipError_t hipPointerGetAttribute(void *value, int attribute, hipDeviceptr_t p);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *out, const void *p);

/* ---- stream.c ----------------------------------------------------------------------------------
 */

hipError_t hipStreamCreate(hipStream_t *out);
hipError_t hipStreamCreateWithFlags(hipStream_t *out, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t s);
hipError_t hipStreamSynchronize(hipStream_t s);
hipError_t hipStreamQuery(hipStream_t s);
hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned flags);
hipError_t hipEventCreate(hipEvent_t *out);
hipError_t hipEventCreateWithFlags(hipEvent_t *out, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t e);
hipError_t hipEventRecord(hipEvent_t e, hipStream_t s);
hipError_t hipEventSynchronize(hipEvent_t e);
hipError_t hipEventQuery(hipEvent_t e);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t begin, hipEvent_t end);

/* ---- module.c ----------------------------------------------------------------------------------
 */

hipError_t hipModuleLoadData(hipModule_t *out, const void *image);
hipError_t hipModuleLoadDataEx(hipModule_t *out, const void *image, unsigned n, int *options,
                               void **values);
hipError_t hipModuleLoad(hipModule_t *out, const char *path);
hipError_t hipModuleUnload(hipModule_t m);
hipError_t hipModuleGetFunction(hipFunction_t *out, hipModule_t m, const char *name);
hipError_t hipModuleGetGlobal(hipDeviceptr_t *out, size_t *bytes, hipModule_t m, const char *name);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t f,
                                                              int threads, size_t shared);
hipError_t hipFuncGetAttribute(int *value, int attribute, const void *function);
hipError_t hipFuncSetAttribute(const void *function, int attribute, int value);
hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z,
                                 unsigned shared, hipStream_t stream, void **params, void **extra);

#endif
