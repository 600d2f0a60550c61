/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emu/amdgcn/access.h"

#include "emu/amdgcn/lane_math.h"
#include "emu/async.h"
#include "emu/barrier.h"
#include "emu/isa.h"

/* A wave's accesses happen in their order, whichever of its lanes make them. */
static void order_lanes(emu_warp *w, const gcn_insn *i, bool writes) {
  gcn_wave *v = gcn_wave_of(w);
  if (v->wrote || (writes && v->touched))
    emu_tell_sync(w, &(emu_sync){.insn = i, .kind = EMU_SYNC_WARP, .lanes = w->lanes});
  v->wrote = writes;
  v->touched = true;
}

/* Half of a fence of the wave, which knows what all of its lanes have done. */
static void tell_fence(emu_warp *w, const gcn_insn *i, emu_sync_kind kind) {
  gcn_wave *v = gcn_wave_of(w);
  if (v->touched)
    emu_tell_sync(w, &(emu_sync){.insn = i, .kind = EMU_SYNC_WARP, .lanes = w->lanes});
  v->wrote = v->touched = false;
  emu_tell_sync(w, &(emu_sync){.insn = i, .kind = (uint8_t)kind, .lanes = w->lanes});
}

void gcn_acquire(emu_warp *w, const gcn_insn *i) {
  tell_fence(w, i, EMU_SYNC_ACQUIRE);
  gcn_wave_of(w)->wrote = gcn_wave_of(w)->touched = true; /* lanes tell each other of it, too */
}

/* What may be a flag: an atomic access that writes, or a store of one lane that may be atomic. Rows
 * of data are no flags. Where nothing of the wave's is under way, it hands on all before it. */
static void release(emu_warp *w, const gcn_insn *i, const emu_access *a) {
  if (a->kind == EMU_READ || (a->order == EMU_WEAK && !a->maybe)) return;
  if (a->maybe && emu_count_lanes(a->lanes) != 1) return;
  if (async_watch(w) && gcn_none_pending(w)) tell_fence(w, i, EMU_SYNC_RELEASE);
}

/* Where plain and atomic accesses of global memory are the same instruction: stores of processors
 * whose caches hand all stores on, and loads that begin a loop of comparing and swapping. */
static bool may_be_atomic(const emu_warp *w, const gcn_insn *i, emu_access_kind kind,
                          const emu_access *a) {
  const gpu_target *gpu = w->block->grid->device->info;
  if (kind == EMU_READ) return i->flags & GCN_VERIFIED;
  if (kind != EMU_WRITE || a->bytes > 8 || gpu_can(gpu, GPU_MARKED_STORES)) return false;
  EMU_FOR_LANES(l, a->lanes)
  if (a->address[l] % a->bytes) return false; /* atomic ones are aligned */
  return true;
}

bool gcn_begin(emu_warp *w, const gcn_insn *i, emu_space space, uint32_t bytes,
               emu_access_kind kind, emu_access *a) {
  a->insn = i;
  a->bytes = bytes;
  a->kind = (uint8_t)kind;
  /* Loads and stores that go past caches are what compilers make of atomic ones. */
  bool atomic = kind == EMU_ATOMIC || (i->flags & GCN_COHERENT);
  a->order = atomic ? EMU_RELAXED : EMU_WEAK;
  a->scope = atomic ? EMU_SCOPE_DEVICE : EMU_NO_SCOPE;
  a->maybe = !atomic && space != EMU_SHARED && may_be_atomic(w, i, kind, a);
  if (space != EMU_SHARED && space != EMU_LOCAL) release(w, i, a);
  order_lanes(w, i, kind != EMU_READ);
  if (space == EMU_SHARED) gcn_check_loaded(w, i, a);
  return emu_access_begin(w, space, kind == EMU_ATOMIC ? bytes : 1, a);
}

/* ---- registers ------------------------------------------------------------------------------ */

/* A register's contents after a load of fewer than 4 bytes. */
static uint32_t placed(const gcn_insn *i, uint32_t old, uint32_t v) {
  unsigned width = 8u * i->row->bytes;
  switch ((gcn_width)i->row->more) {
  case GCN_SIGNED: return (uint32_t)sext(v, width);
  case GCN_LOW: return (old & 0xffff0000) | v;
  case GCN_LOW_SIGNED: return (old & 0xffff0000) | ((uint32_t)sext(v, width) & 0xffff);
  case GCN_HIGH: return (old & 0xffff) | v << 16;
  case GCN_HIGH_SIGNED: return (old & 0xffff) | (uint32_t)sext(v, width) << 16;
  default: return v;
  }
}

