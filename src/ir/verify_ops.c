/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of operations that compute: core, conversions, arithmetic, products, assume, print.
 */
#include "ir/format.h"
#include "ir/rules.h"
#include "ir/version.h"

/* Bits that a value of the type carries, which for tf32 are fewer than it is stored in. */
static unsigned width(const ir_type *t) {
  return t->elem == TSR_TF32 ? 19 : tsr_elem_bits((tsr_elem)t->elem);
}

static bool is_float_elem(const ir_type *t) {
  return tsr_elem_is_float((tsr_elem)t->elem);
}
static bool is_int_elem(const ir_type *t) {
  return tsr_elem_is_int((tsr_elem)t->elem);
}

/* ---- core ----------------------------------------------------------------------------------- */

RULE(constant, "The type of `value` is the type of the result.") {
  const ir_type *value = ir_get_attr(op, ATTR_value)->dense->type;
  return value == result_type(op, 0) ||
         rule_fail_result(m, op, 0, "the value has type %s, but the result has type %s",
                          type_text(m, value), type_text(m, result_type(op, 0)));
}

RULE(iota, "The result has rank 1.\n"
           "The result has at most 2^n elements, where n is the width of its element type.") {
  const ir_type *t = result_type(op, 0);
  if (t->rank != 1)
    return rule_fail_result(m, op, 0, "the result must have rank 1, but has type %s",
                            type_text(m, t));
  unsigned bits = width(t);
  if (bits < 64 && t->count > (int64_t)1 << bits)
    return rule_fail_result(m, op, 0,
                            "%lld elements are more than %s can count; it has %lld values",
                            (long long)t->count, elem_text(m, t), 1LL << bits);
  return true;
}

RULE(broadcast, "Each dimension of the source is 1 or as large as that of the result.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  for (unsigned i = 0; i < from->rank; i++)
    if (from->shape[i] != 1 && from->shape[i] != to->shape[i])
      return rule_fail_result(
          m, op, 0,
          "dimension %u of the source is %lld, that of the result is %lld; it must be "
          "1 or equal (shapes %s and %s)",
          i, (long long)from->shape[i], (long long)to->shape[i], shape_text(m, from),
          shape_text(m, to));
  return true;
}

RULE(reshape, "The result has as many elements as the source.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  return from->count == to->count ||
         rule_fail_result(m, op, 0,
                          "%s has %lld element%s, but %s has %lld; they must be equally many",
                          type_text(m, from), (long long)from->count, plural(from->count),
                          type_text(m, to), (long long)to->count);
}

RULE(permute, "The source has at least rank 2.\n"
              "`permutation` names each dimension of the source once.\n"
              "Dimension d of the result is as large as dimension permutation[d] of the source.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  const ir_ints *p = ir_get_attr(op, ATTR_permutation)->ints;
  uint64_t seen = 0;
  if (from->rank < 2)
    return rule_fail_operand(m, op, 0, "the source must have at least rank 2, but has type %s",
                             type_text(m, from));
  if (p->len != from->rank)
    return rule_fail(m, op, "the permutation has %u entr%s, but the source has rank %u", p->len,
                     p->len == 1 ? "y" : "ies", from->rank);
  for (unsigned i = 0; i < p->len; i++) {
    int64_t d = p->data[i];
    if (d < 0 || d >= from->rank)
      return rule_fail(m, op, "entry %u of the permutation is %lld; expected 0 to %u", i,
                       (long long)d, from->rank - 1);
    if (seen >> d & 1)
      return rule_fail(m, op, "the permutation names dimension %lld twice", (long long)d);
    seen |= (uint64_t)1 << d;
    if (to->shape[i] != from->shape[d])
      return rule_fail_result(m, op, 0,
                              "dimension %u of the result is %lld, but it is dimension %lld of the "
                              "source, which is %lld",
                              i, (long long)to->shape[i], (long long)d, (long long)from->shape[d]);
  }
  return true;
}

