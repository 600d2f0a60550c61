/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * block/erase.h: CPUs erase threads. A kernel of the block level becomes one of the tile level with
 * the same results, so that the CPU backend needs to know nothing of the block level:
 *
 * - layouts go from all types, convert_layout is its operand, and reinterpret becomes loads at
 *   constant places and shifts (bits.h);
 * - tiles whose sizes are no powers of two become several whose sizes are (split.h);
 * - groups become one program (unite.h), what engines do is done by threads (engines.h);
 * - barriers, commits and waits are gone, as a tile block is one thread;
 * - accesses to global memory are loads and stores of views (access.h);
 * - shared memory that only hands values on is gone (forward.h); other shared memory is an alloca,
 *   row-major whatever its layout was, that copies load and store at once (scratch.h);
 * - the order of the program becomes tokens (order.h).
 *
 * The folder uses the optimiser's facts and rewriting, and nothing of a backend.
 */
#ifndef TSR_BLOCK_ERASE_H
#define TSR_BLOCK_ERASE_H

#include "ir/ir.h"

/* Changes the entries of a module that are of the block level; the others stay as they are. Reports
 * and returns false for what code for CPUs doesn't know yet; the module is then of no use. Its
 * types are those of a verified module. Jumps to the guard when memory runs out. */
bool block_erase_threads(ir_module *m);

#endif
