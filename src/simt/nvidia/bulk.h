/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/bulk.h: warp specialisation. In a kernel whose pipelined loops (simt/pipeline.h) read
 * tensors that the launcher can describe, one thread of a warpgroup of its own, the producer, walks
 * the same loops as the others and does nothing but start bulk tensor copies into the stages; the
 * consumers multiply what is there. Two kinds of mbarriers connect them:
 *
 *   full[product][stage]   the operands of a product have arrived; counts their bytes
 *   empty[stage]           every consumer warp has read the stage; the producer waits for it before
 *                          it copies into the stage again. One for each product where these are
 *                          done with their operands at different times (simt/nvidia/overlap.h)
 *
 *   producer   wait empty[s] ─ copies, full[..][s] ─ next stage ─ wait empty ─ …
 *   consumers  wait full[p][s] ─ product p ─ arrive at empty[s] ─ next stage ─ …
 *
 * Both count stages on through all executions of the loop, so their parities agree.
 *
 * Only loops whose products are by wgmma are taken. The producer runs ahead, so nothing before a
 * loop (nor around it, where it is executed repeatedly) may write memory or order it. The kernel
 * exists once more without any of this, for launches whose tensors have bases or strides that maps
 * cannot have. Plain data without LLVM.
 */
#ifndef TSR_SIMT_NVIDIA_BULK_H
#define TSR_SIMT_NVIDIA_BULK_H

#include "simt/nvidia/nvidia.h"
#include "simt/nvidia/stage.h"
#include "simt/nvidia/tensor_map.h"
#include "simt/pipeline.h"

enum {
  SIMT_PRODUCER_THREADS = 128, /* setmaxnreg is for whole warpgroups */
  SIMT_BULK_STAGES = 4,        /* where nothing else is said */
  SIMT_LEAST_BULK_STAGES = 3,  /* where two blocks share a multiprocessor's memory */
};

/* What blocks of a cluster share of a load (simt/nvidia/cluster.h). */
typedef struct simt_shared_load {
  uint8_t dims; /* bit d: blocks that differ in dimension d of the grid load it together; 0: it is
                   this block's alone */
  uint8_t cut;  /* the map's dimension along which a block's slice is cut; 0: slices are panels */
  bool maybe;   /* only where both blocks of a cluster turn out to load the same tile */
} simt_shared_load;

typedef struct simt_bulk_loop {
  simt_pipeline *pipeline;
  uint32_t *map;            /* by load of the pipeline: its tensor map */
  uint32_t *group;          /* by load: which of the products */
  simt_shared_load *shared; /* by load */
  const ir_op **products;   /* that read stages, in program order */
  uint32_t n_products;
  uint32_t ring;     /* the loop, of those in `simt_bulk`, whose stages and barriers it continues
                        with, as both fill them alike; itself, if there is none before it */
  uint32_t offset;   /* of its stages in shared memory, bytes */
  uint32_t barriers; /* of full[0][0]; after all of full comes empty */
  const ir_op *late; /* the product that is waited for an iteration late; or NULL */
  const ir_op *late_use; /* in front of this operation of the next iteration; NULL: after the
                            next one's product */
  bool apart;            /* each product gives its own operands back */
  const ir_op *turn_begin, *turn_end; /* products: see simt/nvidia/pingpong.h; or NULL */
  const ir_op
      *early; /* the product that is begun an iteration early (simt/nvidia/overlap.h); or NULL */
} simt_bulk_loop;

typedef struct simt_bulk {
  simt_bulk_loop *loops;
  uint32_t n_loops;
  simt_tensor_map *maps;
  uint32_t n_maps;
  struct simt_bulk_store *stores; /* simt/nvidia/bulk_store.h */
  uint32_t n_stores;
  uint32_t optional; /* tensor maps (bits) that only stores use, which can do without */
  bool meets;        /* memory is accessed in other ways, too, with which bulk stores are ordered */
  bool persistent;   /* simt/nvidia/persistent.h */
  map needed;        /* ir_op * -> 1: what the producer executes, too */
  uint32_t bytes;    /* of shared memory: stages and barriers, a multiple of SIMT_STAGE_ALIGN */
  uint32_t scratch;  /* that the loops need besides, about and at most */
  /* Registers of a thread: of the kernel at its start, then of producers and consumers. */
  unsigned registers, producer_registers, consumer_registers;
  uint8_t cluster[3]; /* tile blocks along the grid's dimensions; all 1: there are no clusters */
} simt_bulk;

/* simt_vendor.plan_form: where target.form asks for a producer and a loop can have it; for
 * SIMT_CLUSTERED only if tile blocks share loads. The pipelines must have been planned. */
void simt_plan_bulk(simt_plan *plan, ir_op *entry);

/* NULL: no producer. */
static inline simt_bulk *simt_bulk_of(const simt_plan *p) {
  return p ? p->own : NULL;
}

/* The number of a map like this, which is added where there is none yet: there must be room. */
uint32_t simt_bulk_map(simt_bulk *b, const simt_tensor_map *m);

/* Of a pipelined loop; NULL: it copies as the pipeline says. */
const simt_bulk_loop *simt_bulk_loop_of(const simt_plan *p, const ir_op *loop);

static inline bool simt_begins_ring(const simt_bulk *b, uint32_t loop) {
  return b->loops[loop].ring == loop;
}

/* Unless the operation's hint allow_tma says no. */
static inline bool simt_allows_tma(const simt_plan *p, const ir_op *op) {
  return simt_hint_or(op, p->target.gpu, "allow_tma", 1) != 0;
}

static inline uint32_t simt_full_barrier(const simt_bulk_loop *l, uint32_t product) {
  return l->barriers + 8 * product * l->pipeline->stages;
}
static inline uint32_t simt_empty_barriers(const simt_bulk_loop *l) {
  return l->apart ? l->n_products : 1;
}
/* Where a product's operands are given back; unless `apart` that is the last one's business. */
static inline uint32_t simt_empty_barrier(const simt_bulk_loop *l, uint32_t product) {
  return simt_full_barrier(l, l->n_products + (l->apart ? product : 0));
}

/* "64x128 bf16, swizzled 128 bytes wide" */
void simt_map_print(sbuf *out, const simt_tensor_map *m);
void simt_bulk_print(sbuf *out, const simt_bulk *b);

#endif
