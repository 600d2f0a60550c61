/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Atomics, and loads and stores with a memory order. Each element is accessed by one thread; where
 * others hold it too, they get it from that one, so that all threads see the same value even if
 * memory changes meanwhile.
 *
 * What the language orders for a tile block as a whole, instructions order for a thread: a barrier
 * in front of a release gathers what the block's other threads did, one after an acquire passes on
 * what the thread saw.
 */
#include "gpu/atomic.h"

#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/memory.h"
#include "gpu/placement.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "llvm/conv.h"
#include "llvm/nans.h"

static bool acquires(int64_t order) {
  return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL;
}

static bool refuse_nibbles(gen *g, ir_op *op, const access *a) {
  if (!a->nibbles) return false;
  gpu_unsupported(g, op, "4-bit elements have no atomic accesses; use weak ones");
  return true;
}

static llv exists_at(gen *g, const access *a, uint32_t i, llv owner) {
  llv exists = fold_and(g, owner, gpu_exists(g, a, i));
  return exists ? exists : LLVMConstInt(g->e.i1, 1, 0);
}

llv *gpu_spread_copies(gen *g, tsr_elem elem, const simt_dist *d, llv *r, llv owner) {
  if (!owner) return r;
  int32_t weight[SIMT_BITS];
  unsigned bytes = gpu_shared_bytes(elem);
  for (unsigned k = 0; k < SIMT_BITS; k++) weight[k] = (int32_t)(bytes << k);
  llv base = gpu_scratch(g, bytes << d->n);
  gpu_shared_store(g, elem, &(tile){.d = *d, .v = r}, base, weight);
  gpu_scratch_ready(g);
  return gpu_shared_load(g, elem, d, base, weight);
}

/* ---- loads and stores ----------------------------------------------------------------------- */

void gpu_ordered_load(gen *g, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  int64_t order = ir_int_attr(op, ATTR_memory_ordering_semantics);
  simt_dist d = gpu_dist(g, v);
  access a = gpu_access(g, op, &d);
  if (refuse_nibbles(g, op, &a)) return;
  tsr_elem elem = (tsr_elem)a.elem;
  llv *pad = gpu_padding(g, &a), *r = gpu_registers(g, &d), owner = gpu_owner(g, &d);
  gpu_before_load(g);
  unsigned bits = MAX(tsr_elem_bits(elem), 8);
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    llv p = gpu_to_memory(g, elem, pad[i]), at = gpu_address(g, &a, i);
    llv x = g->vendor->ordered_load(g, op, bits, at, exists_at(g, &a, i, owner), p);
    r[i] = gpu_from_memory(g, elem, x);
  }
  r = gpu_spread_copies(g, elem, &d, r, owner);
  if (acquires(order) && !owner) gpu_barrier(g);
  gpu_set(g, v, &d, r);
}

void gpu_ordered_store(gen *g, ir_op *op) {
  ir_value *v = op->opcode == OP_store_view_tko ? ir_operand_in(op, 0) : ir_operand_in(op, 1);
  simt_dist d;
  llv *x = gpu_home(g, v, &d);
  access a = gpu_access(g, op, &d);
  if (refuse_nibbles(g, op, &a)) return;
  tsr_elem elem = (tsr_elem)a.elem;
  unsigned bits = MAX(tsr_elem_bits(elem), 8);
  llv owner = gpu_owner(g, &d);
  gpu_before_store(g);
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    llv s = gpu_to_memory(g, elem, x[i]), at = gpu_address(g, &a, i);
    g->vendor->ordered_store(g, op, bits, at, exists_at(g, &a, i, owner), s);
  }
}

/* ---- atomics -------------------------------------------------------------------------------- */

/* old + x by compare-and-swap, where there is no instruction for it. */
static llv add_by_swaps(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x) {
  emit *e = &g->e;
  LLVMTypeRef type = gpu_memory_type(g, elem);
  llblock before = LLVMGetInsertBlock(e->b), begin = gpu_new_block(g, "add");
  llblock loop = gpu_new_block(g, "add.again"), done = gpu_new_block(g, "add.end");
  llv zero = LLVMConstNull(type);
  LLVMBuildCondBr(e->b, exists, begin, done);
  LLVMPositionBuilderAtEnd(e->b, begin);
  llv first = LLVMBuildLoad2(e->b, type, as_ptr(g, address, g->space), "");
  LLVMSetVolatile(first, 1);
  LLVMSetAlignment(first, tsr_elem_bits(elem) / 8);
  gpu_go(g, loop);
  llv old = LLVMBuildPhi(e->b, type, "");
  llv sum = emit_round(e, elem, f_add(e, gpu_from_memory(g, elem, old), x));
  llv found =
      g->vendor->compare_and_swap(g, op, tsr_elem_bits(elem), address, LLVMConstInt(e->i1, 1, 0),
                                  old, gpu_to_memory(g, elem, lanes_canonical(e, sum)));
  LLVMAddIncoming(old, (llv[]){first, found}, (llblock[]){begin, loop}, 2);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, found, old, ""), done, loop);
  LLVMPositionBuilderAtEnd(e->b, done);
  llv phi = LLVMBuildPhi(e->b, type, "");
  LLVMAddIncoming(phi, (llv[]){zero, found}, (llblock[]){before, loop}, 2);
  return phi;
}

llv gpu_update(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x,
               llv expected) {
  if (expected)
    return g->vendor->compare_and_swap(g, op, tsr_elem_bits(elem), address, exists,
                                       gpu_to_memory(g, elem, expected), gpu_to_memory(g, elem, x));
  llv old = g->vendor->update(g, op, elem, address, exists, x);
  return old ? old : add_by_swaps(g, op, elem, address, exists, x);
}

void gpu_atomic(gen *g, ir_op *op) {
  bool in_view = op->opcode == OP_atomic_red_view_tko, swap = op->opcode == OP_atomic_cas_tko;
  ir_value *x = ir_operand_in(op, in_view || swap ? 2 : 1), *v = in_view ? NULL : ir_result(op, 0);
  int64_t order = ir_int_attr(op, ATTR_memory_ordering_semantics);
  tsr_elem elem = (tsr_elem)x->type->elem;
  value_of(g, ir_result(op, in_view ? 0 : 1))->kind = VALUE_TOKEN;
  simt_dist d = v ? gpu_dist(g, v) : g->placement->wanted(g, x);
  if (x->type->count == 1) d = gpu_scalar_dist(g);
  llv *desired = gpu_get(g, x, &d), *expected = NULL, *r = gpu_registers(g, &d);
  if (swap) expected = gpu_get(g, ir_operand_in(op, 1), &d);
  access a = gpu_access(g, op, &d);
  llv owner = gpu_owner(g, &d);
  gpu_before_store(g);
  g->now.loaded = true;
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    llv exists = exists_at(g, &a, i, owner), at = gpu_address(g, &a, i);
    llv old = gpu_update(g, op, elem, at, exists, desired[i], swap ? expected[i] : NULL);
    r[i] = gpu_from_memory(g, elem, old);
  }
  bool used = v && v->uses;
  if (used) r = gpu_spread_copies(g, elem, &d, r, owner);
  if (acquires(order) && !(used && owner)) gpu_barrier(g);
  if (v) gpu_set(g, v, &d, r);
}
