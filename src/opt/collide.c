/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "opt/collide.h"

#include "num/num.h"
#include "opt/rewrite.h"

enum {
  MAX_BITS = 24,   /* of an element's index */
  MAX_DEPTH = 24,  /* operations in a chain that are looked at */
  MAX_VISITS = 256 /* and all together */
};

typedef struct search {
  const facts *known;
  unsigned visits;
} search;

static bool goes_on(search *s, unsigned depth) {
  return depth < MAX_DEPTH && s->visits++ < MAX_VISITS;
}

static unsigned log2_of(int64_t n) {
  unsigned bits = 0;
  while (INT64_C(1) << bits < n) bits++;
  return bits;
}

/* All elements are equal, as far as the value's own operation says so. */
static bool is_splat(const search *s, const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  if (v->type->count == 1 || facts_of(s->known, v).uniform) return true;
  return op && op->opcode == OP_constant && ir_get_attr(op, ATTR_value)->dense->splat;
}

/* ---- values that are equal everywhere -------------------------------------------------------- */

static bool is_one_value(search *s, const ir_value *v, unsigned depth) {
  const ir_op *op = ir_defining_op(v);
  if (is_splat(s, v)) return true;
  if (!op || !goes_on(s, depth)) return false;
  bool moves = op->opcode == OP_reshape || op->opcode == OP_broadcast || op->opcode == OP_permute;
  if (!moves && !(ir_row(op)->traits & TRAIT_ELEMENTWISE)) return false;
  if (op->n_operands == 0) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!is_one_value(s, ir_operand(op, i), depth + 1)) return false;
  return true;
}

/* The pointers' differences are multiples of what they point to: two places are the same or share
 * nothing. */
static bool counts_elements(search *s, const ir_value *pointers, unsigned depth) {
  const ir_op *op = ir_defining_op(pointers);
  if (pointers->type->count == 1) return true;
  if (!op || !goes_on(s, depth)) return false;
  switch (op->opcode) {
  case OP_offset:
  case OP_reshape:
  case OP_broadcast:
  case OP_permute:
  case OP_assume: return counts_elements(s, ir_operand(op, 0), depth + 1);
  default: return false;
  }
}

/* ---- sums by the bits of an index ------------------------------------------------------------ */

/* An element is a number that is the same for all, plus those of the bits that its index has,
 * modulo 2^width. The last dimension's bits come first. */
typedef struct terms {
  unsigned width;
  int64_t of[MAX_BITS];
} terms;

static bool terms_of(search *s, const ir_value *v, terms *out, unsigned depth);

static unsigned width_of(const ir_type *t) {
  return t->elem == TSR_PTR ? 64 : tsr_elem_bits((tsr_elem)t->elem);
}

static int64_t wrapped(num_i128 x, unsigned width) {
  return num_sext((uint64_t)x, width);
}

static num_i128 size_of(int64_t x) {
  return x < 0 ? -(num_i128)x : x;
}

/* Whether elements are the sum as signed numbers, too: neither they nor the sum reach far enough to
 * wrap. */
static bool widen(const search *s, const ir_value *v, terms *t) {
  if (t->width == 64) return true;
  num_i128 reach = 0, half = (num_i128)1 << (t->width - 1);
  for (unsigned k = 0; k < MAX_BITS; k++) reach += size_of(t->of[k]);
  fact f = facts_of(s->known, v);
  if (reach >= half || (num_i128)f.max - f.min >= half) return false;
  t->width = 64;
  return true;
}

/* For each dimension of the result, where its bits are in the source. */
static void move_bits(const ir_op *op, const terms *from, terms *out) {
  const ir_type *t = ir_result(op, 0)->type, *under = ir_operand(op, 0)->type;
  const ir_attr *order = op->opcode == OP_permute ? ir_get_attr(op, ATTR_permutation) : NULL;
  unsigned first[IR_MAX_RANK], to = 0, at = 0;
  for (unsigned d = under->rank; d-- > 0;) {
    first[d] = at;
    at += log2_of(under->shape[d]);
  }
  for (unsigned d = t->rank; d-- > 0;) {
    unsigned dim = order ? (unsigned)order->ints->data[d] : d;
    for (unsigned j = 0; j < log2_of(t->shape[d]); j++, to++)
      if (j < log2_of(under->shape[dim])) out->of[to] = from->of[first[dim] + j];
  }
}

