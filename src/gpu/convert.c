/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tile from one distribution to another, by the class of the conversion: a choice among the
 * thread's own registers, shuffles within warps, or through shared memory.
 */
#include "gpu/convert.h"

#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/shared.h"
#include "gpu/vendor.h"
#include "simt/arrange.h"

/* ---- shuffles ------------------------------------------------------------------------------- */

/* x by 32-bit pieces, through `f`. */
static llv by_words(gen *g, llv x, llv (*f)(gen *g, llv word, llv which), llv which) {
  emit *e = &g->e;
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMFloatTypeKind)
    return LLVMBuildBitCast(e->b, f(g, LLVMBuildBitCast(e->b, x, e->i32, ""), which), type, "");
  if (kind == LLVMDoubleTypeKind) {
    llv bits = LLVMBuildBitCast(e->b, x, e->i64, "");
    return LLVMBuildBitCast(e->b, by_words(g, bits, f, which), type, "");
  }
  unsigned width = LLVMGetIntTypeWidth(type);
  if (width == 32) return f(g, x, which);
  if (width < 32)
    return LLVMBuildTrunc(e->b, f(g, LLVMBuildZExt(e->b, x, e->i32, ""), which), type, "");
  llv low = f(g, LLVMBuildTrunc(e->b, x, e->i32, ""), which);
  llv high = LLVMBuildLShr(e->b, x, k64(g, 32), "");
  high = f(g, LLVMBuildTrunc(e->b, high, e->i32, ""), which);
  high = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, high, e->i64, ""), k64(g, 32), "");
  return LLVMBuildOr(e->b, high, LLVMBuildZExt(e->b, low, e->i64, ""), "");
}

llv gpu_shuffle_xor(gen *g, llv x, unsigned mask) {
  return by_words(g, x, g->vendor->shuffle_xor, k32(g, mask));
}
llv gpu_shuffle_from(gen *g, llv x, llv lane) {
  return by_words(g, x, g->vendor->shuffle_from, lane);
}

/* ---- registers ------------------------------------------------------------------------------ */

/* The bits of the source's register number that differ between threads, with what says so. */
typedef struct varying {
  unsigned n;
  uint8_t slot_bit[SIMT_BITS];
  llv is_set[SIMT_BITS]; /* i1 */
} varying;

static varying varying_of(gen *g, const simt_dist *from, const simt_dist *to) {
  varying v = {.n = 0};
  for (unsigned j = 0; j < from->regs; j++) {
    llv bit = NULL;
    for (unsigned i = 0; i < to->lanes; i++)
      if (to->lane[i] == from->reg[j]) bit = gpu_lane_bit(g, i);
    for (unsigned i = 0; i < to->warps; i++)
      if (to->warp[i] == from->reg[j]) bit = gpu_warp_bit(g, i);
    if (!bit) continue;
    v.slot_bit[v.n] = (uint8_t)j;
    v.is_set[v.n++] = bit;
  }
  return v;
}

/* The one of the candidates that the thread's own bits point to; x has 1 << v->n of them. */
static llv choose(gen *g, const varying *v, llv *x) {
  for (unsigned i = v->n; i-- > 0;)
    for (uint32_t k = 0; k < 1u << i; k++)
      if (x[k] != x[k | 1u << i])
        x[k] = LLVMBuildSelect(g->e.b, v->is_set[i], x[k | 1u << i], x[k], "");
  return x[0];
}

/* The source's register for the result's, with number `pick` for what varies. */
static uint32_t source_slot(const simt_dist *from, const simt_dist *to, const varying *v,
                            uint32_t slot, uint32_t pick) {
  uint32_t own = simt_slot_of_index(from, simt_index_of_slot(to, slot));
  for (unsigned i = 0; i < v->n; i++) own |= (pick >> i & 1) << v->slot_bit[i];
  return own;
}

llv *gpu_select_registers(gen *g, const tile *from, const simt_dist *to) {
  varying v = varying_of(g, &from->d, to);
  llv *r = gpu_registers(g, to), *x = arena_array(g->arena, llv, (size_t)1 << v.n);
  for (uint32_t i = 0; i < slots_of(to); i++) {
    for (uint32_t k = 0; k < 1u << v.n; k++) x[k] = from->v[source_slot(&from->d, to, &v, i, k)];
    r[i] = choose(g, &v, x);
  }
  return r;
}

/* ---- within a warp -------------------------------------------------------------------------- */

/* The lane that holds a register's element: bits that the destination has in lanes or warps are the
 * same for all registers, those in registers are known. */
