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

/* Between which numbers, in 64 bits, all elements of a tile lie if `ok`. Where a side is `open`, it
 * is the type's least or greatest number, which says nothing. */
typedef struct bounds {
  llv min, max, ok;
  bool open_below, open_above;
} bounds;

enum {
  DEPTH = 16,
  FAR = 58, /* bits of what arithmetic may give: such numbers' sums, and as bytes, don't wrap */
};

/* Tiles of which only elements count that lie in [0, below), if `ok`. */
enum { MAX_LIMITS = 8 };
typedef struct limits {
  unsigned n;
  struct {
    const ir_value *v;
    llv below, ok;
  } of[MAX_LIMITS];
} limits;

typedef struct bounding {
  lower *l;
  const limits *limits; /* NULL: none */
} bounding;

static bool bounds_of(bounding *x, ir_value *v, bool is_signed, unsigned depth, bounds *out);

static unsigned bits_of_elements(const ir_value *v) {
  return tsr_elem_bits((tsr_elem)v->type->elem);
}

/* What is the same for signed numbers and for unsigned ones of fewer than 64 bits. */
static const char *smaller_of(const ir_value *v, bool is_signed) {
  return is_signed || bits_of_elements(v) < 64 ? "llvm.smin" : "llvm.umin";
}
static const char *larger_of(const ir_value *v, bool is_signed) {
  return is_signed || bits_of_elements(v) < 64 ? "llvm.smax" : "llvm.umax";
}

static int64_t least_number(unsigned bits, bool is_signed) {
  return is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
}
static int64_t greatest_number(unsigned bits, bool is_signed) {
  return (INT64_C(1) << (bits - is_signed)) - 1;
}

/* All numbers of the type; false: these are more than 64 signed bits hold. */
static bool bounds_of_type(lower *l, const ir_value *v, bool is_signed, bounds *out) {
  unsigned bits = bits_of_elements(v);
  *out = (bounds){.open_below = true, .open_above = true};
  if (bits >= 64) return false;
  out->min = k64(l, least_number(bits, is_signed));
  out->max = k64(l, greatest_number(bits, is_signed));
  return true;
}

/* x's bounds or y's: those of a choice. */
static void choose_bounds(lower *l, const ir_op *op, bool is_signed, const bounds *x,
                          const bounds *y, bounds *out) {
  ir_value *v = ir_result(op, 0), *one = plan_uniform(ir_operand(op, 0));
  const value *c = one ? value_of(l, one) : NULL;
  out->open_below = x->open_below || y->open_below;
  out->open_above = x->open_above || y->open_above;
  if (c && c->kind == VALUE_SCALAR && !c->pending) {
    out->min = LLVMBuildSelect(l->e.b, c->scalar, x->min, y->min, "");
    out->max = LLVMBuildSelect(l->e.b, c->scalar, x->max, y->max, "");
    return;
  }
  out->min = fold_min_max(l, smaller_of(v, is_signed), x->min, y->min);
  out->max = fold_min_max(l, larger_of(v, is_signed), x->max, y->max);
}

/* One operand's bounds are enough for one of a minimum's sides. */
static bool bounds_of_extreme(bounding *q, const ir_op *op, bool is_signed, unsigned depth,
                              bounds *out) {
  lower *l = q->l;
  ir_value *a = ir_operand(op, 0), *b = ir_operand(op, 1);
  bounds x, y;
  if ((ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED) != is_signed) return false;
  bool knows_x = bounds_of(q, a, is_signed, depth + 1, &x);
  bool knows_y = bounds_of(q, b, is_signed, depth + 1, &y);
  if (!knows_x && !knows_y) return false;
  if (!knows_x && !bounds_of_type(l, a, is_signed, &x)) return false;
  if (!knows_y && !bounds_of_type(l, b, is_signed, &y)) return false;
  bool least = op->opcode == OP_mini;
  const char *name = least ? smaller_of(a, is_signed) : larger_of(a, is_signed);
  out->min = fold_min_max(l, name, x.min, y.min);
  out->max = fold_min_max(l, name, x.max, y.max);
  out->ok = fold_and(l, x.ok, y.ok);
  out->open_below = least ? x.open_below || y.open_below : x.open_below && y.open_below;
  out->open_above = least ? x.open_above && y.open_above : x.open_above || y.open_above;
  return true;
}

static bool is_open(const bounds *x) {
  return x->open_below || x->open_above;
}

