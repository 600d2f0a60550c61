/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products through Tile IR (kernels/gemm*.mlir) beside OpenBLAS and oneDNN, where these are
 * installed, and beside the processor's own rate of multiply-adds in the same turns:
 *
 *   bench_gemm [text]    only the cases whose name contains it: "f32 2048", "thin", "2 threads"
 *
 * Where no library has the product, the peer is our own plain one.
 */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>

#include <tessera/tessera.h>

#include "bench.h"

#ifdef TSR_HAVE_OPENBLAS
#include <cblas.h>
#endif
#ifdef TSR_HAVE_ONEDNN
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#endif

typedef enum peer {
  PEER_NONE,
  PEER_SGEMM, /* OpenBLAS, oneDNN */
  PEER_DGEMM, /* OpenBLAS */
  PEER_BF16,  /* oneDNN */
  PEER_U8S8,  /* oneDNN */
  PEER_S8S8,  /* oneDNN */
  PEER_PLAIN, /* the f32 kernel of ours */
} peer;

typedef enum shape {
  SHAPE_PLAIN,
  SHAPE_STRIDED,
  SHAPE_BATCHED,
  SHAPE_GROUPED,
  SHAPE_EPILOGUE,
  SHAPE_WEIGHT_ONLY, /* reported in bytes of weights */
} shape;

typedef struct test_case {
  const char *name, *file, *kernel;
  peer peer;
  shape shape;
  int size; /* bytes of an element of A and B */
  int tile_m, tile_n;
  int m, n, k;
  int batches;
  int layers; /* as many right operands, used in turns: 1, or more than caches hold */
} test_case;

#define T128 128, 128
#define F32(name, m, n, k)                                                                         \
  { name, "gemm", "gemm_f32_128x128x64", PEER_SGEMM, SHAPE_PLAIN, 4, T128, m, n, k, 1, 1 }
#define THIN(name, m)                                                                              \
  {                                                                                                \
    name, "gemm_thin", m == 1 ? "gemm_thin_f32_1x1024x32" : "gemm_thin_f32_16x1024x16",            \
        PEER_SGEMM, SHAPE_PLAIN, 4, m == 1 ? 1 : 16, 1024, m, 4096, 4096, 1, 1                     \
  }
#define TYPE(name, kernel, peer, size, s)                                                          \
  { name, "gemm", "gemm_" kernel "_128x128x64", peer, SHAPE_PLAIN, size, T128, s, s, s, 1, 1 }
#define LAYOUT(name, kernel, shape, s, batches)                                                    \
  { name, "gemm_layouts", kernel, PEER_PLAIN, shape, 4, T128, s, s, s, batches, 1 }
#define EPILOGUE(name, kernel)                                                                     \
  { name, "gemm_epilogue", kernel, PEER_PLAIN, SHAPE_EPILOGUE, 4, T128, 2048, 2048, 2048, 1, 1 }
#define WEIGHTS_IN_TURNS(name, kernel, m, tile_m, tile_n, layers)                                  \
  {                                                                                                \
    name, "gemm_weight_only", kernel, PEER_NONE, SHAPE_WEIGHT_ONLY, 2, tile_m, tile_n, m, 4096,    \
        4096, 1, layers                                                                            \
  }
/* From a cache, as one matrix is 8 MB only, and as in a model, where each layer has its own. */
#define WEIGHTS(name, kernel, m, tile_m, tile_n)                                                   \
  WEIGHTS_IN_TURNS(name, kernel, m, tile_m, tile_n, 1)                                             \
  , WEIGHTS_IN_TURNS(name " from memory", kernel, m, tile_m, tile_n, 16)

