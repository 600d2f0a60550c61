/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made by scripts/gen-builder from the operation table (src/ir/ops.def): do not edit.
 *
 * One struct of arguments and one macro for every operation; tessera/build.h
 * says how they are used. tsr_build_… gives the first result as a tsr_value
 * (others: tsr_result_of), or the tsr_op when it has no results or any number of
 * them (tsr_op_result).
 */
#ifndef TESSERA_OPS_H
#define TESSERA_OPS_H

#include <tessera/attributes.h>
#include <tessera/build.h>

/* clang-format off */

/* ---- Core ------------------------------------------------------------------------------------ */

/* Gives the address of a global.
 *   result = &@name[0] */
struct tsr_get_global_args {
  TSR_ARGS_HEAD;
  const char *name;
  tsr_type type;
};
#define tsr_build_get_global(...) TSR_BUILD_VALUE_(get_global, __VA_ARGS__)

/* Makes the sequence 0, 1, 2, …
 *   result[i] = i */
struct tsr_iota_args {
  TSR_ARGS_HEAD;
  tsr_type type;
};
#define tsr_build_iota(...) TSR_BUILD_VALUE_(iota, __VA_ARGS__)

/* Gives the position of this tile block in the grid.
 *   (x, y, z), each from 0 to the grid's extent - 1 */
struct tsr_get_tile_block_id_args { TSR_ARGS_HEAD; };
#define tsr_build_get_tile_block_id(...) TSR_BUILD_VALUE_(get_tile_block_id, __VA_ARGS__)

/* Gives the extents of the grid.
 *   (x, y, z) of the launch; extents left out are 1 */
struct tsr_get_num_tile_blocks_args { TSR_ARGS_HEAD; };
#define tsr_build_get_num_tile_blocks(...) TSR_BUILD_VALUE_(get_num_tile_blocks, __VA_ARGS__)

/* Repeats a tile along its dimensions of size 1.
 *   result[i] = source[i where the source is larger than 1, else 0] */
struct tsr_broadcast_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_broadcast(...) TSR_BUILD_VALUE_(broadcast, __VA_ARGS__)

/* Gives a tile another shape; row-major order is kept.
 *   flat(result)[i] = flat(source)[i] */
struct tsr_reshape_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_reshape(...) TSR_BUILD_VALUE_(reshape, __VA_ARGS__)

/* Reorders the dimensions of a tile.
 *   result[i] = source[j], j[permutation[d]] = i[d] */
struct tsr_permute_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_ints permutation;
  tsr_type type;
};
#define tsr_build_permute(...) TSR_BUILD_VALUE_(permute, __VA_ARGS__)

/* Joins two tiles along one dimension.
 *   result = lhs, then rhs, along dim */
struct tsr_cat_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  int64_t dim;
  tsr_type type;
};
#define tsr_build_cat(...) TSR_BUILD_VALUE_(cat, __VA_ARGS__)

/* Takes one of the equal slices that a tile divides into.
 *   result[i] = source[indices * shape(result) + i] */
struct tsr_extract_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_values indices;
  tsr_type type;
};
#define tsr_build_extract(...) TSR_BUILD_VALUE_(extract, __VA_ARGS__)

/* Replaces one of the equal slices that a tile divides into.
 *   result[i] = i inside slice `indices` ? source[i - indices * shape(source)] : destination[i] */
struct tsr_insert_args {
  TSR_ARGS_HEAD;
  tsr_value source, destination;
  tsr_values indices;
};
#define tsr_build_insert(...) TSR_BUILD_VALUE_(insert, __VA_ARGS__)

/* Chooses between two tiles element by element.
 *   result[i] = cond[i] ? val_if_true[i] : val_if_false[i] */
struct tsr_select_args {
  TSR_ARGS_HEAD;
  tsr_value cond, val_if_true, val_if_false;
};
#define tsr_build_select(...) TSR_BUILD_VALUE_(select, __VA_ARGS__)

/* Moves pointers by a number of elements.
 *   result[i] = ptr[i] + offset[i] * sizeof(pointee) */
struct tsr_offset_args {
  TSR_ARGS_HEAD;
  tsr_value ptr, offset;
};
#define tsr_build_offset(...) TSR_BUILD_VALUE_(offset, __VA_ARGS__)

