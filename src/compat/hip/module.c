/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules and their kernels. A module is one code object: what clang-offload-bundler packs is
 * searched for the one of the device.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/hip/work.h"
#include "emu/amdgcn/occupancy.h"
#include "emu/device.h"

struct hip_function {
  hipModule_t module;
  const hsa_kernel *kernel;
};

struct hip_module {
  rt_hsa *hsa;
  char *bytes; /* a copy: the caller's may go */
  size_t size;
  struct hip_function *functions; /* one of each kernel */
};

/* ---- images -----------------------------------------------------------------------------------
 */

/* The end of an ELF file, of which the caller tells no length: of its sections and their table. */
static size_t elf_bytes(const uint8_t *p) {
  Elf64_Ehdr head;
  memcpy(&head, p, sizeof head);
  size_t end = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
  for (unsigned k = 0; k < head.e_shnum; k++) {
    Elf64_Shdr s;
    memcpy(&s, p + head.e_shoff + (size_t)k * head.e_shentsize, sizeof s);
    if (s.sh_type != SHT_NOBITS && s.sh_offset + s.sh_size > end) end = s.sh_offset + s.sh_size;
  }
  return end;
}

static uint64_t word_at(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
enum { MAGIC = sizeof magic - 1 };

/* "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-": whether it is for the processor. */
static bool is_for(const char *triple, size_t length, const char *processor) {
  size_t n = strlen(processor);
  for (size_t k = 0; k + n <= length; k++)
    if (memcmp(triple + k, processor, n) == 0) return k + n == length || triple[k + n] == ':';
  return false;
}

/* The bundle's part for the device; NULL: it has none. */
static const uint8_t *find_part(const uint8_t *p, size_t *size) {
  const char *processor = hip_device()->emu->info->name;
  const uint8_t *at = p + MAGIC + 8;
  for (uint64_t k = 0, n = word_at(p + MAGIC); k < n; k++) {
    uint64_t offset = word_at(at), bytes = word_at(at + 8), length = word_at(at + 16);
    if (is_for((const char *)at + 24, length, processor)) {
      *size = bytes;
      return p + offset;
    }
    at += 24 + length;
  }
  return NULL;
}

/* `size` 0: not known. */
static const uint8_t *find_object(const void *image, size_t *size) {
  const uint8_t *p = image;
  if (memcmp(p, magic, MAGIC) == 0) return find_part(p, size);
  if (!*size && memcmp(p, ELFMAG, SELFMAG) == 0) *size = elf_bytes(p);
  return *size ? p : NULL;
}

/* ---- modules ----------------------------------------------------------------------------------
 */

static void destroy(hipModule_t m) {
  if (!m) return;
  rt_hsa_destroy(m->hsa);
  free(m->functions);
  free(m->bytes);
  free(m);
}

static bool is_for_device(hipModule_t m) {
  const gpu_target *wants = rt_hsa_object(m->hsa)->gpu, *has = hip_device()->emu->info;
  if (wants == has) return true;
  hip_say("the code object is for %s, and the device is %s: set TESSERA_HIP_DEVICE to emu:%s",
          wants->name, has->name, wants->name);
  return false;
}

/* Under the lock. */
static hipError_t read_module(hipModule_t m) {
  m->hsa = rt_hsa_read(hip_context(), "<module>", (str){m->bytes, m->size});
  if (!m->hsa) return hipErrorInvalidImage;
  if (!is_for_device(m)) return hipErrorNoBinaryForGpu;
  if (!rt_hsa_load(m->hsa, hip_device())) return hipErrorInvalidImage;
  uint32_t n = rt_hsa_object(m->hsa)->n_kernels;
  m->functions = calloc(MAX(n, 1u), sizeof *m->functions);
  for (uint32_t k = 0; m->functions && k < n; k++)
    m->functions[k] = (struct hip_function){m, &rt_hsa_object(m->hsa)->kernels[k]};
  return m->functions ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t load(hipModule_t *out, const void *image, size_t size) {
  if (!hip_device()) return hipErrorInvalidDevice;
  const uint8_t *object = find_object(image, &size);
  if (!object) return hipErrorNoBinaryForGpu;
  hipModule_t m = calloc(1, sizeof *m);
  if (m) m->bytes = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!m || !m->bytes) {
    destroy(m);
    return hipErrorOutOfMemory;
  }
  memcpy(m->bytes, object, size);
  m->size = size;
  hip_lock();
  hipError_t r = read_module(m);
  if (r != hipSuccess) destroy(m);
  hip_unlock();
  if (r == hipSuccess) *out = m;
  return r;
}

hipError_t hipModuleLoadData(hipModule_t *out, const void *image) {
  return hip_result(out && image ? load(out, image, 0) : hipErrorInvalidValue);
}
hipError_t hipModuleLoadDataEx(hipModule_t *out, const void *image, unsigned n, int *options,
                               void **values) {
  (void)n, (void)options, (void)values;
  return hipModuleLoadData(out, image);
}

hipError_t hipModuleLoad(hipModule_t *out, const char *path) {
  FILE *file = out && path ? fopen(path, "rb") : NULL;
  if (!file) return hip_result(hipErrorFileNotFound);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  /* Behind the file are zeroes, for those who look at its first bytes. */
  void *bytes = size > 0 ? calloc(1, (size_t)size + 64) : NULL;
  bool read = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  hipError_t r = read ? load(out, bytes, (size_t)size) : hipErrorInvalidImage;
  free(bytes);
  return hip_result(r);
}

hipError_t hipModuleUnload(hipModule_t m) {
  hip_lock();
  hipError_t r = hip_finish_all();
  destroy(m);
  hip_unlock();
  return hip_result(r);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *out, size_t *bytes, hipModule_t m, const char *name) {
  uint64_t address, size;
  if (!m || !name) return hip_result(hipErrorInvalidValue);
  if (!rt_hsa_variable(m->hsa, name, &address, &size)) return hip_result(hipErrorNotFound);
  if (out) *out = (void *)(uintptr_t)address;
  if (bytes) *bytes = size;
  return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t *out, hipModule_t m, const char *name) {
  if (!out || !m || !name) return hip_result(hipErrorInvalidValue);
  const hsa_kernel *k = hsa_find_kernel(rt_hsa_object(m->hsa), name);
  if (!k) return hip_result(hipErrorNotFound);
  *out = &m->functions[k - rt_hsa_object(m->hsa)->kernels];
  return hipSuccess;
}

hipError_t hipFuncGetAttribute(int *value, int attribute, const void *function) {
  const struct hip_function *f = function;
  if (!value || !f) return hip_result(hipErrorInvalidValue);
  const hsa_kernel_metadata *m = f->kernel->about;
  switch (attribute) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)m->max_threads; break;
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)m->shared_bytes; break;
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)m->scratch_bytes; break;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)m->vector_registers; break;
  default: return hip_result(hipErrorInvalidValue);
  }
  return hipSuccess;
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t f,
                                                              int threads, size_t shared) {
  if (!blocks || !f || threads <= 0 || shared > UINT32_MAX) return hip_result(hipErrorInvalidValue);
  const gpu_target *gpu = hip_device()->emu->info;
  hsa_occupancy o = hsa_occupancy_of(gpu, f->kernel, (uint32_t)threads, (uint32_t)shared);
  uint32_t lanes = gpu_lanes(gpu), waves = ((uint32_t)threads + lanes - 1) / lanes;
  *blocks = (int)(o.waves / waves);
  return hipSuccess;
}

