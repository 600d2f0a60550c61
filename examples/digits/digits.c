/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The demo: handwritten digits, classified by their nearest neighbours with kernels in Tile IR, and
 * how fast a matrix product in Tile IR is beside OpenBLAS.
 *
 *   digits FOLDER      where images.npy, labels.npy and digits.mlir lie
 *
 * Exits with 1 when anything it checks is wrong.
 */
#include <math.h>

#include <tessera/tessera.h>

#include "bench.h"

#ifdef TSR_HAVE_OPENBLAS
#include <cblas.h>
#endif

static bool color;

#define BOLD  (color ? "\033[1m" : "")
#define GREEN (color ? "\033[32m" : "")
#define RED   (color ? "\033[31m" : "")
#define DIM   (color ? "\033[2m" : "")
#define PLAIN (color ? "\033[0m" : "")

static void say(void *user, const tsr_diagnostic *d) {
  (void)user;
  char text[4096];
  tsr_diagnostic_format(d, isatty(2), text, sizeof text);
  fprintf(stderr, "%s\n", text);
}

static void fail(const char *what) {
  fprintf(stderr, "%sdemo: %s%s\n", RED, what, PLAIN);
  exit(1);
}

static bool verify(const char *what, bool ok) {
  printf("  %s%s%s %s\n", ok ? GREEN : RED, ok ? "verified" : "WRONG   ", PLAIN, what);
  return ok;
}

/* ---- the data ------------------------------------------------------------------------------- */

/* An array of bytes from FOLDER/NAME, which scripts/make-digits wrote: version 1 of the format, so
 * a 10-byte start, a header of the length that it says, then the bytes. */
static unsigned char *load_bytes(const char *folder, const char *name, size_t count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "rb");
  unsigned char start[10], *data = malloc(count);
  if (!f || !data || fread(start, 1, 10, f) != 10 || memcmp(start, "\x93NUMPY\1", 7) != 0 ||
      fseek(f, 10 + start[8] + 256 * start[9], SEEK_SET) != 0 ||
      fread(data, 1, count, f) != count) {
    fprintf(stderr, "demo: cannot read %zu bytes of data from %s\n", count, path);
    exit(1);
  }
  fclose(f);
  return data;
}

/* One row of a picture: each character shows two pixels, one above the other. */
static void draw_row(const unsigned char *image, int row) {
  for (int x = 0; x < 8; x++) {
    int top = image[16 * row + x], bottom = image[16 * row + 8 + x]; /* 0 … 16 */
    if (color) {
      printf("\033[38;5;%d;48;5;%dm\u2580", 232 + top * 23 / 16, 232 + bottom * 23 / 16);
    } else {
      putchar(" .:-=+*#%@"[(top + bottom) * 9 / 32]);
      putchar(" .:-=+*#%@"[(top + bottom) * 9 / 32]);
    }
  }
  if (color) printf("\033[0m");
}

typedef struct digits {
  int n;
  const unsigned char *images, *labels, *answers;
  const int32_t *neighbours;
} digits;

/* Pictures in one line: each image, its nearest neighbour, and the answer below. */
static void show(const digits *d, const int *which, int count) {
  for (int row = 0; row < 4; row++) {
    printf("  ");
    for (int k = 0; k < count; k++) {
      draw_row(d->images + 64 * which[k], row);
      printf("%s", row == 1 ? " \u2192 " : "   ");
      draw_row(d->images + 64 * d->neighbours[which[k]], row);
      printf("     ");
    }
    putchar('\n');
  }
  printf("  ");
  for (int k = 0; k < count; k++) {
    int i = which[k];
    bool right = d->answers[i] == d->labels[i];
    char text[64];
    int length = snprintf(text, sizeof text, right ? "%d, right" : "%d, but it is a %d",
                          d->answers[i], d->labels[i]);
    printf("%s%s%s%*s", right ? GREEN : RED, text, PLAIN, (color ? 24 : 40) - length, "");
  }
  printf("\n\n");
}

/* ---- running kernels ------------------------------------------------------------------------ */

typedef struct classified {
  float *distances;
  int32_t *neighbours;
  unsigned char *answers;
  double compile_ms, run_ms;
} classified;

