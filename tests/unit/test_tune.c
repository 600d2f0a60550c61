/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tuning without kernels: expressions, spaces, texts with parameters, and the search on made-up
 * times with noise.
 */
#include "rt_support.h"

#include <math.h>

#include <tessera/tune.h>

#include "tune/expr.h"
#include "tune/search.h"
#include "tune/space.h"

/* ---- expressions ---------------------------------------------------------------------------- */

static bool find_name(const void *user, str name, expr_value *out) {
  (void)user;
  if (str_is(name, "m")) *out = (expr_value){.number = 100};
  if (str_is(name, "BM")) *out = (expr_value){.number = 64};
  if (str_is(name, "order")) *out = (expr_value){.is_word = true, .word = STR("row")};
  return str_is(name, "m") || str_is(name, "BM") || str_is(name, "order");
}

static const expr_names names = {find_name, NULL};

static void expect_number(const char *text, int64_t expected) {
  expr_value v;
  expr_problem problem;
  if (!expr_evaluate(str_of(text), &names, &v, &problem))
    fail_msg("'%s': %s", text, problem.message);
  assert_false(v.is_word);
  if (v.number != expected) fail_msg("'%s' is %lld", text, (long long)v.number);
}

static void expect_wrong(const char *text, size_t at, const char *part) {
  expr_value v;
  expr_problem problem;
  assert_false(expr_evaluate(str_of(text), &names, &v, &problem));
  if (!strstr(problem.message, part) || problem.at != at)
    fail_msg("'%s' at %zu: %s", text, problem.at, problem.message);
}

static void test_expressions(void **state) {
  (void)state;
  expect_number("1", 1);
  expect_number(" 2 + 3*4 ", 14);
  expect_number("(2+3)*4", 20);
  expect_number("-7 / 2", -3);
  expect_number("-7 % 3", -1);
  expect_number("7 - 2 - 1", 4);
  expect_number("cdiv(m, BM)", 2);
  expect_number("cdiv(128, BM)", 2);
  expect_number("cdiv(-7, 2)", -3);
  expect_number("min(m, BM) + max(m, BM)", 164);
  expect_number("pow2(m)", 128);
  expect_number("pow2(0)", 1);
  expect_number("m > BM && BM >= 64 || 0", 1);
  expect_number("m < BM", 0);
  expect_number("m <= 100", 1);
  expect_number("!m", 0);
  expect_number("!!m == 1", 1);
  expect_number("order == 'row'", 1);
  expect_number("order != \"col\"", 1);
  expect_number("order == 1", 0);
  expect_number("-9223372036854775807 - 1 < 0", 1);
}

/* Behind what decides already, values don't matter, names still do. */
static void test_short_circuits(void **state) {
  (void)state;
  expect_number("BM == 0 || m % BM == 36", 1);
  expect_number("BM == 64 || m % 0 == 1", 1);
  expect_number("BM == 0 && m / 0 == 1", 0);
  expect_number("BM == 0 && 9223372036854775807 * 2 == 1", 0);
  expect_wrong("BM == 64 || k", 12, "'k'");
}

