/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layouts that memory and matrix products ask for.
 */
#include <stdio.h>

#include "ir/block/infer.h"

/* ---- memory --------------------------------------------------------------------------------- */

enum { ACCESS_BITS = 128, WARP = 32 };

typedef int32_t sizes[TSR_LAYOUT_MAX_RANK];

static int32_t common(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return (int32_t)a;
}

static void fill_ones(int32_t *s, unsigned rank) {
  for (unsigned d = 0; d < rank; d++) s[d] = 1;
}

/* out = out * part, where part is made by one of the functions of tsr_layout. */
static bool append(tsr_layout *out, tsr_status made, const tsr_layout *part) {
  return made == TSR_OK && tsr_layout_compose(out, out, part, NULL) == TSR_OK;
}

static const tsr_layout *in_order(infer *x, const ir_type *tile, const uint32_t *order,
                                  int32_t threads) {
  unsigned rank = tile->rank;
  sizes left, spread, vector, significance;
  if (rank > TSR_LAYOUT_MAX_RANK) return NULL;
  for (unsigned d = 0; d < rank; d++) left[d] = (int32_t)tile->shape[d];
  fill_ones(spread, rank);
  fill_ones(vector, rank);
  /* No longer than leaves something for every thread. */
  int64_t bits = tile->elem == TSR_PTR ? 64 : (int64_t)tsr_elem_bits((tsr_elem)tile->elem);
  int64_t most = MIN(MAX(ACCESS_BITS / bits, 1), MAX(tile->count / threads, 1));
  while (most & (most - 1)) most &= most - 1;
  uint32_t fast = order[0];
  vector[fast] = common(left[fast], most);
  left[fast] /= vector[fast];
  int32_t rest = threads;
  for (unsigned i = 0; i < rank; i++) {
    uint32_t d = order[i];
    spread[d] = common(rest, left[d]);
    rest /= spread[d];
    left[d] /= spread[d];
    significance[d] = (int32_t)(rank - 1 - i);
  }
  tsr_layout l, part;
  sizes one;
  fill_ones(one, rank);
  if (tsr_layout_local(&l, rank, left, significance, NULL) != TSR_OK ||
      !append(&l, tsr_layout_replicated(&part, rank, one, rest, NULL), &part) ||
      !append(&l, tsr_layout_spatial(&part, rank, spread, significance, NULL), &part) ||
      !append(&l, tsr_layout_local(&part, rank, vector, significance, NULL), &part))
    return NULL;
  return ir_layout(x->m, &l);
}

const tsr_layout *infer_default(infer *x, const ir_type *tile, int32_t threads) {
  uint32_t order[IR_MAX_RANK];
  for (unsigned i = 0; i < tile->rank; i++) order[i] = tile->rank - 1u - i;
  return in_order(x, tile, order, threads);
}

/* The stride of a dimension's neighbours; what is not known is long. */
static int64_t stride_of(const ir_type *memory, unsigned d) {
  if (memory->kind == IR_TENSOR_VIEW)
    return memory->strides[d] == IR_DYNAMIC ? INT64_MAX : memory->strides[d];
  const tsr_memory_layout *l = memory->memory;
  uint32_t mode = 0;
  for (unsigned e = 0; e <= d; e++) mode += l->dim_modes[e];
  return l->dim_modes[d] ? l->stride[mode - 1] : INT64_MAX;
}

const tsr_layout *infer_of_memory(infer *x, const ir_type *tile, const ir_type *memory,
                                  int32_t threads) {
  uint32_t order[IR_MAX_RANK];
  bool lies = memory->kind == IR_TENSOR_VIEW || memory->kind == IR_SHARED;
  if (!lies || memory->rank != tile->rank) return infer_default(x, tile, threads);
  /* The shortest stride first, of equal ones the later dimension; few dimensions. */
  for (unsigned n = 0; n < tile->rank; n++) {
    uint32_t d = tile->rank - 1u - n;
    unsigned at = n;
    for (; at && stride_of(memory, d) < stride_of(memory, order[at - 1]); at--)
      order[at] = order[at - 1];
    order[at] = d;
  }
  return in_order(x, tile, order, threads);
}

/* ---- matrix products ------------------------------------------------------------------------ */

typedef struct family {
  const char *name;
  int32_t m, n, k;
  uint64_t elems;
} family;

