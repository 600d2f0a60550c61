/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector instructions: sources of all lanes, the lane function, results of the lanes that execute.
 */
#include "emu/amdgcn/vector.h"

#include <fenv.h>

#include "emu/amdgcn/lane_math.h"
#include "emu/amdgcn/wave.h"

/* ---- the signature -------------------------------------------------------------------------- */

/* The letters of an instruction's operands: results, then sources. */
typedef struct letters {
  const char *result, *sources;
  unsigned n_results, n_sources;
} letters;

static letters letters_of(const gcn_row *row) {
  const char *s = row->signature + (*row->signature == '+'), *end = strchr(s, '=');
  return (letters){s, end + 1, (unsigned)(end - s), (unsigned)strlen(end + 1)};
}

static uint64_t sign_of(char type) {
  switch (type) {
  case 'd': return UINT64_C(1) << 63;
  case 'h':
  case 's': return 0x8000;
  default: return UINT64_C(1) << 31;
  }
}

/* ---- sources -------------------------------------------------------------------------------- */

/* The lane that a lane's value comes from; -1: there is none. */
static int origin(const gcn_insn *i, int l) {
  int row = l & ~15, in = l & 15, n = i->move_number;
  switch ((gcn_move)i->move) {
  case GCN_QUAD: return (l & ~3) | (n >> 2 * (l & 3) & 3);
  case GCN_ROW_LEFT: return in + n < 16 ? l + n : -1;
  case GCN_ROW_RIGHT: return in >= n ? l - n : -1;
  case GCN_ROW_ROTATE: return row | ((in - n) & 15);
  case GCN_WAVE_LEFT: return l < 63 ? l + 1 : -1;
  case GCN_WAVE_ROTATE_LEFT: return (l + 1) & 63;
  case GCN_WAVE_RIGHT: return l - 1;
  case GCN_WAVE_ROTATE_RIGHT: return (l - 1) & 63;
  case GCN_ROW_MIRROR: return row | (15 - in);
  case GCN_HALF_MIRROR: return (l & ~7) | (7 - (l & 7));
  case GCN_BROADCAST_15: return row - 1;
  case GCN_BROADCAST_31: return l >= 32 ? 31 : -1;
  case GCN_ROW_NEW_BROADCAST: return row | n;
  case GCN_ROW_XOR: return l ^ n;
  case GCN_EIGHT: return (l & ~7) | (int)(i->eight >> 3 * (l & 7) & 7);
  default: return l;
  }
}

/* Moves a source between lanes; returns the lanes that execute the instruction. */
static emu_lanes move_lanes(const gcn_insn *i, emu_lanes exec, uint64_t *values) {
  uint64_t from[GCN_LANES];
  emu_lanes lanes = 0;
  memcpy(from, values, sizeof from);
  for (int l = 0; l < GCN_LANES; l++) {
    int o = origin(i, l);
    bool there = o >= 0 && (exec >> o & 1 || i->flags & GCN_ANY_LANE);
    values[l] = there ? from[o] : 0;
    if ((there || (i->flags & GCN_BOUND_CTRL)) && (i->row_mask >> l / 16 & 1) &&
        (i->bank_mask >> l % 16 / 4 & 1))
      lanes |= emu_lane_bit((unsigned)l);
  }
  return exec & lanes;
}

static uint64_t take_part(const gcn_operand *o, uint64_t v) {
  if (o->part == GCN_WHOLE) return v;
  bool byte = o->part <= GCN_BYTE_3;
  unsigned shift = byte ? 8u * (o->part - GCN_BYTE_0) : 16u * (o->part - GCN_WORD_0);
  unsigned width = byte ? 8 : 16;
  v = v >> shift & ((UINT64_C(1) << width) - 1);
  return o->extend ? (uint32_t)sext(v, width) : v;
}

static uint64_t modify(const gcn_operand *o, char type, uint64_t v) {
  uint64_t sign = sign_of(type);
  if (o->absolute) v &= ~sign;
  return o->negate ? v ^ sign : v;
}

/* An f32 of a mixed multiplication: itself, or a half in f16. */
static uint64_t mixed(const gcn_insn *i, unsigned k, uint64_t v) {
  if (!(i->select_high >> k & 1)) return v;
  return RF((float)H(i->select >> k & 1 ? v >> 16 : v));
}

/* Where a source comes from, whichever lanes execute. */
static emu_lanes lanes_read(const emu_warp *w, const gcn_insn *i, emu_lanes exec) {
  return i->move && i->flags & GCN_ANY_LANE ? emu_lanes_below(gcn_lanes(w)) : exec;
}

