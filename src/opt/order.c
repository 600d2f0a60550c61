/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "opt/order.h"

#include "ir/multimem.h"

bool order_is_weak(const ir_op *access) {
  return ir_int_attr(access, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}
unsigned order_token_group(op_code opcode) {
  return ir_on_one_device(opcode) == OP_load_view_tko ? 2 : 3;
}
ir_value *order_token(const ir_op *access) {
  return ir_operand_in(access, order_token_group((op_code)access->opcode));
}

kernel_order *order_of_entry(const ir_module *m, ir_op *entry, const facts *known, arena *a) {
  kernel_order *k = arena_new(a, kernel_order);
  *k = (kernel_order){.places = alias_compute(m, entry, known, a), .arena = a};
  return k;
}

static const op_list *jumps_of(kernel_order *k, const ir_op *loop) {
  uintptr_t *slot = map_put(k->arena, &k->jumps, (uintptr_t)loop);
  if (!*slot) {
    op_list *jumps = arena_new(k->arena, op_list);
    *jumps = (op_list){0};
    collect_jumps(loop->regions[0], k->arena, jumps);
    *slot = (uintptr_t)jumps;
  }
  return (const op_list *)*slot;
}

typedef struct search {
  kernel_order *kernel;
  const ir_op *access, *loop;
  order *out;
  ir_value *tokens[ORDER_MAX_STEPS]; /* that were met, each once */
  unsigned n, done;
} search;

/* ---- where a token comes from ---------------------------------------------------------------- */

static void follow(search *s, ir_value *token) {
  if (!token) return;
  for (unsigned i = s->n; i-- > 0;)
    if (s->tokens[i] == token) return;
  if (s->n == ORDER_MAX_STEPS)
    s->out->failed = true;
  else
    s->tokens[s->n++] = token;
}

static bool is_within(const ir_block *b, const ir_op *loop) {
  return b == loop->regions[0] || is_inside(b->parent, loop->regions[0]);
}

static void stop_at(search *s, ir_value *token) {
  if (s->out->n == ORDER_MAX_TOKENS || (s->loop && is_within(block_of(token), s->loop)))
    s->out->failed = true;
  else
    s->out->tokens[s->out->n++] = token;
}

/* Of all jumps of a kind that belong to `op`. */
static void follow_jumps(search *s, const ir_op *op, op_code opcode, uint32_t index) {
  const op_list *jumps = jumps_of(s->kernel, op);
  s->out->failed |= jumps->len > ORDER_MAX_STEPS;
  for (uint32_t i = 0; i < jumps->len && !s->out->failed; i++)
    if (jumps->data[i]->opcode == opcode) follow(s, ir_operand(jumps->data[i], index));
}

/* What a loop carries: what it starts with, and what each iteration hands on. */
static void follow_carried(search *s, const ir_op *loop, uint32_t index) {
  follow(s, ir_operand(loop, (loop->opcode == OP_for ? 3 : 0) + index));
  follow_jumps(s, loop, OP_continue, index);
}

static void follow_result(search *s, const ir_op *op, uint32_t index) {
  switch (op->opcode) {
  case OP_for: follow_carried(s, op, index); break;
  case OP_loop: follow_jumps(s, op, OP_break, index); break;
  case OP_if:
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r] && op->regions[r]->last->opcode == OP_yield)
        follow(s, ir_operand(op->regions[r]->last, index));
    break;
  default: s->out->failed = true; break;
  }
}

/* When a loop is asked about, this one is it or in it. Else what a loop around the access carries
 * was there before the access's own iteration. */
static void follow_argument(search *s, ir_value *token) {
  ir_op *loop = token->owner.block->parent;
  uint32_t first = loop->opcode == OP_for;
  bool is_loop = loop->opcode == OP_for || loop->opcode == OP_loop;
  bool through = is_loop && (s->loop || !is_inside(s->access, loop->regions[0]));
  if (through)
    follow_carried(s, loop, token->index - first);
  else
    stop_at(s, token);
}

/* ---- what is done to memory ------------------------------------------------------------------ */

static bool is_apart(const search *s, const ir_op *op) {
  return alias_apart(&s->kernel->places, s->access, op, s->loop ? s->loop->regions[0] : NULL);
}

/* Whether what the access touches is what a store has left behind; where the access is a store, it
 * only has to be the same place. */
static bool settles(const search *s, const ir_op *store) {
  bool masked = store->opcode == OP_store_ptr_tko && ir_operand_in(store, 2);
  return alias_same_place(store, s->access) && !(masked && ir_is_load(s->access)) &&
         is_inside(s->access, store->block);
}

static void follow_access(search *s, ir_op *op, ir_value *token) {
  if (!order_is_weak(op)) {
    stop_at(s, token);
  } else if ((ir_is_load(op) && ir_is_load(s->access)) || is_apart(s, op)) {
    follow(s, order_token(op));
  } else if (ir_is_store(op) && !s->loop && settles(s, op) &&
             (!s->out->store || s->out->store == op)) {
    s->out->store = op;
  } else {
    stop_at(s, token);
  }
}

static void visit(search *s, ir_value *token) {
  ir_op *op = ir_defining_op(token);
  if (s->loop && !is_within(block_of(token), s->loop)) {
    stop_at(s, token);
    return;
  }
  if (!op) {
    follow_argument(s, token);
    return;
  }
  switch (op->opcode) {
  case OP_make_token: break;
  case OP_join_tokens:
    for (uint32_t i = 0; i < op->n_operands; i++) follow(s, ir_operand(op, i));
    break;
  case OP_print_tko: follow(s, ir_operand_in(op, 1)); break;
  case OP_load_ptr_tko:
  case OP_load_view_tko:
  case OP_store_ptr_tko:
  case OP_store_view_tko: follow_access(s, op, token); break;
  case OP_for:
  case OP_loop:
  case OP_if: follow_result(s, op, token->index); break;
  default: stop_at(s, token); break;
  }
}

order order_behind(kernel_order *k, ir_op *access, const ir_op *loop) {
  order out = {0};
  search s;
  s.kernel = k, s.access = access, s.loop = loop, s.out = &out;
  s.n = s.done = 0;
  follow(&s, order_token(access));
  while (s.done < s.n && !out.failed) visit(&s, s.tokens[s.done++]);
  return out;
}

/* ---- before and after ----------------------------------------------------------------------- */

enum { MAX_DISTANCE = 256 };

/* Whether a value was there before `op` was executed. Looks at no more than so many operations. */
static bool is_before(const ir_value *v, const ir_op *op) {
  const ir_block *b = block_of(v);
  while (op && op->block != b) op = op->block ? op->block->parent : NULL;
  if (!op) return false;
  if (v->is_arg) return true;
  unsigned left = MAX_DISTANCE;
  for (op = op->prev; op && left; op = op->prev, left--)
    if (op == v->owner.op) return true;
  return false;
}

bool order_is_before(const order *o, const ir_op *op) {
  if (o->store && o->store != op && !is_before(ir_result(o->store, 0), op)) return false;
  for (uint32_t i = 0; i < o->n; i++)
    if (!is_before(o->tokens[i], op)) return false;
  return !o->failed;
}
