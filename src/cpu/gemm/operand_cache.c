/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Right operands that tile blocks share.
 *
 *   for %j … { …; %scores = mmaf %q, %k_transposed, …; … }
 *
 * Tile blocks that differ in x follow one another on a thread, and where an operand follows the
 * loop but not x, each of them would transpose or widen the same tiles again. So the tile of the
 * loop's n-th iteration stays in the n-th of several slots, each with a key (reuse.h); where the
 * key is what it was, nothing is written. What comes after the last slot shares that one. A product
 * that is put off (kblock.c) has slots of its own.
 */
#include "cpu/gemm/operand_cache.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/grid.h"
#include "cpu/plan/product.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/group.h"
#include "cpu/nest/scalar.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/kblock.h"
#include "cpu/gemm/product.h"
#include "cpu/gemm/reuse.h"

enum { FEWEST_SLOTS = 4, MOST_SLOTS = 1024 };

typedef struct cached_operand {
  buffer *store, *keys;
  int64_t slots, bytes; /* of a slot */
  bool pairs;
  llv number; /* i64 in memory: of the iteration */
} cached_operand;

/* Is it nothing but a load, which may be read where it lies? */
static bool is_loaded(const ir_value *v, tsr_elem elem) {
  const ir_op *op = ir_defining_op(v);
  while (op && op->opcode == OP_reshape) op = ir_defining_op(ir_operand(op, 0));
  bool loads = op && ir_is_load(op);
  return loads && v->type->elem == elem;
}

/* Would each tile block compute the product's right operand again? */
static bool is_repeated(lower *l, ir_op *op) {
  if (op->opcode != OP_mmaf || kblock_defers(l, op)) return false;
  ir_value *rhs = ir_operand(op, 1);
  const ir_op *from = ir_defining_op(rhs);
  product p = product_of_op(op, product_elem(op));
  return from && from->block == op->block && p.m > PRODUCT_FEW_ROWS && rhs->type->count > 1 &&
         !is_loaded(rhs, p.elem) && !grid_follows(rhs, 0);
}

/* Of pairs, after the tile: what is lowest in it, an i64. */
static int64_t bytes_of(const ir_op *op, bool pairs) {
  int64_t count = ir_operand(op, 1)->type->count;
  return pairs ? count * 2 + BUFFER_ALIGN : count * (tsr_elem_bits(product_elem(op)) / 8);
}

static void make_room(lower *l, ir_op *op, int64_t share) {
  product p = product_of_op(op, product_elem(op));
  bool pairs = pairs_fit(l, &p);
  int64_t bytes = bytes_of(op, pairs), slots = MIN(share / (bytes + KEY_BYTES), MOST_SLOTS);
  if (slots < FEWEST_SLOTS) return;
  cached_operand *k = arena_new(l->arena, cached_operand);
  *k = (cached_operand){.slots = slots, .bytes = bytes, .pairs = pairs};
  k->store = buffer_bytes(l, (uint64_t)(slots * bytes));
  buffer_persists(k->store);
  k->keys = buffer_bytes(l, (uint64_t)(slots * KEY_BYTES));
  k->keys->keys = true;
  buffer_persists(k->keys);
  l->reuse_bytes += slots * bytes;
  NOTE_MATCH(l, OPERAND_CACHE, .value = ir_operand(op, 1), .n = {slots, bytes});
  k->number = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, 0), k->number);
  *map_put(l->arena, &l->operand_cache, (uintptr_t)op) = (uintptr_t)k;
}

void operand_cache_begin(lower *l, ir_op *loop) {
  unsigned count = 0;
  if (!is_on(l, PATTERN_OPERAND_CACHE)) return;
  for (ir_op *op = ir_region(loop, 0)->first; op; op = op->next) count += is_repeated(l, op);
  if (count == 0 || !reads_are_stable(l, loop)) return;
  int64_t share = (REUSE_BYTES - l->reuse_bytes) / count;
  for (ir_op *op = ir_region(loop, 0)->first; op; op = op->next)
    if (is_repeated(l, op)) make_room(l, op, share);
}

/* The slot as a buffer, row-major or in pairs. */
static buffer *slot_of(lower *l, const cached_operand *k, const ir_type *t, llv number) {
  buffer *b = arena_new(l->arena, buffer);
  *b = (buffer){.elem = (uint8_t)t->elem, .format = FORMAT_LANES, .memory = k->store};
  b->n = (uint8_t)tile_bits(t);
  for (unsigned j = 0; j < b->n; j++) b->stride[j] = 1 << j;
  if (k->pairs) pairs_lay_out(b, t);
  b->ptr = lower_element(l, k->store->ptr, number, k->bytes);
  return b;
}

/* Bytes to the slot that is needed next, 0 where it is near: more than three eighths of the
 * second-level cache have left that when they are needed again. */
static llv step_of(lower *l, const cached_operand *k, const ir_op *op, llv number) {
  LLVMBuilderRef b = l->e.b;
  int64_t near = cpu_l2_bytes(&l->e.core) / 8 * 3 / k->bytes;
  llv far = LLVMBuildICmp(b, LLVMIntUGT, for_rounds(l, op->block->parent), k64(l, near), "");
  llv more = LLVMBuildICmp(b, LLVMIntULT, number, k64(l, k->slots - 1), "");
  return LLVMBuildSelect(b, LLVMBuildAnd(b, far, more, ""), k64(l, k->bytes), k64(l, 0), "");
}

buffer *operand_cache_find(lower *l, ir_op *op, llv *lowest, llv *step) {
  uintptr_t *found = map_get(&l->operand_cache, (uintptr_t)op);
  ir_value *rhs = ir_operand(op, 1);
  key x;
  group_flush(l);
  if (!found || !key_find(l, rhs, &x)) return NULL;
  const cached_operand *k = (const cached_operand *)*found;
  LLVMBuilderRef b = l->e.b;
  llv number = LLVMBuildLoad2(b, l->e.i64, k->number, "");
  LLVMBuildStore(b, LLVMBuildAdd(b, number, k64(l, 1), ""), k->number);
  llv slot = umin64(l, number, k64(l, k->slots - 1));
  llv at = lower_element(l, k->keys->ptr, slot, KEY_BYTES);
  buffer *to = slot_of(l, k, rhs->type, slot);
  *step = step_of(l, k, op, number);
  int64_t bytes = k->bytes - BUFFER_ALIGN;
  llv low_at = k->pairs ? emit_offsetk(&l->e, to->ptr, bytes) : NULL;
  llblock other = lower_new_block(l, "other"), done = lower_new_block(l, "kept");
  LLVMBuildCondBr(b, key_holds(l, &x, at), done, other);
  LLVMPositionBuilderAtEnd(b, other);
  key_write(l, &x, at);
  materialise_into(l, rhs, to);
  if (low_at) LLVMBuildStore(b, emit_pairs_lowest(&l->e, to->ptr, 1, 0, bytes), low_at);
  lower_go(l, done);
  if (low_at) *lowest = LLVMBuildLoad2(b, l->e.i64, low_at, "");
  return to;
}
