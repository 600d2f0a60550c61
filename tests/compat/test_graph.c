/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The driver library's streams, events and graphs, made node by node and by capture.
 */
#include "driver_test.h"

/* ---- streams and events --------------------------------------------------------------------- */

static void test_streams(void **state) {
  (void)state;
  CUstream s;
  CUcontext ctx, of;
  unsigned flags;
  int priority;
  unsigned long long id, other;
  OK(cuCtxGetCurrent(&ctx));
  OK(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -100));
  OK(cuStreamGetFlags(s, &flags));
  assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
  OK(cuStreamGetPriority(s, &priority));
  assert_int_equal(priority, -5);
  OK(cuStreamGetCtx(s, &of));
  assert_ptr_equal(of, ctx);
  OK(cuStreamGetId(s, &id));
  OK(cuStreamGetId(NULL, &other));
  assert_true(id != other);
  OK(cuStreamGetId(CU_STREAM_LEGACY, &id));
  assert_true(id == other);
  OK(cuStreamQuery(s));
  OK(cuStreamDestroy(s));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&s, 99));
}

static void count_up(void *user) {
  ++*(int *)user;
}

static void count_down(CUstream stream, CUresult status, void *user) {
  (void)stream;
  if (status == CUDA_SUCCESS) --*(int *)user;
}

static void test_events_and_callbacks(void **state) {
  (void)state;
  CUstream s;
  CUevent a, b, untimed;
  float ms = -1;
  int count = 0;
  OK(cuStreamCreate(&s, 0));
  OK(cuEventCreate(&a, 0));
  OK(cuEventCreate(&b, 0));
  OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  OK(cuEventQuery(a)); /* never recorded: as if it had been reached */
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, b));
  OK(cuEventRecord(a, s));
  OK(cuLaunchHostFunc(s, count_up, &count));
  OK(cuStreamAddCallback(s, count_down, &count, 0));
  OK(cuLaunchHostFunc(s, count_up, &count));
  OK(cuEventRecord(b, s));
  OK(cuEventSynchronize(b));
  assert_int_equal(count, 1);
  OK(cuEventElapsedTime(&ms, a, b));
  assert_true(ms >= 0);
  OK(cuEventRecord(untimed, s));
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, untimed));
  OK(cuStreamWaitEvent(s, b, 0));
  OK(cuEventDestroy(a));
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(a, s));
  OK(cuEventDestroy(b));
  OK(cuEventDestroy(untimed));
  OK(cuStreamDestroy(s));
}

/* ---- graphs by nodes ------------------------------------------------------------------------ */

typedef struct trace {
  char text[16];
  int length;
} trace;
typedef struct step {
  trace *to;
  char letter;
} step;

static void leave_trace(void *user) {
  step *s = user;
  if (s->to->length < 15) s->to->text[s->to->length++] = s->letter;
}

static CUgraphNode add_step(CUgraph g, step *s, const CUgraphNode *after, size_t n) {
  CUgraphNode node;
  CUDA_HOST_NODE_PARAMS params = {leave_trace, s};
  OK(cuGraphAddHostNode(&node, g, after, n, &params));
  return node;
}

