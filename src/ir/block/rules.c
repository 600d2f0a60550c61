/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of the operations of the block level, without those about who holds what (placement.c).
 */
#include "ir/block/engine.h"
#include "ir/block/layouts.h"
#include "ir/rules.h"

static bool check_same_shape(const ir_module *m, const ir_op *op, const char *tile,
                             const ir_type *t, const char *storage, const ir_type *s) {
  return ir_same_shape(t, s) ||
         rule_fail(m, op, "%s has shape %s, but %s has shape %s; take a part with subview", tile,
                   shape_text(m, t), storage, shape_text(m, s));
}

/* ---- layouts -------------------------------------------------------------------------------- */

RULE(convert_layout, "Both tiles have layouts over the threads of the group.") {
  if (operand_type(op, 0)->rank) return true;
  return rule_fail(m, op, "a tile of rank 0 has no layout to convert");
}

static int64_t bits_per_thread(const ir_type *t) {
  return tsr_layout_local_size(t->layout) * (int64_t)tsr_elem_bits((tsr_elem)t->elem);
}

RULE(reinterpret, "Both tiles have layouts with as many workers.\n"
                  "A thread has as many bits of one as of the other.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  if (!from->layout || !to->layout)
    return rule_fail(m, op, "both tiles need layouts, but have types %s and %s", type_text(m, from),
                     type_text(m, to));
  int64_t before = bits_per_thread(from), after = bits_per_thread(to);
  return before == after ||
         rule_fail(m, op, "a thread has %lld bits of the source, but %lld of the result",
                   (long long)before, (long long)after);
}

RULE(get_worker, "The result has rank 1 and as many elements as the group has threads, thread i "
                 "holding element i.") {
  const ir_type *t = result_type(op, 0);
  return t->rank == 1 ||
         rule_fail(m, op, "the result must have rank 1, but has type %s", type_text(m, t));
}

/* ---- shared memory -------------------------------------------------------------------------- */

RULE(alloc_shared, "`alignment` is a power of two, or 0 for the default.") {
  int64_t alignment = ir_int_attr(op, ATTR_alignment);
  return (alignment >= 0 && (alignment & (alignment - 1)) == 0) ||
         rule_fail(m, op, "alignment is %lld; expected a power of two", (long long)alignment);
}

/* The operation that comes first and uses the storage, or a part of it, behind `op`, in the same
 * block or in regions there; NULL. */
static const ir_op *used_behind(const ir_op *op, const ir_value *storage) {
  for (const ir_use *u = storage->uses; u; u = u->next) {
    const ir_op *user = u->user, *top = user;
    if (user == op) continue;
    while (top->block && top->block != op->block) top = top->block->parent;
    for (const ir_op *o = op->next; o && top->block == op->block; o = o->next)
      if (o == top) return user;
    bool part = user->opcode == OP_subview || user->opcode == OP_permute_view ||
                user->opcode == OP_map_remote;
    const ir_op *deeper = part ? used_behind(op, ir_result(user, 0)) : NULL;
    if (deeper) return deeper;
  }
  return NULL;
}

RULE(free_shared, "The operand is the result of alloc_shared in the same region.\n"
                  "Neither it nor a part of it is used afterwards.") {
  const ir_value *storage = ir_operand(op, 0);
  const ir_op *made = ir_defining_op(storage);
  if (!made || made->opcode != OP_alloc_shared || made->block != op->block)
    return rule_fail(m, op, "the operand must be the result of alloc_shared in the same region");
  const ir_op *late = used_behind(op, storage);
  if (!late) return true;
  rule_fail(m, op, "the memory is used after its end");
  rule_note(m, late, "%s uses it here; free it behind this", ir_row(late)->name);
  return false;
}

/* Memory of the tile block that `whole` is of, which lies like this. */
static const ir_type *part_type(const ir_module *m, const ir_type *whole,
                                const tsr_memory_layout *memory) {
  const ir_type *part = ir_shared((ir_module *)m, (tsr_elem)whole->elem, memory);
  return ir_remote((ir_module *)m, part, whole->remote);
}

