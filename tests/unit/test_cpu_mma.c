/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix product micro-kernels: all small shapes and some large, several strides, at each level.
 */
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu_jit.h"

#include "llvm/lanes.h"

typedef void (*mma_fn)(const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row,
                       int64_t b_panel, void *acc, int64_t acc_row, int64_t m, int64_t n, int64_t k,
                       void *ahead, const void *from, int64_t from_row, void *out, int64_t out_row,
                       const int64_t *order, int64_t least, int64_t nothing, int64_t how);

typedef struct problem {
  tsr_elem elem;
  int64_t m, n, k;
  bool in_sum_blocks, to_column;
} problem;

static mma_end end_of(bool to_column) {
  return to_column ? MMA_END_COLUMN : MMA_END_ROW;
}

static mma_use use_of(const problem *p) {
  return (mma_use){
      .end = end_of(p->to_column), .how = MMA_HOW_ASKED, .in_sum_blocks = p->in_sum_blocks};
}

static void problem_name(char *out, size_t size, const problem *p) {
  snprintf(out, size, "mma_%s_%d_%d_%d%s%s", tsr_elem_name(p->elem), (int)p->m, (int)p->n,
           (int)p->k, p->in_sum_blocks ? "_in_stretches" : "", p->to_column ? "_any" : "");
}

/* An exported function that calls the internal one. */
static void add_problem(jit *j, const problem *p) {
  emit *e = &j->e;
  char name[64];
  problem_name(name, sizeof name, p);
  LLVMTypeRef type = emit_mma_type(e);
  LLVMValueRef f = jit_function(j, name, type), args[MMA_ARGS];
  LLVMGetParams(f, args);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
  LLVMValueRef kernel = emit_mma(e, p->elem, use_of(p), p->m, p->n, p->k);
  assert_ptr_equal(LLVMGetInsertBlock(e->b), here);
  assert_ptr_equal(kernel, emit_mma(e, p->elem, use_of(p), p->m, p->n, p->k));
  LLVMBuildCall2(e->b, type, kernel, args, MMA_ARGS, "");
  LLVMBuildRetVoid(e->b);
}

/* Small integers, so that every order of adding gives the same bits in every type. */
static double small(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(int)(*state >> 28) - 8;
}

static void put(tsr_elem elem, void *at, int64_t index, double value) {
  if (elem == TSR_F32) ((float *)at)[index] = (float)value;
  if (elem == TSR_F64) ((double *)at)[index] = value;
  if (elem == TSR_I32) ((int32_t *)at)[index] = (int32_t)value;
}
static double get(tsr_elem elem, const void *at, int64_t index) {
  if (elem == TSR_F32) return ((const float *)at)[index];
  if (elem == TSR_F64) return ((const double *)at)[index];
  return ((const int32_t *)at)[index];
}

/* One call. Strides in elements; b_panel 0 stands for a row-major b. */
typedef struct strides {
  int64_t a_row, a_col, b_row, acc_row, b_panel;
  int64_t columns; /* of a panel */
} strides;

static int64_t b_index(const strides *s, int64_t k, int64_t j) {
  return j / s->columns * s->b_panel + k * s->b_row + j % s->columns;
}

/* With something to fetch, which must change nothing, wherever it is. */
static void call(const problem *part, mma_fn f, const strides *s, const void *a, const void *b,
                 void *acc, mma_how how) {
  int64_t size = tsr_elem_bits(part->elem) / 8;
  mma_region ahead[MMA_REGIONS] = {
      {.base = (int64_t)(uintptr_t)acc, .row = 4096, .line_bits = 2, .count = 40},
      {.base = 16, .row = INT64_MIN, .count = 100}};
  f(a, s->a_row * size, s->a_col * size, b, s->b_row * size, s->b_panel * size, acc,
    s->acc_row * size, part->m, part->n, part->k, part->m & 64 ? ahead : NULL, NULL, 0, acc,
    s->acc_row * size, NULL, 0, 0, how);
  if (part->m & 64 && part->k >= 256) assert_true(ahead[0].next > 0 && ahead[1].next > 0);
  if (ahead[1].next > 0) assert_true(ahead[0].next >= ahead[0].count);
}

/* Strides may be larger than the tile and a may be transposed; what lies between must stay. What
 * counts of the tile is `part`; up to where that is rounded, sums may be anything. */
