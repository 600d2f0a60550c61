/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * shuffle: weights, or scales of groups, in the order that matrix instructions take
 * (gemm_shuffle.h), for gemm with b=shuffled or scale_order=shuffled. Where blocks reach beyond the
 * matrix they hold zeros.
 */
#include <math.h>

#include "ops/families.h"
#include "ops/gemm_shuffle.h"
#include "ops/host.h"

#define SHUFFLE_PARAMS(P)                                                                          \
  P(type, TYPE, FORM, 0, 0, NULL, "bf16", "what x and y hold")                                     \
  P(kind, CHOSEN, FORM, 0, 0, "weights scales", "weights", "what x is: b of gemm, or its scales")  \
  P(shuffle, CHOSEN, FORM, 0, 0, "n16 n32", "n16", "weights: columns of a matrix instruction")     \
  P(x, CHOSEN, FORM, 0, 0, "row column", "row",                                                    \
    "columns of x lie together (as b and scale_b), or numbers along k (as scale_a)")               \
  P(n, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "columns; of scale_a rows")                   \
  P(k, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "elements along k; of scales groups")         \
  P(batch, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1", "how many matrices")                         \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) SHUFFLE_##id,
  SHUFFLE_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {SHUFFLE_PARAMS(OPS_PARAM_ROW)};

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static gemm_order order_of(const ops_problem *p) {
  if (get(p, SHUFFLE_kind) == 1) return gemm_order_of_scales();
  return gemm_order_of_weights(get(p, SHUFFLE_type), get(p, SHUFFLE_shuffle) ? 32 : 16);
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_type type = get(p, SHUFFLE_type);
  if (gemm_has_order(type)) return true;
  return ops_refuse(why, "type=%s: elements of 8, 16 and 32 bits and f4E2M1FN are shuffled",
                    ops_type_name(type));
}

static void operands(const ops_problem *p, ops_operands *out) {
  int64_t n = get(p, SHUFFLE_n), k = get(p, SHUFFLE_k), batch = get(p, SHUFFLE_batch);
  bool along_k = get(p, SHUFFLE_x) == 1;
  gemm_order order = order_of(p);
  ops_operand *o = ops_operand_add(out, "x", get(p, SHUFFLE_type), TSR_OP_READ);
  ops_operand_dim(o, batch, MIN((int64_t)fmin((double)n * (double)k, 0x1p40), OPS_MAX_SIZE));
  ops_operand_dim(o, along_k ? n : k, along_k ? k : n);
  ops_operand_dim(o, along_k ? k : n, 1);
  o = ops_operand_add(out, "y", get(p, SHUFFLE_type), TSR_OP_WRITTEN);
  ops_operand_dim(o, batch, gemm_order_dims(&order, NULL, n, k));
  gemm_order_dims(&order, o, n, k);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  gemm_order order = order_of(p);
  double blocks = (double)ops_tiles_of(get(p, SHUFFLE_n), order.lines) *
                  (double)ops_tiles_of(get(p, SHUFFLE_k), order.depth);
  if (blocks <= INT32_MAX && get(p, SHUFFLE_batch) <= INT32_MAX) return true;
  return ops_refuse(why, "n=%lld, k=%lld, batch=%lld make more than 2^31 - 1 blocks",
                    (long long)get(p, SHUFFLE_n), (long long)get(p, SHUFFLE_k),
                    (long long)get(p, SHUFFLE_batch));
}

static void candidates(const ops_target *t, ops_candidates *out) {
  (void)t;
  ops_candidates_add(out, NULL);
}

static double bytes_of(const ops_problem *p) {
  return 2 * (double)get(p, SHUFFLE_n) * (double)get(p, SHUFFLE_k) * (double)get(p, SHUFFLE_batch) *
         ops_type_bytes(get(p, SHUFFLE_type));
}

static double cost(const ops_problem *p, const ops_target *t) {
  return 0.004 + bytes_of(p) / (t->gbytes * 1e6);
}

static void steps(const ops_problem *p, ops_steps *out) {
  gemm_order order = order_of(p);
  int64_t n = get(p, SHUFFLE_n), k = get(p, SHUFFLE_k), batch = get(p, SHUFFLE_batch);
  if (!n || !k || !batch) return;
  ops_step *s =
      ops_step_add(out, "main", ops_tiles_of(n, order.lines), ops_tiles_of(k, order.depth), batch);
  ops_pass_index(out, s, "n", n);
  ops_pass_index(out, s, "k", k);
  ops_pass_index(out, s, "batch", batch);
  ops_pass_index(out, s, "batch_x", ops_operand_find(out->operands, "x")->strides[0]);
  ops_pass_index(out, s, "batch_y", ops_operand_find(out->operands, "y")->strides[0]);
  ops_pass_tensor(out, s, "x");
  ops_pass_tensor(out, s, "y");
}

/* A tile block copies a block. */
static void build(ops_build *b) {
  gemm_order order = order_of(b->p);
  ops_type type = get(b->p, SHUFFLE_type);
  bool along_k = get(b->p, SHUFFLE_x) == 1;
  tsr_value n = ops_arg(b, "n"), k = ops_arg(b, "k");
  tsr_value y = ops_advance(b, ops_arg(b, "y"), b->block[2], ops_arg(b, "batch_y"));
  /* Matrices of 4 bits need not begin at a byte, so that they are one tensor. */
  ops_tiles from = ops_view(b, &(ops_view_spec){.base = ops_arg(b, "x"),
                                                .elem = ops_type_elem(type),
                                                .rank = 3,
                                                .sizes = {ops_arg(b, "batch"), n, k},
                                                .strides = {ops_arg(b, "batch_x"),
                                                            along_k ? k : NULL, along_k ? NULL : n},
                                                .tile = {1, order.lines, order.depth},
                                                .padding = TSR_PADDING_ZERO});
  gemm_shuffled to = gemm_shuffled_view(b, &order, type, y, n, k, order.lines, order.depth);
  tsr_value tile = ops_load(b, &from, TSR_VALUES(b->block[2], b->block[0], b->block[1]));
  tile = ops_reshape(b, tile, TSR_INTS(order.lines, order.depth));
  gemm_shuffled_store(b, &to, tile, b->block[0], b->block[1]);
}

static void reference(ops_host *h) {
  const ops_tensor *x = ops_host_tensor(h, "x"), *y = ops_host_tensor(h, "y");
  gemm_order order = order_of(h->p);
  int64_t n = get(h->p, SHUFFLE_n), k = get(h->p, SHUFFLE_k);
  bool along_k = get(h->p, SHUFFLE_x) == 1;
  for (int64_t b = 0; b < get(h->p, SHUFFLE_batch); b++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < k; j++)
        y->numbers[b * y->operand->strides[0] + gemm_order_at(&order, k, i, j)] =
            x->numbers[ops_at(x, b, along_k ? i : j, along_k ? j : i)];
}

static double flops(const ops_problem *p) {
  (void)p;
  return 0;
}

const ops_family ops_family_shuffle = {
    .name = "shuffle",
    .about = "weights and scales in the order of matrix instructions",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = SHUFFLE_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = flops,
};