RULE(cat, "`dim` is a dimension of the operands.\n"
          "Along `dim`, the result is as large as both operands together; all other dimensions "
          "are equal.") {
  const ir_type *a = operand_type(op, 0), *b = operand_type(op, 1), *to = result_type(op, 0);
  int64_t dim = ir_int_attr(op, ATTR_dim);
  if (dim < 0 || dim >= a->rank)
    return rule_fail(m, op, "dim is %lld, but the tiles have rank %u", (long long)dim, a->rank);
  for (unsigned i = 0; i < a->rank; i++) {
    if (i == dim) {
      if (a->shape[i] + b->shape[i] == to->shape[i]) continue;
      return rule_fail_result(m, op, 0,
                              "dimension %u of the result is %lld; expected %lld + %lld = %lld", i,
                              (long long)to->shape[i], (long long)a->shape[i],
                              (long long)b->shape[i], (long long)(a->shape[i] + b->shape[i]));
    }
    if (a->shape[i] != b->shape[i] || a->shape[i] != to->shape[i])
      return rule_fail_result(
          m, op, 0,
          "dimension %u, along which nothing is joined, must be equal in all tiles, "
          "but the shapes are %s, %s and %s",
          i, shape_text(m, a), shape_text(m, b), shape_text(m, to));
  }
  return true;
}

/* Which slice of `whole`: an index for each dimension. */
static bool check_slice_indices(const ir_module *m, const ir_op *op, uint32_t n,
                                const ir_type *whole) {
  return n == whole->rank ||
         rule_fail(m, op, "expected %u ind%s, one for each dimension of %s, got %u", whole->rank,
                   whole->rank == 1 ? "ex" : "ices", type_text(m, whole), n);
}

RULE(extract, "Source and result have the same element type.\n"
              "Each dimension of the source is a multiple of that of the result.\n"
              "There is one index for each dimension.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  if (!ir_same_elem(from, to))
    return rule_fail_result(m, op, 0,
                            "the source consists of %s, but the result of %s; they must be equal",
                            elem_text(m, from), elem_text(m, to));
  for (unsigned i = 0; i < from->rank; i++)
    if (from->shape[i] % to->shape[i])
      return rule_fail_result(
          m, op, 0,
          "dimension %u of the source is %lld, which does not divide into slices of "
          "%lld",
          i, (long long)from->shape[i], (long long)to->shape[i]);
  return check_slice_indices(m, op, op->segments[1], from);
}

RULE(insert, "Source and destination have the same element type.\n"
             "Each dimension of the destination is a multiple of that of the source.\n"
             "There is one index for each dimension.") {
  const ir_type *from = operand_type(op, 0), *to = operand_type(op, 1);
  for (unsigned i = 0; i < to->rank; i++)
    if (to->shape[i] % from->shape[i])
      return rule_fail_operand(
          m, op, 0,
          "dimension %u of the destination is %lld, which does not divide into "
          "slices of %lld",
          i, (long long)to->shape[i], (long long)from->shape[i]);
  return check_slice_indices(m, op, op->segments[2], to);
}

RULE(select, "The elements are not f4E2M1FN.") {
  const ir_type *t = result_type(op, 0);
  return t->elem != TSR_F4E2M1FN ||
         rule_fail(m, op,
                   "cannot choose between elements of type f4E2M1FN; convert them to a "
                   "wider type with ftof, or choose between their bytes (pack)");
}

/* Bits in memory when nothing is between elements. */
static int64_t packed_bits(const ir_type *t) {
  return t->count * tsr_elem_bits((tsr_elem)t->elem);
}

static bool check_packing(const ir_module *m, const ir_op *op) {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  if (from->rank != 1)
    return rule_fail_operand(m, op, 0,
                             "source and result must have rank 1, but the source has type %s",
                             type_text(m, from));
  if (width(from) == width(to))
    return rule_fail_result(m, op, 0,
                            "elements of %s and %s are equally wide; use bitcast between them",
                            elem_text(m, from), elem_text(m, to));
  if (packed_bits(from) != packed_bits(to))
    return rule_fail_result(m, op, 0,
                            "%s takes %lld bits, but %s takes %lld; they must be equally many",
                            type_text(m, from), (long long)packed_bits(from), type_text(m, to),
                            (long long)packed_bits(to));
  return true;
}

