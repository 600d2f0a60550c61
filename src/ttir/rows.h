/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of the operations of Triton that the reader knows.
 */
#ifndef TSR_TTIR_ROWS_H
#define TSR_TTIR_ROWS_H

#include "ttir/tree.h"

/* What the operation of Tile IR is told besides its operands: tt_row.arg of plain rows. */
typedef enum tt_variant {
  VARIANT_NONE,
  VARIANT_SIGNED,
  VARIANT_UNSIGNED,
  VARIANT_FLOOR,
  VARIANT_CEIL,
  VARIANT_CEIL_UNSIGNED,
  VARIANT_NAN, /* NaN wins */
} tt_variant;

/* Functions that are composed of several operations. */
typedef enum tt_composed {
  COMPOSED_ERF,
  COMPOSED_ROUND,      /* to the nearest integer, ties away from zero */
  COMPOSED_ROUND_EVEN, /* ties to even */
  COMPOSED_TRUNC,
  COMPOSED_COPYSIGN,
  COMPOSED_LOG1P,
  COMPOSED_EXPM1,
  COMPOSED_CBRT,
  COMPOSED_MULHI_SIGNED,
  COMPOSED_LOG10,
  COMPOSED_EXP10,
  COMPOSED_ATAN,
  COMPOSED_ASIN,
  COMPOSED_ACOS,
  COMPOSED_ISNAN, /* these three give i32 */
  COMPOSED_ISINF,
  COMPOSED_ISFINITE,
} tt_composed;

/* All of them, in the order of their names. */
const tt_row *tt_rows(unsigned *count);

#endif
