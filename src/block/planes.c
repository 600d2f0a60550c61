/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/planes.h"

#include "block/memory.h"
#include "opt/rewrite.h"

/* ---- finding -------------------------------------------------------------------------------- */

int64_t planes_number(const ir_type *t, const int32_t *index) {
  int64_t n = 0;
  for (unsigned d = 0; d < t->rank; d++) n = n * t->shape[d] + index[d];
  return n;
}

static unsigned greatest_divisor(unsigned a, unsigned b) {
  return b ? greatest_divisor(b, a % b) : a;
}

static bool is_power(int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

/* Which element of its period it is. */
static unsigned place_in_period(const planes *p, size_t element) {
  return (unsigned)p->places[element].slot & ((1u << p->period) - 1);
}

/* The operand's element of a plane that belongs to the period of an element of the result. */
static int64_t source_of(const planes *p, size_t element, unsigned plane) {
  int32_t index[TSR_LAYOUT_MAX_RANK];
  const bit_place *first = &p->places[element];
  int32_t word = (first->slot >> p->period) * (int32_t)p->n + (int32_t)plane;
  tsr_layout_get_global(p->from->layout, first->thread, word * (int32_t)p->together, index);
  return planes_number(p->from, index) / p->together;
}

/* Are all words of so many elements whole ones in memory? */
static bool are_words(const planes *p, unsigned together) {
  int64_t slots = tsr_layout_local_size(p->from->layout);
  int32_t threads = (int32_t)tsr_layout_spatial_size(p->from->layout);
  int32_t index[TSR_LAYOUT_MAX_RANK];
  if (slots % together) return false;
  for (int32_t t = 0; t < threads; t++)
    for (int32_t s = 0; s < slots; s++) {
      tsr_layout_get_global(p->from->layout, t, s, index);
      int64_t at = planes_number(p->from, index), within = s % (int32_t)together;
      if (at % together != within) return false;
      tsr_layout_get_global(p->from->layout, t, s - (int32_t)within, index);
      if (planes_number(p->from, index) != at - within) return false;
    }
  return true;
}

static bool find_bits(planes *p) {
  unsigned found = 0;
  for (unsigned bit = 0; INT64_C(1) << bit < p->to->count; bit++) {
    unsigned where = place_in_period(p, (size_t)1 << bit);
    p->step[bit] = source_of(p, (size_t)1 << bit, 0) - p->base[0];
    if (where == 0 && p->step[bit] > 0) continue;
    if (p->step[bit] != 0 || !is_power(where) || found & where) return false;
    p->at[__builtin_ctz(where)] = (uint8_t)bit;
    found |= where;
  }
  return found == (1u << p->period) - 1;
}

static bool fits_everywhere(const planes *p) {
  for (size_t k = 0; k < (size_t)p->to->count; k++) {
    unsigned where = 0;
    int64_t offset = 0;
    for (size_t left = k; left; left &= left - 1) offset += p->step[__builtin_ctzll(left)];
    for (unsigned q = 0; q < p->period; q++) where |= (unsigned)(k >> p->at[q] & 1) << q;
    if (where != place_in_period(p, k)) return false;
    for (unsigned i = 0; i < p->n; i++)
      if (source_of(p, k, i) != p->base[i] + offset) return false;
  }
  return true;
}

/* Neighbouring bits whose steps double are one dimension. */
static bool find_dimensions(planes *p) {
  p->rank = 0;
  for (unsigned bit = (unsigned)__builtin_ctzll((unsigned long long)p->to->count); bit-- > 0;) {
    if (p->step[bit] == 0) continue;
    bool joins = p->rank > 0 && p->strides[p->rank - 1] == 2 * p->step[bit];
    if (!joins && p->rank == TSR_LAYOUT_MAX_RANK) return false;
    if (!joins) p->shape[p->rank++] = 1;
    p->shape[p->rank - 1] *= 2;
    p->strides[p->rank - 1] = p->step[bit];
  }
  if (p->rank > 0) return true;
  p->shape[0] = p->strides[0] = 1;
  p->rank = 1;
  return true;
}

/* With periods of so many elements of the result. */
static bool find_in(planes *p, unsigned count) {
  p->period = (unsigned)__builtin_ctz(count);
  p->n = count * p->to_bits / (p->from_bits * p->together);
  if (place_in_period(p, 0)) return false;
  for (unsigned i = 0; i < p->n; i++) p->base[i] = source_of(p, 0, i);
  return find_bits(p) && fits_everywhere(p) && find_dimensions(p);
}

/* Do neighbours in memory belong to neighbouring periods? Else each word would be loaded alone. */
static bool has_neighbours(const planes *p) {
  for (unsigned bit = 0; bit < PLANES_BITS; bit++)
    if (p->step[bit] == 1) return true;
  return false;
}

/* The shortest ones; longer ones where a thread's elements lie in other steps than periods have. */
static bool find_with(planes *p, unsigned together) {
  unsigned bits = p->from_bits * together, count = bits / greatest_divisor(bits, p->to_bits);
  int64_t slots = tsr_layout_local_size(p->to->layout);
  p->together = together;
  if (!is_power(count)) return false;
  for (; slots % count == 0 && count * p->to_bits <= PLANES_MOST * bits; count *= 2) {
    memset(p->step, 0, sizeof p->step);
    if (find_in(p, count)) return true;
  }
  return false;
}

bool planes_find(planes *p) {
  if (!is_power(p->to->count)) return false;
  bool whole = p->from_bits == 8 || p->from_bits == 16;
  for (unsigned together = 1; together * p->from_bits <= 32; together *= 2) {
    if (together > 1 && !(whole && are_words(p, together))) break;
    if (find_with(p, together) && has_neighbours(p)) return true;
  }
  return find_with(p, 1);
}

bool planes_are_one(const planes *p) {
  int64_t steps = 1;
  for (unsigned bit = 0; bit < PLANES_BITS; bit++)
    if (p->step[bit] > 0 && !is_power(p->step[bit])) return false;
  for (unsigned bit = 0; bit < PLANES_BITS; bit++) steps += p->step[bit];
  return p->together == 1 && p->n == 1 && p->base[0] == 0 && steps == p->from->count;
}

/* ---- loading -------------------------------------------------------------------------------- */

typedef struct loader {
  ir_module *m;
  ir_op *at;
  const planes *p;
  ir_value *planes[PLANES_MOST]; /* as they are loaded, each of one row */
} loader;

static ir_value *make(const loader *x, op_code opcode, const ir_type *t, uint32_t n,
                      ir_value *const *operands) {
  return ir_result(rewrite_make(x->m, x->at, opcode, t, n, operands), 0);
}

static ir_value *reshaped(const loader *x, ir_value *v, unsigned rank, const int64_t *shape) {
  return make(x, OP_reshape, ir_tile_reshaped(x->m, v->type, rank, shape), 1, &v);
}

static ir_value *as_words(const loader *x, ir_value *base) {
  if (x->p->together == 1) return base;
  tsr_elem word = x->p->together * x->p->from_bits == 16 ? TSR_I16 : TSR_I32;
  return make(x, OP_ptr_to_ptr, ir_tile(x->m, TSR_PTR, word, 0, NULL), 1, &base);
}

static ir_value *load_plane(const loader *x, ir_value *base, unsigned plane) {
  const planes *p = x->p;
  ir_value *first = as_words(x, base);
  if (p->base[plane] != 0) {
    ir_value *by = rewrite_splat(x->m, x->at, ir_scalar(x->m, TSR_I64), (uint64_t)p->base[plane]);
    first = make(x, OP_offset, first->type, 2, (ir_value *[]){first, by});
  }
  ir_value *view =
      memory_strided_view(x->m, x->at, x->at->loc, first, p->rank, p->shape, p->strides);
  ir_value *v = memory_load(x->m, x->at, view);
  return reshaped(x, v, 2, (int64_t[]){1, v->type->count});
}

static ir_value *resized(const loader *x, ir_value *v, tsr_elem elem) {
  unsigned from = tsr_elem_bits((tsr_elem)v->type->elem), to = tsr_elem_bits(elem);
  if (from == to) return v;
  v = make(x, to > from ? OP_exti : OP_trunci, ir_tile_like(x->m, v->type, elem), 1, &v);
  if (to > from) ir_set_int(v->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return v;
}

static ir_value *shifted(const loader *x, ir_value *v, int by) {
  if (by == 0) return v;
  ir_value *amount = rewrite_splat(x->m, x->at, v->type, (uint64_t)(by > 0 ? by : -by));
  v = make(x, by > 0 ? OP_shri : OP_shli, v->type, 2, (ir_value *[]){v, amount});
  if (by > 0) ir_set_int(v->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return v;
}

/* Of each period the element with this number. */
static ir_value *at_place(const loader *x, unsigned which, tsr_elem as) {
  const planes *p = x->p;
  unsigned from = p->from_bits * p->together, low = which * p->to_bits, high = low + p->to_bits - 1;
  bool wide = tsr_elem_bits(as) > tsr_elem_bits((tsr_elem)x->planes[0]->type->elem);
  tsr_elem within = wide ? as : (tsr_elem)x->planes[0]->type->elem;
  ir_value *all = NULL;
  for (unsigned i = low / from; i <= high / from; i++) {
    ir_value *part = shifted(x, resized(x, x->planes[i], within), (int)low - (int)(i * from));
    all = all ? make(x, OP_ori, part->type, 2, (ir_value *[]){all, part}) : part;
  }
  return resized(x, all, as);
}

/* Those of 2^n places from the first one on, as rows. */
static ir_value *at_places(const loader *x, unsigned first, unsigned n, tsr_elem as) {
  if (n == 0) return at_place(x, first, as);
  ir_value *half[] = {at_places(x, first, n - 1, as),
                      at_places(x, first + (1u << (n - 1)), n - 1, as)};
  int64_t shape[] = {INT64_C(1) << n, half[0]->type->shape[1]};
  ir_value *v = make(x, OP_cat, ir_tile_reshaped(x->m, half[0]->type, 2, shape), 2, half);
  ir_set_int(v->owner.op, ATTR_dim, 0);
  return v;
}

/* All dimensions have two elements. */
static ir_value *permuted(const loader *x, ir_value *v, const ir_ints *order) {
  v = make(x, OP_permute, v->type, 1, &v);
  ir_set_attr(v->owner.op, ATTR_permutation, (ir_attr){.ints = order});
  return v;
}

/* Bit by bit, from the order of at_places to that of the result. */
static ir_value *in_order(const loader *x, ir_value *v) {
  const planes *p = x->p;
  unsigned rank = (unsigned)__builtin_ctzll((unsigned long long)p->to->count), next = p->period;
  int64_t twos[PLANES_BITS];
  ir_ints *order = arena_alloc_zero(&x->m->arena, sizeof *order + rank * sizeof(int64_t), 8);
  order->len = rank;
  for (unsigned q = 0; q < p->period; q++) order->data[rank - 1 - p->at[q]] = p->period - 1 - q;
  for (unsigned d = 0; d < rank; d++) {
    twos[d] = 2;
    if (p->step[rank - 1 - d]) order->data[d] = next++;
  }
  if (rank > 1) v = permuted(x, reshaped(x, v, rank, twos), order);
  return reshaped(x, v, p->to->rank, p->to->shape);
}

ir_value *planes_take(ir_module *m, ir_op *at, const planes *p, ir_value *v, tsr_elem as) {
  loader x = {.m = m, .at = at, .p = p};
  unsigned rank = (unsigned)__builtin_ctzll((unsigned long long)p->from->count), next = 0;
  int64_t twos[PLANES_BITS];
  ir_ints *order = arena_alloc_zero(&m->arena, sizeof *order + rank * sizeof(int64_t), 8);
  order->len = rank;
  for (unsigned d = 0; d < rank; d++) twos[d] = 2;
  for (unsigned bit = PLANES_BITS; bit-- > 0;)
    if (p->step[bit])
      order->data[next++] = rank - 1 - (unsigned)__builtin_ctzll((unsigned long long)p->step[bit]);
  if (rank > 1) v = permuted(&x, reshaped(&x, v, rank, twos), order);
  x.planes[0] = reshaped(&x, v, 2, (int64_t[]){1, p->from->count});
  return in_order(&x, at_places(&x, 0, p->period, as));
}

ir_value *planes_load(ir_module *m, ir_op *at, const planes *p, ir_value *base, tsr_elem as) {
  loader x = {.m = m, .at = at, .p = p};
  for (unsigned i = 0; i < p->n; i++) x.planes[i] = load_plane(&x, base, i);
  return in_order(&x, at_places(&x, 0, p->period, as));
}
