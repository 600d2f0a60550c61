/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the layouts of one operation say about each other: the rules of placement.c read forward,
 * from operands to results, and backward.
 */
#include "ir/block/infer.h"
#include "ir/rules.h"

/* ---- operations that can be looked at before they are verified ------------------------------ */

static bool has_operands(const ir_op *op, const op_row *row) {
  uint32_t at = 0;
  for (unsigned g = 0; g < op_n_operands(row); g++) {
    uint32_t n = op->segments[g];
    if (n > op->n_operands - at) return false;
    if (row->operands[g].arity == ONE ? n != 1 : row->operands[g].arity == OPT && n > 1)
      return false;
    at += n;
  }
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!op->operands[i].value || !op->operands[i].value->type) return false;
  return at == op->n_operands;
}

static bool has_results(const ir_op *op, const op_row *row) {
  bool many = row->results[0].name && row->results[0].arity == MANY;
  if (!many && op->n_results != op_n_results(row)) return false;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!op->results[i].type) return false;
  return true;
}

static bool has_attrs(const ir_op *op, const op_row *row) {
  for (unsigned i = 0; i < op_n_attrs(row); i++)
    if (row->attrs[i].optional == AO_REQUIRED && !(op->present >> i & 1)) return false;
  return true;
}

static bool has_regions(const ir_op *op, const op_row *row) {
  if (op->n_regions > op_n_regions(row)) return false;
  for (unsigned r = 0; r < op->n_regions; r++) {
    const ir_block *b = op->regions[r];
    if (!b && op->opcode != OP_if) return false;
    for (uint32_t i = 0; b && i < b->n_args; i++)
      if (!b->args[i].type) return false;
  }
  uint32_t n = op->opcode == OP_for ? op->n_operands - 3 : op->n_operands;
  if (op->opcode == OP_for)
    return op->n_regions == 1 && op->regions[0]->n_args == n + 1 && op->n_results == n;
  return op->opcode != OP_loop || (op->n_regions == 1 && op->regions[0]->n_args == n);
}

bool infer_is_sound(const ir_op *op) {
  if (op->opcode == OP_NONE || op->opcode >= OP_BLOCK_END) return false;
  const op_row *row = ir_row(op);
  return has_operands(op, row) && has_results(op, row) && has_attrs(op, row) &&
         has_regions(op, row);
}

/* ---- which rule ----------------------------------------------------------------------------- */

bool infer_is_alike(const ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_reshape:
  case OP_permute:
  case OP_broadcast:
  case OP_reduce:
  case OP_extract:
  case OP_insert:
  case OP_cat:
  case OP_mmaf:
  case OP_mmai:
  case OP_get_worker:
  case OP_convert_layout:
  case OP_reinterpret:
  case OP_constant:
  case OP_iota:
  case OP_print_tko:
  case OP_load_shared:
  case OP_store_shared:
  case OP_store_async:
  case OP_load_global:
  case OP_store_global:
  case OP_wgmma:
  case OP_wgmma_wait: return false;
  default: return !ir_is_terminator(op) && (!op->n_regions || op->opcode == OP_scan);
  }
}

static ir_value *argument(const ir_op *op, uint32_t i) {
  ir_block *b = ir_region(op, 0);
  return b && i < b->n_args ? &b->args[i] : NULL;
}

static ir_value *result(const ir_op *op, uint32_t i) {
  return i < op->n_results ? ir_result(op, i) : NULL;
}

static ir_value *yielded(const ir_op *op, uint32_t operand) {
  const ir_op *parent = op->block->parent;
  bool hands_out = parent->opcode == OP_if || parent->opcode == OP_group;
  return hands_out ? result(parent, operand) : NULL;
}

ir_value *infer_target(const ir_op *op, uint32_t operand) {
  const ir_op *loop;
  switch ((op_code)op->opcode) {
  case OP_for: return operand < 3 ? NULL : argument(op, operand - 2);
  case OP_loop: return argument(op, operand);
  case OP_continue:
    loop = around_ifs(op);
    if (loop->opcode == OP_for) return argument(loop, operand + 1);
    return loop->opcode == OP_loop ? argument(loop, operand) : NULL;
  case OP_break:
    loop = around_ifs(op);
    return loop->opcode == OP_loop ? result(loop, operand) : NULL;
  case OP_yield: return yielded(op, operand);
  default: return NULL;
  }
}

/* ---- layouts that follow from others -------------------------------------------------------- */

static bool shape_of(const ir_type *t, int32_t *shape) {
  if (t->rank > TSR_LAYOUT_MAX_RANK) return false;
  for (unsigned d = 0; d < t->rank; d++) shape[d] = (int32_t)t->shape[d];
  return true;
}

static const tsr_layout *keep(infer *x, tsr_status status, const tsr_layout *l) {
  return status == TSR_OK ? ir_layout(x->m, l) : NULL;
}

