/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Launches in all forms, attributes of kernels, and occupancy.
 */
#include "compat/runtime/runtime.h"

/* ---- f<<<grid, block, shared, stream>>>(...) ------------------------------------------------ */

enum { NESTED_MAX = 16 }; /* arguments of a launch may be functions that launch */

typedef struct call_configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
} call_configuration;

static __thread call_configuration configurations[NESTED_MAX];
static __thread unsigned depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  if (depth == NESTED_MAX) return 1;
  configurations[depth++] = (call_configuration){grid, block, shared, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (!depth) return rt_fail(cudaErrorMissingConfiguration);
  const call_configuration *c = &configurations[--depth];
  *grid = c->grid;
  *block = c->block;
  *shared = c->shared;
  *(cudaStream_t *)stream = c->stream;
  return cudaSuccess;
}

/* ---- launching ------------------------------------------------------------------------------ */

static int device_limit(CUdevice_attribute attribute) {
  int value = 0;
  cuDeviceGetAttribute(&value, attribute, 0);
  return value;
}

/* What the runtime calls an invalid configuration; the driver has one name for all mistakes. */
static bool shape_valid(const CUlaunchConfig *c) {
  uint64_t threads = (uint64_t)c->blockDimX * c->blockDimY * c->blockDimZ;
  unsigned most_y = (unsigned)device_limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  return c->gridDimX && c->gridDimY && c->gridDimZ && threads && threads <= 1024 &&
         c->blockDimZ <= 64 && c->gridDimX <= INT32_MAX && c->gridDimY <= most_y &&
         c->gridDimZ <= most_y;
}

static CUresult launch(const CUlaunchConfig *c, CUfunction kernel, void **args) {
  if (!shape_valid(c)) return (CUresult)cudaErrorInvalidConfiguration;
  CUresult r = cuLaunchKernelEx(c, kernel, args, NULL);
  return r == CUDA_ERROR_INVALID_HANDLE ? (CUresult)cudaErrorInvalidDeviceFunction : r;
}

static CUlaunchConfig configuration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  return (CUlaunchConfig){.gridDimX = grid.x,
                          .gridDimY = grid.y,
                          .gridDimZ = grid.z,
                          .blockDimX = block.x,
                          .blockDimY = block.y,
                          .blockDimZ = block.z,
                          .sharedMemBytes = (unsigned)shared,
                          .hStream = stream};
}

static CUresult launch_symbol(const CUlaunchConfig *c, const void *func, void **args) {
  CUfunction kernel;
  CUresult r = rt_kernel(func, &kernel);
  return r ? r : launch(c, kernel, args);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
  CUlaunchConfig c = configuration(grid, block, shared, stream);
  CALL(launch_symbol(&c, func, args));
}

/* The code that nvcc makes launches NULL after __cudaGetKernel has failed: the error is that one's.
 */
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream) {
  CUlaunchConfig c = configuration(grid, block, shared, stream);
  if (!kernel) {
    cudaError_t e = cudaPeekAtLastError();
    return rt_fail(e ? e : cudaErrorInvalidDeviceFunction);
  }
  CALL(launch(&c, (CUfunction)kernel, args));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
  CUlaunchConfig c = configuration(grid, block, shared, stream);
  CUlaunchAttribute together = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
  c.attrs = &together;
  c.numAttrs = 1;
  CALL(launch_symbol(&c, func, args));
}

