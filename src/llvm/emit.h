/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/emit.h: the little that all emitters share, whatever the target: where LLVM code goes, what
 * the processor can do, and how an element type lives in a register.
 *
 * Register representation. A *lane value* is a scalar or a vector <N x T> where T is
 *   i1 -> i1                  i4, i8 -> i8 (i4: high bits zero)      i16, i32, i64 -> the same
 *   f32 -> float              f64 -> double                          ptr -> i64 (addresses)
 *   f16, bf16, tf32, f8*, f4* -> float holding a value that the type can represent exactly
 * So arithmetic on narrow floats is f32 (or f64) arithmetic followed by emit_round. Memory holds
 * the packed storage format; emit_decode and emit_encode go between the two.
 */
#ifndef TSR_LLVM_EMIT_H
#define TSR_LLVM_EMIT_H

#include <llvm-c/Core.h>

#include "exec/scalar.h"
#include "ir/ops.h"
#include "target/cpu.h"

typedef struct emit {
  tsr_context *ctx;
  arena *arena; /* lives as long as the compilation */
  LLVMContextRef llvm;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  cpu_isa isa;          /* on a GPU all zero */
  cpu_core core;        /* the same */
  unsigned vector_bits; /* of one register: 128, 256, 512 */
  bool arm; /* AArch64: NEON, 32 registers, fused multiply-adds, half precision conversions */
  bool gpu; /* scalars only; all roundings, fused multiply-adds, half precision */
  /* A function such as exp by an instruction that the target has for it; false: it has none.
   * `flush`: subnormal results may be zeros. NULL: it has none for any function. */
  bool (*native_function)(struct emit *e, op_code opcode, LLVMValueRef x, bool flush,
                          LLVMValueRef *result);
  LLVMTypeRef i1, i8, i16, i32, i64, f16, bf16, f32, f64, ptr, void_;
  unsigned names; /* for fresh names */
  /* Asks for a place elsewhere for a function that is long enough, whose name says all that its
   * code depends on beside the target: `home` is another module for the same target, which code is
   * generated for at the same time, or NULL when there is code for it already. False: there is no
   * place. NULL itself: all functions stay in one module. */
  bool (*aside)(void *user, const char *name, struct emit **home);
  void *aside_user;
} emit;

/* Does an operation on a whole register take a unit twice? */
static inline bool emit_in_halves(const emit *e) {
  return e->core.double_pumped && e->vector_bits == 512;
}

/* Fills in the types of e->llvm. */
void emit_types(emit *e);
/* T of the register representation, and <lanes x T> (T itself when lanes is 1). */
LLVMTypeRef emit_elem_type(emit *e, tsr_elem elem);
LLVMTypeRef emit_lane_type(emit *e, tsr_elem elem, unsigned lanes);
/* How the element type lies in memory: i8 for i1; iN of its storage width otherwise, float, double.
 * 4-bit types lie two to a byte: for them this is i8, one nibble each, as emit_unpack4 gives it. */
LLVMTypeRef emit_storage_type(emit *e, tsr_elem elem);
LLVMValueRef emit_any_lane(emit *e, LLVMValueRef mask); /* an i1: is that of any lane set? */
unsigned emit_lanes(LLVMValueRef v);                    /* 1 for a scalar */
unsigned lanes_bits(emit *e, LLVMValueRef v);           /* of one lane */
LLVMValueRef emit_splat(emit *e, LLVMValueRef scalar, unsigned lanes);
/* Constants shaped like `like` (scalar or vector of its lanes). */
LLVMValueRef emit_const_int(emit *e, LLVMTypeRef type, uint64_t value);
LLVMValueRef emit_const_real(emit *e, LLVMTypeRef type, double value);
/* The pattern of an element as a scalar. */
LLVMValueRef emit_pattern(emit *e, tsr_elem elem, uint64_t pattern);
/* Declares (once) and calls an LLVM intrinsic, e.g. "llvm.fma", overloaded on `types`. */
LLVMValueRef emit_intrinsic(emit *e, const char *name, LLVMTypeRef *types, unsigned n_types,
                            LLVMValueRef *args, unsigned n_args);
/* The address `bytes` bytes behind `base`; k: a constant number of them. */
LLVMValueRef emit_behind(emit *e, LLVMValueRef base, LLVMValueRef bytes);
LLVMValueRef emit_behindk(emit *e, LLVMValueRef base, int64_t bytes);

/* Asks for a cache line, at any address, for the second-level cache; near: for the first. */
void emit_fetch(emit *e, LLVMValueRef at);
void emit_fetch_near(emit *e, LLVMValueRef at);
/* Marks a store as one that goes past the cache. */
void emit_goes_past_cache(emit *e, LLVMValueRef store);

/* A copy of an integer, a pointer or a vector that LLVM knows nothing about: one register, no
 * instruction. A vector must be one that emit_fills_register allows. `unique`: it stays where it
 * is, even if nobody needs it, and no other takes its place. */
LLVMValueRef emit_opaque(emit *e, LLVMValueRef v, bool unique);
/* Whether a value is a vector for exactly one of the target's vector registers. */
bool emit_fills_register(emit *e, LLVMValueRef v);

/* ---- conversions (conv.c) ------------------------------------------------------------------- */

/* Packed storage <-> register representation, lane by lane. 4-bit types are handled a nibble per
 * i8 lane: callers unpack bytes first. Encoding does not round: the lanes hold values of the type
 * already. So a NaN comes back as it was loaded, with its sign and mantissa. What that takes beside
 * the processor's conversions vanishes where a value is encoded at once, or goes through
 * lanes_any_nan to something that does not tell NaNs apart. */
