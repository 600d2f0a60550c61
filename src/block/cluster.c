/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/cluster.h"

#include "block/cells.h"
#include "block/handles.h"
#include "ir/block/clusters.h"
#include "ir/block/groups.h"
#include "opt/fold.h"

enum { NAMED_BARRIERS = 16 };

typedef struct uniter {
  const block_lowering *x;
  uint32_t n, size[3];
  value_map *of;  /* by rank: what stands for a value of the kernel as it was */
  map uniform;    /* values that are the same in all tile blocks */
  map everywhere; /* what an allocation gives -> ir_value *[n]: what it gives in each tile block */
} uniter;

typedef VEC(ir_value *) value_list;
typedef VEC(const ir_type *) type_list;

uint32_t cluster_rank_of(const ir_op *op) {
  int64_t rank = 0;
  ir_constant_int(ir_operand(op, 0), &rank);
  return (uint32_t)rank;
}

/* ---- one tile block and its rank ------------------------------------------------------------ */

static ir_op *insert(const block_lowering *x, ir_op *at, const ir_op_spec *spec) {
  ir_op *op = ir_op_create(x->m, spec);
  ir_op_insert_before(at, op);
  return op;
}

static ir_value *map_remote(const block_lowering *x, ir_op *at, ir_value *storage, ir_value *rank) {
  ir_value *operands[] = {storage, rank};
  const ir_type *t = ir_remote(x->m, storage->type, true);
  return ir_result(rewrite_make(x->m, at, OP_map_remote, t, 2, operands), 0);
}

/* All operations that ask who the tile block is become these two. */
typedef struct identity {
  const block_lowering *x;
  ir_op *rank, *id;
} identity;

static void take_values(ir_op *from, ir_op *to) {
  for (uint32_t i = 0; i < from->n_results; i++)
    rewrite_replace_value(ir_result(from, i), ir_result(to, i));
  ir_op_erase(from);
}

static void ask_once(const identity *who, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) ask_once(who, op->regions[r]);
    if (op->opcode == OP_get_cluster_rank && op != who->rank) take_values(op, who->rank);
    if (op->opcode == OP_get_tile_block_id && op != who->id) take_values(op, who->id);
  }
}

static ir_op *ask_id(const block_lowering *x, ir_op *at) {
  const ir_type *i32 = ir_scalar(x->m, TSR_I32), *three[] = {i32, i32, i32};
  return insert(
      x, at,
      &(ir_op_spec){
          .opcode = OP_get_tile_block_id, .loc = at->loc, .n_results = 3, .result_types = three});
}

static identity make_identity(const block_lowering *x) {
  const ir_type *i32 = ir_scalar(x->m, TSR_I32);
  ir_op *at = x->entry->regions[0]->first;
  identity who = {.x = x, .rank = rewrite_make(x->m, at, OP_get_cluster_rank, i32, 0, NULL)};
  who.id = ask_id(x, at);
  ask_once(&who, x->entry->regions[0]);
  return who;
}

/* ---- operations on several tile blocks ------------------------------------------------------ */

static void add_cluster_op(const identity *who, ir_op *at, op_code opcode) {
  insert(who->x, at,
         &(ir_op_spec){.opcode = opcode,
                       .loc = at->loc,
                       .n_operands = 1,
                       .operands = (ir_value *[]){ir_result(who->rank, 0)}});
}

/* Bytes have come to a barrier: fewer are missing. One thread says so. */
static void count_bytes(const block_lowering *x, ir_op *at, const ir_type *t, ir_value *barrier,
                        ir_value *index) {
  ir_value *operands[] = {barrier, index};
  bool indexed = index != NULL;
  ir_op *elect = insert(x, at, &(ir_op_spec){.opcode = OP_elect, .loc = at->loc, .n_regions = 1});
  ir_block *body = ir_region_create(x->m, elect, 0, 0, NULL);
  ir_op *end = ir_op_create(x->m, &(ir_op_spec){.opcode = OP_yield, .loc = at->loc});
  ir_op_append(body, end);
  ir_op *made = insert(x, end,
                       &(ir_op_spec){.opcode = OP_mbarrier_expect,
                                     .loc = at->loc,
                                     .n_operands = 1 + indexed,
                                     .operands = operands,
                                     .segments = (uint32_t[]){1, indexed}});
  ir_set_int(made, ATTR_bytes, -(int64_t)tsr_elem_storage((tsr_elem)t->elem, (size_t)t->count));
}

