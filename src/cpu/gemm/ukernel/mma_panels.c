/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which blocks there are: panels of columns one after the other, and down each of them rows in
 * blocks of the best size and then of a smaller one.
 */
#include "llvm/lanes.h"

#include "cpu/gemm/ukernel/mma.h"

/* ---- blocks down a panel --------------------------------------------------------------------- */

static block_at behind(mma *g, const block_at *at, unsigned rows) {
  if (g->slice_k)
    return (block_at){emit_offset(g->e, at->a, i64_of(g, 8 * (int64_t)rows)), at->acc, at->out};
  return (block_at){.a = emit_offset(g->e, at->a, times(g, g->a_row, rows)),
                    .acc = emit_offset(g->e, at->acc, times(g, g->acc_row, rows)),
                    .out = emit_offset(g->e, at->out, times(g, g->out_row, rows))};
}

/* Of a block whose first `left` rows count: the others may not be there, so it is the last one that
 * counts which is read and written in their place. */
static void find_offsets(mma *g, unsigned rows, LLVMValueRef left) {
  LLVMBuilderRef b = g->e->b;
  LLVMValueRef number = i64_of(g, 0);
  for (unsigned i = 1; i < rows; i++) {
    LLVMValueRef counts = LLVMBuildICmp(b, LLVMIntUGT, left, i64_of(g, i), "");
    g->row_number[i] = number = LLVMBuildSelect(b, counts, i64_of(g, i), number, "");
    g->row_offsets[i] = opaque(g, LLVMBuildMul(b, number, g->a_row, ""));
  }
}

static LLVMValueRef bytes_to_next(mma *g) {
  LLVMBuilderRef b = g->e->b;
  LLVMValueRef next = LLVMBuildPtrToInt(b, parameter(g, MMA_PREFETCH), g->e->i64, "");
  return LLVMBuildSub(b, next, LLVMBuildPtrToInt(b, g->b, g->e->i64, ""), "");
}

/* Other blocks than that which begins with the first row ask for what they read themselves, which
 * costs next to nothing. */
static LLVMValueRef first_to_next(mma *g, LLVMValueRef left) {
  LLVMBuilderRef b = g->e->b;
  LLVMValueRef first = LLVMBuildICmp(b, LLVMIntEQ, left, g->m, "");
  return LLVMBuildSelect(b, first, bytes_to_next(g), i64_of(g, 0), "");
}

/* Of the blocks down a panel the one that begins with the first row writes it, if none has. */
static LLVMValueRef first_from(mma *g, LLVMValueRef left, LLVMValueRef from) {
  LLVMBuilderRef b = g->e->b;
  LLVMValueRef copies = LLVMBuildIsNotNull(b, parameter(g, MMA_FROM), "");
  copies = LLVMBuildAnd(b, copies, LLVMBuildICmp(b, LLVMIntEQ, left, g->m, ""), "");
  return LLVMBuildSelect(b, copies, from, LLVMConstNull(g->e->ptr), "");
}

/* All blocks of one size down a panel, of which `left` rows count: 1 or up to SEVERAL. Moves `at`
 * after them. */
static void blocks_of_size(mma *g, unsigned rows, unsigned most, LLVMValueRef count,
                           LLVMValueRef left, block_at *at, LLVMValueRef b_at) {
  loop l = mma_loop_begin(g, most, count);
  LLVMValueRef left_here = mma_loop_carry(g, &l, left);
  block_at here = {mma_loop_carry(g, &l, at->a), mma_loop_carry(g, &l, at->acc),
                   mma_loop_carry(g, &l, at->out)};
  LLVMValueRef from = g->from;
  if (g->first_prefetches) g->next_b = first_to_next(g, left_here);
  if (from) g->from = first_from(g, left_here, from);
  if (!g->slice_k) find_offsets(g, rows, left_here);
  mma_block(g, rows, &here, b_at);
  g->from = from;
  *at = behind(g, &here, rows);
  mma_loop_next(g, &l, left_here, LLVMBuildSub(g->e->b, left_here, i64_of(g, rows), ""));
  mma_loop_next(g, &l, here.a, at->a);
  mma_loop_next(g, &l, here.acc, at->acc);
  mma_loop_next(g, &l, here.out, at->out);
  mma_loop_end(g, &l);
  if (g->first_prefetches) g->next_b = NULL; /* known in the loop only */
}

/* May rows end in two blocks of the second size? 32 are four of six and two of four. 16 are two of
 * six and one of four, and a loop over that one would cost a tenth where k is short. */
static bool ends_in_two(const mma_shape *s) {
  return s->blocks[1] == SEVERAL;
}

