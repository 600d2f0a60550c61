/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The runtime library of CUDA 12: what has other parameters there.
 */
#include "runtime_test.h"

static void test_launch(void **state) {
  (void)state;
  assert_true(__cudaInitModule(module));
  *shared_word = 1;
  RT(call(touch_stub, 1, 1, NULL));
  RT(cudaThreadSynchronize());
  assert_int_equal(*shared_word, 2);
}

static void test_device(void **state) {
  (void)state;
  cudaDeviceProp p;
  int version;
  assert_int_equal(sizeof p, 1032);
  RT(cudaGetDeviceProperties_v2(&p, 0));
  assert_int_equal(p.clockRate, 2000000);
  assert_int_equal(p.major, 9);
  assert_int_equal(p.clusterLaunch, 1);
  RT(cudaRuntimeGetVersion(&version));
  assert_int_equal(version / 1000, 12);
}

static void test_memory(void **state) {
  (void)state;
  void *p;
  RT(cudaMallocManaged(&p, 4096, 1));
  RT(cudaMemAdvise(p, 4096, 1, 0));
  RT(cudaMemAdvise_v2(p, 4096, 1, (cudaMemLocation){.type = 1}));
  RT(cudaMemPrefetchAsync(p, 4096, 0, NULL));
  RT(cudaMemPrefetchAsync_v2(p, 4096, (cudaMemLocation){.type = 1}, 0, NULL));
  RT(cudaFree(p));
}

static void test_graph(void **state) {
  (void)state;
  cudaGraph_t g;
  cudaGraphNode_t a, b, from, to;
  size_t count = 1;
  RT(cudaGraphCreate(&g, 0));
  RT(cudaGraphAddEmptyNode(&a, g, NULL, 0));
  RT(cudaGraphAddEmptyNode(&b, g, NULL, 0));
  RT(cudaGraphAddDependencies(g, &a, &b, 1));
  RT(cudaGraphGetEdges(g, &from, &to, &count));
  assert_int_equal(count, 1);
  assert_ptr_equal(from, a);
  RT(cudaGraphRemoveDependencies_v2(g, &a, &b, NULL, 1));
  RT(cudaGraphGetEdges_v2(g, NULL, NULL, NULL, &count));
  assert_int_equal(count, 0);
  RT(cudaGraphDestroy(g));
}

int main(void) {
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  register_program();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_launch),
      cmocka_unit_test(test_device),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_graph),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  __cudaUnregisterFatBinary(module);
  return failed;
}
