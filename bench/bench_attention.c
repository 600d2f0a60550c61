/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention (kernels/attention.mlir) beside its three steps one after the other, with OpenBLAS for
 * the products and softmax by hand in between; and convolution (kernels/conv2d.mlir) beside oneDNN.
 * One thread. The peak is that of the machine's f32 products in the same run (kernels/gemm.mlir).
 */
#include "avx512.h"
#include "bench_kernel.h"

#ifdef TSR_HAVE_OPENBLAS
#include <cblas.h>
#endif
#ifdef TSR_HAVE_ONEDNN
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#endif

static const double seconds = 0.6;

static void give(kernel_run *k, void *memory) {
  kernel_give(k, tsr_arg_address(memory));
}
static void give_i32(kernel_run *k, size_t value) {
  kernel_give(k, tsr_arg_i32((int32_t)value));
}

/* ---- attention ------------------------------------------------------------------------------ */

typedef struct attention {
  size_t tokens, width;
  float *q, *k, *v, *ours, *theirs, *scores;
} attention;

#ifdef TSR_HAVE_OPENBLAS
/* One head, all of whose scores lie in memory. */
static void in_steps(void *user) {
  attention *a = user;
  int n = (int)a->tokens, d = (int)a->width;
  float scale = 1 / sqrtf((float)d);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, d, scale, a->q, d, a->k, d, 0,
              a->scores, n);
  hand_softmax(a->scores, a->scores, a->tokens, a->tokens);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, d, n, 1, a->scores, n, a->v, d, 0,
              a->theirs, d);
}
#endif

static void measure_attention(kernel_env *env, size_t tokens, size_t width, bool causal) {
  char name[64], title[80];
  snprintf(title, sizeof title, "attention, %zu tokens, width %zu%s", tokens, width,
           causal ? ", causal" : "");
  if (!bench_wanted(title)) return;
  size_t n = tokens * width;
  attention a = {.tokens = tokens, .width = width};
  float **const memory[] = {&a.q, &a.k, &a.v, &a.ours, &a.theirs};
  for (int i = 0; i < 5; i++) {
    *memory[i] = bench_alloc(n * sizeof(float));
    bench_fill(*memory[i], n, (uint64_t)i);
  }
  a.scores = bench_alloc(tokens * tokens * sizeof(float));
  snprintf(name, sizeof name, "attention_f32_%zu", width);
  kernel_run k = kernel_get(env, "attention", name, (tsr_grid){(uint32_t)tokens / 64, 1, 1});
  give(&k, a.q);
  give(&k, a.k);
  give(&k, a.v);
  give(&k, a.ours);
  give_i32(&k, tokens);
  give_i32(&k, tokens);
  give_i32(&k, 1);
  give_i32(&k, 1);
  kernel_give(&k, tsr_arg_f32(1 / sqrtf((float)width)));
  give_i32(&k, causal);
  bench_side sides[2] = {BENCH_SIDE("Tessera", kernel_launch, &k)};
  int count = 1;
#ifdef TSR_HAVE_OPENBLAS
  if (!causal) sides[count++] = (bench_side)BENCH_SIDE("OpenBLAS in steps", in_steps, &a);
#endif
  bench_measure(sides, count, seconds);
  double flops = 4.0 * (double)tokens * (double)tokens * (double)width;
  bench_print(title, sides, count, causal ? flops / 2 : flops, "GFLOP/s");
  if (count > 1) kernel_same(title, a.ours, a.theirs, n, 1e-4);
  for (int i = 0; i < 5; i++) free(*memory[i]);
  free(a.scores);
}

/* Of bf16, which none of the libraries has. Queries and keys vary as f32's do. */
static void measure_narrow(kernel_env *env, size_t tokens, size_t width) {
  char name[64], title[80];
  snprintf(title, sizeof title, "attention of bf16, %zu tokens, width %zu", tokens, width);
  if (!bench_wanted(title)) return;
  size_t n = tokens * width;
  uint16_t *memory[4];
  snprintf(name, sizeof name, "attention_bf16_%zu", width);
  kernel_run k = kernel_get(env, "attention", name, (tsr_grid){(uint32_t)tokens / 64, 1, 1});
  float *numbers = bench_alloc(n * sizeof(float));
  for (int i = 0; i < 4; i++) {
    memory[i] = bench_alloc(n * sizeof(uint16_t));
    bench_fill(numbers, n, (uint64_t)i);
    for (size_t j = 0; j < n; j++) {
      uint32_t bits;
      memcpy(&bits, &numbers[j], sizeof bits);
      memory[i][j] = (uint16_t)(bits >> 16);
    }
    give(&k, memory[i]);
  }
  give_i32(&k, tokens);
  give_i32(&k, tokens);
  give_i32(&k, 1);
  give_i32(&k, 1);
  kernel_give(&k, tsr_arg_f32(1 / sqrtf((float)width)));
  give_i32(&k, 0);
  bench_side side = BENCH_SIDE("Tessera", kernel_launch, &k);
  bench_measure(&side, 1, seconds);
  bench_print(title, &side, 1, 4.0 * (double)tokens * (double)tokens * (double)width, "GFLOP/s");
  for (int i = 0; i < 4; i++) free(memory[i]);
  free(numbers);
}

