/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/scan.h: scan.
 */
#ifndef TSR_CPU_NEST_SCAN_H
#define TSR_CPU_NEST_SCAN_H

#include "cpu/core/core.h"

void lower_scan(lower *l, ir_op *op);

#endif
