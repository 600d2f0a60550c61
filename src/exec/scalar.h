/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exec/scalar.h: what an element-wise operation does to one element. The interpreter applies it to
 * whole tiles; compiled code calls it (through rt_hooks) for what it does not do itself. So there
 * is one definition of every rounding, every special value, every modifier.
 *
 * Elements are patterns, as in tessera/elem.h: the bits of the element type in the low bits of a
 * uint64_t, the rest zero.
 */
#ifndef TSR_EXEC_SCALAR_H
#define TSR_EXEC_SCALAR_H

#include "ir/ir.h"

/* An operation with its modifiers, without its operands. Plain data: compiled code embeds it. */
typedef struct exec_elementwise {
  uint16_t opcode; /* op_code with TRAIT_ELEMENTWISE */
  uint8_t n_operands;
  uint8_t result;      /* tsr_elem */
  uint8_t operands[3]; /* tsr_elem */
  uint8_t pointee;     /* offset: tsr_elem that the pointers point to */
  uint8_t rounding, signedness, predicate, ordering, overflow;
  uint8_t flush_to_zero, propagate_nan, saturating;
} exec_elementwise;

/* Whether an ftoi says only if the value is zero: to i1, as NVIDIA's compiler does it, although the
 * language would have it truncate (docs/numerics.md). */
static inline bool exec_is_truth(const exec_elementwise *w) {
  return w->opcode == OP_ftoi && w->result == TSR_I1 && !w->saturating;
}

/* A pointer to elements that share bytes (num_shares_bytes) says at which bit an element begins:
 * its low 61 bits are the byte's address, its high 3 bits the number of the bit within the byte. So
 * it is the bit's address rotated right by 3, and the pointer to a whole byte is that byte's
 * address. */
static inline uint64_t exec_bit_address(uint64_t pointer) {
  return pointer << 3 | pointer >> 61;
}
static inline uint64_t exec_bit_pointer(uint64_t bit_address) {
  return bit_address >> 3 | bit_address << 61;
}

/* `op` must have TRAIT_ELEMENTWISE. */
exec_elementwise exec_elementwise_of(const ir_op *op);

/* One element. Where the language leaves the result undefined (division by zero, a shift by the
 * width or more, ftoi out of range) it gives some value and never traps; docs/numerics.md says
 * which. */
uint64_t exec_scalar(const exec_elementwise *what, const uint64_t *operands);

/* `count` elements of packed arrays. The hot loops of common operations are direct. */
void exec_elementwise_run(const exec_elementwise *what, void *result, const void *const *operands,
                          int64_t count);

#endif
