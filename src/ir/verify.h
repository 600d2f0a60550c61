/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * verify: the rules of the language. Generic rules follow from the operation table (operand counts
 * and types, attributes, parents, terminators, regions, matching types and shapes, values used
 * where they are visible); an operation's own rules are one small function each.
 */
#ifndef TSR_IR_VERIFY_H
#define TSR_IR_VERIFY_H

#include "ir/ir.h"

/* Checks the whole module; reports every violation (at most one per operation, up to the context's
 * error limit). Sets m->verified and returns true when there is none. */
bool ir_verify(ir_module *m);

/* A kernel may declare parameters that no launch can give: views, tokens. Reports the first of them
 * and returns false. Whoever compiles a kernel asks first; after it, parameters are tiles of
 * rank 0. */
bool ir_check_parameters(const ir_module *m, const ir_op *entry);

/* Whether a value of the type may be an operand or a result of which the table says this. */
bool ir_type_fits(const ir_type *t, const constraint_row *c);

/* Whether a module consists of the language alone. Reports the first thing in it that exists in
 * tests only (see ops_testing.def) and returns false: no engine takes it, and no bytecode can hold
 * it. */
bool ir_check_language(const ir_module *m);

/* Whether no kernel of the module is of the block level. Reports the first one that is and returns
 * false: "@gemm is of the block level, which <why>". */
bool ir_check_tile_level(const ir_module *m, const char *why);

/* The signature of an operation's own rules: reports and returns false, or returns true. Called
 * only when the generic rules hold, so operands, results and attributes are as the row says. */
typedef bool (*ir_verify_fn)(const ir_module *m, const ir_op *op);

#endif
