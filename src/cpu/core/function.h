/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/core/function.h: the function that a kernel becomes: its blocks, its memory on the stack,
 * the module's data, and what it finds in the rt_block that it is called with.
 *
 * Every file that emits branches or memory of its own includes this header.
 */
#ifndef TSR_CPU_CORE_FUNCTION_H
#define TSR_CPU_CORE_FUNCTION_H

#include "cpu/core/core.h"

/* Reports that an operation cannot be compiled. */
void lower_unsupported(lower *l, const ir_op *op, const char *why);
/* Refuses the operation where elements of the type begin within bytes of others. */
bool refuse_shared_bytes(lower *l, const ir_op *op, const ir_type *t);
/* Finds out which memory each pointer belongs to, unless l->roots says so already. */
void lower_find_roots(lower *l);

llblock lower_new_block(lower *l, const char *name);
/* Jumps, and continues emitting there. */
void lower_go(lower *l, llblock to);
/* Memory on the stack, for the whole of the kernel. */
llv lower_alloca(lower *l, LLVMTypeRef type, unsigned align);
/* A constant of the module. */
llv lower_global_bytes(lower *l, const void *data, size_t size, unsigned align);
/* What lies `offset` bytes after `base`. */
llv lower_field(lower *l, LLVMTypeRef type, llv base, size_t offset, const char *name);
/* The address of a function in rt_hooks. */
llv lower_hook(lower *l, unsigned index);

#endif
