/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random programs under every engine: the interpreter, the interpreter after the optimiser's
 * passes and after bytecode, compiled code at each optimisation level and feature level, and the
 * GPU backend's code on the PTX emulator. `fuzz_programs --help` says how it is used.
 *
 * Kernels are made, read and compiled by the dozen, which takes a fraction of the time: a batch is
 * a module. What GPUs run is the same program but for what their atomic additions leave
 * (random_limits.card), held against the interpreter's outcome of that. When engines differ, the
 * kernel is cut down line by line as long as they still do, and printed. Batches run in processes
 * of their own. One that takes more than a minute is a failure, and so is a crash; both say the
 * seed that was at work.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ir/verify.h"
#include "text/text.h"

#include "random_compiled.h"
#include "random_gpu.h"

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
  const char
      *engines; /* words with commas between; those with one of them in their names; NULL: all */
  uint64_t done;
  unsigned failures;
} fuzz;

static const char *program_name;

/* ---- engines -------------------------------------------------------------------------------- */

enum { EVERY = 1 };

/* Every batch goes through the interpreter's engines, through compiled code at each feature level
 * and through one GPU; the optimisation levels of the compiler take turns, and the GPUs. Where
 * engines are asked for by their names, none takes turns. */
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
    INTERP("split-masks"),
    INTERP("join-steps"),
    INTERP("loop-unroll"),
    INTERP("narrow"),
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
    {3,
     0,
     {.name = "cpu avx512 without patterns",
      .run = random_run_compiled,
      .level = CPU_AVX512,
      .opt_level = 2,
      .plainer = true}},
    {6,
     1,
     {.name = "cpu avx2 without patterns",
      .run = random_run_compiled,
      .level = CPU_AVX2,
      .opt_level = 3,
      .plainer = true}},
    {6,
     4,
     {.name = "cpu baseline without patterns",
      .run = random_run_compiled,
      .level = CPU_BASELINE,
      .opt_level = 1,
      .plainer = true}},
    CPU(6, 1, "baseline", CPU_BASELINE, 1, "O3", " behind O3"),
    CPU(6, 3, "avx2", CPU_AVX2, 3, "O2", " behind O2"),
    CPU(6, 5, "avx512", CPU_AVX512, 2, "O3", " behind O3"),
    {3, 0, RANDOM_GPU("sm_80")},
    {3, 1, RANDOM_GPU("sm_90a")},
    {6, 2, RANDOM_GPU_UNFAIR("sm_90a")},
    {12, 5, RANDOM_GPU("sm_89")},
    {12, 11, RANDOM_GPU("sm_100a")},
};

enum { TURNS = ARRAY_LEN(turns) };

typedef struct chosen {
  random_engine engines[TURNS];
  unsigned turn[TURNS]; /* of each */
  unsigned n;
} chosen;

/* How many programs each engine agreed on, by turn; processes share it. */
static uint64_t *ran;

/* Whether `name` has one of the words in it. */
static bool is_named(const char *words, const char *name) {
  size_t length;
  for (const char *w = words; *w; w += length + (w[length] == ',')) {
    char word[64];
    length = strcspn(w, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, w);
    if (word[0] && strstr(name, word)) return true;
  }
  return false;
}

static bool is_here(const random_engine *e) {
  return e->run != random_run_compiled || engine_level_here((cpu_level)e->level);
}

/* For a batch, or all (UINT64_MAX): those that run the one form of a program, or the other. */
static void choose_engines(const char *names, uint64_t batch, bool on_card, chosen *out) {
  out->n = 0;
  for (unsigned i = 0; i < TURNS; i++) {
    const turn *t = &turns[i];
    bool now = names || batch == UINT64_MAX || batch % t->of == t->at;
    if (!now || (t->engine.target != NULL) != on_card || !is_here(&t->engine)) continue;
    if (names && !is_named(names, t->engine.name)) continue;
    out->turn[out->n] = i;
    out->engines[out->n++] = t->engine;
  }
}

