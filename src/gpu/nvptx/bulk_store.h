/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/bulk_store.h: stores by bulk tensor copies (simt/nvidia/bulk_store.h), and waiting for
 * them.
 */
#ifndef TSR_GPU_NVPTX_BULK_STORE_H
#define TSR_GPU_NVPTX_BULK_STORE_H

#include "gpu/gen.h"

/* Returns false, having stored nothing, where the plan says otherwise or there is no room. Where
 * the launch may have no map, both ways are made. */
bool nvptx_bulk_store(gen *g, ir_op *op);
/* All threads, in front of a barrier: bulk copies have read their shared memory, or, `complete`,
 * are done. */
void nvptx_bulk_wait(gen *g, bool complete);

#endif
