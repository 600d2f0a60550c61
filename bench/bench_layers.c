/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What else a model's layers are made of, through kernels/norm.mlir, row_softmax.mlir, reduce.mlir,
 * gather.mlir and moe.mlir, one thread: beside the loops of avx512_layers.h, and a layer of experts
 * beside OpenBLAS in steps (the rows of each expert are gathered, multiplied and scattered).
 */
#include <tessera/tessera.h>

#include "avx512_layers.h"
#include "bench.h"
#include "bench_kernel.h"

#ifdef TSR_HAVE_OPENBLAS
#include <cblas.h>
#endif

#ifdef HAND_LAYERS

enum { ROWS = 1024, COLUMNS = 1024, N = ROWS * COLUMNS, TOP_K = 8, ROUTES = 128 };

/* `ours` and `theirs`: what is written, two matrices each. */
typedef struct data {
  float *x, *residual, *w, *b, *mean, *scale, *d;
  float *ours[2], *theirs[2];
  int32_t *index, *experts, *their_experts;
} data;

static void log_softmax(void *user) {
  data *d = user;
  hand_log_softmax(d->x, d->theirs[0], ROWS, COLUMNS);
}
static void add_rmsnorm(void *user) {
  data *d = user;
  hand_add_rmsnorm(d->x, d->residual, d->w, d->theirs[0], d->theirs[1], ROWS, COLUMNS);
}
static void layernorm_backward(void *user) {
  data *d = user;
  hand_layernorm_backward(d->x, d->w, d->mean, d->scale, d->d, d->theirs[0], ROWS, COLUMNS);
}
static void layernorm_backward_weights(void *user) {
  data *d = user;
  hand_layernorm_backward_weights(d->x, d->mean, d->scale, d->d, d->theirs[0], d->theirs[1], ROWS,
                                  COLUMNS);
}
static void column_sums(void *user) {
  data *d = user;
  hand_column_sums(d->x, d->theirs[0], ROWS, COLUMNS);
}
static void silu_mul(void *user) {
  data *d = user;
  hand_silu_mul(d->x, d->residual, d->theirs[0], N);
}
static void topk_softmax(void *user) {
  data *d = user;
  hand_topk_softmax(d->x, d->theirs[0], d->their_experts, N / ROUTES, TOP_K);
}
static void scatter_rows(void *user) {
  data *d = user;
  for (size_t i = 0; i < ROWS; i++)
    memcpy(d->theirs[0] + (size_t)d->index[i] * COLUMNS, d->x + i * COLUMNS,
           COLUMNS * sizeof(float));
}

static tsr_grid grid(size_t x, size_t y) {
  return (tsr_grid){(uint32_t)x, (uint32_t)y, 1};
}

static void give(kernel_run *k, void *memory) {
  kernel_give(k, tsr_arg_address(memory));
}

static void give_size(kernel_run *k, size_t rows, size_t columns) {
  kernel_give(k, tsr_arg_i32((int32_t)rows));
  kernel_give(k, tsr_arg_i32((int32_t)columns));
}

/* `count` elements of each of `results` results, `matrices` matrices moved. */
static void table(const char *title, kernel_run *k, void (*hand)(void *), data *d, int results,
                  size_t count, int matrices) {
  bench_side sides[] = {BENCH_SIDE("Tessera", kernel_launch, k), BENCH_SIDE(HAND_NAME, hand, d)};
  kernel_result r[] = {{d->ours[0], &d->theirs[0], count}, {d->ours[1], &d->theirs[1], count}};
  kernel_compare(title, sides, 2, r, results, 1e-3, 4.0 * N * matrices, "GB/s");
}

