/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bytecode: Tile IR in its binary form, versions 13.1 to 13.5. Reading and writing follow the
 * operation table; docs/bytecode.md describes the format.
 *
 * What the form does not hold: the module's name (a reader calls it @kernels), names of values,
 * comments, attributes that no row knows, and where an operation stands in a text. Globals come
 * before kernels.
 */
#ifndef TSR_BYTECODE_BYTECODE_H
#define TSR_BYTECODE_BYTECODE_H

#include "ir/ir.h"

enum { BYTECODE_OLDEST = V13_1, BYTECODE_NEWEST = V13_5 };

/* Whether data begins as bytecode does. */
bool bytecode_is(str data);

/* Reads bytecode into a fresh module in whose arena `data` and `name` (terminated) lie already.
 * Does not verify it, but whatever it accepts is well-formed: counts match the table, operands
 * refer to values that are visible, regions end with a terminator. The memory it takes is bounded
 * by a multiple of the file's size. Reports the first error, with its offset and section, and
 * returns false. */
bool bytecode_read_into(ir_module *m, str data, const char *name);

/* Appends a verified module's bytecode. What the version cannot express is reported at the
 * operation that needs it, with the version that can; false then, and when there is any other
 * error. Equal modules give equal bytes. */
bool bytecode_write(sbuf *out, ir_module *m, ir_version version);

#endif