static const family families[] = {
    {"mma.m16n8k16", 16, 8, 16, UINT64_C(1) << TSR_F16 | UINT64_C(1) << TSR_BF16},
    {"mma.m16n8k8", 16, 8, 8, UINT64_C(1) << TSR_F16 | UINT64_C(1) << TSR_BF16},
    {"mma.m16n8k8.tf32", 16, 8, 8, UINT64_C(1) << TSR_TF32},
    {"mma.m16n8k4.tf32", 16, 8, 4, UINT64_C(1) << TSR_TF32},
    {"mma.m16n8k32.i8", 16, 8, 32, UINT64_C(1) << TSR_I8},
    {"mma.m16n8k16.i8", 16, 8, 16, UINT64_C(1) << TSR_I8},
    {"mma.m8n8k16.i8", 8, 8, 16, UINT64_C(1) << TSR_I8},
    {"mma.m16n8k32.f8", 16, 8, 32, UINT64_C(1) << TSR_F8E4M3FN | UINT64_C(1) << TSR_F8E5M2},
    {"mma.m16n8k16.f8", 16, 8, 16, UINT64_C(1) << TSR_F8E4M3FN | UINT64_C(1) << TSR_F8E5M2},
    {"mma.m8n8k4.f64", 8, 8, 4, UINT64_C(1) << TSR_F64},
};

static bool fragment_of(const family *f, char part, tsr_layout *out) {
  char full[64];
  size_t n = (size_t)snprintf(full, sizeof full, "%s.%c", f->name, part);
  return tsr_fragment(out, full, n);
}

/* The instruction whose fragments tiles of these types are grids of; NULL: there is none. */
static const family *family_of(const ir_op *op) {
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type,
                *c = ir_result(op, 0)->type;
  for (unsigned i = 0; i < ARRAY_LEN(families); i++) {
    const family *f = &families[i];
    if (f->elems >> a->elem & 1 && f->elems >> b->elem & 1 && c->shape[0] % f->m == 0 &&
        c->shape[1] % f->n == 0 && a->shape[1] % f->k == 0)
      return f;
  }
  return NULL;
}

static bool is_product(const ir_op *op) {
  const ir_type *a = ir_operand(op, 0)->type, *c = ir_result(op, 0)->type;
  return a->rank == 2 && ir_operand(op, 1)->type->rank == 2 && c->rank == 2;
}

/* How many warps share the rows, and how many the columns: all that can, so that they load the
 * least; of equal ones those with more along the rows. */
static void share_out(int32_t warps, int64_t rows, int64_t columns, const family *f, sizes out) {
  int64_t best = INT64_MAX;
  int32_t most = 0;
  for (int32_t m = warps; m >= 1; m--) {
    if (warps % m || rows % m) continue;
    int32_t n = common(warps / m, columns);
    int64_t load = rows / m * f->m + columns / n * f->n;
    if (m * n < most || (m * n == most && load >= best)) continue;
    most = m * n;
    best = load;
    out[0] = m;
    out[1] = n;
  }
}

const tsr_layout *infer_accumulator(infer *x, const ir_op *op, int32_t threads) {
  const ir_type *c = ir_result(op, 0)->type;
  if (!is_product(op)) return NULL;
  const family *f = threads % WARP ? NULL : family_of(op);
  tsr_layout l, part, fragment;
  if (!f || !fragment_of(f, 'C', &fragment)) return infer_default(x, c, threads);
  int64_t rows = c->shape[0] / f->m, columns = c->shape[1] / f->n;
  sizes one = {1, 1}, warps = {1, 1};
  share_out(threads / WARP, rows, columns, f, warps);
  sizes slots = {(int32_t)(rows / warps[0]), (int32_t)(columns / warps[1])};
  int32_t copies = threads / WARP / (warps[0] * warps[1]);
  if (tsr_layout_replicated(&l, 2, one, copies, NULL) != TSR_OK ||
      !append(&l, tsr_layout_spatial(&part, 2, warps, NULL, NULL), &part) ||
      !append(&l, tsr_layout_local(&part, 2, slots, NULL, NULL), &part) ||
      !append(&l, TSR_OK, &fragment))
    return NULL;
  return ir_layout(x->m, &l);
}

/* The accumulator's layout as a grid of fragments; without an instruction, of single elements. */
static const family *grid_of(const ir_op *op, const tsr_layout *acc, tsr_layout *grid) {
  const family *f = family_of(op);
  tsr_layout fragment;
  if (f && fragment_of(f, 'C', &fragment) &&
      tsr_layout_divide(grid, acc, &fragment, NULL) == TSR_OK)
    return f;
  *grid = *acc;
  return NULL;
}

const tsr_layout *infer_factor(infer *x, const ir_op *op, unsigned operand, const tsr_layout *acc) {
  tsr_layout l, part;
  if (!is_product(op)) return NULL;
  const family *f = grid_of(op, acc, &l);
  int32_t summed = (int32_t)ir_operand(op, 0)->type->shape[1] / (f ? f->k : 1), other = !operand;
  sizes steps = {operand ? summed : 1, operand ? 1 : summed};
  if (tsr_layout_reduce(&l, &l, 1, &other, true, NULL) != TSR_OK ||
      !append(&l, tsr_layout_local(&part, 2, steps, NULL, NULL), &part))
    return NULL;
  if (f && (!fragment_of(f, operand ? 'B' : 'A', &part) || !append(&l, TSR_OK, &part))) return NULL;
  return ir_layout(x->m, &l);
}
