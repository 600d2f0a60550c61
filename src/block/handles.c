/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handles that meet in a loop or a branch are a class: those that it takes, hands on and gives. The
 * allocations that they are parts of become one with a further dimension, of mbarriers a longer
 * array. Then a part of it is told by where it begins along the dimensions of which it has not all,
 * a barrier by its index, and a tensor map by the operands of its view; these are handed on.
 */
#include "block/handles.h"

#include "block/parts.h"
#include "ir/block/layouts.h"
#include "opt/rewrite.h"

typedef VEC(ir_value *) value_list;
typedef VEC(const ir_type *) type_list;

typedef struct class {
  value_list allocs; /* what alloc_shared or alloc_mbarrier gives */
  ir_value *whole;   /* all of them */
  const ir_op *view; /* of a tensor map: one of its views */
  bool carried;
} class;

/* An mbarrier: all of an array, or those from `base` on. */
typedef struct barrier_place {
  ir_value *all, *base; /* NULL: 0 */
} barrier_place;

/* What a loop or branch hands on; NULL for what is no handle. */
typedef struct handed {
  class **args, **results;
} handed;

typedef struct resolver {
  block_lowering *x;
  uint32_t *parent; /* by ir_value.number: sets of handles that meet */
  ir_value **values;
  uint32_t n;
  class **classes; /* by the number of a set's representative */
  map places;      /* ir_value * -> barrier_place * */
  map handed;      /* ir_op * -> handed * */
  VEC(ir_op *) old;
  bool failed;
} resolver;

/* In a cluster another tile block's are none until all of it is one program. */
static bool is_handle(const ir_value *v) {
  if (v->type->remote) return false;
  return v->type->kind == IR_SHARED || v->type->kind == IR_MBARRIER ||
         v->type->kind == IR_TENSOR_MAP;
}

/* The handle that another is a part of. */
static ir_value *origin(ir_value *v) {
  const ir_op *made = ir_defining_op(v);
  while (made && (made->opcode == OP_subview || made->opcode == OP_permute_view)) {
    v = ir_operand(made, 0);
    made = ir_defining_op(v);
  }
  return v;
}

/* ---- which handles meet --------------------------------------------------------------------- */

static uint32_t find(resolver *r, uint32_t k) {
  while (r->parent[k] != k) k = r->parent[k] = r->parent[r->parent[k]];
  return k;
}

static void meet(resolver *r, ir_value *to, ir_value *from) {
  if (!is_handle(to)) return;
  uint32_t a = find(r, to->number), b = find(r, origin(from)->number);
  r->parent[a] = b;
}

static void meet_all(resolver *r, ir_value *to, const ir_use *from, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) meet(r, &to[i], from[i].value);
}

static bool is_loop(const ir_op *op) {
  return op->opcode == OP_for || op->opcode == OP_loop;
}

/* What a loop begins with; the arguments of its body that become it follow the counter's. */
static ir_use *inits_of(ir_op *op, uint32_t *n) {
  return ir_operand_group(op, op->opcode == OP_for ? 3 : 0, n);
}

static ir_value *args_of(const ir_op *loop) {
  return ir_region(loop, 0)->args + (loop->opcode == OP_for);
}

static void note_value(resolver *r, ir_value *v) {
  r->values[v->number] = v;
}

static bool note_op(void *user, ir_op *op) {
  resolver *r = user;
  for (uint32_t i = 0; i < op->n_results; i++) note_value(r, &op->results[i]);
  for (unsigned k = 0; k < op->n_regions; k++)
    for (uint32_t i = 0; op->regions[k] && i < op->regions[k]->n_args; i++)
      note_value(r, &op->regions[k]->args[i]);
  return true;
}

static bool meet_in(void *user, ir_op *op) {
  resolver *r = user;
  uint32_t n;
  if (is_loop(op)) {
    ir_use *first = inits_of(op, &n);
    meet_all(r, args_of(op), first, n);
    for (uint32_t i = 0; op->opcode == OP_for && i < n; i++)
      meet(r, &op->results[i], &args_of(op)[i]);
  } else if (op->opcode == OP_continue) {
    meet_all(r, args_of(jump_target(op)), op->operands, op->n_operands);
  } else if (op->opcode == OP_break) {
    meet_all(r, jump_target(op)->results, op->operands, op->n_operands);
  } else if (op->opcode == OP_yield && op->block->parent->opcode == OP_if) {
    meet_all(r, op->block->parent->results, op->operands, op->n_operands);
  }
  return true;
}

