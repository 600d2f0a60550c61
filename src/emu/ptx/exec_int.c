/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Integer instructions. Source: PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision …",
 * "Logic and Shift Instructions".
 */
#include "emu/ptx/lanes.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

static bool is_signed(const ptx_insn *i) {
  return ptx_types[i->type[0]].class == PTX_CLASS_S;
}
static unsigned bits_of(const ptx_insn *i) {
  return ptx_types[i->type[0]].bits;
}

/* ---- plain arithmetic ----------------------------------------------------------------------- */

static int32_t saturate32(int64_t v) {
  return (int32_t)(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}

/* Each half of a word on its own. */
typedef int32_t (*half_op)(int32_t a, int32_t b);
static void by_halves(emu_warp *w, const ptx_insn *i, uint32_t lanes, half_op op) {
  uint32_t *d = ROW(0);
  const uint32_t *a = ROW(1), *b = ROW(2);
  bool s = is_signed(i), relu = i->flags & PTX_FLAG_RELU;
  PTX_FOR_LANES(l, lanes) {
    uint32_t result = 0;
    for (unsigned h = 0; h < 32; h += 16) {
      uint32_t x = a[l] >> h & 0xffff, y = b[l] >> h & 0xffff;
      int32_t r = s ? op((int16_t)x, (int16_t)y) : op((int32_t)x, (int32_t)y);
      if (relu && r < 0) r = 0;
      result |= ((uint32_t)r & 0xffff) << h;
    }
    d[l] = result;
  }
}
static int32_t half_add(int32_t a, int32_t b) {
  return a + b;
}
static int32_t half_min(int32_t a, int32_t b) {
  return MIN(a, b);
}
static int32_t half_max(int32_t a, int32_t b) {
  return MAX(a, b);
}
static bool is_halves(const ptx_insn *i) {
  return i->type[0] == PTX_U16X2 || i->type[0] == PTX_S16X2;
}

emu_step ptx_op_int_add(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (is_halves(i))
    by_halves(w, i, lanes, half_add);
  else if (i->flags & PTX_FLAG_SAT)
    BINARY(uint32_t, int32_t, uint32_t, saturate32((int64_t)a + b));
  else if (bits_of(i) == 64)
    BINARY(uint64_t, uint64_t, uint64_t, a + b);
  else if (bits_of(i) == 32)
    BINARY(uint32_t, uint32_t, uint32_t, a + b);
  else
    BINARY(uint32_t, uint32_t, uint16_t, a + b);
  return EMU_NEXT;
}

emu_step ptx_op_int_sub(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (i->flags & PTX_FLAG_SAT)
    BINARY(uint32_t, int32_t, uint32_t, saturate32((int64_t)a - b));
  else if (bits_of(i) == 64)
    BINARY(uint64_t, uint64_t, uint64_t, a - b);
  else if (bits_of(i) == 32)
    BINARY(uint32_t, uint32_t, uint32_t, a - b);
  else
    BINARY(uint32_t, uint32_t, uint16_t, a - b);
  return EMU_NEXT;
}

/* The product's upper or lower half, by width and sign. */
static uint64_t mul_half(uint64_t a, uint64_t b, unsigned bits, bool s, bool high) {
  u128 p;
  if (s) {
    i128 x = (int64_t)(a << (64 - bits)) >> (64 - bits),
         y = (int64_t)(b << (64 - bits)) >> (64 - bits);
    p = (u128)(x * y);
  } else {
    p = (u128)a * b;
  }
  uint64_t half = (uint64_t)(high ? p >> bits : p);
  return bits == 64 ? half : half & ((UINT64_C(1) << bits) - 1);
}

emu_step ptx_op_int_mul(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned bits = bits_of(i);
  if (!(i->flags & PTX_FLAG_HI)) {
    if (bits == 32)
      BINARY(uint32_t, uint32_t, uint32_t, a * b);
    else if (bits == 64)
      BINARY(uint64_t, uint64_t, uint64_t, a * b);
    else
      BINARY(uint32_t, uint32_t, uint16_t, a * b);
    return EMU_NEXT;
  }
  PTX_FOR_LANES(l, lanes)
  ptx_set(
      w, &i->op_list[0], l,
      mul_half(lane_bits(w, i, 1, l, bits), lane_bits(w, i, 2, l, bits), bits, is_signed(i), true));
  return EMU_NEXT;
}

#define WIDE(S, T, W, more)                                                                        \
  do {                                                                                             \
    W *d = ROW(0);                                                                                 \
    const S *pa = ROW(1), *pb = ROW(2);                                                            \
    LANES_DO(d[l] = (W)((W)(T)pa[l] * (W)(T)pb[l]) + (W)(more));                                   \
  } while (0)

emu_step ptx_op_int_mul_wide(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  switch (i->type[0]) {
  case PTX_U16: WIDE(uint32_t, uint16_t, uint32_t, 0); break;
  case PTX_S16: WIDE(uint32_t, int16_t, uint32_t, 0); break;
  case PTX_U32: WIDE(uint32_t, uint32_t, uint64_t, 0); break;
  case PTX_S32: WIDE(uint32_t, int32_t, uint64_t, 0); break;
  default: break;
  }
  return EMU_NEXT;
}

emu_step ptx_op_int_mad_wide(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const uint32_t *c32 = ROW(3);
  const uint64_t *c64 = ROW(3);
  switch (i->type[0]) {
  case PTX_U16: WIDE(uint32_t, uint16_t, uint32_t, c32[l]); break;
  case PTX_S16: WIDE(uint32_t, int16_t, uint32_t, c32[l]); break;
  case PTX_U32: WIDE(uint32_t, uint32_t, uint64_t, c64[l]); break;
  case PTX_S32: WIDE(uint32_t, int32_t, uint64_t, c64[l]); break;
  default: break;
  }
  return EMU_NEXT;
}

emu_step ptx_op_int_mad(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned bits = bits_of(i);
  bool high = i->flags & PTX_FLAG_HI;
  if (!high && bits == 32) {
    TERNARY(uint32_t, uint32_t, uint32_t, a * b + c);
    return EMU_NEXT;
  }
  if (!high && bits == 64) {
    TERNARY(uint64_t, uint64_t, uint64_t, a * b + c);
    return EMU_NEXT;
  }
  PTX_FOR_LANES(l, lanes) {
    uint64_t p = mul_half(lane_bits(w, i, 1, l, bits), lane_bits(w, i, 2, l, bits), bits,
                          is_signed(i), high);
    uint64_t c = lane_bits(w, i, 3, l, bits), sum = p + c;
    if (i->flags & PTX_FLAG_SAT) sum = (uint32_t)saturate32((int64_t)(int32_t)p + (int32_t)c);
    ptx_set(w, &i->op_list[0], l, bits == 64 ? sum : sum & ((UINT64_C(1) << bits) - 1));
  }
  return EMU_NEXT;
}

/* 24-bit operands: bits 0 to 31 of the 48-bit product, or 16 to 47. */
static uint32_t mul24(uint32_t a, uint32_t b, bool s, bool high) {
  int64_t x = s ? (int32_t)(a << 8) >> 8 : (int32_t)(a & 0xffffff);
  int64_t y = s ? (int32_t)(b << 8) >> 8 : (int32_t)(b & 0xffffff);
  return (uint32_t)((uint64_t)(x * y) >> (high ? 16 : 0));
}

emu_step ptx_op_int_mul24(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  bool s = is_signed(i), high = i->flags & PTX_FLAG_HI;
  BINARY(uint32_t, uint32_t, uint32_t, mul24(a, b, s, high));
  return EMU_NEXT;
}

emu_step ptx_op_int_mad24(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  bool s = is_signed(i), high = i->flags & PTX_FLAG_HI;
  if (i->flags & PTX_FLAG_SAT)
    TERNARY(uint32_t, uint32_t, uint32_t,
            saturate32((int64_t)(int32_t)mul24(a, b, s, high) + (int32_t)c));
  else
    TERNARY(uint32_t, uint32_t, uint32_t, mul24(a, b, s, high) + c);
  return EMU_NEXT;
}

emu_step ptx_op_int_sad(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
#define DIFFERENCE(U) ((U)c + (a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b)))
  BY_INT_TYPE(TERNARY, DIFFERENCE(uint64_t), DIFFERENCE(uint64_t));
#undef DIFFERENCE
  return EMU_NEXT;
}

/* By zero: unspecified; all ones, and the dividend, as the cards do. */
emu_step ptx_op_int_div(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  BY_INT_TYPE(BINARY, b == 0 ? ~UINT64_C(0) : (uint64_t)(a / b),
              b == 0    ? ~UINT64_C(0)
              : b == -1 ? 0 - (uint64_t)a
                        : (uint64_t)(a / b));
  return EMU_NEXT;
}

emu_step ptx_op_int_rem(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  BY_INT_TYPE(BINARY, b == 0 ? a : a % b, b == 0 ? (uint64_t)a : b == -1 ? 0 : (uint64_t)(a % b));
  return EMU_NEXT;
}

emu_step ptx_op_int_abs(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  BY_INT_TYPE(UNARY, a, a < 0 ? 0 - (uint64_t)a : (uint64_t)a);
  return EMU_NEXT;
}

emu_step ptx_op_int_neg(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  BY_INT_TYPE(UNARY, 0 - (uint64_t)a, 0 - (uint64_t)a);
  return EMU_NEXT;
}

emu_step ptx_op_int_min(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (is_halves(i))
    by_halves(w, i, lanes, half_min);
  else if (i->flags & PTX_FLAG_RELU)
    BINARY(uint32_t, int32_t, uint32_t, MAX(MIN(a, b), 0));
  else
    BY_INT_TYPE(BINARY, MIN(a, b), MIN(a, b));
  return EMU_NEXT;
}

emu_step ptx_op_int_max(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (is_halves(i))
    by_halves(w, i, lanes, half_max);
  else if (i->flags & PTX_FLAG_RELU)
    BINARY(uint32_t, int32_t, uint32_t, MAX(MAX(a, b), 0));
  else
    BY_INT_TYPE(BINARY, MAX(a, b), MAX(a, b));
  return EMU_NEXT;
}

/* ---- carries -------------------------------------------------------------------------------- */

/* d = a + b + carry. A subtraction adds the inverted b, and CC.CF is then 1 when there was *no*
 * borrow, as on the cards: what nvcc emits for the division of 128-bit numbers reads the outcome of
 * a sub.cc with addc. */
static void add_with_carry(emu_warp *w, const ptx_insn *i, unsigned l, uint64_t a, uint64_t b,
                           bool carry_in, bool set) {
  unsigned bits = bits_of(i);
  u128 sum = (u128)a + b + carry_in;
  uint64_t result = (uint64_t)sum;
  bool carry = (uint64_t)(sum >> bits) & 1;
  ptx_set(w, &i->op_list[0], l, bits == 64 ? result : result & ((UINT64_C(1) << bits) - 1));
  if (set) w->split->carry = (w->split->carry & ~(1u << l)) | (uint32_t)carry << l;
}

/* `use`: takes CC.CF; else nothing is carried in, or borrowed. */
static emu_step carry_op(emu_warp *w, const ptx_insn *i, uint32_t lanes, bool subtract, bool use) {
  unsigned bits = bits_of(i);
  uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  PTX_FOR_LANES(l, lanes) {
    uint64_t a = lane_bits(w, i, 1, l, bits), b = lane_bits(w, i, 2, l, bits);
    bool carry_in = use ? w->split->carry >> l & 1 : subtract;
    add_with_carry(w, i, l, a, subtract ? ~b & mask : b, carry_in, i->flags & PTX_FLAG_CC);
  }
  return EMU_NEXT;
}

emu_step ptx_op_int_add_carry(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return carry_op(w, i, lanes, false, false);
}
emu_step ptx_op_int_addc(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return carry_op(w, i, lanes, false, true);
}
emu_step ptx_op_int_sub_carry(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return carry_op(w, i, lanes, true, false);
}
emu_step ptx_op_int_subc(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return carry_op(w, i, lanes, true, true);
}

static emu_step mad_carry(emu_warp *w, const ptx_insn *i, uint32_t lanes, bool use) {
  unsigned bits = bits_of(i);
  PTX_FOR_LANES(l, lanes) {
    uint64_t p = mul_half(lane_bits(w, i, 1, l, bits), lane_bits(w, i, 2, l, bits), bits,
                          is_signed(i), i->flags & PTX_FLAG_HI);
    bool cf = use && (w->split->carry >> l & 1);
    add_with_carry(w, i, l, p, lane_bits(w, i, 3, l, bits), cf, i->flags & PTX_FLAG_CC);
  }
  return EMU_NEXT;
}
emu_step ptx_op_int_mad_carry(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return mad_carry(w, i, lanes, false);
}
emu_step ptx_op_int_madc(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return mad_carry(w, i, lanes, true);
}

/* ---- bits ----------------------------------------------------------------------------------- */

emu_step ptx_op_int_popc(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned bits = bits_of(i);
  PTX_FOR_LANES(l, lanes)
  ptx_set(w, &i->op_list[0], l, (unsigned)__builtin_popcountll(lane_bits(w, i, 1, l, bits)));
  return EMU_NEXT;
}

static unsigned leading_zeros(uint64_t v, unsigned bits) {
  return v ? (unsigned)__builtin_clzll(v) - (64 - bits) : bits;
}

emu_step ptx_op_int_clz(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned bits = bits_of(i);
  PTX_FOR_LANES(l, lanes)
  ptx_set(w, &i->op_list[0], l, leading_zeros(lane_bits(w, i, 1, l, bits), bits));
  return EMU_NEXT;
}

/* The place of the highest bit that differs from the sign. */
emu_step ptx_op_int_bfind(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned bits = bits_of(i);
  PTX_FOR_LANES(l, lanes) {
    uint64_t v = lane_bits(w, i, 1, l, bits);
    if (is_signed(i) && v >> (bits - 1))
      v = ~v & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
    unsigned zeros = leading_zeros(v, bits);
    uint32_t found = zeros == bits                  ? UINT32_MAX
                     : i->flags & PTX_FLAG_SHIFTAMT ? zeros
                                                    : bits - 1 - zeros;
    ptx_set(w, &i->op_list[0], l, found);
  }
  return EMU_NEXT;
}

/* The n-th set bit of a mask from a base on, upwards or downwards. */
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return mask >> base & 1 ? base : UINT32_MAX;
  int step = offset > 0 ? 1 : -1;
  uint32_t left = offset > 0 ? (uint32_t)offset : 0 - (uint32_t)offset;
  for (int k = (int)base; k >= 0 && k < 32; k += step)
    if ((mask >> k & 1) && --left == 0) return (uint32_t)k;
  return UINT32_MAX;
}

