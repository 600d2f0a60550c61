/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of matrices.
 */
#include "ttir/lower.h"

static ir_value *product(lowering *l, ir_value *a, ir_value *b, ir_value *c) {
  ir_value *operands[] = {a, b, c};
  if (!tsr_elem_is_int((tsr_elem)a->type->elem)) return tt_emit(l, OP_mmaf, c->type, 3, operands);
  ir_value *v = tt_emit(l, OP_mmai, c->type, 3, operands);
  tt_with(v, ATTR_signedness_lhs, SIGN_SIGNED);
  return tt_with(v, ATTR_signedness_rhs, SIGN_SIGNED);
}

/* f32 operands are rounded to tf32 where Triton was told to; what is more exact than tf32 (tf32x3,
 * bf16x6, …) is computed in f32. */
static bool wants_tf32(const tt_op *op) {
  const tt_attr *a = tt_find_attr(op->attrs, "inputPrecision");
  return a && (a->kind == TT_INT ? a->i == 0 : str_is(a->text, "tf32"));
}

bool tt_lower_dot(lowering *l, tt_op *op) {
  ir_value *a = tt_use(l, op, 0), *b = a ? tt_use(l, op, 1) : NULL,
           *c = b ? tt_use(l, op, 2) : NULL;
  if (!c) return false;
  if (a->type->elem == TSR_F32 && b->type->elem == TSR_F32 && wants_tf32(op)) {
    a = tt_float(l, a, TSR_TF32);
    b = tt_float(l, b, TSR_TF32);
  }
  /* Two formats of 8 bits: f16 has all values of either. */
  if (a->type->elem != b->type->elem && tsr_elem_bits((tsr_elem)a->type->elem) == 8 &&
      tsr_elem_bits((tsr_elem)b->type->elem) == 8 && tsr_elem_is_float((tsr_elem)a->type->elem) &&
      tsr_elem_is_float((tsr_elem)b->type->elem)) {
    a = tt_float(l, a, TSR_F16);
    b = tt_float(l, b, TSR_F16);
  }
  /* A sum in bf16 is one in f32 that is rounded at the end. */
  const ir_type *sum = c->type;
  if (sum->elem == TSR_BF16) c = tt_float(l, c, TSR_F32);
  ir_value *v = product(l, a, b, c);
  return tt_set(l, op, 0, tt_float(l, v, (tsr_elem)sum->elem));
}

/* ---- products of scaled matrices
 * ------------------------------------------------------------------ */

/* An operand of dot_scaled. */
typedef struct scaled {
  ir_value *v, *scale;
  uint32_t k;  /* the dimension that the product sums over */
  bool packed; /* two numbers of 4 bits in a byte, along k */
  bool across; /* packed along the other dimension */
} scaled;

/* Operands by the words before them: %a scale %sa, %b scale %sb, %c. */
static bool scaled_operands(lowering *l, const tt_op *op, scaled *a, scaled *b, ir_value **c) {
  const tt_attr *sizes = tt_find_attr(op->attrs, "operandSegmentSizes");
  bool of_a = false, of_b = false;
  if (op->generic && sizes && sizes->n_ints >= 5) {
    of_a = sizes->ints[3] > 0;
    of_b = sizes->ints[4] > 0;
  }
  for (uint32_t i = 0; i < op->n_words; i++) {
    if (!str_is(op->words[i].text, "scale")) continue;
    if (op->words[i].at == 1)
      of_a = true;
    else
      of_b = true;
  }
  uint32_t n = op->n_operands;
  if (n != 3u + of_a + of_b) return tt_refuse(l, "'tt.dot_scaled' with %u operands", n);
  bool g = op->generic;
  uint32_t at_b = g ? 1u : 1u + of_a, at_c = g ? 2u : at_b + 1u + of_b;
  uint32_t at_sa = g ? 3u : 1u, at_sb = g ? 3u + of_a : at_b + 1u;
  if (!(a->v = tt_use(l, op, 0)) || !(b->v = tt_use(l, op, at_b)) || !(*c = tt_use(l, op, at_c)) ||
      (of_a && !(a->scale = tt_use(l, op, at_sa))) || (of_b && !(b->scale = tt_use(l, op, at_sb))))
    return false;
  uint32_t rank = (*c)->type->rank;
  if (rank < 2 || a->v->type->rank != rank || b->v->type->rank != rank)
    return tt_refuse(l, "'tt.dot_scaled' of tiles of different ranks");
  a->k = rank - 1;
  b->k = rank - 2;
  return true;
}

