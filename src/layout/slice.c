/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Slices of memory layouts: the same strides, fewer digits, and an offset for where they begin.
 */
#include "layout/layout.h"

static tsr_status check_range(int32_t begin, int32_t end, int32_t size, uint32_t dim, int mode,
                              tsr_layout_error *e) {
  if (0 <= begin && begin < end && end <= size) return TSR_OK;
  return layout_fail(e, TSR_ERROR_USAGE, (int)dim, mode,
                     "the range %d:%d of dimension %u: expected a part of 0:%d with at least one "
                     "element",
                     begin, end, dim, size);
}

tsr_status tsr_memory_slice_modes(tsr_memory_layout *out, const tsr_memory_layout *m,
                                  const int32_t *begin, const int32_t *end, tsr_layout_error *e) {
  if (!out || !m || (m->modes && (!begin || !end))) return layout_null(e);
  tsr_status s = tsr_memory_validate(m, e);
  tsr_memory_layout part = *m;
  part.modes = 0;
  for (uint32_t d = 0, k = 0; d < m->rank && s == TSR_OK; d++) {
    part.dim_modes[d] = 0;
    for (uint32_t last = k + m->dim_modes[d]; k < last && s == TSR_OK; k++) {
      s = check_range(begin[k], end[k], m->size[k], d, (int)k, e);
      if (s != TSR_OK) break;
      part.offset += begin[k] * m->stride[k];
      bool goes = end[k] - begin[k] == 1 && m->size[k] > 1;
      if (goes && (part.dim_modes[d] || k + 1 < last)) continue;
      part.size[part.modes] = end[k] - begin[k];
      part.stride[part.modes++] = m->stride[k];
      part.dim_modes[d]++;
    }
  }
  if (s == TSR_OK) *out = part;
  return s;
}

/* The ranges of the modes first .. first + count - 1 that together are [begin, end) of their
 * dimension; false, with the mode that it would cut apart in *cut, where there are none. */
static bool range_of_modes(const tsr_memory_layout *m, uint32_t first, uint32_t count,
                           int32_t begin, int32_t end, int32_t *begins, int32_t *ends,
                           uint32_t *cut) {
  for (uint32_t k = *cut = first + count; k-- > first;) {
    int32_t size = m->size[k], step = begin / size;
    bool whole = begin % size == 0 && end % size == 0;
    *cut = k;
    if (!whole && (end - 1) / size != step) return false;
    begins[k] = whole ? 0 : begin % size;
    ends[k] = whole ? size : (end - 1) % size + 1;
    begin = step;
    end = whole ? end / size : step + 1;
  }
  return true;
}

tsr_status tsr_memory_slice(tsr_memory_layout *out, const tsr_memory_layout *m,
                            const int32_t *begin, const int32_t *end, tsr_layout_error *e) {
  if (!out || !m || (m->rank && (!begin || !end))) return layout_null(e);
  int32_t begins[MAX_MODES], ends[MAX_MODES];
  tsr_status s = tsr_memory_validate(m, e);
  if (s != TSR_OK) return s;
  for (uint32_t d = 0, k = 0, cut; d < m->rank; k += m->dim_modes[d++]) {
    s = check_range(begin[d], end[d], tsr_memory_dim(m, d), d, -1, e);
    if (s != TSR_OK) return s;
    if (!range_of_modes(m, k, m->dim_modes[d], begin[d], end[d], begins, ends, &cut))
      return layout_fail(
          e, TSR_ERROR_UNSUPPORTED, (int)d, (int)cut,
          "the range %d:%d of dimension %u cuts its mode of size %d: it must consist "
          "of whole turns of that mode, or lie in one",
          begin[d], end[d], d, m->size[cut]);
  }
  return tsr_memory_slice_modes(out, m, begins, ends, e);
}

tsr_status tsr_memory_squeeze(tsr_memory_layout *out, const tsr_memory_layout *m, uint32_t count,
                              const int32_t *dims, tsr_layout_error *e) {
  if (!out || !m || (count && !dims)) return layout_null(e);
  bool gone[MAX_RANK] = {false};
  tsr_status s = tsr_memory_validate(m, e);
  if (s != TSR_OK) return s;
  for (uint32_t i = 0; i < count; i++) {
    if (dims[i] < 0 || dims[i] >= m->rank)
      return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "dimension %d of a layout of %u dimensions",
                         dims[i], m->rank);
    if (tsr_memory_dim(m, (uint32_t)dims[i]) != 1)
      return layout_fail(e, TSR_ERROR_USAGE, dims[i], -1,
                         "dimension %d has size %d; squeeze removes sizes 1 only", dims[i],
                         tsr_memory_dim(m, (uint32_t)dims[i]));
    gone[dims[i]] = true;
  }
  tsr_memory_layout left = *m;
  left.rank = left.modes = 0;
  for (uint32_t d = 0, k = 0; d < m->rank; k += m->dim_modes[d++]) {
    if (gone[d]) continue;
    left.dim_modes[left.rank++] = m->dim_modes[d];
    for (uint32_t i = 0; i < m->dim_modes[d]; i++) {
      left.size[left.modes] = m->size[k + i];
      left.stride[left.modes++] = m->stride[k + i];
    }
  }
  *out = left;
  return TSR_OK;
}
