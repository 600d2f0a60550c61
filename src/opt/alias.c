/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Offsets are compared as sums: values that both sides add cancel, and what is left lies in a
 * range. All of it is modulo the width of the offsets, so that no sum is asked not to wrap: indices
 * that differ modulo 2^width differ.
 */
#include "opt/alias.h"

#include "ir/multimem.h"
#include "num/num.h"
#include "opt/rewrite.h"

alias alias_compute(const ir_module *m, ir_op *entry, const facts *known, arena *a) {
  return (alias){.known = known, .roots = ir_find_roots(m, entry, a)};
}

/* ---- operands of accesses -------------------------------------------------------------------- */

static bool is_on_view(const ir_op *op) {
  return ir_is_subview(ir_accessed(op)->type);
}

static ir_use *indices(const ir_op *op, uint32_t *n) {
  return ir_operand_group(op, ir_index_group((op_code)op->opcode), n);
}

bool alias_same_place(const ir_op *a, const ir_op *b) {
  if (ir_accessed(a) != ir_accessed(b)) return false;
  if (!is_on_view(a)) return true;
  uint32_t n, n_b;
  const ir_use *i = indices(a, &n), *j = indices(b, &n_b);
  for (uint32_t d = 0; d < n; d++)
    if (i[d].value != j[d].value) return false;
  return n == n_b;
}

/* ---- sums ------------------------------------------------------------------------------------ */

enum {
  MAX_TERMS = 12,
  MAX_DEPTH = 24, /* operations behind an offset that are looked at */
};

/* A value is the sum of the terms, each times its factor, and of a number in [low, high]. */
typedef struct sum {
  unsigned n, width;
  struct sum_term {
    const ir_value *v; /* one number */
    num_i128 factor;
  } terms[MAX_TERMS];
  num_i128 low, high;
  bool failed;
} sum;

static void add_range(sum *s, num_i128 low, num_i128 high, num_i128 factor) {
  const num_i128 limit = (num_i128)1 << 100;
  num_i128 a = low * factor, b = high * factor;
  s->low += MIN(a, b);
  s->high += MAX(a, b);
  s->failed |= s->low < -limit || s->high > limit;
}

static void add_term(sum *s, const ir_value *v, num_i128 factor) {
  for (unsigned i = 0; i < s->n; i++)
    if (s->terms[i].v == v) {
      s->terms[i].factor += factor;
      return;
    }
  if (s->n == MAX_TERMS)
    s->failed = true;
  else
    s->terms[s->n++] = (struct sum_term){.v = v, .factor = factor};
}

/* What is the same for all elements has a term; of the rest only the range is known. */
static void add_leaf(sum *s, const alias *x, const ir_value *v, num_i128 factor) {
  fact f = facts_of(x->known, v);
  if (f.min == f.max || v->type->count != 1)
    add_range(s, f.min, f.max, factor);
  else
    add_term(s, v, factor);
}

/* Factors are numbers of at most the type's width, so that products stay below 2^127. */
static num_i128 scaled(const sum *s, num_i128 factor, int64_t by) {
  uint64_t product = (uint64_t)factor * (uint64_t)by; /* modulo 2^64, and so 2^width */
  return num_sext(num_wrap(product, s->width), s->width);
}

static void add_value(sum *s, const alias *x, const ir_value *v, num_i128 factor, unsigned depth) {
  const ir_op *op = ir_defining_op(v);
  int64_t k;
  if (!op || depth == MAX_DEPTH || s->failed) {
    add_leaf(s, x, v, factor);
    return;
  }
  switch (op->opcode) {
  case OP_reshape:
  case OP_broadcast:
  case OP_permute: add_value(s, x, ir_operand(op, 0), factor, depth + 1); return;
  case OP_assume: /* a bound is known of its result only */
    if (ir_get_attr(op, ATTR_predicate)->predicate->kind == IR_BOUNDED) break;
    add_value(s, x, ir_operand(op, 0), factor, depth + 1);
    return;
  case OP_addi:
    add_value(s, x, ir_operand(op, 0), factor, depth + 1);
    add_value(s, x, ir_operand(op, 1), factor, depth + 1);
    return;
  case OP_subi:
    add_value(s, x, ir_operand(op, 0), factor, depth + 1);
    add_value(s, x, ir_operand(op, 1), scaled(s, factor, -1), depth + 1);
    return;
  case OP_muli:
    if (!ir_constant_int(ir_operand(op, 1), &k)) break;
    add_value(s, x, ir_operand(op, 0), scaled(s, factor, k), depth + 1);
    return;
  case OP_shli:
    if (!ir_constant_int(ir_operand(op, 1), &k) || k < 0 || k >= (int64_t)s->width) break;
    add_value(s, x, ir_operand(op, 0), scaled(s, factor, (int64_t)(UINT64_C(1) << k)), depth + 1);
    return;
  default: break;
  }
  add_leaf(s, x, v, factor);
}

