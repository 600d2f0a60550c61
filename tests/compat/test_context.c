/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The driver library: starting, entries by name, the device, contexts, wrong handles.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_test.h"

static void test_results_have_names(void **state) {
  (void)state;
  const char *text;
  OK(cuGetErrorString(CUDA_ERROR_ASSERT, &text));
  assert_string_equal(text, "device-side assert triggered");
  OK(cuGetErrorName(CUDA_ERROR_INVALID_HANDLE, &text));
  assert_string_equal(text, "CUDA_ERROR_INVALID_HANDLE");
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGetErrorString((CUresult)12345, &text));
  assert_null(text);
}

static void test_entries_by_name(void **state) {
  (void)state;
  void *old, *new;
  CUdriverProcAddressQueryResult why;
  OK(cuGetProcAddress("cuCtxGetDevice", &old, 2000, 0, &why));
  OK(cuGetProcAddress("cuCtxGetDevice", &new, 13000, 0, &why));
  assert_int_equal(why, CU_GET_PROC_ADDRESS_SUCCESS);
  assert_ptr_not_equal(old, new);
  CUdevice dev = 7;
  OK(((CUresult(*)(CUdevice *, CUcontext))new)(&dev, NULL));
  assert_int_equal(dev, 0);
  FAILS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuLibraryLoadData", &old, 11000, 0, &why));
  assert_int_equal(why, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  FAILS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchThing", &old, 13000, 0, &why));
  assert_int_equal(why, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(NULL, &old, 13000, 0, NULL));
}

static void test_device(void **state) {
  (void)state;
  int n, major, minor;
  CUdevice dev;
  char name[64];
  size_t bytes;
  OK(cuDeviceGetCount(&n));
  assert_int_equal(n, 1);
  OK(cuDeviceGet(&dev, 0));
  FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&dev, 1));
  OK(cuDeviceGetName(name, sizeof name, 0));
  assert_memory_equal(name, "Tessera", 7);
  OK(cuDeviceTotalMem(&bytes, 0));
  assert_true(bytes > 1 << 20);
  OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  assert_int_equal(major * 10 + minor, 100);
  for (int a = 1; a <= CU_DEVICE_ATTRIBUTE_LAST; a++)
    OK(cuDeviceGetAttribute(&n, (CUdevice_attribute)a, 0));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&n, (CUdevice_attribute)0, 0));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&n, (CUdevice_attribute)9999, 0));
  FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&n, (CUdevice_attribute)1, 3));
}

static void test_capability_is_chosen(void **state) {
  (void)state;
  int major, minor;
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  OK(cuDeviceComputeCapability(&major, &minor, 0));
  assert_int_equal(major * 10 + minor, 90);
  setenv("TESSERA_CUDA_CAPABILITY", "nonsense", 1);
  OK(cuDeviceComputeCapability(&major, &minor, 0));
  assert_int_equal(major * 10 + minor, 100);
  unsetenv("TESSERA_CUDA_CAPABILITY");
}

static void test_stack_of_contexts(void **state) {
  (void)state;
  CUcontext primary, a, b, now;
  unsigned long long id_a, id_b;
  OK(cuCtxGetCurrent(&primary));
  OK(cuCtxCreate(&a, NULL, 0, 0));
  OK(cuCtxCreate(&b, NULL, 0, 0));
  OK(cuCtxGetId(a, &id_a));
  OK(cuCtxGetId(NULL, &id_b));
  assert_true(id_a != id_b);
  OK(cuCtxPopCurrent(&now));
  assert_ptr_equal(now, b);
  OK(cuCtxPushCurrent(b));
  OK(cuCtxDestroy(b)); /* the current one is popped */
  OK(cuCtxGetCurrent(&now));
  assert_ptr_equal(now, a);
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(b));
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(b));
  OK(cuCtxDestroy(a));
  OK(cuCtxGetCurrent(&now));
  assert_ptr_equal(now, primary);
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(primary));
}

static void test_destroying_takes_everything(void **state) {
  (void)state;
  CUcontext ctx;
  CUstream s;
  CUevent e;
  CUdeviceptr p;
  CUmodule m;
  OK(cuCtxCreate(&ctx, NULL, 0, 0));
  OK(cuStreamCreate(&s, 0));
  OK(cuEventCreate(&e, 0));
  OK(cuMemAlloc(&p, 100));
  m = load(ADD_TEXT);
  OK(cuCtxDestroy(ctx));
  unsigned count;
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(s));
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(e));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunctionCount(&count, m));
}

/* Any number may come as a handle. */
static void test_wrong_handles(void **state) {
  (void)state;
  static const uintptr_t wrong[] = {3, 16, 0xdeadbeef, 0x7fff00000000, UINTPTR_MAX};
  CUstream good;
  unsigned long long id;
  OK(cuStreamCreate(&good, 0));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    void *h = (void *)wrong[i];
    CUfunction f;
    int n;
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamGetId(h, &id));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(h, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, h, "x"));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(h));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(h));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(h, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, h));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(h, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(h));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(h));
  }
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord((CUevent)good, NULL)); /* of another kind */
  OK(cuStreamDestroy(good));
  CUstream next;
  OK(cuStreamCreate(&next, 0)); /* takes the same place in the table */
  assert_ptr_not_equal(next, good);
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(good));
  OK(cuStreamDestroy(next));
}

static void *without_context(void *user) {
  (void)user;
  CUdeviceptr p;
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  return NULL;
}

static void test_contexts_are_a_threads(void **state) {
  (void)state;
  pthread_t t;
  assert_int_equal(pthread_create(&t, NULL, without_context, NULL), 0);
  assert_int_equal(pthread_join(t, NULL), 0);
}

static void test_child_processes_are_told(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    CUdeviceptr p;
    _exit(cuMemAlloc(&p, 4) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void test_limits(void **state) {
  (void)state;
  size_t value;
  OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 12345));
  OK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
  assert_int_equal(value, 12345);
  FAILS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, (CUlimit)99));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      TEST(test_results_have_names),
      TEST(test_entries_by_name),
      TEST(test_device),
      TEST(test_capability_is_chosen),
      TEST(test_stack_of_contexts),
      TEST(test_destroying_takes_everything),
      TEST(test_wrong_handles),
      TEST(test_contexts_are_a_threads),
      TEST(test_child_processes_are_told),
      TEST(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
