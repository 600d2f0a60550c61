/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emu/amdgcn/wave.h"

#include "num/num.h"

static uint64_t float_literal(double value, char type) {
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, 4);
  switch (type) {
  case 'h':
  case 's': return num_encode(num_format_of(TSR_F16), value, NUM_NEAREST_EVEN);
  case 'q':
  case 'd': {
    uint64_t wide;
    memcpy(&wide, &value, 8);
    return wide;
  }
  default: return bits;
  }
}

static uint64_t special(const emu_warp *w, unsigned which) {
  const gcn_wave *v = gcn_wave_of(w);
  switch (which) {
  case GCN_SCC: return v->scc;
  case GCN_VCCZ: return gcn_vcc(w) == 0;
  case GCN_EXECZ: return gcn_pair(v, GCN_EXEC) == 0;
  case GCN_SHARED_BASE: return EMU_WINDOW_SHARED;
  default: return EMU_WINDOW_LOCAL;
  }
}

static uint64_t integer(uint64_t bits, char type) {
  switch (type) {
  case 'k': return (uint64_t)(int64_t)(int16_t)bits;
  case 'K': return (uint16_t)bits;
  default: return gcn_is_wide(type) ? bits : (uint32_t)bits;
  }
}

uint64_t gcn_uniform(const emu_warp *w, const gcn_operand *o, char type) {
  const gcn_wave *v = gcn_wave_of(w);
  switch (o->kind) {
  case GCN_SCALAR:
    return gcn_is_wide(type) && o->count > 1 ? gcn_pair(v, o->first) : v->scalar[o->first];
  case GCN_INTEGER: return integer(o->bits, type);
  case GCN_LITERAL: return type == 'd' ? o->bits << 32 : integer(o->bits, type);
  case GCN_FLOAT: {
    double value;
    memcpy(&value, &o->bits, 8);
    return float_literal(value, type);
  }
  case GCN_SPECIAL: return special(w, o->first);
  default: return 0;
  }
}

void gcn_set_scalar(emu_warp *w, const gcn_operand *o, uint64_t value, char type) {
  gcn_wave *v = gcn_wave_of(w);
  if (o->kind != GCN_SCALAR) return;
  v->scalar[o->first] = (uint32_t)value;
  if (gcn_is_wide(type) && o->count > 1) v->scalar[o->first + 1] = (uint32_t)(value >> 32);
  /* Lanes that do not exist never execute. */
  if (o->first >= GCN_EXEC) gcn_set_pair(v, GCN_EXEC, gcn_pair(v, GCN_EXEC) & w->existing);
}

void gcn_load(const emu_warp *w, const gcn_operand *o, char type, emu_lanes lanes, uint64_t *out) {
  if (o->kind != GCN_VECTOR) {
    uint64_t value = gcn_uniform(w, o, type);
    for (unsigned l = 0; l < GCN_LANES; l++) out[l] = type == 'm' ? value >> l & 1 : value;
    return;
  }
  const uint32_t *low = gcn_vector(w, o->first), *high = low + GCN_LANES;
  if (gcn_is_wide(type) && o->count > 1) {
    EMU_FOR_LANES(l, lanes) out[l] = low[l] | (uint64_t)high[l] << 32;
  } else {
    EMU_FOR_LANES(l, lanes) out[l] = low[l];
  }
}