emu_step ptx_op_int_fns(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  TERNARY(uint32_t, uint32_t, uint32_t, find_nth_set(a, b, (int32_t)c));
  return EMU_NEXT;
}

static uint64_t reverse_bits(uint64_t v) {
  v = (v >> 1 & UINT64_C(0x5555555555555555)) | (v & UINT64_C(0x5555555555555555)) << 1;
  v = (v >> 2 & UINT64_C(0x3333333333333333)) | (v & UINT64_C(0x3333333333333333)) << 2;
  v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
  return __builtin_bswap64(v);
}

emu_step ptx_op_int_brev(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (bits_of(i) == 64)
    UNARY(uint64_t, uint64_t, uint64_t, reverse_bits(a));
  else
    UNARY(uint32_t, uint32_t, uint32_t, reverse_bits(a) >> 32);
  return EMU_NEXT;
}

/* Positions and lengths are 8 bits; bits above the type read as zero, or as the sign. */
static uint64_t extract(uint64_t a, unsigned pos, unsigned len, unsigned bits, bool s) {
  uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  if (len == 0) return 0;
  unsigned top = MIN(pos + len - 1, bits - 1);
  bool sign = s && (a >> top & 1);
  uint64_t field = pos >= bits ? 0 : a >> pos;
  unsigned have = pos >= bits ? 0 : MIN(len, bits - pos);
  uint64_t mask = have >= 64 ? UINT64_MAX : (UINT64_C(1) << have) - 1;
  return ((field & mask) | (sign ? ~mask : 0)) & all;
}