/* ---- convolution ---------------------------------------------------------------------------- */

typedef struct conv {
  size_t height, width, channels, filters, size, stride, pad, rows, columns;
  float *x, *w, *ours, *theirs;
} conv;

#ifdef TSR_HAVE_ONEDNN
typedef struct peer {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t args[3];
} peer;

static void must(dnnl_status_t status) {
  if (status == dnnl_success) return;
  fprintf(stderr, "bench: oneDNN failed (%d)\n", (int)status);
  exit(1);
}

/* The weights in the layout that it likes best, reordered beforehand. */
static void peer_open(peer *p, conv *c) {
  omp_set_num_threads(1);
  must(dnnl_engine_create(&p->engine, dnnl_cpu, 0));
  must(dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags));
  dnnl_memory_desc_t x, w, y, given;
  must(dnnl_memory_desc_init_by_tag(
      &x, 4, (dnnl_dims_t){1, (int64_t)c->channels, (int64_t)c->height, (int64_t)c->width},
      dnnl_f32, dnnl_nhwc));
  const dnnl_dims_t weights = {(int64_t)c->filters, (int64_t)c->channels, (int64_t)c->size,
                               (int64_t)c->size};
  must(dnnl_memory_desc_init_by_tag(&w, 4, weights, dnnl_f32, dnnl_format_tag_any));
  must(dnnl_memory_desc_init_by_tag(&given, 4, weights, dnnl_f32, dnnl_hwio));
  must(dnnl_memory_desc_init_by_tag(
      &y, 4, (dnnl_dims_t){1, (int64_t)c->filters, (int64_t)c->rows, (int64_t)c->columns}, dnnl_f32,
      dnnl_nhwc));
  dnnl_convolution_desc_t what;
  const dnnl_dims_t stride = {(int64_t)c->stride, (int64_t)c->stride};
  const dnnl_dims_t pad = {(int64_t)c->pad, (int64_t)c->pad};
  must(dnnl_convolution_forward_desc_init(&what, dnnl_forward_inference, dnnl_convolution_direct,
                                          &x, &w, NULL, &y, stride, pad, pad));
  dnnl_primitive_desc_t chosen, order;
  must(dnnl_primitive_desc_create(&chosen, &what, NULL, p->engine, NULL));
  must(dnnl_primitive_create(&p->primitive, chosen));
  const dnnl_memory_desc_t *liked = dnnl_primitive_desc_query_md(chosen, dnnl_query_weights_md, 0);
  dnnl_memory_t from, to;
  must(dnnl_memory_create(&from, &given, p->engine, c->w));
  must(dnnl_memory_create(&to, liked, p->engine, DNNL_MEMORY_ALLOCATE));
  dnnl_primitive_t reorder;
  must(dnnl_reorder_primitive_desc_create(&order, &given, p->engine, liked, p->engine, NULL));
  must(dnnl_primitive_create(&reorder, order));
  const dnnl_exec_arg_t both[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  must(dnnl_primitive_execute(reorder, p->stream, 2, both));
  must(dnnl_stream_wait(p->stream));
  dnnl_primitive_destroy(reorder);
  dnnl_primitive_desc_destroy(order);
  dnnl_primitive_desc_destroy(chosen);
  dnnl_memory_destroy(from);
  p->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, NULL};
  must(dnnl_memory_create(&p->args[0].memory, &x, p->engine, c->x));
  p->args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, to};
  p->args[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, NULL};
  must(dnnl_memory_create(&p->args[2].memory, &y, p->engine, c->theirs));
}

static void peer_run(void *user) {
  peer *p = user;
  must(dnnl_primitive_execute(p->primitive, p->stream, 3, p->args));
  must(dnnl_stream_wait(p->stream));
}