/* store_async and bulk_copy are done where they begin. */
static void lower_store(const block_lowering *x, ir_op *op) {
  ir_value *v = ir_operand(op, 0), *to = ir_operand(op, 1);
  if (op->opcode == OP_bulk_copy) {
    const ir_type *s = v->type, *t = ir_tile(x->m, (tsr_elem)s->elem, 0, s->rank, s->shape);
    v = ir_result(rewrite_make(x->m, op, OP_load_shared, t, 1, &v), 0);
  }
  insert(x, op,
         &(ir_op_spec){.opcode = OP_store_shared,
                       .loc = op->loc,
                       .n_operands = 2,
                       .operands = (ir_value *[]){v, to}});
  count_bytes(x, op, to->type, ir_operand_in(op, 2), ir_operand_in(op, 3));
  ir_op_erase(op);
}

/* The copy to the tile block of one rank. */
static void copy_to(const block_lowering *x, ir_op *op, ir_op *at, uint32_t rank) {
  value_map same = {.arena = x->arena};
  ir_value *number = cell_number(&(cell_maker){x->m, at}, rank);
  value_map_set(&same, ir_operand_in(op, 2), map_remote(x, at, ir_operand_in(op, 2), number));
  value_map_set(&same, ir_operand_in(op, 3), map_remote(x, at, ir_operand_in(op, 3), number));
  uint32_t segments[6], n = op->n_operands - 1; /* the mask is the last */
  value_list operands = {0};
  memcpy(segments, op->segments, sizeof segments);
  segments[5] = 0;
  for (uint32_t i = 0; i < n; i++)
    vec_push(x->arena, operands, value_map_get(&same, ir_operand(op, i)));
  ir_op *copy = insert(x, at,
                       &(ir_op_spec){.opcode = (op_code)op->opcode,
                                     .loc = op->loc,
                                     .n_operands = n,
                                     .operands = operands.data,
                                     .segments = segments});
  rewrite_copy_attrs(copy, op);
}

static void lower_multicast(const block_lowering *x, ir_op *op) {
  uint32_t size[3], n = ir_cluster_of(x->entry, size);
  ir_value *mask = ir_operand_in(op, 5);
  for (uint32_t rank = 0; rank < n; rank++) {
    cell_maker k = {x->m, op};
    ir_value *bit = cell_binary(&k, OP_andi, mask, cell_number(&k, INT64_C(1) << rank));
    ir_value *gets = cell_compare(&k, CMP_NOT_EQUAL, bit, cell_number(&k, 0));
    copy_to(x, op, cell_branch(&k, gets)->last, rank);
  }
  ir_op_erase(op);
}

static void lower_op(const identity *who, ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_store_async:
  case OP_bulk_copy: lower_store(who->x, op); return;
  case OP_tensor_load:
  case OP_bulk_load:
    if (ir_multicast_of(op)) lower_multicast(who->x, op);
    return;
  case OP_cluster_barrier:
    add_cluster_op(who, op, OP_cluster_arrive);
    add_cluster_op(who, op, OP_cluster_wait);
    break;
  case OP_cluster_arrive:
  case OP_cluster_wait: add_cluster_op(who, op, (op_code)op->opcode); break;
  default: return;
  }
  ir_op_erase(op);
}

static void lower_block(const identity *who, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) lower_block(who, op->regions[r]);
    lower_op(who, op);
  }
}

/* ---- allocations that others use ------------------------------------------------------------ */

/* What is a part of; a value that control flow hands on is its own origin. */
static ir_value *origin(ir_value *v) {
  const ir_op *made = ir_defining_op(v);
  while (made && (made->opcode == OP_subview || made->opcode == OP_permute_view)) {
    v = ir_operand(made, 0);
    made = ir_defining_op(v);
  }
  return v;
}

static bool is_alloc(const ir_op *op) {
  return op && (op->opcode == OP_alloc_shared || op->opcode == OP_alloc_mbarrier);
}

typedef struct remotes {
  arena *arena;
  op_list list;
} remotes;

static bool note_remote(void *user, ir_op *op) {
  remotes *all = user;
  if (op->opcode == OP_map_remote) vec_push(all->arena, all->list, op);
  return true;
}

