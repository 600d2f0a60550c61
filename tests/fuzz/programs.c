/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random programs under every engine: the interpreter, the interpreter behind the optimiser's
 * passes and behind bytecode, compiled code at each optimisation level and feature level.
 *
 *   fuzz_programs [--seconds N] [--count N] [--seed N] [--ops N] [--bits N] [--only ENGINES]
 *   fuzz_programs --replay SEED        one program, all engines, and made smaller when they differ
 *   fuzz_programs --show SEED          its text
 *
 * Kernels are made, read and compiled by the dozen, which takes a fraction of the time: a batch is
 * a module. When engines differ, the kernel is cut down line by line as long as they still do, and
 * printed. Batches run in processes of their own. One that takes more than a minute is a failure,
 * and so is a crash; both say the seed that was at work.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ir/verify.h"
#include "text/text.h"

#include "random_compiled.h"

enum {
  BATCH = 16,
  PER_PROCESS = 128,      /* what LLVM takes to start is shared by as many */
  SECONDS_PER_BATCH = 60, /* of the processor: other work on the machine does not count */
  SECONDS_PER_TRY = 5,
  MAX_FAILURES = 10,
  MAX_LINES = 4096
};

typedef struct fuzz {
  double seconds; /* 0: no limit */
  uint64_t count; /* likewise */
  uint64_t seed;
  random_limits limits;
  const char *only; /* engines with this in their names; NULL: all */
  uint64_t done;
  unsigned failures;
} fuzz;

static const char *program_name;

/* ---- engines -------------------------------------------------------------------------------- */

enum { EVERY = 1 };

/* Every batch goes through the interpreter's engines and through compiled code at each feature
 * level; the optimisation levels of the compiler take turns. */
typedef struct turn {
  unsigned of; /* EVERY: in every batch; n: in each n-th batch … */
  unsigned at; /* … that is this */
  random_engine engine;
} turn;

#define INTERP(list)                                                                               \
  {                                                                                                \
    EVERY, 0, {                                                                                    \
      .name = "interp behind " list, .passes = list, .exact = true, .run = random_interpret        \
    }                                                                                              \
  }
#define CPU(turns_of, turn_at, level_name, level_number, opt_number, list, suffix)                 \
  {                                                                                                \
    turns_of, turn_at, {                                                                           \
      .name = "cpu " level_name " opt " #opt_number suffix, .passes = list,                        \
      .run = random_run_compiled, .level = level_number, .opt_level = opt_number                   \
    }                                                                                              \
  }
#define CPU_ALL(opt, of, at, list, suffix)                                                         \
  CPU(of, at, "baseline", CPU_BASELINE, opt, list, suffix),                                        \
      CPU(of, at, "avx2", CPU_AVX2, opt, list, suffix),                                            \
      CPU(of, at, "avx512", CPU_AVX512, opt, list, suffix)

static const turn turns[] = {
    {EVERY,
     0,
     {.name = "interp behind bytecode", .bytecode = true, .exact = true, .run = random_interpret}},
    INTERP("canonicalize"),
    INTERP("cse"),
    INTERP("dce"),
    INTERP("licm"),
    INTERP("memory"),
    INTERP("propagate"),
    INTERP("loop-split"),
    INTERP("O1"),
    INTERP("O2"),
    INTERP("O3"),
    INTERP("loop-split,loop-split,canonicalize,cse,dce"),
    INTERP("licm,propagate,memory,cse,canonicalize,licm"),
    INTERP("O3,O3"),
    CPU_ALL(0, 4, 0, NULL, ""),
    CPU_ALL(1, 4, 1, NULL, ""),
    CPU_ALL(2, 4, 2, NULL, ""),
    CPU_ALL(3, 4, 3, NULL, ""),
    {4, 0, {.name = "sanitizer", .exact = true, .run = random_sanitize}},
    {9,
     2,
     {.name = "cpu baseline with checks",
      .run = random_run_compiled,
      .level = CPU_BASELINE,
      .opt_level = 3,
      .checks = true}},
    {9,
     5,
     {.name = "cpu avx2 with checks",
      .run = random_run_compiled,
      .level = CPU_AVX2,
      .opt_level = 1,
      .checks = true}},
    {9,
     8,
     {.name = "cpu avx512 with checks",
      .run = random_run_compiled,
      .level = CPU_AVX512,
      .opt_level = 3,
      .checks = true}},
    CPU(6, 1, "baseline", CPU_BASELINE, 1, "O3", " behind O3"),
    CPU(6, 3, "avx2", CPU_AVX2, 3, "O2", " behind O2"),
    CPU(6, 5, "avx512", CPU_AVX512, 2, "O3", " behind O3"),
};

static unsigned choose_engines(const char *only, uint64_t batch, random_engine *out) {
  unsigned n = 0;
  for (size_t i = 0; i < ARRAY_LEN(turns); i++) {
    const turn *t = &turns[i];
    bool here =
        t->engine.run != random_run_compiled || engine_level_here((cpu_level)t->engine.level);
    if (only && !strstr(t->engine.name, only)) continue;
    if (here && (batch == UINT64_MAX || batch % t->of == t->at)) out[n++] = t->engine;
  }
  return n;
}

