/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers as people type them: the VALUE of a scalar argument, the quantities of --flops and
 * --bytes.
 */
#ifndef TSR_CLI_NUMBER_H
#define TSR_CLI_NUMBER_H

#include <tessera/elem.h>

#include "base/base.h"

/* The pattern of `text` read as an element of type `elem`.
 *
 * Integers: decimal or 0x..., with a sign, from the smallest signed to the largest unsigned value
 * of the type; i1 also true and false. Floats: decimal, inf and nan where the type has them, C's
 * 0x1.8p3, and 0x... without 'p' for the bit pattern, as in the language; rounded once, to nearest
 * even. A float that is larger than every finite value of the type is refused.
 *
 * Returns NULL, or what is wrong as the end of a sentence that starts with the text ("is no
 * number"), in the arena. */
const char *number_parse(arena *a, tsr_elem elem, const char *text, uint64_t *pattern);

/* A quantity greater than zero: factors joined by '*', each a number with an optional unit (k M G
 * T for powers of 1000, Ki Mi Gi Ti for powers of 1024) and an optional power: 2e9, 3.5G,
 * 2*1024^3. False when it is none, or is infinite. */
bool quantity_parse(const char *text, double *value);

#endif
