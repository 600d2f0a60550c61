/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/gemm.h"

#include <math.h>

#include "ops/emit.h"
#include "ops/families.h"
#include "ops/moe.h"

static const ops_param params[] = {GEMM_PARAMS(OPS_PARAM_ROW)};

/* ---- types ----------------------------------------------------------------------------------- */

static const tsr_elem floats[] = {
    TSR_F64,    TSR_F32,        TSR_TF32,       TSR_F16,      TSR_BF16,     TSR_F8E4M3FN,
    TSR_F8E5M2, TSR_F8E4M3FNUZ, TSR_F8E5M2FNUZ, TSR_F6E2M3FN, TSR_F6E3M2FN, TSR_F4E2M1FN,
};
static const tsr_elem products[] = {TSR_F64,  TSR_F32,      TSR_TF32,   TSR_F16,
                                    TSR_BF16, TSR_F8E4M3FN, TSR_F8E5M2, TSR_I8};

static bool is_among(ops_type t, const tsr_elem *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (ops_type_elem(t) == list[i]) return true;
  return false;
}

static bool check_operand_type(const char *name, ops_type t, ops_why *why) {
  if (ops_type_is_int(t) ? ops_type_bits(t) <= 8 : is_among(t, floats, ARRAY_LEN(floats)))
    return true;
  return ops_refuse(why,
                    "%s=%s: products take f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 f8E4M3FNUZ "
                    "f8E5M2FNUZ f6E2M3FN f6E3M2FN f4E2M1FN and integers of at most 8 bits",
                    name, ops_type_name(t));
}

/* A type with every value of both, of those that there are products of. */
static ops_type common_type(ops_type a, ops_type b) {
  tsr_elem x = ops_type_elem(a), y = ops_type_elem(b);
  static const tsr_elem wide[] = {TSR_F64, TSR_F32, TSR_TF32};
  if (ops_type_is_int(a) && ops_type_is_int(b)) return TSR_I8;
  for (size_t i = 0; i < ARRAY_LEN(wide); i++)
    if (x == wide[i] || y == wide[i]) return wide[i];
  if (x == y && is_among(a, products, ARRAY_LEN(products))) return x;
  if (x == TSR_BF16 || y == TSR_BF16) return x == TSR_F16 || y == TSR_F16 ? TSR_F32 : TSR_BF16;
  return TSR_F16;
}

static ops_type usual_result(ops_type product, ops_type a, ops_type b) {
  if (product == TSR_I8) return TSR_I32;
  if (product == TSR_TF32) return TSR_F32;
  bool small = ops_type_bits(a) <= 8 && ops_type_bits(b) <= 8;
  return small ? TSR_F16 : product;
}

static void set_auto(ops_problem *p, unsigned param, ops_type t) {
  if (p->values[param].i < 0) p->values[param].i = t;
}

static bool check_compute(const ops_problem *p, ops_why *why) {
  ops_type a = gemm_get(p, GEMM_type_a), b = gemm_get(p, GEMM_type_b);
  ops_type t = gemm_get(p, GEMM_compute);
  bool ints = ops_type_is_int(a) && ops_type_is_int(b);
  if (!is_among(t, products, ARRAY_LEN(products)) || ops_type_is_unsigned(t))
    return ops_refuse(why,
                      "compute=%s: there are products of f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 i8",
                      ops_type_name(t));
  if (ops_type_is_int(t) && !ints)
    return ops_refuse(why, "compute=i8: a (%s) and b (%s) are not both integers; take a float type",
                      ops_type_name(a), ops_type_name(b));
  return true;
}

static bool check_accumulate(const ops_problem *p, ops_why *why) {
  ops_type t = gemm_get(p, GEMM_compute), sum = gemm_get(p, GEMM_accumulate);
  ops_type usual = ops_type_accumulator(t);
  bool half = t == TSR_F16 || t == TSR_F8E4M3FN || t == TSR_F8E5M2;
  if (sum == usual || (half && sum == TSR_F16)) return true;
  return ops_refuse(why, "accumulate=%s: products of %s are summed in %s%s", ops_type_name(sum),
                    ops_type_name(t), ops_type_name(usual), half ? " or f16" : "");
}

/* What a and b are multiplied in: small floats with powers of two as scales in bf16, which holds
 * any of them. */
static ops_type usual_compute(const ops_problem *p, ops_type a, ops_type b) {
  bool small = ops_type_is_float(a) && ops_type_is_float(b) && ops_type_bits(a) <= 8 &&
               ops_type_bits(b) <= 8;
  bool by_powers = gemm_has_group_scales(p) && gemm_get(p, GEMM_type_scale) == TSR_F8E8M0FNU;
  return small && by_powers ? TSR_BF16 : common_type(a, b);
}