static class *class_of(resolver *r, ir_value *v) {
  if (!is_handle(v)) return NULL;
  class **c = &r->classes[find(r, v->number)];
  if (!*c) *c = arena_new(r->x->arena, class);
  return *c;
}

/* Whether control flow gives it. */
static bool is_carried(const ir_value *v) {
  const ir_op *made = ir_defining_op(v);
  return !made || is_loop(made) || made->opcode == OP_if;
}

static void sort_value(resolver *r, ir_value *v) {
  const ir_op *made = ir_defining_op(v);
  class *c = class_of(r, v);
  if (!c) return;
  c->carried |= is_carried(v);
  if (made && (made->opcode == OP_alloc_shared || made->opcode == OP_alloc_mbarrier))
    vec_push(r->x->arena, c->allocs, v);
  if (made && made->opcode == OP_make_tensor_map) {
    const ir_value *view = ir_operand(made, 0);
    while (ir_defining_op(view)->opcode == OP_assume) view = ir_operand(ir_defining_op(view), 0);
    c->view = ir_defining_op(view);
  }
}

/* ---- one allocation ------------------------------------------------------------------------- */

static void fail(resolver *r, const ir_op *op, const char *why) {
  if (!r->failed)
    ir_error(r->x->m, op, "%s, which is not compiled for CPUs yet; the target interp runs it", why);
  r->failed = true;
}

static bool is_freed(const ir_value *v) {
  for (const ir_use *u = v->uses; u; u = u->next)
    if (u->user->opcode == OP_free_shared) return true;
  return false;
}

/* All are there from the kernel's beginning to its end, and alike. */
static bool can_join(resolver *r, const class *c) {
  const ir_value *first = c->allocs.data[0];
  for (uint32_t i = 0; i < c->allocs.len; i++) {
    const ir_value *v = c->allocs.data[i];
    const ir_op *made = ir_defining_op(v);
    if (made->block == ir_region(r->x->entry, 0) && v->type == first->type && !is_freed(v))
      continue;
    fail(r, made,
         "a loop or a branch hands on parts of this and of another allocation, and they have not "
         "one type, or end before the kernel does");
    return false;
  }
  return true;
}

static const ir_type *joined_type(resolver *r, const ir_type *t, uint32_t n) {
  tsr_memory_layout l = *t->memory;
  int64_t period = ir_memory_period(t->memory), extent = ir_memory_extent(t->memory);
  memmove(l.size + 1, l.size, l.modes * sizeof *l.size);
  memmove(l.stride + 1, l.stride, l.modes * sizeof *l.stride);
  memmove(l.dim_modes + 1, l.dim_modes, l.rank * sizeof *l.dim_modes);
  l.size[0] = (int32_t)n;
  l.stride[0] = (extent + period - 1) / period * period;
  l.dim_modes[0] = 1;
  l.modes++;
  l.rank++;
  return ir_shared(r->x->m, (tsr_elem)t->elem, &l);
}

static ir_value *number(resolver *r, ir_op *at, uint64_t n) {
  return rewrite_splat(r->x->m, at, ir_scalar(r->x->m, TSR_I32), n);
}

static void set_place(resolver *r, const ir_value *v, ir_value *all, ir_value *base) {
  barrier_place *p = arena_new(r->x->arena, barrier_place);
  *p = (barrier_place){all, base};
  *map_put(r->x->arena, &r->places, (uintptr_t)v) = (uintptr_t)p;
}

static void join_barriers(resolver *r, class *c, ir_op *at) {
  int64_t each = c->allocs.data[0]->type->count;
  const ir_type *t = ir_mbarrier(r->x->m, each * c->allocs.len);
  c->whole = ir_result(rewrite_make(r->x->m, at, OP_alloc_mbarrier, t, 0, NULL), 0);
  for (uint32_t i = 0; i < c->allocs.len; i++) {
    set_place(r, c->allocs.data[i], c->whole, number(r, at, (uint64_t)each * i));
    vec_push(r->x->arena, r->old, ir_defining_op(c->allocs.data[i]));
  }
}

