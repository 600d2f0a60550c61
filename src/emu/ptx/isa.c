/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * PTX as an instruction set of the machine: warps, memory, places, and the table of all functions.
 */
#include "emu/ptx/isa.h"

#include <stdlib.h>

#include "emu/ptx/image.h"
#include "emu/fault.h"
#include "emu/ptx/local.h"
#include "emu/ptx/pending.h"
#include "emu/ptx/special.h"
#include "emu/ptx/undefined.h"

/* ---- launches ------------------------------------------------------------------------------- */

/* What cooperative groups synchronise a grid by: a size, and a word that counts arrivals. */
enum { WORKSPACE_BYTES = 256 };

static bool begin_grid(emu_grid *g) {
  if (!g->o.cooperative) return true;
  g->workspace = emu_alloc(g->device, WORKSPACE_BYTES, NULL);
  if (!g->workspace) return false;
  *(uint32_t *)(void *)emu_find(g->device, g->workspace)->host = WORKSPACE_BYTES;
  return true;
}

static void end_grid(emu_grid *g) {
  if (g->workspace) emu_free(g->device, g->workspace);
}

/* ---- warps ---------------------------------------------------------------------------------- */

static bool create_warp(emu_warp *w) {
  w->own = calloc(1, sizeof(ptx_warp));
  w->bank[PTX_BANK_CONSTANT] = ptx_image_of(w->block->grid)->constants;
  w->bank[PTX_BANK_SPECIAL] = aligned_alloc(64, (size_t)PTX_SPECIAL_COUNT * PTX_SPECIAL_STRIDE);
  return w->own && w->bank[PTX_BANK_SPECIAL];
}

static void destroy_warp(emu_warp *w) {
  if (w->own) ptx_free_frames(w);
  free(w->own);
  free(w->bank[PTX_BANK_SPECIAL]);
}

static bool begin_warp(emu_warp *w, emu_split *first) {
  ptx_warp_of(w)->clock = 0;
  specials_begin(w);
  local_begin(w);
  ptx_frame *f = ptx_push_frame(w, w->block->grid->entry->code, NULL);
  if (!f) return false;
  f->lanes = (uint32_t)w->lanes;
  first->frame = f;
  return true;
}

static emu_insn at(const emu_split *s) {
  return ptx_insn_at(s);
}

static void ended(emu_warp *w, emu_lanes lanes) {
  ptx_leave_frames(w, (uint32_t)lanes);
}

/* ---- memory --------------------------------------------------------------------------------- */

static uint8_t *in_params(const emu_reached *x, uint64_t address) {
  emu_warp *w = x->warp;
  const ptx_frame *f = w->split->frame;
  if (address >= PTX_FRAME_PARAMS) {
    uint64_t offset = address - PTX_FRAME_PARAMS;
    uint32_t size = f->function->call_bytes;
    if (offset <= size && x->bytes <= size - offset)
      return f->call_area + (size_t)x->lane * size + offset;
  } else {
    const emu_grid *g = w->block->grid;
    uint32_t size = g->entry->param_bytes;
    uint64_t offset = address - ptx_param_base(ptx_image_of(g)->module->sm);
    if (offset <= size && x->bytes <= size - offset) {
      if (x->kind == EMU_READ) return g->params + offset;
      emu_fail_address(w, x->insn, (int)x->lane, EMU_FAULT_READ_ONLY, x->address,
                       "writes to the kernel's parameters");
      return NULL;
    }
  }
  emu_outside(x, "outside of the parameters");
  return NULL;
}

static uint8_t *reach_own(const emu_reached *x, emu_space space, uint64_t address) {
  if (space == EMU_PARAM) return in_params(x, address);
  ptx_local found = local_find(x->warp, x->lane, address, x->bytes);
  if (!found.host) emu_outside(x, "outside of the thread's local variables");
  return found.host;
}

static uint8_t *local_written(const emu_warp *w, unsigned lane, uint64_t address, uint32_t bytes) {
  return local_find(w, lane, address, bytes).written;
}

/* ---- places --------------------------------------------------------------------------------- */

static place place_of(const void *module, emu_insn i) {
  return i ? ptx_insn_place(module, i) : (place){.src = ((const ptx_module *)module)->src};
}

/* Where the function that was inlined last stands in the kernel itself. */
static void add_outer(const ptx_module *m, const ptx_loc *l, emu_source *out) {
  if (!l->inlined_at) return;
  for (unsigned depth = 0; l->inlined_at && depth < 64; depth++) l = &m->locs[l->inlined_at - 1];
  if (l->file >= m->n_files || !m->files[l->file]) return;
  out->outer_file = m->files[l->file];
  out->outer_line = l->line;
}

static bool source_of(const void *module, emu_insn insn, emu_source *out) {
  const ptx_module *m = module;
  const ptx_insn *i = insn;
  *out = (emu_source){0};
  if (!ptx_insn_source(m, i, &out->file, &out->line, &out->column)) return false;
  add_outer(m, &m->locs[i->loc - 1], out);
  return true;
}

static void line_of(const void *module, emu_insn insn, uint64_t out[3]) {
  const ptx_insn *i = insn;
  const ptx_loc *l = i->loc ? &((const ptx_module *)module)->locs[i->loc - 1] : NULL;
  out[0] = l ? l->file : (uintptr_t)i;
  out[1] = l ? l->line : 0;
  out[2] = l ? l->inlined_at : 0;
}

static str text_of(const void *module, emu_insn i) {
  return ptx_insn_text(module, i);
}

static void name_of(emu_insn i, char *out, size_t size) {
  ptx_insn_name(i, out, size);
}

const emu_isa ptx_isa = {
    .words = &ptx_words,
    .max_grid = {INT32_MAX, 65535, 65535},
    .max_block = {1024, 1024, 64},
    .begin_grid = begin_grid,
    .end_grid = end_grid,
    .create_warp = create_warp,
    .destroy_warp = destroy_warp,
    .begin_warp = begin_warp,
    .run = ptx_run_split,
    .at = at,
    .released = ptx_released,
    .ended = ended,
    .reach_own = reach_own,
    .local_written = local_written,
    .track_local = undefined_track_local,
    .progress = async_progress,
    .end_cluster = async_cluster_end,
    .place_of = place_of,
    .source_of = source_of,
    .line_of = line_of,
    .text_of = text_of,
    .name_of = name_of,
    .traits = ptx_traits,
    .work = ptx_work,
    .describe = ptx_describe,
    .stored = ptx_stored,
};
