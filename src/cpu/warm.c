/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a later tile block on the thread will load.
 *
 * Tile blocks that transpose go in bands (grid.c). The next step of a band is far enough away for
 * memory to answer, and near enough for the second-level cache.
 *
 * Rows that a tile block goes through more than once:
 *
 *   for %j … { load %x[%row, %j]; … }       a sum, say
 *   for %j … { load %x[%row, %j]; … }       what it is needed for
 *
 * The first loop waits for memory. The second one finds its lines in a cache, and memory has
 * nothing to do; so its loads also fetch what the next tile block on the thread will look for in
 * the first loop. Loops that store keep memory busy, unless they compute much.
 */
#include "cpu/lower.h"

enum { MAX_USES = 64 }; /* of a view, that are looked at */

/* The loop whose body the operation is in; NULL: another place. */
static const ir_op *loop_of(const ir_op *op) {
  const ir_op *loop = op->block->parent;
  return loop && loop->opcode == OP_for ? loop : NULL;
}

static bool is_weak_load(const ir_op *op) {
  return op->opcode == OP_load_view_tko &&
         ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

/* Does `earlier` load, in a loop before that of `op`, all that `op` will? */
static bool loads_before(lower *l, const ir_op *earlier, const ir_op *op) {
  const ir_op *first = loop_of(earlier), *loop = loop_of(op);
  if (!is_weak_load(earlier) || !first || first == loop || first->block != loop->block)
    return false;
  if (plan_order_of(l, first) > plan_order_of(l, loop) || !for_same_rounds(first, loop))
    return false;
  return access_same_place(earlier, first, op, loop);
}

/* Has an earlier loop loaded the same? */
static bool is_again(lower *l, const ir_op *op) {
  unsigned seen = 0;
  for (const ir_use *u = ir_operand(op, 0)->uses; u && seen < MAX_USES; u = u->next, seen++)
    if (u->user != op && loads_before(l, u->user, op)) return true;
  return false;
}

/* By how much the scalar grows from one tile block to the next along `dim`, an i64; NULL: that is
 * not known. */
static llv growth_of(lower *l, ir_value *v, unsigned dim) {
  if (!grid_follows(v, dim)) return k64(l, 0);
  const ir_op *op = ir_defining_op(v);
  if (!op) return NULL;
  if (op->opcode == OP_get_tile_block_id) return k64(l, 1);
  if (op->opcode != OP_addi && op->opcode != OP_muli) return NULL;
  ir_value *a = ir_operand(op, 0), *b = ir_operand(op, 1);
  llv of_a = growth_of(l, a, dim), of_b = growth_of(l, b, dim);
  if (!of_a || !of_b) return NULL;
  if (op->opcode == OP_addi) return fold_add(l, of_a, of_b);
  if (grid_follows(a, dim) && grid_follows(b, dim)) return NULL;
  ir_value *fixed = grid_follows(a, dim) ? b : a;
  llv by = LLVMBuildSExtOrBitCast(l->e.b, scalar_of(l, fixed), l->e.i64, "");
  return fold_mul(l, fixed == b ? of_a : of_b, by);
}

/* Bytes from the tile to that of the next tile block. */
static llv distance_of(lower *l, const ir_op *op, unsigned dim) {
  const ir_type *t = ir_operand(op, 0)->type;
  const view *v = value_of(l, ir_operand(op, 0))->view;
  uint32_t n;
  const ir_use *index = access_indices(op, &n);
  llv elements = k64(l, 0);
  for (uint32_t d = 0; d < n; d++) {
    llv growth = growth_of(l, index[d].value, dim);
    if (!growth) return NULL;
    growth = fold_mul(l, growth, k64(l, access_tile_distance(t, d)));
    unsigned in_view = t->dim_map ? (unsigned)t->dim_map[d] : d;
    elements = fold_add(l, elements, fold_mul(l, growth, v->stride[in_view]));
  }
  return fold_mul(l, elements, k64(l, tsr_elem_bits(t->elem) / 8));
}

static bool is_nowhere(llv by) {
  int64_t same;
  return !by || (is_const(by, &same) && same == 0);
}

/* A band goes on along `dim`; behind its last step comes the first one of the next band. Launches
 * that aren't planes have no bands. */
static void find_step(lower *l, const ir_op *op, access *a) {
  LLVMBuilderRef b = l->e.b;
  const ir_value *from = ir_operand(op, 0);
  unsigned dim = l->order.along_y ? 0 : 1;
  if (op->block->parent->opcode != OP_entry || grid_follows(from, 0) || grid_follows(from, 1))
    return;
  llv by = distance_of(l, op, dim), across = distance_of(l, op, 1 - dim);
  if (is_nowhere(by) || !across) return;
  llv steps = grid_extent(l, dim), left = fold_add(l, steps, k64(l, -1));
  llv last = LLVMBuildICmp(b, LLVMIntEQ, grid_place(l, dim), left, "");
  llv back = LLVMBuildSub(b, fold_mul(l, across, k64(l, l->order.band)), fold_mul(l, by, left), "");
  llv plane = LLVMBuildICmp(b, LLVMIntEQ, grid_extent(l, 2), k64(l, 1), "");
  for (unsigned d = 0; d < 2; d++) {
    llv wide = LLVMBuildICmp(b, LLVMIntUGT, grid_extent(l, d), k64(l, 1), "");
    plane = LLVMBuildAnd(b, plane, wide, "");
  }
  by = LLVMBuildSelect(b, last, back, by, "");
  a->step = LLVMBuildSelect(b, plane, by, k64(l, 0), "step");
}

void warm_find(lower *l, const ir_op *op, access *a) {
  const ir_value *from = ir_operand(op, 0);
  const ir_type *t = from->type;
  unsigned dim = l->order.along_y ? 1 : 0;
  if (!is_weak_load(op) || t->kind == IR_GATHER_SCATTER_VIEW || tsr_elem_bits(t->elem) < 8) return;
  if (l->order.band) find_step(l, op, a);
  if (!loop_of(op) || grid_follows(from, dim) || !is_again(l, op)) return;
  llv by = distance_of(l, op, dim);
  if (is_nowhere(by)) return;
  a->next = by;
  a->again = fold_mul(l, for_rounds(l, loop_of(op)), k64(l, t->tile->count * access_unit(a)));
}

/* Long rows the processor fetches well by itself once it has seen where they begin, and what is too
 * much for the cache would push out what is needed. A nest that computes much needs its help
 * longer.
 */
llv warm_distance(nest *n, const access *a) {
  lower *l = n->l;
  int64_t most = cpu_l2_bytes(&l->e.options) / (n->prefetch == PREFETCH_WARM ? 32 : 4);
  nest_place_level(n, 0);
  llv fits = LLVMBuildICmp(l->e.b, LLVMIntULE, a->again, k64(l, most), "");
  llv by = LLVMBuildSelect(l->e.b, fits, a->next, k64(l, 0), "next");
  nest_place_level(n, n->n_levels - 1);
  return by;
}