static void join_memory(resolver *r, class *c, ir_op *at) {
  const ir_type *own = c->allocs.data[0]->type, *t = joined_type(r, own, c->allocs.len);
  ir_op *made = rewrite_make(r->x->m, at, OP_alloc_shared, t, 0, NULL);
  rewrite_copy_attrs(made, at);
  c->whole = ir_result(made, 0);
  for (uint32_t i = 0; i < c->allocs.len; i++) {
    ir_value *operands[] = {c->whole, number(r, at, i)};
    ir_value *own_part = ir_result(rewrite_make(r->x->m, at, OP_subview, own, 2, operands), 0);
    ir_op *old = ir_defining_op(c->allocs.data[i]);
    rewrite_replace_value(c->allocs.data[i], own_part);
    vec_push(r->x->arena, r->old, old);
  }
}

/* The first of them in the program: the numbers of values grow with it. */
static void join(resolver *r, class *c) {
  if (!c->carried || !c->allocs.len) return;
  c->whole = c->allocs.data[0];
  bool barriers = c->whole->type->kind == IR_MBARRIER;
  if (c->allocs.len == 1) {
    if (barriers) set_place(r, c->whole, c->whole, NULL);
    return;
  }
  if (!can_join(r, c)) return;
  ir_op *at = ir_defining_op(c->whole);
  if (barriers)
    join_barriers(r, c, at);
  else
    join_memory(r, c, at);
}

/* ---- numbers in place of handles ------------------------------------------------------------ */

/* The part begins anywhere along the dimensions of which it has not all. */
static bool is_open(const class *c, const ir_type *t, unsigned d) {
  const ir_type *whole = c->whole->type;
  unsigned gone = whole->rank - t->rank;
  return d < gone || t->shape[d - gone] != whole->shape[d];
}

static void add_types(resolver *r, const class *c, const ir_type *t, type_list *out) {
  const ir_type *i32 = ir_scalar(r->x->m, TSR_I32);
  arena *a = r->x->arena;
  if (t->kind == IR_SHARED)
    for (unsigned d = 0; d < c->whole->type->rank; d++) {
      if (is_open(c, t, d)) vec_push(a, *out, i32);
    }
  else if (t->kind == IR_MBARRIER && c->allocs.len > 1)
    vec_push(a, *out, i32);
  for (uint32_t k = 0; t->kind == IR_TENSOR_MAP && k < c->view->n_operands; k++)
    vec_push(a, *out, ir_operand(c->view, k)->type);
}

static ir_value *add(resolver *r, ir_op *at, ir_value *a, ir_value *b) {
  ir_value *operands[] = {a, b};
  return ir_result(rewrite_make(r->x->m, at, OP_addi, a->type, 2, operands), 0);
}

/* The sum of where a part of a part begins. */
static ir_value *start_of(resolver *r, const struct part_dim *dim, ir_op *at) {
  ir_value *start = dim->n ? dim->start[0] : number(r, at, 0);
  for (unsigned i = 1; i < dim->n; i++) start = add(r, at, start, dim->start[i]);
  return start;
}

/* Dimensions of the allocation that the part has are its last ones, in their order. */
static bool is_in_order(const part *p) {
  for (unsigned i = 0; i < p->own_rank; i++)
    if (p->of[i] != p->rank - p->own_rank + i) return false;
  return true;
}

static void add_part(resolver *r, const class *c, const ir_value *v, ir_op *at, value_list *out) {
  part p;
  if (!c->whole || !part_of(v, &p) || p.root != ir_defining_op(c->whole) || !is_in_order(&p)) {
    fail(r, at,
         "it hands on shared memory that is not known to be a part of one allocation, or is a part "
         "of a part of more than 4, or turned");
    return;
  }
  for (unsigned d = 0; d < p.rank; d++)
    if (is_open(c, v->type, d)) vec_push(r->x->arena, *out, start_of(r, &p.dim[d], at));
}

static const ir_op *view_under(const ir_value *map_value) {
  const ir_op *op = ir_defining_op(ir_operand(ir_defining_op(map_value), 0));
  while (op->opcode == OP_assume) op = ir_defining_op(ir_operand(op, 0));
  return op;
}

