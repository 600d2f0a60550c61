/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cross_entropy_backward: of logits x, a class for each line of them, the logarithms of sums that
 * the forward pass gave (lse=yes), and the gradients of losses,
 *
 *   dx = dloss (exp(x - lse) - (1 - smoothing) [it is the class] - smoothing / classes)
 *
 * and 0 for lines whose class is none.
 */
#include <math.h>
#include <stdio.h>

#include "ops/families.h"
#include "ops/lines.h"

#define CROSS_ENTROPY_BACKWARD_PARAMS(P)                                                           \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x and dx hold")                                     \
  P(type_class, TYPE, FORM, 0, 0, NULL, "i32", "what class holds: i32 or i64")                     \
  P(smoothing, REAL, SIZE, 0, 0, NULL, "0", "weight of all classes together, from 0 to 1")         \
  LINES_PARAMS(P)                                                                                  \
  P(smooth, CHOSEN, DERIVED, 0, 0, "no yes", "no", "smoothing is not 0")                           \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) CROSS_ENTROPY_BACKWARD_##id,
  CROSS_ENTROPY_BACKWARD_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {CROSS_ENTROPY_BACKWARD_PARAMS(OPS_PARAM_ROW)};
static const lines_params at = LINES_AT(CROSS_ENTROPY_BACKWARD);

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, CROSS_ENTROPY_BACKWARD_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static bool check_values(const ops_problem *p, ops_why *why) {
  ops_type x = get(p, CROSS_ENTROPY_BACKWARD_type), y = get(p, CROSS_ENTROPY_BACKWARD_type_class);
  double smoothing = p->values[CROSS_ENTROPY_BACKWARD_smoothing].r;
  if (!ops_type_is_float(x) || ops_type_bits(x) < 8)
    return ops_refuse(why, "type=%s: cross_entropy_backward takes floats of 8 bits and more",
                      ops_type_name(x));
  if (y != TSR_I32 && y != TSR_I64)
    return ops_refuse(why, "type_class=%s: classes are i32 or i64", ops_type_name(y));
  if (smoothing >= 0 && smoothing <= 1) return true;
  return ops_refuse(why, "smoothing=%g: give a number from 0 to 1", smoothing);
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_space *s = arena_new(p->arena, ops_space);
  ops_type t = get(p, CROSS_ENTROPY_BACKWARD_type);
  p->parts = s;
  if (p->values[CROSS_ENTROPY_BACKWARD_smoothing].r != 0)
    p->values[CROSS_ENTROPY_BACKWARD_smooth].i = 1;
  if (!check_values(p, why) || !space_parse(s, p, &at.space, why)) return false;
  space_add(s, "x", t, TSR_OP_READ, SPACE_ALL);
  space_add(s, "class", get(p, CROSS_ENTROPY_BACKWARD_type_class), TSR_OP_READ, SPACE_KEPT);
  space_add(s, "lse", late_type(p), TSR_OP_READ, SPACE_KEPT);
  space_add(s, "dloss", late_type(p), TSR_OP_READ, SPACE_KEPT);
  space_add(s, "dx", t, TSR_OP_WRITTEN, SPACE_ALL);
  if (!space_settle(s, p, &at.space, why)) return false;
  if (s->rank - s->kept <= 1 && space_gone_count(s) <= INT32_MAX) return true;
  return ops_refuse(why, "dims=%s: classes lie along one dimension of less than 2^31 elements",
                    p->values[CROSS_ENTROPY_BACKWARD_dims].text);
}

