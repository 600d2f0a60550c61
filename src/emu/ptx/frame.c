/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The frames of a warp: memory for registers, .local and .param variables of calls under way.
 */
#include "emu/ptx/frame.h"

#include "emu/fault.h"
#include "emu/ptx/local.h"
#include "emu/ptx/undefined.h"
#include "emu/zeroed.h"

enum { MANY_BYTES = 256 << 10 };

/* ---- frames --------------------------------------------------------------------------------- */

static size_t round64(size_t n) {
  return (n + 63) & ~(size_t)63;
}

/* The bytes that are asked for; where they are many, the whole frame, whose pages are given back.
 */
static void clear_frame(ptx_frame *f, size_t bytes) {
  size_t size = f->bytes;
  if (bytes < MANY_BYTES)
    memset(f, 0, bytes);
  else
    zeroed_clear(f, size);
  f->bytes = size;
}

/* A frame that was used before and is large enough. */
static ptx_frame *take_free(emu_warp *w, size_t bytes) {
  for (ptx_frame **link = &ptx_warp_of(w)->free_frames; *link; link = &(*link)->next_free)
    if ((*link)->bytes >= bytes) {
      ptx_frame *f = *link;
      *link = f->next_free;
      clear_frame(f, bytes);
      return f;
    }
  return NULL;
}

ptx_frame *ptx_push_frame(emu_warp *w, const ptx_function *f, ptx_frame *parent) {
  size_t registers = round64(f->register_bytes), head = round64(sizeof(ptx_frame));
  size_t local = round64((size_t)f->local_bytes * PTX_LANES);
  size_t call = round64((size_t)f->call_bytes * PTX_LANES);
  const emu_watcher *watcher = w->block->grid->o.watcher;
  size_t written = watcher && watcher->local ? local : 0;
  size_t bytes = head + registers + local + call + written + 64;
  ptx_frame *frame = take_free(w, bytes);
  if (!frame) {
    frame = zeroed_alloc(bytes);
    if (!frame) {
      emu_fail(w, NULL, -1, EMU_FAULT_MEMORY, "there is no memory for the registers of a warp");
      return NULL;
    }
    frame->bytes = bytes;
  }
  frame->parent = parent;
  frame->function = f;
  frame->depth = parent ? parent->depth + 1 : 0;
  frame->local_base = parent ? parent->local_base + parent->local_bytes : 0;
  frame->local_bytes = f->local_bytes;
  frame->registers = (uint8_t *)frame + head;
  frame->local = frame->registers + registers;
  frame->call_area = frame->local + local;
  frame->written = written ? frame->call_area + call : NULL;
  local_enter(w, frame);
  return frame;
}

void ptx_free_frame(emu_warp *w, ptx_frame *f) {
  undefined_free(f);
  f->next_free = ptx_warp_of(w)->free_frames;
  ptx_warp_of(w)->free_frames = f;
}

void ptx_free_frames(emu_warp *w) {
  /* Frames of splits that never ended: their chains join, so each is counted first. */
  for (uint32_t s = 0; s < w->n_splits; s++)
    for (ptx_frame *f = w->splits[s].frame; f; f = f->parent) f->lanes = 0;
  for (uint32_t s = 0; s < w->n_splits; s++)
    for (ptx_frame *f = w->splits[s].frame; f; f = f->parent) f->lanes++;
  for (uint32_t s = 0; s < w->n_splits; s++) {
    for (ptx_frame *f = w->splits[s].frame, *parent; f; f = parent) {
      parent = f->parent;
      if (--f->lanes == 0) ptx_free_frame(w, f);
    }
  }
  w->n_splits = 0;
  local_free(w);
  undefined_free_warp(w);
  while (ptx_warp_of(w)->free_frames) {
    ptx_frame *f = ptx_warp_of(w)->free_frames;
    ptx_warp_of(w)->free_frames = f->next_free;
    zeroed_free(f, f->bytes);
  }
}

static void fill_local_base(emu_warp *w, uint32_t base) {
  uint8_t *specials = w->bank[PTX_BANK_SPECIAL];
  uint64_t *wide = (uint64_t *)(void *)(specials + PTX_SR_LOCAL_BASE * PTX_SPECIAL_STRIDE);
  uint32_t *narrow = (uint32_t *)(void *)(specials + PTX_SR_LOCAL_BASE32 * PTX_SPECIAL_STRIDE);
  for (unsigned l = 0; l < PTX_LANES; l++) {
    wide[l] = base;
    narrow[l] = base;
  }
}

void ptx_enter_frame(emu_warp *w, const emu_split *s) {
  const ptx_frame *f = s->frame;
  const uint8_t *base =
      w->bank[PTX_BANK_SPECIAL] + (size_t)PTX_SR_LOCAL_BASE32 * PTX_SPECIAL_STRIDE;
  w->bank[PTX_BANK_FRAME] = f->registers;
  if (*(const uint32_t *)(const void *)base != f->local_base) fill_local_base(w, f->local_base);
}

void ptx_leave_frames(emu_warp *w, uint32_t lanes) {
  for (ptx_frame *f = w->split->frame, *parent; f; f = parent) {
    parent = f->parent;
    f->lanes &= ~lanes;
    if (f->lanes == 0) ptx_free_frame(w, f);
  }
}
