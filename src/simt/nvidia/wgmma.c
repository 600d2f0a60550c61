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

bool simt_wgmma_may_turn(const simt_stage_layout *l) {
  enum { LEAST = 12 }; /* log2 of the elements: 16 for each of 256 threads */
  bool words = l->elem_bytes == 0 || l->elem_bytes == 2;
  return words && !l->fast_is_k && l->batch == 0 && l->row_bytes >= 32 && l->n >= LEAST;
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

/* Shared memory that stays free for what a kernel allocates, and for alignment. */
enum { SPARE_BYTES = 49 * 1024 };

static const matrix_instruction *find_instruction(const simt_target *target, const ir_op *op,
                                                  const simt_product *s) {
  tsr_elem elem = (tsr_elem)ir_operand(op, 0)->type->elem;
  if (op->opcode == OP_mmaf_scaled || s->batch) return NULL;
  if (ir_operand(op, 1)->type->elem != elem || ir_result(op, 0)->type->elem == TSR_F64) return NULL;
  uint64_t bytes = (uint64_t)tsr_elem_bits(elem) / 8 * ((1u << s->m) + (1u << s->n)) << s->k;
  if (bytes > target->gpu->shared_bytes - SPARE_BYTES) return NULL;
  const matrix_instruction *x;
  for (size_t i = 0; (x = matrix_instruction_at(target->gpu, MATRIX_GROUP, elem, i)); i++)
    if (s->m >= x->m && s->n >= x->n && s->k >= x->k) return x;
  return NULL;
}

unsigned simt_wgmma_warps(const simt_target *target, const ir_op *op) {
  simt_product s = simt_product_of(op);
  return find_instruction(target, op, &s) ? MIN(s.m - WARP_ROWS, GROUP + 1u) : 0;
}

unsigned simt_wgmma_columns(const simt_product *s, const simt_dist *c) {
  unsigned held = 0;
  for (unsigned j = 0; j < c->regs; j++) held += c->reg[j] < (int8_t)s->n;
  for (unsigned j = 0; j < c->lanes; j++) held += c->lane[j] < (int8_t)s->n;
  return MIN(held, (unsigned)MOST_COLUMNS);
}

/* The bits of the accumulator's index that warps take: the rows of the instruction, then the
 * highest rows, then columns, unless rows are reduced: then the rest are copies. */
static void share_out(const simt_plan *p, const matrix_instruction *x, const simt_product *s,
                      int8_t warp[SIMT_MOST_WARP_BITS]) {
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
static bool make_dist(simt_dist *out, const matrix_instruction *x, char part, unsigned n,
                      unsigned row, unsigned columns, const int8_t *warp, simt_threads t) {
  char name[40];
  uint8_t bits[SIMT_BITS];
  unsigned count = 0;
  for (unsigned k = 0; k < columns; k++) bits[count++] = (uint8_t)k;
  for (unsigned k = 0; k < WARP_ROWS; k++) bits[count++] = (uint8_t)(row + k);
  snprintf(name, sizeof name, "%s.%c", x->fragment, part);
  return simt_dist_fragment(out, name, n, bits, count, warp, t);
}

bool simt_wgmma_choose(simt_op *info, const simt_plan *p, const ir_op *op, const simt_product *s,
                       simt_dist *c) {
  const matrix_instruction *x = find_instruction(&p->target, op, s);
  int8_t of_c[SIMT_MOST_WARP_BITS], of_a[SIMT_MOST_WARP_BITS];
  if (!x || p->warps < GROUP) return false;
  share_out(p, x, s, of_c);
  for (unsigned j = 0; j < p->warps; j++) {
    bool is_m = of_c[j] != SIMT_COPY && of_c[j] >= (int8_t)s->n;
    of_a[j] = is_m ? (int8_t)(of_c[j] - (int)s->n + (int)s->k) : SIMT_COPY;
  }
  if (!make_dist(c, x, 'C', s->m + s->n, s->n, x->n, of_c, simt_plan_threads(p))) return false;
  if (!make_dist(&info->a, x, 'A', s->m + s->k, s->k, x->k, of_a, simt_plan_threads(p)))
    return false;
  info->mma = SIMT_MMA_GROUP;
  info->instruction = x;
  return true;
}

/* ---- how operands are loaded ----------------------------------------------------------------- */

/* Bytes and tf32 that lie across k in memory, and are to lie along it for wgmma: a thread has those
 * of four k, which it turns into words or 16 bytes. Of a row it has what leaves work for all, and
 * lanes next to each other the rest of a sector. Where a thread stores 16 bytes at once, so do
 * eight lanes, whose rows are only two units apart (the swizzle's, modulo eight): four k further on
 * each are the units between; and the others may have the rest of a line. */
bool simt_wgmma_order(const simt_plan *p, const simt_loaded *x, simt_order *out) {
  enum { K_BITS = 2, UNIT_BITS = 2, LEAST = 2, CHUNK = 4, SECTOR = 5, LINE = 7 };
  uint8_t *order = out->bit;
  unsigned threads = p->lanes + p->warps, n = 0;
  if (x->width != 8 && x->width != 32) return false;
  unsigned bytes = simt_log2(x->width / 8), most = CHUNK - bytes, sector = SECTOR - bytes;
  unsigned units = x->width == 32 ? UNIT_BITS : 0, line = units ? LINE - bytes : sector;
  if (!simt_lies_along(x, x->across, line) || x->s.k < K_BITS + units) return false;
  if (x->all < threads + K_BITS + LEAST) return false;
  unsigned vector = MIN(x->all - threads - K_BITS, most);
  for (unsigned j = 0; j < vector; j++) order[n++] = x->memory[j];
  for (unsigned j = 0; j < K_BITS; j++) order[n++] = (uint8_t)(x->k + j);
  for (unsigned j = vector; j < sector; j++) order[n++] = x->memory[j];
  for (unsigned j = 0; j < units; j++) order[n++] = (uint8_t)(x->k + K_BITS + j);
  for (unsigned j = sector; j < line; j++) order[n++] = x->memory[j];
  for (unsigned j = K_BITS + units; j < x->s.k; j++) order[n++] = (uint8_t)(x->k + j);
  for (unsigned j = line; j < x->all - x->s.k; j++) order[n++] = (uint8_t)(x->across + j);
  out->vector = vector + K_BITS;
  return true;
}

/* The list of bits of an index, as long as the dimension has more. */
static void add_bits(simt_order *o, unsigned *n, unsigned first, unsigned *taken, unsigned have,
                     unsigned count) {
  for (; count && *taken < have; count--) o->bit[(*n)++] = (uint8_t)(first + (*taken)++);
}

simt_dist simt_wgmma_turned(const simt_plan *p, const simt_staged *x) {
  enum { K_BITS = 2, CHUNK = 4 };
  simt_product s = simt_product_of(x->product);
  const simt_stage_layout *l = &x->layout;
  unsigned k_first = x->is_lhs ? 0 : s.n, first = x->is_lhs ? s.k : 0;
  unsigned k = 0, across = 0, n = 0, threads = p->lanes + p->warps;
  unsigned vector = MIN((unsigned)l->n - threads - K_BITS, (unsigned)CHUNK - l->elem_bytes);
  simt_order o;
  bool bytes = l->elem_bytes == 0;
  add_bits(&o, &n, first, &across, l->fast, vector);
  add_bits(&o, &n, k_first, &k, l->slow, K_BITS);
  add_bits(&o, &n, first, &across, l->fast, bytes ? 3 : 1);
  add_bits(&o, &n, k_first, &k, l->slow, 1);
  if (!bytes) add_bits(&o, &n, first, &across, l->fast, 1);
  add_bits(&o, &n, k_first, &k, l->slow, 1);
  add_bits(&o, &n, first, &across, l->fast, bytes ? 0 : 1);
  add_bits(&o, &n, k_first, &k, l->slow, l->slow);
  add_bits(&o, &n, first, &across, l->fast, l->fast);
  simt_dist d = simt_dist_ordered(l->n, o.bit, vector + K_BITS, simt_plan_threads(p));
  return simt_dist_back(&d, &x->to_operand);
}

/* ---- text ----------------------------------------------------------------------------------- */

void simt_wgmma_print(sbuf *out, const simt_plan *p, const ir_op *op) {
  const simt_op *info = simt_op_of(p, op);
  simt_product s = simt_product_of(op);
  simt_dist c = simt_value_of(p, ir_result(op, 0))->dist;
  sbuf_printf(out, "    by wgmma.m64n%u%s, rhs in shared memory\n    lhs there or in registers: ",
              1u << simt_wgmma_columns(&s, &c), info->instruction->name);
  simt_dist_print(out, &info->a, ir_operand(op, 0)->type);
  sbuf_putc(out, '\n');
}
