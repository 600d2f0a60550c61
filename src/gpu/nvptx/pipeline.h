/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/pipeline.h: loops that copy ahead by cp.async, which all threads do; and addresses in
 * the stages of any pipelined loop.
 */
#ifndef TSR_GPU_NVPTX_PIPELINE_H
#define TSR_GPU_NVPTX_PIPELINE_H

#include "gpu/index.h"
#include "gpu/vendor.h"
#include "simt/nvidia/bulk.h"

/* A product of a bulk loop that is begun an iteration early (simt/nvidia/overlap.h): registers of
 * its accumulator, as wgmma leaves them. */
typedef struct early_product {
  ir_op *op; /* NULL: there is none */
  uint32_t n;
  llv *first; /* of the first iteration, made in front of the loop */
  llv *now;   /* of this iteration: phis */
  llv *next;  /* of the next one */
} early_product;

/* A loop that copies ahead. The loop's own index is what is multiplied; `ahead` is that of the
 * iteration whose copies are begun next. A stage is told by its distance from the first, bytes. */
struct pipeline {
  const simt_pipeline *plan;
  uint32_t base;              /* of its stages in scratch memory, bytes */
  const simt_bulk_loop *bulk; /* a producer copies; NULL: all threads do. Then, of what follows,
                                 `read` only is used */
  llv stage, parity;          /* i32: of a bulk loop's iteration */
  early_product early;        /* of a bulk loop */
  ir_op *late;                /* of a bulk loop: the product that is waited for an iteration late */
  const ir_op *late_use;      /* see simt_bulk_loop */
  bool in_body;               /* code of the loop's body is being made */
  bool has_turn; /* in a loop with ping-pong scheduling: the warpgroup has the turn where code is
                    made now */
  loop_bounds bounds;
  uint32_t kept_mark;  /* of operands of products that lie in shared memory, in front of it */
  llv ahead, ahead_ok; /* an index; i1: the loop gets there */
  llv read, write;     /* i32: the stage that is multiplied, copied to */
  llv next_ahead, next_ok, next_read, written; /* in the next iteration, and `write` there */
};

/* An i1, in front of the loop: its loads may be copied in chunks. NULL: they always may. */
llv nvptx_pipeline_test(gen *g, const simt_pipeline *plan);
/* In front of the loop: begins the copies of the first iterations. `any`: i1, there is a first. */
void nvptx_pipeline_fill(gen *g, pipeline *p, llv lower, llv any);
/* At the loop's head, after its other phis: what is carried; `before` jumps there first. */
void nvptx_pipeline_head(gen *g, pipeline *p, llblock before);
/* At the begin of the loop's body: waits for the stage that is read, begins the next copies. */
void nvptx_pipeline_turn(gen *g, pipeline *p);
/* The block `here` jumps to the head. */
void nvptx_pipeline_continue(const pipeline *p, llblock here);

/* The address (i32) of a buffer of the stage that is multiplied. */
llv nvptx_stage_base(gen *g, const simt_staged *s);
/* Of the stage that is multiplied. `places` and `column` stay the caller's. */
xor_place nvptx_stage_place(gen *g, const simt_staged *s, const simt_dist *places,
                            const uint32_t *column);

#endif
