/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A wave: its registers, and how instructions read and write them.
 */
#ifndef TSR_EMU_AMDGCN_WAVE_H
#define TSR_EMU_AMDGCN_WAVE_H

#include "emu/amdgcn/hazards.h"
#include "emu/amdgcn/image.h"
#include "emu/amdgcn/pending.h"
#include "emu/machine.h"

enum { GCN_LANES = 64 };

/* Bits of the mode register: which types give subnormal results, what NaNs do. */
typedef enum gcn_mode {
  GCN_DENORMAL_F32 = 1 << 5,
  GCN_DENORMAL_OTHERS = 1 << 7, /* f64, f16 */
  GCN_DX10_CLAMP = 1 << 8,
  GCN_IEEE = 1 << 9, /* RDNA4 has no such bit */
} gcn_mode;

/* emu_warp.own */
typedef struct gcn_wave {
  uint32_t scalar[GCN_SCALARS];
  uint32_t mode; /* gcn_mode; FP_ROUND in its lowest bits: of f32, then of f64 and f16 */
  bool scc;
  bool touched, wrote; /* memory, since the lanes last saw what each other did there */
  uint8_t *scratch;
  uint8_t *scratch_written; /* a byte for each; NULL: nobody asks */
  gcn_pending pending;
  gcn_recent recent;
} gcn_wave;

static inline gcn_wave *gcn_wave_of(const emu_warp *w) {
  return w->own;
}
static inline uint32_t *gcn_vector(const emu_warp *w, unsigned number) {
  return (uint32_t *)(void *)w->bank[0] + (size_t)number * GCN_LANES;
}

static inline uint64_t gcn_pair(const gcn_wave *v, unsigned first) {
  return v->scalar[first] | (uint64_t)v->scalar[first + 1] << 32;
}
static inline void gcn_set_pair(gcn_wave *v, unsigned first, uint64_t value) {
  v->scalar[first] = (uint32_t)value;
  v->scalar[first + 1] = (uint32_t)(value >> 32);
}
static inline emu_lanes gcn_exec(const emu_warp *w) {
  return gcn_pair(gcn_wave_of(w), GCN_EXEC);
}
/* Lanes of a wave: GCN_LANES, or half of them. */
static inline unsigned gcn_lanes(const emu_warp *w) {
  return w->block->grid->entry->lanes;
}
/* Waves of 32 lanes have a scalar register more, in the place of the upper half. */
static inline uint64_t gcn_vcc(const emu_warp *w) {
  return gcn_pair(gcn_wave_of(w), GCN_VCC) & emu_lanes_below(gcn_lanes(w));
}

static inline bool gcn_is_wide(char type) {
  return type == 'q' || type == 'd' || type == 'm';
}

/* What all lanes read of an operand that is no vector register, as the signature's type. */
uint64_t gcn_uniform(const emu_warp *w, const gcn_operand *o, char type);
/* Writes a scalar register, or two. */
void gcn_set_scalar(emu_warp *w, const gcn_operand *o, uint64_t value, char type);
/* An operand of each lane, 32 bits or 64 by the type; `out` has GCN_LANES. */
void gcn_load(const emu_warp *w, const gcn_operand *o, char type, emu_lanes lanes, uint64_t *out);

#endif
