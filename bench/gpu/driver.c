/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/gpu_check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

bool gpu_ok(const gpu *g, cu_result r, const char *what) {
  char words[256];
  if (r == CU_OK) return true;
  printf("  %s: %s\n", what, card_words(g->d, g->library, r, words, sizeof words));
  return false;
}

/* The library is open already: its handle by one of its functions. */
static void *library_of(card_result (*function)(unsigned)) {
  Dl_info info;
  void *symbol;
  memcpy(&symbol, &function, sizeof symbol);
  return dladdr(symbol, &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static bool find(void *library, const char *name, void *out) {
  void *function = library ? dlsym(library, name) : NULL;
  memcpy(out, &function, sizeof function);
  return function != NULL;
}

/* ---- cuBLAS --------------------------------------------------------------------------------- */

/* Numbers and layouts of the cuBLAS and cuBLASLt API References. */
enum {
  R_32F = 0,
  R_16F = 2,
  R_16BF = 14,
  R_8F_E4M3 = 28,
  COMPUTE_32F = 68,
  COMPUTE_TF32 = 77,
  OP_N = 0,
  OP_T = 1,
  GEMM_DEFAULT = -1,
  DESC_TRANSPOSE_A = 3,
  PREFERENCE_WORKSPACE = 1,
  WORKSPACE = 64 << 20,
};

typedef struct lt_choice {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} lt_choice;

static struct {
  int (*create)(void **);
  int (*destroy)(void *);
  int (*set_stream)(void *, void *);
  int (*set_workspace)(void *, void *, size_t);
  int (*gemm)(void *, int, int, int, int, int, const void *, const void *, int, int, const void *,
              int, int, const void *, void *, int, int, int, int);
  int (*lt_create)(void **);
  int (*lt_destroy)(void *);
  int (*lt_desc)(void **, int, int);
  int (*lt_desc_set)(void *, int, const void *, size_t);
  int (*lt_layout)(void **, int, uint64_t, uint64_t, int64_t);
  int (*lt_preference)(void **);
  int (*lt_preference_set)(void *, int, const void *, size_t);
  int (*lt_heuristic)(void *, void *, void *, void *, void *, void *, void *, int, lt_choice *,
                      int *);
  int (*lt_matmul)(void *, void *, const void *, const void *, void *, const void *, void *,
                   const void *, const void *, void *, void *, void *, const uint64_t *, void *,
                   size_t, void *);
} blas;

static void *open_any(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  return library;
}

static void open_cublas(gpu *g) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                      "/usr/local/cuda/lib64/libcublas.so", NULL};
  static const char *const lt_names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
                                         "/usr/local/cuda/lib64/libcublasLt.so", NULL};
  void *library = open_any(names), *lt = open_any(lt_names), *handle = NULL;
  bool good = find(library, "cublasCreate_v2", &blas.create) &&
              find(library, "cublasDestroy_v2", &blas.destroy) &&
              find(library, "cublasSetStream_v2", &blas.set_stream) &&
              find(library, "cublasSetWorkspace_v2", &blas.set_workspace) &&
              find(library, "cublasGemmEx", &blas.gemm);
  if (good && blas.create(&handle) == 0 && blas.set_stream(handle, g->stream) == 0) {
    g->cublas = handle;
    if (g->d->alloc(&g->workspace, WORKSPACE) == CU_OK)
      blas.set_workspace(handle, (void *)(uintptr_t)g->workspace, WORKSPACE);
  }
  good = find(lt, "cublasLtCreate", &blas.lt_create) &&
         find(lt, "cublasLtDestroy", &blas.lt_destroy) &&
         find(lt, "cublasLtMatmulDescCreate", &blas.lt_desc) &&
         find(lt, "cublasLtMatmulDescSetAttribute", &blas.lt_desc_set) &&
         find(lt, "cublasLtMatrixLayoutCreate", &blas.lt_layout) &&
         find(lt, "cublasLtMatmulPreferenceCreate", &blas.lt_preference) &&
         find(lt, "cublasLtMatmulPreferenceSetAttribute", &blas.lt_preference_set) &&
         find(lt, "cublasLtMatmulAlgoGetHeuristic", &blas.lt_heuristic) &&
         find(lt, "cublasLtMatmul", &blas.lt_matmul);
  if (g->cublas && good && blas.lt_create(&handle) == 0) g->cublas_lt = handle;
}

/* fp8 is multiplied only with the first operand transposed: which numbers lie where does not matter
 * for the time. What has been set up is kept, since one shape is measured many times. */
static bool multiply_fp8(gpu *g, int m, int n, int k, cu_address a, cu_address b, cu_address c) {
  static struct {
    int m, n, k;
    void *desc, *a, *b, *c;
    lt_choice choice;
  } kept;
  const float one = 1, zero = 0;
  if (!g->cublas_lt) return false;
  if (kept.m != m || kept.n != n || kept.k != k) {
    int transposed = OP_T, found = 0;
    size_t room = WORKSPACE;
    void *preference;
    memset(&kept, 0, sizeof kept);
    if (blas.lt_desc(&kept.desc, COMPUTE_32F, R_32F) ||
        blas.lt_desc_set(kept.desc, DESC_TRANSPOSE_A, &transposed, sizeof transposed) ||
        blas.lt_layout(&kept.a, R_8F_E4M3, (uint64_t)k, (uint64_t)n, k) ||
        blas.lt_layout(&kept.b, R_8F_E4M3, (uint64_t)k, (uint64_t)m, k) ||
        blas.lt_layout(&kept.c, R_16BF, (uint64_t)n, (uint64_t)m, n) ||
        blas.lt_preference(&preference) ||
        blas.lt_preference_set(preference, PREFERENCE_WORKSPACE, &room, sizeof room) ||
        blas.lt_heuristic(g->cublas_lt, kept.desc, kept.a, kept.b, kept.c, kept.c, preference, 1,
                          &kept.choice, &found) ||
        !found)
      return false;
    kept.m = m;
    kept.n = n;
    kept.k = k;
  }
  return blas.lt_matmul(g->cublas_lt, kept.desc, &one, (void *)(uintptr_t)b, kept.a,
                        (void *)(uintptr_t)a, kept.b, &zero, (void *)(uintptr_t)c, kept.c,
                        (void *)(uintptr_t)c, kept.c, kept.choice.algorithm,
                        (void *)(uintptr_t)g->workspace, WORKSPACE, g->stream) == 0;
}

