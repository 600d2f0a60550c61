/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * late: copies that do not arrive when they begin. A copy keeps its operands, and reads and writes
 * memory when somebody waits for it, or at random before. A kernel whose results depend on that
 * misses a wait.
 */
#ifndef TSR_INTERP_LATE_H
#define TSR_INTERP_LATE_H

#include "interp/barriers.h"

/* The copies under way in a tile block. */
typedef struct late_copies late_copies;

late_copies *late_create(arena *a, const interp_program *p, const rt_block *block);
/* Executes those that are left at the end. */
void late_finish(late_copies *l);

/* What an operation does in a program with late copies, where it is something else; NULL. */
inst_fn late_function(op_code opcode);

/* Bytes of the slot of a value that can be an operand of a copy. */
size_t interp_value_bytes(const ir_type *t);
late_copies *crew_late(const frame *f);

#endif
