/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads, stores, atomics, fences. Source: PTX ISA, "Data Movement …: ld, st", "Parallel
 * Synchronization …: atom, red, membar, fence".
 *
 * Single accesses of up to 8 bytes are atomic on the host, too: blocks execute on several host
 * threads. The host's order is at least what PTX asks for with .acquire and .release.
 */
#include <stdlib.h>

#include "emu/ptx/floats.h"
#include "emu/ptx/lanes.h"

/* ---- one element on the host ---------------------------------------------------------------- */

static uint64_t host_load(const uint8_t *p, unsigned bytes) {
  switch (bytes) {
  case 1: return __atomic_load_n(p, __ATOMIC_RELAXED);
  case 2: return __atomic_load_n((const uint16_t *)(const void *)p, __ATOMIC_RELAXED);
  case 4: return __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_RELAXED);
  default: return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED);
  }
}

static void host_store(uint8_t *p, unsigned bytes, uint64_t v) {
  switch (bytes) {
  case 1: __atomic_store_n(p, (uint8_t)v, __ATOMIC_RELAXED); break;
  case 2: __atomic_store_n((uint16_t *)(void *)p, (uint16_t)v, __ATOMIC_RELAXED); break;
  case 4: __atomic_store_n((uint32_t *)(void *)p, (uint32_t)v, __ATOMIC_RELAXED); break;
  default: __atomic_store_n((uint64_t *)(void *)p, v, __ATOMIC_RELAXED); break;
  }
}

