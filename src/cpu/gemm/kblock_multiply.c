/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A chunk of the operands of a product along a loop (kblock.h), multiplied by one call of the
 * micro-kernel. The accumulator isn't read by the first chunk when it starts from zero, and not
 * written by the last one when its sums can go to the result at once.
 */
#include "cpu/gemm/kblock_multiply.h"

#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/group.h"
#include "cpu/nest/profile.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/kblock_chunk.h"
#include "cpu/gemm/kblock_prefetch.h"
#include "cpu/gemm/operand.h"
#include "cpu/gemm/rows.h"
#include "cpu/gemm/zero_rows.h"

/* ---- what is added to, and where sums go ---------------------------------------------------- */

/* The accumulator. */
static matrix sums_of(lower *l, const kblock *k) {
  return (matrix){.ptr = k->to->ptr, .row = k64(l, sums_row(k))};
}

/* What the chunk's products are added to: zeros at first, where the program says so. */
static matrix sums_before(lower *l, const kblock *k) {
  matrix sums = sums_of(l, k);
  if (!k->start_value) return sums;
  llv fresh = is_set(l, k->fresh);
  sums.ptr = LLVMBuildSelect(l->e.b, fresh, rows_zeros(l), sums.ptr, "");
  sums.row = LLVMBuildSelect(l->e.b, fresh, k64(l, 0), sums.row, "");
  return sums;
}

/* By rows: where those of the result go if `stored`, else the accumulator's. */
static llv list_targets(lower *l, const kblock *k, llv stored) {
  buffer *to = kblock_addresses(l, k, k->targets, k->targets->ptr);
  llv sums = LLVMBuildPtrToInt(l->e.b, k->to->ptr, l->e.i64, "");
  if (stored)
    rows_write_result(l, k->result, stored, sums, sums_row(k), to);
  else
    rows_write_copies(l, sums, sums_row(k), to);
  return k->targets->ptr;
}

/* An mma_how: as what sums go to `out` (NULL: back to the accumulator, for the next chunk). */
static llv how_sums_go(lower *l, const kblock *k, const matrix *out) {
  if (!out) return k64(l, MMA_HOW_AGAIN);
  if (!k->non_temporal) return k64(l, MMA_HOW_STORE);
  return LLVMBuildSelect(l->e.b, k->non_temporal, k64(l, MMA_HOW_STREAM), k64(l, MMA_HOW_STORE),
                         "");
}

/* ---- rows that lack slices ------------------------------------------------------------------- */

/* By rows: their order for this chunk, and what the micro-kernel needs to leave out slices in which
 * rows have nothing. */
typedef struct chunk_order {
  llv list, nothing;
} chunk_order;

static chunk_order order_of_chunk(lower *l, const kblock *k, llv filled) {
  if (!k->by_rows) return (chunk_order){LLVMConstNull(l->e.ptr), k64(l, 0)};
  if (!k->zero_slices) return (chunk_order){k->order.list, k64(l, 0)};
  LLVMBuilderRef b = l->e.b;
  llblock count = lower_new_block(l, "count"), gaps = lower_new_block(l, "gaps");
  llblock done = lower_new_block(l, "gaps.done");
  llv zeros = LLVMBuildPtrToInt(b, rows_zeros(l), l->e.i64, "");
  llv maybe = is_set(l, k->zero_rows);
  LLVMBuildStore(b, k64(l, 0), k->zero_rows);
  llblock from[3] = {LLVMGetInsertBlock(b)};
  LLVMBuildCondBr(b, maybe, count, done);
  LLVMPositionBuilderAtEnd(b, count);
  zero_rows_count(l, k->table, k->slices, filled, k->zero_slices);
  llv sizes = zero_rows_sizes(l, &k->order, k->zero_slices);
  llv any = zero_rows_any(l, &k->order, sizes);
  from[1] = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, any, gaps, done);
  LLVMPositionBuilderAtEnd(b, gaps);
  llv nothing = LLVMBuildSelect(b, kblock_chunk_is_finite(l, k, filled), zeros, k64(l, 0), "");
  zero_rows_sort(l, &k->order, k->zero_slices, sizes, k->sorted);
  buffer_touch(l, k->zero_slices);
  buffer_touch(l, k->sorted);
  from[2] = LLVMGetInsertBlock(b);
  lower_go(l, done);
  llv lists[] = {k->order.list, k->order.list, k->sorted->ptr};
  llv nothings[] = {k64(l, 0), k64(l, 0), nothing};
  chunk_order r = {LLVMBuildPhi(b, l->e.ptr, ""), LLVMBuildPhi(b, l->e.i64, "")};
  LLVMAddIncoming(r.list, lists, from, 3);
  LLVMAddIncoming(r.nothing, nothings, from, 3);
  return r;
}

