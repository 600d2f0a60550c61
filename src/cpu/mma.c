/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products of tiles: a register block of the result stays in registers over the whole of k,
 * while rows of b stream through vector registers and elements of a are broadcast from memory.
 *
 *   for each panel of `cols` columns                       b's panel stays in the L1 cache
 *     for each block of rows
 *       c[rows][cols] = acc
 *       for k, `unroll` at a time
 *         for each of them: b's row as vectors; for each row: c[row] += broadcast(a) * b
 *       acc = c
 *
 * The instructions are final as they stand: no pass needs to improve them, and there are only
 * rows * (cols / lanes) * unroll multiplications however large the tile. Rows come in blocks of
 * the best size and then of a smaller one, so that both together make the power of two.
 *
 * Products in groups (emit_mma_dot) are the same loops over 32-bit groups of elements, with
 * another instruction in the middle. That for pairs of bf16 takes subnormal numbers for zero, so it
 * is used for a block of rows only where there can be none ("pairs" below).
 */
#include "num/num.h"

#include "cpu/lanes.h"

enum {
  MAX_ROWS = 16,
  MAX_ACCUMULATORS = 32,
  MAX_LANES = 16,
  NARROW_ROWS = 8,   /* of a block of one vector */
  STRETCH = 64,      /* of k, that is added up before it is added to acc, where that is asked for */
  LINES_AT_ONCE = 8, /* of a row that is fetched, one after the other with each iteration along k */
};

/* How a tile is cut: `blocks[i]` blocks of `rows[i]` rows, one size after the other. */
typedef struct mma_shape {
  unsigned rows[2];
  int64_t blocks[2];
  unsigned vectors, vector_lanes, unroll;
  int64_t m, n, k;
} mma_shape;

typedef struct mma {
  emit *e;
  tsr_elem elem;
  mma_shape s;
  LLVMTypeRef scalar, vector; /* of a and of a row of b; a group of elements counts as one */
  LLVMTypeRef sums;           /* of a row of acc */
  bool grouped;               /* elements in groups of 32 bits */
  bool widens;                /* pairs of bf16 are multiplied as f32 */
  bool a_signed, b_signed;    /* of I8 */
  mma_use use;
  bool b_follows;     /* MMA_AHEAD is the next b */
  bool first_fetches; /* and the first block of rows asks for it, not the last */
  unsigned size;      /* bytes of an element or group, and of one of acc */
  unsigned a_align;   /* bytes of an element */
  LLVMValueRef function;
  int64_t slice_k;                                    /* by rows: k of a slice; else 0 */
  LLVMValueRef a, b, acc, out;                        /* addresses */
  LLVMValueRef a_row, a_col, b_row, b_panel, acc_row; /* strides in bytes */
  LLVMValueRef out_row;
  LLVMValueRef m, n, k;               /* how much of the tile counts */
  LLVMValueRef ahead;                 /* regions to fetch; NULL: none */
  LLVMValueRef next_b;                /* bytes from b to what is fetched, too; NULL: nothing */
  LLVMValueRef from, from_row;        /* MMA_FROM, of the panel; NULL: b is always in panels */
  LLVMValueRef order;                 /* by rows: their numbers */
  LLVMValueRef nothing;               /* by rows: the address of one that is zero; 0: none is */
  LLVMValueRef least;                 /* pairs: MMA_LEAST, in all lanes of what is looked at */
  LLVMValueRef row_number[MAX_ROWS];  /* in the block; of rows that don't count: of one that does */
  LLVMValueRef row_offsets[MAX_ROWS]; /* that times a_row */
  LLVMValueRef row_at[MAX_ROWS];      /* by rows: where the slice's rows of the block begin */
  LLVMValueRef how;                   /* MMA_HOW; NULL: as use.how says */
  LLVMValueRef row_sums;              /* bytes that come flipped: see sum_rows; else NULL */
  LLVMValueRef columns; /* i1 in lanes: those of the only vector that count; NULL: all */
} mma;

static int64_t min64(int64_t x, int64_t y) {
  return x < y ? x : y;
}

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

/* Hides how a value came about. Loop strength reduction would rewrite the addresses of one k into
 * a chain of additions, as long as the multiplications take, and spend more time on that than the
 * rest of code generation; behind a freeze it sees unrelated values and leaves base + offset. */
static LLVMValueRef opaque(mma *g, LLVMValueRef value) {
  return LLVMBuildFreeze(g->e->b, value, "");
}
static LLVMValueRef i64_of(mma *g, int64_t value) {
  return LLVMConstInt(g->e->i64, (uint64_t)value, 0);
}
static LLVMValueRef times(mma *g, LLVMValueRef x, int64_t factor) {
  return LLVMBuildMul(g->e->b, x, i64_of(g, factor), "");
}

/* value / divisor, rounded up. */
static LLVMValueRef over(mma *g, LLVMValueRef value, unsigned divisor) {
  LLVMValueRef more = LLVMBuildAdd(g->e->b, value, i64_of(g, divisor - 1), "");
  return LLVMBuildUDiv(g->e->b, more, i64_of(g, divisor), "");
}

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

/* One of the instructions on groups: a vector's 32-bit lanes as vectors of `elem`. */
typedef struct dot_name {
  const char *name;
  LLVMTypeRef elem;
  unsigned group;
} dot_name;

/* Of x[0] and x[1], to x[2]. */
static LLVMValueRef dot_piece(emit *e, const void *user, LLVMValueRef *x) {
  const dot_name *d = user;
  unsigned count = emit_lanes(x[2]);
  LLVMTypeRef type = LLVMVectorType(d->elem, count * d->group);
  LLVMValueRef args[] = {x[2], LLVMBuildBitCast(e->b, x[0], type, ""),
                         LLVMBuildBitCast(e->b, x[1], type, "")};
  char *full = arena_printf(e->arena, "llvm.x86.%s.%u", d->name, count * 32);
  return emit_intrinsic(e, full, NULL, 0, args, ARRAY_LEN(args));
}

/* What is looked at is more than a vector at AVX2. */
static LLVMValueRef dot(mma *g, const char *name, LLVMTypeRef elem, unsigned group, LLVMValueRef x,
                        LLVMValueRef y, LLVMValueRef sum) {
  dot_name d = {name, elem, group};
  unsigned width = MIN(emit_lanes(sum), g->e->vector_bits / 32);
  return lanes_in_pieces(g->e, width, 3, (LLVMValueRef[]){x, y, sum}, dot_piece, &d);
}

/* Does the processor multiply bytes? Else they are widened to words in registers, those at even
 * places and those at odd ones, and vpmaddwd adds up products of two words each. */
static bool multiplies_bytes(const emit *e) {
  return e->arm || e->options.vnni;
}

