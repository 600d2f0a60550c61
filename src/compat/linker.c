/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The linker, as far as it is a compiler of PTX: one module, checked when it is added. What it
 * makes is that text, since PTX is what the emulator executes.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"
#include "compat/image.h"

void linker_destroy(drv_linker *l) {
  free(l->options);
  free(l->values);
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

/* Loaded to be checked, then kept as text. */
static CUresult add_ptx(drv_linker *l, const char *text, size_t size) {
  drv_library checked = {0};
  size_t length = strnlen(text, size);
  if (l->ptx) {
    engine_say("the linker takes one module of PTX");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  CUresult r = engine_load(text, length, &l->log, &checked);
  bool is_ptx = checked.ptx;
  engine_unload(&checked);
  if (r) return r;
  if (!is_ptx) return CUDA_ERROR_INVALID_IMAGE;
  l->ptx = malloc(length + 1);
  if (!l->ptx) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(l->ptx, text, length);
  l->ptx[length] = 0;
  l->size = length + 1;
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                          const char *name, unsigned int count, CUjit_option *options,
                          void **values) {
  (void)name, (void)count, (void)options, (void)values;
  CUresult r = initialised();
  if (r) return r;
  drv_linker *l = GET(OBJECT_LINKER, state);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  if (!data || !size) r = CUDA_ERROR_INVALID_VALUE;
  if (!r && type != CU_JIT_INPUT_PTX) r = CUDA_ERROR_NO_BINARY_FOR_GPU;
  pthread_mutex_lock(&l->lock);
  if (!r) r = add_ptx(l, data, size);
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

/* The result lives as long as the linker. */
CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
  CUresult r = initialised();
  if (r) return r;
  drv_linker *l = GET(OBJECT_LINKER, state);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&l->lock);
  if (!cubin || !l->ptx) r = CUDA_ERROR_INVALID_VALUE;
  if (!r) *cubin = l->ptx;
  if (!r && size) *size = l->size;
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