static void add_view(resolver *r, const class *c, const ir_value *v, ir_op *at, value_list *out) {
  const ir_op *view = view_under(v);
  if (ir_result(view, 0)->type != ir_result(c->view, 0)->type) {
    fail(r, at, "it hands on tensor maps of views whose types differ");
    return;
  }
  for (uint32_t k = 0; k < view->n_operands; k++) vec_push(r->x->arena, *out, ir_operand(view, k));
}

/* What is handed on for a value; `c` NULL: itself. */
static void add_numbers(resolver *r, const class *c, ir_value *v, ir_op *at, value_list *out) {
  const barrier_place *p = map_ptr(&r->places, v);
  if (!c)
    vec_push(r->x->arena, *out, v);
  else if (v->type->kind == IR_SHARED)
    add_part(r, c, v, at, out);
  else if (v->type->kind == IR_TENSOR_MAP)
    add_view(r, c, v, at, out);
  else if (c->allocs.len > 1)
    vec_push(r->x->arena, *out, p->base);
}

/* ---- handles made of numbers ---------------------------------------------------------------- */

static ir_value *part_from(resolver *r, const class *c, const ir_type *t, ir_op *at,
                           ir_value **next) {
  ir_value *operands[1 + TSR_LAYOUT_MAX_RANK] = {c->whole};
  unsigned rank = c->whole->type->rank, open = 0;
  for (unsigned d = 0; d < rank; d++) open += is_open(c, t, d);
  if (!open) return c->whole;
  for (unsigned d = 0; d < rank; d++)
    operands[1 + d] = is_open(c, t, d) ? (*next)++ : number(r, at, 0);
  return ir_result(rewrite_make(r->x->m, at, OP_subview, t, 1 + rank, operands), 0);
}

static ir_value *map_from(resolver *r, const class *c, const ir_type *t, ir_op *at,
                          ir_value **next) {
  value_map same = {.arena = r->x->arena};
  ir_op *view = rewrite_clone_shell(r->x->m, c->view, &same);
  for (uint32_t k = 0; k < view->n_operands; k++) ir_set_operand(view, k, (*next)++);
  ir_op_insert_before(at, view);
  ir_value *v = ir_result(view, 0);
  return ir_result(rewrite_make(r->x->m, at, OP_make_tensor_map, t, 1, &v), 0);
}

/* `from` becomes what the values from `*next` on say, in front of `at`. */
static void bind(resolver *r, const class *c, ir_value *from, ir_op *at, ir_value **next) {
  if (!c)
    rewrite_replace_value(from, (*next)++);
  else if (from->type->kind == IR_SHARED)
    rewrite_replace_value(from, part_from(r, c, from->type, at, next));
  else if (from->type->kind == IR_TENSOR_MAP)
    rewrite_replace_value(from, map_from(r, c, from->type, at, next));
  else
    set_place(r, from, c->whole, c->allocs.len > 1 ? (*next)++ : NULL);
}

/* ---- control flow --------------------------------------------------------------------------- */

static class **classes_of(resolver *r, ir_value *values, uint32_t n) {
  class **list = arena_array(r->x->arena, class *, MAX(n, 1));
  for (uint32_t i = 0; i < n; i++) list[i] = class_of(r, &values[i]);
  return list;
}

static bool has_handles(const ir_value *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (is_handle(&values[i])) return true;
  return false;
}

static bool hands_on(ir_op *op) {
  uint32_t n = 0;
  if (is_loop(op)) inits_of(op, &n);
  return (is_loop(op) || op->opcode == OP_if) &&
         (has_handles(op->results, op->n_results) || (n && has_handles(args_of(op), n)));
}

static void move_body(resolver *r, ir_op *op, ir_op *copy, unsigned region, const handed *h) {
  ir_block *from = op->regions[region];
  type_list types = {0};
  unsigned first = op->opcode == OP_for;
  for (uint32_t i = 0; i < from->n_args; i++)
    if (i >= first && h->args[i - first])
      add_types(r, h->args[i - first], from->args[i].type, &types);
    else
      vec_push(r->x->arena, types, from->args[i].type);
  ir_block *to = ir_region_create(r->x->m, copy, region, types.len, types.data);
  for (ir_op *inner = from->first, *next; inner; inner = next) {
    next = inner->next;
    ir_op_unlink(inner);
    ir_op_append(to, inner);
  }
  ir_op *at = to->first;
  ir_value *next = to->args;
  for (uint32_t i = 0; i < from->n_args; i++)
    bind(r, i >= first ? h->args[i - first] : NULL, &from->args[i], at, &next);
}

