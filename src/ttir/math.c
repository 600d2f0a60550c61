/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that Tile IR has not, composed of what it has.
 */
#include "ttir/compose.h"
#include "ttir/rows.h"

/* log(1 + x) as x * log(u) / (u - 1) for u = 1 + x rounded: the error of u cancels. */
ir_value *tt_log1p(lowering *l, ir_value *x) {
  ir_value *one = tt_number(l, x, 1), *u = tt_binary(l, OP_addf, one, x);
  ir_value *d = tt_binary(l, OP_subf, u, one), *log = tt_unary(l, OP_log, u);
  ir_value *v = tt_binary(l, OP_mulf, log, tt_binary(l, OP_divf, x, d));
  ir_value *large = tt_compare_real(l, CMP_GREATER, tt_unary(l, OP_absf, x), tt_number(l, x, 1e6));
  v = tt_select(l, large, log, v);
  return tt_select(l, tt_compare_real(l, CMP_EQUAL, d, tt_number(l, x, 0)), x, v);
}

/* Likewise exp(x) - 1 as x * (u - 1) / log(u) for u = exp(x). */
ir_value *tt_expm1(lowering *l, ir_value *x) {
  ir_value *one = tt_number(l, x, 1), *u = tt_unary(l, OP_exp, x),
           *d = tt_binary(l, OP_subf, u, one);
  ir_value *v = tt_binary(l, OP_divf, tt_binary(l, OP_mulf, d, x), tt_unary(l, OP_log, u));
  ir_value *near = tt_compare_real(l, CMP_LESS, tt_unary(l, OP_absf, x), one);
  v = tt_select(l, near, v, d);
  return tt_select(l, tt_compare_real(l, CMP_EQUAL, d, tt_number(l, x, 0)), x, v);
}

/* A first guess, and a step of Newton's. */
ir_value *tt_cbrt(lowering *l, ir_value *x) {
  ir_value *a = tt_unary(l, OP_absf, x);
  ir_value *y = tt_unary(l, OP_exp2,
                         tt_binary(l, OP_mulf, tt_unary(l, OP_log2, a), tt_number(l, x, 1.0 / 3)));
  ir_value *y2 = tt_binary(l, OP_mulf, y, y);
  ir_value *miss = tt_multiply_add(l, tt_unary(l, OP_negf, y2), y, a);
  ir_value *step = tt_binary(l, OP_divf, miss, tt_binary(l, OP_mulf, y2, tt_number(l, x, 3)));
  y = tt_binary(l, OP_addf, y, step);
  ir_value *finite = tt_compare_real(l, CMP_LESS, a, tt_number(l, x, INFINITY));
  ir_value *plain = tt_emit2(l, OP_andi, finite->type, finite,
                             tt_compare_real(l, CMP_GREATER, a, tt_number(l, x, 0)));
  return tt_select(l, plain, tt_copy_sign(l, y, x), x);
}

/* erf(x) = x + x * P(x * x) near zero, and 1 - exp(Q(|x|)) elsewhere, where Q is the logarithm of
 * what is left to 1, in pieces; from `end` on nothing is left. All were fitted for the least error
 * relative to the result, which stays below 1.3 units in the last place. */
enum { ERF_NEAR = 13, ERF_FAR = 13, ERF_PIECES = 4 };

typedef struct erf_piece {
  double begin, middle; /* of |x|; the polynomial is one in |x| - middle */
  uint32_t n;
  double c[ERF_FAR];
} erf_piece;

typedef struct erf_fit {
  double end;
  uint32_t n, n_pieces;
  double near[ERF_NEAR];
  erf_piece pieces[ERF_PIECES];
} erf_fit;

