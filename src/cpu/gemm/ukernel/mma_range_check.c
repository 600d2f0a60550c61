/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers that must be looked at beside being multiplied: pairs of bf16, which may be too low for
 * the instruction that multiplies them; bytes of a, whose sums are needed as well; and whether all
 * is finite, so that it may be left out where the other side is zero.
 */
#include "num/num.h"
#include "llvm/conv.h"
#include "llvm/lanes.h"

#include "cpu/gemm/ukernel/mma.h"
#include "cpu/gemm/ukernel/ukernel.h"

/* ---- all of a matrix ------------------------------------------------------------------------- */

/* A function that goes through rows of whole lines. */
typedef struct scan {
  const char *name;
  tsr_elem elem;
  LLVMTypeRef line; /* as a vector */
  unsigned align;   /* bytes */
  LLVMValueRef start;
  LLVMValueRef (*check)(emit *e, LLVMValueRef so_far, LLVMValueRef line);
  LLVMValueRef (*result)(emit *e, const struct scan *s, LLVMValueRef of_all); /* an i64 */
} scan;

/* i64 f(ptr at, i64 rows, i64 row, i64 bytes) */
static LLVMValueRef define_scan(emit *e, const scan *s, LLVMTypeRef type) {
  LLVMValueRef f = LLVMGetNamedFunction(e->module, s->name);
  if (f) return f;
  f = LLVMAddFunction(e->module, s->name, type);
  LLVMSetLinkage(f, LLVMInternalLinkage);
  emit inner = *e;
  inner.b = LLVMCreateBuilderInContext(e->llvm);
  mma g = {.e = &inner, .function = f};
  LLVMPositionBuilderAtEnd(inner.b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
  loop rows = mma_loop_begin(&g, INT64_MAX, LLVMGetParam(f, 1));
  LLVMValueRef row_at = mma_loop_carry(&g, &rows, LLVMGetParam(f, 0));
  LLVMValueRef of_rows = mma_loop_carry(&g, &rows, s->start);
  loop along = mma_loop_begin(&g, INT64_MAX, over(&g, LLVMGetParam(f, 3), MMA_LINE));
  LLVMValueRef at = mma_loop_carry(&g, &along, row_at);
  LLVMValueRef so_far = mma_loop_carry(&g, &along, of_rows);
  LLVMValueRef line = LLVMBuildLoad2(inner.b, s->line, at, "");
  LLVMSetAlignment(line, s->align);
  LLVMValueRef seen_now = s->check(&inner, so_far, line);
  mma_loop_next(&g, &along, at, opaque(&g, emit_offset(&inner, at, i64_of(&g, MMA_LINE))));
  mma_loop_next(&g, &along, so_far, seen_now);
  mma_loop_end(&g, &along);
  mma_loop_next(&g, &rows, row_at, emit_offset(&inner, row_at, LLVMGetParam(f, 2)));
  mma_loop_next(&g, &rows, of_rows, seen_now);
  mma_loop_end(&g, &rows);
  LLVMBuildRet(inner.b, s->result(&inner, s, seen_now));
  LLVMDisposeBuilder(inner.b);
  return f;
}

static LLVMValueRef call_scan(emit *e, const scan *s, LLVMValueRef at, int64_t rows, int64_t row,
                              int64_t bytes) {
  LLVMTypeRef types[] = {e->ptr, e->i64, e->i64, e->i64};
  LLVMTypeRef type = LLVMFunctionType(e->i64, types, ARRAY_LEN(types), 0);
  LLVMValueRef args[] = {at, LLVMConstInt(e->i64, (uint64_t)rows, 0),
                         LLVMConstInt(e->i64, (uint64_t)row, 0),
                         LLVMConstInt(e->i64, (uint64_t)bytes, 0)};
  return LLVMBuildCall2(e->b, type, define_scan(e, s, type), args, ARRAY_LEN(args), "");
}

/* ---- pairs of bf16 --------------------------------------------------------------------------- */

/* vdpbf16ps takes subnormal operands, products and sums for zero. But a number of bf16 is m *
 * 2^(e - 7), with a whole number m. So where all exponents of a are at least x and those of b at
 * least y, both normal, and x + y - 14 >= -126, all products are multiples of 2^-126, and so are
 * all their sums, rounded or not: none is subnormal. Zeros don't count; infinities and NaNs come
 * out as ever. acc is added by an addition of its own.
 *
 * Numbers are compared by 2 * pattern - 1, with 16 bits: the sign is gone, and zero is the largest.
 * The caller knows b's exponents, and says from where on a's will do. What is lowest in a block's
 * rows of a is found while they are multiplied, when the loop looks for what to fetch: integers
 * have units of their own. If it is too low, the sums are dropped, and the block is multiplied as
 * f32, a vector of columns at a time, because that hardly ever happens, and takes little code. */

static LLVMValueRef lower_of(emit *e, LLVMValueRef lowest, LLVMValueRef pairs) {
  return emit_lower_pairs(e, lowest, pairs);
}

LLVMValueRef mma_nothing_low(emit *e) {
  return LLVMConstAllOnes(LLVMVectorType(e->i16, 2 * RANGE_PAIRS));
}

/* Which of the next groups of a row are among the next `length`, rounded up to whole steps, of one
 * look at most. */
static LLVMValueRef seen(mma *g, LLVMValueRef length) {
  emit *e = g->e;
  LLVMValueRef number[RANGE_PAIRS];
  for (unsigned i = 0; i < RANGE_PAIRS; i++)
    number[i] = LLVMConstInt(e->i32, i / g->s.unroll * g->s.unroll, 0);
  LLVMValueRef some = emit_splat(e, LLVMBuildTrunc(e->b, length, e->i32, ""), RANGE_PAIRS);
  return i_cmp(e, LLVMIntULT, LLVMConstVector(number, RANGE_PAIRS), some);
}

/* Those of the block's i-th row; zeros in place of the others. */
static LLVMValueRef groups_of_row(mma *g, unsigned i, LLVMValueRef a_at, LLVMValueRef mask) {
  LLVMTypeRef type = LLVMVectorType(g->e->i32, RANGE_PAIRS), types[] = {type, g->e->ptr};
  LLVMValueRef args[] = {mma_in_row(g, a_at, i), mask, LLVMConstNull(type)};
  return emit_intrinsic(g->e, "llvm.masked.load", types, 2, args, 3);
}

LLVMValueRef mma_check_range(mma *g, unsigned rows, LLVMValueRef a_at, LLVMValueRef length,
                             LLVMValueRef lowest) {
  LLVMValueRef mask = seen(g, length);
  for (unsigned i = 0; i < rows; i++)
    lowest = lower_of(g->e, lowest, groups_of_row(g, i, a_at, mask));
  return lowest;
}

LLVMValueRef mma_is_too_low(mma *g, LLVMValueRef lowest) {
  LLVMValueRef lower = i_cmp(g->e, LLVMIntULT, lowest, g->least);
  LLVMValueRef bits = LLVMBuildBitCast(g->e->b, lower, g->e->i32, "");
  return i_cmpk(g->e, LLVMIntNE, bits, 0);
}

LLVMValueRef emit_pairs_least(emit *e, LLVMValueRef lowest_of_b) {
  enum { SUM = 2 * 127 - 126 + 14, NEVER = PAIRS_HIGH }; /* of biased exponents */
  LLVMValueRef exponent = i_lshrk(e, i_addk(e, lowest_of_b, 1), 8);
  LLVMValueRef wanted = i_sub(e, lanes_int(e, exponent, SUM), exponent);
  wanted = l_call2(e, "llvm.smax", wanted, lanes_int(e, wanted, 1));
  LLVMValueRef least = i_subk(e, i_shlk(e, wanted, 8), 1);
  return l_select(e, i_cmpk(e, LLVMIntEQ, exponent, 0), lanes_int(e, least, NEVER), least);
}

/* What is lowest in all lines, as one number. */
static LLVMValueRef lowest_of(emit *e, const scan *s, LLVMValueRef lowest) {
  LLVMTypeRef type = LLVMTypeOf(lowest);
  (void)s;
  lowest = emit_intrinsic(e, "llvm.vector.reduce.umin", &type, 1, &lowest, 1);
  return LLVMBuildZExt(e->b, lowest, e->i64, "");
}

LLVMValueRef emit_lowest_nothing(emit *e) {
  return mma_nothing_low(e);
}

LLVMValueRef emit_lowest_in(emit *e, LLVMValueRef at) {
  LLVMTypeRef type = LLVMTypeOf(mma_nothing_low(e));
  return lowest_of(e, NULL, LLVMBuildLoad2(e->b, type, at, ""));
}

LLVMValueRef emit_pairs_lowest(emit *e, LLVMValueRef at, int64_t rows, int64_t row, int64_t bytes) {
  const scan s = {.name = "mma.lowest",
                  .line = LLVMVectorType(e->i32, RANGE_PAIRS),
                  .align = 4,
                  .start = mma_nothing_low(e),
                  .check = lower_of,
                  .result = lowest_of};
  return call_scan(e, &s, at, rows, row, bytes);
}

/* ---- bytes of equal signedness --------------------------------------------------------------- */

/* vpdpbusd multiplies unsigned by signed bytes. Where both sides are signed alike those of b, which
 * is packed in any case, come with the top bit flipped, which makes them 128 larger as unsigned, or
 * smaller as signed numbers. Either way the sums have 128 (or -128) times the sum of a's row too
 * much: the product of the row with that number. It is added up while the row is multiplied, a
 * vector of groups with each look, in memory, because the registers are full. */
static LLVMValueRef row_sum(mma *g, unsigned i) {
  return emit_offset(g->e, g->row_sums, i64_of(g, (int64_t)i * RANGE_PAIRS * 4));
}

static LLVMValueRef load_row_sum(mma *g, unsigned i) {
  LLVMTypeRef type = LLVMVectorType(g->e->i32, RANGE_PAIRS);
  return LLVMBuildLoad2(g->e->b, type, row_sum(g, i), "");
}

void mma_clear_row_sums(mma *g, unsigned rows) {
  LLVMValueRef zero = LLVMConstNull(LLVMVectorType(g->e->i32, RANGE_PAIRS));
  for (unsigned i = 0; i < rows; i++) LLVMBuildStore(g->e->b, zero, row_sum(g, i));
}

void mma_sum_rows(mma *g, unsigned rows, LLVMValueRef a_at, LLVMValueRef length) {
  emit *e = g->e;
  LLVMValueRef mask = seen(g, length);
  operand tops = {{emit_const_int(e, LLVMVectorType(e->i32, RANGE_PAIRS), 0x80808080u)}};
  for (unsigned i = 0; i < rows; i++) {
    operand a = {{groups_of_row(g, i, a_at, mask)}};
    LLVMBuildStore(e->b, mma_multiply_add(g, a, tops, load_row_sum(g, i)), row_sum(g, i));
  }
}

void mma_take_row_sums_off(mma *g, unsigned rows, LLVMValueRef *c) {
  emit *e = g->e;
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef sum = load_row_sum(g, i);
    LLVMTypeRef type = LLVMTypeOf(sum);
    sum = emit_intrinsic(e, "llvm.vector.reduce.add", &type, 1, &sum, 1);
    sum = emit_splat(e, sum, g->s.vector_lanes);
    for (unsigned j = 0; j < g->s.vectors; j++, c++) *c = i_sub(e, *c, sum);
  }
}