static bool terms_of_sum(search *s, const ir_op *op, terms *out, unsigned depth) {
  terms a, b;
  if (!terms_of(s, ir_operand(op, 0), &a, depth) || !terms_of(s, ir_operand(op, 1), &b, depth))
    return false;
  for (unsigned k = 0; k < MAX_BITS; k++) {
    num_i128 x = b.of[k];
    out->of[k] = wrapped(op->opcode == OP_subi ? a.of[k] - x : a.of[k] + x, out->width);
  }
  return true;
}

static bool terms_of_product(search *s, const ir_op *op, terms *out, unsigned depth) {
  bool shift = op->opcode == OP_shli;
  for (unsigned i = 0; i < (shift ? 1u : 2u); i++) {
    int64_t by;
    terms t;
    if (!fact_is_number(facts_of(s->known, ir_operand(op, 1 - i)), &by)) continue;
    if (shift && (by < 0 || by >= (int64_t)out->width)) return false;
    if (!terms_of(s, ir_operand(op, i), &t, depth)) return false;
    if (shift) by = (int64_t)(UINT64_C(1) << by);
    for (unsigned k = 0; k < MAX_BITS; k++)
      out->of[k] = wrapped((num_i128)((uint64_t)t.of[k] * (uint64_t)by), out->width);
    return true;
  }
  return false;
}

/* Bytes of an element in memory; 0: it has none of its own. */
static unsigned bytes_of(unsigned elem) {
  unsigned bits = tsr_elem_bits((tsr_elem)elem);
  return elem == TSR_I1 ? 1 : bits / 8; /* less than 8 share theirs */
}

static bool terms_of_offset(search *s, const ir_op *op, terms *out, unsigned depth) {
  terms from, by;
  unsigned bytes = bytes_of(ir_result(op, 0)->type->pointee);
  if (!bytes || !terms_of(s, ir_operand(op, 0), &from, depth) ||
      !terms_of(s, ir_operand(op, 1), &by, depth) || !widen(s, ir_operand(op, 1), &by))
    return false;
  for (unsigned k = 0; k < MAX_BITS; k++)
    out->of[k] = wrapped(from.of[k] + (num_i128)by.of[k] * bytes, 64);
  return true;
}

static bool terms_of_op(search *s, const ir_op *op, terms *out, unsigned depth) {
  terms from;
  switch (op->opcode) {
  case OP_iota:
    for (unsigned k = 0; k < log2_of(ir_result(op, 0)->type->count); k++)
      out->of[k] = wrapped((num_i128)1 << k, out->width);
    return true;
  case OP_addi:
  case OP_subi: return terms_of_sum(s, op, out, depth);
  case OP_muli:
  case OP_shli: return terms_of_product(s, op, out, depth);
  case OP_offset: return terms_of_offset(s, op, out, depth);
  case OP_broadcast:
  case OP_permute:
    if (!terms_of(s, ir_operand(op, 0), &from, depth)) return false;
    move_bits(op, &from, out);
    return true;
  case OP_exti:
    if (!terms_of(s, ir_operand(op, 0), &from, depth) || !widen(s, ir_operand(op, 0), &from))
      return false;
    memcpy(out->of, from.of, sizeof out->of);
    return true;
  case OP_reshape:
  case OP_assume:
  case OP_ptr_to_ptr: return terms_of(s, ir_operand(op, 0), out, depth);
  default: return false;
  }
}

static bool terms_of(search *s, const ir_value *v, terms *out, unsigned depth) {
  const ir_op *op = ir_defining_op(v);
  *out = (terms){.width = width_of(v->type)};
  if (is_splat(s, v)) return true;
  return op && v->type->count <= INT64_C(1) << MAX_BITS && goes_on(s, depth) &&
         terms_of_op(s, op, out, depth + 1);
}

/* Whether elements, of `count`, differ by `least` or more, also modulo 2^width: each term is that
 * much larger than all smaller ones together. */
static bool differ_by(const terms *t, int64_t count, unsigned least) {
  num_i128 reached = 0;
  uint32_t used = 0;
  for (unsigned n = log2_of(count); n; n--) {
    int best = -1;
    for (unsigned k = 0; k < log2_of(count); k++)
      if (!(used >> k & 1) && (best < 0 || size_of(t->of[k]) < size_of(t->of[best]))) best = (int)k;
    used |= 1u << best;
    if (size_of(t->of[best]) < reached + least) return false;
    reached += size_of(t->of[best]);
  }
  return reached + least <= (num_i128)1 << t->width;
}

