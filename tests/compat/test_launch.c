/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The driver library: what can be loaded, launches and their arguments, asserts, printing,
 * concurrent threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/image.h"
#include "driver_test.h"

/* ---- loading -------------------------------------------------------------------------------- */

static void test_modules(void **state) {
  (void)state;
  CUmodule m = load(ADD_TEXT), back;
  CUfunction f, g;
  unsigned count;
  const char *name;
  size_t offset, size;
  OK(cuModuleGetFunctionCount(&count, m));
  assert_int_equal(count, 2);
  OK(cuModuleGetFunction(&f, m, "scalars"));
  FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&g, m, "nothing"));
  OK(cuFuncGetName(&name, f));
  assert_string_equal(name, "scalars");
  OK(cuFuncGetModule(&back, f));
  assert_ptr_equal(back, m);
  OK(cuFuncGetParamInfo(f, 5, &offset, &size)); /* ptr, i1, i8, i16, i32, i64 */
  assert_int_equal(offset, 16);
  assert_int_equal(size, 8);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(f, 6, &offset, &size));
  OK(cuModuleUnload(m));
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(m));
  FAILS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&name, f));
}

static void test_libraries(void **state) {
  (void)state;
  size_t length;
  void *bytes = assemble(ADD_TEXT, &length);
  CUlibrary l;
  CUkernel k;
  CUfunction f;
  OK(cuLibraryLoadData(&l, bytes, NULL, NULL, 0, NULL, NULL, 0));
  memset(bytes, 0, length); /* it was copied */
  free(bytes);
  OK(cuLibraryGetKernel(&k, l, "add"));
  OK(cuKernelGetFunction(&f, k));
  int value;
  OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000, k, 0));
  OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, 0));
  assert_int_equal(value, 1000);
  FAILS(CUDA_ERROR_INVALID_VALUE,
        cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1, k, 0));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, k, 0));
  OK(cuLibraryUnload(l));
}

static void test_what_cannot_be_loaded(void **state) {
  (void)state;
  static const char elf[16] = {0x7f, 'E', 'L', 'F', 2};
  CUmodule m;
  char log[256];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&m, elf));
  FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadDataEx(&m, "// some text\n", 2, options, values));
  assert_non_null(strstr(log, "neither PTX nor"));
  assert_int_equal((uintptr_t)values[1], strlen(log));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&m, NULL));
  FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/nonexistent/file"));
}

/* Every damaged byte of an image is noticed, and no size is believed that was not checked. */
static void test_damaged_images(void **state) {
  (void)state;
  size_t length, size;
  void *bytes = assemble(ADD_TEXT, &length);
  image_info info = {.target = "sm_100", .level = 3};
  char *image = image_write(&info, bytes, length, &size);
  assert_non_null(image);
  const void *inside;
  size_t inside_length;
  assert_null(image_open(image, size, &inside, &inside_length));
  assert_int_equal(inside_length, length);
  assert_memory_equal(inside, bytes, length);
  for (size_t i = 8; i < size; i++) {
    image[i] ^= 0x10;
    assert_non_null(image_open(image, size, &inside, &inside_length));
    image[i] ^= 0x10;
  }
  for (size_t n = 8; n < size; n += 7) assert_non_null(image_open(image, n, &inside, &inside_length));
  CUmodule m;
  OK(cuModuleLoadData(&m, image));
  OK(cuModuleUnload(m));
  image[size - 1] ^= 1;
  FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, image));
  free(image);
  free(bytes);
}

static void test_bytecode_says_its_size(void **state) {
  (void)state;
  size_t length, found;
  unsigned char *bytes = assemble(ADD_TEXT, &length);
  assert_null(image_bytecode_size(bytes, length, &found));
  assert_int_equal(found, length);
  for (size_t n = 12; n < length; n++) assert_non_null(image_bytecode_size(bytes, n, &found));
  bytes[8] = 14; /* from the future */
  CUmodule m;
  FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, bytes));
  free(bytes);
}

/* ---- programs at the end of what is mapped --------------------------------------------------- */

typedef struct edge {
  char *map;
  size_t page;
} edge;

