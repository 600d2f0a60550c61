/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Accesses: from the addresses of a warp's lanes to where they lie on the host, with all checks.
 */
#include "emu/memory.h"

#include <stdio.h>

#include "emu/fault.h"
#include "emu/isa.h"

static const char *kind_text(emu_access_kind kind) {
  return kind == EMU_READ ? "reads" : kind == EMU_WRITE ? "writes" : "accesses";
}

static const emu_words *words_of(const emu_reached *x) {
  return x->warp->block->grid->program->isa->words;
}

bool emu_outside(const emu_reached *x, const char *what) {
  return emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_BOUNDS, x->address,
                          "%s %u bytes at 0x%llx, %s", kind_text(x->kind), x->bytes,
                          (unsigned long long)x->address, what);
}

/* ---- spaces --------------------------------------------------------------------------------- */

static bool fault_global(const emu_reached *x, const emu_allocation *a) {
  char text[128];
  if (!a || x->address < EMU_GLOBAL_BASE) return emu_outside(x, "where nothing is allocated");
  uint64_t offset = x->address - a->base;
  if (a->freed)
    return emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_FREED, x->address,
                            "%s %u bytes at 0x%llx, in memory that was freed (offset %llu of %llu "
                            "bytes)",
                            kind_text(x->kind), x->bytes, (unsigned long long)x->address,
                            (unsigned long long)offset, (unsigned long long)a->bytes);
  if (a->constant && offset < a->bytes)
    return emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_READ_ONLY, x->address,
                            "writes to '%s', which is %s", a->name ? a->name : "",
                            words_of(x)->constant);
  snprintf(text, sizeof text, "%llu bytes behind the begin of %s, which has %llu bytes",
           (unsigned long long)offset, a->name ? a->name : "a buffer",
           (unsigned long long)a->bytes);
  return emu_outside(x, text);
}

static bool lies_in(const emu_allocation *a, uint64_t address, uint32_t bytes) {
  uint64_t offset = address - a->base;
  return offset < a->bytes && bytes <= a->bytes - offset;
}

static uint8_t *in_global(const emu_reached *x, emu_allocation **found) {
  emu_warp *w = x->warp;
  emu_allocation *a = w->recent;
  if (!a || !lies_in(a, x->address, x->bytes)) a = emu_find(w->block->grid->device, x->address);
  if (!a || !lies_in(a, x->address, x->bytes) || a->freed || (a->constant && x->kind != EMU_READ)) {
    fault_global(x, a);
    return NULL;
  }
  w->recent = a;
  *found = a;
  return a->host + (x->address - a->base);
}

emu_block *emu_shared_block(emu_block *b, uint64_t address) {
  uint32_t rank = EMU_SHARED_RANK(address);
  if (rank == 0) return b;
  return rank <= b->cluster->n_blocks ? &b->cluster->blocks[rank - 1] : NULL;
}

/* Whether bytes lie in what a block has declared, or in what is reserved behind it. */
static bool is_inside(const emu_block *b, uint32_t offset, uint32_t bytes) {
  if (b->reserved_at && offset >= b->reserved_at)
    return offset <= emu_shared_size(b) && bytes <= emu_shared_size(b) - offset;
  return offset <= b->shared_bytes && bytes <= b->shared_bytes - offset;
}

static uint8_t *in_shared(const emu_reached *x, uint64_t address, bool own_only, uint64_t *normal) {
  emu_block *b = x->warp->block;
  emu_block *target = address >> 32 ? NULL : emu_shared_block(b, address);
  uint32_t offset = EMU_SHARED_OFFSET(address);
  if (!target || (own_only && target != b)) {
    char text[96];
    snprintf(text, sizeof text, "in another block's shared memory, through %s",
             words_of(x)->own_shared);
    emu_outside(x, own_only && target ? text : "outside of shared memory");
    return NULL;
  }
  if (target->ended == target->n_threads) {
    emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_FREED, x->address,
                     "%s %u bytes of shared memory of a block of the cluster that has ended; a "
                     "%s at the end of the kernel keeps it",
                     kind_text(x->kind), x->bytes, words_of(x)->cluster_barrier);
    return NULL;
  }
  if (!is_inside(target, offset, x->bytes)) {
    char text[96];
    snprintf(text, sizeof text, "outside of the block's %u bytes of shared memory",
             target->shared_bytes);
    emu_outside(x, text);
    return NULL;
  }
  *normal = emu_shared_address(target, offset);
  return target->shared + offset;
}

