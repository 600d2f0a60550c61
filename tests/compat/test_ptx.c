/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The driver library: modules of PTX, which the emulator executes as a card of capability 9.0.
 */
#include <stdio.h>
#include <unistd.h>

#include "driver_test.h"
#include "scale.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

/* y[i] = a * x[i] for i < n, with what else an entry may have: a variable, a constant. */
#define SCALE                                                                                      \
  HEADER                                                                                           \
  SCALE_PTX

static CUmodule load_ptx(const char *text) {
  CUmodule m;
  OK(cuModuleLoadData(&m, text));
  return m;
}

static CUfunction function(CUmodule m, const char *name) {
  CUfunction f;
  OK(cuModuleGetFunction(&f, m, name));
  return f;
}

static CUmodule load_file(const char *name) {
  char path[4096];
  CUmodule m;
  snprintf(path, sizeof path, "%s/tests/ptx/cuda/%s", TESSERA_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  OK(cuModuleLoadData(&m, text));
  free(text);
  return m;
}

/* After a fault a context is lost; the next test gets a new one. */
static void lose_context(void) {
  CUcontext ctx;
  OK(cuDevicePrimaryCtxReset(0));
  OK(cuDevicePrimaryCtxRetain(&ctx, 0));
  OK(cuCtxSetCurrent(ctx));
}

enum { N = 1000, BYTES = N * sizeof(float) };

typedef struct vectors {
  CUdeviceptr x, y;
} vectors;

static vectors make_vectors(void) {
  float x[N];
  vectors v;
  for (int i = 0; i < N; i++) x[i] = (float)i;
  OK(cuMemAlloc(&v.x, BYTES));
  OK(cuMemAlloc(&v.y, BYTES));
  OK(cuMemcpyHtoD(v.x, x, BYTES));
  OK(cuMemsetD8(v.y, 0xff, BYTES));
  return v;
}

static void check_scaled(const vectors *v, float a) {
  float y[N];
  OK(cuMemcpyDtoH(y, v->y, BYTES));
  for (int i = 0; i < N; i++) assert_true(y[i] == a * (float)i + 0.5f);
}

static void free_vectors(const vectors *v) {
  OK(cuMemFree(v->x));
  OK(cuMemFree(v->y));
}

/* ---- modules -------------------------------------------------------------------------------- */

static void test_arguments(void **state) {
  (void)state;
  CUmodule m = load_ptx("// a comment\n/* and\n another */ " SCALE);
  CUfunction f = function(m, "scale");
  size_t offset, size;
  OK(cuFuncGetParamInfo(f, 3, &offset, &size));
  assert_int_equal(offset, 20);
  assert_int_equal(size, 4);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(f, 4, &offset, &size));
  vectors v = make_vectors();
  float a = 3;
  unsigned n = N;
  void *params[] = {&v.y, &v.x, &a, &n};
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  check_scaled(&v, 3);
  struct {
    CUdeviceptr y, x;
    float a;
    unsigned n;
  } packed = {v.y, v.x, 5, N};
  size_t bytes = sizeof packed;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(f, 4, 2, 1, 64, 2, 2, 0, NULL, NULL, extra));
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
  check_scaled(&v, 5);
  bytes--;
  FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
  free_vectors(&v);
  OK(cuModuleUnload(m));
}

static void test_variables(void **state) {
  (void)state;
  CUmodule m = load_ptx(SCALE);
  CUfunction f = function(m, "scale");
  CUdeviceptr calls, bias;
  size_t bytes;
  unsigned count;
  OK(cuModuleGetGlobal(&calls, &bytes, m, "calls"));
  assert_int_equal(bytes, 4);
  OK(cuModuleGetGlobal(&bias, NULL, m, "bias"));
  FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&bias, NULL, m, "scale"));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal(NULL, NULL, m, "calls"));
  vectors v = make_vectors();
  float a = 1;
  unsigned n = N;
  void *params[] = {&v.y, &v.x, &a, &n};
  OK(cuMemsetD32(calls, 7, 1));
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  OK(cuMemcpyDtoH(&count, calls, 4));
  assert_int_equal(count, 7 + 8 * 128);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(calls));
  OK(cuModuleUnload(m));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&count, calls, 4));
  free_vectors(&v);
}

