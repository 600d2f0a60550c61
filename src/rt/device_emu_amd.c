/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tile IR on the emulated cards of AMD's: compiled to a code object like for a real one, then
 * executed.
 */
#include <stdio.h>

#include "emu/amdgcn/image.h"
#include "emu/isa.h"
#include "gpu/amdgcn/amdgcn.h"
#include "rt/amd_reports.h"
#include "rt/device_emu.h"
#include "rt/disassemble.h"
#include "rt/plugin.h"

/* A module's code, of all of its kernels. */
typedef struct amd_program {
  uint32_t users; /* kernels that were got */
  arena arena;
  amdgcn_result made;
  hsa_object object;
  gcn_image *image;
} amd_program;

/* ---- code ----------------------------------------------------------------------------------- */

static bool make_code(tsr_program *p, amd_program *code) {
  tsr_device *dev = p->device;
  const compiler_plugin *plugin = plugin_get(dev->ctx);
  const amdgcn_options options = {.target = dev->emu->info};
  code->made = (amdgcn_result){.text = SBUF(&code->arena)};
  if (!plugin || !plugin->amdgcn->emit(dev->ctx, p->module, AMDGCN_OBJECT, &options, &code->made))
    return false;
  str bytes = {code->made.text.data, code->made.text.len};
  if (!hsa_object_read(dev->ctx, &code->arena, "<compiled>", bytes, &code->object)) return false;
  code->image = gcn_image_load(dev->ctx, &code->arena, dev->emu, &code->object, rt_disassemble);
  return code->image;
}

static void destroy(tsr_program *p, amd_program *code) {
  tsr_context *ctx = p->device->ctx;
  gcn_image_unload(code->image);
  arena_free(&code->arena);
  ctx_free(ctx, code, sizeof *code);
}

static amd_program *create_code(tsr_program *p) {
  tsr_context *ctx = p->device->ctx;
  amd_program *code = ctx_alloc(ctx, sizeof *code);
  *code = (amd_program){0};
  arena_init(&code->arena, ctx);
  TSR_GUARD(ctx, {
    destroy(p, code);
    ctx_unwind(ctx);
  });
  bool made = make_code(p, code);
  TSR_UNGUARD(ctx);
  if (made) return code;
  destroy(p, code);
  return NULL;
}

bool emu_amd_prepare(tsr_kernel *k) {
  tsr_program *p = k->program;
  if (!p->amd) p->amd = create_code(p);
  amd_program *code = p->amd;
  if (!code) return false;
  const amdgcn_result *made = &code->made;
  for (uint32_t i = 0; i < made->n_entries; i++)
    if (made->entries[i].op == k->entry) k->amd.number = i;
  k->amd.code = code;
  k->compile_ms = code->users ? 0 : made->lower_ms + made->passes_ms + made->code_ms;
  code->users++;
  return true;
}

void emu_amd_release(tsr_kernel *k) {
  tsr_program *p = k->program;
  amd_program *code = k->amd.code;
  if (--code->users) return;
  p->amd = NULL;
  destroy(p, code);
}

/* ---- launches ------------------------------------------------------------------------------- */

typedef struct launching {
  rt_launch_state *l;
  const amd_program *code;
  const hsa_kernel *kernel;
} launching;

/* A trap without a number is none of an assert's. */
static void name_assert(const launching *x, emu_fault *fault) {
  const amdgcn_assert *a = amd_failed_assert(x->code->image, &x->code->made);
  arena text;
  if (fault->kind != EMU_FAULT_TRAP || !a) return;
  arena_init(&text, x->l->device->ctx);
  snprintf(fault->message, sizeof fault->message, "assertion '%s' failed in %s, %s", a->message,
           x->l->kernel->name, ir_where(&text, x->l->kernel->program->module, a->loc));
  arena_free(&text);
}

static void put_text(void *user, const char *text, size_t length) {
  const tsr_device *dev = user;
  if (dev->on_output)
    dev->on_output(dev->output_user, text, length);
  else
    fwrite(text, 1, length, stdout);
}

static void take_prints(const launching *x) {
  tsr_device *dev = x->l->device;
  rt_lock(dev);
  uint64_t lost = amd_take_prints(x->code->image, &x->code->made, put_text, dev);
  if (lost)
    diag(dev->ctx, TSR_WARNING, NOWHERE,
         "'%s' prints more than there is room for: %llu bytes of its lines are lost; print less in "
         "a launch",
         x->l->kernel->name, (unsigned long long)lost);
  rt_unlock(dev);
}

static tsr_status run(void *user, const emu_launch_options *o, emu_fault *fault) {
  const launching *x = user;
  amd_reports_clear(x->code->image);
  tsr_status status = gcn_image_run(x->code->image, x->kernel, o, fault);
  take_prints(x);
  if (status == TSR_ERROR_TRAP) name_assert(x, fault);
  return status;
}

static void launch_with(rt_launch_state *l, const hsa_kernel *kernel, uint8_t *params) {
  const amd_program *code = l->kernel->amd.code;
  uint32_t threads = code->made.entries[l->kernel->amd.number].threads;
  launching x = {.l = l, .code = code, .kernel = kernel};
  emu_tile_code tile = {.program = &code->image->program, .run = run, .user = &x};
  emu_launch_options o = {
      .grid = {l->grid.x, l->grid.y, l->grid.z}, .block = {threads, 1, 1}, .params = params};
  emu_tile_words(l, (uint64_t *)(void *)params);
  emu_tile_run(l, &tile, &o);
}

void emu_amd_launch(rt_launch_state *l) {
  tsr_device *dev = l->device;
  const amd_program *code = l->kernel->amd.code;
  const hsa_kernel *kernel =
      hsa_find_kernel(&code->object, code->made.entries[l->kernel->amd.number].symbol);
  size_t bytes = MAX(kernel->about->argument_bytes, l->kernel->n_params * sizeof(uint64_t)) + 8;
  rt_lock(dev);
  uint8_t *params = ctx_try_alloc(dev->ctx, bytes);
  rt_unlock(dev);
  if (!params) {
    rt_error(dev, "out of memory");
    rt_fail(l, TSR_ERROR_MEMORY);
    return;
  }
  memset(params, 0, bytes);
  launch_with(l, kernel, params);
  rt_lock(dev);
  ctx_free(dev->ctx, params, bytes);
  rt_unlock(dev);
}
