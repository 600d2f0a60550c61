/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ttir: the reader of Triton's intermediate representation, the text that Triton's front end makes
 * of a kernel in Python before anything is decided about GPUs. It has the operations of the MLIR
 * dialects tt, arith, math, scf and cf; the reader takes their custom and their generic form and
 * makes Tile IR of them, with Python's files, lines and names.
 *
 * Functions are put in place of their calls, branches become `if`, accesses to memory keep the
 * order of the program by tokens. What Tile IR cannot say is refused, with its name and place.
 */
#ifndef TSR_TTIR_TTIR_H
#define TSR_TTIR_TTIR_H

#include "ir/ir.h"

/* Whether a text is a module of Triton's rather than one of Tile IR: a function of Triton's comes
 * first. */
bool ttir_is(str text);

/* Reads a text into a fresh module; does not verify it. `text` (terminated) and `name` live as long
 * as the module. False after an error. The text may be anything: at most 256 regions and brackets
 * in each other, 64 calls in each other, 2^20 operations after functions have taken the place of
 * their calls. */
bool ttir_read_into(ir_module *m, str text, const char *name);

#endif
