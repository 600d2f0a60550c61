/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/barriers.h"

#include "block/cells.h"
#include "block/cluster.h"
#include "block/memory.h"
#include "ir/block/clusters.h"
#include "ir/block/groups.h"
#include "opt/rewrite.h"

/* Of n mbarriers: all their counts, then all phases under way, arrivals and bytes that they lack.
 */
enum { COUNT, PHASE, ARRIVALS, BYTES, FIELDS };
/* Of each named barrier: threads that have come, and how often all have. */
enum { COME, MEETINGS, NAMED_FIELDS, NAMED = 16, WARP = 32 };
/* Of the cluster's barrier: how often each tile block has arrived, and how often each has waited.
 */
enum { CLUSTER_ARRIVED, CLUSTER_WAITED, CLUSTER_FIELDS };

/* ---- mbarriers ------------------------------------------------------------------------------ */

typedef struct spot {
  ir_value *cells, *index; /* no index: the first, or all */
  int64_t first, n;
} spot;

static spot spot_of(const barriers *b, const ir_op *op) {
  const ir_value *v = ir_operand(op, 0);
  return (spot){.cells = b->cells,
                .index = ir_operand_in(op, 1),
                .first = (int64_t)*map_get(&b->mbarriers, (uintptr_t)ir_defining_op(v)),
                .n = v->type->count};
}

static ir_value *field(const cell_maker *k, const spot *s, unsigned which) {
  return cell_pointer(k, s->cells, s->first + which * s->n, s->index);
}

static void fill(const barriers *b, const cell_maker *k, const spot *s, unsigned which,
                 int64_t number) {
  if (s->index || s->n == 1) {
    cell_store(k, field(k, s, which), cell_number(k, number));
    return;
  }
  ir_module *m = b->x->m;
  ir_value *view = memory_view(m, k->at, k->at->loc, s->cells, 1, &b->n_cells);
  ir_value *tile =
      rewrite_splat(m, k->at, ir_tile(m, TSR_I32, 0, 1, &s->n), (uint64_t)(uint32_t)number);
  ir_value *operands[] = {tile, view, cell_number(k, s->first + which * s->n)};
  ir_op_insert_before(k->at, ir_op_create(m, &(ir_op_spec){.opcode = OP_store_global,
                                                           .loc = k->at->loc,
                                                           .n_operands = 3,
                                                           .operands = operands,
                                                           .segments = (uint32_t[]){1, 1, 1, 0}}));
}

/* All mbarriers of the kernel lie in one allocation, so that their addresses are one pointer and
 * numbers: for thousands of pointers that live through the kernel registers are found in minutes
 * only. Each begins at a multiple of how many it is, so that it is filled as a tile of a view. */
static bool place_mbarrier(void *user, ir_op *op) {
  barriers *b = user;
  if (op->opcode != OP_alloc_mbarrier) return true;
  int64_t n = ir_result(op, 0)->type->count, first = (b->n_cells + n - 1) / n * n;
  *map_put(b->x->arena, &b->mbarriers, (uintptr_t)op) = (uintptr_t)first;
  b->n_cells = first + FIELDS * n;
  return true;
}

static void lower_alloc(barriers *b, ir_op *op) {
  cell_maker k = {b->x->m, op};
  spot s = {.cells = b->cells,
            .first = (int64_t)*map_get(&b->mbarriers, (uintptr_t)op),
            .n = ir_result(op, 0)->type->count};
  fill(b, &k, &s, COUNT, 0);
  fill(b, &k, &s, PHASE, 0);
}

static void lower_init(const barriers *b, ir_op *op) {
  cell_maker k = {b->x->m, op};
  spot s = spot_of(b, op);
  int64_t count = ir_int_attr(op, ATTR_count);
  fill(b, &k, &s, COUNT, count);
  fill(b, &k, &s, PHASE, 0);
  fill(b, &k, &s, ARRIVALS, count);
  fill(b, &k, &s, BYTES, 0);
}

int64_t barrier_arrivals(const ir_op *op, int64_t threads) {
  if (op->opcode == OP_mbarrier_expect) return 0;
  if (op->opcode != OP_mbarrier_arrive) return threads;
  int64_t each = ir_int_attr(op, ATTR_each), count = ir_int_attr(op, ATTR_count);
  if (each == EACH_GROUP) return count;
  return count * (each == EACH_WARP ? threads / WARP : threads);
}

