/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the benchmarks share: a clock, fair comparison, tables, a description of the machine.
 *
 * The sides of a comparison take turns, run by run, so that a drifting clock hits all of them
 * alike. What counts is each side's shortest run: a busy neighbour can only make runs longer.
 * Ratios can be trusted where the times themselves can't be compared with another day's.
 *
 *   static void ours(void *user) { ... one run ... }
 *   static void theirs(void *user) { ... }
 *
 *   int main(int argc, char **argv) {
 *     bench_start(argc, argv, "f32 matrix multiply");
 *     bench_side sides[] = {BENCH_SIDE("Tessera", ours, &problem),
 *                           BENCH_SIDE("OpenBLAS", theirs, &problem)};
 *     bench_measure(sides, 2, 1.0);
 *     bench_print("1024 cubed, 1 thread", sides, 2, 2.0 * 1024 * 1024 * 1024, "GFLOP/s");
 *   }
 *
 * prints
 *
 *   1024 cubed, 1 thread
 *     Tessera        8.121 ms    264.4 GFLOP/s
 *     OpenBLAS       8.712 ms    246.5 GFLOP/s   Tessera does 1.07 of it
 *
 * Call bench_start first: it may start the program again, with the environment OpenBLAS needs. An
 * argument chooses cases by a part of their titles (bench_wanted): build/bench/bench_rows softmax.
 */
#ifndef TESSERA_BENCH_H
#define TESSERA_BENCH_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef TSR_HAVE_OPENBLAS
/* <cblas.h> has the functions; these choose and tell how it runs. */
void openblas_set_num_threads(int threads);
char *openblas_get_corename(void);
#endif

/* Seconds of a clock that only goes forward. */
static inline double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Keeps the compiler from dropping or moving what was computed at `memory`. */
static inline void bench_keep(const void *memory) {
  __asm__ volatile("" : : "r"(memory) : "memory");
}

/* --- the machine ------------------------------------------------------------------------- */

/* The level that the machine is held to, as src/base/processor.h has it: "avx2", "baseline" or "".
 */
static inline const char *bench_limit(void) {
  const char *level = getenv("TESSERA_MACHINE");
  return level && strcmp(level, "avx512") != 0 ? level : "";
}

static inline bool bench_hides(const char *feature) {
  const char *level = bench_limit();
  if (!*level || strncmp(feature, "avx", 3) != 0) return false;
  return strcmp(level, "baseline") == 0 || strcmp(feature, "avx2") != 0;
}

/* True when /proc/cpuinfo lists the feature ("avx512f") and TESSERA_MACHINE doesn't hide it. */
static inline bool bench_cpu_has(const char *feature) {
  bool found = false;
  if (bench_hides(feature)) return false;
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (!file) return false;
  while (!found && getline(&line, &size, file) > 0) {
    if (strncmp(line, "flags", 5) != 0 && strncmp(line, "Features", 8) != 0) continue;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\n", &rest); word && !found;
         word = strtok_r(NULL, " \t\n", &rest))
      found = strcmp(word, feature) == 0;
    break;
  }
  free(line);
  fclose(file);
  return found;
}

static inline void bench_machine(FILE *out) {
  char model[128] = "an unknown processor";
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && getline(&line, &size, file) > 0) {
    if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
    snprintf(model, sizeof model, "%s", strchr(line, ':') + 2);
    model[strcspn(model, "\n")] = 0;
    break;
  }
  if (file) fclose(file);
  free(line);
  fprintf(out, "%s, %ld threads, %.0f GB", model, sysconf(_SC_NPROCESSORS_ONLN),
          (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9);
  static const char *const features[] = {"avx2",     "avx512f",  "avx512_bf16", "avx512_vnni",
                                         "avx_vnni", "amx_tile", "asimd",       "sve"};
  const char *gap = "; ";
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    if (!bench_cpu_has(features[i])) continue;
    fprintf(out, "%s%s", gap, features[i]);
    gap = " ";
  }
  fputc('\n', out);
}

/* What this program measures, as it was given to bench_start, and its first argument. */
static const char *bench_name = "", *bench_choice = "";

/* Is the case among those that were asked for: does its title contain the first argument? */
static inline bool bench_wanted(const char *title) {
  return strstr(title, bench_choice) != NULL;
}

