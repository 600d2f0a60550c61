/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compat/runtime: a CUDA runtime library over the driver library (compat/driver.h), for programs
 * that nvcc made. It is a client of the driver's as any other: it uses only what the API has.
 *
 *   runtime.def, refused.def, cudart_abi.h   what programs see
 *   errors.c     each thread's last error, names, refusals
 *   device.c     the device, its context for each thread, properties
 *   symbols.c    fat binaries, and the kernels and variables that a program names by host addresses
 *   launch.c     launches, attributes of kernels, occupancy
 *   memory.c     allocating, pools, questions about pointers
 *   copy.c       copying and filling
 *   stream.c     streams and events
 *   graph.c      graphs
 *
 * Built once for each version of the interface (TSR_CUDART_VERSION), as a shared library and as an
 * archive.
 *
 * Errors. Every entry ends in rt_end, which keeps a failure as the thread's last error until
 * cudaGetLastError takes it.
 *
 * Threads. Any entry may be called by any thread. Tables of symbols are under one lock.
 */
#ifndef TSR_COMPAT_RUNTIME_H
#define TSR_COMPAT_RUNTIME_H

#include <stdbool.h>

#include "compat/runtime/cudart_abi.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The device is there and the thread has a context, or why not. */
CUresult rt_begin(void);
/* An entry's result, noted as the thread's last error when it is one. */
cudaError_t rt_end(CUresult r);
cudaError_t rt_fail(cudaError_t e);
/* Writes "tessera: ..." to standard error. */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The body of an entry that is a call of the driver's. */
#define CALL(call)                                                                                 \
  do {                                                                                             \
    CUresult result_ = rt_begin();                                                                 \
    if (!result_) result_ = (call);                                                                \
    return rt_end(result_);                                                                        \
  } while (0)

/* The kernel of a host function's address; a handle of the driver's is its own. */
CUresult rt_kernel(const void *func, CUfunction *out);
/* The host function of a kernel, or the kernel itself when a program has none for it. */
void *rt_host_function(CUfunction kernel);
/* The variable of a host variable's address. */
CUresult rt_variable(const void *symbol, CUdeviceptr *address, size_t *size);

/* copy.c: what a copy of three dimensions is to the driver. */
CUresult rt_copy_3d(const cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);
/* ... and a flat one. */
CUresult rt_copy_1d(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                    CUDA_MEMCPY3D *out);
/* An address within a variable, where `bytes` fit. */
CUresult rt_symbol_part(const void *symbol, size_t bytes, size_t offset, void **out);

static inline CUdeviceptr rt_ptr(const void *p) {
  return (CUdeviceptr)(uintptr_t)p;
}

#endif
