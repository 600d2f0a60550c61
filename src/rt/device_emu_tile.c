/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tile IR on the emulated cards: compiled to PTX like for a real one, then executed.
 */
#include <stdio.h>

#include "emu/checks.h"
#include "emu/counters.h"
#include "emu/isa.h"
#include "emu/ptx/image.h"
#include "emu/ptx/tensormap.h"
#include "rt/device_emu.h"
#include "rt/gpu.h"

/* A module's code on the device. */
typedef struct loaded {
  ptx_module *module;
  ptx_image *image;
  const ir_loc *lines; /* of each of the module's locs: the operation's location in the program */
} loaded;

static void unload(gpu_program *code) {
  loaded *l = code->image;
  ptx_image_unload(l->image);
  ptx_module_destroy(l->module);
}

/* Loaded once; NULL after a message. Lies in the code's arena. */
static loaded *load(tsr_device *dev, gpu_program *code, const ir_module *program) {
  if (code->image) return code->image;
  loaded *l = arena_new(&code->arena, loaded);
  l->module = ptx_parse(dev->ctx, "<compiled>", code->ptx);
  if (l->module) l->lines = emu_tile_lines(&code->arena, l->module, program);
  if (l->module) l->image = ptx_image_load(dev->emu, l->module);
  if (!l->image) {
    ptx_module_destroy(l->module);
    return NULL;
  }
  code->image = l;
  return l;
}

