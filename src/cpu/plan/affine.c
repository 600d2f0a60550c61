/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Integers and addresses that are linear in the bits of their index: iota, what is added to it and
 * multiplied with it, broadcast, reshaped and permuted. Arithmetic modulo 2^width keeps the form
 * exactly. Only widening may not: whether the narrow value wrapped is one comparison at run time
 * for the whole tile, and the result holds when it did not (`ok`).
 */
#include "cpu/plan/affine.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/map.h"

static const int64_t MAX_SPREAD = INT64_C(1) << 31; /* keeps ranges within 64 bits */

static int64_t wrap(int64_t v, unsigned width) {
  return width == 64 ? v : (int64_t)((uint64_t)v << (64 - width)) >> (64 - width);
}

/* ---- coefficients --------------------------------------------------------------------------- */

bool coef_is_zero(coef c) {
  return c.m == 0;
}

static bool is_same(llv a, llv b, unsigned depth) {
  if (a == b) return true;
  if (depth == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b)) return false;
  LLVMOpcode by = LLVMGetInstructionOpcode(a);
  if (by != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b)) return false;
  switch (by) {
  case LLVMAdd:
  case LLVMAnd:
  case LLVMXor:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMSExt:
  case LLVMZExt:
  case LLVMTrunc: break;
  default: return false;
  }
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(a); i++)
    if (!is_same(LLVMGetOperand(a, i), LLVMGetOperand(b, i), depth - 1)) return false;
  return true;
}

bool is_same_number(llv a, llv b) {
  enum { DEPTH = 8 };
  return is_same(a, b, DEPTH);
}

bool coef_is_same(coef a, coef b) {
  return a.m == b.m && (a.m == 0 || a.s == b.s || (a.s && b.s && is_same_number(a.s, b.s)));
}

bool coef_const(coef c, int64_t *out) {
  if (c.s && c.m) return false;
  *out = c.m;
  return true;
}

llv coef_value(lower *l, coef c, unsigned width) {
  llv m = k_int(l, width, c.m);
  return c.s && c.m ? fold_mul(l, c.s, m) : m;
}

static coef coef_add(lower *l, coef a, coef b, unsigned width, bool negative) {
  if (negative) b.m = wrap((int64_t)(0 - (uint64_t)b.m), width);
  if (b.m == 0) return a;
  if (a.m == 0) return b;
  if (a.s == b.s)
    return (coef){.m = wrap((int64_t)((uint64_t)a.m + (uint64_t)b.m), width), .s = a.s};
  return (coef){.m = 1, .s = fold_add(l, coef_value(l, a, width), coef_value(l, b, width))};
}

static coef coef_mul(lower *l, coef a, llv by, unsigned width) {
  int64_t k;
  if (a.m == 0) return a;
  if (is_const(by, &k)) {
    a.m = wrap((int64_t)((uint64_t)a.m * (uint64_t)k), width);
    return a;
  }
  a.s = a.s ? fold_mul(l, a.s, by) : by;
  return a;
}

/* Applies a cast to a run of coefficients with one scale once. */
static coef coef_cast(lower *l, coef c, unsigned to, coef *last_from, llv *last_to, unsigned from) {
  c.m = wrap(c.m, MIN(from, to));
  if (!c.s || !c.m) return (coef){.m = c.m};
  if (last_from->s != c.s) {
    last_from->s = c.s;
    *last_to = to < from ? LLVMBuildTrunc(l->e.b, c.s, LLVMIntTypeInContext(l->e.llvm, to), "")
                         : LLVMBuildSExt(l->e.b, c.s, LLVMIntTypeInContext(l->e.llvm, to), "");
  }
  return (coef){.m = c.m, .s = *last_to};
}

/* ---- forms ---------------------------------------------------------------------------------- */

static affine *affine_new(lower *l, unsigned n, unsigned width) {
  affine *a = arena_new(l->arena, affine);
  a->n = (uint8_t)n;
  a->width = (uint8_t)width;
  return a;
}

static unsigned width_of(const ir_type *t) {
  unsigned bits = tsr_elem_bits(t->elem);
  return t->elem == TSR_PTR ? 64 : bits;
}

