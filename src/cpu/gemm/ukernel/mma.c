/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products of tiles: how a tile is cut, and the function that multiplies it. mma.h says how
 * it continues.
 */
#include <stdlib.h>

#include "llvm/lanes.h"

#include "cpu/gemm/ukernel/mma.h"

#include "cpu/gemm/ukernel/ukernel.h"

/* ---- how a tile is cut ----------------------------------------------------------------------- */

static unsigned class_of(int64_t count) {
  return count > 1 ? SEVERAL : (unsigned)count;
}

/* Rows as many blocks of `large` as leave a multiple of `small`. */
static void cut_rows(mma_shape *s, int64_t m, unsigned large, unsigned small) {
  int64_t blocks = m / large;
  while (blocks > 0 && (m - blocks * large) % small != 0) blocks--;
  s->rows[0] = large;
  s->blocks[0] = class_of(blocks);
  s->rows[1] = small;
  s->blocks[1] = class_of((m - blocks * large) / small);
}

/* Where k is long a loop that goes round once costs nothing, and the code is that of more. */
static void take_for_many(unsigned *count) {
  if (*count) *count = SEVERAL;
}

/* Vectors per row need few broadcasts and, at any alignment of b, few split loads. Accumulators
 * leave room among the registers for a row of b and a broadcast, and are enough to cover the
 * latency of multiply-adds, of which two start each cycle: eight would just do, but stall for every
 * hitch. With x86's 32 registers four vectors and 6 rows are best: 34 instructions for 24
 * multiplications, where two vectors and 8 rows take 26 for 16, and no more rows of a at a time
 * than a set of the first-level cache has lines for, should they be a multiple of 4 KB apart. */
