/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cross_entropy: of logits x and a class for each line of them,
 *
 *   loss = (1 - smoothing) (lse - x[class]) + smoothing (lse - mean(x)),   lse = log sum exp(x)
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "ops/families.h"
#include "ops/lines.h"

#define CROSS_ENTROPY_PARAMS(P)                                                                    \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x holds")                                           \
  P(type_class, TYPE, FORM, 0, 0, NULL, "i32", "what class holds: i32 or i64")                     \
  P(lse, CHOSEN, FORM, 0, 0, "no yes", "no", "lse is written, too: backward passes need it")       \
  P(smoothing, REAL, SIZE, 0, 0, NULL, "0", "weight of all classes together, from 0 to 1")         \
  LINES_PARAMS(P)                                                                                  \
  P(smooth, CHOSEN, DERIVED, 0, 0, "no yes", "no", "smoothing is not 0")                           \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) CROSS_ENTROPY_##id,
  CROSS_ENTROPY_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {CROSS_ENTROPY_PARAMS(OPS_PARAM_ROW)};
static const lines_params at = LINES_AT(CROSS_ENTROPY);

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, CROSS_ENTROPY_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static bool check_values(const ops_problem *p, ops_why *why) {
  ops_type x = get(p, CROSS_ENTROPY_type), y = get(p, CROSS_ENTROPY_type_class);
  double smoothing = p->values[CROSS_ENTROPY_smoothing].r;
  if (!ops_type_is_float(x) || ops_type_bits(x) < 8)
    return ops_refuse(why, "type=%s: cross_entropy takes floats of 8 bits and more",
                      ops_type_name(x));
  if (y != TSR_I32 && y != TSR_I64)
    return ops_refuse(why, "type_class=%s: classes are i32 or i64", ops_type_name(y));
  if (smoothing >= 0 && smoothing <= 1) return true;
  return ops_refuse(why, "smoothing=%g: give a number from 0 to 1", smoothing);
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_space *s = arena_new(p->arena, ops_space);
  p->parts = s;
  if (p->values[CROSS_ENTROPY_smoothing].r != 0) p->values[CROSS_ENTROPY_smooth].i = 1;
  if (!check_values(p, why) || !space_parse(s, p, &at.space, why)) return false;
  space_add(s, "x", get(p, CROSS_ENTROPY_type), TSR_OP_READ, SPACE_ALL);
  space_add(s, "class", get(p, CROSS_ENTROPY_type_class), TSR_OP_READ, SPACE_KEPT);
  space_add(s, "loss", late_type(p), TSR_OP_WRITTEN, SPACE_KEPT);
  if (get(p, CROSS_ENTROPY_lse)) space_add(s, "lse", late_type(p), TSR_OP_WRITTEN, SPACE_KEPT);
  if (!space_settle(s, p, &at.space, why)) return false;
  if (s->rank - s->kept <= 1 && space_gone_count(s) <= INT32_MAX) return true;
  return ops_refuse(why, "dims=%s: classes lie along one dimension of less than 2^31 elements",
                    p->values[CROSS_ENTROPY_dims].text);
}

/* Of the random classes some are none. */
static void operands(const ops_problem *p, ops_operands *out) {
  space_operands(p, out);
  for (unsigned i = 0; i < out->count; i++)
    if (strcmp(out->data[i].name, "class") == 0) {
      out->data[i].low = -1;
      out->data[i].high = (double)space_gone_count(p->parts) - 1;
    }
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return lines_supported(p, p->parts, &at, t, why);
}

static double cost(const ops_problem *p, const ops_target *t) {
  return lines_cost(p, p->parts, &at, 3, t);
}

