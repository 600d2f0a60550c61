/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "num/int.h"

/* Quotient and remainder, truncated, with the undefined cases settled as int.h says. */
static uint64_t divide(uint64_t a, uint64_t b, unsigned width, bool is_signed, uint64_t *rest) {
  a = num_wrap(a, width);
  b = num_wrap(b, width);
  if (b == 0) {
    *rest = a;
    return num_mask(width);
  }
  if (!is_signed) {
    *rest = a % b;
    return a / b;
  }
  int64_t x = num_sext(a, width), y = num_sext(b, width);
  if (y == -1) { /* also where the quotient overflows */
    *rest = 0;
    return num_negi(a, width);
  }
  *rest = num_wrap((uint64_t)(x % y), width);
  return num_wrap((uint64_t)(x / y), width);
}

uint64_t num_divi(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  uint64_t rest;
  return divide(a, b, width, is_signed, &rest);
}

uint64_t num_remi(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  uint64_t rest;
  divide(a, b, width, is_signed, &rest);
  return rest;
}

/* Whether the exact quotient of two signed numbers is below zero, given that it is no integer. */
static bool signs_differ(uint64_t a, uint64_t b, unsigned width) {
  return ((a ^ b) >> (width - 1) & 1) != 0;
}

uint64_t num_divi_floor(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  uint64_t rest, quotient = divide(a, b, width, is_signed, &rest);
  if (rest == 0 || num_wrap(b, width) == 0) return quotient;
  bool below = is_signed && signs_differ(a, b, width);
  return num_subi(quotient, below, width);
}

uint64_t num_divi_ceil(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  uint64_t rest, quotient = divide(a, b, width, is_signed, &rest);
  if (rest == 0 || num_wrap(b, width) == 0) return quotient;
  bool above = !is_signed || !signs_differ(a, b, width);
  return num_addi(quotient, above, width);
}
