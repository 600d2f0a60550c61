/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Accesses by operands.
 */
#include "emu/ptx/handlers.h"

/* The frequent case: all lanes lie in the allocation of the access before, or in the block's own
 * shared memory, aligned. False when that isn't so; then each lane is looked at on its own. */
static bool begin_fast(const emu_warp *w, const ptx_operand *o, ptx_space space, uint32_t align,
                       emu_access *a) {
  emu_allocation *r = w->recent;
  const emu_block *b = w->block;
  bool global = space == PTX_GLOBAL;
  if (!o || o->bytes > 8 || (!global && space != PTX_SHARED)) return false;
  if (global && (!r || r->freed || (r->constant && a->kind != EMU_READ))) return false;
  uint64_t base = global ? r->base : 0, size = global ? r->bytes : b->shared_bytes;
  uint8_t *host = global ? r->host : b->shared;
  const uint64_t *wide = ptx_row_at(w, o->row);
  const uint32_t *narrow = ptx_row_at(w, o->row);
  bool is_wide = o->bytes == 8;
  if (a->bytes > size) return false;
  uint64_t limit = size - a->bytes, wrong = 0, shift = (uint64_t)o->offset - base;
  uint64_t normal = global ? base : emu_shared_address(b, 0);
  PTX_FOR_LANES(l, a->lanes) {
    uint64_t offset =
        is_wide ? wide[l] + shift : (uint32_t)(narrow[l] + (uint32_t)o->offset) - base;
    wrong |= (offset & (align - 1)) | (offset > limit);
    a->host[l] = (uint8_t *)((uintptr_t)host + offset); /* used only if it lies inside */
    a->address[l] = normal + offset;
    a->allocation[l] = global ? r : NULL;
  }
  a->space = (uint8_t)space;
  return !wrong;
}

bool ptx_access_begin(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *o,
                      ptx_space space, uint32_t bytes, uint32_t align, emu_access_kind kind,
                      emu_access *a) {
  a->insn = i;
  a->lanes = lanes;
  a->bytes = bytes;
  a->kind = (uint8_t)kind;
  a->order = i->order;
  a->maybe = false;
  a->scope = i->scope;
  if (begin_fast(w, o, space, align, a)) {
    emu_tell_access(w, a);
    return true;
  }
  if (o) PTX_FOR_LANES(l, lanes) {
      uint64_t address = ptx_get(w, o, l) + (uint64_t)o->offset;
      a->address[l] = o->bytes == 4 ? address & 0xffffffffu : address;
    }
  return emu_access_begin(w, (emu_space)space, align, a);
}
