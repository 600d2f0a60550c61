/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/ready.h"

#include <limits.h>

#include "emu/amdgcn/occupancy.h"
#include "rt/amd.h"
#include "rt/cached.h"
#include "rt/gpu_cached.h"
#include "rt/plugin.h"

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

/* ---- GPUs ----------------------------------------------------------------------------------- */

static bool is_location(str line) {
  static const char *const words[] = {"\t.loc", "\t.file"};
  for (unsigned i = 0; i < ARRAY_LEN(words); i++)
    if (line.len >= strlen(words[i]) && memcmp(line.data, words[i], strlen(words[i])) == 0)
      return true;
  return false;
}

/* Of PTX without what says where it is from. */
static uint64_t hash_ptx(str ptx) {
  uint64_t h = 0;
  for (const char *at = ptx.data, *end = at + ptx.len; at < end;) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    str line = {at, (size_t)((line_end ? line_end : end) - at)};
    if (!is_location(line)) h = hash_mix(h, hash_bytes(line.data, line.len));
    at += line.len + 1;
  }
  return h;
}

static const nvptx_entry *entry_of(const gpu_program *code, const char *kernel) {
  for (uint32_t i = 0; i < code->n_entries; i++)
    if (!kernel || str_eq(ir_symbol_name(code->entries[i].op), str_of(kernel)))
      return &code->entries[i];
  return NULL;
}

static void count_form(const gpu_report *report, const nvptx_entry *e, ready_resources *use) {
  if (!e) return;
  gpu_resources r = gpu_resources_of(report, e->symbol);
  unsigned warps = gpu_warps_resident(report->target, e, &r);
  use->registers = MIN(use->registers, r.registers);
  use->spilled = MIN(use->spilled, r.spill_stores + r.spill_loads);
  use->shared = MIN(use->shared, e->shared_bytes + e->static_bytes);
  use->warps = MAX(use->warps, warps);
  use->estimated = r.estimated;
  count_form(report, e->bulk, use);
  count_form(report, e->clustered, use);
}

static bool count_resources(tsr_context *ctx, gpu_program *code, const gpu_target *t,
                            const char *kernel, ready_resources *use) {
  gpu_report r = {0};
  *use = (ready_resources){UINT_MAX, UINT_MAX, UINT_MAX, 0, false};
  TSR_GUARD(ctx, {
    gpu_report_close(&r);
    ctx_unwind(ctx);
  });
  bool good = gpu_report_open(&r, ctx, &code->arena, t, code->ptx);
  if (good) count_form(&r, entry_of(code, kernel), use);
  TSR_UNGUARD(ctx);
  gpu_report_close(&r);
  return good;
}

/* ---- AMD ------------------------------------------------------------------------------------ */

static const amdgcn_entry *amd_entry_of(const amdgcn_result *made, const char *kernel) {
  for (uint32_t i = 0; i < made->n_entries; i++)
    if (!kernel || str_eq(ir_symbol_name(made->entries[i].op), str_of(kernel)))
      return &made->entries[i];
  return NULL;
}

/* Scratch memory is what spilled registers take: there are no calls and no stack. */
static bool count_amd_resources(tsr_context *ctx, arena *a, const amdgcn_result *made,
                                const gpu_target *t, const char *kernel, ready_resources *use) {
  hsa_object object;
  const amdgcn_entry *e = amd_entry_of(made, kernel);
  *use = (ready_resources){0};
  if (!e || !hsa_object_read(ctx, a, "<compiled>", (str){made->text.data, made->text.len}, &object))
    return false;
  const hsa_kernel *k = hsa_find_kernel(&object, e->symbol);
  if (!k) return false;
  *use = (ready_resources){.registers = k->about->vector_registers,
                           .spilled = k->about->scratch_bytes,
                           .shared = k->about->shared_bytes,
                           .warps = hsa_occupancy_of(t, k, e->threads, 0).waves};
  return true;
}

static bool make_amd(tsr_context *ctx, ir_module *m, const char *kernel, const gpu_target *t,
                     arena *a, rt_ready *out, uint64_t *hash, ready_resources *use) {
  const compiler_plugin *plugin = plugin_get(ctx);
  const amdgcn_options options = {.target = t};
  amdgcn_result made = {.text = SBUF(a)};
  sbuf bytes = SBUF(a);
  if (!plugin || !plugin->amdgcn->emit(ctx, m, AMDGCN_OBJECT, &options, &made) ||
      !count_amd_resources(ctx, a, &made, t, kernel, use) || !amd_cached_write(&bytes, m, &made))
    return false;
  *hash = hash_bytes(made.text.data, made.text.len);
  out->object = (str){bytes.data, bytes.len};
  return true;
}

/* ---- any GPU -------------------------------------------------------------------------------- */

bool ready_make_gpu(tsr_context *ctx, ir_module *m, const char *kernel,
                    const gpu_compile_options *o, arena *a, rt_ready *out, uint64_t *hash,
                    ready_resources *use) {
  *out = (rt_ready){0};
  if (o->target->vendor == GPU_AMD) return make_amd(ctx, m, kernel, o->target, a, out, hash, use);
  gpu_program code = {0};
  arena_init(&code.arena, ctx);
  TSR_GUARD(ctx, {
    arena_free(&code.arena);
    ctx_unwind(ctx);
  });
  sbuf bytes = SBUF(a);
  bool made = gpu_compile(ctx, m, o, &code) &&
              count_resources(ctx, &code, o->target, kernel, use) &&
              gpu_cached_write(&bytes, &code, code.ptx);
  if (made) *hash = hash_ptx(code.ptx);
  TSR_UNGUARD(ctx);
  arena_free(&code.arena);
  *out = (rt_ready){.object = {bytes.data, made ? bytes.len : 0}};
  return made;
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