static void run_problem_to(const problem *p, const problem *part, mma_fn f, strides s,
                           mma_how how) {
  if (s.b_panel == 0) s.b_panel = s.columns;
  int64_t a_size = (p->m - 1) * s.a_row + (p->k - 1) * s.a_col + 1;
  int64_t b_size = b_index(&s, p->k - 1, p->n - 1) + 1, acc_size = (p->m - 1) * s.acc_row + p->n;
  size_t size = tsr_elem_bits(p->elem) / 8;
  /* Exact sizes, so that a sanitizer or the guard element after sees a write too far. */
  void *a = calloc((size_t)a_size, size), *b = calloc((size_t)b_size, size);
  void *acc = NULL, *want = calloc((size_t)acc_size + 1, size);
  assert_int_equal(posix_memalign(&acc, MMA_LINE, ((size_t)acc_size + 1) * size), 0);
  unsigned state = (unsigned)(p->m * 31 + p->n * 7 + p->k);
  for (int64_t i = 0; i < a_size; i++) put(p->elem, a, i, small(&state));
  for (int64_t i = 0; i < b_size; i++) put(p->elem, b, i, small(&state));
  for (int64_t i = 0; i <= acc_size; i++) {
    double value = small(&state);
    put(p->elem, acc, i, value);
    put(p->elem, want, i, value);
  }
  call(part, f, &s, a, b, acc, how);
  for (int64_t i = 0; i < p->m; i++) {
    for (int64_t j = 0; j < p->n; j++) {
      int64_t at = i * s.acc_row + j;
      double sum = get(p->elem, want, at);
      for (int64_t k = 0; k < part->k; k++)
        sum += get(p->elem, a, i * s.a_row + k * s.a_col) * get(p->elem, b, b_index(&s, k, j));
      bool counts = i < part->m && j < part->n;
      put(p->elem, want, at, counts ? sum : get(p->elem, acc, at));
    }
  }
  assert_memory_equal(acc, want, ((size_t)acc_size + 1) * size);
  free(a);
  free(b);
  free(acc);
  free(want);
}

/* Where rows begin with cache lines stores may also be non-temporal. */
static void run_problem(const problem *p, const problem *part, mma_fn f, strides s) {
  bool lines = s.acc_row * (tsr_elem_bits(p->elem) / 8) % MMA_LINE == 0;
  run_problem_to(p, part, f, s, MMA_HOW_STORE);
  run_problem_to(p, part, f, s, MMA_HOW_AGAIN);
  if (lines) run_problem_to(p, part, f, s, MMA_HOW_STREAM);
}

static void run_strides(const problem *p, mma_fn f, int64_t columns) {
  strides all[] = {
      {p->k, 1, p->n, p->n, 0, columns},                         /* all row-major */
      {1, p->m, p->n, p->n, 0, columns},                         /* a transposed */
      {p->k + 3, 1, p->n + 1, p->n + 5, 0, columns},             /* inside larger arrays */
      {2 * p->k, 2, p->n + 7, p->n, 0, columns},                 /* every second of a */
      {p->k, 1, columns, p->n, p->k * columns, columns},         /* b in panels */
      {p->k, 1, columns + 2, p->n, p->k * columns * 2, columns}, /* further apart */
  };
  for (unsigned i = 0; i < ARRAY_LEN(all); i++) run_problem(p, p, f, all[i]);
  problem part = *p;
  part.m = p->m > 1 ? p->m - p->m / 3 : 1;
  part.n = p->n > 1 ? p->n / 2 + 1 : 1;
  part.k = p->k > 2 ? p->k / 2 + 2 : p->k;
  run_problem(p, &part, f, all[0]);
  run_problem(p, &part, f, all[4]);
}

static bool level_has(const jit *j, const problem *p) {
  return !p->to_column || emit_mma_ends_anywhere(&j->e, p->elem, p->m, p->n, p->k);
}

static void check_all(cpu_level level, const problem *problems, unsigned count) {
  if (!cpu_has_level(level)) return;
  jit j;
  jit_open(&j, level);
  for (unsigned i = 0; i < count; i++)
    if (level_has(&j, &problems[i])) add_problem(&j, &problems[i]);
  jit_compile(&j, NULL);
  for (unsigned i = 0; i < count; i++) {
    char name[64];
    if (!level_has(&j, &problems[i])) continue;
    problem_name(name, sizeof name, &problems[i]);
    const problem *p = &problems[i];
    run_strides(p, (mma_fn)jit_lookup(&j, name), emit_mma_panel(&j.e, p->elem, p->m, p->n, p->k));
  }
  jit_close(&j);
}

static const tsr_elem elems[] = {TSR_F32, TSR_F64, TSR_I32};

/* ---- where sums start and go, and rows anywhere --------------------------------------------- */

enum { GAP = 3 }; /* elements between rows */

/* A product with a row-major b. By rows (slice_k > 0): rows of a in slices one after the other and
 * from the last to the first, and every second row of the result first. With gaps: no row has
 * anything in the second slice, where b has what must not be multiplied, and every third row has
 * nothing in the first. Where slices end early a has behind their ends what must not be. */
