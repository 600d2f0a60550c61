/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * reduce: y = alpha * result + beta * y, for sums, products, extremes and norms along any
 * dimensions, several of them in one reading.
 */
#include <math.h>

#include "ops/families.h"
#include "ops/lines.h"

#define REDUCE_PARAMS(P)                                                                           \
  P(operations, TEXT, FORM, 0, 0, NULL, "sum",                                                     \
    "results, with + between: sum product max min mean amax norm1 norm2 squares argmax argmin")    \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x holds")                                           \
  P(type_y, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what results hold; auto: the type, i32 for integers")                                         \
  P(alpha, REAL, SIZE, 0, 0, NULL, "1", "factor of results, but for places")                       \
  P(beta, REAL, SIZE, 0, 0, NULL, "0", "factor of what they held; with 0 they are not read")       \
  LINES_PARAMS(P)                                                                                  \
  P(scaled, CHOSEN, DERIVED, 0, 0, "no yes", "no", "alpha is not 1")                               \
  P(added, CHOSEN, DERIVED, 0, 0, "no yes", "no", "beta is not 0")                                 \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) REDUCE_##id,
  REDUCE_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {REDUCE_PARAMS(OPS_PARAM_ROW)};
static const lines_params at = LINES_AT(REDUCE);

typedef enum before { AS_IT_IS, ABSOLUTE, SQUARED } before;
/* PLACED: not the result but the number of the first element that equals it. */
typedef enum after { AS_SUM, DIVIDED, ROOTED, PLACED } after;

typedef struct reduce_row {
  const char *name;
  uint8_t fold; /* ops_fold */
  uint8_t before, after;
  bool real; /* integers become floats */
} reduce_row;

static const reduce_row rows[] = {
    {"sum", OPS_FOLD_SUM, AS_IT_IS, AS_SUM, false},
    {"product", OPS_FOLD_PRODUCT, AS_IT_IS, AS_SUM, false},
    {"max", OPS_FOLD_MAX, AS_IT_IS, AS_SUM, false},
    {"min", OPS_FOLD_MIN, AS_IT_IS, AS_SUM, false},
    {"mean", OPS_FOLD_SUM, AS_IT_IS, DIVIDED, true},
    {"amax", OPS_FOLD_MAX, ABSOLUTE, AS_SUM, true},
    {"norm1", OPS_FOLD_SUM, ABSOLUTE, AS_SUM, true},
    {"norm2", OPS_FOLD_SUM, SQUARED, ROOTED, true},
    {"squares", OPS_FOLD_SUM, SQUARED, AS_SUM, true},
    {"argmax", OPS_FOLD_MAX, AS_IT_IS, PLACED, false},
    {"argmin", OPS_FOLD_MIN, AS_IT_IS, PLACED, false},
};

enum { MAX_RESULTS = 8 };

typedef struct reduce_parts {
  ops_space space;
  const reduce_row *results[MAX_RESULTS];
  unsigned count;
  ops_type late;
} reduce_parts;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const reduce_parts *parts_of(const ops_problem *p) {
  return p->parts;
}

static const reduce_row *find_row(str name) {
  for (size_t i = 0; i < ARRAY_LEN(rows); i++)
    if (str_is(name, rows[i].name)) return &rows[i];
  return NULL;
}

static bool read_operations(ops_problem *p, reduce_parts *r, ops_why *why) {
  const char *text = p->values[REDUCE_operations].text;
  for (str rest = str_of(text); rest.data;) {
    const char *plus = memchr(rest.data, '+', rest.len);
    str word = {rest.data, plus ? (size_t)(plus - rest.data) : rest.len};
    const reduce_row *row = find_row(word);
    for (unsigned i = 0; i < r->count; i++)
      if (row == r->results[i]) row = NULL;
    if (!row || r->count == MAX_RESULTS)
      return ops_refuse(why,
                        "operations=%.200s: give some of sum product max min mean amax norm1 "
                        "norm2 squares argmax argmin, each once, with + between",
                        text);
    r->results[r->count++] = row;
    rest = plus ? (str){plus + 1, rest.len - word.len - 1} : (str){0};
  }
  return true;
}

static ops_type late_type(const ops_problem *p, const reduce_parts *r, ops_type t) {
  bool real = !ops_type_is_int(t) || get(p, REDUCE_scaled) || get(p, REDUCE_added);
  for (unsigned i = 0; i < r->count; i++) real |= r->results[i]->real;
  if (!real) return ops_arithmetic_type(t);
  bool is_double = ops_type_elem(t) == TSR_F64 || (ops_type_is_int(t) && ops_type_bits(t) >= 32);
  return is_double ? TSR_F64 : TSR_F32;
}