/* It is there from the kernel's beginning to its end. */
static void hoist(const block_lowering *x, const ir_op *op) {
  ir_value *whole = origin(ir_operand(op, 0));
  ir_op *made = ir_defining_op(whole), *first = x->entry->regions[0]->first;
  for (ir_use *u = whole->uses, *next; u; u = next) {
    next = u->next;
    if (u->user->opcode == OP_free_shared) ir_op_erase(u->user);
  }
  if (made != first) rewrite_move_before(first, made);
}

static bool maps_handed(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_map_remote || is_alloc(ir_defining_op(origin(ir_operand(op, 0))));
}

/* What loops and branches hand on becomes a part of an allocation before it is mapped. */
static bool resolve_mapped(block_lowering *x) {
  if (ir_walk(x->entry, maps_handed, NULL)) return true;
  x->known = facts_compute(x->entry, x->arena);
  return handles_resolve(x);
}

bool cluster_prepare(block_lowering *x) {
  identity who = make_identity(x);
  remotes all = {.arena = x->arena};
  lower_block(&who, x->entry->regions[0]);
  if (!resolve_mapped(x)) return false;
  ir_walk(x->entry, note_remote, &all);
  for (uint32_t i = 0; i < all.list.len; i++) hoist(x, all.list.data[i]);
  return true;
}

/* ---- what all tile blocks do alike ---------------------------------------------------------- */

static bool is_uniform(const uniter *u, const ir_value *v) {
  return map_get(&u->uniform, (uintptr_t)v) != NULL;
}

static void set_uniform(uniter *u, const ir_value *v) {
  *map_put(u->x->arena, &u->uniform, (uintptr_t)v) = 1;
}

static bool is_paced(const uniter *u, const ir_op *loop) {
  for (uint32_t i = 0; i < 3; i++)
    if (!is_uniform(u, ir_operand(loop, i))) return false;
  return true;
}

static bool note_uniform(void *user, ir_op *op) {
  uniter *u = user;
  if (op->opcode == OP_for && is_paced(u, op)) set_uniform(u, ir_counter(op));
  bool same = ir_only_computes(op) && !op->n_regions && op->opcode != OP_get_cluster_rank &&
              op->opcode != OP_get_tile_block_id;
  for (uint32_t i = 0; i < op->n_operands && same; i++) same = is_uniform(u, ir_operand(op, i));
  for (uint32_t i = 0; i < op->n_results && same; i++) set_uniform(u, ir_result(op, i));
  return true;
}

static bool is_no_meeting(void *user, ir_op *op) {
  (void)user;
  op_group group = (op_group)ir_row(op)->group;
  return group != GROUP_MBARRIER && op->opcode != OP_barrier_arrive &&
         op->opcode != OP_barrier_wait && op->opcode != OP_cluster_arrive &&
         op->opcode != OP_cluster_wait;
}

/* Whether the regions are there once, for all tile blocks. */
static bool is_joined(const uniter *u, ir_op *op) {
  if (!op->n_regions || ir_walk(op, is_no_meeting, NULL)) return false;
  if (op->opcode == OP_for) return is_paced(u, op) && !has_early_exit(op->regions[0]);
  if (op->opcode == OP_if) return is_uniform(u, ir_operand(op, 0)) && !can_leave(op);
  return op->opcode == OP_roles || ir_is_group(op);
}

/* ---- copies --------------------------------------------------------------------------------- */

/* Each tile block has named barriers of its own. */
static bool renumber(void *user, ir_op *op) {
  const uint32_t *rank = user;
  if (op->opcode == OP_barrier_arrive || op->opcode == OP_barrier_wait)
    ir_set_int(op, ATTR_id, ir_int_attr(op, ATTR_id) + NAMED_BARRIERS * *rank);
  return true;
}

static void append(uniter *u, ir_block *to, ir_op *op, uint32_t rank) {
  ir_op *copy = rewrite_clone(u->x->m, op, &u->of[rank]);
  ir_op_append(to, copy);
  ir_walk(copy, renumber, &rank);
}

/* An allocation that others use is known by what it gives in each tile block. */
static void append_alloc(uniter *u, ir_block *to, ir_op *op) {
  ir_value **all = arena_array(u->x->arena, ir_value *, u->n);
  for (uint32_t rank = 0; rank < u->n; rank++) {
    append(u, to, op, rank);
    all[rank] = value_map_get(&u->of[rank], ir_result(op, 0));
    *map_put(u->x->arena, &u->everywhere, (uintptr_t)all[rank]) = (uintptr_t)all;
  }
}

