/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A walk in the order of the program. What has been replaced goes at the end, since later
 * operations that are still to be replaced use it.
 */
#include "block/split_internal.h"

#include "opt/rewrite.h"

enum { MOST_PIECES = 256 };

/* ---- pieces --------------------------------------------------------------------------------- */

void split_fail(splitter *s, const ir_op *op, const ir_type *t, const char *why) {
  if (!s->failed)
    ir_error(s->m, op, "'%s' of %s, whose sizes are no powers of two, %s", ir_row(op)->name,
             ir_type_text(s->arena, t), why);
  s->failed = true;
}

static const cut_tile *whole(splitter *s, const ir_type *t) {
  cut_tile *c = arena_new(s->arena, cut_tile);
  *c = (cut_tile){.type = t, .rank = t->rank, .n = 1};
  c->dim = arena_array(s->arena, cut_dim, MAX(t->rank, 1));
  for (unsigned d = 0; d < t->rank; d++) c->dim[d] = (cut_dim){.size = t->shape[d], .n = 1};
  c->pieces = arena_array(s->arena, const ir_type *, 1);
  c->pieces[0] = t;
  return c;
}

const cut_tile *split_cut(splitter *s, const ir_op *op, const ir_type *t) {
  uintptr_t *slot = map_put(s->arena, &s->cuts, (uintptr_t)t);
  if (*slot) return (const cut_tile *)*slot;
  const cut_tile *c = cut_is_needed(t) ? cut_make(s->m, s->arena, t, s->how) : whole(s, t);
  if (!c || c->n > MOST_PIECES) {
    split_fail(
        s, op, t,
        c ? "is cut into more pieces than code is made for; use smaller tiles, or sizes with "
            "larger factors of two"
          : "is compiled only where each thread has an odd number of elements, or an odd number "
            "of parts of the threads one part each, in their order; use another layout, or the "
            "target interp");
    c = whole(s, t);
  }
  *slot = (uintptr_t)c;
  return c;
}

ir_value **split_pieces(splitter *s, ir_value *v) {
  uintptr_t *slot = map_put(s->arena, &s->pieces, (uintptr_t)v);
  if (!*slot) {
    ir_value **one = arena_array(s->arena, ir_value *, 1);
    one[0] = v;
    *slot = (uintptr_t)one;
  }
  return (ir_value **)*slot;
}

void split_set(splitter *s, ir_value *v, ir_value *const *pieces) {
  const ir_op *op = ir_defining_op(v);
  uint32_t n = v->type->kind == IR_TILE ? split_cut(s, op ? op : s->entry, v->type)->n : 1;
  if (!cut_is_needed(v->type)) {
    rewrite_replace_value(v, pieces[0]);
    return;
  }
  ir_value **copy = arena_array(s->arena, ir_value *, n);
  memcpy(copy, pieces, n * sizeof *copy);
  *map_put(s->arena, &s->pieces, (uintptr_t)v) = (uintptr_t)copy;
}

void split_done(splitter *s, ir_op *op) {
  vec_push(s->arena, s->old, op);
}

/* ---- making --------------------------------------------------------------------------------- */

ir_value *split_make(splitter *s, ir_op *at, op_code opcode, const ir_type *t, uint32_t n,
                     ir_value *const *operands) {
  return ir_result(rewrite_make(s->m, at, opcode, t, n, operands), 0);
}

ir_value *split_number(splitter *s, ir_op *at, const ir_type *t, int64_t n) {
  return rewrite_splat(s->m, at, t, (uint64_t)n);
}

ir_op *split_copy(splitter *s, ir_op *op, ir_value *const *operands, const ir_type *const *types) {
  value_map vm = {.arena = s->arena};
  ir_op *copy = rewrite_clone_shell(s->m, op, &vm);
  for (uint32_t i = 0; i < op->n_operands; i++) ir_set_operand(copy, i, operands[i]);
  for (uint32_t i = 0; i < op->n_results; i++) copy->results[i].type = types[i];
  ir_op_insert_before(op, copy);
  return copy;
}

/* ---- each piece for itself ------------------------------------------------------------------ */

/* The first tile among operands and results that needs a cut. */
static const ir_type *cut_type(const ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (cut_is_needed(op->results[i].type)) return op->results[i].type;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (cut_is_needed(ir_operand(op, i)->type)) return ir_operand(op, i)->type;
  return NULL;
}

