/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mmaf and mmai. The layouts of the three tiles are grids of one instruction's fragments, and each
 * warp has what its part of the accumulator needs, so that all is in registers already: blocks of
 * the accumulator are walked through, and for each, blocks along k. Without an instruction threads
 * multiply for themselves.
 */
#include "gpu/block/product.h"

#include <stdio.h>

#include "gpu/block/stated.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "ir/block/product.h"
#include "llvm/conv.h"
#include "llvm/nans.h"
#include "simt/mma.h"

typedef struct product {
  gen *g;
  ir_op *op;
  simt_product s;
  const matrix_instruction *x; /* NULL: multiply-adds */
  simt_dist a, b, c;
} product;

/* ---- where operands are wanted -------------------------------------------------------------- */

/* The accumulator's bit of m or n as one of the operand's index; SIMT_COPY: it has none. */
static int8_t operand_bit(const product *p, bool is_lhs, int8_t bit) {
  if (bit == SIMT_COPY) return SIMT_COPY;
  bool of_n = bit < (int8_t)p->s.n;
  if (of_n == is_lhs) return SIMT_COPY;
  return (int8_t)(is_lhs ? bit - (int8_t)p->s.n + (int8_t)p->s.k : bit);
}

/* As the operand lies, but that a warp which has several rows of which its accumulator needs some
 * has those only: choosing among registers moves nothing between threads. `of_lanes`: so do lanes.
 */
static simt_dist wanted(const product *p, bool is_lhs, const simt_dist *from, bool of_lanes) {
  simt_dist d = *from;
  uint32_t placed = 0;
  for (unsigned j = 0; j < d.warps; j++) d.warp[j] = operand_bit(p, is_lhs, p->c.warp[j]);
  for (unsigned j = 0; of_lanes && j < d.lanes; j++)
    d.lane[j] = operand_bit(p, is_lhs, p->c.lane[j]);
  for (unsigned j = 0; j < d.warps; j++)
    if (d.warp[j] != SIMT_COPY) placed |= 1u << d.warp[j];
  for (unsigned j = 0; j < d.lanes; j++)
    if (d.lane[j] != SIMT_COPY) placed |= 1u << d.lane[j];
  d.regs = 0;
  memset(d.reg, SIMT_COPY, sizeof d.reg);
  for (unsigned j = 0; j < from->regs; j++)
    if (!(placed >> from->reg[j] & 1)) {
      d.reg[d.regs++] = from->reg[j];
      placed |= 1u << from->reg[j];
    }
  for (unsigned k = 0; k < d.n; k++)
    if (!(placed >> k & 1)) d.reg[d.regs++] = (int8_t)k;
  return d;
}

/* ---- by an instruction ---------------------------------------------------------------------- */

static bool same_part(const char *a, const char *b, char part) {
  char names[2][48];
  tsr_layout x, y;
  snprintf(names[0], sizeof names[0], "%s.%c", a, part);
  snprintf(names[1], sizeof names[1], "%s.%c", b, part);
  return tsr_fragment(&x, names[0], strlen(names[0])) &&
         tsr_fragment(&y, names[1], strlen(names[1])) && tsr_layout_same_map(&x, &y);
}

/* Instructions for different elements share fragments: the row of the table for these. */
static const matrix_instruction *find_instruction(gen *g, const ir_op *op, const char *name) {
  tsr_elem elem = (tsr_elem)ir_operand(op, 0)->type->elem;
  const matrix_instruction *x;
  if (ir_operand(op, 1)->type->elem != ir_operand(op, 0)->type->elem) return NULL;
  for (size_t i = 0; (x = matrix_instruction_at(g->target, MATRIX_WARP, elem, i)); i++)
    if (same_part(x->fragment, name, 'A') && same_part(x->fragment, name, 'B') &&
        same_part(x->fragment, name, 'C'))
      return x;
  return NULL;
}

typedef struct operand {
  tile t;
  bool words; /* its registers are words that an instruction takes (gpu_turn_bytes) */
} operand;

