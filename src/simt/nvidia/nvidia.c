/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/nvidia.h"

#include "simt/nvidia/bulk.h"
#include "simt/nvidia/bulk_store.h"
#include "simt/nvidia/roles.h"
#include "simt/nvidia/stage.h"
#include "simt/nvidia/wgmma.h"

/* Barriers of a producer take a little. */
static simt_budget budget(const simt_plan *p, const simt_pipeline *loop) {
  uint32_t bytes = p->target.gpu->shared_bytes;
  (void)loop;
  if (p->target.form == SIMT_PLAIN) return (simt_budget){bytes, SIMT_STAGES, 2};
  return (simt_budget){bytes - SIMT_STAGE_ALIGN, SIMT_BULK_STAGES, 2};
}

const simt_vendor simt_nvidia = {
    .group_warps = simt_wgmma_warps,
    .choose_group = simt_wgmma_choose,
    .order_operand = simt_wgmma_order,
    .print_group = simt_wgmma_print,
    .chunk = SIMT_CHUNK,
    .stage_align = SIMT_STAGE_ALIGN,
    .lay_out = simt_stage_lay_out,
    .budget = budget,
    .print_staged = simt_stage_print,
    .plan_form = simt_plan_bulk,
    .store_bytes = simt_bulk_store_bytes,
    .roles = &simt_roles,
};
