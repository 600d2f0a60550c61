/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Accesses: from the addresses of a warp's lanes to where they lie on the host, with all checks.
 */
#include "emu/ptx/local.h"
#include "emu/run.h"

static const char *kind_text(emu_access_kind kind) {
  return kind == EMU_READ ? "reads" : kind == EMU_WRITE ? "writes" : "accesses";
}

/* What is being resolved for one lane. */
typedef struct lane_access {
  emu_warp *warp;
  const ptx_insn *insn;
  unsigned lane;
  uint32_t bytes;
  emu_access_kind kind;
  uint64_t address; /* as the program gave it */
} lane_access;

static bool outside(const lane_access *x, const char *what) {
  return emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_BOUNDS, x->address,
                          "%s %u bytes at 0x%llx, %s", kind_text(x->kind), x->bytes,
                          (unsigned long long)x->address, what);
}

/* ---- spaces --------------------------------------------------------------------------------- */

static bool fault_global(const lane_access *x, const emu_allocation *a) {
  char text[128];
  if (!a || x->address < EMU_GLOBAL_BASE) return outside(x, "where nothing is allocated");
  uint64_t offset = x->address - a->base;
  if (a->freed)
    return emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_FREED, x->address,
                            "%s %u bytes at 0x%llx, in memory that was freed (offset %llu of %llu "
                            "bytes)",
                            kind_text(x->kind), x->bytes, (unsigned long long)x->address,
                            (unsigned long long)offset, (unsigned long long)a->bytes);
  if (a->constant && offset < a->bytes)
    return emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_READ_ONLY, x->address,
                            "writes to '%s', which is .const", a->name ? a->name : "");
  snprintf(text, sizeof text, "%llu bytes behind the begin of %s, which has %llu bytes",
           (unsigned long long)offset, a->name ? a->name : "a buffer",
           (unsigned long long)a->bytes);
  return outside(x, text);
}

static bool lies_in(const emu_allocation *a, uint64_t address, uint32_t bytes) {
  uint64_t offset = address - a->base;
  return offset < a->bytes && bytes <= a->bytes - offset;
}

