/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Usage: gpu_check BUNDLE [--quick] [--only PART_OF_A_NAME] [--limit SECONDS] [-o REPORT.md]
 *
 * Each case has a process of its own, which opens the GPU anew: a kernel that makes an illegal
 * access spoils nothing but its own case, and one that hangs is ended after the limit. Rows are
 * printed, and the report is written, as they come.
 *
 * Exit status: 0 when all results are right, 1 when some are not, 2 when nothing could be run.
 */
#include "gpu/gpu_check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of the GPU, for the report; a process of its own finds them out. */
typedef struct card_facts {
  char name[128], arch[32];
  int major, minor, multiprocessors, driver;
  bool found, cublas;
  double copy; /* bytes a second */
} card_facts;

typedef struct session {
  gpu g; /* of a case's process */
  const char *bundle, *only, *report;
  unsigned limit; /* seconds that a case may take */
  bool quick, amd;
  unsigned checks, wrong, benches;
  card_facts card;
  char *table; /* the report's rows so far */
  size_t used, room;
  char about[1024], processors[256]; /* AMD's, that the bundle is for */
} session;

/* ---- the report ----------------------------------------------------------------------------- */

/* What a case's process tells. */
typedef struct outcome {
  bool right, benched;
  char row[512]; /* of the report */
} outcome;

static void add_row(session *s, const char *row) {
  size_t length = strlen(row);
  if (s->used + length + 1 > s->room) {
    size_t room = 2 * s->room + length + 4096;
    char *table = realloc(s->table, room);
    if (!table) return;
    s->table = table;
    s->room = room;
  }
  memcpy(s->table + s->used, row, length + 1);
  s->used += length;
}

static void write_card(const session *s, FILE *out) {
  const card_facts *f = &s->card;
  if (s->amd)
    fprintf(out, "%s, processor %s, %d compute units, HIP %d.%d", f->name, f->arch,
            f->multiprocessors, f->driver / 10000000, f->driver / 100000 % 100);
  else
    fprintf(out, "%s, compute capability %d.%d, %d multiprocessors, driver of CUDA %d.%d", f->name,
            f->major, f->minor, f->multiprocessors, f->driver / 1000, f->driver % 1000 / 10);
}

static void write_report(const session *s, FILE *out) {
  char date[64];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  fprintf(out, "# GPU check\n\n");
  write_card(s, out);
  fprintf(out, "; %s\n%s\n\n", date, s->about);
  fprintf(out, "%u of %u checks right.\n", s->checks - s->wrong, s->checks);
  if (s->card.copy > 0)
    fprintf(out, "Copy bandwidth, read and written: %.0f GB/s.\n", s->card.copy * 1e-9);
  if (!s->benches) return;
  if (!s->amd) fprintf(out, "cuBLAS: %s. ", s->card.cublas ? "beside it" : "not on this machine");
  fprintf(out, "Times are medians with a cold cache, on random numbers%s.\n\n",
          s->quick ? "; sizes are tiny, so they say nothing" : "");
  fprintf(out, "%s%s",
          s->amd ? "| work | time | rate | of copy bandwidth | results | kernel |\n"
                 : "| work | time | rate | of cuBLAS | of copy bandwidth | results |\n",
          "|---|---|---|---|---|---|\n");
  fprintf(out, "%s", s->table ? s->table : "");
}

/* ---- cases ---------------------------------------------------------------------------------- */

static bool compare_all(session *s, const test_case *c, char *what, size_t size) {
  for (unsigned i = 0; i < c->n_expect; i++) {
    const expectation *e = &c->expect[i];
    size_t bytes, wrong;
    char worst[256];
    void *expected = read_npy(s->bundle, e->path, &bytes);
    void *got = expected ? case_read(&s->g, c, e->param) : NULL;
    bool same_size = got && bytes == c->params[e->param].bytes && elem_bytes(e->elem);
    if (same_size)
      wrong = compare_arrays(e->elem, got, expected, bytes / elem_bytes(e->elem), e->rtol, e->atol,
                             worst, sizeof worst);
    else
      wrong = 1, snprintf(worst, sizeof worst, "what is expected cannot be compared");
    free(expected);
    free(got);
    if (!wrong) continue;
    snprintf(what, size, "parameter %u: %zu wrong; %s", e->param, wrong, worst);
    return false;
  }
  return true;
}

/* Launches once and looks at what that leaves. */
static bool run_once(session *s, const test_case *c, char *what, size_t size) {
  snprintf(what, size, "it does not run");
  if (!case_launch(&s->g, c)) return false;
  if (!gpu_ok(&s->g, s->g.d->stream_synchronize(s->g.stream), c->name)) return false;
  what[0] = 0;
  if (!compare_all(s, c, what, size)) return false;
  return !c->verify[0] || verify(&s->g, c, what, size);
}

