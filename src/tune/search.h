/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * search: which of many entrants is the fastest, by measurements that are noisy and cost time.
 *
 * Successive halving. In each round every entrant that is left is measured, in turns, so that what
 * disturbs the machine for a while disturbs all of them; in each round twice as often. Then those
 * leave that are clearly slower than the best: the bounds of their medians do not overlap, and not
 * one sample was as fast. While the time that a round should take lasts, those in doubt stay, to be
 * measured again; after that the slower half leaves. At the end the best and the first entrant are
 * measured anew if the first may be as fast.
 */
#ifndef TSR_TUNE_SEARCH_H
#define TSR_TUNE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum { SEARCH_MAX_SAMPLES = 96, SEARCH_FIRST_SAMPLES = 3 };

typedef struct search_entrant {
  double samples[SEARCH_MAX_SAMPLES]; /* ms, in the order of measuring */
  unsigned n;
  double median, error; /* of the median: it lies within twice that, nearly always */
  double spread;        /* from the first to the third quartile */
  double least;         /* of all samples */
  bool out;             /* given up, or failed */
  bool failed;
} search_entrant;

typedef struct search {
  search_entrant *entrants;
  unsigned count;
  double seconds; /* all rounds may take about that, and the end a quarter of it; each entrant is
                     measured at least once */
  /* One measurement in ms; false: the entrant cannot be measured, and leaves. */
  bool (*sample)(void *user, unsigned entrant, double *ms);
  double (*now)(void *user); /* seconds */
  /* Called after each measurement; false ends the search. May be NULL. */
  bool (*go_on)(void *user, const struct search *s);
  void *user;
  unsigned left, measured; /* entrants that are left; measurements so far */
  unsigned repeated;       /* of these those beyond an entrant's first few */
  unsigned best;           /* so far; count: none */
  bool stopped;            /* go_on said so */
} search;

/* Returns the index of the fastest; `count` when none could be measured. */
unsigned search_run(search *s);
/* Entrants at the end that may be as fast as the best. */
unsigned search_ties(const search *s);

void search_sort(double *numbers, size_t n);
/* The q-quantile of n sorted numbers, q from 0 to 1, n above 0: between two of them by their
 * distance. */
double search_quantile(const double *sorted, size_t n, double q);

#endif
