/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/emit.h: the little that all emitters share, whatever the target: where LLVM code goes, what
 * the processor can do, and how an element type lives in a register.
 *
 * Register representation. A *lane value* is a scalar or a vector <N x T> where T is
 *   i1 -> i1                  i2 to i8 -> i8 (high bits zero)        i16, i32, i64 -> the same
 *   f32 -> float              f64 -> double                          ptr -> i64 (addresses)
 *   f16, bf16, tf32, f3* to f8* -> float holding a value that the type can represent exactly
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
  bool amd; /* one of AMD's */
  /* A function such as exp by an instruction that the target has for it; false: it has none.
   * `flush`: subnormal results may be zeros. NULL: it has none for any function. */
  bool (*native_function)(struct emit *e, op_code opcode, LLVMValueRef x, bool flush,
                          LLVMValueRef *result);
  LLVMTypeRef i1, i8, i16, i32, i64, f16, bf16, f32, f64, ptr, void_;
  unsigned names; /* for fresh names */
  /* Outlines to another module: asks for a place for a function that is long enough, whose name
   * says all that its code depends on beside the target: `destination` is another module for the
   * same target, which code is generated for at the same time, or NULL when there is code for it
   * already. False: there is no place. NULL itself: all functions stay in one module. */
  bool (*outline)(void *user, const char *name, struct emit **destination);
  void *outline_user;
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
 * Elements of 2 to 7 bits share bytes: for them this is i8, one pattern each, as emit_unpack4 and
 * packed_fields give them. */
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
/* A phi at the start of `block`, which gets its incoming values later. */
LLVMValueRef emit_phi(emit *e, LLVMBasicBlockRef block, LLVMTypeRef type);
/* Declares (once) and calls an LLVM intrinsic, e.g. "llvm.fma", overloaded on `types`. */
LLVMValueRef emit_intrinsic(emit *e, const char *name, LLVMTypeRef *types, unsigned n_types,
                            LLVMValueRef *args, unsigned n_args);
/* The address `bytes` bytes after `base`; k: a constant number of them. */
LLVMValueRef emit_offset(emit *e, LLVMValueRef base, LLVMValueRef bytes);
LLVMValueRef emit_offsetk(emit *e, LLVMValueRef base, int64_t bytes);

/* Asks for a cache line, at any address, for the second-level cache; near: for the first. */
void emit_prefetch(emit *e, LLVMValueRef at);
void emit_prefetch_near(emit *e, LLVMValueRef at);
/* Marks a store as non-temporal. */
void emit_mark_nontemporal(emit *e, LLVMValueRef store);

/* A copy of an integer, a pointer or a vector that LLVM knows nothing about: one register, no
 * instruction. A vector must be one that emit_fills_register allows. `unique`: it stays where it
 * is, even if nobody needs it, and no other takes its place. */
LLVMValueRef emit_opaque(emit *e, LLVMValueRef v, bool unique);
/* Whether a value is a vector for exactly one of the target's vector registers. */
bool emit_fills_register(emit *e, LLVMValueRef v);

/* Accesses to memory stay on their side of it; it is no instruction. LLVM finds out in which order
 * accesses may be executed by comparing each with each of those before it, up to a call or to such
 * a point. */
void emit_order_point(emit *e);

#endif