static const erf_fit erf_of_f32 = {
    .end = 4,
    .n = 7,
    .near = {0.12837916612625122, -0.37612634897232056, 0.11283715069293976, -0.02686050906777382,
             0.005203858949244022, -0.0008175639086402953, 8.513102511642501e-05},
    .n_pieces = 1,
    .pieces = {{.begin = 0.9,
                .n = 9,
                .c = {0.0001506137050455436, -1.129381775856018, -0.6336632966995239,
                      -0.10785821080207825, 0.02477451227605343, -0.003994101192802191,
                      0.00037884965422563255, -1.1311348316667136e-05, -7.374565598183835e-07}}},
};

static const erf_fit erf_of_f64 = {
    .end = 6,
    .n = 13,
    .near = {0.1283791670955126, -0.37612638903183754, 0.112837916709551, -0.026866170645124077,
             0.005223977625340751, -0.000854832701490715, 0.00012055332519432235,
             -1.4925633568608262e-05, 1.646169615878246e-06, -1.635866756067073e-07,
             1.4723494823392752e-08, -1.1652473945294949e-09, 6.495025610302581e-11},
    .n_pieces = ERF_PIECES,
    .pieces = {{.begin = 0.9,
                .middle = 1.2,
                .n = 12,
                .c = {-2.41144035516693, -2.9808920244902537, -0.8657882014464937,
                      -0.034286193739139104, 0.008202992737027601, -0.0016814333474553449,
                      0.00024948426036193114, -5.22217819435682e-06, -1.3324040371978026e-05,
                      5.924558843254307e-06, -1.5794210698470075e-06, 2.4088715546093604e-07}},
               {.begin = 1.5,
                .middle = 2.0,
                .n = 13,
                .c = {-5.364941264616638, -4.418160805994416, -0.9237508418237773,
                      -0.016465118136715657, 0.003570756345462224, -0.0007323993926998346,
                      0.0001353093402969697, -2.070633427697437e-05, 1.9521693078310218e-06,
                      2.029954504704051e-07, -1.7311871086149975e-07, 5.985187028176565e-08,
                      -1.4173350552122804e-08}},
               {.begin = 2.5,
                .middle = 3.25,
                .n = 11,
                .c = {-12.3562493571816, -6.783760504111795, -0.9624816502096037,
                      -0.00619959291668634, 0.0010829694358682875, -0.00018953701668997103,
                      3.23319442689528e-05, -5.260854392820619e-06, 7.960785688995427e-07,
                      -1.0761818857211243e-07, 1.1047281896596529e-08}},
               {.begin = 4,
                .middle = 5.0,
                .n = 8,
                .c = {-27.200889546290867, -10.192700054766052, -0.9820669057930421,
                      -0.0021526519834149035, 0.00028134161467115805, -3.799829584709583e-05,
                      5.367040243585746e-06, -7.254157817153519e-07}}},
};

ir_value *tt_erf(lowering *l, ir_value *x) {
  const erf_fit *fit = x->type->elem == TSR_F64 ? &erf_of_f64 : &erf_of_f32;
  ir_value *a = tt_unary(l, OP_absf, x), *square = tt_binary(l, OP_mulf, x, x), *q = NULL;
  ir_value *small = tt_multiply_add(l, x, tt_polynomial(l, square, fit->near, fit->n), x);
  ir_value *t = tt_binary(l, OP_minf, a, tt_number(l, x, fit->end));
  tt_with(t, ATTR_propagate_nan, 1);
  for (uint32_t i = 0; i < fit->n_pieces; i++) {
    const erf_piece *p = &fit->pieces[i];
    ir_value *u = p->middle ? tt_binary(l, OP_subf, t, tt_number(l, x, p->middle)) : t;
    ir_value *here = tt_polynomial(l, u, p->c, p->n);
    q = q ? tt_select(l, tt_compare_real(l, CMP_LESS, t, tt_number(l, x, p->begin)), q, here)
          : here;
  }
  ir_value *rest = tt_unary(l, OP_exp, q);
  ir_value *large = tt_copy_sign(l, tt_binary(l, OP_subf, tt_number(l, x, 1), rest), x);
  return tt_select(l, tt_compare_real(l, CMP_LESS, a, tt_number(l, x, fit->pieces[0].begin)), small,
                   large);
}