static void norms(kernel_env *env, data *d) {
  kernel_run k = kernel_get(env, "row_softmax", "log_softmax_f32_1024", grid(ROWS / 4, 1));
  give(&k, d->x);
  give(&k, d->ours[0]);
  give_size(&k, ROWS, COLUMNS);
  table("log-softmax", &k, log_softmax, d, 1, N, 2);

  k = kernel_get(env, "norm", "add_rmsnorm_f32", grid(ROWS, 1));
  float *const add[] = {d->x, d->residual, d->w, d->ours[0], d->ours[1]};
  for (int i = 0; i < 5; i++) give(&k, add[i]);
  give_size(&k, ROWS, COLUMNS);
  kernel_give(&k, tsr_arg_f32(1e-5f));
  table("add + RMSNorm", &k, add_rmsnorm, d, 2, N, 4);

  k = kernel_get(env, "norm", "layernorm_backward_f32", grid(ROWS, 1));
  float *const back[] = {d->x, d->w, d->mean, d->scale, d->d, d->ours[0]};
  for (int i = 0; i < 6; i++) give(&k, back[i]);
  give_size(&k, ROWS, COLUMNS);
  table("LayerNorm, backward", &k, layernorm_backward, d, 1, N, 3);

  k = kernel_get(env, "norm", "layernorm_backward_weights_f32", grid(COLUMNS / 64, 1));
  float *const weights[] = {d->x, d->mean, d->scale, d->d, d->ours[0], d->ours[1]};
  for (int i = 0; i < 6; i++) give(&k, weights[i]);
  give_size(&k, ROWS, COLUMNS);
  table("LayerNorm, backward for weights", &k, layernorm_backward_weights, d, 2, COLUMNS, 2);
}

static void others(kernel_env *env, data *d) {
  kernel_run k = kernel_get(env, "reduce", "column_sums_f32", grid(COLUMNS / 64, 1));
  give(&k, d->x);
  give(&k, d->ours[0]);
  give_size(&k, ROWS, COLUMNS);
  table("sums of columns", &k, column_sums, d, 1, COLUMNS, 1);

  k = kernel_get(env, "moe", "silu_mul_f32", grid(ROWS, COLUMNS / 1024));
  give(&k, d->x);
  give(&k, d->residual);
  give(&k, d->ours[0]);
  give_size(&k, ROWS, COLUMNS);
  table("SiLU, times", &k, silu_mul, d, 1, N, 3);

  k = kernel_get(env, "moe", "topk_softmax_f32", grid(N / ROUTES / 16, 1));
  give(&k, d->x);
  give(&k, d->ours[0]);
  give(&k, d->experts);
  give_size(&k, N / ROUTES, ROUTES);
  kernel_give(&k, tsr_arg_i32(TOP_K));
  table("top 8 of the softmax of 128", &k, topk_softmax, d, 1, N / ROUTES * TOP_K, 1);
  if (memcmp(d->experts, d->their_experts, N / ROUTES * TOP_K * sizeof(int32_t)) != 0) exit(1);

  k = kernel_get(env, "gather", "scatter_rows_f32", grid(ROWS / 16, COLUMNS / 256));
  give(&k, d->x);
  give(&k, d->index);
  give(&k, d->ours[0]);
  give_size(&k, ROWS, COLUMNS);
  kernel_give(&k, tsr_arg_i32(ROWS));
  table("scatter of rows", &k, scatter_rows, d, 1, N, 2);
}

/* ---- experts -------------------------------------------------------------------------------- */

#ifdef TSR_HAVE_OPENBLAS
enum { TOKENS = 512, EXPERTS = 8, REPLICAS = 2, IDS = TOKENS * REPLICAS, WIDTH = 1024 };

typedef struct experts {
  float *a, *b, *weight, *ours, *theirs, *rows, *products;
  int32_t *sorted, *which;
  size_t length;
} experts;

static void experts_in_steps(void *user) {
  experts *e = user;
  for (size_t i = 0; i < e->length;) {
    size_t n = 0, from = i;
    int32_t expert = e->which[i / 64];
    for (; i < e->length && e->which[i / 64] == expert; i++)
      if (e->sorted[i] < IDS)
        memcpy(e->rows + n++ * WIDTH, e->a + (size_t)e->sorted[i] / REPLICAS * WIDTH,
               WIDTH * sizeof(float));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, WIDTH, WIDTH, 1, e->rows, WIDTH,
                e->b + (size_t)expert * WIDTH * WIDTH, WIDTH, 0, e->products, WIDTH);
    for (size_t k = from, at = 0; k < i; k++) {
      if (e->sorted[k] >= IDS) continue;
      size_t id = (size_t)e->sorted[k];
      for (size_t c = 0; c < WIDTH; c++)
        e->theirs[id * WIDTH + c] = e->products[at * WIDTH + c] * e->weight[id];
      at++;
    }
  }
}