LLVMValueRef emit_decode(emit *e, tsr_elem elem, LLVMValueRef storage);
LLVMValueRef emit_encode(emit *e, tsr_elem elem, LLVMValueRef lanes);
/* A value that has just been decoded from f16 or f8E5M2, by the processor's conversion alone: a NaN
 * in it is some NaN. All others as they are. And its bits as f16; NULL: it is another. */
LLVMValueRef emit_plain_half(LLVMValueRef x);
LLVMValueRef emit_loaded_half(LLVMValueRef x);
/* One or the other value of the type, lane by lane. */
LLVMValueRef emit_choose(emit *e, tsr_elem elem, LLVMValueRef condition, LLVMValueRef x,
                         LLVMValueRef y);
/* Bytes <-> nibbles: <N x i8> to <2N x i8> (i8 to <2 x i8>) and back; the low nibble comes first.
 * Nibbles have their high bits zero. */
LLVMValueRef emit_unpack4(emit *e, LLVMValueRef bytes);
LLVMValueRef emit_pack4(emit *e, LLVMValueRef nibbles);
/* The elements of a 4-bit float in the low (0) or high halves of <N x i8>, as registers hold them
 * (lookup.c). */
LLVMValueRef emit_decode_half(emit *e, tsr_elem elem, LLVMValueRef bytes, int half);
/* Rounds float or double lanes to the nearest value (ties to even) that `elem` can represent,
 * following its overflow rules for arithmetic results; one rounding, also from double. Gives lanes
 * of emit_elem_type(elem). The identity for f64, and for f32 from float. A NaN stays some NaN
 * where the type has one. */
LLVMValueRef emit_round(emit *e, tsr_elem elem, LLVMValueRef lanes);

/* ---- element-wise operations (elementwise.c, vmath.c) --------------------------------------- */

/* Can this operation, with these modifiers, be emitted inline? If not, the caller goes through
 * rt_hooks.elementwise. */
bool emit_elementwise_supported(emit *e, const exec_elementwise *what);
/* Emits one element-wise operation on lane values of equal lane counts. Bit for bit what
 * exec_scalar gives, except where docs/numerics.md states a bound (exp, log, …). */
LLVMValueRef emit_elementwise(emit *e, const exec_elementwise *what, LLVMValueRef *operands);

/* NaNs. Operations give the canonical NaN; the processor gives others. Fixing that after every
 * operation would slow chains of arithmetic down for nothing, because arithmetic doesn't tell NaNs
 * apart. So every float operation ends in lanes_canonical and begins with lanes_any_nan, which
 * takes an operand from behind a lanes_canonical, or without what emit_decode does for the bits of
 * its NaNs; what isn't used any more vanishes, and the fix stays only where a value is stored,
 * selected or cast. */
LLVMValueRef lanes_canonical(emit *e, LLVMValueRef x);
LLVMValueRef lanes_any_nan(LLVMValueRef x);
/* What lanes_canonical made x from; NULL: it didn't make it. */
LLVMValueRef lanes_before_canonical(LLVMValueRef x);
/* An i1: none of the vectors has a NaN in it. */
LLVMValueRef lanes_no_nan(emit *e, const LLVMValueRef *x, unsigned count);
LLVMValueRef lanes_differ(emit *e, LLVMValueRef x, LLVMValueRef y); /* in any bit */

/* floats.c. Does the processor have minima and maxima as operations have them: the number beside a
 * NaN, and -0 less than +0? */
bool emit_has_extremes(const emit *e);
/* Else, for reductions, maxima of lanes of f32 or f64 whose only NaN has all bits set. Either order
 * of the operands of a processor's own instruction, which gives the second where one is a NaN or
 * both are zeros, makes the same but then; the bits that both have are the number beside the NaN,
 * and +0. (For minima it would be the bits that one has, beside a NaN without any.) */
LLVMValueRef emit_max_with_ones(emit *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_nans_to_ones(emit *e, LLVMValueRef x);

/* floats.c. Quotients by one number for all lanes: multiply-adds where the processor takes several
 * times as long to divide. q = x * (inverse + rest), inverse + rest being 1 / s to 46 bits, is one
 * of the two neighbours of x / s; the remainder x - q * s is exact, and q + remainder * inverse,
 * rounded once, is x / s rounded (Markstein, "Computation of elementary functions on the IBM RISC
 * System/6000 processor", 1990), so long as nothing of this is subnormal or overflows:
 * 2^-28 <= |s| < 2^28, and for each lane 2^-96 <= |x| < 2^96, or x = +0 and s > 0. */
typedef struct emit_divisor {
  LLVMValueRef s, minus, inverse, rest; /* scalars */
  LLVMValueRef span, zero;              /* i32: of the bits that are in range; what counts as 0 */
} emit_divisor;
/* Is this a division that can be done so, and is better done so? */
bool emit_divides_by_one(const emit *e, const exec_elementwise *w);
emit_divisor emit_divisor_of(emit *e, LLVMValueRef s);
/* The quotients if *all_near, an i1, is true. */
LLVMValueRef emit_divide_near(emit *e, const emit_divisor *d, LLVMValueRef x,
                              LLVMValueRef *all_near);

/* vmath.c. A function that emit_elementwise puts out of line, as it is for usual operands:
 * *all_usual, an i1, says whether all are. NULL where there is no shorter way for these, as there
 * never is if not has_usual. */
bool emit_has_usual(const emit *e, unsigned opcode);
LLVMValueRef emit_usual(emit *e, const exec_elementwise *w, LLVMValueRef x,
                        LLVMValueRef *all_usual);

/* Accesses to memory stay on their side of it; it is no instruction. LLVM finds out in which order
 * accesses may be executed by comparing each with each of those before it, up to a call or to such
 * a point. */
void emit_order_point(emit *e);

#endif
