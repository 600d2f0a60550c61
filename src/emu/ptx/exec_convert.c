/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cvt in all its forms. Source: PTX ISA, "Data Movement and Conversion Instructions: cvt",
 * "cvt.pack".
 */
#include "emu/ptx/floats.h"
#include "emu/ptx/lanes.h"

static bool is_float(ptx_type t) {
  return ptx_types[t].class == PTX_CLASS_F;
}
static bool is_signed(ptx_type t) {
  return ptx_types[t].class == PTX_CLASS_S;
}

static int64_t sign_extend(uint64_t v, unsigned bits) {
  return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* ---- integers ------------------------------------------------------------------------------- */

/* An integer held to the range of a type. The source's sign says how to read it. */
static uint64_t saturate(uint64_t v, bool from_signed, ptx_type to) {
  unsigned bits = ptx_types[to].bits;
  uint64_t max = is_signed(to) ? num_mask(bits - 1) : num_mask(bits);
  if (from_signed && (int64_t)v < 0) {
    if (!is_signed(to)) return 0;
    int64_t min = -(int64_t)num_mask(bits - 1) - 1;
    return (int64_t)v < min ? (uint64_t)min : v;
  }
  return MIN(v, max);
}

static uint64_t int_to_int(const ptx_insn *i, ptx_type to, ptx_type from, uint64_t v) {
  unsigned bits = ptx_types[from].bits;
  v &= num_mask(bits);
  if (is_signed(from)) v = (uint64_t)sign_extend(v, bits);
  return i->flags & PTX_FLAG_SAT ? saturate(v, is_signed(from), to) : v;
}

/* Out of range: the nearest; NaN: 0, or only the highest bit where 64 bits are involved. */
static uint64_t float_to_int(const ptx_insn *i, ptx_type to, ptx_type from, uint64_t v) {
  const num_format *f = float_format(from);
  unsigned bits = ptx_types[to].bits;
  if (num_is_nan(f, v)) {
    bool wide = from == PTX_F64 || bits == 64;
    return wide ? UINT64_C(1) << (bits - 1) : 0;
  }
  if (i->flags & PTX_FLAG_FTZ) v = num_flush(f, v);
  return num_to_int(f, v, bits, is_signed(to), float_rounding(i->round), NULL);
}

/* ---- floats --------------------------------------------------------------------------------- */

/* The format of a narrow type; `keep` gets one made for the purpose. */
static const num_format *format_of(ptx_type t, num_format *keep) {
  switch (t) {
  case PTX_E4M3X2: *keep = num_format_keep_nan(num_format_of(TSR_F8E4M3FN)); return keep;
  case PTX_E5M2X2: return num_format_of(TSR_F8E5M2);
  case PTX_UE8M0X2: return num_format_of(TSR_F8E8M0FNU);
  case PTX_E2M3X2: *keep = num_format_finite(2, 3, true); return keep;
  case PTX_E3M2X2: *keep = num_format_finite(3, 2, true); return keep;
  case PTX_E2M1X2: *keep = num_format_finite(2, 1, true); return keep;
  case PTX_TF32: return num_format_of(TSR_TF32);
  default: return float_format(t);
  }
}

static uint64_t nan_of(const num_format *f, ptx_type t) {
  if (t == PTX_E4M3X2 || t == PTX_E5M2X2) return 0x7f;
  if (t == PTX_TF32) return 0x7fffe000; /* as an H100 says */
  if (t == PTX_UE8M0X2) return 0xff;
  return f->nan == NUM_NAN_NONE ? num_max_finite(f, false) : float_nan(f);
}

/* f32 to tf32, ties away from zero. */
static uint64_t to_tf32_away(uint64_t v) {
  if ((v & 0x7f800000) == 0x7f800000) return v & 0x7fffff ? 0x7fffe000 : v;
  return ((v + 0x1000) & 0xffffe000);
}

static uint64_t settle(const ptx_insn *i, const num_format *f, uint64_t v) {
  if (i->flags & PTX_FLAG_SAT) {
    if (num_is_nan(f, v) || num_is_negative(f, v)) return 0;
    return num_magnitude(f, v) > num_magnitude(f, num_one(f)) ? num_one(f) : v;
  }
  if ((i->flags & PTX_FLAG_RELU) && num_is_negative(f, v)) return 0;
  if ((i->flags & PTX_FLAG_SATFINITE) && num_is_inf(f, v))
    return num_max_finite(f, num_is_negative(f, v));
  return v;
}

static uint64_t widen_nan(uint64_t v) {
  double d = num_f32_from_bits((uint32_t)v);
  return num_f64_bits(d);
}

/* Whether a power of two that is large enough, or of infinity, lies beyond those of ue8m0: then the
 * result is its NaN, unless .satfinite was written. */
static bool is_above_exponents(const ptx_insn *i, const num_format *f, uint64_t v) {
  double size = num_decode(f, num_magnitude(f, v));
  return !(i->flags & PTX_FLAG_SATFINITE) && size > (i->round == PTX_RP ? 0x1p127 : 0x1.fffffep127);
}

static uint64_t float_to_float(const ptx_insn *i, ptx_type to, ptx_type from, uint64_t v) {
  num_format keep_to, keep_from;
  const num_format *t = format_of(to, &keep_to), *f = format_of(from, &keep_from);
  bool ftz = i->flags & PTX_FLAG_FTZ, whole = i->round >= PTX_RNI && i->round <= PTX_RPI;
  if (num_is_nan(f, v)) {
    if (i->flags & PTX_FLAG_SAT) return 0;
    if (to == PTX_F64 && from == PTX_F32) return widen_nan(v);
    if (to == PTX_F64 && from == PTX_F64) return v | UINT64_C(0x8000000000000);
    return nan_of(t, to);
  }
  if (ftz && f->bits == 32) v = num_flush(f, v);
  if (i->round == PTX_RNA) {
    v = to_tf32_away(v);
    return settle(i, t, v);
  }
  num_rounding r = float_rounding(i->round);
  if (whole) v = num_round(f, v, r);
  if (to == PTX_UE8M0X2 && is_above_exponents(i, f, v)) return 0xff;
  if (t != f) v = num_convert(t, f, v, whole ? NUM_NEAREST_EVEN : r);
  if (ftz && t->bits == 32) v = num_flush(t, v);
  return settle(i, t, v);
}

static uint64_t int_to_float(const ptx_insn *i, ptx_type to, ptx_type from, uint64_t v) {
  const num_format *f = float_format(to);
  unsigned bits = ptx_types[from].bits;
  return settle(
      i, f, num_from_int(f, v & num_mask(bits), bits, is_signed(from), float_rounding(i->round)));
}

/* ---- cvt ------------------------------------------------------------------------------------ */

static uint64_t convert(const ptx_insn *i, ptx_type to, ptx_type from, uint64_t v) {
  if (is_float(from)) v &= num_mask(ptx_types[from].bits);
  if (is_float(to))
    return is_float(from) ? float_to_float(i, to, from, v) : int_to_float(i, to, from, v);
  return is_float(from) ? float_to_int(i, to, from, v) : int_to_int(i, to, from, v);
}

/* Into a register that may be wider: signed integers are extended by their sign. */
static uint64_t fit(uint64_t v, ptx_type to, const ptx_operand *d) {
  unsigned bits = ptx_types[to].bits, have = ptx_types[d->type].bits;
  if (to == PTX_TF32) bits = 32;
  if (is_signed(to) && bits < 64)
    v = (uint64_t)sign_extend(v, bits);
  else
    v &= num_mask(bits);
  return have >= 64 ? v : v & num_mask(have);
}

emu_step ptx_op_cvt(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type to = (ptx_type)i->type[0], from = (ptx_type)i->type[1];
  const ptx_operand *d = &i->op_list[0], *s = &i->op_list[1];
  PTX_FOR_LANES(l, lanes) ptx_set(w, d, l, fit(convert(i, to, from, ptx_get(w, s, l)), to, d));
  return EMU_NEXT;
}

/* Numbers of 6 bits lie in bytes, whose upper bits mean nothing. */
static uint64_t value_bits(ptx_type t) {
  return t == PTX_E2M3X2 || t == PTX_E3M2X2 ? 0x3f : num_mask(ptx_types[t].bits / 2);
}

/* The bits that one element of a packed type takes. */
static unsigned part_bits(ptx_type t) {
  return ptx_types[t].bits / 2;
}

static ptx_type element_of(ptx_type t) {
  return t == PTX_F16X2 ? PTX_F16 : t == PTX_BF16X2 ? PTX_BF16 : t;
}

/* The first operand becomes the upper part. */
emu_step ptx_op_cvt_pack2(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type to = (ptx_type)i->type[0];
  unsigned bits = part_bits(to);
  PTX_FOR_LANES(l, lanes) {
    uint64_t high = convert(i, element_of(to), PTX_F32, ptx_get(w, &i->op_list[1], l));
    uint64_t low = convert(i, element_of(to), PTX_F32, ptx_get(w, &i->op_list[2], l));
    ptx_set(w, &i->op_list[0], l, high << bits | low);
  }
  return EMU_NEXT;
}

static emu_step repack(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type to = (ptx_type)i->type[0], from = (ptx_type)i->type[1];
  unsigned to_bits = part_bits(to), from_bits = part_bits(from);
  PTX_FOR_LANES(l, lanes) {
    uint64_t v = ptx_get(w, &i->op_list[1], l), r = 0;
    for (unsigned k = 0; k < 2; k++)
      r |= convert(i, element_of(to), element_of(from), v >> k * from_bits & value_bits(from))
           << k * to_bits;
    ptx_set(w, &i->op_list[0], l, r);
  }
  return EMU_NEXT;
}
emu_step ptx_op_cvt_pack(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return repack(w, i, lanes);
}
emu_step ptx_op_cvt_unpack(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return repack(w, i, lanes);
}

/* cvt.pack: two saturated integers below what a third operand has. */
emu_step ptx_op_cvt_pack_int(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type to = (ptx_type)i->type[0];
  unsigned bits = ptx_types[to].bits;
  PTX_FOR_LANES(l, lanes) {
    uint64_t a = saturate((uint64_t)lane_signed(w, i, 1, l, 32), true, to) & num_mask(bits);
    uint64_t b = saturate((uint64_t)lane_signed(w, i, 2, l, 32), true, to) & num_mask(bits);
    uint64_t c = i->n_ops > 3 ? ptx_get(w, &i->op_list[3], l) << 2 * bits : 0;
    ptx_set(w, &i->op_list[0], l, (uint32_t)(c | a << bits | b));
  }
  return EMU_NEXT;
}