RULE(subview, "The result has as many dimensions as the storage or fewer, none larger.\n"
              "There are at most as many offsets as the storage has dimensions, and one for each "
              "dimension that is gone.\n"
              "The result has the strides and the swizzle of the storage.") {
  const ir_type *whole = operand_type(op, 0), *part = result_type(op, 0);
  uint32_t offsets = op->n_operands - 1;
  unsigned gone = whole->rank - part->rank;
  if (part->rank > whole->rank)
    return rule_fail(m, op, "the result has %u dimensions, but the storage has only %u", part->rank,
                     whole->rank);
  if (offsets > whole->rank || offsets < gone)
    return rule_fail(m, op,
                     "%u offset%s given, but expected %u to %u: one for each dimension that "
                     "is gone, and at most one for each dimension of the storage",
                     offsets, offsets == 1 ? " is" : "s are", gone, whole->rank);
  for (unsigned d = 0; d < part->rank; d++)
    if (part->shape[d] > whole->shape[gone + d])
      return rule_fail(m, op, "dimension %u of the result is %lld, but the storage has only %lld",
                       d, (long long)part->shape[d], (long long)whole->shape[gone + d]);
  tsr_memory_layout expected;
  if (!ir_memory_part(whole->memory, part->rank, part->shape, &expected))
    return rule_fail(m, op,
                     "a part of shape %s doesn't consist of whole digits of the storage's "
                     "layout; its sizes must divide those of the modes",
                     shape_text(m, part));
  const ir_type *t = part_type(m, whole, &expected);
  return t == part || rule_fail(m, op, "the part has type %s, but the result is %s",
                                type_text(m, t), type_text(m, part));
}

/* The storage's memory layout with dimension order[d] as dimension d. */
static tsr_memory_layout permuted(const tsr_memory_layout *whole, const ir_ints *order) {
  tsr_memory_layout turned = *whole;
  turned.modes = 0;
  for (unsigned d = 0; d < order->len; d++) {
    uint32_t k = 0;
    for (int64_t e = 0; e < order->data[d]; e++) k += whole->dim_modes[e];
    turned.dim_modes[d] = whole->dim_modes[order->data[d]];
    for (uint32_t i = 0; i < turned.dim_modes[d]; i++) {
      turned.size[turned.modes] = whole->size[k + i];
      turned.stride[turned.modes++] = whole->stride[k + i];
    }
  }
  return turned;
}

RULE(permute_view, "`permutation` names each dimension once.\n"
                   "The result has the storage's memory layout with permuted dimensions.") {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  const ir_ints *order = ir_get_attr(op, ATTR_permutation)->ints;
  uint64_t used = 0;
  bool each = order->len == from->rank;
  for (unsigned d = 0; each && d < order->len; d++) {
    int64_t of = order->data[d];
    each = of >= 0 && of < from->rank && !(used >> of & 1);
    used |= each ? UINT64_C(1) << of : 0;
  }
  if (!each)
    return rule_fail(m, op, "the permutation must name each of the %u dimensions once", from->rank);
  tsr_memory_layout turned = permuted(from->memory, order);
  const ir_type *t = part_type(m, from, &turned);
  return t == to || rule_fail(m, op, "the result has type %s, but is declared as %s",
                              type_text(m, t), type_text(m, to));
}

/* Matrices are loaded and stored in this tile block only. */
static bool check_matrices(const ir_module *m, const ir_op *op, const ir_type *memory) {
  int64_t instruction = ir_int_attr(op, ATTR_instruction);
  return !memory->remote || instruction < INSTRUCTION_LDMATRIX ||
         rule_fail(
             m, op,
             "%s reaches this tile block's shared memory only; leave it out for that of another",
             enum_spelling(AK_INSTRUCTION, instruction));
}

RULE(load_shared, "The tile has the shape of the memory.\n"
                  "Another tile block's memory is loaded without ldmatrix.") {
  if (!check_matrices(m, op, operand_type(op, 0))) return false;
  return check_same_shape(m, op, "the result", result_type(op, 0), "the memory",
                          operand_type(op, 0));
}

RULE(store_shared, "The tile has the shape of the memory.\n"
                   "Another tile block's memory is stored to without stmatrix.") {
  if (!check_matrices(m, op, operand_type(op, 1))) return false;
  return check_same_shape(m, op, "the value", operand_type(op, 0), "the memory",
                          operand_type(op, 1));
}

/* ---- global memory -------------------------------------------------------------------------- */

static bool check_offsets(const ir_module *m, const ir_op *op, unsigned group,
                          const ir_type *view) {
  uint32_t n;
  const ir_use *u = ir_operand_group(op, group, &n);
  if (n != view->rank)
    return rule_fail(m, op, "expected %u offset%s, one for each dimension of the view, got %u",
                     view->rank, plural(view->rank), n);
  for (uint32_t i = 1; i < n; i++)
    if (u[i].value->type != u[0].value->type)
      return rule_fail(m, op, "the offsets must have one type, but have types %s",
                       values_text(m, u, n));
  return true;
}