static const tsr_layout *reshaped(infer *x, const tsr_layout *from, const ir_type *to,
                                  int32_t threads) {
  int32_t shape[TSR_LAYOUT_MAX_RANK];
  tsr_layout l;
  if (!shape_of(to, shape)) return NULL;
  if (from) return keep(x, tsr_layout_reshape(&l, from, to->rank, shape, NULL), &l);
  return keep(x, tsr_layout_replicated(&l, to->rank, shape, threads, NULL), &l);
}

/* Turned as `permutation` says, or back. */
static const tsr_layout *permuted(infer *x, const ir_op *op, const tsr_layout *from, bool back) {
  const ir_ints *order = ir_get_attr(op, ATTR_permutation)->ints;
  int32_t dims[TSR_LAYOUT_MAX_RANK] = {0};
  tsr_layout l;
  if (order->len != from->rank) return NULL;
  for (uint32_t d = 0; d < order->len; d++) {
    int64_t of = order->data[d];
    if (of < 0 || of >= order->len) return NULL;
    dims[back ? of : d] = back ? (int32_t)d : (int32_t)of;
  }
  return keep(x, tsr_layout_permute(&l, from, order->len, dims, NULL), &l);
}

/* Without the repeated dimensions, whose threads have copies. */
static const tsr_layout *before_broadcast(infer *x, const ir_op *op, const tsr_layout *after) {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  int32_t dims[TSR_LAYOUT_MAX_RANK];
  uint32_t n = 0;
  tsr_layout l;
  if (from->rank != to->rank || to->rank > TSR_LAYOUT_MAX_RANK) return NULL;
  for (unsigned d = 0; d < to->rank; d++)
    if (from->shape[d] != to->shape[d]) dims[n++] = (int32_t)d;
  return keep(x, tsr_layout_reduce(&l, after, n, dims, true, NULL), &l);
}

/* How many parts the whole has along each dimension, as slots. */
static bool grid_of_parts(const ir_type *whole, const ir_type *part, tsr_layout *out) {
  int32_t grid[TSR_LAYOUT_MAX_RANK];
  if (whole->rank != part->rank || whole->rank > TSR_LAYOUT_MAX_RANK) return false;
  for (unsigned d = 0; d < whole->rank; d++) {
    if (part->shape[d] <= 0 || whole->shape[d] % part->shape[d]) return false;
    grid[d] = (int32_t)(whole->shape[d] / part->shape[d]);
  }
  return tsr_layout_local(out, whole->rank, grid, NULL, NULL) == TSR_OK;
}

static const tsr_layout *part_of(infer *x, const ir_type *whole, const tsr_layout *l,
                                 const ir_type *part) {
  tsr_layout grid, out;
  if (!grid_of_parts(whole, part, &grid)) return NULL;
  return keep(x, tsr_layout_left_divide(&out, l, &grid, NULL), &out);
}

static const tsr_layout *whole_of(infer *x, const ir_type *part, const tsr_layout *l,
                                  const ir_type *whole) {
  tsr_layout grid, out;
  if (!grid_of_parts(whole, part, &grid)) return NULL;
  return keep(x, tsr_layout_compose(&out, &grid, l, NULL), &out);
}

/* ---- forward -------------------------------------------------------------------------------- */

static int64_t bytes_of(const ir_type *t) {
  int64_t bits = t->elem == TSR_PTR ? 64 : (int64_t)tsr_elem_bits((tsr_elem)t->elem);
  return t->count * bits;
}

/* How much of an operation's operands would stay where it is, in the layout of `l`. */
static int64_t bytes_in(infer *x, const ir_op *op, const tsr_layout *l, infer_rank rank) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    infer_value *v = infer_row(x, ir_operand(op, i));
    if (v->layout == l && v->rank == rank && !v->movable) sum += bytes_of(operand_type(op, i));
  }
  return sum;
}

/* The operand whose layout the others get: of the most certain ones that with the most bytes.
 * Values that can be computed anywhere count only where there are no others. */
static const infer_value *strongest(infer *x, const ir_op *op) {
  const infer_value *best = NULL;
  bool others = false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (!infer_needs(operand_type(op, i))) continue;
    const infer_value *v = infer_row(x, ir_operand(op, i));
    others |= !v->movable;
    if (!v->layout) continue;
    bool better = !best || (best->movable && !v->movable);
    if (!better && v->movable == best->movable)
      better = v->rank < best->rank ||
               (v->rank == best->rank && v->layout != best->layout &&
                bytes_in(x, op, v->layout, v->rank) > bytes_in(x, op, best->layout, best->rank));
    if (better) best = v;
  }
  return best && best->movable && others ? NULL : best;
}

static const tsr_layout *product(infer *x, const ir_op *op, infer_rank *rank) {
  const infer_value *acc = infer_row(x, ir_operand(op, 2));
  *rank = INFER_STATED;
  if (acc->layout && !acc->movable) return acc->layout;
  return infer_accumulator(x, op, infer_op_row(x, op)->threads);
}

static const tsr_layout *in_flight(const ir_type *t) {
  return t->kind == IR_ASYNC ? t->view->layout : NULL;
}