static llv source_lane(gen *g, const simt_dist *from, const simt_dist *to, uint32_t slot) {
  LLVMBuilderRef b = g->e.b;
  llv lane = k32(g, 0);
  uint32_t fixed = 0, index = simt_index_of_slot(to, slot);
  for (unsigned j = 0; j < from->lanes; j++) {
    int8_t bit = from->lane[j];
    llv set = NULL;
    if (bit == SIMT_COPY) set = gpu_lane_bit(g, j); /* any will do: the own */
    for (unsigned i = 0; i < to->lanes; i++)
      if (bit != SIMT_COPY && to->lane[i] == bit) set = gpu_lane_bit(g, i);
    for (unsigned i = 0; i < to->warps; i++)
      if (bit != SIMT_COPY && to->warp[i] == bit) set = gpu_warp_bit(g, i);
    if (!set) {
      fixed |= (index >> bit & 1) << j;
      continue;
    }
    llv part = LLVMBuildSelect(b, set, k32(g, 1u << j), k32(g, 0), "");
    lane = LLVMBuildOr(b, lane, part, "");
  }
  return fixed ? LLVMBuildOr(b, lane, k32(g, fixed), "") : lane;
}

static llv *by_shuffles(gen *g, const tile *from, const simt_dist *to) {
  varying v = varying_of(g, &from->d, to);
  llv *r = gpu_registers(g, to), *x = arena_array(g->arena, llv, (size_t)1 << v.n);
  for (uint32_t i = 0; i < slots_of(to); i++) {
    llv lane = source_lane(g, &from->d, to, i);
    for (uint32_t k = 0; k < 1u << v.n; k++)
      x[k] = gpu_shuffle_from(g, from->v[source_slot(&from->d, to, &v, i, k)], lane);
    r[i] = choose(g, &v, x);
  }
  return r;
}

/* ---- through shared memory ------------------------------------------------------------------ */

simt_dist gpu_dist_without(const simt_dist *d, uint32_t mask) {
  simt_dist r = *d;
  r.regs = 0;
  for (unsigned j = 0; j < d->regs; j++)
    if (!(mask >> d->reg[j] & 1)) r.reg[r.regs++] = d->reg[j];
  for (unsigned j = r.regs; j < SIMT_BITS; j++) r.reg[j] = SIMT_COPY;
  return r;
}

/* Bits of the index that are registers' in both: the tile goes through in pieces along these. */
static uint32_t piece_bits(const simt_dist *from, const simt_dist *to, unsigned wanted) {
  uint32_t mask = 0;
  for (unsigned j = from->regs; j-- > 0 && wanted;)
    for (unsigned k = 0; k < to->regs; k++)
      if (from->reg[j] == to->reg[k] && wanted) {
        mask |= 1u << from->reg[j];
        wanted--;
      }
  return wanted ? 0 : mask;
}

static llv *through_shared(gen *g, tsr_elem elem, const tile *from, const simt_dist *to) {
  unsigned bytes = gpu_shared_bytes(elem), pieces = 0;
  int32_t weight[SIMT_BITS];
  uint32_t mask = 0, size;
  simt_dist part_from = from->d, part_to = *to;
  while ((size = simt_arrange(g->target, &part_from, &part_to, SIMT_ANY_RUN, bytes, weight)) >
         gpu_scratch_limit(g)) {
    mask = piece_bits(&from->d, to, ++pieces);
    if (!mask) {
      g->failed = true;
      diag_error(g->ctx, ir_place(g->m, g->entry->loc),
                 "a tile of %u elements must change its distribution over threads, and does not "
                 "fit the shared memory of %s for that; use smaller tiles",
                 1u << from->d.n, g->target->name);
      return gpu_registers(g, to);
    }
    part_from = gpu_dist_without(&from->d, mask);
    part_to = gpu_dist_without(to, mask);
  }
  llv *r = gpu_registers(g, to);
  for (uint32_t piece = 0; piece < 1u << pieces; piece++) {
    uint32_t fixed = 0, bit = 0;
    for (unsigned k = 0; k < from->d.n; k++)
      if (mask >> k & 1) fixed |= (piece >> bit++ & 1) << k;
    tile part = {.d = part_from, .v = gpu_registers(g, &part_from)};
    for (uint32_t i = 0; i < slots_of(&part_from); i++)
      part.v[i] = from->v[simt_slot_of_index(&from->d, simt_index_of_slot(&part_from, i) | fixed)];
    llv base = gpu_scratch(g, size);
    gpu_shared_store(g, elem, &part, base, weight);
    gpu_scratch_ready(g);
    llv *loaded = gpu_shared_load(g, elem, &part_to, base, weight);
    for (uint32_t i = 0; i < slots_of(&part_to); i++)
      r[simt_slot_of_index(to, simt_index_of_slot(&part_to, i) | fixed)] = loaded[i];
  }
  return r;
}

llv *gpu_convert(gen *g, tsr_elem elem, const tile *from, const simt_dist *to) {
  enum { MOST_CANDIDATES = 3 };
  unsigned varying_bits = simt_varying_bits(&from->d, to);
  switch (simt_conversion(&from->d, to)) {
  case TSR_CONVERSION_NONE: return from->v;
  case TSR_CONVERSION_REGISTERS:
    if (varying_bits <= MOST_CANDIDATES) return gpu_select_registers(g, from, to);
    break;
  case TSR_CONVERSION_SHUFFLE:
    if (varying_bits <= 1) return by_shuffles(g, from, to);
    break;
  default: break;
  }
  return through_shared(g, elem, from, to);
}
