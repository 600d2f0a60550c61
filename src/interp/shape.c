/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations that make tiles, or move elements about without changing them.
 */
#include "interp/internal.h"

#define COPY(T)                                                                                    \
  for (int64_t k = 0; k < n; k++) {                                                                \
    T v;                                                                                           \
    memcpy(&v, p + (from_first + k * from_step) * (int64_t)sizeof v, sizeof v);                    \
    memcpy(q + (to_first + k * to_step) * (int64_t)sizeof v, &v, sizeof v);                        \
  }

void copy_elements(unsigned bits, void *to, int64_t to_first, int64_t to_step, const void *from,
                   int64_t from_first, int64_t from_step, int64_t n) {
  const char *p = from;
  char *q = to;
  if (n == 0) return; /* then there may be no memory */
  bool whole = bits == 1 || bits >= 8;
  if (whole && (n == 1 || (to_step == 1 && from_step == 1))) {
    int64_t bytes = bits / 8 + (bits == 1);
    memcpy(q + to_first * bytes, p + from_first * bytes, (size_t)(n * bytes));
    return;
  }
  switch (whole ? bits : 0) {
  case 0:
    for (int64_t k = 0; k < n; k++)
      set_element(q, bits, to_first + k * to_step,
                  get_element(p, bits, from_first + k * from_step));
    break;
  case 16: COPY(uint16_t) break;
  case 32: COPY(uint32_t) break;
  case 64: COPY(uint64_t) break;
  default: COPY(uint8_t) break;
  }
}

/* Row-major strides of a tile. */
static void tile_strides(const ir_type *t, int64_t *strides) {
  int64_t stride = 1;
  for (unsigned d = t->rank; d-- > 0;) {
    strides[d] = stride;
    stride *= t->shape[d];
  }
}

/* A box of elements: to[to_base + sum i[d] * to_strides[d]] = from[the same with from's], for every
 * index i below `shape`. */
typedef struct box {
  unsigned bits, rank;
  const int64_t *shape;
  void *to;
  int64_t to_base, to_strides[IR_MAX_RANK];
  const void *from;
  int64_t from_base, from_strides[IR_MAX_RANK];
} box;

