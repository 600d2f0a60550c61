/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/gemm/kblock_prefetch.h: what the micro-kernel fetches while it multiplies a chunk.
 */
#ifndef TSR_CPU_GEMM_KBLOCK_PREFETCH_H
#define TSR_CPU_GEMM_KBLOCK_PREFETCH_H

#include "cpu/gemm/kblock_chunk.h"

/* An access of a matrix whose elements are neighbours along one of the last two
 * dimensions: that dimension, and the bytes between rows of it. False: it is none. */
bool kblock_rows_of(lower *l, const access *a, const ir_type *t, unsigned *along, llv *row);
/* Before the loop: nothing is fetched but where the store (NULL: none) will put the result. */
void kblock_begin_prefetch(lower *l, kblock *k, const ir_op *store, const access *a);
/* At a block's first slice, as is_first says: where a begins there, and so in the next block. */
void kblock_note_start(lower *l, const kblock *k, llv is_first);
/* The same for a b that is left where it lies. */
void kblock_note_b_start(lower *l, const kblock *k, llv is_first, llv base);
/* At a slice, which may be its chunk's last one: fetches of this operand what is as far away as the
 * slice is from the one before, or the next kept chunk. After the loop: nothing, or the first kept
 * chunk. */
void kblock_prefetch_next_chunk(lower *l, const kblock *k, const side *s);
void kblock_prefetch_next_cached(lower *l, const kblock *k, const side *s);
void kblock_prefetch_nothing(lower *l, const kblock *k, const side *s);
void kblock_prefetch_first_cached(lower *l, const kblock *k, const side *s);
/* After the loop of the last tile block along x: what a b that is left where it lies will probably
 * begin with in the next. */
void kblock_prefetch_next_b(lower *l, const kblock *k);

#endif
