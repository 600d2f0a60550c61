/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of what copy engines and matrix units execute.
 */
#include "ir/block/engine.h"

#include <stdio.h>

#include "ir/block/clusters.h"
#include "ir/block/layouts.h"
#include "ir/rules.h"

static const char *memory_text(const ir_module *m, const tsr_memory_layout *l) {
  sbuf b = SBUF((arena *)&m->arena);
  ir_memory_layout_print(&b, l);
  return b.data;
}

int ir_engine_swizzle(const tsr_memory_layout *memory, tsr_elem elem) {
  if (!memory->swizzle_bits) return 0;
  for (int bytes = 32; bytes <= 128; bytes *= 2) {
    tsr_memory_layout plain = *memory, wanted;
    plain.swizzle_bits = plain.swizzle_base = plain.swizzle_shift = 0;
    if (tsr_memory_tma_swizzled(&wanted, &plain, bytes, (int32_t)tsr_elem_bits(elem), NULL) !=
        TSR_OK)
      continue;
    if (wanted.swizzle_bits == memory->swizzle_bits &&
        wanted.swizzle_base == memory->swizzle_base &&
        wanted.swizzle_shift == memory->swizzle_shift)
      return bytes;
  }
  return -1;
}

/* ---- tensor maps ---------------------------------------------------------------------------- */

enum { MOST_BOX = 256, MOST_RANK = 5, GRANULE = 16 };

static bool check_elements(const ir_module *m, const ir_op *op, const ir_type *t) {
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  return bits >= 8 || rule_fail(m, op,
                                "copies of tensors move whole bytes, but %s has elements "
                                "of %u bits",
                                type_text(m, t), bits);
}

static bool is_dense(const tsr_memory_layout *memory) {
  tsr_memory_layout plain = *memory;
  plain.swizzle_bits = plain.swizzle_base = plain.swizzle_shift = 0;
  return ir_is_row_major(&plain);
}

static bool check_box(const ir_module *m, const ir_op *op, const ir_type *t) {
  if (t->rank < 1 || t->rank > MOST_RANK)
    return rule_fail(m, op, "a tensor_map has from 1 to %d dimensions, but %s has %u", MOST_RANK,
                     type_text(m, t), t->rank);
  for (unsigned d = 0; d < t->rank; d++)
    if (t->shape[d] > MOST_BOX)
      return rule_fail(m, op,
                       "dimension %u of a box is %lld; a copy moves at most %d, so make the "
                       "box smaller and let the destination be several boxes",
                       d, (long long)t->shape[d], MOST_BOX);
  return true;
}

/* A row of a swizzled box is as long as its swizzle. */
static bool check_swizzle(const ir_module *m, const ir_op *op, const ir_type *t) {
  int swizzle = ir_engine_swizzle(t->memory, (tsr_elem)t->elem);
  int64_t row = t->shape[t->rank - 1] * tsr_elem_bits((tsr_elem)t->elem) / 8;
  if (swizzle < 0)
    return rule_fail(m, op,
                     "the copy engine has no such swizzle as %s has; it has .tma_swizzle(32, %u), "
                     "(64, %u) and (128, %u)",
                     memory_text(m, t->memory), tsr_elem_bits((tsr_elem)t->elem),
                     tsr_elem_bits((tsr_elem)t->elem), tsr_elem_bits((tsr_elem)t->elem));
  if (!is_dense(t->memory))
    return rule_fail(m, op,
                     "a box lies dense in shared memory, the last dimension fastest, but %s does "
                     "not",
                     memory_text(m, t->memory));
  if (row % GRANULE)
    return rule_fail(m, op, "a row of the box has %lld bytes; expected a multiple of %d",
                     (long long)row, GRANULE);
  return !swizzle || row == swizzle ||
         rule_fail(m, op,
                   "a row of the box has %lld bytes, but its swizzle is of %d; they must be "
                   "equal",
                   (long long)row, swizzle);
}

RULE(make_tensor_map, "The elements have 8 bits or more.\n"
                      "A box has from 1 to 5 dimensions, of at most 256 elements each, the last of "
                      "a multiple of 16 bytes.\n"
                      "It lies dense in shared memory, the last dimension fastest, without a "
                      "swizzle or with one of 32, 64 or 128 bytes that is as long as a row.\n"
                      "The view's last stride is 1.") {
  const ir_type *view = operand_type(op, 0), *t = result_type(op, 0);
  if (!check_elements(m, op, t) || !check_box(m, op, t) || !check_swizzle(m, op, t)) return false;
  return view->strides[view->rank - 1] == 1 ||
         rule_fail_operand(m, op, 0,
                           "the copy engine reads rows, so the view's last stride must be 1; %s "
                           "has another",
                           type_text(m, view));
}

/* ---- copies --------------------------------------------------------------------------------- */

