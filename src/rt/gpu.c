/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/gpu.h"

#include "base/clock.h"
#include "rt/cached.h"
#include "rt/card.h"
#include "rt/cpuinfo.h"
#include "rt/gpu_cached.h"
#include "rt/plugin.h"
#include "rt/ready.h"

const gpu_target *gpu_target_of(const tsr_device *dev) {
  if (dev->emu) return gpu_find_target(dev->kind->name + strlen("emu:"));
  return dev->card ? dev->card->target : NULL;
}

bool gpu_compile(tsr_context *ctx, ir_module *m, const gpu_compile_options *o, gpu_program *code) {
  const compiler_plugin *plugin = plugin_get(ctx);
  nvptx_options options = {
      .target = o->target, .prefers_bulk = true, .threads = o->threads, .lines = o->lines};
  nvptx_result made = {.text = SBUF(&code->arena)};
  if (!plugin || !plugin->nvptx->emit(ctx, m, NVPTX_PTX, &options, &made)) return false;
  sbuf_putc(&made.text, 0);
  made.text.len--;
  code->ptx = (str){made.text.data, made.text.len};
  code->entries = made.entries;
  code->n_entries = made.n_entries;
  code->compile_ms = made.lower_ms + made.passes_ms + made.code_ms;
  return true;
}

static bool make_code(tsr_program *p, gpu_program *code, const char *target) {
  gpu_compile_options options = {.target = gpu_find_target(target),
                                 .threads = cpuinfo_threads(),
                                 .lines = p->device->emu != NULL};
  if (options.target) return gpu_compile(p->device->ctx, p->module, &options, code);
  diag_error(p->device->ctx, NOWHERE, "no code is made for the GPU '%s'", target);
  return false;
}

/* What another thread has made (rt/ready.h). */
static bool take_ready(tsr_program *p, gpu_program *code) {
  const rt_ready *ready = p->ready;
  p->ready = NULL;
  return ready && gpu_cached_read(p, code, ready->object, &code->ptx);
}

static double milliseconds(void) {
  return (double)clock_ns() * 1e-6;
}

/* The names of all kernels, for those who look at the cache. */
static const char *kernel_names(arena *a, const ir_module *m) {
  sbuf b = SBUF(a);
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry)
      sbuf_printf(&b, "%s" STR_FMT, b.len ? ", " : "", STR_ARG(ir_symbol_name(op)));
  return b.data ? b.data : "";
}

static bool load_code(tsr_program *p, gpu_program *code, const char *target,
                      const char *assembler) {
  if (!p->device->cache || !assembler) return false;
  double begin = milliseconds();
  code->key = cached_key_of(&code->arena, p->module,
                            arena_printf(&code->arena, "%s, %s", target, assembler),
                            kernel_names(&code->arena, p->module));
  code->cached = gpu_cached_load(p, code);
  code->compile_ms = milliseconds() - begin;
  return code->cached;
}

static gpu_program *create_code(tsr_program *p, const char *target, const char *assembler) {
  tsr_context *ctx = p->device->ctx;
  gpu_program *code = ctx_alloc(ctx, sizeof *code);
  *code = (gpu_program){.program = p};
  arena_init(&code->arena, ctx);
  TSR_GUARD(ctx, {
    arena_free(&code->arena);
    ctx_free(ctx, code, sizeof *code);
    ctx_unwind(ctx);
  });
  bool made =
      take_ready(p, code) || load_code(p, code, target, assembler) || make_code(p, code, target);
  TSR_UNGUARD(ctx);
  if (made) return code;
  arena_free(&code->arena);
  ctx_free(ctx, code, sizeof *code);
  return NULL;
}

bool gpu_acquire(tsr_kernel *k, const char *target, const char *assembler) {
  tsr_program *p = k->program;
  if (!p->gpu) p->gpu = create_code(p, target, assembler);
  gpu_program *code = p->gpu;
  if (!code) return false;
  k->gpu = (gpu_kernel){.code = code};
  for (uint32_t i = 0; i < code->n_entries; i++)
    if (code->entries[i].op == k->entry) k->gpu.entry = &code->entries[i];
  k->compile_ms = code->users ? 0 : code->compile_ms;
  code->users++;
  return true;
}

void gpu_release(tsr_kernel *k, void (*unload)(gpu_program *code)) {
  gpu_program *code = k->gpu.code;
  tsr_context *ctx = k->program->device->ctx;
  if (--code->users) return;
  if (code->image) unload(code);
  k->program->gpu = NULL;
  arena_free(&code->arena);
  ctx_free(ctx, code, sizeof *code);
}

/* ---- launches ------------------------------------------------------------------------------- */

static void refuse_tensor(rt_launch_state *l, const simt_tensor_map *m) {
  rt_lock(l->device);
  diag_error(l->device->ctx, ir_place(l->kernel->program->module, m->view->loc),
             "'%s' cannot be launched: it copies from or to this tensor by tensor maps, which "
             "describe tensors whose address, strides and, where it is stored to, rows are "
             "multiples of 16 bytes and whose sides are from 1 to 2^29; use load_global or "
             "store_global for others",
             l->kernel->name);
  rt_unlock(l->device);
  rt_fail(l, TSR_ERROR_USAGE);
}

const nvptx_entry *gpu_choose_form(rt_launch_state *l, const uint64_t *words, rt_tensor *tensors) {
  const nvptx_entry *entry = l->kernel->gpu.entry;
  const uint32_t grid[3] = {l->grid.x, l->grid.y, l->grid.z};
  uint32_t failed;
  const nvptx_entry *form = rt_choose_entry(
      entry, words, grid, l->kernel->gpu.clustered_function != NULL, tensors, &failed);
  if (!form) refuse_tensor(l, &entry->maps[failed]);
  return form;
}