bool cublas_multiply(gpu *g, const char *type, int m, int n, int k, cu_address a, cu_address b,
                     cu_address c) {
  const float one = 1, zero = 0;
  if (strcmp(type, "fp8") == 0) return multiply_fp8(g, m, n, k, a, b, c);
  if (!g->cublas) return false;
  bool tf32 = strcmp(type, "tf32") == 0;
  int element = tf32 ? R_32F : strcmp(type, "f16") == 0 ? R_16F : R_16BF;
  /* Its matrices are column-major: C transposed is B transposed times A transposed. */
  return blas.gemm(g->cublas, OP_N, OP_N, n, m, k, &one, (void *)(uintptr_t)b, element, n,
                   (void *)(uintptr_t)a, element, k, &zero, (void *)(uintptr_t)c, R_32F, n,
                   tf32 ? COMPUTE_TF32 : COMPUTE_32F, GEMM_DEFAULT) == 0;
}

/* ---- the device ----------------------------------------------------------------------------- */

static bool find_own_entries(gpu *g) {
  void *library = library_of(g->d->init);
  bool good = g->hip ? find(library, "hipMemcpyDtoDAsync", &g->copy_on)
                     : find(library, "cuMemcpyDtoDAsync_v2", &g->copy_on) &&
                           find(library, "cuLaunchCooperativeKernel", &g->launch_cooperative) &&
                           find(library, "cuTensorMapEncodeTiled", &g->encode_tiled);
  if (!good)
    printf("the library lacks an entry: it must be of %s or newer\n",
           g->hip ? "ROCm 6.3" : "CUDA 12.0");
  return good;
}

static bool open_nvidia(gpu *g) {
  const cuda_driver *d = g->cuda;
  return gpu_ok(g, d->device_get(&g->device, 0), "the first device") &&
         gpu_ok(g, d->device_name(g->name, sizeof g->name, g->device), "its name") &&
         gpu_ok(g, d->device_attribute(&g->major, CU_ATTRIBUTE_MAJOR, g->device), "capability") &&
         gpu_ok(g, d->device_attribute(&g->minor, CU_ATTRIBUTE_MINOR, g->device), "capability") &&
         gpu_ok(g,
                d->device_attribute(&g->multiprocessors, CU_ATTRIBUTE_MULTIPROCESSORS, g->device),
                "multiprocessors") &&
         gpu_ok(g, d->primary_retain(&g->context, g->device), "its context") &&
         gpu_ok(g, d->context_push(g->context), "its context");
}

static bool open_amd(gpu *g) {
  hip_properties p = {0};
  if (!gpu_ok(g, g->hip->properties(&p, 0), "the first device") ||
      !gpu_ok(g, g->hip->device_set(0), "the first device"))
    return false;
  snprintf(g->name, sizeof g->name, "%.*s", (int)sizeof g->name - 1, p.name);
  snprintf(g->arch, sizeof g->arch, "%.*s", (int)strcspn(p.arch, ":"), p.arch);
  g->multiprocessors = p.multiprocessors;
  return true;
}

static bool open_library(gpu *g, bool amd) {
  const char *why;
  *g = (gpu){.library = amd ? "HIP" : "CUDA"};
  if (amd)
    g->hip = hip_library_get(&why);
  else
    g->cuda = cuda_driver_get(&why);
  if (!g->hip && !g->cuda) {
    printf("%s\n", why);
    return false;
  }
  g->d = amd ? &g->hip->calls : &g->cuda->calls;
  g->version = amd ? g->hip->version : g->cuda->version;
  return true;
}

bool gpu_open(gpu *g, bool amd, bool quick) {
  if (!open_library(g, amd) || !find_own_entries(g) || !(amd ? open_amd(g) : open_nvidia(g)))
    return false;
  const card_calls *d = g->d;
  if (!gpu_ok(g, d->stream_create(&g->stream, CARD_STREAM_NON_BLOCKING), "a stream") ||
      !gpu_ok(g, d->event_create(&g->begin, 0), "an event") ||
      !gpu_ok(g, d->event_create(&g->end, 0), "an event"))
    return false;
  /* Larger than the last cache, which is 256 MB on some of AMD's. */
  g->flush_bytes = quick ? 1 << 16 : (size_t)(amd ? 512 : 256) << 20;
  if (!gpu_ok(g, d->alloc(&g->flush, g->flush_bytes), "memory to flush the cache")) return false;
  if (!amd) open_cublas(g);
  return true;
}

void gpu_close(gpu *g) {
  if (!g->d) return;
  if (g->cublas) blas.destroy(g->cublas);
  if (g->cublas_lt) blas.lt_destroy(g->cublas_lt);
  if (g->workspace) g->d->free(g->workspace);
  if (g->flush) g->d->free(g->flush);
  if (g->begin) g->d->event_destroy(g->begin);
  if (g->end) g->d->event_destroy(g->end);
  if (g->stream) g->d->stream_destroy(g->stream);
  if (g->context) g->cuda->primary_release(g->device);
  g->d = NULL;
}
