/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * HIP libraries that cannot be used, for test_rt_hip.c: of a ROCm that is too old (FAKE_HIP_OLD),
 * without an entry (FAKE_HIP_INCOMPLETE), without a card (FAKE_HIP_CARDLESS), with one that no code
 * is made for (FAKE_HIP_VEGA).
 */
#include <stdio.h>
#include <string.h>

int hipInit(unsigned flags);
int hipRuntimeGetVersion(int *version);
int hipDrvGetErrorName(int error, const char **text);
int hipDrvGetErrorString(int error, const char **text);
int hipGetDeviceCount(int *count);
int hipGetDevicePropertiesR0600(char *properties, int ordinal);

enum { SUCCESS = 0, NO_DEVICE = 100, UNEXPECTED = 999, ARCH = 1160 };

int hipInit(unsigned flags) {
  (void)flags;
#ifdef FAKE_HIP_CARDLESS
  return NO_DEVICE;
#else
  return SUCCESS;
#endif
}

int hipRuntimeGetVersion(int *version) {
#ifdef FAKE_HIP_OLD
  *version = 60032830;
#else
  *version = 60342131;
#endif
  return SUCCESS;
}

int hipDrvGetErrorName(int error, const char **text) {
  *text = error == NO_DEVICE ? "hipErrorNoDevice" : "hipErrorUnknown";
  return SUCCESS;
}

int hipDrvGetErrorString(int error, const char **text) {
  *text = error == NO_DEVICE ? "no ROCm-capable device is detected" : "unknown error";
  return SUCCESS;
}

int hipGetDeviceCount(int *count) {
  *count = 1;
  return SUCCESS;
}

int hipGetDevicePropertiesR0600(char *properties, int ordinal) {
  (void)ordinal;
  strcpy(properties, "Vega");
  strcpy(properties + ARCH, "gfx906:sramecc+:xnack-");
  return SUCCESS;
}

/* Nobody gets to call these. */
#define UNREACHED(symbol)                                                                          \
  int symbol(void);                                                                                \
  int symbol(void) {                                                                               \
    return UNEXPECTED;                                                                             \
  }
UNREACHED(hipDeviceGet)
UNREACHED(hipDeviceGetName)
UNREACHED(hipDeviceTotalMem)
UNREACHED(hipDeviceGetAttribute)
UNREACHED(hipSetDevice)
UNREACHED(hipGetDevice)
UNREACHED(hipPeekAtLastError)
UNREACHED(hipGetLastError)
UNREACHED(hipModuleLoadData)
UNREACHED(hipModuleUnload)
UNREACHED(hipModuleGetFunction)
UNREACHED(hipModuleGetGlobal)
#ifndef FAKE_HIP_INCOMPLETE
UNREACHED(hipModuleLaunchKernel)
#endif
UNREACHED(hipMalloc)
UNREACHED(hipFree)
UNREACHED(hipMemsetD8Async)
UNREACHED(hipMemcpyHtoDAsync)
UNREACHED(hipMemcpyDtoHAsync)
UNREACHED(hipPointerGetAttribute)
UNREACHED(hipStreamCreateWithFlags)
UNREACHED(hipStreamDestroy)
UNREACHED(hipStreamSynchronize)
UNREACHED(hipStreamWaitEvent)
UNREACHED(hipEventCreateWithFlags)
UNREACHED(hipEventDestroy)
UNREACHED(hipEventRecord)
UNREACHED(hipEventSynchronize)
UNREACHED(hipEventElapsedTime)