static void peer_close(peer *p) {
  for (int i = 0; i < 3; i++) dnnl_memory_destroy(p->args[i].memory);
  dnnl_primitive_destroy(p->primitive);
  dnnl_stream_destroy(p->stream);
  dnnl_engine_destroy(p->engine);
}
#endif

static void measure_conv(kernel_env *env, size_t side, size_t channels, size_t filters, size_t size,
                         size_t stride) {
  char title[80];
  snprintf(title, sizeof title, "conv %zux%zu stride %zu, %zux%zu, %zu to %zu channels", size, size,
           stride, side, side, channels, filters);
  if (!bench_wanted(title)) return;
  conv c = {.height = side,
            .width = side,
            .channels = channels,
            .filters = filters,
            .size = size,
            .stride = stride,
            .pad = size / 2};
  c.rows = c.columns = (side + 2 * c.pad - size) / stride + 1;
  size_t n_x = side * side * channels, n_w = size * size * channels * filters;
  size_t n_y = c.rows * c.columns * filters;
  c.x = bench_alloc(n_x * sizeof(float));
  c.w = bench_alloc(n_w * sizeof(float));
  c.ours = bench_alloc(n_y * sizeof(float));
  c.theirs = bench_alloc(n_y * sizeof(float));
  bench_fill(c.x, n_x, 1);
  bench_fill(c.w, n_w, 2);
  size_t tiles = (c.rows + 7) / 8 * ((c.columns + 7) / 8);
  kernel_run k = kernel_get(env, "conv2d", "conv2d_f32",
                            (tsr_grid){(uint32_t)tiles, (uint32_t)(filters + 63) / 64, 1});
  give(&k, c.x);
  give(&k, c.w);
  give(&k, c.ours);
  const size_t sizes[] = {1, side, side, channels, filters, c.rows, c.columns, size, stride, c.pad};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) give_i32(&k, sizes[i]);
  bench_side sides[2] = {BENCH_SIDE("Tessera", kernel_launch, &k)};
  int count = 1;
#ifdef TSR_HAVE_ONEDNN
  peer p;
  peer_open(&p, &c);
  sides[count++] = (bench_side)BENCH_SIDE("oneDNN", peer_run, &p);
#endif
  bench_measure(sides, count, seconds);
  bench_print(title, sides, count, 2.0 * (double)(n_y * size * size * channels), "GFLOP/s");
#ifdef TSR_HAVE_ONEDNN
  kernel_same(title, c.ours, c.theirs, n_y, 1e-3);
  peer_close(&p);
#endif
  free(c.x);
  free(c.w);
  free(c.ours);
  free(c.theirs);
}

static void measure_product(kernel_env *env, size_t n) {
  const char *title = "f32 product, 512 cubed";
  if (!bench_wanted(title)) return;
  float *a = bench_alloc(n * n * sizeof(float)), *b = bench_alloc(n * n * sizeof(float));
  float *c = bench_alloc(n * n * sizeof(float));
  uint32_t tiles = (uint32_t)n / 128;
  kernel_run k = kernel_get(env, "gemm", "gemm_f32_128x128x64", (tsr_grid){tiles, tiles, 1});
  give(&k, a);
  give(&k, b);
  give(&k, c);
  for (int i = 0; i < 3; i++) give_i32(&k, n);
  bench_side side = BENCH_SIDE("Tessera", kernel_launch, &k);
  bench_measure(&side, 1, seconds);
  bench_print(title, &side, 1, 2.0 * (double)(n * n * n), "GFLOP/s");
  free(a);
  free(b);
  free(c);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Attention and convolution, 1 thread");
#ifdef TSR_HAVE_OPENBLAS
  openblas_set_num_threads(1);
#endif
  kernel_env env;
  kernel_env_open(&env, 1);
  measure_product(&env, 512);
  for (size_t width = 64; width <= 128; width *= 2)
    for (size_t tokens = 512; tokens <= 2048; tokens *= 2)
      measure_attention(&env, tokens, width, false);
  measure_attention(&env, 1024, 64, true);
  measure_narrow(&env, 2048, 64);
  measure_narrow(&env, 2048, 128);
  measure_conv(&env, 56, 64, 64, 3, 1);
  measure_conv(&env, 56, 64, 128, 3, 2);
  measure_conv(&env, 28, 64, 64, 5, 1);
  measure_conv(&env, 28, 256, 256, 1, 1);
  kernel_env_close(&env);
  return 0;
}
