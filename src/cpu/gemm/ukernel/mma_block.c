/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A block of rows and columns of the result: its sums, which stay in registers over the whole of k,
 * what they start from, and where they go.
 */
#include "llvm/lanes.h"
#include "llvm/nans.h"

#include "cpu/gemm/ukernel/mma.h"

/* ---- one step along k ------------------------------------------------------------------------ */

/* The alignment of a group or element is all that is known. */
static LLVMValueRef load(mma *g, LLVMTypeRef type, LLVMValueRef at) {
  LLVMValueRef value = LLVMBuildLoad2(g->e->b, type, at, "");
  LLVMSetAlignment(value, g->size);
  return value;
}
static void store(mma *g, LLVMValueRef value, LLVMValueRef at) {
  LLVMSetAlignment(LLVMBuildStore(g->e->b, value, at), g->size);
}
static LLVMValueRef load_of_a(mma *g, LLVMValueRef at) {
  LLVMValueRef value = load(g, g->scalar, at);
  LLVMSetAlignment(value, g->a_align);
  return value;
}

LLVMValueRef mma_in_row(mma *g, LLVMValueRef a_at, unsigned i) {
  if (g->slice_k) return emit_offset(g->e, g->row_at[i], a_at);
  return i == 0 ? a_at : emit_offset(g->e, a_at, g->row_offsets[i]);
}

/* Where along k it is: at which elements of a and b, and at which row that b is copied from (NULL:
 * it is there). */
typedef struct along_k {
  LLVMValueRef a, b, from;
} along_k;

static along_k next_k(mma *g, const along_k *at) {
  emit *e = g->e;
  return (along_k){
      .a = opaque(g, g->slice_k ? LLVMBuildAdd(e->b, at->a, g->a_col, "")
                                : emit_offset(e, at->a, g->a_col)),
      .b = opaque(g, emit_offset(e, at->b, g->b_row)),
      .from = at->from ? opaque(g, emit_offset(e, at->from, g->from_row)) : NULL,
  };
}

static along_k carry_k(mma *g, loop *l, const along_k *at) {
  along_k phis = {mma_loop_carry(g, l, at->a), mma_loop_carry(g, l, at->b), NULL};
  if (at->from) phis.from = mma_loop_carry(g, l, at->from);
  return phis;
}

static void go_on_along_k(mma *g, loop *l, const along_k *phis, const along_k *at) {
  mma_loop_next(g, l, phis->a, at->a);
  mma_loop_next(g, l, phis->b, at->b);
  if (at->from) mma_loop_next(g, l, phis->from, at->from);
}

/* A vector of b's row. */
static LLVMValueRef vector_of_b(mma *g, const along_k *at, unsigned j) {
  LLVMValueRef offset = i64_of(g, (int64_t)j * g->s.vector_lanes * g->size);
  LLVMValueRef to = emit_offset(g->e, at->b, offset);
  if (!at->from) return load(g, g->vector, to);
  LLVMValueRef row = load(g, g->vector, emit_offset(g->e, at->from, offset));
  store(g, row, to);
  return row;
}

/* One k: c += a[:, k] * b[k, :]. */
static void step(mma *g, unsigned rows, const along_k *at, LLVMValueRef *c) {
  const mma_shape *s = &g->s;
  operand b[MAX_ACCUMULATORS];
  for (unsigned j = 0; j < s->vectors; j++) {
    b[j] = mma_operand_of(g, vector_of_b(g, at, j), g->b_signed);
    LLVMValueRef offset = i64_of(g, (int64_t)j * s->vector_lanes * g->size);
    if (g->next_b && j * s->vector_lanes * g->size % MMA_LINE == 0)
      emit_prefetch(g->e, emit_offset(g->e, emit_offset(g->e, at->b, g->next_b), offset));
  }
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef one = emit_splat(g->e, load_of_a(g, mma_in_row(g, at->a, i)), s->vector_lanes);
    operand a = mma_operand_of(g, one, g->a_signed);
    for (unsigned j = 0; j < s->vectors; j++) {
      LLVMValueRef *sum = &c[i * s->vectors + j];
      *sum = mma_multiply_add(g, a, b[j], *sum);
    }
  }
}

/* ---- a block of k -------------------------------------------------------------------------- */

/* `length` steps along k, at most `most`. Moves the addresses after them. A line is fetched with
 * each iteration, from `fetch` on (NULL: none). */
