/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pairs of bf16. Products don't tell NaNs apart, so nothing is made canonical. Where the processor
 * rounds two vectors to one and the last operation is a sum or a product, that is not rounded by
 * itself. The instruction takes subnormal numbers for zero: where a body has some, which is rare, a
 * block beside the loop rounds all of its numbers as other operations are.
 */
#include <math.h>

#include "num/num.h"
#include "llvm/conv.h"
#include "llvm/lanes.h"
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

/* ---- how small products are ----------------------------------------------------------------- */

/* The factors of a body's last product that its loop doesn't change, where the others are zero or
 * at least 2^least. So it is enough to look at these, in front of the loop. */
typedef struct factors {
  bool known;
  unsigned which; /* operand of the product */
  int least;
  lane_value of[MAX_UNROLL]; /* different ones */
  unsigned n, level;         /* of all of them */
} factors;

enum { LEAST_EXPONENT = -16 };

/* Whether a number is zero or at least a power of two, for what it was converted from. */
static bool least_magnitude(const ir_value *v, int *exponent) {
  const ir_op *op = ir_defining_op(v);
  while (op && (op->opcode == OP_broadcast || op->opcode == OP_reshape || op->opcode == OP_permute))
    op = ir_defining_op(ir_operand(op, 0));
  *exponent = 0;
  if (!op || op->opcode == OP_itof) return op != NULL;
  tsr_elem from = op->opcode == OP_ftof ? (tsr_elem)ir_operand(op, 0)->type->elem : TSR_F32;
  const num_format *f = num_format_of(from);
  if (tsr_elem_bits(from) > 8) return false;
  frexp(num_decode(f, num_min_positive(f)), exponent);
  *exponent -= 1;
  return *exponent >= LEAST_EXPONENT;
}

static factors find_factors(ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  factors f = {0};
  for (f.which = 0; f.which < 2 && op->opcode == OP_mulf && !f.known; f.which++)
    f.known = least_magnitude(ir_operand(op, 1 - f.which), &f.least);
  f.which--;
  return f;
}

static void add_factor(const nest *n, factors *f, lane_value x) {
  f->known &= x.level < n->n_levels - 1;
  f->level = MAX(f->level, x.level);
  for (unsigned i = 0; i < f->n; i++)
    if (f->of[i].v == x.v) return;
  f->of[f->n++] = x;
}

/* The pattern in f32, twice, so that the sign is gone. */
static llv without_sign(emit *e, llv x) {
  return i_shlk(e, LLVMBuildBitCast(e->b, x, emit_lane_type(e, TSR_I32, emit_lanes(x)), ""), 1);
}

/* Whether no product is subnormal: each factor is zero or large enough. */
static llv none_small(nest *n, const factors *f) {
  emit *e = &n->l->e;
  llv some = NULL;
  for (unsigned i = 0; i < f->n; i++) {
    nest_place_level(n, f->of[i].level);
    uint32_t first = (uint32_t)(1 - f->least) << 24; /* the first number that is large enough */
    llv small = i_cmpk(e, LLVMIntULT, i_subk(e, without_sign(e, f->of[i].v), 1), first - 1);
    nest_place_level(n, f->level);
    some = some ? i_or(e, some, small) : small;
  }
  LLVMTypeRef mask = LLVMIntTypeInContext(e->llvm, emit_lanes(some));
  return i_cmpk(e, LLVMIntEQ, LLVMBuildBitCast(e->b, some, mask, ""), 0);
}

/* What products may be lowest, as emit_lower_pairs has it: their exponents are those of the factors
 * less `least` at the least. */