void gcn_fill(emu_warp *w, const gcn_insn *i, const gcn_operand *result, const emu_access *a,
              emu_lanes lanes) {
  uint32_t *first = gcn_vector(w, result->first);
  unsigned bytes = a->bytes;
  EMU_FOR_LANES(l, lanes) {
    bool there = a->lanes >> l & 1;
    for (unsigned k = 0; 4 * k < bytes && k < result->count; k++) {
      uint32_t v = 0;
      if (there) memcpy(&v, a->host[l] + 4 * k, MIN(bytes - 4 * k, 4u));
      uint32_t *at = first + k * GCN_LANES + l;
      *at = bytes < 4 ? placed(i, *at, v) : v;
    }
  }
}

static uint32_t value_of(const emu_warp *w, const gcn_operand *o, unsigned k, unsigned lane) {
  return k < o->count ? gcn_vector(w, o->first + k)[lane] : 0;
}

void gcn_spill(emu_warp *w, const gcn_insn *i, const gcn_operand *value, const emu_access *a) {
  bool high = i->row->more >= GCN_HIGH;
  EMU_FOR_LANES(l, a->lanes)
  for (unsigned k = 0; 4 * k < a->bytes; k++) {
    uint32_t v = value_of(w, value, k, (unsigned)l);
    if (high) v >>= 16;
    memcpy(a->host[l] + 4 * k, &v, MIN(a->bytes - 4 * k, 4u));
  }
}

/* ---- atomics -------------------------------------------------------------------------------- */

static uint64_t add_halves(const num_format *f, uint64_t a, uint64_t b) {
  uint64_t r = 0;
  for (unsigned s = 0; s < 32; s += 16)
    r |= num_add(f, a >> s & 0xffff, b >> s & 0xffff, NUM_NEAREST_EVEN, false) << s;
  return r;
}

static uint64_t updated(unsigned bytes, unsigned update, uint64_t a, uint64_t b,
                        uint64_t compared) {
  int64_t x = sext(a, 8 * bytes), y = sext(b, 8 * bytes);
  switch ((gcn_update)update) {
  case GCN_COMPARE_SWAP: return a == compared ? b : a;
  case GCN_ADD: return a + b;
  case GCN_SUB: return a - b;
  case GCN_RSUB: return b - a;
  case GCN_SMIN: return x < y ? a : b;
  case GCN_UMIN: return a < b ? a : b;
  case GCN_SMAX: return x > y ? a : b;
  case GCN_UMAX: return a > b ? a : b;
  case GCN_AND: return a & b;
  case GCN_OR: return a | b;
  case GCN_XOR: return a ^ b;
  case GCN_INC: return a >= b ? 0 : a + 1;
  case GCN_DEC: return a == 0 || a > b ? b : a - 1;
  case GCN_ADD_F32: return RF(F(a) + F(b));
  case GCN_MIN_F32: return RF((float)smaller(F(a), F(b)));
  case GCN_MAX_F32: return RF((float)larger(F(a), F(b)));
  case GCN_ADD_F64: return RD(D(a) + D(b));
  case GCN_MIN_F64: return RD(smaller(D(a), D(b)));
  case GCN_MAX_F64: return RD(larger(D(a), D(b)));
  case GCN_ADD_PK_F16: return add_halves(num_format_of(TSR_F16), a, b);
  case GCN_ADD_PK_BF16: return add_halves(num_format_of(TSR_BF16), a, b);
  default: return b;
  }
}

uint64_t gcn_update_memory(uint8_t *p, unsigned bytes, unsigned update, uint64_t operand,
                           uint64_t compared) {
  if (bytes == 4) {
    uint32_t *at = (uint32_t *)(void *)p, old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old,
                                        (uint32_t)updated(4, update, old, operand, compared), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
  }
  uint64_t *at = (uint64_t *)(void *)p, old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, updated(8, update, old, operand, compared), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

static uint64_t wide_value(const emu_warp *w, const gcn_operand *o, unsigned from, unsigned bytes,
                           unsigned lane) {
  uint64_t high = bytes == 8 ? value_of(w, o, from + 1, lane) : 0;
  return value_of(w, o, from, lane) | high << 32;
}

void gcn_update_lanes(emu_warp *w, const gcn_insn *i, const gcn_operand *value,
                      const gcn_operand *compared, const gcn_operand *result, const emu_access *a,
                      emu_lanes lanes) {
  unsigned bytes = a->bytes;
  uint64_t old[GCN_LANES] = {0};
  EMU_FOR_LANES(l, a->lanes) {
    uint64_t v = wide_value(w, value, 0, bytes, (unsigned)l);
    uint64_t c = compared == value ? wide_value(w, value, bytes / 4, bytes, (unsigned)l)
                 : compared        ? wide_value(w, compared, 0, bytes, (unsigned)l)
                                   : 0;
    old[l] = gcn_update_memory(a->host[l], bytes, i->row->kind, v, c);
  }
  if (!result) return;
  EMU_FOR_LANES(l, lanes)
  for (unsigned k = 0; 4 * k < bytes && k < result->count; k++)
    gcn_vector(w, result->first + k)[l] = (uint32_t)(old[l] >> 32 * k);
}