static bool varies(const ir_value *v, const ir_block *varying) {
  if (!varying) return false;
  const ir_block *b = block_of(v);
  return b == varying || (b->parent && is_inside(b->parent, varying));
}

/* Of the value in one run of the block and in another. */
static void add_two_runs(sum *s, const alias *x, const ir_value *v, num_i128 factor) {
  fact f = facts_of(x->known, v);
  add_range(s, f.min, f.max, factor);
  add_range(s, f.min, f.max, -factor);
}

/* The range of a - b, elements of any place with elements of any place. False when it is unknown.
 * Either may be NULL, which is 0. */
static bool difference(const alias *x, const ir_value *a, const ir_value *b,
                       const ir_block *varying, num_i128 *low, num_i128 *high) {
  const ir_value *one = a ? a : b;
  unsigned width = tsr_elem_bits((tsr_elem)one->type->elem);
  if (a && b && a->type->elem != b->type->elem) return false;
  sum sa = {.width = width}, sb = {.width = width};
  if (a) add_value(&sa, x, a, 1, 0);
  if (b) add_value(&sb, x, b, 1, 0);
  if (sa.failed || sb.failed) return false;
  sum left = {.width = width, .low = sa.low - sb.high, .high = sa.high - sb.low};
  for (unsigned i = 0; i < sa.n; i++) {
    num_i128 factor = sa.terms[i].factor;
    for (unsigned k = 0; k < sb.n; k++) {
      if (sb.terms[k].v != sa.terms[i].v || sb.terms[k].factor != factor) continue;
      if (varies(sa.terms[i].v, varying)) add_two_runs(&left, x, sa.terms[i].v, factor);
      factor = sb.terms[k].factor = 0;
      break;
    }
    fact f = facts_of(x->known, sa.terms[i].v);
    add_range(&left, f.min, f.max, factor);
  }
  for (unsigned k = 0; k < sb.n; k++) {
    fact f = facts_of(x->known, sb.terms[k].v);
    add_range(&left, f.min, f.max, -sb.terms[k].factor);
  }
  *low = left.low;
  *high = left.high;
  return !left.failed;
}

/* Whether numbers of a width whose difference lies in a range are never equal. Nor are they when
 * they are scaled by the size of an element, modulo 2^64: hence the smaller limit for 64 bits. */
static bool never_equal(num_i128 low, num_i128 high, unsigned width) {
  num_i128 all = (num_i128)1 << MIN(width, 60u);
  return (low > 0 && high < all) || (high < 0 && low > -all);
}

static bool differ(const alias *x, const ir_value *a, const ir_value *b, const ir_block *varying) {
  num_i128 low, high;
  const ir_value *one = a ? a : b;
  return one && difference(x, a, b, varying, &low, &high) &&
         never_equal(low, high, tsr_elem_bits((tsr_elem)one->type->elem));
}

/* ---- pointers -------------------------------------------------------------------------------- */

enum { MAX_OFFSETS = 4 };

/* A pointer as one address and the offsets that were added to it, the first last. */
typedef struct pointer {
  const ir_value *base; /* NULL: it is no such pointer */
  const ir_value *offsets[MAX_OFFSETS];
  unsigned n;
  uint8_t pointee;
} pointer;

static pointer pointer_of(const ir_value *v) {
  pointer p = {.pointee = v->type->pointee};
  for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
    const ir_op *op = ir_defining_op(v);
    if (!op) break;
    switch (op->opcode) {
    case OP_offset:
      if (p.n == MAX_OFFSETS) return p;
      p.offsets[p.n++] = ir_operand(op, 1);
      v = ir_operand(op, 0);
      continue;
    case OP_reshape:
    case OP_broadcast:
    case OP_permute:
    case OP_assume: v = ir_operand(op, 0); continue;
    default: break;
    }
    break;
  }
  if (v->type->count == 1) p.base = v;
  return p;
}

