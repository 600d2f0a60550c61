/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory layouts: an index to an offset, by strides per mode and one XOR swizzle. Slices are in
 * slice.c.
 */
#include <limits.h>

#include "layout/linear.h"

int32_t tsr_memory_dim(const tsr_memory_layout *m, uint32_t dim) {
  if (!m) return 0;
  uint32_t k = 0;
  int32_t n = 1;
  for (uint32_t d = 0; d < dim; d++) k += m->dim_modes[d];
  for (uint32_t end = k + m->dim_modes[dim]; k < end; k++) n *= m->size[k];
  return n;
}

tsr_status tsr_memory_validate(const tsr_memory_layout *m, tsr_layout_error *e) {
  if (!m) return layout_null(e);
  uint32_t modes = 0;
  int64_t size = 1, reach = m->offset;
  if (m->rank > MAX_RANK || m->modes > MAX_MODES)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "at most %d dimensions and %d modes", MAX_RANK,
                       MAX_MODES);
  for (uint32_t d = 0; d < m->rank; d++) modes += m->dim_modes[d];
  if (modes != m->modes)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "dim_modes add up to %u modes, not %u", modes,
                       m->modes);
  if (m->offset < 0 || m->offset > INT64_MAX / 2)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "offset %lld: offsets are 0 or more and below 2^62", (long long)m->offset);
  for (uint32_t k = 0; k < modes; k++) {
    int64_t step = m->stride[k], far;
    if (m->size[k] < 1 || size > INT32_MAX / m->size[k])
      return layout_fail(
          e, TSR_ERROR_USAGE, -1, (int)k,
          "mode %u of size %d: sizes are 1 or more and make fewer than 2^31 elements", k,
          m->size[k]);
    size *= m->size[k];
    if (step < 0 || __builtin_mul_overflow(step, m->size[k] - 1, &far) ||
        __builtin_add_overflow(reach, far, &reach) || reach > INT64_MAX / 2)
      return layout_fail(e, TSR_ERROR_USAGE, -1, (int)k,
                         "mode %u of stride %lld: strides are 0 or more and offsets below 2^62", k,
                         (long long)step);
  }
  if (m->swizzle_bits &&
      (m->swizzle_bits > m->swizzle_shift || m->swizzle_shift > 31 || m->swizzle_base > 31))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "swizzle<%u, %u, %u>: expected bits <= shift, and all below 32",
                       m->swizzle_bits, m->swizzle_base, m->swizzle_shift);
  return TSR_OK;
}

tsr_status tsr_memory_strided(tsr_memory_layout *out, uint32_t rank, const int32_t *shape,
                              const int64_t *strides, tsr_layout_error *e) {
  if (!out || (rank && (!shape || !strides))) return layout_null(e);
  tsr_memory_layout m = {.rank = (uint8_t)rank, .modes = (uint8_t)rank};
  if (rank > MAX_RANK)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "at most %d dimensions, not %u", MAX_RANK, rank);
  for (uint32_t d = 0; d < rank; d++) {
    m.dim_modes[d] = 1;
    m.size[d] = shape[d];
    m.stride[d] = strides[d];
  }
  tsr_status s = tsr_memory_validate(&m, e);
  if (s == TSR_OK) *out = m;
  return s;
}

static tsr_status dense(tsr_memory_layout *out, uint32_t rank, const int32_t *shape, bool rows,
                        tsr_layout_error *e) {
  int64_t strides[MAX_RANK], n = 1;
  for (uint32_t i = 0; i < MIN(rank, MAX_RANK); i++) {
    uint32_t d = rows ? rank - 1 - i : i;
    strides[d] = n;
    if (__builtin_mul_overflow(n, shape[d], &n)) n = INT64_MAX; /* validation refuses it */
  }
  return tsr_memory_strided(out, rank, shape, strides, e);
}

tsr_status tsr_memory_row_major(tsr_memory_layout *out, uint32_t rank, const int32_t *shape,
                                tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  return dense(out, rank, shape, true, e);
}

tsr_status tsr_memory_column_major(tsr_memory_layout *out, uint32_t rank, const int32_t *shape,
                                   tsr_layout_error *e) {
  if (!out || (rank && !shape)) return layout_null(e);
  return dense(out, rank, shape, false, e);
}

