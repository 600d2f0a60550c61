/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void search_sort(double *numbers, size_t n) {
  qsort(numbers, n, sizeof *numbers, compare_doubles);
}

double search_quantile(const double *sorted, size_t n, double q) {
  double at = q * (double)(n - 1);
  size_t below = (size_t)at;
  if (below + 1 >= n) return sorted[n - 1];
  return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* ---- what samples say ----------------------------------------------------------------------- */

/* A clock and a processor are hardly ever better than that. */
#define LEAST_ERROR 0.002
/* Of one or two samples nothing is known about their spread. */
#define FIRST_ERROR 0.05

/* The standard error of a median, from the distance of the quartiles, which outliers don't move. */
static double median_error(double spread, unsigned n) {
  double deviation = spread / 1.349;
  return 1.2533 * deviation / sqrt((double)n);
}

static void judge(search_entrant *e) {
  double sorted[SEARCH_MAX_SAMPLES];
  memcpy(sorted, e->samples, e->n * sizeof *sorted);
  search_sort(sorted, e->n);
  e->least = sorted[0];
  e->median = search_quantile(sorted, e->n, 0.5);
  e->spread = search_quantile(sorted, e->n, 0.75) - search_quantile(sorted, e->n, 0.25);
  double smallest = e->median * (e->n < SEARCH_FIRST_SAMPLES ? FIRST_ERROR : LEAST_ERROR);
  e->error = fmax(median_error(e->spread, e->n), smallest);
}

/* Whether it may be as fast as the best. What disturbs a machine only makes it slower, at times
 * much slower and for several samples: one that was as fast once may be as fast. */
static bool in_doubt(const search *s, const search_entrant *e) {
  const search_entrant *best = &s->entrants[s->best];
  return fmin(e->median - 2 * e->error, e->least) <= best->median + 2 * best->error;
}

static void find_best(search *s) {
  s->best = s->count;
  s->left = 0;
  for (unsigned i = 0; i < s->count; i++) {
    const search_entrant *e = &s->entrants[i];
    if (e->out) continue;
    s->left++;
    if (e->n && (s->best == s->count || e->median < s->entrants[s->best].median)) s->best = i;
  }
}

unsigned search_ties(const search *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < s->count && s->best < s->count; i++) {
    const search_entrant *e = &s->entrants[i];
    n += i != s->best && !e->failed && e->n && in_doubt(s, e);
  }
  return n;
}

/* ---- rounds --------------------------------------------------------------------------------- */

static void measure(search *s, unsigned i) {
  search_entrant *e = &s->entrants[i];
  double ms;
  s->measured++;
  s->repeated += e->n >= SEARCH_FIRST_SAMPLES;
  if (s->sample(s->user, i, &ms)) {
    e->samples[e->n++] = ms;
    judge(e);
  } else {
    e->out = e->failed = true;
  }
  find_best(s);
  if (s->go_on && !s->go_on(s->user, s)) s->stopped = true;
}

/* One measurement of each that is left and has fewer than `target`. False when there was none. */
static bool one_turn(search *s, unsigned target, double until) {
  bool any = false;
  for (unsigned i = 0; i < s->count && !s->stopped; i++) {
    search_entrant *e = &s->entrants[i];
    if (e->out || e->n >= target) continue;
    if (e->n && s->now(s->user) >= until) return false;
    measure(s, i);
    any = true;
  }
  return any && !s->stopped;
}

static void drop_clear_losers(search *s) {
  for (unsigned i = 0; i < s->count; i++) {
    search_entrant *e = &s->entrants[i];
    if (!e->out && !in_doubt(s, e)) e->out = true;
  }
}

/* The slower half, down to `keep`. */
static void drop_slowest(search *s, unsigned keep) {
  find_best(s);
  for (; s->left > keep; s->left--) {
    search_entrant *slowest = NULL;
    for (unsigned i = 0; i < s->count; i++) {
      search_entrant *e = &s->entrants[i];
      if (!e->out && (!slowest || e->median >= slowest->median)) slowest = e;
    }
    slowest->out = true;
  }
}

/* How many rounds it takes until one is left. */
static unsigned rounds_for(unsigned n) {
  unsigned rounds = 1;
  for (; n > 1; n = (n + 1) / 2) rounds++;
  return rounds;
}

/* The luckiest of many may only seem to be faster than the first, which is what there is without a
 * search. Both are measured anew, in turns, and the first is kept unless the other is faster then,
 * too. */
static void compare_with_first(search *s, double until) {
  search_entrant *first = &s->entrants[0], *rival = &s->entrants[s->best];
  bool clear = first->n >= SEARCH_FIRST_SAMPLES && !in_doubt(s, first);
  if (s->stopped || rival == first || first->failed || !first->n || clear) return;
  first->n = rival->n = 0;
  first->out = false;
  for (unsigned turn = 0; turn < SEARCH_MAX_SAMPLES && !s->stopped; turn++) {
    if (turn && s->now(s->user) >= until) break;
    measure(s, 0);
    if (!s->stopped) measure(s, (unsigned)(rival - s->entrants));
    if (first->failed || rival->failed) break;
  }
  bool faster = !rival->failed && rival->n && (first->failed || rival->median < first->median);
  s->best = faster ? (unsigned)(rival - s->entrants) : 0;
}

static void run_rounds(search *s) {
  double start = s->now(s->user);
  find_best(s);
  unsigned rounds = rounds_for(s->left), target = SEARCH_FIRST_SAMPLES;
  for (unsigned round = 1; s->left && !s->stopped; round++) {
    double share = start + s->seconds * MIN(round, rounds) / rounds;
    unsigned entered = s->left;
    while (one_turn(s, target, share)) {
    }
    if (s->best == s->count || s->stopped) break;
    drop_clear_losers(s);
    if (s->now(s->user) >= share) drop_slowest(s, (entered + 1) / 2);
    find_best(s);
    bool over = s->now(s->user) >= start + s->seconds;
    if (s->left == 1 || over || target == SEARCH_MAX_SAMPLES) break;
    target = MIN(2 * target, (unsigned)SEARCH_MAX_SAMPLES);
  }
}

unsigned search_run(search *s) {
  run_rounds(s);
  if (s->best < s->count) compare_with_first(s, s->now(s->user) + s->seconds / 4);
  return s->best;
}