#if defined(TSR_HAVE_OPENBLAS) || defined(TSR_HAVE_ONEDNN)
/* Tells the libraries what they may use: what TESSERA_MACHINE leaves, or, where nobody has chosen,
 * what the processor has. True when something had to be said. OpenBLAS doesn't recognise every
 * processor and then runs at half its speed. Its idle threads are told to sleep after 2^10 cycles,
 * not 2^26: they would spin on a core through the other side's turn. */
static inline bool bench_hold_peers(void) {
  bool limited = *bench_limit(), avx2 = bench_cpu_has("avx2");
  if (!limited && !bench_cpu_has("avx512f")) return false;
  const char *core = !limited ? "SkylakeX" : avx2 ? "Haswell" : "Nehalem";
  const char *chosen = getenv("OPENBLAS_CORETYPE");
  if (chosen && (!limited || strcmp(chosen, core) == 0)) return false;
  if (limited) setenv("ONEDNN_MAX_CPU_ISA", avx2 ? "AVX2" : "SSE41", 1);
  setenv("OPENBLAS_THREAD_TIMEOUT", "10", 0);
  return setenv("OPENBLAS_CORETYPE", core, 1) == 0;
}
#endif

/* Prints the title and the machine. The libraries read before main what they may use, so after
 * saying it the program starts itself again. */
static inline void bench_start(int argc, char **argv, const char *title) {
#if defined(TSR_HAVE_OPENBLAS) || defined(TSR_HAVE_ONEDNN)
  if (bench_hold_peers()) execv("/proc/self/exe", argv); /* returns only if it couldn't */
#endif
  bench_name = title;
  if (argc > 1) bench_choice = argv[1];
  setenv("TESSERA_CACHE", "off", 1); /* what is measured is compiled */
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("%s\n  on ", title);
  bench_machine(stdout);
}

/* --- memory ------------------------------------------------------------------------------- */

/* Memory aligned to 2 MiB and touched, so that no page fault is timed; exits when there is none. */
static inline void *bench_alloc(size_t size) {
  const size_t huge = (size_t)2 << 20;
  size = (size + huge - 1) / huge * huge;
  void *memory = aligned_alloc(huge, size);
  if (!memory) {
    fprintf(stderr, "bench: no memory for %zu bytes\n", size);
    exit(1);
  }
  madvise(memory, size, MADV_HUGEPAGE);
  memset(memory, 0, size);
  return memory;
}

/* Uniform numbers in [-1, 1), the same ones for the same seed. */
static inline void bench_fill(float *out, size_t count, uint64_t seed) {
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (size_t i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    out[i] = (float)((double)(state >> 40) * 0x1p-23 - 1.0);
  }
}

/* The largest |a - b| / max(1, |b|); NaN anywhere gives infinity. */
static inline double bench_difference(const float *a, const float *b, size_t count) {
  double worst = 0;
  for (size_t i = 0; i < count; i++) {
    double gap = (double)a[i] - (double)b[i], scale = (double)b[i];
    gap = gap < 0 ? -gap : gap;
    scale = scale < 0 ? -scale : scale;
    gap /= scale > 1 ? scale : 1;
    if (!(gap <= worst)) worst = gap == gap ? gap : __builtin_inf();
  }
  return worst;
}

/* --- measuring ---------------------------------------------------------------------------- */

enum { BENCH_ROUNDS = 1000 };

typedef struct bench_side {
  const char *name;
  void (*run)(void *user);
  void *user;
  /* set by bench_measure, in seconds per run */
  double median, best;
  double ratio;  /* this side's best over the first side's: above 1, the first one is faster */
  double *times; /* scratch */
} bench_side;

#define BENCH_SIDE(label, function, data)                                                          \
  { .name = (label), .run = (function), .user = (data) }

static inline int bench_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline double bench_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, bench_order);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A process that has ended. */
typedef struct bench_child {
  double ms, cpu_ms; /* from start to end; of processors, kernel included */
  long max_kb;       /* the most memory it had */
} bench_child;

/* Runs a command with its output thrown away; exits when it fails. */
static inline bench_child bench_spawn(char *const *command) {
  double start = bench_now();
  pid_t child = fork();
  if (child < 0) exit(1);
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    execv(command[0], command);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child || status != 0) {
    fprintf(stderr, "bench: %s %s failed\n", command[0], command[1]);
    exit(1);
  }
  const struct timeval *user = &usage.ru_utime, *kernel = &usage.ru_stime;
  return (bench_child){.ms = 1e3 * (bench_now() - start),
                       .cpu_ms = 1e3 * (double)(user->tv_sec + kernel->tv_sec) +
                                 1e-3 * (double)(user->tv_usec + kernel->tv_usec),
                       .max_kb = usage.ru_maxrss};
}