/* What stands for a result of an operation of which there is one for each piece: all of them, or,
 * of tokens, one that all of them have come to. */
static void set_result(splitter *s, ir_op *op, uint32_t i, ir_op *const *copies, uint32_t n) {
  ir_value *v = ir_result(op, i), **pieces = arena_array(s->arena, ir_value *, n);
  for (uint32_t p = 0; p < n; p++) pieces[p] = ir_result(copies[p], i);
  if (v->type->kind == IR_TOKEN) pieces[0] = split_make(s, op, OP_join_tokens, v->type, n, pieces);
  split_set(s, v, pieces);
}

static void each_piece(splitter *s, ir_op *op) {
  const cut_tile *c = split_cut(s, op, cut_type(op));
  ir_value **operands = arena_array(s->arena, ir_value *, MAX(op->n_operands, 1));
  const ir_type **types = arena_array(s->arena, const ir_type *, MAX(op->n_results, 1));
  ir_op **copies = arena_array(s->arena, ir_op *, c->n);
  for (uint32_t p = 0; p < c->n && !s->failed; p++) {
    for (uint32_t i = 0; i < op->n_operands; i++) {
      ir_value *v = ir_operand(op, i);
      operands[i] = cut_is_needed(v->type) ? split_pieces(s, v)[p] : v;
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
      const ir_type *t = op->results[i].type;
      types[i] = cut_is_needed(t) ? split_cut(s, op, t)->pieces[p] : t;
    }
    copies[p] = split_copy(s, op, operands, types);
  }
  for (uint32_t i = 0; i < op->n_results && !s->failed; i++) set_result(s, op, i, copies, c->n);
  split_done(s, op);
}

/* ---- control flow --------------------------------------------------------------------------- */

typedef VEC(ir_value *) value_list;
typedef VEC(const ir_type *) type_list;

static void add_types(splitter *s, const ir_op *op, const ir_type *t, type_list *out) {
  if (!cut_is_needed(t)) {
    vec_push(s->arena, *out, t);
    return;
  }
  const cut_tile *c = split_cut(s, op, t);
  for (uint32_t p = 0; p < c->n; p++) vec_push(s->arena, *out, c->pieces[p]);
}

static void add_operand(splitter *s, const ir_op *op, ir_value *v, value_list *out) {
  uint32_t n = cut_is_needed(v->type) ? split_cut(s, op, v->type)->n : 1;
  ir_value **pieces = split_pieces(s, v);
  for (uint32_t p = 0; p < n; p++) vec_push(s->arena, *out, pieces[p]);
}

/* `from` becomes `to`, which has its pieces one after the other. */
static void set_values(splitter *s, const ir_op *op, ir_value *from, uint32_t n, ir_value *to) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t pieces = cut_is_needed(from[i].type) ? split_cut(s, op, from[i].type)->n : 1;
    ir_value **list = arena_array(s->arena, ir_value *, pieces);
    for (uint32_t p = 0; p < pieces; p++) list[p] = to++;
    split_set(s, &from[i], list);
  }
}

static void move_region(splitter *s, ir_op *op, ir_op *copy, unsigned r) {
  ir_block *from = op->regions[r];
  type_list types = {0};
  for (uint32_t i = 0; i < from->n_args; i++) add_types(s, op, from->args[i].type, &types);
  ir_block *to = ir_region_create(s->m, copy, r, types.len, types.data);
  set_values(s, op, from->args, from->n_args, to->args);
  for (ir_op *inner = from->first, *next; inner; inner = next) {
    next = inner->next;
    ir_op_unlink(inner);
    ir_op_append(to, inner);
  }
}

