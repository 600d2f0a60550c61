/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/parts.h"

#include "opt/rewrite.h"

static void take_part(part *p, const ir_op *subview) {
  const ir_type *own = ir_result(subview, 0)->type;
  unsigned gone = p->own_rank - own->rank;
  for (uint32_t k = 1; k < subview->n_operands; k++) {
    struct part_dim *dim = &p->dim[p->of[k - 1]];
    dim->start[dim->n++] = ir_operand(subview, k);
  }
  for (unsigned d = 0; d < p->own_rank; d++) {
    p->dim[p->of[d]].size = d < gone ? 1 : own->shape[d - gone];
    if (d >= gone) p->of[d - gone] = p->of[d];
  }
  p->own_rank = own->rank;
}

static void turn(part *p, const ir_op *view) {
  const ir_ints *order = ir_get_attr(view, ATTR_permutation)->ints;
  uint8_t before[TSR_LAYOUT_MAX_RANK];
  memcpy(before, p->of, sizeof before);
  for (uint32_t d = 0; d < order->len; d++) p->of[d] = before[order->data[d]];
}

/* From the part to the allocation, and back. */
bool part_of(const ir_value *storage, part *out) {
  const ir_op *chain[2 * PART_MAX_DEPTH], *made = ir_defining_op(storage);
  unsigned n = 0, parts = 0;
  for (; made && (made->opcode == OP_subview || made->opcode == OP_permute_view);
       made = ir_defining_op(ir_operand(made, 0))) {
    parts += made->opcode == OP_subview;
    if (n == ARRAY_LEN(chain) || parts > PART_MAX_DEPTH) return false;
    chain[n++] = made;
  }
  if (!made || made->opcode != OP_alloc_shared) return false;
  const ir_type *whole = ir_result(made, 0)->type;
  *out = (part){.root = (ir_op *)(uintptr_t)made, .rank = whole->rank, .own_rank = whole->rank};
  for (unsigned d = 0; d < whole->rank; d++) {
    out->dim[d].whole = out->dim[d].size = whole->shape[d];
    out->of[d] = (uint8_t)d;
  }
  while (n-- > 0)
    if (chain[n]->opcode == OP_subview)
      take_part(out, chain[n]);
    else
      turn(out, chain[n]);
  return true;
}

sum part_start(const block_lowering *x, const part *p, unsigned d, uint64_t modulus) {
  sum s = sum_number(modulus, 0);
  for (unsigned i = 0; i < p->dim[d].n; i++) {
    sum start = sum_of(x, p->dim[d].start[i], modulus);
    sum_add(&s, &start, 1);
  }
  return s;
}

static bool has_dim(const part *p, unsigned d) {
  for (unsigned i = 0; i < p->own_rank; i++)
    if (p->of[i] == d) return true;
  return false;
}

static unsigned place_of(const part *p, unsigned d) {
  unsigned i = 0;
  while (p->of[i] != d) i++;
  return i;
}

/* Dimensions that only one of them has are of size 1: those that go stand first when the others are
 * put in order, and a reshape does the rest. */
ir_value *part_turn(ir_module *m, ir_op *at, ir_value *tile, const part *from, const part *to,
                    const ir_type *type) {
  ir_ints *order = arena_alloc(&m->arena, sizeof *order + from->own_rank * sizeof order->data[0],
                               _Alignof(ir_ints));
  int64_t shape[TSR_LAYOUT_MAX_RANK];
  bool moved = false;
  order->len = 0;
  for (unsigned i = 0; i < from->own_rank; i++)
    if (!has_dim(to, from->of[i])) order->data[order->len++] = i;
  for (unsigned i = 0; i < to->own_rank; i++)
    if (has_dim(from, to->of[i])) order->data[order->len++] = place_of(from, to->of[i]);
  for (uint32_t i = 0; i < order->len; i++) {
    shape[i] = tile->type->shape[order->data[i]];
    moved |= i && order->data[i] < order->data[i - 1];
  }
  if (moved) {
    const ir_type *t = ir_tile_reshaped(m, tile->type, order->len, shape);
    ir_op *op = rewrite_make(m, at, OP_permute, t, 1, &tile);
    ir_set_attr(op, ATTR_permutation, (ir_attr){.ints = order});
    tile = ir_result(op, 0);
  }
  if (ir_same_shape(tile->type, type)) return tile;
  const ir_type *t = ir_tile_reshaped(m, tile->type, type->rank, type->shape);
  return ir_result(rewrite_make(m, at, OP_reshape, t, 1, &tile), 0);
}

ir_value *part_storage(const ir_op *access) {
  switch (access->opcode) {
  case OP_load_shared: return ir_operand(access, 0);
  case OP_store_shared: return ir_operand(access, 1);
  case OP_cp_async: return ir_operand_in(access, 2);
  default: return NULL;
  }
}

/* ---- layouts -------------------------------------------------------------------------------- */

/* Whether each stride is beyond what the smaller ones reach. A swizzle only permutes. */
static bool is_injective(const tsr_memory_layout *l) {
  bool used[TSR_LAYOUT_MAX_MODES] = {false};
  int64_t reached = 0;
  for (uint32_t k = 0; k < l->modes; k++) {
    int best = -1;
    for (uint32_t i = 0; i < l->modes; i++)
      if (!used[i] && (best < 0 || l->stride[i] < l->stride[best])) best = (int)i;
    used[best] = true;
    if (l->size[best] == 1) continue;
    if (l->stride[best] <= reached) return false;
    reached += l->stride[best] * (l->size[best] - 1);
  }
  return true;
}

/* Where a dimension has several modes, a part that begins amid a digit would not lie where the
 * same indices of the whole do. */
static bool begins_at_digit(const block_lowering *x, const ir_op *subview, unsigned d) {
  const ir_type *whole = ir_operand(subview, 0)->type, *own = ir_result(subview, 0)->type;
  unsigned gone = whole->rank - own->rank;
  if (d < gone || whole->memory->dim_modes[d] < 2) return true;
  int64_t size = own->shape[d - gone];
  if (size == whole->shape[d]) return true;
  sum s = sum_of(x, ir_operand(subview, 1 + d), sum_modulus_of(ir_operand(subview, 1)->type));
  bool multiple =
      sum_is_multiple(&s, (uint64_t)size) || sum_is_known_multiple(x->known, &s, (uint64_t)size);
  return (size & (size - 1)) == 0 && multiple;
}

bool part_check(const block_lowering *x, const ir_op *op) {
  if (op->opcode == OP_alloc_shared && !is_injective(ir_result(op, 0)->type->memory)) {
    ir_error(
        x->m, op,
        "several elements of %s lie in one place, which is not compiled for CPUs yet; the target "
        "interp runs it",
        ir_type_text(x->arena, ir_result(op, 0)->type));
    return false;
  }
  for (uint32_t d = 0; op->opcode == OP_subview && d + 1 < op->n_operands; d++) {
    if (begins_at_digit(x, op, d)) continue;
    ir_error(x->m, op,
             "dimension %u of %s has several strides, and the part isn't known to begin at a "
             "multiple of its size, which is not compiled for CPUs yet; the target interp runs it",
             d, ir_type_text(x->arena, ir_operand(op, 0)->type));
    return false;
  }
  return true;
}