/* Words of a block, whose first element has this index. */
static void words_of(gen *g, const operand *o, const matrix_instruction *x, uint32_t index,
                     unsigned n, llv *out) {
  const tile *t = &o->t;
  uint32_t first = simt_slot_of_index(&t->d, index);
  unsigned each = MAX(32 / tsr_elem_bits(x->elem), 1);
  for (unsigned w = 0; w < n; w++) {
    if (o->words || x->elem == TSR_F64) {
      out[w] = gpu_element(g, t, first + w);
    } else if (!t->v) {
      out[w] = gpu_element_word(g, x->elem, t, first + w * each);
    } else {
      llv part[4];
      for (unsigned k = 0; k < each; k++) part[k] = lanes_any_nan(t->v[first + w * each + k]);
      out[w] = gpu_pack_word(g, x->elem, part, each);
    }
  }
}

enum { MOST_WORDS = 8 };

/* Words of a fragment in a lane; RDNA 3 has each element of A and B in two lanes. */
static unsigned words_in(const product *p, char part) {
  char name[48];
  tsr_layout fragment;
  size_t n = (size_t)snprintf(name, sizeof name, "%s.%c", p->x->fragment, part);
  (void)tsr_fragment(&fragment, name, n); /* of the table, so it is known */
  return (unsigned)tsr_layout_local_size(&fragment) / MAX(32 / tsr_elem_bits(p->x->elem), 1);
}

/* The registers of a fragment are the lowest. */
static unsigned fragment_regs(const product *p, unsigned bits) {
  return bits - p->g->block.lanes;
}

/* One block along k. Words of A are kept for all columns of blocks. */
static void multiply_step(product *p, const operand *a, const operand *b, uint32_t k, llv *sum) {
  gen *g = p->g;
  const matrix_instruction *x = p->x;
  unsigned n_a = words_in(p, 'A'), n_b = words_in(p, 'B');
  uint32_t step = 1u << fragment_regs(p, x->m + x->n), n_mask = (1u << p->s.n) - 1;
  llv(*rows)[MOST_WORDS] = arena_alloc(g->arena, sizeof *rows * slots_of(&p->c), _Alignof(llv));
  llv(*columns)[MOST_WORDS] =
      arena_alloc(g->arena, sizeof *columns * slots_of(&p->c), _Alignof(llv));
  memset(rows, 0, sizeof *rows * slots_of(&p->c));
  memset(columns, 0, sizeof *columns * slots_of(&p->c));
  for (uint32_t slot = 0; slot < slots_of(&p->c); slot += step) {
    uint32_t index = simt_index_of_slot(&p->c, slot), n = index & n_mask, m = index >> p->s.n;
    llv *row = rows[simt_slot_of_index(&p->c, m << p->s.n)];
    llv *column = columns[simt_slot_of_index(&p->c, n)];
    if (!row[0]) words_of(g, a, x, m << p->s.k | k, n_a, row);
    if (!column[0]) words_of(g, b, x, k << p->s.n | n, n_b, column);
    g->vendor->multiply(g, p->op, x, row, column, sum + slot);
  }
}

/* Bytes that were loaded across k are turned in registers. */
static operand operand_of(product *p, bool is_lhs) {
  ir_value *v = ir_operand(p->op, is_lhs ? 0 : 1);
  simt_dist home = gpu_type_dist(p->g, v->type), d = wanted(p, is_lhs, &home, false);
  operand o = {.t = gpu_elements_at(p->g, v, &d)};
  o.words = tsr_elem_bits(p->x->elem) == 8 && gpu_turn_bytes(p->g, &o.t);
  return o;
}

static void by_instruction(product *p, llv *sum) {
  operand a = operand_of(p, true), b = operand_of(p, false);
  for (uint32_t k = 0; k < 1u << p->s.k; k += 1u << p->x->k) multiply_step(p, &a, &b, k, sum);
}

/* ---- by multiply-adds ----------------------------------------------------------------------- */

static tsr_elem arithmetic_of(const ir_op *op) {
  switch (ir_result(op, 0)->type->elem) {
  case TSR_F64: return TSR_F64;
  case TSR_I32: return TSR_I32;
  default: return TSR_F32;
  }
}

