/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * join-steps: a `for` that adds products of tiles which are short along k takes several iterations
 * at once, so that what an iteration loads of a row in memory is a whole cache line.
 *
 *   for k in (0 to 64)                               for k in (0 to 32)
 *     a = load A[i, k] : tile<64x16xf16>               a = load A[i, k] : tile<64x32xf16>
 *     b = load B[k, j] : tile<16x64xf16>     ─►        b = load B[k, j] : tile<32x64xf16>
 *     acc = mma a, b, acc                              acc = mma a, b, acc
 *
 * Rows that lie a power of two apart share a few sets of the first-level cache: half of a line is
 * gone from it when the next iteration asks for the other half. Sums are the same bit for bit:
 * products along k are added to the accumulator one after the other, each with its own rounding.
 * (An accumulator of f16 is rounded once for each operation, so such loops stay.)
 *
 * The loop's bounds are numbers, and its body is nothing but loads of partition views, what
 * converts or permutes their tiles, products, and tokens.
 */
#include "opt/opt.h"
#include "opt/order.h"
#include "opt/rewrite.h"

enum {
  LINE_BITS = 512,
  MOST_ELEMENTS = 1 << 16, /* of a tile that is loaded */
  MOST_OPERANDS = 16,      /* of the products of a loop */
};

/* The load that an operand of a product comes from. */
typedef struct origin {
  ir_op *load;
  ir_value *operand; /* of the product */
  unsigned along;    /* the dimension of the operand that is k */
} origin;

typedef struct joiner {
  opt_run *run;
  ir_op *loop;
  origin origins[MOST_OPERANDS];
  unsigned n;
  uint32_t known; /* operations of the body that are accounted for */
} joiner;

/* ---- what the loop consists of ----------------------------------------------------------------
 */

static bool is_conversion(const ir_op *op) {
  return op->n_operands == 1 && op->n_results == 1 && (ir_row(op)->traits & TRAIT_ELEMENTWISE);
}

/* The dimension of the operand of a permutation or conversion that becomes the result's. */
static unsigned dimension_before(const ir_op *op, unsigned along) {
  if (op->opcode != OP_permute) return along;
  return (unsigned)ir_get_attr(op, ATTR_permutation)->ints->data[along];
}

/* Whether the counter is the load's index along a dimension, and nothing else of it. Indices stand
 * behind the view. */
static bool counts_along(const joiner *q, const ir_op *load, unsigned along) {
  for (uint32_t i = 0; i < load->n_operands; i++)
    if ((ir_operand(load, i) == ir_counter(q->loop)) != (i == 1 + along)) return false;
  return true;
}

static bool is_load(const joiner *q, const ir_op *op, unsigned along) {
  const ir_op *view = op->opcode == OP_load_view_tko ? ir_defining_op(ir_operand(op, 0)) : NULL;
  return view && view->opcode == OP_make_partition_view && view->block != op->block &&
         order_is_weak(op) && counts_along(q, op, along);
}

static bool take_origin(joiner *q, ir_value *operand, unsigned along) {
  origin *s = &q->origins[q->n];
  if (q->n == MOST_OPERANDS) return false;
  *s = (origin){.operand = operand, .along = along};
  for (ir_value *v = operand; !s->load; v = ir_operand(ir_defining_op(v), 0)) {
    ir_op *op = ir_defining_op(v);
    if (!op || op->block != q->loop->regions[0] || !ir_has_one_use(v)) return false;
    if (is_load(q, op, along))
      s->load = op;
    else if (op->opcode == OP_permute || is_conversion(op))
      along = dimension_before(op, along);
    else
      return false;
    q->known++;
  }
  q->n++;
  return true;
}

static bool sums_exactly(const ir_op *op) {
  return op->opcode == OP_mmai ||
         (op->opcode == OP_mmaf && ir_result(op, 0)->type->elem != TSR_F16);
}

/* A product that is added to an iteration value, which nothing else reads. */
static bool take_sum(joiner *q, const ir_value *sum, ir_value *before) {
  ir_op *op = ir_defining_op(sum);
  if (!op || op->block != q->loop->regions[0] || !sums_exactly(op)) return false;
  if (ir_operand(op, 2) != before || !ir_has_one_use(before) || !ir_has_one_use(sum)) return false;
  unsigned rank = sum->type->rank;
  q->known++;
  return take_origin(q, ir_operand(op, 0), rank - 1) && take_origin(q, ir_operand(op, 1), rank - 2);
}

static bool take_values(joiner *q) {
  const ir_block *body = q->loop->regions[0];
  const ir_op *end = ir_terminator(body);
  if (end->opcode != OP_continue) return false;
  for (uint32_t i = 0; i < end->n_operands; i++) {
    ir_value *v = ir_operand(end, i);
    if (v->type->kind != IR_TOKEN && !take_sum(q, v, &body->args[1 + i])) return false;
  }
  return q->n > 0;
}