static const tsr_layout *worker(infer *x, int32_t threads) {
  tsr_layout l;
  return keep(x, tsr_layout_spatial(&l, 1, &threads, NULL, NULL), &l);
}

static const tsr_layout *without_dim(infer *x, const ir_op *op, const tsr_layout *l) {
  int32_t dim = (int32_t)ir_int_attr(op, ATTR_dim);
  tsr_layout out;
  return keep(x, tsr_layout_reduce(&out, l, 1, &dim, false, NULL), &out);
}

static const tsr_layout *forward_of(infer *x, const ir_op *op, uint32_t i, const tsr_layout *from,
                                    int32_t threads) {
  const ir_type *to = result_type(op, i), *t = operand_type(op, 0);
  if (op->opcode == OP_reshape) return from || t->rank == 0 ? reshaped(x, from, to, threads) : NULL;
  if (!from) return NULL;
  switch ((op_code)op->opcode) {
  case OP_permute: return permuted(x, op, from, false);
  case OP_reduce: return without_dim(x, op, from);
  case OP_extract: return part_of(x, t, from, to);
  case OP_cat: return whole_of(x, t, from, to);
  default: return NULL;
  }
}

const tsr_layout *infer_forward(infer *x, const ir_op *op, uint32_t i, infer_rank *rank) {
  *rank = INFER_STATED;
  int32_t threads = infer_op_row(x, op)->threads;
  if (op->opcode == OP_mmaf || op->opcode == OP_mmai) return product(x, op, rank);
  if (op->opcode == OP_get_worker) return worker(x, threads);
  if (op->opcode == OP_wgmma_wait) return in_flight(operand_type(op, 0));
  if (!op->n_operands) return NULL;
  const infer_value *from = infer_is_alike(op) || op->opcode == OP_reduce
                                ? strongest(x, op)
                                : infer_row(x, ir_operand(op, op->opcode == OP_insert));
  if (from && from->layout) *rank = (infer_rank)from->rank;
  if (infer_is_alike(op) || op->opcode == OP_insert) return from ? from->layout : NULL;
  return forward_of(x, op, i, from ? from->layout : NULL, threads);
}

/* ---- backward ------------------------------------------------------------------------------- */

static bool is_in_group(const ir_op *op, unsigned group, uint32_t operand) {
  uint32_t n;
  const ir_use *first = ir_operand_group(op, group, &n);
  return n && op->operands + operand >= first && op->operands + operand < first + n;
}

/* Of operations whose operand follows from the result's layout. */
static const tsr_layout *from_result(infer *x, const ir_op *op, uint32_t i, const tsr_layout *l) {
  const ir_type *t = operand_type(op, i), *to = result_type(op, 0);
  switch ((op_code)op->opcode) {
  case OP_reshape: return reshaped(x, l, t, 0);
  case OP_permute: return permuted(x, op, l, true);
  case OP_broadcast: return before_broadcast(x, op, l);
  case OP_extract: return whole_of(x, to, l, t);
  case OP_insert: return i ? l : part_of(x, to, l, t);
  case OP_cat: return part_of(x, to, l, t);
  case OP_mmaf:
  case OP_mmai: return i == 2 ? l : infer_factor(x, op, i, l);
  default: return NULL;
  }
}

const tsr_layout *infer_backward(infer *x, const ir_op *op, uint32_t operand, const tsr_layout *l) {
  return infer_is_alike(op) ? l : from_result(x, op, operand, l);
}

static const tsr_layout *alike_need(infer *x, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (infer_needs(result_type(op, i))) return infer_layout(x, ir_result(op, i));
  const infer_value *v = strongest(x, op);
  return v ? v->layout : NULL;
}

const tsr_layout *infer_need(infer *x, const ir_op *op, uint32_t operand, bool *failed) {
  const ir_value *target = infer_target(op, operand);
  if (target) return infer_layout(x, target);
  if (infer_is_alike(op)) return alike_need(x, op);
  const infer_value *first;
  switch ((op_code)op->opcode) {
  case OP_reshape:
  case OP_permute:
  case OP_broadcast:
  case OP_extract:
  case OP_insert:
  case OP_cat:
  case OP_mmaf:
  case OP_mmai: break;
  case OP_reduce: first = strongest(x, op); return first ? first->layout : NULL;
  case OP_load_global:
    return is_in_group(op, 2, operand) ? infer_layout(x, ir_result(op, 0)) : NULL;
  case OP_store_global:
    return is_in_group(op, 3, operand) ? infer_layout(x, ir_operand(op, 0)) : NULL;
  case OP_wgmma: return operand == 2 ? in_flight(result_type(op, 0)) : NULL;
  default: return NULL;
  }
  const tsr_layout *l = infer_layout(x, ir_result(op, 0));
  if (!l) return NULL;
  const tsr_layout *need = from_result(x, op, operand, l);
  if (!need && failed) *failed = true;
  return need;
}
