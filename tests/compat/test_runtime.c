/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The runtime library: kernels and variables that a program names by host addresses, launches,
 * memory, streams, events, graphs, errors.
 */
#include "runtime_test.h"

enum { N = 1000, BYTES = N * sizeof(float) };

typedef struct vectors {
  float *x, *y;
} vectors;

static vectors make_vectors(void) {
  float x[N];
  vectors v;
  for (int i = 0; i < N; i++) x[i] = (float)i;
  RT(cudaMalloc((void **)&v.x, BYTES));
  RT(cudaMalloc((void **)&v.y, BYTES));
  RT(cudaMemcpy(v.x, x, BYTES, cudaMemcpyHostToDevice));
  RT(cudaMemset(v.y, 0xff, BYTES));
  return v;
}

static void check_scaled(const vectors *v, float a, float b) {
  float y[N];
  RT(cudaMemcpy(y, v->y, BYTES, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++) assert_true(y[i] == a * (float)i + b);
}

static void free_vectors(const vectors *v) {
  RT(cudaFree(v->x));
  RT(cudaFree(v->y));
}

/* ---- kernels and variables ------------------------------------------------------------------ */

static void test_launch(void **state) {
  (void)state;
  vectors v = make_vectors();
  unsigned n = N;
  float a = 3;
  RT(call(scale_stub, 8, 128, ARGS(&v.y, &v.x, &a, &n)));
  RT(cudaDeviceSynchronize());
  check_scaled(&v, 3, 0.5f);
  a = 4;
  RT(cudaLaunchKernel(scale_stub, (dim3){8, 1, 1}, (dim3){128, 1, 1}, ARGS(&v.y, &v.x, &a, &n), 0,
                      NULL));
  check_scaled(&v, 4, 0.5f);
  a = 5;
  cudaLaunchConfig_t c = {.gridDim = {8, 1, 1}, .blockDim = {128, 1, 1}};
  RT(cudaLaunchKernelExC(&c, scale_stub, ARGS(&v.y, &v.x, &a, &n)));
  check_scaled(&v, 5, 0.5f);
  a = 6;
  RT(cudaLaunchCooperativeKernel(scale_stub, (dim3){8, 1, 1}, (dim3){128, 1, 1},
                                 ARGS(&v.y, &v.x, &a, &n), 0, NULL));
  check_scaled(&v, 6, 0.5f);
  free_vectors(&v);
}

static void test_wrong_launches(void **state) {
  (void)state;
  static char nobody[16];
  RT_FAILS(cudaErrorInvalidConfiguration, call(touch_stub, 1, 1025, NULL));
  RT_FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
  RT_FAILS(cudaSuccess, cudaGetLastError());
  RT_FAILS(cudaErrorInvalidConfiguration, call(touch_stub, 0, 1, NULL));
  RT_FAILS(cudaErrorInvalidDeviceFunction, call(nobody, 1, 1, NULL));
  RT_FAILS(cudaErrorInvalidDeviceFunction, cudaPeekAtLastError());
  RT_FAILS(cudaErrorInvalidDeviceFunction, cudaGetLastError());
  dim3 g, b;
  size_t shared;
  cudaStream_t stream;
  RT_FAILS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&g, &b, &shared, &stream));
  cudaGetLastError();
}

static void test_attributes(void **state) {
  (void)state;
  cudaFuncAttributes a;
  const char *name;
  int blocks;
  size_t offset, size;
  RT(cudaFuncGetAttributes(&a, scale_stub));
  assert_int_equal(a.maxThreadsPerBlock, 1024);
  RT(cudaFuncSetAttribute(scale_stub, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
  RT(cudaFuncGetAttributes(&a, scale_stub));
  assert_int_equal(a.maxDynamicSharedSizeBytes, 65536);
  RT(cudaFuncGetName(&name, scale_stub));
  assert_string_equal(name, "scale");
  RT(cudaFuncGetParamInfo(scale_stub, 2, &offset, &size));
  assert_int_equal(offset, 16);
  RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_stub, 128, 0));
  assert_true(blocks > 0);
}

