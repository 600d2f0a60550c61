/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exec/print.h: print_tko's formatting, the same for every engine.
 */
#ifndef TSR_EXEC_PRINT_H
#define TSR_EXEC_PRINT_H

#include "base/base.h"
#include "exec/block.h"

/* Splits off the next conversion of a format string ("%5.2f", "%lld", "%%", a bare "%"). Returns
 * its length, 0 when the '%' at `p` starts none that is complete. */
size_t exec_print_conversion(const char *p, const char *end);

/* Appends the formatted text. A bare '%' (as older programs write) takes the conversion that fits
 * its argument. A tile that is no scalar prints as nested lists: [[1, 2], [3, 4]]. */
void exec_print_format(sbuf *out, str format, const rt_print_arg *args, size_t count);

#endif
