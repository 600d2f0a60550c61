/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is bound by memory: vectors, rows, reductions, scans, gathers (kernels/), beside the same by
 * hand (bench/avx512.h, C loops at -O3 -march=native) and, where it is installed, oneDNN. One
 * thread. The first line is the yardstick of all others: copying as many bytes.
 */
#include <stdatomic.h>

#include "avx512.h"
#include "bench_kernel.h"

#ifdef TSR_HAVE_ONEDNN
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#endif

typedef struct data {
  size_t n, rows, columns;
  float *x, *y, *z, *theirs, *w, *b, *mean, *scale;
  int32_t *index, *places, *their_places;
  float alpha, beta;
} data;

/* ---- by hand -------------------------------------------------------------------------------- */

/* A loop, not memcpy with its non-temporal stores. */
static void copy(void *user) {
  data *d = user;
  for (size_t i = 0; i < d->n; i += 64) {
    for (size_t k = i; k < i + 64; k++) d->theirs[k] = d->x[k];
    __asm__ volatile("" : : "r"(d->theirs) : "memory");
  }
}
static void system_copy(void *user) {
  data *d = user;
  memcpy(d->theirs, d->x, d->n * sizeof(float));
  bench_keep(d->theirs);
}
static void __attribute__((noinline))
add_loop(float *restrict z, const float *restrict x, const float *restrict y, size_t n) {
  for (size_t i = 0; i < n; i++) z[i] = x[i] + y[i];
}
static void add(void *user) {
  data *d = user;
  add_loop(d->theirs, d->x, d->z, d->n);
}
static void __attribute__((noinline))
axpby_loop(float *restrict z, const float *restrict x, const float *restrict y, float alpha,
           float beta, size_t n) {
  for (size_t i = 0; i < n; i++) z[i] = alpha * x[i] + beta * y[i];
}
static void axpby(void *user) {
  data *d = user;
  axpby_loop(d->theirs, d->x, d->z, d->alpha, d->beta, d->n);
}
static void transpose(void *user) {
  data *d = user;
  hand_transpose(d->x, d->theirs, d->rows, d->columns);
}
static void softmax(void *user) {
  data *d = user;
  hand_softmax(d->x, d->theirs, d->rows, d->columns);
}
static void rmsnorm(void *user) {
  data *d = user;
  hand_rmsnorm(d->x, d->w, d->theirs, d->rows, d->columns);
}
static void layernorm(void *user) {
  data *d = user;
  hand_layernorm(d->x, d->w, d->b, d->theirs, d->rows, d->columns);
}
static void sum(void *user) {
  data *d = user;
  d->theirs[0] += hand_sum(d->x, d->n);
}
static void argmax(void *user) {
  data *d = user;
  hand_argmax(d->x, d->theirs, d->their_places, d->rows, d->columns);
}
static void cumsum(void *user) {
  data *d = user;
  hand_cumsum(d->x, d->theirs, d->rows, d->columns);
}
static void take(void *user) {
  data *d = user;
  hand_take(d->x, d->index, d->theirs, d->n);
}
static void gather_rows(void *user) {
  data *d = user;
  for (size_t i = 0; i < d->rows; i++)
    memcpy(d->theirs + i * d->columns, d->x + (size_t)d->index[i] * d->columns,
           d->columns * sizeof(float));
}
static void histogram(void *user) {
  data *d = user;
  for (size_t i = 0; i < d->n; i++)
    atomic_fetch_add_explicit((_Atomic int32_t *)&d->their_places[d->index[i]], 1,
                              memory_order_relaxed);
}

/* ---- oneDNN --------------------------------------------------------------------------------- */

#ifdef TSR_HAVE_ONEDNN
typedef struct peer {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t args[5];
  int n;
} peer;

static void must(dnnl_status_t status) {
  if (status == dnnl_success) return;
  fprintf(stderr, "bench: oneDNN failed (%d)\n", (int)status);
  exit(1);
}

