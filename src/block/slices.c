/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/slices.h"

#include <tessera/layout.h>

#include "opt/rewrite.h"

typedef struct slices {
  ir_op *loop, *product;
  int64_t k; /* of all slices together */
} slices;

typedef struct op_gatherer {
  arena *arena;
  op_list loops;
} op_gatherer;

/* What a dimension of the whole is when its slices along dimension `along` are put together. */
static bool is_whole(const slices *s, const ir_type *whole, const ir_type *slice, unsigned along) {
  if (whole->rank != slice->rank) return false;
  for (unsigned d = 0; d < slice->rank; d++)
    if (whole->shape[d] != (d == along ? s->k : slice->shape[d])) return false;
  return true;
}

static bool is_zero(const ir_value *v) {
  int64_t number;
  return ir_constant_int(v, &number) && number == 0;
}

/* Whether slices begin at the loop's counter along one dimension, and with the whole along others.
 */
static bool begins_at_counter(const slices *s, const ir_op *part, unsigned along) {
  if (along + 1 >= part->n_operands) return false;
  for (unsigned d = 0; d + 1 < part->n_operands; d++) {
    const ir_value *offset = ir_operand(part, 1 + d);
    if (d == along ? offset != ir_counter(s->loop) : !is_zero(offset)) return false;
  }
  return true;
}

/* The load of a slice if the slices together are memory from outside of the loop; or NULL. */
static ir_op *load_of(const slices *s, const ir_value *operand, unsigned along, int64_t step) {
  ir_op *load = ir_defining_op(operand);
  if (!load || load->opcode != OP_load_shared || load->block != s->loop->regions[0]) return NULL;
  ir_op *part = ir_defining_op(ir_operand(load, 0));
  if (!part || part->opcode != OP_subview || operand->type->shape[along] != step) return NULL;
  const ir_value *whole = ir_operand(part, 0);
  bool from_outside = !is_inside(ir_defining_op(whole), s->loop->regions[0]);
  return from_outside && is_whole(s, whole->type, ir_operand(load, 0)->type, along) &&
                 ir_same_shape(operand->type, ir_operand(load, 0)->type) &&
                 begins_at_counter(s, part, along)
             ? load
             : NULL;
}

/* Loops over the slices do nothing else. */
static bool only_multiplies(const slices *s) {
  for (const ir_op *op = s->loop->regions[0]->first; op; op = op->next)
    if (op != s->product && op->opcode != OP_load_shared && op->opcode != OP_subview &&
        op->opcode != OP_constant && op->opcode != OP_continue)
      return false;
  return true;
}

/* A product adds in order of k, and rounds an accumulator of fewer than 32 bits at its end. */
static bool find_product(slices *s) {
  const ir_op *last = s->loop->regions[0]->last;
  if (s->loop->n_results != 1 || last->opcode != OP_continue) return false;
  s->product = ir_defining_op(ir_operand(last, 0));
  return s->product && s->product->block == s->loop->regions[0] &&
         (s->product->opcode == OP_mmaf || s->product->opcode == OP_mmai) &&
         tsr_elem_bits((tsr_elem)ir_result(s->product, 0)->type->elem) >= 32 &&
         ir_operand(s->product, 2) == &s->loop->regions[0]->args[1] && only_multiplies(s);
}

static bool find_steps(slices *s, int64_t *step) {
  return is_zero(ir_operand(s->loop, 0)) && ir_constant_int(ir_operand(s->loop, 1), &s->k) &&
         ir_constant_int(ir_operand(s->loop, 2), step) && *step > 0 && s->k > 0 &&
         s->k % *step == 0;
}

/* All of what a load reads a slice of, in front of the loop. */
static ir_value *load_whole(const block_lowering *x, const slices *s, const ir_op *load,
                            unsigned along) {
  const ir_type *slice = ir_result(load, 0)->type;
  int64_t shape[TSR_LAYOUT_MAX_RANK];
  for (unsigned d = 0; d < slice->rank; d++) shape[d] = d == along ? s->k : slice->shape[d];
  const ir_type *t = ir_tile(x->m, (tsr_elem)slice->elem, 0, slice->rank, shape);
  ir_value *whole = ir_operand(ir_defining_op(ir_operand(load, 0)), 0);
  ir_op *made = rewrite_make(x->m, s->loop, OP_load_shared, t, 1, &whole);
  rewrite_copy_attrs(made, load);
  return ir_result(made, 0);
}

static void join(const block_lowering *x, ir_op *loop) {
  slices s = {.loop = loop};
  int64_t step;
  if (!find_steps(&s, &step) || !find_product(&s)) return;
  unsigned rank = ir_result(s.product, 0)->type->rank;
  const ir_op *lhs = load_of(&s, ir_operand(s.product, 0), rank - 1, step),
              *rhs = load_of(&s, ir_operand(s.product, 1), rank - 2, step);
  if (!lhs || !rhs) return;
  ir_value *operands[] = {load_whole(x, &s, lhs, rank - 1), load_whole(x, &s, rhs, rank - 2),
                          ir_operand(loop, 3)};
  ir_op *product = rewrite_make(x->m, loop, (op_code)s.product->opcode,
                                ir_result(s.product, 0)->type, 3, operands);
  rewrite_copy_attrs(product, s.product);
  product->loc = s.product->loc;
  ir_value *by = ir_result(product, 0);
  rewrite_replace_op(loop, &by);
}

static bool gather_loop(void *user, ir_op *op) {
  op_gatherer *g = user;
  if (op->opcode == OP_for) vec_push(g->arena, g->loops, op);
  return true;
}

void slices_join(const block_lowering *x) {
  op_gatherer g = {.arena = x->arena};
  ir_walk(x->entry, gather_loop, &g);
  /* Those within others first, which do not become products. */
  for (uint32_t i = g.loops.len; i-- > 0;) join(x, g.loops.data[i]);
}
