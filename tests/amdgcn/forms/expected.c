/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the words behind an instruction make of its sources and its result.
 */
#include <string.h>

#include "float.h"
#include "text.h"

form_letters form_letters_of(const form *f) {
  bool reads = *f->signature == '+';
  const char *s = f->signature + reads, *end = strchr(s, '=');
  return (form_letters){s, end + 1, (unsigned)(end - s), (unsigned)strlen(end + 1), reads};
}

unsigned form_bits(char letter) {
  switch (letter) {
  case 'q':
  case 'd': return 64;
  case 's':
  case 'h': return 16;
  case 'm': return 1;
  default: return 32;
  }
}

bool form_is_float(char letter) {
  return letter == 'f' || letter == 'd' || letter == 'h';
}

static uint64_t low(uint64_t v, unsigned bits) {
  return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}
static uint64_t sign_of(char letter) {
  return UINT64_C(1) << (form_bits(letter) - 1);
}
static float_type type_of(char letter) {
  return letter == 'd' ? T_F64 : letter == 'h' ? T_F16 : T_F32;
}

/* ---- sources ----------------------------------------------------------------------------------
 */

static uint64_t constant(char letter, bool literal) {
  if (!literal) return form_is_float(letter) ? mp_of_integer(type_of(letter), -4) : 13;
  return form_bits(letter) == 16 ? 0x5a7d : 0x4a5b6c7d;
}

static uint64_t fixed(const form *f) {
  form_letters l = form_letters_of(f);
  if (f->family == FAMILY_SCALAR && !strchr(f->signature, 'f')) return 0xfed3;
  return l.n_results && l.results[0] == 'h' ? 0x5a7d : 0x4a5b6c7d;
}

/* Parts of registers that SDWA names, by sign where that is said. */
static uint64_t part_of(uint64_t v, char letter, form_variant s, unsigned k) {
  if (s == PART) return k == 0 ? v >> 16 & 0xffff : v >> 16 & 0xff;
  if (k > 0) return low(v, form_bits(letter));
  v = v >> 24 & 0xff;
  if (form_is_float(letter)) return v & ~sign_of(letter);
  return low(v & 0x80 ? v | ~UINT64_C(0xff) : v, form_bits(letter));
}

static uint64_t source(const form *f, form_slot s, const uint64_t cells[FORM_INPUTS], uint64_t a,
                       unsigned k) {
  form_letters l = form_letters_of(f);
  char letter = l.sources[k];
  if (letter == 'k') return fixed(f);
  if (letter == 'm') return cells[3] & 1;
  uint64_t v = k == 0 ? a : cells[k];
  if (k == 0 && (s.variant == CONSTANT || s.variant == LITERAL))
    return constant(letter, s.variant == LITERAL);
  if (k == 0 && s.variant == FIRST_TWICE) v = cells[1];
  if (k == 0 && s.variant == LAST_TWICE) v = cells[2];
  if (s.variant == PART || s.variant == PART_SIGNED) return part_of(v, letter, s.variant, k);
  if (s.variant == HIGH && form_bits(letter) == 16) v >>= 16;
  v = low(v, form_bits(letter));
  if (s.variant != NEGATED) return v;
  if (k > 0) v &= ~sign_of(letter);
  return k == 1 ? v : v ^ sign_of(letter);
}

/* ---- results ----------------------------------------------------------------------------------
 */

/* Modes are as compilers set them: denormals stay, IEEE's rules are kept where there is the choice.
 * Then results are not scaled ("Output modifiers are ignored"). */
static uint64_t changed(const form *f, form_slot s, uint64_t r) {
  char letter = form_letters_of(f).results[0];
  unsigned bits = form_bits(letter);
  if (f->flags & (SAT | SATS)) {
    int64_t v = (int64_t)r, most = (INT64_C(1) << (bits - (f->flags & SATS ? 1 : 0))) - 1;
    int64_t least = f->flags & SATS ? -most - 1 : 0;
    if (s.variant != CLAMPED) return low(r, bits);
    return low((uint64_t)(v < least ? least : v > most ? most : v), bits);
  }
  if (s.variant != CLAMPED) return low(r, bits);
  float_type t = type_of(letter);
  uint64_t one = mp_of_integer(t, 1);
  if (mp_is_nan(t, r) || mp_sign(t, r) || mp_is_zero(t, r)) return 0;
  return mp_order(t, r, one) > 0 ? one : r;
}

/* The register, and the next one, after the result was written. */
static uint64_t placed(const form *f, form_target t, form_slot s, uint64_t old, uint64_t r) {
  unsigned bits = form_bits(form_letters_of(f).results[0]);
  uint64_t next = old & ~UINT64_C(0xffffffff), mine = old & 0xffffffff;
  if (bits == 64) return r;
  if (s.variant == PART) return next | (mine & 0xffff00ff) | (r & 0xff) << 8;
  if (s.variant == PART_SIGNED) return next | (r & 0xffff) << 16;
  if (bits == 32) return next | r;
  if (s.variant == HIGH) return next | (mine & 0xffff) | r << 16;
  bool keeps = f->flags & KEEP || target_is_rdna(t);
  return next | (keeps ? mine & 0xffff0000 : 0) | r;
}

static bool mode_is_ieee(form_target t) {
  return t != GFX1200;
}

/* ---- packed -----------------------------------------------------------------------------------
 */

