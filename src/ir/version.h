/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * version: which version of the language (ir_version) something needs. The verifier holds a program
 * to the version it is to be in (ir_module.language), the bytecode writer refuses what the version
 * it writes does not have.
 */
#ifndef TSR_IR_VERSION_H
#define TSR_IR_VERSION_H

#include "ir/ir.h"
#include "num/num.h"

/* What Tessera's extensions need: more than any version. */
enum { IN_NO_VERSION = 255 };

unsigned ir_elem_since(tsr_elem elem);
unsigned ir_type_since(const ir_type *t);

/* The operation as such, where it stands; its attributes and types aside. */
unsigned ir_op_since(const ir_op *op);
/* What attribute `slot` says. 0 when it says nothing: it is absent, or what its absence means. */
unsigned ir_attr_since(const ir_op *op, unsigned slot);

/* Whether an AK_BOOLS list (NULL: all false) has a true entry. */
bool ir_any_true(const ir_ints *list);

/* Whether every value of one float type is one of the other, so that ftof never rounds. */
bool ir_ftof_is_widening(tsr_elem from, tsr_elem to);

#endif