static bool as_words(const mma *g) {
  return g->elem == TSR_I8 && !multiplies_bytes(g->e);
}

/* What a multiply-add takes of a or b: a vector, or the two vectors of words. */
typedef struct operand {
  LLVMValueRef parts[2];
} operand;

static operand operand_of(mma *g, LLVMValueRef x, bool is_signed) {
  if (!as_words(g)) return (operand){{x, NULL}};
  emit *e = g->e;
  x = LLVMBuildBitCast(e->b, x, LLVMVectorType(e->i16, 2 * g->s.vector_lanes), "");
  if (is_signed) return (operand){{i_ashrk(e, i_shlk(e, x, 8), 8), i_ashrk(e, x, 8)}};
  return (operand){{i_andk(e, x, 0xff), i_lshrk(e, x, 8)}};
}

static LLVMValueRef dot_of_words(mma *g, operand x, operand y, LLVMValueRef sum) {
  unsigned bits = g->s.vector_lanes * 32;
  const char *name = bits == 128   ? "llvm.x86.sse2.pmadd.wd"
                     : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                   : "llvm.x86.avx512.pmaddw.d.512";
  for (unsigned i = 0; i < ARRAY_LEN(x.parts); i++) {
    LLVMValueRef args[] = {x.parts[i], y.parts[i]};
    sum = i_add(g->e, sum, emit_intrinsic(g->e, name, NULL, 0, args, ARRAY_LEN(args)));
  }
  return sum;
}

/* AArch64: of bytes, with signs as they are. */
static LLVMValueRef dot_of_bytes(mma *g, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
  emit *e = g->e;
  unsigned count = g->s.vector_lanes;
  LLVMTypeRef type = LLVMVectorType(e->i8, count * 4), types[] = {LLVMTypeOf(sum), type};
  x = LLVMBuildBitCast(e->b, x, type, "");
  y = LLVMBuildBitCast(e->b, y, type, "");
  const char *name = g->a_signed && g->b_signed   ? "llvm.aarch64.neon.sdot"
                     : g->a_signed == g->b_signed ? "llvm.aarch64.neon.udot"
                                                  : "llvm.aarch64.neon.usdot";
  bool swapped = g->a_signed && !g->b_signed; /* an unsigned operand, then a signed one */
  LLVMValueRef args[] = {sum, swapped ? y : x, swapped ? x : y};
  return emit_intrinsic(e, name, types, 2, args, ARRAY_LEN(args));
}

/* The first or second numbers of pairs of bf16. */
static LLVMValueRef half_of_pairs(mma *g, LLVMValueRef pairs, unsigned which) {
  emit *e = g->e;
  LLVMValueRef bits = which ? i_andk(e, pairs, 0xffff0000u) : i_shlk(e, pairs, 16);
  return l_bitcast(e, bits, e->f32);
}

static LLVMValueRef multiply_add(mma *g, operand a, operand b, LLVMValueRef z) {
  LLVMValueRef x = a.parts[0], y = b.parts[0];
  switch (g->elem) {
  case TSR_I32: return i_add(g->e, i_mul(g->e, x, y), z);
  case TSR_BF16:
    for (unsigned i = 0; i < 2 && g->widens; i++)
      z = f_mul_add(g->e, half_of_pairs(g, x, i), half_of_pairs(g, y, i), z);
    if (g->widens) return z;
    return dot(g, "avx512bf16.dpbf16ps", LLVMBFloatTypeInContext(g->e->llvm), 2, x, y, z);
  case TSR_I8: /* vpdpbusd takes an unsigned operand, then a signed one */
    if (g->e->arm) return dot_of_bytes(g, x, y, z);
    if (as_words(g)) return dot_of_words(g, a, b, z);
    if (!g->a_signed) return dot(g, "avx512.vpdpbusd", g->e->i8, 4, x, y, z);
    return dot(g, "avx512.vpdpbusd", g->e->i8, 4, y, x, z);
  default: return f_mul_add(g->e, x, y, z);
  }
}

