/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Distributions: questions, answered by mixed-radix digits.
 *
 * An index becomes one digit per mode; a list of modes with their digits is a number, row-major. A
 * replication entry is a digit that no index determines.
 */
#include "layout/layout.h"

int64_t tsr_layout_size(const tsr_layout *l) {
  if (!l) return 0;
  int64_t n = 1;
  for (uint32_t d = 0; d < l->rank; d++) n *= l->shape[d];
  return n;
}

static int32_t entry_size(const tsr_layout *l, int32_t entry) {
  return entry < 0 ? -entry : l->mode_shape[entry];
}

int64_t tsr_layout_spatial_size(const tsr_layout *l) {
  if (!l) return 0;
  int64_t n = 1;
  for (uint32_t i = 0; i < l->spatial; i++) n *= entry_size(l, l->spatial_modes[i]);
  return n;
}

int64_t tsr_layout_local_size(const tsr_layout *l) {
  if (!l) return 0;
  int64_t n = 1;
  for (uint32_t i = 0; i < l->local; i++) n *= l->mode_shape[l->local_modes[i]];
  return n;
}

int64_t tsr_layout_copies(const tsr_layout *l) {
  if (!l) return 0;
  int64_t n = 1;
  for (uint32_t i = 0; i < l->spatial; i++)
    if (l->spatial_modes[i] < 0) n *= -l->spatial_modes[i];
  return n;
}

uint32_t tsr_layout_grouped_modes(const tsr_layout *l, uint32_t dim, uint32_t *first) {
  uint32_t m = 0;
  if (!l) return 0;
  for (uint32_t d = 0; d < dim; d++) m += l->dim_modes[d];
  if (first) *first = m;
  return l->dim_modes[dim];
}

void layout_plan(const tsr_layout *l, mode_plan *plan) {
  uint32_t m = 0;
  for (uint32_t d = 0; d < l->rank; d++) {
    int32_t divide = l->shape[d];
    for (uint32_t end = m + l->dim_modes[d]; m < end; m++) {
      divide /= l->mode_shape[m];
      plan[m] = (mode_plan){.dim = (int32_t)d, .divide = divide, .size = l->mode_shape[m]};
    }
  }
  int32_t stride = 1;
  for (uint32_t i = l->spatial; i-- > 0;) {
    int32_t entry = l->spatial_modes[i];
    if (entry >= 0) plan[entry].worker = stride;
    stride *= entry_size(l, entry);
  }
  stride = 1;
  for (uint32_t i = l->local; i-- > 0;) {
    plan[l->local_modes[i]].slot = stride;
    stride *= l->mode_shape[l->local_modes[i]];
  }
}

static int32_t digit(const mode_plan *p, const int32_t *index) {
  return index[p->dim] / p->divide % p->size;
}

int32_t tsr_layout_get_local(const tsr_layout *l, const int32_t *index) {
  if (!l || (l->rank && !index)) return 0;
  mode_plan plan[MAX_MODES];
  layout_plan(l, plan);
  int32_t slot = 0;
  for (uint32_t m = 0; m < l->modes; m++) slot += digit(&plan[m], index) * plan[m].slot;
  return slot;
}

/* The copies of a worker: one for every combination of the replication digits, in row-major order
 * of these. `strides` and `sizes` are theirs. */
static void write_copies(int32_t base, uint32_t n, const int32_t *sizes, const int32_t *strides,
                         int64_t count, int32_t *workers) {
  for (int64_t c = 0; c < count; c++) {
    int64_t rest = c;
    int32_t worker = base;
    for (uint32_t i = n; i-- > 0;) {
      worker += (int32_t)(rest % sizes[i]) * strides[i];
      rest /= sizes[i];
    }
    workers[c] = worker;
  }
}

