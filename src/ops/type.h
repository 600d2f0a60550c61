/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element types of operators: those of <tessera/elem.h>, integers with a sign.
 */
#ifndef TSR_OPS_TYPE_H
#define TSR_OPS_TYPE_H

#include <tessera/elem.h>

#include "base/base.h"

/* A tsr_elem, and OPS_UNSIGNED for integers that are read as unsigned. Below 0: left open. */
typedef int64_t ops_type;
enum { OPS_UNSIGNED = 256 };

static inline tsr_elem ops_type_elem(ops_type t) {
  return (tsr_elem)(t & (OPS_UNSIGNED - 1));
}
static inline bool ops_type_is_unsigned(ops_type t) {
  return t >= 0 && (t & OPS_UNSIGNED) != 0;
}
static inline bool ops_type_is_int(ops_type t) {
  return tsr_elem_is_int(ops_type_elem(t));
}
static inline bool ops_type_is_float(ops_type t) {
  return tsr_elem_is_float(ops_type_elem(t));
}
static inline unsigned ops_type_bits(ops_type t) {
  return tsr_elem_bits(ops_type_elem(t));
}
/* Bytes of an element, which need not be a whole number. */
static inline double ops_type_bytes(ops_type t) {
  return (double)tsr_elem_storage(ops_type_elem(t), 8) / 8;
}

/* "u8", "bf16"; "auto" below 0. */
const char *ops_type_name(ops_type t);
/* Below 0: no element type that operators take. */
ops_type ops_type_parse(str name);

/* What sums of products of such elements are made in: i32 for integers (i64 for those of 64 bits),
 * f64 for f64, else f32. */
ops_type ops_type_accumulator(ops_type t);
/* Unit roundoff: half the distance from 1 to the next number; 0 of integers. */
double ops_type_roundoff(ops_type t);
/* The least and the largest finite number. */
double ops_type_lowest(ops_type t);
double ops_type_highest(ops_type t);

#endif