static ir_value *swap_last(lowering *l, ir_value *v) {
  const ir_type *t = v->type;
  int64_t shape[IR_MAX_RANK];
  ir_ints *order = arena_alloc_zero(&l->m->arena, sizeof *order + t->rank * sizeof(int64_t), 8);
  order->len = t->rank;
  for (uint32_t i = 0; i < t->rank; i++) {
    uint32_t from = i + 2u < t->rank ? i : 2u * t->rank - 3u - i;
    order->data[i] = from;
    shape[i] = t->shape[from];
  }
  ir_value *out = tt_emit1(l, OP_permute, ir_tile_reshaped(l->m, t, t->rank, shape), v);
  ir_set_attr(ir_defining_op(out), ATTR_permutation, (ir_attr){.ints = order});
  return out;
}

/* Bytes of two f4E2M1FN each, the low half first, as numbers of f16 along the last dimension. */
static ir_value *unpack_last(lowering *l, ir_value *v) {
  const ir_type *t = v->type;
  int64_t flat = t->count, all = 2 * t->count, shape[IR_MAX_RANK];
  memcpy(shape, t->shape, t->rank * sizeof *shape);
  shape[t->rank - 1] *= 2;
  ir_value *bytes = tt_reshape(l, v, 1, &flat);
  ir_value *f4 = tt_emit1(l, OP_unpack, tt_tile(l, TSR_F4E2M1FN, 1, &all), bytes);
  return tt_reshape(l, tt_float(l, f4, TSR_F16), t->rank, shape);
}

static ir_value *unpack_along(lowering *l, ir_value *v, bool last) {
  return last ? unpack_last(l, v) : swap_last(l, unpack_last(l, swap_last(l, v)));
}

bool tt_lower_fp4_to_fp(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0);
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || !t) return v != NULL;
  int64_t axis = tt_int_attr(op, "axis", -1);
  bool last = axis + 1 == v->type->rank;
  if (v->type->elem != TSR_I8 || v->type->rank < 2 || (!last && axis + 2 != v->type->rank))
    return tt_refuse(l, "'" STR_FMT "' of %s along dimension %lld", STR_ARG(op->name),
                     ir_type_text(l->temp, v->type), (long long)axis);
  return tt_set(l, op, 0, tt_float(l, unpack_along(l, v, last), (tsr_elem)t->elem));
}

/* 2 ** (byte - 127) as f32, and NaN for the byte 255: the bits of the exponent, or NaN. */
static ir_value *scale_value(lowering *l, ir_value *s) {
  if (s->type->elem == TSR_I8) s = tt_emit1(l, OP_bitcast, tt_like(l, s->type, TSR_F8E8M0FNU), s);
  return tt_float(l, s, TSR_F32);
}

/* Each scale belongs to as many numbers along the last dimension as there are more of them. */
static ir_value *spread_scale(lowering *l, ir_value *s, const ir_type *t) {
  const ir_type *from = s->type;
  uint32_t rank = t->rank;
  int64_t shape[IR_MAX_RANK + 1];
  memcpy(shape, from->shape, rank * sizeof *shape);
  shape[rank] = 1;
  ir_value *v = tt_reshape(l, s, rank + 1, shape);
  shape[rank] = t->shape[rank - 1] / from->shape[rank - 1];
  return tt_reshape(l, tt_broadcast(l, v, rank + 1, shape), rank, t->shape);
}

