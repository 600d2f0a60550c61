/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The LDS: a workgroup's memory, and the way between lanes through it.
 */
#include "emu/amdgcn/access.h"

static void issue(emu_warp *w, const gcn_insn *i, emu_lanes lanes, const gcn_operand *result,
                  bool memory) {
  gcn_operation o = {.insn = i,
                     .counters = gcn_counted(i, GCN_COUNT_LDS),
                     .ordered = true,
                     .lds = memory,
                     .lanes = lanes};
  if (result) o.result = *result;
  gcn_add_pending(w, &o);
}

/* Lanes' addresses, with the offset. */
static emu_access find(const emu_warp *w, const gcn_operand *address, uint32_t offset) {
  emu_access a = {.lanes = gcn_exec(w)};
  gcn_load(w, address, 'u', a.lanes, a.address);
  EMU_FOR_LANES(l, a.lanes) a.address[l] = (uint32_t)(a.address[l] + offset);
  return a;
}

emu_step gcn_run_lds_load(emu_warp *w, const gcn_insn *i) {
  emu_access a = find(w, &i->operands[1], (uint32_t)i->offset);
  emu_lanes lanes = a.lanes;
  if (!gcn_begin(w, i, EMU_SHARED, i->row->bytes, EMU_READ, &a)) return EMU_EXITED;
  gcn_fill(w, i, &i->operands[0], &a, lanes);
  issue(w, i, lanes, &i->operands[0], true);
  return EMU_NEXT;
}

emu_step gcn_run_lds_store(emu_warp *w, const gcn_insn *i) {
  emu_access a = find(w, &i->operands[0], (uint32_t)i->offset);
  emu_lanes lanes = a.lanes;
  if (!gcn_begin(w, i, EMU_SHARED, i->row->bytes, EMU_WRITE, &a)) return EMU_EXITED;
  gcn_spill(w, i, &i->operands[1], &a);
  issue(w, i, lanes, NULL, true);
  return EMU_NEXT;
}

/* ---- transposed -------------------------------------------------------------------------------
 */

/* Elements of sixteen lanes, in the order of lanes and within them, are rows of sixteen columns. */
static uint64_t transposed(const emu_access *a, unsigned lane, unsigned row, unsigned bits,
                           unsigned of_lane) {
  enum { COLUMNS = 16 };
  unsigned element = row * COLUMNS + lane % COLUMNS;
  unsigned from = lane / COLUMNS * COLUMNS + element / of_lane, bit = element % of_lane * bits;
  uint64_t v = 0;
  if (!(a->lanes >> from & 1)) return 0;
  memcpy(&v, a->host[from] + bit / 8, MIN(a->bytes - bit / 8, 8u));
  return v >> bit % 8 & ((UINT64_C(1) << bits) - 1);
}

