/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softmax: y = alpha softmax(x) + beta y along any dimensions, or its logarithm.
 */
#include <math.h>

#include "ops/families.h"
#include "ops/lines.h"

#define SOFTMAX_PARAMS(P)                                                                          \
  P(kind, CHOSEN, FORM, 0, 0, "softmax log_softmax", "softmax", "which of them")                   \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x holds")                                           \
  P(type_y, TYPE, FORM, 0, 0, "auto", "auto", "what y holds, if not the type")                     \
  P(alpha, REAL, SIZE, 0, 0, NULL, "1", "factor of the result")                                    \
  P(beta, REAL, SIZE, 0, 0, NULL, "0", "factor of what y held; with 0 y is not read")              \
  LINES_PARAMS(P)                                                                                  \
  P(scaled, CHOSEN, DERIVED, 0, 0, "no yes", "no", "alpha is not 1")                               \
  P(added, CHOSEN, DERIVED, 0, 0, "no yes", "no", "beta is not 0")                                 \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) SOFTMAX_##id,
  SOFTMAX_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {SOFTMAX_PARAMS(OPS_PARAM_ROW)};
static const lines_params at = LINES_AT(SOFTMAX);

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, SOFTMAX_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_space *s = arena_new(p->arena, ops_space);
  p->parts = s;
  if (get(p, SOFTMAX_type_y) < 0) p->values[SOFTMAX_type_y].i = get(p, SOFTMAX_type);
  if (ops_type_bits(get(p, SOFTMAX_type)) < 8 || ops_type_bits(get(p, SOFTMAX_type_y)) < 8)
    return ops_refuse(why, "type=%s, type_y=%s: softmax takes elements of 8 bits and more",
                      ops_type_name(get(p, SOFTMAX_type)), ops_type_name(get(p, SOFTMAX_type_y)));
  if (p->values[SOFTMAX_alpha].r != 1) p->values[SOFTMAX_scaled].i = 1;
  if (p->values[SOFTMAX_beta].r != 0) p->values[SOFTMAX_added].i = 1;
  if (!space_parse(s, p, &at.space, why)) return false;
  space_add(s, "x", get(p, SOFTMAX_type), TSR_OP_READ, SPACE_ALL);
  space_add(s, "y", get(p, SOFTMAX_type_y), get(p, SOFTMAX_added) ? TSR_OP_UPDATED : TSR_OP_WRITTEN,
            SPACE_ALL);
  return space_settle(s, p, &at.space, why);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return lines_supported(p, p->parts, &at, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return lines_cost(p, p->parts, &at, 2.5, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_step *s = lines_step(p, p->parts, &at, out);
  if (!s) return;
  if (get(p, SOFTMAX_scaled))
    ops_pass_real(s, "alpha", ops_type_elem(late_type(p)), p->values[SOFTMAX_alpha].r);
  if (get(p, SOFTMAX_added))
    ops_pass_real(s, "beta", ops_type_elem(late_type(p)), p->values[SOFTMAX_beta].r);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct softmax_kernel {
  tsr_value largest, sum; /* of each line, rows x 1 */
} softmax_kernel;

static tsr_value load_x(lines *l, tsr_value turn, void *user) {
  (void)user;
  return space_load(&l->k, "x", turn, l->late, -INFINITY);
}

static tsr_value shifted(lines *l, tsr_value turn, const softmax_kernel *s) {
  return ops_sub(l->k.b, load_x(l, turn, NULL), space_spread(&l->k, s->largest));
}

static tsr_value exponential(lines *l, tsr_value turn, void *user) {
  return tsr_build_exp(l->k.b->b, shifted(l, turn, user));
}

static tsr_value blend(lines *l, tsr_value y, tsr_value turn) {
  ops_build *b = l->k.b;
  tsr_ints shape = TSR_INTS(l->k.tile_rows, l->k.tile_columns);
  if (ops_has_arg(b, "alpha")) y = ops_mul(b, y, ops_spread(b, ops_arg(b, "alpha"), shape));
  if (!ops_has_arg(b, "beta")) return y;
  tsr_value old = space_load(&l->k, "y", turn, l->late, 0);
  return ops_add(b, y, ops_mul(b, old, ops_spread(b, ops_arg(b, "beta"), shape)));
}

static void write_tile(lines *l, tsr_value turn, void *user) {
  const softmax_kernel *s = user;
  ops_build *b = l->k.b;
  bool logarithm = get(b->p, SOFTMAX_kind) == 1;
  tsr_value y = logarithm ? ops_sub(b, shifted(l, turn, s), space_spread(&l->k, s->sum))
                          : ops_mul(b, exponential(l, turn, user), space_spread(&l->k, s->sum));
  space_store(&l->k, "y", turn, blend(l, y, turn), l->late);
}

static void build(ops_build *b) {
  lines l = lines_begin(b, b->p->parts, &at, late_type(b->p));
  softmax_kernel s = {.largest = lines_fold(&l, OPS_FOLD_MAX, true, load_x, NULL)};
  s.sum = lines_fold(&l, OPS_FOLD_SUM, true, exponential, &s);
  s.sum = get(b->p, SOFTMAX_kind) == 1 ? tsr_build_log(b->b, s.sum)
                                       : tsr_build_divf(b->b, lines_number(&l, 1), s.sum);
  lines_each(&l, write_tile, &s);
}

/* ---- the reference --------------------------------------------------------------------------- */

static void one_line(ops_host *h, const ops_space *s, int64_t line) {
  const ops_problem *p = h->p;
  int64_t length = space_gone_count(s);
  double largest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < length; i++) largest = fmax(largest, *space_element(h, s, "x", line, i));
  for (int64_t i = 0; i < length; i++) sum += exp(*space_element(h, s, "x", line, i) - largest);
  for (int64_t i = 0; i < length; i++) {
    double x = *space_element(h, s, "x", line, i) - largest;
    double *y = space_element(h, s, "y", line, i);
    double result = get(p, SOFTMAX_kind) == 1 ? x - log(sum) : exp(x) / sum;
    result *= p->values[SOFTMAX_alpha].r;
    *y = get(p, SOFTMAX_added) ? result + p->values[SOFTMAX_beta].r * *y : result;
  }
}

static void reference(ops_host *h) {
  lines_reference(h, one_line);
}

static double flops(const ops_problem *p) {
  return lines_flops(p, 5);
}

static double tolerance(const ops_problem *p) {
  return lines_tolerance(p, late_type(p));
}

const ops_family ops_family_softmax = {
    .name = "softmax",
    .about = "softmax or its logarithm along any dimensions",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = SOFTMAX_index,
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
