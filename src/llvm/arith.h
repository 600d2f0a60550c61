/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/arith.h: the parts of emit_elementwise, by kind of operation. Each pair is like the one in
 * emit.h: whether an operation of the kind can be emitted with its modifiers, and the emission,
 * which may be called only then.
 */
#ifndef TSR_LLVM_ARITH_H
#define TSR_LLVM_ARITH_H

#include "llvm/lanes.h"
#include "num/num.h"

/* Float arithmetic and comparison (floats.c). */
bool float_supported(emit *e, const exec_elementwise *w);
lanes float_emit(emit *e, const exec_elementwise *w, lanes *x);

/* Integer arithmetic and comparison (integers.c). */
lanes integer_emit(emit *e, const exec_elementwise *w, lanes *x);

/* Floats of any type to f8E8M0FNU in any rounding mode (conv.c). */
lanes conv_to_e8m0(emit *e, lanes x, num_rounding rounding);

/* emit_round in any mode; the others than nearest only for values in float, and doubles only on a
 * GPU (conv.c). */
lanes conv_round(emit *e, tsr_elem elem, lanes value, num_rounding rounding);

/* To bf16, to nearest, in float: what arithmetic on numbers of bf16 gave. A NaN among them stays
 * one, of whatever kind (conv.c). */
lanes conv_round_result(emit *e, lanes value);

/* ---- directed roundings on AMD's GPUs (directed_amd.c) ------------------------------------------
 */

/* An instruction ("v_add_f32") of n operands under a directed rounding, which a wave has as a mode:
 * that is set for it alone. */
lanes amd_in_mode(emit *e, const char *instruction, num_rounding rounding, lanes *x, unsigned n,
                  LLVMTypeRef result);
/* Arithmetic of f32 and f64; narrow types compute in f32: rounding that again in the same direction
 * is rounding once. */
lanes amd_directed(emit *e, const exec_elementwise *w, lanes *x);

/* Functions such as exp (vmath.c). */
bool vmath_supported(emit *e, const exec_elementwise *w);
lanes vmath_emit(emit *e, const exec_elementwise *w, lanes *x);

/* Zeros of their sign for subnormal lanes. */
lanes lanes_flush(emit *e, lanes x);

#endif