/* Nodes run in the order of their dependencies, even when those were added afterwards. */
static void test_order_of_nodes(void **state) {
  (void)state;
  trace t = {{0}, 0};
  step a = {&t, 'a'}, b = {&t, 'b'}, c = {&t, 'c'};
  CUgraph g;
  CUgraphExec exec;
  OK(cuGraphCreate(&g, 0));
  CUgraphNode nc = add_step(g, &c, NULL, 0);
  CUgraphNode na = add_step(g, &a, NULL, 0);
  CUgraphNode nb = add_step(g, &b, &na, 1);
  OK(cuGraphAddDependencies(g, &nb, &nc, NULL, 1));
  OK(cuGraphInstantiate(&exec, g, 0));
  OK(cuGraphLaunch(exec, NULL));
  assert_string_equal(t.text, "abc");
  size_t n = 0;
  CUgraphNode roots[4];
  OK(cuGraphGetNodes(g, NULL, &n));
  assert_int_equal(n, 3);
  n = 4;
  OK(cuGraphGetRootNodes(g, roots, &n));
  assert_int_equal(n, 1);
  assert_ptr_equal(roots[0], na);
  OK(cuGraphAddDependencies(g, &nc, &na, NULL, 1)); /* a circle */
  CUgraphExec none;
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&none, g, 0));
  OK(cuGraphDestroyNode(nb));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(nb));
  OK(cuGraphInstantiate(&none, g, 0));
  OK(cuGraphExecDestroy(none));
  OK(cuGraphDestroy(g));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(na));
  t = (trace){{0}, 0};
  OK(cuGraphLaunch(exec, NULL)); /* an instance outlives its graph */
  assert_string_equal(t.text, "abc");
  OK(cuGraphExecDestroy(exec));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, NULL));
}

/* Memory of its own, a fill, a copy, a kernel, events, and a graph inside. */
static void test_kinds_of_nodes(void **state) {
  (void)state;
  CUmodule m = load(ADD_TEXT);
  CUfunction f;
  CUdeviceptr out;
  OK(cuModuleGetFunction(&f, m, "add"));
  OK(cuMemAlloc(&out, 512));
  CUgraph g, child, clone;
  CUgraphNode alloc, fill, copy, kernel, start, stop, release, inner;
  CUDA_MEM_ALLOC_NODE_PARAMS memory = {.bytesize = 512};
  memory.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUevent begin_event, end_event;
  OK(cuEventCreate(&begin_event, 0));
  OK(cuEventCreate(&end_event, 0));
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &memory));
  float two = 2.0f;
  unsigned bits;
  memcpy(&bits, &two, sizeof bits);
  CUDA_MEMSET_NODE_PARAMS set = {memory.dptr, 512, bits, 4, 128, 1};
  OK(cuGraphAddMemsetNode(&fill, g, &alloc, 1, &set, NULL));
  OK(cuGraphAddEventRecordNode(&start, g, &fill, 1, begin_event));
  void *params[] = {&memory.dptr, &memory.dptr, &memory.dptr};
  CUDA_KERNEL_NODE_PARAMS launch = {f, 1, 1, 1, 1, 1, 1, 0, params, NULL, NULL, NULL};
  OK(cuGraphAddKernelNode(&kernel, g, &start, 1, &launch));
  memset(params, 0, sizeof params); /* the values were taken */
  OK(cuGraphAddEventRecordNode(&stop, g, &kernel, 1, end_event));
  CUDA_MEMCPY3D move = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = memory.dptr};
  move.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  move.dstDevice = out;
  move.WidthInBytes = 512;
  move.Height = move.Depth = 1;
  OK(cuGraphAddMemcpyNode(&copy, g, &stop, 1, &move, NULL));
  OK(cuGraphAddMemFreeNode(&release, g, &copy, 1, memory.dptr));
  OK(cuGraphCreate(&child, 0));
  int count = 0;
  CUDA_HOST_NODE_PARAMS host = {count_up, &count};
  OK(cuGraphAddHostNode(&inner, child, NULL, 0, &host));
  OK(cuGraphAddChildGraphNode(&inner, g, &release, 1, child));
  OK(cuGraphDestroy(child));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddChildGraphNode(&inner, g, NULL, 0, child));
  CUgraphNodeType type;
  OK(cuGraphNodeGetType(kernel, &type));
  assert_int_equal(type, CU_GRAPH_NODE_TYPE_KERNEL);

  CUgraphExec exec;
  OK(cuGraphClone(&clone, g));
  OK(cuGraphInstantiate(&exec, clone, 0));
  OK(cuGraphDestroy(clone));
  OK(cuGraphDestroy(g));
  for (int round = 1; round <= 2; round++) {
    OK(cuGraphLaunch(exec, NULL));
    for (int i = 0; i < 128; i++) assert_true(((float *)(uintptr_t)out)[i] == 4.0f);
    assert_int_equal(count, round);
  }
  float ms = -1;
  OK(cuEventElapsedTime(&ms, begin_event, end_event));
  assert_true(ms >= 0);
  OK(cuGraphExecDestroy(exec));
  FAILS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(NULL, NULL, memory.dptr));
  OK(cuEventDestroy(begin_event));
  OK(cuEventDestroy(end_event));
  OK(cuMemFree(out));
  OK(cuModuleUnload(m));
}

