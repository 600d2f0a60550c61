/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is decided before any code is made.
 *
 * - Every operation gets a position in program order, and every tile the position of the last
 *   root that its expression reaches. A load may be evaluated as late as that.
 * - A tile is *kept* (evaluated once, into a buffer) when it would be evaluated in several nests
 *   and is not cheap, when a loop would evaluate it again and again, or when its expression has
 *   become deep. Everything else stays an expression.
 */
#include "opt/undefined.h"

#include "cpu/plan/plan.h"

#include "cpu/core/notes.h"
#include "cpu/plan/map.h"

enum {
  COST_SIMPLE = 1,
  COST_LOAD = 4,
  COST_SLOW = 8,            /* COST_MEDIUM of the table */
  COST_MATH = 16,           /* COST_EXPENSIVE of the table */
  MATERIALISE_SEVERAL = 12, /* used by several roots */
  MATERIALISE_LOOP = 4,     /* used in a loop that it was not made in */
  MATERIALISE_SHARED = 300, /* used more than once at all: bounds the work of expansion */
  MATERIALISE_DEPTH = 64,
};

typedef struct plan {
  lower *l;
  VEC(ir_op *) ops;   /* in program order */
  VEC(uint32_t) ends; /* position behind the last operation inside ops[i] */
  uint32_t *first;    /* by value: position of the first root that needs it */
  bool *in_loop;      /* by value: needed in a loop that it was not made in */
} plan;

static bool is_loop(const ir_op *op) {
  return op->opcode == OP_for || op->opcode == OP_loop;
}

/* Does the operation make an expression (when its result is more than one element)? */
static bool makes_expression(const ir_op *op) {
  const op_row *row = ir_row(op);
  if (row->traits & TRAIT_ELEMENTWISE || map_applies(op)) return true;
  switch (op->opcode) {
  case OP_constant:
  case OP_iota:
  case OP_cat:
  case OP_insert: return true;
  default: return ir_is_load(op) && ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
  }
}

/* Of an operation that makes an expression. */
static uint32_t own_cost(const ir_op *op) {
  const op_row *row = ir_row(op);
  if (op->opcode == OP_constant) /* other than a splat it is loaded */
    return ir_get_attr(op, ATTR_value)->dense->splat ? 0 : COST_SIMPLE;
  if (op->opcode == OP_offset) return 0; /* goes into the addresses of who accesses memory there */
  switch ((op_cost)row->cost) {
  case COST_FREE: /* what only reads bits as another type is a step of the expression all the same
                   */
    return row->traits & TRAIT_ELEMENTWISE ? COST_SIMPLE : 0;
  case COST_MEDIUM: return COST_SLOW;
  case COST_EXPENSIVE: return COST_MATH;
  case COST_ACCESS: return COST_LOAD;
  default: return COST_SIMPLE;
  }
}

/* ---- order ---------------------------------------------------------------------------------- */

static bool number_op(void *user, ir_op *op) {
  plan *p = user;
  *map_put(p->l->arena, &p->l->plan_order, (uintptr_t)op) = p->ops.len;
  vec_push(p->l->arena, p->ops, op);
  return true;
}

uint32_t plan_order_of(lower *l, const ir_op *op) {
  return (uint32_t)*map_get(&l->plan_order, (uintptr_t)op);
}

static void find_ends(plan *p) {
  for (uint32_t i = 0; i < p->ops.len; i++) vec_push(p->l->arena, p->ends, i + 1);
  /* Backwards, each operation extends the one that contains it. */
  for (uint32_t i = p->ops.len; i-- > 1;) {
    uint32_t parent = plan_order_of(p->l, p->ops.data[i]->block->parent);
    if (p->ends.data[i] > p->ends.data[parent]) p->ends.data[parent] = p->ends.data[i];
  }
}

/* ---- stores that may share a nest -------------------------------------------------------------
 */

bool plan_touches_nothing(const ir_op *op) {
  if (ir_row(op)->traits & TRAIT_ELEMENTWISE || map_applies(op)) return true;
  switch (op->opcode) {
  case OP_constant:
  case OP_iota:
  case OP_cat:
  case OP_reduce:
  case OP_make_token:
  case OP_join_tokens: return true;
  default: return false;
  }
}

