/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * opt/prepare.h: what a backend lowers: a copy of the module that the passes of its level have been
 * over (tsr_module_set_level). The caller's module stays as it is, whatever the lowering does to
 * the copy and wherever it ends, also when memory runs out.
 */
#ifndef TSR_OPT_PREPARE_H
#define TSR_OPT_PREPARE_H

#include "ir/ir.h"

/* What a backend does to the copy before the passes. Reports and returns false when it cannot. It
 * may take no entry away. */
typedef bool (*opt_step)(ir_module *copy);

/* A copy of a verified module with all that its top level has, but of its entries only the n given
 * ones; copies[i] becomes that of entries[i]. `first`, if it isn't NULL, goes before the passes.
 * `views`, if it isn't NULL, leads from each make_tensor_view in the copies to that which it was
 * made from (of the copy's arena). Types, attributes and the source are the original's, which must
 * outlive it. ir_module_destroy frees it. Reports and returns NULL when passes fail; jumps to the
 * guard when memory runs out. */
ir_module *opt_prepare(const ir_module *m, ir_op *const *entries, unsigned n, opt_step first,
                       ir_op **copies, map *views);

/* Whether none of these entries is of the block level (they state no threads). Reports: "@k is of
 * the block level, which WHY". */
bool opt_check_tile_level(const ir_module *m, ir_op *const *entries, unsigned n, const char *why);

#endif
