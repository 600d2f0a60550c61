/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the elements of a load or store lie, and which of them exist.
 */
#include "num/num.h"

#include "cpu/plan/access.h"

#include "cpu/core/fold.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/plan/mask.h"
#include "cpu/plan/plan.h"

unsigned access_elem_bits(const access *a) {
  unsigned bits = tsr_elem_bits((tsr_elem)a->elem);
  if (a->memory && num_shares_bytes(bits)) return 8; /* a buffer's have a byte each */
  return bits == 1 ? 8 : bits;
}

bool access_shares_bytes(const access *a) {
  return num_shares_bytes(access_elem_bits(a));
}

static llv to_i64(lower *l, llv v) {
  return LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 ? v : LLVMBuildZExt(l->e.b, v, l->e.i64, "");
}

/* What a view's padding is in a register: NaN and infinity wherever the format has them. */
static llv padding_value(lower *l, const ir_type *t) {
  const num_format *f = num_format_of((tsr_elem)t->elem);
  if (!f) return emit_pattern(&l->e, t->elem, 0);
  num_format plain = *f;
  plain.saturates = plain.nan_to_max = false;
  uint64_t pattern = num_zero(f, t->padding == PADDING_NEG_ZERO);
  if (t->padding == PADDING_NAN) pattern = num_nan(&plain);
  if (t->padding == PADDING_POS_INF) pattern = num_inf(&plain, false);
  if (t->padding == PADDING_NEG_INF) pattern = num_inf(&plain, true);
  return emit_pattern(&l->e, t->elem, pattern);
}

bool access_pads_with_zero(const access *a) {
  if (!a->padding) return a->pad && LLVMIsNull(a->pad);
  const ir_value *v = plan_uniform(a->padding);
  const ir_op *op = v ? ir_defining_op(v) : NULL;
  if (!op || op->opcode != OP_constant) return false;
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  return d->splat && ir_dense_get(d, 0) == 0;
}

int64_t access_unit(const access *a) {
  if (access_shares_bytes(a)) return access_elem_bits(a);
  return access_elem_bits(a) == 4 ? 1 : access_elem_bits(a) / 8;
}

/* One more thing that is so when every element exists. */
static void add_condition(lower *l, access *a, llv condition) {
  a->full = fold_and(l, a->full, condition);
  a->but_bounds = fold_and(l, a->but_bounds, condition);
}

static void add_bound(lower *l, access *a, unsigned first, unsigned n, llv start, llv extent) {
  LLVMBuilderRef b = l->e.b;
  if (n == 0) {
    llv inside = LLVMBuildICmp(b, LLVMIntULT, start, extent, "inside");
    a->exists = fold_and(l, a->exists, inside);
    add_condition(l, a, inside);
    return;
  }
  llv rest = emit_intrinsic(&l->e, "llvm.usub.sat", &l->e.i64, 1, (llv[]){extent, start}, 2);
  llv size = k64(l, INT64_C(1) << n);
  access_bound *bound = &a->bounds[a->n_bounds++];
  bound->first = (uint8_t)first;
  bound->n = (uint8_t)n;
  bound->hi = umin64(l, rest, size);
  a->full = fold_and(l, a->full, LLVMBuildICmp(b, LLVMIntUGE, rest, size, "full"));
}

static void add_gather(lower *l, access *a, const ir_type *t, ir_value *index, unsigned d,
                       view *v) {
  unsigned first, n;
  dim_bits(t->tile, d, &first, &n);
  a->index = index;
  a->index_first = (uint8_t)first;
  a->index_n = (uint8_t)n;
  a->index_stride = fold_mul(l, v->stride[d], k64(l, access_unit(a)));
  a->index_extent = v->shape[d];
  a->checked = false;
}

int64_t access_tile_distance(const ir_type *t, unsigned d) {
  if (t->kind == IR_STRIDED_VIEW) return t->strides[d];
  return t->kind == IR_PARTITION_VIEW ? t->shape[d] : 1;
}

/* Is this the dimension of a view whose elements are, as a rule, next to each other in memory,
 * without its type saying so? The exact version of a nest takes it for granted. */
static bool likely_packed(const ir_type *t, const view *v, unsigned in_view) {
  if (t->kind == IR_GATHER_SCATTER_VIEW) return false; /* its accesses have one version only */
  for (unsigned d = 0; d < v->type->rank; d++)
    if (v->type->strides[d] == 1) return false;
  return in_view + 1 == v->type->rank && v->type->strides[in_view] == IR_DYNAMIC;
}

