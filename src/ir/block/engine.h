/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What copy engines and matrix units can do with a memory layout.
 */
#ifndef TSR_IR_BLOCK_ENGINE_H
#define TSR_IR_BLOCK_ENGINE_H

#include <tessera/layout.h>

#include "ir/ir.h"

/* The bytes of the engine's swizzle that a memory layout of such elements has: 0 (none), 32, 64 or
 * 128; -1 when it has another. */
int ir_engine_swizzle(const tsr_memory_layout *memory, tsr_elem elem);

/* An operand of wgmma in shared memory, of rank 2: rows of `row` bytes in one after the other. */
typedef struct ir_unit_operand {
  bool along_k;  /* rows run along k; else along m or n */
  int swizzle;   /* bytes, as above */
  int64_t run;   /* elements of a row */
  int64_t panel; /* elements from a row to its continuation; 0: it has none */
  int64_t eight; /* elements from eight rows to the next eight; 0: there are none */
} ir_unit_operand;

/* False: the unit cannot read that. `k` is the operand's dimension that is summed over. */
bool ir_unit_operand_of(const ir_type *shared, unsigned k, ir_unit_operand *out);

/* The fragment of a wgmma that its accumulator is a grid of: the columns of an instruction, and how
 * the instructions lie in the tile. 0 when it is none. */
int ir_unit_columns(const ir_type *acc, tsr_elem operands, tsr_layout *grid);

/* What a wait for sets says of its number: `pending` is not negative, and a set may have been
 * closed before. Reports at `op`. */
#define WAIT_WORDS                                                                                 \
  "`pending` is not negative.\n"                                                                   \
  "An operation that closes a set comes before it, or in the same loop."
bool ir_check_wait(const ir_module *m, const ir_op *op);

#endif