static void test_wrong_text(void **state) {
  (void)state;
  CUmodule m;
  CUlibrary l;
  char error[512], info[64];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {error, (void *)sizeof error, info, (void *)sizeof info};
  static const char wrong[] = HEADER ".visible .entry k() {\n  add.u32 %r1, %r2;\n}\n";
  FAILS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, wrong, 4, options, values));
  assert_non_null(strstr(error, "<ptx>:5:"));
  assert_int_equal((uintptr_t)values[1], strlen(error));
  assert_int_equal((uintptr_t)values[3], strlen(info));
  values[1] = (void *)8; /* cut, and terminated */
  FAILS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, wrong, 2, options, values));
  assert_int_equal(strlen(error), 7);
  FAILS(CUDA_ERROR_INVALID_PTX,
        cuLibraryLoadData(&l, ".version 8.7\n.target sm_120a\n", NULL, NULL, 0, NULL, NULL, 0));
}

static void test_linker(void **state) {
  (void)state;
  CUlinkState linker;
  CUmodule m;
  char error[1024];
  void *cubin;
  size_t size;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {error, (void *)sizeof error};
  static char good[] = SCALE, wrong[] = HEADER "wrong\n";
  OK(cuLinkCreate(2, options, values, &linker));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuLinkComplete(linker, &cubin, &size));
  FAILS(CUDA_ERROR_INVALID_PTX,
        cuLinkAddData(linker, CU_JIT_INPUT_PTX, wrong, sizeof wrong, NULL, 0, NULL, NULL));
  assert_non_null(strstr(error, "<ptx>:4:"));
  FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU,
        cuLinkAddData(linker, CU_JIT_INPUT_CUBIN, good, sizeof good, NULL, 0, NULL, NULL));
  OK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, good, sizeof good, NULL, 0, NULL, NULL));
  OK(cuLinkComplete(linker, &cubin, &size));
  assert_int_equal(size, sizeof good);
  OK(cuModuleLoadData(&m, cubin));
  OK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, good, sizeof good, NULL, 0, NULL, NULL));
  FAILS(CUDA_ERROR_INVALID_PTX, cuLinkComplete(linker, &cubin, &size));
  assert_non_null(strstr(error, "is defined twice"));
  OK(cuLinkDestroy(linker));
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(linker));
  FAILS(CUDA_ERROR_FILE_NOT_FOUND,
        cuLinkAddFile(linker, CU_JIT_INPUT_PTX, "/nonexistent/k.ptx", 0, NULL, NULL));
  OK(cuModuleUnload(m));
}

/* The kernel in the first calls what the second defines, and the other way round; each has a
 * variable of its own with the same name, a function that both define, and a file with number 1. */
#define FIRST_PTX                                                                                  \
  HEADER                                                                                           \
  ".file 1 \"first.cu\"\n"                                                                          \
  ".extern .func (.param .b32 r) twice (.param .b32 x);\n"                                         \
  ".extern .global .align 4 .u32 shared_count;\n"                                                  \
  ".visible .const .align 4 .u32 factor = 3; /* of both: own */\n"                                 \
  ".global .align 4 .u32 own = 5;\n"                                                               \
  ".weak .func (.param .b32 r) both() {\n"                                                         \
  "  .reg .b32 %r<2>; mov.u32 %r1, 1000; st.param.b32 [r], %r1; ret;\n}\n"                         \
  ".visible .entry run(.param .u64 out) {\n"                                                       \
  "  .reg .b32 %r<8>; .reg .b64 %d<3>; .loc 1 7 0\n"                                               \
  "  { .param .b32 a; .param .b32 b; mov.u32 %r1, %tid.x; st.param.b32 [a], %r1;\n"                \
  "    call (b), twice, (a); ld.param.b32 %r2, [b]; }\n"                                           \
  "  { .param .b32 b; call (b), both; ld.param.b32 %r3, [b]; }\n"                                  \
  "  ld.global.u32 %r4, [own]; ld.global.u32 %r5, [shared_count];\n"                               \
  "  add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;\n"                       \
  "  ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1;\n"                  \
  "  st.global.u32 [%d0], %r2; ret;\n}\n"
#define SECOND_PTX                                                                                 \
  ".version 8.2\n.target sm_90\n.address_size 64\n"                                                \
  ".file 1 \"second.cu\"\n"                                                                         \
  ".extern .const .align 4 .u32 factor;\n"                                                         \
  ".global .align 4 .u32 own = 7;\n"                                                               \
  ".visible .global .align 4 .u32 shared_count = 20000;\n"                                         \
  ".visible .global .align 8 .u64 at = generic(shared_count);\n"                                   \
  ".weak .func (.param .b32 r) both() {\n"                                                         \
  "  .reg .b32 %r<2>; mov.u32 %r1, 1000; st.param.b32 [r], %r1; ret;\n}\n"                         \
  ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"                                        \
  "  .reg .b32 %r<5>; ld.param.b32 %r1, [x]; ld.global.u32 %r2, [own]; ld.const.u32 %r3, [factor];" \
  "\n  mad.lo.u32 %r4, %r1, %r3, %r2; st.param.b32 [r], %r4; ret;\n}\n"                            \
  ".section .debug_str { $L__info_string0: .b8 0 }\n"

