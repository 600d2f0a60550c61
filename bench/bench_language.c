/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What reading and writing programs costs, and that it grows no faster than they do: the command on
 * generated files of 80,000 lines, and of more up to 100 times that. Times are those of the
 * processor, the least of several runs, so that a busy machine changes them little; the last column
 * says how much dearer a line is than in the first file.
 */
#include "bench.h"

enum { LINES = 80000, LINES_PER_KERNEL = 40, RUNS = 15 };

/* A kernel of LINES_PER_KERNEL lines, as a front end writes them: constants and arithmetic of
 * several types, masks, a loop, memory. */
static void put_kernel(FILE *f, int number) {
  static const char *const types[] = {"i8", "i16", "i32", "i64"};
  static const char *const floats[] = {"f16", "bf16", "f32", "f64"};
  fprintf(f, "  entry @kernel_%d(%%p: tile<ptr<f32>>, %%n: tile<i32>) {\n", number);
  for (int i = 0; i < 4; i++) {
    const char *t = types[i], *e = floats[i];
    fprintf(f, "    %%a%d = constant <%s: %d> : tile<%s>\n", i, t, number % 100 + i, t);
    fprintf(f, "    %%b%d = constant <%s: [[1, 2], [3, 4]]> : tile<2x2x%s>\n", i, t, t);
    fprintf(f, "    %%c%d = addi %%b%d, %%b%d overflow<no_signed_wrap> : tile<2x2x%s>\n", i, i, i,
            t);
    fprintf(f, "    %%d%d = cmpi less_than %%c%d, %%b%d, signed : tile<2x2x%s> -> tile<2x2xi1>\n",
            i, i, i, t);
    fprintf(f, "    %%e%d = constant <%s: [%d.5, 2.0]> : tile<2x%s>\n", i, e, number % 100, e);
    fprintf(f, "    %%f%d = mulf %%e%d, %%e%d rounding<nearest_even> : tile<2x%s>\n", i, i, i, e);
    fprintf(f, "    %%g%d = select %%d%d, %%b%d, %%c%d : tile<2x2xi1>, tile<2x2x%s>\n", i, i, i, i,
            t);
  }
  fputs("    %zero = constant <i32: 0> : tile<i32>\n"
        "    %one = constant <i32: 1> : tile<i32>\n"
        "    %start = constant <f32: 0.1> : tile<f32>\n"
        "    %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %start) -> "
        "(tile<f32>) {\n"
        "      %q = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
        "      %x, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token\n"
        "      %next = addf %s, %x : tile<f32>\n"
        "      continue %next : tile<f32>\n"
        "    }\n"
        "    %done = store_ptr_tko weak %p, %sum : tile<ptr<f32>>, tile<f32> -> token\n",
        f);
  fputs("  }\n", f);
}

static long write_program(const char *path, long lines) {
  FILE *f = fopen(path, "w");
  if (!f) return -1;
  fputs("cuda_tile.module @m {\n", f);
  for (int i = 0; i < lines / LINES_PER_KERNEL; i++) put_kernel(f, i);
  fputs("}\n", f);
  long size = ftell(f);
  return fclose(f) == 0 ? size : -1;
}

static bench_child best_of(int runs, char *const *command) {
  bench_child best = bench_spawn(command);
  for (int i = 1; i < runs; i++) {
    bench_child r = bench_spawn(command);
    if (r.cpu_ms < best.cpu_ms) best.cpu_ms = r.cpu_ms;
    if (r.ms < best.ms) best.ms = r.ms;
    if (r.max_kb > best.max_kb) best.max_kb = r.max_kb;
  }
  return best;
}

/* Memory that could be had, in kB. */
static long memory_available(void) {
  FILE *f = fopen("/proc/meminfo", "r");
  long kb = -1;
  char line[256];
  while (f && kb < 0 && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %ld", &kb) != 1) kb = -1;
  if (f) fclose(f);
  return kb;
}

typedef struct step {
  const char *name;
  char *command[6];
} step;

int main(int argc, char **argv) {
  bench_start(argc, argv, "Reading and writing programs, build/bin/tessera");
  char tessera[4096], text[4096], bytecode[4096 + 8];
  const char *folder = getenv("TMPDIR");
  if (!bench_command(tessera, sizeof tessera)) return 1;
  snprintf(text, sizeof text, "%s/bench_language.XXXXXX", folder ? folder : "/tmp");
  int fd = mkstemp(text);
  if (fd < 0) return 1;
  close(fd);
  snprintf(bytecode, sizeof bytecode, "%s.bc", text);
  const step steps[] = {{"check", {tessera, "check", text, NULL}},
                        {"text to text", {tessera, "dis", text, NULL}},
                        {"text to bytecode", {tessera, "as", text, "-o", bytecode, NULL}},
                        {"bytecode to text", {tessera, "dis", bytecode, NULL}}};
  enum { STEPS = sizeof steps / sizeof steps[0] };
  double first[STEPS];
  static const int sizes[] = {1, 3, 10, 30, 100};
  printf("  %9s %8s  %-18s %10s %10s %9s %9s %7s\n", "lines", "MB", "", "best, ms", "cpu, ms",
         "memory", "ns/line", "ratio");
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) {
    long lines = (long)sizes[i] * LINES, bytes = write_program(text, lines);
    ok = bytes > 0;
    long needed = bytes / 1024 * 12;
    if (ok && memory_available() < needed) {
      printf("  %9ld left out: needs %ld MB of memory\n", lines, needed / 1024);
      break;
    }
    for (int k = 0; ok && k < STEPS; k++) {
      bench_child r = best_of(1 + RUNS / sizes[i], steps[k].command);
      double per_line = 1e6 * r.cpu_ms / (double)lines;
      if (i == 0) first[k] = per_line;
      printf("  %9ld %8.1f  %-18s %10.1f %10.1f %6.1f MB %9.0f %7.2f\n", lines,
             1e-6 * (double)bytes, steps[k].name, r.ms, r.cpu_ms, (double)r.max_kb / 1024, per_line,
             per_line / first[k]);
    }
  }
  unlink(text);
  unlink(bytecode);
  return ok ? 0 : 1;
}
