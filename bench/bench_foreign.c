/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Programs that nobody tuned: those of bench/foreign/programs.py, as cuTile hands them over, beside
 * plain C loops (bench/foreign/loops.c) by gcc and clang at -O3 for this machine, without and with
 * -ffast-math, with one thread; and with two, beside the loops with OpenMP. What counts is the
 * ratio to the best loop without -ffast-math.
 *
 *   bench_foreign [text]    only the programs whose title contains it: "haar", "2 threads"
 */
#include <math.h>
#include <stddef.h>

#include "bench_kernel.h"
#include "foreign/loops.h"

#ifdef TSR_HAVE_FOREIGN_GCC
extern const foreign_loops foreign_gcc, foreign_gcc_fast;
#endif
#ifdef TSR_HAVE_FOREIGN_THREADS
extern const foreign_loops foreign_gcc_threads;
#endif
#ifdef TSR_HAVE_FOREIGN_CLANG
extern const foreign_loops foreign_clang, foreign_clang_fast;
#endif

typedef struct loops_side {
  const char *name;
  const foreign_loops *loops;
  bool counts; /* as what a program is held against */
  unsigned threads;
} loops_side;

enum { MOST_THREADS = 2 };

static const loops_side loops_sides[] = {
#ifdef TSR_HAVE_FOREIGN_GCC
    {"gcc", &foreign_gcc, true, 1},
    {"gcc, fast-math", &foreign_gcc_fast, false, 1},
#endif
#ifdef TSR_HAVE_FOREIGN_CLANG
    {"clang", &foreign_clang, true, 1},
    {"clang, fast-math", &foreign_clang_fast, false, 1},
#endif
#ifdef TSR_HAVE_FOREIGN_THREADS
    {"gcc, OpenMP", &foreign_gcc_threads, true, 2},
#endif
};

/* What an array begins with. */
typedef enum content {
  NOISE,     /* f32 of [-1, 1] */
  FRACTIONS, /* f32 of [0, 1] */
  BITS,      /* random bytes */
  NUMBERS,   /* i32 of [0, extent) */
  STARTS,    /* i32: rows of up to 64 elements, one behind the other */
  RESULT,    /* nothing; and it is compared, as f32 or byte by byte */
} content;

typedef struct array_case {
  uint8_t bytes; /* of an element; 0: there is no array */
  content content;
  int extent[2]; /* 0: there is no such dimension */
  int below;     /* of NUMBERS */
} array_case;

enum { ARRAYS = 5, NUMBERS_MAX = 2 };

typedef struct program_case {
  const char *name;
  size_t loop; /* its place in foreign_loops */
  array_case arrays[ARRAYS];
  int n_numbers, number[NUMBERS_MAX];
  tsr_grid grid;
  double tolerance; /* of results; 0: bit by bit */
} program_case;

#define PROGRAM(program) .name = #program, .loop = offsetof(foreign_loops, program)

enum { N = 100000, ROWS = 100, COLUMNS = 1000, LINES = 300, PIXELS = 500 };

