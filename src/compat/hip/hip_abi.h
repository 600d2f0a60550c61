/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Types and numbers of HIP's runtime API (of ROCm 6), as programs see them: those of the entries
 * that the stand-in has (hip.h). Sources: HIP's API reference; where members lie in
 * hipDeviceProp_t, the compiler's layout of its published declaration.
 */
#ifndef TSR_COMPAT_HIP_ABI_H
#define TSR_COMPAT_HIP_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorNoBinaryForGpu = 209,
  hipErrorFileNotFound = 301,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorAssert = 710,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorUnknown = 999,
} hipError_t;

typedef enum hipMemcpyKind {
  hipMemcpyHostToHost,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault
} hipMemcpyKind;

typedef enum hipMemoryType {
  hipMemoryTypeUnregistered,
  hipMemoryTypeHost,
  hipMemoryTypeDevice
} hipMemoryType;

typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;

/* hipPointer_attribute: those that are answered. */
enum {
  HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
};

typedef int hipDevice_t;
typedef void *hipDeviceptr_t;
typedef struct hip_stream *hipStream_t;
typedef struct hip_event *hipEvent_t;
typedef struct hip_module *hipModule_t;
typedef struct hip_function *hipFunction_t;

/* hipDeviceAttribute_t: those that are answered. */
enum {
  hipDeviceAttributeComputeCapabilityMajor = 23,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeComputeCapabilityMinor = 61,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeWarpSize = 87,
};

/* hipFunction_attribute. */
enum {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_NUM_REGS,
};

/* hipModuleLaunchKernel's `extra`. */
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)
#define HIP_LAUNCH_PARAM_END            ((void *)3)

typedef struct hipDeviceProp_tR0600 {
  char name[256];
  char unused_ids[32];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount;
  char unused[768];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  char unused_end[48];
} hipDeviceProp_tR0600;
_Static_assert(offsetof(hipDeviceProp_tR0600, totalGlobalMem) == 288, "HIP's layout");
_Static_assert(offsetof(hipDeviceProp_tR0600, gcnArchName) == 1160, "HIP's layout");

#endif
