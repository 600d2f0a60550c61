/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How long the cpu target takes to compile kernels, from the verified module to code that can run:
 * every kernel of kernels/ and examples/, and generated ones that grow, whose time should grow no
 * faster. Each compile is a fresh one in a warm process. The parts are those that
 * TESSERA_COMPILE_TIMES reports: Tessera's lowering, LLVM's passes, its code generation, loading.
 *
 *   bench_compile [FILE...]     these files alone
 */
#include <glob.h>
#include <stdarg.h>

#include <tessera/tessera.h>

#include "bench.h"

enum { RUNS = 31, PARTS = 5 };

static const char *const part_names[PARTS] = {"total", "lower", "passes", "code", "load"};

/* Where diagnostics leave the parts of the compile that they report. */
typedef struct bench {
  tsr_context *context;
  tsr_device *device;
  double parts[PARTS];
} bench;

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  bench *b = user;
  double *p = b->parts;
  if (d->severity == TSR_REMARK &&
      sscanf(d->message, "lower %lf ms, passes %lf, code %lf, load %lf", &p[1], &p[2], &p[3],
             &p[4]) == 4)
    return;
  fprintf(stderr, "bench: %s\n", d->message);
}

static bool compile_once(bench *b, tsr_module *module, const char *name) {
  tsr_program *program = tsr_program_create(b->device, module);
  tsr_kernel *kernel = program ? tsr_kernel_get(program, name) : NULL;
  if (kernel) b->parts[0] = tsr_kernel_compile_ms(kernel);
  tsr_program_destroy(program);
  return kernel != NULL;
}

/* One line of the table: the best and the median total, and the medians of its parts. */
static bool measure(bench *b, tsr_module *module, const char *name, int runs) {
  double times[PARTS][RUNS];
  if (!compile_once(b, module, name)) return false;
  for (int i = 0; i < runs; i++) {
    if (!compile_once(b, module, name)) return false;
    for (int k = 0; k < PARTS; k++) times[k][i] = b->parts[k];
  }
  double medians[PARTS];
  for (int k = 0; k < PARTS; k++) medians[k] = bench_median(times[k], runs);
  printf("  %-32.32s %9.2f", name, times[0][0]); /* sorted by now */
  for (int k = 0; k < PARTS; k++) printf(" %9.2f", medians[k]);
  printf("\n");
  return true;
}

static void print_header(const char *title) {
  printf("%s\n  %-32s %9s", title, "milliseconds", "best");
  for (int k = 0; k < PARTS; k++) printf(" %9s", part_names[k]);
  printf("\n");
}

static bool measure_file(bench *b, const char *path, int runs) {
  tsr_module *module = tsr_module_load(b->context, path, 0);
  if (!module) return false;
  print_header(path);
  bool ok = true;
  for (size_t i = 0; ok && i < tsr_module_kernel_count(module); i++)
    ok = measure(b, module, tsr_module_kernel_name(module, i), runs);
  tsr_module_destroy(module);
  return ok;
}

/* ---- programs that grow --------------------------------------------------------------------- */

typedef struct text {
  char *data;
  size_t length, size;
} text;

static void __attribute__((format(printf, 2, 3))) put(text *t, const char *format, ...) {
  if (t->size - t->length < 1024) {
    t->size = 2 * t->size + 4096;
    t->data = realloc(t->data, t->size);
    if (!t->data) exit(1);
  }
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(t->data + t->length, t->size - t->length, format, arguments);
  va_end(arguments);
  t->length += (size_t)length;
}

/* One block of `count` operations on scalars, each of which needs the two before it. */
static void put_scalars(text *t, int count) {
  put(t, "%%v0, %%v1, %%z = get_tile_block_id : tile<i32>\n");
  for (int i = 2; i < count + 2; i++)
    put(t, "%%v%d = %s %%v%d, %%v%d : tile<i32>\n", i, i % 3 ? "addi" : "muli", i - 1, i - 2);
  put(t, "%%t = store_ptr_tko weak %%p, %%v%d : tile<ptr<i32>>, tile<i32> -> token\n", count + 1);
}