hipError_t hipFuncSetAttribute(const void *function, int attribute, int value) {
  (void)attribute, (void)value;
  return hip_result(function ? hipSuccess : hipErrorInvalidValue);
}

/* ---- launches ---------------------------------------------------------------------------------
 */

/* The arguments' bytes at `out`, of so many. */
static bool put_arguments(const hsa_kernel *k, void **params, uint8_t *out) {
  for (uint32_t n = 0; n < rt_hsa_argument_count(k); n++) {
    const hsa_argument *x = rt_hsa_argument_at(k, n);
    if (!params || !params[n] || x->offset + x->size > k->about->argument_bytes) return false;
    memcpy(out + x->offset, params[n], x->size);
  }
  return true;
}

/* Those that a program has packed itself. */
static bool put_packed(const hsa_kernel *k, void **extra, uint8_t *out) {
  const void *from = NULL;
  const size_t *size = NULL;
  for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER) from = extra[1];
    if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE) size = extra[1];
  }
  if (!from || !size) return false;
  memcpy(out, from, MIN(*size, (size_t)k->about->argument_bytes));
  return true;
}

static hipError_t error_of(tsr_status status, const tsr_ptx_fault *fault) {
  if (status == TSR_OK) return hipSuccess;
  if (status == TSR_ERROR_MEMORY) return hipErrorOutOfMemory;
  if (status == TSR_ERROR_USAGE) return hipErrorInvalidValue;
  return fault->kind == TSR_PTX_FAULT_ADDRESS ? hipErrorIllegalAddress : hipErrorLaunchFailure;
}

typedef struct launching {
  hipFunction_t function;
  uint32_t grid[3], block[3], shared;
  size_t size; /* of the arguments, which `bytes` begins with */
  uint8_t bytes[];
} launching;

static hipError_t launch_step(void *data) {
  const launching *l = data;
  const struct hip_function *f = l->function;
  tsr_ptx_fault fault = {0};
  tsr_ptx_launch how = {.struct_size = sizeof how,
                        .grid = {l->grid[0], l->grid[1], l->grid[2]},
                        .block = {l->block[0], l->block[1], l->block[2]},
                        .dynamic_shared = l->shared,
                        .params = l->bytes,
                        .param_bytes = l->size,
                        .check = hip_checks(),
                        .fault = &fault};
  hip_lock();
  hipError_t r = error_of(rt_hsa_run(f->module->hsa, f->kernel, &how, NULL, 0), &fault);
  size_t count = 0;
  char *found = how.check ? rt_hsa_take_findings(f->module->hsa, &count) : NULL;
  hip_unlock();
  if (found) fputs(found, stderr);
  free(found);
  return r == hipSuccess && count ? hipErrorLaunchFailure : r;
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z,
                                 unsigned shared, hipStream_t stream, void **params, void **extra) {
  if (!f || !grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z)
    return hip_result(hipErrorInvalidValue);
  size_t size = f->kernel->about->argument_bytes, all = sizeof(launching) + size + 8;
  launching *l = calloc(1, all);
  if (!l) return hip_result(hipErrorOutOfMemory);
  *l = (launching){.function = f,
                   .grid = {grid_x, grid_y, grid_z},
                   .block = {block_x, block_y, block_z},
                   .shared = shared,
                   .size = size};
  bool good =
      extra ? put_packed(f->kernel, extra, l->bytes) : put_arguments(f->kernel, params, l->bytes);
  hipError_t r = good ? hip_put(stream, launch_step, l, all) : hipErrorInvalidValue;
  free(l);
  return hip_result(r);
}
