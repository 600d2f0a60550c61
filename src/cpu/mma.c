/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products of tiles: a register block of the result stays in registers over the whole of k,
 * while rows of b stream through vector registers and elements of a are broadcast from memory.
 *
 *   for each panel of `cols` columns                       b's panel stays in the L1 cache
 *     for each block of `rows` rows
 *       c[rows][cols] = acc
 *       for k, `unroll` at a time
 *         for each of them: b's row as vectors; for each row: c[row] += broadcast(a) * b
 *       acc = c
 *
 * The instructions are final as they stand: no pass needs to improve them, and there are only
 * rows * (cols / lanes) * unroll multiplications however large the tile.
 */
#include "cpu/lanes.h"

/* The register block. All powers of two that divide the tile. */
typedef struct mma_shape {
  unsigned rows, vectors, vector_lanes, unroll;
  int64_t m, n, k;
} mma_shape;

typedef struct mma {
  emit *e;
  tsr_elem elem;
  mma_shape s;
  LLVMTypeRef scalar, vector;
  unsigned size; /* bytes of an element */
  LLVMValueRef function;
  LLVMValueRef a, b, acc;                    /* addresses */
  LLVMValueRef a_row, a_col, b_row, acc_row; /* strides in bytes */
} mma;

enum { MAX_ACCUMULATORS = 16 };

static int64_t min64(int64_t x, int64_t y) {
  return x < y ? x : y;
}

/* Accumulators fill half of 32 registers, or of 16 registers together with two rows of b all but a
 * few; at least eight of them cover the latency of a fused multiply-add that starts twice a cycle.
 * Two vectors per row need few broadcasts and, at any alignment of b, few split loads. */
static mma_shape shape_of(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  int64_t lanes_full = e->vector_bits / tsr_elem_bits(elem);
  int64_t budget = e->vector_bits >= 512 ? MAX_ACCUMULATORS : 8;
  mma_shape s = {.m = m, .n = n, .k = k};
  s.vector_lanes = (unsigned)min64(n, lanes_full);
  int64_t vectors_most = n / s.vector_lanes;
  s.vectors = (unsigned)min64(vectors_most, 2);
  s.rows = (unsigned)min64(m, budget / s.vectors);
  /* Few rows: wider, to have enough accumulators under way. */
  s.vectors = (unsigned)min64(vectors_most, min64(budget / s.rows, 8));
  s.unroll = (unsigned)min64(k, 4);
  return s;
}

static LLVMValueRef address(mma *g, LLVMValueRef base, LLVMValueRef bytes) {
  return LLVMBuildGEP2(g->e->b, g->e->i8, base, &bytes, 1, "");
}
static LLVMValueRef i64_of(mma *g, int64_t value) {
  return LLVMConstInt(g->e->i64, (uint64_t)value, 0);
}
static LLVMValueRef times(mma *g, LLVMValueRef x, int64_t factor) {
  return LLVMBuildMul(g->e->b, x, i64_of(g, factor), "");
}

/* Element alignment is all that is known. */
static LLVMValueRef load(mma *g, LLVMTypeRef type, LLVMValueRef at) {
  LLVMValueRef value = LLVMBuildLoad2(g->e->b, type, at, "");
  LLVMSetAlignment(value, g->size);
  return value;
}
static void store(mma *g, LLVMValueRef value, LLVMValueRef at) {
  LLVMSetAlignment(LLVMBuildStore(g->e->b, value, at), g->size);
}

