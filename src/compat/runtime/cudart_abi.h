/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The binary interface of the CUDA runtime API, as far as the stand-in has it. Declared from the
 * API's documentation, over the driver API's (cuda_abi.h): a stream, event, graph or kernel of the
 * runtime is the driver's. Where NVIDIA's header is installed a test holds the structures and every
 * entry against it (tests/compat/runtime_abi.test).
 */
#ifndef TSR_COMPAT_CUDART_ABI_H
#define TSR_COMPAT_CUDART_ABI_H

#include "compat/cuda_abi.h"

#ifndef TSR_CUDART_VERSION
#define TSR_CUDART_VERSION 13
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors --------------------------------------------------------------------------------- */

/* name, value, what cudaGetErrorString says. The driver's results have the same values, so one
 * becomes the other by a cast. */
#define CUDART_ERRORS(X)                                                                           \
  X(cudaSuccess, 0, "no error")                                                                    \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                  \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                 \
  X(cudaErrorInitializationError, 3, "initialization error")                                       \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                                           \
  X(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool")         \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                            \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                      \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                           \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                       \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                   \
  X(cudaErrorInvalidTexture, 18, "invalid texture reference")                                      \
  X(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")                       \
  X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                           \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                      \
  X(cudaErrorInsufficientDriver, 35,                                                               \
    "CUDA driver version is insufficient for CUDA runtime version")                                \
  X(cudaErrorInvalidSurface, 37, "invalid surface reference")                                      \
  X(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name")      \
  X(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable")          \
  X(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")                         \
  X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")               \
  X(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches")   \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                 \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                  \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                         \
  X(cudaErrorStartupFailure, 127, "startup failure in cuda runtime")                               \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                            \
  X(cudaErrorDeviceUninitialized, 201, "invalid device context")                                   \
  X(cudaErrorNoKernelImageForDevice, 209,                                                          \
    "no kernel image is available for execution on the device")                                    \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                         \
  X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")                 \
  X(cudaErrorDeviceAlreadyInUse, 216,                                                              \
    "exclusive-thread device already in use by a different thread")                                \
  X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
  X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                                      \
  X(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found")                       \
  X(cudaErrorUnsupportedPtxVersion, 222,                                                           \
    "the provided PTX was compiled with an unsupported toolchain.")                                \
  X(cudaErrorInvalidSource, 300, "device kernel image is invalid")                                 \
  X(cudaErrorFileNotFound, 301, "file not found")                                                  \
  X(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")                    \
  X(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")                   \
  X(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")         \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")          \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                        \
  X(cudaErrorNotReady, 600, "device not ready")                                                    \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                      \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                 \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                        \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                      \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                        \
  X(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process")         \
  X(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                      \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                          \
  X(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")                                \
  X(cudaErrorHostMemoryAlreadyRegistered, 712,                                                     \
    "part or all of the requested memory range is already mapped")                                 \
  X(cudaErrorHostMemoryNotRegistered, 713,                                                         \
    "pointer does not correspond to a registered memory region")                                   \
  X(cudaErrorHardwareStackError, 714, "hardware stack error")                                      \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                    \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                         \
  X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")   \
  X(cudaErrorInvalidPc, 718, "invalid program counter")                                            \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                     \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")              \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                         \
  X(cudaErrorNotSupported, 801, "operation not supported")                                         \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")    \
  X(cudaErrorStreamCaptureInvalidated, 901,                                                        \
    "operation failed due to a previous error during capture")                                     \
  X(cudaErrorStreamCaptureMerge, 902,                                                              \
    "operation would result in a merge of separate capture sequences")                             \
  X(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began")  \
  X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                     \
  X(cudaErrorStreamCaptureIsolation, 905,                                                          \
    "dependency created on uncaptured work in another stream")                                     \
  X(cudaErrorStreamCaptureImplicit, 906,                                                           \
    "operation would make the legacy stream depend on a capturing blocking stream")                \
  X(cudaErrorCapturedEvent, 907,                                                                   \
    "operation not permitted on an event last recorded in a capturing stream")                     \
  X(cudaErrorStreamCaptureWrongThread, 908,                                                        \
    "attempt to terminate a thread-local capture sequence from another thread")                    \
  X(cudaErrorTimeout, 909, "wait operation timed out")                                             \
  X(cudaErrorGraphExecUpdateFailure, 910,                                                          \
    "the graph update was not performed because it included changes which violated constraints "   \
    "specific to instantiated graph update")                                                       \
  X(cudaErrorInvalidClusterSize, 912, "cluster misconfiguration")                                  \
  X(cudaErrorUnknown, 999, "unknown error")

typedef enum cudaError {
#define CUDART_ERROR(name, value, text) name = value,
  CUDART_ERRORS(CUDART_ERROR)
#undef CUDART_ERROR
} cudaError_t;

/* ---- handles and constants ------------------------------------------------------------------ */

typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUgraph cudaGraph_t;
typedef CUgraphNode cudaGraphNode_t;
typedef CUgraphExec cudaGraphExec_t;
typedef CUfunction cudaFunction_t;
typedef CUkernel cudaKernel_t;
typedef CUlibrary cudaLibrary_t;
typedef CUmemoryPool cudaMemPool_t;
typedef CUarray cudaArray_t;
typedef CUuuid cudaUUID_t;
typedef CUmemLocation cudaMemLocation;
typedef CUmemAccessDesc cudaMemAccessDesc;
typedef CUmemPoolProps cudaMemPoolProps;
typedef CUgraphEdgeData cudaGraphEdgeData;
typedef CUlaunchAttribute cudaLaunchAttribute;
typedef CUlaunchAttributeValue cudaLaunchAttributeValue;
typedef CUhostFn cudaHostFn_t;
typedef CUDA_HOST_NODE_PARAMS cudaHostNodeParams;
typedef CUDA_MEM_ALLOC_NODE_PARAMS cudaMemAllocNodeParams;
typedef CUDA_GRAPH_INSTANTIATE_PARAMS cudaGraphInstantiateParams;

typedef int cudaMemcpyKind;
enum {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

enum {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};

/* ---- structures ----------------------------------------------------------------------------- */

typedef struct dim3 {
  unsigned int x, y, z;
} dim3;

typedef struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
} cudaPitchedPtr;

typedef struct cudaExtent {
  size_t width, height, depth;
} cudaExtent;

typedef struct cudaPos {
  size_t x, y, z;
} cudaPos;

typedef struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
} cudaMemcpy3DParms;

