/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A walk in the order of the program that knows, for each memory, the token of the last store and
 * one of all loads since. Loops and branches with accesses hand on these tokens like any value.
 */
#include "block/order.h"

#include "ir/roots.h"
#include "opt/rewrite.h"

enum { MAX_MEMORIES = 64, GLOBAL = 0 /* the first; the last is that of all further allocations */ };

typedef struct memory {
  ir_value *stored, *loaded; /* NULL: there is nothing to wait for */
} memory;

/* What something does to each memory, a bit for each. */
typedef struct touched {
  uint64_t loads, stores;
} touched;

/* What a loop or a branch hands on: the tokens of these memories, of loads and of stores, from the
 * first memory on. */
typedef struct frame {
  const struct frame *outer;
  const ir_op *op;
  uint64_t stored, loaded;
} frame;

typedef struct orderer {
  const block_lowering *x;
  map memories;     /* alloca -> its memory */
  map touches;      /* loops and branches -> touched */
  uint64_t ordered; /* memories that something is stored to */
  unsigned n;
  memory now[MAX_MEMORIES];
} orderer;

/* ---- accesses ------------------------------------------------------------------------------- */

/* The operand group of an operation's token; -1: it has none. */
static int token_group(const ir_op *op) {
  const op_row *row = ir_row(op);
  for (unsigned g = 0, n = op_n_operands(row); g < n; g++)
    if (row->operands[g].constraint == TC_TOKEN && row->operands[g].arity == OPT) return (int)g;
  return -1;
}

static bool is_ordered(const ir_op *op) {
  switch (ir_effect(op)) {
  case EFFECT_READS:
  case EFFECT_WRITES:
  case EFFECT_UPDATES:
  case EFFECT_ORDERS: return token_group(op) >= 0;
  default: return false;
  }
}

static bool is_plain_load(const ir_op *op) {
  return ir_is_load(op) && ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

static unsigned memory_of(const orderer *o, const ir_op *op) {
  if (!effect_accesses(ir_effect(op))) return GLOBAL;
  for (const ir_op *made = ir_defining_op(ir_accessed(op)); made;
       made = made->n_operands ? ir_defining_op(ir_operand(made, 0)) : NULL) {
    const uintptr_t *found = map_get(&o->memories, (uintptr_t)made);
    if (found) return (unsigned)*found;
    if (!ir_row(made)->forwards && !(ir_row(made)->traits & TRAIT_INDEX_MAP)) break;
  }
  return GLOBAL;
}

static touched *touches_of(const orderer *o, const ir_op *op) {
  return map_ptr(&o->touches, op);
}

static bool note_access(void *user, ir_op *op) {
  orderer *o = user;
  if (op->opcode == OP_alloca && o->x->entry->regions[0] == op->block)
    *map_put(o->x->arena, &o->memories, (uintptr_t)op) = MIN(o->n, MAX_MEMORIES - 1u), o->n++;
  if (!is_ordered(op)) return true;
  uint64_t bit = UINT64_C(1) << memory_of(o, op);
  bool loads = is_plain_load(op);
  if (!loads) o->ordered |= bit;
  for (ir_op *p = op->block->parent; p != o->x->entry; p = p->block->parent) {
    uintptr_t *slot = map_put(o->x->arena, &o->touches, (uintptr_t)p);
    if (!*slot) *slot = (uintptr_t)arena_new(o->x->arena, touched);
    touched *t = (touched *)*slot;
    if (loads ? t->loads & bit : t->stores & bit) break;
    *(loads ? &t->loads : &t->stores) |= bit;
  }
  return true;
}

/* ---- making --------------------------------------------------------------------------------- */

static ir_value *join(const orderer *o, ir_op *at, ir_value *a, ir_value *b) {
  if (!a || !b || a == b) return a ? a : b;
  return ir_result(
      rewrite_make(o->x->m, at, OP_join_tokens, ir_token(o->x->m), 2, (ir_value *[]){a, b}), 0);
}

/* The operation with further operands in a group and further results behind the others, which are
 * tokens; in its place, with its regions. */
static ir_op *extended(const orderer *o, ir_op *op, unsigned group, uint32_t n,
                       ir_value *const *tokens, uint32_t n_results) {
  arena *a = o->x->arena;
  ir_module *m = o->x->m;
  unsigned groups = op_n_operands(ir_row(op));
  uint32_t *segments = arena_array(a, uint32_t, groups + 1), before = 0, total = op->n_operands;
  ir_value **operands = arena_array(a, ir_value *, total + n + 1);
  const ir_type **types = arena_array(a, const ir_type *, op->n_results + n_results + 1);
  memcpy(segments, op->segments, groups * sizeof *segments);
  for (unsigned g = 0; n && g <= group; g++) before += segments[g];
  for (uint32_t i = 0; i < before; i++) operands[i] = ir_operand(op, i);
  for (uint32_t i = 0; i < n; i++) operands[before + i] = tokens[i];
  for (uint32_t i = before; i < total; i++) operands[n + i] = ir_operand(op, i);
  if (n) segments[group] += n;
  for (uint32_t i = 0; i < op->n_results; i++) types[i] = op->results[i].type;
  for (uint32_t i = 0; i < n_results; i++) types[op->n_results + i] = ir_token(m);
  ir_op *made = ir_op_create(m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                              .loc = op->loc,
                                              .n_operands = total + n,
                                              .operands = operands,
                                              .segments = segments,
                                              .n_results = op->n_results + n_results,
                                              .result_types = types,
                                              .n_regions = op->n_regions});
  for (unsigned i = 0, k = op_n_attrs(ir_row(op)); i < k; i++) made->attrs[i] = op->attrs[i];
  made->present = op->present;
  made->extra = op->extra;
  for (unsigned r = 0; r < op->n_regions; r++) {
    made->regions[r] = op->regions[r];
    if (made->regions[r]) made->regions[r]->parent = made;
    op->regions[r] = NULL;
  }
  ir_op_insert_before(op, made);
  for (uint32_t i = 0; i < op->n_results; i++)
    rewrite_replace_value(&op->results[i], &made->results[i]);
  ir_op_erase(op);
  return made;
}