static void test_wrong_expressions(void **state) {
  (void)state;
  expect_wrong("", 0, "expected a number");
  expect_wrong("1 +", 3, "expected a number");
  expect_wrong("1 2", 2, "nothing was expected");
  expect_wrong("(1", 2, "expected ')'");
  expect_wrong("k", 0, "there is no parameter or size 'k'");
  expect_wrong("1 / 0", 2, "division by zero");
  expect_wrong("1 % (m - 100)", 2, "division by zero");
  expect_wrong("9223372036854775807 + 1", 20, "beyond 64 bits");
  expect_wrong("99999999999999999999", 0, "beyond 64 bits");
  expect_wrong("order + 1", 6, "a word is only compared");
  expect_wrong("order < 'x'", 6, "a word is only compared");
  expect_wrong("'row", 0, "no end");
  expect_wrong("log(2)", 0, "no function 'log'");
  expect_wrong("min(1)", 0, "'min' takes 2 arguments, not 1");
  expect_wrong("pow2(1, 2, 3)", 0, "'pow2' takes 1 argument, not 3");
  char deep[500];
  memset(deep, '(', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  expect_wrong(deep, 100, "nested too deeply");
  memset(deep, '-', sizeof deep - 1);
  expect_wrong(deep, 100, "nested too deeply");
  expr_value v;
  expr_problem problem;
  assert_false(expr_evaluate((str){"1\0002", 3}, &names, &v, &problem));
}

static void test_lists(void **state) {
  (void)state;
  int64_t out[3];
  expr_problem problem;
  assert_int_equal(expr_list(STR("m, max(BM, 1)"), &names, out, 3, &problem), 2);
  assert_int_equal(out[0], 100);
  assert_int_equal(out[1], 64);
  assert_int_equal(expr_list(STR("1,2,3,4"), &names, out, 3, &problem), 0);
  assert_non_null(strstr(problem.message, "more than 3"));
  assert_int_equal(expr_list(STR("order"), &names, out, 3, &problem), 0);
  assert_int_equal(expr_list(STR("1,"), &names, out, 3, &problem), 0);
}

/* ---- spaces --------------------------------------------------------------------------------- */

static tsr_tune_space *small_space(world *w) {
  tsr_tune_space *s = tsr_tune_space_create(w->ctx);
  assert_int_equal(tsr_tune_space_add_ints(s, "BM", (int64_t[]){32, 64, 128}, 3), TSR_OK);
  assert_int_equal(tsr_tune_space_add_words(s, "order", (const char *const[]){"row", "column"}, 2),
                   TSR_OK);
  assert_int_equal(tsr_tune_space_set_size(s, "m", 100), TSR_OK);
  return s;
}

static const char *text_of(tsr_tune_space *s, size_t index) {
  static char text[256];
  size_t n = tsr_tune_choice_text(tsr_tune_space_choice(s, index), text, sizeof text);
  assert_int_equal(n, strlen(text));
  return text;
}

static bool keep_rows(void *user, const tsr_tune_choice *c) {
  ++*(int *)user;
  return strcmp(tsr_tune_choice_word(c, "order"), "row") == 0;
}

static void test_space(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_tune_space *s = small_space(&w);
  assert_int_equal(tsr_tune_space_count(s), 6);
  assert_string_equal(text_of(s, 0), "BM=32 order=row");
  assert_string_equal(text_of(s, 1), "BM=32 order=column");
  assert_string_equal(text_of(s, 5), "BM=128 order=column");
  assert_null(tsr_tune_space_choice(s, 6));
  tsr_tune_space_add_condition(s, "BM <= m");
  assert_int_equal(tsr_tune_space_count(s), 4);
  tsr_tune_space_set_size(s, "m", 32);
  assert_int_equal(tsr_tune_space_count(s), 2);
  tsr_tune_space_set_size(s, "m", 1000);
  int calls = 0;
  tsr_tune_space_add_filter(s, keep_rows, &calls);
  assert_int_equal(tsr_tune_space_count(s), 3);
  assert_int_equal(calls, 6);
  int64_t n;
  const tsr_tune_choice *c = tsr_tune_space_choice(s, 1);
  assert_true(tsr_tune_choice_int(c, "BM", &n));
  assert_int_equal(n, 64);
  assert_true(tsr_tune_choice_int(c, "m", &n));
  assert_int_equal(n, 1000);
  assert_false(tsr_tune_choice_int(c, "order", &n));
  assert_null(tsr_tune_choice_word(c, "BM"));
  assert_null(tsr_tune_choice_word(c, "k"));
  assert_int_equal(tsr_tune_choice_evaluate(c, "cdiv(m, BM)", &n), TSR_OK);
  assert_int_equal(n, 16);
  expect_quiet(&w);
  tsr_tune_space_destroy(s);
  world_close(&w);
}

static void test_wrong_spaces(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_tune_space *s = small_space(&w);
  assert_int_equal(tsr_tune_space_add_ints(s, "BM", (int64_t[]){1}, 1), TSR_ERROR_USAGE);
  expect_error(&w, "has a parameter or size 'BM' already");
  assert_int_equal(tsr_tune_space_set_size(s, "BM", 1), TSR_ERROR_USAGE);
  expect_error(&w, "has a parameter or size 'BM' already");
  assert_int_equal(tsr_tune_space_add_ints(s, "2x", (int64_t[]){1}, 1), TSR_ERROR_USAGE);
  expect_error(&w, "'2x' is no name of a parameter");
  assert_int_equal(tsr_tune_space_add_ints(s, "BN", NULL, 0), TSR_ERROR_USAGE);
  expect_error(&w, "needs from 1 to");
  assert_int_equal(tsr_tune_space_add_words(s, "x", (const char *const[]){"a b"}, 1),
                   TSR_ERROR_USAGE);
  expect_error(&w, "'a b' cannot be a value of 'x'");
  assert_int_equal(tsr_tune_space_add_condition(s, NULL), TSR_ERROR_USAGE);
  expect_error(&w, "no expression");
  assert_int_equal(tsr_tune_space_add_filter(s, NULL, NULL), TSR_ERROR_USAGE);
  expect_error(&w, "no function");
  tsr_tune_space_add_condition(s, "BM < k");
  assert_int_equal(tsr_tune_space_count(s), 0);
  expect_error(&w, "the condition 'BM < k', at character 6: there is no parameter or size 'k'");
  tsr_tune_space_destroy(s);
  s = tsr_tune_space_create(w.ctx);
  int64_t many[1024] = {0};
  for (int i = 0; i < 3; i++)
    tsr_tune_space_add_ints(s, (const char *const[]){"a", "b", "c"}[i], many, 1024);
  assert_int_equal(tsr_tune_space_count(s), 0);
  expect_error(&w, "more than 1048576 combinations");
  tsr_tune_space_destroy(s);
  world_close(&w);
}

static void test_substitute(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_tune_space *s = small_space(&w);
  const tsr_tune_choice *c = tsr_tune_space_choice(s, 0);
  const char text[] = "tile<${BM}x${BM * 2}xf32> $ ${order}$";
  size_t n;
  char *out = tsr_tune_choice_substitute(c, text, sizeof text - 1, NULL, &n);
  assert_string_equal(out, "tile<32x64xf32> $ row$");
  assert_int_equal(n, strlen(out));
  tsr_string_free(w.ctx, out);
  out = tsr_tune_choice_substitute(c, "", 0, NULL, NULL);
  assert_string_equal(out, "");
  tsr_string_free(w.ctx, out);
  assert_null(tsr_tune_choice_substitute(c, "a\nb ${BK}", 9, "k.mlir", NULL));
  expect_error(&w, "k.mlir:2: in ${...}: there is no parameter or size 'BK'");
  assert_null(tsr_tune_choice_substitute(c, "${BM", 4, NULL, NULL));
  expect_error(&w, "'${' without '}'");
  tsr_tune_space_destroy(s);
  world_close(&w);
}

static void test_key(void **state) {
  (void)state;
  static const int64_t rounded[][2] = {
      {-5, -5}, {0, 0},  {1, 1},       {2, 2},       {3, 3},       {5, 6},
      {8, 8},   {9, 12}, {1000, 1024}, {1024, 1024}, {1025, 1536}, {INT64_MAX, INT64_MAX}};
  for (size_t i = 0; i < ARRAY_LEN(rounded); i++)
    assert_int_equal(space_round(rounded[i][0]), rounded[i][1]);
  world w;
  world_open(&w);
  arena a;
  arena_init(&a, w.ctx);
  tsr_tune_space *s = small_space(&w);
  tsr_tune_space_set_size(s, "k", 7);
  assert_string_equal(space_key(s, &a, false).data, "k=8 m=128");
  assert_string_equal(space_key(s, &a, true).data, "k=7 m=100");
  arena_free(&a);
  tsr_tune_space_destroy(s);
  world_close(&w);
}

static void use_space(world *w) {
  tsr_tune_space *s = tsr_tune_space_create(w->ctx);
  tsr_tune_space_add_ints(s, "BM", (int64_t[]){32, 64, 128}, 3);
  tsr_tune_space_add_words(s, "order", (const char *const[]){"row", "column"}, 2);
  tsr_tune_space_set_size(s, "m", 100);
  tsr_tune_space_add_condition(s, "BM > 0");
  const tsr_tune_choice *c = tsr_tune_space_choice(s, 0);
  char *out = c ? tsr_tune_choice_substitute(c, "a", 1, NULL, NULL) : NULL;
  if (out) tsr_string_free(w->ctx, out);
  tsr_tune_space_destroy(s);
}

static void test_space_without_memory(void **state) {
  (void)state;
  for (long fail_at = 1;; fail_at++) {
    world w;
    world_open_failing(&w, fail_at);
    bool reached = true;
    if (w.ctx) {
      use_space(&w);
      reached = w.allocations >= fail_at;
      world_close(&w);
    }
    if (!reached) break;
  }
}

/* ---- the search, on made-up times ------------------------------------------------------------ */

typedef struct lab {
  search s;
  search_entrant entrants[64];
  double truth[64];
  double noise;  /* of a sample, as a part of it */
  double clock;  /* seconds */
  double factor; /* of what a sample takes */
  uint64_t seed;
  unsigned broken;  /* that many at the beginning cannot be measured */
  unsigned stop_at; /* measurements; 0: never */
} lab;

static double uniform(lab *l) {
  l->seed = l->seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(l->seed >> 11) / 9007199254740992.0;
}

/* Noise of a machine is one-sided: mostly little, at times a lot. */
static bool take_sample(void *user, unsigned i, double *ms) {
  lab *l = user;
  if (i < l->broken) return false;
  double u = uniform(l), burst = uniform(l) < 0.1 ? 5 * uniform(l) : 0;
  *ms = l->truth[i] * (1 + l->noise * (u + burst));
  l->clock += *ms * 1e-3 * l->factor;
  return true;
}

static double lab_now(void *user) {
  return ((lab *)user)->clock;
}

static bool lab_go_on(void *user, const search *s) {
  lab *l = user;
  return !l->stop_at || s->measured < l->stop_at;
}

static void lab_open(lab *l, unsigned n, double seconds) {
  *l = (lab){.factor = 1, .seed = 1};
  l->s = (search){.entrants = l->entrants,
                  .count = n,
                  .seconds = seconds,
                  .sample = take_sample,
                  .now = lab_now,
                  .go_on = lab_go_on,
                  .user = l};
  for (unsigned i = 0; i < n; i++) l->truth[i] = 1 + 0.1 * ((i * 37) % n);
}

static void test_search_without_noise(void **state) {
  (void)state;
  lab l;
  lab_open(&l, 64, 100);
  unsigned best = search_run(&l.s);
  assert_int_equal(best, 0);
  assert_int_equal(l.s.left, 1);
  assert_int_equal(search_ties(&l.s), 0);
  assert_int_equal(l.s.measured, 64 * SEARCH_FIRST_SAMPLES); /* all others are clearly slower */
}

/* What it takes for the best is within 3 % of the truth, whatever the noise's seed is. */
static void test_search_with_noise(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    lab l;
    lab_open(&l, 48, 60);
    l.noise = 0.1;
    l.seed = seed * 7919;
    for (unsigned i = 0; i < 48; i++) l.truth[i] = 1 + 0.01 * ((i * 29) % 48);
    unsigned best = search_run(&l.s);
    if (l.truth[best] > 1.03) fail_msg("seed %d: %f", (int)seed, l.truth[best]);
    assert_true(l.entrants[best].n > SEARCH_FIRST_SAMPLES); /* it was in doubt */
    assert_true(l.entrants[best].spread > 0);
  }
}