static void test_symbols(void **state) {
  (void)state;
  vectors v = make_vectors();
  unsigned n = N, count = 0;
  float a = 1, b = 2;
  size_t size;
  void *at;
  RT(cudaGetSymbolSize(&size, &calls));
  assert_int_equal(size, sizeof calls);
  RT(cudaGetSymbolAddress(&at, &calls));
  RT(cudaMemset(at, 0, sizeof calls));
  RT(cudaMemcpyToSymbol(&bias, &b, sizeof b, 0, cudaMemcpyHostToDevice));
  RT(call(scale_stub, 8, 128, ARGS(&v.y, &v.x, &a, &n)));
  check_scaled(&v, 1, 2);
  RT(cudaMemcpyFromSymbol(&count, &calls, sizeof count, 0, cudaMemcpyDeviceToHost));
  assert_int_equal(count, 8 * 128);
  RT_FAILS(cudaErrorInvalidValue,
           cudaMemcpyFromSymbol(&count, &calls, sizeof count, 1, cudaMemcpyDeviceToHost));
  RT_FAILS(cudaErrorInvalidSymbol,
           cudaMemcpyFromSymbol(&count, &count, sizeof count, 0, cudaMemcpyDeviceToHost));
  RT_FAILS(cudaErrorInvalidMemcpyDirection,
           cudaMemcpyFromSymbol(&count, &calls, sizeof count, 0, cudaMemcpyHostToDevice));
  b = 0.5f;
  RT(cudaMemcpyToSymbol(&bias, &b, sizeof b, 0, cudaMemcpyDefault));
  cudaGetLastError();
  free_vectors(&v);
}

static void test_managed_variable(void **state) {
  (void)state;
  assert_true(__cudaInitModule(module));
  assert_non_null(shared_word);
  *shared_word = 7;
  RT(call(touch_stub, 1, 1, NULL));
  RT(cudaDeviceSynchronize());
  assert_int_equal(*shared_word, 8);
}

/* A library of a program's that is closed takes its kernels with it. */
static void test_unregister(void **state) {
  (void)state;
  static char stub[16], unused[16];
  static fat_text other;
  fat_wrapper w = {0x466243b1, 1, other.data, NULL};
  make_fat(&other, 1, RUNTIME_PTX);
  void **m = __cudaRegisterFatBinary(&w);
  __cudaRegisterFunction(m, stub, "touch", "touch", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(m, unused, "wild", "wild", -1, NULL, NULL, NULL, NULL, NULL);
  RT(call(stub, 1, 1, NULL));
  __cudaUnregisterFatBinary(m);
  RT_FAILS(cudaErrorInvalidDeviceFunction, call(stub, 1, 1, NULL));
  RT_FAILS(cudaErrorInvalidDeviceFunction, call(unused, 1, 1, NULL));
  RT(call(touch_stub, 1, 1, NULL));
  cudaGetLastError();
}

static void test_machine_code(void **state) {
  (void)state;
  static char stub[16];
  static fat_text other;
  fat_wrapper w = {0x466243b1, 1, other.data, NULL};
  make_fat(&other, 2, "machine code");
  void **m = __cudaRegisterFatBinary(&w);
  __cudaRegisterFunction(m, stub, "f", "f", -1, NULL, NULL, NULL, NULL, NULL);
  RT_FAILS(cudaErrorNoKernelImageForDevice, call(stub, 1, 1, NULL));
  RT_FAILS(cudaErrorNoKernelImageForDevice, cudaGetLastError());
  __cudaUnregisterFatBinary(m);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void test_memory(void **state) {
  (void)state;
  void *p = &p;
  cudaPointerAttributes a;
  size_t pitch;
  RT(cudaMalloc(&p, 0));
  assert_null(p);
  RT(cudaFree(NULL));
  RT_FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, SIZE_MAX / 2));
  RT(cudaMallocManaged(&p, 64, 1));
  RT(cudaPointerGetAttributes(&a, p));
  assert_int_equal(a.type, cudaMemoryTypeManaged);
  RT(cudaFree(p));
  RT(cudaMallocHost(&p, 64));
  RT(cudaPointerGetAttributes(&a, p));
  assert_int_equal(a.type, cudaMemoryTypeHost);
  RT(cudaFreeHost(p));
  RT(cudaPointerGetAttributes(&a, state));
  assert_int_equal(a.type, cudaMemoryTypeUnregistered);
  RT(cudaMallocPitch(&p, &pitch, 100, 3));
  assert_true(pitch >= 100);
  RT(cudaFree(p));
  RT(cudaMallocAsync(&p, 64, NULL));
  RT(cudaFreeAsync(p, NULL));
  cudaGetLastError();
}

