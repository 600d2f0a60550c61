/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * links: whether the pointers between blocks, operations, values and uses agree with each other.
 * They do whatever program a module holds, unless a pass has broken them; the rules of the language
 * are ir/verify.h's.
 */
#ifndef TSR_IR_LINKS_H
#define TSR_IR_LINKS_H

#include "ir/ir.h"

/* What does not agree, of any operation in the module; NULL: all does. */
const char *ir_links_problem(const ir_module *m);

#endif
