/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that Tile IR has not, composed of what it has, and the functions of CUDA's libdevice.
 */
#include "num/num.h"
#include "ttir/lower.h"
#include "ttir/rows.h"

static ir_value *real(lowering *l, const ir_value *like, double v) {
  return tt_real(l, like->type, v);
}
static ir_value *unary(lowering *l, op_code code, ir_value *v) {
  return tt_emit1(l, code, v->type, v);
}
static ir_value *binary(lowering *l, op_code code, ir_value *a, ir_value *b) {
  return tt_emit2(l, code, a->type, a, b);
}
static ir_value *multiply_add(lowering *l, ir_value *a, ir_value *b, ir_value *c) {
  return tt_emit(l, OP_fma, a->type, 3, (ir_value *[]){a, b, c});
}

/* Ordered comparisons: false when an operand is NaN. */
static ir_value *compare(lowering *l, ir_cmp_predicate p, ir_value *a, ir_value *b) {
  ir_value *v = tt_emit2(l, OP_cmpf, tt_like(l, a->type, TSR_I1), a, b);
  tt_with(v, ATTR_comparison_predicate, p);
  return tt_with(v, ATTR_comparison_ordering, CMP_ORDERED);
}

/* c[n-1] * x^(n-1) + … + c[0] */
static ir_value *polynomial(lowering *l, ir_value *x, const double *c, unsigned n) {
  ir_value *sum = real(l, x, c[n - 1]);
  for (unsigned i = n - 1; i-- > 0;) sum = multiply_add(l, sum, x, real(l, x, c[i]));
  return sum;
}

/* ---- signs and integers
 * ---------------------------------------------------------------------------- */

static tsr_elem int_of(const ir_type *t) {
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  return bits == 16 ? TSR_I16 : bits == 32 ? TSR_I32 : TSR_I64;
}

static ir_value *copy_sign(lowering *l, ir_value *magnitude, ir_value *sign) {
  const ir_type *bits = tt_like(l, magnitude->type, int_of(magnitude->type));
  unsigned n = tsr_elem_bits((tsr_elem)bits->elem);
  uint64_t top = UINT64_C(1) << (n - 1);
  ir_value *m = tt_emit1(l, OP_bitcast, bits, magnitude), *s = tt_emit1(l, OP_bitcast, bits, sign);
  m = binary(l, OP_andi, m, tt_constant(l, bits, top - 1));
  s = binary(l, OP_andi, s, tt_constant(l, bits, top));
  return tt_emit1(l, OP_bitcast, magnitude->type, binary(l, OP_ori, m, s));
}

static ir_value *truncate(lowering *l, ir_value *x) {
  return copy_sign(l, unary(l, OP_floor, unary(l, OP_absf, x)), x);
}

static ir_value *round_away(lowering *l, ir_value *x) {
  ir_value *a = unary(l, OP_absf, x), *f = unary(l, OP_floor, a);
  ir_value *up = compare(l, CMP_GREATER_EQUAL, binary(l, OP_subf, a, f), real(l, x, 0.5));
  f = tt_select(l, up, binary(l, OP_addf, f, real(l, x, 1)), f);
  return copy_sign(l, f, x);
}

/* Adding the power of two from which on all numbers are integers rounds to one. */
static ir_value *round_even(lowering *l, ir_value *x) {
  const num_format *f = num_format_of((tsr_elem)x->type->elem);
  ir_value *a = unary(l, OP_absf, x), *big = real(l, x, ldexp(1, f->mantissa_bits));
  ir_value *r = binary(l, OP_subf, binary(l, OP_addf, a, big), big);
  r = tt_select(l, compare(l, CMP_LESS, a, big), r, a);
  return copy_sign(l, r, x);
}

/* ---- functions
 * -------------------------------------------------------------------------------------- */