static void sum_block(mma *g, unsigned rows, int64_t most, LLVMValueRef length, along_k *at,
                      LLVMValueRef *c, LLVMValueRef fetch) {
  const mma_shape *s = &g->s;
  unsigned count = rows * s->vectors;
  loop l = mma_loop_begin(g, most / s->unroll, over(g, length, s->unroll));
  along_k here = carry_k(g, &l, at), now = here;
  LLVMValueRef phis[MAX_ACCUMULATORS], fetch_phi = fetch ? mma_loop_carry(g, &l, fetch) : NULL;
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = mma_loop_carry(g, &l, c[i]);
  if (fetch) emit_prefetch(g->e, fetch_phi);
  for (unsigned u = 0; u < s->unroll; u++) {
    step(g, rows, &now, c);
    now = next_k(g, &now);
  }
  go_on_along_k(g, &l, &here, &now);
  LLVMValueRef by = i64_of(g, MMA_LINE / 2 * s->unroll);
  if (fetch) mma_loop_next(g, &l, fetch_phi, opaque(g, emit_offset(g->e, fetch_phi, by)));
  for (unsigned i = 0; i < count; i++) mma_loop_next(g, &l, phis[i], c[i]);
  mma_loop_end(g, &l);
  *at = now;
}

/* Is it worth a look at what to fetch? By rows chunks are long, and elsewhere k may be. */
static bool fetches(const mma *g) {
  return g->regions && !g->widens && (g->slice_k > 0 || g->s.k == LONG_K);
}

/* The same with a look every few steps: at what to fetch where k is long, at pairs, of which the
 * lowest is carried after the sums, and at bytes of rows that are to be added up. */
static void sum_block_with_checks(mma *g, unsigned rows, int64_t most, LLVMValueRef length,
                                  along_k *at, LLVMValueRef *c) {
  LLVMBuilderRef build = g->e->b;
  int64_t few = min64(most, STEPS_PER_CHECK);
  unsigned sums = rows * g->s.vectors, count = sums + checks_range(g);
  LLVMValueRef phis[MAX_ACCUMULATORS], whole = i64_of(g, few);
  loop l = mma_loop_begin(g, most / few, over(g, length, (unsigned)few));
  along_k here = carry_k(g, &l, at);
  LLVMValueRef left = mma_loop_carry(g, &l, length);
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = mma_loop_carry(g, &l, c[i]);
  *at = here;
  LLVMValueRef fetch = fetches(g) ? mma_next_prefetch(g, here.b) : NULL;
  LLVMValueRef shorter = LLVMBuildICmp(build, LLVMIntULT, left, whole, "");
  LLVMValueRef now = LLVMBuildSelect(build, shorter, left, whole, "");
  if (checks_range(g)) c[sums] = mma_check_range(g, rows, here.a, now, c[sums]);
  if (g->row_sums) mma_sum_rows(g, rows, here.a, now);
  sum_block(g, rows, few, now, at, c, fetch);
  go_on_along_k(g, &l, &here, at);
  mma_loop_next(g, &l, left, LLVMBuildSub(build, left, now, ""));
  for (unsigned i = 0; i < count; i++) mma_loop_next(g, &l, phis[i], c[i]);
  mma_loop_end(g, &l);
}

/* ---- sums that are handed over --------------------------------------------------------------- */

static bool is_of_integers(const mma *g) {
  return g->elem == TSR_I32 || g->elem == TSR_I8;
}

static LLVMValueRef add(mma *g, LLVMValueRef x, LLVMValueRef y) {
  return is_of_integers(g) ? i_add(g->e, x, y) : f_add(g->e, x, y);
}

/* A sum as it is handed over: multiply-adds leave the processor's NaN. */
static LLVMValueRef final_sum(mma *g, LLVMValueRef sum) {
  bool any = is_of_integers(g) || g->use.how == MMA_HOW_AGAIN;
  return any ? sum : lanes_canonical(g->e, sum);
}

static void store_sum(mma *g, LLVMValueRef sum, LLVMValueRef at) {
  sum = final_sum(g, sum);
  if (!g->columns) {
    store(g, sum, at);
    return;
  }
  LLVMTypeRef types[] = {LLVMTypeOf(sum), g->e->ptr};
  LLVMValueRef args[] = {sum, at, g->columns};
  emit_intrinsic(g->e, "llvm.masked.store", types, 2, args, 3);
}