static void steps(const ops_problem *p, ops_steps *out) {
  ops_step *s = lines_step(p, p->parts, &at, out);
  if (s && get(p, CROSS_ENTROPY_smooth))
    ops_pass_real(s, "smoothing", ops_type_elem(late_type(p)),
                  p->values[CROSS_ENTROPY_smoothing].r);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct entropy_kernel {
  tsr_value class; /* rows x 1, i32 */
  tsr_value largest;
} entropy_kernel;

static tsr_value load_x(lines *l, tsr_value turn, void *user) {
  (void)user;
  return space_load(&l->k, "x", turn, l->late, -INFINITY);
}

static tsr_value exponential(lines *l, tsr_value turn, void *user) {
  const entropy_kernel *e = user;
  tsr_value x = ops_sub(l->k.b, load_x(l, turn, NULL), space_spread(&l->k, e->largest));
  return tsr_build_exp(l->k.b->b, x);
}

static tsr_value plain_x(lines *l, tsr_value turn, void *user) {
  (void)user;
  return space_load(&l->k, "x", turn, l->late, 0);
}

/* The logit of the line's class; 0 elsewhere. */
static tsr_value chosen_x(lines *l, tsr_value turn, void *user) {
  const entropy_kernel *e = user;
  ops_build *b = l->k.b;
  tsr_value is = tsr_build_cmpi(b->b, lines_index(l, turn), space_spread(&l->k, e->class),
                                TSR_CMP_EQUAL, TSR_SIGNED);
  tsr_value x = plain_x(l, turn, NULL);
  return tsr_build_select(b->b, is, x, ops_full_like(b, x, 0));
}

static tsr_value smoothed(lines *l, tsr_value lse, tsr_value loss) {
  ops_build *b = l->k.b;
  tsr_value sum = lines_fold(l, OPS_FOLD_SUM, true, plain_x, NULL);
  tsr_value other = ops_sub(b, lse, tsr_build_divf(b->b, sum, lines_length(l)));
  tsr_value by = ops_spread(b, ops_arg(b, "smoothing"), TSR_INTS(l->k.tile_rows, 1));
  return tsr_build_fma(b->b, by, ops_sub(b, other, loss), loss);
}

/* Lines whose class is none have no loss. */
static tsr_value where_class(lines *l, const entropy_kernel *e, tsr_value loss) {
  ops_build *b = l->k.b;
  char size[24];
  snprintf(size, sizeof size, "size_%u", l->k.s->rank - 1);
  tsr_value count = ops_from_index(b, ops_arg(b, size));
  count = ops_spread(b, count, TSR_INTS(l->k.tile_rows, 1));
  /* As unsigned numbers, negative ones are the largest. */
  tsr_value is = tsr_build_cmpi(b->b, e->class, count, TSR_CMP_LESS_THAN, TSR_UNSIGNED);
  return tsr_build_select(b->b, is, loss, lines_number(l, 0));
}

static void build(ops_build *b) {
  lines l = lines_begin(b, b->p->parts, &at, late_type(b->p));
  entropy_kernel e = {.class = space_load(&l.k, "class", NULL, TSR_I32, 0)};
  /* Where a line has no number above -infinity, the differences must not be NaN. */
  double lowest = ops_type_lowest(late_type(b->p));
  e.largest =
      ops_max(b, lines_fold(&l, OPS_FOLD_MAX, true, load_x, NULL), lines_number(&l, lowest));
  tsr_value sum = lines_fold(&l, OPS_FOLD_SUM, true, exponential, &e);
  tsr_value lse = ops_add(b, e.largest, tsr_build_log(b->b, sum));
  tsr_value loss = ops_sub(b, lse, lines_fold(&l, OPS_FOLD_SUM, true, chosen_x, &e));
  if (get(b->p, CROSS_ENTROPY_smooth)) loss = smoothed(&l, lse, loss);
  space_store(&l.k, "loss", NULL, where_class(&l, &e, loss), l.late);
  if (get(b->p, CROSS_ENTROPY_lse)) space_store(&l.k, "lse", NULL, lse, l.late);
}

/* ---- the reference --------------------------------------------------------------------------- */

static void one_line(ops_host *h, const ops_space *s, int64_t line) {
  const ops_problem *p = h->p;
  int64_t length = space_gone_count(s);
  double largest = -DBL_MAX, sum = 0, all = 0, smoothing = p->values[CROSS_ENTROPY_smoothing].r;
  for (int64_t i = 0; i < length; i++) largest = fmax(largest, *space_element(h, s, "x", line, i));
  for (int64_t i = 0; i < length; i++) {
    double x = *space_element(h, s, "x", line, i);
    all += x;
    sum += exp(x - largest);
  }
  double lse = largest + log(sum), class = *space_element(h, s, "class", line, 0), loss = 0;
  if (class >= 0 && class < (double)length) {
    loss = lse - *space_element(h, s, "x", line, (int64_t) class);
    loss += smoothing * (lse - all / (double)length - loss);
  }
  *space_element(h, s, "loss", line, 0) = loss;
  if (get(p, CROSS_ENTROPY_lse)) *space_element(h, s, "lse", line, 0) = lse;
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

const ops_family ops_family_cross_entropy = {
    .name = "cross_entropy",
    .about = "losses of logits and classes, with smoothing",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = CROSS_ENTROPY_index,
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
