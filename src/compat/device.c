/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The device: the processor, dressed as a GPU. Sizes that a kernel's code does not depend on are
 * those of a current data-centre GPU; what programs plan with (memory, multiprocessors, cache)
 * comes from this machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/driver.h"

static const char pci_bus_id[] = "0000:00:00.0";

bool device_exists(CUdevice dev) {
  return dev == 0;
}

static int processors(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 && n < 65536 ? (int)n : 1;
}

static int cache_bytes(void) {
  long n = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return n > 0 && n < (64 << 20) ? (int)n : 1 << 20;
}

/* TESSERA_CUDA_CAPABILITY chooses the architecture that front ends generate code for: hints and
 * which element types they allow depend on it. */
void device_capability(int *major, int *minor) {
  *major = 10;
  *minor = 0;
  const char *asked = getenv("TESSERA_CUDA_CAPABILITY");
  int a, b, used = 0;
  if (!asked || !*asked) return;
  if (sscanf(asked, "%2d.%1d%n", &a, &b, &used) == 2 && !asked[used] && a >= 8 && b >= 0) {
    *major = a;
    *minor = b;
  }
}

typedef struct device_value {
  CUdevice_attribute attribute;
  int value;
} device_value;

static const device_value device_values[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, INT32_MAX},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, INT32_MAX},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 2000000},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2000000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 1},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 1},
    {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_NUMA_ID, -1},
};

bool device_reaches_process(void) {
  const char *value = getenv("TESSERA_CUDA_PAGEABLE");
  return value && *value && strcmp(value, "0") != 0;
}

int device_attribute(CUdevice_attribute attrib) {
  int major, minor;
  switch (attrib) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    device_capability(&major, &minor);
    return major;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    device_capability(&major, &minor);
    return minor;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return processors();
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return cache_bytes();
  default: break;
  }
  for (size_t i = 0; i < COUNT(device_values); i++)
    if (device_values[i].attribute == attrib) return device_values[i].value;
  return 0;
}

/* ---- entries -------------------------------------------------------------------------------- */

CUresult cuDeviceGetCount(int *count) {
  CUresult r = initialised();
  if (r) return r;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  CUresult r = initialised();
  if (r) return r;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

/* What is wrong with a question about a device. */
static CUresult question(const void *out, CUdevice dev) {
  CUresult r = initialised();
  if (r) return r;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  return device_exists(dev) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev) {
  CUresult r = question(name, dev);
  if (r) return r;
  if (len <= 0) return CUDA_ERROR_INVALID_VALUE;
  char what[256];
  tsr_device_describe("cpu", what, sizeof what);
  what[strcspn(what, ",")] = 0; /* the model */
  snprintf(name, (size_t)len, "Tessera on %s", what);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
  CUresult r = question(uuid, dev);
  if (r) return r;
  memcpy(uuid->bytes, "Tessera CPU dev\0", sizeof uuid->bytes);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
  return cuDeviceGetUuid_v2(uuid, dev);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
  CUresult r = question(bytes, dev);
  if (!r) *bytes = memory_total();
  return r;
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
  CUresult r = question(pi, dev);
  if (r) return r;
  if ((int)attrib < 1 || attrib > CU_DEVICE_ATTRIBUTE_LAST) return CUDA_ERROR_INVALID_VALUE;
  *pi = device_attribute(attrib);
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
  CUresult r = question(major, dev);
  if (r) return r;
  if (!minor) return CUDA_ERROR_INVALID_VALUE;
  device_capability(major, minor);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice dev) {
  CUresult r = question(id, dev);
  if (r) return r;
  if (len < (int)sizeof pci_bus_id) return CUDA_ERROR_INVALID_VALUE;
  memcpy(id, pci_bus_id, sizeof pci_bus_id);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *id) {
  CUresult r = question(dev, 0);
  if (r) return r;
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  if (strcmp(id, pci_bus_id) != 0) return CUDA_ERROR_INVALID_DEVICE;
  *dev = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice dev, CUdevice peer) {
  CUresult r = question(can, dev);
  if (r) return r;
  if (!device_exists(peer)) return CUDA_ERROR_INVALID_DEVICE;
  *can = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice dev) {
  return question("", dev);
}
