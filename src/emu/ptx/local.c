/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The local memory of threads.
 */
#include "emu/ptx/local.h"

#include <stdlib.h>

ptx_local local_find(const emu_warp *w, unsigned lane, uint64_t address, uint32_t bytes) {
  const ptx_stack *s = &ptx_warp_of(w)->stack;
  if (address >= PTX_STACK_BASE) {
    uint64_t offset = address - PTX_STACK_BASE, top = s->top[lane];
    if (offset > top || bytes > top - offset) return (ptx_local){0};
    size_t at = (size_t)lane * s->bytes + offset;
    return (ptx_local){s->host + at, s->written ? s->written + at : NULL};
  }
  for (const ptx_frame *f = w->split->frame; f; f = f->parent) {
    if (address < f->local_base) continue;
    uint64_t offset = address - f->local_base;
    uint32_t size = f->local_bytes;
    if (offset > size || bytes > size - offset) break;
    size_t at = (size_t)lane * size + offset;
    return (ptx_local){f->local + at, f->written ? f->written + at : NULL};
  }
  return (ptx_local){0};
}

void local_begin(emu_warp *w) {
  memset(ptx_warp_of(w)->stack.top, 0, sizeof ptx_warp_of(w)->stack.top);
}

void local_enter(const emu_warp *w, ptx_frame *f) {
  memcpy(f->stack_top, ptx_warp_of(w)->stack.top, sizeof f->stack_top);
}

void local_leave(emu_warp *w, const ptx_frame *f, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) ptx_warp_of(w)->stack.top[l] = f->stack_top[l];
}

void local_free(emu_warp *w) {
  free(ptx_warp_of(w)->stack.host);
  free(ptx_warp_of(w)->stack.written);
  ptx_warp_of(w)->stack = (ptx_stack){0};
}

/* Threads' stacks lie one behind the other, so larger ones are copied apart. */
static uint8_t *spread(uint8_t *old, uint32_t old_bytes, uint32_t bytes) {
  uint8_t *host = calloc(PTX_LANES, bytes);
  for (unsigned l = 0; host && old && l < PTX_LANES; l++)
    memcpy(host + (size_t)l * bytes, old + (size_t)l * old_bytes, old_bytes);
  if (host) free(old);
  return host;
}

bool local_grow(emu_warp *w, uint64_t need) {
  ptx_stack *s = &ptx_warp_of(w)->stack;
  const emu_watcher *watcher = w->block->grid->o.watcher;
  uint32_t bytes = MAX(s->bytes, 1024u);
  while (bytes < need) bytes *= 2;
  if (bytes == s->bytes) return true;
  uint8_t *host = spread(s->host, s->bytes, bytes);
  if (!host) return false;
  s->host = host;
  if (watcher && watcher->local) {
    uint8_t *written = spread(s->written, s->bytes, bytes);
    if (!written) free(s->written);
    s->written = written; /* without memory it isn't known any more */
  }
  s->bytes = bytes;
  return true;
}