static void describe_bench(const session *s, const test_case *c, const timing *t, outcome *o) {
  char blas[32] = "", copy[32] = "", rate[64] = "", kernel[128];
  const char *right = o->right ? "right" : "WRONG";
  double per_second = t->us > 0 ? c->work / t->us * 1e6 : 0;
  if (c->work_is_bytes) {
    snprintf(rate, sizeof rate, "%.0f GB/s", per_second * 1e-9);
    if (s->card.copy > 0) snprintf(copy, sizeof copy, "%.2f", per_second / s->card.copy);
  } else {
    snprintf(rate, sizeof rate, "%.1f TFLOP/s", per_second * 1e-12);
  }
  if (t->cublas_us > 0) snprintf(blas, sizeof blas, "%.2f", t->cublas_us / t->us);
  case_describe(&s->g, c, kernel, sizeof kernel);
  if (s->amd)
    snprintf(o->row, sizeof o->row, "| %s | %.1f µs | %s | %s | %s | %s |\n", c->name, t->us, rate,
             copy, right, kernel);
  else
    snprintf(o->row, sizeof o->row, "| %s | %.1f µs | %s | %s | %s | %s |\n", c->name, t->us, rate,
             blas, copy, right);
  o->benched = true;
  printf("  %s", o->row + 2);
}

typedef struct case_job {
  session *s;
  test_case *c;
} case_job;

/* In the case's own process. */
static outcome try_case(session *s, test_case *c) {
  char what[512] = "it cannot be loaded";
  timing t = {0};
  outcome o = {.right = case_open(&s->g, s->bundle, c) && run_once(s, c, what, sizeof what)};
  printf("%s %s%s%s\n", o.right ? "right" : "WRONG", c->name, o.right ? "" : ": ",
         o.right ? "" : what);
  if (c->bench && (o.right || what[0])) {
    if (o.right) measure(&s->g, c, s->quick, &t);
    describe_bench(s, c, &t, &o);
  }
  case_close(&s->g, c);
  return o;
}

static void case_process(void *user, int to) {
  case_job *j = user;
  outcome o = {.right = false};
  if (gpu_open(&j->s->g, j->s->amd, j->s->quick)) o = try_case(j->s, j->c);
  gpu_close(&j->s->g);
  fflush(stdout);
  if (write(to, &o, sizeof o) < 0) _exit(2);
}

static void write_report_file(session *s) {
  FILE *report = s->report ? fopen(s->report, "w") : NULL;
  if (s->report && !report) printf("cannot write %s\n", s->report);
  if (report) write_report(s, report);
  if (report) fclose(report);
}

static void run_case(session *s, test_case *c) {
  outcome o = {.right = false};
  char why[128];
  if (s->only && !strstr(c->name, s->only)) return;
  case_job job = {s, c};
  s->checks++;
  if (!run_apart(case_process, &job, s->limit, &o, sizeof o, why, sizeof why))
    printf("WRONG %s: %s\n", c->name, why);
  s->wrong += !o.right;
  s->benches += o.benched;
  if (o.row[0]) add_row(s, o.row);
  fflush(stdout);
  write_report_file(s);
}

/* ---- the manifest --------------------------------------------------------------------------- */

static param *new_param(test_case *c, param_kind kind) {
  if (c->n_params >= MAX_PARAMS - 1) return NULL; /* cuBLAS' result needs one more */
  param *p = &c->params[c->n_params++];
  *p = (param){.kind = kind};
  return p;
}

static bool read_value(test_case *c, const char *rest) {
  unsigned long long bits;
  size_t bytes;
  param *p = new_param(c, PARAM_VALUE);
  if (!p || sscanf(rest, "%zu %llx", &bytes, &bits) != 2 || bytes > 8) return false;
  p->bytes = bytes;
  memcpy(p->value, &bits, bytes);
  return true;
}

static bool read_memory(test_case *c, const char *word, const char *rest) {
  param *p = new_param(c, word[0] == 'f'   ? PARAM_FILE
                          : word[0] == 'z' ? PARAM_ZEROS
                                           : PARAM_RANDOM);
  size_t count = 0;
  if (!p) return false;
  if (p->kind == PARAM_FILE) return sscanf(rest, "%255s", p->path) == 1;
  bool good = p->kind == PARAM_ZEROS
                  ? sscanf(rest, "%15s %zu", p->elem, &count) == 2
                  : sscanf(rest, "%15s %zu %lf", p->elem, &count, &p->scale) == 3;
  p->bytes = count * elem_bytes(p->elem);
  return good && elem_bytes(p->elem);
}