static bool check_offsets(const ir_module *m, const ir_op *op, unsigned group, unsigned rank) {
  uint32_t n;
  ir_operand_group(op, group, &n);
  return n == rank || rule_fail(m, op, "expected %u offset%s, one for each dimension, got %u", rank,
                                plural(rank), n);
}

static bool check_barrier(const ir_module *m, const ir_op *op) {
  const ir_value *barrier = ir_operand_in(op, 3), *index = ir_operand_in(op, 4);
  int64_t at;
  if (!index)
    return barrier->type->count == 1 ||
           rule_fail(m, op,
                     "say at which of the %lld barriers the copy completes: %%barrier[%%index]",
                     (long long)barrier->type->count);
  if (!ir_constant_int(index, &at) || (at >= 0 && at < barrier->type->count)) return true;
  return rule_fail(m, op, "index %lld is outside of %s", (long long)at,
                   type_text(m, barrier->type));
}

/* Each box of the memory lies as the map says. */
static bool check_boxes(const ir_module *m, const ir_op *op, const ir_type *boxes,
                        const ir_type *storage) {
  tsr_memory_layout part;
  for (unsigned d = 0; d < boxes->rank; d++)
    if (storage->shape[d] % boxes->shape[d])
      return rule_fail(m, op, "shared memory of shape %s is no grid of boxes of shape %s",
                       shape_text(m, storage), shape_text(m, boxes));
  bool same = ir_memory_part(storage->memory, boxes->rank, boxes->shape, &part) &&
              ir_memory_layout((ir_module *)m, &part) == boxes->memory;
  return same || rule_fail(m, op,
                           "a box lies in shared memory as %s, but the map has %s; they must be "
                           "equal",
                           memory_text(m, &part), memory_text(m, boxes->memory));
}

#define LOAD_WORDS                                                                                 \
  "One thread executes it: it stands inside of elect.\n"                                           \
  "There is an offset for each dimension.\n"
#define MULTICAST_WORDS "`multicast` is in a kernel with clusters, and names tile blocks of them."

RULE(tensor_load,
     LOAD_WORDS "The memory is a grid of boxes that lie as the map says.\n" MULTICAST_WORDS) {
  const ir_type *boxes = operand_type(op, 0), *dest = ir_operand_in(op, 2)->type;
  return check_offsets(m, op, 1, boxes->rank) && check_barrier(m, op) &&
         check_boxes(m, op, boxes, dest) && check_multicast(m, op);
}

static bool check_map_store(const ir_module *m, const ir_op *op) {
  const ir_type *from = operand_type(op, 0), *boxes = operand_type(op, 1);
  return check_offsets(m, op, 2, boxes->rank) && check_boxes(m, op, boxes, from);
}

RULE(tensor_store, LOAD_WORDS "The memory is a grid of boxes that lie as the map says.") {
  return check_map_store(m, op);
}

RULE(tensor_reduce, LOAD_WORDS "The memory is a grid of boxes that lie as the map says.\n"
                               "addf is for f16, bf16 and f32, the others for integers of 32 and "
                               "64 bits.") {
  const ir_type *t = operand_type(op, 0);
  int64_t mode = ir_int_attr(op, ATTR_mode);
  bool is_float = t->elem == TSR_F16 || t->elem == TSR_BF16 || t->elem == TSR_F32;
  bool is_int = t->elem == TSR_I32 || t->elem == TSR_I64;
  if (mode == RMW_ADDF ? !is_float : !is_int)
    return rule_fail(m, op,
                     "%s does not combine elements of type %s; addf is for f16, bf16 and "
                     "f32, the others for i32 and i64",
                     enum_spelling(AK_RMW, mode), elem_text(m, t));
  return check_map_store(m, op);
}

static bool check_rows(const ir_module *m, const ir_op *op, const ir_type *view,
                       const ir_type *storage) {
  int64_t row = storage->rank
                    ? storage->shape[storage->rank - 1] * tsr_elem_bits((tsr_elem)storage->elem) / 8
                    : 0;
  if (!check_elements(m, op, storage)) return false;
  if (!storage->rank || row % GRANULE || storage->memory->swizzle_bits)
    return rule_fail(
        m, op,
        "rows must have a multiple of %d bytes and no swizzle, but the memory has type "
        "%s; tensor_load and tensor_store have swizzles",
        GRANULE, type_text(m, storage));
  const tsr_memory_layout *l = storage->memory;
  unsigned last = l->modes - 1u;
  if (l->dim_modes[l->rank - 1] != 1 || l->stride[last] != 1)
    return rule_fail(m, op, "the last dimension of the memory must be contiguous, but lies as %s",
                     memory_text(m, l));
  return view->strides[view->rank - 1] == 1 ||
         rule_fail(m, op, "the view's last stride must be 1, but it has type %s",
                   type_text(m, view));
}