static void copy_box(const box *b) {
  int64_t index[IR_MAX_RANK] = {0}, to = b->to_base, from = b->from_base;
  unsigned outer = b->rank ? b->rank - 1 : 0; /* the last dimension is copied at once */
  int64_t n = b->rank ? b->shape[outer] : 1;
  int64_t to_step = b->rank ? b->to_strides[outer] : 1;
  int64_t from_step = b->rank ? b->from_strides[outer] : 1;
  for (;;) {
    copy_elements(b->bits, b->to, to, to_step, b->from, from, from_step, n);
    unsigned d = outer;
    for (; d > 0; d--) {
      to += b->to_strides[d - 1];
      from += b->from_strides[d - 1];
      if (++index[d - 1] < b->shape[d - 1]) break;
      to -= b->to_strides[d - 1] * b->shape[d - 1];
      from -= b->from_strides[d - 1] * b->shape[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

/* A box that covers the whole of result 0, from operand k. */
static box result_box(frame *f, const inst *i, uint32_t k) {
  const ir_type *r = out_type(i, 0);
  box b = {.bits = tsr_elem_bits((tsr_elem)r->elem),
           .rank = r->rank,
           .shape = r->shape,
           .to = at(f, i->out[0]),
           .from = at(f, i->in[k])};
  tile_strides(r, b.to_strides);
  return b;
}

/* ---- making tiles --------------------------------------------------------------------------- */

void run_constant(frame *f, const inst *i) {
  const ir_dense *d = ir_get_attr(i->op, ATTR_value)->dense;
  bool one = d->splat || d->type->count == 1;
  copy_elements(tsr_elem_bits((tsr_elem)d->type->elem), at(f, i->out[0]), 0, 1, d->data, 0, !one,
                i->count);
}

void run_iota(frame *f, const inst *i) {
  unsigned bits = tsr_elem_bits((tsr_elem)out_type(i, 0)->elem);
  for (int64_t k = 0; k < i->count; k++)
    set_element(at(f, i->out[0]), bits, k, num_wrap((uint64_t)k, bits));
}

/* ---- the same elements elsewhere ------------------------------------------------------------ */

void run_copy(frame *f, const inst *i) {
  const ir_type *t = out_type(i, 0);
  size_t bytes = 0;
  if (ir_is_tile(t))
    bytes = tsr_elem_storage((tsr_elem)t->elem, (size_t)i->count);
  else if (t->kind != IR_TOKEN)
    bytes = 8 * (1 + 2 * (size_t)(t->view ? t->view : t)->rank);
  memcpy(at(f, i->out[0]), at(f, i->in[0]), bytes);
}

void run_broadcast(frame *f, const inst *i) {
  const ir_type *s = in_type(i, 0);
  box b = result_box(f, i, 0);
  tile_strides(s, b.from_strides);
  for (unsigned d = 0; d < b.rank; d++)
    if (s->shape[d] == 1) b.from_strides[d] = 0;
  copy_box(&b);
}

void run_permute(frame *f, const inst *i) {
  const int64_t *permutation = ir_get_attr(i->op, ATTR_permutation)->ints->data;
  int64_t strides[IR_MAX_RANK];
  tile_strides(in_type(i, 0), strides);
  box b = result_box(f, i, 0);
  for (unsigned d = 0; d < b.rank; d++) b.from_strides[d] = strides[permutation[d]];
  copy_box(&b);
}

void run_cat(frame *f, const inst *i) {
  int64_t dim = ir_int_attr(i->op, ATTR_dim);
  box b = result_box(f, i, 0);
  for (uint32_t k = 0; k < 2; k++) {
    const ir_type *s = in_type(i, k);
    b.shape = s->shape;
    b.from = at(f, i->in[k]);
    tile_strides(s, b.from_strides);
    copy_box(&b);
    b.to_base = s->shape[dim] * b.to_strides[dim]; /* where rhs begins */
  }
}

/* Indices count slices. One past the last slice is undefined; here they wrap around. */
static int64_t slice_base(const frame *f, const inst *i, uint32_t first_index, const ir_type *whole,
                          const ir_type *slice, const int64_t *strides) {
  int64_t base = 0;
  for (unsigned d = 0; d < whole->rank; d++) {
    uint64_t slices = (uint64_t)(whole->shape[d] / slice->shape[d]);
    uint64_t index = get_scalar(f, i, first_index + d) % slices;
    base += (int64_t)index * slice->shape[d] * strides[d];
  }
  return base;
}

void run_extract(frame *f, const inst *i) {
  const ir_type *s = in_type(i, 0);
  if (s->rank == 0) { /* perhaps many lanes of a reduction's body */
    run_copy(f, i);
    return;
  }
  box b = result_box(f, i, 0);
  tile_strides(s, b.from_strides);
  b.from_base = slice_base(f, i, 1, s, out_type(i, 0), b.from_strides);
  copy_box(&b);
}

void run_insert(frame *f, const inst *i) {
  const ir_type *s = in_type(i, 0), *r = out_type(i, 0);
  if (r->rank == 0) { /* all of it is replaced */
    run_copy(f, i);
    return;
  }
  memcpy(at(f, i->out[0]), at(f, i->in[1]), tsr_elem_storage((tsr_elem)r->elem, (size_t)r->count));
  box b = result_box(f, i, 0);
  b.shape = s->shape;
  tile_strides(s, b.from_strides);
  b.to_base = slice_base(f, i, 2, r, s, b.to_strides);
  copy_box(&b);
}

/* ---- tiles as bytes ------------------------------------------------------------------------- */

/* Elements lie in the byte array without gaps, the first in the lowest bits: as in memory, but for
 * i1, of which eight share a byte. */
void run_pack(frame *f, const inst *i) {
  const ir_type *s = in_type(i, 0);
  char *to = at(f, i->out[0]);
  const char *from = at(f, i->in[0]);
  if (s->elem != TSR_I1) {
    memcpy(to, from, (size_t)out_type(i, 0)->count);
    return;
  }
  for (int64_t k = 0; k < s->count; k++) num_bits_set(to, (size_t)k, 1, (uint64_t)from[k]);
}

void run_unpack(frame *f, const inst *i) {
  const ir_type *r = out_type(i, 0);
  char *to = at(f, i->out[0]);
  const char *from = at(f, i->in[0]);
  if (r->elem != TSR_I1) {
    memcpy(to, from, (size_t)in_type(i, 0)->count);
    return;
  }
  for (int64_t k = 0; k < r->count; k++) to[k] = (char)num_bits_get(from, (size_t)k, 1);
}