static classified classify(tsr_device *device, tsr_module *module, const unsigned char *images,
                           const unsigned char *labels, int n) {
  classified c = {malloc(sizeof(float) * (size_t)n * (size_t)n),
                  malloc(sizeof(int32_t) * (size_t)n), malloc((size_t)n), 0, 0};
  tsr_program *program = tsr_program_create(device, module);
  tsr_kernel *distances = program ? tsr_kernel_get(program, "distances") : NULL;
  tsr_kernel *nearest = program ? tsr_kernel_get(program, "classify") : NULL;
  if (!distances || !nearest) fail("the kernels do not compile");
  c.compile_ms = tsr_kernel_compile_ms(distances) + tsr_kernel_compile_ms(nearest);

  tsr_buffer *x = tsr_buffer_wrap(device, (void *)images, 64 * (size_t)n);
  tsr_buffer *l = tsr_buffer_wrap(device, (void *)labels, (size_t)n);
  tsr_buffer *d = tsr_buffer_wrap(device, c.distances, sizeof(float) * (size_t)n * (size_t)n);
  tsr_buffer *j = tsr_buffer_wrap(device, c.neighbours, sizeof(int32_t) * (size_t)n);
  tsr_buffer *a = tsr_buffer_wrap(device, c.answers, (size_t)n);
  tsr_arg first[] = {tsr_arg_buffer(x), tsr_arg_buffer(d), tsr_arg_i32(n)};
  tsr_arg second[] = {tsr_arg_buffer(d), tsr_arg_buffer(l), tsr_arg_buffer(j), tsr_arg_buffer(a),
                      tsr_arg_i32(n)};
  uint32_t tiles = ((uint32_t)n + 63) / 64;
  double start = bench_now();
  if (tsr_launch(distances, (tsr_grid){tiles, tiles, 1}, first, 3) != TSR_OK ||
      tsr_launch(nearest, (tsr_grid){(uint32_t)n, 1, 1}, second, 5) != TSR_OK)
    fail("a launch failed");
  c.run_ms = 1e3 * (bench_now() - start);
  tsr_buffer_destroy(x);
  tsr_buffer_destroy(l);
  tsr_buffer_destroy(d);
  tsr_buffer_destroy(j);
  tsr_buffer_destroy(a);
  tsr_program_destroy(program);
  return c;
}

static void release(classified *c) {
  free(c->distances);
  free(c->neighbours);
  free(c->answers);
}

/* All distances again, in integers. */
static bool distances_right(const unsigned char *images, int n, const float *distances) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int k = 0; k < 64; k++) {
        int difference = images[64 * i + k] - images[64 * j + k];
        sum += difference * difference;
      }
      if (distances[(size_t)i * (size_t)n + (size_t)j] != (float)sum) return false;
    }
  return true;
}

static bool neighbours_right(const classified *c, int n) {
  for (int i = 0; i < n; i++) {
    const float *row = c->distances + (size_t)i * (size_t)n;
    int best = i == 0;
    for (int j = 0; j < n; j++)
      if (j != i && row[j] < row[best]) best = j;
    if (c->neighbours[i] != best) return false;
  }
  return true;
}

/* ---- the matrix product --------------------------------------------------------------------- */

enum { SIZE = 1024 };

typedef struct product {
  tsr_kernel *kernel;
  float *a, *b, *c, *reference;
} product;

static void tessera_product(void *user) {
  product *p = user;
  tsr_arg args[] = {tsr_arg_address(p->a), tsr_arg_address(p->b), tsr_arg_address(p->c),
                    tsr_arg_i32(SIZE),     tsr_arg_i32(SIZE),     tsr_arg_i32(SIZE)};
  if (tsr_launch(p->kernel, (tsr_grid){SIZE / 128, SIZE / 128, 1}, args, 6) != TSR_OK)
    fail("the matrix product failed");
}

#ifdef TSR_HAVE_OPENBLAS
static void openblas_product(void *user) {
  product *p = user;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, p->a, SIZE, p->b,
              SIZE, 0, p->reference, SIZE);
}
#endif

/* Largest error in units of what rounding may cost: |a| |b| SIZE epsilon. */
static bool product_right(const product *p) {
  for (int trial = 0; trial < 4096; trial++) {
    int i = (trial * 389) % SIZE, j = (trial * 641) % SIZE;
    double sum = 0, magnitude = 0;
    for (int k = 0; k < SIZE; k++) {
      double term = (double)p->a[i * SIZE + k] * p->b[k * SIZE + j];
      sum += term;
      magnitude += fabs(term);
    }
    if (!(fabs(p->c[i * SIZE + j] - sum) <= magnitude * SIZE * 0x1p-24)) return false;
  }
  return true;
}