/* A chain of `count` element-wise operations on a tile. */
static void put_tiles(text *t, int count) {
  put(t, "%%v0 = iota : tile<1024xi32>\n");
  put(t, "%%r = reshape %%p : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
         "%%b = broadcast %%r : tile<1xptr<i32>> -> tile<1024xptr<i32>>\n"
         "%%a = offset %%b, %%v0 : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>\n"
         "%%v1, %%l = load_ptr_tko weak %%a : tile<1024xptr<i32>> -> tile<1024xi32>, token\n");
  for (int i = 2; i < count + 2; i++)
    put(t, "%%v%d = %s %%v%d, %%v%d : tile<1024xi32>\n", i, i % 3 ? "addi" : "xori", i - 1, i - 2);
  put(t, "%%t = store_ptr_tko weak %%a, %%v%d : tile<1024xptr<i32>>, tile<1024xi32> -> token\n",
      count + 1);
}

/* `count` copies of tiles from one view to another, whose edges cut tiles. */
static void put_stores(text *t, int count) {
  put(t, "%%n, %%y, %%z = get_tile_block_id : tile<i32>\n"
         "%%w = make_tensor_view %%p, shape = [%%n], strides = [1] : tile<i32> -> "
         "tensor_view<?xi32, strides=[1]>\n"
         "%%v = make_partition_view %%w : partition_view<tile=(64), tensor_view<?xi32, "
         "strides=[1]>>\n");
  for (int i = 0; i < count; i++)
    put(t,
        "%%i%d = constant <i32: %d> : tile<i32>\n"
        "%%c%d = constant <i32: %d> : tile<64xi32>\n"
        "%%t%d = store_view_tko weak %%c%d, %%v[%%i%d] : tile<64xi32>, partition_view<tile=(64), "
        "tensor_view<?xi32, strides=[1]>>, tile<i32> -> token\n",
        i, i, i, i, i, i, i);
}

static bool measure_growth(bench *b, const char *what, void (*body)(text *, int),
                           const int *counts) {
  print_header(what);
  bool ok = true;
  for (; ok && *counts; counts++) {
    text t = {0};
    put(&t, "cuda_tile.module @m {\nentry @x%d(%%p: tile<ptr<i32>>) {\n", *counts);
    body(&t, *counts);
    put(&t, "return\n}\n}\n");
    tsr_module *module = tsr_module_parse(b->context, t.data, t.length, what, 0);
    ok = module && measure(b, module, tsr_module_kernel_name(module, 0), 3);
    tsr_module_destroy(module);
    free(t.data);
  }
  return ok;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool measure_all(bench *b, const char *pattern) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) return false;
  bool ok = true;
  for (size_t i = 0; ok && i < found.gl_pathc; i++) ok = measure_file(b, found.gl_pathv[i], RUNS);
  globfree(&found);
  return ok;
}

int main(int argc, char **argv) {
  setenv("TESSERA_COMPILE_TIMES", "1", 1);
  bench_start(argc, argv, "Compile times of the cpu target");
  bench b = {0};
  b.context = tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                        .on_diagnostic = on_diagnostic,
                                                        .diagnostic_user = &b});
  b.device = b.context ? tsr_device_open(b.context, "cpu", NULL) : NULL;
  bool ok = b.device != NULL;
  for (int i = 1; ok && i < argc; i++) ok = measure_file(&b, argv[i], RUNS);
  if (argc == 1)
    ok = ok && measure_all(&b, "kernels/*.mlir") && measure_all(&b, "examples/*.mlir") &&
         measure_file(&b, "examples/digits/digits.mlir", RUNS) &&
         measure_growth(&b, "scalar operations in one block", put_scalars,
                        (const int[]){1000, 5000, 20000, 0}) &&
         measure_growth(&b, "a chain of operations on a tile", put_tiles,
                        (const int[]){500, 5000, 0}) &&
         measure_growth(&b, "stores through a view", put_stores, (const int[]){200, 2000, 0});
  tsr_device_close(b.device);
  tsr_context_destroy(b.context);
  return ok ? 0 : 1;
}