/* Combines all elements along one dimension.
 *   result[.., ..] = fold(body, identity, operand[.., :, ..]) */
struct tsr_reduce_args {
  TSR_ARGS_HEAD;
  tsr_values operands;
  int64_t dim;
  tsr_scalars identities;
};
#define tsr_build_reduce(...) TSR_BUILD_OP_(reduce, __VA_ARGS__)

/* Combines each element with all before it along one dimension.
 *   result[.., i, ..] = fold(body, identity, operand[.., 0..i, ..]) */
struct tsr_scan_args {
  TSR_ARGS_HEAD;
  tsr_values operands;
  int64_t dim;
  tsr_flag reverse;
  tsr_scalars identities;
};
#define tsr_build_scan(...) TSR_BUILD_OP_(scan, __VA_ARGS__)

/* Lays the elements of a tile out as bytes.
 *   bytes of result = memory image of source */
struct tsr_pack_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_pack(...) TSR_BUILD_VALUE_(pack, __VA_ARGS__)

/* Reads elements from a tile of bytes.
 *   memory image of result = bytes of source */
struct tsr_unpack_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_unpack(...) TSR_BUILD_VALUE_(unpack, __VA_ARGS__)

/* ---- Conversions ----------------------------------------------------------------------------- */

/* Reads the same bits as another element type.
 *   bits(result[i]) = bits(source[i]) */
struct tsr_bitcast_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_bitcast(...) TSR_BUILD_VALUE_(bitcast, __VA_ARGS__)

/* Widens integers.
 *   result[i] = sign- or zero-extended from[i] */
struct tsr_exti_args {
  TSR_ARGS_HEAD;
  tsr_value from;
  tsr_signedness signedness;
  tsr_type type;
};
#define tsr_build_exti(...) TSR_BUILD_VALUE_(exti, __VA_ARGS__)

/* Narrows integers.
 *   result[i] = low bits of from[i] */
struct tsr_trunci_args {
  TSR_ARGS_HEAD;
  tsr_value from;
  tsr_type type;
  tsr_overflow overflow; /* optional: */
};
#define tsr_build_trunci(...) TSR_BUILD_VALUE_(trunci, __VA_ARGS__)

/* Converts between floating-point types.
 *   result[i] = round(from[i]) */
struct tsr_ftof_args {
  TSR_ARGS_HEAD;
  tsr_value from;
  tsr_type type;
  tsr_rounding rounding_mode; /* optional: */
};
#define tsr_build_ftof(...) TSR_BUILD_VALUE_(ftof, __VA_ARGS__)

/* Converts floating-point numbers to integers.
 *   result[i] = trunc(from[i]) */
struct tsr_ftoi_args {
  TSR_ARGS_HEAD;
  tsr_value from;
  tsr_signedness signedness;
  tsr_type type;
  tsr_rounding rounding_mode; /* optional: */
  tsr_flag saturating;
};
#define tsr_build_ftoi(...) TSR_BUILD_VALUE_(ftoi, __VA_ARGS__)

/* Converts integers to floating-point numbers.
 *   result[i] = round(from[i]) */
struct tsr_itof_args {
  TSR_ARGS_HEAD;
  tsr_value from;
  tsr_signedness signedness;
  tsr_type type;
  tsr_rounding rounding_mode; /* optional: */
};
#define tsr_build_itof(...) TSR_BUILD_VALUE_(itof, __VA_ARGS__)

/* Takes integers as addresses.
 *   result[i] = (pointer)source[i] */
struct tsr_int_to_ptr_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_int_to_ptr(...) TSR_BUILD_VALUE_(int_to_ptr, __VA_ARGS__)

/* Takes addresses as integers.
 *   result[i] = (integer)source[i] */
struct tsr_ptr_to_int_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_ptr_to_int(...) TSR_BUILD_VALUE_(ptr_to_int, __VA_ARGS__)

/* Changes what pointers point to.
 *   result[i] = source[i] */
struct tsr_ptr_to_ptr_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_ptr_to_ptr(...) TSR_BUILD_VALUE_(ptr_to_ptr, __VA_ARGS__)

/* ---- Control flow ---------------------------------------------------------------------------- */

/* Stops the kernel with a message when a condition is false.
 *   if any condition[i] is false: report message */