static void peer_open(peer *p) {
  memset(p, 0, sizeof *p);
  omp_set_num_threads(1);
  must(dnnl_engine_create(&p->engine, dnnl_cpu, 0));
  must(dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags));
}

static void peer_memory(peer *p, int argument, const dnnl_memory_desc_t *desc, void *memory) {
  p->args[p->n].arg = argument;
  must(dnnl_memory_create(&p->args[p->n++].memory, desc, p->engine, memory));
}

static void peer_primitive(peer *p, const_dnnl_op_desc_t what) {
  dnnl_primitive_desc_t chosen;
  must(dnnl_primitive_desc_create(&chosen, what, NULL, p->engine, NULL));
  must(dnnl_primitive_create(&p->primitive, chosen));
  dnnl_primitive_desc_destroy(chosen);
}

static void peer_run(void *user) {
  peer *p = user;
  must(dnnl_primitive_execute(p->primitive, p->stream, p->n, p->args));
  must(dnnl_stream_wait(p->stream));
}

static void peer_close(peer *p) {
  for (int i = 0; i < p->n; i++) dnnl_memory_destroy(p->args[i].memory);
  dnnl_primitive_destroy(p->primitive);
  dnnl_stream_destroy(p->stream);
  dnnl_engine_destroy(p->engine);
}

static void peer_softmax(peer *p, data *d, float *out, bool logarithm) {
  dnnl_memory_desc_t md;
  peer_open(p);
  must(dnnl_memory_desc_init_by_tag(&md, 2, (dnnl_dims_t){(int64_t)d->rows, (int64_t)d->columns},
                                    dnnl_f32, dnnl_ab));
  dnnl_softmax_v2_desc_t what;
  must(dnnl_softmax_v2_forward_desc_init(&what, dnnl_forward_inference,
                                         logarithm ? dnnl_softmax_log : dnnl_softmax_accurate, &md,
                                         &md, 1));
  peer_primitive(p, &what);
  peer_memory(p, DNNL_ARG_SRC, &md, d->x);
  peer_memory(p, DNNL_ARG_DST, &md, out);
}

static void peer_layernorm(peer *p, data *d, float *out) {
  dnnl_memory_desc_t md, stat, weights;
  peer_open(p);
  must(dnnl_memory_desc_init_by_tag(&md, 2, (dnnl_dims_t){(int64_t)d->rows, (int64_t)d->columns},
                                    dnnl_f32, dnnl_ab));
  must(dnnl_memory_desc_init_by_tag(&stat, 1, (dnnl_dims_t){(int64_t)d->rows}, dnnl_f32, dnnl_a));
  must(dnnl_memory_desc_init_by_tag(&weights, 1, (dnnl_dims_t){(int64_t)d->columns}, dnnl_f32,
                                    dnnl_a));
  dnnl_layer_normalization_desc_t what;
  must(dnnl_layer_normalization_forward_desc_init(&what, dnnl_forward_inference, &md, &stat, 1e-5f,
                                                  dnnl_use_scale | dnnl_use_shift));
  peer_primitive(p, &what);
  peer_memory(p, DNNL_ARG_SRC, &md, d->x);
  peer_memory(p, DNNL_ARG_SCALE, &weights, d->w);
  peer_memory(p, DNNL_ARG_SHIFT, &weights, d->b);
  peer_memory(p, DNNL_ARG_DST, &md, out);
}
#endif

/* ---- tables --------------------------------------------------------------------------------- */

/* From here on elements come from memory on most machines. */
enum { MANY = 16 << 20 };

/* What rows that come from memory and go there can hope for. */
static int beside_copies(bench_side *sides, int n, data *d) {
  if (d->n >= MANY) sides[n++] = (bench_side)BENCH_SIDE("memcpy", system_copy, d);
  return n;
}

