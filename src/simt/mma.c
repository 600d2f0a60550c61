/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/mma.h"

#include <stdio.h>

#include "opt/nans.h"
#include "simt/vendor.h"

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
  unsigned total = s->batch + s->m + s->n, threads = p->lanes + p->warps;
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
  return simt_dist_ordered(total, l.bit, vector, simt_plan_threads(p));
}

/* ---- instructions of one warp ------------------------------------------------------------------
 */

/* Tiles of fewer rows than an instruction's have each row several times. They are read from shared
 * memory, of which they must not take much. */
static bool has_rows(const simt_product *s, const matrix_instruction *x) {
  enum { MOST_ELEMENTS = 13 };
  return s->m >= x->m || (s->batch == 0 && x->m == 4 && s->m + s->k <= MOST_ELEMENTS);
}

/* Whether the operands are signed, or may be unsigned. */
static bool has_signs(const ir_op *op, const matrix_instruction *x) {
  if (!x->is_signed || op->opcode != OP_mmai) return true;
  return ir_int_attr(op, ATTR_signedness_lhs) == SIGN_SIGNED &&
         ir_int_attr(op, ATTR_signedness_rhs) == SIGN_SIGNED;
}

static const matrix_instruction *find_instruction(const simt_plan *p, const ir_op *op,
                                                  const simt_product *s) {
  tsr_elem elem = (tsr_elem)ir_operand(op, 0)->type->elem;
  bool wide = ir_result(op, 0)->type->elem == TSR_F64;
  if (op->opcode == OP_mmaf_scaled) return NULL;
  const matrix_instruction *x;
  if (wide != (elem == TSR_F64)) return NULL;
  for (size_t i = 0; (x = matrix_instruction_at(p->target.gpu, MATRIX_WARP, elem, i)); i++)
    if (!x->is_stated && has_rows(s, x) && has_signs(op, x) && s->n >= x->n && s->k >= x->k)
      return x;
  return NULL;
}

/* Which bits of the accumulator's index warps take: the highest of m and n in turn, so that what a
 * warp computes is as square as it can be and reads the fewest operands; all of m first when rows
 * are reduced afterwards, so that a row stays in one warp. */
static bit_list share_out(const simt_plan *p, const matrix_instruction *x, const simt_product *s) {
  bit_list l = {.n = 0};
  unsigned m = s->m, n = s->n, batch = s->batch;
  while (l.n < p->warps) {
    bool has_m = m > x->m, has_n = n > x->n;
    if (batch)
      l.bit[l.n++] = (uint8_t)(s->n + s->m + --batch);
    else if (has_m && (p->rows || !has_n || m >= n))
      l.bit[l.n++] = (uint8_t)(s->n + --m);
    else if (has_n)
      l.bit[l.n++] = (uint8_t)--n;
    else
      break;
  }
  return l;
}

/* The bits of a fragment of 2^rows x 2^columns in the index of a whole with `row` and `column` as
 * the lowest bits of its two dimensions. */
static bit_list fragment_bits(unsigned rows, unsigned columns, unsigned row, unsigned column) {
  bit_list l = {.n = 0};
  for (unsigned k = 0; k < columns; k++) l.bit[l.n++] = (uint8_t)(column + k);
  for (unsigned k = 0; k < rows; k++) l.bit[l.n++] = (uint8_t)(row + k);
  return l;
}

/* Bits of k in place of a fragment's own, which are those from `first` on in the list. */
static void place_k(bit_list *l, unsigned first, unsigned k, const bit_list *of_k) {
  for (unsigned j = 0; j < of_k->n; j++) l->bit[first + j] = (uint8_t)(k + of_k->bit[j]);
}

static bool make_dist(simt_dist *out, const matrix_instruction *x, char part, unsigned n,
                      const bit_list *fragment, const int8_t *warp, simt_threads t) {
  char name[40];
  snprintf(name, sizeof name, "%s.%c", x->fragment, part);
  return simt_dist_fragment(out, name, n, fragment->bit, fragment->n, warp, t);
}

/* Which bits of a whole's k stand for a fragment's. A sum may take k in any order if both operands
 * do: first come those that a lane has in registers, then as many of other blocks as make an access
 * full, then those of lanes. */
