/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fields out of words: where the processor picks bytes at any bit of a word (AVX-512 VBMI), by
 * that; with permutations of bytes (AVX2, AVX-512) each field's two bytes are shuffled into a lane
 * of 16 bits and shifted; elsewhere halves of a lane move apart.
 * Numbers out of fields: by tables where a permutation of bytes reaches all patterns of the width,
 * one table for the low bytes of the results and one for the high, or a permutation of 16-bit lanes
 * does; floats of 6 and 7 bits with AVX2 by moving their bits to the places that they have in 16
 * bits; else by arithmetic.
 */
#include "llvm/packed.h"

#include "num/num.h"
#include "llvm/conv.h"
#include "llvm/lanes.h"
#include "llvm/lookup.h"

enum { WHOLE = 64 }; /* bytes of the largest register */

static lanes as_vector(emit *e, lanes words) {
  LLVMTypeRef type = LLVMTypeOf(words);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) return words;
  return LLVMBuildBitCast(e->b, words, LLVMVectorType(type, 1), "");
}

static lanes recast(emit *e, lanes x, LLVMTypeRef elem, unsigned count) {
  return LLVMBuildBitCast(e->b, x, LLVMVectorType(elem, count), "");
}

/* ---- memory --------------------------------------------------------------------------------- */

static lanes load_at(emit *e, LLVMTypeRef type, LLVMValueRef at) {
  LLVMValueRef x = LLVMBuildLoad2(e->b, type, at, "");
  LLVMSetAlignment(x, 1);
  return x;
}

static LLVMValueRef k64(emit *e, int64_t x) {
  return LLVMConstInt(e->i64, (uint64_t)x, true);
}

/* Where elements begin within a byte, they end in one more: 1 then, as far as it is known. */
static LLVMValueRef one_more(emit *e, LLVMValueRef bit) {
  return bit ? i_lshrk(e, i_addk(e, bit, 7), 3) : k64(e, 0);
}

/* So many bytes, 1 to 8, and `more`, as a word: two pieces that overlap. */
static lanes load_word(emit *e, LLVMValueRef at, unsigned bytes, LLVMValueRef more) {
  unsigned piece = bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
  LLVMTypeRef type = LLVMIntTypeInContext(e->llvm, 8 * piece);
  lanes low = l_zext(e, load_at(e, type, at), e->i64);
  bool whole = LLVMIsAConstantInt(more) && bytes == piece;
  if (whole) return low;
  LLVMValueRef behind = i_addk(e, more, bytes - piece);
  lanes high = l_zext(e, load_at(e, type, emit_offset(e, at, behind)), e->i64);
  return i_or(e, low, i_shl(e, high, i_shlk(e, behind, 3)));
}

/* Word after word. Those whose eight bytes would reach beyond the last are taken from the last
 * eight, shifted down by more. */
static lanes load_words(emit *e, LLVMValueRef at, LLVMValueRef bit, unsigned width,
                        unsigned count) {
  LLVMValueRef more = one_more(e, bit), from = bit ? bit : k64(e, 0);
  lanes words = LLVMGetPoison(LLVMVectorType(e->i64, count));
  unsigned bytes = count * width;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef here = emit_offsetk(e, at, i * width), by = from;
    lanes word;
    if (bytes < 8) {
      word = load_word(e, here, width, more);
    } else if (i * width + 8 <= bytes) {
      word = load_at(e, e->i64, here);
    } else {
      LLVMValueRef last = emit_offset(e, at, i_addk(e, more, bytes - 8));
      word = load_at(e, e->i64, last);
      by = i_sub(e, i_addk(e, from, 8 * (i * width + 8 - bytes)), i_shlk(e, more, 3));
    }
    word = i_lshr(e, word, by);
    words = LLVMBuildInsertElement(e->b, words, word, LLVMConstInt(e->i32, i, 0), "");
  }
  return words;
}

/* Joins vectors of equal length, a power of two of them. */
static lanes join(emit *e, lanes *part, unsigned n) {
  for (; n > 1; n /= 2)
    for (unsigned i = 0; i < n / 2; i++) {
      unsigned count = 2 * emit_lanes(part[2 * i]);
      LLVMValueRef *order = arena_array(e->arena, LLVMValueRef, count);
      for (unsigned k = 0; k < count; k++) order[k] = LLVMConstInt(e->i32, k, 0);
      part[i] = LLVMBuildShuffleVector(e->b, part[2 * i], part[2 * i + 1],
                                       LLVMConstVector(order, count), "");
    }
  return part[0];
}

enum { PAIR = 16 }; /* bytes that a permutation of bytes reaches */

