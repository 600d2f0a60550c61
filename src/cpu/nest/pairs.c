/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pairs of bf16. Products don't tell NaNs apart, so nothing is made canonical. Where the processor
 * rounds two vectors to one and the last operation is a sum or a product, that is not rounded by
 * itself. The instruction takes subnormal numbers for zero: where a body has some, which is rare, a
 * block beside the loop rounds all of its numbers as other operations are.
 */
#include "llvm/conv.h"
#include "llvm/nans.h"

#include "cpu/nest/pairs.h"

#include "cpu/core/notes.h"
#include "cpu/nest/elementwise.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"

static bool rounds_at_the_end(nest *n, ir_value *v) {
  const value *x = value_of(n->l, v);
  const ir_op *op = ir_defining_op(v);
  if (!op || x->kind != VALUE_LAZY || x->pending || v->type->elem != TSR_BF16) return false;
  if (op->opcode != OP_mulf && op->opcode != OP_addf && op->opcode != OP_subf) return false;
  exec_elementwise w = exec_elementwise_of(op);
  return w.rounding == ROUND_NEAREST_EVEN && !w.flush_to_zero && is_on(n->l, PATTERN_ROUND_PAIRS) &&
         emit_has_bf16_pairs(&n->l->e, nest_lane_count(n));
}

/* What the last operation gives before it is rounded. */
static llv unrounded(nest *n, ir_value *v, const index_map *m) {
  ir_op *op = ir_defining_op(v);
  exec_elementwise w = exec_elementwise_of(op);
  llv operands[3];
  for (unsigned i = 0; i < w.n_operands; i++) {
    operands[i] = gen_lanes(n, ir_operand(op, i), m).v;
    w.operands[i] = TSR_F32;
  }
  w.result = TSR_F32;
  nest_place_level(n, n->n_levels - 1);
  return lanes_any_nan(gen_elementwise(n->l, &w, operands));
}

/* Two vectors as words. */
static llv as_words(emit *e, llv first, llv second) {
  LLVMTypeRef words = emit_lane_type(e, TSR_I32, emit_lanes(first));
  llv low = LLVMBuildZExt(e->b, emit_encode(e, TSR_BF16, first), words, "");
  llv high = LLVMBuildZExt(e->b, emit_encode(e, TSR_BF16, second), words, "");
  high = LLVMBuildShl(e->b, high, emit_const_int(e, words, 16), "");
  return LLVMBuildOr(e->b, low, high, "");
}

/* Pairs of words to where they belong. */
static void store_pairs(nest *n, const root *r, const llv *words, unsigned pairs) {
  emit *e = &n->l->e;
  nest_place_level(n, n->n_levels - 1);
  for (unsigned i = 0; i < pairs; i++) {
    index_map m = nest_map(n, 2 * i);
    gen_buffer_store(n, r->to, &m, words[i]);
  }
  if (!r->to->lowest) return;
  LLVMTypeRef halves = LLVMVectorType(e->i16, 2 * emit_lanes(words[0]));
  llv lowest = LLVMBuildLoad2(e->b, halves, r->to->lowest, "");
  LLVMSetAlignment(lowest, CACHE_LINE);
  for (unsigned i = 0; i < pairs; i++) lowest = emit_lower_pairs(e, lowest, words[i]);
  LLVMSetAlignment(LLVMBuildStore(e->b, lowest, r->to->lowest), CACHE_LINE);
}

static void round_together(nest *n, const root *r) {
  emit *e = &n->l->e;
  const unsigned pairs = 1u << (n->unroll_n - 1), last = n->n_levels - 1;
  llv v[MAX_UNROLL], words[MAX_UNROLL / 2];
  for (unsigned copy = 0; copy < 2 * pairs; copy++) {
    index_map m = nest_map(n, copy);
    v[copy] = unrounded(n, r->value, &m);
  }
  nest_place_level(n, last);
  llv right = emit_none_subnormal(e, v, 2 * pairs);
  for (unsigned i = 0; i < pairs; i++) words[i] = emit_bf16_pairs(e, v[2 * i], v[2 * i + 1]);
  llblock before = n->levels[last].block, rare = nest_cut(n, right);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(rare));
  llv others[MAX_UNROLL / 2];
  for (unsigned i = 0; i < pairs; i++)
    others[i] =
        as_words(e, emit_round(e, TSR_BF16, v[2 * i]), emit_round(e, TSR_BF16, v[2 * i + 1]));
  nest_place_level(n, last);
  for (unsigned i = 0; i < pairs; i++) {
    llv phi = LLVMBuildPhi(e->b, LLVMTypeOf(words[i]), "");
    LLVMAddIncoming(phi, (llv[]){words[i], others[i]}, (llblock[]){before, rare}, 2);
    words[i] = phi;
  }
  store_pairs(n, r, words, pairs);
}

bool gen_rounds_pairs(nest *n, const root *r) {
  return rounds_at_the_end(n, r->value);
}

void gen_pairs(nest *n, const root *r) {
  if (rounds_at_the_end(n, r->value)) {
    NOTE_MATCH(n->l, ROUND_PAIRS, .value = r->value);
    round_together(n, r);
    return;
  }
  llv words[MAX_UNROLL / 2];
  for (unsigned copy = 0; copy < 1u << n->unroll_n; copy += 2) {
    index_map m = nest_map(n, copy), next = nest_map(n, copy + 1);
    llv first = lanes_any_nan(gen_lanes(n, r->value, &m).v);
    llv second = lanes_any_nan(gen_lanes(n, r->value, &next).v);
    nest_place_level(n, n->n_levels - 1);
    words[copy / 2] = as_words(&n->l->e, first, second);
  }
  store_pairs(n, r, words, 1u << (n->unroll_n - 1));
}
