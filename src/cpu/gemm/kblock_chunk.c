/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a chunk's parts lie, and how much of a slice counts.
 */
#include "cpu/gemm/kblock_chunk.h"

#include "cpu/core/function.h"
#include "cpu/plan/access.h"
#include "cpu/plan/grid.h"
#include "cpu/plan/map.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/analysis.h"
#include "cpu/gemm/ukernel/ukernel.h"

/* How many elements along n bits of the index from `first` on are accessed, at least 1. */
llv kblock_extent(lower *l, const access *a, unsigned first, unsigned n) {
  index_map all = map_identity(a->n);
  bound_uses uses = {0};
  llv others, count = k64(l, INT64_C(1) << n);
  access_bounds(l, a, &all, &uses, &others);
  for (uint32_t i = 0; i < uses.len && n; i++) {
    const bound_use *u = &uses.data[i];
    if (u->first != (int)first || u->n != n) continue;
    llv hi = u->known ? LLVMBuildSelect(l->e.b, u->known, u->hi, count, "") : u->hi;
    count = umin64(l, count, fold_min_max(l, "llvm.umax", hi, k64(l, 1)));
  }
  return count;
}

/* The number of the chunk that is being filled. Where no tile block has a neighbour along x, none
 * will need it again, and one that is always the same stays in the cache. */
static llv chunk_of(lower *l, const kblock *k, const side *s) {
  if (s->chunks == 1) return k64(l, 0);
  llv last = k64(l, s->chunks - 1);
  if (grid_follows(s->v, 1)) {
    llv alone = LLVMBuildICmp(l->e.b, LLVMIntEQ, grid_extent(l, 0), k64(l, 1), "");
    last = LLVMBuildSelect(l->e.b, alone, k64(l, 0), last, "");
  }
  return umin64(l, load64(l, k->chunk), last);
}

/* Where the slice goes, as a buffer. */
buffer *kblock_slice(lower *l, const kblock *k, const side *s, llv filled) {
  buffer *b = arena_new(l->arena, buffer);
  *b = s->layout;
  b->memory = s->store;
  b->ptr = lower_element(l, kblock_chunk_address(l, k, s), filled, s->slice_bytes);
  return b;
}

llv kblock_slice_number(lower *l, const kblock *k, const side *s, llv filled) {
  return fold_add(l, fold_mul(l, chunk_of(l, k, s), k64(l, k->slices)), filled);
}

/* An i64, FINITE_NOT or FINITE_ALL: the slice's. It is looked at once. */
static llv slice_is_finite(lower *l, const kblock *k, llv number) {
  const side *s = &k->b;
  int64_t length = k->slices * k->p.k, size = buffer_elem_bytes(&s->layout);
  tsr_elem elem = in_pairs(k) ? TSR_BF16 : k->p.elem;
  llv at = lower_element(l, s->finite->ptr, number, 8), known = load64(l, at);
  llblock before = LLVMGetInsertBlock(l->e.b);
  llblock look = lower_new_block(l, "look"), done = lower_new_block(l, "looked");
  llv is_new = LLVMBuildICmp(l->e.b, LLVMIntEQ, known, k64(l, FINITE_UNKNOWN), "");
  LLVMBuildCondBr(l->e.b, is_new, look, done);
  LLVMPositionBuilderAtEnd(l->e.b, look);
  llv slices = k64(l, k->slices), chunk = LLVMBuildUDiv(l->e.b, number, slices, "");
  llv first = lower_element(l, s->store->ptr, chunk, s->chunk_bytes);
  first = lower_element(l, first, LLVMBuildURem(l->e.b, number, slices, ""), s->slice_bytes);
  llv all = emit_mma_finite(&l->e, elem, first, k->p.n / k->panel, length * k->panel * size,
                            s->slice_bytes);
  all = LLVMBuildAdd(l->e.b, all, k64(l, FINITE_NOT), "");
  LLVMBuildStore(l->e.b, all, at);
  llblock looked = LLVMGetInsertBlock(l->e.b);
  lower_go(l, done);
  llv r = LLVMBuildPhi(l->e.b, l->e.i64, "");
  LLVMAddIncoming(r, (llv[]){known, all}, (llblock[]){before, looked}, 2);
  return r;
}

llv kblock_slice_length(lower *l, const kblock *k) {
  const access *a = value_of(l, k->a.v)->load, *b = value_of(l, k->b.v)->load;
  if (!a || !b || a->index || b->index) return k64(l, k->p.k);
  if (!access_pads_with_zero(a) || !access_pads_with_zero(b)) return k64(l, k->p.k);
  unsigned k_bits = log2_of(k->p.k);
  llv x = kblock_extent(l, a, 0, k_bits), y = kblock_extent(l, b, log2_of(k->p.n), k_bits);
  return emit_intrinsic(&l->e, "llvm.umax", &l->e.i64, 1, (llv[]){x, y}, 2);
}

buffer *kblock_addresses(lower *l, const kblock *k, buffer *memory, llv at) {
  buffer *b = arena_new(l->arena, buffer);
  *b = (buffer){.elem = TSR_I64, .format = FORMAT_LANES, .memory = memory, .ptr = at};
  b->n = (uint8_t)log2_of(k->p.m);
  for (unsigned j = 0; j < b->n; j++) b->stride[j] = 1 << j;
  return b;
}

llv kblock_chunk_address(lower *l, const kblock *k, const side *s) {
  return lower_element(l, s->store->ptr, chunk_of(l, k, s), s->chunk_bytes);
}

llv kblock_chunk_is_finite(lower *l, const kblock *k, llv filled) {
  LLVMBuilderRef b = l->e.b;
  llv first = kblock_slice_number(l, k, &k->b, k64(l, 0)), zero = k64(l, 0);
  llblock before = LLVMGetInsertBlock(b), body = lower_new_block(l, "finite");
  llblock done = lower_new_block(l, "finite.done");
  LLVMBuildBr(b, body);
  LLVMPositionBuilderAtEnd(b, body);
  llv i = LLVMBuildPhi(b, l->e.i64, "");
  llv known = slice_is_finite(l, k, LLVMBuildAdd(b, first, i, ""));
  llv next = LLVMBuildAdd(b, i, k64(l, 1), "");
  llv finite = LLVMBuildICmp(b, LLVMIntEQ, known, k64(l, FINITE_ALL), "");
  llv more = LLVMBuildICmp(b, LLVMIntULT, next, filled, "");
  llblock end = LLVMGetInsertBlock(b);
  LLVMAddIncoming(i, (llv[]){zero, next}, (llblock[]){before, end}, 2);
  LLVMBuildCondBr(b, LLVMBuildAnd(b, finite, more, ""), body, done);
  LLVMPositionBuilderAtEnd(b, done);
  return finite;
}