static void add_text(CUlinkState linker, const char *text) {
  OK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text, strlen(text) + 1, NULL, 0,
                   NULL, NULL));
}

static void test_linked_modules(void **state) {
  (void)state;
  enum { THREADS = 32 };
  for (int swapped = 0; swapped <= 1; swapped++) {
    CUlinkState linker;
    CUmodule m;
    CUdeviceptr out;
    void *image;
    int *values;
    OK(cuLinkCreate(0, NULL, NULL, &linker));
    add_text(linker, swapped ? SECOND_PTX : FIRST_PTX);
    FAILS(CUDA_ERROR_INVALID_PTX, cuLinkComplete(linker, &image, NULL));
    add_text(linker, swapped ? FIRST_PTX : SECOND_PTX);
    OK(cuLinkComplete(linker, &image, NULL));
    assert_non_null(strstr(image, swapped ? ".file 2 \"first.cu\"" : ".file 1 \"first.cu\""));
    assert_non_null(strstr(image, swapped ? ".loc 2 7 0" : ".loc 1 7 0"));
    assert_non_null(strstr(image, ".target sm_90"));
    OK(cuModuleLoadData(&m, image));
    OK(cuLinkDestroy(linker));
    OK(cuMemAlloc(&out, THREADS * sizeof *values));
    void *params[] = {&out};
    OK(cuLaunchKernel(function(m, "run"), 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    values = (int *)(uintptr_t)out;
    for (int i = 0; i < THREADS; i++)
      assert_int_equal(values[i], (3 * i + 7) + 1000 + 5 + 20000);
    OK(cuMemFree(out));
    OK(cuModuleUnload(m));
  }
}

static void test_attributes(void **state) {
  (void)state;
  CUmodule m = load_ptx(HEADER ".visible .entry k() .maxntid 64, 2, 1 .maxnreg 40 {\n"
                               "  .shared .align 4 .b8 s[100]; .local .align 8 .b8 l[24];\n"
                               "  .reg .b32 %r; mov.u32 %r, s; st.shared.u32 [%r], 0; ret;\n}\n");
  CUfunction f = function(m, "k");
  int value, grid, block;
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  assert_int_equal(value, 128);
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
  assert_int_equal(value, 100);
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f));
  assert_int_equal(value, 32);
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
  assert_int_equal(value, 40);
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
  assert_int_equal(value, 80);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
  assert_int_equal(block, 128);
  OK(cuLaunchKernel(f, 1, 1, 1, 64, 2, 1, 0, NULL, NULL, NULL));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 129, 1, 1, 0, NULL, NULL, NULL));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, NULL, NULL));
  OK(cuModuleUnload(m));
}

/* ---- launches ------------------------------------------------------------------------------- */

/* Prefix sums in dynamic shared memory. */
static void test_dynamic_shared(void **state) {
  (void)state;
  enum { COUNT = 256 };
  CUmodule m = load_file("kernels.ptx");
  CUfunction f = function(m, "scan");
  CUdeviceptr x, y;
  int in[COUNT], out[COUNT], sum = 0;
  for (int i = 0; i < COUNT; i++) in[i] = i % 7 - 2;
  OK(cuMemAlloc(&x, sizeof in));
  OK(cuMemAlloc(&y, sizeof in));
  OK(cuMemcpyHtoD(x, in, sizeof in));
  void *params[] = {&x, &y};
  OK(cuLaunchKernel(f, 1, 1, 1, COUNT / 2, 1, 1, sizeof in, NULL, params, NULL));
  OK(cuMemcpyDtoH(out, y, sizeof out));
  for (int i = 0; i < COUNT; i++) assert_int_equal(out[i], sum += in[i]);
  enum { MUCH = 100 << 10 };
  FAILS(CUDA_ERROR_INVALID_VALUE,
        cuLaunchKernel(f, 1, 1, 1, COUNT / 2, 1, 1, MUCH, NULL, params, NULL));
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, MUCH));
  OK(cuLaunchKernel(f, 1, 1, 1, COUNT / 2, 1, 1, MUCH, NULL, params, NULL));
  OK(cuMemFree(x));
  OK(cuMemFree(y));
  OK(cuModuleUnload(m));
}