struct tsr_assert_args {
  TSR_ARGS_HEAD;
  tsr_value condition;
  const char *message;
};
#define tsr_build_assert(...) TSR_BUILD_OP_(assert, __VA_ARGS__)

/* Leaves the enclosing loop with its results.
 *   results of loop = operands */
struct tsr_break_args {
  TSR_ARGS_HEAD;
  tsr_values operands;
};
#define tsr_build_break(...) TSR_BUILD_OP_(break, __VA_ARGS__)

/* Starts the next iteration of the enclosing for or loop.
 *   iteration values = operands */
struct tsr_continue_args {
  TSR_ARGS_HEAD;
  tsr_values operands;
};
#define tsr_build_continue(...) TSR_BUILD_OP_(continue, __VA_ARGS__)

/* Repeats its body over a range of integers.
 *   for (i = lowerBound; i < upperBound; i += step) body */
struct tsr_for_args {
  TSR_ARGS_HEAD;
  tsr_value lowerBound, upperBound, step;
  tsr_values initValues;
  tsr_flag unsignedCmp; /* optional: */
};
#define tsr_build_for(...) TSR_BUILD_OP_(for, __VA_ARGS__)

/* Executes one of two regions.
 *   condition ? thenRegion : elseRegion */
struct tsr_if_args {
  TSR_ARGS_HEAD;
  tsr_value condition;
  tsr_types types; /* optional: */
};
#define tsr_build_if(...) TSR_BUILD_OP_(if, __VA_ARGS__)

/* Repeats its body until a break.
 *   while (true) body */
struct tsr_loop_args {
  TSR_ARGS_HEAD;
  tsr_values initValues;
  tsr_types types; /* optional: */
};
#define tsr_build_loop(...) TSR_BUILD_OP_(loop, __VA_ARGS__)

/* Ends the kernel for this tile block.
 *   return */
struct tsr_return_args {
  TSR_ARGS_HEAD;
  tsr_values operands;
};
#define tsr_build_return(...) TSR_BUILD_OP_(return, __VA_ARGS__)

/* Gives the results of the enclosing if, reduce or scan body.
 *   results = operands */
struct tsr_yield_args {
  TSR_ARGS_HEAD;
  tsr_values operands;
};
#define tsr_build_yield(...) TSR_BUILD_OP_(yield, __VA_ARGS__)

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Loads the elements that a tile of pointers points to.
 *   result[i] = mask[i] ? *source[i] : paddingValue[i] */
struct tsr_load_ptr_tko_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_value mask, paddingValue, token; /* optional: */
  tsr_memory_scope memory_scope;
};
#define tsr_build_load_ptr_tko(...) TSR_BUILD_VALUE_(load_ptr_tko, __VA_ARGS__)

/* Stores a tile through a tile of pointers.
 *   if mask[i]: *destination[i] = value[i] */
struct tsr_store_ptr_tko_args {
  TSR_ARGS_HEAD;
  tsr_value destination, value;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_value mask, token; /* optional: */
  tsr_memory_scope memory_scope;
};
#define tsr_build_store_ptr_tko(...) TSR_BUILD_VALUE_(store_ptr_tko, __VA_ARGS__)

/* Makes a token that depends on nothing.
 *   a fresh token */
struct tsr_make_token_args { TSR_ARGS_HEAD; };
#define tsr_build_make_token(...) TSR_BUILD_VALUE_(make_token, __VA_ARGS__)

/* Makes a token that depends on several.
 *   result comes after all tokens */
struct tsr_join_tokens_args {
  TSR_ARGS_HEAD;
  tsr_values tokens;
};
#define tsr_build_join_tokens(...) TSR_BUILD_VALUE_(join_tokens, __VA_ARGS__)

/* Lets kernels that depend on this one be scheduled before it ends.
 *   this block allows dependent kernels to start */
struct tsr_gdc_launch_dependents_tko_args {
  TSR_ARGS_HEAD;
  tsr_value token; /* optional: */
};
#define tsr_build_gdc_launch_dependents_tko(...) TSR_BUILD_VALUE_(gdc_launch_dependents_tko, __VA_ARGS__)

/* Waits for the kernels that this one depends on.
 *   all that preceding kernels have written is visible behind it */
