/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which products go to wgmma, and where their operands lie.
 */
#include "simt/nvidia/wgmma.h"

#include <stdio.h>

enum {
  ROWS = 6,        /* log2: of one instruction */
  WARP_ROWS = 4,   /* of those, a warp's */
  GROUP = 2,       /* log2: warps of a warpgroup */
  MOST_COLUMNS = 8 /* log2: of one instruction */
};

/* ---- descriptors ---------------------------------------------------------------------------- */

bool simt_wgmma_takes(const simt_stage_layout *l) {
  return l->row_bytes >= 32 && l->batch == 0 && (l->fast_is_k || l->elem_bytes == 1);
}

/* Strides between groups of eight rows and between panels. Along k an instruction never leaves its
 * panel, and the field for that is 1 then. */
uint64_t simt_wgmma_descriptor(const simt_stage_layout *l) {
  uint64_t stride = 8 * l->row_bytes, leading = l->fast_is_k ? 16 : l->panel_bytes;
  uint64_t mode = l->row_bytes == 128 ? 1 : l->row_bytes == 64 ? 2 : 3;
  return leading >> 4 << 16 | stride >> 4 << 32 | mode << 62;
}

uint32_t simt_wgmma_step(const simt_stage_layout *l, uint32_t step) {
  if (!l->fast_is_k) return step * (32u >> l->elem_bytes) * l->row_bytes;
  uint32_t at = step * 32;
  return at / l->row_bytes * l->panel_bytes + at % l->row_bytes;
}

/* ---- the choice ----------------------------------------------------------------------------- */

/* A warp's part of the accumulator and of A is that of mma.sync. */
static const simt_instruction instructions[] = {
    {"k16", "mma.m16n8k16", "f16", "f32", ROWS, 3, 4, TSR_F16, 90},
    {"k16", "mma.m16n8k16", "bf16", "f32", ROWS, 3, 4, TSR_BF16, 90},
    {"k8", "mma.m16n8k8.tf32", "tf32", "f32", ROWS, 3, 3, TSR_TF32, 90},
    {"k32", "mma.m16n8k32.i8", NULL, "s32", ROWS, 3, 5, TSR_I8, 90},
    {"k32", "mma.m16n8k32.f8", "e4m3", "f32", ROWS, 3, 5, TSR_F8E4M3FN, 90},
    {"k32", "mma.m16n8k32.f8", "e5m2", "f32", ROWS, 3, 5, TSR_F8E5M2, 90},
};

/* Shared memory that stays free for what a kernel allocates, and for alignment. */
enum { SPARE_BYTES = 49 * 1024 };

static const simt_instruction *find_instruction(const simt_target *target, const ir_op *op,
                                                const simt_product *s) {
  tsr_elem elem = (tsr_elem)ir_operand(op, 0)->type->elem;
  if (!gpu_can(target->gpu, GPU_WGMMA) || op->opcode == OP_mmaf_scaled || s->batch) return NULL;
  if (ir_operand(op, 1)->type->elem != elem || ir_result(op, 0)->type->elem == TSR_F64) return NULL;
  uint64_t bytes = (uint64_t)tsr_elem_bits(elem) / 8 * ((1u << s->m) + (1u << s->n)) << s->k;
  if (bytes > target->gpu->shared_bytes - SPARE_BYTES) return NULL;
  for (unsigned i = 0; i < ARRAY_LEN(instructions); i++) {
    const simt_instruction *x = &instructions[i];
    if (x->elem == elem && s->m >= x->m && s->n >= x->n && s->k >= x->k) return x;
  }
  return NULL;
}

bool simt_wgmma_fits(const simt_target *target, const ir_op *op) {
  simt_product s = simt_product_of(op);
  return find_instruction(target, op, &s) != NULL;
}

unsigned simt_wgmma_columns(const simt_product *s, const simt_dist *c) {
  unsigned held = 0;
  for (unsigned j = 0; j < c->regs; j++) held += c->reg[j] < (int8_t)s->n;
  for (unsigned j = 0; j < SIMT_LANE_BITS; j++) held += c->lane[j] < (int8_t)s->n;
  return MIN(held, (unsigned)MOST_COLUMNS);
}

/* The bits of the accumulator's index that warps take: the rows of the instruction, then the
 * highest rows, then columns, unless rows are reduced: then the rest are copies. */
static void share_out(const simt_plan *p, const simt_instruction *x, const simt_product *s,
                      int8_t warp[SIMT_WARP_BITS]) {
  unsigned m = s->m, n = s->n;
  for (unsigned j = 0; j < p->warps; j++) {
    if (j < GROUP)
      warp[j] = (int8_t)(s->n + WARP_ROWS + j);
    else if (m > ROWS)
      warp[j] = (int8_t)(s->n + --m);
    else if (n > x->n && !p->rows)
      warp[j] = (int8_t)--n;
    else
      warp[j] = SIMT_COPY;
  }
}

/* Of 16 rows and 2^columns columns, whose lowest bits in the index are `row` and `column`. */
static bool make_dist(simt_dist *out, const simt_instruction *x, char part, unsigned n,
                      unsigned row, unsigned columns, const int8_t *warp, unsigned warps) {
  char name[40];
  uint8_t bits[SIMT_BITS];
  unsigned count = 0;
  for (unsigned k = 0; k < columns; k++) bits[count++] = (uint8_t)k;
  for (unsigned k = 0; k < WARP_ROWS; k++) bits[count++] = (uint8_t)(row + k);
  snprintf(name, sizeof name, "%s.%c", x->fragment, part);
  return simt_dist_fragment(out, name, n, bits, count, warp, warps);
}

bool simt_wgmma_choose(simt_op *info, const simt_plan *p, const ir_op *op, const simt_product *s,
                       simt_dist *c) {
  const simt_instruction *x = find_instruction(&p->target, op, s);
  int8_t of_c[SIMT_WARP_BITS], of_a[SIMT_WARP_BITS];
  if (!x || p->warps < GROUP) return false;
  share_out(p, x, s, of_c);
  for (unsigned j = 0; j < p->warps; j++) {
    bool is_m = of_c[j] != SIMT_COPY && of_c[j] >= (int8_t)s->n;
    of_a[j] = is_m ? (int8_t)(of_c[j] - (int)s->n + (int)s->k) : SIMT_COPY;
  }
  if (!make_dist(c, x, 'C', s->m + s->n, s->n, x->n, of_c, p->warps)) return false;
  if (!make_dist(&info->a, x, 'A', s->m + s->k, s->k, x->k, of_a, p->warps)) return false;
  info->mma = SIMT_MMA_GROUP;
  info->instruction = x;
  return true;
}