static ops_type type_of(const ops_problem *p, const reduce_row *row) {
  return row->after == PLACED ? TSR_I32 : get(p, REDUCE_type_y);
}

static tsr_op_use use_of(const ops_problem *p, const reduce_row *row) {
  return get(p, REDUCE_added) && row->after != PLACED ? TSR_OP_UPDATED : TSR_OP_WRITTEN;
}

static bool check_places(const ops_problem *p, ops_why *why) {
  const reduce_parts *r = parts_of(p);
  int64_t length = space_gone_count(&r->space);
  for (unsigned i = 0; i < r->count; i++)
    if (r->results[i]->after == PLACED && length > INT32_MAX)
      return ops_refuse(why, "%s: lines have %lld elements; at most 2^31 - 1 can be told apart",
                        r->results[i]->name, (long long)length);
  return true;
}

static bool settle(ops_problem *p, ops_why *why) {
  reduce_parts *r = arena_new(p->arena, reduce_parts);
  ops_type t = get(p, REDUCE_type);
  p->parts = r;
  if (!read_operations(p, r, why)) return false;
  if (p->values[REDUCE_alpha].r != 1) p->values[REDUCE_scaled].i = 1;
  if (p->values[REDUCE_beta].r != 0) p->values[REDUCE_added].i = 1;
  r->late = late_type(p, r, t);
  if (get(p, REDUCE_type_y) < 0)
    p->values[REDUCE_type_y].i = ops_type_is_int(t) ? ops_type_accumulator(t) : t;
  if (ops_type_bits(t) < 8 || ops_type_bits(get(p, REDUCE_type_y)) < 8)
    return ops_refuse(why, "type=%s, type_y=%s: reduce takes elements of 8 bits and more",
                      ops_type_name(t), ops_type_name(get(p, REDUCE_type_y)));
  if (t == (TSR_I64 | OPS_UNSIGNED) || t == (TSR_I32 | OPS_UNSIGNED))
    return ops_refuse(why, "type=%s: reduce takes i32 and i64, not unsigned ones",
                      ops_type_name(t));
  if (!space_parse(&r->space, p, &at.space, why)) return false;
  space_add(&r->space, "x", t, TSR_OP_READ, SPACE_ALL);
  for (unsigned i = 0; i < r->count; i++)
    space_add(&r->space, r->results[i]->name, type_of(p, r->results[i]), use_of(p, r->results[i]),
              SPACE_KEPT);
  return space_settle(&r->space, p, &at.space, why) && check_places(p, why);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return lines_supported(p, &parts_of(p)->space, &at, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return lines_cost(p, &parts_of(p)->space, &at, parts_of(p)->count, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_step *s = lines_step(p, &parts_of(p)->space, &at, out);
  tsr_elem late = ops_type_elem(parts_of(p)->late);
  if (s && get(p, REDUCE_scaled)) ops_pass_real(s, "alpha", late, p->values[REDUCE_alpha].r);
  if (s && get(p, REDUCE_added)) ops_pass_real(s, "beta", late, p->values[REDUCE_beta].r);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static tsr_value value_of(lines *l, tsr_value turn, void *user) {
  const reduce_row *row = user;
  ops_build *b = l->k.b;
  tsr_value x = space_load(&l->k, "x", turn, l->late, 0);
  if (row->before == SQUARED) return ops_mul(b, x, x);
  return row->before == ABSOLUTE ? tsr_build_absf(b->b, x) : x;
}

/* rows x 1 of a number that the kernel gets. */
static tsr_value number_of(lines *l, const char *name) {
  return ops_spread(l->k.b, ops_arg(l->k.b, name), TSR_INTS(l->k.tile_rows, 1));
}

static tsr_value finish(lines *l, const reduce_row *row, tsr_value v) {
  ops_build *b = l->k.b;
  if (row->after == DIVIDED) v = tsr_build_divf(b->b, v, lines_length(l));
  if (row->after == ROOTED) v = tsr_build_sqrt(b->b, v);
  if (get(b->p, REDUCE_scaled)) v = ops_mul(b, v, number_of(l, "alpha"));
  if (!get(b->p, REDUCE_added)) return v;
  tsr_value old = space_load(&l->k, row->name, l->zero, l->late, 0);
  return ops_add(b, v, ops_mul(b, old, number_of(l, "beta")));
}

/* A result whose place is looked for, and the type that it is compared in. */
typedef struct place_search {
  tsr_value result;
  ops_type late;
} place_search;

static tsr_value places(lines *l, tsr_value turn, void *user) {
  const place_search *s = user;
  tsr_builder *b = l->k.b->b;
  tsr_value x = space_load(&l->k, "x", turn, s->late, 0), here = lines_index(l, turn);
  tsr_value result = space_spread(&l->k, s->result);
  tsr_value same = ops_type_is_int(s->late)
                       ? tsr_build_cmpi(b, x, result, TSR_CMP_EQUAL, TSR_SIGNED)
                       : tsr_build_cmpf(b, x, result, TSR_CMP_EQUAL, TSR_CMP_ORDERED);
  return tsr_build_select(b, same, here, ops_full_like(l->k.b, here, INT32_MAX));
}

static void store_result(lines *l, const reduce_row *row, tsr_value v) {
  place_search s = {.result = v, .late = l->late};
  lines ints = *l;
  if (row->after != PLACED) {
    space_store(&l->k, row->name, l->zero, finish(l, row, v), l->late);
    return;
  }
  ints.late = TSR_I32;
  v = lines_fold(&ints, OPS_FOLD_MIN, false, places, &s);
  space_store(&l->k, row->name, l->zero, v, TSR_I32);
}

static void build(ops_build *b) {
  const reduce_parts *r = parts_of(b->p);
  lines l = lines_begin(b, &r->space, &at, r->late);
  for (unsigned i = 0; i < r->count; i++) {
    const reduce_row *row = r->results[i];
    tsr_value v =
        lines_fold(&l, (ops_fold)row->fold, row->fold == OPS_FOLD_SUM, value_of, (void *)row);
    store_result(&l, row, v);
  }
}

/* ---- the reference --------------------------------------------------------------------------- */

static double combine(uint8_t fold, double x, double y) {
  switch (fold) {
  case OPS_FOLD_SUM: return x + y;
  case OPS_FOLD_PRODUCT: return x * y;
  case OPS_FOLD_MAX: return isnan(x) || isnan(y) ? NAN : fmax(x, y);
  default: return isnan(x) || isnan(y) ? NAN : fmin(x, y);
  }
}

/* Sums and products of integers wrap around. */
static double wrapped(ops_type late, double x) {
  if (ops_type_elem(late) != TSR_I32 || fabs(x) >= 0x1p62) return x;
  return (double)(int32_t)(uint32_t)(int64_t)x;
}

static double first_place(ops_host *h, const reduce_parts *r, int64_t line, double v) {
  for (int64_t i = 0; i < space_gone_count(&r->space); i++)
    if (*space_element(h, &r->space, "x", line, i) == v) return (double)i;
  return INT32_MAX;
}

static double one_result(ops_host *h, const reduce_parts *r, const reduce_row *row, int64_t line) {
  int64_t length = space_gone_count(&r->space);
  double v = ops_fold_identity((ops_fold)row->fold, ops_type_elem(r->late));
  for (int64_t i = 0; i < length; i++) {
    double x = *space_element(h, &r->space, "x", line, i);
    if (row->before == SQUARED) x *= x;
    if (row->before == ABSOLUTE) x = fabs(x);
    v = wrapped(r->late, combine(row->fold, v, x));
  }
  if (row->after == PLACED) return first_place(h, r, line, v);
  if (row->after == DIVIDED) v /= (double)length;
  if (row->after == ROOTED) v = sqrt(v);
  v *= h->p->values[REDUCE_alpha].r;
  if (!get(h->p, REDUCE_added)) return v;
  return v + h->p->values[REDUCE_beta].r * *space_element(h, &r->space, row->name, line, 0);
}

static void reference(ops_host *h) {
  const reduce_parts *r = parts_of(h->p);
  for (int64_t line = 0; line < space_kept_count(&r->space); line++)
    for (unsigned i = 0; i < r->count; i++)
      *space_element(h, &r->space, r->results[i]->name, line, 0) =
          one_result(h, r, r->results[i], line);
}

static double flops(const ops_problem *p) {
  const reduce_parts *r = parts_of(p);
  return r->count * (double)space_kept_count(&r->space) * (double)space_gone_count(&r->space);
}

static double tolerance(const ops_problem *p) {
  const reduce_parts *r = parts_of(p);
  if (ops_type_is_int(r->late)) return 0;
  return (16 + 2 * sqrt((double)space_gone_count(&r->space))) * ops_type_roundoff(r->late);
}

const ops_family ops_family_reduce = {
    .name = "reduce",
    .about = "sums, products, extremes, means and norms along any dimensions",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = REDUCE_index,
    .settle = settle,
    .operands = space_operands,
    .supported = supported,
    .candidates = lines_candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