struct tsr_gdc_wait_tko_args {
  TSR_ARGS_HEAD;
  tsr_value token; /* optional: */
};
#define tsr_build_gdc_wait_tko(...) TSR_BUILD_VALUE_(gdc_wait_tko, __VA_ARGS__)

/* Orders accesses to the same memory through different addresses.
 *   accesses before it are complete for those behind it, whatever address they used */
struct tsr_memory_fence_alias_tko_args {
  TSR_ARGS_HEAD;
  tsr_value token;
};
#define tsr_build_memory_fence_alias_tko(...) TSR_BUILD_VALUE_(memory_fence_alias_tko, __VA_ARGS__)

/* Allocates memory for as long as the enclosing scope runs.
 *   result = address of num_elem fresh elements */
struct tsr_alloca_args {
  TSR_ARGS_HEAD;
  int64_t num_elem, alignment;
  tsr_type type;
  tsr_flag global; /* optional: */
};
#define tsr_build_alloca(...) TSR_BUILD_VALUE_(alloca, __VA_ARGS__)

/* ---- Floating point -------------------------------------------------------------------------- */

/* Absolute value.
 *   result[i] = |source[i]| */
struct tsr_absf_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_absf(...) TSR_BUILD_VALUE_(absf, __VA_ARGS__)

/* Negation: flips the sign.
 *   result[i] = -source[i] */
struct tsr_negf_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_negf(...) TSR_BUILD_VALUE_(negf, __VA_ARGS__)

/* Rounds up to an integer.
 *   result[i] = ceil(source[i]) */
struct tsr_ceil_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_ceil(...) TSR_BUILD_VALUE_(ceil, __VA_ARGS__)

/* Rounds down to an integer.
 *   result[i] = floor(source[i]) */
struct tsr_floor_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_floor(...) TSR_BUILD_VALUE_(floor, __VA_ARGS__)

/* Adds.
 *   result[i] = round(lhs[i] + rhs[i]) */
struct tsr_addf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_rounding rounding_mode; /* optional: */
  tsr_flag flush_to_zero;
};
#define tsr_build_addf(...) TSR_BUILD_VALUE_(addf, __VA_ARGS__)

/* Subtracts.
 *   result[i] = round(lhs[i] - rhs[i]) */
struct tsr_subf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_rounding rounding_mode; /* optional: */
  tsr_flag flush_to_zero;
};
#define tsr_build_subf(...) TSR_BUILD_VALUE_(subf, __VA_ARGS__)

/* Multiplies.
 *   result[i] = round(lhs[i] * rhs[i]) */
struct tsr_mulf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_rounding rounding_mode; /* optional: */
  tsr_flag flush_to_zero;
};
#define tsr_build_mulf(...) TSR_BUILD_VALUE_(mulf, __VA_ARGS__)

/* Divides.
 *   result[i] = round(lhs[i] / rhs[i]) */
struct tsr_divf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_rounding rounding_mode; /* optional: */
  tsr_flag flush_to_zero;
};
#define tsr_build_divf(...) TSR_BUILD_VALUE_(divf, __VA_ARGS__)

/* Remainder of the division truncated towards zero.
 *   result[i] = fmod(lhs[i], rhs[i]), exact */
struct tsr_remf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
};
#define tsr_build_remf(...) TSR_BUILD_VALUE_(remf, __VA_ARGS__)

/* Multiplies and adds with one rounding.
 *   result[i] = round(lhs[i] * rhs[i] + acc[i]) */
struct tsr_fma_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs, acc;
  tsr_rounding rounding_mode; /* optional: */
  tsr_flag flush_to_zero;
};
#define tsr_build_fma(...) TSR_BUILD_VALUE_(fma, __VA_ARGS__)

/* Maximum.
 *   result[i] = max(lhs[i], rhs[i]) */
struct tsr_maxf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_flag propagate_nan, flush_to_zero; /* optional: */
};
#define tsr_build_maxf(...) TSR_BUILD_VALUE_(maxf, __VA_ARGS__)

/* Minimum.
 *   result[i] = min(lhs[i], rhs[i]) */
struct tsr_minf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_flag propagate_nan, flush_to_zero; /* optional: */
};
#define tsr_build_minf(...) TSR_BUILD_VALUE_(minf, __VA_ARGS__)

