/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The memory layout that a descriptor is: its dimensions in digits with a stride each, and a
 * swizzle where digits reach two bits of the offset. A candidate is read off single digits, and
 * then compared with the descriptor at every index.
 */
#include <tessera/descriptor.h>

#include "layout/linear.h"

enum { MOST_ELEMENTS = 1 << 21 }; /* every index is looked at */

/* The digits of all dimensions, the least significant of each first. */
typedef struct digits {
  uint32_t rank, count[MAX_RANK];
  int32_t size[MAX_RANK][MAX_MODES];
  int64_t reach[MAX_RANK][MAX_MODES]; /* the offset of digit 1 */
} digits;

static int64_t offset_at(const tsr_descriptor *d, uint32_t dim, int64_t i) {
  int64_t index[TSR_DESCRIPTOR_MAX_DIMS] = {0};
  index[dim] = i;
  return tsr_descriptor_offset(d, index, NULL);
}

/* The largest digit of value `unit` that has one stride, at most `left`. */
static int64_t longest_digit(const tsr_descriptor *d, uint32_t dim, int64_t unit, int64_t left) {
  int64_t step = offset_at(d, dim, unit), run = 1;
  while (run < left && offset_at(d, dim, run * unit) == run * step) run++;
  while (left % run) run--;
  return run;
}

/* Digits of two as far as the length has them, so that each bit of an XOR is one. */
static int64_t next_digit(const tsr_descriptor *d, uint32_t dim, int64_t unit, int64_t left,
                          bool mixed) {
  int64_t run = mixed && left % 2 == 0 ? 2 : longest_digit(d, dim, unit, left);
  return run > 1 ? run : left;
}

static bool part(digits *out, const tsr_descriptor *d, bool mixed) {
  *out = (digits){.rank = d->top};
  uint32_t modes = 0;
  for (uint32_t dim = 0; dim < d->top; dim++) {
    int64_t left = tsr_descriptor_length(d, dim), unit = 1;
    while (left > 1) {
      int64_t size = next_digit(d, dim, unit, left, mixed);
      if (modes++ == MAX_MODES) return false;
      out->size[dim][out->count[dim]] = (int32_t)size;
      out->reach[dim][out->count[dim]++] = offset_at(d, dim, unit);
      left /= size;
      unit *= size;
    }
  }
  return true;
}

/* The lower of two bits, which an XOR sets beside the higher one; 0: it has other bits. */
static int64_t mixed_bit(int64_t reach) {
  int64_t low = reach & -reach;
  return reach > 0 && __builtin_popcountll((uint64_t)reach) == 2 ? low : 0;
}

/* The swizzle whose bits the digits show. */
static bool read_swizzle(const digits *g, tsr_memory_layout *m) {
  int low = 64, high = -1, shift = 0;
  for (uint32_t dim = 0; dim < g->rank; dim++)
    for (uint32_t i = 0; i < g->count[dim]; i++) {
      int64_t bit = mixed_bit(g->reach[dim][i]);
      if (!bit) continue;
      int at = __builtin_ctzll((uint64_t)bit);
      int by = __builtin_ctzll((uint64_t)(g->reach[dim][i] ^ bit)) - at;
      if (shift && by != shift) return false;
      shift = by;
      low = MIN(low, at);
      high = MAX(high, at);
    }
  if (high < 0 || high - low + 1 > shift || shift > 31 || low > 31) return false;
  m->swizzle_bits = (uint8_t)(high - low + 1);
  m->swizzle_base = (uint8_t)low;
  m->swizzle_shift = (uint8_t)shift;
  return true;
}

/* One more digit of a dimension, below those it has; a part of the one above where it goes on. */
static void add_mode(tsr_memory_layout *m, uint32_t dim, int32_t size, int64_t stride) {
  uint32_t last = m->modes - 1u;
  if (m->dim_modes[dim] && m->stride[last] == size * stride) {
    m->size[last] *= size;
    m->stride[last] = stride;
    return;
  }
  m->dim_modes[dim]++;
  m->size[m->modes] = size;
  m->stride[m->modes++] = stride;
}

static bool assemble(const digits *g, bool mixed, tsr_memory_layout *out) {
  tsr_memory_layout m = {.rank = (uint8_t)g->rank};
  if (mixed && !read_swizzle(g, &m)) return false;
  for (uint32_t dim = 0; dim < g->rank; dim++)
    for (uint32_t i = g->count[dim]; i-- > 0;) {
      int64_t bit = mixed ? mixed_bit(g->reach[dim][i]) : 0;
      add_mode(&m, dim, g->size[dim][i], g->reach[dim][i] ^ bit);
    }
  *out = m;
  return tsr_memory_validate(out, NULL) == TSR_OK;
}

/* The next index, row-major; false behind the last. */
static bool advance(const tsr_descriptor *d, int64_t *index) {
  for (uint32_t dim = d->top; dim-- > 0;) {
    if (++index[dim] < tsr_descriptor_length(d, dim)) return true;
    index[dim] = 0;
  }
  return false;
}

static bool same_offsets(const tsr_descriptor *d, const tsr_memory_layout *m) {
  int64_t index[TSR_DESCRIPTOR_MAX_DIMS] = {0};
  do {
    int32_t at[TSR_DESCRIPTOR_MAX_DIMS] = {0};
    bool valid;
    for (uint32_t dim = 0; dim < d->top; dim++) at[dim] = (int32_t)index[dim];
    if (tsr_descriptor_offset(d, index, &valid) != tsr_memory_offset(m, at) || !valid) return false;
  } while (advance(d, index));
  return true;
}

static bool has_form(const tsr_descriptor *d, bool mixed, tsr_memory_layout *out) {
  digits g;
  return part(&g, d, mixed) && assemble(&g, mixed, out) && same_offsets(d, out);
}

/* The elements of the top; 0: a length is not known, or there are too many. */
static int64_t elements(const tsr_descriptor *d) {
  int64_t n = 1;
  for (uint32_t dim = 0; dim < d->top; dim++) {
    int64_t length = tsr_descriptor_length(d, dim);
    if (length < 1 || length > MOST_ELEMENTS / n) return 0;
    n *= length;
  }
  return n;
}

tsr_status tsr_memory_from_descriptor(tsr_memory_layout *out, const tsr_descriptor *d,
                                      tsr_layout_error *e) {
  if (!out || !d) return layout_null(e);
  if (d->bottom != 1 || !elements(d))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "expected a descriptor of memory with 1 to %d elements, all lengths known",
                       MOST_ELEMENTS);
  tsr_memory_layout m;
  if (!has_form(d, false, &m) && !has_form(d, true, &m))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "the descriptor is no memory layout: expected offsets from 0 on that are "
                       "sums of digits times strides, with at most one XOR of a run of bits, and "
                       "no padding");
  *out = m;
  return TSR_OK;
}