static bool read_map(test_case *c, char *rest) {
  param *p = new_param(c, PARAM_MAP);
  for (char *word = strtok(rest, " "); p && word; word = strtok(NULL, " ")) {
    if (p->n_map == COUNT_OF(p->map)) return false;
    p->map[p->n_map++] = atoll(word);
  }
  return p && p->n_map > 5;
}

static bool read_code(test_case *c, const char *rest) {
  if (c->n_code == MAX_CODE) return false;
  unsigned n = c->n_code++;
  int words = sscanf(rest, "%255s %255s %31s %u", c->code[n], c->symbol[n], c->processor[n],
                     &c->threads[n]);
  return words == 2 || (words == 4 && c->threads[n]);
}

static bool read_launch(test_case *c, const char *rest) {
  unsigned *l = c->launch;
  return sscanf(rest, "%u %u %u %u %u %u %u %u", &l[0], &l[1], &l[2], &l[3], &l[4], &l[5], &l[6],
                &l[7]) == 8;
}

static bool read_walk(test_case *c, const char *rest) {
  unsigned *w = c->walk;
  return sscanf(rest, "%u %u %u %u", &w[0], &w[1], &w[2], &w[3]) == 4 && w[1] && w[2] && w[3];
}

static bool read_expect(test_case *c, const char *rest) {
  if (c->n_expect == MAX_EXPECT) return false;
  expectation *e = &c->expect[c->n_expect++];
  return sscanf(rest, "%u %255s %15s %lf %lf", &e->param, e->path, e->elem, &e->rtol, &e->atol) ==
             5 &&
         e->param < c->n_params;
}

static bool read_verify(test_case *c, char *rest) {
  char *word = strtok(rest, " ");
  if (!word) return false;
  snprintf(c->verify, sizeof c->verify, "%s", word);
  while ((word = strtok(NULL, " "))) {
    if (c->n_numbers == MAX_NUMBERS) return false;
    c->numbers[c->n_numbers++] = atof(word);
  }
  return true;
}

static bool read_cublas(test_case *c, const char *rest) {
  int *n = c->shape;
  return sscanf(rest, "%15s %d %d %d %d %d", c->cublas, &n[0], &n[1], &n[2], &n[3], &n[4]) == 6 &&
         n[3] >= 0 && n[4] >= 0 && (unsigned)n[3] < c->n_params && (unsigned)n[4] < c->n_params;
}

static bool read_work(test_case *c, const char *rest) {
  char unit[8];
  if (sscanf(rest, "%lf %7s", &c->work, unit) != 2) return false;
  c->work_is_bytes = strcmp(unit, "byte") == 0;
  return true;
}

static bool add_about(session *s, const char *rest) {
  size_t used = strlen(s->about);
  snprintf(s->about + used, sizeof s->about - used, "%s%s", used ? "; " : "Bundle: ", rest);
  return true;
}

static bool begin_case(test_case *c, const char *word, const char *rest) {
  memset(c, 0, sizeof *c);
  c->bench = strcmp(word, "bench") == 0;
  snprintf(c->name, sizeof c->name, "%s", rest);
  return true;
}

static bool hide_param(test_case *c) {
  if (c->n_params) c->params[c->n_params - 1].hidden = true;
  return c->n_params > 0;
}

static bool read_line(session *s, test_case *c, char *line) {
  char *rest = strchr(line, ' ');
  if (rest)
    *rest++ = 0;
  else
    rest = line + strlen(line);
  const char *word = line;
  if (!*word || *word == '#') return true;
  if (strcmp(word, "amd") == 0) return s->amd; /* it was read before */
  if (strcmp(word, "about") == 0) return add_about(s, rest);
  if (strcmp(word, "check") == 0 || strcmp(word, "bench") == 0) return begin_case(c, word, rest);
  if (strcmp(word, "code") == 0) return read_code(c, rest);
  if (strcmp(word, "launch") == 0) return read_launch(c, rest);
  if (strcmp(word, "file") == 0 || strcmp(word, "zeros") == 0 || strcmp(word, "random") == 0)
    return read_memory(c, word, rest);
  if (strcmp(word, "walk") == 0) return read_walk(c, rest);
  if (strcmp(word, "hide") == 0) return hide_param(c);
  if (strcmp(word, "value") == 0) return read_value(c, rest);
  if (strcmp(word, "map") == 0) return read_map(c, rest);
  if (strcmp(word, "expect") == 0) return read_expect(c, rest);
  if (strcmp(word, "work") == 0) return read_work(c, rest);
  if (strcmp(word, "verify") == 0) return read_verify(c, rest);
  if (strcmp(word, "cublas") == 0) return read_cublas(c, rest);
  if (strcmp(word, "run") != 0) return false;
  run_case(s, c);
  return true;
}

