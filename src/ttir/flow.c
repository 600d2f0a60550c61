/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions, their calls, and branches between blocks.
 *
 * Triton makes branches of an `if` with a `return` inside, and never loops of them. So blocks form
 * no circle, and a branch becomes an `if`: both sides up to the block where they meet, and what
 * follows after it. In a kernel a side may end the kernel instead. In a function that is put in
 * place of its call the sides meet at the function's end; what stands between is then lowered on
 * both.
 */
#include "base/stack.h"
#include "ttir/lower.h"

bool tt_is_terminator(const tt_op *op) {
  static const char *const names[] = {"tt.return",      "cf.br",
                                      "cf.cond_br",     "scf.yield",
                                      "scf.condition",  "tt.reduce.return",
                                      "tt.scan.return", "tt.map_elementwise.return"};
  for (unsigned i = 0; i < ARRAY_LEN(names); i++)
    if (str_is(op->name, names[i])) return true;
  return false;
}

/* ---- operations
 * ---------------------------------------------------------------------------------- */

static ir_loc location_of(lowering *l, const tt_op *op) {
  if (!l->call) return op->loc;
  if (!op->loc) return l->call;
  return ir_loc_add(l->m,
                    (ir_loc_info){.kind = IR_LOC_CALLSITE, .inner = op->loc, .outer = l->call});
}

static bool lower_op(lowering *l, tt_op *op) {
  l->op = op;
  l->loc = location_of(l, op);
  if (++l->lowered > TT_MAX_OPS)
    return tt_refuse(l,
                     "more than %d operations once functions have taken the place of their calls",
                     TT_MAX_OPS);
  if (!op->row->lower(l, op)) return false;
  if (op->n_results == 1 && op->results[0].now) tt_assume_attrs(l, &op->results[0].now, op->attrs);
  return true;
}

bool tt_lower_ops(lowering *l, tt_block *b, tt_op **terminator) {
  *terminator = NULL;
  for (tt_op *op = b->first; op; op = op->next) {
    if (tt_is_terminator(op)) {
      if (op->next) {
        l->op = op;
        return tt_refuse(l, "'" STR_FMT "' in the middle of a block", STR_ARG(op->name));
      }
      *terminator = op;
      l->op = op;
      l->loc = location_of(l, op);
      return true;
    }
    if (!lower_op(l, op)) return false;
  }
  return true;
}

/* ---- branches
 * ------------------------------------------------------------------------------------- */

/* How a walk over blocks ended: at the block that it was to stop at, or with a return. */
typedef struct path_end {
  bool returned;
  uint32_t n;
  ir_value *values[TT_MAX_VALUES];
} path_end;

static uint32_t successors(const tt_block *b, tt_block **out) {
  const tt_op *op = b->last;
  uint32_t n = op && tt_is_terminator(op) ? op->n_successors : 0;
  for (uint32_t i = 0; i < n; i++) out[i] = op->successors[i].block;
  return n;
}

/* Marks what can be reached, but not through `without`. */
static void reach(lowering *l, tt_block *from, uint32_t mark, const tt_block *without) {
  tt_block *next[1 + TT_MAX_SUCCESSORS] = {from};
  uint32_t n_pending = 0, n_next = 1;
  for (;;) {
    for (uint32_t i = 0; i < n_next; i++) {
      if (next[i] == without || next[i]->visit & mark) continue;
      next[i]->visit |= mark;
      l->pending[n_pending++] = next[i];
    }
    if (!n_pending) return;
    n_next = successors(l->pending[--n_pending], next);
  }
}

static void forget(const tt_region *r) {
  for (tt_block *b = r->first; b; b = b->next) b->visit = 0;
}

/* What ends a function, or another region of several blocks. */
static bool is_return(const tt_op *op) {
  return str_is(op->name, "tt.return") || str_is(op->name, "tt.map_elementwise.return");
}

