/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules, libraries (the same thing, with handles for all contexts), and their kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"
#include "compat/image.h"

/* Of every library's list of kernels, which one thread may close while another looks at it. */
static pthread_mutex_t kernels_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- making and destroying ------------------------------------------------------------------ */

void kernel_destroy(drv_kernel *k) {
  free(k->params);
  free(k->offsets);
  free(k->sizes);
  PUT(k->library);
}

/* With the last kernel that somebody still launches. */
void library_destroy(drv_library *l) {
  free(l->kernels);
  engine_unload(l);
}

static size_t parameter_size(const tsr_parameter *p) {
  if (p->is_pointer) return sizeof(CUdeviceptr);
  size_t bits = tsr_elem_bits(p->elem);
  return bits < 8 ? 1 : bits / 8;
}

/* Parameters lie one after the other in a packed buffer, each aligned to its size. */
static void kernel_layout(drv_kernel *k) {
  size_t offset = 0;
  for (size_t i = 0; i < k->n_params; i++) {
    size_t size = k->sizes[i] = parameter_size(&k->params[i]);
    offset = (offset + size - 1) & ~(size - 1);
    k->offsets[i] = offset;
    offset += size;
  }
}

static bool describe_tiles(drv_kernel *k) {
  int n = tsr_module_kernel_parameters(k->library->module, k->name, NULL, 0);
  k->n_params = n > 0 ? (size_t)n : 0;
  k->params = calloc(k->n_params + 1, sizeof *k->params);
  k->offsets = calloc(k->n_params + 1, sizeof *k->offsets);
  k->sizes = calloc(k->n_params + 1, sizeof *k->sizes);
  if (!k->params || !k->offsets || !k->sizes) return false;
  tsr_module_kernel_parameters(k->library->module, k->name, k->params, k->n_params);
  kernel_layout(k);
  return true;
}

static bool describe_ptx(drv_kernel *k) {
  const tsr_ptx *ptx = k->library->ptx;
  uint32_t offset, size;
  k->ptx.struct_size = sizeof k->ptx;
  tsr_ptx_kernel_describe(ptx, k->name, &k->ptx);
  k->n_params = k->ptx.param_count;
  k->offsets = calloc(k->n_params + 1, sizeof *k->offsets);
  k->sizes = calloc(k->n_params + 1, sizeof *k->sizes);
  if (!k->offsets || !k->sizes) return false;
  for (size_t i = 0; i < k->n_params; i++) {
    tsr_ptx_kernel_parameter(ptx, k->name, i, &offset, &size);
    k->offsets[i] = offset;
    k->sizes[i] = size;
  }
  return true;
}

static drv_kernel *kernel_new(drv_library *l, const char *name) {
  drv_kernel *k = object_new(OBJECT_KERNEL, sizeof *k, NULL);
  if (!k) return NULL;
  KEEP(l);
  k->library = l;
  k->name = name;
  if (l->ptx ? describe_ptx(k) : describe_tiles(k)) return k;
  object_close(&k->base);
  return NULL;
}

/* Kernels and their library hold each other, until the handles of all of them end here. */
void library_close(drv_library *l) {
  uint64_t handle = l->base.handle;
  if (!object_close(&l->base)) return; /* another call is about it */
  memory_forget_variables(handle);
  pthread_mutex_lock(&kernels_lock);
  size_t n = l->n_kernels;
  l->n_kernels = 0;
  pthread_mutex_unlock(&kernels_lock);
  for (size_t i = 0; i < n; i++) {
    object_close(&l->kernels[i]->base);
    PUT(l->kernels[i]);
  }
}

static CUresult library_kernels(drv_library *l) {
  size_t n = l->ptx ? tsr_ptx_kernel_count(l->ptx) : tsr_module_kernel_count(l->module);
  l->kernels = calloc(n + 1, sizeof(drv_kernel *));
  if (!l->kernels) return CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; i < n; i++) {
    drv_kernel *k = kernel_new(l, l->ptx ? tsr_ptx_kernel_name(l->ptx, i)
                                         : tsr_module_kernel_name(l->module, i));
    if (!k) return CUDA_ERROR_OUT_OF_MEMORY;
    KEEP(k);
    l->kernels[l->n_kernels++] = k;
  }
  return CUDA_SUCCESS;
}

