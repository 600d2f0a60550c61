/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * order: what tokens say about an access. Accesses of a tile block are ordered by tokens only
 * (docs/debugging.md, "Order"), and two that touch the same memory, of which one writes and that
 * nothing orders, are a race, which is undefined. So a load sees the same as an earlier access to
 * its place if nothing that could change the place is ordered between the two; to know that, it is
 * enough to follow the load's token back.
 */
#ifndef TSR_OPT_ORDER_H
#define TSR_OPT_ORDER_H

#include "opt/alias.h"
#include "opt/rewrite.h"

enum { ORDER_MAX_TOKENS = 16, ORDER_MAX_STEPS = 96 };

/* A kernel, as order_of_entry saw it; what may change in it since then is said in alias.h. No jumps
 * may be added or erased. */
typedef struct kernel_order {
  alias places;
  arena *arena;
  map jumps; /* a loop -> the op_list of its jumps */
} kernel_order;

/* Numbers the entry's values. Lives in `a`. */
kernel_order *order_of_entry(const ir_module *m, ir_op *entry, const facts *known, arena *a);

/* What is behind the token of a weak access, when all that cannot touch its place is taken out of
 * the way: tokens of what may touch it, or of which nothing is known. Tokens without anything
 * after them (make_token, none at all) leave nothing. */
typedef struct order {
  bool failed;  /* it is too much to follow */
  ir_op *store; /* a weak store to the same place, which for a load has no mask; NULL */
  uint32_t n;   /* tokens, each once; that of `store` is not among them */
  ir_value *tokens[ORDER_MAX_TOKENS];
} order;

/* For a weak load or store. What writes ends the search where it may touch the place; for stores
 * so does what reads.
 *
 * `loop` is NULL, or a for or loop around the access whose own order is asked for: of what is
 * after the access in any iteration. Then every token is one from outside of the loop, and values
 * that are computed in the loop are taken to be others in each iteration. */
order order_behind(kernel_order *k, ir_op *access, const ir_op *loop);

/* Whether all that it found (but for `op` itself) was there before `op` was executed, so that
 * nothing of it can be ordered after `op`. */
bool order_is_before(const order *o, const ir_op *op);

/* The token operand of a weak access to pointers or views; NULL. The group it is in. */
ir_value *order_token(const ir_op *access);
unsigned order_token_group(op_code opcode);
bool order_is_weak(const ir_op *access);

#endif