static LLVMValueRef parameter(mma *g, mma_arg which) {
  return LLVMGetParam(g->function, which);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static LLVMBasicBlockRef new_block(mma *g) {
  return LLVMAppendBasicBlockInContext(g->e->llvm, g->function, "");
}

/* A counted loop that carries addresses and accumulators; none at all for one iteration. */
typedef struct loop {
  int64_t count;        /* at most */
  LLVMValueRef ends_at; /* the count */
  LLVMBasicBlockRef before, body;
  LLVMValueRef index;
} loop;

static loop loop_begin(mma *g, int64_t count, LLVMValueRef ends_at) {
  emit *e = g->e;
  loop l = {.count = count, .ends_at = ends_at, .before = LLVMGetInsertBlock(e->b)};
  if (count == 1) return l;
  l.body = new_block(g);
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
  LLVMBasicBlockRef after = new_block(g);
  LLVMValueRef next = LLVMBuildNUWAdd(e->b, l->index, i64_of(g, 1), "");
  LLVMValueRef start = i64_of(g, 0);
  LLVMAddIncoming(l->index, &start, &l->before, 1);
  LLVMAddIncoming(l->index, &next, &from, 1);
  LLVMValueRef more = LLVMBuildICmp(e->b, LLVMIntNE, next, l->ends_at, "");
  LLVMBuildCondBr(e->b, more, l->body, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

/* ---- fetching ahead -------------------------------------------------------------------------- */

static LLVMValueRef region_field(mma *g, LLVMValueRef region, size_t offset) {
  return emit_behind(g->e, region, i64_of(g, (int64_t)offset));
}

#define FIELD(name)                                                                                \
  LLVMBuildLoad2(b, g->e->i64, region_field(g, region, offsetof(mma_region, name)), #name)

/* The region's next lines. */
static LLVMValueRef next_lines(mma *g, LLVMValueRef region, LLVMValueRef next) {
  LLVMBuilderRef b = g->e->b;
  LLVMValueRef bits = FIELD(line_bits), one = i64_of(g, 1);
  LLVMValueRef lines = LLVMBuildShl(b, one, bits, "");
  LLVMValueRef col = LLVMBuildAnd(b, next, LLVMBuildSub(b, lines, one, ""), "");
  LLVMValueRef row = LLVMBuildMul(b, LLVMBuildLShr(b, next, bits, ""), FIELD(row), "");
  LLVMValueRef at = LLVMBuildAdd(b, FIELD(base), row, "");
  at = LLVMBuildAdd(b, at, times(g, col, MMA_LINE), "");
  LLVMValueRef fetched = i64_of(g, LINES_AT_ONCE);
  fetched = emit_intrinsic(g->e, "llvm.umin", &g->e->i64, 1, (LLVMValueRef[]){lines, fetched}, 2);
  next = LLVMBuildAdd(b, next, fetched, "");
  LLVMBuildStore(b, next, region_field(g, region, offsetof(mma_region, next)));
  return LLVMBuildIntToPtr(b, at, g->e->ptr, "");
}

/* b's first: it will be copied before anything is multiplied. */
static const unsigned FETCH_ORDER[MMA_REGIONS] = {1, 0, 2};

/* What to fetch during a few steps along k, from one region after the other; `nothing` when there
 * is no more. Where rows are shorter than what is fetched at once, their neighbours come along. */
static LLVMValueRef what_to_fetch(mma *g, LLVMValueRef nothing) {
  emit *e = g->e;
  LLVMBuilderRef b = e->b;
  LLVMBasicBlockRef from[MMA_REGIONS], without[2];
  LLVMBasicBlockRef ask = new_block(g), lines = new_block(g), done = new_block(g);
  LLVMValueRef regions[MMA_REGIONS], nexts[MMA_REGIONS], nothings[] = {nothing, nothing};
  without[0] = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, LLVMBuildIsNotNull(b, g->ahead, ""), ask, done);
  for (unsigned i = 0; i < MMA_REGIONS; i++) {
    LLVMPositionBuilderAtEnd(b, ask);
    int64_t offset = (int64_t)(FETCH_ORDER[i] * sizeof(mma_region));
    LLVMValueRef region = emit_behind(e, g->ahead, i64_of(g, offset));
    LLVMValueRef next = FIELD(next);
    regions[i] = region;
    nexts[i] = next;
    from[i] = ask;
    ask = i + 1 < MMA_REGIONS ? new_block(g) : done;
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, FIELD(count), ""), lines, ask);
  }
  without[1] = from[MMA_REGIONS - 1];
  LLVMPositionBuilderAtEnd(b, lines);
  LLVMValueRef region = LLVMBuildPhi(b, e->ptr, ""), next = LLVMBuildPhi(b, e->i64, "");
  LLVMAddIncoming(region, regions, from, MMA_REGIONS);
  LLVMAddIncoming(next, nexts, from, MMA_REGIONS);
  LLVMValueRef found = next_lines(g, region, next);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
  LLVMValueRef at = LLVMBuildPhi(b, e->ptr, "");
  LLVMAddIncoming(at, nothings, without, 2);
  LLVMAddIncoming(at, &found, &lines, 1);
  return at;
}

#undef FIELD

/* ---- the register block ---------------------------------------------------------------------- */

/* `a_at` is the element of a in the block's first row; by rows its offset in every row. */
static LLVMValueRef in_row(mma *g, LLVMValueRef a_at, unsigned i) {
  if (g->slice_k) return emit_behind(g->e, g->row_at[i], a_at);
  return i == 0 ? a_at : emit_behind(g->e, a_at, g->row_offsets[i]);
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
                                : emit_behind(e, at->a, g->a_col)),
      .b = opaque(g, emit_behind(e, at->b, g->b_row)),
      .from = at->from ? opaque(g, emit_behind(e, at->from, g->from_row)) : NULL,
  };
}

static along_k carry_k(mma *g, loop *l, const along_k *at) {
  along_k phis = {loop_carry(g, l, at->a), loop_carry(g, l, at->b), NULL};
  if (at->from) phis.from = loop_carry(g, l, at->from);
  return phis;
}

static void go_on_along_k(mma *g, loop *l, const along_k *phis, const along_k *at) {
  loop_next(g, l, phis->a, at->a);
  loop_next(g, l, phis->b, at->b);
  if (at->from) loop_next(g, l, phis->from, at->from);
}

/* A vector of b's row. */
static LLVMValueRef vector_of_b(mma *g, const along_k *at, unsigned j) {
  LLVMValueRef offset = i64_of(g, (int64_t)j * g->s.vector_lanes * g->size);
  LLVMValueRef to = emit_behind(g->e, at->b, offset);
  if (!at->from) return load(g, g->vector, to);
  LLVMValueRef row = load(g, g->vector, emit_behind(g->e, at->from, offset));
  store(g, row, to);
  return row;
}

/* One k: c += a[:, k] * b[k, :]. */
static void step(mma *g, unsigned rows, const along_k *at, LLVMValueRef *c) {
  const mma_shape *s = &g->s;
  operand b[MAX_ACCUMULATORS];
  for (unsigned j = 0; j < s->vectors; j++) {
    b[j] = operand_of(g, vector_of_b(g, at, j), g->b_signed);
    LLVMValueRef offset = i64_of(g, (int64_t)j * s->vector_lanes * g->size);
    if (g->next_b && j * s->vector_lanes * g->size % MMA_LINE == 0)
      emit_fetch(g->e, emit_behind(g->e, emit_behind(g->e, at->b, g->next_b), offset));
  }
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef one = emit_splat(g->e, load_of_a(g, in_row(g, at->a, i)), s->vector_lanes);
    operand a = operand_of(g, one, g->a_signed);
    for (unsigned j = 0; j < s->vectors; j++) {
      LLVMValueRef *sum = &c[i * s->vectors + j];
      *sum = multiply_add(g, a, b[j], *sum);
    }
  }
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
enum { LOOK = 16 };                          /* pairs that are looked at together */
enum { STEPS_PER_LOOK = 2 * LINES_AT_ONCE }; /* along k, between two looks */
_Static_assert(LOOK >= 2 * LINES_AT_ONCE, "a look sees all pairs up to the next");

static bool looks(const mma *g) {
  return g->elem == TSR_BF16 && !g->widens;
}

static LLVMValueRef lower_of(emit *e, LLVMValueRef lowest, LLVMValueRef pairs) {
  LLVMValueRef x = LLVMBuildBitCast(e->b, pairs, LLVMTypeOf(lowest), "");
  return l_call2(e, "llvm.umin", lowest, i_subk(e, i_add(e, x, x), 1));
}

static LLVMValueRef nothing_low(emit *e) {
  return LLVMConstAllOnes(LLVMVectorType(e->i16, 2 * LOOK));
}

/* Which of the next groups of a row are among the next `length`, rounded up to whole steps, of one
 * look at most. */
static LLVMValueRef seen(mma *g, LLVMValueRef length) {
  emit *e = g->e;
  LLVMValueRef number[LOOK];
  for (unsigned i = 0; i < LOOK; i++)
    number[i] = LLVMConstInt(e->i32, i / g->s.unroll * g->s.unroll, 0);
  LLVMValueRef some = emit_splat(e, LLVMBuildTrunc(e->b, length, e->i32, ""), LOOK);
  return i_cmp(e, LLVMIntULT, LLVMConstVector(number, LOOK), some);
}