static bool fits(const ir_type *t) {
  return t->kind == IR_TILE && (tsr_elem_is_int(t->elem) || t->elem == TSR_PTR) &&
         tsr_elem_bits(t->elem) >= 8;
}

affine *affine_of(lower *l, const ir_value *v) {
  value *x = value_of(l, v);
  if (x->linear) return x->linear;
  if (x->kind != VALUE_SCALAR || !fits(v->type)) return NULL;
  if (x->pending) return NULL; /* a reduction's result, which isn't there yet */
  affine *a = affine_new(l, 0, width_of(v->type));
  a->base = x->scalar;
  return x->linear = a;
}

static llv root_of(const affine *a) {
  return a->root ? a->root : a->base;
}

static void set_base(lower *l, affine *a, llv root, int64_t offset) {
  a->root = root;
  a->offset = wrap(offset, a->width);
  a->base = a->offset ? fold_add(l, root, k_int(l, a->width, a->offset)) : root;
}

affine *affine_shifted(lower *l, const affine *a, llv by) {
  affine *r = affine_new(l, a->n, a->width);
  *r = *a;
  r->narrow = false;
  set_base(l, r, fold_add(l, root_of(a), by), a->offset);
  return r;
}

bool affine_is_uniform(const affine *a) {
  for (unsigned k = 0; k < a->n; k++)
    if (!coef_is_zero(a->c[k])) return false;
  return true;
}

static void add_bases(lower *l, const affine *a, const affine *b, bool negative, affine *r) {
  int64_t x, y;
  bool known = is_const(b->base, &y);
  if (!known) y = b->offset;
  int64_t offset = (int64_t)((uint64_t)a->offset + (negative ? 0 - (uint64_t)y : (uint64_t)y));
  if (known) {
    set_base(l, r, root_of(a), offset);
  } else if (!negative && is_const(a->base, &x)) {
    set_base(l, r, root_of(b), (int64_t)((uint64_t)b->offset + (uint64_t)x));
  } else {
    llv root = negative ? LLVMBuildNeg(l->e.b, root_of(b), "") : root_of(b);
    set_base(l, r, fold_add(l, root_of(a), root), offset);
  }
}

static affine *add(lower *l, const affine *a, const affine *b, bool negative) {
  affine *r = affine_new(l, MAX(a->n, b->n), a->width);
  add_bases(l, a, b, negative, r);
  for (unsigned k = 0; k < r->n; k++) r->c[k] = coef_add(l, a->c[k], b->c[k], a->width, negative);
  r->ok = fold_and(l, a->ok, b->ok);
  return r;
}

static affine *mul(lower *l, const affine *a, const affine *b) {
  if (!affine_is_uniform(b)) {
    if (!affine_is_uniform(a)) return NULL;
    const affine *t = a;
    a = b;
    b = t;
  }
  affine *r = affine_new(l, MAX(a->n, b->n), a->width);
  int64_t by;
  if (is_const(b->base, &by))
    set_base(l, r, fold_mul(l, root_of(a), b->base), (int64_t)((uint64_t)a->offset * (uint64_t)by));
  else
    r->base = fold_mul(l, a->base, b->base);
  for (unsigned k = 0; k < a->n; k++) r->c[k] = coef_mul(l, a->c[k], b->base, a->width);
  r->ok = fold_and(l, a->ok, b->ok);
  return r;
}

static affine *shift_left(lower *l, const affine *a, const affine *by) {
  int64_t count;
  if (!affine_is_uniform(by) || !is_const(by->base, &count) || count < 0 || count >= a->width)
    return NULL;
  affine factor = {.width = a->width, .base = k_int(l, a->width, (int64_t)(UINT64_C(1) << count))};
  return mul(l, a, &factor);
}

static affine *truncate(lower *l, const affine *a, unsigned width) {
  affine *r = affine_new(l, a->n, width);
  coef last = {0};
  llv last_to = NULL;
  set_base(l, r, LLVMBuildTrunc(l->e.b, root_of(a), LLVMIntTypeInContext(l->e.llvm, width), ""),
           a->offset);
  for (unsigned k = 0; k < a->n; k++)
    r->c[k] = coef_cast(l, a->c[k], width, &last, &last_to, a->width);
  r->ok = a->ok;
  return r;
}

