/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/ready.h"

#include "rt/cached.h"

tsr_device *ready_device(tsr_context *ctx, const tsr_device *like) {
  tsr_device_options options = {.struct_size = sizeof options,
                                .threads = 1,
                                .cache_dir = like->cache ? like->cache->folder : ""};
  tsr_device *dev = tsr_device_open(ctx, "cpu", &options);
  if (!dev) return NULL;
  const cpu_object_cache *own = dev->cpu.object_cache;
  dev->cpu = like->cpu;
  dev->cpu.object_cache = own;
  dev->cpu.compilers = 1;
  return dev;
}

bool ready_make(tsr_program *p, const char *kernel, arena *a, rt_ready *out) {
  tsr_kernel *k = tsr_kernel_get(p, kernel);
  if (!k) return false;
  out->sizes = k->cpu.sizes;
  if (!k->cpu.object.len) {
    cache_entry entry;
    str key = cached_key(a, k);
    if (!key.len || !cache_load(p->device->cache, a, key, &entry)) return false;
    out->object = entry.object;
    return true;
  }
  char *copy = arena_alloc(a, k->cpu.object.len, EXEC_CODE_ALIGN);
  memcpy(copy, k->cpu.object.data, k->cpu.object.len);
  out->object = (str){copy, k->cpu.object.len};
  return true;
}

void ready_use(tsr_program *p, const rt_ready *code) {
  p->ready = code;
}

bool ready_load(tsr_kernel *k) {
  const rt_ready *code = k->program->ready;
  k->program->ready = NULL;
  if (exec_code_load(code->object.data, code->object.len, CPU_SYMBOL, &k->code)) return false;
  k->cpu = (cpu_kernel){.run = (rt_block_fn)(uintptr_t)k->code.entry, .sizes = code->sizes};
  return true;
}