/* The cosine of the angle whose sine is x, and the other way round. */
static ir_value *cosine_of_sine(lowering *l, ir_value *x) {
  ir_value *one = tt_number(l, x, 1);
  ir_value *less = tt_binary(l, OP_subf, one, x), *more = tt_binary(l, OP_addf, one, x);
  return tt_unary(l, OP_sqrt, tt_binary(l, OP_mulf, less, more));
}

/* The arc sine of f32, up to 1/2 as s + s * z * P(z) for s = |x| and z = x * x, where P was fitted
 * for the least error relative to the result. Above 1/2 it is what is left to a right angle: twice
 * the arc sine of s = sqrt((1 - |x|) / 2). No division is needed, and results differ from the exact
 * ones by less than 2 units in the last place. */
typedef struct arc {
  ir_value *angle; /* the arc sine of s, at least 0 */
  ir_value *large; /* |x| > 1/2 */
} arc;

static const double right_angle = 1.57079637050628662, right_angle_rest = -4.37113882867379e-8;

static arc arc_of(lowering *l, ir_value *x) {
  static const double c[] = {0.16666752099990845, 0.07495297491550446, 0.04547037556767464,
                             0.02417951449751854, 0.04216630756855011};
  ir_value *a = tt_unary(l, OP_absf, x), *half = tt_number(l, x, 0.5);
  ir_value *large = tt_compare_real(l, CMP_GREATER, a, half);
  ir_value *rest = tt_multiply_add(l, a, tt_number(l, x, -0.5), half);
  ir_value *z = tt_select(l, large, rest, tt_binary(l, OP_mulf, x, x));
  ir_value *s = tt_select(l, large, tt_unary(l, OP_sqrt, z), a);
  ir_value *p = tt_binary(l, OP_mulf, tt_polynomial(l, z, c, ARRAY_LEN(c)), z);
  return (arc){.angle = tt_multiply_add(l, p, s, s), .large = large};
}

/* n right angles plus factor times the angle; their sum in f32 and what it leaves are added apart.
 */
static ir_value *right_angles_and(lowering *l, double n, ir_value *angle, double factor) {
  ir_value *sum =
      tt_multiply_add(l, angle, tt_number(l, angle, factor), tt_number(l, angle, n * right_angle));
  return tt_binary(l, OP_addf, sum, tt_number(l, angle, n * right_angle_rest));
}

ir_value *tt_asin(lowering *l, ir_value *x) {
  if (x->type->elem != TSR_F32) return tt_binary(l, OP_atan2, x, cosine_of_sine(l, x));
  arc v = arc_of(l, x);
  return tt_copy_sign(l, tt_select(l, v.large, right_angles_and(l, 1, v.angle, -2), v.angle), x);
}

ir_value *tt_acos(lowering *l, ir_value *x) {
  if (x->type->elem != TSR_F32) return tt_binary(l, OP_atan2, cosine_of_sine(l, x), x);
  arc v = arc_of(l, x);
  ir_value *near_zero = right_angles_and(l, 1, tt_copy_sign(l, v.angle, x), -1);
  ir_value *below = right_angles_and(l, 2, v.angle, -2);
  ir_value *above = tt_binary(l, OP_addf, v.angle, v.angle);
  ir_value *negative = tt_compare_real(l, CMP_LESS, x, tt_number(l, x, 0));
  return tt_select(l, v.large, tt_select(l, negative, below, above), near_zero);
}

/* ---- questions, whose answers libdevice gives as integers
 * ----------------------------------------- */

static ir_value *infinity(lowering *l, const ir_value *like) {
  return tt_number(l, like, INFINITY);
}