static void test_cooperative(void **state) {
  (void)state;
  enum { BLOCKS = 40, THREADS = 32, COUNT = BLOCKS * THREADS };
  CUmodule m = load_file("grid_barrier.ptx");
  CUfunction f = function(m, "grid_barrier");
  CUdeviceptr data, counter, out;
  int got[COUNT];
  OK(cuMemAlloc(&data, sizeof got));
  OK(cuMemAlloc(&out, sizeof got));
  OK(cuMemAlloc(&counter, 4));
  OK(cuMemsetD8(counter, 0, 4));
  void *params[] = {&data, &counter, &out};
  OK(cuLaunchCooperativeKernel(f, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params));
  OK(cuMemcpyDtoH(got, out, sizeof got));
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(got[i], (i / THREADS + 1) % BLOCKS * 1000 + i % THREADS);
  FAILS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, THREADS, 1, 1, 0, NULL, params));
  OK(cuMemFree(data));
  OK(cuMemFree(out));
  OK(cuMemFree(counter));
  OK(cuModuleUnload(m));
}

static CUresult encode(CUtensorMap *map, CUdeviceptr address, cuuint64_t n, unsigned box) {
  enum { FLOAT32 = 7 };
  cuuint64_t dims[] = {n, n}, strides[] = {n * sizeof(float)};
  cuuint32_t sides[] = {box, box}, steps[] = {1, 1};
  return cuTensorMapEncodeTiled(map, FLOAT32, 2, (void *)(uintptr_t)address, dims, strides, sides,
                                steps, 0, 0, 0, 0);
}

/* Tiles doubled by bulk copies, in a tensor map's bounds. */
static void test_tensor_maps(void **state) {
  (void)state;
  enum { SIDE = 80, COUNT = SIDE * SIDE };
  CUmodule m = load_file("tma_store.ptx");
  CUfunction f = function(m, "tma_store");
  CUdeviceptr x, y;
  CUtensorMap in, out;
  static float from[COUNT], to[COUNT];
  for (int i = 0; i < COUNT; i++) from[i] = (float)i;
  OK(cuMemAlloc(&x, sizeof from));
  OK(cuMemAlloc(&y, sizeof from));
  OK(cuMemcpyHtoD(x, from, sizeof from));
  OK(encode(&in, x, SIDE, 32));
  OK(encode(&out, y, SIDE, 32));
  FAILS(CUDA_ERROR_INVALID_VALUE, encode(&out, y + 4, SIDE, 32));
  FAILS(CUDA_ERROR_INVALID_VALUE, encode(&out, y, SIDE, 300));
  OK(encode(&out, y, SIDE, 32));
  void *params[] = {&in, &out};
  OK(cuLaunchKernel(f, 3, 3, 1, 128, 1, 1, 0, NULL, params, NULL));
  OK(cuMemcpyDtoH(to, y, sizeof to));
  for (int i = 0; i < COUNT; i++) assert_true(to[i] == 2 * from[i]);
  OK(cuMemFree(x));
  OK(cuMemFree(y));
  OK(cuModuleUnload(m));
}

static void test_graphs(void **state) {
  (void)state;
  CUmodule m = load_ptx(SCALE);
  CUfunction f = function(m, "scale");
  CUstream s;
  CUgraph graph;
  CUgraphExec exec;
  vectors v = make_vectors();
  float a = 2;
  unsigned n = N;
  void *params[] = {&v.y, &v.x, &a, &n};
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, s, params, NULL));
  OK(cuStreamEndCapture(s, &graph));
  a = 9; /* what was captured stays */
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuMemsetD8(v.y, 0, BYTES));
  OK(cuGraphLaunch(exec, s));
  OK(cuStreamSynchronize(s));
  check_scaled(&v, 2);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuStreamDestroy(s));
  free_vectors(&v);
  OK(cuModuleUnload(m));
}

static void test_printf(void **state) {
  (void)state;
  CUmodule m =
      load_ptx(HEADER ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                      ".global .align 1 .b8 text[10] = {116, 61, 37, 100, 32, 111, 107, 33, 10};\n"
                      ".visible .entry k() {\n"
                      "  .local .align 8 .b8 l[8]; .reg .b64 %d<4>; .reg .b32 %r<3>;\n"
                      "  mov.u32 %r0, 42; st.local.u32 [l], %r0; mov.u64 %d0, l;\n"
                      "  cvta.local.u64 %d0, %d0; mov.u64 %d1, text; cvta.global.u64 %d1, %d1;\n"
                      "  { .param .b64 p0; .param .b64 p1; .param .b32 q;\n"
                      "    st.param.b64 [p0], %d1; st.param.b64 [p1], %d0;\n"
                      "    call (q), vprintf, (p0, p1); }\n"
                      "  ret;\n}\n");
  char text[64] = "", path[] = "/tmp/tessera-test-XXXXXX";
  fflush(stdout);
  int file = mkstemp(path), old = dup(STDOUT_FILENO);
  assert_true(file >= 0 && old >= 0 && dup2(file, STDOUT_FILENO) >= 0);
  CUresult r = cuLaunchKernel(function(m, "k"), 1, 1, 1, 2, 1, 1, 0, NULL, NULL, NULL);
  CUresult waited = cuCtxSynchronize();
  fflush(stdout);
  dup2(old, STDOUT_FILENO);
  OK(r);
  OK(waited);
  assert_true(pread(file, text, sizeof text - 1, 0) > 0);
  assert_string_equal(text, "t=42 ok!\nt=42 ok!\n");
  close(old);
  close(file);
  unlink(path);
  OK(cuModuleUnload(m));
}

