/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * format: the conversions in the string of print_tko, as in C's printf.
 *
 *   % [flags - + space # 0] [width] [.precision] [h hh l ll j z t L q] letter
 *
 * letter: d i u o x X c  e E f F g G a A  p s S n, or another % (a percent sign).
 *
 * Programs of earlier documents write a bare '%' for "as suits the argument": a '%' in front of
 * anything that can neither start nor be a conversion is one.
 */
#ifndef TSR_IR_FORMAT_H
#define TSR_IR_FORMAT_H

#include <stddef.h>

/* The length of the conversion at `p`, which points at a '%'; 0 when it starts none that is
 * complete. `letter` gets its letter, '%' for a percent sign, 0 for a bare '%'. */
size_t ir_format_conversion(const char *p, const char *end, char *letter);

#endif
