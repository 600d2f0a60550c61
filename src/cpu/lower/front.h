/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/front.h: versions of a group's nests that come in front of the others, because when the
 * kernel runs more may be known of where elements lie.
 */
#ifndef TSR_CPU_LOWER_FRONT_H
#define TSR_CPU_LOWER_FRONT_H

#include "cpu/nest/roots.h"

/* Makes the code of a group by other versions. */
typedef void (*front_others)(lower *l, group *g);

/* The code of a group: `others`, and in front of them, for what is likely, the same once more. */
void front_emit(lower *l, group *g, front_others others);

#endif
