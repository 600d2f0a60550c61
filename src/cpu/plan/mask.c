/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What masks say. `iota + base < n`, broadcast, reshaped and joined by `andi`, is how programs with
 * pointers say what a view's bounds say: which elements exist. For such comparisons of linear tiles
 * it is known in front of the nest whether they hold for all elements, and where along a dimension
 * they change.
 */
#include "cpu/plan/mask.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/plan/plan.h"

/* ---- whether they hold for all elements ------------------------------------------------------ */

/* Between which numbers, in 64 bits, all elements of a tile lie if `ok`. */
typedef struct bounds {
  llv min, max, ok;
} bounds;

enum { DEPTH = 16 };

static bool bounds_of(lower *l, ir_value *v, bool is_signed, unsigned depth, bounds *out);

/* x's bounds or y's: those of a choice. */
static void choose_bounds(lower *l, ir_value *condition, bool as_signed, const bounds *x,
                          const bounds *y, bounds *out) {
  ir_value *one = plan_uniform(condition);
  const value *c = one ? value_of(l, one) : NULL;
  if (c && c->kind == VALUE_SCALAR && !c->pending) {
    out->min = LLVMBuildSelect(l->e.b, c->scalar, x->min, y->min, "");
    out->max = LLVMBuildSelect(l->e.b, c->scalar, x->max, y->max, "");
    return;
  }
  out->min = fold_min_max(l, as_signed ? "llvm.smin" : "llvm.umin", x->min, y->min);
  out->max = fold_min_max(l, as_signed ? "llvm.smax" : "llvm.umax", x->max, y->max);
}

/* Of a minimum, a maximum, a choice, or another shape of a tile. */
static bool bounds_through(lower *l, ir_value *v, bool is_signed, unsigned depth, bounds *out) {
  ir_op *op = ir_defining_op(v);
  bounds x, y;
  if (!op || depth == DEPTH) return false;
  switch (op->opcode) {
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_extract:
  case OP_assume: return bounds_of(l, ir_operand(op, 0), is_signed, depth + 1, out);
  case OP_mini:
  case OP_maxi:
    if ((ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED) != is_signed) return false;
    break;
  case OP_select: break;
  default: return false;
  }
  uint32_t first = op->opcode == OP_select ? 1 : 0;
  if (!bounds_of(l, ir_operand(op, first), is_signed, depth + 1, &x) ||
      !bounds_of(l, ir_operand(op, first + 1), is_signed, depth + 1, &y))
    return false;
  out->ok = fold_and(l, x.ok, y.ok);
  bool as_signed = is_signed || tsr_elem_bits(v->type->elem) < 64;
  if (op->opcode == OP_select) {
    choose_bounds(l, ir_operand(op, 0), as_signed, &x, &y, out);
    return true;
  }
  const char *min = as_signed ? "llvm.smin" : "llvm.umin";
  const char *max = as_signed ? "llvm.smax" : "llvm.umax";
  const char *name = op->opcode == OP_mini ? min : max;
  out->min = fold_min_max(l, name, x.min, y.min);
  out->max = fold_min_max(l, name, x.max, y.max);
  return true;
}

static bool bounds_of(lower *l, ir_value *v, bool is_signed, unsigned depth, bounds *out) {
  affine *a = affine_of(l, v);
  if (!a) return bounds_through(l, v, is_signed, depth, out);
  affine *x = affine_comparable(l, a, is_signed);
  if (!x) return false;
  affine_range(l, x, &out->min, &out->max);
  out->ok = x->ok;
  return true;
}

/* Unsigned numbers of 64 bits are compared as signed ones, none of which may be negative. */
static llv less(lower *l, ir_value *a, ir_value *b, bool or_equal, bool is_signed) {
  bounds x, y;
  bool natural = !is_signed && tsr_elem_bits(a->type->elem) == 64;
  is_signed |= natural;
  if (!bounds_of(l, a, is_signed, 0, &x) || !bounds_of(l, b, is_signed, 0, &y)) return NULL;
  llv c = LLVMBuildICmp(l->e.b, or_equal ? LLVMIntSLE : LLVMIntSLT, x.max, y.min, "");
  if (natural)
    c = fold_and(l, c, LLVMBuildICmp(l->e.b, LLVMIntSGE, x.min, k64(l, 0), "natural"));
  return fold_and(l, c, fold_and(l, x.ok, y.ok));
}