/* Whether a path ends the function without passing `without`. */
static bool escapes(const tt_region *r, uint32_t mark) {
  for (const tt_block *b = r->first; b; b = b->next)
    if (b->visit & mark && (!b->last || is_return(b->last))) return true;
  return false;
}

/* The block where both sides meet, whatever way they take; NULL when there is none. Sides of a
 * kernel may also end it before. */
static tt_block *meeting(lowering *l, const tt_region *r, tt_block *a, tt_block *b) {
  enum { A = 1, B = 2, AGAIN = 4, BOTH = A | B };
  forget(r);
  reach(l, a, A, NULL);
  reach(l, b, B, NULL);
  tt_block *found = NULL;
  VEC(tt_block *) common = {0};
  for (tt_block *x = r->first; x; x = x->next)
    if ((x->visit & BOTH) == BOTH) vec_push(l->temp, common, x);
  l->lowered += common.len;
  for (uint32_t i = 0; i < common.len && !found; i++) {
    for (tt_block *x = r->first; x; x = x->next) x->visit &= ~(uint32_t)AGAIN;
    reach(l, a, AGAIN, common.data[i]);
    reach(l, b, AGAIN, common.data[i]);
    bool all = l->in_kernel || !escapes(r, AGAIN);
    for (uint32_t k = 0; all && k < common.len; k++) all = !(common.data[k]->visit & AGAIN);
    if (all) found = common.data[i];
    if ((l->lowered += common.len) > TT_MAX_OPS) return NULL;
  }
  return found;
}

static bool take_values(lowering *l, tt_value *const *from, uint32_t n, path_end *end) {
  if (n > TT_MAX_CARRIED) return tt_refuse(l, "a block with %u values", n);
  end->n = n;
  for (uint32_t i = 0; i < n; i++)
    if (!(end->values[i] = from[i]->now))
      return tt_refuse(l, "'%%" STR_FMT "' has no value here", STR_ARG(from[i]->name));
  return true;
}

static bool bind_block(lowering *l, tt_block *b, const path_end *values) {
  if (b->n_args != values->n)
    return tt_refuse(l, "'^" STR_FMT "' takes %u values, not %u", STR_ARG(b->name), b->n_args,
                     values->n);
  for (uint32_t i = 0; i < values->n; i++) {
    if (b->args[i].type.tile != values->values[i]->type)
      return tt_refuse(l, "'^" STR_FMT "' takes other types", STR_ARG(b->name));
    b->args[i].now = values->values[i];
  }
  return true;
}

/* Over the blocks of a function, or of another region of several blocks. */
typedef struct walk {
  const tt_region *region;
  const char *name; /* in messages */
} walk;

static walk walk_function(lowering *l, const tt_function *f) {
  sbuf b = SBUF(l->temp);
  sbuf_printf(&b, "@" STR_FMT, STR_ARG(f->name));
  return (walk){f->body, b.data};
}

static bool lower_path(lowering *l, const walk *w, tt_block *b, const tt_block *stop,
                       path_end *end);

static bool follow(lowering *l, const walk *w, const tt_successor *s, const tt_block *stop,
                   path_end *end) {
  if (!take_values(l, s->args, s->n_args, end)) return false;
  if (s->block == stop) return true;
  return bind_block(l, s->block, end) && lower_path(l, w, s->block, stop, end);
}

/* One side of a branch, up to `stop`. */
static bool side(lowering *l, const walk *w, ir_op *made, uint32_t region, const tt_successor *s,
                 const tt_block *stop, unsigned effects, path_end *end) {
  end->returned = false;
  l->block = ir_region_create(l->m, made, region, 0, NULL);
  if (!follow(l, w, s, stop, end)) return false;
  if (end->returned && l->in_kernel) return true; /* it ended the kernel */
  ir_value *token = tt_order_end(l, effects);
  if (token) end->values[end->n++] = token;
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_yield, .n_operands = end->n, .operands = end->values});
  if (token) end->n--;
  return true;
}

/* Types of what both sides give: the arguments of the block where they meet, or the results of the
 * function, which the first return that is found has. */