/* log(1 + x) as x * log(u) / (u - 1) for u = 1 + x rounded: the error of u cancels. */
static ir_value *log1p_of(lowering *l, ir_value *x) {
  ir_value *one = real(l, x, 1), *u = binary(l, OP_addf, one, x);
  ir_value *d = binary(l, OP_subf, u, one), *log = unary(l, OP_log, u);
  ir_value *v = binary(l, OP_mulf, log, binary(l, OP_divf, x, d));
  ir_value *large = compare(l, CMP_GREATER, unary(l, OP_absf, x), real(l, x, 1e6));
  v = tt_select(l, large, log, v);
  return tt_select(l, compare(l, CMP_EQUAL, d, real(l, x, 0)), x, v);
}

/* Likewise exp(x) - 1 as x * (u - 1) / log(u) for u = exp(x). */
static ir_value *expm1_of(lowering *l, ir_value *x) {
  ir_value *one = real(l, x, 1), *u = unary(l, OP_exp, x), *d = binary(l, OP_subf, u, one);
  ir_value *v = binary(l, OP_divf, binary(l, OP_mulf, d, x), unary(l, OP_log, u));
  ir_value *near = compare(l, CMP_LESS, unary(l, OP_absf, x), one);
  v = tt_select(l, near, v, d);
  return tt_select(l, compare(l, CMP_EQUAL, d, real(l, x, 0)), x, v);
}

