/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Driver libraries that cannot be used, for test_rt_cuda.c: of a CUDA that is too old (FAKE_OLD),
 * without an entry (FAKE_INCOMPLETE), without a card (FAKE_CARDLESS), with one that is too old
 * (FAKE_TURING).
 */
#include <stdio.h>

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int error, const char **text);
int cuGetErrorString(int error, const char **text);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);

enum { SUCCESS = 0, NO_DEVICE = 100, UNEXPECTED = 999 };

int cuInit(unsigned flags) {
  (void)flags;
#ifdef FAKE_CARDLESS
  return NO_DEVICE;
#else
  return SUCCESS;
#endif
}

int cuDriverGetVersion(int *version) {
#ifdef FAKE_OLD
  *version = 11040;
#else
  *version = 12080;
#endif
  return SUCCESS;
}

int cuGetErrorName(int error, const char **text) {
  *text = error == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN";
  return SUCCESS;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == NO_DEVICE ? "no CUDA-capable device is detected" : "unknown error";
  return SUCCESS;
}

int cuDeviceGetCount(int *count) {
  *count = 1;
  return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return SUCCESS;
}

int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "Turing");
  return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)1 << 30;
  return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 7 : 5; /* capability 7.5 */
  return SUCCESS;
}

/* Nobody gets to call these. */
#define UNREACHED(symbol)                                                                          \
  int symbol(void);                                                                                \
  int symbol(void) {                                                                               \
    return UNEXPECTED;                                                                             \
  }
UNREACHED(cuDevicePrimaryCtxRetain)
UNREACHED(cuDevicePrimaryCtxRelease_v2)
UNREACHED(cuCtxGetCurrent)
UNREACHED(cuCtxPushCurrent_v2)
UNREACHED(cuCtxPopCurrent_v2)
UNREACHED(cuModuleLoadDataEx)
UNREACHED(cuModuleUnload)
UNREACHED(cuModuleGetFunction)
UNREACHED(cuFuncSetAttribute)
#ifndef FAKE_INCOMPLETE
UNREACHED(cuLaunchKernel)
#endif
UNREACHED(cuMemAlloc_v2)
UNREACHED(cuMemFree_v2)
UNREACHED(cuMemsetD8Async)
UNREACHED(cuMemcpyHtoDAsync_v2)
UNREACHED(cuMemcpyDtoHAsync_v2)
UNREACHED(cuPointerGetAttribute)
UNREACHED(cuStreamCreate)
UNREACHED(cuStreamDestroy_v2)
UNREACHED(cuStreamSynchronize)
UNREACHED(cuStreamWaitEvent)
UNREACHED(cuEventCreate)
UNREACHED(cuEventDestroy_v2)
UNREACHED(cuEventRecord)
UNREACHED(cuEventSynchronize)
UNREACHED(cuEventElapsedTime)