/* The same operands in all tile blocks, and from `first` on those of each. */
static value_list all_operands(uniter *u, const ir_op *op, uint32_t first) {
  value_list list = {0};
  for (uint32_t i = 0; i < first; i++)
    vec_push(u->x->arena, list, value_map_get(&u->of[0], ir_operand(op, i)));
  for (uint32_t rank = 0; rank < u->n; rank++)
    for (uint32_t i = first; i < op->n_operands; i++)
      vec_push(u->x->arena, list, value_map_get(&u->of[rank], ir_operand(op, i)));
  return list;
}

static type_list all_types(uniter *u, const ir_value *values, uint32_t first, uint32_t n) {
  type_list list = {0};
  for (uint32_t i = 0; i < first; i++) vec_push(u->x->arena, list, values[i].type);
  for (uint32_t rank = 0; rank < u->n; rank++)
    for (uint32_t i = first; i < n; i++) vec_push(u->x->arena, list, values[i].type);
  return list;
}

static void map_all(uniter *u, ir_value *from, uint32_t first, uint32_t n, ir_value *to) {
  for (uint32_t rank = 0; rank < u->n; rank++)
    for (uint32_t i = 0; i < n; i++)
      value_map_set(&u->of[rank], &from[i], &to[i < first ? i : rank * (n - first) + i]);
}

static void append_block(uniter *u, ir_block *to, ir_block *from);

static void append_end(uniter *u, ir_block *to, const ir_op *op) {
  value_list operands = all_operands(u, op, 0);
  ir_op_append(to, ir_op_create(u->x->m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                                       .loc = op->loc,
                                                       .n_operands = operands.len,
                                                       .operands = operands.data}));
}

static void append_joined(uniter *u, ir_block *to, ir_op *op) {
  bool counts = op->opcode == OP_for;
  value_list operands = all_operands(u, op, counts ? 3 : op->n_operands);
  type_list types = all_types(u, op->results, 0, op->n_results);
  ir_op *all = ir_op_create(u->x->m, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                                   .loc = op->loc,
                                                   .n_operands = operands.len,
                                                   .operands = operands.data,
                                                   .n_results = types.len,
                                                   .result_types = types.data,
                                                   .n_regions = op->n_regions});
  rewrite_copy_attrs(all, op);
  ir_op_append(to, all);
  map_all(u, op->results, 0, op->n_results, all->results);
  for (unsigned r = 0; r < op->n_regions; r++) {
    ir_block *from = op->regions[r];
    if (!from) continue;
    type_list args = all_types(u, from->args, counts, from->n_args);
    ir_block *body = ir_region_create(u->x->m, all, r, args.len, args.data);
    map_all(u, from->args, counts, from->n_args, body->args);
    append_block(u, body, from);
  }
}

/* What stands for its results is known by then. */
static bool asks_who(const ir_op *op) {
  return op->opcode == OP_get_cluster_rank || op->opcode == OP_get_tile_block_id;
}

static void append_block(uniter *u, ir_block *to, ir_block *from) {
  for (ir_op *op = from->first; op; op = op->next)
    if (ir_is_terminator(op))
      append_end(u, to, op);
    else if (asks_who(op))
      continue;
    else if (is_joined(u, op))
      append_joined(u, to, op);
    else if (is_alloc(op))
      append_alloc(u, to, op);
    else
      for (uint32_t rank = 0; rank < u->n; rank++) append(u, to, op, rank);
}

/* The allocations that others use precede all others; the groups follow them. */
static void append_groups(uniter *u, ir_block *to, ir_block *from) {
  int64_t threads = ir_int_attr(u->x->entry, ATTR_threads);
  ir_op *first = from->first;
  for (; is_alloc(first); first = first->next) append_alloc(u, to, first);
  for (uint32_t rank = 0; rank < u->n; rank++) {
    ir_op *group = ir_op_create(
        u->x->m, &(ir_op_spec){.opcode = OP_group, .loc = u->x->entry->loc, .n_regions = 1});
    ir_set_int(group, ATTR_first, threads * rank);
    ir_set_int(group, ATTR_end, threads * (rank + 1));
    ir_op_append(to, group);
    ir_block *body = ir_region_create(u->x->m, group, 0, 0, NULL);
    for (ir_op *op = first; op != from->last; op = op->next)
      if (!asks_who(op)) append(u, body, op, rank);
    ir_op_append(body,
                 ir_op_create(u->x->m, &(ir_op_spec){.opcode = OP_yield, .loc = from->last->loc}));
  }
  ir_op_append(to,
               ir_op_create(u->x->m, &(ir_op_spec){.opcode = OP_return, .loc = from->last->loc}));
  ir_set_int(u->x->entry, ATTR_threads, threads * u->n);
}