/* The same body with further arguments, tokens. */
static ir_block *with_arguments(const orderer *o, ir_op *op, uint32_t n) {
  ir_block *from = op->regions[0];
  const ir_type **types = arena_array(o->x->arena, const ir_type *, from->n_args + n + 1);
  for (uint32_t i = 0; i < from->n_args; i++) types[i] = from->args[i].type;
  for (uint32_t i = 0; i < n; i++) types[from->n_args + i] = ir_token(o->x->m);
  op->regions[0] = NULL;
  ir_block *to = ir_region_create(o->x->m, op, 0, from->n_args + n, types);
  while (from->first) {
    ir_op *moved = from->first;
    ir_op_unlink(moved);
    ir_op_append(to, moved);
  }
  for (uint32_t i = 0; i < from->n_args; i++) rewrite_replace_value(&from->args[i], &to->args[i]);
  return to;
}

/* ---- what is handed on ---------------------------------------------------------------------- */

static uint32_t count(const frame *f) {
  return (uint32_t)(__builtin_popcountll(f->stored) + __builtin_popcountll(f->loaded));
}

/* The tokens as they are at `at`. */
static ir_value **tokens_at(orderer *o, ir_op *at, const frame *f) {
  ir_value **out = arena_array(o->x->arena, ir_value *, count(f) + 1), *none = NULL;
  uint32_t n = 0;
  for (unsigned k = 0; k < MAX_MEMORIES; k++) {
    if (f->stored >> k & 1) out[n++] = o->now[k].stored;
    if (f->loaded >> k & 1) out[n++] = o->now[k].loaded;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (out[i]) continue;
    if (!none)
      none = ir_result(rewrite_make(o->x->m, at, OP_make_token, ir_token(o->x->m), 0, NULL), 0);
    out[i] = none;
  }
  return out;
}

