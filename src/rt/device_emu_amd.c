/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tile IR on the emulated cards of AMD's: compiled to a code object like for a real one, then
 * executed.
 */
#include "emu/amdgcn/image.h"
#include "emu/isa.h"
#include "rt/amd.h"
#include "rt/amd_reports.h"
#include "rt/device_emu.h"
#include "rt/disassemble.h"

/* A module's code on the device. */
typedef struct loaded {
  hsa_object object;
  gcn_image *image;
} loaded;

static void unload(amd_program *code) {
  gcn_image_unload(((loaded *)code->image)->image);
}

/* Loaded once; NULL after a message. Lies in the code's arena. */
static const loaded *load(tsr_device *dev, amd_program *code) {
  if (code->image) return code->image;
  loaded *l = arena_new(&code->arena, loaded);
  str bytes = {code->made.text.data, code->made.text.len};
  if (!hsa_object_read(dev->ctx, &code->arena, "<compiled>", bytes, &l->object)) return NULL;
  l->image = gcn_image_load(dev->ctx, &code->arena, dev->emu, &l->object, rt_disassemble);
  if (l->image) code->image = l;
  return code->image;
}

bool emu_amd_prepare(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  if (!amd_acquire(k, dev->emu->info, false)) return false;
  TSR_GUARD(dev->ctx, {
    amd_release(k, unload);
    return false;
  });
  const loaded *l = load(dev, k->amd.code);
  TSR_UNGUARD(dev->ctx);
  if (l && k->amd.entry) k->amd.function = hsa_find_kernel(&l->object, k->amd.entry->symbol);
  if (k->amd.function) return true;
  amd_release(k, unload);
  return false;
}

void emu_amd_release(tsr_kernel *k) {
  amd_release(k, unload);
}

/* ---- launches ------------------------------------------------------------------------------- */

typedef struct launching {
  rt_launch_state *l;
  const amdgcn_result *made;
  gcn_image *image;
} launching;

/* A trap without a number is none of an assert's. */
static void name_assert(const launching *x, emu_fault *fault) {
  const amdgcn_assert *a = amd_failed_assert(x->image, x->made);
  if (fault->kind != EMU_FAULT_TRAP || !a) return;
  rt_lock(x->l->device);
  amd_assert_message(x->l->kernel, a, fault->message, sizeof fault->message);
  rt_unlock(x->l->device);
}

static void take_prints(const launching *x) {
  tsr_device *dev = x->l->device;
  rt_lock(dev);
  uint64_t lost = amd_take_prints(x->image, x->made, amd_print_to_device, dev);
  amd_warn_of_lost_prints(dev, x->l->kernel->name, lost);
  rt_unlock(dev);
}

static tsr_status run(void *user, const emu_launch_options *o, emu_fault *fault) {
  const launching *x = user;
  amd_reports_clear(x->image);
  tsr_status status = gcn_image_run(x->image, x->l->kernel->amd.function, o, fault);
  take_prints(x);
  if (status == TSR_ERROR_TRAP) name_assert(x, fault);
  return status;
}

static void launch_with(rt_launch_state *l, uint8_t *params) {
  const amd_program *code = l->kernel->amd.code;
  uint32_t threads = l->kernel->amd.entry->threads;
  launching x = {.l = l, .made = &code->made, .image = ((const loaded *)code->image)->image};
  emu_tile_code tile = {.program = &x.image->program, .run = run, .user = &x};
  emu_launch_options o = {
      .grid = {l->grid.x, l->grid.y, l->grid.z}, .block = {threads, 1, 1}, .params = params};
  emu_tile_words(l, (uint64_t *)(void *)params);
  emu_tile_run(l, &tile, &o);
}

void emu_amd_launch(rt_launch_state *l) {
  tsr_device *dev = l->device;
  const hsa_kernel *kernel = l->kernel->amd.function;
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
  launch_with(l, params);
  rt_lock(dev);
  ctx_free(dev->ctx, params, bytes);
  rt_unlock(dev);
}