/* Compares floating-point numbers.
 *   result[i] = lhs[i] ? rhs[i] */
struct tsr_cmpf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_comparison comparison_predicate;
  tsr_comparison_ordering comparison_ordering;
};
#define tsr_build_cmpf(...) TSR_BUILD_VALUE_(cmpf, __VA_ARGS__)

/* Square root.
 *   result[i] = round(sqrt(source[i])) */
struct tsr_sqrt_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_rounding rounding_mode; /* optional: */
  tsr_flag flush_to_zero;
};
#define tsr_build_sqrt(...) TSR_BUILD_VALUE_(sqrt, __VA_ARGS__)

/* Reciprocal square root.
 *   result[i] = 1 / sqrt(source[i]) */
struct tsr_rsqrt_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_flag flush_to_zero; /* optional: */
};
#define tsr_build_rsqrt(...) TSR_BUILD_VALUE_(rsqrt, __VA_ARGS__)

/* Exponential.
 *   result[i] = e ** source[i] */
struct tsr_exp_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_rounding rounding_mode; /* optional: */
};
#define tsr_build_exp(...) TSR_BUILD_VALUE_(exp, __VA_ARGS__)

/* Power of two.
 *   result[i] = 2 ** source[i] */
struct tsr_exp2_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_flag flush_to_zero; /* optional: */
};
#define tsr_build_exp2(...) TSR_BUILD_VALUE_(exp2, __VA_ARGS__)

/* Natural logarithm.
 *   result[i] = ln(source[i]) */
struct tsr_log_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_log(...) TSR_BUILD_VALUE_(log, __VA_ARGS__)

/* Binary logarithm.
 *   result[i] = log2(source[i]) */
struct tsr_log2_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_log2(...) TSR_BUILD_VALUE_(log2, __VA_ARGS__)

/* Raises to a power.
 *   result[i] = source[i] ** exponent[i] */
struct tsr_pow_args {
  TSR_ARGS_HEAD;
  tsr_value source, exponent;
};
#define tsr_build_pow(...) TSR_BUILD_VALUE_(pow, __VA_ARGS__)

/* Raises to an integer power.
 *   result[i] = source[i] ** exponent[i] */
struct tsr_fpowi_args {
  TSR_ARGS_HEAD;
  tsr_value source, exponent;
};
#define tsr_build_fpowi(...) TSR_BUILD_VALUE_(fpowi, __VA_ARGS__)

/* Sine.
 *   result[i] = sin(source[i]) */
struct tsr_sin_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_sin(...) TSR_BUILD_VALUE_(sin, __VA_ARGS__)

/* Cosine.
 *   result[i] = cos(source[i]) */
struct tsr_cos_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_cos(...) TSR_BUILD_VALUE_(cos, __VA_ARGS__)

/* Tangent.
 *   result[i] = tan(source[i]) */
struct tsr_tan_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_tan(...) TSR_BUILD_VALUE_(tan, __VA_ARGS__)

/* Hyperbolic sine.
 *   result[i] = sinh(source[i]) */
struct tsr_sinh_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_sinh(...) TSR_BUILD_VALUE_(sinh, __VA_ARGS__)

/* Hyperbolic cosine.
 *   result[i] = cosh(source[i]) */
struct tsr_cosh_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_cosh(...) TSR_BUILD_VALUE_(cosh, __VA_ARGS__)

/* Hyperbolic tangent.
 *   result[i] = tanh(source[i]) */
struct tsr_tanh_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_rounding rounding_mode; /* optional: */
};
#define tsr_build_tanh(...) TSR_BUILD_VALUE_(tanh, __VA_ARGS__)

/* Angle of the point (y, x).
 *   result[i] = atan2(x[i], y[i]) */
struct tsr_atan2_args {
  TSR_ARGS_HEAD;
  tsr_value x, y;
};
#define tsr_build_atan2(...) TSR_BUILD_VALUE_(atan2, __VA_ARGS__)

/* Multiplies two matrices and adds a third.
 *   result[i, j] = acc[i, j] + sum over k of lhs[i, k] * rhs[k, j] */
struct tsr_mmaf_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs, acc;
  tsr_flag fast_acc; /* optional: */
};
#define tsr_build_mmaf(...) TSR_BUILD_VALUE_(mmaf, __VA_ARGS__)

