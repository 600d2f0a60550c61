/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What nvcc's code registers before main: fat binaries, and the host addresses by which a program
 * names the kernels and variables in them. A fat binary is loaded when something in it is used
 * first, so that a program with kernels for another device runs as long as it does not need them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compat/runtime/runtime.h"

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_OF_LINKED = 2 };

/* What nvcc's code hands over. */
typedef struct wrapper {
  int magic, version;
  const void *data;
  const void *const *parts; /* version 2: the fat binaries that were linked, and NULL */
} wrapper;

typedef struct rt_module {
  const void *data;
  const void *const *parts; /* that relocatable code was linked from; NULL */
  CUlibrary library;
  bool tried;
  CUresult result; /* of loading it */
  struct rt_module *next;
} rt_module;

typedef struct rt_symbol {
  const void *host;
  const char *name; /* in the fat binary; static data of the program */
  rt_module *module;
  void **managed;    /* where the program keeps a managed variable's address */
  CUfunction kernel; /* NULL: not looked up yet */
  CUdeviceptr address;
  size_t size;
} rt_symbol;

/* By the host's address; open addressing. */
static struct {
  pthread_mutex_t lock;
  rt_symbol *slots;
  size_t used, size; /* a power of two */
  rt_module *modules;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the table ------------------------------------------------------------------------------ */

static size_t hash(const void *host) {
  return (size_t)(((uintptr_t)host >> 2) * 0x9e3779b97f4a7c15u >> 20);
}

/* The slot of an address, or the one that is free for it. Needs a free slot somewhere. */
static rt_symbol *slot_of(const void *host) {
  size_t i = hash(host) & (table.size - 1);
  while (table.slots[i].host && table.slots[i].host != host) i = (i + 1) & (table.size - 1);
  return &table.slots[i];
}

static bool grow(void) {
  size_t size = table.size ? 2 * table.size : 64;
  rt_symbol *old = table.slots, *slots = calloc(size, sizeof *slots);
  size_t n = table.size;
  if (!slots) return false;
  table.slots = slots;
  table.size = size;
  for (size_t i = 0; i < n; i++)
    if (old[i].host) *slot_of(old[i].host) = old[i];
  free(old);
  return true;
}

static void add_symbol(const rt_symbol *s) {
  pthread_mutex_lock(&table.lock);
  if (table.used * 2 < table.size || grow()) {
    rt_symbol *slot = slot_of(s->host);
    table.used += !slot->host;
    *slot = *s;
  }
  pthread_mutex_unlock(&table.lock);
}

/* Under the lock. */
static rt_symbol *find_symbol(const void *host) {
  if (!table.size || !host) return NULL;
  rt_symbol *s = slot_of(host);
  return s->host ? s : NULL;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Under the lock: a managed variable's address becomes known with its module. */
static void find_managed(const rt_module *m) {
  for (size_t i = 0; i < table.size; i++) {
    rt_symbol *s = &table.slots[i];
    CUdeviceptr address;
    size_t size;
    if (!s->host || s->module != m || !s->managed) continue;
    if (cuLibraryGetGlobal(&address, &size, m->library, s->name) == CUDA_SUCCESS)
      *s->managed = (void *)(uintptr_t)address;
  }
}

/* A fat binary says how many bytes follow its header. */
static size_t bytes_of(const void *fat_binary) {
  uint16_t header;
  uint64_t behind;
  memcpy(&header, (const char *)fat_binary + 6, sizeof header);
  memcpy(&behind, (const char *)fat_binary + 8, sizeof behind);
  return header + (size_t)behind;
}

/* The linker of nvcc has made machine code of relocatable code; the PTX of its parts is linked. */
static CUresult load_linked(rt_module *m) {
  CUlinkState linker;
  void *image;
  size_t size;
  CUresult r = cuLinkCreate(0, NULL, NULL, &linker);
  if (r) return r;
  for (const void *const *part = m->parts; !r && *part; part++)
    r = cuLinkAddData(linker, CU_JIT_INPUT_FATBINARY, (void *)(uintptr_t)*part, bytes_of(*part),
                      NULL, 0, NULL, NULL);
  if (!r) r = cuLinkComplete(linker, &image, &size);
  if (!r) r = cuLibraryLoadData(&m->library, image, NULL, NULL, 0, NULL, NULL, 0);
  cuLinkDestroy(linker);
  return r;
}

/* Under the lock. */
static CUresult load_module(rt_module *m) {
  if (!m->tried) {
    m->tried = true;
    m->result = m->parts ? load_linked(m)
                         : cuLibraryLoadData(&m->library, m->data, NULL, NULL, 0, NULL, NULL, 0);
    if (!m->result) find_managed(m);
  }
  return m->result;
}

static CUresult find_kernel(rt_symbol *s) {
  CUkernel kernel;
  if (s->kernel) return CUDA_SUCCESS;
  CUresult r = load_module(s->module);
  if (!r) r = cuLibraryGetKernel(&kernel, s->module->library, s->name);
  if (r == CUDA_ERROR_NOT_FOUND) return (CUresult)cudaErrorInvalidDeviceFunction;
  if (!r) s->kernel = (CUfunction)kernel;
  return r;
}

CUresult rt_kernel(const void *func, CUfunction *out) {
  if (!func) return (CUresult)cudaErrorInvalidDeviceFunction;
  pthread_mutex_lock(&table.lock);
  rt_symbol *s = find_symbol(func);
  CUresult r = s && s->name && !s->size ? find_kernel(s) : CUDA_SUCCESS;
  if (!r) *out = s && s->kernel ? s->kernel : (CUfunction)(uintptr_t)func;
  pthread_mutex_unlock(&table.lock);
  return r;
}

void *rt_host_function(CUfunction kernel) {
  void *host = kernel;
  pthread_mutex_lock(&table.lock);
  for (size_t i = 0; kernel && i < table.size; i++)
    if (table.slots[i].kernel == kernel) host = (void *)(uintptr_t)table.slots[i].host;
  pthread_mutex_unlock(&table.lock);
  return host;
}

static CUresult find_variable(rt_symbol *s) {
  size_t size;
  if (s->address) return CUDA_SUCCESS;
  CUresult r = load_module(s->module);
  if (!r) r = cuLibraryGetGlobal(&s->address, &size, s->module->library, s->name);
  return r == CUDA_ERROR_NOT_FOUND ? (CUresult)cudaErrorInvalidSymbol : r;
}

CUresult rt_variable(const void *symbol, CUdeviceptr *address, size_t *size) {
  pthread_mutex_lock(&table.lock);
  rt_symbol *s = find_symbol(symbol);
  CUresult r = s && s->size ? find_variable(s) : (CUresult)cudaErrorInvalidSymbol;
  if (!r && address) *address = s->address;
  if (!r && size) *size = s->size;
  pthread_mutex_unlock(&table.lock);
  return r;
}

/* ---- entries: registration ------------------------------------------------------------------ */

void **__cudaRegisterFatBinary(void *handed) {
  const wrapper *w = handed;
  rt_module *m = calloc(1, sizeof *m);
  if (!m || w->magic != WRAPPER_MAGIC) {
    free(m);
    rt_say("what the program registers is not a fat binary");
    return NULL;
  }
  m->data = w->data;
  m->parts = w->version == WRAPPER_OF_LINKED ? w->parts : NULL;
  pthread_mutex_lock(&table.lock);
  m->next = table.modules;
  table.modules = m;
  pthread_mutex_unlock(&table.lock);
  return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **module) {
  (void)module;
}

/* Under the lock: the table is made anew without what belongs to the module. */
static void forget_symbols(const rt_module *m) {
  rt_symbol *old = table.slots;
  size_t n = table.size;
  rt_symbol *slots = calloc(n ? n : 1, sizeof *slots);
  if (!slots) return;
  table.slots = slots;
  table.used = 0;
  for (size_t i = 0; i < n; i++) {
    if (!old[i].host || old[i].module == m) continue;
    *slot_of(old[i].host) = old[i];
    table.used++;
  }
  free(old);
}

/* Called when a program ends, or a shared library is closed that has kernels. */
void __cudaUnregisterFatBinary(void **handle) {
  rt_module *m = (rt_module *)handle;
  if (!m) return;
  pthread_mutex_lock(&table.lock);
  rt_module **at = &table.modules;
  while (*at && *at != m) at = &(*at)->next;
  bool known = *at != NULL;
  if (known) *at = m->next;
  if (known) forget_symbols(m);
  pthread_mutex_unlock(&table.lock);
  if (!known) return;
  if (m->library) cuLibraryUnload(m->library);
  free(m);
}

void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, dim3 *block, dim3 *grid, int *warp) {
  (void)name, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  if (module) add_symbol(&(rt_symbol){.host = host, .name = device, .module = (rt_module *)module});
}

void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global) {
  (void)device, (void)external, (void)constant, (void)global;
  if (module)
    add_symbol(
        &(rt_symbol){.host = host, .name = name, .module = (rt_module *)module, .size = size});
}

