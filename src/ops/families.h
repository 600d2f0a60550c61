/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The families that there are, one row of families.def each.
 */
#ifndef TSR_OPS_FAMILIES_H
#define TSR_OPS_FAMILIES_H

#include "ops/ops.h"

#define FAMILY(name) extern const ops_family ops_family_##name;
#include "ops/families.def"
#undef FAMILY

#endif