static bool measure_product(tsr_context *context, tsr_device *device) {
  tsr_module *module = tsr_module_load(context, "kernels/gemm.mlir", 0);
  tsr_program *program = module ? tsr_program_create(device, module) : NULL;
  product p = {program ? tsr_kernel_get(program, "gemm_f32_128x128x64") : NULL, 0, 0, 0, 0};
  if (!p.kernel) fail("the matrix product does not compile");
  float **matrices[] = {&p.a, &p.b, &p.c, &p.reference};
  for (int m = 0; m < 4; m++) {
    *matrices[m] = bench_alloc(sizeof(float) * SIZE * SIZE);
    if (m < 2) bench_fill(*matrices[m], SIZE * SIZE, (uint64_t)m);
  }
  char title[128];
  snprintf(title, sizeof title, "%sA matrix product%s, f32, 1024 cubed; compiled in %.1f ms", BOLD,
           PLAIN, tsr_kernel_compile_ms(p.kernel));
  bench_side sides[] = {BENCH_SIDE("Tessera", tessera_product, &p),
#ifdef TSR_HAVE_OPENBLAS
                        BENCH_SIDE("OpenBLAS", openblas_product, &p)
#endif
  };
  int count = (int)(sizeof sides / sizeof sides[0]);
  bench_measure(sides, count, 0.6);
  bench_print(title, sides, count, 2.0 * SIZE * SIZE * SIZE, "GFLOP/s");
  bool ok = verify("the product, 4,096 of its elements against sums in double precision",
                   product_right(&p));
  for (int m = 0; m < 4; m++) free(*matrices[m]);
  tsr_program_destroy(program);
  tsr_module_destroy(module);
  return ok;
}

/* ---- all together --------------------------------------------------------------------------- */

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : "examples/digits";
  bench_start(argc, argv, "Tessera");
  printf("\n");
  color = isatty(1) && !getenv("NO_COLOR");
  enum { N = 1797 };
  unsigned char *images = load_bytes(folder, "images.npy", 64 * N);
  unsigned char *labels = load_bytes(folder, "labels.npy", N);

  tsr_context *context = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options), .on_diagnostic = say});
  char path[4096];
  snprintf(path, sizeof path, "%s/digits.mlir", folder);
  tsr_module *module = tsr_module_load(context, path, 0);
  tsr_device *cpu = tsr_device_open(context, "cpu", NULL);
  tsr_device *interp = tsr_device_open(context, "interp", NULL);
  if (!module || !cpu || !interp) fail("cannot start");
  char about[256];
  tsr_device_describe("cpu", about, sizeof about);

  printf("%sHandwritten digits%s: %d images of 8 x 8, each classified by its nearest neighbour\n"
         "among the others, with kernels in Tile IR on %s\n\n",
         BOLD, PLAIN, N, about);
  classified c = classify(cpu, module, images, labels, N);
  digits d = {N, images, labels, c.answers, c.neighbours};
  int right = 0, shown[8], wrong_shown[4], n_shown = 0, n_wrong = 0;
  for (int i = 0; i < N; i++) {
    right += c.answers[i] == labels[i];
    if (c.answers[i] != labels[i] && n_wrong < 4) wrong_shown[n_wrong++] = i;
    if (c.answers[i] == labels[i] && n_shown < 4 && i % 437 == 0) shown[n_shown++] = i;
  }
  show(&d, shown, n_shown);
  show(&d, wrong_shown, n_wrong);
  printf("  %s%d of %d right: %.2f%%%s   compiled in %.1f ms, %d x %d distances and answers in "
         "%.1f ms\n",
         BOLD, right, N, 100.0 * right / N, PLAIN, c.compile_ms, N, N, c.run_ms);

  bool ok = verify("all 3,229,209 distances, against integers in C",
                   distances_right(images, N, c.distances));
  ok &= verify("all 1,797 nearest neighbours, against a search in C", neighbours_right(&c, N));
  enum { FEW = 200 };
  classified some = classify(cpu, module, images, labels, FEW);
  classified same = classify(interp, module, images, labels, FEW);
  ok &= verify("the first 200 images again, compiled code against the reference interpreter",
               memcmp(some.distances, same.distances, sizeof(float) * FEW * FEW) == 0 &&
                   memcmp(some.neighbours, same.neighbours, sizeof(int32_t) * FEW) == 0 &&
                   memcmp(some.answers, same.answers, FEW) == 0);
  release(&some);
  release(&same);
  release(&c);
  ok &= verify("the accuracy, known to be 98.83%", right == 1776);
  printf("\n");
  ok &= measure_product(context, cpu);

  tsr_device_close(cpu);
  tsr_device_close(interp);
  tsr_module_destroy(module);
  tsr_context_destroy(context);
  free(images);
  free(labels);
  return ok ? 0 : 1;
}