/* 0 to 2 for 16 to 64 bytes. */
static unsigned size_of_register(unsigned bytes) {
  return bytes == PAIR ? 0 : bytes == 2 * PAIR ? 1 : 2;
}

/* Within each 16 bytes; 0 where an index has its highest bit set. */
static lanes permute_bytes(emit *e, lanes bytes, lanes index) {
  static const char *const names[] = {"llvm.x86.ssse3.pshuf.b.128", "llvm.x86.avx2.pshuf.b",
                                      "llvm.x86.avx512.pshuf.b.512"};
  LLVMValueRef args[] = {bytes, index};
  return emit_intrinsic(e, names[size_of_register(emit_lanes(bytes))], NULL, 0, args, 2);
}

/* Two words out of 16 bytes each. Those whose 16 bytes would reach beyond the last are taken from
 * the last 16: of them the places are `late` behind, and one less where there is one more byte. */
static lanes load_pairs(emit *e, LLVMValueRef at, LLVMValueRef bit, unsigned width,
                        unsigned count) {
  LLVMValueRef more = one_more(e, bit), place_of[WHOLE], part[WHOLE / PAIR], drop[WHOLE];
  unsigned bytes = count * width, n = count / 2;
  for (unsigned p = 0; p < n; p++) {
    unsigned from = 2 * p * width;
    bool late = from + PAIR > bytes;
    LLVMValueRef here = emit_offsetk(e, at, from);
    if (late) here = emit_offset(e, at, i_addk(e, more, bytes - PAIR));
    part[p] = load_at(e, LLVMVectorType(e->i8, PAIR), here);
    for (unsigned i = 0; i < PAIR; i++) {
      unsigned to = i / 8 * width + i % 8 + (late ? from + PAIR - bytes : 0);
      bool reached = to <= PAIR; /* what is beyond is not part of a word */
      place_of[p * PAIR + i] = LLVMConstInt(e->i8, reached ? to : 0, 0);
      drop[p * PAIR + i] = LLVMConstInt(e->i8, late && reached ? 0xff : 0, 0);
    }
  }
  lanes index = LLVMConstVector(place_of, n * PAIR);
  if (bit) {
    lanes less = emit_splat(e, l_trunc(e, more, e->i8), n * PAIR);
    index = i_sub(e, index, i_and(e, less, LLVMConstVector(drop, n * PAIR)));
  }
  lanes words = recast(e, permute_bytes(e, join(e, part, n), index), e->i64, count);
  return bit ? i_lshr(e, words, emit_splat(e, bit, count)) : words;
}

/* All bytes of a register's words at once, by a load that leaves out those behind the last. */
static lanes load_masked(emit *e, LLVMValueRef at, LLVMValueRef bit, unsigned width,
                         unsigned count) {
  LLVMTypeRef type = LLVMVectorType(e->i8, WHOLE);
  LLVMValueRef from[WHOLE], mask = LLVMConstNull(LLVMVectorType(e->i1, WHOLE));
  for (unsigned i = 0; i <= count * width && i < WHOLE; i++) {
    LLVMValueRef exists = LLVMConstInt(e->i1, i < count * width, 0);
    if (i == count * width && bit) exists = LLVMBuildTrunc(e->b, one_more(e, bit), e->i1, "");
    mask = LLVMBuildInsertElement(e->b, mask, exists, LLVMConstInt(e->i32, i, 0), "");
  }
  LLVMTypeRef types[] = {type, e->ptr};
  LLVMValueRef args[] = {at, mask, LLVMConstNull(type)};
  lanes bytes = emit_intrinsic(e, "llvm.masked.load", types, 2, args, ARRAY_LEN(args));
  for (unsigned i = 0; i < 8 * count; i++) {
    unsigned byte = i / 8 * width + i % 8;
    from[i] = byte < WHOLE ? LLVMConstInt(e->i32, byte, 0) : LLVMGetPoison(e->i32);
  }
  bytes = LLVMBuildShuffleVector(e->b, bytes, LLVMGetPoison(type), LLVMConstVector(from, 8 * count),
                                 "");
  lanes words = recast(e, bytes, e->i64, count);
  return bit ? i_lshr(e, words, emit_splat(e, bit, count)) : words;
}

LLVMValueRef packed_load(emit *e, LLVMValueRef at, LLVMValueRef bit, unsigned width,
                         unsigned count) {
  if (width == 8) return recast(e, load_at(e, LLVMVectorType(e->i8, 8 * count), at), e->i64, count);
  bool permutes = e->isa.level >= CPU_AVX2 && !e->arm && !e->gpu;
  unsigned most = !permutes ? count : e->vector_bits / 64;
  if (count > most) {
    lanes half[] = {packed_load(e, at, bit, width, count / 2),
                    packed_load(e, emit_offsetk(e, at, count / 2 * width), bit, width, count / 2)};
    return join(e, half, 2);
  }
  if (e->isa.vbmi && permutes && count == 8) return load_masked(e, at, bit, width, count);
  if (permutes && count >= 2 && count * width >= PAIR) return load_pairs(e, at, bit, width, count);
  return load_words(e, at, bit, width, count);
}

