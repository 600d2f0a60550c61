/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/storage.h: shared memory that a kernel of the block level has as values, and where the
 * elements of a tile lie in it: base + swizzle(offset + strides . index).
 */
#ifndef TSR_GPU_BLOCK_STORAGE_H
#define TSR_GPU_BLOCK_STORAGE_H

#include "gpu/index.h"

enum {
  GPU_MBARRIER_BYTES = 8,
  GPU_BOX_ALIGN = 128, /* bytes: where the copy engine's boxes begin in shared memory */
};

/* Finds a place for each alloc_shared and alloc_mbarrier of the entry; sets gen.storage_bytes.
 * False after a message. */
bool gpu_place_storage(gen *g);

void gpu_alloc_shared(gen *g, ir_op *op);
void gpu_subview(gen *g, ir_op *op);
void gpu_permute_view(gen *g, ir_op *op);
void gpu_load_shared(gen *g, ir_op *op);
void gpu_store_shared(gen *g, ir_op *op);
void gpu_atomic_shared(gen *g, ir_op *op);

/* 2^shift elements take so many bytes of shared memory, and begin at a whole one. */
typedef struct gpu_unit {
  unsigned shift;
  uint32_t bytes;
} gpu_unit;
/* Of shared memory; shift is not 0 where elements share bytes (gpu/block/packed.h). */
gpu_unit gpu_unit_of(const gen *g, const ir_type *t);
/* The most elements that an access takes, log2. */
unsigned gpu_widest_part(const gen *g, const ir_type *t);
llv gpu_allocation_start(gen *g, const storage_ref *s); /* i32 */

/* Addresses of a tile's elements for threads that stand where `d` says; of those that share bytes,
 * where a unit begins. */
typedef struct part_place {
  const storage_ref *part;
  simt_dist d;
  gpu_unit unit;
  llv start;                 /* i32: the address of the allocation */
  int32_t weight[SIMT_BITS]; /* by bit of the tile's index: elements, before the swizzle */
  bool by_xor, by_sum;       /* how bits add up; neither: the swizzle is computed for each */
  uint32_t column[SIMT_BITS];
  xor_place x;
  llv thread; /* i32: the address of the thread's first element; its place before the swizzle */
} part_place;
void gpu_part_place(gen *g, part_place *p, const storage_ref *part, const simt_dist *d);
/* Numbers of elements in the allocation instead of addresses. */
void gpu_part_numbers(gen *g, part_place *p, const storage_ref *part, const simt_dist *d);
/* The element with the bits `index` besides the thread's: an address (i32) and what to add. */
llv gpu_part_address(gen *g, part_place *p, uint32_t index, uint32_t *offset);
llv gpu_part_pointer(gen *g, part_place *p, uint32_t index);
/* How far the lowest `n` of these bits of the index are known to be the bits of consecutive,
 * aligned bytes: 2^result elements lie in a row from a multiple of as many on. */
unsigned gpu_part_run(const storage_ref *part, const int8_t *bits, unsigned n, unsigned most);
/* The registers of `d` in the order in which most of them are accessed at once, 2^run. */
simt_dist gpu_part_order(const gen *g, const storage_ref *part, const simt_dist *d, unsigned *run);
/* By bit of the tile's index. */
void gpu_part_weights(const ir_type *t, int32_t weight[SIMT_BITS]);

/* ldmatrix, if the layouts allow it, plain or transposed: the tile's words. False with a reason. */
bool gpu_load_matrices(gen *g, ir_op *op, bool transposed, const char **why);
/* The same of stmatrix. */
bool gpu_store_matrices(gen *g, ir_op *op, bool transposed, const char **why);

#endif