/* Some pages, and after them one that may not be read or, with `hole`, isn't there. */
enum { EDGE_PAGES = 16 };
static edge make_edge(bool hole) {
  edge e = {.page = (size_t)sysconf(_SC_PAGESIZE)};
  e.map = mmap(NULL, (EDGE_PAGES + 1) * e.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
               -1, 0);
  assert_true(e.map != MAP_FAILED);
  char *last = e.map + EDGE_PAGES * e.page;
  assert_int_equal(hole ? munmap(last, e.page) : mprotect(last, e.page, PROT_NONE), 0);
  return e;
}

static void drop_edge(edge e) {
  munmap(e.map, (EDGE_PAGES + 1) * e.page);
}

/* The bytes, so that the page ends with them. */
static char *put_at_edge(edge e, const void *bytes, size_t n) {
  assert_true(n <= EDGE_PAGES * e.page);
  return memcpy(e.map + EDGE_PAGES * e.page - n, bytes, n);
}

/* Whole it is loaded, cut at any place refused; for text the zero byte counts. */
static void cut_everywhere(const void *bytes, size_t length, size_t step) {
  for (int hole = 0; hole < 2; hole++) {
    edge e = make_edge(hole);
    CUmodule m;
    size_t size;
    for (size_t n = 0; n < length; n += n + step < length ? step : 1) {
      char *at = put_at_edge(e, bytes, n);
      CUresult r = n ? cuModuleLoadData(&m, at) : CUDA_ERROR_INVALID_IMAGE;
      if (r != CUDA_ERROR_INVALID_IMAGE) fail_msg("%zu of %zu bytes: %d", n, length, (int)r);
      assert_true(image_measure(at, &size) != NULL);
    }
    char *at = put_at_edge(e, bytes, length);
    assert_null(image_measure(at, &size));
    OK(cuModuleLoadData(&m, at));
    OK(cuModuleUnload(m));
    drop_edge(e);
  }
}

static void test_programs_that_end_early(void **state) {
  (void)state;
  size_t length, size;
  void *bytes = assemble(ADD_TEXT, &length);
  image_info info = {.target = "sm_100", .level = 3};
  char *image = image_write(&info, bytes, length, &size);
  static const char ptx[] = "// a comment\n.version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry k() { ret; }\n";
  cut_everywhere(bytes, length, 1);
  cut_everywhere(image, size, 1);
  cut_everywhere(ptx, sizeof ptx, 1);
  free(image);
  free(bytes);
}

static void write_word(char *at, uint64_t value) {
  for (int i = 0; i < 8; i++) at[i] = (char)(value >> 8 * i);
}

static uint64_t fnv1a(const char *data, size_t n) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)data[i]) * 0x100000001b3u;
  return h;
}

/* Headers and sections with any size in them, whose checksum is right. */
static void test_sizes_that_are_not_there(void **state) {
  (void)state;
  size_t length, size, found;
  char *bytes = assemble(ADD_TEXT, &length);
  image_info info = {.target = "sm_100", .level = 3};
  char *image = image_write(&info, bytes, length, &size);
  edge e = make_edge(false);
  CUmodule m;
  for (unsigned shift = 0; shift < 64; shift++) {
    for (int off = -1; off <= 1; off++) {
      uint64_t claimed = (UINT64_C(1) << shift) + (uint64_t)(int64_t)off;
      if (claimed == length) continue;
      write_word(image + 32, claimed);
      write_word(image + 48, fnv1a(image, 48));
      FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, put_at_edge(e, image, size)));
    }
  }
  /* The first section's length, as 9 bytes of 7 bits each. */
  for (unsigned shift = 14; shift < 63; shift++) {
    char longer[64] = {0};
    memcpy(longer, bytes, 13);
    for (unsigned i = 0; i < 9; i++)
      longer[13 + i] = (char)((UINT64_C(1) << shift >> 7 * i & 0x7f) | (i < 8 ? 0x80 : 0));
    char *at = put_at_edge(e, longer, sizeof longer);
    assert_non_null(image_measure(at, &found));
    FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, at));
  }
  assert_non_null(image_measure((const void *)(uintptr_t)(UINTPTR_MAX - 3), &found));
  assert_non_null(image_measure((const void *)(uintptr_t)8, &found));
  drop_edge(e);
  free(image);
  free(bytes);
}

/* ---- launching ------------------------------------------------------------------------------ */

enum { N = 512 };

typedef struct vectors {
  CUdeviceptr a, b, c;
} vectors;

