/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of the instructions that change tensor maps on the card, and of the fence that copies by
 * them need: they read maps through a proxy of their own, which may still hold what was there
 * before. Source: PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy", "membar/fence".
 *
 * A block keeps the addresses of the maps that it changed until one of its threads executes
 * fence.proxy.tensormap::generic.acquire on them. What other blocks changed is not followed.
 */
#include <stdlib.h>

#include "emu/ptx/handlers.h"
#include "emu/ptx/pending.h"
#include "emu/ptx/exec_matrix.h"
#include "emu/ptx/tensormap.h"

/* ---- which maps want a fence ---------------------------------------------------------------- */

static uint32_t find_changed(const async_block *b, uint64_t address) {
  uint32_t k = 0;
  while (k < b->n_changed_maps && b->changed_maps[k] != address) k++;
  return k;
}

static void note_changed(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address) {
  async_block *b = async_of_block(w->block);
  if (b && find_changed(b, address) < b->n_changed_maps) return;
  if (b && b->n_changed_maps == b->cap_changed_maps) {
    uint32_t cap = MAX(8, 2 * b->cap_changed_maps);
    uint64_t *maps = realloc(b->changed_maps, cap * sizeof *maps);
    if (maps) b->changed_maps = maps, b->cap_changed_maps = cap;
  }
  if (b && b->n_changed_maps < b->cap_changed_maps)
    b->changed_maps[b->n_changed_maps++] = address;
  else
    emu_fail(w, i, (int)lane, EMU_FAULT_MEMORY, "there is no memory to follow tensor maps");
}

void changed_map_used(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address) {
  const async_block *b = w->block->async;
  if (b && find_changed(b, address) < b->n_changed_maps)
    async_tell_misuse(
        w, &(async_misuse){
               .insn = i,
               .lane = (int)lane,
               .fence = true,
               .message = "uses a tensor map that was changed on the card, without a fence between",
               .hint = "fence.proxy.tensormap::generic.acquire on the map before the copy"});
}

emu_step ptx_op_fence_tensormap(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_block *b = w->block->async;
  PTX_FOR_LANES(l, lanes) {
    if (ptx_get(w, &i->op_list[1], l) != TENSORMAP_BYTES) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL, "the size of a tensor map is 128 bytes, not %llu",
               (unsigned long long)ptx_get(w, &i->op_list[1], l));
      return EMU_NEXT;
    }
    uint64_t address = ptx_get(w, &i->op_list[0], l) + (uint64_t)i->op_list[0].offset;
    uint32_t k = b ? find_changed(b, address) : 0;
    if (b && k < b->n_changed_maps) b->changed_maps[k] = b->changed_maps[--b->n_changed_maps];
  }
  return ptx_op_fence_proxy(w, i, lanes);
}

/* ---- tensormap.replace ---------------------------------------------------------------------- */

emu_step ptx_op_tensormap_replace(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *o = i->op_list;
  emu_access a;
  if (!ptx_access_begin(w, i, lanes, &o[0], (ptx_space)i->space, TENSORMAP_BYTES, TENSORMAP_ALIGN,
                        EMU_WRITE, &a))
    return EMU_NEXT;
  PTX_FOR_LANES(l, a.lanes) {
    bool numbered = i->n_ops == 3;
    const char *problem = tensormap_replace(a.host[l], (tensormap_field)i->mode,
                                            numbered ? (uint32_t)ptx_get(w, &o[1], l) : 0,
                                            ptx_get(w, &o[numbered ? 2 : 1], l));
    if (problem) {
      emu_fail_address(w, i, (int)l, EMU_FAULT_ILLEGAL, a.address[l], "%s", problem);
      continue;
    }
    note_changed(w, i, l, a.address[l]);
  }
  return EMU_NEXT;
}

/* ---- tensormap.cp_fenceproxy ---------------------------------------------------------------- */

/* The warp copies one map together, from shared to global memory. */
emu_step ptx_op_tensormap_copy(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *o = i->op_list;
  emu_access to, from;
  lanes = matrix_lanes(w, i, lanes);
  if (!lanes) return emu_none_left(w);
  unsigned first = (unsigned)__builtin_ctz(lanes);
  if (ptx_get(w, &o[2], first) != TENSORMAP_BYTES) {
    emu_fail(w, i, (int)first, EMU_FAULT_ILLEGAL, "a tensor map has 128 bytes, not %llu",
             (unsigned long long)ptx_get(w, &o[2], first));
    return EMU_NEXT;
  }
  PTX_FOR_LANES(l, lanes)
  if (ptx_get(w, &o[0], l) != ptx_get(w, &o[0], first) ||
      ptx_get(w, &o[1], l) != ptx_get(w, &o[1], first)) {
    emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL,
             "the lanes of a warp copy one tensor map, all the "
             "same; this lane's addresses are others");
    return EMU_NEXT;
  }
  if (!ptx_access_begin(w, i, 1u << first, &o[1], PTX_SHARED, TENSORMAP_BYTES, TENSORMAP_ALIGN,
                        EMU_READ, &from) ||
      !ptx_access_begin(w, i, 1u << first, &o[0], PTX_GLOBAL, TENSORMAP_BYTES, TENSORMAP_ALIGN,
                        EMU_WRITE, &to) ||
      !from.lanes || !to.lanes)
    return EMU_NEXT;
  memmove(to.host[first], from.host[first], TENSORMAP_BYTES);
  note_changed(w, i, first, to.address[first]);
  return ptx_op_fence_proxy(w, i, lanes);
}
