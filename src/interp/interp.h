/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * interp: the reference interpreter, the definition of what a program means.
 *
 * It executes one tile block at a time, operation by operation, over whole tiles in row-major
 * order, exact in every rounding mode and element type, without cleverness. The other engines are
 * compared with it. docs/numerics.md says where the language leaves freedom.
 */
#ifndef TSR_INTERP_INTERP_H
#define TSR_INTERP_INTERP_H

#include "ir/ir.h"
#include "exec/block.h"

typedef struct interp_program interp_program;

/* Prepares a kernel of a verified module. The module must stay. Reports and returns NULL when the
 * tiles that are in use at once take more than 4 GiB, or regions nest deeper than 256. Jumps to the
 * guard when memory runs out. */
interp_program *interp_prepare(ir_module *m, ir_op *entry);
void interp_destroy(interp_program *p);

/* Executes one tile block. Uses only block->args, globals, hooks, launch, id and grid; both hooks
 * `print` and `assert_failed` must be there. Returns false when it had to give up (out of memory),
 * after reporting. Several threads may execute blocks of one program at the same time, if the
 * context's allocator allows that. */
bool interp_run_block(interp_program *p, rt_block *block);

#endif
