/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * opt/prepare.h: what a backend lowers: a copy of the module that the passes of its level have been
 * over (tsr_module_set_level). The caller's module stays as it is, whatever the lowering does to
 * the copy and wherever it ends, also when memory runs out.
 */
#ifndef TSR_OPT_PREPARE_H
#define TSR_OPT_PREPARE_H

#include "ir/ir.h"

/* A copy of a verified module with all that its top level has, but of its entries only the n given
 * ones; copies[i] becomes that of entries[i]. `views`, if it isn't NULL, leads from each
 * make_tensor_view in the copies to that which it was made from (of the copy's arena). Types,
 * attributes and the source are the original's, which must outlive it. ir_module_destroy frees it.
 * Reports and returns NULL when passes fail; jumps to the guard when memory runs out. */
ir_module *opt_prepare(const ir_module *m, ir_op *const *entries, unsigned n, ir_op **copies,
                       map *views);

#endif
