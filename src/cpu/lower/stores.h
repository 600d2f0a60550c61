/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/stores.h: stores of tiles, alone or several in one nest.
 */
#ifndef TSR_CPU_LOWER_STORES_H
#define TSR_CPU_LOWER_STORES_H

#include "cpu/core/core.h"

void lower_store(lower *l, ir_op *op);

#endif