/* That results of arithmetic are those of numbers without end. */
static void add_no_wrap(lower *l, ir_value *v, bool is_signed, bounds *out) {
  unsigned bits = MIN(bits_of_elements(v), (unsigned)FAR);
  llv low = k64(l, least_number(bits, is_signed)), high = k64(l, greatest_number(bits, is_signed));
  out->ok = fold_and(l, out->ok, LLVMBuildICmp(l->e.b, LLVMIntSGE, out->min, low, ""));
  out->ok = fold_and(l, out->ok, LLVMBuildICmp(l->e.b, LLVMIntSLE, out->max, high, ""));
}

static bool bounds_of_sum(bounding *q, const ir_op *op, bool is_signed, unsigned depth,
                          bounds *out) {
  lower *l = q->l;
  LLVMBuilderRef b = l->e.b;
  bounds x, y;
  if (!bounds_of(q, ir_operand(op, 0), is_signed, depth + 1, &x) ||
      !bounds_of(q, ir_operand(op, 1), is_signed, depth + 1, &y) || is_open(&x) || is_open(&y))
    return false;
  bool minus = op->opcode == OP_subi;
  *out = (bounds){.min = minus ? LLVMBuildSub(b, x.min, y.max, "") : fold_add(l, x.min, y.min),
                  .max = minus ? LLVMBuildSub(b, x.max, y.min, "") : fold_add(l, x.max, y.max),
                  .ok = fold_and(l, x.ok, y.ok)};
  add_no_wrap(l, ir_result(op, 0), is_signed, out);
  return true;
}

/* Of what is multiplied with one number, neither of which has more than 31 bits. */
static bool bounds_of_product(bounding *q, const ir_op *op, bool is_signed, unsigned depth,
                              bounds *out) {
  enum { SMALL = 32 };
  lower *l = q->l;
  const affine *by = affine_of(l, ir_operand(op, 1));
  unsigned other = by && affine_is_uniform(by) ? 0 : 1;
  bounds x, y;
  if (other) by = affine_of(l, ir_operand(op, 0));
  if (!by || !affine_is_uniform(by) ||
      !bounds_of(q, ir_operand(op, other), is_signed, depth + 1, &x) ||
      !bounds_of(q, ir_operand(op, 1 - other), is_signed, depth + 1, &y) || is_open(&x))
    return false;
  llv ends[] = {x.min, x.max, y.min}, ok = fold_and(l, x.ok, y.ok);
  for (unsigned i = 0; i < ARRAY_LEN(ends); i++) {
    llv moved = fold_add(l, ends[i], k64(l, INT64_C(1) << (SMALL - 1)));
    llv fits = LLVMBuildICmp(l->e.b, LLVMIntULT, moved, k64(l, INT64_C(1) << SMALL), "");
    ok = fold_and(l, ok, fits);
  }
  llv low = fold_mul(l, x.min, y.min), high = fold_mul(l, x.max, y.min);
  *out = (bounds){.min = fold_min_max(l, "llvm.smin", low, high),
                  .max = fold_min_max(l, "llvm.smax", low, high),
                  .ok = ok};
  add_no_wrap(l, ir_result(op, 0), is_signed, out);
  return true;
}

/* Of a minimum, a maximum, a choice, arithmetic, a wider number, or another shape of a tile. */
static bool bounds_through(bounding *q, ir_value *v, bool is_signed, unsigned depth, bounds *out) {
  lower *l = q->l;
  ir_op *op = ir_defining_op(v);
  bounds x, y;
  if (!op || depth == DEPTH) return false;
  *out = (bounds){0};
  switch (op->opcode) {
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_extract:
  case OP_assume: return bounds_of(q, ir_operand(op, 0), is_signed, depth + 1, out);
  case OP_exti: {
    bool widens_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
    return (is_signed || !widens_signed) &&
           bounds_of(q, ir_operand(op, 0), widens_signed, depth + 1, out);
  }
  case OP_addi:
  case OP_subi: return bounds_of_sum(q, op, is_signed, depth, out);
  case OP_muli: return bounds_of_product(q, op, is_signed, depth, out);
  case OP_mini:
  case OP_maxi: return bounds_of_extreme(q, op, is_signed, depth, out);
  case OP_select:
    if (!bounds_of(q, ir_operand(op, 1), is_signed, depth + 1, &x) ||
        !bounds_of(q, ir_operand(op, 2), is_signed, depth + 1, &y))
      return false;
    out->ok = fold_and(l, x.ok, y.ok);
    choose_bounds(l, op, is_signed, &x, &y, out);
    return true;
  default: return false;
  }
}

