/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/plan.h: layout assignment. Before any code is made, every tile of a kernel gets a home:
 *
 *   SIMT_HELD   it lies in registers, spread over the block's threads by `dist`
 *   SIMT_LAZY   it is an expression (a constant, an iota, arithmetic on those, a reshape, permute
 * or broadcast of anything), computed by each thread for the elements that it needs
 *
 * Distributions come from where the hardware wants something in particular (the order of memory for
 * loads, fragments for matrix products, whole rows for scans) and spread from there along the
 * program: an element-wise operation takes that of its operand, a reduction gives the slice that is
 * left, a loop carries what its body makes. Where an operand has another distribution than the one
 * that is needed, the code generator converts it. The plan is plain data without LLVM in it;
 * `tessera build --target sm_90a --emit layouts` prints it.
 */
#ifndef TSR_SIMT_PLAN_H
#define TSR_SIMT_PLAN_H

#include "opt/facts.h"
#include "simt/dist.h"
#include "target/matrix.h"

typedef struct simt_target {
  const gpu_target *gpu;
  const struct simt_vendor *vendor; /* simt/vendor.h; NULL: what is neutral alone */
  unsigned warps;                   /* of a block; 0: as the plan chooses */
  unsigned
      form; /* which of its vendor's forms of a kernel is planned; 0: the one for all launches */
  bool printed;  /* at the block level, where what stages take is never scratch memory */
  bool unstaged; /* no pipelines of asynchronous copies (simt/pipeline.h) */
} simt_target;

typedef enum simt_home { SIMT_NONE, SIMT_HELD, SIMT_LAZY } simt_home;

typedef struct simt_value {
  uint8_t home;
  uint8_t rank; /* how firmly `dist` is wanted: 0 not at all, 1 for want of better, 2 it is so */
  bool free;    /* an expression of scalars, constants and iotas only */
  bool fused;   /* every use takes one element at a time, in the block that makes it: what is loaded
                   stays as it is in memory, several to a register; what is computed from it is an
                   expression at `dist`, computed where a matrix product takes its elements */
  simt_dist dist;
} simt_value;

typedef enum simt_mma_kind {
  SIMT_MMA_FMA,   /* operands in shared memory, one multiply-add at a time */
  SIMT_MMA_WARP,  /* by one warp: fragments in registers */
  SIMT_MMA_GROUP, /* by several warps: operands in shared memory, A also in registers */
} simt_mma_kind;

/* What an operation wants besides its result's distribution. */
typedef struct simt_op {
  simt_dist operand; /* of all operands of reduce and scan; of pack's and unpack's */
  uint8_t mma;       /* simt_mma_kind */
  const matrix_instruction *instruction; /* unless SIMT_MMA_FMA */
  simt_dist a, b;                        /* of its operands in registers; b: SIMT_MMA_WARP */
  /* SIMT_MMA_WARP: */
  uint32_t block_k; /* which bits of k tell the k of a block; the others tell blocks apart */
  uint8_t
      column;  /* the lowest bit of n that belongs to a fragment: 2^column of them side by side */
  bool direct; /* so that what a thread loads of B is what it multiplies; else so that a thread
                  reads that many columns of B at once from shared memory, where it lies along n */
  uint8_t repeat; /* log2: a fragment has each row so often, since the tile has too few; `a` and
                     `sum` are those of a tile that has enough, whose other rows are copies */
  simt_dist sum;  /* of the accumulator in fragments */
} simt_op;

typedef struct simt_plan {
  simt_target target;
  unsigned warps; /* log2 of the block's warps */
  unsigned lanes; /* log2 of the lanes of a warp, as the target has it */
  bool rows;      /* rows of products are reduced: warps share them out, not columns */
  uint32_t n_values;
  simt_value *values;      /* by ir_value.number */
  map ops;                 /* ir_op * -> simt_op * */
  map wanted;              /* load -> simt_dist *: where a product wants what is loaded */
  map pipelines;           /* for -> simt_pipeline *; see simt/pipeline.h */
  map staged;              /* load -> simt_staged * */
  uint32_t pipeline_bytes; /* of shared memory, at its start, while a pipelined loop runs */
  void *own;               /* what the vendor has planned for the form; NULL: nothing */
  facts *facts;
  const ir_module *module;
  struct kernel_order *order; /* simt/load_hoist.h; NULL: nobody has asked for it */
  arena *arena;
} simt_plan;

/* Known in front of the operation whose region `body` is. */
static inline bool simt_is_outside(const ir_value *v, const ir_block *body) {
  const ir_block *b = v->is_arg ? v->owner.block : v->owner.op->block;
  while (b && b != body) b = b->parent ? b->parent->block : NULL;
  return b == NULL;
}

static inline simt_threads simt_plan_threads(const simt_plan *p) {
  return (simt_threads){(uint8_t)p->lanes, (uint8_t)p->warps};
}

/* Numbers the entry's values. Lives in `memory`. */
simt_plan *simt_assign(ir_module *m, ir_op *entry, const simt_target *target, arena *memory);

static inline simt_value *simt_value_of(const simt_plan *p, const ir_value *v) {
  return &p->values[v->number];
}
static inline simt_op *simt_op_of(const simt_plan *p, const ir_op *op) {
  return map_ptr(&p->ops, op);
}

/* An operation's hint for an architecture, else that for all others, else `missing`. */
int64_t simt_hint_or(const ir_op *op, const gpu_target *gpu, const char *key, int64_t missing);
/* The same for hints that are never 0; 0: none. */
static inline int64_t simt_hint(const ir_op *op, const gpu_target *gpu, const char *key) {
  return simt_hint_or(op, gpu, key, 0);
}

/* For a tile that nothing else is known of: row-major, as many neighbours in a thread as one access
 * takes. */
simt_dist simt_default_dist(const simt_plan *p, const ir_type *t);

/* For a tile of a view: as memory lies. */
simt_dist simt_memory_dist(const simt_plan *p, const ir_type *view);

/* The order of a view's tile in memory: bits of the index, those of the dimension whose elements
 * lie next to each other first. Returns how many those are (0: no dimension is known to be so). */
unsigned simt_memory_order(const ir_type *view, uint8_t order[SIMT_BITS]);

/* One line for each tile, in the order of the program, with its place in the source. */
void simt_plan_print(sbuf *out, const simt_plan *p, const ir_module *m, ir_op *entry);

#endif