/* Ids by expert, each expert's list filled up to a multiple of 64. */
static void sort_ids(experts *e) {
  for (int32_t expert = 0; expert < EXPERTS; expert++) {
    for (int32_t id = 0; id < IDS; id++)
      if (id * 7919 % 1009 % EXPERTS == expert) e->sorted[e->length++] = id;
    while (e->length % 64) e->sorted[e->length++] = IDS;
    for (size_t i = 0; i < e->length / 64; i++)
      if (e->which[i] < 0) e->which[i] = expert;
  }
}

static void products(kernel_env *env) {
  const char *title = "8 experts, 512 tokens, 2 each, 1024 wide";
  if (!bench_wanted(title)) return;
  experts e = {0};
  float **const memory[] = {&e.a, &e.weight, &e.ours, &e.theirs, &e.rows, &e.products};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    *memory[i] = bench_alloc((size_t)IDS * WIDTH * sizeof(float));
  e.b = bench_alloc((size_t)EXPERTS * WIDTH * WIDTH * sizeof(float));
  e.sorted = bench_alloc((IDS + 64 * EXPERTS) * sizeof(int32_t));
  e.which = bench_alloc((IDS / 64 + EXPERTS) * sizeof(int32_t));
  memset(e.which, -1, (IDS / 64 + EXPERTS) * sizeof(int32_t));
  bench_fill(e.a, (size_t)TOKENS * WIDTH, 1);
  bench_fill(e.b, (size_t)EXPERTS * WIDTH * WIDTH, 2);
  bench_fill(e.weight, IDS, 3);
  sort_ids(&e);
  openblas_set_num_threads(1);
  kernel_run k = kernel_get(env, "moe", "fused_moe_f32", grid(e.length / 64, WIDTH / 64));
  float *const operands[] = {e.a, e.b, e.ours, e.weight};
  for (int i = 0; i < 4; i++) give(&k, operands[i]);
  give(&k, e.sorted);
  give(&k, e.which);
  const size_t sizes[] = {TOKENS, REPLICAS, IDS, e.length, EXPERTS, WIDTH, WIDTH};
  for (int i = 0; i < 7; i++) kernel_give(&k, tsr_arg_i32((int32_t)sizes[i]));
  bench_side sides[] = {BENCH_SIDE("Tessera", kernel_launch, &k),
                        BENCH_SIDE("OpenBLAS in steps", experts_in_steps, &e)};
  kernel_result r = {e.ours, &e.theirs, (size_t)IDS * WIDTH};
  kernel_compare(title, sides, 2, &r, 1, 1e-2, 2.0 * IDS * WIDTH * WIDTH, "GFLOP/s");
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(*memory[i]);
  free(e.b);
  free(e.sorted);
  free(e.which);
}
#endif

int main(int argc, char **argv) {
  bench_start(argc, argv, "Parts of layers, 1024 x 1024, 1 thread");
  kernel_env env;
  kernel_env_open(&env, 1);
  data d = {0};
  float **const memory[] = {&d.x, &d.residual, &d.w,       &d.b,         &d.mean,     &d.scale,
                            &d.d, &d.ours[0],  &d.ours[1], &d.theirs[0], &d.theirs[1]};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    *memory[i] = bench_alloc(N * sizeof(float));
    bench_fill(*memory[i], N, (uint32_t)i + 1);
  }
  int32_t **const numbers[] = {&d.index, &d.experts, &d.their_experts};
  for (size_t i = 0; i < 3; i++) *numbers[i] = bench_alloc(N * sizeof(int32_t));
  for (size_t i = 0; i < ROWS; i++) d.index[i] = (int32_t)(i * 7919 % ROWS);
  norms(&env, &d);
  others(&env, &d);
#ifdef TSR_HAVE_OPENBLAS
  products(&env);
#endif
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(*memory[i]);
  for (size_t i = 0; i < 3; i++) free(*numbers[i]);
  kernel_env_close(&env);
  return 0;
}

#else
int main(int argc, char **argv) {
  bench_start(argc, argv, "Parts of layers");
  puts("  left out: the loops by hand need AVX-512");
  return 0;
}
#endif