/* ---- fields --------------------------------------------------------------------------------- */

/* Byte i of a register is 8 bits of its word from any bit on. */
static lanes pick_fields(emit *e, const void *user, lanes *bytes) {
  LLVMValueRef from[WHOLE];
  for (unsigned i = 0; i < WHOLE; i++)
    from[i] = LLVMConstInt(e->i8, i % 8 * *(const unsigned *)user, 0);
  LLVMValueRef args[] = {LLVMConstVector(from, WHOLE), bytes[0]};
  return emit_intrinsic(e, "llvm.x86.avx512.pmultishift.qb.512", NULL, 0, args, 2);
}

/* Pairs of fields in lanes of 16 bits, the lowest bits of which they are, with others' above: out
 * of the two 16 bits in which each lies, one shifted down and one up, by multiplication. A pair
 * that begins with 16 bits is all of the latter. */
static lanes pairs_of_fields(emit *e, const void *user, lanes *words) {
  unsigned width = *(const unsigned *)user;
  LLVMValueRef below[PAIR / 2], above[PAIR / 2], down[PAIR / 2], up[PAIR / 2];
  for (unsigned i = 0; i < PAIR / 2; i++) {
    unsigned bit = i % 4 * 2 * width, shift = bit % 16, unit = i / 4 * 4 + bit / 16;
    below[i] = LLVMConstInt(e->i32, unit, 0);
    above[i] = LLVMConstInt(e->i32, unit + (shift > 0), 0);
    down[i] = LLVMConstInt(e->i16, shift ? 1u << (16 - shift) : 0, 0);
    up[i] = LLVMConstInt(e->i16, (16 - shift) % 16, 0);
  }
  lanes x = words[0];
  lanes low = LLVMBuildShuffleVector(e->b, x, x, LLVMConstVector(below, PAIR / 2), "");
  lanes high = LLVMBuildShuffleVector(e->b, x, x, LLVMConstVector(above, PAIR / 2), "");
  LLVMValueRef args[] = {low, LLVMConstVector(down, PAIR / 2)};
  low = emit_intrinsic(e, "llvm.x86.sse2.pmulhu.w", NULL, 0, args, 2);
  return i_or(e, low, i_shl(e, high, LLVMConstVector(up, PAIR / 2)));
}

/* The half of each lane's fields that is above moves up to the middle of the lane, in steps 0 to 2:
 * then each field has a byte. */
static lanes unfold_fields(emit *e, lanes x, unsigned width, unsigned first_step) {
  LLVMTypeRef types[] = {e->i64, e->i32, e->i16};
  unsigned count = emit_lanes(x) >> first_step; /* words */
  for (unsigned step = first_step; step < 3; step++) {
    unsigned half = 32u >> step, have = 4 * width >> step; /* bits of half a lane, and used there */
    x = recast(e, x, types[step], count << step);
    lanes low = i_andk(e, x, num_mask(have));
    lanes high = i_andk(e, i_shlk(e, x, half - have), num_mask(have) << half);
    x = i_or(e, low, high);
  }
  return recast(e, x, e->i8, 8 * count);
}

/* The first two steps are one where a processor multiplies lanes of 16 bits but has no permutation
 * of bytes. */
static lanes unfold_words(emit *e, lanes words, unsigned width) {
  if (e->gpu || e->arm || e->isa.level >= CPU_AVX2) return unfold_fields(e, words, width, 0);
  words = recast(e, words, e->i16, 4 * emit_lanes(words));
  words = lanes_in_pieces(e, PAIR / 2, 1, &words, pairs_of_fields, &width);
  return unfold_fields(e, words, width, 2);
}

/* How fields come into lanes of 16 bits: at the top of them, with bits of others below, or at the
 * bottom, with bits of others above. */
typedef enum lane_end { AT_TOP, AT_BOTTOM } lane_end;

/* Where bytes are permuted within 16 of them only. Four bits are unfolded in fewer steps. */
static bool spreads(const emit *e, unsigned width) {
  bool permutes = !e->gpu && !e->arm && e->isa.level >= CPU_AVX2 && !e->isa.vbmi;
  return permutes && width != 4 && width < 8;
}

/* In each 16 bytes, the fields of the first word of two, or of the second: both bytes in which a
 * field lies go to a lane, and are shifted there. */
