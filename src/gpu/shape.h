/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/shape.h: operations that choose, join or reinterpret the elements of tiles: extract, insert,
 * cat, pack, unpack.
 */
#ifndef TSR_GPU_SHAPE_H
#define TSR_GPU_SHAPE_H

#include "gpu/gen.h"

void gpu_extract(gen *g, ir_op *op);
void gpu_cat(gen *g, ir_op *op);
void gpu_insert(gen *g, ir_op *op);
void gpu_reinterpret(gen *g, ir_op *op); /* pack, unpack */
/* The bits of `n` elements, the first in the lowest, as elements of another type. */
void gpu_regroup(gen *g, tsr_elem from, llv *x, uint32_t n, tsr_elem to, llv *r);

#endif
