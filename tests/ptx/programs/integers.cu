// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions of all widths up to 128 bits, shifts, products.
#include "both.cuh"
BOTH double value(unsigned i) {
  int64_t a = (int64_t)mixed(i) >> (i % 40), b = (int64_t)mixed(i + 1000) >> (i % 57) | 3;
  uint64_t ua = a, ub = b;
  uint64_t r = a / b + 3 * (uint64_t)(a % b) + ua / ub * 5 + ua % ub + (ua >> i % 64) + (a >> i % 64);
  r += ua * ub + (uint64_t)((__int128)a * b >> 64);
  uint32_t x = (uint32_t)a, y = (uint32_t)b | 1;
  r ^= (uint64_t)(x / y) * 31 + x % y + (uint16_t)x / (uint16_t)y + (int16_t)x % (int16_t)(y & 0xff);
  r += (uint64_t)((unsigned __int128)ua * ub / (ub | 1)) + (uint64_t)((__int128)a * b / (b - 5));
  return folded(r);
}
