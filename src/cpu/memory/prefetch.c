/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What will be loaded later.
 *
 * Steps: the loop's next round, or else the thread's next tile block, loads a tile that begins some
 * bytes after this one; in a band of tile blocks that transpose (grid.c) its next step does. That
 * is far enough away for memory to answer, and near enough for the second-level cache. A tile's
 * rows are short pieces of memory's: the processor, which fetches what follows in memory, sees
 * where the next ones begin when they are waited for.
 *
 * Rows that a tile block reads more than once:
 *
 *   for %j … { load %x[%row, %j]; … }       a sum, say
 *   for %j … { load %x[%row, %j]; … }       what it is needed for
 *
 * The first loop waits for memory. The second one finds its lines in a cache, and memory has
 * nothing to do; so its loads also fetch what the next tile block on the thread will look for in
 * the first loop. Loops that store keep memory busy, unless they compute much; but some processors
 * have more room during non-temporal stores than while they load (few_fill_buffers).
 */
#include "cpu/memory/prefetch.h"

#include "cpu/core/fold.h"
#include "cpu/plan/access.h"
#include "cpu/plan/grid.h"
#include "cpu/plan/plan.h"
#include "cpu/nest/scalar.h"
#include "cpu/memory/streaming.h"

enum {
  MAX_USES = 64,   /* of a view, or operations, that are looked at */
  MAX_DEPTH = 16,  /* of expressions of pointers */
  NEAR = 8 << 10,  /* bytes that are loaded before memory has answered */
  MOST_AHEAD = 16, /* tiles */
};

/* The loop whose body the operation is in; NULL: another place. */
static const ir_op *loop_of(const ir_op *op) {
  const ir_op *loop = op->block->parent;
  return loop && loop->opcode == OP_for ? loop : NULL;
}