emu_step ptx_op_int_bfe(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned bits = bits_of(i);
  PTX_FOR_LANES(l, lanes)
  ptx_set(w, &i->op_list[0], l,
          extract(lane_bits(w, i, 1, l, bits), (unsigned)lane_bits(w, i, 2, l, 8),
                  (unsigned)lane_bits(w, i, 3, l, 8), bits, is_signed(i)));
  return EMU_NEXT;
}

emu_step ptx_op_int_bfi(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned bits = bits_of(i);
  PTX_FOR_LANES(l, lanes) {
    uint64_t a = lane_bits(w, i, 1, l, bits), b = lane_bits(w, i, 2, l, bits);
    unsigned pos = (unsigned)lane_bits(w, i, 3, l, 8), len = (unsigned)lane_bits(w, i, 4, l, 8);
    if (pos < bits) {
      uint64_t ones = len >= 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1;
      uint64_t mask = ones << pos;
      if (bits == 32) mask &= UINT32_MAX;
      b = (b & ~mask) | ((a << pos) & mask);
    }
    ptx_set(w, &i->op_list[0], l, b);
  }
  return EMU_NEXT;
}

emu_step ptx_op_int_szext(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t *d = ROW(0);
  const uint32_t *pa = ROW(1), *pb = ROW(2);
  bool clamp = i->mode == PTX_CLAMP, s = is_signed(i);
  PTX_FOR_LANES(l, lanes) {
    uint32_t n = clamp ? MIN(pb[l], 32u) : pb[l] & 31;
    uint32_t keep = n >= 32 ? UINT32_MAX : (1u << n) - 1;
    bool sign = s && n && (pa[l] >> (n - 1) & 1);
    d[l] = (pa[l] & keep) | (sign ? ~keep : 0);
  }
  return EMU_NEXT;
}

