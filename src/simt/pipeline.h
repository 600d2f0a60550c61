/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/pipeline.h: software pipelines. A load in a `for` whose only use is as an operand of a
 * matrix product by tensor cores needs no registers: its tile is copied from global to shared
 * memory, where the product reads it, and the copy is begun while earlier iterations multiply.
 *
 *   shared memory of a loop: `stages` stages one after the other, each with one buffer for every
 *   staged load; iteration i reads stage i mod stages, and copies for iteration i + stages - 1
 *
 *      stage 0             stage 1             stage 2
 *     ┌─────────┬─────────┬─────────┬─────────┬─────────┬─────────┐
 *     │ A       │ B       │ A       │ B       │ A       │ B       │
 *     └─────────┴─────────┴─────────┴─────────┴─────────┴─────────┘
 *       multiplied          on its way          on its way
 *
 * What is decided here: which loads, how many stages, where everything lies, who copies what and by
 * which engine. How the loop looks around it is the code generator's. Plain data without LLVM.
 *
 * A load is staged where all of this holds:
 *   - it is weak, executed in every iteration, and its only use, through reshape and permute, is an
 *     operand of mmaf or mmai that is computed by tensor cores from elements as they lie in memory;
 *   - where it reads depends on the loop's index and on what is known in front of the loop alone,
 * by scalar arithmetic and expressions that each thread computes for itself (`slice`);
 *   - nothing in the loop orders memory, fails an assert, or leaves the loop or the iteration
 * before the load, and the load may pass the loop's stores (simt/load_hoist.h);
 *   - the bytes of a chunk, which an asynchronous copy moves at once (simt/vendor.h), lie next to
 *     each other in memory and along one dimension of the operand, and begin at a multiple of their
 *     size as far as is known before running. What is not known is to be tested in front of the
 *     loop.
 */
#ifndef TSR_SIMT_PIPELINE_H
#define TSR_SIMT_PIPELINE_H

#include "simt/mma.h"

enum {
  SIMT_STAGES = 3, /* where nothing else is said */
  SIMT_MOST_STAGES = 8,
};

/* How an operand lies in its buffer. The vendor cuts it along its fast dimension into panels: in a
 * panel all rows (slow dimension, then batch) follow each other; panels follow each other. Within
 * that it may swizzle. All of that is linear in the bits of an index, so `column` says it whole:
 * the element whose index has the bits K lies at the exclusive or of column[k], k in K. */
typedef struct simt_stage_layout {
  uint8_t n;                  /* bits of the operand's index */
  uint8_t elem_bytes;         /* log2 */
  bool fast_is_k;             /* K-major; else the fast dimension is m of A, n of B */
  uint8_t fast, slow;         /* log2 of the sizes of the fast and the slow dimension */
  uint8_t batch;              /* log2 */
  uint8_t swizzle;            /* the vendor's number of it; 0: none */
  bool spread;                /* rows that lanes read at once lie in different banks instead */
  uint32_t row_bytes;         /* of a panel */
  uint32_t panel_bytes;       /* from a panel to the next */
  uint32_t bytes;             /* of the buffer; a multiple of the vendor's stage_align */
  uint32_t column[SIMT_BITS]; /* by bit of the operand's index: bytes, to be combined by xor */
} simt_stage_layout;

/* A load that is copied into a buffer of each stage. */
typedef struct simt_staged {
  ir_op *load, *product;
  bool is_lhs;    /* of the product's operands */
  uint8_t engine; /* who moves the tile into its buffer: the vendor's number */
  bool turned;    /* the instruction cannot read it as it is copied: threads turn it in its place */
  uint32_t offset;          /* of the buffer in a stage, bytes */
  simt_stage_layout layout; /* of the operand */
  simt_map to_operand;      /* bits of the loaded tile's index to those of the operand's */
  /* What must be a multiple of a chunk, in bytes, and is not known to be: the view's base; strides
   * and extents, by bit of the view's dimension. */
  bool test_base;
  uint32_t test_strides, test_extents;
  const ir_value *view; /* the tensor_view, in front of the loop where there is something to test;
                           NULL: a tile of pointers, of which all is known */
  simt_dist copy;       /* who copies what: of the loaded tile, with the elements of one load in the
                           lowest register bits, */
  uint8_t at_once;      /* 2^at_once of them: a chunk's, or fewer */
} simt_staged;

typedef struct simt_pipeline {
  ir_op *loop; /* for */
  uint32_t n_loads, n_slice;
  simt_staged *loads; /* in program order */
  ir_op **slice;      /* operations of the body, in program order, that have to be made again for
                         another index to know where the loads read */
  unsigned stages;    /* up to SIMT_MOST_STAGES; at least 2 where copies are asynchronous */
  bool asked;         /* a hint says how many */
  uint32_t stage_bytes;
  uint32_t scratch; /* bytes that the loop needs besides, about and at most */
} simt_pipeline;

/* Finds the loops of an entry that are pipelined: `plan` must be complete but for that. Sets
 * plan->pipelines, plan->staged and plan->pipeline_bytes. */
void simt_plan_pipelines(simt_plan *plan, ir_op *entry);

/* Of a `for`; NULL: it is not pipelined. */
static inline const simt_pipeline *simt_pipeline_of(const simt_plan *p, const ir_op *loop) {
  return map_ptr(&p->pipelines, loop);
}
/* Of a load or of a matrix product's operand; NULL: not staged. */
static inline const simt_staged *simt_staged_load(const simt_plan *p, const ir_op *load) {
  return map_ptr(&p->staged, load);
}
const simt_staged *simt_staged_operand(const simt_plan *p, const ir_op *product, bool is_lhs);

/* About and at most how many bytes of shared memory the operations of an entry need, those in
 * pipelined loops too: what a tile takes that goes through it whole. The plan must have its
 * pipelines, and its form's own stores. */
uint32_t simt_scratch_of(simt_plan *p, ir_op *entry);

/* The same of a pipelined loop where the operands of its products that come from outside lie in
 * shared memory already. */
uint32_t simt_scratch_beside_kept(const simt_plan *p, const simt_pipeline *pipeline);

/* Whether several warps have parts of what a reduction or a scan makes one of: where rows are
 * shared out to warps, none of theirs does. */
bool simt_crosses_warps(const simt_plan *p, const ir_op *op);

/* Where an element lies in its buffer: bytes. */
uint32_t simt_stage_at(const simt_stage_layout *l, uint32_t operand_index);

/* A few lines for --emit layouts. */
void simt_pipeline_print(sbuf *out, const simt_plan *plan, const simt_pipeline *p,
                         const char *indent);

#endif