static bool check_mask(const ir_module *m, const ir_op *op, const ir_value *mask,
                       const ir_type *tile) {
  if (!mask || (ir_same_shape(mask->type, tile) && mask->type->layout == tile->layout)) return true;
  return rule_fail(m, op, "the mask must have the shape and the layout of %s, but has type %s",
                   type_text(m, tile), type_text(m, mask->type));
}

RULE(load_global, "There is an offset for each dimension of the view, all of one type.\n"
                  "The mask has the shape and the layout of the tile.\n"
                  "A padding value other than zero needs floating-point elements.") {
  const ir_type *t = result_type(op, 0);
  int64_t padding = ir_int_attr(op, ATTR_padding_value);
  if (!check_offsets(m, op, 1, operand_type(op, 0)) || !check_mask(m, op, ir_operand_in(op, 2), t))
    return false;
  return padding == PADDING_ZERO || tsr_elem_is_float((tsr_elem)t->elem) ||
         rule_fail(m, op, "padding value %s needs floating-point elements, but the tile is of %s",
                   enum_spelling(AK_PADDING, padding), elem_text(m, t));
}

RULE(store_global, "There is an offset for each dimension of the view, all of one type.\n"
                   "The mask has the shape and the layout of the tile.") {
  return check_offsets(m, op, 2, operand_type(op, 1)) &&
         check_mask(m, op, ir_operand_in(op, 3), operand_type(op, 0));
}

/* ---- asynchronous copies -------------------------------------------------------------------- */

RULE(cp_async, "There is an offset for each dimension of the view, all of one type.\n"
               "The layout has the shape of the memory and as many workers as the group has "
               "threads.") {
  const ir_type *dest = ir_operand_in(op, 2)->type;
  const tsr_layout *l = ir_get_attr(op, ATTR_layout)->layout;
  bool same = l->rank == dest->rank;
  for (unsigned d = 0; same && d < dest->rank; d++) same = l->shape[d] == dest->shape[d];
  if (!same)
    return rule_fail(m, op, "the layout must have the shape of the memory, %s",
                     shape_text(m, dest));
  return check_offsets(m, op, 1, operand_type(op, 0));
}

RULE(cp_async_wait, WAIT_WORDS) {
  return ir_check_wait(m, op);
}

/* ---- atomic updates, random numbers --------------------------------------------------------- */

#define PLACE_WORDS                                                                                \
  "There is an offset for each dimension of the view, all of one type.\n"                          \
  "The mask has the shape and the layout of the tile.\n"
#define SWAP_WORDS "Elements are i32, i64, f32 or f64."

RULE(atomic_shared, "The tile has the shape of the memory.\n"
                    "The mask has the shape and the layout of the tile.\n" MODE_WORDS) {
  const ir_type *t = operand_type(op, 0);
  return check_same_shape(m, op, "the value", t, "the memory", operand_type(op, 1)) &&
         check_mask(m, op, ir_operand_in(op, 2), t) && check_mode(m, op, t);
}

RULE(atomic_cas_shared, "The tiles have the shape of the memory.\n"
                        "The mask has the shape and the layout of the tiles.\n" SWAP_WORDS) {
  const ir_type *t = operand_type(op, 0);
  return check_same_shape(m, op, "the value", t, "the memory", operand_type(op, 2)) &&
         check_mask(m, op, ir_operand_in(op, 3), t) && check_swapped(m, op, t);
}

RULE(atomic_global, PLACE_WORDS MODE_WORDS) {
  const ir_type *t = operand_type(op, 0);
  return check_offsets(m, op, 2, operand_type(op, 1)) &&
         check_mask(m, op, ir_operand_in(op, 3), t) && check_mode(m, op, t);
}

RULE(atomic_cas_global, PLACE_WORDS SWAP_WORDS) {
  const ir_type *t = operand_type(op, 0);
  return check_offsets(m, op, 3, operand_type(op, 2)) &&
         check_mask(m, op, ir_operand_in(op, 4), t) && check_swapped(m, op, t);
}

RULE(philox, "`rounds` is from 1 to 16.") {
  int64_t rounds = ir_int_attr(op, ATTR_rounds);
  return (rounds >= 1 && rounds <= 16) ||
         rule_fail(m, op, "rounds is %lld; expected 1 to 16, and 10 for numbers that are random",
                   (long long)rounds);
}
