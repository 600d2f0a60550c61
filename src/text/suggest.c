/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text/internal.h"

/* Optimal string alignment distance of short words; 99 when one is too long to be a typo. */
static unsigned distance(str a, str b) {
  enum { MAX_LEN = 31 };
  if (a.len > MAX_LEN || b.len > MAX_LEN) return 99;
  uint8_t d[MAX_LEN + 1][MAX_LEN + 1];
  for (size_t i = 0; i <= a.len; i++) d[i][0] = (uint8_t)i;
  for (size_t j = 0; j <= b.len; j++) d[0][j] = (uint8_t)j;
  for (size_t i = 1; i <= a.len; i++)
    for (size_t j = 1; j <= b.len; j++) {
      const char *x = a.data + i - 1, *y = b.data + j - 1;
      unsigned best = d[i - 1][j - 1] + (*x != *y);
      best = MIN(best, d[i - 1][j] + 1u);
      best = MIN(best, d[i][j - 1] + 1u);
      if (i > 1 && j > 1 && x[0] == y[-1] && x[-1] == y[0]) best = MIN(best, d[i - 2][j - 2] + 1u);
      d[i][j] = (uint8_t)best;
    }
  return d[a.len][b.len];
}

const char *suggest(str word, const char *const *candidates, unsigned n) {
  unsigned limit = word.len <= 3 ? 1 : (unsigned)word.len / 3 + 1;
  const char *found = NULL;
  for (unsigned i = 0; i < n; i++) {
    unsigned d = distance(word, str_of(candidates[i]));
    if (d <= limit) {
      found = candidates[i];
      if (d == 0) break;
      limit = d - 1;
    }
  }
  return found;
}