static void test_rows(void **state) {
  (void)state;
  unsigned char from[30], to[30];
  size_t pitch;
  void *p;
  for (int i = 0; i < 30; i++) from[i] = (unsigned char)i;
  memset(to, 0, sizeof to);
  RT(cudaMallocPitch(&p, &pitch, 10, 3));
  RT(cudaMemcpy2D(p, pitch, from, 10, 10, 3, cudaMemcpyHostToDevice));
  RT(cudaMemset2D((char *)p + 2, pitch, 99, 2, 3));
  RT(cudaMemcpy2D(to, 10, p, pitch, 10, 3, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 30; i++)
    assert_int_equal(to[i], i % 10 == 2 || i % 10 == 3 ? 99 : from[i]);
  RT_FAILS(cudaErrorInvalidPitchValue,
           cudaMemcpy2D(to, 9, p, pitch, 10, 3, cudaMemcpyDeviceToHost));
  RT_FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(to, p, 10, 7));
  RT(cudaFree(p));
  cudaGetLastError();
}

static void test_box(void **state) {
  (void)state;
  unsigned char from[24], to[24];
  cudaPitchedPtr box;
  for (int i = 0; i < 24; i++) from[i] = (unsigned char)i;
  cudaExtent e = {4, 3, 2};
  RT(cudaMalloc3D(&box, e));
  cudaMemcpy3DParms in = {
      .srcPtr = {from, 4, 4, 3}, .dstPtr = box, .extent = e, .kind = cudaMemcpyHostToDevice};
  RT(cudaMemcpy3D(&in));
  RT(cudaMemset3D(box, 77, (cudaExtent){1, 3, 2}));
  cudaMemcpy3DParms out = {
      .srcPtr = box, .dstPtr = {to, 4, 4, 3}, .extent = e, .kind = cudaMemcpyDeviceToHost};
  RT(cudaMemcpy3D(&out));
  for (int i = 0; i < 24; i++) assert_int_equal(to[i], i % 4 ? i : 77);
  out.srcArray = (cudaArray_t)state;
  RT_FAILS(cudaErrorNotSupported, cudaMemcpy3D(&out));
  RT(cudaFree(box.ptr));
  cudaGetLastError();
}

/* ---- streams, events, graphs ---------------------------------------------------------------- */

static void on_stream(cudaStream_t stream, cudaError_t status, void *user) {
  (void)stream;
  *(int *)user = (int)status + 1;
}

static void on_host(void *user) {
  ++*(int *)user;
}

static void test_streams(void **state) {
  (void)state;
  cudaStream_t s;
  cudaEvent_t begin_at, end_at;
  float ms = -1;
  int seen = 0;
  RT(cudaStreamCreateWithFlags(&s, 1));
  RT(cudaEventCreate(&begin_at));
  RT(cudaEventCreate(&end_at));
  RT(cudaEventRecord(begin_at, s));
  RT(cudaStreamAddCallback(s, on_stream, &seen, 0));
  RT(cudaLaunchHostFunc(s, on_host, &seen));
  RT(cudaEventRecord(end_at, s));
  RT(cudaStreamWaitEvent(NULL, end_at, 0));
  RT(cudaStreamSynchronize(s));
  RT(cudaStreamQuery(s));
  RT(cudaEventElapsedTime(&ms, begin_at, end_at));
  assert_true(ms >= 0);
  assert_int_equal(seen, 2);
  RT(cudaEventDestroy(begin_at));
  RT(cudaEventDestroy(end_at));
  RT(cudaStreamDestroy(s));
  RT_FAILS(cudaErrorInvalidResourceHandle, cudaStreamQuery(s));
  cudaGetLastError();
}