typedef struct apart {
  const problem *p;
  int64_t columns, slice_k, counting;
  int64_t n;  /* columns that count, when those beyond may not be written; 0: all */
  bool fresh; /* acc is one row of zeros */
  bool gaps, ends_early;
  void *a, *b, *acc, *out, *zeros;
  int64_t *table, *order, *out_rows, *lengths;
} apart;

static int64_t a_index(const apart *x, int64_t i, int64_t k) {
  if (!x->slice_k) return i * x->p->k + k;
  int64_t slice = k / x->slice_k, row = slice * x->p->m + (x->p->m - 1 - i);
  return row * (x->slice_k + GAP) + k % x->slice_k;
}

/* How much of a slice counts: all of it, or an even or odd number, two at least. */
static int64_t length_of(const apart *x, int64_t slice) {
  return x->ends_early ? MAX(x->slice_k - 1 - 2 * slice % 5, 2) : x->slice_k;
}

static bool is_behind(const apart *x, int64_t k) {
  return x->slice_k && k % x->slice_k >= length_of(x, k / x->slice_k);
}

static bool is_gap(const apart *x, int64_t i, int64_t k) {
  if (!x->gaps || x->p->k < 2 * x->slice_k) return false;
  return k / x->slice_k == 1 || (k < x->slice_k && i % 3 == 0);
}

static void make_gaps(apart *x) {
  const problem *p = x->p;
  x->zeros = calloc((size_t)x->slice_k, tsr_elem_bits(p->elem) / 8);
  for (int64_t k = 0; k < p->k; k++)
    for (int64_t i = 0; i < p->m; i++)
      if (is_gap(x, i, k)) x->table[k / x->slice_k * p->m + i] = (int64_t)(uintptr_t)x->zeros;
  for (int64_t k = x->slice_k; k < 2 * x->slice_k && k < p->k; k++)
    for (int64_t j = 0; j < p->n; j++)
      put(p->elem, x->b, k * p->n + j, p->elem == TSR_I32 ? 77 : INFINITY);
}

static void apart_fill(apart *x) {
  const problem *p = x->p;
  int64_t size = tsr_elem_bits(p->elem) / 8, slices = x->slice_k ? p->k / x->slice_k : 1;
  x->a = calloc((size_t)(p->m * (p->k + GAP * slices)), (size_t)size);
  x->b = calloc((size_t)(p->k * p->n), (size_t)size);
  x->acc = calloc((size_t)(p->m * p->n), (size_t)size);
  x->out = calloc((size_t)(p->m * (p->n + GAP)), (size_t)size);
  x->table = calloc((size_t)(slices * p->m), sizeof *x->table);
  x->order = calloc((size_t)p->m, sizeof *x->order);
  x->lengths = calloc((size_t)slices, sizeof *x->lengths);
  x->out_rows = calloc((size_t)p->m, sizeof *x->out_rows);
  unsigned state = 3;
  for (int64_t i = 0; i < p->m * (p->k + GAP * slices); i++) put(p->elem, x->a, i, small(&state));
  for (int64_t i = 0; i < p->k * p->n; i++) put(p->elem, x->b, i, small(&state));
  for (int64_t i = 0; i < p->m * p->n; i++)
    put(p->elem, x->acc, i, x->fresh && i < p->n ? 0 : small(&state));
  for (int64_t i = 0; i < p->m * (p->n + GAP); i++) put(p->elem, x->out, i, 77);
  for (int64_t s = 0; x->slice_k && s < slices; s++)
    for (int64_t i = 0; i < p->m; i++)
      x->table[s * p->m + i] = (int64_t)(uintptr_t)x->a + a_index(x, i, s * x->slice_k) * size;
  for (int64_t i = 0; i < p->m; i++)
    x->order[i] = p->m == 1 ? 0 : i < p->m / 2 ? 2 * i + 1 : 2 * (i - p->m / 2);
  for (int64_t i = 0; i < p->m; i++)
    x->out_rows[i] = (int64_t)(uintptr_t)x->out + i * (p->n + GAP) * size;
  x->zeros = NULL;
  for (int64_t s = 0; s < slices; s++) x->lengths[s] = length_of(x, s);
  for (int64_t k = 0; k < p->k; k++)
    for (int64_t i = 0; i < p->m && is_behind(x, k); i++)
      put(p->elem, x->a, a_index(x, i, k), p->elem == TSR_I32 ? 77 : INFINITY);
  if (x->gaps) make_gaps(x);
}

static void apart_call(const apart *x, mma_fn f) {
  const problem *p = x->p;
  int64_t size = tsr_elem_bits(p->elem) / 8;
  const void *a = x->slice_k ? (const void *)x->table : x->a;
  void *out = x->slice_k ? (void *)x->out_rows : x->out;
  f(a, x->slice_k ? p->m * 8 : p->k * size, size, x->b, p->n * size, x->columns * size, x->acc,
    x->fresh ? 0 : p->n * size, x->counting, x->n ? x->n : p->n, p->k, NULL,
    x->slice_k ? x->lengths : NULL, 0, out, (p->n + GAP) * size, x->order, 0,
    (int64_t)(uintptr_t)x->zeros, 0);
}