static void assume_packed(lower *l, access *a, unsigned first, unsigned n, llv unit) {
  int64_t size = access_unit(a);
  for (unsigned j = 0; j < n; j++) a->exact[first + j] = (coef){.m = size << j};
  llv packed = LLVMBuildICmp(l->e.b, LLVMIntEQ, unit, k64(l, size), "packed");
  add_condition(l, a, packed);
}

/* Whether the program promises that no element lies outside along a dimension. */
static bool is_promised(const ir_op *op, unsigned d) {
  if (ir_attr_slot((op_code)op->opcode, ATTR_inbounds) < 0) return false;
  const ir_ints *list = ir_get_attr(op, ATTR_inbounds)->ints;
  return list && d < list->len && list->data[d];
}

/* With checks: the index is in the index space, and a promise is kept, if that many elements from
 * `start` on lie inside of the extent. */
static void add_index_check(lower *l, access *a, llv start, int64_t elements, llv extent) {
  llv rest = emit_intrinsic(&l->e, "llvm.usub.sat", &l->e.i64, 1, (llv[]){extent, start}, 2);
  llv inside = LLVMBuildICmp(l->e.b, LLVMIntUGE, rest, k64(l, elements), "in_space");
  a->in_space = fold_and(l, a->in_space, inside);
}

/* Bytes between tiles along a dimension in which they have one element; 0: there is but one. */
static llv step_across(lower *l, llv unit, int64_t distance, llv extent) {
  llv several = LLVMBuildICmp(l->e.b, LLVMIntUGT, extent, k64(l, 1), "");
  return LLVMBuildSelect(l->e.b, several, fold_mul(l, unit, k64(l, distance)), k64(l, 0), "");
}

static void add_dimension(lower *l, access *a, const ir_type *t, llv index, unsigned d, view *v,
                          bool is_wide) {
  unsigned first, n, in_view = t->dim_map ? (unsigned)t->dim_map[d] : d;
  dim_bits(t->tile, d, &first, &n);
  int64_t distance = access_tile_distance(t, d);
  llv at = to_i64(l, index);
  if (is_wide) /* so that the product cannot wrap */
    at = umin64(l, at, k64(l, (INT64_C(1) << 62) / distance));
  llv start = fold_mul(l, at, k64(l, distance));
  llv unit = fold_mul(l, v->stride[in_view], k64(l, access_unit(a)));
  a->base = fold_add(l, a->base, fold_mul(l, start, unit));
  int64_t fixed;
  bool constant = is_const(unit, &fixed);
  for (unsigned j = 0; j < n; j++)
    a->stride[first + j] = constant ? (coef){.m = (int64_t)((uint64_t)fixed << j)}
                                    : (coef){.m = INT64_C(1) << j, .s = unit};
  memcpy(&a->exact[first], &a->stride[first], n * sizeof *a->exact);
  if (n == 0) a->across = fold_or(l, a->across, step_across(l, unit, distance, v->shape[in_view]));
  if (!constant && n && likely_packed(t, v, in_view)) assume_packed(l, a, first, n, unit);
  bool promised = is_promised(a->op, d), checks = l->options->checks;
  if (!promised || checks) add_bound(l, a, first, n, start, v->shape[in_view]);
  if (checks) add_index_check(l, a, start, promised ? t->tile->shape[d] : 1, v->shape[in_view]);
}

/* Rows of 4-bit elements begin with whole bytes, as a rule: the exact version takes it for granted.
 * They do not along a second dimension whose stride is 1. */
static void assume_whole_bytes(lower *l, access *a, const ir_type *t) {
  llv all = a->base;
  bool packed = false;
  for (unsigned d = 0; d < t->tile->rank; d++) {
    unsigned first, n;
    int64_t c;
    dim_bits(t->tile, d, &first, &n);
    if (n == 0) continue;
    bool known = coef_const(a->exact[first], &c), counts = known && c == 1 && !packed;
    packed |= counts;
    if (!counts && !(known && c % 2 == 0))
      all = LLVMBuildOr(l->e.b, all, coef_value(l, a->exact[first], 64), "");
  }
  llv odd = LLVMBuildTrunc(l->e.b, all, l->e.i1, "");
  add_condition(l, a, LLVMBuildNot(l->e.b, odd, "whole"));
}

llv bit_address(lower *l, llv pointers) {
  LLVMTypeRef type = LLVMTypeOf(pointers);
  llv args[] = {pointers, pointers, emit_const_int(&l->e, type, 3)};
  return emit_intrinsic(&l->e, "llvm.fshl", &type, 1, args, ARRAY_LEN(args));
}