static LLVMValueRef multiply_add(mma *g, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
  if (g->elem == TSR_I32) return i_add(g->e, i_mul(g->e, x, y), z);
  return f_mul_add(g->e, x, y, z);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* A counted loop that carries addresses and accumulators; none at all for one iteration. */
typedef struct loop {
  int64_t count;
  LLVMBasicBlockRef before, body;
  LLVMValueRef index;
} loop;

static loop loop_begin(mma *g, int64_t count) {
  emit *e = g->e;
  loop l = {.count = count, .before = LLVMGetInsertBlock(e->b)};
  if (count == 1) return l;
  l.body = LLVMAppendBasicBlockInContext(e->llvm, g->function, "");
  LLVMBuildBr(e->b, l.body);
  LLVMPositionBuilderAtEnd(e->b, l.body);
  l.index = LLVMBuildPhi(e->b, e->i64, "");
  return l;
}

/* A value carried around: `start` first; see loop_next. Call before anything else in the body. */
static LLVMValueRef loop_carry(mma *g, loop *l, LLVMValueRef start) {
  if (l->count == 1) return start;
  LLVMValueRef phi = LLVMBuildPhi(g->e->b, LLVMTypeOf(start), "");
  LLVMAddIncoming(phi, &start, &l->before, 1);
  return phi;
}
/* Sets what a carried value is in the next iteration. */
static void loop_next(mma *g, loop *l, LLVMValueRef phi, LLVMValueRef value) {
  if (l->count == 1) return;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(g->e->b);
  LLVMAddIncoming(phi, &value, &from, 1);
}

static void loop_end(mma *g, loop *l) {
  if (l->count == 1) return;
  emit *e = g->e;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(e->llvm, g->function, "");
  LLVMValueRef next = LLVMBuildNUWAdd(e->b, l->index, i64_of(g, 1), "");
  LLVMValueRef start = i64_of(g, 0);
  LLVMAddIncoming(l->index, &start, &l->before, 1);
  LLVMAddIncoming(l->index, &next, &from, 1);
  LLVMValueRef more = LLVMBuildICmp(e->b, LLVMIntNE, next, i64_of(g, l->count), "");
  LLVMBuildCondBr(e->b, more, l->body, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

/* ---- the register block ---------------------------------------------------------------------- */

/* One k: c += a[:, k] * b[k, :]. `a_at` is the element in the block's first row. */
static void step(mma *g, LLVMValueRef a_at, LLVMValueRef *row_offsets, LLVMValueRef b_at,
                 LLVMValueRef *c) {
  const mma_shape *s = &g->s;
  LLVMValueRef b[MAX_ACCUMULATORS];
  for (unsigned j = 0; j < s->vectors; j++) {
    LLVMValueRef offset = i64_of(g, (int64_t)j * s->vector_lanes * g->size);
    b[j] = load(g, g->vector, address(g, b_at, offset));
  }
  for (unsigned i = 0; i < s->rows; i++) {
    LLVMValueRef at = i == 0 ? a_at : address(g, a_at, row_offsets[i]);
    LLVMValueRef a = emit_splat(g->e, load(g, g->scalar, at), s->vector_lanes);
    for (unsigned j = 0; j < s->vectors; j++) {
      LLVMValueRef *sum = &c[i * s->vectors + j];
      *sum = multiply_add(g, a, b[j], *sum);
    }
  }
}

static void block_over_k(mma *g, LLVMValueRef a_at, LLVMValueRef *row_offsets, LLVMValueRef b_at,
                         LLVMValueRef *c) {
  const mma_shape *s = &g->s;
  unsigned count = s->rows * s->vectors;
  loop l = loop_begin(g, s->k / s->unroll);
  LLVMValueRef a_phi = loop_carry(g, &l, a_at), b_phi = loop_carry(g, &l, b_at);
  LLVMValueRef phis[MAX_ACCUMULATORS];
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = loop_carry(g, &l, c[i]);
  LLVMValueRef a = a_phi, b = b_phi;
  for (unsigned u = 0; u < s->unroll; u++) {
    step(g, a, row_offsets, b, c);
    a = address(g, a, g->a_col);
    b = address(g, b, g->b_row);
  }
  loop_next(g, &l, a_phi, a);
  loop_next(g, &l, b_phi, b);
  for (unsigned i = 0; i < count; i++) loop_next(g, &l, phis[i], c[i]);
  loop_end(g, &l);
}

/* acc's block at `acc_at` += rows of a at `a_at` times the panel of b at `b_at`. */
static void block(mma *g, LLVMValueRef a_at, LLVMValueRef *row_offsets, LLVMValueRef b_at,
                  LLVMValueRef acc_at) {
  const mma_shape *s = &g->s;
  LLVMValueRef c[MAX_ACCUMULATORS], places[MAX_ACCUMULATORS];
  LLVMValueRef row = acc_at;
  for (unsigned i = 0; i < s->rows; i++) {
    for (unsigned j = 0; j < s->vectors; j++) {
      LLVMValueRef offset = i64_of(g, (int64_t)j * s->vector_lanes * g->size);
      LLVMValueRef at = places[i * s->vectors + j] = address(g, row, offset);
      c[i * s->vectors + j] = load(g, g->vector, at);
    }
    row = address(g, row, g->acc_row);
  }
  block_over_k(g, a_at, row_offsets, b_at, c);
  for (unsigned i = 0; i < s->rows * s->vectors; i++) store(g, c[i], places[i]);
}

static void all_blocks(mma *g) {
  const mma_shape *s = &g->s;
  LLVMValueRef row_offsets[MAX_ACCUMULATORS];
  for (unsigned i = 1; i < s->rows; i++) row_offsets[i] = times(g, g->a_row, i);
  LLVMValueRef a_step = times(g, g->a_row, s->rows), acc_step = times(g, g->acc_row, s->rows);
  int64_t cols = (int64_t)s->vectors * s->vector_lanes;
  LLVMValueRef panel_step = i64_of(g, cols * g->size);

  loop panels = loop_begin(g, s->n / cols);
  LLVMValueRef b_at = loop_carry(g, &panels, g->b), acc_panel = loop_carry(g, &panels, g->acc);
  loop blocks = loop_begin(g, s->m / s->rows);
  LLVMValueRef a_at = loop_carry(g, &blocks, g->a);
  LLVMValueRef acc_at = loop_carry(g, &blocks, acc_panel);
  block(g, a_at, row_offsets, b_at, acc_at);
  loop_next(g, &blocks, a_at, address(g, a_at, a_step));
  loop_next(g, &blocks, acc_at, address(g, acc_at, acc_step));
  loop_end(g, &blocks);
  loop_next(g, &panels, b_at, address(g, b_at, panel_step));
  loop_next(g, &panels, acc_panel, address(g, acc_panel, panel_step));
  loop_end(g, &panels);
}

/* ---- the function ---------------------------------------------------------------------------- */

LLVMTypeRef emit_mma_type(emit *e) {
  LLVMTypeRef types[] = {e->ptr, e->i64, e->i64, e->ptr, e->i64, e->ptr, e->i64};
  return LLVMFunctionType(e->void_, types, ARRAY_LEN(types), 0);
}

LLVMValueRef emit_mma(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  char *name = arena_printf(e->arena, "mma.%s.%lldx%lldx%lld", tsr_elem_name(elem), (long long)m,
                            (long long)n, (long long)k);
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
  if (function != NULL) return function;
  function = LLVMAddFunction(e->module, name, emit_mma_type(e));
  LLVMSetLinkage(function, LLVMInternalLinkage);

  emit inner = *e; /* with a builder of its own: the caller's stays where it is */
  inner.b = LLVMCreateBuilderInContext(e->llvm);
  mma g = {.e = &inner, .elem = elem, .s = shape_of(e, elem, m, n, k), .function = function};
  g.scalar = emit_elem_type(e, elem);
  g.vector = emit_lane_type(e, elem, g.s.vector_lanes);
  g.size = tsr_elem_bits(elem) / 8;
  LLVMPositionBuilderAtEnd(inner.b, LLVMAppendBasicBlockInContext(e->llvm, function, ""));
  g.a = LLVMGetParam(function, 0);
  g.a_row = times(&g, LLVMGetParam(function, 1), g.size);
  g.a_col = times(&g, LLVMGetParam(function, 2), g.size);
  g.b = LLVMGetParam(function, 3);
  g.b_row = times(&g, LLVMGetParam(function, 4), g.size);
  g.acc = LLVMGetParam(function, 5);
  g.acc_row = times(&g, LLVMGetParam(function, 6), g.size);
  all_blocks(&g);
  LLVMBuildRetVoid(inner.b);
  LLVMDisposeBuilder(inner.b);
  return function;
}