static bool settle_types(ops_problem *p, ops_why *why) {
  ops_epilogue *e = &((gemm_parts *)p->parts)->epilogue;
  ops_type a, b;
  set_auto(p, GEMM_type_a, gemm_get(p, GEMM_type));
  set_auto(p, GEMM_type_b, gemm_get(p, GEMM_type));
  a = gemm_get(p, GEMM_type_a), b = gemm_get(p, GEMM_type_b);
  if (!check_operand_type("type_a", a, why) || !check_operand_type("type_b", b, why)) return false;
  set_auto(p, GEMM_compute, usual_compute(p, a, b));
  set_auto(p, GEMM_accumulate, ops_type_accumulator(gemm_get(p, GEMM_compute)));
  if (!check_compute(p, why) || !check_accumulate(p, why)) return false;
  /* The epilogue's tensors hold what c does, and it may say what that is. */
  ops_type c = gemm_get(p, GEMM_type_c), usual = usual_result(gemm_get(p, GEMM_compute), a, b);
  str text = str_of(p->values[GEMM_epilogue].text);
  if (!ops_epilogue_parse(e, p->arena, text, c >= 0 ? c : usual, why)) return false;
  if (c >= 0 && e->result >= 0 && c != e->result)
    return ops_refuse(why, "type_c=%s, but epilogue=%s makes c %s", ops_type_name(c),
                      p->values[GEMM_epilogue].text, ops_type_name(e->result));
  set_auto(p, GEMM_type_c, e->result >= 0 ? e->result : usual);
  return true;
}

bool gemm_is_whole(const ops_problem *p) {
  return ops_type_is_int(gemm_get(p, GEMM_accumulate)) &&
         ops_type_is_int(gemm_get(p, GEMM_type_c)) && gemm_epilogue(p)->count == 0 &&
         !gemm_epilogue(p)->by_row && !gemm_side_of(p, GEMM_SIDE_C)->expression && !gemm_gate(p) &&
         !gemm_get(p, GEMM_scale_a) && !gemm_get(p, GEMM_scale_b) && !gemm_get(p, GEMM_scaled) &&
         !gemm_get(p, GEMM_added);
}

ops_type gemm_late_type(const ops_problem *p) {
  if (gemm_is_whole(p)) return gemm_get(p, GEMM_accumulate);
  bool is_double = gemm_get(p, GEMM_accumulate) == TSR_F64 || gemm_get(p, GEMM_type_c) == TSR_F64;
  return is_double ? TSR_F64 : TSR_F32;
}

bool gemm_scales_elements(const ops_problem *p) {
  ops_type compute = gemm_get(p, GEMM_compute);
  return gemm_has_group_scales(p) && gemm_get(p, GEMM_type_scale) == TSR_F8E8M0FNU &&
         (compute == TSR_BF16 || compute == TSR_F32 || compute == TSR_F64);
}

bool gemm_has_groups(const ops_problem *p) {
  return gemm_has_group_scales(p) && !gemm_scales_elements(p);
}

int64_t gemm_step_groups(const ops_problem *p) {
  int64_t each = gemm_get(p, GEMM_tile_k) / gemm_get(p, GEMM_group);
  return gemm_scales_elements(p) ? MAX(each, 1) : 1;
}

ops_type gemm_partial_type(const ops_problem *p) {
  return gemm_has_groups(p) ? gemm_late_type(p) : gemm_get(p, GEMM_accumulate);
}

static bool check_late(const ops_problem *p, ops_why *why) {
  const ops_epilogue *e = gemm_epilogue(p);
  if (ops_type_elem(gemm_get(p, GEMM_type_c)) == TSR_F8E8M0FNU)
    return ops_refuse(why, "type_c=f8E8M0FNU has no sign; take another type");
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].function && e->stages[i].function->f32_only && gemm_late_type(p) == TSR_F64)
      return ops_refuse(why,
                        "epilogue=%s: %s is computed to 3e-7, not in f64; take gelu_tanh or "
                        "another type",
                        p->values[GEMM_epilogue].text, e->stages[i].function->name);
  return true;
}

/* ---- strides --------------------------------------------------------------------------------- */

static int64_t at_most(int64_t x) {
  return x > OPS_MAX_SIZE ? OPS_MAX_SIZE : x;
}

static int64_t times(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) ? INT64_MAX : product;
}

/* A matrix of `rows` x `columns` with its parameters. */
typedef struct matrix_params {
  unsigned type, layout, ld, inc, batch;
} matrix_params;

static void settle_strides(ops_problem *p, matrix_params m, int64_t rows, int64_t columns) {
  bool by_column = gemm_get(p, m.layout) == 1;
  int64_t line = by_column ? rows : columns, lines = by_column ? columns : rows;
  int64_t inc = m.inc < GEMM_COUNT ? gemm_get(p, m.inc) : 1;
  if (gemm_get(p, m.ld) < 0) p->values[m.ld].i = at_most(times(line, inc));
  if (gemm_get(p, m.batch) < 0) p->values[m.batch].i = at_most(times(gemm_get(p, m.ld), lines));
}

static const matrix_params a_params = {GEMM_type_a, GEMM_a, GEMM_lda, GEMM_inca, GEMM_batch_a};
static const matrix_params b_params = {GEMM_type_b, GEMM_b, GEMM_ldb, GEMM_incb, GEMM_batch_b};
static const matrix_params c_params = {GEMM_type_c, GEMM_c, GEMM_ldc, GEMM_incc, GEMM_batch_c};
static const matrix_params d_params = {GEMM_type_c, GEMM_c, GEMM_ldd, GEMM_COUNT, GEMM_batch_d};

