/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rotary: rotates pairs of elements of each token by angles of the token and the pair.
 *
 * Elements behind the first `size` are copied.
 */
#include <math.h>
#include <stdio.h>

#include "ops/emit.h"
#include "ops/families.h"
#include "ops/host.h"
#include "ops/rotary.h"

#define ROTARY_PARAMS(P)                                                                           \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what x and y hold")                                      \
  P(type_angle, TYPE, FORM, 0, 0, NULL, "f32", "what cos and sin hold")                            \
  P(head, INTEGER, FORM, 1, 1024, NULL, "64", "elements of a token in a head")                     \
  P(size, INTEGER, FORM, 2, 1024, "head", "head", "elements that are rotated, an even number")     \
  P(pairs, CHOSEN, FORM, 0, 0, "halves interleaved", "halves", "which elements make a pair")       \
  P(batch, INTEGER, SIZE, 0, 1 << 30, NULL, "1", "how many sequences")                             \
  P(heads, INTEGER, SIZE, 0, 1 << 20, NULL, "8", "heads of a token")                               \
  P(seq, INTEGER, SIZE, 0, 1 << 30, NULL, "512", "tokens of a sequence, rows of cos and sin")      \
  P(layout, CHOSEN, SIZE, 0, 0, "bhsd bshd", "bhsd",                                               \
    "how x and y lie: a head after the other, or a token after the other")                         \
  P(tile, INTEGER, CHOICE, 1, 256, "auto", "auto", "tokens of a tile, a power of two")             \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) ROTARY_##id,
  ROTARY_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {ROTARY_PARAMS(OPS_PARAM_ROW)};

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, ROTARY_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static bool check_type(const ops_problem *p, unsigned param, ops_why *why) {
  ops_type t = get(p, param);
  if (ops_type_is_float(t) && ops_type_bits(t) >= 8 && ops_type_elem(t) != TSR_F8E8M0FNU)
    return true;
  return ops_refuse(why, "%s=%s: rotary takes floats of 8 bits and more", params[param].name,
                    ops_type_name(t));
}

static bool settle(ops_problem *p, ops_why *why) {
  if (get(p, ROTARY_size) < 0) p->values[ROTARY_size].i = get(p, ROTARY_head);
  int64_t size = get(p, ROTARY_size), head = get(p, ROTARY_head);
  if (!check_type(p, ROTARY_type, why) || !check_type(p, ROTARY_type_angle, why)) return false;
  if (size % 2 == 0 && size <= head) return true;
  return ops_refuse(why, "size=%lld: give an even number of at most head=%lld", (long long)size,
                    (long long)head);
}

static void add_tokens(const ops_problem *p, ops_operands *out, const char *name, tsr_op_use use) {
  int64_t heads = get(p, ROTARY_heads), seq = get(p, ROTARY_seq), head = get(p, ROTARY_head);
  bool by_token = get(p, ROTARY_layout) == 1;
  ops_operand *o = ops_operand_add(out, name, get(p, ROTARY_type), use);
  ops_operand_dim(o, get(p, ROTARY_batch), MAX(heads * head, 1) * MAX(seq, 1));
  ops_operand_dim(o, heads, by_token ? head : MAX(seq, 1) * head);
  ops_operand_dim(o, seq, by_token ? MAX(heads, 1) * head : head);
  ops_operand_dim(o, head, 1);
}

static void add_angles(const ops_problem *p, ops_operands *out, const char *name) {
  ops_operand *o = ops_operand_add(out, name, get(p, ROTARY_type_angle), TSR_OP_READ);
  ops_operand_dim(o, get(p, ROTARY_seq), get(p, ROTARY_size) / 2);
  ops_operand_dim(o, get(p, ROTARY_size) / 2, 1);
}

static void operands(const ops_problem *p, ops_operands *out) {
  add_tokens(p, out, "x", TSR_OP_READ);
  add_angles(p, out, "cos");
  add_angles(p, out, "sin");
  add_tokens(p, out, "y", TSR_OP_WRITTEN);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  double blocks =
      (double)get(p, ROTARY_seq) * (double)get(p, ROTARY_heads) * (double)get(p, ROTARY_batch);
  if (!ops_check_power(p, ROTARY_tile, why)) return false;
  if (blocks <= 0x1p40) return true;
  return ops_refuse(why, "batch=%lld, heads=%lld and seq=%lld have more than 2^40 tokens together",
                    (long long)get(p, ROTARY_batch), (long long)get(p, ROTARY_heads),
                    (long long)get(p, ROTARY_seq));
}