static bit_list bits_of_k(const simt_plan *p, const matrix_instruction *x, const simt_product *s) {
  bit_list l = {.n = x->k}, own = fragment_bits(x->m, x->k, x->k, 0);
  for (unsigned j = 0; j < x->k; j++) l.bit[j] = (uint8_t)j;
  int8_t no_warp[SIMT_MOST_WARP_BITS];
  simt_dist d;
  memset(no_warp, SIMT_COPY, sizeof no_warp);
  simt_threads one = {(uint8_t)p->lanes, 0};
  bool is_wide = p->target.vendor && p->target.vendor->wide_k;
  if (!is_wide || !make_dist(&d, x, 'A', (unsigned)x->m + x->k, &own, no_warp, one)) return l;
  unsigned next = 0, bytes = tsr_elem_bits((tsr_elem)x->elem) / 8, spare = s->k - x->k;
  uint32_t in_registers = 0;
  for (unsigned j = 0; j < d.regs; j++)
    if (d.reg[j] < (int8_t)x->k) in_registers |= 1u << d.reg[j];
  for (unsigned j = 0; j < x->k; j++)
    if (in_registers >> j & 1) l.bit[j] = (uint8_t)next++;
  for (; spare && (bytes << next) < SIMT_ACCESS_BYTES; spare--) next++;
  for (unsigned j = 0; j < x->k; j++)
    if (!(in_registers >> j & 1)) l.bit[j] = (uint8_t)next++;
  return l;
}

/* Registers whose bits of k follow each other, as far as there are such, come first. */
static void put_k_first(simt_dist *d, unsigned k) {
  for (unsigned at = 0; at < d->regs; at++) {
    unsigned from = at;
    while (from < d->regs && d->reg[from] != (int8_t)(k + at)) from++;
    if (from == d->regs) return;
    for (; from > at; from--) d->reg[from] = d->reg[from - 1];
    d->reg[at] = (int8_t)(k + at);
  }
}

const ir_op *simt_mma_direct_load(const simt_plan *p, const ir_op *product) {
  enum { DEPTH = 16 };
  const ir_value *v = ir_operand(product, 1);
  bool is_computed = false;
  for (unsigned depth = 0; depth < DEPTH; depth++) {
    const ir_op *op = ir_defining_op(v);
    if (!op || !simt_value_of(p, v)->fused) return NULL;
    if (op->opcode == OP_load_view_tko) return is_computed ? op : NULL;
    bool same_index = ir_row(op)->traits & TRAIT_ELEMENTWISE || op->opcode == OP_reshape;
    if (!same_index) return NULL;
    is_computed |= op->opcode != OP_reshape;
    v = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++)
      if (simt_value_of(p, ir_operand(op, i))->fused) v = ir_operand(op, i);
    if (!v) return NULL;
  }
  return NULL;
}

/* What a thread loads of B can be what it multiplies, if memory runs along n and no other warp
 * wants it: a fragment's columns are then as far apart as what a thread reads at once. Returns log2
 * of that many elements. */
static unsigned direct_columns(const simt_plan *p, const ir_op *op, const simt_product *s,
                               const matrix_instruction *x, const bit_list *shared) {
  const ir_op *load = simt_mma_direct_load(p, op);
  if (!load || s->batch) return 0;
  uint8_t order[SIMT_BITS];
  const ir_type *view = ir_operand_in(load, 0)->type;
  if (simt_memory_order(view, order) != s->n || order[0] != 0) return 0;
  unsigned columns = s->n - x->n;
  unsigned at_once = simt_log2(8 * SIMT_ACCESS_BYTES / tsr_elem_bits((tsr_elem)view->elem));
  for (unsigned j = 0; j < shared->n; j++) {
    if (shared->bit[j] >= s->n) return 0;
    columns = MIN(columns, shared->bit[j] - (unsigned)x->n);
  }
  return shared->n < p->warps ? 0 : MIN(columns, at_once);
}

/* Where B lies along n in shared memory, loads of matrices turn elements of 16 bits only. Of others
 * a thread reads several columns at once, which are those of so many fragments. Returns log2 of how
 * many. */
static unsigned columns_at_once(const simt_plan *p, const ir_op *op, const simt_product *s,
                                const matrix_instruction *x, const bit_list *shared) {
  const simt_value *v = simt_value_of(p, ir_operand(op, 1));
  unsigned bits = tsr_elem_bits((tsr_elem)x->elem), columns = s->n - x->n;
  unsigned least = bits == 8 ? 2 : 1, most = bits == 8 ? 3 : bits == 32 ? 2 : 1;
  bool along_n = v->rank && v->dist.regs && v->dist.reg[0] < (int8_t)s->n;
  bool by_matrices = bits == 16 && gpu_can(p->target.gpu, GPU_LOAD_MATRIX);
  if (by_matrices || !along_n) return 0;
  for (unsigned j = 0; j < shared->n; j++)
    if (shared->bit[j] < s->n) columns = MIN(columns, shared->bit[j] - (unsigned)x->n);
  return columns < least ? 0 : MIN(columns, most);
}