static void read_source(emu_warp *w, const gcn_insn *i, const letters *t, unsigned k,
                        emu_lanes lanes, uint64_t *out) {
  const gcn_operand *o = &i->operands[t->n_results + k];
  char type = t->sources[k];
  bool mix = gcn_is_mixed(i->row), high = (type == 's' || type == 'h') && i->select >> k & 1;
  gcn_load(w, o, type, lanes, out);
  if (!mix && !high && !o->part && !o->absolute && !o->negate) return;
  EMU_FOR_LANES(l, lanes) {
    uint64_t v = take_part(o, out[l]);
    if (mix) v = mixed(i, k, v);
    if (high) v >>= 16;
    out[l] = modify(o, type, v);
  }
}

/* ---- results -------------------------------------------------------------------------------- */

static bool is_nan(char type, uint64_t v) {
  switch (type) {
  case 'f': return isnan(F(v));
  case 'd': return isnan(D(v));
  case 'h': return isnan(H(v));
  default: return false;
  }
}

static uint64_t quiet(char type) {
  return type == 'd' ? UINT64_C(1) << 51 : type == 'h' ? 0x200 : 0x400000;
}

/* A NaN that comes of a NaN is the first of them, quiet. */
static uint64_t keep_nan(const letters *t, uint64_t r, const uint64_t s[3]) {
  char type = t->result[0];
  if (!is_nan(type, r)) return r;
  for (unsigned k = 0; k < t->n_sources; k++)
    if (t->sources[k] == type && is_nan(type, s[k])) return s[k] | quiet(type);
  return r;
}

/* Results are not scaled where NaNs follow IEEE's rules, nor those that may be subnormal. */
static int scale_of(const emu_warp *w, const gcn_insn *i, char type) {
  uint32_t without = GCN_IEEE | (type == 'f' ? GCN_DENORMAL_F32 : GCN_DENORMAL_OTHERS);
  return gcn_wave_of(w)->mode & without ? 0 : i->scale;
}

static uint64_t scale_and_clamp(const gcn_insn *i, char type, int scale, uint64_t v) {
  double x = type == 'f' ? F(v) : type == 'd' ? D(v) : H(v);
  if (scale) x = ldexp(x, scale);
  if (i->flags & GCN_CLAMP) x = x > 0 ? MIN(x, 1.0) : 0; /* a NaN becomes 0 */
  return type == 'f' ? RF((float)x) : type == 'd' ? RD(x) : RH(x);
}

/* An integer that has more bits than its format, brought into the format's range. */
static uint64_t saturate(const gcn_insn *i, char type, uint64_t v) {
  unsigned bits = type == 's' ? 16 : 32;
  bool sign = i->row->kind == GCN_SATURATES_SIGNED;
  int64_t most = (INT64_C(1) << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
  return (uint64_t)MIN(MAX((int64_t)v, least), most);
}

/* The register's new contents, of the part that the result goes to and of the rest. */
static uint32_t put_part(const gcn_insn *i, uint32_t old, uint32_t v) {
  bool byte = i->part <= GCN_BYTE_3;
  unsigned width = byte ? 8 : 16;
  unsigned shift = byte ? 8u * (i->part - GCN_BYTE_0) : 16u * (i->part - GCN_WORD_0);
  uint32_t mask = ((1u << width) - 1) << shift;
  v = v << shift & mask;
  if (i->flags & GCN_KEEP) return (old & ~mask) | v;
  return i->flags & GCN_SIGN_REST ? (uint32_t)sext(v, shift + width) : v;
}

static uint32_t put_half(const gcn_insn *i, unsigned n_sources, uint32_t old, uint32_t v) {
  bool high =
      i->row->kind == GCN_MIXED_HIGH || (!gcn_is_mixed(i->row) && i->select >> n_sources & 1);
  if (high) return (old & 0xffff) | v << 16;
  bool keeps = i->row->kind == GCN_KEEPS_HIGH || i->row->kind == GCN_SATURATES_SIGNED ||
               i->row->kind == GCN_MIXED_LOW || gcn_is_narrow(i);
  return (keeps ? old & 0xffff0000 : 0) | (v & 0xffff);
}

static void write_result(emu_warp *w, const gcn_insn *i, const letters *t, unsigned l, uint64_t v) {
  const gcn_operand *o = &i->operands[0];
  if (o->kind != GCN_VECTOR) return;
  uint32_t *low = gcn_vector(w, o->first);
  char type = t->result[0];
  if (type == 'q' || type == 'd') {
    low[l] = (uint32_t)v;
    low[l + GCN_LANES] = (uint32_t)(v >> 32);
  } else if (i->part) {
    low[l] = put_part(i, low[l], (uint32_t)v);
  } else if (type == 's' || type == 'h' || (gcn_is_mixed(i->row) && i->row->kind > GCN_MIXED)) {
    low[l] = put_half(i, t->n_sources, low[l], (uint32_t)v);
  } else {
    low[l] = (uint32_t)v;
  }
}

static uint64_t old_result(const emu_warp *w, const gcn_insn *i, char type, unsigned l) {
  const uint32_t *low = gcn_vector(w, i->operands[0].first);
  uint64_t high = type == 'd' || type == 'q' ? low[l + GCN_LANES] : 0;
  return low[l] | high << 32;
}

/* ---- each lane by itself -------------------------------------------------------------------- */

/* The host's rounding for results of a type, as the mode register has it. */
static int rounding_of(const emu_warp *w, char type) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  uint32_t mode = gcn_wave_of(w)->mode;
  return type == 'f' ? modes[mode & 3] : type == 'd' ? modes[mode >> 2 & 3] : FE_TONEAREST;
}