/* Blocks of the smaller size are few, and not worth the code. */
static bool has_ways(const mma *g, unsigned rows) {
  return g->how && !g->columns && rows == g->s.rows[g->s.blocks[0] == 0];
}

/* Begins what is done when MMA_HOW is `how`; returns where else to continue. */
static LLVMBasicBlockRef begin_way(mma *g, mma_how how) {
  LLVMBuilderRef b = g->e->b;
  LLVMBasicBlockRef way = new_block(g), others = new_block(g);
  LLVMBuildCondBr(b, i_cmpk(g->e, LLVMIntEQ, g->how, how), way, others);
  LLVMPositionBuilderAtEnd(b, way);
  return others;
}

static void end_way(mma *g, LLVMBasicBlockRef done, LLVMBasicBlockRef others) {
  LLVMBuildBr(g->e->b, done);
  LLVMPositionBuilderAtEnd(g->e->b, others);
}

/* A block's sums as MMA_HOW says. They are made final one by one: there are registers for no more.
 */
static void store_in_ways(mma *g, unsigned count, LLVMValueRef *c, LLVMValueRef *places) {
  LLVMBuilderRef b = g->e->b;
  LLVMBasicBlockRef done = new_block(g), others;
  if (!is_of_integers(g)) {
    others = begin_way(g, MMA_HOW_AGAIN);
    for (unsigned i = 0; i < count; i++) store(g, c[i], places[i]);
    end_way(g, done, others);
  }
  for (unsigned i = 0; i < count; i++) c[i] = final_sum(g, c[i]);
  if (!g->slice_k) {
    others = begin_way(g, MMA_HOW_STREAM);
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef line = LLVMBuildStore(b, c[i], places[i]);
      LLVMSetAlignment(line, g->s.vector_lanes * g->size);
      emit_mark_nontemporal(g->e, line);
    }
    end_way(g, done, others);
  }
  for (unsigned i = 0; i < count; i++) store(g, c[i], places[i]);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
}

/* acc's block += c. */
static void add_to_sums(mma *g, unsigned count, LLVMValueRef *c, LLVMValueRef *places) {
  for (unsigned i = 0; i < count; i++) {
    c[i] = add(g, load(g, g->sums, places[i]), c[i]);
    store_sum(g, c[i], places[i]);
  }
}

/* ---- all of k -------------------------------------------------------------------------------- */

/* Each block of k is added to acc by itself. */
static void block_in_sum_blocks(mma *g, unsigned rows, along_k at, LLVMValueRef *c,
                                LLVMValueRef *places) {
  LLVMBuilderRef build = g->e->b;
  LLVMValueRef sums[MAX_ACCUMULATORS], whole = i64_of(g, SUM_BLOCK);
  unsigned count = rows * g->s.vectors;
  loop l = mma_loop_begin(g, SEVERAL, over(g, g->k, SUM_BLOCK));
  along_k here = carry_k(g, &l, &at);
  LLVMValueRef left = mma_loop_carry(g, &l, g->k);
  at = here;
  LLVMValueRef shorter = LLVMBuildICmp(build, LLVMIntULT, left, whole, "");
  LLVMValueRef length = LLVMBuildSelect(build, shorter, left, whole, "");
  memcpy(sums, c, count * sizeof *c);
  sum_block_with_checks(g, rows, SUM_BLOCK, length, &at, sums);
  add_to_sums(g, count, sums, places);
  go_on_along_k(g, &l, &here, &at);
  mma_loop_next(g, &l, left, LLVMBuildSub(build, left, length, ""));
  mma_loop_end(g, &l);
}

static void block_over_k(mma *g, unsigned rows, along_k at, LLVMValueRef *c, LLVMValueRef *places) {
  bool plain = !checks_range(g) && !g->row_sums && !fetches(g) && !g->use.in_sum_blocks;
  if (plain || g->widens)
    sum_block(g, rows, g->s.k, g->k, &at, c, NULL);
  else if (g->use.in_sum_blocks)
    block_in_sum_blocks(g, rows, at, c, places);
  else
    sum_block_with_checks(g, rows, g->s.k, g->k, &at, c);
}

/* The same, and writes b to its panel on the way where it is not there yet. That is seldom, and
 * worth little code: a step at a time, without a look at what to fetch. */