static const program_case cases[] = {
    {PROGRAM(stencil_1d), .arrays = {{4, NOISE, {N}}, {4, RESULT, {N}}}, .grid = {98, 1, 1},
     .tolerance = 1e-6},
    {PROGRAM(stencil_2d), .arrays = {{4, NOISE, {LINES, PIXELS}}, {4, RESULT, {LINES, PIXELS}}},
     .grid = {LINES, 2, 1}, .tolerance = 1e-6},
    {PROGRAM(filter_3x3),
     .arrays = {{4, NOISE, {LINES, PIXELS}}, {4, NOISE, {3, 3}}, {4, RESULT, {LINES, PIXELS}}},
     .grid = {19, 8, 1}, .tolerance = 1e-5},
    {PROGRAM(clamped_blur), .arrays = {{4, NOISE, {N}}, {4, RESULT, {N}}}, .n_numbers = 1,
     .number = {N}, .grid = {98, 1, 1}, .tolerance = 1e-5},
    {PROGRAM(grey), .arrays = {{1, BITS, {N, 3}}, {1, RESULT, {N}}}, .grid = {98, 1, 1}},
    {PROGRAM(complex_mul), .arrays = {{4, NOISE, {N}}, {4, NOISE, {N}}, {4, RESULT, {N}}},
     .grid = {49, 1, 1}, .tolerance = 1e-5},
    {PROGRAM(reverse), .arrays = {{4, NOISE, {N}}, {4, RESULT, {N}}}, .n_numbers = 1, .number = {N},
     .grid = {98, 1, 1}},
    {PROGRAM(softmax), .arrays = {{4, NOISE, {ROWS, COLUMNS}}, {4, RESULT, {ROWS, COLUMNS}}},
     .grid = {ROWS, 1, 1}, .tolerance = 1e-5},
    {PROGRAM(silu_and_mul),
     .arrays = {{4, NOISE, {ROWS, 2 * COLUMNS}}, {4, RESULT, {ROWS, COLUMNS}}}, .n_numbers = 1,
     .number = {COLUMNS}, .grid = {ROWS, 1, 1}, .tolerance = 1e-5},
    {PROGRAM(rms_norm),
     .arrays = {{4, NOISE, {ROWS, COLUMNS}}, {4, NOISE, {COLUMNS}}, {4, RESULT, {ROWS, COLUMNS}}},
     .n_numbers = 1, .number = {COLUMNS}, .grid = {ROWS, 1, 1}, .tolerance = 1e-4},
    {PROGRAM(cross_entropy),
     .arrays = {{4, NOISE, {ROWS, COLUMNS}}, {4, NUMBERS, {ROWS}, COLUMNS}, {4, RESULT, {ROWS}}},
     .grid = {ROWS, 1, 1}, .tolerance = 1e-4},
    {PROGRAM(quantise),
     .arrays = {{4, NOISE, {ROWS, COLUMNS}}, {1, RESULT, {ROWS, COLUMNS}}, {4, RESULT, {ROWS}}},
     .grid = {ROWS, 1, 1}, .tolerance = 1e-5},
    {PROGRAM(prefix_sum), .arrays = {{4, NOISE, {ROWS, COLUMNS}}, {4, RESULT, {ROWS, COLUMNS}}},
     .grid = {ROWS, 1, 1}, .tolerance = 1e-3},
    {PROGRAM(sparse_rows),
     .arrays = {{4, STARTS, {2001}},
                {4, NUMBERS, {64000}, 2000},
                {4, NOISE, {64000}},
                {4, NOISE, {2000}},
                {4, RESULT, {2000}}},
     .grid = {2000, 1, 1}, .tolerance = 1e-4},
    {PROGRAM(interpolate), .arrays = {{4, NOISE, {1000}}, {4, FRACTIONS, {N}}, {4, RESULT, {N}}},
     .n_numbers = 1, .number = {1000, N}, .grid = {98, 1, 1}, .tolerance = 1e-4},
    {PROGRAM(knapsack), .arrays = {{4, NUMBERS, {N}, 1000}, {4, RESULT, {N}}}, .n_numbers = 2,
     .number = {37, 11}, .grid = {98, 1, 1}},
    {PROGRAM(xorshift), .arrays = {{4, BITS, {N}}, {4, RESULT, {N}}}, .grid = {98, 1, 1}},
    {PROGRAM(bitonic_step), .arrays = {{4, NOISE, {65536}}, {4, RESULT, {65536}}}, .n_numbers = 2,
     .number = {64, 1024}, .grid = {64, 1, 1}},
    {PROGRAM(life), .arrays = {{1, BITS, {LINES, PIXELS}}, {1, RESULT, {LINES, PIXELS}}},
     .grid = {LINES, 1, 1}},
    {PROGRAM(sobel), .arrays = {{1, BITS, {LINES, PIXELS}}, {1, RESULT, {LINES, PIXELS}}},
     .grid = {LINES, 1, 1}},
    {PROGRAM(bilinear), .arrays = {{4, NOISE, {LINES, PIXELS}}, {4, RESULT, {LINES, PIXELS}}},
     .grid = {LINES, 2, 1}, .tolerance = 1e-4},
    {PROGRAM(haar), .arrays = {{4, NOISE, {N}}, {4, RESULT, {N / 2}}, {4, RESULT, {N / 2}}},
     .grid = {49, 1, 1}, .tolerance = 1e-6},
    {PROGRAM(butterfly),
     .arrays = {{4, NOISE, {65536}},
                {4, NOISE, {65536}},
                {4, NOISE, {1024}},
                {4, RESULT, {65536}},
                {4, RESULT, {65536}}},
     .n_numbers = 1, .number = {256}, .grid = {32, 1, 1}, .tolerance = 1e-5},
    {PROGRAM(dequantise),
     .arrays = {{1, BITS, {ROWS, COLUMNS / 2}}, {4, NOISE, {ROWS}}, {4, RESULT, {ROWS, COLUMNS}}},
     .grid = {ROWS, 1, 1}, .tolerance = 1e-6},
    {PROGRAM(layer_norm),
     .arrays = {{4, NOISE, {ROWS, COLUMNS}},
                {4, NOISE, {COLUMNS}},
                {4, NOISE, {COLUMNS}},
                {4, RESULT, {ROWS, COLUMNS}}},
     .n_numbers = 1, .number = {COLUMNS}, .grid = {ROWS, 1, 1}, .tolerance = 1e-4},
    {PROGRAM(sample),
     .arrays = {{4, NOISE, {ROWS, COLUMNS}}, {4, FRACTIONS, {ROWS, COLUMNS}}, {4, RESULT, {ROWS}}},
     .n_numbers = 1, .number = {COLUMNS}, .grid = {ROWS, 1, 1}},
    {PROGRAM(ranks), .arrays = {{4, NOISE, {1000, 64}}, {4, RESULT, {1000, 64}}},
     .grid = {1000, 1, 1}},
    {PROGRAM(ell_product),
     .arrays = {{4, NOISE, {16, 10000}},
                {4, NUMBERS, {16, 10000}, 10000},
                {4, NOISE, {10000}},
                {4, RESULT, {10000}}},
     .grid = {20, 1, 1}, .tolerance = 1e-4},
    {PROGRAM(huber), .arrays = {{4, NOISE, {N}}, {4, NOISE, {N}}, {4, RESULT, {98}}},
     .grid = {98, 1, 1}, .tolerance = 1e-3},
    {PROGRAM(edit_distance),
     .arrays = {{4, NUMBERS, {N}, 1000},
                {4, NUMBERS, {N}, 1000},
                {4, NUMBERS, {N}, 4},
                {4, NUMBERS, {N}, 4},
                {4, RESULT, {N}}},
     .n_numbers = 1, .number = {90000}, .grid = {98, 1, 1}},
    {PROGRAM(black_scholes),
     .arrays = {{4, FRACTIONS, {N}}, {4, FRACTIONS, {N}}, {4, FRACTIONS, {N}}, {4, RESULT, {N}}},
     .grid = {98, 1, 1}, .tolerance = 1e-4},
    {PROGRAM(random_walk), .arrays = {{4, BITS, {N}}, {4, RESULT, {N}}}, .grid = {98, 1, 1},
     .tolerance = 1e-4},
};

