/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the number of a thread says of the elements that it has. It is computed at the kernel's
 * start, once for all tiles that ask for the same.
 */
#include "gpu/index.h"

#include "gpu/code.h"

/* An operation at the kernel's start. */
typedef struct start_op {
  LLVMOpcode code;
  LLVMIntPredicate predicate; /* of a comparison; else 0 */
  llv a, b, result;
  struct start_op *next; /* with the same key */
} start_op;

/* An operation at the kernel's start, made once: many tiles ask for the same part of a thread's
 * number. */
static llv at_start_if(gen *g, LLVMOpcode code, LLVMIntPredicate predicate, llv a, llv b) {
  uint64_t key = (((uintptr_t)a * 31 + (uintptr_t)b) * 31 + code) * 31 + predicate;
  uintptr_t *slot = map_put(g->arena, &g->start_ops, key);
  for (start_op *o = (start_op *)*slot; o; o = o->next)
    if (o->code == code && o->predicate == predicate && o->a == a && o->b == b) return o->result;
  start_op *o = arena_new(g->arena, start_op);
  *o = (start_op){.code = code, .predicate = predicate, .a = a, .b = b, .next = (start_op *)*slot};
  o->result = code == LLVMICmp ? LLVMBuildICmp(g->start, predicate, a, b, "")
                               : LLVMBuildBinOp(g->start, code, a, b, "");
  *slot = (uintptr_t)o;
  return o->result;
}
static llv at_start(gen *g, LLVMOpcode code, llv a, llv b) {
  return at_start_if(g, code, 0, a, b);
}
static llv at_start_k(gen *g, LLVMOpcode code, llv a, uint32_t b) {
  return at_start(g, code, a, k32(g, b));
}

llv gpu_turned(gen *g, llv x, uint32_t bits) {
  return bits ? at_start_k(g, LLVMXor, x, bits) : x;
}

/* The sum of weight[i] over the bits i that are set in `x`, which has n of them. Neighbours whose
 * weights double are moved together. */
static llv weigh(gen *g, llv sum, llv x, const int32_t *weight, unsigned n) {
  for (unsigned j = 0; j < n;) {
    unsigned end = j + 1;
    while (end < n && weight[j] && weight[end] == 2 * weight[end - 1]) end++;
    if (weight[j]) {
      llv part = j ? at_start_k(g, LLVMLShr, x, j) : x;
      part = at_start_k(g, LLVMAnd, part, (1u << (end - j)) - 1);
      if (weight[j] != 1) part = at_start_k(g, LLVMMul, part, (uint32_t)weight[j]);
      sum = sum ? at_start(g, LLVMAdd, sum, part) : part;
    }
    j = end;
  }
  return sum;
}

llv gpu_thread_sum(gen *g, const simt_dist *d, const int32_t *weight) {
  int32_t of_lane[SIMT_MOST_LANE_BITS], of_warp[SIMT_MOST_WARP_BITS];
  for (unsigned j = 0; j < d->lanes; j++)
    of_lane[j] = d->lane[j] == SIMT_COPY ? 0 : weight[d->lane[j]];
  for (unsigned j = 0; j < d->warps; j++)
    of_warp[j] = d->warp[j] == SIMT_COPY ? 0 : weight[d->warp[j]];
  llv sum = weigh(g, NULL, g->lane, of_lane, d->lanes);
  sum = weigh(g, sum, g->warp, of_warp, d->warps);
  return sum ? sum : k32(g, 0);
}

/* The bits of `x`, which has n of them, each as what `column` says. Bits that move by the same
 * distance are moved together. */
static llv xor_bits(gen *g, llv sum, llv x, const uint32_t *column, unsigned n) {
  for (int distance = -(int)n; distance < 32; distance++) {
    uint32_t mask = 0;
    for (unsigned j = 0; j < n; j++) {
      int to = (int)j + distance;
      if (to >= 0 && to < 32 && column[j] >> to & 1) mask |= 1u << j;
    }
    if (!mask) continue;
    llv part = at_start_k(g, LLVMAnd, x, mask);
    if (distance > 0) part = at_start_k(g, LLVMShl, part, (uint32_t)distance);
    if (distance < 0) part = at_start_k(g, LLVMLShr, part, (uint32_t)-distance);
    sum = sum ? at_start(g, LLVMXor, sum, part) : part;
  }
  return sum;
}

