/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared memory and barriers. One piece of scratch memory serves all conversions, one after the
 * other. Barriers are where something is at stake only: `hazards` knows what has happened since
 * the last.
 */
#include "gpu/shared.h"

#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/vendor.h"
#include "simt/arrange.h"

/* ---- barriers ------------------------------------------------------------------------------- */

void gpu_barrier(gen *g) {
  g->now = (hazards){.async_reads = g->now.async_reads, .async_stores = g->now.async_stores};
  g->vendor->barrier(g);
}

/* What is stored asynchronously is in memory when that is complete. */
static void end_async_stores(gen *g) {
  if (!g->now.async_stores) return;
  g->vendor->wait_stores(g, true);
  g->now.stored = true;
}

hazards gpu_either(hazards a, hazards b) {
  return (hazards){.loaded = a.loaded | b.loaded,
                   .stored = a.stored | b.stored,
                   .shared_read = a.shared_read | b.shared_read,
                   .async_reads = a.async_reads | b.async_reads,
                   .async_stores = a.async_stores | b.async_stores};
}

void gpu_before_load(gen *g) {
  end_async_stores(g);
  if (g->now.stored) gpu_barrier(g);
  g->now.loaded = true;
}

void gpu_before_store(gen *g) {
  end_async_stores(g);
  if (g->now.stored || g->now.loaded) gpu_barrier(g);
  g->now.stored = true;
}

uint32_t gpu_scratch_limit(const gen *g) {
  uint32_t taken = g->alloca_size + g->storage_bytes + g->vendor->shared_taken(g);
  taken += g->scratch_first;
  return g->target->shared_bytes - MIN(taken, g->target->shared_bytes);
}

uint64_t gpu_whole_accesses(uint64_t bytes) {
  return (bytes + SIMT_ACCESS_BYTES - 1) / SIMT_ACCESS_BYTES * SIMT_ACCESS_BYTES;
}

llv gpu_scratch(gen *g, uint32_t bytes) {
  uint32_t offset = g->storage_bytes + g->vendor->shared_taken(g) + g->scratch_first;
  if (g->now.async_reads) {
    g->vendor->wait_stores(g, false);
    g->now.shared_read = true;
  }
  if (g->now.shared_read) gpu_barrier(g);
  g->scratch_size = MAX(g->scratch_size, offset + (uint32_t)gpu_whole_accesses(bytes));
  return add_const(g, LLVMBuildPtrToInt(g->e.b, g->scratch, g->e.i64, "scratch"), offset);
}

const char *gpu_shared_name(gen *g, const char *what) {
  size_t length;
  return arena_printf(g->arena, "tessera_%s_%s", what, LLVMGetValueName2(g->function, &length));
}

llv gpu_scratch_aligned(gen *g, uint32_t bytes, uint32_t align) {
  g->scratch_align = MAX(g->scratch_align, align);
  return gpu_scratch(g, bytes);
}

void gpu_scratch_ready(gen *g) {
  gpu_barrier(g);
  g->now.shared_read = true;
}

llblock gpu_begin_owner(gen *g, llv owner) {
  if (!owner) return NULL;
  llblock inside = gpu_new_block(g, "owner"), done = gpu_new_block(g, "owner.end");
  LLVMBuildCondBr(g->e.b, owner, inside, done);
  LLVMPositionBuilderAtEnd(g->e.b, inside);
  return done;
}

/* ---- tiles ---------------------------------------------------------------------------------- */

unsigned gpu_shared_bytes(tsr_elem elem) {
  return MAX(tsr_elem_bits(elem), 8) / 8;
}

static llv shared_ptr(gen *g, llv base, uint32_t offset) {
  llv at = add_const(g, base, offset);
  return LLVMBuildIntToPtr(g->e.b, at, LLVMPointerTypeInContext(g->e.llvm, SPACE_SHARED), "");
}

/* An i1: the thread's elements have these values in the masked bits of their index, as far as those
 * belong to lanes and warps. NULL: they always do. */
static llv thread_matches(gen *g, const simt_dist *d, uint32_t mask, uint32_t want) {
  uint32_t of_threads = mask;
  for (unsigned j = 0; j < d->regs; j++) of_threads &= ~(1u << d->reg[j]);
  if (!of_threads) return NULL;
  llv own = LLVMBuildAnd(g->e.b, gpu_thread_index(g, d), k32(g, of_threads), "");
  return LLVMBuildICmp(g->e.b, LLVMIntEQ, own, k32(g, want & of_threads), "");
}

