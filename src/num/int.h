/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Integers of any width from 1 to 64 bits, as patterns: the low `width` bits of a uint64_t, the
 * rest zero. Signless, like the language: the operation says how to read them. Results wrap unless
 * a function says otherwise. Where the language leaves a result undefined (division by zero,
 * shifts by the width or more) it is defined here, so that nothing traps; num_*_overflows and the
 * operands tell a checker.
 */
#ifndef TESSERA_NUM_INT_H
#define TESSERA_NUM_INT_H

#include <stdbool.h>
#include <stdint.h>

/* gcc and clang have these on every 64-bit host. */
__extension__ typedef __int128 num_i128;
__extension__ typedef unsigned __int128 num_u128;

/* Comparison predicates of cmpi and cmpf; values as in the bytecode. */
typedef enum num_predicate {
  NUM_EQUAL = 0,
  NUM_NOT_EQUAL = 1,
  NUM_LESS_THAN = 2,
  NUM_LESS_EQUAL = 3,
  NUM_GREATER_THAN = 4,
  NUM_GREATER_EQUAL = 5,
} num_predicate;

/* The low `width` bits set; width 0 to 64. */
static inline uint64_t num_mask(unsigned width) {
  return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* Drops the bits above the width. */
static inline uint64_t num_wrap(uint64_t a, unsigned width) {
  return a & num_mask(width);
}

/* The value of a pattern read as signed. Bits above the width are ignored. */
static inline int64_t num_sext(uint64_t a, unsigned width) {
  /* Flip the sign bit, then subtract its weight: no shift of a negative number. */
  uint64_t sign = UINT64_C(1) << (width - 1);
  return (int64_t)((num_wrap(a, width) ^ sign) - sign);
}

static inline int64_t num_int_min(unsigned width) {
  return num_sext(UINT64_C(1) << (width - 1), width);
}
static inline int64_t num_int_max(unsigned width) {
  return (int64_t)(num_mask(width) >> 1);
}

/* trunci and exti. */
static inline uint64_t num_int_resize(uint64_t a, unsigned from, unsigned to, bool is_signed) {
  return num_wrap(is_signed ? (uint64_t)num_sext(a, from) : num_wrap(a, from), to);
}

static inline bool num_int_fits(num_i128 value, unsigned width, bool is_signed) {
  if (is_signed) return value >= num_int_min(width) && value <= num_int_max(width);
  return value >= 0 && value <= (num_i128)num_mask(width);
}

/* The value of a pattern under either reading; enough for any one sum, difference or product. */
static inline num_i128 num_int_value(uint64_t a, unsigned width, bool is_signed) {
  return is_signed ? (num_i128)num_sext(a, width) : (num_i128)num_wrap(a, width);
}

static inline uint64_t num_addi(uint64_t a, uint64_t b, unsigned width) {
  return num_wrap(a + b, width);
}
static inline uint64_t num_subi(uint64_t a, uint64_t b, unsigned width) {
  return num_wrap(a - b, width);
}
static inline uint64_t num_muli(uint64_t a, uint64_t b, unsigned width) {
  return num_wrap(a * b, width);
}
static inline uint64_t num_negi(uint64_t a, unsigned width) {
  return num_wrap(0 - a, width);
}

/* |a| of the signed reading; the minimum wraps to itself. */
static inline uint64_t num_absi(uint64_t a, unsigned width) {
  return num_sext(a, width) < 0 ? num_negi(a, width) : num_wrap(a, width);
}

/* Whether the exact result does not fit the width. */
static inline bool num_addi_overflows(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  return !num_int_fits(num_int_value(a, width, is_signed) + num_int_value(b, width, is_signed),
                       width, is_signed);
}
static inline bool num_subi_overflows(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  return !num_int_fits(num_int_value(a, width, is_signed) - num_int_value(b, width, is_signed),
                       width, is_signed);
}
static inline bool num_muli_overflows(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  /* Unsigned 64 x 64 bits needs all 128: signed num_i128 would overflow. */
  if (!is_signed) {
    return (num_u128)num_wrap(a, width) * num_wrap(b, width) > num_mask(width);
  }
  return !num_int_fits((num_i128)num_sext(a, width) * num_sext(b, width), width, true);
}

/* The high `width` bits of the 2*width-bit product. */
static inline uint64_t num_mulhi_u(uint64_t a, uint64_t b, unsigned width) {
  return (uint64_t)(((num_u128)num_wrap(a, width) * num_wrap(b, width)) >> width);
}
static inline uint64_t num_mulhi_s(uint64_t a, uint64_t b, unsigned width) {
  return num_wrap((uint64_t)(((num_i128)num_sext(a, width) * num_sext(b, width)) >> width), width);
}

/* a / b truncated. Division by zero gives all ones and the minimum / -1 wraps to the minimum (the
 * choice of RISC-V); the language leaves both undefined. */
uint64_t num_divi(uint64_t a, uint64_t b, unsigned width, bool is_signed);
/* a / b towards -infinity and +infinity; undefined cases as num_divi. */
uint64_t num_divi_floor(uint64_t a, uint64_t b, unsigned width, bool is_signed);
uint64_t num_divi_ceil(uint64_t a, uint64_t b, unsigned width, bool is_signed);
/* a - b * (a / b truncated): the sign of a. a % 0 is a, the minimum % -1 is 0. */
uint64_t num_remi(uint64_t a, uint64_t b, unsigned width, bool is_signed);

/* Shifts; the amount is unsigned. By the width or more everything is shifted out: 0, or for a
 * signed right shift copies of the sign. The language leaves that undefined. */
static inline uint64_t num_shli(uint64_t a, uint64_t amount, unsigned width) {
  return amount >= width ? 0 : num_wrap(a << amount, width);
}
static inline uint64_t num_shri(uint64_t a, uint64_t amount, unsigned width, bool is_signed) {
  if (!is_signed) return amount >= width ? 0 : num_wrap(a, width) >> amount;
  /* gcc and clang shift negative numbers arithmetically. */
  return num_wrap((uint64_t)(num_sext(a, width) >> (amount >= width ? width - 1 : amount)), width);
}
/* Whether bits that matter are shifted out: a * 2^amount does not fit. */
static inline bool num_shli_overflows(uint64_t a, uint64_t amount, unsigned width, bool is_signed) {
  if (amount >= width) return num_wrap(a, width) != 0;
  uint64_t back = num_shri(num_shli(a, amount, width), amount, width, is_signed);
  return back != num_wrap(a, width);
}

static inline uint64_t num_mini(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  return num_int_value(a, width, is_signed) <= num_int_value(b, width, is_signed) ? a : b;
}
static inline uint64_t num_maxi(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  return num_int_value(a, width, is_signed) >= num_int_value(b, width, is_signed) ? a : b;
}

/* `order` < 0, 0, > 0 as the left operand is less, equal, greater. */
static inline bool num_predicate_holds(num_predicate predicate, int order) {
  switch (predicate) {
  case NUM_EQUAL: return order == 0;
  case NUM_NOT_EQUAL: return order != 0;
  case NUM_LESS_THAN: return order < 0;
  case NUM_LESS_EQUAL: return order <= 0;
  case NUM_GREATER_THAN: return order > 0;
  case NUM_GREATER_EQUAL: return order >= 0;
  }
  return false;
}

/* cmpi. */
static inline bool num_comparei(num_predicate predicate, uint64_t a, uint64_t b, unsigned width,
                                bool is_signed) {
  num_i128 x = num_int_value(a, width, is_signed), y = num_int_value(b, width, is_signed);
  return num_predicate_holds(predicate, x < y ? -1 : x > y);
}

#endif
