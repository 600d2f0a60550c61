/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products of tiles: how a tile is cut, and the function that multiplies it. mma.h says how
 * it goes on.
 */
#include "cpu/mma.h"

/* ---- how a tile is cut ----------------------------------------------------------------------- */

/* Rows as many blocks of `large` as leave a multiple of `small`. */
static void cut_rows(mma_shape *s, unsigned large, unsigned small) {
  int64_t blocks = s->m / large;
  while (blocks > 0 && (s->m - blocks * large) % small != 0) blocks--;
  s->rows[0] = large;
  s->blocks[0] = blocks;
  s->rows[1] = small;
  s->blocks[1] = (s->m - blocks * large) / small;
}

/* Vectors per row need few broadcasts and, at any alignment of b, few split loads. Accumulators
 * leave room among the registers for a row of b and a broadcast, and are enough to cover the
 * latency of multiply-adds, of which two start each cycle: eight would just do, but stall for every
 * hitch. With x86's 32 registers four vectors and 6 rows are best: 34 instructions for 24
 * multiplications, where two vectors and 8 rows take 26 for 16, and no more rows of a at a time
 * than a set of the first-level cache has lines for, should they be a multiple of 4 KB apart. */
static mma_shape shape_of(const emit *e, unsigned size, int64_t m, int64_t n, int64_t k) {
  int64_t lanes_full = e->vector_bits / 8 / size;
  bool many = e->vector_bits >= 512 || e->arm; /* 32 registers */
  mma_shape s = {.m = m, .n = n, .k = k};
  s.vector_lanes = (unsigned)min64(n, lanes_full);
  int64_t vectors_most = n / s.vector_lanes;
  bool wide = many && !e->arm && vectors_most >= 4;
  s.vectors = (unsigned)min64(vectors_most, wide ? 4 : 2);
  unsigned large = many && !wide ? 8 : 6, small = many && !wide ? 8 : 4;
  if (m >= small && s.vectors >= 2) {
    cut_rows(&s, large, small);
  } else {
    /* Few rows or columns: more of the other, to have enough accumulators under way. */
    int64_t budget = many ? 16 : 8;
    unsigned rows = (unsigned)min64(m, budget / min64(s.vectors, 2));
    s.vectors = (unsigned)min64(vectors_most, min64(budget / rows, 8));
    cut_rows(&s, rows, rows);
  }
  /* Two steps at a time are 8 iterations between looks at what to fetch: Golden Cove does not
   * foresee the end of a block that has twice as many branches, and loses 25 cycles of 3000. But an
   * instruction of SSE2 overwrites an operand: of sums that go through two steps LLVM moves some
   * from register to register and to the stack. */
  bool overwrites = e->vector_bits == 128 && !e->arm;
  s.unroll = overwrites ? 1 : (unsigned)min64(k, 2);
  return s;
}

/* ---- the function ---------------------------------------------------------------------------- */

LLVMTypeRef emit_mma_type(emit *e) {
  LLVMTypeRef types[MMA_ARGS];
  for (unsigned i = 0; i < MMA_ARGS; i++) types[i] = e->i64;
  static const mma_arg pointers[] = {MMA_A,    MMA_B,   MMA_ACC,  MMA_AHEAD,
                                     MMA_FROM, MMA_OUT, MMA_ORDER};
  for (unsigned i = 0; i < ARRAY_LEN(pointers); i++) types[pointers[i]] = e->ptr;
  return LLVMFunctionType(e->void_, types, MMA_ARGS, 0);
}

static void find_types(mma *g, emit *e) {
  LLVMTypeRef elem = emit_elem_type(e, g->elem);
  g->scalar = g->grouped ? e->i32 : elem;
  g->sums = !g->grouped ? elem : g->elem == TSR_I8 ? e->i32 : e->f32;
  g->vector = g->scalar;
  if (g->s.vector_lanes == 1) return;
  g->sums = LLVMVectorType(g->sums, g->s.vector_lanes);
  g->vector = LLVMVectorType(g->scalar, g->s.vector_lanes);
}

