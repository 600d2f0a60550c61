/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The linker, of PTX and of fat binaries that have it. What it makes is PTX, since that is what the
 * emulator executes. A module that declares nothing of another is checked when it is added.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"
#include "compat/fatbin.h"
#include "compat/image.h"
#include "compat/join.h"

void linker_destroy(drv_linker *l) {
  free(l->options);
  free(l->values);
  for (size_t i = 0; i < l->count; i++) free(l->texts[i]);
  free(l->texts);
  free(l->ptx);
  pthread_mutex_destroy(&l->lock);
}

static bool keep_options(drv_linker *l, unsigned count, const CUjit_option *options,
                         void **values) {
  l->options = calloc(count + 1, sizeof *l->options);
  l->values = calloc(count + 1, sizeof *l->values);
  if (!l->options || !l->values) return false;
  if (count) memcpy(l->options, options, count * sizeof *options);
  if (count) memcpy(l->values, values, count * sizeof *values);
  l->n_options = count;
  read_log_options(count, l->options, l->values, &l->log);
  return true;
}

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values,
                         CUlinkState *state) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  bool good = state && (!count || (options && values));
  drv_linker *l = good ? object_new(OBJECT_LINKER, sizeof *l, ctx) : NULL;
  if (l) pthread_mutex_init(&l->lock, NULL);
  if (l && keep_options(l, count, options, values))
    *state = HANDLE(CUlinkState, l);
  else if (l)
    object_close(&l->base);
  PUT(ctx);
  if (!good) return CUDA_ERROR_INVALID_VALUE;
  return l && l->values ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- what is added -------------------------------------------------------------------------- */

/* Loaded to be checked. */
static CUresult check_ptx(drv_linker *l, const char *text) {
  drv_library checked = {0};
  CUresult r = engine_load(text, strlen(text), &l->log, &checked);
  bool is_ptx = checked.ptx;
  engine_unload(&checked);
  return r || is_ptx ? r : CUDA_ERROR_INVALID_IMAGE;
}

/* Takes the text over. What it declares may be in another. */
static CUresult add_text(drv_linker *l, char *text) {
  if (!text) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = strstr(text, ".extern") ? CUDA_SUCCESS : check_ptx(l, text);
  char **more = r ? NULL : realloc(l->texts, (l->count + 1) * sizeof *more);
  if (!more) {
    free(text);
    return r ? r : CUDA_ERROR_OUT_OF_MEMORY;
  }
  l->texts = more;
  l->texts[l->count++] = text;
  free(l->ptx);
  l->ptx = NULL;
  return CUDA_SUCCESS;
}

/* NVIDIA's library for what kernels call of the runtime, which nvcc links in without being asked.
 * It is of no use here; a kernel that calls it is stopped there. */
#define DEVICE_RUNTIME "cuda_device_runtime"

static CUresult add_fat_binary(drv_linker *l, const void *data, size_t size) {
  char why[FATBIN_WHY] = "its end is missing";
  size_t length;
  int major, minor;
  device_capability(&major, &minor);
  char *text = NULL;
  if (size >= FATBIN_HEADER && fatbin_size(data) <= size)
    text = fatbin_ptx(data, size, (unsigned)(10 * major + minor), &length, why);
  if (text) return add_text(l, text);
  if (size >= FATBIN_HEADER && fatbin_has_name(data, size, DEVICE_RUNTIME)) return CUDA_SUCCESS;
  return engine_refuse(&l->log, CUDA_ERROR_NO_BINARY_FOR_GPU, "a module cannot be linked", why);
}

static CUresult add_data(drv_linker *l, CUjitInputType type, const void *data, size_t size) {
  switch (type) {
  case CU_JIT_INPUT_PTX: return add_text(l, strndup(data, size));
  case CU_JIT_INPUT_FATBINARY: return add_fat_binary(l, data, size);
  default:
    return engine_refuse(&l->log, CUDA_ERROR_NO_BINARY_FOR_GPU, "a module cannot be linked",
                         "the linker takes PTX, and fat binaries that have it, not machine code, "
                         "objects or libraries");
  }
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                          const char *name, unsigned int count, CUjit_option *options,
                          void **values) {
  (void)name, (void)count, (void)options, (void)values;
  CUresult r = initialised();
  if (r) return r;
  drv_linker *l = GET(OBJECT_LINKER, state);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&l->lock);
  r = data && size ? add_data(l, type, data, size) : CUDA_ERROR_INVALID_VALUE;
  write_log_options(l->n_options, l->options, l->values, &l->log);
  pthread_mutex_unlock(&l->lock);
  PUT(l);
  return r;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                          unsigned int count, CUjit_option *options, void **values) {
  void *data;
  size_t size;
  CUresult r = initialised();
  if (r) return r;
  if (!path) return CUDA_ERROR_INVALID_VALUE;
  if (!image_read_file(path, &data, &size)) return CUDA_ERROR_FILE_NOT_FOUND;
  r = cuLinkAddData_v2(state, type, data, size, path, count, options, values);
  free(data);
  return r;
}

/* ---- the result ----------------------------------------------------------------------------- */

/* Under the lock. One text stays as it is. */
static CUresult join_texts(drv_linker *l) {
  char why[JOIN_WHY];
  if (!l->count) return CUDA_ERROR_INVALID_VALUE;
  if (l->ptx) return CUDA_SUCCESS;
  l->ptx =
      l->count == 1 ? strdup(l->texts[0]) : join_ptx((const char *const *)l->texts, l->count, why);
  if (!l->ptx && l->count == 1) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!l->ptx)
    return engine_refuse(&l->log, CUDA_ERROR_INVALID_PTX, "the modules cannot be linked", why);
  return CUDA_SUCCESS;
}

/* The result lives as long as the linker. */
CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
  CUresult r = initialised();
  if (r) return r;
  drv_linker *l = GET(OBJECT_LINKER, state);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&l->lock);
  r = cubin ? join_texts(l) : CUDA_ERROR_INVALID_VALUE;
  if (!r) r = check_ptx(l, l->ptx);
  if (!r) *cubin = l->ptx;
  if (!r && size) *size = strlen(l->ptx) + 1;
  write_log_options(l->n_options, l->options, l->values, &l->log);
  pthread_mutex_unlock(&l->lock);
  PUT(l);
  return r;
}

CUresult cuLinkDestroy(CUlinkState state) {
  CUresult r = initialised();
  if (r) return r;
  drv_linker *l = GET(OBJECT_LINKER, state);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  bool known = object_close(&l->base);
  PUT(l);
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