/* ---- a chunk -------------------------------------------------------------------------------- */

static llv micro_kernel(lower *l, const kblock *k, int64_t length) {
  const product *p = &k->p;
  int64_t slice_k = k->by_rows ? p->k : 0;
  mma_use use = {.end = k->to_column ? MMA_END_COLUMN : MMA_END_ROW,
                 .how = MMA_HOW_ASKED,
                 .in_sum_blocks = p->in_sum_blocks,
                 .copies = k->copies};
  if (k->group == 1 && k->by_rows)
    return emit_mma_rows(&l->e, p->elem, p->m, p->n, length, slice_k);
  if (k->group == 1) return emit_mma(&l->e, p->elem, use, p->m, p->n, length);
  bool a_signed = side_is_signed(p->op, 0), b_signed = side_is_signed(p->op, 1);
  tsr_elem elem = (tsr_elem)k->a.layout.elem;
  return emit_mma_dot(&l->e, elem, a_signed, b_signed, use, p->m, p->n, length, slice_k);
}

/* Where the chunk's part of b is still to be copied from; else NULL. */
static llv copied_from(lower *l, const kblock *k) {
  llv from = LLVMBuildSelect(l->e.b, is_set(l, k->b_place.stays), load64(l, k->b_place.first),
                             k64(l, 0), "");
  return as_ptr(l, from);
}