/* ---- arrays --------------------------------------------------------------------------------- */

static size_t elements_of(const array_case *a) {
  return (size_t)a->extent[0] * (size_t)(a->extent[1] ? a->extent[1] : 1);
}

static uint32_t next_random(uint32_t *state) {
  return *state = *state * 1664525u + 1013904223u;
}

static void fill_numbers(int32_t *to, size_t n, uint32_t below) {
  uint32_t state = 7;
  for (size_t i = 0; i < n; i++) to[i] = (int32_t)((next_random(&state) >> 8) % below);
}

static void fill_starts(int32_t *to, size_t n) {
  uint32_t state = 11;
  for (size_t i = 0, at = 0; i < n; i++, at += (next_random(&state) >> 8) % 33) to[i] = (int32_t)at;
}

static void fill(const array_case *a, void *to, unsigned seed) {
  size_t n = elements_of(a);
  float *real = to;
  switch (a->content) {
  case NOISE: bench_fill(real, n, seed); break;
  case FRACTIONS:
    bench_fill(real, n, seed);
    for (size_t i = 0; i < n; i++) real[i] = fabsf(real[i]);
    break;
  case BITS: {
    uint8_t *bytes = to;
    uint32_t state = seed;
    for (size_t i = 0; i < n * a->bytes; i++) bytes[i] = (uint8_t)(next_random(&state) >> 16);
    break;
  }
  case NUMBERS: fill_numbers(to, n, (uint32_t)a->below); break;
  case STARTS: fill_starts(to, n); break;
  case RESULT: memset(to, 0, n * a->bytes); break;
  }
}

