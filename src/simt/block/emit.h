/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/block/emit.h: a plan as a program. A kernel of the tile level and the plan that was made for
 * it become a kernel of the block level (docs/block-level.md), which says in its text what the plan
 * says in side tables: the layout of every tile, where tiles change hands, what lies in shared
 * memory and how, which copies are on their way and who waits for them.
 *
 *   tile held by a distribution       a layout on its type
 *   expression (SIMT_LAZY)            computed anew for each layout that is asked for
 *   tile wanted elsewhere             convert_layout
 *   loads and stores of views         load_global, store_global at offsets in elements
 *   program order between accesses    barrier, where the code generator has one
 *   pipelined loop (simt/pipeline.h)  alloc_shared with the stages' swizzle, cp_async, commits,
 *                                     waits, a slot that the loop hands on
 *   product by an instruction         load_shared by ldmatrix, mmaf with the fragments' layouts
 *   product by multiply-adds          operands in shared memory, a loop over parts along k
 *
 * The folder uses plans and the IR, and nothing of a backend; a backend lowers what it gives from
 * its operations and types alone.
 */
#ifndef TSR_SIMT_BLOCK_EMIT_H
#define TSR_SIMT_BLOCK_EMIT_H

#include "simt/plan.h"

/* Replaces an entry of the tile level by one of the block level of the same name, in the same
 * place. `plan` is the entry's; where it is of a form with further roles of threads (plan->own is
 * there), the vendor's block_form says what they do. What has no form at the block level yet is
 * reported at its operation; then the result is false, and the module of no use. `memory` is for
 * the translation itself. */
bool simt_emit_block(ir_module *m, ir_op *entry, const simt_plan *plan, arena *memory);

/* Gives names to layouts of an entry of the block level whose text is long and stands in several
 * places, so that the module's text is short: #tile0, #memory0, … */
void simt_name_layouts(ir_module *m, ir_op *entry, arena *memory);

#endif
