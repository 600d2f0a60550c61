/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Index maps: which bit of an iteration is which bit of a tile's index.
 */
#include "cpu/plan/map.h"

#include "cpu/core/core.h"

index_map map_identity(unsigned n) {
  index_map m = {.n = (uint8_t)n};
  for (unsigned k = 0; k < n; k++) m.bit[k] = (int8_t)k;
  return m;
}

bool map_equal(const index_map *a, const index_map *b) {
  return a->n == b->n && memcmp(a->bit, b->bit, a->n) == 0;
}

uint64_t map_hash(const index_map *m) {
  uint64_t h = m->n;
  for (unsigned k = 0; k < m->n; k++) h = hash_mix(h, (uint8_t)m->bit[k]);
  return h;
}

bool map_is_identity(const index_map *m) {
  for (unsigned k = 0; k < m->n; k++)
    if (m->bit[k] != (int)k) return false;
  return true;
}

void dim_bits(const ir_type *t, unsigned d, unsigned *first, unsigned *n) {
  unsigned below = 0;
  for (unsigned i = d + 1; i < t->rank; i++) below += log2_of(t->shape[i]);
  *first = below;
  *n = log2_of(t->shape[d]);
}

static index_map through_broadcast(const ir_type *from, const ir_type *to, const index_map *m) {
  index_map s = {.n = (uint8_t)tile_bits(from)};
  for (unsigned d = 0; d < from->rank; d++) {
    unsigned at, n, result_at, result_n;
    dim_bits(from, d, &at, &n);
    dim_bits(to, d, &result_at, &result_n);
    for (unsigned j = 0; j < n; j++) s.bit[at + j] = m->bit[result_at + j];
  }
  return s;
}

static index_map through_permute(const ir_op *op, const ir_type *from, const ir_type *to,
                                 const index_map *m) {
  const ir_ints *p = ir_get_attr(op, ATTR_permutation)->ints;
  index_map s = {.n = m->n};
  for (unsigned d = 0; d < to->rank; d++) {
    unsigned at, n, result_at, result_n;
    dim_bits(from, (unsigned)p->data[d], &at, &n);
    dim_bits(to, d, &result_at, &result_n);
    for (unsigned j = 0; j < n; j++) s.bit[at + j] = m->bit[result_at + j];
  }
  return s;
}

/* The slice's number along each dimension gives the high bits of the source's index. */
static index_map through_extract(const ir_op *op, const ir_type *from, const ir_type *to,
                                 const index_map *m) {
  index_map s = {.n = (uint8_t)tile_bits(from)};
  for (unsigned d = 0; d < from->rank; d++) {
    unsigned at, n, result_at, result_n;
    int64_t slice = 0;
    dim_bits(from, d, &at, &n);
    dim_bits(to, d, &result_at, &result_n);
    ir_constant_int(ir_operand(op, 1 + d), &slice);
    for (unsigned j = 0; j < n; j++)
      s.bit[at + j] = j < result_n                  ? m->bit[result_at + j]
                      : slice >> (j - result_n) & 1 ? BIT_ONE
                                                    : BIT_ZERO;
  }
  return s;
}

bool map_is_boundary(const ir_type *t, unsigned bit) {
  unsigned below = 0;
  for (unsigned d = t->rank; d-- > 0;) {
    below += log2_of(t->shape[d]);
    if (below == bit) return true;
    if (below > bit) return false;
  }
  return false;
}

index_map map_slice(const ir_type *whole, const ir_type *slice, const index_map *m) {
  index_map s = {.n = (uint8_t)tile_bits(slice)};
  for (unsigned d = 0; d < whole->rank; d++) {
    unsigned at, n, slice_at, slice_n;
    dim_bits(whole, d, &at, &n);
    dim_bits(slice, d, &slice_at, &slice_n);
    for (unsigned j = 0; j < slice_n; j++) s.bit[slice_at + j] = m->bit[at + j];
  }
  return s;
}

unsigned map_half_bit(const ir_op *cat) {
  unsigned first, count;
  dim_bits(ir_result(cat, 0)->type, (unsigned)ir_int_attr(cat, ATTR_dim), &first, &count);
  return first + count - 1;
}

index_map map_of_half(const ir_op *cat, const index_map *m) {
  unsigned top = map_half_bit(cat);
  index_map half = *m;
  half.n--;
  for (unsigned k = top; k < half.n; k++) half.bit[k] = m->bit[k + 1];
  return half;
}

bool map_applies(const ir_op *op) {
  switch (op->opcode) {
  case OP_reshape:
  case OP_permute:
  case OP_broadcast:
  case OP_assume: return true;
  case OP_extract:
    for (uint32_t i = 1; i < op->n_operands; i++) {
      int64_t slice;
      if (!ir_constant_int(ir_operand(op, i), &slice)) return false;
    }
    return true;
  default: return false;
  }
}

index_map map_through(const ir_op *op, const index_map *m) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  switch (op->opcode) {
  case OP_broadcast: return through_broadcast(from, to, m);
  case OP_permute: return through_permute(op, from, to, m);
  case OP_extract: return through_extract(op, from, to, m);
  default: return *m; /* reshape, assume */
  }
}

index_map map_part(const index_map *m, unsigned first, unsigned n) {
  index_map p = {.n = (uint8_t)n};
  memcpy(p.bit, m->bit + first, n);
  return p;
}