static bool host_exchange(uint8_t *p, unsigned bytes, uint64_t *seen, uint64_t wanted) {
  switch (bytes) {
  case 2: {
    uint16_t old = (uint16_t)*seen;
    bool done = __atomic_compare_exchange_n((uint16_t *)(void *)p, &old, (uint16_t)wanted, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *seen = old;
    return done;
  }
  case 4: {
    uint32_t old = (uint32_t)*seen;
    bool done = __atomic_compare_exchange_n((uint32_t *)(void *)p, &old, (uint32_t)wanted, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *seen = old;
    return done;
  }
  default:
    return __atomic_compare_exchange_n((uint64_t *)(void *)p, seen, wanted, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}

static void fence_before(const ptx_insn *i) {
  if (i->order >= PTX_RELEASE) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static void fence_after(const ptx_insn *i) {
  if (i->order >= PTX_ACQUIRE) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- ld and st ------------------------------------------------------------------------------ */

/* The k-th element of an operand that may be a vector. */
static const ptx_operand *element(const ptx_operand *o, unsigned k) {
  return o->kind == PTX_OPERAND_VECTOR ? &o->list[k] : o;
}

/* A loaded value in a register that may be wider: .sN is extended by its sign. */
static void set_loaded(emu_warp *w, const ptx_operand *d, unsigned l, ptx_type t,
                       const uint8_t *p) {
  unsigned bits = ptx_types[t].bits, have = ptx_types[d->type].bits;
  if (bits == 128) {
    uint64_t *row = ptx_row_at(w, d->row);
    memcpy(row + 2 * l, p, 16);
    return;
  }
  uint64_t v = host_load(p, bits / 8);
  if (ptx_types[t].class == PTX_CLASS_S && bits < have) {
    v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
    if (have < 64) v &= (UINT64_C(1) << have) - 1;
  }
  ptx_set(w, d, l, v);
}

static void store_element(emu_warp *w, const ptx_operand *s, unsigned l, ptx_type t, uint8_t *p) {
  unsigned bits = ptx_types[t].bits;
  if (bits == 128)
    memcpy(p, (const uint64_t *)ptx_row_at(w, s->row) + 2 * l, 16);
  else
    host_store(p, bits / 8, ptx_get(w, s, l));
}

emu_step ptx_op_ld(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type t = (ptx_type)i->type[0];
  unsigned size = ptx_types[t].bits / 8, bytes = size * i->vec;
  const ptx_operand *d = &i->op_list[0];
  emu_access a;
  if (!ptx_access_begin(w, i, lanes, &i->op_list[1], (ptx_space)i->space, bytes, bytes, EMU_READ,
                        &a))
    return EMU_EXITED;
  static const uint8_t zeros[64];
  if (a.lanes == lanes && i->vec == 1 && size == 4 && d->bytes == 4) { /* the frequent case */
    uint32_t *row = ptx_row_at(w, d->row);
    PTX_FOR_LANES(l, lanes) row[l] = (uint32_t)host_load(a.host[l], 4);
  } else {
    PTX_FOR_LANES(l, lanes) {
      const uint8_t *p = a.lanes >> l & 1 ? a.host[l] : zeros;
      for (unsigned k = 0; k < i->vec; k++) set_loaded(w, element(d, k), l, t, p + k * size);
    }
  }
  fence_after(i);
  return EMU_NEXT;
}

emu_step ptx_op_st(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type t = (ptx_type)i->type[0];
  unsigned size = ptx_types[t].bits / 8, bytes = size * i->vec;
  const ptx_operand *s = &i->op_list[1];
  emu_access a;
  if (!ptx_access_begin(w, i, lanes, &i->op_list[0], (ptx_space)i->space, bytes, bytes, EMU_WRITE,
                        &a))
    return EMU_EXITED;
  fence_before(i);
  PTX_FOR_LANES(l, a.lanes)
  for (unsigned k = 0; k < i->vec; k++) store_element(w, element(s, k), l, t, a.host[l] + k * size);
  return EMU_NEXT;
}

/* ---- atomics -------------------------------------------------------------------------------- */

static uint64_t minmax_int(ptx_type t, uint64_t a, uint64_t b, bool max) {
  bool less;
  switch (t) {
  case PTX_S32: less = (int32_t)a < (int32_t)b; break;
  case PTX_S64: less = (int64_t)a < (int64_t)b; break;
  default: less = a < b;
  }
  return less != max ? a : b;
}

static uint64_t float_update(ptx_type t, unsigned op, uint64_t a, uint64_t b) {
  const num_format *f = float_format(t);
  uint64_t mask = num_mask(f->bits), r = 0;
  /* Floats are added to the nearest; f32 in global memory flushes nothing (".noftz" of the others
   * says the same). */
  for (unsigned s = 0; s < ptx_types[t].bits; s += f->bits) {
    uint64_t x = a >> s & mask, y = b >> s & mask, v;
    if (op == PTX_OP_ADD)
      v = num_add(f, x, y, NUM_NEAREST_EVEN, false);
    else
      v = op == PTX_OP_MIN ? num_min(f, x, y, false, false) : num_max(f, x, y, false, false);
    r |= (num_is_nan(f, v) ? float_nan(f) : v) << s;
  }
  return r;
}

/* What memory holds after an operation: `a` before it, `b` the operand. */
static uint64_t updated(ptx_type t, unsigned op, uint64_t a, uint64_t b) {
  unsigned bits = ptx_types[t].bits;
  if (ptx_types[t].class == PTX_CLASS_F) return float_update(t, op, a, b);
  uint64_t r;
  switch (op) {
  case PTX_OP_ADD: r = a + b; break;
  case PTX_OP_AND: r = a & b; break;
  case PTX_OP_OR: r = a | b; break;
  case PTX_OP_XOR: r = a ^ b; break;
  case PTX_OP_INC: r = (uint32_t)a >= (uint32_t)b ? 0 : a + 1; break;
  case PTX_OP_DEC: r = a == 0 || (uint32_t)a > (uint32_t)b ? b : a - 1; break;
  case PTX_OP_MIN: r = minmax_int(t, a, b, false); break;
  case PTX_OP_MAX: r = minmax_int(t, a, b, true); break;
  default: r = b; break;
  }
  return bits == 64 ? r : r & num_mask(bits);
}

/* 128 bits are atomic under a lock: no other access of that size exists. */
static pthread_mutex_t wide_lock = PTHREAD_MUTEX_INITIALIZER;

static void wide_exchange(emu_warp *w, const ptx_insn *i, unsigned l, uint8_t *p, bool compare) {
  uint64_t old[2], given[2], next[2];
  memcpy(given, (const uint64_t *)ptx_row_at(w, i->op_list[2].row) + 2 * l, 16);
  memcpy(next, (const uint64_t *)ptx_row_at(w, i->op_list[compare ? 3 : 2].row) + 2 * l, 16);
  pthread_mutex_lock(&wide_lock);
  memcpy(old, p, 16);
  if (!compare || (old[0] == given[0] && old[1] == given[1])) memcpy(p, next, 16);
  pthread_mutex_unlock(&wide_lock);
  memcpy((uint64_t *)ptx_row_at(w, i->op_list[0].row) + 2 * l, old, 16);
}

static uint64_t update(uint8_t *p, ptx_type t, unsigned op, uint64_t operand) {
  unsigned bytes = ptx_types[t].bits / 8;
  uint64_t old = host_load(p, bytes);
  while (!host_exchange(p, bytes, &old, updated(t, op, old, operand))) continue;
  return old;
}

/* `dest` NULL: red. */
static emu_step atomic(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_operand *dest,
                       const ptx_operand *address, const ptx_operand *value) {
  ptx_type t = (ptx_type)i->type[0];
  unsigned size = ptx_types[t].bits / 8, bytes = size * i->vec;
  emu_access a;
  if (!ptx_access_begin(w, i, lanes, address, (ptx_space)i->space, bytes, bytes, EMU_ATOMIC, &a))
    return EMU_EXITED;
  PTX_FOR_LANES(l, a.lanes) {
    if (size == 16) {
      wide_exchange(w, i, l, a.host[l], false);
      continue;
    }
    for (unsigned k = 0; k < i->vec; k++) {
      uint64_t old = update(a.host[l] + k * size, t, i->op, ptx_get(w, element(value, k), l));
      if (dest) ptx_set(w, element(dest, k), l, old);
    }
  }
  return EMU_NEXT;
}

emu_step ptx_op_atom(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return atomic(w, i, lanes, &i->op_list[0], &i->op_list[1], &i->op_list[2]);
}
emu_step ptx_op_red(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return atomic(w, i, lanes, NULL, &i->op_list[0], &i->op_list[1]);
}

emu_step ptx_op_atom_cas(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type t = (ptx_type)i->type[0];
  unsigned size = ptx_types[t].bits / 8;
  emu_access a;
  if (!ptx_access_begin(w, i, lanes, &i->op_list[1], (ptx_space)i->space, size, size, EMU_ATOMIC,
                        &a))
    return EMU_EXITED;
  PTX_FOR_LANES(l, a.lanes) {
    if (size == 16) {
      wide_exchange(w, i, l, a.host[l], true);
      continue;
    }
    uint64_t seen = ptx_get(w, &i->op_list[2], l) & num_mask(8 * size);
    host_exchange(a.host[l], size, &seen, ptx_get(w, &i->op_list[3], l));
    ptx_set(w, &i->op_list[0], l, seen);
  }
  return EMU_NEXT;
}

/* ---- the rest ------------------------------------------------------------------------------- */

emu_step ptx_op_fence(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  emu_tell_sync(w, &(emu_sync){.insn = i, .kind = EMU_SYNC_FENCE, .lanes = lanes});
  return EMU_NEXT;
}

/* Hints. */
emu_step ptx_op_nothing(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  (void)w, (void)i, (void)lanes;
  return EMU_NEXT;
}

emu_step ptx_op_createpolicy(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) ptx_set(w, &i->op_list[0], l, 0);
  return EMU_NEXT;
}