/* Multiplies two matrices whose blocks along k carry a scale, and adds a third.
 *   result[i, j] = acc[i, j] + sum over k of lhs[i, k] * lhs_scale[i, k / b] * rhs[k, j] * rhs_scale[k / b, j] */
struct tsr_mmaf_scaled_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs, acc, lhs_scale, rhs_scale;
};
#define tsr_build_mmaf_scaled(...) TSR_BUILD_VALUE_(mmaf_scaled, __VA_ARGS__)

/* ---- Integers -------------------------------------------------------------------------------- */

/* Absolute value of signed integers.
 *   result[i] = |source[i]|, unsigned */
struct tsr_absi_args {
  TSR_ARGS_HEAD;
  tsr_value source;
};
#define tsr_build_absi(...) TSR_BUILD_VALUE_(absi, __VA_ARGS__)

/* Negation.
 *   result[i] = -source[i] */
struct tsr_negi_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_overflow overflow; /* optional: */
};
#define tsr_build_negi(...) TSR_BUILD_VALUE_(negi, __VA_ARGS__)

/* Adds, modulo the type's width.
 *   result[i] = lhs[i] + rhs[i] */
struct tsr_addi_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_overflow overflow; /* optional: */
};
#define tsr_build_addi(...) TSR_BUILD_VALUE_(addi, __VA_ARGS__)

/* Subtracts, modulo the type's width.
 *   result[i] = lhs[i] - rhs[i] */
struct tsr_subi_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_overflow overflow; /* optional: */
};
#define tsr_build_subi(...) TSR_BUILD_VALUE_(subi, __VA_ARGS__)

/* Multiplies, modulo the type's width.
 *   result[i] = lhs[i] * rhs[i] */
struct tsr_muli_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_overflow overflow; /* optional: */
};
#define tsr_build_muli(...) TSR_BUILD_VALUE_(muli, __VA_ARGS__)

/* High half of the unsigned product.
 *   result[i] = (x[i] * y[i]) >> width */
struct tsr_mulhii_args {
  TSR_ARGS_HEAD;
  tsr_value x, y;
};
#define tsr_build_mulhii(...) TSR_BUILD_VALUE_(mulhii, __VA_ARGS__)

/* Divides.
 *   result[i] = round(lhs[i] / rhs[i]) */
struct tsr_divi_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_signedness signedness;
  tsr_rounding rounding; /* optional: */
};
#define tsr_build_divi(...) TSR_BUILD_VALUE_(divi, __VA_ARGS__)

/* Remainder of the division truncated towards zero.
 *   result[i] = lhs[i] - trunc(lhs[i] / rhs[i]) * rhs[i] */
struct tsr_remi_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_signedness signedness;
};
#define tsr_build_remi(...) TSR_BUILD_VALUE_(remi, __VA_ARGS__)

/* Maximum.
 *   result[i] = max(lhs[i], rhs[i]) */
struct tsr_maxi_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_signedness signedness;
};
#define tsr_build_maxi(...) TSR_BUILD_VALUE_(maxi, __VA_ARGS__)

/* Minimum.
 *   result[i] = min(lhs[i], rhs[i]) */
struct tsr_mini_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_signedness signedness;
};
#define tsr_build_mini(...) TSR_BUILD_VALUE_(mini, __VA_ARGS__)

/* Compares integers.
 *   result[i] = lhs[i] ? rhs[i] */
struct tsr_cmpi_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_comparison comparison_predicate;
  tsr_signedness signedness;
};
#define tsr_build_cmpi(...) TSR_BUILD_VALUE_(cmpi, __VA_ARGS__)

/* Shifts left.
 *   result[i] = lhs[i] << rhs[i] */
struct tsr_shli_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_overflow overflow; /* optional: */
};
#define tsr_build_shli(...) TSR_BUILD_VALUE_(shli, __VA_ARGS__)

/* Shifts right, filling with zeros or the sign.
 *   result[i] = lhs[i] >> rhs[i] */
struct tsr_shri_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
  tsr_signedness signedness;
};
#define tsr_build_shri(...) TSR_BUILD_VALUE_(shri, __VA_ARGS__)

/* Multiplies two matrices of bytes and adds a third of i32.
 *   result[i, j] = acc[i, j] + sum over k of lhs[i, k] * rhs[k, j] */
