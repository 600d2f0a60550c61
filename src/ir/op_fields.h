/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shorthands for the fields of a row of the operation tables (ops.def, block/ops.def). Only who
 * expands the rows includes this.
 */
#ifndef TSR_IR_OP_FIELDS_H
#define TSR_IR_OP_FIELDS_H

#include "ir/ops.h"

#define IN(n, tc)                                                                                  \
  { .name = #n, .constraint = tc, .arity = ONE }
#define IN_OPT(n, tc)                                                                              \
  { .name = #n, .constraint = tc, .arity = OPT }
#define IN_MANY(n, tc)                                                                             \
  { .name = #n, .constraint = tc, .arity = MANY }
#define OUT(n, tc)                                                                                 \
  { .name = #n, .constraint = tc, .arity = ONE }
#define OUT_MANY(n, tc)                                                                            \
  { .name = #n, .constraint = tc, .arity = MANY }
#define REQUIRED(n, k)                                                                             \
  { .id = ATTR_##n, .kind = k, .optional = AO_REQUIRED }
#define OPTIONAL(n, k)                                                                             \
  { .id = ATTR_##n, .kind = k, .optional = AO_OPTIONAL }
#define DEFAULT(n, k, v)                                                                           \
  { .id = ATTR_##n, .kind = k, .optional = AO_DEFAULT, .value = v }
#define UNIT(n)                                                                                    \
  { .id = ATTR_##n, .kind = AK_UNIT, .optional = AO_OPTIONAL }
#define ROUNDING(mask)                                                                             \
  {                                                                                                \
    .id = ATTR_rounding_mode, .kind = AK_ROUNDING, .optional = AO_ELIDED,                          \
    .value = ROUND_NEAREST_EVEN, .allowed = mask                                                   \
  }
#define OVERFLOW DEFAULT(overflow, AK_OVERFLOW, OVERFLOW_NONE)
#define ORDERING(mask)                                                                             \
  { .id = ATTR_memory_ordering_semantics, .kind = AK_ORDERING, .allowed = mask }
#define SCOPE OPTIONAL(memory_scope, AK_SCOPE)
#define HINTS OPTIONAL(optimization_hints, AK_HINTS)
#define INBOUNDS(version)                                                                          \
  { .id = ATTR_inbounds, .kind = AK_BOOLS, .optional = AO_DEFAULT, .since = version }

#define INBOUNDS_NOTE                                                                              \
  "`inbounds` has an entry for each index: true promises that the tile lies inside the tensor "    \
  "view along that dimension; a broken promise is undefined. Left out, all are false."

#define IEEE_MODES       0x0f /* nearest_even, zero, negative_inf, positive_inf */
#define LOAD_ORDERS      0x07 /* weak, relaxed, acquire */
#define STORE_ORDERS     0x0b /* weak, relaxed, release */
#define RMW_ORDERS       0x1e /* relaxed, acquire, release, acq_rel */

#define PURE_ELEMENTWISE TRAIT_PURE | TRAIT_ELEMENTWISE
#define FACTS(e, c, s)   .effect = EFFECT_##e, .cost = COST_##c, .speculation = SPECULATE_##s

#define FLOAT_UNARY_OPERANDS                                                                       \
  .operands = {IN(source, TC_BASEFLOAT)}, .results = {OUT(result, TC_BASEFLOAT)},                  \
  .same_type = {M_IN(0) | M_OUT(0)}, .traits = PURE_ELEMENTWISE
#define FLOAT_UNARY FLOAT_UNARY_OPERANDS, .format = "$source attr-dict : type(result)"
#define FLOAT_UNARY_FTZ                                                                            \
  FLOAT_UNARY_OPERANDS, .attrs = {UNIT(flush_to_zero)},                                            \
                        .format = "$source flag(flush_to_zero) attr-dict : type(result)"
#define FLOAT_BINARY_OPERANDS                                                                      \
  .operands = {IN(lhs, TC_BASEFLOAT), IN(rhs, TC_BASEFLOAT)},                                      \
  .results = {OUT(result, TC_BASEFLOAT)}, .same_type = {M_IN(0) | M_IN(1) | M_OUT(0)}
#define FLOAT_BINARY_ROUNDED(modes)                                                                \
  FLOAT_BINARY_OPERANDS, .attrs = {ROUNDING(modes), UNIT(flush_to_zero)},                          \
                         .format = "$lhs , $rhs angled(rounding,rounding_mode) "                   \
                                   "flag(flush_to_zero) attr-dict : type(result)"
#define FLOAT_MINMAX                                                                               \
  FLOAT_BINARY_OPERANDS, .attrs = {UNIT(propagate_nan), UNIT(flush_to_zero)},                      \
                         .traits = PURE_ELEMENTWISE | TRAIT_COMMUTATIVE,                           \
                         .format = "$lhs , $rhs flag(flush_to_zero) flag(propagate_nan) "          \
                                   "attr-dict : type(result)"

#define INT_BINARY_OPERANDS                                                                        \
  .operands = {IN(lhs, TC_INT), IN(rhs, TC_INT)}, .results = {OUT(result, TC_INT)},                \
  .same_type = {M_IN(0) | M_IN(1) | M_OUT(0)}
#define INT_BINARY INT_BINARY_OPERANDS, .format = "$lhs , $rhs attr-dict : type(result)"
#define INT_BINARY_OVERFLOW                                                                        \
  INT_BINARY_OPERANDS, .attrs = {OVERFLOW},                                                        \
                       .format = "$lhs , $rhs angled(overflow,overflow) attr-dict : type(result)"
#define INT_BINARY_SIGNED                                                                          \
  INT_BINARY_OPERANDS, .attrs = {REQUIRED(signedness, AK_SIGNEDNESS)},                             \
                       .format = "$lhs , $rhs $signedness attr-dict : type(result)"

#define CONVERT_FORMAT "$source attr-dict : type(source) -> type(result)"
#define JUMP_FORMAT    "attr-dict [ $operands : type(operands) ]"
#define OPERANDS_ANY   .operands = {IN_MANY(operands, TC_ANY)}

#endif