static bool side_types(lowering *l, const walk *w, const tt_block *stop, const ir_type **types,
                       uint32_t *n) {
  *n = 0;
  if (!stop && l->in_kernel) return true;
  const tt_op *give = NULL;
  for (const tt_block *b = w->region->first; !stop && b && !give; b = b->next)
    if (b->last && is_return(b->last)) give = b->last;
  uint32_t count = stop ? stop->n_args : give ? give->n_operands : 0;
  if (count > TT_MAX_CARRIED) return tt_refuse(l, "a block with %u values", count);
  for (; *n < count; ++*n) {
    tt_type t = stop ? stop->args[*n].type : give->operands[*n]->type;
    if (t.is_descriptor) return tt_refuse(l, "a tensor descriptor that branches decide on");
    types[*n] = t.tile;
  }
  return true;
}

/* The region's operations that are left: what both sides do to memory is not known before. */
static bool branch(lowering *l, const walk *w, const tt_op *op, const tt_block *stop,
                   path_end *end) {
  ir_value *condition = tt_use(l, op, 0);
  if (!condition || op->n_successors != 2)
    return condition && tt_refuse(l, "'cf.cond_br' with %u blocks", op->n_successors);
  tt_block *meet = meeting(l, w->region, op->successors[0].block, op->successors[1].block);
  const tt_block *until = meet ? meet : stop;
  const ir_type *types[TT_MAX_VALUES];
  uint32_t n;
  if (!side_types(l, w, until, types, &n)) return false;
  if (l->depth >= TT_MAX_DEPTH)
    return tt_refuse(l, "more than %d regions in each other", TT_MAX_DEPTH);
  unsigned effects = tt_effects_of(l, w->region);
  bool ends = l->in_kernel && !until;
  ir_value *token = ends ? NULL : tt_order_in(l, effects);
  if (ends) effects = TT_PURE;
  tt_order before = l->order;
  types[n] = ir_token(l->m);
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = OP_if,
                                            .n_operands = 1,
                                            .operands = &condition,
                                            .n_results = n + (token != NULL),
                                            .result_types = types,
                                            .n_regions = 2});
  ir_block *outer = l->block;
  path_end *a = arena_new(l->temp, path_end), *b = arena_new(l->temp, path_end);
  l->depth++;
  bool good = side(l, w, made, 0, &op->successors[0], until, effects, a);
  l->order = before;
  good = good && side(l, w, made, 1, &op->successors[1], until, effects, b);
  l->depth--;
  l->block = outer;
  if (!good) return false;
  tt_order_out(l, effects, before, token ? ir_result(made, n) : NULL);
  end->n = n;
  for (uint32_t i = 0; i < n; i++) end->values[i] = ir_result(made, i);
  end->returned = a->returned && b->returned;
  if (end->returned && l->in_kernel) tt_emit_op(l, &(ir_op_spec){.opcode = OP_return});
  if (end->returned || until == stop) return true;
  return bind_block(l, meet, end) && lower_path(l, w, meet, stop, end);
}

/* From the beginning of `b` to `stop`, or to a return. */
static bool lower_path(lowering *l, const walk *w, tt_block *b, const tt_block *stop,
                       path_end *end) {
  tt_op *last;
  if (!tt_has_stack(l)) return false;
  for (;;) {
    if (!tt_lower_ops(l, b, &last)) return false;
    if (!last) return tt_refuse(l, "a block of '%s' has no end", w->name);
    if (str_is(last->name, "cf.cond_br")) return branch(l, w, last, stop, end);
    if (!str_is(last->name, "cf.br")) break;
    if (last->n_successors != 1) return tt_refuse(l, "'cf.br' with %u blocks", last->n_successors);
    const tt_successor *s = &last->successors[0];
    if (!take_values(l, s->args, s->n_args, end)) return false;
    if (s->block == stop) return true;
    if (!bind_block(l, s->block, end)) return false;
    b = s->block;
    if (++l->lowered > TT_MAX_OPS) return tt_refuse(l, "more than %d operations", TT_MAX_OPS);
  }
  if (!is_return(last))
    return tt_refuse(l, "'" STR_FMT "' at the end of a function", STR_ARG(last->name));
  end->returned = true;
  if (!take_values(l, last->operands, last->n_operands, end)) return false;
  if (l->in_kernel) tt_emit_op(l, &(ir_op_spec){.opcode = OP_return});
  return true;
}

