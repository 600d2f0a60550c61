/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/wgmma.h: matrix products by wgmma, the instructions of sm_90a by which the four warps
 * of a warpgroup multiply 64 rows at a time with operands in shared memory. These lie there like
 * those of a pipeline's stage (simt/nvidia/stage.h): what the copy engine writes is what wgmma
 * reads.
 */
#ifndef TSR_SIMT_NVIDIA_WGMMA_H
#define TSR_SIMT_NVIDIA_WGMMA_H

#include "simt/vendor.h"

/* Whether wgmma reads it: rows of at least 32 bytes, along k unless elements have 16 bits. */
bool simt_wgmma_takes(const simt_stage_layout *l);
/* Whether threads turn it where wgmma does not read it: elements of 8 or 32 bits across k. */
bool simt_wgmma_may_turn(const simt_stage_layout *l);

/* A matrix descriptor but for its address (PTX ISA, "Matrix Descriptor Format"). */
uint64_t simt_wgmma_descriptor(const simt_stage_layout *l);
/* The address, from the operand's start, for the k with this number of instructions before it. */
uint32_t simt_wgmma_step(const simt_stage_layout *l, uint32_t step);

/* Of simt_vendor. A warp has 16 rows, and a block two warpgroups at most. */
unsigned simt_wgmma_warps(const simt_target *target, const ir_op *op);
bool simt_wgmma_choose(simt_op *info, const simt_plan *p, const ir_op *op, const simt_product *s,
                       simt_dist *c);
bool simt_wgmma_order(const simt_plan *p, const simt_loaded *x, simt_order *out);
void simt_wgmma_print(sbuf *out, const simt_plan *p, const ir_op *op);

/* What of a staged operand, which may be turned, a thread turns: of four k some that are neighbours
 * in memory. Lanes that read or write together lie so that as few as possible meet in a bank. */
simt_dist simt_wgmma_turned(const simt_plan *p, const simt_staged *x);

/* log2 of the columns that one instruction of the product computes. */
unsigned simt_wgmma_columns(const simt_product *s, const simt_dist *c);

#endif