/* The command `tessera` of the same build: build/bench/bench_x, build/bin/tessera. */
static inline bool bench_command(char *path, size_t size) {
  enum { ROOM = 32 };
  ssize_t length = size > ROOM ? readlink("/proc/self/exe", path, size - ROOM) : -1;
  if (length <= 0) return false;
  path[length] = 0;
  for (int up = 0; up < 2; up++) *strrchr(path, '/') = 0;
  strcat(path, "/bin/tessera");
  return true;
}

/* Runs all sides in turns for about `seconds` each: one warm-up, then at least 5 rounds. Runs below
 * a millisecond are repeated within their turn: neither the clock's own time counts then, nor that
 * of waking threads that have gone to sleep during another side's turn. */
static inline void bench_measure(bench_side *sides, int count, double seconds) {
  int batch = 1, rounds = 0;
  double slowest = 0, fastest = 1e9;
  for (int i = 0; i < count; i++) {
    sides[i].run(sides[i].user);
    double start = bench_now();
    sides[i].run(sides[i].user);
    double time = bench_now() - start;
    slowest = time > slowest ? time : slowest;
    fastest = time < fastest ? time : fastest;
    sides[i].times = malloc(BENCH_ROUNDS * sizeof(double));
    if (!sides[i].times) abort();
  }
  if (fastest < 1e-3) batch = (int)(1e-3 / (fastest > 1e-8 ? fastest : 1e-8)) + 1;
  double want = seconds / (slowest * batch + 1e-9);
  int goal = want < 5 ? 5 : want > BENCH_ROUNDS ? BENCH_ROUNDS : (int)want;
  for (; rounds < goal; rounds++) {
    for (int i = 0; i < count; i++) {
      bench_side *side = &sides[(i + rounds) % count]; /* nobody is always first */
      double start = bench_now();
      for (int k = 0; k < batch; k++) side->run(side->user);
      side->times[rounds] = (bench_now() - start) / batch;
    }
  }
  for (int i = 0; i < count; i++) {
    sides[i].median = bench_median(sides[i].times, rounds);
    sides[i].best = sides[i].times[0];
    sides[i].ratio = sides[i].best / sides[0].best;
    free(sides[i].times);
    sides[i].times = NULL;
  }
}

/* What `make bench` draws plots from: a line for each side, appended to the file that
 * TESSERA_BENCH_RECORD names: program, title, side, seconds (best, median), work, unit. */
static inline void bench_record(const char *title, const bench_side *side, double work,
                                const char *unit) {
  const char *path = getenv("TESSERA_BENCH_RECORD");
  FILE *file = path && *path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s\t%s\t%s\t%.9g\t%.9g\t%.9g\t%s\n", bench_name, title, side->name, side->best,
          side->median, work, unit);
  fclose(file);
}

/* Says before OpenBLAS's first table how it runs. */
static inline void bench_tell_openblas(const char *side) {
#ifdef TSR_HAVE_OPENBLAS
  static bool told;
  if (told || strncmp(side, "OpenBLAS", 8) != 0) return;
  told = true;
  printf("  OpenBLAS runs as %s\n", openblas_get_corename());
#else
  (void)side;
#endif
}

/* One table. `work` is what one run does, in the unit below a billion ("GFLOP/s": operations,
 * "GB/s": bytes); 0 leaves the rate out. Times are the shortest. */
static inline void bench_print(const char *title, const bench_side *sides, int count, double work,
                               const char *unit) {
  for (int i = 0; i < count; i++) bench_tell_openblas(sides[i].name);
  printf("%s\n", title);
  int width = 14;
  for (int i = 0; i < count; i++)
    if ((int)strlen(sides[i].name) > width) width = (int)strlen(sides[i].name);
  for (int i = 0; i < count; i++) {
    double time = sides[i].best;
    bench_record(title, &sides[i], work, unit);
    printf("  %-*s %10.3f %s", width, sides[i].name, time < 1e-3 ? time * 1e6 : time * 1e3,
           time < 1e-3 ? "us" : "ms");
    if (work > 0) printf(" %10.1f %s", work / time * 1e-9, unit);
    if (i > 0) printf("   %s does %.2f of it", sides[0].name, sides[i].ratio);
    printf("\n");
  }
}

#endif
