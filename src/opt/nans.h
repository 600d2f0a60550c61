/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * opt/nans.h: whose NaNs are known to be the canonical one. A backend may then keep what the
 * processor's arithmetic left, and make it canonical where somebody looks.
 */
#ifndef TSR_OPT_NANS_H
#define TSR_OPT_NANS_H

#include "ir/ir.h"

/* Is every NaN in the f32 or f64 tile the canonical one, because arithmetic or a constant made it?
 * `products`: or a matrix product did. */
bool opt_nans_are_canonical(const ir_value *v, bool products);
/* The same without products, and of f16 and bf16, too, where they are kept as the f32 that they are
 * computed in. */
bool opt_widened_nans_are_canonical(const ir_value *v);
/* Is that so of all values that a loop carries at this position, `first` and what its `continue`s
 * hand over? */
bool opt_loop_nans_are_canonical(const ir_op *loop, unsigned index, const ir_value *first,
                                 bool products);
/* Of what the loop's `continue`s hand over. */
bool opt_next_nans_are_canonical(const ir_op *loop, unsigned index, bool products);

/* Does nothing tell apart which NaNs are in the tile, because it is only computed with, as it is or
 * with its elements elsewhere? */
bool opt_nans_are_alike(const ir_value *v);

#endif