static CUresult library_load(drv_context *owner, const void *image, size_t size, engine_log *log,
                             drv_library **out) {
  drv_library *l = object_new(OBJECT_LIBRARY, sizeof *l, owner);
  if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = engine_load(image, size, log, l);
  if (!r) r = library_kernels(l);
  KEEP(l);
  if (r)
    library_close(l);
  else
    *out = l;
  PUT(l);
  return r;
}

static CUresult library_load_file(drv_context *owner, const char *path, engine_log *log,
                                  drv_library **out) {
  void *data;
  size_t size;
  CUresult r = image_read_file(path, &data, &size) ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
  if (r) return r;
  r = library_load(owner, data, size, log, out);
  free(data);
  return r;
}

/* A library's handle is good in all contexts; a module ends with its own. */
static CUresult library_unload(const void *handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_library *l = GET(OBJECT_LIBRARY, handle);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  late_finish();
  library_close(l);
  PUT(l);
  return CUDA_SUCCESS;
}

/* ---- options -------------------------------------------------------------------------------- */

void read_log_options(unsigned count, const CUjit_option *options, void **values, engine_log *log) {
  *log = (engine_log){0};
  for (unsigned i = 0; options && values && i < count; i++) {
    size_t number = (size_t)(uintptr_t)values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log->error.text = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) log->error.size = number;
    if (options[i] == CU_JIT_INFO_LOG_BUFFER) log->info.text = values[i];
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) log->info.size = number;
  }
  if (log->error.text && log->error.size) log->error.text[0] = 0;
  if (log->info.text && log->info.size) log->info.text[0] = 0;
}

/* The API reports the length that was written in the option's value. */
void write_log_options(unsigned count, const CUjit_option *options, void **values,
                       const engine_log *log) {
  for (unsigned i = 0; options && values && i < count; i++)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      values[i] = (void *)(uintptr_t)log->error.used;
    else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
      values[i] = (void *)(uintptr_t)log->info.used;
}

/* ---- entries: modules ----------------------------------------------------------------------- */

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int count,
                            CUjit_option *options, void **values) {
  drv_context *ctx;
  engine_log log;
  CUresult r = enter(&ctx);
  if (r) return r;
  drv_library *l;
  read_log_options(count, options, values, &log);
  r = out && image ? library_load(ctx, image, 0, &log, &l) : CUDA_ERROR_INVALID_VALUE;
  write_log_options(count, options, values, &log);
  if (!r) *out = HANDLE(CUmodule, l);
  PUT(ctx);
  return r;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *out, const char *path) {
  drv_context *ctx;
  engine_log log = {0};
  CUresult r = enter(&ctx);
  if (r) return r;
  drv_library *l;
  r = out && path ? library_load_file(ctx, path, &log, &l) : CUDA_ERROR_INVALID_VALUE;
  if (!r) *out = HANDLE(CUmodule, l);
  PUT(ctx);
  return r;
}

CUresult cuModuleUnload(CUmodule module) {
  return library_unload(module);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  CUresult r = initialised();
  if (r) return r;
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

/* ---- entries: libraries --------------------------------------------------------------------- */

CUresult cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *jit, void **jit_values,
                           unsigned int n_jit, CUlibraryOption *options, void **values,
                           unsigned int count) {
  (void)options, (void)values, (void)count;
  engine_log log;
  drv_library *l;
  CUresult r = initialised();
  if (r) return r;
  if (!out || !code) return CUDA_ERROR_INVALID_VALUE;
  read_log_options(n_jit, jit, jit_values, &log);
  r = library_load(NULL, code, 0, &log, &l);
  write_log_options(n_jit, jit, jit_values, &log);
  if (!r) *out = HANDLE(CUlibrary, l);
  return r;
}

CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *jit,
                               void **jit_values, unsigned int n_jit, CUlibraryOption *options,
                               void **values, unsigned int count) {
  (void)options, (void)values, (void)count;
  engine_log log;
  drv_library *l;
  CUresult r = initialised();
  if (r) return r;
  if (!out || !path) return CUDA_ERROR_INVALID_VALUE;
  read_log_options(n_jit, jit, jit_values, &log);
  r = library_load_file(NULL, path, &log, &l);
  write_log_options(n_jit, jit, jit_values, &log);
  if (!r) *out = HANDLE(CUlibrary, l);
  return r;
}

CUresult cuLibraryUnload(CUlibrary library) {
  return library_unload(library);
}

CUresult cuLibraryGetModule(CUmodule *out, CUlibrary handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_library *l = GET(OBJECT_LIBRARY, handle);
  PUT(l);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = (CUmodule)handle;
  return CUDA_SUCCESS;
}

/* ---- entries: kernels ----------------------------------------------------------------------- */

/* Referenced; NULL when there is none of this name. */
static drv_kernel *library_kernel(const drv_library *l, const char *name) {
  drv_kernel *found = NULL;
  pthread_mutex_lock(&kernels_lock);
  for (size_t i = 0; !found && i < l->n_kernels; i++)
    if (strcmp(l->kernels[i]->name, name) == 0) found = l->kernels[i];
  if (found) KEEP(found);
  pthread_mutex_unlock(&kernels_lock);
  return found;
}

/* Compiled now, so that what cannot be compiled is told where the client expects it. */
static CUresult find_kernel(const void *handle, const char *name, uint64_t *out) {
  CUresult r = initialised();
  if (r) return r;
  if (!name || !out) return CUDA_ERROR_INVALID_VALUE;
  drv_library *l = GET(OBJECT_LIBRARY, handle);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  drv_kernel *k = library_kernel(l, name);
  r = k ? engine_compile(k) : CUDA_ERROR_NOT_FOUND;
  if (!r) *out = k->base.handle;
  PUT(k);
  PUT(l);
  return r;
}

static CUresult count_kernels(const void *handle, unsigned *count) {
  CUresult r = initialised();
  if (r) return r;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  drv_library *l = GET(OBJECT_LIBRARY, handle);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  *count = (unsigned)l->n_kernels;
  PUT(l);
  return CUDA_SUCCESS;
}

static CUresult list_kernels(const void *handle, uintptr_t *out, unsigned count) {
  CUresult r = initialised();
  if (r) return r;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  drv_library *l = GET(OBJECT_LIBRARY, handle);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&kernels_lock);
  for (unsigned i = 0; i < count && i < l->n_kernels; i++)
    out[i] = (uintptr_t)l->kernels[i]->base.handle;
  pthread_mutex_unlock(&kernels_lock);
  PUT(l);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return find_kernel(module, name, (uint64_t *)function);
}
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module) {
  return count_kernels(module, count);
}
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module) {
  return list_kernels(module, (uintptr_t *)functions, count);
}
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return find_kernel(library, name, (uint64_t *)kernel);
}
CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library) {
  return count_kernels(library, count);
}
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary library) {
  return list_kernels(library, (uintptr_t *)kernels, count);
}

/* Globals of Tile IR are private to their module; a module of PTX has variables. */
static CUresult find_global(const void *handle, const char *name, CUdeviceptr *dptr,
                            size_t *bytes) {
  CUresult r = initialised();
  uint64_t address, size;
  if (r) return r;
  drv_library *l = GET(OBJECT_LIBRARY, handle);
  if (!l) return CUDA_ERROR_INVALID_HANDLE;
  if (!name || (!dptr && !bytes)) r = CUDA_ERROR_INVALID_VALUE;
  if (!r && !(l->ptx && tsr_ptx_variable(l->ptx, name, &address, &size))) r = CUDA_ERROR_NOT_FOUND;
  if (!r) r = memory_add_variable((uintptr_t)address, (size_t)size, l->base.handle);
  if (!r && dptr) *dptr = address;
  if (!r && bytes) *bytes = (size_t)size;
  PUT(l);
  return r;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule module, const char *name) {
  return find_global(module, name, dptr, bytes);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
  return find_global(library, name, dptr, bytes);
}