tsr_status tsr_memory_swizzled(tsr_memory_layout *out, const tsr_memory_layout *from, uint32_t bits,
                               uint32_t base, uint32_t shift, tsr_layout_error *e) {
  if (!out || !from) return layout_null(e);
  tsr_memory_layout m = *from;
  if (m.swizzle_bits)
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1, "the layout is swizzled already");
  m.swizzle_bits = (uint8_t)MIN(bits, 255u);
  m.swizzle_base = (uint8_t)MIN(base, 255u);
  m.swizzle_shift = (uint8_t)MIN(shift, 255u);
  tsr_status s = tsr_memory_validate(&m, e);
  if (s == TSR_OK) *out = m;
  return s;
}

/* sw(a) = a ^ (((a >> 7) & (2^B - 1)) << 4) on byte addresses, B = 1, 2, 3 for 32, 64, 128 bytes.
 */
tsr_status tsr_memory_tma_swizzled(tsr_memory_layout *out, const tsr_memory_layout *from,
                                   int32_t swizzle_bytes, int32_t element_bits,
                                   tsr_layout_error *e) {
  if (!out || !from) return layout_null(e);
  int log_bytes = layout_log2(element_bits) - 3;
  int bits = layout_log2(swizzle_bytes) - 4;
  if (bits < 1 || bits > 3 || log_bytes < 0 || log_bytes > 4)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "a swizzle of %d bytes on elements of %d bits: expected 32, 64 or 128 bytes "
                       "and 8 to 128 bits",
                       swizzle_bytes, element_bits);
  return tsr_memory_swizzled(out, from, (uint32_t)bits, (uint32_t)(4 - log_bytes), 3, e);
}

static int64_t swizzle(const tsr_memory_layout *m, int64_t offset) {
  if (!m->swizzle_bits) return offset;
  int64_t mask = ((1LL << m->swizzle_bits) - 1) << m->swizzle_base;
  return offset ^ ((offset >> m->swizzle_shift) & mask);
}

int64_t tsr_memory_offset(const tsr_memory_layout *m, const int32_t *index) {
  if (!m || (m->rank && !index)) return 0;
  int64_t offset = m->offset;
  for (uint32_t d = 0, first = 0; d < m->rank; first += m->dim_modes[d++]) {
    int32_t rest = index[d];
    for (uint32_t k = first + m->dim_modes[d]; k-- > first;) {
      offset += rest % m->size[k] * m->stride[k];
      rest /= m->size[k];
    }
  }
  return swizzle(m, offset);
}

/* A swizzle permutes blocks of 2^(base + shift + bits), so it may reach to the end of the last. */
int64_t tsr_memory_extent(const tsr_memory_layout *m) {
  if (!m) return 0;
  int64_t last = m->offset;
  for (uint32_t k = 0; k < m->modes; k++) last += (m->size[k] - 1) * m->stride[k];
  if (!m->swizzle_bits) return last + 1;
  int64_t block = 1LL << (m->swizzle_base + m->swizzle_bits);
  return (last / block + 1) * block;
}

tsr_status tsr_linear_from_memory(tsr_linear *out, const tsr_memory_layout *m,
                                  tsr_layout_error *e) {
  if (!out || !m) return layout_null(e);
  tsr_linear l = {0};
  uint64_t used = 0;
  if (m->offset)
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1,
                       "the layout begins at offset %lld: a linear map sends 0 to 0",
                       (long long)m->offset);
  for (uint32_t k = m->modes; k-- > 0;) {
    int bits = layout_log2(m->size[k]), shift = layout_log2(m->stride[k]);
    if (bits == 0) continue;
    uint64_t moved = bits < 0 || shift < 0 ? used : ((1ull << bits) - 1) << shift;
    if (bits < 0 || shift < 0 || (moved & used) || l.in + bits > 64)
      return layout_fail(
          e, TSR_ERROR_UNSUPPORTED, -1, (int)k,
          "mode %u, of size %d and stride %lld, adds with carries: a linear map needs "
          "powers of two that do not overlap",
          k, m->size[k], (long long)m->stride[k]);
    used |= moved;
    for (int b = 0; b < bits; b++) l.column[l.in++] = (uint64_t)swizzle(m, 1LL << (shift + b));
  }
  uint64_t reach = used;
  for (uint32_t i = 0; i < l.in; i++) reach |= l.column[i];
  l.out = reach ? (uint8_t)(64 - __builtin_clzll(reach)) : 0;
  *out = l;
  return TSR_OK;
}