/* How many blocks of the first size: as many as fit, and one more where a block of the second would
 * not hold the rest; one less where two of the second hold what that leaves. Rounded up so, m is no
 * more than the tile's. */
static LLVMValueRef large_blocks(mma *g) {
  const mma_shape *s = &g->s;
  LLVMBuilderRef b = g->e->b;
  unsigned large = s->rows[0], small = s->rows[1];
  LLVMValueRef one = i64_of(g, 1);
  LLVMValueRef count = LLVMBuildAdd(b, g->m, i64_of(g, large - small - 1), "");
  count = LLVMBuildUDiv(b, count, i64_of(g, large), "");
  if (ends_in_two(s)) {
    LLVMValueRef rest = LLVMBuildSub(b, g->m, times(g, count, large), "");
    rest = LLVMBuildSub(b, rest, one, "");
    LLVMValueRef two = LLVMBuildICmp(b, LLVMIntULT, rest, i64_of(g, 2 * small - large), "");
    count = LLVMBuildSub(b, count, LLVMBuildZExt(b, two, g->e->i64, ""), "");
  }
  LLVMTypeRef i64 = g->e->i64;
  return emit_intrinsic(g->e, "llvm.smax", &i64, 1, (LLVMValueRef[]){count, one}, 2);
}

/* All rows that count, in blocks of the first size and the rest in blocks of the second. */
static void rows_of_panel(mma *g, LLVMValueRef b_at, block_at at) {
  const mma_shape *s = &g->s;
  LLVMBuilderRef b = g->e->b;
  unsigned first = s->blocks[0] == 0 ? 1 : 0;
  if (first == 1 || s->blocks[1] == 0) {
    LLVMValueRef count = over(g, g->m, s->rows[first]);
    blocks_of_size(g, s->rows[first], s->blocks[first], count, g->m, &at, b_at);
    return;
  }
  unsigned large = s->rows[0], small = s->rows[1];
  LLVMValueRef count = large_blocks(g);
  blocks_of_size(g, large, s->blocks[0], count, g->m, &at, b_at);
  LLVMValueRef covered = times(g, count, large);
  LLVMValueRef more = LLVMBuildICmp(b, LLVMIntUGT, g->m, covered, "");
  LLVMBasicBlockRef rest = new_block(g);
  LLVMBasicBlockRef done = new_block(g);
  LLVMBuildCondBr(b, more, rest, done);
  LLVMPositionBuilderAtEnd(b, rest);
  LLVMValueRef left = LLVMBuildSub(b, g->m, covered, "");
  count = over(g, left, small);
  /* A block or two of many: what is fetched and saved in loops elsewhere is worth no code here. */
  mma rest_of = *g;
  rest_of.regions = rest_of.from = NULL;
  if (!checks_range(g) && !g->slice_k && !g->b_follows) rest_of.s.unroll = 1;
  rest_of.next_b = g->b_follows && !g->first_prefetches ? bytes_to_next(g) : NULL;
  rest_of.first_prefetches = false;
  blocks_of_size(&rest_of, small, s->blocks[1], count, left, &at, b_at);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
}

/* ---- panels ---------------------------------------------------------------------------------- */

static void panels_of_blocks(mma *g, LLVMValueRef count) {
  const mma_shape *s = &g->s;
  int64_t cols = (int64_t)s->vectors * s->vector_lanes;
  loop l = mma_loop_begin(g, s->panels, count);
  LLVMValueRef b_at = mma_loop_carry(g, &l, g->b), width = i64_of(g, cols * g->size);
  block_at at = {.a = g->slice_k ? g->order : g->a,
                 .acc = mma_loop_carry(g, &l, g->acc),
                 .out = mma_loop_carry(g, &l, g->slice_k ? i64_of(g, 0) : g->out)};
  LLVMValueRef from = g->from;
  if (from) g->from = mma_loop_carry(g, &l, from);
  rows_of_panel(g, b_at, at);
  if (from) mma_loop_next(g, &l, g->from, emit_offset(g->e, g->from, width));
  g->from = from;
  mma_loop_next(g, &l, b_at, emit_offset(g->e, b_at, g->b_panel));
  mma_loop_next(g, &l, at.acc, emit_offset(g->e, at.acc, width));
  mma_loop_next(g, &l, at.out,
                g->slice_k ? LLVMBuildAdd(g->e->b, at.out, width, "")
                           : emit_offset(g->e, at.out, width));
  mma_loop_end(g, &l);
}

/* Where b is used once only, a block of the second size is enough for so few rows. They have a loop
 * of their own, in which that block asks for lines as the first one does. */