static void define(emit *e, LLVMValueRef function, mma g) {
  emit inner = *e; /* with a builder of its own: the caller's stays where it is */
  inner.b = LLVMCreateBuilderInContext(e->llvm);
  g.e = &inner;
  g.function = function;
  find_types(&g, e);
  LLVMPositionBuilderAtEnd(inner.b, LLVMAppendBasicBlockInContext(e->llvm, function, ""));
  g.a = parameter(&g, MMA_A);
  g.a_row = parameter(&g, MMA_A_ROW);
  g.a_col = parameter(&g, MMA_A_COL);
  g.b = parameter(&g, MMA_B);
  g.b_row = parameter(&g, MMA_B_ROW);
  g.b_panel = parameter(&g, MMA_B_PANEL);
  g.acc = parameter(&g, MMA_ACC);
  g.acc_row = parameter(&g, MMA_ACC_ROW);
  g.m = parameter(&g, MMA_M);
  g.n = parameter(&g, MMA_N);
  g.k = parameter(&g, MMA_K);
  g.ahead = g.b_follows ? NULL : parameter(&g, MMA_AHEAD);
  g.out = parameter(&g, MMA_OUT);
  g.out_row = parameter(&g, MMA_OUT_ROW);
  g.order = parameter(&g, MMA_ORDER);
  if (g.use.copies) {
    g.from = parameter(&g, MMA_FROM);
    g.from_row = parameter(&g, MMA_FROM_ROW);
  }
  g.nothing = parameter(&g, MMA_NOTHING);
  bool lines = g.s.vectors * g.s.vector_lanes * g.size >= MMA_LINE;
  if (g.use.how == MMA_HOW_ASKED && lines && !g.use.in_stretches && !g.b_follows)
    g.how = parameter(&g, MMA_HOW);
  if (looks(&g)) {
    LLVMValueRef least = LLVMBuildTrunc(inner.b, parameter(&g, MMA_LEAST), e->i16, "");
    g.least = emit_splat(&inner, least, 2 * LOOK);
  }
  if (g.elem == TSR_I8 && emit_dot_flips(e, g.a_signed, g.b_signed)) {
    LLVMTypeRef type = LLVMVectorType(e->i32, LOOK);
    g.row_sums = LLVMBuildAlloca(inner.b, LLVMArrayType2(type, MAX_ROWS), "");
  }
  mma_all_panels(&g);
  LLVMBuildRetVoid(inner.b);
  LLVMDisposeBuilder(inner.b);
}

/* The function of that name; `g` says what it multiplies, in groups of 32 bits or elements. Where
 * its code is as long as a small kernel's it may be made elsewhere. */
static LLVMValueRef function_of(emit *e, const char *name, mma g, int64_t m, int64_t n, int64_t k) {
  enum { LONG = 12 }; /* accumulators */
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
  if (function != NULL) return function;
  function = LLVMAddFunction(e->module, name, emit_mma_type(e));
  g.e = e;
  g.s = shape_of(e, g.size, m, n, k);
  if ((looks(&g) || g.b_follows) && e->vector_bits >= 512) g.s.unroll = (unsigned)min64(k, 2);
  if (mma_as_words(&g) && g.s.rows[0] > 4) cut_rows(&g.s, 4, 4); /* operands take registers, too */
  bool is_long = g.s.rows[g.s.blocks[0] == 0] * g.s.vectors >= LONG;
  emit *home = is_long && e->aside ? e->aside(e->aside_user) : NULL;
  if (!home) {
    LLVMSetLinkage(function, LLVMInternalLinkage);
    define(e, function, g);
    return function;
  }
  LLVMValueRef there = LLVMAddFunction(home->module, name, emit_mma_type(home));
  LLVMSetVisibility(there, LLVMHiddenVisibility);
  LLVMSetVisibility(function, LLVMHiddenVisibility);
  define(home, there, g);
  return function;
}

/* ---- what others ask for --------------------------------------------------------------------- */