emu_step ptx_op_int_bmsk(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t *d = ROW(0);
  const uint32_t *pa = ROW(1), *pb = ROW(2);
  bool clamp = i->mode == PTX_CLAMP;
  PTX_FOR_LANES(l, lanes) {
    uint32_t from = clamp ? MIN(pa[l], 32u) : pa[l] & 31;
    uint32_t n = clamp ? MIN(pb[l], 32u) : pb[l] & 31;
    uint64_t mask = n ? ((UINT64_C(1) << n) - 1) << from : 0;
    d[l] = (uint32_t)mask;
  }
  return EMU_NEXT;
}

static int32_t part(uint32_t v, unsigned shift, unsigned bits, bool s) {
  uint32_t x = v >> shift & ((1u << bits) - 1);
  return s ? (int32_t)(x << (32 - bits)) >> (32 - bits) : (int32_t)x;
}

emu_step ptx_op_int_dp4a(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t *d = ROW(0);
  const uint32_t *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);
  bool sa = i->type[0] == PTX_S32, sb = i->type[1] == PTX_S32;
  PTX_FOR_LANES(l, lanes) {
    uint32_t sum = pc[l];
    for (unsigned k = 0; k < 32; k += 8)
      sum += (uint32_t)(part(pa[l], k, 8, sa) * part(pb[l], k, 8, sb));
    d[l] = sum;
  }
  return EMU_NEXT;
}