static void block_over_k_or_copy(mma *g, unsigned rows, along_k at, LLVMValueRef *c,
                                 LLVMValueRef *places) {
  LLVMValueRef from = at.from, there[MAX_ACCUMULATORS];
  at.from = NULL;
  if (!from) {
    block_over_k(g, rows, at, c, places);
    return;
  }
  LLVMBuilderRef b = g->e->b;
  unsigned count = rows * g->s.vectors;
  LLVMBasicBlockRef copy = new_block(g), plain = new_block(g), done = new_block(g), ends[2];
  memcpy(there, c, count * sizeof *c);
  LLVMBuildCondBr(b, LLVMBuildIsNotNull(b, from, ""), copy, plain);
  LLVMPositionBuilderAtEnd(b, plain);
  block_over_k(g, rows, at, there, places);
  ends[0] = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, copy);
  mma one = *g;
  one.s.unroll = 1;
  at.from = from;
  sum_block(&one, rows, g->s.k, g->k, &at, c, NULL);
  ends[1] = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef phi = LLVMBuildPhi(b, g->sums, "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){there[i], c[i]}, ends, 2);
    c[i] = phi;
  }
}

/* ---- by rows --------------------------------------------------------------------------------- */

static LLVMValueRef number_of_row(mma *g, LLVMValueRef order_at, unsigned i) {
  return LLVMBuildLoad2(g->e->b, g->e->i64, emit_offset(g->e, order_at, i64_of(g, 8 * (int64_t)i)),
                        "");
}

/* Before the steps of a slice: its rows' addresses, from its part of the table. */
static void find_rows(mma *g, unsigned rows, LLVMValueRef order_at, LLVMValueRef table) {
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef slot = emit_offset(g->e, table, times(g, number_of_row(g, order_at, i), 8));
    LLVMValueRef row = LLVMBuildLoad2(g->e->b, g->e->i64, slot, "");
    g->row_at[i] = LLVMBuildIntToPtr(g->e->b, row, g->e->ptr, "");
  }
}

/* Goes to `done` if none of the block's rows in the slice is anything but zeros. Returns from
 * where.
 */
static LLVMBasicBlockRef skip_nothing(mma *g, unsigned rows, LLVMBasicBlockRef done) {
  LLVMBuilderRef b = g->e->b;
  LLVMBasicBlockRef look = new_block(g);
  LLVMBasicBlockRef some = new_block(g);
  LLVMValueRef differs = NULL, zero = i64_of(g, 0);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, g->nothing, zero, ""), some, look);
  LLVMPositionBuilderAtEnd(b, look);
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef at = LLVMBuildPtrToInt(b, g->row_at[i], g->e->i64, "");
    at = LLVMBuildXor(b, at, g->nothing, "");
    differs = differs ? LLVMBuildOr(b, differs, at, "") : at;
  }
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, differs, zero, ""), done, some);
  LLVMPositionBuilderAtEnd(b, some);
  return look;
}

/* Here two ways meet: the sums are those of the way that was taken. */
static void join_sums(mma *g, LLVMBasicBlockRef from[2], const LLVMValueRef *before,
                      LLVMValueRef *c, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef phi = LLVMBuildPhi(g->e->b, LLVMTypeOf(c[i]), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){before[i], c[i]}, from, 2);
    c[i] = phi;
  }
}

/* The steps of a slice, `length` along k, two at least: the last one by itself where they are an
 * odd number, as rows may have nothing behind it. */
static void sum_slice(mma *g, unsigned rows, LLVMValueRef length, along_k at, LLVMValueRef *c) {
  LLVMBuilderRef build = g->e->b;
  unsigned sums = rows * g->s.vectors, count = sums + checks_range(g);
  if (g->s.unroll == 1) {
    sum_block_with_checks(g, rows, g->slice_k, length, &at, c);
    return;
  }
  LLVMValueRef one = i64_of(g, 1), even = LLVMBuildAnd(build, length, i64_of(g, -2), "");
  sum_block_with_checks(g, rows, g->slice_k, even, &at, c);
  LLVMBasicBlockRef last = new_block(g), done = new_block(g), from[2];
  LLVMValueRef before[MAX_ACCUMULATORS], odd = LLVMBuildAnd(build, length, one, "");
  memcpy(before, c, count * sizeof *c);
  from[0] = LLVMGetInsertBlock(build);
  LLVMBuildCondBr(build, i_cmpk(g->e, LLVMIntNE, odd, 0), last, done);
  LLVMPositionBuilderAtEnd(build, last);
  mma single = *g;
  single.s.unroll = 1;
  if (checks_range(g)) c[sums] = mma_check_range(&single, rows, at.a, one, c[sums]);
  step(g, rows, &at, c);
  from[1] = LLVMGetInsertBlock(build);
  LLVMBuildBr(build, done);
  LLVMPositionBuilderAtEnd(build, done);
  join_sums(g, from, before, c, count);
}