/* Drops the offsets that both start with; those that are left decide. */
static bool pointers_apart(const alias *x, const ir_value *a, const ir_value *b,
                           const ir_block *varying) {
  pointer p = pointer_of(a), q = pointer_of(b);
  if (!p.base || p.base != q.base || varies(p.base, varying) || p.pointee != q.pointee ||
      tsr_elem_bits((tsr_elem)p.pointee) < 8)
    return false;
  while (p.n && q.n && p.offsets[p.n - 1] == q.offsets[q.n - 1] &&
         p.offsets[p.n - 1]->type->count == 1 && !varies(p.offsets[p.n - 1], varying))
    p.n--, q.n--;
  if (p.n > 1 || q.n > 1) return false;
  return differ(x, p.n ? p.offsets[0] : NULL, q.n ? q.offsets[0] : NULL, varying);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* Whether the strides of a tensor view give every element an address of its own: each is beyond
 * what the smaller ones reach. The extent after the largest does not matter. */
static bool is_injective(const ir_type *view) {
  bool used[IR_MAX_RANK] = {false};
  num_i128 reached = 0;
  bool open = false; /* after a dimension of unknown extent nothing can lie */
  for (unsigned k = 0; k < view->rank; k++) {
    int best = -1;
    for (unsigned d = 0; d < view->rank; d++) {
      if (used[d]) continue;
      if (view->strides[d] == IR_DYNAMIC || view->strides[d] <= 0) return false;
      if (best < 0 || view->strides[d] < view->strides[best]) best = (int)d;
    }
    if (open || view->strides[best] <= reached) return false;
    used[best] = true;
    open = view->shape[best] == IR_DYNAMIC;
    if (!open) reached += (num_i128)view->strides[best] * (view->shape[best] - 1);
  }
  return tsr_elem_bits((tsr_elem)view->elem) >= 8;
}

/* Whether tiles that are next to each other share elements. */
static bool tiles_overlap(const ir_type *t, unsigned d) {
  return t->kind == IR_STRIDED_VIEW && t->strides[d] < t->shape[d];
}

/* Views are the same when they are made alike from one tensor view. */
static bool same_view(const ir_value *a, const ir_value *b) {
  if (a == b) return true;
  const ir_op *x = ir_defining_op(a), *y = ir_defining_op(b);
  return x && y && a->type == b->type && x->opcode == y->opcode && x->n_operands == 1 &&
         y->n_operands == 1 && ir_operand(x, 0) == ir_operand(y, 0);
}

static bool tiles_apart(const alias *x, const ir_op *a, const ir_op *b, const ir_block *varying) {
  const ir_value *v = ir_accessed(a);
  const ir_type *t = v->type;
  if (!same_view(v, ir_accessed(b)) || varies(v, varying)) return false;
  if (t->kind == IR_GATHER_SCATTER_VIEW || !is_injective(t->view)) return false;
  uint32_t n, n_b;
  const ir_use *i = indices(a, &n), *j = indices(b, &n_b);
  for (uint32_t d = 0; d < n && n == n_b; d++)
    if (!tiles_overlap(t, d) && differ(x, i[d].value, j[d].value, varying)) return true;
  return false;
}

static bool lies_inside(const alias *x, const ir_type *t, const ir_value *index, unsigned d) {
  fact f = facts_of(x->known, index);
  int64_t extent = t->view->shape[t->dim_map[d]];
  int64_t step = t->kind == IR_STRIDED_VIEW ? t->strides[d] : t->shape[d];
  if (extent == IR_DYNAMIC || f.min < 0) return false;
  return (num_i128)f.max * step + t->shape[d] <= extent;
}

bool alias_is_inside(const alias *x, const ir_op *access) {
  if (!is_on_view(access)) return true;
  const ir_type *t = ir_accessed(access)->type;
  if (t->kind == IR_GATHER_SCATTER_VIEW) return false;
  const ir_attr *promised = ir_get_attr(access, ATTR_inbounds);
  uint32_t n;
  const ir_use *i = indices(access, &n);
  for (uint32_t d = 0; d < n; d++) {
    bool is_promised =
        promised && promised->ints && d < promised->ints->len && promised->ints->data[d];
    if (!is_promised && !lies_inside(x, t, i[d].value, d)) return false;
  }
  return true;
}

/* ---- memories -------------------------------------------------------------------------------- */

typedef enum memory_kind { ANY_MEMORY, PARAMETER, GLOBAL, ALLOCA } memory_kind;

static memory_kind kind_of(const alias *x, ir_root r) {
  if (r < IR_ROOT_FIRST) return ANY_MEMORY;
  if (r < IR_ROOT_FIRST + x->roots.n_params) return PARAMETER;
  return r < IR_ROOT_FIRST + x->roots.n_params + x->roots.n_globals ? GLOBAL : ALLOCA;
}

/* The host may give two parameters one buffer, or a parameter the address of a global. */
static bool memories_apart(const alias *x, ir_root a, ir_root b) {
  memory_kind p = kind_of(x, a), q = kind_of(x, b);
  if (a == b || p == ANY_MEMORY || q == ANY_MEMORY) return false;
  return p == ALLOCA || q == ALLOCA || (p == GLOBAL && q == GLOBAL);
}

bool alias_apart(const alias *x, const ir_op *a, const ir_op *b, const ir_block *varying) {
  const ir_value *p = ir_accessed(a), *q = ir_accessed(b);
  if (memories_apart(x, ir_root_of(&x->roots, p), ir_root_of(&x->roots, q))) return true;
  if (is_on_view(a) != is_on_view(b)) return false;
  return is_on_view(a) ? tiles_apart(x, a, b, varying) : pointers_apart(x, p, q, varying);
}