static vectors make_vectors(void) {
  vectors v;
  float *a, *b;
  OK(cuMemAlloc(&v.a, N * sizeof(float)));
  OK(cuMemAlloc(&v.b, N * sizeof(float)));
  OK(cuMemAlloc(&v.c, N * sizeof(float)));
  a = (float *)(uintptr_t)v.a;
  b = (float *)(uintptr_t)v.b;
  for (int i = 0; i < N; i++) {
    a[i] = (float)i;
    b[i] = 2.0f;
  }
  OK(cuMemsetD8(v.c, 0, N * sizeof(float)));
  return v;
}

static void check_vectors(vectors v) {
  const float *c = (const float *)(uintptr_t)v.c;
  for (int i = 0; i < N; i++) assert_true(c[i] == (float)i + 2.0f);
  OK(cuMemFree(v.a));
  OK(cuMemFree(v.b));
  OK(cuMemFree(v.c));
}

static void test_launches(void **state) {
  (void)state;
  CUmodule m = load(ADD_TEXT);
  CUfunction f;
  OK(cuModuleGetFunction(&f, m, "add"));
  vectors v = make_vectors();
  void *params[] = {&v.a, &v.b, &v.c};
  OK(cuLaunchKernel(f, N / 128, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  check_vectors(v);

  v = make_vectors();
  size_t size = sizeof v;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &v, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(f, N / 128, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  check_vectors(v);

  v = make_vectors();
  CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  cluster.value.clusterDim.x = 2;
  cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  CUlaunchConfig config = {N / 128, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, &cluster, 1};
  OK(cuLaunchKernelEx(&config, f, params, NULL));
  check_vectors(v);
  cluster.value.clusterDim.x = 3;
  FAILS(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&config, f, params, NULL));
  OK(cuModuleUnload(m));
}

static void test_scalars(void **state) {
  (void)state;
  CUmodule m = load(ADD_TEXT);
  CUfunction f;
  CUdeviceptr p;
  OK(cuModuleGetFunction(&f, m, "scalars"));
  OK(cuMemAlloc(&p, 8));
  int32_t flag = 1; /* a front end's bool is a word */
  int8_t small = -3;
  int16_t half = -1000;
  int32_t word = INT32_MIN;
  int64_t wide = (int64_t)1 << 40, out;
  void *params[] = {&p, &flag, &small, &half, &word, &wide};
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(cuMemcpyDtoH(&out, p, 8));
  assert_int_equal(out, 1 - 3 - 1000 + (int64_t)INT32_MIN + ((int64_t)1 << 40));
  OK(cuMemFree(p));
  OK(cuModuleUnload(m));
}

static void test_wrong_launches(void **state) {
  (void)state;
  CUmodule m = load(ADD_TEXT);
  CUfunction f;
  OK(cuModuleGetFunction(&f, m, "add"));
  vectors v = make_vectors();
  void *params[] = {&v.a, &v.b, &v.c}, *holes[] = {&v.a, NULL, &v.c};
  const CUresult wrong = CUDA_ERROR_INVALID_VALUE;
  FAILS(wrong, cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  FAILS(wrong, cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL));
  FAILS(wrong, cuLaunchKernel(f, 0x80000000u, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  FAILS(wrong, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
  FAILS(wrong, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  FAILS(wrong, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, holes, NULL));
  FAILS(CUDA_ERROR_INVALID_HANDLE,
        cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  FAILS(CUDA_ERROR_INVALID_HANDLE,
        cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)0x1234, params, NULL));
  CUdeviceptr odd = v.a + 1;
  params[0] = &odd;
  FAILS(wrong, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  assert_true(((float *)(uintptr_t)v.c)[5] == 0); /* nothing has run */
  OK(cuModuleUnload(m));
  OK(cuMemFree(v.a));
  OK(cuMemFree(v.b));
  OK(cuMemFree(v.c));
}

static void test_occupancy(void **state) {
  (void)state;
  CUmodule m = load(ADD_TEXT);
  CUfunction f;
  int blocks, grid, size;
  OK(cuModuleGetFunction(&f, m, "add"));
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 1, 0));
  assert_int_equal(blocks, 1);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &size, f, NULL, 0, 0));
  assert_int_equal(size, 1);
  FAILS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0));
  OK(cuModuleUnload(m));
}

/* ---- asserts and printing ------------------------------------------------------------------- */

