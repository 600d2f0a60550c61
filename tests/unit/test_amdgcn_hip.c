/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The stand-in of libamdhip64, as a program of HIP's module API uses it: loaded by its name where
 * `tessera exec` has put it, else from where it is built.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "job.h"
#include "compat/hip/hip_abi.h"

#define ENTRIES(X)                                                                                 \
  X(hipInit, (unsigned))                                                                           \
  X(hipGetDeviceCount, (int *))                                                                    \
  X(hipGetDevicePropertiesR0600, (hipDeviceProp_tR0600 *, int))                                    \
  X(hipDeviceGetAttribute, (int *, int, int))                                                      \
  X(hipMalloc, (void **, size_t))                                                                  \
  X(hipFree, (void *))                                                                             \
  X(hipMemcpyHtoD, (void *, const void *, size_t))                                                 \
  X(hipMemcpyDtoH, (void *, void *, size_t))                                                       \
  X(hipMemsetD32, (void *, int, size_t))                                                           \
  X(hipModuleLoad, (hipModule_t *, const char *))                                                  \
  X(hipModuleLoadData, (hipModule_t *, const void *))                                              \
  X(hipModuleUnload, (hipModule_t))                                                                \
  X(hipModuleGetFunction, (hipFunction_t *, hipModule_t, const char *))                            \
  X(hipFuncGetAttribute, (int *, int, const void *))                                               \
  X(hipModuleLaunchKernel, (hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,       \
                            unsigned, unsigned, hipStream_t, void **, void **))                    \
  X(hipStreamCreate, (hipStream_t *))                                                              \
  X(hipStreamSynchronize, (hipStream_t))                                                           \
  X(hipStreamDestroy, (hipStream_t))                                                               \
  X(hipEventCreate, (hipEvent_t *))                                                                \
  X(hipEventRecord, (hipEvent_t, hipStream_t))                                                     \
  X(hipEventElapsedTime, (float *, hipEvent_t, hipEvent_t))                                        \
  X(hipEventDestroy, (hipEvent_t))                                                                 \
  X(hipGetLastError, (void))

static struct {
#define FIELD(name, parameters) hipError_t(*name) parameters;
  ENTRIES(FIELD)
#undef FIELD
} hip;

static int open_library(void **unused) {
  (void)unused;
  const char *name = getenv("TESSERA_TEST_HIP");
  void *library = dlopen(name ? name : HIP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    print_message("%s\n", dlerror());
    return 1;
  }
#define FIND(name, parameters)                                                                     \
  {                                                                                                \
    void *f = dlsym(library, #name);                                                               \
    memcpy(&hip.name, &f, sizeof f);                                                               \
    if (!f) return 1;                                                                              \
  }
  ENTRIES(FIND)
#undef FIND
  return 0;
}

#define GOOD(call) assert_int_equal(call, hipSuccess)

static char *read_object(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.o", AMDGCN_OBJECTS, name);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  size_t size = (size_t)ftell(f);
  rewind(f);
  char *bytes = malloc(size + 64);
  assert_int_equal(fread(bytes, 1, size, f), size);
  fclose(f);
  return bytes;
}

static void device_is_described(void **unused) {
  (void)unused;
  int count = 0, lanes = 0;
  static hipDeviceProp_tR0600 p;
  GOOD(hip.hipInit(0));
  GOOD(hip.hipGetDeviceCount(&count));
  assert_int_equal(count, 1);
  GOOD(hip.hipGetDevicePropertiesR0600(&p, 0));
  assert_string_equal(p.gcnArchName, "gfx942");
  assert_int_equal(p.warpSize, 64);
  GOOD(hip.hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0));
  assert_int_equal(lanes, 64);
  assert_int_equal(hip.hipGetDevicePropertiesR0600(&p, 1), hipErrorInvalidDevice);
  assert_int_equal(hip.hipGetLastError(), hipErrorInvalidDevice);
  assert_int_equal(hip.hipGetLastError(), hipSuccess);
}

enum { COUNT = 384 };

static void launch_saxpy(hipFunction_t f, void *x, void *y, int n, hipStream_t stream) {
  float a = 2;
  void *params[] = {&x, &y, &a, &n};
  GOOD(hip.hipModuleLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, stream, params, NULL));
}

