/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * roots: to which memory a pointer belongs. Each pointer and view is traced back to where it came
 * from, through offsets, reshapes, views, loops and branches: a parameter, a global or an alloca.
 * What it accesses lies there, or the access is undefined: that an address lies in some buffer does
 * not make it right, for past the end of one buffer lies, perhaps, the next. A pointer without such
 * a root (made from an integer, loaded from memory, one of two) may point anywhere.
 */
#ifndef TSR_IR_ROOTS_H
#define TSR_IR_ROOTS_H

#include "ir/ir.h"

/* IR_ROOT_FIRST + the number of a memory: the parameters, then the module's globals, then the
 * kernel's allocas, each in the order of the program. */
typedef uint32_t ir_root;
enum { IR_ROOT_NONE, IR_ROOT_UNKNOWN, IR_ROOT_FIRST };

typedef struct ir_roots {
  ir_root *of; /* by the value's number, as ir_number_values(entry) gives them */
  uint32_t n_params, n_globals, n_allocas;
} ir_roots;

/* Numbers the values of a kernel of a verified module. Lives in `a`. */
ir_roots ir_find_roots(const ir_module *m, ir_op *entry, arena *a);

static inline ir_root ir_root_of(const ir_roots *r, const ir_value *v) {
  return r->of[v->number];
}
/* The operand of a load, store or atomic that says where it goes. */
static inline ir_value *ir_accessed(const ir_op *op) {
  bool behind_value = op->opcode == OP_store_view_tko || op->opcode == OP_store_global ||
                      op->opcode == OP_tensor_store || op->opcode == OP_tensor_reduce ||
                      op->opcode == OP_bulk_store || op->opcode == OP_atomic_global;
  return ir_operand(op, op->opcode == OP_atomic_cas_global ? 2 : behind_value ? 1 : 0);
}

#endif