/* ---- graphs by capture ---------------------------------------------------------------------- */

static void test_capture(void **state) {
  (void)state;
  CUstream s, other;
  CUevent fork, join;
  CUgraph g;
  CUgraphExec exec;
  CUdeviceptr p;
  CUstreamCaptureStatus status;
  OK(cuStreamCreate(&s, 0));
  OK(cuStreamCreate(&other, 0));
  OK(cuEventCreate(&fork, 0));
  OK(cuEventCreate(&join, 0));
  OK(cuMemAlloc(&p, 8));
  OK(cuMemsetD8(p, 0, 8));
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemsetD32Async(p, 1, 1, s));
  OK(cuEventRecord(fork, s));
  OK(cuStreamWaitEvent(other, fork, 0)); /* joins */
  OK(cuStreamIsCapturing(other, &status));
  assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  OK(cuMemsetD32Async(p + 4, 2, 1, other));
  OK(cuEventRecord(join, other));
  FAILS(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(join));
  OK(cuStreamWaitEvent(s, join, 0));
  OK(cuStreamEndCapture(s, &g));
  OK(cuStreamIsCapturing(other, &status));
  assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
  uint32_t now[2];
  OK(cuMemcpyDtoH(now, p, 8));
  assert_int_equal(now[0] + now[1], 0); /* nothing was executed */
  size_t n = 0;
  OK(cuGraphGetNodes(g, NULL, &n));
  assert_int_equal(n, 2);
  OK(cuGraphInstantiate(&exec, g, 0));
  OK(cuGraphLaunch(exec, s));
  OK(cuMemcpyDtoH(now, p, 8));
  assert_int_equal(now[0], 1);
  assert_int_equal(now[1], 2);
  OK(cuEventRecord(join, s)); /* an ordinary event again */
  OK(cuEventQuery(join));
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(g));
  OK(cuEventDestroy(fork));
  OK(cuEventDestroy(join));
  OK(cuStreamDestroy(s));
  OK(cuStreamDestroy(other));
  OK(cuMemFree(p));
}

static void test_wrong_captures(void **state) {
  (void)state;
  CUstream s, other;
  CUevent e;
  CUgraph g;
  CUdeviceptr p;
  OK(cuStreamCreate(&s, 0));
  OK(cuStreamCreate(&other, 0));
  OK(cuEventCreate(&e, 0));
  OK(cuMemAlloc(&p, 8));
  FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(NULL, 0));
  FAILS(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(s, &g));
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  FAILS(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(s));
  FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD8Async(p, 1, 8, s));
  FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
  assert_null(g);
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuMemsetD8Async(p, 1, 8, s));
  OK(cuEventRecord(e, s));
  OK(cuStreamWaitEvent(other, e, 0));
  OK(cuMemsetD8Async(p, 2, 8, other));
  FAILS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &g));
  FAILS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(s, &g));
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuMemsetD8Async(p, 1, 8, s));
  OK(cuStreamDestroy(s)); /* in the middle of it: nothing leaks */
  OK(cuEventDestroy(e));
  OK(cuStreamDestroy(other));
  OK(cuMemFree(p));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      TEST(test_streams),       TEST(test_events_and_callbacks), TEST(test_order_of_nodes),
      TEST(test_kinds_of_nodes), TEST(test_capture),             TEST(test_wrong_captures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