emu_step gcn_run_vector(emu_warp *w, const gcn_insn *i) {
  uint64_t values[3][GCN_LANES], s[3] = {0}, carries = 0;
  letters t = letters_of(i->row);
  emu_lanes exec = gcn_exec(w), lanes = exec;
  char type = t.result[0];
  bool is_float = type == 'f' || type == 'd' || type == 'h';
  int scale = scale_of(w, i, type);
  bool changed = scale || (i->flags & GCN_CLAMP), ieee = gcn_wave_of(w)->mode & GCN_IEEE;
  emu_lanes read = lanes_read(w, i, exec);
  for (unsigned k = 0; k < t.n_sources; k++) read_source(w, i, &t, k, read, values[k]);
  if (i->move) lanes = move_lanes(i, exec, values[0]);
  uint64_t vcc = gcn_pair(gcn_wave_of(w), GCN_VCC);
  int rounding = rounding_of(w, type);
  if (rounding != FE_TONEAREST) fesetround(rounding);
  EMU_FOR_LANES(l, lanes) {
    for (unsigned k = 0; k < t.n_sources; k++) s[k] = values[k][l];
    gcn_lane x = {.lane = (unsigned)l,
                  .lanes = lanes,
                  .vcc = vcc >> l & 1,
                  .ieee = ieee,
                  .truth = i->truth,
                  .signs = i->negate_low};
    if (*i->row->signature == '+') x.old = old_result(w, i, type, (unsigned)l);
    uint64_t r = i->row->lane(s[0], s[1], s[2], &x);
    if (is_float) r = keep_nan(&t, r, s);
    if (changed) r = is_float ? scale_and_clamp(i, type, scale, r) : saturate(i, type, r);
    write_result(w, i, &t, (unsigned)l, r);
    carries |= (uint64_t)x.carry << l;
  }
  if (rounding != FE_TONEAREST) fesetround(FE_TONEAREST);
  if (t.n_results > 1) gcn_set_scalar(w, &i->operands[1], carries, 'm');
  return EMU_NEXT;
}

/* ---- both halves ---------------------------------------------------------------------------- */

/* A half of a source, with its sign changed if the instruction says so. */
static uint64_t half_of(const gcn_insn *i, uint64_t v, unsigned k, unsigned width, bool high) {
  uint8_t select = high ? i->select_high : i->select;
  uint8_t negate = high ? i->negate_high : i->negate_low;
  if (select >> k & 1) v >>= width;
  if (width == 16)
    v &= 0xffff;
  else
    v = (uint32_t)v;
  return negate >> k & 1 ? v ^ UINT64_C(1) << (width - 1) : v;
}

/* Constants of 32 bits stand for both halves of 64. */
static void read_pair(emu_warp *w, const gcn_operand *o, bool wide, emu_lanes lanes,
                      uint64_t *out) {
  gcn_load(w, o, wide && o->count > 1 ? 'q' : 'u', lanes, out);
  if (o->kind == GCN_FLOAT && !wide) gcn_load(w, o, 'h', lanes, out);
  if (!wide || o->count > 1) return;
  EMU_FOR_LANES(l, lanes) out[l] |= out[l] << 32;
}

static uint64_t clamp_half(const gcn_insn *i, char type, uint64_t v) {
  return i->flags & GCN_CLAMP ? scale_and_clamp(i, type, 0, v) : v;
}