static const test_case cases[] = {
    F32("f32 256", 256, 256, 256),
    F32("f32 512", 512, 512, 512),
    F32("f32 1024", 1024, 1024, 1024),
    F32("f32 2048", 2048, 2048, 2048),
    F32("f32 4096", 4096, 4096, 4096),
    F32("f32 1000", 1000, 1000, 1000),
    F32("f32 1023x1025x1027", 1023, 1025, 1027),
    F32("f32 4096x4096x64", 4096, 4096, 64),
    F32("f32 64x4096x4096", 64, 4096, 4096),
    THIN("f32 thin 1x4096x4096", 1),
    THIN("f32 thin 4x4096x4096", 4),
    THIN("f32 thin 16x4096x4096", 16),
    TYPE("f64 1024", "f64", PEER_DGEMM, 8, 1024),
    TYPE("bf16 1024", "bf16", PEER_BF16, 2, 1024),
    TYPE("bf16 2048", "bf16", PEER_BF16, 2, 2048),
    TYPE("u8s8 1024", "u8s8", PEER_U8S8, 1, 1024),
    TYPE("u8s8 2048", "u8s8", PEER_U8S8, 1, 2048),
    TYPE("s8 1024", "s8", PEER_S8S8, 1, 1024),
    TYPE("f16 1024", "f16", PEER_PLAIN, 2, 1024),
    TYPE("tf32 1024", "tf32", PEER_PLAIN, 4, 1024),
    TYPE("f8E4M3FN 1024", "f8E4M3FN", PEER_PLAIN, 1, 1024),
    TYPE("f8E5M2 1024", "f8E5M2", PEER_PLAIN, 1, 1024),
    LAYOUT("tn 1024", "gemm_tn", SHAPE_PLAIN, 1024, 1),
    LAYOUT("nt 1024", "gemm_nt", SHAPE_PLAIN, 1024, 1),
    LAYOUT("tt 1024", "gemm_tt", SHAPE_PLAIN, 1024, 1),
    LAYOUT("strided 1024", "gemm_strided", SHAPE_STRIDED, 1024, 1),
    LAYOUT("batched 16x512", "gemm_batched", SHAPE_BATCHED, 512, 16),
    LAYOUT("grouped 16x512", "gemm_grouped", SHAPE_GROUPED, 512, 16),
    EPILOGUE("bias 2048", "gemm_bias"),
    EPILOGUE("bias, gelu 2048", "gemm_bias_gelu"),
    EPILOGUE("residual 2048", "gemm_residual"),
    EPILOGUE("scale 2048", "gemm_scale"),
    WEIGHTS("i4 1x4096x4096", "gemm_i4_bf16_1x1024x32", 1, 1, 2048),
    WEIGHTS("i4 4x4096x4096", "gemm_i4_bf16_16x1024x32", 4, 16, 2048),
    WEIGHTS("i4 16x4096x4096", "gemm_i4_bf16_16x1024x32", 16, 16, 2048),
    WEIGHTS("f4 1x4096x4096", "gemm_f4E2M1FN_bf16_1x1024x32", 1, 1, 1024),
    WEIGHTS("f4 4x4096x4096", "gemm_f4E2M1FN_bf16_16x1024x32", 4, 16, 1024),
    WEIGHTS("f4 16x4096x4096", "gemm_f4E2M1FN_bf16_16x1024x32", 16, 16, 1024),
};

/* ---- ours ----------------------------------------------------------------------------------- */

typedef struct problem {
  const test_case *what;
  void *a, *b, *c, *reference, *x;
  int32_t *starts;
  tsr_module *module;
  tsr_program *program;
  tsr_kernel *kernel;
  tsr_grid grid;
  tsr_arg args[12];
  unsigned n_args;
  int turn; /* of layers */
  unsigned threads;
} problem;

static void say(void *user, const tsr_diagnostic *d) {
  (void)user;
  fprintf(stderr, "%s\n", d->message);
}

/* The right operand whose turn it is. */
static const uint8_t *next_layer(problem *p) {
  const test_case *t = p->what;
  if (t->layers == 1) return p->b;
  p->turn = (p->turn + 1) % t->layers;
  return (const uint8_t *)p->b + (size_t)p->turn * (size_t)t->n * (size_t)t->k / 2;
}

static void ours(void *user) {
  problem *p = user;
  p->args[1] = tsr_arg_address((void *)next_layer(p));
  if (tsr_launch(p->kernel, p->grid, p->args, p->n_args) != TSR_OK) exit(1);
}

static void open_kernel(problem *p, tsr_context *context, tsr_device *device, const char *file,
                        const char *kernel) {
  char path[128];
  snprintf(path, sizeof path, "kernels/%s.mlir", file);
  p->module = tsr_module_load(context, path, TSR_PARSE_DEFAULT);
  p->program = p->module ? tsr_program_create(device, p->module) : NULL;
  p->kernel = p->program ? tsr_kernel_get(p->program, kernel) : NULL;
  if (!p->kernel) exit(1);
}

static void close_kernel(problem *p) {
  tsr_program_destroy(p->program);
  tsr_module_destroy(p->module);
}

static void add(problem *p, tsr_arg arg) {
  p->args[p->n_args++] = arg;
}