static void list_engines(FILE *out) {
  for (unsigned i = 0; i < TURNS; i++)
    if (is_here(&turns[i].engine)) fprintf(out, "  %s\n", turns[i].engine.name);
}

/* Every word must name one. */
static bool check_names(const char *words) {
  size_t length;
  for (const char *w = words; *w; w += length + (w[length] == ',')) {
    char word[64];
    bool any = false;
    length = strcspn(w, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, w);
    for (unsigned i = 0; i < TURNS; i++)
      any |= is_here(&turns[i].engine) && is_named(word, turns[i].engine.name);
    if (any) continue;
    fprintf(stderr, "fuzz: no engine has '%s' in its name; there are\n", word);
    list_engines(stderr);
    return false;
  }
  return true;
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

static char at_work[512]; /* what a crash says */

static void on_signal(int number) {
  static const char slow[] = "\nfuzz: this takes more than a minute\n";
  static const char crash[] = "\nfuzz: crash\n";
  const char *what = number == SIGPROF ? slow : crash;
  if (write(2, what, strlen(what)) < 0 || write(2, at_work, strlen(at_work)) < 0) _exit(98);
  _exit(99);
}

static void set_at_work(const fuzz *f, uint64_t seed, unsigned kernels) {
  snprintf(at_work, sizeof at_work,
           "fuzz: see it again with: %s --ops %u --bits %u%s%s --seed %llu --count %u\n",
           program_name, f->limits.ops, f->limits.bits, f->engines ? " --engines " : "",
           f->engines ? f->engines : "", (unsigned long long)seed, kernels);
  set_timer(SECONDS_PER_BATCH);
}

/* Programs that do what only our engines define come in batches of their own. */
static random_limits limits_of(const fuzz *f, uint64_t seed, bool on_card) {
  random_limits l = f->limits;
  l.card = on_card;
  l.wild = seed / BATCH % 5 == 4;
  return l;
}

static void report(const fuzz *f, uint64_t seed, const random_engine *engine, const char *what) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  random_limits limits = limits_of(f, seed, engine && engine->target);
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

/* One of the two forms of a batch's programs, on the engines that run it. */
static void check_form(const fuzz *f, uint64_t seed, unsigned kernels, uint64_t turn_number,
                       bool on_card, random_outcome *o) {
  static chosen both[2]; /* where an outcome's engine is */
  chosen *c = &both[on_card];
  *o = (random_outcome){.agreed = true};
  choose_engines(f->engines, turn_number, on_card, c);
  if (!c->n) return;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  set_at_work(f, seed, kernels);
  random_limits limits = limits_of(f, seed, on_card);
  random_program p = random_make(&a, seed, kernels, &limits);
  random_check(&p, seed, c->engines, c->n, o);
  set_timer(0);
  arena_free(&a);
  tsr_context_destroy(ctx);
  for (unsigned i = 0; i < c->n && o->agreed; i++) ran[c->turn[i]] += kernels;
}

/* `kernels` programs from a seed on, of which all are of one batch. Returns how many differ. */
static unsigned run_batch(const fuzz *f, uint64_t seed, unsigned kernels, uint64_t turn_number) {
  unsigned failures = 0;
  uint64_t before[TURNS];
  random_outcome o;
  memcpy(before, ran, sizeof before);
  check_form(f, seed, kernels, turn_number, false, &o);
  if (o.agreed) check_form(f, seed, kernels, turn_number, true, &o);
  if (o.agreed) return 0;
  memcpy(ran, before, sizeof before);
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
  uint64_t before[TURNS];
  memcpy(before, ran, sizeof before);
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
  memcpy(ran, before, sizeof before);
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

static void say_engines(void) {
  puts("programs that each engine agreed on:");
  for (unsigned i = 0; i < TURNS; i++)
    if (ran[i]) printf("%10llu  %s\n", (unsigned long long)ran[i], turns[i].engine.name);
}

static void show(const fuzz *f, uint64_t seed) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  chosen hosts;
  choose_engines(f->engines, UINT64_MAX, false, &hosts);
  random_limits limits = limits_of(f, seed, hosts.n == 0);
  fputs(random_make(&a, seed, 1, &limits).text, stdout);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int help(void) {
  puts("Random programs, on which all engines must agree with the interpreter.\n"
       "\n"
       "  fuzz_programs [OPTION VALUE]...\n"
       "\n"
       "  --seconds N     for so long (60, where there is no --count either)\n"
       "  --count N       so many programs\n"
       "  --seed N        from this one on (1); each number is a program\n"
       "  --ops N         of about so many operations (10)\n"
       "  --bits N        on tiles of up to 2^N elements (5; 10 at most)\n"
       "  --engines LIST  only those that have one of these words, with commas between, in their\n"
       "                  names: gpu, or cpu,gpu, or 'opt 3'. They run every program. Without\n"
       "                  --engines, compilers' levels and GPUs take turns, 16 programs each\n"
       "  --replay SEED   one program on all engines, made smaller where they differ\n"
       "  --show SEED     its text; with --engines gpu, as GPUs run it\n"
       "\n"
       "A program is the same with the same --ops, --bits and number only. The engines are:");
  list_engines(stdout);
  return 0;
}

typedef struct command {
  fuzz f;
  uint64_t replay;
  bool has_replay, only_show;
} command;

/* NULL, or what is wrong. */
static const char *set_option(command *c, const char *name, const char *value) {
  fuzz *f = &c->f;
  uint64_t v = strtoull(value, NULL, 0);
  if (strcmp(name, "--seconds") == 0)
    f->seconds = atof(value);
  else if (strcmp(name, "--count") == 0)
    f->count = v;
  else if (strcmp(name, "--engines") == 0)
    f->engines = value;
  else if (strcmp(name, "--seed") == 0)
    f->seed = v;
  else if (strcmp(name, "--ops") == 0)
    f->limits.ops = (unsigned)v;
  else if (strcmp(name, "--bits") == 0)
    f->limits.bits = v > 10 ? 10 : (unsigned)v;
  else if (strcmp(name, "--replay") == 0 || strcmp(name, "--show") == 0)
    c->replay = v, c->has_replay = true, c->only_show = name[2] == 's';
  else
    return "there is no such option";
  return NULL;
}

static bool set_options(command *c, int argc, char **argv) {
  for (int i = 1; i < argc; i += 2) {
    const char *wrong = i + 1 < argc ? set_option(c, argv[i], argv[i + 1]) : "it lacks a value";
    if (!wrong) continue;
    fprintf(stderr, "fuzz: %s: %s; %s --help lists them\n", argv[i], wrong, argv[0]);
    return false;
  }
  return !c->f.engines || check_names(c->f.engines);
}

int main(int argc, char **argv) {
  command c = {.f = {.seed = 1, .limits = {.ops = 10, .bits = 5}}};
  fuzz *f = &c.f;
  program_name = argv[0];
  if (argc == 2 && strcmp(argv[1], "--help") == 0) return help();
  if (!set_options(&c, argc, argv)) return 2;
  ran = mmap(NULL, TURNS * sizeof *ran, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (ran == MAP_FAILED) return perror("fuzz: mmap"), 2;
  signal(SIGPROF, on_signal);
  signal(SIGSEGV, on_signal);
  signal(SIGBUS, on_signal);
  signal(SIGILL, on_signal);
  signal(SIGFPE, on_signal);
  signal(SIGABRT, on_signal);
  if (c.only_show) return show(f, c.replay), 0;
  if (c.has_replay) {
    double started = now();
    f->failures = run_batch(f, c.replay, 1, UINT64_MAX);
    f->done = 1;
    progress(f, started, true);
  } else {
    if (!f->seconds && !f->count) f->seconds = 60;
    run_all(f);
  }
  say_engines();
  return f->failures ? 1 : 0;
}
