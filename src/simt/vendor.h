/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/vendor.h: what the GPUs of one vendor add to a plan. The folders below simt/ implement it,
 * and a backend hands it in with its target (simt_target.vendor), so that what is neutral includes
 * nothing of theirs. Without a vendor products are done by matrix instructions of single warps or
 * by multiply-adds, and no loop is pipelined.
 */
#ifndef TSR_SIMT_VENDOR_H
#define TSR_SIMT_VENDOR_H

#include "simt/mma.h"
#include "simt/pipeline.h"

/* An operand of a product as memory has it, if a view's load is behind it. */
typedef struct simt_loaded {
  const ir_op *load;
  simt_map m;                /* of the load's index to the operand's */
  uint8_t memory[SIMT_BITS]; /* the bits of the operand's index, those next to each other first */
  unsigned run, all;         /* bits that lie in a row; all bits */
  unsigned width;            /* bits of an element */
  simt_product s;
  unsigned k, across; /* the lowest bits of the two dimensions */
} simt_loaded;

/* `n` bits of the operand's index from `first` on lie in a row. */
bool simt_lies_along(const simt_loaded *x, unsigned first, unsigned n);

/* An order of an operand's index bits in which threads load it: see simt_dist_ordered. */
typedef struct simt_order {
  uint8_t bit[SIMT_BITS];
  unsigned vector;
} simt_order;

/* Bytes of shared memory for a pipelined loop's stages and what it needs besides, how many stages
 * there are where nothing else is said, and at least. */
typedef struct simt_budget {
  uint32_t bytes;
  unsigned stages, least;
} simt_budget;

typedef struct simt_vendor {
  /* ---- products by instructions of several warps (SIMT_MMA_GROUP) */
  /* log2 of the most warps that such a product keeps busy; 0: it can't be done so. */
  unsigned (*group_warps)(const simt_target *target, const ir_op *product);
  /* Fills `info` and gives the accumulator's distribution; false where it can't be. */
  bool (*choose_group)(simt_op *info, const simt_plan *p, const ir_op *op, const simt_product *s,
                       simt_dist *c);
  /* How threads are to load an operand for it; false: in the order of memory. */
  bool (*order_operand)(const simt_plan *p, const simt_loaded *x, simt_order *out);
  void (*print_group)(sbuf *out, const simt_plan *p, const ir_op *op);
  /* A lane of a product by instructions of one warp takes as many bytes of an operand's row along k
   * as one access loads: simt_op.block_k. Else the rows are as the instruction has them. */
  bool wide_k;

  /* ---- pipelines */
  bool any_target;      /* also of targets without asynchronous copies: through registers */
  uint32_t chunk;       /* bytes that an asynchronous copy moves, aligned to that */
  uint32_t stage_align; /* bytes, of buffers in a stage */
  /* Decides where a staged operand lies and which engine copies it; false where it can't be. The
   * operand's elements have 2^elem_bytes bytes, and lie along k in memory or across it. */
  bool (*lay_out)(const simt_op *info, simt_staged *x, bool fast_is_k, unsigned elem_bytes);
  /* Decides who copies what, for a tile whose bits lie in memory in this order, 2^chunk elements of
   * a chunk first, where lay_out has said that it can be; it may still refuse. NULL: each thread a
   * chunk, in the order of memory. */
  bool (*share_out)(const simt_plan *p, simt_staged *x, const uint8_t *order, unsigned chunk);
  simt_budget (*budget)(const simt_plan *p, const simt_pipeline *loop);
  void (*print_staged)(sbuf *out, const simt_staged *x);

  /* ---- forms of a kernel */
  /* Plans what target.form asks for, where that can be: sets plan->own. The rest is complete. */
  void (*plan_form)(simt_plan *plan, ir_op *entry);
  /* Bytes of shared memory that a store takes by the form's own way; 0: it is none of these. */
  uint32_t (*store_bytes)(const simt_plan *p, const ir_op *store);
  /* How kernels with plan->own are printed at the block level (simt/block/internal.h). */
  const struct block_form *roles;
} simt_vendor;

#endif
