/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/bulk.h: kernels with a producer (simt/nvidia/bulk.h): the producer's program, and what
 * its consumers wait for and give back.
 */
#ifndef TSR_GPU_NVPTX_BULK_H
#define TSR_GPU_NVPTX_BULK_H

#include "gpu/nvptx/pipeline.h"
#include "simt/nvidia/bulk.h"

/* Variables (i32) of who goes through a loop's stages: the next one's number, and a parity that
 * changes whenever it is 0 again. */
typedef struct bulk_state {
  llv stage, parity;
} bulk_state;

/* After the parameters: makes the producer; continues as consumers. */
void nvptx_bulk_begin(gen *g);
/* At the begin of a bulk loop's iteration: which stage it is. */
void nvptx_bulk_turn(gen *g, pipeline *p);
/* After a bulk loop. */
void nvptx_bulk_end(gen *g, const ir_op *loop);
/* Around a product: its operands have arrived; nobody of the warp reads the stage any more. Both do
 * nothing where no producer copies for it. */
void nvptx_stage_ready(gen *g, const ir_op *product);
void nvptx_stage_done(gen *g, const ir_op *product);

/* The stage and its parity of the bulk loop's iteration that is next. */
void nvptx_bulk_next(gen *g, const pipeline *p, llv *stage, llv *parity);
/* From here on the loop's products read this stage. */
void nvptx_bulk_select(gen *g, pipeline *p, llv stage, llv parity);
/* Nobody of the warp reads what the product has in a stage any more, if `really` (i1; NULL: true).
 * Nothing where another product says so for both, or no producer copies. */
void nvptx_bulk_release(gen *g, const pipeline *p, const ir_op *product, llv stage, llv really);
/* The stage before this one. */
llv nvptx_bulk_before(gen *g, const pipeline *p, llv stage);

/* Where a tile of a view begins, i32 by dimension of the map; SIMT_MAP_OUTSIDE or a little less
 * where that is outside of every view that has a map. */
void nvptx_map_origin(gen *g, const simt_tensor_map *m, const ir_type *tiles, const ir_use *index,
                      llv at[SIMT_MAP_RANK]);

#endif