static uint32_t count_uses(const ir_value *v) {
  uint32_t n = 0;
  for (const ir_use *u = v->uses; u; u = u->next) n++;
  return n;
}

/* Whether the body is what was taken, tokens, and its end. */
static bool is_all(const joiner *q) {
  uint32_t others = 0;
  for (const ir_op *op = q->loop->regions[0]->first; op; op = op->next)
    others += op->opcode != OP_join_tokens && op->opcode != OP_make_token;
  return others == q->known + 1 && count_uses(ir_counter(q->loop)) == q->n;
}

/* ---- how many at once -------------------------------------------------------------------------
 */

static unsigned load_dimension(const origin *s) {
  unsigned along = s->along;
  for (const ir_op *op = ir_defining_op(s->operand); op != s->load;
       op = ir_defining_op(ir_operand(op, 0)))
    along = dimension_before(op, along);
  return along;
}

/* How many tiles along k, a power of two, make a line, where that is how rows lie in memory. */
static int64_t to_fill_line(const origin *s) {
  const ir_type *t = ir_operand(s->load, 0)->type;
  unsigned along = load_dimension(s);
  int64_t bits = t->shape[along] * tsr_elem_bits((tsr_elem)t->elem), n = 1;
  if (t->view->strides[t->dim_map[along]] != 1) return 1;
  while (2 * n * bits <= LINE_BITS) n *= 2;
  return n;
}

static int64_t most_at_once(const joiner *q) {
  int64_t most = INT64_MAX;
  for (unsigned i = 0; i < q->n; i++)
    most = MIN(most, MOST_ELEMENTS / ir_result(q->origins[i].load, 0)->type->count);
  return most;
}

static int64_t choose_factor(const joiner *q) {
  int64_t low, high, step, factor = 1, most = most_at_once(q);
  if (!ir_constant_int(ir_operand(q->loop, 0), &low) ||
      !ir_constant_int(ir_operand(q->loop, 1), &high) ||
      !ir_constant_int(ir_operand(q->loop, 2), &step))
    return 1;
  if (step != 1 || low < 0 || high <= low) return 1;
  for (unsigned i = 0; i < q->n; i++) factor = MAX(factor, to_fill_line(&q->origins[i]));
  while (factor > 1 && (low % factor || high % factor || factor > most)) factor /= 2;
  return factor;
}

/* ---- changing ---------------------------------------------------------------------------------
 */

static const ir_type *wider(ir_module *m, const ir_type *t, unsigned along, int64_t factor) {
  int64_t shape[IR_MAX_RANK];
  memcpy(shape, t->shape, t->rank * sizeof *shape);
  shape[along] *= factor;
  return t->kind == IR_TILE ? ir_tile_reshaped(m, t, t->rank, shape)
                            : ir_partition_view(m, t->rank, shape, t->view, t->dim_map, t->padding);
}

/* A view of larger tiles, in front of the loop. */
static void widen_view(joiner *q, ir_op *load, unsigned along, int64_t factor) {
  ir_value *old = ir_operand(load, 0), *of = ir_operand(ir_defining_op(old), 0);
  const ir_type *t = wider(q->run->m, old->type, along, factor);
  ir_op *view = rewrite_make(q->run->m, q->loop, OP_make_partition_view, t, 1, &of);
  view->loc = ir_defining_op(old)->loc;
  ir_set_operand(load, 0, ir_result(view, 0));
  if (!has_uses(ir_defining_op(old))) ir_op_erase(ir_defining_op(old));
}

static void widen_origin(joiner *q, const origin *s, int64_t factor) {
  unsigned along = s->along;
  ir_value *v = s->operand;
  for (;; v = ir_operand(ir_defining_op(v), 0)) {
    v->type = wider(q->run->m, v->type, along, factor);
    if (ir_defining_op(v) == s->load) break;
    along = dimension_before(ir_defining_op(v), along);
  }
  widen_view(q, s->load, along, factor);
}

static void divide_bound(joiner *q, uint32_t operand, int64_t factor) {
  int64_t bound;
  if (!ir_constant_int(ir_operand(q->loop, operand), &bound) || bound == 0) return;
  const ir_type *t = ir_counter(q->loop)->type;
  ir_set_operand(q->loop, operand,
                 rewrite_splat(q->run->m, q->loop, t, (uint64_t)(bound / factor)));
}

static void visit_loop(opt_run *r, ir_op *loop) {
  joiner q = {.run = r, .loop = loop};
  if (!take_values(&q) || !is_all(&q)) return;
  int64_t factor = choose_factor(&q);
  if (factor == 1) return;
  for (unsigned i = 0; i < q.n; i++) widen_origin(&q, &q.origins[i], factor);
  for (uint32_t i = 0; i < 2; i++) divide_bound(&q, i, factor);
  r->changes++;
}

static bool visit(void *user, ir_op *op) {
  if (op->opcode == OP_for) visit_loop(user, op);
  return true;
}

void opt_join_steps(opt_run *r) {
  ir_walk(r->m->op, visit, r);
}
