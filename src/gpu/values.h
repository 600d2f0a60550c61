/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/values.h: the registers of a tile in the distribution that is asked for. What is held
 * is taken or converted; an expression is computed, once for each distribution and region that asks
 * for it.
 */
#ifndef TSR_GPU_VALUES_H
#define TSR_GPU_VALUES_H

#include "gpu/gen.h"

/* Registers of a value in a distribution; the same array may be handed out again: not to be
 * written to. */
llv *gpu_get(gen *g, ir_value *v, const simt_dist *d);
llv *gpu_home(gen *g, ir_value *v, simt_dist *d); /* where it lies, or would like to */
simt_dist gpu_home_dist(gen *g, const ir_value *v);
llv gpu_scalar(gen *g, ir_value *v); /* of a tile of one element */
void gpu_set(gen *g, ir_value *v, const simt_dist *d, llv *registers);
void gpu_set_scalar(gen *g, ir_value *v, llv s);
void gpu_set_storage(gen *g, ir_value *v, llv base, llv offset); /* as storage_ref has them */
/* A tile that a matrix unit still computes: registers of f32, or words of two f16 each, how many
 * and of which type. */
void gpu_set_under_way(gen *g, ir_value *v, const simt_dist *d, llv *words);
uint32_t gpu_words_under_way(gen *g, const ir_value *v);
LLVMTypeRef gpu_type_under_way(gen *g, const ir_value *v);
simt_dist gpu_dist(gen *g, const ir_value *v); /* where it is to lie: gpu/placement.h */
simt_dist gpu_scalar_dist(gen *g);
/* Registers of floats before their NaNs were made canonical, if they were: see lanes_any_nan. */
llv *gpu_any_nan(gen *g, const simt_dist *d, llv *x);
/* Cache entries made after this mark are valid inside the region only that is being made. */
void gpu_forget(gen *g, uint32_t mark);
/* The same of a cache that is not the kernel's now; and an empty one. */
void gpu_cache_cut(tile_cache *c, uint32_t mark);
void gpu_cache_init(gen *g, tile_cache *c);

#endif