emu_step gcn_run_lds_load_transposed(emu_warp *w, const gcn_insn *i) {
  emu_access a = find(w, &i->operands[1], (uint32_t)i->offset);
  emu_lanes lanes = a.lanes;
  const gcn_operand *result = &i->operands[0];
  unsigned bits = i->row->kind, of_lane = 8u * i->row->bytes / bits;
  if (!gcn_begin(w, i, EMU_SHARED, i->row->bytes, EMU_READ, &a)) return EMU_EXITED;
  EMU_FOR_LANES(l, lanes)
  for (unsigned k = 0, bit = 0; k < of_lane; k++, bit += bits) {
    uint64_t v = transposed(&a, (unsigned)l, k, bits, of_lane) << bit % 32;
    uint32_t *low = gcn_vector(w, result->first + bit / 32) + l;
    *low = (bit % 32 ? *low : 0) | (uint32_t)v;
    if (bit % 32 + bits > 32) low[GCN_LANES] = (uint32_t)(v >> 32);
  }
  issue(w, i, lanes, result, true);
  return EMU_NEXT;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static uint32_t pair_offset(const gcn_insn *i, unsigned k) {
  return (uint32_t)i->offsets[k] * i->row->bytes * i->row->kind;
}

/* Both addresses are known before a result is written, which may go to the address's register. */
emu_step gcn_run_lds_load_pair(emu_warp *w, const gcn_insn *i) {
  gcn_operand half = i->operands[0];
  half.count = i->row->bytes / 4;
  emu_access a[2];
  for (unsigned k = 0; k < 2; k++) a[k] = find(w, &i->operands[1], pair_offset(i, k));
  emu_lanes lanes = a[0].lanes;
  for (unsigned k = 0; k < 2; k++, half.first += half.count) {
    if (!gcn_begin(w, i, EMU_SHARED, i->row->bytes, EMU_READ, &a[k])) return EMU_EXITED;
    gcn_fill(w, i, &half, &a[k], lanes);
  }
  issue(w, i, lanes, &i->operands[0], true);
  return EMU_NEXT;
}

emu_step gcn_run_lds_store_pair(emu_warp *w, const gcn_insn *i) {
  for (unsigned k = 0; k < 2; k++) {
    emu_access a = find(w, &i->operands[0], pair_offset(i, k));
    if (!gcn_begin(w, i, EMU_SHARED, i->row->bytes, EMU_WRITE, &a)) return EMU_EXITED;
    gcn_spill(w, i, &i->operands[1 + k], &a);
  }
  issue(w, i, gcn_exec(w), NULL, true);
  return EMU_NEXT;
}

/* ---- atomics -------------------------------------------------------------------------------- */

/* Of a comparison the value compared with comes first, unless the row says that it is swapped
 * (gcn_row.more). */
static emu_step update(emu_warp *w, const gcn_insn *i, const gcn_operand *result) {
  const gcn_operand *o = i->operands + (result != NULL);
  bool compares = i->row->kind == GCN_COMPARE_SWAP, swapped = i->row->more;
  emu_access a = find(w, o, (uint32_t)i->offset);
  emu_lanes lanes = a.lanes;
  if (!gcn_begin(w, i, EMU_SHARED, i->row->bytes, EMU_ATOMIC, &a)) return EMU_EXITED;
  const gcn_operand *first = o + 1, *second = o + 2;
  if (!compares)
    gcn_update_lanes(w, i, first, NULL, result, &a, lanes);
  else
    gcn_update_lanes(w, i, swapped ? first : second, swapped ? second : first, result, &a, lanes);
  issue(w, i, lanes, result, true);
  return EMU_NEXT;
}

emu_step gcn_run_lds_atomic(emu_warp *w, const gcn_insn *i) {
  return update(w, i, NULL);
}
emu_step gcn_run_lds_atomic_return(emu_warp *w, const gcn_insn *i) {
  return update(w, i, &i->operands[0]);
}

/* ---- between lanes -------------------------------------------------------------------------- */

static emu_step permute(emu_warp *w, const gcn_insn *i, bool pull) {
  uint64_t to[GCN_LANES], value[GCN_LANES];
  uint32_t got[GCN_LANES] = {0}, *result = gcn_vector(w, i->operands[0].first);
  emu_lanes lanes = gcn_exec(w);
  gcn_load(w, &i->operands[1], 'u', lanes, to);
  gcn_load(w, &i->operands[2], 'u', lanes, value);
  EMU_FOR_LANES(l, lanes) {
    unsigned other = (unsigned)(to[l] + (uint32_t)i->offset) / 4 % gcn_lanes(w);
    if (!pull)
      got[other] = (uint32_t)value[l];
    else if (lanes >> other & 1)
      got[l] = (uint32_t)value[other];
  }
  EMU_FOR_LANES(l, lanes) result[l] = got[l];
  issue(w, i, lanes, &i->operands[0], false);
  return EMU_NEXT;
}

/* Bit 15 of the pattern says that quads are permuted, else bits of the number are changed. */
static unsigned swizzled(unsigned lane, uint32_t pattern) {
  unsigned low = lane & 31;
  if (pattern >> 15) return (lane & ~3u) | (pattern >> 2 * (lane & 3) & 3);
  low = ((low & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
  return (lane & 32) | low;
}

emu_step gcn_run_swizzle(emu_warp *w, const gcn_insn *i) {
  uint64_t value[GCN_LANES];
  uint32_t *result = gcn_vector(w, i->operands[0].first);
  emu_lanes lanes = gcn_exec(w);
  gcn_load(w, &i->operands[1], 'u', lanes, value);
  EMU_FOR_LANES(l, lanes) {
    unsigned from = swizzled((unsigned)l, (uint32_t)i->offset);
    result[l] = lanes >> from & 1 ? (uint32_t)value[from] : 0;
  }
  issue(w, i, lanes, &i->operands[0], false);
  return EMU_NEXT;
}

emu_step gcn_run_permute(emu_warp *w, const gcn_insn *i) {
  return permute(w, i, false);
}
emu_step gcn_run_permute_back(emu_warp *w, const gcn_insn *i) {
  return permute(w, i, true);
}