/* Those that are the same stay in doubt, and it ends nevertheless. */
static void test_search_of_equals(void **state) {
  (void)state;
  lab l;
  lab_open(&l, 8, 1000);
  l.noise = 0.2;
  for (unsigned i = 0; i < 8; i++) l.truth[i] = 1;
  assert_true(search_run(&l.s) < 8);
  assert_true(search_ties(&l.s) > 0);
  assert_true(l.s.measured <= 10 * SEARCH_MAX_SAMPLES);
}

/* With hardly any time every entrant is measured once. */
static void test_search_in_a_hurry(void **state) {
  (void)state;
  lab l;
  lab_open(&l, 64, 1e-9);
  assert_int_equal(search_run(&l.s), 0);
  assert_int_equal(l.s.measured, 64);
}

/* Where the noise hides which is the fastest, the first one stays: of one sample of each of many,
 * the least says little. */
static void test_search_keeps_the_first(void **state) {
  (void)state;
  unsigned departures = 0;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    lab l;
    lab_open(&l, 48, 0.1);
    l.noise = 1;
    l.seed = seed * 7919;
    for (unsigned i = 0; i < 48; i++) l.truth[i] = i ? 1.3 : 1;
    departures += search_run(&l.s) != 0;
  }
  assert_true(departures < 20);
}