/* ---- numbers that are finite ----------------------------------------------------------------- */

/* The larger ones, without signs. */
static LLVMValueRef larger_of(emit *e, LLVMValueRef highest, LLVMValueRef line) {
  return l_call2(e, "llvm.umax", highest, i_add(e, line, line));
}

static LLVMValueRef is_finite(emit *e, const scan *s, LLVMValueRef highest) {
  LLVMTypeRef type = s->line;
  highest = emit_intrinsic(e, "llvm.vector.reduce.umax", &type, 1, &highest, 1);
  uint64_t infinity = 2 * num_inf(num_format_of(s->elem), false);
  LLVMValueRef limit = LLVMConstInt(LLVMTypeOf(highest), infinity, 0);
  return LLVMBuildZExt(e->b, LLVMBuildICmp(e->b, LLVMIntULT, highest, limit, ""), e->i64, "");
}

LLVMValueRef emit_mma_finite(emit *e, tsr_elem elem, LLVMValueRef at, int64_t rows, int64_t row,
                             int64_t bytes) {
  unsigned bits = tsr_elem_bits(elem);
  LLVMTypeRef line = LLVMVectorType(LLVMIntTypeInContext(e->llvm, bits), MMA_LINE * 8 / bits);
  const scan s = {.name = arena_printf(e->arena, "mma.finite.%s", tsr_elem_name(elem)),
                  .elem = elem,
                  .line = line,
                  .align = bits / 8,
                  .start = LLVMConstNull(line),
                  .check = larger_of,
                  .result = is_finite};
  return call_scan(e, &s, at, rows, row, bytes);
}
