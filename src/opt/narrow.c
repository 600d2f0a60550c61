/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * narrow: integers that are widened from bytes or 16 bits, computed with, and truncated to bytes or
 * 16 bits again, as those of pixels are, are computed in 16 bits.
 *
 *   r = exti a : i8 -> i32                  r = exti a : i8 -> i16
 *   s = muli r, 77                          s = muli r, 77 : i16
 *   t = shri (addi s, …), 8         ─►      t = shri (addi s, …), 8 unsigned : i16
 *   u = trunci t : i32 -> i8                u = trunci t : i16 -> i8
 *
 * A register has twice as many lanes of 16 bits. The lowest 16 bits of sums, products and the like
 * depend on the lowest 16 bits of their operands alone; what asks for more, as shifts to the right
 * do, is computed so only where ranges say that its operands have no more.
 */
#include "num/int.h"
#include "opt/facts.h"
#include "opt/opt.h"
#include "opt/rewrite.h"

enum {
  NARROW_BITS = 16,
  MOST_OPERATIONS = 64, /* of one expression */
  MOST_DEPTH = 32,
  LEAST_ELEMENTS = 16,
};

typedef struct narrower {
  opt_run *run;
  facts *known;
  map seen;   /* const ir_op * of the expression, but for what it begins with -> 1 */
  map narrow; /* const ir_value * -> its ir_value * of 16 bits */
  unsigned n, arithmetic;
} narrower;

/* Whether the numbers are those of 16 bits, read with a sign or without. */
typedef struct reading {
  bool as_signed, as_unsigned;
} reading;

static reading reading_of(const narrower *q, const ir_value *v) {
  fact f = facts_of(q->known, v);
  int64_t half = INT64_C(1) << (NARROW_BITS - 1);
  return (reading){.as_signed = f.min >= -half && f.max < half,
                   .as_unsigned = f.min >= 0 && f.max < 2 * half};
}

/* How an operation reads operands of which it needs all bits: SIGN_SIGNED or SIGN_UNSIGNED; -1:
 * they have more than 16. `wide_unsigned`: it reads them without a sign in the wide type. */
static int common_reading(const narrower *q, const ir_op *op, uint32_t n, bool wide_unsigned) {
  reading all = {true, true};
  for (uint32_t i = 0; i < n; i++) {
    reading one = reading_of(q, ir_operand(op, i));
    if (wide_unsigned && facts_of(q->known, ir_operand(op, i)).min < 0) return -1;
    all.as_signed &= one.as_signed;
    all.as_unsigned &= one.as_unsigned;
  }
  return all.as_unsigned ? SIGN_UNSIGNED : all.as_signed ? SIGN_SIGNED : -1;
}

static bool is_read_unsigned(const ir_op *op) {
  return ir_int_attr(op, ATTR_signedness) == SIGN_UNSIGNED;
}

static bool shifts_by_few(const ir_op *op) {
  uint64_t by;
  return splat_of(ir_operand(op, 1), &by) && by < NARROW_BITS;
}

/* ---- whether it can be --------------------------------------------------------------------------
 */

static bool is_leaf(const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  uint64_t pattern;
  if (splat_of(v, &pattern)) return true;
  return op && op->opcode == OP_exti &&
         tsr_elem_bits((tsr_elem)ir_operand(op, 0)->type->elem) <= NARROW_BITS;
}

/* Can the operation be done in 16 bits if its operands are? */
static bool can_be_narrow(const narrower *q, const ir_op *op) {
  switch (op->opcode) {
  case OP_addi:
  case OP_subi:
  case OP_muli:
  case OP_andi:
  case OP_ori:
  case OP_xori:
  case OP_negi: return true;
  case OP_shli: return shifts_by_few(op);
  case OP_shri: return shifts_by_few(op) && common_reading(q, op, 1, is_read_unsigned(op)) >= 0;
  case OP_mini:
  case OP_maxi: return common_reading(q, op, 2, is_read_unsigned(op)) >= 0;
  case OP_absi: /* of which the least number has none */
    return reading_of(q, ir_operand(op, 0)).as_signed &&
           facts_of(q->known, ir_operand(op, 0)).min > -(INT64_C(1) << (NARROW_BITS - 1));
  default: return false;
  }
}

