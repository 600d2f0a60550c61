/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made by scripts/gen-builder from the operation table (src/ir/ops.def): do not edit.
 *
 * Values of attributes of operations (tessera/ops.h).
 */
#ifndef TESSERA_ATTRIBUTES_H
#define TESSERA_ATTRIBUTES_H

#include <stdint.h>

/* clang-format off */

/* ---- attributes: 0 says nothing, which leaves the default ------------------------------------ */

typedef int64_t tsr_flag; /* true or false */

typedef int64_t tsr_rounding;
enum {
  TSR_ROUND_NEAREST_EVEN = 1, /* to nearest, ties to even */
  TSR_ROUND_ZERO = 2, /* towards zero */
  TSR_ROUND_NEGATIVE_INF = 3, /* towards negative infinity */
  TSR_ROUND_POSITIVE_INF = 4, /* towards positive infinity */
  TSR_ROUND_APPROX = 5, /* a fast approximation */
  TSR_ROUND_FULL = 6, /* a full-range approximation */
  TSR_ROUND_NEAREST_INT_TO_ZERO = 7, /* to the nearest integer towards zero */
  TSR_ROUND_NEAREST_AWAY = 8, /* to nearest, ties away from zero; since 13.4 */
};

typedef int64_t tsr_overflow;
enum {
  TSR_OVERFLOW_NONE = 1, /* wraps around */
  TSR_OVERFLOW_NO_SIGNED_WRAP = 2, /* never overflows as signed */
  TSR_OVERFLOW_NO_UNSIGNED_WRAP = 3, /* never overflows as unsigned */
  TSR_OVERFLOW_NO_WRAP = 4, /* never overflows either way */
};

typedef int64_t tsr_signedness;
enum {
  TSR_UNSIGNED = 1, /* operands are unsigned */
  TSR_SIGNED = 2, /* operands are signed */
};

typedef int64_t tsr_comparison;
enum {
  TSR_CMP_EQUAL = 1, /* lhs == rhs */
  TSR_CMP_NOT_EQUAL = 2, /* lhs != rhs */
  TSR_CMP_LESS_THAN = 3, /* lhs < rhs */
  TSR_CMP_LESS_THAN_OR_EQUAL = 4, /* lhs <= rhs */
  TSR_CMP_GREATER_THAN = 5, /* lhs > rhs */
  TSR_CMP_GREATER_THAN_OR_EQUAL = 6, /* lhs >= rhs */
};

typedef int64_t tsr_comparison_ordering;
enum {
  TSR_CMP_UNORDERED = 1, /* true when an operand is NaN */
  TSR_CMP_ORDERED = 2, /* false when an operand is NaN */
};

typedef int64_t tsr_rmw;
enum {
  TSR_RMW_AND = 1, /* bitwise and */
  TSR_RMW_OR = 2, /* bitwise or */
  TSR_RMW_XOR = 3, /* bitwise exclusive or */
  TSR_RMW_ADD = 4, /* integer addition */
  TSR_RMW_ADDF = 5, /* floating-point addition */
  TSR_RMW_MAX = 6, /* signed maximum */
  TSR_RMW_MIN = 7, /* signed minimum */
  TSR_RMW_UMAX = 8, /* unsigned maximum */
  TSR_RMW_UMIN = 9, /* unsigned minimum */
  TSR_RMW_XCHG = 10, /* exchange */
};

typedef int64_t tsr_multimem_reduction;
enum {
  TSR_MULTIMEM_ADD = 1, /* addition */
  TSR_MULTIMEM_MIN = 2, /* signed minimum */
  TSR_MULTIMEM_MAX = 3, /* signed maximum */
  TSR_MULTIMEM_AND = 4, /* bitwise and */
  TSR_MULTIMEM_OR = 5, /* bitwise or */
  TSR_MULTIMEM_XOR = 6, /* bitwise exclusive or */
  TSR_MULTIMEM_UMIN = 7, /* unsigned minimum */
  TSR_MULTIMEM_UMAX = 8, /* unsigned maximum */
};

typedef int64_t tsr_memory_ordering;
enum {
  TSR_MEMORY_WEAK = 1, /* no concurrent access */
  TSR_MEMORY_RELAXED = 2, /* concurrent access, no ordering */
  TSR_MEMORY_ACQUIRE = 3, /* sees what was released */
  TSR_MEMORY_RELEASE = 4, /* publishes what was written before */
  TSR_MEMORY_ACQ_REL = 5, /* both */
};

typedef int64_t tsr_memory_scope;
enum {
  TSR_SCOPE_TL_BLK = 1, /* the tile block */
  TSR_SCOPE_DEVICE = 2, /* the device */
  TSR_SCOPE_SYS = 3, /* the whole system */
};

#endif