/* Of rows that count all columns are right, those that count; what lies between rows is never
 * touched, and neither is acc, nor are rows that don't count, but for those in a table. */
static void apart_check(const apart *x, const void *acc) {
  const problem *p = x->p;
  assert_memory_equal(acc, x->acc, (size_t)(p->m * p->n) * (tsr_elem_bits(p->elem) / 8));
  int64_t rows = x->slice_k ? x->counting : p->m, n = x->n ? x->n : p->n;
  for (int64_t at = 0; at < rows; at++) {
    int64_t i = x->slice_k ? x->order[at] : at;
    for (int64_t j = 0; j < p->n + GAP; j++) {
      bool there = j < n && at < x->counting;
      double sum = !there ? 77 : x->fresh ? 0 : get(p->elem, x->acc, i * p->n + j);
      for (int64_t k = 0; there && k < p->k; k++)
        sum += is_gap(x, i, k) || is_behind(x, k)
                   ? 0
                   : get(p->elem, x->a, a_index(x, i, k)) * get(p->elem, x->b, k * p->n + j);
      assert_true(get(p->elem, x->out, i * (p->n + GAP) + j) == sum);
    }
  }
}

static void run_apart(apart x, mma_fn f) {
  apart_fill(&x);
  size_t bytes = (size_t)(x.p->m * x.p->n) * (tsr_elem_bits(x.p->elem) / 8);
  void *acc = malloc(bytes);
  memcpy(acc, x.acc, bytes);
  apart_call(&x, f);
  apart_check(&x, acc);
  free(acc);
  free(x.a);
  free(x.b);
  free(x.acc);
  free(x.out);
  free(x.zeros);
  free(x.table);
  free(x.order);
  free(x.lengths);
  free(x.out_rows);
}

static void add_apart(jit *j, const char *name, const problem *p, int64_t slice_k) {
  emit *e = &j->e;
  LLVMTypeRef type = emit_mma_type(e);
  LLVMValueRef f = jit_function(j, name, type), args[MMA_ARGS];
  LLVMGetParams(f, args);
  LLVMValueRef kernel = slice_k ? emit_mma_rows(e, p->elem, p->m, p->n, p->k, slice_k)
                                : emit_mma(e, p->elem, use_of(p), p->m, p->n, p->k);
  LLVMBuildCall2(e->b, type, kernel, args, MMA_ARGS, "");
  LLVMBuildRetVoid(e->b);
}

static void check_apart(cpu_level level) {
  static const struct {
    problem p;
    int64_t slice_k;
  } cases[] = {
      {{TSR_F32, 32, 32, 16}, 0},
      {{TSR_F32, 64, 128, 256}, 0},
      {{TSR_F64, 32, 16, 64}, 0},
      {{TSR_I32, 32, 16, 64}, 0},
      {{TSR_F32, 64, 64, 256}, 64},
      {{TSR_F32, 32, 32, 256}, 256},
      {{TSR_F32, 32, 64, 64}, 2},
      {{TSR_F64, 32, 32, 128}, 32},
      {{TSR_I32, 64, 32, 128}, 16},
      {{TSR_F32, 128, 2, 64}, 64},
      {{TSR_F32, 1, 64, 128}, 128},
      /* Any number of columns. */
      {{TSR_F32, 32, 128, 16, .to_column = true}, 0},
      {{TSR_F32, 64, 64, 256, .to_column = true}, 0},
      {{TSR_F64, 32, 64, 64, .to_column = true}, 0},
      {{TSR_I32, 32, 64, 64, .to_column = true}, 0},
  };
  if (!cpu_has_level(level)) return;
  jit j;
  char name[16];
  jit_open(&j, level);
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    if (!level_has(&j, &cases[i].p)) continue;
    snprintf(name, sizeof name, "apart%u", i);
    add_apart(&j, name, &cases[i].p, cases[i].slice_k);
  }
  jit_compile(&j, NULL);
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    const problem *p = &cases[i].p;
    if (!level_has(&j, p)) continue;
    snprintf(name, sizeof name, "apart%u", i);
    apart x = {.p = p,
               .columns = emit_mma_panel(&j.e, p->elem, p->m, p->n, p->k),
               .slice_k = cases[i].slice_k};
    for (unsigned way = 0; way < 4; way++) {
      x.fresh = way & 1;
      x.counting = way & 2 ? p->m : (p->m + 1) / 2;
      for (unsigned slices = 0; slices < (x.slice_k ? 4 : 1); slices++) {
        x.gaps = slices & 1;
        x.ends_early = slices & 2;
        run_apart(x, (mma_fn)jit_lookup(&j, name));
      }
      x.gaps = x.ends_early = false;
    }
    /* Any number of rows, in blocks of two sizes. */
    for (x.counting = 1; p->m == 32 && x.counting <= p->m; x.counting++)
      run_apart(x, (mma_fn)jit_lookup(&j, name));
    for (x.n = 1; p->to_column && x.n <= p->n; x.n++) {
      x.fresh = x.n & 1;
      x.counting = 1 + x.n * 5 % p->m;
      run_apart(x, (mma_fn)jit_lookup(&j, name));
    }
  }
  jit_close(&j);
}