static ir_value *truth(lowering *l, ir_value *v) {
  return tt_convert_int(l, v, TSR_I32, false);
}

/* The high half of the signed product from that of the unsigned one. */
static ir_value *mulhi_signed(lowering *l, ir_value *a, ir_value *b) {
  ir_value *zero = tt_int(l, a->type, 0), *high = tt_binary(l, OP_mulhii, a, b);
  ir_value *a_low = tt_compare(l, CMP_LESS, true, a, zero),
           *b_low = tt_compare(l, CMP_LESS, true, b, zero);
  high = tt_binary(l, OP_subi, high, tt_select(l, a_low, b, zero));
  return tt_binary(l, OP_subi, high, tt_select(l, b_low, a, zero));
}

static ir_value *composed(lowering *l, tt_composed which, ir_value *x, ir_value *y) {
  switch (which) {
  case COMPOSED_ERF: return tt_erf(l, x);
  case COMPOSED_ROUND: return tt_round_away(l, x);
  case COMPOSED_ROUND_EVEN: return tt_round_even(l, x);
  case COMPOSED_TRUNC: return tt_truncate(l, x);
  case COMPOSED_COPYSIGN: return tt_copy_sign(l, x, y);
  case COMPOSED_LOG1P: return tt_log1p(l, x);
  case COMPOSED_EXPM1: return tt_expm1(l, x);
  case COMPOSED_CBRT: return tt_cbrt(l, x);
  case COMPOSED_MULHI_SIGNED: return mulhi_signed(l, x, y);
  case COMPOSED_LOG10:
    return tt_binary(l, OP_mulf, tt_unary(l, OP_log2, x), tt_number(l, x, 0.30102999566398120));
  case COMPOSED_EXP10: return tt_binary(l, OP_pow, tt_number(l, x, 10), x);
  case COMPOSED_ATAN: return tt_binary(l, OP_atan2, x, tt_number(l, x, 1));
  case COMPOSED_ASIN: return tt_asin(l, x);
  case COMPOSED_ACOS: return tt_acos(l, x);
  case COMPOSED_ISNAN: return truth(l, tt_is_nan(l, x));
  case COMPOSED_ISINF:
    return truth(l, tt_compare_real(l, CMP_EQUAL, tt_unary(l, OP_absf, x), infinity(l, x)));
  case COMPOSED_ISFINITE:
    return truth(l, tt_compare_real(l, CMP_LESS, tt_unary(l, OP_absf, x), infinity(l, x)));
  }
  return NULL;
}

/* Whether the operands are of the kind that the function is made for. */
static bool suits(lowering *l, const tt_op *op, tt_composed which, const ir_value *x,
                  const ir_value *y) {
  bool integer = which == COMPOSED_MULHI_SIGNED;
  tsr_elem elem = (tsr_elem)x->type->elem;
  bool good = integer ? elem == TSR_I32 || elem == TSR_I64
                      : elem == TSR_F32 || elem == TSR_F64 || elem == TSR_F16 || elem == TSR_BF16;
  if (which == COMPOSED_ERF) good = elem == TSR_F32 || elem == TSR_F64;
  good = good && (!y || y->type == x->type);
  return good ||
         tt_refuse(l, "'" STR_FMT "' of %s", STR_ARG(op->name), ir_type_text(l->temp, x->type));
}

bool tt_lower_composed_as(lowering *l, tt_op *op, int which) {
  ir_value *x = tt_use(l, op, 0), *y = NULL;
  bool two = which == COMPOSED_COPYSIGN || which == COMPOSED_MULHI_SIGNED;
  if (!x || (two && !(y = tt_use(l, op, 1))) || !suits(l, op, (tt_composed)which, x, y))
    return false;
  return tt_set(l, op, 0, composed(l, (tt_composed)which, x, y));
}

bool tt_lower_composed(lowering *l, tt_op *op) {
  return tt_lower_composed_as(l, op, (int)op->row->arg);
}
