/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * loop-unroll: a `for` that runs a known, small number of times, and does little element-wise
 * arithmetic for the tiles that it hands on, becomes its iterations, one behind the other.
 *
 *   for i in (0 to 16) iter_values(s = x)        s1 = f(x, 0)
 *     continue f(s, i)                      ─►   …
 *                                                s16 = f(s15, 15)
 *
 * A loop's tiles go through memory in each iteration, since all elements end one iteration before
 * any begins the next. Without the loop a CPU's nest takes some elements through all iterations in
 * registers. Loops of scalars keep them in registers anyway.
 */
#include "num/int.h"
#include "opt/loop_cut.h"
#include "opt/opt.h"
#include "opt/rewrite.h"

enum {
  MOST_TRIPS = 64,
  MOST_COPIES = 384, /* operations that one loop becomes */
  LEAST_ELEMENTS = 16,
  UNITS = 3, /* of a processor, for each store that it makes at once */
};

typedef struct unroller {
  opt_run *run;
  uint64_t budget; /* operations that may still be made */
} unroller;

/* ---- what to unroll ------------------------------------------------------------------------- */

typedef struct counted_loop {
  ir_op *loop;
  uint64_t first, step; /* patterns of the index */
  unsigned trips;
} counted_loop;

static bool count_trips(ir_op *loop, counted_loop *out) {
  uint64_t bound[3];
  for (uint32_t i = 0; i < 3; i++)
    if (!splat_of(ir_operand(loop, i), &bound[i])) return false;
  unsigned width = tsr_elem_bits((tsr_elem)ir_operand(loop, 0)->type->elem);
  bool is_signed = !ir_int_attr(loop, ATTR_unsignedCmp);
  num_i128 low = num_int_value(bound[0], width, is_signed),
           high = num_int_value(bound[1], width, is_signed),
           step = num_int_value(bound[2], width, is_signed);
  if (step <= 0 || low >= high || (high - low - 1) / step >= MOST_TRIPS) return false;
  *out = (counted_loop){loop, bound[0], bound[2], (unsigned)((high - low - 1) / step) + 1};
  return true;
}

static bool moves_elements(const ir_op *op) {
  return op->opcode == OP_reshape || op->opcode == OP_broadcast;
}

/* Arithmetic, and what costs a nest nothing. */
static bool is_by_element(const ir_op *op) {
  if (op->n_regions) return false;
  return op->opcode == OP_constant || op->opcode == OP_iota || moves_elements(op) ||
         ir_row(op)->traits & TRAIT_ELEMENTWISE;
}

/* How many tiles a loop hands on, of one shape; 0: of several, or none. */
static unsigned count_tiles(const ir_op *loop) {
  const ir_type *shape = NULL;
  unsigned n = 0;
  for (uint32_t i = 0; i < loop->n_results; i++) {
    const ir_type *t = loop->results[i].type;
    if (!ir_is_tile(t) || ir_is_scalar(t)) continue;
    if (shape && !ir_same_shape(shape, t)) return 0;
    shape = t;
    n++;
  }
  return shape && shape->count >= LEAST_ELEMENTS ? n : 0;
}

/* Does an iteration wait for memory rather than for its arithmetic? A processor has several units
 * for that, and one or two to store with. */
static bool waits_for_tiles(const ir_op *loop) {
  const ir_block *b = loop->regions[0];
  unsigned tiles = count_tiles(loop), arithmetic = 0;
  if (tiles == 0 || b->last->opcode != OP_continue) return false;
  for (const ir_op *op = b->first; op != b->last; op = op->next) {
    if (!is_by_element(op)) return false;
    arithmetic += ir_row(op)->traits & TRAIT_ELEMENTWISE && op->results[0].type->count > 1;
  }
  return arithmetic <= UNITS * tiles;
}

/* ---- unrolling ------------------------------------------------------------------------------ */

/* One iteration in front of the loop; `now` are the values that it is given, then those that it
 * hands on. */
static void copy_iteration(unroller *q, const counted_loop *x, unsigned trip, ir_value **now) {
  const ir_block *b = x->loop->regions[0];
  value_map vm = {.arena = q->run->temp};
  value_map_set(&vm, &b->args[0],
                rewrite_splat(q->run->m, x->loop, b->args[0].type, x->first + trip * x->step));
  for (uint32_t i = 0; i < x->loop->n_results; i++) value_map_set(&vm, &b->args[1 + i], now[i]);
  for (const ir_op *op = b->first; op != b->last; op = op->next)
    ir_op_insert_before(x->loop, rewrite_clone(q->run->m, op, &vm));
  for (uint32_t i = 0; i < x->loop->n_results; i++)
    now[i] = value_map_get(&vm, ir_operand(b->last, i));
}

static void unroll(unroller *q, const counted_loop *x) {
  ir_value **now = arena_array(q->run->temp, ir_value *, x->loop->n_results + 1);
  for (uint32_t i = 0; i < x->loop->n_results; i++) now[i] = ir_operand(x->loop, 3 + i);
  for (unsigned trip = 0; trip < x->trips; trip++) copy_iteration(q, x, trip, now);
  rewrite_replace_op(x->loop, now);
  q->run->changes++;
}

static void visit_loop(unroller *q, ir_op *loop) {
  counted_loop x;
  if (!count_trips(loop, &x) || !waits_for_tiles(loop)) return;
  uint64_t copies = x.trips * loop_size(loop);
  if (copies > MOST_COPIES || copies > q->budget) return;
  q->budget -= copies;
  unroll(q, &x);
}

/* Inner loops first: what they become belongs to the outer one's body. */
static void walk_block(unroller *q, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) walk_block(q, op->regions[r]);
    if (op->opcode == OP_for) visit_loop(q, op);
  }
}

void opt_loop_unroll(opt_run *r) {
  unroller q = {.run = r, .budget = 1000 + 2 * loop_size(r->m->op)};
  walk_block(&q, ir_region(r->m->op, 0));
}