static void raise_flag(ops_problem *p, unsigned flag, bool is) {
  if (is) p->values[flag].i = 1;
}

/* Lines of 4-bit integers begin at whole bytes. */
static bool check_halves(const ops_problem *p, matrix_params m, ops_why *why) {
  if (ops_stride_unit(gemm_get(p, m.type)) == 1) return true;
  const unsigned params_of[] = {m.ld, m.batch};
  const char *type = ops_type_name(gemm_get(p, m.type));
  if (gemm_get(p, m.inc) != 1)
    return ops_refuse(why, "%s=%lld: elements of %s lie together; give 1", params[m.inc].name,
                      (long long)gemm_get(p, m.inc), type);
  for (unsigned i = 0; i < 2; i++)
    if (gemm_get(p, params_of[i]) % 2 && (i == 0 || gemm_get(p, GEMM_batch) != 1))
      return ops_refuse(why, "%s=%lld: %s lies two to a byte, so give an even number",
                        params[params_of[i]].name, (long long)gemm_get(p, params_of[i]), type);
  return true;
}

/* What follows the last element in its byte is read as well: along k the other operand must be 0
 * there. */
static bool check_odd_k(const ops_problem *p, ops_why *why) {
  bool a = ops_stride_unit(gemm_get(p, GEMM_type_a)) > 1 && gemm_get(p, GEMM_a) == 0;
  bool b = ops_stride_unit(gemm_get(p, GEMM_type_b)) > 1 && gemm_get(p, GEMM_b) == 1;
  if (!(a && b) || gemm_get(p, GEMM_k) % 2 == 0) return true;
  return ops_refuse(why,
                    "k=%lld: 4-bit integers of both a and b lie two to a byte along k, so give "
                    "an even number",
                    (long long)gemm_get(p, GEMM_k));
}

/* A pointer to f4E2M1FN is a pointer to a byte, so what a tile block's matrices begin at must be.
 */
static bool check_beginnings(const ops_problem *p, matrix_params m, ops_why *why) {
  ops_type type = (ops_type)gemm_get(p, m.type);
  if (ops_type_bits(type) != 4 || ops_stride_unit(type) > 1) return true;
  bool moved_by_line = m.ld != GEMM_ldb && gemm_get(p, GEMM_rows) != 0,
       moved_by_batch = gemm_get(p, GEMM_batch) != 1;
  const unsigned params_of[] = {m.ld, m.batch};
  const bool moved[] = {moved_by_line, moved_by_batch};
  for (unsigned i = 0; i < 2; i++)
    if (moved[i] && gemm_get(p, params_of[i]) % 2)
      return ops_refuse(
          why,
          "%s=%lld: matrices of %s, which lies two to a byte, begin at whole bytes, so "
          "give an even number",
          params[params_of[i]].name, (long long)gemm_get(p, params_of[i]), ops_type_name(type));
  return true;
}

static bool check_small(const ops_problem *p, ops_why *why) {
  if (ops_stride_unit(gemm_get(p, GEMM_type_c)) > 1)
    return ops_refuse(why, "type_c=%s: results of 4 bits are not stored; take i8",
                      ops_type_name(gemm_get(p, GEMM_type_c)));
  return check_halves(p, a_params, why) && check_halves(p, b_params, why) && check_odd_k(p, why) &&
         check_beginnings(p, a_params, why) && check_beginnings(p, b_params, why) &&
         check_beginnings(p, c_params, why);
}

static int64_t ceil_div(int64_t x, int64_t y) {
  return x / y + (x % y != 0);
}

int64_t gemm_rows_a(const ops_problem *p) {
  if (gemm_gathers(p)) return ceil_div(gemm_get(p, GEMM_m), gemm_get(p, GEMM_top));
  return gemm_get(p, gemm_is_grouped(p) || gemm_is_sorted(p) ? GEMM_total_m : GEMM_m);
}

int64_t gemm_rows_c(const ops_problem *p) {
  if (gemm_scatters(p)) return gemm_get(p, GEMM_m);
  return gemm_get(p, gemm_is_grouped(p) || gemm_is_sorted(p) ? GEMM_total_m : GEMM_m);
}

int64_t gemm_block_rows(const ops_problem *p) {
  return gemm_get(p, gemm_is_sorted(p) ? GEMM_total_m : GEMM_m);
}

int64_t gemm_block_batch(const ops_problem *p) {
  return gemm_is_sorted(p) ? 1 : gemm_get(p, GEMM_batch);
}

int64_t gemm_columns_b(const ops_problem *p) {
  return gemm_gate(p) ? times(gemm_get(p, GEMM_n), 2) : gemm_get(p, GEMM_n);
}