/* ---- who each of them is -------------------------------------------------------------------- */

/* The position of the tile block with rank 0, of which the launched one is. */
static void find_first(const uniter *u, ir_op *at, ir_value *first[3]) {
  cell_maker k = {u->x->m, at};
  const ir_op *id = ask_id(u->x, at);
  for (unsigned d = 0; d < 3; d++) {
    first[d] = ir_result(id, d);
    if (u->size[d] == 1) continue;
    ir_value *size = cell_number(&k, u->size[d]);
    ir_value *number = cell_binary(&k, OP_divi, first[d], size);
    ir_set_int(number->owner.op, ATTR_signedness, SIGN_UNSIGNED);
    first[d] = cell_binary(&k, OP_muli, number, size);
  }
}

static const ir_op *find_op(const ir_block *b, op_code opcode) {
  const ir_op *op = b->first;
  while (op->opcode != opcode) op = op->next;
  return op;
}

/* At the beginning of the kernel, whose operations are set aside. */
static void name_blocks(uniter *u, ir_block *body, const ir_block *aside) {
  const ir_op *rank_op = find_op(aside, OP_get_cluster_rank),
              *id = find_op(aside, OP_get_tile_block_id);
  ir_op *end = ir_op_create(u->x->m, &(ir_op_spec){.opcode = OP_return, .loc = aside->last->loc});
  ir_op_append(body, end);
  ir_value *first[3];
  cell_maker k = {u->x->m, end};
  find_first(u, end, first);
  for (uint32_t rank = 0; rank < u->n; rank++) {
    uint32_t by[] = {rank % u->size[0], rank / u->size[0] % u->size[1],
                     rank / u->size[0] / u->size[1]};
    value_map_set(&u->of[rank], ir_result(rank_op, 0), cell_number(&k, rank));
    for (unsigned d = 0; d < 3; d++) {
      ir_value *v = first[d];
      if (by[d]) v = cell_binary(&k, OP_addi, v, cell_number(&k, by[d]));
      value_map_set(&u->of[rank], ir_result(id, d), v);
    }
  }
  ir_op_erase(end);
}

/* ---- other tile blocks' allocations --------------------------------------------------------- */

/* The same part of the allocation that another tile block has. */
static ir_value *part_in(const uniter *u, ir_op *at, ir_value *v, uint32_t rank) {
  ir_value **all = map_ptr(&u->everywhere, v);
  if (all) return all[rank];
  const ir_op *made = ir_defining_op(v);
  value_map same = {.arena = u->x->arena};
  value_map_set(&same, ir_operand(made, 0), part_in(u, at, ir_operand(made, 0), rank));
  ir_op *copy = rewrite_clone_shell(u->x->m, made, &same);
  ir_op_insert_before(at, copy);
  return ir_result(copy, 0);
}

static void yield(const uniter *u, ir_op *choice, unsigned region, ir_value *v) {
  ir_op_append(choice->regions[region], ir_op_create(u->x->m, &(ir_op_spec){.opcode = OP_yield,
                                                                            .loc = choice->loc,
                                                                            .n_operands = 1,
                                                                            .operands = &v}));
}

/* By a rank that is not known: a branch for each but the last. */
static ir_value *choose_part(const uniter *u, ir_op *op) {
  ir_value *parts[IR_MOST_CLUSTER], *rank = ir_operand(op, 1);
  cell_maker k = {u->x->m, op};
  for (uint32_t r = 0; r < u->n; r++) parts[r] = part_in(u, op, ir_operand(op, 0), r);
  ir_value *v = parts[u->n - 1];
  for (uint32_t r = u->n - 1; r-- > 0;) {
    ir_value *is = cell_compare(&k, CMP_EQUAL, rank, cell_number(&k, r));
    ir_op *choice = insert(u->x, op,
                           &(ir_op_spec){.opcode = OP_if,
                                         .loc = op->loc,
                                         .n_operands = 1,
                                         .operands = &is,
                                         .n_results = 1,
                                         .result_types = &parts[r]->type,
                                         .n_regions = 2});
    ir_region_create(u->x->m, choice, 0, 0, NULL);
    ir_region_create(u->x->m, choice, 1, 0, NULL);
    yield(u, choice, 0, parts[r]);
    yield(u, choice, 1, v);
    v = ir_result(choice, 0);
  }
  return v;
}