int64_t barrier_bytes(const ir_op *op, int64_t threads) {
  bool expects = op->opcode == OP_mbarrier_expect || op->opcode == OP_mbarrier_arrive_expect;
  return expects ? ir_int_attr(op, ATTR_bytes) * threads : 0;
}

/* A phase is complete when no arrivals and no bytes are lacking. */
static void lower_arrive(const barriers *b, ir_op *op) {
  cell_maker k = {b->x->m, op};
  spot s = spot_of(b, op);
  int64_t threads = ir_threads_at(op).count;
  ir_value *arrivals = field(&k, &s, ARRIVALS), *bytes = field(&k, &s, BYTES),
           *phase = field(&k, &s, PHASE), *zero = cell_number(&k, 0);
  ir_value *count = cell_load(&k, field(&k, &s, COUNT));
  ir_value *lacks = cell_binary(&k, OP_subi, cell_load(&k, arrivals),
                                cell_number(&k, barrier_arrivals(op, threads)));
  ir_value *missing =
      cell_binary(&k, OP_addi, cell_load(&k, bytes), cell_number(&k, barrier_bytes(op, threads)));
  ir_value *done = cell_compare(&k, CMP_NOT_EQUAL, count, zero);
  done = cell_binary(&k, OP_andi, done, cell_compare(&k, CMP_LESS_EQUAL, lacks, zero));
  done = cell_binary(&k, OP_andi, done, cell_compare(&k, CMP_EQUAL, missing, zero));
  cell_store(&k, arrivals, cell_select(&k, done, count, lacks));
  cell_store(&k, bytes, missing);
  cell_store(&k, phase, cell_binary(&k, OP_addi, cell_load(&k, phase), cell_of_bit(&k, done)));
}

/* ---- named barriers ------------------------------------------------------------------------- */

static ir_value *named_field(const barriers *b, const cell_maker *k, const ir_op *op,
                             unsigned which) {
  return cell_pointer(k, b->named, NAMED_FIELDS * ir_int_attr(op, ATTR_id) + which, NULL);
}

static ir_value *arrive(const barriers *b, ir_op *at, const ir_op *op, int64_t threads) {
  cell_maker k = {b->x->m, at};
  ir_value *come = named_field(b, &k, op, COME), *meetings = named_field(b, &k, op, MEETINGS);
  ir_value *before = cell_load(&k, meetings);
  ir_value *now = cell_binary(&k, OP_addi, cell_load(&k, come), cell_number(&k, threads));
  ir_value *all =
      cell_compare(&k, CMP_GREATER_EQUAL, now, cell_number(&k, ir_int_attr(op, ATTR_count)));
  cell_store(&k, come, cell_select(&k, all, cell_number(&k, 0), now));
  cell_store(&k, meetings, cell_binary(&k, OP_addi, before, cell_of_bit(&k, all)));
  return before;
}

ir_value *barriers_arrive(const barriers *b, ir_op *at, const ir_op *wait) {
  return arrive(b, at, wait, (int64_t)*map_get(&b->threads, (uintptr_t)wait));
}

static void clear(const barriers *b, ir_value *cells, int64_t first, int64_t end) {
  cell_maker k = {b->x->m, ir_defining_op(cells)->next};
  for (int64_t i = first; i < end; i++)
    cell_store(&k, cell_pointer(&k, cells, i, NULL), cell_number(&k, 0));
}

/* ---- the barrier of the cluster ------------------------------------------------------------- */

static ir_value *cluster_field(const barriers *b, const cell_maker *k, int64_t rank,
                               unsigned which) {
  return cell_pointer(k, b->cluster, CLUSTER_FIELDS * rank + which, NULL);
}

static void count_on(const cell_maker *k, ir_value *cell) {
  cell_store(k, cell, cell_binary(k, OP_addi, cell_load(k, cell), cell_number(k, 1)));
}

static void arrive_at_cluster(const barriers *b, ir_op *op) {
  cell_maker k = {b->x->m, op};
  count_on(&k, cluster_field(b, &k, cluster_rank_of(op), CLUSTER_ARRIVED));
}

