/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products over ranks, beside plain loops: started by mpirun, with the name of what is to be tried.
 * Numbers are small integers, so that every sum is exact and any order gives the same bits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tessera/op_ranks.h>

typedef struct state {
  tsr_ranks *all;
  tsr_op_library *ops;
  unsigned rank, size;
} state;

typedef struct shape {
  int64_t m, n, k;
  int64_t lda, ldc; /* 0: without gaps */
  bool by_column;   /* a */
  unsigned pieces;
} shape;

static void expect(const state *s, int good, const char *what) {
  if (good) return;
  printf("rank %u: %s is wrong\n", s->rank, what);
  exit(3);
}

static float *take(int64_t count) {
  float *memory = calloc((size_t)count + 1, sizeof *memory);
  if (!memory) exit(4);
  return memory;
}

/* An element of a matrix that a rank has in one launch. */
static float element(unsigned what, unsigned rank, unsigned turn, int64_t i, int64_t j) {
  uint64_t x = (uint64_t)i * 1000003 + (uint64_t)j * 7919 + what * 31 + rank * 127 + turn * 8191;
  x = (x ^ x >> 13) * UINT64_C(0x9e3779b97f4a7c15);
  return (float)((int)(x >> 40) % 5 - 2);
}

static float bias_of(int64_t j) {
  return (float)(j % 7 - 3);
}

/* a b of one rank's matrices at one element. */
static float product(unsigned rank_a, unsigned rank_b, unsigned turn, int64_t k, int64_t i,
                     int64_t j) {
  float sum = 0;
  for (int64_t q = 0; q < k; q++)
    sum += element(0, rank_a, turn, i, q) * element(1, rank_b, turn, q, j);
  return sum;
}

static int64_t at_a(const shape *x, int64_t rows, int64_t i, int64_t q) {
  int64_t lda = x->lda ? x->lda : x->by_column ? rows : x->k;
  return x->by_column ? q * lda + i : i * lda + q;
}

static float expected(const state *s, const shape *x, tsr_op_ranks_form form, unsigned turn,
                      int64_t i, int64_t j) {
  float sum = bias_of(j);
  if (form == TSR_OP_ALL_GATHER_GEMM) return fmaxf(sum + product(0, s->rank, turn, x->k, i, j), 0);
  for (unsigned r = 0; r < s->size; r++) sum += product(r, r, turn, x->k, i, j);
  return fmaxf(sum, 0);
}

static void fill(const state *s, const shape *x, tsr_op_ranks_form form, unsigned turn, float *a,
                 int64_t first, int64_t rows, float *b) {
  unsigned rank_a = form == TSR_OP_ALL_GATHER_GEMM ? 0 : s->rank;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t q = 0; q < x->k; q++)
      a[at_a(x, rows, i, q)] = element(0, rank_a, turn, first + i, q);
  for (int64_t q = 0; q < x->k; q++)
    for (int64_t j = 0; j < x->n; j++) b[q * x->n + j] = element(1, s->rank, turn, q, j);
}

static void compare(const state *s, const shape *x, tsr_op_ranks_form form, unsigned turn,
                    const float *c, int64_t first, int64_t rows) {
  int64_t ldc = x->ldc ? x->ldc : x->n;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < ldc; j++) {
      float want = j < x->n ? expected(s, x, form, turn, first + i, j) : -1;
      if (c[i * ldc + j] == want) continue;
      printf("rank %u: form %d, %lld x %lld x %lld, launch %u: c[%lld][%lld] is %g, not %g\n",
             s->rank, (int)form, (long long)x->m, (long long)x->n, (long long)x->k, turn,
             (long long)i, (long long)j, (double)c[i * ldc + j], (double)want);
      exit(3);
    }
}

static tsr_op_ranks *make(const state *s, const shape *x, tsr_op_ranks_form form,
                          const char *more) {
  char text[256];
  int n = snprintf(
      text, sizeof text, "gemm:type=f32,epilogue=bias:n+relu,a=%s,m=%lld,n=%lld,k=%lld%s",
      x->by_column ? "column" : "row", (long long)x->m, (long long)x->n, (long long)x->k, more);
  if (x->lda) n += snprintf(text + n, sizeof text - (size_t)n, ",lda=%lld", (long long)x->lda);
  if (x->ldc) snprintf(text + n, sizeof text - (size_t)n, ",ldc=%lld", (long long)x->ldc);
  return tsr_op_ranks_create(
      s->all, s->ops, form, &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = text},
      &(tsr_op_ranks_options){.struct_size = sizeof(tsr_op_ranks_options), .pieces = x->pieces});
}