/* The operation with all pieces of what it takes, hands on and gives. */
static ir_op *expand(splitter *s, ir_op *op) {
  value_list operands = {0};
  type_list types = {0};
  unsigned groups = op_n_operands(ir_row(op));
  uint32_t *segments = arena_array(s->arena, uint32_t, MAX(groups, 1)), at = 0;
  for (unsigned g = 0; g < groups; g++) {
    uint32_t before = operands.len;
    for (uint32_t k = 0; k < op->segments[g]; k++)
      add_operand(s, op, ir_operand(op, at++), &operands);
    segments[g] = operands.len - before;
  }
  for (uint32_t i = 0; i < op->n_results; i++) add_types(s, op, op->results[i].type, &types);
  ir_op *copy = ir_op_create(s->m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                                 .loc = op->loc,
                                                 .n_operands = operands.len,
                                                 .operands = operands.data,
                                                 .segments = segments,
                                                 .n_results = types.len,
                                                 .result_types = types.data,
                                                 .n_regions = op->n_regions});
  rewrite_copy_attrs(copy, op);
  ir_op_insert_before(op, copy);
  set_values(s, op, op->results, op->n_results, copy->results);
  for (unsigned r = 0; r < op->n_regions; r++)
    if (op->regions[r]) move_region(s, op, copy, r);
  split_done(s, op);
  return copy;
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool needs_cut(const splitter *s, const ir_op *op) {
  if (cut_type(op) || split_copies(s, op)) return true;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      if (cut_is_needed(op->regions[r]->args[i].type)) return true;
  return false;
}

static bool goes_by_piece(const ir_op *op) {
  switch (op->opcode) {
  case OP_load_ptr_tko:
  case OP_store_ptr_tko:
  case OP_atomic_cas_tko:
  case OP_atomic_rmw_tko:
  case OP_assert: return true;
  default: return ir_row(op)->traits & TRAIT_ELEMENTWISE;
  }
}

static void split_assume(splitter *s, ir_op *op) {
  split_set(s, ir_result(op, 0), split_pieces(s, ir_operand(op, 0)));
  split_done(s, op);
}

static void split_op(splitter *s, ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_constant: split_constant(s, op); return;
  case OP_get_worker:
  case OP_iota: split_iota(s, op); return;
  case OP_assume: split_assume(s, op); return;
  case OP_convert_layout: split_convert(s, op); return;
  case OP_reinterpret: split_reinterpret(s, op); return;
  case OP_reshape:
  case OP_permute:
  case OP_broadcast:
  case OP_extract:
  case OP_insert:
  case OP_cat: split_shape(s, op); return;
  case OP_mmaf:
  case OP_mmai: split_product(s, op); return;
  case OP_reduce: split_reduce(s, op); return;
  case OP_scan: split_scan(s, op); return;
  case OP_load_shared: split_load_shared(s, op); return;
  case OP_store_shared: split_store_shared(s, op); return;
  case OP_store_async: split_store_async(s, op); return;
  case OP_load_global: split_load_global(s, op); return;
  case OP_store_global: split_store_global(s, op); return;
  case OP_cp_async: split_cp_async(s, op); return;
  case OP_atomic_shared:
  case OP_atomic_cas_shared: split_atomic_shared(s, op); return;
  case OP_print_tko: split_print(s, op); return;
  case OP_assert:
    if (s->how == CUT_BY_LAYOUT) break;
    split_assert(s, op);
    return;
  default: break;
  }
  if (goes_by_piece(op))
    each_piece(s, op);
  else
    split_fail(s, op, cut_type(op), "is not compiled yet; the target interp runs it");
}

static void split_block(splitter *s, ir_block *b);

static void split_regions(splitter *s, ir_op *op) {
  for (unsigned r = 0; r < op->n_regions; r++)
    if (op->regions[r]) split_block(s, op->regions[r]);
}

static void split_block(splitter *s, ir_block *b) {
  for (ir_op *op = b->first, *next; op && !s->failed; op = next) {
    next = op->next;
    bool is_control = op->opcode == OP_for || op->opcode == OP_if || op->opcode == OP_loop;
    if (!needs_cut(s, op))
      split_regions(s, op);
    else if (is_control || ir_is_terminator(op))
      split_regions(s, expand(s, op));
    else
      split_op(s, op);
  }
}

static bool is_affected(void *user, ir_op *op) {
  return !needs_cut(user, op);
}

bool split_tiles(ir_module *m, ir_op *entry, arena *a, cutting how, split_notes *notes) {
  splitter s = {.m = m, .entry = entry, .arena = a, .how = how, .notes = notes};
  if (ir_walk(entry, is_affected, &s)) return true;
  split_note_offsets(&s);
  split_block(&s, entry->regions[0]);
  while (!s.failed && s.old.len) ir_op_erase(s.old.data[--s.old.len]);
  return !s.failed;
}