/* Those of the block's i-th row; zeros in place of the others. */
static LLVMValueRef groups_of_row(mma *g, unsigned i, LLVMValueRef a_at, LLVMValueRef mask) {
  LLVMTypeRef type = LLVMVectorType(g->e->i32, LOOK), types[] = {type, g->e->ptr};
  LLVMValueRef args[] = {in_row(g, a_at, i), mask, LLVMConstNull(type)};
  return emit_intrinsic(g->e, "llvm.masked.load", types, 2, args, 3);
}

/* Is there anything lower in the next `length` pairs of the block's rows? */
static LLVMValueRef look(mma *g, unsigned rows, LLVMValueRef a_at, LLVMValueRef length,
                         LLVMValueRef lowest) {
  LLVMValueRef mask = seen(g, length);
  for (unsigned i = 0; i < rows; i++)
    lowest = lower_of(g->e, lowest, groups_of_row(g, i, a_at, mask));
  return lowest;
}

/* An i1: was there anything too low? */
static LLVMValueRef is_too_low(mma *g, LLVMValueRef lowest) {
  LLVMValueRef lower = i_cmp(g->e, LLVMIntULT, lowest, g->least);
  LLVMValueRef bits = LLVMBuildBitCast(g->e->b, lower, g->e->i32, "");
  return i_cmpk(g->e, LLVMIntNE, bits, 0);
}

/* ---- bytes of equal signedness --------------------------------------------------------------- */

/* vpdpbusd multiplies unsigned by signed bytes. Where both sides are signed alike those of b, which
 * is packed in any case, come with the top bit flipped, which makes them 128 larger as unsigned, or
 * smaller as signed numbers. Either way the sums have 128 (or -128) times the sum of a's row too
 * much: the product of the row with that number. It is added up while the row is multiplied, a
 * vector of groups with each look, in memory, because the registers are full. */
static LLVMValueRef row_sum(mma *g, unsigned i) {
  return emit_behind(g->e, g->row_sums, i64_of(g, (int64_t)i * LOOK * 4));
}

static LLVMValueRef load_row_sum(mma *g, unsigned i) {
  LLVMTypeRef type = LLVMVectorType(g->e->i32, LOOK);
  return LLVMBuildLoad2(g->e->b, type, row_sum(g, i), "");
}

static void clear_row_sums(mma *g, unsigned rows) {
  LLVMValueRef zero = LLVMConstNull(LLVMVectorType(g->e->i32, LOOK));
  for (unsigned i = 0; i < rows; i++) LLVMBuildStore(g->e->b, zero, row_sum(g, i));
}

/* The next `length` groups. */
static void sum_rows(mma *g, unsigned rows, LLVMValueRef a_at, LLVMValueRef length) {
  emit *e = g->e;
  LLVMValueRef mask = seen(g, length);
  operand tops = {{emit_const_int(e, LLVMVectorType(e->i32, LOOK), 0x80808080u)}};
  for (unsigned i = 0; i < rows; i++) {
    operand a = {{groups_of_row(g, i, a_at, mask)}};
    LLVMBuildStore(e->b, multiply_add(g, a, tops, load_row_sum(g, i)), row_sum(g, i));
  }
}

/* c -= what it is too large by. */
static void take_row_sums_off(mma *g, unsigned rows, LLVMValueRef *c) {
  emit *e = g->e;
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef sum = load_row_sum(g, i);
    LLVMTypeRef type = LLVMTypeOf(sum);
    sum = emit_intrinsic(e, "llvm.vector.reduce.add", &type, 1, &sum, 1);
    sum = emit_splat(e, sum, g->s.vector_lanes);
    for (unsigned j = 0; j < g->s.vectors; j++, c++) *c = i_sub(e, *c, sum);
  }
}

/* ---- along k --------------------------------------------------------------------------------- */

/* `length` steps along k, at most `most`. Moves the addresses behind them. A line is fetched with
 * each iteration, from `fetch` on (NULL: none). */
static void stretch(mma *g, unsigned rows, int64_t most, LLVMValueRef length, along_k *at,
                    LLVMValueRef *c, LLVMValueRef fetch) {
  const mma_shape *s = &g->s;
  unsigned count = rows * s->vectors;
  loop l = loop_begin(g, most / s->unroll, over(g, length, s->unroll));
  along_k here = carry_k(g, &l, at), now = here;
  LLVMValueRef phis[MAX_ACCUMULATORS], fetch_phi = fetch ? loop_carry(g, &l, fetch) : NULL;
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = loop_carry(g, &l, c[i]);
  if (fetch) emit_fetch(g->e, fetch_phi);
  for (unsigned u = 0; u < s->unroll; u++) {
    step(g, rows, &now, c);
    now = next_k(g, &now);
  }
  go_on_along_k(g, &l, &here, &now);
  LLVMValueRef by = i64_of(g, MMA_LINE / 2 * s->unroll);
  if (fetch) loop_next(g, &l, fetch_phi, opaque(g, emit_behind(g->e, fetch_phi, by)));
  for (unsigned i = 0; i < count; i++) loop_next(g, &l, phis[i], c[i]);
  loop_end(g, &l);
  *at = now;
}

/* Is k long enough for a look at what to fetch? */
static bool fetches(const mma *g) {
  return g->ahead && g->s.k >= 2 * STEPS_PER_LOOK;
}

/* The same with a look every few steps: at what to fetch where k is long, at pairs, of which the
 * lowest is carried behind the sums, and at bytes of rows that are to be added up. */
static void stretch_with_looks(mma *g, unsigned rows, int64_t most, LLVMValueRef length,
                               along_k *at, LLVMValueRef *c) {
  LLVMBuilderRef build = g->e->b;
  int64_t few = min64(most, STEPS_PER_LOOK);
  unsigned sums = rows * g->s.vectors, count = sums + looks(g);
  LLVMValueRef phis[MAX_ACCUMULATORS], whole = i64_of(g, few);
  loop l = loop_begin(g, most / few, over(g, length, (unsigned)few));
  along_k here = carry_k(g, &l, at);
  LLVMValueRef left = loop_carry(g, &l, length);
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = loop_carry(g, &l, c[i]);
  *at = here;
  LLVMValueRef fetch = fetches(g) ? what_to_fetch(g, here.b) : NULL;
  LLVMValueRef shorter = LLVMBuildICmp(build, LLVMIntULT, left, whole, "");
  LLVMValueRef now = LLVMBuildSelect(build, shorter, left, whole, "");
  if (looks(g)) c[sums] = look(g, rows, here.a, now, c[sums]);
  if (g->row_sums) sum_rows(g, rows, here.a, now);
  stretch(g, rows, few, now, at, c, fetch);
  go_on_along_k(g, &l, &here, at);
  loop_next(g, &l, left, LLVMBuildSub(build, left, now, ""));
  for (unsigned i = 0; i < count; i++) loop_next(g, &l, phis[i], c[i]);
  loop_end(g, &l);
}

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