/* The second half of b's columns begins at a byte, and at a scale. */
static bool check_gate(const ops_problem *p, ops_why *why) {
  const ops_function *f = gemm_gate(p);
  int64_t n = gemm_get(p, GEMM_n), group_n = gemm_get(p, GEMM_group_n);
  if (f && f->f32_only && gemm_late_type(p) == TSR_F64)
    return ops_refuse(why, "gate=%s is computed to 3e-7, not in f64; take gelu_tanh", f->name);
  if (f && gemm_get(p, GEMM_b) == 0 && n % ops_stride_unit(gemm_get(p, GEMM_type_b)))
    return ops_refuse(why,
                      "n=%lld: with a gate the second half of b's columns begins at a byte; give "
                      "an even number",
                      (long long)n);
  if (!f || gemm_get(p, GEMM_scale_b) != GEMM_SCALE_GROUP || n % group_n == 0) return true;
  return ops_refuse(why,
                    "n=%lld is no multiple of group_n=%lld: with a gate the second half of b's "
                    "columns begins with a scale",
                    (long long)n, (long long)group_n);
}

static bool settle_gate(ops_problem *p, ops_why *why) {
  const char *name = p->values[GEMM_gate].text;
  const ops_function *f = ops_function_find(str_of(name));
  ((gemm_parts *)p->parts)->gate = f;
  if (strcmp(name, "none") == 0 || (f && f->args - f->optional == 1)) return true;
  return ops_refuse(why, "gate=%.64s: give a function of one number, as silu, gelu or sigmoid",
                    name);
}

/* What groups of their own sizes may not have. */
static bool check_pointers(const ops_problem *p, ops_why *why) {
  if (!gemm_has_pointers(p)) return true;
  bool plain = !gemm_get(p, GEMM_scale_a) && !gemm_get(p, GEMM_scale_b) &&
               !gemm_epilogue(p)->by_row && !gemm_get(p, GEMM_free_a) &&
               !gemm_get(p, GEMM_free_b) && !gemm_get(p, GEMM_free_c);
  if (plain && ops_stride_unit(gemm_get(p, GEMM_type_a)) == 1 &&
      ops_stride_unit(gemm_get(p, GEMM_type_b)) == 1)
    return true;
  return ops_refuse(why, "rows=pointers goes without scale_a, scale_b, quantise:row, inca, incb, "
                         "incc, and with elements of 8 bits and more; stages such as scale:m and "
                         "scale:n take scales");
}

/* Sorted rows, with those that fill units up. */
static bool settle_sorted(ops_problem *p, ops_why *why) {
  int64_t m = gemm_get(p, GEMM_m), unit = gemm_get(p, GEMM_unit);
  if (m > MOE_MOST_ROWS)
    return ops_refuse(why, "m=%lld: at most 2^30 rows can be sorted", (long long)m);
  if (m % gemm_get(p, GEMM_top))
    return ops_refuse(why, "m=%lld is no multiple of top=%lld: every row of a makes `top` of c",
                      (long long)m, (long long)gemm_get(p, GEMM_top));
  set_auto(p, GEMM_total_m, moe_sorted_rows(m, gemm_get(p, GEMM_batch), unit));
  if (gemm_get(p, GEMM_total_m) % unit == 0 && gemm_get(p, GEMM_total_m) <= MOE_MOST_ROWS)
    return true;
  return ops_refuse(why, "total_m=%lld: give a multiple of unit=%lld, at most 2^30",
                    (long long)gemm_get(p, GEMM_total_m), (long long)unit);
}

static bool settle_rows(ops_problem *p, ops_why *why) {
  int64_t packed = MIN(times(gemm_get(p, GEMM_m), gemm_get(p, GEMM_batch)), INT32_MAX);
  raise_flag(p, GEMM_batched, gemm_get(p, GEMM_rows) != 0);
  if (gemm_is_sorted(p)) return settle_sorted(p, why);
  if (gemm_get(p, GEMM_order) || gemm_get(p, GEMM_top) != 1)
    return ops_refuse(why, "order and top go with rows=sorted; leave them out");
  if (gemm_is_grouped(p)) set_auto(p, GEMM_total_m, packed);
  if (gemm_is_grouped(p) || gemm_get(p, GEMM_total_m) < 0) return true;
  return ops_refuse(why, "total_m=%lld goes with rows=grouped and sorted; leave it out",
                    (long long)gemm_get(p, GEMM_total_m));
}

/* A row is found whole only where it lies in the order of the tiles. */
static bool check_sorted(const ops_problem *p, ops_why *why) {
  if (!gemm_scatters(p) || !gemm_epilogue(p)->by_row) return true;
  return ops_refuse(why, "quantise:row takes sorted rows of c; give order=c or order=both");
}

static bool check_shuffled(const ops_problem *p, ops_why *why) {
  ops_type type = gemm_get(p, GEMM_type_b);
  if (!gemm_is_shuffled(p)) return true;
  if (!gemm_has_order(type))
    return ops_refuse(why, "type_b=%s: elements of 8, 16 and 32 bits and f4E2M1FN are shuffled",
                      ops_type_name(type));
  if (gemm_gate(p) || gemm_is_sorted(p) || gemm_side_of(p, GEMM_SIDE_B)->expression)
    return ops_refuse(why, "b=shuffled goes without gate, combine_b and rows=sorted");
  if (gemm_get(p, GEMM_incb) == 1) return true;
  return ops_refuse(why, "incb=%lld: elements that are shuffled lie together; give 1",
                    (long long)gemm_get(p, GEMM_incb));
}