static void test_apart(void **state) {
  (void)state;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) check_apart((cpu_level)level);
}

/* ---- b copied to its panels ------------------------------------------------------------------ */

/* A b that lies elsewhere, of whose rows `k` and whose columns `n` count: the first call writes the
 * panels, so that the second one finds them there. What doesn't count is not read. */
static void run_copies(const problem *p, mma_fn f, int64_t columns, int64_t m, int64_t n,
                       int64_t k) {
  int64_t size = tsr_elem_bits(p->elem) / 8, from_row = n + GAP, rounded = k + k % 2;
  void *a = calloc((size_t)(m * rounded), (size_t)size);
  void *b = calloc((size_t)(rounded * from_row), (size_t)size);
  void *panels = NULL;
  assert_int_equal(posix_memalign(&panels, MMA_LINE, (size_t)(p->k * p->n * size)), 0);
  for (int64_t i = 0; i < p->k * p->n; i++) put(p->elem, panels, i, 77);
  void *acc = calloc((size_t)(p->m * p->n), (size_t)size);
  unsigned state = (unsigned)(m + n + k);
  for (int64_t i = 0; i < m * rounded; i++) put(p->elem, a, i, i % rounded < k ? small(&state) : 0);
  for (int64_t i = 0; i < rounded * from_row; i++) put(p->elem, b, i, small(&state));
  for (unsigned call = 1; call <= 2; call++) {
    f(a, rounded * size, size, panels, columns * size, p->k * columns * size, acc, p->n * size, m,
      n, k, NULL, call == 1 ? b : NULL, from_row * size, acc, p->n * size, NULL, 0, 0, 0);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t q = 0; q < k; q++)
          sum += get(p->elem, a, i * rounded + q) * get(p->elem, b, q * from_row + j);
        assert_true(get(p->elem, acc, i * p->n + j) == call * sum);
      }
    for (int64_t j = 0; j < p->n; j++)
      for (int64_t q = rounded; q < p->k; q++)
        assert_true(
            get(p->elem, panels, j / columns * columns * p->k + q * columns + j % columns) == 77);
  }
  free(a);
  free(b);
  free(panels);
  free(acc);
}

static void check_copies(cpu_level level) {
  static const problem problems[] = {
      {TSR_F32, 64, 128, 256}, {TSR_F32, 64, 128, 256, .to_column = 1},
      {TSR_F32, 16, 64, 32},   {TSR_F64, 128, 64, 64},
      {TSR_I32, 32, 64, 512},  {TSR_F32, 128, 64, 2}};
  if (!cpu_has_level(level)) return;
  jit j;
  char name[16];
  jit_open(&j, level);
  for (unsigned i = 0; i < ARRAY_LEN(problems); i++) {
    const problem *p = &problems[i];
    emit *e = &j.e;
    if (!emit_mma_copies(e, p->elem, p->m, p->n, p->k)) continue;
    snprintf(name, sizeof name, "copy%u", i);
    LLVMTypeRef type = emit_mma_type(e);
    LLVMValueRef f = jit_function(&j, name, type), args[MMA_ARGS];
    LLVMGetParams(f, args);
    mma_use use = use_of(p);
    use.copies = true;
    LLVMValueRef kernel = emit_mma(e, p->elem, use, p->m, p->n, p->k);
    LLVMBuildCall2(e->b, type, kernel, args, MMA_ARGS, "");
    LLVMBuildRetVoid(e->b);
  }
  jit_compile(&j, NULL);
  for (unsigned i = 0; i < ARRAY_LEN(problems); i++) {
    const problem *p = &problems[i];
    if (!emit_mma_copies(&j.e, p->elem, p->m, p->n, p->k)) continue;
    snprintf(name, sizeof name, "copy%u", i);
    mma_fn f = (mma_fn)jit_lookup(&j, name);
    int64_t columns = emit_mma_panel(&j.e, p->elem, p->m, p->n, p->k);
    for (int64_t m = 1; m <= p->m; m += m < 14 ? 1 : 9)
      run_copies(p, f, columns, m, p->n, MAX(p->k - m / 2, 1));
    run_copies(p, f, columns, p->m, columns, p->k);
  }
  jit_close(&j);
}

