/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the layout tests share: random layouts, and the definitions they are checked against.
 */
#ifndef TEST_LAYOUT_H
#define TEST_LAYOUT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tessera/layout.h>

typedef struct rng {
  uint64_t s;
} rng;

static inline uint32_t rng_next(rng *r) {
  r->s ^= r->s << 13;
  r->s ^= r->s >> 7;
  r->s ^= r->s << 17;
  return (uint32_t)(r->s >> 32);
}
static inline uint32_t rng_below(rng *r, uint32_t n) {
  return rng_next(r) % n;
}

static inline void shuffle(rng *r, int32_t *v, uint32_t n) {
  for (uint32_t i = n; i > 1; i--) {
    uint32_t k = rng_below(r, i);
    int32_t t = v[i - 1];
    v[i - 1] = v[k];
    v[k] = t;
  }
}

#define LIST(...)                                                                                  \
  (uint32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (int32_t[]) {                    \
    __VA_ARGS__                                                                                    \
  }
#define OK(call)                                                                                   \
  do {                                                                                             \
    tsr_layout_error error = {0};                                                                  \
    tsr_layout_error *err = &error;                                                                \
    tsr_status status_ = (call);                                                                   \
    if (status_ != TSR_OK) fail_msg("%s: %s", #call, error.message);                               \
  } while (0)
/* The call must fail with a message that contains `text`. */
#define FAILS(text, call)                                                                          \
  do {                                                                                             \
    tsr_layout_error error = {0};                                                                  \
    tsr_layout_error *err = &error;                                                                \
    tsr_status status_ = (call);                                                                   \
    assert_int_not_equal(status_, TSR_OK);                                                         \
    if (!strstr(error.message, (text)))                                                            \
      fail_msg("%s: expected '%s' in '%s'", #call, (text), error.message);                         \
  } while (0)

/* A layout with up to `max_modes` modes of sizes 2..4 (only 2 and 4 when `pow2`) in `rank`
 * dimensions, with replication when `copies`. */
static inline tsr_layout random_layout(rng *r, uint32_t rank, uint32_t max_modes, bool pow2,
                                       bool copies) {
  int32_t shape[TSR_LAYOUT_MAX_RANK], modes[64], order[64], spatial[64], local[64];
  uint32_t n = 0, ns = 0, nl = 0;
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t here = rng_below(r, max_modes / rank + 1);
    shape[d] = 1;
    for (uint32_t k = 0; k < here; k++) {
      modes[n] = pow2 ? 2 << rng_below(r, 2) : (int32_t)(2 + rng_below(r, 3));
      shape[d] *= modes[n++];
    }
  }
  for (uint32_t m = 0; m < n; m++) order[m] = (int32_t)m;
  shuffle(r, order, n);
  for (uint32_t m = 0; m < n; m++) {
    if (copies && rng_below(r, 6) == 0) spatial[ns++] = pow2 ? -2 : -(int32_t)(2 + rng_below(r, 2));
    if (rng_below(r, 2))
      spatial[ns++] = order[m];
    else
      local[nl++] = order[m];
  }
  tsr_layout l;
  OK(tsr_layout_make(&l, rank, shape, n, modes, ns, spatial, nl, local, err));
  return l;
}

/* The index that comes after `index` in row-major order; false at the end. */
static inline bool next_index(const int32_t *shape, uint32_t rank, int32_t *index) {
  for (uint32_t d = rank; d-- > 0;) {
    if (++index[d] < shape[d]) return true;
    index[d] = 0;
  }
  return false;
}

static inline int64_t linear_index(const tsr_layout *l, const int32_t *index) {
  int64_t n = 0;
  for (uint32_t d = 0; d < l->rank; d++) n = n * l->shape[d] + index[d];
  return n;
}

/* The whole map as a table: element (row-major) of (worker, slot). The caller frees it. */
static inline int64_t *map_table(const tsr_layout *l) {
  int64_t workers = tsr_layout_spatial_size(l), slots = tsr_layout_local_size(l);
  int64_t *t = malloc((size_t)(workers * slots) * sizeof *t);
  for (int64_t w = 0; w < workers; w++)
    for (int64_t s = 0; s < slots; s++) {
      int32_t index[TSR_LAYOUT_MAX_RANK];
      tsr_layout_get_global(l, (int32_t)w, (int32_t)s, index);
      t[w * slots + s] = linear_index(l, index);
    }
  return t;
}

static inline bool same_table(const tsr_layout *a, const tsr_layout *b) {
  int64_t n = tsr_layout_spatial_size(a) * tsr_layout_local_size(a);
  if (tsr_layout_spatial_size(a) != tsr_layout_spatial_size(b) ||
      tsr_layout_local_size(a) != tsr_layout_local_size(b))
    return false;
  int64_t *x = map_table(a), *y = map_table(b);
  bool same = memcmp(x, y, (size_t)n * sizeof *x) == 0;
  free(x);
  free(y);
  return same;
}

#endif