/* Begins what is done when MMA_HOW is `how`; returns where else to go on. */
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
    others = begin_way(g, MMA_HOW_PAST);
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef line = LLVMBuildStore(b, c[i], places[i]);
      LLVMSetAlignment(line, g->s.vector_lanes * g->size);
      emit_goes_past_cache(g->e, line);
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

/* Each stretch of k is added to acc by itself. */
static void block_in_stretches(mma *g, unsigned rows, along_k at, LLVMValueRef *c,
                               LLVMValueRef *places) {
  LLVMBuilderRef build = g->e->b;
  LLVMValueRef sums[MAX_ACCUMULATORS], whole = i64_of(g, STRETCH);
  unsigned count = rows * g->s.vectors;
  loop l = loop_begin(g, g->s.k / STRETCH, over(g, g->k, STRETCH));
  along_k here = carry_k(g, &l, &at);
  LLVMValueRef left = loop_carry(g, &l, g->k);
  at = here;
  LLVMValueRef shorter = LLVMBuildICmp(build, LLVMIntULT, left, whole, "");
  LLVMValueRef length = LLVMBuildSelect(build, shorter, left, whole, "");
  memcpy(sums, c, count * sizeof *c);
  stretch_with_looks(g, rows, STRETCH, length, &at, sums);
  add_to_sums(g, count, sums, places);
  go_on_along_k(g, &l, &here, &at);
  loop_next(g, &l, left, LLVMBuildSub(build, left, length, ""));
  loop_end(g, &l);
}

static void block_over_k(mma *g, unsigned rows, along_k at, LLVMValueRef *c, LLVMValueRef *places) {
  bool plain =
      !looks(g) && !g->row_sums && !fetches(g) && !(g->use.in_stretches && g->s.k > STRETCH);
  if (plain || g->widens)
    stretch(g, rows, g->s.k, g->k, &at, c, NULL);
  else if (g->use.in_stretches)
    block_in_stretches(g, rows, at, c, places);
  else
    stretch_with_looks(g, rows, g->s.k, g->k, &at, c);
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
  stretch(&one, rows, g->s.k, g->k, &at, c, NULL);
  ends[1] = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef phi = LLVMBuildPhi(b, g->sums, "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){there[i], c[i]}, ends, 2);
    c[i] = phi;
  }
}

static LLVMValueRef number_of_row(mma *g, LLVMValueRef order_at, unsigned i) {
  return LLVMBuildLoad2(g->e->b, g->e->i64, emit_behind(g->e, order_at, i64_of(g, 8 * (int64_t)i)),
                        "");
}

/* Before the steps of a slice: its rows' addresses, from its part of the table. */
static void find_rows(mma *g, unsigned rows, LLVMValueRef order_at, LLVMValueRef table) {
  for (unsigned i = 0; i < rows; i++) {
    LLVMValueRef slot = emit_behind(g->e, table, times(g, number_of_row(g, order_at, i), 8));
    LLVMValueRef row = LLVMBuildLoad2(g->e->b, g->e->i64, slot, "");
    g->row_at[i] = LLVMBuildIntToPtr(g->e->b, row, g->e->ptr, "");
  }
}

/* By rows: one slice, as much of it at a time as makes a stretch. Moves `b_at` behind it. */
static void block_over_slice(mma *g, unsigned rows, LLVMValueRef length, LLVMValueRef *b_at,
                             LLVMValueRef *c) {
  LLVMBuilderRef build = g->e->b;
  unsigned sums = rows * g->s.vectors, count = sums + looks(g);
  int64_t few = min64(g->slice_k, STEPS_PER_LOOK);
  LLVMValueRef phis[MAX_ACCUMULATORS], whole = i64_of(g, few);
  loop l = loop_begin(g, g->slice_k / few, over(g, length, (unsigned)few));
  along_k at = {.a = i64_of(g, 0), .b = *b_at}, here = carry_k(g, &l, &at);
  LLVMValueRef left = loop_carry(g, &l, length);
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = loop_carry(g, &l, c[i]);
  at = here;
  LLVMValueRef fetch = g->widens || !g->ahead ? NULL : what_to_fetch(g, here.b);
  LLVMValueRef shorter = LLVMBuildICmp(build, LLVMIntULT, left, whole, "");
  LLVMValueRef now = LLVMBuildSelect(build, shorter, left, whole, "");
  if (looks(g)) c[sums] = look(g, rows, here.a, now, c[sums]);
  if (g->row_sums) sum_rows(g, rows, here.a, now);
  stretch(g, rows, few, now, &at, c, fetch);
  go_on_along_k(g, &l, &here, &at);
  loop_next(g, &l, left, LLVMBuildSub(build, left, now, ""));
  for (unsigned i = 0; i < count; i++) loop_next(g, &l, phis[i], c[i]);
  loop_end(g, &l);
  *b_at = at.b;
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

/* By rows: slice after slice, without those that have nothing for the block. */
static void block_over_slices(mma *g, unsigned rows, LLVMValueRef order_at, LLVMValueRef b_at,
                              LLVMValueRef *c) {
  LLVMBuilderRef build = g->e->b;
  unsigned count = rows * g->s.vectors + looks(g);
  LLVMValueRef phis[MAX_ACCUMULATORS], whole = i64_of(g, g->slice_k);
  loop l = loop_begin(g, g->s.k / g->slice_k, over(g, g->k, (unsigned)g->slice_k));
  LLVMValueRef b_phi = loop_carry(g, &l, b_at), left = loop_carry(g, &l, g->k);
  LLVMValueRef table = loop_carry(g, &l, g->a);
  for (unsigned i = 0; i < count; i++) c[i] = phis[i] = loop_carry(g, &l, c[i]);
  b_at = b_phi;
  find_rows(g, rows, order_at, table);
  LLVMValueRef shorter = LLVMBuildICmp(build, LLVMIntULT, left, whole, "");
  LLVMValueRef now = LLVMBuildSelect(build, shorter, left, whole, "");
  LLVMBasicBlockRef done = new_block(g), from[2];
  LLVMValueRef before[MAX_ACCUMULATORS];
  memcpy(before, c, count * sizeof *c);
  from[0] = skip_nothing(g, rows, done);
  block_over_slice(g, rows, now, &b_at, c);
  from[1] = LLVMGetInsertBlock(build);
  LLVMBuildBr(build, done);
  LLVMPositionBuilderAtEnd(build, done);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef phi = LLVMBuildPhi(build, LLVMTypeOf(c[i]), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){before[i], c[i]}, from, 2);
    c[i] = phi;
  }
  b_at = emit_behind(g->e, b_phi, times(g, g->b_row, g->slice_k));
  loop_next(g, &l, b_phi, b_at);
  loop_next(g, &l, left, LLVMBuildSub(build, left, now, ""));
  loop_next(g, &l, table, emit_behind(g->e, table, g->a_row));
  for (unsigned i = 0; i < count; i++) loop_next(g, &l, phis[i], c[i]);
  loop_end(g, &l);
}