/* Three launches, one of them with the rows where the others read them. */
static void try_product(const state *s, const shape *x, tsr_op_ranks_form form) {
  tsr_op_ranks *op = make(s, x, form, "");
  expect(s, op != NULL, "tsr_op_ranks_create");
  bool gathers = form == TSR_OP_ALL_GATHER_GEMM, scatters = form == TSR_OP_GEMM_REDUCE_SCATTER;
  int64_t first, own = tsr_op_ranks_rows(op, s->rank, &first), total = 0;
  for (unsigned r = 0; r < s->size; r++) total += tsr_op_ranks_rows(op, r, NULL);
  expect(s, total == x->m, "the number of rows");
  int64_t rows_a = gathers ? own : x->m, rows_c = scatters ? own : x->m;
  int64_t first_c = scatters ? first : 0, ldc = x->ldc ? x->ldc : x->n;
  int64_t count = at_a(x, rows_a, rows_a, 0) + at_a(x, rows_a, 0, x->k) + 1;
  float *a = take(count), *b = take(x->k * x->n), *bias = take(x->n), *c = take(rows_c * ldc);
  for (int64_t j = 0; j < x->n; j++) bias[j] = bias_of(j);
  for (unsigned turn = 0; turn < 3; turn++) {
    float *place = turn == 1 ? tsr_op_ranks_place(op) : NULL;
    fill(s, x, form, turn, place ? place : a, gathers ? first : 0, rows_a, b);
    for (int64_t i = 0; i < rows_c * ldc; i++) c[i] = -1;
    tsr_op_argument args[] = {{"c", tsr_arg_address(c)},
                              {"bias", tsr_arg_address(bias)},
                              {"a", tsr_arg_address(place ? place : a)},
                              {"b", tsr_arg_address(b)}};
    expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_OK, "tsr_op_ranks_launch");
    compare(s, x, form, turn, c, first_c, rows_c);
  }
  tsr_op_ranks_destroy(op);
  free(a);
  free(b);
  free(bias);
  free(c);
}

static void products(const state *s) {
  static const shape shapes[] = {
      {.m = 64, .n = 48, .k = 32},
      {.m = 37, .n = 19, .k = 11, .pieces = 3},
      {.m = 23, .n = 40, .k = 17, .lda = 20, .pieces = 2},
      {.m = 30, .n = 24, .k = 8, .by_column = true, .lda = 32},
      {.m = 2, .n = 16, .k = 4},
      {.m = 0, .n = 16, .k = 4},
      {.m = 16, .n = 16, .k = 0, .pieces = 2},
  };
  static const shape gaps = {.m = 29, .n = 12, .k = 9, .ldc = 14, .pieces = 2};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int form = 0; form <= TSR_OP_GEMM_ALL_REDUCE; form++)
      try_product(s, &shapes[i], (tsr_op_ranks_form)form);
  try_product(s, &gaps, TSR_OP_ALL_GATHER_GEMM);
  try_product(s, &gaps, TSR_OP_GEMM_REDUCE_SCATTER);
}

/* What cannot be computed is refused on all ranks. */
static void refusals(const state *s) {
  const shape x = {.m = 16, .n = 8, .k = 8}, gaps = {.m = 16, .n = 8, .k = 8, .ldc = 9};
  shape other = x;
  expect(s, !make(s, &x, TSR_OP_GEMM_REDUCE_SCATTER, ",beta=1"), "beta");
  expect(s, !make(s, &x, TSR_OP_GEMM_ALL_REDUCE, ",batch=2"), "batch");
  expect(s, !make(s, &x, TSR_OP_ALL_GATHER_GEMM, ",combine=a+b"), "combine");
  expect(s, !make(s, &gaps, TSR_OP_GEMM_ALL_REDUCE, ""), "gaps");
  expect(s, !make(s, &x, TSR_OP_ALL_GATHER_GEMM, s->rank == 1 ? ",tile_m=3" : ""), "one rank's");
  other.m += s->rank;
  expect(s, !make(s, &other, TSR_OP_ALL_GATHER_GEMM, ""), "different rows");
  tsr_op_ranks *op = make(s, &x, TSR_OP_ALL_GATHER_GEMM, "");
  float numbers[256] = {0};
  tsr_op_argument args[] = {{"a", tsr_arg_address(numbers)},
                            {"b", tsr_arg_address(numbers)},
                            {"bias", tsr_arg_address(numbers)},
                            {"c", tsr_arg_address(NULL)}};
  expect(s, tsr_op_ranks_launch(op, args, 3) == TSR_ERROR_USAGE, "a missing tensor");
  expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_ERROR_USAGE, "NULL");
  args[3].name = "d";
  expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_ERROR_USAGE, "another name");
  args[3].name = "a";
  expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_ERROR_USAGE, "a name twice");
  tsr_op_ranks_destroy(op);
}

/* The last rank does not come to the second launch. */
static void lost(const state *s) {
  const shape x = {.m = 64, .n = 8, .k = 8};
  tsr_op_ranks *op = make(s, &x, TSR_OP_GEMM_ALL_REDUCE, "");
  static float a[64 * 8], b[64], bias[8], c[64 * 8];
  tsr_op_argument args[] = {{"a", tsr_arg_address(a)},
                            {"b", tsr_arg_address(b)},
                            {"bias", tsr_arg_address(bias)},
                            {"c", tsr_arg_address(c)}};
  expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_OK, "the first launch");
  if (s->rank == s->size - 1) exit(0);
  expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_ERROR_TRAP, "a launch without a rank");
  tsr_op_ranks_destroy(op);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "products";
  tsr_context_options options = {.struct_size = sizeof options,
                                 .on_diagnostic = tsr_diagnostic_print};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_device *device = tsr_device_open(ctx, argc > 2 ? argv[2] : "interp", NULL);
  state s = {.all = tsr_ranks_join(ctx, NULL), .ops = tsr_op_library_create(device, NULL)};
  if (!s.all || !s.ops) return 2;
  s.rank = tsr_ranks_rank(s.all);
  s.size = tsr_ranks_size(s.all);
  if (strcmp(what, "products") == 0) products(&s);
  if (strcmp(what, "refusals") == 0) refusals(&s);
  if (strcmp(what, "lost") == 0) lost(&s);
  if (s.rank == 0) printf("%s: %u ranks: done\n", what, s.size);
  fflush(stdout);
  tsr_op_library_destroy(s.ops);
  tsr_ranks_leave(s.all);
  tsr_device_close(device);
  tsr_context_destroy(ctx);
  return 0;
}