static bool is_weak_store(const ir_op *op) {
  return (op->opcode == OP_store_ptr_tko || op->opcode == OP_store_view_tko) &&
         ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

/* The next store that may share the nest of this one; NULL: there is none. A reduction comes in
 * between only where a store waits for it (lower/lower.c). */
static const ir_op *next_of_nest(const ir_op *store) {
  const ir_op *op = store->next;
  while (op && op->opcode != OP_reduce && plan_touches_nothing(op)) op = op->next;
  if (!op || !is_weak_store(op)) return NULL;
  return stored_value(store)->type->count == stored_value(op)->type->count ? op : NULL;
}

static void find_stores_of_nest(plan *p, const ir_op *first) {
  enum { MOST = 8 };
  lower *l = p->l;
  const ir_op *stores[MOST] = {first};
  unsigned n = 1;
  if (!is_weak_store(first) || map_get(&l->last_stores, (uintptr_t)first)) return;
  if (stored_value(first)->type->count == 1) return;
  for (const ir_op *next; n < MOST && (next = next_of_nest(stores[n - 1])); n++) stores[n] = next;
  for (unsigned i = 0; i < n; i++)
    *map_put(l->arena, &l->last_stores, (uintptr_t)stores[i]) = (uintptr_t)stores[n - 1];
}

const ir_op *plan_last_store(lower *l, const ir_op *store) {
  const uintptr_t *last = map_get(&l->last_stores, (uintptr_t)store);
  return last ? (const ir_op *)*last : store;
}

/* ---- uses ----------------------------------------------------------------------------------- */

static ir_block *home(const ir_value *v) {
  return v->is_arg ? v->owner.block : v->owner.op->block;
}

/* `user` needs operand v at positions first … last. */
static void note_use(plan *p, ir_op *user, ir_value *v, uint32_t first, uint32_t last) {
  value *x = value_of(p->l, v);
  for (ir_op *up = user; up->block != home(v); up = up->block->parent) {
    ir_op *parent = up->block->parent;
    if (parent == p->l->entry) break;
    if (!is_loop(parent)) continue;
    uint32_t end = p->ends.data[plan_order_of(p->l, parent)];
    if (end > last) last = end; /* the next iteration needs it again */
    p->in_loop[v->number] = true;
  }
  if (last > x->last) x->last = last;
  if (first < p->first[v->number]) p->first[v->number] = first;
}

static void find_uses(plan *p) {
  for (uint32_t i = p->ops.len; i-- > 0;) {
    ir_op *op = p->ops.data[i];
    uint32_t first = plan_order_of(p->l, plan_last_store(p->l, op)), last = first;
    if (makes_expression(op) && op->n_results && ir_result(op, 0)->type->kind == IR_TILE &&
        ir_result(op, 0)->type->count > 1) {
      value *r = value_of(p->l, ir_result(op, 0));
      last = r->last;
      first = p->first[ir_result(op, 0)->number];
      if (first == UINT32_MAX) first = i;
    }
    for (uint32_t k = 0; k < op->n_operands; k++) note_use(p, op, ir_operand(op, k), first, last);
    for (uint32_t k = 0; k < op->n_results; k++) value_of(p->l, ir_result(op, k))->order = i;
  }
}

/* ---- what is kept --------------------------------------------------------------------------- */

static bool is_integer(const ir_type *t) {
  return t->kind == IR_TILE && (tsr_elem_is_int(t->elem) || t->elem == TSR_PTR) &&
         t->elem != TSR_I1;
}

/* Where it would be evaluated again. */
static bool is_worth_keeping(plan *p, const ir_value *v, const value *x) {
  bool several = p->first[v->number] < x->last && x->cost >= MATERIALISE_SEVERAL;
  bool again = p->in_loop[v->number] && x->cost >= MATERIALISE_LOOP;
  return is_on(p->l, PATTERN_KEEP_TILES) && (several || again);
}

static void decide(plan *p, ir_op *op) {
  if (!op->n_results || !makes_expression(op)) return;
  ir_value *r = ir_result(op, 0);
  if (r->type->kind != IR_TILE || r->type->count == 1) return;
  value *x = value_of(p->l, r);
  uint64_t cost = own_cost(op);
  x->heavy = cost >= COST_MATH;
  unsigned depth = 1;
  for (uint32_t k = 0; k < op->n_operands; k++) {
    value *y = value_of(p->l, ir_operand(op, k));
    cost += y->cost;
    if (y->depth + 1u > depth) depth = y->depth + 1u;
  }
  x->cost = (uint32_t)MIN(cost, 1u << 20);
  x->depth = (uint16_t)depth;
  bool shared = r->uses && !ir_has_one_use(r), worth = is_worth_keeping(p, r, x);
  x->materialise = worth || (shared && x->cost >= MATERIALISE_SHARED) || depth >= MATERIALISE_DEPTH;
  /* Tiles of addresses and of indices that are linear cost nothing again. */
  if (x->materialise && is_integer(r->type) && x->cost < MATERIALISE_SHARED &&
      depth < MATERIALISE_DEPTH &&
      (op->opcode == OP_addi || op->opcode == OP_muli || op->opcode == OP_subi ||
       op->opcode == OP_offset || op->opcode == OP_exti))
    x->materialise = x->cost >= COST_SLOW + MATERIALISE_LOOP;
  if (x->materialise && worth)
    NOTE_MATCH(p->l, KEEP_TILES, .value = r, .n = {p->in_loop[r->number]});
  if (x->materialise) {
    x->cost = COST_SIMPLE;
    x->depth = 1;
  }
}

/* ---- what comes before loops ---------------------------------------------------------------- */

/* Does it say where something is, and cost nothing but a few scalars? */
static bool is_place(const ir_op *op) {
  const ir_type *t = op->n_results == 1 ? ir_result(op, 0)->type : NULL;
  if (!t || t->kind == IR_TOKEN) return false;
  if (op->opcode == OP_make_tensor_view) return true; /* notes a shape, whatever it is */
  if (!is_speculatable(op)) return false;
  if (t->kind != IR_TILE) return true; /* a view */
  if (tsr_elem_is_float((tsr_elem)t->elem)) return false;
  if (t->count == 1)
    return ir_row(op)->traits & TRAIT_ELEMENTWISE || op->opcode == OP_constant ||
           op->opcode == OP_assume;
  switch (op->opcode) {
  case OP_iota:
  case OP_constant:
  case OP_reshape:
  case OP_broadcast:
  case OP_assume:
  case OP_addi:
  case OP_subi:
  case OP_muli:
  case OP_cmpi:
  case OP_andi:
  case OP_exti:
  case OP_offset: return true;
  default: return false;
  }
}

/* What says where the result of a loop goes, and doesn't need the loop, comes before it: then the
 * loop knows how much of its result counts and where that is wanted. */
static void bring_forward(lower *l, ir_op *loop) {
  map behind = {0};
  int64_t moved = 0;
  *map_put(l->arena, &behind, (uintptr_t)loop) = 1;
  for (ir_op *op = loop->next, *next; op; op = next) {
    next = op->next;
    bool moves = is_place(op);
    for (uint32_t i = 0; moves && i < op->n_operands; i++) {
      const ir_op *of = ir_defining_op(ir_operand(op, i));
      moves = !of || !map_get(&behind, (uintptr_t)of);
    }
    if (moves) {
      ir_op_unlink(op);
      ir_op_insert_before(loop, op);
      moved++;
    } else {
      *map_put(l->arena, &behind, (uintptr_t)op) = 1;
    }
  }
  if (moved) NOTE_MATCH(l, HOIST_PLACES, .op = loop, .n = {moved});
}

/* Inner loops follow. Only the first of a block: what is behind others hasn't moved in front of it.
 */
static void order_places(lower *l, ir_block *b) {
  bool first = true;
  for (ir_op *op = b->first; op; op = op->next) {
    if (is_loop(op) && first) {
      bring_forward(l, op);
      first = false;
    }
    for (unsigned k = 0; k < op->n_regions; k++)
      if (op->regions[k]) order_places(l, op->regions[k]);
  }
}

void plan_places(lower *l) {
  if (!l->options->checks && is_on(l, PATTERN_HOIST_PLACES))
    order_places(l, ir_region(l->entry, 0));
}

ir_value *stored_value(const ir_op *store) {
  return ir_operand_in(store, store->opcode == OP_store_view_tko ? 0 : 1);
}

void plan_kernel(lower *l) {
  plan p = {.l = l};
  ir_walk(l->entry, number_op, &p);
  find_ends(&p);
  if (is_on(l, PATTERN_STORE_TOGETHER) && is_on(l, PATTERN_NEST_FUSION) && !l->options->checks)
    for (uint32_t i = 0; i < p.ops.len; i++) find_stores_of_nest(&p, p.ops.data[i]);
  p.first = arena_array(l->arena, uint32_t, l->n_values);
  p.in_loop = arena_array(l->arena, bool, l->n_values);
  for (uint32_t i = 0; i < l->n_values; i++) {
    p.first[i] = UINT32_MAX;
    p.in_loop[i] = false;
  }
  find_uses(&p);
  for (uint32_t i = 0; i < p.ops.len; i++) decide(&p, p.ops.data[i]);
}

static bool changes_no_memory(void *user, ir_op *op) {
  (void)user;
  return !ir_is_store(op) && !ir_is_atomic(op);
}

bool plan_writes(const ir_op *op) {
  return !ir_walk((ir_op *)op, changes_no_memory, NULL);
}

/* ---- loop-carried tiles that only move ------------------------------------------------------ */

ir_value *plan_uniform(ir_value *v) {
  for (unsigned i = 0; i < MATERIALISE_DEPTH; i++) {
    if (v->type->kind != IR_TILE) return NULL;
    if (v->type->count == 1) return v;
    ir_op *op = ir_defining_op(v);
    if (!op) return NULL;
    switch (op->opcode) {
    case OP_constant: return ir_get_attr(op, ATTR_value)->dense->splat ? v : NULL;
    case OP_broadcast:
    case OP_reshape:
    case OP_permute:
    case OP_assume: v = ir_operand(op, 0); break;
    default: return NULL;
    }
  }
  return NULL;
}

bool plan_shift(lower *l, ir_value *arg, ir_value *next, shift_terms *out) {
  for (unsigned i = 0; i < MATERIALISE_DEPTH; i++) {
    if (next == arg) return true;
    ir_op *op = ir_defining_op(next);
    if (!op) return false;
    if (op->opcode == OP_assume) {
      next = ir_operand(op, 0);
      continue;
    }
    if (op->opcode != OP_addi && op->opcode != OP_subi && op->opcode != OP_offset) return false;
    ir_value *x = ir_operand(op, 0), *y = ir_operand(op, 1);
    ir_value *u = plan_uniform(y);
    if (!u && op->opcode == OP_addi) {
      u = plan_uniform(x);
      x = y;
    }
    if (!u) return false;
    if (out)
      vec_push(l->arena, *out,
               (shift_term){.value = u, .op = op, .negative = op->opcode == OP_subi});
    next = x;
  }
  return false;
}

typedef struct jump_check {
  lower *l;
  ir_op *loop;
  unsigned index;
  bool ok;
} jump_check;

static ir_op *jump_target(const ir_op *jump) {
  ir_op *up = jump->block->parent;
  while (up->opcode == OP_if) up = up->block->parent;
  return up;
}

static bool check_jump(void *user, ir_op *op) {
  jump_check *c = user;
  if (op->opcode != OP_continue || jump_target(op) != c->loop) return true;
  ir_block *body = ir_region(c->loop, 0);
  ir_value *arg = &body->args[c->index + (c->loop->opcode == OP_for)];
  c->ok = plan_shift(c->l, arg, ir_operand(op, c->index), NULL);
  return c->ok;
}

bool loop_shifts(lower *l, ir_op *loop, unsigned index) {
  ir_block *body = ir_region(loop, 0);
  const ir_type *t = body->args[index + (loop->opcode == OP_for)].type;
  if (!is_integer(t) || t->count == 1) return false;
  jump_check c = {.l = l, .loop = loop, .index = index, .ok = true};
  ir_walk(loop, check_jump, &c);
  return c.ok;
}

bool for_same_rounds(const ir_op *a, const ir_op *b) {
  for (uint32_t i = 0; i < 3; i++)
    if (ir_operand(a, i) != ir_operand(b, i)) return false;
  return ir_int_attr(a, ATTR_unsignedCmp) == ir_int_attr(b, ATTR_unsignedCmp);
}