static bool is_weak_load(const ir_op *op) {
  return ir_is_load(op) && ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

static const ir_type *loaded_tile(const ir_op *load) {
  return ir_result(load, 0)->type;
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

/* Do the values say the same in their loops' rounds, as far as opcodes tell? */
static bool says_same(const ir_value *a, const ir_op *in_a, const ir_value *b, const ir_op *in_b,
                      unsigned depth) {
  if (a == b || (a == ir_counter(in_a) && b == ir_counter(in_b))) return true;
  const ir_op *x = ir_defining_op(a), *y = ir_defining_op(b);
  if (!x || !y || depth == MAX_DEPTH || x->opcode != y->opcode) return false;
  if (a->type != b->type || x->n_operands == 0 || x->n_operands != y->n_operands) return false;
  if (!(ir_row(x)->traits & TRAIT_ELEMENTWISE) && x->opcode != OP_broadcast &&
      x->opcode != OP_reshape)
    return false;
  for (uint32_t i = 0; i < x->n_operands; i++)
    if (!says_same(ir_operand(x, i), in_a, ir_operand(y, i), in_b, depth + 1)) return false;
  return true;
}

/* Has an earlier loop loaded through the same pointers? */
static bool points_again(const ir_op *op) {
  const ir_op *loop = loop_of(op);
  unsigned seen = 0;
  for (const ir_op *first = loop->prev; first && seen < MAX_USES; first = first->prev, seen++) {
    if (first->opcode != OP_for || !for_same_rounds(first, loop)) continue;
    for (const ir_op *x = ir_region(first, 0)->first; x; x = x->next)
      if (x->opcode == OP_load_ptr_tko && is_weak_load(x) &&
          says_same(ir_operand(x, 0), first, ir_operand(op, 0), loop, 0))
        return true;
  }
  return false;
}

/* Has an earlier loop loaded the same? */
static bool is_again(lower *l, const ir_op *op) {
  unsigned seen = 0;
  if (op->opcode == OP_load_ptr_tko) return points_again(op);
  for (const ir_use *u = ir_operand(op, 0)->uses; u && seen < MAX_USES; u = u->next, seen++)
    if (u->user != op && loads_before(l, u->user, op)) return true;
  return false;
}

/* What an index may grow with: a loop's counter, or else the tile block's place along `dim`. */
typedef struct walk {
  const ir_value *counter;
  unsigned dim;
} walk;

static bool follows(const ir_value *v, const walk *w) {
  return w->counter ? value_follows(v, w->counter) : grid_follows(v, w->dim);
}

static llv signed64(lower *l, ir_value *scalar) {
  return LLVMBuildSExtOrBitCast(l->e.b, scalar_of(l, scalar), l->e.i64, "");
}

static unsigned pointed_bits(const ir_value *pointers) {
  unsigned bits = tsr_elem_bits((tsr_elem)pointers->type->pointee);
  return MAX(bits, 8);
}

static llv growth_of(lower *l, ir_value *v, const walk *w);

/* Of a product, one of whose factors stays and is the same in all elements. */
static llv growth_of_product(lower *l, const ir_op *op, const walk *w) {
  ir_value *a = ir_operand(op, 0), *b = ir_operand(op, 1);
  if (follows(a, w) && follows(b, w)) return NULL;
  ir_value *fixed = plan_uniform(follows(a, w) ? b : a);
  llv growth = fixed ? growth_of(l, follows(a, w) ? a : b, w) : NULL;
  return growth ? fold_mul(l, growth, signed64(l, fixed)) : NULL;
}

/* Of a quotient by a number that divides what it grows by; where it falls is of no matter. */
static llv growth_of_quotient(lower *l, const ir_op *op, const walk *w) {
  int64_t divisor, growth;
  llv by = growth_of(l, ir_operand(op, 0), w);
  if (!ir_constant_int(ir_operand(op, 1), &divisor) || !by || !is_const(by, &growth)) return NULL;
  if (op->opcode == OP_shri) divisor = divisor < 32 ? INT64_C(1) << divisor : 0;
  return divisor > 0 && growth % divisor == 0 ? k64(l, growth / divisor) : NULL;
}

/* By how much every element grows, in numbers or bytes, when that does by 1, an i64; NULL: that is
 * not known. */
static llv growth_of(lower *l, ir_value *v, const walk *w) {
  if (!follows(v, w)) return k64(l, 0);
  const ir_op *op = ir_defining_op(v);
  if (v == w->counter || (op && op->opcode == OP_get_tile_block_id)) return k64(l, 1);
  if (!op) return NULL;
  switch (op->opcode) {
  case OP_muli: return growth_of_product(l, op, w);
  case OP_divi:
  case OP_shri: return growth_of_quotient(l, op, w);
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume:
  case OP_exti: return growth_of(l, ir_operand(op, 0), w);
  case OP_addi:
  case OP_subi:
  case OP_offset: {
    llv a = growth_of(l, ir_operand(op, 0), w), b = growth_of(l, ir_operand(op, 1), w);
    if (!a || !b) return NULL;
    if (op->opcode == OP_subi) return LLVMBuildSub(l->e.b, a, b, "");
    if (op->opcode == OP_offset) b = fold_mul(l, b, k64(l, pointed_bits(v) / 8));
    return fold_add(l, a, b);
  }
  default: return NULL;
  }
}

/* Bytes from the tile to that of the next round or tile block; NULL: that is not known. */
static llv distance_of(lower *l, const ir_op *op, walk w) {
  if (op->opcode == OP_load_ptr_tko) return growth_of(l, ir_operand(op, 0), &w);
  const ir_type *t = ir_operand(op, 0)->type;
  const view *v = value_of(l, ir_operand(op, 0))->view;
  uint32_t n;
  const ir_use *index = access_indices(op, &n);
  llv elements = k64(l, 0);
  if (follows(ir_operand(op, 0), &w)) return NULL;
  for (uint32_t d = 0; d < n; d++) {
    llv growth = growth_of(l, index[d].value, &w);
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

/* Things continue from 0 to `count`, each `by` bytes after the one before, and then with the next
 * row of them, `across` bytes from this one: from number `at` to that which is `ahead` further on.
 */
static llv further_on(lower *l, llv at, llv count, llv by, llv across, llv ahead) {
  LLVMBuilderRef b = l->e.b;
  llv reached = LLVMBuildAdd(b, at, ahead, "reached");
  llv ends = LLVMBuildICmp(b, LLVMIntSGE, reached, count, "");
  llv in_next = LLVMBuildSub(b, ahead, count, "");
  llv beyond = fold_add(l, across, LLVMBuildMul(b, in_next, by, ""));
  return LLVMBuildSelect(b, ends, beyond, fold_mul(l, by, ahead), "");
}

/* Of small tiles not the next one, for which it is too late. Those in one piece the processor
 * follows by itself. */
static llv tiles_ahead(lower *l, const ir_type *tile) {
  int64_t ahead = NEAR / (tile->count * tsr_elem_bits(tile->elem) / 8);
  for (uint32_t d = 0; d < tile->rank; d++)
    if (tile->shape[d] == tile->count) ahead = 1;
  return k64(l, MAX(MIN(ahead, MOST_AHEAD), 1));
}

/* Tile blocks continue along one dimension, bands along the other; launches that aren't planes have
 * no bands. NULL: it isn't known, or there is no step. */
static llv step_of_blocks(lower *l, const ir_op *op) {
  LLVMBuilderRef b = l->e.b;
  const uint32_t band = l->order.band;
  const unsigned dim = l->order.along_y != (band > 0) ? 1 : 0;
  llv by = distance_of(l, op, (walk){.dim = dim});
  llv across = distance_of(l, op, (walk){.dim = 1 - dim});
  if (is_nowhere(by) || !across) return NULL;
  llv here = grid_place(l, dim), extent = grid_extent(l, dim);
  if (!band) return further_on(l, here, extent, by, across, tiles_ahead(l, loaded_tile(op)));
  across = fold_mul(l, across, k64(l, band));
  llv plane = LLVMBuildICmp(b, LLVMIntEQ, grid_extent(l, 2), k64(l, 1), "");
  for (unsigned d = 0; d < 2; d++) {
    llv wide = LLVMBuildICmp(b, LLVMIntUGT, grid_extent(l, d), k64(l, 1), "");
    plane = LLVMBuildAnd(b, plane, wide, "");
  }
  by = further_on(l, here, extent, by, across, k64(l, 1));
  return LLVMBuildSelect(b, plane, by, k64(l, 0), "");
}

/* After the loop's last round comes the tile block that is next along `dim`. */
static llv step_of_rounds(lower *l, const ir_op *op, const ir_op *loop, unsigned dim) {
  llv by = distance_of(l, op, (walk){.counter = ir_counter(loop)});
  if (is_nowhere(by)) return NULL;
  llv step = signed64(l, ir_operand(loop, 2)), first = signed64(l, ir_operand(loop, 0));
  llv ahead = fold_mul(l, step, tiles_ahead(l, loaded_tile(op)));
  llv block = distance_of(l, op, (walk){.dim = dim});
  if (!block) return fold_mul(l, by, ahead);
  llv at = LLVMBuildSub(l->e.b, signed64(l, ir_counter(loop)), first, "");
  llv count = LLVMBuildSub(l->e.b, signed64(l, ir_operand(loop, 1)), first, "");
  return further_on(l, at, count, by, block, ahead);
}

/* Do all tile blocks load the same? */
static bool stays(const ir_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    for (unsigned d = 0; d < 3; d++)
      if (ir_operand(op, i)->type->kind != IR_TOKEN && grid_follows(ir_operand(op, i), d))
        return false;
  return true;
}

void prefetch_find(lower *l, const ir_op *op, access *a) {
  const ir_type *from = ir_operand(op, 0)->type, *tile = loaded_tile(op);
  unsigned dim = l->order.along_y ? 1 : 0;
  if (!is_weak_load(op) || from->kind == IR_GATHER_SCATTER_VIEW || tsr_elem_bits(tile->elem) < 8)
    return;
  const ir_op *loop = loop_of(op);
  const int64_t bytes = tile->count * access_unit(a);
  if (loop)
    a->step = step_of_rounds(l, op, loop, dim);
  else if (op->block->parent->opcode == OP_entry && stays(op))
    a->stays = true;
  else if (op->block->parent->opcode == OP_entry)
    a->step = step_of_blocks(l, op);
  if (a->step) { /* not where all of it is in that cache already */
    llv large = launch_takes(l, op, bytes, cpu_l2_bytes(&l->e.core), false);
    a->step = LLVMBuildSelect(l->e.b, large, a->step, k64(l, 0), "step");
  }
  if (!loop || !is_again(l, op)) return;
  llv by = distance_of(l, op, (walk){.dim = dim});
  if (is_nowhere(by)) return;
  a->next = by;
  a->again = fold_mul(l, for_rounds(l, loop), k64(l, bytes));
  if (l->e.core.few_fill_buffers) a->late = launch_takes(l, op, bytes, STREAM_BYTES, false);
}

void prefetch_find_across(lower *l, const ir_op *op, access *a) {
  const ir_op *loop = loop_of(op);
  llv across = NULL;
  for (unsigned dim = 0; dim < 2; dim++)
    across = fold_or(l, across, growth_of(l, ir_operand(op, 0), &(walk){.dim = dim}));
  if (loop) {
    llv by = growth_of(l, ir_operand(op, 0), &(walk){.counter = ir_counter(loop)});
    if (by) across = fold_or(l, across, fold_mul(l, by, signed64(l, ir_operand(loop, 2))));
  }
  a->across = across;
}