/* Adds the products of the chunk's first `filled` slices, and begins the next. */
static void multiply_chunk(lower *l, kblock *k, llv filled, const matrix *out) {
  int64_t length = k->slices * k->p.k, size = buffer_elem_bytes(&k->a.layout);
  int64_t step = size * k->group; /* bytes that are multiplied at once */
  llv whole = LLVMBuildSub(l->e.b, filled, k64(l, 1), "");
  whole = fold_mul(l, whole, k64(l, k->p.k));
  llv steps = LLVMBuildAdd(l->e.b, whole, load64(l, k->tail), "");
  steps = LLVMBuildAdd(l->e.b, steps, k64(l, k->group - 1), "");
  steps = LLVMBuildLShr(l->e.b, steps, k64(l, log2_of(k->group)), "");
  buffer_touch(l, k->a.store);
  buffer_touch(l, k->b.store);
  buffer_touch(l, k->to);
  if (k->by_rows) {
    buffer_touch(l, k->table);
    buffer_touch(l, k->lengths);
  }
  if (k->order.buffer) buffer_touch(l, k->order.buffer);
  matrix before = sums_before(l, k), to = out ? *out : sums_of(l, k);
  if (k->by_rows) to.ptr = list_targets(l, k, out ? k->stored : NULL);
  chunk_order order = order_of_chunk(l, k, filled);
  bool prefetches = is_on(l, PATTERN_PREFETCH_OPERANDS);
  if (prefetches) NOTE_MATCH(l, PREFETCH_OPERANDS, .op = k->p.op);
  llv args[MMA_ARGS] = {
      [MMA_A] = k->by_rows ? k->table->ptr : as_ptr(l, load64(l, k->a_place.first)),
      [MMA_A_ROW] = k->by_rows ? k64(l, k->p.m * ADDRESS) : load64(l, k->a_place.row),
      [MMA_A_COL] = k64(l, k->a_col * step),
      [MMA_B] = kblock_chunk_address(l, k, &k->b),
      [MMA_B_ROW] = k64(l, k->panel * step),
      [MMA_B_PANEL] = k64(l, length * k->panel * size),
      [MMA_ACC] = before.ptr,
      [MMA_ACC_ROW] = before.row,
      [MMA_M] = k->m,
      [MMA_N] = k->n,
      [MMA_K] = steps,
      [MMA_PREFETCH] = prefetches ? k->regions : LLVMConstNull(l->e.ptr),
      [MMA_FROM] = k->copies    ? copied_from(l, k)
                   : k->by_rows ? k->lengths->ptr
                                : LLVMConstNull(l->e.ptr),
      [MMA_FROM_ROW] = k->copies ? load64(l, k->b_place.row) : k64(l, 0),
      [MMA_OUT] = to.ptr,
      [MMA_OUT_ROW] = to.row,
      [MMA_ORDER] = order.list,
      [MMA_LEAST] = in_pairs(k) ? emit_pairs_least(&l->e, load64(l, k->lowest)) : k64(l, 0),
      [MMA_NOTHING] = order.nothing,
      [MMA_HOW] = how_sums_go(l, k, out),
  };
  llv f = micro_kernel(l, k, length);
  size_t unused;
  NOTE(l, .kind = NOTE_KERNEL, .name = LLVMGetValueName2(f, &unused),
       .n = {k->p.m, k->p.n, length});
  LLVMBuildCall2(l->e.b, emit_mma_type(&l->e), f, args, MMA_ARGS, "");
  LLVMBuildStore(l->e.b, k64(l, 0), k->filled);
  LLVMBuildStore(l->e.b, k64(l, 0), k->fresh);
  if (in_pairs(k)) LLVMBuildStore(l->e.b, k64(l, PAIRS_HIGH), k->lowest);
  llv next = LLVMBuildAdd(l->e.b, load64(l, k->chunk), k64(l, 1), "");
  LLVMBuildStore(l->e.b, next, k->chunk);
}

static void multiply_when(lower *l, kblock *k, llv condition, llv filled, const matrix *out) {
  llblock full = lower_new_block(l, "chunk"), done = lower_new_block(l, "chunk.done");
  LLVMBuildCondBr(l->e.b, condition, full, done);
  LLVMPositionBuilderAtEnd(l->e.b, full);
  profile_span span = profile_begin_work(l, k->p.op);
  multiply_chunk(l, k, filled, out);
  profile_end_work(l, &span, filled);
  lower_go(l, done);
}

llv kblock_multiply_full(lower *l, kblock *k, llv filled, llv ends) {
  llv when = LLVMBuildICmp(l->e.b, LLVMIntEQ, filled, k64(l, k->slices), "");
  if (ends) when = LLVMBuildOr(l->e.b, when, ends, "");
  multiply_when(l, k, when, filled, NULL);
  return load64(l, k->filled);
}

/* ---- the last chunk ------------------------------------------------------------------------- */

/* Between which addresses the chunk's part of an operand lies: from its first row to that
 * `distance` rows later, each of `bytes` bytes. */
static void place_range(lower *l, const chunk_place *p, llv distance, llv bytes, llv *begin,
                        llv *end) {
  LLVMBuilderRef b = l->e.b;
  llv none = k64(l, 0), first = load64(l, p->first);
  llv rows = fold_mul(l, load64(l, p->row), distance);
  llv up = emit_intrinsic(&l->e, "llvm.smax", &l->e.i64, 1, (llv[]){rows, none}, 2);
  llv down = emit_intrinsic(&l->e, "llvm.smin", &l->e.i64, 1, (llv[]){rows, none}, 2);
  up = LLVMBuildAdd(b, up, bytes, "");
  *begin = LLVMBuildAdd(b, first, down, "");
  *end = LLVMBuildAdd(b, first, up, "");
}

