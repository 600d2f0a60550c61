/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The local memory of threads, and the instructions that change its stack.
 */
#include "emu/ptx/local.h"

#include <stdlib.h>

emu_local local_find(const emu_warp *w, unsigned lane, uint64_t address, uint32_t bytes) {
  const emu_stack *s = &w->stack;
  if (address >= EMU_STACK_BASE) {
    uint64_t offset = address - EMU_STACK_BASE, top = s->top[lane];
    if (offset > top || bytes > top - offset) return (emu_local){0};
    size_t at = (size_t)lane * s->bytes + offset;
    return (emu_local){s->host + at, s->written ? s->written + at : NULL};
  }
  for (const emu_frame *f = w->split->frame; f; f = f->parent) {
    if (address < f->local_base) continue;
    uint64_t offset = address - f->local_base;
    uint32_t size = f->local_bytes;
    if (offset > size || bytes > size - offset) break;
    size_t at = (size_t)lane * size + offset;
    return (emu_local){f->local + at, f->written ? f->written + at : NULL};
  }
  return (emu_local){0};
}

void local_begin(emu_warp *w) {
  memset(w->stack.top, 0, sizeof w->stack.top);
}

void local_enter(const emu_warp *w, emu_frame *f) {
  memcpy(f->stack_top, w->stack.top, sizeof f->stack_top);
}

void local_leave(emu_warp *w, const emu_frame *f, uint32_t lanes) {
  EMU_FOR_LANES(l, lanes) w->stack.top[l] = f->stack_top[l];
}

void local_free(emu_warp *w) {
  free(w->stack.host);
  free(w->stack.written);
  w->stack = (emu_stack){0};
}

/* Threads' stacks lie one behind the other, so larger ones are copied apart. */
static uint8_t *spread(uint8_t *old, uint32_t old_bytes, uint32_t bytes) {
  uint8_t *host = calloc(EMU_LANES, bytes);
  for (unsigned l = 0; host && old && l < EMU_LANES; l++)
    memcpy(host + (size_t)l * bytes, old + (size_t)l * old_bytes, old_bytes);
  if (host) free(old);
  return host;
}

static bool grow(emu_warp *w, uint64_t need) {
  emu_stack *s = &w->stack;
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

/* alloca.type ptr, size, alignment */
emu_step emu_op_alloca(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *alignment = &i->op_list[2];
  EMU_FOR_LANES(l, lanes) {
    uint64_t size = emu_get(w, &i->op_list[1], l);
    uint64_t align = alignment->kind == PTX_OPERAND_NONE ? 8 : emu_get(w, alignment, l);
    if (align == 0 || align > 4096 || align & (align - 1)) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL, "the alignment is %llu: it is a power of two",
               (unsigned long long)align);
      return EMU_EXITED;
    }
    uint64_t at = ((uint64_t)w->stack.top[l] + align - 1) & ~(align - 1);
    if (size > EMU_MAX_STACK || at + size > EMU_MAX_STACK) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL,
               "allocates %llu bytes where the thread has %u already: a stack has at most %d",
               (unsigned long long)size, w->stack.top[l], EMU_MAX_STACK);
      return EMU_EXITED;
    }
    if (!grow(w, at + size)) {
      emu_fail(w, i, (int)l, EMU_FAULT_MEMORY, "there is no memory for the stacks of a warp");
      return EMU_EXITED;
    }
    size_t row = (size_t)l * w->stack.bytes;
    memset(w->stack.host + row + at, 0, size);
    if (w->stack.written) memset(w->stack.written + row + at, 0, size);
    w->stack.top[l] = (uint32_t)(at + size);
    emu_set(w, &i->op_list[0], l, EMU_STACK_BASE + at);
  }
  return EMU_NEXT;
}

emu_step emu_op_stacksave(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  EMU_FOR_LANES(l, lanes) emu_set(w, &i->op_list[0], l, EMU_STACK_BASE + w->stack.top[l]);
  return EMU_NEXT;
}

emu_step emu_op_stackrestore(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  EMU_FOR_LANES(l, lanes) {
    uint64_t to = emu_get(w, &i->op_list[0], l) - EMU_STACK_BASE;
    if (to > w->stack.top[l] || to < w->split->frame->stack_top[l]) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL,
               "takes what stacksave gave in this call, not 0x%llx",
               (unsigned long long)(to + EMU_STACK_BASE));
      return EMU_EXITED;
    }
    w->stack.top[l] = (uint32_t)to;
  }
  return EMU_NEXT;
}