RULE(bulk_load, LOAD_WORDS "Rows of the memory and of the view are contiguous, and of a multiple "
                           "of 16 bytes.\n" MULTICAST_WORDS) {
  return check_offsets(m, op, 1, operand_type(op, 0)->rank) && check_barrier(m, op) &&
         check_rows(m, op, operand_type(op, 0), ir_operand_in(op, 2)->type) &&
         check_multicast(m, op);
}
RULE(bulk_store, LOAD_WORDS "Rows of the memory and of the view are contiguous, and of a multiple "
                            "of 16 bytes.") {
  return check_offsets(m, op, 2, operand_type(op, 1)->rank) &&
         check_rows(m, op, operand_type(op, 1), operand_type(op, 0));
}

/* ---- waits for sets ------------------------------------------------------------------------- */

static bool closes_set(const ir_op *op, op_queue queue) {
  if (ir_row(op)->queue == queue && ir_row(op)->queue_role == QUEUE_COMMITS) return true;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (const ir_op *o = op->regions[r] ? op->regions[r]->first : NULL; o; o = o->next)
      if (closes_set(o, queue)) return true;
  return false;
}

/* Whether a set may have been closed when the operation is executed, in an earlier iteration of a
 * loop around it, too. */
static bool may_have_set(const ir_op *op, op_queue queue) {
  for (const ir_op *at = op; at && at->block; at = at->block->parent) {
    for (const ir_op *before = at->prev; before; before = before->prev)
      if (closes_set(before, queue)) return true;
    const ir_op *around = at->block->parent;
    bool repeats = around && (around->opcode == OP_for || around->opcode == OP_loop);
    if (repeats && closes_set(around, queue)) return true;
  }
  return false;
}

bool ir_check_wait(const ir_module *m, const ir_op *op) {
  static const char *const closing[] = {[QUEUE_CP_ASYNC] = "cp_async_commit",
                                        [QUEUE_BULK] = "bulk_commit",
                                        [QUEUE_WGMMA] = "wgmma_commit"};
  op_queue queue = (op_queue)ir_row(op)->queue;
  int64_t pending = ir_int_attr(op, ATTR_pending);
  if (pending < 0)
    return rule_fail(m, op, "pending is %lld; expected 0 or more", (long long)pending);
  return may_have_set(op, queue) ||
         rule_fail(m, op,
                   "there is no set to wait for, as no %s comes before it; close one, or leave out "
                   "the wait",
                   closing[queue]);
}

RULE(bulk_wait, WAIT_WORDS) {
  return ir_check_wait(m, op);
}

/* ---- products ------------------------------------------------------------------------------- */

/* What lies innermost of a dimension: how many elements at which stride, and the stride of what
 * comes next (0: nothing does). */
static void innermost(const tsr_memory_layout *l, unsigned dim, int64_t *size, int64_t *stride,
                      int64_t *next) {
  unsigned first = 0;
  for (unsigned d = 0; d < dim; d++) first += l->dim_modes[d];
  unsigned last = first + l->dim_modes[dim] - 1;
  *size = l->size[last];
  *stride = l->stride[last];
  *next = last > first ? l->stride[last - 1] : 0;
}

bool ir_unit_operand_of(const ir_type *t, unsigned k, ir_unit_operand *out) {
  enum { ROWS = 8 };
  int64_t size[2], stride[2], next[2];
  int swizzle = ir_engine_swizzle(t->memory, (tsr_elem)t->elem);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  if (t->rank != 2 || swizzle < 0 || bits < 8) return false;
  for (unsigned d = 0; d < 2; d++) innermost(t->memory, d, &size[d], &stride[d], &next[d]);
  int64_t run = (swizzle ? swizzle : GRANULE) * 8 / bits;
  for (unsigned d = 0; d < 2; d++) { /* along which rows run */
    unsigned o = 1 - d;
    if (stride[d] != 1 || size[d] != run || stride[o] != run || size[o] % ROWS) continue;
    *out = (ir_unit_operand){.along_k = d == k,
                             .swizzle = swizzle,
                             .run = run,
                             .panel = next[d],
                             .eight = size[o] > ROWS ? ROWS * run : next[o]};
    return d == k || bits == 16; /* only these can be transposed */
  }
  return false;
}

int ir_unit_columns(const ir_type *acc, tsr_elem operands, tsr_layout *grid) {
  const char *kind = tsr_elem_bits(operands) == 16 ? "k16"
                     : operands == TSR_TF32        ? "k8.tf32"
                                                   : "k32.f8";
  for (int n = 256; n >= 8 && acc->layout && acc->rank == 2; n -= 8) {
    char name[64];
    tsr_layout fragment;
    int len = snprintf(name, sizeof name, "wgmma.m64n%d%s.C", n, kind);
    if (acc->shape[1] % n || !tsr_fragment(&fragment, name, (size_t)len)) continue;
    if (tsr_layout_divide(grid, acc->layout, &fragment, NULL) == TSR_OK) return n;
  }
  return 0;
}

