/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/mma.h"

simt_product simt_product_of(const ir_op *op) {
  const ir_type *a = ir_operand(op, 0)->type, *c = ir_result(op, 0)->type;
  unsigned r = c->rank;
  return (simt_product){.batch = r == 3 ? simt_log2(c->shape[0]) : 0,
                        .m = simt_log2(c->shape[r - 2]),
                        .n = simt_log2(c->shape[r - 1]),
                        .k = simt_log2(a->shape[r - 1])};
}

/* A list of index bits. */
typedef struct bit_list {
  uint8_t bit[SIMT_BITS];
  unsigned n;
} bit_list;

/* Moves up to `count` bits from what is left of a dimension to the list. */
static void take(bit_list *to, unsigned *next, unsigned end, unsigned count) {
  while (count-- && *next < end) to->bit[to->n++] = (uint8_t)(*next)++;
}

/* A thread holds squares of 4 x 4, four neighbours along n, when there is enough for all. */
static simt_dist choose_fma(const simt_plan *p, const simt_product *s) {
  unsigned total = s->batch + s->m + s->n, threads = SIMT_LANE_BITS + p->warps;
  unsigned spare = MIN(total > threads ? total - threads : 0, 4);
  unsigned next_n = 0, end_n = s->n, next_m = s->n, end_m = s->n + s->m;
  bit_list l = {.n = 0};
  take(&l, &next_n, end_n, MIN(spare, 2));
  take(&l, &next_m, end_m, spare - l.n);
  take(&l, &next_n, end_n, spare - l.n);
  unsigned vector = l.n;
  take(&l, &next_n, end_n, 3);
  take(&l, &next_m, end_m, 2);
  take(&l, &next_m, end_m, s->m);
  take(&l, &next_n, end_n, s->n);
  unsigned next_b = end_m;
  take(&l, &next_b, total, s->batch);
  return simt_dist_ordered(total, l.bit, vector, p->warps);
}

simt_dist simt_mma_choose(simt_op *info, const simt_plan *p, const ir_op *op) {
  simt_product s = simt_product_of(op);
  info->mma = SIMT_MMA_FMA;
  return choose_fma(p, &s);
}