static void kernels_are_launched(void **unused) {
  (void)unused;
  float host[COUNT], ms = -1;
  void *x, *y;
  hipModule_t module;
  hipFunction_t f;
  hipStream_t stream;
  hipEvent_t begin, end;
  char *object = read_object("elements");
  for (int k = 0; k < COUNT; k++) host[k] = (float)k;
  GOOD(hip.hipMalloc(&x, sizeof host));
  GOOD(hip.hipMalloc(&y, sizeof host));
  GOOD(hip.hipMemcpyHtoD(x, host, sizeof host));
  GOOD(hip.hipMemsetD32(y, 0x3f800000, COUNT)); /* 1.0 */
  GOOD(hip.hipModuleLoadData(&module, object));
  free(object); /* the module has a copy */
  GOOD(hip.hipModuleGetFunction(&f, module, "saxpy"));
  GOOD(hip.hipStreamCreate(&stream));
  GOOD(hip.hipEventCreate(&begin));
  GOOD(hip.hipEventCreate(&end));
  GOOD(hip.hipEventRecord(begin, stream));
  launch_saxpy(f, x, y, COUNT, stream);
  GOOD(hip.hipEventRecord(end, stream));
  GOOD(hip.hipEventElapsedTime(&ms, begin, end));
  assert_true(ms >= 0);
  GOOD(hip.hipStreamSynchronize(stream));
  GOOD(hip.hipMemcpyDtoH(host, y, sizeof host));
  for (int k = 0; k < COUNT; k++) assert_true(host[k] == 2 * (float)k + 1);
  GOOD(hip.hipEventDestroy(begin));
  GOOD(hip.hipEventDestroy(end));
  GOOD(hip.hipStreamDestroy(stream));
  GOOD(hip.hipModuleUnload(module));
  GOOD(hip.hipFree(x));
  GOOD(hip.hipFree(y));
}

/* By the bytes that a program has packed itself, and from a file. */
static void arguments_are_packed(void **unused) {
  (void)unused;
  struct {
    void *x, *y;
    float a;
    int n;
  } args = {.a = 3, .n = 100};
  size_t size = sizeof args;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &args, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  float host[128];
  hipModule_t module;
  hipFunction_t f;
  GOOD(hip.hipMalloc(&args.x, sizeof host));
  GOOD(hip.hipMalloc(&args.y, sizeof host));
  GOOD(hip.hipMemsetD32(args.x, 0x3f800000, 128));
  GOOD(hip.hipMemsetD32(args.y, 0, 128));
  GOOD(hip.hipModuleLoad(&module, AMDGCN_OBJECTS "/elements.o"));
  GOOD(hip.hipModuleGetFunction(&f, module, "saxpy"));
  GOOD(hip.hipModuleLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
  GOOD(hip.hipMemcpyDtoH(host, args.y, sizeof host));
  for (int k = 0; k < 128; k++) assert_true(host[k] == (k < 100 ? 3.0f : 0.0f));
  GOOD(hip.hipModuleUnload(module));
  GOOD(hip.hipFree(args.x));
  GOOD(hip.hipFree(args.y));
}

static void wrong_calls_fail(void **unused) {
  (void)unused;
  hipModule_t module;
  hipFunction_t f;
  int value;
  void *x, *y;
  char *object = read_object("elements"), *other = read_object("gfx1100/elements");
  assert_int_equal(hip.hipModuleLoadData(&module, other), hipErrorNoBinaryForGpu);
  assert_int_equal(hip.hipModuleLoadData(&module, "no object at all, but a text"),
                   hipErrorNoBinaryForGpu);
  assert_int_equal(hip.hipModuleLoad(&module, "/nowhere"), hipErrorFileNotFound);
  GOOD(hip.hipModuleLoadData(&module, object));
  assert_int_equal(hip.hipModuleGetFunction(&f, module, "nothing"), hipErrorNotFound);
  GOOD(hip.hipModuleGetFunction(&f, module, "saxpy"));
  GOOD(hip.hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  assert_int_equal(value, 128);
  assert_int_equal(hip.hipModuleLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL),
                   hipErrorInvalidValue);
  /* An address that was given back. */
  GOOD(hip.hipMalloc(&x, 512));
  GOOD(hip.hipMalloc(&y, 512));
  GOOD(hip.hipFree(y));
  float a = 1;
  int n = 128;
  void *params[] = {&x, &y, &a, &n};
  assert_int_equal(hip.hipModuleLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL),
                   hipErrorIllegalAddress);
  GOOD(hip.hipFree(x));
  GOOD(hip.hipModuleUnload(module));
  free(object);
  free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(device_is_described),
      cmocka_unit_test(kernels_are_launched),
      cmocka_unit_test(arguments_are_packed),
      cmocka_unit_test(wrong_calls_fail),
  };
  return cmocka_run_group_tests(tests, open_library, NULL);
}