/* By rows: slice after slice, without those that have nothing for the block. */
static void block_over_slices(mma *g, unsigned rows, LLVMValueRef order_at, LLVMValueRef b_at,
                              LLVMValueRef *c) {
  LLVMBuilderRef build = g->e->b;
  unsigned count = rows * g->s.vectors + checks_range(g);
  LLVMValueRef phis[MAX_ACCUMULATORS];
  loop l = mma_loop_begin(g, g->s.slices, over(g, g->k, (unsigned)g->slice_k));
  LLVMValueRef b_phi = mma_loop_carry(g, &l, b_at);
  LLVMValueRef lengths = mma_loop_carry(g, &l, parameter(g, MMA_FROM));
  LLVMValueRef table = mma_loop_carry(g, &l, g->a);
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = mma_loop_carry(g, &l, c[i]);
  b_at = b_phi;
  find_rows(g, rows, order_at, table);
  LLVMValueRef length = LLVMBuildLoad2(build, g->e->i64, lengths, "");
  LLVMBasicBlockRef done = new_block(g), from[2];
  LLVMValueRef before[MAX_ACCUMULATORS];
  memcpy(before, c, count * sizeof *c);
  from[0] = skip_nothing(g, rows, done);
  sum_slice(g, rows, length, (along_k){.a = i64_of(g, 0), .b = b_at}, c);
  from[1] = LLVMGetInsertBlock(build);
  LLVMBuildBr(build, done);
  LLVMPositionBuilderAtEnd(build, done);
  join_sums(g, from, before, c, count);
  b_at = emit_offset(g->e, b_phi, times(g, g->b_row, g->slice_k));
  mma_loop_next(g, &l, b_phi, b_at);
  mma_loop_next(g, &l, lengths, emit_offset(g->e, lengths, i64_of(g, 8)));
  mma_loop_next(g, &l, table, emit_offset(g->e, table, g->a_row));
  for (unsigned i = 0; i < count; i++) mma_loop_next(g, &l, phis[i], c[i]);
  mma_loop_end(g, &l);
}

/* ---- the block ------------------------------------------------------------------------------- */

static void places_in_row(mma *g, LLVMValueRef row_at, LLVMValueRef *places) {
  for (unsigned j = 0; j < g->s.vectors; j++) {
    LLVMValueRef offset = i64_of(g, (int64_t)j * g->s.vector_lanes * g->size);
    places[j] = emit_offset(g->e, row_at, offset);
  }
}

/* Row i of a block, from its first row and the one before. Where out may end with any row, the sums
 * of those that don't count are those of one that does. (In such blocks that would be added to
 * several times; acc is out, then, and has all rows. And over a short k, finding the row and
 * keeping all their places takes as long as some multiplications.) */
static LLVMValueRef row_of(mma *g, LLVMValueRef first, LLVMValueRef before, LLVMValueRef row,
                           unsigned i) {
  if (i == 0) return first;
  if (g->use.end == MMA_END_ROUNDED || g->use.in_sum_blocks) return emit_offset(g->e, before, row);
  return emit_offset(g->e, first, LLVMBuildMul(g->e->b, g->row_number[i], row, ""));
}

/* Where the block's sums lie in acc. */
static void find_sums(mma *g, unsigned rows, const block_at *at, LLVMValueRef *places) {
  LLVMValueRef row_at = NULL;
  for (unsigned i = 0; i < rows; i++) {
    if (g->slice_k) {
      LLVMValueRef number = number_of_row(g, at->a, i);
      row_at = emit_offset(g->e, at->acc, LLVMBuildMul(g->e->b, number, g->acc_row, ""));
    } else {
      row_at = row_of(g, at->acc, row_at, g->acc_row, i);
    }
    places_in_row(g, row_at, places + i * g->s.vectors);
  }
}

/* By rows: out is a table of addresses. */
static void find_listed_out(mma *g, unsigned rows, const block_at *at, LLVMValueRef *places) {
  LLVMBuilderRef b = g->e->b;
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef slot = emit_offset(g->e, g->out, times(g, number_of_row(g, at->a, i), 8));
    LLVMValueRef row = LLVMBuildLoad2(b, g->e->i64, slot, "");
    row = emit_offset(g->e, LLVMBuildIntToPtr(b, row, g->e->ptr, ""), at->out);
    places_in_row(g, row, places + i * g->s.vectors);
  }
}

