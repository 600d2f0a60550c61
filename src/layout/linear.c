/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linear maps over GF(2), by elimination on 64-bit vectors.
 */
#include "layout/linear.h"

#include "base/invariant.h"

int layout_log2(int64_t n) {
  return n < 1 || (n & (n - 1)) ? -1 : 63 - __builtin_clzll((unsigned long long)n);
}

uint64_t span_reduce(const span *s, uint64_t v, uint64_t *from) {
  uint64_t rest = 0; /* bits that no row has as its highest */
  while (v) {
    int h = 63 - __builtin_clzll(v);
    if (s->row[h]) {
      v ^= s->row[h];
      if (from) *from ^= s->from[h];
    } else {
      rest |= 1ull << h;
      v &= ~(1ull << h);
    }
  }
  return rest;
}

bool span_add(span *s, uint64_t v) {
  uint64_t from = 1ull << s->added++;
  uint64_t rest = span_reduce(s, v, &from);
  if (!rest) return false;
  int h = 63 - __builtin_clzll(rest);
  s->row[h] = rest;
  s->from[h] = from;
  s->rank++;
  return true;
}

static span columns_of(const tsr_linear *m) {
  span s = {0};
  for (uint32_t i = 0; i < m->in; i++) span_add(&s, m->column[i]);
  return s;
}

uint64_t tsr_linear_apply(const tsr_linear *m, uint64_t x) {
  if (!m) return 0;
  uint64_t y = 0;
  if (m->in < 64) x &= (1ull << m->in) - 1;
  for (; x; x &= x - 1) y ^= m->column[__builtin_ctzll(x)];
  return y;
}

tsr_linear tsr_linear_identity(uint32_t bits) {
  tsr_linear m = {.in = (uint8_t)MIN(bits, 64u), .out = (uint8_t)MIN(bits, 64u)};
  for (uint32_t i = 0; i < m.in; i++) m.column[i] = 1ull << i;
  return m;
}

bool tsr_linear_equal(const tsr_linear *a, const tsr_linear *b) {
  if (!a || !b) return a == b;
  return a->in == b->in && a->out == b->out &&
         memcmp(a->column, b->column, a->in * sizeof a->column[0]) == 0;
}

uint32_t tsr_linear_rank(const tsr_linear *m) {
  if (!m) return 0;
  return columns_of(m).rank;
}

tsr_status tsr_linear_product(tsr_linear *out, const tsr_linear *a, const tsr_linear *b,
                              tsr_layout_error *e) {
  if (!out || !a || !b) return layout_null(e);
  if (b->out != a->in)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "a map of %u bits cannot follow one that makes %u bits", a->in, b->out);
  tsr_linear m = {.in = b->in, .out = a->out};
  for (uint32_t i = 0; i < b->in; i++) m.column[i] = tsr_linear_apply(a, b->column[i]);
  *out = m;
  return TSR_OK;
}

bool tsr_linear_solve(const tsr_linear *m, uint64_t y, uint64_t *x) {
  if (!m || !x) return false;
  span s = columns_of(m);
  uint64_t from = 0;
  if (span_reduce(&s, y, &from)) return false;
  *x = from;
  return true;
}

tsr_status tsr_linear_solve_map(tsr_linear *out, const tsr_linear *b, const tsr_linear *a,
                                tsr_layout_error *e) {
  if (!out || !b || !a) return layout_null(e);
  span s = columns_of(b);
  tsr_linear m = {.in = a->in, .out = b->in};
  for (uint32_t i = 0; i < a->in; i++)
    if (span_reduce(&s, a->column[i], &m.column[i]))
      return layout_fail(e, TSR_ERROR_USAGE, -1, (int)i,
                         "bit %u maps to 0x%llx, which the divisor does not reach", i,
                         (unsigned long long)a->column[i]);
  *out = m;
  return TSR_OK;
}

tsr_status tsr_linear_inverse(tsr_linear *out, const tsr_linear *m, tsr_layout_error *e) {
  if (!out || !m) return layout_null(e);
  uint32_t rank = tsr_linear_rank(m);
  if (m->in != m->out || rank != m->in)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "a map from %u to %u bits of rank %u has no inverse", m->in, m->out, rank);
  tsr_linear id = tsr_linear_identity(m->in), inverse, both;
  tsr_status s = tsr_linear_solve_map(&inverse, m, &id, e);
  if (s != TSR_OK) return s;
  INVARIANT(tsr_linear_product(&both, m, &inverse, NULL) == TSR_OK && tsr_linear_equal(&both, &id));
  *out = inverse;
  return TSR_OK;
}

tsr_status tsr_linear_left_divide(tsr_linear *out, const tsr_linear *a, const tsr_linear *t,
                                  tsr_layout_error *e) {
  if (!out || !a || !t) return layout_null(e);
  if (a->in < t->in || a->out < t->out)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "the divisor has more bits than the dividend");
  uint64_t mask = t->out == 64 ? ~0ull : (1ull << t->out) - 1;
  for (uint32_t i = 0; i < a->in; i++)
    if (i < t->in ? a->column[i] != t->column[i] : (a->column[i] & mask) != 0)
      return layout_fail(e, TSR_ERROR_USAGE, -1, (int)i,
                         "input bit %u maps to 0x%llx; the divisor asks for %s", i,
                         (unsigned long long)a->column[i],
                         i < t->in ? "its own column" : "nothing in its outputs");
  tsr_linear m = {.in = (uint8_t)(a->in - t->in), .out = (uint8_t)(a->out - t->out)};
  for (uint32_t i = 0; i < m.in; i++)
    m.column[i] = t->out == 64 ? 0 : a->column[t->in + i] >> t->out;
  *out = m;
  return TSR_OK;
}