static bool check_scale_order(const ops_problem *p, ops_why *why) {
  if (!gemm_has_shuffled_scales(p)) return true;
  if (!gemm_has_group_scales(p))
    return ops_refuse(why, "scale_order=shuffled goes with scale_a=group or scale_b=group");
  if (gemm_get(p, GEMM_rows) == 0 && !gemm_gate(p) && gemm_get(p, GEMM_group_n) == 1) return true;
  return ops_refuse(why, "scale_order=shuffled goes with rows=one, group_n=1 and without a gate");
}

/* Matrices that are shuffled follow each other without gaps. */
static void settle_shuffled(ops_problem *p) {
  ops_type type = gemm_get(p, GEMM_type_b) < 0 ? gemm_get(p, GEMM_type) : gemm_get(p, GEMM_type_b);
  if (!gemm_is_shuffled(p) || !gemm_has_order(type) || gemm_get(p, GEMM_batch_b) >= 0) return;
  gemm_order o = gemm_order_of_weights(type, gemm_get(p, GEMM_shuffle) ? 32 : 16);
  p->values[GEMM_batch_b].i = gemm_order_dims(&o, NULL, gemm_get(p, GEMM_n), gemm_get(p, GEMM_k));
}

static bool settle(ops_problem *p, ops_why *why) {
  if (!settle_rows(p, why)) return false;
  int64_t n = gemm_get(p, GEMM_n), k = gemm_get(p, GEMM_k);
  p->parts = arena_new(p->arena, gemm_parts);
  if (!settle_gate(p, why)) return false;
  settle_strides(p, a_params, gemm_rows_a(p), k);
  settle_shuffled(p);
  settle_strides(p, b_params, k, gemm_columns_b(p));
  settle_strides(p, c_params, gemm_rows_c(p), n);
  settle_strides(p, d_params, gemm_rows_c(p), n);
  raise_flag(p, GEMM_batched, gemm_get(p, GEMM_batch) != 1);
  raise_flag(p, GEMM_scaled, p->values[GEMM_alpha].r != 1);
  raise_flag(p, GEMM_added, p->values[GEMM_beta].r != 0);
  raise_flag(p, GEMM_free_a, gemm_get(p, GEMM_inca) != 1);
  raise_flag(p, GEMM_free_b, gemm_get(p, GEMM_incb) != 1);
  raise_flag(p, GEMM_free_c, gemm_get(p, GEMM_incc) != 1);
  return settle_types(p, why) && gemm_combine_settle(p, why) && check_late(p, why) &&
         check_small(p, why) && check_gate(p, why) && check_pointers(p, why) &&
         check_sorted(p, why) && check_shuffled(p, why) && check_scale_order(p, why);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Of groups and experts only b has one matrix each. */
static bool has_batch(const ops_problem *p, matrix_params m) {
  bool one = gemm_is_grouped(p) || gemm_is_sorted(p);
  return gemm_get(p, GEMM_batched) && (!one || m.type == GEMM_type_b);
}

static void add_matrix(const ops_problem *p, ops_operands *out, const char *name, matrix_params m,
                       int64_t rows, int64_t columns, tsr_op_use use) {
  ops_operand *o = ops_operand_add(out, name, gemm_get(p, m.type), use);
  bool by_column = gemm_get(p, m.layout) == 1;
  int64_t ld = gemm_get(p, m.ld), inc = gemm_get(p, m.inc);
  if (has_batch(p, m)) ops_operand_dim(o, gemm_get(p, GEMM_batch), gemm_get(p, m.batch));
  ops_operand_dim(o, rows, by_column ? inc : ld);
  ops_operand_dim(o, columns, by_column ? ld : inc);
}

static void add_b(const ops_problem *p, ops_operands *out) {
  int64_t n = gemm_get(p, GEMM_n), k = gemm_get(p, GEMM_k);
  if (!gemm_is_shuffled(p)) {
    add_matrix(p, out, "b", b_params, k, gemm_columns_b(p), TSR_OP_READ);
    return;
  }
  gemm_order order = gemm_order_of_b(p);
  ops_operand *o = ops_operand_add(out, "b", gemm_get(p, GEMM_type_b), TSR_OP_READ);
  if (has_batch(p, b_params))
    ops_operand_dim(o, gemm_get(p, GEMM_batch), gemm_get(p, GEMM_batch_b));
  gemm_order_dims(&order, o, n, k);
}

/* Scales of groups along k in the order of matrix instructions. */
static void add_shuffled_scale(ops_operand *o, int64_t lines, int64_t groups) {
  gemm_order order = gemm_order_of_scales();
  gemm_order_dims(&order, o, lines, groups);
}

static ops_operand *add_scale(const ops_problem *p, ops_operands *out, const char *name) {
  ops_operand *o = ops_operand_add(out, name, gemm_get(p, GEMM_type_scale), TSR_OP_READ);
  o->low = 0.5, o->high = 2;
  return o;
}

static void add_scale_a(const ops_problem *p, ops_operands *out) {
  int64_t how = gemm_get(p, GEMM_scale_a), m = gemm_rows_a(p);
  if (!how) return;
  ops_operand *o = add_scale(p, out, "scale_a");
  int64_t groups = ceil_div(gemm_get(p, GEMM_k), gemm_get(p, GEMM_group));
  if (how == GEMM_SCALE_LINE) ops_operand_dim(o, m, 1);
  if (how != GEMM_SCALE_GROUP) return;
  if (gemm_has_shuffled_scales(p)) {
    add_shuffled_scale(o, m, groups);
    return;
  }
  ops_operand_dim(o, m, groups);
  ops_operand_dim(o, groups, 1);
}

static void add_scale_b(const ops_problem *p, ops_operands *out) {
  int64_t how = gemm_get(p, GEMM_scale_b), n = gemm_columns_b(p);
  if (!how) return;
  ops_operand *o = add_scale(p, out, "scale_b");
  int64_t columns = ceil_div(n, gemm_get(p, GEMM_group_n));
  int64_t groups = ceil_div(gemm_get(p, GEMM_k), gemm_get(p, GEMM_group));
  int64_t each = how == GEMM_SCALE_TENSOR ? 1 : how == GEMM_SCALE_LINE ? n : groups * columns;
  if (gemm_is_sorted(p)) ops_operand_dim(o, gemm_get(p, GEMM_batch), each);
  if (how == GEMM_SCALE_LINE) ops_operand_dim(o, n, 1);
  if (how != GEMM_SCALE_GROUP) return;
  if (gemm_has_shuffled_scales(p)) {
    add_shuffled_scale(o, n, groups);
    return;
  }
  ops_operand_dim(o, groups, columns);
  ops_operand_dim(o, columns, 1);
}

ops_epilogue_shape gemm_epilogue_shape(const ops_problem *p) {
  bool by_column = gemm_get(p, GEMM_c) == 1;
  int64_t ld = gemm_get(p, GEMM_ldd);
  bool one = gemm_is_grouped(p) || gemm_is_sorted(p);
  return (ops_epilogue_shape){.batch = one ? 1 : gemm_get(p, GEMM_batch),
                              .groups = gemm_is_sorted(p) ? gemm_get(p, GEMM_batch) : 0,
                              .has_groups = gemm_is_sorted(p),
                              .rows = gemm_rows_c(p),
                              .columns = gemm_get(p, GEMM_n),
                              .batch_stride = gemm_get(p, GEMM_batch_d),
                              .stays = one,
                              .row_stride = by_column ? 1 : ld,
                              .column_stride = by_column ? ld : 1};
}

static void add_offsets(const ops_problem *p, ops_operands *out) {
  ops_operand *o = ops_operand_add(out, "offsets", TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, gemm_get(p, GEMM_batch) + 1, 1);
  o->rises = true;
  o->high = (double)gemm_get(p, GEMM_total_m);
}

/* Where sorted rows come from, and the experts of each unit of them. */
static void add_sorted(const ops_problem *p, ops_operands *out) {
  ops_operand *o = ops_operand_add(out, "ids", TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, gemm_get(p, GEMM_total_m), 1);
  o->is_order = true;
  o = ops_operand_add(out, "experts", TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, gemm_get(p, GEMM_total_m) / gemm_get(p, GEMM_unit), 1);
  o->low = -1, o->high = (double)gemm_get(p, GEMM_batch);
}

/* The table of groups by pointers. */
static void add_groups(const ops_problem *p, ops_operands *out) {
  ops_operand *o = ops_operand_add(out, "groups", TSR_I64, TSR_OP_READ);
  ops_operand_dim(o, gemm_get(p, GEMM_batch), gemm_table_columns(p));
  ops_operand_dim(o, gemm_table_columns(p), 1);
  o->addresses = true;
}

static void operands(const ops_problem *p, ops_operands *out) {
  int64_t n = gemm_get(p, GEMM_n), k = gemm_get(p, GEMM_k);
  ops_epilogue_shape shape = gemm_epilogue_shape(p);
  bool stays = gemm_get(p, GEMM_added) || shape.stays;
  if (gemm_has_pointers(p)) {
    add_groups(p, out);
    return;
  }
  add_matrix(p, out, "a", a_params, gemm_rows_a(p), k, TSR_OP_READ);
  add_b(p, out);
  if (gemm_is_grouped(p)) add_offsets(p, out);
  if (gemm_is_sorted(p)) add_sorted(p, out);
  gemm_combine_operands(p, out);
  add_scale_a(p, out);
  add_scale_b(p, out);
  ops_epilogue_operands(gemm_epilogue(p), &shape, out);
  add_matrix(p, out, "c", c_params, gemm_rows_c(p), n, stays ? TSR_OP_UPDATED : TSR_OP_WRITTEN);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Strides that are not known to be 1, as a_0 and a_1: of the rows and of the columns. */
static void pass_strides(const ops_problem *p, ops_steps *steps, ops_step *s, matrix_params m,
                         bool is_free, const char *row, const char *column) {
  bool by_column = gemm_get(p, m.layout) == 1;
  int64_t unit = ops_stride_unit(gemm_get(p, m.type));
  int64_t ld = gemm_get(p, m.ld) / unit, inc = gemm_get(p, m.inc);
  if (is_free || !by_column) ops_pass_index(steps, s, row, by_column ? inc : ld);
  if (is_free || by_column) ops_pass_index(steps, s, column, by_column ? ld : inc);
}

/* From one matrix to the next. */
static void pass_distance(const ops_problem *p, ops_steps *steps, ops_step *s, matrix_params m,
                          const char *name) {
  if (!has_batch(p, m)) return;
  ops_pass_index(steps, s, name, gemm_get(p, m.batch) / ops_stride_unit(gemm_get(p, m.type)));
}

static void pass_c(const ops_problem *p, ops_steps *steps, ops_step *s) {
  if (gemm_has_pointers(p)) return;
  ops_pass_tensor(steps, s, "c");
  pass_strides(p, steps, s, c_params, gemm_get(p, GEMM_free_c), "c_0", "c_1");
  pass_distance(p, steps, s, c_params, "batch_c");
}

/* Elements that wait until their row is complete. */
static int64_t late_count(const ops_problem *p) {
  return gemm_rows_c(p) * gemm_get(p, GEMM_n) * gemm_epilogue_shape(p).batch;
}

/* What is needed where c is written. */
static void pass_end(const ops_problem *p, ops_steps *steps, ops_step *s) {
  ops_epilogue_shape shape = gemm_epilogue_shape(p);
  pass_c(p, steps, s);
  if (gemm_epilogue(p)->by_row)
    ops_pass_workspace(steps, s, "late", ops_type_elem(gemm_late_type(p)), late_count(p));
  gemm_combine_pass(p, GEMM_SIDE_C, steps, s);
  if (gemm_get(p, GEMM_scaled))
    ops_pass_real(s, "alpha", ops_type_elem(gemm_late_type(p)), p->values[GEMM_alpha].r);
  if (gemm_get(p, GEMM_added))
    ops_pass_real(s, "beta", ops_type_elem(gemm_late_type(p)), p->values[GEMM_beta].r);
  for (unsigned side = 0; side < 2; side++) {
    int64_t how = gemm_get(p, side ? GEMM_scale_b : GEMM_scale_a);
    if (how == GEMM_SCALE_TENSOR || how == GEMM_SCALE_LINE)
      ops_pass_tensor(steps, s, side ? "scale_b" : "scale_a");
  }
  if (!gemm_has_pointers(p)) ops_epilogue_pass(gemm_epilogue(p), &shape, steps, s);
}

/* Which rows a group has. */
static void pass_groups(const ops_problem *p, ops_steps *steps, ops_step *s) {
  if (gemm_has_pointers(p)) ops_pass_tensor(steps, s, "groups");
  if (gemm_is_grouped(p)) ops_pass_tensor(steps, s, "offsets");
  if (gemm_is_grouped(p) || gemm_is_sorted(p))
    ops_pass_word(s, "total_m", gemm_get(p, GEMM_total_m));
  if (!gemm_is_sorted(p)) return;
  ops_pass_tensor(steps, s, "ids");
  ops_pass_tensor(steps, s, "experts");
  ops_pass_word(s, "experts_count", gemm_get(p, GEMM_batch));
  ops_pass_word(s, "top", gemm_get(p, GEMM_top));
  ops_pass_index(steps, s, "rows_a", gemm_rows_a(p));
}

static void pass_sizes(const ops_problem *p, ops_steps *steps, ops_step *s) {
  ops_pass_index(steps, s, "m", gemm_get(p, GEMM_m));
  ops_pass_index(steps, s, "n", gemm_get(p, GEMM_n));
  ops_pass_index(steps, s, "k", gemm_get(p, GEMM_k));
  pass_groups(p, steps, s);
}

static void pass_begin(const ops_problem *p, ops_steps *steps, ops_step *s) {
  pass_sizes(p, steps, s);
  if (gemm_has_pointers(p)) return;
  ops_pass_tensor(steps, s, "a");
  ops_pass_tensor(steps, s, "b");
  gemm_combine_pass(p, GEMM_SIDE_A, steps, s);
  gemm_combine_pass(p, GEMM_SIDE_B, steps, s);
  pass_strides(p, steps, s, a_params, gemm_get(p, GEMM_free_a), "a_0", "a_1");
  if (!gemm_is_shuffled(p))
    pass_strides(p, steps, s, b_params, gemm_get(p, GEMM_free_b), "b_0", "b_1");
  pass_distance(p, steps, s, a_params, "batch_a");
  pass_distance(p, steps, s, b_params, "batch_b");
  if (gemm_get(p, GEMM_scale_a) == GEMM_SCALE_GROUP) ops_pass_tensor(steps, s, "scale_a");
  if (gemm_get(p, GEMM_scale_b) == GEMM_SCALE_GROUP) ops_pass_tensor(steps, s, "scale_b");
}

static void pass_combine(const ops_problem *p, ops_steps *steps, int64_t parts) {
  tsr_elem sum = ops_type_elem(gemm_partial_type(p));
  int64_t n = gemm_get(p, GEMM_n);
  ops_step *s =
      ops_step_add(steps, "combine", ceil_div(gemm_block_rows(p), gemm_get(p, GEMM_tile_m)),
                   MAX(ceil_div(n, gemm_get(p, GEMM_tile_n)), 1), gemm_block_batch(p));
  ops_pass_workspace(steps, s, "partial", sum, parts);
  pass_sizes(p, steps, s);
  pass_end(p, steps, s);
}

static void pass_quantise(const ops_problem *p, ops_steps *steps) {
  int64_t rows = ceil_div(gemm_block_rows(p), gemm_get(p, GEMM_tile_m));
  ops_step *s = ops_step_add(steps, "quantise", rows, 1, gemm_block_batch(p));
  ops_pass_workspace(steps, s, "late", ops_type_elem(gemm_late_type(p)), late_count(p));
  ops_pass_index(steps, s, "m", gemm_get(p, GEMM_m));
  ops_pass_index(steps, s, "n", gemm_get(p, GEMM_n));
  if (gemm_is_sorted(p)) ops_pass_index(steps, s, "k", gemm_get(p, GEMM_k));
  pass_groups(p, steps, s);
  pass_c(p, steps, s);
  ops_pass_tensor(steps, s, OPS_ROW_SCALE);
}

/* Steps of blocks that share all tiles. */
static void share_steps(const ops_problem *p, ops_steps *out) {
  ops_step *s;
  int64_t tiles = gemm_share_tiles(p);
  if (gemm_is_atomic(p)) gemm_pass_sums(p, out, ops_step_add(out, "clear", tiles, 1, 1));
  s = ops_step_add(out, "main", gemm_blocks(p), 1, 1);
  gemm_pass_share(p, s);
  pass_begin(p, out, s);
  if (gemm_is_stream(p)) gemm_pass_sums(p, out, s);
  pass_end(p, out, s);
  if (!gemm_is_stream(p)) return;
  s = ops_step_add(out, "combine", tiles, 1, 1);
  gemm_pass_share(p, s);
  pass_sizes(p, out, s);
  gemm_pass_sums(p, out, s);
  pass_end(p, out, s);
}

static void tile_steps(const ops_problem *p, ops_steps *out) {
  int64_t m = gemm_block_rows(p), n = gemm_get(p, GEMM_n), batch = gemm_block_batch(p);
  int64_t split = gemm_get(p, GEMM_split_k);
  ops_step *s = ops_step_add(out, "main", ceil_div(m, gemm_get(p, GEMM_tile_m)),
                             MAX(ceil_div(n, gemm_get(p, GEMM_tile_n)), 1), batch * split);
  pass_begin(p, out, s);
  if (split == 1) {
    pass_end(p, out, s);
  } else {
    tsr_elem sum = ops_type_elem(gemm_partial_type(p));
    ops_pass_workspace(out, s, "partial", sum, m * n * batch * split);
    pass_combine(p, out, m * n * batch * split);
  }
}

static void steps(const ops_problem *p, ops_steps *out) {
  bool by_row = gemm_epilogue(p)->by_row;
  /* Rows without elements have a scale, too. */
  if (gemm_block_rows(p) == 0 || (gemm_get(p, GEMM_n) == 0 && !by_row) ||
      gemm_get(p, GEMM_batch) == 0)
    return;
  if (gemm_blocks(p))
    share_steps(p, out);
  else
    tile_steps(p, out);
  if (by_row) pass_quantise(p, out);
}

void gemm_pass(const ops_problem *p, ops_steps *steps, ops_step *s) {
  pass_begin(p, steps, s);
  pass_end(p, steps, s);
}

static double flops(const ops_problem *p) {
  double batch = (double)gemm_epilogue_shape(p).batch;
  double rows = (double)(gemm_is_sorted(p) ? gemm_get(p, GEMM_m) : gemm_rows_c(p));
  return 2.0 * rows * (double)gemm_columns_b(p) * (double)gemm_get(p, GEMM_k) * batch;
}

static double tolerance(const ops_problem *p) {
  if (gemm_is_whole(p)) return 0;
  double k = (double)gemm_get(p, GEMM_k);
  bool combined =
      gemm_side_of(p, GEMM_SIDE_A)->expression || gemm_side_of(p, GEMM_SIDE_B)->expression;
  /* Roundings of a sum are independent, so their error grows as the root of the number of terms. */
  double sum = ops_type_roundoff(gemm_get(p, GEMM_accumulate)) * (8 + 2 * sqrt(k));
  /* The value of an expression is rounded for the product. */
  if (combined) sum += 4 * ops_type_roundoff(gemm_get(p, GEMM_compute));
  return sum + 16 * ops_type_roundoff(gemm_late_type(p)) +
         (gemm_epilogue(p)->count || gemm_gate(p) ? 1e-6 : 0);
}

const ops_family ops_family_gemm = {
    .name = "gemm",
    .about = "products of matrices, in batches, with scales and an epilogue",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = GEMM_index,
    .settle = settle,
    .operands = operands,
    .pointees = gemm_pointees,
    .supported = gemm_supported,
    .candidates = gemm_candidates,
    .cost = gemm_cost,
    .steps = steps,
    .build = gemm_build,
    .reference = gemm_reference,
    .flops = flops,
    .tolerance = tolerance,
};
