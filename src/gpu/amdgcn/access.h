/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/access.h: loads, stores and atomics under a condition, and copies to the LDS: as
 * gpu_hooks has them. Waits, and what caches must do for an order and a scope, LLVM puts in.
 */
#ifndef TSR_GPU_AMDGCN_ACCESS_H
#define TSR_GPU_AMDGCN_ACCESS_H

#include "gpu/gen.h"

/* 4, 8 or 16 bytes at an address as words, if `exists` (i1; NULL: they do), else `pad`. */
llv amdgcn_load_words(gen *g, unsigned bytes, llv address, llv exists, llv pad);
llv amdgcn_masked_load(gen *g, unsigned bits, llv address, uint32_t offset, llv exists, llv pad);
void amdgcn_masked_store(gen *g, unsigned bits, llv address, uint32_t offset, llv exists,
                         const llv *x, unsigned n);
void amdgcn_replace_bits(gen *g, llv word_address, llv exists, llv keep, llv put);
llv amdgcn_ordered_load(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv pad);
void amdgcn_ordered_store(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv x);
llv amdgcn_compare_and_swap(gen *g, const ir_op *op, unsigned bits, llv address, llv exists,
                            llv expected, llv desired);
llv amdgcn_update(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x);
void amdgcn_copy_async(gen *g, unsigned bytes, llv to, uint32_t to_offset, llv from,
                       uint32_t from_offset, llv who, llv size);

#endif