static void set_timer(time_t seconds) {
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

/* ---- making a program smaller --------------------------------------------------------------- */

typedef struct reduction {
  tsr_context *ctx;
  arena *arena;
  random_program program; /* its text changes */
  uint64_t seed;
  random_engine engine;
  const char *lines[MAX_LINES];
  unsigned n;
} reduction;

/* In a process of its own: without the lines that were dropped, the program may never end. */
static bool still_differs(reduction *r) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    signal(SIGPROF, SIG_DFL);
    set_timer(SECONDS_PER_TRY);
    random_outcome o;
    random_check(&r->program, r->seed, &r->engine, 1, &o);
    _exit(!o.agreed && o.engine ? 0 : 1);
  }
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

static const char *text_without(reduction *r, unsigned first, unsigned count) {
  sbuf text = SBUF(r->arena);
  for (unsigned i = 0; i < r->n; i++)
    if (i < first || i >= first + count) sbuf_printf(&text, "%s\n", r->lines[i]);
  return text.data;
}

static bool drop(reduction *r, unsigned first, unsigned count) {
  const char *before = r->program.text;
  r->program.text = text_without(r, first, count);
  if (!still_differs(r)) {
    r->program.text = before;
    return false;
  }
  memmove(r->lines + first, r->lines + first + count, (r->n - first - count) * sizeof *r->lines);
  r->n -= count;
  return true;
}

/* Drops ever shorter pieces while that leaves a valid program for which the engines differ. */
static const char *reduce(reduction *r) {
  char *text = arena_strndup(r->arena, r->program.text, strlen(r->program.text));
  for (char *line = strtok(text, "\n"); line && r->n < MAX_LINES; line = strtok(NULL, "\n"))
    r->lines[r->n++] = line;
  time_t start = time(NULL);
  for (bool again = true; again && time(NULL) - start < SECONDS_PER_BATCH;) {
    again = false;
    for (unsigned size = 32; size; size /= 2)
      for (unsigned at = r->n; at-- > 0 && time(NULL) - start < SECONDS_PER_BATCH;)
        if (at + size <= r->n && drop(r, at, size)) again = true;
  }
  return r->program.text;
}

/* ---- batches -------------------------------------------------------------------------------- */

static char at_work[160]; /* what a crash says */

static void on_signal(int number) {
  static const char slow[] = "\nfuzz: this takes more than a minute\n";
  static const char crash[] = "\nfuzz: crash\n";
  const char *what = number == SIGPROF ? slow : crash;
  if (write(2, what, strlen(what)) < 0 || write(2, at_work, strlen(at_work)) < 0) _exit(98);
  _exit(99);
}

static void set_at_work(const fuzz *f, uint64_t seed, unsigned kernels) {
  snprintf(at_work, sizeof at_work,
           "fuzz: see it again with: %s --ops %u --bits %u --seed %llu --count %u\n", program_name,
           f->limits.ops, f->limits.bits, (unsigned long long)seed, kernels);
  set_timer(SECONDS_PER_BATCH);
}

/* Programs that do what only our engines define come in batches of their own. */
static random_limits limits_of(const fuzz *f, uint64_t seed) {
  random_limits l = f->limits;
  l.wild = seed / BATCH % 5 == 4;
  return l;
}

static void report(const fuzz *f, uint64_t seed, const random_engine *engine, const char *what) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  random_limits limits = limits_of(f, seed);
  reduction *r = arena_new(&a, reduction);
  r->ctx = ctx;
  r->arena = &a;
  r->seed = seed;
  r->program = random_make(&a, seed, 1, &limits);
  if (engine) r->engine = *engine;
  set_timer(0);
  bool alone = engine && still_differs(r);
  const char *text = alone ? reduce(r) : r->program.text;
  printf("\n%s\nfuzz: seed %llu: %s: %s%s\nfuzz: see it again with: %s --ops %u --bits %u --replay "
         "%llu\n",
         text, (unsigned long long)seed, engine ? engine->name : "interp", what,
         engine && !alone ? " (not when it is alone in its module)" : "", program_name,
         f->limits.ops, f->limits.bits, (unsigned long long)seed);
  fflush(stdout);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* `kernels` programs from a seed on, of which all are of one batch. Returns how many differ. */
static unsigned run_batch(const fuzz *f, uint64_t seed, unsigned kernels, uint64_t turn_number) {
  static random_engine engines[ARRAY_LEN(turns)];
  unsigned n = choose_engines(f->only, turn_number, engines), failures = 0;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  set_at_work(f, seed, kernels);
  random_limits limits = limits_of(f, seed);
  random_program p = random_make(&a, seed, kernels, &limits);
  random_outcome o;
  random_check(&p, seed, engines, n, &o);
  set_timer(0);
  arena_free(&a);
  tsr_context_destroy(ctx);
  if (o.agreed) return 0;
  if (kernels > 1) /* one by one: each is compared then, and what is reported is small */
    for (unsigned k = 0; k < kernels; k++) failures += run_batch(f, seed + k, 1, turn_number);
  if (failures) return failures;
  report(f, seed + o.kernel, o.engine, o.what);
  return 1;
}