static mma_shape shape_of(const emit *e, unsigned size, bool as_words, int64_t m, int64_t n,
                          int64_t k) {
  int64_t lanes_full = e->vector_bits / 8 / size;
  bool many = e->vector_bits >= 512 || e->arm; /* 32 registers */
  mma_shape s = {.k = min64(k, LONG_K)};
  s.vector_lanes = (unsigned)min64(n, lanes_full);
  int64_t vectors_most = n / s.vector_lanes;
  bool wide = many && !e->arm && vectors_most >= 4;
  s.vectors = (unsigned)min64(vectors_most, wide ? 4 : 2);
  unsigned large = many && !wide ? 8 : 6, small = many && !wide ? 8 : 4;
  if (m < small || s.vectors < 2) {
    /* Few rows or columns: more of the other, to have enough accumulators under way. */
    int64_t budget = many ? 16 : 8;
    large = small = (unsigned)min64(m, budget / min64(s.vectors, 2));
    s.vectors = (unsigned)min64(vectors_most, min64(budget / large, 8));
  }
  if (as_words && large > 4) large = small = 4; /* operands take registers, too */
  cut_rows(&s, m, large, small);
  s.panels = class_of(vectors_most / s.vectors);
  if (s.k == LONG_K) {
    take_for_many(&s.blocks[0]);
    take_for_many(&s.blocks[1]);
    take_for_many(&s.panels);
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
  static const mma_arg pointers[] = {MMA_A,    MMA_B,   MMA_ACC,  MMA_PREFETCH,
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
  g.regions = g.b_follows ? NULL : parameter(&g, MMA_PREFETCH);
  g.out = parameter(&g, MMA_OUT);
  g.out_row = parameter(&g, MMA_OUT_ROW);
  g.order = parameter(&g, MMA_ORDER);
  if (g.use.copies) {
    g.from = parameter(&g, MMA_FROM);
    g.from_row = parameter(&g, MMA_FROM_ROW);
  }
  g.nothing = parameter(&g, MMA_NOTHING);
  bool lines = g.s.vectors * g.s.vector_lanes * g.size >= MMA_LINE;
  if (g.use.how == MMA_HOW_ASKED && lines && !g.use.in_sum_blocks && !g.b_follows)
    g.how = parameter(&g, MMA_HOW);
  if (checks_range(&g)) {
    LLVMValueRef least = LLVMBuildTrunc(inner.b, parameter(&g, MMA_LEAST), e->i16, "");
    g.least = emit_splat(&inner, least, 2 * RANGE_PAIRS);
  }
  if (g.elem == TSR_I8 && emit_dot_flips(e, g.a_signed, g.b_signed)) {
    LLVMTypeRef type = LLVMVectorType(e->i32, RANGE_PAIRS);
    g.row_sums = LLVMBuildAlloca(inner.b, LLVMArrayType2(type, MAX_ROWS), "");
  }
  mma_all_panels(&g);
  LLVMBuildRetVoid(inner.b);
  LLVMDisposeBuilder(inner.b);
}

/* ---- its name -------------------------------------------------------------------------------- */

static const char *elem_of(const mma *g, arena *a) {
  if (!g->grouped) return tsr_elem_name(g->elem);
  const char *signs = "";
  if (g->elem == TSR_I8) signs = arena_printf(a, ".%c%c", "us"[g->a_signed], "us"[g->b_signed]);
  return arena_printf(a, "%s.dot%s", tsr_elem_name(g->elem), signs);
}

static const char *use_of(const mma *g, arena *a) {
  static const char *const hows[] = {"", ".past", ".again", ".asked"};
  static const char *const ends[] = {"", ".row", ".any"};
  const mma_use *u = &g->use;
  return arena_printf(a, "%s%s%s%s%s", u->in_sum_blocks ? ".exact" : "", u->copies ? ".copy" : "",
                      u->empty ? ".empty" : "", hows[u->how], ends[u->end]);
}

/* One of those, or "n" for several. */
static const char *counted(arena *a, unsigned count, long long what) {
  if (count == 0) return "";
  return arena_printf(a, "%lld%s", what, count == 1 ? "" : "n");
}

/* The way that it goes through memory. */
static const char *way_of(const mma *g, arena *a) {
  if (g->b_follows) return g->first_prefetches ? ".first_ahead" : ".ahead";
  if (g->slice_k) return arena_printf(a, ".rows%s", counted(a, g->s.slices, g->slice_k));
  return "";
}

/* It says all that the code depends on beside the target: elements, use, blocks of rows, panels of
 * vectors of lanes, k. So mma.f32.copy.asked.6n_4n.4nx16.k32n has several blocks of 6 rows and
 * several of 4, several panels of 4 vectors of 16 lanes, and k is 32 or more. */
static const char *name_of(const mma *g, arena *a) {
  const mma_shape *s = &g->s;
  return arena_printf(a, "mma.%s%s%s.%s_%s.%sx%u.k%s", elem_of(g, a), way_of(g, a), use_of(g, a),
                      counted(a, s->blocks[0], s->rows[0]), counted(a, s->blocks[1], s->rows[1]),
                      counted(a, s->panels, s->vectors), s->vector_lanes,
                      counted(a, s->k == LONG_K ? SEVERAL : 1, s->k));
}

/* The number that follows the n-th dot from the name's end. */
static const char *part_of_name(const char *name, unsigned from_end) {
  const char *at = name + strlen(name);
  while (at > name && from_end) from_end -= *--at == '.';
  return at + (*at == '.');
}

static unsigned number_behind(const char *part, char mark) {
  const char *at = strchr(part, mark);
  return at ? (unsigned)strtoul(at + 1, NULL, 10) : 0;
}

mma_blocking emit_mma_blocking(const char *name) {
  const char *rows = part_of_name(name, 3), *vectors = part_of_name(name, 2);
  mma_blocking b = {.rows = (unsigned)strtoul(rows, NULL, 10),
                    .rest = number_behind(rows, '_'),
                    .vectors = (unsigned)strtoul(vectors, NULL, 10),
                    .lanes = number_behind(vectors, 'x')};
  if (b.rows == 0) b.rows = b.rest, b.rest = 0;
  return b;
}

/* The function for it; `g` says what it multiplies, in groups of 32 bits or elements. Where its
 * code is as long as a small kernel's it may be made elsewhere, or be there. */
static LLVMValueRef function_of(emit *e, mma g, int64_t m, int64_t n, int64_t k) {
  enum { LONG = 12 }; /* accumulators */
  g.e = e;
  g.s = shape_of(e, g.size, mma_as_words(&g), m, n, k);
  g.use.in_sum_blocks &= k > SUM_BLOCK;
  if (g.slice_k) g.s.slices = class_of(k / g.slice_k);
  const char *name = name_of(&g, e->arena);
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
  if (function != NULL) return function;
  function = LLVMAddFunction(e->module, name, emit_mma_type(e));
  bool is_long = g.s.rows[g.s.blocks[0] == 0] * g.s.vectors >= LONG;
  emit *destination = NULL;
  if (is_long && e->outline && e->outline(e->outline_user, name, &destination)) {
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    if (!destination) return function;
    LLVMValueRef there = LLVMAddFunction(destination->module, name, emit_mma_type(destination));
    LLVMSetVisibility(there, LLVMHiddenVisibility);
    define(destination, there, g);
    return function;
  }
  LLVMSetLinkage(function, LLVMInternalLinkage);
  define(e, function, g);
  return function;
}

/* ---- what others ask for --------------------------------------------------------------------- */

/* Of elements, not of groups. */
static mma_shape plain_shape(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  return shape_of(e, tsr_elem_bits(elem) / 8, false, m, n, k);
}

int64_t emit_mma_panel(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  mma_shape s = plain_shape(e, elem, m, n, k);
  return (int64_t)s.vectors * s.vector_lanes;
}

int64_t emit_mma_k_step(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  return plain_shape(e, elem, m, n, k).unroll;
}

bool emit_mma_copies(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  mma_shape s = plain_shape(e, elem, m, n, k);
  return s.vectors == 4 && s.blocks[0] > 0 && e->vector_bits >= 512;
}

bool emit_mma_ends_anywhere(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  mma_shape s = plain_shape(e, elem, m, n, k);
  return s.vectors == 4 && m >= NARROW_ROWS && e->vector_bits >= 512;
}

static mma of_elements(tsr_elem elem) {
  unsigned size = tsr_elem_bits(elem) / 8;
  return (mma){.elem = elem, .size = size, .a_align = size};
}

LLVMValueRef emit_mma(emit *e, tsr_elem elem, mma_use use, int64_t m, int64_t n, int64_t k) {
  mma g = of_elements(elem);
  use.in_sum_blocks &= emit_has_fma(e);
  g.use = use;
  return function_of(e, g, m, n, k);
}

LLVMValueRef emit_mma_prefetching(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k) {
  mma g = of_elements(elem);
  g.b_follows = true;
  g.first_prefetches = e->core.shallow_prefetch;
  return function_of(e, g, m, n, k);
}

LLVMValueRef emit_mma_rows(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k,
                           int64_t slice_k) {
  mma g = of_elements(elem);
  g.slice_k = slice_k;
  g.use.how = MMA_HOW_ASKED;
  return function_of(e, g, m, n, k);
}

LLVMValueRef emit_mma_dot(emit *e, tsr_elem elem, bool a_signed, bool b_signed, mma_use use,
                          int64_t m, int64_t n, int64_t k, int64_t slice_k) {
  int64_t group = elem == TSR_I8 ? 4 : 2;
  mma g = {.elem = elem, .grouped = true, .size = 4, .slice_k = slice_k / group};
  g.a_align = tsr_elem_bits(elem) / 8;
  g.a_signed = a_signed;
  g.b_signed = b_signed;
  g.use = use;
  return function_of(e, g, m, n, k / group);
}