static uint8_t space_of(uint64_t address) {
  switch (EMU_WINDOW(address)) {
  case 0: return EMU_GLOBAL;
  case EMU_WINDOW_SHARED: return EMU_SHARED_CLUSTER;
  case EMU_WINDOW_LOCAL: return EMU_LOCAL;
  case EMU_WINDOW_PARAM: return EMU_PARAM;
  default: return EMU_GENERIC;
  }
}

/* One lane: fills host, address and allocation. Returns the space; EMU_GENERIC after a fault. */
static uint8_t resolve(const emu_reached *x, emu_space space, emu_access *a) {
  uint64_t address = x->address;
  uint8_t s = (uint8_t)space;
  if (space == EMU_GENERIC) {
    s = space_of(address);
    if (s != EMU_GLOBAL) address &= ~(UINT64_C(0xff) << 56);
  }
  unsigned l = x->lane;
  a->address[l] = address;
  a->allocation[l] = NULL;
  switch (s) {
  case EMU_GLOBAL:
  case EMU_CONST:
    a->host[l] = in_global(x, &a->allocation[l]);
    s = EMU_GLOBAL;
    break;
  case EMU_SHARED:
  case EMU_SHARED_CLUSTER:
    a->host[l] = in_shared(x, address, s == EMU_SHARED, &a->address[l]);
    s = EMU_SHARED;
    break;
  case EMU_LOCAL:
  case EMU_PARAM:
    a->host[l] = x->warp->block->grid->program->isa->reach_own(x, (emu_space)s, address);
    break;
  default: emu_outside(x, "which is no address of any memory"); a->host[l] = NULL;
  }
  return a->host[l] ? s : EMU_GENERIC;
}

/* ---- warps ---------------------------------------------------------------------------------- */

void emu_tell_access(emu_warp *w, const emu_access *a) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  if (watcher && watcher->access) watcher->access(watcher->user, w, a);
}

static void tell(emu_warp *w, emu_access *a, const uint8_t space[EMU_MAX_LANES]) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  if (!watcher || !watcher->access) return;
  emu_lanes all = a->lanes;
  for (emu_lanes rest = all; rest;) {
    a->space = space[emu_first_lane(rest)];
    a->lanes = 0;
    EMU_FOR_LANES(l, rest) if (space[l] == a->space) a->lanes |= emu_lane_bit((unsigned)l);
    rest &= ~a->lanes;
    watcher->access(watcher->user, w, a);
  }
  a->lanes = all;
}

bool emu_access_begin(emu_warp *w, emu_space space, uint32_t align, emu_access *a) {
  uint8_t lane_space[EMU_MAX_LANES];
  emu_access_kind kind = (emu_access_kind)a->kind;
  emu_reached x = {.warp = w, .insn = a->insn, .bytes = a->bytes, .kind = kind};
  EMU_FOR_LANES(l, a->lanes) {
    x.lane = (unsigned)l;
    x.address = a->address[l];
    if (x.address & (align - 1)) {
      a->lanes &= ~emu_lane_bit(x.lane);
      if (!emu_fail_address(w, a->insn, (int)l, EMU_FAULT_ALIGN, x.address,
                            "%s %u bytes at 0x%llx, which is no multiple of %u", kind_text(kind),
                            a->bytes, (unsigned long long)x.address, align))
        return false;
      continue;
    }
    lane_space[l] = resolve(&x, space, a);
    if (a->host[l]) continue;
    a->lanes &= ~emu_lane_bit(x.lane);
    if (w->block->grid->stop) return false;
  }
  if (a->lanes) {
    a->space = lane_space[emu_first_lane(a->lanes)];
    tell(w, a, lane_space);
  }
  return true;
}

uint8_t *emu_reach(emu_block *b, emu_space space, uint64_t address, uint64_t bytes, bool write) {
  if (bytes > UINT32_MAX) return NULL;
  emu_reached x = {.warp = &b->warps[0],
                   .bytes = (uint32_t)bytes,
                   .kind = write ? EMU_WRITE : EMU_READ,
                   .address = address};
  emu_access a;
  if (space == EMU_LOCAL || space == EMU_PARAM) return NULL;
  resolve(&x, space, &a);
  return a.host[0];
}
