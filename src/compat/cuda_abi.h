/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The binary interface of the CUDA driver API, as far as the stand-in has it: types, constants,
 * structure layouts, and the entries (entries.def). Declared from the API's documentation, so that
 * neither building Tessera nor compiling a client needs NVIDIA's header; where that header is
 * installed a test holds every size, offset and value here against it (tests/compat/abi.test).
 *
 * A program may include this file in place of <cuda.h>.
 */
#ifndef TSR_COMPAT_CUDA_ABI_H
#define TSR_COMPAT_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_VERSION 13000
#define CUDAAPI
#define CUDA_CB

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUarray_st *CUarray;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUgreenCtx_st *CUgreenCtx;

#define CU_STREAM_LEGACY     ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

/* ---- results -------------------------------------------------------------------------------- */

/* name, value, what cuGetErrorString says */
#define CUDA_RESULTS(X)                                                                            \
  X(CUDA_SUCCESS, 0, "no error")                                                                   \
  X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                               \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                  \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                         \
  X(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                                           \
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                               \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                      \
  X(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                               \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                     \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device") \
  X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "limit is not supported on this architecture")              \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217,                                                       \
    "peer access is not supported between these two devices")                                      \
  X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                                   \
  X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, "PTX JIT compiler library not found")                  \
  X(CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid")                              \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                                              \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304, "OS call failed or operation not supported on this OS")      \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                     \
  X(CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")       \
  X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                           \
  X(CUDA_ERROR_NOT_READY, 600, "device not ready")                                                 \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                   \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")            \
  X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled")                   \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "cannot set while device is active in this process")   \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                  \
  X(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                                        \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                                                \
    "part or all of the requested memory range is already mapped")                                 \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                                                    \
    "pointer does not correspond to a registered memory region")                                   \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                      \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                   \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "too many blocks in cooperative launch")         \
  X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                                      \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                      \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,                                                    \
    "operation not permitted when stream is capturing")                                            \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901,                                                    \
    "operation failed due to a previous error during capture")                                     \
  X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902,                                                          \
    "operation would result in a merge of separate capture sequences")                             \
  X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903,                                                      \
    "capture was not ended in the same stream as it began")                                        \
  X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "capturing stream has unjoined work")                 \
  X(CUDA_ERROR_CAPTURED_EVENT, 907,                                                                \
    "operation not permitted on an event last recorded in a capturing stream")                     \
  X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910, "the graph update was not performed")               \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, "cluster misconfiguration")                              \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

typedef enum cudaError_enum {
#define CUDA_RESULT(name, value, text) name = value,
  CUDA_RESULTS(CUDA_RESULT)
#undef CUDA_RESULT
} CUresult;

/* ---- device attributes ---------------------------------------------------------------------- */

/* Only those that have a value other than 0 here; any other from 1 to CU_DEVICE_ATTRIBUTE_LAST is
 * 0. The values that depend on the machine are made in device.c. */
typedef enum CUdevice_attribute_enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
  CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
  CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
  CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
  CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
  CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134,
  CU_DEVICE_ATTRIBUTE_LAST = 147
} CUdevice_attribute;

/* ---- other constants ------------------------------------------------------------------------ */

typedef enum CUctx_flags_enum { CU_CTX_SCHED_MASK = 0x07, CU_CTX_FLAGS_MASK = 0xff } CUctx_flags;
typedef enum CUstream_flags_enum {
  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1
} CUstream_flags;
typedef enum CUevent_flags_enum {
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4
} CUevent_flags;

typedef enum CUmemorytype_enum {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;

enum {
  CU_MEM_ATTACH_GLOBAL = 1,
  CU_MEM_ATTACH_HOST = 2,
  CU_MEM_ATTACH_SINGLE = 4,
  CU_MEMHOSTALLOC_PORTABLE = 1,
  CU_MEMHOSTALLOC_DEVICEMAP = 2,
  CU_MEMHOSTALLOC_WRITECOMBINED = 4,
  CU_MEMHOSTREGISTER_PORTABLE = 1,
  CU_MEMHOSTREGISTER_DEVICEMAP = 2,
  CU_MEMHOSTREGISTER_IOMEMORY = 4,
  CU_MEMHOSTREGISTER_READ_ONLY = 8
};

typedef enum CUpointer_attribute_enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
  CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MAPPED = 13,
  CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
  CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17
} CUpointer_attribute;

typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
  CU_FUNC_ATTRIBUTE_MAX = 16
} CUfunction_attribute;

typedef enum CUlimit_enum {
  CU_LIMIT_STACK_SIZE = 0,
  CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
  CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
  CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
  CU_LIMIT_MAX = 10
} CUlimit;

typedef enum CUjit_option_enum {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
} CUjit_option;

typedef enum CUjitInputType_enum {
  CU_JIT_INPUT_CUBIN = 0,
  CU_JIT_INPUT_PTX = 1,
  CU_JIT_INPUT_FATBINARY = 2,
  CU_JIT_INPUT_OBJECT = 3,
  CU_JIT_INPUT_LIBRARY = 4
} CUjitInputType;

typedef enum CUfunctionLoadingState_enum {
  CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
  CU_FUNCTION_LOADING_STATE_LOADED = 1
} CUfunctionLoadingState;

typedef int CUlibraryOption, CUfunc_cache, CUsharedconfig, CUmem_advise, CUmemPool_attribute,
    CUmemAccess_flags, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType,
    CUgraphMem_attribute, CUmoduleLoadingMode, CUdevice_P2PAttribute;

enum {
  CU_MODULE_EAGER_LOADING = 1,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
  CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8
};

typedef enum CUgraphNodeType_enum {
  CU_GRAPH_NODE_TYPE_KERNEL = 0,
  CU_GRAPH_NODE_TYPE_MEMCPY = 1,
  CU_GRAPH_NODE_TYPE_MEMSET = 2,
  CU_GRAPH_NODE_TYPE_HOST = 3,
  CU_GRAPH_NODE_TYPE_GRAPH = 4,
  CU_GRAPH_NODE_TYPE_EMPTY = 5,
  CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
  CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
  CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
  CU_GRAPH_NODE_TYPE_MEM_FREE = 11
} CUgraphNodeType;

typedef enum CUstreamCaptureStatus_enum {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} CUstreamCaptureStatus;
typedef enum CUstreamCaptureMode_enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2
} CUstreamCaptureMode;

typedef enum CUdriverProcAddressQueryResult_enum {
  CU_GET_PROC_ADDRESS_SUCCESS = 0,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} CUdriverProcAddressQueryResult;

#define CU_LAUNCH_PARAM_END            ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)

/* ---- structures ----------------------------------------------------------------------------- */

typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
typedef struct CUipcMemHandle_st {
  char reserved[64];
} CUipcMemHandle;
typedef struct CUipcEventHandle_st {
  char reserved[64];
} CUipcEventHandle;
typedef struct CUtensorMap_st {
  __attribute__((aligned(64))) cuuint64_t opaque[16];
} CUtensorMap;
typedef struct CUctxCreateParams_st {
  void *execAffinityParams;
  int numExecAffinityParams;
  void *cigParams;
} CUctxCreateParams;

typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;
} CUmemLocation;
typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;
typedef struct CUmemPoolProps_st {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;

typedef struct CUDA_MEMCPY2D_st {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D_st {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef void(CUDA_CB *CUhostFn)(void *user);
typedef void(CUDA_CB *CUstreamCallback)(CUstream stream, CUresult status, void *user);
typedef size_t(CUDA_CB *CUoccupancyB2DSize)(int block_size);

typedef struct CUDA_HOST_NODE_PARAMS_st {
  CUhostFn fn;
  void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct CUDA_MEMSET_NODE_PARAMS_st {
  CUdeviceptr dst;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_KERNEL_NODE_PARAMS_st {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  void **kernelParams;
  void **extra;
  /* From here on not in the first version of the structure. */
  CUkernel kern;
  CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_st {
  CUmemPoolProps poolProps;
  const CUmemAccessDesc *accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  CUdeviceptr dptr; /* out */
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct CUgraphEdgeData_st {
  unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef struct CUgraphExecUpdateResultInfo_st {
  int result;
  CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;

typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
  cuuint64_t flags;
  CUstream hUploadStream;
  CUgraphNode hErrNode_out;
  int result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

typedef enum CUlaunchAttributeID_enum {
  CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11
} CUlaunchAttributeID;

typedef union CUlaunchAttributeValue_union {
  char pad[64];
  struct {
    unsigned int x, y, z;
  } clusterDim;
  int cooperative;
  void *align;
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute_st {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig_st {
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned int numAttrs;
} CUlaunchConfig;

/* ---- entries -------------------------------------------------------------------------------- */

#define ENTRY(name, symbol, version, suffix, parameters) CUresult CUDAAPI symbol parameters;
#include "entries.def"
#undef ENTRY

#ifndef CUDA_ABI_SYMBOLS_ONLY /* the stand-in itself also defines the older symbols */
/* What the names of the API stand for today; older programs were linked with other symbols. */
#define cuDeviceTotalMem               cuDeviceTotalMem_v2
#define cuDeviceGetUuid                cuDeviceGetUuid_v2
#define cuCtxCreate                    cuCtxCreate_v4
#define cuCtxDestroy                   cuCtxDestroy_v2
#define cuCtxPopCurrent                cuCtxPopCurrent_v2
#define cuCtxPushCurrent               cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease      cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset        cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags     cuDevicePrimaryCtxSetFlags_v2
#define cuModuleGetGlobal              cuModuleGetGlobal_v2
#define cuLinkCreate                   cuLinkCreate_v2
#define cuLinkAddData                  cuLinkAddData_v2
#define cuLinkAddFile                  cuLinkAddFile_v2
#define cuMemGetInfo                   cuMemGetInfo_v2
#define cuMemAlloc                     cuMemAlloc_v2
#define cuMemAllocPitch                cuMemAllocPitch_v2
#define cuMemFree                      cuMemFree_v2
#define cuMemGetAddressRange           cuMemGetAddressRange_v2
#define cuMemAllocHost                 cuMemAllocHost_v2
#define cuMemHostRegister              cuMemHostRegister_v2
#define cuMemHostGetDevicePointer      cuMemHostGetDevicePointer_v2
#define cuMemAdvise                    cuMemAdvise_v2
#define cuMemPrefetchAsync             cuMemPrefetchAsync_v2
#define cuMemcpyHtoD                   cuMemcpyHtoD_v2
#define cuMemcpyDtoH                   cuMemcpyDtoH_v2
#define cuMemcpyDtoD                   cuMemcpyDtoD_v2
#define cuMemcpy2D                     cuMemcpy2D_v2
#define cuMemcpy2DUnaligned            cuMemcpy2DUnaligned_v2
#define cuMemcpy3D                     cuMemcpy3D_v2
#define cuMemcpyHtoDAsync              cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync              cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync              cuMemcpyDtoDAsync_v2
#define cuMemcpy2DAsync                cuMemcpy2DAsync_v2
#define cuMemcpy3DAsync                cuMemcpy3DAsync_v2
#define cuMemsetD8                     cuMemsetD8_v2
#define cuMemsetD16                    cuMemsetD16_v2
#define cuMemsetD32                    cuMemsetD32_v2
#define cuMemsetD2D8                   cuMemsetD2D8_v2
#define cuMemsetD2D16                  cuMemsetD2D16_v2
#define cuMemsetD2D32                  cuMemsetD2D32_v2
#define cuIpcOpenMemHandle             cuIpcOpenMemHandle_v2
#define cuStreamDestroy                cuStreamDestroy_v2
#define cuStreamBeginCapture           cuStreamBeginCapture_v2
#define cuStreamGetCaptureInfo         cuStreamGetCaptureInfo_v3
#define cuEventDestroy                 cuEventDestroy_v2
#define cuEventElapsedTime             cuEventElapsedTime_v2
#define cuGraphInstantiate             cuGraphInstantiateWithFlags
#define cuGraphAddKernelNode           cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams     cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams     cuGraphKernelNodeSetParams_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuGraphExecUpdate              cuGraphExecUpdate_v2
#define cuGraphGetEdges                cuGraphGetEdges_v2
#define cuGraphNodeGetDependencies     cuGraphNodeGetDependencies_v2
#define cuGraphAddDependencies         cuGraphAddDependencies_v2
#define cuGraphRemoveDependencies      cuGraphRemoveDependencies_v2
#define cuGetProcAddress               cuGetProcAddress_v2
#endif

#ifdef __cplusplus
}
#endif
#endif