llv gpu_thread_xor(gen *g, const simt_dist *d, const uint32_t *column) {
  uint32_t of_lane[SIMT_MOST_LANE_BITS], of_warp[SIMT_MOST_WARP_BITS];
  for (unsigned j = 0; j < d->lanes; j++)
    of_lane[j] = d->lane[j] == SIMT_COPY ? 0 : column[d->lane[j]];
  for (unsigned j = 0; j < d->warps; j++)
    of_warp[j] = d->warp[j] == SIMT_COPY ? 0 : column[d->warp[j]];
  llv sum = xor_bits(g, NULL, g->lane, of_lane, d->lanes);
  sum = xor_bits(g, sum, g->warp, of_warp, d->warps);
  return sum ? sum : k32(g, 0);
}

int32_t gpu_slot_sum(const simt_dist *d, uint32_t slot, const int32_t *weight) {
  uint32_t sum = 0;
  for (unsigned j = 0; j < d->regs; j++)
    if (slot >> j & 1) sum += (uint32_t)weight[d->reg[j]];
  return (int32_t)sum;
}

llv gpu_thread_index(gen *g, const simt_dist *d) {
  int32_t weight[SIMT_BITS];
  for (unsigned k = 0; k < SIMT_BITS; k++) weight[k] = 1 << k;
  return gpu_thread_sum(g, d, weight);
}

llv gpu_index(gen *g, const simt_dist *d, uint32_t slot) {
  llv thread = gpu_thread_index(g, d);
  uint32_t own = simt_index_of_slot(d, slot);
  return own ? LLVMBuildOr(g->e.b, thread, k32(g, own), "") : thread;
}

static llv bit_of(gen *g, llv x, unsigned j) {
  llv bit = at_start_k(g, LLVMAnd, x, 1u << j);
  return at_start_if(g, LLVMICmp, LLVMIntNE, bit, k32(g, 0));
}
llv gpu_lane_bit(gen *g, unsigned j) {
  return bit_of(g, g->lane, j);
}
llv gpu_warp_bit(gen *g, unsigned j) {
  return bit_of(g, g->warp, j);
}

llv gpu_owner(gen *g, const simt_dist *d) {
  uint32_t lane_mask = 0, warp_mask = 0;
  for (unsigned j = 0; j < d->lanes; j++) lane_mask |= (uint32_t)(d->lane[j] == SIMT_COPY) << j;
  for (unsigned j = 0; j < d->warps; j++) warp_mask |= (uint32_t)(d->warp[j] == SIMT_COPY) << j;
  if (!lane_mask && !warp_mask) return NULL;
  llv copy = at_start_k(g, LLVMAnd, g->lane, lane_mask);
  if (warp_mask) copy = at_start(g, LLVMOr, copy, at_start_k(g, LLVMAnd, g->warp, warp_mask));
  return at_start_if(g, LLVMICmp, LLVMIntEQ, copy, k32(g, 0));
}

/* ---- addresses by exclusive or --------------------------------------------------------------- */

xor_place gpu_xor_place(gen *g, llv base, const simt_dist *places, const uint32_t *column) {
  xor_place p = {.places = places, .column = column, .base = base};
  p.thread = gpu_thread_xor(g, places, column);
  for (unsigned j = 0; j < places->lanes; j++)
    if (places->lane[j] != SIMT_COPY) p.thread_bits |= column[places->lane[j]];
  for (unsigned j = 0; j < places->warps; j++)
    if (places->warp[j] != SIMT_COPY) p.thread_bits |= column[places->warp[j]];
  return p;
}

llv gpu_xor_address(gen *g, xor_place *p, uint32_t index, uint32_t *offset) {
  uint32_t at = 0;
  for (unsigned k = 0; k < SIMT_BITS; k++)
    if (index >> k & 1) at ^= p->column[k];
  uint32_t turned = at & p->thread_bits;
  *offset = at & ~p->thread_bits;
  for (unsigned i = 0; i < p->n_made; i++)
    if (p->made[i].bits == turned) return p->made[i].address;
  llv address = add_of(g, p->base, gpu_turned(g, p->thread, turned));
  if (p->n_made < ARRAY_LEN(p->made)) {
    p->made[p->n_made].bits = turned;
    p->made[p->n_made++].address = address;
  }
  return address;
}
