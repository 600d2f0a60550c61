/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * collide: whether elements of one store go to one place. Which of them stays there is not said, so
 * what is loaded then is not the tile that was stored.
 *
 * - Through pointers they are apart where the addresses are a sum with a term for each bit of the
 *   element's index, from `iota`, constants and what is the same for all, and each term is larger
 *   than all smaller ones together.
 * - In a tile of a view they are where each stride is beyond what the smaller ones reach; strides
 *   that are told when the kernel runs count as facts.h has them, and one that is the extent of a
 *   dimension of stride 1 is beyond that.
 */
#ifndef TSR_OPT_COLLIDE_H
#define TSR_OPT_COLLIDE_H

#include "opt/facts.h"

/* Of a store through pointers or a view without a mask: whether a load of the same place, of what
 * lies inside, is known to give the tile that was stored: no two elements share a byte, or all that
 * do are equal. */
bool collide_never(const facts *known, const ir_op *store);

#endif