/* ---- programs ------------------------------------------------------------------------------- */

typedef struct program {
  const program_case *c;
  tsr_module *module;
  tsr_program *program;
  kernel_run run;
  foreign_data data;
  const foreign_loops *loops;
} program;

static void give_extents(kernel_run *r, const array_case *a) {
  int rank = a->extent[1] ? 2 : 1;
  for (int d = 0; d < rank; d++) kernel_give(r, tsr_arg_i32(a->extent[d]));
  if (rank == 2) kernel_give(r, tsr_arg_i32(a->extent[1]));
  kernel_give(r, tsr_arg_i32(1));
}

/* As cuTile has its programs compiled. */
static void load_kernel(kernel_env *env, program *p) {
  char path[128];
  snprintf(path, sizeof path, "bench/foreign/%s.mlir", p->c->name);
  p->module = tsr_module_load(env->context, path, TSR_PARSE_DEFAULT);
  if (!p->module || tsr_module_optimize(p->module, "O3", NULL) != TSR_OK) exit(1);
  p->program = tsr_program_create(env->device, p->module);
  p->run = (kernel_run){.kernel = tsr_kernel_get(p->program, p->c->name), .grid = p->c->grid};
  if (!p->run.kernel) exit(1);
}

static void give_arguments(kernel_run *r, const program_case *c, void *const *arrays) {
  for (int i = 0; i < ARRAYS && c->arrays[i].bytes; i++) {
    kernel_give(r, tsr_arg_address(arrays[i]));
    give_extents(r, &c->arrays[i]);
  }
  for (int i = 0; i < c->n_numbers; i++) kernel_give(r, tsr_arg_i32(c->number[i]));
}

static void run_loop(void *user) {
  program *p = user;
  foreign_loop *loop;
  memcpy(&loop, (const char *)p->loops + p->c->loop, sizeof loop);
  loop(&p->data);
}

/* Bytes: a rounding may differ by one. */
static double difference(const array_case *a, double tolerance, const void *ours,
                         const void *theirs) {
  size_t n = elements_of(a);
  if (tolerance > 0 && a->bytes == 4) return bench_difference(ours, theirs, n);
  const int8_t *x = ours, *y = theirs;
  int most = 0;
  for (size_t i = 0; i < n * a->bytes; i++)
    most = abs(x[i] - y[i]) > most ? abs(x[i] - y[i]) : most;
  return tolerance > 0 && most <= 1 ? 0 : most;
}

static void must_agree(const program *p, void *const *ours, const char *with) {
  for (int i = 0; i < ARRAYS; i++) {
    const array_case *a = &p->c->arrays[i];
    if (!a->bytes || a->content != RESULT) continue;
    double gap = difference(a, p->c->tolerance, ours[i], p->data.array[i]);
    if (gap <= p->c->tolerance) continue;
    fprintf(stderr, "bench: %s: results differ from %s's by %g\n", p->c->name, with, gap);
    exit(1);
  }
}

/* Results of the loops go elsewhere than the program's own. */
static void make_arrays(const program_case *c, void **ours, foreign_data *d) {
  for (int i = 0; i < ARRAYS && c->arrays[i].bytes; i++) {
    size_t bytes = elements_of(&c->arrays[i]) * c->arrays[i].bytes + 64;
    ours[i] = d->array[i] = bench_alloc(bytes);
    fill(&c->arrays[i], d->array[i], (unsigned)i + 1);
    if (c->arrays[i].content == RESULT) d->array[i] = bench_alloc(bytes);
  }
}