/* The budget is kept, about. */
static void test_search_budget(void **state) {
  (void)state;
  lab l;
  lab_open(&l, 32, 1);
  l.noise = 0.5;
  for (unsigned i = 0; i < 32; i++) l.truth[i] = 10 + 0.01 * i;
  search_run(&l.s);
  assert_true(l.clock < 1.5);
  assert_true(l.entrants[l.s.best].n > SEARCH_FIRST_SAMPLES);
}

static void test_search_of_broken(void **state) {
  (void)state;
  lab l;
  lab_open(&l, 10, 10);
  l.broken = 3;
  unsigned best = search_run(&l.s);
  assert_true(best >= 3 && best < 10);
  assert_true(l.entrants[0].failed && l.entrants[2].out && !l.entrants[3].failed);
  lab_open(&l, 4, 10);
  l.broken = 4;
  assert_int_equal(search_run(&l.s), 4);
  assert_int_equal(search_ties(&l.s), 0);
  lab_open(&l, 0, 10);
  assert_int_equal(search_run(&l.s), 0);
}

static void test_search_that_is_stopped(void **state) {
  (void)state;
  lab l;
  lab_open(&l, 10, 10);
  l.stop_at = 5;
  assert_true(search_run(&l.s) < 5);
  assert_int_equal(l.s.measured, 5);
  assert_true(l.s.stopped);
}