/* What a video instruction, told by its third letter, does to a part of each operand. Source: PTX
 * ISA, "SIMD Video Instructions". */
static int32_t combine(char op, int32_t a, int32_t b) {
  switch (op) {
  case 'd': return a + b;                       /* vadd */
  case 'u': return a - b;                       /* vsub */
  case 'v': return (a + b + (a + b >= 0)) >> 1; /* vavrg */
  case 'b': return a > b ? a - b : b - a;       /* vabsdiff */
  case 'i': return a < b ? a : b;               /* vmin */
  default: return a > b ? a : b;                /* vmax */
  }
}

static int32_t clamp_part(int32_t v, unsigned bits, bool s) {
  int32_t low = s ? -(1 << (bits - 1)) : 0, high = (1 << (bits - s)) - 1;
  return v < low ? low : v > high ? high : v;
}

/* v{add,sub,avrg,absdiff,min,max}{2,4} */
emu_step ptx_op_int_parts(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t *d = ROW(0);
  const uint32_t *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);
  const char *opcode = ptx_forms[i->form].opcode;
  unsigned bits = opcode[strlen(opcode) - 1] == '4' ? 8 : 16;
  bool sd = i->type[0] == PTX_S32, sa = i->type[1] == PTX_S32, sb = i->type[2] == PTX_S32;
  PTX_FOR_LANES(l, lanes) {
    uint32_t sum = pc[l], parts = 0;
    for (unsigned k = 0; k < 32; k += bits) {
      int32_t v = combine(opcode[2], part(pa[l], k, bits, sa), part(pb[l], k, bits, sb));
      if (i->flags & PTX_FLAG_SAT) v = clamp_part(v, bits, sd);
      sum += (uint32_t)v;
      parts |= ((uint32_t)v & (0xffffffffu >> (32 - bits))) << k;
    }
    d[l] = i->op == PTX_OP_ADD ? sum : parts;
  }
  return EMU_NEXT;
}