/* Batches begin at multiples, so that what a seed means is the same however it is reached. */
static unsigned run_batches(const fuzz *f, uint64_t seed, unsigned kernels) {
  unsigned failures = 0;
  for (unsigned k = 0, n; k < kernels; k += n) {
    n = (unsigned)MIN(kernels - k, BATCH - (seed + k) % BATCH);
    failures += run_batch(f, seed + k, n, (seed + k) / BATCH);
  }
  return failures;
}

/* In a process of its own, so that a crash or a hang ends one program only. */
static unsigned run_apart(const fuzz *f, uint64_t seed, unsigned kernels) {
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) return perror("fuzz: fork"), 1;
  if (child == 0) {
    unsigned failures = run_batches(f, seed, kernels);
    fflush(stdout);
    _exit((int)MIN(failures, (unsigned)MAX_FAILURES));
  }
  int status;
  if (waitpid(child, &status, 0) < 0) return perror("fuzz: waitpid"), 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) <= MAX_FAILURES)
    return (unsigned)WEXITSTATUS(status);
  unsigned failures = 0;
  for (unsigned k = 0; k < kernels && kernels > 1; k++) failures += run_apart(f, seed + k, 1);
  return failures ? failures : 1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of this process and the children that ended. */
static double cpu_seconds(void) {
  struct tms t;
  times(&t);
  return (double)(t.tms_utime + t.tms_stime + t.tms_cutime + t.tms_cstime) /
         (double)sysconf(_SC_CLK_TCK);
}

static void progress(const fuzz *f, double started, bool end) {
  double wall = now() - started, cpu = cpu_seconds();
  printf("%s%llu programs, %u disagreement%s, %.0f s, %.0f CPU s, %.1f programs per CPU second%s",
         isatty(1) ? "\r" : "", (unsigned long long)f->done, f->failures,
         f->failures == 1 ? "" : "s", wall, cpu, (double)f->done / (cpu > 0 ? cpu : 1),
         end || !isatty(1) ? "\n" : " ");
  fflush(stdout);
}

static void run_all(fuzz *f) {
  double started = now(), said = started;
  uint64_t seed = f->seed;
  while (f->failures < MAX_FAILURES && (!f->count || f->done < f->count) &&
         (f->seconds <= 0 || now() - started < f->seconds)) {
    uint64_t left = f->count ? f->count - f->done : PER_PROCESS;
    unsigned kernels = (unsigned)MIN(left, PER_PROCESS - seed % PER_PROCESS);
    f->failures += run_apart(f, seed, kernels);
    f->done += kernels;
    seed += kernels;
    if (now() - said < (isatty(1) ? 1 : 60)) continue;
    said = now();
    progress(f, started, false);
  }
  progress(f, started, true);
}

static void show(const fuzz *f, uint64_t seed) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  random_limits limits = limits_of(f, seed);
  fputs(random_make(&a, seed, 1, &limits).text, stdout);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

int main(int argc, char **argv) {
  fuzz f = {.seed = 1, .limits = {.ops = 10, .bits = 5}};
  uint64_t replay = 0;
  bool has_replay = false, only_show = false;
  program_name = argv[0];
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *name = argv[i];
    uint64_t v = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(name, "--seconds") == 0)
      f.seconds = atof(argv[i + 1]);
    else if (strcmp(name, "--count") == 0)
      f.count = v;
    else if (strcmp(name, "--only") == 0)
      f.only = argv[i + 1];
    else if (strcmp(name, "--seed") == 0)
      f.seed = v;
    else if (strcmp(name, "--ops") == 0)
      f.limits.ops = (unsigned)v;
    else if (strcmp(name, "--bits") == 0)
      f.limits.bits = v > 10 ? 10 : (unsigned)v;
    else if (strcmp(name, "--replay") == 0 || strcmp(name, "--show") == 0)
      replay = v, has_replay = true, only_show = name[2] == 's';
    else
      return fprintf(stderr, "fuzz: unknown option %s\n", name), 2;
  }
  signal(SIGPROF, on_signal);
  signal(SIGSEGV, on_signal);
  signal(SIGBUS, on_signal);
  signal(SIGILL, on_signal);
  signal(SIGFPE, on_signal);
  signal(SIGABRT, on_signal);
  if (only_show) return show(&f, replay), 0;
  if (has_replay) {
    double started = now();
    f.failures = run_batch(&f, replay, 1, UINT64_MAX);
    f.done = 1;
    progress(&f, started, true);
  } else {
    if (!f.seconds && !f.count) f.seconds = 60;
    run_all(&f);
  }
  return f.failures ? 1 : 0;
}
