/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products by multiply-adds: both operands go to shared memory, as f32, f64 or i32, and each
 * thread walks along k for the elements of the accumulator that it holds. For every type and shape;
 * what tensor cores do better is chosen by the plan.
 */
#include "gpu/product.h"

#include "gpu/code.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "llvm/conv.h"
#include "llvm/nans.h"

typedef struct product {
  gen *g;
  ir_op *op;
  simt_product s;
  tsr_elem elem; /* of the arithmetic */
  LLVMTypeRef type;
  llv *a, *b; /* the operands' registers, in the arithmetic's type */
  simt_dist a_dist, b_dist;
} product;

static tsr_elem arithmetic_of(const ir_op *op) {
  switch (ir_result(op, 0)->type->elem) {
  case TSR_F64: return TSR_F64;
  case TSR_I32: return TSR_I32;
  default: return TSR_F32;
  }
}

/* An operand's scale has one element for 2^block of the operand's along k. */
static simt_map scale_map(const ir_value *x, const ir_value *scale, bool is_lhs,
                          const simt_product *s) {
  unsigned n = simt_tile_bits(x->type), few = simt_tile_bits(scale->type), block = n - few;
  unsigned k_first = is_lhs ? 0 : s->n; /* k's lowest bit in the operand's index */
  simt_map m = {.from_n = (uint8_t)few, .to_n = (uint8_t)n};
  for (unsigned k = 0; k < few; k++) m.to[k] = (int8_t)(k < k_first ? k : k + block);
  return m;
}

static llv *operand_of(product *p, bool is_lhs, simt_dist *d) {
  gen *g = p->g;
  emit *e = &g->e;
  ir_value *v = ir_operand(p->op, is_lhs ? 0 : 1);
  llv *x = gpu_home(g, v, d), *r = gpu_registers(g, d), *scale = NULL;
  simt_dist scale_dist;
  simt_map m;
  if (g->private_) {
    *d = simt_dist_private(d->n, g->block);
    x = gpu_get(g, v, d);
    r = gpu_registers(g, d);
  }
  if (p->op->opcode == OP_mmaf_scaled) {
    ir_value *by = ir_operand(p->op, is_lhs ? 3 : 4);
    m = scale_map(v, by, is_lhs, &p->s);
    scale_dist = simt_dist_back(d, &m);
    scale = gpu_get(g, by, &scale_dist);
  }
  attr_id sign = is_lhs ? ATTR_signedness_lhs : ATTR_signedness_rhs;
  bool is_signed = p->op->opcode == OP_mmai && ir_int_attr(p->op, sign) == SIGN_SIGNED;
  for (uint32_t i = 0; i < slots_of(d); i++) {
    r[i] = x[i];
    if (p->elem == TSR_I32)
      r[i] =
          is_signed ? LLVMBuildSExt(e->b, x[i], e->i32, "") : LLVMBuildZExt(e->b, x[i], e->i32, "");
    else if (p->elem == TSR_F64 && LLVMTypeOf(x[i]) != e->f64)
      r[i] = LLVMBuildFPExt(e->b, x[i], e->f64, "");
    if (scale) {
      uint32_t at = simt_map_index(&m, simt_index_of_slot(d, i));
      r[i] = f_mul(e, r[i], scale[simt_slot_of_index(&scale_dist, at)]);
    }
  }
  return r;
}

static llv multiply_add(product *p, llv a, llv b, llv sum) {
  emit *e = &p->g->e;
  if (p->elem == TSR_I32) return add_of(p->g, sum, LLVMBuildMul(e->b, a, b, ""));
  return l_call3(e, "llvm.fma", a, b, sum);
}

/* ---- by matrix instructions ------------------------------------------------------------------ */

