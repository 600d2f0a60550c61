/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rows of a left operand that don't exist in some of a chunk's slices: those of a convolution whose
 * window hangs over the edge of the picture there. Their elements are zeros, and zeros times finite
 * numbers add nothing. So the micro-kernel leaves out slices that have nothing for any row of a
 * block; and rows come in an order by how much they lack, so that those which lack as much, as a
 * rule the same, meet in a block.
 */
#include "llvm/lanes.h"

#include "cpu/gemm/zero_rows.h"

#include "cpu/core/fold.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/nest.h"
#include "cpu/gemm/rows.h"

enum {
  CLASS_BITS = 8, /* of a number of rows */
  CLASSES = 8,    /* of rows: by how many slices they lack; the last one: rows that don't count */
};

/* (Without multiply-adds sums start from the accumulator, and zeros may make a 0 of its -0.) */
bool zero_rows_fit(const lower *l, int64_t m) {
  enum { MOST_ROWS = 128 }; /* that CLASS_BITS can count */
  return emit_has_fma(&l->e) && m <= MOST_ROWS;
}

static llv zero_row(lower *l) {
  return LLVMBuildPtrToInt(l->e.b, rows_zeros(l), l->e.i64, "");
}

static buffer numbers_at(buffer *memory, llv at, unsigned n) {
  buffer b = {
      .elem = TSR_I64, .format = FORMAT_LANES, .memory = memory, .ptr = at, .n = (uint8_t)n};
  for (unsigned j = 0; j < n; j++) b.stride[j] = 1 << j;
  return b;
}

void zero_rows_count(lower *l, buffer *table, int64_t slices, llv filled, buffer *zero_slices) {
  unsigned lane_n = MIN(log2_of(l->e.vector_bits / 64), (unsigned)zero_slices->n);
  LLVMTypeRef type = lane_n ? LLVMVectorType(l->e.i64, 1u << lane_n) : l->e.i64;
  int64_t slice_bytes = (int64_t)8 << zero_slices->n;
  buffer *parts = arena_array(l->arena, buffer, (size_t)slices);
  llv *there = arena_array(l->arena, llv, (size_t)slices), sum = LLVMConstNull(type);
  for (int64_t s = 0; s < slices; s++) {
    parts[s] = numbers_at(table, emit_offsetk(&l->e, table->ptr, s * slice_bytes), zero_slices->n);
    there[s] = LLVMBuildICmp(l->e.b, LLVMIntUGT, filled, k64(l, s), "");
  }
  nest n;
  nest_begin(&n, l, zero_slices->n, false);
  nest_lanes(&n, 0, lane_n);
  if (zero_slices->n > lane_n) nest_open(&n, lane_n, zero_slices->n - lane_n);
  index_map row = nest_map(&n, 0);
  for (int64_t s = 0; s < slices; s++) {
    llv at = gen_buffer_load(&n, &parts[s], &row).v;
    nest_place_level(&n, n.n_levels - 1);
    llv zeros = emit_splat(&l->e, zero_row(l), emit_lanes(at));
    llv lacks = LLVMBuildICmp(l->e.b, LLVMIntEQ, at, zeros, "");
    lacks = LLVMBuildAnd(l->e.b, lacks, emit_splat(&l->e, there[s], emit_lanes(at)), "");
    sum = LLVMBuildAdd(l->e.b, sum, LLVMBuildZExt(l->e.b, lacks, type, ""), "");
  }
  gen_buffer_store(&n, zero_slices, &row, sum);
  nest_end(&n);
}

/* A loop over all numbers of rows, which carries a number. */
typedef struct counter {
  nest n;
  llv number, sum; /* the iteration's; what is carried */
} counter;

static void counter_begin(counter *c, lower *l, unsigned bits, llv start) {
  nest_begin(&c->n, l, bits, true);
  nest_open(&c->n, 0, bits);
  const level *outer = &c->n.levels[0], *v = &c->n.levels[1];
  LLVMPositionBuilderBefore(l->e.b, LLVMGetFirstInstruction(v->block));
  c->sum = LLVMBuildPhi(l->e.b, l->e.i64, "");
  llblock from = outer->block;
  LLVMAddIncoming(c->sum, &start, &from, 1);
  c->number = v->index;
  nest_place_level(&c->n, 1);
}

/* Returns the number that is carried out of the loop. */
static llv counter_end(counter *c, llv next) {
  llblock from = c->n.levels[1].latch;
  LLVMAddIncoming(c->sum, &next, &from, 1);
  nest_end(&c->n);
  return next;
}

static llv number_in(lower *l, llv list, llv i) {
  return LLVMBuildLoad2(l->e.b, l->e.i64, LLVMBuildGEP2(l->e.b, l->e.i64, list, &i, 1, ""), "");
}

/* Where in a word the rows of the class are counted that the i-th of the list belongs to. */
static llv place_of_class(lower *l, const row_order *order, const buffer *zero_slices, llv i,
                          llv row) {
  llv class = umin64(l, number_in(l, zero_slices->ptr, row), k64(l, CLASSES - 2));
  llv counts = LLVMBuildICmp(l->e.b, LLVMIntULT, i, order->count, "");
  class = LLVMBuildSelect(l->e.b, counts, class, k64(l, CLASSES - 1), "");
  return LLVMBuildMul(l->e.b, class, k64(l, CLASS_BITS), "");
}

llv zero_rows_sizes(lower *l, const row_order *order, const buffer *zero_slices) {
  counter c;
  counter_begin(&c, l, zero_slices->n, k64(l, 0));
  llv row = number_in(l, order->list, c.number);
  llv shift = place_of_class(l, order, zero_slices, c.number, row);
  llv one_more = LLVMBuildShl(l->e.b, k64(l, 1), shift, "");
  return counter_end(&c, LLVMBuildAdd(l->e.b, c.sum, one_more, ""));
}

llv zero_rows_any(lower *l, const row_order *order, llv sizes) {
  llv whole = LLVMBuildAnd(l->e.b, sizes, k64(l, (1 << CLASS_BITS) - 1), "");
  return LLVMBuildICmp(l->e.b, LLVMIntNE, whole, order->count, "");
}

void zero_rows_sort(lower *l, const row_order *order, const buffer *zero_slices, llv sizes,
                    const buffer *sorted) {
  LLVMBuilderRef b = l->e.b;
  counter c;
  /* Each class begins where those before it end. */
  llv starts = LLVMBuildShl(b, sizes, k64(l, CLASS_BITS), "");
  starts = LLVMBuildMul(b, starts, k64(l, INT64_C(0x0101010101010101)), "");
  counter_begin(&c, l, zero_slices->n, starts);
  llv row = number_in(l, order->list, c.number);
  llv shift = place_of_class(l, order, zero_slices, c.number, row);
  llv at = LLVMBuildAnd(b, LLVMBuildLShr(b, c.sum, shift, ""), k64(l, (1 << CLASS_BITS) - 1), "");
  LLVMBuildStore(b, row, LLVMBuildGEP2(b, l->e.i64, sorted->ptr, &at, 1, ""));
  counter_end(&c, LLVMBuildAdd(b, c.sum, LLVMBuildShl(b, k64(l, 1), shift, ""), ""));
}
