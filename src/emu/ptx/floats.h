/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What several handlers need of PTX's floats: formats of types, rounding modes, NaNs, comparing.
 */
#ifndef TSR_EMU_PTX_FLOATS_H
#define TSR_EMU_PTX_FLOATS_H

#include "num/num.h"
#include "emu/ptx/ptx.h"

/* Of an element of the type: f16x2 gives f16. */
const num_format *float_format(ptx_type t);
num_rounding float_rounding(unsigned round /* ptx_round */);
/* What an invalid operation gives: 0x7fffffff for f32. */
uint64_t float_nan(const num_format *f);
/* A comparison by ptx_compare. */
static inline bool float_compare_numbers(unsigned compare, double x, double y) {
  if (isunordered(x, y)) return compare >= PTX_EQU && compare != PTX_NUM;
  switch (compare) {
  case PTX_EQ:
  case PTX_EQU: return x == y;
  case PTX_NE:
  case PTX_NEU: return x != y;
  case PTX_LT:
  case PTX_LTU: return x < y;
  case PTX_LE:
  case PTX_LEU: return x <= y;
  case PTX_GT:
  case PTX_GTU: return x > y;
  case PTX_GE:
  case PTX_GEU: return x >= y;
  case PTX_NUM: return true;
  default: return false;
  }
}
/* The same on patterns; `flush` for .ftz. */
bool float_compare(const num_format *f, unsigned compare, uint64_t a, uint64_t b, bool flush);

#endif