static void test_copies(void **state) {
  (void)state;
  unsigned copying = 0;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    check_copies((cpu_level)level);
    jit j;
    if (!cpu_has_level((cpu_level)level)) continue;
    jit_open(&j, (cpu_level)level);
    copying += emit_mma_copies(&j.e, TSR_F32, 128, 128, 256);
    jit_close(&j);
  }
  assert_int_equal(copying, cpu_has_level(CPU_AVX512));
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void test_small(void **state) {
  (void)state;
  static const int64_t sizes[] = {1, 2, 4, 16};
  problem problems[3 * 4 * 4 * 4];
  unsigned count = 0;
  for (unsigned t = 0; t < 3; t++)
    for (unsigned m = 0; m < 4; m++)
      for (unsigned n = 0; n < 4; n++)
        for (unsigned k = 0; k < 4; k++)
          problems[count++] = (problem){elems[t], sizes[m], sizes[n], sizes[k]};
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++)
    check_all((cpu_level)level, problems, count);
}

static void test_large(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{64, 64, 64}, {128, 32, 8}, {8, 256, 32},
                                      {1, 512, 64}, {256, 1, 64}, {64, 128, 256}};
  problem problems[3 * ARRAY_LEN(shapes) + 3];
  unsigned count = 0;
  for (unsigned t = 0; t < 3; t++)
    for (unsigned i = 0; i < ARRAY_LEN(shapes); i++)
      problems[count++] = (problem){elems[t], shapes[i][0], shapes[i][1], shapes[i][2]};
  problems[count++] = (problem){TSR_F32, 64, 128, 256, true};
  problems[count++] = (problem){TSR_F64, 32, 8, 128, true};
  problems[count++] = (problem){TSR_F32, 32, 64, 256, true, true};
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++)
    check_all((cpu_level)level, problems, count);
}

/* From AVX2 up products are fused: one rounding for a * b + acc. Below they are not, and nothing
 * is called to make them so. */
static void test_fused(void **state) {
  (void)state;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    if (!cpu_has_level((cpu_level)level)) continue;
    jit j;
    jit_open(&j, (cpu_level)level);
    problem p = {TSR_F32, 1, 1, 1};
    add_problem(&j, &p);
    jit_compile(&j, NULL);
    float a = 1 + 0x1p-20f, acc = -1 - 0x1p-19f;
    mma_fn f = (mma_fn)jit_lookup(&j, "mma_f32_1_1_1");
    f(&a, 4, 4, &a, 4, 4, &acc, 4, 1, 1, 1, NULL, NULL, 0, &acc, 4, NULL, 0, 0, 0);
    assert_true(acc == (emit_has_fma(&j.e) ? 0x1p-40f : 0));
    jit_close(&j);
  }
}

/* ---- groups --------------------------------------------------------------------------------- */

typedef struct dot_problem {
  tsr_elem elem;
  bool a_signed, b_signed;
  int64_t m, n, k;
  bool to_column;
  int64_t columns; /* of a panel */
  bool flips;
} dot_problem;

static void add_dot(jit *j, const char *name, const dot_problem *p) {
  emit *e = &j->e;
  LLVMTypeRef type = emit_mma_type(e);
  LLVMValueRef f = jit_function(j, name, type), args[MMA_ARGS];
  LLVMGetParams(f, args);
  mma_use use = {.end = end_of(p->to_column)};
  LLVMValueRef kernel =
      emit_mma_dot(e, p->elem, p->a_signed, p->b_signed, use, p->m, p->n, p->k, 0);
  assert_ptr_equal(kernel,
                   emit_mma_dot(e, p->elem, p->a_signed, p->b_signed, use, p->m, p->n, p->k, 0));
  LLVMBuildCall2(e->b, type, kernel, args, MMA_ARGS, "");
  LLVMBuildRetVoid(e->b);
}

static int64_t byte_value(uint8_t pattern, bool is_signed) {
  return is_signed ? (int8_t)pattern : pattern;
}

/* Any bytes: sums are exact modulo 2^32. The first `counting` columns count, and the first `groups`
 * of four along k. */
