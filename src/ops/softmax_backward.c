/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softmax_backward: of what softmax gave and the gradient of that,
 *
 *   softmax       dx = y (dy - sum(dy y))
 *   log_softmax   dx = dy - exp(y) sum(dy)
 */
#include <math.h>

#include "ops/families.h"
#include "ops/lines.h"

#define SOFTMAX_BACKWARD_PARAMS(P)                                                                 \
  P(kind, CHOSEN, FORM, 0, 0, "softmax log_softmax", "softmax", "of which of them")                \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what y, dy and dx hold")                                 \
  LINES_PARAMS(P)                                                                                  \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) SOFTMAX_BACKWARD_##id,
  SOFTMAX_BACKWARD_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {SOFTMAX_BACKWARD_PARAMS(OPS_PARAM_ROW)};
static const lines_params at = LINES_AT(SOFTMAX_BACKWARD);

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, SOFTMAX_BACKWARD_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static bool is_logarithm(const ops_problem *p) {
  return get(p, SOFTMAX_BACKWARD_kind) == 1;
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_space *s = arena_new(p->arena, ops_space);
  ops_type t = get(p, SOFTMAX_BACKWARD_type);
  p->parts = s;
  if (!ops_type_is_float(t) || ops_type_bits(t) < 8)
    return ops_refuse(why, "type=%s: softmax_backward takes floats of 8 bits and more",
                      ops_type_name(t));
  if (!space_parse(s, p, &at.space, why)) return false;
  space_add(s, "y", t, TSR_OP_READ, SPACE_ALL);
  space_add(s, "dy", t, TSR_OP_READ, SPACE_ALL);
  space_add(s, "dx", t, TSR_OP_WRITTEN, SPACE_ALL);
  return space_settle(s, p, &at.space, why);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return lines_supported(p, p->parts, &at, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return lines_cost(p, p->parts, &at, 2, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  lines_step(p, p->parts, &at, out);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static tsr_value load(lines *l, const char *name, tsr_value turn) {
  return space_load(&l->k, name, turn, l->late, 0);
}

static tsr_value part_of_sum(lines *l, tsr_value turn, void *user) {
  (void)user;
  tsr_value dy = load(l, "dy", turn);
  return is_logarithm(l->k.b->p) ? dy : ops_mul(l->k.b, dy, load(l, "y", turn));
}

static void write_tile(lines *l, tsr_value turn, void *user) {
  ops_build *b = l->k.b;
  tsr_value y = load(l, "y", turn), dy = load(l, "dy", turn), sum = space_spread(&l->k, user);
  tsr_value dx = is_logarithm(b->p) ? ops_sub(b, dy, ops_mul(b, tsr_build_exp(b->b, y), sum))
                                    : ops_mul(b, y, ops_sub(b, dy, sum));
  space_store(&l->k, "dx", turn, dx, l->late);
}

static void build(ops_build *b) {
  lines l = lines_begin(b, b->p->parts, &at, late_type(b->p));
  lines_each(&l, write_tile, lines_fold(&l, OPS_FOLD_SUM, true, part_of_sum, NULL));
}

/* ---- the reference --------------------------------------------------------------------------- */

static void one_line(ops_host *h, const ops_space *s, int64_t line) {
  int64_t length = space_gone_count(s);
  bool logarithm = is_logarithm(h->p);
  double sum = 0;
  for (int64_t i = 0; i < length; i++)
    sum +=
        *space_element(h, s, "dy", line, i) * (logarithm ? 1 : *space_element(h, s, "y", line, i));
  for (int64_t i = 0; i < length; i++) {
    double y = *space_element(h, s, "y", line, i), dy = *space_element(h, s, "dy", line, i);
    *space_element(h, s, "dx", line, i) = logarithm ? dy - exp(y) * sum : y * (dy - sum);
  }
}

static void reference(ops_host *h) {
  lines_reference(h, one_line);
}

static double flops(const ops_problem *p) {
  return lines_flops(p, 4);
}

static double tolerance(const ops_problem *p) {
  return lines_tolerance(p, late_type(p));
}

const ops_family ops_family_softmax_backward = {
    .name = "softmax_backward",
    .about = "gradients of softmax and its logarithm",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = SOFTMAX_BACKWARD_index,
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