struct tsr_mmai_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs, acc;
  tsr_signedness signedness_lhs, signedness_rhs;
};
#define tsr_build_mmai(...) TSR_BUILD_VALUE_(mmai, __VA_ARGS__)

/* ---- Bitwise --------------------------------------------------------------------------------- */

/* Bitwise and.
 *   result[i] = lhs[i] & rhs[i] */
struct tsr_andi_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
};
#define tsr_build_andi(...) TSR_BUILD_VALUE_(andi, __VA_ARGS__)

/* Bitwise or.
 *   result[i] = lhs[i] | rhs[i] */
struct tsr_ori_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
};
#define tsr_build_ori(...) TSR_BUILD_VALUE_(ori, __VA_ARGS__)

/* Bitwise exclusive or.
 *   result[i] = lhs[i] ^ rhs[i] */
struct tsr_xori_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs;
};
#define tsr_build_xori(...) TSR_BUILD_VALUE_(xori, __VA_ARGS__)

/* ---- Atomics --------------------------------------------------------------------------------- */

/* Compares and swaps, atomically for each element.
 *   result[i] = *pointers[i]; if result[i] == cmp[i]: *pointers[i] = val[i] */
struct tsr_atomic_cas_tko_args {
  TSR_ARGS_HEAD;
  tsr_value pointers, cmp, val;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_memory_scope memory_scope;
  tsr_value mask, token; /* optional: */
};
#define tsr_build_atomic_cas_tko(...) TSR_BUILD_VALUE_(atomic_cas_tko, __VA_ARGS__)

/* Updates memory atomically, element by element.
 *   result[i] = *pointers[i]; *pointers[i] = mode(result[i], arg[i]) */
struct tsr_atomic_rmw_tko_args {
  TSR_ARGS_HEAD;
  tsr_value pointers, arg;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_memory_scope memory_scope;
  tsr_rmw mode;
  tsr_value mask, token; /* optional: */
};
#define tsr_build_atomic_rmw_tko(...) TSR_BUILD_VALUE_(atomic_rmw_tko, __VA_ARGS__)

/* Updates a tile of a view atomically.
 *   view[index][i] = mode(view[index][i], value[i]) */
struct tsr_atomic_red_view_tko_args {
  TSR_ARGS_HEAD;
  tsr_value view;
  tsr_values index;
  tsr_value value;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_memory_scope memory_scope;
  tsr_rmw mode;
  tsr_value token; /* optional: */
  tsr_ints inbounds;
};
#define tsr_build_atomic_red_view_tko(...) TSR_BUILD_VALUE_(atomic_red_view_tko, __VA_ARGS__)

/* Updates a tile of a view atomically in every device's copy of memory.
 *   view[index][i] = reduction(view[index][i], tile[i]), in all copies */
struct tsr_multimem_reduce_view_tko_args {
  TSR_ARGS_HEAD;
  tsr_value view, tile;
  tsr_values index;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_memory_scope memory_scope;
  tsr_multimem_reduction reduction;
  tsr_value token; /* optional: */
  tsr_ints inbounds;
};
#define tsr_build_multimem_reduce_view_tko(...) TSR_BUILD_VALUE_(multimem_reduce_view_tko, __VA_ARGS__)

/* ---- Views ----------------------------------------------------------------------------------- */

/* Gives memory a shape and strides.
 *   view[i0, i1, ..] = *(base + i0 * strides[0] + i1 * strides[1] + ..) */
struct tsr_make_tensor_view_args {
  TSR_ARGS_HEAD;
  tsr_value base;
  tsr_type type;
  tsr_values dynamicShape, dynamicStrides; /* optional: */
};
#define tsr_build_make_tensor_view(...) TSR_BUILD_VALUE_(make_tensor_view, __VA_ARGS__)

/* Cuts a tensor view into a grid of tiles.
 *   tile[index][i] = view[index * tile shape + i] */
struct tsr_make_partition_view_args {
  TSR_ARGS_HEAD;
  tsr_value tensor_view;
  tsr_type type;
};
#define tsr_build_make_partition_view(...) TSR_BUILD_VALUE_(make_partition_view, __VA_ARGS__)

/* Lays tiles over a tensor view at given distances, overlapping or with gaps.
 *   tile[index][i] = view[index * traversal strides + i] */