static void run_bytes(const dot_problem *p, mma_fn f, int64_t counting, int64_t groups) {
  int64_t row = p->k / 4 + 1, b_row = p->n + 3;
  uint8_t *a = malloc((size_t)(p->m * row * 4)), *b = malloc((size_t)(p->k / 4 * b_row * 4));
  uint32_t *acc = malloc((size_t)(p->m * p->n) * 4), *want = malloc((size_t)(p->m * p->n) * 4);
  for (int64_t i = 0; i < p->m * row * 4; i++) a[i] = (uint8_t)ref_random();
  for (int64_t i = 0; i < p->k / 4 * b_row * 4; i++) b[i] = (uint8_t)ref_random();
  for (int64_t i = 0; i < p->m; i++) {
    for (int64_t j = 0; j < p->n; j++) {
      uint32_t sum = (uint32_t)ref_random();
      acc[i * p->n + j] = sum;
      for (int64_t k = 0; j < counting && k < groups * 4; k++) {
        uint8_t x = a[i * row * 4 + k];
        uint8_t y = b[(k / 4 * b_row + j) * 4 + k % 4] ^ (p->flips ? 0x80 : 0);
        sum += (uint32_t)(byte_value(x, p->a_signed) * byte_value(y, p->b_signed));
      }
      want[i * p->n + j] = sum;
    }
  }
  f(a, row * 4, 4, b, b_row * 4, p->columns * 4, acc, p->n * 4, p->m, counting, groups, NULL, NULL,
    0, acc, p->n * 4, NULL, 0, 0, 0);
  assert_memory_equal(acc, want, (size_t)(p->m * p->n) * 4);
  free(a);
  free(b);
  free(acc);
  free(want);
}

/* Small integers, whose sums are exact: as pairs, and widened, which `least` asks for. */
static void run_pairs(const dot_problem *p, mma_fn f, int64_t least) {
  int64_t row = p->k / 2 + 1, b_row = p->n + 3;
  uint16_t *a = malloc((size_t)(p->m * row * 4)), *b = malloc((size_t)(p->k / 2 * b_row * 4));
  float *acc = malloc((size_t)(p->m * p->n) * 4), *want = malloc((size_t)(p->m * p->n) * 4);
  const num_format *bf16 = num_format_of(TSR_BF16);
  unsigned state = 1;
  for (int64_t i = 0; i < p->m * row * 2; i++)
    a[i] = (uint16_t)num_encode(bf16, small(&state), NUM_NEAREST_EVEN);
  for (int64_t i = 0; i < p->k / 2 * b_row * 2; i++)
    b[i] = (uint16_t)num_encode(bf16, small(&state), NUM_NEAREST_EVEN);
  for (int64_t i = 0; i < p->m; i++) {
    for (int64_t j = 0; j < p->n; j++) {
      double sum = small(&state);
      acc[i * p->n + j] = (float)sum;
      for (int64_t k = 0; k < p->k; k++) {
        sum += num_decode(bf16, a[i * row * 2 + k]) *
               num_decode(bf16, b[(k / 2 * b_row + j) * 2 + k % 2]);
      }
      want[i * p->n + j] = (float)sum;
    }
  }
  f(a, row * 4, 4, b, b_row * 4, p->columns * 4, acc, p->n * 4, p->m, p->n, p->k / 2, NULL, NULL, 0,
    acc, p->n * 4, NULL, least, 0, 0);
  assert_memory_equal(acc, want, (size_t)(p->m * p->n) * 4);
  free(a);
  free(b);
  free(acc);
  free(want);
}

/* Bytes are multiplied as such where `vnni`, else as words; pairs of bf16 where the level has it.
 */
static void check_groups(cpu_level level, bool vnni) {
  static const int64_t shapes[][3] = {{1, 4, 4},    {4, 8, 8},     {8, 16, 4},
                                      {64, 64, 64}, {16, 128, 32}, {16, 64, 256}};
  jit j;
  jit_open(&j, level);
  j.e.isa.vnni &= vnni;
  assert_int_equal(emit_dot_group(&j.e, TSR_BF16, 16, 16), j.e.isa.bf16 ? 2 : 1);
  assert_int_equal(emit_dot_group(&j.e, TSR_I8, 16, 16), 4);
  for (unsigned sign = 0; sign < 4; sign++) /* both signed or neither */
    assert_int_equal(emit_dot_flips(&j.e, sign & 1, sign & 2),
                     j.e.isa.vnni && (sign == 0 || sign == 3));
  assert_int_equal(emit_dot_group(&j.e, TSR_I8, 16, 2), 1);
  assert_int_equal(emit_dot_group(&j.e, TSR_I8, 2, 16), 1);
  assert_int_equal(emit_dot_group(&j.e, TSR_F16, 16, 16), 1);
  dot_problem problems[5 * ARRAY_LEN(shapes)];
  unsigned count = 0;
  for (unsigned i = 0; i < ARRAY_LEN(shapes); i++) {
    const int64_t *s = shapes[i];
    if (j.e.isa.bf16) problems[count++] = (dot_problem){TSR_BF16, true, true, s[0], s[1], s[2]};
    bool to_column = emit_mma_ends_anywhere(&j.e, TSR_I32, s[0], s[1], s[2]);
    for (unsigned sign = 0; sign < 4; sign++)
      problems[count++] = (dot_problem){TSR_I8, sign & 1, sign & 2, s[0], s[1], s[2], to_column};
  }
  char name[16];
  for (unsigned i = 0; i < count; i++) {
    dot_problem *p = &problems[i];
    p->columns = emit_mma_panel(&j.e, TSR_I32, p->m, p->n, p->k);
    p->flips = emit_dot_flips(&j.e, p->a_signed, p->b_signed);
    snprintf(name, sizeof name, "dot%u", i);
    add_dot(&j, name, p);
  }
  jit_compile(&j, NULL);
  for (unsigned i = 0; i < count; i++) {
    snprintf(name, sizeof name, "dot%u", i);
    mma_fn f = (mma_fn)jit_lookup(&j, name);
    if (problems[i].elem == TSR_I8) {
      const dot_problem *p = &problems[i];
      run_bytes(p, f, p->n, p->k / 4);
      for (int64_t n = 1; p->to_column && n < p->n; n += 5) run_bytes(p, f, n, p->k / 4);
      int64_t step = emit_mma_k_step(&j.e, TSR_I32, p->m, p->n, p->k / 4);
      for (int64_t q = step; q < p->k / 4; q += 3 * step) run_bytes(p, f, p->n, q);
    } else {
      run_pairs(&problems[i], f, 0);
      run_pairs(&problems[i], f, PAIRS_HIGH);
    }
  }
  jit_close(&j);
}