/* ---- faults --------------------------------------------------------------------------------- */

/* The launch succeeds, what comes after it fails until the context is lost. */
static void expect_fault(CUfunction f, vectors v, CUresult fault) {
  float a = 1;
  unsigned n = N, value;
  void *params[] = {&v.y, &v.x, &a, &n};
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  FAILS(fault, cuCtxSynchronize());
  FAILS(fault, cuMemcpyDtoH(&value, v.x, 4));
  lose_context();
}

static void test_bad_addresses(void **state) {
  (void)state;
  CUmodule m = load_ptx(SCALE);
  vectors v = make_vectors();
  expect_fault(function(m, "scale"), (vectors){v.x, v.y + 8}, CUDA_ERROR_ILLEGAL_ADDRESS);
  m = load_ptx(SCALE);
  v = make_vectors();
  expect_fault(function(m, "scale"), (vectors){v.x + 2, v.y}, CUDA_ERROR_MISALIGNED_ADDRESS);
  m = load_ptx(SCALE);
  v = make_vectors();
  CUdeviceptr freed = v.y;
  OK(cuMemFree(v.y));
  expect_fault(function(m, "scale"), (vectors){v.x, freed}, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void test_traps(void **state) {
  (void)state;
  CUmodule m = load_ptx(HEADER ".visible .entry k() { trap; }\n");
  OK(cuLaunchKernel(function(m, "k"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  FAILS(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
  lose_context();
}

/* Memory that comes and goes: an address that is used again is good again. */
static void test_memory_again(void **state) {
  (void)state;
  CUmodule m = load_ptx(SCALE);
  CUfunction f = function(m, "scale");
  for (int i = 0; i < 20; i++) {
    vectors v = make_vectors();
    float a = (float)i;
    unsigned n = N;
    void *params[] = {&v.y, &v.x, &a, &n};
    OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    check_scaled(&v, a);
    free_vectors(&v);
  }
  float *registered = aligned_alloc(4096, 8192);
  vectors v = make_vectors();
  float a = 4;
  unsigned n = N;
  void *params[] = {&registered, &v.x, &a, &n};
  OK(cuMemHostRegister(registered, 8192, 0));
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  assert_true(registered[10] == 40.5f);
  OK(cuMemHostUnregister(registered));
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  free(registered);
  lose_context();
}

/* With TESSERA_SANITIZE: a race between blocks. */
static void test_checks(void **state) {
  (void)state;
  enum { BLOCKS = 4, THREADS = 32 };
  for (int faulty = 0; faulty <= 1; faulty++) {
    CUmodule m = load_file(faulty ? "grid_barrier.fault.ptx" : "grid_barrier.ptx");
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 4096));
    OK(cuMemsetD8(memory, 0, 4096));
    CUdeviceptr counter = memory + 1024, out = memory + 2048;
    void *params[] = {&memory, &counter, &out};
    setenv("TESSERA_SANITIZE", "1", 1);
    CUresult r = cuLaunchCooperativeKernel(function(m, "grid_barrier"), BLOCKS, 1, 1, THREADS, 1, 1,
                                           0, NULL, params);
    unsetenv("TESSERA_SANITIZE");
    OK(r);
    FAILS(faulty ? CUDA_ERROR_ASSERT : CUDA_SUCCESS, cuCtxSynchronize());
  }
  lose_context();
}

int main(void) {
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  const struct CMUnitTest tests[] = {
      TEST(test_arguments),     TEST(test_variables),   TEST(test_wrong_text),
      TEST(test_attributes),    TEST(test_cooperative), TEST(test_dynamic_shared),
      TEST(test_tensor_maps),   TEST(test_graphs),      TEST(test_printf),
      TEST(test_bad_addresses), TEST(test_traps),       TEST(test_memory_again),
      TEST(test_checks),        TEST(test_linker), TEST(test_linked_modules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