void affine_range(lower *l, const affine *a, llv *min, llv *max) {
  *min = *max = a->base;
  llv zero = k64(l, 0);
  for (unsigned k = 0; k < a->n;) {
    /* Coefficients of one scale all pull to the same side. */
    int64_t down = 0, up = 0;
    llv scale = a->c[k].s;
    for (; k < a->n && (a->c[k].s == scale || a->c[k].m == 0); k++) {
      if (a->c[k].m < 0)
        down += a->c[k].m;
      else
        up += a->c[k].m;
    }
    if (!scale) {
      *min = fold_add(l, *min, k64(l, down));
      *max = fold_add(l, *max, k64(l, up));
      continue;
    }
    for (int side = 0; side < 2; side++) {
      int64_t m = side ? up : down;
      if (m == 0) continue;
      llv v = fold_mul(l, scale, k64(l, m));
      *min = fold_add(l, *min, fold_min_max(l, "llvm.smin", v, zero));
      *max = fold_add(l, *max, fold_min_max(l, "llvm.smax", v, zero));
    }
  }
}

affine *affine_widen(lower *l, const affine *a, bool is_signed) {
  if (a->width == 64) {
    affine *r = affine_new(l, a->n, 64);
    *r = *a;
    return r;
  }
  affine *r = affine_new(l, a->n, 64);
  coef last = {0};
  llv last_to = NULL;
  int64_t spread = 0;
  for (unsigned k = 0; k < a->n; k++) {
    r->c[k] = coef_cast(l, a->c[k], 64, &last, &last_to, a->width);
    spread += r->c[k].m < 0 ? -r->c[k].m : r->c[k].m;
  }
  if (spread > MAX_SPREAD) return NULL;
  r->ok = a->ok;
  bool one = affine_is_uniform(r); /* nothing says whether that has wrapped */
  llv root = one ? a->base : root_of(a);
  root = is_signed ? LLVMBuildSExt(l->e.b, root, l->e.i64, "")
                   : LLVMBuildZExt(l->e.b, root, l->e.i64, "");
  set_base(l, r, root, one ? 0 : a->offset);
  r->narrow = true;
  if (one) return r;
  llv min, max;
  affine_range(l, r, &min, &max);
  int64_t lowest = is_signed ? -(INT64_C(1) << (a->width - 1)) : 0;
  int64_t highest = (INT64_C(1) << (a->width - (is_signed ? 1 : 0))) - 1;
  llv above = LLVMBuildICmp(l->e.b, LLVMIntSGE, min, k64(l, lowest), "");
  llv below = LLVMBuildICmp(l->e.b, LLVMIntSLE, max, k64(l, highest), "");
  r->ok = fold_and(l, r->ok, fold_and(l, above, below));
  return r;
}

static affine *extend(lower *l, const affine *a, unsigned width, bool is_signed) {
  affine *r = affine_widen(l, a, is_signed);
  return r && width < 64 ? truncate(l, r, width) : r;
}

static bool never_one_quotient(const affine *a, const affine *by) {
  int64_t least = 0, m, divisor;
  for (unsigned k = 0; k < a->n; k++)
    if (coef_const(a->c[k], &m)) least += m < 0 ? -m : m;
  return is_const(by->base, &divisor) && divisor <= least;
}

/* Quotient or remainder by a uniform number. When no element of the tile has another quotient than
 * the lowest one, that is the same for all, and remainders go on from the lowest one's. */
