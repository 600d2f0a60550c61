/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How long the cpu target takes to compile kernels, from the verified module to code that can run:
 * every kernel of kernels/ and examples/, and generated ones that grow, whose time should grow no
 * faster; and GPU targets from there to PTX, with one thread and with all: matrix products and
 * attention, each in a module of its own, since a module's kernels are compiled together. Each
 * compile is a fresh one in a warm process. `first` is the median on a device that has compiled
 * nothing before; what comes after it, on one that has the micro-kernels of products already (for
 * GPUs there are none). The parts are those that TESSERA_COMPILE_TIMES reports: Tessera's lowering,
 * LLVM's passes, its code generation, loading (there is none of PTX).
 *
 *   bench_compile [FILE...]     these files alone, for the cpu target
 */
#include <glob.h>
#include <sched.h>
#include <stdarg.h>

#include <tessera/tessera.h>

#include "bench.h"

enum { RUNS = 31, PARTS = 5 };

static const char *const part_names[PARTS] = {"total", "lower", "passes", "code", "load"};

/* Where diagnostics leave the parts of the compile that they report. */
typedef struct bench {
  tsr_context *context;
  const char *device_name;
  tsr_device *device;
  double parts[PARTS];
} bench;

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  bench *b = user;
  double *p = b->parts;
  p[4] = 0;
  if (d->severity == TSR_REMARK &&
      sscanf(d->message, "lower %lf ms, passes %lf, code %lf, load %lf", &p[1], &p[2], &p[3],
             &p[4]) >= 3)
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

/* The median total on new devices. */
static bool measure_first(bench *b, tsr_module *module, const char *name, int runs, double *out) {
  tsr_device *kept = b->device;
  double times[RUNS];
  bool ok = true;
  for (int i = 0; ok && i < runs; i++) {
    b->device = tsr_device_open(b->context, b->device_name, NULL);
    ok = b->device && compile_once(b, module, name);
    times[i] = b->parts[0];
    tsr_device_close(b->device);
  }
  b->device = kept;
  if (ok) *out = bench_median(times, runs);
  return ok;
}

/* One line of the table: the first, then the best and the median total, and the medians of its
 * parts. */
static bool measure(bench *b, tsr_module *module, const char *name, int runs) {
  double times[PARTS][RUNS], first;
  if (!compile_once(b, module, name) || !measure_first(b, module, name, runs, &first)) return false;
  for (int i = 0; i < runs; i++) {
    if (!compile_once(b, module, name)) return false;
    for (int k = 0; k < PARTS; k++) times[k][i] = b->parts[k];
  }
  double medians[PARTS];
  for (int k = 0; k < PARTS; k++) medians[k] = bench_median(times[k], runs);
  printf("  %-32.32s %9.2f %9.2f", name, first, times[0][0]); /* sorted by now */
  for (int k = 0; k < PARTS; k++) printf(" %9.2f", medians[k]);
  printf("\n");
  return true;
}

static void print_header(const char *title) {
  printf("%s\n  %-32s %9s %9s", title, "milliseconds", "first", "best");
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

/* ---- GPU targets ---------------------------------------------------------------------------- */

/* The module's text without all entries but one: lines, as the printer lays them out. */
static text only_entry(const char *all, const char *name) {
  char wanted[256];
  text t = {0};
  bool skipping = false;
  snprintf(wanted, sizeof wanted, "  entry @%s(", name);
  for (const char *line = all, *end; *line; line = end) {
    end = strchr(line, '\n');
    end = end ? end + 1 : line + strlen(line);
    if (strncmp(line, "  entry @", 9) == 0) skipping = strncmp(line, wanted, strlen(wanted)) != 0;
    for (const char *from = line; !skipping && from < end; from += 512)
      put(&t, "%.*s", (int)(end - from < 512 ? end - from : 512), from);
    if (strncmp(line, "  }\n", 4) == 0) skipping = false;
  }
  return t;
}

static bool measure_kernels(bench *b, const char *path, int runs) {
  size_t length;
  tsr_module *all = tsr_module_load(b->context, path, 0);
  char *printed = all ? tsr_module_print(all, &length) : NULL;
  bool ok = printed != NULL;
  for (size_t i = 0; ok && i < tsr_module_kernel_count(all); i++) {
    const char *name = tsr_module_kernel_name(all, i);
    text t = only_entry(printed, name);
    tsr_module *one = tsr_module_parse(b->context, t.data, t.length, path, 0);
    ok = one && tsr_module_kernel_count(one) == 1 && measure(b, one, name, runs);
    tsr_module_destroy(one);
    free(t.data);
  }
  tsr_string_free(b->context, printed);
  tsr_module_destroy(all);
  return ok;
}

/* A device compiles with as many threads as the process may use processors. */
static bool use_processors(unsigned n, const cpu_set_t *all) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; n && i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, all)) {
      CPU_SET(i, &set);
      n--;
    }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

static bool measure_gpu(bench *b, const char *device) {
  static const char *const files[] = {"kernels/gemm.mlir", "kernels/gemm_tiles.mlir",
                                      "kernels/attention.mlir", "kernels/attention_wide.mlir"};
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return false;
  b->device_name = device;
  b->device = tsr_device_open(b->context, device, NULL);
  bool ok = b->device != NULL;
  for (unsigned n = 1, most = (unsigned)CPU_COUNT(&all); ok && n <= most;
       n = n < most ? most : n + 1) {
    char title[64];
    snprintf(title, sizeof title, "%s, %u thread%s", device + strlen("emu:"), n, n > 1 ? "s" : "");
    print_header(title);
    ok = use_processors(n, &all);
    for (size_t i = 0; ok && i < sizeof files / sizeof *files; i++)
      ok = measure_kernels(b, files[i], RUNS);
  }
  sched_setaffinity(0, sizeof all, &all);
  tsr_device_close(b->device);
  b->device = NULL;
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
  bench_start(argc, argv, "Compile times");
  bench b = {.device_name = "cpu"};
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
  if (argc == 1) ok = ok && measure_gpu(&b, "emu:sm_80") && measure_gpu(&b, "emu:sm_90a");
  tsr_context_destroy(b.context);
  return ok ? 0 : 1;
}
