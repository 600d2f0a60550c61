/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The bodies of reduce and scan: what they may consist of, what holds of them, and their code on
 * lanes.
 */
#include "num/num.h"
#include "ir/reduction.h"
#include "exec/scalar.h"
#include "llvm/nans.h"

#include "cpu/nest/reduce_body.h"

#include "cpu/core/function.h"
#include "cpu/plan/map.h"
#include "cpu/nest/elementwise.h"
#include "cpu/nest/scalar.h"

typedef struct body {
  lower *l;
  llv *known; /* by position in the body */
  map at;     /* ir_value * -> index into known */
} body;

static llv body_value(body *x, ir_value *v, unsigned lanes) {
  uintptr_t *i = map_get(&x->at, (uintptr_t)v);
  llv r = i ? x->known[*i] : scalar_of(x->l, v); /* a scalar from outside */
  return emit_lanes(r) < lanes ? emit_splat(&x->l->e, r, lanes) : r;
}

static void body_set(body *x, ir_value *v, llv r) {
  uint32_t i = x->at.len;
  *map_put(x->l->arena, &x->at, (uintptr_t)v) = i;
  x->known[i] = r;
}

static uint32_t body_size(const ir_block *b) {
  uint32_t n = b->n_args;
  for (const ir_op *op = b->first; op; op = op->next) n += op->n_results;
  return n;
}

void body_emit(lower *l, ir_op *op, llv *args, llv *results) {
  ir_block *b = ir_region(op, 0);
  unsigned lanes = emit_lanes(args[0]);
  body x = {.l = l, .known = arena_array(l->arena, llv, body_size(b))};
  for (uint32_t i = 0; i < b->n_args; i++) body_set(&x, &b->args[i], args[i]);
  for (ir_op *o = b->first; o; o = o->next) {
    llv operands[3];
    if (o->opcode == OP_yield) {
      for (uint32_t i = 0; i < o->n_operands; i++)
        results[i] = body_value(&x, ir_operand(o, i), lanes);
      return;
    }
    if (o->opcode == OP_constant) {
      const ir_dense *d = ir_get_attr(o, ATTR_value)->dense;
      body_set(&x, ir_result(o, 0), emit_pattern(&l->e, d->type->elem, ir_dense_get(d, 0)));
    } else if (ir_row(o)->traits & TRAIT_ELEMENTWISE) {
      exec_elementwise what = exec_elementwise_of(o);
      for (unsigned i = 0; i < what.n_operands; i++)
        operands[i] = body_value(&x, ir_operand(o, i), lanes);
      body_set(&x, ir_result(o, 0), gen_elementwise(l, &what, operands));
    } else {
      body_set(&x, ir_result(o, 0), body_value(&x, ir_operand(o, 0), lanes));
    }
  }
}

bool body_check(lower *l, ir_op *op) {
  for (ir_op *o = ir_region(op, 0)->first; o; o = o->next) {
    bool simple = ir_row(o)->traits & TRAIT_ELEMENTWISE || o->opcode == OP_yield ||
                  o->opcode == OP_constant || o->opcode == OP_assume || o->opcode == OP_reshape ||
                  o->opcode == OP_broadcast || o->opcode == OP_permute;
    for (uint32_t i = 0; i < o->n_results; i++)
      simple =
          simple && ir_result(o, i)->type->kind == IR_TILE && ir_result(o, i)->type->count == 1;
    if (simple) continue;
    lower_unsupported(l, o, "the body of a reduce or scan may hold arithmetic on scalars only");
    return false;
  }
  return true;
}

bool reduce_takes_any_nan(const ir_op *op, unsigned k) {
  const ir_block *b = ir_region(op, 0);
  tsr_elem elem = (tsr_elem)b->args[2 * k].type->elem;
  if (elem != TSR_F32 && elem != TSR_F64) return false;
  for (unsigned side = 0; side < 2; side++)
    for (const ir_use *u = b->args[2 * k + side].uses; u; u = u->next)
      if (ir_row(u->user)->group != GROUP_FLOAT) return false;
  return true;
}

/* Does it make no difference how often an element takes part, when it does at all? */
static bool is_idempotent(const ir_op *only) {
  op_code op = (op_code)only->opcode;
  return op == OP_andi || op == OP_ori || op == OP_maxi || op == OP_mini || op == OP_maxf ||
         op == OP_minf;
}

/* Does it change nothing, however often this takes part, when the body consists of one operation?
 */
static bool is_identity_of(const ir_op *only, tsr_elem elem, uint64_t bits) {
  switch (only->opcode) {
  case OP_addi:
  case OP_xori: return bits == 0;
  case OP_muli: return bits == 1;
  case OP_addf: return (bits & ~(UINT64_C(1) << (tsr_elem_bits(elem) - 1))) == 0;
  case OP_mulf: return num_decode(num_format_of(elem), bits) == 1;
  default: return is_idempotent(only);
  }
}

bool reduce_is_neutral(const ir_op *op) {
  const ir_block *b = ir_region(op, 0);
  const ir_scalars *s = ir_get_attr(op, ATTR_identities)->scalars;
  const ir_op *only = b->first;
  if (op->n_operands != 1 || only->n_operands != 2 || only->next != b->last) return false;
  const ir_value *x = ir_operand(only, 0), *y = ir_operand(only, 1);
  bool both = (x == &b->args[0] && y == &b->args[1]) || (x == &b->args[1] && y == &b->args[0]);
  return both && b->last->n_operands == 1 && ir_operand(b->last, 0) == ir_result(only, 0) &&
         is_identity_of(only, (tsr_elem)s->data[0].elem, s->data[0].bits);
}

bool reduce_counts(const ir_op *op) {
  return !is_idempotent(ir_region(op, 0)->first);
}

void reduce_bits(const ir_op *op, unsigned *first, unsigned *n) {
  if (op->opcode == OP_mmaf || op->opcode == OP_mmai) {
    const ir_type *b = ir_operand(op, 1)->type;
    dim_bits(b, b->rank - 2u, first, n);
    return;
  }
  dim_bits(ir_operand(op, 0)->type, (unsigned)ir_int_attr(op, ATTR_dim), first, n);
}

llv reduce_identity(lower *l, const ir_op *op, unsigned k) {
  return emit_pattern(&l->e, ir_operand(op, k)->type->elem, ir_reduction_start(op, k));
}

/* The body on accumulators. An accumulator that started from an identity holds what arithmetic
 * gave, and is handed over as that (see lanes_any_nan). */
void reduce_accumulate(lower *l, ir_op *op, llv *args, llv *acc) {
  bool neutral = reduce_is_neutral(op);
  for (unsigned k = 0; neutral && k < op->n_operands; k++)
    if (reduce_takes_any_nan(op, k)) args[2 * k + 1] = lanes_canonical(&l->e, args[2 * k + 1]);
  body_emit(l, op, args, acc);
  for (unsigned k = 0; k < op->n_operands; k++)
    if (reduce_takes_any_nan(op, k)) acc[k] = lanes_any_nan(acc[k]);
}
