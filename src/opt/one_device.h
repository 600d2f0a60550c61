/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * opt/one_device.h: backends make code for one device, whose copy of memory is the only one: the
 * operations on the copies of several become those on this one (ir/multimem.h).
 */
#ifndef TSR_OPT_ONE_DEVICE_H
#define TSR_OPT_ONE_DEVICE_H

#include "ir/ir.h"

void opt_on_one_device(ir_module *m);

/* Whether none of these entries has an operation on several copies. Reports: "OPERATION WHY". */
bool opt_check_one_device(const ir_module *m, ir_op *const *entries, unsigned n, const char *why);

#endif