void gpu_round_product(gen *g, ir_op *op, llv *sum) {
  const ir_value *v = ir_result(op, 0), *acc = ir_operand(op, 2);
  simt_dist c = gpu_dist(g, v);
  tsr_elem result = (tsr_elem)v->type->elem;
  if (result == TSR_I32) return;
  for (uint32_t i = 0; i < slots_of(&c); i++) {
    sum[i] = emit_round(&g->e, result, sum[i]);
    if (!simt_accumulates(acc)) sum[i] = lanes_canonical(&g->e, sum[i]);
  }
}

llv *gpu_repeat_rows(gen *g, const simt_op *info, const simt_dist *c, llv *x) {
  llv *r = gpu_registers(g, &info->sum);
  for (uint32_t i = 0; i < slots_of(&info->sum); i++) {
    uint32_t index = simt_index_of_slot(&info->sum, i) & ((1u << c->n) - 1);
    r[i] = lanes_any_nan(x[simt_slot_of_index(c, index)]);
  }
  return r;
}

llv *gpu_first_rows(gen *g, const simt_op *info, const simt_dist *c, llv *x) {
  llv *r = gpu_registers(g, c);
  for (uint32_t i = 0; i < slots_of(c); i++)
    r[i] = x[simt_slot_of_index(&info->sum, simt_index_of_slot(c, i))];
  return r;
}

/* ---- through shared memory ------------------------------------------------------------------ */

/* How many k an iteration multiplies, log2: one is loaded while another is multiplied. */
enum { UNROLL_BITS = 2, SHIFT = SIMT_ACCESS_BYTES /* along the rows */ };

/* The lowest bits of k that a thread has in registers: it stores those rows one after the other. */
static unsigned rows_of_thread(const product *p, bool is_lhs, unsigned k_bits) {
  const simt_dist *d = is_lhs ? &p->a_dist : &p->b_dist;
  unsigned k_first = is_lhs ? 0 : p->s.n, n = 0;
  for (bool found = true; found && n < MIN(k_bits, (unsigned)UNROLL_BITS); n += found) {
    found = false;
    for (unsigned j = 0; j < d->regs; j++) found |= d->reg[j] == (int8_t)(k_first + n);
  }
  return n;
}

/* Where an operand's elements lie: rows along k, in each the elements along m (n) after each
 * other. `a` is [batch, m, k], `b` is [batch, k, n]. Lanes that store rows next to each other, of
 * as many a thread, find those moved along the banks. Returns the bytes of 2^k_bits rows. */
static uint32_t operand_weights(const product *p, bool is_lhs, unsigned k_bits, int32_t *weight) {
  const simt_product *s = &p->s;
  int32_t size = p->elem == TSR_F64 ? 8 : 4;
  unsigned wide = is_lhs ? s->m : s->n, own = rows_of_thread(p, is_lhs, k_bits);
  unsigned k_first = is_lhs ? 0 : s->n, wide_first = is_lhs ? s->k : 0;
  int32_t row = size << wide, rows = (row << own) + SHIFT, batch = rows << (k_bits - own);
  memset(weight, 0, SIMT_BITS * sizeof *weight);
  for (unsigned j = 0; j < wide; j++) weight[wide_first + j] = size << j;
  for (unsigned j = 0; j < k_bits; j++)
    weight[k_first + j] = j < own ? row << j : rows << (j - own);
  for (unsigned j = 0; j < s->batch; j++) weight[s->k + wide + j] = batch << j;
  return (uint32_t)batch << s->batch;
}

/* Stores the part of an operand whose k has `piece` in the bits from k_bits on. */
static void store_piece(product *p, bool is_lhs, unsigned k_bits, uint32_t piece, llv base,
                        const int32_t *weight) {
  gen *g = p->g;
  unsigned k_first = is_lhs ? 0 : p->s.n;
  uint32_t mask = ((1u << (p->s.k - k_bits)) - 1) << (k_first + k_bits);
  tile t = {.d = is_lhs ? p->a_dist : p->b_dist, .v = is_lhs ? p->a : p->b};
  gpu_shared_store_part(g, p->elem, &t, base, weight, mask, piece << (k_first + k_bits));
}

