/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/stores.h"

static simt_dist through_pointers(const simt_plan *p, const ir_op *op, const ir_value *v) {
  const simt_value *x = simt_value_of(p, v), *pointers = simt_value_of(p, ir_operand_in(op, 0));
  if (pointers->home == SIMT_HELD) return pointers->dist;
  return x->rank ? x->dist : simt_default_dist(p, v->type);
}

/* Bits of the index that a warp has elements of. */
static uint32_t bits_of_warp(const simt_dist *d) {
  uint32_t bits = 0;
  for (unsigned j = 0; j < d->regs; j++)
    if (d->reg[j] >= 0) bits |= 1u << d->reg[j];
  for (unsigned j = 0; j < d->lanes; j++)
    if (d->lane[j] != SIMT_COPY) bits |= 1u << d->lane[j];
  return bits;
}

simt_dist simt_store_dist(const simt_plan *p, const ir_op *op, const ir_value *v) {
  const simt_value *x = simt_value_of(p, v);
  unsigned bits = tsr_elem_bits((tsr_elem)v->type->elem), together = 0;
  if (v->type->count == 1) return simt_dist_private(0, simt_plan_threads(p));
  if (op->opcode == OP_store_ptr_tko) return through_pointers(p, op, v);
  const ir_type *view = ir_operand_in(op, 1)->type;
  simt_dist d = simt_memory_dist(p, view);
  if (x->home != SIMT_HELD || bits < 8) return d;
  uint8_t order[SIMT_BITS];
  unsigned packed = simt_memory_order(view, order);
  uint32_t near = bits_of_warp(&x->dist);
  while (together < packed && near >> order[together] & 1) together++;
  bool whole = bits / 8 << together >= p->target.gpu->sector_bytes || together == packed;
  return whole ? simt_dist_sorted(&x->dist) : d;
}
