/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The device, its properties, errors.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/hip/work.h"
#include "emu/device.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static tsr_context *context;
static tsr_device *device;

void hip_lock(void) {
  pthread_mutex_lock(&lock);
}
void hip_unlock(void) {
  pthread_mutex_unlock(&lock);
}

void hip_say(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("tessera: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

bool hip_checks(void) {
  const char *asked = getenv("TESSERA_SANITIZE");
  return asked && *asked && strcmp(asked, "0") != 0;
}

static void open_device(void) {
  const char *asked = getenv("TESSERA_HIP_DEVICE");
  const char *name = asked && *asked ? asked : "emu:gfx942";
  tsr_device_options options = {.struct_size = sizeof options, .host_addresses = true};
  context = tsr_context_create(NULL);
  if (strncmp(name, "emu:gfx", 7) != 0)
    hip_say("TESSERA_HIP_DEVICE is '%s': expected an emulated card such as emu:gfx942", name);
  else
    device = tsr_device_open(context, name, &options);
}

tsr_device *hip_device(void) {
  pthread_once(&once, open_device);
  return device;
}
tsr_context *hip_context(void) {
  return context;
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static _Thread_local hipError_t last;

hipError_t hip_result(hipError_t r) {
  if (r != hipSuccess) last = r;
  return r;
}

hipError_t hipGetLastError(void) {
  hipError_t r = last;
  last = hipSuccess;
  return r;
}

hipError_t hipPeekAtLastError(void) {
  return last;
}

static const struct {
  hipError_t error;
  const char *name, *text;
} errors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {hipErrorAssert, "hipErrorAssert", "device-side assert triggered"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
};

const char *hipGetErrorName(hipError_t error) {
  for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
    if (errors[k].error == error) return errors[k].name;
  return "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t error) {
  for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
    if (errors[k].error == error) return errors[k].text;
  return "unknown error";
}

hipError_t hipDrvGetErrorName(hipError_t error, const char **name) {
  *name = hipGetErrorName(error);
  return hipSuccess;
}
hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
  *text = hipGetErrorString(error);
  return hipSuccess;
}

/* ---- the device -------------------------------------------------------------------------------
 */

enum { VERSION = 60300000 }; /* of HIP 6.3 */

hipError_t hipInit(unsigned flags) {
  (void)flags;
  return hip_result(hip_device() ? hipSuccess : hipErrorInvalidDevice);
}

hipError_t hipRuntimeGetVersion(int *version) {
  *version = VERSION;
  return hipSuccess;
}
hipError_t hipDriverGetVersion(int *version) {
  *version = VERSION;
  return hipSuccess;
}

hipError_t hipGetDeviceCount(int *count) {
  *count = hip_device() != NULL;
  return hip_result(*count ? hipSuccess : hipErrorInvalidDevice);
}

hipError_t hipSetDevice(int number) {
  return hip_result(number == 0 && hip_device() ? hipSuccess : hipErrorInvalidDevice);
}
hipError_t hipGetDevice(int *number) {
  *number = 0;
  return hipSuccess;
}
hipError_t hipDeviceGet(hipDevice_t *out, int number) {
  *out = 0;
  return hipSetDevice(number);
}

hipError_t hipDeviceGetName(char *name, int size, hipDevice_t d) {
  (void)d;
  if (!hip_device() || size <= 0) return hip_result(hipErrorInvalidValue);
  snprintf(name, (size_t)size, "Tessera %s", hip_device()->emu->info->name);
  return hipSuccess;
}

/* Much, but nothing that anybody has to have. */
static const size_t memory_bytes = (size_t)64 << 30;

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t d) {
  (void)d;
  *bytes = memory_bytes;
  return hipSuccess;
}
hipError_t hipMemGetInfo(size_t *unused, size_t *all) {
  if (unused) *unused = memory_bytes;
  if (all) *all = memory_bytes;
  return hipSuccess;
}

/* "gfx942": 9 and 4; "gfx1100": 11 and 0. */
static void version_of(const gpu_target *gpu, int *major, int *minor) {
  int digits = atoi(gpu->name + 3);
  if (strncmp(gpu->name, "gfx90a", 6) == 0) digits = 900;
  *major = digits / 100;
  *minor = digits / 10 % 10;
}

hipError_t hipDeviceGetAttribute(int *value, int attribute, int d) {
  int major, minor;
  if (!hip_device() || d != 0) return hip_result(hipErrorInvalidDevice);
  const gpu_target *gpu = hip_device()->emu->info;
  version_of(gpu, &major, &minor);
  switch (attribute) {
  case hipDeviceAttributeComputeCapabilityMajor: *value = major; break;
  case hipDeviceAttributeComputeCapabilityMinor: *value = minor; break;
  case hipDeviceAttributeMaxThreadsPerBlock: *value = 1024; break;
  case hipDeviceAttributeMultiprocessorCount: *value = (int)gpu->multiprocessors; break;
  case hipDeviceAttributeMaxSharedMemoryPerBlock: *value = (int)gpu->shared_bytes; break;
  case hipDeviceAttributeWarpSize: *value = (int)gpu_lanes(gpu); break;
  default: return hip_result(hipErrorInvalidValue);
  }
  return hipSuccess;
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *p, int number) {
  if (!p || number != 0 || !hip_device()) return hip_result(hipErrorInvalidDevice);
  const gpu_target *gpu = hip_device()->emu->info;
  *p = (hipDeviceProp_tR0600){.totalGlobalMem = memory_bytes,
                              .sharedMemPerBlock = gpu->shared_bytes,
                              .regsPerBlock = 65536,
                              .warpSize = (int)gpu_lanes(gpu),
                              .maxThreadsPerBlock = 1024,
                              .maxThreadsDim = {1024, 1024, 1024},
                              .maxGridSize = {INT32_MAX, 65535, 65535},
                              .multiProcessorCount = (int)gpu->multiprocessors,
                              .maxSharedMemoryPerMultiProcessor = gpu->shared_bytes};
  version_of(gpu, &p->major, &p->minor);
  hipDeviceGetName(p->name, sizeof p->name, 0);
  snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s", gpu->name);
  return hipSuccess;
}

hipError_t hipDeviceSynchronize(void) {
  return hip_result(hip_finish_all());
}