#define PACKING_WORDS                                                                              \
  "Source and result have rank 1.\n"                                                               \
  "Their element types have different widths.\n"                                                   \
  "Source and result take equally many bits (i1 counts as one bit, tf32 as 32)."

RULE(pack, PACKING_WORDS) {
  return check_packing(m, op);
}
RULE(unpack, PACKING_WORDS) {
  return check_packing(m, op);
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* With Tessera's extensions tf32 is the 32 bits that it takes. */
static unsigned cast_width(const ir_module *m, const ir_type *t) {
  return m->extensions ? tsr_elem_bits((tsr_elem)t->elem) : width(t);
}

RULE(bitcast, "Both element types have the same width (tf32 has 19 bits, so it can be cast to "
              "itself only).\n"
              "With Tessera's extensions tf32 has 32 bits, of which 13 mean nothing; without them "
              "i4 cannot be cast but in modules of the block level.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  bool admitted = m->extensions || m->block_level;
  if (!admitted && (from->elem == TSR_I4 || to->elem == TSR_I4))
    return rule_fail(m, op, "i4 can be cast only with --extensions (TSR_PARSE_EXTENSIONS)");
  return cast_width(m, from) == cast_width(m, to) ||
         rule_fail_result(m, op, 0, "%s has %u bit%s, but %s has %u; the widths must be equal",
                          elem_text(m, from), cast_width(m, from), plural(cast_width(m, from)),
                          elem_text(m, to), cast_width(m, to));
}

RULE(exti, "The result's element type is wider than the source's.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  return width(to) > width(from) ||
         rule_fail_result(m, op, 0, "%s is not wider than %s; use trunci to narrow",
                          elem_text(m, to), elem_text(m, from));
}

RULE(trunci, "The result's element type is narrower than the source's.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  return width(to) < width(from) ||
         rule_fail_result(m, op, 0, "%s is not narrower than %s; use exti to widen",
                          elem_text(m, to), elem_text(m, from));
}

/* The modes of a conversion to another type than f8E8M0FNU. Before 13.4 there was one. */
static uint32_t ftof_modes(const ir_module *m, tsr_elem from, tsr_elem to) {
  const uint32_t even = 1 << ROUND_NEAREST_EVEN, away = 1 << ROUND_NEAREST_AWAY;
  const uint32_t zero = 1 << ROUND_ZERO;
  const uint32_t directed = zero | 1 << ROUND_NEGATIVE_INF | 1 << ROUND_POSITIVE_INF;
  if ((m->language && m->language < V13_4) || tsr_elem_bits(to) <= 8) return even;
  bool equally_wide = from == TSR_BF16 && to == TSR_F16; /* as front ends see it */
  if (equally_wide || ir_ftof_is_widening(from, to)) return even | directed | away;
  if (from == TSR_F64 && to == TSR_F32) return even | directed;
  if (from == TSR_F32 && to == TSR_TF32) return even | zero | away;
  return even | zero;
}

static const char *modes_text(const ir_module *m, uint32_t modes) {
  sbuf b = SBUF((arena *)&m->arena); /* of a message: see rules.c */
  for (unsigned i = 0; modes; i++, modes &= modes - 1) {
    const char *name = enum_spelling(AK_ROUNDING, __builtin_ctz(modes));
    sbuf_printf(&b, "%s%s", !i ? "" : modes & (modes - 1) ? ", " : " or ", name);
  }
  return b.data;
}

RULE(ftof, "Source and result have different element types.\n"
           "The rounding mode is zero or positive_inf when the result is f8E8M0FNU, and "
           "nearest_even for other results of 8 bits or less.\n"
           "Since 13.4 it may be zero in every other conversion; negative_inf and positive_inf "
           "from f64 to f32; nearest_away from f32 to tf32; and any of these when the result's "
           "type has every value of the source's, and from bf16 to f16.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  int64_t mode = ir_int_attr(op, ATTR_rounding_mode);
  if (from == to)
    return rule_fail_result(m, op, 0, "source and result both have type %s; remove the conversion",
                            type_text(m, from));
  if (to->elem == TSR_F8E8M0FNU)
    return mode == ROUND_ZERO || mode == ROUND_POSITIVE_INF ||
           rule_fail(m, op,
                     "a conversion to f8E8M0FNU rounds towards zero or positive_inf, not %s; write "
                     "rounding<zero> or rounding<positive_inf>",
                     enum_spelling(AK_ROUNDING, mode));
  uint32_t modes = ftof_modes(m, (tsr_elem)from->elem, (tsr_elem)to->elem);
  return modes >> mode & 1 ||
         rule_fail(m, op, "a conversion from %s to %s rounds to %s, not %s", elem_text(m, from),
                   elem_text(m, to), modes_text(m, modes), enum_spelling(AK_ROUNDING, mode));
}

RULE(itof, "The result is not f8E8M0FNU.\nThe rounding mode is nearest_even.") {
  int64_t mode = ir_int_attr(op, ATTR_rounding_mode);
  if (result_type(op, 0)->elem == TSR_F8E8M0FNU)
    return rule_fail(m, op,
                     "integers cannot be converted to f8E8M0FNU; convert to another "
                     "floating-point type first, then with ftof");
  return mode == ROUND_NEAREST_EVEN ||
         rule_fail(m, op, "the rounding mode must be nearest_even, not %s",
                   enum_spelling(AK_ROUNDING, mode));
}

/* ---- floating point ------------------------------------------------------------------------- */

bool check_flush(const ir_module *m, const ir_op *op) {
  const ir_type *t = result_type(op, 0);
  return t->elem == TSR_F32 || !ir_has_attr(op, ATTR_flush_to_zero) ||
         rule_fail(m, op, "flush_to_zero works on f32 only, but the result consists of %s",
                   elem_text(m, t));
}

/* `full` is an approximation too, but the default of some operations, for any type. */
static bool check_approximation(const ir_module *m, const ir_op *op, bool full_counts) {
  const ir_type *t = result_type(op, 0);
  int64_t mode = ir_int_attr(op, ATTR_rounding_mode);
  bool approximates = mode == ROUND_APPROX || (full_counts && mode == ROUND_FULL);
  return t->elem == TSR_F32 || !approximates ||
         rule_fail(m, op, "rounding<%s> works on f32 only, but the result consists of %s",
                   enum_spelling(AK_ROUNDING, mode), elem_text(m, t));
}

#define FLUSH_WORDS  "`flush_to_zero` works on f32 only."
#define APPROX_WORDS "`rounding<approx>` works on f32 only."

RULE(addf, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(subf, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(mulf, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(fma, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(maxf, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(minf, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(rsqrt, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(exp2, FLUSH_WORDS) {
  return check_flush(m, op);
}
RULE(exp, APPROX_WORDS) {
  return check_approximation(m, op, false);
}
RULE(tanh, APPROX_WORDS) {
  return check_approximation(m, op, false);
}
RULE(sqrt, APPROX_WORDS "\n" FLUSH_WORDS) {
  return check_flush(m, op) && check_approximation(m, op, false);
}
RULE(divf, "`rounding<approx>` and `rounding<full>` work on f32 only.\n" FLUSH_WORDS) {
  return check_flush(m, op) && check_approximation(m, op, true);
}

/* ---- integers ------------------------------------------------------------------------------- */

RULE(negi, "`overflow` is not no_unsigned_wrap: the operand is signed.") {
  return ir_int_attr(op, ATTR_overflow) != OVERFLOW_NUW ||
         rule_fail(m, op,
                   "overflow<no_unsigned_wrap> has no meaning for a signed operation; use "
                   "no_signed_wrap or leave it out");
}

RULE(divi, "`rounding<negative_inf>` needs signed operands.") {
  return ir_int_attr(op, ATTR_rounding) != ROUND_NEGATIVE_INF ||
         ir_int_attr(op, ATTR_signedness) == SIGN_SIGNED ||
         rule_fail(m, op,
                   "rounding<negative_inf> needs signed operands; an unsigned quotient is "
                   "rounded down by rounding<zero>");
}

/* ---- matrix products ------------------------------------------------------------------------ */

/* Two parts' dimensions that must be equal. */
static bool check_dims(const ir_module *m, const ir_op *op, unsigned a, unsigned dim_a, unsigned b,
                       unsigned dim_b) {
  const ir_type *ta = operand_type(op, a), *tb = operand_type(op, b);
  if (ta->shape[dim_a] == tb->shape[dim_b]) return true;
  const op_operand *names = ir_row(op)->operands;
  return rule_fail_operand(m, op, b,
                           "dimension %u of %s (%lld) and dimension %u of %s (%lld) must be equal; "
                           "%s has shape %s, %s has shape %s",
                           dim_a, names[a].name, (long long)ta->shape[dim_a], dim_b, names[b].name,
                           (long long)tb->shape[dim_b], names[a].name, shape_text(m, ta),
                           names[b].name, shape_text(m, tb));
}

enum { LHS, RHS, ACC, LHS_SCALE, RHS_SCALE };

static bool check_product(const ir_module *m, const ir_op *op) {
  unsigned rank = operand_type(op, LHS)->rank;
  if (rank != 2 && rank != 3)
    return rule_fail_operand(
        m, op, LHS,
        "the tiles must have rank 2, or 3 with a batch dimension in front, but "
        "lhs has type %s",
        type_text(m, operand_type(op, LHS)));
  unsigned row = rank - 2, col = rank - 1;
  if (rank == 3 && !(check_dims(m, op, LHS, 0, RHS, 0) && check_dims(m, op, LHS, 0, ACC, 0)))
    return false;
  return check_dims(m, op, LHS, col, RHS, row) && check_dims(m, op, LHS, row, ACC, row) &&
         check_dims(m, op, RHS, col, ACC, col);
}

#define PRODUCT_WORDS                                                                              \
  "The tiles have rank 2, or rank 3 with a batch dimension in front that is equal in all.\n"       \
  "The shapes are [m, k] for lhs, [k, n] for rhs and [m, n] for acc."

RULE(mmai, PRODUCT_WORDS) {
  return check_product(m, op);
}

RULE(mmaf, PRODUCT_WORDS
     "\nThe accumulator is f16 or f32 for operands of f16, f8E4M3FN and f8E5M2; f32 for bf16, tf32 "
     "and f32; f64 for f64.") {
  if (!check_product(m, op)) return false;
  const ir_type *in = operand_type(op, LHS), *acc = operand_type(op, ACC);
  uint32_t allowed = BIT(F32);
  if (in->elem == TSR_F64) allowed = BIT(F64);
  if (in->elem == TSR_F16 || in->elem == TSR_F8E4M3FN || in->elem == TSR_F8E5M2)
    allowed = BIT(F16) | BIT(F32);
  if (allowed >> acc->elem & 1) return true;
  const char *expected = allowed == BIT(F64) ? "f64" : allowed == BIT(F32) ? "f32" : "f16 or f32";
  return rule_fail_operand(m, op, ACC,
                           "operands of %s need an accumulator of %s, but acc has type %s",
                           elem_text(m, in), expected, type_text(m, acc));
}

/* How many neighbours along k share a scale. */
static bool check_block(const ir_module *m, const ir_op *op, unsigned col) {
  const ir_type *lhs = operand_type(op, LHS), *scale = operand_type(op, LHS_SCALE);
  int64_t k = lhs->shape[col], scales = scale->shape[col];
  if (k % scales)
    return rule_fail(m, op,
                     "dimension %u of lhs_scale (%lld) must divide dimension %u of lhs "
                     "(%lld)",
                     col, (long long)scales, col, (long long)k);
  bool fp4 = lhs->elem == TSR_F4E2M1FN, both = scale->elem != TSR_F8E4M3FN;
  int64_t block = k / scales;
  if (block == 16 ? fp4 : block == 32 && (both || !fp4)) return true;
  return rule_fail(m, op,
                   "elements of %s with scales of %s need %s neighbours along k to share a "
                   "scale, but dimension %u of lhs (%lld) and of lhs_scale (%lld) make it "
                   "%lld",
                   elem_text(m, lhs), elem_text(m, scale),
                   !fp4   ? "32"
                   : both ? "16 or 32"
                          : "16",
                   col, (long long)k, (long long)scales, (long long)block);
}

RULE(mmaf_scaled, PRODUCT_WORDS
     "\nThe shapes are [m, k / b] for lhs_scale and [k / b, n] for rhs_scale, behind the batch "
     "dimension.\n"
     "Scales of f8E4M3FN and f8E5M3FNU are for elements of f4E2M1FN only.\n"
     "b is 32 for elements of f8E4M3FN and f8E5M2; 16 or 32 for f4E2M1FN with scales of "
     "f8E8M0FNU or f8E5M3FNU; 16 for f4E2M1FN with scales of f8E4M3FN.") {
  if (!check_product(m, op)) return false;
  const ir_type *lhs = operand_type(op, LHS), *scale = operand_type(op, LHS_SCALE);
  unsigned row = lhs->rank - 2, col = lhs->rank - 1;
  if (row == 1 &&
      !(check_dims(m, op, LHS, 0, LHS_SCALE, 0) && check_dims(m, op, RHS, 0, RHS_SCALE, 0)))
    return false;
  if (!check_dims(m, op, LHS, row, LHS_SCALE, row) ||
      !check_dims(m, op, RHS, col, RHS_SCALE, col) ||
      !check_dims(m, op, LHS_SCALE, col, RHS_SCALE, row))
    return false;
  if (scale->elem != TSR_F8E8M0FNU && lhs->elem != TSR_F4E2M1FN)
    return rule_fail(m, op,
                     "scales of %s need elements of f4E2M1FN, but lhs consists of %s; use scales "
                     "of f8E8M0FNU",
                     elem_text(m, scale), elem_text(m, lhs));
  return check_block(m, op, col);
}

/* ---- assume --------------------------------------------------------------------------------- */

static bool assumes_address(const ir_type *t) {
  return t->kind == IR_TILE && (t->elem == TSR_PTR || is_int_elem(t));
}

static bool check_every(const ir_module *m, const ir_op *op, const ir_predicate *p,
                        const ir_type *t) {
  if (t->kind != IR_TILE)
    return rule_fail(m, op, "`every … along …` needs a tile, but the value is a tensor_view");
  if (t->rank == 0)
    return rule_fail(m, op,
                     "`every … along …` needs a tile with a dimension, but the value has "
                     "type %s",
                     type_text(m, t));
  if (p->along < 0 || p->along >= t->rank)
    return rule_fail(m, op, "`along %lld` is no dimension of %s; expected 0 to %u",
                     (long long)p->along, type_text(m, t), t->rank - 1);
  if (p->every < 0 || p->every > t->shape[p->along])
    return rule_fail(m, op, "`every %lld` must be from 0 to %lld, the size of dimension %lld",
                     (long long)p->every, (long long)t->shape[p->along], (long long)p->along);
  return true;
}

static bool check_div_by(const ir_module *m, const ir_op *op, const ir_predicate *p,
                         const ir_type *t) {
  unsigned long long n = p->divisor;
  if (n == 0 || n & (n - 1))
    return rule_fail(m, op, "div_by<%llu>: the divisor must be a power of two", n);
  if (n > (uint64_t)1 << 62)
    return rule_fail(m, op, "div_by<%llu>: the divisor must not be larger than 2^62", n);
  if (t->kind != IR_TENSOR_VIEW && !assumes_address(t))
    return rule_fail(m, op,
                     "div_by needs a tile of integers or pointers, or a tensor_view, but "
                     "the value has type %s",
                     type_text(m, t));
  return !p->has_every || check_every(m, op, p, t);
}

static bool check_same_elements(const ir_module *m, const ir_op *op, const ir_predicate *p,
                                const ir_type *t) {
  if (!assumes_address(t))
    return rule_fail(m, op,
                     "same_elements needs a tile of integers or pointers, but the value has "
                     "type %s",
                     type_text(m, t));
  uint32_t n = p->values ? p->values->len : 0;
  if (n != t->rank)
    return rule_fail(m, op, "same_elements has %u size%s, but %s has rank %u", n, plural(n),
                     type_text(m, t), t->rank);
  for (uint32_t i = 0; i < n; i++)
    if (p->values->data[i] < 0 || p->values->data[i] > t->shape[i])
      return rule_fail(m, op,
                       "size %u of same_elements is %lld; it must be from 0 to %lld, the "
                       "size of that dimension",
                       i, (long long)p->values->data[i], (long long)t->shape[i]);
  return true;
}

static bool check_bound(const ir_module *m, const ir_op *op, const char *which, int64_t bound,
                        const ir_type *t) {
  unsigned bits = width(t);
  int64_t max = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
  return (bound <= max && bound >= -max - 1) ||
         rule_fail(m, op, "the %s bound %lld is not a value of %s; expected %lld to %lld", which,
                   (long long)bound, elem_text(m, t), (long long)(-max - 1), (long long)max);
}

static bool check_bounded(const ir_module *m, const ir_op *op, const ir_predicate *p,
                          const ir_type *t) {
  if (t->kind != IR_TILE || !is_int_elem(t))
    return rule_fail(m, op, "bounded needs a tile of integers, but the value has type %s",
                     type_text(m, t));
  if (p->has_lower && !check_bound(m, op, "lower", p->lower, t)) return false;
  if (p->has_upper && !check_bound(m, op, "upper", p->upper, t)) return false;
  return !p->has_lower || !p->has_upper || p->lower <= p->upper ||
         rule_fail(m, op, "the lower bound %lld is above the upper bound %lld", (long long)p->lower,
                   (long long)p->upper);
}

RULE(assume,
     "The divisor of `div_by` is a power of two, at most 2^62; the value is a tile of integers or "
     "pointers, or a tensor_view.\n"
     "`every e along d` needs a tile of at least rank 1; d is a dimension of it, and e is from 0 "
     "to its size.\n"
     "`same_elements` needs a tile of integers or pointers and has one size for each dimension, "
     "from 0 to the dimension's size.\n"
     "`bounded` needs a tile of integers; the bounds are values of its element type, the lower "
     "not above the upper.") {
  const ir_predicate *p = ir_get_attr(op, ATTR_predicate)->predicate;
  const ir_type *t = operand_type(op, 0);
  switch ((ir_predicate_kind)p->kind) {
  case IR_DIV_BY: return check_div_by(m, op, p, t);
  case IR_SAME_ELEMENTS: return check_same_elements(m, op, p, t);
  case IR_BOUNDED: return check_bounded(m, op, p, t);
  }
  return rule_fail(m, op, "unknown kind of predicate %u", p->kind);
}

/* ---- print ---------------------------------------------------------------------------------- */

/* A conversion that does not suit its argument prints something, but not what was meant. */
static void warn_conversion(const ir_module *m, const ir_op *op, uint32_t index, const char *spec,
                            size_t len, char letter) {
  const ir_type *t = operand_type(op, index);
  const char *meant = "integers and pointers";
  if (strchr("sSn", letter))
    meant = "strings, which tiles are not";
  else if (strchr("eEfFgGaA", letter))
    meant = "floating-point numbers";
  if (strchr("sSn", letter) || (strchr("eEfFgGaA", letter) != NULL) != is_float_elem(t))
    rule_warn(m, op, "conversion '%.*s' is for %s, but argument %u has type %s", (int)len, spec,
              meant, index, type_text(m, t));
}

RULE(print_tko, "`str` has as many conversions as there are arguments; `%%` is none. A bare `%` "
                "takes the conversion that suits its argument.\n"
                "A conversion that does not suit its argument is accepted with a warning.") {
  str s = ir_get_attr(op, ATTR_str)->s;
  const char *end = s.data + s.len;
  uint32_t n_args = op->segments[0], count = 0;
  for (const char *p = s.data; p < end; p++) {
    if (*p != '%') continue;
    char letter;
    size_t len = ir_format_conversion(p, end, &letter);
    if (!len)
      return rule_fail(m, op,
                       "'%.*s' at byte %zu of the string is not a complete conversion; for "
                       "a percent sign write %%%%",
                       (int)MIN(end - p, 8), p, (size_t)(p - s.data));
    if (letter != '%') {
      if (letter && count < n_args) warn_conversion(m, op, count, p, len, letter);
      count++;
    }
    p += len - 1;
  }
  return count == n_args ||
         rule_fail(m, op, "the string has %u conversion%s, but there %s %u argument%s", count,
                   plural(count), n_args == 1 ? "is" : "are", n_args, plural(n_args));
}