/* The same operation with numbers in place of handles. */
static ir_op *expand(resolver *r, ir_op *op) {
  handed *h = arena_new(r->x->arena, handed);
  value_list operands = {0};
  type_list types = {0};
  unsigned groups = op_n_operands(ir_row(op)), own = op->opcode == OP_for ? 3 : 0;
  uint32_t *segments = arena_array(r->x->arena, uint32_t, MAX(groups, 1)), at = 0, n = 0;
  if (is_loop(op)) inits_of(op, &n);
  h->args = classes_of(r, n ? args_of(op) : NULL, n);
  h->results = classes_of(r, op->results, op->n_results);
  for (unsigned g = 0; g < groups && !r->failed; g++) {
    uint32_t before = operands.len;
    for (uint32_t k = 0; k < op->segments[g]; k++)
      add_numbers(r, n && g == own ? h->args[k] : NULL, ir_operand(op, at++), op, &operands);
    segments[g] = operands.len - before;
  }
  if (r->failed) return op;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (h->results[i])
      add_types(r, h->results[i], op->results[i].type, &types);
    else
      vec_push(r->x->arena, types, op->results[i].type);
  ir_op *copy = ir_op_create(r->x->m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                                    .loc = op->loc,
                                                    .n_operands = operands.len,
                                                    .operands = operands.data,
                                                    .segments = segments,
                                                    .n_results = types.len,
                                                    .result_types = types.data,
                                                    .n_regions = op->n_regions});
  rewrite_copy_attrs(copy, op);
  ir_op_insert_before(op, copy);
  *map_put(r->x->arena, &r->handed, (uintptr_t)copy) = (uintptr_t)h;
  for (unsigned k = 0; k < op->n_regions; k++)
    if (op->regions[k]) move_body(r, op, copy, k, h);
  ir_value *next = copy->results;
  for (uint32_t i = 0; i < op->n_results; i++)
    bind(r, h->results[i], &op->results[i], op, &next); /* in front of the old one, which goes */
  vec_push(r->x->arena, r->old, op);
  return copy;
}

/* What a jump hands on; NULL: no handles. */
static class **handed_by(resolver *r, const ir_op *op) {
  bool loop = op->opcode == OP_continue;
  if (op->opcode != OP_continue && op->opcode != OP_break && op->opcode != OP_yield) return NULL;
  const ir_op *to = op->opcode == OP_yield ? op->block->parent : jump_target(op);
  const handed *h = map_ptr(&r->handed, to);
  return !h ? NULL : loop ? h->args : h->results;
}

static void expand_jump(resolver *r, ir_op *op, class **classes) {
  value_list operands = {0};
  for (uint32_t k = 0; k < op->n_operands && !r->failed; k++)
    add_numbers(r, classes[k], ir_operand(op, k), op, &operands);
  if (r->failed) return;
  ir_op *copy = ir_op_create(r->x->m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                                    .loc = op->loc,
                                                    .n_operands = operands.len,
                                                    .operands = operands.data});
  rewrite_copy_attrs(copy, op);
  ir_op_insert_before(op, copy);
  ir_op_erase(op);
}

/* ---- mbarriers ------------------------------------------------------------------------------ */

/* The operand group of the barrier; its index follows. */
static unsigned barrier_group(const ir_op *op) {
  return op->opcode == OP_tensor_load || op->opcode == OP_bulk_load ? 3 : 0;
}

/* The operation at barrier `index` of all. */
static void place_barrier(resolver *r, ir_op *op, const barrier_place *p, ir_value *index) {
  unsigned group = barrier_group(op), groups = op_n_operands(ir_row(op));
  uint32_t *segments = arena_array(r->x->arena, uint32_t, groups), at = 0;
  value_list operands = {0};
  for (unsigned g = 0; g < groups; at += op->segments[g++]) {
    segments[g] = g == group + 1 ? index != NULL : op->segments[g];
    for (uint32_t k = 0; k < segments[g]; k++)
      vec_push(r->x->arena, operands,
               g == group       ? p->all
               : g == group + 1 ? index
                                : ir_operand(op, at + k));
  }
  ir_op *copy = ir_op_create(r->x->m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                                    .loc = op->loc,
                                                    .n_operands = operands.len,
                                                    .operands = operands.data,
                                                    .segments = segments});
  rewrite_copy_attrs(copy, op);
  ir_op_insert_before(op, copy);
}

