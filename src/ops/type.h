/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element types of operators: those of <tessera/elem.h>, integers with a sign.
 */
#ifndef TSR_OPS_TYPE_H
#define TSR_OPS_TYPE_H

#include <tessera/elem.h>

#include "base/base.h"

/* A tsr_elem, and OP_UNSIGNED for integers that are read as unsigned. Below 0: left open. */
typedef int64_t op_type;
enum { OP_UNSIGNED = 256 };

static inline tsr_elem op_type_elem(op_type t) {
  return (tsr_elem)(t & (OP_UNSIGNED - 1));
}
static inline bool op_type_is_unsigned(op_type t) {
  return t >= 0 && (t & OP_UNSIGNED) != 0;
}
static inline bool op_type_is_int(op_type t) {
  return tsr_elem_is_int(op_type_elem(t));
}
static inline bool op_type_is_float(op_type t) {
  return tsr_elem_is_float(op_type_elem(t));
}
static inline unsigned op_type_bits(op_type t) {
  return tsr_elem_bits(op_type_elem(t));
}
/* Bytes of an element, which need not be a whole number. */
static inline double op_type_bytes(op_type t) {
  return (double)tsr_elem_storage(op_type_elem(t), 8) / 8;
}

/* "u8", "bf16"; in a ring of static texts. */
const char *op_type_name(op_type t);
/* Below 0: no element type that operators take. */
op_type op_type_parse(str name);

/* What sums of products of such elements are made in: i32 for integers (i64 for those of 64 bits),
 * f64 for f64, else f32. */
op_type op_type_accumulator(op_type t);
/* Unit roundoff: half the distance from 1 to the next number; 0 of integers. */
double op_type_roundoff(op_type t);
/* The least and the largest finite number. */
double op_type_lowest(op_type t);
double op_type_highest(op_type t);

#endif
