/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/versions.h: the code of a group: one nest or several versions of it.
 */
#ifndef TSR_CPU_LOWER_VERSIONS_H
#define TSR_CPU_LOWER_VERSIONS_H

#include "cpu/nest/roots.h"

/* The exact version is for when everything exists and all linear forms hold, the guarded one for
 * the rest; products may also be made in whole numbers. */
void versions_emit(lower *l, group *g);

#endif