/* A first guess, and a step of Newton's. */
static ir_value *cbrt_of(lowering *l, ir_value *x) {
  ir_value *a = unary(l, OP_absf, x);
  ir_value *y = unary(l, OP_exp2, binary(l, OP_mulf, unary(l, OP_log2, a), real(l, x, 1.0 / 3)));
  ir_value *y2 = binary(l, OP_mulf, y, y);
  ir_value *miss = multiply_add(l, unary(l, OP_negf, y2), y, a);
  ir_value *step = binary(l, OP_divf, miss, binary(l, OP_mulf, y2, real(l, x, 3)));
  y = binary(l, OP_addf, y, step);
  ir_value *finite = compare(l, CMP_LESS, a, real(l, x, INFINITY));
  ir_value *plain =
      tt_emit2(l, OP_andi, finite->type, finite, compare(l, CMP_GREATER, a, real(l, x, 0)));
  return tt_select(l, plain, copy_sign(l, y, x), x);
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

static ir_value *erf_of(lowering *l, ir_value *x) {
  const erf_fit *fit = x->type->elem == TSR_F64 ? &erf_of_f64 : &erf_of_f32;
  ir_value *a = unary(l, OP_absf, x), *square = binary(l, OP_mulf, x, x), *q = NULL;
  ir_value *small = multiply_add(l, x, polynomial(l, square, fit->near, fit->n), x);
  ir_value *t = binary(l, OP_minf, a, real(l, x, fit->end));
  tt_with(t, ATTR_propagate_nan, 1);
  for (uint32_t i = 0; i < fit->n_pieces; i++) {
    const erf_piece *p = &fit->pieces[i];
    ir_value *u = p->middle ? binary(l, OP_subf, t, real(l, x, p->middle)) : t;
    ir_value *here = polynomial(l, u, p->c, p->n);
    q = q ? tt_select(l, compare(l, CMP_LESS, t, real(l, x, p->begin)), q, here) : here;
  }
  ir_value *rest = unary(l, OP_exp, q);
  ir_value *large = copy_sign(l, binary(l, OP_subf, real(l, x, 1), rest), x);
  return tt_select(l, compare(l, CMP_LESS, a, real(l, x, fit->pieces[0].begin)), small, large);
}

/* The cosine of the angle whose sine is x, and the other way round. */
static ir_value *cosine_of_sine(lowering *l, ir_value *x) {
  ir_value *one = real(l, x, 1);
  ir_value *less = binary(l, OP_subf, one, x), *more = binary(l, OP_addf, one, x);
  return unary(l, OP_sqrt, binary(l, OP_mulf, less, more));
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
  ir_value *a = unary(l, OP_absf, x), *half = real(l, x, 0.5);
  ir_value *large = compare(l, CMP_GREATER, a, half);
  ir_value *rest = multiply_add(l, a, real(l, x, -0.5), half);
  ir_value *z = tt_select(l, large, rest, binary(l, OP_mulf, x, x));
  ir_value *s = tt_select(l, large, unary(l, OP_sqrt, z), a);
  ir_value *p = binary(l, OP_mulf, polynomial(l, z, c, ARRAY_LEN(c)), z);
  return (arc){.angle = multiply_add(l, p, s, s), .large = large};
}

/* n right angles plus factor times the angle; their sum in f32 and what it leaves are added apart.
 */
static ir_value *right_angles_and(lowering *l, double n, ir_value *angle, double factor) {
  ir_value *sum = multiply_add(l, angle, real(l, angle, factor), real(l, angle, n * right_angle));
  return binary(l, OP_addf, sum, real(l, angle, n * right_angle_rest));
}

static ir_value *asin_of(lowering *l, ir_value *x) {
  if (x->type->elem != TSR_F32) return binary(l, OP_atan2, x, cosine_of_sine(l, x));
  arc v = arc_of(l, x);
  return copy_sign(l, tt_select(l, v.large, right_angles_and(l, 1, v.angle, -2), v.angle), x);
}

static ir_value *acos_of(lowering *l, ir_value *x) {
  if (x->type->elem != TSR_F32) return binary(l, OP_atan2, cosine_of_sine(l, x), x);
  arc v = arc_of(l, x);
  ir_value *near_zero = right_angles_and(l, 1, copy_sign(l, v.angle, x), -1);
  ir_value *below = right_angles_and(l, 2, v.angle, -2);
  ir_value *above = binary(l, OP_addf, v.angle, v.angle);
  ir_value *negative = compare(l, CMP_LESS, x, real(l, x, 0));
  return tt_select(l, v.large, tt_select(l, negative, below, above), near_zero);
}

/* ---- questions, whose answers libdevice gives as integers
 * ----------------------------------------- */

static ir_value *infinity(lowering *l, const ir_value *like) {
  return real(l, like, INFINITY);
}

static ir_value *truth(lowering *l, ir_value *v) {
  return tt_convert_int(l, v, TSR_I32, false);
}

/* The high half of the signed product from that of the unsigned one. */
static ir_value *mulhi_signed(lowering *l, ir_value *a, ir_value *b) {
  ir_value *zero = tt_int(l, a->type, 0), *high = binary(l, OP_mulhii, a, b);
  ir_value *a_low = tt_compare(l, CMP_LESS, true, a, zero),
           *b_low = tt_compare(l, CMP_LESS, true, b, zero);
  high = binary(l, OP_subi, high, tt_select(l, a_low, b, zero));
  return binary(l, OP_subi, high, tt_select(l, b_low, a, zero));
}

static ir_value *composed(lowering *l, tt_composed which, ir_value *x, ir_value *y) {
  switch (which) {
  case COMPOSED_ERF: return erf_of(l, x);
  case COMPOSED_ROUND: return round_away(l, x);
  case COMPOSED_ROUND_EVEN: return round_even(l, x);
  case COMPOSED_TRUNC: return truncate(l, x);
  case COMPOSED_COPYSIGN: return copy_sign(l, x, y);
  case COMPOSED_LOG1P: return log1p_of(l, x);
  case COMPOSED_EXPM1: return expm1_of(l, x);
  case COMPOSED_CBRT: return cbrt_of(l, x);
  case COMPOSED_MULHI_SIGNED: return mulhi_signed(l, x, y);
  case COMPOSED_LOG10:
    return binary(l, OP_mulf, unary(l, OP_log2, x), real(l, x, 0.30102999566398120));
  case COMPOSED_EXP10: return binary(l, OP_pow, real(l, x, 10), x);
  case COMPOSED_ATAN: return binary(l, OP_atan2, x, real(l, x, 1));
  case COMPOSED_ASIN: return asin_of(l, x);
  case COMPOSED_ACOS: return acos_of(l, x);
  case COMPOSED_RECIPROCAL: return binary(l, OP_divf, real(l, x, 1), x);
  case COMPOSED_ISNAN: return truth(l, tt_is_nan(l, x));
  case COMPOSED_ISINF: return truth(l, compare(l, CMP_EQUAL, unary(l, OP_absf, x), infinity(l, x)));
  case COMPOSED_ISFINITE:
    return truth(l, compare(l, CMP_LESS, unary(l, OP_absf, x), infinity(l, x)));
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

static bool lower_composed(lowering *l, tt_op *op, tt_composed which) {
  ir_value *x = tt_use(l, op, 0), *y = NULL;
  bool two = which == COMPOSED_COPYSIGN || which == COMPOSED_MULHI_SIGNED;
  if (!x || (two && !(y = tt_use(l, op, 1))) || !suits(l, op, which, x, y)) return false;
  return tt_set(l, op, 0, composed(l, which, x, y));
}

bool tt_lower_composed(lowering *l, tt_op *op) {
  return lower_composed(l, op, (tt_composed)op->row->arg);
}

/* ---- libdevice
 * ---------------------------------------------------------------------------------------- */

/* __nv_NAME of f64 is __nv_NAMEf of f32. */
typedef struct libdevice {
  const char *name;
  uint8_t operands;
  op_code opcode;   /* OP_NONE: composed */
  int8_t composed;  /* tt_composed */
  uint8_t rounding; /* 1 + ir_rounding; 0: none is said */
  uint8_t sign;     /* 1 + ir_signedness; 0: none is said */
} libdevice;

#define PLAIN(n, code)                                                                             \
  { .name = #n, .operands = 1, .opcode = OP_##code }
#define PAIR(n, code)                                                                              \
  { .name = #n, .operands = 2, .opcode = OP_##code }
#define MADE(n, which)                                                                             \
  { .name = #n, .operands = 1, .composed = COMPOSED_##which }
#define ROUNDED(n, k, code, mode)                                                                  \
  { .name = #n, .operands = k, .opcode = OP_##code, .rounding = 1 + ROUND_##mode }
#define ROUNDED_ALL(n, k, code)                                                                    \
  ROUNDED(n##_rn, k, code, NEAREST_EVEN), ROUNDED(n##_rz, k, code, ZERO),                          \
      ROUNDED(n##_ru, k, code, POSITIVE_INF), ROUNDED(n##_rd, k, code, NEGATIVE_INF)
#define INTEGER(n, code, s)                                                                        \
  { .name = #n, .operands = 2, .opcode = OP_##code, .sign = 1 + SIGN_##s }

static const libdevice functions[] = {
    PLAIN(fabs, absf),
    PLAIN(abs, absi),
    PLAIN(llabs, absi),
    PLAIN(ceil, ceil),
    PLAIN(floor, floor),
    PLAIN(cos, cos),
    PLAIN(cosh, cosh),
    PLAIN(sin, sin),
    PLAIN(sinh, sinh),
    PLAIN(tan, tan),
    PLAIN(tanh, tanh),
    PLAIN(exp, exp),
    PLAIN(exp2, exp2),
    PLAIN(log, log),
    PLAIN(log2, log2),
    PLAIN(sqrt, sqrt),
    PLAIN(rsqrt, rsqrt),
    PAIR(pow, pow),
    PAIR(powi, fpowi),
    PAIR(fmin, minf),
    PAIR(fmax, maxf),
    PAIR(fmod, remf),
    PAIR(atan2, atan2),
    PAIR(umulhi, mulhii),
    PAIR(umul64hi, mulhii),
    PLAIN(fast_cos, cos),
    PLAIN(fast_sin, sin),
    PLAIN(fast_tan, tan),
    PLAIN(fast_exp, exp),
    PLAIN(fast_log, log),
    PLAIN(fast_log2, log2),
    PAIR(fast_pow, pow),
    PAIR(fast_fdivide, divf),
    PLAIN(fast_tanh, tanh),
    MADE(rint, ROUND_EVEN),
    MADE(nearbyint, ROUND_EVEN),
    MADE(round, ROUND),
    MADE(trunc, TRUNC),
    MADE(erf, ERF),
    MADE(log1p, LOG1P),
    MADE(expm1, EXPM1),
    MADE(cbrt, CBRT),
    MADE(log10, LOG10),
    MADE(fast_log10, LOG10),
    MADE(exp10, EXP10),
    MADE(fast_exp10, EXP10),
    MADE(atan, ATAN),
    MADE(asin, ASIN),
    MADE(acos, ACOS),
    MADE(isnan, ISNAN),
    MADE(isinf, ISINF),
    MADE(isnand, ISNAN),
    MADE(isinfd, ISINF),
    MADE(isfinited, ISFINITE),
    MADE(finite, ISFINITE),
    {.name = "copysign", .operands = 2, .composed = COMPOSED_COPYSIGN},
    {.name = "mulhi", .operands = 2, .composed = COMPOSED_MULHI_SIGNED},
    {.name = "mul64hi", .operands = 2, .composed = COMPOSED_MULHI_SIGNED},
    {.name = "fma", .operands = 3, .opcode = OP_fma},
    MADE(frcp_rn, RECIPROCAL),
    MADE(drcp_rn, RECIPROCAL),
    INTEGER(min, mini, SIGNED),
    INTEGER(max, maxi, SIGNED),
    INTEGER(umin, mini, UNSIGNED),
    INTEGER(umax, maxi, UNSIGNED),
    INTEGER(llmin, mini, SIGNED),
    INTEGER(llmax, maxi, SIGNED),
    INTEGER(ullmin, mini, UNSIGNED),
    INTEGER(ullmax, maxi, UNSIGNED),
    ROUNDED_ALL(fadd, 2, addf),
    ROUNDED_ALL(dadd, 2, addf),
    ROUNDED_ALL(fmul, 2, mulf),
    ROUNDED_ALL(dmul, 2, mulf),
    ROUNDED_ALL(fdiv, 2, divf),
    ROUNDED_ALL(ddiv, 2, divf),
    ROUNDED_ALL(fsub, 2, subf),
    ROUNDED_ALL(dsub, 2, subf),
    ROUNDED_ALL(fsqrt, 1, sqrt),
    ROUNDED_ALL(dsqrt, 1, sqrt),
    ROUNDED_ALL(fma, 3, fma),
    ROUNDED_ALL(fmaf, 3, fma),
};

static const libdevice *find_function(str symbol) {
  if (!str_starts(symbol, "__nv_")) return NULL;
  str name = {symbol.data + 5, symbol.len - 5};
  for (unsigned shorter = 0; shorter < 2; shorter++) {
    for (unsigned i = 0; i < ARRAY_LEN(functions); i++)
      if (str_is(name, functions[i].name)) return &functions[i];
    if (!name.len || name.data[name.len - 1] != 'f') return NULL;
    name.len--;
  }
  return NULL;
}

static bool call_function(lowering *l, tt_op *op, const libdevice *f) {
  ir_value *v[3];
  const ir_type *t = tt_result_tile(op, 0);
  for (uint32_t i = 0; i < f->operands; i++)
    if (!(v[i] = tt_use(l, op, i))) return false;
  if (!t) return true;
  ir_value *result = tt_emit(l, f->opcode, t, f->operands, v);
  if (f->rounding) tt_with(result, ATTR_rounding_mode, f->rounding - 1);
  if (f->sign) tt_with(result, ATTR_signedness, f->sign - 1);
  return tt_set(l, op, 0, result);
}

bool tt_lower_extern(lowering *l, tt_op *op) {
  const tt_attr *symbol = tt_find_attr(op->attrs, "symbol");
  str name = symbol && symbol->kind == TT_STRING ? symbol->text : (str){"", 0};
  const libdevice *f = find_function(name);
  if (!f)
    return tt_refuse(l, "the external function '" STR_FMT "': Tile IR has nothing for it",
                     STR_ARG(name));
  if (op->n_operands != f->operands)
    return tt_refuse(l, "'" STR_FMT "' with %u operands", STR_ARG(name), op->n_operands);
  return f->opcode == OP_NONE ? lower_composed(l, op, (tt_composed)f->composed)
                              : call_function(l, op, f);
}