/* NULL: it cannot be told. */
static llv compare_linear(lower *l, ir_op *op) {
  ir_value *a = ir_operand(op, 0), *b = ir_operand(op, 1);
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  switch (ir_int_attr(op, ATTR_comparison_predicate)) {
  case CMP_LESS: return less(l, a, b, false, is_signed);
  case CMP_LESS_EQUAL: return less(l, a, b, true, is_signed);
  case CMP_GREATER: return less(l, b, a, false, is_signed);
  case CMP_GREATER_EQUAL: return less(l, b, a, true, is_signed);
  default: return NULL;
  }
}

static llv compare_all(lower *l, ir_op *op) {
  llv all = is_on(l, PATTERN_MASK_BOUNDS) ? compare_linear(l, op) : NULL;
  if (all) NOTE_MATCH(l, MASK_BOUNDS, .op = op);
  return all;
}

static llv all_true_within(lower *l, ir_value *mask, unsigned depth) {
  ir_op *op = ir_defining_op(mask);
  if (value_of(l, mask)->kind == VALUE_SCALAR) return value_of(l, mask)->scalar;
  if (!op || depth > DEPTH) return NULL;
  switch (op->opcode) {
  case OP_constant: {
    const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
    return d->splat && ir_dense_get(d, 0) ? LLVMConstInt(l->e.i1, 1, 0) : NULL;
  }
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: return all_true_within(l, ir_operand(op, 0), depth + 1);
  case OP_andi: {
    llv a = all_true_within(l, ir_operand(op, 0), depth + 1);
    llv b = a ? all_true_within(l, ir_operand(op, 1), depth + 1) : NULL;
    return b ? fold_and(l, a, b) : NULL;
  }
  case OP_cmpi: return compare_all(l, op);
  default: return NULL;
  }
}

llv all_true(lower *l, ir_value *mask) {
  return all_true_within(l, mask, 0);
}

/* ---- where they hold ------------------------------------------------------------------------ */

/* The bits of the iteration that b - a counts, one behind the other, as ±1, ±2, ±4 …; 0: it counts
 * something else. */
static int counted_bits(const affine *a, const affine *b, const index_map *m, bound_use *u) {
  int sign = 0;
  u->n = 0;
  for (unsigned k = 0; k < m->n; k++) {
    int64_t x = 0, y = 0;
    if ((k < a->n && !coef_const(a->c[k], &x)) || (k < b->n && !coef_const(b->c[k], &y))) return 0;
    int64_t c = y - x;
    if (c == 0) continue;
    if (u->n == 0) {
      sign = c < 0 ? -1 : 1;
      u->first = m->bit[k];
    }
    if (m->bit[k] < 0 || m->bit[k] != u->first + u->n || c != sign * (INT64_C(1) << u->n)) return 0;
    u->n++;
  }
  return sign;
}

static llv saturating(lower *l, const char *intrinsic, llv a, llv b) {
  return emit_intrinsic(&l->e, intrinsic, &l->e.i64, 1, (llv[]){a, b}, 2);
}

/* from - to + more, as a number of elements: 0 … 2^n. */
static llv elements_between(lower *l, const bound_use *u, llv from, llv to, int64_t more) {
  llv at = saturating(l, "llvm.ssub.sat", from, to);
  if (more) at = saturating(l, "llvm.sadd.sat", at, k64(l, more));
  at = fold_min_max(l, "llvm.smax", at, k64(l, 0));
  return fold_min_max(l, "llvm.smin", at, k64(l, INT64_C(1) << u->n));
}

/* What a comparison compares, in 64 bits: a < b, or a <= b. */
typedef struct comparison {
  const affine *a, *b;
  bool or_equal, natural; /* natural: and 0 <= a, if 0 <= b, which is uniform */
} comparison;

/* 0 <= a < b is one unsigned comparison, which programs write for both. What is compared must not
 * reach 2^63 then, as what widens a signed number doesn't. */