static lanes spread_fields(emit *e, lanes bytes, unsigned width, bool second, lane_end end) {
  unsigned count = emit_lanes(bytes);
  LLVMValueRef from[WHOLE], by[WHOLE / 2];
  for (unsigned i = 0; i < count / 2; i++) {
    unsigned bit = i % 8 * width, byte = i / 8 * PAIR + (second ? 8 : 0) + bit / 8;
    unsigned shift = end == AT_TOP ? 16 - width - bit % 8 : bit % 8;
    from[2 * i] = LLVMConstInt(e->i32, byte, 0);
    from[2 * i + 1] = LLVMConstInt(e->i32, byte + 1, 0);
    by[i] = LLVMConstInt(e->i16, shift, 0);
  }
  lanes x = LLVMBuildShuffleVector(e->b, bytes, bytes, LLVMConstVector(from, count), "");
  x = recast(e, x, e->i16, count / 2);
  lanes shifts = LLVMConstVector(by, count / 2);
  return end == AT_TOP ? i_shl(e, x, shifts) : i_lshr(e, x, shifts);
}

/* A width, and whether its fields are extended from their sign. */
typedef struct integer_field {
  unsigned width;
  bool is_signed;
} integer_field;

/* Lanes of 16 bits to bytes, eight of one vector and eight of the other in turns. */
static lanes pack_lanes(emit *e, lanes *half, bool is_signed) {
  static const char *const names[2][3] = {
      {"llvm.x86.sse2.packuswb.128", "llvm.x86.avx2.packuswb", "llvm.x86.avx512.packuswb.512"},
      {"llvm.x86.sse2.packsswb.128", "llvm.x86.avx2.packsswb", "llvm.x86.avx512.packsswb.512"}};
  const char *name = names[is_signed][size_of_register(2 * emit_lanes(half[0]))];
  return emit_intrinsic(e, name, NULL, 0, half, 2);
}

/* Fields of 16 to 64 bytes: those of first words and of second ones. */
static lanes pack_spread_fields(emit *e, const void *user, lanes *bytes) {
  const integer_field *f = user;
  lanes half[2];
  for (unsigned i = 0; i < 2; i++) {
    lanes x = spread_fields(e, bytes[0], f->width, i, AT_TOP);
    half[i] = f->is_signed ? i_ashrk(e, x, 16 - f->width) : i_lshrk(e, x, 16 - f->width);
  }
  return pack_lanes(e, half, f->is_signed);
}

/* The bytes that one register takes of so many, at least those of two words. */
static unsigned piece_of(const emit *e, unsigned bytes) {
  unsigned most = e->vector_bits / 8;
  return bytes < PAIR ? PAIR : bytes < most ? bytes : most;
}

static lanes spread_to_bytes(emit *e, lanes bytes, unsigned width, bool is_signed) {
  integer_field f = {width, is_signed};
  unsigned piece = piece_of(e, emit_lanes(bytes));
  return lanes_in_pieces(e, piece, 1, &bytes, pack_spread_fields, &f);
}

static lanes bytes_of_words(emit *e, lanes words) {
  words = as_vector(e, words);
  return recast(e, words, e->i8, 8 * emit_lanes(words));
}

/* In i8 lanes; where fields are picked, with bits of others above the width. */
static lanes loose_fields(emit *e, lanes words, unsigned width) {
  lanes bytes = bytes_of_words(e, words);
  if (width == 8) return bytes;
  if (spreads(e, width)) return spread_to_bytes(e, bytes, width, false);
  if (!e->isa.vbmi || e->gpu) return unfold_words(e, as_vector(e, words), width);
  return lanes_in_pieces(e, WHOLE, 1, &bytes, pick_fields, &width);
}

static lanes to_lane(emit *e, lanes x, LLVMTypeRef lane) {
  unsigned have = lanes_bits(e, x), want = LLVMGetIntTypeWidth(lane);
  return have == want ? x : have < want ? l_zext(e, x, lane) : l_trunc(e, x, lane);
}

LLVMValueRef packed_fields(emit *e, LLVMValueRef words, unsigned width, LLVMTypeRef lane) {
  lanes x = loose_fields(e, words, width);
  if (width < 8 && e->isa.vbmi) x = i_andk(e, x, num_mask(width));
  return to_lane(e, x, lane);
}

static unsigned sign_bit(unsigned width) {
  return 1u << (width - 1);
}

/* Signs are flipped while they are in words, and their weight is taken off. */
static lanes signed_bytes(emit *e, lanes words, unsigned width) {
  if (width == 8) return bytes_of_words(e, words);
  if (spreads(e, width)) return spread_to_bytes(e, bytes_of_words(e, words), width, true);
  uint64_t sign = sign_bit(width), signs = 0;
  for (unsigned i = 0; i < 8; i++) signs |= sign << i * width;
  return i_subk(e, packed_fields(e, i_xork(e, words, signs), width, e->i8), sign);
}