emu_step gcn_run_packed(emu_warp *w, const gcn_insn *i) {
  uint64_t values[3][GCN_LANES] = {{0}};
  char type = (char)i->row->more;
  unsigned n = i->row->kind, width = type == 'f' ? 32 : 16;
  emu_lanes lanes = gcn_exec(w);
  uint32_t *low = gcn_vector(w, i->operands[0].first);
  for (unsigned k = 0; k < n; k++) read_pair(w, &i->operands[1 + k], width == 32, lanes, values[k]);
  EMU_FOR_LANES(l, lanes) {
    uint64_t r[2];
    for (unsigned h = 0; h < 2; h++) {
      uint64_t s[3];
      for (unsigned k = 0; k < 3; k++) s[k] = half_of(i, values[k][l], k, width, h);
      gcn_lane x = {.lane = (unsigned)l, .ieee = gcn_wave_of(w)->mode & GCN_IEEE};
      r[h] = clamp_half(i, type, i->row->lane(s[0], s[1], s[2], &x));
    }
    low[l] = width == 32 ? (uint32_t)r[0] : (uint32_t)((r[0] & 0xffff) | r[1] << 16);
    if (width == 32) low[l + GCN_LANES] = (uint32_t)r[1];
  }
  return EMU_NEXT;
}