static cudaKernelNodeParams scale_node(void **args) {
  return (cudaKernelNodeParams){
      .func = scale_stub, .gridDim = {8, 1, 1}, .blockDim = {128, 1, 1}, .kernelParams = args};
}

static void test_graph_of_nodes(void **state) {
  (void)state;
  vectors v = make_vectors();
  unsigned n = N;
  float a = 2, y[N];
  int called = 0;
  cudaGraph_t g;
  cudaGraphNode_t fill, scale, copy, host;
  cudaGraphExec_t e;
  RT(cudaGraphCreate(&g, 0));
  cudaMemsetParams f = {.dst = v.y, .value = 0, .elementSize = 1, .width = BYTES, .height = 1};
  RT(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &f));
  void *args[] = {&v.y, &v.x, &a, &n};
  cudaKernelNodeParams k = scale_node(args);
  RT(cudaGraphAddKernelNode(&scale, g, &fill, 1, &k));
  RT(cudaGraphAddMemcpyNode1D(&copy, g, &scale, 1, y, v.y, BYTES, cudaMemcpyDeviceToHost));
  RT(cudaGraphAddHostNode(&host, g, &copy, 1, &(cudaHostNodeParams){on_host, &called}));
  RT(cudaGraphKernelNodeGetParams(scale, &k));
  assert_ptr_equal(k.func, scale_stub);
  RT(cudaGraphInstantiate(&e, g, 0));
  RT(cudaGraphLaunch(e, NULL));
  assert_true(y[10] == 20.5f);
  a = 3;
  k = scale_node(args);
  RT(cudaGraphExecKernelNodeSetParams(e, scale, &k));
  RT(cudaGraphExecMemcpyNodeSetParams1D(e, copy, y, v.y, 44, cudaMemcpyDeviceToHost));
  RT(cudaGraphLaunch(e, NULL));
  assert_true(y[10] == 30.5f && y[11] == 22.5f);
  assert_int_equal(called, 2);
  RT_FAILS(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(e, scale, &f));
  RT(cudaGraphExecDestroy(e));
  RT(cudaGraphDestroy(g));
  free_vectors(&v);
  cudaGetLastError();
}

static cudaGraph_t capture(cudaStream_t s, vectors *v, float a, int times) {
  unsigned n = N;
  cudaGraph_t g;
  RT(cudaStreamBeginCapture(s, 0));
  for (int i = 0; i < times; i++)
    RT(cudaLaunchKernel(scale_stub, (dim3){8, 1, 1}, (dim3){128, 1, 1}, ARGS(&v->y, &v->x, &a, &n),
                        0, s));
  RT(cudaStreamEndCapture(s, &g));
  return g;
}

static void test_captured_graph(void **state) {
  (void)state;
  vectors v = make_vectors();
  cudaStream_t s;
  cudaGraphExec_t e;
  cudaGraphExecUpdateResultInfo info;
  RT(cudaStreamCreate(&s));
  cudaGraph_t one = capture(s, &v, 2, 1), other = capture(s, &v, 5, 1), two = capture(s, &v, 1, 2);
  RT(cudaGraphInstantiate(&e, one, 0));
  RT(cudaGraphLaunch(e, s));
  check_scaled(&v, 2, 0.5f);
  RT(cudaGraphExecUpdate(e, other, &info));
  assert_int_equal(info.result, 0);
  RT(cudaGraphLaunch(e, s));
  check_scaled(&v, 5, 0.5f);
  RT_FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(e, two, &info));
  assert_int_equal(info.result, 2);
  RT(cudaGraphLaunch(e, s));
  check_scaled(&v, 5, 0.5f);
  RT(cudaGraphExecDestroy(e));
  RT(cudaGraphDestroy(one));
  RT(cudaGraphDestroy(other));
  RT(cudaGraphDestroy(two));
  RT(cudaStreamDestroy(s));
  free_vectors(&v);
  cudaGetLastError();
}