static void panels(mma *g, LLVMValueRef count) {
  const mma_shape *s = &g->s;
  LLVMBuilderRef b = g->e->b;
  if (!g->b_follows || s->blocks[0] == 0 || s->blocks[1] == 0) {
    panels_of_blocks(g, count);
    return;
  }
  mma few_of = *g;
  few_of.s.blocks[0] = 0;
  few_of.s.blocks[1] = 1;
  LLVMBasicBlockRef few = new_block(g), more = new_block(g), done = new_block(g);
  LLVMValueRef fit = LLVMBuildICmp(b, LLVMIntULE, g->m, i64_of(g, s->rows[1]), "");
  LLVMBuildCondBr(b, fit, few, more);
  LLVMPositionBuilderAtEnd(b, few);
  if (!g->first_prefetches) few_of.next_b = bytes_to_next(g);
  panels_of_blocks(&few_of, count);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, more);
  panels_of_blocks(g, count);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
}

/* A panel of which only the first `left` columns count, a vector at a time: 8 rows take 9
 * instructions that load for 8 multiplications, little more than whole panels do, and columns that
 * don't count take less than a vector. */
static void part_of_panel(mma *g, LLVMValueRef b_at, block_at at, LLVMValueRef left) {
  LLVMBuilderRef b = g->e->b;
  mma one = *g;
  unsigned width = g->s.vector_lanes;
  LLVMValueRef step = i64_of(g, (int64_t)width * g->size);
  one.s.vectors = one.s.unroll = 1;
  one.s.rows[0] = one.s.rows[1] = NARROW_ROWS;
  one.s.blocks[0] = 0;
  one.s.blocks[1] = SEVERAL;
  one.regions = one.from = NULL;
  loop l = mma_loop_begin(g, g->s.vectors, over(g, left, width));
  b_at = mma_loop_carry(g, &l, b_at);
  at.acc = mma_loop_carry(g, &l, at.acc);
  at.out = mma_loop_carry(g, &l, at.out);
  left = mma_loop_carry(g, &l, left);
  LLVMValueRef number[MAX_LANES], some = LLVMBuildTrunc(b, left, g->e->i32, "");
  for (unsigned i = 0; i < width; i++) number[i] = LLVMConstInt(g->e->i32, i, 0);
  some = emit_splat(g->e, some, width);
  one.columns = i_cmp(g->e, LLVMIntULT, LLVMConstVector(number, width), some);
  rows_of_panel(&one, b_at, at);
  mma_loop_next(g, &l, b_at, emit_offset(g->e, b_at, step));
  mma_loop_next(g, &l, at.acc, emit_offset(g->e, at.acc, step));
  mma_loop_next(g, &l, at.out, emit_offset(g->e, at.out, step));
  mma_loop_next(g, &l, left, LLVMBuildSub(b, left, i64_of(g, width), ""));
  mma_loop_end(g, &l);
}

/* A branch around what comes next unless `count` is at least one; to its end, which it returns. */
static LLVMBasicBlockRef if_any(mma *g, LLVMValueRef count) {
  emit *e = g->e;
  LLVMBasicBlockRef some = new_block(g);
  LLVMBasicBlockRef done = new_block(g);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, count, i64_of(g, 0), ""), some, done);
  LLVMPositionBuilderAtEnd(e->b, some);
  return done;
}

static void end_if(mma *g, LLVMBasicBlockRef done) {
  LLVMBuildBr(g->e->b, done);
  LLVMPositionBuilderAtEnd(g->e->b, done);
}

void mma_all_panels(mma *g) {
  LLVMBuilderRef b = g->e->b;
  int64_t cols = (int64_t)g->s.vectors * g->s.vector_lanes;
  LLVMValueRef width = i64_of(g, cols);
  if (g->use.end != MMA_END_COLUMN) {
    panels(g, over(g, g->n, (unsigned)cols));
    return;
  }
  LLVMValueRef whole = LLVMBuildUDiv(b, g->n, width, "");
  LLVMBasicBlockRef done = if_any(g, whole);
  panels(g, whole);
  end_if(g, done);
  LLVMValueRef covered = LLVMBuildMul(b, whole, width, "");
  LLVMValueRef left = LLVMBuildSub(b, g->n, covered, "");
  done = if_any(g, left);
  LLVMValueRef b_at = emit_offset(g->e, g->b, LLVMBuildMul(b, whole, g->b_panel, ""));
  LLVMValueRef before = times(g, covered, g->size);
  block_at at = {g->a, emit_offset(g->e, g->acc, before), emit_offset(g->e, g->out, before)};
  part_of_panel(g, b_at, at, left);
  end_if(g, done);
}
