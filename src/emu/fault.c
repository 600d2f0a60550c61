/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Faults: what ends a launch, how it is said.
 */
#include "emu/fault.h"

#include <stdio.h>

#include "emu/isa.h"

static void fill_where(emu_fault *f, const emu_warp *w, emu_insn i, int lane) {
  f->insn = i;
  f->warp = -1;
  f->lane = lane;
  if (!w) return;
  const emu_block *b = w->block;
  f->warp = (int)w->index;
  memcpy(f->block, b->id, sizeof f->block);
  const uint32_t *n = b->grid->o.block;
  uint32_t t = emu_thread(w, lane < 0 ? 0 : (unsigned)lane);
  f->thread[0] = t % n[0];
  f->thread[1] = t / n[0] % n[1];
  f->thread[2] = t / n[0] / n[1];
}

/* The first fault of a grid is kept; all stop it. */
bool emu_grid_fail(emu_grid *g, emu_warp *w, const emu_fault *f) {
  const emu_watcher *watcher = g->o.watcher;
  bool noted = watcher && watcher->fault && w && watcher->fault(watcher->user, w, f);
  bool goes_on = noted && (f->kind == EMU_FAULT_BOUNDS || f->kind == EMU_FAULT_FREED ||
                           f->kind == EMU_FAULT_ALIGN || f->kind == EMU_FAULT_READ_ONLY);
  if (goes_on) return true;
  pthread_mutex_lock(&g->lock);
  if (!g->failed) {
    g->fault = *f;
    g->failed = true;
  }
  pthread_mutex_unlock(&g->lock);
  g->stop = 1;
  return false;
}

static bool fail(emu_warp *w, emu_insn i, int lane, emu_fault_kind kind, const uint64_t *address,
                 const char *fmt, va_list args) {
  emu_fault f = {.kind = (uint8_t)kind};
  fill_where(&f, w, i, lane);
  if (address) {
    f.address = *address;
    f.has_address = true;
  }
  vsnprintf(f.message, sizeof f.message, fmt, args);
  return emu_grid_fail(w->block->grid, w, &f);
}

bool emu_fail(emu_warp *w, emu_insn i, int lane, emu_fault_kind kind, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  bool on = fail(w, i, lane, kind, NULL, fmt, args);
  va_end(args);
  return on;
}

bool emu_fail_address(emu_warp *w, emu_insn i, int lane, emu_fault_kind kind, uint64_t address,
                      const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  bool on = fail(w, i, lane, kind, &address, fmt, args);
  va_end(args);
  return on;
}

/* error: k.cu:12: @scale: 'ld.global.f32' reads 4 bytes at 0x…, …
 * note: by thread (3,0,0) of block (1,0,0): warp 0, lane 3 */
void emu_report_fault(const emu_program *p, const char *entry, const emu_fault *f) {
  char name[96] = "";
  place at = p->isa->place_of(p->module, f->insn);
  if (f->insn) {
    p->isa->name_of(f->insn, name, sizeof name);
    at.length = (uint32_t)strlen(name);
  }
  diag_error(p->ctx, at, "@%s: %s%s%s%s", entry, f->insn ? "'" : "", name, f->insn ? "' " : "",
             f->message);
  emu_source from;
  if (f->insn && p->isa->source_of(p->module, f->insn, &from))
    diag_note(p->ctx,
              ((place){.file = from.file, .line = from.line, .column = from.column, .length = 1}),
              "the instruction comes from here");
  if (f->warp < 0) return;
  if (f->lane >= 0)
    diag_note(p->ctx, NOWHERE, "by thread (%u,%u,%u) of block (%u,%u,%u): warp %d, lane %d",
              f->thread[0], f->thread[1], f->thread[2], f->block[0], f->block[1], f->block[2],
              f->warp, f->lane);
  else
    diag_note(p->ctx, NOWHERE, "by warp %d of block (%u,%u,%u)", f->warp, f->block[0], f->block[1],
              f->block[2]);
}
