/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * memory: loads of what was just stored are the value that was stored; stores that are overwritten
 * before anything can see them go. What stands between may touch other memory (alias.h, order.h).
 * Where several elements of a store may go to one address it is not said which of them is loaded
 * again (collide.h).
 */
#include "opt/collide.h"
#include "opt/opt.h"
#include "opt/order.h"

typedef struct memory {
  opt_run *run;
  const facts *known;
  kernel_order *order;
} memory;

/* Elements of a view's tile that lie outside of it are not stored, and load as padding. */
static bool is_whole(const memory *p, const ir_op *load, const ir_op *store) {
  return alias_is_inside(&p->order->places, load) || alias_is_inside(&p->order->places, store);
}

static void forward(memory *p, ir_op *load) {
  if (load->opcode == OP_load_ptr_tko && ir_operand_in(load, 1)) return; /* a mask */
  order o = order_behind(p->order, load, NULL);
  if (!o.store || !order_is_before(&o, o.store) || !is_whole(p, load, o.store)) return;
  if (!collide_never(p->known, o.store)) return;
  ir_value *value = ir_operand(o.store, o.store->opcode == OP_store_ptr_tko ? 1 : 0);
  rewrite_replace_op(load, (ir_value *[]){value, order_token(load)});
  p->run->changes++;
}

enum { MAX_BETWEEN = 256 };

/* Whether all operations from `op` to the end of its block, or to `end`, are certainly executed,
 * in regions too: nothing leaves, stops or runs for ever. Looks at no more than `left`. */
static bool all_pass(const ir_op *op, const ir_op *end, unsigned *left) {
  for (; op && op != end; op = op->next) {
    bool leaves = ir_row(op)->traits & TRAIT_TERMINATOR && op->opcode != OP_yield &&
                  op->block->parent->opcode == OP_if;
    if (!*left || leaves || op->opcode == OP_assert || op->opcode == OP_loop) return false;
    --*left;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r] && !all_pass(op->regions[r]->first, NULL, left)) return false;
  }
  return op == end;
}

/* Whether the second of two operations of a block is certainly executed when the first is. */
static bool is_reached_from(const ir_op *first, const ir_op *second) {
  unsigned left = MAX_BETWEEN;
  return all_pass(first->next, second, &left);
}

/* What is ordered after the first store and might see it would have been met on the way back from
 * the second, or would be a race with that. */
static void overwrite(memory *p, ir_op *store) {
  if (store->opcode == OP_store_ptr_tko && ir_operand_in(store, 2)) return; /* a mask */
  order o = order_behind(p->order, store, NULL);
  ir_op *first = o.store;
  if (!first || first->block != store->block || !order_is_before(&o, first)) return;
  if (!is_reached_from(first, store)) return;
  ir_value *token = order_token(first);
  if (!token) {
    const ir_type *t = ir_result(first, 0)->type;
    token = ir_result(rewrite_make(p->run->m, first, OP_make_token, t, 0, NULL), 0);
  }
  rewrite_replace_op(first, &token);
  p->run->changes++;
}

static void walk_block(memory *p, ir_block *b, bool loads) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) walk_block(p, op->regions[r], loads);
    if (loads && ir_is_load(op) && order_is_weak(op)) forward(p, op);
    if (!loads && ir_is_store(op) && order_is_weak(op)) overwrite(p, op);
  }
}

/* Loads first: those that are left are all that look at what is stored. */
void opt_memory(opt_run *r) {
  memory p = {.run = r, .known = facts_compute(r->m->op, r->temp)};
  for (ir_op *op = ir_region(r->m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    p.order = order_of_entry(r->m, op, p.known, r->temp);
    walk_block(&p, op->regions[0], true);
    walk_block(&p, op->regions[0], false);
  }
}