static bool is_still(const terms *t) {
  for (unsigned k = 0; k < MAX_BITS; k++)
    if (t->of[k]) return false;
  return true;
}

/* Different offsets from one address need not be wide. */
static bool pointers_apart(search *s, const ir_value *pointers) {
  const ir_op *op = ir_defining_op(pointers);
  unsigned bytes = bytes_of(pointers->type->pointee);
  int64_t count = pointers->type->count;
  terms t;
  if (count == 1) return true;
  if (!bytes) return false;
  if (op && op->opcode == OP_offset && terms_of(s, ir_operand(op, 0), &t, 0) && is_still(&t) &&
      terms_of(s, ir_operand(op, 1), &t, 0) && t.width < 64)
    return differ_by(&t, count, 1);
  return terms_of(s, pointers, &t, 0) && differ_by(&t, count, bytes);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* A dimension of the tile that has more than one element. */
typedef struct side {
  int64_t last;                    /* its last coordinate that may exist, from the first on */
  num_i128 least, most;            /* elements from one coordinate to the next */
  const ir_value *stride, *extent; /* NULL: the type says it */
} side;

/* The operand that a number of make_tensor_view's is, given the type's list; NULL: it is none. */
static const ir_value *told(const ir_op *made, unsigned group, const int64_t *list, unsigned d) {
  uint32_t n, at = 0;
  if (!made || list[d] != IR_DYNAMIC) return NULL;
  for (unsigned i = 0; i < d; i++) at += list[i] == IR_DYNAMIC;
  return ir_operand_group(made, group, &n)[at].value;
}

static side side_of(const search *s, const ir_op *made, const ir_type *t, unsigned d) {
  const ir_type *whole = t->view;
  unsigned dim = (unsigned)t->dim_map[d];
  int64_t extent = whole->shape[dim], stride = whole->strides[dim];
  int64_t count = extent == IR_DYNAMIC ? t->shape[d] : MIN(t->shape[d], extent);
  side r = {.last = count - 1, .least = stride, .most = stride};
  r.stride = told(made, 2, whole->strides, dim);
  r.extent = told(made, 1, whole->shape, dim);
  if (stride != IR_DYNAMIC) return r;
  r.least = 0, r.most = (num_i128)1 << 64;
  if (!r.stride) return r;
  fact f = facts_of(s->known, r.stride);
  if (f.min <= 0) return r;
  r.least = MAX((num_i128)f.min, (num_i128)f.divisor);
  r.most = f.max;
  return r;
}

/* Rows of a matrix as long as the way from one to the next. */
static bool are_rows(const side *sides, unsigned n) {
  for (unsigned i = 0; n == 2 && i < 2; i++) {
    const side *row = &sides[i], *other = &sides[1 - i];
    if (row->most == 1 && row->least == 1 && row->extent && row->extent == other->stride)
      return true;
  }
  return false;
}

static bool sides_apart(side *sides, unsigned n) {
  num_i128 reached = 0;
  for (; n; n--) {
    unsigned best = 0;
    for (unsigned i = 1; i < n; i++)
      if (sides[i].least < sides[best].least) best = i;
    if (sides[best].least <= reached) return false;
    reached += sides[best].most * sides[best].last;
    sides[best] = sides[n - 1];
  }
  return true;
}

static bool tile_apart(const search *s, const ir_value *tiles) {
  const ir_type *t = tiles->type;
  const ir_op *divided = ir_defining_op(tiles);
  const ir_op *made = divided ? ir_defining_op(ir_operand(divided, 0)) : NULL;
  side sides[IR_MAX_RANK];
  unsigned n = 0;
  if (t->kind == IR_GATHER_SCATTER_VIEW) return false;
  for (unsigned d = 0; d < t->rank; d++) {
    side r = side_of(s, made, t, d);
    if (r.last > 0) sides[n++] = r;
  }
  return are_rows(sides, n) || sides_apart(sides, n);
}

bool collide_never(const facts *known, const ir_op *store) {
  search s = {.known = known};
  if (store->opcode == OP_store_view_tko)
    return tile_apart(&s, ir_operand_in(store, 1)) || is_one_value(&s, ir_operand_in(store, 0), 0);
  const ir_value *pointers = ir_operand_in(store, 0);
  if (pointers_apart(&s, pointers)) return true;
  s.visits = 0;
  return counts_elements(&s, pointers, 0) && is_one_value(&s, ir_operand_in(store, 1), 0);
}