emu_step ptx_op_int_dp2a(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t *d = ROW(0);
  const uint32_t *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);
  bool sa = i->type[0] == PTX_S32, sb = i->type[1] == PTX_S32;
  unsigned first = i->flags & PTX_FLAG_HI ? 16 : 0;
  PTX_FOR_LANES(l, lanes) {
    uint32_t sum = pc[l];
    for (unsigned k = 0; k < 2; k++)
      sum += (uint32_t)(part(pa[l], 16 * k, 16, sa) * part(pb[l], first + 8 * k, 8, sb));
    d[l] = sum;
  }
  return EMU_NEXT;
}

/* ---- logic ---------------------------------------------------------------------------------- */

#define LOGIC(name, op)                                                                            \
  emu_step ptx_op_int_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes) {                     \
    if (bits_of(i) == 64)                                                                          \
      BINARY(uint64_t, uint64_t, uint64_t, a op b);                                                \
    else                                                                                           \
      BINARY(uint32_t, uint32_t, uint32_t, a op b);                                                \
    return EMU_NEXT;                                                                               \
  }                                                                                                \
  emu_step ptx_op_pred_##name(emu_warp *w, const ptx_insn *i, uint32_t lanes) {                    \
    uint32_t a = ptx_get_pred(w, &i->op_list[1]), b = ptx_get_pred(w, &i->op_list[2]);             \
    ptx_set_pred(w, &i->op_list[0], lanes, a op b);                                                \
    return EMU_NEXT;                                                                               \
  }
LOGIC(and, &)
LOGIC(or, |)
LOGIC(xor, ^)
#undef LOGIC

emu_step ptx_op_int_not(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  BY_INT_TYPE(UNARY, ~(uint64_t)a, ~(uint64_t)a);
  return EMU_NEXT;
}
emu_step ptx_op_pred_not(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_set_pred(w, &i->op_list[0], lanes, ~ptx_get_pred(w, &i->op_list[1]));
  return EMU_NEXT;
}
emu_step ptx_op_pred_mov(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_set_pred(w, &i->op_list[0], lanes, ptx_get_pred(w, &i->op_list[1]));
  return EMU_NEXT;
}
emu_step ptx_op_int_cnot(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  BY_INT_TYPE(UNARY, a == 0, a == 0);
  return EMU_NEXT;
}

