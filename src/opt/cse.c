/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cse: of operations that compute the same from the same, the first stays. Only operations without
 * effect and without regions; one in a region may stand for those in regions below it, not beside
 * it. Bodies of reduce and scan keep to themselves, so that they stay as easy to vectorise as they
 * were.
 *
 * Of two weak loads of one place the first stays when nothing that may write there is ordered
 * between them (order.h). Their tokens may differ.
 */
#include "opt/fold.h"
#include "opt/opt.h"
#include "opt/order.h"

typedef struct entry {
  ir_op *op;
  uint64_t hash;
  struct entry *shadowed; /* earlier in the chain of this hash */
  struct entry *in_scope; /* added before it in the scope */
} entry;

typedef struct cse {
  opt_run *run;
  map table; /* hash -> chain of entries that are in scope */
  entry *scope;
  const facts *known;
  kernel_order *order; /* NULL outside of kernels */
} cse;

/* ---- equality ------------------------------------------------------------------------------- */

static uint64_t hash_attr(hash_secret s, attr_kind kind, const ir_attr *a) {
  switch (kind) {
  case AK_STRING:
  case AK_SYMBOL: return hash_key(s, 0, a->s.data, a->s.len);
  case AK_INTS: return hash_key(s, 0, a->ints->data, a->ints->len * sizeof(int64_t));
  case AK_DENSE: return hash_key(s, a->dense->type->id, a->dense->data, a->dense->size);
  case AK_SCALARS: return a->scalars->len;
  case AK_PREDICATE: return hash_word(s, hash_mix(a->predicate->kind, a->predicate->divisor));
  case AK_BOOLS:
  case AK_HINTS:
  case AK_TYPE:
  case AK_DICTS: return 0;
  default: return hash_word(s, (uint64_t)a->i);
  }
}

/* But for a load's token, which is its last operand. */
static uint32_t compared_operands(const ir_op *op) {
  return op->n_operands - (ir_is_load(op) && order_token(op));
}

static uint64_t hash_op(hash_secret s, const ir_op *op) {
  const op_row *row = ir_row(op);
  uint32_t n_operands = compared_operands(op);
  uint64_t h = hash_mix(op->opcode, n_operands);
  for (uint32_t i = 0; i < n_operands; i++)
    h = hash_mix(h, (uint64_t)(uintptr_t)op->operands[i].value);
  for (uint32_t i = 0; i < op->n_results; i++) h = hash_mix(h, op->results[i].type->id);
  for (unsigned i = 0, n = op_n_attrs(row); i < n; i++)
    if (ir_has_attr(op, (attr_id)row->attrs[i].id) && row->attrs[i].kind != AK_HINTS)
      h = hash_mix(h, hash_attr(s, (attr_kind)row->attrs[i].kind, &op->attrs[i]));
  return h;
}

static bool same_op(const ir_op *a, const ir_op *b) {
  const op_row *row = ir_row(a);
  uint32_t n_operands = compared_operands(a), token = ir_is_load(a);
  if (a->opcode != b->opcode || n_operands != compared_operands(b) || a->n_results != b->n_results)
    return false;
  for (uint32_t i = 0; i < n_operands; i++)
    if (a->operands[i].value != b->operands[i].value) return false;
  for (uint32_t i = 0; i < a->n_results; i++)
    if (a->results[i].type != b->results[i].type) return false;
  for (unsigned i = 0, n = op_n_operands(row) - token; i < n; i++)
    if (a->segments[i] != b->segments[i]) return false;
  return has_same_attrs(a, b);
}

/* ---- scopes --------------------------------------------------------------------------------- */

static void walk_block(cse *c, ir_block *b);

static void enter_region(cse *c, ir_block *b) {
  entry *outer = c->scope;
  c->scope = NULL;
  walk_block(c, b);
  for (entry *e = c->scope; e; e = e->in_scope)
    *map_get(&c->table, e->hash) = (uintptr_t)e->shadowed;
  c->scope = outer;
}

static bool keeps_to_itself(const ir_op *op) {
  return op->opcode == OP_reduce || op->opcode == OP_scan || ir_row(op)->traits & TRAIT_ISOLATED;
}

static void enter_regions(cse *c, ir_op *op) {
  map outer = c->table;
  if (op->opcode == OP_entry) {
    if (!c->known) c->known = facts_compute(c->run->m->op, c->run->temp);
    c->order = order_of_entry(c->run->m, op, c->known, c->run->temp);
  }
  if (keeps_to_itself(op)) c->table = (map){0};
  for (unsigned r = 0; r < op->n_regions; r++)
    if (op->regions[r]) enter_region(c, op->regions[r]);
  if (keeps_to_itself(op)) c->table = outer;
}

/* Only while its no-wrap flags and other promises are the same are two operations one: they are
 * attributes. Attributes that we do not know might be anything. */
static bool is_candidate(const cse *c, const ir_op *op) {
  if (op->extra || !op->n_results) return false;
  if (ir_is_load(op)) return c->order && order_is_weak(op);
  return ir_only_computes(op);
}

/* After both loads is what is after the first and after what the second comes after. */
static ir_value *joined_token(cse *c, const ir_op *first, ir_op *second) {
  ir_value *token = order_token(second), *other = ir_result(first, 1);
  if (!token || token == order_token(first) || !second->results[1].uses) return other;
  ir_value *both[] = {other, token};
  return ir_result(rewrite_make(c->run->m, second, OP_join_tokens, token->type, 2, both), 0);
}

static void replace(cse *c, ir_op *op, const ir_op *by) {
  for (uint32_t i = 0; i < op->n_results; i++) {
    bool is_token = ir_is_load(op) && i == 1;
    rewrite_replace_value(&op->results[i], is_token ? joined_token(c, by, op) : &by->results[i]);
  }
  ir_op_erase(op);
  c->run->changes++;
}

/* The last equal operation in scope. (A load that may not stand for another one because of what is
 * after that, may neither when it is earlier still.) */
static ir_op *standing_for(cse *c, ir_op *op, const entry *e) {
  while (e && !same_op(e->op, op)) e = e->shadowed;
  if (!e || !ir_is_load(op)) return e ? e->op : NULL;
  order behind = order_behind(c->order, op, NULL);
  return order_is_before(&behind, e->op) ? e->op : NULL;
}

static void visit(cse *c, ir_op *op) {
  if (op->n_regions) enter_regions(c, op);
  if (!is_candidate(c, op)) return;
  uint64_t h = hash_op(c->run->m->ctx->secret, op);
  uintptr_t *chain = map_put(c->run->temp, &c->table, h);
  const ir_op *by = standing_for(c, op, (const entry *)*chain);
  if (by) {
    replace(c, op, by);
    return;
  }
  entry *e = arena_new(c->run->temp, entry);
  *e = (entry){.op = op, .hash = h, .shadowed = (entry *)*chain, .in_scope = c->scope};
  *chain = (uintptr_t)e;
  c->scope = e;
}

static void walk_block(cse *c, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    visit(c, op);
  }
}

void opt_cse(opt_run *r) {
  cse c = {.run = r};
  enter_region(&c, ir_region(r->m->op, 0));
}
