/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * elementwise: y = an expression of tensors a, b, ... of one shape, with strides of their own; so
 * copies, conversions, permutations and transpositions, too.
 */
#include <math.h>

#include "ops/expression.h"
#include "ops/families.h"
#include "ops/space.h"

#define ELEMENTWISE_PARAMS(P)                                                                      \
  P(expression, TEXT, FORM, 0, 0, NULL, "a+b", "what y is: relu(a*2+b), where(a<b,a,-b)")          \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what tensors hold")                                      \
  P(types, TEXT, FORM, 0, 0, NULL, "same", "what a, b, ... hold, if not all the type: f16+i8")     \
  P(type_y, TYPE, FORM, 0, 0, "auto", "auto", "what y holds, if not the type")                     \
  SPACE_PARAMS(P)                                                                                  \
  P(tile_rows, INTEGER, CHOICE, 1, 4096, "auto", "auto", "rows of a tile, a power of two")         \
  P(tile_columns, INTEGER, CHOICE, 1, 65536, "auto", "auto", "columns of a tile, a power of two")  \
  SPACE_DERIVED_PARAMS(P)                                                                          \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) ELEMENTWISE_##id,
  ELEMENTWISE_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {ELEMENTWISE_PARAMS(OPS_PARAM_ROW)};
static const space_params space_at_params = {ELEMENTWISE_shape, ELEMENTWISE_strides,
                                             ELEMENTWISE_kept,  ELEMENTWISE_gone,
                                             ELEMENTWISE_units, OPS_MAX_PARAMS};

typedef struct elementwise_parts {
  ops_space space;
  expression *expression;
  ops_type late; /* what is computed in */
} elementwise_parts;

static const elementwise_parts *parts_of(const ops_problem *p) {
  return p->parts;
}

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static const char *const names[EXPRESSION_TENSORS] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static bool check_type(const char *name, ops_type t, ops_why *why) {
  if (ops_type_bits(t) >= 8 || ops_type_is_float(t)) return true;
  return ops_refuse(why, "%s holds %s: elementwise takes floats, and integers of 8 bits and more",
                    name, ops_type_name(t));
}

/* The type of the n-th tensor that is used. */
static bool type_of(const ops_problem *p, str *rest, ops_type *out, ops_why *why) {
  *out = get(p, ELEMENTWISE_type);
  if (!rest->len) return true;
  const char *plus = memchr(rest->data, '+', rest->len);
  str word = {rest->data, plus ? (size_t)(plus - rest->data) : rest->len};
  *rest = (str){word.data + word.len + (plus != NULL), rest->len - word.len - (plus != NULL)};
  *out = ops_type_parse(word);
  if (*out >= 0) return true;
  return ops_refuse(why, "types=%s: give an element type for each tensor, with + between",
                    p->values[ELEMENTWISE_types].text);
}

static ops_type later(ops_type late, ops_type t) {
  bool is_double = ops_type_elem(t) == TSR_F64 || (ops_type_is_int(t) && ops_type_bits(t) >= 32);
  return is_double ? TSR_F64 : late;
}

static bool add_tensors(ops_problem *p, elementwise_parts *e, unsigned used, ops_why *why) {
  const char *types = p->values[ELEMENTWISE_types].text;
  str rest = strcmp(types, "same") == 0 ? (str){0} : str_of(types);
  ops_type t, y = get(p, ELEMENTWISE_type_y);
  if (y < 0) y = get(p, ELEMENTWISE_type);
  p->values[ELEMENTWISE_type_y].i = y;
  for (unsigned i = 0; i < EXPRESSION_TENSORS; i++) {
    if (!(used >> i & 1)) continue;
    if (!type_of(p, &rest, &t, why) || !check_type(names[i], t, why)) return false;
    e->late = later(e->late, t);
    space_add(&e->space, names[i], t, TSR_OP_READ, SPACE_ALL);
  }
  if (rest.len)
    return ops_refuse(why, "types=%s has more types than the expression has tensors", types);
  e->late = later(e->late, y);
  space_add(&e->space, "y", y, TSR_OP_WRITTEN, SPACE_ALL);
  return check_type("y", y, why);
}

static bool settle(ops_problem *p, ops_why *why) {
  elementwise_parts *e = arena_new(p->arena, elementwise_parts);
  unsigned used;
  p->parts = e;
  e->late = TSR_F32;
  e->expression =
      expression_parse(p->arena, str_of(p->values[ELEMENTWISE_expression].text), &used, why);
  if (!e->expression || !space_parse(&e->space, p, &space_at_params, why) ||
      !add_tensors(p, e, used, why) || !space_settle(&e->space, p, &space_at_params, why))
    return false;
  if (e->late == TSR_F64 && expression_is_f32_only(e->expression))
    return ops_refuse(why,
                      "expression=%s: erf and gelu are computed to 3e-7, not in f64; take "
                      "gelu_tanh or another type",
                      p->values[ELEMENTWISE_expression].text);
  return true;
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  const ops_space *s = &parts_of(p)->space;
  int64_t rows = get(p, ELEMENTWISE_tile_rows), columns = get(p, ELEMENTWISE_tile_columns);
  if (!ops_check_power(p, ELEMENTWISE_tile_rows, why) ||
      !ops_check_power(p, ELEMENTWISE_tile_columns, why))
    return false;
  if (rows * columns > 65536)
    return ops_refuse(why, "tiles of %lld x %lld are too large: at most 65536 elements",
                      (long long)rows, (long long)columns);
  if (ops_tiles_of(space_columns(s), columns) > INT32_MAX ||
      ops_tiles_of(space_rows(s), rows) > INT32_MAX || space_outer(s) > INT32_MAX)
    return ops_refuse(why,
                      "shape=%s makes more than 2^31 - 1 tile blocks along an axis; give larger "
                      "tiles",
                      p->values[ELEMENTWISE_shape].text);
  return true;
}