static void give(kernel_run *k, void *memory) {
  kernel_give(k, tsr_arg_address(memory));
}
static void give_i32(kernel_run *k, size_t value) {
  kernel_give(k, tsr_arg_i32((int32_t)value));
}

static tsr_grid blocks(size_t n) {
  return (tsr_grid){(uint32_t)n, 1, 1};
}

static void compare(const char *title, bench_side *sides, int n, data *d, size_t moved,
                    double tolerance) {
  kernel_result result = {d->y, &d->theirs, d->n};
  kernel_compare(title, sides, n, &result, 1, tolerance, (double)moved, "GB/s");
}

static void table(const char *title, kernel_run *k, const char *name, void (*hand)(void *), data *d,
                  size_t moved, double tolerance) {
  bench_side sides[] = {BENCH_SIDE("Tessera", kernel_launch, k), BENCH_SIDE(name, hand, d)};
  compare(title, sides, 2, d, moved, tolerance);
}

static void vectors(kernel_env *env, data *d) {
  size_t bytes = d->n * sizeof(float);
  char title[80];
  kernel_run k = kernel_get(env, "vector", "copy_f32", blocks(d->n / 4096));
  give(&k, d->x);
  give(&k, d->y);
  kernel_give(&k, tsr_arg_i64((int64_t)d->n));
  bench_side sides[] = {BENCH_SIDE("Tessera", kernel_launch, &k), BENCH_SIDE("C loop", copy, d),
                        BENCH_SIDE("memcpy", system_copy, d)};
  snprintf(title, sizeof title, "copy, %zu Mi elements", d->n >> 20);
  compare(title, sides, 3, d, 2 * bytes, 0);

  k = kernel_get(env, "vector", "add_f32", blocks(d->n / 4096));
  give(&k, d->x);
  give(&k, d->z);
  give(&k, d->y);
  kernel_give(&k, tsr_arg_i64((int64_t)d->n));
  snprintf(title, sizeof title, "add, %zu Mi elements", d->n >> 20);
  table(title, &k, "C loop", add, d, 3 * bytes, 0);

  k = kernel_get(env, "vector", "axpby_f32", blocks(d->n / 4096));
  give(&k, d->x);
  give(&k, d->z);
  give(&k, d->y);
  kernel_give(&k, tsr_arg_f32(d->alpha));
  kernel_give(&k, tsr_arg_f32(d->beta));
  kernel_give(&k, tsr_arg_i64((int64_t)d->n));
  snprintf(title, sizeof title, "axpby, %zu Mi elements", d->n >> 20);
  table(title, &k, "C loop", axpby, d, 3 * bytes, 1e-6);
}

static void set_rows(data *d, size_t columns) {
  d->columns = columns;
  d->rows = d->n / columns;
}

static void transposes(kernel_env *env, data *d) {
  set_rows(d, 2048);
  kernel_run k = kernel_get(env, "transpose", "transpose_f32",
                            (tsr_grid){(uint32_t)d->rows / 64, (uint32_t)d->columns / 64, 1});
  give(&k, d->x);
  give(&k, d->y);
  give_i32(&k, d->rows);
  give_i32(&k, d->columns);
  char title[80];
  snprintf(title, sizeof title, "transpose, %zu x %zu", d->rows, d->columns);
  bench_side sides[3] = {BENCH_SIDE("Tessera", kernel_launch, &k),
                         BENCH_SIDE(HAND_NAME, transpose, d)};
  compare(title, sides, beside_copies(sides, 2, d), d, 2 * d->n * sizeof(float), 0);
}