static affine *divide(lower *l, const ir_op *op, const affine *a, const affine *by) {
  LLVMBuilderRef b = l->e.b;
  bool is_signed = ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  if (affine_is_uniform(a) || !affine_is_uniform(by)) return NULL;
  affine *wide = affine_comparable(l, a, is_signed);
  const affine *wide_by = affine_comparable(l, by, is_signed);
  if (!wide || !wide_by || never_one_quotient(wide, wide_by)) return NULL;
  llv min, max, divisor = fold_min_max(l, "llvm.smax", wide_by->base, k64(l, 1));
  affine_range(l, wide, &min, &max);
  llv rest = LLVMBuildURem(b, min, divisor, "rest");
  llv first = LLVMBuildSub(b, min, rest, ""), spread = LLVMBuildSub(b, max, first, "");
  llv one_quotient = LLVMBuildICmp(b, LLVMIntULT, spread, divisor, "");
  llv natural = LLVMBuildICmp(b, LLVMIntSGE, min, k64(l, 0), "");
  llv positive = LLVMBuildICmp(b, LLVMIntEQ, divisor, wide_by->base, "");
  affine *r = affine_new(l, a->n, 64);
  if (op->opcode == OP_divi)
    set_base(l, r, LLVMBuildUDiv(b, min, divisor, ""), 0);
  else
    *r = *wide;
  if (op->opcode == OP_remi) set_base(l, r, LLVMBuildSub(b, wide->base, first, ""), 0);
  r->ok = fold_and(l, fold_and(l, wide->ok, wide_by->ok), fold_and(l, one_quotient, natural));
  r->ok = fold_and(l, r->ok, positive);
  return a->width < 64 ? truncate(l, r, a->width) : r;
}

static affine *offset(lower *l, const ir_op *op, const affine *p, const affine *by) {
  const ir_type *t = ir_operand(op, 0)->type;
  unsigned bits = tsr_elem_bits(t->pointee);
  affine *wide = affine_widen(l, by, true);
  if (!wide || (bits > 1 && bits < 8)) return NULL;
  affine bytes = {.width = 64, .base = k64(l, bits < 8 ? 1 : bits / 8)};
  return add(l, p, mul(l, wide, &bytes), false);
}

/* The bits of its index that a value depends on, as those of `m` that they come from. */
static uint64_t bits_of(const ir_value *v, const index_map *m) {
  const ir_op *op = ir_defining_op(v);
  if (op && (op->opcode == OP_broadcast || op->opcode == OP_reshape || op->opcode == OP_permute)) {
    index_map p = map_through(op, m);
    return bits_of(ir_operand(op, 0), &p);
  }
  uint64_t bits = 0;
  for (unsigned k = 0; k < m->n; k++)
    if (m->bit[k] >= 0) bits |= UINT64_C(1) << m->bit[k];
  return bits;
}

static bool add_term(pointer_terms *t, ir_value *v) {
  if (t->n == MAX_TERMS) return false;
  index_map id = map_identity(tile_bits(v->type));
  t->v[t->n++] = v;
  t->bits |= bits_of(v, &id);
  return true;
}

affine *affine_split(lower *l, ir_value *pointers, pointer_terms *t) {
  affine *p = affine_of(l, pointers);
  if (p) return p;
  const ir_op *op = ir_defining_op(pointers);
  if (op && op->opcode == OP_offset) {
    if (!(p = affine_split(l, ir_operand(op, 0), t))) return NULL;
    const affine *by = affine_of(l, ir_operand(op, 1));
    affine *sum = by ? offset(l, op, p, by) : NULL;
    if (sum) return sum;
    return add_term(t, ir_operand(op, 1)) ? p : NULL;
  }
  p = affine_new(l, tile_bits(pointers->type), 64);
  p->base = k64(l, 0);
  return add_term(t, pointers) ? p : NULL;
}

static affine *remap(lower *l, const ir_op *op, const affine *a) {
  const ir_type *t = ir_result(op, 0)->type;
  affine *r = affine_new(l, tile_bits(t), a->width);
  index_map id = map_identity(r->n), m = map_through(op, &id);
  set_base(l, r, root_of(a), a->offset);
  r->ok = a->ok;
  r->narrow = a->narrow;
  for (unsigned k = 0; k < a->n && k < m.n; k++) {
    if (m.bit[k] == BIT_ONE)
      set_base(l, r, fold_add(l, r->root, coef_value(l, a->c[k], a->width)), r->offset);
    else if (m.bit[k] >= 0)
      r->c[m.bit[k]] = a->c[k];
  }
  return r;
}