static void candidates(const ops_target *t, ops_candidates *out) {
  (void)t;
  for (int64_t tile = 1; tile <= 64; tile *= 4) ops_candidates_add(out, &tile);
}

static int64_t tiles_of(const ops_problem *p) {
  return (get(p, ROTARY_seq) + get(p, ROTARY_tile) - 1) / get(p, ROTARY_tile);
}

static double cost(const ops_problem *p, const ops_target *t) {
  double tile = (double)get(p, ROTARY_tile), head = (double)get(p, ROTARY_head);
  double blocks = (double)tiles_of(p) * (double)get(p, ROTARY_heads) * (double)get(p, ROTARY_batch);
  double turns = ceil(blocks / t->cores), bytes = 2 * ops_type_bytes(get(p, ROTARY_type)) + 4;
  return 0.004 + turns * (0.0005 + tile * head * bytes * t->cores / (t->gbytes * 1e6));
}

static void pass_strides(const ops_problem *p, ops_steps *out, ops_step *s, const char *name) {
  const ops_operand *o = ops_operand_find(out->operands, name);
  static const char dims[] = "bht";
  ops_pass_tensor(out, s, name);
  for (unsigned d = 0; d < 3; d++)
    ops_pass_index(out, s, arena_printf(p->arena, "%s_%c", name, dims[d]), o->strides[d]);
}

static void steps(const ops_problem *p, ops_steps *out) {
  if (get(p, ROTARY_seq) == 0 || get(p, ROTARY_heads) == 0 || get(p, ROTARY_batch) == 0) return;
  ops_step *s = ops_step_add(out, "main", tiles_of(p), get(p, ROTARY_heads), get(p, ROTARY_batch));
  ops_pass_tensor(out, s, "cos");
  ops_pass_tensor(out, s, "sin");
  ops_pass_index(out, s, "seq", get(p, ROTARY_seq));
  pass_strides(p, out, s, "x");
  pass_strides(p, out, s, "y");
}

/* ---- the kernel ------------------------------------------------------------------------------ */

void rotary_turn(ops_build *b, tsr_value halves[2], tsr_value cosine, tsr_value sine) {
  tsr_value x = halves[0], y = halves[1];
  halves[0] = ops_sub(b, ops_mul(b, x, cosine), ops_mul(b, y, sine));
  halves[1] = ops_add(b, ops_mul(b, y, cosine), ops_mul(b, x, sine));
}

void rotary_turn_numbers(double *x, double *y, double cosine, double sine) {
  double first = *x, second = *y;
  *x = first * cosine - second * sine;
  *y = second * cosine + first * sine;
}

static tsr_value arg_of(ops_build *b, const char *name, char dim) {
  char full[8];
  snprintf(full, sizeof full, "%s_%c", name, dim);
  return ops_arg(b, full);
}

/* Some elements of each token. */
static ops_tiles elements(ops_build *b, const char *name, rotary_half half) {
  tsr_value base = ops_arg(b, name);
  base = ops_advance(b, base, b->block[2], arg_of(b, name, 'b'));
  base = ops_advance(b, base, b->block[1], arg_of(b, name, 'h'));
  if (half.first) base = ops_advance(b, base, ops_i32(b, half.first), ops_i32(b, 1));
  return ops_view(b, &(ops_view_spec){.base = base,
                                      .elem = ops_type_elem(get(b->p, ROTARY_type)),
                                      .rank = 2,
                                      .sizes = {ops_arg(b, "seq")},
                                      .strides = {arg_of(b, name, 't'),
                                                  half.step == 1 ? NULL : ops_index(b, half.step)},
                                      .known = {0, half.count},
                                      .tile = {get(b->p, ROTARY_tile), rotary_power(half.count)},
                                      .padding = TSR_PADDING_ZERO});
}