static bool check_unit_elements(const ir_module *m, const ir_op *op, const ir_type *lhs,
                                const ir_type *rhs, const ir_type *acc) {
  tsr_elem e = (tsr_elem)rhs->elem;
  bool f8 = e == TSR_F8E4M3FN || e == TSR_F8E5M2;
  bool known = e == TSR_F16 || e == TSR_BF16 || e == TSR_TF32 || f8;
  if (!known || lhs->elem != e)
    return rule_fail(
        m, op,
        "the operands must be of f16, bf16, tf32, f8E4M3FN or f8E5M2, both of one, but "
        "have types %s and %s",
        type_text(m, lhs), type_text(m, rhs));
  bool half = e == TSR_F16 || f8;
  return acc->elem == TSR_F32 || (half && acc->elem == TSR_F16) ||
         rule_fail(m, op, "operands of %s need an accumulator of f32%s, but acc has type %s",
                   elem_text(m, rhs), half ? " or f16" : "", type_text(m, acc));
}

static bool check_unit_shapes(const ir_module *m, const ir_op *op, const ir_type *lhs,
                              const ir_type *rhs, const ir_type *acc) {
  bool fit = lhs->rank == 2 && rhs->rank == 2 && acc->rank == 2 && lhs->shape[0] == acc->shape[0] &&
             rhs->shape[1] == acc->shape[1] && lhs->shape[1] == rhs->shape[0];
  int64_t k = tsr_elem_bits((tsr_elem)rhs->elem) ? 256 / tsr_elem_bits((tsr_elem)rhs->elem) : 1;
  if (!fit)
    return rule_fail(m, op, "the shapes must be [m, k], [k, n] and [m, n], but are %s, %s and %s",
                     shape_text(m, lhs), shape_text(m, rhs), shape_text(m, acc));
  return lhs->shape[1] % k == 0 ||
         rule_fail(m, op, "k is %lld; expected a multiple of %lld for %s", (long long)lhs->shape[1],
                   (long long)k, elem_text(m, rhs));
}

static bool check_unit_memory(const ir_module *m, const ir_op *op, uint32_t operand, unsigned k) {
  ir_unit_operand unused;
  const ir_type *t = operand_type(op, operand);
  if (t->kind != IR_SHARED || ir_unit_operand_of(t, k, &unused)) return true;
  return rule_fail_operand(m, op, operand,
                           "the matrix unit does not read shared memory that lies as %s: rows of "
                           "its swizzle (of 16 bytes "
                           "without one) must lie one after the other, eight or more%s",
                           memory_text(m, t->memory),
                           tsr_elem_bits((tsr_elem)t->elem) == 16 ? "" : ", and run along k");
}

RULE(wgmma,
     "The operands are of f16, bf16, tf32 or f8, the accumulator of f32, or f16 for those of "
     "f16 and f8.\n"
     "The shapes are [m, k], [k, n] and [m, n]; k is a multiple of 32 bytes.\n"
     "Shared memory consists of rows of its swizzle, which lie one after the other, eight or "
     "more; for elements that have not 16 bits they run along k.\n"
     "The accumulator is a grid of wgmma.m64n…C, a left operand in registers one of "
     "wgmma.m64n…A.\n"
     "The result is in flight, of the accumulator's type.") {
  const ir_type *lhs = operand_type(op, 0), *rhs = operand_type(op, 1), *acc = operand_type(op, 2);
  if (lhs->kind != IR_SHARED && lhs->kind != IR_TILE)
    return rule_fail_operand(m, op, 0, "lhs must be shared memory or a tile, but has type %s",
                             type_text(m, lhs));
  if (acc->kind == IR_ASYNC) acc = acc->view;
  if (acc->kind != IR_TILE)
    return rule_fail_operand(m, op, 2, "acc must be a tile or an async tile, but has type %s",
                             type_text(m, acc));
  if (result_type(op, 0)->view != acc)
    return rule_fail(m, op, "the result must be async<%s>, but is %s", type_text(m, acc),
                     type_text(m, result_type(op, 0)));
  return check_unit_elements(m, op, lhs, rhs, acc) && check_unit_shapes(m, op, lhs, rhs, acc) &&
         check_unit_memory(m, op, 0, 1) && check_unit_memory(m, op, 1, 0);
}

RULE(wgmma_wait, WAIT_WORDS "\nThe result is the tile that is in flight.") {
  if (!ir_check_wait(m, op)) return false;
  return operand_type(op, 0)->view == result_type(op, 0) ||
         rule_fail(m, op, "the result must be %s, but is %s",
                   type_text(m, operand_type(op, 0)->view), type_text(m, result_type(op, 0)));
}