#define LOUD_TEXT                                                                                  \
  "cuda_tile.module @m {\n"                                                                        \
  "  entry @loud(%good: tile<i1>) {\n"                                                             \
  "    %n = constant <i32: 42> : tile<i32>\n"                                                      \
  "    %t = print_tko \"n is %i\\n\", %n : tile<i32> -> token\n"                                   \
  "    assert %good, \"it is not good\" : tile<i1>\n"                                              \
  "  }\n"                                                                                          \
  "}\n"

/* Redirects a stream of the process to a file while something runs. */
static void with_stream(int fd, FILE *stream, void (*run)(void *), void *user, char *out,
                        size_t size) {
  FILE *file = tmpfile();
  fflush(stream);
  int saved = dup(fd);
  dup2(fileno(file), fd);
  run(user);
  fflush(stream);
  dup2(saved, fd);
  close(saved);
  rewind(file);
  out[fread(out, 1, size - 1, file)] = 0;
  fclose(file);
}

static CUresult launch_result, later_result;

static void run_loud(void *good) {
  CUmodule m = load(LOUD_TEXT);
  CUfunction f;
  void *params[] = {good};
  OK(cuModuleGetFunction(&f, m, "loud"));
  launch_result = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
  later_result = cuCtxSynchronize();
}

static void test_printing(void **state) {
  (void)state;
  char text[256];
  int good = 1;
  with_stream(STDOUT_FILENO, stdout, run_loud, &good, text, sizeof text);
  assert_string_equal(text, "n is 42\n");
  assert_int_equal(launch_result, CUDA_SUCCESS);
  assert_int_equal(later_result, CUDA_SUCCESS);
}

/* As on a GPU: the launch succeeds, the context is lost until it is reset. */
static void test_asserts(void **state) {
  (void)state;
  char text[1024];
  int bad = 0;
  CUdeviceptr p;
  CUcontext ctx;
  with_stream(STDOUT_FILENO, stdout, run_loud, &bad, text, sizeof text);
  assert_non_null(strstr(text, "it is not good"));
  assert_int_equal(launch_result, CUDA_SUCCESS);
  assert_int_equal(later_result, CUDA_ERROR_ASSERT);
  FAILS(CUDA_ERROR_ASSERT, cuMemAlloc(&p, 4));
  FAILS(CUDA_ERROR_ASSERT, cuStreamSynchronize(NULL));
  OK(cuDevicePrimaryCtxReset(0));
  OK(cuDevicePrimaryCtxRetain(&ctx, 0));
  OK(cuCtxSetCurrent(ctx));
  OK(cuMemAlloc(&p, 4));
  OK(cuMemFree(p));
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 20 };

typedef struct shared {
  CUcontext ctx;
  CUfunction f;
  bool own_stream;
} shared;

static void *launch_many(void *user) {
  const shared *s = user;
  CUstream stream = NULL;
  OK(cuCtxSetCurrent(s->ctx));
  if (s->own_stream) OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < ROUNDS; i++) {
    CUmodule m = i % 5 ? NULL : load(ADD_TEXT); /* meanwhile others launch */
    vectors v = make_vectors();
    void *params[] = {&v.a, &v.b, &v.c};
    OK(cuLaunchKernel(s->f, N / 128, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    OK(cuStreamSynchronize(stream));
    check_vectors(v);
    if (m) OK(cuModuleUnload(m));
  }
  if (stream) OK(cuStreamDestroy(stream));
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  CUmodule m = load(ADD_TEXT);
  shared s = {0};
  OK(cuCtxGetCurrent(&s.ctx));
  OK(cuModuleGetFunction(&s.f, m, "add"));
  for (int own = 0; own < 2; own++) {
    pthread_t threads[THREADS];
    s.own_stream = own;
    for (int i = 0; i < THREADS; i++)
      assert_int_equal(pthread_create(&threads[i], NULL, launch_many, &s), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  }
  OK(cuModuleUnload(m));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      TEST(test_modules),
      TEST(test_libraries),
      TEST(test_what_cannot_be_loaded),
      TEST(test_damaged_images),
      TEST(test_bytecode_says_its_size),
      TEST(test_programs_that_end_early),
      TEST(test_sizes_that_are_not_there),
      TEST(test_launches),
      TEST(test_scalars),
      TEST(test_wrong_launches),
      TEST(test_occupancy),
      TEST(test_printing),
      TEST(test_asserts),
      TEST(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