/* A program names it by the address of where it keeps the variable's address. */
void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name,
                              int external, size_t size, int constant, int global) {
  (void)device, (void)external, (void)constant, (void)global;
  if (module)
    add_symbol(&(rt_symbol){.host = (const void *)host,
                            .name = name,
                            .module = (rt_module *)module,
                            .managed = host,
                            .size = size});
}

void __cudaRegisterHostVar(void **module, const char *name, char *host, size_t size) {
  (void)module, (void)host, (void)size;
  rt_say("the variable '%s' is shared with the host by an extension that is not supported", name);
}

void __cudaRegisterTexture(void **module, const void *host, const void **device, const char *name,
                           int dim, int norm, int external) {
  (void)module, (void)host, (void)device, (void)dim, (void)norm, (void)external;
  rt_say("the program has the texture '%s': textures are not emulated", name);
}

void __cudaRegisterSurface(void **module, const void *host, const void **device, const char *name,
                           int dim, int external) {
  (void)module, (void)host, (void)device, (void)dim, (void)external;
  rt_say("the program has the surface '%s': surfaces are not emulated", name);
}

/* nvcc's code calls it before the host uses a managed variable. */
char __cudaInitModule(void **handle) {
  if (!handle || rt_begin()) return 0;
  pthread_mutex_lock(&table.lock);
  CUresult r = load_module((rt_module *)handle);
  pthread_mutex_unlock(&table.lock);
  rt_end(r);
  return r == CUDA_SUCCESS;
}

/* ---- entries: by host addresses ------------------------------------------------------------- */

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  if (!address) return rt_fail(cudaErrorInvalidValue);
  CALL(rt_variable(symbol, (CUdeviceptr *)address, NULL));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  if (!size) return rt_fail(cudaErrorInvalidValue);
  CALL(rt_variable(symbol, NULL, size));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *func) {
  if (!function) return rt_fail(cudaErrorInvalidValue);
  CALL(rt_kernel(func, function));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *func) {
  if (!kernel) return rt_fail(cudaErrorInvalidValue);
  CALL(rt_kernel(func, (CUfunction *)kernel));
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func) {
  return cudaGetKernel(kernel, func);
}