static llv lowest_products(nest *n, const factors *f) {
  emit *e = &n->l->e;
  llv lowest = NULL;
  for (unsigned i = 0; i < f->n; i++) {
    nest_place_level(n, f->of[i].level);
    llv exponent = i_lshrk(e, without_sign(e, f->of[i].v), 24);
    llv low = i_subk(e, i_shlk(e, i_subk(e, exponent, (uint64_t)-f->least), 8), 1);
    low = LLVMBuildTrunc(e->b, low, LLVMVectorType(e->i16, emit_lanes(low)), "");
    nest_place_level(n, f->level);
    lowest = lowest ? l_call2(e, "llvm.umin", lowest, low) : low;
  }
  return lowest;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* What the last operation gives before it is rounded. */
static llv unrounded(nest *n, ir_value *v, const index_map *m, factors *f) {
  ir_op *op = ir_defining_op(v);
  exec_elementwise w = exec_elementwise_of(op);
  llv operands[3];
  for (unsigned i = 0; i < w.n_operands; i++) {
    lane_value x = gen_lanes(n, ir_operand(op, i), m);
    if (f->known && i == f->which) add_factor(n, f, (lane_value){lanes_any_nan(x.v), x.level});
    operands[i] = x.v;
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
  nest_place_level(n, n->n_levels - 1);
  for (unsigned i = 0; i < pairs; i++) {
    index_map m = nest_map(n, 2 * i);
    gen_buffer_store(n, r->to, &m, words[i]);
  }
}

static llv lowest_of_pairs(emit *e, const llv *words, unsigned pairs) {
  llv lowest = LLVMConstAllOnes(LLVMVectorType(e->i16, 2 * emit_lanes(words[0])));
  for (unsigned i = 0; i < pairs; i++) lowest = emit_lower_pairs(e, lowest, words[i]);
  return lowest;
}

static void note_lowest(nest *n, const root *r, llv found) {
  emit *e = &n->l->e;
  llv lowest = LLVMBuildLoad2(e->b, LLVMTypeOf(found), r->to->lowest, "");
  LLVMSetAlignment(lowest, CACHE_LINE);
  lowest = l_call2(e, "llvm.umin", lowest, found);
  LLVMSetAlignment(LLVMBuildStore(e->b, lowest, r->to->lowest), CACHE_LINE);
}

/* By other operations, which take subnormal numbers as they are. */
static void round_apart(emit *e, const llv *v, llv *words, unsigned pairs) {
  for (unsigned i = 0; i < pairs; i++)
    words[i] =
        as_words(e, emit_round(e, TSR_BF16, v[2 * i]), emit_round(e, TSR_BF16, v[2 * i + 1]));
}

static llv either(emit *e, llv usual, llblock before, llv other, llblock rare) {
  llv phi = LLVMBuildPhi(e->b, LLVMTypeOf(usual), "");
  LLVMAddIncoming(phi, (llv[]){usual, other}, (llblock[]){before, rare}, 2);
  return phi;
}

/* Each lane's number for both of a pair. */
static llv for_pairs(emit *e, llv low) {
  llv wide = LLVMBuildZExt(e->b, low, emit_lane_type(e, TSR_I32, emit_lanes(low)), "");
  wide = LLVMBuildOr(e->b, wide, i_shlk(e, wide, 16), "");
  return LLVMBuildBitCast(e->b, wide, LLVMVectorType(e->i16, 2 * emit_lanes(low)), "");
}

static void round_together(nest *n, const root *r) {
  emit *e = &n->l->e;
  const unsigned pairs = 1u << (n->unroll_n - 1), last = n->n_levels - 1;
  llv v[MAX_UNROLL], words[MAX_UNROLL / 2], others[MAX_UNROLL / 2], low = NULL;
  factors f = find_factors(r->value);
  for (unsigned copy = 0; copy < 2 * pairs; copy++) {
    index_map m = nest_map(n, copy);
    v[copy] = unrounded(n, r->value, &m, &f);
  }
  if (f.known && r->to->lowest) low = for_pairs(e, lowest_products(n, &f));
  llv right = f.known ? none_small(n, &f) : NULL;
  nest_place_level(n, last);
  if (!right) right = emit_none_subnormal(e, v, 2 * pairs);
  for (unsigned i = 0; i < pairs; i++) words[i] = emit_bf16_pairs(e, v[2 * i], v[2 * i + 1]);
  llblock before = n->levels[last].block, rare = nest_cut(n, right);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(rare));
  round_apart(e, v, others, pairs);
  llv other_low = low ? lowest_of_pairs(e, others, pairs) : NULL;
  nest_place_level(n, last);
  for (unsigned i = 0; i < pairs; i++) words[i] = either(e, words[i], before, others[i], rare);
  if (low) low = either(e, low, before, other_low, rare);
  store_pairs(n, r, words, pairs);
  if (r->to->lowest) note_lowest(n, r, low ? low : lowest_of_pairs(e, words, pairs));
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
  if (r->to->lowest) note_lowest(n, r, lowest_of_pairs(&n->l->e, words, 1u << (n->unroll_n - 1)));
}