static FILE *open_manifest(const session *s) {
  char name[4096];
  snprintf(name, sizeof name, "%s/manifest", s->bundle);
  FILE *file = fopen(name, "r");
  if (!file)
    printf("cannot read %s: make the bundle with 'scripts/gpu-check --pack FOLDER'\n", name);
  return file;
}

/* Whose cards the bundle is for, which its first line says. */
static bool find_vendor(session *s) {
  static const char word[] = "amd ";
  char line[sizeof s->processors];
  FILE *file = open_manifest(s);
  if (!file) return false;
  if (fgets(line, sizeof line, file) && strncmp(line, word, sizeof word - 1) == 0) {
    s->amd = true;
    line[strcspn(line, "\n")] = 0;
    snprintf(s->processors, sizeof s->processors, "%s", line + sizeof word - 1);
  }
  fclose(file);
  return true;
}

static bool run_manifest(session *s) {
  static test_case c;
  static char line[4096], copy[4096];
  FILE *file = open_manifest(s);
  if (!file) return false;
  bool good = true;
  for (unsigned number = 1; good && fgets(line, sizeof line, file); number++) {
    line[strcspn(line, "\n")] = 0;
    strcpy(copy, line);
    good = read_line(s, &c, line);
    if (!good) printf("manifest:%u: cannot be understood: %s\n", number, copy);
  }
  fclose(file);
  return good;
}

/* ---- the program ---------------------------------------------------------------------------- */

static bool read_options(session *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--quick") == 0)
      s->quick = true;
    else if (strcmp(argv[i], "--only") == 0 && has_value)
      s->only = argv[++i];
    else if (strcmp(argv[i], "-o") == 0 && has_value)
      s->report = argv[++i];
    else if (strcmp(argv[i], "--limit") == 0 && has_value && atoi(argv[i + 1]) > 0)
      s->limit = (unsigned)atoi(argv[++i]);
    else if (argv[i][0] != '-' && !s->bundle)
      s->bundle = argv[i];
    else
      return false;
  }
  return s->bundle != NULL;
}

static void facts_process(void *user, int to) {
  session *s = user;
  card_facts f = {.found = false};
  if (gpu_open(&s->g, s->amd, s->quick)) {
    f.found = true;
    memcpy(f.name, s->g.name, sizeof f.name);
    memcpy(f.arch, s->g.arch, sizeof f.arch);
    f.major = s->g.major;
    f.minor = s->g.minor;
    f.multiprocessors = s->g.multiprocessors;
    f.driver = s->g.version;
    f.cublas = s->g.cublas;
    f.copy = measure_copy(&s->g, s->quick);
  }
  gpu_close(&s->g);
  fflush(stdout);
  if (write(to, &f, sizeof f) < 0) _exit(2);
}

enum { FACTS_LIMIT = 120 }; /* seconds */

/* Whether the bundle has code for the processor of the card. */
static bool suits_card(const session *s) {
  char names[sizeof s->processors];
  strcpy(names, s->processors);
  for (const char *name = strtok(names, " "); name; name = strtok(NULL, " "))
    if (strcmp(name, s->card.arch) == 0) return true;
  printf("the card, %s, is a %s, and the bundle has code for %s: pack one with '--target %s'\n",
         s->card.name, s->card.arch, s->processors, s->card.arch);
  return false;
}

/* This process never opens the driver, whose state a fork does not take over. */
static bool find_card(session *s) {
  char why[128];
  unsigned limit = s->limit > FACTS_LIMIT ? s->limit : FACTS_LIMIT;
  if (run_apart(facts_process, s, limit, &s->card, sizeof s->card, why, sizeof why))
    return s->card.found && (!s->amd || suits_card(s));
  printf("the GPU cannot be opened: %s\n", why);
  return false;
}

int main(int argc, char **argv) {
  static session s = {.limit = 120};
  if (!read_options(&s, argc, argv)) {
    fprintf(stderr, "usage: gpu_check BUNDLE [--quick] [--only PART_OF_A_NAME] [--limit SECONDS] "
                    "[-o REPORT.md]\n");
    return 2;
  }
  if (!find_vendor(&s) || !find_card(&s)) return 2;
  bool complete = run_manifest(&s);
  printf("\n");
  write_report(&s, stdout);
  write_report_file(&s);
  free(s.table);
  if (!complete || !s.checks) return 2;
  return s.wrong ? 1 : 0;
}