int64_t emit_mma_panel(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  mma_shape s = shape_of(e, tsr_elem_bits(elem) / 8, m, n, k);
  return (int64_t)s.vectors * s.vector_lanes;
}

int64_t emit_mma_k_step(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  return shape_of(e, tsr_elem_bits(elem) / 8, m, n, k).unroll;
}

bool emit_mma_copies(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  mma_shape s = shape_of(e, tsr_elem_bits(elem) / 8, m, n, k);
  return s.vectors == 4 && s.blocks[0] > 0 && e->vector_bits >= 512;
}

bool emit_mma_ends_anywhere(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  mma_shape s = shape_of(e, tsr_elem_bits(elem) / 8, m, n, k);
  return s.vectors == 4 && m >= NARROW_ROWS && e->vector_bits >= 512;
}

static const char *ending(mma_end end) {
  return end == MMA_END_COLUMN ? ".any" : end == MMA_END_ROW ? ".row" : "";
}

/* For its name. */
static const char *use_of(emit *e, const mma_use *u) {
  static const char *const hows[] = {"", ".past", ".again", ".asked"};
  return arena_printf(e->arena, "%s%s%s%s%s", u->in_stretches ? ".exact" : "",
                      u->copies ? ".copy" : "", u->empty ? ".empty" : "", hows[u->how],
                      ending(u->end));
}

LLVMValueRef emit_mma(emit *e, tsr_elem elem, mma_use use, int64_t m, int64_t n, int64_t k) {
  use.in_stretches = use.in_stretches && k > STRETCH && emit_has_fma(e);
  char *name = arena_printf(e->arena, "mma.%s%s.%lldx%lldx%lld", tsr_elem_name(elem),
                            use_of(e, &use), (long long)m, (long long)n, (long long)k);
  unsigned size = tsr_elem_bits(elem) / 8;
  mma g = {.elem = elem, .size = size, .a_align = size, .use = use};
  return function_of(e, name, g, m, n, k);
}

LLVMValueRef emit_mma_ahead(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  char *name = arena_printf(e->arena, "mma.%s.ahead.%lldx%lldx%lld", tsr_elem_name(elem),
                            (long long)m, (long long)n, (long long)k);
  unsigned size = tsr_elem_bits(elem) / 8;
  mma g = {.elem = elem, .size = size, .a_align = size, .b_follows = true};
  g.first_fetches = e->options.slow_streams;
  return function_of(e, name, g, m, n, k);
}

LLVMValueRef emit_mma_rows(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k,
                           int64_t slice_k) {
  char *name = arena_printf(e->arena, "mma.%s.rows.%lldx%lldx%lld.%lld", tsr_elem_name(elem),
                            (long long)m, (long long)n, (long long)k, (long long)slice_k);
  unsigned size = tsr_elem_bits(elem) / 8;
  mma g = {.elem = elem, .size = size, .a_align = size, .slice_k = slice_k};
  g.use.how = MMA_HOW_ASKED;
  return function_of(e, name, g, m, n, k);
}

LLVMValueRef emit_mma_dot(emit *e, tsr_elem elem, bool a_signed, bool b_signed, mma_use use,
                          int64_t m, int64_t n, int64_t k, int64_t slice_k) {
  bool bytes = elem == TSR_I8;
  int64_t group = bytes ? 4 : 2;
  char *name =
      arena_printf(e->arena, "mma.%s%s%s%s.%lldx%lldx%lld.%lld", tsr_elem_name(elem),
                   bytes ? a_signed ? ".s" : ".u" : "", bytes ? b_signed ? "s" : "u" : "",
                   use_of(e, &use), (long long)m, (long long)n, (long long)k, (long long)slice_k);
  mma g = {.elem = elem, .grouped = true, .size = 4, .slice_k = slice_k / group};
  g.a_align = tsr_elem_bits(elem) / 8;
  g.a_signed = a_signed;
  g.b_signed = b_signed;
  g.use = use;
  return function_of(e, name, g, m, n, k / group);
}