/* Where they go. */
static void find_out(mma *g, unsigned rows, const block_at *at, LLVMValueRef *places) {
  if (g->slice_k) {
    find_listed_out(g, rows, at, places);
    return;
  }
  LLVMValueRef row_at = NULL;
  for (unsigned i = 0; i < rows; i++) {
    row_at = row_of(g, at->out, row_at, g->out_row, i);
    places_in_row(g, row_at, places + i * g->s.vectors);
  }
}

/* If the condition holds: the block with its pairs widened, then on to `done`. */
static void widen_if(mma *g, LLVMValueRef condition, unsigned rows, const block_at *at,
                     LLVMValueRef b_at, LLVMBasicBlockRef done) {
  emit *e = g->e;
  LLVMBasicBlockRef widened = new_block(g);
  LLVMBasicBlockRef as_pairs = new_block(g);
  LLVMBuildCondBr(e->b, condition, widened, as_pairs);
  LLVMPositionBuilderAtEnd(e->b, widened);
  mma one = *g;
  int64_t width = (int64_t)g->s.vector_lanes * g->size;
  one.widens = true;
  one.s.vectors = one.s.unroll = 1;
  loop l = mma_loop_begin(g, g->s.vectors, i64_of(g, g->s.vectors));
  LLVMValueRef b_phi = mma_loop_carry(g, &l, b_at), step = i64_of(g, width);
  block_at here = {at->a, mma_loop_carry(g, &l, at->acc), mma_loop_carry(g, &l, at->out)};
  mma_block(&one, rows, &here, b_phi);
  mma_loop_next(g, &l, b_phi, emit_offset(e, b_phi, step));
  mma_loop_next(g, &l, here.acc, emit_offset(e, here.acc, step));
  mma_loop_next(g, &l, here.out,
                g->slice_k ? LLVMBuildAdd(e->b, here.out, step, "")
                           : emit_offset(e, here.out, step));
  mma_loop_end(g, &l);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, as_pairs);
}

/* Over a long k the sums start at zero and acc is added afterwards: the first multiplications then
 * wait for nothing, and run while the block before ends. Over a short one, and where additions are
 * separate instructions, those would cost more. (With pairs of bf16 acc may be subnormal, and must
 * be added for itself.) */
void mma_block(mma *g, unsigned rows, const block_at *at, LLVMValueRef b_at) {
  const mma_shape *s = &g->s;
  unsigned count = rows * s->vectors;
  bool empty = g->use.empty,
       acc_last = g->elem == TSR_BF16 || (s->k == LONG_K && emit_has_fma(g->e));
  acc_last &= !empty;
  LLVMValueRef c[MAX_ACCUMULATORS], places[MAX_ACCUMULATORS];
  bool acc_behind = acc_last && !g->use.in_sum_blocks;
  if (!acc_behind && !empty) find_sums(g, rows, at, places);
  for (unsigned i = 0; i < count; i++)
    c[i] = acc_last || empty ? LLVMConstNull(g->sums) : load(g, g->sums, places[i]);
  if (g->row_sums) mma_clear_row_sums(g, rows);
  if (checks_range(g)) c[count] = mma_nothing_low(g->e);
  if (g->slice_k)
    block_over_slices(g, rows, at->a, b_at, c);
  else
    block_over_k_or_copy(g, rows, (along_k){at->a, b_at, g->from}, c, places);
  if (g->use.in_sum_blocks) return; /* they are there */
  if (g->row_sums) mma_take_row_sums_off(g, rows, c);
  LLVMBasicBlockRef done = NULL;
  if (checks_range(g)) {
    done = new_block(g);
    widen_if(g, mma_is_too_low(g, c[count]), rows, at, b_at, done);
  }
  if (acc_behind) find_sums(g, rows, at, places);
  for (unsigned i = 0; i < count && acc_last; i++) c[i] = add(g, load(g, g->sums, places[i]), c[i]);
  find_out(g, rows, at, places);
  bool ways = has_ways(g, rows);
  if (ways) store_in_ways(g, count, c, places);
  for (unsigned i = 0; i < count && !ways; i++) store_sum(g, c[i], places[i]);
  if (!done) return;
  LLVMBuildBr(g->e->b, done);
  LLVMPositionBuilderAtEnd(g->e->b, done);
}
