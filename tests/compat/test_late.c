/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Late execution (TESSERA_CUDA_LATE): what a program that forgets to wait sees, and that everything
 * the API orders stays in order.
 */
#include "driver_test.h"

enum { N = 64 };

static CUdeviceptr memory(void) {
  CUdeviceptr p;
  OK(cuMemAlloc(&p, N));
  return p;
}

/* The memory as it is now: the device's is the host's. */
static int now(CUdeviceptr p) {
  return *(volatile unsigned char *)(uintptr_t)p;
}

static CUstream stream(unsigned flags) {
  CUstream s;
  OK(cuStreamCreate(&s, flags));
  return s;
}

static void test_a_fill_is_overtaken(void **state) {
  (void)state;
  CUdeviceptr p = memory();
  CUstream s = stream(CU_STREAM_NON_BLOCKING);
  OK(cuMemsetD8(p, 1, N));
  OK(cuMemsetD8Async(p, 2, N, s));
  OK(cuStreamSynchronize(s));
  assert_int_equal(now(p), 2);
  OK(cuStreamSynchronize(NULL));
  assert_int_equal(now(p), 1);
  OK(cuStreamDestroy(s));
  OK(cuMemFree(p));
}

static void test_a_pageable_copy_is_overtaken(void **state) {
  (void)state;
  unsigned char from[N] = {3}, to[N];
  CUdeviceptr p = memory();
  CUstream s = stream(CU_STREAM_NON_BLOCKING);
  OK(cuMemcpyHtoD(p, from, N));
  from[0] = 4; /* it has been read */
  OK(cuMemsetD8Async(p, 5, N, s));
  OK(cuMemcpyDtoHAsync(to, p, N, s)); /* waits for itself */
  assert_int_equal(to[0], 5);
  OK(cuMemcpyDtoH(to, p, N));
  assert_int_equal(to[0], 3);
  OK(cuMemcpyHtoDAsync(p, from, N, s));
  assert_int_equal(now(p), 3);
  OK(cuCtxSynchronize());
  assert_int_equal(now(p), 4);
  OK(cuStreamDestroy(s));
  OK(cuMemFree(p));
}

static void test_host_memory_is_not(void **state) {
  (void)state;
  unsigned char *pinned;
  CUdeviceptr p = memory();
  OK(cuMemAllocHost((void **)&pinned, N));
  OK(cuMemsetD8((CUdeviceptr)(uintptr_t)pinned, 6, N));
  assert_int_equal(pinned[0], 6);
  OK(cuMemcpyHtoD(p, pinned, N));
  assert_int_equal(now(p), 6);
  OK(cuMemsetD8(p, 7, N));
  OK(cuMemcpyDtoHAsync(pinned, p, N, NULL));
  assert_int_equal(pinned[0], 6); /* nobody has waited */
  OK(cuStreamSynchronize(NULL));
  assert_int_equal(pinned[0], 7);
  OK(cuMemFreeHost(pinned));
  OK(cuMemFree(p));
}

/* Blocking streams and the default one wait for each other. */
static void test_blocking_streams(void **state) {
  (void)state;
  CUdeviceptr p = memory(), q = memory();
  CUstream a = stream(CU_STREAM_DEFAULT), b = stream(CU_STREAM_DEFAULT);
  OK(cuMemsetD8Async(p, 1, N, a));
  OK(cuMemsetD8(p, 2, N));
  OK(cuMemcpyDtoDAsync(q, p, N, b));
  OK(cuStreamSynchronize(b));
  assert_int_equal(now(q), 2);
  OK(cuMemsetD8Async(p, 3, N, a));
  OK(cuStreamSynchronize(b));
  assert_int_equal(now(p), 2); /* a and b do not */
  OK(cuStreamSynchronize(NULL));
  assert_int_equal(now(p), 3);
  OK(cuStreamDestroy(a));
  OK(cuStreamDestroy(b));
  OK(cuMemFree(p));
  OK(cuMemFree(q));
}

static void test_events(void **state) {
  (void)state;
  float ms;
  CUdeviceptr p = memory();
  CUstream a = stream(CU_STREAM_NON_BLOCKING), b = stream(CU_STREAM_NON_BLOCKING);
  CUevent before, behind;
  OK(cuEventCreate(&before, 0));
  OK(cuEventCreate(&behind, 0));
  OK(cuEventRecord(before, a));
  OK(cuMemsetD8Async(p, 1, N, a));
  OK(cuEventRecord(behind, a));
  OK(cuStreamWaitEvent(b, behind, 0));
  OK(cuEventRecord(behind, a)); /* the wait is for the first record */
  OK(cuMemsetD8Async(p, 2, N, b));
  FAILS(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, before, behind));
  OK(cuStreamSynchronize(b));
  assert_int_equal(now(p), 2);
  OK(cuMemsetD8Async(p, 3, N, a));
  OK(cuEventRecord(behind, a));
  OK(cuMemsetD8Async(p, 4, N, a));
  OK(cuEventSynchronize(behind));
  assert_int_equal(now(p), 3); /* what follows it has not been executed */
  OK(cuEventElapsedTime(&ms, before, behind));
  OK(cuEventDestroy(before));
  OK(cuEventDestroy(behind));
  OK(cuStreamDestroy(a));
  assert_int_equal(now(p), 3); /* destroying does not wait */
  OK(cuCtxSynchronize());
  assert_int_equal(now(p), 4);
  OK(cuStreamDestroy(b));
  OK(cuMemFree(p));
}

/* The arguments are those of the call; freeing waits. */
static void test_kernels(void **state) {
  (void)state;
  enum { BYTES = 128 * sizeof(float) };
  static float host[128];
  CUmodule m = load(ADD_TEXT);
  CUfunction f;
  CUdeviceptr a, b, c;
  CUstream s = stream(CU_STREAM_NON_BLOCKING);
  OK(cuModuleGetFunction(&f, m, "add"));
  OK(cuMemAlloc(&a, BYTES));
  OK(cuMemAlloc(&b, BYTES));
  OK(cuMemAlloc(&c, BYTES));
  for (int i = 0; i < 128; i++) host[i] = (float)i;
  OK(cuMemcpyHtoDAsync(a, host, BYTES, s));
  OK(cuMemcpyHtoDAsync(b, host, BYTES, s));
  void *params[] = {&a, &b, &c};
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
  CUdeviceptr sum = c;
  c = 0;
  OK(cuMemcpyDtoHAsync(host, sum, BYTES, s));
  assert_true(host[100] == 200);
  OK(cuMemsetD8Async(sum, 0, BYTES, s));
  OK(cuMemFree(a));
  assert_int_equal(now(sum), 0);
  OK(cuMemFree(b));
  OK(cuMemFree(sum));
  OK(cuStreamDestroy(s));
  OK(cuModuleUnload(m));
}

/* What is left when a context ends goes with it. */
static void test_ending(void **state) {
  (void)state;
  CUcontext ctx;
  CUstream s;
  CUdeviceptr p;
  OK(cuCtxCreate_v2(&ctx, 0, 0));
  OK(cuMemAlloc(&p, N));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuMemsetD8Async(p, 1, N, s));
  OK(cuMemsetD8(p, 2, N));
  OK(cuCtxDestroy(ctx));
}

int main(void) {
  setenv("TESSERA_CUDA_LATE", "1", 1);
  static const struct CMUnitTest tests[] = {
      TEST(test_a_fill_is_overtaken), TEST(test_a_pageable_copy_is_overtaken),
      TEST(test_host_memory_is_not),  TEST(test_blocking_streams),
      TEST(test_events),              TEST(test_kernels),
      TEST(test_ending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