/* ---- circles
 * -------------------------------------------------------------------------------------- */

/* Takes blocks away that no block which is left leads to, for as long as there are such: a circle
 * stays. Visits count, from the second bit on, how many edges lead to a block. */
static bool is_acyclic(lowering *l, const tt_region *r) {
  enum { REACHED = 1, EDGE = 2 };
  tt_block *next[TT_MAX_SUCCESSORS];
  uint32_t left = 0, n_pending = 0;
  forget(r);
  reach(l, r->first, REACHED, NULL);
  for (tt_block *b = r->first; b; b = b->next) {
    if (!(b->visit & REACHED)) continue;
    left++;
    for (uint32_t i = 0, n = successors(b, next); i < n; i++) next[i]->visit += EDGE;
  }
  if (r->first->visit == REACHED) l->pending[n_pending++] = r->first;
  for (; n_pending; left--)
    for (uint32_t i = 0, n = successors(l->pending[--n_pending], next); i < n; i++)
      if ((next[i]->visit -= EDGE) == REACHED) l->pending[n_pending++] = next[i];
  return !left;
}

static bool check_blocks(lowering *l, const walk *w) {
  uint32_t n = 0;
  for (tt_block *b = w->region->first; b; b = b->next) n++;
  if (n > TT_MAX_BLOCKS) return tt_refuse(l, "a function of more than %d blocks", TT_MAX_BLOCKS);
  return !n || is_acyclic(l, w->region) || tt_refuse(l, "'%s' has a loop of branches", w->name);
}

bool tt_lower_blocks(lowering *l, const tt_op *op, const tt_region *r, ir_value **out,
                     uint32_t *n) {
  walk w = {r, op->row->name};
  bool in_kernel = l->in_kernel;
  if (!check_blocks(l, &w)) return false;
  path_end *end = arena_new(l->temp, path_end);
  l->in_kernel = false;
  bool good = lower_path(l, &w, r->first, NULL, end);
  l->in_kernel = in_kernel;
  *n = end->n;
  memcpy(out, end->values, end->n * sizeof *out);
  return good;
}

/* ---- calls
 * ---------------------------------------------------------------------------------------- */

static bool bind_call(lowering *l, tt_op *op, tt_function *f) {
  if (f->n_args != op->n_operands)
    return tt_refuse(l, "'@" STR_FMT "' takes %u arguments, not %u", STR_ARG(f->name), f->n_args,
                     op->n_operands);
  for (uint32_t i = 0; i < f->n_args; i++) {
    tt_value *from = op->operands[i], *to = &f->args[i];
    if (from->type.tile != to->type.tile || from->type.is_descriptor != to->type.is_descriptor)
      return tt_refuse(l, "argument %u of '@" STR_FMT "' has another type", i, STR_ARG(f->name));
    to->now = from->now;
    to->descriptor = from->descriptor;
    if (!to->now && !to->descriptor && !tt_use(l, op, i)) return false;
  }
  return true;
}

static bool call_results(lowering *l, tt_op *op, const path_end *end) {
  if (end->n != op->n_results)
    return tt_refuse(l, "the function gives %u values, not %u", end->n, op->n_results);
  for (uint32_t i = 0; i < end->n; i++)
    if (!tt_set(l, op, i, end->values[i])) return false;
  return true;
}