/* The half of source k that goes into the high or the low result. */
static uint64_t half(const form *f, form_variant v, const uint64_t cells[FORM_INPUTS], unsigned k,
                     bool high) {
  unsigned width = f->letter == 'f' ? 32 : 16;
  uint64_t all = cells[k], sign = UINT64_C(1) << (width - 1);
  if (k == 0 && v == CONSTANT) return high ? 0 : f->letter == 'h' ? 0xc400 : 13;
  if (k == 0 && v == SWAPPED) high = !high;
  if (k == 1 && v == SWAPPED) high = false;
  uint64_t r = low(high ? all >> width : all, width);
  bool negated = v == NEGATED_HALF && k == (high ? 1u : 0u);
  return negated ? r ^ sign : r;
}

static uint64_t packed(const form *f, form_target t, form_slot s,
                       const uint64_t cells[FORM_INPUTS]) {
  unsigned width = f->letter == 'f' ? 32 : 16, n = form_letters_of(f).n_sources;
  uint64_t r = 0;
  for (unsigned h = 0; h < 2; h++) {
    uint64_t v[3] = {0};
    for (unsigned k = 0; k < n; k++) v[k] = half(f, s.variant, cells, k, h);
    form_lane x = {.ieee = mode_is_ieee(t)};
    uint64_t part = low(f->result(v[0], v[1], v[2], &x), width);
    form like = {.signature = f->letter == 'f' ? "f=" : "h="};
    if (s.variant == CLAMPED) part = changed(&like, s, part);
    r |= part << h * width;
  }
  return width == 32 ? r : (cells[3] & ~UINT64_C(0xffffffff)) | r;
}

/* ---- all --------------------------------------------------------------------------------------
 */

static uint64_t scalar(const form *f, form_target t, form_slot s,
                       const uint64_t cells[FORM_INPUTS]) {
  form_letters l = form_letters_of(f);
  unsigned bits = l.n_results ? form_bits(l.results[0]) : 64;
  uint64_t v[3] = {0}, all = target_is_rdna(t) ? UINT32_MAX : UINT64_MAX;
  form_lane x = {.old = low(cells[3], bits),
                 .carry = cells[2] & 1,
                 .ieee = mode_is_ieee(t),
                 .exec = f->flags & DENSE ? cells[1] & all : all};
  for (unsigned k = 0; k < l.n_sources; k++) v[k] = source(f, s, cells, cells[0], k);
  uint64_t r = f->result(v[0], v[1], v[2], &x);
  if (s.part == CARRY) return x.carry;
  if (s.part == LANES) return x.exec & all;
  return bits == 64 ? r : (cells[3] & ~UINT64_C(0xffffffff)) | low(r, bits);
}

uint64_t form_expected(const form *f, form_target t, form_slot s,
                       const uint64_t (*inputs)[FORM_INPUTS], unsigned lane, unsigned lanes,
                       bool *any) {
  const uint64_t *cells = inputs[lane];
  *any = false;
  form_letters l = form_letters_of(f);
  (void)lanes;
  if (f->family == FAMILY_PACKED) return packed(f, t, s, cells);
  if (f->family == FAMILY_SCALAR) return scalar(f, t, s, cells);
  uint64_t v[3] = {0}, a = cells[0], old = cells[3];
  if (s.variant == MOVED) a = inputs[lane ^ 2][0];
  /* Nothing comes, so the lane does not execute. */
  if (s.variant == SHIFTED && lane % 16 == 0) return s.part == CARRY ? 0 : old;
  if (s.variant == SHIFTED) a = inputs[lane - 1][0];
  for (unsigned k = 0; k < l.n_sources; k++) v[k] = source(f, s, cells, a, k);
  unsigned bits = form_bits(l.results[0]);
  form_lane x = {.old = low(old, bits), .lane = lane, .ieee = mode_is_ieee(t), .vcc = old & 1};
  uint64_t r = f->result(v[0], v[1], v[2], &x);
  if (s.part == CARRY) return x.carry;
  if (f->family == FAMILY_COMPARE) return r & 1;
  /* Which NaN it is does not matter, but parts of one can't be told from numbers. */
  bool parts = s.variant == PART || s.variant == PART_SIGNED;
  if (parts && form_is_float(l.results[0]) && mp_is_nan(type_of(l.results[0]), r)) *any = true;
  return placed(f, t, s, old, changed(f, s, r));
}

bool form_agrees(const form *f, form_slot s, uint64_t found, uint64_t expected) {
  form_letters l = form_letters_of(f);
  if (found == expected) return true;
  if (s.part != RESULT || !l.n_results) return false;
  bool pair = f->flags & (TWO_F16 | TWO_BF16);
  char letter = pair ? 'h' : f->family == FAMILY_PACKED ? f->letter : l.results[0];
  if (!form_is_float(letter)) return false;
  float_type t = f->flags & TWO_BF16 ? T_BF16 : type_of(letter);
  unsigned bits = form_bits(letter);
  uint64_t allowed = f->flags & ONE_ULP ? 1 : f->flags & MANY_ULPS ? UINT64_C(1) << 29 : 0;
  if (s.variant == PART || s.variant == PART_SIGNED) return false;
  bool packed_form = f->family == FAMILY_PACKED || pair;
  for (unsigned at = 0; at < 64; at += bits) {
    bool mine = packed_form ? at < 2 * bits : at == (s.variant == HIGH ? 16u : 0u);
    uint64_t x = low(found >> at, bits), y = low(expected >> at, bits);
    if (mine ? mp_distance(t, x, y) > allowed : x != y) return false;
  }
  return true;
}