/* Where one block of rows and columns is: in a (by rows: in `order`), in acc, and in what is
 * written (by rows: bytes from the beginning of its rows). */
typedef struct block_at {
  LLVMValueRef a, acc, out;
} block_at;

static void places_in_row(mma *g, LLVMValueRef row_at, LLVMValueRef *places) {
  for (unsigned j = 0; j < g->s.vectors; j++) {
    LLVMValueRef offset = i64_of(g, (int64_t)j * g->s.vector_lanes * g->size);
    places[j] = emit_behind(g->e, row_at, offset);
  }
}

/* Row i of a block, from its first row and the one before. Where out may end with any row, the sums
 * of those that don't count are those of one that does. (In stretches that would be added to
 * several times; acc is out, then, and has all rows. And over a short k, finding the row and
 * keeping all their places takes as long as some multiplications.) */
static LLVMValueRef row_of(mma *g, LLVMValueRef first, LLVMValueRef before, LLVMValueRef row,
                           unsigned i) {
  if (i == 0) return first;
  if (g->use.end == MMA_END_ROUNDED || g->use.in_stretches) return emit_behind(g->e, before, row);
  return emit_behind(g->e, first, LLVMBuildMul(g->e->b, g->row_number[i], row, ""));
}

/* Where the block's sums lie in acc. */
static void find_sums(mma *g, unsigned rows, const block_at *at, LLVMValueRef *places) {
  LLVMValueRef row_at = NULL;
  for (unsigned i = 0; i < rows; i++) {
    if (g->slice_k) {
      LLVMValueRef number = number_of_row(g, at->a, i);
      row_at = emit_behind(g->e, at->acc, LLVMBuildMul(g->e->b, number, g->acc_row, ""));
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
    LLVMValueRef slot = emit_behind(g->e, g->out, times(g, number_of_row(g, at->a, i), 8));
    LLVMValueRef row = LLVMBuildLoad2(b, g->e->i64, slot, "");
    row = emit_behind(g->e, LLVMBuildIntToPtr(b, row, g->e->ptr, ""), at->out);
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

static void block(mma *g, unsigned rows, const block_at *at, LLVMValueRef b_at);

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
  loop l = loop_begin(g, g->s.vectors, i64_of(g, g->s.vectors));
  LLVMValueRef b_phi = loop_carry(g, &l, b_at), step = i64_of(g, width);
  block_at here = {at->a, loop_carry(g, &l, at->acc), loop_carry(g, &l, at->out)};
  block(&one, rows, &here, b_phi);
  loop_next(g, &l, b_phi, emit_behind(e, b_phi, step));
  loop_next(g, &l, here.acc, emit_behind(e, here.acc, step));
  loop_next(g, &l, here.out,
            g->slice_k ? LLVMBuildAdd(e->b, here.out, step, "") : emit_behind(e, here.out, step));
  loop_end(g, &l);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, as_pairs);
}

/* out's block = acc's + rows of a times the panel of b at `b_at`. Over a long k the sums start at
 * zero and acc is added behind: the first multiplications then wait for nothing, and run while the
 * block before ends. Over a short one, and where additions are separate instructions, those would
 * cost more. (With pairs of bf16 acc may be subnormal, and must be added for itself.) */
static void block(mma *g, unsigned rows, const block_at *at, LLVMValueRef b_at) {
  const mma_shape *s = &g->s;
  unsigned count = rows * s->vectors;
  bool empty = g->use.empty, acc_last = g->elem == TSR_BF16 || (s->k >= 32 && emit_has_fma(g->e));
  acc_last &= !empty;
  LLVMValueRef c[MAX_ACCUMULATORS], places[MAX_ACCUMULATORS];
  bool acc_behind = acc_last && !(g->use.in_stretches && s->k > STRETCH);
  if (!acc_behind && !empty) find_sums(g, rows, at, places);
  for (unsigned i = 0; i < count; i++)
    c[i] = acc_last || empty ? LLVMConstNull(g->sums) : load(g, g->sums, places[i]);
  if (g->row_sums) clear_row_sums(g, rows);
  if (looks(g)) c[count] = nothing_low(g->e);
  if (g->slice_k)
    block_over_slices(g, rows, at->a, b_at, c);
  else
    block_over_k_or_copy(g, rows, (along_k){at->a, b_at, g->from}, c, places);
  if (g->use.in_stretches && s->k > STRETCH) return; /* they are there */
  if (g->row_sums) take_row_sums_off(g, rows, c);
  LLVMBasicBlockRef done = NULL;
  if (looks(g)) {
    done = new_block(g);
    widen_if(g, is_too_low(g, c[count]), rows, at, b_at, done);
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

static block_at behind(mma *g, const block_at *at, unsigned rows) {
  if (g->slice_k)
    return (block_at){emit_behind(g->e, at->a, i64_of(g, 8 * (int64_t)rows)), at->acc, at->out};
  return (block_at){.a = emit_behind(g->e, at->a, times(g, g->a_row, rows)),
                    .acc = emit_behind(g->e, at->acc, times(g, g->acc_row, rows)),
                    .out = emit_behind(g->e, at->out, times(g, g->out_row, rows))};
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
  LLVMValueRef next = LLVMBuildPtrToInt(b, parameter(g, MMA_AHEAD), g->e->i64, "");
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

/* All blocks of one size down a panel, of which `left` rows count: at most `most`, at least one.
 * Moves `at` behind them. */
static void blocks_of_size(mma *g, unsigned rows, int64_t most, LLVMValueRef count,
                           LLVMValueRef left, block_at *at, LLVMValueRef b_at) {
  loop l = loop_begin(g, most, count);
  LLVMValueRef left_here = loop_carry(g, &l, left);
  block_at here = {loop_carry(g, &l, at->a), loop_carry(g, &l, at->acc),
                   loop_carry(g, &l, at->out)};
  LLVMValueRef from = g->from;
  if (g->first_fetches) g->next_b = first_to_next(g, left_here);
  if (from) g->from = first_from(g, left_here, from);
  if (!g->slice_k) find_offsets(g, rows, left_here);
  block(g, rows, &here, b_at);
  g->from = from;
  *at = behind(g, &here, rows);
  loop_next(g, &l, left_here, LLVMBuildSub(g->e->b, left_here, i64_of(g, rows), ""));
  loop_next(g, &l, here.a, at->a);
  loop_next(g, &l, here.acc, at->acc);
  loop_next(g, &l, here.out, at->out);
  loop_end(g, &l);
  if (g->first_fetches) g->next_b = NULL; /* known in the loop only */
}

/* Do all rows end in two blocks of the second size? 32 are four of six and two of four; 16 are two
 * of six and one of four, and a loop over that one would cost a tenth where k is short. */
static bool ends_in_two(const mma_shape *s) {
  int64_t large = s->rows[0], small = s->rows[1];
  int64_t rest = s->m - (s->m + large - small - 1) / large * large;
  return s->blocks[0] > 1 && rest > 0 && rest <= 2 * small - large;
}

/* How many blocks of the first size: as many as fit, and one more where a block of the second would
 * not hold the rest; one less where two of the second hold what that leaves. */
static LLVMValueRef large_blocks(mma *g) {
  const mma_shape *s = &g->s;
  LLVMBuilderRef b = g->e->b;
  unsigned large = s->rows[0], small = s->rows[1];
  LLVMValueRef one = i64_of(g, 1), most = i64_of(g, s->blocks[0]);
  LLVMValueRef count = LLVMBuildAdd(b, g->m, i64_of(g, large - small - 1), "");
  count = LLVMBuildUDiv(b, count, i64_of(g, large), "");
  if (ends_in_two(s)) {
    LLVMValueRef rest = LLVMBuildSub(b, g->m, times(g, count, large), "");
    rest = LLVMBuildSub(b, rest, one, "");
    LLVMValueRef two = LLVMBuildICmp(b, LLVMIntULT, rest, i64_of(g, 2 * small - large), "");
    count = LLVMBuildSub(b, count, LLVMBuildZExt(b, two, g->e->i64, ""), "");
  }
  LLVMTypeRef i64 = g->e->i64;
  count = emit_intrinsic(g->e, "llvm.smax", &i64, 1, (LLVMValueRef[]){count, one}, 2);
  return emit_intrinsic(g->e, "llvm.umin", &i64, 1, (LLVMValueRef[]){count, most}, 2);
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
  rest_of.ahead = rest_of.from = NULL;
  if (!looks(g) && !g->slice_k && !g->b_follows) rest_of.s.unroll = 1;
  rest_of.next_b = g->b_follows && !g->first_fetches ? bytes_to_next(g) : NULL;
  rest_of.first_fetches = false;
  int64_t most = ends_in_two(s) ? MAX(s->blocks[1], 2) : s->blocks[1];
  blocks_of_size(&rest_of, small, most, count, left, &at, b_at);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
}

static void panels_of_blocks(mma *g, LLVMValueRef count) {
  const mma_shape *s = &g->s;
  int64_t cols = (int64_t)s->vectors * s->vector_lanes;
  loop l = loop_begin(g, s->n / cols, count);
  LLVMValueRef b_at = loop_carry(g, &l, g->b), width = i64_of(g, cols * g->size);
  block_at at = {.a = g->slice_k ? g->order : g->a,
                 .acc = loop_carry(g, &l, g->acc),
                 .out = loop_carry(g, &l, g->slice_k ? i64_of(g, 0) : g->out)};
  LLVMValueRef from = g->from;
  if (from) g->from = loop_carry(g, &l, from);
  rows_of_panel(g, b_at, at);
  if (from) loop_next(g, &l, g->from, emit_behind(g->e, g->from, width));
  g->from = from;
  loop_next(g, &l, b_at, emit_behind(g->e, b_at, g->b_panel));
  loop_next(g, &l, at.acc, emit_behind(g->e, at.acc, width));
  loop_next(g, &l, at.out,
            g->slice_k ? LLVMBuildAdd(g->e->b, at.out, width, "")
                       : emit_behind(g->e, at.out, width));
  loop_end(g, &l);
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
  if (!g->first_fetches) few_of.next_b = bytes_to_next(g);
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
  one.s.blocks[1] = g->s.m / NARROW_ROWS;
  one.ahead = one.from = NULL;
  loop l = loop_begin(g, g->s.vectors, over(g, left, width));
  b_at = loop_carry(g, &l, b_at);
  at.acc = loop_carry(g, &l, at.acc);
  at.out = loop_carry(g, &l, at.out);
  left = loop_carry(g, &l, left);
  LLVMValueRef number[MAX_LANES], some = LLVMBuildTrunc(b, left, g->e->i32, "");
  for (unsigned i = 0; i < width; i++) number[i] = LLVMConstInt(g->e->i32, i, 0);
  some = emit_splat(g->e, some, width);
  one.columns = i_cmp(g->e, LLVMIntULT, LLVMConstVector(number, width), some);
  rows_of_panel(&one, b_at, at);
  loop_next(g, &l, b_at, emit_behind(g->e, b_at, step));
  loop_next(g, &l, at.acc, emit_behind(g->e, at.acc, step));
  loop_next(g, &l, at.out, emit_behind(g->e, at.out, step));
  loop_next(g, &l, left, LLVMBuildSub(b, left, i64_of(g, width), ""));
  loop_end(g, &l);
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

static void all_panels(mma *g) {
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
  LLVMValueRef b_at = emit_behind(g->e, g->b, LLVMBuildMul(b, whole, g->b_panel, ""));
  LLVMValueRef before = times(g, covered, g->size);
  block_at at = {g->a, emit_behind(g->e, g->acc, before), emit_behind(g->e, g->out, before)};
  part_of_panel(g, b_at, at, left);
  end_if(g, done);
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
  all_panels(&g);
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
  if (as_words(&g) && g.s.rows[0] > 4) cut_rows(&g.s, 4, 4); /* operands take registers, too */
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

LLVMValueRef emit_pairs_least(emit *e, LLVMValueRef lowest_of_b) {
  enum { SUM = 2 * 127 - 126 + 14, NEVER = PAIRS_HIGH }; /* of biased exponents */
  LLVMValueRef exponent = i_lshrk(e, i_addk(e, lowest_of_b, 1), 8);
  LLVMValueRef wanted = i_sub(e, lanes_int(e, exponent, SUM), exponent);
  wanted = l_call2(e, "llvm.smax", wanted, lanes_int(e, wanted, 1));
  LLVMValueRef least = i_subk(e, i_shlk(e, wanted, 8), 1);
  return l_select(e, i_cmpk(e, LLVMIntEQ, exponent, 0), lanes_int(e, least, NEVER), least);
}

/* i64 f(ptr at, i64 rows, i64 row, i64 bytes) */
static LLVMValueRef define_pairs_lowest(emit *e, LLVMTypeRef type) {
  LLVMValueRef f = LLVMGetNamedFunction(e->module, "mma.lowest");
  if (f) return f;
  f = LLVMAddFunction(e->module, "mma.lowest", type);
  LLVMSetLinkage(f, LLVMInternalLinkage);
  emit inner = *e;
  inner.b = LLVMCreateBuilderInContext(e->llvm);
  mma g = {.e = &inner, .function = f};
  LLVMPositionBuilderAtEnd(inner.b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
  LLVMTypeRef vector = LLVMVectorType(e->i32, LOOK);
  LLVMValueRef lowest = nothing_low(e), step = i64_of(&g, LOOK * 4);
  loop rows = loop_begin(&g, INT64_MAX, LLVMGetParam(f, 1));
  LLVMValueRef row_at = loop_carry(&g, &rows, LLVMGetParam(f, 0));
  LLVMValueRef of_rows = loop_carry(&g, &rows, lowest);
  loop along = loop_begin(&g, INT64_MAX, over(&g, LLVMGetParam(f, 3), LOOK * 4));
  LLVMValueRef at = loop_carry(&g, &along, row_at), sofar = loop_carry(&g, &along, of_rows);
  LLVMValueRef pairs = LLVMBuildLoad2(inner.b, vector, at, "");
  LLVMSetAlignment(pairs, 4);
  lowest = lower_of(&inner, sofar, pairs);
  loop_next(&g, &along, at, opaque(&g, emit_behind(&inner, at, step)));
  loop_next(&g, &along, sofar, lowest);
  loop_end(&g, &along);
  loop_next(&g, &rows, row_at, emit_behind(&inner, row_at, LLVMGetParam(f, 2)));
  loop_next(&g, &rows, of_rows, lowest);
  loop_end(&g, &rows);
  LLVMTypeRef vectors = LLVMTypeOf(lowest);
  lowest = emit_intrinsic(&inner, "llvm.vector.reduce.umin", &vectors, 1, &lowest, 1);
  LLVMBuildRet(inner.b, LLVMBuildZExt(inner.b, lowest, e->i64, ""));
  LLVMDisposeBuilder(inner.b);
  return f;
}

LLVMValueRef emit_pairs_lowest(emit *e, LLVMValueRef at, int64_t rows, int64_t row, int64_t bytes) {
  LLVMTypeRef types[] = {e->ptr, e->i64, e->i64, e->i64};
  LLVMTypeRef type = LLVMFunctionType(e->i64, types, ARRAY_LEN(types), 0);
  LLVMValueRef args[] = {at, LLVMConstInt(e->i64, (uint64_t)rows, 0),
                         LLVMConstInt(e->i64, (uint64_t)row, 0),
                         LLVMConstInt(e->i64, (uint64_t)bytes, 0)};
  return LLVMBuildCall2(e->b, type, define_pairs_lowest(e, type), args, ARRAY_LEN(args), "");
}

/* ---- numbers that are finite ----------------------------------------------------------------- */

/* i64 f(ptr at, i64 rows, i64 row, i64 bytes) */
static LLVMValueRef define_finite(emit *e, tsr_elem elem, LLVMTypeRef type) {
  const char *name = arena_printf(e->arena, "mma.finite.%s", tsr_elem_name(elem));
  LLVMValueRef f = LLVMGetNamedFunction(e->module, name);
  if (f) return f;
  f = LLVMAddFunction(e->module, name, type);
  LLVMSetLinkage(f, LLVMInternalLinkage);
  emit inner = *e;
  inner.b = LLVMCreateBuilderInContext(e->llvm);
  mma g = {.e = &inner, .function = f};
  LLVMPositionBuilderAtEnd(inner.b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
  unsigned bits = tsr_elem_bits(elem);
  LLVMTypeRef lane = LLVMIntTypeInContext(e->llvm, bits);
  LLVMTypeRef vector = LLVMVectorType(lane, MMA_LINE * 8 / bits);
  LLVMValueRef step = i64_of(&g, MMA_LINE), none = LLVMConstNull(vector);
  loop rows = loop_begin(&g, INT64_MAX, LLVMGetParam(f, 1));
  LLVMValueRef row_at = loop_carry(&g, &rows, LLVMGetParam(f, 0));
  LLVMValueRef of_rows = loop_carry(&g, &rows, none);
  loop along = loop_begin(&g, INT64_MAX, over(&g, LLVMGetParam(f, 3), MMA_LINE));
  LLVMValueRef at = loop_carry(&g, &along, row_at), so_far = loop_carry(&g, &along, of_rows);
  LLVMValueRef x = LLVMBuildLoad2(inner.b, vector, at, "");
  LLVMSetAlignment(x, bits / 8);
  LLVMValueRef highest = l_call2(&inner, "llvm.umax", so_far, i_add(&inner, x, x)); /* no signs */
  loop_next(&g, &along, at, opaque(&g, emit_behind(&inner, at, step)));
  loop_next(&g, &along, so_far, highest);
  loop_end(&g, &along);
  loop_next(&g, &rows, row_at, emit_behind(&inner, row_at, LLVMGetParam(f, 2)));
  loop_next(&g, &rows, of_rows, highest);
  loop_end(&g, &rows);
  highest = emit_intrinsic(&inner, "llvm.vector.reduce.umax", &vector, 1, &highest, 1);
  const num_format *format = num_format_of(elem);
  uint64_t infinity = 2 * num_inf(format, false);
  LLVMValueRef finite =
      LLVMBuildICmp(inner.b, LLVMIntULT, highest, LLVMConstInt(lane, infinity, 0), "");
  LLVMBuildRet(inner.b, LLVMBuildZExt(inner.b, finite, e->i64, ""));
  LLVMDisposeBuilder(inner.b);
  return f;
}

LLVMValueRef emit_mma_finite(emit *e, tsr_elem elem, LLVMValueRef at, int64_t rows, int64_t row,
                             int64_t bytes) {
  LLVMTypeRef types[] = {e->ptr, e->i64, e->i64, e->i64};
  LLVMTypeRef type = LLVMFunctionType(e->i64, types, ARRAY_LEN(types), 0);
  LLVMValueRef args[] = {at, LLVMConstInt(e->i64, (uint64_t)rows, 0),
                         LLVMConstInt(e->i64, (uint64_t)row, 0),
                         LLVMConstInt(e->i64, (uint64_t)bytes, 0)};
  LLVMValueRef f = define_finite(e, elem, type);
  return LLVMBuildCall2(e->b, type, f, args, ARRAY_LEN(args), "");
}

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

unsigned emit_dot_group(const emit *e, tsr_elem elem, int64_t n, int64_t k) {
  const cpu_options *o = &e->options;
  bool bytes = elem == TSR_I8 && (!e->arm || (o->dotprod && o->i8mm));
  bool pairs = elem == TSR_BF16 && !e->arm && o->level == CPU_AVX512 && o->bf16;
  unsigned group = bytes ? 4 : pairs ? 2 : 1;
  return n >= 4 && k % group == 0 ? group : 1;
}

bool emit_dot_flips(const emit *e, bool a_signed, bool b_signed) {
  return !e->arm && multiplies_bytes(e) && a_signed == b_signed;
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
