/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/parts.h"

/* From the part to the allocation, so that inner offsets come first. */
bool part_of(const ir_value *storage, part *out) {
  const ir_type *own = storage->type;
  const ir_op *made = ir_defining_op(storage);
  unsigned depth = 0;
  for (; made && made->opcode == OP_subview; made = ir_defining_op(ir_operand(made, 0)))
    if (++depth > PART_MAX_DEPTH) return false;
  if (!made || made->opcode != OP_alloc_shared) return false;
  const ir_type *whole = ir_result(made, 0)->type;
  *out = (part){.root = (ir_op *)(uintptr_t)made, .rank = whole->rank};
  for (unsigned d = 0; d < whole->rank; d++) {
    unsigned gone = whole->rank - own->rank;
    out->dim[d].whole = whole->shape[d];
    out->dim[d].size = d < gone ? 1 : own->shape[d - gone];
  }
  for (const ir_op *s = ir_defining_op(storage); s != made; s = ir_defining_op(ir_operand(s, 0))) {
    unsigned gone = whole->rank - ir_operand(s, 0)->type->rank;
    for (uint32_t k = 1; k < s->n_operands; k++) {
      struct part_dim *dim = &out->dim[gone + k - 1];
      dim->start[dim->n++] = ir_operand(s, k);
    }
  }
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
  return (size & (size - 1)) == 0 && sum_is_multiple(&s, (uint64_t)size);
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