static void place_at(resolver *r, ir_op *op, const barrier_place *p) {
  unsigned group = barrier_group(op);
  ir_value *index = ir_operand_in(op, group + 1);
  int64_t n = ir_operand_in(op, group)->type->count;
  bool all = op->opcode == OP_mbarrier_init && !index && n > 1;
  if (!p->base)
    place_barrier(r, op, p, index);
  else if (!all)
    place_barrier(r, op, p, index ? add(r, op, p->base, index) : p->base);
  for (int64_t k = 0; p->base && all && k < n; k++)
    place_barrier(r, op, p, add(r, op, p->base, number(r, op, (uint64_t)k)));
  ir_op_erase(op);
}

/* Where the operation's barrier is, if it is not what it was. */
static const barrier_place *place_used(resolver *r, ir_op *op) {
  bool uses = ir_row(op)->group == GROUP_MBARRIER || op->opcode == OP_tensor_load ||
              op->opcode == OP_bulk_load;
  if (!uses || op->opcode == OP_alloc_mbarrier) return NULL;
  const ir_value *v = ir_operand_in(op, barrier_group(op));
  const barrier_place *p = map_ptr(&r->places, v);
  return p && p->all != v ? p : NULL;
}

/* Of a barrier that is handed on: all of them are mapped, and the same one of them is meant. */
static bool place_mapped(resolver *r, ir_op *op) {
  const barrier_place *p = NULL;
  if (op->opcode == OP_map_remote) p = map_ptr(&r->places, ir_operand(op, 0));
  if (!p || p->all == ir_operand(op, 0)) return false;
  ir_value *operands[] = {p->all, ir_operand(op, 1)}, *mapped = ir_result(op, 0);
  const ir_type *t = ir_remote(r->x->m, p->all->type, true);
  ir_value *all = ir_result(rewrite_make(r->x->m, op, OP_map_remote, t, 2, operands), 0);
  set_place(r, mapped, all, p->base);
  vec_push(r->x->arena, r->old, op);
  for (const ir_use *u = mapped->uses; u; u = u->next)
    if (!place_used(r, u->user))
      fail(r, u->user, "it hands on another tile block's mbarrier, which a loop has handed on");
  return true;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void resolve_block(resolver *r, ir_block *b) {
  for (ir_op *op = b->first, *next; op && !r->failed; op = next) {
    next = op->next;
    const barrier_place *p = place_used(r, op);
    class **classes = handed_by(r, op);
    if (place_mapped(r, op)) continue;
    if (p) {
      place_at(r, op, p);
      continue;
    }
    if (classes) {
      expand_jump(r, op, classes);
      continue;
    }
    if (hands_on(op)) op = expand(r, op);
    for (unsigned k = 0; k < op->n_regions && !r->failed; k++)
      if (op->regions[k]) resolve_block(r, op->regions[k]);
  }
}

static bool find_handed(void *user, ir_op *op) {
  (void)user;
  return !hands_on(op);
}

bool handles_resolve(block_lowering *x) {
  if (ir_walk(x->entry, find_handed, NULL)) return true;
  resolver r = {.x = x, .n = ir_number_values(x->entry)};
  r.parent = arena_array(x->arena, uint32_t, r.n);
  r.values = arena_array(x->arena, ir_value *, r.n);
  r.classes = arena_array(x->arena, class *, r.n);
  for (uint32_t k = 0; k < r.n; k++) {
    r.parent[k] = k;
    r.values[k] = NULL;
    r.classes[k] = NULL;
  }
  ir_walk(x->entry, note_op, &r);
  ir_walk(x->entry, meet_in, &r);
  for (uint32_t k = 0; k < r.n; k++)
    if (r.values[k]) sort_value(&r, r.values[k]);
  for (uint32_t k = 0; k < r.n && !r.failed; k++)
    if (r.classes[k]) join(&r, r.classes[k]);
  resolve_block(&r, ir_region(x->entry, 0));
  while (!r.failed && r.old.len) ir_op_erase(r.old.data[--r.old.len]);
  return !r.failed;
}