static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t r = 0;
  if (table & 0x01) r |= ~a & ~b & ~c;
  if (table & 0x02) r |= ~a & ~b & c;
  if (table & 0x04) r |= ~a & b & ~c;
  if (table & 0x08) r |= ~a & b & c;
  if (table & 0x10) r |= a & ~b & ~c;
  if (table & 0x20) r |= a & ~b & c;
  if (table & 0x40) r |= a & b & ~c;
  if (table & 0x80) r |= a & b & c;
  return r;
}

emu_step ptx_op_int_lop3(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  bool pair = i->op_list[0].kind == PTX_OPERAND_PAIR;
  const ptx_operand *dest = pair ? &i->op_list[0].list[0] : &i->op_list[0];
  const uint32_t *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);
  unsigned table = (unsigned)ptx_get(w, &i->op_list[4], 0) & 0xff;
  uint32_t nonzero = 0, q = pair ? ptx_get_pred(w, &i->op_list[5]) : 0;
  PTX_FOR_LANES(l, lanes) {
    uint32_t r = lop3(pa[l], pb[l], pc[l], table);
    ptx_set(w, dest, l, r);
    nonzero |= (uint32_t)(r != 0) << l;
  }
  if (pair)
    ptx_set_pred(w, &i->op_list[0].list[1], lanes, i->op == PTX_OP_AND ? nonzero & q : nonzero | q);
  return EMU_NEXT;
}

/* ---- shifts --------------------------------------------------------------------------------- */

/* Amounts above the width shift everything out. */
emu_step ptx_op_int_shl(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const uint32_t *n = ROW(2);
  if (bits_of(i) == 64)
    UNARY(uint64_t, uint64_t, uint64_t, n[l] > 63 ? 0 : a << n[l]);
  else if (bits_of(i) == 32)
    UNARY(uint32_t, uint32_t, uint32_t, n[l] > 31 ? 0 : a << n[l]);
  else
    UNARY(uint32_t, uint32_t, uint16_t, n[l] > 15 ? 0 : a << n[l]);
  return EMU_NEXT;
}

emu_step ptx_op_int_shr(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const uint32_t *n = ROW(2);
  unsigned last = bits_of(i) - 1;
  BY_INT_TYPE(UNARY, n[l] > last ? 0 : a >> n[l], a >> MIN(n[l], last));
  return EMU_NEXT;
}

emu_step ptx_op_int_shf(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t *d = ROW(0);
  const uint32_t *lo = ROW(1), *hi = ROW(2), *n = ROW(3);
  bool left = ptx_has(i, PTX_M_L), clamp = ptx_has(i, PTX_M_CLAMP);
  PTX_FOR_LANES(l, lanes) {
    unsigned shift = clamp ? MIN(n[l], 32u) : n[l] & 31;
    uint64_t v = (uint64_t)hi[l] << 32 | lo[l];
    d[l] = left ? (uint32_t)(v << shift >> 32) : (uint32_t)(v >> shift);
    if (shift == 32) d[l] = left ? lo[l] : hi[l];
  }
  return EMU_NEXT;
}

/* The selectors of prmt's modes, from the two low bits of c. */
static uint32_t prmt_selectors(unsigned mode, uint32_t c) {
  static const uint16_t table[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
      {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
      {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
      {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
      {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
      {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
  };
  return mode == PTX_NO_MODE ? c : table[mode - PTX_PRMT_F4E][c & 3];
}

emu_step ptx_op_int_prmt(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t *d = ROW(0);
  const uint32_t *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);
  PTX_FOR_LANES(l, lanes) {
    uint64_t bytes = (uint64_t)pb[l] << 32 | pa[l];
    uint32_t sel = prmt_selectors(i->mode, pc[l]), r = 0;
    for (unsigned k = 0; k < 4; k++) {
      unsigned s = sel >> (4 * k) & 15;
      uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 0xff;
      if (s & 8) byte = byte & 0x80 ? 0xff : 0; /* the sign, everywhere */
      r |= byte << (8 * k);
    }
    d[l] = r;
  }
  return EMU_NEXT;
}
