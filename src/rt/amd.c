/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/amd.h"

#include "base/clock.h"
#include "rt/cached.h"
#include "rt/plugin.h"
#include "rt/ready.h"

static double milliseconds(void) {
  return (double)clock_ns() * 1e-6;
}

static bool make_code(tsr_program *p, amd_program *code, const gpu_target *target) {
  tsr_context *ctx = p->device->ctx;
  const compiler_plugin *plugin = plugin_get(ctx);
  const amdgcn_options options = {.target = target};
  amdgcn_result *made = &code->made;
  if (!plugin || !plugin->amdgcn->emit(ctx, p->module, AMDGCN_OBJECT, &options, made)) return false;
  code->compile_ms = made->lower_ms + made->passes_ms + made->code_ms;
  amd_cached_store(p, code);
  return true;
}

/* The names of all kernels, for those who look at the cache. */
static const char *kernel_names(arena *a, const ir_module *m) {
  sbuf b = SBUF(a);
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry)
      sbuf_printf(&b, "%s" STR_FMT, b.len ? ", " : "", STR_ARG(ir_symbol_name(op)));
  return b.data ? b.data : "";
}

static bool load_code(tsr_program *p, amd_program *code, const gpu_target *target) {
  double begin = milliseconds();
  code->key =
      cached_key_of(&code->arena, p->module, target->name, kernel_names(&code->arena, p->module));
  code->cached = amd_cached_load(p, code);
  code->compile_ms = milliseconds() - begin;
  return code->cached;
}

/* What another thread has made (rt/ready.h). */
static bool take_ready(tsr_program *p, amd_program *code) {
  const rt_ready *ready = p->ready;
  p->ready = NULL;
  return ready && amd_cached_read(p, code, ready->object);
}

static amd_program *create_code(tsr_program *p, const gpu_target *target, bool keep) {
  tsr_context *ctx = p->device->ctx;
  amd_program *code = ctx_alloc(ctx, sizeof *code);
  *code = (amd_program){0};
  arena_init(&code->arena, ctx);
  code->made = (amdgcn_result){.text = SBUF(&code->arena)};
  TSR_GUARD(ctx, {
    arena_free(&code->arena);
    ctx_free(ctx, code, sizeof *code);
    ctx_unwind(ctx);
  });
  bool made = take_ready(p, code) || (keep && p->device->cache && load_code(p, code, target)) ||
              make_code(p, code, target);
  TSR_UNGUARD(ctx);
  if (made) return code;
  arena_free(&code->arena);
  ctx_free(ctx, code, sizeof *code);
  return NULL;
}

bool amd_acquire(tsr_kernel *k, const gpu_target *target, bool keep) {
  tsr_program *p = k->program;
  if (!p->amd) p->amd = create_code(p, target, keep);
  amd_program *code = p->amd;
  if (!code) return false;
  const amdgcn_result *made = &code->made;
  k->amd.code = code;
  k->amd.entry = NULL;
  k->amd.function = NULL;
  for (uint32_t i = 0; i < made->n_entries; i++)
    if (made->entries[i].op == k->entry) k->amd.entry = &made->entries[i];
  k->compile_ms = code->users ? 0 : code->compile_ms;
  code->users++;
  return true;
}

void amd_release(tsr_kernel *k, void (*unload)(amd_program *code)) {
  tsr_program *p = k->program;
  tsr_context *ctx = p->device->ctx;
  amd_program *code = k->amd.code;
  if (--code->users) return;
  if (code->image) unload(code);
  p->amd = NULL;
  arena_free(&code->arena);
  ctx_free(ctx, code, sizeof *code);
}
