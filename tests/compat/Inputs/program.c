/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program as nvcc makes one: kernels as PTX with line information, in a fat binary that is
 * registered before main. With OWN_RUNTIME the runtime library is inside of it, and does not work,
 * as NVIDIA's does not without NVIDIA's driver.
 *
 * program KERNEL: fill writes the threads' numbers; race writes one word by all of them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "compat/runtime/cudart_abi.h"

#ifdef OWN_RUNTIME
#define FAILING(name, parameters)                                                                  \
  __attribute__((noinline)) cudaError_t name parameters {                                          \
    volatile int steps = 0;                                                                        \
    for (int i = 0; i < 3; i++) steps += i;                                                        \
    return steps == 3 ? cudaErrorSymbolNotFound : cudaSuccess;                                     \
  }
static void *nothing[1];
__attribute__((noinline)) void **__cudaRegisterFatBinary(void *wrapper) {
  volatile int steps = 0;
  for (int i = 0; i < 3; i++) steps += wrapper != NULL;
  return steps == 3 ? nothing : NULL;
}
__attribute__((noinline)) void __cudaRegisterFunction(void **module, const char *host, char *device,
                                                      const char *name, int limit, void *tid,
                                                      void *bid, dim3 *block, dim3 *grid,
                                                      int *warp) {
  volatile int steps = 0;
  for (int i = 0; i < 3; i++) steps += module && host && device && name && limit && tid && bid;
  (void)block, (void)grid, (void)warp;
}
FAILING(cudaMalloc, (void **address, size_t bytes))
FAILING(cudaMemcpy, (void *dst, const void *src, size_t bytes, cudaMemcpyKind kind))
FAILING(cudaMemset, (void *dst, int value, size_t bytes))
FAILING(cudaLaunchKernel, (const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                           cudaStream_t stream))
FAILING(cudaDeviceSynchronize, (void))
__attribute__((noinline)) const char *cudaGetErrorName(cudaError_t error) {
  volatile int steps = 0;
  for (int i = 0; i < 3; i++) steps += error != 0;
  return steps == 3 ? "an error of its own" : "no error of its own";
}
#endif

#ifndef FILL /* what a C++ compiler calls the kernel */
#define FILL "fill"
#endif

#define PTX                                                                                        \
  ".version 8.0\n.target sm_80\n.address_size 64\n"                                                \
  ".visible .entry " FILL "(.param .u64 p) {\n"                                                        \
  "  .reg .b64 %d<3>; .reg .b32 %r<2>;\n"                                                          \
  "  .loc 1 10 1\n"                                                                                \
  "  ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"                      \
  "  add.u64 %d2, %d0, %d1;\n"                                                                     \
  "  .loc 1 11 1\n"                                                                                \
  "  st.global.u32 [%d2], %r0;\n"                                                                  \
  "  ret;\n}\n"                                                                                    \
  ".visible .entry race(.param .u64 p) {\n"                                                        \
  "  .reg .b64 %d; .reg .b32 %r;\n"                                                                \
  "  .loc 1 20 1\n"                                                                                \
  "  ld.param.u64 %d, [p]; mov.u32 %r, %tid.x;\n"                                                  \
  "  .loc 1 21 1\n"                                                                                \
  "  st.global.u32 [%d], %r;\n"                                                                    \
  "  ret;\n}\n"                                                                                    \
  ".file 1 \"kernels.cu\"\n"

static struct {
  uint32_t magic;
  uint16_t version, header;
  uint64_t size;
  uint16_t kind, entry_version;
  uint32_t entry_header;
  uint64_t entry_size;
  uint32_t packed, unknown, minor_major, arch, more[2];
  uint64_t flags, zero, length;
  char text[sizeof PTX + 8];
} fat = {0xba55ed50, 1, 16, 64 + sizeof(PTX) + 8, 1, 0x101, 64, sizeof(PTX) + 8, 0, 64, 0, 80,
         {0, 0}, 0x11, 0, 0, PTX};

static struct {
  int magic, version;
  const void *data;
  void *more;
} wrapper = {0x466243b1, 1, &fat, NULL};

static char fill_stub[16], race_stub[16];

__attribute__((constructor)) static void before_main(void) {
  void **m = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(m, fill_stub, FILL, FILL, -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(m, race_stub, "race", "race", -1, NULL, NULL, NULL, NULL, NULL);
}

static int said(const char *what, cudaError_t e) {
  if (e) printf("%s: %s\n", what, cudaGetErrorName(e));
  return e != cudaSuccess;
}

int main(int argc, char **argv) {
  uint32_t host[64];
  void *p;
  const char *stub = argc > 1 && strcmp(argv[1], "race") == 0 ? race_stub : fill_stub;
  if (said("malloc", cudaMalloc(&p, sizeof host))) return 1;
  said("memset", cudaMemset(p, 0, sizeof host));
  for (int i = 0; i < 2; i++)
    said("launch", cudaLaunchKernel(stub, (dim3){1, 1, 1}, (dim3){64, 1, 1}, (void *[]){&p}, 0, NULL));
  said("synchronize", cudaDeviceSynchronize());
  if (said("memcpy", cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost))) return 1;
  printf("word 63 is %u\n", host[63]);
  return 0;
}