static tsr_value load(ops_build *b, const ops_tiles *t, ops_type type) {
  tsr_value v = ops_load(b, t, TSR_VALUES(b->block[0], ops_i32(b, 0)));
  return ops_convert(b, v, type, late_type(b->p));
}

static void store(ops_build *b, rotary_half half, tsr_value v) {
  ops_tiles t = elements(b, "y", half);
  v = ops_convert(b, v, late_type(b->p), get(b->p, ROTARY_type));
  ops_store(b, v, &t, TSR_VALUES(b->block[0], ops_i32(b, 0)));
}

static tsr_value load_angles(ops_build *b, const char *name, int64_t count) {
  ops_tiles t = ops_view(b, &(ops_view_spec){.base = ops_arg(b, name),
                                             .elem = ops_type_elem(get(b->p, ROTARY_type_angle)),
                                             .rank = 2,
                                             .sizes = {ops_arg(b, "seq")},
                                             .strides = {ops_index(b, count)},
                                             .known = {0, count},
                                             .tile = {get(b->p, ROTARY_tile), rotary_power(count)},
                                             .padding = TSR_PADDING_ZERO});
  return load(b, &t, get(b->p, ROTARY_type_angle));
}

static void copy_rest(ops_build *b, rotary_half rest) {
  if (!rest.count) return;
  ops_tiles x = elements(b, "x", rest);
  store(b, rest, load(b, &x, get(b->p, ROTARY_type)));
}

static void build(ops_build *b) {
  int64_t size = get(b->p, ROTARY_size), count = size / 2;
  bool interleaved = get(b->p, ROTARY_pairs) == 1;
  tsr_value halves[2];
  for (unsigned i = 0; i < 2; i++) {
    ops_tiles half = elements(b, "x", rotary_half_of(size, interleaved, i));
    halves[i] = load(b, &half, get(b->p, ROTARY_type));
  }
  rotary_turn(b, halves, load_angles(b, "cos", count), load_angles(b, "sin", count));
  for (unsigned i = 0; i < 2; i++) store(b, rotary_half_of(size, interleaved, i), halves[i]);
  copy_rest(b, (rotary_half){size, 1, get(b->p, ROTARY_head) - size});
}

/* ---- the reference --------------------------------------------------------------------------- */

static void one_token(const ops_host *h, int64_t at, int64_t token) {
  const ops_problem *p = h->p;
  const double *x = &ops_host_tensor(h, "x")->numbers[at];
  double *y = &ops_host_tensor(h, "y")->numbers[at];
  int64_t size = get(p, ROTARY_size), count = size / 2;
  bool interleaved = get(p, ROTARY_pairs) == 1;
  memcpy(y, x, (size_t)get(p, ROTARY_head) * sizeof *y);
  for (int64_t i = 0; i < count; i++) {
    double cosine = ops_host_tensor(h, "cos")->numbers[token * count + i];
    double sine = ops_host_tensor(h, "sin")->numbers[token * count + i];
    rotary_turn_numbers(&y[rotary_element(rotary_half_of(size, interleaved, false), i)],
                        &y[rotary_element(rotary_half_of(size, interleaved, true), i)], cosine,
                        sine);
  }
}

static void reference(ops_host *h) {
  const ops_problem *p = h->p;
  const ops_tensor *x = ops_host_tensor(h, "x");
  for (int64_t b = 0; b < get(p, ROTARY_batch); b++)
    for (int64_t i = 0; i < get(p, ROTARY_heads); i++)
      for (int64_t t = 0; t < get(p, ROTARY_seq); t++) one_token(h, ops_at(x, b, i, t), t);
}

static double flops(const ops_problem *p) {
  return 3 * (double)get(p, ROTARY_batch) * (double)get(p, ROTARY_heads) *
         (double)get(p, ROTARY_seq) * (double)get(p, ROTARY_size);
}

static double tolerance(const ops_problem *p) {
  return 4 * ops_type_roundoff(late_type(p));
}

const ops_family ops_family_rotary = {
    .name = "rotary",
    .about = "rotations of pairs of elements of tokens by their places",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = ROTARY_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