static bool choose_warp(simt_op *info, const simt_plan *p, const ir_op *op,
                        const simt_product *sizes, simt_dist *c) {
  const matrix_instruction *x = find_instruction(p, op, sizes);
  if (!x) return false;
  simt_product full = *sizes, *s = &full;
  s->m = MAX(s->m, x->m);
  bit_list shared = share_out(p, x, s), f;
  unsigned column = direct_columns(p, op, s, x, &shared);
  info->direct = column > 0;
  bool is_wide = p->target.vendor && p->target.vendor->wide_k;
  if (!column && !is_wide) column = columns_at_once(p, op, s, x, &shared);
  int8_t of_c[SIMT_MOST_WARP_BITS], of_a[SIMT_MOST_WARP_BITS], of_b[SIMT_MOST_WARP_BITS];
  for (unsigned j = 0; j < p->warps; j++) {
    int bit = j < shared.n ? shared.bit[j] : SIMT_COPY, m = bit - (int)s->n;
    bool is_n = bit != SIMT_COPY && m < 0, is_batch = m >= (int)s->m;
    of_c[j] = (int8_t)bit;
    /* a is [batch, m, k], b is [batch, k, n] */
    of_a[j] = (int8_t)(bit == SIMT_COPY || is_n ? SIMT_COPY : m + (int)s->k);
    of_b[j] = (int8_t)(is_n                           ? bit
                       : is_batch && bit != SIMT_COPY ? m - (int)s->m + (int)(s->n + s->k)
                                                      : SIMT_COPY);
  }
  bit_list of_k = bits_of_k(p, x, s);
  info->block_k = 0;
  for (unsigned j = 0; j < x->k; j++) info->block_k |= 1u << of_k.bit[j];
  f = fragment_bits(x->m, x->n, s->n, column);
  if (!make_dist(c, x, 'C', s->batch + s->m + s->n, &f, of_c, simt_plan_threads(p))) return false;
  f = fragment_bits(x->m, x->k, s->k, 0);
  place_k(&f, 0, 0, &of_k);
  if (!make_dist(&info->a, x, 'A', s->batch + s->m + s->k, &f, of_a, simt_plan_threads(p)))
    return false;
  f = fragment_bits(x->k, x->n, s->n, column);
  place_k(&f, x->n, s->n, &of_k);
  if (!make_dist(&info->b, x, 'B', s->batch + s->k + s->n, &f, of_b, simt_plan_threads(p)))
    return false;
  if (is_wide) put_k_first(&info->a, 0);
  if (is_wide) put_k_first(&info->b, s->n);
  info->mma = SIMT_MMA_WARP;
  info->instruction = x;
  info->column = (uint8_t)column;
  info->repeat = (uint8_t)(s->m - sizes->m);
  info->sum = *c;
  /* Rows that the tile has not are copies, which need no registers. */
  *c = simt_dist_drop(c, s->n + sizes->m, info->repeat);
  return true;
}

simt_dist simt_mma_choose(simt_op *info, const simt_plan *p, const ir_op *op) {
  simt_product s = simt_product_of(op);
  simt_dist c;
  const simt_vendor *vendor = p->target.vendor;
  if (vendor && vendor->choose_group(info, p, op, &s, &c)) return c;
  if (choose_warp(info, p, op, &s, &c)) return c;
  info->mma = SIMT_MMA_FMA;
  return choose_fma(p, &s);
}

bool simt_accumulates(const ir_value *carried) {
  const ir_op *product = ir_has_one_use(carried) ? carried->uses->user : NULL;
  if (!carried->is_arg || carried->owner.block->parent->opcode != OP_for) return false;
  if (!product || product->block != carried->owner.block) return false;
  if (product->opcode != OP_mmaf && product->opcode != OP_mmai) return false;
  if (ir_operand(product, 2) != carried || !ir_has_one_use(ir_result(product, 0))) return false;
  const ir_op *jump = ir_result(product, 0)->uses->user;
  return jump->opcode == OP_continue && jump->block == product->block &&
         ir_operand(jump, carried->index - 1) == ir_result(product, 0);
}

/* A loop's results are made canonical behind it. */
static bool starts_canonical(const ir_value *first) {
  const ir_op *op = ir_defining_op(first);
  if (!op || op->opcode != OP_for) return opt_nans_are_canonical(first, true);
  return simt_carries_canonical(op, first->index);
}

bool simt_carries_canonical(const ir_op *loop, uint32_t i) {
  uint32_t n;
  const ir_value *carried = &ir_region(loop, 0)->args[1 + i];
  if (simt_accumulates(carried)) return true;
  const ir_value *first = ir_operand_group(loop, 3, &n)[i].value;
  return starts_canonical(first) && opt_next_nans_are_canonical(loop, i, true);
}