/* All have arrived more often than this one has waited. */
static ir_value *cluster_passed(const barriers *b, const cell_maker *k, const ir_op *wait) {
  ir_value *waited = cell_load(k, cluster_field(b, k, cluster_rank_of(wait), CLUSTER_WAITED));
  ir_value *all = NULL;
  for (uint32_t rank = 0; rank < b->cluster_size; rank++) {
    ir_value *arrived = cell_load(k, cluster_field(b, k, rank, CLUSTER_ARRIVED));
    ir_value *more = cell_compare(k, CMP_GREATER, arrived, waited);
    all = all ? cell_binary(k, OP_andi, all, more) : more;
  }
  return all;
}

void barriers_leave(const barriers *b, ir_op *at, const ir_op *wait) {
  cell_maker k = {b->x->m, at};
  if (wait->opcode == OP_cluster_wait)
    count_on(&k, cluster_field(b, &k, cluster_rank_of(wait), CLUSTER_WAITED));
}

/* ---- waits ---------------------------------------------------------------------------------- */

ir_value *barriers_passed(const barriers *b, ir_op *at, const ir_op *wait, ir_value *before) {
  cell_maker k = {b->x->m, at};
  if (wait->opcode == OP_barrier_wait)
    return cell_compare(&k, CMP_NOT_EQUAL, cell_load(&k, named_field(b, &k, wait, MEETINGS)),
                        before);
  if (wait->opcode == OP_cluster_wait) return cluster_passed(b, &k, wait);
  spot s = spot_of(b, wait);
  ir_value *begun =
      cell_compare(&k, CMP_NOT_EQUAL, cell_load(&k, field(&k, &s, COUNT)), cell_number(&k, 0));
  ir_value *differs =
      cell_binary(&k, OP_xori, cell_load(&k, field(&k, &s, PHASE)), ir_operand_in(wait, 2));
  ir_value *last = cell_binary(&k, OP_andi, differs, cell_number(&k, 1));
  return cell_binary(&k, OP_andi, begun, cell_compare(&k, CMP_NOT_EQUAL, last, cell_number(&k, 0)));
}

/* ---- the walk ------------------------------------------------------------------------------- */

static bool note_named(void *user, ir_op *op) {
  *(bool *)user |= op->opcode == OP_barrier_wait || op->opcode == OP_barrier_arrive;
  return true;
}

static bool note_cluster(void *user, ir_op *op) {
  *(bool *)user |= op->opcode == OP_cluster_wait || op->opcode == OP_cluster_arrive;
  return true;
}

static void lower_op(barriers *b, ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_alloc_mbarrier: lower_alloc(b, op); return;
  case OP_mbarrier_init: lower_init(b, op); break;
  case OP_mbarrier_arrive:
  case OP_mbarrier_expect:
  case OP_mbarrier_arrive_expect:
  case OP_cp_async_arrive: lower_arrive(b, op); break;
  case OP_cluster_arrive: arrive_at_cluster(b, op); break;
  case OP_barrier_arrive: arrive(b, op, op, ir_threads_at(op).count); break;
  case OP_barrier_wait:
    *map_put(b->x->arena, &b->threads, (uintptr_t)op) = (uintptr_t)ir_threads_at(op).count;
    return;
  default: return;
  }
  ir_op_erase(op);
}

static void lower_block(barriers *b, ir_block *body) {
  for (ir_op *op = body->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) lower_block(b, op->regions[r]);
    lower_op(b, op);
  }
}

void barriers_lower(barriers *b) {
  bool named = false, meets = false;
  ir_op *entry = b->x->entry;
  int64_t n = b->cluster_size = ir_cluster_of(entry, (uint32_t[3]){0});
  ir_walk(entry, note_named, &named);
  ir_walk(entry, note_cluster, &meets);
  ir_walk(entry, place_mbarrier, b);
  if (b->n_cells) b->cells = cells_alloca(b->x->m, entry, entry->loc, b->n_cells);
  if (named) b->named = cells_alloca(b->x->m, entry, entry->loc, n * NAMED * NAMED_FIELDS);
  if (meets) b->cluster = cells_alloca(b->x->m, entry, entry->loc, n * CLUSTER_FIELDS);
  lower_block(b, entry->regions[0]);
  if (named) clear(b, b->named, NAMED_FIELDS, n * NAMED * NAMED_FIELDS);
  if (meets) clear(b, b->cluster, 0, n * CLUSTER_FIELDS);
}