static affine *iota(lower *l, const ir_type *t) {
  affine *a = affine_new(l, tile_bits(t), width_of(t));
  a->base = k_int(l, a->width, 0);
  for (unsigned k = 0; k < a->n; k++) a->c[k].m = wrap((int64_t)(UINT64_C(1) << k), a->width);
  return a;
}

static affine *splat_constant(lower *l, const ir_op *op, const ir_type *t) {
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  if (!d->splat || t->elem == TSR_PTR) return NULL;
  affine *a = affine_new(l, tile_bits(t), width_of(t));
  a->base = k_int(l, a->width, (int64_t)ir_dense_get(d, 0));
  return a;
}

/* Of a result, by the forms of the first two operands (NULL: none). */
static affine *of_forms(lower *l, ir_op *op, affine *a, affine *b) {
  const ir_type *t = ir_result(op, 0)->type;
  if (!fits(t)) return NULL;
  if (op->opcode == OP_iota) return iota(l, t);
  if (op->opcode == OP_constant) return splat_constant(l, op, t);
  if (!a) return NULL;
  bool is_signed = op->opcode == OP_exti && ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED;
  switch (op->opcode) {
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_extract: return remap(l, op, a);
  case OP_assume:
  case OP_int_to_ptr:
  case OP_ptr_to_int:
  case OP_ptr_to_ptr: return a;
  case OP_exti: return extend(l, a, width_of(t), is_signed);
  case OP_trunci: return truncate(l, a, width_of(t));
  case OP_negi: {
    affine zero = {.width = a->width, .base = k_int(l, a->width, 0)};
    return add(l, &zero, a, true);
  }
  default: break;
  }
  if (!b) return NULL;
  switch (op->opcode) {
  case OP_addi: return add(l, a, b, false);
  case OP_subi: return add(l, a, b, true);
  case OP_muli: return mul(l, a, b);
  case OP_shli: return shift_left(l, a, b);
  case OP_remi: return divide(l, op, a, b);
  case OP_divi:
    return ir_int_attr(op, ATTR_rounding) == ROUND_POSITIVE_INF ? NULL : divide(l, op, a, b);
  case OP_offset: return offset(l, op, a, b);
  default: return NULL;
  }
}

affine *affine_of_op(lower *l, ir_op *op) {
  affine *a = op->n_operands > 0 ? affine_of(l, ir_operand(op, 0)) : NULL;
  affine *b = op->n_operands > 1 ? affine_of(l, ir_operand(op, 1)) : NULL;
  return of_forms(l, op, a, b);
}

static affine *form_or_clamped(lower *l, const ir_op *op, unsigned i) {
  if (op->n_operands <= i) return NULL;
  affine *a = affine_of(l, ir_operand(op, i));
  return a ? a : value_of(l, ir_operand(op, i))->clamped;
}

affine *affine_clamped_of_op(lower *l, ir_op *op) {
  affine *a = form_or_clamped(l, op, 0), *b = form_or_clamped(l, op, 1);
  if (!a || !is_on(l, PATTERN_CLAMPED)) return NULL;
  if (op->opcode != OP_mini && op->opcode != OP_maxi) return of_forms(l, op, a, b);
  if (!b || affine_is_uniform(a) == affine_is_uniform(b)) return NULL;
  return affine_is_uniform(a) ? b : a;
}

/* ---- bits of indices ------------------------------------------------------------------------ */

/* The number that all bits of the index make together, each of which adds one bit of its own; 0:
 * they add something else. */
static uint64_t own_bits(const affine *a) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < a->n; k++) {
    int64_t c;
    if (!coef_const(a->c[k], &c) || c < 0 || (c & (c - 1)) || bits & (uint64_t)c) return 0;
    bits |= (uint64_t)c;
  }
  return bits;
}

