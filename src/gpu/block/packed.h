/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/packed.h: elements of fewer than 8 bits in shared memory. Those of one type share bytes
 * where every store and copy of the kernel gives each thread whole bytes: then no two threads write
 * to one. Else each of them has a byte of its own.
 */
#ifndef TSR_GPU_BLOCK_PACKED_H
#define TSR_GPU_BLOCK_PACKED_H

#include "gpu/block/storage.h"

/* Sets gen.packed; gen.divisors are known. */
void gpu_find_packed(gen *g);
/* Whether elements of so many bits lie in words without gaps. */
bool gpu_fills_words(unsigned bits);

/* Runs of 2^run elements that share bytes, as integers that are aligned as memory has them. */
typedef struct packed_run {
  unsigned bits; /* of an integer */
  unsigned n;    /* integers in a run */
} packed_run;
packed_run gpu_packed_run(unsigned element_bits, unsigned run);

/* Registers that lie as `d` says, 2^run of them in a row in memory. */
void gpu_load_packed(gen *g, ir_value *v, const storage_ref *s, const simt_dist *d, unsigned run);
/* By the threads that own them. */
void gpu_store_packed(gen *g, const tile *t, const storage_ref *s);
/* The same by all threads, of elements as they are in memory. */
void gpu_put_packed(gen *g, const simt_dist *d, const llv *x, const storage_ref *s);

#endif