static void test_groups(void **state) {
  (void)state;
  for (int level = 0; level < CPU_LEVEL_COUNT; level++) {
    if (!cpu_has_level((cpu_level)level)) continue;
    check_groups((cpu_level)level, true);
    if (cpu_has_vnni((cpu_level)level)) check_groups((cpu_level)level, false);
  }
}

/* ---- names ---------------------------------------------------------------------------------- */

enum { MOST_KINDS = 400 };

typedef struct kinds {
  jit *j;
  LLVMValueRef seen[MOST_KINDS];
  unsigned n;
} kinds;

/* It is none of those before. */
static void add_kind(kinds *all, LLVMValueRef f) {
  for (unsigned i = 0; i < all->n; i++)
    if (all->seen[i] == f) fail_msg("%s is for two things", LLVMGetValueName(f));
  assert_true(all->n < MOST_KINDS);
  all->seen[all->n++] = f;
}

static void add_uses(kinds *all, tsr_elem elem, int64_t k) {
  for (unsigned bits = 0; bits < 96; bits++) {
    mma_use use = {.how = (mma_how)(bits % 4),
                   .end = (mma_end)(bits / 4 % 3),
                   .empty = bits / 12 % 2,
                   .copies = bits / 24 % 2,
                   .in_sum_blocks = bits / 48};
    /* Sums that are added up in acc are neither empty nor copied. */
    if (use.in_sum_blocks && (k <= 64 || use.empty || use.copies)) continue;
    add_kind(all, emit_mma(&all->j->e, elem, use, 64, 64, k));
  }
}

/* What differs in anything but how much of it there is has a name of its own. */
static void test_names(void **state) {
  (void)state;
  if (!cpu_has_level(CPU_AVX512)) return;
  jit j;
  kinds all = {.j = &j};
  jit_open(&j, CPU_AVX512);
  add_uses(&all, TSR_F32, 16);
  add_uses(&all, TSR_F32, 128);
  add_uses(&all, TSR_F64, 128);
  add_kind(&all, emit_mma(&j.e, TSR_I32, (mma_use){0}, 64, 64, 64));
  for (int streams = 0; streams < 2; streams++) {
    j.e.core.shallow_prefetch = streams;
    add_kind(&all, emit_mma_prefetching(&j.e, TSR_F32, 16, 64, 64));
  }
  for (int64_t slice = 32; slice <= 128; slice *= 2)
    add_kind(&all, emit_mma_rows(&j.e, TSR_F32, 64, 64, 128, slice));
  add_kind(&all, emit_mma_rows(&j.e, TSR_F32, 64, 64, 256, 128));
  for (unsigned signs = 0; signs < 4 && cpu_has_vnni(CPU_AVX512); signs++)
    for (int64_t slice = 0; slice <= 128; slice += 128)
      add_kind(&all,
               emit_mma_dot(&j.e, TSR_I8, signs & 1, signs & 2, (mma_use){0}, 64, 64, 256, slice));
  if (cpu_has_bf16(CPU_AVX512))
    add_kind(&all, emit_mma_dot(&j.e, TSR_BF16, true, true, (mma_use){0}, 64, 64, 128, 0));
  assert_true(all.n > 96);
  LLVMValueRef slices = emit_mma_rows(&j.e, TSR_F32, 64, 64, 128, 64);
  assert_ptr_equal(emit_mma_rows(&j.e, TSR_F32, 128, 128, 256, 64), slices);
  jit_close(&j);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),  cmocka_unit_test(test_small), cmocka_unit_test(test_large),
      cmocka_unit_test(test_apart),  cmocka_unit_test(test_fused), cmocka_unit_test(test_groups),
      cmocka_unit_test(test_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