/* Of the random classes some are none; logarithms of sums are larger than numbers. */
static void operands(const ops_problem *p, ops_operands *out) {
  space_operands(p, out);
  for (unsigned i = 0; i < out->count; i++) {
    ops_operand *o = &out->data[i];
    if (strcmp(o->name, "class") == 0)
      o->low = -1, o->high = (double)space_gone_count(p->parts) - 1;
    if (strcmp(o->name, "lse") == 0) o->low = 1, o->high = 3;
  }
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return lines_supported(p, p->parts, &at, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return lines_cost(p, p->parts, &at, 1, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_step *s = lines_step(p, p->parts, &at, out);
  if (s && get(p, CROSS_ENTROPY_BACKWARD_smooth))
    ops_pass_real(s, "smoothing", ops_type_elem(late_type(p)),
                  p->values[CROSS_ENTROPY_BACKWARD_smoothing].r);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct entropy_kernel {
  tsr_value class, lse, dloss; /* rows x 1 */
  tsr_value hit, rest;         /* what is taken from the class, and from all; NULL: 1 and 0 */
} entropy_kernel;

static void write_tile(lines *l, tsr_value turn, void *user) {
  const entropy_kernel *e = user;
  ops_build *b = l->k.b;
  tsr_value x = space_load(&l->k, "x", turn, l->late, 0);
  tsr_value p = tsr_build_exp(b->b, ops_sub(b, x, space_spread(&l->k, e->lse)));
  tsr_value is = tsr_build_cmpi(b->b, lines_index(l, turn), space_spread(&l->k, e->class),
                                TSR_CMP_EQUAL, TSR_SIGNED);
  tsr_value hit = e->hit ? space_spread(&l->k, e->hit) : ops_full_like(b, p, 1);
  p = ops_sub(b, p, tsr_build_select(b->b, is, hit, ops_full_like(b, p, 0)));
  if (e->rest) p = ops_sub(b, p, space_spread(&l->k, e->rest));
  space_store(&l->k, "dx", turn, ops_mul(b, p, space_spread(&l->k, e->dloss)), l->late);
}

/* Lines whose class is none have no gradient. */
static tsr_value gradient_of_loss(lines *l, tsr_value class) {
  ops_build *b = l->k.b;
  char size[24];
  snprintf(size, sizeof size, "size_%u", l->k.s->rank - 1);
  tsr_value count = ops_from_index(b, ops_arg(b, size));
  count = ops_spread(b, count, TSR_INTS(l->k.tile_rows, 1));
  /* As unsigned numbers, negative ones are the largest. */
  tsr_value is = tsr_build_cmpi(b->b, class, count, TSR_CMP_LESS_THAN, TSR_UNSIGNED);
  tsr_value dloss = space_load(&l->k, "dloss", NULL, l->late, 0);
  return tsr_build_select(b->b, is, dloss, lines_number(l, 0));
}

static void build(ops_build *b) {
  lines l = lines_begin(b, b->p->parts, &at, late_type(b->p));
  entropy_kernel e = {.class = space_load(&l.k, "class", NULL, TSR_I32, 0)};
  e.lse = space_load(&l.k, "lse", NULL, l.late, 0);
  e.dloss = gradient_of_loss(&l, e.class);
  if (get(b->p, CROSS_ENTROPY_BACKWARD_smooth)) {
    tsr_value by = ops_spread(b, ops_arg(b, "smoothing"), TSR_INTS(l.k.tile_rows, 1));
    e.hit = ops_sub(b, lines_number(&l, 1), by);
    e.rest = tsr_build_divf(b->b, by, lines_length(&l));
  }
  lines_each(&l, write_tile, &e);
}

/* ---- the reference --------------------------------------------------------------------------- */

static void one_line(ops_host *h, const ops_space *s, int64_t line) {
  int64_t length = space_gone_count(s);
  double smoothing = h->p->values[CROSS_ENTROPY_BACKWARD_smoothing].r;
  double class = *space_element(h, s, "class", line, 0), lse = *space_element(h, s, "lse", line, 0);
  double dloss = *space_element(h, s, "dloss", line, 0);
  if (class < 0 || class >= (double)length) dloss = 0;
  for (int64_t i = 0; i < length; i++) {
    double p = exp(*space_element(h, s, "x", line, i) - lse);
    if (i == (int64_t) class) p -= 1 - smoothing;
    *space_element(h, s, "dx", line, i) = dloss * (p - smoothing / (double)length);
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

const ops_family ops_family_cross_entropy_backward = {
    .name = "cross_entropy_backward",
    .about = "gradients of losses of logits and classes",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = CROSS_ENTROPY_BACKWARD_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = lines_candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