/* What a bit of the index adds, where the other operand has `with`'s bits there. */
static coef bit_of(lower *l, const ir_op *op, llv with, int64_t bit, unsigned width) {
  LLVMBuilderRef b = l->e.b;
  llv one = k_int(l, width, bit), there = LLVMBuildAnd(b, with, one, "");
  switch (op->opcode) {
  case OP_andi: return (coef){.m = 1, .s = there};
  case OP_ori: return (coef){.m = 1, .s = LLVMBuildXor(b, there, one, "")};
  default: return (coef){.m = 1, .s = LLVMBuildSub(b, one, LLVMBuildAdd(b, there, there, ""), "")};
  }
}

/* A number by whose bits an index is masked or flipped. The bits that lanes count have to stay as
 * they are; what others add is known when it runs. */
static affine *bitwise(lower *l, const ir_op *op, const affine *a, const affine *with) {
  LLVMBuilderRef b = l->e.b;
  uint64_t own = own_bits(a), lanes = l->e.vector_bits / 32;
  if (!own || !affine_is_uniform(with)) return NULL;
  affine *r = affine_new(l, a->n, a->width);
  llv zero = k_int(l, a->width, 0), low = k_int(l, a->width, (int64_t)(own & (lanes - 1)));
  llv kept = LLVMBuildAnd(b, with->base, low, "");
  llv clear = LLVMBuildAnd(b, a->base, k_int(l, a->width, (int64_t)own), "");
  r->ok = fold_and(l, a->ok, with->ok);
  r->ok = fold_and(l, r->ok, LLVMBuildICmp(b, LLVMIntEQ, clear, zero, ""));
  r->ok =
      fold_and(l, r->ok, LLVMBuildICmp(b, LLVMIntEQ, kept, op->opcode == OP_andi ? low : zero, ""));
  LLVMOpcode by = op->opcode == OP_andi ? LLVMAnd : op->opcode == OP_ori ? LLVMOr : LLVMXor;
  set_base(l, r, LLVMBuildBinOp(b, by, a->base, with->base, ""), 0);
  for (unsigned k = 0; k < a->n; k++)
    r->c[k] = a->c[k].m == 0 || (uint64_t)a->c[k].m < lanes
                  ? a->c[k]
                  : bit_of(l, op, with->base, a->c[k].m, a->width);
  return r;
}

static affine *form_or_bitwise(lower *l, const ir_op *op, unsigned i) {
  if (op->n_operands <= i) return NULL;
  affine *a = affine_of(l, ir_operand(op, i));
  return a ? a : value_of(l, ir_operand(op, i))->bitwise;
}

affine *affine_bitwise_of_op(lower *l, ir_op *op) {
  affine *a = form_or_bitwise(l, op, 0), *b = form_or_bitwise(l, op, 1);
  if (!a || l->options->checks || !is_on(l, PATTERN_BITWISE)) return NULL;
  switch (op->opcode) {
  case OP_andi:
  case OP_ori:
  case OP_xori: break;
  default: return of_forms(l, op, a, b);
  }
  if (!b || !fits(ir_result(op, 0)->type)) return NULL;
  return affine_is_uniform(a) ? bitwise(l, op, b, a) : bitwise(l, op, a, b);
}

/* 64-bit sums may themselves wrap, so the base must be far from the ends. */
affine *affine_comparable(lower *l, const affine *a, bool is_signed) {
  affine *x = affine_widen(l, a, is_signed);
  if (!x || a->width < 64 || a->narrow || affine_is_uniform(a)) return x;
  int64_t spread = 0, m;
  for (unsigned k = 0; k < a->n; k++) {
    if (!coef_const(a->c[k], &m) || m > MAX_SPREAD || m < -MAX_SPREAD) return NULL;
    spread += m < 0 ? -m : m;
  }
  if (spread > MAX_SPREAD) return NULL;
  llv low = is_signed ? fold_add(l, a->base, k64(l, INT64_C(1) << 62))
                      : fold_add(l, a->base, k64(l, -MAX_SPREAD));
  llv near = LLVMBuildICmp(l->e.b, LLVMIntULT, low, k64(l, INT64_C(1) << 62), "");
  if (is_signed) near = LLVMBuildICmp(l->e.b, LLVMIntSGE, low, k64(l, 0), "");
  x->ok = fold_and(l, x->ok, near);
  return x;
}
