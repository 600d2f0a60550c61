/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the instructions of PTX come from: the numbers of operations that compiled code has as
 * lines (gpu/lines.h) become files and lines, as ptxas, debuggers and profilers read them.
 */
#ifndef TSR_RT_PTX_LINES_H
#define TSR_RT_PTX_LINES_H

#include "ir/ir.h"

/* The PTX with .loc and .file directives of the program. An operation in a function that was called
 * has the line of that function. */
void ptx_lines_write(sbuf *out, str ptx, const ir_module *program);

#endif