static uint8_t *in_global(const lane_access *x, emu_allocation **found) {
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

static uint8_t *in_shared(const lane_access *x, uint64_t address, bool own_only, uint64_t *normal) {
  emu_block *b = x->warp->block;
  emu_block *target = address >> 32 ? NULL : emu_shared_block(b, address);
  uint32_t offset = EMU_SHARED_OFFSET(address);
  if (!target || (own_only && target != b)) {
    outside(x, own_only && target ? "in another block's shared memory, through .shared::cta"
                                  : "outside of shared memory");
    return NULL;
  }
  if (target->ended == target->n_threads) {
    emu_fail_address(x->warp, x->insn, (int)x->lane, EMU_FAULT_FREED, x->address,
                     "%s %u bytes of shared memory of a block of the cluster that has ended; a "
                     "barrier.cluster at the end of the kernel keeps it",
                     kind_text(x->kind), x->bytes);
    return NULL;
  }
  if (!is_inside(target, offset, x->bytes)) {
    char text[96];
    snprintf(text, sizeof text, "outside of the block's %u bytes of shared memory",
             target->shared_bytes);
    outside(x, text);
    return NULL;
  }
  *normal = (uint64_t)(target->rank + 1) << EMU_SHARED_RANK_SHIFT | offset;
  return target->shared + offset;
}

static uint8_t *in_local(const lane_access *x, uint64_t address) {
  emu_local found = local_find(x->warp, x->lane, address, x->bytes);
  if (!found.host) outside(x, "outside of the thread's local variables");
  return found.host;
}

static uint8_t *in_params(const lane_access *x, uint64_t address) {
  emu_warp *w = x->warp;
  emu_frame *f = w->split->frame;
  if (address >= PTX_FRAME_PARAMS) {
    uint64_t offset = address - PTX_FRAME_PARAMS;
    uint32_t size = f->function->call_bytes;
    if (offset <= size && x->bytes <= size - offset)
      return f->call_area + (size_t)x->lane * size + offset;
  } else {
    uint32_t size = w->block->grid->entry->param_bytes;
    if (address <= size && x->bytes <= size - address) {
      if (x->kind == EMU_READ) return w->block->grid->params + address;
      emu_fail_address(w, x->insn, (int)x->lane, EMU_FAULT_READ_ONLY, x->address,
                       "writes to the kernel's parameters");
      return NULL;
    }
  }
  outside(x, "outside of the parameters");
  return NULL;
}

static uint8_t space_of(uint64_t address) {
  switch (EMU_WINDOW(address)) {
  case 0: return PTX_GLOBAL;
  case EMU_WINDOW_SHARED: return PTX_SHARED_CLUSTER;
  case EMU_WINDOW_LOCAL: return PTX_LOCAL;
  case EMU_WINDOW_PARAM: return PTX_PARAM;
  default: return PTX_GENERIC;
  }
}

/* One lane: fills host, address and allocation. Returns the space; PTX_GENERIC after a fault. */
static uint8_t resolve(const lane_access *x, ptx_space space, emu_access *a) {
  uint64_t address = x->address;
  uint8_t s = (uint8_t)space;
  if (space == PTX_GENERIC) {
    s = space_of(address);
    if (s != PTX_GLOBAL) address &= ~(UINT64_C(0xff) << 56);
  }
  unsigned l = x->lane;
  a->address[l] = address;
  a->allocation[l] = NULL;
  switch (s) {
  case PTX_GLOBAL:
  case PTX_CONST:
    a->host[l] = in_global(x, &a->allocation[l]);
    s = PTX_GLOBAL;
    break;
  case PTX_SHARED:
  case PTX_SHARED_CLUSTER:
    a->host[l] = in_shared(x, address, s == PTX_SHARED, &a->address[l]);
    s = PTX_SHARED;
    break;
  case PTX_LOCAL: a->host[l] = in_local(x, address); break;
  case PTX_PARAM: a->host[l] = in_params(x, address); break;
  default: outside(x, "which is no address of any memory"); a->host[l] = NULL;
  }
  return a->host[l] ? s : PTX_GENERIC;
}

/* ---- warps ---------------------------------------------------------------------------------- */

static void tell(emu_warp *w, emu_access *a, const uint8_t space[EMU_LANES]) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  if (!watcher || !watcher->access) return;
  uint32_t all = a->lanes;
  for (uint32_t rest = all; rest;) {
    a->space = space[__builtin_ctz(rest)];
    a->lanes = 0;
    EMU_FOR_LANES(l, rest) if (space[l] == a->space) a->lanes |= 1u << l;
    rest &= ~a->lanes;
    watcher->access(watcher->user, w, a);
  }
  a->lanes = all;
}

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
  const uint64_t *wide = emu_row(w, o->row);
  const uint32_t *narrow = emu_row(w, o->row);
  bool is_wide = o->bytes == 8;
  if (a->bytes > size) return false;
  uint64_t limit = size - a->bytes, wrong = 0, shift = (uint64_t)o->offset - base;
  uint64_t normal = global ? base : (uint64_t)(b->rank + 1) << EMU_SHARED_RANK_SHIFT;
  EMU_FOR_LANES(l, a->lanes) {
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

bool emu_access_begin(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *o,
                      ptx_space space, uint32_t bytes, uint32_t align, emu_access_kind kind,
                      emu_access *a) {
  uint8_t lane_space[EMU_LANES];
  a->insn = i;
  a->lanes = lanes;
  a->bytes = bytes;
  a->kind = (uint8_t)kind;
  a->order = i->order;
  a->scope = i->scope;
  a->async = false;
  if (begin_fast(w, o, space, align, a)) {
    memset(lane_space, (int)space, sizeof lane_space);
    tell(w, a, lane_space);
    return true;
  }
  lane_access x = {.warp = w, .insn = i, .bytes = bytes, .kind = kind};
  EMU_FOR_LANES(l, lanes) {
    x.lane = l;
    x.address = o ? emu_get(w, o, l) + (uint64_t)o->offset : a->address[l];
    if (o && o->bytes == 4) x.address &= 0xffffffffu;
    if (x.address & (align - 1)) {
      a->lanes &= ~(1u << l);
      if (!emu_fail_address(w, i, (int)l, EMU_FAULT_ALIGN, x.address,
                            "%s %u bytes at 0x%llx, which is no multiple of %u", kind_text(kind),
                            bytes, (unsigned long long)x.address, align))
        return false;
      continue;
    }
    lane_space[l] = resolve(&x, space, a);
    if (a->host[l]) continue;
    a->lanes &= ~(1u << l);
    if (w->block->grid->stop) return false;
  }
  if (a->lanes) {
    a->space = lane_space[__builtin_ctz(a->lanes)];
    tell(w, a, lane_space);
  }
  return true;
}

uint8_t *emu_reach(emu_block *b, ptx_space space, uint64_t address, uint64_t bytes, bool write) {
  if (bytes > UINT32_MAX) return NULL;
  lane_access x = {.warp = &b->warps[0],
                   .bytes = (uint32_t)bytes,
                   .kind = write ? EMU_WRITE : EMU_READ,
                   .address = address};
  emu_access a;
  if (space == PTX_LOCAL || space == PTX_PARAM) return NULL;
  resolve(&x, space, &a);
  return a.host[0];
}