static bool comparison_of(lower *l, ir_op *op, comparison *c) {
  int64_t predicate = ir_int_attr(op, ATTR_comparison_predicate);
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  bool less = predicate == CMP_LESS || predicate == CMP_LESS_EQUAL;
  ir_value *low = ir_operand(op, less ? 0 : 1), *high = ir_operand(op, less ? 1 : 0);
  const affine *a = affine_of(l, low), *b = affine_of(l, high);
  if (predicate == CMP_EQUAL || predicate == CMP_NOT_EQUAL || !a || !b) return false;
  c->or_equal = predicate == CMP_LESS_EQUAL || predicate == CMP_GREATER_EQUAL;
  c->natural = !is_signed && affine_is_uniform(b);
  if (!is_signed && !c->natural && b->width == 64) return false;
  c->a = affine_comparable(l, a, is_signed || c->natural);
  c->b = affine_comparable(l, b, is_signed || c->natural);
  return c->a && c->b;
}

bool mask_interval(lower *l, ir_op *op, const index_map *m, bound_use *u) {
  comparison c;
  if (!is_on(l, PATTERN_MASK_BOUNDS) || m->conservative || !comparison_of(l, op, &c)) return false;
  int sign = counted_bits(c.a, c.b, m, u);
  if (sign == 0) return false;
  llv zero = k64(l, 0), lo = NULL, size = k64(l, INT64_C(1) << u->n);
  u->known = fold_and(l, c.a->ok, c.b->ok);
  u->forced = NULL;
  /* With d for b - a at element 0: d - i > 0 where i < d, and d + i > 0 where i > -d. */
  if (sign < 0) {
    u->hi = elements_between(l, u, c.b->base, c.a->base, c.or_equal);
    if (c.natural) lo = elements_between(l, u, zero, c.a->base, 0);
  } else {
    u->hi = c.natural ? elements_between(l, u, c.a->base, zero, 1) : size;
    lo = elements_between(l, u, c.a->base, c.b->base, !c.or_equal);
  }
  if (c.natural) {
    llv natural = LLVMBuildICmp(l->e.b, LLVMIntSGE, c.b->base, zero, "");
    u->known = fold_and(l, u->known, natural);
  }
  int64_t fixed;
  u->lo = !lo || (is_const(lo, &fixed) && fixed == 0) ? NULL : fold_min_max(l, "llvm.smin", lo, u->hi);
  return true;
}

typedef struct mask_walk {
  lower *l;
  bound_uses *uses;
  llv others;  /* NULL: true */
  bool strict; /* bounds and scalars only */
} mask_walk;

/* False where nothing is known: then all_true doesn't know it either. */
static bool walk_mask(mask_walk *x, ir_value *v, const index_map *m, unsigned depth) {
  ir_op *op = ir_defining_op(v);
  const value *y = value_of(x->l, v);
  bound_use u;
  if (y->kind == VALUE_SCALAR) {
    x->others = fold_and(x->l, x->others, y->scalar);
    return !y->pending;
  }
  if (!op || depth > DEPTH) return false;
  switch (op->opcode) {
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: {
    index_map through = map_through(op, m);
    through.conservative = m->conservative;
    return walk_mask(x, ir_operand(op, 0), &through, depth + 1);
  }
  case OP_andi:
    return walk_mask(x, ir_operand(op, 0), m, depth + 1) &&
           walk_mask(x, ir_operand(op, 1), m, depth + 1);
  case OP_cmpi:
    if (mask_interval(x->l, op, m, &u)) {
      vec_push(x->l->arena, *x->uses, u);
      x->others = fold_and(x->l, x->others, u.known);
      return true;
    }
    break;
  default: break;
  }
  llv all = x->strict ? NULL : all_true_within(x->l, v, depth);
  x->others = all ? fold_and(x->l, x->others, all) : NULL;
  return all != NULL;
}

bool mask_bounds(lower *l, ir_value *mask, const index_map *m, bound_uses *uses, llv *others) {
  mask_walk x = {.l = l, .uses = uses};
  bool known = walk_mask(&x, mask, m, 0);
  *others = x.others;
  return known;
}

bool mask_is_bounds(lower *l, ir_value *mask, const index_map *m, bound_uses *uses, llv *others) {
  mask_walk x = {.l = l, .uses = uses, .strict = true};
  bool is = walk_mask(&x, mask, m, 0);
  *others = x.others;
  return is;
}
