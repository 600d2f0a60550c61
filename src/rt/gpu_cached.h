/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu_cached: a module's code for a GPU from the cache on disk (rt/cache.h): what a launcher must
 * know of its entries, and the image that the driver loads.
 *
 *   u32 count, and for each entry, in the module's order:
 *     u32 n_params, threads, shared_bytes, static_bytes, n_maps, whether it has a bulk form,
 *         length of the symbol; the symbol
 *     its tensor maps: u32 which make_tensor_view of the entry; the other fields of simt_tensor_map
 *     its bulk form, likewise
 *   the image
 *
 * Whether the image is machine code or PTX is the first of the cache entry's numbers.
 */
#ifndef TSR_RT_GPU_CACHED_H
#define TSR_RT_GPU_CACHED_H

#include "rt/gpu.h"

/* The bytes of the code's entries and of an image. False when entries cannot be written. */
bool gpu_cached_write(sbuf *b, const gpu_program *code, str image);
/* The inverse, for the same module read in another context, in the code's arena. */
bool gpu_cached_read(const tsr_program *p, gpu_program *code, str bytes, str *image);

/* Fills in the entries and the image, in the code's arena. */
bool gpu_cached_load(const tsr_program *p, gpu_program *code);
/* Puts them there. */
void gpu_cached_store(const tsr_program *p, gpu_program *code);

#endif
