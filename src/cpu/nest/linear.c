/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values that are linear in the bits of their index: the part that loops and copies determine is a
 * scalar, emitted in the block of the innermost of these loops; that of the lanes is a constant
 * vector where coefficients are known.
 */
#include "cpu/nest/linear.h"

#include "cpu/core/fold.h"
#include "cpu/plan/affine.h"
#include "cpu/nest/memo.h"
#include "cpu/nest/nest.h"

/* A run of index bits that a loop counts, from `low`: coefficients double from one to the next. */
static unsigned run_length(const coef *c, const index_map *m, unsigned k) {
  unsigned length = 1;
  while (k + length < m->n && m->bit[k + length] == m->bit[k] + (int)length &&
         c[k + length].s == c[k].s && c[k + length].m == (int64_t)((uint64_t)c[k].m << length))
    length++;
  return length;
}

static llv loop_term(nest *n, const level *v, const coef *c, unsigned width, unsigned from,
                     unsigned length) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  llv i = v->index;
  if (from) i = LLVMBuildLShr(b, i, k64(l, (int)from), "");
  if (from + length < v->n) i = LLVMBuildAnd(b, i, k64(l, (INT64_C(1) << length) - 1), "");
  if (width < 64) i = LLVMBuildTrunc(b, i, LLVMIntTypeInContext(l->e.llvm, width), "");
  int64_t fixed;
  if (coef_const(*c, &fixed)) return fold_mul(l, i, k_int(l, width, fixed));
  llv scale = coef_value(l, *c, width);
  return LLVMBuildMul(b, i, scale, "");
}

/* The part that the loops' indices determine; lanes count as 0, fixed bits are left out. */
static lane_value loops_part(nest *n, llv base, const coef *c, unsigned width, const index_map *m) {
  lower *l = n->l;
  lane_value sum = {.v = base, .level = 0};
  for (unsigned at = 1; at < n->n_levels; at++) {
    const level *v = &n->levels[at];
    for (unsigned k = 0; k < m->n;) {
      int bit = m->bit[k];
      if (bit < 0 || n->lane_of[bit] >= 0 || n->level_of[bit] != at || coef_is_zero(c[k])) {
        k++;
        continue;
      }
      unsigned length = run_length(c, m, k), left = v->first + v->n - (unsigned)bit;
      if (length > left) length = left;
      nest_place_level(n, at);
      sum.v = fold_add(l, sum.v, loop_term(n, v, &c[k], width, (unsigned)bit - v->first, length));
      sum.level = at;
      k += length;
    }
  }
  return sum;
}

/* What copies add is no constant where rows are copies. Bit after bit, the highest first, so that
 * each sum is another copy's and one coefficient more: the processor's addresses take such a
 * coefficient times 1, 2, 4 or 8, and no more than one of all has to stay in a register. */
static lane_value add_fixed_bits(nest *n, const void *key, lane_value sum, const coef *c,
                                 unsigned width, const index_map *m, index_map with) {
  lower *l = n->l;
  int64_t v;
  for (unsigned k = m->n; k-- > 0;) {
    if (m->bit[k] != BIT_ONE || coef_is_zero(c[k]) || coef_const(c[k], &v)) continue;
    with.bit[k] = BIT_ONE;
    lane_value *old = memo_find(n, key, &with);
    if (!old) {
      nest_place_level(n, 0);
      llv term = coef_value(l, c[k], width);
      nest_place_level(n, sum.level);
      sum.v = fold_add(l, sum.v, term);
      memo_put(n, key, &with, sum);
    } else {
      sum = *old;
    }
  }
  return sum;
}

/* The scalar part: loops and fixed bits. */
lane_value linear_scalar(nest *n, const void *key, llv base, const coef *c, unsigned width,
                         const index_map *m) {
  lower *l = n->l;
  index_map loops = *m;
  int64_t fixed = 0, v;
  for (unsigned k = 0; k < m->n; k++) {
    int bit = m->bit[k];
    if (bit == BIT_ONE && !coef_is_zero(c[k]) && coef_const(c[k], &v))
      fixed = (int64_t)((uint64_t)fixed + (uint64_t)v);
    if (bit < 0 || n->lane_of[bit] >= 0) loops.bit[k] = BIT_ZERO;
  }
  lane_value *old = memo_find(n, key, &loops);
  lane_value sum = old ? *old : memo_put(n, key, &loops, loops_part(n, base, c, width, &loops));
  sum = add_fixed_bits(n, key, sum, c, width, m, loops);
  if (!fixed) return sum;
  nest_place_level(n, sum.level);
  sum.v = fold_add(l, sum.v, k_int(l, width, fixed));
  return sum;
}

/* Coefficients by lane bit; false when no lane bit counts. */
bool lane_coefs(nest *n, const coef *c, const index_map *m, coef out[LANE_BITS]) {
  bool any = false;
  for (unsigned j = 0; j < LANE_BITS; j++) out[j] = (coef){0};
  for (unsigned k = 0; k < m->n; k++) {
    int j = m->bit[k] < 0 ? -1 : n->lane_of[m->bit[k]];
    if (j < 0 || coef_is_zero(c[k])) continue;
    out[j] = c[k];
    any = true;
  }
  return any;
}

/* <0, c0, c1, c0 + c1, …>. Before all loops: no coefficient changes in them. */
llv lane_offsets(nest *n, const coef c[LANE_BITS], unsigned width) {
  lower *l = n->l;
  nest_place_level(n, 0);
  LLVMTypeRef type = LLVMIntTypeInContext(l->e.llvm, width);
  unsigned lanes = nest_lane_count(n);
  llv sum = NULL;
  llv constants[1 << LANE_BITS];
  for (unsigned j = 0; j < n->lane_n;) {
    /* Bits of one scale make one constant vector. */
    llv scale = c[j].m ? c[j].s : NULL;
    unsigned end = j + 1;
    while (end < n->lane_n && (c[end].m ? c[end].s : NULL) == scale) end++;
    for (unsigned i = 0; i < lanes; i++) {
      uint64_t v = 0;
      for (unsigned bit = j; bit < end; bit++)
        if (i >> bit & 1) v += (uint64_t)c[bit].m;
      constants[i] = k_int(l, width, (int64_t)v);
    }
    llv part = LLVMConstVector(constants, lanes);
    if (scale) part = LLVMBuildMul(l->e.b, emit_splat(&l->e, scale, lanes), part, "");
    sum = sum ? LLVMBuildAdd(l->e.b, sum, part, "") : part;
    j = end;
  }
  return sum ? sum : LLVMConstNull(LLVMVectorType(type, lanes));
}

lane_value gen_linear(nest *n, const void *key, llv base, const coef *c, unsigned width,
                      const index_map *m) {
  lane_value sum = linear_scalar(n, key, base, c, width, m);
  coef lanes[LANE_BITS];
  if (!lane_coefs(n, c, m, lanes)) return sum;
  llv offsets = lane_offsets(n, lanes, width);
  nest_place_level(n, sum.level);
  llv all = emit_splat(&n->l->e, sum.v, nest_lane_count(n));
  return (lane_value){.v = LLVMBuildAdd(n->l->e.b, all, offsets, ""), .level = sum.level};
}