static void free_arrays(void *const *ours, const foreign_data *d) {
  for (int i = 0; i < ARRAYS; i++) {
    if (d->array[i] != ours[i]) free(d->array[i]);
    free(ours[i]);
  }
}

/* The ratio to the best loop that counts. */
static double measure(kernel_env *env, const program_case *c, const char *title) {
  enum { LOOPS = sizeof loops_sides / sizeof *loops_sides };
  void *ours[ARRAYS] = {0};
  program programs[LOOPS + 1] = {{.c = c}};
  bench_side sides[LOOPS + 1];
  foreign_data d = {.rows = c->arrays[0].extent[0],
                    .columns = c->arrays[0].extent[1],
                    .number = {c->number[0], c->number[1]}};
  if (!d.columns) d.columns = d.rows;
  make_arrays(c, ours, &d);
  load_kernel(env, &programs[0]);
  give_arguments(&programs[0].run, c, ours);
  kernel_launch(&programs[0].run);
  sides[0] = (bench_side)BENCH_SIDE("Tessera", kernel_launch, &programs[0].run);
  bool counts[LOOPS + 1] = {false};
  int n = 1;
  for (int k = 0; k < LOOPS; k++) {
    const loops_side *side = &loops_sides[k];
    if (side->threads != env->threads) continue;
    programs[n] = (program){.c = c, .data = d, .loops = side->loops};
    run_loop(&programs[n]);
    must_agree(&programs[n], ours, side->name);
    counts[n] = side->counts;
    sides[n] = (bench_side)BENCH_SIDE(side->name, run_loop, &programs[n]);
    n++;
  }
  bench_measure(sides, n, 0.3);
  bench_print(title, sides, n, 0, "");
  double best = INFINITY;
  for (int k = 1; k < n; k++)
    if (counts[k] && sides[k].ratio < best) best = sides[k].ratio;
  tsr_program_destroy(programs[0].program);
  tsr_module_destroy(programs[0].module);
  free_arrays(ours, &d);
  return best;
}

static void measure_all(unsigned threads) {
  enum { CASES = sizeof cases / sizeof *cases };
  double ratios[CASES] = {0}, sum = 0;
  int measured = 0;
  kernel_env env;
  kernel_env_open(&env, threads);
  for (int i = 0; i < CASES; i++) {
    char title[64];
    snprintf(title, sizeof title, "%s, %u thread%s", cases[i].name, threads,
             threads > 1 ? "s" : "");
    if (!bench_wanted(title)) continue;
    ratios[i] = measure(&env, &cases[i], title);
    sum += log(ratios[i]);
    measured++;
  }
  kernel_env_close(&env);
  if (!measured) return;
  printf("of the best loop without fast-math, threads: %u\n", threads);
  for (int i = 0; i < CASES; i++)
    if (ratios[i] > 0) printf("  %-14s %6.2f\n", cases[i].name, ratios[i]);
  printf("  %-14s %6.2f\n", "geometric mean", exp(sum / measured));
}

/* OpenMP reads before main how many threads it has, and how long they wait for more work before
 * they sleep: as long as Tessera's, about, or they would keep a processor busy through the other
 * side's turn. */
static void hold_openmp(char **argv) {
  if (getenv("GOMP_SPINCOUNT")) return;
  char threads[12];
  snprintf(threads, sizeof threads, "%d", MOST_THREADS);
  setenv("OMP_NUM_THREADS", threads, 1);
  if (setenv("GOMP_SPINCOUNT", "1000", 1) == 0) execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
  hold_openmp(argv);
  bench_start(argc, argv, "programs that nobody tuned, beside C loops");
  measure_all(1);
#ifdef TSR_HAVE_FOREIGN_THREADS
  measure_all(MOST_THREADS);
#endif
  return 0;
}
