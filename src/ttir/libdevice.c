/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of CUDA's libdevice.
 */
#include "ttir/compose.h"
#include "ttir/rows.h"

enum { MAX_OPERANDS = 4 };

/* __nv_NAME of f64 is __nv_NAMEf of f32. */
typedef struct libdevice {
  const char *name;
  uint8_t operands;
  tt_builder *make;  /* or one of these: */
  const char *takes; /* what `make` takes, a letter each: see `suits` */
  op_code opcode;    /* OP_NONE: composed */
  int8_t composed;   /* tt_composed */
  uint8_t rounding;  /* 1 + ir_rounding; 0: none is said */
  uint8_t sign;      /* 1 + ir_signedness; 0: none is said */
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
#define BUILT(n, types, function)                                                                  \
  { .name = #n, .operands = sizeof types - 1, .make = function, .takes = types }
#define INTEGER(n, code, s)                                                                        \
  { .name = #n, .operands = 2, .opcode = OP_##code, .sign = 1 + SIGN_##s }

static ir_value *one_over_cbrt(lowering *l, ir_value *const *v) {
  return tt_binary(l, OP_divf, tt_number(l, v[0], 1), tt_cbrt(l, v[0]));
}

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
    BUILT(acosh, "f", tt_acosh),
    BUILT(asinh, "f", tt_asinh),
    BUILT(atanh, "f", tt_atanh),
    BUILT(sinpi, "f", tt_sinpi),
    BUILT(cospi, "f", tt_cospi),
    BUILT(erfc, "f", tt_erfc),
    BUILT(erfcx, "f", tt_erfcx),
    BUILT(erfinv, "f", tt_erfinv),
    BUILT(erfcinv, "f", tt_erfcinv),
    BUILT(normcdf, "f", tt_normcdf),
    BUILT(normcdfinv, "f", tt_normcdfinv),
    BUILT(lgamma, "f", tt_lgamma),
    BUILT(tgamma, "f", tt_tgamma),
    BUILT(j0, "f", tt_j0),
    BUILT(j1, "f", tt_j1),
    BUILT(y0, "f", tt_y0),
    BUILT(y1, "f", tt_y1),
    BUILT(jn, "if", tt_jn),
    BUILT(yn, "if", tt_yn),
    BUILT(cyl_bessel_i0, "f", tt_i0),
    BUILT(cyl_bessel_i1, "f", tt_i1),
    BUILT(hypot, "ff", tt_hypot),
    BUILT(rhypot, "ff", tt_rhypot),
    BUILT(norm3d, "fff", tt_norm3d),
    BUILT(rnorm3d, "fff", tt_rnorm3d),
    BUILT(norm4d, "ffff", tt_norm4d),
    BUILT(rnorm4d, "ffff", tt_rnorm4d),
    BUILT(rcbrt, "f", one_over_cbrt),
    BUILT(remainder, "ff", tt_remainder),
    BUILT(nextafter, "ff", tt_nextafter),
    BUILT(fdim, "ff", tt_fdim),
    BUILT(saturate, "f", tt_saturate),
    BUILT(ilogb, "f", tt_ilogb),
    BUILT(logb, "f", tt_logb),
    BUILT(ldexp, "fi", tt_ldexp),
    BUILT(scalbn, "fi", tt_ldexp),
    BUILT(signbit, "f", tt_signbit),
    BUILT(signbitd, "f", tt_signbit),
    BUILT(clz, "n", tt_clz),
    BUILT(clzll, "n", tt_clz),
    BUILT(popc, "n", tt_popc),
    BUILT(popcll, "n", tt_popc),
    BUILT(ffs, "n", tt_ffs),
    BUILT(ffsll, "n", tt_ffs),
    BUILT(brev, "n", tt_brev),
    BUILT(brevll, "n", tt_brev),
    BUILT(byte_perm, "iii", tt_byte_perm),
    BUILT(mul24, "ii", tt_mul24),
    BUILT(umul24, "ii", tt_umul24),
    BUILT(hadd, "ii", tt_hadd),
    BUILT(uhadd, "ii", tt_uhadd),
    BUILT(rhadd, "ii", tt_rhadd),
    BUILT(urhadd, "ii", tt_urhadd),
    BUILT(sad, "iii", tt_sad),
    BUILT(usad, "iii", tt_usad),
    BUILT(double2hiint, "d", tt_double_high),
    BUILT(double2loint, "d", tt_double_low),
    BUILT(hiloint2double, "ii", tt_double_of_halves),
    BUILT(rcp64h, "d", tt_half_reciprocal),
    ROUNDED_ALL(frcp, 1, divf),
    ROUNDED_ALL(drcp, 1, divf),
    PLAIN(frsqrt_rn, rsqrt),
    PLAIN(float_as_int, bitcast),
    PLAIN(float_as_uint, bitcast),
    PLAIN(int_as_float, bitcast),
    PLAIN(uint_as_float, bitcast),
    PLAIN(double_as_longlong, bitcast),
    PLAIN(longlong_as_double, bitcast),
    BUILT(llrint, "f", tt_llrint),
    BUILT(llround, "f", tt_llround),
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

/* Takes the names' common beginning off. */
static bool is_of_libdevice(str *name) {
  enum { PREFIX = 5 };
  if (!str_starts(*name, "__nv_")) return false;
  name->data += PREFIX, name->len -= PREFIX;
  return true;
}

static const libdevice *find_function(str name) {
  for (unsigned shorter = 0; shorter < 2; shorter++) {
    for (unsigned i = 0; i < ARRAY_LEN(functions); i++)
      if (str_is(name, functions[i].name)) return &functions[i];
    if (!name.len || name.data[name.len - 1] != 'f') return NULL;
    name.len--;
  }
  return NULL;
}

/* Operands of an operation of Tile IR; a quotient of one operand is that of 1. */
static bool call_function(lowering *l, tt_op *op, const libdevice *f, ir_value **v) {
  const ir_type *t = tt_result_tile(op, 0);
  uint32_t n = f->operands;
  if (!t) return true;
  if (f->opcode == OP_divf && n == 1) {
    v[n++] = v[0];
    v[0] = tt_number(l, v[1], 1);
  }
  ir_value *result = tt_emit(l, f->opcode, t, n, v);
  if (f->rounding) tt_with(result, ATTR_rounding_mode, f->rounding - 1);
  if (f->sign) tt_with(result, ATTR_signedness, f->sign - 1);
  return tt_set(l, op, 0, result);
}

/* What a letter of `takes` stands for: f is f32 or f64, n is i32 or i64, d is f64, i is i32.
 * Operands with the same letter have the same type, and all have the same shape. */
static bool is_taken(lowering *l, char letter, const ir_type *t, const ir_type *first) {
  bool wide = t->elem == TSR_F64 || t->elem == TSR_I64;
  tsr_elem as_f = wide ? TSR_F64 : TSR_F32, as_n = wide ? TSR_I64 : TSR_I32;
  tsr_elem elem = letter == 'f' ? as_f : letter == 'n' ? as_n : letter == 'd' ? TSR_F64 : TSR_I32;
  return t == tt_like(l, first, elem);
}

static const char *words_of(char letter) {
  return letter == 'f'   ? "f32 or f64"
         : letter == 'n' ? "i32 or i64"
         : letter == 'd' ? "f64"
                         : "i32";
}

static bool suits(lowering *l, const libdevice *f, ir_value *const *v) {
  for (uint32_t i = 0; i < f->operands; i++) {
    const ir_type *t = v[i]->type;
    bool alike = i == 0 || f->takes[i] != f->takes[0] || t == v[0]->type;
    if (!alike || !is_taken(l, f->takes[i], t, v[0]->type))
      return tt_refuse(l, "'__nv_%s': operand %u is %s, expected %s in the shape of the first one",
                       f->name, i + 1, ir_type_text(l->temp, t), words_of(f->takes[i]));
  }
  return true;
}

static bool lower_function(lowering *l, tt_op *op, const libdevice *f) {
  ir_value *v[MAX_OPERANDS];
  for (uint32_t i = 0; i < f->operands; i++)
    if (!(v[i] = tt_use(l, op, i))) return false;
  if (!f->make) return call_function(l, op, f, v);
  ir_value *made = suits(l, f, v) ? f->make(l, v) : NULL;
  return made && tt_set(l, op, 0, made);
}

bool tt_lower_extern(lowering *l, tt_op *op) {
  const tt_attr *symbol = tt_find_attr(op->attrs, "symbol");
  str whole = symbol && symbol->kind == TT_STRING ? symbol->text : (str){"", 0}, name = whole;
  bool ours = is_of_libdevice(&name), converts = ours && tt_is_conversion(name);
  const libdevice *f = ours ? find_function(name) : NULL;
  if (!f && !converts)
    return tt_refuse(l, "the external function '" STR_FMT "': Tile IR has nothing for it",
                     STR_ARG(whole));
  if (op->n_operands != (f ? f->operands : 1))
    return tt_refuse(l, "'" STR_FMT "' with %u operands", STR_ARG(whole), op->n_operands);
  if (!f) return tt_lower_conversion(l, op, name);
  bool composed = f->opcode == OP_NONE && !f->make;
  return composed ? tt_lower_composed_as(l, op, f->composed) : lower_function(l, op, f);
}