int64_t tsr_layout_get_spatial(const tsr_layout *l, const int32_t *index, int32_t *workers,
                               int64_t capacity) {
  if (!l || (l->rank && !index) || (capacity > 0 && !workers)) return 0;
  mode_plan plan[MAX_MODES];
  layout_plan(l, plan);
  int32_t base = 0, stride = 1, sizes[MAX_MODES], strides[MAX_MODES];
  for (uint32_t m = 0; m < l->modes; m++) base += digit(&plan[m], index) * plan[m].worker;
  uint32_t n = 0;
  for (uint32_t i = l->spatial; i-- > 0;) {
    int32_t size = entry_size(l, l->spatial_modes[i]);
    if (l->spatial_modes[i] < 0) {
      sizes[n] = size;
      strides[n++] = stride;
    }
    stride *= size;
  }
  for (uint32_t i = 0; i < n / 2; i++) { /* most significant first */
    int32_t size = sizes[i], step = strides[i];
    sizes[i] = sizes[n - 1 - i];
    strides[i] = strides[n - 1 - i];
    sizes[n - 1 - i] = size;
    strides[n - 1 - i] = step;
  }
  int64_t copies = tsr_layout_copies(l);
  write_copies(base, n, sizes, strides, MIN(copies, MAX(capacity, 0)), workers);
  return copies;
}

void tsr_layout_get_global(const tsr_layout *l, int32_t worker, int32_t slot, int32_t *index) {
  if (!l || (l->rank && !index)) return;
  mode_plan plan[MAX_MODES];
  layout_plan(l, plan);
  for (uint32_t d = 0; d < l->rank; d++) index[d] = 0;
  for (uint32_t m = 0; m < l->modes; m++) {
    const mode_plan *p = &plan[m];
    /* A mode belongs to one of the two lists; its stride in the other is 0. */
    int32_t value = p->worker ? worker / p->worker : p->slot ? slot / p->slot : 0;
    index[p->dim] += value % p->size * p->divide;
  }
}

bool tsr_layout_locate_at(const tsr_layout *l, const int32_t *index, int32_t worker) {
  if (!l || (l->rank && !index)) return false;
  mode_plan plan[MAX_MODES];
  layout_plan(l, plan);
  if (worker < 0 || worker >= tsr_layout_spatial_size(l)) return false;
  for (uint32_t m = 0; m < l->modes; m++)
    if (plan[m].worker && worker / plan[m].worker % plan[m].size != digit(&plan[m], index))
      return false;
  return true;
}

/* ---- comparison ----------------------------------------------------------------------------- */

static bool same_list(uint32_t na, const int32_t *a, uint32_t nb, const int32_t *b) {
  return na == nb && memcmp(a, b, na * sizeof *a) == 0;
}

static bool same_fields(const tsr_layout *a, const tsr_layout *b) {
  return same_list(a->rank, a->shape, b->rank, b->shape) &&
         same_list(a->modes, a->mode_shape, b->modes, b->mode_shape) &&
         memcmp(a->dim_modes, b->dim_modes, a->rank) == 0 &&
         same_list(a->spatial, a->spatial_modes, b->spatial, b->spatial_modes) &&
         same_list(a->local, a->local_modes, b->local, b->local_modes);
}

bool tsr_layout_equal(const tsr_layout *a, const tsr_layout *b) {
  if (!a || !b) return a == b;
  tsr_layout x = *a, y = *b;
  tsr_layout_canonicalize(&x);
  tsr_layout_canonicalize(&y);
  return same_fields(&x, &y);
}

static void merge_copies(tsr_layout *l) {
  uint8_t n = 0;
  for (uint32_t i = 0; i < l->spatial; i++) {
    int32_t entry = l->spatial_modes[i];
    if (n && entry < 0 && l->spatial_modes[n - 1] < 0)
      l->spatial_modes[n - 1] *= -entry;
    else
      l->spatial_modes[n++] = entry;
  }
  l->spatial = n;
}

bool tsr_layout_same_map(const tsr_layout *a, const tsr_layout *b) {
  if (!a || !b) return a == b;
  tsr_layout x = *a, y = *b;
  tsr_layout_canonicalize(&x);
  tsr_layout_canonicalize(&y);
  merge_copies(&x);
  merge_copies(&y);
  return same_fields(&x, &y);
}