static void set_arguments(problem *p, shape how) {
  const test_case *t = p->what;
  p->n_args = 0;
  add(p, tsr_arg_address(p->a));
  add(p, tsr_arg_address(p->b));
  if (how == SHAPE_WEIGHT_ONLY) add(p, tsr_arg_address(p->x));
  add(p, tsr_arg_address(p->c));
  if (how == SHAPE_BATCHED) add(p, tsr_arg_i32(t->batches));
  if (how == SHAPE_GROUPED) add(p, tsr_arg_address(p->starts));
  add(p, tsr_arg_i32(how == SHAPE_GROUPED ? t->m * t->batches : t->m));
  add(p, tsr_arg_i32(t->n));
  add(p, tsr_arg_i32(t->k));
  if (how == SHAPE_EPILOGUE) add(p, tsr_arg_address(p->x));
  if (how == SHAPE_STRIDED) {
    add(p, tsr_arg_i32(t->k + 48));
    add(p, tsr_arg_i32(t->n + 80));
    add(p, tsr_arg_i32(t->n + 16));
  }
  p->grid = (tsr_grid){(uint32_t)((t->m + t->tile_m - 1) / t->tile_m),
                       (uint32_t)((t->n + t->tile_n - 1) / t->tile_n), (uint32_t)t->batches};
}

/* ---- peers ---------------------------------------------------------------------------------- */

#ifdef TSR_HAVE_OPENBLAS
static void openblas(void *user) {
  const problem *p = user;
  const test_case *t = p->what;
  if (t->peer == PEER_DGEMM)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, t->m, t->n, t->k, 1, p->a, t->k, p->b,
                t->n, 0, p->reference, t->n);
  else
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, t->m, t->n, t->k, 1, p->a, t->k, p->b,
                t->n, 0, p->reference, t->n);
}
#endif

#ifdef TSR_HAVE_ONEDNN
static struct {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t product;
  dnnl_exec_arg_t args[3];
} bf16;

static void must(dnnl_status_t status) {
  if (status == dnnl_success) return;
  fprintf(stderr, "oneDNN failed: %d\n", (int)status);
  exit(1);
}

static void open_bf16(const problem *p) {
  const test_case *t = p->what;
  const dnnl_dims_t sizes[3] = {{t->m, t->k}, {t->k, t->n}, {t->m, t->n}};
  static const int names[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
  void *data[] = {p->a, p->b, p->reference};
  dnnl_memory_desc_t descs[3];
  must(dnnl_engine_create(&bf16.engine, dnnl_cpu, 0));
  must(dnnl_stream_create(&bf16.stream, bf16.engine, dnnl_stream_default_flags));
  for (int i = 0; i < 3; i++) {
    dnnl_memory_desc_init_by_tag(&descs[i], 2, sizes[i], i == 2 ? dnnl_f32 : dnnl_bf16, dnnl_ab);
    bf16.args[i].arg = names[i];
    must(dnnl_memory_create(&bf16.args[i].memory, &descs[i], bf16.engine, data[i]));
  }
  dnnl_matmul_desc_t what;
  dnnl_primitive_desc_t chosen;
  must(dnnl_matmul_desc_init(&what, &descs[0], &descs[1], NULL, &descs[2]));
  must(dnnl_primitive_desc_create(&chosen, &what, NULL, bf16.engine, NULL));
  must(dnnl_primitive_create(&bf16.product, chosen));
  must(dnnl_primitive_desc_destroy(chosen));
}

static void close_bf16(void) {
  for (int i = 0; i < 3; i++) dnnl_memory_destroy(bf16.args[i].memory);
  dnnl_primitive_destroy(bf16.product);
  dnnl_stream_destroy(bf16.stream);
  dnnl_engine_destroy(bf16.engine);
}

static void onednn(void *user) {
  const problem *p = user;
  const test_case *t = p->what;
  int32_t zero = 0;
  switch (t->peer) {
  case PEER_SGEMM:
    must(dnnl_sgemm('N', 'N', t->m, t->n, t->k, 1, p->a, t->k, p->b, t->n, 0, p->reference, t->n));
    return;
  case PEER_U8S8:
    must(dnnl_gemm_u8s8s32('N', 'N', 'F', t->m, t->n, t->k, 1, p->a, t->k, 0, p->b, t->n, 0, 0,
                           p->reference, t->n, &zero));
    return;
  case PEER_S8S8:
    must(dnnl_gemm_s8s8s32('N', 'N', 'F', t->m, t->n, t->k, 1, p->a, t->k, 0, p->b, t->n, 0, 0,
                           p->reference, t->n, &zero));
    return;
  default:
    must(dnnl_primitive_execute(bf16.product, bf16.stream, 3, bf16.args));
    must(dnnl_stream_wait(bf16.stream));
    return;
  }
}
#endif

/* The rate of independent multiply-adds on registers: what there is to reach. As many as the
 * product has on each thread: the clock goes up and down by a few hundredths from one moment to the
 * next, so the best of many short runs is more than any long one could have. */
#if defined(__AVX512F__)
enum { PEAK_LANES = 16 };
#elif defined(__AVX__)
enum { PEAK_LANES = 8 };
#else
enum { PEAK_LANES = 4 };
#endif
/* The latency of a multiply-add times the number of them that begin in a cycle is at most 10, and
 * 16 registers hold the chains. */
enum { PEAK_CHAINS = 12 };

#if defined(__x86_64__)
#define IN_VECTOR_REGISTER "+x"
#else
#define IN_VECTOR_REGISTER "+w"
#endif

typedef struct peak_work {
  float start[PEAK_LANES];
  int64_t rounds;
} peak_work;

static int64_t peak_rounds(const test_case *t, unsigned threads) {
  double sums = (double)t->m * t->n * t->k * t->batches / threads;
  return (int64_t)(sums / (PEAK_CHAINS * PEAK_LANES)) + 1;
}

#define CHAINS(each)                                                                               \
  each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7) each(8) each(9) each(10) each(11)
