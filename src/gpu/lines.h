/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/lines.h: which operation an instruction comes from, as .loc in PTX, where that is wanted: on
 * emulated cards, whose messages name it. Else no code has any, and nothing here does anything.
 *
 * The line of a .loc is the number of the operation's location in the module (ir_loc), which knows
 * the file, the line and the calls that led there. The PTX of several units is joined, so files of
 * its own would not be the same in all.
 */
#ifndef TSR_GPU_LINES_H
#define TSR_GPU_LINES_H

#include "gpu/gen.h"

/* The kernel's function was made; no more instructions will be. */
void gpu_lines_begin(gen *g, const char *symbol);
void gpu_lines_end(gen *g);
/* What is made from now on comes from this operation, until gpu_line_back gets what this gave. */
LLVMMetadataRef gpu_line(gen *g, const ir_op *op);
void gpu_line_back(gen *g, LLVMMetadataRef before);

#endif