access *access_of_view(lower *l, const ir_op *op, ir_value *view_value, ir_use *index,
                       unsigned n_index, scalar_fn scalar) {
  const ir_type *t = view_value->type;
  view *v = value_of(l, view_value)->view;
  access *a = arena_new(l->arena, access);
  a->op = op;
  a->elem = t->elem;
  a->n = (uint8_t)tile_bits(t->tile);
  a->linear = a->checked = true;
  a->base = v->base;
  if (access_shares_bytes(a)) a->base = bit_address(l, a->base);
  if (access_elem_bits(a) == 4) a->base = LLVMBuildShl(l->e.b, a->base, k64(l, 1), "");
  a->pad = padding_value(l, t);
  a->bounds = arena_array(l->arena, access_bound, MAX(n_index, 1));
  for (unsigned d = 0; d < n_index; d++) {
    ir_value *i = index[d].value;
    if (t->kind == IR_GATHER_SCATTER_VIEW && d == t->sparse_dim)
      add_gather(l, a, t, i, d, v);
    else
      add_dimension(l, a, t, scalar(l, i), d, v, tsr_elem_bits(i->type->elem) == 64);
  }
  if (access_elem_bits(a) == 4 && a->checked) assume_whole_bytes(l, a, t);
  return a;
}

/* Some of the addresses are linear, and the rest depends on other bits of the index: the rows of a
 * matrix, say, that indices from memory choose. */
static void split_pointers(lower *l, access *a, ir_value *pointers) {
  pointer_terms terms = {0};
  const affine *p = affine_split(l, pointers, &terms);
  uint64_t moves = 0;
  for (unsigned k = 0; p && k < a->n; k++)
    if (!coef_is_zero(p->c[k])) moves |= UINT64_C(1) << k;
  if ((moves & ~terms.bits) == 0) return;
  a->terms = terms;
  a->base = p->base;
  a->ok = p->ok;
  memcpy(a->stride, p->c, sizeof a->stride);
  memcpy(a->exact, p->c, sizeof a->exact);
}

access *access_of_pointers(lower *l, const ir_op *op, ir_value *pointers, ir_value *mask,
                           ir_value *padding) {
  const ir_type *t = pointers->type;
  access *a = arena_new(l->arena, access);
  a->op = op;
  a->elem = t->pointee;
  a->n = (uint8_t)tile_bits(t);
  a->pointers = pointers;
  a->mask = mask;
  a->padding = padding;
  a->pad = LLVMConstNull(emit_elem_type(&l->e, a->elem));
  affine *p = access_elem_bits(a) < 8 ? NULL : affine_of(l, pointers);
  if (p) {
    a->linear = true;
    a->base = p->base;
    a->ok = p->ok;
    memcpy(a->stride, p->c, sizeof a->stride);
    memcpy(a->exact, p->c, sizeof a->exact);
  } else if (access_elem_bits(a) >= 8) {
    split_pointers(l, a, pointers);
    a->clamped = value_of(l, pointers)->clamped;
  }
  a->checked = true;
  if (mask) {
    a->full = all_true(l, mask);
    a->checked = a->full != NULL;
  }
  return a;
}

ir_use *access_indices(const ir_op *op, uint32_t *n) {
  return ir_operand_group(op, op->opcode == OP_store_view_tko ? 2 : 1, n);
}

bool access_same_place(const ir_op *a, const ir_op *in_a, const ir_op *b, const ir_op *in_b) {
  uint32_t n, n_b;
  const ir_use *x = access_indices(a, &n), *y = access_indices(b, &n_b);
  if (ir_accessed(a) != ir_accessed(b) || n != n_b) return false;
  for (uint32_t i = 0; i < n; i++) {
    bool both_count = x[i].value == ir_counter(in_a) && y[i].value == ir_counter(in_b);
    if (x[i].value != y[i].value && !both_count) return false;
  }
  return true;
}

access *access_of_buffer(lower *l, const access *like, buffer *b) {
  access *a = arena_new(l->arena, access);
  a->op = like->op;
  a->elem = like->elem;
  a->n = b->n;
  a->linear = a->checked = true;
  a->memory = b;
  a->base = LLVMBuildPtrToInt(l->e.b, b->ptr, l->e.i64, "");
  if (access_elem_bits(a) == 4) a->base = LLVMBuildShl(l->e.b, a->base, k64(l, 1), "");
  for (unsigned k = 0; k < b->n; k++)
    a->exact[k] = a->stride[k] = (coef){.m = b->stride[k] * access_unit(a)};
  return a;
}

void access_range(lower *l, const access *a, llv *lo, llv *hi) {
  affine form = {.n = a->n, .width = 64, .base = a->base};
  memcpy(form.c, a->stride, sizeof form.c);
  affine_range(l, &form, lo, hi);
  *hi = fold_add(l, *hi, k64(l, access_unit(a)));
}