/* Memory that a stream allocates while it captures is the graph's. */
static void test_captured_memory(void **state) {
  (void)state;
  vectors v = make_vectors();
  unsigned n = N;
  float a = 2, y[N], *inner;
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e;
  RT(cudaStreamCreate(&s));
  RT(cudaStreamBeginCapture(s, 0));
  RT(cudaMallocAsync((void **)&inner, BYTES, s));
  RT(cudaLaunchKernel(scale_stub, (dim3){8, 1, 1}, (dim3){128, 1, 1}, ARGS(&inner, &v.x, &a, &n), 0,
                      s));
  RT(cudaMemcpyAsync(y, inner, BYTES, cudaMemcpyDeviceToHost, s));
  RT(cudaFreeAsync(inner, s));
  RT(cudaStreamEndCapture(s, &g));
  RT(cudaGraphInstantiate(&e, g, 0));
  RT(cudaGraphDestroy(g));
  for (int i = 0; i < 2; i++) {
    y[10] = 0;
    RT(cudaGraphLaunch(e, s));
    RT(cudaStreamSynchronize(s));
    assert_true(y[10] == 20.5f);
  }
  RT(cudaGraphExecDestroy(e));
  RT_FAILS(cudaErrorInvalidValue, cudaMemset(inner, 0, 4));
  RT(cudaStreamDestroy(s));
  free_vectors(&v);
  cudaGetLastError();
}

/* ---- the device, errors --------------------------------------------------------------------- */

static void test_device(void **state) {
  (void)state;
  cudaDeviceProp p;
  int count, device = -1, value, status;
  void *entry;
  RT(cudaGetDeviceCount(&count));
  assert_int_equal(count, 1);
  RT(cudaSetDevice(0));
  RT(cudaGetDevice(&device));
  assert_int_equal(device, 0);
  RT_FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
  RT(cudaGetDeviceProperties(&p, 0));
  assert_int_equal(p.major, 9);
  assert_int_equal(p.warpSize, 32);
  assert_int_equal(p.maxThreadsDim[2], 64);
  assert_int_equal(p.pageableMemoryAccess, 0);
  RT(cudaDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  assert_int_equal(value, 32);
  RT_FAILS(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
  RT(cudaGetDriverEntryPoint("cuMemAlloc", &entry, 0, &status));
  assert_non_null(entry);
  RT(cudaGetDriverEntryPoint("cuNobodyHasThis", &entry, 0, &status));
  assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  RT(cudaRuntimeGetVersion(&value));
  assert_int_equal(value, 13000);
  cudaGetLastError();
}

static void test_texts(void **state) {
  (void)state;
  assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  assert_string_equal(cudaGetErrorString(cudaErrorInvalidConfiguration),
                      "invalid configuration argument");
  assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
  RT_FAILS(cudaErrorNotSupported, cudaMallocArray());
  RT_FAILS(cudaErrorNotSupported, cudaGetLastError());
}

/* A fault ends the context; the runtime gets another one when it is reset. */
static void test_fault(void **state) {
  (void)state;
  RT(call(wild_stub, 1, 1, NULL));
  RT_FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  RT_FAILS(cudaErrorIllegalAddress, call(touch_stub, 1, 1, NULL));
  RT(cudaDeviceReset());
  RT(call(touch_stub, 1, 1, NULL));
  RT(cudaDeviceSynchronize());
  RT(cudaGetLastError());
}

int main(void) {
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  register_program();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_device),         cmocka_unit_test(test_launch),
      cmocka_unit_test(test_wrong_launches), cmocka_unit_test(test_attributes),
      cmocka_unit_test(test_symbols),        cmocka_unit_test(test_managed_variable),
      cmocka_unit_test(test_unregister),     cmocka_unit_test(test_machine_code),
      cmocka_unit_test(test_memory),         cmocka_unit_test(test_rows),
      cmocka_unit_test(test_box),            cmocka_unit_test(test_streams),
      cmocka_unit_test(test_graph_of_nodes), cmocka_unit_test(test_captured_graph),
      cmocka_unit_test(test_captured_memory),
      cmocka_unit_test(test_texts),          cmocka_unit_test(test_fault),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  __cudaUnregisterFatBinary(module);
  return failed;
}
