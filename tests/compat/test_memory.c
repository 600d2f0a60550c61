/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The driver library's memory: allocations, what is known about pointers, copies, filling, pools.
 */
#include "driver_test.h"

static void test_allocations(void **state) {
  (void)state;
  CUdeviceptr p, base;
  size_t size;
  OK(cuMemAlloc(&p, 1000));
  assert_int_equal(p % 256, 0);
  OK(cuMemGetAddressRange(&base, &size, p + 999));
  assert_int_equal(base, p);
  assert_int_equal(size, 1000);
  FAILS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &size, p + 1000));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 1));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)p));
  OK(cuMemFree(p));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
  OK(cuMemFree(0));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(NULL, 4));
  FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, SIZE_MAX / 2));
}

static void test_pointers_are_known(void **state) {
  (void)state;
  CUdeviceptr d, m, other;
  void *h;
  unsigned type;
  int managed;
  CUcontext ctx, owner;
  OK(cuCtxGetCurrent(&ctx));
  OK(cuMemAlloc(&d, 64));
  OK(cuMemAllocManaged(&m, 64, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAllocHost(&h, 64));
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d + 8));
  assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)h));
  assert_int_equal(type, CU_MEMORYTYPE_HOST);
  OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
  assert_true(managed);
  OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, d));
  assert_ptr_equal(owner, ctx);
  OK(cuMemHostGetDevicePointer(&other, h, 0));
  assert_int_equal(other, (uintptr_t)h);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&other, (void *)(uintptr_t)d, 0));
  OK(cuMemFree(d));
  OK(cuMemFree(m));
  OK(cuMemFreeHost(h));
  /* The host's own memory is nobody's, but belongs to work in the primary context. */
  int local;
  FAILS(CUDA_ERROR_INVALID_VALUE,
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&local));
  OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, (uintptr_t)&local));
  assert_ptr_equal(owner, ctx);
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT};
  void *answers[] = {&type, &owner};
  OK(cuPointerGetAttributes(2, asked, answers, (uintptr_t)&local));
  assert_int_equal(type, 0);
  assert_null(owner);
}

static void test_registering(void **state) {
  (void)state;
  char memory[256];
  CUdeviceptr p;
  OK(cuMemHostRegister(memory, sizeof memory, 0));
  FAILS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(memory + 100, 10, 0));
  OK(cuMemHostGetDevicePointer(&p, memory, 0));
  FAILS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(memory + 1));
  OK(cuMemHostUnregister(memory));
  FAILS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(memory));
}

static void test_copies(void **state) {
  (void)state;
  int in[16], out[16] = {0};
  for (int i = 0; i < 16; i++) in[i] = i * i;
  CUdeviceptr a, b;
  OK(cuMemAlloc(&a, sizeof in));
  OK(cuMemAlloc(&b, sizeof in));
  OK(cuMemcpyHtoD(a, in, sizeof in));
  OK(cuMemcpyDtoD(b, a, sizeof in));
  OK(cuMemcpyDtoHAsync(out, b, sizeof out, CU_STREAM_PER_THREAD));
  assert_memory_equal(in, out, sizeof in);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a, in, sizeof in + 1)); /* past the end */
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD((uintptr_t)out, in, 4)); /* the host's */
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(NULL, a, 4));
  OK(cuMemcpyHtoD(a, NULL, 0));
  OK(cuMemcpy((uintptr_t)out, a + 4, 8));
  assert_int_equal(out[1], 4);
  OK(cuMemFree(a));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(b, a, 4)); /* freed */
  OK(cuMemFree(b));
}

/* A 3 x 2 window out of 8 x 4 numbers and back. */
static void test_copies_of_rows(void **state) {
  (void)state;
  unsigned char in[32], out[6] = {0};
  for (int i = 0; i < 32; i++) in[i] = (unsigned char)i;
  CUdeviceptr d;
  size_t pitch;
  OK(cuMemAllocPitch(&d, &pitch, 8, 4, 4));
  assert_true(pitch >= 8);
  CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 8};
  up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  up.dstDevice = d;
  up.dstPitch = pitch;
  up.WidthInBytes = 8;
  up.Height = 4;
  OK(cuMemcpy2D(&up));
  CUDA_MEMCPY2D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = d, .srcPitch = pitch};
  down.srcXInBytes = 2;
  down.srcY = 1;
  down.dstMemoryType = CU_MEMORYTYPE_HOST;
  down.dstHost = out;
  down.dstPitch = 3;
  down.WidthInBytes = 3;
  down.Height = 2;
  OK(cuMemcpy2DAsync(&down, NULL));
  static const unsigned char expected[] = {10, 11, 12, 18, 19, 20};
  assert_memory_equal(out, expected, sizeof expected);
  down.Height = 1000;
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&down));
  down.Height = 2;
  down.srcPitch = 1;
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&down));
  down.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  FAILS(CUDA_ERROR_NOT_SUPPORTED, cuMemcpy2D(&down));
  OK(cuMemFree(d));
}

static void test_filling(void **state) {
  (void)state;
  CUdeviceptr d;
  unsigned char *bytes;
  OK(cuMemAlloc(&d, 64));
  bytes = (unsigned char *)(uintptr_t)d;
  OK(cuMemsetD8(d, 7, 64));
  assert_int_equal(bytes[63], 7);
  OK(cuMemsetD16Async(d, 0x1234, 4, NULL));
  assert_int_equal(((uint16_t *)bytes)[3], 0x1234);
  assert_int_equal(bytes[8], 7);
  OK(cuMemsetD32(d, 0xabcdef01, 2));
  assert_int_equal(((uint32_t *)bytes)[1], 0xabcdef01);
  OK(cuMemsetD2D8(d, 16, 9, 2, 4));
  assert_int_equal(bytes[48], 9);
  assert_int_equal(bytes[50], 7);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(d + 2, 0, 1)); /* not aligned */
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(d, 0, 65));
  OK(cuMemFree(d));
}

static void test_pools(void **state) {
  (void)state;
  CUmemoryPool pool, fallback;
  CUdeviceptr p;
  cuuint64_t used;
  CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED};
  OK(cuMemPoolCreate(&pool, &props));
  OK(cuMemAllocFromPoolAsync(&p, 100, pool, NULL));
  OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  assert_int_equal(used, 100);
  OK(cuMemFreeAsync(p, NULL));
  OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  assert_int_equal(used, 0);
  OK(cuMemPoolDestroy(pool));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
  OK(cuDeviceGetDefaultMemPool(&fallback, 0));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(fallback));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(p, NULL));
}

static void test_no_memory_between_processes(void **state) {
  (void)state;
  CUipcMemHandle handle;
  CUdeviceptr p;
  OK(cuMemAlloc(&p, 4));
  FAILS(CUDA_ERROR_NOT_SUPPORTED, cuIpcGetMemHandle(&handle, p));
  OK(cuMemFree(p));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      TEST(test_allocations),    TEST(test_pointers_are_known), TEST(test_registering),
      TEST(test_copies),         TEST(test_copies_of_rows),     TEST(test_filling),
      TEST(test_pools),          TEST(test_no_memory_between_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
