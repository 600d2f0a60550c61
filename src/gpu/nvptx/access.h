/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/access.h: loads, stores and atomics with a predicate, which LLVM has no way to say: as
 * gpu_hooks has them. Stores in blocks of their own, hundreds in a kernel, would take a fifth of
 * the time to compile it.
 */
#ifndef TSR_GPU_NVPTX_ACCESS_H
#define TSR_GPU_NVPTX_ACCESS_H

#include "gpu/gen.h"

llv nvptx_masked_load(gen *g, unsigned bits, llv address, uint32_t offset, llv exists, llv pad);
void nvptx_masked_store(gen *g, unsigned bits, llv address, uint32_t offset, llv exists,
                        const llv *x, unsigned n);
void nvptx_replace_bits(gen *g, llv word_address, llv exists, llv keep, llv put);
llv nvptx_ordered_load(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv pad);
void nvptx_ordered_store(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv x);
llv nvptx_compare_and_swap(gen *g, const ir_op *op, unsigned bits, llv address, llv exists,
                           llv expected, llv desired);
llv nvptx_update(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x);

#endif