static bool fits_scale(lowering *l, const ir_value *s, const ir_type *t) {
  uint32_t rank = t->rank;
  bool good = s->type->rank == rank && rank < IR_MAX_RANK &&
              (s->type->elem == TSR_I8 || tsr_elem_is_float((tsr_elem)s->type->elem)) &&
              t->shape[rank - 1] % s->type->shape[rank - 1] == 0;
  for (uint32_t i = 0; good && i + 1 < rank; i++) good = s->type->shape[i] == t->shape[i];
  return good || tt_refuse(l, "scales of %s do not fit %s", ir_type_text(l->temp, s->type),
                           ir_type_text(l->temp, t));
}

/* The operand with its scales multiplied in, as f32. The scales of the right one lie as those of
 * its transpose. */
static ir_value *scaled_value(lowering *l, const scaled *o, bool right) {
  ir_value *v = o->v;
  if (o->packed) v = unpack_along(l, v, right == o->across);
  v = tt_float(l, v, TSR_F32);
  if (!o->scale) return v;
  if (right) v = swap_last(l, v);
  if (!fits_scale(l, o->scale, v->type)) return NULL;
  v = tt_emit2(l, OP_mulf, v->type, v, spread_scale(l, scale_value(l, o->scale), v->type));
  return right ? swap_last(l, v) : v;
}

/* One operation of Tile IR does it when both sides have one format of 8 bits, and scales. */
static ir_value *scaled_at_once(lowering *l, const scaled *a, const scaled *b, ir_value *c) {
  bool same = a->v->type->elem == b->v->type->elem && !a->packed && !b->packed && a->scale &&
              b->scale && a->scale->type->elem == TSR_I8 && b->scale->type->elem == TSR_I8 &&
              (a->v->type->elem == TSR_F8E4M3FN || a->v->type->elem == TSR_F8E5M2) &&
              c->type->elem == TSR_F32 && b->scale->type->rank == b->v->type->rank;
  if (!same) return NULL;
  ir_value *sa = tt_emit1(l, OP_bitcast, tt_like(l, a->scale->type, TSR_F8E8M0FNU), a->scale);
  ir_value *sb = swap_last(l, b->scale);
  sb = tt_emit1(l, OP_bitcast, tt_like(l, sb->type, TSR_F8E8M0FNU), sb);
  return tt_emit(l, OP_mmaf_scaled, c->type, 5, (ir_value *[]){a->v, b->v, c, sa, sb});
}

static bool known_format(lowering *l, const tt_op *op, bool right, scaled *o) {
  static const char *const formats[2][2] = {{"lhs", "rhs"}, {"a_elem_type", "b_elem_type"}};
  const tt_attr *a = tt_find_attr(op->attrs, formats[op->generic][right]);
  o->across = !tt_int_attr(op, right ? "rhs_k_pack" : "lhs_k_pack", 1);
  enum { E2M1 = 4 };
  o->packed = a && (a->kind == TT_INT ? a->i == E2M1 : str_is(a->text, "e2m1"));
  const ir_type *t = o->v->type;
  if (tsr_elem_is_int((tsr_elem)t->elem) && !o->packed)
    return tt_refuse(l, "'tt.dot_scaled' of %s as a format that Tile IR has not",
                     ir_type_text(l->temp, t));
  return true;
}

bool tt_lower_dot_scaled(lowering *l, tt_op *op) {
  scaled a = {0}, b = {0};
  ir_value *c = NULL;
  if (!scaled_operands(l, op, &a, &b, &c) || !known_format(l, op, false, &a) ||
      !known_format(l, op, true, &b))
    return false;
  ir_value *v = scaled_at_once(l, &a, &b, c);
  if (!v) {
    ir_value *x = scaled_value(l, &a, false), *y = x ? scaled_value(l, &b, true) : NULL;
    if (!y) return false;
    v = tt_emit(l, OP_mmaf, tt_like(l, c->type, TSR_F32), 3,
                (ir_value *[]){x, y, tt_float(l, c, TSR_F32)});
  }
  return tt_set(l, op, 0, tt_float(l, v, (tsr_elem)c->type->elem));
}
