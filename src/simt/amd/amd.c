/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/amd/amd.h"

#include "simt/amd/stage.h"

static unsigned no_group_warps(const simt_target *target, const ir_op *product) {
  (void)target, (void)product;
  return 0;
}

static bool no_group(simt_op *info, const simt_plan *p, const ir_op *op, const simt_product *s,
                     simt_dist *c) {
  (void)info, (void)p, (void)op, (void)s, (void)c;
  return false;
}

static bool no_order(const simt_plan *p, const simt_loaded *x, simt_order *out) {
  (void)p, (void)x, (void)out;
  return false;
}

static void no_form(simt_plan *plan, ir_op *entry) {
  (void)plan, (void)entry;
}

static uint32_t no_store(const simt_plan *p, const ir_op *store) {
  (void)p, (void)store;
  return 0;
}

/* Two stages where as many workgroups still fit a compute unit as keep its SIMDs busy with two
 * waves each, or as its registers are enough for; of these the accumulator takes half at most. */
static simt_budget budget(const simt_plan *p, const simt_pipeline *loop) {
  const gpu_target *t = p->target.gpu;
  const simt_op *info = simt_op_of(p, loop->loads[0].product);
  unsigned waves = 1u << p->warps, of_thread = 2u << info->sum.regs, lanes = gpu_lanes(t);
  unsigned by_registers = t->registers / (of_thread * lanes * waves);
  unsigned wanted = MAX(MIN(2 * t->schedulers / waves, by_registers), 1u);
  bool fits = (uint64_t)2 * loop->stage_bytes * wanted <= t->shared_sm;
  return (simt_budget){t->shared_bytes, fits ? 2 : 1, 1};
}

const simt_vendor simt_amd = {
    .group_warps = no_group_warps,
    .choose_group = no_group,
    .order_operand = no_order,
    .wide_k = true,
    .any_target = true,
    .chunk = AMD_CHUNK,
    .stage_align = AMD_CHUNK,
    .lay_out = simt_amd_lay_out,
    .share_out = simt_amd_share_out,
    .budget = budget,
    .print_staged = simt_amd_print_staged,
    .plan_form = no_form,
    .store_bytes = no_store,
};