/* The low result is a half of the first source, the high one of the second. */
emu_step gcn_run_packed_move(emu_warp *w, const gcn_insn *i) {
  uint64_t a[GCN_LANES], b[GCN_LANES];
  emu_lanes lanes = gcn_exec(w);
  uint32_t *low = gcn_vector(w, i->operands[0].first);
  read_pair(w, &i->operands[1], true, lanes, a);
  read_pair(w, &i->operands[2], true, lanes, b);
  EMU_FOR_LANES(l, lanes) {
    low[l] = (uint32_t)(i->select & 1 ? a[l] >> 32 : a[l]);
    low[l + GCN_LANES] = (uint32_t)(i->select & 2 ? b[l] >> 32 : b[l]);
  }
  return EMU_NEXT;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

/* -1, 0, 1; 2: one is a NaN. */
static int order_of(char type, uint64_t a, uint64_t b) {
  switch (type) {
  case 'f': return isunordered(F(a), F(b)) ? 2 : (F(a) > F(b)) - (F(a) < F(b));
  case 'd': return isunordered(D(a), D(b)) ? 2 : (D(a) > D(b)) - (D(a) < D(b));
  case 'h': return isunordered(H(a), H(b)) ? 2 : (H(a) > H(b)) - (H(a) < H(b));
  case 'i': return (I(a) > I(b)) - (I(a) < I(b));
  case 'I': return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
  case 'j': return (S16(a) > S16(b)) - (S16(a) < S16(b));
  case 's': return (U16(a) > U16(b)) - (U16(a) < U16(b));
  default: return (a > b) - (a < b);
  }
}

static bool holds(unsigned comparison, int order) {
  bool unordered = order == 2;
  switch (comparison) {
  case GCN_FALSE: return false;
  case GCN_LT: return order == -1;
  case GCN_EQ: return order == 0;
  case GCN_LE: return order <= 0;
  case GCN_GT: return order == 1;
  case GCN_LG: return !unordered && order != 0;
  case GCN_GE: return !unordered && order >= 0;
  case GCN_ORDERED: return !unordered;
  case GCN_UNORDERED: return unordered;
  case GCN_NGE: return unordered || order < 0;
  case GCN_NLG: return unordered || order == 0;
  case GCN_NGT: return unordered || order <= 0;
  case GCN_NLE: return unordered || order > 0;
  case GCN_NEQ: return order != 0;
  case GCN_NLT: return unordered || order >= 0;
  default: return true;
  }
}

static bool in_class(char type, uint64_t v, uint64_t mask) {
  double x = type == 'f' ? F(v) : type == 'd' ? D(v) : H(v);
  double least = type == 'f' ? 0x1p-126 : type == 'd' ? 0x1p-1022 : 0x1p-14;
  return gcn_in_class(x, isnan(x) && !(v & quiet(type)), fabs(x) < least, mask);
}

emu_step gcn_run_compare(emu_warp *w, const gcn_insn *i) {
  uint64_t a[GCN_LANES], b[GCN_LANES], result = 0;
  letters t = letters_of(i->row);
  char type = (char)i->row->more;
  emu_lanes exec = gcn_exec(w), lanes = exec;
  emu_lanes read = lanes_read(w, i, exec);
  read_source(w, i, &t, 0, read, a);
  read_source(w, i, &t, 1, read, b);
  if (i->move) lanes = move_lanes(i, exec, a);
  EMU_FOR_LANES(l, lanes) {
    bool yes = i->row->kind == GCN_CLASS ? in_class(type, a[l], b[l])
                                         : holds(i->row->kind, order_of(type, a[l], b[l]));
    result |= (uint64_t)yes << l;
  }
  gcn_set_scalar(w, &i->operands[0], result, 'm');
  if (i->row->bytes) gcn_set_pair(gcn_wave_of(w), GCN_EXEC, result);
  return EMU_NEXT;
}

/* ---- lanes and scalars ---------------------------------------------------------------------- */

static emu_step read_one(emu_warp *w, const gcn_insn *i, unsigned lane) {
  const gcn_operand *o = &i->operands[1];
  uint64_t v = o->kind == GCN_VECTOR ? gcn_vector(w, o->first)[lane] : gcn_uniform(w, o, 'u');
  gcn_set_scalar(w, &i->operands[0], v, 'u');
  return EMU_NEXT;
}

emu_step gcn_run_read_first(emu_warp *w, const gcn_insn *i) {
  emu_lanes exec = gcn_exec(w);
  return read_one(w, i, exec ? emu_first_lane(exec) : 0);
}

emu_step gcn_run_read_lane(emu_warp *w, const gcn_insn *i) {
  return read_one(w, i, gcn_uniform(w, &i->operands[2], 'u') % gcn_lanes(w));
}

emu_step gcn_run_write_lane(emu_warp *w, const gcn_insn *i) {
  unsigned lane = gcn_uniform(w, &i->operands[2], 'u') % gcn_lanes(w);
  gcn_vector(w, i->operands[0].first)[lane] = (uint32_t)gcn_uniform(w, &i->operands[1], 'u');
  return EMU_NEXT;
}

emu_step gcn_run_swap(emu_warp *w, const gcn_insn *i) {
  uint32_t *a = gcn_vector(w, i->operands[0].first), *b = gcn_vector(w, i->operands[1].first);
  EMU_FOR_LANES(l, gcn_exec(w)) {
    uint32_t v = a[l];
    a[l] = b[l];
    b[l] = v;
  }
  return EMU_NEXT;
}

emu_step gcn_run_swap_rows(emu_warp *w, const gcn_insn *i) {
  unsigned row = i->row->more;
  uint32_t *a = gcn_vector(w, i->operands[0].first), *b = gcn_vector(w, i->operands[1].first);
  emu_lanes exec = gcn_exec(w);
  for (unsigned l = 0; l < gcn_lanes(w); l++) {
    unsigned other = l ^ row;
    if (!(l & row) || !(exec >> l & 1) || !(exec >> other & 1)) continue;
    uint32_t v = a[l];
    a[l] = b[other];
    b[other] = v;
  }
  return EMU_NEXT;
}

/* ---- permutations of rows ------------------------------------------------------------------- */

/* Lanes of 16 take values of their own row, or of the other of 32 lanes, by four bits for each. */
static emu_step permute_rows(emu_warp *w, const gcn_insn *i, unsigned flip) {
  enum { ANY_LANE = 1, BOUND_CTRL = 2 }; /* op_sel */
  uint64_t low = gcn_uniform(w, &i->operands[2], 'u'), high = gcn_uniform(w, &i->operands[3], 'u');
  uint64_t numbers = low | high << 32, from[GCN_LANES];
  uint32_t *result = gcn_vector(w, i->operands[0].first);
  emu_lanes exec = gcn_exec(w);
  gcn_load(w, &i->operands[1], 'u', emu_lanes_below(gcn_lanes(w)), from);
  EMU_FOR_LANES(l, exec) {
    unsigned o = ((unsigned)l & ~15u) ^ flip;
    o |= numbers >> 4 * (l & 15) & 15;
    if (exec >> o & 1 || i->select & ANY_LANE)
      result[l] = (uint32_t)from[o];
    else if (i->select & BOUND_CTRL)
      result[l] = 0;
  }
  return EMU_NEXT;
}

emu_step gcn_run_permute_row(emu_warp *w, const gcn_insn *i) {
  return permute_rows(w, i, 0);
}
emu_step gcn_run_permute_other_row(emu_warp *w, const gcn_insn *i) {
  return permute_rows(w, i, 16);
}

/* ---- two at once ---------------------------------------------------------------------------- */

/* Both read their sources before either writes its result. */
emu_step gcn_run_dual(emu_warp *w, const gcn_insn *i) {
  uint32_t *first = gcn_vector(w, i->pair->operands[0].first), old[GCN_LANES], made[GCN_LANES];
  memcpy(old, first, sizeof old);
  gcn_run_vector(w, &i->pair[0]);
  memcpy(made, first, sizeof made);
  memcpy(first, old, sizeof old);
  gcn_run_vector(w, &i->pair[1]);
  memcpy(first, made, sizeof made);
  return EMU_NEXT;
}