typedef struct walk {
  simt_dist a, b; /* of the accumulator's rows [batch, m] and columns [batch, n] */
  int32_t a_weight[SIMT_BITS], b_weight[SIMT_BITS];
  unsigned k_bits, at_once; /* 2^at_once of the 2^k_bits are multiplied in one iteration */
  uint32_t a_k[1 << UNROLL_BITS], b_k[1 << UNROLL_BITS]; /* bytes to each of them */
  uint32_t a_step, b_step;                               /* to the next iteration's */
} walk;

static walk walk_of(const product *p, const simt_dist *c, unsigned k_bits, const int32_t *a,
                    const int32_t *b) {
  const simt_product *s = &p->s;
  walk w = {.a = simt_dist_drop(c, 0, s->n), .b = simt_dist_drop(c, s->n, s->m)};
  for (unsigned j = 0; j < s->m; j++) w.a_weight[j] = a[s->k + j];
  for (unsigned j = 0; j < s->n; j++) w.b_weight[j] = b[j];
  for (unsigned j = 0; j < s->batch; j++) {
    w.a_weight[s->m + j] = a[s->k + s->m + j];
    w.b_weight[s->n + j] = b[s->k + s->n + j];
  }
  w.k_bits = k_bits;
  w.at_once = MIN(k_bits, (unsigned)UNROLL_BITS);
  for (uint32_t k = 0; k < 1u << w.at_once; k++)
    for (unsigned j = 0; j < w.at_once; j++) {
      w.a_k[k] += k >> j & 1 ? (uint32_t)a[j] : 0;
      w.b_k[k] += k >> j & 1 ? (uint32_t)b[s->n + j] : 0;
    }
  w.a_step = k_bits > w.at_once ? (uint32_t)a[w.at_once] : 0;
  w.b_step = k_bits > w.at_once ? (uint32_t)b[s->n + w.at_once] : 0;
  return w;
}

static uint32_t row_slot(const product *p, const walk *w, uint32_t index) {
  return simt_slot_of_index(&w->a, index >> p->s.n);
}
static uint32_t column_slot(const product *p, const walk *w, uint32_t index) {
  uint32_t low = index & ((1u << p->s.n) - 1), batch = index >> (p->s.n + p->s.m);
  return simt_slot_of_index(&w->b, low | batch << p->s.n);
}

/* next = sum + a * b for the k of one iteration. */
static void multiply_rows(product *p, const simt_dist *c, const walk *w, llv a_at, llv b_at,
                          llv *next) {
  gen *g = p->g;
  for (uint32_t k = 0; k < 1u << w->at_once; k++) {
    llv *rows = gpu_shared_load(g, p->elem, &w->a, add_const(g, a_at, w->a_k[k]), w->a_weight);
    llv *columns = gpu_shared_load(g, p->elem, &w->b, add_const(g, b_at, w->b_k[k]), w->b_weight);
    for (uint32_t i = 0; i < slots_of(c); i++) {
      uint32_t index = simt_index_of_slot(c, i);
      next[i] =
          multiply_add(p, rows[row_slot(p, w, index)], columns[column_slot(p, w, index)], next[i]);
    }
  }
}