static uint32_t rows_of(const span *s, uint64_t basis[64]) {
  uint32_t n = 0;
  for (int h = 0; h < 64; h++)
    if (s->row[h]) basis[n++] = s->row[h];
  return n;
}

uint32_t tsr_linear_image(const tsr_linear *m, uint64_t basis[64]) {
  if (!m || !basis) return 0;
  span s = columns_of(m);
  return rows_of(&s, basis);
}

uint32_t tsr_linear_kernel(const tsr_linear *m, uint64_t basis[64]) {
  if (!m || !basis) return 0;
  span s = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->in; i++) {
    uint64_t from = 1ull << i;
    /* A column that the earlier ones make is, with them, a zero. */
    if (span_reduce(&s, m->column[i], &from) == 0) basis[n++] = from;
    span_add(&s, m->column[i]);
  }
  return n;
}

/* The vectors of b modulo the span of a: a sum of them that vanishes lies in a. */
uint32_t tsr_linear_intersection(uint32_t na, const uint64_t *a, uint32_t nb, const uint64_t *b,
                                 uint64_t basis[64]) {
  if (!basis || (na && !a) || (nb && !b)) return 0;
  span sa = {0}, common = {0}, both = {0};
  for (uint32_t i = 0; i < MIN(na, 64u); i++) span_add(&sa, a[i]);
  uint64_t independent[64];
  uint32_t k = 0;
  for (uint32_t i = 0; i < MIN(nb, 64u); i++) {
    uint64_t from = 0, rest = span_reduce(&sa, b[i], NULL);
    rest = span_reduce(&both, rest, &from);
    if (rest == 0) {
      uint64_t v = b[i];
      for (; from; from &= from - 1) v ^= independent[__builtin_ctzll(from)];
      span_add(&common, v);
    } else {
      independent[k++] = b[i];
      span_add(&both, span_reduce(&sa, b[i], NULL));
    }
  }
  return rows_of(&common, basis);
}

/* ---- distributions -------------------------------------------------------------------------- */

/* The columns of a list of modes, its least significant bit first. `weight[m]` is what the digit of
 * mode m adds to the row-major index. */
static bool list_columns(const tsr_layout *l, const int32_t *list, uint32_t len,
                         const int64_t *weight, tsr_linear *m) {
  for (uint32_t i = len; i-- > 0;) {
    int32_t entry = list[i];
    int bits = layout_log2(entry < 0 ? -entry : l->mode_shape[entry]);
    if (bits < 0 || m->in + bits > 64) return false;
    for (int b = 0; b < bits; b++)
      m->column[m->in++] = entry < 0 ? 0 : (uint64_t)weight[entry] << b;
  }
  return true;
}

tsr_status tsr_linear_from_layout(tsr_linear *out, uint32_t *slot_bits, const tsr_layout *l,
                                  tsr_layout_error *e) {
  if (!out || !l) return layout_null(e);
  int64_t weight[MAX_MODES], w = 1;
  for (uint32_t m = l->modes; m-- > 0;) {
    weight[m] = w;
    w *= l->mode_shape[m];
  }
  int bits = layout_log2(w);
  tsr_linear m = {.out = (uint8_t)MAX(bits, 0)};
  bool ok = bits >= 0 && list_columns(l, l->local_modes, l->local, weight, &m);
  uint32_t slots = m.in;
  if (!ok || !list_columns(l, l->spatial_modes, l->spatial, weight, &m))
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1,
                       "a linear map needs sizes that are powers of two: shape %s, mode_shape %s, "
                       "spatial_modes %s",
                       SHAPE_TEXT(l), layout_list(l->modes, l->mode_shape).text,
                       layout_list(l->spatial, l->spatial_modes).text);
  if (slot_bits) *slot_bits = slots;
  *out = m;
  return TSR_OK;
}

/* Every index bit becomes a mode of size 2; canonicalization makes them long again. */
tsr_status tsr_linear_to_layout(tsr_layout *out, const tsr_linear *m, uint32_t slot_bits,
                                uint32_t rank, const int32_t *shape, tsr_layout_error *e) {
  if (!out || !m || (rank && !shape)) return layout_null(e);
  int32_t twos[64], spatial[64], local[64];
  uint32_t ns = 0, nl = 0;
  if (m->in > 64 || m->out > 31 || slot_bits > m->in)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "%u slot bits of %u, %u index bits: too many",
                       slot_bits, m->in, m->out);
  for (uint32_t i = 0; i < m->out; i++) twos[i] = 2;
  for (uint32_t i = m->in; i-- > 0;) { /* most significant first */
    uint64_t c = m->column[i];
    if ((c & (c - 1)) || (c == 0 && i < slot_bits) || (m->out < 64 && c >> m->out))
      return layout_fail(e, TSR_ERROR_USAGE, -1, (int)i,
                         "input bit %u maps to 0x%llx: a distribution maps each bit to one index "
                         "bit, and only a worker's bit to none",
                         i, (unsigned long long)c);
    int32_t mode = c ? (int32_t)(m->out - 1) - __builtin_ctzll(c) : -2;
    if (i < slot_bits)
      local[nl++] = mode;
    else
      spatial[ns++] = mode;
  }
  return tsr_layout_make(out, rank, shape, m->out, twos, ns, spatial, nl, local, e);
}