static void a_range(lower *l, const kblock *k, llv filled, llv *begin, llv *end) {
  if (!k->by_rows) {
    llv bytes = fold_mul(l, filled, k64(l, k->a.slice_bytes));
    place_range(l, &k->a_place, k64(l, k->p.m - 1), bytes, begin, end);
    return;
  }
  *begin = load64(l, k->low);
  *end = load64(l, k->high);
}

/* Is what lies there apart from where the result goes? */
static llv is_apart(lower *l, const kblock *k, llv begin, llv end) {
  llv low, high;
  access_range(l, k->result, &low, &high);
  llv before = LLVMBuildICmp(l->e.b, LLVMIntULE, end, low, "");
  return LLVMBuildOr(l->e.b, before, LLVMBuildICmp(l->e.b, LLVMIntUGE, begin, high, ""), "");
}

/* Is all apart from it that the micro-kernel reads where the program has it? */
static llv operands_are_apart(lower *l, const kblock *k, llv filled) {
  LLVMBuilderRef b = l->e.b;
  llv begin, end;
  a_range(l, k, filled, &begin, &end);
  llv apart = is_apart(l, k, begin, end);
  if (!k->copies) return apart;
  llv rows = LLVMBuildSub(b, fold_mul(l, filled, k64(l, k->p.k)), k64(l, 1), "");
  llv bytes = k64(l, k->p.n * buffer_elem_bytes(&k->b.layout));
  place_range(l, &k->b_place, rows, bytes, &begin, &end);
  llv b_apart = LLVMBuildOr(b, is_apart(l, k, begin, end),
                            LLVMBuildNot(b, is_set(l, k->b_place.stays), ""), "");
  return LLVMBuildAnd(b, apart, b_apart, "");
}

/* Where the last chunk's sums go: to the result, if all of it exists, else to the accumulator. */
static matrix last_sums(lower *l, kblock *k, llv some, llv filled) {
  matrix sums = sums_of(l, k);
  if (!k->store) return sums;
  settle_loads(l, plan_order_of(l, k->store));
  group_flush(l);
  k->stored = fold_and(l, fold_and(l, some, operands_are_apart(l, k, filled)), k->result_holds);
  if (k->by_rows) return sums; /* see list_targets */
  sums.ptr = LLVMBuildSelect(l->e.b, k->stored, as_ptr(l, k->result->base), sums.ptr, "");
  sums.row = LLVMBuildSelect(l->e.b, k->stored, k->result_row, sums.row, "");
  return sums;
}

/* An accumulator that nothing was added to is what it was to start from. */
static void fill_if_empty(lower *l, const kblock *k) {
  if (!k->start_value) return;
  llblock fill = lower_new_block(l, "fill"), done = lower_new_block(l, "filled");
  LLVMBuildCondBr(l->e.b, is_set(l, k->fresh), fill, done);
  LLVMPositionBuilderAtEnd(l->e.b, fill);
  l->seldom = true;
  materialise_into(l, k->start_value, k->to);
  l->seldom = false;
  lower_go(l, done);
}

void kblock_finish(lower *l, kblock *k) {
  llv filled = load64(l, k->filled);
  llv some = LLVMBuildICmp(l->e.b, LLVMIntNE, filled, k64(l, 0), "");
  if (k->b.keys)
    kblock_prefetch_first_cached(l, k, &k->b);
  else
    kblock_prefetch_nothing(l, k, &k->b);
  if (k->copies) kblock_prefetch_next_b(l, k);
  matrix sums = last_sums(l, k, some, filled);
  multiply_when(l, k, some, filled, &sums);
  fill_if_empty(l, k);
}