/* sum += a * b for all k that lie there. */
static void walk_along_k(product *p, const simt_dist *c, const walk *w, llv a_base, llv b_base,
                         llv *sum) {
  gen *g = p->g;
  LLVMBuilderRef b = g->e.b;
  uint32_t n = slots_of(c), count = 1u << (w->k_bits - w->at_once);
  if (count == 1) {
    multiply_rows(p, c, w, a_base, b_base, sum);
    return;
  }
  llblock before = LLVMGetInsertBlock(b), loop = gpu_new_block(g, "product");
  llblock done = gpu_new_block(g, "product.end");
  LLVMBuildBr(b, loop);
  LLVMPositionBuilderAtEnd(b, loop);
  llv i = LLVMBuildPhi(b, g->e.i32, ""), *phi = gpu_registers(g, c), *next = gpu_registers(g, c);
  for (uint32_t j = 0; j < n; j++) next[j] = phi[j] = LLVMBuildPhi(b, p->type, "");
  llv a_at = add_of(g, a_base, to_i64(g, LLVMBuildMul(b, i, k32(g, w->a_step), "")));
  llv b_at = add_of(g, b_base, to_i64(g, LLVMBuildMul(b, i, k32(g, w->b_step), "")));
  multiply_rows(p, c, w, a_at, b_at, next);
  llv i_next = add_of(g, i, k32(g, 1));
  llv more = LLVMBuildICmp(b, LLVMIntULT, i_next, k32(g, count), "");
  llblock end = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, more, loop, done);
  LLVMAddIncoming(i, (llv[]){k32(g, 0), i_next}, (llblock[]){before, end}, 2);
  for (uint32_t j = 0; j < n; j++) {
    LLVMAddIncoming(phi[j], (llv[]){sum[j], next[j]}, (llblock[]){before, end}, 2);
    sum[j] = next[j];
  }
  LLVMPositionBuilderAtEnd(b, done);
}

static bool by_walking(product *p, const simt_dist *c, llv *sum) {
  gen *g = p->g;
  int32_t a_weight[SIMT_BITS], b_weight[SIMT_BITS];
  unsigned k_bits = p->s.k;
  uint32_t a_size, b_size;
  for (;; k_bits--) {
    a_size = operand_weights(p, true, k_bits, a_weight);
    b_size = operand_weights(p, false, k_bits, b_weight);
    if ((uint64_t)a_size + b_size <= gpu_scratch_limit(g)) break;
    if (k_bits == 0) {
      gpu_unsupported(g, p->op,
                      "its operands do not fit shared memory even one k at a time; use "
                      "smaller tiles");
      return false;
    }
  }
  walk w = walk_of(p, c, k_bits, a_weight, b_weight);
  for (uint32_t piece = 0; piece < 1u << (p->s.k - k_bits); piece++) {
    llv base = gpu_scratch(g, a_size + b_size);
    llv b_base = add_const(g, base, a_size);
    store_piece(p, true, k_bits, piece, base, a_weight);
    store_piece(p, false, k_bits, piece, b_base, b_weight);
    gpu_scratch_ready(g);
    walk_along_k(p, c, &w, base, b_base, sum);
  }
  return true;
}

/* ---- in a thread of its own ----------------------------------------------------------------- */

static void by_registers(product *p, const simt_dist *c, llv *sum) {
  const simt_product *s = &p->s;
  for (uint32_t i = 0; i < slots_of(c); i++) {
    uint32_t column = i & ((1u << s->n) - 1), row = i >> s->n & ((1u << s->m) - 1);
    uint32_t batch = i >> (s->n + s->m);
    for (uint32_t k = 0; k < 1u << s->k; k++) {
      uint32_t a = (batch << s->m | row) << s->k | k, b = (batch << s->k | k) << s->n | column;
      sum[i] = multiply_add(p, p->a[a], p->b[b], sum[i]);
    }
  }
}

void gpu_product(gen *g, ir_op *op) {
  if (g->vendor->product(g, op)) return;
  product p = {.g = g, .op = op, .s = simt_product_of(op), .elem = arithmetic_of(op)};
  ir_value *v = ir_result(op, 0);
  tsr_elem result = (tsr_elem)v->type->elem;
  p.type = emit_elem_type(&g->e, p.elem);
  simt_dist c = gpu_dist(g, v);
  p.a = operand_of(&p, true, &p.a_dist);
  p.b = operand_of(&p, false, &p.b_dist);
  llv *sum = gpu_any_nan(g, &c, gpu_get(g, ir_operand(op, 2), &c));
  if (g->private_)
    by_registers(&p, &c, sum);
  else if (!by_walking(&p, &c, sum))
    return;
  for (uint32_t i = 0; i < slots_of(&c) && p.elem != TSR_I32; i++)
    sum[i] = lanes_canonical(&g->e, emit_round(&g->e, result, sum[i]));
  gpu_set(g, v, &c, sum);
}
