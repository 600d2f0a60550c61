/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Conversions of libdevice, whose names end in a rounding: __nv_float2int_rn.
 */
#include "ttir/compose.h"

typedef struct conversion {
  const char *name;
  tsr_elem from, to;
  bool is_signed; /* of the integer */
} conversion;

static const conversion conversions[] = {
    {"float2int", TSR_F32, TSR_I32, true},   {"float2uint", TSR_F32, TSR_I32, false},
    {"float2ll", TSR_F32, TSR_I64, true},    {"float2ull", TSR_F32, TSR_I64, false},
    {"double2int", TSR_F64, TSR_I32, true},  {"double2uint", TSR_F64, TSR_I32, false},
    {"double2ll", TSR_F64, TSR_I64, true},   {"double2ull", TSR_F64, TSR_I64, false},
    {"int2float", TSR_I32, TSR_F32, true},   {"uint2float", TSR_I32, TSR_F32, false},
    {"ll2float", TSR_I64, TSR_F32, true},    {"ull2float", TSR_I64, TSR_F32, false},
    {"int2double", TSR_I32, TSR_F64, true},  {"uint2double", TSR_I32, TSR_F64, false},
    {"ll2double", TSR_I64, TSR_F64, true},   {"ull2double", TSR_I64, TSR_F64, false},
    {"double2float", TSR_F64, TSR_F32, true}};

/* The stem of the name, and the rounding that it ends in; false when it ends in none. */
static bool split(str *name, ir_rounding *mode) {
  static const char letters[] = "nzud";
  static const ir_rounding modes[] = {ROUND_NEAREST_EVEN, ROUND_ZERO, ROUND_POSITIVE_INF,
                                      ROUND_NEGATIVE_INF};
  enum { SUFFIX = 3 };
  if (name->len <= SUFFIX) return false;
  const char *end = name->data + name->len - SUFFIX, *letter = strchr(letters, end[2]);
  if (end[0] != '_' || end[1] != 'r' || !letter || !*letter) return false;
  *mode = modes[letter - letters];
  name->len -= SUFFIX;
  return true;
}

/* What the type cannot hold becomes the nearest that it holds. */
static ir_value *to_integer(lowering *l, ir_value *x, tsr_elem to, bool is_signed,
                            ir_rounding mode) {
  if (mode == ROUND_NEAREST_EVEN) x = tt_round_even(l, x);
  if (mode == ROUND_POSITIVE_INF) x = tt_unary(l, OP_ceil, x);
  if (mode == ROUND_NEGATIVE_INF) x = tt_unary(l, OP_floor, x);
  ir_value *v = tt_emit1(l, OP_ftoi, tt_like(l, x->type, to), x);
  tt_with(v, ATTR_saturating, 1);
  return tt_with(v, ATTR_signedness, is_signed ? SIGN_SIGNED : SIGN_UNSIGNED);
}

static ir_value *to_double(lowering *l, ir_value *v, bool is_signed) {
  ir_value *d = tt_emit1(l, OP_itof, tt_like(l, v->type, TSR_F64), v);
  return tt_with(d, ATTR_signedness, is_signed ? SIGN_SIGNED : SIGN_UNSIGNED);
}

/* As f64. Halves of integers of 64 bits are exact: their sum is rounded. */
static ir_value *rounded_double(lowering *l, ir_value *v, bool is_signed, ir_rounding mode) {
  if (v->type->elem != TSR_I64 || mode == ROUND_NEAREST_EVEN) return to_double(l, v, is_signed);
  ir_value *half = tt_int(l, v->type, 32), *high = tt_binary(l, OP_shri, v, half);
  tt_with(high, ATTR_signedness, is_signed ? SIGN_SIGNED : SIGN_UNSIGNED);
  ir_value *low = tt_binary(l, OP_andi, v, tt_int(l, v->type, UINT32_MAX));
  high = to_double(l, high, is_signed);
  high = tt_binary(l, OP_mulf, high, tt_number(l, high, 0x1p32));
  ir_value *sum = tt_binary(l, OP_addf, high, to_double(l, low, false));
  return tt_with(sum, ATTR_rounding_mode, mode);
}

/* To f32 in one step where it rounds to nearest; rounding twice in one direction is rounding once.
 */
static ir_value *to_float(lowering *l, ir_value *v, const conversion *c, ir_rounding mode) {
  if (c->to == TSR_F64) return rounded_double(l, v, c->is_signed, mode);
  if (mode != ROUND_NEAREST_EVEN)
    return tt_round_float(l, rounded_double(l, v, c->is_signed, mode), TSR_F32, mode);
  ir_value *f = tt_emit1(l, OP_itof, tt_like(l, v->type, TSR_F32), v);
  return tt_with(f, ATTR_signedness, c->is_signed ? SIGN_SIGNED : SIGN_UNSIGNED);
}

static const conversion *find(str name) {
  for (unsigned i = 0; i < ARRAY_LEN(conversions); i++)
    if (str_is(name, conversions[i].name)) return &conversions[i];
  return NULL;
}

bool tt_is_conversion(str name) {
  ir_rounding mode;
  return split(&name, &mode) && find(name);
}

bool tt_lower_conversion(lowering *l, tt_op *op, str name) {
  ir_rounding mode;
  const conversion *c = split(&name, &mode) ? find(name) : NULL;
  ir_value *v = tt_use(l, op, 0);
  if (!c || !v) return false;
  if (v->type->elem != c->from)
    return tt_refuse(l, "'__nv_%s': the operand is %s, expected %s", c->name,
                     ir_type_text(l->temp, v->type), tsr_elem_name(c->from));
  bool narrows = c->from == TSR_F64 && c->to == TSR_F32;
  if (narrows) return tt_set(l, op, 0, tt_round_float(l, v, c->to, mode));
  if (tsr_elem_is_float(c->to)) return tt_set(l, op, 0, to_float(l, v, c, mode));
  return tt_set(l, op, 0, to_integer(l, v, c->to, c->is_signed, mode));
}

ir_value *tt_llrint(lowering *l, ir_value *const *v) {
  return to_integer(l, v[0], TSR_I64, true, ROUND_NEAREST_EVEN);
}

ir_value *tt_llround(lowering *l, ir_value *const *v) {
  return to_integer(l, tt_round_away(l, v[0]), TSR_I64, true, ROUND_ZERO);
}