static void softmaxes(kernel_env *env, data *d) {
  static const struct {
    const char *file, *kernel;
    size_t columns, each;
  } cases[] = {{"row_softmax", "softmax_f32_128", 128, 32},
               {"row_softmax", "softmax_f32_1024", 1024, 4},
               {"softmax", "softmax_f32_4096", 4096, 1},
               {"row_softmax", "softmax_f32", 16384, 1},
               {"row_softmax", "softmax_f32", 65536, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    set_rows(d, cases[i].columns);
    kernel_run k = kernel_get(env, cases[i].file, cases[i].kernel, blocks(d->rows / cases[i].each));
    give(&k, d->x);
    give(&k, d->y);
    give_i32(&k, d->rows);
    give_i32(&k, d->columns);
    bench_side sides[4] = {BENCH_SIDE("Tessera", kernel_launch, &k),
                           BENCH_SIDE(HAND_NAME, softmax, d)};
    int n = beside_copies(sides, 2, d);
#ifdef TSR_HAVE_ONEDNN
    peer p;
    peer_softmax(&p, d, d->y, false);
    sides[n++] = (bench_side)BENCH_SIDE("oneDNN", peer_run, &p);
#endif
    char title[80];
    snprintf(title, sizeof title, "softmax, %zu x %zu", d->rows, d->columns);
    compare(title, sides, n, d, 2 * d->n * sizeof(float), 1e-5);
#ifdef TSR_HAVE_ONEDNN
    peer_close(&p);
#endif
  }
}

static void norms(kernel_env *env, data *d) {
  static const size_t widths[] = {1024, 4096, 16384};
  for (size_t i = 0; i < 3; i++) {
    set_rows(d, widths[i]);
    char title[80];
    kernel_run k = kernel_get(env, "norm", "rmsnorm_f32", blocks(d->rows));
    give(&k, d->x);
    give(&k, d->w);
    give(&k, d->y);
    give_i32(&k, d->rows);
    give_i32(&k, d->columns);
    kernel_give(&k, tsr_arg_f32(1e-5f));
    snprintf(title, sizeof title, "RMSNorm, %zu x %zu", d->rows, d->columns);
    bench_side first[3] = {BENCH_SIDE("Tessera", kernel_launch, &k),
                           BENCH_SIDE(HAND_NAME, rmsnorm, d)};
    compare(title, first, beside_copies(first, 2, d), d, 2 * d->n * sizeof(float), 1e-4);

    k = kernel_get(env, "norm", "layernorm_f32", blocks(d->rows));
    float *const memory[] = {d->x, d->w, d->b, d->y, d->mean, d->scale};
    for (int m = 0; m < 6; m++) give(&k, memory[m]);
    give_i32(&k, d->rows);
    give_i32(&k, d->columns);
    kernel_give(&k, tsr_arg_f32(1e-5f));
    bench_side sides[4] = {BENCH_SIDE("Tessera", kernel_launch, &k),
                           BENCH_SIDE(HAND_NAME, layernorm, d)};
    int n = beside_copies(sides, 2, d);
#ifdef TSR_HAVE_ONEDNN
    peer p;
    peer_layernorm(&p, d, d->y);
    sides[n++] = (bench_side)BENCH_SIDE("oneDNN", peer_run, &p);
#endif
    snprintf(title, sizeof title, "LayerNorm, %zu x %zu", d->rows, d->columns);
    compare(title, sides, n, d, 2 * d->n * sizeof(float), 1e-4);
#ifdef TSR_HAVE_ONEDNN
    peer_close(&p);
#endif
  }
}

static void reductions(kernel_env *env, data *d) {
  size_t bytes = d->n * sizeof(float);
  set_rows(d, 4096);
  kernel_run k = kernel_get(env, "reduce", "sum_f32", blocks(d->n / 65536));
  give(&k, d->x);
  give(&k, d->y);
  kernel_give(&k, tsr_arg_i64((int64_t)d->n));
  table("sum", &k, HAND_NAME, sum, d, bytes, -1);

  k = kernel_get(env, "reduce", "argmax_f32", blocks(d->rows));
  give(&k, d->x);
  give(&k, d->y);
  give(&k, d->places);
  give_i32(&k, d->rows);
  give_i32(&k, d->columns);
  table("argmax of rows of 4096", &k, HAND_NAME, argmax, d, bytes, -1);
  if (memcmp(d->places, d->their_places, d->rows * sizeof(int32_t)) != 0) exit(1);

  k = kernel_get(env, "scan", "cumsum_f32", blocks(d->rows));
  give(&k, d->x);
  give(&k, d->y);
  give_i32(&k, d->rows);
  give_i32(&k, d->columns);
  table("running sums of rows of 4096", &k, HAND_NAME, cumsum, d, 2 * bytes, 1e-3);
}

static void gathers(kernel_env *env, data *d) {
  size_t bytes = d->n * sizeof(float);
  set_rows(d, 1024);
  for (size_t i = 0; i < d->n; i++) d->index[i] = (int32_t)((i * 7919) % d->n);
  kernel_run k = kernel_get(env, "gather", "take_f32", blocks(d->n / 1024));
  give(&k, d->x);
  give(&k, d->index);
  give(&k, d->y);
  give_i32(&k, d->n);
  give_i32(&k, d->n);
  table("gather of elements", &k, HAND_NAME, take, d, 3 * bytes, 0);

  for (size_t i = 0; i < d->rows; i++) d->index[i] = (int32_t)((i * 7919) % d->rows);
  k = kernel_get(env, "gather", "gather_rows_f32",
                 (tsr_grid){(uint32_t)d->rows / 16, (uint32_t)d->columns / 256, 1});
  give(&k, d->x);
  give(&k, d->index);
  give(&k, d->y);
  give_i32(&k, d->rows);
  give_i32(&k, d->columns);
  give_i32(&k, d->rows);
  table("gather of rows of 1024", &k, "memcpy", gather_rows, d, 2 * bytes, 0);

  size_t n = d->n / 8; /* atomics are slow */
  for (size_t i = 0; i < n; i++) d->index[i] = (int32_t)((i * 2654435761u >> 7) & 1023);
  data part = *d;
  part.n = n;
  k = kernel_get(env, "histogram", "histogram_i32", blocks(n / 1024));
  give(&k, d->index);
  give(&k, d->places);
  give_i32(&k, n);
  give_i32(&k, 1024);
  table("histogram of 1024 bins, by atomics", &k, "C atomics", histogram, &part,
        n * sizeof(int32_t), -1);
}

static data data_new(size_t n) {
  data d = {.n = n, .alpha = 2, .beta = -0.5f};
  float **const memory[] = {&d.x, &d.y, &d.z, &d.theirs};
  for (int i = 0; i < 4; i++) *memory[i] = bench_alloc(n * sizeof(float));
  float **const small[] = {&d.w, &d.b, &d.mean, &d.scale};
  for (int i = 0; i < 4; i++) *small[i] = bench_alloc(65536 * sizeof(float));
  d.index = bench_alloc(n * sizeof(int32_t));
  d.places = bench_alloc(n * sizeof(int32_t));
  d.their_places = bench_alloc(n * sizeof(int32_t));
  bench_fill(d.x, n, 1);
  bench_fill(d.z, n, 2);
  bench_fill(d.w, 65536, 3);
  bench_fill(d.b, 65536, 4);
  return d;
}

static void data_free(data *d) {
  void *const memory[] = {d->x,    d->y,     d->z,     d->theirs, d->w,           d->b,
                          d->mean, d->scale, d->index, d->places, d->their_places};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Memory-bound kernels, 1 thread");
  kernel_env env;
  kernel_env_open(&env, 1);
  data d = data_new((size_t)2 << 20);
  vectors(&env, &d);
  transposes(&env, &d);
  softmaxes(&env, &d);
  norms(&env, &d);
  reductions(&env, &d);
  gathers(&env, &d);
  data_free(&d);
  d = data_new(MANY);
  vectors(&env, &d);
  transposes(&env, &d);
  softmaxes(&env, &d);
  norms(&env, &d);
  data_free(&d);
  kernel_env_close(&env);
  return 0;
}