struct tsr_make_strided_view_args {
  TSR_ARGS_HEAD;
  tsr_value tensor_view;
  tsr_type type;
};
#define tsr_build_make_strided_view(...) TSR_BUILD_VALUE_(make_strided_view, __VA_ARGS__)

/* Lets tiles be gathered from a tensor view along one dimension.
 *   tile[index][i] = view[.., index[sparse_dim][i], ..] */
struct tsr_make_gather_scatter_view_args {
  TSR_ARGS_HEAD;
  tsr_value tensor_view;
  tsr_type type;
};
#define tsr_build_make_gather_scatter_view(...) TSR_BUILD_VALUE_(make_gather_scatter_view, __VA_ARGS__)

/* Gives the extents of a tensor view.
 *   result[d] = extent of dimension d */
struct tsr_get_tensor_shape_args {
  TSR_ARGS_HEAD;
  tsr_value src;
  tsr_type type; /* optional: */
};
#define tsr_build_get_tensor_shape(...) TSR_BUILD_OP_(get_tensor_shape, __VA_ARGS__)

/* Gives how many tiles a view has.
 *   result[d] = ceil(extent / distance between tiles) */
struct tsr_get_index_space_shape_args {
  TSR_ARGS_HEAD;
  tsr_value src;
  tsr_type type; /* optional: */
};
#define tsr_build_get_index_space_shape(...) TSR_BUILD_OP_(get_index_space_shape, __VA_ARGS__)

/* Loads one tile of a view.
 *   result = view[index], with padding outside */
struct tsr_load_view_tko_args {
  TSR_ARGS_HEAD;
  tsr_value view;
  tsr_values index;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_value token; /* optional: */
  tsr_memory_scope memory_scope;
  tsr_ints inbounds;
};
#define tsr_build_load_view_tko(...) TSR_BUILD_VALUE_(load_view_tko, __VA_ARGS__)

/* Stores a tile into a view.
 *   view[index] = tile */
struct tsr_store_view_tko_args {
  TSR_ARGS_HEAD;
  tsr_value tile, view;
  tsr_values index;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_value token; /* optional: */
  tsr_memory_scope memory_scope;
  tsr_ints inbounds;
};
#define tsr_build_store_view_tko(...) TSR_BUILD_VALUE_(store_view_tko, __VA_ARGS__)

/* Loads one tile of a view from every device's copy of memory, combined.
 *   result[i] = reduction over all copies of view[index][i] */
struct tsr_multimem_load_reduce_view_tko_args {
  TSR_ARGS_HEAD;
  tsr_value view;
  tsr_values index;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_multimem_reduction reduction;
  tsr_type type;
  tsr_value token; /* optional: */
  tsr_memory_scope memory_scope;
  tsr_ints inbounds;
};
#define tsr_build_multimem_load_reduce_view_tko(...) TSR_BUILD_VALUE_(multimem_load_reduce_view_tko, __VA_ARGS__)

/* Stores a tile into a view in every device's copy of memory.
 *   view[index] = tile, in all copies */
struct tsr_multimem_store_view_tko_args {
  TSR_ARGS_HEAD;
  tsr_value view, tile;
  tsr_values index;
  tsr_memory_ordering memory_ordering_semantics;
  tsr_value token; /* optional: */
  tsr_memory_scope memory_scope;
  tsr_ints inbounds;
};
#define tsr_build_multimem_store_view_tko(...) TSR_BUILD_VALUE_(multimem_store_view_tko, __VA_ARGS__)

/* ---- Miscellaneous --------------------------------------------------------------------------- */

/* States a fact about a value that compilers may use.
 *   result = value */
struct tsr_assume_args {
  TSR_ARGS_HEAD;
  tsr_value value;
  const tsr_predicate *predicate;
};
#define tsr_build_assume(...) TSR_BUILD_VALUE_(assume, __VA_ARGS__)

/* Prints a formatted line.
 *   printf(str, args) */
struct tsr_print_tko_args {
  TSR_ARGS_HEAD;
  const char *str;
  tsr_values args; /* optional: */
  tsr_value token;
};
#define tsr_build_print_tko(...) TSR_BUILD_VALUE_(print_tko, __VA_ARGS__)

#endif