static bool collect(narrower *q, const ir_value *v, unsigned depth) {
  const ir_op *op = ir_defining_op(v);
  if (is_leaf(v)) return true;
  if (!op || depth == MOST_DEPTH || !can_be_narrow(q, op)) return false;
  uintptr_t *seen = map_put(q->run->temp, &q->seen, (uintptr_t)op);
  if (*seen) return true;
  *seen = 1;
  if (++q->n > MOST_OPERATIONS) return false;
  q->arithmetic++;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!collect(q, ir_operand(op, i), depth + 1)) return false;
  return true;
}

/* Does anything else need the value of an operation of the expression? */
static bool is_needed_wide(narrower *q, const ir_value *v, const ir_op *root) {
  const ir_op *op = ir_defining_op(v);
  if (is_leaf(v)) return false;
  for (const ir_use *u = v->uses; u; u = u->next)
    if (u->user != root && !map_get(&q->seen, (uintptr_t)u->user)) return true;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (is_needed_wide(q, ir_operand(op, i), op)) return true;
  return false;
}

/* ---- making it ------------------------------------------------------------------------------ */

static const ir_type *narrow_type(const narrower *q, const ir_value *v) {
  return ir_tile_like(q->run->m, v->type, TSR_I16);
}

static ir_value *make_leaf(narrower *q, ir_value *v, ir_op *at) {
  uint64_t pattern;
  if (splat_of(v, &pattern))
    return rewrite_splat(q->run->m, at, narrow_type(q, v), num_wrap(pattern, NARROW_BITS));
  ir_op *op = ir_defining_op(v);
  ir_value *from = ir_operand(op, 0);
  if (tsr_elem_bits((tsr_elem)from->type->elem) == NARROW_BITS) return from;
  ir_op *made = rewrite_make(q->run->m, op, OP_exti, narrow_type(q, v), 1, &from);
  ir_set_int(made, ATTR_signedness, ir_int_attr(op, ATTR_signedness));
  return ir_result(made, 0);
}

static ir_value *make_narrow(narrower *q, ir_value *v, ir_op *at) {
  uintptr_t *known = map_get(&q->narrow, (uintptr_t)v);
  if (known) return (ir_value *)*known;
  ir_op *op = ir_defining_op(v);
  ir_value *operands[2], *made;
  if (is_leaf(v)) {
    made = make_leaf(q, v, at);
  } else {
    for (uint32_t i = 0; i < op->n_operands; i++)
      operands[i] = make_narrow(q, ir_operand(op, i), op);
    ir_op *narrow = rewrite_make(q->run->m, op, (op_code)op->opcode, narrow_type(q, v),
                                 op->n_operands, operands);
    if (op->opcode == OP_shri)
      ir_set_int(narrow, ATTR_signedness, common_reading(q, op, 1, is_read_unsigned(op)));
    if (op->opcode == OP_mini || op->opcode == OP_maxi)
      ir_set_int(narrow, ATTR_signedness, common_reading(q, op, 2, is_read_unsigned(op)));
    made = ir_result(narrow, 0);
  }
  *map_put(q->run->temp, &q->narrow, (uintptr_t)v) = (uintptr_t)made;
  return made;
}

static void visit(narrower *q, ir_op *op) {
  ir_value *v = ir_operand(op, 0);
  const ir_type *to = ir_result(op, 0)->type;
  unsigned bits = tsr_elem_bits((tsr_elem)to->elem);
  q->seen = q->narrow = (map){0};
  q->n = q->arithmetic = 0;
  if (bits < 8 || bits > NARROW_BITS || to->count < LEAST_ELEMENTS || !collect(q, v, 0) ||
      q->arithmetic == 0 || is_needed_wide(q, v, op))
    return;
  ir_value *narrow = make_narrow(q, v, op);
  if (bits < NARROW_BITS)
    narrow = ir_result(rewrite_make(q->run->m, op, OP_trunci, to, 1, &narrow), 0);
  rewrite_replace_op(op, &narrow);
  q->run->changes++;
}

static void walk_block(narrower *q, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned k = 0; k < op->n_regions; k++)
      if (op->regions[k]) walk_block(q, op->regions[k]);
    if (op->opcode == OP_trunci) visit(q, op);
  }
}

void opt_narrow(opt_run *r) {
  narrower q = {.run = r, .known = facts_compute(r->m->op, r->temp)};
  walk_block(&q, ir_region(r->m->op, 0));
}