static bool bounds_of(bounding *q, ir_value *v, bool is_signed, unsigned depth, bounds *out) {
  lower *l = q->l;
  affine *a = affine_of(l, v);
  for (unsigned i = 0; !a && q->limits && i < q->limits->n; i++) {
    if (q->limits->of[i].v != v) continue;
    llv most = fold_add(l, q->limits->of[i].below, k64(l, -1));
    *out = (bounds){.min = k64(l, 0), .max = most, .ok = q->limits->of[i].ok};
    return true;
  }
  if (!a) return bounds_through(q, v, is_signed, depth, out);
  affine *x = affine_comparable(l, a, is_signed);
  if (!x) return false;
  *out = (bounds){.ok = x->ok};
  affine_range(l, x, &out->min, &out->max);
  return true;
}

/* Folding leaves NULL of what is always true, which is something that is known. */
static llv fold_and_known(lower *l, llv a, llv b) {
  llv both = fold_and(l, a, b);
  return both ? both : LLVMConstInt(l->e.i1, 1, 0);
}

/* Unsigned numbers of 64 bits are compared as signed ones, none of which may be negative. */
static llv less(lower *l, ir_value *a, ir_value *b, bool or_equal, bool is_signed) {
  bounds x, y;
  bool natural = !is_signed && tsr_elem_bits(a->type->elem) == 64;
  is_signed |= natural;
  bounding q = {.l = l};
  if (!bounds_of(&q, a, is_signed, 0, &x) || !bounds_of(&q, b, is_signed, 0, &y)) return NULL;
  if (x.open_above || y.open_below || (natural && x.open_below)) return NULL;
  llv c = LLVMBuildICmp(l->e.b, or_equal ? LLVMIntSLE : LLVMIntSLT, x.max, y.min, "");
  if (natural) c = fold_and(l, c, LLVMBuildICmp(l->e.b, LLVMIntSGE, x.min, k64(l, 0), "natural"));
  return fold_and_known(l, c, fold_and(l, x.ok, y.ok));
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
    return b ? fold_and_known(l, a, b) : NULL;
  }
  case OP_cmpi: return compare_all(l, op);
  default: return NULL;
  }
}

llv all_true(lower *l, ir_value *mask) {
  return all_true_within(l, mask, 0);
}

/* ---- what they leave of other tiles --------------------------------------------------------- */

/* Unsigned comparisons with one number. */
static void find_limits(lower *l, ir_value *mask, unsigned depth, limits *out) {
  ir_op *op = ir_defining_op(mask);
  if (!op || depth > DEPTH || out->n == MAX_LIMITS) return;
  switch (op->opcode) {
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: find_limits(l, ir_operand(op, 0), depth + 1, out); return;
  case OP_andi:
    find_limits(l, ir_operand(op, 0), depth + 1, out);
    find_limits(l, ir_operand(op, 1), depth + 1, out);
    return;
  case OP_cmpi: break;
  default: return;
  }
  const affine *below = affine_of(l, ir_operand(op, 1));
  if (ir_int_attr(op, ATTR_comparison_predicate) != CMP_LESS ||
      ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED || !below || !affine_is_uniform(below) ||
      out->n == MAX_LIMITS)
    return;
  below = affine_comparable(l, below, true);
  llv natural = LLVMBuildICmp(l->e.b, LLVMIntSGE, below->base, k64(l, 0), "");
  out->of[out->n].v = ir_operand(op, 0);
  out->of[out->n].below = below->base;
  out->of[out->n++].ok = fold_and(l, below->ok, natural);
}

bool mask_range_of(lower *l, ir_value *v, ir_value *mask, llv *min, llv *max, llv *ok) {
  limits found = {0};
  if (mask) find_limits(l, mask, 0, &found);
  bounding q = {.l = l, .limits = &found};
  bounds x;
  if (!bounds_of(&q, v, true, 0, &x) || is_open(&x)) return false;
  add_no_wrap(l, v, true, &x);
  *min = x.min;
  *max = x.max;
  *ok = x.ok;
  return true;
}

/* ---- where they hold ------------------------------------------------------------------------ */

enum { MOST_APART = 64 }; /* numbers from one element to the next, where places are computed */

/* The bits of the iteration that b - a counts, one behind the other, as s, 2 s, 4 s …; returns s,
 * or 0: it counts something else. */