LLVMValueRef packed_integers(emit *e, LLVMValueRef words, unsigned width, bool is_signed,
                             LLVMTypeRef lane) {
  if (!is_signed) return packed_fields(e, words, width, lane);
  lanes x = signed_bytes(e, words, width);
  return lane == e->i8 ? x : l_sext(e, x, lane);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* Results of 16 bits for the patterns of a width. */
typedef struct table {
  unsigned width;
  bool in_lanes; /* looked up by lanes of 16 bits */
  uint16_t value[256];
} table;

/* Of floats of 5 to 7 bits, AVX-512 permutes lanes of 16 bits: 32 results or, out of two registers,
 * 64. */
static bool has_lane_tables(const emit *e, tsr_elem elem) {
  unsigned width = tsr_elem_bits(elem);
  bool permutes = emit_has_avx512(e) && e->vector_bits >= 512 && spreads(e, width);
  return permutes && tsr_elem_is_float(elem) && width >= 5;
}

/* Widths for whose patterns permutations of bytes are the shorter way: of 128 at once and 256 by
 * two of them, or of 16 at once and 32 by two. */
static bool has_tables(const emit *e, tsr_elem elem) {
  unsigned width = tsr_elem_bits(elem);
  if (e->gpu || e->arm || e->isa.level < CPU_AVX2) return false;
  if (!e->isa.vbmi) return width <= 5 || has_lane_tables(e, elem);
  return width < 8 || tsr_elem_is_extension(elem);
}

static lanes byte_table(emit *e, const table *t, unsigned first, unsigned shift, unsigned count) {
  LLVMValueRef v[WHOLE];
  for (unsigned i = 0; i < count; i++) {
    unsigned at = (first + i) & ((1u << t->width) - 1);
    v[i] = LLVMConstInt(e->i8, t->value[at] >> shift & 0xff, 0);
  }
  return LLVMConstVector(v, count);
}

/* One of the two bytes of every result. */
typedef struct half_table {
  const table *t;
  unsigned shift;
} half_table;

static lanes look_up_in_128(emit *e, const half_table *h, unsigned first, lanes index) {
  LLVMValueRef args[] = {byte_table(e, h->t, first, h->shift, WHOLE), index,
                         byte_table(e, h->t, first + WHOLE, h->shift, WHOLE)};
  return emit_intrinsic(e, "llvm.x86.avx512.vpermi2var.qi.512", NULL, 0, args, 3);
}

static lanes look_up_64(emit *e, const void *user, lanes *index) {
  const half_table *h = user;
  if (h->t->width <= 6) {
    LLVMValueRef args[] = {byte_table(e, h->t, 0, h->shift, WHOLE), index[0]};
    return emit_intrinsic(e, "llvm.x86.avx512.permvar.qi.512", NULL, 0, args, 2);
  }
  lanes low = look_up_in_128(e, h, 0, index[0]);
  if (h->t->width == 7) return low;
  lanes is_high = i_cmpk(e, LLVMIntSLT, index[0], 0);
  return l_select(e, is_high, look_up_in_128(e, h, 128, index[0]), low);
}

/* 16 entries, the same in both halves of a register. */
static lanes look_up_in_16(emit *e, const half_table *h, unsigned first, lanes index) {
  LLVMValueRef v[32];
  for (unsigned i = 0; i < 32; i++) {
    unsigned at = (first + i % 16) & ((1u << h->t->width) - 1);
    v[i] = LLVMConstInt(e->i8, h->t->value[at] >> h->shift & 0xff, 0);
  }
  return permute_bytes(e, LLVMConstVector(v, 32), index);
}

static lanes look_up_32(emit *e, const void *user, lanes *index) {
  const half_table *h = user;
  lanes low = look_up_in_16(e, h, 0, index[0]);
  if (h->t->width <= 4) return low;
  /* An index beyond 16 has its bit 4 set, and of that the permutation takes the rest. */
  lanes is_high = i_cmpk(e, LLVMIntUGE, index[0], 16);
  return l_select(e, is_high, look_up_in_16(e, h, 16, index[0]), low);
}

static lanes look_up_bytes(emit *e, const table *t, unsigned shift, lanes index) {
  half_table h = {t, shift};
  bool all_zero = true;
  for (unsigned i = 0; i < 1u << t->width; i++) all_zero &= !(t->value[i] >> shift & 0xff);
  if (all_zero) return LLVMConstNull(LLVMTypeOf(index));
  if (e->isa.vbmi) return lanes_in_pieces(e, WHOLE, 1, &index, look_up_64, &h);
  return lanes_in_pieces(e, 32, 1, &index, look_up_32, &h);
}

/* ---- tables of 16-bit lanes ---- */

static lanes lane_table(emit *e, const table *t, unsigned first) {
  LLVMValueRef v[WHOLE / 2];
  for (unsigned i = 0; i < WHOLE / 2; i++) v[i] = LLVMConstInt(e->i16, t->value[first + i], 0);
  return LLVMConstVector(v, WHOLE / 2);
}

/* Words in the order in which the first of two are those of the lower half of a register. */
static lanes halves_in_turn(emit *e, lanes bytes) {
  unsigned count = emit_lanes(bytes);
  LLVMValueRef from[WHOLE];
  for (unsigned i = 0; i < count; i++)
    from[i] = LLVMConstInt(e->i32, i / PAIR * 8 + i % 8 + i / 8 % 2 * (count / 2), 0);
  return LLVMBuildShuffleVector(e->b, bytes, bytes, LLVMConstVector(from, count), "");
}

/* By the lowest bits of an index, others are not looked at. The 64 results of 7 bits are those
 * without the sign, which is bit 6. */
static lanes look_up_lanes(emit *e, const table *t, lanes index) {
  LLVMValueRef args[] = {lane_table(e, t, 0), index, NULL};
  if (t->width <= 5) return emit_intrinsic(e, "llvm.x86.avx512.permvar.hi.512", NULL, 0, args, 2);
  args[2] = lane_table(e, t, WHOLE / 2);
  lanes x = emit_intrinsic(e, "llvm.x86.avx512.vpermi2var.hi.512", NULL, 0, args, 3);
  if (t->width == 6) return x;
  return i_or(e, x, i_andk(e, i_shlk(e, index, 9), 0x8000));
}

static lanes look_up_spread(emit *e, const void *user, lanes *bytes) {
  const table *t = user;
  lanes half[2], words = halves_in_turn(e, bytes[0]);
  for (unsigned i = 0; i < 2; i++)
    half[i] = look_up_lanes(e, t, spread_fields(e, words, t->width, i, AT_BOTTOM));
  return join(e, half, 2);
}

/* Low and high bytes in turn. */
static lanes interleave(emit *e, lanes low, lanes high) {
  unsigned count = emit_lanes(low);
  LLVMValueRef *from = arena_array(e->arena, LLVMValueRef, 2 * count);
  for (unsigned i = 0; i < 2 * count; i++) from[i] = LLVMConstInt(e->i32, i / 2 + i % 2 * count, 0);
  lanes both = LLVMBuildShuffleVector(e->b, low, high, LLVMConstVector(from, 2 * count), "");
  return recast(e, both, e->i16, count);
}

/* Tables for permutations of whole registers repeat themselves, so that what is above the width in
 * an index does not matter; those of 16 entries look at an index's highest bit, too. */
static lanes look_up(emit *e, const table *t, lanes words) {
  if (t->in_lanes) {
    lanes bytes = bytes_of_words(e, words);
    return lanes_in_pieces(e, WHOLE, 1, &bytes, look_up_spread, t);
  }
  lanes index = !e->isa.vbmi ? packed_fields(e, words, t->width, e->i8)
                             : to_lane(e, loose_fields(e, words, t->width), e->i8);
  lanes low = look_up_bytes(e, t, 0, index), high = look_up_bytes(e, t, 8, index);
  return interleave(e, low, high);
}

static double number_of(tsr_elem elem, bool is_signed, uint64_t pattern) {
  if (tsr_elem_is_float(elem)) return num_decode(num_format_of(elem), pattern);
  return is_signed ? (double)num_sext(pattern, tsr_elem_bits(elem)) : (double)pattern;
}

static table table_of(const emit *e, tsr_elem elem, bool is_signed, tsr_elem to) {
  table t = {.width = tsr_elem_bits(elem), .in_lanes = has_lane_tables(e, elem)};
  for (unsigned i = 0; i < 1u << t.width; i++)
    t.value[i] =
        (uint16_t)num_encode(num_format_of(to), number_of(elem, is_signed, i), NUM_NEAREST_EVEN);
  return t;
}

/* ---- numbers put together ------------------------------------------------------------------- */

enum { CORRECTED = 16 }; /* patterns that a permutation of bytes reaches */

/* How the bits of a small float become those of one of 16 bits, in a lane of 16 bits: sign and
 * magnitude go to their places, and what the biases differ by is added. What numbers without an
 * implied bit need beside that, a table adds. */
typedef struct assembly {
  unsigned width;
  unsigned down; /* so many bits, from the top of the lane */
  unsigned keep; /* the bits of sign and magnitude there */
  unsigned drop; /* bits of the mantissa that the other type has beyond */
  unsigned rebias;
  uint16_t more[CORRECTED];
} assembly;

/* False where the bits of a number with an implied bit are others, or it has none: NaN, what is too
 * large for the other type, and types without a sign. */
static bool make_assembly(assembly *a, tsr_elem elem, tsr_elem to) {
  const num_format *f = num_format_of(elem), *g = num_format_of(to);
  if (!f->is_signed || f->nan != NUM_NAN_NONE || f->shift) return false;
  *a = (assembly){.width = f->bits, .down = g->exponent_bits - f->exponent_bits};
  a->drop = g->mantissa_bits - f->mantissa_bits;
  a->keep = 0x8000 | (sign_bit(f->bits) - 1) << a->drop;
  a->rebias = (unsigned)(g->bias - f->bias) << g->mantissa_bits;
  for (unsigned i = 0; i < sign_bit(f->bits); i++) {
    uint64_t want = num_encode(g, num_decode(f, i), NUM_NEAREST_EVEN);
    uint16_t more = (uint16_t)(want - (i << a->drop) - a->rebias);
    if (i < CORRECTED) a->more[i] = more;
    if (i >= CORRECTED && more) return false;
  }
  return true;
}

static bool assembles(const emit *e, tsr_elem elem, tsr_elem to) {
  assembly a;
  unsigned width = tsr_elem_bits(elem);
  bool is_float = tsr_elem_is_float(elem) && width >= 6;
  return is_float && spreads(e, width) && make_assembly(&a, elem, to);
}

/* The low or the high bytes of what is to be added; 0 where an index has its highest bit set. */
static lanes look_up_more(emit *e, const assembly *a, unsigned shift, lanes index) {
  LLVMValueRef v[WHOLE];
  unsigned count = emit_lanes(index);
  for (unsigned i = 0; i < count; i++)
    v[i] = LLVMConstInt(e->i8, a->more[i % CORRECTED] >> shift & 0xff, 0);
  return permute_bytes(e, LLVMConstVector(v, count), index);
}

/* The inverse of packing: of each 16 bytes the first 8, or the second, in turns with others. */
static lanes unpack(emit *e, lanes low, lanes high, unsigned second) {
  unsigned count = emit_lanes(low);
  LLVMValueRef from[WHOLE];
  for (unsigned i = 0; i < count; i++) {
    unsigned byte = i / PAIR * PAIR + second * 8 + i % PAIR / 2;
    from[i] = LLVMConstInt(e->i32, byte + (i % 2 ? count : 0), 0);
  }
  lanes x = LLVMBuildShuffleVector(e->b, low, high, LLVMConstVector(from, count), "");
  return recast(e, x, e->i16, count / 2);
}

static lanes assemble(emit *e, const void *user, lanes *bytes) {
  const assembly *a = user;
  lanes half[2], magnitude[2], words = halves_in_turn(e, bytes[0]);
  for (unsigned i = 0; i < 2; i++) {
    lanes x = spread_fields(e, words, a->width, i, AT_TOP);
    half[i] = i_andk(e, i_ashrk(e, x, a->down), a->keep);
    magnitude[i] = i_andk(e, i_lshrk(e, half[i], a->drop), sign_bit(a->width) - 1);
  }
  lanes index = i_addk(e, pack_lanes(e, magnitude, false), 0x70); /* 16 and more: 128 and more */
  lanes low = look_up_more(e, a, 0, index), high = look_up_more(e, a, 8, index);
  for (unsigned i = 0; i < 2; i++)
    half[i] = i_add(e, i_addk(e, half[i], a->rebias), unpack(e, low, high, i));
  return join(e, half, 2);
}

static lanes put_together(emit *e, lanes words, tsr_elem elem, tsr_elem to) {
  assembly a;
  make_assembly(&a, elem, to);
  lanes bytes = bytes_of_words(e, words);
  return lanes_in_pieces(e, piece_of(e, emit_lanes(bytes)), 1, &bytes, assemble, &a);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static lanes f32_by_arithmetic(emit *e, lanes words, tsr_elem elem, bool is_signed) {
  unsigned width = tsr_elem_bits(elem);
  if (tsr_elem_is_float(elem)) return emit_decode(e, elem, packed_fields(e, words, width, e->i8));
  return l_sitofp(e, packed_integers(e, words, width, is_signed, e->i32), e->f32);
}

/* Numbers of f32 for the patterns of up to 6 bits. */
typedef struct wide_table {
  uint32_t bits[WHOLE];
} wide_table;

static lanes wide_half(emit *e, const wide_table *t, unsigned first) {
  LLVMValueRef v[16];
  for (unsigned i = 0; i < 16; i++)
    v[i] = LLVMConstBitCast(LLVMConstInt(e->i32, t->bits[first + i], 0), e->f32);
  return LLVMConstVector(v, 16);
}

static lanes look_up_in_32(emit *e, const wide_table *t, unsigned first, lanes index) {
  LLVMValueRef args[] = {wide_half(e, t, first), index, wide_half(e, t, first + 16)};
  return emit_intrinsic(e, "llvm.x86.avx512.vpermi2var.ps.512", NULL, 0, args, 3);
}

/* By five bits of an index; bit 5 chooses between two tables. */
static lanes look_up_wide(emit *e, const void *user, lanes *index) {
  const wide_table *t = user;
  bool alike = memcmp(t->bits, t->bits + 32, 32 * sizeof *t->bits) == 0;
  lanes low = look_up_in_32(e, t, 0, index[0]);
  if (alike) return low;
  lanes is_high = i_cmpk(e, LLVMIntNE, i_andk(e, index[0], 32), 0);
  return l_select(e, is_high, look_up_in_32(e, t, 32, index[0]), low);
}

static lanes f32_by_lookup(emit *e, lanes words, tsr_elem elem, bool is_signed) {
  wide_table t;
  unsigned width = tsr_elem_bits(elem);
  for (unsigned i = 0; i < WHOLE; i++)
    t.bits[i] = num_f32_bits((float)number_of(elem, is_signed, i & num_mask(width)));
  lanes index = to_lane(e, loose_fields(e, words, width), e->i32);
  if (width <= 4) return emit_lookup(e, t.bits, index);
  return lanes_in_pieces(e, 16, 1, &index, look_up_wide, &t);
}

static lanes to_f32(emit *e, lanes words, tsr_elem elem, bool is_signed) {
  unsigned width = tsr_elem_bits(elem), count = 8 * emit_lanes(words);
  unsigned most = 4;
  if (emit_has_avx512(e) && tsr_elem_is_float(elem)) most = e->isa.vbmi ? 5 : 4;
  if (width <= most && emit_has_lookup(e, count)) return f32_by_lookup(e, words, elem, is_signed);
  /* Looking up takes as long for a few lanes as for a register of bytes. */
  bool at_once = e->isa.vbmi || has_lane_tables(e, elem);
  bool looks_up = tsr_elem_is_float(elem) && at_once && has_tables(e, elem) && count >= WHOLE;
  bool assembled = !looks_up && assembles(e, elem, TSR_BF16);
  if (!looks_up && !assembled) return f32_by_arithmetic(e, words, elem, is_signed);
  /* All numbers of extensions are some of bf16, which are the high halves of f32. */
  table t = table_of(e, elem, is_signed, TSR_BF16);
  lanes high = assembled ? put_together(e, words, elem, TSR_BF16) : look_up(e, &t, words);
  return l_bitcast(e, i_shlk(e, l_zext(e, high, e->i32), 16), e->f32);
}

/* bf16 has all numbers of 8 bits and less. */
static lanes to_half(emit *e, lanes x, tsr_elem to) {
  if (to == TSR_BF16) return l_trunc(e, i_lshrk(e, l_bitcast(e, x, e->i32), 16), e->i16);
  if (emit_has_half(e)) return l_bitcast(e, l_fptrunc(e, x, e->f16), e->i16);
  return emit_encode(e, to, emit_round(e, to, x));
}

LLVMValueRef packed_floats(emit *e, LLVMValueRef words, tsr_elem elem, bool is_signed,
                           tsr_elem to) {
  words = as_vector(e, words);
  if (to == TSR_F32) return to_f32(e, words, elem, is_signed);
  if (!has_tables(e, elem) && assembles(e, elem, to)) return put_together(e, words, elem, to);
  if (!has_tables(e, elem)) return to_half(e, f32_by_arithmetic(e, words, elem, is_signed), to);
  table t = table_of(e, elem, is_signed, to);
  return look_up(e, &t, words);
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Neighbours join: two fields become one of twice the width, three times. */
LLVMValueRef packed_words(emit *e, LLVMValueRef fields, unsigned width) {
  unsigned count = emit_lanes(fields);
  LLVMTypeRef types[] = {e->i16, e->i32, e->i64};
  for (unsigned step = 0; step < 3; step++) {
    unsigned lane = 8u << step, have = width << step; /* bits of a lane, and of the field in it */
    count /= 2;
    lanes pairs = recast(e, fields, types[step], count);
    lanes low = i_andk(e, pairs, num_mask(lane));
    lanes high = i_lshrk(e, pairs, lane);
    fields = i_or(e, low, i_shlk(e, high, have));
  }
  return fields;
}