static uint32_t register_bits(const simt_dist *d, unsigned count) {
  uint32_t bits = 0;
  for (unsigned j = 0; j < count; j++) bits |= 1u << d->reg[j];
  return bits;
}

/* The registers in the order in which most of them are accessed at once, by themselves when they
 * lie well as they are; says how many those are, log2. */
static simt_dist order_of_accesses(const simt_dist *d, const int32_t *weight, unsigned bytes,
                                   unsigned *run) {
  simt_dist sorted = simt_dist_by_weight(d, weight);
  unsigned better = simt_access_run(&sorted, weight, bytes);
  *run = simt_access_run(d, weight, bytes);
  if (better <= *run) return *d;
  *run = better;
  return sorted;
}

/* The same elements in other registers of the same threads. */
static tile in_order(gen *g, const tile *t, const simt_dist *d) {
  if (simt_dist_equal(&t->d, d)) return *t;
  tile r = {.d = *d, .v = gpu_registers(g, d)};
  for (uint32_t i = 0; i < slots_of(d); i++)
    r.v[i] = t->v[simt_slot_of_index(&t->d, simt_index_of_slot(d, i))];
  return r;
}

void gpu_shared_store_part(gen *g, tsr_elem elem, const tile *t, llv base, const int32_t *weight,
                           uint32_t mask, uint32_t want) {
  emit *e = &g->e;
  unsigned bytes = gpu_shared_bytes(elem), run;
  simt_dist d = order_of_accesses(&t->d, weight, bytes, &run);
  if (!t->v) { /* made where it is needed, in its own order */
    d = t->d;
    run = simt_access_run(&d, weight, bytes);
  }
  tile sorted = in_order(g, t, &d);
  while (run && register_bits(&d, run) & mask) run--;
  uint32_t in_registers = register_bits(&d, d.regs) & mask;
  base = add_of(g, base, to_i64(g, gpu_thread_sum(g, &d, weight)));
  llv who = fold_and(g, gpu_owner(g, &d), thread_matches(g, &d, mask, want));
  llblock done = gpu_begin_owner(g, who);
  for (uint32_t i = 0; i < slots_of(&d); i += 1u << run) {
    if ((simt_index_of_slot(&d, i) & in_registers) != (want & in_registers)) continue;
    llv p = shared_ptr(g, base, (uint32_t)gpu_slot_sum(&d, i, weight));
    llv x = gpu_memory_run(g, elem, &sorted, i, 1u << run);
    LLVMSetAlignment(LLVMBuildStore(e->b, x, p), bytes << run);
  }
  if (done) gpu_go(g, done);
}

void gpu_shared_store(gen *g, tsr_elem elem, const tile *t, llv base, const int32_t *weight) {
  gpu_shared_store_part(g, elem, t, base, weight, 0, 0);
}

llv *gpu_shared_load(gen *g, tsr_elem elem, const simt_dist *to, llv base, const int32_t *weight) {
  emit *e = &g->e;
  unsigned bytes = gpu_shared_bytes(elem), run;
  simt_dist d = order_of_accesses(to, weight, bytes, &run);
  LLVMTypeRef one = gpu_memory_type(g, elem), many = LLVMVectorType(one, 1u << run);
  tile t = {.d = d, .v = gpu_registers(g, &d)};
  base = add_of(g, base, to_i64(g, gpu_thread_sum(g, &d, weight)));
  for (uint32_t i = 0; i < slots_of(&d); i += 1u << run) {
    llv p = shared_ptr(g, base, (uint32_t)gpu_slot_sum(&d, i, weight));
    llv x = LLVMBuildLoad2(e->b, run ? many : one, p, "");
    LLVMSetAlignment(x, bytes << run);
    for (uint32_t k = 0; k < 1u << run; k++) {
      llv element = run ? LLVMBuildExtractElement(e->b, x, k32(g, k), "") : x;
      t.v[i + k] = gpu_from_memory(g, elem, element);
    }
  }
  return in_order(g, &t, to).v;
}