static int64_t counted_bits(const affine *a, const affine *b, const index_map *m, bound_use *u) {
  int64_t step = 0;
  u->n = 0;
  for (unsigned k = 0; k < m->n; k++) {
    int64_t x = 0, y = 0;
    if ((k < a->n && !coef_const(a->c[k], &x)) || (k < b->n && !coef_const(b->c[k], &y))) return 0;
    int64_t c = y - x;
    if (c == 0) continue;
    if (u->n == 0) {
      step = c;
      u->first = m->bit[k];
    }
    if (step < -MOST_APART || step > MOST_APART || m->bit[k] < 0 || m->bit[k] != u->first + u->n ||
        c != step * (INT64_C(1) << u->n))
      return 0;
    u->n++;
  }
  return step;
}

static llv saturating(lower *l, const char *intrinsic, llv a, llv b) {
  return emit_intrinsic(&l->e, intrinsic, &l->e.i64, 1, (llv[]){a, b}, 2);
}

/* How many elements, `step` numbers apart, there are below from - to + more: 0 … 2^n. Differences
 * of numbers that have been widened, `narrow` ones, do not wrap. */
static llv elements_between(lower *l, const bound_use *u, int64_t step, llv from, llv to,
                            int64_t more, bool narrow) {
  llv at = narrow ? LLVMBuildSub(l->e.b, from, to, "") : saturating(l, "llvm.ssub.sat", from, to);
  if (narrow)
    at = fold_add(l, at, k64(l, more));
  else if (more)
    at = saturating(l, "llvm.sadd.sat", at, k64(l, more));
  at = fold_min_max(l, "llvm.smax", at, k64(l, 0));
  at = fold_min_max(l, "llvm.smin", at, k64(l, step << u->n));
  if (step == 1) return at;
  at = fold_add(l, at, k64(l, step - 1));
  return LLVMBuildUDiv(l->e.b, at, k64(l, step), "");
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

/* Has it been widened, with nothing done to it since? Sums of such numbers do not wrap. */
static bool is_narrow(const affine *a) {
  int64_t c;
  if (is_const(a->base, &c)) return affine_is_uniform(a) && c == (int32_t)c;
  return a->narrow ||
         (affine_is_uniform(a) && (LLVMIsASExtInst(a->base) || LLVMIsAZExtInst(a->base)));
}

static bool interval_of(lower *l, const comparison *compared, const index_map *m, bound_use *u) {
  comparison c = *compared;
  int64_t counted = counted_bits(c.a, c.b, m, u), step = counted < 0 ? -counted : counted;
  if (counted == 0) return false;
  bool narrow = is_narrow(c.a) && is_narrow(c.b);
  llv zero = k64(l, 0), lo = NULL, size = k64(l, INT64_C(1) << u->n);
  u->known = fold_and(l, c.a->ok, c.b->ok);
  u->forced = NULL;
  /* With d for b - a at element 0: d - s i > 0 where s i < d, and d + s i > 0 where s i > -d. */
  if (counted < 0) {
    u->hi = elements_between(l, u, step, c.b->base, c.a->base, c.or_equal, narrow);
    if (c.natural) lo = elements_between(l, u, step, zero, c.a->base, 0, narrow);
  } else {
    u->hi = c.natural ? elements_between(l, u, step, c.a->base, zero, 1, narrow) : size;
    lo = elements_between(l, u, step, c.a->base, c.b->base, !c.or_equal, narrow);
  }
  if (c.natural) {
    llv natural = LLVMBuildICmp(l->e.b, LLVMIntSGE, c.b->base, zero, "");
    u->known = fold_and(l, u->known, natural);
  }
  int64_t fixed;
  u->lo =
      !lo || (is_const(lo, &fixed) && fixed == 0) ? NULL : fold_min_max(l, "llvm.smin", lo, u->hi);
  return true;
}

bool mask_interval(lower *l, ir_op *op, const index_map *m, bound_use *u) {
  comparison c;
  return is_on(l, PATTERN_MASK_BOUNDS) && !m->conservative && comparison_of(l, op, &c) &&
         interval_of(l, &c, m, u);
}

bool clamp_interval(lower *l, ir_op *op, const index_map *m, bound_use *u) {
  const affine *a = affine_of(l, ir_operand(op, 0)), *b = affine_of(l, ir_operand(op, 1));
  if (!a) a = value_of(l, ir_operand(op, 0))->clamped;
  if (!b) b = value_of(l, ir_operand(op, 1))->clamped;
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  if (!a || !b || m->conservative || (!is_signed && a->width == 64)) return false;
  /* What is kept is at most the limit, or at least. */
  bool swap = affine_is_uniform(a) == (op->opcode == OP_mini);
  comparison c = {.a = affine_comparable(l, swap ? b : a, is_signed),
                  .b = affine_comparable(l, swap ? a : b, is_signed),
                  .or_equal = true};
  return c.a && c.b && interval_of(l, &c, m, u);
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
