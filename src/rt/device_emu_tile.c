/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tile IR on the emulated cards: compiled to PTX like for a real one, then executed.
 */
#include <stdio.h>

#include "ptxemu/machine.h"
#include "rt/device_emu.h"
#include "rt/gpu.h"

/* A module's code on the device. */
typedef struct loaded {
  ptx_module *module;
  emu_image *image;
} loaded;

static void unload(gpu_program *code) {
  loaded *l = code->loaded;
  emu_unload(l->image);
  ptx_module_destroy(l->module);
}

/* Loaded once; NULL after a message. Lies in the code's arena. */
static loaded *load(tsr_device *dev, gpu_program *code) {
  if (code->loaded) return code->loaded;
  loaded *l = arena_new(&code->arena, loaded);
  l->module = ptx_parse(dev->ctx, "<compiled>", code->ptx);
  if (l->module) l->image = emu_load(dev->emu, l->module);
  if (!l->image) {
    ptx_module_destroy(l->module);
    return NULL;
  }
  code->loaded = l;
  return l;
}

bool emu_tile_prepare(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  if (!gpu_acquire(k, dev->kind->name + strlen("emu:"), NULL)) return false;
  loaded *l = load(dev, k->gpu.code);
  if (l) k->gpu.function = ptx_find_entry(l->module, k->gpu.entry->symbol);
  if (k->gpu.function) return true;
  gpu_release(k, unload);
  return false;
}

void emu_tile_release(tsr_kernel *k) {
  gpu_release(k, unload);
}

/* "assertion 'MESSAGE' failed in KERNEL, FILE:LINE" as the launch reports it. */
static bool note_assert(rt_launch_state *l, const emu_fault *f) {
  char message[512];
  snprintf(message, sizeof message, "%s", f->message);
  char *text = strchr(message, '\''), *end = strstr(message, "' failed in ");
  char *where = end ? strstr(end, ", ") : NULL;
  if (strncmp(message, "assertion '", 11) != 0 || !text || !where) return false;
  *end = 0;
  rt_block block = rt_block_for(l, NULL);
  for (int i = 0; i < 3; i++) block.id[i] = (int32_t)f->block[i];
  rt_launch_hooks.assert_failed(&block, text + 1, where + 2, NULL);
  return true;
}

static void note_fault(rt_launch_state *l, const emu_fault *f, tsr_status status) {
  if (status == TSR_ERROR_TRAP && note_assert(l, f)) return;
  rt_error(l->device, "'%s', tile block (%u, %u, %u), thread %u: %s", l->kernel->name, f->block[0],
           f->block[1], f->block[2], f->thread[0], f->message);
  rt_fail(l, status);
}

/* The launch's words, with the card's addresses of buffers. */
static void read_words(const rt_launch_state *l, uint64_t *words) {
  for (uint32_t i = 0; i < l->kernel->n_params; i++)
    words[i] = l->given[i].kind == TSR_ARG_BUFFER && l->given[i].buffer
                   ? l->given[i].buffer->address
                   : l->args[i];
}

void emu_tile_launch(rt_launch_state *l) {
  tsr_device *dev = l->device;
  const gpu_kernel *k = &l->kernel->gpu;
  const loaded *code = k->code->loaded;
  size_t bytes = MAX(l->kernel->n_params, 1) * sizeof(uint64_t);
  rt_lock(dev);
  uint64_t *words = ctx_try_alloc(dev->ctx, bytes);
  rt_unlock(dev);
  if (!words) {
    rt_error(dev, "out of memory");
    rt_fail(l, TSR_ERROR_MEMORY);
    return;
  }
  read_words(l, words);
  emu_launch_options o = {.grid = {l->grid.x, l->grid.y, l->grid.z},
                          .block = {k->entry->threads, 1, 1},
                          .dynamic_shared = k->entry->shared_bytes,
                          .params = words,
                          .threads = dev->threads,
                          .watcher = (emu_watcher *)dev->emu_watcher,
                          .on_output = dev->on_output,
                          .output_user = dev->output_user};
  emu_fault fault = {.kind = EMU_FAULT_TRAP};
  tsr_status status = emu_run(code->image, k->function, &o, &fault);
  if (status != TSR_OK) note_fault(l, &fault, status);
  rt_lock(dev);
  ctx_free(dev->ctx, words, bytes);
  rt_unlock(dev);
}
