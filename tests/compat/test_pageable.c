/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels of PTX that reach all of the process's memory (TESSERA_CUDA_PAGEABLE), as they must where
 * another library, such as PyTorch, has allocated it.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "driver_test.h"
#include "scale.h"

#define SCALE ".version 8.0\n.target sm_80\n.address_size 64\n" SCALE_PTX

enum { N = 1000, BYTES = N * sizeof(float) };

static CUfunction scale(void) {
  CUmodule m;
  CUfunction f;
  OK(cuModuleLoadData(&m, SCALE));
  OK(cuModuleGetFunction(&f, m, "scale"));
  return f;
}

static CUresult run(CUfunction f, CUdeviceptr x, CUdeviceptr y) {
  float a = 3;
  int n = N;
  void *params[] = {&y, &x, &a, &n};
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  return cuCtxSynchronize();
}

static void fill(float *x, float by) {
  for (int i = 0; i < N; i++) x[i] = (float)i * by;
}

static void check(const float *x, const float *y) {
  for (int i = 0; i < N; i++) assert_true(y[i] == 3 * x[i] + 0.5F);
}

/* The C library gives the same memory out again and again, between launches to the driver, too. */
static void test_memory_of_malloc(void **state) {
  (void)state;
  CUfunction f = scale();
  for (int round = 0; round < 4; round++) {
    float *x = malloc(BYTES), *y = malloc(BYTES);
    CUdeviceptr own;
    fill(x, (float)(round + 1));
    OK(run(f, (CUdeviceptr)(uintptr_t)x, (CUdeviceptr)(uintptr_t)y));
    check(x, y);
    OK(cuMemAlloc(&own, BYTES));
    OK(run(f, (CUdeviceptr)(uintptr_t)x, own));
    check(x, (const float *)(uintptr_t)own);
    OK(run(f, own, (CUdeviceptr)(uintptr_t)y));
    check((const float *)(uintptr_t)own, y);
    free(x);
    free(y);
    OK(cuMemFree(own));
  }
}

/* A page that was given back and came again, with other rights. */
static void test_a_mapping_that_changes(void **state) {
  (void)state;
  CUfunction f = scale();
  float *x = malloc(BYTES);
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  fill(x, 1);
  float *y = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  OK(run(f, (CUdeviceptr)(uintptr_t)x, (CUdeviceptr)(uintptr_t)y));
  check(x, y);
  assert_int_equal(mprotect(y, size, PROT_READ), 0);
  FAILS(CUDA_ERROR_ILLEGAL_ADDRESS,
        run(f, (CUdeviceptr)(uintptr_t)x, (CUdeviceptr)(uintptr_t)y));
  munmap(y, size);
  free(x);
  CUcontext ctx;
  OK(cuDevicePrimaryCtxReset(0));
  OK(cuDevicePrimaryCtxRetain(&ctx, 0));
  OK(cuCtxSetCurrent(ctx));
}

static void test_nothing_there(void **state) {
  (void)state;
  CUfunction f = scale();
  float *x = malloc(BYTES);
  CUdeviceptr pointer = 0;
  fill(x, 1);
  OK(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                           (CUdeviceptr)(uintptr_t)x));
  assert_int_equal(pointer, (uintptr_t)x);
  FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, run(f, (CUdeviceptr)(uintptr_t)x, 4096));
  free(x);
}

int main(void) {
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  setenv("TESSERA_CUDA_PAGEABLE", "1", 1);
  const struct CMUnitTest tests[] = {
      TEST(test_memory_of_malloc),
      TEST(test_a_mapping_that_changes),
      TEST(test_nothing_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