static tt_function *callee(lowering *l, const tt_op *op) {
  const tt_attr *a = tt_find_attr(op->attrs, "callee");
  str name = op->symbol.data ? op->symbol : a ? a->text : (str){0};
  uintptr_t *slot = strmap_get(&l->r->tree->functions, name);
  tt_function *f = slot ? (tt_function *)*slot : NULL;
  if (f && f->body && f->body->first && !f->open && l->calls < TT_MAX_CALLS) return f;
  if (f && f->open)
    tt_refuse(l, "'@" STR_FMT "' calls itself", STR_ARG(name));
  else if (l->calls >= TT_MAX_CALLS)
    tt_refuse(l, "more than %d calls in each other", TT_MAX_CALLS);
  else
    tt_refuse(l, "there is no function '@" STR_FMT "'", STR_ARG(name));
  return NULL;
}

bool tt_lower_call(lowering *l, tt_op *op) {
  tt_function *f = callee(l, op);
  if (!f) return false;
  walk w = walk_function(l, f);
  if (!bind_call(l, op, f) || !check_blocks(l, &w)) return false;
  ir_loc call = l->call, at = l->loc;
  bool in_kernel = l->in_kernel;
  path_end *end = arena_new(l->temp, path_end);
  f->open = true;
  l->calls++;
  l->call = at;
  l->in_kernel = false;
  bool good = lower_path(l, &w, f->body->first, NULL, end);
  l->in_kernel = in_kernel;
  l->call = call;
  l->calls--;
  f->open = false;
  l->op = op;
  l->loc = at;
  return good && call_results(l, op, end);
}

/* ---- kernels
 * -------------------------------------------------------------------------------------- */

static bool parameter_types(lowering *l, const tt_function *f, const ir_type **out) {
  for (uint32_t i = 0; i < f->n_args; i++) {
    tt_type t = f->args[i].type;
    if (t.is_descriptor || !ir_is_scalar(t.tile))
      return tt_refuse(l,
                       "the parameter '%%" STR_FMT "' of '@" STR_FMT "' is a %s; a kernel takes "
                       "numbers and pointers%s",
                       STR_ARG(f->args[i].name), STR_ARG(f->name),
                       t.is_descriptor ? "tensor descriptor" : "tile",
                       t.is_descriptor ? ", so make the descriptor inside of it" : "");
    out[i] = t.tile;
  }
  return true;
}

static ir_op *make_entry(lowering *l, const tt_function *f, const ir_type **types) {
  ir_op *op = ir_op_create(l->m, &(ir_op_spec){.opcode = OP_entry, .loc = f->loc, .n_regions = 1});
  ir_set_attr(op, ATTR_sym_name, (ir_attr){.s = f->name});
  ir_set_attr(op, ATTR_function_type, (ir_attr){.type = ir_function(l->m, f->n_args, 0, types)});
  ir_op_append(ir_region(l->m->op, 0), op);
  l->entry = l->block = ir_region_create(l->m, op, 0, f->n_args, types);
  return op;
}

static void bind_parameters(lowering *l, tt_function *f) {
  for (uint32_t i = 0; i < f->n_args; i++) {
    ir_value *v = &l->entry->args[i];
    ir_set_name(l->m, v, f->args[i].name);
    f->args[i].now = v;
  }
  for (uint32_t i = 0; i < f->n_args; i++) {
    l->loc = f->arg_locs[i];
    tt_assume_attrs(l, &f->args[i].now, f->arg_attrs[i]);
  }
}

bool tt_lower_kernel(lowering *l, tt_function *f) {
  const ir_type **types = arena_array(l->temp, const ir_type *, f->n_args + 1);
  path_end *end = arena_new(l->temp, path_end);
  walk w = walk_function(l, f);
  l->op = NULL;
  l->loc = f->loc;
  l->in_kernel = true;
  l->order = (tt_order){0};
  memset(l->position, 0, sizeof l->position);
  memset(l->extent, 0, sizeof l->extent);
  if (!parameter_types(l, f, types) || !check_blocks(l, &w)) return false;
  make_entry(l, f, types);
  bind_parameters(l, f);
  f->open = true;
  bool good = lower_path(l, &w, f->body->first, NULL, end);
  f->open = false;
  return good;
}