/* The registers of an operand in the type of the arithmetic. */
static llv *widened(product *p, bool is_lhs, tsr_elem elem, simt_dist *d) {
  gen *g = p->g;
  emit *e = &g->e;
  ir_value *v = ir_operand(p->op, is_lhs ? 0 : 1);
  attr_id sign = is_lhs ? ATTR_signedness_lhs : ATTR_signedness_rhs;
  bool is_signed = elem == TSR_I32 && ir_int_attr(p->op, sign) == SIGN_SIGNED;
  simt_dist home = gpu_type_dist(g, v->type);
  *d = wanted(p, is_lhs, &home, true);
  llv *x = gpu_get(g, v, d), *r = gpu_registers(g, d);
  for (uint32_t i = 0; i < slots_of(d); i++) {
    r[i] = x[i];
    if (elem == TSR_I32)
      r[i] =
          is_signed ? LLVMBuildSExt(e->b, x[i], e->i32, "") : LLVMBuildZExt(e->b, x[i], e->i32, "");
    else if (elem == TSR_F64 && LLVMTypeOf(x[i]) != e->f64)
      r[i] = LLVMBuildFPExt(e->b, x[i], e->f64, "");
  }
  return r;
}

static llv multiply_add(gen *g, tsr_elem elem, llv a, llv b, llv sum) {
  if (elem == TSR_I32) return add_of(g, sum, LLVMBuildMul(g->e.b, a, b, ""));
  return emit_intrinsic(&g->e, "llvm.fma", (LLVMTypeRef[]){LLVMTypeOf(sum)}, 1, (llv[]){a, b, sum},
                        3);
}

static void by_threads(product *p, llv *sum) {
  tsr_elem elem = arithmetic_of(p->op);
  simt_dist a_dist, b_dist;
  llv *a = widened(p, true, elem, &a_dist), *b = widened(p, false, elem, &b_dist);
  uint32_t n_mask = (1u << p->s.n) - 1;
  for (uint32_t i = 0; i < slots_of(&p->c); i++) {
    uint32_t index = simt_index_of_slot(&p->c, i), n = index & n_mask, m = index >> p->s.n;
    for (uint32_t k = 0; k < 1u << p->s.k; k++)
      sum[i] = multiply_add(p->g, elem, a[simt_slot_of_index(&a_dist, m << p->s.k | k)],
                            b[simt_slot_of_index(&b_dist, k << p->s.n | n)], sum[i]);
  }
}

/* ---- the product ---------------------------------------------------------------------------- */

static void finish(product *p, llv *sum) {
  gen *g = p->g;
  tsr_elem result = (tsr_elem)ir_result(p->op, 0)->type->elem;
  if (result == TSR_I32) return;
  for (uint32_t i = 0; i < slots_of(&p->c); i++) {
    sum[i] = emit_round(&g->e, result, sum[i]);
    if (!simt_accumulates(ir_operand(p->op, 2))) sum[i] = lanes_canonical(&g->e, sum[i]);
  }
}

void gpu_stated_product(gen *g, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  const char *name = ir_product_instruction(op);
  product p = {.g = g, .op = op, .s = simt_product_of(op), .c = gpu_dist(g, v)};
  if (strcmp(name, "fma") != 0 && !(p.x = find_instruction(g, op, name))) {
    gpu_unsupported(g, op,
                    arena_printf(g->arena,
                                 "its layouts are those of %s, which the target doesn't have for "
                                 "these elements; use the layouts of another instruction",
                                 name));
    return;
  }
  llv *sum = gpu_registers(g, &p.c);
  llv *acc = gpu_any_nan(g, &p.c, gpu_get(g, ir_operand(op, 2), &p.c));
  memcpy(sum, acc, slots_of(&p.c) * sizeof *sum);
  if (p.x)
    by_instruction(&p, sum);
  else
    by_threads(&p, sum);
  finish(&p, sum);
  gpu_set(g, v, &p.c, sum);
}