static CUlaunchConfig driver_configuration(const cudaLaunchConfig_t *config) {
  CUlaunchConfig c =
      configuration(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
  c.attrs = config->attrs;
  c.numAttrs = config->numAttrs;
  return c;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
  if (!config) return rt_fail(cudaErrorInvalidConfiguration);
  CUlaunchConfig c = driver_configuration(config);
  CALL(launch_symbol(&c, func, args));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *user) {
  CALL(cuLaunchHostFunc(stream, fn, user));
}

/* ---- attributes ----------------------------------------------------------------------------- */

static CUresult get_attributes(cudaFuncAttributes *out, const void *func) {
  CUfunction kernel;
  CUresult r = rt_kernel(func, &kernel);
  *out = (cudaFuncAttributes){0};
  for (int i = 0; !r && i < CU_FUNC_ATTRIBUTE_MAX; i++) {
    int value;
    r = cuFuncGetAttribute(&value, (CUfunction_attribute)i, kernel);
    switch (i) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: out->maxThreadsPerBlock = value; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: out->sharedSizeBytes = (size_t)value; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: out->constSizeBytes = (size_t)value; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: out->localSizeBytes = (size_t)value; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: out->numRegs = value; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: out->ptxVersion = value; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: out->binaryVersion = value; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: out->cacheModeCA = value; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      out->maxDynamicSharedSizeBytes = value;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      out->preferredShmemCarveout = value;
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      out->nonPortableClusterSizeAllowed = value;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      out->clusterSchedulingPolicyPreference = value;
      break;
    default: break;
    }
  }
  return r;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *func) {
  if (!attributes) return rt_fail(cudaErrorInvalidValue);
  CALL(get_attributes(attributes, func));
}

static CUresult set_attribute(const void *func, int attribute, int value) {
  CUfunction kernel;
  CUresult r = rt_kernel(func, &kernel);
  return r ? r : cuFuncSetAttribute(kernel, (CUfunction_attribute)attribute, value);
}

cudaError_t cudaFuncSetAttribute(const void *func, int attribute, int value) {
  CALL(set_attribute(func, attribute, value));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, int attribute, int value,
                                            int device) {
  CALL(cuKernelSetAttribute((CUfunction_attribute)attribute, value, kernel, device));
}

/* Preferences, which change nothing here. */
static CUresult prefer(const void *func, bool known) {
  CUfunction kernel;
  return known ? rt_kernel(func, &kernel) : CUDA_ERROR_INVALID_VALUE;
}

cudaError_t cudaFuncSetCacheConfig(const void *func, int config) {
  CALL(prefer(func, config >= 0 && config <= 3));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, int config) {
  CALL(prefer(func, config >= 0 && config <= 2));
}

static CUresult get_name(const char **name, const void *func) {
  CUfunction kernel;
  CUresult r = rt_kernel(func, &kernel);
  return r ? r : cuFuncGetName(name, kernel);
}

cudaError_t cudaFuncGetName(const char **name, const void *func) {
  CALL(get_name(name, func));
}

static CUresult get_parameter(const void *func, size_t index, size_t *offset, size_t *size) {
  CUfunction kernel;
  CUresult r = rt_kernel(func, &kernel);
  return r ? r : cuFuncGetParamInfo(kernel, index, offset, size);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size) {
  CALL(get_parameter(func, index, offset, size));
}

/* ---- occupancy ------------------------------------------------------------------------------ */

static CUresult active_blocks(int *blocks, const void *func, int block_size, size_t shared,
                              unsigned flags) {
  CUfunction kernel;
  CUresult r = rt_kernel(func, &kernel);
  if (r) return r;
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block_size, shared,
                                                              flags);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
                                                                   int block_size, size_t shared,
                                                                   unsigned int flags) {
  CALL(active_blocks(blocks, func, block_size, shared, flags));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                          int block_size, size_t shared) {
  CALL(active_blocks(blocks, func, block_size, shared, 0));
}

static CUresult available_shared(size_t *bytes, const void *func, int blocks, int block_size) {
  CUfunction kernel;
  CUresult r = rt_kernel(func, &kernel);
  return r ? r : cuOccupancyAvailableDynamicSMemPerBlock(bytes, kernel, blocks, block_size);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks,
                                                      int block_size) {
  CALL(available_shared(bytes, func, blocks, block_size));
}

static CUresult clusters(int *out, const void *func, const cudaLaunchConfig_t *config, bool size) {
  CUfunction kernel;
  CUresult r = config ? rt_kernel(func, &kernel) : CUDA_ERROR_INVALID_VALUE;
  if (r) return r;
  CUlaunchConfig c = driver_configuration(config);
  return size ? cuOccupancyMaxPotentialClusterSize(out, kernel, &c)
              : cuOccupancyMaxActiveClusters(out, kernel, &c);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
                                                 const cudaLaunchConfig_t *config) {
  CALL(clusters(size, func, config, true));
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *func,
                                           const cudaLaunchConfig_t *config) {
  CALL(clusters(count, func, config, false));
}