static void test_quantiles(void **state) {
  (void)state;
  const double sorted[] = {1, 2, 4, 8};
  assert_true(fabs(search_quantile(sorted, 4, 0) - 1) < 1e-12);
  assert_true(fabs(search_quantile(sorted, 4, 0.5) - 3) < 1e-12);
  assert_true(fabs(search_quantile(sorted, 4, 1) - 8) < 1e-12);
  assert_true(fabs(search_quantile(sorted, 1, 0.7) - 1) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_short_circuits),
      cmocka_unit_test(test_wrong_expressions),
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_space),
      cmocka_unit_test(test_wrong_spaces),
      cmocka_unit_test(test_substitute),
      cmocka_unit_test(test_key),
      cmocka_unit_test(test_space_without_memory),
      cmocka_unit_test(test_search_without_noise),
      cmocka_unit_test(test_search_with_noise),
      cmocka_unit_test(test_search_of_equals),
      cmocka_unit_test(test_search_in_a_hurry),
      cmocka_unit_test(test_search_keeps_the_first),
      cmocka_unit_test(test_search_budget),
      cmocka_unit_test(test_search_of_broken),
      cmocka_unit_test(test_search_that_is_stopped),
      cmocka_unit_test(test_quantiles),
  };
  return cmocka_run_group_tests_name("tune", tests, NULL, NULL);
}