CUresult cuKernelGetFunction(CUfunction *out, CUkernel handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, handle);
  PUT(k);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = (CUfunction)handle;
  return CUDA_SUCCESS;
}

static CUresult kernel_library(const void *handle, uint64_t *out) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  if (out) *out = k->library->base.handle;
  PUT(k);
  return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  return kernel_library(kernel, (uint64_t *)library);
}
CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return kernel_library(function, (uint64_t *)module);
}

/* The name stays as long as the library. */
static CUresult kernel_name(const void *handle, const char **name) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  if (name) *name = k->name;
  PUT(k);
  return name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return kernel_name(kernel, name);
}
CUresult cuFuncGetName(const char **name, CUfunction function) {
  return kernel_name(function, name);
}

static CUresult param_info(const void *handle, size_t index, size_t *offset, size_t *size) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  bool good = offset && index < k->n_params;
  if (good) *offset = k->offsets[index];
  if (good && size) *size = k->sizes[index];
  PUT(k);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size) {
  return param_info(kernel, index, offset, size);
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  return param_info(function, index, offset, size);
}

/* ---- entries: attributes -------------------------------------------------------------------- */

/* Of an entry of PTX, what its declaration says; registers are not known before ptxas. */
static bool ptx_attribute(const drv_kernel *k, CUfunction_attribute attrib, int *value) {
  const tsr_ptx_kernel_info *x = &k->ptx;
  const uint32_t *threads = x->required_threads[0] ? x->required_threads : x->max_threads;
  switch ((int)attrib) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = threads[0] ? (int)(threads[0] * threads[1] * threads[2]) : 1024;
    return true;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)x->static_shared; return true;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)x->local; return true;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)x->version; return true;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = x->max_registers ? (int)x->max_registers : 32;
    return true;
  default: return false;
  }
}

CUresult kernel_get_attribute(const drv_kernel *k, CUfunction_attribute attrib, int *value) {
  int major, minor;
  if (k->library->ptx && ptx_attribute(k, attrib, value)) return CUDA_SUCCESS;
  device_capability(&major, &minor);
  switch ((int)attrib) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = major * 10 + minor; break;
  default:
    if ((unsigned)attrib >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    *value = k->attributes[attrib];
  }
  return CUDA_SUCCESS;
}

static CUresult get_attribute(int *value, CUfunction_attribute attrib, const void *handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  r = value ? kernel_get_attribute(k, attrib, value) : CUDA_ERROR_INVALID_VALUE;
  PUT(k);
  return r;
}

/* Those that may be set are remembered; only that of dynamic shared memory matters, to PTX. */
static CUresult set_attribute(const void *handle, CUfunction_attribute attrib, int value) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  bool settable = (unsigned)attrib < CU_FUNC_ATTRIBUTE_MAX &&
                  attrib >= CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  int most = device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && (value < 0 || value > most))
    settable = false;
  if (settable) k->attributes[attrib] = value;
  PUT(k);
  return settable ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return device_exists(dev) ? get_attribute(pi, attrib, kernel) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int value, CUkernel kernel,
                              CUdevice dev) {
  return device_exists(dev) ? set_attribute(kernel, attrib, value) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction function) {
  return get_attribute(pi, attrib, function);
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attrib, int value) {
  return set_attribute(function, attrib, value);
}

static CUresult cache_config(const void *handle, CUfunc_cache config) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, handle);
  PUT(k);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  return (unsigned)config <= 3 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  return device_exists(dev) ? cache_config(kernel, config) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return cache_config(function, config);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  CUresult r = cache_config(function, 0);
  if (r) return r;
  if (!state) return CUDA_ERROR_INVALID_VALUE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}
CUresult cuFuncLoad(CUfunction function) {
  return cache_config(function, 0);
}
