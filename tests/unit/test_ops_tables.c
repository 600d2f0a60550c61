/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tables in tests/data/operators: what must be supported, each computed and compared with the
 * reference, what computes the families of Composable Kernel, and the problems of its own tests.
 */
#include "ops_run.h"

/* All problems take the sanitizers minutes; the fast build computes each. */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = false };
#else
enum { EVERY = true };
#endif

typedef struct table_run {
  ops_scene scene;
  world w;
  bool has_names; /* before problems, families of others */
  bool every;     /* compute each problem; else one of each line, and only small ones */
  double most;    /* operations of those that are computed */
  unsigned line, supported, refused;
} table_run;

static void one_problem(table_run *t, const char *text, bool compute) {
  char why[512];
  tsr_op_problem p = {.struct_size = sizeof p, .text = text};
  if (!tsr_op_is_supported(t->scene.device, &p, why, sizeof why)) {
    print_error("line %u: %s is refused: %s\n", t->line, text, why);
    t->refused++;
    return;
  }
  t->supported++;
  /* Random numbers are no addresses; tests/cli/op_families.test computes groups by pointers. */
  if (!compute || strstr(text, "rows=pointers")) return;
  tsr_op_plan *plan = tsr_op_plan_get(t->scene.library, &p);
  if (!plan) fail_msg("line %u: %s: %s", t->line, text, t->w.messages);
  if (tsr_op_plan_flops(plan) <= t->most) ops_run(&t->scene, text);
}

/* How many problems a line stands for. */
static unsigned count_problems(const char *line) {
  unsigned n = 1;
  for (const char *p = line; *p; p++) {
    if (*p != '{') continue;
    unsigned here = 1;
    for (; *p && *p != '}'; p++) here += *p == '|';
    n *= here;
  }
  return n;
}

/* Problem `index` of them: of each {x|y} the one that it picks. */
static void write_problem(const char *line, unsigned index, char *out) {
  for (const char *p = line; *p; p++) {
    if (*p != '{') {
      *out++ = *p;
      continue;
    }
    const char *end = strchr(p, '}');
    unsigned here = 1;
    for (const char *q = p; q < end; q++) here += *q == '|';
    unsigned which = index % here;
    index /= here;
    for (p++; which; p++) which -= *p == '|';
    while (*p != '|' && *p != '}') *out++ = *p++;
    p = end;
  }
  *out = 0;
}

/* In a table of families the second column; empty where there is none. */
static char *problem_of_line(char *line) {
  char *tab = strchr(line, '\t');
  return tab && *line != '#' ? tab + 1 : line + strlen(line);
}

static void one_line(table_run *t, char *line) {
  char text[2048];
  line = t->has_names ? problem_of_line(line) : line;
  line[strcspn(line, "\t\n")] = 0;
  if (!*line || *line == '#' || *line == '-') return;
  unsigned count = count_problems(line);
  for (unsigned i = 0; i < count; i++) {
    write_problem(line, i, text);
    one_problem(t, text, t->every || i == t->line % count);
  }
}

static void run_table(const char *path, const char *device, bool every, double most) {
  table_run t = {.every = every, .most = most, .has_names = strstr(path, "families") != NULL};
  char line[2048];
  FILE *file = fopen(path, "r");
  if (!file) fail_msg("there is no %s", path);
  world_open(&t.w);
  ops_open(&t.scene, &t.w, device);
  while (fgets(line, sizeof line, file)) {
    t.line++;
    one_line(&t, line);
  }
  fclose(file);
  print_message("%s on %s: %u supported, %u of these computed, %u refused\n", path, device,
                t.supported, t.scene.done, t.refused);
  ops_close(&t.scene);
  world_close(&t.w);
  assert_int_equal(t.refused, 0);
}

static void what_must_be_supported_is(void **state) {
  (void)state;
  run_table("tests/data/operators/support.tsv", "interp", EVERY, 1e9);
  run_table("tests/data/operators/support.tsv", "cpu", false, 1e9);
}

static void what_must_be_supported_is_on_gpus(void **state) {
  (void)state;
  run_table("tests/data/operators/support.tsv", "emu:sm_80", false, 1e9);
  run_table("tests/data/operators/support.tsv", "emu:sm_90a", false, 1e9);
}

/* Families that no operator computes: a reason in words goes with them. */
static void count_without(const char *path, unsigned *with, unsigned *without) {
  char line[2048];
  FILE *file = fopen(path, "r");
  if (!file) fail_msg("there is no %s", path);
  while (fgets(line, sizeof line, file)) {
    char *problem = strchr(line, '\t'), *note = problem ? strchr(problem + 1, '\t') : NULL;
    if (*line == '#') continue;
    if (!problem || (problem[1] == '-' && (!note || strlen(note) < 20)))
      fail_msg("%s: '%s' has neither a problem nor a reason", path, line);
    *(problem[1] == '-' ? without : with) += 1;
  }
  fclose(file);
}

static void families_of_others_have_operators(void **state) {
  (void)state;
  const char *path = "tests/data/operators/families.tsv";
  unsigned with = 0, without = 0;
  count_without(path, &with, &without);
  print_message("%u families with an operator, %u without\n", with, without);
  assert_true(with > 50);
  run_table(path, "interp", EVERY, 1e9);
  run_table(path, "cpu", false, 1e9);
}

static void problems_of_others_are_right(void **state) {
  (void)state;
  run_table("tests/data/operators/problems.tsv", "cpu", false, 2e6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_must_be_supported_is),
                                     cmocka_unit_test(what_must_be_supported_is_on_gpus),
                                     cmocka_unit_test(families_of_others_have_operators),
                                     cmocka_unit_test(problems_of_others_are_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