typedef struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
} cudaMemcpy3DPeerParms;

typedef struct cudaMemsetParams {
  void *dst;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
} cudaMemsetParams;

typedef struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void **kernelParams;
  void **extra;
} cudaKernelNodeParams;

typedef struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
} cudaLaunchConfig_t;

typedef struct cudaPointerAttributes {
  int type, device;
  void *devicePointer, *hostPointer;
#if TSR_CUDART_VERSION >= 13
  long reserved[8];
#endif
} cudaPointerAttributes;

typedef struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
  int reserved[16];
} cudaFuncAttributes;

typedef struct cudaGraphExecUpdateResultInfo {
  int result;
  cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

typedef struct cudaChannelFormatDesc {
  int x, y, z, w, f;
} cudaChannelFormatDesc;

/* The kernel, copy, fill and host forms of cudaGraphAddNode's parameters. */
typedef struct cudaGraphNodeParams {
  int type, reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParams kernel;
    struct {
      int flags, reserved[3];
      cudaMemcpy3DParms copyParams;
    } memcpy;
    cudaMemsetParams memset;
    cudaHostNodeParams host;
    cudaGraph_t graph;
    cudaEvent_t event;
    cudaMemAllocNodeParams alloc;
    void *freed;
  };
  long long reserved2;
} cudaGraphNodeParams;

/* Fields that CUDA 12 has, and 13 no longer. */
#if TSR_CUDART_VERSION >= 13
#define ONLY_12(field)
#else
#define ONLY_12(field) field
#endif

typedef struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  ONLY_12(int clockRate;)
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  ONLY_12(int deviceOverlap;)
  int multiProcessorCount;
  ONLY_12(int kernelExecTimeoutEnabled;)
  int integrated, canMapHostMemory;
  ONLY_12(int computeMode;)
  int maxTexture1D, maxTexture1DMipmap;
  ONLY_12(int maxTexture1DLinear;)
  int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
  int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  int maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing;
  ONLY_12(int memoryClockRate;)
  int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
  ONLY_12(int singleToDoublePrecisionPerfRatio;)
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch;
  ONLY_12(int cooperativeMultiDeviceLaunch;)
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
  int unifiedFunctionPointers;
#if TSR_CUDART_VERSION >= 13
  int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
  unsigned int gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  int reserved[56];
#else
  int reserved2[2], reserved1[1], reserved[60];
#endif
} cudaDeviceProp;

#undef ONLY_12

typedef size_t (*cudaOccupancyB2DSize)(int block_size);

/* ---- entries -------------------------------------------------------------------------------- */

/* The archive has nothing visible but these. */
#pragma GCC visibility push(default)
#define ENTRY(result, symbol, suffix, parameters) result symbol parameters;
#define REFUSED(symbol, suffix, why)              cudaError_t symbol(void);
#include "compat/runtime/runtime.def"
#undef ENTRY
#undef REFUSED
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