static void resolve_block(const uniter *u, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) resolve_block(u, op->regions[r]);
    if (op->opcode != OP_map_remote) continue;
    int64_t rank;
    ir_value *v = ir_constant_int(ir_operand(op, 1), &rank)
                      ? part_in(u, op, ir_operand(op, 0), (uint32_t)rank % u->n)
                      : choose_part(u, op);
    rewrite_replace_op(op, &v);
  }
}

/* What follows from ranks that are known. */
static void fold_block(folder *f, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) fold_block(f, op->regions[r]);
    if (op->n_results != 1 || !ir_is_scalar(ir_result(op, 0)->type) || !ir_only_computes(op))
      continue;
    ir_value *v = fold_constants(f, op);
    if (v) rewrite_replace_op(op, &v);
  }
}

static void settle_type(const uniter *u, ir_value *v) {
  bool is_handle = v->type->kind == IR_SHARED || v->type->kind == IR_MBARRIER;
  if (is_handle && v->type->remote) v->type = ir_remote(u->x->m, v->type, false);
}

static bool settle_types(void *user, ir_op *op) {
  const uniter *u = user;
  for (uint32_t i = 0; i < op->n_results; i++) settle_type(u, &op->results[i]);
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      settle_type(u, &op->regions[r]->args[i]);
  return true;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Takes the kernel's operations to a place of their own. */
static ir_block *set_aside(const block_lowering *x) {
  ir_op *holder =
      ir_op_create(x->m, &(ir_op_spec){.opcode = OP_group, .loc = x->entry->loc, .n_regions = 1});
  ir_block *aside = ir_region_create(x->m, holder, 0, 0, NULL);
  for (ir_op *op = x->entry->regions[0]->first, *next; op; op = next) {
    next = op->next;
    ir_op_unlink(op);
    ir_op_append(aside, op);
  }
  return aside;
}

static void erase_all(ir_block *b) {
  while (b->last) ir_op_erase(b->last);
}

bool cluster_unite(const block_lowering *x, cluster_form form) {
  uniter u = {.x = x, .n = ir_cluster_of(x->entry, (uint32_t[3]){0})};
  ir_block *body = x->entry->regions[0];
  if (form == CLUSTER_IN_STEP && u.n > 1 && has_early_exit(body)) return false;
  ir_cluster_of(x->entry, u.size);
  u.of = arena_array(x->arena, value_map, u.n);
  for (uint32_t rank = 0; rank < u.n; rank++) u.of[rank] = (value_map){.arena = x->arena};
  for (uint32_t i = 0; i < body->n_args; i++) set_uniform(&u, &body->args[i]);
  ir_walk(x->entry, note_uniform, &u);
  ir_block *aside = set_aside(x);
  name_blocks(&u, body, aside);
  if (form == CLUSTER_AS_GROUPS)
    append_groups(&u, body, aside);
  else
    append_block(&u, body, aside);
  erase_all(aside);
  folder f = {.m = x->m, .temp = x->arena};
  fold_block(&f, body);
  resolve_block(&u, body);
  ir_walk(x->entry, settle_types, &u);
  return true;
}

void cluster_skip_others(const block_lowering *x) {
  uint32_t size[3];
  ir_cluster_of(x->entry, size);
  ir_op *at = x->entry->regions[0]->first;
  cell_maker k = {x->m, at};
  const ir_op *id = ask_id(x, at);
  ir_value *other = NULL;
  for (unsigned d = 0; d < 3; d++) {
    if (size[d] == 1) continue;
    ir_value *rest = cell_binary(&k, OP_remi, ir_result(id, d), cell_number(&k, size[d]));
    ir_set_int(rest->owner.op, ATTR_signedness, SIGN_UNSIGNED);
    ir_value *is = cell_compare(&k, CMP_NOT_EQUAL, rest, cell_number(&k, 0));
    other = other ? cell_binary(&k, OP_ori, other, is) : is;
  }
  if (!other) return;
  ir_block *leaves = cell_branch(&k, other);
  ir_op_erase(leaves->last);
  ir_op_append(leaves, ir_op_create(x->m, &(ir_op_spec){.opcode = OP_return, .loc = at->loc}));
}