static void take(orderer *o, const frame *f, ir_value *tokens) {
  for (unsigned k = 0; k < MAX_MEMORIES; k++) {
    if (f->stored >> k & 1) o->now[k].stored = tokens++;
    if (f->loaded >> k & 1) o->now[k].loaded = tokens++;
  }
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void walk(orderer *o, ir_block *b, const frame *f);

static ir_op *order_access(orderer *o, ir_op *op) {
  unsigned which = memory_of(o, op);
  memory *m = &o->now[which];
  if (!(o->ordered >> which & 1)) return op;
  bool loads = is_plain_load(op);
  ir_value *before = loads ? m->stored : join(o, op, m->stored, m->loaded);
  unsigned group = (unsigned)token_group(op);
  ir_value *own = ir_operand_in(op, group);
  if (before && own) {
    uint32_t at = 0;
    for (unsigned g = 0; g < group; g++) at += op->segments[g];
    ir_set_operand(op, at, join(o, op, own, before));
  } else if (before) {
    op = extended(o, op, group, 1, &before, 0);
  }
  ir_value *token = ir_result(op, op->n_results - 1);
  if (token->type->kind != IR_TOKEN) return op;
  if (!loads)
    *m = (memory){.stored = token};
  else
    m->loaded = op->next ? join(o, op->next, m->loaded, token) : token;
  return op;
}

/* What ends an iteration, leaves a loop or ends a branch hands on what the loop or branch does. */
static ir_op *order_jump(orderer *o, ir_op *op, const frame *f) {
  if (op->opcode == OP_return) return op;
  while (f && op->opcode != OP_yield && f->op->opcode == OP_if) f = f->outer;
  if (!f || !count(f)) return op;
  ir_op *made = extended(o, op, 0, count(f), tokens_at(o, op, f), 0);
  made->implicit = false;
  return made;
}

static ir_op *order_loop(orderer *o, ir_op *op, frame f) {
  uint32_t n = count(&f), results = op->n_results;
  op = extended(o, op, op->opcode == OP_for ? 3 : 0, n, tokens_at(o, op, &f), n);
  uint32_t args = op->regions[0]->n_args;
  ir_block *body = with_arguments(o, op, n);
  f.op = op;
  take(o, &f, body->args + args);
  walk(o, body, &f);
  take(o, &f, op->results + results);
  return op;
}

static ir_op *order_branch(orderer *o, ir_op *op, frame f) {
  uint32_t n = count(&f), results = op->n_results;
  memory before[MAX_MEMORIES];
  memcpy(before, o->now, sizeof before);
  op = extended(o, op, 0, 0, NULL, n);
  f.op = op;
  if (!op->regions[1]) {
    ir_op_append(ir_region_create(o->x->m, op, 1, 0, NULL),
                 ir_op_create(o->x->m, &(ir_op_spec){.opcode = OP_yield, .loc = op->loc}));
  }
  for (unsigned r = 0; r < 2; r++) {
    memcpy(o->now, before, sizeof before);
    walk(o, op->regions[r], &f);
  }
  memcpy(o->now, before, sizeof before);
  take(o, &f, op->results + results);
  return op;
}

/* Branches without accesses may leave a loop that has some. */
static void order_jumps(orderer *o, const ir_op *op, const frame *outer) {
  frame f = {.outer = outer, .op = op};
  for (unsigned r = 0; r < 2; r++)
    if (op->opcode == OP_if && op->regions[r]) walk(o, op->regions[r], &f);
}

/* With loads alone, later stores have to wait for them; with stores, loads too. */
static ir_op *order_regions(orderer *o, ir_op *op, const frame *outer) {
  const touched *t = touches_of(o, op);
  if (!t) {
    order_jumps(o, op, outer);
    return op;
  }
  frame f = {.outer = outer, .op = op, .stored = t->stores & o->ordered};
  f.loaded = (t->loads | t->stores) & o->ordered;
  if (op->opcode == OP_if) return order_branch(o, op, f);
  return order_loop(o, op, f);
}

static void walk(orderer *o, ir_block *b, const frame *f) {
  for (ir_op *op = b->first; op; op = op->next) {
    if (ir_is_terminator(op))
      op = order_jump(o, op, f);
    else if (op->opcode == OP_for || op->opcode == OP_loop || op->opcode == OP_if)
      op = order_regions(o, op, f);
    else if (is_ordered(op))
      op = order_access(o, op);
  }
}

void order_accesses(const block_lowering *x) {
  orderer *o = arena_new(x->arena, orderer);
  *o = (orderer){.x = x, .n = GLOBAL + 1};
  ir_walk(x->entry, note_access, o);
  if (o->ordered) walk(o, x->entry->regions[0], NULL);
}