bool emu_tile_prepare(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  if (!gpu_acquire(k, dev->kind->name + strlen("emu:"), NULL)) return false;
  loaded *l = load(dev, k->gpu.code, k->program->module);
  if (l) k->gpu.function = ptx_find_entry(l->module, k->gpu.entry->symbol);
  const nvptx_entry *bulk = k->gpu.entry->bulk;
  if (l && bulk) k->gpu.bulk_function = ptx_find_entry(l->module, bulk->symbol);
  if (l && bulk && bulk->clustered)
    k->gpu.clustered_function = ptx_find_entry(l->module, bulk->clustered->symbol);
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

/* In the program, else in the code. */
static unsigned frames_of(const rt_launch_state *l, const emu_tile_code *code, emu_insn insn,
                          ir_frame frames[MAX_IR_FRAMES]) {
  const emu_program *p = code->program;
  ir_loc loc = insn && code->loc_of ? code->loc_of(code->user, insn) : 0;
  unsigned n = ir_frames(l->kernel->program->module, loc, frames, MAX_IR_FRAMES);
  if (!n) frames[0].at = p->isa->place_of(p->module, insn);
  return n;
}

static void note_fault(rt_launch_state *l, const emu_tile_code *code, const emu_fault *f,
                       tsr_status status) {
  if (status == TSR_ERROR_TRAP && note_assert(l, f)) return;
  ir_frame frames[MAX_IR_FRAMES];
  unsigned n = frames_of(l, code, f->insn, frames);
  tsr_context *ctx = l->device->ctx;
  rt_lock(l->device);
  diag_error(ctx, f->insn ? frames[0].at : NOWHERE, "'%s', %s block (%u, %u, %u), thread %u: %s",
             l->kernel->name, code->persistent ? "persistent thread" : "tile", f->block[0],
             f->block[1], f->block[2], f->thread[0], f->message);
  for (unsigned k = 1; k < n; k++) diag_note(ctx, frames[k].at, "called from here");
  rt_unlock(l->device);
  rt_fail(l, status);
}

void emu_tile_words(const rt_launch_state *l, uint64_t *words) {
  for (uint32_t i = 0; i < l->kernel->n_params; i++)
    words[i] = l->given[i].kind == TSR_ARG_BUFFER && l->given[i].buffer
                   ? l->given[i].buffer->address
                   : l->args[i];
}

/* ---- parameters ----------------------------------------------------------------------------- */

static size_t word_bytes_of(const nvptx_entry *e) {
  uint32_t more = e->blocks_per_sm ? NVPTX_GRID_WORDS : 0;
  return (e->n_params + more) * sizeof(uint64_t);
}

size_t emu_tile_param_bytes(const nvptx_entry *e) {
  size_t words = MAX(word_bytes_of(e), sizeof(uint64_t));
  return words + (e->n_maps ? TENSORMAP_ALIGN : 0) + (size_t)e->n_maps * TENSORMAP_BYTES;
}

static const char *encode(const rt_tensor *t, uint8_t *object) {
  tensormap m = {.type = (uint8_t)t->type,
                 .rank = (uint8_t)t->rank,
                 .swizzle = (uint8_t)t->swizzle,
                 .address = t->address};
  for (uint32_t d = 0; d < t->rank; d++) {
    m.dims[d] = t->dims[d];
    m.box[d] = (uint16_t)t->box[d];
    m.element_strides[d] = 1;
    if (d + 1 < t->rank) m.strides[d] = t->strides[d];
  }
  return tensormap_encode(&m, object);
}

const char *emu_tile_params(const nvptx_entry *e, const ptx_function *f, const uint64_t *words,
                            const uint64_t *walk, const rt_tensor *tensors, uint8_t *block) {
  size_t given = e->n_params * sizeof *words;
  const ptx_param *maps_of = f->params + word_bytes_of(e) / sizeof *words;
  memcpy(block, words, given);
  memcpy(block + given, walk, word_bytes_of(e) - given);
  for (uint32_t i = 0; i < e->n_maps; i++) {
    const char *problem = encode(&tensors[i], block + maps_of[i].offset);
    if (problem) return problem;
  }
  return NULL;
}

/* ---- checks --------------------------------------------------------------------------------- */

static place place_of(const rt_launch_state *l, const emu_tile_code *code, emu_insn insn) {
  ir_frame frames[MAX_IR_FRAMES];
  frames_of(l, code, insn, frames);
  return insn ? frames[0].at : NOWHERE;
}

static void report_finding(const rt_launch_state *l, const emu_tile_code *code, const finding *f) {
  tsr_context *ctx = l->device->ctx;
  const finding_site *at = &f->at, *other = &f->other;
  diag_error(ctx, place_of(l, code, at->insn), "[%s] %s", finding_kind_name(f->kind), f->message);
  diag_note(ctx, NOWHERE, "in tile block (%u, %u, %u), thread %u; found %llu times on the emulator",
            at->block[0], at->block[1], at->block[2], at->thread[0], (unsigned long long)f->count);
  if (other->insn)
    diag_note(ctx, place_of(l, code, other->insn),
              "the other access, in tile block (%u, %u, %u), thread %u", other->block[0],
              other->block[1], other->block[2], other->thread[0]);
}

/* Those from number `first` on. Stores of one value by several threads are no fault. */
static void report_findings(rt_launch_state *l, const emu_tile_code *code, const findings *found,
                            uint32_t first) {
  bool wrong = false;
  rt_lock(l->device);
  for (uint32_t i = first; i < found->n; i++) {
    if (finding_is_note(found->list[i].kind)) continue;
    report_finding(l, code, &found->list[i]);
    wrong = true;
  }
  if (!wrong) diag(l->device->ctx, TSR_REMARK, NOWHERE, "the emulator's checks found nothing");
  rt_unlock(l->device);
  if (wrong) rt_fail(l, TSR_ERROR_TRAP);
}

/* ---- launches ------------------------------------------------------------------------------- */

static void tell_progress(void *user, uint64_t done, uint64_t total) {
  rt_progress *p = user;
  p->total = total;
  p->done = done;
}

void emu_tile_run(rt_launch_state *l, const emu_tile_code *code, emu_launch_options *o) {
  tsr_device *dev = l->device;
  emu_fault fault = {.kind = EMU_FAULT_TRAP};
  findings own = {0}, *found = dev->emu_findings ? dev->emu_findings : &own;
  uint32_t known = found->n;
  emu_watcher watcher, counter;
  checks *c = dev->sanitize.checks ? checks_create(found) : NULL;
  if (dev->sanitize.checks && !c) {
    rt_fail(l, TSR_ERROR_MEMORY);
    return;
  }
  o->threads = dev->threads;
  o->async = (emu_async_mode)dev->async;
  o->seed = dev->order.seed;
  o->watcher = (emu_watcher *)dev->emu_watcher;
  o->on_output = dev->on_output;
  o->output_user = dev->output_user;
  o->on_progress = dev->progress ? tell_progress : NULL;
  o->progress_user = dev->progress;
  if (c) {
    checks_watch(c, &watcher);
    o->watcher = &watcher;
  }
  if (dev->emu_counters) {
    counters_watch(dev->emu_counters, (emu_watcher *)o->watcher, &counter);
    o->watcher = &counter;
  }
  tsr_status status = code->run(code->user, o, &fault);
  if (status != TSR_OK) note_fault(l, code, &fault, status);
  if (c) report_findings(l, code, found, known);
  checks_destroy(c);
  findings_free(&own);
}

/* A form of a kernel. */
typedef struct ptx_code {
  const ptx_image *image;
  const ptx_function *function;
  const ir_loc *lines; /* as loaded has them */
} ptx_code;

static ir_loc loc_of(const void *user, emu_insn insn) {
  const ptx_insn *i = insn;
  return i->loc ? ((const ptx_code *)user)->lines[i->loc - 1] : 0;
}

static tsr_status run_ptx(void *user, const emu_launch_options *o, emu_fault *fault) {
  const ptx_code *c = user;
  return ptx_image_run(c->image, c->function, o, fault);
}

static void run(rt_launch_state *l, const nvptx_entry *e, const uint32_t grid[3],
                const uint8_t *params) {
  const gpu_kernel *k = &l->kernel->gpu;
  const loaded *code = k->code->image;
  ptx_code c = {.image = code->image, .function = gpu_function_of(k, e), .lines = code->lines};
  emu_tile_code tile = {.program = &code->image->program,
                        .persistent = e->blocks_per_sm > 0,
                        .run = run_ptx,
                        .loc_of = loc_of,
                        .user = &c};
  emu_launch_options o = {.grid = {grid[0], grid[1], grid[2]},
                          .block = {e->threads, 1, 1},
                          .dynamic_shared = e->shared_bytes,
                          .params = params};
  emu_tile_run(l, &tile, &o);
}

/* `memory` has room for the words, and after them for the parameters. */
static void launch_with(rt_launch_state *l, uint8_t *memory, size_t word_bytes) {
  uint64_t *words = (uint64_t *)(void *)memory;
  rt_tensor tensors[RT_MOST_TENSORS];
  emu_tile_words(l, words);
  const uint32_t grid[3] = {l->grid.x, l->grid.y, l->grid.z};
  const nvptx_entry *e = gpu_choose_form(l, words, tensors);
  if (!e) return;
  uint32_t blocks[3];
  uint64_t walk[NVPTX_GRID_WORDS];
  rt_walk_of(e, grid, l->device->emu->info->multiprocessors, blocks, walk);
  const ptx_function *f = gpu_function_of(&l->kernel->gpu, e);
  const char *problem = emu_tile_params(e, f, words, walk, tensors, memory + word_bytes);
  if (problem) {
    rt_error(l->device, "'%s': tensor map: %s", l->kernel->name, problem);
    rt_fail(l, TSR_ERROR_USAGE);
    return;
  }
  run(l, e, blocks, memory + word_bytes);
}

/* Of all forms of an entry. */
static size_t most_param_bytes(const nvptx_entry *e) {
  size_t bytes = emu_tile_param_bytes(e);
  if (e->bulk) bytes = MAX(bytes, most_param_bytes(e->bulk));
  if (e->clustered) bytes = MAX(bytes, most_param_bytes(e->clustered));
  return bytes;
}

void emu_tile_launch(rt_launch_state *l) {
  tsr_device *dev = l->device;
  const nvptx_entry *e = l->kernel->gpu.entry;
  size_t word_bytes = MAX(l->kernel->n_params, 1) * sizeof(uint64_t);
  size_t bytes = word_bytes + most_param_bytes(e);
  rt_lock(dev);
  uint8_t *memory = ctx_try_alloc(dev->ctx, bytes);
  rt_unlock(dev);
  if (!memory) {
    rt_error(dev, "out of memory");
    rt_fail(l, TSR_ERROR_MEMORY);
    return;
  }
  launch_with(l, memory, word_bytes);
  rt_lock(dev);
  ctx_free(dev->ctx, memory, bytes);
  rt_unlock(dev);
}