static void candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t tiles[][2] = {{1, 4096}, {1, 1024}, {4, 1024}, {16, 256}, {64, 64},
                                     {32, 32},  {16, 64},  {1, 256},  {1, 64},   {1024, 1}};
  (void)t;
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    ops_candidates_add(out, (int64_t[]){tiles[i][0], tiles[i][1]});
}

/* Tiles whose contiguous direction is short waste cache lines. */
static double waste(const ops_space *s, const space_tensor *t, int64_t rows, int64_t columns) {
  int64_t run = t->unit == (int)s->rank - 1 ? columns : t->unit == (int)s->rank - 2 ? rows : 1;
  return 1 + 4 / (double)run;
}

static double cost(const ops_problem *p, const ops_target *t) {
  const ops_space *s = &parts_of(p)->space;
  int64_t rows = get(p, ELEMENTWISE_tile_rows), columns = get(p, ELEMENTWISE_tile_columns);
  double blocks = (double)ops_tiles_of(space_columns(s), columns) *
                  (double)ops_tiles_of(space_rows(s), rows) * (double)space_outer(s);
  double bytes = 0;
  for (unsigned i = 0; i < s->count; i++)
    bytes += ops_type_bytes(s->tensors[i].type) * waste(s, &s->tensors[i], rows, columns);
  double elements = blocks * (double)(rows * columns);
  return elements * bytes / (t->gbytes * 1e6) + 0.0002 * ceil(blocks / t->cores) + 0.004;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void steps(const ops_problem *p, ops_steps *out) {
  const ops_space *s = &parts_of(p)->space;
  if (space_kept_count(s) == 0) return;
  ops_step *step =
      ops_step_add(out, "main", ops_tiles_of(space_columns(s), get(p, ELEMENTWISE_tile_columns)),
                   ops_tiles_of(space_rows(s), get(p, ELEMENTWISE_tile_rows)), space_outer(s));
  space_pass(s, out, step);
}

static void build(ops_build *b) {
  const elementwise_parts *e = parts_of(b->p);
  int64_t rows = get(b->p, ELEMENTWISE_tile_rows), columns = get(b->p, ELEMENTWISE_tile_columns);
  space_kernel k = space_begin(b, &e->space, rows, columns);
  tsr_value tensors[EXPRESSION_TENSORS] = {NULL};
  tsr_value like = ops_full(b, ops_type_elem(e->late), TSR_INTS(rows, columns), 0);
  for (unsigned i = 0; i < EXPRESSION_TENSORS; i++)
    if (space_has(&e->space, names[i])) tensors[i] = space_load(&k, names[i], NULL, e->late, 0);
  tsr_value y = expression_emit(b, e->expression, tensors, like);
  space_store(&k, "y", NULL, y, e->late);
}

static void reference(ops_host *h) {
  const elementwise_parts *e = parts_of(h->p);
  const ops_space *s = &e->space;
  double tensors[EXPRESSION_TENSORS] = {0};
  for (int64_t i = 0; i < space_kept_count(s); i++) {
    for (unsigned t = 0; t < EXPRESSION_TENSORS; t++)
      if (space_has(s, names[t])) tensors[t] = *space_element(h, s, names[t], i, 0);
    *space_element(h, s, "y", i, 0) = expression_value(e->expression, tensors);
  }
}

static double count_operations(const expression *e) {
  double n = e->kind >= EXPRESSION_FUNCTION;
  for (unsigned i = 0; i < OPS_FUNCTION_ARGS; i++)
    if (e->args[i]) n += count_operations(e->args[i]);
  return n;
}

static double flops(const ops_problem *p) {
  return count_operations(parts_of(p)->expression) * (double)space_kept_count(&parts_of(p)->space);
}

static double tolerance(const ops_problem *p) {
  const elementwise_parts *e = parts_of(p);
  if (e->expression->kind == EXPRESSION_TENSOR) return 0; /* copies and conversions are exact */
  return 64 * ops_type_roundoff(e->late) + (expression_is_f32_only(e->expression) ? 1e-6 : 0);
}

const ops_family ops_family_elementwise = {
    .name = "elementwise",
    .about = "any expression of tensors, with any strides: also copies and permutations",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = ELEMENTWISE_index,
    .settle = settle,
    .operands = space_operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