#define CHAIN_BEGIN(i) lanes sum##i = x;
#define CHAIN_STEP(i)                                                                              \
  sum##i = sum##i * x + y;                                                                         \
  __asm__ volatile("" : IN_VECTOR_REGISTER(sum##i));
#define CHAIN_END(i) out += sum##i;

static void peak(void *user) {
  typedef float lanes __attribute__((vector_size(PEAK_LANES * sizeof(float))));
  const peak_work *work = user;
  lanes x, y, out = {0};
  memcpy(&x, work->start, sizeof x);
  y = x * 0.5f;
  CHAINS(CHAIN_BEGIN)
  for (int64_t r = 0; r < work->rounds; r++) {
    CHAINS(CHAIN_STEP)
  }
  CHAINS(CHAIN_END)
  bench_keep(&out);
}

/* All bytes of the weights, once: a part of them by each thread. */
typedef struct part {
  const uint64_t *at, *end;
  uint64_t sum;
} part;

static void *read_part(void *user) {
  part *p = user;
  uint64_t sum = 0;
  for (const uint64_t *at = p->at; at < p->end; at++) sum += *at;
  p->sum = sum;
  return NULL;
}

/* What the second thread reads; an empty part ends it. */
static struct {
  pthread_t thread;
  sem_t begin, done;
  part part;
} reader;

/* Sleeps only when it takes long: waking up would take longer than reading. */
static void wait_for(sem_t *s) {
  enum { TRIES = 30000 };
  for (int i = 0; i < TRIES; i++)
    if (sem_trywait(s) == 0) return;
  sem_wait(s);
}

static void *reader_main(void *user) {
  (void)user;
  for (;;) {
    wait_for(&reader.begin);
    if (reader.part.at == reader.part.end) return NULL;
    read_part(&reader.part);
    sem_post(&reader.done);
  }
}

static void read_all(void *user) {
  problem *p = user;
  size_t words = (size_t)p->what->n * (size_t)p->what->k / 16;
  const uint64_t *at = (const uint64_t *)next_layer(p);
  part mine = {at, at + words / p->threads, 0};
  if (p->threads > 1) {
    reader.part = (part){mine.end, at + words, 0};
    sem_post(&reader.begin);
  }
  read_part(&mine);
  if (p->threads > 1) wait_for(&reader.done);
  bench_keep(&mine.sum);
}

static void start_reading(const problem *p) {
  if (p->threads == 1) return;
  sem_init(&reader.begin, 0, 0);
  sem_init(&reader.done, 0, 0);
  if (pthread_create(&reader.thread, NULL, reader_main, NULL) != 0) exit(1);
}

static void end_reading(const problem *p) {
  if (p->threads == 1) return;
  reader.part = (part){0};
  sem_post(&reader.begin);
  pthread_join(reader.thread, NULL);
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* Numbers of bf16 as they come out of a layer: normally distributed, nearly. */
static void fill_normal(uint16_t *to, size_t count) {
  enum { UNIFORM = 12 }; /* that many, added up, less their mean */
  float *drawn = bench_alloc(count * UNIFORM * sizeof *drawn);
  bench_fill(drawn, count * UNIFORM, 1);
  for (size_t i = 0; i < count; i++) {
    float sum = 0;
    for (size_t k = 0; k < UNIFORM; k++) sum += drawn[i * UNIFORM + k];
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    to[i] = (uint16_t)(bits >> 16);
  }
  free(drawn);
}

static void fill(problem *p) {
  const test_case *t = p->what;
  size_t a = (size_t)(t->m + 64) * (size_t)(t->k + 128) * (size_t)t->batches;
  size_t b = (size_t)(t->n + 128) * (size_t)(t->k + 128) * (size_t)t->batches;
  size_t c = (size_t)(t->m + 64) * (size_t)(t->n + 128) * (size_t)t->batches;
  p->a = bench_alloc(a * 8);
  p->b = bench_alloc(b * 8);
  p->c = bench_alloc(c * 8);
  p->reference = bench_alloc(c * 8);
  p->x = bench_alloc(c * 4);
  if (t->size == 4) {
    bench_fill(p->a, a, 1);
    bench_fill(p->b, b, 2);
  } else if (t->size == 8) {
    for (size_t i = 0; i < a; i++) ((double *)p->a)[i] = (double)(i % 17) - 8;
    for (size_t i = 0; i < b; i++) ((double *)p->b)[i] = (double)(i % 19) - 9;
  } else if (t->size == 2) { /* from 1 to 2 in f16 and around 1 in bf16 */
    for (size_t i = 0; i < a; i++) ((uint16_t *)p->a)[i] = (uint16_t)(0x3f00 + i * 7 % 127);
    for (size_t i = 0; i < b; i++) ((uint16_t *)p->b)[i] = (uint16_t)(0x3f00 + i * 11 % 127);
    if (t->shape == SHAPE_WEIGHT_ONLY) {
      fill_normal(p->a, a);
      for (size_t i = 0; i < b * 8; i++) ((uint8_t *)p->b)[i] = (uint8_t)(i * 2654435761u >> 16);
    }
  } else { /* small finite numbers in every format */
    for (size_t i = 0; i < a * (size_t)t->size; i++) ((uint8_t *)p->a)[i] = (uint8_t)(i * 7 % 59);
    for (size_t i = 0; i < b * (size_t)t->size; i++) ((uint8_t *)p->b)[i] = (uint8_t)(i * 11 % 61);
  }
  bench_fill(p->x, c, 3);
  p->starts = calloc((size_t)t->batches + 1, sizeof *p->starts);
  if (!p->starts) exit(1);
  for (int g = 0; g <= t->batches; g++) p->starts[g] = g * t->m;
}

static void release(problem *p) {
  free(p->a);
  free(p->b);
  free(p->c);
  free(p->reference);
  free(p->x);
  free(p->starts);
}

static void report_extremes(const bench_side *sides, int n, int at_peak, int64_t rounds,
                            double work) {
  const char *gap = "  at best:";
  for (int i = 0; i < n; i++) {
    if (i == at_peak) continue;
    printf("%s %s %.1f", gap, sides[i].name, work / sides[i].best * 1e-9);
    gap = ",";
  }
  if (at_peak >= 0) {
    double top = 2.0 * PEAK_CHAINS * PEAK_LANES * (double)rounds / sides[at_peak].best;
    printf(" GFLOP/s; Tessera reaches %.2f of one core's f32 peak, %.1f",
           work / sides[0].best / top, top * 1e-9);
  }
  printf("\n");
}

static bool same(const problem *p) {
  const test_case *t = p->what;
  size_t count = (size_t)t->m * (size_t)t->n;
  switch (t->peer) {
  case PEER_DGEMM:
  case PEER_U8S8:
  case PEER_S8S8: return memcmp(p->c, p->reference, count * (t->peer == PEER_DGEMM ? 8 : 4)) == 0;
  case PEER_SGEMM:
  case PEER_BF16: return bench_difference(p->c, p->reference, count) <= 1e-4 * sqrt((double)t->k);
  default: return true;
  }
}

static void measure(tsr_context *context, const test_case *t, unsigned threads) {
  tsr_device_options options = {.struct_size = sizeof options, .threads = threads, .cache_dir = ""};
  tsr_device *device = tsr_device_open(context, "cpu", &options);
  if (!device) exit(1);
  problem p = {.what = t, .threads = threads};
  fill(&p);
  open_kernel(&p, context, device, t->file, t->kernel);
  set_arguments(&p, t->shape);
  problem plain = p;
  test_case bare = *t;
  bench_side sides[4] = {BENCH_SIDE("Tessera", ours, &p)};
  int n = 1, at_peak = -1;
  if (t->peer == PEER_PLAIN) {
    bare.tile_m = bare.tile_n = 128;
    if (t->shape == SHAPE_BATCHED || t->shape == SHAPE_GROUPED) bare.m *= bare.batches;
    bare.batches = 1;
    plain.what = &bare;
    plain.c = p.reference;
    if (t->size < 4) { /* bits of narrow types are no numbers to multiply */
      plain.a = bench_alloc((size_t)t->m * (size_t)t->k * 4);
      plain.b = bench_alloc((size_t)t->k * (size_t)t->n * 4);
      bench_fill(plain.a, (size_t)t->m * (size_t)t->k, 1);
      bench_fill(plain.b, (size_t)t->k * (size_t)t->n, 2);
    }
    open_kernel(&plain, context, device, "gemm", "gemm_f32_128x128x64");
    set_arguments(&plain, SHAPE_PLAIN);
    sides[n++] = (bench_side)BENCH_SIDE("plain f32", ours, &plain);
  }
#ifdef TSR_HAVE_OPENBLAS
  openblas_set_num_threads((int)threads);
  if (t->peer == PEER_SGEMM || t->peer == PEER_DGEMM)
    sides[n++] = (bench_side)BENCH_SIDE("OpenBLAS", openblas, &p);
#endif
#ifdef TSR_HAVE_ONEDNN
  omp_set_num_threads((int)threads);
  if (t->peer == PEER_BF16) open_bf16(&p);
  if (t->peer == PEER_SGEMM || t->peer == PEER_BF16 || t->peer == PEER_U8S8 || t->peer == PEER_S8S8)
    sides[n++] = (bench_side)BENCH_SIDE("oneDNN", onednn, &p);
#endif
  double work = 2.0 * t->m * t->n * t->k * t->batches;
  const char *unit = "GFLOP/s";
  peak_work most = {.rounds = peak_rounds(t, threads)};
  if (t->shape == SHAPE_WEIGHT_ONLY) {
    work = 0.5 * t->n * t->k;
    unit = "GB/s";
    start_reading(&p);
    sides[n++] = (bench_side)BENCH_SIDE("read", read_all, &p);
  } else {
    at_peak = n;
    bench_fill(most.start, PEAK_LANES, 4);
    sides[n++] = (bench_side)BENCH_SIDE("peak", peak, &most);
  }
  bench_measure(sides, n, 0.4);
  if (t->shape == SHAPE_WEIGHT_ONLY) end_reading(&p);
  char title[160];
  snprintf(title, sizeof title, "%s, %u thread%s, compiled in %.1f ms, %.0f KB of scratch", t->name,
           threads, threads == 1 ? "" : "s", tsr_kernel_compile_ms(p.kernel),
           (double)tsr_kernel_scratch_bytes(p.kernel) / 1024);
  bench_print(title, sides, at_peak >= 0 ? at_peak : n, work, unit);
  report_extremes(sides, n, at_peak, most.rounds, work);
  if (n > 1 + (at_peak >= 0) && !same(&p)) {
    fprintf(stderr, "the results differ\n");
    exit(1);
  }
#ifdef TSR_HAVE_ONEDNN
  if (t->peer == PEER_BF16) close_bf16();
#endif
  if (t->peer == PEER_PLAIN) close_kernel(&plain);
  if (plain.a != p.a) {
    free(plain.a);
    free(plain.b);
  }
  close_kernel(&p);
  release(&p);
  tsr_device_close(device);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Matrix products, kernels/gemm*.mlir");
  tsr_context *context = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options), .on_diagnostic = say});
  for (unsigned threads = 1; threads <= 2; threads++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      char name[128];
      snprintf(name, sizeof name, "%s, %u thread%s", cases[i].name, threads,
               threads == 1 ? "" : "s");
      if (bench_wanted(name)) measure(context, &cases[i], threads);
    }
  tsr_context_destroy(context);
  return 0;
}
